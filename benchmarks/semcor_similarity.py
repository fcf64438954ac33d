"""Word similarity on SemCor: VBN with and without taxonomy against five sets of human judgements.

    python benchmarks/semcor_similarity.py --data DIR [--seeds 3] [--out auto]

SemCor is lower-cased and split at ``_``. A word's parents are the hypernyms of its first sense, an inflected
form's parent is its lemma. Printed is Spearman's correlation times 100 over the pairs whose words both occur,
for the cosine of the means of u and of u + v.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

import vbn
from _data import add_data_option, data_folder
from _machine import peak_memory_mb, write_result
from _metrics import cosines
from _model import Fitted, fit_vbn
from _semcor import SIMILARITY_SETS, read_sentences, read_similarity, word_taxonomy

Sets = dict[str, list[tuple[str, str, float]]]


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_data_option(parser)
    parser.add_argument("--dim", type=int, default=50)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--window", type=int, default=5)
    parser.add_argument("--dynamic-window", action="store_true")
    parser.add_argument("--subsample", type=float, default=1e-4)
    parser.add_argument("--negatives", type=float, default=5)
    parser.add_argument("--power", type=float, default=0.75)
    parser.add_argument("--reject", choices=("auto", "yes", "no"), default="auto")
    parser.add_argument("--alpha", type=float, default=1.0, help="shape of the entities' precision prior")
    parser.add_argument("--beta", type=float, default=1.0, help="rate of the entities' precision prior")
    parser.add_argument("--levels", type=int, default=2, help="levels of the taxonomy above a word")
    parser.add_argument("--parts", choices=("frequent", "all"), default="frequent")
    parser.add_argument("--forms", choices=("semcor", "lemma"), default="semcor")
    parser.add_argument("--only", choices=("with", "without"), help="train one of the two models")
    parser.add_argument("--seeds", type=int, default=1, help="how many seeds to average over")
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--out", help="file for the raw output, or 'auto'")
    return parser.parse_args()


def main() -> None:
    chosen = options()
    folder = data_folder(chosen.data, "nlu")
    sentences = read_sentences(folder)
    plain = vbn.Dataset.from_sequences(sentences, window=chosen.window, dynamic_window=chosen.dynamic_window)
    sets = read_similarity(folder, plain.entities)
    print(plain)
    print("pairs: " + ", ".join(f"{name} {len(pairs)}" for name, pairs in sets.items()))
    runs = []
    for kind in ("with", "without"):
        if chosen.only in (None, kind):
            data = with_words(folder, plain, chosen) if kind == "with" else plain
            runs += [run(kind, data, sets, chosen, seed) for seed in range(chosen.seeds)]
    for kind in dict.fromkeys(one["taxonomy"] for one in runs):
        summarise(kind, [one for one in runs if one["taxonomy"] == kind])
    write_result("semcor_similarity", vars(chosen), runs, chosen.out)


def with_words(folder: Path, plain: vbn.Dataset, chosen: argparse.Namespace) -> vbn.Dataset:
    found = word_taxonomy(folder, plain.entities, chosen.levels, chosen.parts, chosen.forms)
    children = {child for child, _ in found.edges}
    covered = sum(word in children for word in plain.entities)
    print(f"taxonomy: {len(found.edges):,} edges, parents for {covered:,} of {len(plain.entities):,} words")
    print(f"dropped, as they closed cycles: {', '.join(f'{a} -> {b}' for a, b in found.dropped) or 'none'}")
    return plain.with_taxonomy(found.edges)


def run(kind: str, data: vbn.Dataset, sets: Sets, chosen: argparse.Namespace, seed: int) -> dict[str, Any]:
    fitted = fit_vbn(
        data,
        dim=chosen.dim,
        epochs=chosen.epochs,
        negatives=chosen.negatives,
        noise_power=chosen.power,
        subsample=chosen.subsample or None,
        reject_positives={"auto": "auto", "yes": True, "no": False}[chosen.reject],
        alpha={"entity": chosen.alpha},
        beta={"entity": chosen.beta},
        seed=seed,
        n_threads=chosen.threads,
        verbose=False,
    )
    result = {
        "taxonomy": kind,
        "seed": seed,
        "epochs": len(fitted.epoch_seconds),
        "seconds_per_epoch": fitted.seconds_per_epoch,
        "peak_memory_mb": peak_memory_mb(),
        "lower_bounds": fitted.lower_bounds,
        "spearman": {name: correlations(vectors, data, sets) for name, vectors in readouts(fitted).items()},
    }
    for readout, figures in result["spearman"].items():
        print(f"{kind:8} seed {seed} {readout:4} " + shown(figures), flush=True)
    print(
        f"{'':8} {result['seconds_per_epoch']:.1f} s/epoch, peak {result['peak_memory_mb']:.0f} MB",
        flush=True,
    )
    return result


def readouts(fitted: Fitted) -> dict[str, np.ndarray]:
    return {"u": fitted.u.mean, "u+v": fitted.u.mean + fitted.v.mean}


def correlations(vectors: np.ndarray, data: vbn.Dataset, sets: Sets) -> dict[str, float]:
    figures = {}
    for name in SIMILARITY_SETS:
        left = data.entities.ids(pair[0] for pair in sets[name])
        right = data.entities.ids(pair[1] for pair in sets[name])
        judged = [pair[2] for pair in sets[name]]
        figures[name] = 100 * float(spearmanr(cosines(vectors, left, right), judged).statistic)
    figures["average"] = float(np.mean([figures[name] for name in SIMILARITY_SETS]))
    return figures


def shown(figures: dict[str, float]) -> str:
    return "  ".join(f"{name} {value:5.1f}" for name, value in figures.items())


def summarise(kind: str, runs: list[dict[str, Any]]) -> None:
    for readout in runs[0]["spearman"]:
        names = runs[0]["spearman"][readout]
        mean = {name: float(np.mean([one["spearman"][readout][name] for one in runs])) for name in names}
        print(f"{kind:8} mean of {len(runs)} {readout:4} " + shown(mean))


if __name__ == "__main__":
    main()
