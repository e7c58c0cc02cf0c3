"""Which rows answer, and what they say: worked out by hand from what tools print."""

from __future__ import annotations

import math
from typing import Any

import pytest
from recordings import TRUNCATED, US, histogram, one, recording

from rtlat.distribution import distribution, distributions
from rtlat.errors import SelectionError
from rtlat.intervals import Distribution, counted
from rtlat.pooling import pool
from rtlat.protocol import Recording
from rtlat.rows import Rows

INF = math.inf


def answer(made: Recording, series: str = "t0", quantity: str = "thread") -> Distribution:
    return distribution(made, "r0", series, quantity)


def shown(d: Distribution) -> set[tuple[float, float, int, bool]]:
    """Intervals in us."""
    low, high, n, closed, _ = d.intervals
    return set(zip((low / US).tolist(), (high / US).tolist(), n.tolist(), closed.tolist(), strict=True))


def overflowing(maximum: float = 17 * US, n: int = 100, minimum: float = 0.0) -> Rows:
    """The worked example of an overflow: buckets 0 to 4 hold 0, 90, 5, 1 and 1, three lie beyond."""
    rows = Rows()
    histogram(rows, {1: 90, 2: 5, 3: 1, 4: 1})
    rows.add("t0", "thread", "bin", 5 * US, INF, n=3)
    rows.add("t0", "thread", "summary", minimum, maximum, n=n, avg=1 * US)
    return rows


def test_truncated_samples_are_widened_away_from_zero() -> None:
    rows = Rows()
    for value in (-3, 0, 5):
        rows.add("t0", "thread", "sample", value * US, value * US, n=1)
    assert shown(answer(one(rows, **TRUNCATED))) == {(-4, -3, 1, True), (-1, 1, 1, False), (5, 6, 1, False)}
    assert shown(answer(one(rows))) == {(-3, -3, 1, True), (0, 0, 1, True), (5, 5, 1, True)}


def test_zero_stays_above_zero_where_nothing_is_negative() -> None:
    rows = Rows()
    rows.add("t0", "thread", "sample", 0, 0, n=1)
    assert shown(answer(one(rows, **TRUNCATED))) == {(0, 1, 1, False)}


def test_equal_samples_counted_together_answer_as_samples_do() -> None:
    values = [-3, -3, 0, 2, 2, 2, 7]
    kept, folded = Rows(), Rows()
    for value in values:
        kept.add("t0", "thread", "sample", value * US, value * US, n=1)
    histogram(folded, {value: values.count(value) for value in sorted(set(values))})
    for rounding in ("truncated", "exact"):
        facts = {"resolution": US, "rounding": rounding}
        samples, bins = answer(one(kept, **facts)), answer(one(folded, bin_edges="samples", **facts))
        for a, b in zip((*samples.by_low, *samples.by_high), (*bins.by_low, *bins.by_high), strict=True):
            assert set(a.tolist()) >= set(b.tolist())
        assert (samples.total, samples.minimum, samples.maximum) == (7, bins.minimum, bins.maximum)
        assert bins.status == "ok"


def test_overflow_is_closed_by_the_maximum_of_the_same_observations() -> None:
    d = answer(one(overflowing(), **TRUNCATED))
    assert shown(d) >= {(5, 18, 2, False), (17, 18, 1, False)}
    assert (d.total, d.overflow, d.kind, d.status, d.n_basis) == (100, 3, "bin", "ok", "counted")
    assert d.maximum == (17 * US, 18 * US)
    assert d.avg == (1 * US, 3 * US)  # the average of samples cut to 1 us, cut again


@pytest.mark.parametrize("n", [-1, 99])
def test_overflow_stays_open_where_the_maximum_covers_others(n: int) -> None:
    d = answer(one(overflowing(n=n), **TRUNCATED))
    assert (5, INF, 3, False) in shown(d)
    assert d.maximum == (17 * US, 18 * US), "the worst observed value is known all the same"
    assert d.avg is None


