"""Many users from the shell: a file of any size, unknown users, audiences and reasons."""

import csv
import json

import pandas
import pytest

import vbn
from vbn.cli import batches as batches_module


@pytest.fixture(scope="module")
def model(shop):
    return vbn.load(shop.model)


def rows_of(file):
    if file.suffix == ".parquet":
        return pandas.read_parquet(file).to_dict("records")
    if file.suffix == ".csv":
        with file.open(encoding="utf-8", newline="") as stream:
            return [{**row, "rank": int(row["rank"])} for row in csv.DictReader(stream)]
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", ["recs.parquet", "recs.csv", "recs.jsonl"])
def test_all_users_are_written_batch_by_batch(shop, model, called, tmp_path, monkeypatch, name):
    monkeypatch.setattr(batches_module, "SIZE", 7)
    found = called("recommend", shop.model, "--all-users", "-k", 3, "--out", name, cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    assert found.stdout == f"{name}\n"
    assert "30 users in " in found.stderr
    assert "users/s" in found.stderr
    rows = rows_of(tmp_path / name)
    assert list(rows[0]) == ["user", "rank", "entity", "score", "std"]
    assert {row["user"] for row in rows} == set(model.trained_.rows.names)
    for user in ("u3", "u28"):
        own = [row for row in rows if row["user"] == user]
        expected = model.recommend(user=user, k=3)
        assert [row["entity"] for row in own] == expected.entities
        assert [row["rank"] for row in own] == [1, 2, 3]
        assert [float(row["score"]) for row in own] == pytest.approx(expected.scores.tolist(), rel=1e-8)
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(("terminal", "shown"), [("", "user 14/30  "), ("1", "user 30/30 ")])
def test_progress_is_a_line_now_and_then_or_a_bar(shop, called, tmp_path, monkeypatch, terminal, shown):
    monkeypatch.setattr(batches_module, "SIZE", 7)
    monkeypatch.setattr(batches_module, "_LOG_EVERY", -1.0)
    monkeypatch.setenv("FORCE_COLOR", terminal)
    monkeypatch.setenv("COLUMNS", "120")
    found = called("recommend", shop.model, "--all-users", "--out", "recs.csv", cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    assert shown in found.stderr
    assert "left" in found.stderr


def test_users_of_a_file_and_those_that_are_unknown(shop, called, tmp_path):
    (tmp_path / "users.txt").write_text("u3\nnobody\nu4\nnoone\n", encoding="utf-8")
    said = called("recommend", shop.model, "--users", "users.txt", "--out", "recs.csv", cwd=tmp_path)
    assert said.returncode == 1
    assert said.stderr.startswith("error: users.txt: unknown entity 'nobody'; ")
    assert "2 of 4 users" in said.stderr
    assert "--skip-unknown" in said.stderr
    assert not (tmp_path / "recs.csv").exists()
    found = called("recommend", shop.model, "--users", "users.txt", "--skip-unknown", "--out", "recs.csv", cwd=tmp_path)
    assert found.returncode == 0
    assert "left out 2 users that the model does not know: 'nobody', 'noone'" in found.stderr
    assert {row["user"] for row in rows_of(tmp_path / "recs.csv")} == {"u3", "u4"}
    shown = called("recommend", shop.model, "--users", "users.txt", "--skip-unknown", "--json", cwd=tmp_path)
    assert {row["query"] for row in json.loads(shown.stdout)} == {"u3", "u4"}
    assert "left out 2 users" in shown.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--all-users"], "give --out"),
        (["--all-users", "--out", "recs.txt"], "must end in .parquet, .csv, .jsonl"),
        (["--all-users", "--out", "none/recs.csv"], "the folder none does not exist"),
        (["--all-users", "--out", "recs.csv", "--json"], ".jsonl"),
        (["--all-users", "--user", "u1", "--out", "recs.csv"], "one of the four"),
        (["tea 1", "--out", "recs.csv"], "are for users"),
    ],
)
def test_options_that_do_not_go_together(shop, called, tmp_path, options, said):
    found = called("recommend", shop.model, *options, cwd=tmp_path)
    assert found.returncode in (1, 2)
    assert said in found.stderr
    assert not list(tmp_path.iterdir())


