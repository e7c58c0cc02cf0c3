"""A log as numbered lines, or as blocks cut at line ends: read as often as asked, never held whole.

Formats see clean text: decompressed and decoded (`rtlat.decoding`), without anything that was put around its
lines (`rtlat.repair`). Line numbers are those of the file, whatever was removed, so that every number in a
report can be traced.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from rtlat.decoding import DAMAGE, GONE, SNIFFED, decoded, is_plain, is_quoted_printable, unquoted
from rtlat.errors import LogError, printable
from rtlat.repair import Line, clean, elisions
from rtlat.stored import Stored

__all__ = ["BLOCK_BYTES", "HEAD_BYTES", "KEEP_SAMPLES", "LARGEST_TEXT", "LONGEST_LINE"]
__all__ += ["Block", "Line", "Source", "block_lines", "clean", "standard_input"]

HEAD_BYTES = 64 * 1024
"""How much of a log the formats look at to claim it."""

BLOCK_BYTES = 1 << 20
"""Size of a block; 1 MiB costs 1.2 times the CPU of 8 MiB and a quarter of the memory."""

LONGEST_LINE = 1 << 20
"""No tool prints a longer line; a longer one would be held in memory whole."""

LARGEST_TEXT = 256 << 20
"""A log that has to be read whole (JSON) may not be larger."""

KEEP_SAMPLES = 1_000_000
"""Samples of one log that are kept as rows; of more there stay counts, blocks and the greatest (`rtlat.folding`)."""

_BINARY = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b\b\x00"))
_PLAIN = b"0123456789 \t"


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of the log: UTF-8 bytes that end at a line end (unless `whole` is False), never with ``\\r\\n``.

    Its lines are as they stand; `block_lines` cleans them, and takes away at most `margin` blanks before each.
    """

    first: int
    data: bytes
    whole: bool = True
    margin: int = 0


