"""What the explorer's page asks for: words and marks of the map, spreads, the tree, comparisons, a guide."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vbn
from tests.serve.asking import Client
from tests.twin.overlap import overlap_by_dimension
from vbn.serve import Settings, create_app, lay_out
from vbn.serve.comparing import expected_cosine, overlap
from vbn.serve.map import branches, draw_map, spread


@pytest.fixture(scope="module")
def client(goods):
    return Client(create_app(goods, Settings(watch=0)))


def test_the_guide_has_a_known_a_rare_and_an_unseen_entity_of_a_family(client, goods):
    guide = client.get("/api/v1/guide").json
    kinds = {one["kind"]: one for one in guide["examples"]}
    assert kinds["known"]["entity"]["count"] > 0
    assert kinds["unseen"]["entity"]["name"] == "cider"
    assert kinds["unseen"]["entity"]["count"] == 0
    assert kinds["unseen"]["prior_share"] == 1.0
    assert [one["name"] for one in kinds["known"]["parents"]] == ["drink"]
    assert [one["entity"] for one in kinds["known"]["near"]] == goods.similar(
        kinds["known"]["entity"]["name"], 3
    ).entities
    assert list(guide["cosines"]) == ["0.5", "0.9", "0.99"]
    assert sorted(guide["cosines"].values()) == list(guide["cosines"].values())


def test_the_guide_takes_the_family_that_stands_together():
    baskets, taxonomy = [], {}
    for n in range(12):  # frequent ones whose siblings keep other company
        taxonomy |= {f"{name} {n}": f"kind {n}" for name in ("often", "once", "never")}
        baskets += [[f"often {n}", f"place {n}", f"time {n}"]] * (20 + n) + [[f"once {n}", f"place {(n + 5) % 12}"]]
    pears = [f"pear {n}" for n in range(6)]
    taxonomy |= dict.fromkeys([*pears, "quince", "medlar"], "pome")
    baskets += [pears] * 9 + [["quince", *pears]]
    data = vbn.Dataset.from_baskets(baskets).with_taxonomy(taxonomy)
    model = vbn.VBN(dim=6, epochs=15, verbose=False).fit(data)
    examples = Client(create_app(model, Settings(watch=0))).get("/api/v1/guide").json["examples"]
    assert [one["entity"]["name"] for one in examples][1:] == ["quince", "medlar"]


def test_where_everything_was_seen_the_guide_invents_something_new():
    data = vbn.Dataset.from_baskets([["a", "b", "c"], ["a", "b"], ["a", "d"]] * 4)
    model = vbn.VBN(dim=2, epochs=2, verbose=False)
    fitted = model.fit(data.with_taxonomy({"a": "x", "b": "x", "c": "x"}))
    last = Client(create_app(fitted, Settings(watch=0))).get("/api/v1/guide").json["examples"][-1]
    assert (last["kind"], last["entity"]["name"], last["parents"][0]["name"]) == ("new", "a new x", "x")
    plain = vbn.VBN(dim=2, epochs=2, verbose=False).fit(data)
    examples = Client(create_app(plain, Settings(watch=0))).get("/api/v1/guide").json["examples"]
    assert [one["kind"] for one in examples] == ["known", "once"]


def test_comparing_two_of_a_kind(client, goods):
    found = client.get("/api/v1/compare", entity="tea", other="beer").json
    alike = goods.similarity("tea", "beer")
    assert found["cosine"] == pytest.approx(alike.score)
    assert found["std"] == pytest.approx(alike.std)
    assert found["expected"] == pytest.approx(
        next(row.score for row in goods.similar("tea", 50) if row.entity == "beer")
    )
    assert [one["name"] for one in found["ancestors"]] == ["drink", "goods"]
    near = {*goods.similar("tea", 50).entities} & {*goods.similar("beer", 50).entities}
    assert {one["name"] for one in found["shared"]} == near
    assert found["n_shared"] == len(near)
    p = goods.predict_proba([("tea", "beer"), ("beer", "tea")])
    assert [one["p"] for one in found["chances"]] == pytest.approx(p.tolist())


def test_a_category_is_compared_by_its_own_density_and_has_no_chance(client, goods):
    found = client.get("/api/v1/compare", entity="drink", other="tea").json
    assert found["chances"] == []
    a, b = goods.posterior("drink", role="category"), goods.posterior("tea")
    assert found["overlap"] == pytest.approx(overlap(a.mean, a.variance, b.mean, b.variance))


@pytest.mark.parametrize("swapped", [False, True])
def test_comparing_a_user_with_an_item(shop, swapped):
    client = Client(create_app(shop, Settings(watch=0)))
    sides = {"entity": "ann", "side": "row", "other": "beer", "other_side": "column"}
    if swapped:
        sides = {"entity": "beer", "side": "column", "other": "ann", "other_side": "row"}
    found = client.get("/api/v1/compare", **sides).json
    assert found["cosine"] is found["overlap"] is None
    assert found["chances"][0]["p"] == pytest.approx(float(shop.predict_proba([("ann", "beer")])[0]))
    assert (found["chances"][0]["left"], found["chances"][0]["right"]) == ("ann", "beer")
    likely, near = {row.entity: row.score for row in shop.recommend(user="ann", k=50)}, shop.similar("beer", 50)
    assert {one["name"] for one in found["shared"]} == likely.keys() & {*near.entities}
    for one in found["shared"]:
        assert one["second" if swapped else "first"] == pytest.approx(likely[one["name"]])


numbers = st.floats(-3, 3)
variances = st.floats(0.05, 4)


@given(st.lists(st.tuples(numbers, variances, numbers, variances), min_size=1, max_size=4))
def test_the_overlap_is_the_integral_of_its_twin(dims):
    m, v, n, w = (np.array(column) for column in zip(*dims, strict=True))
    assert overlap(m, v, n, w) == pytest.approx(overlap_by_dimension(m, v, n, w), abs=1e-6)
    assert overlap(m, v, n, w) == overlap(n, w, m, v)
    assert overlap(m, v, m, v) == 1.0
    assert -1.0 <= expected_cosine(m, v, n, w) <= 1.0


def test_the_tree_begins_at_the_roots_and_goes_down(client):
    roots = client.get("/api/v1/tree").json
    assert [(one["name"], one["children"]) for one in roots["nodes"]] == [("goods", 3)]
    assert roots["nodes"][0]["below"] == 7  # whatever is not a category
    below = client.get("/api/v1/tree", entity="goods").json
    assert [one["name"] for one in below["nodes"]] == ["drink", "snack", "honey"]
    assert client.get("/api/v1/tree", entity="goods", limit=1).json["total"] == 3
    leaf = client.get("/api/v1/tree", entity="tea").json
    assert (leaf["total"], leaf["nodes"]) == (0, [])


def test_words_and_places_of_the_map(client, goods):
    names = goods.trained_.columns
    ids = [names.id("tea"), names.id("beer")]
    assert client.get("/api/v1/map/words", ids=ids).json == {
        str(ids[0]): {"name": "tea", "label": None},
        str(ids[1]): {"name": "beer", "label": None},
    }
    assert client.get("/api/v1/map/words", ids=[10**6]).status == 400
    found = client.post("/api/v1/map/places", entities=["tea", "drink", "nobody"]).json
    assert (found["ids"], found["labels"]) == ([ids[0], None, None], [None, None, None])


def test_all_that_is_below_a_category(client, goods):
    names = goods.trained_.columns
    found = client.get("/api/v1/map/below", entity="goods").json["ids"]
    assert {names[one] for one in found} == {"tea", "milk", "beer", "cider", "nuts", "crisps", "honey"}
    assert client.get("/api/v1/map/below", entity="tea").json["ids"] == []


def test_whoever_is_less_certain_has_a_larger_ellipse(goods):
    trained = goods.trained_
    layout = lay_out(trained, method="principal axes")
    known, unseen = (spread(layout, trained, trained.columns.id(name)) for name in ("tea", "cider"))
    assert unseen[1][0] > known[1][0] >= known[1][1] >= 0
    assert known[0] == pytest.approx(layout.places[layout.ids == trained.columns.id("tea")][0])
    assert spread(layout, trained, trained.columns.id("drink")) is None
    assert spread(layout, trained, trained.columns.id("tea")) == known  # the same every time


def test_the_ellipse_is_told(client):
    found = client.get("/api/v1/map/spread", entity="tea").json
    assert found["axes"][0] >= found["axes"][1] >= 0
    assert client.get("/api/v1/map/spread", entity="drink").json is None
    assert client.get("/api/v1/map/spread", entity="nobody").status == 404


def test_the_map_tells_uncertainty_and_share_of_the_prior_as_cards_do(goods):
    trained = goods.trained_
    layout = lay_out(trained, method="principal axes")
    made = draw_map(trained, layout, final=True)
    n = made.about["places"]
    fields = [field["name"] for field in made.about["fields"]]
    blocks = {name: np.frombuffer(made.body, "<f4", n, 4 * n * at) for at, name in enumerate(fields)}
    for name in ("tea", "cider", "crisps"):
        (at,) = np.flatnonzero(layout.ids == trained.columns.id(name))
        part = goods.explain(name).parts[0]
        assert blocks["prior"][at] == pytest.approx(part.prior_share, abs=1e-5)
        assert blocks["std"][at] == pytest.approx(part.std, rel=1e-5)


def test_branches_keep_their_colours_when_entities_are_added(goods):
    ids = np.flatnonzero(goods.trained_.profile.candidates("column"))
    _, titles = branches(goods.trained_, ids)
    grown = goods.with_trained(goods.trained_, goods.data_)
    for n in range(20):
        grown.add(f"snack {n}", ["snack"])
    trained = grown.trained_
    more = np.flatnonzero(trained.profile.candidates("column"))
    assert branches(trained, more)[1] != titles  # by size they would change places
    number, kept = branches(trained, more, titles)
    assert kept == titles
    assert number[more == trained.columns.id("snack 3")] == titles.index("snack")


def test_a_map_keeps_its_branches_after_something_was_saved(goods, tmp_path):
    folder = goods.save(tmp_path / "m")
    client = Client(create_app(folder, Settings(watch=0, writable=True)))
    before = client.get("/api/v1/map/about").json["branches"]
    for n in range(8):
        body = json.dumps({"name": f"snack {n}", "parents": ["snack"], "save": True}).encode()
        assert client.send("POST", "/api/v1/what-if", body).status == 200
    about = client.get("/api/v1/map/about").json
    assert about["branches"] == before
    assert about["places"] == len(lay_out(goods.trained_, method="principal axes").ids) + 8
