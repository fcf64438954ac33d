"""Servers that really run: in a notebook, and from the command line until they are told to stop."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

import vbn

pytest.importorskip("uvicorn")


def asked(url):
    with urllib.request.urlopen(url, timeout=20) as answer:
        return answer.status, answer.read()


def test_a_notebook_shows_the_explorer_in_a_frame(goods):
    explorer = goods.explore(height=500)
    try:
        status, body = asked(f"{explorer.url}/api/v1/health")
        assert (status, json.loads(body)["status"]) == (200, "ok")
        assert b"vbn explorer" in asked(explorer.url)[1]
        assert f'src="{explorer.url}/#token={explorer.token}"' in explorer._repr_html_()
        with pytest.raises(urllib.error.HTTPError, match="401"):
            asked(f"{explorer.url}/api/v1/similar?entity=tea")
        given = {"authorization": f"Bearer {explorer.token}"}
        assert asked(urllib.request.Request(f"{explorer.url}/api/v1/similar?entity=tea", headers=given))[0] == 200
        assert 'height="500"' in explorer._repr_html_()
    finally:
        explorer.stop()
    with pytest.raises(urllib.error.URLError):
        asked(f"{explorer.url}/api/v1/health")


@pytest.mark.parametrize("height", [0, "tall", True, 99.5])
def test_frames_have_a_height(goods, height):
    with pytest.raises(vbn.ParameterError, match="height"):
        goods.explore(height=height)


def test_the_command_serves_until_it_is_told_to_stop(goods, tmp_path):
    folder = goods.save(tmp_path / "my model")
    command = [sys.executable, "-m", "vbn", "serve", str(folder), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "VBN_TOKEN": ""}) as server:
        try:
            line = server.stderr.readline()
            url = re.search(r"http://\S+", line).group()
            assert asked(f"{url}/api/v1/similar?entity=tea&k=2")[0] == 200
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(timeout=20)
    assert server.returncode in (0, 130, -2)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--host", "0.0.0.0"], "token"),
        (["--token", "short"], "8 characters"),
        (["--port", "99999"], "65535"),
        (["--allow-host", "http://box.lan"], "not a host"),
    ],
)
def test_wrong_ways_to_serve_are_refused(goods, tmp_path, arguments, told):
    folder = goods.save(tmp_path / "m")
    command = [sys.executable, "-m", "vbn", "serve", str(folder), *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, env={**os.environ, "VBN_TOKEN": ""}
    )
    assert done.returncode != 0
    assert told in done.stderr
    assert "Traceback" not in done.stderr
