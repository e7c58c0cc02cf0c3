"""Bursts and drift against processes whose extremal index and dispersion are known, and the definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from rtlat.intervals import Array
from rtlat.tails.order import dependence, dispersion, drift, extremal_index, in_order, ordered
from rtlat.timeline.course import sequence


def armax(random: np.random.Generator, a: float, n: int) -> Array:
    """Each value the larger of a times the one before and a new one: bursts of 1 / (1 - a) on average."""
    new = -1 / np.log(random.random(n))
    values = new.copy()
    for place in range(1, n):
        values[place] = max(a * values[place - 1], (1 - a) * new[place])
    return values


@pytest.mark.parametrize(("a", "index"), [(0.0, 1.0), (0.5, 0.5), (0.8, 0.2)])
def test_the_extremal_index_of_a_known_process(a: float, index: float) -> None:
    values = armax(np.random.default_rng(3), a, 100_000)
    positions = np.flatnonzero(values > np.quantile(values, 0.995))
    assert extremal_index(positions) == pytest.approx(index, rel=0.15)


def test_the_extremal_index_by_its_definition() -> None:
    positions = [0, 3, 4, 5, 90, 91, 300]
    gaps = [3, 1, 1, 85, 1, 209]
    expected = 2 * sum(g - 1 for g in gaps) ** 2 / (6 * sum((g - 1) * (g - 2) for g in gaps))
    assert extremal_index(np.array(positions)) == pytest.approx(min(1, expected))
    near = [0, 1, 3, 4, 6]
    assert extremal_index(np.array(near)) == pytest.approx(min(1, 2 * 6**2 / (4 * (1 + 4 + 1 + 4))))
    assert math.isnan(extremal_index(np.array([1, 2])))


def test_the_dispersion_of_bursts() -> None:
    random = np.random.default_rng(6)
    starts = np.sort(random.choice(10**6, 5_000, replace=False))
    lengths = random.geometric(0.1, 5_000)
    burst = np.concatenate([start + np.arange(length) for start, length in zip(starts, lengths, strict=True)])
    found = dispersion(np.sort(burst[burst < 10**6]), 10**6, 1_000)
    assert found.blocks == 1_000
    assert found.index == pytest.approx(19, rel=0.15), "(2 - p) / p for geometric lengths of mean 1 / p"
    assert found.p < 1e-9


def test_the_dispersion_of_independent_cycles() -> None:
    random = np.random.default_rng(7)
    ps = [dispersion(np.flatnonzero(random.random(20_000) < 0.02), 20_000).p for _ in range(200)]
    assert stats.kstest(ps, "uniform").pvalue > 0.001


def test_blocks_that_are_not_whole_are_left_out() -> None:
    found = dispersion(np.array([5, 15, 25, 35, 45, 55, 56, 57, 58, 59]), 59, 10)
    assert found.blocks == 5
    assert found.index == 0
    assert math.isnan(dispersion(np.array([1, 2]), 40, 10).p)


def test_drift_is_seen_and_chance_is_not() -> None:
    random = np.random.default_rng(8)
    steady = [drift(np.flatnonzero(random.random(20_000) < 0.015), 20_000) for _ in range(400)]
    assert stats.binom.sf(sum(p < 0.05 for p in steady) - 1, 400, 0.05) > 1e-4
    rising = [drift(np.flatnonzero(random.random(20_000) < np.linspace(0, 0.03, 20_000)), 20_000) for _ in range(20)]
    assert max(rising) < 1e-4
    assert drift(np.arange(100), 20_000) < 1e-9, "all at the start"


@pytest.mark.parametrize(("a", "bursts"), [(0.0, False), (0.5, True), (0.9, True)])
def test_what_the_order_tells(a: float, bursts: bool) -> None:
    values = armax(np.random.default_rng(11), a, 50_000)
    found = dependence(in_order(values, period=1e6), float(np.quantile(values, 0.99)))
    assert found.bursts is bursts
    assert not found.drifts or bursts
    assert found.per_second is not None
    assert found.per_second.length == 1_000
    assert "extremal index" in found.text()


def test_samples_in_their_order() -> None:
    samples = in_order([5.0, 1, 9], position=[7, 3, 4])
    assert samples.low.tolist() == [1, 9, 5]
    assert samples.span == 5
    assert samples.reaching(5).tolist() == [1, 4]
    assert samples.part(1, 3).distribution().maximum == (9, 9)
    assert ordered("its order is gone") is None
    course = ordered(sequence([7, 9, 8], 0.001, step=1.0))
    assert course is not None
    assert (course.period, course.span, course.high.tolist()) == (1e6, 3, [8, 10, 9])
