"""Taxonomies and relations from WordNet, on a database of a few synsets in WordNet's own format."""

import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vbn
from vbn import datasets
from vbn.datasets import break_cycles

# Number of the synset: part of speech, words, pointers (symbol, number, part of speech, words' numbers).
SYNSETS = {
    1: ("n", ["entity"], []),
    2: ("n", ["animal", "beast"], [("@", 1, "n", "0000")]),
    3: ("n", ["dog", "domestic_dog"], [("@", 2, "n", "0000"), ("%p", 5, "n", "0000")]),
    4: ("n", ["andiron", "dog"], [("@", 1, "n", "0000")]),
    5: ("n", ["tail"], [("@", 1, "n", "0000"), ("#p", 3, "n", "0000")]),
    6: ("n", ["goose"], [("@", 2, "n", "0000")]),
    7: ("n", ["temperature"], [("@", 1, "n", "0000"), ("=", 11, "a", "0000")]),
    8: ("n", ["saw"], [("@", 1, "n", "0000")]),
    9: ("n", ["heat"], [("@", 7, "n", "0000")]),
    11: ("a", ["hot"], [("!", 12, "a", "0101"), ("=", 7, "n", "0000"), ("&", 13, "a", "0000"), ("+", 9, "n", "0101")]),
    12: ("a", ["cold(p)"], [("!", 11, "a", "0101"), ("=", 7, "n", "0000")]),
    13: ("s", ["scorching"], [("&", 11, "a", "0000")]),
    14: ("a", ["canine"], [("\\", 3, "n", "0101")]),
    21: ("r", ["hotly"], [("\\", 11, "a", "0101")]),
    31: ("v", ["chase", "dog"], [("@", 32, "v", "0000")]),
    32: ("v", ["move"], []),
    33: ("v", ["see"], []),
    34: ("v", ["track", "trail"], [("@", 31, "v", "0000")]),
}
SENSES = {
    "n": ["entity 1", "animal 2", "beast 2", "dog 3 4", "domestic_dog 3", "andiron 4", "tail 5", "goose 6"],
    "a": ["hot 11", "cold 12", "scorching 13", "canine 14"],
    "r": ["hotly 21"],
    "v": ["chase 31", "dog 31", "move 32", "see 33", "track 34", "trail 34"],
}
COUNTS = (
    "dog%1:05:00:: 1 42\ndog%1:06:00:: 2 1\nanimal%1:05:00:: 1 9\nsee%2:39:00:: 1 600\nhot%3:00:00:: 1 20\n"
    "scorching%5:00:00:hot:00 1 2\n"
)
SENSES["n"] += ["heat 9", "temperature 7", "saw 8"]
NAMES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}


def data_line(number, synset):
    letter, words, pointers = synset
    listed = " ".join(f"{word} 0" for word in words)
    links = "".join(f" {symbol} {target:08d} {pos} {ends}" for symbol, target, pos, ends in pointers)
    frames = " 01 + 08 00" if letter == "v" else ""
    return f"{number:08d} 03 {letter} {len(words):02x} {listed} {len(pointers):03d}{links}{frames} | gloss\n"


def index_line(pos, entry):
    word, *numbers = entry.split()
    offsets = " ".join(f"{int(number):08d}" for number in numbers)
    return f"{word} {pos} {len(numbers)} 1 @ {len(numbers)} 0 {offsets}\n"


def files():
    made = {"lexnames": "03\tnoun.Tops\t1\n", "cntlist.rev": COUNTS}
    for pos, name in NAMES.items():
        chosen = {n: s for n, s in SYNSETS.items() if s[0] in (pos, "s" if pos == "a" else pos)}
        made[f"data.{name}"] = "  1 Copyright\n" + "".join(data_line(n, s) for n, s in chosen.items())
        made[f"index.{name}"] = "  1 Copyright\n" + "".join(index_line(pos, e) for e in sorted(SENSES[pos]))
        made[f"{name}.exc"] = {"n": "geese goose\n", "v": "saw see\n"}.get(pos, "")
    return made


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("wordnet")
    for name, text in files().items():
        (path / name).write_text(text)
    return path


def parents(taxonomy, child):
    return {parent: weight for node, parent, weight in taxonomy.edges if node == child}


def test_first_senses_as_words(folder):
    found = datasets.wordnet_taxonomy(folder, ["dog", "geese", "chase"])
    assert found.edges == [
        ("animal", "entity", 10.0),
        ("chase", "move", 1.0),
        ("dog", "animal", 43.0),
        ("geese", "goose", 1.0),
        ("goose", "animal", 1.0),
    ]
    assert found.dropped == []


