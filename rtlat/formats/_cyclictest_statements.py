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
from dataclasses import dataclass, field

import numpy as np

from rtlat.columns import Array, Words
from rtlat.protocol import Run

FIRST_MIN = 1_000_000
"""Min before the first sample [printed unit]."""

MIN_FORGOTTEN = "Min is not kept: after a latency of 0 cyclicdeadline takes the next one for the least"
"""Why a positive minimum of cyclicdeadline is none, unless its histogram shows that no latency was 0."""

HUGE_AVERAGE = 10**15
"""What an average is at least, once a negative latency was added as unsigned [printed unit]."""


@dataclass(slots=True)
class Column:
    """One thread of a table.

    Attributes
    ----------
    series : str
        t0, t1 ...
    n, total : int
        Samples in the table, and the sum of their buckets, exactly.
    least, highest : int
        The first and the last bucket with a sample, -1 if there is none.
    printed : dict
        First word of a footer line -> number and line.
    negative : bool
        Whether a latency was negative: it counts as beyond the table, and wrecks Max and Avg.
    """

    series: str
    n: int
    total: int
    least: int
    highest: int
    printed: dict[str, tuple[int, int]]
    negative: bool = field(init=False)

    def __post_init__(self) -> None:
        self.negative = self.value("Max") >= 2**63 or self.value("Avg") >= HUGE_AVERAGE

    def value(self, name: str) -> int:
        """A printed number, -1 if there is none."""
        return self.printed.get(name, (-1, 0))[0]


def columns(buckets: Array, counts: Array, footer: dict[str, tuple[list[int], int]]) -> list[Column]:
    """Return the threads of a table by the rows that hold samples and the numbers of its footer.

    Examples
    --------
    >>> t0, t1 = columns(np.array([5, 7]), np.array([[2, 0], [2**62, 0]]), {"Total": ([4, 0], 9)})
    >>> t0.total == 10 + 7 * 2**62, t0.least, t0.highest, t1.least, t1.printed
    (True, 5, 7, -1, {'Total': (0, 9)})
    """
    rows, threads = counts.shape
    if not rows:
        buckets, counts, rows = np.zeros(1, np.int64), np.zeros((1, threads), np.int64), 1
    some = counts > 0
    least, highest = buckets[some.argmax(axis=0)], buckets[rows - 1 - some[::-1].argmax(axis=0)]
    if float(counts.max(initial=0)) * max(float(buckets.max()), 1.0) * rows >= 2**62:
        counts, buckets = counts.astype(object), buckets.astype(object)
    sums = zip(
        counts.sum(axis=0).tolist(),
        (buckets @ counts).tolist(),
        np.where(some.any(axis=0), least, -1).tolist(),
        np.where(some.any(axis=0), highest, -1).tolist(),
        strict=True,
    )
    footer = {name: line for name, line in footer.items() if name != "SMIs"}
    return [
        Column(f"t{index}", *of, {name: (numbers[index], line) for name, (numbers, line) in footer.items()})
        for index, of in enumerate(sums)
    ]


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


def state_bins(run: Run, rows: tuple[Array, Array, Array], step: float, open_bucket: int) -> None:
    """Add a row for each bucket of each thread that holds samples.

    Parameters
    ----------
    run : Run
        Gets the rows.
    rows : tuple of arrays
        Line, bucket and counts of the table's rows.
    step : float
        Width of a bucket [ns].
    open_bucket : int
        The bucket that holds all beyond it, too; -1 if there is none.
    """
    lines, buckets, counts = rows
    by_thread = np.ascontiguousarray(counts.T)
    place = np.flatnonzero(by_thread)
    thread = np.repeat(np.arange(len(by_thread)), np.count_nonzero(by_thread, axis=1))
    row = place - thread * len(buckets)
    bucket = buckets[row]
    high = (bucket + 1) * step
    high[bucket == open_bucket] = math.inf
    series = Words(thread, [f"t{index}" for index in range(counts.shape[1])])
    run.rows.extend(series, "thread", "bin", bucket * step, high, n=by_thread.ravel()[place], line=lines[row])


def state(run: Run, column: Column, beyond: Beyond, step: float, whole: bool) -> float | None:
    """Add what one thread's column and its footer state beside the bins; return the footer's maximum [ns].

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

    Returns
    -------
    float or None
        None if there is no footer.
    """
    if run.tool == "cyclicdeadline" and "Min" in column.printed and column.least == 0:
        column.printed["Min"] = 0, column.printed["Min"][1]  # what it prints is the least since the last 0
    ends = (-math.inf, math.inf) if column.negative else (beyond.edge * step, math.inf)
    over, line = column.printed.get("Histogram", (0, 0))
    if over > 0:
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
    if column.least < 0 and over <= 0:
        return
    least = column.least if column.least >= 0 else edge
    highest = edge if over or column.highest < 0 else column.highest
    for name, expected, exact in (("Min", least, column.least >= 0), ("Max", highest, not over)):
        number, line = column.printed.get(name, (expected, 0))
        if number != expected if exact else number < expected:
            relation = "is" if exact else "is at least"
            yield f"{column.series}: {name} of the rows {relation} {expected}, line {line} says {number}"
    if {"Avg", "Max"} <= column.printed.keys():
        n, average = column.n + over, column.value("Avg")
        lowest = (column.total + (over - 1) * edge + most if over else column.total) // n
        if not lowest <= average <= (column.total + over * most) // n:
            line = column.printed["Avg"][1]
            yield f"{column.series}: Avg of the rows is at least {lowest}, line {line} says {average}"
