"""Small models behind a server."""

import pytest

import vbn

ODD = ["<b>bold</b>", 'say "hi"', "two\nlines", "naïve 🎉", "a/b?c#d&e", "  spaced", "<img src=x onerror=alert(1)>"]


@pytest.fixture(scope="session")
def goods():
    """Baskets with a taxonomy, a relation, something never seen, and names that a page may trip over."""
    baskets = [["tea", "milk", "honey"], ["beer", "crisps", "nuts"], ["tea", "honey"], ["beer", "nuts"], ODD] * 15
    data = vbn.Dataset.from_baskets(baskets).with_taxonomy(
        {
            "tea": "drink", "milk": "drink", "beer": "drink", "cider": "drink", "nuts": "snack", "crisps": "snack",
            "drink": "goods", "snack": "goods", "honey": "goods",
        }
    )  # fmt: skip
    data = data.with_relation("goes with", [("tea", "milk"), ("beer", "nuts")], symmetric=True)
    return vbn.VBN(dim=6, epochs=15, verbose=False).fit(data)


@pytest.fixture(scope="session")
def shop():
    """Users and items, which have the same names in part."""
    users = ["ann", "ann", "ben", "ben", "cem", "cem", "tea"] * 8
    items = ["tea", "milk", "tea", "honey", "beer", "nuts", "milk"] * 8
    data = vbn.Dataset.from_interactions(users, items).with_taxonomy({"tea": "drink", "beer": "drink", "new": "drink"})
    return vbn.VBN(dim=4, epochs=10, negatives=2, verbose=False).fit(data)
