"""What latencies mean for a periodic task: how often it misses its limit, how many times in a row, with what margin.

There are two views. *Recorded* counts the samples. *Every period* counts every activation that was due: a stall of
50 periods is one late sample of a tool that goes on with the next activation still to come, and 50 misses of the
task. The greatest latency is the same in both. A task may have another period than the measurement: then the
share of activations that miss is taken over, for a stall hits the faster task more often by just that factor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rtlat.intervals import Array, Distribution, Intervals, sum_of
from rtlat.statements import ALL
from rtlat.statistics import stats
from rtlat.statistics.results import Bounds, refused
from rtlat.timeline.course import Course, Pace, skipped

_HOUR = 3600.0

_UNKNOWN_N = "the number of observations is unknown"

RECORDED, EVERY = "recorded", "every period"


@dataclass(frozen=True)
class Duty:
    """What a periodic task asks for.

    Attributes
    ----------
    name : str
        Of the task.
    period : float
        From one activation to the next. [s]
    limit : float
        The latency at which an activation is missed. [ns]
    tolerated : int
        Misses in a row that do no harm. [1]
    why : str
        Where these come from.
    """

    name: str
    period: float
    limit: float
    tolerated: int = 0
    why: str = ""


PRESETS = (
    Duty("CNC base thread", 25e-6, 20_000.0, 0, "LinuxCNC's latency-test runs 25 us; steps are good up to 15-20 us"),
    Duty(
        "EtherCAT, 4 kHz", 250e-6, 25_000.0, 1, "a tenth of the cycle for jitter; drives stop at the second late frame"
    ),
    Duty(
        "audio, 64 frames at 48 kHz", 64 / 48_000, 32e6 / 48, 0, "half of the buffer's 1333 us is left for processing"
    ),
    Duty("robot, 1 kHz", 1e-3, 500_000.0, 19, "half of the cycle is left for control; Franka arms stop at 20 in a row"),
)
"""Tasks to begin with, not standards: what a limit must be depends on what the task does after it woke up."""


@dataclass(frozen=True)
class Misses:
    """Missed activations in one view; a refusal in all figures where it does not exist.

    Attributes
    ----------
    view : str
        `RECORDED` or `EVERY`.
    activations, misses, longest : Bounds
        Activations, those of them that reached the limit, and the most in a row, as the task would count. [1]
    per_hour : Bounds
        Misses of the task per hour. [1/h]
    at_most : float
        Misses per hour that 95 % of such measurements would have exceeded, if misses are independent. [1/h]
    basis : str
        Where activations that were not recorded are known from.
    """

    view: str
    activations: Bounds
    misses: Bounds
    longest: Bounds
    per_hour: Bounds
    at_most: float
    basis: str

    def verdict(self, tolerated: int) -> str:
        """Return whether the task's demand was met: met, tolerated, missed, undecided or unknown."""
        if self.misses.status == "refused":
            return "unknown"
        if self.misses.high == 0:
            return "met"
        if self.longest.low > tolerated:
            return "missed"
        return "tolerated" if self.longest.high <= tolerated else "undecided"


def margin(d: Distribution, duty: Duty) -> Bounds:
    """Return the limit minus the greatest observation in ns, negative if it was missed; equal in both views."""
    worst = stats.maximum(d)
    if worst.status == "refused" or d.unit != "ns":
        return refused(worst.reason or _no_time(d))
    return Bounds(duty.limit - worst.high, duty.limit - worst.low, worst.status)


def recorded(d: Distribution, course: Course | str, duty: Duty) -> Misses:
    """Return the misses among the recorded observations."""
    if refusal := _refusal(d):
        return _refused(RECORDED, refusal)
    misses = _recorded(d, course, duty.limit)
    longest = _in_a_row(misses, _row_of_samples(course, duty.limit))
    if d.total is None:
        rate = Bounds(0.0, 0.0, "ok") if misses.high == 0 else refused(_UNKNOWN_N)
        return Misses(RECORDED, refused(_UNKNOWN_N), misses, longest, rate, math.nan, "")
    return _counted(RECORDED, float(d.total), float(d.total), misses, longest, duty, "")


