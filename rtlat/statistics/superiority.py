"""The chance that one approach takes longer than another, from bins: on a grid that both share.

Values are told apart no finer than the coarser of two records does: 5 us of a tool that cuts to whole microseconds and
5.3 us of one that prints nanoseconds are equal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from rtlat.intervals import Distribution, Intervals
from rtlat.statistics.results import Bounds, refused

_LEAST_GRID = 0.5
"""Share of the observations that must lie in bins of one width for a histogram to have a grid."""


def grid(d: Distribution) -> float:
    """Return the width of the bins that a distribution's observations lie in, 0 if they are exact, NaN if uneven.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> grid(counted([0, 1], [1, 2])), grid(counted([3, 4])), grid(counted([1, 2, 4], [2, 4, 8]))
    (1.0, 0.0, nan)
    """
    low, high, n, _, beyond = d.intervals
    width, n = (high - low)[~beyond], n[~beyond].astype(np.float64)
    if d.status == "bounds" or not len(width):
        return math.nan
    widest = float(width[np.argmax(n)]) if not (width == width[0]).all() else float(width[0])
    regular = np.isclose(width, widest, rtol=1e-9, atol=0)
    narrower = width <= widest * (1 + 1e-9)  # an interval cut at the printed minimum is no coarser grid
    return widest if narrower.all() and n[regular].sum() >= _LEAST_GRID * n.sum() else math.nan


def on_common_grid(a: Distribution, b: Distribution) -> tuple[Distribution, Distribution, float]:
    """Return two distributions on the coarser of their grids, and its width; as they are where one has none.

    So a value in print as 5 (of 5 to 6 us) and one as 5.3 us are told apart by neither side.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> fine, coarse, step = on_common_grid(counted([5.3, 5.9]), counted([5, 6], [6, 7]))
    >>> fine.intervals.low.tolist(), fine.intervals.high.tolist(), step
    ([5.0, 5.0], [6.0, 6.0], 1.0)
    """
    step = common_step([a, b])
    return on_grid(a, step), on_grid(b, step), step


def common_step(ds: Iterable[Distribution]) -> float:
    """Return the width of the coarsest grid of several distributions, 0 if one has none or all are exact."""
    steps = [grid(d) for d in ds]
    return 0.0 if any(map(math.isnan, steps)) else max(steps, default=0.0)


def on_grid(d: Distribution, step: float) -> Distribution:
    """Return the same observations, each known only to the cell of a grid that holds it; without a step as they are."""
    if not step:
        return d
    low, high, n, closed, beyond = d.intervals
    with np.errstate(invalid="ignore"):
        cell = np.floor(low / step * (1 + 1e-12 * np.sign(low))) * step
        inside = ~beyond & (high <= cell + step * (1 + 1e-9))
    low, high = np.where(inside, cell, low), np.where(inside, cell + step, high)
    return replace(d, intervals=Intervals(low, high, n, closed & ~inside, beyond))


def compact(d: Distribution) -> Distribution:
    """Return the same observations, equal intervals counted together.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> compact(counted([3, 5, 3])).intervals.n.tolist()
    [2, 1]
    """
    return replace(d, intervals=d.intervals.together())


def superiority(a: Distribution, b: Distribution) -> Bounds:
    """Return the chance that a cycle of `a` takes longer than one of `b`, equal ones counted half.

    This is Mann and Whitney's U over the number of pairs, and half of Cliff's delta plus one half. Cycles are equal if
    they lie in the same bin of a common grid; where that leaves open which is longer, the chance is bounds.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> superiority(counted([2, 3, 3]), counted([1, 3])).text()
    '0.666667'
    """
    for d in (a, b):
        if d.refusal or d.total is None:
            return refused(d.refusal or "the number of observations is unknown")
    a, b, _ = on_common_grid(a, b)
    longer, shorter = _surely_longer(a, b), _surely_longer(b, a)
    equal = _equal(a, b)
    least, most = longer + equal / 2, 1 - shorter - equal / 2
    near = math.isclose(least, most, rel_tol=0, abs_tol=1e-12)
    return Bounds(least, least if near else max(least, most), "ok" if near else "bounds")


def _surely_longer(a: Distribution, b: Distribution) -> float:
    """Share of all pairs in which the cycle of `a` surely takes longer."""
    low, _, n, _, _ = a.intervals
    share = n / n.sum(dtype=np.float64)
    _, high, m, closed, _ = b.intervals
    below = np.zeros(len(low))
    for which in (closed, ~closed):  # an open end is not reached, a closed one is
        order = np.argsort(high[which], kind="stable")
        up_to = np.append(0, np.cumsum(m[which][order]))
        below += up_to[np.searchsorted(high[which][order], low, "left" if which is closed else "right")]
    return float((share * (below / m.sum(dtype=np.float64))).sum())


def _equal(a: Distribution, b: Distribution) -> float:
    """Share of all pairs that lie in the same bin, or are the same number."""
    sides = [d.intervals.where(~d.intervals.beyond) for d in (a, b)]
    lows, highs = (np.concatenate([side[end] for side in sides]) for end in (0, 1))
    _, low = np.unique(lows, return_inverse=True)
    ends, high = np.unique(highs, return_inverse=True)
    _, cell = np.unique(low.astype(np.int64) * len(ends) + high, return_inverse=True)
    split, cells = len(sides[0].low), int(cell.max(initial=-1)) + 1
    mine, theirs = np.bincount(cell[:split], sides[0].n, cells), np.bincount(cell[split:], sides[1].n, cells)
    return float((mine / a.intervals.n.sum(dtype=np.float64) * (theirs / b.intervals.n.sum(dtype=np.float64))).sum())
