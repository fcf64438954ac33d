"""The public interface in any order: fit, add, go on, calibrate, save, ask. Nothing crashes or is quietly wrong."""

import contextlib
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import vbn

WORDS = [f"w{n}" for n in range(12)]
USER = "user {}"
PARENTS = ["animal", "plant", "thing"]
ODD = ["", " ", "naïve", "a b", "\N{GRINNING FACE}", "<b>", "0", "None", "w0 "]

pairs = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)), min_size=1, max_size=20)
names = st.sampled_from(WORDS + ODD + ["new1", "new2", "new3"])
weights = st.sampled_from([1.0, 0.5, 3.0, 1e6])


def bits(model):
    """All numbers of a model, to compare."""
    return {name: array.copy() for name, array in model.trained_.posterior.arrays().items()}


class AnyOrder(RuleBasedStateMachine):
    """A model of words, or of users and items; the names that it must know on either side; a folder for its files."""

    def __init__(self):
        super().__init__()
        self.place = tempfile.TemporaryDirectory(prefix="vbn-any-order-")
        self.model = None

    def teardown(self):
        self.place.cleanup()

    def dataset(self, given, weight, parented):
        left, right = zip(*given, strict=True)
        counts = [weight] * len(given)
        if self.users:
            data = vbn.Dataset.from_interactions(list(map(USER.format, left)), right, counts)
        else:
            data = vbn.Dataset.from_pairs(left, right, counts)
        edges = {name: [PARENTS[n % 3]] for n, name in enumerate(WORDS) if n < parented}
        return data.with_taxonomy(edges) if edges else data

    def knows(self, given):
        left, right = ({pair[side] for pair in given} for side in (0, 1))
        self.rows |= set(map(USER.format, left)) if self.users else left | right
        self.columns |= right if self.users else left | right

    def draw(self, data, names):
        return data.draw(st.sampled_from(sorted(names)))

    @initialize(
        given=pairs,
        weight=weights,
        parented=st.integers(0, 12),
        related=st.booleans(),
        users=st.booleans(),
        seed=st.integers(0, 3),
    )
    def fit(self, given, weight, parented, related, users, seed):
        self.users = users
        data = self.dataset(given, weight, parented)
        both = sorted({left for left, _ in given} & {right for _, right in given})
        self.related = related and not users and len(both) > 1
        if self.related:
            data = data.with_relation("opposite", [(both[0], both[1]), (both[1], both[0])])
        self.model = vbn.VBN(dim=3, epochs=2, negatives=2, relation_rank=2, seed=seed, n_threads=1, verbose=False)
        self.model.fit(data)
        self.rows = set()
        self.columns = set() if users else self.rows
        self.knows(given)

    @rule(given=pairs, weight=weights, parented=st.integers(0, 12))
    def fit_anew(self, given, weight, parented):
        self.model.fit(self.dataset(given, weight, parented))
        self.related = False
        self.rows.clear()
        self.columns.clear()
        self.knows(given)

    @rule(given=pairs, weight=weights, parented=st.integers(0, 12))
    def go_on(self, given, weight, parented):
        self.model.partial_fit(self.dataset(given, weight, parented))
        self.knows(given)

    @rule(name=names, parent=st.sampled_from([None, *PARENTS]), seen=st.lists(st.sampled_from(WORDS), max_size=3))
    def add(self, name, parent, seen):
        before = bits(self.model)
        contexts = list(map(USER.format, seen)) if self.users else seen
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "nothing is known of")  # with neither parents nor contexts
                self.model.add(name, parents=None if parent is None else [parent], contexts=contexts or None)
        except vbn.VBNError:
            assert all(np.array_equal(array, before[key]) for key, array in bits(self.model).items())
        else:
            self.columns.add(name)  # of words, the same set as the rows

    @rule(data=st.data())
    def calibrate(self, data):
        """With the share of observed pairs of training, as nobody is warned then."""
        before = bits(self.model)
        labelled = [(self.draw(data, self.rows), self.draw(data, self.columns), label) for label in (1, 0, 0)]
        with contextlib.suppress(vbn.DataError):  # of pairs that are told apart wholly or not at all
            self.model.calibrate(labelled)
        assert self.model.reliability(labelled).n_pairs == 3
        assert all(np.array_equal(array, before[key]) for key, array in bits(self.model).items())

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
        row, column, other = (self.draw(data, side) for side in (self.rows, self.columns, self.columns))
        p, std = self.model.predict_proba([(row, column)], return_std=True)
        assert 0 <= p[0] <= 1
        assert std[0] >= 0
        tables = [self.model.similar(column, 4), self.model.recommend([column, other], 4)]
        for table in [*tables, *self.of_a_user(row)]:
            assert len(table.entities) <= 4
            assert np.isfinite(table.scores).all()
            assert (np.diff(table.scores) <= 0).all()
        assert all(column not in table.entities for table in tables)
        assert all(0 <= part.prior_share <= 1 for part in self.model.explain(column).parts)
        assert all(np.array_equal(array, before[key]) for key, array in bits(self.model).items())

    def of_a_user(self, row):
        if not self.users:
            return []
        alike = self.model.similar(row, 4, side="row")
        assert row not in alike.entities
        return [alike, self.model.recommend(user=row, k=4, exclude_seen=False)]

    @rule(name=st.sampled_from(["nobody", "", "w", 7, None]))
    def ask_for_nobody(self, name):
        questions = {
            lambda: self.model.similar(name): name in self.columns,
            lambda: self.model.predict_proba([(name, name)]): name in self.rows and name in self.columns,
        }
        for question, known in questions.items():
            if known:
                question()
            else:
                with pytest.raises(vbn.VBNError):
                    question()

    @precondition(lambda self: self.related)
    @rule()
    def ask_a_relation(self):
        table = self.model.related("opposite", sorted(self.columns)[0], 3)
        assert np.isfinite(table.scores).all()

    @invariant()
    def finite(self):
        if self.model is not None:
            assert all(np.isfinite(array).all() for array in bits(self.model).values())


TestAnyOrder = AnyOrder.TestCase
