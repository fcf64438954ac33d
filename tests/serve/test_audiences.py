"""Routes about users: audiences and reasons."""

import numpy as np
import pytest

pytest.importorskip("fastapi")
import vbn
from tests.serve.asking import Client
from vbn.serve import Settings, create_app


@pytest.fixture(scope="module")
def client(shop):
    return Client(create_app(shop, Settings(watch=0)))


def test_an_audience_is_that_of_the_model(shop, client):
    found = client.get("/api/v1/audience", item="new", k=3)
    expected = shop.audience("new", k=3)
    assert found.status == 200
    assert [row["entity"] for row in found.json["answers"]] == expected.entities
    np.testing.assert_allclose([row["score"] for row in found.json["answers"]], expected.scores)
    assert found.json["answers"][0]["count"] > 0
    everybody = client.get("/api/v1/audience", item="tea", exclude_seen="false").json["answers"]
    assert {"ann", "ben"} <= {row["entity"] for row in everybody}
    assert not {"ann", "ben"} & {row["entity"] for row in client.get("/api/v1/audience", item="tea").json["answers"]}


def test_an_audience_of_nothing_known_is_a_404(client):
    assert client.get("/api/v1/audience", item="teaa").status == 404
    said = client.get("/api/v1/audience", item="ann")
    assert said.status == 404
    assert "an audience is that of a column" in said.text


def test_reasons_add_up(shop, client):
    found = client.get("/api/v1/reasons", user="ann", item="honey", k=2).json
    assert sum(term["value"] for term in found["terms"]) == pytest.approx(found["logit"])
    assert found["probability"] == pytest.approx(shop.predict_proba([("ann", "honey")])[0], rel=1e-5)
    assert {term["entity"] for term in found["terms"] if term["kind"] == "history"} == {"tea", "milk"}
    assert found["text"].startswith("honey for ann: p ")


def test_whole_numbers_are_names_as_text_is():
    data = vbn.Dataset.from_interactions([1, 1, 2, 2, 3, 3] * 4, [10, 11, 10, 12, 13, 14] * 4)
    client = Client(create_app(vbn.VBN(dim=3, epochs=5, verbose=False).fit(data), Settings(watch=0)))
    lists = [client.post("/api/v1/recommend", user=users, k=2).json for users in ([1, 3], ["1", "3"])]
    assert lists[0] == lists[1]
    one = [client.post("/api/v1/recommend", user=user, candidates=[11, "12"]).json for user in (2, "2")]
    assert one[0] == one[1]
    assert client.post("/api/v1/predict", pairs=[[1, "12"]]).json["predictions"][0]["left"] == "1"
    assert client.post("/api/v1/recommend", user=True).status == 422
    assert client.post("/api/v1/recommend", user=1.5).status == 422
