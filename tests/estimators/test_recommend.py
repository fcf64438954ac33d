"""`recommend`: from a basket or a user to a table, with filters, the dial and exploration."""

import numpy as np
import pytest

import vbn


@pytest.fixture(scope="module")
def shop():
    """Odd and even users like odd and even items; item 0 is liked by everybody, new items hang in a taxonomy."""
    rng = np.random.default_rng(5)
    pairs = [(f"u{u}", f"i{2 * i + u % 2}") for u in range(60) for i in rng.choice(np.arange(1, 12), 6, replace=False)]
    pairs += [(f"u{u}", "hit") for u in range(60)]
    data = vbn.Dataset.from_interactions([u for u, _ in pairs], [i for _, i in pairs])
    data = data.with_taxonomy({f"i{i}": ["even" if i % 2 == 0 else "odd"] for i in range(2, 26)})
    return vbn.VBN(dim=6, epochs=30, negatives=3, verbose=False).fit(data)


@pytest.fixture(scope="module")
def baskets():
    data = vbn.Dataset.from_baskets([["tea", "milk", "honey"], ["beer", "crisps", "nuts"]] * 20)
    return vbn.VBN(dim=5, epochs=20, verbose=False).fit(data)


def entities(table):
    return [row.entity for row in table]


def parity(names):
    return {int(name[1:]) % 2 for name in names if name != "hit"}


@pytest.mark.parametrize("start", [["i2", "i4"], ["i3", "i5"]])
def test_a_new_user_gets_what_fits(shop, start):
    table = shop.recommend(start, k=5)
    assert parity(entities(table)) == parity(start)
    assert not set(start) & set(entities(table))
    assert all(0 < row.score < 1 and row.std > 0 for row in table)
    assert (np.diff(table.scores) <= 0).all()


def test_items_without_data_are_recommended_through_their_parents(shop):
    names = entities(shop.recommend(["i2", "i4"], k=11))  # ten others are seen, and even or a hit
    assert "i24" in names  # nobody has it
    assert "i25" not in names


def test_categories_are_no_answers_unless_asked_for(shop):
    assert not {"even", "odd"} & set(entities(shop.recommend(["i2"], k=100)))
    assert entities(shop.recommend(["i2"], candidates=["even"])) == ["even"]


def test_a_user_of_training(shop):
    seen = {shop.data_.columns[j] for j in seen_by(shop, "u4")}
    table = shop.recommend(user="u4", k=4)
    assert not seen & set(entities(table))
    assert parity(entities(table)) == {0}
    assert "hit" in entities(shop.recommend(user="u4", k=30, exclude_seen=False))


def seen_by(model, user):
    counts, i = model.data_.counts, model.data_.rows.id(user)
    return counts.indices[counts.indptr[i] : counts.indptr[i + 1]]


def test_batches_answer_like_single_queries(shop):
    users = shop.recommend(user=["u1", "u2", "u3"], k=3)
    assert [table.query for table in users] == ["u1", "u2", "u3"]
    assert entities(users[1]) == entities(shop.recommend(user="u2", k=3))
    lists = shop.recommend([["i2"], ["i3", "i5"], {"i2": 4}], k=3)
    assert entities(lists[1]) == entities(shop.recommend(["i3", "i5"], k=3))
    np.testing.assert_array_equal(lists[2].scores, shop.recommend(["i2", "i2", "i2", "i2"], k=3).scores)
    frame = users.to_pandas()
    assert frame.columns.tolist() == ["query", "entity", "score", "std"]
    assert len(frame) == len(users.to_polars()) == len(users.to_dicts()) == 9
    assert len(repr(users).splitlines()) == 10
    assert len(users[:2]) == 2


def test_candidates_filter(shop):
    assert set(entities(shop.recommend(["i2"], candidates=["i5", "i6", "i2"]))) == {"i5", "i6"}
    assert set(entities(shop.recommend(["i2"], candidates=iter(["i5", "i2"]), exclude_seen=False))) == {"i5", "i2"}
    with pytest.raises(vbn.UnknownEntityError, match="i55"):
        shop.recommend(["i2"], candidates=["i55"])


def test_the_dial_moves_popular_items(shop):
    def place(dial):
        return entities(shop.recommend(["i2", "i4"], k=30, popularity=dial)).index("hit")

    assert place(5.0) == 0
    assert place(-5.0) > place(5.0) + 10


def test_a_floor_lifts_what_is_frequent_and_hardly_moves_the_others(shop):
    def ranked(**dial):
        return entities(shop.recommend(["i2", "i4"], k=30, **dial))

    def moved(names):
        """How far the others are from where they are without the dial."""
        others, before = ([name for name in one if name != "hit"] for one in (names, plain))
        return sum(abs(place - before.index(name)) for place, name in enumerate(others))

    plain, steep = ranked(popularity=0.0), ranked(popularity=3.0)
    with_floor = ranked(popularity=3.0, popularity_floor=3.0)
    assert plain[0] != "hit" == steep[0] == with_floor[0]
    assert moved(with_floor) < moved(steep)


