"""The log that rt-app keeps for each of its threads: a row for each activation.

::

    # Policy : SCHED_FIFO priority : 50
    #idx     perf      run   period           start             end          rel_st      slack c_duration   c_period     wu_lat
       0    20000      474    10023      1072224222      1072234245            3951       9500       1000      10000         45

Times are microseconds, rounded to the nearest; ``idx`` is the thread. Columns are found by their heading. ``wu_lat`` is
the sum of the wake-up latencies of all timer events of an activation, and ``rel_st`` the time since the start.
``slack`` is what was left of the period when the work was done, negative if nothing was: it is checked, not kept.

A task that wakes before its timer has a negative latency, which is printed unsigned::

       1    20000      192     2996      3347524062      3347527058            3186       2782       1000       3000 18446744073709548638

Source: rt-app ``src/rt-app.c`` (thread_body), ``src/rt-app_utils.c`` (log_timing, timespec_to_usec).
"""  # noqa: E501 (lines as they are printed)

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rtlat.errors import LogError
from rtlat.protocol import Format, Run, Tally
from rtlat.rows import Rows
from rtlat.source import Line, Source

_HEADING = re.compile(r"#idx(?: +[a-z_]{2,16}){2,24} *$")
_POLICY = re.compile(r"# Policy : (?:SCHED_)?(\w{1,32})(?: priority : (-?\d{1,3}))?")
_ROW = re.compile(r" *\d{1,9}(?: +-?\d{1,20})+ *$")
_ROW_LIKE = re.compile(r" *\d")
_NEEDED = ("#idx", "wu_lat")
_BATCH = 1 << 16
_UNSIGNED = 2**64


@dataclass(slots=True)
class _Table:
    """One thread's table while it is being read."""

    line: int
    names: list[str]
    policy: re.Match[str] | None
    quoted: bool
    rows: Rows
    rejected: Tally = field(default_factory=Tally)
    batch: list[tuple[int, int, int, int]] = field(default_factory=list)  # thread, latency, start, line
    counts: dict[int, int] = field(default_factory=dict)
    periods: dict[int, set[int]] = field(default_factory=dict)
    negative: list[int] = field(default_factory=lambda: [0, 0])  # how many, first line
    late: list[int] = field(default_factory=lambda: [0, 0])
    cut: bool = False

    def take(self, line: Line) -> None:
        """Keep or reject one row."""
        cells = line.text.split()
        if not line.whole or not _ROW.match(line.text) or len(cells) != len(self.names):
            self.rejected.add("damaged row" if line.whole else "cut last line", line.number)
            self.cut = self.cut or not line.whole
            return
        row = dict(zip(self.names, map(int, cells), strict=True))
        thread, latency = row["#idx"], row["wu_lat"]
        if latency >= _UNSIGNED // 2:
            latency -= _UNSIGNED
        if abs(latency) >= 2**53:
            self.rejected.add("damaged row", line.number)
            return
        for seen, count in ((self.negative, latency < 0), (self.late, row.get("slack", 0) < 0)):
            if count:
                seen[:] = seen[0] + 1, seen[1] or line.number
        self.counts[thread] = self.counts.get(thread, 0) + 1
        periods = self.periods.setdefault(thread, set())
        if len(periods) < 2:
            periods.add(row.get("c_period", 0))
        start = row.get("rel_st", -1)
        self.batch.append((thread, latency, start if start < 2**53 else -1, line.number))
        if len(self.batch) == _BATCH:
            self.flush()

    def flush(self) -> None:
        """Hand the rows read so far over."""
        if not self.batch:
            return
        threads, latencies, starts, lines = np.array(self.batch, np.int64).T
        for thread in np.unique(threads):
            which = threads == thread
            none = np.full(int(which.sum()), -1, np.int64)
            time = np.where(starts[which] < 0, np.nan, starts[which] / 1e6)
            self.rows.samples(f"t{thread}", "thread", latencies[which], lines[which], none, time)
        self.batch.clear()


def parse(source: Source) -> Iterator[Run]:
    """Yield a run for each heading, which is each thread's log.

    Raises
    ------
    LogError
        If there is no readable row, or the rows have no wake-up latency.

    Examples
    --------
    >>> log = b"#idx   run  rel_st   slack   wu_lat\\n   0   474    3951    9500       45\\n"
    >>> (run,) = parse(Source(None, "demo", log))
    >>> rows = run.rows.arrays()
    >>> rows["low"].tolist(), rows["time"].tolist(), rows["series"].tolist()
    ([45000.0], [0.003951], ['t0'])
    """
    ignored = Tally()
    policy = None
    tables: list[_Table] = []
    for line in source.lines():
        if said := _POLICY.match(line.text):
            policy = said
        elif _HEADING.match(line.text):
            tables.append(_Table(line.number, line.text.split(), policy, line.quote > 0, Rows(source.keep)))
            tables[-1].rows.step = 1000.0
            policy = None
            missing = [name for name in _NEEDED if name not in tables[-1].names]
            if missing or len(set(tables[-1].names)) < len(tables[-1].names):
                found = f"columns {' '.join(tables[-1].names)}"
                raise LogError(source.name, found, "a column wu_lat, and each once", line=line.number)
        elif tables and _ROW_LIKE.match(line.text):
            tables[-1].take(line)
        elif line.text.strip():
            ignored.add("text around the table", line.number)
    kept = [table for table in tables if table.counts]
    if not kept:
        raise LogError(source.name, "no readable row", "the rows of rt-app below '#idx perf run period ...'")
    for table in kept:
        run = _run(table)
        run.ignored, ignored = ignored, Tally()
        yield run


def _run(table: _Table) -> Run:
    """The run of one thread's table."""
    table.flush()
    run = Run("rt-app", rows=table.rows, rejected=table.rejected, quoted=table.quoted)
    run.facts = {
        "context": "user",
        "printed_unit": "us",
        "unit_basis": "documented",
        "resolution": 1000.0,
        "rounding": "unknown",
        "ended": "cut" if table.cut else "unknown",
        "evidence": "log",
    }
    if run.rows.folded:
        run.facts["bin_edges"] = "samples"
    for thread, count in table.counts.items():
        series: dict[str, Any] = {"n": count}
        if table.policy:
            series["policy"] = table.policy[1].lower()
            if int(table.policy[2] or -1) >= 0:
                series["priority"] = int(table.policy[2])
        if len(table.periods[thread]) == 1 and (period := next(iter(table.periods[thread]))) > 0:
            series["period"] = run.facts["period"] = 1000.0 * period
        run.series[f"t{thread}"] = series
    if len({series.get("period") for series in run.series.values()}) > 1:
        run.facts.pop("period", None)
    run.warnings = list(_warnings(table))
    return run


def _warnings(table: _Table) -> Iterator[str]:
    """What a reader of the numbers must know."""
    count, line = table.negative
    if count:
        yield f"{count} latencies are negative, printed as 2^64 minus their amount (the first in line {line})"
    count, line = table.late
    if count:
        yield f"{count} activations were not done in their period: their slack is negative (the first in line {line})"
    if table.rejected.total:
        first = min(line for _, line in table.rejected.reasons.values())
        yield f"{table.rejected.total} rows could not be read (the first in line {first})"


FORMAT = Format(
    name="rt_app_log",
    title="rt-app, the log of a thread",
    gives="samples of thread latency",
    versions="rt-app 1.0",
    words=("#idx",),
    marks=(re.compile(r"#idx +perf +run +period +start +end\b"),),
    parse=parse,
)
