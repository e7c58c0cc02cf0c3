"""A page opened in headless Chromium with the network off: what it drew, asked for and complained about."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_ARGUMENTS = ("--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update")
_DRAWN = """() => [...document.querySelectorAll(".figure")].map((place) => ({
    text: place.innerText,
    marks: place.querySelectorAll(".main-svg path, .main-svg text").length,
    nodes: place.querySelectorAll("*").length,
    types: (place._fullData || []).map((trace) => trace.type),
    clipped: [...place.querySelectorAll(".main-svg text")].filter((text) => {
      const box = text.getBoundingClientRect(), frame = place.getBoundingClientRect();
      return box.width > 0 && (box.left < frame.left - 1 || box.right > frame.right + 1
        || box.top < frame.top - 1 || box.bottom > frame.bottom + 1);
    }).map((text) => text.textContent),
}))"""


@contextlib.contextmanager
def launched() -> Iterator[Any]:
    """A browser.

    Skips where there is no Chromium; under CI its absence is a failure.
    """
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        if "CI" in os.environ:
            pytest.fail("no Chromium to open pages with")
        pytest.skip("no Chromium to open pages with")
    from playwright.sync_api import sync_playwright

    arguments = [*_ARGUMENTS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
        yield browser
        browser.close()


def opened(page: Path, width: int = 1200) -> dict[str, Any]:
    """Return the figures as drawn, the requests made, the errors and the width of `page` in a browser."""
    seen: dict[str, Any] = {"requests": [], "errors": []}
    with launched() as browser:
        tab = browser.new_context(offline=True, viewport={"width": width, "height": 900}).new_page()
        tab.on("request", lambda request: seen["requests"].append(request.url))
        tab.on("pageerror", lambda error: seen["errors"].append(str(error)))
        tab.on("console", lambda message: seen["errors"].append(message.text) if message.type == "error" else None)
        tab.goto(page.resolve().as_uri())
        if "<script" in page.read_text("utf-8"):
            tab.wait_for_function("document.documentElement.dataset.drawn !== undefined")
        seen["figures"] = tab.evaluate(_DRAWN)
        seen["width"] = tab.evaluate("document.documentElement.scrollWidth")
        seen["title"] = tab.title()
        tab.set_viewport_size({"width": 400, "height": 800})
        seen["narrow"] = tab.evaluate("document.documentElement.scrollWidth")
    seen["requests"].remove(page.resolve().as_uri())
    return seen
