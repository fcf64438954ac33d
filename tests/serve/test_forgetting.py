"""DELETE: what a served model is told to forget is gone from its answers, its map and its folder."""

import pytest

import vbn
from tests.serve.asking import Client
from vbn.serve import Settings, create_app


def forgets(client, name, **query):
    from urllib.parse import quote, urlencode

    return client.send("DELETE", f"/api/v1/entities/{quote(name, safe='')}", b"", None, urlencode(query))


def test_a_read_only_server_forgets_nothing(shop, tmp_path):
    client = Client(create_app(shop.save(tmp_path / "m"), Settings(watch=0)))
    told = forgets(client, "ann", side="row")
    assert (told.status, "--writable" in told.json["detail"]) == (403, True)
    assert "ann" in vbn.load(tmp_path / "m").trained_.rows


@pytest.mark.parametrize(("name", "side"), [("ann", "row"), ("honey", "column")])
def test_what_is_forgotten_is_unknown(shop, tmp_path, name, side):
    folder = shop.save(tmp_path / "m")
    (folder / "held_out.csv").write_text("user,item,weight\nann,honey,1\nben,milk,1\n")
    client = Client(create_app(folder, Settings(writable=True, watch=0)))
    places = client.get("/api/v1/map/about").json["places"]
    assert client.get("/api/v1/explain", entity=name, side=side).status == 200
    done = forgets(client, name, side=side)
    assert (done.status, done.body) == (204, b"")
    assert client.get("/api/v1/explain", entity=name, side=side).status == 404
    assert client.get("/api/v1/map/about").json["places"] == places - (side == "column")
    assert client.get("/api/v1/entities", q=name[:3], side=side).json["entities"] == []
    assert not [file.name for file in folder.iterdir() if name.encode() in file.read_bytes()]
    assert forgets(client, name, side=side).status == 404
    assert client.post("/api/v1/recommend", entities=["tea"], k=2).status == 200


def test_odd_names_are_forgotten_too(goods, tmp_path):
    folder = goods.save(tmp_path / "m")
    client = Client(create_app(folder, Settings(writable=True, watch=0)))
    for name in ("a/b?c#d&e", 'say "hi"', "naïve 🎉", "tea"):
        assert forgets(client, name).status == 204, name
        assert name not in vbn.load(folder)
    assert len(client.get("/api/v1/similar", entity="beer").json["answers"]) > 2
    assert forgets(client, "beer", side="left").status == 422


def test_a_page_elsewhere_cannot_delete(shop, tmp_path):
    client = Client(create_app(shop.save(tmp_path / "m"), Settings(writable=True, watch=0)))
    told = client.send("DELETE", "/api/v1/entities/tea", b"", {"origin": "https://evil.example"})
    assert told.status == 403
    guarded = Client(create_app(tmp_path / "m", Settings(writable=True, watch=0, token="a secret word")))
    assert guarded.send("DELETE", "/api/v1/entities/tea", b"").status == 401
