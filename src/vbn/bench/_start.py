"""The row about starting: import, help, and the first fit with and without compiled kernels."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time

from vbn.bench._child import in_child
from vbn.bench._row import Figure, Outcome, Setting

_FIT = """
import time
import vbn
data = vbn.Dataset.from_pairs(["a", "b", "c", "d"] * 5, ["x", "y", "x", "y"] * 5)
started = time.perf_counter()
vbn.VBN(dim=4, epochs=2, verbose=False).fit(data)
facts = {"fit": time.perf_counter() - started}
"""


def start(setting: Setting) -> Outcome:
    """Seconds of `import vbn`, of `vbn --help`, and of a first small fit: compiling, and with compiled kernels."""
    imports = [_import() for _ in range(setting.repeats)]
    helps = [_help() for _ in range(setting.repeats)]
    with tempfile.TemporaryDirectory() as folder:
        cache = {"NUMBA_CACHE_DIR": folder}
        first = in_child(_FIT, cache)["facts"]["fit"]
        warm = [in_child(_FIT, cache)["facts"]["fit"] for _ in range(setting.repeats)]
    figures = (
        Figure("import", min(imports), 0.3, at_least=False),
        Figure("--help", min(helps), 0.4, at_least=False),
        Figure("first fit", first, 25.0, at_least=False),
        Figure("warm fit", min(warm), 1.5, at_least=False),
    )
    return Outcome(figures, {"import": imports, "help": helps, "first fit": first, "warm fit": warm})


def _import() -> float:
    """Seconds of the import alone, without those that it takes to start Python."""
    code = "import time; started = time.perf_counter(); import vbn; print(time.perf_counter() - started)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    return float(done.stdout)


def _help() -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "vbn", "--help"], capture_output=True, check=True)
    return time.perf_counter() - started
