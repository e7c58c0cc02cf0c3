"""One set of repeats against another, and what is asked of them: the figure of each run, on the grid that all share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rtlat.comparing.arms import Repeats
from rtlat.intervals import Distribution
from rtlat.statistics import stats
from rtlat.statistics.ranks import risk
from rtlat.statistics.repeats import Between, between, rank_of_limit
from rtlat.statistics.results import Bounds, refused
from rtlat.statistics.superiority import common_step, compact, on_grid

LIMIT = "limit"
"""The primary figure that is no percentile: the share of cycles that reach the limit."""


@dataclass(frozen=True)
class Question:
    """What is asked of a comparison.

    Attributes
    ----------
    percentiles : tuple of str
        To be shown. [%]
    figure : str
        The primary figure, declared before the data are seen: a percentile, or `LIMIT`.
    limit : float or None
        What exceedances are counted of; the reference's percentile if none is given. [unit of the data]
    tolerance : float
        The shift of the primary figure that matters, as a share of the reference's.
    confidence : float
        [%]
    """

    percentiles: tuple[str, ...] = ("50", "99", "99.9")
    figure: str = "99.9"
    limit: float | None = None
    tolerance: float = 0.05
    confidence: float = 95


@dataclass(frozen=True)
class Contrast:
    """Two sets of repeats, of which the second is the reference, and what is asked of them."""

    a: Repeats
    b: Repeats
    question: Question

    @property
    def sides(self) -> tuple[Repeats, Repeats]:
        """Both."""
        return self.a, self.b

    @property
    def several(self) -> bool:
        """Whether both have runs enough for an interval of their own."""
        half = risk(self.question.confidence) / 2
        return rank_of_limit(len(self.a.runs), len(self.b.runs), half) > 0

    @cached_property
    def limit(self) -> float:
        """What exceedances are counted of, in the unit of the data; NaN if there is nothing to go by."""
        if self.question.limit is not None:
            return self.question.limit
        figure = "99.9" if self.question.figure == LIMIT else self.question.figure
        own = stats.percentile(self.b.d, figure)
        end = own.low if own.status == "overflow" or math.isinf(own.high) else own.high
        return end if math.isfinite(end) else math.nan

    @cached_property
    def step(self) -> float:
        """Width of the grid that all runs share, 0 if there is none."""
        return common_step(run.d for side in self.sides for run in side.runs)

    @cached_property
    def gridded(self) -> tuple[list[Distribution], list[Distribution]]:
        """The runs of either side on the grid that all share."""
        mine, theirs = ([compact(on_grid(run.d, self.step)) for run in side.runs] for side in self.sides)
        return mine, theirs

    def figures(self, figure: str = "") -> tuple[list[Bounds], list[Bounds]]:
        """Return the figure of each run of either side, on the common grid: in the unit of the data, or a share."""
        asked = figure or self.question.figure
        if asked != LIMIT:
            mine, theirs = ([stats.percentile(d, asked) for d in ds] for ds in self.gridded)
        else:
            mine, theirs = ([self._share(run.d) for run in side.runs] for side in self.sides)
        return mine, theirs

    def _share(self, d: Distribution) -> Bounds:
        """The share of cycles of one run that reach the limit."""
        count = stats.exceedances(d, self.limit)
        if count.status == "refused" or not d.total or math.isnan(self.limit):
            return refused(count.reason or "the number of observations is unknown")
        return count.over(d.total)

    @cached_property
    def primary(self) -> Between | None:
        """How the primary figure differs between the runs; None if a run does not tell it."""
        mine, theirs = self.figures()
        if any(figure.status == "refused" for figure in (*mine, *theirs)):
            return None
        return between(mine, theirs, self.question.confidence)


def median(figures: Sequence[Bounds]) -> Bounds:
    """Return what is known of the median of several figures; of an even number the middle two bound it.

    Examples
    --------
    >>> median([Bounds(3, 4, "ok"), Bounds(9, 10, "ok"), Bounds(5, 6, "max")]).text()
    '5-6'
    """
    lows, highs = sorted(figure.low for figure in figures), sorted(figure.high for figure in figures)
    low, high = lows[(len(lows) - 1) // 2], highs[len(highs) // 2]
    statuses = {figure.status for figure in figures}
    status = next((status for status in ("partial", "bounds") if status in statuses), "ok")
    return Bounds(low, high, "overflow" if math.isinf(high) and "overflow" in statuses else status)


def period(side: Repeats) -> float:
    """Return the period that all series of all runs share, in ns; NaN if it is unknown or there are several."""
    periods = {one.pace.period for run in side.runs for one in run.told}
    return periods.pop() * 1e9 if len(periods) == 1 else math.nan
