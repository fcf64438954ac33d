"""The service: answers as the library gives them, clear refusals, nothing changed unless asked for."""

import json

import numpy as np
import pytest

import vbn

fastapi = pytest.importorskip("fastapi")
from tests.serve.asking import Client  # noqa: E402
from tests.serve.conftest import ODD  # noqa: E402
from vbn.serve import Settings, create_app  # noqa: E402


@pytest.fixture(scope="module")
def client(goods):
    return Client(create_app(goods, Settings(watch=0)))


@pytest.fixture(scope="module")
def other(shop):
    return Client(create_app(shop, Settings(watch=0)))


def test_health_says_what_is_served(client, other):
    found = client.get("/api/v1/health").json
    assert found["status"] == "ok"
    assert found["relations"] == ["goes with"]
    assert found["shared"] is True
    assert other.get("/api/v1/health").json["rows"] == 4


@pytest.mark.parametrize(
    "options", [{}, {"by": "mean"}, {"by": "context"}, {"readout": "smoothed"}, {"readout": "both", "by": "mean"}]
)
def test_neighbours_are_those_of_the_library(client, goods, options):
    found = client.get("/api/v1/similar", entity="tea", k=4, **options).json
    expected = goods.similar("tea", 4, **options)
    assert [one["entity"] for one in found["answers"]] == expected.entities
    np.testing.assert_allclose([one["score"] for one in found["answers"]], expected.scores)
    assert found["answers"][0]["std"] > 0


def test_a_category_answers_with_its_own_density(client, goods, other, shop):
    found = client.get("/api/v1/similar", entity="drink", k=3).json
    expected = goods.similar("drink", 3)
    assert [one["entity"] for one in found["answers"]] == expected.entities
    np.testing.assert_allclose([one["score"] for one in found["answers"]], expected.scores)
    assert found["answers"][0]["score"] > 0.1
    assert not any(one["category"] for one in found["answers"])
    found = client.get("/api/v1/similar", entity="drink", candidates="categories").json["answers"]
    assert {one["entity"] for one in found} == {"goods", "snack"}
    assert all(one["category"] and one["count"] == 0 for one in found)
    found = other.get("/api/v1/similar", entity="drink", k=1).json["answers"]
    assert [one["entity"] for one in found] == shop.similar("drink", 1).entities
    own = other.get("/api/v1/similar", entity="drink", k=1, role="entity").json["answers"]
    assert [one["score"] for one in own] == pytest.approx(shop.similar("drink", 1, role="entity").scores)


def test_neighbours_are_found_among_those_seen_often(client, goods):
    found = client.get("/api/v1/similar", entity="tea", k=100, min_count=30).json["answers"]
    assert [one["entity"] for one in found] == goods.similar("tea", 100, min_count=30).entities
    assert min(one["count"] for one in found) >= 30
    assert client.get("/api/v1/similar", entity="tea", min_count=-1).status == 422
    assert client.get("/api/v1/similar", entity="tea", role="parent").status == 422
    told = client.get("/api/v1/similar", entity="milk", role="category")
    assert (told.status, "has no children" in told.json["detail"]) == (400, True)
    told = client.get("/api/v1/similar", entity="tea", candidates="categories", min_count=2)
    assert "with candidates=categories, omit min_count=" in told.json["detail"]


def test_recommendations_are_those_of_the_library(client, goods, other, shop):
    found = client.post("/api/v1/recommend", entities=["tea"], k=3, popularity=0.5, popularity_floor=1).json
    told = goods.recommend(["tea"], 3, popularity=0.5, popularity_floor=1.0)
    assert [one["entity"] for one in found["answers"]] == told.entities
    found = client.post("/api/v1/recommend", entities={"tea": 2, "milk": 1}, query="average").json
    assert [one["entity"] for one in found["answers"]] == goods.recommend(
        {"tea": 2, "milk": 1}, query="average"
    ).entities
    found = other.post("/api/v1/recommend", user="ann", k=2).json
    assert [one["entity"] for one in found["answers"]] == shop.recommend(user="ann", k=2).entities


