"""oslat: every log there is against its own rows, and buckets of every version against passes that are known."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, SHARED
from hypothesis import given, settings
from hypothesis import strategies as st
from oslat_tool import Oslat

import rtlat
from rtlat.errors import LogError
from rtlat.formats.rt_tests_oslat import FORMAT
from rtlat.protocol import Run
from rtlat.source import Source

SMALL = ROOT / "tests" / "data" / "rt-tests"
STOPPED = "tool_oslat_b.txt"
LOGS = [
    path
    for folder in (SMALL, SHARED / "logs" / "recorded" / "rt-tests")
    for path in sorted(folder.glob("tool_oslat*"))
    if path.suffix != ".json" and path.name != STOPPED
]


def parse(log: str | bytes) -> list[Run]:
    return list(FORMAT.parse(Source(None, "log", log.encode() if isinstance(log, str) else log)))


def rows(run: Run, series: str, kind: str) -> list[dict[str, Any]]:
    arrays = run.rows.arrays()
    every = [dict(zip(arrays, row, strict=True)) for row in zip(*(a.tolist() for a in arrays.values()), strict=True)]
    return [row for row in every if row["series"] == series and row["kind"] == kind]


def field(text: str, name: str) -> list[float]:
    (cells,) = re.findall(rf"^ *{name}:\t((?: [\d.]+)+)", text, re.MULTILINE)
    return [float(cell) for cell in cells.split()]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_log_against_its_own_rows(path: Path) -> None:
    text = path.read_text("utf-8")
    table = {
        round(float(label) * 1000): list(map(int, cells.split()))
        for label, cells in re.findall(r"^ *([\d.]+) \(us\):\t((?: \d+)+)", text, re.MULTILINE)
    }
    (run,) = parse(text)
    cores = [int(core) for core in field(text, "Core")]
    added = 1000 if "V 2.40" in text else 0  # up to 2.4 one microsecond is added to what is printed as extremes
    assert list(run.series) == [f"cpu{core}" for core in cores]
    for column, core in enumerate(cores):
        expected = [(label, cells[column]) for label, cells in table.items() if cells[column]]
        bins = rows(run, f"cpu{core}", "bin")
        assert [row["n"] for row in bins] == [count for _, count in expected]
        # each bin ends at its label, but the last: it also holds all that is longer
        assert [row["high"] for row in bins[:-1]] == [label for label, _ in expected[:-1]]
        assert bins[-1]["high"] == math.inf
        assert expected[-1][0] == max(table)
        (summary,) = rows(run, f"cpu{core}", "summary")
        assert summary["n"] == run.series[f"cpu{core}"]["n"] == sum(cells[column] for cells in table.values())
        assert summary["low"] == round(field(text, "Minimum")[column] * 1000) - added
        assert summary["high"] == round(field(text, "Maximum")[column] * 1000) - added
        assert summary["low"] >= bins[0]["low"]
    assert run.facts["duration"] == max(field(text, "Duration"))
    assert (run.facts["ended"], run.warnings, run.rejected.total) == ("complete", [], 0)


def test_the_logs_are_there() -> None:
    assert len(LOGS) >= (8 if (SHARED / "logs").is_dir() else 3)


@pytest.mark.parametrize("name", ["tool_oslat_210.txt", "tool_oslat_210_W500.txt", "tool_oslat_zo.txt"])
def test_the_passes_of_a_core_fill_its_time(name: str) -> None:
    """A pass begins where the one before it ends, so they add up to what the core ran: within the bins' bounds."""
    text = (SMALL / name).read_text("utf-8")
    (run,) = parse(text)
    for series, seconds in zip(run.series, field(text, "Duration"), strict=True):
        bins, (summary,) = rows(run, series, "bin"), rows(run, series, "summary")
        step = run.facts["resolution"]
        least = sum(row["low"] * row["n"] for row in bins)
        most = sum(min(row["high"], summary["high"] + step) * row["n"] for row in bins)
        assert least <= seconds * 1e9 <= most


