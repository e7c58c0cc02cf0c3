"""Where the tail begins: the threshold chosen by goodness of fit.

Candidates are tested from the lowest upwards. ForwardStop [1]_ decides how many of the first to reject, which keeps
the expected share of thresholds rejected wrongly below a level; the next one is chosen [2]_. The tests of [2]_ are
for continuous data and reject printed microseconds, therefore the grouped test of `rtlat.goodness`.

References
----------
.. [1] M. G. G'Sell, S. Wager, A. Chouldechova and R. Tibshirani, "Sequential selection procedures and false
   discovery rate control," Journal of the Royal Statistical Society B, vol. 78, no. 2, 2016.
.. [2] B. Bader, J. Yan and X. Zhang, "Automated threshold selection for extreme value analysis via ordered
   goodness-of-fit tests with adjustment for false discovery rate," Annals of Applied Statistics, vol. 12, no. 1, 2018.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rtlat.errors import UsageError
from rtlat.intervals import Distribution, Intervals, sum_of
from rtlat.tails.excesses import Excesses, excesses, gridded
from rtlat.tails.goodness import GroupedTest, SecondMode, goodness_of_fit, second_mode
from rtlat.tails.levels import shown
from rtlat.tails.pareto import ParetoFit, fit_pareto
from rtlat.tails.refusals import Refusal

FEWEST, MOST, SHARE = 50, 2000, 20
"""Exceedances of a candidate: 50 at least, 2000 or one in 20 observations at most."""

CANDIDATES = 12
"""Thresholds that are tried."""

DISTINCT = 10
"""Bins that the tail must be spread over."""

OVERFLOW = 0.1
"""Share of the exceedances that may lie beyond the histogram's last bin."""

LEVEL = 0.05
"""Expected share of thresholds rejected wrongly."""

MODE = 0.05
"""Chance of a sign of a second mode, in a tail that has none, at which it is taken for one."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A threshold that was tried.

    Attributes
    ----------
    threshold : float
        [unit of the data]
    fit : ParetoFit
        The tail above it.
    test : GroupedTest
        Whether the tail is as fitted.
    mode : SecondMode or None
        The strongest sign of a second mode; None where it was not looked for.
    """

    threshold: float
    fit: ParetoFit
    test: GroupedTest
    mode: SecondMode | None = None


@dataclass(frozen=True, eq=False)
class Choice:
    """The thresholds that were tried, from the lowest upwards.

    Attributes
    ----------
    candidates : tuple of Candidate
    rejected : int
        How many of the first are rejected; all of them where no threshold is accepted.
    refusal : Refusal or None
        Why none could be tried, or none is accepted.
    """

    candidates: tuple[Candidate, ...]
    rejected: int
    refusal: Refusal | None = None

    @property
    def chosen(self) -> Candidate | None:
        """The lowest threshold that is not rejected."""
        return None if self.refusal else self.candidates[self.rejected]


def choose(d: Distribution, threshold: float | None = None) -> Choice:
    """Choose the threshold of a distribution.

    Parameters
    ----------
    d : Distribution
        Bins or samples.
    threshold : float, optional
        Try this one only; it must stand at the edge of a bin. [unit of the data]

    Raises
    ------
    UsageError
        If `threshold` lies within a bin, or nothing reaches it.
    """
    tried = _one(d, threshold) if threshold is not None else _several(d)
    if isinstance(tried, Refusal):
        return Choice((), 0, tried)
    fits = _fits(tried)
    if isinstance(fits, Refusal):
        return Choice((), 0, fits)
    tested = tuple(Candidate(fit.over.threshold, fit, goodness_of_fit(fit)) for fit in fits)
    candidates = tuple(candidate for candidate in tested if candidate.test.freedom)
    if not candidates:
        return Choice(tested, len(tested), Refusal("discrete", "the tail has too few bins to test a fit"))
    return _accepted(d, candidates, forward_stop([candidate.test.p for candidate in candidates]))


def _one(d: Distribution, threshold: float) -> list[Excesses] | Refusal:
    """The excesses over one threshold."""
    try:
        over = excesses(gridded(d.intervals), threshold)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if over.count < FEWEST:
        reason = f"{over.count} of {d.total} observations reach the threshold, {FEWEST} are needed"
        return Refusal("too few", reason)
    return [over]


def _several(d: Distribution) -> list[Excesses] | Refusal:
    """The excesses over all thresholds that may be tried."""
    upper, total = upper_tail(d), d.total or 0
    tried = [excesses(upper, edge, total) for edge in edges(upper, total)]
    if tried:
        return tried
    if total < FEWEST * SHARE:
        reason = f"{total} observations, {FEWEST * SHARE} are needed to have {FEWEST} in the highest twentieth"
        return Refusal("too few", reason)
    beyond = sum_of(upper.n[upper.beyond])
    if beyond > FEWEST:
        return Refusal("overflow", f"{beyond} of {total} observations lie beyond the histogram's last bin")
    return Refusal("discrete", f"no edge of a bin has {FEWEST} to {min(MOST, total // SHARE)} exceedances")


