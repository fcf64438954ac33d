"""Build the package and try it as users get it: wheel and sdist, alone and with each extra, in clean environments.

    make package                                    # or: python scripts/package.py [--extras serve plot] [--no-audit]

For each environment: install the wheel, `pip check`, train a small model, save it, ask it, and import what the extra is
for. Then the licences of everything that was installed, a bill of materials (dist/sbom.json, CycloneDX) and, where the
data base can be reached, known vulnerabilities (pip-audit). Ends with an error if anything of this fails; that
pip-audit cannot reach its data base is only told.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
DIST = HOME / "dist"
NOT_FOR_USERS = ("test", "docs", "bench", "soak")
IMPORTS = {
    "tables": "pandas, polars, pyarrow", "plot": "vbn.plot, matplotlib", "sklearn": "vbn.sklearn", "gensim": "gensim",
    "data": "pooch", "baselines": "gensim, implicit", "reproduce": "optuna, matplotlib", "serve": "fastapi, uvicorn",
    "ray": "ray", "hybrids": "lightfm, cmfrec",
}  # fmt: skip
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
    known = [name for name in extras if name not in NOT_FOR_USERS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extras", nargs="*", choices=known, default=known, help="default: all that are for users")
    parser.add_argument("--no-audit", action="store_true", help="leave out licences, bill of materials and pip-audit")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        wheel, sdist = built(Path(place))
        print(f"built {wheel.name} ({wheel.stat().st_size / 2**20:.1f} MiB) and {sdist.name}", flush=True)
        faults = [] if tried(Path(place), "wheel alone", str(wheel), "") else ["wheel alone"]
        faults += [] if tried(Path(place), "sdist alone", str(sdist), "") else ["sdist alone"]
        for extra in chosen.extras:
            if not tried(Path(place), f"wheel[{extra}]", f"{wheel}[{extra}]", IMPORTS[extra]):
                faults.append(f"wheel[{extra}]")
        if not chosen.no_audit:
            faults += audited(Path(place), f"{wheel}[{','.join(name for name in known if name != 'hybrids')}]")
    print(f"faults: {', '.join(faults)}" if faults else "all is well", flush=True)
    return len(faults)


def built(place: Path) -> tuple[Path, Path]:
    """Wheel and sdist; the wheel is built from the sdist, so that the sdist is whole."""
    python = environment(place / "build")
    run(python, "-m", "pip", "install", "--quiet", "build")
    for old in DIST.glob("vbn-*"):
        old.unlink()
    run(python, "-m", "build", "--outdir", str(DIST), str(HOME))
    return next(DIST.glob("*.whl")), next(DIST.glob("*.tar.gz"))


def environment(folder: Path) -> str:
    """A clean environment; its Python."""
    venv.create(folder, with_pip=True)
    return str(folder / ("Scripts" if sys.platform == "win32" else "bin") / "python")


def run(*command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, check=check, capture_output=True, text=True, cwd=tempfile.gettempdir())


def tried(place: Path, title: str, what: str, modules: str) -> bool:
    """Whether it installs, fits together and works."""
    python = environment(place / title.replace(" ", "-"))
    imports = "".join(f"import {module.strip()}\n" for module in modules.split(",") if module)
    steps = (
        (python, "-m", "pip", "install", "--quiet", what), (python, "-m", "pip", "check"),
        (python, "-c", imports + TRY), (python, "-m", "vbn", "--help"), (python, "-m", "vbn", "doctor"),
    )  # fmt: skip
    for step in steps:
        done = run(*step, check=False)
        if done.returncode:
            print(f"{title}: {' '.join(step[1:4])} failed\n{done.stdout[-2000:]}{done.stderr[-2000:]}", flush=True)
            return False
    print(f"{title}: installs and works", flush=True)
    return True


def audited(place: Path, what: str) -> list[str]:
    """Licences, bill of materials and vulnerabilities of all that users can install; what failed."""
    python = environment(place / "audit")
    run(python, "-m", "pip", "install", "--quiet", what)
    licences: dict[str, list[str]] = json.loads(run(python, "-c", LICENCES).stdout)
    for name in sorted(licences, key=str.lower):
        print(f"  {name} {licences[name][0]}: {licences[name][1] or 'not said'}")
    tools = environment(place / "tools")
    run(tools, "-m", "pip", "install", "--quiet", "cyclonedx-bom", "pip-audit")
    made = run(
        tools, "-m", "cyclonedx_py", "environment", python, "--output-file", str(DIST / "sbom.json"), check=False
    )
    print(f"bill of materials: {'dist/sbom.json' if made.returncode == 0 else made.stderr[-500:]}", flush=True)
    frozen = place / "requirements.txt"
    lines = [f"{name}=={version}" for name, (version, _) in licences.items() if name != "vbn"]
    frozen.write_text("\n".join(lines), encoding="utf-8")
    audit = run(tools, "-m", "pip_audit", "--no-deps", "--disable-pip", "-r", str(frozen), check=False)
    reached = "ConnectionError" not in audit.stderr and "Max retries" not in audit.stderr
    print((audit.stdout + audit.stderr)[-3000:] if reached else "pip-audit could not reach its data base", flush=True)
    faults = [] if made.returncode == 0 else ["bill of materials"]
    return faults + (["vulnerabilities"] if reached and audit.returncode else [])


if __name__ == "__main__":
    sys.exit(main())
