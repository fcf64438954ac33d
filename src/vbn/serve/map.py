"""The map: a place in the plane for every entity, kept beside the model, and the bytes that a page draws."""

from __future__ import annotations

import gzip
import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from vbn._cores import available_cores
from vbn.data import Taxonomy, check_archive
from vbn.model import Trained
from vbn.serve import tsne
from vbn.storage import LAYOUT

LAYOUT_FILE = LAYOUT

_FIELDS = (
    ("id", "<u4"),
    ("x", "<f4"),
    ("y", "<f4"),
    ("std", "<f4"),
    ("count", "<f4"),
    ("branch", "<u4"),
    ("prior", "<f4"),
)
_METHODS = ("t-SNE", "principal axes")
_FEWEST = 50  # entities; for fewer, t-SNE shows no more than the principal axes
_NEIGHBOURS = 10  # a new entity is placed between
_AT_ONCE = 64  # new entities
_DRAWS = 100  # from a density, for its ellipse
_COMPARED = 10_000  # entities that these are compared with, at most about twice as many
_EDGE = 1.0 + 1e-5  # of the plane, with rounding
_MOST = 12  # branches with a colour of their own
_SMALLEST = 0.01  # share of the entities below which a branch has no colour of its own
_ROOM = 1 << 16  # bytes of a stored layout besides its numbers and places
_RARE = 0.25  # share of the entities that are called rare


@dataclass(frozen=True)
class Layout:
    """Places of the entities of a side."""

    side: str
    ids: np.ndarray  # the entities that have a place: all but parents without data
    places: np.ndarray  # of shape (n, 2), between -1 and 1
    method: str  # "t-SNE" or "principal axes"


