"""What one thread's column of a cyclictest histogram and its footer state, and whether they agree.

Min, Avg and Max are of all samples, those beyond the table too, and printed as truncated integers. A Min of
1000000 is what it is before the first sample. From 0.72 on a negative latency counts as beyond the table;
Max, once negative, prints as 2^64 - x and never rises again, and Avg becomes huge.

Private to ``cyclictest_text``.

Source: rt-tests ``src/cyclictest/cyclictest.c`` (timerthread, print_hist), tags v0.28 to v2.1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rtlat.protocol import Run

Array = npt.NDArray[Any]

FIRST_MIN = 1_000_000
"""Min before the first sample [printed unit]."""

MIN_FORGOTTEN = "Min is not kept: after a latency of 0 cyclicdeadline takes the next one for the least"
"""Why a positive minimum of cyclicdeadline is none, unless its histogram shows that no latency was 0."""

HUGE_AVERAGE = 10**15
"""What an average is at least, once a negative latency was added as unsigned [printed unit]."""


@dataclass(frozen=True, slots=True)
class Column:
    """One thread of a table.

    Attributes
    ----------
    series : str
        t0, t1 ...
    buckets, counts, lines : arrays
        Of the rows that hold samples of it.
    printed : dict
        First word of a footer line -> number and line.
    """

    series: str
    buckets: Array
    counts: Array
    lines: Array
    printed: dict[str, tuple[int, int]]

    @property
    def n(self) -> int:
        """Samples in the table, exactly."""
        return sum(self.counts.tolist())

    @property
    def negative(self) -> bool:
        """Whether a latency was negative: it counts as beyond the table, and wrecks Max and Avg."""
        return self.value("Max") >= 2**63 or self.value("Avg") >= HUGE_AVERAGE

    def value(self, name: str) -> int:
        """A printed number, -1 if there is none."""
        return self.printed.get(name, (-1, 0))[0]


@dataclass(frozen=True, slots=True)
class Beyond:
    """What is known of samples beyond the table.

    Attributes
    ----------
    edge : int
        They are at least this long [buckets].
    policy : str
        What the version does with them: counted apart, clamped into last bin, dropped.
    lists : dict
        Thread -> cycle numbers, how many more there were (-1: not said), line.
    """

    edge: int
    policy: str
    lists: dict[int, tuple[list[int], int, int]]


def state(run: Run, column: Column, beyond: Beyond, step: float, whole: bool) -> float | None:
    """Add one thread's statements to its run; return the footer's maximum [ns], None if it has none.

    Parameters
    ----------
    run : Run
        Gets rows, the thread's n, and warnings.
    column, beyond : Column, Beyond
        What the table shows.
    step : float
        Width of a bucket [ns].
    whole : bool
        Whether nothing is missing from the table.
    """
    if run.tool == "cyclicdeadline" and "Min" in column.printed and 0 in column.buckets[:1]:
        column.printed["Min"] = 0, column.printed["Min"][1]  # what it prints is the least since the last 0
    low, high = column.buckets * step, (column.buckets + 1) * step
    if beyond.policy == "clamped into last bin" and whole:
        high[column.buckets == beyond.edge - 1] = math.inf
    run.rows.extend(column.series, "thread", "bin", low, high, n=column.counts, line=column.lines)
    ends = (-math.inf, math.inf) if column.negative else (beyond.edge * step, math.inf)
    over, line = column.printed.get("Histogram", (0, 0))
    if over:
        run.rows.add(column.series, "thread", "bin", *ends, n=over, line=line)
    if beyond.policy == "dropped":
        run.warnings.append(f"{column.series}: up to 0.44 samples of {beyond.edge} and more are not counted at all")
    cycles, others, line = beyond.lists.get(int(column.series[1:]), ([], -1, 0))
    if cycles:
        every = np.ones(len(cycles))
        run.rows.extend(
            column.series, "thread", "bin", every * ends[0], every * ends[1], n=1, of="over", seq=cycles, line=line
        )
    if line and len(cycles) + max(others, 0) != over:
        run.warnings.append(
            f"{column.series}: line {line} lists {len(cycles) + max(others, 0)} overflows, {over} were counted"
        )
    if whole and beyond.policy == "counted apart" and not column.negative:
        run.warnings += _contradictions(column, beyond.edge)
    return _summarise(run, column, step, whole)


def _summarise(run: Run, column: Column, step: float, whole: bool) -> float | None:
    """Add the footer's statement of one thread, if something was measured; return its maximum."""
    facts = run.series.setdefault(column.series, {})
    n = column.value("Total") if "Total" in column.printed else column.n if whole else -1
    if n >= 0 and "Histogram" in column.printed:
        n += column.value("Histogram")
    else:
        n = -1
    if n >= 0:
        facts["n"] = n
    if n == 0:
        run.warnings.append(f"{column.series}: no sample")
    if n == 0 or "Max" not in column.printed:
        return None
    least, high = column.value("Min"), column.value("Max") * step
    low = least * step if least >= 0 and least != FIRST_MIN else -math.inf
    avg = column.value("Avg") * step if "Avg" in column.printed else math.nan
    if column.negative:
        low, high, avg = -math.inf, math.inf, math.nan
        run.warnings.append(
            f"{column.series}: a latency was negative (the clock was set?): cyclictest counts it as beyond the "
            "table and loses Max and Avg"
        )
    line = column.printed["Max"][1]
    low, high, avg = sane(run, f"{column.series}: line {line}", low, high, avg)
    run.rows.add(column.series, "thread", "summary", low, high, n=n, avg=avg, line=line)
    return high


def sane(run: Run, where: str, low: float, high: float, avg: float) -> tuple[float, float, float]:
    """Return a minimum, maximum and average; with a warning those unknown that contradict each other.

    Examples
    --------
    >>> run = Run("cyclictest")
    >>> sane(run, "line 3", 17_000.0, 120_000.0, 9_000.0), run.warnings
    ((17000.0, 120000.0, nan), ['line 3: the average does not lie between minimum and maximum'])
    """
    if low > high:
        run.warnings.append(f"{where}: the minimum lies above the maximum")
        return -math.inf, math.inf, math.nan
    if avg < low or avg > high:
        run.warnings.append(f"{where}: the average does not lie between minimum and maximum")
        return low, high, math.nan
    return low, high, avg


def _contradictions(column: Column, edge: int) -> Iterator[str]:
    """Where a whole table and its footer do not agree, with both numbers."""
    over, most = column.value("Histogram"), column.value("Max")
    inside = column.buckets.tolist()
    if not inside and over <= 0:
        return
    least, highest = inside[0] if inside else edge, inside[-1] if inside else edge
    for name, expected, exact in (("Min", least, bool(inside)), ("Max", highest if not over else edge, not over)):
        number, line = column.printed.get(name, (expected, 0))
        if number != expected if exact else number < expected:
            relation = "is" if exact else "is at least"
            yield f"{column.series}: {name} of the rows {relation} {expected}, line {line} says {number}"
    if {"Avg", "Max"} <= column.printed.keys():
        n, average = column.n + over, column.value("Avg")
        total = sum(bucket * count for bucket, count in zip(inside, column.counts.tolist(), strict=True))
        lowest = (total + (over - 1) * edge + most if over else total) // n
        if not lowest <= average <= (total + over * most) // n:
            line = column.printed["Avg"][1]
            yield f"{column.series}: Avg of the rows is at least {lowest}, line {line} says {average}"
