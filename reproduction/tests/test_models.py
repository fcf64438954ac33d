"""Every model runs as it is described, at both ends of what a search may choose."""

from __future__ import annotations

import pytest

from reproduction.cache import Cache
from reproduction.models import ALL, BY_KEY
from reproduction.running import Progress
from reproduction.runs import Runner, split_of
from reproduction.search import SPACES
from reproduction.tests.shop import shop
from reproduction.winners import settings


@pytest.fixture(scope="module")
def domain(tmp_path_factory):
    return shop(tmp_path_factory.mktemp("shop"), 40)


def at_end(key: str, end: str) -> dict:
    ranges = {"int", "float", "log"}
    chosen = {}
    for name, values in SPACES.get(key, {}).items():
        low, high = values[1:] if values[0] in ranges else (values[0], values[-1])
        chosen[name] = high if end == "high" else low
    return {**BY_KEY[key].defaults, **chosen, **({"epochs": 1} if "epochs" in chosen else {})}


@pytest.mark.parametrize("end", ["low", "high"])
@pytest.mark.parametrize("model", ALL, ids=lambda model: model.key)
def test_every_model_ranks_what_is_hidden(domain, tmp_path, model, end):
    if not model.installed:
        pytest.skip(f"{model.package} is not installed")
    chosen = {**settings("shop"), model.key: at_end(model.key, end)}
    if model.base:
        chosen[model.base] = at_end(model.base, end)
    split = split_of(domain, "cold" if model.asking.prior else "masking", 0)
    record = Runner(Cache(tmp_path), Progress("shop", tell=lambda _: None)).run(model, split, chosen, 0)
    above, others = record.arrays["above"], record.arrays["others"]
    assert (above >= 0).all()
    assert (above <= others).all()
    assert len(record.facts["dial"]) == (len(above) if model.dial else 0)
    if model.asking.prior:
        assert len({*above[0].tolist()}) > 1
        assert split.examples
        for names in record.facts["neighbours"].values():
            assert len(names) == 5
            assert set(names) <= set(domain.interactions.items)


def test_a_model_stands_after_its_base():
    order = [model.key for model in ALL]
    assert all(order.index(model.base) < order.index(model.key) for model in ALL if model.base)
    assert len(set(order)) == len(order)


def test_the_paper_s_five_models_are_there():
    assert {model.paper for model in ALL if model.paper} == {"VBN", "BSG", "BSG-R", "SG", "SG-R"}


@pytest.mark.parametrize(("number", "query"), [(0, "items"), (1, "both")])
@pytest.mark.parametrize("key", ["vbn", "bsg"])
def test_a_model_can_be_trained_on_items_in_place_of_users_or_beside_them(domain, tmp_path, key, number, query):
    """Its other settings are other runs, asked by items or by both and not by the user's own density alone."""
    model = BY_KEY[key]
    other = model.others[number]
    runner, split = Runner(Cache(tmp_path), Progress("shop", tell=lambda _: None)), split_of(domain, "masking", 0)
    small = {"epochs": 1, "dim": 4}
    by_user, otherwise = (
        runner.run(model, split, {**settings("shop"), key: {**chosen, **small}}, 0)
        for chosen in (model.defaults, other)
    )
    assert model.placed(other).asking.query == query
    assert (by_user.arrays["above"] != otherwise.arrays["above"]).any()
    assert otherwise.facts["reliability"]["as trained"]["n_pairs"] > 0