def test_levels(folder):
    one = datasets.wordnet_taxonomy(folder, ["dog", "geese"], levels=1)
    assert [edge[:2] for edge in one.edges] == [("dog", "animal"), ("geese", "goose")]
    two = datasets.wordnet_taxonomy(folder, ["dog", "geese"], levels=2)
    assert [edge[:2] for edge in two.edges[:2]] == [("animal", "entity"), ("dog", "animal")]


def test_all_senses_weigh_as_often_as_they_were_tagged(folder):
    words = datasets.wordnet_taxonomy(folder, ["dog"], senses="all")
    assert parents(words, "dog") == {"animal": 43.0, "entity": 2.0, "move": 1.0}
    synsets = datasets.wordnet_taxonomy(folder, ["dog"], senses="all", nodes="synsets")
    assert parents(synsets, "dog") == {"dog.n.01": 43.0, "andiron.n.01": 2.0, "chase.v.01": 1.0}
    assert parents(synsets, "dog.n.01") == {"animal.n.01": 1.0}
    taxonomy = vbn.Dataset.from_sequences([["dog", "cat"]]).with_taxonomy(synsets.edges).taxonomy
    assert dict(taxonomy.parents("dog"))["dog.n.01"] == pytest.approx(43 / 46)


def test_a_form_hangs_under_what_it_mostly_is(folder):
    assert parents(datasets.wordnet_taxonomy(folder, ["saw"]), "saw") == {"see": 601.0}
    both = datasets.wordnet_taxonomy(folder, ["saw"], senses="all", nodes="synsets")
    assert parents(both, "saw") == {"saw.n.01": 1.0, "see": 601.0}
    assert parents(both, "see") == {"see.v.01": 601.0}
    own = datasets.wordnet_taxonomy(folder, ["saw", "geese", "dog"], inflections=False)
    assert parents(own, "saw") == {"entity": 1.0}
    assert parents(own, "geese") == {}


def test_capitals_hang_where_small_letters_hang(folder):
    found = datasets.wordnet_taxonomy(folder, ["Dog", "dog", "Geese"])
    assert parents(found, "Dog") == parents(found, "dog") != {}
    assert parents(found, "Geese") == {"goose": 1.0}


def test_adjectives_and_adverbs_follow_their_own_pointers(folder):
    found = datasets.wordnet_taxonomy(folder, ["hotly", "scorching", "canine", "cold"], nodes="synsets")
    assert set(parents(found, "hotly.r.01")) == {"hot.a.01"}
    assert set(parents(found, "scorching.a.01")) == {"hot.a.01"}
    assert set(parents(found, "hot.a.01")) == {"temperature.n.01", "heat.n.01"}
    assert set(parents(found, "canine.a.01")) == {"dog.n.01"}
    assert found.dropped == []
    words = datasets.wordnet_taxonomy(folder, ["hotly", "hot"])
    assert set(parents(words, "hot")) == {"temperature", "heat"}
    without = datasets.wordnet_taxonomy(folder, ["hotly", "hot", "dog"], adjectives=False)
    assert {edge[0] for edge in without.edges} == {"dog", "animal"}


def test_ancestors_as_direct_parents(folder):
    found = datasets.wordnet_taxonomy(folder, ["dog"], nodes="synsets", ancestors=1)
    assert parents(found, "dog") == {"dog.n.01": 21.5, "animal.n.01": 21.5}
    all_of_them = datasets.wordnet_taxonomy(folder, ["dog"], nodes="synsets", ancestors=9)
    assert parents(all_of_them, "dog") == pytest.approx(
        {f"{word}.n.01": 43 / 3 for word in ("dog", "animal", "entity")}
    )
    words = datasets.wordnet_taxonomy(folder, ["dog"], ancestors=1)
    assert parents(words, "dog") == {"animal": 21.5, "entity": 21.5}


def test_antonyms_and_parts(folder):
    assert datasets.antonym_pairs(folder) == [("cold", "hot")]
    assert datasets.meronym_pairs(folder) == [("dog", "tail"), ("domestic_dog", "tail")]
    assert datasets.meronym_pairs(folder, ["dog", "tail"]) == [("dog", "tail")]
    assert datasets.antonym_pairs(folder, ["hot"]) == []


