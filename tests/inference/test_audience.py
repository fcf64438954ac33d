"""Who may like an item: exact, the same scores as `predict_proba` and `recommend`, for new items too."""

import numpy as np
import pytest

import vbn


def fit(**options):
    rng = np.random.default_rng(5)
    pairs = [(f"u{u}", f"i{2 * i + u % 2}") for u in range(60) for i in rng.choice(np.arange(1, 12), 6, replace=False)]
    data = vbn.Dataset.from_interactions([u for u, _ in pairs], [i for _, i in pairs])
    data = data.with_taxonomy({f"i{i}": ["even" if i % 2 == 0 else "odd"] for i in range(2, 26)})
    data = data.with_taxonomy({"u0": ["people"]}, side="row")
    return vbn.VBN(dim=6, epochs=30, negatives=3, verbose=False, **options).fit(data)


@pytest.fixture(scope="module")
def shop():
    return fit()


def even(names):
    return {int(name[1:]) % 2 == 0 for name in names}


@pytest.mark.parametrize("item", ["i4", "i24"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_scores_are_those_of_predict_and_recommend(shop, item, dtype):
    model = shop if dtype == "float32" else fit(dtype="float64")
    table = model.audience(item, k=1000, exclude_seen=False)
    users = [f"u{u}" for u in range(60)]
    assert sorted(table.entities) == sorted(users)
    p, std = model.predict_proba([(user, item) for user in table.entities], return_std=True)
    np.testing.assert_allclose(table.scores, p, rtol=1e-6)
    np.testing.assert_allclose(table.stds, std, rtol=1e-5)
    assert (np.diff(table.scores) <= 0).all()
    for row in list(table)[::17]:
        found = model.recommend(user=row.entity, k=100, popularity=0.0, exclude_seen=False)
        assert {one.entity: one.score for one in found}[item] == pytest.approx(row.score, rel=1e-6)


@pytest.mark.parametrize("way", [{"popularity": 0.5}, {"rank_by": "lower"}, {"rank_by": "mean"}])
def test_the_dial_and_the_ways_to_rank_are_those_of_recommend(shop, way):
    table = shop.audience("i24", k=5, **way)
    for row in table:
        found = shop.recommend(user=row.entity, k=100, exclude_seen=False, **{"popularity": 0.0, **way})
        assert {one.entity: one.score for one in found}["i24"] == pytest.approx(row.score, rel=1e-5)
    every = shop.audience("i24", k=100, **way)
    assert (np.diff(every.scores) <= 0).all()
    assert every.entities[:5] == table.entities


def test_those_who_have_it_are_left_out_unless_asked_for(shop):
    data = shop.data_
    j = data.columns.id("i4")
    have = {data.rows[i] for i in data.counts.row_ids()[data.counts.indices == j].tolist()}
    assert have
    assert not have & set(shop.audience("i4", k=1000).entities)
    assert have <= set(shop.audience("i4", k=1000, exclude_seen=False).entities)


def test_a_new_item_finds_those_who_like_its_kind(shop):
    assert even(shop.audience("i24", k=20).entities) == {True}
    grown = shop.with_trained(shop.trained_, shop.data_).add("fresh", parents=["odd"])
    assert even(grown.audience("fresh", k=20).entities) == {False}


def test_candidates_batches_and_categories(shop):
    assert shop.audience("i24", candidates=["u1", "u2"]).entities == ["u2", "u1"]
    tables = shop.audience(["i24", "i25"], k=3)
    assert [table.query for table in tables] == ["i24", "i25"]
    assert tables[0].entities == shop.audience("i24", k=3).entities
    assert "people" not in shop.audience("i4", k=1000, exclude_seen=False).entities


def test_items_that_are_rows_too_leave_out_themselves():
    data = vbn.Dataset.from_baskets([["tea", "milk", "honey"], ["beer", "crisps", "nuts"]] * 20)
    model = vbn.VBN(dim=5, epochs=20, verbose=False).fit(data)
    assert set(model.audience("tea", k=2).entities) == {"milk", "honey"}


def test_what_is_wrong_is_said(shop, tmp_path):
    with pytest.raises(vbn.UnknownEntityError, match="audience is that of a column"):
        shop.audience("u1")
    with pytest.raises(vbn.ParameterError, match="list of names"):
        shop.audience("i4", candidates="u1")
    with pytest.raises(vbn.ParameterError, match="rank_by"):
        shop.audience("i4", rank_by="luck")
    small = vbn.load(shop.save(tmp_path / "m", counts=False))
    with pytest.raises(vbn.DataError, match="exclude_seen=False"):
        small.audience("i4")
    assert small.audience("i4", k=3, exclude_seen=False).entities == shop.audience("i4", 3, exclude_seen=False).entities
