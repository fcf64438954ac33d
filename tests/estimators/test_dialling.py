"""The popularity dial that a fit chooses: it helps where popularity does, and changes nothing else."""

import numpy as np
import pytest

import vbn
from vbn.data import thinned
from vbn.estimators import dialling
from vbn.inference import DIALS, FAVOURS, TAILS, Dial


def shop(pairs):
    users, items = zip(*pairs, strict=True)
    return vbn.Dataset.from_interactions(users, items)


def charts(seed=0, users=600):
    """Taste does not exist: everybody takes what everybody takes."""
    rng = np.random.default_rng(seed)
    likely = 1.0 / np.arange(1, 81)
    picks = (rng.choice(80, 8, replace=False, p=likely / likely.sum()) for _ in range(users))
    return [(f"u{u}", f"i{i}") for u, items in enumerate(picks) for i in items]


def niches(seed=0):
    """Thousands come once, for a bestseller; those who come back only want what their own club has."""
    rng = np.random.default_rng(seed)
    once = [(f"once{n}", f"bestseller{n % 20}") for n in range(2000)]
    clubs = [(f"u{u}", f"club{u % 6} {i}") for u in range(300) for i in rng.choice(15, 6, replace=False)]
    return once + clubs


def hits_and_clubs(seed=0):
    """Everybody takes some hits, by popularity, and some items of a club."""
    rng = np.random.default_rng(seed)
    likely, pairs = 1.0 / np.arange(1, 31), []
    for u in range(600):
        pairs += [(f"u{u}", f"hit{i}") for i in rng.choice(30, 5, replace=False, p=likely / likely.sum())]
        pairs += [(f"u{u}", f"club{u % 12} {i}") for i in rng.choice(8, 4, replace=False)]
    return pairs


def model(**options):
    return vbn.VBN(**({"dim": 6, "epochs": 15, "verbose": False} | options))


@pytest.fixture(scope="module")
def shopped():
    return model().fit(shop(hits_and_clubs()))


def chosen(fitted):
    return fitted.settings_["popularity"]


def bits(fitted):
    return {name: array.tobytes() for name, array in fitted.trained_.posterior.arrays().items()}


def test_a_position_is_chosen_for_each_favour_and_used(shopped):
    positions = {(dial.weight, dial.floor, tail) for dial in DIALS for tail in TAILS}
    assert tuple(chosen(shopped)) == FAVOURS
    assert set(chosen(shopped).values()) <= positions
    assert chosen(shopped)["rare"] != chosen(shopped)["all"]  # or the next lines say little
    for favour, position in chosen(shopped).items():
        explicit = shopped.recommend(user="u1", k=20, popularity=Dial(*position), affinity=True)
        assert shopped.recommend(user="u1", k=20, favour=favour).to_dicts() == explicit.to_dicts()
    assert shopped.recommend(user="u1").to_dicts() == shopped.recommend(user="u1", favour="all").to_dicts()
    with pytest.raises(vbn.ParameterError, match="favour='popular' must be 'all', 'balanced' or 'rare'"):
        shopped.recommend(user="u1", favour="popular")


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_where_popularity_is_all_there_is_the_dial_goes_up_and_helps(seed):
    """With noise_power=1 a model ranks by association, of which there is none."""
    pairs = charts(seed)
    hidden, shown = pairs[::8], [pair for n, pair in enumerate(pairs) if n % 8]
    fitted = model(noise_power=1.0, seed=seed).fit(shop(shown))
    assert chosen(fitted)["all"][0] > 0

    def found(**dial):
        tables = fitted.recommend(user=[user for user, _ in hidden], k=10, **dial)
        return sum(item in table.entities for (_, item), table in zip(hidden, tables, strict=True))

    assert found() > found(popularity=0.0)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_where_popularity_misleads_nobody_gets_bestsellers(seed):
    fitted = model(seed=seed).fit(shop(niches(seed)))
    for favour in FAVOURS:
        for user in range(12):
            best = fitted.recommend(user=f"u{user}", k=5, favour=favour).entities
            assert all(name.startswith(f"club{user % 6} ") for name in best)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_favouring_rare_ones_moves_the_dial_towards_them(seed):
    fitted = model(seed=seed).fit(shop(hits_and_clubs(seed)))
    weights, _, tails = zip(*(chosen(fitted)[favour] for favour in ("rare", "balanced", "all")), strict=True)
    assert weights[0] < 0 or tails[0] > tails[2]
    assert weights == tuple(sorted(weights))
    counts = dict(zip(fitted.trained_.columns.names, fitted.trained_.columns.counts, strict=True))
    asked = {"user": [f"u{n}" for n in range(100)], "k": 5}
    rare, usual = (fitted.recommend(**asked, favour=favour) for favour in ("rare", "all"))
    of_rare, of_usual = (
        np.mean([counts[name] for table in tables for name in table.entities]) for tables in (rare, usual)
    )
    assert of_rare < of_usual


