"""Labels: titles beside ids in every answer, kept with the model, and found where a name is asked for."""

import itertools
import json

import numpy as np
import pytest

import vbn
from tests.storage.making import rewrite

TITLES = {"m1": "Heat", "m2": "Casino", "m3": "Ronin", "m4": "Heat", "m5": "Zoolander"}


def films():
    pairs = [(f"u{u}", f"m{m}") for u, m in itertools.product(range(8), range(1, 5)) if (u + m) % 3]
    catalogue = {
        "movieId": [*TITLES, "m6"],
        "title": [*TITLES.values(), None],
        "genre": ["Crime", "Crime", "Spy", "Crime", "Comedy", "Spy"],
    }
    data = vbn.Dataset.from_interactions(*zip(*pairs, strict=True))
    return data.with_catalogue(catalogue, id="movieId", levels=["genre"])


@pytest.fixture(scope="module")
def model():
    return vbn.VBN(dim=3, epochs=4, verbose=False).fit(films())


@pytest.fixture(params=["fitted", "loaded", "without counts", "added to", "learned more"])
def any_model(request, model, tmp_path):
    if request.param == "fitted":
        return model
    loaded = vbn.load(model.save(tmp_path / "m", counts=request.param != "without counts"))
    if request.param == "added to":
        loaded.add("m9", parents=["Crime"])
    if request.param == "learned more":
        loaded.partial_fit(vbn.Dataset.from_interactions(["u1", "new"], ["m1", "m9"]))
    return loaded


def test_titles_are_names_and_stand_beside_ids(any_model):
    found = any_model.similar("Casino", k=9)
    assert found.entities == any_model.similar("m2", k=9).entities
    assert {row.entity: row.label for row in found if row.entity in TITLES and row.entity != "m2"} == {
        name: title for name, title in TITLES.items() if name != "m2"
    }
    assert any_model.recommend(["Ronin"]).entities == any_model.recommend(["m3"]).entities
    assert any_model.similarity("Ronin", "Casino") == any_model.similarity("m3", "m2")
    assert any_model.posterior("Ronin").mean.tolist() == any_model.posterior("m3").mean.tolist()
    assert any_model.explain("Ronin").entity == "m3"
    assert any_model.explain("Ronin").label == "Ronin"
    assert "Ronin" in any_model
    with pytest.raises(vbn.UnknownEntityError, match="label of 2 entities: 'm1', 'm4'"):
        any_model.recommend(["Heat"])
    assert any_model.recommend(["m1"], candidates=["Ronin", "m2"], exclude_seen=False).labels is not None


def test_tables_have_a_column_of_labels(model):
    table = model.similar("m1", k=5)
    assert list(table.to_pandas().columns) == ["entity", "label", "score", "std"]
    assert list(table.to_dicts()[0]) == ["entity", "label", "score", "std"]
    assert str(table).split()[:4] == ["entity", "label", "cosine", "std"]
    assert table[1:3].labels == table.labels[1:3]
    entity, score, std = table[0]  # as before
    assert (entity, score, std) == (table[0].entity, table[0].score, table[0].std)
    many = model.recommend(user=["u1", "u2"], exclude_seen=False)
    assert list(many.to_polars().columns) == ["query", "entity", "label", "score", "std"]
    assert "Casino" in str(many)


def test_models_without_labels_are_as_they_were(tmp_path):
    data = vbn.Dataset.from_pairs(["a", "b"], ["b", "a"])
    plain = vbn.VBN(dim=2, epochs=2, verbose=False).fit(data)
    table = plain.similar("a")
    assert table.labels is None
    assert table[0].label is None
    assert list(table.to_dicts()[0]) == ["entity", "score", "std"]
    assert "label" not in str(table)
    assert "label" not in json.dumps(plain.explain("a").to_dict())


def test_relations_explanations_and_baselines_have_labels():
    titles = {"item": ["a", "b", "c"], "title": ["Ay", "Bee", "Sea"], "kind": ["k", "k", "k"]}
    data = vbn.Dataset.from_baskets([["a", "b"], ["b", "c"], ["a", "b", "c"]]).with_catalogue(titles, id="item")
    data = data.with_relation("next", [("Ay", "b"), ("b", "c")])  # a title here, too
    model = vbn.VBN(dim=2, epochs=3, verbose=False).fit(data)
    assert model.related("next", "Ay", k=1)[0].label == "Bee"
    assert model.related("next", "Ay", k=1).to_dicts()[0]["label"] == "Bee"
    told = str(model.explain("Bee"))
    assert told.startswith("b (Bee): seen")
    assert "(Ay)" in told
    assert vbn.Popularity().fit(data).recommend(["Ay"], k=1)[0].label


def test_damaged_labels_are_refused(model, tmp_path):
    def damage(change):
        folder = model.save(tmp_path / "m")
        rewrite(folder, change)
        with pytest.raises(vbn.ModelFileError):
            vbn.load(folder)

    damage(lambda a: a.update({"columns.label_ends": a["columns.label_ends"] - 1}))
    damage(lambda a: a.update({"columns.label_ends": a["columns.label_ends"][:-1]}))
    damage(lambda a: a.update({"columns.labels": np.full_like(a["columns.labels"], 0xFF)}))
    damage(lambda a: a.pop("columns.label_ends"))


def test_the_service_shows_and_finds_titles(model):
    pytest.importorskip("fastapi")
    from tests.serve.asking import Client
    from vbn.serve import Settings, create_app

    client = Client(create_app(model, Settings(watch=0)))
    found = client.get("/api/similar", entity="Casino", k=3).json["answers"]
    assert [one["label"] for one in found] == [TITLES.get(one["entity"]) for one in found]
    assert client.get("/api/entities", q="zoo").json["entities"][0] | {"count": 0} == {
        "name": "m5",
        "label": "Zoolander",
        "side": "column",
        "count": 0,
        "category": False,
    }
    assert [one["name"] for one in client.get("/api/v1/entities", q="heat").json["entities"]] == ["m1", "m4"]
    assert client.get("/api/v1/entities", q="m3").json["entities"][0]["name"] == "m3"
    told = client.get("/api/v1/explain", entity="Casino").json
    assert told["explanation"]["label"] == "Casino"
    assert {one["name"] for one in told["family"]["siblings"]} == {"m1", "m4"}
    assert {one["label"] for one in told["family"]["siblings"]} == {"Heat"}
    assert all("label" in one for one in client.post("/api/v1/recommend", entities=["Ronin"], k=2).json["answers"])
    assert client.get("/api/v1/similar", entity="Heat").status == 404
    assert "'m1', 'm4'" in client.get("/api/v1/similar", entity="Heat").json["detail"]
    pair = client.post("/api/v1/predict", pairs=[["u1", "Ronin"], ["u1", "m6"]]).json["predictions"]
    assert [(one["left_label"], one["right_label"]) for one in pair] == [(None, "Ronin"), (None, None)]
    users = client.post("/api/v1/recommend", user=["u1"], k=9, exclude_seen=False).json["users"][0]["answers"]
    assert {one["entity"]: one["label"] for one in users} == {**TITLES, "m6": None}
