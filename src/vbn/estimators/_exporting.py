"""Densities in the formats of other tools: `export` and `to_keyed_vectors`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from vbn._errors import MissingExtraError, ParameterError
from vbn.estimators._queries import Queries
from vbn.model import Trained
from vbn.storage import Densities, write_densities

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


class Exporting(Queries):
    """Gives a model `export` and `to_keyed_vectors`."""

    def export(
        self, path: str | os.PathLike[str], format: str | None = None, *, role: str = "entity", side: str = "column",  # noqa: A002
        categories: bool = True,
    ) -> Path:  # fmt: skip
        """Write the densities to one file that other tools open; an existing file is replaced whole or not at all.

        Parameters
        ----------
        path
            Name of the file.
        format : {"word2vec", "word2vec-binary", "parquet", "safetensors", "numpy"}, optional
            By default what the suffix says: .txt or .vec, .bin, .parquet, .safetensors, .npz.

            - "word2vec", "word2vec-binary": means only, for gensim's `KeyedVectors.load_word2vec_format` and its like.
              Whitespace within a name becomes "_", as a space ends a name there; two names that would become the same
              are an error.
            - "parquet": columns entity, count, parents, mean and variance, the last three of lists (extra "tables").
            - "safetensors": tensors means, variances, counts, names (utf-8) and name_ends, where each name ends.
            - "numpy": an .npz of the arrays names, counts, means and variances.
        role
            "entity": densities as rows (u); "context": as columns (v). Where rows and columns are different entities,
            the density is that of the given side.
        side
            "row" or "column", where the two differ.
        categories
            Whether to write entities that were never seen and are only parents of others, too. `similar` never answers
            with them; without them gensim does not either.

        Returns
        -------
        Path
            The file. Entities come in the order of their ids: mostly by falling count.

        Examples
        --------
        >>> import tempfile, vbn
        >>> model = vbn.VBN(dim=2, epochs=2, verbose=False).fit(vbn.Dataset.from_pairs(["a", "b"], ["b", "a"]))
        >>> file = model.export(tempfile.mkdtemp() + "/vectors.txt")
        >>> file.read_text().splitlines()[0]
        '2 2'
        """
        return write_densities(path, chosen_densities(self._model(), role, side, categories), format)

    def to_keyed_vectors(self, *, role: str = "entity", side: str = "column", categories: bool = True) -> KeyedVectors:
        """The posterior means as gensim's `KeyedVectors`, names and all (extra "gensim"); each has its "count".

        Parameters
        ----------
        role, side, categories
            As in `export`.

        Examples
        --------
        >>> import vbn
        >>> model = vbn.VBN(dim=2, epochs=2, verbose=False).fit(vbn.Dataset.from_pairs(["a", "b"], ["b", "a"]))
        >>> vectors = model.to_keyed_vectors()
        >>> vectors.vector_size, int(vectors.get_vecattr("a", "count"))
        (2, 1)
        """
        densities = chosen_densities(self._model(), role, side, categories)
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


def chosen_densities(trained: Trained, role: str, side: str, categories: bool) -> Densities:
    """The densities of a role and side, with or without entities that are only categories."""
    if role not in ("entity", "context"):
        raise ParameterError(f"role={role!r} is neither 'entity' nor 'context'.")
    names, taxonomy = trained.vocabulary(side), trained.taxonomy(side)
    as_row = role == "entity" if trained.shared else side == "row"
    part = trained.part("u" if as_row else "v")
    if categories:
        return Densities(list(names), names.counts, part.mean, part.variance, taxonomy, np.arange(len(names)))
    ids = np.flatnonzero(trained.profile.candidates(side))
    kept = [names[i] for i in ids.tolist()]
    return Densities(kept, names.counts[ids], part.mean[ids], part.variance[ids], taxonomy, ids)
