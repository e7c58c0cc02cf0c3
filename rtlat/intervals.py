"""Observations as intervals with counts: the arrays that statistics see instead of frames and logs.

A sample is an interval without width, a histogram's bin is [low, high), its overflow [low, inf), and of a
line of minimum and maximum all but two observations lie anywhere between the two.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rtlat.schema import LARGEST_COUNT

Array = npt.NDArray[Any]
Interval = tuple[float, float]

ANYWHERE: Interval = (-math.inf, math.inf)


class _Columns(NamedTuple):
    """What `Intervals` are made of."""

    low: Array
    high: Array
    n: Array
    closed: Array
    beyond: Array


class Intervals(_Columns):
    """Arrays of one length: `n` observations in each interval from `low` to `high`.

    Attributes
    ----------
    low, high : ndarray of float64
        Ends; -inf and inf where they are not known. [unit]
    n : ndarray of int64
        Observations in each interval. [1]
    closed : ndarray of bool
        Whether the high end belongs to the interval; the low end always does.
    beyond : ndarray of bool
        Whether the interval lies beyond a histogram's last bin.
    """

    @property
    def points(self) -> bool:
        """Whether all observations are exact."""
        # to count is several times as fast as any() and all()
        return self.low is self.high or not np.count_nonzero(self.low != self.high)

    @cached_property
    def apart(self) -> bool:
        """Whether they rise without overlapping, as a histogram's bins and sorted samples do.

        Where some are beyond, no two may end alike: their order would tell which of them is.
        """
        low, high, _, _, beyond = self
        if np.count_nonzero(low[1:] < high[:-1]):
            return False
        return not np.count_nonzero(beyond) or not np.count_nonzero(high[1:] == high[:-1])

    @property
    def rising(self) -> Intervals:
        """The intervals in the order of their low ends."""
        return self if self.apart else self._sorted

    @cached_property
    def _sorted(self) -> Intervals:
        """What `rising` gives where they are not in order."""
        return self.where(self.low.argsort(kind="stable"))

    @cached_property
    def weights(self) -> tuple[Array, float]:
        """What a mean takes: `n` as float64, and its sum."""
        n = self.n.astype(np.float64)
        return n, float(n.sum())

    @cached_property
    def extremes(self) -> tuple[Interval, Interval]:
        """Bounds of the least and of the greatest observation."""
        low, high = self.low, self.high
        if self.apart:
            return (float(low[0]), float(high[0])), (float(low[-1]), float(high[-1]))
        return (float(low.min()), float(high.min())), (float(low.max()), float(high.max()))

    def together(self) -> Intervals:
        """Return equal intervals counted together, lowest first.

        Examples
        --------
        >>> counted([3, 5, 3]).intervals.together().n.tolist()
        [2, 1]
        """
        if not 0 < sum_of(self.n) <= LARGEST_COUNT:  # else a sum may be more than fits
            return self
        ordered = self.where(self.low.argsort())
        new = _changes(ordered.low)
        if any(np.count_nonzero(_changes(column) > new) for column in (ordered.high, ordered.closed, ordered.beyond)):
            ordered = self.where(np.lexsort((self.beyond, self.closed, self.high, self.low)))
            new = np.any(
                [_changes(column) for column in (ordered.low, ordered.high, ordered.closed, ordered.beyond)], axis=0
            )
        first = np.append(0, np.flatnonzero(new) + 1)
        return ordered.where(first)._replace(n=np.add.reduceat(ordered.n, first))

    def where(self, which: Array) -> Intervals:
        """Return the intervals where `which`."""
        return Intervals(*(column[which] for column in self))

    def plus(self, *row: float | bool) -> Intervals:
        """Return the intervals and one more."""
        return Intervals(
            *(np.append(column, value).astype(column.dtype) for column, value in zip(self, row, strict=True))
        )


def _changes(column: Array) -> Array:
    """Where a value differs from the one before, but for the first."""
    changes: Array = column[1:] != column[:-1]
    return changes


@dataclass(frozen=True)
class Distribution:
    """What is known of one series: its observations as intervals with counts, and what stands beside them.

    Attributes
    ----------
    intervals : Intervals
        The observations; only those surely known if `total` is None.
    total : int or None
        All observations, None if their number is unknown.
    minimum, maximum : tuple of float
        Bounds of the least and the greatest observation in print, over every kind of row. [unit]
    avg : tuple of float or None
        Bounds of the average printed for the same observations. [unit]
    std : float or None
        Standard deviation printed for the same observations. [unit]
    stated : tuple of (fraction, low, high)
        Percentiles printed without their data.
    run, series, quantity, unit : str
        What it is about; `unit` is ns, cycles or unknown.
    resolution : float
        Step of the printed numbers, NaN if unknown. [unit]
    kind : str
        The kind of rows that answered.
    status : str
        ok; bounds (wide intervals: windows, a summary, observations that only those count); partial (part of
        a histogram is missing, `total` is what survived).
    n_basis : str
        counted (from the rows), stated (by the tool), or empty if unknown.
    overflow, missed : int or None
        Observations beyond the last bin; activations that the tool says it skipped. None if unknown.
    warnings : tuple of str
        What a reader of the numbers must know.
    refusal : str
        Why no statistic is given, empty if one is; the extremes may still be known.
    """

    intervals: Intervals
    total: int | None
    minimum: Interval = ANYWHERE
    maximum: Interval = ANYWHERE
    avg: Interval | None = None
    std: float | None = None
    stated: tuple[tuple[float, float, float], ...] = ()
    run: str = ""
    series: str = ""
    quantity: str = "unknown"
    unit: str = "ns"
    resolution: float = math.nan
    kind: str = "sample"
    status: str = "ok"
    n_basis: str = "counted"
    overflow: int | None = None
    missed: int | None = None
    warnings: tuple[str, ...] = ()
    refusal: str = ""

    @cached_property
    def _in_order(self) -> tuple[tuple[Array, Array], tuple[Array, Array, Array]]:
        """What `by_low` and `by_high` give, added up once where one order serves both."""
        low, high, n, _, beyond = rising = self.intervals.rising
        up_to = n.cumsum()
        if rising.apart:
            return (low, up_to), (high, up_to, beyond)
        order = np.lexsort((~beyond, low, high)) if beyond.any() else high.argsort(kind="stable")
        return (low, up_to), (high[order], n[order].cumsum(), beyond[order])

    @property
    def by_low(self) -> tuple[Array, Array]:
        """Low ends in rising order, and how many observations lie at or before each."""
        return self._in_order[0]

    @property
    def by_high(self) -> tuple[Array, Array, Array]:
        """High ends in rising order, how many observations lie at or before each, and whether each is beyond."""
        return self._in_order[1]

    def at(self, ranks: Sequence[int]) -> tuple[list[float], list[float], list[bool]]:
        """Return, for some ranks, the low and the high end of the observation there, and whether that is beyond."""
        (lows, up_to_low), (highs, up_to_high, beyond) = self._in_order
        places = up_to_low.searchsorted(ranks)
        ends = places if up_to_high is up_to_low else up_to_high.searchsorted(ranks)
        return lows[places].tolist(), highs[ends].tolist(), beyond[ends].tolist()


def counted(
    low: Any, high: Any = None, n: Any = None, closed: Any = None, beyond: Any = None, **about: Any
) -> Distribution:
    """Return the distribution of arrays: `n` observations in each [low, high), or at `low` without `high`.

    Parameters
    ----------
    low, high, n, closed, beyond : array_like, optional
        As in `Intervals`; one observation each without `n`, ends of points belong without `closed`, and
        without `beyond` what has no high end is beyond. Empty intervals are dropped.
    **about
        Further attributes of `Distribution`.

    Examples
    --------
    >>> d = counted([0, 1, 2], [1, 2, 3], [90, 0, 10])
    >>> d.total, d.minimum, d.maximum
    (100, (0.0, 1.0), (2.0, 3.0))
    """
    low = np.asarray(low, np.float64)
    high = low if high is None else np.asarray(high, np.float64)
    n = np.ones(len(low), np.int64) if n is None else np.asarray(n, np.int64)
    closed = low == high if closed is None else np.asarray(closed, bool)
    beyond = np.isinf(high) if beyond is None else np.asarray(beyond, bool)
    intervals = Intervals(low, high, n, closed, beyond)
    some = n > 0
    if np.count_nonzero(some) < len(n):
        intervals = intervals.where(some)
    total = sum_of(intervals.n)
    if not total:
        known: dict[str, Any] = {"refusal": "no observation", "overflow": 0}
    else:
        minimum, maximum = intervals.extremes
        overflow = sum_of(intervals.n[np.isinf(intervals.high)]) if math.isinf(maximum[1]) else 0
        known = {"minimum": minimum, "maximum": maximum, "overflow": overflow}
    if total > LARGEST_COUNT:
        known["refusal"] = f"{total} observations are more than a counter holds (2^63 - 1)"
    return Distribution(intervals, total, **(known | about))


def sum_of(n: Array) -> int:
    """Return the exact sum of int64 counts, however large.

    Examples
    --------
    >>> sum_of(np.array([2**62, 2**62, 2**62])) == 3 * 2**62
    True
    """
    if len(n) and int(n.max()) * len(n) <= LARGEST_COUNT:
        return int(n.sum())
    return (int((n >> 32).sum()) << 32) + int((n & 0xFFFFFFFF).sum())


def least(low: Array, high: Array) -> Interval:
    """Return bounds of the least of some observations, each of which several statements may be about.

    The statement with the smallest high end is about it; of those, the one that says most.

    Examples
    --------
    >>> least(np.array([0.0, 3.0]), np.array([10.0, 4.0]))
    (3.0, 4.0)
    """
    if not len(low):
        return ANYWHERE
    end = float(high.min())
    return float(low[high == end].max() if end < math.inf else low.min()), end


def greatest(low: Array, high: Array) -> Interval:
    """Return bounds of the greatest of some observations, each of which several statements may be about."""
    lowest, highest = least(-high, -low)
    return -highest, -lowest


def shared(intervals: Sequence[Interval]) -> Interval:
    """Return what all intervals share, or the first if they share nothing.

    Examples
    --------
    >>> shared([(5.3, 6.3), (5.0, 6.0)])
    (5.3, 6.0)
    """
    low, high = max(low for low, _ in intervals), min(high for _, high in intervals)
    return (low, high) if low <= high else intervals[0]
