"""The image and the compose file: read here, built only where an engine runs."""

import json
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]


def instructions():
    """The Dockerfile as (instruction, arguments), without comments, with continued lines joined."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    return [(name.upper(), rest) for name, _, rest in (line.partition(" ") for line in joined.splitlines())]


def of(name):
    return [rest for found, rest in instructions() if found == name]


@pytest.fixture
def services():
    return yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]


def test_every_instruction_is_one():
    known = "FROM RUN WORKDIR COPY USER ENV VOLUME EXPOSE HEALTHCHECK ENTRYPOINT CMD"
    assert {name for name, _ in instructions()} <= set(known.split())
    assert instructions()[0][0] == "FROM"


def test_the_image_is_slim_and_of_a_python_that_is_supported():
    (base,) = of("FROM")
    version = re.fullmatch(r"python:3\.(\d+)-slim", base)
    least = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["requires-python"]
    assert int(version.group(1)) >= int(least.removeprefix(">=3."))


def test_nothing_runs_as_root():
    names = [name for name, _ in instructions()]
    (user,) = of("USER")
    assert user not in ("root", "0")
    assert f"--uid 10001 {user}" in of("RUN")[0]
    last = len(names) - 1 - names[::-1].index("USER")
    assert last < names.index("HEALTHCHECK") < names.index("CMD")


def test_kernels_are_compiled_into_a_folder_of_the_user():
    names = [name for name, _ in instructions()]
    assert "NUMBA_CACHE_DIR=/home/vbn/kernels" in of("ENV")[0]
    assert "vbn demo" in of("RUN")[-1]
    compiled = len(names) - 1 - names[::-1].index("RUN")
    assert names.index("USER") < names.index("ENV") < compiled  # else the user could not use what root compiled


def test_the_image_asks_itself_whether_it_is_ready():
    (check,) = of("HEALTHCHECK")
    code = json.loads(check.partition("CMD ")[2])[-1]
    compile(code, "HEALTHCHECK", "exec")
    assert "/api/v1/ready" in code


def test_the_commands_are_those_of_the_library(services):
    from typer.main import get_command

    import vbn.cli.manage
    from vbn.cli.app import app

    assert vbn.cli.manage.serve
    serve = get_command(app).commands["serve"]
    (given,) = of("CMD")
    verb, *arguments = yaml.safe_load(given)
    assert verb == "serve"
    context = serve.make_context("serve", arguments, resilient_parsing=True)
    assert (context.params["host"], context.params["port"], context.params["workers"]) == ("0.0.0.0", 8000, 2)
    assert services["nightly"]["command"][:2] == ["update", "/model"]


def test_what_is_copied_is_there_and_not_ignored():
    kept = [line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] == "!"]
    for copied in of("COPY"):
        *sources, _ = shlex.split(copied)
        assert all((ROOT / source).exists() and source in kept for source in sources)


def test_the_service_only_reads_its_model_and_has_no_powers(services):
    service, nightly = services["service"], services["nightly"]
    assert "./model:/model:ro" in service["volumes"]
    assert "./incoming:/incoming:ro" in nightly["volumes"]
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
    assert service["environment"]["VBN_TOKEN"].startswith("${VBN_TOKEN:?")
    assert "restart" in service
    for one in (service, nightly):
        assert one["cap_drop"] == ["ALL"]
        assert one["security_opt"] == ["no-new-privileges:true"]
        assert not one.get("privileged")
        assert "user" not in one  # that of the image


def _engine():
    if shutil.which("docker") is None:
        return False
    return subprocess.run(["docker", "info"], capture_output=True, timeout=60, check=False).returncode == 0


@pytest.mark.skipif(not _engine(), reason="no engine of docker runs here")
def test_the_image_can_be_built_and_knows_the_command():
    subprocess.run(["docker", "build", "--tag", "vbn-test", str(ROOT)], check=True, timeout=1800)
    told = subprocess.run(
        ["docker", "run", "--rm", "vbn-test", "--version"], capture_output=True, check=True, timeout=300
    )
    assert told.stdout
    who = ["docker", "run", "--rm", "--entrypoint", "id", "vbn-test", "-u"]
    assert subprocess.run(who, capture_output=True, text=True, check=True, timeout=300).stdout.strip() == "10001"
