"""Effects against known answers: exact conditional intervals, Mann and Whitney's U, brute force over all pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rtlat.intervals import Distribution, counted
from rtlat.statistics.effects import difference, exceedance_ratio, ratio_of_counts, shift
from rtlat.statistics.results import Bounds
from rtlat.statistics.superiority import common_step, grid, on_common_grid, superiority


def exactly(count: float) -> Bounds:
    """A count that is known."""
    return Bounds(count, count, "ok")


@pytest.mark.parametrize(
    ("count", "n", "reference", "m", "ratio", "low", "high"),
    [
        (15, 1e8, 3, 1e8, 5, 1.41442, 26.9446),
        (5, 1e6, 0, 1e6, math.inf, 0.91636, math.inf),
        (10, 1e7, 10, 1e8, 10, 3.73547, 26.7704),
        (130, 1e8, 100, 1e8, 1.3, 0.99396, 1.70450),
    ],
)
def test_ratios_of_published_counts(
    count: int, n: float, reference: int, m: float, ratio: float, low: float, high: float
) -> None:
    found = ratio_of_counts(exactly(count), n, exactly(reference), m)
    assert found.low == pytest.approx(low, rel=1e-5)
    assert found.high == pytest.approx(high, rel=1e-5)
    if math.isinf(ratio):
        assert found.observed.status == "refused"
    else:
        assert found.observed.low == found.observed.high == pytest.approx(ratio)


@pytest.mark.parametrize(("count", "reference"), [(7, 3), (0, 4), (12, 12), (1, 0)])
def test_a_ratio_is_the_binomial_test_of_one_count_given_the_sum(count: int, reference: int) -> None:
    """Clopper and Pearson's interval of the share, as odds, times the ratio of the exposures."""
    found = ratio_of_counts(exactly(count), 3e6, exactly(reference), 1e6)
    share = stats.binomtest(count, count + reference).proportion_ci(0.95)
    odds = [end / (1 - end) if end < 1 else math.inf for end in (share.low, share.high)]
    assert found.low == pytest.approx(odds[0] / 3)
    assert found.high == pytest.approx(odds[1] / 3)


def test_counts_of_hardly_an_event_leave_the_ratio_open_below() -> None:
    """With a dispersion of 2000 a hundred events tell as much as a twentieth of one that stands alone."""
    found = ratio_of_counts(exactly(100), 1e5, exactly(120), 1e5, dispersion=2000)
    assert found.low == 0
    assert found.high > 1e6


def test_a_limit_within_a_bin_widens_the_ratio() -> None:
    a, b = counted([0, 10, 20], [10, 20, 30], [9000, 70, 30]), counted([0, 10, 20], [10, 20, 30], [9000, 35, 15])
    sharp, blurred = exceedance_ratio(a, b, 20), exceedance_ratio(a, b, 15)
    assert sharp.observed.low == sharp.observed.high == pytest.approx(2 * 9050 / 9100)
    assert (blurred.count.low, blurred.count.high) == (30, 100)
    assert blurred.low < sharp.low < sharp.high < blurred.high
    assert exceedance_ratio(a, b, 20, dispersion=4).low < sharp.low


def test_a_ratio_needs_a_number_of_observations() -> None:
    unknown = Distribution(counted([5]).intervals, None)
    found = exceedance_ratio(unknown, counted([5]), 1)
    assert found.observed.status == "refused"
    assert (found.low, found.high) == (0, math.inf)


def test_counts_beyond_int64_products_do_not_wrap() -> None:
    """4e9 times 4e9 is more than int64 holds."""
    a, b = counted([1, 2], n=[3_000_000_000, 1_000_000_000]), counted([1, 2], n=[2_000_000_000, 2_000_000_000])
    assert superiority(a, b).low == pytest.approx((0.25 * 0.5) + 0.5 * (0.75 * 0.5 + 0.25 * 0.5))


@pytest.mark.parametrize("seed", range(3))
def test_superiority_is_mann_and_whitneys_u(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 30, 200), rng.integers(2, 40, 150)
    wanted = stats.mannwhitneyu(a, b).statistic / (200 * 150)
    for found in (superiority(counted(a), counted(b)), superiority(counted(a, a + 1), counted(b, b + 1))):
        assert found.low == found.high == pytest.approx(wanted)


cells = st.lists(st.tuples(st.integers(0, 6), st.integers(1, 4), st.integers(1, 3)), min_size=1, max_size=6)


@given(cells, cells)
def test_superiority_bounds_hold_whatever_lies_in_the_bins(
    first: list[tuple[int, int, int]], second: list[tuple[int, int, int]]
) -> None:
    """Brute force: values anywhere within the bins, here their middles, give a chance within the bounds."""
    ds = [
        counted([low for low, _, _ in rows], [low + w for low, w, _ in rows], [n for *_, n in rows])
        for rows in (first, second)
    ]
    a, b = ([low + w / 2 for low, w, n in rows for _ in range(n)] for rows in (first, second))
    if common_step(ds):
        return  # on a grid equal bins are ties, wherever the values lie in them
    chance = np.mean([(x > y) + (x == y) / 2 for x in a for y in b])
    found = superiority(*ds)
    same = {(low, w) for low, w, _ in first} & {(low, w) for low, w, _ in second}
    if not same:
        assert found.low - 1e-9 <= chance <= found.high + 1e-9
    assert 0 <= found.low <= found.high <= 1 + 1e-12
    back = superiority(*reversed(ds))
    assert back.low == pytest.approx(1 - found.high)


def test_grids() -> None:
    assert grid(counted([0, 1000, 2500], [1000, 2000, 3000], [5, 5, 1])) == 1000, "cut at the printed minimum"
    assert math.isnan(grid(counted([0, 10], [10, 90], [5, 5]))), "a window is no bin"
    assert math.isnan(grid(counted([], []))) or grid(counted([5])) == 0
    fine, coarse, step = on_common_grid(counted([999.9999999, 1500.0]), counted([0, 1000], [1000, 2000]))
    assert step == 1000
    assert fine.intervals.low.tolist() == [0, 1000]
    assert coarse.intervals.high.tolist() == [1000, 2000]
    assert fine.total == 2


def test_a_shift_is_one_sided_where_an_end_is_open() -> None:
    bounded, open_ = counted([10], [11], [9000]), counted([10, 40], [11, math.inf], [8900, 100])
    up, down = shift(open_, bounded, "99.9"), shift(bounded, open_, "99.9")
    assert (up.low, up.high) == (29, math.inf)
    assert (down.low, down.high) == (-math.inf, -29)
    assert down.observed.text("us") == "<= -29 us"
    both = shift(open_, open_, "99.9")
    assert (both.low, both.high) == (-math.inf, math.inf)
    assert shift(open_, bounded, 50).observed.text() == "-1 to 1"


def test_a_shift_of_what_is_not_known_is_refused() -> None:
    unknown = Distribution(counted([5]).intervals, None, refusal="somebody's claim, not a measurement")
    found = shift(counted([5]), unknown, 50)
    assert found.observed.status == "refused"
    assert found.observed.reason == "somebody's claim, not a measurement"


def test_differences_of_bounds_are_the_widest() -> None:
    assert difference(exactly(7), exactly(9)).text("us") == "-2 us"
    assert difference(Bounds(1, 4, "bounds"), Bounds(0, 2, "ok")) == Bounds(-1, 4, "bounds")
