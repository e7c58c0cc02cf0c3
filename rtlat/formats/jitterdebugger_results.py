"""``results.json`` of jitterdebugger, in its folder or printed between its status lines.

Its histogram ends at 1 ms without a word: what lies beyond is in no bin, but in ``count``, ``max`` and ``avg``.
So it is ``count`` minus the sum of the bins, and every percentile that leaves it out is wrong in the tail::

    "cpu": {
      "0": {
        "histogram": {
          "13": 2,
          "686": 1
        },
        "count": 9978,
        "min": 13,
        "max": 4457,
        "avg": 36.61
      },

What stands under ``cpu`` are threads: with ``-a 2,3`` they are called 0 and 1. Until version 2 of the file there
was no ``sysinfo`` and no ``-N``, and all numbers were microseconds.

Source: jitterdebugger ``jitterdebugger.c`` (dump_stats, worker), from the first version to 0.3.1.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rtlat import jsonruns, jsontext, schema
from rtlat.columns import Array
from rtlat.errors import LogError
from rtlat.protocol import Format, Run
from rtlat.source import Source

_BOUND = 1_000_000  # ns: 1000 bins of 1 us, or with -N 1000000 bins of 1 ns
_LARGEST_KEY = 10**9  # no build has bins beyond a second


@dataclass(frozen=True, slots=True)
class _Thread:
    """A thread's statistics as printed [us or ns], its non-empty bins, and the first value beyond them."""

    series: str
    line: int
    table_line: int
    count: int
    low: int
    high: int
    average: str
    keys: Array
    counts: Array
    lines: Array
    bound: int

    @property
    def total(self) -> int:
        """Observations in the bins."""
        return sum(self.counts.tolist())


def parse(source: Source) -> Iterator[Run]:
    """Yield a run for each JSON object; text around them is ignored and counted.

    Raises
    ------
    LogError
        If the JSON is damaged in a way that cannot be undone exactly, or no thread has a sample.

    Examples
    --------
    >>> log = b'''{"version": 3, "sysinfo": {"cpus_online": 1, "resolution_in_ns": 1000}, "cpu": {"0": {
    ... "histogram": {"13": 5, "686": 1}, "count": 8, "min": 13, "max": 4457, "avg": 772.25}}}'''
    >>> (run,) = parse(Source(None, "demo.json", log))
    >>> rows = run.rows.arrays()
    >>> [*zip(rows["kind"].tolist(), rows["low"].tolist(), rows["high"].tolist(), rows["n"].tolist())][2:]
    [('bin', 1000000.0, inf, 2), ('summary', 13000.0, 4457000.0, 8)]
    """
    yield from jsonruns.runs(source.name, source.lines(), _is_histogram, _run, "results.json of jitterdebugger")


def _is_histogram(path: jsontext.Path) -> bool:
    """Whether an object holds the bins of a thread."""
    return len(path) == 3 and path[0] == "cpu" and path[2] == "histogram"


def _run(report: jsontext.Object) -> Run:
    """The run a report states."""
    scale = _scale(report)
    names = [path[1] for path in report.closed if len(path) == 2 and path[0] == "cpu"]
    threads = [_thread(report, name, scale) for name in names]
    if not any(thread.count for thread in threads):
        found = "no sample in any thread" if report.whole else "JSON that is cut before its first thread ends"
        raise LogError(report.where, found, "at least one sample", line=threads[0].line if threads else 0)
    run = Run("jitterdebugger", facts=_facts(report, scale), quoted=report.quoted)
    run.series = {thread.series: {"n": thread.count} for thread in threads}
    sound = [_add(run, thread, scale) for thread in threads]
    run.facts["ended"] = "unknown" if report.whole and all(sound) else "cut"
    if not report.whole:
        run.warnings.append("the log is cut: it holds the threads that are complete, not what came after them")
    return run


def _scale(report: jsontext.Object) -> int:
    """What one of its numbers is [ns]; the versions that do not say so knew microseconds only."""
    path = ("sysinfo", "resolution_in_ns")
    resolution = report.text(*path)
    if resolution not in ("1", "1000") and (resolution or "sysinfo" in (key for key, *_ in report.members)):
        found = f"resolution_in_ns {resolution[:40]}" if resolution else "no resolution_in_ns"
        raise LogError(report.where, found, "1 or 1000", line=report.line(*path))
    return int(resolution or 1000)


def _facts(report: jsontext.Object, scale: int) -> dict[str, Any]:
    """The columns of runs that the report states; the node's name is nobody's business."""
    system = [report.text("sysinfo", key) for key in ("release", "version")]
    facts: dict[str, Any] = {
        "variant": "json",
        "kernel": " ".join(filter(None, system)),
        "context": "user",
        "printed_unit": "us" if scale == 1000 else "ns",
        "unit_basis": "printed" if report.text("sysinfo", "resolution_in_ns") else "documented",
        "resolution": float(scale),
        "rounding": "truncated" if scale == 1000 else "exact",
        "bin_edges": "given",
        "overflow_policy": "counted apart",
        "evidence": "log",
    }
    if re.search("PREEMPT[_ ]RT", system[1]):
        facts["approach"] = "PREEMPT_RT"
    return {name: value for name, value in facts.items() if value != ""}


