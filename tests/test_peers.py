"""What other readers of these logs get wrong, each as a log whose answer is known, read by rtlat.

The defects were found in the sources of rteval, civcode's plotting script, xenomai-latency-plotter, hdr-plot, ApexAI's
performance tests and jitterplot. Small logs are written here; the others were recorded.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT

import rtlat
from rtlat.errors import SelectionError

DATA = ROOT / "tests" / "data"


def answers(path: Path, *percentiles: str, **known: str) -> dict[str, dict[str, Any]]:
    """The series of a log by name and quantity, as the summary's JSON tells them."""
    document = rtlat.summary_json(rtlat.read(path, card=os.devnull, **known), list(percentiles) or ["50"])
    (run,) = document["runs"]
    return {f"{one['series']} {one['quantity']}": one for one in run["series"] if not one.get("pooled")}


def histogram(folder: Path, rows: dict[int, int], over: int = 0, most: int = 0, average: int = 0) -> Path:
    """The text of cyclictest -h -q of one thread."""
    low, high = min(rows, default=most), most or max(rows)
    table = [f"{label:06d} {rows.get(label, 0):06d}" for label in range(max(rows, default=9) + 1)]
    foot = [
        f"# Total: {sum(rows.values()):09d}",
        f"# Min Latencies: {low:05d}",
        f"# Avg Latencies: {average:05d}",
        f"# Max Latencies: {high:05d}",
        f"# Histogram Overflows: {over:05d}",
    ]
    path = folder / "made.hist"
    path.write_text("\n".join(["# /dev/cpu_dma_latency set to 0us", "# Histogram", *table, *foot, ""]))
    return path


def between(answer: dict[str, Any], value: float) -> bool:
    """Whether a value lies within an answer's bounds."""
    low, high = answer["low"], answer["high"]
    return (low is None or low <= value) and (high is None or value <= high)


# rteval


@pytest.mark.parametrize(("values", "median"), [((1, 10, 20), 10), ((1, 10, 10, 20, 31), 10), ((3, 3, 9), 3)])
def test_the_median_of_an_odd_number_is_the_one_in_the_middle(
    tmp_path: Path, values: tuple[int, ...], median: int
) -> None:
    rows = {value: values.count(value) for value in values}
    (series,) = answers(histogram(tmp_path, rows), "50").values()
    assert (series["percentiles"]["50"]["low"], series["percentiles"]["50"]["high"]) == (median, median + 1)


def test_rtevals_own_median_is_a_contradiction_and_never_an_answer() -> None:
    recording = rtlat.read(DATA / "rteval/summary-made.xml", card=os.devnull)
    assert "median is 5.5, the buckets give 10" in recording.runs.loc[0, "warnings"]


def test_contexts_of_timerlat_are_never_added_up() -> None:
    recording = rtlat.read(DATA / "rtla/rtla612-timerlat-hist-ns-b10000-E50.txt", card=os.devnull)
    text = (DATA / "rtla/rtla612-timerlat-hist-ns-b10000-E50.txt").read_text()
    count = next(line.split()[1:] for line in text.split("\n") if line.startswith("count:"))
    series = answers(DATA / "rtla/rtla612-timerlat-hist-ns-b10000-E50.txt")
    names = [f"cpu{cpu} {context}" for cpu in (0, 1) for context in ("irq", "thread", "user")]
    assert [series[name]["n"] for name in names] == list(map(int, count))
    with pytest.raises(SelectionError, match="irq"):
        rtlat.histogram(recording)


def test_overflow_ends_no_statistics(tmp_path: Path) -> None:
    rows = {10: 900, 20: 99}
    (series,) = answers(histogram(tmp_path, rows, over=1, most=4321), "50", "99", "99.99").values()
    assert (series["n"], series["overflow"], series["max"]["low"]) == (1000, 1, 4321)
    assert series["percentiles"]["50"]["low"] == 10
    assert series["percentiles"]["99"]["low"] == 20
    assert series["percentiles"]["99.99"]["low"] >= 21  # beyond the last bin, and no number of the table


def test_what_lies_over_the_range_of_rtla_counts() -> None:
    text = (DATA / "rtla/rtla61-osnoise-hist.txt").read_text()
    foot = {
        line.split(":")[0]: line.split()[1:]
        for line in text.split("\n")
        if line.startswith(("over:", "count:", "max:"))
    }
    for cpu, series in enumerate(answers(DATA / "rtla/rtla61-osnoise-hist.txt").values()):
        assert series["overflow"] == int(foot["over"][cpu]) > 0
        assert series["n"] == int(foot["count"][cpu])
        assert series["max"]["low"] == int(foot["max"][cpu])


# cyclictest


def test_json_tells_its_overflow_by_what_is_missing() -> None:
    path = DATA / "json/deb2.10-1_h20.json"
    document = json.loads(path.read_text())
    for (_, thread), series in zip(document["thread"].items(), answers(path).values(), strict=True):
        assert series["n"] == thread["cycles"]
        assert series["overflow"] == thread["cycles"] - sum(thread["histogram"].values()) > 0


