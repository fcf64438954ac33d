"""Events a second that `observe` takes on one core, on a model of MovieLens 1M.

    python benchmarks/observe.py [--out auto]

The model is trained on all likes but the last of each user and a random tenth; these are the events, and a tenth of the
users are new. Each run observes them in batches of one size, on a copy of the model. Printed are events a second, the
median time of a batch, and what the events were good for: the rank of each user's last like, of all items that they
have not seen, before and after the other events of that user were observed.
"""

from __future__ import annotations

import argparse
import copy
import os
import time
from typing import Any

import numpy as np

import vbn
from _data import add_data_option, data_folder
from _machine import write_result
from _movielens import movie_taxonomy, read_likes

NEW_USERS, EVENTS = 0.1, 0.1


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_data_option(parser)
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 100, 1000, 10_000], help="events in a batch")
    parser.add_argument("--events", type=int, default=20_000, help="in each run, at most; 200 batches at most")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--out", help="file for the raw output, or 'auto'")
    return parser.parse_args()


def main() -> None:
    given = options()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    folder = data_folder(given.data, "movies")
    likes = read_likes(folder)
    rng = np.random.default_rng(0)
    last = np.zeros(len(likes.user), dtype=bool)
    order = np.lexsort((likes.time, likes.user))
    last[order[np.append(np.flatnonzero(np.diff(likes.user[order])), len(order) - 1)]] = True
    later = ~last & (rng.random(len(last)) < EVENTS)
    later |= ~last & (rng.random(len(likes.users)) < NEW_USERS)[likes.user]
    users, items = np.array(likes.users, dtype=object), np.array(likes.items, dtype=object)
    first = ~(last | later)
    data = vbn.Dataset.from_interactions(users[likes.user[first]], items[likes.item[first]])
    data = data.with_taxonomy(movie_taxonomy(folder, likes.items))
    model = vbn.VBN(epochs=given.epochs, favour=None, verbose=False, n_threads=1).fit(data)
    at = rng.permutation(np.flatnonzero(later))
    events = [pair for pair in zip(users[likes.user[at]], items[likes.item[at]], strict=True) if pair[1] in model]
    copy.copy(model).observe(events[:1])  # compiles
    runs = [measured(model, events, size, given.events) for size in given.batches]
    runs.append(worth(model, events, dict(zip(users[likes.user[last]], items[likes.item[last]], strict=True))))
    for run in runs:
        print(run)
    write_result("observe", vars(given), runs, given.out)


def measured(model: vbn.VBN, events: list[tuple[str, str]], size: int, most: int) -> dict[str, Any]:
    """Observe events in batches of a size."""
    mine = copy.copy(model)
    batches = [events[at : at + size] for at in range(0, min(most, len(events), 200 * size), size)]
    seconds, used = [], time.process_time()
    for batch in batches:
        started = time.perf_counter()
        mine.observe(batch)
        seconds.append(time.perf_counter() - started)
    used = time.process_time() - used
    number = sum(map(len, batches))
    return {
        "batch": size,
        "events": number,
        "events_per_second": round(number / sum(seconds)),
        "events_per_cpu_second": round(number / used),
        "median_batch_ms": round(1e3 * float(np.median(seconds)), 2),
    }


def worth(model: vbn.VBN, events: list[tuple[str, str]], wanted: dict[str, str]) -> dict[str, Any]:
    """Compare the share of better ranked items of the wanted ones before and after."""
    asked = [user for user in dict.fromkeys(user for user, _ in events) if user in model.trained_.rows]
    asked = [user for user in asked if wanted.get(user) in model][:1000]
    after = copy.copy(model).observe(events)
    shares = [percentile(each, asked, wanted) for each in (model, after)]
    return {"users": len(asked), "percentile_before": shares[0], "percentile_after": shares[1]}


def percentile(model: vbn.VBN, users: list[str], wanted: dict[str, str]) -> float:
    """Return the mean percentile rank of what is wanted, 100 if it is always first."""
    found = []
    for user, table in zip(users, model.recommend(user=users, k=len(model.names)), strict=True):
        names = table.entities
        if wanted[user] in names:
            found.append(100.0 * (1.0 - names.index(wanted[user]) / len(names)))
    return float(np.mean(found))


if __name__ == "__main__":
    main()