def test_predictions_and_relations(client, goods):
    pairs = [["tea", "milk"], ["tea", "nuts"]]
    found = client.post("/api/v1/predict", pairs=pairs).json["predictions"]
    np.testing.assert_allclose([one["p"] for one in found], goods.predict_proba(pairs))
    found = client.post("/api/v1/predict", pairs=pairs, relation="goes with").json["predictions"]
    np.testing.assert_allclose([one["p"] for one in found], goods.relation_proba("goes with", pairs))
    found = client.get("/api/v1/related", relation="goes with", entity="tea", k=2).json
    assert [(one["entity"], one["known"]) for one in found["answers"]] == [
        (row.entity, row.known) for row in goods.related("goes with", "tea", 2)
    ]
    assert found["answers"][0]["known"] is True
    found = client.get("/api/v1/related", relation="goes with", entity="tea", k=2, known="excluded").json
    assert not any(one["known"] for one in found["answers"])
    assert "known" not in client.get("/api/v1/similar", entity="tea", k=1).json["answers"][0]


def test_an_entity_is_explained_with_its_family(client):
    found = client.get("/api/v1/explain", entity="tea").json
    assert found["explanation"]["count"] == 30
    assert [one["name"] for one in found["family"]["parents"]] == ["drink"]
    assert {one["name"] for one in found["family"]["siblings"]} == {"milk", "beer", "cider"}
    top = client.get("/api/v1/explain", entity="goods").json["family"]
    assert {one["name"] for one in top["children"]} == {"drink", "snack", "honey"}
    assert client.get("/api/v1/explain", entity="cider").json["explanation"]["parts"][0]["prior_share"] == 1.0


def test_occurrences_are_split_over_parents(client):
    from tests.inference.test_senses import data

    model = vbn.VBN(dim=8, epochs=20, verbose=False).fit(data())
    banks = Client(create_app(model, Settings(watch=0)))
    found = banks.get("/api/v1/senses", entity="bank", k=2).json["senses"]
    assert [one["sense"] for one in found] == [row.sense for row in model.senses("bank")]
    assert len(found[0]["contexts"]) == 2
    found = banks.get("/api/v1/senses", entity="bank", context="money").json["senses"]
    assert (found[0]["sense"], found[0]["count"]) == ("firm", None)
    assert found[0]["probability"] > found[1]["probability"]
    told = client.get("/api/v1/senses", entity="tea")
    assert (told.status, "has one parent, 'drink'" in told.json["detail"]) == (400, True)


def test_the_taxonomy_is_audited(client, goods):
    found = client.get("/api/v1/audit", min_score=0, limit=2).json
    assert found["edges"] == goods.audit().n_edges
    assert set(found["counts"]) == {one["kind"] for one in found["findings"]}
    assert all(found["counts"][one["kind"]] > 0 for one in found["findings"])
    suggested = client.get("/api/v1/suggest-parents", entity="tea", k=2).json["suggestions"]
    assert suggested == goods.suggest_parents("tea", 2).to_dicts()
    assert client.get("/api/v1/suggest-parents", entity="cider").status == 400  # never seen
    assert client.get("/api/v1/suggest-parents", entity="teaa").status == 404


@pytest.mark.parametrize("name", ODD)
def test_any_name_can_be_asked_about(client, name):
    assert client.get("/api/v1/similar", entity=name, k=2).status == 200
    assert any(one["name"] == name for one in client.get("/api/v1/entities", q=name.strip()[:6]).json["entities"])
    assert client.post("/api/v1/map/places", entities=[name]).json["ids"] != [None]


def test_what_if_leaves_the_model_as_it_is(client, goods):
    before = len(goods.trained_.columns)
    found = client.post("/api/v1/what-if", name="mead", parents=["drink"], contexts={"honey": 3}, k=3).json
    twin = goods.with_trained(goods.trained_, goods.data_)
    twin.add("mead", ["drink"], {"honey": 3})
    assert [one["entity"] for one in found["similar"]["answers"]] == twin.similar("mead", 3).entities
    assert found["saved"] is False
    assert 0 < found["prior_share"] < 1
    assert len(goods.trained_.columns) == before
    assert client.get("/api/v1/similar", entity="mead").status == 404
    taken = client.post("/api/v1/what-if", name="tea")
    assert taken.status == 409
    assert "already" in taken.json["detail"]


