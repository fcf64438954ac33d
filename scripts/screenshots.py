"""Make the pictures of docs/service.md: the explorer over the demo's model, in Chromium.

    vbn demo
    python scripts/screenshots.py [vbn-demo-model]

Needs pip install 'vbn[serve]' selenium, and apt-get install chromium chromium-driver. The first time it waits until the
map is laid out, a minute or so.
"""

from __future__ import annotations

import base64
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from PIL import Image

from _chromium import start

OUT = Path(__file__).parent.parent / "docs" / "images"
WIDE, PHONE = (1280, 800), (390, 800)
COMMON, OTHERS = 96, 160  # colours of a picture: the most frequent as they are, the others from all of the map
PICTURES = {
    "start": ("light", WIDE, ""),
    "map": ("dark", WIDE, "view=taxonomy&colour=uncertainty&map=-0.3_0.2_4"),
    "card": ("light", WIDE, "view=explore&entity=brie"),
    "compare": ("dark", WIDE, "view=compare&entity=gouda&other=cheddar"),
    "what-if": ("light", WIDE, "view=what-if&name=kashkaval&parent=cheese&context=salty&context=sheep"),
    "recommend": ("dark", WIDE, "view=recommend&has=cheese&has=bread&has=butter"),
    "phone": ("light", PHONE, "view=explore&entity=chaffinch"),
}
SHOWN = "return !!document.querySelector('#map[data-places]') && !document.querySelector('.waiting, #panel:empty')"


def main() -> None:
    folder = sys.argv[1] if len(sys.argv) > 1 else "vbn-demo-model"
    command = [sys.executable, "-m", "vbn", "serve", folder, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "VBN_TOKEN": ""}) as server:
        assert server.stderr is not None
        told = server.stderr.readline()
        try:
            found = re.search(r"http://\S+", told)
            if found is None:
                raise SystemExit(f"the server did not start: {told}")
            wait(lambda: asked(f"{found.group()}/api/v1/map/about")["final"], "the map is laid out")
            with tempfile.TemporaryDirectory() as profile:
                browser = start(Path(profile))
                try:
                    for name, picture in PICTURES.items():
                        take(browser, found.group(), name, *picture)
                finally:
                    browser.quit()
        finally:
            server.send_signal(signal.SIGINT)
            server.communicate(timeout=30)


def asked(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=60) as answer:
        return json.load(answer)


def wait(done: Any, told: str) -> None:
    end = time.monotonic() + 900
    while not done():
        if time.monotonic() > end:
            raise SystemExit(f"waited in vain until {told}")
        time.sleep(0.2)


def take(browser: Any, url: str, name: str, scheme: str, size: tuple[int, int], state: str) -> None:
    metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == PHONE}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.get("about:blank")
    browser.get(f"{url}/#{state}")
    wait(lambda: browser.execute_script(SHOWN), f"{state} is shown")
    if name == "map":
        browser.execute_script("document.getElementById('legend').open = true")
    time.sleep(2.0)  # words and marks on the map, which are drawn after the answers
    shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
    image = Image.open(io.BytesIO(base64.b64decode(shot))).convert("RGB")
    path = OUT / f"explorer-{name}.png"
    few_colours(image).save(path, optimize=True)
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


def few_colours(image: Image.Image) -> Image.Image:
    """Return a picture with a palette, which has less than half of the bytes."""
    counted = sorted(image.getcolors(image.width * image.height) or [], reverse=True)
    common = [part for _, colour in counted[:COMMON] for part in colour]  # type: ignore[union-attr]
    others = image.quantize(OTHERS, Image.Quantize.MAXCOVERAGE).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([*common, *others[: 3 * OTHERS]])
    return image.quantize(palette=palette, dither=Image.Dither.NONE)


if __name__ == "__main__":
    main()
