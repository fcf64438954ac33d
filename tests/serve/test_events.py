"""Events over REST: observed at once, on disk before they are acknowledged, there after kill -9."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request

import pytest

import vbn
from tests.serve.asking import Client
from tests.serve.running import running, until
from vbn.estimators import record
from vbn.serve import Settings, create_app
from vbn.serve.events import Inbox
from vbn.storage import JOURNAL

WRITABLE = Settings(writable=True, watch=0)


@pytest.fixture
def folder(shop, tmp_path):
    return shop.save(tmp_path / "model")


@pytest.fixture
def client(folder):
    return Client(create_app(folder, WRITABLE))


def bits(model):
    return {path: array.tobytes() for path, array in model.trained_.posterior.arrays().items()}


def seen(model, user):
    return set(model.names) - set(model.recommend(user=user, k=50).entities)


def told(answer):
    """What is answered, less the id of the model."""
    return {name: value for name, value in answer.json.items() if name != "model"}


def test_events_are_observed_and_on_disk(client, folder):
    answer = client.post("/api/v1/events", events=[["ann", "nuts"], ["zoe", "tea", 2.5]])
    assert (answer.status, told(answer)) == (200, {"observed": 2, "skipped": 0, "new_rows": 1})
    served = client.app.state.vbn.holder.current.model
    assert bits(vbn.load(folder)) == bits(served)
    recommended = client.post("/api/v1/recommend", user="ann", k=20).json["answers"]
    assert "nuts" not in [row["entity"] for row in recommended]
    assert client.post("/api/v1/recommend", user="zoe").status == 200
    assert client.get("/api/v1/entities", q="zoe", side="row").json["entities"][0]["name"] == "zoe"


def test_a_model_counts_as_the_same(client):
    before = client.get("/api/v1/health").json
    client.post("/api/v1/events", events=[["ann", "nuts"]])
    after = client.get("/api/v1/health").json
    assert (before["version"], before["root"]) == (after["version"], after["root"])


def test_what_is_asked_after_an_event_reads_neither_all_densities_nor_all_counts(client):
    first = client.get("/api/v1/health").json["model"]
    client.post("/api/v1/events", events=[["ann", "nuts"]])
    client.post("/api/v1/events", events=[["zoe", "nuts"], ["zoe", "tea"]])
    assert client.get("/api/v1/health").json["model"] == f"{first}+2"
    for user, has in (("ann", {"tea", "milk", "nuts"}), ("zoe", {"tea", "nuts"}), ("cem", {"beer", "nuts"})):
        answer = client.post("/api/v1/recommend", user=user, k=20).json
        assert not has & {row["entity"] for row in answer["answers"]}
        assert answer["model"] == f"{first}+2"
    served = client.app.state.vbn.holder.current
    assert "mark" not in served.__dict__, "a checksum of all densities"
    assert "merged" not in served.model._kept.__dict__, "a copy of all counts"
    assert client.get("/api/v1/health").json["counts"]


def test_a_read_only_server_refuses(folder):
    client = Client(create_app(folder, Settings(watch=0)))
    answer = client.post("/api/v1/events", events=[["ann", "nuts"]])
    assert answer.status == 403
    assert "--writable" in answer.json["detail"]
    assert not (folder / JOURNAL).exists()


def test_a_token_is_needed_as_elsewhere(folder):
    client = Client(create_app(folder, Settings(writable=True, watch=0, token="long enough")))
    assert client.post("/api/v1/events", events=[["ann", "nuts"]]).status == 401


def test_an_unknown_item_is_told_and_nothing_is_observed(client, folder):
    answer = client.post("/api/v1/events", events=[["ann", "nuts"], ["ann", "kefir"]])
    assert answer.status == 404
    assert "'kefir'; give it a density first with what-if and \"save\": true" in answer.json["detail"]
    assert '"missing": "skip"' in answer.json["detail"]
    assert not (folder / JOURNAL).exists() or bits(vbn.load(folder)) == bits(client.app.state.vbn.holder.current.model)
    assert "nuts" not in seen(vbn.load(folder), "ann")
    answer = client.post("/api/v1/events", events=[["ann", "nuts"], ["ann", "kefir"]], missing="skip")
    assert told(answer) == {"observed": 1, "skipped": 1, "new_rows": 0}


@pytest.mark.parametrize(
    "events", [[], [["ann"]], [["ann", "tea", 0]], [["ann", "tea", -1]], [["ann", ""]], [["ann", "tea", 1, 2]], "ann"]
)
def test_what_is_no_list_of_events_is_refused(client, events):
    assert client.post("/api/v1/events", events=events).status == 422


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (["ann", "tea", -1], "events[0][2] must be more than 0."),
        (["ann", "tea", "much"], "events[0][2] must be a number."),
        (["", "tea"], "events[0][0] must have at least 1 character."),
        (["ann"], "events[0][1] is missing."),
        (["ann", "tea", 1, 2], "events[0] must have at most 3 entries."),
    ],
)
def test_a_fault_of_an_event_is_told_once(client, event, told):
    assert client.post("/api/v1/events", events=[event]).json["detail"] == told


def test_a_baseline_without_densities_is_not_served(tmp_path):
    model = vbn.Popularity().fit(vbn.Dataset.from_interactions(["ann", "ben"], ["tea", "milk"]))
    with pytest.raises(vbn.VBNError, match="for Bayesian models"):
        create_app(model.save(tmp_path / "p"), WRITABLE)


def test_a_model_in_memory_observes_too(shop):
    client = Client(create_app(shop, WRITABLE))
    assert client.post("/api/v1/events", events=[["ann", "nuts"]]).status == 200
    assert "nuts" in seen(client.app.state.vbn.holder.current.model, "ann")
    assert "nuts" not in seen(shop, "ann"), "the caller's model does not change"


def test_a_failing_disk_is_told_and_nothing_is_observed(client, folder, monkeypatch):
    def fail(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    answer = client.post("/api/v1/events", events=[["ann", "nuts"]])
    assert answer.status == 400
    assert "No space left" in answer.json["detail"]
    assert "nuts" not in seen(client.app.state.vbn.holder.current.model, "ann")


def test_what_if_saves_the_events_too(client, folder):
    client.post("/api/v1/events", events=[["ann", "nuts"]])
    assert client.post("/api/v1/what-if", name="cocoa", parents=["drink"], save=True).json["saved"]
    assert not (folder / JOURNAL).exists()
    found = vbn.load(folder)
    assert "cocoa" in found
    assert "nuts" in seen(found, "ann")
    assert client.post("/api/v1/events", events=[["ann", "cocoa"]]).status == 200
    assert {"nuts", "cocoa"} <= seen(vbn.load(folder), "ann")


def test_events_of_another_process_are_served(folder):
    app = create_app(folder, Settings(writable=True, watch=0.05))
    with running(app) as url:
        other = vbn.load(folder)
        record(other, folder, [("ann", "nuts", 1.0)])
        until(lambda: "nuts" in seen(app.state.vbn.holder.current.model, "ann"), "the journal was read")
        post(url, [["ben", "nuts"]])
        assert bits(vbn.load(folder)) == bits(app.state.vbn.holder.current.model)
        other.observe([("cem", "tea")]).save(folder)
        until(lambda: "tea" in seen(app.state.vbn.holder.current.model, "cem"), "the model was read")
        assert "nuts" in seen(app.state.vbn.holder.current.model, "ben")
        assert "nuts" in seen(vbn.load(folder), "ben")


def post(url, events, patience=60.0):
    body = json.dumps({"events": events}).encode()
    request = urllib.request.Request(f"{url}/api/v1/events", body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=patience) as answer:
        return json.load(answer)


def test_many_callers_at_once_lose_nothing_and_hurt_nobody(folder):
    app = create_app(folder, WRITABLE)
    wrong, total = [], vbn.load(folder).data_.counts.total

    def call(number):
        for _ in range(5):
            try:
                post(url, [[f"u{number}", "tea"], [f"u{number}", "kefir" if number == 3 else "milk"]])
            except urllib.error.HTTPError as error:
                wrong.append((number, error.code))

    with running(app) as url:
        callers = [threading.Thread(target=call, args=(number,)) for number in range(8)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
    assert wrong == [(3, 404)] * 5
    found = vbn.load(folder)
    assert found.data_.counts.total == total + 7 * 5 * 2
    assert bits(found) == bits(app.state.vbn.holder.current.model)


def served(folder):
    command = [sys.executable, "-m", "vbn", "serve", str(folder), "--port", "0", "--writable", "--watch", "0"]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "VBN_TOKEN": ""})


@pytest.mark.filterwarnings("ignore:the last line of")
def test_acknowledged_events_survive_kill_nine(folder):
    for start in (0, 100):
        acknowledged = []
        with served(folder) as server:
            url = re.search(r"http://\S+", server.stderr.readline()).group()

            def call(url=url, start=start, acknowledged=acknowledged):
                for number in range(start, start + 100):
                    try:
                        post(url, [[f"u{number}", "tea"]])
                    except OSError:
                        return
                    acknowledged.append(f"u{number}")

            caller = threading.Thread(target=call)
            caller.start()
            until(lambda known=acknowledged: len(known) >= 5, "some were acknowledged")
            server.send_signal(signal.SIGKILL)
            server.wait()
            caller.join()
        found = vbn.load(folder)
        rows = [name for name in found.trained_.rows.names if name.startswith("u")]
        assert set(acknowledged) <= set(rows)
        assert len([name for name in rows if int(name[1:]) >= start]) <= len(acknowledged) + 1, (
            "at most the one on its way"
        )
        assert (found.trained_.rows.counts[found.trained_.rows.ids(rows)] == 1).all(), "none is counted twice"
    found.save(folder)
    assert not (folder / JOURNAL).exists()
    assert bits(vbn.load(folder)) == bits(found)


def test_a_caller_that_has_gone_holds_up_nobody(folder):
    app = create_app(folder, WRITABLE)
    inbox = Inbox(app.state.vbn)
    free = threading.Event()
    app.state.vbn.writer.submit(free.wait)
    gone, here = inbox.put([("gone", "tea", 1.0)], skip=False), inbox.put([("here", "tea", 1.0)], skip=False)
    assert gone.cancel()
    free.set()
    assert here.result(timeout=60).observed == 1
    assert {"here", "gone"} & set(vbn.load(folder).trained_.rows) == {"here"}
