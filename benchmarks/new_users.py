"""Users that training has not seen: how well their queries are answered, and how fast.

    python benchmarks/new_users.py --data DIR [--maskings 3] [--out auto]

MovieLens 1M with two masked items a user. A fifth of the users is left out of training
altogether; their items are folded in. Beside it: the same users when training has them, and queries to a model of
items x items (the users' lists as baskets), folded in and averaged. Then queries per second on one core: 50 contexts,
all columns. Printed are HR@10% and MPR, both times 100.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

import vbn
from _data import add_data_option, data_folder
from _machine import write_result
from _metrics import Factors, hit_rate_and_mpr, percentile_ranks, score_matrix
from _movielens import Likes, Masked, mask, movie_taxonomy, read_likes
from vbn.inference import average, fold_in
from vbn.kernels import ContextArrays

LEFT_OUT = 0.2
FIRST_MASKING = 100  # others than those that parameters were chosen on


@dataclass(frozen=True)
class Case:
    """A masking and the users that are left out of training."""

    likes: Likes
    masked: Masked
    users: np.ndarray

    @property
    def out(self) -> np.ndarray:
        """Flags of the training pairs whose user is left out."""
        return np.isin(self.masked.user, self.users)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_data_option(parser)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--maskings", type=int, default=3)
    parser.add_argument("--gamma", type=float, nargs="+", default=[0.0, 0.25, 0.5], help="popularity dial when ranking")
    parser.add_argument("--repeats", type=int, default=7, help="of which the fastest counts")
    parser.add_argument("--out", help="file for the raw output, or 'auto'")
    return parser.parse_args()


def main() -> None:
    chosen = options()
    folder = data_folder(chosen.data, "movies")
    likes = read_likes(folder)
    edges = movie_taxonomy(folder, likes.items)
    runs: list[dict[str, Any]] = []
    for number in range(FIRST_MASKING, FIRST_MASKING + chosen.maskings):
        masked = mask(likes, seed=number)
        known = np.unique(masked.user)
        left_out = np.random.default_rng(number).random(len(known)) < LEFT_OUT
        case = Case(likes, masked, known[left_out])
        runs += quality(case, edges, chosen, number)
    report(runs)
    speed = rate(likes, masked, edges, chosen)
    write_result("new_users", vars(chosen), [*runs, speed], chosen.out)


def quality(case: Case, edges: list[tuple[str, str, float]], chosen: argparse.Namespace, number: int) -> list[dict]:
    everybody = np.ones(len(case.masked.user), dtype=bool)
    found = []
    for name, pairs in (("users x items, seen in training", everybody), ("users x items, folded in", ~case.out)):
        model = fit_users(case, edges, pairs, chosen.epochs, number)
        seen = pairs is everybody
        found += [judge(case, model, name, gamma, number, "row" if seen else "fold_in") for gamma in chosen.gamma]
    model = fit_items(case, edges, chosen.epochs, number)
    for query in ("fold_in", "average"):
        found += [judge(case, model, f"items x items, {query}", gamma, number, query) for gamma in chosen.gamma]
    return found


def fit_users(case: Case, edges: list, pairs: np.ndarray, epochs: int, seed: int) -> vbn.VBN:
    users = [case.likes.users[user] for user in case.masked.user[pairs].tolist()]
    items = [case.likes.items[item] for item in case.masked.item[pairs].tolist()]
    data = vbn.Dataset.from_interactions(users, items).with_taxonomy(edges)
    return vbn.VBN(epochs=epochs, negatives=4, noise_power=0.5, seed=seed, verbose=False).fit(data)


def fit_items(case: Case, edges: list, epochs: int, seed: int) -> vbn.VBN:
    baskets: dict[int, list[str]] = {}
    for user, item in zip(case.masked.user[~case.out].tolist(), case.masked.item[~case.out].tolist(), strict=True):
        baskets.setdefault(user, []).append(case.likes.items[item])
    data = vbn.Dataset.from_baskets(list(baskets.values())).with_taxonomy(edges)
    return vbn.VBN(epochs=epochs, negatives=1, seed=seed, verbose=False).fit(data)


def judge(case: Case, model: vbn.VBN, name: str, gamma: float, number: int, query: str) -> dict[str, Any]:
    trained = model.trained_  # densities of all entities at once; the public way is one table a query
    columns = trained.columns.ids(case.likes.items)
    contexts = contexts_of(case, columns)
    if query == "row":
        rows = trained.rows.ids([case.likes.users[user] for user in case.users])
        density = Factors(trained.posterior.u.mean[rows], trained.posterior.u.variance[rows])
    else:
        inferred = (fold_in if query == "fold_in" else average)(trained, contexts)
        density = Factors(inferred.mean, inferred.variance)
    v, bias = trained.posterior.v, trained.posterior.bias
    items = Factors(v.mean[columns], v.variance[columns], bias.mean[columns], bias.variance[columns])
    scores = score_matrix(density, items) + gamma * trained.profile.log_popularity[columns]
    place = np.full(len(case.likes.users), -1)
    place[case.users] = np.arange(len(case.users))
    tests = np.flatnonzero(place[case.masked.test_user] >= 0)
    own = place[case.masked.user[case.out]], case.masked.item[case.out]
    rows_of_tests = place[case.masked.test_user[tests]]
    hit_rate, mpr = hit_rate_and_mpr(percentile_ranks(scores, rows_of_tests, case.masked.test_item[tests], own))
    return {"model": name, "gamma": gamma, "masking": number, "HR@10%": hit_rate, "MPR": mpr, "cases": len(tests)}


def contexts_of(case: Case, columns: np.ndarray) -> ContextArrays:
    """The training items of the users that are left out, by user."""
    pairs = np.flatnonzero(case.out)
    pairs = pairs[np.argsort(case.masked.user[pairs], kind="stable")]
    sizes = np.bincount(case.masked.user[pairs], minlength=len(case.likes.users))[case.users]
    indptr = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    return ContextArrays(indptr, columns[case.masked.item[pairs]], np.ones(len(pairs)))


def report(runs: list[dict[str, Any]]) -> None:
    for name, gamma in dict.fromkeys((run["model"], run["gamma"]) for run in runs):
        some = [run for run in runs if run["model"] == name and run["gamma"] == gamma]
        rates, mprs = np.array([run["HR@10%"] for run in some]), np.array([run["MPR"] for run in some])
        spread = f"(of {len(some)}: {rates.min():.1f}-{rates.max():.1f} / {mprs.min():.1f}-{mprs.max():.1f})"
        print(f"{name}, gamma {gamma}: {rates.mean():.1f} / {mprs.mean():.1f} {spread}", flush=True)


def rate(likes: Likes, masked: Masked, edges: list, chosen: argparse.Namespace) -> dict[str, Any]:
    """Queries per second: fold-in alone, and fold-in with an exact top ten; kernels run on one core."""
    case = Case(likes, masked, np.empty(0, np.int64))
    model = fit_users(case, edges, np.ones(len(masked.user), dtype=bool), 2, 0)
    rng, n = np.random.default_rng(0), 2000
    names = model.trained_.columns.names
    baskets = [[names[i] for i in rng.choice(3000, 50, replace=False)] for _ in range(n)]
    ids = np.concatenate([model.trained_.columns.ids(basket) for basket in baskets])
    contexts = ContextArrays(np.arange(n + 1, dtype=np.int64) * 50, ids, np.ones(len(ids)))
    kernel = best(lambda: fold_in(model.trained_, contexts), chosen.repeats)
    whole = best(lambda: model.recommend(baskets, k=10), chosen.repeats)
    result = {"columns": len(names), "fold_in_per_second": n / kernel, "recommend_per_second": n / whole}
    print(f"{len(names):,} columns, 50 contexts: {n / kernel:,.0f} fold-ins/s, {n / whole:,.0f} recommend()/s")
    return result


def best(work: Any, repeats: int) -> float:
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


if __name__ == "__main__":
    main()
