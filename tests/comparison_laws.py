"""Runs whose law is known: cycles that are independent, runs that differ from each other, bursts of bad cycles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import stats

from rtlat.comparing.arms import Measured, Repeats
from rtlat.comparing.contrast import Contrast, Question
from rtlat.intervals import Distribution, counted

US = 1000.0
LAWS = ("independent", "runs differ", "bursts")
SHAPE, SCALE, START, MEAN, WEIGHT = 9, 3.0, 40.0, 15.0, 0.01
"""Of the body (gamma) and of the tail (exponential beyond a start) in us, and the share of cycles in the tail."""

BURST = 10
"""Cycles of a burst, on average."""

_EDGES = np.arange(0, 500)


def weights(scale: float = 1.0, shift: float = 0.0, tail: bool = False) -> np.ndarray:
    """Return the share of cycles in each bin of 1 us, of the body or of the tail."""
    edges = (_EDGES - shift) / scale
    law = stats.expon(START, MEAN) if tail else stats.gamma(SHAPE, scale=SCALE)
    share = np.maximum(np.diff(law.cdf(edges), append=1.0), 0.0)
    return share / share.sum()


def exceeding(limit: float, tail: float = 1.0, shift: float = 0.0) -> float:
    """Return the share of cycles that reach a limit in us, where the tail is `tail` times as heavy."""
    weight = WEIGHT * tail
    at = limit - shift
    return (1 - weight) * stats.gamma(SHAPE, scale=SCALE).sf(at) + weight * stats.expon(START, MEAN).sf(at)


def quantile(share: float, tail: float = 1.0, shift: float = 0.0) -> float:
    """Return a quantile of all cycles in us."""
    low, high = 0.0, 1000.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if exceeding(middle, tail, shift) > 1 - share else (low, middle)
    return low


def run(
    rng: np.random.Generator, law: str = LAWS[0], tail: float = 1.0, n: int = 100_000, shift: float = 0.0
) -> Distribution:
    """Return the histogram of one run in bins of 1 us."""
    scale, weight = 1.0, WEIGHT * tail
    if law == "runs differ":
        scale, weight = float(np.exp(rng.normal(0, 0.02))), weight * float(np.exp(rng.normal(0, 0.3)))
    bad = rng.binomial(n, weight)
    if law == "bursts":
        bad = min(n, int(rng.geometric(1 / BURST, rng.poisson(n * weight / BURST)).sum()))
    body, worse = weights(scale, shift), weights(scale, shift, tail=True)
    n_in_bin = rng.multinomial(n - bad, body) + rng.multinomial(bad, worse)
    return counted(_EDGES * US, (_EDGES + 1) * US, n_in_bin, resolution=US)


def repeats(arm: str, ds: Sequence[Distribution]) -> Repeats:
    """Return runs as the repeats of an arm."""
    return Repeats(arm, tuple(Measured({"run": f"{arm}{place}"}, d, (d,)) for place, d in enumerate(ds)))


def contrast(mine: Sequence[Distribution], theirs: Sequence[Distribution], **question: object) -> Contrast:
    """Return one arm against another."""
    return Contrast(repeats("a", mine), repeats("b", theirs), Question(**question))  # type: ignore[arg-type]
