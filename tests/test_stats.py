"""Statistics against published figures, tables of the binomial law, closed forms and numpy."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from recordings import TRUNCATED, US, histogram, one, rtirq_table

from rtlat.distribution import distribution
from rtlat.errors import UsageError
from rtlat.intervals import Distribution, counted
from rtlat.rows import Rows
from rtlat.statistics import stats

INF = math.inf


def ends(result: stats.Bounds) -> tuple[float, float, str]:
    return result.low, result.high, result.status


@pytest.fixture(scope="module")
def tenths(seeds: Path) -> Distribution:
    """The table of the rtirq article, its labels taken as values [0.1 us]."""
    table = rtirq_table(seeds)
    assert (len(table), sum(table.values())) == (39, 60_000), "as the article says"
    return counted(list(table), n=list(table.values()))


@pytest.fixture(scope="module")
def bins(seeds: Path) -> Distribution:
    """The same table, its labels taken as lower edges [0.1 us]."""
    table = rtirq_table(seeds)
    return counted(list(table), [label + 1 for label in table], list(table.values()), resolution=1.0)


# Ranks


@pytest.mark.parametrize(
    ("n", "percent", "expected"),
    [
        (100, "55", 55),  # numpy's inverted_cdf takes the 56th
        (10_000, "56", 5600),  # and here the 5601st
        (60_000, "99.9", 59_940),
        (60_000, "99.99", 59_994),
        (60_000, "99.999", 60_000),
        (10, "14", 2),  # HdrHistogram rounds and takes the 1st
        (5, "25", 2),
        (1, "50", 1),
        (2**62, "99.999", 2**62 - 2**62 // 100_000),
        (3, "0", 1),
        (3, "100", 3),
    ],
)
def test_ranks_are_exact(n: int, percent: str, expected: int) -> None:
    assert stats.rank(n, percent) == expected


@pytest.mark.parametrize("percent", ["", "abc", "-1", "100.001", "1e1", "nan", "1/3", "0x10", "9" * 400])
def test_what_is_no_percentile_is_refused(percent: str) -> None:
    with pytest.raises(UsageError, match="no percentile"):
        stats.percentile(counted([1]), percent)


@pytest.mark.parametrize(
    ("percent", "needed"),
    [
        ("90", 36),
        ("99", 368),
        ("99.9", 3_688),
        ("99.99", 36_887),
        ("99.999", 368_887),
        ("99.9999", 3_688_878),
        ("99.99999", 36_888_793),
        ("1", 368),
        ("50", 6),
        ("100", None),
    ],
)
def test_samples_needed_for_both_ends_of_a_95_percent_interval(percent: str, needed: int | None) -> None:
    assert stats.samples_needed(percent) == needed
    if needed and needed < 10_000:  # by the definition: the chance that all lie on one side of the percentile
        share = max(float(percent), 100 - float(percent)) / 100
        assert share**needed <= 0.025 < share ** (needed - 1)


def test_further_nines_are_shown_where_n_supports_them() -> None:
    assert stats.default_percentiles(3_688_877)[-1] == "99.999"
    assert stats.default_percentiles(3_688_878)[-1] == "99.9999"
    assert stats.default_percentiles(2**63 - 1)[-1] == "99." + "9" * 16
    assert [stats.supported_percent(n) for n in (5, 6, 35, 36, 368_886, 368_887)] == [
        "",
        "50",
        "50",
        "90",
        "99.99",
        "99.999",
    ]


def test_a_percentile_says_whether_n_supports_it() -> None:
    assert stats.percentile(counted([1], n=[36]), 90).supported is True
    assert stats.percentile(counted([1], n=[35]), 90).supported is False


# The rtirq article


@pytest.mark.parametrize(
    ("percent", "expected"),
    [
        ("1", 4), ("25", 6), ("50", 8), ("75", 10), ("90", 12), ("95", 13), ("99", 18),
        ("99.9", 31), ("99.99", 37), ("99.999", 52), ("100", 52),
    ],
)  # fmt: skip
def test_rtirq_percentiles(tenths: Distribution, bins: Distribution, percent: str, expected: int) -> None:
    exact, binned = stats.percentile(tenths, percent), stats.percentile(bins, percent)
    assert (exact.low, exact.high) == (expected, expected)
    assert (binned.low, binned.high) == (expected, expected + 1)
    assert exact.status == binned.status == ("max" if percent in ("99.999", "100") else "ok")


def test_rtirq_moments(tenths: Distribution, bins: Distribution) -> None:
    assert stats.mean(tenths).low / 10 == stats.mean(tenths).high / 10 == pytest.approx(0.8241083333333333, rel=1e-14)
    assert stats.mean(bins).low / 10 == pytest.approx(0.8241083333333333, rel=1e-14)
    assert stats.mean(bins).high / 10 == pytest.approx(0.9241083333333333, rel=1e-14)
    assert ends(stats.std(tenths))[:2] == pytest.approx((3.0506166851510896,) * 2, rel=1e-13)
    low, high, status = ends(stats.std(bins))
    assert low < 3.0506166851510896 < high < 3.0506166851510896 + 1
    assert status == "ok"


@pytest.mark.parametrize(
    ("name", "expected"), [("range", 48), ("iqr", 4), ("mad", 2), ("p99-p1", 14), ("p99.9-p50", 23)]
)
def test_rtirq_spreads(tenths: Distribution, bins: Distribution, name: str, expected: int) -> None:
    assert ends(stats.SPREADS[name](tenths)) == (expected, expected, "ok")
    assert ends(stats.SPREADS[name](bins)) == (expected - 1, expected + 1, "ok")


def test_rtirq_exceedances(tenths: Distribution, bins: Distribution) -> None:
    assert ends(stats.exceedances(tenths, 52)) == (1, 1, "ok")
    assert ends(stats.exceedances(tenths, 53)) == (0, 0, "ok")
    assert ends(stats.exceedances(bins, 52.5))[:2] == (0, 1)
    # the article: 1333 in the first row, accumulated 98.98 % up to 1.7
    assert ends(stats.exceedances(tenths, 5))[:2] == (60_000 - 1333,) * 2
    assert ends(stats.exceedances(bins, 18))[:2] == (612, 612)


# Overflow


def overflowing(maximum: float | None) -> Distribution:
    rows = Rows()
    histogram(rows, {1: 90, 2: 5, 3: 1, 4: 1})
    rows.add("t0", "thread", "bin", 5 * US, INF, n=3)
    if maximum is not None:
        rows.add("t0", "thread", "summary", 1 * US, maximum, n=100, avg=1 * US)
    return distribution(one(rows, **TRUNCATED), "r0", "t0", "thread")


@pytest.mark.parametrize(
    ("percent", "with_maximum", "without"),
    [
        ("50", "1-2 us", "1-2 us"),
        ("95", "2-3 us", "2-3 us"),
        ("97", "4-5 us", "4-5 us"),
        ("98", ">= 5 us (max 17)", ">= 5 us"),
        ("99", ">= 5 us (max 17)", ">= 5 us"),
        ("99.9", "17-18 us (max)", ">= 5 us"),
        ("100", "17-18 us (max)", ">= 5 us"),
    ],
)
def test_overflow_is_never_a_number(percent: str, with_maximum: str, without: str) -> None:
    assert stats.percentile(overflowing(17 * US), percent).over(US).text("us") == with_maximum
    assert stats.percentile(overflowing(None), percent).over(US).text("us") == without


def test_an_overflow_that_begins_where_the_last_bin_ends_is_none_of_its_observations() -> None:
    # 10 in [398, 399), 5 in [399, 400), and 5 beyond whose printed maximum is 400: the smallest there is
    d = counted([398, 399, 400], [399, 400, 400], [10, 5, 5], [False, False, True], [False, False, True])
    results = [stats.percentile(d, percent) for percent in (50, 55, 75, 80, 100)]
    assert [result.rank for result in results] == [10, 11, 15, 16, 20]
    assert [result.status for result in results[:3]] == ["ok"] * 3
    assert [(result.low, result.high) for result in results[1:4]] == [(399, 400), (399, 400), (400, 400)]
    assert results[3].status == "overflow"


def test_overflow_leaves_moments_open_unless_the_maximum_and_the_average_are_printed() -> None:
    open_, closed = overflowing(None), overflowing(17 * US)
    assert ends(stats.mean(open_)) == (1.22 * US, INF, "overflow")
    # 1.22 + 3 * 5 - 15 of the bins; from above 90 * 2 + 5 * 3 + 4 + 5 + 3 * 18 = 258 hundredths, below the average's 3
    assert ends(stats.mean(closed)) == (pytest.approx(1.34 * US), pytest.approx(2.58 * US), "ok")
    assert ends(stats.std(open_))[1:] == (INF, "overflow")
    assert stats.std(closed).high < INF
    assert ends(stats.maximum(open_)) == (5 * US, INF, "overflow")
    assert ends(stats.value_range(open_)) == (3 * US, INF, "overflow")
    assert ends(stats.value_range(closed)) == (15 * US, 17 * US, "ok")


def test_observations_that_may_be_anything_have_neither_mean_nor_deviation() -> None:
    d = counted([-INF, 1], [INF, 2], [1, 9])
    assert stats.mean(d).status == "refused"
    assert stats.std(d).status == "refused"
    assert ends(stats.percentile(d, 50)) == (1, 2, "ok")


def test_the_overflow_is_named_even_where_a_summary_counts_more() -> None:
    rows = Rows()
    histogram(rows, {1: 90})
    rows.add("t0", "thread", "bin", 5 * US, INF, n=8)
    rows.add("t0", "thread", "summary", 1 * US, 17 * US, n=100)
    d = distribution(one(rows), "r0", "t0", "thread")
    assert stats.percentile(d, 95).over(US).text("us") == ">= 5 us (max 17)"
    assert ends(stats.percentile(d, 91).over(US)) == (1, 17, "bounds"), "two observations may lie anywhere"


def test_exceedances_of_a_limit_in_the_overflow() -> None:
    assert ends(stats.exceedances(overflowing(None), 10 * US))[:2] == (0, 3)
    assert ends(stats.exceedances(overflowing(17 * US), 10 * US))[:2] == (1, 3)
    assert ends(stats.exceedances(overflowing(17 * US), 18 * US))[:2] == (0, 0)


def test_spread_across_the_overflow_is_open() -> None:
    result = stats.difference(overflowing(None), 99, 1)
    assert ends(result) == (3 * US, INF, "overflow")


def test_an_open_low_end_is_underflow() -> None:
    d = counted([-INF, 0, 1], [0, 1, 2], [3, 90, 7])
    assert ends(stats.percentile(d, 1)) == (-INF, 0, "underflow")
    assert stats.percentile(d, 1).text() == "<= 0"
    assert ends(stats.percentile(d, 50))[2] == "ok"
    assert ends(stats.mean(d))[2] == "underflow"


# Summaries, windows, statements


def test_lil_gives_extremes_mean_and_no_percentile() -> None:
    rows = Rows()
    rows.add("all", "irq", "summary", 542, 2100, n=2_000_000, avg=542, unit="cycles")
    d = distribution(one(rows, resolution=1.0, rounding="unknown"), "r0", "all", "irq")
    assert ends(stats.minimum(d)) == (542, 542, "ok")
    assert ends(stats.maximum(d)) == (2100, 2100, "ok")
    assert ends(stats.mean(d)) == (542, 543, "ok")
    assert {ends(stats.percentile(d, p)) for p in (50, 99, "99.9")} == {(542, 2100, "bounds")}
    assert ends(stats.std(d))[2] == "bounds"


def test_a_maximum_without_n_refuses_all_else() -> None:
    rows = Rows()
    rows.add("T0", "deviation", "summary", -INF, 2123 * US)
    d = distribution(one(rows), "r0", "T0", "deviation")
    assert ends(stats.maximum(d)) == (2123 * US, 2123 * US, "ok")
    for statistic in (stats.minimum, stats.mean, stats.std, *stats.SPREADS.values()):
        assert statistic(d).status == "refused"
        assert statistic(d).reason
    assert stats.percentile(d, 50).reason == "the number of observations is unknown"
    assert ends(stats.exceedances(d, 2000 * US)) == (1, INF, "bounds")
    assert ends(stats.exceedances(d, 3000 * US)) == (0, 0, "ok")


def test_a_maximum_beyond_a_limit_is_one_that_reached_it() -> None:
    """RTAI prints windows without saying of how many samples, and the greatest of all beside them."""
    rows = Rows()
    rows.extend("all", "thread", "window", np.full(3, -75.0), np.array([697_876.0, 42.0, 254.0]), avg=np.full(3, 60.0))
    d = distribution(one(rows), "r0", "all", "thread")
    assert ends(stats.exceedances(d, 500 * US))[:2] == (1, INF)
    assert ends(stats.exceedances(d, 700 * US)) == (0, 0, "ok")


def test_a_spread_that_nothing_bounds_is_refused() -> None:
    """RTAI's switches: a mean time of n switches, and neither the least nor the greatest."""
    rows = Rows()
    rows.add("all", "switch", "summary", -INF, INF, n=40_000, avg=500.0)
    d = distribution(one(rows), "r0", "all", "switch")
    for statistic in (stats.std, stats.mad):
        assert statistic(d).status == "refused"


