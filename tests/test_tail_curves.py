"""The points of curves on large latencies: against the printed table, brute force and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from recordings import TRUNCATED, histogram, one, recording
from scipy.stats import binomtest
from tails import SCALE, N, examine, exponential, level_of, made, rtirq, rtirq_samples, share_reaching

from rtlat.rows import Rows
from rtlat.tails import tail_curves


def test_each_latency_has_the_share_of_the_printed_table() -> None:
    table, samples = tail_curves.exceedance(rtirq()), rtirq_samples()
    assert table["value"].iloc[0] == pytest.approx(0.4)
    assert table["value"].iloc[-1] in (pytest.approx(5.2), pytest.approx(5.3))
    for row in table[table["share low"] == table["share high"]].to_dict("records"):
        assert row["share low"] == pytest.approx(share_reaching(samples, row["value"])), row["value"]


def test_each_share_has_the_interval_of_clopper_and_pearson_and_n_its_limit() -> None:
    table = tail_curves.exceedance(rtirq())
    row = table[np.isclose(table["value"], 3.0)].iloc[0]
    count = sum(sample > 2.99 for sample in rtirq_samples())
    exact = binomtest(count, 60_000).proportion_ci(0.95, "exact")
    assert (row["low"], row["high"]) == pytest.approx((exact.low, exact.high))
    assert (1 - row["supported"]) ** 60_000 == pytest.approx(0.025), "all below it by chance"
    assert row["worst"] == pytest.approx(5.2)
    wider = tail_curves.exceedance(rtirq(), confidence=99)
    assert wider["low"].iloc[-2] < table["low"].iloc[-2] < table["high"].iloc[-2] < wider["high"].iloc[-2]


def test_a_limit_is_in_the_unit_of_each_run() -> None:
    assert set(tail_curves.exceedance(rtirq(), "2ms")["limit"]) == {2000.0}
    assert tail_curves.exceedance(rtirq())["limit"].isna().all()
    rows = Rows()
    rows.add("t0", "irq", "bin", 500, 501, n=10, unit="cycles")
    assert tail_curves.exceedance(examine(one(rows)), "2ms")["limit"].isna().all()


def test_the_maximum_grows_from_the_mean_to_the_worst() -> None:
    table, samples = tail_curves.maxima(rtirq()), np.array(rtirq_samples())
    first, last = table.iloc[0], table.iloc[-1]
    assert (first["m"], first["expected low"]) == (1, pytest.approx(samples.mean()))
    assert (last["m"], last["expected low"], last["expected high"]) == (60_000, pytest.approx(5.2), pytest.approx(5.3))
    assert first["least"] == pytest.approx(np.quantile(samples, 0.025, method="inverted_cdf"))
    assert first["most"] == pytest.approx(np.quantile(samples, 0.975, method="inverted_cdf") + 0.1)
    middle = table.iloc[(table["m"] - 100).abs().argmin()]
    drawn = np.random.default_rng(4).choice(samples, (4000, int(middle["m"]))).max(axis=1)
    assert middle["expected low"] == pytest.approx(drawn.mean(), abs=0.04)
    assert middle["median low"] == pytest.approx(np.median(drawn), abs=0.11)


def test_summaries_and_windows_have_no_curves() -> None:
    rows, other = Rows(), Rows()
    rows.add("all", "thread", "summary", 1e3, 9e3, n=1000)
    histogram(other, {5: 100})
    found = examine(recording((rows, {"run": "summary"}), (other, {"run": "bins", **TRUNCATED})))
    for table in (tail_curves.exceedance(found), tail_curves.maxima(found)):
        assert set(table["run"]) == {"bins"}
    assert tail_curves.return_levels(found).empty
    assert tail_curves.mean_excesses(found).empty
    assert tail_curves.shapes(found).empty


def test_observed_levels_stand_at_the_cycles_that_reached_them() -> None:
    table, samples = tail_curves.return_levels(rtirq()), rtirq_samples()
    assert set(table["what"]) == {"observed"}
    assert set(table["refused"]) == {"misfit"}
    for row in table.to_dict("records"):
        assert 1 / row["cycles"] == pytest.approx(share_reaching(samples, row["value"]))
    assert (table["cycles"].iloc[-1], table["value"].iloc[-1]) == (pytest.approx(60_000), pytest.approx(5.2))


def test_of_an_overflow_only_the_worst_is_known() -> None:
    counts = exponential()
    total = sum(counts.values())
    last, beyond = (sum(n for edge, n in counts.items() if edge >= start) for start in (109, 110))
    rows = Rows()
    histogram(rows, {edge: n for edge, n in counts.items() if edge < 110})
    rows.add("t0", "thread", "bin", 110e3, math.inf, n=beyond)
    rows.add("t0", "thread", "summary", 20e3, 150e3, n=total)
    table = tail_curves.return_levels(examine(one(rows, **TRUNCATED)))
    observed = table[table["what"] == "observed"]
    assert observed["value"].tolist()[-2:] == [109, 150], "what the others beyond 110 us reached is not known"
    assert observed["cycles"].tolist()[-2:] == pytest.approx([total / last, total])


def test_estimated_levels_are_those_of_the_distribution() -> None:
    table = tail_curves.return_levels(examine(made({"r": exponential()})))
    estimated = table[table["what"] == "estimated"]
    n = sum(exponential().values())
    assert estimated["cycles"].iloc[-1] == pytest.approx(100 * n)
    near = estimated[estimated["cycles"] <= n / 10]
    assert near["value"].to_numpy() == pytest.approx([level_of(cycles) for cycles in near["cycles"]], rel=0.03)
    far = estimated[estimated["cycles"] > 10 * n * 1.001]
    assert far["value"].isna().all()
    assert (far["low"] < far["high"]).all()
    assert estimated["value"].notna().sum() == (estimated["cycles"] <= 10 * n * 1.001).sum()


def test_the_mean_excess_is_that_of_the_observations() -> None:
    table, samples = tail_curves.mean_excesses(rtirq()), np.array(rtirq_samples())
    row = table[np.isclose(table["threshold"], 2.8)].iloc[0]
    over = samples[samples > 2.79] - 2.8
    assert row["exceedances"] == len(over) == 191
    assert (row["low"], row["high"]) == pytest.approx((over.mean(), over.mean() + 0.1))
    half = 1.96 * over.std() / math.sqrt(len(over))
    middle = over.mean() + 0.05
    assert (row["interval low"], row["interval high"]) == pytest.approx((middle - half, middle + half))
    assert table["fitted"].isna().all()
    assert table["chosen"].isna().all()


def test_the_mean_excess_of_an_exponential_tail_is_its_scale() -> None:
    table = tail_curves.mean_excesses(examine(made({"r": exponential()})))
    above = table[table["threshold"] >= table["chosen"]]
    assert above["fitted"].iloc[0] == pytest.approx(SCALE, rel=0.05)
    assert table["fitted"].notna().sum() == len(above)
    assert table["exceedances"].max() <= 20_000 < N


def test_shapes_are_those_of_other_fits_of_the_article() -> None:
    """As fitted by interval maximum likelihood without rtlat."""
    table = tail_curves.shapes(rtirq()).set_index("exceedances")
    known = {1464: (0.3686, 0.349), 191: (0.3045, 0.039), 112: (0.2165, 0.197), 79: (0.1763, 0.333)}
    for exceedances, (scale, shape) in known.items():
        row = table.loc[exceedances]
        assert (row["scale"], row["shape"]) == pytest.approx((scale, shape), abs=0.002)
        assert row["low"] < shape < row["high"]
        assert row["rejected"]


def test_at_most_eight_runs_are_shown_those_with_a_fit_first() -> None:
    two_modes = {**exponential(N / 10), 100: 400, 101: 400}
    runs = {f"refused {place}": two_modes for place in range(7)} | {
        f"r{place}": exponential(N / 20) for place in range(5)
    }
    found = examine(made(runs))
    chosen = [one.name for one in tail_curves.shown(found)]
    assert len(chosen) == 8
    assert sum(name.startswith("r") and not name.startswith("refused") for name in chosen) == 5
    assert set(tail_curves.shapes(found)["name"]) == set(chosen)
