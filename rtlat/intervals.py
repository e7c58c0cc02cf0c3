"""Observations as intervals with counts: the arrays that statistics see instead of frames and logs.

A sample is an interval without width, a histogram's bin is [low, high), its overflow [low, inf), and of a
line of minimum and maximum all but two observations lie anywhere between the two.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rtlat.errors import SelectionError
from rtlat.schema import KINDS, LARGEST_COUNT

Array = npt.NDArray[Any]
Interval = tuple[float, float]

ANYWHERE: Interval = (-math.inf, math.inf)


class Intervals(NamedTuple):
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

    low: Array
    high: Array
    n: Array
    closed: Array
    beyond: Array

    def where(self, which: Array) -> Intervals:
        """Return the intervals where `which`."""
        return Intervals(*(column[which] for column in self))

    def plus(self, *row: float | bool) -> Intervals:
        """Return the intervals and one more."""
        return Intervals(
            *(np.append(column, value).astype(column.dtype) for column, value in zip(self, row, strict=True))
        )


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
    def _up_to(self) -> Array:
        """How many observations lie in the first intervals, as they stand."""
        return np.cumsum(self.intervals.n)

    @cached_property
    def by_low(self) -> tuple[Array, Array]:
        """Low ends in rising order, and how many observations lie at or before each."""
        low, _, n, _, _ = self.intervals
        if (low[1:] >= low[:-1]).all():  # as a histogram's bins come: to see it is a tenth of sorting
            return low, self._up_to
        order = np.argsort(low, kind="stable")
        return low[order], np.cumsum(n[order])

    @cached_property
    def by_high(self) -> tuple[Array, Array, Array]:
        """High ends in rising order, how many observations lie at or before each, and whether each is beyond."""
        _, high, n, _, beyond = self.intervals
        if (high[1:] > high[:-1]).all():
            return high, self._up_to, beyond
        order = np.lexsort((~beyond, high)) if beyond.any() else np.argsort(high, kind="stable")
        return high[order], np.cumsum(n[order]), beyond[order]


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
    intervals = Intervals(low, high, n, closed, beyond).where(n > 0)
    total, refusal = sum_of(intervals.n), ""
    if not total:
        refusal = "no observation"
    elif total > LARGEST_COUNT:
        refusal = f"{total} observations are more than a counter holds (2^63 - 1)"
    known: dict[str, Any] = {"refusal": refusal, "overflow": sum_of(intervals.n[np.isinf(intervals.high)])}
    if total:
        known["minimum"] = float(intervals.low.min()), float(intervals.high.min())
        known["maximum"] = float(intervals.low.max()), float(intervals.high.max())
    return Distribution(intervals, total, **(known | about))


def sum_of(n: Array) -> int:
    """Return the exact sum of int64 counts, however large.

    Examples
    --------
    >>> sum_of(np.array([2**62, 2**62, 2**62])) == 3 * 2**62
    True
    """
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


def pool(distributions: Iterable[Distribution], intervals: Intervals | None = None) -> Distribution:
    """Return several series as one: their counts stacked, their extremes united.

    A series whose n is unknown, or that is refused, makes the pool refuse all but the extremes.

    Parameters
    ----------
    distributions : iterable of Distribution
        Of one quantity and unit.
    intervals : Intervals, optional
        Their intervals, where these are counted together already.

    Raises
    ------
    SelectionError
        If there is nothing to pool, or quantities or units differ.

    Examples
    --------
    >>> both = pool([counted([1, 2], series="t0"), counted([7], series="t1")])
    >>> both.total, both.minimum, both.maximum, both.series
    (3, (1.0, 1.0), (7.0, 7.0), 'all')
    """
    parts = list(distributions)
    if not parts:
        raise SelectionError("nothing to pool")
    if len(parts) == 1:
        return parts[0] if intervals is None else replace(parts[0], intervals=intervals)
    for name in ("quantity", "unit"):
        values = sorted({getattr(part, name) for part in parts})
        if len(values) > 1:
            raise SelectionError(f"cannot pool {name} {' and '.join(values)}: choose one")
    bases = {part.n_basis for part in parts}
    if intervals is None:
        stacked = zip(*(part.intervals for part in parts), strict=True)
        intervals = Intervals(*(np.concatenate(columns) for columns in stacked))
    pooled = counted(
        *intervals,
        avg=_average(parts),
        run="+".join(dict.fromkeys(part.run for part in parts)),
        series="all",
        quantity=parts[0].quantity,
        unit=parts[0].unit,
        resolution=max(part.resolution for part in parts),
        kind="+".join(kind for kind in KINDS if kind in {part.kind for part in parts}),
        status=max((part.status for part in parts), key=("ok", "bounds", "partial").index),
        n_basis=bases.pop() if len(bases) == 1 else "stated",
        minimum=(min(part.minimum[0] for part in parts), min(part.minimum[1] for part in parts)),
        maximum=(max(part.maximum[0] for part in parts), max(part.maximum[1] for part in parts)),
        overflow=_added([part.overflow for part in parts]),
        missed=_added([part.missed for part in parts]),
        warnings=tuple(dict.fromkeys(warning for part in parts for warning in part.warnings)),
    )
    for part in parts:
        if part.refusal or part.total is None:
            refusal = f"{part.series} cannot be pooled: {part.refusal or 'its n is unknown'}"
            return replace(pooled, total=None, n_basis="", refusal=refusal)
    return pooled


def _average(parts: Sequence[Distribution]) -> Interval | None:
    """The average of all, weighted by counts; None if one series has none in print."""
    known = [(part.avg, float(part.total)) for part in parts if part.avg and part.total]
    if len(known) < len(parts):
        return None
    total = math.fsum(n for _, n in known)
    low, high = (math.fsum(avg[side] * n for avg, n in known) / total for side in (0, 1))
    return low, high


def _added(numbers: Sequence[int | None]) -> int | None:
    """The sum, None if one is unknown."""
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None
