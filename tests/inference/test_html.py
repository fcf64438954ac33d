"""Tables in notebooks: HTML with everything escaped, for all small tables."""

from html.parser import HTMLParser

import pytest

import vbn
from vbn import evaluation
from vbn.inference import Audit, Finding, Related, Table, Tables, html_table

EVIL = '<img src=x onerror="alert(1)">'


class Checker(HTMLParser):
    """Collects tags and text, and refuses tags that a table does not have."""

    def __init__(self):
        super().__init__()
        self.open, self.text = [], []

    def handle_starttag(self, tag, attrs):
        assert tag in {"table", "thead", "tbody", "tr", "th", "td", "pre", "caption"}
        assert {name for name, _ in attrs} <= {"style", "colspan"}
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read(table):
    checker = Checker()
    checker.feed(table if isinstance(table, str) else table._repr_html_())
    checker.close()
    assert not checker.open
    return checker.text


@pytest.fixture(scope="module")
def model():
    users, items = ["ann", "ann", EVIL, EVIL, "cem", "cem"] * 9, ["tea", EVIL, "tea", "nuts", "beer", "nuts"] * 9
    data = vbn.Dataset.from_interactions(users, items).with_taxonomy({EVIL: ["<b>kind</b>"], "tea": ["<b>kind</b>"]})
    return vbn.VBN(dim=3, epochs=5, verbose=False).fit(data)


def test_answers_are_tables_with_what_they_measure(model):
    table = model.recommend(["tea"], k=5, popularity=0.0)
    text = read(table)
    assert text[:3] == ["entity", "p", "std"]
    assert EVIL in text
    assert f"{table.scores[0]:.4g}" in text
    assert EVIL in read(model.recommend(user=[EVIL, "cem"], k=2))
    assert EVIL in read(model.similar("tea", k=3))
    assert EVIL in read(model.audience("nuts", k=3, exclude_seen=False))


def test_explanations_audits_and_figures_are_shown_too(model):
    assert f"{EVIL}: seen" in "".join(read(model.explain(EVIL)))
    assert EVIL in "".join(read(model.explain(EVIL, EVIL)))
    assert "<b>kind</b>" in "".join(read(model.explain("cem", EVIL)))
    read(model.audit())
    assert EVIL in read(Audit([Finding("contradicted", EVIL, "a", None, 1.0, "", (EVIL,))], 3))
    rows = evaluation.evaluate_recommendation(model, ["cem"], ["tea"])
    assert rows == list(rows)
    assert {"model", "VBN", "popularity", "mpr"} <= set(read(rows))
    assert "auc" in read(evaluation.evaluate_pairs(model, ["ann"], ["tea"]))
    assert "predicted" in read(model.reliability([("ann", "tea"), ("cem", "beer")]))


def test_labels_known_pairs_missing_values_and_long_tables():
    table = Table(["a", "b"], [0.5, 0.25], [0.1, 0.1], "p", labels=[EVIL, None])
    assert read(table)[:6] == ["entity", "label", "p", "std", "a", EVIL]
    assert EVIL in read(Tables([table, table]))
    assert "yes" in read(Related(["a"], [0.5], [0.1], [True]))
    assert read(html_table({"x": [float("nan"), 1.5], "y": [None, "z"]})) == ["x", "y", "1.5", "z"]
    assert read(html_table({"x": range(1200)}))[-1] == "and 1,100 more"
