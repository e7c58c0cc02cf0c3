"""What one run says of a claim on the process that it was measured of.

A claim on a percentile, or on how often a limit is exceeded, is one on the share of all cycles that exceed a limit. The
run supports it where the one-sided upper bound of that share lies below what the claim allows, and refutes it where the
lower bound lies above (C. J. Clopper and E. S. Pearson, Biometrika 26, 1934). A single exceedance refutes ``max <= X``;
none at all can only mean that exceedances are rare, and how rare is then what is decided.
"""

from __future__ import annotations

import math

from rtlat.claiming.assertions import EXCEED, MISSED, PERCENTILE, WORST, Rate
from rtlat.claiming.claims import Claim
from rtlat.claiming.evidence import Counts, bars, exceeding, period_of, skipping, worst_reaches
from rtlat.claiming.findings import REFUTED, SUPPORTED, UNDECIDED, Finding, Needs
from rtlat.comparing.arms import Measured
from rtlat.intervals import Distribution
from rtlat.selection import divisor, shown_unit
from rtlat.statistics import stats
from rtlat.statistics.ranks import fraction, samples_needed
from rtlat.tails.plan import cycles_without, lasting

_SKIPPED = "were skipped"

_LONGEST = 2.0**40
"""How many times as long a run is at most that is asked for."""


def decided(claim: Claim, run: Measured, among: int = 1) -> Finding:
    """Return what a run says of a claim.

    Parameters
    ----------
    claim : Claim
        On the process, and not against a reference.
    run : Measured
        Measured under the claim's conditions.
    among : int
        Runs that are asked, any of which may refute the claim: the chance to do so in error is parted among them.
    """
    about = " ".join(filter(None, (run.run, run.series)))
    if run.says("evidence") == "claim":
        return Finding(about, UNDECIDED, "a claim is no evidence", Needs("a measurement"))
    decide = {PERCENTILE: _percentile, WORST: _worst, EXCEED: _exceed, MISSED: _missed}[claim.assertion.kind]
    outcome, why, needs = decide(claim, run, among)
    if outcome == SUPPORTED and (barred := list(bars(run))):
        why = f"{why}, but the run may only refute, not support: {' and '.join(barred)}"
        return Finding(about, UNDECIDED, why, Needs("a run that ended by itself, with its whole log"))
    return Finding(about, outcome, why, needs)


_Found = tuple[str, str, Needs]


def _limit(claim: Claim) -> float:
    """From where on an observation contradicts the claim."""
    limit = claim.assertion.limit
    if limit is None:
        raise ValueError(f"{claim.text} has no limit")
    return limit.value if claim.assertion.strict else math.nextafter(limit.value, math.inf)


def _beyond(claim: Claim) -> str:
    """A latency that contradicts the claim, in words."""
    text = claim.assertion.limit.text if claim.assertion.limit else ""
    return f"reach {text}" if claim.assertion.strict else f"exceed {text}"


def _event(claim: Claim) -> str:
    """What is counted, in words."""
    return _beyond(claim) if claim.assertion.limit else _SKIPPED


def _percentile(claim: Claim, run: Measured, among: int) -> _Found:
    """By the share of cycles beyond the limit."""
    counts, figure = exceeding(run, _limit(claim)), claim.assertion.figure
    if isinstance(counts, str):
        return UNDECIDED, f"p{figure} is not known: {counts}", Needs("a histogram or samples")
    share = float(1 - fraction(figure))
    needed = samples_needed(figure, claim.confidence) or 0
    observed = stats.percentile(run.d, figure).over(divisor(run.d)).text(shown_unit(run.d))
    outcome, told, needs = _by_share(claim, counts, share, f"p{figure} allows {_one_in(share)}", period_of(run), among)
    if outcome != REFUTED and counts.n < needed * counts.per:
        n = math.ceil(needed * counts.per)
        why = f"{counts.n:,} cycles cannot support p{figure} ({observed}): it takes {n:,}"
        return UNDECIDED, why, _cycles(n, period_of(run))
    return outcome, f"observed p{figure} {observed}; {told}", needs


def _worst(claim: Claim, run: Measured, among: int) -> _Found:
    """One exceedance refutes; without one it is a claim on their rate."""
    d, limit = run.d, _limit(claim)
    surely, maybe = worst_reaches(d, limit)
    worst = f"worst observed {stats.maximum(d).over(divisor(d)).text(shown_unit(d))}"
    if surely:
        return REFUTED, f"{worst} of {_length(d, period_of(run))}{_within(run, limit)}", Needs()
    if maybe:
        return UNDECIDED, f"{worst} leaves open whether it does {_beyond(claim)}", Needs("a finer or a wider histogram")
    counts = exceeding(run, limit)
    if isinstance(counts, str):
        why = f"{worst}, but how rarely the limit is exceeded is not known: {counts}"
        return UNDECIDED, why, Needs("a log that counts its observations")
    # what was skipped was less late than what it waited for
    unseen = Counts(0, 0, d.total or counts.n, counts.per, counts.note)
    outcome, told, needs = _by_rate(claim, unseen, claim.rate, _beyond(claim), period_of(run), among)
    return outcome, f"{worst}; {told}", needs


