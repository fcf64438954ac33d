"""Content over the service: what the model knows of it, and new entities with features or a text."""

import pytest

import vbn

pytest.importorskip("fastapi")
from tests.serve.asking import Client
from vbn.serve import Settings, create_app

TEXTS = {
    "tea": "hot drink with leaves",
    "coffee": "hot drink of roasted beans",
    "beer": "cold bitter alcohol",
    "wine": "alcohol of grapes",
}


def fitted(**options):
    users = [f"u{number}" for number in range(20) for _ in range(2)]
    items = [item for number in range(20) for item in (("tea", "coffee"), ("beer", "wine"))[number % 2]]
    data = vbn.Dataset.from_interactions(users, items).with_features({"tea": [2.0, 0.5], "wine": [9.0, 1.5]})
    data = data.with_text(TEXTS, **options)
    return vbn.VBN(dim=6, epochs=15, favour=None, verbose=False).fit(data)


@pytest.fixture(scope="module")
def model():
    pytest.importorskip("wordllama")
    return fitted()


@pytest.fixture(scope="module")
def client(model):
    return Client(create_app(model, Settings(watch=0)))


def test_health_says_which_content_is_known(client):
    found = client.get("/api/v1/health").json
    assert found["features"] == {"features": 2, "text": 256}
    assert found["texts"] == ["text"]


def test_what_if_with_a_text(client, model):
    found = client.post("/api/v1/what-if", name="mate", text="a hot brew of leaves", k=4).json
    twin = model.with_trained(model.trained_, model.data_).add("mate", text="a hot brew of leaves")
    assert [one["entity"] for one in found["similar"]["answers"]] == twin.similar("mate", 4).entities
    assert {one["entity"] for one in found["similar"]["answers"][:2]} == {"tea", "coffee"}
    by_source = client.post("/api/v1/what-if", name="mate", text={"text": "a hot brew of leaves"}, k=4).json
    assert by_source["similar"] == found["similar"]
    assert "mate" not in model


def test_what_if_with_features(client, model):
    given = {"features": [2.0, 0.5]}
    found = client.post("/api/v1/what-if", name="mate", features=given, k=4).json
    twin = model.with_trained(model.trained_, model.data_).add("mate", features=given)
    assert [one["entity"] for one in found["similar"]["answers"]] == twin.similar("mate", 4).entities


@pytest.mark.parametrize(
    ("given", "status", "told"),
    [
        ({"features": {"features": [1.0]}}, 400, "have 1 numbers; the model was trained with 2"),
        ({"features": {"other": [1.0]}}, 400, "'features', 'text'"),
        ({"features": {"features": ["x", 1.0]}}, 422, "features"),
        ({"features": {"features": [1e300, 1.0]}}, 422, "features"),
        ({"text": 3}, 422, "text"),
        ({"text": {"other": "hot"}}, 400, "give texts by source: 'text'"),
        ({"text": "x" * 100_001}, 422, "text"),
        ({"text": "hot", "side": "row"}, 400, "trained without texts"),
    ],
)
def test_refusals(client, given, status, told):
    found = client.post("/api/v1/what-if", name="mate", **given)
    assert found.status == status
    assert told in found.json["detail"]


def test_an_entity_with_a_text_is_saved(model, tmp_path):
    folder = model.save(tmp_path / "m")
    client = Client(create_app(folder, Settings(writable=True, watch=0)))
    assert client.post("/api/v1/what-if", name="mate", text="a hot brew", save=True).json["saved"] is True
    assert "mate" in vbn.load(folder)
    known = vbn.load(folder).data_.column_features.sources[1]
    assert len(known) == 5


def test_an_encoder_that_the_server_does_not_have():
    def lengths(texts):
        return [[len(text), text.count(" ")] for text in texts]

    client = Client(create_app(fitted(encoder=lengths), Settings(watch=0)))
    assert client.get("/api/v1/health").json["texts"] == []
    told = client.post("/api/v1/what-if", name="mate", text="hot")
    assert told.status == 400
    assert (
        'lengths, which this server does not have: encode the text yourself and send the vector as "features".'
        in (told.json["detail"])
    )
    assert client.post("/api/v1/what-if", name="mate", features={"text": [3.0, 0.0]}).status == 200
