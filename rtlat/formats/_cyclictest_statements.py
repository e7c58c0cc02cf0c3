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
from itertools import repeat
from typing import NamedTuple

import numpy as np

from rtlat.columns import Array, Words
from rtlat.formats._cyclictest_footer import Footer
from rtlat.protocol import Run

FIRST_MIN = 1_000_000
"""Min before the first sample [printed unit]."""

MIN_FORGOTTEN = "Min is not kept: after a latency of 0 cyclicdeadline takes the next one for the least"
"""Why a positive minimum of cyclicdeadline is none, unless its histogram shows that no latency was 0."""

HUGE_AVERAGE = 10**15
"""What an average is at least, once a negative latency was added as unsigned [printed unit]."""


class Cells(NamedTuple):
    """Line, bucket, thread and count of all that is not 0 in a table, thread by thread: int64 arrays of one length."""

    line: Array
    bucket: Array
    thread: Array
    n: Array

    def where(self, which: Array) -> Cells:
        """Return some of them."""
        return Cells(*(column[which] for column in self))

    def adds_up(self, threads: int) -> Array:
        """Return for each row whether its first counts, so many, add up to the next one."""
        lines, row = np.unique(self.line, return_inverse=True)
        less: Array = np.zeros(len(lines), np.int64)
        np.add.at(less, row, np.where(self.thread < threads, self.n, -self.n))
        return np.equal(less, 0)


class Column(NamedTuple):
    """One thread of a table.

    Attributes
    ----------
    series : str
        t0, t1 ...
    n, sum : int
        Samples in the table, and the sum of their buckets, exactly.
    least, highest : int
        The first and the last bucket with a sample, -1 if there is none.
    total, min, avg, max, over : int
        What the footer says of it, -1 where it does not.
    """

    series: str
    n: int
    sum: int
    least: int
    highest: int
    total: int
    min: int
    avg: int
    max: int
    over: int

    @property
    def negative(self) -> bool:
        """Whether a latency was negative: it counts as beyond the table, and wrecks Max and Avg."""
        return self.max >= 2**63 or self.avg >= HUGE_AVERAGE


class Counted(NamedTuple):
    """What the rows of each thread count: samples, the sum of their buckets, the first and last of these or -1."""

    n: Array
    sum: Array
    least: Array
    highest: Array


def counted(cells: Cells, threads: int) -> Counted:
    """Return what so many threads count, exactly: as arrays of Python's integers where 64 bits do not suffice.

    Examples
    --------
    >>> cells = Cells(*np.array([[3, 4, 4], [5, 7, 7], [0, 0, 1], [2, 2**62, 1]]))
    >>> of = counted(cells, 3)
    >>> int(of.sum[0]) == 10 + 7 * 2**62, of.n.tolist()[1:], of.least.tolist(), of.highest.tolist()
    (True, [1, 0], [5, 7, -1], [7, 7, -1])
    """
    ends = cells.thread.searchsorted(np.arange(threads + 1))
    begin, end = ends[:-1], ends[1:]
    none = begin == end
    n, bucket = np.append(cells.n, 0), np.append(cells.bucket, -1)  # where a thread without counts begins
    least, highest = np.where(none, -1, bucket[begin]), np.where(none, -1, bucket[end - 1])
    if int(n.max()) * max(1, int(highest.max(initial=0))) * len(n) >= 2**62:
        n, bucket = n.astype(object), bucket.astype(object)
    of_each, total = (np.where(none, 0, np.add.reduceat(numbers, begin)) for numbers in (n, n * bucket))
    return Counted(of_each, total, least, highest)


def columns(cells: Cells, threads: int, footer: Footer) -> list[Column]:
    """Return the threads of a table by its counts and the numbers of its footer.

    Examples
    --------
    >>> from rtlat.protocol import Tally
    >>> cells = Cells(*np.array([[3, 4, 4], [5, 7, 7], [0, 0, 1], [2, 3, 1]]))
    >>> t0, t1 = columns(cells, 2, Footer(Tally(), {"Total": ([5, 1], 9)}))
    >>> t0.sum, t0.least, t0.highest, t1.least, t1.total, t1.max
    (31, 5, 7, 7, 1, -1)
    """
    names = ("Total", "Min", "Avg", "Max", "Histogram")
    printed = (footer.numbers(name) or repeat(-1) for name in names)
    of_rows = (numbers.tolist() for numbers in counted(cells, threads))
    return list(map(Column, map("t{}".format, range(threads)), *of_rows, *printed))


class Beyond(NamedTuple):
    """What is known of samples beyond the table.

    Attributes
    ----------
    edge : int
        They are at least this long [buckets].
    policy : str
        What the version does with them: counted apart, clamped into last bin, dropped.
    """

    edge: int
    policy: str


