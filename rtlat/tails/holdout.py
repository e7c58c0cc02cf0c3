"""A tail put to the test: fitted to the first part of a run, and held against the rest of it.

A level that was estimated from the first part is exceeded in the rest about as often as it says, if the tail model
holds and the run is stationary: how often is binomial [1]_. The estimate is uncertain itself, so the ends of its
interval are held against the rest, not the estimate.

References
----------
.. [1] L. F. Arcaro, K. P. Silva, R. S. de Oliveira and L. Almeida, "Reliability test based on a binomial experiment for
   probabilistic worst-case execution times," IEEE Real-Time Systems Symposium, 2020.
"""

from __future__ import annotations

from dataclasses import dataclass

from rtlat.tails.levels import Level, short
from rtlat.tails.order import Ordered
from rtlat.tails.refusals import Refusal
from rtlat.tails.tail import RefusedTail, tail

_EXPECTED = 10
"""Exceedances that the level is to have in the rest, on average."""

CERTAIN = 0.01
"""Chance at which the tail is contradicted."""


@dataclass(frozen=True, slots=True)
class Holdout:
    """An estimated level of the first part of a run, held against the rest.

    Attributes
    ----------
    level : Level
        What one in `level.cycles` cycles was estimated to exceed.
    cycles : int
        Cycles of the rest.
    expected : float
        Exceedances in them, if the estimate is right.
    over_estimate, over_low, over_high : int
        Counted over the estimate and over both ends of its interval.
    p_more, p_less : float
        Chance of so many over the upper end, and of so few over the lower end, if they were exceeded as often.
    """

    level: Level
    cycles: int
    expected: float
    over_estimate: int
    over_low: int
    over_high: int
    p_more: float
    p_less: float

    @property
    def contradicted(self) -> bool:
        """Whether the rest of the run contradicts the tail of its first part."""
        return min(self.p_more, self.p_less) < CERTAIN / 2

    def text(self, unit: str = "", divisor: float = 1.0) -> str:
        """Return what was expected and what was counted."""
        verdict = "contradicts" if self.contradicted else "does not contradict"
        level = short(self.level.value / divisor) + (f" {unit}" if unit else "")
        return (
            f"the rest of the run {verdict} the tail of its first part: {self.over_estimate} of {self.cycles} cycles "
            f"reach {level}, {self.expected:.1f} were expected (p {2 * min(self.p_more, self.p_less, 0.5):.2g})"
        )


def holdout(order: Ordered, share: float = 0.5, confidence: str | float = 95) -> Holdout | Refusal:
    """Fit the tail to the first part of the samples and hold it against the rest.

    Parameters
    ----------
    order : Ordered
        Samples in their order.
    share : float
        Of the samples that are fitted.
    confidence : str or float
        Of the level's interval. [%]

    Returns
    -------
    Holdout or Refusal
        A refusal where the first part has no tail that can be extrapolated.

    Examples
    --------
    >>> import numpy as np
    >>> from rtlat.tails.order import in_order
    >>> values = np.floor(np.random.default_rng(7).exponential(20, 40_000))
    >>> holdout(in_order(values, values + 1)).contradicted
    False
    >>> values[30_000:] += 60
    >>> holdout(in_order(values, values + 1)).contradicted
    True
    """
    from scipy.special import bdtr, bdtrc

    cut = int(len(order.low) * share)
    if not 0 < cut < len(order.low):
        return Refusal("too few", f"{len(order.low)} samples cannot be parted at {share}")
    first, rest = order.part(0, cut), order.part(cut, len(order.low))
    found = tail(first.distribution(), first, confidence=confidence)
    if isinstance(found, RefusedTail):
        return found.refusal
    cycles = len(rest.low)
    asked = min(cycles / _EXPECTED, 0.99 * 10 * found.n)
    level = found.level(max(asked, 1.01 / found.fit.over.rate))
    if isinstance(level, Refusal):
        return level
    chance = 1 / level.cycles
    over, over_low, over_high = (int((rest.low >= end).sum()) for end in (level.value, level.low, level.high))
    # a sample whose interval holds the end may be either: neither verdict counts it
    perhaps_over_low = int((rest.high > level.low).sum())
    p_more = float(bdtrc(over_high - 1, cycles, chance)) if over_high else 1.0
    p_less = float(bdtr(perhaps_over_low, cycles, chance))
    return Holdout(level, cycles, chance * cycles, over, over_low, over_high, p_more, p_less)
