"""What nobody ever had must not win by ignorance: its share of top tens stays near its share of the catalogue."""

import numpy as np
import pytest

import vbn
from vbn._errors import VBNWarning
from vbn.inference import RANK_BY

USERS, GROUPS, SOLD = 200, 8, 12


def sold(seed=0, unseen=()):
    """Return users who buy mostly within two groups of twelve items, with items under groups; some were never sold."""
    rng = np.random.default_rng(seed)
    users, items = [], []
    liking = 1.0 / np.arange(1, SOLD + 1)
    for user in range(USERS):
        for group in rng.choice(GROUPS, 2, replace=False):
            for item in rng.choice(SOLD, 4, replace=False, p=liking / liking.sum()):
                users.append(f"u{user}")
                items.append(f"g{group}-{item}")
    edges = {f"g{g}-{i}": [f"group {g}"] for g in range(GROUPS) for i in range(SOLD)}
    edges |= {f"group {g}": ["everything"] for g in range(GROUPS)}
    return vbn.Dataset.from_interactions(users, items).with_taxonomy({**edges, **dict(unseen)})


def fitted(unseen, **given):
    return vbn.VBN(dim=12, verbose=False, **given).fit(sold(unseen=unseen))


def share_in_top_tens(model, unseen, **asked):
    tables = model.recommend(user=[f"u{user}" for user in range(0, USERS, 4)], k=10, **asked)
    return np.mean([row.entity in unseen for table in tables for row in table])


def share_of_catalogue(unseen):
    return len(unseen) / (len(unseen) + GROUPS * SOLD)


DEPARTMENT = {f"new {n}": ["department"] for n in range(2000)}
SPRINKLED = {f"new {n}": [f"group {n % GROUPS}"] for n in range(40)}
DEEP = {
    **{f"leaf {n}": [f"twig {n // 4}"] for n in range(120)},
    **{f"twig {n}": [f"branch {n // 3}"] for n in range(30)},
    **{f"branch {n}": [f"group {n % GROUPS}"] for n in range(10)},
}


@pytest.fixture(scope="module")
def department():
    return fitted({**DEPARTMENT, "department": ["everything"]})


@pytest.fixture(scope="module")
def sprinkled():
    return fitted(SPRINKLED)


@pytest.fixture(scope="module")
def deep():
    return fitted(DEEP)


ASKED = [
    {},
    {"popularity": 0.0},
    {"popularity": -0.5},
    {"popularity": -1.0},
    {"popularity": 1.0},
    {"rank_by": "mean"},
    {"rank_by": "lower"},
    {"favour": "rare"},
]


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_a_department_that_never_sold_anything_is_not_recommended(department, asked):
    assert share_in_top_tens(department, DEPARTMENT, **asked) < 0.1 * share_of_catalogue(DEPARTMENT)


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_new_members_of_known_groups_keep_to_their_share(sprinkled, asked):
    assert share_in_top_tens(sprinkled, SPRINKLED, **asked) <= 1.5 * share_of_catalogue(SPRINKLED)


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_a_deep_tree_of_unseen_leaves_keeps_to_its_share(deep, asked):
    leaves = {name for name in DEEP if name.startswith("leaf")}
    assert share_in_top_tens(deep, leaves, **asked) <= 1.5 * share_of_catalogue(leaves)


@pytest.mark.parametrize("name", ["department", "sprinkled", "deep"])
@pytest.mark.parametrize("asked", [{}, {"popularity": 0.0}, {"popularity": -1.0}], ids=str)
def test_an_empty_basket_gets_no_surplus_of_what_nobody_had(request, name, asked):
    model = request.getfixturevalue(name)
    counts = dict(zip(model.trained_.columns.names, model.trained_.columns.counts, strict=True))
    candidates = model.trained_.profile.candidates("column").sum()
    unseen = candidates - sum(count > 0 for count in counts.values())
    found = np.mean([counts[row.entity] == 0 for row in model.recommend([], k=10, **asked)])
    assert found <= 1.5 * unseen / candidates
    if name == "department" and not asked:
        assert found == 0.0


def test_parents_may_say_that_what_is_new_is_good(sprinkled):
    """A user of two groups gets the new members of these before those of others."""
    for user in ("u3", "u40", "u77"):
        row = sprinkled.data_.counts.part(*(2 * [sprinkled.trained_.rows.id(user)] + np.array([0, 1])))
        groups = {sprinkled.trained_.columns[int(j)].split("-")[0].removeprefix("g") for j in row.indices}
        table = sprinkled.recommend(user=user, k=10, candidates=list(SPRINKLED))
        assert all(str(int(answer.entity.split()[1]) % GROUPS) in groups for answer in table)


def test_what_is_unknown_has_the_base_rate():
    data = sold()
    model = vbn.VBN(dim=12, negatives=4, verbose=False).fit(data)
    with pytest.warns(VBNWarning, match="nothing is known"):
        model.add("unheard of")
    p = model.predict_proba([(f"u{user}", "unheard of") for user in range(20)])
    base = 1.0 / (1.0 + np.exp(-model.trained_.link.base))
    assert base == pytest.approx(0.2)
    typical = 1.0 / (1.0 + np.exp(-model.trained_.posterior.bias.typical))
    assert ((typical < p) & (p < base)).all()  # like an item that is as popular as most, and never one half


@pytest.mark.parametrize("rank_by", RANK_BY)
def test_rankings_agree_with_brute_force(sprinkled, rank_by):
    trained = sprinkled.trained_
    q = trained.posterior
    for user in ("u0", "u13"):
        i = trained.rows.id(user)
        u, s = q.u.mean[i].astype(float), q.u.variance[i].astype(float)
        v, w = q.v.mean.astype(float), q.v.variance.astype(float)
        mean = v @ u + q.bias.mean
        variance = w @ (u**2 + s) + v**2 @ s + q.bias.variance
        score = {
            "probability": trained.link.base + (mean - trained.link.base) / np.sqrt(1 + np.pi / 8 * variance),
            "mean": mean,
            "lower": mean - np.sqrt(variance),
        }[rank_by]
        allowed = trained.profile.candidates("column").copy()
        counts = sprinkled.data_.counts
        allowed[counts.indices[counts.indptr[i] : counts.indptr[i + 1]]] = False
        best = np.argsort(-np.where(allowed, score, -np.inf), kind="stable")[:10]
        found = sprinkled.recommend(user=user, k=10, popularity=0.0, rank_by=rank_by)
        assert [row.entity for row in found] == [trained.columns[int(j)] for j in best]
