"""Rows of a cyclictest histogram, a block at a time.

::

    000012 000171<TAB>000025          bucket, then a count for each thread: %06d, and wider where it has to be

Nearly all rows of a table have their digits in the same columns; a stretch of such rows is read digit by digit, all
cells at once. Where counts are wider, cells are found by where their digits begin and end. Any row that is not made
of digits and blanks, as wide as cyclictest prints them, is handed on in a block, for the caller to read exactly.

Private to ``cyclictest_text``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rtlat import schema
from rtlat.source import Block, Line, newlines

Array = npt.NDArray[Any]

ROW_LIKE = re.compile(r"[ \t]{0,20}\d{5,7}[ \t,]{1,20}\d", re.ASCII)
"""What a line that should be a row begins with."""

_HEADING = b"# Histogram\n"
_FIRST = re.compile(rb"\d{5,7} \d{6}")
_ROW = re.compile(rb"\d{5,7}(?:[ \t]+\d{6,18})+[ \t]*\n")
_DIGITS = re.compile(rb"\d+")
_AS_ZERO = bytes.maketrans(b"123456789", b"000000000")
_AS_NINE = bytes(9 if chr(byte).isdigit() and byte < 128 else 0 for byte in range(256))
_BUCKET, _COUNT = (5, 7), (6, 18)
"""How many digits they have, at least and at most."""


class Rows(NamedTuple):
    """Rows of one width that follow each other: int64 arrays, `counts` with a column for each thread.

    `tabbed` says whether the first ends in a tab, `narrow` whether its bucket has five digits.
    """

    line: Array
    bucket: Array
    counts: Array
    tabbed: bool = False
    narrow: bool = False

    def where(self, which: Array | slice) -> Rows:
        """Return some of the rows."""
        return self._replace(line=self.line[which], bucket=self.bucket[which], counts=self.counts[which])


def read_row(line: Line) -> Rows | None:
    """Return a row, whatever its width; None if a cell is no count, or narrower than cyclictest prints it.

    Commas are taken for blanks: published tables were turned into CSV.

    Examples
    --------
    >>> row = read_row(Line(4, "000012 000171\\t000025"))
    >>> row.line.tolist(), row.bucket.tolist(), row.counts.tolist()
    ([4], [12], [[171, 25]])
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
    counts = np.array([numbers[1:]], np.int64)
    tabbed, narrow = line.text.endswith("\t"), len(cells[0]) == _BUCKET[0]
    return Rows(np.array([line.number]), np.array(numbers[:1]), counts, tabbed, narrow)


def tables(block: Block) -> Iterator[Rows | Block]:
    """Yield what a block holds, in order: rows of histograms together, all that stands between them as blocks.

    Examples
    --------
    >>> head, rows, foot = tables(Block(1, b"# Histogram\\n000000 000007\\t000000\\n000001 1234567\\t000025\\n# Total"))
    >>> head.data, rows.line.tolist(), rows.bucket.tolist(), rows.counts.tolist(), foot.first, foot.data
    (b'# Histogram\\n', [2, 3], [0, 1], [[7, 0], [1234567, 25]], 4, b'# Total')
    """
    data, at, line = block.data, 0, block.first
    likely = b"#" in data or _FIRST.match(data)  # one byte is found in a tenth of the time that a word takes
    while likely and not block.margin:
        begin = 0 if at == 0 and _FIRST.match(data) else data.find(_HEADING, at) + len(_HEADING)
        if begin < len(_HEADING) and begin > 0:
            break
        end = data.find(b"#", begin)
        end = data.rfind(b"\n", begin, len(data) if end < 0 else end) + 1
        if begin > at:
            yield Block(line, data[at:begin])
            line += newlines(data[at:begin])
        at = begin
        if end > begin:
            pieces = _even(data[begin:end], line) or _uneven(data[begin:end], line)
            yield from pieces
            last = pieces[-1]
            line = int(last.line[-1]) + 1 if isinstance(last, Rows) else last.first + newlines(last.data)
            at = end
        elif end == 0 or begin == 0:
            break
    if at < len(data):
        yield Block(line, data[at:], block.whole, block.margin)


def _even(data: bytes, first: int) -> Sequence[Rows]:
    """A table whose rows have their digits in the same columns; nothing if a single one differs."""
    length = data.find(b"\n") + 1
    row = data[:length]
    cells = [cell.span() for cell in _DIGITS.finditer(row)]
    apart = {after[0] - before[0] for before, after in pairwise(cells[1:])} or {1}
    widths = {end - begin for begin, end in cells[1:]}
    lines = len(data) // length
    if lines * length != len(data) or len(apart) > 1 or len(widths) != 1 or not _ROW.match(row):
        return []
    # a digit differs from "0" by its value, and a blank by nothing from the one above it
    digits = np.frombuffer(data, np.uint8).reshape(lines, length) ^ np.frombuffer(row.translate(_AS_ZERO), np.uint8)
    if (digits > np.frombuffer(row.translate(_AS_NINE), np.uint8)).any():
        return []

    def number(begin: int, end: int, columns: int) -> Array:
        shape, strides = (lines, columns), (length, min(apart))
        found = np.zeros(shape, np.int32 if end - begin <= 9 else np.int64)
        for place in range(begin, end):
            found *= 10
            found += np.ndarray(shape, np.uint8, digits, place, strides)
        return found.astype(np.int64)

    counts = number(*cells[1], len(cells) - 1)
    bucket = number(*cells[0], 1)[:, 0]
    return [Rows(np.arange(first, first + lines), bucket, counts, row[-2:-1] == b"\t", cells[0][1] == 5)]


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
            pieces.append(Rows(lines, numbers[:, 0], numbers[:, 1:], tabbed, bool(narrow)))
        else:
            pieces.append(Block(first + start, piece))
    return pieces
