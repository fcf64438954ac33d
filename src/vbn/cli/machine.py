"""`vbn doctor`: what is installed, on what machine, and whether it works."""

from __future__ import annotations

import os
import platform
import re
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from vbn._cores import available_cores, processor
from vbn._version import __version__
from vbn.cli.app import FAILED, verb
from vbn.cli.shared import AsJson, print_json


@verb("vbn doctor", "vbn doctor --json", "vbn doctor --address head:6379")
def doctor(
    as_json: AsJson = False,
    address: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", envvar="RAY_ADDRESS", help="Report on this Ray cluster too.")
    ] = None,
    self_test: Annotated[bool, typer.Option(help="Train a tiny model twice and compare the bits.")] = True,
) -> None:
    """Show versions, machine, extras and cluster, and run a self-test.

    Send this with a bug report. Exit code 1 if the self-test fails.
    """
    found = examine(self_test=self_test, address=address)
    if as_json:
        print_json(found)
    else:
        for title, facts in found.items():
            typer.echo(title)
            width = max(len(name) for name in facts)
            for name, value in facts.items():
                typer.echo(f"  {name:<{width}}  {value}")
    if self_test and found["self-test"]["result"] != "passed":
        raise typer.Exit(FAILED)


def examine(*, self_test: bool, address: str | None = None) -> dict[str, dict[str, Any]]:
    """Return facts by title, fit for JSON."""
    parts = {"versions": _versions, "machine": _machine, "threads": _threads, "numba": _numba, "extras": _extras}
    found = {title: part() for title, part in parts.items()}
    if address is not None:
        from vbn.engines import report

        found["cluster"] = report(address)
    if self_test:
        found["self-test"] = _self_test()
    return found


def _versions() -> dict[str, Any]:
    base = [name for name, extra in _requirements() if extra is None]
    return {"vbn": __version__, "python": sys.version.split()[0], **{name: _installed(name) for name in base}}


def _requirements() -> list[tuple[str, str | None]]:
    """Return what the distribution requires: (package, the extra that it belongs to)."""
    from importlib.metadata import requires

    found: list[tuple[str, str | None]] = []
    for line in requires("vbn") or ():
        needed, _, marker = line.partition(";")
        name = re.split(r"[\[><=]", needed)[0].strip()
        extra = marker.partition("extra ==")[2].strip().strip("'\"") or None
        found.append((name, extra))
    return found


def _installed(name: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _extras() -> dict[str, Any]:
    """Return, for each extra that users may want, the versions found or the line that installs it."""
    wanted: dict[str, list[str]] = {}
    for name, extra in _requirements():
        if extra is not None and extra not in ("test", "docs") and name != "vbn":
            wanted.setdefault(extra, []).append(name)
    told = {}
    for extra, names in wanted.items():
        found = {name: _installed(name) for name in names}
        there = ", ".join(f"{name} {number}" for name, number in found.items() if number)
        missing = ", ".join(name for name, number in found.items() if not number)
        hint = f"no {missing}: pip install 'vbn[{extra}]'" if missing else ""
        told[extra] = "; ".join(filter(None, (there, hint)))
    return told


def _machine() -> dict[str, Any]:
    return {
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": processor() or "unknown",
        "cores": os.cpu_count(),
        "memory": _gigabytes("SC_PHYS_PAGES"),
        "memory free": _gigabytes("SC_AVPHYS_PAGES"),
    }


def _gigabytes(pages: str) -> str:
    try:
        return f"{os.sysconf(pages) * os.sysconf('SC_PAGE_SIZE') / 2**30:.1f} GiB"
    except (AttributeError, ValueError, OSError):  # no such figure on this system
        return "unknown"


def _threads() -> dict[str, Any]:
    settings = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    return {
        "cores that may be used": available_cores(),
        "BLAS": _blas(),
        **{s: os.environ[s] for s in settings if s in os.environ},
    }


def _blas() -> str:
    import numpy as np

    built: Any = np.show_config(mode="dicts")
    entry = built.get("Build Dependencies", {}).get("blas", {})
    name = f"{entry.get('name', 'unknown')} {entry.get('version', '')}".strip()
    try:
        from threadpoolctl import threadpool_info  # type: ignore[import-untyped]
    except ImportError:
        return name
    pools = {f"{pool['internal_api']}: {pool['num_threads']} threads" for pool in threadpool_info()}
    return f"{name} ({', '.join(sorted(pools))})" if pools else name


def _numba() -> dict[str, Any]:
    import numba
    from llvmlite import binding

    import vbn.kernels

    home = Path(vbn.kernels.__file__).parent
    given = getattr(numba.config, "CACHE_DIR", "")  # it sets its attributes when it starts
    cache = Path(given) if given else home / "__pycache__"
    features = binding.get_host_cpu_features()
    known = ("sse4.2", "avx", "avx2", "fma", "avx512f", "neon", "sve")
    return {
        "processor": binding.get_host_cpu_name(),
        "features": ", ".join(name for name in known if features.get(name)) or "none of those looked for",
        "cache": str(cache),
        "cache writable": _writable(cache),
    }


def _writable(folder: Path) -> str:
    import tempfile

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return "yes"
    except OSError as error:
        return f"no ({error.strerror}): every start compiles again; set NUMBA_CACHE_DIR to a writable folder"


def _self_test() -> dict[str, Any]:
    """Compare two tiny fits with the same seed, on one thread and on two: they must give the same bits."""
    from vbn.data import Dataset
    from vbn.estimators import VBN, announced

    names = [f"n{i}" for i in range(30)]
    data = Dataset.from_pairs(names * 3, names[1:] + names[:1] + names[7:] + names[:7] + names[13:] + names[:13])
    data = data.with_taxonomy({name: [f"c{i % 4}"] for i, name in enumerate(names)})
    started = time.perf_counter()
    with announced("two tiny fits (once after an install their kernels are compiled: ten seconds)", verbose=True):
        first, second = (VBN(dim=8, epochs=3, n_threads=n, verbose=False).fit(data) for n in (1, 2))
    same = all(first.posterior(n).mean.tobytes() == second.posterior(n).mean.tobytes() for n in names)
    result = "passed" if same else "FAILED: two fits with the same seed differ; please report it"
    return {"result": result, "seconds, compilation included": round(time.perf_counter() - started, 2)}
