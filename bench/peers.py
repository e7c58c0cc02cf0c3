"""What people read ``cyclictest -v`` logs with: each to counts by thread and value, and to how many samples there are.

pandas in chunks is the peer with a goal (`bench.parsing`). These inform: what a shell user types, numpy, and the
engines for tables, which take the lines as columns with colons between them, each on one thread.
"""

from __future__ import annotations

import importlib.util
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench import samples
from bench.scoreboard import Effort, Job, Row, alternately, milliseconds

OURS = Job(
    """
(run,) = parse(Source(Path({path!r}), "log", keep=0))
numbers, words = joined(run.rows.chunks())
bins = words["kind"].codes == words["kind"].names.index("bin")
n = numbers["n"][bins]
answer = [int(n.sum()), int((numbers["low"][bins] / run.facts["resolution"] * n).sum())]
""",
    """
from pathlib import Path
from rtlat.columns import joined
from rtlat.formats.cyclictest_text import parse
from rtlat.source import Source
""",
)
COUNTED = """
counts = np.zeros({threads} << 16, np.int64)
for thread, value in chunks:
    found = np.bincount((np.asarray(thread) << 16) + np.asarray(value))
    counts[: len(found)] += found
values = np.arange(len(counts)) & 0xFFFF
answer = [int(counts.sum()), int((values * counts).sum())]
"""
PEERS = {
    "numpy.loadtxt": Job(
        """
table = np.loadtxt({path!r}, np.int64, delimiter=":", skiprows={header}, comments=None)
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


def rows(effort: Effort) -> Iterator[Row]:
    """Yield a row for each peer that is installed."""
    with tempfile.TemporaryDirectory() as folder:
        path = samples.write_verbose(Path(folder, "clean.log"), effort.many(4e6))
        said = {"path": str(path), "header": samples.HEADER.count(b"\n"), "threads": samples.THREADS}
        jobs = {name: job for name, job in PEERS.items() if _is_installed(name)}
        made = {name: Job(job.work.format(**said), job.setup) for name, job in {"rtlat": OURS, **jobs}.items()}
        found = alternately(made, min(effort.rounds, 3))
        ours = found.pop("rtlat")
        for name, theirs in found.items():
            what = f"a -v log of {effort.many(4e6):.0e} lines / {name}"
            detail = f"{milliseconds(ours.seconds)} / {milliseconds(theirs.seconds)}"
            detail += "" if name == "mawk" else f", peak memory {ours.peak:.0f} / {theirs.peak:.0f} MB"
            yield Row(f"parse-{name}", what, ours.seconds / theirs.seconds, None, detail)


def _is_installed(name: str) -> bool:
    """Whether a peer is there to be measured."""
    return bool(importlib.util.find_spec(name.partition(".")[0]) or shutil.which(name))
