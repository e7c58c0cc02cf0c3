"""Tables of RTD lines a block at a time: a line of each shape is read as a line, the others by numpy.

::

    RTT|  00:00:01  (periodic user-mode task, 1000 us period, priority 99)
    RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst
    RTD|      4.458|      7.504|     49.833|       0|     0|      4.458|     49.833

The heads return after 21 lines, so they are read in the same way.

Private to ``rtd_table``, and imports no other format.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from rtlat.digits import Array
from rtlat.formats._rtd_columns import LATENCY_TABLES, RTAI_TABLES, columns
from rtlat.formats._rtd_lines import MODES, WINDOW_IN_US, Window, clock_setting, tidy
from rtlat.formats._rtd_suite_rows import ROWS, is_aligned, numbers
from rtlat.shapes import Shapes, Stretch
from rtlat.source import Line

FEWEST = 4
"""Lines in a row below which arrays cost more than they save."""

_CELL, _NUMBER = re.compile(r"[^|\s]+"), re.compile(r"\d+")
_CELLS = len(Window._fields) - 1


class Shape(NamedTuple):
    """What lines are that differ only in their digits: RTD, RTH or RTT, of which table, or about which mode."""

    tag: str
    table: str = ""
    mode: str = ""


class Table(NamedTuple):
    """Lines that follow each other and belong to one table.

    Attributes
    ----------
    name : str
        As in `_rtd_columns`; empty if these lines are of several tables, or of none.
    rows : int64 array
        A row for each RTD line: its number, and its cells; -1 for the switches of a window without.
    heads : int64 array
        The numbers of RTH and RTT lines.
    columns : int64 array
        How many rows stand before each RTH line.
    clocks : int64 array of (4, RTT lines)
        Of each RTT line its number, the seconds it shows, how many rows stand before it, and whether all it says
        besides is what the first of them says.
    """

    name: str
    rows: Array
    heads: Array
    columns: Array
    clocks: Array


def reader() -> Shapes[Shape]:
    """Return what takes blocks apart into lines of tables, and others.

    Examples
    --------
    >>> from rtlat.source import Block
    >>> row = b"RTD|      4.458|      7.504|     49.833|       0|     0|     -0.542|     49.833\\n"
    >>> title, found = reader().stretches(Block(7, b"== All results in microseconds\\n" + 4 * row))
    >>> title.number, table(found).name, table(found).rows[3].tolist()
    (7, '7 columns', [11, 4458, 7504, 49833, 0, 0, -542, 49833])
    """
    return Shapes(_read, _sound, FEWEST, b"\nRTD|")


def table(found: Stretch[Shape]) -> Table:
    """Return lines as those of one table."""
    names = {found.kinds[place].table for place in np.flatnonzero(np.bincount(found.which)).tolist()} - {""}
    name = names.pop() if len(names) == 1 else ""
    tag = np.array([shape.tag for shape in found.kinds])[found.which]
    line, rows, clocks = found.line, tag == "RTD", np.flatnonzero(tag == "RTT")
    before = np.cumsum(rows)
    hours, minutes, seconds, *setting = found.numbers[:, clocks]
    same = np.all([column == column[:1] for column in (found.which[clocks], *setting)], axis=0)
    cells = found.numbers[: len(ROWS.get(name, Window)._fields) - 1]
    return Table(
        name,
        np.vstack((line, cells))[:, rows].T,
        line[~rows],
        before[tag == "RTH"],
        np.vstack((line[clocks], hours * 3600 + minutes * 60 + seconds, before[clocks], same)),
    )


def _read(text: str) -> tuple[Shape, list[tuple[int, int]]] | None:
    """What a line is, and where its numbers stand."""
    if not text.startswith("RT"):
        return None
    tidied, shape = tidy(Line(0, text)).text, None
    spans: list[tuple[int, int]] = []
    if window := WINDOW_IN_US.fullmatch(tidied):
        spans = [cell.span() for cell in _CELL.finditer(text)][1:]
        shape = Shape("RTD", "7 columns" if window[5] else "6 columns")
        if not window[5]:
            spans.insert(4, (0, 0))
    elif tidied.startswith("RTD|"):
        spans = [cell.span() for cell in _CELL.finditer(text)][1:]
        name = next((name for name in ROWS if numbers(tidied, name) and is_aligned(text, name)), "")
        shape = Shape("RTD", name) if name else None
    elif tidied.startswith("RTH|"):
        name = (LATENCY_TABLES | RTAI_TABLES).get(columns(tidied), "")
        shape = Shape("RTH", name) if name else None
    elif (setting := clock_setting(tidied)) and setting.mode in MODES:
        spans = [number.span() for number in _NUMBER.finditer(text)]
        shape = Shape("RTT", mode=setting.mode)
    return (shape, spans + [(0, 0)] * (_CELLS - len(spans))) if shape else None


def _sound(found: Stretch[Shape]) -> Array:
    """Which lines hold numbers that may stand together."""
    name = np.array([shape.table if shape.tag == "RTD" else "" for shape in found.kinds])[found.which]
    low, avg, high, *_ = found.numbers
    sound: Array = ~np.isin(name, list(LATENCY_TABLES.values())) | ((low <= avg) & (avg <= high))
    for kind in ROWS:
        here = np.flatnonzero(name == kind)
        sound[here] &= ROWS[kind]._make((here, *found.numbers[: len(ROWS[kind]._fields) - 1, here])).is_ordered()
    return sound
