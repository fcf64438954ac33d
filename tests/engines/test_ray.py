"""A Ray cluster gives the bits that threads give, whatever is lost on the way."""

import os
import re
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import vbn
from tests.estimators.test_fit import bits
from vbn.cli import examine
from vbn.data import MappedArray
from vbn.engines import RayEngine, Workers, connect, count_files
from vbn.engines.content import files_of
from vbn.engines.ray import ClusterSample

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'vbn[ray]'")
pytestmark = pytest.mark.filterwarnings("default")  # Ray's own warnings are not ours to mend

ROOT = Path(__file__).parents[2]
STORE = 100 << 20


@pytest.fixture(scope="module")
def cluster():
    """A cluster of one node; things above 1 kB are handed over through the object store, as large things are."""
    from ray.cluster_utils import Cluster

    system = {"max_direct_call_object_size": 1000, "health_check_period_ms": 1000}
    head = {"num_cpus": 2, "object_store_memory": STORE, "include_dashboard": False, "_system_config": system}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    yield cluster
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr("vbn.model.epoch._CELLS_PER_BLOCK", 500)
    monkeypatch.setattr("vbn.engines.shards._CELLS_PER_GROUP", 2000)


def words():
    rng = np.random.default_rng(3)
    left, right = (np.minimum(rng.zipf(1.4, 4000), 80) for _ in range(2))
    taxonomy = {f"w{number}": [f"group {number % 5}"] for number in range(1, 81)}
    taxonomy |= {f"group {number}": ["all"] for number in range(5)}
    data = vbn.Dataset.from_pairs([f"w{n}" for n in left], [f"w{n}" for n in right]).with_taxonomy(taxonomy)
    return data.with_relation("follows", [(f"w{n}", f"w{n + 1}") for n in range(1, 20)], missing="skip")


def events(n=3000, seed=4):
    rng = np.random.default_rng(seed)
    return [f"u{i}" for i in rng.integers(0, 150, n)], [f"i{i}" for i in np.minimum(rng.zipf(1.4, n), 60)]


def shop(data=None):
    data = vbn.Dataset.from_interactions(*events()) if data is None else data
    data = data.with_taxonomy({f"u{i}": [f"segment {i % 4}"] for i in range(150)}, side="row")
    return data.with_taxonomy({f"i{i}": [f"genre {i % 3}"] for i in range(1, 61)}, side="column")


GONE = MappedArray("/nowhere/features.npy", 0, np.dtype(np.float32), (1, 1))


def told(folder):
    """Return users with ages, some items with a text; in a folder, features are mapped."""
    rng, data = np.random.default_rng(5), vbn.Dataset.from_interactions(*events())
    text = rng.standard_normal((len(data.columns), 5)).astype(np.float32)
    data = data.with_features(text[:40], ids=data.columns[:40], name="text")
    data = data.with_features(rng.standard_normal((len(data.rows), 2)), side="row", name="age")
    return shop(data if folder is None else data.to_folder(folder / "data"))


def model(**options):
    return vbn.VBN(**({"dim": 6, "epochs": 3, "negatives": 2, "relation_rank": 2, "verbose": False} | options))


def same(one, other):
    return bits(one) == bits(other) and one.lower_bounds_.tolist() == other.lower_bounds_.tolist()


