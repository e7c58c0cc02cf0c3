"""Runs as observations, against exact enumeration and scipy's rank test."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from rtlat.statistics.repeats import (
    NO_WORSE,
    UNDECIDED,
    WORSE,
    adjusted,
    between,
    explaining,
    judged,
    orders,
    overdispersion,
    rank_of_limit,
)
from rtlat.statistics.results import Bounds


def figures(values: list[float], width: float = 1.0, status: str = "ok") -> list[Bounds]:
    """A figure of each run, in bins of one width."""
    return [Bounds(value, value + width, status) for value in values]


@pytest.mark.parametrize(("k", "m"), [(1, 1), (2, 3), (4, 4), (5, 3)])
def test_orders_are_those_of_all_arrangements(k: int, m: int) -> None:
    counts = np.zeros(k * m + 1)
    for places in itertools.combinations(range(k + m), k):
        counts[sum(place - before for before, place in enumerate(places))] += 1
    assert orders(k, m) == pytest.approx(counts / counts.sum())


def test_the_least_chance_that_so_few_runs_can_have() -> None:
    for k, least in ((3, 0.05), (4, 0.0143), (5, 0.0040)):
        found = between(figures([100.0 + run for run in range(k)]), figures([float(run) for run in range(k)]))
        assert found.p == pytest.approx(least, abs=5e-5)
    assert rank_of_limit(3, 3, 0.025) == 0, "three runs an arm have no two-sided interval"
    assert math.isinf(between(figures([1, 2, 3]), figures([4, 5, 6])).high)


def test_chances_are_those_of_the_rank_test() -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        a, b = rng.random(7), rng.random(6)
        found = between(figures(a.tolist(), 0.0), figures(b.tolist(), 0.0))
        assert found.p == pytest.approx(stats.mannwhitneyu(a, b, alternative="greater", method="exact").pvalue)
        assert found.observed.low == pytest.approx(np.median(a[:, None] - b[None, :]))


def test_large_arms_keep_their_digits() -> None:
    """Against the normal approximation with its exact mean and variance."""
    share = orders(60, 40)
    places = np.arange(2401)
    mean = (share * places).sum()
    assert mean == pytest.approx(1200)
    assert (share * (places - mean) ** 2).sum() == pytest.approx(60 * 40 * 101 / 12)


def test_bins_of_one_width_are_compared_by_their_places() -> None:
    found = between(figures([20] * 5), figures([20] * 5))
    assert found.observed == Bounds(0, 0, "ok")
    assert (found.low, found.high, found.p) == (-1, 1, 1), "20.0 and 20.9 are printed alike"
    assert judged(found, 1.0) == NO_WORSE
    assert judged(found, 0.9) == UNDECIDED


def test_beyond_the_histogram_each_pair_says_what_it_surely_says() -> None:
    beyond = [Bounds(400, math.inf, "overflow")] * 5
    worse = between(beyond, figures([20] * 5))
    assert worse.observed.low == 379
    assert judged(worse, 1.0) == WORSE
    unknown = between(beyond, beyond)
    assert (unknown.observed.low, unknown.observed.high) == (-math.inf, math.inf)
    assert judged(unknown, 1.0) == UNDECIDED


def test_outcomes() -> None:
    higher, same = figures([30, 31, 32, 33, 34]), figures([20, 21, 22, 23, 24])
    assert judged(between(higher, same), 1.0) == WORSE
    assert judged(between(higher, same), 11.0) == UNDECIDED, "higher, but by less than matters"
    assert judged(between(same, higher), 1.0) == NO_WORSE
    assert judged(between(higher[:4], same), 1.0) == UNDECIDED, "four runs decide nothing"
    assert judged(between(higher, same), 1.0, p=0.06) == UNDECIDED, "one of many comparisons"


def test_several_comparisons_keep_their_chance() -> None:
    assert adjusted([]) == []
    assert adjusted([0.004]) == [0.004]
    assert adjusted([0.04, 0.01, 0.03, 0.5]) == [0.09, 0.04, 0.09, 0.5]


def test_the_spread_that_would_explain_a_difference() -> None:
    """Runs that differ with that standard deviation differ as much or more in one of twenty comparisons."""
    sd = explaining(10.0, 1, 1)
    rng = np.random.default_rng(5)
    share = (abs(rng.normal(0, sd, 200_000) - rng.normal(0, sd, 200_000)) >= 10).mean()
    assert share == pytest.approx(0.05, abs=0.003)
    assert explaining(10.0, 2, 2) == pytest.approx(sd * math.sqrt(2))


def test_dispersion_of_counts() -> None:
    rng = np.random.default_rng(6)
    even = np.full(300, 1000.0)
    poisson = [(rng.poisson(2, 300).astype(float), even) for _ in range(2)]
    assert overdispersion(*poisson) == pytest.approx(1, abs=0.15)
    bursts = [(rng.geometric(0.1, 300) * (rng.random(300) < 0.2).astype(float), even) for _ in range(2)]
    assert overdispersion(*bursts) == pytest.approx(19 - 2, abs=6)
    nothing = np.zeros(3), np.full(3, 100.0)
    assert overdispersion(nothing, nothing) >= 1
    assert overdispersion((np.array([3.0]), np.array([9.0])), (np.array([1.0]), np.array([9.0]))) == 1
