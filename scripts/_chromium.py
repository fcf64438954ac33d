"""Debian's Chromium without a window: for the screenshots, and for the browser tests."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

_SWITCHES = (
    "--headless=new",
    "--no-sandbox",  # the sandbox needs rights that containers lack; only our own pages are opened
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
)
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def programs() -> tuple[str, str] | None:
    """Where Chromium and its driver are; None where one of them is not installed."""
    browser = next((path for name in _BROWSERS if (path := shutil.which(name))), None)
    driver = shutil.which("chromedriver")
    return None if browser is None or driver is None else (browser, driver)


def start(profile: Path, *switches: str) -> Any:
    """A browser with a fresh profile in a folder, whose console can be read; `quit` ends it."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    found = programs()
    if found is None:
        raise SystemExit("needs Chromium and its driver: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = found[0]
    for switch in (*_SWITCHES, f"--user-data-dir={profile}", *switches):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(executable_path=found[1]))
