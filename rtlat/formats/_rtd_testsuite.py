"""From the lines of RTAI's testsuite to the tests they belong to.

::

    RTAI Testsuite - KERNEL latency (all data in nanoseconds)
    RTH|    lat min|    ovl min|    lat avg|    lat max|    ovl max|   overruns
    RTD|        -71|        -71|         68|     697876|     697876|      19711
    FOR 10 TASKS: TIME 5 (ms), SUSP/RES SWITCHES 40000, SWITCH TIME (INCLUDING FULL FP SUPPORT) 145 (ns)

A display program prints the heads and lines (testsuite/kern/latency/display.c and its like); the period and the
timer's mode stand in lines before them, if a user has kept those.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from rtlat.digits import Array
from rtlat.formats._rtd_lines import Tidy
from rtlat.formats._rtd_rows import RtdRows
from rtlat.formats._rtd_suite_rows import ROWS, is_aligned, numbers
from rtlat.formats._rtd_switches import SwitchTest, switches
from rtlat.protocol import Tally
from rtlat.source import Line

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
    rows : RtdRows
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
    rows: RtdRows[Any] = field(init=False)
    lost: set[int] = field(default_factory=set)
    first: int = 0
    since_head: int = 0
    stopped: bool = False
    repeated: bool = False
    cut: bool = False
    ignored: Tally = field(default_factory=Tally)
    rejected: Tally = field(default_factory=Tally)
    warnings: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin without a row."""
        self.rows = RtdRows[Any](ROWS[self.table])


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
        cells = numbers(tidied.text, test.table) if test else []
        if test is None or not cells or not line.whole or not (joined or is_aligned(line.text, test.table)):
            return False
        row: Any = ROWS[test.table](line.number, *cells)
        if not row.is_ordered():
            return False
        if test.quote != line.quote:
            test = self._begin(test.table, line)
        before = test.rows[-1] if test.rows else None
        if before and tidied.stopped and row[1:] == before[1:]:
            return self._repeated(test, row.line)
        if before and row.goes_back(before):
            if not row.may_be_first(before):
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
            if isinstance(test, TableTest) and not test.repeated and _ends_twice(test.rows.table):
                line = test.rows.pop().line
                test.lost = {min(place, len(test.rows)) for place in test.lost}  # what comes after it comes last
                test.stopped = test.repeated = True
                test.warnings.append(f"line {line}: repeats the line before, as ^C makes it, and is left out")
                test.ignored.add("last line printed twice", line)


def _ends_twice(rows: Array) -> bool:
    """Whether the last two rows are equal."""
    return len(rows) > 1 and bool((rows[-1, 1:] == rows[-2, 1:]).all())
