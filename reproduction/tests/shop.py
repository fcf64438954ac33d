"""The simulated shop as a domain: small enough to be reproduced in a test."""

from __future__ import annotations

import csv
from pathlib import Path

from reproduction.domains import Domain
from vbn.datasets import Interactions, write_shop


def shop(folder: Path, customers: int = 600) -> Domain:
    """Orders and catalogue of a shop."""
    write_shop(folder, customers)

    def rows(name: str) -> list[list[str]]:
        with (folder / name).open(encoding="utf-8", newline="") as stream:
            return list(csv.reader(stream))[1:]

    orders = Interactions.collect((customer, product, 1.0, -1) for customer, product in rows("orders.csv"))
    edges = [(child, parent, 1.0) for child, parent in rows("catalogue.csv")]
    return Domain("shop", "A shop", "Simulated orders.", orders.distinct(), 5, {"catalogue": lambda: edges})
