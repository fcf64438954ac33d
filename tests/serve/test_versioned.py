"""The service under its version: old addresses, problems, ids of models, pages, batches, the map, the description."""

import gzip

import numpy as np
import pytest

import vbn

pytest.importorskip("fastapi")
from tests.serve.asking import Client
from vbn.serve import Settings, create_app


@pytest.fixture(scope="module")
def client(goods):
    return Client(create_app(goods, Settings(watch=0)))


@pytest.fixture(scope="module")
def other(shop):
    return Client(create_app(shop, Settings(watch=0)))


@pytest.mark.parametrize(
    ("method", "path", "query", "there"),
    [
        ("GET", "/api/similar", "entity=tea&k=2", "v1/similar?entity=tea&k=2"),
        ("GET", "/api/map/about", "", "../v1/map/about"),
        ("POST", "/api/predict", "", "v1/predict"),
        ("GET", "/api/a%20b", "", "v1/a%20b"),
        ("GET", "/api//evil.example", "", "../v1//evil.example"),
    ],
)
def test_addresses_without_a_version_lead_to_the_first(client, method, path, query, there):
    found = client.send(method, path, b"{}", query=query, follow=False)
    assert (found.status, found.headers["location"]) == (307, there)


def test_old_addresses_answer_as_the_new_ones_do(client):
    assert client.get("/api/similar", entity="tea").json == client.get("/api/v1/similar", entity="tea").json
    pairs = [["tea", "milk"]]
    assert client.post("/api/predict", pairs=pairs).json == client.post("/api/v1/predict", pairs=pairs).json
    assert client.send("GET", "/api/v1/nothing", b"", follow=False).status == 404
    assert client.send("GET", "/api/v2/similar", b"", follow=False).status == 404
    assert client.send("POST", "/api/v1/similar", b"", follow=False).status == 405


def test_old_addresses_ask_for_the_token_too(goods):
    client = Client(create_app(goods, Settings(watch=0, token="a long secret")))
    assert client.send("GET", "/api/similar", b"", query="entity=tea", follow=False).status == 401
    assert client.get("/api/health").status == 200


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "kind", "remedy"),
    [
        ("GET", "similar?entity=tee", b"", 404, "unknown-name", "use tea"),
        ("GET", "similar?entity=tea&k=0", b"", 422, "invalid-request", "openapi.json"),
        ("POST", "recommend", b"{}", 400, "bad-question", 'send "user"'),
        ("POST", "what-if", b'{"name": "tea"}', 409, "taken-name", 'send "name"'),
        ("POST", "what-if", b'{"name": "mead", "save": true}', 403, "read-only", "--writable"),
    ],
)
def test_problems_say_what_to_do(client, method, path, body, status, kind, remedy):
    path, _, query = path.partition("?")
    found = client.send(method, f"/api/v1/{path}", body, query=query)
    assert found.headers["content-type"] == "application/problem+json"
    told = found.json
    assert (found.status, told["status"], told["type"]) == (status, status, f"urn:vbn:problem:{kind}")
    assert told["title"]
    assert told["detail"].endswith((".", "?"))
    assert remedy in told["remedy"]


def test_refusals_before_the_application_are_problems_too(goods):
    client = Client(create_app(goods, Settings(watch=0, token="a long secret")))
    found = {
        401: client.get("/api/v1/similar", entity="tea"),
        403: client.send("POST", "/api/v1/predict", b"{}", {"origin": "https://evil.example"}),
        413: client.send("POST", "/api/v1/predict", b"x" * 2_000_000),
        415: client.send("POST", "/api/v1/predict", b"{}", {"content-type": "text/plain"}),
    }
    for status, told in found.items():
        assert (told.status, told.json["status"]) == (status, status)
        assert told.headers["content-type"] == "application/problem+json"
        assert told.json["remedy"]


