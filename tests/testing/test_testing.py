"""The public checks: VBN passes all of them, and for each there is an estimator that fails it."""

import numpy as np
import pytest

import vbn
from tests.testing import broken
from vbn import testing as checks

SMALL = {"dim": 3, "epochs": 2, "verbose": False}


def interactions():
    rng = np.random.default_rng(0)
    users, items = rng.integers(0, 20, 200), rng.integers(0, 15, 200)
    data = vbn.Dataset.from_interactions([f"user {i}" for i in users], [f"item {i}" for i in items])
    return data.with_taxonomy({"item 0": ["first"], "item 1": ["first"]})


@pytest.mark.parametrize("data", [None, interactions()], ids=["words", "users x items"])
@pytest.mark.parametrize("check", checks.all_checks(), ids=lambda check: check.__name__)
def test_vbn_keeps_every_promise(check, data):
    assert check(vbn.VBN(**SMALL), data)


BROKEN = [
    (checks.check_parameters, broken.RoundsAParameter, "does not store dim"),
    (checks.check_parameters, broken.AcceptsAnyParameter, "unknown name"),
    (checks.check_parameters_untouched, broken.ReplacesAParameter, "replaced the parameters n_threads"),
    (checks.check_parameters_untouched, broken.ChangesInsideAParameter, "inside the parameters alpha"),
    (checks.check_not_fitted, broken.AnswersUnfitted, "similar"),
    (checks.check_seeding, broken.DiffersEveryTime, "same seed"),
    (checks.check_seeding, broken.IgnoresItsSeed, "no effect"),
    (checks.check_threads, broken.DependsOnThreads, "2 threads"),
    (checks.check_queries_are_pure, broken.LearnsFromQuestions, "asked again"),
    (checks.check_unknown_entity, broken.RaisesKeyErrors, "KeyError"),
    (checks.check_unknown_entity, broken.KeepsClosestToItself, "closest"),
    (checks.check_empty_query, broken.FailsOnNoPairs, "predict_proba of no pairs"),
    (checks.check_empty_query, broken.TakesAnyK, "k=0"),
    (checks.check_empty_query, broken.RaisesTypeErrors, "TypeError"),
    (checks.check_tables, broken.PutsTheWorstFirst, "best score first"),
    (checks.check_tables, broken.AnswersWithTheQuestion, "asked about"),
    (checks.check_tables, broken.IsNotSureAtAll, "standard deviations"),
    (checks.check_probabilities, broken.GivesLogits, "from 0 to 1"),
    (checks.check_probabilities, broken.NormalisesOverTheBatch, "depends on the other pairs"),
    (checks.check_save_and_load, broken.ForgetsWhenSaved, "differs from the saved one"),
    (checks.check_save_and_load, broken.LosesAParameterWhenSaved, "was loaded as"),
    (checks.check_memory, broken.TakesAllPairsAtOnce, "predict_proba took"),
]


def make(kind):
    return kind(**SMALL, alpha={"entity": 2.0})


@pytest.mark.parametrize(("check", "kind", "message"), BROKEN, ids=lambda value: getattr(value, "__name__", None))
def test_a_broken_promise_is_found(check, kind, message):
    with pytest.raises(checks.CheckFailedError, match=message):
        check(make(kind))


def test_every_check_is_seen_to_fail():
    assert {check for check, _, _ in BROKEN} == set(checks.all_checks())


def test_verbs_that_an_estimator_lacks_are_skipped_and_reported():
    report = checks.check_estimator(broken.MostFrequent())
    assert report.failed == []
    assert report.skipped == ["check_threads", "check_probabilities", "check_save_and_load"]
    assert "check_tables" in report.passed
    assert report.missing == (
        "posterior",
        "predict_proba",
        "similar",
        "audience",
        "relation_proba",
        "related",
        "explain",
        "save",
    )
    assert "not offered, so not checked: posterior" in repr(report)


def test_the_report_of_a_broken_estimator():
    with pytest.raises(checks.CheckFailedError, match="checks failed") as caught:
        checks.check_estimator(make(broken.TakesAllPairsAtOnce), interactions())
    assert "check_memory" in caught.value.report.failed
    report = checks.check_estimator(make(broken.RaisesTypeErrors), on_fail="report")
    assert "check_empty_query" in report.failed
    assert "TypeError" in repr(report)


def test_an_exception_inside_a_check_is_a_failure_not_a_crash():
    class Crashes(vbn.VBN):
        def explain(self, entity):
            raise RuntimeError(f"boom {entity}")

    report = checks.check_estimator(Crashes(**SMALL), on_fail="report")
    assert "check_queries_are_pure" in report.failed
    assert "RuntimeError: boom " in repr(report)


def test_the_estimator_itself_is_left_alone():
    model = make(broken.ChangesInsideAParameter)
    checks.check_estimator(model, on_fail="report")
    assert model.alpha == {"entity": 2.0}
    with pytest.raises(vbn.NotFittedError):
        model.similar("dog")


@pytest.mark.parametrize("wrong", [vbn.VBN, None, object()])
def test_only_instances_of_estimators_are_taken(wrong):
    with pytest.raises(vbn.ParameterError, match="instance"):
        checks.check_estimator(wrong)


def test_on_fail_is_checked():
    with pytest.raises(vbn.ParameterError, match="on_fail"):
        checks.check_estimator(vbn.VBN(), on_fail="ignore")


def test_the_former_name_still_works():
    import vbn.checks

    assert vbn.checks.check_estimator is checks.check_estimator
    assert vbn.checks.__all__ == checks.__all__
