"""What exceeds a threshold: intervals above it, with what it takes to fit a tail to them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rtlat.intervals import Array, Intervals, sum_of

_FINE_ENOUGH = 1000
"""Intervals that are fitted as they are; more are joined."""

_JOINED = 0.02
"""Width of joined intervals, in steps of minus the logarithm of the share above: local scales."""

_REPEATED = 0.95
"""Distinct values per sample, below which samples stand on a grid."""


@dataclass(frozen=True, eq=False)
class Excesses:
    """By how much observations exceed a threshold.

    Attributes
    ----------
    threshold : float
        [unit of the data]
    low, high : ndarray of float64
        Intervals above the threshold, low = high for samples, inf where there is no end. [unit]
    n : ndarray of int64
        Observations in each.
    beyond : int
        Those beyond the histogram's last bin.
    count, total : int
        Observations that reach the threshold, and all.
    step : float
        Width of the narrowest interval, 0 where samples have none. [unit]
    """

    threshold: float
    low: Array
    high: Array
    n: Array
    beyond: int
    count: int
    total: int
    step: float

    @property
    def rate(self) -> float:
        """Share of observations that reach the threshold."""
        return self.count / self.total

    @property
    def middle(self) -> Array:
        """Middles of the intervals; the low end where there is no other."""
        return np.where(np.isinf(self.high), self.low, (self.low + self.high) / 2)

    @property
    def mean(self) -> float:
        """Mean excess, in the unit of the data, with each observation in the middle of its interval."""
        return float((self.middle * self.n).sum() / self.count)


def excesses(intervals: Intervals, threshold: float, total: int | None = None) -> Excesses:
    """Return what exceeds a threshold; it must not lie within an interval.

    Parameters
    ----------
    intervals : Intervals
        All observations, or those above the threshold.
    threshold : float
        [unit]
    total : int, optional
        All observations, where `intervals` are only those above.

    Raises
    ------
    ValueError
        If the threshold lies within an interval, or nothing reaches it.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> over = excesses(counted([0, 1, 2], [1, 2, np.inf], [90, 7, 3]).intervals, 1)
    >>> over.low.tolist(), over.count, over.rate, over.step
    ([0.0, 1.0], 10, 0.1, 1.0)
    """
    low, high, n, _, beyond = intervals
    above = low >= threshold
    if not above.any() or (~above & (high > threshold)).any():
        raise ValueError(f"no threshold at {threshold}: it lies within an interval, or nothing reaches it")
    over = intervals.where(above)
    widths = (over.high - over.low)[np.isfinite(over.high)]
    return Excesses(
        threshold,
        over.low - threshold,
        over.high - threshold,
        over.n,
        sum_of(n[above & beyond]),
        sum_of(over.n),
        sum_of(n) if total is None else total,
        float(widths.min(initial=math.inf)) if len(widths) else 0.0,
    )


def joined(over: Excesses) -> Excesses:
    """Return the same with narrow intervals joined, where there are more than it takes to tell scale and shape.

    They are joined in steps of the logarithm of the share above, so all are narrow for where they lie: the largest
    observations stay by themselves. Samples that are joined become a cell up to the next: from the first to the
    last of them it would hold too little.
    """
    if len(over.low) <= _FINE_ENOUGH:
        return over
    order = np.argsort(over.low, kind="stable")
    low, high, n = over.low[order], np.maximum.accumulate(over.high[order]), over.n[order]
    above = np.cumsum(n[::-1])[::-1]
    uncut = np.flatnonzero((low >= np.append(-np.inf, high[:-1])) & (np.diff(low, prepend=-np.inf) > 0))
    place = np.floor(-np.log(above[uncut] / over.count) / _JOINED)
    starts = uncut[np.diff(place, prepend=-1) > 0]
    ends = np.append(starts[1:], len(low)) - 1
    end = high[ends]
    samples = (ends > starts) & (over.low[order][ends] == over.high[order][ends]) & (ends + 1 < len(low))
    end[samples] = low[ends[samples] + 1]
    parts = (low[starts], end, np.add.reduceat(n, starts))
    return Excesses(over.threshold, *parts, over.beyond, over.count, over.total, over.step)


def gridded(intervals: Intervals) -> Intervals:
    """Return samples that repeat as bins of the step by which they differ at least.

    A clock that ticks every 77 ns prints samples without width, which are bins nevertheless: a density fitted to
    them sees a tail that stands on its first value. Samples that hardly repeat are left alone.
    """
    values, n = np.unique(intervals.low), sum_of(intervals.n)
    points = bool((intervals.low == intervals.high).all())
    if not points or len(values) < 2 or len(values) > _REPEATED * n:
        return intervals
    step = float(np.diff(values).min())
    return intervals._replace(high=intervals.low + step, closed=np.zeros(len(intervals.low), bool))
