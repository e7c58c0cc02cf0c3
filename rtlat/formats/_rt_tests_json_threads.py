"""The threads of cyclictest and cyclicdeadline in a JSON report: cycles, extremes, average and histogram.

The limit of the histogram stands only in the command line; what lies beyond it is not stored, but is ``cycles``
minus the sum of the bins. ``min`` of cyclicdeadline is no minimum once a latency was 0: the next one replaces it.

Private to ``rt_tests_json``.

Sources: rt-tests ``src/cyclictest/cyclictest.c``, ``src/sched_deadline/cyclicdeadline.c`` (write_stats, do_runtime).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

from rtlat import cyclictest, jsontext, schema
from rtlat.columns import Array
from rtlat.errors import LogError
from rtlat.formats._rt_tests_json_facts import Measured, refuse_nothing
from rtlat.formats._rt_tests_tools import MIN_FORGOTTEN
from rtlat.protocol import Run

_FIRST_MIN = 1_000_000  # what "min" is before the first sample, and stays if no sample is below
_HUGE_AVERAGE = 1e15  # one negative latency, summed as unsigned, lifts the average above this
_STEP = re.compile(r" (?:-s *|--step[ =])(\d{1,9})\b")


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
    forgets: bool = False

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


def state(run: Run, report: jsontext.Object, names: list[str], wanted: cyclictest.Asked) -> Measured:
    """Add what the threads of a report say.

    Raises
    ------
    LogError
        If a number is none, or no thread has a sample.
    """
    resolution = report.text("resolution_in_ns")
    if resolution not in ("0", "1"):
        found = f"resolution_in_ns {resolution[:40]}" if resolution else "no resolution_in_ns"
        raise LogError(report.where, found, "0 (us) or 1 (ns)", line=report.line("resolution_in_ns"))
    scale = 1 if resolution == "1" else 1000
    threads = [_thread(report, name, wanted.limit, run.tool) for name in names]
    if not any(thread.cycles for thread in threads):
        raise refuse_nothing(report, threads[0].line if threads else 0)
    run.facts |= {
        "printed_unit": "us" if scale == 1000 else "ns",
        "unit_basis": "printed",
        "resolution": float(scale),
        "rounding": "truncated" if scale == 1000 else "exact",
    }
    if wanted.limit or report.tables:
        run.facts |= {"bin_edges": "given", "overflow_policy": "counted apart"}
    if wanted.threshold:
        run.facts["threshold"] = float(wanted.threshold * scale)
    for name, thread in zip(names, threads, strict=True):
        run.series[thread.series] = {"n": thread.cycles, **({"cpu": thread.cpu} if thread.cpu >= 0 else {})}
        if command := run.facts.get("command"):
            run.series[thread.series] |= _scheduled(run.tool, command, wanted, int(name))
    sound = [_add(run, thread, scale) for thread in threads]
    highest = max(math.inf if thread.negative else thread.high for thread in threads)
    return Measured(max(thread.cycles for thread in threads), highest, all(sound))


def _scheduled(tool: str, command: str, wanted: cyclictest.Asked, thread: int) -> dict[str, object]:
    """A thread's period, and the policy if the tool knows one only."""
    if tool == "cyclictest":
        return {"period": wanted.period(thread)}
    step = _STEP.search(command)
    return {"period": 1000.0 * (wanted.interval + thread * (int(step[1]) if step else 500)), "policy": "deadline"}


def _thread(report: jsontext.Object, name: str, limit: int, tool: str) -> _Thread:
    """A thread's numbers, or an error with the line of the one that is none."""
    path = ("thread", name)
    labels, counts, lines = report.table(*path, "histogram")
    if len(labels) and labels[-1] >= cyclictest.LARGEST_LIMIT:
        found = f"bin {labels[-1]}, beyond the largest histogram of {tool}"
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
    low = report.whole_number(*path, "min")
    forgets = tool == "cyclicdeadline" and low > 0
    if forgets and len(labels):
        low, forgets = (0 if labels[some][0] == 0 else low), False
    return _Thread(
        series=f"t{name}",
        cpu=report.whole_number(*path, "cpu") if (*path, "cpu") in report.members else -1,
        line=report.line(*path, "cycles"),
        table_line=report.line(*path, "histogram") if has_table else 0,
        cycles=cycles,
        low=low,
        high=report.whole_number(*path, "max"),
        average=average,
        labels=labels[some],
        counts=counts[some],
        lines=lines[some],
        limit=limit if has_table else 0,
        forgets=forgets,
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
    if thread.forgets:
        low = -math.inf
        run.warnings.append(f"{where}: {MIN_FORGOTTEN}")
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
