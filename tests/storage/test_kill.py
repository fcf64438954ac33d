"""A process that is killed while it saves leaves the old model or the new one, every time."""

import json
import subprocess
import sys

import vbn
from tests.storage.making import bits, fit

KILLS = 220

# One process pays for the imports; each of its children saves until it is killed.
SAVER = """
import json, os, random, signal, sys, time
import vbn

folder, kills = sys.argv[1], int(sys.argv[2])
models = [vbn.load(f"{folder}-{name}") for name in "ab"]
known = [m.trained_.posterior.u.mean.tobytes() for m in models]
models[0].save(folder)
start = time.perf_counter()
models[0].save(folder)
one_save = time.perf_counter() - start
rng, seen, left_behind, last, window = random.Random(0), [0, 0], 0, known[0], 2.5 * one_save
for _ in range(kills):
    child = os.fork()
    if child == 0:
        while True:
            for model in models:
                model.save(folder)
    time.sleep(rng.uniform(0, window))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    found = vbn.load(folder).trained_.posterior.u.mean.tobytes()
    seen[known.index(found)] += 1
    window *= 1.1 if found == last else 0.9  # on a busy machine a save takes longer
    last = found
    left_behind += any(name.endswith(".part") for name in os.listdir(folder))
models[1].save(folder)
print(json.dumps({"seen": seen, "left_behind": left_behind, "files": sorted(os.listdir(folder))}))
"""


def test_killed_savers_never_break_a_model(tmp_path):
    folder = tmp_path / "model"
    fit(0).save(f"{folder}-a")
    fit(1).save(f"{folder}-b")
    run = subprocess.run(
        [sys.executable, "-c", SAVER, str(folder), str(KILLS)], capture_output=True, text=True, timeout=300, check=False
    )
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert sum(found["seen"]) == KILLS
    assert min(found["seen"]) > 0, "kills hit both models"
    assert found["left_behind"] > 0, "some kills hit a file that was being written"
    assert len(found["files"]) == 3, "the next save sweeps what they left"
    assert bits(vbn.load(folder)) == bits(fit(1))


def test_a_killed_first_save_leaves_no_model_and_the_next_one_works(tmp_path):
    code = "import os, sys, vbn; m = vbn.load(sys.argv[1]); os.fsync = lambda _: os.kill(0, 9); m.save(sys.argv[2])"
    folder = tmp_path / "new"
    run = subprocess.run(
        [sys.executable, "-c", code, fit(0).save(tmp_path / "a"), folder], check=False, start_new_session=True
    )
    assert run.returncode == -9
    assert list(folder.iterdir())
    fit(1).save(folder)
    assert len(list(folder.iterdir())) == 3
    assert bits(vbn.load(folder)) == bits(fit(1))