def test_saving_needs_a_server_that_may_write(client, goods, tmp_path):
    told = client.post("/api/v1/what-if", name="mead", parents=["drink"], save=True)
    assert (told.status, "--writable" in told.json["detail"]) == (403, True)
    folder = goods.save(tmp_path / "m")
    writable = Client(create_app(folder, Settings(writable=True, watch=0)))
    assert writable.post("/api/v1/what-if", name="mead", parents=["drink"], save=True).json["saved"] is True
    assert writable.get("/api/v1/similar", entity="mead").status == 200
    assert "mead" in vbn.load(folder).trained_.columns


@pytest.mark.parametrize(
    ("path", "given", "status", "told"),
    [
        ("similar", {"entity": "tee"}, 404, "Did you mean 'tea'"),
        ("similar", {}, 422, "entity"),
        ("similar", {"entity": ""}, 422, "entity"),
        ("similar", {"entity": "tea", "k": 0}, 422, "k"),
        ("similar", {"entity": "tea", "k": 1001}, 422, "k"),
        ("similar", {"entity": "tea", "k": "many"}, 422, "k"),
        ("similar", {"entity": "x" * 501}, 422, "entity"),
        ("similar", {"entity": "tea", "by": "magic"}, 422, "by"),
        ("similar", {"entity": "tea", "side": "left"}, 422, "side"),
        ("related", {"relation": "goes wit", "entity": "tea"}, 404, "goes with"),
        ("explain", {"entity": "teaa"}, 404, "tea"),
        ("map/words", {"ids": 99999}, 400, "no number"),
        ("map/words", {"ids": -1}, 422, "ids"),
        ("map/spread", {"entity": "nobody"}, 404, "nobody"),
    ],
)
def test_wrong_questions_get_clear_answers(client, path, given, status, told):
    found = client.get(f"/api/v1/{path}", **given)
    assert found.status == status
    assert told in found.json["detail"]
    assert "Traceback" not in found.text


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("recommend", {}, 400),
        ("recommend", {"entities": ["tea"], "user": "tea"}, 400),
        ("recommend", {"entities": ["tee"]}, 404),
        ("recommend", {"entities": ["tea"], "popularity": 1e9}, 422),
        ("recommend", {"entities": ["tea"], "nonsense": 1}, 422),
        ("recommend", {"entities": {"tea": -1}}, 422),
        ("predict", {"pairs": []}, 422),
        ("predict", {"pairs": [["tea"]]}, 422),
        ("predict", {"pairs": [["tea", "milk"]] * 257}, 422),
        ("what-if", {"name": "x", "parents": ["nobody"]}, 404),
        ("what-if", {"name": ""}, 422),
    ],
)
def test_wrong_bodies_get_clear_answers(client, path, body, status):
    found = client.post(f"/api/v1/{path}", **body)
    assert found.status == status
    assert found.json["detail"]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/api/v1/predict", b"{", 422),
        ("POST", "/api/v1/predict", b"\x80", 400),
        ("POST", "/api/v1/predict", b'{"pairs": [["\\ud800", "tea"]]}', 422),
        ("POST", "/api/v1/similar", b"", 405),
        ("GET", "/api/v1/nothing", b"", 404),
        ("GET", "/nothing", b"", 404),
    ],
)
def test_every_refusal_has_one_form(client, method, path, body, status):
    found = client.send(method, path, body)
    assert found.status == status
    assert found.json["detail"].endswith(".")
    assert found.json["closest"] == []


def test_a_failure_of_the_server_tells_no_secrets(goods):
    app = create_app(goods, Settings(watch=0))

    @app.get("/api/v1/broken")
    def broken():
        raise RuntimeError("the secret")

    client = Client(app)
    with pytest.raises(RuntimeError):  # for the log of the server
        client.get("/api/v1/broken")
    assert client.last.status == 500
    assert client.last.json["detail"]
    assert "secret" not in client.last.text


