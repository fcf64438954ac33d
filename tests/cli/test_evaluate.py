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
    assert [row["items"] for row in rows] == ["all", "rare", "frequent"]
    assert {"hr@10", "hr@10%", "mpr", "ndcg@10", "recall@3", "recall@5"} <= set(rows[0])
    assert rows[0]["mpr"] > 0.6
    shown = called("evaluate", shop.model, "--task", "recommendation").stdout.splitlines()
    assert shown[0].split()[:3] == ["items", "pairs", "hr@10"]


def test_pairs_are_those_held_out_unless_a_file_is_given(shop, tmp_path, figures):
    (row,) = figures(shop.model, "--task", "pairs")
    assert row["auc"] > 0.6
    write_csv(tmp_path / "some.csv", [("user", "item"), ("u1", "tea 1"), ("u1", "nothing")])
    (row,) = figures(shop.model, "--task", "pairs", "--data", tmp_path / "some.csv")
    assert (row["pairs"], row["unknown"]) == (1, 1)


def test_similarity_with_columns_by_name_and_lower_case(words, tmp_path, figures):
    rows = [
        ("id", "Word 1", "Word 2", "judged"),
        (1, "Poodle", "beagle", 9),
        (2, "poodle", "BRIE", 1),
        (3, "a", "b", 2),
    ]
    write_csv(tmp_path / "judged.csv", rows)
    given = ["--data", tmp_path / "judged.csv", "--columns", "Word 1,Word 2,judged", "--lowercase"]
    (row,) = figures(words.model, "--task", "similarity", *given)
    assert row == {"spearman": 1.0, "pairs": 2, "unknown": 1}


def test_relation(words, figures):
    given = ["--relation", "sound", "--data", words.folder / "sounds.csv"]
    (row,) = figures(words.model, "--task", "relation", *given)
    pairs = [("poodle", "barks"), ("beagle", "barks"), ("boxer", "barks")]
    expected = evaluation.evaluate_relation(vbn.load(words.model), "sound", *zip(*pairs, strict=True))
    assert row == pytest.approx(expected)


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
