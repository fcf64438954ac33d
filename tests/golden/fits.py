"""Small fits that together reach every path of training, and digests of what they leave behind.

`python -m tests.golden.fits` writes the digests of this machine to `digests.json`. They are a tool for moving code
without changing a result: the same processor and versions must give the same bits before and after.
"""

import hashlib
import json
import platform
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np

import vbn

DIGESTS = Path(__file__).with_name("digests.json")
QUIET = {"verbose": False}
PAPER = {"alpha": 1.0, "beta": 1.0, "noise_power": 0.75, "subsample": None}
"""What the paper's model has where "auto" would choose."""


def machine() -> str:
    """What the bits depend on beside the code: the processor, and what compiles and sums."""
    import llvmlite.binding

    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "numba", "llvmlite"))
    return (
        f"{platform.machine()} {llvmlite.binding.get_host_cpu_name()}, Python {platform.python_version()}, {packages}"
    )


def words() -> vbn.Dataset:
    """Pairs of words, with what is known of them."""
    rng = np.random.default_rng(3)
    left, right = (np.minimum(rng.zipf(1.4, 4000), 80) for _ in range(2))
    return _with_knowledge(vbn.Dataset.from_pairs([f"w{n}" for n in left], [f"w{n}" for n in right]))


def text() -> vbn.Dataset:
    """Words in sentences, with what is known of them."""
    rng = np.random.default_rng(7)
    sentences = [[f"w{min(n, 80)}" for n in rng.zipf(1.4, 8).tolist()] for _ in range(500)]
    return _with_knowledge(vbn.Dataset.from_sequences(sentences, window=3))


def _with_knowledge(data: vbn.Dataset) -> vbn.Dataset:
    """Add three levels of weighted parents and two relations, one of them symmetric."""
    edges = []
    for number in range(1, 81):
        edges += [(f"w{number}", f"group {number % 5}", 3.0), (f"w{number}", f"group {(number + 2) % 5}", 1.0)]
    edges += [(f"group {number}", f"kind {number % 2}", 1.0) for number in range(5)]
    edges += [("kind 0", "all", 1.0), ("kind 1", "all", 1.0), ("unseen", "group 1", 1.0), ("empty", "all", 1.0)]
    edges += [("never", "empty", 1.0), ("w7", "w3", 2.0)]
    data = data.with_taxonomy(edges)
    data = data.with_relation("follows", [(f"w{n}", f"w{n + 1}") for n in range(1, 20)], missing="skip")
    twins = [(f"w{n}", f"w{n + 3}") for n in range(1, 15, 2)]
    return data.with_relation("twin", twins, symmetric=True, missing="skip")


def shop(n: int = 3000, seed: int = 4) -> vbn.Dataset:
    """Users and items, both with a taxonomy."""
    rng = np.random.default_rng(seed)
    users = [f"u{i}" for i in rng.integers(0, 150, n)]
    items = [f"i{i}" for i in np.minimum(rng.zipf(1.4, n), 60)]
    data = vbn.Dataset.from_interactions(users, items)
    brands = {f"i{i}": [f"brand {i % 7}"] for i in range(1, 64)}
    data = data.with_taxonomy(brands | {f"brand {i}": [f"department {i % 2}"] for i in range(7)})
    return data.with_taxonomy({f"u{i}": [f"town {i % 4}"] for i in range(150)}, side="row")


def featured(n: int = 3000, seed: int = 4) -> vbn.Dataset:
    """Users and items with a taxonomy; items, brands and users have features, in two sources."""
    data, rng = shop(n, seed), np.random.default_rng(8)
    text = rng.standard_normal((64, 7))
    known = {f"i{i}": text[i] for i in range(1, 64) if i % 9 and f"i{i}" in data.columns}
    data = data.with_features(known | {"brand 2": text[0]}, name="text")
    data = data.with_features({"i1": 2.0, "i2": 7.0, "i5": 3.0, "i63": 1.0}, name="price")
    return data.with_features(rng.standard_normal((len(data.rows), 3)), side="row", name="age")


def _words(**more: object) -> vbn.VBN:
    return vbn.VBN(
        **(
            {"dim": 6, "epochs": 6, "negatives": 2, "relation_rank": 3, "relation_space": "joint", "seed": 5}
            | PAPER
            | QUIET
            | more
        )
    )


def _shop(**more: object) -> vbn.VBN:
    return vbn.VBN(**({"dim": 5, "epochs": 6, "negatives": 2, "seed": 6, "company": False} | QUIET | more))


def _joint() -> vbn.VBN:
    return _words().fit(words())


def _words_subsampled() -> vbn.VBN:
    return _words(subsample=1e-2, alpha={"entity": 4.0, "category": 2.0}, beta=2.0, relation_weight=3.0).fit(words())


