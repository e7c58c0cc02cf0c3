"""From the lines of ``latency`` and ``latmus`` to the tests they belong to: where one begins, and what goes on."""

from __future__ import annotations

import re
from collections.abc import Callable

from rtlat import schema
from rtlat.formats import _rtd_latmus as latmus
from rtlat.formats import _rtd_lines as lines
from rtlat.formats._rtd_columns import FOREIGN, LATENCY_TABLES, are_damaged, columns
from rtlat.formats._rtd_gathered import KLATENCY, LATENCY, LATMUS, Clock, LatencyTest
from rtlat.formats._rtd_lines import LATMUS_MODES, MODES, TEN_MS, Tidy
from rtlat.protocol import Tally
from rtlat.source import Line

A_START = 5
"""A clock that goes back to no more than this is another run's, not one that was set. [s]"""

_PERIOD = re.compile(r"== Sampling period: (\d{1,9}) us")
_TEST_MODE = re.compile(r"== Test mode: (.{1,60})")
_COMMAND = re.compile(r".{0,200}?[#$%] +(?:[\w./~-]{0,100}/)?((?:k?latency|latmus)(?: [\w ./,:=\"-]{0,200})?)")
_MESSAGE = re.compile(r"(?:\S{0,100}/)?k?latency: .{1,200}")
_TOO_LATE = re.compile(r"Maximum latency exceeded: +-?\d{1,9}\.\d{3} > (\d{1,9})")
_NO_END = re.compile(r".{0,100}-q (?:requires -T|only works if -T)")
_ABOUT = {
    "version": re.compile(r"# Xenomai version: (\S.{0,200})"),
    "kernel": re.compile(r"# Linux (?:\S{1,100} )?(\d{1,3}\.\d{1,3}\S{0,100}.{0,200})"),
    "cmdline": re.compile(r"# Kernel parameters: (\S.{0,4000})"),
}
_HEADING = re.compile(r"[-|: ]{3,200}|HSH\|.*|# ?-.*|\|?(?:param|lat min)\|.*")


