"""Search by name: the exact name first, words in any order, without accents, near misses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.serve.asking import Client
from vbn.serve import Settings, create_app
from vbn.serve.searching import TypeAhead, folded

NAMES = ["tea", "tea party", "green tea", "Amélie", "steak", "Third Man, The", "spider-man"]
COUNTS = [1, 50, 70, 3, 90, 4, 5]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("tea", ["tea", "tea party", "green tea", "steak"]),  # exact before frequent
        ("TEA ", ["tea", "tea party", "green tea", "steak"]),
        ("amelie", ["Amélie"]),
        ("AMÉLIE", ["Amélie"]),
        ("the third man", ["Third Man, The"]),
        ("man spider", ["spider-man"]),
        ("party t", ["tea party"]),
        ("zzz", []),
    ],
)
def test_names_are_found_by_what_people_type(typed, found):
    search = TypeAhead(NAMES, COUNTS)
    assert [NAMES[number] for number in search(typed, 10)] == found


def test_a_label_is_found_exactly_before_longer_ones_and_so_is_a_name():
    names, labels = ["m1", "m2", "m3", "heat"], ["Heat Wave", "Heat", None, "Casino"]
    search = TypeAhead(names, [100, 1, 1, 1], labels)
    assert [names[number] for number in search("heat", 10)] == ["m2", "heat", "m1"]
    assert [names[number] for number in search("m1", 10)] == ["m1"]
    assert [names[number] for number in search.near("haet", 3)][:1] == ["m2"]


def test_near_misses_are_looked_for_among_words_too():
    names = ["Godfather, The (1972)", "Jodie Foster", "Terminator 2: Judgment Day", "wheeze", "cheese"]
    search = TypeAhead(names, [9, 9, 9, 0, 5])
    assert names[search.near("godfater", 3)[0]] == "Godfather, The (1972)"
    assert [names[number] for number in search.near("judgement terminatr", 3)] == ["Terminator 2: Judgment Day"]
    assert [names[number] for number in search.near("cheeze", 3)] == ["cheese", "wheeze"]  # the more frequent first
    assert search.near("qqqq terminatr", 3).tolist() == []
    assert [names[number] for number in search.near("le godfater", 3)] == ["Godfather, The (1972)"]  # most of it


words = st.text(alphabet="abé \n", min_size=1, max_size=8).filter(lambda text: text.strip())


@given(st.lists(words, min_size=1, max_size=12, unique_by=folded), st.data())
def test_whoever_types_a_name_finds_it_first(names, data):
    number = data.draw(st.integers(0, len(names) - 1))
    search = TypeAhead(names, list(range(len(names))))
    assert search(names[number], 1).tolist() == [number]
    found = search(names[number][:2], 100).tolist()
    assert len(found) == len(set(found))


def test_near_misses_are_offered_and_called_so(goods):
    client = Client(create_app(goods, Settings(watch=0)))
    found = client.get("/api/v1/entities", q="hony").json
    assert found["near"]
    assert [one["name"] for one in found["entities"]][:1] == ["honey"]
    assert not client.get("/api/v1/entities", q="hon").json["near"]
    nothing = client.get("/api/v1/entities", q="qqqq").json
    assert (nothing["entities"], nothing["near"], nothing["next_offset"]) == ([], False, None)


def test_a_row_that_is_meant_exactly_is_not_hidden_behind_columns(shop):
    client = Client(create_app(shop, Settings(watch=0)))
    first, second = client.get("/api/v1/entities", q="tea", limit=2).json["entities"]
    assert {(first["name"], first["side"]), (second["name"], second["side"])} == {("tea", "row"), ("tea", "column")}
