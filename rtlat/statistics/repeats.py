"""Arms of several runs: what differs between them beside what differs from run to run of one arm.

Two boots of one system differ by more than the number of their cycles explains, so cycles cannot tell two systems
apart: of two runs of the same system a test over cycles calls one worse in up to four cases of five. Runs are the
observations here, one figure for each. Under the hypothesis that the arms are alike, every order of their runs is
equally likely, whatever the law of latencies, bursts included: the rank test of [1]_ and the interval of shifts that
belongs to it [2]_ are exact, as long as runs are independent and alternate between the arms.

References
----------
.. [1] H. B. Mann and D. R. Whitney, "On a test of whether one of two random variables is stochastically larger than the
   other," Annals of Mathematical Statistics, vol. 18, no. 1, 1947.
.. [2] J. L. Hodges and E. L. Lehmann, "Estimates of location based on rank tests," Annals of Mathematical Statistics,
   vol. 34, no. 2, 1963; the interval is due to L. E. Moses.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rtlat.intervals import Array
from rtlat.statistics.ranks import risk
from rtlat.statistics.results import Bounds

ENOUGH = 5
"""Runs an arm from which on a conclusion is drawn: with fewer, nothing could be told apart from chance often enough."""

WORSE, NO_WORSE, UNDECIDED = "worse", "no worse", "undecided"

_ROUNDING = 1e-9

_ON_A_GRID = ("ok", "max", "below_resolution")


@lru_cache(maxsize=256)
def orders(k: int, m: int) -> Array:
    """Return the chance of each number of pairs in which a run of one arm exceeds one of the other, if all are alike.

    The numbers of arrangements are the coefficients of the Gaussian binomial (k + m over k).

    Parameters
    ----------
    k, m : int
        Runs of either arm.

    Examples
    --------
    >>> (orders(2, 2) * 6).round(9).tolist()
    [1.0, 1.0, 2.0, 1.0, 1.0]
    """
    ways = np.zeros(k * m + 1)
    ways[0] = 1.0
    for place in range(1, k + 1):
        up = m + place
        more = ways.copy()
        more[up:] -= ways[:-up] if up <= k * m else 0.0
        for start in range(place):  # divided by 1 - x**place: running sums over every place-th coefficient
            more[start::place] = np.cumsum(more[start::place])
        ways = more / more.sum()
    return ways


def rank_of_limit(k: int, m: int, missed: float) -> int:
    """Return which of the k * m differences, in rising order, bounds the shift from below; 0 if none does.

    Examples
    --------
    >>> rank_of_limit(5, 5, 0.05), rank_of_limit(5, 5, 0.025), rank_of_limit(3, 3, 0.025)
    (5, 3, 0)
    """
    return int(np.searchsorted(np.cumsum(orders(k, m)), missed * (1 + 1e-9), "right"))


@dataclass(frozen=True, slots=True)
class Between:
    """How a figure of one arm's runs differs from that of the reference's.

    Attributes
    ----------
    k, m : int
        Runs of the arm and of the reference.
    observed : Bounds
        The shift: the median of the differences of all pairs. [unit of the figure]
    low, high : float
        Two-sided interval of the shift; infinite where there are too few runs for one. [unit]
    at_least, at_most : float
        One-sided bounds of the shift. [unit]
    p : float
        Chance of an arm that is at least as much higher, if both are alike.
    """

    k: int
    m: int
    observed: Bounds
    low: float
    high: float
    at_least: float
    at_most: float
    p: float


def between(runs: Sequence[Bounds], reference: Sequence[Bounds], confidence: str | float = 95) -> Between:
    """Return by how much a figure is higher in one arm, with its interval, from one figure for each run.

    Figures that stand in bins of one width are compared by their bins, and by as much as a bin the interval is wider:
    20.9 us and 21.0 us are printed as 20 and 21. Where a figure is only known as bounds, such as in the overflow, each
    pair counts with what it surely says.

    Parameters
    ----------
    runs, reference : sequence of Bounds
        The figure of each run of either arm.
    confidence : str or float
        [%]

    Examples
    --------
    >>> figures = [[Bounds(v, v + 1, "ok") for v in values] for values in ((24, 25, 26, 26, 31), (20, 20, 21, 22, 23))]
    >>> found = between(*figures)
    >>> found.observed.text("us"), (found.low, found.high), round(found.p, 4)
    ('5 us', (1.0, 11.0), 0.004)
    """
    k, m, missed = len(runs), len(reference), risk(confidence)
    pairs = [(one, other) for one in runs for other in reference]
    placed = _rising(_by_bins(*pair) or _apart(*pair) for pair in pairs)
    lows, highs = _rising(_apart(*pair) for pair in pairs)
    two, one = (rank_of_limit(k, m, part) for part in (missed / 2, missed))
    exceed = int((placed[0] > 0).sum())
    low, high = _middle(placed[0], -math.inf), _middle(placed[1], math.inf)
    return Between(
        k,
        m,
        Bounds(low, high, "ok" if low == high else "bounds"),
        float(lows[two - 1]) if two else -math.inf,
        float(highs[-two]) if two else math.inf,
        float(lows[one - 1]) if one else -math.inf,
        float(highs[-one]) if one else math.inf,
        float(np.clip(orders(k, m)[exceed:].sum(), 0.0, 1.0)),
    )


def _apart(one: Bounds, other: Bounds) -> tuple[float, float]:
    """Bounds of a difference."""
    low, high = one.low - other.high, one.high - other.low
    return -math.inf if math.isnan(low) else low, math.inf if math.isnan(high) else high


def _by_bins(one: Bounds, other: Bounds) -> tuple[float, float] | None:
    """By how much the places of two bins of one width differ; None if they have no such places."""
    if one.status not in _ON_A_GRID or other.status not in _ON_A_GRID:
        return None
    alike = math.isclose(one.high - one.low, other.high - other.low, rel_tol=1e-6, abs_tol=1e-12)
    return (one.low - other.low, one.low - other.low) if alike else None


def _rising(ends: Iterable[tuple[float, float]]) -> tuple[Array, Array]:
    """Low ends and high ends, each in rising order."""
    lows, highs = np.sort(np.array(list(ends)), axis=0).T
    return lows, highs


def _middle(rising: Array, unknown: float) -> float:
    """The median of numbers in rising order."""
    middle = rising[(len(rising) - 1) // 2], rising[len(rising) // 2]
    return float(sum(middle) / 2) if all(map(math.isfinite, middle)) else unknown


def adjusted(chances: Sequence[float]) -> list[float]:
    """Return the chances of several comparisons such that the chance of any false alarm among them is kept.

    S. Holm, "A simple sequentially rejective multiple test procedure," Scandinavian Journal of Statistics 6, 1979.

    Examples
    --------
    >>> adjusted([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(chances)), key=lambda place: chances[place])
    result, least = [0.0] * len(chances), 0.0
    for done, place in enumerate(order):
        least = max(least, min(1.0, chances[place] * (len(chances) - done)))
        result[place] = least
    return result


