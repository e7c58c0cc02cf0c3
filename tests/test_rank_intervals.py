"""Intervals of percentiles against tables of the binomial law, published figures, and samples of a known law."""

from __future__ import annotations

import math
from fractions import Fraction
from math import comb
from pathlib import Path

import pytest
from recordings import rtirq_table

from rtlat.errors import UsageError
from rtlat.intervals import Distribution, counted
from rtlat.statistics.rank_intervals import percentile_interval, rank_interval, support_by_nines
from rtlat.statistics.ranks import risk, samples_needed


@pytest.mark.parametrize(
    ("n", "percent", "lower", "upper", "coverage"),
    [
        (25, "50", 8, 18, 0.95671),
        (100, "50", 40, 61, 0.96480),
        (60_000, "50", 29_760, 30_241, 0.95043),
        (60_000, "99", 59_352, 59_448, 0.95113),
        (60_000, "99.9", 59_924, 59_956, 0.96156),
        (60_000, "99.99", 59_989, 59_999, 0.96257),
        (60_000, "99.999", 59_998, None, 0.97689),
        (3 * 10**6, "99.9999", 2_999_993, None, 0.98810),
        (10**8, "99.9999", 99_999_880, 99_999_920, 0.95468),
        (10**9, "99.9999", 999_998_938, 999_999_063, 0.95192),
        (10**12, "99.99999", 999_999_899_380, 999_999_900_620, 0.95008),
    ],
)
def test_ranks_of_the_binomial_law(n: int, percent: str, lower: int, upper: int | None, coverage: float) -> None:
    found = rank_interval(n, percent)
    assert (found.lower, found.upper) == (lower, upper)
    assert found.coverage == pytest.approx(coverage, abs=5e-6 if n < 10**9 else 2e-5)


@pytest.mark.parametrize("percent", ["5", "25", "50", "90", "99"])
def test_the_ranks_are_the_innermost_that_cover_on_each_side(percent: str) -> None:
    n, share = 40, Fraction(percent) / 100
    below = [comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(n + 1)]
    found = rank_interval(n, percent)
    lower, upper = found.lower or 0, found.upper or n + 1
    assert sum(below[:lower]) <= Fraction(1, 40) < sum(below[: lower + 1])
    assert sum(below[upper:]) <= Fraction(1, 40) < sum(below[upper - 1 :])
    assert found.coverage == pytest.approx(float(sum(below[lower:upper])), abs=1e-12)


@pytest.mark.parametrize(
    ("percent", "one_sided", "two_sided"),
    [
        ("90", 29, 36),
        ("99", 299, 368),
        ("99.9", 2_995, 3_688),
        ("99.99", 29_956, 36_887),
        ("99.999", 299_572, 368_887),
        ("99.9999", 2_995_731, 3_688_878),
        ("99.99999", 29_957_322, 36_888_793),
    ],
)
def test_observations_needed_for_each_nine(percent: str, one_sided: int, two_sided: int) -> None:
    rows = {row.percent: row for row in support_by_nines(two_sided - 1)}
    assert (rows[percent].one_sided, rows[percent].two_sided, rows[percent].supported) == (one_sided, two_sided, False)
    assert next(row for row in support_by_nines(two_sided) if row.percent == percent).supported
    assert rank_interval(two_sided, percent).upper == two_sided
    assert rank_interval(two_sided - 1, percent).upper is None


def test_more_nines_are_listed_where_n_supports_them() -> None:
    assert support_by_nines(10)[-1].percent == "99.99999"
    assert support_by_nines(10**10)[-1].percent == "99.9999999"


@pytest.fixture(scope="module")
def tenths(seeds: Path) -> Distribution:
    """The table of the rtirq article, its labels taken as values [0.1 us]."""
    table = rtirq_table(seeds)
    return counted(list(table), n=list(table.values()))


@pytest.mark.parametrize(
    ("percent", "text"),
    [
        ("50", "8 to 8"), ("90", "12 to 12"), ("99", "17 to 20"), ("99.9", "31 to 32"), ("99.99", "35 to 51"),
        ("99.999", "at least 49, no upper bound at this n"),
    ],
)  # fmt: skip
def test_rtirq_intervals(tenths: Distribution, percent: str, text: str) -> None:
    assert percentile_interval(tenths, percent).text() == text


def test_rtirq_ranks_of_p90(tenths: Distribution) -> None:
    ranks = percentile_interval(tenths, 90).ranks
    assert ranks is not None
    assert (ranks.lower, ranks.upper) == (53_856, 54_145)


def test_bins_widen_the_interval_outwards_and_an_overflow_leaves_it_open() -> None:
    d = counted([0, 10, 20], [10, 20, math.inf], [9000, 900, 100])
    assert percentile_interval(d, 95).text("us") == "10 to 20 us"
    assert percentile_interval(d, "99.5").text("us") == "at least 20 us, upper bound beyond the histogram"
    assert percentile_interval(d, "99.99").reason == "10000 observations, 36887 are needed"
    assert percentile_interval(d, 0).text("us") == "at most 10 us"


def test_what_cannot_be_counted_is_refused() -> None:
    found = percentile_interval(counted([]), 50)
    assert (found.ranks, found.reason, found.text()) == (None, "no observation", "refused")


@pytest.mark.parametrize("confidence", ["0", "100", "-5", "abc", "1e2", ""])
def test_what_is_no_confidence_is_refused(confidence: str) -> None:
    with pytest.raises(UsageError, match="no confidence"):
        risk(confidence)


def test_needed_follows_the_confidence() -> None:
    assert samples_needed(99, confidence="99", sides=1) == math.ceil(math.log(0.01) / math.log(0.99))