def test_where_all_overflows_the_last_bin_bounds_the_extremes() -> None:
    rows = Rows()
    rows.add("t0", "thread", "bin", 8 * US, INF, n=50)
    d = answer(one(rows, **TRUNCATED))
    assert (d.minimum, d.maximum, d.overflow) == ((8 * US, INF), (8 * US, INF), 50)


def test_one_overflow_is_the_maximum() -> None:
    rows = Rows()
    histogram(rows, {1: 9})
    rows.add("t0", "thread", "bin", 5 * US, INF, n=1)
    rows.add("t0", "thread", "summary", 1 * US, 17 * US, n=10)
    assert shown(answer(one(rows))) == {(1, 1, 1, True), (1, 2, 8, False), (17, 17, 1, True)}


def test_overflow_that_may_hold_negatives_is_cut_but_not_pinned_where_a_bin_may_hold_the_maximum() -> None:
    rows = Rows()
    histogram(rows, {1: 9, 4: 1})
    rows.add("t0", "thread", "bin", -INF, INF, n=2)
    rows.add("t0", "thread", "summary", -7 * US, 4 * US, n=12)
    found = shown(answer(one(rows)))
    assert {(-7, -7, 1, True), (-7, 4, 1, True)} <= found, "the minimum can only lie in the overflow"
    assert (4, 4, 1, True) in found, "the bin ends at the maximum"


def test_maximum_below_the_bins_is_a_contradiction_and_changes_nothing() -> None:
    d = answer(one(overflowing(maximum=3 * US)))
    assert (5, INF, 3, False) in shown(d)
    assert any("outside" in warning for warning in d.warnings)


def test_a_window_is_its_two_ends_and_the_rest_between() -> None:
    rows = Rows()
    rows.add("all", "user", "window", 2 * US, 9 * US, n=1000, avg=3 * US, missed=2)
    rows.add("all", "user", "window", 4 * US, 4 * US, n=1, avg=4 * US, missed=1)
    d = answer(one(rows), "all", "user")
    assert shown(d) == {(2, 2, 1, True), (9, 9, 1, True), (2, 9, 998, True), (4, 4, 1, True)}
    assert (d.total, d.status, d.n_basis, d.missed, d.overflow) == (1001, "bounds", "stated", 3, None)
    assert d.avg == pytest.approx(((3000 * 1000 + 4000) / 1001,) * 2)


def test_printed_averages_are_cut_even_where_values_are_exact() -> None:
    rows = Rows()
    rows.add("all", "irq", "summary", 542, 2100, n=2_000_000, avg=542, unit="cycles")
    d = answer(one(rows, resolution=1.0), "all", "irq")
    assert (d.avg, d.minimum, d.unit) == ((542, 543), (542, 542), "cycles")


def test_unknown_n_keeps_what_was_observed() -> None:
    rows = Rows()
    rows.add("T0", "deviation", "summary", -INF, 2123 * US)
    d = answer(one(rows), "T0", "deviation")
    assert (d.total, d.n_basis, d.refusal) == (None, "", "")
    assert shown(d) == {(2123, 2123, 1, True)}
    assert (d.minimum, d.maximum) == ((-INF, INF), (2123 * US, 2123 * US))


@pytest.mark.parametrize(("n", "kind"), [(10, "sample"), (7, "sample"), (-1, "sample")])
def test_the_finest_kind_answers_that_misses_nothing(n: int, kind: str) -> None:
    rows = Rows()
    for value in range(10):
        rows.add("t0", "thread", "sample", value, value, n=1)
    rows.add("t0", "thread", "summary", 0, 9, n=n)
    d = answer(one(rows))
    assert (d.kind, d.total, d.status) == (kind, 10, "ok")


def test_bins_that_miss_nothing_go_before_samples_that_do() -> None:
    rows = Rows()
    rows.add("t0", "thread", "sample", 1, 1, n=1)
    histogram(rows, {0: 5, 3: 5})
    assert answer(one(rows)).kind == "bin"