def test_bodies_that_are_too_large(client):
    assert client.send("POST", "/api/v1/predict", b"x" * (1 << 20) + b"x").status == 413
    assert client.send("POST", "/api/v1/predict", b"x" * 2_000_000, chunked=True).status == 413


def test_the_token_is_asked_for_everywhere_but_health(goods):
    client = Client(create_app(goods, Settings(token="a long secret", watch=0)))
    assert client.get("/api/v1/health").status == 200
    refused = client.get("/api/v1/similar", entity="tea")
    assert (refused.status, refused.headers["www-authenticate"]) == (401, "Bearer")
    assert client.get("/api/v1/similar", entity="tea", headers={"authorization": "Bearer wrong"}).status == 401
    assert client.get("/api/v1/similar", entity="tea", headers={"authorization": "Bearer a long secret"}).status == 200
    assert client.get("/").status == 200  # the page asks for it


def test_pages_of_other_origins_may_ask_where_that_was_allowed(goods, client):
    asking = {"origin": "https://shop.example"}
    wanted = {**asking, "access-control-request-method": "GET", "access-control-request-headers": "authorization"}
    open_ = Client(create_app(goods, Settings(token="a long secret", watch=0, origins=("https://shop.example",))))
    assert (
        open_.send("OPTIONS", "/api/v1/similar", b"", wanted).headers["access-control-allow-origin"] == asking["origin"]
    )
    found = open_.get("/api/v1/similar", {**asking, "authorization": "Bearer a long secret"}, entity="tea")
    assert (found.status, found.headers["access-control-allow-origin"]) == (200, asking["origin"])
    other = open_.get("/api/v1/health", {"origin": "https://elsewhere.example"})
    assert "access-control-allow-origin" not in other.headers
    assert "access-control-allow-origin" not in client.get("/api/v1/health", asking).headers
    assert client.send("OPTIONS", "/api/v1/similar", b"", wanted).status == 405
    with pytest.raises(vbn.ParameterError, match="not an origin"):
        Settings(origins=("shop.example/page",))


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("localhost:8000", 200),
        ("LocalHost.:8000", 200),
        ("127.0.0.1:1", 200),
        ("[::1]:8000", 200),
        ("", 200),
        ("evil.example", 403),
        ("evil.example:8000", 403),
        ("localhost.evil.example", 403),
        ("127.0.0.1.evil.example:80", 403),
        ("evil.example@localhost", 403),
        ("box.lan", 403),
    ],
)
def test_pages_whose_name_leads_here_are_refused(client, host, status):
    for path in ("/api/v1/health", "/api/v1/entities", "/", "/static/app.js"):
        found = client.get(path, {"host": host})
        assert found.status == status
        if status == 403:
            assert "--allow-host" in found.json["detail"]
            assert found.headers["x-content-type-options"] == "nosniff"


def test_other_names_of_the_machine_can_be_allowed(goods):
    for hosts, name in (
        (("box.lan",), "box.lan:8000"),
        (("[2001:db8::1]",), "[2001:db8::1]:80"),
        (("*",), "any.example"),
    ):
        client = Client(create_app(goods, Settings(watch=0, hosts=hosts)))
        assert client.get("/api/v1/health", {"host": name}).status == 200
        assert client.get("/api/v1/health", {"host": "localhost"}).status == 200
    guarded = Client(create_app(goods, Settings(watch=0, token="a long secret")))
    assert guarded.get("/api/v1/health", {"host": "shop.example"}).status == 200  # who has no token learns nothing
    for wrong in ("http://box.lan", "box.lan:80", "::1", ""):
        with pytest.raises(vbn.ParameterError, match="not a host"):
            Settings(hosts=(wrong,))


def test_others_may_not_ask_without_a_token():
    with pytest.raises(vbn.ParameterError, match="token"):
        Settings().check_host("0.0.0.0")
    with pytest.raises(vbn.ParameterError, match="8 characters"):
        Settings(token="short")


