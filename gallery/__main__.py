"""``python -m gallery [NOTEBOOK...]``: a picture of each notebook, made of data/ in headless Chromium, for the README.

A report is shown by one of its figures, or from its top; a notebook that waits for choices, as Voila serves it.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))  # how pages are opened stands there

from browser import launched  # noqa: E402
from served import in_voila  # noqa: E402

from rtlat.reporting.question import is_interactive, question  # noqa: E402
from rtlat.reporting.report import Made, reports  # noqa: E402

WIDTH, HEIGHT = 1040, 560
"""Of a picture. [px]"""

FIGURES = {"compare": 1, "deadline": 0, "history": 0, "jitter": 0, "timeline": 0, "worst_case": 0}
"""Which figure of a report says most; other reports are shown from their top."""

DATA = dict.fromkeys(("compare", "deadline", "jitter", "worst_case"), "emulated-kernels/repeats/*-1-*.hist")
"""Below data/, where a picture of all would show too much at once."""


def main(names: list[str]) -> int:
    """Write the pictures of these notebooks, or of all."""
    notebooks = [ROOT / "notebooks" / f"{name}.ipynb" for name in names] or sorted(ROOT.glob("notebooks/*.ipynb"))
    with tempfile.TemporaryDirectory() as folder:
        asked = [
            question(path, [ROOT / "data" / DATA[path.stem]] if path.stem in DATA else None, {})
            for path in notebooks
            if not is_interactive(path)
        ]
        made = reports(asked, folder, progress=sys.stderr) if asked else []
        failed = [problem for problem in made if not isinstance(problem, Made)]
        with launched() as browser:
            for one in made:
                if isinstance(one, Made):
                    name = one.path.stem.partition("-")[0]
                    _report(browser, one.path, FIGURES.get(name), picture(name))
        for path in filter(is_interactive, notebooks):
            _served(path, Path(folder), picture(path.stem))
    for problem in failed:
        print(problem, file=sys.stderr)
    return int(bool(failed))


def picture(name: str) -> Path:
    """Return where a notebook's picture lies."""
    return Path(__file__).with_name(f"{name}.png")


def _report(browser: Any, page: Path, figure: int | None, path: Path) -> None:
    """A figure of a report, or its top, at most `HEIGHT` high."""
    tab = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    tab.goto(page.as_uri())
    if "<script" in page.read_text("utf-8"):
        tab.wait_for_function("document.documentElement.dataset.drawn !== undefined", timeout=120_000)
    if figure is not None:
        place = tab.locator(".figure").nth(figure)
        place.evaluate("(place) => window.scrollTo(0, place.getBoundingClientRect().top + window.scrollY)")
        box = place.bounding_box()
        tab.screenshot(path=path, clip=box | {"width": min(box["width"], WIDTH), "height": min(box["height"], HEIGHT)})
    else:
        tab.screenshot(path=path)
    tab.close()


def _served(notebook: Path, folder: Path, path: Path) -> None:
    """What a notebook shows of two approaches when Voila serves it."""
    (folder / "notebooks").mkdir()
    os.symlink(ROOT / "data", folder / "data")
    with in_voila(Path(shutil.copy(notebook, folder / "notebooks"))) as tab:
        tab.choose("folder", "../data/emulated-kernels/repeats")
        tab.until("20 runs in 20 logs.")
        tab.choose("group by", "approach")
        tab.until("of 2 curves")
        tab.limit(500)
        tab.page.screenshot(path=path, scale="css")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
