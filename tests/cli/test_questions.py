"""Questions to a model on the command line: tables, JSON, files."""

import csv
import json

import numpy as np
import pytest

import vbn
from tests.cli.conftest import ODD, write_csv
from tests.cli.running import run


@pytest.fixture
def asked(called):
    """Ask for JSON."""

    def ask(verb, *arguments, **options):
        result = called(verb, "--json", *arguments, **options)
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    return ask


def test_similar_prints_a_table_or_json_of_the_same(words, asked, called):
    rows = asked("similar", words.model, "poodle", "-k", 2)
    assert [row["entity"] for row in rows] == [row.entity for row in vbn.load(words.model).similar("poodle", 2)]
    assert all(set(row) == {"entity", "score", "std"} for row in rows)
    shown = called("similar", words.model, "poodle", "-k", 2).stdout.splitlines()
    assert shown[0].split() == ["entity", "cosine", "std"]
    assert [line.split()[0] for line in shown[1:]] == [row["entity"] for row in rows]


def test_analogies_and_contexts(words, asked):
    both = ["--positive", "brie", "--positive", "poodle", "--negative", "beagle"]
    model = vbn.load(words.model)
    expected = model.similar(positive=["brie", "poodle"], negative=["beagle"], k=3)
    assert asked("similar", words.model, *both, "-k", 3) == expected.to_dicts()
    assert (
        asked("similar", words.model, "poodle", "--by", "context") == model.similar("poodle", by="context").to_dicts()
    )
    assert (
        asked("similar", words.model, "poodle", "--readout", "smoothed")
        == model.similar("poodle", readout="smoothed").to_dicts()
    )


def test_a_category_and_what_may_be_an_answer(words, asked, called, tmp_path):
    model = vbn.load(words.model)
    rows = asked("similar", words.model, "dog", "-k", 3)
    assert {row["entity"] for row in rows} == {"poodle", "beagle", "boxer"}
    assert rows == model.similar("dog", 3).to_dicts()
    found = asked("similar", words.model, "dog", "--categories", "-k", 1)
    assert [row["entity"] for row in found] == ["animal"]
    own = asked("similar", words.model, "dog", "--role", "entity", "-k", 2)
    assert own == model.similar("dog", 2, role="entity").to_dicts()
    (tmp_path / "some.txt").write_text("brie\nbeagle\ncorgi\n")
    found = asked("similar", words.model, "dog", "--candidates", tmp_path / "some.txt", "--min-count", 1)
    assert [row["entity"] for row in found] == ["beagle", "brie"]
    assert (
        asked("similar", words.model, "poodle", "--by", "mean", "-k", 2)
        == model.similar("poodle", 2, by="mean").to_dicts()
    )
    (tmp_path / "some.txt").write_text("unicorn\n")
    result = called("similar", words.model, "dog", "--candidates", tmp_path / "some.txt")
    assert (result.returncode, "some.txt: unknown entity 'unicorn'" in result.stderr) == (1, True)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--categories", "--candidates", "x.txt"], "give --categories or --candidates, not both"),
        (["--categories", "--min-count", 2], "with --categories, omit --min-count"),
        (["--categories", "--by", "context"], "Use --by cosine"),
        (["--role", "parent"], "'entity', 'category'"),
    ],
)
def test_options_of_similar_that_do_not_go_together(words, called, options, told):
    result = called("similar", words.model, "dog", *options)
    assert result.returncode == 2
    assert told in " ".join(result.stderr.split())


def test_models_of_vectors_answer_among_candidates_but_have_no_categories(called, tmp_path):
    pairs = vbn.Dataset.from_pairs(["a", "b", "c"], ["b", "c", "a"], [3, 2, 1])
    for number, model in enumerate((vbn.Popularity(), vbn.SkipGram(dim=2, epochs=1))):
        folder = model.fit(pairs).save(tmp_path / str(number))
        (tmp_path / "some.txt").write_text("c\n")
        found = called("similar", folder, "a", "--candidates", tmp_path / "some.txt", "--json")
        assert [row["entity"] for row in json.loads(found.stdout)] == ["c"]
        assert "no categories" in called("similar", folder, "a", "--categories").stderr
        assert json.loads(called("similar", folder, "a", "--min-count", 99, "--json").stdout) == []
    told = called("similar", folder, "a", "--role", "category").stderr
    assert "role is for models with categories" in told


