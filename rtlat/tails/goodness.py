"""Whether excesses are as a fitted tail says: a grouped test of fit, and a test for a second mode.

Tests for continuous data reject every tail that was printed in whole microseconds, true ones too. Here the tail is
cut into cells at the edges of bins, so a test sees counts only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rtlat.intervals import Array
from rtlat.tails.excesses import Excesses
from rtlat.tails.pareto import ParetoFit, level, log_growth

EXPECTED = 5
"""Observations that a cell of the test of fit is to hold at least, on average."""

_FINE = 100
"""Cells in which a second mode is looked for, three expected observations each where there are fewer."""

_WIDTHS = (0.1, 0.2, 0.4, 0.8)
"""Standard deviations of the modes that are looked for, in local scales of the tail."""

_DRAWS = 499


class Cells(NamedTuple):
    """The tail cut into cells of about equal chance.

    Attributes
    ----------
    edges : ndarray
        From 0 to infinity, above the threshold. [unit of the data]
    observed : ndarray
        Excesses in each cell.
    chance : ndarray
        The chance of each cell, as fitted.
    slope : ndarray
        Its derivatives by the logarithm of the scale and by the shape.
    """

    edges: Array
    observed: Array
    chance: Array
    slope: Array


def cells(fit: ParetoFit, groups: int) -> Cells:
    """Return at most so many cells of about equal chance, whose edges cut no interval apart."""
    over = fit.over
    wanted = level(
        0.0, np.asarray(1.0), np.asarray(fit.scale), np.asarray(fit.shape), groups / np.arange(groups - 1, 0, -1.0)
    )
    if over.step:
        wanted = np.round(wanted / over.step) * over.step
    inner = np.unique(_uncut(over, wanted))
    edges = np.concatenate([[0.0], inner[(inner > 0) & np.isfinite(inner)], [np.inf]])
    observed = np.bincount(np.searchsorted(edges, over.low, "right") - 1, over.n, len(edges) - 1)

    def chances(log_scale: float, shape: float) -> Array:
        above = np.exp(-log_growth(edges / (fit.scale * math.exp(log_scale)), np.asarray(shape)))
        return -np.diff(above)

    step = 1e-5
    slope = np.column_stack([
        chances(step, fit.shape) - chances(-step, fit.shape),
        chances(0, fit.shape + step) - chances(0, fit.shape - step),
    ])  # fmt: skip
    return Cells(edges, observed, chances(0, fit.shape), slope / (2 * step))


def _uncut(over: Excesses, edges: Array) -> Array:
    """Edges, those that lie within an interval moved to its end."""
    order = np.argsort(over.low, kind="stable")
    low, reach = over.low[order], np.maximum.accumulate(over.high[order])
    for _ in range(len(edges) + 1):
        place = np.searchsorted(low, edges, "left") - 1
        cut = (place >= 0) & (reach[np.maximum(place, 0)] > edges)
        if not cut.any():
            break
        edges = np.where(cut, reach[np.maximum(place, 0)], edges)
    return edges


@dataclass(frozen=True, slots=True)
class GroupedTest:
    """Pearson's chi-squared test of a fit.

    Attributes
    ----------
    statistic : float
        Sum of (observed - expected)**2 / expected.
    freedom : int
        Cells less one and the two parameters; 0 where there are too few cells to test.
    p : float
        Chance of a statistic as large if the tail is as fitted; NaN where it cannot be tested.
    """

    statistic: float
    freedom: int
    p: float


def goodness_of_fit(fit: ParetoFit) -> GroupedTest:
    """Test a fit on about 2 N**0.4 cells of equal chance, at least 5 expected excesses in each.

    So many cells are best against smooth departures (D. S. Moore, "Tests of chi-squared type," in "Goodness-of-Fit
    Techniques," Dekker, 1986). Cells that a fit's bins are too wide for are joined.

    Examples
    --------
    >>> from rtlat.tails.excesses import excesses
    >>> from rtlat.intervals import counted
    >>> from rtlat.tails.pareto import fit_pareto
    >>> uniform = counted(range(100), range(1, 101), [10] * 100)
    >>> hump = counted(range(100), range(1, 101), [40 if 40 <= edge < 50 else 10 for edge in range(100)])
    >>> [goodness_of_fit(fit_pareto(excesses(d.intervals, 0))).p > 0.05 for d in (uniform, hump)]
    [True, False]
    """
    from scipy.special import chdtrc

    count = fit.over.count
    cut = cells(fit, max(1, min(count // EXPECTED, round(2 * count**0.4))))
    expected, observed = _at_least(count * cut.chance, cut.observed)
    freedom = len(expected) - 3
    if freedom < 1:
        return GroupedTest(math.nan, 0, math.nan)
    statistic = float(((observed - expected) ** 2 / expected).sum())
    return GroupedTest(statistic, freedom, float(chdtrc(freedom, statistic)))


def _at_least(expected: Array, observed: Array) -> tuple[Array, Array]:
    """Cells joined with their right neighbours until each expects enough."""
    place, held, starts = 0, 0.0, [0]
    for place, part in enumerate(expected):
        held += part
        if held >= EXPECTED and place + 1 < len(expected):
            starts.append(place + 1)
            held = 0.0
    if held < EXPECTED and len(starts) > 1:
        starts.pop()
    return np.add.reduceat(expected, starts), np.add.reduceat(observed, starts)


@dataclass(frozen=True, slots=True)
class SecondMode:
    """The strongest sign of a second mode in the tail.

    Attributes
    ----------
    p : float
        Chance of a sign as strong if the tail is as fitted.
    low, high : float
        The cells that hold most of it, above the threshold; inf where that is the last one. [unit of the data]
    observed, expected : float
        Excesses between them, and how many the fit expects there.
    """

    p: float
    low: float
    high: float
    observed: float
    expected: float

    @property
    def local(self) -> bool:
        """Whether there are more observations than the fit explains, there: else the tail is bent as a whole."""
        return self.observed - self.expected > math.sqrt(self.expected)


def second_mode(fit: ParetoFit) -> SecondMode | None:
    """Look for a second mode: few observations close together, where the fitted tail has hardly any.

    Under the fit, minus the logarithm of the share above is exponential; there a mode is a normal bump of some
    position and width. For each of a grid of them the score test of a mixture asks whether the likelihood rises when
    a little of the tail is replaced by the bump, allowing for scale and shape, which a bump bends (B. G. Lindsay,
    "Mixture Models: Theory, Geometry and Applications," IMS, 1995, section 1.4). The greatest of the standardised
    scores is compared with those of tails drawn from the fit, a fixed number with a fixed seed, in which scale and
    shape are fitted by one step. Tests of stationarity and of fit pass over a mode of few observations.

    Returns
    -------
    SecondMode or None
        None where the cells are too few to tell.
    """
    count = fit.over.count
    cut = cells(fit, min(_FINE, count // 3))
    chance, slope = np.maximum(cut.chance, 1e-300), cut.slope
    if len(chance) < 6:
        return None
    bumps = _bumps(fit, cut)
    per_chance = bumps.masses / chance
    effect = slope / chance[:, None]
    information = slope.T @ effect
    if not np.linalg.eigvalsh(information)[0] > 0:
        return None
    score = per_chance - bumps.masses.sum(axis=1, keepdims=True)
    score = score - (per_chance @ slope) @ np.linalg.solve(information, effect.T)
    variance = count * (score**2 @ chance)
    told = variance > 1e-9 * count * (per_chance**2 @ chance)
    if not told.any():
        return None
    score = score[told] / np.sqrt(variance[told])[:, None]
    found = score @ (cut.observed - count * chance)
    drawn = np.random.default_rng(1998).multinomial(count, chance / chance.sum(), _DRAWS) - count * chance
    best = int(np.argmax(found))
    p = (1 + int(((drawn @ score.T).max(axis=1) >= found[best]).sum())) / (_DRAWS + 1)
    held = bumps.masses[told][best]
    most = np.flatnonzero(held > held.max() / 4)
    where = slice(most[0], most[-1] + 1)
    ends = float(cut.edges[most[0]]), float(cut.edges[most[-1] + 1])
    return SecondMode(p, *ends, float(cut.observed[where].sum()), float(count * chance[where].sum()))


class _Bumps(NamedTuple):
    """Normal bumps on the exponential scale: the mass of each in each cell."""

    centre: Array
    width: Array
    masses: Array


def _bumps(fit: ParetoFit, cut: Cells) -> _Bumps:
    """Bumps of every width, half a width apart, up to the largest observation."""
    from scipy.special import ndtr

    edges = log_growth(cut.edges / fit.scale, np.asarray(fit.shape))
    largest = float(log_growth(np.asarray(fit.over.low.max() / fit.scale), np.asarray(fit.shape)))
    largest = min(largest, math.log(fit.over.count) + 3)
    grids = [np.arange(0.5 + width, largest + width / 4, width / 2) for width in _WIDTHS]
    centre, width = np.concatenate(grids), np.repeat(_WIDTHS, [len(grid) for grid in grids])
    masses = np.diff(ndtr((edges - centre[:, None]) / width[:, None]), axis=1)
    return _Bumps(centre, width, masses)
