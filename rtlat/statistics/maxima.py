"""Maxima compared at equal n: a run twice as long has met twice as many occasions for a bad cycle.

The greatest of m cycles drawn from the n of a run, without replacement, is at most x with probability
C(K, m) / C(n, m), where K cycles are at most x: exact, whatever the distribution ([1]_, section 3.7, on sampling from a
finite population). The cycles are taken as exchangeable; where the run drifts, compare blocks.

References
----------
.. [1] H. A. David and H. N. Nagaraja, "Order Statistics," 3rd ed., Wiley, 2003.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rtlat.intervals import Array, Distribution
from rtlat.statistics.results import Bounds
from rtlat.tails.refusals import Refusal, uncounted

_EXACT_BELOW = 1000
"""Where Stirling's series would be short of digits, the logarithm of the gamma function has enough."""


def log_chance_of_none(n: int, above: Array, m: int) -> Array:
    """Return the logarithm of the chance that none of m of n cycles is among those `above`.

    C(n - j, m) / C(n, m) is a ratio of falling factorials of min(j, m) factors each. Differences of ``gammaln`` lose
    all digits at n = 1e12; here the large terms are cancelled before they are computed.

    Parameters
    ----------
    n : int
        All cycles.
    above : array_like of int
        Cycles above a value, j.
    m : int
        Cycles drawn.

    Examples
    --------
    >>> np.exp(log_chance_of_none(10**12, np.array([0, 1, 2]), 10**11)).round(9).tolist()
    [1.0, 0.9, 0.81]
    """
    above = np.asarray(above)
    few = np.minimum(above, m)
    many = np.maximum(above, m)
    possible = few + many <= n
    rest = np.where(possible, n - many, few)
    with np.errstate(divide="ignore", invalid="ignore"):
        log = few * np.log1p(-many / n) + _falling(rest, few) - _falling(np.full(len(above), n), few)
    return np.asarray(np.where(few == 0, 0.0, np.where(possible, np.minimum(log, 0.0), -math.inf)))


def _falling(x: Array, factors: Array) -> Array:
    """Logarithm of x (x-1) (x-2) ... over x**factors: by Stirling's series, the large terms of which cancel."""
    from scipy.special import gammaln

    left = (x - factors).astype(np.float64)
    x, factors = x.astype(np.float64), factors.astype(np.float64)
    part = factors / x
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = np.where(part < 1, (1 - part) * np.log1p(-part) + part, 1.0)
        series = -x * entropy - 0.5 * np.log1p(-part) + _stirling(x) - _stirling(left)
        exact = gammaln(x + 1) - gammaln(left + 1) - factors * np.log(x)
    return np.where(left < _EXACT_BELOW, exact, series)


def _stirling(x: Array) -> Array:
    """What Stirling's formula leaves of the logarithm of x factorial."""
    return np.asarray((1 / 12 - (1 / 360 - 1 / (1260 * x * x)) / (x * x)) / x)


@dataclass(frozen=True, slots=True)
class Maximum:
    """The greatest of m cycles of a run.

    Attributes
    ----------
    m : int
        Cycles drawn.
    expected : Bounds
        Its mean. [unit of the data]
    median : Bounds
        The least value that it does not exceed in at least half of all draws. [unit]
    """

    m: int
    expected: Bounds
    median: Bounds


def maximum_of(d: Distribution, m: int) -> Maximum | Refusal:
    """Return what is known of the greatest of `m` cycles drawn from a run.

    Parameters
    ----------
    d : Distribution
        One series.
    m : int
        Cycles drawn, from 1 to all.

    Raises
    ------
    ValueError
        If `m` is less than 1.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> maximum_of(counted([1, 2, 3, 4]), 2).expected.text()  # (2 + 3 + 3 + 4 + 4 + 4) / 6
    '3.33333'
    """
    if m < 1:
        raise ValueError(f"{m} cycles have no maximum")
    if (refusal := uncounted(d)) is not None:
        return refusal
    n = d.total or 0
    if m > n:
        return Refusal("beyond the data", f"{n} cycles were measured, {m} were asked for")
    low, high = (_Greatest(value, _chance(n, up_to, m)) for value, up_to in _ends(d))
    expected = Bounds(low.mean(), high.mean(), "ok")
    return Maximum(m, _stated(d, expected), _stated(d, Bounds(low.quantile(0.5), high.quantile(0.5), "ok")))


