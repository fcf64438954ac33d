"""Any scorer can be evaluated, beside popularity and at several positions of the dial."""

import numpy as np
import pytest

import vbn
from vbn.baselines import EASE, as_scorer
from vbn.evaluation import evaluate_recommendation, hold_out, known_and_wanted, pairs_of
from vbn.inference import Dial


@pytest.fixture(scope="module")
def shop():
    """Users of two tastes, and items that are frequent, rare and known by their parent only."""
    rng = np.random.default_rng(0)
    weight = 1.0 / np.arange(1, 21)
    rows = [
        (f"u{u}", f"{'tea' if u % 2 else 'beer'} {i}")
        for u in range(60)
        for i in rng.choice(20, 6, replace=False, p=weight / weight.sum()).tolist()
    ]
    parents = {f"{kind} {i}": [kind] for kind in ("tea", "beer") for i in range(24)}
    return vbn.Dataset.from_interactions(rows).with_taxonomy(parents)


@pytest.fixture(scope="module")
def parts(shop):
    return hold_out(shop, 0.2, seed=1)


@pytest.fixture(scope="module")
def model(parts):
    return vbn.VBN(dim=6, epochs=15, negatives=3, affinity=False, verbose=False).fit(parts[0])


class Own:
    """Somebody's own scorer: another order of columns, a plain list of names, scores that must not be changed."""

    def __init__(self, model, data):
        scorer = as_scorer(model)
        self.order = np.random.default_rng(5).permutation(len(data.columns))
        self.columns = [data.columns[j] for j in self.order.tolist()]
        self.made, self._scorer = [], scorer

    def scores(self, queries):
        found = self._scorer.scores(queries)[:, self.order]
        found.flags.writeable = False
        self.made.append((list(queries), found))
        return found


def skip_gram(data):
    return vbn.SkipGram(dim=8, epochs=60, subsample=None).fit(data)


def first(rows, name=None):
    return next(row for row in rows if name is None or row["model"] == name)


def same(one, other):
    keys = [key for key in one if key != "model"]
    assert {key: other[key] for key in keys} == pytest.approx({key: one[key] for key in keys})


def test_a_scorer_of_one_s_own_is_worth_as_much_as_the_model_that_it_asks(parts, model):
    train, held = parts
    expected = evaluate_recommendation(model, *pairs_of(held), k=[3, 10])
    own = Own(model, train)
    found = evaluate_recommendation(own, *pairs_of(held), k=[3, 10], data=train)
    assert [row["model"] for row in found] == ["Own"] * 3 + ["popularity"] * 3
    for one, other in zip(expected, found, strict=True):
        # Equal counts are in the order of the columns, which matters to the first ten by popularity.
        # The dial that the model's fit chose is in the scores of the own scorer, which has none of its own.
        keep = [key for key in one if one["model"] == "VBN" or ("tail" not in key and "coverage" not in key)]
        same({key: one[key] for key in keep if key != "popularity"}, other)
    assert (expected[0]["popularity"], found[0]["popularity"]) == (as_scorer(model).popularity, 0.0)
    same(expected[0], evaluate_recommendation(as_scorer(model), *pairs_of(held), k=[3, 10])[0])


@pytest.mark.parametrize(
    "make",
    [
        lambda data: vbn.Popularity().fit(data),
        lambda data: EASE(regularization=5.0).fit(data),
        lambda data: skip_gram(data),
        lambda data: vbn.retrofit(skip_gram(data), data.taxonomy),
        lambda data: vbn.BayesianSkipGram(dim=6, epochs=15, negatives=3, verbose=False).fit(data),
        lambda data: as_scorer(vbn.VBN(dim=6, epochs=15, negatives=3, verbose=False).fit(data), popularity=0.5),
    ],
    ids=["popularity", "ease", "skipgram", "retrofitted", "bsg", "as_scorer"],
)
def test_everything_that_scores_is_better_than_chance(parts, make):
    train, held = parts
    rows = evaluate_recommendation(make(train), *pairs_of(held), data=train)
    assert first(rows)["mpr"] > 0.6
    assert first(rows)["pairs"] == first(rows, "popularity")["pairs"] == held.counts.nnz


