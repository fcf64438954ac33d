"""The commands of the documentation's page, with the files it shows, in the order it shows them."""

import re
import shlex
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def test_every_command_of_the_page_works(called, tmp_path):
    text = PAGE.read_text(encoding="utf-8")
    for name, content in re.findall(r'^```\w+ title="(.+?)"\n(.*?)^```', text, re.DOTALL | re.MULTILINE):
        (tmp_path / name).write_text(content, encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    commands = [line for block in blocks for line in block.splitlines()]
    assert len(commands) > 20
    for command in commands:
        program, *arguments = shlex.split(command)
        assert program == "vbn"
        result = called(*arguments, cwd=tmp_path)
        assert result.returncode == 0, f"{command}\n{result.stderr}"
        assert result.stdout, command
    (same,), (other,) = (list(tmp_path.glob(f"{name}-model/model-*")) for name in ("same", "other"))
    assert same.name != other.name  # named by what is in them
