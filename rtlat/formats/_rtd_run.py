"""From the lines of one run of Xenomai's ``latency`` or EVL's ``latmus`` to the statements they make.

Windows say the least and the most of a known number of samples. An end that is no latency that was seen is left
open: where a minimum starts, what wrapped, what lost whole periods.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rtlat.formats._rtd_bins import add_bins
from rtlat.formats._rtd_checks import contradictions, find_lost_lines, has_klatency_average
from rtlat.formats._rtd_gathered import KLATENCY, LATMUS, LatencyTest
from rtlat.formats._rtd_lines import MODES, TEN_MS, Summary, us
from rtlat.protocol import Run

_UNKNOWN = (-math.inf, math.nan, math.inf)
_NOT_EVL = ("sirq", "inband-gpio")
"""Contexts in which ``latmus`` measures Linux, not EVL."""


def run_of(test: LatencyTest) -> Run | None:
    """Return the run that a test's lines state, or None if they state no latency.

    Parameters
    ----------
    test : LatencyTest
        Its lines; what they lack and where they contradict each other is added to its warnings.

    Examples
    --------
    >>> from rtlat.formats._rtd_lines import Window
    >>> test = LatencyTest(periods={1_000_000}, begun=True, mode="periodic user-mode task")
    >>> test.windows.append(Window(8, 4458, 7504, 49833, 2, 0, 4458, 49833))
    >>> test.windows.append(Window(9, 4416, 5915, 33958, 2, 0, 4416, 49833))
    >>> run = run_of(test)
    >>> rows = run.rows.arrays()
    >>> rows["n"].tolist(), rows["missed"].tolist(), rows["time"].tolist(), run.facts["ended"]
    ([1000, 1000], [2, 0], [0.0, 1.002], 'cut')
    """
    if not (test.windows or test.summary or test.bins.get("avg") or test.drawn):
        return None
    if has_klatency_average(test):
        test.tool = KLATENCY
    run = Run(test.tool, ignored=test.ignored, rejected=test.rejected, warnings=test.warnings, quoted=test.quote > 0)
    find_lost_lines(test)
    run.warnings += contradictions(test)
    quantity, _ = MODES.get(test.mode, ("unknown", ""))
    wrapped = _add_windows(run, test, quantity)
    if test.summary:
        _add_summary(run, test, test.summary, quantity, wrapped)
    if test.exceeded:
        line, high = test.exceeded
        run.rows.add("all", quantity, "summary", -math.inf, float(high), line=line)
    run.facts = _facts(test)
    whole = test.starts_with_first and not test.lost
    if test.bins or test.drawing:
        whole = add_bins(run, test, quantity, wrapped)
    run.facts["ended"] = _ended(test) if whole or test.weird else "cut"
    run.series["all"] = _series(test)
    run.warnings += _warnings(test)
    return run if len(run.rows) else None


def _add_windows(run: Run, test: LatencyTest, quantity: str) -> bool:
    """Add a row for each RTD line; whether a sample of any has wrapped."""
    windows = test.windows
    if not len(windows):
        return False
    missed, lengths = test.missed(), test.lengths()
    low, avg, high = (column.astype(np.float64) for column in (windows.low, windows.avg, windows.high))
    wrapped = test.wrapped(missed)
    clipped = ~wrapped & (windows.low == TEN_MS) & (windows.high > TEN_MS)
    shortened = ~wrapped & ~clipped & (windows.overruns > 0) & (missed != 0) & test.takes_periods_off
    low[wrapped | clipped] = -math.inf
    avg[wrapped | shortened] = math.nan
    high[wrapped | shortened] = math.inf
    known = ~np.logical_or.accumulate(test.follows_gap) & test.begun
    start = 0.0 if not test.answers_by_gpio else math.nan
    time = np.cumsum(np.append(start, lengths))[:-1]
    run.rows.extend(
        "all",
        quantity,
        "window",
        low,
        high,
        n=test.per_window or -1,
        avg=avg,
        missed=missed,
        seq=np.where(known, np.arange(len(windows)) + 1, -1),
        time=np.where(known, time, math.nan),
        line=windows.line.copy(),  # not to keep the other columns
    )
    for which, says, what, left in (
        (
            wrapped,
            "a sample is beyond the 2.147 s that latency can hold and shows as another number",
            "minimum, average and maximum",
            "are",
        ),
        (clipped, "10000.000 us is where a minimum starts, not one that was seen", "the minimum", "is"),
        (
            shortened,
            "latmus takes whole periods off late samples and counts them as overruns",
            "maximum and average",
            "are",
        ),
    ):
        if which.any():
            lines = windows.line[which]
            run.warnings.append(f"line {lines[0]}: {says}: {what} of {_lines(len(lines))} {left} left open")
    return bool(wrapped.any())


def _lines(number: int) -> str:
    """How many lines, in a sentence."""
    return "this line" if number == 1 else f"{number} such lines"


def _add_summary(run: Run, test: LatencyTest, summary: Summary, quantity: str, wrapped: bool) -> None:
    """Add a row for RTS: ``latency`` prints it about whole windows only, ``latmus`` about all samples."""
    low, avg, high = float(summary.low), float(summary.avg), float(summary.high)
    if wrapped or summary.low < -TEN_MS:
        low, avg, high = _UNKNOWN
    elif summary.low == TEN_MS:
        low = -math.inf
    if test.tool == KLATENCY:
        avg = math.nan
        run.warnings.append(
            f"line {summary.line}: klatency divides by one line too many: its average of {us(summary.avg)} is left out"
            + (f", the RTD lines have {us(test.mean_of_windows()[0])}" if test.windows else "")
        )
    if test.takes_periods_off and summary.overruns > 0:
        run.warnings.append(
            f"line {summary.line}: {summary.overruns} overruns are whole periods that latmus took off late samples: "
            f"the worst latency is not the printed maximum of {us(summary.high)}, which is left open with the average"
        )
        avg, high = math.nan, math.inf
    n = test.samples if test.samples > 0 else test.whole_windows * test.per_window
    n, missed = n if n > 0 else -1, max(-1, summary.overruns)
    run.rows.add("all", quantity, "summary", low, high, n=n, avg=avg, missed=missed, line=summary.line)


def _facts(test: LatencyTest) -> dict[str, Any]:
    """The columns of runs that the lines state."""
    facts: dict[str, Any] = {
        **test.about,
        "variant": test.variant,
        "context": MODES.get(test.mode, ("", ""))[1],
        "printed_unit": test.unit,
        "unit_basis": test.unit_basis,
        "resolution": 1.0,
        "rounding": "exact",
        "overrun_policy": _overrun_policy(test),
    }
    if test.tool == LATMUS and test.mode not in ("", *_NOT_EVL):
        facts["approach"] = "EVL"
    if test.period:
        facts["period"] = float(test.period)
        if not test.answers_by_gpio:  # its machine sleeps a period between an answer and the next question
            facts["window"] = test.per_window * test.period / 1e9
    if not math.isnan(test.threshold):
        facts["threshold"] = test.threshold
    lasted = math.fsum(test.lengths()) if test.windows else math.nan
    if test.summary and test.summary.actual >= 0:
        facts |= {"duration": float(test.summary.actual), "duration_basis": "printed"}
    elif not math.isnan(lasted):
        facts |= {"duration": lasted, "duration_basis": "derived"}
    if "duration" in facts and test.period:
        facts["nominal_n"] = int(facts["duration"] * 1e9 / test.period + 1e-6)  # 60.002 s are 60001.99999 ms
    return {name: value for name, value in facts.items() if value != ""}


def _overrun_policy(test: LatencyTest) -> str:
    """What the tool does with late activations."""
    if test.takes_periods_off:
        return "whole periods removed from the late sample, counted as overruns"
    if test.answers_by_gpio:
        return "counted; the late answer keeps its whole time, one missing for 1 s is no sample"
    return "counted; the late sample keeps its whole latency"


def _ended(test: LatencyTest) -> str:
    """How the run ended; the clock cannot tell a test without ``-T`` from one that ran to its end."""
    if test.exceeded:
        return "stopped at threshold"
    if test.weird:
        return "interrupted"
    if not test.summary or test.summary.asked < 0:
        return "unknown" if test.drawing and not test.windows else "cut"
    if not math.isnan(test.threshold):
        return "stopped at threshold"
    asked, actual = test.summary.asked, test.summary.actual
    early = actual < asked
    if test.tool == LATMUS:  # prints the hours of the actual time, and the minutes and seconds of the other
        early = abs(actual - asked) > 1
    return "interrupted" if early or test.stopped or test.endless else "complete"


def _series(test: LatencyTest) -> dict[str, Any]:
    """The columns of series that the lines state."""
    stated: dict[str, Any] = {"period": float(test.period)} if test.period else {}
    if test.priority >= 0 and test.mode != "in-kernel timer handler":  # printed there too, where it has no meaning
        stated["priority"] = test.priority
    if test.cpu >= 0:
        stated["cpu"] = test.cpu
    if "avg" in test.stats or test.samples > 0:
        stated["n"] = test.stats["avg"].n if "avg" in test.stats else test.samples
    return stated


def _warnings(test: LatencyTest) -> list[str]:
    """What a reader of the numbers must know."""
    warnings = []
    if not test.mode:
        warnings.append("no line says what was measured")
    if not test.period:
        stated = " and ".join(f"{period / 1000:g} us" for period in sorted(test.periods)) or "no line states one"
        warnings.append(f"the period is not known ({stated}), nor how many samples a line is about")
    if not test.summary:
        warnings.append("the RTS line is missing")
    switches = max(test.windows.switches.max(initial=-1), test.summary.switches if test.summary else -1)
    if test.tool == LATMUS and (switches > 0 or test.unreliable):
        warnings.append("the thread was switched to the in-band mode: latmus calls these figures not reliable")
    elif switches > 0:
        warnings.append("mode switches to Linux took place in samples that became maxima (msw)")
    if test.weird:
        warnings.append(f"line {test.weird}: latmus stopped because its own results contradicted each other")
    if test.mode == "sirq":
        warnings.append("sirq times the in-band stage, Linux, and not EVL; the timer's own lateness is taken off")
    elif test.answers_by_gpio:
        warnings.append("another machine timed question and answer over GPIO: a round trip, no wake-up latency")
    if test.rejected.total:
        first = min(line for _, line in test.rejected.reasons.values())
        warnings.append(f"{test.rejected.total} lines could not be read (the first is line {first})")
    return warnings
