"""How often a limit is reached, with exact intervals, per cycle and, where the period is known, per hour.

The count of n independent cycles that reach a limit is binomial; the interval is that of Clopper and Pearson [1]_,
which covers at least the stated confidence whatever the true share. Without one exceedance its upper bound is
``1 - alpha**(1/n)``, for 95 % three in n. It speaks of the measured load: what did not run was not measured.

References
----------
.. [1] C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the
   binomial," Biometrika, vol. 26, no. 4, pp. 404-413, 1934.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rtlat.intervals import Array, Distribution
from rtlat.statistics.ranks import risk
from rtlat.statistics.results import Bounds, number
from rtlat.statistics.stats import exceedances
from rtlat.tails.refusals import Refusal, uncounted

LONGEST_CURVE = 2000
"""Points of one curve at most."""


def share_interval(count: int, n: int, confidence: str | float = 95, sides: int = 2) -> tuple[float, float]:
    """Return bounds of the share of all cycles that do what `count` of `n` cycles did.

    Parameters
    ----------
    count, n : int
        Cycles that did, and all.
    confidence : str or float
        [%]
    sides : int
        2 for an interval; 1 for two bounds, each of which holds with that confidence by itself.

    Returns
    -------
    low, high : float
        0 <= low <= count / n <= high <= 1.

    Raises
    ------
    ValueError
        If there are no cycles, or `count` is none of them.

    Examples
    --------
    >>> low, high = share_interval(3, 10**6)
    >>> f"{low:.5e} {high:.5e}"
    '6.18673e-07 8.76725e-06'
    """
    from scipy.special import betainccinv, betaincinv

    if not 0 <= count <= n or n < 1:
        raise ValueError(f"{count} of {n} is no share")
    missed = risk(confidence) / sides
    low = float(betaincinv(count, n - count + 1, missed)) if count else 0.0
    if count == n:
        return low, 1.0
    high = -math.expm1(math.log(missed) / n) if count == 0 else float(betainccinv(count + 1, n - count, missed))
    return min(low, count / n), max(high, count / n)


@dataclass(frozen=True, slots=True)
class Exceedance:
    """How often a limit is reached: counted, and what that says of all cycles under the same load.

    Attributes
    ----------
    limit : float
        [unit of the data]
    counted : Bounds
        Observations that reach it; bounds where the limit lies within an interval.
    n : int
        All observations.
    low, high : float
        Two-sided interval of the share of cycles that reach it.
    upper : float
        One-sided upper bound of that share.
    confidence : float
        Of both. [%]
    period : float
        Of the cycles; NaN if unknown. [ns]
    missed : int
        Activations that the tool says it skipped; they are in no count.
    """

    limit: float
    counted: Bounds
    n: int
    low: float
    high: float
    upper: float
    confidence: float
    period: float = math.nan
    missed: int = 0

    def per(self, seconds: float) -> tuple[float, float, float]:
        """Return low, high and upper as expected exceedances in a time; NaN where the period is unknown."""
        cycles = seconds * 1e9 / self.period
        return self.low * cycles, self.high * cycles, self.upper * cycles

    def text(self, limit: str) -> str:
        """Return what may be said, where `limit` is how the limit reads.

        Examples
        --------
        >>> from rtlat.intervals import counted
        >>> print(exceedance(counted([10] * 3000), 50, period=1e6).text("50 us"))
        none of 3000 cycles reached 50 us; with 95 % confidence fewer than 1 in 1001 do (3593 an hour), under the same \
