"""Hands each line of a log to the reader of the table it stands in."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from rtlat.formats import _rtd_latmus, _rtd_rtai, _rtd_run, _rtd_switches
from rtlat.formats._rtd_block import Shape, table
from rtlat.formats._rtd_columns import MAKERTAI, RTAI_TABLES, are_damaged, columns
from rtlat.formats._rtd_lines import clock_setting, tidy
from rtlat.formats._rtd_log import Log
from rtlat.formats._rtd_makertai import Makertai
from rtlat.formats._rtd_many import take_rows, take_windows
from rtlat.formats._rtd_suite_rows import ROWS
from rtlat.formats._rtd_switches import SwitchTest
from rtlat.formats._rtd_testsuite import Suite
from rtlat.protocol import Run, Tally
from rtlat.shapes import Stretch
from rtlat.source import Line

_TAGGED = re.compile(r"(?:RT[THDS]|HS[DHS]|---)\||== |#|warming up|FOR \d|RTAI |\*\*\*")
_DATA = ("RTD|", "RTS|", "HSD|", "HSH|", "HSS|")


class Tables:
    """A log on its way to the readers of its tables.

    `log` reads those of ``latency`` and ``latmus``, and all lines that are nobody else's, `suite` those of RTAI's
    tests, `makertai` what a script writes around these. An RTH line decides whose the RTD lines after it are.
    """

    def __init__(self) -> None:
        self.log = Log()
        self.suite = Suite()
        self.makertai = Makertai()

    def begins(self, line: Line) -> bool:
        """Whether a line is none that goes on with the one before."""
        text = tidy(line).text
        return not text or bool(_TAGGED.match(text))

    def take(self, line: Line, joined: bool) -> bool:
        """Whether a line, perhaps joined from several, is understood; then its reader has kept or counted it."""
        tidied = tidy(line)
        text, tag = tidied.text, tidied.text[:4]
        if self.suite.table and tidied.stopped:
            self.suite.table.stopped = True
        if tag == "RTD|" and self.suite.table:
            return self.suite.take_row(line, tidied, joined)
        if tag == "RTH|" and (names := columns(text)):
            if names in RTAI_TABLES:
                self.log.close()
                return self.suite.take_columns(RTAI_TABLES[names], line)
            if are_damaged(names, RTAI_TABLES, 3 if self.suite.table else 4):
                return False
            if names[0] in MAKERTAI:
                self.suite.close()
                self.log.close()
                return self.makertai.take(line)
        if tag in ("RTH|", "RTT|"):
            self.suite.close()
        elif tag == "FOR " and " TASKS: TIME " in text:
            return self.suite.take_switches(text, line)
        elif tag not in _DATA or self.makertai.names:
            if self.suite.take_head(text, line):
                return True
            if self.makertai.take(line):
                self._enter()
                return True
        return self.log.take(line, tidied)

    def take_many(self, found: Stretch[Shape]) -> bool:
        """Whether lines that follow each other go on with one table; then they are kept."""
        many = table(found)
        if not many.name or not len(many.rows):
            return False
        if many.name in ROWS:
            taken = take_rows(self.suite, many)
            if taken and len(many.heads):
                self.log.close()
            return taken
        if self.suite.table or self.makertai.names or self.log.foreign:
            return False
        first = found.part(int(many.clocks[0, 0]) - found.first).lines() if many.clocks.size else None
        return take_windows(self.log, many, clock_setting(tidy(next(first)).text) if first else None)

    def _enter(self) -> None:
        """Tell the tests where in the script's log they stand."""
        self.suite.kernel_log = self.makertai.kernel_log
        if self.makertai.test:
            self.suite.enter(self.makertai.test)

    def reject(self, line: Line) -> None:
        """Count a line that should be data, with the table it stands in."""
        tidied = tidy(line)
        tabular = tidied.text.startswith(("RTD", "RTH", "FOR"))
        if tabular and (self.suite.table or tidied.text.startswith("FOR")):
            self.suite.reject(line)
        else:
            self.log.reject(line, tidied)

    def runs(self) -> Iterator[Run]:
        """Yield the runs of all tests, in the order they stand in the log."""
        self.suite.finish()
        found: list[tuple[int, Run]] = []
        for latency in _rtd_latmus.joined(self.log.tests):
            if run := _rtd_run.run_of(latency):
                found.append((_first_line(run), run))
            else:
                for tally in (latency.ignored, latency.rejected):
                    _count(self.log.ignored, tally, "line of a test without results")
            latency.windows.clear()
        for test in self.suite.tests:
            run = _rtd_switches.run_of(test) if isinstance(test, SwitchTest) else _rtd_rtai.run_of(test)
            if run and self.makertai.certain:
                self.makertai.describe(run, test.section)
            if run:
                found.append((_first_line(run), run))
            elif not isinstance(test, SwitchTest):
                _count(self.suite.ignored, test.ignored)
                _count(self.suite.rejected, test.rejected)
            if not isinstance(test, SwitchTest):
                test.rows.clear()
        found.sort(key=lambda place: place[0])
        for _, run in found[:1]:
            for tally in (self.log.ignored, self.suite.ignored, self.makertai.ignored):
                run.ignored.merge(tally)
            run.rejected.merge(self.suite.rejected)
        yield from (run for _, run in found)


def _first_line(run: Run) -> int:
    """The first line that a run is made of."""
    return min(int(np.min(columns["line"])) for _, columns in run.rows.chunks())


def _count(into: Tally, tally: Tally, reason: str = "") -> None:
    """Count the lines of a test that is no run, for a reason of their own or all for one."""
    for own, (number, first) in tally.reasons.items():
        into.add(reason or own, first, number)
