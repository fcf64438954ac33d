"""Recommendations for many users: users a second on one core, written to a file, and whether memory stays level.

    python benchmarks/batch_users.py --data DIR [--times 20] [--out auto]

MovieLens 1M, a model of a few epochs (the speed does not depend on how well it is trained). All users get their ten
best films of the whole catalogue, without those they have, as `vbn recommend --all-users --out FILE` does it; then
every user so many times over, as a larger shop would have them. Peak memory is that of the process, before and after.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import vbn
from _data import add_data_option, data_folder
from _machine import write_result
from _movielens import movie_taxonomy, read_likes
from vbn.cli.batches import SIZE
from vbn.storage import write_answers


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_data_option(parser)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=3, help="of which the fastest counts")
    parser.add_argument("--times", type=int, default=20, help="how often each user is asked for in the large run")
    parser.add_argument("--out", help="file for the raw output, or 'auto'")
    return parser.parse_args()


def main() -> None:
    chosen = options()
    folder = data_folder(chosen.data, "movies")
    likes = read_likes(folder)
    users = [likes.users[user] for user in likes.user.tolist()]
    items = [likes.items[item] for item in likes.item.tolist()]
    data = vbn.Dataset.from_interactions(users, items).with_taxonomy(movie_taxonomy(folder, likes.items))
    model = vbn.VBN(epochs=chosen.epochs, favour=None, verbose=False).fit(data)
    everybody = list(model.trained_.rows.names)
    with tempfile.TemporaryDirectory() as place:
        runs = [
            measured(model, everybody, Path(place) / f"recs{suffix}", chosen.k, chosen.repeats)
            for suffix in (".parquet", ".csv", ".jsonl")
        ]
        runs.append(measured(model, everybody * chosen.times, Path(place) / "recs.parquet", chosen.k, 1))
    write_result("batch_users", vars(chosen), runs, chosen.out)


def measured(model: vbn.VBN, users: list[str], file: Path, k: int, repeats: int) -> dict[str, Any]:
    """Write the answers for some users, and return the fastest run."""
    before = peak()
    cpu, wall = min(written(model, users, file, k) for _ in range(repeats))
    run = {
        "users": len(users),
        "items": int(model.trained_.profile.candidates("column").sum()),
        "format": file.suffix,
        "cpu_seconds": cpu,
        "wall_seconds": wall,
        "users_per_cpu_second": len(users) / cpu,
        "file_bytes": file.stat().st_size,
        "peak_mb_before": before,
        "peak_mb": peak(),
    }
    print(f"{run['users']:>9,} users, {run['items']:,} items, {file.suffix:<8}", end="  ")
    print(f"{run['users_per_cpu_second']:>8,.0f} users/s of processor time, {wall:.1f} s", end="; ")
    print(f"peak {before:,.0f} -> {run['peak_mb']:,.0f} MB")
    return run


def written(model: vbn.VBN, users: list[str], file: Path, k: int) -> tuple[float, float]:
    """Return the seconds of the processor, and those on the clock: other work on the machine is in the latter."""
    cpu, started = time.process_time(), time.perf_counter()
    batches = model.recommend_all(users, k, batch_size=SIZE)
    write_answers(file, batches, batches.labelled)
    return time.process_time() - cpu, time.perf_counter() - started


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
