"""Make pictures of docs/guide.md and docs/taxonomies.md, and the figures of docs/uncertainty.md, on the bundled data.

    python scripts/plots.py

It trains one model (under a minute on two free cores), writes docs/images/*.png and prints the tables.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

import vbn
from vbn.datasets import load_bundled
from vbn.inference import pair_scores

OUT = Path(__file__).parent.parent / "docs" / "images"
BANDS = ((0, 0), (1, 3), (4, 20), (21, 10**9))


def main() -> None:
    mpl.use("Agg")
    mpl.rcParams["savefig.dpi"] = 85
    OUT.mkdir(parents=True, exist_ok=True)
    bundled = load_bundled()
    held_out = bundled.heldout
    pairs = list(zip(held_out.left, held_out.right, strict=True))
    # every second pair fits the line, the others judge it
    fitting, judging = pairs[::2], pairs[1::2]
    rarer = np.minimum(held_out.left_frequency, held_out.right_frequency)[1::2]

    model = vbn.VBN().fit(bundled.train)
    print(model.explain("brie"), end="\n\n")
    before = model.reliability(judging)
    print("as trained", before, sep="\n")
    show_worth_of_variances(model, judging, rarer)
    save(vbn.plot.uncertainty(model), "uncertainty")
    save(vbn.plot.neighbourhood(model, "brie", k=20), "neighbourhood")
    save(vbn.plot.taxonomy(model, "dairy_product", limit=8), "taxonomy")
    after = model.calibrate(fitting).reliability(judging)
    print("calibrated", after, sep="\n")
    ax = vbn.plot.reliability(before, label="as trained")
    label = f"slope {after.slope:.2f}, intercept {after.intercept:.2f}"
    save(vbn.plot.reliability(after, label=label, ax=ax), "reliability")


def show_worth_of_variances(model: vbn.VBN, pairs: list[tuple[str, str]], rarer: np.ndarray) -> None:
    """Held-out log loss with the variances in the predictive, and with the means alone."""
    print("\nrarer word seen   pairs   log loss with variances   means alone   median std of the logit")
    for least, most in BANDS:
        chosen = [pair for pair, seen in zip(pairs, rarer, strict=True) if least <= seen <= most]
        drawn = model._labelled(chosen, None, 0)
        mean, variance = pair_scores(model.trained_, drawn.rows, drawn.columns)
        sign = np.where(drawn.labels == 1, 1.0, -1.0)
        losses = [
            np.average(np.logaddexp(0.0, -sign * score), weights=drawn.weights)
            for score in (model.trained_.link.logit(mean, variance), mean)
        ]
        name = f"{least}" if least == most else f"{least}-{most}" if most < 10**9 else f"{least} or more"
        std = np.median(np.sqrt(variance))
        print(f"{name:>15}  {len(chosen):6,}  {losses[0]:24.3f}  {losses[1]:12.3f}  {std:24.2f}")
    print()


def save(ax: object, name: str) -> None:
    from matplotlib import pyplot

    ax.figure.savefig(OUT / f"{name}.png", pil_kwargs={"optimize": True})  # type: ignore[attr-defined]
    pyplot.close("all")


if __name__ == "__main__":
    main()