def test_a_failure_leaves_the_file_that_was_there(shop, called, tmp_path):
    (tmp_path / "recs.csv").write_text("old", encoding="utf-8")
    (tmp_path / "stock.txt").write_text("no such thing\n", encoding="utf-8")
    options = ["--all-users", "--out", "recs.csv", "--candidates", "stock.txt"]
    found = called("recommend", shop.model, *options, cwd=tmp_path)
    assert found.returncode == 1
    assert "stock.txt: unknown" in found.stderr
    assert (tmp_path / "recs.csv").read_text(encoding="utf-8") == "old"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_baseline_recommends_to_all_users_too(model, called, tmp_path):
    vbn.Popularity().fit(model.data_).save(tmp_path / "popular")
    found = called("recommend", "popular", "--all-users", "-k", 2, "--popularity", 0, "--out", "r.csv", cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    assert len({row["user"] for row in rows_of(tmp_path / "r.csv")}) == 30


def test_an_audience(shop, model, called, tmp_path):
    found = called("audience", shop.model, "tea 1", "-k", 4, "--json")
    assert [row["entity"] for row in json.loads(found.stdout)] == model.audience("tea 1", k=4).entities
    (tmp_path / "some.txt").write_text("u1\nu2\n", encoding="utf-8")
    found = called("audience", shop.model, "tea 1", "--candidates", "some.txt", "--include-seen", cwd=tmp_path)
    assert found.stdout.splitlines()[1].startswith("u1 ")
    wrong = called("audience", shop.model, "u1")
    assert wrong.returncode == 1
    assert wrong.stderr == "error: unknown entity 'u1'; it is the name of a row: an audience is that of a column.\n"


def test_reasons(shop, model, called):
    found = json.loads(called("explain", shop.model, "tea 1", "--user", "u2", "-k", 2, "--json").stdout)
    assert found == json.loads(json.dumps(model.explain("u2", "tea 1", k=2).to_dict()))
    assert called("explain", shop.model, "tea 1", "--user", "u2").stdout == f"{model.explain('u2', 'tea 1')}\n"
    assert "omit --side" in called("explain", shop.model, "tea 1", "--user", "u2", "--side", "row").stderr


@pytest.fixture(scope="module")
def films(tmp_path_factory):
    catalogue = {"id": ["m1", "m2", "m3"], "title": ["Heat", "Casino", None], "kind": ["a", "a", "b"]}
    data = vbn.Dataset.from_interactions(["x", "x", "y"] * 4, ["m1", "m2", "m3"] * 4)
    data = data.with_catalogue(catalogue, id="id", levels=["kind"])
    return vbn.VBN(dim=2, epochs=3, verbose=False).fit(data).save(tmp_path_factory.mktemp("films") / "model")


def test_labels_stand_beside_names_in_predictions_and_batches(films, called, tmp_path):
    (tmp_path / "pairs.csv").write_text("user,item\nx,m1\ny,m3\n", encoding="utf-8")
    rows = json.loads(called("predict", films, "pairs.csv", "--json", cwd=tmp_path).stdout)
    assert [list(row) for row in rows] == [["left", "right", "right_label", "p", "std"]] * 2
    assert [row["right_label"] for row in rows] == ["Heat", None]
    text = called("predict", films, "pairs.csv", cwd=tmp_path).stdout.splitlines()
    assert text[0] == "left,right,right_label,p,std"
    assert text[1].startswith("x,m1,Heat,0.")
    called("recommend", films, "--all-users", "--include-seen", "--out", "r.csv", cwd=tmp_path)
    assert {row["entity"]: row["label"] for row in rows_of(tmp_path / "r.csv")} == {
        "m1": "Heat",
        "m2": "Casino",
        "m3": "",
    }


def test_a_readout_is_exported_and_evaluated(words, called, tmp_path):
    model = vbn.load(words.model)
    called("export", words.model, "v.parquet", "--readout", "smoothed", "--no-categories", cwd=tmp_path)
    table = pandas.read_parquet(tmp_path / "v.parquet").set_index("entity")
    assert table.loc["brie", "mean"].tolist() == model.vectors(["brie"], readout="smoothed")[1][0].tolist()
    pairs = [("brie", "gouda"), ("brie", "poodle"), ("poodle", "beagle"), ("feta", "barks"), ("boxer", "melts")]
    lines = [f"{a},{b},{score}" for (a, b), score in zip(pairs, (5, 1, 4, 0, 2), strict=True)]
    (tmp_path / "judged.csv").write_text("\n".join(["word1,word2,score", *lines]), encoding="utf-8")
    for readout in ("entity", "both"):
        found = called(
            "evaluate",
            words.model,
            "--task",
            "similarity",
            "--data",
            "judged.csv",
            "--readout",
            readout,
            "--json",
            cwd=tmp_path,
        )
        expected = vbn.evaluation.evaluate_similarity(
            model, *zip(*pairs, strict=True), (5, 1, 4, 0, 2), readout=readout
        )
        assert json.loads(found.stdout) == [expected]


def test_the_serving_table_from_the_shell(words, called, tmp_path):
    found = called("export", words.model, "s.parquet", "--format", "serving", cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    assert set(pandas.read_parquet(tmp_path / "s.parquet")["side"]) == {"row", "column"}