@pytest.mark.usefixtures("cluster")
class TestEquality:
    @pytest.mark.parametrize("workers", [1, 2, 3])
    def test_words_with_a_taxonomy_and_a_relation(self, workers):
        assert same(model().fit(words()), model(engine=RayEngine(workers=workers)).fit(words()))

    def test_users_and_items_in_double_precision_on_one_sample(self):
        options = {"dtype": "float64", "resample": False, "subsample": 1e-2}
        assert same(model(**options).fit(shop()), model(**options, engine=RayEngine(workers=2)).fit(shop()))

    def test_counts_that_are_mapped_with_a_limit_of_memory(self, tmp_path):
        data = shop(vbn.Dataset.from_interactions(*events()).to_folder(tmp_path / "counts"))
        alone = {"company": False}  # what "auto" chooses for counts in a file
        mapped = model(**alone, engine=RayEngine(workers=2), memory="1kB").fit(data)
        assert same(model(**alone).fit(shop()), mapped)

    def test_going_on_without_the_counts_of_the_first_fit(self, tmp_path):
        folder = model().fit(shop()).save(tmp_path / "model", counts=False)
        more = vbn.Dataset.from_interactions(*events(500, seed=5))
        one, two = vbn.load(folder), vbn.load(folder).set_params(engine="ray")
        assert same(one.partial_fit(more), two.partial_fit(more))

    @pytest.mark.parametrize("data", [words, shop])
    @pytest.mark.parametrize("ahead", [0, 10_000], ids=["rows", "rows and columns"])
    def test_densities_are_handed_over_where_few_are_needed(self, monkeypatch, data, ahead):
        monkeypatch.setattr("vbn.engines.cluster._LITTLE", 9.0)
        monkeypatch.setattr("vbn.engines.shards._AHEAD", ahead)
        monkeypatch.setattr("vbn.engines.shards._CELLS_PER_GROUP", 500)
        handed, hand = [], ClusterSample._hand_columns
        monkeypatch.setattr(ClusterSample, "_hand_columns", lambda *given: (handed.append(1), hand(*given))[1])
        assert same(model().fit(data()), model(engine=RayEngine(workers=2)).fit(data()))
        assert bool(handed) == bool(ahead)

    def test_densities_in_half_of_the_bits_change_the_result_little(self, monkeypatch):
        exact, once = model().fit(shop()), model(engine=RayEngine(workers=1, half=True)).fit(shop())
        monkeypatch.setattr("vbn.engines.cluster._LITTLE", 9.0)
        monkeypatch.setattr("vbn.engines.shards._AHEAD", 10_000)
        assert same(once, model(engine=RayEngine(workers=2, half=True)).fit(shop()))
        assert bits(once) != bits(exact)
        assert once.lower_bounds_[-1] == pytest.approx(exact.lower_bounds_[-1], rel=1e-2)

    @pytest.mark.parametrize("where", ["memory", "file", "file that workers do not see"])
    def test_features_are_read_by_the_workers(self, tmp_path, monkeypatch, where):
        monkeypatch.setattr("vbn.model.priors.linear.ROWS_AT_ONCE", 16)
        monkeypatch.setattr("vbn.model.priors.linear._ROOM", 0)
        monkeypatch.setattr("vbn.model.priors.linear._BLOCKS_AT_ONCE", 3)
        if where == "file that workers do not see":
            monkeypatch.setattr("vbn.engines.cluster.files_of", lambda sources: [] if not files_of(sources) else [GONE])
        sent, read = [], Workers.read_features
        monkeypatch.setattr(Workers, "read_features", lambda *given: (sent.append(given[1].work), read(*given))[1])
        data, options = told(None if where == "memory" else tmp_path), {"epochs": 4, "favour": None}
        assert same(model(**options).fit(data), model(**options, engine=RayEngine(workers=2)).fit(data))
        assert {type(work).__name__ for work in sent} == {"Sums", "Predictions"}

    @pytest.mark.parametrize(("resample", "expected"), [(True, [0, 1, 2, 2, 3]), (False, [0] * 5)])
    def test_workers_draw_for_the_next_epoch_before_it_begins(self, monkeypatch, resample, expected):
        drawn, draw = [], Workers.draw
        monkeypatch.setattr(Workers, "draw", lambda *given: (drawn.append(given[2]), draw(*given))[1])
        options = {"resample": resample, "company": False, "favour": None}
        assert same(model(**options).fit(shop()), model(**options, engine=RayEngine(workers=1)).fit(shop()))
        assert drawn == expected

    def test_an_engine_serves_one_fit_after_another(self):
        fitted = model(engine=RayEngine(workers=2), epochs=1)
        assert same(fitted.fit(shop()).fit(words()), model(epochs=1).fit(words()))


