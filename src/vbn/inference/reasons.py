"""Why this item for this user: the terms that add up to the logit of a pair.

At the fixed point of the update of a row (docs/maths.md) its mean solves a linear system over its cells,

    A mu = tau m + eta + sum_c v_c (g_c - L_c b_c),   A = tau I + diag(lambda) + sum_c L_c (v_c v_c' + diag var_c)

with eta and lambda of earlier evidence. So mu . mu_v is a sum over the prior, the earlier evidence and the cells: each
says how strongly it pulls, times v_c' A^-1 mu_v, how near it is to the item as this user's data sees it. The item's own
mean is the sum of what its parents say and of what its own pairs say, which divides the same number in another way.
Where columns have company, a user is the mean of that mu and of what their items say, and each item adds both parts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from vbn.inference.explanation import _number, _shown
from vbn.inference.html import html_text
from vbn.inference.ranking import Dial
from vbn.inference.table import Frames
from vbn.kernels import logit
from vbn.model import Block, EntityCells, Gaussians, Trained, curvature


@dataclass(frozen=True)
class Asking:
    """The density of a user in float64, with the prior and the cells that it comes from.

    `cells` is None if they are not known; `evidence` has precision and linear term of earlier data.
    """

    name: str
    label: str | None
    mean: np.ndarray
    variance: np.ndarray
    prior_mean: np.ndarray
    tau: float
    known: bool
    cells: EntityCells | None
    evidence: tuple[np.ndarray, np.ndarray] | None = None


@dataclass(frozen=True)
class Term:
    """A part of a sum: its kind, the entity that it comes from, if it is one, and how often that was seen."""

    kind: str
    value: float
    entity: str | None = None
    label: str | None = None
    count: float | None = None


@dataclass(frozen=True, repr=False)
class Reasons(Frames):
    """Why an item may suit a user; prints as text, and `to_pandas()` has a row for each term.

    Attributes
    ----------
    user, item
        Their names; `user_label` and `item_label` are what people call them.
    probability, std
        As `predict_proba` gives them, or with the dial as `recommend` does. (Of an item without data that has several
        parents in a mixture: as `recommend` ranks it.)
    base_rate
        The probability of a pair of which nothing is known.
    logit
        That of the probability, before calibration.
    terms
        What adds up to the logit. Kinds: "base", "popularity" (the item's bias), "history" (an item of the user),
        "other history" (those beyond the k strongest), "noise" (what users have in general, in expectation),
        "earlier" (data that is no longer there), "prior" (the user's parents), "data" (all pairs, where the counts
        were not kept), "rest" (relations, averages over epochs, a fit that ended early), "uncertainty" (pulls towards
        the base), "together" (what occurs together with the item, which rankings add) and "dial".
    item_terms
        The same taste, the sum of the terms from "history" to "rest", by where the item's vector comes from: its
        "parent"s, "content", "other prior" and its own "pairs".
    variance
        Of the score, by what is not known well enough: "user", "item", "both" and "popularity".
    """

    user: str
    item: str
    user_label: str | None
    item_label: str | None
    probability: float
    std: float
    base_rate: float
    logit: float
    terms: tuple[Term, ...]
    item_terms: tuple[Term, ...]
    variance: dict[str, float]

    @property
    def taste(self) -> float:
        """What the user's and the item's vectors add to the score."""
        return float(sum(term.value for term in self.item_terms))

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain data, ready for JSON."""
        found = asdict(self)
        for name in ("terms", "item_terms"):
            found[name] = [{key: value for key, value in one.items() if value is not None} for one in found[name]]
        return found

    def _columns(self) -> dict[str, Any]:
        names = ("kind", "entity", "label", "count", "value")
        return {name: [getattr(term, name) for term in self.terms] for name in names}

    def _repr_html_(self) -> str:
        return html_text(repr(self))

    def __repr__(self) -> str:
        who, item = _called(self.user, self.user_label), _called(self.item, self.item_label)
        lines = [f"{item} for {who}: p {self.probability:.3f}, std {self.std:.3f}; base rate {self.base_rate:.3f}"]
        lines += _lines("logit of p, by what the user has", self.terms, self.logit)
        if self.item_terms:
            lines += _lines("taste, by what is known of the item", self.item_terms, self.taste)
        whole = max(sum(self.variance.values()), 1e-300)
        shares = ", ".join(f"{_SURE[name]} {100 * part / whole:.0f} %" for name, part in self.variance.items())
        return "\n".join([*lines, f"  what makes it unsure: {shares}"])


_SURE = {"user": "the user", "item": "the item", "both": "both at once", "popularity": "its popularity"}
_WORDS = {
    "base": "base rate",
    "popularity": "how popular the item is",
    "other history": "other items",
    "noise": "what users have in general",
    "earlier": "earlier data",
    "prior": "what is known of such users",
    "data": "the user's items (counts were not kept)",
    "rest": "not explained",
    "uncertainty": "uncertainty, towards the base rate",
    "together": "what it occurs together with",
    "dial": "popularity dial",
    "other prior": "other prior",
    "pairs": "its own pairs",
}


def _lines(title: str, terms: Iterable[Term], total: float) -> list[str]:
    """Return a sum, a line for each term."""
    rows = [(_told(term), term.value) for term in terms]
    wide = max(len(text) for text, _ in [*rows, ("sum", 0.0)])
    return [f"  {title}", *(f"    {text:<{wide}}  {value:+7.3f}" for text, value in [*rows, ("sum", total)])]


def _told(term: Term) -> str:
    if term.entity is None:
        return _WORDS[term.kind] + (f" ({_amount(term)})" if term.count is not None else "")
    return _called(term.entity, term.label) + (f" ({_number(term.count)}x)" if term.count is not None else "")


def _amount(term: Term) -> str:
    """Return how often an item was seen, or how many others there are."""
    assert term.count is not None
    number = _number(term.count)
    return f"seen {number} times" if term.kind == "popularity" and term.count != 1 else number


def _called(name: str, label: str | None) -> str:
    return _shown(name) if label is None else f"{_shown(name)} ({_shown(label)})"


def give_reasons(trained: Trained, asking: Asking, column: int, k: int, dial: Dial, ranked: bool = False) -> Reasons:
    """Take the logit of a pair apart; if `ranked`, with what rankings add to it beside the dial."""
    v = trained.posterior.v
    mean, variance = (array[column].astype(np.float64) for array in (v.mean, v.variance))
    bias, bias_variance = (float(array[column]) for array in trained.posterior.bias.densities)
    parts = {
        "user": float(asking.variance @ mean**2),
        "item": float(asking.mean**2 @ variance),
        "both": float(asking.variance @ variance),
        "popularity": bias_variance,
    }
    taste, spread = float(asking.mean @ mean), sum(parts.values())
    base = float(trained.bases(np.array([asking.known]))[0])
    plain = float(logit(taste + bias, spread, base))
    further = _together(trained, asking, column) if ranked else []
    if dial:
        further.append(Term("dial", float(dial.added(trained.profile)[column])))
    added = sum(term.value for term in further)
    terms = [Term("base", base), Term("popularity", bias - base, count=float(trained.columns.counts[column]))]
    terms += _of_the_user(trained, asking, mean, taste, k)
    terms += [Term("uncertainty", plain - taste - bias), *further]
    score, link = np.array([taste + bias + added]), trained.link
    return Reasons(
        asking.name,
        trained.columns[column],
        asking.label,
        trained.columns.label(column),
        float(link.calibrated(np.array(plain + added))),
        float(link.std(score, np.array([spread]))[0]),
        float(link.calibrated(np.array(base))),
        plain + added,
        tuple(terms),
        tuple(_of_the_item(trained, column, asking.mean, taste)),
        parts,
    )


def _together(trained: Trained, asking: Asking, column: int) -> list[Term]:
    """Return what the columns of a user add to the score of another one beyond the densities, if anything."""
    if trained.affinity is None or asking.cells is None:
        return []
    has = asking.cells.others[asking.cells.positive > 0]
    lifts = trained.affinity.lifts(np.array([0, len(has)]), has.astype(np.int64), len(trained.columns))
    value = float(lifts.at(np.array([[column]]))[0, 0])
    return [Term("together", value)] if value else []


def _of_the_user(trained: Trained, asking: Asking, item: np.ndarray, taste: float, k: int) -> list[Term]:
    """Divide the taste by what the user's density comes from."""
    cells = asking.cells
    if cells is None:
        share = np.minimum(asking.tau * asking.variance, 1.0) if asking.known else 1.0
        prior = float((share * asking.prior_mean) @ item)
        return [Term("data", taste - prior), Term("prior", prior)]
    had = np.flatnonzero(cells.positive > 0)
    asking, share, others = _apart(trained, asking, cells.others[had].astype(np.int64), item)
    pulls = _Pulls(trained, asking, cells)
    toward = (1.0 - share) * np.linalg.solve(pulls.matrix, item)
    positive, noise = pulls.along(toward)
    positive[had] += others
    strongest = had[np.argsort(-np.abs(positive[had]), kind="stable")]
    names = trained.columns
    terms = [
        Term("history", float(positive[at]), names[j], names.label(j), float(cells.seen[at]))
        for at in strongest[:k].tolist()
        for j in [int(cells.others[at])]
    ]
    if len(strongest) > k:
        terms.append(Term("other history", float(positive[strongest[k:]].sum()), count=float(len(strongest) - k)))
    terms += [Term("noise", noise), Term("prior", float(asking.tau * asking.prior_mean @ toward))]
    if asking.evidence is not None:
        terms.append(Term("earlier", float(asking.evidence[1] @ toward)))
    return [*terms, Term("rest", taste - sum(term.value for term in terms))]


def _apart(trained: Trained, asking: Asking, columns: np.ndarray, item: np.ndarray) -> tuple[Asking, float, np.ndarray]:
    """Return the user without the company of their columns, its share in the user, and what each column adds by it."""
    if trained.company is None:
        return asking, 0.0, np.zeros(len(columns))
    share, mine = trained.company.of(columns)
    whole = Gaussians(asking.mean[None], asking.variance[None])
    own = trained.company.apart(whole, np.array([0, len(columns)]), columns)
    added = np.zeros(len(columns))
    there = np.isin(columns, mine)
    added[there] = share * (trained.company.mean[columns[there]].astype(np.float64) @ item) / max(len(mine), 1)
    return replace(asking, mean=own.mean[0], variance=own.variance[0]), share, added


class _Pulls:
    """The matrix A of a user's cells, and what each cell adds to the right-hand side along a direction."""

    def __init__(self, trained: Trained, asking: Asking, cells: EntityCells) -> None:
        self.trained, self.asking, self.cells = trained, asking, cells
        diagonal = np.full(len(asking.mean), asking.tau)
        if asking.evidence is not None:
            diagonal = diagonal + asking.evidence[0]
        self.matrix = np.diag(diagonal)
        for chunk in cells.chunks():
            v, v_variance, slope, _ = self._linearised(chunk)
            weight = slope * (chunk.positive + chunk.negative)
            self.matrix += (weight[:, None] * v).T @ v + np.diag(weight @ v_variance)

    def along(self, direction: np.ndarray) -> tuple[np.ndarray, float]:
        """Return what each cell adds as an observed pair, and what all of them add as noise."""
        positive, noise = [np.empty(0)], 0.0
        for chunk in self.cells.chunks():
            v, _, slope, bias = self._linearised(chunk)
            near = v @ direction
            positive.append(chunk.positive * (0.5 - slope * bias) * near)
            noise -= float(chunk.negative * (0.5 + slope * bias) @ near)
        return np.concatenate(positive), noise

    def _linearised(self, cells: EntityCells) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return mean and variance of the columns, the slope 2 lambda(xi) of each cell, and the bias."""
        q, own = self.trained.posterior, self.asking
        v, v_variance = (array[cells.others].astype(np.float64) for array in (q.v.mean, q.v.variance))
        bias, bias_variance = (array[cells.others].astype(np.float64) for array in q.bias.densities)
        score = v @ own.mean + bias
        variance = v_variance @ (own.mean**2 + own.variance) + v**2 @ own.variance + bias_variance
        return v, v_variance, 2.0 * curvature(np.sqrt(score**2 + variance)), bias


def _of_the_item(trained: Trained, column: int, user: np.ndarray, taste: float) -> list[Term]:
    """Divide the taste by what the item's mean comes from: the prior by its parts, and its own pairs."""
    block: Block = trained.posterior.v
    variance = block.variance[column].astype(np.float64)
    active = bool(trained.column_active[column])
    weight = np.minimum(block.tau[column] * variance, 1.0) if active else np.ones(len(variance))
    prior = float((weight * block.prior.means(np.array([column]))[0]) @ user)
    terms = [
        Term(
            "content" if share.content else "parent",
            float((weight * share.weight * share.mean) @ user),
            share.name,
            None if share.content or share.name not in trained.columns else _label(trained, share.name),
        )
        for share in block.prior.shares(column, trained.columns)
    ]
    rest = prior - sum(term.value for term in terms)
    if abs(rest) > 1e-9 * max(1.0, abs(prior)):
        terms.append(Term("other prior", rest))
    count = float(trained.columns.counts[column])
    return [*terms, Term("pairs", taste - sum(term.value for term in terms), count=count)]


def _label(trained: Trained, name: str) -> str | None:
    return trained.columns.label(trained.columns.id(name))
