"""What differs between two distributions, with intervals: of percentiles, and of how often a limit is reached.

Nothing here tests whether two laws are equal: at 1e8 cycles every difference is significant. An effect is stated
with the interval that the number of cycles leaves it. The interval takes cycles as independent and knows nothing of
what differs from run to run; `rtlat.repeats` does.

References
----------
.. [1] A. Donner and G. Y. Zou, "Closed-form confidence intervals for functions of the normal mean and standard
   deviation," Statistical Methods in Medical Research, vol. 21, no. 4, 2012: the method of variance estimates recovery.
.. [2] E. L. Lehmann and J. P. Romano, "Testing Statistical Hypotheses," 3rd ed., Springer, 2005, section 4.5: of two
   counts of rare events, given their sum, the first is binomial.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from rtlat.intervals import Distribution
from rtlat.statistics.rank_intervals import percentile_interval
from rtlat.statistics.ranks import risk
from rtlat.statistics.results import Bounds, refused
from rtlat.statistics.stats import exceedances, percentile

_NOTHING = 1e-9
"""A share below which counts divided by a large dispersion tell nothing."""


@dataclass(frozen=True, slots=True)
class Shift:
    """By how much a percentile is higher than the reference's.

    Attributes
    ----------
    percent : str
        [%]
    value, reference : Bounds
        Of either side. [unit]
    observed : Bounds
        Their difference, as far as the records tell it. [unit]
    low, high : float
        Interval of the difference; infinite where nothing observed bounds it. [unit]
    """

    percent: str
    value: Bounds
    reference: Bounds
    observed: Bounds
    low: float
    high: float


def shift(a: Distribution, b: Distribution, percent: str | float, confidence: str | float = 95) -> Shift:
    """Return the difference of a percentile of two runs with its interval, for cycles that are independent.

    The ends of the two order-statistic intervals are combined as in [1]_. Where a percentile lies in the overflow, or n
    is too small to bound it, the interval is one-sided.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> slow, fast = (counted(range(low, low + 100), n=[50] * 100) for low in (20, 0))
    >>> found = shift(slow, fast, 50)
    >>> found.observed.text("us"), round(found.low, 2), round(found.high, 2)
    ('20 us', 17.76, 22.24)
    """
    value, reference = percentile(a, percent), percentile(b, percent)
    for side in (value, reference):
        if side.status == "refused":
            return Shift(str(percent), value, reference, refused(side.reason or ""), -math.inf, math.inf)
    observed = difference(value, reference)
    if "stated" in (value.status, reference.status):  # a percentile without its data has no interval
        return Shift(str(percent), value, reference, observed, -math.inf, math.inf)
    of_a, of_b = (percentile_interval(d, percent, confidence) for d in (a, b))
    low = _less(observed.low, value.low - of_a.low, of_b.high - reference.high)
    high = -_less(-observed.high, of_a.high - value.high, reference.low - of_b.low)
    return Shift(str(percent), value, reference, observed, low, high)


def difference(value: Bounds, reference: Bounds) -> Bounds:
    """Return what is known of a difference of two results.

    Examples
    --------
    >>> difference(Bounds(24, 25, "ok"), Bounds(20, 21, "ok")).text("us")
    '3-5 us'
    >>> difference(Bounds(400, math.inf, "overflow"), Bounds(20, 21, "ok")).text("us")
    '>= 379 us'
    """
    for side in (value, reference):
        if side.status == "refused":
            return side
    low, high = _minus(value.low, reference.high), -_minus(reference.low, value.high)
    statuses = {side.status for side in (value, reference)} & {"overflow", "underflow", "partial", "bounds"}
    return Bounds(low, high, next(iter(sorted(statuses)), "ok"))


def _minus(low: float, high: float) -> float:
    """The low end of a difference; an open end on either side leaves it open."""
    return -math.inf if math.isinf(low) or math.isinf(high) else low - high


def _less(end: float, *reaches: float) -> float:
    """A low end moved down by what two independent sides leave open."""
    if math.isinf(end) or not all(math.isfinite(reach) for reach in reaches):
        return -math.inf
    return end - math.hypot(*reaches)


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times as often a limit is reached as in the reference.

    Attributes
    ----------
    count, reference : Bounds
        Exceedances of either side. [1]
    n, n_reference : float
        What they are counted in: cycles, or hours.
    observed : Bounds
        The ratio of the rates.
    low, high : float
        Its interval.
    dispersion : float
        By how much the counts vary more than independent ones; 1 where that is not known.
    """

    count: Bounds
    reference: Bounds
    n: float
    n_reference: float
    observed: Bounds
    low: float
    high: float
    dispersion: float = 1.0

    def rates(self) -> tuple[Bounds, Bounds]:
        """Return the counts of either side by its exposure."""
        mine, theirs = self.count, self.reference
        if "refused" in (mine.status, theirs.status):
            return mine, theirs
        return mine.over(self.n), theirs.over(self.n_reference)


