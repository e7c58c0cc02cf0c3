"""Maxima at equal n against published figures, big integers, enumeration and closed forms."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import pytest
from recordings import rtirq_table

from rtlat.intervals import Distribution, counted
from rtlat.statistics.maxima import Growth, Maximum, at_equal_n, growth, log_chance_of_none, maximum_of
from rtlat.tails.refusals import Refusal

INF = math.inf


def greatest(d: Distribution, m: int) -> Maximum:
    found = maximum_of(d, m)
    assert isinstance(found, Maximum)
    return found


@pytest.fixture(scope="module")
def tenths(seeds: Path) -> Distribution:
    """The table of the rtirq article, its labels taken as values [0.1 us]."""
    table = rtirq_table(seeds)
    return counted(list(table), n=list(table.values()))


@pytest.mark.parametrize(
    ("m", "expected", "median"),
    [
        (1, 0.824108333, 8),
        (10, 1.364836383, 12),
        (100, 2.277978889, 24),
        (1000, 3.288099933, 32),
        (2999, 3.667235820, 34),
        (6000, 3.991437255, None),
        (30_000, 4.995879624, None),
        (60_000, 5.2, 52),
    ],
)
def test_rtirq(tenths: Distribution, m: int, expected: float, median: int | None) -> None:
    found = greatest(tenths, m)
    assert found.expected.low / 10 == found.expected.high / 10 == pytest.approx(expected, abs=6e-10)
    if median:
        assert found.median.low == found.median.high == median


@pytest.mark.parametrize("m", [1, 7, 333, 30_000, 69_990])
def test_as_exact_as_big_integers(m: int) -> None:
    n = 70_000
    above = np.array([0, 1, 2, 9, 100, 999, 1001, 5000, 10_001, 35_000, 69_000, 69_999])
    found = np.exp(log_chance_of_none(n, above, m))
    for j, chance in zip(above.tolist(), found, strict=True):
        exact = float(Fraction(comb(n - j, m), comb(n, m))) if j + m <= n else 0.0
        assert chance == pytest.approx(exact, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize(
    ("m", "above"),
    [(10**11, 1), (10**11, 50), (5 * 10**11, 3), (10**6, 10**6), (3, 10**11), (1, 5 * 10**11), (20, 9 * 10**11)],
)
def test_stable_to_1e12(m: int, above: int) -> None:
    n = 10**12
    few, many = sorted((m, above))
    exact = math.fsum(math.log1p(-many / (n - i)) for i in range(few))
    assert log_chance_of_none(n, np.array([above]), m)[0] == pytest.approx(exact, rel=1e-9)


def test_all_samples_of_a_small_run() -> None:
    values = [3, 3, 5, 8, 8, 8, 13]
    d = counted(values)
    for m in range(1, 8):
        maxima = sorted(max(drawn) for drawn in combinations(values, m))
        found = greatest(d, m)
        assert found.expected.low == pytest.approx(sum(maxima) / len(maxima))
        assert found.median.low == maxima[(len(maxima) + 1) // 2 - 1]


def test_exponential_maxima_are_harmonic_numbers() -> None:
    n = 10**7  # a sample so large that drawing from it is drawing from the law
    values = -np.log1p(-(np.arange(n) + 0.5) / n)
    assert greatest(counted(values), 1000).expected.low == pytest.approx(7.485470860550345, rel=1e-4)


def test_bins_and_an_overflow_bound_the_maximum() -> None:
    d = counted([0, 10, 20], [10, 20, INF], [80, 19, 1])
    found = greatest(d, 50)  # the one in the overflow is drawn half of the time
    assert found.expected.low > 14
    assert (found.expected.high, found.expected.status) == (INF, "overflow")
    assert (found.median.low, found.median.high) == (10, 20), "exactly half of the draws are without it"
    known = greatest(counted([0, 10, 20], [10, 20, 70], [80, 19, 1]), 50)
    assert known.expected.high == pytest.approx(0.5 * 70 + 0.5 * 20, rel=1e-3)


def test_a_longer_run_is_compared_at_the_shorter_ones_length() -> None:
    random = np.random.default_rng(5)
    short, long = counted(random.exponential(10, 1_000)), counted(random.exponential(10, 200_000))
    one, other = at_equal_n([short, long])
    assert isinstance(one, Maximum)
    assert isinstance(other, Maximum)
    assert one.m == other.m == 1000
    assert other.expected.low == pytest.approx(10 * 7.485, rel=0.05)
    assert long.maximum[0] > 1.3 * other.expected.low


def test_what_has_no_maximum() -> None:
    assert maximum_of(counted([1, 2]), 3) == Refusal("beyond the data", "2 cycles were measured, 3 were asked for")
    found = maximum_of(counted([]), 1)
    assert isinstance(found, Refusal)
    with pytest.raises(ValueError, match="no maximum"):
        maximum_of(counted([1]), 0)


def test_growth_ends_at_the_worst_observed(tenths: Distribution) -> None:
    grown = growth(tenths)
    assert isinstance(grown, Growth)
    assert (grown.m[0], grown.m[-1]) == (1, 60_000)
    assert (grown.expected_low[-1], grown.median_low[-1], grown.most[-1]) == (52, 52, 52)
    assert (np.diff(grown.expected_low) > 0).all()
    assert (grown.least <= grown.median_low).all()
    assert (grown.median_low <= grown.most).all()
