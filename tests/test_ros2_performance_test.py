"""performance_test's JSON against what the json module reads of it."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, SHARED

from rtlat.errors import LogError
from rtlat.formats.ros2_performance_test import parse
from rtlat.protocol import Run
from rtlat.source import Source

DATA = ROOT / "tests/data/ros2"
PUBLIC = SHARED / "logs/public/other-tools"
# of these each second tells of its own messages; of the others, of all messages so far
WINDOWS = [DATA / "performance-windows-made.json", *PUBLIC.glob("ros2-*-idle-*.json")]
TOTALS = [DATA / "performance-totals-made.json", *PUBLIC.glob("ros2-*-stress60-*.json")]


def one(text: str) -> Run:
    (run,) = parse(Source(None, "log.json", text.encode()))
    return run


def seconds(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text())["analysis_results"]
    return found


@pytest.mark.parametrize("path", WINDOWS, ids=lambda path: path.name)
def test_windows(path: Path) -> None:
    run, wanted = one(path.read_text()), seconds(path)
    rows = run.rows.arrays()
    for name, key in (("low", "latency_min"), ("high", "latency_max"), ("avg", "latency_mean")):
        assert rows[name].tolist() == pytest.approx([1e9 * second[key] for second in wanted], rel=1e-12)
    assert rows["n"].tolist() == [second["latency_n"] for second in wanted]
    assert rows["missed"].tolist() == [second["num_samples_lost"] for second in wanted]
    assert rows["std"].tolist() == pytest.approx([1e9 * math.sqrt(second["latency_variance"]) for second in wanted])
    assert set(rows["kind"]) == {"window"}
    assert set(rows["quantity"]) == {"message"}
    assert rows["time"][0] == pytest.approx((wanted[0]["experiment_start"] - wanted[0]["loop_start"]) / 1e9)
    assert run.facts["window"] == pytest.approx(1, rel=1e-3)
    assert run.facts["ended"] == "complete"
    other = sum(second["latency_n"] != second["num_samples_received"] for second in wanted)
    assert any(f"in {other - 1} more seconds" in warning for warning in run.warnings)
    assert run.rejected.total == 0


@pytest.mark.parametrize("path", TOTALS, ids=lambda path: path.name)
def test_running_totals_are_told_once(path: Path) -> None:
    run, wanted = one(path.read_text()), seconds(path)
    assert all(after["latency_n"] > before["latency_n"] for before, after in pairwise(wanted))
    rows, last = run.rows.arrays(), wanted[-1]
    assert rows["kind"].tolist() == ["summary"]
    assert rows["n"].tolist() == [last["latency_n"]]
    assert rows["low"][0] == pytest.approx(1e9 * min(second["latency_min"] for second in wanted), rel=1e-12)
    assert rows["high"][0] == pytest.approx(1e9 * max(second["latency_max"] for second in wanted), rel=1e-12)
    assert rows["avg"][0] == pytest.approx(1e9 * last["latency_mean"], rel=1e-12)
    assert rows["missed"].tolist() == [sum(second["num_samples_lost"] for second in wanted)]
    assert any("running totals" in warning for warning in run.warnings)


MADE = WINDOWS[0].read_text()


def test_lines_are_those_of_the_text() -> None:
    text = json.dumps(json.loads(MADE), indent=1)
    lines = one(text).rows.arrays()["line"].tolist()
    assert [text.splitlines()[line - 1].strip() for line in lines] == ["{"] * 5


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("latency_max", 1e-9, "numbers that contradict each other"),
        ("latency_mean", 1.0, "numbers that contradict each other"),
        ("latency_variance", 1.0, "numbers that contradict each other"),
        ("latency_min", "NaN", "damaged second"),
        ("latency_n", 99.5, "damaged second"),
        ("latency_n", -1, "damaged second"),
        ("latency_n", 1e30, "damaged second"),
        ("num_samples_lost", "many", "damaged second"),
        ("latency_min", None, "damaged second"),
    ],
)
def test_a_damaged_second_is_not_kept(key: str, value: Any, reason: str) -> None:
    report = json.loads(MADE)
    report["analysis_results"][2][key] = value
    if value is None:
        del report["analysis_results"][2][key]
    run = one(json.dumps(report))
    assert run.rejected.reasons == {reason: [1, 1]}
    assert len(run.rows) == 4
    assert any("1 seconds could not be read" in warning for warning in run.warnings)


def test_a_second_without_a_message_has_no_latency() -> None:
    report = json.loads(MADE)
    report["analysis_results"][0].update(latency_n=0.0, latency_min=0.0, latency_max=0.0)
    run = one(json.dumps(report))
    assert (len(run.rows), run.ignored.reasons) == (4, {"seconds without a message": [1, 1]})


def test_a_cut_log_holds_the_seconds_that_are_complete() -> None:
    held = set()
    for end in range(len(MADE)):
        try:
            run = one(MADE[:end])
        except LogError:
            continue
        held.add(len(run.rows))
        assert run.facts["ended"] == "cut"
        assert any("the log is cut" in warning for warning in run.warnings)
    assert held == {1, 2, 3, 4, 5}


def test_both_ways_are_another_quantity() -> None:
    run = one(MADE.replace('"roundtrip_mode":"NONE"', '"roundtrip_mode":"MAIN"'))
    assert set(run.rows.arrays()["quantity"]) == {"unknown"}
    assert any("roundtrip_mode is MAIN" in warning for warning in run.warnings)


def test_nothing_to_read_is_an_error() -> None:
    with pytest.raises(LogError, match="no second with a message"):
        one('{"perf_test_version": "1", "analysis_results": []}')
    with pytest.raises(LogError, match="expected"):
        one(MADE.replace('"latency_min":', '"latency_min"', 1) + "\n")
