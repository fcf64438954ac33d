"""Estimators that each break one promise, so that the checks are seen to fail; and one that has few verbs."""

import itertools

import numpy as np

import vbn
from vbn.estimators import Parameters, registered
from vbn.inference import Table

_numbers = itertools.count()


class RoundsAParameter(vbn.VBN):
    def set_params(self, **params):
        return super().set_params(**params | {"dim": 4})


class AcceptsAnyParameter(vbn.VBN):
    def set_params(self, **params):
        return super().set_params(**{name: value for name, value in params.items() if name in self.get_params()})


class ReplacesAParameter(vbn.VBN):
    def fit(self, data):
        self.n_threads = 2
        return super().fit(data)


class ChangesInsideAParameter(vbn.VBN):
    def fit(self, data):
        self.alpha["entity"] = 3.0
        return super().fit(data)


class AnswersUnfitted(vbn.VBN):
    def similar(self, *args, **kwargs):
        return super().similar(*args, **kwargs) if hasattr(self, "trained_") else Table([], [], [])


def _disturb(model, number):
    posterior = model.trained_.posterior
    posterior.u.mean[:] *= 1 + number / 100
    posterior.v.mean[:] *= 1 + number / 100


class IgnoresItsSeed(vbn.VBN):
    def fit(self, data):
        seed, self.seed = self.seed, 0
        try:
            return super().fit(data)
        finally:
            self.seed = seed


class DiffersEveryTime(vbn.VBN):
    def fit(self, data):
        super().fit(data)
        _disturb(self, next(_numbers))
        return self


class DependsOnThreads(vbn.VBN):
    def fit(self, data):
        super().fit(data)
        _disturb(self, self.n_threads or 0)
        return self


class LearnsFromQuestions(vbn.VBN):
    def similar(self, *args, **kwargs):
        answer = super().similar(*args, **kwargs)
        _disturb(self, 1)
        return answer


class RaisesKeyErrors(vbn.VBN):
    def posterior(self, entity, **kwargs):
        try:
            return super().posterior(entity, **kwargs)
        except vbn.UnknownEntityError as error:
            raise KeyError(entity) from error


class KeepsClosestToItself(vbn.VBN):
    def posterior(self, entity, **kwargs):
        try:
            return super().posterior(entity, **kwargs)
        except vbn.UnknownEntityError as error:
            raise vbn.UnknownEntityError(str(entity), []) from error


class FailsOnNoPairs(vbn.VBN):
    def predict_proba(self, pairs):
        return super().predict_proba(pairs) if len(pairs) else None


class TakesAnyK(vbn.VBN):
    def similar(self, entity=None, k=10, **kwargs):
        return super().similar(entity, max(k, 1), **kwargs)


class RaisesTypeErrors(vbn.VBN):
    def recommend(self, *args, **kwargs):
        if not args and not kwargs:
            raise TypeError("entities are missing")
        return super().recommend(*args, **kwargs)


class PutsTheWorstFirst(vbn.VBN):
    def similar(self, *args, **kwargs):
        table = super().similar(*args, **kwargs)
        return Table(table.entities[::-1], table.scores[::-1], table.stds[::-1], table.measure)


class AnswersWithTheQuestion(vbn.VBN):
    def similar(self, entity=None, k=10, **kwargs):
        table = super().similar(entity, k, **kwargs)
        entities = [entity, *table.entities[1:]] if entity is not None else table.entities
        return Table(entities, table.scores, table.stds, table.measure)


class IsNotSureAtAll(vbn.VBN):
    def similar(self, *args, **kwargs):
        table = super().similar(*args, **kwargs)
        return Table(table.entities, table.scores, table.stds * np.nan, table.measure)


class GivesLogits(vbn.VBN):
    def predict_proba(self, pairs):
        p = super().predict_proba(pairs)
        return np.log(p) - np.log1p(-p)


class NormalisesOverTheBatch(vbn.VBN):
    def predict_proba(self, pairs):
        p = super().predict_proba(pairs)
        return p / max(p.sum(), 1.0) if len(p) > 1 else p


@registered
class ForgetsWhenSaved(vbn.VBN):
    def _restore(self, trained, data, record):
        first = not hasattr(self, "trained_")
        super()._restore(trained, data, record)
        if first and not self.verbose:
            _disturb(self, 5)


@registered
class LosesAParameterWhenSaved(vbn.VBN):
    def set_params(self, **params):
        return super().set_params(**params | {"epochs": 9})


class TakesAllPairsAtOnce(vbn.VBN):
    def predict_proba(self, pairs):
        left = self.trained_.rows.ids([pair[0] for pair in pairs])
        right = self.trained_.columns.ids([pair[1] for pair in pairs])
        everything = self.trained_.posterior.u.mean[left] @ self.trained_.posterior.v.mean.T
        return everything[np.arange(len(pairs)), right]


class MostFrequent(Parameters):
    """Has few verbs and neither seed nor threads: nothing is broken."""

    def __init__(self, power=1.0):
        self.power = power

    _table = None

    def fit(self, data):
        names, counts = data.columns.names, data.columns.counts**self.power
        order = np.argsort(-counts, kind="stable")
        self._table = Table([names[i] for i in order], counts[order], np.zeros(len(order)), "count")
        self._known = data.columns
        return self

    def recommend(self, entities=None, k=10, user=None):
        if self._table is None:
            raise vbn.NotFittedError("fit first.")
        if entities is None and user is None:
            raise vbn.ParameterError("recommend() needs entities.")
        if k < 1:
            raise vbn.ParameterError(f"k={k} must be at least 1.")
        if entities and isinstance(entities[0], list):
            return [self.recommend(one, k) for one in entities]
        self._known.ids(entities or [])
        other = (i for i, name in enumerate(self._table.entities) if name not in (entities or []))
        rows = [self._table[i] for i in itertools.islice(other, k)]
        return Table([r.entity for r in rows], [r.score for r in rows], [r.std for r in rows], "count")
