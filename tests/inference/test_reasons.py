"""Why an item for a user: the terms add up, agree with a dense solution in float64, and name what matters."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vbn
from vbn.inference import expected_cooccurrences
from vbn.model import Sites


@pytest.fixture(scope="module")
def shop():
    """Odd and even users like odd and even items; the last two items have parents only."""
    rng = np.random.default_rng(5)
    pairs = [(f"u{u}", f"i{2 * i + u % 2}") for u in range(60) for i in rng.choice(np.arange(1, 12), 6, replace=False)]
    data = vbn.Dataset.from_interactions([u for u, _ in pairs], [i for _, i in pairs])
    data = data.with_taxonomy({f"i{i}": ["even" if i % 2 == 0 else "odd"] for i in range(2, 26)})
    data = data.with_taxonomy({f"u{u}": [f"group {u % 2}"] for u in range(60)}, side="row")
    return vbn.VBN(dim=6, epochs=30, negatives=3, company=False, verbose=False).fit(data)


def of_kind(why, kind):
    return [term for term in why.terms if term.kind == kind]


def assert_adds_up(why, model, user):
    taste = {"history", "other history", "noise", "earlier", "prior", "data", "rest"}
    assert sum(term.value for term in why.terms) == pytest.approx(why.logit, abs=1e-9)
    parts = sum(term.value for term in why.terms if term.kind in taste)
    assert sum(term.value for term in why.item_terms) == pytest.approx(parts, abs=1e-9)
    assert why.taste == pytest.approx(parts, abs=1e-9)
    if isinstance(user, str):
        p, std = model.predict_proba([(user, why.item)], return_std=True)
        assert why.probability == pytest.approx(p[0], rel=1e-5)
        assert why.std == pytest.approx(std[0], rel=1e-4)


@settings(max_examples=25)
@given(u=st.integers(0, 59), i=st.integers(2, 25), k=st.integers(1, 9))
def test_terms_add_up_to_the_logit_and_to_the_taste(shop, u, i, k):
    assert_adds_up(shop.explain(f"u{u}", f"i{i}", k=k), shop, f"u{u}")


def test_the_terms_are_those_of_a_dense_solution(shop):
    """The twin: A mu = tau m + sum v (g - L b), written with all cells as one matrix."""
    trained, data = shop.trained_, shop.data_
    i, j = trained.rows.id("u4"), trained.columns.id("i24")
    q = trained.posterior
    cells = expected_cooccurrences(data, shop._sampler(data), shop.settings_["subsample"]).row(i)
    u, s = q.u.mean[i].astype(float), q.u.variance[i].astype(float)
    v, w = q.v.mean[cells.others].astype(float), q.v.variance[cells.others].astype(float)
    b, c = q.bias.mean[cells.others].astype(float), q.bias.variance[cells.others].astype(float)
    xi = np.sqrt((v @ u + b) ** 2 + w @ u**2 + (v**2 + w) @ s + c)
    slope = np.tanh(xi / 2) / (2 * xi)
    stiff = slope * (cells.positive + cells.negative)
    tau, prior = float(q.u.tau[i]), q.u.prior.means(np.array([i]))[0]
    inverse = np.linalg.inv(tau * np.eye(len(u)) + v.T @ np.diag(stiff) @ v + np.diag(stiff @ w))
    item = q.v.mean[j].astype(float)
    near = v @ inverse @ item
    by_cell = near * cells.positive * (0.5 - slope * b)
    why = shop.explain("u4", "i24", k=99)
    had = {trained.columns[o]: value for o, value in zip(cells.others.tolist(), by_cell.tolist(), strict=True)}
    for term in of_kind(why, "history"):
        assert term.value == pytest.approx(had[term.entity], rel=1e-6, abs=1e-9)
    noise = near @ (cells.negative * (-0.5 - slope * b))
    assert of_kind(why, "noise")[0].value == pytest.approx(noise, rel=1e-6)
    assert of_kind(why, "prior")[0].value == pytest.approx(tau * prior @ inverse @ item, rel=1e-6, abs=1e-9)


def test_a_folded_in_user_is_explained_almost_without_rest(shop):
    why = shop.explain(["i2", "i4", "i6"], "i24")
    assert_adds_up(why, shop, ["i2"])
    assert abs(of_kind(why, "rest")[0].value) < 0.02 * abs(why.taste)
    assert {term.entity for term in of_kind(why, "history")} == {"i2", "i4", "i6"}
    assert all(term.value > 0 for term in of_kind(why, "history"))
    table = shop.recommend(["i2", "i4", "i6"], k=50, popularity=0.0)
    assert why.probability == pytest.approx({row.entity: row.score for row in table}["i24"], rel=1e-5)


def test_items_add_what_their_company_says_too(shop):
    model = vbn.VBN(dim=6, epochs=30, negatives=3, verbose=False).fit(shop.data_)
    assert model.trained_.company is not None
    why = model.explain(["i2", "i4", "i6"], "i24")
    assert_adds_up(why, model, ["i2"])
    assert abs(of_kind(why, "rest")[0].value) < 0.02 * abs(why.taste)
    assert_adds_up(model.explain("u4", "i24", k=99), model, ["u4"])


def test_the_history_that_fits_speaks_for_an_item_and_its_parents_place_a_cold_one(shop):
    for item, cold in (("i24", True), ("i22", False)):
        why = shop.explain("u4", item, k=3)
        assert len(of_kind(why, "history")) == 3
        assert of_kind(why, "history")[0].value > 0
        parent, pairs = why.item_terms
        assert parent.entity == "even"
        assert (abs(pairs.value) < 1e-9) == cold
    others = of_kind(why, "other history")[0]
    assert others.count == 3


def test_counts_that_were_not_kept_leave_one_term_for_all_data(shop, tmp_path):
    small = vbn.load(shop.save(tmp_path / "m", counts=False))
    why = small.explain("u4", "i22")
    assert_adds_up(why, shop, "u4")
    assert not of_kind(why, "history")
    assert of_kind(why, "data")[0].value > 0


def test_evidence_of_earlier_data_has_a_term_of_its_own(shop):
    trained = shop.trained_
    u, item = trained.posterior.u, trained.posterior.v.mean[trained.columns.id("i22")]
    sites = Sites(np.full_like(u.mean, 0.5), np.tile(item, (len(u), 1)))
    posterior = replace(trained.posterior, u=replace(u, sites=sites))
    why = shop.with_trained(trained.with_posterior(posterior), shop.data_).explain("u4", "i22")
    assert_adds_up(why, shop, "u4")
    assert of_kind(why, "earlier")[0].value > 0
    assert of_kind(why, "history")[0].value < of_kind(shop.explain("u4", "i22"), "history")[0].value  # it weighs less


def test_nobody_and_the_dial(shop):
    why = shop.explain([], "i24")
    assert_adds_up(why, shop, [])
    assert why.taste == 0
    turned = shop.explain("u4", "i22", popularity=0.5)
    assert of_kind(turned, "dial")[0].value != 0
    assert_adds_up(turned, shop, None)
    table = shop.recommend(user="u4", k=50, popularity=0.5, exclude_seen=False)
    assert turned.probability == pytest.approx({row.entity: row.score for row in table}["i22"], rel=1e-5)


def test_it_prints_converts_and_is_data(shop):
    why = shop.explain("u4", "i22")
    text = str(why)
    assert text.startswith(f"i22 for u4: p {why.probability:.3f}")
    assert "base rate" in text
    assert "even" in text
    assert "the user" in text
    assert why.to_pandas()["value"].sum() == pytest.approx(why.logit)
    found = why.to_dict()
    assert found["terms"][0] == {"kind": "base", "value": why.terms[0].value}
    assert sum(found["variance"].values()) > 0


def test_words_and_their_contexts_are_pairs_too():
    text = [["a", "dog", "barks"], ["the", "cat", "purrs"]] * 20
    model = vbn.VBN(dim=4, epochs=10, verbose=False).fit(vbn.Dataset.from_sequences(text))
    why = model.explain("dog", "barks")
    assert_adds_up(why, model, "dog")
    assert "barks" in {term.entity for term in of_kind(why, "history")}


def test_what_is_wrong_is_said(shop):
    with pytest.raises(vbn.UnknownEntityError, match="pairs go from a row to a column"):
        shop.explain("i2", "u4")
    with pytest.raises(vbn.UnknownEntityError, match="i333"):
        shop.explain("u4", "i333")
    with pytest.raises(vbn.ParameterError, match="k="):
        shop.explain("u4", "i2", k=0)
    with pytest.raises(vbn.ParameterError, match="one user"):
        shop.explain([["i2"], ["i4"]], "i6")
    with pytest.warns(DeprecationWarning, match="side='row'"):
        assert shop.explain("u4", "row").side == "row"