@pytest.mark.parametrize(
    ("path", "body", "told"),
    [
        ("similar?entity=tea&k=0", None, "k must be at least 1."),
        ("similar?entity=tea&k=many", None, "k must be a whole number."),
        ("similar?entity=tea&by=magic", None, "by must be 'cosine', 'mean' or 'context'."),
        ("similar", None, "entity is missing."),
        ("similar?entity=", None, "entity must have at least 1 character."),
        ("predict", b'{"pairs": [["tea"]]}', "pairs[0][1] is missing."),
        ("predict", b'{"pairs": []}', "pairs must have at least 1 entry."),
        ("predict", b'{"pairs": [["a", "b"]], "nonsense": 1}', "nonsense is not known here."),
        ("recommend", b'{"entities": {"tea": -1}}', "entities must be a list; entities.tea must be more than 0."),
        ("recommend", b'{"user": "ann", "popularity": 101}', "popularity must be at most 100 or must be 'auto'."),
        ("recommend", b"[]", "the body must be a JSON object."),
        ("predict", b"{", "the body is not JSON: "),
    ],
)
def test_what_does_not_fit_is_told_in_plain_words(client, path, body, told):
    path, _, query = path.partition("?")
    found = client.send("GET" if body is None else "POST", f"/api/v1/{path}", body or b"", query=query)
    assert found.status == 422
    assert found.json["detail"].startswith(told)


def test_every_answer_names_its_model(goods, shop, tmp_path):
    folder = goods.save(tmp_path / "m")
    app = create_app(folder, Settings(watch=0, writable=True))
    client, holder = Client(app), app.state.vbn.holder
    first = holder.current.id
    asked = [
        client.get("/api/v1/similar", entity="tea"),
        client.get("/api/v1/health"),
        client.get("/api/v1/entities"),
        client.get("/api/v1/explain", entity="tea"),
        client.get("/api/v1/audit"),
        client.get("/api/v1/map/about"),
        client.post("/api/v1/map/places", entities=["tea"]),
        client.get("/api/v1/map/spread", entity="tea"),
        client.get("/api/v1/compare", entity="tea", other="milk"),
        client.get("/api/v1/tree"),
        client.post("/api/v1/recommend", entities=["tea"]),
        client.post("/api/v1/predict", pairs=[["tea", "milk"]]),
        client.post("/api/v1/what-if", name="mead", parents=["drink"]),
    ]
    assert all((one.headers["vbn-model"], one.json["model"]) == (first, first) for one in asked)
    for path in ("/api/v1/map", "/api/v1/metrics", "/api/v1/nothing", "/api/v1/similar"):
        assert client.get(path).headers["vbn-model"] == first
    saved = client.post("/api/v1/what-if", name="mead", parents=["drink"], save=True)
    assert saved.json["model"] == client.get("/api/v1/health").json["model"] == f"{first}.1"
    shop.save(folder)
    assert holder.refresh()
    assert client.get("/api/v1/health").json["model"] not in (first, f"{first}.1")
    twin = create_app(shop, Settings(watch=0)).state.vbn.holder.current.id
    assert client.get("/api/v1/health").json["model"] == twin


