"""Run the command line as a process of its own."""

import os
import signal
import subprocess
import sys

COMMAND = [sys.executable, "-m", "vbn"]


def run(*arguments, cwd=None, env=None, **options):
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        cwd=cwd,
        check=False,
        timeout=300,
        env=None if env is None else os.environ | env,
        **options,
    )


def start(*arguments, cwd=None):
    """A process that Ctrl-C reaches, even where the tests themselves run in the background."""
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        cwd=cwd,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def interrupt_in_first_training(process):
    """Press Ctrl-C as soon as an epoch has passed; what came on standard output and standard error."""
    seen = ""
    for line in process.stderr:
        seen += line
        if line.startswith("epoch"):
            process.send_signal(signal.SIGINT)
            break
    out, rest = process.communicate(timeout=120)
    return out, seen + rest
