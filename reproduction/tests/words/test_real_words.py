"""The counts that the protocol states, on the evaluation data, where it is there."""

import pytest

from reproduction.words import Words
from reproduction.words.antonyms import divide
from reproduction.words.corpus import SETS, judged, split
from tests.evaluation_data import NEEDS_DATA, ROOT

pytestmark = NEEDS_DATA


@pytest.fixture(scope="module")
def words():
    return Words.load(ROOT)


def test_rare_pairs_are_as_many_as_the_protocol_says(words):
    found = {SETS[name]: int(judged(one, words.counts).rare.sum()) for name, one in words.sets.items()}
    assert found == {"MEN": 886, "RW": 472, "SCWS": 390, "SL": 188, "WS": 70}


def test_antonyms_within_the_vocabulary(words):
    assert len(words.counts) == 38_642
    parts = divide(words.antonyms)
    assert (len(parts.training), len(parts.validation), len(parts.test)) == (689, 172, 287)


def test_sentences(words):
    parts = split(words.sentences)
    assert (len(parts.training), len(parts.validation), len(parts.test)) == (25_280, 4_461, 7_435)
