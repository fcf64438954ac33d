"""The requests of the documentation's page, as written, to the demo's words."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("uvicorn")
PAGE = Path(__file__).parents[2] / "docs" / "service.md"


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl is installed")
def test_every_request_of_the_page_is_answered(words_url):
    (block,) = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    commands = block.splitlines()
    assert len(commands) > 5
    for command in commands:
        asked = command.replace("http://127.0.0.1:8000", words_url).replace("curl ", "curl --silent --fail-with-body ")
        done = subprocess.run(asked, shell=True, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, f"{command}\n{done.stdout}"
        assert json.loads(done.stdout), command
