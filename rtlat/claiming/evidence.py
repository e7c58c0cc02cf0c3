"""What one run can testify: how many of its cycles exceed a limit, and why it may refute a claim but not support one.

Where the log keeps the order of cycles and exceedances come in bursts, the cycles of a burst count as one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rtlat.comparing.arms import Measured
from rtlat.comparing.per_second import per_second
from rtlat.deadlines.deadline import missing
from rtlat.display.look import stated
from rtlat.intervals import Distribution
from rtlat.statistics.limits import share_interval
from rtlat.statistics.repeats import overdispersion
from rtlat.statistics.results import Bounds, number
from rtlat.statistics.stats import exceedances
from rtlat.tails.order import CERTAIN
from rtlat.tails.plans import mean_period

FEWEST, TELLING = 5, 50
"""Exceedances from which on their spread over the seconds of a run tells of bursts, and tells well."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Events among the cycles of one run.

    Attributes
    ----------
    fewest, most : int
        Between what their number lies; `most` is n where it is open.
    n : int
        Cycles.
    per : float
        Cycles that stand for an independent one, as far as their order tells: 1, or more in bursts.
    note : str
        What bursts were found, if any.
    """

    fewest: int
    most: int
    n: int
    per: float = 1.0
    note: str = ""

    def at_most(self, confidence: str) -> float:
        """Return the one-sided upper bound of the share of all cycles; where there are bursts, one more is allowed."""
        most = math.ceil(self.most / self.per) + (self.per > 1)
        return share_interval(min(most, self._n), self._n, confidence, sides=1)[1]

    def at_least(self, confidence: str, among: int = 1) -> float:
        """Return the one-sided lower bound of the share of all cycles; the chance to err is parted `among` runs."""
        return share_interval(math.floor(self.fewest / self.per), self._n, confidence, sides=among)[0]

    @property
    def _n(self) -> int:
        """Independent cycles."""
        return max(1, math.floor(self.n / self.per))


def exceeding(run: Measured, limit: float) -> Counts | str:
    """Return how many cycles of a run reach a limit, or why that is not known.

    An activation that the tool skipped while it was late may have exceeded it, too.

    Parameters
    ----------
    run : Measured
        With its observations in their order, where the log keeps it.
    limit : float
        [unit of the data]
    """
    d = run.d
    if d.refusal or not d.total:
        return d.refusal or "the number of its observations is unknown"
    found, lost = exceedances(d, limit), int(lost_activations(run).low)
    most = min(d.total, int(found.high)) + lost if math.isfinite(found.high) else d.total + lost
    return Counts(int(found.low), most, d.total + lost, *_in_bursts(run, limit))


def skipping(run: Measured) -> Counts | str:
    """Return how many activations of a run were skipped, or why that is not known."""
    if run.d.refusal or not run.d.total:
        return run.d.refusal or "the number of its observations is unknown"
    lost = lost_activations(run)
    if math.isinf(lost.high):
        return lost.reason or "how many activations were skipped is not known"
    return Counts(int(lost.low), int(lost.high), run.d.total + int(lost.low))


def lost_activations(run: Measured) -> Bounds:
    """Return how many activations were due and not recorded; open, with the reason, where that is not known."""
    found = [missing(one.distribution, one.course, one.pace) for one in run.told]
    untold = [one for one in found if isinstance(one, str)]
    if untold or not found:
        return Bounds(0, math.inf, "bounds", reason=untold[0] if untold else None)
    lows, highs = zip(*((one[0].low, one[0].high) for one in found if not isinstance(one, str)), strict=True)
    return Bounds(sum(lows), sum(highs), "bounds")


def worst_reaches(d: Distribution, limit: float) -> tuple[bool, bool]:
    """Return whether an observation of any kind of row surely reaches a limit, and whether one may."""
    counted = exceedances(d, limit)
    known = counted.status != "refused"
    surely = d.maximum[0] >= limit or (known and counted.low > 0)
    maybe = d.maximum[1] > limit or d.maximum == (limit, limit) or (known and counted.high > 0)
    return surely, surely or maybe


def _in_bursts(run: Measured, limit: float) -> tuple[float, str]:
    """For how many cycles an independent one stands, and what was found; exceedances of a lower limit tell, too."""
    low, _, n, _, _ = run.d.intervals
    order = np.argsort(-low, kind="stable")
    place = int(np.searchsorted(np.cumsum(n[order]), TELLING))
    lower = float(low[order][min(place, len(low) - 1)])
    per = max(_dispersion(run, at) for at in {limit, min(limit, lower)})
    return per, f"they come in bursts: {number(float(f'{per:.2g}'))} cycles count as one" if per > 1 else ""


def _dispersion(run: Measured, limit: float) -> float:
    """By how much exceedances vary more from second to second than independent ones, 1 where that is not sure."""
    from scipy.special import chdtrc

    counted = per_second(run.told, limit) if run.told else None
    if counted is None or counted.events.sum() < FEWEST:
        return 1.0
    expected = counted.exposure * (counted.events.sum() / counted.exposure.sum())
    squares = float(((counted.events - expected) ** 2 / expected).sum())
    if chdtrc(len(expected) - 1, squares) >= CERTAIN:
        return 1.0
    return overdispersion((counted.events, counted.exposure))


def period_of(run: Measured) -> float:
    """Return the time per cycle of a run in ns, NaN if it is not known: a rate is that of one thread."""
    return mean_period([(one.distribution, one.pace.period * 1e9) for one in run.told])


def bars(run: Measured) -> Iterator[str]:
    """Yield why a run cannot support a claim, though it may refute one."""
    ends = {stated(run.facts.get("ended"))} | {one.group.facts.ended for one in run.told}
    if "cut" in ends:
        yield "its log is cut"
    if "stopped at threshold" in ends:
        yield "it was stopped at a threshold"
    if run.d.status == "partial":
        yield "only a part of its histogram is known"
    if run.says("rejected") not in ("", "0"):
        yield f"{run.says('rejected')} lines of its log that should be data cannot be read"
    if run.says("evidence") == "prose":
        yield "only prose tells of it"