def test_parents_are_no_candidates_also_for_a_model_that_ignores_them(parts):
    train, held = parts
    model = vbn.BayesianSkipGram(dim=4, epochs=3, verbose=False).fit(train)
    known = evaluate_recommendation(model, *pairs_of(held), data=train)[0]
    blind = evaluate_recommendation(model, *pairs_of(held))[0]
    assert known["unseen_share"] < blind["unseen_share"]


def test_popularity_beside_the_model_is_the_baseline_itself(parts, model):
    train, held = parts
    beside = first(evaluate_recommendation(model, *pairs_of(held)), "popularity")
    alone = evaluate_recommendation(vbn.Popularity().fit(train), *pairs_of(held), baseline=None)
    same({key: value for key, value in alone[0].items() if key != "popularity"}, beside)
    assert {row["model"] for row in alone} == {"Popularity"}


def test_positions_of_the_dial_are_those_of_as_scorer_and_score_once(parts, model):
    train, held = parts
    given = {"popularity": [0.0, 0.5, -2.0], "popularity_floor": 0.5}
    own = Own(as_scorer(model, popularity=0.0), train)
    of_own = evaluate_recommendation(own, *pairs_of(held), data=train, **given)
    assert sum(len(queries) for queries, _ in own.made) == len(set(pairs_of(held)[0]))
    rows = evaluate_recommendation(model, *pairs_of(held), **given)
    assert [row["popularity"] for row in rows if row["items"] == "all"] == [0.0, 0.5, -2.0, None]
    for row in rows:
        if row["items"] == "all" and row["model"] == "VBN":
            scorer = as_scorer(model, popularity=row["popularity"], popularity_floor=0.5)
            same(evaluate_recommendation(scorer, *pairs_of(held), baseline=None)[0], row)
    same(rows[0], of_own[0])
    # A model knows siblings of what was never seen; to a scorer of one's own that is as popular as the rarest item.
    counts = train.columns.counts
    raised = np.maximum(counts, counts[counts > 0].min()) + 0.5 * counts[counts > 0].mean()
    own._scorer.scores, before = lambda queries: before(queries) + 0.5 * np.log(raised), own._scorer.scores
    (by_hand, *_) = evaluate_recommendation(own, *pairs_of(held), data=train)
    (dialled,) = (row for row in of_own if row["items"] == "all" and row["popularity"] == 0.5)
    same({key: value for key, value in by_hand.items() if key != "popularity"}, dialled)
    # A position is absolute: it replaces the dial of the scorer.
    turned = as_scorer(model, popularity=2.0, popularity_floor=0.5)
    same(rows[0], evaluate_recommendation(turned, *pairs_of(held), popularity=0.0)[0])
    assert evaluate_recommendation(turned, *pairs_of(held))[0]["popularity"] == 2.0


def test_a_model_is_evaluated_at_the_dial_that_its_fit_chose_as_it_recommends(parts, model):
    _, held = parts
    chosen = evaluate_recommendation(model, *pairs_of(held), popularity="auto")
    assert chosen == evaluate_recommendation(model, *pairs_of(held))
    dial = Dial(*model.trained_.dials["all"])
    assert dial
    fixed = evaluate_recommendation(model, *pairs_of(held), popularity=dial)
    same(fixed[0], chosen[0])


def test_what_first_tens_are_made_of_by_hand():
    users = [u for u in range(20) for _ in range(2)]
    data = vbn.Dataset.from_interactions(users, ["a", "b"] * 20).with_taxonomy({f"new {i}": ["x"] for i in range(14)})

    class NewFirst:
        columns = ("a", "b", *(f"new {i}" for i in range(14)), "x")

        def scores(self, queries):
            return np.tile(np.r_[0, 0, 16 - np.arange(14), 99], (len(queries), 1))

    (row, *_) = evaluate_recommendation(NewFirst(), [1, 2], ["new 3", "new 12"], data=data)
    assert row["hr@10"] == 0.5
    assert (row["coverage@10"], row["unseen@10"], row["tail@10"]) == (10 / 16, 1.0, 1.0)
    assert (row["unseen_share"], row["tail_share"]) == (14 / 16, 14 / 16)
    assert evaluate_recommendation(NewFirst(), [1], ["new 3"], data=data, rare=20)[0]["tail_share"] == 1.0


