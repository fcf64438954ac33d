"""Recommendation on MovieLens 1M: find two masked items a user again, among all and among rare items.

    python benchmarks/movielens_ranking.py --data DIR [--power 0.75 --maskings 10] [--out auto]

Users x items, liked = rated above 3.5, taxonomy genre > director > movie. Each user with at least five
liked items has two masked: one at random and the last one by time. Candidates are the whole catalogue (all
items that anybody liked, also those that lost all their users to the masking) without the user's training
items; ties count half. Rare: the masked item is of the fifth of the catalogue with the fewest training users.
Figures of several maskings are pooled. Printed are HR@10% and MPR, both times 100.
"""

from __future__ import annotations

import argparse
import itertools
from typing import Any

import numpy as np

import vbn
from _data import add_data_option, data_folder
from _machine import peak_memory_mb, write_result
from _metrics import Factors, hit_rate_and_mpr, percentile_ranks, score_matrix
from _model import Fitted, fit_vbn
from _movielens import Likes, Masked, mask, movie_taxonomy, rare_items, read_likes

USERS_AT_ONCE = 512


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_data_option(parser)
    parser.add_argument("--dim", type=int, default=50)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--negatives", type=float, default=4)
    parser.add_argument("--power", type=float, nargs="+", default=[0.75], help="one or several noise powers")
    parser.add_argument("--reject", choices=("auto", "yes", "no"), default="auto")
    parser.add_argument("--alpha", type=float, default=1.0, help="shape of the entities' precision prior")
    parser.add_argument("--beta", type=float, default=1.0, help="rate of the entities' precision prior")
    parser.add_argument("--gamma", type=float, nargs="+", default=[0.0], help="popularity dial when ranking")
    parser.add_argument("--maskings", type=int, default=1, help="how many maskings to pool")
    parser.add_argument("--no-taxonomy", action="store_true")
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--out", help="file for the raw output, or 'auto'")
    return parser.parse_args()


def main() -> None:
    chosen = options()
    folder = data_folder(chosen.data, "movies")
    likes = read_likes(folder)
    edges = [] if chosen.no_taxonomy else movie_taxonomy(folder, likes.items)
    print(f"{len(likes.users):,} users, {len(likes.items):,} items, {len(likes.item):,} likes")
    print(f"taxonomy of {len(edges):,} edges")
    runs = []
    for power in chosen.power:
        found = [run(likes, edges, chosen, power, number) for number in range(chosen.maskings)]
        for gamma in chosen.gamma:
            print_figures(f"power {power} gamma {gamma}: {chosen.maskings} pooled", pooled(found, gamma))
        runs += [{**one, "shares": None} for one in found]
        runs += [{"power": power, "gamma": g, "pooled": pooled(found, g)} for g in chosen.gamma]
    write_result("movielens_ranking", vars(chosen), runs, chosen.out)


def run(
    likes: Likes, edges: list[tuple[str, str, float]], chosen: argparse.Namespace, power: float, number: int
) -> dict:
    masked = mask(likes, seed=number)
    data = interactions(likes, masked, edges)
    fitted = fit_vbn(
        data,
        dim=chosen.dim,
        epochs=chosen.epochs,
        negatives=chosen.negatives,
        noise_power=power,
        reject_positives={"auto": "auto", "yes": True, "no": False}[chosen.reject],
        alpha={"entity": chosen.alpha},
        beta={"entity": chosen.beta},
        seed=number,
        n_threads=chosen.threads,
        verbose=False,
    )
    rare = rare_items(likes, masked)[masked.test_item]
    shares = {gamma: ranks(likes, masked, data, fitted, gamma) for gamma in chosen.gamma}
    result = {
        "power": power,
        "masking": number,
        "epochs": len(fitted.epoch_seconds),
        "seconds_per_epoch": fitted.seconds_per_epoch,
        "peak_memory_mb": peak_memory_mb(),
        "lower_bounds": fitted.lower_bounds,
        "figures": {gamma: figures(share, rare) for gamma, share in shares.items()},
        "shares": {gamma: (share, rare) for gamma, share in shares.items()},
    }
    for gamma in chosen.gamma:
        print_figures(f"power {power} gamma {gamma} masking {number}", result["figures"][gamma])
    print(f"  {result['seconds_per_epoch']:.2f} s/epoch, peak {result['peak_memory_mb']:.0f} MB", flush=True)
    return result


