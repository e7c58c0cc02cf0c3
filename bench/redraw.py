"""What it costs to draw all views of ``explore.ipynb`` anew: 100 runs of 64 threads, after each kind of choice.

Run as ``python -m bench redraw``. Histograms as cyclictest prints them are written with a fixed seed, read once, and
shown by the panel itself without a browser: what goes there is made into JSON, as the kernel would. CPU is compared.
"""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from bench.scoreboard import Effort, Row
from rtlat.exploring import panel
from rtlat.exploring.folder import opened

RUNS, THREADS, BINS = 100, 64, 400
GOAL = 0.3
"""CPU of one redraw [s]."""

ROUNDS = 5


def histogram(random: np.random.Generator) -> str:
    """What ``cyclictest -h 400`` prints of 64 threads."""
    counts = np.zeros((BINS + 50, THREADS), np.int64)
    for thread in range(THREADS):
        values = 3 + random.gamma(2, 4, 60_000).astype(int)
        values[:30] = random.pareto(1.5, 30).astype(int) * 20 + 20
        np.add.at(counts[:, thread], np.minimum(values, BINS + 49), 1)
    rows = "\n".join(f"{row:06d} " + "\t".join(f"{n:06d}" for n in at) for row, at in enumerate(counts[:BINS]))
    greatest = [int(np.flatnonzero(counts[:, thread])[-1]) for thread in range(THREADS)]
    footers = {"Total": counts[:BINS].sum(axis=0), "Max Latencies": greatest}
    footers["Histogram Overflows"] = counts[BINS:].sum(axis=0)
    return f"# Histogram\n{rows}\n" + "".join(
        f"# {name}: {' '.join(f'{value:05d}' for value in values)}\n" for name, values in footers.items()
    )


def seconds(change: Callable[[int], None]) -> float:
    """Median CPU time of a change that is made again and again, each time to another value."""
    times = []
    for place in range(ROUNDS):
        start = time.process_time()
        with contextlib.redirect_stdout(io.StringIO()):  # without a kernel, outputs are cleared by escape codes
            change(place)
        times.append(time.process_time() - start)
    return median(times)


def rows(effort: Effort) -> Iterator[Row]:
    """Yield what each kind of choice takes."""
    count = effort.many(RUNS, 10)
    sent: list[int] = []
    panel._display = lambda what, **_: sent.append(len(json.dumps(what, default=str)))
    random = np.random.default_rng(64)
    with tempfile.TemporaryDirectory() as place:
        for run in range(count):
            kernel = "6.1-rt" if run % 2 else "6.1"
            (Path(place) / f"{kernel}-{run:02d}.hist").write_text(histogram(random))
        rules = "".join(f'[runs."{kernel}-*.hist"]\nkernel = "{kernel}"\n' for kernel in ("6.1", "6.1-rt"))
        (Path(place) / "runs.toml").write_text(f'[defaults]\nperiod = "1ms"\n{rules}')
        folder = opened(place)
        with contextlib.redirect_stdout(io.StringIO()):
            shown: Any = panel.Panel(folder, Path(place))
    names = list(shown.runs.options)

    def limit(place: int) -> None:
        shown.limit.value = 100.0 + place

    def runs(place: int) -> None:
        shown.runs.value = names[place + 1 :]

    def group(place: int) -> None:
        shown.by.value = ("kernel", "sha256", "load", "source", "tool")[place]

    def series(place: int) -> None:
        shown.series.value = ("t3", "each", "t1", "pooled", "t2")[place]

    for change in (limit, runs, group, series):
        del sent[:]
        took = seconds(change)
        what = f"CPU of all views of {count} runs of {THREADS} threads, another {change.__name__} chosen / {GOAL} s"
        detail = f"{took:.3f} s, {sum(sent) / ROUNDS / 1e3:.0f} kB"
        yield Row(f"redraw-{change.__name__}", what, took / GOAL, 1.0, detail)