def _readout() -> vbn.VBN:
    return _words(relation_space="readout", relation_prior=5.0, relation_rank=6, hard_negatives=0.5).fit(words())


def _relation_prior() -> vbn.VBN:
    return _words(relation_prior={"twin": 2.0}, relation_rank={"twin": 6, "follows": 2}).fit(words())


def _validated() -> vbn.VBN:
    return _words(epochs=4).fit(words(), validation=words())


def _fixed_sample() -> vbn.VBN:
    return _words(resample=False).fit(words())


def _float64() -> vbn.VBN:
    return _words(dtype="float64").fit(words())


def _one_thread() -> vbn.VBN:
    return _words(n_threads=1).fit(words())


def _cold_prior() -> vbn.VBN:
    return _shop(cold_precision="prior").fit(shop())


def _bias_common() -> vbn.VBN:
    return _shop(bias_prior="common").fit(shop())


def _bias_zero() -> vbn.VBN:
    return _shop(bias_prior="zero", average_epochs=1, **PAPER).fit(shop())


def _with_co_occurrences() -> vbn.VBN:
    return _shop().fit(shop().with_co_occurrences())


def _on_disk() -> vbn.VBN:
    return _shop(memory=1000).fit(shop())


def _partial_fit() -> vbn.VBN:
    return _shop().fit(shop(1500)).partial_fit(shop(1500, seed=9))


def _partial_fit_without_counts() -> vbn.VBN:
    folder = _words().fit(words()).save(tempfile.mkdtemp(), counts=False)
    more = vbn.Dataset.from_pairs(["w1", "w2", "new", "w5"], ["w2", "w3", "w1", "new"], [5, 3, 4, 2])
    return vbn.load(folder).partial_fit(more)


def _partial_fit_of_users_without_counts() -> vbn.VBN:
    folder = _shop().fit(shop(1500)).save(tempfile.mkdtemp(), counts=False)
    return vbn.load(folder).partial_fit(shop(800, seed=9))


def _resumed() -> vbn.VBN:
    folder = tempfile.mkdtemp()
    _words(checkpoint=folder).fit(words(), callbacks=[lambda _, epoch: epoch.epoch == 2])
    return _words().fit(words(), resume_from=folder)


def _added() -> vbn.VBN:
    model = _joint()
    model.add("new", parents={"group 1": 2.0, "group 3": 1.0}, contexts={"w1": 3, "w4": 1})
    model.add({"a": ["b"], "b": {"parents": ["w3"], "contexts": ["w2", "w2"]}, "c": {"parents": ["new"]}})
    return model


def _added_to_users_and_items() -> vbn.VBN:
    model = _shop(cold_precision="prior").fit(shop())
    model.add("item", parents=["brand 2"], contexts={"u3": 2, "u5": 1})
    model.add("user", parents=["town 1"], contexts={"i1": 1, "i2": 4}, side="row")
    model.add({"item 2": ["brand 9"], "brand 9": ["department 1"]})
    return model.partial_fit(shop(300, seed=2))


def _content() -> vbn.VBN:
    return _shop().fit(featured())


def _content_added() -> vbn.VBN:
    model = _shop(content_strength={"text": 1.0, "price": 0.0}).fit(featured())
    model.add("item", parents=["brand 2"], contexts={"u3": 2, "u5": 1}, features={"text": np.linspace(-1, 1, 7)})
    return model.add("user", side="row", features=[0.5, 0.1, -1.0])


def _content_without_counts() -> vbn.VBN:
    folder = _shop().fit(featured(1500)).save(tempfile.mkdtemp(), counts=False)
    more = vbn.Dataset.from_interactions(["u1", "u2", "u3"], ["new", "new", "i1"])
    return vbn.load(folder).partial_fit(more.with_features({"new": np.linspace(-1, 1, 7)}, name="text"))


def _users_and_items_by_default() -> vbn.VBN:
    return vbn.VBN(**QUIET).fit(shop())


def _words_by_default() -> vbn.VBN:
    return vbn.VBN(**QUIET).fit(text())


FITS: dict[str, Callable[[], vbn.VBN]] = {
    "joint": _joint,
    "words subsampled": _words_subsampled,
    "readout": _readout,
    "relation prior": _relation_prior,
    "validated": _validated,
    "fixed sample": _fixed_sample,
    "float64": _float64,
    "one thread": _one_thread,
    "cold precision prior": _cold_prior,
    "bias common": _bias_common,
    "bias zero": _bias_zero,
    "with co-occurrences": _with_co_occurrences,
    "on disk": _on_disk,
    "partial_fit": _partial_fit,
    "partial_fit without counts": _partial_fit_without_counts,
    "partial_fit of users without counts": _partial_fit_of_users_without_counts,
    "resumed": _resumed,
    "added": _added,
    "added to users and items": _added_to_users_and_items,
    "content": _content,
    "content added": _content_added,
    "content without counts": _content_without_counts,
    "users and items by default": _users_and_items_by_default,
    "words by default": _words_by_default,
}
LOOSE = ("float64",)
"""Fits whose last bits depend on which kernels were compiled before theirs in one process: only bounds are compared."""
SAME_AS = {"one thread": "joint", "resumed": "joint"}


