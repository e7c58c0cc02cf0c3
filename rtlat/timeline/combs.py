"""Events that come periodically: the comb of equally spaced times that they fit, and how likely chance fits one too.

A comb has teeth every `period`, and an event hits a tooth if it lies within a tolerance of it. Of N events at
random times, a given comb's teeth are hit by no more than a binomial number. How many combs there are to choose
from is counted, so that the probability given is that of *any* of them: noise has, among all periods, phases and
tolerances, always one that looks fine. The fundamental needs no rule of its own: half the period has twice the
teeth and fits by chance more easily, twice the period misses every other event.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from rtlat.intervals import Array

FEWEST_TEETH = 4
"""Periods that an observation must hold to be found, and events that a comb must hit."""

_CELLS = 1 << 17
"""Cells of time in which events are counted to look for a period."""

_PADDING = 4
_HARMONICS = (1, 2, 4, 8, 16, 32)
_CANDIDATES = 5
"""Periods tried for each number of harmonics."""

_FINEST = 8
"""Steps of the times in the shortest period that is looked for."""

_MULTIPLES = np.array([2, 3, 5, 7])
"""Of a period, which are tried instead of it."""

_WIDTHS = (0.25, 0.12, 0.06, 0.03, 0.015, 0.008, 0.004)
"""Around a tooth, the share of a period from which events are taken to place the comb, one after the other."""


@dataclass(frozen=True)
class Comb:
    """A comb of equally spaced times that events fit.

    Attributes
    ----------
    period, phase, tolerance : float
        Distance of teeth, the first tooth that is hit, and the farthest hit from its tooth. [s]
    hits, events : int
        Teeth that are hit, and all events.
    adjacent : bool
        Whether the teeth that are hit follow each other without a gap.
    share : float
        Chance of an event at a random time to hit a tooth.
    log_p : float
        Upper bound of the natural logarithm of the probability that events at random times fit any comb as well.
    """

    period: float
    phase: float
    tolerance: float
    hits: int
    events: int
    adjacent: bool
    share: float
    log_p: float


def comb(times: Array, end: float, grain: float) -> Comb | None:
    """Return the comb that events fit best, or None if there are too few to speak of one.

    Parameters
    ----------
    times : ndarray
        When events came, rising; no more than one in a burst. [s]
    end : float
        How long they were waited for, from 0. [s]
    grain : float
        Step of the times. [s]

    Examples
    --------
    >>> times = np.array([3.0, 67.1, 100.0, 131.0, 194.9, 259.0, 300.0, 323.1, 387.0])
    >>> found = comb(times, 400.0, 0.1)
    >>> found.hits, found.events, round(found.period, 1), found.adjacent, found.log_p < -7
    (7, 9, 64.0, True, True)
    >>> comb(times[:3], 400.0, 0.1) is None
    True
    """
    if len(times) < FEWEST_TEETH or end <= FEWEST_TEETH * _FINEST * grain:
        return None
    best = _best(times, end, grain, 1 / _frequencies(times, end, grain))
    if best is None:
        return None
    while (longer := _best(times, end, grain, best.period * _MULTIPLES)) and longer.log_p < best.log_p:
        best = longer  # all harmonics of short events have the same power: what was found may be one of them
    exact = binomial_tail(best.hits, best.events, best.share)
    quick = float(_chernoff(np.array(best.hits), best.events, np.array(best.share)))
    return replace(best, log_p=float(best.log_p) - quick + exact)


def _best(times: Array, end: float, grain: float, periods: Array) -> Comb | None:
    """The most improbable of the combs near some periods."""
    found = [one for period in periods if (one := _fitted(times, end, grain, float(period)))]
    return min(found, key=lambda one: one.log_p, default=None)


def _frequencies(times: Array, end: float, grain: float) -> Array:
    """Frequencies at which the counts of events have most power, at one or at several harmonics, in 1/s.

    Short events have as much power at every harmonic as at the fundamental, so powers are added up.
    """
    cells = int(min(_CELLS, max(64, end / grain)))
    counts = np.bincount(np.minimum((times / end * cells).astype(np.int64), cells - 1), minlength=cells)
    power = np.abs(np.fft.rfft(counts - counts.mean(), _PADDING * cells)) ** 2
    step = 1 / (_PADDING * end)
    first = FEWEST_TEETH * _PADDING - _PADDING // 2
    last = int(min(len(power) - 1, cells * _PADDING / _FINEST, 1 / (_FINEST * grain * step)))
    found: list[float] = []
    for harmonics in _HARMONICS:
        reach = min(last, (len(power) - 1) // harmonics)
        if reach <= first:
            break
        added = sum(power[order * first : order * reach + 1 : order] for order in range(1, harmonics + 1))
        assert not isinstance(added, int)
        for _ in range(_CANDIDATES):
            best = int(np.argmax(added))
            found.append((first + best) * step)
            added[max(0, best - _PADDING) : best + _PADDING + 1] = 0
    return np.unique(found)


def _fitted(times: Array, end: float, grain: float, period: float) -> Comb | None:
    """The most improbable comb near a period; None if chance explains all of them."""
    phase = _densest(times, period)
    found: list[Comb] = []
    for width in _WIDTHS:
        tooth, off = _nearest_teeth(times, period, phase)
        near = np.abs(off) <= max(width * period, grain)
        if len(np.unique(tooth[near])) < FEWEST_TEETH:
            break
        phase, period = _line(tooth[near], times[near])
        if not _FINEST * grain <= period <= end / FEWEST_TEETH * 1.1:
            break
        if judged := _judged(times, end, grain, float(period), float(phase)):
            found.append(judged)
    return min(found, key=lambda comb: comb.log_p, default=None)


def _line(x: Array, y: Array) -> tuple[float, float]:
    """Where the straight line by least squares meets 0, and its slope; numpy's polyfit takes five times as long."""
    middle = x.mean()
    apart = x - middle
    slope = float(apart @ y / (apart @ apart))
    return float(y.mean()) - slope * middle, slope


