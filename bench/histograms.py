"""Histograms of cyclictest from text to arrays, header and footer with all they say, against numpy.loadtxt.

Small ones come in numbers: fifty different ones are read, as those of a folder are. No log is hashed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.logs import histogram_text
from bench.scoreboard import Effort, Job, Row, alternately, milliseconds

SIZES = {"small": (1000, 8, 50, 1.0), "one": (1000, 8, 1, None), "large": (10_000, 64, 1, 1.1)}
"""Bins, threads, logs and goal."""

OURS = """
for _ in range({repeat}):
    if len({paths!r}) > 1:
        runs = FORMAT.together([Path(path).read_bytes() for path in {paths!r}])
    else:
        runs = list(FORMAT.parse(Source(Path({paths!r}[0]), "log")))
    numbers, words = joined([chunk for run in runs for chunk in run.rows.chunks()])
inside = (words["kind"].codes == words["kind"].names.index("bin")) & np.isfinite(numbers["high"])
answer = int(numbers["n"][inside].sum())
"""
SETUP = """
import numpy as np
from pathlib import Path
from rtlat.columns import joined
from rtlat.formats.cyclictest_text import FORMAT
from rtlat.source import Source
"""
THEIRS = """
for _ in range({repeat}):
    tables = [np.loadtxt(path, dtype=np.int64) for path in {paths!r}]
answer = sum(int(table[:, 1:].sum()) for table in tables)
"""


def rows(effort: Effort) -> Iterator[Row]:
    """Yield a row for each size."""
    with tempfile.TemporaryDirectory() as folder:
        for name, (bins, threads, logs, goal) in SIZES.items():
            paths = [Path(folder, f"{name}{number}.hist") for number in range(logs)]
            for number, path in enumerate(paths):
                path.write_bytes(histogram_text(bins, threads, number))
            repeat = effort.many(2e6 / (bins * threads * logs) + 5)
            given = {"paths": [str(path) for path in paths], "repeat": repeat}
            made = {who: work.format(**given) for who, work in (("rtlat", OURS), ("loadtxt", THEIRS))}
            once = {who: work.replace(f"range({repeat})", "range(1)") for who, work in made.items()}
            jobs = {
                "rtlat": Job(made["rtlat"], SETUP + once["rtlat"]),
                "loadtxt": Job(made["loadtxt"], "import numpy as np" + once["loadtxt"]),
            }
            found = alternately(jobs, effort.rounds)
            ours, theirs = (found[who].seconds / repeat / logs for who in ("rtlat", "loadtxt"))
            what = f"{'a histogram' if logs == 1 else f'{logs} histograms'} of {bins} bins x {threads} threads"
            detail = f"{milliseconds(ours)} / {milliseconds(theirs)} each"
            yield Row(f"hist-{name}", f"{what} / numpy.loadtxt of the rows", ours / theirs, goal, detail)
