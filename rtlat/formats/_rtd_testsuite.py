"""From the lines of RTAI's testsuite to the tests they belong to.

::

    RTAI Testsuite - KERNEL latency (all data in nanoseconds)
    RTH|    lat min|    ovl min|    lat avg|    lat max|    ovl max|   overruns
    RTD|        -71|        -71|         68|     697876|     697876|      19711
    FOR 10 TASKS: TIME 5 (ms), SUSP/RES SWITCHES 40000, SWITCH TIME (INCLUDING FULL FP SUPPORT) 145 (ns)

A display program prints the heads and lines (testsuite/kern/latency/display.c and its like); the period and the
timer's mode stand in lines before them, if a user has kept those. Whole numbers do not show that a digit is lost,
but their columns do: each is at least as wide as its head.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rtlat.formats._rtd_lines import Tidy
from rtlat.formats._rtd_switches import SwitchTest, switches
from rtlat.protocol import Tally
from rtlat.source import Line

WIDTHS = {"latency": 11, "preempt": 12}
"""How wide the columns of each table are."""

LINES = 21
"""RTD lines to an RTH line."""

_HEAD = re.compile(r"RTAI [Tt]estsuite (?:- )?(.{1,60}?) ?\((?:all|output) data in nanoseconds\)")
_CALIBRATION = "## RTAI latency calibration tool ##"
_TASKS = re.compile(r"\*\*\* latency verification tool with (.{1,80}?) \*\*\*")
_PERIOD_AND_TIME = re.compile(r"\*\*\* +period = (\d{1,10}) \(ns\), +avrgtime = (\d{1,6}) \(s\) +\*\*\*")
_PERIOD = re.compile(r"# period = (\d{1,10}) \(ns\)")
_TIME = re.compile(r"# (?:avrgtime|average time) = (\d{1,6}) \(s\)")
_TIMER = re.compile(r"# timer_mode is (oneshot|periodic)")
_CLOCK = re.compile(r"\d{4}/\d\d/\d{1,2} \d\d:\d\d:\d\d")
_OTHER = re.compile(r"#(?: do not)? (?:use the FPU|start the timer)|# check (?:overall|each average) worst case")
_INTEGER = re.compile(r"-?\d{1,11}")


class Latency(NamedTuple):
    """An RTD line of ``latency``; times in ns, the overruns since the test began."""

    line: int
    low: int
    best: int
    avg: int
    high: int
    worst: int
    overruns: int


class Preempt(NamedTuple):
    """An RTD line of ``preempt``; times in ns. All but `avg` are extremes since the test began."""

    line: int
    low: int
    avg: int
    high: int
    fast: int
    slow: int


@dataclass(slots=True)
class Settings:
    """What the lines before a table say of the test.

    Attributes
    ----------
    name : str
        As in the head: ``KERNEL latency``.
    period, seconds : int
        Of the measuring task [ns], and what a line is about [s]; 0 if not printed.
    timer_mode : str
        ``oneshot`` or ``periodic``.
    tasks : str
        What kind of tasks are timed.
    started : str
        When, if it is printed.
    """

    name: str = ""
    period: int = 0
    seconds: int = 0
    timer_mode: str = ""
    tasks: str = ""
    started: str = ""


@dataclass(slots=True)
class TableTest:
    """One run of ``latency`` or ``preempt`` as its lines state it.

    Attributes
    ----------
    section : str
        What makertaikernel.sh calls the test: ``kern/latency``.
    rows : list of Latency or Preempt
        Its RTD lines.
    stopped, repeated, cut : bool
        Whether ^C shows, the last line stood there twice, or the log ends within a line.
    lost : set of int
        Rows before which lines are missing.
    first, since_head : int
        The row that followed the last RTH, and the lines since then, with those that could not be read.
    """

    table: str
    quote: int
    settings: Settings
    section: str = ""
    rows: list[Latency | Preempt] = field(default_factory=list)
    lost: set[int] = field(default_factory=set)
    first: int = 0
    since_head: int = 0
    stopped: bool = False
    repeated: bool = False
    cut: bool = False
    ignored: Tally = field(default_factory=Tally)
    rejected: Tally = field(default_factory=Tally)
    warnings: list[str] = field(default_factory=list)


class Suite:
    """A log on its way to the tests of RTAI it holds.

    `table` is the test whose rows come next, if any; `settings` what stands before the next one; `section` what
    makertaikernel.sh calls it; `kernel_log` whether the kernel's messages come, which repeat results.
    """

    def __init__(self) -> None:
        self.tests: list[TableTest | SwitchTest] = []
        self.ignored = Tally()
        self.rejected = Tally()
        self.settings = Settings()
        self.table: TableTest | None = None
        self.section = ""
        self.kernel_log = False
        self.results: set[tuple[int | str | bool, ...]] = set()

    def close(self) -> None:
        """Let no line go on with the last table: another tool's begins."""
        self.table = None

    def enter(self, section: str) -> None:
        """Begin a test of makertaikernel.sh's log."""
        self.table, self.settings, self.section = None, Settings(), section

    def ignore(self, reason: str, line: Line) -> bool:
        """Count a line that is no data, with the test it stands in."""
        (self.table or self).ignored.add(reason, line.number)
        return True

    def reject(self, line: Line) -> None:
        """Count a line that should be data."""
        (self.table or self).rejected.add("damaged line" if line.whole else "cut last line", line.number)
        if self.table:
            self.table.lost.add(len(self.table.rows))
            self.table.since_head += 1
            self.table.cut = self.table.cut or not line.whole

    def take_head(self, text: str, line: Line) -> bool:
        """Whether a line is one of those that stand before a table; then what it says is kept."""
        settings = self.settings
        if head := _HEAD.match(text):
            self.table, settings.name = None, head[1]
        elif text == _CALIBRATION:
            self.table, self.settings = None, Settings()
        elif tasks := _TASKS.fullmatch(text):
            settings.tasks = tasks[1]
        elif both := _PERIOD_AND_TIME.fullmatch(text):
            settings.period, settings.seconds = int(both[1]), int(both[2])
        elif period := _PERIOD.fullmatch(text):
            settings.period = int(period[1])
        elif time := _TIME.fullmatch(text):
            settings.seconds = int(time[1])
        elif timer := _TIMER.fullmatch(text):
            settings.timer_mode = timer[1]
        elif (settings.name or self.table) and _CLOCK.fullmatch(text):  # `1999/11/30 00:00:24` above each RTH
            settings.started = text if settings.name else ""
        elif not _OTHER.fullmatch(text):
            return False
        return self.ignore("table head", line)

    def take_columns(self, table: str, line: Line) -> bool:
        """RTH: a table begins, or goes on."""
        test = self.table
        if test is None or test.table != table or test.quote != line.quote:
            self._begin(table, line)
        elif test.rows and test.since_head < LINES:
            test.lost.update(range(test.first, len(test.rows)))
            test.warnings.append(
                f"line {line.number}: {LINES - test.since_head} of {LINES} RTD lines before it are missing"
            )
        if self.table:
            self.table.first, self.table.since_head = len(self.table.rows), 0
        return self.ignore("table head", line)

    def _begin(self, table: str, line: Line) -> TableTest:
        """A new test, with what the lines before it say."""
        self.table = TableTest(table, line.quote, self.settings, self.section)
        self.tests.append(self.table)
        self.settings = Settings()
        return self.table

    def take_row(self, line: Line, tidied: Tidy, joined: bool) -> bool:
        """RTD: a row, if its columns are as wide as they must be."""
        test = self.table
        cells = tidied.text.split("|")[1:]
        kind = Latency if test and test.table == "latency" else Preempt
        if test is None or len(cells) != len(kind._fields) - 1 or not all(map(_INTEGER.fullmatch, cells)):
            return False
        if not line.whole or not (joined or _is_aligned(line.text, WIDTHS[test.table])):
            return False
        row = kind(line.number, *map(int, cells))
        if not _is_ordered(row):
            return False
        if test.quote != line.quote:
            test = self._begin(test.table, line)
        before = test.rows[-1] if test.rows else None
        if before and tidied.stopped and row[1:] == before[1:]:
            return self._repeated(test, row.line)
        if before and _goes_back(before, row):
            if not _may_be_first(before, row):
                return False
            test = self._begin(test.table, line)
        test.rows.append(row)
        test.since_head += 1
        test.stopped = test.stopped or tidied.stopped
        return True

    def _repeated(self, test: TableTest, line: int) -> bool:
        """The display prints its last line again when ^C interrupts it in the middle of waiting for the next."""
        test.stopped = test.repeated = True
        test.warnings.append(f"line {line}: repeats the line before after ^C, and is left out")
        test.ignored.add("line repeated after ^C", line)
        return True

    def take_switches(self, text: str, line: Line) -> bool:
        """FOR n TASKS: the average time of one kind of switch."""
        self.table = None
        found = switches(text, line.number)
        if not found or not line.whole:
            return False
        if self.kernel_log and found[1:] in self.results:
            return self.ignore("kernel log that repeats a result", line)
        self.results.add(found[1:])
        section = "" if self.kernel_log else self.section
        last = self.tests[-1] if self.tests else None
        if not isinstance(last, SwitchTest) or not last.goes_on_with(found, section, line.quote):
            last = SwitchTest(line.quote, section)
            self.tests.append(last)
        last.rows.append(found)
        return True

    def finish(self) -> None:
        """Leave out last lines that were printed twice; not every terminal shows the ^C."""
        for test in self.tests:
            if isinstance(test, TableTest) and not test.repeated and _ends_twice(test.rows):
                line = test.rows.pop().line
                test.stopped = test.repeated = True
                test.warnings.append(f"line {line}: repeats the line before, as ^C makes it, and is left out")
                test.ignored.add("last line printed twice", line)


