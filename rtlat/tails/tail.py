"""The tail of a run beyond what was observed: estimated levels with intervals, or a refusal with the reason.

An estimated level is one that a single cycle of many exceeds, if the tail goes on as the generalised Pareto
distribution fitted to the largest observations, under the measured load. It is never a bound: what did not happen
during the measurement is in no estimate, and the observed maximum is a lower bound of what can happen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from rtlat.intervals import Array, Distribution
from rtlat.statistics.results import number
from rtlat.tails.goodness import SecondMode, second_mode
from rtlat.tails.levels import INTERVAL_REACH, NUMBER_REACH, STANDING, Level, Levels, short, shown
from rtlat.tails.order import CLUSTERED, Dependence, Ordered, dependence
from rtlat.tails.pareto import ParetoFit, Region, level
from rtlat.tails.refusals import Refusal, uncounted
from rtlat.tails.threshold import MODE, Choice, choose, found_mode

LARGEST = 0.01
"""Chance at which the largest observation is no longer believed to be of the fitted tail."""

WIDEST_SHAPE, HEAVIEST_SHAPE = 1.0, 1.0
"""Interval of the shape, and its upper end, from which a tail is too uncertain to be extrapolated."""


@dataclass(frozen=True, eq=False)
class Tail:
    """A tail that can be extrapolated.

    Attributes
    ----------
    d : Distribution
        What it is the tail of.
    choice : Choice
        The thresholds that were tried; the chosen one is `fit.over.threshold`.
    fit : ParetoFit
        The tail above the threshold.
    region : Region
        Parameters that the data do not contradict.
    mode : SecondMode or None
        The strongest sign of a second mode, if one could be looked for.
    order : Dependence or None
        What the order of the samples tells; None where the log keeps none.
    flags : tuple of str
        What was found against the tail, without being enough to refuse it.
    assumptions : tuple of str
        What could not be checked.
    """

    d: Distribution
    choice: Choice
    fit: ParetoFit
    region: Region
    mode: SecondMode | None
    order: Dependence | None
    flags: tuple[str, ...]
    assumptions: tuple[str, ...]

    @property
    def n(self) -> int:
        """All observations."""
        return self.fit.over.total

    @property
    def shape(self) -> tuple[float, float, float]:
        """The shape and its profile-likelihood interval."""
        return self.fit.shape, float(self.region.shape.min()), float(self.region.shape.max())

    def level(self, cycles: float) -> Level | Refusal:
        """Return the level that one in so many cycles exceeds, or why it cannot be told.

        Up to 10 times the data it is a number with an interval, up to 100 times an interval only.
        """
        if not cycles * self.fit.over.rate > 1:
            start = f"{self.fit.over.count} of {self.n} cycles reach the threshold"
            return Refusal("within the data", f"one in {short(cycles)} cycles: {start}")
        if cycles > INTERVAL_REACH * self.n * (1 + 1e-9):
            return Refusal(
                "beyond the data",
                f"one in {short(cycles)} cycles is {cycles / self.n:.0f} times the {self.n} measured",
            )
        found = self._levels(np.array([float(cycles)]))
        value, low, high = (float(part[0]) for part in found[1:])
        return Level(float(cycles), value, low, high, self.region.confidence)

    def levels(self, points: int = 60) -> Levels:
        """Return the return-level curve."""
        first = 1.01 / self.fit.over.rate
        return self._levels(np.geomspace(first, INTERVAL_REACH * self.n, points))

    def _levels(self, cycles: Array) -> Levels:
        """Levels with intervals."""
        u, region = self.fit.over.threshold, self.region
        value = level(u, np.asarray(self.fit.over.rate), np.asarray(self.fit.scale), np.asarray(self.fit.shape), cycles)
        around = level(u, region.rate[:, None], region.scale[:, None], region.shape[:, None], cycles)
        value = np.where(cycles > NUMBER_REACH * self.n * (1 + 1e-9), np.nan, value)
        return Levels(cycles, value, around.min(axis=0), around.max(axis=0))

    def text(self) -> str:
        """Return what was fitted and what is against it, in a few lines."""
        fit, (shape, low, high) = self.fit, self.shape
        sure = number(self.region.confidence)
        lines = [
            f"{fit.over.count} of {self.n} cycles reach {shown(self.d, fit.over.threshold)}; above it scale "
            f"{shown(self.d, fit.scale)}, shape {shape:.2f} ({sure} % interval {low:.2f} to {high:.2f})"
        ]
        test = self.choice.chosen.test if self.choice.chosen else None
        if test:
            lines.append(f"fits with p {test.p:.2g}; {self.choice.rejected} lower thresholds are rejected")
        lines += [f"flag: {flag}" for flag in self.flags]
        lines += [f"not checked: {assumption}" for assumption in self.assumptions]
        return "\n".join([*lines, STANDING])


@dataclass(frozen=True, eq=False)
class RefusedTail:
    """A tail that cannot be extrapolated.

    Attributes
    ----------
    d : Distribution
        What it is the tail of.
    choice : Choice or None
        The thresholds that were tried, if any: for the diagnostics.
    refusal : Refusal
        Why, and what would help.
    """

    d: Distribution
    choice: Choice | None
    refusal: Refusal

    def text(self) -> str:
        """Return why, and what would help."""
        return self.refusal.text()


def tail(
    d: Distribution, order: Ordered | None = None, threshold: float | None = None, confidence: str | float = 95
) -> Tail | RefusedTail:
    """Fit the tail of a distribution, or say why it cannot be extrapolated.

    Parameters
    ----------
    d : Distribution
        One series.
    order : Ordered, optional
        Its samples in their order, where the log keeps it.
    threshold : float, optional
        Where the tail begins; chosen by goodness of fit unless given. [unit of the data]
    confidence : str or float
        Of all intervals. [%]

    Raises
    ------
    UsageError
        If `threshold` lies within a bin.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> edge = np.arange(150.0)  # bins of 1 with an exponential tail of scale 10
    >>> expected = 50_000 * (np.exp(-edge / 10) - np.exp(-(edge + 1) / 10))
    >>> found = tail(counted(edge, edge + 1, np.round(expected).astype(int)))
    >>> found.level(400_000).text("us")  # 10 log(400,000) = 129
    'estimated level 117 us (95 % interval 105 to 135 us)'
    >>> tail(counted([5, 6], [6, 7], [90, 10])).text()
    'refused: 100 observations, 1000 are needed to have 50 in the highest twentieth; run longer, or pool the runs of \
one configuration'
    """
    if (refusal := _unfit(d)) is not None:
        return RefusedTail(d, None, refusal)
    d, left_out = _without_unseen(d)
    choice = choose(d, threshold)
    if choice.chosen is None:
        return RefusedTail(d, choice, choice.refusal or Refusal("misfit", "no threshold is accepted"))
    fit = choice.chosen.fit
    if not fit.regular:
        return RefusedTail(d, choice, Refusal("uncertain", "the likelihood of the tail has no regular maximum"))
    region = fit.region(confidence)
    found = dependence(order, fit.over.threshold) if order is not None else None
    for refusal in (_dependent(found), _uncertain(region)):
        if refusal is not None:
            return RefusedTail(d, choice, refusal)
    flags = _flags(d, choice, found)
    unchecked = [] if found else ["the log keeps no order, so neither independence nor stationarity can be checked"]
    if left_out:
        unchecked.append(f"{left_out} observations that are only counted are left out")
    return Tail(d, choice, fit, region, choice.chosen.mode, found, tuple(flags), tuple(unchecked))


def _unfit(d: Distribution) -> Refusal | None:
    """Why a distribution has no tail to fit."""
    if (refusal := uncounted(d)) is not None:
        return refusal
    if "summary" in d.kind:
        return Refusal("summary only", "only a minimum, an average and a maximum are known")
    if "window" in d.kind:
        return Refusal("windows only", "only the extremes of windows are known")
    if d.status == "partial":
        return Refusal("incomplete", "the histogram's end is missing")
    if d.unit == "unknown":
        return Refusal("unit unknown", "the unit of the numbers is unknown")
    return None


def _without_unseen(d: Distribution) -> tuple[Distribution, int]:
    """Without observations that a tool counted, but did not show: they may lie anywhere."""
    low, high, n, _, _ = d.intervals
    anywhere = (low == low.min()) & (high == high.max()) & (low < high)
    if d.status != "bounds" or anywhere.all():
        return d, 0
    unseen = int(n[anywhere].sum())
    return replace(d, intervals=d.intervals.where(~anywhere), total=(d.total or 0) - unseen, status="ok"), unseen


def _dependent(found: Dependence | None) -> Refusal | None:
    """Refuse bursts and drift."""
    if found and found.extremal_index < CLUSTERED:
        return Refusal("bursts", f"exceedances come in bursts: {found.text()}")
    if found and found.drifts:
        return Refusal("drift", f"the rate of exceedances changes during the run: {found.text()}")
    return None


def _uncertain(region: Region) -> Refusal | None:
    """Refuse a shape that is hardly known."""
    low, high = float(region.shape.min()), float(region.shape.max())
    if high - low > WIDEST_SHAPE or high >= HEAVIEST_SHAPE:
        return Refusal("uncertain", f"the shape may be anything between {low:.2f} and {high:.2f}")
    return None


def _unlike_the_largest(d: Distribution, fit: ParetoFit) -> str:
    """Whether the largest observation is not what the fit expects: how many lie beyond it is exponential."""
    low, high = float(fit.over.low.max()), float(fit.over.high.max())
    if math.isinf(high):
        return ""
    least, most = (fit.over.count * float(fit.share_above(np.asarray(end))) for end in (high, low))
    largest = f"the largest observation is {shown(d, fit.over.threshold + low)}"
    if math.exp(-least) < LARGEST:
        return (
            f"{largest}, where the fit expects {least:.1f} beyond it (p {math.exp(-least):.2g}): the tail may end there"
        )
    if -math.expm1(-most) < LARGEST:
        return f"{largest}, far beyond what the fit expects (p {-math.expm1(-most):.2g}): it may be of another kind"
    return ""


def _flags(d: Distribution, choice: Choice, found: Dependence | None) -> list[str]:
    """What was found against a tail, without being enough to refuse it."""
    flags = []
    if found and found.bursts:
        flags.append(f"exceedances are not independent, so intervals are too narrow: {found.text()}")
    if choice.chosen and (unlike := _unlike_the_largest(d, choice.chosen.fit)):
        flags.append(unlike)
    if choice.rejected:
        lowest = choice.candidates[0]
        mode = lowest.mode or second_mode(lowest.fit)
        if mode and mode.p <= MODE and mode.local:
            flags.append(f"above the lowest threshold there is {found_mode(d, lowest.threshold, mode)}")
    return flags
