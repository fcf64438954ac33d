"""`align`: the vectors of a new model in the coordinates of an old one."""

from __future__ import annotations

from typing import TypeVar

from vbn._errors import DataError, ParameterError
from vbn.estimators.answers import Answers
from vbn.estimators.checking import need_number
from vbn.inference import TOLERANCE, aligned

M = TypeVar("M", bound=Answers)


def align(model: M, like: Answers, tolerance: float = TOLERANCE) -> M:
    """Return a model whose vectors can be compared with those of another one: turned into its coordinates.

    Two fits to the same data find the same distances in other coordinates, as those are arbitrary. All densities are
    turned by the orthogonal rotation that brings the entities of both models closest, each weighted by how well it is
    known. A model that goes on (`partial_fit`, `warm_start`, ``vbn update``) stays in its coordinates and needs no
    `align`.

    Parameters
    ----------
    model
        The new model; it is not changed.
    like
        The model whose coordinates to take, of the same dimension.
    tolerance
        How much probabilities may change on average. Means of scores stay the same under a rotation. Variances, which
        differ by dimension, become those of the nearest densities that factorise, which changes probabilities by about
        a thousandth.

    Returns
    -------
    model
        A copy in the coordinates of `like`.

    Raises
    ------
    DataError
        If the models share fewer entities with data than they have dimensions, or if probabilities would change more.

    Examples
    --------
    >>> import vbn
    >>> text = [["a", "dog", "barks"], ["a", "cat", "purrs"], ["the", "dog", "growls"]] * 20
    >>> data = vbn.Dataset.from_sequences(text)
    >>> monday, tuesday = (vbn.VBN(dim=4, epochs=20, seed=seed, verbose=False).fit(data) for seed in (1, 2))
    >>> tuesday = vbn.align(tuesday, monday)
    >>> bool(monday.posterior("dog").mean @ tuesday.posterior("dog").mean > 0)
    True
    """
    need_number("tolerance", tolerance, 0.0)
    for each in (model, like):
        if not isinstance(each, Answers):
            raise ParameterError(f"align() takes two models with densities, not a {type(each).__name__}.")
    own, other = model.trained_, like.trained_
    if own.posterior.dim != other.posterior.dim:
        raise ParameterError(
            f"the models have {own.posterior.dim} and {other.posterior.dim} dimensions; only equal ones can be aligned."
        )
    found = aligned(own, other)
    if found is None:
        raise DataError(
            f"the models share fewer entities with data than the {own.posterior.dim} dimensions they have, so no "
            "rotation can be told."
        )
    if found.change > tolerance:
        raise DataError(
            f"aligning would change probabilities by {found.change:.2g} on average, more than {{remedy}}; allow more, "
            "or let the old model go on with {remedy}, which keeps its coordinates.",
            remedies=[("tolerance", tolerance), ("", "partial_fit()")],
        )
    return model.with_trained(found.trained, model.data_)
