"""Latency over time as numbers: blocks of time and what each holds, cells of time and latency, and the outliers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rtlat.intervals import Array
from rtlat.statistics.ranks import rank
from rtlat.timeline.course import Course

MOST_BLOCKS = 200
"""Blocks of time that a course is cut into at most."""

_FULL = 50
"""Samples in a block on average, at least."""

_LEVELS = (10, 100, 1000)
"""How many of the greatest are looked at as outliers, if they are few among all."""

_RARE = 10
"""Of so many observations at most one is an outlier."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """Blocks of equal time, a value for each.

    Attributes
    ----------
    start : ndarray
        When each begins. [s, or 1]
    length : float
        [s, or 1]
    n : ndarray of int64
        Samples or windows in each; 0 where it holds none. [1]
    low, high : dict of ndarray
        Bounds by name: "min", "avg", "max" and percentiles such as "50". NaN in empty blocks and where a window does
        not print its average. [unit]
    """

    start: Array
    length: float
    n: Array
    low: dict[str, Array]
    high: dict[str, Array]


def blocks(courses: Sequence[Course], percents: Sequence[str] = ("50",), most: int = MOST_BLOCKS) -> Blocks:
    """Return what blocks of time hold, of one series or of several together.

    Parameters
    ----------
    courses : sequence of Course
        Samples or windows, of one kind.
    percents : sequence of str
        Percentiles to give, of samples only: of a window neither is known.
    most : int
        Blocks at most; fewer, so that a block of samples is not nearly empty.

    Examples
    --------
    >>> from rtlat.timeline.course import sequence
    >>> found = blocks([sequence([5, 9, 7, 1, 2, 30] * 50, period=0.001)], most=2)
    >>> found.n.tolist(), found.low["50"].tolist(), found.low["max"].tolist()
    ([150, 150], [5.0, 5.0], [30.0, 30.0])
    """
    time = np.concatenate([course.time for course in courses])
    low, high = (np.concatenate([getattr(course, name) for course in courses]) for name in ("low", "high"))
    end = max(course.end for course in courses)
    whole = courses[0].kind == "window"
    fewest = min(len(course.time) for course in courses)
    count = max(1, min(most, fewest // _FULL if not whole else fewest if len(courses) == 1 else fewest // 2))
    place = np.minimum((time / end * count * (1 + 1e-12)).astype(np.int64), count - 1)
    if whole and count == len(time):  # windows that last a little longer than they should are blocks all the same
        place = np.arange(count)
    n = np.bincount(place, minlength=count)
    order = np.lexsort((high, low, place))
    low, high = low[order], high[order]
    last = np.cumsum(n)
    first = last - n
    filled = n > 0
    ends: tuple[dict[str, Array], dict[str, Array]] = ({}, {})

    def take(name: str, rows: Array, by_row: tuple[Array, Array]) -> None:
        for kept, column in zip(ends, by_row, strict=True):
            kept[name] = np.where(filled, column[np.minimum(rows, len(column) - 1)], math.nan)

    take("max", last - 1, (low, high))
    if whole:
        rows = [course.rows for course in courses]
        avg, size, least = (np.concatenate([getattr(row, name) for row in rows]) for name in ("avg", "n", "low"))
        weight = np.where(size > 0, size, 1)
        total = np.bincount(place, np.where(np.isfinite(avg), avg, 0.0) * weight, count)
        known = np.bincount(place, np.isfinite(avg), count) == n
        mean = np.where(filled & known, total / np.maximum(np.bincount(place, weight, count), 1), math.nan)
        lowest = np.full(count, math.inf)
        np.minimum.at(lowest, place, least)
        take("avg", np.arange(count), (mean, mean))
        take("min", np.arange(count), (lowest, lowest))
    else:
        take("min", first, (low, high))
        place = np.sort(place)
        means = [np.bincount(place, values, count) / np.maximum(n, 1) for values in (low, high)]
        take("avg", np.arange(count), (means[0], means[1]))
        for percent in percents:
            ranks = np.array([rank(int(size), percent) if size else 1 for size in n])
            take(percent, first + ranks - 1, (low, high))
    return Blocks(np.arange(count) * end / count, end / count, n, *ends)


def cells(courses: Sequence[Course], edges: Array, columns: int) -> Array:
    """Return how many samples, or maxima of windows, fall into each cell of time and latency.

    Parameters
    ----------
    courses : sequence of Course
        As for `blocks`.
    edges : ndarray
        Of the latency, rising; the first and the last cell take what lies outside. [unit]
    columns : int
        Cells of time.

    Returns
    -------
    ndarray of int64
        A row per cell of latency, a column per cell of time.
    """
    end = max(course.end for course in courses)
    found = np.zeros((len(edges) - 1, columns), np.int64)
    for course in courses:
        place = np.minimum((course.time / end * columns * (1 + 1e-12)).astype(np.int64), columns - 1)
        row = np.clip(np.searchsorted(edges, course.low, "right") - 1, 0, len(edges) - 2)
        np.add.at(found, (row, place), 1)
    return found


@dataclass(frozen=True, eq=False)
class Outliers:
    """The greatest observations of a series, or all that a tool lists as too great.

    Attributes
    ----------
    times : ndarray
        When they came. [s, or 1]
    end : float
        Up to when they were looked for. [s, or 1]
    from_value : float
        The least of them; -inf if a list does not say. [unit]
    """

    times: Array
    end: float
    from_value: float


def outliers(course: Course) -> list[Outliers]:
    """Return the outliers of a series: at most 10, 100 and 1000 of the greatest, as far as these are few among all.

    Of equal values all are outliers or none. A list of overflows is taken as it is, the first thousand.

    Examples
    --------
    >>> from rtlat.timeline.course import sequence
    >>> found = outliers(sequence([1] * 90 + [50] + [2] * 9 + [60] + [1] * 99, period=0.001))
    >>> [(one.times.tolist(), one.from_value) for one in found]
    [([0.09, 0.1], 50.0)]
    """
    if course.kind == "over":
        most = _LEVELS[-1]
        end = course.end if len(course.time) <= most else float(course.time[most - 1]) + course.grain
        return [Outliers(course.time[:most], end, float(course.low[:most].min()))]
    found: list[Outliers] = []
    rising = np.sort(course.low)
    for level in _LEVELS:
        if level * _RARE > len(rising):
            break
        value = rising[-level]
        if rising[-level - 1] == value:  # as many as fit, without cutting through equal values
            above = rising[np.searchsorted(rising, value, "right") :]
            if not len(above):
                continue
            value = above[0]
        if not math.isfinite(value):
            break
        chosen = course.low >= value
        if not found or chosen.sum() > len(found[-1].times):
            found.append(Outliers(course.time[chosen], course.end, float(value)))
    return found
