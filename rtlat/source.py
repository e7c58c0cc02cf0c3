"""A log as numbered lines, or as blocks cut at line ends: every way a log gets damaged is dealt with here.

Formats see clean text: decompressed, decoded, without carriage returns, cursor codes, quoting or the
prefixes that dmesg, syslog and the journal put before a line. Line numbers are those of the file, whatever
was removed, so that every number in a report can be traced.
"""

from __future__ import annotations

import codecs
import gzip
import hashlib
import io
import lzma
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, cast

from rtlat.errors import LogError

HEAD_BYTES = 64 * 1024
"""How much of a log the formats look at to claim it."""

BLOCK_BYTES = 1 << 20
"""Size of a block; 1 MiB costs 1.2 times the CPU of 8 MiB and a quarter of the memory."""

LONGEST_LINE = 1 << 20
"""No tool prints a longer line; a longer one would be held in memory whole."""

LARGEST_TEXT = 256 << 20
"""A log that has to be read whole (JSON) may not be larger."""

KEEP_SAMPLES = 1_000_000
"""Samples of one log that are kept as rows; beyond, equal values are counted together and order is lost."""

# `ESC[4Apolicy: fifo: ...`: the cursor goes up and the next screen starts in the middle of a line; rtla top clears
# the terminal before each table: `ESCc     Timer Latency`.
_CURSOR = re.compile(r"\x1b\[\d*(?:;\d*)?[A-HJKf]|\x1bc|\r")
_ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|[@-Z\\-_]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)")
_QUOTE = re.compile(r"(?:>[ ]?)+")
_PREFIX = re.compile(
    r"(?:(?P<syslog>(?:<\d{1,3}>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ [\w./-]+(?:\[\d+\])?: ?)"
    r"|(?P<iso>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S* \S+ [\w./-]+(?:\[\d+\])?: ?)"
    r"|(?P<dmesg>(?:<\d{1,3}>)?\[ *\d{1,7}\.\d{3,9}\] ?)"
    r"|(?P<level><\d>))"
)
_TEXT_CONTROLS = frozenset(b"\t\n\v\f\r\x1b\b\x00")


@dataclass(frozen=True, slots=True)
class Line:
    """One line as the formats see it.

    Attributes
    ----------
    number : int
        Line number in the file, from 1. A repainted line gives several of the same number.
    text : str
        The line without line end, escape codes, quoting and log prefixes; blanks are kept.
    quote : int
        How many ``>`` stood before it.
    whole : bool
        False for a last line without a line end: it may be cut and is not data.
    """

    number: int
    text: str
    quote: int = 0
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of the log: UTF-8 bytes that end at a line end (unless `whole` is False), never with ``\\r\\n``."""

    first: int
    data: bytes
    whole: bool = True


class Source:
    """One log: opened by what its first bytes say, read as often as asked, never held whole.

    Parameters
    ----------
    path : Path or None
        The file; None with `data`.
    name : str
        What messages call it.
    data : bytes, optional
        The log's bytes when they come from a pipe.
    keep : int
        Samples kept as rows before equal values are counted together.

    Examples
    --------
    >>> source = Source(None, "demo", b"\\x1b[2A> T: 0\\r\\n[   12.345678] cut")
    >>> [(line.number, line.text, line.quote, line.whole) for line in source.lines()]
    [(1, 'T: 0', 1, True), (2, 'cut', 0, False)]
    """

    def __init__(self, path: Path | None, name: str, data: bytes | None = None, keep: int = KEEP_SAMPLES) -> None:
        self.path = path
        self.name = name
        self.keep = keep
        self._data = data

    def _raw(self) -> BinaryIO:
        """The bytes as they are stored."""
        if self._data is not None:
            return io.BytesIO(self._data)
        assert self.path is not None
        try:
            return self.path.open("rb")
        except OSError as error:
            raise LogError(self.name, f"a file that cannot be opened ({error.strerror})") from None

    @cached_property
    def sha256(self) -> str:
        """Of the bytes as they are stored, compressed or not."""
        with self._raw() as stream:
            digest = hashlib.sha256()
            while chunk := stream.read(BLOCK_BYTES):
                digest.update(chunk)
            return digest.hexdigest()

    @contextmanager
    def _open(self) -> Iterator[BinaryIO]:
        """The log's bytes, decompressed by magic number, as UTF-8."""
        with self._raw() as stored:  # neither GzipFile nor LZMAFile closes the file it reads
            magic = stored.read(6)
            stored.seek(0)
            stream = stored
            if magic.startswith(b"\x1f\x8b"):
                stream = cast(BinaryIO, gzip.GzipFile(fileobj=stored, mode="rb"))
            elif magic.startswith(b"\xfd7zXZ\x00"):
                stream = cast(BinaryIO, lzma.LZMAFile(stored))  # noqa: SIM115 (reads no further than the block)
            elif magic.startswith(b"\x28\xb5\x2f\xfd"):
                raise LogError(self.name, "a zstd file", "plain text, gzip or xz", "decompress it with zstd -d first")
            yield _decoded(stream)

    def blocks(self, size: int = BLOCK_BYTES) -> Iterator[Block]:
        """Yield the log in blocks of about `size` bytes, each cut after a line end.

        Raises
        ------
        LogError
            If the file cannot be opened or decompressed, or a line exceeds `LONGEST_LINE`.
        """
        first, rest = 1, b""
        with self._open() as stream:
            while chunk := self._read(stream, size):
                data = rest + chunk
                end = data.rfind(b"\n") + 1
                if end == 0 and len(data) > LONGEST_LINE:
                    raise LogError(
                        self.name, f"a line longer than {LONGEST_LINE >> 20} MiB", "a latency log", line=first
                    )
                rest = data[end:]
                if end:
                    block = data[:end].replace(b"\r\n", b"\n") if b"\r\n" in data else data[:end]
                    yield Block(first, block)
                    first += block.count(b"\n")
        if rest:
            yield Block(first, rest.rstrip(b"\r"), whole=False)

    def _read(self, stream: BinaryIO, size: int) -> bytes:
        """Read on; a broken compressed stream is an error of the log, not of rtlat."""
        try:
            return stream.read(size)
        except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
            raise LogError(self.name, f"damaged compression ({error})", remedy="copy the file again") from None
        except OSError as error:
            raise LogError(self.name, f"a file that cannot be read ({error.strerror or error})") from None

    def chunks(self, size: int = BLOCK_BYTES) -> Iterator[bytes]:
        """Yield the log's bytes, decompressed and nothing else, for formats that are no text.

        Raises
        ------
        LogError
            If the file cannot be opened or decompressed.
        """
        with self._open() as stream:
            while chunk := self._read(stream, size):
                yield chunk

    def lines(self) -> Iterator[Line]:
        """Yield the log's lines, cleaned."""
        for block in self.blocks():
            yield from block_lines(block)

    def head(self) -> list[Line]:
        """Return the lines of the first 64 KiB, for the formats to claim.

        Raises
        ------
        LogError
            If the log is empty, or not text.
        """
        start = next(self.chunks(HEAD_BYTES), b"")
        if not start.strip(b"\x00 \t\r\n"):
            raise LogError(
                self.name, "an empty file", "a latency log", "check that the tool was not killed before it wrote"
            )
        odd = sum(byte < 32 and byte not in _TEXT_CONTROLS for byte in start[:4096])
        if odd > len(start[:4096]) // 20:
            raise LogError(self.name, "binary data", "a text log", "run rtlat formats to see what can be read")
        end = start.rfind(b"\n") + 1  # JSON may stand in one line that is longer than all of this
        return list(block_lines(Block(1, start[:end] or start, whole=end > 0)))

    def text(self) -> str:
        """Return the whole log as one string, for formats that are not made of lines.

        Raises
        ------
        LogError
            If it is larger than `LARGEST_TEXT`.
        """
        with self._open() as stream:
            data = b""
            while chunk := self._read(stream, BLOCK_BYTES):
                data += chunk
                if len(data) > LARGEST_TEXT:
                    raise LogError(self.name, f"more than {LARGEST_TEXT >> 20} MiB of JSON", "one run's results")
        return data.decode("utf-8", "replace")


