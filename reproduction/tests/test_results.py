"""Results as plain data."""

from __future__ import annotations

import json

from reproduction.results import Cell, DomainResult, Picture, Row, Series, Table, Texts, Verdicts

TABLE = Table(
    "HR and MPR",
    ("HR", "MPR", "seconds", "cases"),
    (
        Row("VBN", (Cell(80.2, 0.3, 39.4), Cell(93.0, 0.1), Cell(20.0), Cell(9.0)), ours=True),
        Row("ALS", (Cell(80.3, 0.2), Cell(92.2), Cell(5.0), Cell(10.0)), "today"),
        Row("CMF", (Cell(), Cell(), Cell(), Cell()), note="not installed"),
        Row("an oracle", (Cell(100.0), Cell(100.0), Cell(0.0), Cell(0.0)), ranks=False),
    ),
    best=("high", "high", "low", "none"),
)
RESULT = DomainResult(
    "movies",
    "Movies",
    "MovieLens 1M",
    (TABLE,),
    (Verdicts("against all", ("HR",), ("ALS", "CMF"), (((0.1, -0.2, 0.4),), (None,))),),
    (Texts("Neighbours", ("VBN",), (("Heat",),)),),
    (Picture("bins", "Long tail", "", "bin", "HR", (Series("VBN", (0.0, 1.0), (50.0, 60.0), ours=True),), ("1", "2")),),
    ("CMF is not installed",),
    {"cases": 12075},
)


def test_results_survive_json():
    assert DomainResult.from_dict(json.loads(json.dumps(RESULT.to_dict()))) == RESULT


def test_winners_are_the_best_of_those_that_take_part():
    assert TABLE.winners() == ({1}, {0}, {1}, set())


def test_figures_that_look_the_same_share_the_mark_unless_all_do():
    rows = tuple(Row(name, (Cell(value), Cell(0.0))) for name, value in (("a", 80.04), ("b", 79.96), ("c", 79.0)))
    assert Table("", ("HR", "MPR"), rows).winners() == ({0, 1}, set())


def test_groups_can_have_winners_of_their_own():
    rows = tuple(Row("m", (Cell(value),), group) for value, group in ((1.0, "full"), (2.0, "full"), (0.5, "rare")))
    assert Table("", ("HR",), rows, grouped=True).winners() == ({1, 2},)
    assert Table("", ("HR",), rows).winners() == ({1},)