def test_thompson_sampling_tries_what_is_uncertain(shop):
    first = shop.recommend(["i2"], k=3, explore="thompson", seed=1)
    again = shop.recommend(["i2"], k=3, sample="thompson", seed=1)
    assert entities(first) == entities(again)
    np.testing.assert_array_equal(first.scores, again.scores)
    asked = {"k": 1, "sample": "thompson", "popularity": 0.0}
    drawn = [entities(shop.recommend(["i2", "i4"], seed=s, **asked))[0] for s in range(200)]
    assert len(set(drawn)) > 3
    assert parity(drawn) >= {0}
    usual = sum(parity([name]) == {0} for name in drawn if name != "hit")
    assert usual > 100  # it explores, but does not forget what it knows


def test_sample_and_explore_are_two_names_for_one_thing(shop):
    with pytest.raises(vbn.ParameterError, match="sample='greedy' must be 'thompson' or None"):
        shop.recommend(["i2"], sample="greedy")
    with pytest.raises(vbn.ParameterError, match="two names for one thing"):
        shop.recommend(["i2"], sample="thompson", explore="greedy")


def test_thompson_scores_follow_the_posterior(shop):
    """They lie around the probability at the mean score, which nothing shrinks, and spread as far as the table says."""

    def asked(**options):
        return shop.recommend(["i2", "i4"], candidates=["i6"], **options)[0]

    draws = [asked(sample="thompson", seed=s).score for s in range(3000)]
    expected = asked(rank_by="mean")
    assert np.median(draws) == pytest.approx(expected.score, abs=0.02)
    assert np.std(draws) == pytest.approx(expected.std, rel=0.15)


def test_averaged_queries(baskets):
    assert set(entities(baskets.recommend(["tea", "milk"], k=1, query="average"))) == {"honey"}
    assert set(entities(baskets.recommend(["beer"], k=2, query="average"))) == {"crisps", "nuts"}
    assert set(entities(baskets.recommend(["tea", "milk"], k=1))) == {"honey"}
    assert set(entities(baskets.recommend(user="beer", k=2))) == {"crisps", "nuts"}


def test_averages_need_row_densities(shop):
    with pytest.raises(vbn.ParameterError, match=r"'i2'.*fold_in.*with_co_occurrences"):
        shop.recommend(["i2"], query="average")
    with pytest.raises(vbn.ParameterError, match="with_co_occurrences"):
        shop.recommend(user="u1", query="both")
    with pytest.raises(vbn.ParameterError, match="'average'"):
        shop.recommend(user="u1", query="average")
    with pytest.raises(vbn.ParameterError, match="'both'"):
        shop.recommend(["i2"], query="both")


@pytest.fixture(scope="module")
def joint():
    """Users and items as rows; "lone" has an item that goes with no other."""
    users = ["ann", "ann", "ben", "ben", "cem", "cem", "dee", "dee"] * 5 + ["lone"]
    items = ["tea", "milk", "tea", "honey", "beer", "crisps", "beer", "nuts"] * 5 + ["book"]
    data = vbn.Dataset.from_interactions(users, items).with_co_occurrences()
    return vbn.VBN(dim=4, epochs=20, negatives=2, dtype="float64", verbose=False).fit(data)


def expected(model, user, share):
    """Probabilities of all items, written out: a mixture of independent Gaussians, and the predictive logit."""
    q, counts, rows = model.trained_.posterior, model.data_.counts, model.data_.rows
    i = rows.id(user)
    own = slice(counts.indptr[i], counts.indptr[i + 1])
    items = [rows.id(model.data_.columns[j]) for j in counts.indices[own] if model.data_.columns[j] in rows]
    weights = counts.values[own] / counts.values[own].sum() if items else np.empty(0)
    mean = (1 - share) * q.u.mean[i] + share * sum((w * q.u.mean[k] for w, k in zip(weights, items, strict=True)), 0.0)
    variance = (1 - share) ** 2 * q.u.variance[i] + share**2 * sum(
        (w**2 * q.u.variance[k] for w, k in zip(weights, items, strict=True)), 0.0
    )
    m = q.v.mean @ mean + q.bias.mean
    s = q.v.variance @ mean**2 + (q.v.mean**2 + q.v.variance) @ variance + q.bias.variance
    base = -np.log(model.negatives)  # of a pair of which nothing is known
    logit = base + (m - base) / np.sqrt(1 + np.pi * s / 8)
    return dict(zip(model.data_.columns.names, 1 / (1 + np.exp(-logit)), strict=True))


