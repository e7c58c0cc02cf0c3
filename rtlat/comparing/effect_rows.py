"""Every effect of a contrast, each with its interval and with what that interval takes as observations.

Where both arms have enough runs, runs are the observations. With fewer, the intervals are those of cycles, which know
nothing of what differs from run to run, and say so.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rtlat.comparing.arms import Measured
from rtlat.comparing.contrast import Contrast, median, period
from rtlat.comparing.per_second import Counted, per_second
from rtlat.intervals import Array
from rtlat.selection import divisor, shown_unit
from rtlat.statistics import stats
from rtlat.statistics.effects import Ratio, difference, exceedance_ratio, ratio_of_counts, shift
from rtlat.statistics.maxima import Maximum, maximum_of
from rtlat.statistics.repeats import between, overdispersion
from rtlat.statistics.results import Bounds, number, refused
from rtlat.statistics.superiority import superiority

CYCLES = "cycles"
"""Basis of an interval that knows nothing of what differs from run to run."""

_HOUR = 3.6e12
"""[ns]"""

_MILLION = 1e6

_MOST = 5
"""Runs of either arm that are compared pair by pair."""

_NONE = Bounds(-math.inf, math.inf, "bounds")

_GROWS = refused("a worst observed value grows with n; the row below compares it at equal n")

_OF_A_PAIR = refused("a chance belongs to both sides")


@dataclass(frozen=True)
class Effect:
    """What differs, by how much, and how surely.

    Attributes
    ----------
    what : str
        Such as "p99.9".
    unit : str
        Of the values.
    value, reference : Bounds
        Of several runs the median.
    effect : Bounds
        By how much the value is higher, or how many times as high.
    measure : str
        Unit of the effect: that of the values, "times", or empty for a chance.
    interval : Bounds
        Of the effect.
    basis : str
        What the interval takes as observations.
    """

    what: str
    unit: str
    value: Bounds
    reference: Bounds
    effect: Bounds
    measure: str
    interval: Bounds
    basis: str


def effects(contrast: Contrast) -> Iterator[Effect]:
    """Yield every effect of a contrast."""
    for percent in contrast.question.percentiles:
        yield _shift(contrast, percent)
    if not math.isnan(contrast.limit):
        yield from _exceedances(contrast)
    yield _superiority(contrast)
    yield from _worst(contrast)


def _shift(contrast: Contrast, percent: str) -> Effect:
    """Of a percentile."""
    a, b, confidence = contrast.a.d, contrast.b.d, contrast.question.confidence
    mine, theirs = contrast.figures(percent)
    basis, unit = CYCLES, shown_unit(a)
    one = shift(a, b, percent, confidence)
    if contrast.several and not any(figure.status == "refused" for figure in (*mine, *theirs)):
        found, basis = between(mine, theirs, confidence), "runs"
        one = replace(one, value=median(mine), reference=median(theirs), observed=found.observed)
        one = replace(one, low=found.low, high=found.high)
    cells = (one.value, one.reference, one.observed, Bounds(one.low, one.high, "bounds"))
    value, reference, effect, interval = (cell.over(divisor(a)) for cell in cells)
    return Effect(f"p{percent}", unit, value, reference, effect, unit, interval, basis)


def _exceedances(contrast: Contrast) -> Iterator[Effect]:
    """Of how often the limit is reached: in cycles, and in windows where tools print their maxima."""
    limit, confidence = contrast.limit, contrast.question.confidence
    counts = [[per_second(run.told, limit) for run in side.runs] for side in contrast.sides]
    dispersion, basis = _dispersion(contrast, counts)
    periods = [period(side) for side in contrast.sides]
    hourly = not any(map(math.isnan, periods))
    scale = [_HOUR / each for each in periods] if hourly else [_MILLION, _MILLION]
    exposure = [(side.d.total or 0) / each for side, each in zip(contrast.sides, scale, strict=True)]
    found = exceedance_ratio(contrast.a.d, contrast.b.d, limit, confidence, dispersion, (exposure[0], exposure[1]))
    reached = f"reach {number(limit / divisor(contrast.a.d))} {shown_unit(contrast.a.d)}"
    yield _ratio(reached, "an hour" if hourly else "of a million", found, basis)
    windows = [[one for one in side if one and one.what == "windows"] for side in counts]
    if all(windows):
        arms = [_joined(side) for side in windows]
        dispersion = overdispersion(*arms)
        (k, n), (j, m) = ((float(events.sum()), float(length.sum()) / 1000) for events, length in arms)
        found = ratio_of_counts(Bounds(k, k, "ok"), n, Bounds(j, j, "ok"), m, confidence, dispersion)
        yield _ratio(f"windows that {reached}", "of 1000", found, f"blocks of windows, dispersion {dispersion:.3g}")


def _dispersion(contrast: Contrast, counts: Sequence[Sequence[Counted | None]]) -> tuple[float, str]:
    """By how much the counts of runs, or of seconds, vary more than independent cycles would, and which."""
    if len(contrast.a.runs) + len(contrast.b.runs) > 2:
        arms = []
        for side in contrast.sides:
            events = [stats.exceedances(run.d, contrast.limit).low for run in side.runs]
            arms.append((np.array(events), np.array([float(run.d.total or 0) for run in side.runs])))
        if all(exposure.all() and np.isfinite(events).all() for events, exposure in arms):
            found = overdispersion(*arms)
            return found, f"runs, dispersion {found:.3g}"
    seconds = [[one for one in side if one and one.what == "cycles"] for side in counts]
    if all(len(side) == 1 for side in seconds):
        found = overdispersion(*map(_joined, seconds))
        return found, f"seconds, dispersion {found:.3g}"
    return 1.0, CYCLES


def _joined(blocks: Sequence[Counted]) -> tuple[Array, Array]:
    """Events and exposure of all blocks of several runs."""
    return np.concatenate([one.events for one in blocks]), np.concatenate([one.exposure for one in blocks])


def _ratio(what: str, unit: str, found: Ratio, basis: str) -> Effect:
    """A ratio of rates as an effect."""
    interval = Bounds(found.low, found.high, "bounds")
    return Effect(what, unit, *found.rates(), found.observed, "times", interval, basis)


def _superiority(contrast: Contrast) -> Effect:
    """The chance that a cycle takes longer, and between which chances pairs of runs lie."""
    chance, interval, basis = superiority(contrast.a.d, contrast.b.d), _NONE, ""
    if len(contrast.a.runs) + len(contrast.b.runs) > 2 and chance.status != "refused":
        mine, theirs = ([run.d for run in _some(side.runs)] for side in contrast.sides)
        pairs = [superiority(one, other) for one in mine for other in theirs]
        interval = Bounds(min(pair.low for pair in pairs), max(pair.high for pair in pairs), "bounds")
        basis = f"range of {len(pairs)} pairs of runs"
    return Effect("chance to take longer", "", _OF_A_PAIR, _OF_A_PAIR, chance, "", interval, basis)


def _some(runs: Sequence[Measured]) -> list[Measured]:
    """At most five runs, evenly taken."""
    places = np.linspace(0, len(runs) - 1, min(len(runs), _MOST)).round().astype(int)
    return [runs[place] for place in dict.fromkeys(places.tolist())]


def _worst(contrast: Contrast) -> Iterator[Effect]:
    """The worst observed, and what is left of its difference at equal n."""
    scale, unit = divisor(contrast.a.d), shown_unit(contrast.a.d)
    value, reference = (stats.maximum(side.d).over(scale) for side in contrast.sides)
    yield Effect("worst observed", unit, value, reference, _GROWS, unit, _NONE, "")
    m = min(side.d.total or 0 for side in contrast.sides)
    found = [maximum_of(side.d, m) for side in contrast.sides] if m else []
    means = [one.expected.over(scale) for one in found if isinstance(one, Maximum)]
    if len(means) == len(contrast.sides):
        effect = difference(means[0], means[1])
        yield Effect(f"expected worst of {m:,}", unit, means[0], means[1], effect, unit, _NONE, "")
