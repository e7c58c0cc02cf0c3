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
from itertools import pairwise
from typing import Any

from rtlat.formats._rtd_testsuite import Latency, Preempt, TableTest
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
    >>> test.rows += [Latency(12, -298, -298, 26, 453, 453, 0), Latency(13, 0, -298, 0, 0, 453, 1000)]
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
    latency = [row for row in test.rows if isinstance(row, Latency)]
    if latency:
        _add_latency(run, test, latency)
    preempt = [row for row in test.rows if isinstance(row, Preempt)]
    if preempt:
        _add_preempt(run, preempt)
    if test.rejected.total:
        first = min(line for _, line in test.rejected.reasons.values())
        run.warnings.append(f"{test.rejected.total} lines could not be read (the first is line {first})")
    return run


def per_window(test: TableTest) -> int:
    """Return the samples of a line of ``latency``; -1 if its period and time are not printed."""
    settings = test.settings
    whole = settings.seconds * 10**9
    return whole // settings.period if settings.period and 0 < whole < _LARGEST_SUM else -1


def _add_latency(run: Run, test: TableTest, rows: list[Latency]) -> None:
    """Add a row for each line, and one for what the last of them says of all."""
    quantity, n = _quantity(test), per_window(test)
    run.warnings += _find_lost_lines(test, rows)
    known, lines = bool(test.settings.name), []
    for number, (row, missed) in enumerate(zip(rows, _missed(test, rows), strict=True)):
        low, avg, high = float(row.low), _average(row, n), float(row.high)
        if missed:  # or not known
            low, avg, high = -math.inf if row.low == 0 else low, math.nan, math.inf
            lines.append(row.line)
        known = known and number not in test.lost
        seq, time = (number + 1, float(number * test.settings.seconds)) if known else (-1, math.nan)
        time = time if test.settings.seconds else math.nan
        run.rows.add(
            "all", quantity, "window", low, high, n=n, avg=avg, missed=missed, seq=seq, time=time, line=row.line
        )
    last = rows[-1]
    stored = last.overruns > 0
    run.rows.add(
        "all",
        quantity,
        "summary",
        -math.inf if stored and last.best == 0 else float(last.best),
        math.inf if stored and last.worst == 0 else float(last.worst),
        n=n * len(rows) if n > 0 and known else -1,
        missed=last.overruns,
        line=last.line,
    )
    run.warnings += _warnings(test, rows, lines)


def _missed(test: TableTest, rows: list[Latency]) -> Iterator[int]:
    """Yield the overruns of each line, the difference of the running totals; -1 if that is not known.

    A line whose extremes leave no room for a sample of 0 has none, even if overruns came before it.
    """
    before = 0 if not rows[0].overruns else -1
    for number, row in enumerate(rows):
        known = before >= 0 and (number not in test.lost or row.overruns == before)
        none = row.low > 0 or row.high < 0
        yield row.overruns - before if known else 0 if none else -1
        before = row.overruns


def _average(row: Latency, n: int) -> float:
    """The printed average; NaN if its sum of 32 bits has wrapped, or may have."""
    wrap = 2 * _LARGEST_SUM / n if n > 0 else math.inf
    fits = row.low <= row.avg <= row.high
    return float(row.avg) if fits and row.avg + wrap > row.high and row.avg - wrap < row.low else math.nan


def _warnings(test: TableTest, rows: list[Latency], stored: list[int]) -> Iterator[str]:
    """What a reader of the numbers must know."""
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
    if stored:
        yield f"line {stored[0]}: maximum and average are left open where a line has, or may have, new overruns"


def _find_lost_lines(test: TableTest, rows: list[Latency]) -> Iterator[str]:
    """Enter into a test where running extremes tell of lines that are missing, and yield a sentence about the first."""
    first, told = rows[0], False
    if (first.low, first.high) != (first.best, first.worst):
        test.lost.add(0)
        yield f"line {first.line}: it is not the first of its test: the extremes so far lie in none of the lines here"
    for number, (before, row) in enumerate(pairwise(rows), 1):
        low, high = min(before.best, row.low), max(before.worst, row.high)
        if (row.best, row.worst) == (low, high):
            continue
        if not told and number not in test.lost:
            told = True
            yield (
                f"line {row.line}: ovl min {row.best} and ovl max {row.worst} ns, the lines {low} and {high} ns: "
                "some are missing"
            )
        test.lost.add(number)


def _add_preempt(run: Run, rows: list[Preempt]) -> None:
    """Add a row for each block's average, and the extremes since the test began."""
    before: Preempt | None = None
    for row in rows:
        low = float(row.low) if before and row.low < before.low else -math.inf
        high = float(row.high) if before and row.high > before.high else math.inf
        avg = float(row.avg) if row.low <= row.avg <= row.high else math.nan
        run.rows.add("all", "thread", "window", low, high, avg=avg, line=row.line)
        before = row
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
