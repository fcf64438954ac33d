"""The public interface in any order: build, fit, add, go on, save, load, ask. Nothing crashes or is quietly wrong."""

import tempfile
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import vbn

WORDS = [f"w{n}" for n in range(12)]
PARENTS = ["animal", "plant", "thing"]
ODD = ["", " ", "naïve", "a b", "\N{GRINNING FACE}", "<b>", "0", "None", "w0 "]

pairs = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)), min_size=1, max_size=20)
names = st.sampled_from(WORDS + ODD + ["new1", "new2", "new3"])
weights = st.sampled_from([1.0, 0.5, 3.0, 1e6])


def bits(model):
    """All numbers of a model, to compare."""
    return {name: array.copy() for name, array in model._model().posterior.arrays().items()}


class AnyOrder(RuleBasedStateMachine):
    """A model, the names that it must know, and a folder for its files."""

    def __init__(self):
        super().__init__()
        self.place = tempfile.TemporaryDirectory(prefix="vbn-any-order-")
        self.model, self.known, self.added = None, set(), set()

    def teardown(self):
        self.place.cleanup()

    def dataset(self, given, weight, parented):
        left, right = zip(*given, strict=True)
        data = vbn.Dataset.from_pairs(left, right, [weight] * len(given))
        edges = {name: [PARENTS[n % 3]] for n, name in enumerate(WORDS) if n < parented}
        return data.with_taxonomy(edges) if edges else data

    @initialize(given=pairs, weight=weights, parented=st.integers(0, 12), related=st.booleans(), seed=st.integers(0, 3))
    def fit(self, given, weight, parented, related, seed):
        data = self.dataset(given, weight, parented)
        self.related = related and len({left for left, _ in given} & {right for _, right in given}) > 1
        if self.related:
            one, two, *_ = sorted({left for left, _ in given} & {right for _, right in given})
            data = data.with_relation("opposite", [(one, two), (two, one)])
        self.model = vbn.VBN(dim=3, epochs=2, negatives=2, relation_rank=2, seed=seed, n_threads=1, verbose=False)
        self.model.fit(data)
        self.known = {name for pair in given for name in pair}

    @rule(given=pairs, weight=weights, parented=st.integers(0, 12))
    def go_on(self, given, weight, parented):
        self.model.partial_fit(self.dataset(given, weight, parented))
        self.known |= {name for pair in given for name in pair}

    @rule(name=names, parent=st.sampled_from([None, *PARENTS]), seen=st.lists(st.sampled_from(WORDS), max_size=3))
    def add(self, name, parent, seen):
        before = bits(self.model)
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "nothing is known of")  # with neither parents nor contexts
                self.model.add(name, parents=None if parent is None else [parent], contexts=seen or None)
        except vbn.VBNError:
            assert all(np.array_equal(array, before[key]) for key, array in bits(self.model).items())
        else:
            self.known.add(name)

    @rule()
    def save_and_load(self):
        before = bits(self.model)
        self.model = vbn.load(self.model.save(Path(self.place.name) / "model"))
        assert all(np.array_equal(array, before[key]) for key, array in bits(self.model).items())

    @rule()
    def save_without_counts(self):
        self.model = vbn.load(self.model.save(Path(self.place.name) / "small", counts=False))

    @rule(data=st.data())
    def ask(self, data):
        before = bits(self.model)
        left, right = data.draw(st.sampled_from(sorted(self.known))), data.draw(st.sampled_from(sorted(self.known)))
        p, std = self.model.predict_proba([(left, right)], return_std=True)
        assert 0 <= p[0] <= 1
        assert std[0] >= 0
        for table in (self.model.similar(left, 4), self.model.recommend([left, right], 4)):
            assert len(table.entities) <= 4
            assert left not in table.entities
            assert np.isfinite(table.scores).all()
            assert (np.diff(table.scores) <= 0).all()
        assert all(0 <= part.prior_share <= 1 for part in self.model.explain(left).parts)
        assert all(np.array_equal(array, before[key]) for key, array in bits(self.model).items())

    @rule(name=st.sampled_from(["nobody", "", "w", 7, None]))
    def ask_for_nobody(self, name):
        for question in (lambda: self.model.similar(name), lambda: self.model.predict_proba([(name, name)])):
            if name in self.known:
                question()
            else:
                with pytest.raises(vbn.VBNError):
                    question()

    @precondition(lambda self: self.related)
    @rule()
    def ask_a_relation(self):
        table = self.model.related("opposite", sorted(self.known)[0], 3)
        assert np.isfinite(table.scores).all()

    @invariant()
    def finite(self):
        if self.model is not None:
            assert all(np.isfinite(array).all() for array in bits(self.model).values())


TestAnyOrder = AnyOrder.TestCase
