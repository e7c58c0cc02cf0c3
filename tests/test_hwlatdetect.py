"""hwlatdetect: every log there is against its own lines, and what a good result says."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from conftest import ROOT, SHARED

import rtlat
from rtlat.errors import LogError
from rtlat.formats.hwlatdetect import FORMAT
from rtlat.protocol import Run
from rtlat.source import Source

SMALL = ROOT / "tests" / "data" / "rt-tests"
LOGS = [
    *sorted(SMALL.glob("hwlatdetect*")),
    *sorted((SHARED / "logs" / "recorded" / "other-tools").glob("guest-*/hwlat*")),
    *sorted((SHARED / "logs" / "public" / "other-tools").glob("lkml-hwlatdetect*")),
]
TEXT = (SMALL / "hwlatdetect.txt").read_text("utf-8")


def parse(log: str | bytes) -> list[Run]:
    return list(FORMAT.parse(Source(None, "log", log.encode() if isinstance(log, str) else log)))


def rows(run: Run, kind: str) -> list[tuple[object, ...]]:
    arrays = run.rows.arrays()
    every = zip(*(arrays[name].tolist() for name in ("series", "of", "low", "high", "n", "kind")), strict=True)
    return [row[:-1] for row in every if row[-1] == kind]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_log_against_its_own_lines(path: Path) -> None:
    text = path.read_text("utf-8")
    gaps = [max(map(int, pair)) for pair in re.findall(r"^ts: .*inner:(\d+), outer:(\d+)", text, re.MULTILINE)]
    (run,) = parse(text)
    assert rows(run, "sample") == [("all", "over", gap * 1e3, gap * 1e3, 1) for gap in gaps]
    longest = re.search(r"^Max Latency: (\d+)us$", text, re.MULTILINE)
    threshold = re.search(r"Latency threshold: (\d+)us", text)
    if longest:
        assert rows(run, "summary") == [("all", "all", -math.inf, int(longest[1]) * 1e3, -1)]
        assert max(gaps) == int(longest[1])
    elif threshold:
        assert rows(run, "summary") == [("all", "over", -math.inf, math.inf, 0)]
        assert rows(run, "bin") == [("all", "all", -math.inf, (int(threshold[1]) + 1) * 1e3, -1)]
    if threshold:
        assert run.facts["threshold"] == int(threshold[1]) * 1e3
        assert run.facts["ended"] == "complete"
        assert run.facts["note"] == "watched 0.5 s of every 1 s"
    assert run.rejected.total == 0


def test_the_logs_are_there() -> None:
    assert len(LOGS) == (6 if (SHARED / "logs").is_dir() else 2)


def test_a_good_result_bounds_the_maximum() -> None:
    (run,) = rtlat.summary_json(rtlat.read(SMALL / "hwlatdetect-pass.txt"), ["50"])["runs"]
    (series,) = run["series"]
    assert series["n"] is None
    assert series["max"] == {"low": None, "high": 1_000_001.0, "status": "bounds"}
    assert series["percentiles"]["50"]["status"] == "refused"


def test_a_gap_makes_the_longest_the_maximum_and_nothing_else() -> None:
    (run,) = rtlat.summary_json(rtlat.read(SMALL / "hwlatdetect.txt"), ["50"])["runs"]
    (series,) = run["series"]
    assert series["max"] == {"low": 33_953.0, "high": 33_954.0, "status": "ok"}
    assert series["n"] is None
    assert series["min"] == {"low": None, "high": 13_766.0, "status": "bounds"}  # a gap of 13765 us is shown
    assert series["percentiles"]["50"]["status"] == "refused"


def test_newer_lines_name_the_cpu_and_count_the_gaps() -> None:
    (run,) = parse("ts: 1796058540.370195829, inner:12, outer:13, cpu:3, count:4\n")
    assert rows(run, "sample") == [("cpu3", "over", 13_000.0, 13_000.0, 1)]
    assert rows(run, "window") == [("cpu3", "over", -math.inf, 13_000.0, 3)]
    assert run.series == {"cpu3": {"cpu": 3}}
    text = TEXT.replace("exceeding threshold: 8", "exceeding threshold: 11").replace(
        "outer:13769", "outer:13769, count:4", 1
    )
    (run,) = parse(text)
    assert (run.facts["ended"], len(run.warnings)) == ("complete", 1)


@pytest.mark.parametrize(
    ("before", "after", "warning"),
    [
        (
            "Max Latency: 33953us",
            "Max Latency: 3395us",
            "line 13: the longest gap is 3395, the lines of gaps say 33953",
        ),
        ("recorded: 8", "recorded: 9", "line 14: samples recorded: 9, the lines of gaps say 8"),
        ("threshold: 8", "threshold: 18", "line 15: samples exceeding: 18, the lines of gaps say 8"),
        ("outer:33953\n", "outer:33953x\n", "line 14: samples recorded: 8, the lines of gaps say 7"),
    ],
)
def test_a_contradiction_is_told(before: str, after: str, warning: str) -> None:
    (run,) = parse(TEXT.replace(before, after, 1))
    assert warning in run.warnings
    assert run.facts["ended"] == "cut"


def test_interrupts_of_the_firmware_and_of_the_user_are_told() -> None:
    text = TEXT.replace("test finished", "interrupted\ntest finished").replace(
        "report saved", "SMIs during run: 3\nreport saved"
    )
    (run,) = parse(text)
    assert run.facts["ended"] == "interrupted"
    assert "line 17: 3 system management interrupts during the run" in run.warnings


@pytest.mark.parametrize("cut", ["Max Latency", "test finished", "   parameters"])
def test_without_a_result_there_is_no_run(cut: str) -> None:
    with pytest.raises(LogError, match="^log: found no result of hwlatdetect"):
        parse(TEXT[: TEXT.index(cut)])


def test_several_runs_and_quoting() -> None:
    runs = parse(TEXT + (SMALL / "hwlatdetect-pass.txt").read_text("utf-8"))
    assert [len(rows(run, "sample")) for run in runs] == [8, 0]
    (quoted,) = parse("".join(f"> {line}\n" for line in TEXT.splitlines()))
    assert quoted.quoted
    assert rows(quoted, "sample") == rows(parse(TEXT)[0], "sample")
