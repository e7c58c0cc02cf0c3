"""A report's page on paper: its figures drawn as SVG in one go, then printed by Chromium.

Printing the live page instead would lay legends out for the screen and cut them. A figure higher than a page is
parted between its panels, or between rows of a list.
"""

from __future__ import annotations

import base64
import importlib.util
import itertools
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from rtlat.errors import ReportError, printable

WIDTH, HEIGHT = 1030, 690
"""What a landscape A4 page holds within margins of 12 mm. [px, of 1/96 inch]"""

_FIGURE = re.compile(r'<div class="figure"[^>]*><script type="application/json">(.*?)</script></div>', re.S)
_SCRIPT = re.compile(r"<script\b.*?</script>", re.S)
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_LONGEST = 180
"""A browser that takes longer hangs. [s]"""

_HEADING = 150
"""What stands above a figure on its page: a heading, and a few lines. [px]"""

_TITLE = 40
"""What stands above a panel. [px]"""


def write_pdf(page: str, path: Path) -> None:
    """Print a report's page.

    Parameters
    ----------
    page : str
        As `rtlat.reporting.page.page` returns it.
    path : Path
        Where the PDF goes; what it takes lies in the same folder meanwhile.

    Raises
    ------
    ReportError
        If kaleido or Chromium is missing, or fails.
    """
    if importlib.util.find_spec("kaleido") is None:
        raise ReportError("no PDF without kaleido: install it, as pip install 'rtlat[pdf]' does")
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None:
        raise ReportError("no PDF without Chromium: apt install chromium")
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        still = Path(folder) / "page.html"
        still.write_text(on_paper(page, _images(page, browser, Path(folder))), encoding="utf-8")
        _print(browser, still, Path(folder) / "page.pdf")
        shutil.move(Path(folder) / "page.pdf", path)


def on_paper(page: str, images: list[bytes]) -> str:
    """Return a page without scripts, with an image in place of each figure, and everything unfolded.

    Parameters
    ----------
    page : str
        With live figures.
    images : list of bytes
        An SVG for each.
    """
    waiting = iter(images)

    def image(found: re.Match[str]) -> str:
        source = f'src="data:image/svg+xml;base64,{base64.b64encode(next(waiting)).decode()}"'
        cut = cuts(json.loads(found[1])["layout"])
        return "".join(
            f'<div style="height:{end - start:.0f}px;overflow:hidden;break-inside:avoid">'
            f'<img alt="" style="max-width:none;width:{WIDTH}px;margin-top:-{start:.0f}px" {source}></div>'
            for start, end in itertools.pairwise(cut)
        )

    return _SCRIPT.sub("", _FIGURE.sub(image, page)).replace("<details>", "<details open>")


def cuts(layout: dict[str, Any]) -> list[float]:
    """Return where a figure is parted so that each part fits on a page, its top and its bottom among them, in px.

    Examples
    --------
    >>> cuts({"height": 1100, "margin": {"t": 0, "b": 0}, "yaxis": {"domain": [0.6, 0.95]},
    ...       "yaxis2": {"domain": [0.05, 0.5]}})
    [0.0, 510.0, 1100.0]
    """
    height, margin = float(layout.get("height") or 450), layout.get("margin", {})
    top, bottom = float(margin.get("t", 100)), float(margin.get("b", 80))
    panels, rows = {height}, set[float]()
    for name, axis in layout.items():
        if not name.startswith("yaxis") or "domain" not in axis:
            continue
        low, high = (top + (1 - share) * (height - top - bottom) for share in axis["domain"])
        panels.add(high - _TITLE)
        if axis.get("ticktext") and axis.get("ticks") == "":  # a list: a row for each tick
            first, last = axis["range"][1], axis["range"][0]
            step = (low - high) / (last - first)
            rows |= {high + step * (row - 0.5 - first) for row in range(1, len(axis["ticktext"]))}
    found = [0.0]
    while found[-1] < height:
        room = HEIGHT if len(found) > 1 else HEIGHT - _HEADING
        least, most = found[-1] + room / 3, found[-1] + room
        near = [[place for place in places if least < place <= most] for places in (panels, rows)]
        found.append(max(near[0] or near[1] or [min(most, height)]))
    return found


def _images(page: str, browser: str, folder: Path) -> list[bytes]:
    """The page's figures as SVG, all by one browser."""
    import asyncio

    from kaleido import write_fig_from_object

    figures = [json.loads(found) for found in _FIGURE.findall(page)]
    paths = [folder / f"{place}.svg" for place in range(len(figures))]
    specs = [
        {
            "fig": {"data": figure["data"], "layout": figure["layout"]},
            "path": path,
            "opts": {"format": "svg", "width": WIDTH, "height": figure["layout"].get("height") or 450},
        }
        for figure, path in zip(figures, paths, strict=True)
    ]
    if not specs:
        return []
    # mathjax would come from the net
    options = {"mathjax": False, "path": browser, "enable_sandbox": os.geteuid() != 0}
    try:
        asyncio.run(write_fig_from_object(specs, kopts=options))
        return [path.read_bytes() for path in paths]
    except Exception as error:  # a browser fails in many ways
        raise ReportError(f"no PDF: its figures could not be drawn ({printable(str(error))[:200]})") from None


def _print(browser: str, page: Path, path: Path) -> None:
    """Print a page that needs no network."""
    with tempfile.TemporaryDirectory(dir=path.parent) as profile:
        command = [
            browser, "--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", f"--user-data-dir={profile}", "--no-pdf-header-footer",
            *(["--no-sandbox"] if os.geteuid() == 0 else []), f"--print-to-pdf={path}", page.as_uri(),
        ]  # fmt: skip
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST)
        except subprocess.TimeoutExpired:
            raise ReportError(f"no PDF: Chromium did not print it within {_LONGEST} s") from None
    if not path.exists():
        told = (done.stderr.strip().splitlines() or ["no word"])[-1]
        raise ReportError(f"no PDF: Chromium did not print it ({printable(told)[:200]})")
