"""Remedies in the words of the command line."""

import pytest

import vbn
from vbn import DataError, UnknownEntityError
from vbn.cli import in_options, told

TRAIN = {"--drop-missing", "--skip-unknown", "--drop-cycles", "--columns", "--header", "--no-header", "--delimiter"}
ASK = {"--side", "--user", "--query", "--include-seen", "--by", "--json"}


@pytest.mark.parametrize(
    ("message", "remedies", "options", "said"),
    [
        ("a row: pass {remedy}.", [("side", "row")], ASK, "a row: pass --side row."),
        ("pass {remedy} to leave it out", [("missing", "drop")], TRAIN, "pass --drop-missing to leave it out"),
        ("pass {remedy}", [("missing", "skip")], TRAIN, "pass --skip-unknown"),
        ("pass {remedy}", [("break_cycles", "drop")], TRAIN, "pass --drop-cycles"),
        ("pass {remedy}", [("levels", [["a", "b"], ["c d"]])], {"--levels"}, "pass --levels a,b --levels 'c d'"),
        (
            "pass {remedy} or {remedy}",
            [("header", True), ("header", False)],
            TRAIN,
            "pass --header or --no-header",
        ),
        ("pass {remedy} if so", [("delimiter", " ")], TRAIN, "pass --delimiter ' ' if so"),
        ("pass it as {remedy}.", [("user",)], ASK, "pass it as --user."),
        ("{remedy} must be finite", [("popularity", float("nan"))], None, "--popularity nan must be finite"),
        (
            "Pass {remedy}, or save it with {remedy}.",
            [("exclude_seen", False), ("counts", True)],
            ASK,
            "Pass --include-seen, or save it with vbn train without --no-counts.",
        ),
        (
            "use {remedy}, or train with {remedy}.",
            [("query", "fold_in"), ("", "data.with_co_occurrences()")],
            ASK,
            "use --query fold_in, or train with --co-occurrences 1.",
        ),
        ("several; name one with {remedy}", [("weights",)], TRAIN, "several; name one with --columns"),
        (
            "these look like times; pass {remedy} if they are, or {remedy} to leave them out",
            [("columns", {"left": 0, "right": 2, "counts": "a b"}), ("columns", {"left": 0, "right": "x,y"})],
            TRAIN,
            "these look like times; pass --columns '0,2,a b' if they are, or --columns '0,\"x,y\"' to leave them out",
        ),
    ],
)
def test_parameters_become_options(message, remedies, options, said):
    assert in_options(DataError(message, remedies=remedies), options) == said


@pytest.mark.parametrize(
    ("message", "remedies", "said"),
    [
        ("no name in line 3; pass {remedy} to leave it out", [("missing", "drop")], "no name in line 3"),
        ("no name in line 3; fill it in, or pass {remedy}.", [("missing", "drop")], "no name in line 3; fill it in."),
        ("too many. {remedy} sets that number; None takes all", [("max_basket",)], "too many."),
        ("it cannot be read (pass {remedy}); check it.", [("header", True)], "it cannot be read; check it."),
        ("taken already; choose another, or use {remedy}.", [("", "partial_fit()")], "taken already; choose another."),
        ("{remedy} must be a number.", [("smoothing", "x")], "smoothing='x' must be a number."),
    ],
)
def test_an_option_that_the_verb_does_not_have_is_not_recommended(message, remedies, said):
    assert in_options(DataError(message, remedies=remedies), ASK) == said


def test_a_name_known_on_the_other_side_comes_with_the_option(shop, called):
    assert called("similar", shop.model, "u1").stderr.endswith("it is the name of a row: pass --side row.\n")
    assert called("recommend", shop.model, "u1").stderr.endswith("it is the name of a row: pass it as --user.\n")
    error = UnknownEntityError("{remedy}", (), elsewhere="pass {remedy}", remedies=[("side", "row")])
    assert in_options(error, ASK) == "unknown entity '{remedy}'; pass --side row."


def test_content_that_the_training_did_not_have_names_the_option_of_another_verb(shop, called):
    assert called("add", shop.model, "x", "--features", "1,2").stderr.endswith("again with vbn train --features.\n")
    assert called("add", shop.model, "x", "--text", "warm").stderr.endswith("again with vbn train --text.\n")


def test_what_only_python_can_do_is_not_recommended(shop, called):
    assert called("train", "nowhere", "--kind", "pairs", "--out", "m").stderr.endswith("'nowhere'; check the path\n")
    assert called("add", shop.model, "tea 1").stderr.endswith("'tea 1'; choose another name.\n")


def test_a_name_of_the_other_side_in_a_file_comes_with_the_file_and_the_option(shop, tmp_path, called):
    (tmp_path / "users.txt").write_text("u1\ntea 1\n", encoding="utf-8")
    said = called("recommend", shop.model, "--users", "users.txt", cwd=tmp_path).stderr
    assert said.startswith("error: users.txt: unknown entity 'tea 1'; it is the name of a column")
    assert said.endswith("not as --user; to leave out unknown users, pass --skip-unknown.\n")


def test_an_error_of_several_lines_is_one_and_a_name_keeps_its_spaces():
    assert told(DataError("did you mean\n  '  two  words  '?")) == "error: did you mean '  two  words  '?"


@pytest.mark.filterwarnings("default::UserWarning")
def test_a_warning_is_told_with_options(tmp_path, called):
    (tmp_path / "pairs.csv").write_text("left,right\na,b\nb,a\n", encoding="utf-8")
    assert called("train", "pairs.csv", "--kind", "pairs", "--dim", 2, "--epochs", 1, "-q", "--out", "m", cwd=tmp_path)
    said = called("add", "m", "new", cwd=tmp_path).stderr
    assert said.startswith("warning: nothing is known of 'new'")
    assert "new" in vbn.load(tmp_path / "m").trained_.rows
