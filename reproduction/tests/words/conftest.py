"""A corpus of a few hundred sentences, a dictionary in WordNet's format and two sets of judgements."""

import numpy as np
import pytest

from reproduction.datasets import SimilaritySet
from reproduction.words import Words
from tests.datasets.test_wordnet_taxonomy import data_line, index_line
from vbn.datasets import WordNet

NOUNS = {
    "dog": "animal",
    "cat": "animal",
    "cow": "animal",
    "pug": "animal",
    "tea": "drink",
    "milk": "drink",
    "beer": "drink",
    "cocoa": "drink",
    "unicorn": "animal",
}
OPPOSITES = [
    ("hot", "cold"),
    ("big", "small"),
    ("kind", "unkind"),
    ("clean", "unclean"),
    ("happy", "unhappy"),
    ("safe", "unsafe"),
    ("tidy", "untidy"),
    ("lowest", "highest"),
]
VERBS = {"chases": "act", "drinks": "act", "sees": "act", "likes": "act"}


def dictionary():
    """WordNet's files with a level of categories above the nouns, and antonyms."""
    numbers = {name: n for n, name in enumerate(["entity", *sorted(set(NOUNS.values())), *NOUNS], start=1)}
    above = {"animal": "entity", "drink": "entity", **NOUNS}
    parts = {name: [("%p", numbers["milk"], "n", "0000")] if name == "cow" else [] for name in numbers}
    made = {"lexnames": "03\tnoun.Tops\t1\n", "cntlist.rev": ""}
    synsets = {
        "noun": [
            (n, ("n", [name], [*([("@", numbers[above[name]], "n", "0000")] if name in above else []), *parts[name]]))
            for name, n in numbers.items()
        ],
        "adj": [],
        "verb": [(200 + n, ("v", [verb], [])) for n, verb in enumerate(VERBS)],
        "adv": [],
    }
    for n, (a, b) in enumerate(OPPOSITES):
        first, second = 100 + 2 * n, 101 + 2 * n
        synsets["adj"] += [
            (first, ("a", [a], [("!", second, "a", "0101")])),
            (second, ("a", [b], [("!", first, "a", "0101")])),
        ]
    for name, lines in synsets.items():
        pos = {"noun": "n", "adj": "a", "verb": "v", "adv": "r"}[name]
        made[f"data.{name}"] = "".join(data_line(n, synset) for n, synset in lines)
        made[f"index.{name}"] = "".join(sorted(index_line(pos, f"{s[1][0]} {n}") for n, s in lines))
        made[f"{name}.exc"] = ""
    return made


@pytest.fixture(scope="session")
def toy():
    rng = np.random.default_rng(0)
    animals, drinks = ["dog", "cat", "cow"], ["tea", "milk", "beer"]
    adjectives = [word for pair in OPPOSITES for word in pair]
    sentences = []
    for n in range(400):
        animal, adjective = rng.choice(animals), rng.choice(adjectives)
        tail = ["drinks", adjective, rng.choice(drinks)] if n % 2 else ["chases", "the", rng.choice(animals)]
        sentences.append(["the", adjective, animal, *tail, "now" if n % 3 else "otherwise"])
    sentences += [["the", "pug", "sees", "cocoa"]] * 5 + [["a", "lemma", "now"]] * 4
    sentences += [[f"rare{chr(97 + n)}", "likes", "the", "dog"] for n in range(12) for _ in range(2)]
    files = dictionary()
    judged = [
        ("dog", "cat", 9.0),
        ("tea", "milk", 8.0),
        ("dog", "tea", 1.0),
        ("tea", "cow", 2.0),
        ("cow", "cat", 9.5),
        ("milk", "beer", 7.5),
        ("cat", "beer", 1.5),
        ("beer", "hot", 3.0),
        ("pug", "dog", 9.1),
        ("cocoa", "milk", 8.8),
        ("pug", "tea", 2.2),
        ("cocoa", "cow", 0.5),
        ("pug", "beer", 1.2),
        ("unicorn", "dog", 6.0),
    ]
    left, right, scores = zip(*judged, strict=True)
    sets = {name: SimilaritySet(name, left, right, scores) for name in ("men", "rw", "scws", "simlex999", "ws353")}
    return Words(sentences, WordNet(files.__getitem__), sets)
