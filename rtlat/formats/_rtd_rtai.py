"""From the lines of RTAI's ``latency`` and ``preempt`` to the statements they make.

``latency`` stores a latency of 0 for a period it has missed and counts an overrun (testsuite/kern/latency/
latency-module.c). In a line with new overruns a printed 0 may be one of those, its average is about them, and the
largest latency may be one that was not stored: that end is left open. With a periodic timer the same columns are
about the time between two wake-ups, less the period.

``preempt`` prints extremes since the test began, and an average of each block. The jitter of its fast and slow task
is in the kernel the largest *negated* deviation of a period, in user space the largest absolute one, or in older
versions the negated one under the same head (testsuite/kern/preempt/preempt-module.c, user/preempt/preempt.c).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from rtlat.digits import Array
from rtlat.formats._rtd_rows import RtdRows
from rtlat.formats._rtd_suite_rows import Latency, Preempt
from rtlat.formats._rtd_testsuite import TableTest
from rtlat.protocol import Run

_NO_TIMER_MODE = ("", "KERNEL latency")
"""Heads under which ``latency`` may have run with either timer; under the others it is a oneshot one."""

_LARGEST_SUM = 2**31
"""``latency`` adds a line's samples in 32 bits."""


def run_of(test: TableTest) -> Run | None:
    """Return the run that a test's lines state, or None if it has no line.

    Examples
    --------
    >>> from rtlat.formats._rtd_testsuite import Settings
    >>> test = TableTest("latency", 0, Settings("KERNEL latency", 1_000_000, 1, "oneshot"))
    >>> test.rows.append(Latency(12, -298, -298, 26, 453, 453, 0))
    >>> test.rows.append(Latency(13, 0, -298, 0, 0, 453, 1000))
    >>> rows = run_of(test).rows.arrays()
    >>> rows["low"].tolist(), rows["high"].tolist(), rows["n"].tolist(), rows["missed"].tolist()
    ([-298.0, -inf, -298.0], [453.0, inf, 453.0], [1000, 1000, 2000], [0, 1000, 1000])
    """
    if not test.rows:
        return None
    run = Run(
        f"rtai {test.table}",
        ignored=test.ignored,
        rejected=test.rejected,
        warnings=test.warnings,
        quoted=test.quote > 0,
    )
    run.facts = _facts(test)
    run.series["all"] = {"period": float(test.settings.period)} if test.settings.period else {}
    if test.table == "latency":
        _add_latency(run, test, test.rows)
    else:
        _add_preempt(run, test.rows)
    if test.rejected.total:
        first = min(line for _, line in test.rejected.reasons.values())
        run.warnings.append(f"{test.rejected.total} lines could not be read (the first is line {first})")
    return run


def per_window(test: TableTest) -> int:
    """Return the samples of a line of ``latency``; -1 if its period and time are not printed."""
    settings = test.settings
    whole = settings.seconds * 10**9
    return whole // settings.period if settings.period and 0 < whole < _LARGEST_SUM else -1


def _add_latency(run: Run, test: TableTest, rows: RtdRows[Latency]) -> None:
    """Add a row for each line, and one for what the last of them says of all."""
    quantity, n = _quantity(test), per_window(test)
    run.warnings += _find_lost_lines(test, rows)
    gaps = _gaps(test)
    missed = _missed(rows, gaps)
    avg = _averages(rows, n)
    low, high = (column.astype(np.float64) for column in (rows.low, rows.high))
    stored = missed != 0  # a latency of 0 for an overrun, or that is not known
    low[stored & (rows.low == 0)] = -math.inf
    avg[stored], high[stored] = math.nan, math.inf
    known = ~np.logical_or.accumulate(gaps) & bool(test.settings.name)
    number = np.arange(len(rows))
    run.rows.extend(
        "all",
        quantity,
        "window",
        low,
        high,
        n=n,
        avg=avg,
        missed=missed,
        seq=np.where(known, number + 1, -1),
        time=np.where(known & (test.settings.seconds > 0), number * (1.0 * test.settings.seconds), math.nan),
        line=rows.line.copy(),  # not to keep the other columns
    )
    last = rows[-1]
    run.rows.add(
        "all",
        quantity,
        "summary",
        -math.inf if last.overruns and last.best == 0 else float(last.best),
        math.inf if last.overruns and last.worst == 0 else float(last.worst),
        n=n * len(rows) if n > 0 and known[-1] else -1,
        missed=last.overruns,
        line=last.line,
    )
    run.warnings += _warnings(test, rows, rows.line[stored])


def _gaps(test: TableTest) -> Array:
    """Whether lines are missing before each row."""
    gaps = np.zeros(len(test.rows) + 1, np.bool_)
    gaps[list(test.lost)] = True
    return gaps[:-1]


def _missed(rows: RtdRows[Latency], gaps: Array) -> Array:
    """The overruns of each line, the difference of the running totals; -1 if that is not known.

    A line whose extremes leave no room for a sample of 0 has none, even if overruns came before it.
    """
    totals = rows.overruns
    before = np.append(-1 if totals[0] else 0, totals[:-1])
    known = (before >= 0) & (~gaps | (totals == before))
    none = (rows.low > 0) | (rows.high < 0)
    return np.where(known, totals - before, np.where(none, 0, -1))


