"""Text files whose words a kernel numbers: as if every line had been split in Python."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vbn
from vbn._errors import VBNWarning
from vbn.data import encode_corpus, find_file, number_file, read_sentences

SPACES = " \t\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2003\u2028\u2029\u202f\u205f\u3000"
texts = st.text(st.one_of(st.sampled_from("ab\n\r" + SPACES), st.characters(exclude_characters="\0")), max_size=60)


def same_as_python(path, parts=None):
    names, numbers, lines = number_file(find_file(path), parts)
    expected = encode_corpus(read_sentences(path, None, None, None))
    assert names == expected.names
    np.testing.assert_array_equal(numbers, expected.tokens)
    np.testing.assert_array_equal(lines, expected.offsets)


@given(texts, st.integers(1, 40), st.integers(1, 4))
def test_any_text_in_blocks_of_any_size(tmp_path_factory, text, block, parts):
    path = tmp_path_factory.mktemp("text") / "some.txt"
    path.write_bytes(text.encode("utf-8", "surrogatepass").decode("utf-8", "replace").encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("vbn.data.io.text._BLOCK", block)
        same_as_python(path, parts)


def test_more_words_than_there_is_room_for_at_first(tmp_path):
    path = tmp_path / "many.txt"
    words = [f"word{n * 7919 % 200_000}" for n in range(300_000)]
    path.write_text("\n".join(" ".join(words[k : k + 30]) for k in range(0, len(words), 30)), encoding="utf-8")
    same_as_python(path)
    same_as_python(path, 5)


def test_a_byte_order_mark_and_gzip(tmp_path):
    path = tmp_path / "some.txt.gz"
    path.write_bytes(gzip.compress("\ufeffto be\r\nor not\rto be".encode()))
    same_as_python(path)
    assert vbn.Dataset.from_sequences(path).rows.names[0] == "to"


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"fine\nnot \x81 fine\n", "line 2 of bad.txt is not UTF-8"), (b"a b\nc \0 d\n", "line 2 of bad.txt holds a NUL")],
)
def test_what_is_no_text_is_told_by_its_line(tmp_path, content, message):
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    with pytest.raises(vbn.DataError, match=message):
        vbn.Dataset.from_sequences(path)


@pytest.mark.parametrize("parts", [1, 3])
def test_a_text_of_windows_is_read_as_its_words(tmp_path, parts):
    path, text = tmp_path / "words.txt", "to be or\n" * 20 + "Käse\xa0“gut”\nKäse\n"
    path.write_bytes(text.encode("cp1252"))
    with pytest.warns(VBNWarning, match=r"line 21 of words\.txt is not UTF-8, .* Windows-1252") as told:
        names, numbers, _ = number_file(find_file(path), parts)
    assert len(told) == 1
    assert [names[number] for number in numbers] == text.split()
