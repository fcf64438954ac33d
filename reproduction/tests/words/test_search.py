"""A search on words writes settings that the experiments take, chosen on validation data; runs ahead of time."""

import tomllib
from types import SimpleNamespace

import numpy as np
import pytest

import vbn
from reproduction.cache import Cache, Record
from reproduction.rivals import FastText
from reproduction.running import Progress
from reproduction.words import search_words, winners
from reproduction.words.corpus import judged
from reproduction.words.reproduce import Heard, Only, missing
from reproduction.words.search import FIRST, VALUES, Choosing, as_section
from reproduction.words.settings import kept


@pytest.fixture(scope="module")
def searched(toy, tmp_path_factory):
    folder, lines = tmp_path_factory.mktemp("search"), []
    paths = search_words(toy, 1, Cache(folder / "cache"), Progress("words", tell=lines.append), folder)
    return SimpleNamespace(paths=paths, folder=folder, lines=lines)


def test_a_search_writes_what_the_experiments_take(searched):
    assert [path.name for path in searched.paths] == ["similarity.toml", "completion.toml"]
    for path in searched.paths:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
        reached = found.pop("reached")
        assert set(found) == set(winners(path.stem))
        for section, values in winners(path.stem).items():
            assert set(found[section]) == set(values)
        assert all(reached[family]["trials"] == 1 for family in VALUES[path.stem])


def test_a_second_search_trains_nothing(searched, toy):
    lines = []
    search_words(toy, 1, Cache(searched.folder / "cache"), Progress("words", tell=lines.append), searched.folder)
    assert len(lines) == len(searched.lines)
    assert all("from the cache" in line for line in lines)


def test_pairs_that_are_reported_choose_nothing(toy):
    choosing = Choosing(toy, [*sorted(toy.counts), *toy.absent])
    for name, (left, _, _, _) in choosing.sets.items():
        pairs = judged(toy.sets[name], toy.counts)
        assert len(left) == (pairs.known & ~pairs.reports).sum()


def test_every_family_begins_with_as_many_settings_which_its_model_takes():
    for experiment, families in FIRST.items():
        assert len({len(settings) for settings in families.values()}) == 1
        for family, settings in families.items():
            kind = {"sg": vbn.SkipGram, "fasttext": FastText, "bsg": vbn.BayesianSkipGram}.get(family, vbn.VBN)
            for one in settings:
                section = as_section(one)
                if family in ("vbn", "bsg"):
                    section.pop("window", None)  # it belongs to the counts
                kind(**section)
                assert all(value in VALUES[experiment][family][name] for name, value in one.items())


def test_a_process_does_the_one_run_it_was_sent_for(tmp_path):
    done = []

    def experiment(_, settings, seeds, cache, progress):
        for seed in range(seeds):
            key = {"settings": settings, "seed": seed}
            record = kept(
                cache, progress, f"seed {seed}", key, lambda seed=seed: done.append(seed) or Record({"models": ["a"]})
            )
            assert list(record.facts["models"]) in ([], ["a"])

    cache = Cache(tmp_path)
    jobs = missing({"one": experiment}, None, {"one": {"dim": 2}}, 3, cache)
    assert len(jobs) == 3
    assert not done
    heard = Heard()
    experiment(None, {"dim": 2}, 3, Only(tmp_path, jobs[1][1]), heard)
    assert (done, heard.label) == ([1], "seed 1")
    assert missing({"one": experiment}, None, {"one": {"dim": 2}}, 3, cache) == [jobs[0], jobs[2]]
    assert np.shape(cache.find({"settings": {"dim": 2}, "seed": 1}).facts["models"]) == (1,)