def test_the_long_tail_is_lifted_only_as_far_as_all_pairs_hardly_lose():
    """Rare items of a club that its members want as much as the others: what lifts them costs nothing, or little."""
    rng = np.random.default_rng(0)
    likely = np.r_[np.full(6, 1.0), np.full(6, 0.15)]
    pairs = [
        (f"u{u}", f"club{u % 8} {i}")
        for u in range(800)
        for i in rng.choice(12, 5, replace=False, p=likely / likely.sum())
    ]
    hidden, shown = pairs[::9], [pair for n, pair in enumerate(pairs) if n % 9]
    fitted = model().fit(shop(shown))
    weight, floor, tail = chosen(fitted)["all"]
    assert tail >= 0
    items = fitted.trained_.columns
    rare = {items[at] for at in np.flatnonzero(fitted.trained_.profile.tail)}

    def places(dial):
        tables = fitted.recommend(user=[user for user, _ in hidden], k=len(items), popularity=dial)
        return [table.entities.index(item) for (_, item), table in zip(hidden, tables, strict=True)]

    level, lifted = places(Dial(weight, floor)), places(Dial(weight, floor, 1.0))
    of_rare = [at for at, (_, item) in enumerate(hidden) if item in rare]
    assert len(of_rare) > 20
    assert np.mean([lifted[at] for at in of_rare]) < np.mean([level[at] for at in of_rare])
    assert np.mean(places(Dial(weight, floor, tail))) < np.mean(level) + 0.01 * len(items)


def test_what_was_never_seen_is_no_part_of_the_long_tail():
    data = shop(hits_and_clubs()).with_taxonomy([(f"new {n}", "club0 0") for n in range(3)])
    profile, columns = model().fit(data).trained_.profile, data.columns
    assert profile.tail.any()
    assert not profile.tail[[columns.id(f"new {n}") for n in range(3)]].any()
    assert profile.tail.sum() >= 0.2 * profile.candidates("column").sum() - 3
    assert columns.counts[profile.tail].max() <= columns.counts[profile.candidates("column") & ~profile.tail].max()


def test_nobody_who_wants_none_gets_one(shopped):
    without = model(favour=None).fit(shop(hits_and_clubs()))
    assert chosen(without) == {}
    unturned = shopped.recommend(user="u1", popularity=0.0, affinity=True)
    assert without.recommend(user="u1").to_dicts() == unturned.to_dicts()


@pytest.mark.parametrize("favour", FAVOURS)
def test_choosing_does_not_change_a_bit_of_the_densities(shopped, favour):
    fitted = model(favour=favour).fit(shop(hits_and_clubs()))
    assert bits(fitted) == bits(model(favour=None).fit(shop(hits_and_clubs())))
    assert chosen(fitted) == chosen(shopped)  # all three are chosen, whichever is used


def test_very_little_data_has_none():
    fitted = model().fit(shop([("ann", "tea"), ("ann", "milk"), ("ben", "tea"), ("ben", "honey")] * 5))
    assert chosen(fitted) == {}
    name = fitted.trained_.columns[0]
    assert fitted.recommend([name]).to_dicts() == fitted.recommend([name], popularity=0.0, affinity=True).to_dicts()


