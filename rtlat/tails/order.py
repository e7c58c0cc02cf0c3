"""What the order of a run tells of its exceedances: whether they come in bursts, and whether their rate drifts.

A histogram keeps no order; there neither can be known. The exceedances of independent cycles of a stationary run are
scattered like a Poisson process: gaps between them are exponential, counts in blocks of equal length have a variance
equal to their mean, and their positions are uniform.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rtlat.intervals import Array, Distribution, counted
from rtlat.timeline.course import PLACED, Course

CERTAIN = 0.005
"""Chance at which independence or stationarity is no longer believed."""

CLUSTERED = 0.5
"""Extremal index below which a tail is not fitted to single exceedances: bursts of two on average."""


@dataclass(frozen=True, eq=False)
class Ordered:
    """Samples in the order in which they were measured.

    Attributes
    ----------
    low, high : ndarray of float64
        Intervals in which they lie, low = high where they are exact. [unit of the data]
    position : ndarray of int64
        The cycle of each, rising.
    period : float
        Of the cycles, NaN if unknown. [ns]
    """

    low: Array
    high: Array
    position: Array
    period: float = math.nan

    @property
    def span(self) -> int:
        """Cycles from the first to the last sample, those missed too."""
        return int(self.position[-1] - self.position[0]) + 1

    def part(self, start: int, stop: int) -> Ordered:
        """Return the samples from `start` to before `stop`."""
        return Ordered(self.low[start:stop], self.high[start:stop], self.position[start:stop], self.period)

    def distribution(self) -> Distribution:
        """Return the samples without their order.

        Examples
        --------
        >>> in_order([5, 3, 5]).distribution().intervals.n.tolist()
        [1, 2]
        """
        ends, n = np.unique(np.column_stack([self.low, self.high]), axis=0, return_counts=True)
        return counted(ends[:, 0], ends[:, 1], n)

    def reaching(self, threshold: float) -> Array:
        """Return the positions of the samples that surely reach a threshold, from 0."""
        return np.asarray(self.position[self.low >= threshold] - self.position[0])


def in_order(
    low: ArrayLike, high: ArrayLike | None = None, position: ArrayLike | None = None, period: float = math.nan
) -> Ordered:
    """Return samples in their order: at `low` without `high`, one each cycle without `position`.

    Examples
    --------
    >>> in_order([5.0, 3.0, 9.0]).reaching(5).tolist()
    [0, 2]
    """
    low = np.asarray(low, np.float64)
    high = low if high is None else np.asarray(high, np.float64)
    position = np.arange(len(low)) if position is None else np.asarray(position, np.int64)
    order = np.argsort(position, kind="stable")
    return Ordered(low[order], high[order], position[order], period)


def ordered(course: Course | str) -> Ordered | None:
    """Return the samples of a series in their order; None where the log does not keep it.

    Examples
    --------
    >>> from rtlat.timeline.course import sequence
    >>> samples = ordered(sequence([7, 9], 0.001))
    >>> samples.position.tolist(), samples.period
    ([0, 1], 1000000.0)
    """
    if isinstance(course, str) or course.kind != "sample":
        return None
    position = np.round(course.time / course.grain).astype(np.int64)
    return in_order(course.low, course.high, position, math.nan if course.basis == PLACED else course.grain * 1e9)


def extremal_index(positions: Array) -> float:
    """Return the extremal index of exceedances at rising positions: one over the mean length of a burst.

    The intervals estimator of C. A. T. Ferro and J. Segers, "Inference for clusters of extreme values," Journal of the
    Royal Statistical Society B, vol. 65, no. 2, 2003, equation 8. NaN for less than three exceedances.

    Examples
    --------
    >>> extremal_index(np.array([0, 100, 101, 102, 200, 300, 301]))  # by hand: 2 * 295**2 / (6 * 28614)
    1.0
    >>> round(extremal_index(np.array([0, 1, 2, 3, 400, 401, 402, 403])), 3)
    0.286
    """
    gaps = np.diff(np.asarray(positions)).astype(np.float64)
    if len(gaps) < 2:
        return math.nan
    if gaps.max() <= 2:
        index = 2 * gaps.sum() ** 2 / (len(gaps) * (gaps**2).sum())
    else:
        index = 2 * (gaps - 1).sum() ** 2 / (len(gaps) * ((gaps - 1) * (gaps - 2)).sum())
    return min(1.0, float(index))


@dataclass(frozen=True, slots=True)
class Dispersion:
    """How evenly exceedances are spread over blocks of equal length.

    Attributes
    ----------
    index : float
        Variance over mean of the counts in blocks; 1 for independent cycles.
    blocks : int
    length : float
        Of a block. [cycles]
    p : float
        Chance of an index as large if cycles are independent; NaN for less than five blocks.
    """

    index: float
    blocks: int
    length: float
    p: float


def dispersion(positions: Array, span: int, length: float | None = None) -> Dispersion:
    """Return the index of dispersion of exceedances, with its test: (blocks - 1) times the index is chi-squared.

    R. A. Fisher, "Statistical Methods for Research Workers," Oliver and Boyd, 1925, section 15.

    Parameters
    ----------
    positions : ndarray
        Of the exceedances, from 0. [cycles]
    span : int
        All cycles.
    length : float, optional
        Of a block, such as one second; by default so long that a block has two exceedances on average. A last block
        that is not whole is left out. [cycles]

    Examples
    --------
    >>> found = dispersion(np.array([0, 1, 2, 3, 4, 50]), 60, 10)
    >>> round(found.index, 2), found.blocks, found.p < 0.002
    (4.0, 6, True)
    """
    from scipy.special import chdtrc

    positions = np.asarray(positions)
    if length is None:
        length = max(1.0, span / max(len(positions) // 2, 5))
    blocks = int(span / length * (1 + 1e-12))
    counts = np.bincount((positions / length).astype(np.int64), minlength=blocks)[:blocks]
    if blocks < 5 or not counts.any():
        return Dispersion(math.nan, blocks, length, math.nan)
    index = float(counts.var(ddof=1) / counts.mean())
    return Dispersion(index, blocks, length, float(chdtrc(blocks - 1, (blocks - 1) * index)))


def drift(positions: Array, span: int) -> float:
    """Return the chance of positions as uneven as these if the rate of exceedances did not change.

    The smaller of two, times two: the Kolmogorov-Smirnov test of a uniform distribution, which sees any change, and
    Laplace's test by the mean position, which sees a trend sooner (D. R. Cox and P. A. W. Lewis, "The Statistical
    Analysis of Series of Events," Methuen, 1966). Bursts make it too small.

    Examples
    --------
    >>> drift(np.arange(0, 1000, 20), 1000) > 0.5, drift(np.arange(0, 500, 10), 1000) < 1e-6
    (True, True)
    """
    from scipy.special import kolmogorov, ndtr

    place = (np.asarray(positions) + 0.5) / span
    n = len(place)
    if not n:
        return math.nan
    distance = max(float((np.arange(1, n + 1) / n - place).max()), float((place - np.arange(n) / n).max()))
    uneven = float(kolmogorov(distance * (math.sqrt(n) + 0.12 + 0.11 / math.sqrt(n))))
    trend = 2 * float(ndtr(-abs(place.mean() - 0.5) * math.sqrt(12 * n)))
    return min(1.0, 2 * min(uneven, trend))


@dataclass(frozen=True, slots=True)
class Dependence:
    """Whether exceedances are independent and their rate is stationary.

    Attributes
    ----------
    extremal_index : float
        One over the mean length of a burst.
    dispersion : Dispersion
        Over blocks of two exceedances on average.
    per_second : Dispersion or None
        Over seconds, where the period is known and there are five of them.
    drift : float
        Chance of positions as uneven as these if the rate did not change.
    """

    extremal_index: float
    dispersion: Dispersion
    per_second: Dispersion | None
    drift: float

    @property
    def bursts(self) -> bool:
        """Whether exceedances surely come in bursts."""
        seconds = self.per_second.p if self.per_second else 1.0
        return self.extremal_index < CLUSTERED or min(self.dispersion.p, seconds) < CERTAIN / 2

    @property
    def drifts(self) -> bool:
        """Whether their rate surely changes."""
        return self.drift < CERTAIN

    def text(self) -> str:
        """Return what was found in a few words."""
        return (
            f"extremal index {self.extremal_index:.2g} (1 if independent), dispersion {self.dispersion.index:.2g} "
            f"(1 if independent, p {self.dispersion.p:.2g}), stationary with p {self.drift:.2g}"
        )


def dependence(samples: Ordered, threshold: float) -> Dependence:
    """Return what the order of the samples that reach a threshold tells.

    Examples
    --------
    >>> scattered = np.zeros(10_000); scattered[::100] = 1
    >>> burst = np.zeros(10_000); burst[np.arange(0, 10_000, 500)[:, None] + np.arange(5)] = 1
    >>> [dependence(in_order(values), 1).bursts for values in (scattered, burst)]
    [False, True]
    """
    positions, span = samples.reaching(threshold), samples.span
    second = 1e9 / samples.period
    seconds = dispersion(positions, span, second) if second >= 1 and span / second >= 5 else None
    index = extremal_index(positions)
    return Dependence(index, dispersion(positions, span), seconds, drift(positions, span))
