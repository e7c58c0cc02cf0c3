"""How long to test, both ways round: what a run without an exceedance shows, and what the runs at hand show.

A claim of fewer than one exceedance a day needs, at 95 % confidence, three days without one: with exactly one a day
expected, a run of 2.996 days stays without one in 5 of 100 cases.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from rtlat.errors import UsageError, nearest
from rtlat.intervals import Distribution
from rtlat.statistics.limits import exceedance, share_interval
from rtlat.statistics.ranks import risk
from rtlat.statistics.results import Bounds, number
from rtlat.tails.refusals import Refusal

UNITS_OF_TIME = {
    "second": 1.0,
    "minute": 60.0,
    "hour": 3600.0,
    "day": 86_400.0,
    "week": 604_800.0,
    "year": 31_557_600.0,
}
"""What exceedances are counted in. [s]"""

PER_CYCLES = 1_000_000
"""Cycles in which less than one exceedance is to be shown, where the period is unknown."""

UNKNOWN_PERIOD = "the period is not known, so nothing is said per {per}: give it by a run card or --set period=250us"


@dataclass(frozen=True, slots=True)
class Plan:
    """How long a run must be to show that a limit is rarely reached, and what the run at hand shows.

    Attributes
    ----------
    limit, per : str
        The limit as it was given; the time in which less than one exceedance is to be shown, a key of `UNITS_OF_TIME`.
    confidence : float
        One-sided. [%]
    counted : Bounds
        Exceedances of the run at hand.
    n : int
        Its cycles.
    period : float
        Of the cycles; NaN if unknown: then it is one exceedance in `PER_CYCLES` cycles. [ns]
    needed : int
        Cycles that show it, if none reaches the limit.
    at_most : float
        Fewer exceedances than these in that time, or in `PER_CYCLES` cycles, are shown by the run at hand.
    at_least : float
        As many are shown to happen (one-sided, too); 0 where none was counted.
    missed : int
        Activations that are in no count.
    """

    limit: str
    per: str
    confidence: float
    counted: Bounds
    n: int
    period: float
    needed: int
    at_most: float
    at_least: float
    missed: int = 0

    @property
    def shown(self) -> bool | None:
        """Whether the run at hand shows it; None where it neither shows nor refutes it."""
        return True if self.at_most <= 1 else False if self.at_least >= 1 else None

    @property
    def had(self) -> float:
        """How long the run at hand was in s, by its cycles; NaN where the period is unknown."""
        return self.n * self.period / 1e9

    @property
    def needs(self) -> float:
        """How long a run without an exceedance has to be in s; NaN where the period is unknown."""
        return self.needed * self.period / 1e9

    def text(self) -> str:
        """Return both ways round in one sentence.

        Examples
        --------
        >>> from rtlat.intervals import counted
        >>> print(plan(counted([20_000], n=[19_800_000]), 50_000, "50 us", period=1e6).text())
        to show fewer than one exceedance of 50 us per day with 95 % confidence run 72 h without one; you have 5.5 h \
without one: fewer than 13.1 a day
        """
        sure = number(self.confidence)
        if math.isnan(self.period):
            aim, unit = f"one exceedance of {self.limit} in {PER_CYCLES} cycles", f"in {PER_CYCLES} cycles"
            run, had = f"{self.needed} cycles", f"{self.n} cycles"
        else:
            aim, unit = f"one exceedance of {self.limit} per {self.per}", f"a {self.per}".replace("a hour", "an hour")
            run, had = lasting(self.needs, up=True), lasting(self.had)
        seen = "without one" if self.counted.high == 0 else f"with {self.counted.text()}"
        least = "" if self.at_least == 0 else f" and more than {_figure(self.at_least)}"
        verdict = {True: ", which shows it", False: ", which refutes it", None: ""}[self.shown]
        sentence = (
            f"to show fewer than {aim} with {sure} % confidence run {run} without one; "
            f"you have {had} {seen}: fewer than {_figure(self.at_most)}{least} {unit}{verdict}"
        )
        if self.missed:
            sentence += f"; {self.missed} missed activations are in no count"
        return sentence + (f"; {UNKNOWN_PERIOD.format(per=self.per)}" if math.isnan(self.period) else "")


def plan(
    d: Distribution,
    limit: float,
    shown: str,
    per: str = "day",
    confidence: str | float = 95,
    period: float = math.nan,
) -> Plan | Refusal:
    """Return how long to test, and what the run at hand shows.

    Parameters
    ----------
    d : Distribution
        The run at hand. A summary will do, where its maximum stays below the limit and it counts its observations.
    limit : float
        An observation exceeds it from there on. [unit of the data]
    shown : str
        The limit as it is to be read.
    per : str
        A key of `UNITS_OF_TIME`.
    confidence : str or float
        One-sided. [%]
    period : float
        Of the cycles. [ns]

    Raises
    ------
    UsageError
        If `per` is no unit of time or shorter than the period, or `confidence` is none.
    """
    share = _share(per, period)
    found = exceedance(d, limit, confidence, period)
    if isinstance(found, Refusal):
        return found
    least, _ = share_interval(int(found.counted.low), found.n, confidence, sides=1)
    needed = cycles_without(share, confidence)
    bounds = found.upper / share, least / share
    return Plan(shown, per, float(confidence), found.counted, found.n, period, needed, *bounds, found.missed)


def cycles_without(share: float, confidence: str | float = 95) -> int:
    """Return how many cycles without an exceedance show that less than `share` of all cycles exceed.

    Examples
    --------
    >>> cycles_without(1e-6)
    2995731
    """
    return math.ceil(math.log(risk(confidence)) / math.log1p(-share))


def _share(per: str, period: float) -> float:
    """The share of cycles that is one in a unit of time."""
    if per not in UNITS_OF_TIME:
        raise UsageError(f"per {per}: no unit of time{nearest(per, UNITS_OF_TIME)}")
    if math.isnan(period):
        return 1 / PER_CYCLES
    share = period / (UNITS_OF_TIME[per] * 1e9)
    if not 0 < share < 1:
        raise UsageError(f"per {per}: a cycle of {number(period / 1e9)} s is not shorter than that")
    return share


def _figure(value: float) -> str:
    """Three significant digits."""
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def lasting(seconds: float, up: bool = False) -> str:
    """Return a duration as people say it, in two digits or whole units, cut or rounded up.

    Examples
    --------
    >>> lasting(258_832, up=True), lasting(19_800), lasting(100), lasting(100, up=True), lasting(0.25), lasting(4e8)
    ('72 h', '5.5 h', '1.6 min', '1.7 min', '0.25 s', '12 years')
    """
    units = (("years", 31_557_600, 1), ("days", 86_400, 10), ("h", 3600, 1), ("min", 60, 1), ("s", 1, 0))
    unit, size = next((unit, size) for unit, size, least in units if seconds >= least * size)
    value = seconds / size
    step = 10.0 ** min(0, math.floor(math.log10(value)) - 1) if value > 0 else 1.0
    # what floats make of 5.5 / 0.1 is not cut
    whole = math.ceil(value / step * (1 - 1e-12)) if up else math.floor(value / step * (1 + 1e-12))
    return f"{number(whole * step)} {unit}"
