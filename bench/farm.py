"""Ten thousand small logs, against opening and reading their bytes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.logs import write_farm
from bench.scoreboard import Effort, Job, Row, alternately

GOALS = {"format given": 9.0, "detected": 25.0}
SETUP = """
from pathlib import Path
paths = sorted(Path({folder!r}).iterdir())
"""
JOBS = {
    "bytes": Job(
        """
for path in paths:
    with open(path, "rb") as file:
        file.read()
answer = None
""",
        SETUP,
    ),
    "format given": Job(
        """
chunks = [chunk for path in paths for run in parse(Source(path, path.name)) for chunk in run.rows.chunks()]
numbers, words = joined(chunks)
answer = len(numbers["n"])
""",
        SETUP
        + """
from rtlat.columns import joined
from rtlat.formats.cyclictest_text import parse
from rtlat.source import Source
""",
    ),
    "detected": Job(
        """
readings = [Reading(Source(path, path.name), "") for path in paths]
for reading in readings:
    fill(reading, None, load(card) if (card := beside(reading.source.path)) else None)
numbers, words = joined([chunk for reading in readings for run in reading.runs for chunk in run.rows.chunks()])
assert all(len(reading.sha256) == 64 for reading in readings)
answer = len(numbers["n"])
""",
        SETUP
        + """
from rtlat.assembly import Reading
from rtlat.cards import beside, load
from rtlat.columns import joined
from rtlat.filling import fill
from rtlat.source import Source
""",
    ),
    "frames": Job(
        """
answer = len(read_all(paths)[0].records)
""",
        SETUP + "import pandas\nfrom rtlat.reading import read_all\n",
    ),
}


def rows(effort: Effort) -> Iterator[Row]:
    """Yield a row for each way of reading them."""
    files = effort.many(10_000, 100)
    with tempfile.TemporaryDirectory() as folder:
        write_farm(Path(folder), files)
        jobs = {name: Job(job.work, job.setup.format(folder=folder)) for name, job in JOBS.items()}
        found = alternately(jobs, min(effort.rounds, 3))
    limit = found.pop("bytes").seconds
    for name, measured in found.items():
        what = f"{files} histograms of 400 bins to {'frames' if name == 'frames' else 'arrays'}"
        what += {"format given": ", format given", "detected": ", with detection, cards and hashes"}.get(name, "")
        detail = f"{measured.seconds / files * 1e6:.0f} us / {limit / files * 1e6:.0f} us a file"
        yield Row(
            f"farm-{name.split()[0]}", f"{what} / open and read", measured.seconds / limit, GOALS.get(name), detail
        )
