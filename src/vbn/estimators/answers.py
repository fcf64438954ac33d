"""What a model with densities answers: probabilities, recommendations, explanations, new entities, calibration."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from vbn._errors import REMEDY, DataError, ParameterError, VBNWarning, caller_level
from vbn.data import Dataset, pair_columns
from vbn.estimators.automatic import resolved
from vbn.estimators.base import Parameters, warn_of_old_name
from vbn.estimators.checking import check_k, need_choice, need_flag, need_number, need_whole
from vbn.estimators.for_users import ForUsers
from vbn.estimators.observing import Observes
from vbn.estimators.progress import announced
from vbn.estimators.queries import Hint, by_side, hinting, pairs_have_sides
from vbn.estimators.recommending import read_sampling, recommend
from vbn.inference import (
    FAVOURS,
    Dial,
    Explanation,
    LabelledPairs,
    NewEntity,
    Reliability,
    Table,
    Tables,
    TrainingCells,
    add_entities,
    best_line,
    expected_cooccurrences,
    expected_relations,
    explain,
    full_variances,
    labelled_pairs,
    pair_logits,
    pair_probabilities,
    pair_scores,
    read_dial,
    read_newcomers,
    with_added,
    with_encoded_texts,
)
from vbn.model import Trained
from vbn.sampling import Sampler


def _as_user(side: str) -> Hint:
    what = "pass it as" if side == "row" else "give it as an entity, not as"
    return f"{what} {REMEDY}", [("user",)]


def _on_which_side(side: str) -> Hint:  # noqa: ARG001 - the same for both
    return f"parents are on the same side as the new entity, contexts on the other; see {REMEDY}", [("side",)]


class Answers(Parameters, ForUsers, Observes):
    """What a model with densities answers, beyond `Queries`; each method hands over to `vbn.inference`."""

    _settings: Mapping[str, Any] = MappingProxyType({})
    verbose: bool
    favour: str | None

    @property
    def settings_(self) -> dict[str, Any]:
        """Return the parameters of the last fit with what "auto" stood for, and the chosen positions of the dial."""
        return {**self._used, "popularity": dict(self.trained_.dials)}

    @property
    def _used(self) -> dict[str, Any]:
        """The parameters of the last fit; of a model that was given its densities, what a fit to its data would use."""
        if self._settings or (data := self._data) is None:
            return {**self.get_params(), **self._settings}
        return resolved(self.get_params(), data)

    @hinting(pairs_have_sides)
    def predict_proba(self, pairs: Any, return_std: bool = False, spread: str = "mean_field") -> Any:
        """Return the probability that the second entity of each pair occurs near the first (posterior predictive).

        Parameters
        ----------
        pairs
            Pairs of names, an array or table of two columns, or the path of one.
        return_std
            Whether to return the standard deviations of the probabilities too.
        spread
            Which variance of the score the standard deviations use. "mean_field": that of training, which is mostly too
            small. "full": with what mean field leaves out, as in `predict_interval`. Probabilities are the same.

        Returns
        -------
        ndarray, or a pair of them

        Examples
        --------
        >>> import vbn
        >>> data = vbn.Dataset.from_pairs(["a", "b", "c"], ["b", "a", "c"], [9, 9, 9])
        >>> model = vbn.VBN(dim=2, epochs=9, verbose=False).fit(data)
        >>> p, std = model.predict_proba([("a", "b"), ("a", "a")], return_std=True)
        >>> bool(p[0] > p[1])
        True
        """
        trained = self.trained_
        rows, columns = _ids(trained, pairs, spread)
        p, std = pair_probabilities(trained, rows, columns, with_std=return_std and spread == "mean_field")
        if not return_std:
            return p
        if spread == "full":
            mean, _ = pair_scores(trained, rows, columns)
            std = trained.link.std(mean, self._full_variances(rows, columns))
        return p, std

    @hinting(pairs_have_sides)
    def predict_interval(self, pairs: Any, level: float = 0.8, spread: str = "full") -> tuple[np.ndarray, np.ndarray]:
        """Return an interval for the probability of each pair: the sigmoid of a central interval of the score.

        Parameters
        ----------
        pairs
            As in `predict_proba`.
        level
            How much of the posterior lies inside, above 0 and below 1.
        spread
            "full": the variance of the score with what mean field leaves out. Where data is drawn from the model,
            intervals then hold about what they promise (docs/uncertainty.md). It is computed from the counts for every
            row and column that is named, without what relations say about these. "mean_field": the variance of
            training, which is at hand and mostly too small.

        Returns
        -------
        lower, upper : ndarray

        Raises
        ------
        DataError
            For "full" if the model was saved without its counts.

        Examples
        --------
        >>> import vbn
        >>> text = [["a", "dog", "barks"], ["the", "cat", "purrs"]] * 20
        >>> model = vbn.VBN(dim=4, epochs=10, verbose=False).fit(vbn.Dataset.from_sequences(text))
        >>> pairs = [("dog", "barks"), ("dog", "purrs")]
        >>> lower, upper = model.predict_interval(pairs, level=0.9)
        >>> p = model.predict_proba(pairs)
        >>> bool((lower < p).all() and (p < upper).all())
        True
        """
        trained = self.trained_
        rows, columns = _ids(trained, pairs, spread)
        need_number("level", level, above=0.0)
        if level >= 1:
            raise ParameterError(f"level={level!r} must be below 1: the score of a pair may be any number.")
        mean, variance = pair_scores(trained, rows, columns)
        if spread == "full":
            variance = self._full_variances(rows, columns)
        return trained.link.interval(mean, variance, float(level))

    @hinting(_as_user)
    def recommend(
        self,
        entities: Any = None,
        k: int = 10,
        *,
        user: Any = None,
        query: str = "fold_in",
        popularity: float | str = "auto",
        popularity_floor: float = 0.0,
        favour: str | None = None,
        affinity: bool | None = None,
        rank_by: str = "probability",
        exclude_seen: bool = True,
        candidates: Iterable[object] | None = None,
        sample: str | None = None,
        explore: str | None = None,
        seed: int | None = None,
    ) -> Table | Tables:
        """Return what goes best with some entities, or with a row seen in training.

        Parameters
        ----------
        entities
            A user's items: a list of names or {name: count}. A list of such lists is a batch. An empty list means a
            user with no history.
        k
            How many answers.
        user
            Instead of entities: the name of a row seen in training, or a list of names (a batch).
        query
            "fold_in": the entities are the contexts of a new row, whose density is inferred in closed form; a `user`
            has one already. "average": the mean of the random variables of the entities, as in the paper; only where
            the entities are rows too. "both": the mean of the random variable of a `user` and of the average of their
            items, for data with `Dataset.with_co_occurrences`.
        popularity
            The dial: this times log(count) is added to the logit of each candidate, less a constant that keeps the base
            rate. Above 0 favours popular entities, below 0 rare ones, 0 is the model itself. "auto": the position that
            held-out pairs chose at the end of the fit (0 where none was chosen, as with very little data).
        favour
            For "auto": what the position is best for, "all" targets, "rare" ones or both ("balanced"); by default the
            `favour` of the model.
        affinity
            Whether what occurs together counts too, see `VBN`; by default only for ``popularity="auto"``, so that a
            number shows the densities and the dial alone.
        rank_by
            "probability": the posterior predictive, where uncertainty shrinks a score towards the base rate. "mean":
            the mean score, whatever its uncertainty. "lower": one standard deviation below the mean, for lists that
            must not be wrong.
        popularity_floor
            With a number as dial, makes that log(count + floor x mean count): candidates seen far less often than so
            many times the average count as equally popular. The dial then lifts what is frequent and nearly keeps the
            model's order of the long tail. With 1, try a dial between 0.5 and 1.5.
        exclude_seen
            Whether to leave out the entities of the query, or the user's items.
        candidates
            Names of the only entities that may be an answer; by default all with data of their own.
        sample
            "thompson": rank by scores drawn from the posterior, which also tries what the model is not sure of.
        explore
            Another name of `sample`.
        seed
            For `sample`: same seed, same draws.

        Returns
        -------
        Table or Tables
            Entity, score (the probability, or its like after the dial or by `rank_by`) and its standard deviation;
            several tables for a batch.

        Examples
        --------
        >>> import vbn
        >>> users = ["ann", "ann", "ben", "ben", "cem", "cem", "dee", "dee"] * 5
        >>> items = ["tea", "milk", "tea", "honey", "beer", "crisps", "beer", "nuts"] * 5
        >>> data = vbn.Dataset.from_interactions(users, items)
        >>> model = vbn.VBN(dim=4, epochs=20, negatives=2, verbose=False).fit(data)
        >>> sorted(row.entity for row in model.recommend(["tea"], k=2))
        ['honey', 'milk']
        """
        trained = self.trained_
        check_k(k)
        need_flag("exclude_seen", exclude_seen)
        if affinity is not None:
            need_flag("affinity", affinity)
        return recommend(
            trained,
            self._kept,
            entities,
            int(k),
            user=user,
            query=query,
            dial=self._dial(popularity, popularity_floor, favour),
            affinity=isinstance(popularity, str) if affinity is None else affinity,
            exclude_seen=exclude_seen,
            candidates=candidates,
            rng=read_sampling(sample, explore, seed),
            rank_by=rank_by,
            verbose=self.verbose,
        )

    def explain(
        self,
        entity: Any,
        item: object = None,
        side: str = "column",
        k: int = 5,
        *,
        popularity: float | str = 0.0,
        popularity_floor: float = 0.0,
    ) -> Any:
        """Explain the density of an entity, or why an item may suit a user.

        Parameters
        ----------
        entity
            Its name. With an `item`: the name of a row, or a list of items as in `recommend`, which stands for a user.
        item
            Why this column goes with that row: which items of the user, which parents of the item, and how sure it is.
        side
            Without an `item`: "row" or "column", the namespace, where the two differ.
        k
            How many of the observed pairs that matter most to name.
        popularity, popularity_floor
            With an `item`: the dial of `recommend`; by default the probability is that of `predict_proba`.

        Returns
        -------
        Explanation or Reasons
            Both print as text; `to_dict()` gives plain data. An `Explanation` says how much of a density is prior and
            how much data, from which parents and which pairs. The terms of `Reasons` add up to the logit of the
            probability. Pairs are named only where the model has its counts (`save(folder, counts=False)` leaves them
            out).

        Examples
        --------
        >>> import vbn
        >>> data = vbn.Dataset.from_pairs(["dog", "cat"], ["barks", "purrs"], [10, 4])
        >>> data = data.with_taxonomy({"dog": ["animal"], "cow": ["animal"]})
        >>> model = vbn.VBN(dim=4, epochs=5, verbose=False).fit(data)
        >>> print(model.explain("cow"))  # doctest: +ELLIPSIS
        cow: never seen
          as an entity (u): 100 % prior; std ...
        >>> why = model.explain("dog", "barks")
        >>> abs(round(sum(term.value for term in why.terms) - why.logit, 6))
        0.0
        """
        if item in ("row", "column") and item not in self.trained_.columns:  # where `side` was before 0.2
            warn_of_old_name(f"explain(entity, {item!r})", f"explain(entity, side={item!r})")
            item, side = None, str(item)
        if item is None:
            return self._explained(entity, side, k)
        dial = self._dial(popularity, popularity_floor)
        return self._reasons(entity, item, k, dial, isinstance(popularity, str))

    @hinting(by_side)
    def _explained(self, entity: object, side: str, k: int) -> Explanation:
        trained, data = self.trained_, self.data_
        check_k(k)
        cells = None
        if data is not None:
            sampler, settings = self._sampler(data), self.settings_
            cells = TrainingCells(
                expected_cooccurrences(data, sampler, self.settings_["subsample"]),
                expected_relations(data, sampler, settings["relation_weight"], settings["hard_negatives"]),
            )
        return explain(trained, str(entity), side, int(k), cells)

    @hinting(_on_which_side)
    def add(
        self,
        name: Any,
        parents: Any = None,
        contexts: Any = None,
        side: str = "column",
        *,
        features: Any = None,
        text: Any = None,
        encoder: Any = None,
    ) -> Self:
        """Give new entities a density at once, without retraining; the model itself grows.

        Parameters
        ----------
        name
            A name. Or many at once, in any order: ``{name: {"parents": ..., "contexts": ..., "features": ..., "text":
            ...}}`` or ``{name: parents}``; rows (name, parent[, weight]), a table with such columns, or the path of one
            (text that ends in .csv, .tsv, .txt or .parquet, with or without .gz, is a path).
        parents
            Its parent, a list of parents, or {parent: weight}: entities that the model knows, or that are added in the
            same call.
        contexts
            What it was seen with: {entity: count}, or a list in which each occurrence counts 1. Folded in by the
            updates of training, all else held fixed. For an item these are users, where the two differ.
        side
            "row" or "column", where the two differ.
        features
            What is known of it as numbers: a vector as long as those of training, or {source: vector}.
        text
            What is known of it as text, if the model was trained with `Dataset.with_text`; or {source: text}.
        encoder
            Your own encoder, if the texts of training went through one: it is not saved with a model.

        Raises
        ------
        UnknownEntityError
            For a parent or a context that the model does not know, with the closest names.
        TaxonomyError
            For new entities that are their own or each other's ancestors.
        DataError
            For a name that is taken, and for anything that cannot be a name, a weight or a count. As with the others,
            nothing has been added then.

        Examples
        --------
        >>> import vbn
        >>> data = vbn.Dataset.from_pairs(["dog", "cat"], ["barks", "purrs"], [9, 9])
        >>> data = data.with_taxonomy({"dog": "animal", "cat": "animal"})
        >>> model = vbn.VBN(dim=2, epochs=3, verbose=False).fit(data)
        >>> _ = model.add("wolf", parents=["animal"], contexts={"barks": 2})
        >>> _ = model.add({"pug": ["lapdog"], "lapdog": {"parents": {"dog": 3, "animal": 1}}})
        >>> model.posterior("pug").mean.shape
        (2,)
        """
        trained, data = self.trained_, self.data_
        trained.vocabulary(side)  # refuses an unknown side, even if nothing is added
        new = with_encoded_texts(trained, read_newcomers(name, parents, contexts, features, text), side, encoder)
        if new:
            with announced(f"inferring the densities of {len(new):,} new entities", self.verbose):
                grown = add_entities(trained, new, side, self.seed)
            if data is not None:
                self._data = with_added(data, grown, new, side)
            self._trained = grown
        _warn_of_the_unknown([entity.name for entity in new if _unknown(entity)])
        return self

    def reliability(self, held_out: Any, bins: int = 10, negatives: float | None = None, seed: int = 0) -> Reliability:
        """Compare predicted probabilities with what happened, on pairs that training did not see.

        Parameters
        ----------
        held_out
            A `Dataset` of held-out counts, or pairs (left, right) or (left, right, label) as rows, a table or a file.
            Label 1 is an observed pair, 0 is noise. Without labels, noise pairs are drawn as in training. Pairs that
            the model does not know are left out and counted.
        bins
            Number of bins of equal width.
        negatives
            Noise pairs for each held-out pair; by default as many as in training, which is the ratio that the predicted
            probabilities are meant for.
        seed
            Seed of the noise pairs.

        Returns
        -------
        Reliability
            Prints as a table; has `ece`, `log_loss`, `brier`, `to_pandas()`, `to_polars()` and `plot()`.

        Examples
        --------
        >>> import vbn
        >>> text = [["a", "dog", "barks"], ["the", "cat", "purrs"]] * 20
        >>> model = vbn.VBN(dim=4, epochs=10, verbose=False).fit(vbn.Dataset.from_sequences(text))
        >>> model.reliability([("dog", "barks"), ("cat", "purrs")]).n_pairs
        6
        """
        trained = self.trained_
        need_whole("bins", bins, least=1, most=1000)
        pairs = self._labelled(held_out, negatives, seed)
        p = trained.link.calibrated(pair_logits(trained, pairs))
        line = trained.slope, trained.intercept
        return Reliability.of(p, pairs.labels, pairs.weights, int(bins), line, pairs.skipped)

    def uncertainty(self, held_out: Any, bins: int = 10, negatives: float | None = None, seed: int = 0) -> Reliability:
        """Do what `reliability` does, under its old name."""
        warn_of_old_name("uncertainty()", "reliability()")
        return self.reliability(held_out, bins, negatives, seed)

    def calibrate(self, validation: Any, seed: int = 0) -> Self:
        """Fit a line to validation pairs: from then on p = sigmoid(slope * logit + intercept).

        Without calibration, p is the probability that a pair is a real one rather than one of the noise pairs of
        training, of which there are `negatives` for each real pair. Where pairs come with labels of your own (shown and
        bought, or not), the share of real ones may be quite different; the intercept takes that up, and a warning says
        so. Rankings stay as they are, and relations are not touched. A new fit sets the line back to 1 and 0.

        Parameters
        ----------
        validation
            Pairs as in `reliability`; not those that the result is judged on.
        seed
            Seed of the noise pairs.

        Raises
        ------
        DataError
            If no line fits best: the model tells all the pairs apart, or none.

        Examples
        --------
        >>> import vbn
        >>> text = [["a", "dog", "barks"], ["the", "cat", "purrs"]] * 20
        >>> model = vbn.VBN(dim=4, epochs=10, verbose=False).fit(vbn.Dataset.from_sequences(text))
        >>> before = model.predict_proba([("dog", "barks")])
        >>> model = model.calibrate([("dog", "barks", 1), ("dog", "purrs", 0), ("dog", "barks", 0)])
        >>> bool(model.predict_proba([("dog", "barks")]) < before)
        True
        """
        trained = self.trained_
        pairs = self._labelled(validation, None, seed)
        logits = pair_logits(trained, pairs)
        slope, intercept = best_line(logits, pairs.labels, pairs.weights)
        _warn_of_another_base_rate(pairs, trained.negatives)
        self._trained = replace(trained, slope=slope, intercept=intercept)
        return self

    def _dial(self, popularity: Any, floor: Any = 0.0, favour: str | None = None) -> Dial:
        """Return a position of the popularity dial; "auto" is the one that the fit chose."""
        if favour is not None:
            need_choice("favour", favour, FAVOURS)
        chosen = self.trained_.dials.get(favour or str(self.favour), ())
        return read_dial(popularity, floor, chosen)

    def _labelled(self, held_out: Any, negatives: float | None, seed: int) -> LabelledPairs:
        need_whole("seed", seed, least=0)
        if negatives is not None:
            need_number("negatives", negatives, above=0.0)
        data = self.data_
        never_noise = data.counts if data is not None and self._sampler(data).reject else None
        return labelled_pairs(held_out, self.trained_, negatives, never_noise, int(seed))

    def _full_variances(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        data = self.data_
        if data is None:
            raise DataError(
                f"this model was saved without its counts, which spread='full' needs. Ask for {REMEDY}, or save it "
                f"with {REMEDY}.",
                remedies=[("spread", "mean_field"), ("counts", True)],
            )
        shown = expected_cooccurrences(data, self._sampler(data), self.settings_["subsample"])
        return full_variances(self.trained_, shown, rows, columns)

    def _sampler(self, data: Dataset) -> Sampler:
        """Return the sampler that the model was trained with, up to its seed."""
        names = ("subsample", "reject_positives", "relation_weight", "hard_negatives")
        options: dict[str, Any] = {name: self.settings_[name] for name in names}
        options |= {"negatives": self.trained_.negatives, "noise_power": self.trained_.noise_power}
        return Sampler(data, **options, seed=0, dtype=np.dtype(np.float64))


def _ids(trained: Trained, pairs: Any, spread: str) -> tuple[np.ndarray, np.ndarray]:
    need_choice("spread", spread, ("mean_field", "full"))
    left, right = pair_columns(pairs)
    return trained.rows.ids(left), trained.columns.ids(right)


_ANOTHER_RATE = 2.0  # odds that differ by more than this factor are another base rate, not chance


def _warn_of_another_base_rate(pairs: LabelledPairs, negatives: float) -> None:
    """Warn if the share of observed pairs is far from that of training, which probabilities are meant for."""
    observed = float(pairs.weights @ pairs.labels / pairs.weights.sum())
    trained = 1.0 / (1.0 + negatives)
    odds = observed / (1.0 - observed) * negatives
    if 1.0 / _ANOTHER_RATE < odds < _ANOTHER_RATE:
        return
    message = (
        f"{observed:.2%} of the pairs are observed ones, but training saw {trained:.2%} (one in {1.0 + negatives:g}); "
        "probabilities now have the base rate of these pairs."
    )
    warnings.warn(VBNWarning(message), stacklevel=caller_level())


def _unknown(entity: NewEntity) -> bool:
    """Return whether nothing is known of a new entity but its name."""
    return not (entity.parents or entity.contexts or entity.features)


def _warn_of_the_unknown(names: list[str]) -> None:
    if not names:
        return
    others = f" and {len(names) - 1:,} others" if names[1:] else ""
    warning = VBNWarning(
        f"nothing is known of {names[0]!r}{others}: neither parents nor contexts nor content were given, so any answer "
        "about such an entity is arbitrary."
    )
    warnings.warn(warning, stacklevel=caller_level())
