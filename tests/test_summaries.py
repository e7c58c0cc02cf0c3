"""The summary of a recording, as a frame and as JSON, against the figures that the logs themselves print."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest
from recordings import TRUNCATED, US, histogram, one, recording, rtirq_table

import rtlat
from rtlat.errors import SelectionError, UsageError
from rtlat.protocol import Recording
from rtlat.rows import Rows

INF = math.inf


@pytest.fixture(scope="module")
def rtirq(seeds: Path) -> Recording:
    rows = Rows()
    histogram(rows, rtirq_table(seeds), "all", "irq", 100.0)
    return one(rows, tool="rtirq", approach="rtirq", resolution=100.0, duration=60.0)


def test_the_rtirq_article_in_json(rtirq: Recording) -> None:
    made = rtlat.summary_json(rtirq, ["50", "99", "99.9", "99.99", "99.999"])
    assert made["schema"] == 1
    (run,) = made["runs"]
    assert {name: run[name] for name in ("run", "source", "tool", "approach", "duration", "ended", "warnings")} == {
        "run": "r0",
        "source": "made.txt",
        "tool": "rtirq",
        "approach": "rtirq",
        "duration": 60,
        "ended": "complete",
        "warnings": [],
    }
    (series,) = run["series"]
    about = {name: series[name] for name in ("series", "pooled", "quantity", "kind", "unit", "n", "n_basis")}
    assert about == {
        "series": "all",
        "pooled": False,
        "quantity": "irq",
        "kind": "bin",
        "unit": "us",
        "n": 60_000,
        "n_basis": "counted",
    }
    assert (series["overflow"], series["missed"]) == (0, None)
    assert series["min"] == {"low": 0.4, "high": 0.5, "status": "ok"}
    assert series["max"] == {"low": 5.2, "high": 5.3, "status": "ok"}
    assert series["mean"]["low"] == pytest.approx(0.82410833333, rel=1e-11)
    lows = {percent: result["low"] for percent, result in series["percentiles"].items()}
    assert lows == {"50": 0.8, "99": 1.8, "99.9": 3.1, "99.99": 3.7, "99.999": 5.2}
    assert series["percentiles"]["99.999"] == {
        "low": 5.2,
        "high": 5.3,
        "status": "max",
        "rank": 60_000,
        "supported": False,
    }


def test_unknown_is_null_and_nothing_is_infinite() -> None:
    rows = Rows()
    rows.add("T0", "deviation", "summary", -INF, 2123 * US)
    histogram(rows, {1: 5}, "t0")
    rows.add("t0", "thread", "bin", 5 * US, INF, n=4)
    made = rtlat.summary_json(one(rows, approach="", ended="unknown"))
    run = json.loads(json.dumps(made, allow_nan=False))["runs"][0]
    assert (run["approach"], run["duration"]) == (None, None)
    deviation, thread = run["series"]
    assert (deviation["n"], deviation["n_basis"], deviation["overflow"]) == (None, None, None)
    assert deviation["max"] == {"low": 2123, "high": 2123, "status": "ok"}
    assert deviation["min"] == {"low": None, "high": None, "status": "refused", "reason": "not printed"}
    assert deviation["percentiles"]["50"]["status"] == "refused"
    assert deviation["percentiles"]["50"]["reason"]
    assert thread["max"] == {"low": 5, "high": None, "status": "overflow"}
    assert thread["percentiles"]["99"] == {"low": 5, "high": None, "status": "overflow", "rank": 9, "supported": False}


def test_lil_stays_in_cycles() -> None:
    rows = Rows()
    rows.add("all", "irq", "summary", 542, 2100, n=2_000_000, avg=542, unit="cycles")
    (series,) = rtlat.summary_json(one(rows, resolution=1.0))["runs"][0]["series"]
    assert (series["unit"], series["n"], series["n_basis"]) == ("cycles", 2_000_000, "stated")
    assert [series[name]["low"] for name in ("min", "mean", "max")] == [542, 542, 2100]
    assert {result["status"] for result in series["percentiles"].values()} == {"bounds"}


@pytest.mark.parametrize(
    "name", ["rt_preempt_10h_bbb", "rt_preempt_10h_bbb_busy", "xenomai_10h_bbb", "xenomai_10h_bbb_busy"]
)
def test_ten_hours_of_cyclictest_agree_with_the_logs_own_footer(logs: Path, name: str) -> None:
    path = logs / "public" / "cyclictest" / f"konchalas_{name}.log"
    text = path.read_text()
    counts = {int(edge): int(n) for edge, n in re.findall(r"^(\d{6})[ \t](\d+)[ \t]*$", text, re.MULTILINE)}
    footer = {key: int(value) for key, value in re.findall(r"^# (Total|Min|Avg|Max)[^:]*: 0*(\d+)", text, re.MULTILINE)}
    row = rtlat.summary(rtlat.read(path), ["50", "99.9"]).iloc[0]
    assert row["n"] == footer["Total"] == sum(counts.values())
    assert (row["min"].low, row["max"].low) == (footer["Min"], footer["Max"])
    assert footer["Avg"] <= row["mean"].low <= row["mean"].high <= footer["Avg"] + 2
    assert row["mean"].high - row["mean"].low == pytest.approx(1)
    for column, thousandths in (("p50", 500), ("p99.9", 999)):
        up_to = 0
        for edge in sorted(counts):
            up_to += counts[edge]
            if up_to * 1000 >= thousandths * footer["Total"]:
                break
        assert row[column].low == edge


def threads() -> Recording:
    rows = Rows()
    histogram(rows, {1: 90, 2: 10}, "t0")
    histogram(rows, {1: 50, 9: 50}, "t1")
    histogram(rows, {3: 1}, "t0", "irq")
    return one(rows, **TRUNCATED)


def test_series_stand_separately_and_their_pool_is_one_more_row() -> None:
    table = rtlat.summary(threads(), [50, "99.9"])
    assert table[["series", "quantity", "pooled", "n"]].to_numpy().tolist() == [
        ["t0", "thread", False, 100],
        ["t1", "thread", False, 100],
        ["t0", "irq", False, 1],
        ["all", "thread", True, 200],
    ]
    assert table["max"].map(rtlat.Bounds.text).tolist() == ["2-3", "9-10", "3-4", "9-10"]
    assert table["p50"].map(rtlat.Bounds.text).tolist() == ["1-2", "1-2", "3-4 (max)", "1-2"]
    assert table["p99.9"].iloc[3].text("us") == "9-10 us (max)"


def test_columns_of_the_summary_keep_their_names() -> None:
    names = (
        "run series quantity pooled kind unit n n_basis overflow missed min max mean std range iqr mad p99-p1 p99.9-p50"
    )
    percentiles = "p50 p90 p99 p99.9 p99.99 p99.999"
    assert rtlat.summary(threads()).columns.tolist() == [*names.split(), *percentiles.split()]


def test_more_nines_where_n_supports_them() -> None:
    rows = Rows()
    histogram(rows, {1: 4_000_000})
    assert rtlat.summary(one(rows)).columns[-1] == "p99.9999"


def test_what_a_tool_prints_of_all_series_is_not_pooled_with_them() -> None:
    rows = Rows()
    histogram(rows, {1: 9}, "t0")
    histogram(rows, {1: 9}, "t1")
    rows.add("all", "thread", "summary", 1 * US, 77 * US, n=18)
    table = rtlat.summary(one(rows))
    assert table[["series", "pooled", "n"]].to_numpy().tolist() == [
        ["t0", False, 9],
        ["t1", False, 9],
        ["all", False, 18],
        ["all", True, 18],
    ]
    assert table["max"].iloc[3].high == 2


def test_one_unknown_n_refuses_the_pool_but_not_its_extremes() -> None:
    rows = Rows()
    histogram(rows, {1: 9}, "t0")
    rows.add("t1", "thread", "summary", 0, 50 * US)
    pooled = rtlat.summary(one(rows)).iloc[-1]
    assert (pooled["series"], pooled["pooled"], str(pooled["n"])) == ("all", True, "<NA>")
    assert (pooled["min"].text(), pooled["max"].text()) == ("0", "50")
    assert pooled["p50"].status == pooled["mean"].status == "refused"
    assert "t1" in pooled["p50"].reason


def test_runs_are_not_pooled_with_each_other_and_keep_their_order() -> None:
    a, b = Rows(), Rows()
    histogram(a, {1: 9}, "t0")
    histogram(b, {1: 9}, "t1")
    table = rtlat.summary(recording((b, {"run": "b"}), (a, {"run": "a"})))
    assert table[["run", "series", "pooled"]].to_numpy().tolist() == [["b", "t1", False], ["a", "t0", False]]


def test_what_distribution_warns_of_stands_in_the_json() -> None:
    rows = Rows()
    histogram(rows, {1: 9})
    (run,) = rtlat.summary_json(one(rows, ended="cut", warnings='["line 3: odd"]'))["runs"]
    assert run["warnings"][0] == "line 3: odd"
    assert run["warnings"][1].startswith("t0: the histogram's end is missing")
    assert run["series"][0]["max"]["status"] == "partial"


def test_a_row_for_each_percentile() -> None:
    table = rtlat.percentiles(threads(), [50, "99.90"], quantity="thread", series="t1")
    assert table.columns.tolist() == [
        "run", "series", "quantity", "unit", "percent", "low", "high", "status", "rank", "n", "supported", "reason",
    ]  # fmt: skip
    assert table[["percent", "low", "high", "status", "rank"]].to_numpy().tolist() == [
        ["50", 1, 2, "ok", 50],
        ["99.90", 9, 10, "max", 100],
    ]
    with pytest.raises(SelectionError, match="irq, thread"):
        rtlat.percentiles(threads(), [50])


def test_a_wrong_percentile_is_refused_before_anything_is_computed() -> None:
    for table in (rtlat.summary, rtlat.summary_json):
        with pytest.raises(UsageError, match="no percentile"):
            table(threads(), ["fifty"])


def test_an_empty_recording_has_an_empty_summary() -> None:
    made = threads()
    empty = Recording(made.records.iloc[:0], made.runs.iloc[:0], made.series)
    assert len(rtlat.summary(empty)) == 0
    assert rtlat.summary_json(empty) == {"schema": 1, "runs": []}
