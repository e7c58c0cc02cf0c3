"""A ``cyclictest -v`` log of eight threads to counts by thread and value, against limits and what people use for it.

Every job gives how many samples there are and their sum, so that all do the same work. `mawk` is what a shell user
types; pandas, polars, duckdb and pyarrow read the lines as a table with colons between its columns.
"""

from __future__ import annotations

import gzip
import importlib.util
import os
import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.scoreboard import Effort, Job, Measured, Row, alternately, milliseconds
from bench.verbose import THREADS, header, write_log

LINES = 1e7
NOISE = ("# a remark\n", "[  12.345678] usb 1-1: new high-speed USB device\n", "\n", "T: 0 of the past\n", "\x1b[2J")

RTLAT = """
(run,) = parse(Source(Path({path!r}), "log", keep=0))
numbers, words = joined(run.rows.chunks())
bins = words["kind"].codes == words["kind"].names.index("bin")
n = numbers["n"][bins]
answer = [int(n.sum()), int((numbers["low"][bins] * n).sum() / run.facts["resolution"])]
"""
RTLAT_SETUP = """
from pathlib import Path
from rtlat.columns import joined
from rtlat.formats.cyclictest_text import parse
from rtlat.source import Source
"""
NEWLINES = """
count, rest = 0, 0
with open({path!r}, "rb") as log:
    while block := log.read(1 << 20):
        count += np.count_nonzero(np.frombuffer(block, np.uint8) == 10)
answer = None
"""
COUNTED = """
counts = np.zeros({threads} << 16, np.int64)
for thread, value in chunks:
    found = np.bincount((np.asarray(thread) << 16) + np.asarray(value))
    counts[: len(found)] += found
values = np.arange(len(counts)) & 0xFFFF
answer = [int(counts.sum()), int((values * counts).sum())]
"""
PEERS = {
    "pandas": Job(
        """
read = pd.read_csv({path!r}, sep=":", header=None, skiprows={header}, chunksize=500_000, names=["t", "c", "v"])
chunks = ((chunk["t"].to_numpy(), chunk["v"].to_numpy()) for chunk in read)
"""
        + COUNTED,
        "import numpy as np, pandas as pd",
    ),
    "loadtxt": Job(
        """
table = np.loadtxt({path!r}, np.int64, delimiter=":", skiprows={header})
chunks = [(table[:, 0], table[:, 2])]
"""
        + COUNTED,
        "import numpy as np",
    ),
    "polars": Job(
        """
lines = pl.scan_csv({path!r}, separator="\\n", skip_rows={header}, has_header=False, new_columns=["line"],
                    schema={{"line": pl.String}}, quote_char=None)
parts = pl.col("line").str.split_exact(":", 2).struct
number = lambda place: parts.field(f"field_{{place}}").str.strip_chars().cast(pl.Int64)
table = lines.select(t=number(0), v=number(2)).group_by("t", "v").len().collect(engine="streaming")
answer = [int(table["len"].sum()), int((table["v"] * table["len"]).sum())]
""",
        "import polars as pl",
    ),
    "duckdb": Job(
        """
table = duckdb.sql('''select v, count(*) as n from read_csv({path!r}, delim=':', skip={header}, header=false,
    auto_detect=false, columns={{'t': 'BIGINT', 'c': 'BIGINT', 'v': 'BIGINT'}}) group by t, v''').fetchnumpy()
answer = [int(table["n"].sum()), int((table["v"] * table["n"]).sum())]
""",
        "import duckdb\nduckdb.sql('set threads=1')",
    ),
    "pyarrow": Job(
        """
options = [csv.ReadOptions(use_threads=False, skip_rows={header}, column_names=["t", "c", "v"]),
           csv.ParseOptions(delimiter=":"), csv.ConvertOptions(column_types=dict.fromkeys("tcv", pa.string()))]
number = lambda column: pc.cast(pc.utf8_trim_whitespace(column), pa.int64()).to_numpy()
chunks = ((number(part["t"]), number(part["v"])) for part in csv.open_csv({path!r}, *options))
"""
        + COUNTED,
        "import numpy as np, pyarrow as pa, pyarrow.csv as csv, pyarrow.compute as pc",
    ),
    "mawk": Job(
        """
program = 'NR > {header} {{ n[$1 " " $3]++ }} END {{ for (k in n) {{ split(k, a, " "); s += n[k]; w += a[2] * n[k] }}'
program += ' printf "%.0f %.0f", s, w }}'
done = subprocess.run(["mawk", "-F:", program, {path!r}], capture_output=True, text=True, check=True)
answer = [int(number) for number in done.stdout.split()]
""",
        "import subprocess",
    ),
}
GOALS = {"pandas": 0.5}


