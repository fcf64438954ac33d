"""What a model loses if the densities of the other side travel in fewer bits, as a cluster might send them.

    python benchmarks/half_precision.py --data DIR [--seeds 3] [--out auto]

Nothing travels here: an engine of its own rounds the other side's means and variances to float16 or bfloat16 before
each half-sweep, which is what a worker would receive, and leaves the rest to threads. MovieLens 1M, users x items, two
items masked a user (validation split). Printed are the last lower bound, HR@10% and MPR, both times 100.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import vbn
from _data import add_data_option, data_folder
from _machine import write_result
from reproduction.domains import load_domain
from reproduction.judging import Asking, percentiles
from reproduction.masking import mask
from vbn.baselines import as_scorer
from vbn.engines import ThreadEngine
from vbn.engines.halves import halved, restored
from vbn.kernels import DensityArrays
from vbn.model import BiasInputs, DrawnSample, Engine, EntityInputs, Plan, RelationCells


def as_float16(densities: DensityArrays, _: ThreadEngine) -> DensityArrays:
    """Rounded to the nearest float16."""
    return DensityArrays(*(values.astype(np.float16).astype(values.dtype) for values in densities))


def as_bfloat16(densities: DensityArrays, engine: ThreadEngine) -> DensityArrays:
    """Rounded as `RayEngine(half=True)` sends them."""
    return restored(halved(densities, engine), densities.mean.dtype, engine)


class Rounding(ThreadEngine):
    """Threads that see the other side in fewer bits."""

    def __init__(self, rounded: Any) -> None:
        super().__init__()
        self.rounded = rounded

    def sample(self, plan: Plan, epoch: int, relations: RelationCells) -> DrawnSample:
        """A sample whose half-sweeps round first."""
        return RoundedSample(plan, epoch, relations, lambda densities: self.rounded(densities, self))

    def close(self) -> None:
        """Keep the threads: after the fit, the choice of the dial trains once more."""


class RoundedSample(DrawnSample):
    """A sample whose half-sweeps see the other side in fewer bits."""

    def __init__(self, plan: Plan, epoch: int, relations: RelationCells, rounded: Any) -> None:
        super().__init__(plan, epoch, relations)
        self._rounded = rounded

    def _seen(self, entities: EntityInputs) -> EntityInputs:
        return entities._replace(other=self._rounded(entities.other))

    def update_rows(self, entities: EntityInputs, engine: Engine) -> None:
        """With the columns rounded."""
        super().update_rows(self._seen(entities), engine)

    def update_columns(self, entities: EntityInputs, biases: BiasInputs, engine: Engine) -> np.ndarray:
        """With the rows rounded."""
        return super().update_columns(self._seen(entities), biases, engine)


ENGINES = {
    "float32": lambda: "threads",
    "float16": lambda: Rounding(as_float16),
    "bfloat16": lambda: Rounding(as_bfloat16),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_data_option(parser)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--out", help="file for the raw output, or 'auto'")
    chosen = parser.parse_args()
    domain = load_domain("movies", data_folder(chosen.data, "movies").parent)
    runs: list[dict[str, Any]] = []
    for seed in range(chosen.seeds):
        masked = mask(domain.interactions, domain.least, seed)
        liked = masked.interactions.keep(masked.training("validation"))
        data = vbn.Dataset.from_interactions(*liked.columns()).with_taxonomy(domain.edges())
        for name, engine in ENGINES.items():
            model = vbn.VBN(epochs=chosen.epochs, negatives=4, seed=seed, engine=engine(), verbose=False).fit(data)
            share = percentiles(as_scorer(model), masked, "validation", Asking("row", prior=True))
            figures = {"HR@10%": 100 * np.mean(share < 0.1), "MPR": 100 * (1 - np.mean(share))}
            runs.append({"seed": seed, "sent as": name, "bound": model.lower_bounds_[-1], **figures})
            print(runs[-1], flush=True)
    write_result("half_precision", vars(chosen), runs, chosen.out)


if __name__ == "__main__":
    main()
