"""Held-out items of users: where a scorer ranks them among all that the user does not have yet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from vbn._errors import DataError, ParameterError
from vbn.baselines import Predictive
from vbn.data import Dataset, Vocabulary, as_name, known_ids
from vbn.evaluation.asking import Subject, subject_of
from vbn.evaluation.dropped import warn_of_unknown
from vbn.evaluation.figures import FigureRows
from vbn.evaluation.metrics import (
    coverage,
    hit_rate,
    mean_average_precision,
    mean_percentile_rank,
    ndcg,
    precision,
    recall,
    share_of_places,
)
from vbn.inference import Dial, read_dial, top
from vbn.model import log_popularity

_SCORES_AT_ONCE = 1 << 22
_K = 10
_FEW = 16  # held-out items of a user that are compared with all scores; more are found in a sorted row
_POPULARITY = "popularity"


class _Pairs(NamedTuple):
    """The held-out pairs that can be asked about, sorted by user; `queries` has one entry for each of `names`."""

    users: np.ndarray  # places in `names`
    items: np.ndarray  # ids of columns
    names: list[str]
    queries: list[Any]
    unknown: int


class _Found(NamedTuple):
    """One entry for each held-out pair."""

    users: np.ndarray
    items: np.ndarray
    ranks: np.ndarray
    candidates: np.ndarray


@dataclass
class _Ranking:
    """One ranking of the catalogue: of the model at a position of the dial, or by popularity."""

    model: str
    popularity: float | None
    offset: np.ndarray  # added to the scores, or in place of them
    of_scores: bool = True
    users: list[np.ndarray] = field(default_factory=list)
    items: list[np.ndarray] = field(default_factory=list)
    ranks: list[np.ndarray] = field(default_factory=list)
    candidates: list[np.ndarray] = field(default_factory=list)
    tops: list[np.ndarray] = field(default_factory=list)

    def note(self, user: int, own: np.ndarray, values: np.ndarray, allowed: np.ndarray) -> None:
        """Add the ranks of a user's held-out items, and the user's first ten."""
        rest = values[allowed]
        self.ranks.append(_ranks(rest, values[own]))
        self.users.append(np.full(len(own), user))
        self.items.append(own)
        self.candidates.append(np.full(len(own), len(rest)))
        self.tops.append(top(values, allowed, _K))

    def found(self) -> _Found:
        """Return what was noted of all users."""
        if not self.ranks:
            raise DataError("every held-out pair is in the training data; there is nothing to evaluate.")
        return _Found(*map(np.concatenate, (self.users, self.items, self.ranks, self.candidates)))


def evaluate_recommendation(
    model: Any,
    users: Sequence[object],
    items: Sequence[object],
    *,
    data: Dataset | None = None,
    fold_in: Dataset | None = None,
    k: int | Sequence[int] = (_K,),
    rare: float = 10,
    exclude_seen: bool = True,
    popularity: float | str | Sequence[float] | None = "auto",
    popularity_floor: float = 0.0,
    baseline: str | None = _POPULARITY,
) -> list[dict[str, Any]]:
    """Rank held-out items among the catalogue, in all and by how often the item was seen in training.

    Candidates are all columns except those that are only parents, and except what the user has in the training data.
    Ties count half. Hit rates and the percentile rank are means over held-out pairs, the other figures over users.

    Parameters
    ----------
    model
        A fitted model, `VBN` or a baseline; what `as_scorer` returns; or any object with `columns` (a `Vocabulary` or a
        list of names) and `scores(queries)`, which returns an array of a row for each query and a column for each name.
    users, items
        The held-out pairs: names of rows and of columns. Repeated ones count once; pairs with an unknown name, and
        pairs that the training data has, are left out, and counted. If more than a fifth is unknown, there is a
        warning.
    data
        The data set that the model was trained on: what users have, how often items were seen, what is only a parent.
        Needed where the model does not hold it. If rows and columns of the model are the same entities (items x items)
        and those of `data` are not, users are asked about by the list of what they have in `data`.
    fold_in
        What users have when they are asked about, if that is not in the training data: each is asked about by this list
        instead of by name, and it is what `exclude_seen` leaves out. See `known_and_wanted`.
    k
        Where to cut off: one number or several.
    rare
        Items with a count of at most this are rare, those with more are frequent, those with none are cold. Rare and
        cold items are the long tail.
    exclude_seen
        Whether to leave out what the user has.
    popularity, popularity_floor
        The dial, as in `recommend`: a position or several, each with rows of its own; the model is scored once.
        "auto": the scorer's own; for a model, the one that its fit chose. Scorers of other kinds get their dial from
        the counts alone.
    baseline
        "popularity" adds the rows of a ranking by count, for the same pairs among the same candidates; None does not.

    Returns
    -------
    list of dict
        For each position of the dial, and then for the baseline: a row for "all", "cold", "rare" and "frequent" items
        (those there are) with "model", "popularity", "items", "pairs", "hr@10", "hr@10%" (among the first tenth of the
        candidates), "mpr" (mean percentile rank), "ndcg@10"; for each k "recall@k", "precision@k", "hr@k", "ndcg@k" and
        "map@k". Rows for "all" also say what the users' first ten are made of: "coverage@10" is the share of the
        catalogue that is in at least one of them, "tail@10" and "unseen@10" are the shares of their places that go to
        the long tail and to items never seen, beside "tail_share" and "unseen_share", which these have in the
        catalogue; and how many pairs were left out, "unknown" and "seen".

    Examples
    --------
    >>> import vbn
    >>> data = vbn.Dataset.from_interactions([1, 1, 2, 3], ["tea", "milk", "tea", "beer"])
    >>> model = vbn.VBN(dim=2, epochs=5, verbose=False).fit(data)
    >>> rows = evaluate_recommendation(model, [2, 3], ["milk", "tea"])
    >>> [(row["model"], row["items"]) for row in rows]
    [('VBN', 'all'), ('VBN', 'rare'), ('popularity', 'all'), ('popularity', 'rare')]

    A scorer of your own, with several positions of the dial:

    >>> class Alphabetical:
    ...     columns = ["beer", "milk", "tea"]
    ...     def scores(self, queries):
    ...         return [[3.0, 2.0, 1.0] for _ in queries]
    >>> rows = evaluate_recommendation(Alphabetical(), [2, 3], ["milk", "tea"], data=data, popularity=[0.0, 9.0])
    >>> [(row["model"], row["popularity"], row["mpr"]) for row in rows if row["items"] == "all"]
    [('Alphabetical', 0.0, 0.0), ('Alphabetical', 9.0, 0.5), ('popularity', None, 0.75)]
    """
    cuts = _cuts(k)
    if baseline not in (None, _POPULARITY):
        raise ParameterError(f"baseline must be 'popularity' or None, got {baseline!r}.")
    subject = subject_of(model, data, fold_in, exclude_seen, own_dial=_is_auto(popularity))
    pairs = _known(subject, users, items)
    warn_of_unknown(pairs.unknown, len(users))
    rankings = _dials(subject, popularity, popularity_floor)
    if baseline is not None:
        rankings.append(_Ranking(baseline, None, subject.counts, of_scores=False))
    catalogue = subject.candidates.copy()
    catalogue[pairs.items] = True
    _rank(subject, pairs, catalogue, rankings)
    counts = subject.counts
    return FigureRows(
        row | {"unknown": pairs.unknown, "seen": len(pairs.items) - row["pairs"]} if row["items"] == "all" else row
        for ranking in rankings
        for row in _rows(ranking, counts, catalogue, float(rare), cuts)
    )


def _cuts(k: Any) -> tuple[int, ...]:
    """Check where to cut off."""
    given = tuple(k) if isinstance(k, Iterable) and not isinstance(k, str) else (k,)
    for cut in given:
        if isinstance(cut, bool) or not isinstance(cut, int | np.integer) or cut < 1:
            raise ParameterError(f"k must be a whole number of at least 1, or several, got {k!r}.")
    return tuple(map(int, given))


def _dials(subject: Subject, popularity: Any, floor: Any) -> list[_Ranking]:
    """Return a ranking for each position of the dial."""
    if _is_auto(popularity):
        return [_Ranking(subject.name, subject.popularity, np.zeros(len(subject.columns)))]
    several = isinstance(popularity, Iterable) and not isinstance(popularity, str)
    given = list(popularity) if several else [popularity]
    if not given or any(map(_is_auto, given)):
        raise ParameterError(f"popularity={popularity!r} must be a number, a list of numbers, or 'auto'.")
    dials = [read_dial(position, floor) for position in given]
    return [_Ranking(subject.name, dial.weight, _added(subject, dial)) for dial in dials]


def _is_auto(popularity: Any) -> bool:
    return popularity is None or (isinstance(popularity, str) and popularity == "auto")


def _added(subject: Subject, dial: Dial) -> np.ndarray:
    """Return what a dial adds to the scores: for a model of this library, the same as in `recommend`."""
    if isinstance(subject.scorer, Predictive):
        return dial.added(subject.scorer.trained.profile)
    return np.asarray(dial.weight * log_popularity(subject.counts, dial.floor))


def _known(subject: Subject, users: Sequence[object], items: Sequence[object]) -> _Pairs:
    """Return the pairs whose user can be asked about and whose item is ranked, each once."""
    if len(users) != len(items):
        raise DataError(f"there are {len(users)} users and {len(items)} items; a pair needs one of each.")
    given: dict[str, object] = {}
    texts = [_text(user) for user in users]
    for user, text in zip(users, texts, strict=True):
        given.setdefault(text, user)
    asked = {text: user for text, user in given.items() if text and (subject.users is None or text in subject.users)}
    queries = {text: query for text, user in asked.items() if (query := subject.query(user, text)) is not None}
    names = Vocabulary(list(queries)) if queries else None
    rows = np.full(len(users), -1) if names is None else known_ids(names, texts)
    columns = known_ids(subject.columns, items)
    chosen = (rows >= 0) & (columns >= 0)
    if names is None or not chosen.any():
        raise DataError(f"none of the {len(users)} pairs is between entities that {subject.name} knows.")
    pairs = np.unique(np.stack([rows[chosen], columns[chosen]], axis=1), axis=0)
    return _Pairs(pairs[:, 0], pairs[:, 1], list(names.names), list(queries.values()), int((~chosen).sum()))


def _text(user: object) -> str:
    """Return the name of a user; none for what cannot be a name, such as None."""
    try:
        return as_name(user, "users")
    except DataError:
        return ""


def _rank(subject: Subject, pairs: _Pairs, catalogue: np.ndarray, rankings: Sequence[_Ranking]) -> None:
    """Rank the held-out items of some users at a time, in every ranking."""
    every = np.unique(pairs.users)
    step = max(_SCORES_AT_ONCE // len(catalogue), 1)
    for first in range(0, len(every), step):
        block = every[first : first + step].tolist()
        scores = subject.scores([pairs.queries[user] for user in block])
        for at, user in enumerate(block):
            own = pairs.items[slice(*np.searchsorted(pairs.users, [user, user + 1]))]
            allowed, has = catalogue.copy(), subject.has(pairs.names[user])
            allowed[has] = False
            own = own[allowed[own]]
            if not len(own):
                continue
            for ranking in rankings:
                values = scores[at] + ranking.offset if ranking.of_scores else ranking.offset
                ranking.note(user, own, values, allowed)


def _ranks(rest: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Return how many of the candidates score above each own one, which is among them; ties half."""
    if len(own) > _FEW:
        ordered = np.sort(rest)
        below, up_to = (np.searchsorted(ordered, own, side=side) for side in ("left", "right"))
        return np.asarray(len(rest) - up_to + (up_to - below - 1) / 2.0)
    above, tied = ([np.count_nonzero(compare(rest, one)) for one in own] for compare in (np.greater, np.equal))
    return np.asarray(above) + (np.asarray(tied) - 1) / 2.0