class Source:
    """One log: opened by what its first bytes say, read as often as asked, never held whole.

    Parameters
    ----------
    path : Path or None
        The file; None with `data`.
    name : str
        What messages call it.
    data : bytes, optional
        The log's bytes where there is no file.
    keep : int
        Samples kept as rows before equal values are counted together.
    pipe : binary stream, optional
        What the log comes through where there is no file: if it is long it can be read only once.
    opener : callable, optional
        What opens the log where it is no file of this machine.

    Attributes
    ----------
    stored : Stored
        The bytes as they are stored.
    margin : int
        How many blanks stand before each line because the log was pasted into something.

    Examples
    --------
    >>> source = Source(None, "demo", b"\\x1b[2A> T: 0\\r\\n[   12.345678] cut")
    >>> [(line.number, line.text, line.quote, line.whole) for line in source.lines()]
    [(1, 'T: 0', 1, True), (2, 'cut', 0, False)]
    """

    def __init__(
        self,
        path: Path | None,
        name: str,
        data: bytes | None = None,
        keep: int = KEEP_SAMPLES,
        pipe: BinaryIO | None = None,
        opener: Callable[[], BinaryIO] | None = None,
    ) -> None:
        self.path = path
        self.name = printable(name)  # a file's name may be no UTF-8, which no table can hold
        self.keep = keep
        self.margin = 0
        self.stored = Stored(path, self.name, data, pipe, opener)
        self._lines = (1, sys.maxsize)
        self._left_out: list[list[int]] = []  # what `elisions` gives, once all of the log has been read

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep the bytes of a small log while it is read several times."""
        with self.stored.held(BLOCK_BYTES):
            yield

    @property
    def sha256(self) -> str:
        """Of the bytes as they are stored, compressed or not."""
        return self.stored.sha256

    @contextmanager
    def _open(self) -> Iterator[BinaryIO]:
        """The log's bytes, decompressed, as UTF-8."""
        with self.stored.open() as stored:
            yield decoded(stored, self.name)

    def blocks(self, size: int = BLOCK_BYTES, longest: int = LONGEST_LINE) -> Iterator[Block]:
        """Yield the log in blocks of about `size` bytes, each cut after a line end.

        Raises
        ------
        LogError
            If the file cannot be opened or decompressed, or a line exceeds `longest` bytes.
        """
        for block in self._blocks(size, longest):
            if part := self._within(block):
                yield part

    def _blocks(self, size: int, longest: int) -> Iterator[Block]:
        """All blocks of the log."""
        first, block, rest, left_out = 1, b"", b"", list[int]()
        for chunk in self.chunks(size):
            first, block = first + newlines(block), b""  # nobody asks where the last block ends
            if size >= HEAD_BYTES and "_is_mail" not in vars(self):  # not to open the log for it once more
                self._is_mail = is_quoted_printable(chunk[:HEAD_BYTES])
            if self._is_mail:
                chunk, rest = rest + chunk, b""
            end = self._end(chunk)
            if end == 0:
                rest += chunk
                if len(rest) > longest:
                    found = f"a line longer than {longest >> 20} MiB"
                    raise LogError(self.name, found, "a latency log", line=first)
                continue
            block = b"".join((rest, memoryview(chunk)[:end])) if rest or end < len(chunk) else chunk
            rest = chunk[end:]
            block = block.replace(b"\r\n", b"\n") if b"\r" in block else block
            block = unquoted(block) if self._is_mail else block
            yield Block(first, block, True, self.margin)
            left_out.extend(elisions(block, first) if not self._left_out else ())
        if rest:
            first += newlines(block)
            rest = unquoted(rest) if self._is_mail else rest.rstrip(b"\r")
            left_out.extend(elisions(rest, first))
            yield Block(first, rest, False, self.margin)
        self._left_out.append(left_out)

    def _end(self, data: bytes) -> int:
        """Where the last whole line ends; in a mail, the last that goes on nowhere."""
        end = data.rfind(b"\n") + 1
        while self._is_mail and data[max(end - 9, 0) : end].rstrip().endswith(b"="):
            end = data.rfind(b"\n", 0, end - 1) + 1
        return end

    @cached_property
    def _is_mail(self) -> bool:
        """Whether the log is in quoted-printable."""
        return is_quoted_printable(next(self.chunks(HEAD_BYTES), b""))

    def part(self, first: int, last: int) -> Source:
        """Return the same log as if it held only the lines from `first` to `last`, with their numbers."""
        part = copy.copy(self)
        part._lines = (first, last)
        return part

    def elisions(self) -> list[int]:
        """Return the numbers of lines that say that others were left out."""
        if not self._left_out:
            for _ in self._blocks(BLOCK_BYTES, LONGEST_LINE):
                pass
        return self._left_out[0]

    def _within(self, block: Block) -> Block | None:
        """What of a block lies between the lines that are asked for."""
        first, last = self._lines
        if self._lines == (1, sys.maxsize):
            return block
        lines = block.data.split(b"\n")[: -1 if block.whole else None]
        skipped = max(first - block.first, 0)
        kept = lines[skipped : max(last - block.first + 1, 0)]
        whole = block.whole or len(kept) + skipped < len(lines)
        return Block(block.first + skipped, b"\n".join(kept) + b"\n" * whole, whole, block.margin) if kept else None

    def _read(self, stream: BinaryIO, size: int) -> bytes:
        """Read on; a broken compressed stream is an error of the log, not of rtlat."""
        try:
            return stream.read(size)
        except DAMAGE as error:
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
        data = self.stored.whole(BLOCK_BYTES)
        if data is not None and is_plain(data[:SNIFFED]):
            for start in range(0, len(data), size):
                self.stored.advance(min(start + size, len(data)))
                yield data[start : start + size]
            return
        with self._open() as stream:
            while chunk := self._read(stream, size):
                yield chunk

    def lines(self, longest: int = LONGEST_LINE) -> Iterator[Line]:
        """Yield the log's lines, cleaned, as long as none exceeds `longest` bytes."""
        for block in self.blocks(longest=longest):
            yield from block_lines(block)

    def head(self, telling: bool = False) -> list[Line]:
        """Return the lines of the first 64 KiB, for the formats to claim.

        Parameters
        ----------
        telling : bool
            Leave out those of only digits and blanks, which are most lines of a table and tell of no format.

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
        text = start[:4096].translate(None, _BINARY)
        if len(text) < 0.95 * len(start[:4096]):
            raise LogError(self.name, "binary data", "a text log", "run rtlat formats to see what can be read")
        end = self._end(start)  # JSON may stand in one line that is longer than all of this
        start = start[:end] or start
        block = Block(1, unquoted(start) if self._is_mail else start, end > 0, self.margin)
        return list(block_lines(block, telling))

    def text(self) -> str:
        """Return the whole log as one string, for formats that are not made of lines.

        Raises
        ------
        LogError
            If it is larger than `LARGEST_TEXT`.
        """
        data = b""
        for chunk in self.chunks():
            data += chunk
            if len(data) > LARGEST_TEXT:
                raise LogError(self.name, f"more than {LARGEST_TEXT >> 20} MiB of JSON", "one run's results")
        return data.decode("utf-8", "replace")


def block_lines(block: Block, telling: bool = False) -> Iterator[Line]:
    """Yield the cleaned lines of a block; of `telling` ones only those that hold more than digits and blanks."""
    texts = block.data.split(b"\n")
    if block.whole:
        texts.pop()
    said = block.data.translate(None, _PLAIN).split(b"\n") if telling else texts
    for number, text in enumerate(texts, block.first):
        if text == GONE or (telling and not said[number - block.first]):
            continue
        yield from clean(text, number, block.whole or number < block.first + len(texts) - 1, block.margin)


def newlines(data: bytes) -> int:
    """Return how many lines end in a block; numpy counts ten times as fast as `bytes.count`, once it is called."""
    if len(data) < 4096:
        return data.count(b"\n")
    import numpy as np

    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == 10))


def standard_input(keep: int = KEEP_SAMPLES) -> Source:
    """Return what is piped in, as a log named ``-``."""
    return Source(None, "-", keep=keep, pipe=sys.stdin.buffer)
