"""RTD lines of Xenomai's ``latency``, EVL's ``latmus`` and RTAI's ``latency`` a block at a time.

::

    RTD|      4.458|      7.504|     49.833|       0|     0|      4.458|     49.833
    RTD|%11.3f     |%11.3f     |%11.3f     |%8d     |%6d   |%11.3f     |%11.3f
    RTD|        -71|        -71|         68|     697876|     697876|      19711
    RTD|%11d       |%11d       |%11d       |%11d       |%11d       |%11d

Lines of exactly this form, or the first without msw, are read by numpy; all others are handed on cleaned.

Source: Xenomai testsuite/latency/latency.c, v2.1 to v3.3; libevl benchmarks/latmus.c; RTAI
testsuite/kern/latency/display.c.

Private to ``rtd_table``, and imports no other format.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rtlat.digits import Array, Text, decimal, every, faults, signed
from rtlat.source import Block, Line, block_lines, clean

FEWEST = 4
"""Lines in a row below which arrays cost more than they save."""

_BAR = ord("|")
_WITHOUT_MSW, _WITH_MSW, _RTAI = 72, 79, 75
_RTD = np.uint64(int.from_bytes(b"RTD|", "little"))


class Stretch(NamedTuple):
    """Lines of one table that follow each other; in the text the first is `place`.

    The int64 `rows` have the columns of `Window`, or if they are of RTAI those of `Latency`.
    """

    rows: Array
    of_rtai: bool
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
    kind = np.zeros(len(text.ends), np.int8)
    tables = [_windows(text, block.first), _of_rtai(text, block.first)]
    for number, (lines, _) in enumerate(tables, 1):
        kind[lines] = number
    before = [np.concatenate(([0], np.cumsum(kind == number))).tolist() for number in (1, 2)]
    edges = [0, *(np.flatnonzero(np.diff(kind)) + 1).tolist(), len(kind)]
    starts, ends, kinds = text.starts.tolist(), text.ends.tolist(), kind.tolist()
    for start, stop in pairwise(edges):
        number = kinds[start] - 1
        if number >= 0 and stop - start >= FEWEST:
            rows = tables[number][1][before[number][start] : before[number][stop]]
            yield Stretch(rows, number == 1, text, start)
        else:
            for row in range(start, stop):
                yield from clean(text.data[starts[row] : ends[row]], block.first + row, margin=block.margin)


def _windows(text: Text, first: int) -> tuple[Array, Array]:
    """Which lines are windows of Xenomai or EVL, and these as a table."""
    length = text.ends - text.starts
    lines = np.flatnonzero((length == _WITH_MSW) | (length == _WITHOUT_MSW))
    start = text.starts[lines]
    msw = length[lines] == _WITH_MSW
    rest = start + np.where(msw, 56, 49)  # of what follows overruns and msw
    bad = (text.words(start) & np.uint64(0xFFFFFFFF)) ^ _RTD
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
    return lines[good], np.column_stack(table)[good]


def _of_rtai(text: Text, first: int) -> tuple[Array, Array]:
    """Which lines are those of RTAI's ``latency``, and these as a table."""
    lines = np.flatnonzero(text.ends - text.starts == _RTAI)
    start = text.starts[lines]
    bad = (text.words(start) & np.uint64(0xFFFFFFFF)) ^ _RTD
    columns = [first + lines]
    for begin in range(4, _RTAI, 12):
        value, wrong = _nanoseconds(text, start + begin)
        columns.append(value)
        bad |= wrong
    return lines[bad == 0], np.column_stack(columns)[bad == 0]


_THREE, _ZERO, _BLANKS = np.uint64(0xFFFFFF << 40), every(ord("0")), every(ord(" "))


def _microseconds(text: Text, begin: Array) -> tuple[Array, Array]:
    """What cells such as `     -0.542` show [ns], and what is not 0 where they are none or no bar stands before."""
    whole, part = text.words(begin - 1), text.words(begin + 3)
    bad = (whole & np.uint64(0xFF)) ^ np.uint64(_BAR)
    whole, minus, wrong = signed(whole ^ np.uint64(_BAR ^ ord(" ")))
    bad |= faults(whole) | wrong
    bad |= ((part >> np.uint64(32)) & np.uint64(0xFF)) ^ np.uint64(ord("."))
    part = (part & _THREE) | (_ZERO & ~_THREE)
    bad |= faults(part)
    size = decimal(whole) * 1000 + decimal(part)
    return np.where(minus, -size, size), bad


def _nanoseconds(text: Text, begin: Array) -> tuple[Array, Array]:
    """What cells such as `       -298` show, and what is not 0 where they are none or no bar stands before."""
    before = text.words(begin - 5)
    bad = ((before >> np.uint64(32)) & np.uint64(0xFF)) ^ np.uint64(_BAR)
    upper = (before & _THREE) | (_BLANKS & ~_THREE)
    whole, minus, wrong = signed(text.words(begin + 3))
    bad |= faults(whole) | wrong
    first = (whole & np.uint64(0x10)) ^ np.uint64(0x10)  # digits go on with a digit
    bad |= np.where(upper == _BLANKS, np.uint64(0), faults(upper) | first)
    size = decimal(whole) + decimal(upper) * 10**8
    return np.where(minus, -size, size), bad


def goes_on(rows: Array) -> bool:
    """Whether rows of RTAI's ``latency`` contain each other's extremes, as those of one run do."""
    _, low, best, _, high, worst, overruns = rows.T
    ordered = (best <= low) & (low <= high) & (high <= worst) & (overruns >= 0)
    back = (np.diff(best) > 0) | (np.diff(worst) < 0) | (np.diff(overruns) < 0)
    return bool(ordered.all() and not back.any())
