"""cyclicdeadline prints the notation of cyclictest: logs against their own lines, and a minimum that is none."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, SHARED

from rtlat.errors import LogError
from rtlat.formats.cyclictest_text import FORMAT
from rtlat.protocol import Run
from rtlat.source import Source

SMALL = ROOT / "tests" / "data" / "rt-tests"
RECORDED = SHARED / "logs" / "recorded" / "rt-tests"
LOGS = [path for folder in (SMALL, RECORDED) for path in sorted(folder.glob("tool_cyclicdeadline*.txt"))]
STATUS = [path for path in LOGS if "_D3_" in path.name]
HISTOGRAM = (SMALL / "tool_cyclicdeadline_210_hist.txt").read_text("utf-8")
QUIET = (SMALL / "tool_cyclicdeadline_D3_t2_q.txt").read_text("utf-8")


def parse(log: str | bytes) -> list[Run]:
    return list(FORMAT.parse(Source(None, "log", log.encode() if isinstance(log, str) else log)))


def rows(run: Run, series: str, kind: str) -> list[dict[str, Any]]:
    arrays = run.rows.arrays()
    every = [dict(zip(arrays, row, strict=True)) for row in zip(*(a.tolist() for a in arrays.values()), strict=True)]
    return [row for row in every if (row["series"], row["kind"], row["of"]) == (series, kind, "all")]


@pytest.mark.parametrize("path", STATUS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_status_lines(path: Path) -> None:
    text = path.read_text("utf-8")
    found = re.findall(r"T: *(\d+) .* I:(\d+) C: *(\d+) Min: *(\d+) Act: *\d+ Avg: *(\d+) Max: *(\d+)", text)
    last = {thread: tuple(map(int, rest)) for thread, *rest in found}
    (run,) = parse(text)
    assert run.tool == "cyclicdeadline"
    for thread, (interval, n, low, avg, high) in last.items():
        (row,) = rows(run, f"t{thread}", "summary")
        assert (row["n"], row["avg"], row["high"]) == (n, avg * 1e3, high * 1e3)
        assert low > 0
        assert row["low"] == -math.inf
        assert run.series[f"t{thread}"] == {"policy": "deadline", "n": n, "period": interval * 1e3}
    assert run.facts["ended"] == ("complete" if path.name.endswith("_q.txt") else "unknown")
    assert "version" not in run.facts


def test_the_minimum_starts_anew_after_a_latency_of_0() -> None:
    """The live log shows it: Min falls to 0 and rises again."""
    assert len(STATUS) >= (3 if RECORDED.is_dir() else 1)
    lines = ["T: 0 (31065) I:10000 C:     23 Min:      0 Act:    0 Avg:   16 Max:     130"]
    (run,) = parse("\n".join([*lines, ""]))
    assert rows(run, "t0", "summary")[0]["low"] == 0
    lines.append("T: 0 (31065) I:10000 C:     24 Min:     30 Act:   30 Avg:   17 Max:     130")
    (run,) = parse("\n".join([*lines, ""]))
    assert rows(run, "t0", "summary")[0]["low"] == -math.inf
    assert [warning for warning in run.warnings if "line 2: Min is not kept" in warning]


def test_the_histogram_knows_the_minimum() -> None:
    (run,) = parse(HISTOGRAM)
    counts = [list(map(int, cells.split())) for cells in re.findall(r"^\d{6} (.*)$", HISTOGRAM, re.MULTILINE)]
    (overflows,) = re.findall(r"# Histogram Overflows: (.*)", HISTOGRAM)
    (maxima,) = re.findall(r"# Max Latencies: (.*)", HISTOGRAM)
    assert run.tool == "cyclicdeadline"
    assert "# Min Latencies: 00001 00001" in HISTOGRAM
    for thread, (over, most) in enumerate(zip(overflows.split(), maxima.split(), strict=True)):
        inside = sum(cells[thread] for cells in counts)
        (row,) = rows(run, f"t{thread}", "summary")
        assert counts[0][thread] == 8  # at 0 us, whatever Min says
        assert (row["low"], row["high"], row["n"]) == (0, int(most) * 1e3, inside + int(over))
        assert sum(found["n"] for found in rows(run, f"t{thread}", "bin")) == inside + int(over)
    assert (run.facts["ended"], run.warnings) == ("complete", [])
    positive = re.sub(r"^000000 .*\n", "", HISTOGRAM, flags=re.MULTILINE)
    (run,) = parse(positive)
    assert rows(run, "t0", "summary")[0]["low"] == 1000.0  # nothing was 0: Min is the minimum


def test_a_break_stops_it() -> None:
    (run,) = parse(QUIET + "# Break thread: 31210\n# Break value: 2156\n")
    assert (run.tool, run.facts["ended"]) == ("cyclicdeadline", "stopped at threshold")


def test_cyclictest_and_cyclicdeadline_in_one_file_are_two_runs() -> None:
    cyclictest = "T: 0 ( 2526) P:80 I:1000 C:    200 Min:     17 Act:   24 Avg:   49 Max:    1074\n"
    for log in (cyclictest + QUIET, QUIET + cyclictest, cyclictest + QUIET[QUIET.index("T: 0") :]):
        tools = [run.tool for run in parse(log)]
        assert sorted(tools) == ["cyclicdeadline", "cyclictest"]
    assert [run.tool for run in parse(cyclictest + HISTOGRAM)] == ["cyclictest", "cyclicdeadline"]


def test_a_run_that_failed_says_so(logs: Path) -> None:
    with pytest.raises(LogError, match="found cyclicdeadline's header without a result"):
        parse((logs / "recorded" / "rt-tests" / "tool_cyclicdeadline_fail.txt").read_bytes())
