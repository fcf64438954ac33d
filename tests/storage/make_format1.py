"""Write the model folders of format 1 that `test_format1.py` loads; run with vbn 0.1, the last version that wrote it.

python -m tests.storage.make_format1
"""

import json
from pathlib import Path

import vbn
from tests.golden.fits import shop, words

FOLDERS = Path(__file__).with_name("format1")
PAIRS = {"words": [("w1", "w2"), ("w3", "unseen")], "shop": [("u1", "i1"), ("u2", "i63")]}


def main() -> None:
    """Write both folders and what their models answer."""
    settings = {"dim": 3, "epochs": 3, "seed": 5, "verbose": False}
    model = vbn.VBN(**settings, relation_rank=2).fit(words())
    model.save(FOLDERS / "words")
    told = {"words": answers("words", model)}
    model = vbn.VBN(**settings, cold_precision="prior", average=2).fit(shop(500))
    model.calibrate(shop(200, seed=7))
    model.save(FOLDERS / "shop", counts=False)
    told["shop"] = answers("shop", model)
    (FOLDERS / "answers.json").write_text(json.dumps(told, indent=1) + "\n")


def answers(kind: str, model: vbn.VBN) -> dict[str, list]:
    """Some answers of a model, as JSON holds them; 0.1 had no `by="mean"`, its default was that."""
    found = {"proba": model.predict_proba(PAIRS[kind]).tolist()}
    asked = "w1" if kind == "words" else "i1"
    found["similar"] = [[row.entity, float(row.score)] for row in model.similar(asked, k=4, by="mean")]
    found["category"] = model.posterior("group 1" if kind == "words" else "brand 1", role="category").mean.tolist()
    if kind == "words":
        found["related"] = [[row.entity, float(row.score)] for row in model.related("twin", "w1", k=3, known="ranked")]
    return found


if __name__ == "__main__":
    main()