def _thread(report: jsontext.Object, name: str, scale: int) -> _Thread:
    """A thread's numbers, or an error with the line of the one that is none."""
    path = ("cpu", name)
    if not re.fullmatch(r"\d{1,6}", name, re.ASCII):
        raise LogError(report.where, f"thread {name[:40]!r}", "a number", line=report.line(*path))
    keys, counts, lines = report.table(*path, "histogram")
    if len(keys) and keys[-1] >= _LARGEST_KEY:
        raise LogError(report.where, f"bin {keys[-1]}, beyond a second", "a bin below 1 ms", line=int(lines[-1]))
    count = report.whole_number(*path, "count")
    if count < 0 or sum(counts.tolist()) > schema.LARGEST_COUNT:
        found = f"more than 2^63 - 1 observations in thread {name}"
        raise LogError(report.where, found, "a count", line=report.line(*path, "count"))
    average = report.text(*path, "avg") if count else "0"  # -nan without a sample
    try:
        schema.to_ns(average, "ns")
    except ValueError as error:
        raise LogError(report.where, f"avg {error}", "a number", line=report.line(*path, "avg")) from None
    some = counts > 0
    bound = _BOUND // scale
    return _Thread(
        series=f"t{name}",
        line=report.line(*path, "count"),
        table_line=report.line(*path, "histogram"),
        count=count,
        low=report.whole_number(*path, "min") if count else 0,
        high=report.whole_number(*path, "max") if count else 0,
        average=average,
        keys=keys[some],
        counts=counts[some],
        lines=lines[some],
        bound=max(bound, int(keys[some][-1]) + 1) if some.any() else bound,
    )


def _add(run: Run, thread: _Thread, scale: int) -> bool:
    """Add a thread's rows, and what is odd about them; return whether its counts add up."""
    name, where = thread.series, f"line {thread.line}: {thread.series}"
    if not thread.count:
        run.warnings.append(f"{where} has no sample")
        return True
    negative = thread.low < 0 or thread.high < 0  # printed unsigned, above 2^63
    contradiction = "" if negative else _contradiction(thread)
    if contradiction:
        run.warnings.append(f"{where}: {contradiction}")
    edges = thread.keys * float(scale)
    run.rows.extend(name, "thread", "bin", edges, edges + scale, n=thread.counts, line=thread.lines)
    low, high = float(thread.low * scale), float(thread.high * scale)
    average = schema.to_ns(thread.average, run.facts["printed_unit"])
    if negative:
        run.warnings.append(f"{where} has negative latencies: its minimum, maximum and average are lost")
        low, high, average = -math.inf, math.inf, math.nan
    beyond = thread.count - thread.total
    sound = beyond == 0 or (beyond > 0 and (negative or thread.high >= thread.bound))
    if beyond > 0 and sound:
        start = -math.inf if negative else float(thread.bound * scale)
        run.rows.add(name, "thread", "bin", start, math.inf, n=beyond, line=thread.table_line)
    if low <= high:
        run.rows.add(name, "thread", "summary", low, high, n=thread.count, avg=average, line=thread.line)
    return sound


def _contradiction(thread: _Thread) -> str:
    """The first of its own statistics that a thread's bins contradict, with both numbers."""
    total, beyond, bound = thread.total, thread.count - thread.total, thread.bound
    if thread.low > thread.high:
        return f"min {thread.low} is above max {thread.high}"
    if beyond < 0:
        return f"the bins hold {total} observations, count is {thread.count}"
    lowest, highest = (int(thread.keys[0]), int(thread.keys[-1])) if total else (bound, bound)
    if thread.low != lowest if total else thread.low < bound:
        return f"min is {thread.low}, the lowest value in the histogram {lowest}"
    if beyond and thread.high < bound:
        return f"the bins hold {total} of {thread.count} observations, but max {thread.high} is not beyond them"
    if not beyond and thread.high != highest:
        return f"max is {thread.high}, the highest bin {highest}"
    inside = sum(key * n for key, n in zip(thread.keys.tolist(), thread.counts.tolist(), strict=True))
    least = (inside + (bound * (beyond - 1) + thread.high if beyond else 0)) / thread.count
    most = (inside + thread.high * beyond) / thread.count
    if not least - 0.01 <= float(thread.average) <= most + 0.01:
        return f"avg is {thread.average}, the bins allow {least:.2f} to {most:.2f}"
    return ""


FORMAT = Format(
    name="jitterdebugger_results",
    title="jitterdebugger's results.json",
    gives="bins and summaries of thread latency, by thread",
    versions="jitterdebugger up to 0.3.1",
    words=('"cpus_online"', '"cpu"'),
    marks=(re.compile(r'.{0,400}?"cpus_online"\s*:\s*\d'), re.compile(r'.{0,400}?"cpu"\s*:\s*\{')),
    parse=parse,
)
