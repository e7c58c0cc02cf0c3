"""Steps and drift: found where they are, rare in noise, also where neighbours resemble each other."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, kendalltau

from rtlat.intervals import Array
from rtlat.timeline.shifts import drift, steps, straighter


def neighbourly(chance: np.random.Generator, n: int, alike: float) -> Array:
    """Return values whose neighbours are correlated (autoregressive of order one)."""
    values = chance.normal(size=n + 50)
    for place in range(1, n + 50):
        values[place] += alike * values[place - 1]
    return values[50:]


@pytest.mark.parametrize("alike", [0.0, 0.6])
def test_noise_steps_and_drifts_as_rarely_as_said(alike: float) -> None:
    """Ten percent with correlated neighbours, whose correlation is only estimated; nominal are five."""
    runs, alpha = 300, 0.05
    stepped = drifted = 0
    for seed in range(runs):
        values = neighbourly(np.random.default_rng(seed), 100, alike)
        slope = drift(values)
        stepped += bool(steps(values, alpha))
        drifted += bool(slope and slope.log_p < math.log(alpha))
    assert max(stepped, drifted) <= binom.ppf(0.999, runs, alpha if not alike else 2 * alpha)


@pytest.mark.parametrize("seed", range(5))
def test_three_levels_have_two_steps(seed: int) -> None:
    """Gamma latencies 4 higher from 5000 to 8000 of 12,000, in a hundred blocks: [42, 67]."""
    values = np.random.default_rng(seed).gamma(4, 2, 12_000)
    values[5000:8000] += 4
    found = steps(values.reshape(100, 120).mean(1), 0.01)
    assert [step.block for step in found] == pytest.approx([42, 67], abs=1)
    assert found[0].after - found[0].before == pytest.approx(4, abs=0.6)


def test_a_spike_is_no_step() -> None:
    values = np.random.default_rng(3).normal(10, 1, 60)
    values[40] = 10_000
    assert steps(values, 0.01) == []


@pytest.mark.parametrize("values", [np.ones(50), np.arange(5.0), np.empty(0)])
def test_what_is_constant_or_short_tells_nothing(values: Array) -> None:
    assert steps(values, 0.01) == []
    assert drift(values) is None


def test_the_slope_and_the_chance_of_a_drift() -> None:
    """Theil and Sen by all pairs; Kendall's tau of independent values has the p value of scipy's."""
    values = np.random.default_rng(11).normal(0, 5, 40) + np.arange(40) * 0.1
    found = drift(values)
    assert found
    pairs = [(values[b] - values[a]) / (b - a) for a in range(40) for b in range(a + 1, 40)]
    assert found.slope == pytest.approx(np.median(pairs))
    if found.log_p > math.log(kendalltau(np.arange(40), values, method="asymptotic").pvalue) + 1e-9:
        assert np.corrcoef(values[1:], values[:-1])[0, 1] > -0.2, (
            "only neighbours that resemble each other cost certainty"
        )


def test_a_line_and_a_step_are_told_apart() -> None:
    assert straighter(np.arange(40.0), 20, 1.0)
    assert not straighter(np.repeat([0.0, 40.0], 20), 20, 1.0)
