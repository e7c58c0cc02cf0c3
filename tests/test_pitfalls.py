"""The pitfalls of comparing latencies, numbered as in the field's collection of them: what rtlat does about each.

P12 (counts of SMIs), P18 (extrapolated tails) and P22 (instruments outside the machine) have their tests or sentences
elsewhere: README's limits name what is not done.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recordings import SAME_FACTS, US, histogram, recording, rtirq_table

import rtlat
from rtlat.comparing.comparison import Comparison
from rtlat.comparing.comparison_html import compared, shown
from rtlat.comparing.comparison_views import text
from rtlat.rows import Rows
from rtlat.tails.tail import tail

BELL = {20: 1000, 21: 2000, 22: 3000, 23: 2000, 24: 1000, 30: 10}


def made(counts: dict[int, int] | None = None, quantity: str = "thread", **facts: Any) -> tuple[Rows, dict[str, Any]]:
    """One run with a histogram, alike in all but what is stated."""
    rows = Rows()
    histogram(rows, BELL if counts is None else counts, quantity=quantity)
    return rows, {**SAME_FACTS, **facts}


def against(mine: tuple[Rows, dict[str, Any]], theirs: tuple[Rows, dict[str, Any]], **asked: Any) -> Comparison:
    """One run compared with another."""
    return rtlat.compare(recording(mine, theirs), "r1", arms="run", **asked)


def verdict(found: Comparison) -> str:
    """The reasons of the only pair."""
    assert len(found.verdicts) == 1
    return str(found.verdicts["reasons"].iloc[0])


def effect(found: Comparison, what: str) -> Any:
    """The only effect whose name begins so."""
    begins = [name == what or name.startswith((f"{what} ", f"{what},")) for name in found.effects["what"]]
    rows = found.effects[np.array(begins)]
    assert len(rows) == 1
    return rows.iloc[0]


def test_alike_is_comparable() -> None:
    """Without which all else here could hold because everything is refused."""
    assert verdict(against(made(), made())) == "comparable"


def test_treatment_is_no_reason() -> None:
    """P13, first half: approach, kernel and its command line are what is compared."""
    mine = made(approach="PREEMPT_RT", kernel="6.1-rt", cmdline="isolcpus=1")
    assert verdict(against(mine, made(approach="stock", kernel="6.1", cmdline="quiet"))) == "comparable"


def test_p1_quantities_are_not_ranked_against_each_other() -> None:
    found = against(made(quantity="irq"), made(quantity="user"))
    assert found.outcomes["outcome"].tolist() == ["not comparable"]
    assert "quantity: irq (interrupt raised to its handler) against user" in verdict(found)
    assert found.effects.empty
    assert verdict(against(made(quantity="unknown"), made(quantity="unknown"))).startswith(
        "comparable if both measured"
    )


def test_p1_the_same_quantity_in_the_kernel_is_another_path() -> None:
    assert "context: user against kernel" in verdict(against(made(), made(context="kernel")))


def test_p2_worst_observed_values_are_compared_at_equal_n(seeds: Path) -> None:
    """The greatest of 6000 of the 60,000 interrupts of the rtirq table is 3.991437255 us on average (exactly)."""
    table = rtirq_table(seeds)
    runs = []
    for counts in (table, {4: 5999, 30: 1}):
        rows = Rows()
        histogram(rows, counts, quantity="irq", step=100.0)
        runs.append((rows, {**SAME_FACTS, "resolution": 100.0, "rounding": "exact"}))
    found = against(*runs)
    assert "n 60,000 against 6,000 (duration unknown): worst observed compared at equal n" in verdict(found)
    worst = effect(found, "worst observed")
    assert worst["effect"].status == "refused"
    assert "grows with n" in worst["effect"].reason
    assert effect(found, "expected worst of 6,000")["value"].low == pytest.approx(3.991437255, abs=1e-9)


def test_p3_a_percentile_deeper_than_the_data_has_no_upper_end() -> None:
    few = {20: 990, 25: 10}
    found = against(made(few), made(few))
    assert math.isinf(effect(found, "p99.9")["interval"].high)
    assert math.isfinite(effect(found, "p99")["interval"].high)
    assert found.outcomes["outcome"].tolist() == ["undecided"]
    assert "a run of 1,000 cycles cannot tell p99.9: it takes 3,688" in found.outcomes["why"].iloc[0]


def test_p4_loads_are_never_pooled_nor_guessed() -> None:
    assert verdict(against(made(), made(load="hackbench"))) == "not comparable: load: idle against hackbench"
    assert (
        verdict(against(made(), made(load=""))) == "comparable if the load is the same (stated for one side only: idle)"
    )
    runs = [made(load=load, approach=approach) for approach in ("a", "b") for load in ("idle", "hackbench")]
    found = rtlat.compare(recording(*runs), "b")
    assert found.verdicts["compared"].sum() == 2
    assert set(found.spread["number"]) == {1}, "idle and loaded runs do not repeat each other"


def test_p5_no_exceedance_is_not_none_ever() -> None:
    """0 of 60,000 leaves up to 3 in 60,000: of the ratio of two such runs nothing is known."""
    found = against(made({20: 60_000}), made({20: 60_000}), limit="50us")
    ratio = effect(found, "reach 50 us")
    assert ratio["effect"].status == "refused"
    assert (ratio["interval"].low, ratio["interval"].high) == (0, math.inf)
    five = against(made({20: 10**6 - 5, 60: 5}), made({20: 10**6}), limit="50us")
    assert effect(five, "reach 50 us")["interval"].low == pytest.approx(0.91636, abs=1e-5), "5 against 0 of a million"


def test_p6_activations_that_are_in_no_count_are_told() -> None:
    skipping = made(duration=15.0, duration_basis="requested")  # 15,000 were due, 9,010 counted
    assert "activations that are in no count would not change it (5,990 and 5,990" in verdict(
        against(skipping, skipping)
    )
    keeping = made(tool="xenomai latency", overrun_policy="the late sample keeps its whole latency")
    assert "overrun policy: late activations are skipped" in verdict(against(skipping, keeping))
    assert verdict(against(skipping, keeping)).startswith("not comparable")
    assert "no activation was late" in verdict(against(made(), keeping))


def test_p7_an_overflow_makes_a_shift_one_sided() -> None:
    rows, facts = made({20: 9000})
    rows.add("t0", "thread", "bin", 100 * US, math.inf, n=1000)
    found = against((rows, facts), made())
    assert effect(found, "p99.9")["effect"].text("us") == ">= 69 us"
    assert math.isinf(effect(found, "p99.9")["interval"].high)
    assert effect(found, "p50")["effect"].text("us") == "-3 to -1 us"
    assert effect(found, "expected worst")["effect"].low >= 69


def test_p8_unequal_bins_are_compared_on_the_coarser_grid() -> None:
    """The same values, once cut to 1 us and once exact, are told apart by nothing."""
    values = np.random.default_rng(1).gamma(9, 3000, 5000).round()
    fine, coarse = Rows(), Rows()
    for value in values:
        fine.add("t0", "thread", "sample", value, value, n=1)
        coarse.add("t0", "thread", "sample", value // US * US, value // US * US, n=1)
    found = against((fine, {**SAME_FACTS, "resolution": 1.0, "rounding": "exact"}), (coarse, dict(SAME_FACTS)))
    assert "bins of 0 us against 1 us: compared on the coarser grid" in verdict(found)
    chance = effect(found, "chance")["effect"]
    assert (chance.low, chance.high) == (pytest.approx(0.5), pytest.approx(0.5))


def test_p9_cycles_are_no_microseconds(tmp_path: Path) -> None:
    log = "latency cycles: mean 542, max 2100, min 542\n"
    (tmp_path / "lil.txt").write_text(log)
    (tmp_path / "rtirq.txt").write_text(
        "interval: 1000 loops: 3\nInterrupt statistics\n0.40 2 (66.6)\n0.50 1 (100.0)\n"
    )
    found = rtlat.compare(rtlat.read(tmp_path), "rtirq", arms="run")
    assert "unit: cycles against us; state the clock rate (cpu_mhz)" in verdict(found)
    found = rtlat.compare(rtlat.read(tmp_path, cpu_mhz="166"), "rtirq", arms="run")
    assert "unit:" not in verdict(found)


def test_p10_a_folded_sign_is_told() -> None:
    early = made({-1: 10, **BELL})
    assert "no early wake-up was folded" in verdict(against(made(folded=True), early))
    assert verdict(against(made(folded=True), made(folded=True))) == "comparable"


def test_p11_power_states_are_part_of_the_conditions(tmp_path: Path) -> None:
    table = "# Histogram\n000020 000100\n# Total: 000000100\n# Min Latencies: 00020\n# Avg Latencies: 00020\n"
    table += (
        "# Max Latencies: 00020\n# Histogram Overflows: 00000\n# Histogram Overflow at cycle number:\n# Thread 0:\n"
    )
    (tmp_path / "held.hist").write_text("# /dev/cpu_dma_latency set to 0us\n" + table)
    (tmp_path / "left.hist").write_text("WARN: not setting cpu_dma_latency to save battery power\n" + table)
    recording = rtlat.read(tmp_path)
    assert recording.runs["power_states"].tolist() == ["held in C0 by the tool", "left to the system"]
    found = rtlat.compare(recording, "left", arms="run")
    assert "handling of power states: held in C0 by the tool against left to the system" in verdict(found)
    told = [made(power_states="", command=f"cyclictest -m{option}") for option in ("", " --laptop", " --latency=50")]
    reasons = [verdict(against(told[0], other)) for other in told]
    assert reasons[0] == "comparable"
    assert "held in C0 by the tool against left to the system" in reasons[1]
    assert "held in C0 by the tool against as asked (--latency=50)" in reasons[2]


def test_p12_machines_are_listed_and_never_pooled() -> None:
    runs = [made(machine=machine, approach=approach) for approach in ("a", "b") for machine in ("here", "there")]
    found = rtlat.compare(recording(*runs), "b")
    assert set(found.spread["number"]) == {1}
    assert found.verdicts["compared"].sum() == 2


def test_p13_other_hardware_is_another_experiment() -> None:
    assert "hardware: one board against another" in verdict(against(made(), made(machine="another")))
    assert "hardware: 166 against 233" in verdict(against(made(cpu_mhz=166.0), made(cpu_mhz=233.0)))
    assert "the machine is the same (not stated)" in verdict(against(made(machine=""), made(machine="")))
    found = against(made(kernel="6.1"), made(kernel="6.6"))
    assert found.context["what"].tolist() == ["kernel", "kernel"], "and nothing that is equal"
    assert found.context["value"].tolist() == ["6.1", "6.6"]


def test_p14_the_one_bad_cpu_is_named_not_averaged() -> None:
    """One of 32 with 1 % of bad cycles adds 0.03 % to the pool: its p99.9 does not show it."""
    rows = Rows()
    for cpu in range(32):
        histogram(rows, {20: 9900 if cpu == 7 else 10_000, **({900: 100} if cpu == 7 else {})}, series=f"cpu{cpu}")
    healthy = Rows()
    for cpu in range(32):
        histogram(healthy, {20: 10_000}, series=f"cpu{cpu}")
    pooled = against((rows, dict(SAME_FACTS)), (healthy, dict(SAME_FACTS)))
    assert effect(pooled, "p99.9")["effect"].text("us") == "-1 to 1 us"
    assert pooled.spread["in"].iloc[0] == "r0 cpu7", "the pool's table says whose the worst is"
    each = against((rows, dict(SAME_FACTS)), (healthy, dict(SAME_FACTS)), series="each")
    shifts = each.effects[each.effects["what"] == "p99.9"]
    assert [row["arm"] for row in shifts.to_dict("records") if row["effect"].low > 1] == ["r0 cpu7"]


def test_p15_one_run_an_arm_decides_nothing() -> None:
    slow = {value + 20: n for value, n in BELL.items()}
    found = against(made(slow), made())
    assert found.outcomes["outcome"].tolist() == ["undecided"]
    why = found.outcomes["why"].iloc[0]
    assert "p99.9 is 20 us (66.7 %) higher" in why
    assert "5 an arm are needed" in why
    sd = 20 / 1.959964 / math.sqrt(2)
    assert f"standard deviation of {sd:.4g} us" in why
    runs = [made(slow if place < 4 else BELL, approach="a") for place in range(5)] + [made(approach="b")] * 5
    spread = rtlat.compare(recording(*runs), "b").spread
    assert spread["least"].iloc[0].low < spread["greatest"].iloc[0].low, "the best run does not stand for its arm"


def test_p16_no_significance_without_an_effect() -> None:
    """At 1e8 cycles a change of scale of 0.1 % has a Kolmogorov-Smirnov p of 6e-18."""

    def of(scale: float) -> dict[int, int]:
        from scipy.stats import norm

        edges = (np.arange(400) * scale for _ in range(1))
        return dict(enumerate((np.diff(norm(200, 20).cdf(next(edges)), append=1.0) * 1e8).astype(int).tolist()))

    runs = [made(of(scale), approach="a" if scale < 1 else "b") for scale in [0.999] * 5 + [1.0] * 5]
    found = rtlat.compare(recording(*runs), "b")
    assert found.outcomes["outcome"].tolist() == ["no worse"]
    assert effect(found, "chance")["effect"].low == pytest.approx(0.5, abs=0.01)
    modules = list((Path(rtlat.__file__).parent / "comparing").glob("*.py"))
    assert len(modules) > 10
    assert not [module.name for module in modules if "ks_2samp" in module.read_text("utf-8")]


def test_p17_bursts_widen_an_interval_where_the_order_is_known() -> None:
    """40 exceedances each: scattered, or in two bursts of 20."""
    found = {}
    for name, start in (
        ("scattered", range(0, 60_000, 1500)),
        ("bursts", [*range(5000, 5020), *range(40_000, 40_020)]),
    ):
        bad = set(start)
        runs = []
        for _ in range(2):
            rows = Rows()
            values = np.array([90 if place in bad else 20 for place in range(60_000)])
            rows.step = US
            rows.samples("t0", "thread", values, np.arange(60_000), np.arange(60_000))
            runs.append((rows, dict(SAME_FACTS)))
        found[name] = effect(against(*runs, limit="50us"), "reach 50 us")
    assert found["scattered"]["basis"].startswith("seconds, dispersion 1")
    assert found["scattered"]["interval"].high < 2
    assert found["bursts"]["interval"].high > 5
    assert found["scattered"]["effect"].low == found["bursts"]["effect"].low == 1


def test_p18_a_tail_that_is_no_tail_is_not_extrapolated(seeds: Path) -> None:
    """The rtirq table has a second mode; a comparison extrapolates nothing at all."""
    rows = Rows()
    histogram(rows, rtirq_table(seeds), quantity="irq", step=100.0)
    from rtlat.distribution import distributions

    (d,) = distributions(recording((rows, {**SAME_FACTS, "resolution": 100.0})))
    assert "refused" in tail(d).text()


def test_p19_a_run_stopped_at_its_threshold_has_no_percentile_to_compare() -> None:
    stopped = made(ended="stopped at threshold", threshold=30 * US)
    assert verdict(against(stopped, made())).startswith("not comparable: stopping rule")
    arms = {"r0": "a", "r1": "a", "r2": "b", "r3": "b"}
    found = rtlat.compare(recording(stopped, made(), made(), made()), "b", arms=arms)
    assert sorted(found.outcomes["outcome"]) == ["not comparable", "undecided"], (
        "nor is it a repeat of one that was not"
    )


def test_p20_percentiles_of_per_second_rows_are_not_averages_of_them() -> None:
    def seconds(worst: int) -> tuple[Rows, dict[str, Any]]:
        rows = Rows()
        for second in range(240):
            rows.add("all", "thread", "window", 5 * US, (worst + second) * US, n=1000, avg=10 * US, time=float(second))
        return rows, {**SAME_FACTS, "window": 1.0}

    found = against(seconds(40), seconds(20))
    assert "without bins of one width: compared as bounds" in verdict(found)
    p99 = effect(found, "p99")
    # 2400 of 240,000 cycles lie above, the two worst seconds hold 2000: the third worst bounds it, cut to 1 us
    assert (p99["value"].low, p99["value"].high) == (5, 40 + 237 + 1)
    assert p99["effect"].low < 0 < p99["effect"].high
    windows = effect(found, "windows that reach")
    assert windows["basis"].startswith("blocks of windows"), (
        "the one thing they do tell: in which second it was reached"
    )


def test_p21_every_comparison_says_that_measurement_is_a_lower_bound() -> None:
    found = against(made(), made())
    assert "lower bound" in text(found)
    assert "lower bound" in shown(compared(recording(made(approach="a"), made(approach="b")), "", "", "pooled", None))


def test_p22_another_instrument_is_a_condition() -> None:
    outside = made(tool="interrupt generator with an 8 ns counter", overrun_policy="", duration=9.0)
    assert "cyclictest time the same path" in verdict(against(outside, made()))
