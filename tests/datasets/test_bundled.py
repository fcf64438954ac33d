"""The bundled data set is complete, consistent and small."""

from importlib.resources import files

import numpy as np
import pytest

from vbn.datasets import load_bundled, read_bundled

FOLDER = files("vbn.datasets") / "bundled"


@pytest.fixture(scope="module")
def bundled():
    return load_bundled()


@pytest.fixture(scope="module")
def raw():
    return read_bundled()


def test_is_small_and_carries_its_licence():
    assert sum(len(entry.read_bytes()) for entry in FOLDER.iterdir()) < 1_500_000
    notice = (FOLDER / "LICENSE-wordnet.txt").read_text(encoding="utf-8")
    assert "Princeton University" in notice
    assert "provided that you agree to comply with the following copyright notice" in " ".join(notice.split())


def test_readme_gives_the_counts(raw):
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert f"{raw.frequency.sum():,} /" in text
    assert f"{len(raw.train[0]):,} /" in text
    assert f"{raw.antonym.shape[1]:,} pairs" in text


def test_counts_are_symmetric_and_belong_to_words(bundled):
    counts = bundled.train.counts.to_scipy()
    assert abs(counts - counts.T).sum() == 0
    assert bundled.train.shared
    seen = bundled.train.entities.counts > 0
    assert not counts[np.flatnonzero(~seen)].nnz
    # A word has at most eleven places around it, and a place holds several words only before a definition.
    assert bundled.train.counts.total < 12 * bundled.train.entities.counts.sum()


def test_upper_triangle_has_each_pair_once(raw):
    for rows, columns, counts in (raw.train, raw.heldout):
        assert (rows <= columns).all()
        assert len(np.unique(rows * len(raw.names) + columns)) == len(rows)
        assert counts.min() >= 1


def test_vocabulary_counts_are_word_frequencies(bundled):
    frequency = bundled.frequency
    assert 100_000 < sum(frequency.values()) < 250_000
    vocabulary = bundled.train.entities
    assert all(vocabulary.counts[vocabulary.id(word)] == frequency[word] for word in ("the", "dog", "brie"))
    assert (np.diff(vocabulary.counts) <= 0).all()


def test_has_a_long_tail(bundled):
    rare = [word for word, times in bundled.frequency.items() if times <= 3]
    assert len(rare) > 0.5 * len(bundled.frequency)
    taxonomy = bundled.train.taxonomy
    assert sum(bool(taxonomy.parents(word)) for word in rare) > 0.6 * len(rare)


def test_taxonomy_is_deep_and_about_words_or_their_ancestors(bundled):
    taxonomy = bundled.train.taxonomy
    assert taxonomy.depth >= 3
    assert not taxonomy.dropped
    assert "animal" in taxonomy.ancestors("poodle")
    assert taxonomy.parents("geese") == [("goose", 1.0)]
    assert "cheese" in taxonomy.ancestors("brie")
    leaves = np.flatnonzero(taxonomy.heights() == 0)
    assert not set(leaves.tolist()) & set(taxonomy.category_ids.tolist())


def test_relations_join_words_of_the_training_part(bundled, raw):
    relations = bundled.train.relations
    assert set(relations) == {"antonym", "part-of"}
    assert relations["antonym"].symmetric
    assert not relations["part-of"].symmetric
    assert raw.antonym.shape[1] >= 300
    assert raw.frequency[raw.antonym].min() >= 1
    assert raw.frequency[raw.part_of].min() >= 1
    assert ("cold", "hot") in raw.pairs(raw.antonym)
    assert ("head", "face") in raw.pairs(raw.part_of) or ("body", "head") in raw.pairs(raw.part_of)


def test_heldout_pairs_are_a_small_part_with_rare_and_frequent_words(bundled):
    heldout = bundled.heldout
    share = 2 * heldout.counts.sum() / bundled.train.counts.total
    assert 0.03 < share < 0.1
    vocabulary = bundled.train.entities
    assert all(word in vocabulary for word in {*heldout.left, *heldout.right})
    rarer = np.minimum(heldout.left_frequency, heldout.right_frequency)
    assert ((rarer >= 1) & (rarer <= 3)).sum() > 1000
    assert (rarer > 50).sum() > 1000
    assert heldout.left_frequency.tolist() == [bundled.frequency.get(word, 0) for word in heldout.left]


def test_heldout_sequences_are_not_in_the_training_counts(raw):
    # By sequence, not by cell: most held-out pairs of rare words are new, those of frequent ones are not.
    size = len(raw.names)
    known = set((raw.train[0] * size + raw.train[1]).tolist())
    rows, columns, _ = raw.heldout
    new = np.array([cell not in known for cell in (rows * size + columns).tolist()])
    often = np.minimum(raw.frequency[rows], raw.frequency[columns])
    assert new[often <= 3].mean() > 0.8
    assert new[often > 500].mean() < 0.1
