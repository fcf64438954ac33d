"""The opening page: the paper's tables over all domains, and what the results show, computed from them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reproduction.claims import FAILS, HOLDS, IN_PART, claims
from reproduction.opening import AS_IN_THE_PAPER, opening
from reproduction.paper_numbers import INFERENCE, SIMILARITY
from reproduction.results import Cell, DomainResult, Picture, Row, Series, Table, Verdicts

FOUR = ("HR@10% full", "MPR full", "HR@10% rare", "MPR rare")
AHEAD, LEVEL, BEHIND = (2.0, 1.0, 3.0), (0.5, -1.0, 2.0), (-2.0, -3.0, -1.0)


def line(domain, model, name, values, **more):
    papers = [INFERENCE.get((domain, model, *title.split(" "))) for title in FOUR]
    return Row(name, tuple(Cell(v, 0.1, p) for v, p in zip(values, papers, strict=True)), **more)


def domain(name="movies", verdict=AHEAD, rare=AHEAD, remarks=("dial 0", "dominated", "dominated", "not dominated")):
    """A domain whose verdicts are what a test wants."""
    rows = (
        line(name, "VBN", "VBN", (40.0, 80.0, 25.0, 65.0), ours=True),
        line(name, "SG", "SG", (30.0, 70.0, 26.0, 55.0)),
        line(name, "", "VBN, items x items", (50.0, 90.0, 30.0, 70.0), ours=True, ranks=False),
    )
    everything = Table("All", ("MPR among cold",), (Row("VBN", (Cell(70.0),), ours=True), Row("CMF", (Cell(60.0),))))
    tail = Picture(
        "t",
        "",
        "",
        "tenth",
        "HR",
        (Series("VBN", (0.0,), (5.0,), ours=True), *(Series(f"r{n}", (0.0,), (float(n),)) for n in range(6))),
        role="long tail",
    )
    return DomainResult(
        name,
        name.title(),
        tables=(Table("The paper's models", FOUR, rows, role="inference"), everything),
        verdicts=(
            Verdicts("", FOUR, ("SG", "SG-R"), ((verdict, verdict, rare, rare),) * 2, role="inference"),
            Verdicts("", FOUR, ("SG", "SG-R"), ((BEHIND,) * 4,) * 2, role="as in the paper"),
            Verdicts("", FOUR, ("SG", "ALS"), ((verdict,) * 4, (AHEAD,) * 4), role="all"),
            Verdicts(
                "", FOUR, ("ALS",), ((AHEAD,) * 4,), role="dominance", about=("a", "b", "c", "d"), remarks=(remarks,)
            ),
        ),
        pictures=(tail,),
    )


def words(average=46.0, with_relations=5.0):
    sets = ("RW", "AVG")
    rows = [
        Row(model, tuple(Cell(value, 0.1, SIMILARITY[model, name, part]) for name in sets), group)
        for group, part in (("known pairs", "full"), ("rare pairs", "rare"))
        for model, value in (("VBN", average), ("BSG", 30.0))
    ]
    antonyms = Table(
        "A",
        ("MPR",),
        (Row("VBN", (Cell(93.0, paper=92.5),)), Row("VBN w/o relations", (Cell(93.0 - with_relations, paper=76.1),))),
        role="antonyms",
    )
    return DomainResult(
        "words",
        "Words",
        tables=(Table("S", sets, tuple(rows), role="similarity", grouped=True), antonyms),
        verdicts=(
            Verdicts(
                "", ("known", "rare"), ("BSG", "Graph alone"), ((AHEAD, AHEAD), (AHEAD, LEVEL)), role="similarity"
            ),
        ),
    )


def found(results, start):
    return next(claim for claim in claims(results) if claim.what.startswith(start))


def test_the_big_table_has_every_domain_beside_the_paper_and_a_winner_for_each_figure():
    first = opening((domain(), domain("music"), words()))
    table = next(table for table in first.tables if table.role == "inference")
    assert table.columns == ("Movies full", "Music full", "Movies rare", "Music rare")
    assert [row.name for row in table.rows] == ["VBN", "SG", AS_IN_THE_PAPER] * 2
    assert table.rows[0].cells[0] == Cell(40.0, 0.1, 39.4)
    assert table.rows[0].cells[2] == Cell(25.0, 0.1, 25.1)
    assert table.winners() == ({0, 3}, {0, 3}, {1, 3}, {1, 3})  # a second line of ours takes no part
    assert table.rows[5].cells[3].value == 70.0


def test_word_similarity_stands_by_itself_where_other_domains_are_missing():
    first = opening((words(),))
    assert [table.role for table in first.tables] == ["similarity", "antonyms"]
    assert [row.name for row in first.tables[0].rows] == ["VBN", "BSG"] * 2
    assert not first.pictures


def test_nothing_is_claimed_of_what_was_not_run():
    assert claims(()) == ()
    quick = replace(domain(), verdicts=(), tables=())
    assert claims((quick,)) == ()


@pytest.mark.parametrize(
    ("verdict", "word", "tally"),
    [
        (AHEAD, HOLDS, "16 ahead, 0 level, 0 behind"),
        (LEVEL, IN_PART, "8 ahead, 8 level, 0 behind"),
        (BEHIND, IN_PART, "8 ahead, 0 level, 8 behind"),
    ],
)
def test_claims_about_the_paper_follow_the_intervals(verdict, word, tally):
    claim = found((domain(), domain("music", verdict, verdict)), "VBN is ahead of SG, SG-R, BSG and BSG-R in every")
    assert claim.verdict == word
    assert tally in claim.found
    assert ("Behind" in claim.details[1]) == (verdict == BEHIND)


def test_ours_as_the_paper_asks_it_has_a_claim_of_its_own():
    claim = found((domain(),), "VBN is ahead of SG, SG-R, BSG and BSG-R also")
    assert claim.verdict == FAILS
    assert "0 ahead, 0 level, 8 behind" in claim.found


def test_margins_are_compared_within_a_domain():
    larger = found((domain(rare=(9.0, 8.0, 10.0)),), "The margin")
    assert larger.verdict == HOLDS
    assert "+2.0 points on all targets and +9.0 on rare" in larger.found
    assert found((domain(rare=BEHIND),), "The margin").verdict == FAILS


def test_dominance_is_counted_at_all_three_choices_of_the_position():
    claim = found((domain(),), "One VBN and its dial")
    assert claim.verdict == HOLDS
    assert "c 1 dominated; d 1 not dominated" in claim.details[0]
    worse = domain(remarks=("dial 0", "level or better", "level or better", "not dominated"))
    assert found((worse,), "One VBN and its dial").verdict == FAILS
    assert "ALS (level or better)" in found((worse,), "One VBN and its dial").details[0]


def test_being_behind_anybody_anywhere_is_said():
    assert found((domain(),), "As tabulated").verdict == HOLDS
    claim = found((domain(verdict=BEHIND),), "As tabulated")
    assert claim.verdict == IN_PART
    assert "Behind: SG in 4" in claim.details[0]


def test_bars_of_words_are_those_set_beforehand():
    assert found((words(),), "Word similarity reaches").verdict == HOLDS
    assert found((words(average=40.0),), "Word similarity reaches").verdict == IN_PART  # RW is reached, the average not
    assert "Graph alone (level)" in found((words(),), "Word similarity: VBN").details[1]
    assert found((words(),), "Antonyms: VBN is above the paper").verdict == HOLDS
    assert found((words(with_relations=-1.0),), "Antonyms: VBN is above every").verdict == FAILS


def test_cold_items_are_won_against_the_best_rival():
    assert "VBN 70.0, next best CMF 60.0" in found((domain(),), "VBN tells").details[0]


def test_the_long_tail_names_the_strongest_rivals_only():
    picture = opening((domain(), domain("music"))).pictures[0]
    assert {series.frame for series in picture.series} == {"Movies", "Music"}
    named = [series.name for series in picture.series if series.frame == "Music" and not series.faint]
    assert named == ["r5", "r4", "r3", "r2", "VBN"]
