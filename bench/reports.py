"""How large reports on a hundred runs are, and how they behave in a browser; run as ``python -m bench.reports``.

Histograms as cyclictest prints them are written with a fixed seed. Sizes and nodes are exact; a zoom is the fastest of
three, as a busy machine only ever adds to it.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench.scoreboard import Effort, Row
from rtlat.commands.notebooks import notebooks_folder
from rtlat.reporting.page import LARGEST_PAGE
from rtlat.reporting.question import is_interactive, takes
from rtlat.reporting.report import report

RUNS, THREADS, BINS = 100, 8, 400
MOST_NODES, MOST_ZOOM = 5_000, 200
"""Of one figure: elements in the page, and how long it takes to show a part of it. [ms]"""

_MEASURED = """async () => {
  const found = [];
  for (const place of document.querySelectorAll(".figure")) {
    const axis = (place._fullLayout || {}).xaxis;
    let fastest = 0;
    if (axis && axis.range && place._fullData.length) {
      const [low, high] = axis.range, third = (high - low) / 3;
      fastest = Infinity;
      for (let turn = 0; turn < 3; turn++) {
        const start = performance.now();
        await Plotly.relayout(place, {"xaxis.range": turn % 2 ? [low, high] : [low + third, high - third]});
        fastest = Math.min(fastest, performance.now() - start);
      }
    }
    found.push([place.querySelectorAll("*").length, fastest]);
  }
  return found;
}"""


def histogram(random: np.random.Generator) -> str:
    """What ``cyclictest -h 400 -q`` prints of eight threads, with an overflow."""
    values = 3 + random.gamma(2, 4, (60_000, THREADS)).astype(int)
    values[:30] = random.pareto(1.5, (30, THREADS)).astype(int) * 20 + 20
    counts = np.stack([np.bincount(np.minimum(values[:, at], BINS), minlength=BINS + 1) for at in range(THREADS)])
    rows = [f"{row:06d} " + "\t".join(f"{n:06d}" for n in counts[:, row]) for row in range(BINS)]
    footers = {
        "Total": counts[:, :BINS].sum(axis=1),
        "Min Latencies": values.min(axis=0),
        "Max Latencies": values.max(axis=0),
        "Histogram Overflows": counts[:, BINS],
    }
    told = [f"# {name}: {' '.join(f'{value:05d}' for value in of)}" for name, of in footers.items()]
    return "\n".join(["# Histogram", *rows, *told]) + "\n"


def measured(pages: list[Path]) -> dict[str, list[tuple[int, float]]]:
    """Nodes and the time of a zoom for each figure of pages in headless Chromium."""
    from playwright.sync_api import sync_playwright

    found: dict[str, list[tuple[int, float]]] = {}
    with sync_playwright() as playwright:
        arguments = ["--disable-gpu", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        for page in pages:
            tab: Any = browser.new_context(offline=True, viewport={"width": 1200, "height": 900}).new_page()
            tab.goto(page.resolve().as_uri())
            if 'id="plotly"' not in page.read_text("utf-8"):
                continue  # it has no figure
            tab.wait_for_function("document.documentElement.dataset.drawn !== undefined", timeout=120_000)
            found[page.stem.partition("-")[0]] = tab.evaluate(_MEASURED)
        browser.close()
    return found


def rows(effort: Effort) -> Iterator[Row]:
    """Yield the size of each report, and the worst of all figures."""
    count = effort.many(RUNS, 10)
    random = np.random.default_rng(1)
    asked = [path for path in sorted(notebooks_folder().glob("*.ipynb")) if not is_interactive(path)]
    asked = [path for path in asked if path.stem != "seeds" and takes(path, "data")]
    with tempfile.TemporaryDirectory() as folder:
        logs = Path(folder, "logs")
        logs.mkdir()
        for run in range(count):
            (logs / f"run-{run:03}.hist").write_text(histogram(random))
        (logs / "runs.toml").write_text(
            '[defaults]\nperiod = "1ms"\nduration = "1min"\n'
            + "".join(f'[runs."run-*{digit}.hist"]\napproach = "kernel {digit % 4}"\n' for digit in range(10))
        )
        pages = report(asked, logs, out=Path(folder, "out"), progress=sys.stderr)
        for page in pages:
            size = page.stat().st_size
            name = page.stem.partition("-")[0]
            what = f"{name}: bytes of a report on {count} runs of {THREADS} threads / {LARGEST_PAGE / 1e6:.0f} MB"
            yield Row(f"report-size-{name}", what, size / LARGEST_PAGE, 1.0, f"{size / 1e6:.2f} MB")
        figures = [(name, *one) for name, several in measured(pages).items() for one in several]
        name, nodes, _ = max(figures, key=lambda one: one[1])
        yield Row("report-nodes", f"elements of the largest figure / {MOST_NODES:,}", nodes / MOST_NODES, 1.0,
                  f"{nodes:,} ({name})")  # fmt: skip
        name, _, zoom = max(figures, key=lambda one: one[2])
        yield Row("report-zoom", f"the slowest zoom of a figure / {MOST_ZOOM} ms", zoom / MOST_ZOOM, 1.0,
                  f"{zoom:.0f} ms ({name})")  # fmt: skip


def main() -> int:
    """Print each row; exit status 1 if one misses its goal."""
    found = []
    for row in rows(Effort()):
        print(f"{row.name}: {row.what}: {row.ratio:.2f} ({row.detail}) {row.verdict}", flush=True)
        found.append(row)
    return int(any(row.verdict == "missed" for row in found))


if __name__ == "__main__":
    sys.exit(main())