def digest(model: vbn.VBN) -> str:
    """SHA-256 of all posterior arrays by name."""
    found = hashlib.sha256()
    arrays = canonical(model.trained_)
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        found.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        found.update(array.tobytes())
    return found.hexdigest()


def canonical(trained) -> dict[str, np.ndarray]:
    """All posterior arrays under the names that they had in version 0.1, relations one below the other."""
    q, dim = trained.posterior, trained.posterior.dim
    arrays = dict(q.arrays())
    if "offsets" in arrays:
        return arrays
    dtype, m = q.u.mean.dtype, len(q.v.mean)
    found = {"offsets": np.cumsum([0, *(relation.rank for relation in q.relations)], dtype=np.int64)}
    centres = {"centre_mean": "centre.mean", "centre_variance": "centre.variance"}
    categories = {f"category_{name}": f"hierarchy.{name}" for name in ("mean", "variance", "rate")}
    for part, t in (("u", dim), ("v", dim), ("bias", 1)):
        none = {"category_mean": np.empty((0, t), dtype), "category_variance": np.empty(0, dtype)}
        none |= {"category_rate": np.empty(0), "centre_mean": np.zeros(1), "centre_variance": np.zeros(1)}
        names = {"mean": "mean", "variance": "variance", "tau_rate": "rate"} | categories
        for old, new in (names | (centres if part == "bias" else {})).items():
            found[f"{part}.{old}"] = arrays.get(f"{part}.{new}", none.get(old))
    for owner, block in (("x", "x"), ("y", "y"), ("relation_bias", "r")):
        for old, new in {"mean": "mean", "variance": "variance", "tau_rate": "rate"}.items():
            shape, kind = ((0, m) if block == "r" else (0, dim)), (dtype if old != "tau_rate" else np.float64)
            shape = shape[:1] if old == "tau_rate" and block != "r" else shape
            each = [arrays[f"relation {k}.{block}.{new}"] for k in range(len(q.relations))]
            found[f"{owner}.{old}"] = np.concatenate(
                [np.empty(shape, kind), *(a[None] if block == "r" else a for a in each)]
            )
    for old, new in centres.items():
        each = [arrays.get(f"relation {k}.r.{new}", np.zeros(1)) for k in range(len(q.relations))]
        found[f"relation_bias.{old}"] = np.concatenate([np.empty(0), *each])
    return found | {path: array for path, array in arrays.items() if ".linear." in path}


def answers(model: vbn.VBN) -> str:
    """SHA-256 of the dials that the model chose, and of what it answers to one question of each kind."""
    trained = model.trained_
    shared = trained.shared
    names = ("w1", "w5", "unseen") if shared else ("i1", "i5", "i63")
    told: list[object] = [sorted(trained.dials.items())]

    def table(rows: object) -> None:
        told.append([(row.entity, float(row.score), float(row.std)) for row in rows])

    for name in names:
        table(model.similar(name, k=5, by="mean"))
        told.append(model.explain(name).to_dict())
        told.append(model.posterior(name, role="context").mean.tolist())
    table(model.similar(names[0], k=5, by="mean", readout="smoothed"))
    table(model.recommend([names[0], names[1]], k=5))
    table(model.recommend([names[0]], k=5, popularity=0.5, popularity_floor=1.0))
    pairs = [("w1", "w2"), ("w3", "unseen")] if shared else [("u1", "i1"), ("u2", "i63")]
    told.append(model.predict_proba(pairs).tolist())
    if model.data_ is not None:
        told += [array.tolist() for array in model.predict_interval(pairs)]
    if shared and trained.relations:
        told.append(model.relation_proba("twin", [("w1", "w4"), ("w2", "w9")]).tolist())
        table(model.related("twin", "w1", k=5, known="ranked"))
        table(model.similar("w1", by="context", k=5))
    parent = "group 1" if shared else "brand 1"
    told += [model.posterior(parent, role="category").mean.tolist(), model.explain(parent).to_dict()]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def main() -> None:
    """Write the digests of this machine."""
    found = {}
    for name, fit in FITS.items():
        model = fit()
        bounds = [*model.lower_bounds_.tolist(), *model.validation_.tolist()]
        found[name] = {"posterior": digest(model), "answers": answers(model), "bounds": bounds}
        print(name, found[name]["posterior"][:12], found[name]["answers"][:12], flush=True)
    known = json.loads(DIGESTS.read_text()) if DIGESTS.exists() else {}
    DIGESTS.write_text(json.dumps(known | {machine(): found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