def struck(monkeypatch, strike, at):
    """Let strike(crew) happen once, when all work number `at` has begun; tell what was replaced."""
    calls, replaced, run, replace = [], [], Workers.run, Workers._replace

    def run_and_strike(self, begin, take, mend=None, numbers=None):
        calls.append(self)
        now, began = len(calls) == at, []

        def begin_and_strike(number):
            reference = begin(number)
            began.append(number)
            if now and len(began) == len(self):
                strike(self)
            return reference

        run(self, begin_and_strike, take, mend, numbers)

    def note(self, number, error):
        replaced.append(number)
        replace(self, number, error)

    monkeypatch.setattr(Workers, "run", run_and_strike)
    monkeypatch.setattr(Workers, "_replace", note)
    return replaced


@pytest.mark.usefixtures("cluster")
class TestLosses:
    @pytest.mark.parametrize("half_sweep", [3, 4], ids=["rows", "columns"])
    def test_a_worker_that_is_killed_is_replaced(self, monkeypatch, half_sweep):
        expected = model().fit(words())
        replaced = struck(monkeypatch, lambda crew: os.kill(crew.processes[1], signal.SIGKILL), half_sweep)
        assert same(expected, model(engine=RayEngine(workers=2)).fit(words()))
        assert replaced == [1]

    def test_a_worker_that_is_killed_while_it_reads_features_is_replaced(self, monkeypatch):
        monkeypatch.setattr("vbn.model.priors.linear.ROWS_AT_ONCE", 16)
        expected = model(favour=None).fit(told(None))
        replaced = struck(monkeypatch, lambda crew: os.kill(crew.processes[1], signal.SIGKILL), 3)
        assert same(expected, model(favour=None, engine=RayEngine(workers=2)).fit(told(None)))
        assert replaced == [1]

    @pytest.mark.parametrize(
        ("work", "little", "ahead"),
        [(3, 0.5, 0), (4, 0.5, 0), (4, 9.0, 0), (5, 9.0, 10_000), (6, 9.0, 10_000), (7, 9.0, 10_000)],
        ids=["rows", "columns", "both", "rows drawn ahead", "columns handed", "columns taken"],
    )
    def test_a_node_that_is_removed_takes_cells_with_it(self, cluster, monkeypatch, work, little, ahead):
        monkeypatch.setattr("vbn.engines.cluster._LITTLE", little)
        monkeypatch.setattr("vbn.engines.shards._AHEAD", ahead)
        expected = model().fit(shop())
        node = cluster.add_node(num_cpus=2, object_store_memory=STORE)
        cluster.wait_for_nodes()
        replaced = struck(monkeypatch, lambda _: cluster.remove_node(node, allow_graceful=False), work)
        assert same(expected, model(engine=RayEngine()).fit(shop()))
        assert replaced

    def test_workers_that_are_lost_again_and_again_end_the_fit(self, monkeypatch):
        def always_lost(self, begin, take, mend=None, numbers=None):
            for _ in range(20):
                self._replace(0, RuntimeError("gone"))

        monkeypatch.setattr(Workers, "run", always_lost)
        with pytest.raises(vbn.EngineError, match=r"worker 0 was lost 4 times in a row.*gone"):
            model(engine=RayEngine(workers=1)).fit(words())