@pytest.mark.parametrize(("name", "scale"), [("json_h_overflow.json", 1), ("deb2.10-1_N_h8.json", 1000)])
def test_resolution_in_ns_is_a_flag_and_no_factor(name: str, scale: int) -> None:
    document = json.loads((DATA / "json" / name).read_text())
    assert document["resolution_in_ns"] == (scale == 1000)
    for thread, series in zip(document["thread"].values(), answers(DATA / "json" / name).values(), strict=True):
        assert series["max"]["low"] == pytest.approx(thread["max"] / scale)


def test_a_printed_average_is_cut_to_a_whole_microsecond(tmp_path: Path) -> None:
    log = "T: 0 (  9) P:80 I:1000 C:    200 Min:     17 Act:   24 Avg:   49 Max:    1074\n"
    (tmp_path / "q.txt").write_text(log)
    (series,) = answers(tmp_path / "q.txt").values()
    assert series["mean"]["low"] == 49
    assert series["mean"]["high"] >= 50


def test_row_0_of_a_histogram_is_no_head(tmp_path: Path) -> None:
    (series,) = answers(histogram(tmp_path, {0: 7, 1: 3}), "50").values()
    assert (series["n"], series["min"]["low"], series["percentiles"]["50"]["high"]) == (10, 0, 1)


# Xenomai


def test_the_file_of_g_holds_one_observation_too_many_in_each_row_and_a_frame(tmp_path: Path) -> None:
    """One sample of 10 us among 9999: read as they stand, the rows would make it seven."""
    (tmp_path / "g.gnuplot").write_text(
        "# 00:00:10 (periodic user-mode task, 1000 us period, priority 99)\n"
        "# ----lat min|----lat avg|----lat max|-overrun|---msw|\n"
        "#       5.100|      5.500|     10.200|       0|     0|\n"
        "5 1\n5.5 10000\n6.5 1\n7.5 1\n8.5 1\n9.5 1\n10.5 2\n11 1\n"
    )
    (series,) = answers(tmp_path / "g.gnuplot", "50", "99.99").values()
    assert series["n"] == 10_000
    records = rtlat.read(tmp_path / "g.gnuplot").records
    assert records.loc[(records["kind"] == "bin") & (records["low"] >= 10_000), "n"].sum() == 1
    assert between(series["percentiles"]["99.99"], 5.5)


def test_negative_latencies_of_a_histogram_are_folded_and_it_says_so() -> None:
    recording = rtlat.read(DATA / "xenomai/l33_full.txt", card=os.devnull)
    assert recording.runs["folded"].tolist() == [True]


def test_the_last_cell_of_a_histogram_is_open_at_the_top() -> None:
    path = DATA / "xenomai/l33_H10_B5000.txt"
    records = rtlat.read(path, card=os.devnull).records
    bins = records[(records["kind"] == "bin") & (records["of"] == "all")]
    assert bins.loc[bins["high"] == np.inf, "n"].tolist() == [331]
    # HSD prints cells, 5 us wide each: the lowest `2 -  3` begins at 10 us
    assert bins["low"].min() == 10_000


def test_the_worst_cell_counts_in_a_standard_deviation(tmp_path: Path) -> None:
    rows = {10: 999, 500: 1}
    (series,) = answers(histogram(tmp_path, rows, average=10)).values()
    exact = np.std(np.repeat(list(rows), list(rows.values())))
    assert series["std"]["low"] - 1 <= exact <= series["std"]["high"] + 1
    assert series["std"]["high"] > 10  # 0 without the worst


# the others


def test_a_percentile_that_few_samples_cannot_tell_is_not_the_maximum_in_disguise(tmp_path: Path) -> None:
    (series,) = answers(histogram(tmp_path, {10: 99, 80: 1}), "99.99").values()
    assert series["percentiles"]["99.99"]["status"] != "ok"


def test_seconds_give_bounds_and_no_percentile() -> None:
    path = DATA / "ros2/performance-windows-made.json"
    seconds = [second for second in json.loads(path.read_text())["analysis_results"] if second["latency_n"]]
    (series,) = answers(path, "99").values()
    answer = series["percentiles"]["99"]
    assert answer["status"] == "bounds"
    assert answer["low"] <= min(second["latency_max"] for second in seconds) * 1e6
    assert answer["high"] >= sorted(second["latency_max"] for second in seconds)[-2] * 1e6


def test_what_jitterdebugger_leaves_out_of_its_histogram_is_overflow() -> None:
    path = DATA / "jitterdebugger/affinity/results.json"
    for thread, series in zip(
        json.loads(path.read_text())["cpu"].values(), answers(path, "99.9").values(), strict=True
    ):
        missing = thread["count"] - sum(thread["histogram"].values())
        assert (series["n"], series["overflow"] or 0, series["max"]["low"]) == (thread["count"], missing, thread["max"])