def interactions(likes: Likes, masked: Masked, edges: list[tuple[str, str, float]]) -> vbn.Dataset:
    """Return the training data; items without training users come in with the taxonomy."""
    users = [likes.users[user] for user in masked.user.tolist()]
    items = [likes.items[item] for item in masked.item.tolist()]
    data = vbn.Dataset.from_interactions(users=users, items=items)
    return data.with_taxonomy(edges, side="column") if edges else data


def ranks(likes: Likes, masked: Masked, data: vbn.Dataset, fitted: Fitted, gamma: float) -> np.ndarray:
    """Return where each masked item stands among its user's candidates, as a share."""
    items, extra = catalogue(likes, masked, data, fitted, gamma)
    rows = data.rows.ids(likes.users)
    known = np.argsort(masked.user, kind="stable")
    user_of_known = masked.user[known]
    shares = np.empty(len(masked.test_user))
    edges = [*range(0, len(likes.users), USERS_AT_ONCE), len(likes.users)]
    for first, last in itertools.pairwise(edges):
        users = Factors(fitted.u.mean[rows[first:last]], fitted.u.variance[rows[first:last]])
        scores = score_matrix(users, items) + extra
        own = known[slice(*np.searchsorted(user_of_known, [first, last]))]
        tests = np.flatnonzero((masked.test_user >= first) & (masked.test_user < last))
        shares[tests] = percentile_ranks(
            scores,
            masked.test_user[tests] - first,
            masked.test_item[tests],
            (masked.user[own] - first, masked.item[own]),
        )
    return shares


def catalogue(
    likes: Likes, masked: Masked, data: vbn.Dataset, fitted: Fitted, gamma: float
) -> tuple[Factors, np.ndarray]:
    """Return the items' densities in the catalogue's order, and what the popularity dial adds to each.

    Without a taxonomy an item that lost all its users is unknown to the model: it scores 0, the prior's mean.
    """
    at = np.array([data.columns.id(item) if item in data.columns else -1 for item in likes.items])
    unknown = at < 0
    parts = [fitted.v.mean, fitted.v.variance, fitted.v.bias_mean, fitted.v.bias_variance]
    mean, variance, bias, bias_variance = (part[at].copy() for part in parts)
    for part, value in ((mean, 0.0), (variance, 1.0), (bias, 0.0), (bias_variance, 1.0)):
        part[unknown] = value
    times = np.bincount(masked.item, minlength=len(likes.items))
    return Factors(mean, variance, bias, bias_variance), gamma * np.log(np.maximum(times, 1))


def figures(shares: np.ndarray, rare: np.ndarray) -> dict[str, dict[str, float]]:
    found = {}
    for name, part in (("all", shares), ("rare", shares[rare])):
        hit_rate, mpr = hit_rate_and_mpr(part)
        found[name] = {"HR@10%": hit_rate, "MPR": mpr, "cases": len(part)}
    return found


def pooled(runs: list[dict[str, Any]], gamma: float) -> dict[str, dict[str, float]]:
    shares, rare = (np.concatenate([one["shares"][gamma][part] for one in runs]) for part in (0, 1))
    return figures(shares, rare)


def print_figures(title: str, found: dict[str, dict[str, float]]) -> None:
    texts = [f"{name} {f['HR@10%']:.1f} / {f['MPR']:.1f} ({f['cases']:,} cases)" for name, f in found.items()]
    print(f"{title}: HR@10% / MPR {', '.join(texts)}", flush=True)


if __name__ == "__main__":
    main()
