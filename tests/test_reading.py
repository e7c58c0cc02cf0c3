"""From paths to frames: folders, cards, keys, several runs, bad logs among good ones."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from pathlib import Path

import pytest

import rtlat
from rtlat.detection import detect
from rtlat.errors import (
    AmbiguousFormatError,
    CardError,
    LogError,
    RtlatWarning,
    SelectionError,
    UnknownFormatError,
)
from rtlat.reading import concat, read, read_all
from rtlat.source import Source
from rtlat.store import load, save

RTIRQ = "interval: 1000 loops: 3\nInterrupt statistics\n0.40 2 (66.666667)\n0.50 1 (100.000000)\n"
LIL = "latency cycles: mean 542, max 2100, min 542\n"


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """A folder with two logs, a paper and a picture."""
    folder = tmp_path / "lab"
    (folder / "more").mkdir(parents=True)
    (folder / "a.txt").write_text(RTIRQ)
    (folder / "more" / "lil.txt").write_text(LIL)
    (folder / "README.md").write_text("not a log")
    return folder


def test_a_folder_gives_all_its_logs_under_one_schema(lab: Path) -> None:
    recording = read(lab)
    assert recording.runs["run"].tolist() == ["a", "lil"]
    assert recording.runs["source"].tolist() == ["lab/a.txt", "lab/more/lil.txt"]
    assert recording.runs["group"].tolist() == ["lab", "more"]
    assert recording.records["n"].dropna().tolist() == [2, 1]


def test_a_file_that_is_no_log_is_skipped_in_a_folder_and_an_error_by_name(lab: Path) -> None:
    (lab / "notes.txt").write_text("bring milk\n")
    with pytest.warns(RtlatWarning, match=r"not read: lab/notes.txt; rtlat.read_all says why"):
        recording = read(lab)
    assert len(recording.runs) == 2
    with pytest.raises(UnknownFormatError, match="found 'bring milk', expected a log of"):
        read(lab / "notes.txt")
    _, readings = read_all([lab / "a.txt", lab / "notes.txt"])
    assert [reading.error is None for reading in readings] == [True, False]


def test_a_folder_without_logs_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="a folder without logs"):
        read(tmp_path)
    (tmp_path / "x").write_text("bring milk\n")
    (tmp_path / "y").write_text("")
    with pytest.raises(LogError, match="found 2 files and no log among them") as caught:
        read(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_missing_path_and_an_unreadable_file(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="found nothing, expected a log; check the path"):
        read(tmp_path / "gone.txt")


def test_a_log_that_two_formats_claim_names_both() -> None:
    with pytest.raises(AmbiguousFormatError, match=r"lil_dmesg \(line 5.*rtirq_results \(line 2"):
        detect(Source(None, "mixed", (RTIRQ + LIL).encode()))


def test_naming_the_format_settles_it(tmp_path: Path) -> None:
    (tmp_path / "mixed.txt").write_text(RTIRQ + LIL)
    assert read(tmp_path / "mixed.txt", format="rtirq_results").runs["tool"].tolist() == ["rtirq example"]
    with pytest.raises(UnknownFormatError, match="did you mean 'rtirq_results'"):
        read(tmp_path / "mixed.txt", format="rtirq_result")


def test_a_card_beside_the_logs_fills_what_they_do_not_say(lab: Path) -> None:
    (lab / "runs.toml").write_text(
        '[defaults]\nmachine = "Athlon"\n[runs."a.txt"]\nname = "high"\nload = "ping -f"\nperiod = "2ms"\n'
    )
    runs = read(lab).runs
    assert runs["run"].tolist() == ["high", "lil"]
    assert runs["machine"].tolist() == ["Athlon", "Athlon"]
    assert runs["load"].tolist() == ["ping -f", ""]
    assert runs["period"].iloc[0] == 1e6  # the log says 1000 Hz; the card is told so
    assert "the card says period = 2000000.0, the log says 1000000.0" in runs["warnings"].iloc[0]


def test_set_wins_over_card_and_log_and_is_named_as_the_basis(lab: Path) -> None:
    (lab / "runs.toml").write_text('[defaults]\napproach = "card"\n')
    assert read(lab / "a.txt").runs["approach_basis"].tolist() == ["card"]
    runs = read(lab / "a.txt", approach="mine", period="2ms").runs
    assert runs[["approach", "approach_basis", "period"]].values.tolist() == [["mine", "set", 2e6]]
    with pytest.raises(CardError, match=r"unknown key 'aproach'; did you mean 'approach'\?"):
        read(lab, aproach="x")


def test_cycles_become_time_only_with_a_clock(lab: Path) -> None:
    cycles = read(lab / "more" / "lil.txt").records
    assert cycles["unit"].unique().tolist() == ["cycles"]
    timed = read(lab / "more" / "lil.txt", cpu_mhz="100").records
    assert timed["unit"].unique().tolist() == ["ns"]
    assert timed["high"].max() == 21_000  # 2100 cycles of 10 ns


def test_logs_of_one_name_are_told_apart_by_as_much_path_as_needed(tmp_path: Path) -> None:
    for name in ("rt/idle.hist", "rt/idle.txt", "stock/idle.hist", "stock/busy.hist"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(RTIRQ)
    assert read(tmp_path).runs["run"].tolist() == ["rt/idle.hist", "rt/idle.txt", "busy", "stock/idle.hist"]


def test_two_runs_of_one_name_are_refused(lab: Path) -> None:
    with pytest.raises(CardError, match="2 runs are called 'x'"):
        read(lab, name="x")


def test_what_is_piped_in_is_a_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RTIRQ.encode())))
    assert read("-").records["n"].sum() == 3


def test_a_pattern_is_expanded(lab: Path) -> None:
    assert read(str(lab / "*.txt")).runs["run"].tolist() == ["a"]


def test_what_a_mail_quotes_again_is_the_same_run(tmp_path: Path) -> None:
    log = tmp_path / "mail.txt"
    log.write_text(LIL + "somebody wrote:\n> " + LIL)
    runs = read(log).runs
    assert len(runs) == 1
    assert json.loads(runs["ignored_lines"].iloc[0])["quoted repetition of this run"] == [1, 3]


def test_concat_unites_categories_and_refuses_one_key_for_two_logs(lab: Path) -> None:
    one, two = read(lab / "a.txt"), read(lab / "more" / "lil.txt")
    both = concat([one, two, one])
    rtlat.validate(*both)
    assert both.runs["run"].tolist() == ["a", "lil"]
    assert both.records["run"].cat.categories.tolist() == ["a", "lil"]
    assert len(both.records) == len(one.records) + len(two.records)
    (lab / "a.txt").write_text(RTIRQ.replace("0.50", "0.60"))
    with pytest.raises(SelectionError, match="the run 'a' stands for two different logs"):
        concat([one, read(lab / "a.txt")])


def test_stored_frames_come_back_equal(lab: Path, tmp_path: Path) -> None:
    recording = read(lab)
    save(recording, tmp_path / "stored")
    for one, other in zip(recording, load(tmp_path / "stored"), strict=True):
        assert one.equals(other)
        assert one.dtypes.equals(other.dtypes)
    assert len(read([tmp_path / "stored"]).runs) == 2
    save(recording, tmp_path / "table.csv")
    assert (tmp_path / "table.csv").read_text().splitlines()[1].startswith("a,all,irq,bin,all,400.0,500.0,2,")


def test_a_damaged_store_is_one_clear_line(lab: Path, tmp_path: Path) -> None:
    save(read(lab), tmp_path / "stored")
    (tmp_path / "stored" / "runs.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(LogError, match="runs.parquet: found no table rtlat stored"):
        read(tmp_path / "stored")


def test_public_names_exist_and_functions_are_not_hidden_by_modules() -> None:
    for name in rtlat.__all__:
        assert type(getattr(rtlat, name)).__name__ != "module", name


def test_a_file_whose_name_is_no_utf_8_is_read_like_any_other(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(folder)
    shutil.copy(Path(__file__).parent.parent / "data" / "seeds" / "rtirq-results.txt", folder + b"/d\xe9j\xe0 vu.txt")
    recording = read(os.fsdecode(folder))
    assert list(recording.runs["run"]) == ["d\\udce9j\\udce0 vu"]
    assert list(recording.runs["group"]) == ["caf\\udce9"]
    assert recording.records["n"].sum() == 60_000