load and if cycles are independent
        """
        if self.counted.high == 0:
            found, share = "none", f"fewer than 1 in {math.floor(1 / self.upper)}"
        else:
            least = "0" if self.low == 0 else f"1 in {1 / self.low:.4g}"
            found, share = self.counted.text(), f"between {least} and 1 in {1 / self.high:.4g}"
        low, high, upper = self.per(3600)
        hourly = f"{upper:.4g}" if self.counted.high == 0 else f"{low:.4g} to {high:.4g}"
        per_hour = "" if math.isnan(upper) else f" ({hourly} an hour)"
        seen = f"{found} of {self.n} cycles reached {limit}; with {number(self.confidence)} % confidence {share} do"
        skipped = f"; {self.missed} activations were missed and are in no count" if self.missed else ""
        return f"{seen}{per_hour}, under the same load and if cycles are independent{skipped}"


def exceedance(
    d: Distribution, limit: float, confidence: str | float = 95, period: float = math.nan
) -> Exceedance | Refusal:
    """Return how often a limit is reached: exact intervals, or why there are none.

    Parameters
    ----------
    d : Distribution
        One series. A summary will do, where its maximum stays below the limit and it counts its observations.
    limit : float
        An observation exceeds it from there on. [unit of the data]
    confidence : str or float
        [%]
    period : float
        Of the series' cycles; without it there is nothing to say per hour. [ns]
    """
    if (refusal := uncounted(d)) is not None:
        return refusal
    count, n = exceedances(d, limit), d.total or 0
    fewest, most = int(count.low), int(count.high)
    low, high = share_interval(fewest, n, confidence)[0], share_interval(most, n, confidence)[1]
    upper = share_interval(most, n, confidence, sides=1)[1]
    return Exceedance(limit, count, n, low, high, upper, float(confidence), period, d.missed or 0)


class Reaching(NamedTuple):
    """A curve of how many observations reach each value: only the values that some reach."""

    value: Array
    surely: Array
    perhaps: Array


def reaching(d: Distribution) -> Reaching:
    """Return every end of an interval, and how many observations surely and perhaps reach it.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> [column.tolist() for column in reaching(counted([0, 10], [10, 20], [90, 7]))]
    [[0.0, 10.0], [97, 7], [97, 7]]
    """
    low, high, n, closed, _ = d.intervals
    values = np.unique(np.concatenate([low, high]))
    values = values[np.isfinite(values)]
    lows, below = d.by_low
    highs, ended, _ = d.by_high
    total = int(n.sum())
    # an open high end is not reached, a closed one is
    at_end = np.zeros(len(values), np.int64)
    reached = closed & np.isfinite(high)
    np.add.at(at_end, np.searchsorted(values, high[reached]), n[reached])
    surely = total - np.append(0, below)[np.searchsorted(lows, values, "left")]
    maybe = total - np.append(0, ended)[np.searchsorted(highs, values, "right")] + at_end
    some = maybe > 0
    return Reaching(values[some], surely[some], maybe[some])


def thinned(falling: Array) -> Array:
    """Return which points of a falling curve to keep: evenly many by share and by its logarithm, and the last.

    Examples
    --------
    >>> len(thinned(np.arange(10_000, 0, -1))) <= LONGEST_CURVE
    True
    """
    if len(falling) <= LONGEST_CURVE:
        return np.arange(len(falling))
    half = LONGEST_CURVE // 2 - 1
    ends = float(falling[0]), float(falling[-1])
    levels = np.concatenate([np.linspace(*ends, half), np.geomspace(*ends, half)])
    kept = np.searchsorted(-falling.astype(np.float64), -levels)
    return np.unique(np.append(np.minimum(kept, len(falling) - 1), [0, len(falling) - 1]))


class Curve(NamedTuple):
    """The share of cycles that reach each value, and the band in which it lies.

    Attributes
    ----------
    value : ndarray
        [unit of the data]
    share_low, share_high : ndarray
        Share of the observations that surely and perhaps reach it.
    low, high : ndarray
        Two-sided interval, for each value by itself, of the share of all cycles.
    """

    value: Array
    share_low: Array
    share_high: Array
    low: Array
    high: Array


def exceedance_curve(d: Distribution, confidence: str | float = 95) -> Curve | Refusal:
    """Return the exceedance curve (CCDF) with the interval of each of its points, for a figure.

    Its band ends where the data do: what lies to the right of the last point has a share below the last `high`.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> curve = exceedance_curve(counted([0, 1], [1, 2], [90, 10]))
    >>> [round(float(end), 4) for end in (curve.share_high[1], curve.low[1], curve.high[1])]
    [0.1, 0.049, 0.1762]
    """
    from scipy.special import betainccinv, betaincinv

    if (refusal := uncounted(d)) is not None:
        return refusal
    value, surely, maybe = reaching(d)
    kept = thinned(maybe)
    value, surely, maybe = value[kept], surely[kept].astype(np.float64), maybe[kept].astype(np.float64)
    half, n = risk(confidence) / 2, float(d.total or 0)
    with np.errstate(invalid="ignore"):
        low = np.where(surely > 0, betaincinv(np.maximum(surely, 1), n - surely + 1, half), 0)
        high = np.where(maybe < n, betainccinv(maybe + 1, np.maximum(n - maybe, 1), half), 1)
    return Curve(value, surely / n, maybe / n, np.minimum(low, surely / n), np.maximum(high, maybe / n))