def _ends(d: Distribution) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Low ends in rising order with cumulative counts, and high ends."""
    highs, up_to_high, _ = d.by_high
    return d.by_low, (highs, up_to_high)


def _stated(d: Distribution, bounds: Bounds) -> Bounds:
    """Bounds with the status that fits them."""
    status = d.status if d.status != "ok" else "overflow" if math.isinf(bounds.high) else "ok"
    return Bounds(bounds.low, bounds.high, "underflow" if math.isinf(bounds.low) else status)


def _chance(n: int, up_to: Array, m: int) -> Array:
    """The chance that the greatest of m of n cycles is at most each value, by how many cycles are."""
    return np.exp(log_chance_of_none(n, n - up_to, m))


class _Greatest(NamedTuple):
    """The greatest of some cycles: values in rising order, and the chance that it is at most each."""

    value: Array
    chance: Array

    def mean(self) -> float:
        """Its mean; infinite where a value is infinite that may be the greatest."""
        weight = np.diff(self.chance, prepend=0.0)
        some = weight > 0
        return float((self.value[some] * weight[some]).sum())

    def quantile(self, level: float) -> float:
        """Its quantile; the chance may fall short of the level by rounding."""
        return float(self.value[np.searchsorted(self.chance, level - 1e-12)])


def at_equal_n(runs: Sequence[Distribution], m: int | None = None) -> list[Maximum | Refusal]:
    """Return the greatest of equally many cycles of each run: of as many as the shortest has, unless `m` says.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> short, long = counted([10], n=[100]), counted([10, 90], n=[9_999, 1])
    >>> [found.expected.text() for found in at_equal_n([short, long])]  # 90 is met in one of 100 draws
    ['10', '10.8']
    """
    totals = [d.total for d in runs if d.total and not d.refusal]
    return [maximum_of(d, m or min(totals, default=1)) for d in runs]


class Growth(NamedTuple):
    """How the greatest of m cycles grows with m: bounds of its mean, its median, and of its central 95 %.

    Attributes
    ----------
    m : ndarray of int64
        Cycles, evenly spaced on a logarithmic axis, up to all.
    expected_low, expected_high, median_low, median_high : ndarray
        [unit of the data]
    least, most : ndarray
        In 95 % of all draws the greatest lies between these. [unit]
    """

    m: Array
    expected_low: Array
    expected_high: Array
    median_low: Array
    median_high: Array
    least: Array
    most: Array


def growth(d: Distribution, points: int = 60) -> Growth | Refusal:
    """Return how the greatest of m cycles grows with m, for a figure.

    A curve that rises to its end says that the run was too short to have met the largest latencies.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> grown = growth(counted([1, 2], n=[99, 1]), points=3)
    >>> grown.m.tolist(), grown.expected_low.round(3).tolist()
    ([1, 10, 100], [1.01, 1.1, 2.0])
    """
    if (refusal := uncounted(d)) is not None:
        return refusal
    n = d.total or 0
    sizes = np.unique(np.geomspace(1, n, points).round().astype(np.int64))
    sizes[-1] = n
    (lows, up_to_low), (highs, up_to_high) = _ends(d)
    rows = []
    for m in sizes.tolist():
        chance = _chance(n, up_to_low, m)
        low = _Greatest(lows, chance)
        high = _Greatest(highs, chance if up_to_high is up_to_low else _chance(n, up_to_high, m))
        middle = low.quantile(0.5), high.quantile(0.5)
        rows.append((low.mean(), high.mean(), *middle, low.quantile(0.025), high.quantile(0.975)))
    return Growth(sizes, *np.array(rows).T)