@pytest.mark.usefixtures("cluster")
class TestResuming:
    def test_from_a_checkpoint(self, tmp_path):
        engine, folder = RayEngine(workers=2), tmp_path / "checkpoint"
        model(engine=engine, checkpoint=folder).fit(words(), callbacks=[lambda _, epoch: epoch.epoch == 1])
        assert same(model().fit(words()), model(engine=engine).fit(words(), resume_from=folder))

    def test_after_the_driver_was_killed(self, cluster, tmp_path):
        script = f"""
            import os, signal
            from tests.engines.test_ray import RayEngine, model, words

            engine = RayEngine({cluster.address!r}, workers=1)
            fitted = model(engine=engine, checkpoint={str(tmp_path / "checkpoint")!r}, checkpoint_every=1)
            fitted.fit(words(), callbacks=[lambda _, epoch: epoch.epoch == 2 and os.kill(os.getpid(), signal.SIGKILL)])
        """
        code = textwrap.dedent(script)
        ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=240)
        assert ended.returncode == -signal.SIGKILL, ended.stderr
        resumed = model(engine=RayEngine(workers=2)).fit(words(), resume_from=tmp_path / "checkpoint")
        assert same(model().fit(words()), resumed)
        assert resumed.n_iter_ == 3


@pytest.mark.usefixtures("cluster")
class TestErrors:
    def test_no_room_in_the_object_store(self, monkeypatch):
        def full(_):
            raise ray.exceptions.ObjectStoreFullError("The object store is full.")

        monkeypatch.setattr(ray, "put", full)
        with pytest.raises(vbn.StorageError, match=r"no room.*full.*object-store-memory"):
            model(engine="ray").fit(words())

    def test_an_error_of_a_worker_arrives_as_it_was_raised(self, tmp_path):
        data = shop(vbn.Dataset.from_interactions(*events()).to_folder(tmp_path / "counts"))
        (tmp_path / "counts" / "values.npy").unlink()
        with pytest.raises(vbn.EngineError, match="folder of a mapped data set"):
            model(engine=RayEngine(workers=1)).fit(data)

    def test_no_cluster(self, monkeypatch):
        def unreachable(**_):
            raise ConnectionError("Could not find any running Ray instance.")

        monkeypatch.setattr(ray, "is_initialized", lambda: False)
        monkeypatch.setattr(ray, "init", unreachable)
        with pytest.raises(vbn.EngineError, match=r"no Ray cluster at 'nowhere:1'.*ray start --head.*address="):
            model(engine=RayEngine("nowhere:1")).fit(words())

    def test_without_a_cluster_one_is_started_on_this_machine_and_said_so(self, monkeypatch):
        asked = []

        def none_runs(address, **_):
            asked.append(address)
            if address == "auto":
                raise ConnectionError("Could not find any running Ray instance.")

        monkeypatch.delenv("RAY_ADDRESS", raising=False)
        monkeypatch.setattr(ray, "is_initialized", lambda: False)
        monkeypatch.setattr(ray, "init", none_runs)
        with pytest.warns(UserWarning, match="no Ray cluster is running: started one on this machine"):
            _, here = connect(None)
        assert asked == ["auto", "local"]
        assert here


def test_the_command_line_trains_on_the_cluster(cluster, tmp_path, capsys, monkeypatch):
    from vbn.cli import main

    users, items = events()
    lines = [f"{user},{item}" for user, item in zip(users, items, strict=True)]
    (tmp_path / "shop.csv").write_text("user,item\n" + "\n".join(lines), encoding="utf-8")
    options = ["--kind", "interactions", "--dim", "6", "--epochs", "2", "-q"]
    for out, where in (("one", []), ("two", ["--engine", "ray", "--address", cluster.address, "--workers", "2"])):
        arguments = ["vbn", "train", str(tmp_path / "shop.csv"), *options, *where, "--out", str(tmp_path / out)]
        monkeypatch.setattr(sys, "argv", arguments)
        with pytest.raises(SystemExit) as end:
            main()
        assert not end.value.code, capsys.readouterr().err
    assert same(vbn.load(tmp_path / "one"), vbn.load(tmp_path / "two"))


def test_the_doctor_reports_the_cluster(cluster):
    found = examine(self_test=False, address=cluster.address)["cluster"]
    assert found["reached"] == "yes"
    assert found["nodes"] == 1
    assert any("2 cores" in str(fact) for fact in found.values())


