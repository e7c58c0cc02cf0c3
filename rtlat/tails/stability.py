"""The tables by which to judge a threshold: the mean excess, and how the fit changes with the threshold.

Both are those of A. C. Davison and R. L. Smith, "Models for exceedances over high thresholds," Journal of the Royal
Statistical Society B, vol. 52, no. 3, 1990.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rtlat.intervals import Array, Distribution
from rtlat.tails.threshold import FEWEST, SHARE, Choice

_LEAST = 5
"""Exceedances over the highest threshold of the mean excess."""


class MeanExcess(NamedTuple):
    """The mean of what exceeds each threshold: a straight line where the tail is generalised Pareto.

    Attributes
    ----------
    threshold : ndarray
        [unit of the data]
    exceedances : ndarray of int64
    low, high : ndarray
        Bounds of the mean excess, by the ends of the intervals; inf where the overflow has no end. [unit]
    interval_low, interval_high : ndarray
        Normal 95 % interval of the mean excess of intervals' middles. [unit]
    variation : ndarray
        Standard deviation of the excesses over their mean, 1 for an exponential tail; the middles are taken.
    """

    threshold: Array
    exceedances: Array
    low: Array
    high: Array
    interval_low: Array
    interval_high: Array
    variation: Array


def mean_excess(d: Distribution, points: int = 100) -> MeanExcess:
    """Return the mean excess over many thresholds, down to five exceedances, for a figure.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> table = mean_excess(counted(range(100), range(1, 101), [100] * 100))  # uniform: half of what is left
    >>> table.threshold[0].item(), table.low[0].item(), table.high[0].item()
    (95.0, 2.0, 3.0)
    """
    order = np.argsort(d.intervals.low, kind="stable")
    low, high, n = d.intervals.low[order], d.intervals.high[order], d.intervals.n[order].astype(np.float64)
    reach = np.append(-math.inf, np.maximum.accumulate(high)[:-1])
    middle = (low + np.where(np.isinf(high), low, high)) / 2
    above, at_low, at_high, at_middle, square = (
        np.cumsum(column[::-1])[::-1] for column in (n, n * low, n * high, n * middle, n * middle**2)
    )
    fitting = (
        (above >= _LEAST)
        & (above <= max((d.total or 0) / SHARE, FEWEST))
        & (low >= reach)
        & (low > np.append(-math.inf, low[:-1]))
    )
    place = np.flatnonzero(fitting)
    if len(place) > points:
        place = place[np.unique(np.linspace(0, len(place) - 1, points).round().astype(int))]
    threshold, count = low[place], above[place]
    mean = at_middle[place] / count - threshold
    spread = np.sqrt(np.maximum(square[place] / count - (at_middle[place] / count) ** 2, 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        reach95 = 1.96 * spread / np.sqrt(count)
        variation = spread / mean
    bounds = at_low[place] / count - threshold, at_high[place] / count - threshold
    return MeanExcess(threshold, count.astype(np.int64), *bounds, mean - reach95, mean + reach95, variation)


class Stability(NamedTuple):
    """What each candidate makes of the tail: shape and modified scale stay where the tail is generalised Pareto.

    Attributes
    ----------
    threshold : ndarray
        [unit of the data]
    exceedances : ndarray of int64
    scale, shape, shape_low, shape_high : ndarray
        With the profile-likelihood interval of the shape. [unit, 1]
    modified_scale : ndarray
        scale - shape * threshold, which does not depend on the threshold. [unit]
    p : ndarray
        Of the test of fit.
    rejected : ndarray of bool
    """

    threshold: Array
    exceedances: Array
    scale: Array
    shape: Array
    shape_low: Array
    shape_high: Array
    modified_scale: Array
    p: Array
    rejected: Array


def stability(choice: Choice) -> Stability:
    """Return the candidates of a choice as arrays, for a figure; NaN where a fit has no interval."""
    rows = []
    for place, candidate in enumerate(choice.candidates):
        fit = candidate.fit
        shapes = fit.region(rate_known=True).shape if fit.regular else np.array([math.nan])
        rows.append((
            candidate.threshold,
            fit.over.count,
            fit.scale,
            fit.shape,
            shapes.min(),
            shapes.max(),
            fit.scale - fit.shape * candidate.threshold,
            candidate.test.p,
            place < choice.rejected,
        ))  # fmt: skip
    columns = np.array(rows, np.float64).reshape(len(rows), len(Stability._fields)).T
    table = Stability(*columns)
    return table._replace(exceedances=table.exceedances.astype(np.int64), rejected=table.rejected.astype(bool))