def exceedance_ratio(
    a: Distribution,
    b: Distribution,
    limit: float,
    confidence: str | float = 95,
    dispersion: float = 1.0,
    exposure: tuple[float, float] | None = None,
) -> Ratio:
    """Return how many times as often cycles of `a` reach a limit as those of `b`.

    Parameters
    ----------
    a, b : Distribution
        Of the same unit.
    limit : float
        [unit of the data]
    confidence : str or float
        [%]
    dispersion : float
        As in `ratio_of_counts`.
    exposure : tuple of float, optional
        Of either side, such as its hours; its cycles if not given.
    """
    count, reference = exceedances(a, limit), exceedances(b, limit)
    n, m = exposure or (float(a.total or 0), float(b.total or 0))
    if a.total and b.total and "refused" not in (count.status, reference.status):
        return ratio_of_counts(count, n, reference, m, confidence, dispersion)
    why = refused(count.reason or reference.reason or "the number of observations is unknown")
    return Ratio(why, why, n, m, why, 0.0, math.inf)


def ratio_of_counts(
    count: Bounds, n: float, reference: Bounds, m: float, confidence: str | float = 95, dispersion: float = 1.0
) -> Ratio:
    """Return the ratio of two rates with its exact interval, given the sum of the counts [2]_.

    Parameters
    ----------
    count, reference : Bounds
        Events of either side; where they are bounds, the interval covers both ends.
    n, m : float
        Exposure of either side, in the same unit: cycles or hours.
    confidence : str or float
        [%]
    dispersion : float
        Variance of the counts over that of independent ones. In bursts of ten, thirty events tell no more than three:
        all counts are divided by it. (After R. W. M. Wedderburn, "Quasi-likelihood functions," Biometrika 61, 1974.)

    Examples
    --------
    >>> five = ratio_of_counts(Bounds(15, 15, "ok"), 1e8, Bounds(3, 3, "ok"), 1e8)
    >>> five.observed.text(), f"{five.low:.5f} {five.high:.4f}"
    ('5', '1.41442 26.9446')
    >>> none = ratio_of_counts(Bounds(0, 0, "ok"), 1e8, Bounds(0, 0, "ok"), 1e6)
    >>> none.observed.reason, none.low, none.high
    ('neither side reached the limit: the ratio has no value', 0.0, inf)
    """
    scale = m / n
    low = _odds(count.low, reference.high, confidence, dispersion)[0] * scale
    high = _odds(count.high, reference.low, confidence, dispersion)[1] * scale
    if not reference.high:
        sides = "the reference never" if count.high else "neither side"
        observed = refused(f"{sides} reached the limit: the ratio has no value")
    else:
        least = count.low / reference.high * scale
        most = count.high / reference.low * scale if reference.low else math.inf
        observed = Bounds(least, most, "ok" if least == most else "bounds")
    return Ratio(count, reference, n, m, observed, low, high, dispersion)


def _odds(count: float, other: float, confidence: str | float, dispersion: float) -> tuple[float, float]:
    """Interval of the odds that an event is one of `count` and not one of `other`."""
    from scipy.special import betainccinv, betaincinv

    half, k, rest = risk(confidence) / 2, count / dispersion, other / dispersion
    low = float(betaincinv(k, rest + 1, half)) if count else 0.0
    low = low if low > _NOTHING else 0.0
    high = float(betainccinv(k + 1, rest, half)) if other else 1.0
    return low / (1 - low) if low < 1 else math.inf, high / (1 - high) if high < 1 else math.inf