def _densest(times: Array, period: float) -> float:
    """The phase around which most events lie."""
    phases = np.sort(times % period)
    around = np.append(phases, phases + period)
    last = np.searchsorted(around, phases + period / 8, "right") - 1
    best = int(np.argmax(last - np.arange(len(phases))))
    return float((phases[best] + around[last[best]]) / 2)


def _nearest_teeth(times: Array, period: float, phase: float) -> tuple[Array, Array]:
    """Which tooth each event is nearest to, and how far from it."""
    tooth = np.round((times - phase) / period)
    return tooth, times - phase - tooth * period


def _judged(times: Array, end: float, grain: float, period: float, phase: float) -> Comb | None:
    """The comb with the tolerance that is the least probable by chance, and that probability."""
    tooth, off = _nearest_teeth(times, period, phase)
    order = np.lexsort((np.abs(off), tooth))
    tooth, off = tooth[order], np.abs(off[order])
    first = np.append(True, np.diff(tooth) > 0)  # of the events at a tooth the nearest one hits it
    tooth, off = tooth[first], off[first]
    steps = max(1, math.ceil(math.log2(period / (4 * grain))))
    tolerances = grain / 2 * 2.0 ** np.arange(steps)
    hits = (off[:, None] <= tolerances * (1 + 1e-9)).sum(0)
    # in steps of half a tolerance, of the phase and of the shift that a period makes at the ends, no comb is missed
    # by more than half a tolerance
    share = np.minimum(1.0, (3 * tolerances + grain) / period)
    octaves = max(1.0, math.log2(end / FEWEST_TEETH / (_FINEST * grain)))
    choices = (2 * period / tolerances) * (end / tolerances) * octaves * steps
    log_p = _chernoff(hits, len(times), share) + np.log(np.maximum(choices, 1.0))
    log_p[hits < FEWEST_TEETH] = 0.0
    best = int(np.argmin(log_p))
    hit = off <= tolerances[best] * (1 + 1e-9)
    if log_p[best] >= 0:
        return None
    teeth = tooth[hit]
    return Comb(
        period,
        phase + float(teeth[0]) * period,
        float(off[hit].max()),
        int(hits[best]),
        len(times),
        bool(teeth[-1] - teeth[0] + 1 == len(teeth)),
        float(share[best]),
        float(log_p[best]),
    )


def _chernoff(hits: Array, events: int, share: Array) -> Array:
    """Upper bound of the logarithm of a binomial tail, quickly."""
    part = np.clip(hits / events, 1e-12, 1 - 1e-12)
    share = np.clip(share, 1e-300, 1 - 1e-12)
    distance = part * np.log(part / share) + (1 - part) * np.log((1 - part) / (1 - share))
    return np.where(part > share, -events * distance, 0.0)


def binomial_tail(hits: int, events: int, share: float) -> float:
    """Return the logarithm of the probability of at least so many hits, each event with a share as its chance.

    Where the binomial tail underflows, Chernoff's bound stands for it.

    Examples
    --------
    >>> round(binomial_tail(7, 9, 0.01), 1), round(binomial_tail(1000, 1000, 0.001), 1)
    (-28.7, -6907.8)
    """
    from scipy.stats import binom

    bound = float(_chernoff(np.array(hits), events, np.array(share)))
    return bound if bound < -600 else float(binom.logsf(hits - 1, events, share))
