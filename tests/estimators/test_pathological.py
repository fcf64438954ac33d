"""Data as nobody wishes it: a model is trained all the same, or the error says why not."""

import numpy as np
import pytest

import vbn
from vbn._errors import VBNWarning


def fitted(data, **options):
    return vbn.VBN(**({"dim": 4, "epochs": 3, "negatives": 2, "verbose": False} | options)).fit(data)


def finite(model):
    return all(np.isfinite(array).all() for array in model.trained_.posterior.arrays().values())


def test_one_cell():
    model = fitted(vbn.Dataset.from_pairs(["a"], ["b"]))
    assert finite(model)
    assert 0 < model.predict_proba([("a", "b")])[0] < 1


def test_one_entity_beside_itself():
    model = fitted(vbn.Dataset.from_pairs(["a"], ["a"], [5.0]))
    assert finite(model)
    assert model.similar("a").entities == []


def test_all_pairs_equal():
    model = fitted(vbn.Dataset.from_pairs(["a"] * 1000, ["b"] * 1000))
    assert finite(model)
    assert model.predict_proba([("a", "b")])[0] == pytest.approx(1 / 3, abs=0.05)  # noise falls nowhere else


def test_a_star():
    leaves = [f"leaf{n}" for n in range(3000)]
    model = fitted(vbn.Dataset.from_pairs(["hub"] * len(leaves), leaves))
    assert finite(model)
    assert set(model.recommend(["leaf0"], 3).entities) <= {"hub", *leaves}


def test_a_million_entities_with_one_pair_each():
    n = 500_000
    left, right = np.arange(n), np.arange(n) + n
    names = np.array([f"e{k}" for k in range(2 * n)])
    model = fitted(vbn.Dataset.from_pairs(names[left], names[right]), epochs=1, negatives=1)
    assert finite(model)
    assert len(model.similar("e0", 5).entities) == 5
    assert 0 <= model.predict_proba([("e7", f"e{n + 7}")])[0] <= 1


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_counts_of_a_trillion(dtype):
    left, right = ["a", "a", "b", "c"], ["b", "c", "c", "a"]
    model = fitted(vbn.Dataset.from_pairs(left, right, [1e12, 1.0, 1e-3, 1e12]), epochs=10, dtype=dtype)
    assert finite(model)
    assert model.predict_proba([("a", "b")])[0] > model.predict_proba([("b", "b")])[0]


def test_a_taxonomy_a_thousand_levels_deep():
    edges = {f"n{k}": [f"n{k + 1}"] for k in range(1000)}
    data = vbn.Dataset.from_pairs(["n0", "x", "n0"], ["x", "n0", "y"]).with_taxonomy(edges)
    model = fitted(data)
    assert finite(model)
    model.add("cousin", parents=["n500"])
    assert 0 <= model.predict_proba([("cousin", "x")])[0] <= 1


def test_a_parent_of_a_hundred_thousand_children():
    children = [f"child{n}" for n in range(100_000)]
    data = vbn.Dataset.from_pairs([*children[:500], "x"], ["x"] * 500 + ["child0"])
    model = fitted(data.with_taxonomy({name: ["mother"] for name in children}), epochs=1)
    assert finite(model)
    p, std = model.predict_proba([("child99999", "x")], return_std=True)
    assert 0 < p[0] < 1
    assert std[0] > 0


MILLION, EVERY = 1_000_000, 1000
BROKEN = {
    "one field": b"only one field",
    "more fields": b"u1,i1,3,and,more",
    "quote that is not closed": b'"never closed,i2,3',
    "quote within quotes": b'"u"1,i1,3',
    "no user": b",i1,2",
    "no item": b"u1,,2",
    "no number": b"u1,i1,none",
    "no weight": b"u1,i1,",
    "negative": b"u1,i1,-1",
    "not finite": b"u1,i1,inf",
    "no UTF-8": b"u\x81,i1,1",
    "NUL": b"u\0,i1,1",
}


@pytest.fixture(scope="module")
def million():
    rng = np.random.default_rng(0)
    users, items = rng.integers(5000, size=MILLION).tolist(), rng.integers(800, size=MILLION).tolist()
    return [b"u%d,i%d,1" % pair for pair in zip(users, items, strict=True)]


def written(path, lines, broken):
    """A file with a header in which every thousandth row is one of these, in turn."""
    lines = lines.copy()
    lines[EVERY - 1 :: EVERY] = [broken[number % len(broken)] for number in range(len(lines) // EVERY)]
    path.write_bytes(b"\n".join([b"user,item,weight", *lines, b""]))
    return path


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_of_a_thousand_broken_rows_in_a_million_the_first_is_named(broken, million, tmp_path):
    with pytest.raises(vbn.DataError, match=rf"\bline {EVERY + 1} of rows\.csv") as caught:
        vbn.Dataset.from_interactions(written(tmp_path / "rows.csv", million, [broken]), missing="error")
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("nameless", [BROKEN["no user"], BROKEN["no item"]])
def test_a_thousand_nameless_rows_in_a_million_are_left_out_with_a_warning(nameless, million, tmp_path):
    with pytest.warns(VBNWarning, match=rf"1,000 rows .*line {EVERY + 1} of rows\.csv"):
        data = vbn.Dataset.from_interactions(written(tmp_path / "rows.csv", million, [nameless]))
    assert data.counts.total == MILLION - MILLION // EVERY


def test_a_thousand_blank_rows_in_a_million_count_for_nothing(million, tmp_path):
    data = vbn.Dataset.from_interactions(written(tmp_path / "rows.csv", million, [b""]))
    assert data.counts.total == MILLION - MILLION // EVERY
