"""The explorer as somebody uses it: by mouse, by keyboard, by link."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.common.by import By

PATIENCE = 60.0  # seconds; compiled code may have to be loaded first, on a machine that has other things to do
WIDE, PHONE = (1280, 800), (390, 800)


class Page:
    """A tab of the browser.

    Parameters
    ----------
    driver
        The browser.
    base
        Address of the server.
    """

    def __init__(self, driver: Any, base: str) -> None:
        self.driver, self.base = driver, base
        self.forgiven: list[str] = []  # console messages that belong to what a test does, by a part of them
        self.resize(*WIDE)
        self.media("light")
        driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": base, "storageTypes": "all"})
        driver.get_log("browser")

    def resize(self, width: int, height: int, *, phone: bool = False) -> None:
        """Another window, or the screen of a phone."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def media(self, scheme: str) -> None:
        """What the system prefers, light or dark; without animations, which tests would have to wait for."""
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def open(self, view: str = "", **state: Any) -> Page:
        """Follow a link from elsewhere, and wait until all of it is shown."""
        self.driver.get("about:blank")
        fragment = urlencode({**({"view": view} if view else {}), **state}, doseq=True)
        self.driver.get(f"{self.base}/#{fragment}")
        return self.settled()

    def settled(self) -> Page:
        """Wait until map and answers are there."""
        done = (
            "return !!document.querySelector('#map[data-places]') && !document.querySelector('.waiting')"
            " && document.getElementById('panel').childElementCount > 0"
        )
        self.until(lambda: self.script(done), "map and answers are shown")
        return self

    def map_told(self) -> Page:
        """Wait until the map rests and the address says where."""
        self.until(lambda: self.script("return document.getElementById('map').dataset.told === 'yes'"), "the map rests")
        return self

    def until(self, predicate: Callable[[], Any], told: str) -> Any:
        """Wait for something, and say what it was if it does not come."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                found = predicate()
            except StaleElementReferenceException:  # drawn again in between: look again
                found = None
            if found:
                return found
            if time.monotonic() > end:
                raise AssertionError(f"waited {PATIENCE:.0f} s until {told}; the panel shows: {self.shown()!r}")
            time.sleep(0.03)

    def shown(self) -> str:
        """The text of the panel."""
        return str(self.script("return document.getElementById('panel')?.innerText ?? ''"))

    def one(self, selector: str, text: str | None = None) -> Any:
        """The first element that can be seen, perhaps the one with a certain text."""

        def found() -> Any:
            return next(
                (e for e in self.all(selector) if e.is_displayed() and (text is None or e.text.strip() == text)), None
            )

        return self.until(found, f"{selector} {text or ''} can be seen")

    def all(self, selector: str) -> list[Any]:
        """All elements, at this moment."""
        found: list[Any] = self.driver.find_elements(By.CSS_SELECTOR, selector)
        return found

    def texts(self, selector: str) -> list[str]:
        """Their texts, as they stand in the document."""
        script = "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)"
        found: list[str] = self.script(script, selector)
        return found

    def field(self, label: str) -> Any:
        """The box with a label."""
        return self.one(f"#{self.one('label', label).get_attribute('for')}")

    def block(self, title: str) -> str:
        """A selector of a part of a card, by its title."""
        script = (
            "const found = [...document.querySelectorAll('.block')].find((e) => e.querySelector('h3').textContent"
            " === arguments[0]); if (found) found.dataset.test = arguments[0]; return !!found"
        )
        self.until(lambda: self.script(script, title), f"there is a part {title!r}")
        return f".block[data-test='{title}']"

    def ranked(self, within: str) -> list[str]:
        """The names of a ranked list."""
        return self.texts(f"{within} ol.ranked li > a")

    def script(self, code: str, *given: Any) -> Any:
        """Run JavaScript on the page."""
        return self.driver.execute_script(code, *given)

    def press(self, *keys: str) -> None:
        """Keys, one after the other, to whatever has the focus."""
        for key in keys:
            ActionChains(self.driver, duration=0).send_keys(key).perform()

    def tab_to(self, wanted: Callable[[Any], bool], told: str) -> Any:
        """Press the tab key until something has the focus."""
        for _ in range(80):
            self.press(Keys.TAB)
            focus = self.driver.switch_to.active_element
            if wanted(focus):
                return focus
        raise AssertionError(f"the tab key does not lead to {told}")

    def choose(self, label: str, typed: str, name: str) -> None:
        """Type into a box, and take a name from what it offers."""
        box = self.field(label)
        box.click()
        box.send_keys(typed)
        self.until(lambda: self.option(name).click() is None, f"{name!r} is taken from what the box offers")
        self.settled()

    def option(self, name: str) -> Any:
        """What a box offers."""
        script = (
            "return [...document.querySelectorAll('[role=listbox]:not([hidden]) [role=option]')]"
            ".find((e) => e.firstElementChild?.textContent === arguments[0])"
        )
        return self.until(lambda: self.script(script, name), f"{name!r} is offered")

    @property
    def address(self) -> dict[str, list[str]]:
        """What the address bar says."""
        return parse_qs(urlsplit(self.driver.current_url).fragment)

    def errors(self) -> list[str]:
        """What the console complains about and no test has asked for."""
        told: Iterable[dict[str, Any]] = self.driver.get_log("browser")
        found = [one["message"] for one in told if one["level"] == "SEVERE"]
        return [message for message in found if not any(part in message for part in self.forgiven)]