def _ends_twice(rows: Sequence[Latency | Preempt]) -> bool:
    """Whether the last two rows are equal."""
    return len(rows) > 1 and rows[-1][1:] == rows[-2][1:]


def _is_aligned(text: str, width: int) -> bool:
    """Whether each cell is at least as wide as its head, or all have lost their blanks alike.

    Examples
    --------
    >>> _is_aligned("RTD|        -71|     697876|      19711", 11), _is_aligned("RTD| -71| 697876| 19711", 11)
    (True, True)
    >>> _is_aligned("RTD|        -71|     69787|      19711", 11)
    False
    """
    cells = text.rstrip().split("|")[1:]
    narrow = [cell for cell in cells if len(cell) < width]
    return not narrow or all(len(cell) - len(cell.lstrip()) <= 1 for cell in cells)


def _is_ordered(row: Latency | Preempt) -> bool:
    """Whether the extremes of a row contain each other; its average may have left the 32 bits of its sum."""
    if isinstance(row, Latency):
        return row.best <= row.low <= row.high <= row.worst and row.overruns >= 0
    return row.low <= row.high and min(row.fast, row.slow) >= 0


def _goes_back(before: Latency | Preempt, row: Latency | Preempt) -> bool:
    """Whether a running extreme or total is less than in the row before."""
    if isinstance(before, Latency) and isinstance(row, Latency):
        return row.best > before.best or row.worst < before.worst or row.overruns < before.overruns
    if isinstance(before, Preempt) and isinstance(row, Preempt):
        return row.low > before.low or row.high < before.high or row.fast < before.fast or row.slow < before.slow
    return True


def _may_be_first(before: Latency | Preempt, row: Latency | Preempt) -> bool:
    """Whether a row whose running extremes go back may be another test's first."""
    if isinstance(row, Latency):
        return row.low == row.best and row.high == row.worst
    return isinstance(before, Preempt) and row.low >= before.low and row.high <= before.high
