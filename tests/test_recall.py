"""store:QUERY wherever logs are read: which runs come, under which names, and beside which others."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from test_adding import assert_equal, run

import rtlat
from rtlat.cli import main
from rtlat.comparing.named_arms import named_arms
from rtlat.errors import LogError, ReportError, UsageError
from rtlat.reporting.question import question
from rtlat.storing.adding import add
from rtlat.storing.recall import is_kept, known_as, recall, told_apart

ROOT = Path(__file__).resolve().parent.parent
REPEATS = ROOT / "data" / "emulated-kernels" / "repeats"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of five boots of two kernels, idle and loaded."""
    path = tmp_path_factory.mktemp("lab") / "lab.sqlite"
    add(rtlat.read(REPEATS), path)
    return path


@pytest.mark.parametrize(
    ("query", "condition"),
    [
        ("", "1"),
        ("approach=stock", "approach = 'stock'"),
        ("approach=stock load=idle", "approach = 'stock' AND load = 'idle'"),
        ("kernel~preempt_rt run~-2-", "kernel LIKE '%PREEMPT\\_RT%' ESCAPE '\\' AND run LIKE '%-2-%'"),
        ("kernel=6.1 load=stress-ng", "kernel LIKE '6.1.%' AND load LIKE 'stress-ng %'"),
        ("duration>=15s tool!=latency", "duration >= 15 AND tool <> 'latency'"),
        ("added>=2026", "added >= '2026'"),
    ],
)
def test_a_query_means_what_plain_sql_finds(store: Path, query: str, condition: str) -> None:
    connection = sqlite3.connect(store)
    expected = [row[0] for row in connection.execute(f"SELECT run FROM runs WHERE {condition} ORDER BY id")]
    connection.close()
    found = recall(f"store:{store}?{query}")
    assert list(found.runs["run"]) == expected
    assert expected
    whole = rtlat.read(REPEATS)
    rows = whole.records[whole.records["run"].isin(expected).to_numpy()]
    assert_equal(
        found,
        rtlat.Recording(
            rows, whole.runs[whole.runs["run"].isin(expected)], whole.series[whole.series["run"].isin(expected)]
        ),
    )


def test_no_run_is_told_with_how_many_there_are(store: Path) -> None:
    with pytest.raises(
        LogError, match=r"lab.sqlite: found no run for 'load=hackbench' among 20, expected at least one"
    ):
        recall(f"store:{store}?load=hackbench")


def test_more_than_memory_should_hold_is_refused(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rtlat.storing.recall.MOST_BYTES", 1_000_000)
    with pytest.raises(LogError, match="GiB of records; ask for fewer runs"):
        recall(f"store:{store}")
    assert len(recall(f"store:{store}?run=stock-1").runs) == 2


def test_the_store_of_the_folder_is_meant_where_no_file_is_named(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (store.parent / "rtlat.sqlite").write_bytes(store.read_bytes())
    monkeypatch.chdir(store.parent)
    assert len(recall("store:load=idle").runs) == 10
    assert main(["summary", "store:run=stock-1-idle", "--csv"]) == 0
    assert capsys.readouterr().out.startswith("run,series,quantity")
    assert main(["summary", "store:lod=idle"]) == 2
    assert "did you mean 'load'" in capsys.readouterr().err


def test_a_log_of_tonight_stands_beside_those_of_its_name(tmp_path: Path) -> None:
    """Every night's log is called the same; the store knows last night's."""
    source = (REPEATS / "stock-1-idle.hist").read_text()
    for night, text in (("monday", source), ("tuesday", (REPEATS / "stock-2-idle.hist").read_text())):
        (tmp_path / night).mkdir()
        (tmp_path / night / "cyclictest.hist").write_text(text)
    add(rtlat.read(tmp_path / "monday"), tmp_path / "lab.sqlite")
    both = rtlat.read([tmp_path / "tuesday", f"store:{tmp_path / 'lab.sqlite'}"])
    sha256 = both.runs["sha256"].iloc[1]
    assert list(both.runs["run"]) == ["cyclictest", f"cyclictest@{sha256[:8]}"]
    assert both.records["n"].sum() == sum(
        rtlat.read(REPEATS / f"stock-{night}-idle.hist").records["n"].sum() for night in (1, 2)
    )
    same = rtlat.read([tmp_path / "monday", f"store:{tmp_path / 'lab.sqlite'}"])
    assert list(same.runs["run"]) == ["cyclictest"], "one log is one run, wherever it was read from"


def test_keys_are_told_apart_in_all_three_frames() -> None:
    first, second, third = run("1" * 64, first=1), run("2" * 64, first=20), run("1" * 64, first=1)
    apart = told_apart([first, second, third])
    assert [list(one.runs["run"]) for one in apart] == [["a"], ["a@22222222"], ["a"]]
    assert [list(one.records["run"].unique()) for one in apart] == [["a"], ["a@22222222"], ["a"]]
    assert apart[0] is first
    assert known_as(rtlat.concat(apart), second) == ["a@22222222"]


def test_a_query_is_an_arm_of_a_comparison(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [f"store:{store}?approach=PREEMPT_RT load=idle", f"store:{store}?approach=stock load=idle"]
    recording, readings = rtlat.read_all(words)
    arms, reference = named_arms(recording, readings, words[:1], words[1:], False)
    assert reference == words[1]
    expected = {f"{kernel}-{boot}-idle" for kernel in ("preempt_rt", "stock") for boot in range(1, 6)}
    assert set(arms) == expected
    assert {arms[run] for run in arms if run.startswith("stock")} == {words[1]}
    with pytest.raises(UsageError, match="named on both sides"):
        named_arms(recording, readings, words, words[1:], False)
    assert main(["compare", words[0], "--against", str(REPEATS / "stock-*-idle.hist"), "--json"]) in (0, 1, 3)
    told = json.loads(capsys.readouterr().out)["outcomes"][0]
    assert words[0] in told["arm"]


def test_what_is_kept() -> None:
    assert is_kept("store:load=idle")
    assert not is_kept(REPEATS)


def test_a_report_asks_a_store_and_shows_it_without_where_it_lies(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(store.parent)
    asked = question(ROOT / "notebooks" / "history.ipynb", "store:lab.sqlite?load=idle", {})
    assert asked.values["data"] == [f"store:{store}?load=idle"]
    assert asked.about.data == ["store:lab.sqlite?load=idle"]
    assert [name for name, _, _ in asked.about.inputs] == ["lab.sqlite"]
    assert asked.shown[str(store)] == "lab.sqlite"
    elsewhere = question(ROOT / "notebooks" / "history.ipynb", f"store:{store}", {})
    assert elsewhere.about.data == ["store:lab.sqlite"]
    with pytest.raises(ReportError, match=r"missing.sqlite: no such file"):
        question(ROOT / "notebooks" / "history.ipynb", "store:missing.sqlite?load=idle", {})