class Log:
    """A log on its way to the tests it holds.

    `last` is the test whose lines come next unless it is `closed`, `foreign` whose table they stand in if it is
    not read, `block` the histogram whose rows come next (``drawn`` for those of ``-g``).
    """

    def __init__(self) -> None:
        self.tests: list[LatencyTest] = []
        self.ignored = Tally()
        self.last = LatencyTest()
        self.closed = True
        self.foreign = ""
        self.refused: dict[str, int] = {}
        self.command = ""
        self.endless = False
        self.block = ""
        self.duration = -1
        self.tags: dict[str, Callable[[str, Line], bool]] = {
            "RTT": self.take_clock,
            "RTH": self.take_columns,
            "RTD": self.take_window,
            "RTS": self.take_summary,
            "HSD": self.take_bin,
            "HSS": self.take_stats,
        }

    def close(self) -> None:
        """Let no line go on with the last test: another tool's begins."""
        self.foreign, self.closed, self.block = "", True, ""

    def reject(self, line: Line, tidied: Tidy) -> None:
        """Count a line that should be data; what it leaves incomplete is noted."""
        test = self.test(line)
        tag = tidied.text[:3]
        if tag == "RTD":
            test.lost.add(len(test.windows))
            test.rejected_windows += 1
        test.torn = test.torn or tag not in self.tags or tag == "HSD"
        test.rejected.add("damaged line" if line.whole else "cut last line", line.number)

    def ignore(self, reason: str, line: Line) -> bool:
        """Count a line that is no data, with the test it stands in."""
        (self if self.closed else self.last).ignored.add(reason, line.number)
        return True

    def refuse(self, tool: str, line: Line) -> bool:
        """Pass over the table that begins, which is another tool's."""
        self.foreign, self.closed = tool, True
        self.refused.setdefault(tool, line.number)
        return self.ignore(f"table of {tool}", line)

    def test(self, line: Line, new: bool = False) -> LatencyTest:
        """The test that a line belongs to: the last one, or a new one."""
        if new or self.closed or self.last.quote != line.quote:
            tools = {"k": KLATENCY, "latmus": LATMUS}
            tool = next((tools[word] for word in tools if self.command.startswith(word)), LATENCY)
            self.last = LatencyTest(line.quote, tool)
            self.last.endless = self.endless or (self.command != "" and "-T" not in self.command)
            self.last.about = {"command": self.command} if self.command else {}
            self.tests.append(self.last)
            self.closed, self.foreign, self.command, self.endless = False, "", "", False
        return self.last

    def is_over(self) -> bool:
        """Whether the last test has come to its end, so that another window begins a new one."""
        last = self.last
        return bool(last.summary or last.bins or last.stats or last.drawing)

    def prints_ns(self) -> bool:
        """Whether whole numbers are nanoseconds: only 2.0 prints them, and names no unit."""
        last = self.last
        return last.variant.startswith("6 columns") and last.unit_basis != "printed" and not self.closed

    def take(self, line: Line, tidied: Tidy) -> bool:
        """Whether a line is understood; then it is kept, or counted as no data."""
        text, stopped, markdown = tidied
        unfinished = not self.closed and self.last.summary is None
        tag = text.partition("|")[0]
        if tag in self.tags:
            self.block = ""
            if self.foreign and tag not in ("RTT", "RTH"):
                return self.ignore(f"table of {self.foreign}", line)
            understood = self.tags[tag](text, line)
        elif not text:
            self.block = "drawn" if self.block == "drawn" else ""
            understood = True
        elif markdown and self.block in ("min", "avg", "max") and not _HEADING.fullmatch(text):
            understood = self.take_bin(f"HSD|{self.block}{text}", line)
        else:
            understood = self.take_other(text, line)
        self.last.stopped = self.last.stopped or (stopped and understood and unfinished)
        if markdown and understood and tag == "RTD":
            self.last.about["evidence"] = "printed table"
        return understood

    def take_clock(self, text: str, line: Line) -> bool:
        """RTT: the clock, and what is measured how."""
        clock = lines.clock(text)
        setting = lines.setting(clock[1]) if clock and clock[1] else None
        if not clock or (clock[1] and (not setting or setting.mode not in MODES)):
            return False
        if not setting and (self.closed or self.is_over()):
            return self.ignore("table head", line)  # `RTT|  00:00:01` is also how switchtest begins
        before = self.last.clocks[-1] if self.last.clocks else Clock(0, -1, 0, 0)
        stands_still = clock[0] == before.seconds and len(self.last.windows) > before.window + 1
        restarted = (clock[0] < before.seconds or stands_still) and clock[0] <= A_START
        other = setting is not None and self.last.mode not in ("", setting.mode)
        test = self.test(line, new=restarted or other or self.is_over())
        test.clocks.append(Clock(line.number, clock[0], len(test.windows), test.rtd_lines))
        if setting:
            describe(test, setting)
        return self.ignore("table head", line)

    def take_columns(self, text: str, line: Line) -> bool:
        """RTH: whose table it is."""
        names = columns(text)
        if names in FOREIGN:
            return self.refuse(FOREIGN[names], line)
        if names not in LATENCY_TABLES:
            damaged = are_damaged(names, LATENCY_TABLES, 4)
            return False if damaged else self.refuse(f"unknown columns ({', '.join(names)[:60]})", line)
        self.test(line, new=self.is_over()).variant = LATENCY_TABLES[names]
        return self.ignore("table head", line)

    def take_window(self, text: str, line: Line) -> bool:
        """RTD: a window."""
        found = lines.window(text, line.number)
        if not found:
            return False
        window, unit = found
        if unit == "ns" and not (self.prints_ns() and line.whole and window.switches < 0):
            return False
        test = self.test(line, new=self.is_over())
        if line.stopped and test.windows and window[1:] == test.windows[-1][1:]:
            test.warnings.append(f"line {line.number}: repeats the line before after ^C, and is left out")
            return self.ignore("line repeated after ^C", line)
        test.unit = unit
        test.variant = "7 columns" if window.switches >= 0 else "6 columns"
        if unit == "ns":
            test.variant += ", whole ns"
            test.mode = next(iter(MODES))  # there is no other before 2.1
        test.windows.append(window)
        return True

    def take_summary(self, text: str, line: Line) -> bool:
        """RTS: the summary."""
        found = lines.summary(text, line.number)
        if not found:
            return False
        summary, unit = found
        before = None if self.closed else self.last.summary
        if before and before[1:] == summary[1:]:
            return self.ignore("repeated RTS line", line)
        if unit == "ns" and not self.prints_ns():
            return False
        test = self.test(line, new=before is not None and before.asked >= 0)
        if summary.low == TEN_MS and summary.high == -TEN_MS:
            # `RTS|  10000.000|      0.000| -10000.000|       0|     0|    00:00:-01/00:00:-01`
            test.message = "it was stopped before its first line"
            return self.ignore("RTS without results", line)
        ordered = summary.low <= summary.avg <= summary.high or test.mode == "in-kernel periodic task"
        if not ordered or min(summary.actual, summary.asked) < 0:  # klatency may print an average that is too low
            return False
        test.summary = summary
        test.variant = test.variant or ("7 columns" if summary.switches >= 0 else "6 columns")
        return True

    def take_bin(self, text: str, line: Line) -> bool:
        """HSD: a bin of one of three histograms, or in Markdown the name of the one that follows."""
        if text in ("HSD|min", "HSD|avg", "HSD|max"):
            self.block = text[4:]
            return self.ignore("table head", line)
        found = lines.histogram_bin(text, line.number)
        if not found or not line.whole:
            return False
        kind, number, counted = found
        bins = self.test(line).bins.setdefault(kind, {})
        if number <= next(reversed(bins), -1):
            return False
        bins[number] = counted
        return True

    def take_stats(self, text: str, line: Line) -> bool:
        """HSS: the histogram's own count, average and standard deviation."""
        found = lines.stats(text, line.number)
        if not found or not line.whole:
            return False
        self.test(line).stats[found[0]] = found[1]
        return self.ignore("statistics in bins", line)

    def take_other(self, text: str, line: Line) -> bool:
        """What stands around the tables: always understood, unless it is a damaged row of ``-g``."""
        if text.startswith(("== ", "warming up...")) or latmus.starts(text):
            return self.take_head(text, line)
        if not self.closed and latmus.take_message(self.last, text, line.number):
            return self.ignore("message of latmus", line)
        if text.startswith("#") and self.take_comment(text, line):
            return True
        if self.block == "drawn" and text[:1].isdigit():
            row = (latmus.row if self.last.comments else lines.drawn_row)(text, line.number)
            if row and line.whole:
                self.test(line).drawn.append(row)
            return bool(row and line.whole)
        if command := _COMMAND.fullmatch(text) if "lat" in text else None:
            self.command = command[1].strip()
            return self.ignore("command line", line)
        if _NO_END.match(text):
            self.endless = True
        elif late := _TOO_LATE.fullmatch(text):
            self.last.threshold = schema.to_ns(late[1], "us")
        elif _MESSAGE.fullmatch(text):
            self.last.message = text
        return self.ignore("table head" if _HEADING.fullmatch(text) else "text around the tables", line)

    def take_head(self, text: str, line: Line) -> bool:
        """The lines that begin a test."""
        period, mode = _PERIOD.fullmatch(text), _TEST_MODE.fullmatch(text)
        results = text == "== All results in microseconds"
        evl = latmus.starts(text)
        if not (period or mode or results or evl or text == "warming up..."):
            return self.ignore("text around the tables", line)
        going_on = bool(self.last.windows or self.last.clocks)
        test = self.test(line, new=period is not None or going_on or self.is_over())
        test.begun = True
        if period:
            test.periods.add(int(period[1]) * 1000)
        if mode and mode[1] in MODES:
            test.mode = mode[1]
        if results:
            test.unit_basis = "printed"
        if evl:
            latmus.take_message(test, text, line.number)
        return self.ignore("table head", line)

    def take_comment(self, text: str, line: Line) -> bool:
        """Whether a line is of the comments before the rows of ``-g``."""
        clock = lines.clock(text)
        setting = lines.setting(clock[1]) if clock else None
        if clock and setting and setting.mode in MODES:
            test = self.test(line, new=self.last.drawing or self.last.summary is not None)
            test.drawing, self.block, self.duration = True, "drawn", clock[0]
            test.variant = test.variant or "-g file"
            describe(test, setting)
        elif told := latmus.comment(text) if line.whole else None:
            self.take_told(*told, line)
        elif self.block != "drawn":
            return False
        elif self.last.comments:
            if next(reversed(self.last.comments)) == "kernel":  # /proc/cmdline follows /proc/version, without a name
                self.last.comments["cmdline"] = text[1:].strip()
        elif totals := lines.drawn_totals(text, line.number, self.duration):
            if totals.low <= totals.avg <= totals.high:
                self.last.summary = self.last.summary or totals
        else:
            found = {name: pattern.fullmatch(text) for name, pattern in _ABOUT.items()}
            self.last.about |= {name: row[1].strip() for name, row in found.items() if row}
        return self.ignore("comment of -g", line)

    def take_told(self, key: str, value: str, line: Line) -> None:
        """Keep what a comment of the ``-g`` file of ``latmus`` tells; the first one may begin a test."""
        if self.block != "drawn" or self.last.drawn or not self.last.comments:
            over = self.last.drawing or self.last.summary is not None
            self.last = self.test(line, new=over or self.last.tool != LATMUS)
        test = self.last
        test.tool, test.drawing, self.block = LATMUS, True, "drawn"
        test.variant = test.variant or "-g file"
        if test.comments.setdefault(key, value) != value:
            test.rejected.add("comment of -g that contradicts one before", line.number)
        test.commented = line.number if key == "low" else test.commented


def describe(test: LatencyTest, setting: lines.Setting) -> None:
    """Keep what stands in brackets after a clock."""
    test.mode = test.mode or setting.mode
    test.tool = LATMUS if setting.mode in LATMUS_MODES else test.tool
    test.cpu = test.cpu if test.cpu >= 0 else setting.cpu
    test.periods.add(setting.period)
    test.priority = test.priority if test.priority >= 0 else setting.priority
