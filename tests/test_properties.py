"""Statistics of intervals against brute force on observations drawn from within them."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from recordings import one

from rtlat.distribution import distribution
from rtlat.intervals import Array, Distribution, counted
from rtlat.pooling import pool
from rtlat.rows import Rows
from rtlat.statistics import stats

PERCENTS = ("0", "1", "25", "50", "75", "90", "99", "99.9", "100")

percents = st.sampled_from(PERCENTS) | st.decimals(0, 100, places=3).map(str)
edges = st.integers(-30, 60).map(float)


@st.composite
def histograms(draw: st.DrawFn) -> Distribution:
    """Bins that do not overlap, of any widths, with or without gaps."""
    starts = sorted(draw(st.sets(st.integers(-30, 60), min_size=1, max_size=6)))
    ends = [*starts[1:], starts[-1] + 6]
    widths = [min(draw(st.integers(1, 6)), end - start) for start, end in zip(starts, ends, strict=True)]
    n = draw(st.lists(st.integers(1, 5), min_size=len(starts), max_size=len(starts)))
    return counted(starts, [start + width for start, width in zip(starts, widths, strict=True)], n)


@st.composite
def overlapping(draw: st.DrawFn) -> Distribution:
    """Intervals that may lie within each other, points among them, as windows give."""
    low = draw(st.lists(edges, min_size=1, max_size=5))
    wide = draw(st.lists(st.integers(0, 12), min_size=len(low), max_size=len(low)))
    n = draw(st.lists(st.integers(1, 3), min_size=len(low), max_size=len(low)))
    return counted(low, [start + width for start, width in zip(low, wide, strict=True)], n, [True] * len(low))


anything = histograms() | overlapping()


def expanded(d: Distribution, share: Array) -> Array:
    """Observations within the intervals, at `share` of the way from the low to the high end."""
    low, high = np.repeat(d.intervals.low, d.intervals.n), np.repeat(d.intervals.high, d.intervals.n)
    values: Array = low + (high - low) * np.resize(share, len(low))
    return values


def order_statistic(values: Array, percent: str) -> float:
    """The percentile by its definition: the least value that the share does not exceed."""
    wanted = stats.fraction(percent)
    return next(float(v) for v in np.sort(values) if int((values <= v).sum()) >= wanted * len(values))


def truth(values: Array) -> dict[str, float]:
    """Every statistic of observations that are known."""
    p = {percent: order_statistic(values, percent) for percent in PERCENTS}
    return {
        "mean": values.mean(),
        "std": values.std(),
        "range": np.ptp(values),
        "iqr": p["75"] - p["25"],
        "p99-p1": p["99"] - p["1"],
        "p99.9-p50": p["99.9"] - p["50"],
        "mad": order_statistic(abs(values - p["50"]), "50"),
        **p,
    }


def bounded(d: Distribution) -> dict[str, stats.Bounds]:
    """The same by rtlat."""
    results = {name: spread(d) for name, spread in stats.SPREADS.items()}
    results |= dict(zip(PERCENTS, stats.percentiles(d, PERCENTS), strict=True))
    return results | {"mean": stats.mean(d), "std": stats.std(d)}


@given(anything, st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_what_is_true_lies_within_the_bounds(d: Distribution, share: list[float]) -> None:
    true, results = truth(expanded(d, np.asarray(share))), bounded(d)
    for name, result in results.items():
        assert result.low - 1e-9 <= true[name] <= result.high + 1e-9, name


@given(anything, percents)
def test_bounds_of_percentiles_are_attained(d: Distribution, percent: str) -> None:
    result = stats.percentile(d, percent)
    assert result.low == order_statistic(expanded(d, np.zeros(1)), percent)
    assert result.high == order_statistic(expanded(d, np.ones(1)), percent)


@given(anything)
def test_bounds_of_the_mean_are_attained(d: Distribution) -> None:
    result = stats.mean(d)
    assert (result.low, result.high) == pytest.approx((expanded(d, np.zeros(1)).mean(), expanded(d, np.ones(1)).mean()))


def extreme_deviations(d: Distribution) -> float:
    """The greatest standard deviation, by trying every end of every observation."""
    ends = [(low, high) for low, high, n, _, _ in zip(*d.intervals, strict=True) for _ in range(n)]
    return max(float(np.std(choice)) for choice in itertools.product(*ends))


@given(histograms().filter(lambda d: (d.total or 0) <= 10))
def test_the_greatest_deviation_of_bins_is_that_of_some_observations(d: Distribution) -> None:
    assert stats.std(d).high == pytest.approx(extreme_deviations(d), abs=1e-9)


@given(overlapping().filter(lambda d: (d.total or 0) <= 9))
def test_the_greatest_deviation_of_overlapping_intervals_is_one_observation_off_at_most(d: Distribution) -> None:
    attained, widest = extreme_deviations(d), float(np.max(d.intervals.high - d.intervals.low))
    assert attained - 1e-9 <= stats.std(d).high
    assert stats.std(d).high ** 2 <= attained**2 + widest**2 / (d.total or 1) + 1e-9


@given(anything)
def test_the_least_deviation_is_that_of_some_observations(d: Distribution) -> None:
    # at the optimum each observation stands where its interval comes nearest to their common mean
    low, high = np.repeat(d.intervals.low, d.intervals.n), np.repeat(d.intervals.high, d.intervals.n)
    values = (low + high) / 2
    for _ in range(2000):
        values = np.clip(values.mean(), low, high)
    assert stats.std(d).low == pytest.approx(values.std(), abs=1e-4)


@given(st.lists(edges, min_size=1, max_size=60))
def test_exact_samples_agree_with_numpy(values: list[float]) -> None:
    d, x = counted(values), np.asarray(values)
    assert stats.std(d).low == stats.std(d).high == pytest.approx(x.std(), abs=1e-9)
    for percent in ("12.5", "25", "50", "75"):  # shares that binary fractions hold exactly
        result = stats.percentile(d, percent)
        assert result.low == result.high == np.quantile(x, float(percent) / 100, method="inverted_cdf")


@given(st.lists(st.tuples(edges, st.integers(1, 40)), min_size=1, max_size=30), percents)
def test_counted_samples_agree_with_numpys_weighted_quantile(pairs: list[tuple[float, int]], percent: str) -> None:
    values, n = (np.asarray(column) for column in zip(*pairs, strict=True))
    share = float(percent) / 100
    if abs(share * n.sum() - round(share * n.sum())) > 1e-6:  # elsewhere numpy's rank depends on rounding
        expected = np.quantile(values, share, weights=n, method="inverted_cdf")
        assert stats.percentile(counted(values, n=n), percent).low == expected


@given(anything, percents, percents)
def test_percentiles_do_not_fall(d: Distribution, one_percent: str, other: str) -> None:
    lower, upper = sorted((one_percent, other), key=stats.fraction)
    a, b = stats.percentile(d, lower), stats.percentile(d, upper)
    assert a.low <= b.low
    assert a.high <= b.high
    assert d.minimum[0] <= a.low
    assert b.high <= d.maximum[1]


@given(anything, st.sampled_from([0.25, 1, 8, 1024]), st.integers(-1000, 1000))
def test_scale_and_shift_go_through(d: Distribution, factor: float, shift: int) -> None:
    low, high, n, closed, beyond = d.intervals
    moved = counted(low * factor + shift, high * factor + shift, n, closed, beyond)
    before, after = bounded(d), bounded(moved)
    for name, result in before.items():
        offset = 0 if name in stats.SPREADS or name == "std" else shift
        expected = (result.low * factor + offset, result.high * factor + offset)
        assert (after[name].low, after[name].high) == pytest.approx(expected, rel=1e-9, abs=1e-6)


@given(st.lists(anything, min_size=1, max_size=4))
def test_pooling_then_computing_is_computing_on_all(parts: list[Distribution]) -> None:
    columns = [np.concatenate(column) for column in zip(*(part.intervals for part in parts), strict=True)]
    together, pooled = counted(*columns), pool(replace(part, series=f"t{i}") for i, part in enumerate(parts))
    for name, result in bounded(together).items():
        other = bounded(pooled)[name]
        assert (other.low, other.high, other.rank) == pytest.approx((result.low, result.high, result.rank))


@given(anything, st.sets(st.integers(0, 5)), st.booleans(), st.sampled_from(["ok", "bounds", "partial"]))
@example(counted([398, 399, 400], [399, 400, 400], [9, 9, 2], [False, False, True]), {2}, False, "ok")
def test_the_order_of_rows_makes_no_difference(d: Distribution, far: set[int], is_open: bool, status: str) -> None:
    """What comes in order is looked up as it stands, all else is sorted; some may lie beyond the last bin."""
    low, high, n, closed, _ = d.intervals
    beyond = np.isin(np.arange(len(n)), list(far))
    high = np.where(beyond & (low == low.max()) & is_open, math.inf, high)
    about = {"status": status, "resolution": 1.0, "stated": ((0.25, 3.0, 4.0),)}
    before = counted(low, high, n, closed, beyond, **about)
    after = counted(*(column[::-1] for column in (low, high, n, closed, beyond)), **about)
    assert (before.minimum, before.maximum, before.overflow) == (after.minimum, after.maximum, after.overflow)
    assert stats.percentiles(before, PERCENTS) == stats.percentiles(after, PERCENTS)
    together = replace(before, intervals=after.intervals.together())
    assert [stats.percentile(together, percent) for percent in PERCENTS] == stats.percentiles(before, PERCENTS)
    assert together.intervals.n.sum() == n.sum()


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 9)), min_size=2, max_size=12))
def test_equal_bins_may_be_merged(pairs: list[tuple[int, int]]) -> None:
    merged: dict[int, int] = {}
    for edge, n in pairs:
        merged[edge] = merged.get(edge, 0) + n
    apart = counted([edge for edge, _ in pairs], [edge + 1 for edge, _ in pairs], [n for _, n in pairs])
    together = counted(list(merged), [edge + 1 for edge in merged], list(merged.values()))
    a, b = bounded(apart), bounded(together)
    for name, result in a.items():
        assert (result.low, result.high, result.status) == pytest.approx(
            (b[name].low, b[name].high, b[name].status), abs=1e-9
        )


@given(anything, st.lists(st.floats(0, 1), min_size=1, max_size=20), st.integers(-40, 80))
def test_exceedances_hold_the_true_count(d: Distribution, share: list[float], limit: int) -> None:
    share = [min(s, 0.999) for s in share]  # an open end is not reached
    result = stats.exceedances(d, limit)
    assert result.low <= (expanded(d, np.asarray(share)) >= limit).sum() <= result.high
    assert (expanded(d, np.zeros(1)) >= limit).sum() == result.low, "attained at the low ends"


@given(st.lists(st.integers(0, 40), min_size=2, max_size=40), st.integers(1, 30))
def test_a_histogram_with_overflow_and_its_maximum_holds_the_samples_statistics(values: list[int], last: int) -> None:
    """A tool's own way: count per whole number below `last`, the rest as overflow, and print the extremes."""
    rows = Rows()
    for edge in sorted({value for value in values if value < last}):
        rows.add("t0", "thread", "bin", edge, edge + 1, n=values.count(edge))
    over = [value for value in values if value >= last]
    if over:
        rows.add("t0", "thread", "bin", last, math.inf, n=len(over))
    mean = sum(values) / len(values)
    rows.add("t0", "thread", "summary", min(values), max(values), n=len(values), avg=math.floor(mean))
    made = one(rows, resolution=1.0)
    d = distribution(made, "r0", "t0", "thread")
    true = truth(np.asarray(values, np.float64))
    for name, result in bounded(d).items():
        assert result.low - 1e-9 <= true[name] <= result.high + 1e-9, name
        if name in PERCENTS:
            assert result.low == true[name] or true[name] >= last
            assert result.high <= max(values)
    assert stats.percentile(d, 100).low == stats.percentile(d, 100).high == max(values)
    assert d.overflow == len(over)
