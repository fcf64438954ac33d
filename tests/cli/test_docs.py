"""The commands of the documentation's pages, with the files they show, in the order they show them."""

import re
import shlex
from pathlib import Path

from scripts.cli_page import PAGE, updated

DOCS = Path(__file__).parents[2] / "docs"


def test_every_command_of_the_page_works(called, tmp_path):
    assert run_page("cli.md", called, tmp_path) > 20
    (same,), (other,) = (list(tmp_path.glob(f"{name}-model/model-*")) for name in ("same", "other"))
    assert same.name != other.name  # named by what is in them


def test_every_command_of_the_quick_start_works(called, tmp_path):
    assert run_page("index.md", called, tmp_path) > 5


def run_page(page, called, tmp_path):
    """Run the commands of a page; return how many there are."""
    text = (DOCS / page).read_text(encoding="utf-8")
    for name, content in re.findall(r'^```\w+ title="(.+?)"\n(.*?)^```', text, re.DOTALL | re.MULTILINE):
        (tmp_path / name).write_text(content, encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    commands = [line for block in blocks for line in block.splitlines()]
    for command in commands:
        program, *arguments = shlex.split(command)
        assert program == "vbn"
        result = called(*arguments, cwd=tmp_path)
        assert result.returncode == 0, f"{command}\n{result.stderr}"
        assert result.stdout, command
    return len(commands)


def test_the_page_lists_the_verbs_of_the_command_line():
    page = PAGE.read_text(encoding="utf-8")
    assert page == updated(page), "run python scripts/cli_page.py"
    assert "`vbn audience MODEL ITEM`" in page
