"""Files of one list a line, and what a data set says of itself."""

from __future__ import annotations

import gzip
import json
import pickle

import pandas as pd
import pytest

from vbn._errors import DataError, UnknownEntityError, VBNWarning
from vbn.data import Dataset
from vbn.evaluation import hold_out

BASKETS = "tea, milk, rye bread\ntea, milk\n\n rye bread ,tea\n"


def write(folder, text, name):
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    return path


@pytest.mark.parametrize("name", ["orders.txt", "orders.TXT", "orders.txt.gz"])
@pytest.mark.parametrize("mark", [",", ";", "\t", "::"])
def test_lists_split_at_a_delimiter(name, mark, tmp_path):
    path = write(tmp_path, BASKETS.replace(",", mark), name)
    whole = [["tea", "milk", "rye bread"], ["tea", "milk"], [], ["rye bread", "tea"]]
    for build in (Dataset.from_baskets, Dataset.from_sequences):
        read, given = build(path, delimiter=mark), build(whole)
        assert read.entities == given.entities
        assert read.counts.values.tolist() == given.counts.values.tolist()


@pytest.mark.parametrize(("mark", "word"), [(",", "commas"), (";", "semicolons")])
def test_baskets_that_seem_to_have_a_delimiter(mark, word, tmp_path):
    path = write(tmp_path, BASKETS.replace(",", mark), "orders.txt")
    with pytest.raises(DataError, match=rf"3 of 3 lines of orders\.txt hold {word}: pass delimiter='{mark}' if"):
        Dataset.from_baskets(path)
    assert f"tea{mark}" in Dataset.from_baskets(path, delimiter=" ").entities
    assert len(Dataset.from_sequences(path).entities) > 0  # punctuation of sentences is left to the user
    few = write(tmp_path, f"a b\nb c\na{mark}b c\n", "few.txt")
    assert f"a{mark}b" in Dataset.from_baskets(few).entities


def test_an_empty_item_is_named_by_its_line(tmp_path):
    path = write(tmp_path, "a,b\n\na,,b\na,b,\n", "orders.txt")
    with pytest.raises(DataError, match=r"empty name at line 3 of orders\.txt and 1 more like it"):
        Dataset.from_baskets(path, delimiter=",", missing="error")
    with pytest.warns(VBNWarning, match=r"2 items without a name \(25.0%\) .* line 3 of orders\.txt"):
        assert Dataset.from_baskets(path, delimiter=",").counts.total == 6
    assert Dataset.from_baskets(path, delimiter=",", missing="drop").counts.total == 6


def test_csv_files_of_lists_are_not_tables(tmp_path):
    path = write(tmp_path, "tea,milk\ntea,milk,rusk\n", "orders.csv")
    with pytest.raises(DataError, match=r"line 2 .*each line is a basket, call the file orders\.txt and pass .*','"):
        Dataset.from_baskets(path)
    with pytest.raises(DataError) as raised:  # as many fields in each line: the question is another one
        Dataset.from_baskets(write(tmp_path, "basket,item\n1,\n", "orders.csv"))
    assert "each line" not in str(raised.value)


def test_txt_files_of_columns_are_read_as_such_if_columns_are_named(tmp_path):
    path = write(tmp_path, "order,item\n1,tea\n1,milk\n", "orders.txt")
    assert Dataset.from_baskets(path, "order", "item").counts.total == 2
    assert Dataset.from_baskets(path, delimiter=",", header=True).counts.total == 2
    assert Dataset.from_baskets(write(tmp_path, "1::tea\n1::milk\n", "orders.dat"), delimiter="::").counts.total == 2
    text = write(tmp_path, "text;mood\nto be;sad\n", "lines.txt")
    assert Dataset.from_sequences(text, column="text", delimiter=";").counts.total == 2


@pytest.mark.filterwarnings("ignore:.* no pair left to train on")
def test_a_description_says_which_columns_were_read(tmp_path):
    path = write(tmp_path, "item,user,plays\ni,u,3\nj,v,4\n", "m.csv")
    found, named = Dataset.from_interactions(path), Dataset.from_interactions(path, "user", "item")
    assert "  read       users from 'user', items from 'item', weights from 'plays'" in str(found.describe())
    assert "  read       users from 'user', items from 'item'; every row counts 1" in str(named.describe())
    assert found.counts.total == 7
    assert named.counts.total == 2
    facts = json.loads(json.dumps(named.describe().to_dict()))
    assert facts["read"] == {"users": "user", "items": "item", "weights": None}
    later = pickle.loads(pickle.dumps(named.with_taxonomy({"i": "thing"})))
    assert later.reading == hold_out(named, 0.5)[0].reading == named.reading
    baskets = Dataset.from_baskets(pd.DataFrame({"order": [1, 1], "item": ["a", "b"], "price": [3, 4]}))
    assert "  read       baskets from 'order', items from 'item'\n" in str(baskets.describe())
    in_memory = Dataset.from_interactions(["u"], ["i"])
    assert in_memory.reading is None
    assert "read" not in str(in_memory.describe())


def test_numbers_are_written_for_people():
    one = Dataset.from_interactions(["u"], ["i"]).with_taxonomy({"i": "film"})
    assert repr(one) == "Dataset(interactions: 1 row x 2 columns, 1 cell, total 1; taxonomy of 1 edge)"
    assert repr(one.counts) == "Counts(1 x 2, 1 cell, total 1)"
    assert repr(Dataset.from_pairs(["a"], ["a"])) == "Dataset(pairs: 1 entity, 1 cell, total 1)"
    relation = Dataset.from_pairs(["a"], ["b"]).with_relation("r", [("a", "b")])
    assert repr(relation.relations["r"]) == "Relation('r', 1 pair)"
    assert "relation   r: 1 pair" in str(relation.describe())
    assert "2 nodes (1 category), 1 edge, depth 1" in str(one.describe())
    large = Dataset.from_pairs(["a"], ["b"], [1_034_230])
    assert "total 1,034,230)" in repr(large)
    assert "total count 1,034,230," in str(large.describe())
    assert "total 0.25)" in repr(Dataset.from_pairs(["a"], ["b"], [0.25]))


def test_an_unknown_name_that_is_known_elsewhere():
    error = UnknownEntityError("ann", ["anna"], elsewhere="it is the name of a row: pass side='row'")
    assert str(error) == "unknown entity 'ann'; it is the name of a row: pass side='row'."
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.closest, copy.elsewhere) == (str(error), ["anna"], error.elsewhere)


def test_suggestions_can_be_copied_back():
    data = Dataset.from_pairs(["green  tea", "mint"], ["cup\t", "cup\t"])
    for asked, meant in (("green tea", "'green  tea'"), ("cup", r"'cup\t'")):
        with pytest.raises(UnknownEntityError) as raised:
            data.entities.id(asked)
        assert f"Did you mean {meant}" in str(raised.value)


def test_a_taxonomy_that_knows_no_entity_is_pointed_at():
    data = Dataset.from_pairs(["poodle", "beagle"], ["barks", "howls"])
    swapped = data.with_taxonomy({"dog": ["poodle"]})
    assert "is it child, then parent" in str(data.with_taxonomy({"Poodle": ["dog"]}).describe())
    assert "0.0% of the entities seen have a parent (is it child" in str(swapped.describe())
    assert "is it child" not in str(data.with_taxonomy({"poodle": ["dog"]}).describe())
