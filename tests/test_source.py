"""Damage that every log can have: each tolerance is one rule in rtlat.source."""

from __future__ import annotations

import gzip
import hashlib
import lzma
from pathlib import Path

import pytest

from rtlat.errors import LogError
from rtlat.source import BLOCK_BYTES, LONGEST_LINE, Source, clean

TABLE = "# Histogram\n000012 000171\t000025\n# Total: 000000171 000000025\n"


def texts(data: bytes) -> list[str]:
    return [line.text for line in Source(None, "log", data).lines()]


def test_plain_lines_keep_their_text() -> None:
    assert texts(TABLE.encode()) == TABLE.splitlines()


@pytest.mark.parametrize(
    "damaged",
    [
        TABLE.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + TABLE.encode(),
        TABLE.encode("utf-16"),
        b"\xfe\xff" + TABLE.encode("utf-16-be"),
        TABLE.replace("\n", "\r\n").encode("utf-16"),
        gzip.compress(TABLE.encode(), mtime=0),
        lzma.compress(TABLE.encode()),
        gzip.compress(TABLE.encode("utf-16"), mtime=0),
        "".join(f"> {line}\n" for line in TABLE.splitlines()).encode(),
        "".join(f">>{line}\n" for line in TABLE.splitlines()).encode(),
        "".join(f"[ 1234.567890] {line}\n" for line in TABLE.splitlines()).encode(),
        "".join(f"<4>[ 1234.567890] {line}\n" for line in TABLE.splitlines()).encode(),
        "".join(f"<4>{line}\n" for line in TABLE.splitlines()).encode(),
        "".join(f"Nov  3 10:11:12 host kernel: {line}\n" for line in TABLE.splitlines()).encode(),
        "".join(f"Nov 30 10:11:12 host cyclictest[42]: {line}\n" for line in TABLE.splitlines()).encode(),
        "".join(f"2026-11-30T10:11:12+01:00 host cyclictest[42]: {line}\n" for line in TABLE.splitlines()).encode(),
        "".join(f"\x1b[32m{line}\x1b[0m\n" for line in TABLE.splitlines()).encode(),
    ],
)
def test_each_damage_shows_the_same_lines(damaged: bytes) -> None:
    assert texts(damaged) == TABLE.splitlines()


def test_a_repainted_line_gives_each_screen_with_the_same_number() -> None:
    source = Source(None, "log", b"T: 0 C: 5\n\x1b[2Apolicy: fifo\n\x1b[2A\x1b[1Bnext\n")
    assert [(line.number, line.text) for line in source.lines()] == [(1, "T: 0 C: 5"), (2, "policy: fifo"), (3, "next")]
    assert [line.text for line in clean(b"50%\r75%\r100%", 1)] == ["50%", "75%", "100%"]


def test_brackets_of_a_log_are_no_time_stamp() -> None:
    assert texts(b"[T0 Prio: 60] 2123\n[ 0 - 99 ] = 4727\n") == ["[T0 Prio: 60] 2123", "[ 0 - 99 ] = 4727"]


def test_a_last_line_without_end_is_marked() -> None:
    lines = list(Source(None, "log", b"one\ntwo").lines())
    assert [(line.text, line.whole) for line in lines] == [("one", True), ("two", False)]


def test_nul_bytes_do_not_hide_the_rest() -> None:
    assert texts(b"a\n\0\0\0\nb\n") == ["a", "\0\0\0", "b"]


def test_a_part_keeps_the_numbers_whatever_stands_in_its_lines() -> None:
    source = Source(None, "log", b"50%\r75%\r100%\none\n\x0c\ntwo\rthree\nfour")
    for first, last in ((1, 2), (2, 4), (3, 5), (5, 9)):
        every = [line for line in source.lines() if first <= line.number <= last]
        assert list(source.part(first, last).lines()) == every


def test_line_numbers_go_on_across_blocks() -> None:
    count = 3 * BLOCK_BYTES // 10
    data = b"".join(b"%08d\r\n" % number for number in range(1, count + 1))
    lines = list(Source(None, "log", data).lines())
    assert len(lines) == count
    assert all(int(line.text) == line.number for line in lines)


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", "an empty file"),
        (b"\n \n\0\0\n", "an empty file"),
        (bytes(range(256)) * 40, "binary data"),
        (b"\x28\xb5\x2f\xfd rest", "damaged compression"),
        (gzip.compress(TABLE.encode() * 99, mtime=0)[:60], "damaged compression"),
    ],
)
def test_what_is_no_text_is_refused_in_one_line(data: bytes, found: str) -> None:
    with pytest.raises(LogError, match=found) as caught:
        Source(None, "log", data).head()
    assert "\n" not in str(caught.value)


def test_the_head_of_one_endless_line_is_its_beginning() -> None:
    (line,) = Source(None, "log", b'{"a": ' + b"1" * (2 * LONGEST_LINE)).head()
    assert (line.text[:8], line.whole) == ('{"a": 11', False)
    assert len(line.text) < LONGEST_LINE


def test_a_hostile_line_is_not_held_in_memory() -> None:
    with pytest.raises(LogError, match="a line longer than 1 MiB"):
        list(Source(None, "log", b"x" * (LONGEST_LINE + BLOCK_BYTES + 1)).lines())


def test_a_missing_file_is_one_line() -> None:
    with pytest.raises(LogError, match="nowhere.txt: found a file that cannot be opened"):
        Source(Path("nowhere.txt"), "nowhere.txt").head()


def test_sha256_is_of_the_stored_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(TABLE.encode(), mtime=0))
    assert Source(path, "a.gz").sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