def test_extremes_without_n_bound_every_percentile() -> None:
    rows = Rows()
    rows.add("all", "round_trip", "summary", 9 * US, 29 * US, avg=12 * US)
    d = distribution(one(rows), "r0", "all", "round_trip")
    assert ends(stats.percentile(d, "99.9")) == (9 * US, 29 * US, "bounds")
    assert stats.percentile(d, "99.9").rank is None
    assert ends(stats.mean(d)) == (12 * US, 12 * US, "ok")


def test_a_printed_percentile_answers_only_its_own_question() -> None:
    rows = Rows()
    rows.add("all", "irq", "quantile", 486.1 * US, 486.1 * US, q=0.999)
    rows.add("all", "irq", "summary", -INF, 500.8 * US)
    d = distribution(one(rows), "r0", "all", "irq")
    assert stats.percentile(d, "99.9").over(US).text("us") == "486.1 us (stated)"
    assert stats.percentile(d, "99.90").status == "stated"
    assert stats.percentile(d, "99.91").status == "refused"
    assert stats.maximum(d).over(US).text("us") == "500.8 us"


def test_a_printed_percentile_does_not_replace_one_that_can_be_computed() -> None:
    rows = Rows()
    histogram(rows, {1: 99, 2: 1})
    rows.add("t0", "thread", "quantile", 77, 77, q=0.5)
    assert stats.percentile(distribution(one(rows), "r0", "t0", "thread"), 50).status == "ok"


