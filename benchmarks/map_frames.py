"""How smoothly the explorer's map moves: the time from frame to frame while 100,000 points are dragged and zoomed.

    python benchmarks/map_frames.py [--entities 100000] [--out auto]

Needs Chromium and its driver. It is started without a graphics processor: what draws is the processor itself, so that
this is the slowest machine a user may have.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from _machine import write_result
from _service import make_model, serving

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))
from _chromium import start

MOVING = """
const [frames, done] = arguments;
const map = document.getElementById("map");
const box = map.getBoundingClientRect();
const x = box.left + box.width / 2;
const y = box.top + box.height / 2;
const at = (n) => ({
  clientX: x + 60 * Math.sin(n / 8), clientY: y + 60 * Math.cos(n / 8), bubbles: true, pointerId: 1, buttons: 1,
});
const took = [];
const drawn = [];
let last = null;  // when the frame before began; the first one has none
map.setPointerCapture = () => {};  // there is no real pointer
map.dispatchEvent(new PointerEvent("pointerdown", at(0)));
function step(now) {
  if (last !== null) {
    took.push(now - last);
    drawn.push(Number(map.dataset.drawn));
  }
  last = now;
  const n = took.length;
  map.dispatchEvent(new PointerEvent("pointermove", at(n)));
  const deltaY = n % 40 < 20 ? -20 : 20;
  map.dispatchEvent(new WheelEvent("wheel", { deltaY, clientX: x, clientY: y, bubbles: true, cancelable: true }));
  if (n < frames) requestAnimationFrame(step);
  else {
    map.dispatchEvent(new PointerEvent("pointerup", at(n)));
    done([took, drawn]);
  }
}
requestAnimationFrame(step);
"""


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entities", type=int, default=100_000)
    parser.add_argument("--frames", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", help="file for the raw output, or 'auto'")
    return parser.parse_args()


def main() -> None:
    chosen = options()
    with tempfile.TemporaryDirectory() as place:
        folder = make_model(Path(place), chosen.entities, dim=20)
        with serving(folder) as (url, _):
            browser = start(Path(place) / "profile")
            try:
                browser.set_window_size(1280, 800)
                browser.set_script_timeout(300)
                browser.get(f"{url}/#view=explore")
                _until(browser, f"return document.getElementById('map').dataset.drawn === '{chosen.entities}'")
                runs = [_moved(browser, chosen.frames) for _ in range(chosen.repeats)]
                _until(browser, f"return document.getElementById('map').dataset.drawn === '{chosen.entities}'")
            finally:
                browser.quit()
    write_result("map_frames", vars(chosen), runs, chosen.out)


def _until(browser: Any, script: str) -> None:
    end = time.monotonic() + 120
    while not browser.execute_script(script):
        if time.monotonic() > end:
            raise SystemExit(f"the page did not come to this in two minutes: {script}")
        time.sleep(0.1)


def _moved(browser: Any, frames: int) -> dict[str, Any]:
    took, drawn = browser.execute_async_script(MOVING, frames)
    p50, p95 = np.percentile(took, [50, 95])
    told = f"p50 {p50:.1f} ms, p95 {p95:.1f} ms, longest {max(took):.1f} ms; {drawn[-1]:,} points at last"
    print(told, flush=True)
    return {"p50_ms": p50, "p95_ms": p95, "frames_ms": took, "points_drawn": drawn}


if __name__ == "__main__":
    main()
