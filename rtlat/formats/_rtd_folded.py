"""Histograms of absolute values whose last bin holds all that lies beyond, as Xenomai's ``latency`` keeps them.

``latency`` counts a value v [ns] in bin ``abs(v) / bucket``, or in its last bin if there is none that high
(testsuite/latency/latency.c, ``add_histogram``). The log prints bin numbers; the bucket's size (``-B``) stands
only in the file that ``-g`` writes, where each count is one too large and a row frames the table at either end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rtlat.columns import Array

DEFAULT_WIDTH = 1000
"""Width of a bin unless ``-B`` said otherwise. [ns]"""

DEFAULT_SIZES = (100, 300)
"""Bins unless ``-H`` said otherwise: up to Xenomai 2.6.0, and since."""

_WIDTHS = sorted({half * 10**power // 2 for half in range(2, 20) for power in range(8) if half * 10**power % 2 == 0})


class Bin(NamedTuple):
    """A bin as it was printed: how many, and in which line."""

    n: int
    line: int


class Row(NamedTuple):
    """A row of a ``-g`` file: a bin's middle (``latmus``: its number) as it is printed [us], its count, the line."""

    middle: str
    printed: int
    line: int


class Decoded(NamedTuple):
    """What the rows of a ``-g`` file say.

    Attributes
    ----------
    width : int
        Of a bin [ns]; 0 if no width explains the rows.
    bins : dict of int to Bin
        The bins that are not empty, by their number.
    strays : list of Row
        Rows that stand at no place a bin has, or whose counter has wrapped.
    whole : bool
        Whether every row is there, up to the one that closes the table.
    clamped : bool or None
        Whether the last bin holds all that lies beyond; None if the rows do not say.
    doubt : str
        Why the counts may be wrong; empty if they are not.
    """

    width: int
    bins: dict[int, Bin]
    strays: list[Row]
    whole: bool
    clamped: bool | None = None
    doubt: str = ""


def total(bins: Mapping[int, Bin]) -> int:
    """Return how many values a histogram counts.

    Examples
    --------
    >>> total({14: Bin(1, 13), 15: Bin(4, 14)})
    5
    """
    return sum(counted.n for counted in bins.values())


def possible_widths(places: Iterable[tuple[int, int, int]], top: int) -> list[int]:
    """Return the round bin widths [ns] with which each value falls where it must.

    Parameters
    ----------
    places : iterable of (first bin, last bin, absolute value)
        Values [ns] that are known to lie in one of the bins from the first to the last.
    top : int
        The highest bin of the histogram, which may hold all that lies beyond.

    Returns
    -------
    list of int
        Of the widths 1, 1.5, 2, 2.5 ... 9.5 times a power of ten, those that fit, within 1 ns of rounding.

    Examples
    --------
    >>> possible_widths([(2, 2, 13_586), (3, 3, 15_146), (9, 9, 20_417_905)], top=9)
    [5000]
    """
    first, last, value = np.array(sorted(set(places)), np.int64).reshape(-1, 3).T

    def fits(width: int) -> bool:
        return bool(np.all((first * width <= value + 1) & ((value <= (last + 1) * width) | (last == top))))

    return [width for width in _WIDTHS if fits(width)]


def edges(
    bins: Mapping[int, Bin], width: int, *, clamped: int | None = None, lowest: float = 0
) -> tuple[Array, Array, Array, Array]:
    """Return the bins as statements: low, high [ns], n and line.

    Parameters
    ----------
    bins : mapping of int to Bin
        The bins that are not empty, by their number.
    width : int
        Of a bin. [ns]
    clamped : int, optional
        Number of the bin that holds all that lies beyond.
    lowest : float
        The smallest value of the run. If it is negative, every bin up to its absolute value may hold values of
        either sign; together they become one bin from `lowest` up, which is all that can be said. [ns]

    Examples
    --------
    >>> low, high, n, _ = edges({0: Bin(5, 1), 1: Bin(2, 2), 9: Bin(1, 3)}, 1000, clamped=9, lowest=-542)
    >>> low.tolist(), high.tolist(), n.tolist()
    ([-542.0, 1000.0, 9000.0], [1000.0, 2000.0, inf], [5, 2, 1])
    """
    numbers = np.array(sorted(bins), np.int64)
    low = numbers * float(width)
    high = np.where(numbers == clamped, np.inf, low + width)
    n = np.array([bins[number].n for number in numbers], np.int64)
    line = np.array([bins[number].line for number in numbers], np.int64)
    mixed = int(np.sum(low <= -lowest)) if lowest < 0 else 0
    if mixed:
        last = slice(mixed - 1, None)
        low, high, n, line = low[last].copy(), high[last], n[last].copy(), line[last].copy()
        low[0], n[0], line[0] = lowest, sum(bins[number].n for number in numbers[:mixed]), bins[int(numbers[0])].line
    return low, high, n, line


def decode(rows: Sequence[Row]) -> Decoded:
    """Return the histogram behind the rows of a ``-g`` file, with the one taken off each count again.

    Examples
    --------
    >>> decode([Row("10", 1, 4), Row("12.5", 6, 5), Row("17.5", 1, 6), Row("22.5", 9, 7), Row("25", 1, 8)])
    Decoded(width=5000, bins={2: Bin(n=5, line=5), 4: Bin(n=8, line=7)}, strays=[], whole=True, clamped=None, doubt='')
    """
    nothing = Decoded(0, {}, list(rows), False)
    places = [float(row.middle) for row in rows]
    if len(rows) < 2:
        return nothing
    # From the frame's lower end to the first middle it is half a width, to its upper end as many as there are bins.
    steps = [2 * (places[1] - places[0]), (places[-1] - places[0]) / max(1, len(rows) - 2), *np.diff(places[1:4])]
    widths = dict.fromkeys(round(1000 * step) for step in steps if step > 0)
    best = min((_with_width(rows, width) for width in widths if width), key=lambda d: len(d.strays), default=nothing)
    return best if 5 * len(best.strays) < len(rows) else nothing


def _with_width(rows: Sequence[Row], width: int) -> Decoded:
    """The rows read with one bin width: each states its own place, so that a damaged one costs no other."""
    bins: dict[int, Bin] = {}
    strays, seen = [], -1
    for row in rows:
        number = int(1000 * float(row.middle) / width)
        if row.middle == _place(number + 0.5, width) and number > seen and row.printed > 0:
            seen = number
            if row.printed > 1:
                bins[number] = Bin(row.printed - 1, row.line)
        else:
            strays.append(row)
    first = round(1000 * float(rows[0].middle) / width)
    places = [first, *(first + n + 0.5 for n in range(len(rows) - 2)), first + len(rows) - 2]
    whole = [row.middle for row in rows] == [_place(place, width) for place in places]
    framed = [row for row in (rows[0], rows[-1]) if row in strays and row.printed == 1 and _is_edge(row, width)]
    strays = [row for row in strays if row not in framed]
    return Decoded(width, bins, strays, whole and len(framed) == 2 and not strays)


def _place(number: float, width: int) -> str:
    """A place on the axis as ``latency`` prints it: in us, with six digits at most."""
    return f"{number * width / 1000.0:g}"


def _is_edge(row: Row, width: int) -> bool:
    """Whether a row stands where two bins meet."""
    return row.middle == _place(round(1000 * float(row.middle) / width), width)
