"""Latencies as the LAVA test lab reports them: minimum, average and maximum of each thread, a line for each.

In three notations: the lines of Linaro's test-definitions, the signals they become on the console, and the mail that
LAVA sends, whose lines a mailer may have wrapped::

    t0-max-latency pass 33 us

    <LAVA_SIGNAL_TESTCASE TEST_CASE_ID=t0-max-latency RESULT=pass UNITS=us MEASUREMENT=33.0>

    Test Suite 1_cyclictest: http://lava.ciplatform.org/results/797162/1_cyclic=
    test
    Test Case t0-max-latency: Test passed
    Measurement: 53.0000000000 us

``t`` is a thread, ``i`` the interrupt of rtla's timerlat. A case that failed has its measurement, too. How many
observations there were, and the limits, are not reported; the test suite's name tells the tool. The scripts print
the unit us whatever the tool's options were.

Source: Linaro/test-definitions ``automated/lib/parse_rt_tests_results.py``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from rtlat import schema
from rtlat.errors import LogError
from rtlat.protocol import Format, Run, Tally
from rtlat.source import Line, Source

QUANTITY = {
    "cyclicdeadline": "thread",
    "cyclictest": "thread",
    "pmqtest": "message",
    "ptsematest": "mutex",
    "signaltest": "signal_ring",
    "sigwaittest": "signal",
    "svsematest": "semaphore",
    "timerlat": "thread",
}
"""What the tools measure whose names are found in a test suite's."""

_NAME = r"([it])(\d{1,5}(?:-\d{1,5})?)-(min|avg|max)-latency"
_NUMBER = r"(-?\d{1,15}(?:\.\d{1,15})?)"
_RESULT = re.compile(rf"\s*{_NAME} (pass|fail) {_NUMBER} (\w{{1,16}})\s*$")
_RESULT_LIKE = re.compile(rf"\s*{_NAME} (?:pass|fail)")
_SIGNAL = re.compile(r".{0,200}?<LAVA_SIGNAL_TESTCASE ([^>]{1,400})>")
_PAIR = re.compile(r"(\w{1,32})=(\S{1,200})")
_ESCAPE = re.compile(r"=([0-9A-F]{2})")
_CASE = re.compile(r"\s*Test Case ([\w.+-]{1,200}): Test (passed|failed|skipped)\s*$")
_MEASUREMENT = re.compile(rf"\s*Measurement: {_NUMBER} (\w{{1,16}})\s*$")
_MEASUREMENT_LIKE = re.compile(r"\s*Measurement:")
_SUITE = re.compile(r"\s*Test Suite ([\w.+-]{1,200}):|.{0,200}?<LAVA_SIGNAL_STARTRUN ([\w.+-]{1,200}) ")
_DEVICE = re.compile(r"(Type|Description|Started): *(\S.{0,999}?)\s*$")
_UNITS = {"us": "us", "usec": "us", "ns": "ns", "nsec": "ns", "ms": "ms", "msec": "ms", "s": "s", "seconds": "s"}
_LONGEST_JOIN = 2000
_PLAUSIBLE = 1e9  # [ns]; cyclicdeadline was seen with 269999981 us, and it passed


@dataclass(slots=True)
class _Suite:
    """What one test suite reports: numbers with their unit and line by thread and statistic."""

    name: str
    line: int
    quoted: bool
    numbers: dict[tuple[str, str], dict[str, tuple[str, str, int]]] = field(default_factory=dict)
    failed: list[tuple[str, int]] = field(default_factory=list)
    tool: str = ""


