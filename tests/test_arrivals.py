"""Combs, bursts, rates and meetings on event times of known make; how often noise has them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, kstest

from rtlat.timeline.arrivals import burst, episodes, rate_change, together
from rtlat.timeline.combs import binomial_tail, comb


@pytest.mark.parametrize(("period", "count", "noise"), [(64.0, 9, 0), (64.0, 9, 6), (3.7, 100, 100), (0.5, 400, 600)])
@pytest.mark.parametrize("seed", range(3))
def test_a_comb_is_found_with_its_period(period: float, count: int, noise: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    end = period * count * 1.05
    teeth = np.arange(count) * period + 0.03 * period + chance.normal(0, 0.002 * period, count)
    found = comb(np.sort(np.append(teeth, chance.uniform(0, end, noise))), end, 0.001)
    assert found
    assert found.period == pytest.approx(period, rel=1e-3)
    assert count * 0.85 <= found.hits <= count + 0.05 * noise + 2
    assert found.log_p < math.log(1e-3)


def test_teeth_that_are_missing_make_it_a_comb_with_gaps() -> None:
    chance = np.random.default_rng(1)
    teeth = np.sort(chance.choice(200, 60, replace=False)) * 12.0
    found = comb(teeth, 2400.0, 0.1)
    assert found
    assert (found.hits, found.adjacent) == (60, False)
    assert found.period == pytest.approx(12.0)
    whole = comb(np.arange(20) * 12.0, 240.0, 0.1)
    assert whole
    assert whole.adjacent


def test_a_burst_hits_a_tooth_once() -> None:
    """Twenty events at one time are no period."""
    assert comb(np.sort(np.append(np.linspace(500, 500.2, 20), [3.0, 700.0])), 1000.0, 0.001) is None


def test_few_events_are_no_period() -> None:
    """Three events have two equal distances too easily, whatever their precision."""
    assert comb(np.array([100.0, 200.0, 300.0]), 1000.0, 0.001) is None
    assert comb(np.empty(0), 1000.0, 0.001) is None


@pytest.mark.parametrize("events", [9, 60])
def test_noise_fits_a_comb_as_rarely_as_said(events: int) -> None:
    runs, alpha = 100, 0.05
    found = 0
    for seed in range(runs):
        times = np.sort(np.random.default_rng(seed).choice(100_000, events, replace=False)) * 0.01
        one = comb(times, 1000.0, 0.01)
        found += bool(one and one.log_p < math.log(alpha))
    assert found <= binom.ppf(0.999, runs, alpha)


def test_noise_is_in_bursts_and_changes_its_rate_as_rarely_as_said() -> None:
    runs, alpha = 400, 0.05
    bursts = changes = meetings = 0
    for seed in range(runs):
        chance = np.random.default_rng(seed)
        one, two = (np.sort(chance.choice(100_000, 40, replace=False)) * 0.01 for _ in "ab")
        group, change, met = burst(one, 1000.0, 0.01), rate_change(one, 1000.0), together(one, two, 1000.0, 0.5)
        bursts += bool(group and group.log_p < math.log(alpha))
        changes += bool(change and change.log_p < math.log(alpha))
        meetings += bool(met and met.log_p < math.log(alpha))
    most = binom.ppf(0.999, runs, alpha)
    assert max(bursts, changes, meetings) <= most
    assert changes >= binom.ppf(0.001, runs, alpha), "the test of the rate is exact, not merely a bound"


def test_the_chance_of_a_rate_is_that_of_kolmogorov_and_smirnov() -> None:
    times = np.sort(np.random.default_rng(6).uniform(0, 100, 50)) ** 1.1 % 100
    found = rate_change(np.sort(times), 100.0)
    assert found
    assert math.exp(found.log_p) == pytest.approx(kstest(times / 100, "uniform").pvalue, rel=1e-9)


def test_bursts_become_one_event_each() -> None:
    """Geometric bursts of ten on average, at consecutive activations."""
    chance = np.random.default_rng(7)
    starts = np.sort(chance.choice(10**6, 50, replace=False)).astype(float)
    times = np.concatenate(
        [start + np.arange(size) for start, size in zip(starts, chance.geometric(0.1, 50), strict=True)]
    )
    found = episodes(np.unique(times), 1.0)
    assert len(found) == pytest.approx(50, abs=3)
    assert len(np.intersect1d(found, starts)) >= 45


def test_scattered_events_stay_apart() -> None:
    times = np.sort(np.random.default_rng(8).choice(10**6, 60, replace=False)).astype(float)
    assert len(episodes(times, 1.0)) >= 55
    assert episodes(times[:1], 1.0).tolist() == times[:1].tolist()
    assert len(episodes(times[:0], 1.0)) == 0


def test_series_that_share_a_trend_do_not_meet() -> None:
    """Both have all their events in the last tenth, at times of their own."""
    chance = np.random.default_rng(9)
    one, two = (np.sort(900 + chance.uniform(0, 100, 60)) for _ in "ab")
    met = together(one, two, 1000.0, 0.5)
    assert met is None or met.log_p > math.log(0.01)
    same = together(one, one + 0.3, 1000.0, 0.5)
    assert same
    assert same.met >= 59


@pytest.mark.parametrize(("hits", "events", "share"), [(3, 10, 0.2), (9, 9, 0.01), (400, 1000, 0.3)])
def test_the_tail_is_that_of_the_binomial_distribution(hits: int, events: int, share: float) -> None:
    expected = sum(math.comb(events, k) * share**k * (1 - share) ** (events - k) for k in range(hits, events + 1))
    assert binomial_tail(hits, events, share) == pytest.approx(math.log(expected), rel=1e-6)
