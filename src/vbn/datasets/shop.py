"""A simulated delicatessen: orders with a long tail and a catalogue as taxonomy, as csv files to try things out on."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from vbn._errors import DataError

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

    Raises
    ------
    DataError
        If the folder has files of these names with other content, or cannot be written to.

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
    catalogue = as_csv(("child", "parent"), [*products, *_kinds().items()])
    orders = as_csv(("customer", "product"), _orders([products[i] for i in order], customers, rng))
    return write_files(folder, {"catalogue.csv": catalogue, "orders.csv": orders}, "shop")


def _kinds() -> dict[str, str]:
    """Return the department of each kind of product."""
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


def as_csv(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> bytes:
    """Return a table with a header as the bytes of a csv file."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()


def write_files(folder: str | os.PathLike[str], files: Mapping[str, bytes], what: str) -> Path:
    """Write files to a folder unless one of their names is taken by another file, which may be a user's data."""
    if not os.fspath(folder):
        raise DataError(f"the folder of the {what} has no name; give one, such as {what!r}")
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            file = path / name
            if file.exists() and file.read_bytes() != content:
                raise DataError(
                    f"{str(file)!r} is there already, with other content; choose another folder or remove it"
                )
        for name, content in files.items():
            (path / name).write_bytes(content)
    except OSError as error:
        raise DataError(f"cannot write the {what} to {str(path)!r}: {error.strerror or error}") from error
    return path
