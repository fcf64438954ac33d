"""A folder that is cut, overwritten and removed while its model is served."""

import os
import re
import shutil
import signal
import subprocess
import sys
import threading

import pytest

import vbn

pytest.importorskip("uvicorn")
from tests.serve.running import until
from tests.serve.test_reloading import ask_on


def cut(folder):
    for file in folder.iterdir():
        os.truncate(file, 0)


def scribble(folder):
    """Write in place, as `rsync --inplace` does."""
    for file in folder.iterdir():
        with file.open("r+b") as stream:
            stream.write(b"\xff" * file.stat().st_size)


def remove(folder):
    """As often as needed: the server may keep a layout in the folder at this moment."""
    until(lambda: shutil.rmtree(folder, ignore_errors=True) or not folder.exists(), "the folder is gone")


COMMANDS = [
    "cp -r '{other}/.' '{folder}'",
    "truncate -s 100 '{folder}'/*",
    *(["rsync -a --inplace --checksum --delete '{other}/' '{folder}/'"] if shutil.which("rsync") else []),
    "rm -rf '{folder}'",
]


def shell(command, other):
    def attack(folder):
        told = command.format(folder=folder, other=other)
        until(lambda: subprocess.run(told, shell=True, check=False).returncode == 0, f"{told} is done")

    return attack


@pytest.mark.skipif(os.name != "posix", reason="open files cannot be cut or removed here")
def test_no_copy_over_the_folder_ends_the_server(goods, tmp_path):
    folder, other = goods.save(tmp_path / "m"), goods.save(tmp_path / "other")
    vbn.load(other).add("mead", ["drink"]).save(other)
    attacks = [
        cut,
        lambda folder: shutil.copytree(other, folder, dirs_exist_ok=True),
        scribble,
        lambda folder: shutil.copytree(other, folder, dirs_exist_ok=True),
        remove,
        lambda folder: shutil.copytree(other, folder),
        cut,
        *(shell(command, other) for command in COMMANDS),
    ]
    command = [sys.executable, "-m", "vbn", "serve", str(folder), "--port", "0", "--watch", "0.02"]
    ended, statuses, failures = threading.Event(), [], []
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "VBN_TOKEN": ""}) as server:
        url = re.search(r"http://\S+", server.stderr.readline()).group()
        clients = [threading.Thread(target=ask_on, args=(url, ended, statuses, failures)) for _ in range(2)]
        for client in clients:
            client.start()
        try:
            for attack in [None, *attacks]:
                if attack is not None:
                    attack(folder)
                asked = len(statuses)
                until(lambda n=asked: failures or len(statuses) > n + 30, "it was asked")
            alive = server.poll() is None
        finally:
            ended.set()
            for client in clients:
                client.join()
            server.send_signal(signal.SIGINT)
            server.communicate(timeout=20)
    assert failures == []
    assert {status for status, _ in statuses} == {200}
    assert alive


def test_a_model_in_memory_does_not_depend_on_its_files(goods, tmp_path):
    folder = goods.save(tmp_path / "m")
    model = vbn.load(folder, mapped=False)
    scribble(folder)
    assert model.posterior("tea").mean.tolist() == goods.posterior("tea").mean.tolist()
    with pytest.raises(vbn.ModelFileError):
        vbn.load(folder, mapped=False)