def every_period(d: Distribution, course: Course | str, pace: Pace, duty: Duty) -> Misses:
    """Return the misses among all activations that were due, with those that the tool skipped.

    A skipped activation k periods after a late one of latency L would have had L - k periods.
    """
    if refusal := _refusal(d) or ("" if d.total else _UNKNOWN_N):
        return _refused(EVERY, refusal)
    found = missing(d, course, pace)
    if isinstance(found, str):
        return _refused(EVERY, found)
    lost, basis = found
    seen = _recorded(d, course, duty.limit)
    low, high = seen.low, seen.high + lost.high
    period = pace.period * 1e9
    if period > 0 and (pace.skips or lost.low > 0):
        of_stalls = _of_stalls(d.intervals, duty.limit, period)
        low = max(low, of_stalls[0])
        if pace.skips:  # of a stall, all that was skipped missed a limit of up to a period, and no more a longer one
            low = max(low, lost.low) if duty.limit <= period else low
            high = min(high, of_stalls[1], lost.high if duty.limit > period else math.inf)
    total, low = float(d.total or 0), min(low, high)
    misses = Bounds(low, high, "ok" if low == high else "bounds")
    longest = _longest(d, course, pace, duty, misses)
    return _counted(EVERY, total + lost.low, total + lost.high, misses, longest, duty, basis)


def missing(d: Distribution, course: Course | str, pace: Pace) -> tuple[Bounds, str] | str:
    """Return how many activations were due and not recorded, and where that is known from; or why it is not.

    The log's own count comes first, then what the latencies of a tool that skips activations tell, bounded by
    how many fit into the duration.
    """
    if d.missed is not None:
        return Bounds(d.missed, d.missed, "ok"), "the tool's count of overruns"
    if not pace.period > 0:
        return "the period is not known, so activations that the tool skipped are not either; set it: --set period=1ms"
    due = round(pace.duration / pace.period) if pace.duration > 0 else -1
    lacking = float(max(0, due - (d.total or 0)))
    if pace.skips:
        low, high, n, _, _ = d.intervals
        period = pace.period * 1e9
        most = math.inf if np.isinf(high).any() else float(sum_of(n * skipped(high, period)))
        least = float(sum_of(n * skipped(np.maximum(low, 0), period)))
        if due < 0 or least == most:
            return Bounds(least, most, "ok" if least == most else "bounds"), "the latencies of late samples"
        return Bounds(
            least, max(least, min(most, lacking)), "bounds"
        ), "the latencies of late samples, and the duration"
    if due < 0:
        return "neither overruns nor the duration are known, so activations that were not recorded are not either"
    if lacking <= max(2.0, 1e-3 * due):
        return Bounds(0, lacking, "bounds"), "the duration holds no more activations than were recorded"
    return Bounds(lacking, lacking, "ok"), "the duration, the period and n"


def _refusal(d: Distribution) -> str:
    """Why nothing can be said of a limit."""
    return d.refusal or (_no_time(d) if d.unit != "ns" else "")


def _no_time(d: Distribution) -> str:
    """Why a limit in time does not apply."""
    if d.unit == "cycles":
        return "latencies are in cycles, and the clock rate is not known; set it: --set cpu_mhz="
    return "the unit of latencies is not known"


def _refused(view: str, reason: str) -> Misses:
    """A view that does not exist."""
    no = refused(reason)
    return Misses(view, no, no, no, no, math.nan, "")


def _recorded(d: Distribution, course: Course | str, limit: float) -> Bounds:
    """Recorded observations that reach the limit: in a window at least its maximum, at most what its average allows."""
    found = stats.exceedances(d, limit)
    if isinstance(course, str) or course.kind != "window" or found.status == "refused":
        return found
    rows = course.rows
    low, high = max(found.low, float((course.low >= limit).sum())), found.high
    usable = np.isfinite(rows.avg) & np.isfinite(rows.low) & (rows.n > 0) & (rows.low < limit) & (rows.of == ALL)
    if usable.all() and sum_of(rows.n) == d.total:
        step = 0.0 if math.isnan(d.resolution) else d.resolution
        share = (rows.avg + step - rows.low) / (limit - rows.low)
        # one observation of a window is its least one, which lies below the limit
        most = np.where(course.high >= limit, np.minimum(rows.n - 1, np.floor(rows.n * share)), 0)
        high = min(high, float(most.sum()))
    return Bounds(min(low, high), high, "ok" if low == high else found.status)


