"""A simulated delicatessen: orders with a long tail and a catalogue as taxonomy, as csv files to try things out on."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np

_CATALOGUE = {
    "tea": ["green tea", "black tea", "herbal tea"],
    "coffee": ["espresso", "filter coffee", "decaf"],
    "sweets": ["dark chocolate", "milk chocolate", "biscuits", "nougat"],
    "spreads": ["honey", "jam", "nut butter"],
    "savoury": ["olives", "crackers", "pickles", "hard cheese"],
    "drinks": ["red wine", "white wine", "cider"],
}
_MAKERS = ["Alder", "Birch", "Cedar", "Elm", "Hazel", "Juniper"]
_SIZES = ["tin", "box", "sampler"]
_UPCOMING = 40  # products at the end of the catalogue that nobody could order yet
_TASTES = {
    "breakfast": ["coffee", "spreads", "sweets"],
    "afternoon": ["tea", "sweets", "spreads"],
    "evening": ["drinks", "savoury", "coffee"],
}


def write_shop(folder: str | os.PathLike[str] = "shop", customers: int = 600, seed: int = 0) -> Path:
    """Write a simulated shop: `orders.csv` (customer, product) and `catalogue.csv` (child, parent).

    The catalogue goes department > kind > product. Customers have tastes: breakfast, afternoon or evening. A few
    products are popular, most are not, and forty are so new that nobody has ordered them.

    Parameters
    ----------
    folder
        Where to; made if it is not there.
    customers
        How many.
    seed
        Same seed, same files.

    Returns
    -------
    Path
        The folder.

    Examples
    --------
    >>> import tempfile
    >>> shop = write_shop(tempfile.mkdtemp(), customers=3)
    >>> sorted(file.name for file in shop.iterdir())
    ['catalogue.csv', 'orders.csv']
    """
    rng = np.random.default_rng(seed)
    products = [(f"{maker} {kind}, {size}", kind) for kind in _kinds() for maker in _MAKERS for size in _SIZES]
    order = rng.permutation(len(products))
    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    _write(path / "catalogue.csv", ("child", "parent"), [*products, *_kinds().items()])
    _write(path / "orders.csv", ("customer", "product"), _orders([products[i] for i in order], customers, rng))
    return path


def _kinds() -> dict[str, str]:
    """The department of each kind of product."""
    return {kind: department for department, kinds in _CATALOGUE.items() for kind in kinds}


def _orders(products: list[tuple[str, str]], customers: int, rng: np.random.Generator) -> Iterable[tuple[str, str]]:
    """Each customer keeps to a taste and, within it, to a few kinds; the product is drawn by popularity."""
    kinds, sold = _kinds(), products[:-_UPCOMING]
    popularity = 1.0 / np.arange(1, len(sold) + 1) ** 1.1
    for number in range(customers):
        departments = _TASTES[str(rng.choice(list(_TASTES)))]
        liking = {kind: rng.gamma(0.5) * (8.0 if kinds[kind] in departments else 0.5) for kind in kinds}
        weights = popularity * np.array([liking[kind] for _, kind in sold])
        basket = rng.choice(len(sold), size=int(rng.integers(3, 25)), p=weights / weights.sum())
        for product in sorted({sold[i][0] for i in basket}):
            yield f"c{number + 1}", product


def _write(path: Path, header: tuple[str, str], rows: Iterable[tuple[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
