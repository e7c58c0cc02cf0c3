"""Statistics of observations known as intervals: each answer is bounds with a status.

A percentile is an order statistic, the smallest value that at least that share of all observations does not
exceed (definition 1 of [1]_; numpy calls it ``inverted_cdf``).

References
----------
.. [1] R. J. Hyndman and Y. Fan, "Sample quantiles in statistical packages," The American Statistician, vol. 50,
   no. 4, pp. 361-365, 1996.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from rtlat.intervals import ANYWHERE, Distribution, Interval, shared, sum_of
from rtlat.statistics.ranks import default_percentiles as default_percentiles
from rtlat.statistics.ranks import fraction, ranks
from rtlat.statistics.ranks import rank as rank
from rtlat.statistics.ranks import samples_needed as samples_needed
from rtlat.statistics.ranks import supported_percent as supported_percent
from rtlat.statistics.results import Bounds as Bounds
from rtlat.statistics.results import refused
from rtlat.statistics.variance import greatest_variance, least_variance

_UNKNOWN_N = "the number of observations is unknown"
_GRAVEST = ("partial", "overflow", "underflow", "bounds", "ok")


def percentile(d: Distribution, percent: str | float) -> Bounds:
    """Return a percentile: bounds of the order statistic, with its rank.

    Raises
    ------
    UsageError
        If `percent` is no decimal number from 0 to 100.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> d = counted([0, 1, 2, 5], [1, 2, 3, float("inf")], [90, 5, 2, 3])
    >>> percentile(d, 95).text(), percentile(d, "99.9").text()
    ('1-2', '>= 5')
    """
    return percentiles(d, (percent,))[0]


def percentiles(d: Distribution, percents: Sequence[str | float]) -> list[Bounds]:
    """Return several percentiles, which takes hardly longer than one.

    Raises
    ------
    UsageError
        If one of them is no decimal number from 0 to 100.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> [result.text() for result in percentiles(counted(range(1, 101)), ["50", "99", 100])]
    ['50', '99', '100 (max)']
    """
    if d.refusal or d.total is None:
        return [_stated(d, percent) or _unranked(d) for percent in percents]
    places, supported = ranks(d.total, percents)
    found = [_ranked(d, *one) for one in zip(places, *d.at(places), supported, strict=True)]
    if d.status == "bounds" and d.stated:
        return [_stated(d, percent) or result for percent, result in zip(percents, found, strict=True)]
    return found


def _stated(d: Distribution, percent: str | float) -> Bounds | None:
    """A percentile that is printed, which says more than the bounds of what is not known."""
    share = float(fraction(percent))
    for level, low, high in d.stated:
        if math.isclose(level, share, rel_tol=0, abs_tol=1e-12):
            return Bounds(low, high, "stated")
    return None


def _unranked(d: Distribution) -> Bounds:
    """A percentile of observations that cannot be counted."""
    if d.refusal:
        return refused(d.refusal)
    if math.isfinite(d.minimum[0]) and math.isfinite(d.maximum[1]):
        return Bounds(d.minimum[0], d.maximum[1], "bounds")
    return refused(_UNKNOWN_N)


def _ranked(d: Distribution, place: int, low: float, high: float, beyond: bool, supported: bool) -> Bounds:
    """The observation at a rank, whose high end lies `beyond` the last bin or not."""
    if d.status == "ok" and low > 0 and not beyond:  # as nearly always
        return Bounds(low, high, "max" if place == d.total else "ok", place, None, supported)
    if (low, high) == ANYWHERE and d.status == "bounds":
        return refused("neither a minimum nor a maximum is printed", supported=supported)
    status = _status_of_rank(d, place, (low, high), beyond)
    worst = d.maximum[0] if status == "overflow" and math.isfinite(high) else None
    return Bounds(low, high, status, place, None, supported, worst)


def _status_of_rank(d: Distribution, place: int, interval: Interval, beyond: bool) -> str:
    """Status of the observation at a rank."""
    if d.status == "partial":
        return "partial"
    if d.status == "bounds" and not (beyond and interval[0] >= d.intervals.low[d.intervals.beyond].min()):
        return "bounds"
    if beyond and (place < (d.total or 0) or math.isinf(interval[1])):
        return "overflow"
    if math.isinf(interval[0]):
        return "underflow"
    fine = _fine(d, interval)
    return "max" if fine == "ok" and place == d.total else fine


def _fine(d: Distribution, interval: Interval) -> str:
    """Status of a value that is known: below the step of the printed numbers, or ok."""
    low, high = interval
    below = -d.resolution <= low <= 0 < high <= d.resolution
    return "below_resolution" if below else "ok"


def minimum(d: Distribution) -> Bounds:
    """Return the least observation in print, over every kind of row."""
    return _extreme(d, d.minimum, "bounds")


def maximum(d: Distribution) -> Bounds:
    """Return the greatest observation in print, the worst observed, over every kind of row."""
    return _extreme(d, d.maximum, "overflow" if d.overflow else "bounds")


def _extreme(d: Distribution, interval: Interval, open_end: str) -> Bounds:
    """An extreme as a result."""
    if interval == ANYWHERE:
        return refused(d.refusal or "not printed")
    unknown = math.isinf(interval[0]) or math.isinf(interval[1])
    status = "partial" if d.status == "partial" else open_end if unknown else _fine(d, interval)
    return Bounds(*interval, status)


def mean(d: Distribution) -> Bounds:
    """Return the mean: between that of all low and that of all high ends, and as the tool prints it.

    A printed average counts only if it is that of the same observations; it bounds what lies in the overflow.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> mean(counted([0, 1], [1, 2], [1, 3])).text()
    '0.75-1.75'
    """
    if d.refusal:
        return refused(d.refusal)
    if d.avg and d.status == "bounds":
        return Bounds(*d.avg, "ok")
    if d.total is None:
        return refused(_UNKNOWN_N)
    n, total = d.intervals.weights
    low = high = float((n * d.intervals.low).sum()) / total
    if not d.intervals.points:
        high = float((n * d.intervals.high).sum()) / total
    if d.avg:
        low, high = shared([(low, high), d.avg])
    if (low, high) == ANYWHERE:
        return refused("neither the minimum nor the maximum of some observations is known")
    return Bounds(low, high, _status(d, (low, high)))


def std(d: Distribution) -> Bounds:
    """Return the standard deviation of the observations themselves (divided by n, not n - 1).

    The bounds are attained (see `rtlat.variance`). A summary's printed standard deviation is given as stated.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> std(counted([2, 4, 4, 4, 5, 5, 7, 9])).text()
    '2'
    """
    if d.std is not None and d.kind == "summary":
        return Bounds(d.std, d.std, "stated")
    if d.refusal or d.total is None:
        return refused(d.refusal or _UNKNOWN_N)
    high = low = math.sqrt(greatest_variance(d.intervals))
    if not d.intervals.points:
        low = min(high, math.sqrt(least_variance(d.intervals)))
    return _spread(d, low, high)


def _spread(d: Distribution, low: float, high: float, supported: bool | None = None) -> Bounds:
    """A measure of spread: that it is not negative is known of any, and no answer."""
    if low <= 0 and math.isinf(high):
        return refused("the records leave every spread open")
    return Bounds(low, high, _status(d, (low, high)), supported=supported)


def _status(d: Distribution, interval: Interval) -> str:
    """Status of a statistic over all observations."""
    if d.status == "partial":
        return "partial"
    if math.isinf(interval[1]):
        return "overflow" if d.overflow else "bounds"
    return "underflow" if math.isinf(interval[0]) else d.status


def difference(d: Distribution, upper: str | float, lower: str | float) -> Bounds:
    """Return the distance between two percentiles, such as the interquartile range.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> difference(counted(range(1, 101)), 75, 25).text()
    '50'
    """
    return _distance(*percentiles(d, (upper, lower)))


def _distance(upper: Bounds, lower: Bounds) -> Bounds:
    """The difference of two order statistics, of which `upper` is not the smaller one."""
    for result in (upper, lower):
        if result.status == "refused":
            return refused(result.reason or "")
    supported = upper.supported and lower.supported
    if upper.rank is not None and upper.rank == lower.rank:
        return Bounds(0.0, 0.0, "ok", supported=supported)
    same = {"max": "ok", "below_resolution": "ok", "stated": "bounds"}
    statuses = {same.get(result.status, result.status) for result in (upper, lower)}
    status = next(status for status in _GRAVEST if status in statuses)
    return Bounds(max(0.0, upper.low - lower.high), upper.high - lower.low, status, supported=supported)


def value_range(d: Distribution) -> Bounds:
    """Return the greatest minus the least observation in print (peak to peak)."""
    rank_of_one = 1 if d.total == 1 else None
    return _distance(replace(maximum(d), rank=rank_of_one), replace(minimum(d), rank=rank_of_one))


def mad(d: Distribution) -> Bounds:
    """Return the median absolute deviation from the median.

    Each distance is bounded by itself, so intervals give wider bounds than any observations can attain.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> mad(counted([1, 1, 2, 2, 4, 6, 9])).text()
    '1'
    """
    if d.refusal or d.total is None:
        return refused(d.refusal or _UNKNOWN_N)
    median = percentile(d, 50)
    if median.status == "refused":
        return median
    low, high, n, _, _ = d.intervals.rising
    distances = [np.maximum(high - median.low, median.high - low)]
    if median.low < median.high or not d.intervals.points:
        distances.insert(0, np.maximum(0, np.maximum(low - median.high, median.low - high)))
    middle = median.rank or rank(d.total, 50)
    ends = []
    for distance in distances:
        order = distance.argsort(kind="stable")
        ends.append(float(distance[order[n[order].cumsum().searchsorted(middle)]]))
    return _spread(d, ends[0], ends[-1], median.supported)


def exceedances(d: Distribution, limit: float) -> Bounds:
    """Return how many observations reach or exceed `limit`.

    Parameters
    ----------
    limit : float
        [unit of the data]

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> d = counted([0, 10, 20], [10, 20, 30], [90, 7, 3])
    >>> exceedances(d, 10).text(), exceedances(d, 15).text()
    ('10', '3-10')
    """
    if d.refusal:
        return refused(d.refusal)
    low, high, n, closed, _ = d.intervals
    surely = sum_of(n[low >= limit])
    maybe: float = sum_of(n[(high > limit) | (closed & (high == limit))])
    if d.total is None and d.maximum[1] >= limit:
        surely, maybe = max(surely, int(d.maximum[0] >= limit)), math.inf
    return Bounds(surely, maybe, "partial" if d.status == "partial" else "ok" if surely == maybe else d.status)


SPREADS: dict[str, Callable[[Distribution], Bounds]] = {
    "range": value_range,
    "iqr": partial(difference, upper=75, lower=25),
    "mad": mad,
    "p99-p1": partial(difference, upper=99, lower=1),
    "p99.9-p50": partial(difference, upper="99.9", lower=50),
}
"""What the field calls jitter, each by its own name."""
