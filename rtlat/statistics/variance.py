"""The least and the greatest variance that observations known as intervals may have.

Both are attained, so no narrower bounds hold. For one interval for each observation the least is found in
O(m log m); the greatest is NP-hard where intervals lie within each other, and easy where, shrunk by the number
of observations, none lies within another, as a histogram's bins do. See [1]_ and [2]_.

References
----------
.. [1] S. Ferson, L. Ginzburg, V. Kreinovich, L. Longpre and M. Aviles, "Computing variance for interval data is
   NP-hard," ACM SIGACT News, vol. 33, no. 2, pp. 108-118, 2002.
.. [2] S. Ferson, V. Kreinovich, J. Hajagos, W. Oberkampf and L. Ginzburg, "Experimental uncertainty estimation
   and statistics for data having interval uncertainty," Sandia report SAND2007-0939, 2007, section 4.5.
"""

from __future__ import annotations

import math

import numpy as np

from rtlat.intervals import Array, Intervals


def least_variance(intervals: Intervals) -> float:
    """Return the least population variance of any observations within the intervals.

    It is the least over c of the mean squared distance from c to the intervals, for the variance is the least
    mean squared distance to any point. The slope in c is piecewise linear and rises.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> least_variance(counted([0, 3], [1, 5], [1, 1]).intervals)  # at 1 and 3
    1.0
    """
    low, high, _, _, _ = intervals
    n, observations = intervals.weights
    breaks = np.unique(np.concatenate([low, high]))
    breaks = breaks[np.isfinite(breaks)]
    if not len(breaks):
        return 0.0
    origin = breaks[0]  # distances from it keep digits that absolute latencies would lose
    weight, moment = np.zeros(len(breaks)), np.zeros(len(breaks))
    for ends, below in ((high, True), (low, False)):
        finite = np.isfinite(ends)
        finite_ends, count = ends[finite], n[finite]
        place = breaks.searchsorted(finite_ends)
        for total, values in ((weight, count), (moment, count * (finite_ends - origin))):
            at = np.bincount(place, values, len(breaks))
            # intervals that end before a break pull down, those that begin after it pull up
            total += at.cumsum() - at if below else at.sum() - at.cumsum()
    slope = weight * (breaks - origin) - moment
    right = int(np.argmax(slope >= 0)) if slope[-1] >= 0 else len(breaks) - 1
    centre = float(np.interp(0, slope[right - 1 : right + 1], breaks[right - 1 : right + 1])) if right else origin
    distance = np.maximum(low - centre, 0) + np.maximum(centre - high, 0)
    return float((n * distance**2).sum()) / observations


def greatest_variance(intervals: Intervals) -> float:
    """Return the greatest population variance of any observations within the intervals.

    The variance is convex in each observation, so all lie at ends: at the low end left of some point, at the
    high end right of it, and the observations of one interval are shared between its ends. Where intervals lie
    within each other this might miss the greatest by the share of one observation; then its upper bound is
    returned, the least over c of the mean squared distance to the farther ends.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> greatest_variance(counted([0], [1], [3]).intervals) * 9  # two at one end, one at the other
    2.0
    """
    (lowest, _), (_, highest) = intervals.extremes
    if math.isinf(lowest) or math.isinf(highest):
        return math.inf
    if intervals.points:  # nothing to choose
        rising = intervals.rising  # sums round by their order
        n, total = rising.weights
        values = rising.low - rising.low[0]
        return float((n * (values - (n * values).sum() / total) ** 2).sum()) / total
    ordered = intervals if intervals.apart else intervals.where((intervals.low + intervals.high).argsort(kind="stable"))
    low, high, _, _, _ = ordered
    n, total = ordered.weights
    middle = (low + high) / 2
    origin = middle[len(middle) // 2]
    low, high, middle = low - origin, high - origin, middle - origin
    if not ordered.apart and _nested(low, high, middle, total):
        # the slope in c jumps up at each middle, from where on the low end is the farther one
        flips = np.append(0, (n * low).cumsum()) + np.append((n * high)[::-1].cumsum()[::-1], 0)
        centre = np.minimum(flips / total, np.append(middle, np.inf)).max()
        return float((n * np.maximum((low - centre) ** 2, (high - centre) ** 2)).sum() / total)
    # all before interval k at the low end, all after at the high end: how many of its own at the high end
    square_low, square_high = low**2, high**2
    sums = (n * low).cumsum() + _after(n * high)
    squares = (n * square_low).cumsum() + _after(n * square_high)
    width = high - low
    split = np.divide(total * middle - sums, width, out=np.zeros_like(width), where=width > 0)
    best = (-math.inf, 0, 0.0)
    for shared in (np.minimum(np.maximum(whole, 0), n) for whole in (np.floor(split), np.ceil(split))):
        variance = (squares + shared * (square_high - square_low)) / total - ((sums + shared * width) / total) ** 2
        k = int(variance.argmax())
        best = max(best, (float(variance[k]), k, float(shared[k])))
    _, k, shared_at = best
    values = np.concatenate([low[: k + 1], high[k:]])
    weights = np.concatenate([n[:k], [n[k] - shared_at, shared_at], n[k + 1 :]])
    mean = (weights * values).sum() / total
    return float((weights * (values - mean) ** 2).sum() / total)


def _after(values: Array) -> Array:
    """The sum of all that come after each value."""
    after = np.zeros_like(values)
    after[:-1] = values[:0:-1].cumsum()[::-1]
    return after


def _nested(low: Array, high: Array, middle: Array, total: float) -> bool:
    """Whether an interval, shrunk around its middle by the number of observations, lies within another."""
    wide = high > low
    half = (high - low)[wide] / 2 / total
    starts, ends = middle[wide] - half, middle[wide] + half
    return bool((np.diff(starts) < 0).any() or (np.diff(ends) < 0).any())
