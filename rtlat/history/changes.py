"""From which run on a figure is another: claimed only with evidence, with runs as the observations.

A rank test divides the runs (`rtlat.timeline.shifts`); a change is claimed where chance hardly explains that and, by
the rules of comparing, at least five runs stand on either side whose shift surely has one sign. The place is the one
where the ranks of both sides differ most for their numbers, for the test's own place leans towards the middle; how far
it may be off is told by runs drawn anew from either side.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rtlat.intervals import Array
from rtlat.statistics.repeats import ENOUGH, Between, between
from rtlat.statistics.results import Bounds
from rtlat.timeline.shifts import FEWEST_BLOCKS, steps

ALPHA = 0.05
"""Probability that runs that are alike show any change at all, over all figures of a report."""

FEWEST = FEWEST_BLOCKS
"""Runs below which nothing is said of changes."""

_DRAWS = 400
_CONFIDENCE = 95


@dataclass(frozen=True)
class Change:
    """A figure that is another from some run on.

    Attributes
    ----------
    place : int
        The first run of the new level: the most likely one.
    first, last : int
        In about 95 of 100 cases the first run of the new level is one of these.
    start, stop : int
        The runs that tell of it: from the change before to the one behind.
    before, after : tuple of float
        Low and high end of the median figure of the runs on either side. [unit of the figure]
    shift : Between
        By how much the figure is higher behind it.
    log_p : float
        Log probability that runs that are alike show it.
    """

    place: int
    first: int
    last: int
    start: int
    stop: int
    before: tuple[float, float]
    after: tuple[float, float]
    shift: Between
    log_p: float

    @property
    def rises(self) -> bool:
        """Whether the figure is higher behind the change."""
        return self.shift.low > 0


def changes(figures: Sequence[Bounds], alpha: float = ALPHA) -> list[Change]:
    """Return the places at which a figure changes, in order.

    Parameters
    ----------
    figures : sequence of Bounds
        Of each run, in their order; none is refused. A change beyond a histogram's end is only seen where the figures
        on one side surely exceed those on the other.
    alpha : float
        Probability below which a change counts.

    Examples
    --------
    >>> found = changes([Bounds(v, v + 1, "ok") for v in [20, 21, 20, 22] * 4 + [30, 31, 29] * 4], 0.01)
    >>> [(one.place, one.first, one.last, one.shift.observed.low) for one in found]
    [(16, 16, 16, 9.0)]
    """
    values = np.array([figure.low for figure in figures])
    found = {step.block: step.log_p for step in steps(values, alpha)} if np.isfinite(values).all() else {}
    while found:
        claimed = [_change(figures, values, around, found[around[1]]) for around in _windows(found, len(values))]
        if doubtful := [place for place, change in zip(sorted(found), claimed, strict=True) if change is None]:
            del found[max(doubtful, key=lambda place: found[place])]  # its runs tell of its neighbours then
        else:
            return [change for change in claimed if change]
    return []


def _windows(places: Iterable[int], size: int) -> list[tuple[int, int, int]]:
    """Each place, with the one before it and the one behind."""
    edges = [0, *sorted(places), size]
    return list(zip(edges, edges[1:], edges[2:], strict=False))


def _change(figures: Sequence[Bounds], values: Array, around: tuple[int, int, int], log_p: float) -> Change | None:
    """The change within some runs, or None if there is too little evidence."""
    start, _, stop = around
    if stop - start < 2 * ENOUGH:
        return None
    place = start + int(_divided(values[start:stop]))
    sides = figures[start:place], figures[place:stop]
    shift = between(sides[1], sides[0], _CONFIDENCE)
    if not (shift.low > 0 or shift.high < 0):
        return None
    off = _off(values[start:place], values[place:stop])
    first, last = max(start + 1, place - off), min(stop - 1, place + off)
    before, after = (
        (float(np.median([figure.low for figure in side])), float(np.median([figure.high for figure in side])))
        for side in sides
    )
    return Change(place, first, last, start, stop, before, after, shift, log_p)


def _divided(values: Array) -> Array:
    """The first run of the second of two sides, of one history or of each row of several."""
    from scipy.stats import rankdata

    size = values.shape[-1]
    count = np.arange(1, size)
    sums = np.cumsum(rankdata(values, axis=-1) - (size + 1) / 2, axis=-1)[..., :-1]
    differ = np.abs(sums) / np.sqrt(count * (size - count))
    place: Array = differ[..., ENOUGH - 1 : size - ENOUGH].argmax(axis=-1) + ENOUGH
    return place


def _off(before: Array, after: Array) -> int:
    """How far a place may be off: how far it is off, in most cases, for runs drawn anew from either side."""
    chance = np.random.default_rng(len(before))
    drawn = [chance.choice(side, (_DRAWS, len(side))) for side in (before, after)]
    off = np.abs(_divided(np.concatenate(drawn, axis=1)) - len(before))
    return int(np.quantile(off, _CONFIDENCE / 100, method="inverted_cdf"))
