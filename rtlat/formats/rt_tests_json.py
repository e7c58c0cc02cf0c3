"""What ``cyclictest --json`` writes (rt-tests from 1.11-rc0, 2019), in a file or amid the text of its output.

The file is not always JSON: the command line stands in it as it was given, quotes and all, and a thread
without a sample has ``"avg": -nan``. Both are read. Two keys end in a colon, ``"cmdline:"`` and
``"rt_test_version:"``. The limit of the histogram stands only in the command line; what lies beyond it is not
stored, but is ``cycles`` minus the sum of the bins.

Sources: rt-tests ``src/cyclictest/cyclictest.c`` (write_stats), ``src/lib/rt-utils.c`` (rt_write_json).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import Any

from rtlat import cyclictest, jsontext, schema
from rtlat.errors import LogError, UnsupportedFormatError
from rtlat.protocol import Format, Run, Tally
from rtlat.rows import Array
from rtlat.source import Line, Source

# `  "cmdline:": "cyclictest -t2 -a -m -p80 -q -D1 --json=json_quote".json",` is no JSON
_COMMAND = re.compile(r'(\s*"cmdline:?": *)"(.*)"(,?\s*)$')
_FIRST_MIN = 1_000_000  # what "min" is before the first sample, and stays if no sample is below
_HUGE_AVERAGE = 1e15  # one negative latency, summed as unsigned, lifts the average above this


@dataclass(frozen=True, slots=True)
class _Thread:
    """A thread's statistics as printed [us or ns], its non-empty bins by label; `limit` is -h, 0 if unknown."""

    series: str
    cpu: int
    line: int
    table_line: int
    cycles: int
    low: int
    high: int
    average: str
    labels: Array
    counts: Array
    lines: Array
    limit: int

    @property
    def total(self) -> int:
        """Observations in the bins."""
        return sum(self.counts.tolist())

    @property
    def beyond(self) -> int:
        """Observations beyond the histogram; none where there is no histogram to be beyond of."""
        return max(0, self.cycles - self.total) if self.bound else 0

    @property
    def bound(self) -> int:
        """The lowest value that an observation beyond the histogram can have, 0 if there is no histogram."""
        return self.limit or (int(self.labels[-1]) + 1 if len(self.labels) else 0)

    @property
    def negative(self) -> bool:
        """Whether a latency was negative: it counts as beyond the histogram, and wrecks max and avg."""
        return self.low < 0 or self.high < 0 or not 0 <= float(self.average) < _HUGE_AVERAGE


def parse(source: Source) -> Iterator[Run]:
    """Yield a run for each JSON object of cyclictest's; text around them is ignored and counted.

    Raises
    ------
    UnsupportedFormatError
        If another tool of rt-tests wrote the JSON.
    LogError
        If the JSON is damaged in a way that cannot be undone exactly, or no thread has a sample.

    Examples
    --------
    >>> log = b'''{"cmdline:": "cyclictest -q -h20 -l300", "resolution_in_ns": 0, "thread": {"0": {
    ... "histogram": {"18": 4, "19": 1}, "cycles": 7, "min": 18, "max": 931, "avg": 150.86, "cpu": 1}}}'''
    >>> (run,) = parse(Source(None, "demo.json", log))
    >>> rows = run.rows.arrays()
    >>> [*zip(rows["kind"].tolist(), rows["low"].tolist(), rows["n"].tolist())]
    [('bin', 18000.0, 4), ('bin', 19000.0, 1), ('bin', 20000.0, 2), ('summary', 18000.0, 7)]
    >>> run.series, run.facts["ended"], run.warnings
    ({'t0': {'n': 7, 'cpu': 1, 'period': 1000000.0}}, 'interrupted', [])
    """
    run: Run | None = None
    around = Tally()
    for found in jsontext.objects(source.name, map(_repaired, source.lines()), _is_histogram):
        if isinstance(found, jsontext.Member):
            around.add("text around the JSON", found.line.number)
        elif run and not found.whole:
            run.warnings.append("the log ends inside another JSON object, which is not read")
        else:
            if run:
                yield run
                around = Tally()
            run = _run(found)
            run.ignored = around
    if not run:
        raise LogError(source.name, "no JSON object", "the JSON of cyclictest")
    yield run


def _repaired(line: Line) -> Line:
    """The line, as JSON if it is the command line."""
    if raw := _COMMAND.match(line.text):
        return replace(line, text=raw[1] + json.dumps(jsontext.unescaped(raw[2])) + raw[3])
    return line


def _is_histogram(path: jsontext.Path) -> bool:
    """Whether an object holds the bins of a thread."""
    return len(path) == 3 and path[0] == "thread" and path[2] == "histogram"