@dataclass(slots=True)
class _Report:
    """A log while it is being read."""

    suites: list[_Suite] = field(default_factory=list)
    said: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    case: tuple[str, str] = ("", "")
    suite: str = ""
    rejected: Tally = field(default_factory=Tally)
    ignored: Tally = field(default_factory=Tally)

    def take(self, line: Line) -> None:
        """Read one line."""
        case, self.case = self.case, ("", "")
        text = line.text
        if signal := _SIGNAL.match(text):
            words = signal[1]
            if "TEST_CASE_ID=3D" in words:  # as a mailer encoded it
                words = _ESCAPE.sub(lambda code: chr(int(code[1], 16)), words)
            pairs = dict(_PAIR.findall(words))
            self._result(pairs.get("TEST_CASE_ID", ""), pairs.get("RESULT", ""), pairs, line)
        elif result := _RESULT.match(text):
            name = text.split()[0]
            self._result(name, result[4], {"MEASUREMENT": result[5], "UNITS": result[6]}, line)
        elif found := _CASE.match(text):
            self.case = found[1], found[2]
            self._tool(found[1])
        elif measured := _MEASUREMENT.match(text):
            if measured[2] == "seconds":
                self.seconds[case[0]] = float(measured[1])
            self._result(case[0], case[1], {"MEASUREMENT": measured[1], "UNITS": measured[2]}, line)
        elif suite := _SUITE.match(text):
            self.suite = suite[1] or suite[2]
        elif _RESULT_LIKE.match(text) or (_MEASUREMENT_LIKE.match(text) and re.fullmatch(_NAME, case[0])):
            self.rejected.add("damaged result" if line.whole else "cut last line", line.number)
        elif device := _DEVICE.match(text):
            self.said.setdefault(device[1], device[2])
        elif len(words := text.split()) == 2 and words[1] in ("pass", "fail"):
            self._tool(words[0])  # `cyclictest pass` ends the results
        elif text.strip():
            self.ignored.add("lines that are no latency", line.number)

    def _result(self, name: str, result: str, pairs: dict[str, str], line: Line) -> None:
        """Keep one measurement, if it is a latency."""
        found = re.fullmatch(_NAME, name)
        number, unit = pairs.get("MEASUREMENT", ""), _UNITS.get(pairs.get("UNITS", ""))
        if not found:
            self._tool(name)
            self.ignored.add("results that are no latency", line.number)
        elif not line.whole or not unit or not re.fullmatch(_NUMBER, number):
            self.rejected.add("damaged result" if line.whole else "cut last line", line.number)
        else:
            thread, statistic = (f"t{found[2]}", "irq" if found[1] == "i" else ""), found[3]
            suite = self.suites[-1] if self.suites else None
            if not suite or suite.name != self.suite or statistic in suite.numbers.get(thread, ()):
                suite = _Suite(self.suite, line.number, line.quote > 0)
                self.suites.append(suite)
            suite.numbers.setdefault(thread, {})[statistic] = number, unit, line.number
            if result.startswith("fail"):
                suite.failed.append((name, line.number))

    def _tool(self, name: str) -> None:
        """A test case named like a tool belongs to the suite it stands in."""
        if name in QUANTITY and self.suites and not self.suites[-1].tool:
            self.suites[-1].tool = name


def parse(source: Source) -> Iterator[Run]:
    """Yield a run for each test suite that reports latencies, and for each time it does so.

    Raises
    ------
    LogError
        If there is no readable latency.

    Examples
    --------
    >>> log = b"t0-min-latency pass 5 us\\nt0-avg-latency pass 9.25 us\\nt0-max-latency pass 66 us\\ncyclictest pass\\n"
    >>> (run,) = parse(Source(None, "result.txt", log))
    >>> rows = run.rows.arrays()
    >>> [rows[name].tolist() for name in ("series", "quantity", "low", "avg", "high", "n")]
    [['t0'], ['thread'], [5000.0], [9250.0], [66000.0], [-1]]
    """
    report = _Report()
    for line in _unwrapped(source.lines()):
        report.take(line)
    runs = [run for suite in report.suites if len((run := _run(suite, report)).rows)]
    if not runs:
        raise LogError(source.name, "no latency", "results like 't0-max-latency pass 33 us'")
    runs[0].ignored, runs[0].rejected = report.ignored, report.rejected
    if report.rejected.total:
        first = min(line for _, line in report.rejected.reasons.values())
        runs[0].warnings.append(f"{report.rejected.total} results could not be read (the first in line {first})")
    yield from runs


