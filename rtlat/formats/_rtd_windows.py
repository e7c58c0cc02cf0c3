"""The RTD lines of one run as columns: a run of a week has 600,000 of them.

Private to ``rtd_table``, and imports no other format.
"""

from __future__ import annotations

import numpy as np

from rtlat.digits import Array
from rtlat.formats._rtd_lines import Window


class Windows:
    """Windows in their order, appended one by one or many at once.

    Examples
    --------
    >>> windows = Windows()
    >>> windows.append(Window(8, 4458, 7504, 49833, 2, 0, 4458, 49833))
    >>> windows.extend(np.array([[9, 4416, 5915, 33958, 2, 0, 4416, 49833]]))
    >>> len(windows), windows.low.tolist(), windows[-1].worst
    (2, [4458, 4416], 49833)
    """

    def __init__(self) -> None:
        self._parts = [np.empty((0, len(Window._fields)), np.int64)]
        self._single: list[Window] = []
        self._length = 0

    def append(self, window: Window) -> None:
        """Add one."""
        self._single.append(window)
        self._length += 1

    def extend(self, rows: Array) -> None:
        """Add many: a row for each, with the columns of `Window`."""
        self._settle()
        self._parts.append(rows)
        self._length += len(rows)

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
            self._parts = [np.concatenate(self._parts)]
        return self._parts[0]

    def __len__(self) -> int:
        """Return how many there are."""
        return self._length

    def __getitem__(self, place: int) -> Window:
        """Return one of them; the last one while others are still to come, too."""
        if place == -1 and self._single:
            return self._single[-1]
        return Window(*(self._parts[-1] if place == -1 else self.table)[place].tolist())

    @property
    def line(self) -> Array:
        """In which line of the log each stands."""
        return self._column("line")

    @property
    def low(self) -> Array:
        """The minima [ns]."""
        return self._column("low")

    @property
    def avg(self) -> Array:
        """The averages [ns]."""
        return self._column("avg")

    @property
    def high(self) -> Array:
        """The maxima [ns]."""
        return self._column("high")

    @property
    def overruns(self) -> Array:
        """The running total of overruns."""
        return self._column("overruns")

    @property
    def switches(self) -> Array:
        """The running total of mode switches, -1 without such a column."""
        return self._column("switches")

    @property
    def best(self) -> Array:
        """The least of all so far [ns]."""
        return self._column("best")

    @property
    def worst(self) -> Array:
        """The greatest of all so far [ns]."""
        return self._column("worst")

    def _column(self, name: str) -> Array:
        """One column."""
        return self.table[:, Window._fields.index(name)]
