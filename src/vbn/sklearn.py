"""`EntityEmbedder`: VBN as a scikit-learn transformer, from a users x items matrix to embeddings of users.

Needs scikit-learn (extra "sklearn"), which no other module imports.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from vbn._errors import MissingExtraError
from vbn.data import Counts, Dataset
from vbn.estimators import VBN
from vbn.inference import fold_in
from vbn.kernels import ContextArrays

try:
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data
except ImportError as error:
    raise MissingExtraError("scikit-learn is not installed: pip install 'vbn[sklearn]'.") from error

__all__ = ["EntityEmbedder"]


class EntityEmbedder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Embed users (rows) by their items (columns): counts in, posterior means out.

    `fit` learns densities of the items from a matrix of counts, with a taxonomy of the items as prior if there is one.
    `transform` infers the density of every row from its items in closed form, for rows seen in `fit` and for new ones,
    and returns its mean. The embedding of a row depends on that row only. A row without items has the prior's mean, 0.

    Parameters
    ----------
    dim : int, default 50
        Number of dimensions, and of columns that `transform` returns.
    epochs : int, default 40
        Number of times that every density is updated.
    taxonomy : dict, iterable of rows, table or path, optional
        Parents of items, in any form that `vbn.Dataset.with_taxonomy` takes. Items are named by the columns of X if it
        is a table with names, else "0", "1", ...
    negatives, noise_power, subsample, reject_positives, alpha, beta, average_epochs, tol, dtype, n_threads, verbose
        As in `vbn.VBN`, but `verbose` is False by default. Set `n_threads` to 1 if scikit-learn runs several fits at
        once (`n_jobs`).
    random_state : int, RandomState or None, default 0
        A number is VBN's seed: same seed, same bits. None draws another seed in each fit.

    Attributes
    ----------
    model_ : vbn.VBN
        The trained model, with all its methods: `similar`, `recommend`, `explain`, `save`, ...
    item_embeddings_, item_variances_ : ndarray of shape (n_features_in_, dim)
        Posterior means and variances of the items, in the order of X's columns.
    components_ : ndarray of shape (dim, n_features_in_)
        The same means, laid out as in scikit-learn's decompositions.
    n_features_in_ : int
        Number of items.
    feature_names_in_ : ndarray of str
        Names of the items, if X has names.

    Examples
    --------
    >>> import numpy as np
    >>> from vbn.sklearn import EntityEmbedder
    >>> X = np.array([[3, 1, 0, 0], [1, 2, 0, 0], [0, 0, 2, 1], [0, 0, 1, 3]])
    >>> embedder = EntityEmbedder(dim=2, epochs=10, taxonomy={"0": ["drinks"], "1": ["drinks"]}).fit(X)
    >>> embedder.transform([[1, 0, 0, 0], [0, 0, 1, 1]]).shape
    (2, 2)
    >>> embedder.get_feature_names_out().tolist()
    ['entityembedder0', 'entityembedder1']
    """

    def __init__(
        self,
        dim: int = 50,
        epochs: int = 40,
        *,
        taxonomy: Any = None,
        negatives: float = 1,
        noise_power: float = 0.75,
        subsample: float | None = None,
        reject_positives: bool | str = "auto",
        alpha: float | dict[str, float] = 1.0,
        beta: float | dict[str, float] = 1.0,
        average_epochs: int = 5,
        tol: float | None = None,
        dtype: str = "float32",
        n_threads: int | None = None,
        random_state: Any = 0,
        verbose: bool = False,
    ) -> None:
        given = locals()
        for name in self._get_param_names():
            setattr(self, name, given[name])

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Learn the densities of the items.

        Parameters
        ----------
        X : sparse or dense matrix, or table, of shape (users, items)
            Counts or other weights, not negative.
        y
            Not used.
        """
        from scipy.sparse import coo_array

        X = self._validated(X, reset=True)
        names = [str(name) for name in getattr(self, "feature_names_in_", range(X.shape[1]))]
        data = Dataset.from_matrix(coo_array(X), columns=names, shared=False)  # users are not items, even if as many
        if self.taxonomy is not None:
            data = data.with_taxonomy(self.taxonomy)
        own = self.get_params(deep=False)
        shared = {name: own[name] for name in VBN().get_params() if name in own}
        self.model_ = VBN(**shared, seed=self._seed()).fit(data)
        trained = self.model_.trained_
        self._item_ids = trained.columns.ids(names)
        self.item_embeddings_ = trained.posterior.v.mean[self._item_ids]
        self.item_variances_ = trained.posterior.v.variance[self._item_ids]
        self.components_ = self.item_embeddings_.T
        self._n_features_out = self.item_embeddings_.shape[1]
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the embeddings of rows, seen in `fit` or not: the means of their densities, of shape (users, dim)."""
        return self.densities(X)[0]

    def densities(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return means and variances of the densities of rows, of shape (users, dim); more items, less variance."""
        check_is_fitted(self)
        found = fold_in(self.model_.trained_, self._contexts(self._validated(X, reset=False)))
        return found.mean, found.variance

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = []  # the parameter `dtype` decides
        return tags

    def _validated(self, X: Any, reset: bool) -> Any:
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset)
        check_non_negative(X, type(self).__name__)
        return X

    def _seed(self) -> Any:
        given = self.random_state
        if given is None or isinstance(given, np.random.RandomState):
            return int(check_random_state(given).randint(2**31 - 1))
        return given  # a number, or something that VBN refuses with a reason

    def _contexts(self, X: Any) -> ContextArrays:
        """Return the items of each row, by the model's own numbers."""
        from scipy.sparse import coo_array

        cells = coo_array(X)
        shape = (X.shape[0], len(self.model_.trained_.columns))
        counts = Counts.from_coo(cells.row, self._item_ids[cells.col], cells.data, shape)
        # copies, because kernels would be compiled again for read-only arrays
        return ContextArrays(np.array(counts.indptr), counts.indices.astype(np.int64), np.array(counts.values))
