"""``rtlat store``: what it says, and what it writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from test_adding import assert_equal

import rtlat
from rtlat.cli import main

ROOT = Path(__file__).resolve().parent.parent
REPEATS = ROOT / "data" / "emulated-kernels" / "repeats"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A folder with a store of one log."""
    monkeypatch.chdir(tmp_path)
    assert main(["store", "add", str(REPEATS / "stock-1-idle.hist")]) == 0
    assert capsys.readouterr().out == "rtlat.sqlite: 1 runs added\n"
    return tmp_path / "rtlat.sqlite"


def test_what_becomes_of_logs_is_told(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["store", "add", str(REPEATS), "--store", str(store)]) == 0
    assert capsys.readouterr().out == f"{store}: 19 runs added, 1 already there\n"
    log = str(REPEATS / "stock-1-idle.hist")
    assert main(["store", "add", log, "--set", "load=hackbench"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[1:] == [
        "1 of them are stored with another load (first: stock-1-idle):",
        "--replace stores them as they are given now",
    ]
    assert main(["store", "add", log, "--set", "load=hackbench", "--replace"]) == 0
    assert capsys.readouterr().out == "rtlat.sqlite: 0 runs added, 1 replaced\n"
    assert main(["store", "list", "load=hackbench"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "1 of 20 runs"


def test_a_log_that_cannot_be_read_is_told_and_the_others_are_added(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["store", "add", "missing.log", str(REPEATS / "stock-2-idle.hist")]) == 1
    told = capsys.readouterr()
    assert told.out == "rtlat.sqlite: 1 runs added\n"
    assert told.err == "rtlat: missing.log: found nothing, expected a log; check the path\n"


def test_the_figures_of_a_log_are_those_of_its_footer(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["store", "query", "run=stock-1-idle"]) == 0
    head, first, *_, count = capsys.readouterr().out.splitlines()
    assert head.split() == ["run", "series", "quantity", "n", "unit", "min", "max", "p50", "p99", "p99.9"]
    lines = (REPEATS / "stock-1-idle.hist").read_text().splitlines()
    least, most = (int(line.split()[3]) for line in lines if line.startswith(("# Min Lat", "# Max Lat")))
    assert first.split()[5:7] == [f"{least}-{least + 1}", f"{most}-{most + 1}"]
    assert count == "1 of 1 runs"


def test_export_writes_what_was_added(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["store", "export", "out", "tool=cyclictest"]) == 0
    assert capsys.readouterr().out == "wrote out: 1 runs\n"
    expected = rtlat.read(REPEATS / "stock-1-idle.hist")
    assert_equal(rtlat.read("out"), expected)
    assert pd.read_parquet("out/runs.parquet")["sha256"].tolist() == expected.runs["sha256"].tolist()
    assert main(["store", "add", str(REPEATS / "stock-2-idle.hist"), "--store", "lab=1?.sqlite"]) == 0
    assert main(["store", "export", "--store", "lab=1?.sqlite", "other"]) == 0
    assert list(rtlat.read("other").runs["run"]) == ["stock-2-idle"]
    assert main(["store", "export", "records.csv"]) == 0
    assert pd.read_csv("records.csv")["n"].sum() == expected.records["n"].sum()


@pytest.mark.parametrize("action", ["list", "query"])
def test_to_ask_a_store_loads_nothing_heavy(store: Path, action: str) -> None:
    code = f"import sys; from rtlat.cli import main; main(['store', '{action}']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=store.parent)
    assert not {"pandas", "scipy", "pyarrow"} & set(done.stdout.split())


def test_control_characters_do_not_reach_the_terminal(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["store", "add", str(REPEATS / "stock-3-idle.hist"), "--set", "load=\x1b[31mred"]) == 0
    assert main(["store", "list"]) == 0
    assert "\x1b" not in capsys.readouterr().out