def _unwrapped(lines: Iterator[Line]) -> Iterator[Line]:
    """Yield lines that a mailer wrapped, with ``=`` at their end, as they were."""
    held: Line | None = None
    for line in lines:
        text = line.text.rstrip()
        if held:
            if _SUITE.match(text) or _CASE.match(text) or _RESULT.match(text) or _SIGNAL.match(text):
                yield held  # ended in = by itself
            else:
                line = replace(held, text=held.text[:-1] + line.text, whole=line.whole)
            text, held = line.text.rstrip(), None
        if text.endswith("=") and len(text) < _LONGEST_JOIN:
            held = replace(line, text=text)
        else:
            yield replace(line, text=text.removesuffix("=20"))
    if held:
        yield held


def _run(suite: _Suite, report: _Report) -> Run:
    """The run of one suite."""
    tool = next((tool for tool in QUANTITY if tool in suite.name), suite.tool)
    run = Run(tool or "LAVA test", quoted=suite.quoted)
    units = {unit for numbers in suite.numbers.values() for _, unit, _ in numbers.values()}
    run.facts = _facts(suite, report.said, tool, units)
    if not tool:
        run.warnings.append("no tool is named: what was measured is not known")
    seconds = report.seconds.get(suite.name, math.inf)
    for (series, irq), numbers in suite.numbers.items():
        low, avg, high = (
            schema.to_ns(*numbers[name][:2]) if name in numbers else missing
            for name, missing in (("min", -math.inf), ("avg", math.nan), ("max", math.inf))
        )
        line = min(line for _, _, line in numbers.values())
        if not {"min", "max"} & numbers.keys():
            run.warnings.append(f"line {line}: {series} has an average only, which is not kept")
        elif low > high or (not math.isnan(avg) and not low <= avg <= high):
            printed = ", ".join(f"{name} {number} {unit}" for name, (number, unit, _) in numbers.items())
            run.warnings.append(f"line {line}: {series} has {printed}, which contradict each other and are not kept")
        else:
            quantity = irq or QUANTITY.get(tool, "unknown")
            run.rows.add(series, quantity, "summary", low, high, avg=avg, line=line)
        if math.isfinite(high) and high > min(_PLAUSIBLE, 1e9 * seconds):
            limit = f"the test took {seconds} s" if high > 1e9 * seconds else "no latency is"
            run.warnings.append(f"line {line}: the maximum of {series}, {high / 1e9} s, is not plausible: {limit}")
    if suite.failed:
        names = ", ".join(name for name, _ in suite.failed[:3])
        run.warnings.append(f"line {suite.failed[0][1]}: failed a limit that is not reported: {names}")
    return run


def _facts(suite: _Suite, said: dict[str, str], tool: str, units: set[str]) -> dict[str, Any]:
    """The columns of runs that the report states."""
    unit = next(iter(units)) if len(units) == 1 else ""
    facts: dict[str, Any] = {
        "variant": suite.name,
        "machine": said.get("Type", ""),
        "note": said.get("Description", ""),
        "started": said.get("Started", ""),
        "context": "user",
        "printed_unit": unit,
        "unit_basis": "printed",
        "rounding": "unknown",
        "ended": "unknown",
        "evidence": "log",
    }
    if tool in QUANTITY and unit == "us":  # these print whole microseconds
        facts |= {"resolution": 1000.0, "rounding": "truncated"}
    return {name: value for name, value in facts.items() if value != ""}


FORMAT = Format(
    name="lava_results",
    title="LAVA: result lines, console signals, mails",
    gives="a summary of thread and irq latency for each thread",
    versions="mails of 2022; result lines and signals untested on real logs",
    words=("-latency",),
    marks=(
        _RESULT,
        re.compile(rf".{{0,200}}?<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=(?:3D)?{_NAME} "),
        re.compile(rf"\s*Test Case {_NAME}: Test (?:passed|failed)"),
    ),
    parse=parse,
)