def state_bins(run: Run, cells: Cells, threads: int, step: float, open_bucket: int) -> None:
    """Add a row for each bucket of each thread that holds samples.

    Parameters
    ----------
    run : Run
        Gets the rows.
    cells : Cells
        The counts.
    threads : int
        How many threads there are.
    step : float
        Width of a bucket [ns].
    open_bucket : int
        The bucket that holds all beyond it, too; -1 if there is none.
    """
    low = cells.bucket * step
    high = low + step
    if open_bucket >= 0:
        high[cells.bucket == open_bucket] = math.inf
    series = Words(cells.thread, [f"t{index}" for index in range(threads)])
    run.rows.extend(series, "thread", "bin", low, high, n=cells.n, line=cells.line)


def state(
    run: Run, columns: list[Column], footer: Footer, beyond: Beyond, step: float, whole: bool
) -> dict[str, float]:
    """Add what columns and footer state beside the bins; return the footer's maxima by series [ns].

    Parameters
    ----------
    run : Run
        Gets rows, each thread's n, and warnings.
    columns, footer, beyond
        What the table shows.
    step : float
        Width of a bucket [ns].
    whole : bool
        Whether nothing is missing from the table.
    """
    overs: list[tuple[str, float, float, int]] = []
    summaries: list[tuple[str, float, float, int, float]] = []
    for index, column in enumerate(columns):
        if run.tool == "cyclicdeadline" and column.min > 0 == column.least:
            column = column._replace(min=0)  # what it prints is the least since the last 0
        ends = (-math.inf, math.inf) if column.negative else (beyond.edge * step, math.inf)
        if column.over > 0:
            overs.append((column.series, *ends, column.over))
        if beyond.policy == "dropped":
            run.warnings.append(f"{column.series}: up to 0.44 samples of {beyond.edge} and more are not counted at all")
        if index in footer.lists:
            _state_list(run, column, *footer.lists[index], ends)
        if whole and beyond.policy == "counted apart" and not column.negative:
            run.warnings += _contradictions(column, footer, beyond.edge)
        if summary := _summary(run, column, footer, step, whole):
            summaries.append(summary)
    if overs:
        series, low, high, over = map(list, zip(*overs, strict=True))
        run.rows.extend(series, "thread", "bin", low, high, n=over, line=footer.line("Histogram"))
    if not summaries:
        return {}
    series, low, high, n, avg = map(list, zip(*summaries, strict=True))
    run.rows.extend(series, "thread", "summary", low, high, n=n, avg=avg, line=footer.line("Max"))
    return dict(zip(series, high, strict=True))


def _state_list(run: Run, column: Column, cycles: list[int], others: int, line: int, ends: tuple[float, float]) -> None:
    """Add the cycle numbers of what lies beyond the table."""
    if cycles:
        low, high = ([end] * len(cycles) for end in ends)
        run.rows.extend(column.series, "thread", "bin", low, high, n=1, of="over", seq=cycles, line=line)
    if len(cycles) + max(others, 0) != max(column.over, 0):
        run.warnings.append(
            f"{column.series}: line {line} lists {len(cycles) + max(others, 0)} overflows, "
            f"{max(column.over, 0)} were counted"
        )


def _summary(
    run: Run, column: Column, footer: Footer, step: float, whole: bool
) -> tuple[str, float, float, int, float] | None:
    """The footer's statement of one thread, if something was measured: series, minimum, maximum, n and average."""
    facts = run.series.setdefault(column.series, {})
    n = column.total if column.total >= 0 else column.n if whole else -1
    n = n + column.over if n >= 0 and column.over >= 0 else -1
    if n >= 0:
        facts["n"] = n
    if n == 0:
        run.warnings.append(f"{column.series}: no sample")
    if n == 0 or column.max < 0:
        return None
    low = column.min * step if column.min >= 0 and column.min != FIRST_MIN else -math.inf
    high, avg = column.max * step, column.avg * step if column.avg >= 0 else math.nan
    if column.negative:
        low, high, avg = -math.inf, math.inf, math.nan
        run.warnings.append(
            f"{column.series}: a latency was negative (the clock was set?): cyclictest counts it as beyond the "
            "table and loses Max and Avg"
        )
    if low > high or avg < low or avg > high:
        low, high, avg = sane(run, f"{column.series}: line {footer.line('Max')}", low, high, avg)
    return column.series, low, high, n, avg


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


def _contradictions(column: Column, footer: Footer, edge: int) -> Iterator[str]:
    """Where a whole table and its footer do not agree, with both numbers."""
    _, n, total, least, highest, _, _, average, most, over = column
    if least < 0 and over <= 0:
        return
    low, high = least if least >= 0 else edge, edge if over or highest < 0 else highest
    for name, expected, number, exact in (("Min", low, column.min, least >= 0), ("Max", high, most, not over)):
        if number >= 0 and (number != expected if exact else number < expected):
            relation = "is" if exact else "is at least"
            yield f"{column.series}: {name} of the rows {relation} {expected}, line {footer.line(name)} says {number}"
    if average >= 0 and most >= 0:
        lowest = (total + (over - 1) * edge + most if over else total) // (n + over)
        if not lowest <= average <= (total + over * most) // (n + over):
            line = footer.line("Avg")
            yield f"{column.series}: Avg of the rows is at least {lowest}, line {line} says {average}"