def _run(report: jsontext.Object) -> Run:
    """The run a report states."""
    command = report.text("cmdline:") or report.text("cmdline")
    names = [path[1] for path in report.closed if len(path) == 2 and path[0] == "thread"]
    _refuse_other_tools(report, command, names)
    resolution = report.text("resolution_in_ns")
    if resolution not in ("0", "1"):
        found = f"resolution_in_ns {resolution[:40]}" if resolution else "no resolution_in_ns"
        raise LogError(report.where, found, "0 (us) or 1 (ns)", line=report.line("resolution_in_ns"))
    scale = 1 if resolution == "1" else 1000
    asked = cyclictest.asked(command)
    threads = [_thread(report, name, asked.limit) for name in names]
    if not any(thread.cycles for thread in threads):
        found = "no sample in any thread" if report.whole else "JSON that is cut before its first thread ends"
        raise LogError(report.where, found, "at least one sample", line=threads[0].line if threads else 0)
    run = Run("cyclictest", facts=_facts(report, command, asked, scale), quoted=report.quoted)
    for name, thread in zip(names, threads, strict=True):
        period = {"period": asked.period(int(name))} if command else {}
        cpu = {"cpu": thread.cpu} if thread.cpu >= 0 else {}
        run.series[thread.series] = {"n": thread.cycles, **cpu, **period}
    periods = {series.get("period") for series in run.series.values()}
    if len(periods) == 1 and None not in periods:
        run.facts["period"] = periods.pop()
    sound = [_add(run, thread, scale) for thread in threads]
    run.facts["ended"] = "cut"
    if report.whole and all(sound):
        run.facts["ended"] = _ended(report, command, asked, threads, run.facts.get("duration", 0))
    elif not report.whole:
        run.warnings.append("the log is cut: it holds the threads that are complete, not what came after them")
    for key, expected in (("num_threads", str(len(threads))), ("return_code", "0"), ("file_version", "1")):
        if report.whole and (stated := report.text(key)) not in ("", expected):
            run.warnings.append(f"line {report.line(key)}: {key} is {stated[:40]}, not {expected}")
    return run


def _ended(
    report: jsontext.Object, command: str, asked: cyclictest.Asked, threads: list[_Thread], seconds: float
) -> str:
    """How the run of a complete report ended."""
    if not command or report.text("return_code") not in ("", "0"):
        return "unknown"
    highest = max(math.inf if thread.negative else thread.high for thread in threads)
    return asked.ended(max(thread.cycles for thread in threads), highest, seconds)


def _refuse_other_tools(report: jsontext.Object, command: str, names: list[str]) -> None:
    """Only cyclictest gives its threads a NUMA node; a copy of it under another name still does."""
    tool = command.split()[0].rpartition("/")[2][:40] if command.split() else ""
    nodes = [("thread", name, "node") in report.members for name in names]
    if "cyclictest" not in tool and not (nodes and all(nodes)):
        found = f"JSON of {tool or 'an unnamed tool'}"
        line = report.line("cmdline:") or report.line("cmdline") or 1
        raise UnsupportedFormatError(report.where, found, "JSON of cyclictest", "see rtlat formats", line)


def _facts(report: jsontext.Object, command: str, asked: cyclictest.Asked, scale: int) -> dict[str, Any]:
    """The columns of runs that the report states; the node's name is nobody's business."""
    version = report.text("rt_test_version:") or report.text("rt_test_version")
    if re.fullmatch(r"\d\.\d0", version):  # printed with %1.2f: 2.4 as 2.40, and 2.10 just as 2.1 would be
        version = f"2.1 or {version}" if version == "2.10" else version[:-1]
    system = [report.text("sysinfo", key) for key in ("release", "version")]
    facts: dict[str, Any] = {
        "variant": "json",
        "version": version,
        "command": command,
        "kernel": " ".join(filter(None, system)),
        "started": report.text("start_time"),
        "context": "user",
        "printed_unit": "us" if scale == 1000 else "ns",
        "unit_basis": "printed",
        "resolution": float(scale),
        "rounding": "truncated" if scale == 1000 else "exact",
        "evidence": "log",
    }
    if asked.limit or report.tables:
        facts |= {"bin_edges": "given", "overflow_policy": "counted apart"}
    if asked.threshold:
        facts["threshold"] = float(asked.threshold * scale)
    if report.text("sysinfo", "realtime") == "1" or re.search("PREEMPT[_ ]RT", system[1]):
        facts["approach"] = "PREEMPT_RT"  # mainline's PREEMPT_RT has no /sys/kernel/realtime to set the first
    try:
        begin, end = (parsedate_to_datetime(report.text(key)) for key in ("start_time", "end_time"))
        seconds = (end - begin).total_seconds()
    except (ValueError, TypeError):
        seconds = 0.0
    if seconds > 0:
        facts |= {"duration": seconds, "duration_basis": "derived"}
    return {name: value for name, value in facts.items() if value != ""}


