"""The reader of WordNet's database files, on a database of a few lines."""

import io
import tarfile

import pytest

from vbn import _errors
from vbn.datasets import WordNet

HEADER = "  1 This software and database is being provided to you\n"
FILES = {
    "data.noun": HEADER
    + '00000001 05 n 02 dog 0 domestic_Dog 0 001 @ 00000002 n 0000 | a pet; "the dog barked"; "two dogs"\n'
    + "00000002 03 n 01 animal 0 001 ~ 00000001 n 0000 | a living thing\n"
    + "00000003 05 n 01 goose 0 000 | a web-footed bird\n",
    "data.verb": HEADER + "00000004 30 v 01 dog 0 000 01 + 08 00 | go after\n",
    "data.adj": HEADER
    + "00000005 00 a 01 hot(p) 0 001 ! 00000006 a 0101 | of high temperature\n"
    + "00000006 00 s 01 cold 0 001 ! 00000005 a 0101 | of low temperature\n",
    "data.adv": HEADER,
    "index.noun": HEADER
    + "animal n 1 1 ~ 1 0 00000002\n"
    + "dog n 1 1 @ 1 1 00000001\n"
    + "goose n 1 0 1 0 00000003\n",
    "index.verb": HEADER + "dog v 1 0 1 0 00000004\n",
    "index.adj": HEADER + "cold a 1 1 ! 1 0 00000006\nhot a 1 1 ! 1 0 00000005\n",
    "index.adv": HEADER,
    "noun.exc": "geese goose\n",
    "verb.exc": "",
    "adj.exc": "",
    "adv.exc": "",
    "lexnames": "00\tadj.all\t3\n03\tnoun.Tops\t1\n05\tnoun.animal\t1\n",
    "cntlist.rev": "dog%1:05:00:: 1 42\n",
}


@pytest.fixture(params=["folder", "tar", "crlf"])
def wordnet(request, tmp_path):
    if request.param == "tar":
        path = tmp_path / "dict.tar.gz"
        with tarfile.open(path, "w:gz") as archive:
            for name, text in FILES.items():
                member = tarfile.TarInfo(f"somewhere/wordnet-3.0/{name}")
                member.size = len(text.encode())
                archive.addfile(member, io.BytesIO(text.encode()))
        return WordNet.open(path)
    end = "\r\n" if request.param == "crlf" else "\n"
    for name, text in FILES.items():
        (tmp_path / name).write_bytes(text.replace("\n", end).encode())
    return WordNet.open(tmp_path)


def test_synsets(wordnet):
    dog = wordnet.senses("dog", "n")[0]
    assert dog.lemmas == ("dog", "domestic_dog")
    assert dog.hypernyms == [("n", "00000002")]
    assert dog.domain == wordnet.domains["noun.animal"]
    assert wordnet.senses("unheard", "n") == []


def test_lexical_pointers_and_markers(wordnet):
    hot = wordnet.senses("hot", "a")[0]
    assert hot.lemmas == ("hot",)
    assert hot.pointers == (("!", ("a", "00000006"), 1, 1),)
    assert wordnet.senses("cold", "a")[0].id == ("a", "00000006")


def test_frequency(wordnet):
    assert wordnet.frequency("dog", "n") == 42
    assert wordnet.frequency("dog", "v") == 0


def test_morphology(wordnet):
    assert wordnet.morphy("dogs", "n") == ["dog"]
    assert wordnet.morphy("geese", "n") == ["goose"]
    assert wordnet.morphy("dog", "n") == ["dog"]
    assert wordnet.morphy("dog", "n", itself=False) == []
    assert wordnet.morphy("hotter", "a") == []


def test_missing_database(tmp_path):
    with pytest.raises(_errors.DataError, match="no WordNet database"):
        WordNet.open(tmp_path / "nothing")
    empty = tmp_path / "empty.tar"
    with tarfile.open(empty, "w"):
        pass
    with pytest.raises(_errors.DataError, match=r"no file data\.noun"):
        WordNet.open(empty)
