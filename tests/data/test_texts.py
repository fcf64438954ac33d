"""Texts as features: where they are read from, what encodes them, and the cache of their vectors."""

from __future__ import annotations

import builtins
import socket
import sys

import numpy as np
import pandas
import pytest

from tests.data.making import write
from vbn import Dataset
from vbn._errors import DataError, MissingExtraError, ParameterError, VBNWarning
from vbn.data import texts as texts_module
from vbn.data.texts import OFFLINE, text_encoder
from vbn.data.vector_cache import cache_folder

DATA = Dataset.from_interactions(["ann", "ann", "ben", "cem"], ["tea", "milk", "tea", "beer"])
TEXTS = {"tea": "leaves in hot water", "milk": "from a cow", "beer": "bitter"}


def lengths(texts):
    return [[len(text), text.count(" ")] for text in texts]


class Letters:
    """Counts letters; keeps what it was asked."""

    def __init__(self, letters="aeiou"):
        self.letters, self.asked = letters, []

    def encode(self, texts):
        self.asked += texts
        return np.array([[text.count(letter) for letter in self.letters] for text in texts], dtype=np.float64)


def vectors_of(data, source=0):
    one = data.column_features.sources[source]
    return {data.columns[row]: one.taken([at])[0].tolist() for at, row in enumerate(one.rows.tolist())}


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("VBN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_dict_and_a_function():
    data = DATA.with_text(TEXTS, encoder=lengths)
    assert vectors_of(data) == {"tea": [19.0, 3.0], "milk": [10.0, 2.0], "beer": [6.0, 0.0]}
    assert data.column_features.sources[0].encoder == "lengths"


def test_tables_and_files(tmp_path):
    wanted = vectors_of(DATA.with_text(TEXTS, encoder=lengths))
    table = pandas.DataFrame({"item": list(TEXTS), "price": [1, 2, 3], "description": list(TEXTS.values())})
    assert vectors_of(DATA.with_text(table, encoder=lengths)) == wanted
    assert vectors_of(DATA.with_text(table, "item", "description", lengths)) == wanted
    for name in ("items.csv", "items.csv.gz", "items.tsv", "items.parquet"):
        path = tmp_path / name
        if name.endswith("parquet"):
            table.to_parquet(path)
        else:
            table.to_csv(path, index=False, sep="\t" if "tsv" in name else ",")
        assert vectors_of(DATA.with_text(path, encoder=lengths)) == wanted
        assert vectors_of(DATA.with_text(path, id="item", text="description", encoder=lengths)) == wanted


def test_several_columns_are_joined():
    table = pandas.DataFrame({"item": ["tea", "beer"], "title": ["Tea", "Beer"], "tags": ["hot", None]})
    data = DATA.with_text(table, text=["title", "tags"], encoder=lambda texts: [[len(text)] for text in texts])
    assert vectors_of(data) == {"tea": [7.0], "beer": [4.0]}  # "Tea\nhot"


def test_two_columns_of_any_name(tmp_path):
    path = write(tmp_path, "what,says\ntea,hot water\nbeer,bitter\n")
    assert vectors_of(DATA.with_text(path, encoder=lengths)) == {"tea": [9.0, 1.0], "beer": [6.0, 0.0]}


def test_empty_texts_are_no_features(tmp_path):
    path = write(tmp_path, "item,text\ntea,hot\nbeer,\nmilk,  \n")
    assert vectors_of(DATA.with_text(path, encoder=lengths)) == {"tea": [3.0, 0.0]}
    assert vectors_of(DATA.with_text({"tea": "hot", "beer": None}, encoder=lengths)) == {"tea": [3.0, 0.0]}
    table = pandas.DataFrame({"item": ["tea", "beer"], "text": ["hot", np.nan]})
    assert vectors_of(DATA.with_text(table, encoder=lengths)) == {"tea": [3.0, 0.0]}
    with pytest.raises(DataError, match="every text of the texts is empty"):
        DATA.with_text({"tea": "", "beer": None}, encoder=lengths)


def test_only_texts_of_known_entities_are_encoded():
    encoder = Letters()
    with pytest.warns(VBNWarning, match="1 of 2 ids .* the first is 'gin'"):
        DATA.with_text({"tea": "hot", "gin": "juniper"}, encoder=encoder)
    assert "hot" in encoder.asked
    assert "juniper" not in encoder.asked


def test_mistakes(tmp_path):
    with pytest.raises(DataError, match="none of the 1 ids"):
        DATA.with_text({"gin": "juniper"}, encoder=lengths)
    with pytest.raises(DataError, match="two rows for 'tea'"):
        DATA.with_text(write(tmp_path, "item,text\ntea,a\ntea,b\n"), encoder=lengths)
    with pytest.raises(DataError, match=r"which column of data.csv holds the text\? Name it with text="):
        DATA.with_text(write(tmp_path, "item,a,b\ntea,x,y\n"), encoder=lengths)
    with pytest.raises(DataError, match="omit id and text"):
        DATA.with_text(TEXTS, id="item", encoder=lengths)
    with pytest.raises(DataError, match="not a value of type int"):
        DATA.with_text(3, encoder=lengths)
    with pytest.raises(DataError, match="features 'text' already"):
        DATA.with_text(TEXTS, encoder=lengths).with_text(TEXTS, encoder=lengths)
    with pytest.raises(ParameterError, match="side must be"):
        DATA.with_text(TEXTS, encoder=lengths, side="left")


@pytest.mark.parametrize(
    ("encoder", "told"),
    [
        (lambda _: [[1.0]], "given 3 texts, it returned shape"),
        (lambda texts: [1.0] * len(texts), "one row a text"),
        (lambda texts: [["a"]] * len(texts), "one vector of numbers a text"),
        (lambda texts: [[np.nan]] * len(texts), "not finite for 'leaves in hot water'"),
        (lambda texts: __import__("scipy.sparse").sparse.eye_array(len(texts)), "sparse matrix"),
    ],
)
def test_encoders_that_return_something_else(encoder, told):
    with pytest.raises(DataError, match=told):
        DATA.with_text(TEXTS, encoder=encoder)


@pytest.mark.parametrize("encoder", ["all-MiniLM-L6-v2", Letters, 3])
def test_what_is_no_encoder(encoder):
    with pytest.raises(ParameterError, match="encoder must have a method encode"):
        DATA.with_text(TEXTS, encoder=encoder)


def test_texts_of_rows():
    data = DATA.with_text({"ann": "likes tea"}, encoder=lengths, side="row", name="about")
    assert data.row_features.widths == {"about": 2}


def test_vectors_are_cached_by_what_the_text_says(cache):
    first, second = Letters(), Letters()
    before = DATA.with_text(TEXTS, encoder=first)
    more = DATA.with_text(TEXTS | {"milk": "white"}, encoder=second)
    assert set(TEXTS.values()) <= set(first.asked)
    assert "white" in second.asked
    held = before.column_features.sources[0].values
    while not isinstance(held, np.memmap):  # mapped from the cache, not in memory
        held = held.base
    assert cache in held.filename.parents if hasattr(held.filename, "parents") else True
    assert vectors_of(more)["tea"] == vectors_of(before)["tea"]
    assert vectors_of(more)["milk"] == [0, 1, 1, 0, 0]
    assert vectors_of(DATA.with_text(TEXTS, encoder=Letters())) == vectors_of(before)


def test_many_texts_are_found_again_without_encoding(cache):
    names = [f"i{number}" for number in range(300)]
    data = Dataset.from_interactions(["u"] * 300, names)
    given = {name: f"about number {name}" for name in names}
    data.with_text(given, encoder=Letters())
    again = Letters()
    data.with_text(given, encoder=again)
    assert len(again.asked) <= 3 + 8  # the probe, and the few that are compared


def test_an_encoder_that_has_changed_is_not_served_from_the_cache(cache):
    """The same class, and the same vectors of the probe: only the texts at hand tell the two apart."""

    class Words(Letters):
        def encode(self, texts):
            self.asked += texts
            return [[text.count(word) for word in self.letters] for text in texts]

    first = DATA.with_text(TEXTS, encoder=Words(["hot", "cow"]))
    second = DATA.with_text(TEXTS, encoder=Words(["leaves", "bitter"]))
    assert vectors_of(first)["tea"] == [1.0, 0.0]
    assert vectors_of(second) == {"tea": [1.0, 0.0], "milk": [0.0, 0.0], "beer": [0.0, 1.0]}


def test_functions_are_called_once_with_all_texts_and_not_cached(cache):
    calls = []

    def encoder(texts):
        calls.append(texts)
        return lengths(texts)

    for _ in range(2):
        DATA.with_text(TEXTS, encoder=encoder)
    assert [len(texts) for texts in calls] == [3, 3]
    assert not cache.exists()


def test_a_damaged_cache_is_told_and_encoded_again(cache):
    wanted = vectors_of(DATA.with_text(TEXTS, encoder=Letters()))
    for path in cache.rglob("*.npy"):
        path.write_bytes(b"broken")
    with pytest.warns(VBNWarning, match="is damaged"):
        assert vectors_of(DATA.with_text(TEXTS, encoder=Letters())) == wanted


def test_a_cache_that_cannot_be_written(cache):
    cache.parent.mkdir(exist_ok=True)
    cache.write_text("a file where the folder should be")
    with pytest.warns(VBNWarning, match="set VBN_CACHE to another folder"):
        assert vectors_of(DATA.with_text(TEXTS, encoder=Letters()))["beer"] == [0, 1, 1, 0, 0]


def test_no_cache(monkeypatch):
    monkeypatch.setenv("VBN_CACHE", "")
    assert cache_folder() is None
    encoder = Letters()
    DATA.with_text(TEXTS, encoder=encoder)
    assert set(TEXTS.values()) <= set(encoder.asked)


def test_the_folder_of_the_cache(monkeypatch, tmp_path):
    monkeypatch.delenv("VBN_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert cache_folder() == tmp_path / "vbn"


def test_equal_texts_are_encoded_once(cache):
    encoder = Letters()
    data = DATA.with_text({"tea": "same", "milk": "same", "beer": "other"}, encoder=encoder)
    assert encoder.asked.count("same") == 1
    assert vectors_of(data)["tea"] == vectors_of(data)["milk"]


def _need_the_extra():
    pytest.importorskip("wordllama")


def test_the_offline_encoder_needs_no_network(cache, monkeypatch):
    _need_the_extra()
    texts_module._Offline.open.cache_clear()

    def refuse(*_, **__):
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    data = DATA.with_text(TEXTS)
    source = data.column_features.sources[0]
    assert (source.width, source.encoder) == (256, OFFLINE)
    assert np.allclose(np.linalg.norm(source.values, axis=1), 1.0, atol=1e-5)


def test_the_offline_encoder_knows_what_is_alike():
    _need_the_extra()
    film, battle, kidney = text_encoder().fresh(["a film about war", "battle movie", "acute kidney failure"])
    assert film @ battle > 0.4 > 0.2 > film @ kidney


def test_the_offline_encoder_takes_any_text():
    _need_the_extra()
    odd = ["\udc80", "\x00", "🙂", "字" * 3000, " ", ""]
    values = text_encoder().fresh(odd)
    assert np.isfinite(values).all()
    one_by_one = np.concatenate([text_encoder().fresh([text]) for text in odd])
    assert (values == one_by_one).all()  # whatever else is encoded at once


def test_the_code_of_wordllama_is_not_run():
    """It would set up logging, and look for its tokenizer on the network."""
    _need_the_extra()
    loaded = "wordllama" in sys.modules
    text_encoder().fresh(["hot"])
    assert ("wordllama" in sys.modules) == loaded


def test_without_the_extra(monkeypatch):
    texts_module._Offline.open.cache_clear()
    monkeypatch.setattr(texts_module, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'vbn\[text\]', or pass your own encoder="):
        DATA.with_text(TEXTS)


def test_reading_needs_no_encoder_package(monkeypatch):
    whole = builtins.__import__

    def refuse(name, *rest, **options):
        if name.partition(".")[0] in ("wordllama", "tokenizers", "safetensors"):
            raise ImportError(name)
        return whole(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", refuse)
    assert vectors_of(DATA.with_text(TEXTS, encoder=lengths))["beer"] == [6.0, 0.0]
