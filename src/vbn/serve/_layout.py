"""A place in the plane for every entity: computed once, kept beside the model."""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vbn.model._trained import Trained

FILE = "layout.npz"
_NEIGHBOURS = 10  # whose places a new entity stands between


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


def lay_out(trained: Trained, side: str = "column", method: str = "auto") -> Layout:
    """Places by openTSNE where it is installed, else the two principal axes.

    Parameters
    ----------
    trained
        The model.
    side
        Whose places.
    method
        "auto", "t-SNE" or "principal axes".
    """
    ids = np.flatnonzero(trained.profile.candidates(side))
    vectors = unit(_part(trained, side).mean[ids].astype(np.float64))
    chosen = method
    if method == "auto":
        chosen = "t-SNE" if _has_tsne() and len(ids) > 50 else "principal axes"
    axes = principal(vectors)
    places = _tsne(vectors, axes) if chosen == "t-SNE" else axes
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


def _tsne(vectors: np.ndarray, start: np.ndarray) -> np.ndarray:
    import openTSNE

    spread = np.maximum(start.std(axis=0)[0], 1e-12)
    made = openTSNE.TSNE(
        perplexity=min(30.0, (len(vectors) - 1) / 3), initialization=start / spread * 1e-4, metric="cosine",
        random_state=0, n_jobs=-1,
    ).fit(vectors)  # fmt: skip
    return np.asarray(made)


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
    length = np.linalg.norm(own)
    if length < 1e-12:
        return None
    others = unit(_part(old, side).mean[layout.ids].astype(np.float64))
    cosines = others @ (own / length)
    nearest = np.argsort(-cosines, kind="stable")[:_NEIGHBOURS]
    weights = np.exp(8.0 * (cosines[nearest] - cosines[nearest].max()))
    x, y = weights @ layout.places[nearest] / weights.sum()
    return float(x), float(y)


def kept_layout(trained: Trained, folder: Path | None, mark: str) -> Layout:
    """The layout of the columns: from its file beside the model, or computed and written there.

    Parameters
    ----------
    trained
        The model.
    folder
        That of the model; None for a model in memory.
    mark
        What tells this model from others; a layout of another one is not used.
    """
    if folder is not None:
        found = _read(folder / FILE, mark)
        if found is not None:
            return found
    made = lay_out(trained)
    if folder is not None:
        _write(folder / FILE, made, mark)
    return made


def _read(path: Path, mark: str) -> Layout | None:
    try:
        with np.load(path, allow_pickle=False) as file:
            facts = json.loads(str(file["facts"]))
            if facts.get("model") != mark:
                return None
            return Layout(facts["side"], file["ids"], file["places"], facts["method"])
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile):  # none yet, or not ours: made anew
        return None


def _write(path: Path, layout: Layout, mark: str) -> None:
    facts = json.dumps({"model": mark, "side": layout.side, "method": layout.method})
    handle, part = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as stream:
            np.savez_compressed(stream, ids=layout.ids, places=layout.places, facts=np.array(facts))
        Path(part).replace(path)
    except OSError:  # a folder that may not be written to: the layout is computed at every start
        Path(part).unlink(missing_ok=True)
