"""jitterdebugger's status lines: every recorded console against its last lines, and against results.json."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, SHARED

from rtlat.errors import LogError
from rtlat.formats.jitterdebugger_status import FORMAT
from rtlat.protocol import Run
from rtlat.source import Source

SMALL = ROOT / "tests/data/jitterdebugger"
CONSOLES = sorted([*SMALL.rglob("status*.txt"), *SHARED.glob("logs/recorded/**/jitterdebugger*.txt")])


def parse(log: str | bytes) -> list[Run]:
    return list(FORMAT.parse(Source(None, "log", log.encode() if isinstance(log, str) else log)))


def rows(run: Run) -> list[dict[str, Any]]:
    arrays = run.rows.arrays()
    return [dict(zip(arrays, row, strict=True)) for row in zip(*(a.tolist() for a in arrays.values()), strict=True)]


@pytest.mark.parametrize("path", CONSOLES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_recorded_console(path: Path) -> None:
    lines = path.read_text("utf-8").split("\n")
    last = {}
    for number, line in enumerate(lines, 1):
        if thread := re.search(r"T: (\d+)", line):
            last[f"t{thread[1]}"] = number
    (run,) = parse(path.read_bytes())
    assert [row["series"] for row in rows(run)] == list(last)
    for row in rows(run):
        assert row["line"] == last[row["series"]]
        words = lines[row["line"] - 1].replace(":", " ").split()
        printed = {name: words[words.index(name) + 1] for name in ("C", "Min", "Avg", "Max", "A")}
        assert row["n"] == int(printed["C"]) == run.series[row["series"]]["n"]
        step = 1 if "nsec" in path.name else 1000
        assert row["unit"] == ("unknown" if "nsec" in path.name else "ns")
        assert (row["low"], row["high"]) == (int(printed["Min"]) * step, int(printed["Max"]) * step)
        assert row["avg"] == pytest.approx(float(printed["Avg"]) * step)
        assert run.series[row["series"]]["cpu"] == int(printed["A"])


def test_the_console_and_the_results_of_one_run_agree(logs: Path) -> None:
    folder = logs / "recorded/other-tools"
    told = json.loads((folder / "jitterdebugger-0.3.1-deb.json/results.json").read_text("utf-8"))["cpu"]
    (run,) = parse((folder / "jitterdebugger-0.3.1-deb.console.txt").read_bytes())
    found = [[row["n"], row["low"] / 1000, row["high"] / 1000, row["avg"] / 1000] for row in rows(run)]
    assert found == [[thread[key] for key in ("count", "min", "max", "avg")] for thread in told.values()]


def test_thread_0_need_not_run_on_cpu_0() -> None:
    (run,) = parse((SMALL / "affinity/status.txt").read_bytes())
    assert run.series == {"t0": {"n": 89, "cpu": 1}}  # -a 1


LINE = "T: 0 (15116) A: 0 C:      9978 Min:        13 Avg:   36.61 Max:      4457 \n"
OLD = "T: 0 (  614) A: 1 C:     13476 Min:         3 Max:        10 Avg:    3.08 \n"
OLDEST = "T: 0 (  614) C:     13476 Min:         3 Max:        10 Avg:    3.08 \n"


@pytest.mark.parametrize("text", [OLD, OLDEST])
def test_what_old_versions_print_behind_c_is_no_count(text: str) -> None:
    (run,) = parse(text)
    (row,) = rows(run)
    assert (row["low"], row["high"], row["avg"], row["n"]) == (3000.0, 10000.0, 3080.0, -1)
    assert run.warnings == ["line 1: C: is the sum of the latencies in this version, not their number"]
    assert run.series["t0"] == ({"cpu": 1} if text == OLD else {})


def test_a_thread_before_its_first_sample_says_nothing() -> None:
    empty = "T: 1 (11536) A: 1 C:         0 Min:18446744073709551615 Avg:    -nan Max:         0 \n"
    (run,) = parse(LINE + empty)
    assert [row["series"] for row in rows(run)] == ["t0"]
    assert run.warnings == ["line 2: t1 has no sample"]
    with pytest.raises(LogError, match="^log: found no sample in any thread, expected the status lines of"):
        parse(empty)


def test_the_line_of_the_break_tells_the_unit() -> None:
    (run,) = parse(LINE.replace("Max:      4457", "Max:    114457") + "Thread 15116 on CPU 0 hit 114457 ns latency\n")
    assert run.facts["ended"] == "stopped at threshold"
    assert (run.facts["printed_unit"], run.facts["unit_basis"]) == ("ns", "printed")
    assert rows(run)[0]["high"] == 114457.0


def test_numbers_that_may_be_nanoseconds_have_no_unit() -> None:
    (run,) = parse((SMALL / "status_nsec.txt").read_bytes())
    assert run.warnings[0].startswith("no latency is below 16560: nanoseconds, as with -N, or slow microseconds?")
    assert run.facts["printed_unit"] == "unknown"
    assert parse(LINE)[0].warnings == []


def test_two_starts_are_two_runs() -> None:
    runs = parse(LINE + "prompt$ jitterdebugger\n" + LINE.replace("15116", "15200").replace("9978", "12"))
    assert [row["n"] for run in runs for row in rows(run)] == [9978, 12]


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        (LINE.replace("Max:      4457", "Max:       x"), "damaged status"),
        (LINE.replace("Min:        13", "Min:       130"), "a status whose numbers contradict each other"),
        (LINE.replace("Max:      4457", "Max:        36"), "a status whose numbers contradict each other"),
        (LINE.replace("Max:      4457", "Max: 184467440737095516150"), "damaged status"),
        (LINE.replace("Avg:   36.61 ", ""), "a status whose numbers contradict each other"),
    ],
)
def test_a_damaged_status_leaves_the_one_before(damaged: str, reason: str) -> None:
    (run,) = parse(LINE + damaged)
    assert [row["line"] for row in rows(run)] == [1]
    assert run.rejected.reasons == {reason: [1, 2]}


def test_cut_at_every_character() -> None:
    text = (SMALL / "status.txt").read_text("utf-8")
    whole = [repr(row) for row in rows(parse(text)[0])]
    first, second = (match.end() for match in re.finditer(r"Max: +\d+ ", text))
    for length in range(1, len(text)):
        if length < first:
            with pytest.raises(LogError, match="^log: found no sample in any thread, expected the status lines of"):
                parse(text[:length])
            continue
        (run,) = parse(text[:length])
        assert [repr(row) for row in rows(run)] == whole[: 1 + (length >= second)]
        torn = length < second and "T: 1 (15117) A:" in text[:length]
        assert run.rejected.reasons == ({"cut last line": [1, 4]} if torn else {})
        assert run.facts["ended"] == ("cut" if torn else "unknown")