def test_a_threshold_leaves_one_latency_only() -> None:
    (run,) = parse((SMALL / STOPPED).read_bytes())
    (row,) = rows(run, "cpu1", "sample")
    # 2.4 prints floor(t) + 1: `triggered on cpu 1 with 56 us!`
    assert (row["low"], row["of"], row["n"], row["line"]) == (55_000.0, "over", 1, 2)
    assert (run.facts["threshold"], run.facts["ended"]) == (3_000.0, "stopped at threshold")
    newer = (SMALL / STOPPED).read_text("utf-8").replace("V 2.40", "V 2.10").replace("Stopping the test.\n", "")
    (row,) = rows(parse(newer)[0], "cpu1", "sample")
    assert row["low"] == 56_000.0


PASSES = st.lists(st.floats(1, 20_000), min_size=1, max_size=30)


@settings(max_examples=300)
@given(
    st.lists(PASSES, min_size=1, max_size=3),
    st.sampled_from(["2.40", "2.60", "2.10"]),
    st.sampled_from([1000, 2000, 500, 1500]),
    st.integers(5, 12),
    st.booleans(),
)
def test_buckets_hold_the_passes_of_every_version(
    cores: list[list[float]], version: str, width: int, buckets: int, bias: bool
) -> None:
    tool = Oslat(version, buckets, 1000 if version == "2.40" else width, bias)
    (run,) = parse(tool.write(cores))
    assert (run.facts["ended"], run.warnings) == ("complete", [])
    for core, passes in enumerate(cores):
        bins, (summary,) = rows(run, f"cpu{core}", "bin"), rows(run, f"cpu{core}", "summary")
        assert sum(row["n"] for row in bins) == summary["n"] == len(passes)
        # the passes can be dealt into the bins: so many lie at or below each upper edge, so many below each lower one
        below = 0
        for row in bins:
            assert sum(ns < row["low"] for ns in passes) <= below or row["low"] == -math.inf
            below += row["n"]
            assert sum(ns <= row["high"] for ns in passes) >= below
        step = run.facts["resolution"]
        assert summary["low"] <= min(passes) <= summary["low"] + step
        assert summary["high"] <= max(passes) <= summary["high"] + step


@pytest.mark.parametrize(("version", "stated"), [("2.40", "2.4"), ("2.60", "2.6"), ("2.10", "2.10")])
def test_versions(version: str, stated: str) -> None:
    (run,) = parse(Oslat(version).write([[40.0, 2500.0, 99_000.0]]))
    assert run.facts["version"] == stated
    # 2.1 and 2.10 print the same number; only what they print as minimum tells them apart
    (run,) = parse(Oslat("2.40").write([[40.0, 2500.0, 99_000.0]]).replace("V 2.40", "V 2.10"))
    assert run.facts["version"] == "2.1"
    assert rows(run, "cpu0", "summary")[0]["high"] == 99_000.0


def test_without_a_version_what_is_printed_tells_most() -> None:
    passes = [[40.0, 2500.0, 99_500.0]]
    for version, warned in (("2.40", False), ("2.10", False), ("2.60", True)):
        text = Oslat(version).write(passes)
        (known,), (unknown,) = parse(text), parse(text[text.index("\n") + 1 :])
        assert bool(unknown.warnings) == warned
        for kind in ("bin", "summary"):
            found = [[{**row, "line": 0} for row in rows(run, "cpu0", kind)] for run in (known, unknown)]
            assert str(found[0]) == str(found[1])


