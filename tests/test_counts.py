"""Tables of counts against counting by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from recordings import TRUNCATED, US, histogram, one

import rtlat
from rtlat.counts import histogram_of
from rtlat.distribution import distributions
from rtlat.errors import SelectionError, UsageError
from rtlat.protocol import Recording
from rtlat.rows import Rows
from rtlat.statistics.limits import LONGEST_CURVE

INF = math.inf


def sampled(values: Any, **columns: Any) -> Rows:
    rows = Rows()
    array = np.asarray(values, np.float64)
    rows.extend("t0", "thread", "sample", array, array, n=1, **columns)
    return rows


def test_a_histogram_is_that_of_the_log_with_its_overflow_open() -> None:
    rows = Rows()
    histogram(rows, {2: 5, 1: 90})
    rows.add("t0", "thread", "bin", 5 * US, INF, n=3)
    rows.add("t0", "thread", "summary", 1 * US, 17 * US, n=98)
    rows.add("t0", "irq", "summary", 1 * US, 17 * US, n=98)
    table = rtlat.histogram(one(rows), quantity="thread")
    assert table.columns.tolist() == ["run", "series", "quantity", "unit", "low", "high", "n"]
    assert table[["low", "high", "n"]].to_numpy().tolist() == [[1, 2, 90], [2, 3, 5], [5, INF, 3]]
    assert set(table["unit"]) == {"us"}
    with pytest.raises(SelectionError, match="neither bins nor samples"):
        rtlat.histogram(one(rows), quantity="irq")


def test_observations_of_unknown_n_are_in_no_histogram() -> None:
    unknown = Rows()
    unknown.add("all", "hwlat", "bin", -INF, 10 * US)
    for table in (rtlat.histogram, lambda recording: histogram_of(distributions(recording))):
        with pytest.raises(SelectionError, match="neither bins nor samples"):
            table(one(unknown))


def test_equal_samples_are_counted_together() -> None:
    table = rtlat.histogram(one(sampled([3000, 1000, 3000]), **TRUNCATED))
    assert table[["low", "high", "n"]].to_numpy().tolist() == [[1, 2, 1], [3, 4, 2]]


def test_claims_are_in_no_table() -> None:
    rows = Rows()
    histogram(rows, {1: 5})
    for table in (rtlat.histogram, rtlat.ccdf):
        with pytest.raises(SelectionError):
            table(one(rows, evidence="claim"))


def test_how_many_reach_each_value() -> None:
    table = rtlat.ccdf(one(sampled([1000, 1000, 2000, 5000])))
    assert table[["value", "low", "high"]].to_numpy().tolist() == [[1, 1, 1], [2, 0.5, 0.5], [5, 0.25, 0.25]]


def test_shares_of_bins_meet_at_edges_and_end_where_none_is_left() -> None:
    rows = Rows()
    histogram(rows, {1: 6, 3: 4})
    table = rtlat.ccdf(one(rows))
    assert table[["value", "low", "high"]].to_numpy().tolist() == [[1, 1, 1], [2, 0.4, 0.4], [3, 0.4, 0.4]]


def test_shares_are_bounds_in_the_overflow() -> None:
    rows = Rows()
    histogram(rows, {1: 6})
    rows.add("t0", "thread", "bin", 5 * US, INF, n=4)
    rows.add("t0", "thread", "summary", 1 * US, 17 * US, n=10)
    table = rtlat.ccdf(one(rows))
    assert table[["value", "low", "high"]].to_numpy().tolist()[-2:] == [[5, 0.4, 0.4], [17, 0.1, 0.4]]


@given(st.lists(st.integers(0, 30), min_size=1, max_size=40))
def test_shares_are_those_of_the_samples(values: list[int]) -> None:
    table = rtlat.ccdf(one(sampled(values)))
    for value, low, high in table[["value", "low", "high"]].to_numpy():
        assert low == high == sum(v >= value * US - 1e-9 for v in values) / len(values)
    assert table["value"].iloc[-1] == max(values) / US


def test_a_long_curve_is_thinned_and_keeps_both_its_ends_and_its_shape() -> None:
    values = np.sort(np.random.default_rng(2).pareto(1.5, 50_000))
    table = rtlat.ccdf(one(sampled(values)))
    assert len(table) <= LONGEST_CURVE
    assert table["value"].iloc[[0, -1]].tolist() == [values[0] / US, values[-1] / US]
    share = table["high"].to_numpy()
    assert share[-1] == 1 / 50_000
    assert (share[:-1] - share[1:]).max() < 0.002, "no visible step on a linear axis"
    assert (share[:-1] / share[1:]).max() <= 2, "nor on a logarithmic one: the last steps are single observations"
    assert (table["low"] == share).all()


@pytest.mark.parametrize("limit", ["2us", "2 us", "2000ns", 2, "2", 2.0])
def test_exceedances_of_a_limit_however_it_is_written(limit: str | float) -> None:
    table = rtlat.exceedance(one(sampled([1000, 1999, 2000, 5000])), limit)
    row = table.iloc[0]
    assert (row["limit"], row["n"], row["result"].low, row["result"].high) == (2, 4, 2, 2)
    assert (row["low"], row["high"]) == (0.5, 0.5)


def test_exceedances_without_n_have_no_share() -> None:
    rows = Rows()
    rows.add("T0", "deviation", "summary", -INF, 2123 * US)
    row = rtlat.exceedance(one(rows), "2ms").iloc[0]
    assert (row["result"].low, row["result"].high) == (1, INF)
    assert math.isnan(row["low"])
    assert str(row["n"]) == "<NA>"


@pytest.mark.parametrize("limit", ["soon", "5 parsec", "nan", math.inf, ""])
def test_what_is_no_limit_is_refused(limit: str | float) -> None:
    with pytest.raises(UsageError, match="limit"):
        rtlat.exceedance(one(sampled([1000])), limit)


def test_a_time_is_no_limit_for_cycles() -> None:
    rows = Rows()
    rows.add("all", "irq", "summary", 542, 2100, n=2_000_000, unit="cycles")
    with pytest.raises(SelectionError, match="cycles"):
        rtlat.exceedance(one(rows), "1us")
    assert rtlat.exceedance(one(rows), 2000)["result"].iloc[0].low == 1


# Block maxima


def windowed() -> Recording:
    rows = Rows()
    for second, high in enumerate((7, 5, 9)):
        rows.add("all", "user", "window", 1 * US, high * US, n=100, time=second, missed=second, line=second + 1)
    rows.add("all", "user", "summary", 1 * US, 9 * US, n=300)
    return one(rows)


def test_windows_are_blocks() -> None:
    table = rtlat.block_maxima(windowed())
    assert table[["time", "n", "low", "high", "missed"]].to_numpy().tolist() == [
        [0, 100, 7, 7, 0],
        [1, 100, 5, 5, 1],
        [2, 100, 9, 9, 2],
    ]
    assert table["seq"].isna().all()


def test_samples_in_blocks_of_a_number() -> None:
    table = rtlat.block_maxima(one(sampled([1000, 4000, 2000, 3000, 5000], seq=np.arange(5) + 10)), count=2)
    assert table[["n", "low", "seq"]].to_numpy().tolist() == [[2, 4, 11], [2, 3, 13], [1, 5, 14]]


@pytest.mark.parametrize("known", ["series", "run", "time"])
def test_samples_in_blocks_of_a_time(known: str) -> None:
    columns = {"time": np.arange(5) * 0.4} if known == "time" else {}
    series = [{"run": "r0", "series": "t0", "period": 4e8}] if known == "series" else []
    facts = {"period": 4e8} if known == "run" else {}
    made = one(sampled([1000, 4000, 2000, 3000, 5000], **columns), series, **facts)
    table = rtlat.block_maxima(made, seconds=1)
    assert table[["n", "low", "time"]].to_numpy().tolist() == [[3, 4, 0], [2, 5, pytest.approx(1.2)]]


def test_a_gap_in_the_cycle_numbers_is_a_gap_in_time() -> None:
    made = one(sampled([1000, 4000, 2000], seq=np.asarray([0, 1, 7])), period=4e8)
    assert rtlat.block_maxima(made, seconds=1)["n"].tolist() == [2, 1]


def test_one_maximum_in_print_for_each_window_is_a_block_of_unknown_n() -> None:
    table = rtlat.block_maxima(one(sampled([7000, 9000], of="max", seq=np.asarray([5, 17]))))
    assert table[["low", "seq"]].to_numpy().tolist() == [[7, 5], [9, 17]]
    assert table["n"].isna().all()


def test_blocks_need_an_order_and_a_length() -> None:
    rows = Rows()
    histogram(rows, {1: 5})
    with pytest.raises(SelectionError, match="order"):
        rtlat.block_maxima(one(rows))
    made = one(sampled([1000, 2000], time=np.asarray([0.0, 1.0])))
    with pytest.raises(UsageError, match="period"):
        rtlat.block_maxima(one(sampled([1000, 2000])), seconds=1)
    for wrong in ({}, {"count": 0}, {"seconds": 0.0}, {"seconds": math.nan}):
        with pytest.raises(UsageError):
            rtlat.block_maxima(made, **wrong)
