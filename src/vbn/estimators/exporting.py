"""A model for other tools: files of densities, a table for databases, gensim's vectors."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vbn._errors import REMEDY, MissingExtraError, ParameterError
from vbn.estimators.checking import need_choice
from vbn.estimators.queries import Queries
from vbn.inference import Dial, read_out
from vbn.model import Trained
from vbn.storage import Densities, write_densities, write_export, write_serving

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


class Exports(Queries):
    """What a model gives to other tools."""

    if TYPE_CHECKING:

        def _dial(self, popularity: Any, floor: Any = 0.0, favour: str | None = None) -> Dial: ...

    def export(
        self,
        path: str | os.PathLike[str],
        format: str | None = None,  # noqa: A002 - what other libraries call it
        *,
        role: str = "entity",
        side: str = "column",
        categories: bool = True,
        readout: str = "entity",
        smoothing: float = 3.0,
    ) -> Path:
        """Write the densities to one file that other tools open; an existing file is replaced whole or not at all.

        Parameters
        ----------
        path
            Name of the file.
        format : {"word2vec", "word2vec-binary", "parquet", "safetensors", "numpy", "serving"}, optional
            By default given by the suffix: .txt or .vec, .bin, .parquet, .safetensors, .npz.

            - "word2vec", "word2vec-binary": means only, for gensim's `KeyedVectors.load_word2vec_format` and the like.
              Whitespace within a name becomes "_", as a space ends a name there; two names that would become the same
              are an error.
            - "parquet": columns entity, count, parents, mean and variance, the last three as lists (extra "tables").
            - "safetensors": tensors means, variances, counts, names (utf-8) and name_ends, where each name ends.
            - "numpy": an .npz of the arrays names, counts, means and variances.
            - "serving": a parquet table of both sides for databases, from which plain SQL computes mean, variance and
              probability of any pair: id, entity, label, side, count, category, mean and variance (vectors whose
              inner products are mean and variance of a score), base, slope and intercept (of rows), dial (of
              columns). The other options do not apply. docs/production.md has the statements.

            Labels are written where the model has them, except to word2vec files.
        role
            "entity": densities as rows (u); "context": as columns (v). Where rows and columns are different entities,
            the density is that of the given side.
        side
            "row" or "column", where the two differ.
        categories
            Whether to write entities without data that are only parents of others. `similar` never answers with them;
            without them gensim does not either.
        readout, smoothing
            Which vectors stand for the entities, as in `vectors`.

        Returns
        -------
        Path
            The file. Entities come in the order of their ids, mostly by falling count.

        Examples
        --------
        >>> import tempfile, vbn
        >>> model = vbn.VBN(dim=2, epochs=2, verbose=False).fit(vbn.Dataset.from_pairs(["a", "b"], ["b", "a"]))
        >>> file = model.export(tempfile.mkdtemp() + "/vectors.txt")
        >>> file.read_text().splitlines()[0]
        '2 2'
        """
        if format == "serving":
            given = {"role": role != "entity", "side": side != "column", "readout": readout != "entity"}
            for name in (name for name, changed in given.items() if changed):
                raise ParameterError(f"a serving table has both sides as they are; omit {REMEDY}.", remedies=[(name,)])
            return self._serving(path)
        found = _densities(self.trained_, role, side, categories, readout, smoothing)
        return write_densities(path, found, format, others=("serving",))

    def to_keyed_vectors(
        self,
        *,
        role: str = "entity",
        side: str = "column",
        categories: bool = False,
        readout: str = "entity",
        smoothing: float = 3.0,
    ) -> KeyedVectors:
        """Return the posterior means as gensim's `KeyedVectors`, with names and "count" (extra "gensim").

        Parameters
        ----------
        role, side, categories, readout, smoothing
            As in `export`, but without categories by default: `most_similar` would answer with them.

        Examples
        --------
        >>> import vbn
        >>> model = vbn.VBN(dim=2, epochs=2, verbose=False).fit(vbn.Dataset.from_pairs(["a", "b"], ["b", "a"]))
        >>> vectors = model.to_keyed_vectors()
        >>> vectors.vector_size, int(vectors.get_vecattr("a", "count"))
        (2, 1)
        """
        densities = _densities(self.trained_, role, side, categories, readout, smoothing)
        try:
            from gensim.models import KeyedVectors
        except ImportError as error:
            raise MissingExtraError("gensim is not installed: pip install 'vbn[gensim]'.") from error
        vectors = KeyedVectors(densities.dim, count=0, dtype=densities.mean.dtype)
        vectors.add_vectors(densities.names, np.array(densities.mean))
        counts = densities.counts
        whole = bool((counts == np.floor(counts)).all())  # gensim's own counts are of that type
        for name, count in zip(densities.names, counts.astype(np.int64 if whole else np.float64).tolist(), strict=True):
            vectors.set_vecattr(name, "count", count)
        return vectors

    def _serving(self, path: str | os.PathLike[str]) -> Path:
        trained, dial = self.trained_, self._dial("auto")
        added = dial.added(trained.profile) if dial else np.zeros(len(trained.columns))
        return write_export(path, lambda _: write_serving, trained, added)


def _densities(
    trained: Trained, role: str, side: str, categories: bool, readout: str = "entity", smoothing: float = 3.0
) -> Densities:
    """Return the densities of a role and side, with or without entities that are only categories."""
    need_choice("role", role, ("entity", "context"))
    if role == "context" and readout != "entity":
        raise ParameterError(
            f"{REMEDY} is the density as a column alone; omit it, or omit {REMEDY}.",
            remedies=[("role", role), ("readout", readout)],
        )
    names, taxonomy = trained.vocabulary(side), trained.taxonomy(side)
    part = trained.halves(side)[-1].block if role == "context" else read_out(trained, readout, side, smoothing)
    if categories:
        ids, kept = np.arange(len(names)), list(names)
        return Densities(kept, names.counts, part.mean, part.variance, taxonomy, ids, names.labels_of(ids))
    ids = np.flatnonzero(trained.profile.candidates(side))
    kept = [names[i] for i in ids.tolist()]
    chosen = names.counts[ids], part.mean[ids], part.variance[ids]
    return Densities(kept, *chosen, taxonomy, ids, names.labels_of(ids))