def test_users_are_asked_about_as_the_caller_names_them():
    class ByNumber:
        columns = ("a", "b", "c")

        def scores(self, queries):
            table = np.array([[0.0, 1.0, 2.0], [0.0, 2.0, 1.0]])
            return table[queries]

    data = vbn.Dataset.from_interactions([0, 1, 1], ["a", "a", "c"])
    (row, *_) = evaluate_recommendation(
        ByNumber(), [0, 1], ["c", "b"], data=data.merge(vbn.Dataset.from_interactions(["other"], ["b"]))
    )
    assert row["mpr"] == 1.0


def test_what_is_missing_is_said(parts, model):
    train, held = parts

    class Bare:
        columns = tuple(train.columns)

        def scores(self, queries):
            return np.zeros((len(queries), 1))

    with pytest.raises(vbn.DataError, match="data=, the Dataset"):
        evaluate_recommendation(Bare(), *pairs_of(held))
    with pytest.raises(vbn.DataError, match="shape"):
        evaluate_recommendation(Bare(), *pairs_of(held), data=train)
    with pytest.raises(vbn.ParameterError, match="`scores"):
        evaluate_recommendation(object(), *pairs_of(held), data=train)
    with pytest.raises(vbn.ParameterError, match="must be a Dataset"):
        evaluate_recommendation(model, *pairs_of(held), data=held.counts)
    for wrong in (
        {"k": 0},
        {"k": [5, 2.5]},
        {"popularity": []},
        {"popularity": "much"},
        {"popularity": [0.0, "auto"]},
        {"baseline": "chance"},
    ):
        with pytest.raises(vbn.ParameterError):
            evaluate_recommendation(model, *pairs_of(held), **wrong)
    scorer = Own(model, train)
    scorer.scores = lambda queries: np.full((len(queries), len(scorer.columns)), np.nan)
    with pytest.raises(vbn.DataError, match="NaN"):
        evaluate_recommendation(scorer, *pairs_of(held), data=train)


def test_a_model_saved_without_counts_is_evaluated_with_its_training_data(parts, model, tmp_path):
    train, held = parts
    bare = vbn.load(model.save(tmp_path / "bare", counts=False))
    same(
        evaluate_recommendation(model, *pairs_of(held))[0],
        evaluate_recommendation(bare, *pairs_of(held), data=train)[0],
    )


def test_a_model_of_items_is_asked_about_the_users_of_the_data(parts):
    train, held = parts
    baskets = {user: [] for user in train.rows}
    for user, item in zip(*pairs_of(train), strict=True):
        baskets[user].append(item)
    items = vbn.Dataset.from_baskets(list(baskets.values()))
    model = vbn.VBN(dim=6, epochs=15, negatives=3, verbose=False).fit(items)
    rows = evaluate_recommendation(model, *pairs_of(held), data=train)
    assert rows[0]["mpr"] > 0.6
    assert rows[0]["seen"] == 0
    assert evaluate_recommendation(model, *pairs_of(train), data=train, exclude_seen=False)[0]["pairs"] > 0


def test_new_users_are_asked_about_by_what_they_have(shop):
    train, held = hold_out(shop, 0.3, by="user")
    known, wanted = known_and_wanted(held)
    model = vbn.VBN(dim=6, epochs=15, negatives=3, verbose=False).fit(train)
    folded = evaluate_recommendation(model, *pairs_of(wanted), fold_in=known)
    by_name = evaluate_recommendation(model, *pairs_of(wanted))
    assert folded[0]["mpr"] > by_name[0]["mpr"] + 0.05
    assert folded[0]["pairs"] == wanted.counts.nnz
    user, item = (names[0] for names in pairs_of(wanted))
    basket = [b for a, b in zip(*pairs_of(known), strict=True) if a == user]
    candidates = [name for name in train.columns if name not in ("tea", "beer")]
    order = model.recommend(basket, k=99, candidates=candidates).entities
    (row, *_) = evaluate_recommendation(model, [user], [item], fold_in=known)
    assert row["mpr"] == pytest.approx(1 - order.index(item) / (len(order) - 1))


def test_a_warning_where_much_is_unknown(model, parts):
    users, items = (names[:8] for names in pairs_of(parts[1]))
    assert evaluate_recommendation(model, [*users, "x", "y"], [*items, *items[:2]])[0]["unknown"] == 2
    with pytest.warns(UserWarning, match=r"3 of 11 held-out pairs \(27%\) are left out"):
        evaluate_recommendation(model, [*users, "x", "y", None], [*items, *items[:3]])