def test_an_answer_names_the_model_that_it_began_with(goods, shop):
    app = create_app(goods, Settings(watch=0))
    client, holder = Client(app), app.state.vbn.holder
    begun = holder.current
    ask = begun.model.similar

    def replaced_meanwhile(*given, **options):
        holder.current = type(begun)(shop, 2, 2)
        return ask(*given, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(begun.model, "similar", replaced_meanwhile)
        found = client.get("/api/v1/similar", entity="tea")
    assert found.headers["vbn-model"] == found.json["model"] == begun.id != holder.current.id


@pytest.mark.parametrize("typed", ["", "e", "t"])
@pytest.mark.parametrize("which", ["client", "other"])
def test_pages_of_names_fit_together(request, which, typed):
    client = request.getfixturevalue(which)
    whole = client.get("/api/v1/entities", q=typed, limit=1000).json
    assert whole["next_offset"] is None
    pages, offset = [], 0
    while offset is not None:
        page = client.get("/api/v1/entities", q=typed, limit=2, offset=offset).json
        assert len(page["entities"]) <= 2
        pages += page["entities"]
        offset = page["next_offset"]
    assert pages == whole["entities"]
    assert client.get("/api/v1/entities", q=typed, offset=10_000).json["entities"] == []


def test_several_users_are_asked_about_at_once(other, shop):
    found = other.post("/api/v1/recommend", user=["ann", "cem", "ann"], k=2).json
    assert [one["user"] for one in found["users"]] == ["ann", "cem", "ann"]
    for one, expected in zip(found["users"], shop.recommend(user=["ann", "cem", "ann"], k=2), strict=True):
        assert [answer["entity"] for answer in one["answers"]] == expected.entities
        np.testing.assert_allclose([answer["score"] for answer in one["answers"]], expected.scores)
    assert found["unknown"] == []
    assert other.post("/api/v1/recommend", user=["ann", "nobody"]).status == 404
    found = other.post("/api/v1/recommend", user=["nobody", "ann"], skip_unknown=True).json
    assert ([one["user"] for one in found["users"]], found["unknown"]) == (["ann"], ["nobody"])
    found = other.post("/api/v1/recommend", user=["nobody"], skip_unknown=True).json
    assert (found["users"], found["unknown"]) == ([], ["nobody"])
    told = other.post("/api/v1/recommend", user=["ann"] * 1000, k=1000)
    assert (told.status, "100,000 answers" in told.json["detail"]) == (422, True)


def test_the_map_is_packed_and_sent_once(client):
    plain = client.get("/api/v1/map")
    packed = client.get("/api/v1/map", {"accept-encoding": "br;q=1.0, gzip;q=0.8"})
    assert gzip.decompress(packed.body) == plain.body
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.headers["vary"] == "accept-encoding"
    assert packed.headers["etag"] != plain.headers["etag"]
    for known in (plain, packed):
        asked = {"if-none-match": f'"old", W/{known.headers["etag"]}', "accept-encoding": "gzip"}
        if known is plain:
            del asked["accept-encoding"]
        again = client.get("/api/v1/map", asked)
        assert (again.status, again.body) == (304, b"")
        assert again.headers["etag"] == known.headers["etag"]
    assert client.get("/api/v1/map", {"if-none-match": '"old"'}).status == 200


def test_another_map_has_another_tag(goods, tmp_path):
    folder = goods.save(tmp_path / "m")
    app = create_app(folder, Settings(watch=0))
    client = Client(app)
    tag = client.get("/api/v1/map").headers["etag"]
    vbn.load(folder).add("mead", ["drink"]).save(folder)
    assert app.state.vbn.holder.refresh()
    found = client.get("/api/v1/map", {"if-none-match": tag})
    assert (found.status, found.headers["etag"] != tag) == (200, True)


def test_the_description_is_typed(goods, client):
    described = client.get("/api/v1/openapi.json").json
    operations = [one for methods in described["paths"].values() for one in methods.values()]
    ids = [one["operationId"] for one in operations]
    assert len(set(ids)) == len(ids)
    assert {"similar", "recommend", "what_if", "map_about", "health"} <= set(ids)
    tags = {tag["name"] for tag in described["tags"]}
    assert all(set(one["tags"]) <= tags and one["tags"] for one in operations)
    assert described["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    problem = {"$ref": "#/components/schemas/Problem"}
    for one in operations:
        assert one["responses"]["422"]["content"] == {"application/problem+json": {"schema": problem}}
        assert "204" in one["responses"] or one["responses"]["200"]["content"]
    bodies = {"Pairs", "Wanted", "New"}
    assert all(described["components"]["schemas"][body]["examples"] for body in bodies)


def test_the_description_says_where_a_token_is_needed(goods, client):
    guarded = Client(create_app(goods, Settings(watch=0, token="a long secret")))
    given = {"authorization": "Bearer a long secret"}
    paths = guarded.get("/api/v1/openapi.json", given).json["paths"]
    assert paths["/api/v1/similar"]["get"]["security"] == [{"token": []}]
    assert paths["/api/v1/health"]["get"]["security"] == []
    paths = client.get("/api/v1/openapi.json").json["paths"]
    assert {} in paths["/api/v1/similar"]["get"]["security"]


def test_the_examples_of_the_description_are_valid():
    from vbn.serve import schemas

    for body in (schemas.Pairs, schemas.Wanted, schemas.New):
        for example in body.model_config["json_schema_extra"]["examples"]:
            assert body(**example)


def test_pages_name_no_address_of_the_server(client):
    """A proxy may serve the page below a path of its own, as JupyterHub does."""
    for path in ("/", "/docs"):
        page = client.get(path).text
        assert 'href="/' not in page
        assert 'src="/' not in page
