"""A notebook served by JupyterLab or by Voila, and opened in headless Chromium without a way to any other host."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from browser import launched

_TOKEN = "test"
_PATIENCE = 180
"""How long a step may take on a busy machine. [s]"""

_SHOWN = """() => [...document.querySelectorAll(".js-plotly-plot")].map((figure) => ({
    traces: figure._fullData.map((trace) => ({type: trace.type, name: trace.name})),
    drawn: figure.querySelectorAll(".main-svg path").length,
    height: figure.getBoundingClientRect().height,
    limits: (figure._fullLayout.shapes || []).filter((shape) => shape.x0 === shape.x1 || shape.y0 > 1)
      .map((shape) => Number((shape.x0 === shape.x1 ? shape.x0 : shape.y0).toPrecision(6))),
}))"""


class Tab:
    """A page with a panel of widgets on it.

    Attributes
    ----------
    page : playwright.sync_api.Page
        For what is asked for only once.
    blocked : list of str
        What the page asked other hosts for; it got nothing.
    errors : list of str
        What went wrong in its scripts.
    """

    def __init__(self, page: Any) -> None:
        self.page = page
        self.blocked: list[str] = []
        self.errors: list[str] = []
        page.set_default_timeout(_PATIENCE * 1000)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.route(re.compile(r"^(?!http://127\.0\.0\.1|data:|blob:)"), self._block)

    def _block(self, route: Any) -> None:
        self.blocked.append(route.request.url)
        route.abort()

    def choose(self, label: str, option: str) -> None:
        """Choose the first that begins with `option` from the list of this label."""
        lists = self.page.locator(".widget-dropdown", has=self.page.locator(f"label:text-is('{label}')"))
        first = lists.locator("option", has_text=re.compile(f"^{re.escape(option)}")).first
        first.wait_for(state="attached")
        lists.locator("select").select_option(label=first.inner_text())

    def limit(self, limit: int) -> None:
        """Type a limit into the field beside the slider, and wait until all views have followed."""
        field = self.page.locator(".widget-readout").first
        field.fill(str(limit))
        field.press("Enter")
        self.until(f"statements reach {limit} us")  # the last of the views
        self.page.wait_for_function(
            f"(limit) => ({_SHOWN})().every((one) => one.limits.every((at) => at === limit))", arg=limit
        )

    def figures(self) -> list[dict[str, Any]]:
        """Return what the figures show: their traces, marks, height and where a limit is drawn."""
        found: list[dict[str, Any]] = self.page.evaluate(_SHOWN)
        return found

    def table(self, heading: str) -> list[dict[str, str]]:
        """Return the table below a heading: a row for each line, by column."""
        cells: list[list[str]] = self.page.evaluate(
            """(heading) => {
                const all = [...document.querySelectorAll("h3, table.rtlat")];
                const place = all.findIndex((one) => one.innerText === heading);
                const table = all.slice(place + 1).find((one) => one.tagName === "TABLE");
                return [...table.rows].map((row) => [...row.cells].map((cell) => cell.childNodes[0].textContent));
            }""",
            heading,
        )
        head, *rows = cells
        return [dict(zip(head, row, strict=True)) for row in rows if len(row) == len(head)]

    def until(self, text: str) -> None:
        """Wait until a text stands on the page."""
        self.page.get_by_text(text).first.wait_for()

    def until_drawn(self) -> None:
        """Wait until there are four figures."""
        self.page.wait_for_function("() => document.querySelectorAll('.js-plotly-plot .main-svg').length >= 8")


@contextlib.contextmanager
def served(folder: Path, *command: str) -> Iterator[int]:
    """Run a server of notebooks that reads nobody's settings, and yield its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {name: str(folder / ".own" / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")}
    own |= {f"JUPYTERLAB_{name}_DIR": str(folder / ".own" / name) for name in ("SETTINGS", "WORKSPACES")}
    own |= {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    process = subprocess.Popen(
        [sys.executable, "-m", *command, "--no-browser", f"--port={port}"],
        cwd=folder,
        env=os.environ | own,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(lambda: _answers(port, process), time.sleep)
        yield port
    finally:
        process.terminate()
        process.wait(30)


def _answers(port: int, process: subprocess.Popen[bytes]) -> bool:
    assert process.poll() is None, "the server ended"
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def _wait(condition: Callable[[], bool], pause: Callable[[float], None]) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + _PATIENCE
    while not condition():
        assert time.monotonic() < end, "waited too long"
        pause(0.2)


@contextlib.contextmanager
def in_jupyterlab(notebook: Path) -> Iterator[Tab]:
    """Open a notebook in JupyterLab and run all of it."""
    folder = notebook.parent
    root = ["--allow-root"] if os.geteuid() == 0 else []
    options = [f"--IdentityProvider.token={_TOKEN}", f"--notebook-dir={folder}", "--ip=127.0.0.1", *root]
    with launched() as browser, served(folder, "jupyterlab", *options) as port:
        tab = Tab(browser.new_page(viewport={"width": 1500, "height": 1100}))
        tab.page.goto(f"http://127.0.0.1:{port}/lab/tree/{notebook.name}?token={_TOKEN}")
        _wait(lambda: _idle(port), lambda seconds: tab.page.wait_for_timeout(seconds * 1000))  # else nothing is run
        tab.page.get_by_role("menuitem", name="Run", exact=True).click()
        tab.page.get_by_text("Run All Cells", exact=True).click()
        tab.until_drawn()
        yield tab


def _idle(port: int) -> bool:
    """Whether a kernel waits for somebody who listens."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/sessions?token={_TOKEN}") as answer:
        kernels = [session["kernel"] for session in json.load(answer)]
    return any(kernel["execution_state"] == "idle" and kernel["connections"] for kernel in kernels)


@contextlib.contextmanager
def in_voila(notebook: Path) -> Iterator[Tab]:
    """Open the page that Voila makes of a notebook."""
    with launched() as browser, served(notebook.parent, "voila", notebook.name) as port:
        tab = Tab(browser.new_page(viewport={"width": 1400, "height": 1000}))
        tab.page.goto(f"http://127.0.0.1:{port}/")
        tab.until_drawn()
        yield tab
