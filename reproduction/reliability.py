"""Whether predicted probabilities come true on held-out pairs: as trained, by means alone, with one temperature."""

from __future__ import annotations

from typing import Any

import numpy as np

from reproduction.judging import Asking
from reproduction.masking import Masked, Split
from vbn._errors import DataError
from vbn.inference import LabelledPairs, Reliability, best_line, pair_scores

AS_TRAINED, MEANS, TEMPERATURE = "as trained", "means alone", "one temperature"
"""Three readings of the same model: with its variances, without them, and with logits divided by a temperature that
the pairs of other users chose."""

Facts = dict[str, Any]


def reliability(model: Any, split: Split, asking: Asking | None = None, seed: int = 0) -> Facts:
    """What a fitted model says of hidden pairs and of noise pairs, drawn as in training, against what they are.

    Parameters
    ----------
    model
        A fitted `VBN` or `BayesianSkipGram`.
    split
        What it was trained on; the pairs that this hides are asked for. Of users whom the model does not have as
        rows, one of the other items stands for them.
    asking
        How it is asked, which tells what its rows are called.
    seed
        Of the noise pairs.

    Returns
    -------
    dict
        For each reading: `Reliability.to_dict()`, and "rare", the same over the pairs of rare items without bins.
    """
    data = split.masked.interactions
    users, items = split.masked.cases(split.which)
    row = (asking or Asking()).row
    lefts = [row(data.users[user]) for user in users.tolist()]
    if model.trained_.shared:
        lefts = _one_of_theirs(split.masked, split.which, users, seed)
    named = [(left, data.items[item]) for left, item in zip(lefts, items.tolist(), strict=True)]
    flags = split.masked.rare(split.which)
    columns = model.trained_.columns
    rare = np.zeros(len(columns), dtype=bool)
    for item in np.flatnonzero(flags).tolist():
        if data.items[item] in columns:
            rare[columns.id(data.items[item])] = True
    return of_pairs(model, named, rare, seed)


def _one_of_theirs(masked: Masked, which: str, users: np.ndarray, seed: int) -> list[str]:
    """For each case an item that its user has in training, by chance."""
    data, known = masked.interactions, np.flatnonzero(masked.training(which))
    known = known[np.argsort(data.user[known], kind="stable")]
    first, last = (np.searchsorted(data.user[known], users, side=side) for side in ("left", "right"))
    luck = np.random.default_rng([seed, 0x0E1]).random(len(users))
    chosen = first + (luck * (last - first)).astype(np.int64)
    return [data.items[item] for item in data.item[known[chosen]].tolist()]


def of_pairs(model: Any, held_out: Any, rare: np.ndarray | None = None, seed: int = 0) -> Facts:
    """The same for pairs by name; `rare` flags columns of the model.

    Examples
    --------
    >>> import vbn
    >>> text = [["a", "dog", "barks"], ["the", "cat", "purrs"]] * 20
    >>> model = vbn.VBN(dim=4, epochs=10, verbose=False).fit(vbn.Dataset.from_sequences(text))
    >>> found = of_pairs(model, [("dog", "barks"), ("cat", "purrs")])
    >>> found["as trained"]["n_pairs"]
    6
    """
    trained = model.trained_
    pairs = model._labelled(held_out, None, seed)
    mean, variance = pair_scores(trained, pairs.rows, pairs.columns)
    logits = trained.link.logit(mean, variance)
    readings = {AS_TRAINED: logits, MEANS: mean}
    calibrated = _calibrated(logits, pairs)
    if calibrated is not None:
        readings[TEMPERATURE] = calibrated
    chosen = np.zeros(len(logits), dtype=bool) if rare is None else rare[pairs.columns]
    return {name: _judged(values, pairs, chosen) for name, values in readings.items()}


def _judged(logits: np.ndarray, pairs: LabelledPairs, rare: np.ndarray) -> Facts:
    p = 0.5 * (1.0 + np.tanh(0.5 * logits))
    facts = Reliability.of(p, pairs.labels, pairs.weights, skipped=pairs.skipped).to_dict()
    facts["bins"] = [dict(entry) for entry in facts["bins"]]
    facts["rare"] = None
    if rare.any():
        among = Reliability.of(p[rare], pairs.labels[rare], pairs.weights[rare]).to_dict()
        facts["rare"] = {key: among[key] for key in ("ece", "log_loss", "brier", "n_pairs")}
    return facts


def _calibrated(logits: np.ndarray, pairs: LabelledPairs) -> np.ndarray | None:
    """Logits after the line that the pairs of the other half of the rows choose; None where they cannot."""
    half = pairs.rows % 2 == 1
    result = logits.copy()
    for other in (half, ~half):
        if not other.any() or other.all():
            return None
        try:
            slope, intercept = best_line(logits[other], pairs.labels[other], pairs.weights[other])
        except DataError:  # too few pairs, or told apart without exception: no line fits best
            return None
        result[~other] = slope * logits[~other] + intercept
    return result