def test_a_printed_standard_deviation_is_stated() -> None:
    rows = Rows()
    rows.add("t0", "thread", "summary", 1, 9, n=100, avg=3, std=1.5)
    assert ends(stats.std(distribution(one(rows), "r0", "t0", "thread"))) == (1.5, 1.5, "stated")


def test_windows_bound_percentiles_by_their_ends() -> None:
    rows = Rows()
    rows.add("all", "user", "window", 1, 5, n=100, avg=2)
    rows.add("all", "user", "window", 2, 40, n=100, avg=3)
    d = distribution(one(rows), "r0", "all", "user")
    # low ends: 100 x 1 but one, of which 98 may be there, then 5; high ends: at most 5 for the first window
    assert ends(stats.percentile(d, 50)) == (2, 5, "bounds")
    assert ends(stats.percentile(d, "99.9")) == (40, 40, "bounds")
    assert ends(stats.mean(d)) == (2.5, 2.5, "ok")


def test_a_partial_histogram_marks_all_it_answers() -> None:
    rows = Rows()
    histogram(rows, {1: 9, 2: 1})
    d = distribution(one(rows, ended="cut", **TRUNCATED), "r0", "t0", "thread")
    results = [
        stats.percentile(d, 50),
        stats.maximum(d),
        stats.mean(d),
        stats.std(d),
        stats.mad(d),
        stats.exceedances(d, 0),
    ]
    assert {result.status for result in results} == {"partial"}
    assert stats.percentile(d, 50).over(US).text("us") == "1-2 us (partial)"


