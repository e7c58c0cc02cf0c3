"""The maxima of blocks beyond what was observed: per-second maxima of a tool, blocks of samples, or many runs.

Where exceedances come in bursts, maxima of blocks longer than a burst are what may be extrapolated, and where a tool
prints a maximum each second only, they are all there is. A level is then one that a single block of many exceeds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rtlat.intervals import Array, counted
from rtlat.statistics.results import number
from rtlat.tails.excesses import gridded
from rtlat.tails.extreme_value import Around, MaximaFit, fit_maxima, return_level
from rtlat.tails.levels import INTERVAL_REACH, NUMBER_REACH, STANDING, Level, Levels, short
from rtlat.tails.refusals import Refusal

FEWEST, ENOUGH = 30, 50
"""Blocks below which there is no fit, and below which there is a flag."""

DISTINCT = 5
"""Values that the maxima must have."""

WIDEST_SHAPE, HEAVIEST_SHAPE = 1.0, 1.0

CERTAIN = 0.01
"""Chance at which a law, or that maxima do not depend on each other, is no longer believed."""


@dataclass(frozen=True, eq=False)
class BlockTail:
    """Maxima of blocks that can be extrapolated.

    Attributes
    ----------
    fit : MaximaFit
    region : Around
        Parameters that the maxima do not contradict.
    p : float
        Of a grouped test of fit, NaN where there are too few distinct maxima to test.
    flags : tuple of str
        What was found against it, without being enough to refuse it.
    """

    fit: MaximaFit
    region: Around
    p: float
    flags: tuple[str, ...]

    @property
    def shape(self) -> tuple[float, float, float]:
        """The shape and its profile-likelihood interval."""
        return self.fit.shape, float(self.region.shape.min()), float(self.region.shape.max())

    def level(self, blocks: float) -> Level | Refusal:
        """Return the level that one in so many blocks exceeds, or why it cannot be told."""
        if not blocks > 1:
            return Refusal("within the data", f"one in {short(blocks)} blocks is every block")
        if blocks > INTERVAL_REACH * self.fit.blocks * (1 + 1e-9):
            times = f"{blocks / self.fit.blocks:.0f} times the {self.fit.blocks} measured"
            return Refusal("beyond the data", f"one in {short(blocks)} blocks is {times}")
        found = self._levels(np.array([float(blocks)]))
        value, low, high = (float(part[0]) for part in found[1:])
        return Level(float(blocks), value, low, high, self.region.confidence)

    def levels(self, points: int = 60) -> Levels:
        """Return the return-level curve, over blocks instead of cycles."""
        return self._levels(np.geomspace(1.1, INTERVAL_REACH * self.fit.blocks, points))

    def _levels(self, blocks: Array) -> Levels:
        """Levels with intervals."""
        fit, region = self.fit, self.region
        value = return_level(np.asarray(fit.location), np.asarray(fit.scale), np.asarray(fit.shape), blocks)
        around = return_level(region.location[:, None], region.scale[:, None], region.shape[:, None], blocks)
        value = np.where(blocks > NUMBER_REACH * fit.blocks * (1 + 1e-9), np.nan, value)
        return Levels(blocks, value, around.min(axis=0), around.max(axis=0))

    def text(self, unit: str = "", divisor: float = 1.0) -> str:
        """Return what was fitted and what is against it, in a few lines."""
        fit, (shape, low, high) = self.fit, self.shape
        unit = f" {unit}" if unit else ""
        lines = [
            f"{fit.blocks} maxima: location {short(fit.location / divisor)}{unit}, scale {short(fit.scale / divisor)}"
            f"{unit}, shape {shape:.2f} ({number(self.region.confidence)} % interval {low:.2f} to {high:.2f})"
        ]
        return "\n".join([*lines, *(f"flag: {flag}" for flag in self.flags), STANDING])


def block_tail(
    low: ArrayLike, high: ArrayLike | None = None, n: ArrayLike | None = None, confidence: str | float = 95
) -> BlockTail | Refusal:
    """Fit the maxima of blocks, in their order, or say why they cannot be extrapolated.

    Parameters
    ----------
    low, high : array_like
        Intervals in which the maxima lie; exact without `high`. [unit]
    n : array_like, optional
        Cycles in each block, -1 where unknown. Blocks with less than 0.9 of the median are left out: the greatest of
        fewer cycles is another quantity.
    confidence : str or float
        [%]

    Examples
    --------
    >>> maxima = np.random.default_rng(1).gumbel(50, 5, 300)
    >>> found = block_tail(np.floor(maxima), np.floor(maxima) + 1)
    >>> found.level(3000).text("us")  # 50 + 5 log 3000 = 90
    'estimated level 86.4 us (95 % interval 78.2 to 102 us)'
    """
    low = np.asarray(low, np.float64)
    high = low if high is None else np.asarray(high, np.float64)
    cycles = np.full(len(low), -1) if n is None else np.asarray(n, np.int64)
    whole = (cycles < 0) | (cycles >= 0.9 * np.median(cycles[cycles >= 0])) if (cycles >= 0).any() else cycles < 0
    low, high = low[whole], high[whole]
    ends, times = np.unique(np.column_stack([low, high]), axis=0, return_counts=True)
    if len(low) < FEWEST:
        return Refusal("too few", f"{len(low)} whole blocks, {FEWEST} are needed")
    if len(ends) < DISTINCT:
        return Refusal("discrete", f"the maxima have {len(ends)} distinct values, {DISTINCT} are needed")
    if np.isinf(ends[:, 1]).mean() > 0.1:
        return Refusal("overflow", "more than one in ten maxima lies beyond the histogram's last bin")
    fit = fit_maxima(gridded(counted(ends[:, 0], ends[:, 1], times).intervals))
    if not fit.regular:
        return Refusal("uncertain", "the likelihood of the maxima has no regular maximum")
    region = fit.region(confidence)
    least, most = float(region.shape.min()), float(region.shape.max())
    if most - least > WIDEST_SHAPE or most >= HEAVIEST_SHAPE:
        return Refusal("uncertain", f"the shape may be anything between {least:.2f} and {most:.2f}")
    p = _goodness(fit)
    if p < CERTAIN:
        return Refusal("misfit", f"the maxima are not as fitted (p {p:.2g})")
    trend, serial = _trend(low), _serial(low)
    if trend < CERTAIN:
        return Refusal("drift", f"the maxima rise or fall during the run (p {trend:.2g})")
    flags = []
    if serial < CERTAIN:
        flags.append(f"maxima depend on the ones before, so intervals are too narrow (p {serial:.2g})")
    if fit.blocks < ENOUGH:
        flags.append(f"{fit.blocks} blocks are few: {ENOUGH} or more are better")
    if not whole.all():
        flags.append(f"{int((~whole).sum())} blocks with fewer cycles are left out")
    return BlockTail(fit, region, p, tuple(flags))


def _goodness(fit: MaximaFit) -> float:
    """Grouped test of fit on about 2 N**0.4 cells of equal chance, cut where no maximum lies within its interval."""
    from scipy.special import chdtrc

    groups = max(5, min(fit.blocks // 5, round(2 * fit.blocks**0.4)))
    times = -np.log(-np.log(np.arange(1, groups) / groups))
    bent = np.expm1(fit.shape * times) / fit.shape if abs(fit.shape) > 1e-9 else times
    edges = fit.location + fit.scale * bent
    low, high, n, _, _ = fit.intervals
    for place, edge in enumerate(edges):
        cut = (low < edge) & (high > edge)
        edges[place] = high[cut].max() if cut.any() else edge
    edges = np.unique(edges[np.isfinite(edges)])
    observed = np.bincount(np.searchsorted(edges, low, "right"), n, len(edges) + 1)
    expected = fit.blocks * np.diff(np.concatenate([[0.0], fit.share_below(edges), [1.0]]))
    kept = expected > 1
    freedom = int(kept.sum()) - 4
    if freedom < 1:
        return math.nan
    return float(chdtrc(freedom, float(((observed - expected)[kept] ** 2 / expected[kept]).sum())))


def _trend(values: Array) -> float:
    """Chance of ranks that rise or fall as much with time (Spearman, normal approximation)."""
    return _correlation(_ranks(values), np.arange(len(values), dtype=np.float64))


def _serial(values: Array) -> float:
    """Chance of ranks that follow each other as much (lag one)."""
    ranks = _ranks(values)
    return _correlation(ranks[:-1], ranks[1:])


def _ranks(values: Array) -> Array:
    """Ranks, the mean of them where values are equal."""
    _, place, times = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(times) - (times - 1) / 2)[place])


def _correlation(one: Array, other: Array) -> float:
    """Two-sided chance of a correlation as large."""
    from scipy.special import ndtr

    return 2 * float(ndtr(-abs(float(np.corrcoef(one, other)[0, 1])) * math.sqrt(len(one) - 1)))