def lay_out(
    trained: Trained,
    side: str = "column",
    seed: int = 0,
    method: str = "auto",
    wanted: Callable[[], bool] = lambda: True,
) -> Layout:
    """Return places by openTSNE if it is installed, else ("auto") or always ("principal axes") by the principal axes.

    `wanted` is called now and then during t-SNE; if it returns False, `NotWantedError` is raised.
    """
    ids = np.flatnonzero(trained.profile.candidates(side))
    vectors = unit(_part(trained, side).mean[ids].astype(np.float64))
    if method == "auto":
        method = "t-SNE" if find_spec("openTSNE") is not None and len(ids) > _FEWEST else "principal axes"
    places = principal(vectors)
    if method == "t-SNE":
        places = tsne.places(vectors, places, seed, max(1, available_cores() // 2), wanted)
    return Layout(side, ids, scaled(places).astype(np.float32), method)


def _part(trained: Trained, side: str) -> Any:
    return trained.halves(side)[0].block


def unit(vectors: np.ndarray) -> np.ndarray:
    """Return vectors scaled to length 1; those of length 0 stay."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12))


def principal(vectors: np.ndarray) -> np.ndarray:
    """Return coordinates on the two directions of largest variance, each with its largest value positive."""
    centred = vectors - vectors.mean(axis=0) if len(vectors) else vectors
    _, directions = np.linalg.eigh(centred.T @ centred)
    axes = directions[:, ::-1][:, :2]
    if axes.shape[1] < 2:  # a model of one dimension
        axes = np.pad(axes, ((0, 0), (0, 2 - axes.shape[1])))
    found = centred @ axes
    turn = np.sign(found[np.abs(found).argmax(axis=0), [0, 1]]) if len(found) else np.ones(2)
    return np.asarray(found * np.where(turn == 0, 1.0, turn))


def scaled(places: np.ndarray) -> np.ndarray:
    """Return places scaled to lie between -1 and 1, with the same scale in both directions."""
    if not len(places):
        return places
    low, high = places.min(axis=0), places.max(axis=0)
    return np.asarray((places - (low + high) / 2) / max(float((high - low).max()) / 2, 1e-12))


def placed(layout: Layout, old: Trained, grown: Trained, name: str, side: str) -> tuple[float, float] | None:
    """Return the place of a new entity: between its nearest neighbours, weighted by their cosines."""
    if side != layout.side and not old.shared:
        return None
    own = _part(grown, side).mean[grown.vocabulary(side).id(name)].astype(np.float64)
    if np.linalg.norm(own) < 1e-12:
        return None
    others = unit(_part(old, side).mean[layout.ids].astype(np.float64))
    ((x, y),) = _between(layout.places, others, unit(own[None]))
    return float(x), float(y)


def extended(layout: Layout, grown: Trained) -> Layout:
    """Return the layout after entities were added to the model, each placed between its nearest neighbours."""
    ids = np.flatnonzero(grown.profile.candidates(layout.side))
    if np.array_equal(ids, layout.ids):
        return layout
    mean = _part(grown, layout.side).mean
    there = layout.ids < len(mean)  # an older model, which is still asked, has fewer
    others = unit(mean[layout.ids[there]].astype(np.float64))
    old = np.isin(ids, layout.ids)
    places = np.empty((len(ids), 2), dtype=np.float32)
    places[old] = layout.places[np.isin(layout.ids, ids)]  # both are in order
    new = np.flatnonzero(~old)
    for at in range(0, len(new), _AT_ONCE):
        some = new[at : at + _AT_ONCE]
        places[some] = _between(layout.places[there], others, unit(mean[ids[some]].astype(np.float64)))
    return Layout(layout.side, ids, places, layout.method)


def _between(places: np.ndarray, others: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return weighted means of the places of each vector's nearest neighbours."""
    if not len(others):
        return np.zeros((len(vectors), 2))
    cosines = vectors @ others.T
    nearest = np.argsort(-cosines, axis=1, kind="stable")[:, :_NEIGHBOURS]
    near = np.take_along_axis(cosines, nearest, axis=1)
    weights = np.exp(8.0 * (near - near.max(axis=1, keepdims=True)))
    return np.asarray(np.einsum("nk,nkd->nd", weights, places[nearest]) / weights.sum(axis=1, keepdims=True))


def spread(
    layout: Layout, trained: Trained, number: int, draws: int = _DRAWS
) -> tuple[tuple[float, float], tuple[float, float], float] | None:
    """Return the place of an entity, the half axes of an ellipse of one standard deviation, and its angle.

    The ellipse is that of draws from its density, each placed between the entities nearest to it; None if the entity
    has no place.
    """
    at = int(np.searchsorted(layout.ids, number))
    if at >= len(layout.ids) or layout.ids[at] != number:
        return None
    part = _part(trained, layout.side)
    some = layout.ids[:: max(1, len(layout.ids) // _COMPARED)]
    others = unit(part.mean[some].astype(np.float64))
    mean, std = part.mean[number].astype(np.float64), np.sqrt(part.variance[number].astype(np.float64))
    drawn = mean + std * np.random.default_rng(number).standard_normal((draws, len(mean)))
    places = layout.places[np.searchsorted(layout.ids, some)].astype(np.float64)
    found = _between(places, others, unit(drawn))
    values, vectors = np.linalg.eigh(np.cov(found.T))
    x, y = layout.places[at].tolist()
    minor, major = np.sqrt(np.maximum(values, 0.0)).tolist()
    return (x, y), (major, minor), float(np.arctan2(vectors[1, 1], vectors[0, 1]))


def stored(folder: Path, trained: Trained, mark: str) -> Layout | None:
    """Return the layout kept beside a model with this checksum; None if it is missing, broken or of another model."""
    ids = np.flatnonzero(trained.profile.candidates("column"))
    try:
        with (folder / LAYOUT_FILE).open("rb") as stream:
            check_archive(stream, _ROOM + 16 * len(ids))
            with np.load(stream, allow_pickle=False) as file:
                facts = json.loads(str(file["facts"]))
                if facts["model"] != mark or facts["side"] != "column" or facts["method"] not in _METHODS:
                    return None
                found = Layout(facts["side"], file["ids"], file["places"], facts["method"])
    except Exception:  # noqa: BLE001 - a flipped byte may raise anything, and a broken layout is computed again
        return None
    right = np.array_equal(found.ids, ids) and found.places.shape == (len(ids), 2) and found.places.dtype == np.float32
    return found if right and bool((np.abs(found.places) <= _EDGE).all()) else None


def store(folder: Path, layout: Layout, mark: str) -> None:
    """Keep a layout beside its model; if the folder is read-only, it is computed at every start instead."""
    facts = json.dumps({"model": mark, "side": layout.side, "method": layout.method})
    try:
        handle, part = tempfile.mkstemp(dir=folder, suffix=".part")
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as stream:
            np.savez_compressed(stream, ids=layout.ids, places=layout.places, facts=np.array(facts))
        Path(part).replace(folder / LAYOUT_FILE)
    except OSError:
        Path(part).unlink(missing_ok=True)


@dataclass(frozen=True)
class Map:
    """What a page fetches: the numbers as bytes, and what they are."""

    body: bytes
    about: dict[str, Any]

    @cached_property
    def packed(self) -> bytes:
        """The body compressed, once for all who ask."""
        return gzip.compress(self.body, 6, mtime=0)


def draw_map(trained: Trained, layout: Layout, final: bool, kept: list[str] | None = None) -> Map:
    """Return the map of a layout; if `final` is False, a better layout is being computed.

    `kept` are the branches of an earlier map of this model: they keep their colours when entities are added.
    """
    names, ids = trained.columns, layout.ids
    branch, titles = branches(trained, ids, kept)
    variance = _part(trained, "column").variance[ids].astype(np.float64)
    stds, prior = np.sqrt(variance).mean(axis=1), prior_shares(trained, ids, variance)
    blocks = (ids, layout.places[:, 0], layout.places[:, 1], stds, names.counts[ids], branch, prior)
    body = b"".join(np.asarray(block).astype(kind).tobytes() for block, (_, kind) in zip(blocks, _FIELDS, strict=True))
    about = {
        "places": len(ids),
        "fields": [{"name": name, "type": kind} for name, kind in _FIELDS],
        "branches": titles,
        "labels": [names.label(names.id(title)) if n else None for n, title in enumerate(titles)],
        "method": layout.method,
        "final": final,
        "rare": rare_below(names.counts[ids].astype(np.float32)),
    }
    return Map(body, about)


def prior_shares(trained: Trained, ids: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """Return how much of each density comes from its prior, as `explain` tells it."""
    half = trained.halves("column")[0]
    shares = np.minimum(half.block.tau[ids].astype(np.float64)[:, None] * variance, 1.0).mean(axis=1)
    return np.asarray(np.where(half.side.active[ids], shares, 1.0))


def rare_below(counts: np.ndarray) -> float:
    """Return the largest count of rare entities: the rarest quarter, without the most frequent ones.

    >>> [rare_below(np.array(counts)) for counts in ([1, 1, 2, 3, 50, 700, 8, 9], [4, 4, 4], [1, 1, 1, 2])]
    [1.0, 0.0, 1.0]
    """
    fewer = counts[counts < counts.max(initial=0)]
    if not len(fewer):
        return 0.0
    last = np.sort(counts)[max(int(_RARE * len(counts)) - 1, 0)]
    return float(min(last, fewer.max()))


def branches(trained: Trained, ids: np.ndarray, kept: list[str] | None = None) -> tuple[np.ndarray, list[str]]:
    """Return the branch of the taxonomy that each entity hangs under, and the branches' names; 0 is "other".

    There are only as many branches as a page has colours. They begin right below the roots, and the largest is split as
    long as its parts are not too small, because the upper levels of a taxonomy are often a mere chain. An entity with
    several parents follows the one of largest weight. `kept` are names of branches that were chosen before.
    """
    taxonomy, names = trained.column_taxonomy, trained.columns
    if taxonomy is None:
        return np.zeros(len(ids), dtype=np.int64), ["other"]
    up = _heaviest_parent(taxonomy, len(names))
    levels = _levels(up)
    chosen = _split(up, _sizes(up, levels, ids), len(ids)) if kept is None else names.ids(kept[1:]).tolist()
    number = np.zeros(len(names), dtype=np.int64)
    number[chosen] = np.arange(1, len(chosen) + 1)
    for level in levels[1:]:
        number[level] = np.where(number[level] > 0, number[level], number[up[level]])
    return number[ids], ["other", *(names[node] for node in chosen)]


def below(trained: Trained, ids: np.ndarray) -> np.ndarray:
    """Return how many of some entities hang under each node of the taxonomy, each by its heaviest parent."""
    taxonomy = trained.column_taxonomy
    if taxonomy is None:
        return np.zeros(len(trained.columns), dtype=np.int64)
    up = _heaviest_parent(taxonomy, len(trained.columns))
    return _sizes(up, _levels(up), ids)


def _sizes(up: np.ndarray, levels: list[np.ndarray], ids: np.ndarray) -> np.ndarray:
    size = np.zeros(len(up), dtype=np.int64)
    size[ids] = 1
    for level in reversed(levels[1:]):
        np.add.at(size, up[level], size[level])
    return size


def _heaviest_parent(taxonomy: Taxonomy, n: int) -> np.ndarray:
    child, parent, weight = taxonomy.edges()
    up = np.full(n, -1, dtype=np.int64)
    order = np.lexsort((-parent, weight))  # the last one stays: that of largest weight
    up[child[order]] = parent[order]
    return up


def _levels(up: np.ndarray) -> list[np.ndarray]:
    """Return the nodes of each level, the roots first."""
    depth, here = np.zeros(len(up), dtype=np.int64), up
    while (here >= 0).any():
        depth += here >= 0
        here = np.where(here >= 0, up[np.maximum(here, 0)], -1)
    return [np.flatnonzero(depth == d) for d in range(int(depth.max(initial=0)) + 1)]


def _split(up: np.ndarray, size: np.ndarray, total: int) -> list[int]:
    """Return parents, none above another, that most entities hang under, the largest first."""
    inner = np.unique(up[up >= 0])
    below: dict[int, list[int]] = {}
    for node in inner[size[inner] >= max(_SMALLEST * total, 1.0)].tolist():
        below.setdefault(int(up[node]), []).append(node)
    done: list[int] = []
    open_ = sorted(below.pop(-1, []), key=lambda node: -size[node])
    while open_ and len(open_) + len(done) < _MOST:
        node = open_.pop(0)
        parts = below.get(node, [])
        if 2 * size[parts].sum() > size[node]:
            open_ = sorted([*open_, *parts], key=lambda part: -size[part])
        else:
            done.append(node)
    return sorted([*done, *open_], key=lambda node: -size[node])[:_MOST]
