"""Files and pipes: read as seldom as can be, hashed on the way, and what a pipe does not give twice."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import rtlat
from rtlat import stored as module
from rtlat.errors import LogError
from rtlat.source import Source
from rtlat.stored import Stored

LINE = b"       0:%8d:      %2d\n"


def log(lines: int) -> bytes:
    return b"".join(LINE % (number, 10 + number % 50) for number in range(lines))


class Once(io.RawIOBase):
    """A pipe that gives little at a time, never again, and counts what was taken."""

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        piece = self.data[self.place : self.place + min(len(buffer), 4000)]
        buffer[: len(piece)] = piece
        self.place += len(piece)
        return len(piece)


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if 1 MiB were much for a pipe."""
    monkeypatch.setattr(module, "HELD", 1 << 20)
    monkeypatch.setattr(module, "_KEPT", 1 << 19)


@pytest.mark.parametrize("packed", [False, True])
def test_a_long_pipe_is_read_once_and_whole(little: None, packed: bool) -> None:
    text = log(80_000)
    data = gzip.compress(text, 0) if packed else text
    pipe = Once(data)
    source = Source(None, "-", pipe=pipe)  # type: ignore[arg-type]
    assert source.head()[0].text == LINE[:-1].decode() % (0, 10)
    assert pipe.place <= (1 << 20) + 4000
    assert b"".join(block.data for block in source.blocks()) == text
    assert source.sha256 == hashlib.sha256(data).hexdigest()
    assert source.elisions() == []
    with pytest.raises(LogError, match="through a pipe, which is to be read twice"):
        list(source.blocks())


def test_a_short_pipe_is_as_good_as_a_file() -> None:
    text = log(1_000)
    source = Source(None, "-", pipe=Once(text))  # type: ignore[arg-type]
    for _ in range(2):
        assert b"".join(block.data for block in source.blocks()) == text
    assert source.sha256 == hashlib.sha256(text).hexdigest()


def test_who_stops_in_the_middle_of_a_pipe_still_knows_its_hash(little: None) -> None:
    data = log(80_000)
    source = Source(None, "-", pipe=Once(data))  # type: ignore[arg-type]
    blocks = source.blocks(size=100_000)
    for _ in range(15):
        next(blocks)
    blocks.close()
    assert source.sha256 == hashlib.sha256(data).hexdigest()


def test_a_file_is_read_to_its_end_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts, lines left out and hash come from one pass; only the beginning is looked at more often."""
    path = tmp_path / "v.log"
    path.write_bytes(log(120_000) + b"...\n" + log(10))
    taken = []
    readinto = module._Reader.readinto

    def counted(self: module._Reader, buffer: memoryview) -> int:
        taken.append(n := readinto(self, buffer))
        return n

    monkeypatch.setattr(module._Reader, "readinto", counted)
    recording = rtlat.read(path)
    assert recording.runs.loc[0, "sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert "dots stand where lines were left out" in str(recording.runs.loc[0, "warnings"])
    assert path.stat().st_size <= sum(taken) < 1.5 * path.stat().st_size


def test_a_named_pipe_is_a_log(tmp_path: Path) -> None:
    path, text = tmp_path / "pipe", log(50_000)
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(text,))
    writer.start()
    recording = rtlat.read(path)
    writer.join()
    assert int(recording.records["n"].sum()) == 50_000
    assert recording.runs.loc[0, "sha256"] == hashlib.sha256(text).hexdigest()


def test_what_is_piped_in_is_read(tmp_path: Path) -> None:
    text = log(30_000)
    command = [sys.executable, "-m", "rtlat", "summary", "-", "--json"]
    done = subprocess.run(command, input=gzip.compress(text), capture_output=True, check=True)
    assert b'"n": 30000' in done.stdout


@pytest.mark.parametrize("size", [0, 1, 5_000, 200_000])
def test_progress_counts_each_byte_once(tmp_path: Path, size: int) -> None:
    path = tmp_path / "log"
    path.write_bytes(bytes(size))
    stored = Stored(path, "log")
    seen: list[int] = []
    stored.watch = seen.append
    for length in (10, size, size + 1):
        with stored.open() as stream:
            stream.read(length)
    assert sum(seen) == size == stored.size or (size == 0 and stored.size == 0)
    assert all(more > 0 for more in seen)


def test_a_log_that_cannot_be_opened_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="cannot be opened"):
        Stored(tmp_path / "none", "none").open()
