"""Errors and warnings carry their remedies as data, for callers that phrase them in other words than Python's."""

from __future__ import annotations

import functools
import inspect
import re
import warnings

import pytest

from tests.data.making import write
from vbn._errors import VBNError, VBNWarning
from vbn.data import Dataset

DATA = Dataset.from_pairs(["a", "b"], ["b", "c"])
STRICT = functools.partial(DATA.with_taxonomy, break_cycles="error")


def in_shell(name, value=None):
    return f"--{name}" if value is None else f"--{name} {value}"


@pytest.mark.parametrize(
    ("text", "read", "told"),
    [
        ("left,right\na,\n", Dataset.from_pairs, "pass --missing drop to leave"),
        ("one,other\na,b\n", Dataset.from_pairs, "if it names them, or --header True or --header False"),
        (
            "left,right,height\na,b,1\n",
            Dataset.from_pairs,
            r"Pass --columns .*'counts': 'height'} to use them, or --columns {'left': 'left', 'right': 'right'} to",
        ),
        ("left,right,n,count\na,b,1,2\n", Dataset.from_pairs, "'count', 'n'; name one with --counts"),
        ("a,b,900000000\n", Dataset.from_pairs, "2} if they are, or --columns {'left': 0, 'right': 1} to"),
        ("id,body\n1,a b\n", Dataset.from_sequences, "Name it with --column: id, body"),
        ("0,1\n1,0\n", Dataset.from_matrix, "pass --header True if"),
        ("tea,milk\ntea\n", Dataset.from_baskets, "call the file data.txt and pass --delimiter ,"),
        ("child,parent\n,a\n", DATA.with_taxonomy, "taxonomy: empty name .* pass --missing drop"),
        ("child,parent\na,b\nb,a\n", STRICT, "or pass --break_cycles drop"),
        ("child,parent\na,a\n", STRICT, "or pass --break_cycles drop"),
        ("left,right\na,\n", lambda path: DATA.with_relation("r", path), "relation 'r': .* pass --missing drop"),
        ("left,right\na,x\n", lambda path: DATA.with_relation("r", path), "pass --missing skip"),
    ],
)
def test_errors(tmp_path, text, read, told):
    with pytest.raises(VBNError) as raised:
        read(write(tmp_path, text))
    assert raised.value.remedies
    assert re.search(told, raised.value.told(in_shell))
    assert "{" not in str(raised.value)


def test_a_text_file_of_baskets_and_one_of_another_name(tmp_path):
    with pytest.raises(VBNError) as raised:
        Dataset.from_baskets(write(tmp_path, "tea,milk\n", "data.txt"))
    assert raised.value.remedies == (("delimiter", ","), ("delimiter", " "))
    with pytest.raises(VBNError) as raised:
        Dataset.from_pairs(write(tmp_path, "a,b\n", "data.dat"))
    assert raised.value.remedies == (("delimiter",),)


@pytest.mark.parametrize(
    ("call", "remedies"),
    [
        (lambda path: Dataset.from_pairs(path), (("missing", "drop"),)),
        (lambda _: DATA.with_taxonomy([("a", "a")], break_cycles="drop"), (("break_cycles", "error"),)),
        (lambda _: Dataset.from_baskets([["a", "b", "c"]], max_basket=2), (("max_basket",),)),
    ],
)
def test_warnings_name_the_line_of_the_caller(tmp_path, call, remedies):
    path = write(tmp_path, "left,right\na,NA\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(path)
    (warning,) = caught
    assert isinstance(warning.message, VBNWarning)
    assert warning.message.remedies == remedies
    assert warning.filename == __file__


@pytest.mark.parametrize("name", [name for name in dir(Dataset) if name.startswith(("from_", "with_"))])
def test_signatures_name_every_parameter(name):
    kinds = {parameter.kind for parameter in inspect.signature(getattr(Dataset, name)).parameters.values()}
    assert kinds.isdisjoint({inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD})


def test_several_names_in_a_cell_are_pointed_out(tmp_path):
    rows = ["ann;tea, milk", "ben;milk, honey", "cem;honey, tea", "dee;tea", "eve;milk, tea"]
    with pytest.warns(VBNWarning, match=r"several names in a cell, such as 'tea, milk'.*pass split_items=','"):
        Dataset.from_interactions(write(tmp_path, "\n".join(["user;item", *rows])), "user", "item")
    sometimes = ["ann;tea", "ben;milk", "cem;honey", "dee;rusk", "eve;jam", "fay;tea, milk", "gus;milk, honey"]
    with pytest.warns(VBNWarning, match="such as 'tea, milk'"):
        Dataset.from_interactions(write(tmp_path, "\n".join(["user;item", *sometimes])), "user", "item")
    packed = ["ann;tea, tin", "ben;milk, tin", "cem;honey, box", "dee;tea, box", "eve;milk, box", "fay;honey, tin"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Dataset.from_interactions(write(tmp_path, "\n".join(["user;item", *packed])), "user", "item")
