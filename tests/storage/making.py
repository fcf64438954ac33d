"""Small models for the tests of this room, and ways to tamper with their folders."""

import hashlib
import json
from functools import cache

import numpy as np
from safetensors.numpy import load_file, save_file

import vbn

NAMES = [
    "plain",
    "with space",
    'quo"te',
    "it's",
    "new\nline",
    "tab\t",
    "emoji 🦊",
    "عربى",
    "\u202eright to left\u202c",
    "<b>",
    "comma,",
    "ünï",
    "nul\0",
    "lone \ud83d",
    "\udc00\ud83d",
    "\ud83d\ude00",
    "😀",
    "back\\slash",
    "../up",
    "|pipe|",
    " ",
]
RELATION = "opp|osite\n\ud800🦊\0"


@cache
def fit(n=0, **options):
    """A fitted model with odd names, a taxonomy and a relation. Not to be changed: use `fresh`."""
    return fresh(n, **options)


def fresh(n=0, **options):
    """The same, not shared with other tests."""
    return vbn.VBN(**({"dim": 3, "epochs": 4, "relation_rank": 2, "verbose": False, "seed": n} | options)).fit(data(n))


def data(n=0):
    rng = np.random.default_rng(n)
    pairs = vbn.Dataset.from_pairs(rng.choice(NAMES, 80).tolist() + NAMES, rng.choice(NAMES, 80).tolist() + NAMES[::-1])
    pairs = pairs.with_taxonomy({"plain": ["new\nline"], "with space": {"عربى": 2.0, "root/..": 1.0}})
    return pairs.with_relation(RELATION, [("plain", "ünï")], symmetric=True)


def bits(model):
    return {path: array.tobytes() for path, array in model.trained_.posterior.arrays().items()}


def tensor_file(folder):
    return next(folder.glob("model-*.safetensors"))


def read_config(folder):
    return json.loads((folder / "config.json").read_bytes().decode("utf-8", "surrogatepass"))


def write_config(folder, config):
    text = json.dumps(config, ensure_ascii=False)
    (folder / "config.json").write_bytes(text.encode("utf-8", "surrogatepass"))


def change_config(folder, **changes):
    write_config(folder, read_config(folder) | changes)


def rewrite(folder, change):
    """Change tensors and make the checksum fit: what a hostile author would do."""
    arrays = load_file(tensor_file(folder))
    change(arrays)
    save_file(arrays, tensor_file(folder))
    seal(folder)


def seal(folder):
    """Make the checksum fit the tensor file as it is."""
    change_config(folder, tensors=entry_of(tensor_file(folder)))


def entry_of(file):
    """What config.json says of a tensor file."""
    blob = file.read_bytes()
    return {"file": file.name, "sha256": hashlib.sha256(blob).hexdigest(), "bytes": len(blob)}
