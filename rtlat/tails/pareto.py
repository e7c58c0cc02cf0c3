"""Excesses over a threshold: the generalised Pareto distribution fitted to bins, samples and an overflow.

What exceeds a high threshold is nearly generalised Pareto, whatever the distribution [1]_ [2]_:
P(excess > y) = (1 + shape y / scale)**(-1 / shape). Each observation counts with the probability of the interval in
which it is known to lie, so a bin is a bin, an overflow is censored from above, and a sample has its density. Taking
a bin for its middle or its lower edge bends the tail as soon as the scale is but some bins wide.

Signs as in Coles [3]_: a shape above 0 has no end, below 0 the tail ends at threshold - scale / shape.

References
----------
.. [1] A. A. Balkema and L. de Haan, "Residual life time at great age," Annals of Probability, vol. 2, no. 5, 1974.
.. [2] J. Pickands, "Statistical inference using extreme order statistics," Annals of Statistics, vol. 3, no. 1, 1975.
.. [3] S. Coles, "An Introduction to Statistical Modeling of Extreme Values," Springer, 2001, chapter 4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from rtlat.intervals import Array
from rtlat.statistics.ranks import risk
from rtlat.tails.excesses import Excesses, joined
from rtlat.tails.likelihood import Likelihood, Maximum, boundary, maximum

SHAPES = (-1.0, 5.0)
"""Below -1 the likelihood of samples has no maximum; above 5 lies nothing that was ever measured."""

_FEW = 20
"""The fall of the likelihood is larger than chi-squared, for N exceedances 1 + 20 / N times, as bench/coverage.md
shows: its law does not hold yet, and the threshold was chosen from the same data."""

_RATE_SHARES = (0.0, 0.02, 0.1, 0.3, 0.6)
"""How much of the fall of the likelihood is spent on the rate, the rest on scale and shape."""


def log_growth(z: Array, shape: Array) -> Array:
    """Return log(1 + shape z) / shape, z where the shape is 0: minus the logarithm of the share above z.

    Examples
    --------
    >>> log_growth(np.array([2.0, 2.0]), np.array([0.0, -0.5])).tolist()
    [2.0, inf]
    """
    straight = np.abs(shape) < 1e-5
    bent = np.where(straight, 1.0, shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        series = z - shape * z * z / 2 + shape * shape * z**3 / 3
        log = np.log1p(np.maximum(bent * z, -1)) / bent
    return np.where(np.isinf(z), np.inf, np.where(straight, series, log))


def likelihood(over: Excesses, unit: float) -> Likelihood:
    """Return the mean log-likelihood of points (log of scale over `unit`, shape)."""
    weight = over.n / over.count
    exact = over.low == over.high
    low, high = over.low[~exact] / unit, over.high[~exact] / unit
    edges, places = np.unique(np.concatenate([low, high]), return_inverse=True)
    at_low, at_high = places[: len(low)], places[len(low) :]
    value = over.low[exact] / unit

    def mean(points: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            scale, shape = np.exp(points[:, :1]), points[:, 1:]
            fall = log_growth(edges / scale, shape)
            inside = -fall[:, at_low] + np.log(-np.expm1(fall[:, at_low] - fall[:, at_high]))
            density = -(1 + shape) * log_growth(value / scale, shape) - np.log(scale)
            density = np.where(1 + shape * value / scale > 0, density, -np.inf)
            total = inside @ weight[~exact] + density @ weight[exact]
        bad = np.isnan(total) | (shape[:, 0] < SHAPES[0]) | (shape[:, 0] > SHAPES[1])
        return np.where(bad, -np.inf, total)

    return mean


def moments(over: Excesses) -> tuple[float, float]:
    """Return scale and shape by probability-weighted moments of the intervals' middles: a start, and a cross-check.

    Biased where the scale is less than ten bins (Hosking and Wallis, "Parameter and quantile estimation for the
    generalized Pareto distribution," Technometrics, vol. 29, no. 3, 1987; weights for ties).

    Examples
    --------
    >>> from rtlat.tails.excesses import excesses
    >>> from rtlat.intervals import counted
    >>> [round(part, 9) for part in moments(excesses(counted([1, 2, 2, 5, 9]).intervals, 0))]  # over a threshold of 0
    [3.8, 0.0]
    """
    middle, n, count = over.middle, over.n.astype(np.float64), over.count
    order = np.argsort(middle, kind="stable")
    middle, n = middle[order], n[order]
    before = np.cumsum(n) - n
    first = float((middle * n).sum() / count)
    second = float((middle * n * (count - before - (n + 1) / 2)).sum() / (count * max(count - 1, 1)))
    if first <= 2 * second:
        return first, 0.0
    return 2 * first * second / (first - 2 * second), 2 - first / (first - 2 * second)


class Region(NamedTuple):
    """Points all around the parameters that the data do not contradict.

    Attributes
    ----------
    rate, scale, shape : ndarray
        [share, unit of the data, 1]
    confidence : float
        Of the interval that any one function of the parameters has over these points. [%]
    """

    rate: Array
    scale: Array
    shape: Array
    confidence: float


@dataclass(frozen=True, eq=False)
class ParetoFit:
    """A generalised Pareto distribution fitted to excesses.

    Attributes
    ----------
    over : Excesses
        What it was fitted to.
    scale, shape : float
        [unit of the data, 1]
    covariance : ndarray
        Of scale and shape, by the observed information; NaN where the fit is not regular.
    log_likelihood : float
        Of the intervals; of samples with their density, in the data's unit.
    regular : bool
        Whether the likelihood has a maximum with curvature in every direction; without one there is no interval.
    """

    over: Excesses
    scale: float
    shape: float
    covariance: Array
    log_likelihood: float
    regular: bool
    _top: Maximum = field(repr=False)
    _mean: Likelihood = field(repr=False)
    _unit: float = field(repr=False)

    def share_above(self, excess: Array) -> Array:
        """Return the share of excesses that exceed each."""
        return np.exp(-log_growth(excess / self.scale, np.asarray(self.shape)))

    def region(self, confidence: str | float = 95, rate_known: bool = False, corrected: bool = True) -> Region:
        """Return the boundary of the likelihood region that gives the profile-likelihood interval of any level.

        Parameters
        ----------
        confidence : str or float
            [%]
        rate_known : bool
            Whether to leave out what is not known of the rate at which the threshold is reached. It matters near
            the threshold only.
        corrected : bool
            Whether the fall of the likelihood is stretched for few exceedances, for which its chi-squared law does not
            hold yet: without, intervals of 50 exceedances cover 92 % instead of 95 %.

        Raises
        ------
        ValueError
            If the fit is not regular.
        """
        if not self.regular:
            raise ValueError("a fit that is not regular has no likelihood region")
        from scipy.special import chdtri

        fall = float(chdtri(1, risk(confidence))) * (1 + corrected * _FEW / self.over.count)
        parts = []
        for share in (0.0,) if rate_known else _RATE_SHARES:
            edge = boundary(self._mean, self._top, fall * (1 - share) / (2 * self.over.count))
            for rate in _rates(self.over.count, self.over.total, fall * share):
                parts.append((np.full(len(edge), rate), np.exp(edge[:, 0]) * self._unit, edge[:, 1]))
        columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
        return Region(columns[0], columns[1], columns[2], float(confidence))


def fit_pareto(over: Excesses) -> ParetoFit:
    """Fit scale and shape by the greatest likelihood of intervals, samples and overflow.

    Examples
    --------
    >>> from rtlat.tails.excesses import excesses
    >>> from rtlat.intervals import counted
    >>> bins = np.arange(60.0)  # what an exponential tail of scale 5 puts into bins of 1
    >>> tail = counted(bins, bins + 1, np.round(1e6 * (np.exp(-bins / 5) - np.exp(-(bins + 1) / 5))).astype(int))
    >>> fit = fit_pareto(excesses(tail.intervals, 0))
    >>> round(fit.scale, 2), abs(fit.shape) < 0.001
    (5.0, True)
    """
    data = joined(over)
    unit = over.mean or over.step or 1.0
    mean = likelihood(data, unit)
    start = moments(data)
    guesses = [(math.log(part), shape) for part in (0.5, 0.8, 1.1) for shape in (-0.3, 0.0, 0.3, 0.7)]
    top = maximum(mean, np.array([(math.log((start[0] or unit) / unit), min(max(start[1], -0.4), 0.9)), *guesses]))
    scale, shape = math.exp(top.parameters[0]) * unit, float(top.parameters[1])
    covariance = np.full((2, 2), math.nan)
    if top.regular:
        stretch = np.diag([scale, 1.0])  # the fit is in the logarithm of the scale
        covariance = stretch @ np.linalg.inv(top.information * over.count) @ stretch
    in_unit = float(over.n[over.low == over.high].sum()) * math.log(unit) if data is over else 0.0
    return ParetoFit(over, scale, shape, covariance, top.value * over.count - in_unit, top.regular, top, mean, unit)


def level(threshold: float, rate: Array, scale: Array, shape: Array, cycles: float | Array) -> Array:
    """Return the level that one in so many cycles exceeds ([3]_ of this module, equation 4.13).

    Examples
    --------
    >>> float(level(10.0, 0.1, 5.0, 0.0, 10 * np.e))  # an exponential tail: 10 + 5 log(0.1 * 10 e)
    15.0
    """
    times = np.log(np.asarray(rate) * cycles)
    shape = np.asarray(shape, np.float64)
    straight = np.abs(shape) < 1e-9
    bent = np.where(straight, 1.0, shape)
    return np.asarray(threshold + scale * np.where(straight, times, np.expm1(bent * times) / bent))


def _rates(count: int, total: int, fall: float) -> tuple[float, ...]:
    """The two rates at which twice the binomial log-likelihood of the exceedances has fallen by `fall`."""
    observed = count / total
    if fall <= 0 or count >= total:
        return (observed,)
    from scipy.optimize import brentq

    def beyond(log_rate: float) -> float:
        rate = math.exp(log_rate)
        lost = count * (math.log(observed) - log_rate) + (total - count) * (math.log1p(-observed) - math.log1p(-rate))
        return 2 * lost - fall

    middle = math.log(observed)
    reach = 3 * math.sqrt(fall / count) + 1e-9
    top = min(middle + reach, -1e-12)
    return math.exp(brentq(beyond, middle - 2 * reach, middle)), math.exp(brentq(beyond, middle, top))
