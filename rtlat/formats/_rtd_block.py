"""RTD lines of ``latency`` and ``latmus`` a block at a time.

::

    RTD|      4.458|      7.504|     49.833|       0|     0|      4.458|     49.833
    RTD|%11.3f     |%11.3f     |%11.3f     |%8d     |%6d   |%11.3f     |%11.3f

Lines of exactly this form, or without msw, are read by numpy; all others are handed on cleaned.

Source: Xenomai testsuite/latency/latency.c, v2.1 to v3.3; libevl benchmarks/latmus.c.

Private to ``rtd_table``, and imports no other format.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rtlat.digits import Array, Text, decimal, every, faults
from rtlat.source import Block, Line, block_lines, clean

FEWEST = 4
"""Lines in a row below which arrays cost more than they save."""

_BAR = ord("|")
_WITHOUT_MSW, _WITH_MSW = 72, 79


class Stretch(NamedTuple):
    """Windows that follow each other: int64 `rows` with the columns of `Window`; in the text the first is `place`."""

    rows: Array
    text: Text
    place: int

    def lines(self) -> Iterator[Line]:
        """Yield them as lines."""
        for place, number in enumerate(self.rows[:, 0].tolist(), self.place):
            yield from clean(self.text.data[self.text.starts[place] : self.text.ends[place]], number)


def stretches(block: Block) -> Iterator[Stretch | Line]:
    """Yield what a block holds, in order: windows that follow each other together, other lines one by one.

    Examples
    --------
    >>> row = b"RTD|      4.458|      7.504|     49.833|       0|     0|     -0.542|     49.833\\n"
    >>> head, windows = stretches(Block(7, b"== All results in microseconds\\n" + 4 * row))
    >>> head.number, windows.rows[3].tolist()
    (7, [11, 4458, 7504, 49833, 0, 0, -542, 49833])
    """
    if not block.whole or block.data.count(b"\nRTD|") < FEWEST - 1:
        yield from block_lines(block)
        return
    text = Text(block.data)
    good, windows = _windows(text, block.first)
    before = np.concatenate(([0], np.cumsum(good))).tolist()
    edges = np.flatnonzero(np.diff(good, prepend=not good[0], append=not good[-1])).tolist()
    starts, ends = text.starts.tolist(), text.ends.tolist()
    for start, stop in pairwise(edges):
        if good[start] and stop - start >= FEWEST:
            yield Stretch(windows[before[start] : before[stop]], text, start)
        else:
            for row in range(start, stop):
                yield from clean(text.data[starts[row] : ends[row]], block.first + row, margin=block.margin)


def _windows(text: Text, first: int) -> tuple[Array, Array]:
    """Which lines are windows, and these as a table."""
    length = text.ends - text.starts
    lines = np.flatnonzero((length == _WITH_MSW) | (length == _WITHOUT_MSW))
    start = text.starts[lines]
    msw = length[lines] == _WITH_MSW
    rest = start + np.where(msw, 56, 49)  # of what follows overruns and msw
    bad = (text.words(start) & np.uint64(0xFFFFFFFF)) ^ np.uint64(int.from_bytes(b"RTD|", "little"))
    columns = []
    for begin in (start + 4, start + 16, start + 28, rest, rest + 12):
        value, wrong = _microseconds(text, begin)
        columns.append(value)
        bad |= wrong
    low, avg, high, best, worst = columns
    overruns, wrong = text.padded(start + 48)
    good = (bad == 0) & ~wrong & (text.bytes[start + 39] == _BAR) & (low <= avg) & (avg <= high)
    switches = text.words(start + 47) & ~np.uint64(0xFFFF) | np.uint64(0x2020)  # six characters after `0|`
    good &= ~msw | ((faults(switches) == 0) & (text.bytes[start + 48] == _BAR))
    table = (first + lines, low, avg, high, overruns, np.where(msw, decimal(switches), -1), best, worst)
    found = np.zeros(len(length), np.bool_)
    found[lines[good]] = True
    return found, np.column_stack(table)[good]


_MINUS, _SEVEN_BITS, _DIGIT = every(ord("-")), every(0x7F), every(0x10)
_THREE, _ZERO = np.uint64(0xFFFFFF << 40), every(ord("0"))


def _microseconds(text: Text, begin: Array) -> tuple[Array, Array]:
    """What cells such as `     -0.542` show [ns], and what is not 0 where they are none or no bar stands before."""
    whole, part = text.words(begin - 1), text.words(begin + 3)
    bad = (whole & np.uint64(0xFF)) ^ np.uint64(_BAR)
    whole ^= np.uint64(_BAR ^ ord(" "))
    other = whole ^ _MINUS
    minus = (~(((other & _SEVEN_BITS) + _SEVEN_BITS) | other | _SEVEN_BITS)) >> np.uint64(7)  # 1 in its byte
    whole ^= minus * np.uint64(ord("-") ^ ord(" "))
    bad |= faults(whole) | ((minus << np.uint64(12)) & ~whole & _DIGIT)  # the character after it is a digit
    bad |= ((part >> np.uint64(32)) & np.uint64(0xFF)) ^ np.uint64(ord("."))
    part = (part & _THREE) | (_ZERO & ~_THREE)
    bad |= faults(part)
    size = decimal(whole) * 1000 + decimal(part)
    return np.where(minus != 0, -size, size), bad