def _thread(report: jsontext.Object, name: str, limit: int) -> _Thread:
    """A thread's numbers, or an error with the line of the one that is none."""
    path = ("thread", name)
    if not re.fullmatch(r"\d{1,6}", name, re.ASCII):
        raise LogError(report.where, f"thread {name[:40]!r}", "a number", line=report.line(*path))
    labels, counts, lines = report.table(*path, "histogram")
    if len(labels) and labels[-1] >= cyclictest.LARGEST_LIMIT:
        found = f"bin {labels[-1]}, beyond the largest histogram of cyclictest"
        raise LogError(report.where, found, line=int(lines[-1]))
    if (cycles := report.whole_number(*path, "cycles")) < 0 or sum(counts.tolist()) > schema.LARGEST_COUNT:
        found = f"more than 2^63 - 1 observations in thread {name}"
        raise LogError(report.where, found, "a count", line=report.line(*path, "cycles"))
    average = report.text(*path, "avg") if cycles else "0"  # -nan without a sample
    try:
        schema.to_ns(average, "ns")
    except ValueError as error:
        raise LogError(report.where, f"avg {error}", "a number", line=report.line(*path, "avg")) from None
    some = counts > 0
    has_table = (*path, "histogram") in report.members
    return _Thread(
        series=f"t{name}",
        cpu=report.whole_number(*path, "cpu") if (*path, "cpu") in report.members else -1,
        line=report.line(*path, "cycles"),
        table_line=report.line(*path, "histogram") if has_table else 0,
        cycles=cycles,
        low=report.whole_number(*path, "min"),
        high=report.whole_number(*path, "max"),
        average=average,
        labels=labels[some],
        counts=counts[some],
        lines=lines[some],
        limit=limit if has_table else 0,
    )


def _add(run: Run, thread: _Thread, scale: int) -> bool:
    """Add a thread's rows, and what is odd about them; return whether its counts add up."""
    name, where = thread.series, f"line {thread.line}: {thread.series}"
    if not thread.cycles:
        run.warnings.append(f"{where} has no sample")
        return True
    if thread.limit and len(thread.labels) and thread.labels[-1] >= thread.limit:
        run.warnings.append(f"{where} has bins beyond the limit in the command line, {thread.limit}, which is not used")
        thread = replace(thread, limit=0)
    contradiction = "" if thread.negative else _contradiction(thread)
    if contradiction:
        run.warnings.append(f"{where}: {contradiction}")
    bins = thread.labels * float(scale)
    run.rows.extend(name, "thread", "bin", bins, bins + scale, n=thread.counts, line=thread.lines)
    sound = thread.total <= thread.cycles and (thread.negative or not thread.beyond or thread.high >= thread.bound)
    low, high = float(thread.low * scale), float(thread.high * scale)
    average = schema.to_ns(thread.average, run.facts["printed_unit"])
    if thread.negative:
        run.warnings.append(
            f"{where} has negative latencies (max {thread.high}, avg {thread.average}): they are counted as beyond the "
            "histogram, and its minimum, maximum and average are lost"
        )
        low, high, average = -math.inf, math.inf, math.nan
    elif thread.low == _FIRST_MIN:
        low = -math.inf
        run.warnings.append(f"{where}: min is its value before the first sample, no latency was below")
    if thread.beyond and sound:
        start = -math.inf if thread.negative else float(thread.bound * scale)
        run.rows.add(name, "thread", "bin", start, math.inf, n=thread.beyond, line=thread.table_line)
        if not thread.limit and not thread.negative:
            run.warnings.append(
                f"{where}: {thread.beyond} observations are beyond the histogram, whose limit the command line does "
                f"not hold: they are known to be above the highest bin, {thread.labels[-1]}, and no more"
            )
    if low <= high:
        run.rows.add(name, "thread", "summary", low, high, n=thread.cycles, avg=average, line=thread.line)
    return sound


def _contradiction(thread: _Thread) -> str:
    """The first of its own statistics that a thread's bins contradict, with both numbers."""
    total, beyond, bound = thread.total, thread.beyond, thread.bound
    if thread.low > thread.high and thread.low != _FIRST_MIN:
        return f"min {thread.low} is above max {thread.high}"
    if total > thread.cycles:
        return f"the bins hold {total} observations, cycles is {thread.cycles}"
    if not bound:
        return ""
    lowest, highest = (int(thread.labels[0]), int(thread.labels[-1])) if total else (bound, bound)
    if thread.low != lowest if total else thread.low < bound:
        return f"min is {thread.low}, the lowest value in the histogram {lowest}"
    if beyond and thread.high < bound:
        return f"the bins hold {total} of {thread.cycles} observations, but max {thread.high} is not beyond them"
    if not beyond and thread.high != highest:
        return f"max is {thread.high}, the highest bin {highest}"
    inside = sum(label * count for label, count in zip(thread.labels.tolist(), thread.counts.tolist(), strict=True))
    least = inside + (bound * (beyond - 1) + thread.high if beyond else 0)
    most = inside + thread.high * beyond
    if not least / thread.cycles - 0.01 <= float(thread.average) <= most / thread.cycles + 0.01:
        return f"avg is {thread.average}, the bins allow {least / thread.cycles:.2f} to {most / thread.cycles:.2f}"
    return ""


FORMAT = Format(
    name="rt_tests_json",
    title="cyclictest --json",
    gives="bins and summaries of thread latency, by thread",
    versions="rt-tests 1.11 to 2.10",
    marks=(re.compile(r'.*"rt_test_version:?"\s*:'), re.compile(r'\s*"cmdline:?"\s*:')),
    parse=parse,
)