def test_all_at_once_from_a_zip(folder, tmp_path):
    with zipfile.ZipFile(tmp_path / "wordnet.zip", "w") as archive:
        for name, text in files().items():
            archive.writestr(f"wordnet/{name}", text)
    found = datasets.load("wordnet", tmp_path, words=["dog", "tail", "hot", "cold"], senses="all")
    assert found == datasets.load("wordnet", folder, words=["dog", "tail", "hot", "cold"], senses="all")
    assert (found.antonyms, found.meronyms) == ([("cold", "hot")], [("dog", "tail")])
    assert ("dog", "animal", 43.0) in found.taxonomy
    assert {"beast", "track"} <= {edge[0] for edge in datasets.load_wordnet(folder).taxonomy}


def test_wrong_options(folder):
    for options, message in [
        ({"senses": "some"}, "senses='some'"),
        ({"nodes": "lemmas"}, "nodes='lemmas'"),
        ({"levels": 0}, "levels=0"),
        ({"ancestors": -1}, "ancestors=-1"),
        ({"ancestors": 1.5}, r"ancestors=1\.5"),
    ]:
        with pytest.raises(vbn.ParameterError, match=message):
            datasets.wordnet_taxonomy(folder, ["dog"], **options)
    with pytest.raises(vbn.ParameterError, match="words='dog' must be a list of words"):
        datasets.wordnet_taxonomy(folder, "dog")
    with pytest.raises(vbn.DataError, match="knows none of the words"):
        datasets.wordnet_taxonomy(folder, ["4711"])


@pytest.mark.parametrize(
    ("name", "line", "message"),
    [
        ("data.noun", "00000001 03 n 05 entity 0", r"line 2 of WordNet's data\.noun"),
        ("index.verb", "see v many", r"line 2 of WordNet's index\.verb"),
        ("cntlist.rev", "dog%1:05:00:: 1", r"line 2 of WordNet's cntlist\.rev"),
    ],
)
def test_broken_lines(tmp_path, name, line, message):
    for other, text in files().items():
        (tmp_path / other).write_text(f"  1 Copyright\n{line}\n" if other == name else text)
    with pytest.raises(vbn.DataError, match=message):
        datasets.load_wordnet(tmp_path)


def test_counts_of_the_other_file(tmp_path, folder):
    for name, text in files().items():
        if name != "cntlist.rev":
            (tmp_path / name).write_text(text)
    rows = [line.split() for line in COUNTS.splitlines()]
    (tmp_path / "cntlist").write_text("".join(f"{count} {key} {sense}\n" for key, sense, count in rows))
    options = {"senses": "all", "nodes": "synsets"}
    assert datasets.wordnet_taxonomy(tmp_path, ["dog"], **options) == datasets.wordnet_taxonomy(
        folder, ["dog"], **options
    )


def test_files_missing_or_damaged(tmp_path):
    for name, text in files().items():
        if name != "index.adv":
            (tmp_path / name).write_text(text)
    with pytest.raises(vbn.DataError, match=r"index\.adv cannot be read"):
        datasets.load_wordnet(tmp_path)
    damaged = tmp_path / "wordnet.tar.gz"
    damaged.write_bytes(b"\x1f\x8b\x08 not a tar")
    with pytest.raises(vbn.DataError, match="not a whole archive"):
        datasets.load_wordnet(damaged)
    with zipfile.ZipFile(tmp_path / "some.zip", "w") as archive:
        archive.writestr("wordnet/data.noun", "")
    with pytest.raises(vbn.DataError, match=r"has no file index\.noun"):
        datasets.load_wordnet(tmp_path / "some.zip")


NODES = st.sampled_from("abcdefg")
EDGES = st.lists(st.tuples(NODES, NODES, st.sampled_from([1.0, 2.0, 5.0])), unique_by=lambda edge: edge[:2])


@given(EDGES, st.randoms(use_true_random=False))
def test_what_is_kept_has_no_cycle_whatever_the_order(edges, random):
    kept, dropped = break_cycles(edges)
    assert sorted(kept + dropped) == sorted(edges)
    if kept:
        vbn.Dataset.from_sequences([["x", "y"]]).with_taxonomy(kept)  # refuses cycles
    shuffled = list(edges)
    random.shuffle(shuffled)
    assert break_cycles(shuffled) == (kept, dropped)
    for edge in dropped:  # none was dropped in vain
        if edge[0] != edge[1]:
            with pytest.raises(vbn.TaxonomyError):
                vbn.Dataset.from_sequences([["x", "y"]]).with_taxonomy([*kept, edge])


def test_the_lighter_edge_of_a_cycle_goes():
    kept, dropped = break_cycles([("a", "b", 1.0), ("a", "c", 9.0), ("b", "a", 1.0)])
    assert dropped == [("a", "b", 1.0)]
    assert kept == [("a", "c", 9.0), ("b", "a", 1.0)]