def test_what_only_a_summary_counts_lies_between_its_ends() -> None:
    rows = Rows()
    for value in (2, 3, 4):
        rows.add("t0", "thread", "sample", value, value, n=1)
    rows.add("t0", "thread", "summary", 1, 50, n=7)
    d = answer(one(rows))
    assert (d.kind, d.total, d.status, d.n_basis) == ("sample", 7, "bounds", "stated")
    low, high, n, _, _ = d.intervals
    exact = {(v, v, 1) for v in (2, 3, 4, 1, 50)}
    assert set(zip(low.tolist(), high.tolist(), n.tolist(), strict=True)) == {*exact, (1, 50, 2)}
    assert any("4 of 7" in warning for warning in d.warnings)


def test_a_cut_histogram_is_partial_unless_something_confirms_its_n() -> None:
    rows = Rows()
    histogram(rows, {1: 9, 2: 1})
    d = answer(one(rows, ended="cut"))
    assert (d.status, d.total, d.overflow) == ("partial", 10, None)
    assert answer(one(rows, ended="cut", bin_edges="samples")).status == "ok"
    assert answer(one(rows, overflow_policy="dropped")).status == "partial"
    rows.add("t0", "thread", "summary", 1 * US, 2 * US, n=10)
    assert answer(one(rows, ended="cut")).status == "ok"


def test_how_a_series_ended_goes_before_how_its_run_did() -> None:
    rows = Rows()
    histogram(rows, {1: 9})
    histogram(rows, {1: 9}, "t1")
    made = one(rows, [{"run": "r0", "series": "t1", "ended": "cut"}])
    assert [d.status for d in distributions(made)] == ["ok", "partial"]


def test_claims_and_parts_answer_nothing() -> None:
    rows = Rows()
    rows.add("all", "irq", "summary", -INF, 5 * US, n=100)
    claim = answer(one(rows, evidence="claim"), "all", "irq")
    rows = Rows()
    rows.add("irq0", "step", "sample", 410, 410, n=1, of="part")
    part = answer(one(rows), "irq0", "step")
    for d in (claim, part):
        assert d.refusal
        assert (d.total, d.minimum, d.maximum) == (None, (-INF, INF), (-INF, INF))


def test_only_the_extremes_of_windows_bound_the_runs_other_extreme() -> None:
    rows = Rows()
    for value in (7, 5, 9):
        rows.add("t0", "thread", "sample", value, value, n=1, of="max")
    d = answer(one(rows))
    assert "max" in d.refusal
    assert (d.minimum, d.maximum) == ((-INF, 5), (9, 9))


def test_extremes_come_from_every_kind_of_row() -> None:
    rows = Rows()
    rows.add("all", "irq", "summary", 542, 2100, n=2_000_000, unit="cycles")
    rows.add("all", "irq", "sample", 2557, 2557, n=1, of="over", unit="cycles")
    d = answer(one(rows), "all", "irq")
    assert (d.kind, d.minimum, d.maximum) == ("summary", (542, 542), (2557, 2557))


def test_a_percentile_in_print_is_no_extreme() -> None:
    rows = Rows()
    rows.add("all", "irq", "quantile", 486.1 * US, 486.1 * US, q=0.999)
    d = answer(one(rows), "all", "irq")
    assert (d.minimum, d.maximum, d.total) == ((-INF, INF), (-INF, INF), None)
    assert d.refusal == "only percentiles are printed"
    assert d.stated == ((0.999, 486.1 * US, 486.1 * US),)


def test_mixed_units_are_refused() -> None:
    rows = Rows()
    rows.add("all", "irq", "sample", 1, 1, n=1)
    rows.add("all", "irq", "sample", 1, 1, n=1, unit="cycles")
    assert "cycles and ns" in answer(one(rows), "all", "irq").refusal


def test_missed_is_never_made_up() -> None:
    rows = Rows()
    rows.add("all", "user", "window", 1, 2, n=5, missed=3)
    rows.add("all", "user", "window", 1, 2, n=5)
    assert answer(one(rows), "all", "user").missed is None
    rows.add("all", "user", "summary", 1, 2, missed=4)
    assert answer(one(rows), "all", "user").missed == 4


def test_counts_are_added_exactly_and_refused_beyond_what_a_counter_holds() -> None:
    assert counted([1, 2], n=[2**62, 2**62 - 1]).total == 2**63 - 1
    d = counted([1, 2, 3], n=[2**62] * 3)
    assert str(3 * 2**62) in d.refusal