def block_lines(block: Block) -> Iterator[Line]:
    """Yield the cleaned lines of a block."""
    texts = block.data.split(b"\n")
    if block.whole:
        texts.pop()
    for number, text in enumerate(texts, block.first):
        yield from clean(text, number, whole=block.whole or number < block.first + len(texts) - 1)


def clean(raw: bytes, number: int, whole: bool = True) -> Iterator[Line]:
    """Yield what one line of the file shows: one Line, or one for each time it was repainted.

    Examples
    --------
    >>> [line.text for line in clean(b"\\x1b[4Apolicy: fifo\\x1b[0m", 1)]
    ['policy: fifo']
    >>> next(clean(b"> > <4>[    1.234567] latency cycles: mean 542", 9))
    Line(number=9, text='latency cycles: mean 542', quote=2, whole=True)
    """
    text = raw.decode("utf-8", "replace")
    pieces = [text]
    if "\x1b" in text or "\r" in text:
        pieces = [piece for piece in _CURSOR.split(text) if piece.strip()] or [""]
        pieces = [_ESCAPE.sub("", piece) for piece in pieces]
    for piece in pieces:
        quote = 0
        if piece.startswith(">"):
            marks = _QUOTE.match(piece)
            assert marks
            quote = marks[0].count(">")
            piece = piece[marks.end() :]
        if piece[:1] in "<[" or piece[:1].isupper() or piece[:1].isdigit():
            while prefix := _PREFIX.match(piece):
                piece = piece[prefix.end() :]
        yield Line(number, piece, quote, whole)


def _decoded(stream: BinaryIO) -> BinaryIO:
    """The stream without a byte order mark, recoded to UTF-8 if it is UTF-16."""
    buffered = io.BufferedReader(cast(io.RawIOBase, stream))
    try:
        start = buffered.peek(4)[:4]
    except (EOFError, zlib.error, lzma.LZMAError, OSError):
        return cast(BinaryIO, buffered)  # the first read says it again, where it becomes a LogError
    if start.startswith(codecs.BOM_UTF8):
        buffered.read(3)
        return cast(BinaryIO, buffered)
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if start.startswith(mark):
            buffered.read(2)
            return cast(BinaryIO, codecs.EncodedFile(cast(io.BytesIO, buffered), "utf-8", encoding, "replace"))
    return cast(BinaryIO, buffered)


def standard_input(keep: int = KEEP_SAMPLES) -> Source:
    """Return what is piped in, as a log named ``-``."""
    return Source(None, "-", sys.stdin.buffer.read(), keep)
