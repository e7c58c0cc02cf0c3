"""Whether a level stays: steps and drift of a value over blocks of time.

Blocks are compared by rank, so that neither a spike nor the shape of the distribution matters. Neighbouring
blocks that resemble each other would look like a change: what they still have in common beside the change widens
the threshold.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from rtlat.intervals import Array

FEWEST_BLOCKS = 16
"""Blocks below which nothing is said of steps and drift."""

MOST_STEPS = 4
"""Steps that are looked for in one series."""


@dataclass(frozen=True)
class Step:
    """A place at which a level changes.

    Attributes
    ----------
    block : int
        First block of the new level.
    before, after : float
        Median of the blocks up to the step before, and from here to the next. [unit]
    log_p : float
        Log probability that a level which stays shows such a step.
    """

    block: int
    before: float
    after: float
    log_p: float


@dataclass(frozen=True)
class Drift:
    """A level that rises or falls.

    Attributes
    ----------
    slope : float
        Median slope between any two blocks (Theil and Sen). [unit per block]
    log_p : float
        Log probability that a level which stays shows such a slope (Mann and Kendall).
    """

    slope: float
    log_p: float


def steps(values: Array, alpha: float) -> list[Step]:
    """Return the places at which a level changes, in order.

    The place where the cumulative sum of ranks strays farthest divides the blocks; both sides are divided in turn
    as long as chance explains that with a probability of less than `alpha`.

    Parameters
    ----------
    values : ndarray
        One per block, in order. [unit]
    alpha : float
        Probability below which a step counts.

    Examples
    --------
    >>> found = steps(np.array([5.0, 7, 6] * 8 + [9.0, 11, 10] * 4), 0.01)
    >>> [(step.block, step.before, step.after) for step in found]
    [(24, 6.0, 10.0)]
    """
    places: dict[int, float] = {}
    waiting = [(0, len(values))]
    while waiting and len(places) < MOST_STEPS:
        first, last = waiting.pop(0)
        if last - first < FEWEST_BLOCKS:
            continue
        place, log_p = _divided(values[first:last])
        if log_p < math.log(alpha):
            places[first + place] = log_p
            waiting += [(first, first + place), (first + place, last)]
    if not places:
        return []
    edges = [0, *sorted(places), len(values)]
    levels = [float(np.median(values[start:stop])) for start, stop in itertools.pairwise(edges)]
    return [Step(place, levels[k], levels[k + 1], places[place]) for k, place in enumerate(sorted(places))]


def _divided(values: Array) -> tuple[int, float]:
    """Where blocks are divided best, and the log probability of the sum of ranks there if the level stays."""
    from scipy.special import kolmogorov
    from scipy.stats import rankdata

    ranks = rankdata(values) - (len(values) + 1) / 2
    if not ranks.any():
        return 0, 0.0
    sums = np.cumsum(ranks)[:-1]
    place = int(np.argmax(np.abs(sums))) + 1
    beside = np.concatenate([side - side.mean() for side in (ranks[:place], ranks[place:])])
    spread = math.sqrt(float((ranks**2).mean()) * len(values) * _inflation(beside))
    return place, math.log(max(float(kolmogorov(abs(float(sums[place - 1])) / spread)), 1e-300))


def _inflation(ranks: Array) -> float:
    """By how much the variance of a mean grows because neighbours resemble each other.

    Of a first-order autoregression, differences over two blocks have 1 + r times the mean square of those over one,
    where r is the correlation of neighbours; a few steps of the level hardly change that.
    """
    over_one, over_two = (float(((ranks[apart:] - ranks[:-apart]) ** 2).mean()) for apart in (1, 2))
    alike = min(0.95, over_two / over_one - 1) if over_one else 0.0
    return max(1.0, (1 + alike) / (1 - alike))


def drift(values: Array) -> Drift | None:
    """Return the slope of a level and how likely chance explains it, or None if there are too few blocks.

    Examples
    --------
    >>> found = drift(np.arange(30.0) * 0.5 + np.tile([0, 1, -1], 10))
    >>> found.slope, found.log_p < -20
    (0.5, True)
    """
    from scipy.stats import kendalltau, rankdata, theilslopes

    place = np.arange(len(values))
    if len(values) < FEWEST_BLOCKS or values.min() == values.max():
        return None
    slope = float(theilslopes(values, place).slope)
    rest = rankdata(values - slope * place)
    tau = float(kendalltau(place, values).statistic)
    n = len(values)
    score = abs(tau) / math.sqrt(2 * (2 * n + 5) / (9 * n * (n - 1)) * _inflation(rest))
    return Drift(slope, math.log(2) + _log_normal_tail(score))


def _log_normal_tail(score: float) -> float:
    """Logarithm of the probability beyond a standard score."""
    from scipy.special import log_ndtr

    return float(log_ndtr(-score))


def straighter(values: Array, block: int, slope: float) -> bool:
    """Return whether a drift tells more of the values than one step at `block` does.

    Examples
    --------
    >>> straighter(np.arange(20.0), 10, 1.0), straighter(np.repeat([1.0, 5.0], 10), 10, 0.25)
    (True, False)
    """
    along = values - slope * np.arange(len(values))
    levels = np.where(np.arange(len(values)) < block, np.median(values[:block]), np.median(values[block:]))
    return float(np.abs(along - np.median(along)).sum()) < float(np.abs(values - levels).sum())