def test_below_the_resolution() -> None:
    rows = Rows()
    histogram(rows, {0: 99, 3: 1})
    d = distribution(one(rows, **TRUNCATED), "r0", "t0", "thread")
    assert stats.percentile(d, 50).over(US).text("us") == "< 1 us"
    assert stats.minimum(d).status == "below_resolution"
    assert stats.percentile(d, 100).over(US).text() == "3-4 (max)"


def test_refusals_carry_their_reason() -> None:
    rows = Rows()
    rows.add("all", "irq", "summary", 1, 5, n=10)
    claim = distribution(one(rows, evidence="claim"), "r0", "all", "irq")
    for d, word in ((claim, "claim"), (counted([]), "no observation"), (counted([1, 2, 3], n=[2**62] * 3), "counter")):
        results = [
            stats.percentile(d, 50),
            stats.mean(d),
            stats.std(d),
            stats.mad(d),
            stats.exceedances(d, 1),
            stats.difference(d, 75, 25),
        ]
        assert {result.status for result in results} == {"refused"}
        assert all(word in str(result.reason) for result in results)


# Small and large


def test_one_observation_is_everything() -> None:
    d = counted([7.0])
    assert ends(stats.percentile(d, 50)) == (7, 7, "max")
    assert ends(stats.std(d)) == (0, 0, "ok")
    d = counted([7.0], [8.0])
    assert ends(stats.std(d)) == (0, 0, "ok"), "one observation has no spread, wherever it lies in its bin"
    assert {ends(spread(d)) for name, spread in stats.SPREADS.items() if name != "mad"} == {(0, 0, "ok")}


