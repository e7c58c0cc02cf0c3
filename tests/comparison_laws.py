"""Runs whose law is known: cycles that are independent, runs that differ from each other, bursts of bad cycles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
from scipy.special import gammainc, gammaincc

from rtlat.comparing.arms import Measured, Repeats
from rtlat.comparing.contrast import Contrast, Question
from rtlat.intervals import Array, Distribution, counted
from rtlat.timeline.course import NUMBERED, PRINTED, Course, Pace, Told

US, MS = 1000.0, 1e-3
LAWS = INDEPENDENT, RUNS_DIFFER, BURSTS = "independent", "runs differ", "bursts"
SHAPE, SCALE, START, MEAN, WEIGHT = 9, 3.0, 40.0, 15.0, 0.01
"""Of the body (gamma) and of the tail (exponential beyond a start) in us, and the share of cycles in the tail."""

SPREAD, TAIL_SPREAD = 0.02, 0.3
"""Where runs differ: standard deviation of the logarithms of their scale and of their share of cycles in the tail."""

BURST = 10
"""Cycles of a burst, on average."""

_EDGES = np.arange(501.0)


def weights(scale: float = 1.0, shift: float = 0.0, tail: bool = False) -> Array:
    """Return the share of cycles in each bin of 1 us, of the body or of the tail."""
    edges = np.maximum((_EDGES - shift) / scale, 0.0)
    below = 1 - np.exp(np.minimum(0.0, (START - edges) / MEAN)) if tail else gammainc(SHAPE, edges / SCALE)
    below[-1] = 1.0
    return np.diff(below)


_plain = cache(weights)


def exceeding(limit: float, tail: float = 1.0, shift: float = 0.0, law: str = INDEPENDENT) -> float:
    """Return the share of cycles that reach a limit in us, where the tail is `tail` times as heavy, of many runs."""
    nodes, shares = np.polynomial.hermite_e.hermegauss(15) if law == RUNS_DIFFER else (np.zeros(1), np.ones(1))
    at = np.maximum(limit * np.exp(-SPREAD * nodes) - shift, 0.0)
    weight = WEIGHT * tail * (math.exp(TAIL_SPREAD**2 / 2) if law == RUNS_DIFFER else 1.0)
    reach = (1 - weight) * gammaincc(SHAPE, at / SCALE) + weight * np.exp(np.minimum(0.0, (START - at) / MEAN))
    return float((reach * shares).sum() / shares.sum())


def quantile(share: float, tail: float = 1.0, shift: float = 0.0) -> float:
    """Return a quantile of all independent cycles in us."""
    low, high = 0.0, 1000.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if exceeding(middle, tail, shift) > 1 - share else (low, middle)
    return low


def run(
    rng: np.random.Generator, law: str = INDEPENDENT, tail: float = 1.0, n: int = 100_000, shift: float = 0.0
) -> Distribution:
    """Return the histogram of one run in bins of 1 us."""
    scale, weight, shares = 1.0, WEIGHT * tail, _plain
    if law == RUNS_DIFFER:
        scale, weight = float(np.exp(rng.normal(0, SPREAD))), weight * float(np.exp(rng.normal(0, TAIL_SPREAD)))
        shares = weights
    bad = rng.binomial(n, weight)
    if law == BURSTS:
        bad = min(n, int(rng.geometric(1 / BURST, rng.poisson(n * weight / BURST)).sum()))
    n_in_bin = rng.multinomial(n - bad, shares(scale, shift)) + rng.multinomial(bad, shares(scale, shift, tail=True))
    return counted(_EDGES[:-1] * US, _EDGES[1:] * US, n_in_bin, resolution=US)


def cycles(rng: np.random.Generator, law: str = INDEPENDENT, tail: float = 1.0, n: int = 100_000) -> Array:
    """Return the cycles of one run in their order, in us."""
    if law == BURSTS:
        starts = rng.integers(0, n, rng.poisson(n * WEIGHT * tail / BURST))
        lengths = rng.geometric(1 / BURST, len(starts))
        within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        bad = np.unique((np.repeat(starts, lengths) + within) % n)
    else:
        bad = np.flatnonzero(rng.random(n) < WEIGHT * tail)
    values = rng.gamma(SHAPE, SCALE, n)
    values[bad] = START + rng.exponential(MEAN, len(bad))
    return values


def exact(values: Array) -> Distribution:
    """Return values as a tool prints them that cuts nothing."""
    return counted(np.sort(values) * US)


def in_order(arm: str, values: Array) -> Repeats:
    """Return one run as a tool prints it that tells every cycle, in whole us, a millisecond apart."""
    low = np.floor(values) * US
    found, n = np.unique(low, return_counts=True)
    time = np.arange(len(low)) * MS
    course = Course("sample", None, low, low + US, time, len(low) * MS, MS, NUMBERED)  # type: ignore[arg-type]
    return _told(arm, counted(found, found + US, n, resolution=US), course)


def windows(arm: str, greatest: Array) -> Repeats:
    """Return one run as a tool prints it that tells the greatest of each second, in whole us."""
    low = np.floor(greatest) * US
    d = counted(np.zeros(len(low)), low + US, np.full(len(low), 1000), status="bounds")
    time = np.arange(len(low)) * 1.0
    return _told(arm, d, Course("window", None, low, low + US, time, time[-1] + 1, 1.0, PRINTED))  # type: ignore[arg-type]


def _told(arm: str, d: Distribution, course: Course) -> Repeats:
    """One run with its course."""
    told = Told(None, d, Pace(MS), course, "t0")  # type: ignore[arg-type]
    return Repeats(arm, (Measured({"run": arm}, d, (d,), told=(told,)),))


def repeats(arm: str, ds: Sequence[Distribution]) -> Repeats:
    """Return runs as the repeats of an arm."""
    return Repeats(arm, tuple(Measured({"run": f"{arm}{place}"}, d, (d,)) for place, d in enumerate(ds)))


def contrast(mine: Sequence[Distribution], theirs: Sequence[Distribution], **question: object) -> Contrast:
    """Return one arm against another."""
    return Contrast(repeats("a", mine), repeats("b", theirs), Question(**question))  # type: ignore[arg-type]
