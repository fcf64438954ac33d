"""`VBN()` as it is now against the tuned rivals, on the first masking of each seed of the report.

    python benchmarks/no_parameter.py --data DIR [--domains movies music medical] [--seeds 5] [--cache DIR] [--out auto]

The report of `make reproduce` also runs the paper's models and rivals tuned for one end, and takes hours. This is the
part that a change of the defaults makes stale: test pairs of one masking a seed, asked once. Differences come with the
95 % interval of the paired bootstrap by user, as in the report.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from _compared import compared, show
from _data import add_data_option, data_folder
from _machine import write_result
from reproduction.cache import Cache
from reproduction.domains import load_domain
from reproduction.models import BY_KEY, TUNED_RIVALS, models_of
from reproduction.running import Options, Progress
from reproduction.runs import Runner, pooled
from reproduction.winners import settings

DOMAINS = ["movies", "music", "medical"]


def measured(name: str, folder: Path, seeds: int, cache: Path) -> dict[str, Any]:
    """Run `VBN()` and the rivals of one domain; return the figures of each and the differences from ours."""
    domain = load_domain(name, folder)
    rivals = tuple(model for model in models_of(domain) if model.key in TUNED_RIVALS and model.installed)
    ours = BY_KEY["vbn-default"]
    runner = Runner(Cache(cache), Progress(name))
    pool = pooled(domain, "masking", (ours, *rivals), Options(seeds=seeds), runner, settings(name))
    return {"domain": name, **compared(pool, ours, rivals)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_data_option(parser)
    parser.add_argument("--domains", nargs="+", choices=DOMAINS, default=DOMAINS)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--cache", type=Path, help="folder of finished runs, to go on from")
    parser.add_argument("--out", help="file for the raw output, or 'auto'")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        runs = []
        for name in chosen.domains:
            folder = data_folder(chosen.data, name).parent
            runs.append(measured(name, folder, chosen.seeds, chosen.cache or Path(scratch)))
            print(f"{name}: {runs[-1]['cases']:,} cases, {runs[-1]['rare']:,} of them rare")
            show(runs[-1])
    write_result("no_parameter", {**vars(chosen), "cache": None}, runs, chosen.out)


if __name__ == "__main__":
    main()
