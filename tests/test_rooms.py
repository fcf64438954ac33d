"""Rooms import from each other by their front doors: `from vbn.data import Counts`, never from a module inside.

Kernels are the exception: they are imported from their modules, inside functions, because those need numba.
"""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "vbn"
ROOMS = sorted(path.parent.name for path in SOURCE.glob("*/__init__.py"))
FILES = sorted(SOURCE.rglob("*.py"))


def imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("vbn."):
            yield node.lineno, node.module.split("."), [alias.name for alias in node.names]


@pytest.mark.parametrize("room", ROOMS)
def test_other_rooms_come_in_by_the_front_door(room):
    outside = [path for path in FILES if path.relative_to(SOURCE).parts[0] != room]
    found = [
        f"{path.relative_to(SOURCE)}:{line} {'.'.join(module)}"
        for path in outside
        for line, module, _ in imports(path)
        if module[1] == room and len(module) > 2
    ]
    assert room == "kernels" or not found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_private_name_crosses_rooms(path):
    own = path.relative_to(SOURCE).parts[0]
    for line, module, names in imports(path):
        if module[1] not in (own, own.removesuffix(".py")) and not module[1].startswith("_"):
            private = [name for name in [*module[2:], *names] if name.startswith("_") and not name.startswith("__")]
            assert not private, f"line {line}: {'.'.join(module)} {private}"


def test_what_a_room_lists_is_there():
    import importlib

    for room in ROOMS:
        module = importlib.import_module(f"vbn.{room}")
        absent = [name for name in getattr(module, "__all__", ()) if not hasattr(module, name)]
        assert not absent, room