def cells(data):
    counts = data.counts
    names = [(data.rows[i], data.columns[j]) for i, j in zip(counts.row_ids(), counts.indices, strict=True)]
    return dict(zip(names, counts.values.tolist(), strict=True))


def vocabulary(names):
    return dict(zip(names, names.counts.tolist(), strict=True))


@pytest.mark.usefixtures("cluster")
class TestCounting:
    def test_interactions_in_parts_of_a_table(self, tmp_path, monkeypatch):
        pd = pytest.importorskip("pandas")
        monkeypatch.setattr("vbn.engines.counting._CELLS_PER_PART", 200)
        users, items = events()
        table = pd.DataFrame({"user_id": users, "item_id": items, "weight": np.arange(len(users)) % 3 + 1.0})
        (tmp_path / "events").mkdir()
        for number, rows in enumerate(np.array_split(np.arange(len(table)), 4)):
            table.iloc[rows].to_parquet(tmp_path / "events" / f"part-{number}.parquet")
        (tmp_path / "events" / "_SUCCESS").touch()
        columns = {"users": "user_id", "items": "item_id", "weights": "weight"}
        counted = count_files(tmp_path / "events", tmp_path / "counts", "interactions", **columns)
        whole = vbn.Dataset.from_interactions(table, **columns)
        assert cells(counted) == cells(whole)
        for one, other in ((counted.rows, whole.rows), (counted.columns, whole.columns)):
            assert vocabulary(one) == vocabulary(other)
            assert (np.diff(one.counts) <= 0).all()
        assert counted.kind == whole.kind
        assert model(engine="ray", epochs=1).fit(counted).n_iter_ == 1

    def test_the_python_of_the_page_about_clusters(self, cluster, tmp_path):
        pd = pytest.importorskip("pandas")
        (tmp_path / "events").mkdir()
        pd.DataFrame(dict(zip(("user_id", "item_id"), events(), strict=True))).to_parquet(
            tmp_path / "events" / "one.parquet"
        )
        (tmp_path / "genres.csv").write_text("child,parent\ni1,genre\ni2,genre\n", encoding="utf-8")
        page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
        first, second = (code for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if ">>>" not in code)
        given = {"vbn": vbn, "data": shop()}
        for snippet in (first, second):
            exec(snippet.replace("head:6379", cluster.address).replace("/shared", str(tmp_path)), given)
        assert vbn.load(tmp_path / "model").n_iter_ == 20

    def test_sequences(self, tmp_path):
        lines = [f"the dog {verb} at a cat" for verb in ("barks", "looks", "runs")]
        for number, line in enumerate(lines):
            (tmp_path / f"{number}.txt").write_text(f"{line}\n{line} again\n", encoding="utf-8")
        files = sorted(tmp_path.glob("*.txt"))
        counted = count_files(files, tmp_path / "counts", "sequences", window=2)
        sentences = [text.split() for line in lines for text in (line, f"{line} again")]
        whole = vbn.Dataset.from_sequences(sentences, window=2)
        assert counted.shared
        assert cells(counted) == cells(whole)
        assert vocabulary(counted.rows) == vocabulary(whole.rows)

    def test_what_cannot_be_counted_is_refused(self, tmp_path):
        with pytest.raises(vbn.ParameterError, match="min_count depends on all files"):
            count_files([tmp_path / "a.txt"], tmp_path / "counts", "sequences", min_count=5)
        with pytest.raises(vbn.ParameterError, match="kind='matrix'"):
            count_files([tmp_path / "a.txt"], tmp_path / "counts", "matrix")
        with pytest.raises(vbn.DataError, match="no files"):
            count_files([], tmp_path / "counts", "sequences")
        with pytest.raises(vbn.DataError, match=r"missing\.txt"):
            count_files([tmp_path / "missing.txt"], tmp_path / "counts", "sequences")