def _exceed(claim: Claim, run: Measured, among: int) -> _Found:
    """By the rate of exceedances."""
    counts = exceeding(run, _limit(claim))
    if isinstance(counts, str):
        return UNDECIDED, f"how often it does {_beyond(claim)} is not known: {counts}", Needs("a histogram or samples")
    if claim.assertion.rate is None:
        raise ValueError(f"{claim.text} has no rate")
    return _by_rate(claim, counts, claim.assertion.rate, _beyond(claim), period_of(run), among)


def _missed(claim: Claim, run: Measured, among: int) -> _Found:
    """One skipped activation refutes; without one it is a claim on their rate."""
    counts = skipping(run)
    if isinstance(counts, str):
        return UNDECIDED, counts, Needs("a tool that counts overruns, or the period and the duration")
    if counts.fewest:
        return REFUTED, f"{counts.fewest:,} of {counts.n:,} activations were skipped", Needs()
    if counts.most:
        why = f"up to {counts.most:,} of {counts.n:,} activations may have been skipped, as far as the log tells"
        return UNDECIDED, why, Needs("a tool that counts overruns")
    return _by_rate(claim, counts, claim.rate, _SKIPPED, period_of(run), among)


def _by_rate(claim: Claim, counts: Counts, rate: Rate, what: str, period: float, among: int) -> _Found:
    """By the rate of events in time."""
    if not period > 0:
        why = f"{_seen(counts, what)}, but the period is not known, so nothing is said per {rate.per}"
        return UNDECIDED, why, Needs("the period: a run card, or --set period=1ms")
    share = rate.hertz * period / 1e9
    if share >= 1:
        return SUPPORTED, f"{rate} is more than there are cycles", Needs()
    return _by_share(claim, counts, share, f"{rate} is {_one_in(share)}", period, among)


def _by_share(claim: Claim, counts: Counts, share: float, allowed: str, period: float, among: int) -> _Found:
    """By the share of cycles."""
    sure, seen = f"with {claim.confidence} % confidence", _seen(counts, _event(claim))
    length = f" ({lasting(counts.n * period / 1e9)})" if period > 0 else ""
    note = f"; {counts.note}" if counts.note else ""
    least, most = counts.at_least(claim.confidence, among), counts.at_most(claim.confidence)
    if least > share:
        return REFUTED, f"{seen}{length}: {sure} more than {_one_in(least)} do, {allowed}{note}", Needs()
    told = f"{seen}{length}: {sure} fewer than {_one_in(most)} do, {allowed}{note}"
    if most <= share:
        return SUPPORTED, told, Needs()
    return UNDECIDED, told, _needed(claim, counts, share, period, among)


def _needed(claim: Claim, counts: Counts, share: float, period: float, among: int) -> Needs:
    """How many cycles would decide, if they went on like those that were seen."""
    if counts.most == 0:
        n = math.ceil(cycles_without(share, claim.confidence) * counts.per)
        return _cycles(n, period, " without one")
    if counts.fewest < counts.most and counts.fewest <= share * counts.n <= counts.most:
        return Needs("a finer or a wider histogram: the bins leave open how many there were")
    low, high = 1.0, 2.0
    while high < _LONGEST and not _would(claim, counts, share, among, high):
        low, high = high, 2 * high
    if high >= _LONGEST:
        return Needs("more runs: what was observed lies just at the limit")
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (low, middle) if _would(claim, counts, share, among, middle) else (middle, high)
    step = 10 ** max(0, math.floor(math.log10(counts.n * high)) - 1)
    return _cycles(math.ceil(counts.n * high / step) * step, period, " of the same kind")


def _would(claim: Claim, counts: Counts, share: float, among: int, times: float) -> bool:
    """Whether a run so many times as long would decide, should it come out a little less clear."""
    fewest, most = max(0, math.floor(counts.fewest * times) - 1), math.ceil(counts.most * times) + 1
    longer = Counts(fewest, most, round(counts.n * times), counts.per)
    return longer.at_least(claim.confidence, among) > share or longer.at_most(claim.confidence) <= share


def _cycles(n: int, period: float, how: str = "") -> Needs:
    """A number of cycles, and how long they take."""
    seconds = n * period / 1e9
    long = f" ({lasting(seconds, up=True)})" if period > 0 else ""
    return Needs(f"{n:,} cycles{how}{long}", n, seconds)


def _seen(counts: Counts, what: str) -> str:
    """How often something was seen."""
    fewest, most = counts.fewest, counts.most
    many = "none" if not most else f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"
    return f"{many} of {counts.n:,} {'activations' if what == _SKIPPED else 'cycles'} {what}"


def _one_in(share: float) -> str:
    """A share as people say it."""
    return f"1 in {1 / share:,.0f}" if share <= 0.1 else f"{100 * share:.3g} %"


def _length(d: Distribution, period: float) -> str:
    """How much was observed."""
    if not d.total:
        return "an unknown number of cycles"
    return f"{d.total:,} cycles" + (f" ({lasting(d.total * period / 1e9)})" if period > 0 else "")


def _within(run: Measured, limit: float) -> str:
    """Which of several series exceed."""
    beyond = [part.series for part in run.parts if worst_reaches(part, limit)[0]]
    return f", in {', '.join(beyond[:4])}" if len(run.parts) > len(beyond) > 0 else ""
