"""What the rows of each kind tell of a series: how many observations, within which bounds, and their extremes.

A line of minimum, average and maximum is two observations at its ends and the rest between them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from rtlat.intervals import ANYWHERE, Interval, Intervals, greatest, least, sum_of
from rtlat.schema import KINDS
from rtlat.statements import ALL, BIN, MAX, MIN, OVER, QUANTILE, SAMPLE, SUMMARY, WINDOW, Ends, Group, Rows, present


@dataclass(frozen=True)
class Kind:
    """The rows of one kind of a series.

    Attributes
    ----------
    place : int
        Its place among the kinds, of which the finest is the first.
    group : Group
        The series.
    rows : Rows
        These rows.
    low, high : Ends
        What the low and the high end of each row may stand for.
    """

    place: int
    group: Group
    rows: Rows
    low: Ends
    high: Ends

    def about_all(self) -> Kind | None:
        """Return the rows that are about all observations, None if there is none."""
        about = self.rows.of == ALL
        if np.count_nonzero(about) == len(about):
            return self
        low, high = (Ends(*(column[about] for column in ends)) for ends in (self.low, self.high))
        return Kind(self.place, self.group, self.rows.where(about), low, high) if about.any() else None

    @cached_property
    def total(self) -> int | None:
        """How many observations the rows count, None if one does not say."""
        n = self.rows.n
        if np.count_nonzero(n < 0):
            return len(n) if self.place == SAMPLE else None
        return sum_of(n)

    @property
    def missed(self) -> int | None:
        """Skipped activations, None if a row does not tell."""
        missed = self.rows.missed
        return None if np.count_nonzero(missed < 0) else sum_of(missed)

    @property
    def stated(self) -> tuple[tuple[float, float, float], ...]:
        """Percentiles in print."""
        low, high, _ = self.group.widened(self.rows.low)
        return tuple(zip(self.rows.q.tolist(), low.tolist(), high.tolist(), strict=True))

    @cached_property
    def ends(self) -> tuple[Interval, Interval]:
        """Bounds of the least and the greatest observation in print."""
        return least(self.low.low, self.low.high), greatest(self.high.low, self.high.high)

    @property
    def extremes(self) -> tuple[Interval, Interval]:
        """Bounds of the least and the greatest of all observations, where windows or a summary say so."""
        if self.place < WINDOW:
            return ANYWHERE, ANYWHERE
        minimum, maximum = self.ends
        known_low, known_high = (np.isfinite(end).all() for end in (self.rows.low, self.rows.high))
        return minimum if known_low else ANYWHERE, maximum if known_high else ANYWHERE

    @property
    def avg(self) -> Interval | None:
        """Bounds of the mean of all rows, by their printed averages; None if one prints none."""
        rows = self.rows
        if self.place < WINDOW or not np.isfinite(rows.avg).all() or (len(rows.n) > 1 and self.total is None):
            return None
        low, high, _ = self.group.widened(rows.avg, average=True)
        weights = np.abs(rows.n).astype(np.float64)
        return float((low * weights).sum() / weights.sum()), float((high * weights).sum() / weights.sum())

    @property
    def std(self) -> float | None:
        """The standard deviation in print, if one row is all."""
        known = self.place >= WINDOW and len(self.rows.std) == 1 and math.isfinite(self.rows.std[0])
        return float(self.rows.std[0]) if known else None

    def intervals(self) -> Intervals:
        """Return the observations."""
        rows, low, high = self.rows, self.low, self.high
        none = np.zeros(len(rows.n), bool)
        if self.place in (SAMPLE, BIN):
            beyond = np.isinf(rows.high) if self.place == BIN else none
            return Intervals(low.low, low.high, np.abs(rows.n), low.closed, beyond)
        unknown, known_low, known_high = rows.n < 0, np.isfinite(rows.low), np.isfinite(rows.high)
        # an end in print is an observation; both ends are the same one where they are equal or n is 1
        at_low = known_low & (unknown | (rows.n > known_high))
        at_high = known_high & np.where(unknown, ~known_low | (rows.low < rows.high), rows.n > known_low)
        between = np.where(unknown, 0, rows.n - at_low - at_high)
        parts = [
            (low.low, low.high, at_low, low.closed),
            (high.low, high.high, at_high, high.closed),
            (low.low, high.high, between, high.closed),
        ]
        lows, highs, n, closed = (np.concatenate(column) for column in zip(*parts, strict=True))
        return Intervals(lows, highs, n.astype(np.int64), closed, np.zeros(len(n), bool)).where(n > 0)


def kinds(group: Group) -> list[Kind]:
    """Return the rows of a series by their kinds, the finest first."""
    bounds = group.rows.kind.searchsorted(range(len(KINDS) + 1)).tolist()
    found = []
    for place, (start, end) in enumerate(pairwise(bounds)):
        if start < end:
            rows = group.rows.where(slice(start, end))
            found.append(Kind(place, group, rows, *group.ends(rows)))
    return found


def extremes(every: Sequence[Kind]) -> tuple[Interval, Interval]:
    """Return bounds of the least and the greatest observation in print, whatever kind of row shows it."""
    shown = [kind for kind in every if kind.place != QUANTILE]
    if not shown:
        return ANYWHERE, ANYWHERE
    lows, highs = (np.array(ends) for ends in zip(*(kind.ends for kind in shown), strict=True))
    minimum, maximum = least(*lows.T), greatest(*highs.T)
    of = {place for kind in shown for place in present(kind.rows.of)}
    # the maxima of windows tell how high the run's minimum is at most, not how low it was
    if not of & {ALL, MIN}:
        minimum = -math.inf, minimum[1]
    if not of & {ALL, MAX, OVER}:
        maximum = maximum[0], math.inf
    # a window whose extreme is not known may hold the run's, unless a summary knows better
    about = {kind.place: kind.about_all() for kind in shown if kind.place in (WINDOW, SUMMARY)}
    windows, summaries = (kind.rows if (kind := about.get(which)) else None for which in (WINDOW, SUMMARY))
    if windows and np.isinf(windows.low).any() and not (summaries and np.isfinite(summaries.low).any()):
        minimum = -math.inf, minimum[1]
    if windows and np.isinf(windows.high).any() and not (summaries and np.isfinite(summaries.high).any()):
        maximum = maximum[0], math.inf
    return minimum, maximum
