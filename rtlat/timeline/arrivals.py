"""When rare events come: in bursts, more often from some time on, or together with those of another series.

Each answer carries an upper bound of the probability that events at random times look so. All bounds are of the
data at hand, whatever was looked at in them, so that they may be compared, and multiplied by how many
questions were asked. Times are steps of `grain`, which is the least distance that they can tell apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rtlat.intervals import Array
from rtlat.tails.order import extremal_index
from rtlat.timeline.combs import binomial_tail

FEWEST_EVENTS = 4
"""Events below which nothing is said of their times."""

_LONGEST_BURST = 0.05
"""Of the time observed; what takes longer is a change of rate."""

_WITHIN_BURST = 0.05
"""Of the mean distance of events; farther ones are not of one burst."""

_CHANGED = 1.5
"""How many times as often events must come to speak of another rate."""

_OFTEN = 2.0
"""How many times as many events as by chance must meet."""

_SHIFTS = 40
"""How often one series is shifted against another to see how often they meet by chance."""


@dataclass(frozen=True)
class Burst:
    """The densest group of events.

    Attributes
    ----------
    start, length : float
        When it began, and from its first to its last event. [s]
    events, of : int
        Events in it, and all.
    log_p : float
        Upper bound of the log probability.
    """

    start: float
    length: float
    events: int
    of: int
    log_p: float


@dataclass(frozen=True)
class RateChange:
    """A time from which on events come more or less often.

    Attributes
    ----------
    time : float
        [s]
    before, after : float
        Events per second. [1/s]
    log_p : float
        Upper bound of the log probability.
    """

    time: float
    before: float
    after: float
    log_p: float


@dataclass(frozen=True)
class Together:
    """Events of one series that come with those of another.

    Attributes
    ----------
    met, of : int
        Events of the series with fewer events that have one of the other beside them, and all of its events.
    within : float
        How near is beside. [s]
    by_chance : float
        How many would have met by chance.
    log_p : float
        Upper bound of the log probability.
    """

    met: int
    of: int
    within: float
    by_chance: float
    log_p: float


def burst(times: Array, end: float, grain: float) -> Burst | None:
    """Return the densest group of events, or None if there are too few, or none is dense.

    For each size of a group, the shortest time that holds so many events is compared with the chance that any
    event is followed by so many within that time (a bound of the scan statistic).

    Parameters
    ----------
    times : ndarray
        When events came, rising. [s]
    end : float
        How long they were waited for, from 0. [s]
    grain : float
        Step of the times. [s]

    Examples
    --------
    >>> times = np.sort(np.append(np.arange(0, 1000, 100.0), [412.0, 412.5, 413.0, 413.6, 414.0]))
    >>> found = burst(times, 1000.0, 0.1)
    >>> found.start, found.length, found.events, found.of
    (412.0, 2.0, 5, 15)
    """
    n = len(times)
    best: Burst | None = None
    sizes = np.unique(np.geomspace(3, max(3, n), 2 * max(1, math.ceil(math.log2(max(n, 2))))).round().astype(int))
    for size in sizes[sizes <= n] if n >= FEWEST_EVENTS else []:
        lengths = times[size - 1 :] - times[: n - size + 1]
        first = int(np.argmin(lengths))
        length = float(lengths[first])
        if length > _LONGEST_BURST * end:
            continue
        share = min(1.0, (length + grain) / end)
        log_p = binomial_tail(int(size) - 1, n - 1, share) + math.log(n * len(sizes))
        if log_p < min(0.0, best.log_p if best else 0.0):
            best = Burst(float(times[first]), length, int(size), n, log_p)
    return best


def episodes(times: Array, grain: float) -> Array:
    """Return the first event of each burst: runs of events that are nearer than independent ones would be.

    How many bursts there are is told by the extremal index (`rtlat.order`, section 4 of its source): all
    distances but that share lie within bursts, and they are the shortest.

    Examples
    --------
    >>> episodes(np.array([10.0, 11.0, 12.0, 500.0, 501.0, 900.0]), 1.0).tolist()
    [10.0, 500.0, 900.0]
    """
    index = extremal_index(np.round(times / grain))
    gaps = np.diff(times)
    if not index < 1:  # or too few to tell
        return times
    apart = max(1, math.floor(index * len(gaps)))
    shortest = np.partition(gaps, len(gaps) - apart - 1)[len(gaps) - apart - 1]
    shortest = min(shortest, _WITHIN_BURST * gaps.mean())  # of few events the index is off by much
    first: Array = np.append(True, gaps > shortest)
    return np.asarray(times[first])


def rate_change(times: Array, end: float) -> RateChange | None:
    """Return the time from which on events come at another rate, or None if there are too few.

    Times of events at a constant rate are uniform: the greatest distance of their distribution from that one
    (Kolmogorov-Smirnov) tells whether they are not, and lies at the change.

    Parameters
    ----------
    times : ndarray
        When events came, rising; no more than one in a burst. [s]
    end : float
        How long they were waited for, from 0. [s]

    Examples
    --------
    >>> times = np.append(np.arange(5, 100, 10.0), np.arange(100, 150, 1.0))
    >>> found = rate_change(times, 150.0)
    >>> found.time, found.before, found.after, found.log_p < -9
    (100.0, 0.1, 1.0, True)
    """
    from scipy.stats import kstwo

    n = len(times)
    if n < 2 * FEWEST_EVENTS:
        return None
    place = times / end
    below, above = place - np.arange(n) / n, np.arange(1, n + 1) / n - place
    distance = float(max(below.max(), above.max()))
    first = int(np.argmax(below)) if below.max() >= above.max() else int(np.argmax(above)) + 1
    at = float(times[min(first, n - 1)])
    if not 0 < at < end:
        return None
    before, after = first / at, (n - first) / (end - at)
    if max(before, after) < _CHANGED * min(before, after):
        return None
    return RateChange(at, before, after, float(kstwo.logsf(distance, n)))


def together(one: Array, other: Array, end: float, within: float) -> Together | None:
    """Return how many events of two series come at the same time, or None if there are too few.

    How many would meet by chance is seen by shifting one series against the other a little, so that two series
    whose events become more frequent at the same time do not seem to fire together.

    Parameters
    ----------
    one, other : ndarray
        When events came, rising; no more than one in a burst. [s]
    end : float
        How long both were waited for, from 0. [s]
    within : float
        How near in time is together. [s]

    Examples
    --------
    >>> one = np.array([10.0, 200.0, 350.0, 555.0, 801.0, 930.0])
    >>> found = together(one, one + 0.2, 1000.0, 0.5)
    >>> found.met, found.of, found.log_p < -20
    (6, 6, True)
    """
    one, other = sorted((one[one <= end], other[other <= end]), key=len)
    if len(one) < FEWEST_EVENTS:
        return None
    met = int(_meet(one, other, within).sum())
    steps = np.arange(1, _SHIFTS // 2 + 1)
    shifts = 4 * within * np.append(-steps, steps)
    near = sum(int(_meet((one + shift) % end, other, within).sum()) for shift in shifts)
    covered = np.minimum(other + within, end) - np.maximum(other - within, np.append(0.0, other[:-1] + within))
    share = max(float(np.maximum(covered, 0).sum()) / end, (near + 1) / (len(one) * _SHIFTS + 1))
    if met < _OFTEN * share * len(one):
        return None
    return Together(met, len(one), within, share * len(one), binomial_tail(met, len(one), min(1.0, share)))


def _meet(one: Array, other: Array, within: float) -> Array:
    """Which events of one series have one of the other beside them."""
    left = np.searchsorted(other, one - within * (1 + 1e-9), "left")
    return left < np.searchsorted(other, one + within * (1 + 1e-9), "right")
