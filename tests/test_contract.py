"""What every format promises, tried on every log of ours: the same frames however the log is stored or carried."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT

import rtlat
from rtlat.errors import LogError
from rtlat.formats import FORMATS
from rtlat.protocol import Format, Recording
from rtlat.reading import read

FILES = sorted(
    path
    for folder in (ROOT / "data", ROOT / "tests" / "data")
    for path in folder.rglob("*")
    if path.is_file() and path.name not in ("runs.toml", "README.md") and path.stat().st_size < 200_000
)


def is_text(path: Path) -> bool:
    """Whether a log is lines, not records of bytes."""
    data = path.read_bytes()
    return not any(known.claims and known.claims(data) for known in FORMATS)


def plain(data: bytes) -> bytes:
    """A log as UTF-8 with LF, whatever carries it."""
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = data.decode("utf-16").encode()
    return data.replace(b"\r\n", b"\n")


def lines_of(path: Path) -> list[str]:
    return plain(path.read_bytes()).decode("utf-8", "replace").split("\n")


def is_read(path: Path) -> bool:
    """Whether a log is read, alone and without its card."""
    try:
        read(path, card=os.devnull)
    except LogError:
        return False
    return True


READABLE = [path for path in FILES if is_read(path)]


@pytest.fixture(params=READABLE, ids=lambda path: str(path.relative_to(ROOT)))
def log(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


@pytest.fixture
def recording(log: Path) -> Recording:
    return read(log, card=os.devnull)


def same(one: Recording, other: Recording) -> None:
    """Equal but for what tells one file from another."""
    assert one.records.equals(other.records)
    apart = ["source", "sha256", "group"]
    assert one.runs.drop(columns=apart).equals(other.runs.drop(columns=apart))
    assert one.series.equals(other.series)


CARRIERS: dict[str, Callable[[bytes], bytes]] = {
    "as it is": lambda data: data,
    "gzip": gzip.compress,
    "xz": lambda data: lzma.compress(data, preset=0),
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
    "UTF-16": lambda data: data.decode("utf-8", "replace").encode("utf-16"),
    "BOM": lambda data: b"\xef\xbb\xbf" + data,
}


@pytest.mark.parametrize("carrier", CARRIERS)
def test_the_carrier_changes_nothing(log: Path, recording: Recording, carrier: str, tmp_path: Path) -> None:
    if not is_text(log) and carrier in ("CRLF", "UTF-16", "BOM"):
        pytest.skip("records of bytes have no line ends and no encoding")
    data = plain(log.read_bytes()) if is_text(log) else log.read_bytes()
    (tmp_path / log.name).write_bytes(CARRIERS[carrier](data))
    same(recording, read(tmp_path / log.name, card=os.devnull))


def test_a_pipe_gives_the_same(log: Path, recording: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(log.read_bytes())))
    piped = read("-", card=os.devnull)
    assert piped.records.drop(columns="run").equals(recording.records.drop(columns="run"))


def test_every_row_stands_on_a_line_of_the_log(log: Path, recording: Recording) -> None:
    if not is_text(log):
        pytest.skip("records of bytes are no lines; their numbers are those of the records")
    lines = lines_of(log)
    assert recording.records["line"].between(1, len(lines)).all()
    for number in recording.records["line"].unique():
        assert lines[number - 1].strip()


def test_no_line_is_counted_twice_or_lost_in_silence(log: Path, recording: Recording) -> None:
    if not is_text(log):
        pytest.skip("records of bytes are no lines")
    told = recording.runs["ignored"].sum() + recording.runs["rejected"].sum()
    repaints = sum(line.count("\x1b") + line.count("\r") for line in lines_of(log))
    assert told <= len(lines_of(log)) + repaints
    for column in ("ignored_lines", "rejected_lines"):
        for reasons in recording.runs[column].map(json.loads):
            assert all(count > 0 and line > 0 and reason for reason, (count, line) in reasons.items())


def test_every_answer_is_finite_or_null_and_has_a_status(recording: Recording) -> None:
    document = rtlat.summary_json(recording, ["50", "99.9"])
    json.dumps(document, allow_nan=False)
    for run in document["runs"]:
        for series in run["series"]:
            for answer in (series["min"], series["max"], *series["percentiles"].values()):
                assert answer["status"] != "refused" or answer["reason"]
                if answer["low"] is not None and answer["high"] is not None:
                    assert answer["low"] <= answer["high"]


@pytest.mark.parametrize("path", sorted(set(FILES) - set(READABLE)), ids=lambda path: path.name)
def test_a_refusal_is_one_line_that_names_the_log(path: Path) -> None:
    with pytest.raises(LogError) as caught:
        read(path, card=os.devnull)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(path.name)


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
def test_every_format_has_a_log_of_ours_and_tells_of_itself(known: Format) -> None:
    assert known.title
    assert known.gives
    assert known.versions
    if known.marks or known.claims:
        assert any(known.name in set(read(path, card=os.devnull).runs["format"]) for path in READABLE)
    else:  # its card claims it
        assert set(read(ROOT / "tests" / "data" / "tables").runs["format"]) == {known.name}
