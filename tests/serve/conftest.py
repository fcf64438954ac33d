"""Small models behind a server."""

import os
import re
import signal
import subprocess
import sys

import pytest

import vbn
from vbn.datasets import load_bundled

ODD = ["<b>bold</b>", 'say "hi"', "two\nlines", "naïve 🎉", "a/b?c#d&e", "  spaced", "<img src=x onerror=alert(1)>"]


@pytest.fixture(scope="session")
def goods():
    """Baskets with a taxonomy, a relation, something never seen, and names that a page may trip over."""
    baskets = [["tea", "milk", "honey"], ["beer", "crisps", "nuts"], ["tea", "honey"], ["beer", "nuts"], ODD] * 15
    data = vbn.Dataset.from_baskets(baskets).with_taxonomy(
        {
            "tea": "drink",
            "milk": "drink",
            "beer": "drink",
            "cider": "drink",
            "nuts": "snack",
            "crisps": "snack",
            "drink": "goods",
            "snack": "goods",
            "honey": "goods",
        }
    )
    data = data.with_relation("goes with", [("tea", "milk"), ("beer", "nuts")], symmetric=True)
    return vbn.VBN(dim=6, epochs=15, verbose=False).fit(data)


@pytest.fixture(scope="session")
def shop():
    """Users and items, which have the same names in part."""
    users = ["ann", "ann", "ben", "ben", "cem", "cem", "tea"] * 8
    items = ["tea", "milk", "tea", "honey", "beer", "nuts", "milk"] * 8
    data = vbn.Dataset.from_interactions(users, items).with_taxonomy({"tea": "drink", "beer": "drink", "new": "drink"})
    return vbn.VBN(dim=4, epochs=10, negatives=2, verbose=False).fit(data)


@pytest.fixture(scope="session")
def words():
    """The bundled words, trained for a moment."""
    return vbn.VBN(dim=16, epochs=3, verbose=False).fit(load_bundled().train)


@pytest.fixture(scope="session")
def words_url(words, tmp_path_factory):
    """The bundled words behind the command that users run."""
    from vbn.serve import Served, lay_out, store

    folder = words.save(tmp_path_factory.mktemp("words") / "model")
    trained = vbn.load(folder).trained_
    # a t-SNE of all words takes both cores for a minute, and is not what is tested here
    store(folder, lay_out(trained, method="principal axes"), Served(vbn.load(folder)).mark)
    command = [sys.executable, "-m", "vbn", "serve", str(folder), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "VBN_TOKEN": ""}) as server:
        told = server.stderr.readline()
        yield re.search(r"http://\S+", told).group()
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=20)
