"""A large log that several notebooks of a report read is parsed by one of them, and all find the same in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rtlat import filling, parsed_once
from rtlat.assembly import Reading
from rtlat.cards import Card, load
from rtlat.parsed_once import PARSED, fill_once
from rtlat.source import Source

LOG = b"# /dev/cpu_dma_latency set to 0us\n" + b"".join(b"       0:%8d:%8d\n" % (n, 10 + n % 7) for n in range(400))


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The names of the logs that were parsed, where even small ones are large."""
    names: list[str] = []
    fill = filling.fill

    def counted(reading: Reading, *others: object) -> None:
        names.append(reading.source.name)
        fill(reading, *others)  # type: ignore[arg-type]

    (tmp_path / "kept").mkdir()
    monkeypatch.setenv(PARSED, str(tmp_path / "kept"))
    monkeypatch.setattr(parsed_once, "LARGE", 100)
    monkeypatch.setattr(parsed_once, "fill", counted)
    return names


def filled(path: Path, card: Card | None = None, keep: int = 1_000_000) -> Reading:
    reading = Reading(Source(path, path.name, keep=keep), "")
    fill_once(reading, None, card)
    return reading


def test_the_second_takes_what_the_first_found(parsed: list[str], tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(LOG)
    first, second = filled(path), filled(path)
    assert parsed == ["a.log"]
    assert (second.claims, second.sha256, second.error) == (first.claims, first.sha256, None)
    (mine,), (theirs,) = first.runs, second.runs
    assert (mine.facts, mine.series, mine.ignored.reasons) == (theirs.facts, theirs.series, theirs.ignored.reasons)
    for name, column in mine.rows.arrays().items():
        assert column.dtype == object or np.array_equal(column, theirs.rows.arrays()[name], equal_nan=True)
    assert theirs.rows.arrays()["n"].sum() == 400


def test_what_is_asked_otherwise_or_has_changed_is_parsed_again(parsed: list[str], tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(LOG)
    filled(path)
    filled(path, keep=10)
    path.write_bytes(LOG + b"       0:     400:    1000\n")
    assert filled(path).runs[0].rows.arrays()["high"].max() == 1_000_000
    (tmp_path / "runs.toml").write_text('[runs."a.log".table]\nlatency = 1\nunit = "us"\n')
    assert filled(path, load(tmp_path / "runs.toml")).claims[0][0].name == "declared_table"
    assert parsed == ["a.log"] * 4


def test_an_error_is_found_once_too(parsed: list[str], tmp_path: Path) -> None:
    path = tmp_path / "b.log"
    path.write_bytes(b"nothing that anybody prints\n" * 9)
    assert str(filled(path).error) == str(filled(path).error) != "None"
    assert parsed == ["b.log"]


@pytest.mark.parametrize("size", [99, 101])
def test_a_small_log_and_one_that_no_report_reads_are_parsed(
    parsed: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    path = tmp_path / "c.log"
    path.write_bytes(LOG[:size])
    if size > 100:
        monkeypatch.delenv(PARSED)
    filled(path)
    filled(path)
    assert parsed == ["c.log"] * 2
    assert not list((tmp_path / "kept").iterdir())


def test_two_processes_at_once_parse_a_log_once(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    path, tally = tmp_path / "a.log", tmp_path / "tally"
    path.write_bytes(LOG)
    script = f"""
from pathlib import Path
from rtlat import filling, parsed_once
from rtlat.assembly import Reading
from rtlat.source import Source
fill, parsed_once.LARGE = parsed_once.fill, 100
def counted(reading, *others):
    with open({str(tally)!r}, "a") as file:
        file.write("parsed\\n")
    fill(reading, *others)
parsed_once.fill = counted
reading = Reading(Source(Path({str(path)!r}), "a.log"), "")
parsed_once.fill_once(reading, None, None)
print(len(reading.runs[0].rows))
"""
    command = [sys.executable, "-c", script]
    environment = {**os.environ, PARSED: str(tmp_path)}
    several = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) for _ in range(3)]
    assert [process.communicate()[0] for process in several] == ["400\n"] * 3
    assert tally.read_text() == "parsed\n"
