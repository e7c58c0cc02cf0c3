"""signaltest's ring: every log there is against its last status lines, and what damage leaves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import ROOT, SHARED

import rtlat
from rtlat.errors import LogError
from rtlat.formats.rt_tests_signal import FORMAT
from rtlat.protocol import Run
from rtlat.source import Source

SMALL = ROOT / "tests" / "data" / "rt-tests"
LOGS = [
    path
    for folder in (SMALL, SHARED / "logs" / "recorded" / "rt-tests")
    for path in sorted(folder.glob("tool_signaltest*"))
    if path.suffix != ".json"
]
TWO = """\
T: 0 (31843) P:80 C:    300 Min:     23 Act:   43 Avg:   47 Max:     112
T: 1 (31844) P:80 C:    300 Min:     30 Act:   47 Avg:  682 Max:   10121
"""


def parse(log: str | bytes) -> list[Run]:
    return list(FORMAT.parse(Source(None, "log", log.encode() if isinstance(log, str) else log)))


def figures(run: Run) -> list[tuple[object, ...]]:
    arrays = run.rows.arrays()
    return list(zip(*(arrays[name].tolist() for name in ("series", "of", "low", "avg", "high", "n")), strict=True))


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_log_against_its_last_lines(path: Path) -> None:
    text = path.read_text("utf-8")
    found = re.findall(r"T: *(\d+) .* C: *(\d+) Min: *(\d+) Act: *\d+ Avg: *(\d+) Max: *(-?\d+)", text)
    last = {int(thread): tuple(map(int, rest)) for thread, *rest in found}
    (run,) = parse(text)
    assert figures(run) == [
        (f"t{thread}", "part" if thread else "all", low * 1e3, avg * 1e3, high * 1e3, n)
        for thread, (n, low, avg, high) in last.items()
    ]
    assert run.facts["variant"] == f"ring of {len(last)} threads"
    assert run.rejected.total == 0


def test_the_logs_are_there() -> None:
    assert len(LOGS) >= (6 if (SHARED / "logs").is_dir() else 2)


def test_only_thread_0_enters_a_statistic(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(TWO)
    recording = rtlat.read(tmp_path / "a.log")
    (run,) = rtlat.summary_json(recording, ["50"])["runs"]
    answers = {series["series"]: series["max"]["status"] for series in run["series"]}
    assert answers["t0"] == "ok"
    assert answers["t1"] == "refused"


def test_a_thread_without_a_round_says_nothing() -> None:
    empty = "T: 0 (31407) P:80 C:      0 Min:1000000 Act:    0 Avg:    0 Max:-1000000\n"
    with pytest.raises(LogError, match=r"^log: found threads without a round \(C: 0\)"):
        parse(empty)
    (run,) = parse(empty + TWO.splitlines(keepends=True)[1])
    assert [series for series, *_ in figures(run)] == ["t1"]
    assert "line 1: t0 has no round yet" in run.warnings


def test_a_trace_limit_stops_the_run() -> None:
    (run,) = parse(TWO + "Thread 0 exceeded trace limit.\n")
    assert run.facts["ended"] == "stopped at threshold"


def test_another_thread_id_or_a_new_count_is_another_run() -> None:
    assert len(parse(TWO + TWO.replace("31843", "41843"))) == 2
    assert len(parse(TWO + TWO.replace("C:    300", "C:    200"))) == 2
    assert len(parse(TWO + TWO.replace("C:    300", "C:    400"))) == 1


@pytest.mark.parametrize(
    ("before", "after", "left"),
    [
        ("Max:     112", "Max:     11", ["t1"]),  # narrower than it is printed, and below Avg
        ("Max:   10121", "Max:   1012", ["t0"]),
        ("Avg:   47", "Avg:  147", ["t1"]),
        ("C:    300 Min:     23", "C:    x00 Min:     23", ["t1"]),
    ],
)
def test_a_damaged_line_is_counted_and_gives_no_number(before: str, after: str, left: list[str]) -> None:
    (run,) = parse(TWO.replace(before, after))
    assert [series for series, *_ in figures(run)] == left
    assert run.rejected.total == 1


def test_a_line_without_its_end_may_be_cut() -> None:
    for end in range(1, len(TWO)):
        if end <= TWO.index("\n"):
            with pytest.raises(LogError):
                parse(TWO[:end])
            continue
        (run,) = parse(TWO[:end])
        assert [series for series, *_ in figures(run)] == ["t0"]
        assert (run.facts["ended"] == "cut") == ("(31844)" in TWO[:end])