def test_an_unknown_entity_is_told_with_the_closest_names(words, called):
    result = called("similar", words.model, "poodel")
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr == "error: unknown entity 'poodel'. Did you mean 'poodle'?\n"


@pytest.mark.parametrize("name", ODD)
def test_names_of_all_sorts_can_be_asked_for(words, name, asked):
    rows = asked("similar", words.model, "-k", 30, "--", name)
    assert {row["entity"] for row in rows} >= set(ODD) - {name}


def test_names_that_the_terminal_cannot_print_are_escaped_and_json_stays_utf8(words):
    latin = {"PYTHONIOENCODING": "latin-1", "LC_ALL": "C", "PYTHONUTF8": "0"}
    result = run("similar", words.model, "brie", "-k", 30, env=latin)
    assert result.returncode == 0
    assert "\\u2603" in result.stdout
    result = run("similar", words.model, "--json", "-k", 30, "--", "-dash", env=latin)
    assert set(ODD) - {"-dash"} <= {row["entity"] for row in json.loads(result.stdout)}


def test_related(words, asked, called):
    found = asked("related", words.model, "sound", "poodle", "-k", 2)
    assert (found[0]["entity"], found[0]["known"], found[1]["known"]) == ("barks", True, False)
    assert "barks" not in [
        row["entity"] for row in asked("related", words.model, "sound", "poodle", "--known", "excluded")
    ]
    result = called("related", words.model, "sounds", "poodle")
    assert result.returncode == 1
    assert "unknown relation 'sounds'; this model has 'sound'" in result.stderr


def test_recommend_to_entities_and_users(shop, asked):
    model = vbn.load(shop.model)
    found = asked("recommend", shop.model, "tea 1", "tea 2", "-k", 3)
    assert found == model.recommend(["tea 1", "tea 2"], 3).to_dicts()
    one = asked("recommend", shop.model, "--user", "u1", "-k", 3, "--popularity", 0.5, "--popularity-floor", 2)
    assert one == model.recommend(user="u1", k=3, popularity=0.5, popularity_floor=2.0).to_dicts()
    both = asked("recommend", shop.model, "--user", "u1", "--user", "u2", "-k", 2)
    assert both == model.recommend(user=["u1", "u2"], k=2).to_dicts()
    assert {row["query"] for row in both} == {"u1", "u2"}


def test_recommend_from_files(shop, tmp_path, asked):
    (tmp_path / "users.txt").write_text("u1\nu4\n\n")
    (tmp_path / "stock.txt").write_text("beer 1\ntea 3\ntea 4\n")
    files = ["--users", "users.txt", "--candidates", "stock.txt", "--include-seen"]
    rows = asked("recommend", shop.model, *files, cwd=tmp_path)
    assert {row["entity"] for row in rows} == {"beer 1", "tea 3", "tea 4"}
    assert [row["query"] for row in rows] == ["u1"] * 3 + ["u4"] * 3
    draws = ["recommend", shop.model, "tea 1", "--explore", "thompson", "--seed"]
    assert asked(*draws, 1) == asked(*draws, 1)


def test_an_unknown_name_in_a_file_is_told_with_the_file(shop, tmp_path, called):
    (tmp_path / "users.txt").write_text("u1\nnobody\n")
    (tmp_path / "stock.txt").write_text("beer 1\ntea 33\n")
    result = called("recommend", shop.model, "--users", "users.txt", cwd=tmp_path)
    assert result.returncode == 1
    assert result.stderr.startswith("error: users.txt: unknown ")
    result = called("recommend", shop.model, "--user", "u1", "--candidates", "stock.txt", cwd=tmp_path)
    assert "stock.txt: unknown entity 'tea 33'. Did you mean 'tea 3'" in result.stderr


