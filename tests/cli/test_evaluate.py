"""`vbn evaluate` and `vbn doctor`: figures as the library gives them, in a table or in JSON."""

import json

import pytest

import vbn
from tests.cli.conftest import write_csv
from vbn import evaluation


@pytest.fixture
def figures(called):
    """Ask for JSON."""

    def ask(*arguments):
        result = called("evaluate", *arguments, "--json")
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    return ask


def test_recommendation_by_how_often_items_were_seen(shop, figures, called):
    rows = figures(shop.model, "--task", "recommendation", "-k", 3, "--k", 5, "--rare", 20)
    assert [(row["model"], row["items"]) for row in rows] == [
        (name, items) for name in ("VBN", "popularity") for items in ("all", "rare", "frequent")
    ]
    assert {"hr@10", "hr@10%", "mpr", "ndcg@10", "recall@3", "recall@5"} <= set(rows[0])
    assert rows[0]["mpr"] > 0.6
    shown = called("evaluate", shop.model, "--task", "recommendation").stdout.splitlines()
    assert shown[0].split()[:5] == ["model", "popularity", "items", "pairs", "hr@10"]
    assert shown[shown.index("") + 1].split()[:3] == ["model", "popularity", "coverage@10"]


def test_positions_of_the_dial_and_no_baseline(shop, figures, called):
    given = ["--task", "recommendation", "--popularity", "0,1.5", "--popularity-floor", 0.5, "--baseline", "none"]
    rows = [row for row in figures(shop.model, *given) if row["items"] == "all"]
    held = vbn.Dataset.from_interactions(shop.model / "held_out.csv")
    expected = evaluation.evaluate_recommendation(
        vbn.load(shop.model), *evaluation.pairs_of(held), popularity=[0.0, 1.5], popularity_floor=0.5, baseline=None
    )
    assert rows == [pytest.approx(row) for row in expected if row["items"] == "all"]
    wrong = called("evaluate", shop.model, "--task", "recommendation", "--popularity", "0;1")
    assert (wrong.returncode, "0,0.25,0.5" in wrong.stderr) == (2, True)


@pytest.mark.filterwarnings("always:.* held-out pairs")
def test_pairs_are_those_held_out_unless_a_file_is_given(shop, tmp_path, figures, called):
    (row,) = figures(shop.model, "--task", "pairs")
    assert row["auc"] > 0.6
    write_csv(tmp_path / "some.csv", [("user", "item"), ("u1", "tea 1"), ("u1", "nothing")])
    result = called("evaluate", shop.model, "--task", "pairs", "--data", tmp_path / "some.csv", "--json")
    (row,) = json.loads(result.stdout)
    assert (row["pairs"], row["unknown"]) == (1, 1)
    assert result.stderr.startswith("warning: 1 of 2 held-out pairs (50%) are left out")


@pytest.mark.filterwarnings("always:.* held-out pairs")
def test_similarity_with_columns_by_name_and_lower_case(words, tmp_path, called):
    rows = [
        ("id", "Word 1", "Word 2", "judged"),
        (1, "Poodle", "beagle", 9),
        (2, "poodle", "BRIE", 1),
        (3, "a", "b", 2),
    ]
    write_csv(tmp_path / "judged.csv", rows)
    given = ["--data", tmp_path / "judged.csv", "--columns", "Word 1,Word 2,judged", "--lowercase"]
    result = called("evaluate", words.model, "--task", "similarity", *given, "--json")
    assert result.stderr.startswith("warning: 1 of 3 held-out pairs")
    (row,) = json.loads(result.stdout)
    assert row == {"spearman": 1.0, "pairs": 2, "unknown": 1}


def test_relation(words, figures):
    given = ["--relation", "sound", "--data", words.folder / "sounds.csv"]
    (row,) = figures(words.model, "--task", "relation", *given)
    pairs = [("poodle", "barks"), ("beagle", "barks"), ("boxer", "barks")]
    expected = evaluation.evaluate_relation(vbn.load(words.model), "sound", *zip(*pairs, strict=True))
    assert row == pytest.approx(expected)


@pytest.fixture
def log(tmp_path):
    """Write a log of two tastes, in which every user comes back on every day."""
    rows = [
        (f"u{u}", f"{'tea' if u % 2 else 'beer'} {(u + 2 * day) % 9}", f"2024-01-0{day + 1}")
        for u in range(40)
        for day in range(5)
    ]
    write_csv(tmp_path / "log.csv", [("user", "item", "when"), *rows])
    return tmp_path


