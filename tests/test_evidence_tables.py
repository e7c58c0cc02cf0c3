"""Worst observed, limits, percentiles and maxima at equal n: against the printed table, scipy and closed forms."""

from __future__ import annotations

import math
import re

import pytest
from recordings import TRUNCATED, one, recording
from scipy.stats import binom, binomtest
from tails import RTIRQ, examine, made, rtirq, rtirq_samples

from rtlat import read
from rtlat.rows import Rows
from rtlat.tails import evidence_tables


def one_in(text: str) -> list[float]:
    """Return the numbers behind ``1 in``."""
    return [float(number.replace(",", "")) for number in re.findall(r"1 in ([\d.,]+)", text)]


def numbers(text: str) -> list[float]:
    """Return all numbers of a text."""
    return [float(number.replace(",", "")) for number in re.findall(r"[\d.,]*\d", text)]


def test_worst_observed_is_the_last_line_of_the_printed_table() -> None:
    (row,) = evidence_tables.worst_observed(rtirq()).to_dict("records")
    assert (row["quantity"], row["unit"], row["n"], row["duration"]) == ("irq", "us", 60_000, "1 min")
    assert (row["worst observed"].low, row["worst observed"].high) == pytest.approx((5.2, 5.3))


def test_beyond_the_worst_lies_what_n_without_one_allows() -> None:
    (row,) = evidence_tables.worst_observed(rtirq()).to_dict("records")
    (k,) = one_in(row["cycles beyond it"])
    assert (1 - 1 / k) ** 60_000 <= 0.05 <= (1 - 1 / (k + 1)) ** 60_000
    (hourly,) = numbers(row["per hour"])
    assert hourly == pytest.approx(3.6e6 * 4.99276e-5, rel=0.01), "1000 cycles a second"
    assert hourly >= 3.6e6 * 4.99276e-5, "an upper bound is rounded up"
    (row,) = evidence_tables.worst_observed(rtirq(), 99).to_dict("records")
    (k,) = one_in(row["cycles beyond it"])
    assert (1 - 1 / k) ** 60_000 == pytest.approx(0.01, rel=1e-3)


def test_a_limit_that_was_reached_has_the_interval_of_clopper_and_pearson() -> None:
    count = sum(sample > 2.99 for sample in rtirq_samples())
    (row,) = evidence_tables.limit_evidence(rtirq(), "3us").to_dict("records")
    assert row["reached"].text() == str(count)
    exact = binomtest(count, 60_000).proportion_ci(0.95, "exact")
    assert one_in(row["share of cycles"]) == pytest.approx([1 / exact.low, 1 / exact.high], rel=2e-3)
    low, high = numbers(row["per hour"])
    assert (low, high) == pytest.approx((exact.low * 3.6e6, exact.high * 3.6e6), rel=0.01)
    assert low <= exact.low * 3.6e6 < exact.high * 3.6e6 <= high, "cut to the safe side"
    assert row["< 1 a day"].startswith("refuted")


def test_a_limit_that_was_not_reached_takes_three_days() -> None:
    (row,) = evidence_tables.limit_evidence(rtirq(), "50us").to_dict("records")
    assert row["reached"].text() == "0"
    (k,) = one_in(row["share of cycles"])
    assert k == math.floor(1 / (1 - 0.05 ** (1 / 60_000)))
    assert row["< 1 a day"] == "open (takes 72 h)", "2.996 days"


def test_a_limit_within_a_bin_is_between_two_counts() -> None:
    (row,) = evidence_tables.limit_evidence(examine(made({"r": {5: 90, 6: 10}})), "6500ns").to_dict("records")
    assert row["reached"].text() == "0-10"
    assert row["share of cycles"].startswith("0 to 1 in ")
    assert one_in(row["share of cycles"]) == pytest.approx([1 / binomtest(10, 100).proportion_ci().high], rel=1e-2)


def test_without_a_limit_there_is_no_evidence_for_one() -> None:
    assert evidence_tables.limit_evidence(rtirq(), "").empty


