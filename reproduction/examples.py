"""Examples to look at: what models take an item for that nobody in training has, or a single user."""

from __future__ import annotations

from typing import Any

import numpy as np

from reproduction.domains import Domain
from reproduction.masking import Masked, Split
from reproduction.models import Model
from reproduction.paper_numbers import NEAREST, PERCENTILES
from reproduction.pool import Pool
from reproduction.results import Texts
from vbn.baselines import Scorer, as_scorer

ITEMS, NEIGHBOURS = 3, 5
_MOVIES = ("Zoolander 2",)  # the paper's example
_SIBLINGS = 2  # as many items must share a parent with a rare one, so that something could be said of it


def missed_most(masked: Masked) -> tuple[str, ...]:
    """The items that lost most interactions: readers know them, while the models do not."""
    lost = np.bincount(masked.cases()[1], minlength=len(masked.interactions.items))
    most = np.argsort(-lost, kind="stable")[:ITEMS]
    return tuple(masked.interactions.items[item] for item in most.tolist() if lost[item])


def neighbours(model: Any, items: tuple[str, ...], catalogue: tuple[str, ...]) -> dict[str, list[str]]:
    """The nearest of the catalogue's items to each, where the model has it at all.

    To models that were given no edges, categories are entities like others; here they are left out.
    """
    if not items or not hasattr(model, "similar"):
        return {}
    known = as_scorer(model).columns
    listed, found = set(catalogue), {}
    for item in (item for item in items if item in known):
        near = model.similar(item, k=len(known)).entities
        found[item] = [name for name in near if name in listed][:NEIGHBOURS]
    return found


def seen_least(masked: Masked, edges: list[tuple[str, str, float]]) -> list[tuple[str, str]]:
    """Rare items, each with the most frequent other item of its one user, who has as few as possible.

    As the paper's *Zoolander 2*, which one user saw: of the items with the fewest users in training, those that share
    a parent with a few others, by how little their users have.
    """
    data, known, counts = masked.interactions, np.flatnonzero(masked.training()), masked.counts()
    sizes = np.bincount(data.user[known], minlength=len(data.users))
    family = _families(edges, {name for name, count in zip(data.items, counts.tolist(), strict=True) if count})
    fewest = counts[counts > 0].min()
    held = known[(counts[data.item[known]] == fewest) & (sizes[data.user[known]] > 1)]
    found: dict[str, str] = {}
    for pair in sorted(held.tolist(), key=lambda pair: (sizes[data.user[pair]], data.items[data.item[pair]])):
        name = data.items[data.item[pair]]
        if len(found) < ITEMS and name not in found and family.get(name, 0) > _SIBLINGS:
            own = data.item[known[data.user[known] == data.user[pair]]]
            others = own[own != data.item[pair]]
            found[name] = data.items[others[np.argmax(counts[others])]]
    return list(found.items())


def _families(edges: list[tuple[str, str, float]], items: set[str]) -> dict[str, int]:
    """For each item the number of items below its smallest parent, itself among them."""
    members: dict[str, list[str]] = {}
    for child, parent, _ in edges:
        if child in items:
            members.setdefault(parent, []).append(child)
    smallest: dict[str, int] = {}
    for children in members.values():
        for child in children:
            smallest[child] = min(smallest.get(child, len(children)), len(children))
    return smallest


def of_the_least(model: Any, scorer: Scorer, split: Split) -> list[dict[str, Any]]:
    """For each of `seen_least`: its neighbours, and its percentile rank where the other item is the query."""
    catalogue = split.masked.interactions.items
    result = []
    for item, beside in seen_least(split.masked, split.domain.edges()):
        found = {"item": item, "beside": beside, "near": neighbours(model, (item,), catalogue).get(item, [])}
        result.append({**found, "percentile": _percentile(scorer, item, beside, catalogue)})
    return result


def _percentile(scorer: Scorer, item: str, query: str, catalogue: tuple[str, ...]) -> float | None:
    """100 is the top, 50 chance; None where the model lacks one of the two."""
    columns = scorer.columns
    if item not in columns or query not in columns:
        return None
    scores = np.asarray(scorer.scores([[query]]))[0]
    others = [columns.id(name) for name in catalogue if name in columns and name not in (item, query)]
    above = (scores[others] > scores[columns.id(item)]).mean() + (scores[others] == scores[columns.id(item)]).mean() / 2
    return float(100.0 * (1.0 - above))


def strangers(domain: Domain, models: tuple[Model, ...], cold: Pool) -> tuple[Texts, ...]:
    """Tables of the neighbours of items without data, a column for each model that has a prior for them."""
    columns = {
        model.name: cold.records[model.key][0].facts["neighbours"] for model in models if cold.records.get(model.key)
    }
    items = dict.fromkeys(item for found in columns.values() for item in found)
    return tuple(
        Texts(
            f"Neighbours of {domain.names.get(item, item)}",
            tuple(columns),
            tuple(
                tuple(_called(domain, found.get(item, []), place) for found in columns.values())
                for place in range(NEIGHBOURS)
            ),
            "All its interactions were removed before training; what is left is its place in the taxonomy.",
        )
        for item in items
    )


def _called(domain: Domain, names: list[str], place: int) -> str:
    return domain.names.get(names[place], names[place]) if place < len(names) else ""


def seen_once(domain: Domain, models: tuple[Model, ...], pool: Pool) -> tuple[Texts, ...]:
    """The paper's two tables of a movie that one user saw: its neighbours, and its rank beside another of that user."""
    found = {
        model.name: facts["seen_least"]
        for model in models
        if model.key in pool.records and (facts := pool.records[model.key][0].facts).get("seen_least")
    }
    if not found:
        return ()
    first = next(iter(found.values()))
    near = [
        Texts(
            f"Nearest to {domain.names.get(entry['item'], entry['item'])}",
            tuple(found),
            tuple(
                tuple(_called(domain, column[number]["near"], place) for column in found.values())
                for place in range(NEIGHBOURS)
            ),
            "One of the items with the fewest users in training, chosen by how few other items these have.",
        )
        for number, entry in enumerate(first)
    ]
    ranks = [
        (
            f"{_called(domain, [entry['item']], 0)}, given {_called(domain, [entry['beside']], 0)}",
            *(_shown(column[number]["percentile"]) for column in found.values()),
        )
        for number, entry in enumerate(first)
    ]
    if domain.name == "movies":
        papers = {model.name: model.paper for model in models}
        near += [_of_the_paper(title, tuple(found), papers) for title in _MOVIES]
        ranks += [
            (f"{rare}, given {query}: paper", *(_shown(values.get(papers[name])) for name in found))
            for (query, rare), values in PERCENTILES.items()
            if rare in _MOVIES
        ]
    table = Texts(
        "Percentile rank of an item that was hardly seen",
        ("item", *found),
        tuple(ranks),
        "Where the most frequent other item of its user is the query: 100 is the top, 50 chance. The paper's point: a "
        "model that is sure of the one thing it saw ranks the item too high.",
    )
    return (*near, table)


def _of_the_paper(title: str, columns: tuple[str, ...], papers: dict[str, str]) -> Texts:
    lists = [NEAREST[title].get(papers[name], ()) for name in columns]
    places = range(max(len(names) for names in lists))
    rows = tuple(tuple(names[place] if place < len(names) else "" for names in lists) for place in places)
    return Texts(f"Nearest to {title}: the paper", columns, rows, "As printed there, for its data.")


def _shown(value: float | None) -> str:
    return "\u2013" if value is None else f"{value:.1f}"
