"""Rows of a cyclictest histogram, a block at a time.

::

    000012 000171<TAB>000025          bucket, then a count for each thread: %06d, and wider where it has to be

Nearly all rows of a table have their digits in the same columns; a stretch of such rows is read digit by digit, all
cells at once. Where counts are wider, cells are found by where their digits begin and end. Any row that is not made
of digits and blanks, as wide as cyclictest prints them, is handed on in a block, for the caller to read exactly.

Private to ``cyclictest_text``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rtlat import schema
from rtlat.digits import LAST_BYTES, decimal
from rtlat.source import Block, Line, newlines

Array = npt.NDArray[Any]

ROW_LIKE = re.compile(r"[ \t]{0,20}\d{5,7}[ \t,]{1,20}\d", re.ASCII)
"""What a line that should be a row begins with."""

HEADING = b"# Histogram\n"
_FIRST = re.compile(rb"\d{5,7} \d{6}")
_EVEN = re.compile(rb"(?P<bucket>\d{5,7})[ \t](?P<cell>(?P<count>\d{6,8})[ \t]*)")
AS_ZERO = bytes.maketrans(b"123456789", b"000000000")
_AS_NINE = bytes(9 if chr(byte).isdigit() and byte < 128 else 0 for byte in range(256))
_LONG = 50
"""Rows that are worth to be read by their columns."""

_BUCKET, _COUNT = (5, 7), (6, 18)
"""How many digits they have, at least and at most."""


class Rows(NamedTuple):
    """Rows of one width that follow each other: where they stand, and their counts that are not 0.

    Attributes
    ----------
    line, bucket : int64 arrays
        Of each row.
    width : int
        Counts in a row.
    thread, row, n : int64 arrays
        Of each count that is not 0: its column, its place among the rows, and itself; column by column.
    tabbed, narrow : bool
        Whether the first row ends in a tab, and whether its bucket has five digits.
    """

    line: Array
    bucket: Array
    width: int
    thread: Array
    row: Array
    n: Array
    tabbed: bool = False
    narrow: bool = False

    def part(self, start: int, stop: int) -> Rows:
        """Return some of the rows."""
        inside = (self.row >= start) & (self.row < stop)
        where = slice(start, stop)
        return self._replace(
            line=self.line[where],
            bucket=self.bucket[where],
            thread=self.thread[inside],
            row=self.row[inside] - start,
            n=self.n[inside],
        )


def _counts(by_thread: Array) -> tuple[Array, Array, Array]:
    """Thread, row and count of what is not 0 in an array with a row for each thread."""
    place = np.flatnonzero(by_thread != 0)  # to compare and then look is a third of the time that it takes to look
    thread = place // by_thread.shape[1]
    return thread, place - thread * by_thread.shape[1], by_thread.ravel()[place]


def read_row(line: Line) -> Rows | None:
    """Return a row, whatever its width; None if a cell is no count, or narrower than cyclictest prints it.

    Commas are taken for blanks: published tables were turned into CSV.

    Examples
    --------
    >>> row = read_row(Line(4, "000012 000171\\t000025"))
    >>> row.line.tolist(), row.bucket.tolist(), row.width, row.thread.tolist(), row.n.tolist()
    ([4], [12], 2, [0, 1], [171, 25])
    >>> read_row(Line(5, "000013 0001"))
    """
    cells = line.text.replace(",", " ").split()
    joined = "".join(cells)
    if len(cells) < 2 or not (joined.isascii() and joined.isdigit()) or len(cells[0]) < _BUCKET[0]:
        return None
    longest = max(map(len, cells))
    if longest > 19 or min(map(len, cells[1:])) < _COUNT[0]:
        return None
    numbers = [int(cell) for cell in cells]
    if longest == 19 and max(numbers) > schema.LARGEST_COUNT:
        return None
    counts = _counts(np.array(numbers[1:], np.int64)[:, None])
    tabbed, narrow = line.text.endswith("\t"), len(cells[0]) == _BUCKET[0]
    return Rows(np.array([line.number]), np.array(numbers[:1]), len(numbers) - 1, *counts, tabbed, narrow)


def tables(block: Block) -> Iterator[Rows | Block]:
    """Yield what a block holds, in order: rows of histograms together, all that stands between them as blocks.

    Examples
    --------
    >>> head, rows, foot = tables(Block(1, b"# Histogram\\n000000 000007\\t000000\\n000001 1234567\\t000025\\n# Total"))
    >>> head.data, rows.line.tolist(), rows.bucket.tolist(), foot.first, foot.data
    (b'# Histogram\\n', [2, 3], [0, 1], 4, b'# Total')
    >>> rows.thread.tolist(), rows.row.tolist(), rows.n.tolist()
    ([0, 0, 1], [0, 1, 1], [7, 1234567, 25])
    """
    data, at, line = block.data, 0, block.first
    likely = b"#" in data or _FIRST.match(data)  # one byte is found in a tenth of the time that a word takes
    while likely and not block.margin:
        begin = 0 if at == 0 and _FIRST.match(data) else data.find(HEADING, at) + len(HEADING)
        if begin < len(HEADING) and begin > 0:
            break
        end = data.find(b"#", begin)
        end = data.rfind(b"\n", begin, len(data) if end < 0 else end) + 1
        if begin > at:
            yield Block(line, data[at:begin])
            line += newlines(data[at:begin])
        at = begin
        if end > begin:
            rows = even(data[begin:end], line)
            pieces = [rows] if rows else list(_mixed(data[begin:end], line))
            yield from pieces
            last = pieces[-1]
            line = int(last.line[-1]) + 1 if isinstance(last, Rows) else last.first + newlines(last.data)
            at = end
        elif end == 0 or begin == 0:
            break
    if at < len(data):
        yield Block(line, data[at:], block.whole, block.margin)


def even(data: bytes, first: int, tables: int = 1) -> Rows | None:
    """Return tables whose rows all have their digits in the same columns; None if a single one differs.

    Parameters
    ----------
    data : bytes
        The lines of all tables, each of as many.
    first : int
        Line number of the first row of a table.
    tables : int
        How many there are; `thread` of the rows goes on counting from each to the next, `row` does not.
    """
    length = data.find(b"\n") + 1
    row, lines = data[:length], len(data) // max(length, 1) // tables
    shape = _EVEN.match(row)
    if not shape or tables * lines * length != len(data):
        return None
    begin, width, pitch = shape.start("count"), len(shape["count"]), len(shape["cell"])
    threads = -(-(length - 1 - begin) // pitch)
    zeros = row.translate(AS_ZERO)
    cells = shape["cell"].translate(AS_ZERO) * threads
    if zeros[begin:-1] not in (cells, cells[: (threads - 1) * pitch + width]):
        return None
    # a digit differs from "0" by its value, and a blank by nothing from the one above it; some rows are taken for one
    several = math.gcd(tables * lines, 8)
    text = np.frombuffer(data, np.uint8).reshape(-1, several * length)
    digits = text ^ np.frombuffer(zeros * several, np.uint8)
    if (digits > np.frombuffer(row.translate(_AS_NINE) * several, np.uint8)).any():
        return None
    # eight characters that end where a count does, without those that are of the one before it
    steps = (lines * length, pitch, length)
    words = np.ndarray((tables, threads, lines), np.uint64, digits, begin + width - 8, steps)
    words = np.bitwise_and(words, LAST_BYTES[width], out=np.empty(words.shape, np.uint64))
    thread, place, word = _counts(words.reshape(-1, lines))
    buckets = np.ndarray((tables * lines,), np.uint64, digits, 0, (length,)) << np.uint64(64 - 8 * len(shape["bucket"]))
    number = decimal(np.concatenate((buckets, word)))
    line = np.arange(first, first + lines)
    tabbed, narrow = row[-2:-1] == b"\t", len(shape["bucket"]) == _BUCKET[0]
    return Rows(line, number[: len(buckets)], threads, thread, place, number[len(buckets) :], tabbed, narrow)


def _mixed(data: bytes, first: int) -> Iterator[Rows | Block]:
    """Any table, with what its first row tells; a bucket that lost a digit later on tells nothing of a version."""
    top: Rows | None = None
    for piece in _stretches(data, first):
        if isinstance(piece, Rows):
            top = top or piece
            yield piece._replace(tabbed=top.tabbed, narrow=top.narrow)
        else:
            yield piece


def _stretches(data: bytes, first: int) -> Iterator[Rows | Block]:
    """Any table: rows of one length that follow each other at once, as they stand in the tail of a long run."""
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == 10) + 1
    changes = np.flatnonzero(np.diff(np.diff(ends, prepend=0))) + 1
    edges = [0, *changes.tolist(), len(ends)]
    long = [(start, stop) for start, stop in pairwise(edges) if stop - start >= _LONG]
    place = 0
    for start, stop in [*long, (len(ends), len(ends))]:
        begin, end = (int(ends[row - 1]) if row else 0 for row in (start, stop))
        if (rows := even(data[begin:end], first + start)) or start == len(ends):
            before = data[int(ends[place - 1]) if place else 0 : begin]
            yield from _uneven(before, first + place) if before else ()
            yield from (rows,) if rows else ()
            place = stop


def _uneven(data: bytes, first: int) -> Sequence[Rows | Block]:
    """Any table: the rows among the other lines, found by where digits begin and end."""
    text = np.frombuffer(data, np.uint8)
    digit = text - np.uint8(ord("0")) < 10
    ends = np.flatnonzero(text == 10)
    edges = np.flatnonzero(np.diff(digit, prepend=False, append=False))
    begins, widths = edges[::2], edges[1::2] - edges[::2]
    cell = np.searchsorted(begins, np.concatenate(([0], ends)))  # the first cell of each line
    starts = np.concatenate(([0], ends[:-1] + 1))
    cells = np.diff(cell)
    good = cells == cells[0]
    odd = np.flatnonzero(~digit & (text != 32) & (text != 9) & (text != 10))
    good[np.searchsorted(ends, odd)] = False
    rows = np.flatnonzero(good & (cells > 1))
    good[:] = False
    if len(rows):
        table = widths[cell[rows][:, None] + np.arange(cells[0])]
        fits = (begins[cell[rows]] == starts[rows]) & (table[:, 0] >= _BUCKET[0]) & (table[:, 0] <= _BUCKET[1])
        good[rows] = fits & (table[:, 1:] >= _COUNT[0]).all(axis=1) & (table[:, 1:] <= _COUNT[1]).all(axis=1)
    pieces: list[Rows | Block] = []
    for start, stop in pairwise(np.flatnonzero(np.diff(good, prepend=not good[0], append=not good[-1])).tolist()):
        piece = data[starts[start] : ends[stop - 1] + 1]
        if good[start]:
            numbers = np.fromstring(piece, np.int64, sep=" ").reshape(stop - start, -1)
            lines = np.arange(first + start, first + stop)
            tabbed, narrow = piece[piece.find(b"\n") - 1] == 9, widths[cell[start]] == 5
            counts = _counts(np.ascontiguousarray(numbers[:, 1:].T))
            pieces.append(Rows(lines, numbers[:, 0], numbers.shape[1] - 1, *counts, tabbed, bool(narrow)))
        else:
            pieces.append(Block(first + start, piece))
    return pieces
