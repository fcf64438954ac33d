"""A place in the plane for every entity: computed once, kept beside the model."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vbn._cores import available_cores
from vbn.model import Trained
from vbn.serve import _tsne

FILE = "layout.npz"
_METHODS = ("t-SNE", "principal axes")
_FEWEST = 50  # entities: t-SNE of fewer shows nothing that the principal axes do not
_NEIGHBOURS = 10  # whose places a new entity stands between
_AT_ONCE = 64  # new entities
_EDGE = 1.0 + 1e-5  # of the plane, rounding included


@dataclass(frozen=True)
class Layout:
    """Places of the entities of a side.

    Attributes
    ----------
    side : str
        "row" or "column".
    ids : ndarray
        Which entities have one: all but parents without data.
    places : ndarray
        (n, 2), within -1 and 1.
    method : str
        "t-SNE" or "principal axes".
    """

    side: str
    ids: np.ndarray
    places: np.ndarray
    method: str


def lay_out(
    trained: Trained, side: str = "column", seed: int = 0, method: str = "auto",
    wanted: Callable[[], bool] = lambda: True,
) -> Layout:  # fmt: skip
    """Places by openTSNE where it is installed, else the two principal axes.

    Parameters
    ----------
    trained
        The model.
    side
        Whose places.
    seed
        Of t-SNE.
    method
        "auto", "t-SNE" or "principal axes".
    wanted
        Asked now and then during t-SNE; where it says no, `NotWantedError` is raised.
    """
    ids = np.flatnonzero(trained.profile.candidates(side))
    vectors = unit(_part(trained, side).mean[ids].astype(np.float64))
    chosen = method
    if method == "auto":
        chosen = "t-SNE" if _has_tsne() and len(ids) > _FEWEST else "principal axes"
    places = principal(vectors)
    if chosen == "t-SNE":
        jobs = max(1, available_cores() // 2)
        places = _tsne.places(vectors, places, seed, jobs, wanted)
    return Layout(side, ids, scaled(places).astype(np.float32), chosen)


def _part(trained: Trained, side: str) -> Any:
    return trained.posterior.u if side == "row" or trained.shared else trained.posterior.v


def _has_tsne() -> bool:
    import importlib.util

    return importlib.util.find_spec("openTSNE") is not None


def unit(vectors: np.ndarray) -> np.ndarray:
    """Vectors of length 1; those of length 0 stay."""
    result: np.ndarray = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return result


def principal(vectors: np.ndarray) -> np.ndarray:
    """Coordinates on the two directions of largest variance, each turned so that its longest way is positive."""
    centred = vectors - vectors.mean(axis=0) if len(vectors) else vectors
    _, directions = np.linalg.eigh(centred.T @ centred)
    axes = directions[:, ::-1][:, :2]
    if axes.shape[1] < 2:  # a model of one dimension
        axes = np.pad(axes, ((0, 0), (0, 2 - axes.shape[1])))
    found = centred @ axes
    turn = np.sign(found[np.abs(found).argmax(axis=0), [0, 1]]) if len(found) else np.ones(2)
    result: np.ndarray = found * np.where(turn == 0, 1.0, turn)
    return result


def scaled(places: np.ndarray) -> np.ndarray:
    """The same within -1 and 1, without changing the shape."""
    if not len(places):
        return places
    low, high = places.min(axis=0), places.max(axis=0)
    result: np.ndarray = (places - (low + high) / 2) / max(float((high - low).max()) / 2, 1e-12)
    return result


def placed(layout: Layout, old: Trained, grown: Trained, name: str, side: str) -> tuple[float, float] | None:
    """Where a new entity stands: between its nearest neighbours, the nearer the heavier."""
    if side != layout.side and not old.shared:
        return None
    own = _part(grown, side).mean[grown.vocabulary(side).id(name)].astype(np.float64)
    if np.linalg.norm(own) < 1e-12:
        return None
    others = unit(_part(old, side).mean[layout.ids].astype(np.float64))
    ((x, y),) = _between(layout.places, others, unit(own[None]))
    return float(x), float(y)


def extended(layout: Layout, grown: Trained) -> Layout:
    """The same places after entities were added to the model, each of which stands between its nearest neighbours."""
    ids = np.flatnonzero(grown.profile.candidates(layout.side))
    if np.array_equal(ids, layout.ids):
        return layout
    mean = _part(grown, layout.side).mean
    there = layout.ids < len(mean)  # not so for who still asks a model that has fewer
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
    """Weighted means of the places of each vector's nearest neighbours."""
    if not len(others):
        return np.zeros((len(vectors), 2))
    cosines = vectors @ others.T
    nearest = np.argsort(-cosines, axis=1, kind="stable")[:, :_NEIGHBOURS]
    near = np.take_along_axis(cosines, nearest, axis=1)
    weights = np.exp(8.0 * (near - near.max(axis=1, keepdims=True)))
    result: np.ndarray = np.einsum("nk,nkd->nd", weights, places[nearest]) / weights.sum(axis=1, keepdims=True)
    return result


def stored(folder: Path, trained: Trained, mark: str) -> Layout | None:
    """The layout that is kept beside a model.

    Parameters
    ----------
    folder
        That of the model.
    trained
        The model.
    mark
        What tells it from others.

    Returns
    -------
    Layout or None
        None where there is none, it is of another model, or it is broken.
    """
    ids = np.flatnonzero(trained.profile.candidates("column"))
    try:
        with (folder / FILE).open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            facts = json.loads(str(file["facts"]))
            if facts["model"] != mark or facts["side"] != "column" or facts["method"] not in _METHODS:
                return None
            found = Layout(facts["side"], file["ids"], file["places"], facts["method"])
    except Exception:  # noqa: BLE001 - a flipped byte may raise anything, and what is broken is computed anew
        return None
    right = np.array_equal(found.ids, ids) and found.places.shape == (len(ids), 2) and found.places.dtype == np.float32
    return found if right and bool((np.abs(found.places) <= _EDGE).all()) else None


def store(folder: Path, layout: Layout, mark: str) -> None:
    """Keep a layout beside its model; where nothing may be written, it is computed at every start."""
    facts = json.dumps({"model": mark, "side": layout.side, "method": layout.method})
    try:
        handle, part = tempfile.mkstemp(dir=folder, suffix=".part")
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as stream:
            np.savez_compressed(stream, ids=layout.ids, places=layout.places, facts=np.array(facts))
        Path(part).replace(folder / FILE)
    except OSError:
        Path(part).unlink(missing_ok=True)