def test_pages_and_answers_carry_headers_of_safety(client):
    for path in ("/", "/api/v1/health", "/static/app.js", "/docs"):
        found = client.get(path)
        assert found.status == 200
        assert found.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in found.headers["content-security-policy"]
        assert "unsafe" not in found.headers["content-security-policy"]
        assert "access-control-allow-origin" not in found.headers
    assert client.get("/static/../_start.py").status == 404


def test_the_map_has_a_place_for_every_entity(client, goods):
    about, body = client.get("/api/v1/map/about").json, client.get("/api/v1/map").body
    n = about["places"]
    assert len(body) == 4 * n * len(about["fields"])
    blocks = {
        field["name"]: np.frombuffer(body, field["type"], n, 4 * n * at) for at, field in enumerate(about["fields"])
    }
    words = client.get("/api/v1/map/words", ids=blocks["id"].tolist()).json
    names = {number: word["name"] for number, word in words.items()}
    assert set(names.values()) == {name for name in goods.trained_.columns if name not in ("drink", "snack", "goods")}
    assert np.abs(blocks["x"]).max() <= 1.0
    branch = {
        name: about["branches"][int(blocks["branch"][blocks["id"].tolist().index(int(i))])] for i, name in names.items()
    }
    assert (branch["tea"], branch["nuts"], branch["<b>bold</b>"]) == ("drink", "snack", "other")


def test_rare_entities_are_told_from_frequent_ones(client, goods):
    about, body = client.get("/api/v1/map/about").json, client.get("/api/v1/map").body
    n = about["places"]
    counts = np.frombuffer(body, "<f4", n, 4 * n * 4)
    rare = (counts <= about["rare"]).mean()
    assert 0.25 <= rare < 1.0


def test_metrics_count_requests(goods):
    client = Client(create_app(goods, Settings(watch=0)))
    client.get("/api/v1/similar", entity="tea")
    client.get("/api/v1/similar", entity="nobody")
    text = client.get("/api/v1/metrics").text
    assert 'vbn_requests_total{route="/api/v1/similar",status="200"} 1' in text
    assert 'vbn_requests_total{route="/api/v1/similar",status="404"} 1' in text
    assert f"vbn_entities {len(goods.trained_.columns)}" in text


def test_a_model_that_is_replaced_is_served_from_then_on(goods, tmp_path):
    folder = goods.save(tmp_path / "m")
    app = create_app(folder, Settings(watch=0))
    client, holder = Client(app), app.state.vbn.holder
    assert holder.refresh() is False
    vbn.load(folder).add("mead", ["drink"]).save(folder)
    assert holder.refresh() is True
    assert client.get("/api/v1/similar", entity="mead").status == 200
    assert client.get("/api/v1/health").json["version"] == 2
    (folder / "config.json").write_text("{", encoding="utf-8")
    assert holder.refresh() is False
    assert client.get("/api/v1/similar", entity="mead").status == 200  # the old one goes on
    assert client.get("/api/v1/health").json["problem"]


def test_the_description_names_every_operation(client):
    paths = client.get("/api/v1/openapi.json").json["paths"]
    wanted = (
        "entities",
        "similar",
        "predict",
        "recommend",
        "related",
        "explain",
        "senses",
        "audit",
        "what-if",
        "health",
        "metrics",
    )
    assert {f"/api/v1/{name}" for name in wanted} <= set(paths)
    assert json.dumps(paths).count("summary") == sum(len(methods) for methods in paths.values())


def test_remedies_are_phrased_as_fields_of_the_request(goods, monkeypatch):
    def nothing_left(*_, **__):
        raise vbn.DataError("nothing is left: try {remedy} or {remedy}.", remedies=[("exclude_seen", False), ("k",)])

    monkeypatch.setattr(goods, "recommend", nothing_left)
    monkeypatch.setattr(goods, "similar", nothing_left)
    client = Client(create_app(goods, Settings(watch=0)))
    told = client.post("/api/v1/recommend", entities=["tea"])
    assert (told.status, told.json["detail"]) == (400, 'nothing is left: try "exclude_seen": false or "k".')
    told = client.get("/api/v1/similar", entity="tea")
    assert (told.status, told.json["detail"]) == (400, "nothing is left: try exclude_seen=false or k=.")
