"""How often a limit is reached, against published binomial bounds, the exact law, and counting."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from rtlat.intervals import Distribution, counted
from rtlat.statistics.limits import Exceedance, exceedance, exceedance_curve, reaching, share_interval
from rtlat.tails.refusals import Refusal

INF = math.inf
MS = 1e6


@pytest.mark.parametrize(
    ("count", "n", "low", "high"),
    [
        (0, 60_000, 0, 6.14794e-5),
        (0, 10**6, 0, 3.688873e-6),
        (1, 60_000, 4.2196e-7, 9.2857e-5),
        (3, 10**6, 6.18673e-7, 8.76725e-6),
        (10, 10**8, 4.79539e-8, 1.83904e-7),
        (7, 7, 0.59038, 1),
    ],
)
def test_two_sided_intervals(count: int, n: int, low: float, high: float) -> None:
    assert share_interval(count, n) == pytest.approx((low, high), rel=1e-5)


@pytest.mark.parametrize(("n", "high"), [(60_000, 4.99276e-5), (10**6, 2.995728e-6), (10**8, 2.99573e-8)])
def test_three_in_n_where_none_was_counted(n: int, high: float) -> None:
    assert share_interval(0, n, sides=1) == (0, pytest.approx(high, rel=1e-6))


@pytest.mark.parametrize(("count", "n"), [(1, 30), (5, 100), (250, 1000), (29, 30), (2, 10**7)])
def test_intervals_are_those_of_scipy(count: int, n: int) -> None:
    expected = binomtest(count, n).proportion_ci(0.95, method="exact")
    assert share_interval(count, n) == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_whatever_the_share_the_interval_holds_it() -> None:
    n = 60
    intervals = np.array([share_interval(count, n) for count in range(n + 1)])
    for share in np.linspace(0.001, 0.999, 400):
        holds = (intervals[:, 0] <= share) & (share <= intervals[:, 1])
        assert binom.pmf(np.flatnonzero(holds), n, share).sum() >= 0.95


@pytest.mark.parametrize("n", [1, 10, 10**6, 10**12, 2**62])
def test_bounds_are_never_on_the_wrong_side_of_what_was_counted(n: int) -> None:
    for count in sorted({0, 1, n // 3, n - 1, n}):
        for sides in (1, 2):
            low, high = share_interval(count, n, sides=sides)
            assert 0 <= low <= count / n <= high <= 1


@pytest.mark.parametrize(("count", "n"), [(-1, 5), (6, 5), (0, 0)])
def test_what_is_no_share(count: int, n: int) -> None:
    with pytest.raises(ValueError, match="no share"):
        share_interval(count, n)


def answered(d: Distribution, limit: float, period: float = math.nan) -> Exceedance:
    found = exceedance(d, limit, period=period)
    assert isinstance(found, Exceedance)
    return found


def test_a_limit_within_a_bin_is_bounded_from_both_counts() -> None:
    d = counted([0, 10, 20], [10, 20, 30], [90_000, 7, 3])
    found = answered(d, 15)
    assert (found.counted.low, found.counted.high) == (3, 10)
    assert found.low == share_interval(3, 90_010)[0]
    assert found.high == share_interval(10, 90_010)[1]
    assert found.high >= 10 / 90_010
    assert "3-10 of 90010 cycles reached 15 us" in found.text("15 us")


def test_per_hour_needs_the_period() -> None:
    d = counted([10], n=[10**6])
    low, high, upper = answered(d, 50, MS).per(3600)
    assert (low, high, upper) == (0, pytest.approx(3.688873e-6 * 3.6e6), pytest.approx(2.995728e-6 * 3.6e6))
    assert "(10.78 an hour)" in answered(d, 50, MS).text("50 us")
    assert all(math.isnan(rate) for rate in answered(d, 50).per(3600))
    assert "hour" not in answered(d, 50).text("50 us")


def test_what_was_counted_is_bounded_per_hour_from_both_sides() -> None:
    text = answered(counted([10, 60], n=[999_997, 3]), 50, MS).text("50 us")
    assert text.startswith(
        "3 of 1000000 cycles reached 50 us; with 95 % confidence between 1 in 1.616e+06 and 1 in 1.141"
    )
    assert "(2.227 to 31.56 an hour)" in text


def test_missed_activations_are_named() -> None:
    assert "12 activations were missed" in answered(counted([10], n=[100], missed=12), 50).text("50 us")


def test_without_n_there_is_no_share() -> None:
    for d, kind in ((counted([]), "not counted"), (replace(counted([1]), total=None), "n unknown")):
        found = exceedance(d, 5)
        assert isinstance(found, Refusal)
        assert found.kind == kind


def test_the_curve_is_what_counting_gives() -> None:
    low, n = np.array([0.0, 1, 5, 6, 40]), np.array([50, 30, 15, 4, 1])
    d = counted(low, low + 1, n)
    value, surely, maybe = reaching(d)
    for at, sure, perhaps in zip(value, surely, maybe, strict=True):
        assert sure == n[low >= at].sum()
        assert perhaps == n[low + 1 > at].sum()
    curve = exceedance_curve(d)
    assert not isinstance(curve, Refusal)
    for place, at in enumerate(curve.value):
        sure, perhaps = int(n[low >= at].sum()), int(n[low + 1 > at].sum())
        band = share_interval(sure, 100)[0], share_interval(perhaps, 100)[1]
        assert (curve.low[place], curve.high[place]) == pytest.approx(band)
        assert (curve.share_low[place], curve.share_high[place]) == (sure / 100, perhaps / 100)
    assert 41 not in curve.value, "nothing reaches the end of the last bin"


def test_a_long_curve_keeps_its_ends() -> None:
    curve = exceedance_curve(counted(np.arange(50_000)))
    assert not isinstance(curve, Refusal)
    assert len(curve.value) <= 2000
    assert (curve.value[0], curve.value[-1]) == (0, 49_999)