def judged(found: Between, tolerance: float, p: float | None = None, confidence: str | float = 95) -> str:
    """Return the outcome for one declared figure: worse, no worse, or undecided.

    Worse: the arms are not alike, and the shift that was observed is at least the tolerance. No worse: the shift is
    surely less than the tolerance. Anything else, and fewer than five runs an arm, is undecided.

    Parameters
    ----------
    found : Between
        Of the figure.
    tolerance : float
        The shift that matters. [unit of the figure]
    p : float, optional
        The chance adjusted for several comparisons.
    confidence : str or float
        [%]
    """
    if min(found.k, found.m) < ENOUGH:
        return UNDECIDED
    if (found.p if p is None else p) <= risk(confidence) and found.observed.low >= tolerance:
        return WORSE
    less = found.at_most < tolerance or 0 < found.at_most <= tolerance * (1 + _ROUNDING)  # the end of a bin is open
    return NO_WORSE if less else UNDECIDED


def explaining(difference: float, k: int, m: int, confidence: str | float = 95) -> float:
    """Return the standard deviation from run to run of one arm that would explain a difference of two arms by itself.

    With it, arms that are alike differ as much or more in one of twenty comparisons.

    Parameters
    ----------
    difference : float
        Of the means of k and of m runs. [unit]
    k, m : int
        Runs of either arm.

    Examples
    --------
    >>> round(explaining(10.0, 1, 1), 3)
    3.608
    """
    from scipy.special import ndtri

    return abs(difference) / float(ndtri(1 - risk(confidence) / 2)) / math.sqrt(1 / k + 1 / m)


def overdispersion(*arms: tuple[Array, Array]) -> float:
    """Return by how much more counts vary than independent events would, widened for how few counts tell it.

    Parameters
    ----------
    *arms : tuple of ndarray
        For each arm the counts of its runs, or of its seconds, and the exposure of each (cycles).

    Returns
    -------
    float
        Pearson's chi-squared over its degrees of freedom, times the square of Student's t over the normal quantile;
        at least 1, and 1 where no count repeats another.

    Examples
    --------
    >>> even = np.full(4, 100.0)
    >>> round(overdispersion((np.array([10, 10, 11, 9]), even)), 2), overdispersion((np.array([40, 0]), even[:2])) > 40
    (2.64, True)
    """
    from scipy.special import ndtri, stdtrit

    squares, freedom = 0.0, -len(arms)
    for counts, exposure in arms:
        expected = exposure * (counts.sum() / exposure.sum())
        freedom += len(counts)
        if counts.sum():
            squares += float(((counts - expected) ** 2 / expected).sum())
    if freedom < 1:
        return 1.0
    return max(1.0, squares / freedom) * float(stdtrit(freedom, 0.975) / ndtri(0.975)) ** 2
