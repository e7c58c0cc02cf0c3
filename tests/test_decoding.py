"""Bytes as they are stored: every compression and encoding gives the same text, and damage is told."""

from __future__ import annotations

import gzip
import lzma
import quopri
import sys
from collections.abc import Callable

import pytest

from rtlat.decoding import is_quoted_printable
from rtlat.errors import LogError
from rtlat.source import Source, block_lines

zstandard = pytest.importorskip("zstandard")

TEXT = "# Histogram µs\n000012 000171\t000025\n" + "000013 000001\t000002\n" * 20


def zstd(data: bytes) -> bytes:
    compressed: bytes = zstandard.compress(data)
    return compressed


STORED: dict[str, Callable[[str], bytes]] = {
    "UTF-8": str.encode,
    "UTF-8 with mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-16 BE with mark": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "UTF-16 LE": lambda text: text.encode("utf-16-le"),
    "UTF-16 BE": lambda text: text.encode("utf-16-be"),
}
NO_ISAL = "gzip without isal"
PACKED: dict[str, Callable[[bytes], bytes]] = {
    NO_ISAL: gzip.compress,
    "gzip": gzip.compress,
    "gzip in two members": lambda data: gzip.compress(data[:100]) + gzip.compress(data[100:]),
    "xz": lzma.compress,
    "zstd": zstd,
    "zstd in two frames": lambda data: zstd(data[:100]) + zstd(data[100:]),
}


@pytest.fixture(autouse=True)
def readers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package isal is in the environment of the checks, and not in every user's."""
    if getattr(request.node, "callspec", None) and request.node.callspec.params.get("packed") == NO_ISAL:
        monkeypatch.setitem(sys.modules, "isal.igzip", None)
    else:
        pytest.importorskip("isal.igzip")


def texts(data: bytes) -> list[str]:
    return [line.text for line in Source(None, "log", data).lines()]


@pytest.mark.parametrize("stored", STORED)
def test_each_encoding_gives_the_same_lines(stored: str) -> None:
    assert texts(STORED[stored](TEXT)) == TEXT.splitlines()


@pytest.mark.parametrize("stored", STORED)
@pytest.mark.parametrize("packed", PACKED)
def test_compressed_or_not(packed: str, stored: str) -> None:
    assert texts(PACKED[packed](STORED[stored](TEXT))) == TEXT.splitlines()


@pytest.mark.parametrize("packed", PACKED)
def test_a_cut_file_is_damaged_and_never_a_shorter_log(packed: str) -> None:
    data = PACKED[packed](TEXT.encode() * 50)
    for end in range(len(data) - 60, len(data) - 1, 7):
        with pytest.raises(LogError, match="damaged compression"):
            texts(data[:end])


@pytest.mark.parametrize("packed", [NO_ISAL, "gzip"])
def test_a_damaged_byte_is_damage_or_changes_nothing(packed: str) -> None:
    """Of every byte after the header: what the checksum covers is told, names and times are no part of it."""
    text = "".join(f"{number:06d} {number * 7919 % 1000:06d}\n" for number in range(3_000))
    data = PACKED[packed](text.encode())
    for place in range(10, len(data), 97):
        damaged = data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :]
        with pytest.raises(LogError, match="damaged compression"):
            texts(damaged)


@pytest.mark.parametrize("packed", [NO_ISAL, "gzip"])
@pytest.mark.parametrize(("more", "sound"), [(bytes(512), True), (b"junk", False)])
def test_what_follows_a_gzip_file(packed: str, more: bytes, sound: bool) -> None:
    data = PACKED[packed](TEXT.encode()) + more
    if sound:  # tapes are filled up with zeros
        assert texts(data) == TEXT.splitlines()
    else:
        with pytest.raises(LogError, match="damaged compression"):
            texts(data)


def test_what_unpacks_to_very_much_is_not_held_in_memory() -> None:
    bomb = zstd(b"x" * 80 + b"\n" * (64 << 20))
    source = Source(None, "log", bomb)
    assert len(bomb) < 10_000
    first = next(source.blocks())
    assert len(first.data) <= 2 << 20


def test_without_the_package_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    data = zstd(b"x")
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(
        LogError, match=r"log: found a zstd file, expected plain text, gzip or xz; install rtlat\[zstd\]"
    ):
        texts(data)


@pytest.mark.parametrize("text", [b"ab", b"a\0", b"a\0b\0c\0\n\0", bytes(64), b"a" * 31 + b"\0" + b"b" * 31 + b"\0"])
def test_few_nul_bytes_are_no_utf_16(text: bytes) -> None:
    assert "".join(texts(text)) == text.decode().replace("\n", "")


def in_a_mail(text: str) -> bytes:
    """As a mail program would send it."""
    return quopri.encodestring(text.encode())


WIDE = "".join(
    f"{label:06d} " + "\t".join(f"{label * 7 + thread:06d}" for thread in range(14)) + "\n" for label in range(9)
)


@pytest.mark.parametrize("text", [f"{WIDE}HZ=1000 =\nµ\n", WIDE * 60, f"a\n\n{WIDE}"])
def test_lines_that_a_mail_broke_are_whole_and_keep_their_numbers(text: str) -> None:
    sent = in_a_mail(text)
    assert is_quoted_printable(sent)
    lines = [line for line in Source(None, "log", sent).lines() if line.text]
    assert [line.text for line in lines] == [line for line in text.split("\n") if line]
    printed = sent.split(b"\n")
    for line in lines:
        assert printed[line.number - 1][:2] in (line.text.encode()[:2], b"=C")


def test_a_line_that_is_broken_between_blocks_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source(None, "log", in_a_mail(WIDE))
    whole = [line.text for line in source.lines() if line.text]
    for size in (64, 77, 100, 250):
        lines = [line for block in source.blocks(size) for line in block_lines(block) if line.text]
        assert [line.text for line in lines] == whole == WIDE.splitlines()


@pytest.mark.parametrize("text", [WIDE + "x" * 75 + "=\nroot=/dev/sda1\n", "CONFIG_HZ=1000\n", "=" * 76 + "\n", "x=\n"])
def test_an_equals_sign_is_no_mail(text: str) -> None:
    assert texts(text.encode()) == text.splitlines()