def rows(effort: Effort) -> Iterator[Row]:
    """Yield what clean and noisy logs cost, plain and compressed."""
    lines = effort.many(LINES)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "clean.log")
        write_log(path, lines)
        jobs = {
            "rtlat": _job(Job(RTLAT, RTLAT_SETUP), path),
            "newlines": _job(Job(NEWLINES, "import numpy as np"), path),
        }
        jobs |= {name: _job(job, path) for name, job in PEERS.items() if _installed(name)}
        found = alternately(jobs, effort.rounds)
        ours = found.pop("rtlat")
        for name, theirs in found.items():
            limit = name == "newlines"
            what = f"{lines:.0e} lines of cyclictest -v / {'counting their ends' if limit else name}"
            detail = (
                f"{milliseconds(ours.seconds)} / {milliseconds(theirs.seconds)}, {ours.peak:.0f} / {theirs.peak:.0f} MB"
            )
            yield Row(f"parse-{name}", what, ours.seconds / theirs.seconds, 6.0 if limit else GOALS.get(name), detail)
        yield _noisy(path, ours, effort)
        yield from _compressed(path, ours, effort)


def _job(job: Job, path: Path) -> Job:
    """A job on one file."""
    return Job(job.work.format(path=str(path), header=header().count("\n"), threads=THREADS), job.setup)


def _installed(name: str) -> bool:
    """Whether a peer is there to be measured."""
    return name == "loadtxt" or bool(importlib.util.find_spec(name) or shutil.which(name))


def _noisy(clean: Path, before: Measured, effort: Effort) -> Row:
    """One stray line in a thousand: the samples must still all be there."""
    path = clean.with_name("noisy.log")
    choose = random.Random(1998)
    with clean.open("rb") as lines, path.open("wb") as noisy:
        for number, line in enumerate(lines):
            if number % 1000 == 999:
                noisy.write(choose.choice(NOISE).encode())
            noisy.write(line)
    found = alternately({"noisy": _job(Job(RTLAT, RTLAT_SETUP), path)}, effort.rounds)["noisy"]
    path.unlink()
    if found.answer != before.answer:
        raise AssertionError(f"noise changes the counts: {found.answer} instead of {before.answer}")
    detail = f"{milliseconds(found.seconds)} / {milliseconds(before.seconds)}, the same counts"
    return Row("parse-noise", "a stray line in a thousand / a clean log", found.seconds / before.seconds, 2.5, detail)


def _compressed(plain: Path, before: Measured, effort: Effort) -> Iterator[Row]:
    """The same log in gzip, with isal where it is installed, and without."""
    path = plain.with_name("clean.log.gz")
    with plain.open("rb") as lines, gzip.open(path, "wb", 6) as packed:
        shutil.copyfileobj(lines, packed, 1 << 20)
    job = _job(Job(RTLAT, RTLAT_SETUP), path)
    ways = {"stdlib": (Job(job.work, "import sys\nsys.modules['isal'] = None\n" + job.setup), 1.7)}
    if _installed("isal"):
        ways["isal"] = (job, 1.3)
    for name, (way, goal) in ways.items():
        found = alternately({name: way}, effort.rounds)[name]
        assert found.answer == before.answer
        detail = f"{milliseconds(found.seconds)} / {milliseconds(before.seconds)}"
        yield Row(f"gz-{name}", f"a gzip log, by {name} / a plain one", found.seconds / before.seconds, goal, detail)
    os.unlink(path)
