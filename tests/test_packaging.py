"""What the package needs, and what its documentation says about that."""

import re
import tomllib
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
FOR_DEVELOPERS = ("test", "soak", "docs")


def declared():
    """By name: the lower bound, and the extras."""
    project = tomllib.loads((HOME / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {"always": project["dependencies"], **project["optional-dependencies"]}
    found = {}
    for extra, entries in extras.items():
        if extra in FOR_DEVELOPERS:
            continue
        for entry in entries:
            name, at_least = re.fullmatch(
                r"([\w.-]+)(?:\[[\w,]+\])?(?:>=([\w.]+))?(?:;.*)?", entry.replace("; ", ";")
            ).groups()
            if name != "vbn":
                found.setdefault(name, [at_least, set()])[1].add(extra)
    for extra in re.findall(r"vbn\[([\w,]+)\]", " ".join(extras["reproduce"])):
        for _, users in found.values():
            if extra in users:
                users.add("reproduce")
    return found


def test_every_dependency_is_listed_with_its_bound_and_its_extras():
    page = (HOME / "DEPENDENCIES.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|\n").split("|")] for line in page.splitlines() if line.startswith("|")
    ]
    listed = {
        name: (bound, set(re.findall(r"\w+", users)) - {"not", "on", "Windows"}) for name, bound, _, users in rows[2:]
    }
    assert listed == {name: (bound, users) for name, (bound, users) in declared().items()}


def test_dependencies_have_lower_bounds_and_no_others():
    assert all(bound for bound, _ in declared().values())
