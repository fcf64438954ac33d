"""What is forgotten is gone: from the model, from its data, and from every byte of its folder."""

import csv

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vbn
from vbn.data import without_entities

FAST = {"dim": 4, "epochs": 4, "negatives": 2, "verbose": False, "favour": None}
SECRET = "Zebulon Quagmire"
LABEL = "the Honourable Z. Q."


def shop(**options):
    """Users and items with categories on both sides, labels and features; one user has a name of its own."""
    rng = np.random.default_rng(3)
    users = [f"u{i}" for i in rng.integers(0, 12, 150)] + [SECRET] * 6
    items = [f"i{j}" for j in rng.integers(0, 9, 150)] + [f"i{j}" for j in range(6)]
    data = vbn.Dataset.from_interactions(users, items)
    data = data.with_catalogue({"user": [SECRET, "u1", "u2"], "name": [LABEL, "U", "V"]}, side="row", id="user")
    data = data.with_taxonomy({"u1": ["north"], "u2": ["north", "south"], SECRET: ["south"]}, side="row")
    data = data.with_taxonomy({f"i{j}": [f"c{j % 3}"] for j in range(9)} | {"c0": "all", "c1": "all"})
    values = np.random.default_rng(1).normal(size=(len(data.rows), 3)).astype(np.float32)
    data = data.with_features(values, list(data.rows.names), side="row", name="survey")
    return vbn.VBN(**FAST, **options).fit(data)


def words():
    text = [["a", SECRET, "barks"], ["a", "cat", "purrs"], ["the", "dog", "barks"]] * 8
    data = vbn.Dataset.from_sequences(text).with_taxonomy({SECRET: ["dog"], "poodle": [SECRET, "dog"], "cat": ["pet"]})
    data = data.with_relation("sound", [(SECRET, "barks"), ("cat", "purrs"), ("dog", "barks")])
    return vbn.VBN(**FAST).fit(data)


def found_in(folder, *texts):
    """Return the files that hold any of some texts."""
    return sorted(
        str(file.relative_to(folder))
        for file in folder.rglob("*")
        if file.is_file() and any(text.encode() in file.read_bytes() for text in texts)
    )


def densities(model, side, names):
    half = model.trained_.halves(side)[0]
    ids = half.names.ids(names)
    return half.block.mean[ids].tobytes() + half.block.variance[ids].tobytes() + half.block.rate[ids].tobytes()


@pytest.mark.parametrize("side", ["row", "column"])
def test_others_stay_as_they_are(side):
    model = shop()
    name = SECRET if side == "row" else "i3"
    others = {each: [n for n in model.trained_.vocabulary(each).names if n != name] for each in ("row", "column")}
    before = {each: densities(model, each, names) for each, names in others.items()}
    total = model.data_.counts.total
    asked = [(user, "i1") for user in ("u1", "u2", "u3")]
    p = model.predict_proba(asked)
    own = model.data_.counts.row_sums()[model.data_.rows.id(SECRET)]
    model.forget(name, side=side)
    assert {each: densities(model, each, names) for each, names in others.items()} == before
    assert name not in model.trained_.vocabulary(side)
    with pytest.raises(vbn.UnknownEntityError):
        model.posterior(name, side=side)
    if side == "row":
        assert model.data_.counts.total == total - own
        np.testing.assert_array_equal(model.predict_proba(asked), p)
        assert LABEL not in model.trained_.rows
    assert model.data_.rows is model.trained_.rows
    assert model.data_.columns is model.trained_.columns


def test_counts_of_others_are_those_of_data_without_it():
    data = shop().data_
    kept = np.array([name != SECRET for name in data.rows])
    left = without_entities(data, kept, np.ones(len(data.columns), dtype=bool))
    rng = np.random.default_rng(3)
    fresh = vbn.Dataset.from_interactions(
        [f"u{i}" for i in rng.integers(0, 12, 150)], [f"i{j}" for j in rng.integers(0, 9, 150)]
    )
    for side in ("rows", "columns"):
        was, now = getattr(fresh, side), getattr(left, side)
        np.testing.assert_allclose(now.counts[now.ids(was.names)], was.counts)
    assert left.counts.total == fresh.counts.total
    assert left.row_features.sources[0].taken(slice(None)).shape == (len(left.rows), 3)


@pytest.mark.parametrize("kind", [shop, words])
def test_no_byte_of_the_folder_has_the_name(kind, tmp_path):
    model = kind()
    folder = model.save(tmp_path / "m")
    shared = model.trained_.shared
    titles = ("left", "right", "count") if shared else ("user", "item", "weight")
    rows = [titles, (SECRET, "i1", 1), ("u1", "i2", 1), ("u1", SECRET, 1)]
    for name in ("held_out.csv", "held_out_known.csv"):
        with (folder / name).open("w", newline="") as stream:
            csv.writer(stream).writerows(rows)
    (folder / "layout.npz").write_bytes(b"places of all")
    again = vbn.load(folder).set_params(checkpoint=folder / "checkpoint", verbose=False)
    again.fit(again.data_).set_params(checkpoint=None).save(folder)
    assert len(found_in(folder, SECRET)) >= 4
    again.forget(SECRET, side="column" if shared else "row").save(folder)
    held_out = (folder / "held_out.csv").read_text()
    assert "u1,i2" in held_out
    if shared:
        assert found_in(folder, SECRET) == []
    else:  # an item of the same name is another entity
        assert found_in(folder, SECRET) == ["held_out.csv", "held_out_known.csv"]
        assert f"{SECRET},i1" not in held_out
        assert found_in(folder, LABEL) == []
    assert not (folder / "layout.npz").exists()
    assert not (folder / "checkpoint").exists()
    assert SECRET not in vbn.load(folder).trained_.rows