def test_unknown_names_are_refused_with_the_known_ones() -> None:
    rows = Rows()
    histogram(rows, {1: 9})
    made = one(rows)
    for arguments, known in (
        (("r1", "t0", "thread"), "r0"),
        (("r0", "t1", "thread"), "t0"),
        (("r0", "t0", "irq"), "thread"),
    ):
        with pytest.raises(SelectionError, match=f"known: {known}"):
            distribution(made, *arguments)


def test_every_series_is_answered_in_the_order_of_the_log() -> None:
    a, b = Rows(), Rows()
    for series in ("t1", "t0"):
        histogram(a, {1: 1}, series)
    histogram(a, {2: 1}, "t1", "irq")
    histogram(b, {3: 1}, "t1")
    made = recording((a, {}), (b, {}))
    order = [(d.run, d.series, d.quantity, d.minimum[0] / US) for d in distributions(made)]
    assert order == [
        ("r0", "t1", "thread", 1),
        ("r0", "t0", "thread", 1),
        ("r0", "t1", "irq", 2),
        ("r1", "t1", "thread", 3),
    ]
    assert list(distributions(Recording(made.records.iloc[:0], made.runs, made.series))) == []


def test_rows_of_a_series_need_not_stand_together() -> None:
    rows = Rows()
    for value in range(6):
        rows.add(f"t{value % 2}", "thread", "sample", value, value, n=1)
    assert [d.intervals.low.tolist() for d in distributions(one(rows))] == [[0, 2, 4], [1, 3, 5]]


def test_a_pool_adds_counts_and_unites_extremes() -> None:
    parts = [counted([1, 2], n=[3, 1], series="t0", missed=1), counted([2, 9], n=[1, 1], series="t1", missed=2)]
    both = pool(parts)
    assert (both.total, both.series, both.missed, both.overflow) == (6, "all", 3, 0)
    assert (both.minimum, both.maximum) == ((1, 1), (9, 9))
    assert list(zip(both.intervals.low.tolist(), both.intervals.n.tolist(), strict=True)) == [(1, 3), (2, 2), (9, 1)]
    assert pool(parts[:1]) is parts[0]


def test_unknown_is_contagious_in_a_pool() -> None:
    rows = Rows()
    histogram(rows, {1: 9})
    rows.add("t1", "thread", "summary", 0, 50 * US)
    both = pool(distributions(one(rows)))
    assert both.total is None
    assert both.refusal.startswith("t1 ")
    assert (both.minimum, both.maximum) == ((0, 0), (50 * US, 50 * US))
    assert both.overflow is None


@pytest.mark.parametrize("change", [{"quantity": "irq"}, {"unit": "cycles"}])
def test_quantities_and_units_are_not_pooled(change: dict[str, Any]) -> None:
    with pytest.raises(SelectionError, match=next(iter(change))):
        pool([counted([1], quantity="thread"), counted([1], **{"quantity": "thread", **change})])
    with pytest.raises(SelectionError, match="nothing"):
        pool([])


def test_a_window_without_its_minimum_leaves_the_minimum_open_below() -> None:
    rows = Rows()
    rows.add("all", "user", "window", 3, 9)
    rows.add("all", "user", "window", -INF, 12)
    d = answer(one(rows), "all", "user")
    assert (d.minimum, d.maximum) == ((-INF, 3), (12, 12))


def test_a_window_whose_maximum_is_not_known_may_hold_the_worst() -> None:
    # A latency beyond 2.147 s wraps in Xenomai's counter: the ends of that RTD line are left open.
    rows = Rows()
    rows.add("t0", "thread", "window", 10, 20, n=5)
    rows.add("t0", "thread", "window", 12, math.inf, n=5)
    assert answer(one(rows)).maximum == (20, math.inf)
    assert answer(one(rows)).minimum == (10, 10)
    rows.add("t0", "thread", "summary", 10, 90, n=10)
    assert answer(one(rows)).maximum == (90, 90)
