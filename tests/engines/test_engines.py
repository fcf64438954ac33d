"""What is said about engines: which there are, what is missing, what is wrong with a cluster."""

import copy
import pickle
import sys

import pytest

import vbn
from tests.estimators.test_fit import animals, model
from vbn.engines import Place, RayEngine, make_engine, places, refuge


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(vbn.MissingExtraError, match=r"vbn\[ray\]"):
        model(engine="ray").fit(animals())


def test_an_engine_may_be_given_as_an_object():
    engine = make_engine("threads", 2)
    assert make_engine(engine) is engine
    assert model(engine=engine, epochs=1).fit(animals()).n_iter_ == 1


@pytest.mark.parametrize("engine", ["spark", None, 3, RayEngine])
def test_what_is_no_engine_is_refused(engine):
    with pytest.raises(vbn.ParameterError, match="engine="):
        model(engine=engine).fit(animals())


@pytest.mark.parametrize(
    "options", [{"workers": 0}, {"threads": True}, {"address": "ray://head:10001"}, {"address": 3}, {"half": 16}]
)
def test_options_of_ray_are_checked(options):
    with pytest.raises(vbn.ParameterError, match=next(iter(options))):
        RayEngine(**options)


def test_a_ray_engine_is_its_options():
    engine = RayEngine("head:6379", workers=4, half=True)
    assert repr(engine) == "RayEngine(address='head:6379', workers=4, half=True)"
    assert repr(RayEngine(threads=2)) == "RayEngine(threads=2)"
    for other in (copy.deepcopy(engine), pickle.loads(pickle.dumps(engine))):
        assert repr(other) == repr(engine)


def test_a_model_does_not_remember_where_it_was_trained(tmp_path):
    fitted = model(epochs=1).fit(animals()).set_params(engine=RayEngine("head:6379"))
    assert vbn.load(fitted.save(tmp_path / "model")).engine == "threads"


class Nodes:
    """A cluster of nodes with so many cores; below 0: a node that is down."""

    def __init__(self, *cores):
        self.cores = cores

    def nodes(self):
        return [
            {"NodeID": f"n{at}", "Alive": cores >= 0, "Resources": {"CPU": cores}}
            for at, cores in enumerate(self.cores)
        ]


def test_by_default_each_node_has_one_worker_with_all_of_its_cores():
    assert places(Nodes(0, 8, 4, -1), None, None) == [Place("n1", 8, 8), Place("n2", 4, 4)]


def test_workers_are_dealt_out_and_share_a_node():
    assert places(Nodes(8, 4), 3, None) == [Place("n0", 4, 4), Place("n1", 4, 4), Place("n0", 4, 4)]
    assert places(Nodes(2), 3, None) == [Place("n0", 1, 0)] * 3  # more than cores: none is reserved


def test_a_lost_worker_goes_where_the_fewest_are():
    assert refuge(Nodes(-1, 4, 4), ["n1"], 4) == Place("n2", 4, 0)
    assert refuge(Nodes(-1, 8, 4), ["n1", "n2"], 4) == Place("n1", 4, 0)


@pytest.mark.parametrize("lost", [lambda: places(Nodes(0), None, None), lambda: refuge(Nodes(-1), [], 1)])
def test_a_cluster_without_cores_is_an_error(lost):
    with pytest.raises(vbn.EngineError, match="node"):
        lost()
