"""What queuelat prints: how long each pass of a memory copy took, in ranges of 100 ns.

::

    tsc_freq_ghz = 2.445000, cycles_to_ns = 0.408998
    max_queue_len = 489
    [9900 - 9999] = 12  packetfillrates=[29 - 29]         calibration, not the run
    [70000 - END] = 0
    default_n=81000 nr_packets_drain_per_block=268
    [0 - 99] = 48897                                      nanoseconds
    ...
    [47000 - 47099] = 0
    [47100 - 47199] = 1
    ...
    [70000 - END] = 0

     ----------------
    Min loop processing time: [0 - 99] = 48897
    Max loop processing time: [47100 - 47199] = 1
    Avg loop processing time: 99

A row is left out when the next one has the same count, not only when it is empty: what ``...`` stands for has
the count of the row after it. A run that is stopped before ``default_n=`` prints its last calibration. The
average takes each range at its upper end and is not kept.

Source: rt-tests ``src/queuelat/queuelat.c`` (print_all_buckets, print_exit_info), recorded output of 2.4.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from rtlat import schema
from rtlat.errors import LogError
from rtlat.protocol import Format, Run
from rtlat.source import Line, Source

_ROW = re.compile(r"\s*\[(\d{1,6}) - (\d{1,6}|END)\] = (\d{1,20})( +packetfillrates=\[-?\d+ - -?\d+\])?\s*$", re.ASCII)
_FREQUENCY = re.compile(r"\s*tsc_freq_ghz = (\d{1,6}\.\d{1,9}), ")
_CALIBRATED = re.compile(r"\s*default_n=\d")
_EXCEEDED = re.compile(r"\s*queue length exceeded:")
_FOOTER = re.compile(r"\s*(Min|Max) loop processing time: \[(\d{1,6}) - \d{1,6}\] = (\d{1,19})\s*$", re.ASCII)
_AVERAGE = re.compile(r"\s*Avg loop processing time: (\d{1,18})\s*$", re.ASCII)
_LIKE = re.compile(r"\s*(?:\[\d{1,6} - |(?:Min|Max|Avg) loop processing time)")
_OMITTED = re.compile(r"\s*\.\.\.\s*$")
_STEP = 100
_END = 70_000


@dataclass(slots=True)
class _Table:
    """A table of ranges as it comes in: lower edge -> count and line; those that stand for dots are `filled`."""

    counts: dict[int, tuple[int, int]] = field(default_factory=dict)
    filled: set[int] = field(default_factory=set)
    next: int = 0
    omitted: bool = False
    closed: bool = False
    damaged: int = 0

    def add(self, edge: int, count: int, line: int) -> bool:
        """Take a row, and those left out before it; return whether it can stand here."""
        gap = edge - self.next
        if self.closed or gap < 0 or gap % _STEP or (gap > 0) != self.omitted:
            return False
        for lower in range(self.next, edge + 1, _STEP):
            if count:
                self.counts[lower] = count, line
                self.filled |= {lower} - {edge}
        self.next, self.omitted, self.closed = edge + _STEP, False, edge == _END
        return True


@dataclass(slots=True)
class _OpenRun:
    """A run whose lines are still coming in."""

    run: Run = field(default_factory=lambda: Run("queuelat"))
    table: _Table = field(default_factory=_Table)
    frequency: str = ""
    calibrated: bool = False
    ended: str = "unknown"
    footer: dict[str, tuple[int, int]] = field(default_factory=dict)
    unquoted: bool = False

    def finish(self) -> Run | None:
        """Return the run; None if it holds no pass."""
        run, table = self.run, self.table
        run.facts = {
            "context": "user",
            "evidence": "log",
            "printed_unit": "ns",
            "unit_basis": "documented",
            "resolution": 1.0,
            "rounding": "truncated",
            "bin_edges": "given",
            "overflow_policy": "counted apart",
        }
        if self.frequency:
            run.facts["note"] = f"nanoseconds by the clock rate that was stated to the tool, {self.frequency} GHz"
        if not self.calibrated:
            run.warnings.append("no line default_n= before the table: these may be passes of the calibration")
        complete = table.closed and not table.damaged
        if not table.closed:
            run.warnings.append("the table ends before its last row: what was longer, and how often, is not known")
        elif table.damaged:
            run.warnings.append(f"the table is damaged (line {table.damaged})")
        complete = not self._contradictions(complete) and complete
        run.facts["ended"] = self.ended if complete else "cut"
        # where the row after dots is lost, the next one would fill them with its own count
        doubtful = set() if complete and "Avg" in self.footer else table.filled
        for edge, (count, line) in table.counts.items():
            high = math.inf if edge == _END else float(edge + _STEP)
            if edge not in doubtful:
                run.rows.add("all", "loop", "bin", float(edge), high, n=count, line=line)
        if doubtful:
            run.warnings.append(
                f"{len(doubtful)} rows that were left out are not stated: no average confirms the table"
            )
            run.facts["ended"] = "cut"
        if run.facts["ended"] != "cut":
            run.series["all"] = {"n": sum(count for count, _ in table.counts.values())}
        run.quoted = not self.unquoted
        return run if len(run.rows) else None

    def _contradictions(self, complete: bool) -> int:
        """Warn of what the footer says otherwise; return how often."""
        counts = self.table.counts
        if not complete or not counts:
            return 0
        total = sum(count for count, _ in counts.values())
        found = {
            "Min": min(counts),
            "Max": max(counts),
            "Avg": sum((edge + _STEP - 1) * count for edge, (count, _) in counts.items()) // total,
        }
        wrong = [(name, *self.footer[name]) for name in found if name in self.footer]
        wrong = [(name, value, line) for name, value, line in wrong if value != found[name]]
        for name, value, line in wrong:
            self.run.warnings.append(f"line {line}: {name} is {value} ns, the rows say {found[name]}")
        return len(wrong)


def parse(source: Source) -> Iterator[Run]:
    """Yield the runs of a log.

    Raises
    ------
    LogError
        If there is no table of ranges.

    Examples
    --------
    >>> log = b'''default_n=81000 nr_packets_drain_per_block=268
    ... ...
    ... [9800 - 9899] = 0
    ... ...
    ... [10000 - 10099] = 7
    ... [10100 - 10199] = 40
    ... ...
    ... [70000 - END] = 0
    ... Avg loop processing time: 10160
    ... '''
    >>> (run,) = parse(Source(None, "demo", log))
    >>> rows = run.rows.arrays()
    >>> [*zip(rows["low"].tolist(), rows["high"].tolist(), rows["n"].tolist())]
    [(9900.0, 10000.0, 7), (10000.0, 10100.0, 7), (10100.0, 10200.0, 40)]
    """
    runs: list[Run] = []
    open_run = _OpenRun()
    for line in source.lines():
        if _FREQUENCY.match(line.text) and (open_run.table.next or open_run.frequency):
            finished = open_run.finish()
            runs += [finished] if finished else []
            open_run = _OpenRun()
        _take(open_run, line)
    last = open_run.finish()
    runs += [last] if last else []
    if not runs:
        raise LogError(
            source.name, "no table of queuelat", "rows like '[0 - 99] = 48897' (a run that is killed prints none)"
        )
    if not last:
        runs[-1].ignored.merge(open_run.run.ignored)
        runs[-1].rejected.merge(open_run.run.rejected)
    yield from runs


def _take(run: _OpenRun, line: Line) -> None:
    """Take a line."""
    text, table = line.text, run.table
    if _LIKE.match(text) and (not line.whole or not _sound(run, line)):
        run.run.rejected.add("damaged line" if line.whole else "cut last line", line.number)
        table.damaged = table.damaged or line.number
    elif _LIKE.match(text):
        run.unquoted |= line.quote == 0
    elif _OMITTED.match(text):
        table.omitted = True
    elif _CALIBRATED.match(text):
        run.calibrated = True
        run.run.ignored.add("end of the calibration", line.number, len(table.counts) + 1)
        run.table = _Table()
    elif text.strip():
        if frequency := _FREQUENCY.match(text):
            run.frequency = frequency[1]
        elif _EXCEEDED.match(text):
            run.ended = "stopped at threshold"
        run.run.ignored.add("not of the table", line.number)


def _sound(run: _OpenRun, line: Line) -> bool:
    """Take a row or a line of the footer; return whether it is one, and can stand there."""
    if row := _ROW.match(line.text):
        edge, upper, count, fill = int(row[1]), row[2], row[3], row[4]
        right = upper == ("END" if edge == _END else str(edge + _STEP - 1)) and len(count) < 19
        return right and not (fill and run.calibrated) and run.table.add(edge, schema.count(count), line.number)
    if footer := _FOOTER.match(line.text):
        run.footer[footer[1]] = int(footer[2]), line.number
    elif average := _AVERAGE.match(line.text):
        run.footer["Avg"] = int(average[1]), line.number
    else:
        return False
    return True


FORMAT = Format(
    name="queuelat",
    title="queuelat",
    gives="bins of the time that one pass of a copy loop takes",
    versions="rt-tests 2.4",
    words=("tsc_freq_ghz", "] = "),
    marks=(_FREQUENCY, _ROW, _FOOTER),
    parse=parse,
    elides=True,
)
