"""The command line as a user meets it: what it prints, where errors go, and exit codes."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from rtlat import cards
from rtlat.cli import main
from rtlat.commands.formats import formats_table
from rtlat.formats import FORMATS

RTIRQ = "interval: 1000 loops: 3\nInterrupt statistics\n0.40 2 (66.666667)\n0.50 1 (100.000000)\n"
LIL = "latency cycles: mean 542, max 2100, min 542\n"


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "a.txt").write_text(RTIRQ)
    (tmp_path / "lil.txt").write_text(LIL)
    (tmp_path / "notes.txt").write_text("bring milk\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_summary_json_is_json_with_null_for_unknown(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["summary", "a.txt", "lil.txt", "--json", "--percentiles", "50,99.9"]) == 0
    document = json.loads(capsys.readouterr().out, parse_constant=lambda name: pytest.fail(name))
    assert document["schema"] == 1
    rtirq, lil = document["runs"]
    assert rtirq["series"][0]["percentiles"]["50"]["low"] == 0.4
    assert rtirq["series"][0]["percentiles"]["50"]["rank"] == 2
    assert lil["series"][0]["n"] is None
    assert lil["series"][0]["unit"] == "cycles"
    assert lil["series"][0]["percentiles"]["99.9"]["status"] in ("refused", "bounds")


def test_options_may_stand_between_the_words_of_a_command(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["summary", "a.txt", "--json", "lil.txt", "--percentiles", "50"]) == 0
    mixed = capsys.readouterr().out
    assert main(["summary", "--json", "--percentiles", "50", "a.txt", "lil.txt"]) == 0
    assert capsys.readouterr().out == mixed
    assert main(["store", "add", "a.txt", "--store", "kept.sqlite", "lil.txt"]) == 0
    assert main(["store", "export", "out", "--store", "kept.sqlite", "tool=rtirq"]) == 0
    assert "1 runs" in capsys.readouterr().out.splitlines()[-1]
    Path("-odd.txt").write_text(RTIRQ)
    assert main(["summary", "--json", "--", "-odd.txt"]) == 0
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(["summary", "a.txt", "--bogus", "lil.txt"])
    assert ended.value.code == 2
    assert "unrecognized arguments: --bogus" in capsys.readouterr().err


def test_summary_table_csv_and_markdown_say_the_same(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["summary", "a.txt"]) == 0
    table = capsys.readouterr().out
    assert table.splitlines()[0].split()[:4] == ["run", "series", "quantity", "n"]
    assert main(["summary", "a.txt", "--csv"]) == 0
    row = next(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert (row["n"], row["min_low"], row["max_high"]) == ("3", "0.4", "0.6")
    assert main(["summary", "a.txt", "--md"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("| --- |")


def test_a_named_bad_file_exits_1_after_the_rest_was_done(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["summary", "a.txt", "notes.txt"]) == 1
    shown = capsys.readouterr()
    assert "a " in shown.out
    assert shown.err.startswith("rtlat: notes.txt:1: found 'bring milk'")
    assert shown.err.count("\n") == 1


def test_a_bad_file_in_a_folder_is_listed_and_skipped(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["summary", "."]) == 0
    assert "skipped" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["summary", "gone.txt"], 1, "gone.txt: found nothing, expected a log"),
        (["summary", "notes.txt"], 1, "notes.txt:1: found 'bring milk'"),
        (["summary", "a.txt", "--set", "load"], 2, "found no '='"),
        (["summary", "a.txt", "--set", "laod=x"], 2, "unknown key 'laod'; did you mean 'load'?"),
        (["summary", "a.txt", "--format", "rtirq"], 1, "expected a known format"),
        (["summary", "a.txt", "--card", "gone.toml"], 1, "gone.toml: no run card"),
        (["summary", "a.txt", "--percentiles", "50,x"], 2, "'x'"),
        (["summary", "a.txt", "--percentiles", "101"], 2, "101"),
        (["report", "compair"], 2, "no notebook 'compair'; did you mean 'compare'?"),
        (["report", "--each", "nothing/*/"], 2, "matches no folder"),
        (["report", "-p", "percentiles"], 2, "found no '='"),
    ],
)
def test_errors_are_one_line_with_the_right_status(
    lab: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], status: int, message: str
) -> None:
    assert main(arguments) == status
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""


def test_control_characters_of_a_log_do_not_reach_the_terminal(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (lab / "evil.txt").write_bytes(b"\x07\x1b]0;owned\x07hello\n")
    assert main(["read", "evil.txt"]) == 1
    assert "\x07" not in capsys.readouterr().err


def test_read_says_which_format_why_and_what_was_kept(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", "a.txt", "-o", "stored"]) == 0
    shown = capsys.readouterr().out
    assert "rtirq_results, by line 2: 'Interrupt statistics'" in shown
    assert "kept      2 statements" in shown
    assert "rejected  0 lines" in shown
    assert {path.name for path in (lab / "stored").iterdir()} == {"records.parquet", "runs.parquet", "series.parquet"}
    assert main(["summary", "stored"]) == 0


def test_the_printed_card_can_be_saved_and_used(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["card", "a.txt"]) == 0
    text = capsys.readouterr().out
    filled = text.replace('# load = ""', 'load = "idle"')
    assert tomllib.loads(filled)["runs"]["a.txt"]["load"] == "idle"
    (lab / "runs.toml").write_text(filled)
    assert cards.load(lab / "runs.toml").facts(lab / "a.txt")["load"] == "idle"
    assert main(["read", "a.txt"]) == 0


def test_formats_lists_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["formats"]) == 0
    shown = capsys.readouterr().out
    assert all(known.name in shown and known.versions in shown for known in FORMATS)
    assert formats_table().count("\n") == len(FORMATS) + 1


def test_a_closed_pipe_is_no_error(lab: Path) -> None:
    command = f"{sys.executable} -m rtlat summary a.txt | true"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""
