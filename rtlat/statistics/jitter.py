"""What the field calls jitter, each figure by its own name, with the records it needs.

Figures of spread ignore the order of the observations and come from bins as well as from samples. Figures of
successive differences need every sample in its order, and refuse a histogram: the spread of differences follows
from that of the values only if they are independent, which latencies are not. A truncated sample is an interval,
so each figure is bounds here, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from rtlat.intervals import Array, Distribution, Intervals
from rtlat.statistics import stats
from rtlat.statistics.results import Bounds, refused
from rtlat.statistics.variance import greatest_variance, least_variance
from rtlat.timeline.course import NUMBERED, Course

Answer = Callable[[Distribution, Course | str], Bounds]

COUNTS = "the counts of samples or bins; a minimum and a maximum bound it"
ORDER = "every sample, in order"

_EVEN = 1e-6
"""By how much distances of equally spaced samples may differ, as a share."""


@dataclass(frozen=True)
class Definition:
    """One of the figures that are called jitter.

    Attributes
    ----------
    name, formula, needs : str
        What it is called, what it is of latencies L, and which records it needs.
    of : callable
        The figure of a distribution and a course. [unit]
    """

    name: str
    formula: str
    needs: str
    of: Answer


def differences(course: Course | str) -> tuple[Array, Array] | Bounds:
    """Return bounds of L(k+1) - L(k) of activations that follow each other, or why there are none."""
    if isinstance(course, str):
        return refused(f"needs {ORDER}: {course}")
    if course.kind != "sample":
        what = {"window": "windows hold no single samples", "over": "only observations over a threshold are listed"}
        return refused(f"needs {ORDER}: {what[course.kind]}")
    follow = np.ones(max(0, len(course.low) - 1), bool)
    if course.basis == NUMBERED:  # across a gap the distance is not one period
        follow = np.diff(course.time) < 1.5 * course.grain
    if not follow.any():
        return refused("needs at least two samples of activations that follow each other")
    return (course.low[1:] - course.high[:-1])[follow], (course.high[1:] - course.low[:-1])[follow]


def period_jitter_std(d: Distribution, course: Course | str) -> Bounds:
    """Return the standard deviation of the distance of consecutive wake-ups from the period."""
    found = differences(course)
    if isinstance(found, Bounds):
        return found
    low, high = found
    every = np.ones(len(low), bool)
    intervals = Intervals(low, high, every.astype(np.int64), every, ~every)
    greatest = math.sqrt(greatest_variance(intervals))
    return _bounds(math.sqrt(least_variance(intervals)) if (low < high).any() else greatest, greatest)


def period_jitter_worst(d: Distribution, course: Course | str) -> Bounds:
    """Return the largest distance of consecutive wake-ups from the period, either way."""
    found = differences(course)
    if isinstance(found, Bounds):
        return found
    least, most = _sizes(*found)
    return _bounds(float(least.max()), float(most.max()))


def rfc3550(course: Course | str) -> tuple[Array, Array] | Bounds:
    """Return bounds of the running interarrival jitter J after each sample but the first, or why there is none.

    J += (|D| - J) / 16, from J = 0, where D is the difference of two successive transit times, here latencies
    (RFC 3550, section 6.4.1 and appendix A.8). Packets that are lost take no part, nor do samples here.
    """
    from scipy.signal import lfilter

    if isinstance(course, str) or course.kind != "sample" or len(course.low) < 2:
        found = differences(course)
        return found if isinstance(found, Bounds) else refused("needs at least two samples")
    least, most = _sizes(course.low[1:] - course.high[:-1], course.high[1:] - course.low[:-1])
    low, high = (np.asarray(lfilter([1 / 16], [1, -15 / 16], sizes)) for sizes in (least, most))
    return low, high


def rfc3550_figure(of: Callable[[Array], float], d: Distribution, course: Course | str) -> Bounds:
    """Return the mean or the maximum of J; its last value alone would tell of a few samples only."""
    found = rfc3550(course)
    return found if isinstance(found, Bounds) else _bounds(float(of(found[0])), float(of(found[1])))


def _sizes(low: Array, high: Array) -> tuple[Array, Array]:
    """Bounds of the absolute values of differences."""
    return np.maximum(0.0, np.maximum(low, -high)), np.maximum(np.abs(low), np.abs(high))


def _bounds(low: float, high: float) -> Bounds:
    """A figure of samples, each of which is known to the step of the print."""
    return Bounds(low, high, "ok")


def _counted(of: Callable[[Distribution], Bounds], d: Distribution, course: Course | str) -> Bounds:
    """A figure for which order does not matter."""
    return of(d)


DEFINITIONS = (
    Definition("range", "max L - min L", "the least and the greatest value", partial(_counted, stats.value_range)),
    Definition("std", "root of the mean of (L - mean L)²", COUNTS, partial(_counted, stats.std)),
    Definition("iqr", "p75 - p25", COUNTS, partial(_counted, stats.SPREADS["iqr"])),
    Definition("mad", "median of |L - p50|", COUNTS, partial(_counted, stats.SPREADS["mad"])),
    Definition("p99-p1", "p99 - p1", COUNTS, partial(_counted, stats.SPREADS["p99-p1"])),
    Definition("p99.9-p50", "p99.9 - p50", COUNTS, partial(_counted, stats.SPREADS["p99.9-p50"])),
    Definition("period jitter std", "std of L(k+1) - L(k)", ORDER, period_jitter_std),
    Definition("period jitter worst", "max |L(k+1) - L(k)|", ORDER, period_jitter_worst),
    Definition("RFC 3550 mean", "mean of J, J += (|L(k+1) - L(k)| - J)/16", ORDER, partial(rfc3550_figure, np.mean)),
    Definition("RFC 3550 max", "max of J, J += (|L(k+1) - L(k)| - J)/16", ORDER, partial(rfc3550_figure, np.max)),
)
"""All figures but the Allan deviation, which is a curve."""


@dataclass(frozen=True, eq=False)
class Allan:
    """The Allan deviation of wake-up times, a point for each averaging time.

    Attributes
    ----------
    tau : ndarray
        Averaging times. [s]
    low, high : ndarray
        Bounds of the deviation. [1]
    terms : ndarray of int64
        How many second differences each is the mean of. [1]
    of : str
        What was taken as the phase: samples, or averages of windows.
    """

    tau: Array
    low: Array
    high: Array
    terms: Array
    of: str


def allan(course: Course | str) -> Allan | Bounds:
    """Return the overlapping Allan deviation with latency as the phase, at octaves of the spacing, or a refusal.

    Of windows, the averages are taken, which says nothing below twice their length and is another figure than
    that of samples.

    References
    ----------
    .. [1] W. J. Riley, "Handbook of Frequency Stability Analysis," NIST Special Publication 1065, 2008, eq. (11).
    """
    need = "needs samples or averages of windows that are equally spaced"
    if isinstance(course, str):
        return refused(f"{need}: {course}")
    if course.kind == "over":
        return refused(f"{need}: only observations over a threshold are listed")
    spacing = np.diff(course.time)
    if len(spacing) < 2 or course.basis == "order only":
        return refused(f"{need}: " + ("there are too few" if len(spacing) < 2 else "the period is not known"))
    step = float(np.median(spacing))
    jitter = float(np.abs(spacing - step).max())
    if jitter > (0.5 if course.kind == "window" else _EVEN) * step:
        return refused(f"{need}: activations that were skipped leave gaps, or their times differ")
    if course.kind == "sample":
        phase, width = (course.low + course.high) / 2, float((course.high - course.low).max())
    else:
        phase, width = course.rows.avg, 0.0
        if not np.isfinite(phase).all():
            return refused(f"{need}: the windows print no average")
    return _overlapping(phase / 1e9, width / 1e9, step, "samples" if course.kind == "sample" else "window averages")


def _overlapping(phase: Array, width: float, step: float, of: str) -> Allan:
    """The deviation at each octave; a phase is known to `width` (both in s)."""
    taus: list[float] = []
    lows: list[float] = []
    highs: list[float] = []
    terms: list[int] = []
    for octave in range(max(1, int(math.log2((len(phase) - 1) / 2)) + 1)):
        apart = 2**octave
        if 2 * apart >= len(phase):
            break
        second = np.abs(phase[2 * apart :] - 2 * phase[apart:-apart] + phase[: -2 * apart])
        tau = apart * step
        taus.append(tau)
        terms.append(len(second))
        for ends, shift in ((lows, -2 * width), (highs, 2 * width)):
            ends.append(math.sqrt(float((np.maximum(0.0, second + shift) ** 2).mean()) / 2) / tau)
    return Allan(np.array(taus), np.array(lows), np.array(highs), np.array(terms, np.int64), of)