def test_words_that_training_thins_out_come_back_where_a_word_of_a_sentence_is_asked_for():
    rng = np.random.default_rng(0)
    topics = rng.integers(0, 6, 800)
    sentences = [[w for k in rng.integers(0, 40, 4) for w in ("the", f"w{topic} {k}")] for topic in topics]
    fitted = model(subsample=1e-2).fit(vbn.Dataset.from_sequences(sentences))
    assert chosen(fitted)["all"][0] > 0
    asked = ["w3 1", "w3 2"]
    place = {dial: fitted.recommend(asked, k=300, popularity=dial).entities.index("the") for dial in (0.0, "auto")}
    assert place["auto"] < place[0.0]


def test_a_pair_of_entities_is_held_out_in_both_directions(monkeypatch):
    """Else the copy of the model that is asked for a pair would still know it the other way round."""
    rests = []

    def spied(data, kept):
        rests.append(thinned(data, kept))
        return rests[-1]

    monkeypatch.setattr(dialling, "thinned", spied)
    rng = np.random.default_rng(0)
    data = vbn.Dataset.from_baskets([[f"club{n % 12} {i}" for i in rng.choice(8, 4)] for n in range(600)])
    assert tuple(chosen(model().fit(data))) == FAVOURS
    (rest,) = rests
    assert 0 < rest.counts.nnz < data.counts.nnz
    there = rest.counts.to_scipy() != 0
    assert (there != there.T).nnz == 0


@pytest.mark.parametrize("pairs", [charts(), hits_and_clubs()], ids=["charts", "hits and clubs"])
def test_large_data_is_not_copied_and_chooses_about_the_same(pairs, monkeypatch):
    data = shop(pairs)
    usual = model().fit(data)
    monkeypatch.setattr(dialling, "_LARGE", 0)
    monkeypatch.setattr(dialling, "thinned", None)
    large = model().fit(data)
    assert bits(large) == bits(usual)
    assert tuple(chosen(large)) == FAVOURS
    assert abs(chosen(large)["all"][0] - chosen(usual)["all"][0]) <= 0.5


def test_large_baskets_choose_too(monkeypatch):
    monkeypatch.setattr(dialling, "_LARGE", 0)
    rng = np.random.default_rng(0)
    data = vbn.Dataset.from_baskets([[f"club{n % 12} {i}" for i in rng.choice(8, 4)] for n in range(600)])
    assert tuple(chosen(model().fit(data))) == FAVOURS


def test_any_number_of_threads_chooses_the_same(shopped, monkeypatch):
    monkeypatch.setattr("vbn.sampling.sampler._CELLS_PER_TASK", 64)
    monkeypatch.setattr("vbn.model.epoch._CELLS_PER_TASK", 64)
    one, three = (model(n_threads=n).fit(shop(hits_and_clubs())) for n in (1, 3))
    assert chosen(one) == chosen(three) == chosen(shopped)


@pytest.mark.parametrize("counts", [True, False])
def test_it_is_saved_and_loaded(shopped, counts, tmp_path):
    loaded = vbn.load(shopped.save(tmp_path / "model", counts=counts))
    assert chosen(loaded) == chosen(shopped)
    asked = {"user": "u1", "k": 20, "exclude_seen": False, "affinity": False}
    assert loaded.recommend(**asked).to_dicts() == shopped.recommend(**asked).to_dicts()


def test_going_on_without_counts_keeps_it_and_with_counts_chooses_again(shopped, tmp_path):
    more = shop(niches())
    kept = vbn.load(shopped.save(tmp_path / "small", counts=False)).partial_fit(more)
    assert chosen(kept) == chosen(shopped)
    again = vbn.load(shopped.save(tmp_path / "whole")).partial_fit(more)
    assert tuple(chosen(again)) == FAVOURS
    assert chosen(again) != chosen(shopped)


def test_a_fit_that_is_resumed_chooses_the_same(shopped, tmp_path):
    data = shop(hits_and_clubs())
    model(checkpoint=tmp_path / "c", epochs=7).fit(data)
    assert chosen(model().fit(data, resume_from=tmp_path / "c")) == chosen(shopped)
