"""results.json of jitterdebugger: every recorded one against what the json module finds in it, and damaged ones."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, SHARED

import rtlat
from rtlat.errors import LogError
from rtlat.formats.jitterdebugger_results import FORMAT
from rtlat.protocol import Run
from rtlat.source import Source

SMALL = ROOT / "tests/data/jitterdebugger"
RECORDED = sorted([*SMALL.rglob("results.json"), *SHARED.glob("logs/recorded/**/results.json")])


def parse(log: str | bytes) -> list[Run]:
    return list(FORMAT.parse(Source(None, "log", log.encode() if isinstance(log, str) else log)))


def rows(run: Run, series: str = "", kind: str = "") -> list[dict[str, Any]]:
    arrays = run.rows.arrays()
    every = [dict(zip(arrays, row, strict=True)) for row in zip(*(a.tolist() for a in arrays.values()), strict=True)]
    return [row for row in every if row["series"] in (series or row["series"]) and row["kind"] in (kind or row["kind"])]


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: f"{path.parent.parent.name}/{path.parent.name}")
def test_every_recorded_one(path: Path) -> None:
    text = path.read_text("utf-8")
    lines, told = text.split("\n"), json.loads(text)
    (run,) = parse(text)
    step = told["sysinfo"]["resolution_in_ns"]
    assert run.facts["resolution"] == step
    assert run.facts["kernel"] == f"{told['sysinfo']['release']} {told['sysinfo']['version']}"
    assert run.facts.get("approach", "") == ("PREEMPT_RT" if "PREEMPT_RT" in text else "")
    assert run.warnings == []
    assert list(run.series) == [f"t{name}" for name in told["cpu"]]
    for name, thread in told["cpu"].items():
        *bins, last = rows(run, f"t{name}", "bin")
        beyond = thread["count"] - sum(thread["histogram"].values())
        if beyond:
            assert (last["low"], last["high"], last["n"]) == (1e6, math.inf, beyond)
        else:
            bins.append(last)
        found = {str(int(row["low"]) // step): row["n"] for row in bins}
        assert found == thread["histogram"]
        assert all(row["high"] == row["low"] + step for row in bins)
        assert all(f'"{int(row["low"]) // step}": {row["n"]}' in lines[row["line"] - 1] for row in bins)
        (summary,) = rows(run, f"t{name}", "summary")
        assert (summary["low"], summary["high"]) == (thread["min"] * step, thread["max"] * step)
        assert summary["n"] == thread["count"]
        assert summary["avg"] == pytest.approx(thread["avg"] * step)
        assert f'"count": {summary["n"]},' in lines[summary["line"] - 1]


@pytest.mark.parametrize(
    ("log", "beyond"),
    [("jitterdebugger-0.3.1-deb.json", [29, 22]), ("guest-6.12.117-rt/jd", [2873, 3150])],  # count - sum, by hand
)
def test_what_is_in_no_bin_is_the_tail(logs: Path, log: str, beyond: list[int]) -> None:
    recording = rtlat.read(logs / "recorded/other-tools" / log / "results.json")
    table = rtlat.summary(recording, ["50", "99.9"])
    table = table[~table["pooled"]]
    assert table["overflow"].tolist() == beyond
    for result in table["p99.9"]:
        assert (result.low, result.status) == (1000.0, "overflow")
    if beyond[0] > 1000:  # the bins hold less than half of 5715: the median is not among them
        assert table["p50"].iloc[0].status == "overflow"


def test_nanoseconds_are_not_taken_for_microseconds() -> None:
    recording = rtlat.read(SMALL / "nsec/results.json")
    assert recording.records["low"].min() == 26532.0


def test_results_of_several_folders_have_names_of_their_own() -> None:
    recording = rtlat.read([SMALL / "nsec/results.json", SMALL / "affinity/results.json"])
    assert recording.runs["run"].tolist() == ["nsec/results", "affinity/results"]


REPORT = """{
  "version": 3,
  "sysinfo": {
    "nodename": "secret",
    "release": "6.1.0",
    "version": "#1 SMP PREEMPT_DYNAMIC",
    "cpus_online": 4,
    "resolution_in_ns": 1000
  },
  "cpu": {
    "0": {
      "histogram": {
        "13": 7,
        "14": 2
      },
      "count": 10,
      "min": 13,
      "max": 4457,
      "avg": 457.60
    },
    "1": {
      "histogram": {
        "5": 3
      },
      "count": 3,
      "min": 5,
      "max": 5,
      "avg": 5.00
    }
  }
}
"""
OLD = re.sub(r'(?s)  "version": 3.*?  },\n', "", REPORT, count=1)


def test_the_version_without_sysinfo_knew_microseconds_only() -> None:
    assert OLD.startswith('{\n  "cpu": {')
    (run,), (new,) = parse(OLD), parse(REPORT)
    assert [{**row, "line": 0} for row in map(repr_nan, rows(run))] == [
        {**row, "line": 0} for row in map(repr_nan, rows(new))
    ]
    assert (run.facts["unit_basis"], new.facts["unit_basis"]) == ("documented", "printed")
    assert "secret" not in repr((new.facts, new.series, new.warnings))


def repr_nan(row: dict[str, Any]) -> dict[str, Any]:
    return {name: repr(value) for name, value in row.items()}


def test_status_lines_around_the_json_are_the_same_run(tmp_path: Path) -> None:
    console = tmp_path / "console.txt"
    status = "T: 0 (  614) A: 0 C:     13476 Min:         3 Max:        10 Avg:    3.08 \n"
    console.write_text(f"affinity: 0,1 = 2 [0x3]\n{status}^C\n{OLD}", "utf-8")
    recording = rtlat.read(console)
    assert recording.runs["format"].tolist() == ["jitterdebugger_results"]
    assert recording.runs["ignored"].tolist() == [2]


@pytest.mark.parametrize(
    ("before", "after", "warning"),
    [
        ('"13": 7', '"13": 9', "line 16: t0: the bins hold 11 observations, count is 10"),
        ('"min": 13', '"min": 12', "line 16: t0: min is 12, the lowest value in the histogram 13"),
        ('"min": 13', '"min": 4458', "line 16: t0: min 4458 is above max 4457"),
        ('"max": 4457', '"max": 999', "line 16: t0: the bins hold 9 of 10 observations, but max 999 is not beyond"),
        ('"avg": 457.60', '"avg": 457.50', "line 16: t0: avg is 457.50, the bins allow 457.60 to 457.60"),
        ('"5": 3', '"5": 2', "line 25: t1: the bins hold 2 of 3 observations, but max 5 is not beyond them"),
        ('"5": 3', '"4": 3', "line 25: t1: min is 5, the lowest value in the histogram 4"),
    ],
)
def test_a_contradiction_is_told_with_both_numbers(before: str, after: str, warning: str) -> None:
    (run,) = parse(REPORT.replace(before, after, 1))
    assert run.warnings[0].startswith(warning)
    if "hold" in warning:  # a bin is lost: what is left is no whole histogram
        assert run.facts["ended"] == "cut"


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('"13": 7', '"13": -7', "log:13: found '-7' is no count"),
        ('"13": 7', '"14": 7', "log:14: found 14 twice (first in line 13), expected it once"),
        ('"13": 7', '"13": {}', "log:13: found '{' is no count, expected counts, as in"),
        ('"13": 7', '"1000000000": 7', "log:13: found bin 1000000000, beyond a second, expected a bin below 1 ms"),
        ('"count": 10,', "", "log:11: found no count, expected a whole number"),
        ('"count": 10', '"count": 10.5', "log:16: found count 10.5, expected a whole number"),
        ('"count": 10', '"count": 9223372036854775808', "log:16: found more than 2^63 - 1 observations in thread 0"),
        ('"avg": 457.60', '"avg": -nan', "log:19: found avg '-nan' is no number"),
        ('"resolution_in_ns": 1000', '"resolution_in_ns": 10', "log:8: found resolution_in_ns 10, expected 1 or 1000"),
        (',\n    "resolution_in_ns": 1000', "", "log:3: found no resolution_in_ns, expected 1 or 1000"),
        ('"0": {', '"CPU 0": {', "log:11: found thread 'CPU 0', expected a number"),
        ('"cpu"', '"cores"', "log: found no sample in any thread, expected at least one sample"),
    ],
)
def test_damage_is_one_line_that_says_where(before: str, after: str, message: str) -> None:
    assert before in REPORT
    with pytest.raises(LogError) as error:
        parse(REPORT.replace(before, after, 1))
    assert str(error.value).startswith(message)


def test_a_thread_without_a_sample_says_nothing() -> None:
    (run,) = parse(re.sub(r'"5": 3\n(\s*\},\s*)"count": 3(.*?)5\.00', r'\1"count": 0\2-nan', REPORT, flags=re.DOTALL))
    assert rows(run, "t1") == []
    assert run.warnings == ["line 24: t1 has no sample"]


def test_a_negative_latency_takes_minimum_and_maximum_with_it() -> None:
    (run,) = parse(REPORT.replace('"max": 4457', '"max": 18446744073709551386', 1))
    assert [(row["low"], row["high"], row["n"]) for row in rows(run, "t0")][2:] == [
        (-math.inf, math.inf, 1),
        (-math.inf, math.inf, 10),
    ]
    assert "has negative latencies" in run.warnings[0]


@pytest.mark.parametrize("text", [REPORT, (SMALL / "affinity/results.json").read_text("utf-8")], ids=["made", "real"])
def test_a_cut_log_gives_the_threads_that_are_complete(text: str) -> None:
    (whole,) = parse(text)
    for length in range(1, len(text.rstrip())):
        complete = [f"t{index}" for index, _ in enumerate(re.findall(r"\n    \}", text[text.find('"cpu"') : length]))]
        if '"cpu"' in text[:length] and complete:
            (run,) = parse(text[:length])
            assert run.facts["ended"] == "cut"
            assert list(run.series) == complete
            for series in complete:
                assert list(map(repr_nan, rows(run, series))) == list(map(repr_nan, rows(whole, series)))
        else:
            with pytest.raises(LogError, match=r"^log(:\d+)?: found "):
                parse(text[:length])
