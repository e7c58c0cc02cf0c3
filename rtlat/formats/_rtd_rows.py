"""The RTD lines of one run as columns: a run of a week has 600,000 of them.

Private to ``rtd_table``, and imports no other format.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar, cast

import numpy as np

from rtlat.digits import Array

Row = TypeVar("Row", bound=tuple[int, ...])


class RtdRows(Generic[Row]):
    """Lines of one table in their order, appended one by one or many at once; each column by its name.

    Parameters
    ----------
    kind : type
        What one of them is, a named tuple.

    Examples
    --------
    >>> from rtlat.formats._rtd_lines import Window
    >>> windows = RtdRows(Window)
    >>> windows.append(Window(8, 4458, 7504, 49833, 2, 0, 4458, 49833))
    >>> windows.extend(np.array([[9, 4416, 5915, 33958, 2, 0, 4416, 49833]]))
    >>> len(windows), windows.low.tolist(), windows[-1].worst
    (2, [4458, 4416], 49833)
    """

    def __init__(self, kind: type[Row]) -> None:
        self._kind = cast(Any, kind)
        self._parts = [np.empty((0, len(self._kind._fields)), np.int64)]
        self._single: list[Row] = []
        self._length = 0

    def append(self, row: Row) -> None:
        """Add one."""
        self._single.append(row)
        self._length += 1

    def extend(self, rows: Array) -> None:
        """Add many: a row for each, with the columns of `kind`."""
        self._settle()
        self._parts.append(rows)
        self._length += len(rows)

    def pop(self) -> Row:
        """Take the last one away."""
        last = self[-1]
        self._parts = [self.table[:-1]]
        self._length -= 1
        return last

    def _settle(self) -> None:
        """Turn those that were added one by one into rows."""
        if self._single:
            self._parts.append(np.array(self._single, np.int64))
            self._single = []

    @property
    def table(self) -> Array:
        """All of them, a row for each."""
        self._settle()
        if len(self._parts) > 1:
            self._parts = [_stacked(self._parts)]
        return self._parts[0]

    def clear(self) -> None:
        """Let go of all of them."""
        self._parts, self._single, self._length = [self._parts[0][:0].copy()], [], 0

    def __len__(self) -> int:
        """Return how many there are."""
        return self._length

    def __getitem__(self, place: int) -> Row:
        """Return one of them; the last one while others are still to come, too."""
        if place == -1 and self._single:
            return self._single[-1]
        row: Row = self._kind._make((self._parts[-1] if place == -1 else self.table)[place].tolist())
        return row

    def __getattr__(self, name: str) -> Array:
        """Return a column."""
        if name.startswith("_") or name not in self._kind._fields:
            raise AttributeError(name)
        column: Array = self.table[:, self._kind._fields.index(name)]
        return column


def _stacked(parts: list[Array]) -> Array:
    """The rows of all parts, each of which is let go of at once: a week is not held twice."""
    table = np.empty((sum(map(len, parts)), parts[0].shape[1]), np.int64)
    end = len(table)
    while parts:
        part = parts.pop()
        table[end - len(part) : end] = part
        end -= len(part)
    return table