def test_a_time_is_no_limit_for_cycles_and_an_unknown_n_no_share() -> None:
    rows, other = Rows(), Rows()
    rows.add("all", "irq", "summary", 542, 2100, n=2_000_000, avg=542, unit="cycles")
    other.add("all", "thread", "summary", 3e3, 9e3)
    found = examine(recording((rows, {"run": "cycles"}), (other, {"run": "prose"})))
    table = evidence_tables.limit_evidence(found, "50us").set_index("run")
    assert "plain number" in table.loc["cycles", "reached"].reason
    assert "unknown" in table.loc["prose", "reached"].reason
    assert list(evidence_tables.percentile_intervals(found)["run"]) == ["cycles"]
    assert list(evidence_tables.equal_n(found)["run"]) == ["cycles"]
    row = evidence_tables.limit_evidence(found, "3000").set_index("run").loc["cycles"]
    assert (row["reached"].text(), row["per hour"], row["< 1 a day"]) == ("0", "period unknown", "period unknown")


def test_percentiles_lie_between_observations_of_known_rank() -> None:
    samples = rtirq_samples()
    (row,) = evidence_tables.percentile_intervals(rtirq()).to_dict("records")
    for percent in ("99", "99.9", "99.99"):
        share = float(percent) / 100
        lower = max(rank for rank in range(59_000, 60_001) if binom.cdf(rank - 1, 60_000, share) <= 0.025)
        upper = min(rank for rank in range(59_000, 60_001) if binom.sf(rank - 1, 60_000, share) <= 0.025)
        cell = row[f"p{percent}"]
        assert (cell.low, cell.high) == pytest.approx((samples[lower - 1], samples[upper - 1] + 0.1)), percent
    assert math.isinf(row["p99.999"].high), "it takes 368,887 cycles"
    assert row["supports"] == "p99.99"
    assert "p99.9999" not in row


def test_each_nine_takes_ten_times_as_many() -> None:
    table = evidence_tables.nines(rtirq()).set_index("percentile")
    assert table.loc["p99.9", ["n for an upper bound", "n for both", "runs with both"]].tolist() == [
        2995,
        3688,
        "1 of 1",
    ]
    assert table.loc["p99.999", ["n for both", "runs with both"]].tolist() == [368_887, "0 of 1"]


def test_maxima_are_compared_at_equal_n_and_runs_ordered_by_them() -> None:
    """Of 10 cycles, two of them 9: the greatest of 3 is 9 unless all are from the other 8, 1 - C(8,3) / C(10,3)."""
    found = examine(made({"short": {1: 1, 2: 1, 3: 1}, "ten": {1: 8, 9: 2}, "long": {1: 999, 20: 1}}))
    table = evidence_tables.equal_n(found).set_index("run")
    assert set(table["m"]) == {3}
    mean = 1 + 8 * (1 - 56 / 120)
    expected, median = table.loc["ten", "expected of m"], table.loc["ten", "median of m"]
    assert (expected.low, expected.high) == pytest.approx((mean, mean + 1))
    assert (median.low, median.high) == (9, 10)
    assert table.loc["long", "expected of m"].low == pytest.approx(1 + 19 * 0.003)
    assert list(table.index) == ["long", "short", "ten"], "though the longest has the worst observed"
    assert table.loc["long", "worst observed"].low == 20
    assert table.loc["long", "expected of n/10"].low == pytest.approx(1 + 19 * 0.1)


def test_the_tenth_of_a_run_expects_what_the_greatest_of_as_many_cycles_is() -> None:
    (row,) = evidence_tables.equal_n(rtirq()).to_dict("records")
    assert row["expected of n/10"].low == pytest.approx(3.991437255, rel=1e-9), "exact big integers"


def test_a_duration_is_told_or_by_n_and_period() -> None:
    told = examine(made({"r": {5: 7_200_000}}, duration=3600.0))
    assert evidence_tables.worst_observed(told)["duration"].tolist() == ["1 h"]
    derived = examine(made({"r": {5: 7_200_000}}))
    assert evidence_tables.worst_observed(derived)["duration"].tolist() == ["about 2 h"]
    rows = Rows()
    rows.add("t0", "thread", "sample", 5e3, 5e3, n=1)
    assert evidence_tables.worst_observed(examine(one(rows, **TRUNCATED)))["duration"].tolist() == ["unknown"]


def test_the_period_may_come_from_the_user() -> None:
    (row,) = evidence_tables.worst_observed(examine(read(RTIRQ, period="1s"))).to_dict("records")
    assert numbers(row["per hour"]) == pytest.approx([3600 * 4.99276e-5], rel=0.01)