@pytest.mark.parametrize("by", ["time", "last", "user"])
def test_what_is_held_out_by_time_or_user_is_evaluated(log, called, figures, by):
    given = ["log.csv", "--kind", "interactions", "--time", "when", "--hold-out", 0.25, "--hold-out-by", by]
    result = called("train", *given, "--dim", 4, "--epochs", 8, "--out", "model", "--quiet", cwd=log)
    assert result.returncode == 0, result.stderr
    held = vbn.Dataset.from_interactions(log / "model" / "held_out.csv")
    (row, *_) = figures("model", "--task", "recommendation")
    assert row["pairs"] == held.counts.nnz
    assert row["mpr"] > 0.5
    assert (log / "model" / "held_out_known.csv").exists() == (by == "user")
    again = called("train", "--config", "model/train.toml", "--out", "again", "--quiet", cwd=log)
    assert again.returncode == 0, again.stderr
    assert (log / "again" / "held_out.csv").read_text() == (log / "model" / "held_out.csv").read_text()
    if by == "user":
        named = ["--data", "model/held_out.csv", "--fold-in", "model/held_out_known.csv"]
        assert figures("model", "--task", "recommendation", *named)[0] == row
        plain = ["log.csv", "--kind", "interactions", "--epochs", 2, "--hold-out", 0.1, "--out", "model", "--quiet"]
        assert called("train", *plain, cwd=log).returncode == 0
        assert not (log / "model" / "held_out_known.csv").exists()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--hold-out", 0.2, "--hold-out-by", "time"], "needs --time"),
        (["--time", "when", "--hold-out-by", "time"], "give --hold-out"),
        (["--time", "whne"], "Did you mean 'when'?"),
    ],
)
def test_a_split_that_cannot_be_made_is_refused(log, called, given, told):
    result = called("train", "log.csv", "--kind", "interactions", *given, "--out", "model", cwd=log)
    assert result.returncode > 0
    assert told in result.stderr


def test_co_occurrences_do_not_tell_what_is_held_out(log, called):
    given = ["log.csv", "--kind", "interactions", "--hold-out", 0.3, "--co-occurrences", 1, "--epochs", 1]
    result = called("train", *given, "--out", "model", "--quiet", cwd=log)
    assert result.returncode == 0, result.stderr
    data, held = vbn.load(log / "model").data_, vbn.Dataset.from_interactions(log / "model" / "held_out.csv")
    baskets = {}
    for user, item in zip(*evaluation.pairs_of(data), strict=True):
        baskets.setdefault(user, set()).add(item)
    assert {*evaluation.pairs_of(held)[0]} <= {name for name in baskets if name.startswith("u")}
    users = [items for name, items in baskets.items() if name.startswith("u")]
    together = sum(len(items) * (len(items) - 1) for items in users)
    assert sum(map(len, users)) + together == data.counts.total


def test_doctor_tells_what_is_installed_and_that_it_works(called):
    result = called("doctor", "--json")
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["versions"]["vbn"] == vbn.__version__
    assert {"numpy", "numba", "scipy", "typer"} <= set(found["versions"])
    assert found["self-test"]["result"] == "passed"
    assert "pandas" in found["extras"]["tables"]
    shown = called("doctor", "--no-self-test").stdout
    assert "self-test" not in shown
    assert "cache writable" in shown


@pytest.mark.filterwarnings("always")  # as in a shell, where they are told
def test_a_future_period_is_read_as_the_training_was(tmp_path, called):
    rated = [(f"u{n % 9}", f"i{n * n % 11}", 5 - 4 * (n % 3 == 0)) for n in range(80)]
    write_csv(tmp_path / "ratings.csv", [("user", "item", "rating"), *rated])
    fast = ("--dim", 3, "--epochs", 3, "--out", "m")
    assert called("train", "ratings.csv", "--min-weight", 3.5, *fast, cwd=tmp_path).returncode == 0
    write_csv(tmp_path / "future.csv", [("user", "item", "rating"), ("", "i1", 5), *rated])
    told = called("evaluate", "m", "--task", "recommendation", "--data", "future.csv", "--include-seen", cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    assert "1 row without a name is left out, at line 2 of future.csv" in told.stderr
    assert "53 of 80 rows of future.csv count: those with 'rating' of at least 3.5, as in training" in told.stderr
