"""Tests of fit: their size on true tails, and what they find."""

from __future__ import annotations

import math

import numpy as np
import pytest
import textbook
from scipy import stats

from rtlat.intervals import Array, Intervals, counted
from rtlat.tails.excesses import excesses
from rtlat.tails.goodness import cells, goodness_of_fit, second_mode
from rtlat.tails.pareto import ParetoFit, fit_pareto

INF = math.inf


def fitted(intervals: Intervals) -> ParetoFit:
    return fit_pareto(excesses(intervals, 0))


def tail(random: np.random.Generator, count: int, scale: float, shape: float) -> Array:
    return np.asarray(stats.genpareto.rvs(shape, scale=scale, size=count, random_state=random))


def binned(values: Array) -> Intervals:
    return counted(*textbook.cut(values, 1.0)).intervals


@pytest.mark.parametrize(("count", "scale", "shape"), [(300, 5, 0.1), (1000, 20, -0.2), (100, 2, 0.3)])
def test_true_tails_are_rejected_as_rarely_as_they_should(count: int, scale: float, shape: float) -> None:
    random = np.random.default_rng(77)
    fits = [fitted(binned(tail(random, count, scale, shape))) for _ in range(150)]
    most = stats.binom.isf(1e-4, 150, 0.07)
    assert sum(goodness_of_fit(fit).p < 0.05 for fit in fits) <= most
    found = [second_mode(fit) for fit in fits]
    assert sum(mode is not None and mode.p <= 0.05 for mode in found) <= most


def test_a_bump_of_a_tenth_is_rejected() -> None:
    random = np.random.default_rng(5)
    values = np.append(tail(random, 450, 10, 0.0), random.uniform(15, 20, 50))
    assert goodness_of_fit(fitted(binned(values))).p < 0.01


def test_the_statistic_is_pearsons() -> None:
    fit = fitted(binned(tail(np.random.default_rng(6), 400, 30, 0.1)))
    found = goodness_of_fit(fit)
    cut = cells(fit, round(2 * 400**0.4))
    expected = 400 * np.diff(stats.genpareto.cdf(cut.edges, fit.shape, scale=fit.scale))
    assert (expected >= 5).all(), "else neighbours would be joined"
    assert found.statistic == pytest.approx(((cut.observed - expected) ** 2 / expected).sum())
    assert found.freedom == len(expected) - 3
    assert found.p == pytest.approx(stats.chi2.sf(found.statistic, found.freedom))


def test_cells_cut_no_bin_apart_and_hold_all() -> None:
    low = np.array([0.0, 1, 2, 3, 10, 10, 30])
    high = np.array([1.0, 2, 3, 10, 30, 25, INF])
    fit = fitted(counted(low, high, [200, 90, 50, 40, 30, 20, 10]).intervals)
    cut = cells(fit, 40)
    assert cut.observed.sum() == 440
    assert cut.chance.sum() == pytest.approx(1)
    assert set(cut.edges) <= {0, 1, 2, 3, 10, 30, INF}


def test_few_cells_cannot_be_tested() -> None:
    found = goodness_of_fit(fitted(counted([0, 1], [1, 2], [30, 30]).intervals))
    assert found.freedom == 0
    assert math.isnan(found.p)


@pytest.mark.parametrize(("at", "width"), [(5, 0.3), (8, 0.5), (20, 2)])
def test_a_second_mode_is_found_where_it_is(at: float, width: float) -> None:
    random = np.random.default_rng(9)
    found = []
    for _ in range(30):
        other = random.normal(at * 20, width * 20, 15)
        mode = second_mode(fitted(binned(np.append(tail(random, 285, 20, 0.1), other))))
        assert mode is not None
        found.append(mode.p <= 0.05 and mode.local and mode.low < at * 20 < mode.high)
    assert sum(found) >= 26


def test_a_tail_bent_as_a_whole_is_no_second_mode() -> None:
    values = np.sqrt(np.random.default_rng(3).exponential(400, 3_000))  # lighter than any generalised Pareto tail
    mode = second_mode(fitted(binned(10 * values)))
    assert mode is not None
    assert mode.p <= 0.05


def test_the_same_data_give_the_same_answer() -> None:
    fit = fitted(binned(tail(np.random.default_rng(2), 300, 20, 0.1)))
    assert second_mode(fit) == second_mode(fit)