@pytest.mark.parametrize(("user", "share"), [("ann", 0.5), ("dee", 0.5), ("lone", 0.0)])
def test_a_user_and_what_he_has_stand_for_half_each(joint, user, share):
    table = joint.recommend(user=user, k=20, query="both", exclude_seen=False)
    wanted = expected(joint, user, share)
    assert {row.entity: row.score for row in table} == pytest.approx(wanted, rel=1e-9)
    np.testing.assert_allclose(
        vbn.baselines.as_scorer(joint, query="both").scores([user])[0],
        [np.log(wanted[name] / (1 - wanted[name])) for name in joint.data_.columns],
        rtol=1e-9,
    )


def test_items_that_are_rows_can_be_averaged(joint):
    assert set(entities(joint.recommend(["tea"], k=2, query="average"))) == {"milk", "honey"}
    with pytest.raises(vbn.ParameterError, match="'book'"):
        joint.recommend(["tea", "book"], query="average")


def test_both_needs_the_counts(joint, tmp_path):
    model = vbn.load(joint.save(tmp_path / "m", counts=False))
    with pytest.raises(vbn.DataError, match="counts=True"):
        model.recommend(user="ann", query="both", exclude_seen=False)
    with pytest.raises(vbn.ParameterError, match="counts"):
        vbn.baselines.as_scorer(model, query="both")
    kept = vbn.load(joint.save(tmp_path / "k"))
    assert entities(kept.recommend(user="ann", query="both")) == entities(joint.recommend(user="ann", query="both"))


def test_an_empty_query_is_somebody_unknown(shop, baskets):
    assert entities(shop.recommend([], k=1)) == ["hit"]
    with pytest.raises(vbn.ParameterError, match="empty"):
        baskets.recommend([], query="average")


def test_added_items_are_recommended_at_once(shop, tmp_path):
    model = vbn.load(shop.save(tmp_path / "m"))
    model.add("new", parents=["odd"])
    assert "new" in entities(model.recommend(["i3", "i5"], k=12))
    assert "new" not in entities(model.recommend(["i2", "i4"], k=11))  # these are all that the others have
    assert entities(model.recommend(["new"], k=30))  # and can be asked about


def test_without_counts_what_was_seen_is_not_known(shop, tmp_path):
    model = vbn.load(shop.save(tmp_path / "m", counts=False))
    with pytest.raises(vbn.DataError, match="exclude_seen=False"):
        model.recommend(user="u1")
    assert len(model.recommend(user="u1", exclude_seen=False, k=3)) == 3
    assert entities(model.recommend(["i2"], k=3)) == entities(shop.recommend(["i2"], k=3))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "entities or user="),
        ({"entities": ["i2"], "user": "u1"}, "one of the two"),
        ({"entities": ["i2"], "k": 0}, "k=0"),
        ({"entities": ["i2"], "k": True}, "k=True"),
        ({"entities": ["i2"], "exclude_seen": "no"}, "exclude_seen"),
        ({"entities": ["i2"], "query": "mean"}, "'mean'"),
        ({"entities": ["i2"], "popularity": float("nan")}, "popularity"),
        ({"entities": ["i2"], "popularity": "much"}, "popularity"),
        ({"entities": ["i2"], "popularity_floor": -1.0}, "popularity_floor=-1.0"),
        ({"entities": ["i2"], "popularity_floor": float("inf")}, "popularity_floor=inf"),
        ({"entities": ["i2"], "explore": "greedy"}, "greedy"),
        ({"entities": ["i2"], "explore": "thompson", "seed": -1}, "seed"),
        ({"entities": ["i2"], "candidates": "i3"}, "candidates"),
        ({"entities": {"i2": 0}}, "positive"),
        ({"entities": {"i2": "x"}}, "positive"),
        ({"entities": ["i2", ["i3"]]}, "mixed"),
        ({"entities": object()}, "object"),
        ({"entities": ["i222"]}, "i22"),
        ({"user": "u99"}, "u9"),
        ({"user": object()}, "object"),
        ({"user": ["u1", None]}, "None"),
    ],
)
def test_wrong_questions(shop, arguments, message):
    with pytest.raises(vbn.VBNError, match=message):
        shop.recommend(**arguments)


def test_asking_does_not_change_the_model(shop):
    before = {path: array.copy() for path, array in shop.trained_.posterior.arrays().items()}
    shop.recommend(["i2"], explore="thompson", popularity=1.0)
    shop.recommend(user=["u1"], k=3)
    for path, array in shop.trained_.posterior.arrays().items():
        np.testing.assert_array_equal(array, before[path])
