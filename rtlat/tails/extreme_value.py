"""The generalised extreme value distribution, fitted to maxima of blocks.

The greatest of a long block is nearly generalised extreme value distributed, whatever the distribution and even if
cycles depend on each other within a burst, as long as blocks are longer than bursts ([1]_, chapters 3 and 5). Maxima in
print are intervals, and count with the probability of theirs: taken for the middles of their bins, maxima that vary
by half a bin give a shape of 0.9 where 0.1 is true.

Signs as in [1]_: P(maximum <= x) = exp(-(1 + shape (x - location) / scale)**(-1 / shape)).

References
----------
.. [1] S. Coles, "An Introduction to Statistical Modeling of Extreme Values," Springer, 2001.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from rtlat.intervals import Array, Intervals
from rtlat.statistics.ranks import risk
from rtlat.tails.likelihood import Likelihood, Maximum, boundary, maximum
from rtlat.tails.pareto import SHAPES, log_growth

_FEW = 5
"""The fall of the likelihood is larger than chi-squared, for N blocks 1 + 5 / N times, as bench/coverage.md shows."""


class Around(NamedTuple):
    """Points all around the parameters that the maxima do not contradict; as `rtlat.tails.pareto.Region`."""

    location: Array
    scale: Array
    shape: Array
    confidence: float


@dataclass(frozen=True, eq=False)
class MaximaFit:
    """A generalised extreme value distribution fitted to maxima.

    Attributes
    ----------
    intervals : Intervals
        The maxima.
    blocks : int
        How many.
    location, scale, shape : float
        [unit of the data, unit, 1]
    covariance : ndarray
        Of the three, by the observed information; NaN where the fit is not regular.
    log_likelihood : float
        Of the intervals; of exact maxima with their density, in the data's unit.
    regular : bool
        Whether the likelihood has a maximum with curvature in every direction.
    """

    intervals: Intervals
    blocks: int
    location: float
    scale: float
    shape: float
    covariance: Array
    log_likelihood: float
    regular: bool
    _top: Maximum = field(repr=False)
    _mean: Likelihood = field(repr=False)
    _origin: tuple[float, float] = field(repr=False)

    def share_below(self, value: Array) -> Array:
        """Return the share of blocks whose maximum is at most each value."""
        z = (np.asarray(value) - self.location) / self.scale
        return np.exp(-np.exp(-log_growth(z, np.asarray(self.shape))))

    def region(self, confidence: str | float = 95, corrected: bool = True) -> Around:
        """Return the boundary of the likelihood region, as `rtlat.tails.pareto.ParetoFit.region` does.

        Raises
        ------
        ValueError
            If the fit is not regular.
        """
        if not self.regular:
            raise ValueError("a fit that is not regular has no likelihood region")
        from scipy.special import chdtri

        fall = float(chdtri(1, risk(confidence))) * (1 + corrected * _FEW / self.blocks)
        edge = boundary(self._mean, self._top, fall / (2 * self.blocks))
        origin, unit = self._origin
        return Around(origin + unit * edge[:, 0], unit * np.exp(edge[:, 1]), edge[:, 2], float(confidence))


def fit_maxima(intervals: Intervals) -> MaximaFit:
    """Fit location, scale and shape by the greatest likelihood of intervals and exact maxima.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> chance = (np.arange(500) + 0.5) / 500
    >>> fit = fit_maxima(counted(10 - 2 * np.log(-np.log(chance))).intervals)  # Gumbel
    >>> round(fit.location, 1), round(fit.scale, 1), abs(fit.shape) < 0.02
    (10.0, 2.0, True)
    """
    middle = np.where(np.isinf(intervals.high), intervals.low, (intervals.low + intervals.high) / 2)
    weight = intervals.n / intervals.n.sum()
    origin = float(middle @ weight)
    spread = math.sqrt(float((middle - origin) ** 2 @ weight))
    unit = spread or float((intervals.high - intervals.low).max()) or 1.0
    mean = _likelihood(intervals, origin, unit)
    starts = [(-0.45, math.log(0.78 * part), shape) for part in (0.4, 0.7, 1.0) for shape in (-0.2, 0.0, 0.2, 0.5)]
    top = maximum(mean, np.array(starts))  # of a Gumbel: the mean less 0.45, and 0.78, standard deviations
    blocks = int(intervals.n.sum())
    location, scale = origin + unit * float(top.parameters[0]), unit * math.exp(top.parameters[1])
    covariance = np.full((3, 3), math.nan)
    if top.regular:
        stretch = np.diag([unit, scale, 1.0])
        covariance = stretch @ np.linalg.inv(top.information * blocks) @ stretch
    in_unit = float(intervals.n[intervals.low == intervals.high].sum()) * math.log(unit)
    log_likelihood = top.value * blocks - in_unit
    about = (top, mean, (origin, unit))
    shape = float(top.parameters[2])
    return MaximaFit(intervals, blocks, location, scale, shape, covariance, log_likelihood, top.regular, *about)


def _likelihood(intervals: Intervals, origin: float, unit: float) -> Likelihood:
    """Mean log-likelihood of points (location, log of scale, shape), in units from an origin."""
    weight = intervals.n / intervals.n.sum()
    exact = intervals.low == intervals.high
    low, high = (intervals.low[~exact] - origin) / unit, (intervals.high[~exact] - origin) / unit
    value = (intervals.low[exact] - origin) / unit

    def mean(points: Array) -> Array:
        location, log_scale, shape = points[:, :1], points[:, 1:2], points[:, 2:]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            scale = np.exp(log_scale)
            at_low = np.exp(-log_growth((low - location) / scale, shape))
            at_high = np.exp(-log_growth((high - location) / scale, shape))
            inside = -at_high + np.log(-np.expm1(at_high - at_low))
            growth = log_growth((value - location) / scale, shape)
            density = -(1 + shape) * growth - np.exp(-growth) - log_scale
            density = np.where(np.isfinite(growth), density, -np.inf)
            total = inside @ weight[~exact] + density @ weight[exact]
        bad = np.isnan(total) | (shape[:, 0] < SHAPES[0]) | (shape[:, 0] > SHAPES[1])
        return np.where(bad, -np.inf, total)

    return mean


def return_level(location: Array, scale: Array, shape: Array, blocks: Array) -> Array:
    """Return the level that one in so many blocks exceeds ([1]_ of this module, equation 3.4).

    Examples
    --------
    >>> float(return_level(10.0, 2.0, 0.0, 1 / (1 - np.exp(-1 / np.e))).round(6))
    12.0
    """
    times = -np.log(-np.log1p(-1 / np.asarray(blocks, np.float64)))
    shape = np.asarray(shape, np.float64)
    straight = np.abs(shape) < 1e-9
    bent = np.where(straight, 1.0, shape)
    return np.asarray(location + scale * np.where(straight, times, np.expm1(bent * times) / bent))
