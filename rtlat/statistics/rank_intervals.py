"""Intervals of percentiles from ranks: exact, whatever the distribution, and read off the counts.

How many of n observations lie below the p-quantile is binomial, so two order statistics bound the quantile with a
known chance ([1]_, section 7.1). Ties, as in bins, make that chance larger, never smaller. The observations are taken
as independent; in bursts the intervals are too narrow.

References
----------
.. [1] H. A. David and H. N. Nagaraja, "Order Statistics," 3rd ed., Wiley, 2003.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass

import numpy as np

from rtlat.intervals import Distribution
from rtlat.statistics.ranks import default_percentiles, fraction, risk, samples_needed
from rtlat.statistics.results import number

NINES = ("90", "99", "99.9", "99.99", "99.999", "99.9999", "99.99999")


@dataclass(frozen=True, slots=True)
class RankInterval:
    """The observations, by rank, between which a percentile of the distribution lies.

    Attributes
    ----------
    lower, upper : int or None
        Ranks from 1; None where no observation bounds the percentile with that confidence.
    coverage : float
        The chance that they enclose it, at least; exact where no two observations are equal.
    """

    lower: int | None
    upper: int | None
    coverage: float


def rank_interval(n: int, percent: str | float, confidence: str | float = 95) -> RankInterval:
    """Return the ranks of the two-sided interval of a percentile of the distribution that n observations came from.

    Raises
    ------
    UsageError
        If `percent` or `confidence` is none.

    Examples
    --------
    >>> rank_interval(60_000, "99.9")
    RankInterval(lower=59924, upper=59956, coverage=0.9615...)
    >>> rank_interval(60_000, "99.999").upper is None
    True
    """
    share, half = fraction(percent), risk(confidence) / 2
    rare = min(share, 1 - share)  # by how many lie above: 1 - 1e-9 has no exact double, 1e-9 nearly has
    least, most, within = _central(n, float(rare), half)
    lower, upper = (n - most, n - least + 1) if share > 0.5 else (least, most + 1)
    return RankInterval(lower if lower > 0 else None, upper if upper <= n else None, within)


def _central(n: int, share: float, half: float) -> tuple[int, int, float]:
    """Between which numbers a binomial count lies but for `half` on either side, and how surely.

    By the incomplete beta function: ``scipy.stats.binom`` says the same, but to import it takes a tenth of a report.
    """
    from scipy.special import betainc, betaincc

    def up_to(count: int) -> float:
        return 1.0 if count >= n else float(betaincc(count + 1, n - count, share)) if count >= 0 else 0.0

    def beyond(count: int) -> float:
        return 0.0 if count >= n else float(betainc(count + 1, n - count, share))

    counts = range(n + 1)
    least = bisect_left(counts, True, key=lambda count: up_to(count) >= half)
    most = bisect_left(counts, True, key=lambda count: beyond(count) <= half)
    return least, most, up_to(most) - up_to(least - 1)


@dataclass(frozen=True, slots=True)
class PercentileInterval:
    """Between what a percentile of the distribution lies, as the observations at two ranks tell.

    Attributes
    ----------
    percent : str
        The percentile. [%]
    low, high : float
        Ends; -inf and inf where no observation bounds it, or the observation is beyond the histogram. [unit]
    ranks : RankInterval or None
        Which observations they are; None if refused.
    confidence : float
        [%]
    reason : str
        Why it is refused, or why an end is missing; empty otherwise.
    """

    percent: str
    low: float
    high: float
    ranks: RankInterval | None
    confidence: float
    reason: str = ""

    def text(self, unit: str = "") -> str:
        """Return the interval as people read it.

        Examples
        --------
        >>> PercentileInterval("99.999", 4.9, math.inf, RankInterval(59998, None, 0.977), 95).text("us")
        'at least 4.9 us, no upper bound at this n'
        """
        unit = f" {unit}" if unit else ""
        if self.ranks is None:
            return "refused"
        low, high = f"{number(self.low)}{unit}", f"{number(self.high)}{unit}"
        missing = "no upper bound at this n" if self.ranks.upper is None else "upper bound beyond the histogram"
        if math.isinf(self.low):
            return f"at most {high}" if math.isfinite(self.high) else "no bound at this n"
        return f"{number(self.low)} to {high}" if math.isfinite(self.high) else f"at least {low}, {missing}"


def percentile_interval(d: Distribution, percent: str | float, confidence: str | float = 95) -> PercentileInterval:
    """Return the interval of a percentile of what the observations were drawn from.

    Where observations are known as intervals, it reaches from the low end of the lower to the high end of the upper.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> d = counted(range(10), range(1, 11), [10] * 10)
    >>> percentile_interval(d, 50).text("us"), percentile_interval(d, 99).text("us")
    ('3 to 7 us', 'at least 9 us, no upper bound at this n')
    """
    asked, sure = str(percent), float(confidence)
    if d.refusal or not d.total:
        return PercentileInterval(
            asked, -math.inf, math.inf, None, sure, d.refusal or "the number of observations is unknown"
        )
    ranks = rank_interval(d.total, percent, confidence)
    lows, up_to_low = d.by_low
    highs, up_to_high, _ = d.by_high
    low = float(lows[np.searchsorted(up_to_low, ranks.lower)]) if ranks.lower else -math.inf
    high = float(highs[np.searchsorted(up_to_high, ranks.upper)]) if ranks.upper else math.inf
    needed = samples_needed(percent, confidence)
    reason = "" if ranks.lower and ranks.upper else f"{d.total} observations, {needed or 'infinitely many'} are needed"
    return PercentileInterval(asked, low, high, ranks, sure, reason)


@dataclass(frozen=True, slots=True)
class Support:
    """What it takes to bound a percentile from both sides.

    Attributes
    ----------
    percent : str
        [%]
    one_sided, two_sided : int
        Observations needed, for an upper bound and for both.
    supported : bool
        Whether there are enough for both.
    """

    percent: str
    one_sided: int
    two_sided: int
    supported: bool


def support_by_nines(n: int, confidence: str | float = 95) -> list[Support]:
    """Return, for each nine, how many observations it takes and whether `n` are enough.

    The nines go to 99.99999, and further where `n` is enough.

    Parameters
    ----------
    n : int
        Observations.
    confidence : str or float
        [%]

    Examples
    --------
    >>> [(row.percent, row.two_sided, row.supported) for row in support_by_nines(60_000)][2:5]
    [('99.9', 3688, True), ('99.99', 36887, True), ('99.999', 368887, False)]
    """
    nines = dict.fromkeys([*NINES, *(percent for percent in default_percentiles(n) if percent != "50")])
    table = []
    for percent in nines:
        one, two = (samples_needed(percent, confidence, sides) or 0 for sides in (1, 2))
        table.append(Support(percent, one, two, n >= two))
    return table
