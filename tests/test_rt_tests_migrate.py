"""rt-migrate-test: every log there is against its own table and figures, and what damage leaves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import ROOT, SHARED

from rtlat.errors import LogError
from rtlat.formats.rt_tests_migrate import FORMAT
from rtlat.protocol import Run
from rtlat.source import Source

SMALL = ROOT / "tests" / "data" / "rt-tests" / "tool_rt_migrate_json.stdout"
LOGS = [SMALL, *sorted((SHARED / "logs" / "recorded" / "rt-tests").glob("tool_rt_migrate*[!n]"))]


def parse(log: str | bytes, keep: int = 1_000_000) -> list[Run]:
    return list(FORMAT.parse(Source(None, "log", log.encode() if isinstance(log, str) else log, keep)))


def rows(run: Run, kind: str) -> list[tuple[object, ...]]:
    arrays = run.rows.arrays()
    names = ("series", "low", "high", "n", "avg", "kind")
    every = zip(*(arrays[name].tolist() for name in names), strict=True)
    return [row[:-1] for row in every if row[-1] == kind]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_log_against_its_own_table_and_figures(path: Path) -> None:
    text = path.read_text("utf-8")
    table = [list(map(int, cells.split())) for cells in re.findall(r"^ +\d+:((?: +\d+)+)  $", text, re.M)]
    blocks = re.findall(r"Task (\d+) \(prio (\d+)\).*\n +Max: (\d+) us\n +Min: (\d+) us\n.*\n +Avg: (\d+) us", text)
    (run,) = parse(text)
    assert len(table) == 10
    for column, (task, priority, *rest) in enumerate(blocks):
        most, least, average = map(int, rest)
        samples = [low for series, low, *_ in rows(run, "sample") if series == f"t{task}"]
        assert samples == [iteration[column] * 1000.0 for iteration in table]
        assert (f"t{task}", least * 1e3, most * 1e3, len(table), average * 1e3) in rows(run, "summary")
        assert run.series[f"t{task}"] == {"n": len(table), "priority": int(priority), "policy": "fifo"}
    assert len(rows(run, "summary")) == len(blocks) == 3
    assert (run.facts["ended"], run.warnings, run.rejected.total) == ("complete", [], 0)


def test_the_logs_are_there() -> None:
    assert len(LOGS) == (3 if (SHARED / "logs").is_dir() else 1)


def test_many_samples_are_counted_by_value() -> None:
    (run,) = parse(SMALL.read_bytes(), keep=5)
    assert run.facts["bin_edges"] == "samples"
    assert sum(int(str(row[3])) for row in rows(run, "bin")) == 30


def test_without_a_table_the_total_tells_how_many_there_were() -> None:
    text = SMALL.read_text("utf-8")
    (run,) = parse(text[text.index("Parent pid") :])
    assert {row[3] for row in rows(run, "summary")} == {10}  # 180554 // 10 = 18055, 629 // 10 = 62, 520 // 10 = 52
    one = text[text.index(" Task 2") :]
    (run,) = parse(one.replace("Tot: 520", "Tot: 52").replace("Avg: 52", "Avg: 5").replace("Min: 34", "Min: 3"))
    assert {row[3] for row in rows(run, "summary")} == {-1}  # 9 or 10


@pytest.mark.parametrize(
    ("before", "after", "warning"),
    [
        ("   Max: 101 us", "   Max: 103 us", "line 51: t1 has Max 103, its iterations 101"),
        ("   Tot: 520 us", "   Tot: 528 us", "line 59: t2 has Tot 528, its iterations 520"),
        ("   Min: 34 us", "   Min: 35 us", "line 58: t2 has Min 35, its iterations 34"),
        ("   Min: 34 us", "   Min: 54 us", "line 57: the figures of t2 contradict each other: they are not kept"),
        ("\n   1:    20050      44      38  ", "", "1 iterations are missing"),
    ],
)
def test_a_contradiction_is_told(before: str, after: str, warning: str) -> None:
    text = SMALL.read_text("utf-8")
    assert before in text
    (run,) = parse(text.replace(before, after, 1))
    assert warning in run.warnings


@pytest.mark.parametrize("cells", ["20052      43", "20052      43      49      50", "20x52      43      49"])
def test_a_damaged_iteration_is_counted_and_gives_no_number(cells: str) -> None:
    (run,) = parse(SMALL.read_text("utf-8").replace("20052      43      49", cells, 1))
    assert len(rows(run, "sample")) == 27
    assert run.rejected.total == 1


def test_a_check_that_failed_stopped_it() -> None:
    (run,) = parse(SMALL.read_text("utf-8") + " Failed!\n")
    assert run.facts["ended"] == "stopped at threshold"


def test_a_run_without_its_figures_is_cut() -> None:
    text = SMALL.read_text("utf-8")
    (run,) = parse(text[: text.index("   Tot: 520")])
    assert run.facts["ended"] == "cut"
    assert len(rows(run, "summary")) == 2
    with pytest.raises(LogError, match="^log: found no iteration of rt-migrate-test"):
        parse("Iter:      0       1       2  \n")