def test_edges_relations_and_children_go_on_without_it():
    model = words().forget(SECRET)
    trained = model.trained_
    assert trained.column_taxonomy.parents("poodle") == [("dog", 1.0)]
    assert len(model.data_.relations["sound"]) == 2
    assert len(model.related("sound", "dog", k=2)) == 2
    expected = trained.posterior.u.hierarchy.mean[trained.row_side.graph.category_of[trained.rows.id("dog")]]
    np.testing.assert_allclose(model.posterior("poodle").mean, expected, rtol=1e-5)  # cold: where its parent is
    assert model.partial_fit(vbn.Dataset.from_sequences([["a", "wolf", "barks"]])).posterior("wolf").dim == 4


@pytest.mark.parametrize("parents", ["blend", "mixture"])
@pytest.mark.parametrize("space", ["readout", "joint"])
def test_all_priors_and_relations_go_on_without_a_child_and_a_parent(parents, space, tmp_path):
    rng = np.random.default_rng(5)
    text = [[f"w{a}" for a in rng.integers(0, 12, 6)] for _ in range(60)]
    data = vbn.Dataset.from_sequences(text).with_taxonomy({f"w{a}": [f"c{a % 4}", f"d{a % 3}"] for a in range(12)})
    data = data.with_features({f"w{a}": rng.normal(size=3) for a in range(9)}, name="text")
    data = data.with_relation("next", [(f"w{a}", f"w{a + 1}") for a in range(8)])
    model = vbn.VBN(**FAST, parents=parents, relation_space=space).fit(data)
    others = [f"w{a}" for a in range(12) if a != 3]

    def means():
        own = [model.posterior(name, role="entity").mean for name in others]
        return np.array([*own, *(model.posterior(name, role="category").mean for name in ("c0", "d1"))])

    before = means()
    model.forget(["w3", "c1"])
    np.testing.assert_array_equal(means(), before)
    assert model.trained_.column_taxonomy.parents("w5") == [("d2", 1.0)]
    again = vbn.load(model.save(tmp_path / "m"))
    asked = [("w1", "w8"), ("w0", "w1")]
    np.testing.assert_array_equal(again.relation_proba("next", asked), model.relation_proba("next", asked))
    assert len(again.partial_fit(vbn.Dataset.from_sequences([["w1", "new", "w2"]])).similar("new", k=3)) == 3


def test_a_folder_without_counts_forgets_too(tmp_path):
    model = vbn.load(shop().save(tmp_path / "m", counts=False))
    before = densities(model, "row", ["u1", "u2"])
    model.forget([SECRET, "u3"], side="row")
    again = vbn.load(model.save(tmp_path / "m"))
    assert densities(again, "row", ["u1", "u2"]) == before
    assert found_in(tmp_path / "m", SECRET, LABEL) == []
    assert again.partial_fit(vbn.Dataset.from_interactions(["u1"], ["i2"])).posterior("u1", side="row").dim == 4


def test_nothing_is_forgotten_by_half():
    model = shop()
    with pytest.raises(vbn.UnknownEntityError, match="u99"):
        model.forget([SECRET, "u99"], side="row")
    assert SECRET in model.trained_.rows
    with pytest.raises(vbn.UnknownEntityError, match="side='row'"):
        model.forget(SECRET)
    with pytest.raises(vbn.DataError, match="nothing that was seen would be left"):
        model.forget(list(model.trained_.columns.names))
    assert model.forget("U", side="row").trained_.rows.names.count("u1") == 0  # by its label


@settings(max_examples=15, deadline=None)
@given(
    cells=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4), st.integers(1, 3)), min_size=4, max_size=30),
    gone=st.sets(st.integers(0, 4), max_size=3),
    data=st.data(),
)
def test_data_without_entities_is_data_that_never_had_them(cells, gone, data):
    users, items, weights = ([f"u{i}" for i, _, _ in cells], [f"i{j}" for _, j, _ in cells], [w for _, _, w in cells])
    whole = vbn.Dataset.from_interactions(users, items, weights)
    edges = {f"i{j}": {f"c{data.draw(st.integers(0, 2))}": 1.0, "c3": 2.0} for j in range(5)}
    whole = whole.with_taxonomy(edges)
    left = [cell for cell in cells if cell[1] not in gone]
    columns = np.array([name not in {f"i{j}" for j in gone} for name in whole.columns])
    part = without_entities(whole, np.ones(len(whole.rows), dtype=bool), columns)
    expected = np.zeros((6, 5))
    for i, j, weight in left:
        expected[i, j] += weight
    ids = [(int(part.rows[i][1:]), int(part.columns[j][1:])) for i, j in cells_of(part)]
    assert dict(zip(ids, part.counts.values.tolist(), strict=True)) == {
        (i, j): expected[i, j] for i, j in zip(*np.nonzero(expected), strict=True)
    }
    for name in part.columns:
        if name.startswith("i"):
            assert part.columns.counts[part.columns.id(name)] == expected[:, int(name[1:])].sum()
            assert part.taxonomy.parents(name) == whole.taxonomy.parents(name)


def cells_of(data):
    return zip(data.counts.row_ids().tolist(), data.counts.indices.tolist(), strict=True)