def _rows(
    ranking: _Ranking, counts: np.ndarray, catalogue: np.ndarray, rare: float, cuts: Sequence[int]
) -> list[dict[str, Any]]:
    """Return the figures of a ranking, in all and by how often items were seen."""
    found = ranking.found()
    times = counts[found.items]
    bands = {"all": times >= 0, "cold": times == 0, "rare": (times > 0) & (times <= rare), "frequent": times > rare}
    about = {"model": ranking.model, "popularity": ranking.popularity}
    rows = [about | _figures(name, found, chosen, cuts) for name, chosen in bands.items() if chosen.any()]
    rows[0] |= _made_of(np.concatenate(ranking.tops), counts, catalogue, rare)
    return rows


def _figures(name: str, found: _Found, chosen: np.ndarray, cuts: Sequence[int]) -> dict[str, Any]:
    users, ranks, candidates = found.users[chosen], found.ranks[chosen], found.candidates[chosen]
    figures: dict[str, Any] = {
        "items": name,
        "pairs": len(ranks),
        f"hr@{_K}": hit_rate(ranks, _K),
        "hr@10%": hit_rate(ranks, candidates / 10.0),
        "mpr": mean_percentile_rank(ranks, candidates),
        f"ndcg@{_K}": ndcg(ranks, users, _K),
    }
    for cut in cuts:
        figures |= {
            f"recall@{cut}": recall(ranks, users, cut),
            f"precision@{cut}": precision(ranks, users, cut),
            f"hr@{cut}": hit_rate(ranks, cut),
            f"ndcg@{cut}": ndcg(ranks, users, cut),
            f"map@{cut}": mean_average_precision(ranks, users, cut),
        }
    return figures


def _made_of(tops: np.ndarray, counts: np.ndarray, catalogue: np.ndarray, rare: float) -> dict[str, float]:
    """Return what the users' first ten are made of."""
    size, tail, unseen = int(catalogue.sum()), catalogue & (counts <= rare), catalogue & (counts == 0)
    return {
        f"coverage@{_K}": coverage(tops, size),
        f"tail@{_K}": share_of_places(tops, np.flatnonzero(tail)),
        "tail_share": float(tail.sum() / size),
        f"unseen@{_K}": share_of_places(tops, np.flatnonzero(unseen)),
        "unseen_share": float(unseen.sum() / size),
    }