def test_a_pass_below_the_bias_lands_in_the_last_bucket_from_2_5_on() -> None:
    text = Oslat("2.10", width=2000, bias=True).write([[5000.0, 6000.0]])
    assert "Global bias set to 5 (us)" in text
    wrapped = text.replace("Minimum:\t 5", "Minimum:\t 3").replace("Max-Min:\t 1", "Max-Min:\t 3")
    wrapped = re.sub(r"\t 0( \(including)", r"\t 1\1", wrapped)
    (run,) = parse(wrapped)
    last = rows(run, "cpu0", "bin")[-1]
    assert (last["low"], last["high"], last["n"]) == (-math.inf, math.inf, 1)


@pytest.mark.parametrize(
    ("before", "after", "warning"),
    [
        ("    003 (us):\t 38 5\n", "", "rows of the table are missing"),
        ("    001 (us):\t 16472102 18417258\n", "", "rows of the table are missing"),
        ("    003 (us):\t 38 5\n", "    003 (us):\t 38\n", "the table is damaged (line 18)"),
        ("    003 (us):\t 38 5\n", "    003 (us):\t 38 x\n", "the table is damaged (line 18)"),
        ("    003 (us):\t 38 5\n", "    003 (us):\t 38 99999999999999999999\n", "the table is damaged (line 18)"),
        ("    003 (us):\t 38 5\n", "    001 (us):\t 38 5\n", "the table is damaged (line 18)"),
        ("     Maximum:\t 404803 132953 (us)\n", "", "the table lacks its line of Maximum"),
        ("404803 132953 (us)\n     Max-Min", "40480 132953 (us)\n     Max-Min", "line 27: cpu0 has Max-Min 404803 us"),
        ("     Minimum:\t 0 0 (us)", "     Minimum:\t 3 0 (us)", "line 26: cpu0 has minimum 3000"),
    ],
)
def test_a_damaged_table_is_told_and_incomplete(before: str, after: str, warning: str) -> None:
    text = (SMALL / "tool_oslat_210.txt").read_text("utf-8")
    assert before in text
    (run,) = parse(text.replace(before, after, 1))
    assert any(said.startswith(warning) for said in run.warnings)
    assert run.facts["ended"] == "cut"


def test_a_table_that_ends_early_gives_the_rows_it_has(tmp_path: Path) -> None:
    text = (SMALL / "tool_oslat_210.txt").read_text("utf-8")
    (tmp_path / "a.log").write_text(text[: text.index("    006 (us)")])
    recording = rtlat.read(tmp_path / "a.log")
    assert recording.runs["ended"].tolist() == ["cut"]
    assert not (recording.records["high"] == math.inf).any()
    (run,) = rtlat.summary_json(recording, ["50"])["runs"]
    assert {series["percentiles"]["50"]["status"] for series in run["series"]} == {"partial"}


def test_blanks_for_tabs_quoting_and_several_runs() -> None:
    text = (SMALL / "tool_oslat_210.txt").read_text("utf-8")
    (whole,) = parse(text)
    (quoted,) = parse("".join(f"> {line}\n" for line in text.replace("\t", "   ").splitlines()))
    assert quoted.quoted
    assert str(rows(quoted, "cpu1", "bin")) == str(rows(whole, "cpu1", "bin"))
    assert len(parse(text + text)) == 2
    without = text[text.index("        Core") :]
    assert len(parse(without + without)) == 2


@pytest.mark.parametrize("name", ["oslat V 2.40\nCPU list: 0\n", "        Core:\t 0 1\n", "    001 (us):\t 5\n"])
def test_no_pass_is_no_run(name: str) -> None:
    with pytest.raises(LogError, match="^log: found no result of oslat"):
        parse(name)


def test_a_core_that_counted_nothing_is_named() -> None:
    text = Oslat("2.10").write([[40.0], [50.0]])
    text = text.replace("001 (us):\t 1 1", "001 (us):\t 1 0").replace("Minimum:\t 0 0", f"Minimum:\t 0 {2**64 - 1}")
    (run,) = parse(text)
    assert "cpu1: no pass was counted" in run.warnings
    assert rows(run, "cpu1", "summary") == rows(run, "cpu1", "bin") == []