def test_counts_near_the_largest_are_ranked_exactly() -> None:
    n = [2**62 - 1, 1, 2**62 - 1]
    d = counted([1, 2, 3], n=n)
    assert stats.percentile(d, 50).rank == 2**62  # ceil((2^63 - 1) / 2)
    assert stats.percentile(d, 50).low == 2
    assert stats.mean(d).low == pytest.approx(2)
    assert stats.std(d).low == pytest.approx(1)
    assert stats.exceedances(d, 2).low == 2**62


def test_large_latencies_keep_their_digits() -> None:
    # the variance of k, k + 1, k + 2 is 2/3 however large k is
    d = counted([1e12 + k for k in range(3)])
    assert stats.std(d).low == pytest.approx(math.sqrt(2 / 3), rel=1e-12)
    assert ends(stats.std(counted([1e12], [1e12 + 1], [4])))[:2] == pytest.approx((0, 0.5), rel=1e-9)


def brute(values: Iterable[float]) -> dict[str, float]:
    """The same statistics by numpy."""
    x = np.sort(np.asarray(list(values)))
    median = x[(len(x) + 1) // 2 - 1]
    middle = np.sort(abs(x - median))[(len(x) + 1) // 2 - 1]
    p = {q: np.quantile(x, q / 100, method="inverted_cdf") for q in (1, 25, 50, 75, 99, 99.9)}
    spreads = {"iqr": p[75] - p[25], "mad": middle, "p99-p1": p[99] - p[1], "p99.9-p50": p[99.9] - p[50]}
    return {"range": x[-1] - x[0], "std": x.std(), "mean": x.mean(), **spreads}


def test_samples_agree_with_numpy() -> None:
    values = np.random.default_rng(1).normal(10, 3, 1001).round(2)
    d, expected = counted(values), brute(values)
    assert {name: spread(d).low for name, spread in stats.SPREADS.items()} == {
        name: expected[name] for name in stats.SPREADS
    }
    assert ends(stats.std(d))[:2] == pytest.approx((expected["std"],) * 2, rel=1e-12)
    assert ends(stats.mean(d))[:2] == pytest.approx((expected["mean"],) * 2, rel=1e-12)