def test_what_a_model_cannot_answer_is_wrong_usage(shop, called):
    result = called("similar", shop.model, "tea 1", "--by", "context")
    assert result.returncode == 2
    assert result.stderr.endswith("Use --by cosine.\n")


def test_predict_writes_probabilities_in_the_order_of_the_pairs(words, tmp_path, called):
    pairs = [("poodle", "barks"), ("line\nbreak", "melts"), ("a,b", "bites")]
    write_csv(tmp_path / "pairs.csv", [("left", "right"), *pairs])
    result = called("predict", words.model, "pairs.csv", "--out", "p.csv", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (0, "p.csv\n")
    with (tmp_path / "p.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["left"], row["right"]) for row in rows] == pairs
    expected = vbn.load(words.model).predict_proba(pairs)
    np.testing.assert_allclose([float(row["p"]) for row in rows], expected, rtol=1e-8)
    assert all(0 < float(row["std"]) < 0.5 for row in rows)
    assert called("predict", words.model, "pairs.csv", cwd=tmp_path).stdout.startswith(
        "left,right,p,std\npoodle,barks,0."
    )


def test_predict_a_relation_and_leave_out_what_is_unknown(words, tmp_path, asked, called):
    write_csv(tmp_path / "pairs.csv", [("poodle", "barks"), ("poodle", "moos"), ("brie", "barks")])
    result = called("predict", words.model, "pairs.csv", "--relation", "sound", cwd=tmp_path)
    assert result.returncode == 1
    assert "'moos'" in result.stderr
    assert "--skip-unknown" in result.stderr
    rows = asked("predict", words.model, "pairs.csv", "--relation", "sound", "--skip-unknown", cwd=tmp_path)
    known = [("poodle", "barks"), ("brie", "barks")]
    assert [(row["left"], row["right"]) for row in rows] == known
    expected = vbn.load(words.model).relation_proba("sound", known)
    np.testing.assert_allclose([row["p"] for row in rows], expected)


def test_predict_fails_where_no_pair_is_known(words, tmp_path, called):
    write_csv(tmp_path / "pairs.csv", [("left", "right"), ("cow", "moos"), ("brie", "moos")])
    result = called("predict", words.model, "pairs.csv", "--skip-unknown", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (1, "")
    assert "none of the 2 pairs, such as 'cow' and 'moos'" in result.stderr
    assert "--columns" in result.stderr


def test_predict_asks_which_of_many_columns_hold_the_pair(words, tmp_path, called, asked):
    rows = [
        ("order", "when", "animal", "sound"),
        (1, "2024-01-01", "poodle", "barks"),
        (2, "2024-01-02", "brie", "melts"),
    ]
    write_csv(tmp_path / "orders.csv", rows)
    result = called("predict", words.model, "orders.csv", cwd=tmp_path)
    assert result.returncode == 1
    assert "Say --columns and two of 'order', 'when', 'animal', 'sound'" in result.stderr
    for columns in ("animal,sound", "2,3"):
        answered = asked("predict", words.model, "orders.csv", "--columns", columns, cwd=tmp_path)
        assert [row["left"] for row in answered] == ["poodle", "brie"]


def test_a_first_line_that_may_be_a_header(words, tmp_path, called, asked):
    write_csv(tmp_path / "pairs.csv", [("brie", "melts"), ("poodle", "barks")])
    said = called("predict", words.model, "pairs.csv", cwd=tmp_path).stderr
    assert "--header or --no-header" in said
    assert len(asked("predict", words.model, "pairs.csv", "--no-header", cwd=tmp_path)) == 2
    assert len(asked("predict", words.model, "pairs.csv", "--header", cwd=tmp_path)) == 1
    (row,) = asked("evaluate", words.model, "--task", "pairs", "--data", "pairs.csv", "--no-header", cwd=tmp_path)
    assert row["pairs"] == 2


def test_a_model_without_relations_says_so(shop, tmp_path, called):
    write_csv(tmp_path / "pairs.csv", [("left", "right"), ("u1", "tea 1")])
    for verb in (
        ["related", shop.model, "antonym", "tea 1"],
        ["predict", shop.model, "pairs.csv", "--relation", "antonym"],
        ["evaluate", shop.model, "--task", "relation", "--relation", "antonym", "--data", "pairs.csv"],
    ):
        result = called(*verb, cwd=tmp_path)
        assert result.returncode == 1
        assert "has no relations" in result.stderr


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("nowhere/a.txt", "the folder nowhere does not exist"),
        (".", "it is a folder; give the name of a file"),
        ("taken.txt/a.txt", "is not a folder"),
    ],
)
def test_an_export_that_cannot_be_written_says_why_in_plain_words(file, said, words, tmp_path, called):
    (tmp_path / "taken.txt").write_text("a file")
    result = called("export", words.model, file, cwd=tmp_path)
    assert result.returncode == 1
    assert said in result.stderr
    assert "Errno" not in result.stderr
    assert ".part" not in result.stderr


def test_explain(words, asked, called):
    shown = called("explain", words.model, "poodle").stdout
    assert shown.strip() == str(vbn.load(words.model).explain("poodle"))
    assert asked("explain", words.model, "poodle")["entity"] == "poodle"


def test_senses(words, tmp_path, called, asked):
    from tests.inference.test_senses import data

    model = vbn.VBN(dim=8, epochs=20, verbose=False).fit(data())
    folder = model.save(tmp_path / "banks")
    assert called("senses", folder, "bank", "-k", 2).stdout.strip() == str(model.senses("bank", k=2))
    assert asked("senses", folder, "bank")[0]["sense"] == "land"
    found = asked("senses", folder, "bank", "--context", "money,loan")
    assert (found[0]["sense"], set(found[0])) == ("firm", {"sense", "probability"})
    told = called("senses", words.model, "poodle")
    assert told.returncode == 1
    assert "has one parent, 'dog'" in told.stderr
    assert "vbn train --taxonomy" in told.stderr


def test_export(words, tmp_path, called):
    result = called("export", words.model, "vectors.npz", "--format", "numpy", "--no-categories", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (0, "vectors.npz\n")
    with np.load(tmp_path / "vectors.npz") as arrays:
        assert "poodle" in arrays["names"]
        assert "animal" not in arrays["names"]


def test_add_one_or_many_without_touching_the_model_unless_asked_to(words, tmp_path, called):
    told = ["--parent", "cheese=2", "--context", "melts=3", "--context", "smells", "--context", "x=1"]
    result = called("add", words.model, "=odd=", *told, "--out", tmp_path / "grown")
    assert result.returncode == 0, result.stderr
    grown, model = vbn.load(tmp_path / "grown"), vbn.load(words.model)
    same = model.add("=odd=", parents={"cheese": 2.0}, contexts={"melts": 3.0, "smells": 1.0, "x=1": 1.0})
    np.testing.assert_array_equal(grown.posterior("=odd=").mean, same.posterior("=odd=").mean)
    assert "=odd=" not in vbn.load(words.model).trained_.rows
    write_csv(tmp_path / "new.csv", [("name", "parent"), ("pug", "dog"), ("edam", "cheese"), ("pug", "animal")])
    result = called("add", tmp_path / "grown", "--from", "new.csv", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    taxonomy = vbn.load(tmp_path / "grown").trained_.taxonomy("column")
    assert dict(taxonomy.parents("pug")) == {"dog": 0.5, "animal": 0.5}
    again = called("add", tmp_path / "grown", "pug", "--parent", "dog")
    assert again.returncode == 1
    assert "already" in again.stderr
    assert "partial_fit" not in again.stderr


def test_audit_and_suggested_parents(words, asked, called):
    model = vbn.load(words.model)
    assert asked("audit", words.model, "--min-score", 0) == json.loads(
        json.dumps(model.audit(min_score=0.0).to_dicts())
    )
    assert asked("audit", words.model, "--entity", "poodle", "-k", 2) == model.suggest_parents("poodle", 2).to_dicts()
    assert called("audit", words.model).stdout.split("\n")[0].endswith(("findings", "finding"))
    refused = called("audit", words.model, "--entity", "poodel")
    assert refused.returncode == 1
    assert "poodle" in refused.stderr
