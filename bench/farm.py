"""Ten thousand small logs, against opening and reading their bytes.

The prototype reads the rows with `numpy.fromstring` and keeps what is not 0: no header, no footer, nothing checked,
nothing hashed: what is left of a goal in times of opening and reading, on a machine that opens files faster.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.logs import write_farm
from bench.scoreboard import Effort, Job, Row, alternately

GOALS = {"format given": 9.0, "detected": 25.0}
PEER = 1.36
"""Nine times opening and reading was the goal where the prototype took 6.6 times as long."""

SETUP = """
import numpy
numpy.ones(1 << 28)  # memory that a virtual machine gets for the first time takes it several times as long
from pathlib import Path
paths = sorted(Path({folder!r}).iterdir())
"""
TOLD = {
    "prototype": " by numpy alone, unchecked",
    "format given": ", format given, not hashed",
    "detected": ", with detection, cards and hashes",
}
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
    "prototype": Job(
        """
parts = []
for number, path in enumerate(paths):
    with open(path, "rb") as file:
        text = file.read()
    begin = text.find(b"# Histogram\\n") + 12
    end = text.find(b"#", begin)
    columns = text.count(b"\\t", begin, text.find(b"\\n", begin)) + 2
    table = np.fromstring(text[begin:end], np.int64, sep=" ").reshape(-1, columns)
    row, thread = np.nonzero(table[:, 1:])
    parts.append((np.full(len(row), number, np.int32), thread.astype(np.int16), table[row, 0].astype(np.int32),
                  table[row, thread + 1]))
columns = [np.concatenate(column) for column in zip(*parts)]
answer = None
""",
        SETUP + "import numpy as np\n",
    ),
    "format given": Job(
        """
runs = []
for start in range(0, len(paths), TOGETHER):
    texts = []
    for path in paths[start : start + TOGETHER]:
        with open(path, "rb", buffering=0) as file:
            texts.append(file.readall())
    runs += FORMAT.together(texts)
numbers, words = joined([chunk for run in runs for chunk in run.rows.chunks()])
answer = len(numbers["n"])
""",
        SETUP
        + """
from rtlat.columns import joined
from rtlat.formats.cyclictest_text import FORMAT
from rtlat.together import TOGETHER
""",
    ),
    "detected": Job(
        """
readings = [Reading(Source(path, path.name), "") for path in paths]
fill_many(readings, None, [load(card) if (card := beside(path)) else None for path in paths])
numbers, words = joined([chunk for reading in readings for run in reading.runs for chunk in run.rows.chunks()])
assert all(len(reading.sha256) == 64 for reading in readings)
answer = len(numbers["n"])
""",
        SETUP
        + """
from rtlat.assembly import Reading
from rtlat.cards import beside, load
from rtlat.columns import joined
from rtlat.together import fill_many
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
    limit, prototype = found.pop("bytes").seconds, found["prototype"].seconds
    for name, measured in found.items():
        what = f"{files} histograms of 400 bins to {'frames' if name == 'frames' else 'arrays'}{TOLD.get(name, '')}"
        detail = f"{measured.seconds / files * 1e6:.0f} us / {limit / files * 1e6:.0f} us a file"
        yield Row(
            f"farm-{name.split()[0]}", f"{what} / open and read", measured.seconds / limit, GOALS.get(name), detail
        )
    ours = found["format given"].seconds
    detail = f"{ours / files * 1e6:.0f} us / {prototype / files * 1e6:.0f} us a file"
    what = f"{files} histograms of 400 bins to arrays, format given / by numpy alone, unchecked"
    yield Row("farm-peer", what, ours / prototype, PEER, detail)