def _fits(tried: Sequence[Excesses]) -> list[ParetoFit] | Refusal:
    """The fits to those excesses that are spread over enough bins."""
    lowest = tried[0]
    if lowest.beyond > OVERFLOW * lowest.count:
        reason = f"{lowest.beyond} of {lowest.count} exceedances lie beyond the histogram's last bin"
        return Refusal("overflow", reason)
    within = [over for over in tried if over.beyond <= OVERFLOW * over.count]
    spread = [over for over in within if len(np.unique(over.low)) >= DISTINCT]
    if not spread:
        bins = len(np.unique(lowest.low))
        return Refusal("discrete", f"the tail has {bins} distinct values, {DISTINCT} are needed")
    fits = [fit_pareto(over) for over in spread]
    fine = [fit for fit in fits if fit.scale >= fit.over.step]
    if not fine:
        scale = fits[0].scale / fits[0].over.step
        return Refusal("discrete", f"the tail's scale is {scale:.2g} bins, one is needed")
    return fine


def _accepted(d: Distribution, candidates: tuple[Candidate, ...], rejected: int) -> Choice:
    """The first of the remaining candidates whose tail has no second mode; one that is bent as a whole is rejected."""
    for place in range(rejected, len(candidates)):
        mode = second_mode(candidates[place].fit)
        candidates = (*candidates[:place], replace(candidates[place], mode=mode), *candidates[place + 1 :])
        if mode is None or mode.p > MODE:
            return Choice(candidates, place)
        if mode.local:
            return Choice(candidates, place, Refusal("second mode", found_mode(d, candidates[place].threshold, mode)))
    return Choice(candidates, len(candidates), Refusal("misfit", _misfit(d, candidates)))


def found_mode(d: Distribution, threshold: float, mode: SecondMode) -> str:
    """Return where a second mode is and how strong it is, in words."""
    low = shown(d, threshold + mode.low)
    place = f"from {low} on" if math.isinf(mode.high) else f"between {low} and {shown(d, threshold + mode.high)}"
    found = f"{mode.observed:.0f} observations where {mode.expected:.1f} are expected"
    return f"a second mode {place}: {found} (p {mode.p:.2g})"


def _misfit(d: Distribution, candidates: Sequence[Candidate]) -> str:
    """What is wrong with every threshold."""
    ps = [candidate.test.p for candidate in candidates]
    counts = f"{candidates[0].fit.over.count} to {candidates[-1].fit.over.count}"
    reason = f"every threshold is rejected ({len(candidates)}, with {counts} exceedances; p at most {max(ps):.2g})"
    shapes = [candidate.fit.shape for candidate in candidates]
    if min(shapes) < 0 < max(shapes):
        reason += f", the shape changes from {min(shapes):.2f} to {max(shapes):.2f} with the threshold"
    mode = second_mode(candidates[0].fit)
    if mode and mode.p <= MODE and mode.local:
        reason += f"; {found_mode(d, candidates[0].threshold, mode)}"
    return reason


def forward_stop(ps: Sequence[float], level: float = LEVEL) -> int:
    """Return how many of the first hypotheses to reject.

    The largest k for which the mean of -log(1 - p) over the first k is at most the level.

    Examples
    --------
    >>> forward_stop([0.001, 0.01, 0.6, 0.4]), forward_stop([0.2, 0.001, 0.001]), forward_stop([0.02, 0.03])
    (2, 0, 2)
    """
    with np.errstate(divide="ignore"):
        means = np.cumsum(-np.log1p(-np.asarray(ps))) / np.arange(1, len(ps) + 1)
    accepted = np.flatnonzero(means <= level)
    return int(accepted[-1]) + 1 if len(accepted) else 0


def edges(intervals: Intervals, total: int) -> list[float]:
    """Return at most `CANDIDATES` thresholds, from the lowest upwards: edges that cut no interval apart.

    They are spread evenly by the logarithm of their exceedances.
    """
    order = np.argsort(intervals.low, kind="stable")
    low, n = intervals.low[order], intervals.n[order]
    reach = np.append(-math.inf, np.maximum.accumulate(intervals.high[order])[:-1])
    above = np.cumsum(n[::-1])[::-1]
    fitting = (
        (above >= FEWEST)
        & (above <= min(MOST, total // SHARE))
        & (low >= reach)
        & (low > np.append(-math.inf, low[:-1]))
    )
    if not fitting.any():
        return []
    # a sample is no edge: the threshold stands between it and the one below
    samples = bool((intervals.low == intervals.high).all())
    at = np.where(np.isfinite(reach), (low + reach) / 2, low)[fitting] if samples else low[fitting]
    above = above[fitting]
    if len(at) > CANDIDATES:
        wanted = np.geomspace(above[0], above[-1], CANDIDATES)
        nearest = {int(np.argmin(np.abs(above - count))) for count in wanted}
        at = at[sorted(nearest)]
    return [float(edge) for edge in at]


def upper_tail(d: Distribution) -> Intervals:
    """Return the observations that a candidate may need, samples that repeat as bins."""
    low, n = d.intervals.low, d.intervals.n
    order = np.argsort(-low, kind="stable")
    place = int(np.searchsorted(np.cumsum(n[order]), MOST, "right")) + 2  # and what the lowest threshold stands above
    least = low[order][min(place, len(order) - 1)]
    return gridded(d.intervals.where(low >= least))
