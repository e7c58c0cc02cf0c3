"""One histogram of cyclictest from text to arrays, header and footer with all they say, against numpy.loadtxt."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.logs import histogram_text
from bench.scoreboard import Effort, Job, Row, alternately, milliseconds

SIZES = {"small": (1000, 8, 1.0), "large": (10_000, 64, 1.1)}
"""Bins, threads and goal."""

OURS = """
for _ in range({repeat}):
    (run,) = parse(Source(Path({path!r}), "log"))
    numbers, words = joined(run.rows.chunks())
inside = (words["kind"].codes == words["kind"].names.index("bin")) & np.isfinite(numbers["high"])
answer = int(numbers["n"][inside].sum())
"""
SETUP = """
import numpy as np
from pathlib import Path
from rtlat.columns import joined
from rtlat.formats.cyclictest_text import parse
from rtlat.source import Source
"""
THEIRS = """
for _ in range({repeat}):
    table = np.loadtxt({path!r}, dtype=np.int64)
answer = int(table[:, 1:].sum())
"""


def rows(effort: Effort) -> Iterator[Row]:
    """Yield a row for each size."""
    with tempfile.TemporaryDirectory() as folder:
        for name, (bins, threads, goal) in SIZES.items():
            path = Path(folder, f"{name}.hist")
            path.write_bytes(histogram_text(bins, threads))
            repeat = effort.many(2e6 / (bins * threads) + 5)
            made = {
                who: work.format(path=str(path), repeat=repeat) for who, work in (("rtlat", OURS), ("loadtxt", THEIRS))
            }
            once = {who: work.replace(f"range({repeat})", "range(1)") for who, work in made.items()}
            jobs = {
                "rtlat": Job(made["rtlat"], SETUP + once["rtlat"]),
                "loadtxt": Job(made["loadtxt"], "import numpy as np" + once["loadtxt"]),
            }
            found = alternately(jobs, effort.rounds)
            ours, theirs = (found[who].seconds / repeat for who in ("rtlat", "loadtxt"))
            what = f"a histogram of {bins} bins x {threads} threads / numpy.loadtxt of its rows"
            yield Row(f"hist-{name}", what, ours / theirs, goal, f"{milliseconds(ours)} / {milliseconds(theirs)}")
