"""What stands out in the course of time, in sentences, and nothing that chance explains.

Each question put to the data (is there a period, a burst, a change of rate, a step, a drift, do two series fire
together, does one own the tail) has a bound of the probability that noise answers it as well. With many logs there
are many questions: a finding counts only if that probability, times the number of all questions, is below 1 %.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rtlat.display.look import duration
from rtlat.pooling import pool
from rtlat.selection import divisor, shown_unit
from rtlat.statistics import stats
from rtlat.statistics.results import number
from rtlat.timeline import arrivals, shifts, timeline
from rtlat.timeline.combs import Comb, binomial_tail, comb
from rtlat.timeline.course import PLACED, Course, Told
from rtlat.timeline.timeline import Outliers

ALPHA = 0.01
"""Probability that noise makes any finding at all, over all questions put to a recording."""

OWNED = 2.0
"""How many times its fair share of the tail a series must have to be said to own it."""

_PAIRS = 24
"""Series of a run that are compared with each other; those with most outliers."""


@dataclass(frozen=True)
class Finding:
    """A sentence, and how likely it is by chance.

    Attributes
    ----------
    what : str
        period, burst, rate, step, drift, together, owner.
    run, series, text : str
        What it is about, and the sentence.
    log_p : float
        Bound of the log probability that noise answers this one question so.
    """

    what: str
    run: str
    series: str
    text: str
    log_p: float


Asked = Iterator[Finding | None]


def findings(tolds: Sequence[Told], alpha: float = ALPHA) -> tuple[list[Finding], int]:
    """Return what stands out, the least probable first, and how many questions were asked.

    Parameters
    ----------
    tolds : sequence of Told
        As `rtlat.timeline.course.told` gives them.
    alpha : float
        Probability that noise makes any finding at all.
    """
    asked = list(_all(tolds))
    threshold = math.log(alpha / max(1, len(asked)))
    found = [finding for finding in asked if finding and finding.log_p < threshold]
    best: dict[tuple[str, str, str], Finding] = {}
    for finding in sorted(found, key=lambda finding: finding.log_p):
        best.setdefault((finding.what, finding.run, finding.series), finding)  # of several levels, the clearest
    return list(best.values()), len(asked)


def _all(tolds: Sequence[Told]) -> Asked:
    """Every question there is, None where the answer is no."""
    for told in tolds:
        if not isinstance(told.course, str):
            yield from _of_events(told, told.course)
            yield from _of_levels(told, told.course)
    for _, several in _runs(tolds).items():
        yield from _of_pairs(several)
        yield from _of_owners(several)


def _runs(tolds: Sequence[Told]) -> dict[tuple[str, str, str], list[Told]]:
    """The series of each run, by run, quantity and unit."""
    runs: dict[tuple[str, str, str], list[Told]] = {}
    for told in tolds:
        d = told.distribution
        runs.setdefault((d.run, d.quantity, d.unit), []).append(told)
    return runs


def _finding(what: str, told: Told, text: str, log_p: float) -> Finding:
    return Finding(what, told.group.run, told.group.series, text, log_p)


def _when(course: Course, value: float, nearby: float = math.inf) -> str:
    """A time, or a number of observations where times are not known."""
    if course.basis == PLACED:
        return f"{value:.0f} {course.unit}"
    return duration(value) if not nearby < value / 1000 else f"{value:.6g} s"


def _at(course: Course, value: float) -> str:
    """A place in the course."""
    if course.basis == PLACED:
        return f"{value:.0f} of {_when(course, course.end)}"
    return f"{_when(course, value)} of {_when(course, course.end)}"


def _level(told: Told, found: Outliers) -> str:
    """From where on an observation is an outlier."""
    if math.isinf(found.from_value):
        return "beyond the histogram"
    return f"{_figure(found.from_value / divisor(told.distribution))} {shown_unit(told.distribution)} and more"


def _figure(value: float) -> str:
    """A latency in at most four digits, whole numbers in full."""
    return number(round(value, max(0, 3 - math.floor(math.log10(abs(value) or 1)))))


def _of_events(told: Told, course: Course) -> Asked:
    """Whether outliers are periodic, in bursts, or change their rate."""
    for found in timeline.outliers(course):
        first = arrivals.episodes(found.times, course.grain)
        noun = "outliers" if len(first) == len(found.times) else "bursts of outliers"
        period = comb(first, found.end, course.grain)
        text = _periodic(told, course, found, period, noun) if period else ""
        yield _finding("period", told, text, period.log_p) if period else None
        group = arrivals.burst(found.times, found.end, course.grain)
        yield _finding("burst", told, _bursting(told, course, found, group), group.log_p) if group else None
        change = arrivals.rate_change(first, found.end)
        text = _rate(told, course, found, change, noun) if change else ""
        yield _finding("rate", told, text, change.log_p) if change else None


def _bursting(told: Told, course: Course, found: Outliers, group: arrivals.Burst) -> str:
    """The sentence of a burst."""
    within, at = _when(course, group.length + course.grain), _when(course, group.start, group.length)
    return (
        f"{group.events} of {group.of} outliers on {told.place} ({_level(told, found)}) came within {within}, at {at}"
    )


def _periodic(told: Told, course: Course, found: Outliers, period: Comb, noun: str) -> str:
    """The sentence of a period."""
    scale, unit = (1.0, course.unit) if course.basis == PLACED else (1, "s") if period.period >= 1 else (1e3, "ms")
    tolerance = max(period.tolerance, course.grain / 2) * scale
    digits = max(0, math.ceil(-math.log10(tolerance)))
    apart = f"{period.period * scale:.{digits}f} {unit}"
    within = f"{math.ceil(tolerance * 10**digits * (1 - 1e-9)) / 10**digits:.{digits}f} {unit}"
    how = f"are {apart} apart" if period.adjacent else f"are multiples of {apart} apart"
    late = f"; skipped activations make it up to {duration(course.lag)} more over the run" if course.lag else ""
    return (
        f"{period.hits} of {period.events} {noun} on {told.place} {how}, within {within} ({_level(told, found)}{late})"
    )


def _rate(told: Told, course: Course, found: Outliers, change: arrivals.RateChange, noun: str) -> str:
    """The sentence of a rate that changes."""
    more = change.after > change.before
    times = (change.after, change.before) if more else (change.before, change.after)
    ratio = f"{times[0] / times[1]:.3g} times as {'often' if more else 'rarely'}" if times[1] else "only"
    until = f"from {_at(course, change.time)} on"
    if not times[1] and not more:
        ratio, until = "only", f"up to {_at(course, change.time)}"
    return f"{noun} on {told.place} ({_level(told, found)}) come {ratio} {until}"


def _of_levels(told: Told, course: Course) -> Asked:
    """Whether the average and the maximum of blocks stay."""
    if course.kind == "over":
        return
    blocks = timeline.blocks([course])
    scale, unit = divisor(told.distribution), shown_unit(told.distribution)
    for name, word in (("avg", "average"), ("max", "maximum")):
        values = blocks.low[name]
        kept = np.isfinite(values)
        where, values = blocks.start[kept], values[kept] / scale
        what = f"the {word} of {_when(course, blocks.length)} on {told.place}"
        found = shifts.steps(values, ALPHA / 2)
        slope = shifts.drift(values)
        step = min(found, key=lambda step: step.log_p, default=None)
        straight = slope and (step is None or shifts.straighter(values, step.block, slope.slope))
        yield (
            _stepping(told, course, what, [(step, float(where[step.block])) for step in found])
            if not straight
            else None
        )
        if slope is None or not straight:
            yield None
            continue
        moved = slope.slope * len(values)
        yield _finding(
            "drift",
            told,
            f"{what} {'rises' if moved > 0 else 'falls'} by {abs(moved):.3g} {unit} over {_when(course, course.end)}",
            slope.log_p,
        )


def _stepping(told: Told, course: Course, what: str, found: Sequence[tuple[shifts.Step, float]]) -> Finding | None:
    """The finding of one or several steps."""
    if not found:
        return None
    first, unit = found[0][0], shown_unit(told.distribution)
    if len(found) == 1:
        how = "rises" if first.after > first.before else "falls"
        text = f"{what} {how} from {first.before:.4g} to {first.after:.4g} {unit} at {_at(course, found[0][1])}"
    else:
        levels = ", ".join(f"{step.after:.4g} from {_at(course, at)} on" for step, at in found)
        text = f"{what} is {first.before:.4g} {unit}, then {levels}"
    return _finding("step", told, text, min(step.log_p for step, _ in found))


def _of_pairs(several: Sequence[Told]) -> Asked:
    """Which series of a run fire together."""
    chosen: list[tuple[Told, Course, np.ndarray]] = []
    for told in several:
        if isinstance(told.course, str) or told.course.basis == PLACED:
            continue
        found = timeline.outliers(told.course)
        times = arrivals.episodes(found[-1].times, told.course.grain) if found else np.empty(0)
        if len(times) >= arrivals.FEWEST_EVENTS:
            chosen.append((told, replace(told.course, end=found[-1].end), times))
    chosen.sort(key=lambda entry: -len(entry[2]))
    for (one, first, when), (other, second, also) in itertools.combinations(chosen[:_PAIRS], 2):
        # series that skipped differently many activations drift apart
        apart = abs(first.lag - second.lag)
        within = 2 * max(first.grain, second.grain) + apart
        end = min(first.end, second.end)
        met = arrivals.together(when, also, end, within)
        if met is None:
            yield None
            continue
        text = (
            f"{met.met} of {met.of} outliers on {one.place} and {other.place} came together, within "
            f"{duration(within)} ({met.by_chance:.2g} would have by chance)"
        )
        yield Finding("together", one.group.run, f"{one.group.series}+{other.group.series}", text, met.log_p)


def _of_owners(several: Sequence[Told]) -> Asked:
    """Whether one series has far more of the tail than its share; counts are taken as independent."""
    ds = [told.distribution for told in several]
    if len(ds) < 2 or any(d.refusal or not d.total or d.status == "bounds" for d in ds):
        return
    together = pool(ds)
    tail = stats.percentile(together, "99.9")
    if tail.status not in ("ok", "max", "overflow") or not math.isfinite(tail.low):
        return
    counts = [stats.exceedances(d, tail.low) for d in ds]
    most = sum(int(count.high) for count in counts)
    for told, d, count in zip(several, ds, counts, strict=True):
        fair = float(d.total or 0) / float(together.total or 1)
        if not most or count.low < OWNED * fair * most or count.low < arrivals.FEWEST_EVENTS:
            yield None
            continue
        level = f"{_figure(tail.low / divisor(d))} {shown_unit(d)} and more"
        text = (
            f"{told.place} has {int(count.low):,} of the {most:,} latencies of {level}, "
            f"{count.low / most / fair:.3g} times its share of the observations"
        )
        yield _finding("owner", told, text, binomial_tail(int(count.low), most, fair))


KINDS: dict[str, str] = {
    "period": "outliers that come periodically",
    "burst": "outliers that come in bursts",
    "rate": "outliers that come more or less often from some time on",
    "step": "a level that changes at once",
    "drift": "a level that rises or falls",
    "together": "series whose outliers come at the same time",
    "owner": "a series that has more of the tail than its share",
}
"""The questions that are asked."""