def _averages(rows: RtdRows[Latency], n: int) -> Array:
    """The printed averages; NaN where the sum of 32 bits has wrapped, or may have."""
    low, avg, high = rows.low, rows.avg, rows.high
    wrap = 2 * _LARGEST_SUM / n if n > 0 else math.inf
    fits = (low <= avg) & (avg <= high) & (avg + wrap > high) & (avg - wrap < low)
    return np.where(fits, avg, math.nan)


def _warnings(test: TableTest, rows: RtdRows[Latency], stored: Array) -> Iterator[str]:
    """What a reader of the numbers must know; `stored` are the lines that may hold no latency."""
    if _quantity(test) == "unknown":
        yield "the timer's mode is not printed: these are latencies with a oneshot timer, else differences of periods"
    if per_window(test) < 0:
        yield "the period is not printed, nor how many samples a line is about"
    last = rows[-1]
    if last.overruns:
        yield (
            f"line {last.line}: {last.overruns} overruns; RTAI stores a latency of 0 for each, so that the worst may "
            f"be later than the printed maximum of {last.worst} ns"
        )
    if len(stored):
        yield f"line {stored[0]}: maximum and average are left open where a line has, or may have, new overruns"


def _find_lost_lines(test: TableTest, rows: RtdRows[Latency]) -> Iterator[str]:
    """Enter into a test where running extremes tell of lines that are missing, and yield a sentence about the first."""
    first, best, worst = rows[0], rows.best, rows.worst
    if (first.low, first.high) != (first.best, first.worst):
        test.lost.add(0)
        yield f"line {first.line}: it is not the first of its test: the extremes so far lie in none of the lines here"
    low, high = np.minimum(best[:-1], rows.low[1:]), np.maximum(worst[:-1], rows.high[1:])
    wrong = np.flatnonzero((best[1:] != low) | (worst[1:] != high)).tolist()
    new = [place for place in wrong if place + 1 not in test.lost]
    for place in new[:1]:
        row = rows[place + 1]
        yield (
            f"line {row.line}: ovl min {row.best} and ovl max {row.worst} ns, "
            f"the lines {low[place]} and {high[place]} ns: some are missing"
        )
    test.lost.update(place + 1 for place in wrong)


def _add_preempt(run: Run, rows: RtdRows[Preempt]) -> None:
    """Add a row for each block's average, and the extremes since the test began."""
    low = np.where(np.diff(rows.low, prepend=rows.low[:1]) < 0, rows.low, -math.inf)
    high = np.where(np.diff(rows.high, prepend=rows.high[:1]) > 0, rows.high, math.inf)
    avg = np.where((rows.low <= rows.avg) & (rows.avg <= rows.high), rows.avg, math.nan)
    run.rows.extend("all", "thread", "window", low, high, avg=avg, line=rows.line.copy())
    last = rows[-1]
    run.rows.add("all", "thread", "summary", float(last.low), float(last.high), line=last.line)
    for series, jitter in (("fast", float(last.fast)), ("slow", float(last.slow))):
        if run.facts.get("context") == "kernel":
            run.rows.add(series, "period_jitter", "summary", -jitter if jitter else -math.inf, math.inf, line=last.line)
        else:
            run.rows.add(series, "unknown", "summary", -math.inf, jitter, line=last.line)
        run.series[series] = {}
    if run.facts.get("context") == "kernel":
        run.warnings.append("jit fast and jit slow are how much a period was too short at most; too long is not told")
    else:
        run.warnings.append(
            "jit fast and jit slow are the largest absolute deviation from the schedule, or in older versions how much "
            "a period was too short: the head does not say"
        )
    run.warnings.append("lat min and lat max are extremes since the test began; how many samples there are is not told")


def _quantity(test: TableTest) -> str:
    """What ``latency`` measures: a wake-up with a oneshot timer, differences of periods with a periodic one."""
    mode = test.settings.timer_mode
    if mode:
        return "period_jitter" if mode == "periodic" else "thread"
    return "unknown" if test.settings.name in _NO_TIMER_MODE else "thread"


def _context(test: TableTest) -> str:
    """Where the measuring task runs, by the head or by the section of makertaikernel.sh."""
    name = test.settings.name or test.section
    if name.startswith(("KERNEL", "UP", "kern", "kthreads")):
        return "kernel"
    return "user" if name.startswith(("USER", "LXRT", "user", "and calibration")) else ""


def _facts(test: TableTest) -> dict[str, Any]:
    """The columns of runs that the lines state."""
    settings = test.settings
    facts: dict[str, Any] = {
        "approach": "RTAI",
        "variant": ", ".join(part for part in (settings.name, settings.tasks, settings.timer_mode) if part),
        "context": _context(test),
        "started": settings.started,
        "printed_unit": "ns",
        "unit_basis": "printed" if settings.name else "documented",
        "resolution": 1.0,
        "rounding": "exact",
        "ended": "cut" if test.cut else "interrupted" if test.stopped else "unknown",
    }
    if test.table == "latency":
        facts["overrun_policy"] = "counted; the sample of an overrun is stored as 0"
        if settings.period:
            facts["period"] = float(settings.period)
        if settings.seconds:
            facts |= {"window": float(settings.seconds), "duration": float(len(test.rows) * settings.seconds)}
            facts["duration_basis"] = "derived"
    if per_window(test) > 0:
        facts["nominal_n"] = per_window(test) * len(test.rows)
    return {name: value for name, value in facts.items() if value != ""}