def _of_stalls(intervals: Intervals, limit: float, period: float) -> tuple[float, float]:
    """Bounds of the activations that reach the limit, when each late sample stands for all due within its latency."""
    low, high, n, closed, _ = intervals
    surely = sum_of(n * _reaching(low, limit, period))
    if np.isinf(high).any():
        return float(surely), math.inf
    maybe = np.where(closed, _reaching(high, limit, period), np.ceil((high - limit) / period))
    return float(surely), float(sum_of(n * np.maximum(maybe, 0).astype(np.int64)))


def _reaching(latency: Array, limit: float, period: float) -> Array:
    """How many of the activations L, L - period, L - 2 periods ... reach the limit.

    Examples
    --------
    >>> _reaching(np.array([0.5e6, 1e6, 50e6]), 1e6, 1e6).tolist()
    [0, 1, 50]
    """
    late = np.floor((latency - limit) / period)
    return np.where(np.isfinite(late), np.maximum(late, -1), -1).astype(np.int64) + 1


def _row_of_samples(course: Course | str, limit: float) -> Bounds | None:
    """Bounds of the most recorded samples in a row that reach the limit, if their order is known."""
    if isinstance(course, str) or course.kind != "sample":
        return None
    surely, maybe = (_longest_true(ends >= limit) for ends in (course.low, course.high))
    return Bounds(surely, maybe, "ok" if surely == maybe else "bounds")


def _longest_true(flags: Array) -> int:
    """Length of the longest run of True.

    Examples
    --------
    >>> _longest_true(np.array([True, True, False, True]))
    2
    """
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(np.int8), [0]))))
    return int(np.diff(edges)[::2].max(initial=0))


def _in_a_row(misses: Bounds, row: Bounds | None) -> Bounds:
    """The longest run: of samples in order; otherwise it is at least one if there is a miss, and at most all."""
    if row is not None:
        return row
    low, high = min(1.0, misses.low), misses.high
    return Bounds(low, high, "ok" if low == high else "bounds")


def _longest(d: Distribution, course: Course | str, pace: Pace, duty: Duty, misses: Bounds) -> Bounds:
    """The longest run of misses: at least what the worst stall makes, at most what runs of samples allow."""
    period = duty.period * 1e9
    worst = d.maximum[0] if math.isfinite(d.maximum[0]) else 0.0
    low = float(_reaching(np.array([worst]), duty.limit, period)[0])
    if misses.high == 0:
        return Bounds(0.0, 0.0, "ok")
    high = math.inf
    if not isinstance(course, str) and course.kind == "sample" and pace.period > 0:
        spans = [_blackout(ends, duty.limit, pace) for ends in (course.low, course.high)]
        same = math.isclose(duty.period, pace.period, rel_tol=1e-6)
        low = max(low, spans[0]) if same else low
        high = spans[1] if same else math.ceil(spans[1] * pace.period / duty.period) + 1.0
    elif misses.high < math.inf and pace.period > 0:
        high = math.ceil(misses.high * max(1.0, pace.period / duty.period))
    return Bounds(low, max(low, high), "ok" if low == high else "bounds")


def _blackout(latency: Array, limit: float, pace: Pace) -> float:
    """Longest run of activations that reach the limit, those among them that were skipped included."""
    period = pace.period * 1e9
    missed = _reaching(latency, limit, period)
    due = (skipped(latency, period) if pace.skips else 0) + 1
    missed = np.minimum(missed, due)
    ends = np.flatnonzero(missed < due)  # a run goes on only where every activation up to the next sample is missed
    runs = np.add.reduceat(missed, np.append(0, ends[ends < len(missed) - 1] + 1))
    return float(runs.max(initial=0))


def _counted(view: str, fewest: float, most: float, misses: Bounds, longest: Bounds, duty: Duty, basis: str) -> Misses:
    """A view, with its rate at the task's period."""
    from scipy.special import chdtri

    rate = _HOUR / duty.period
    low, high = misses.low / most * rate, min(1.0, misses.high / fewest) * rate
    at_most = float(chdtri(2 * (misses.high + 1), 0.05) / 2 / fewest * rate) if misses.high < math.inf else math.inf
    return Misses(
        view,
        Bounds(fewest, most, "ok" if fewest == most else "bounds"),
        misses,
        longest,
        Bounds(low, high, misses.status if low != high else "ok"),
        min(at_most, rate),
        basis,
    )
