"""RTD lines of RTAI's testsuite: what one says, and what it says of the one before.

::

    RTD|        -71|        -71|         68|     697876|     697876|      19711
    RTD|        -659|          21|        2922|        1711|        7953

Whole numbers do not show that a digit is lost, but their columns do: each is at least as wide as its head.

Private to ``rtd_table``, and imports no other format.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_INTEGER = re.compile(r"-?\d{1,11}")


class Latency(NamedTuple):
    """An RTD line of ``latency``; times in ns, the overruns since the test began. Or many, each field an array."""

    line: int
    low: int
    best: int
    avg: int
    high: int
    worst: int
    overruns: int

    def is_ordered(self) -> bool:
        """Whether the extremes contain each other; the average may have left the 32 bits of its sum."""
        extremes = (self.best <= self.low) & (self.low <= self.high) & (self.high <= self.worst)
        return extremes & (self.overruns >= 0)

    def goes_back(self, before: Latency) -> bool:
        """Whether a running extreme or total is less than in the row before."""
        return (self.best > before.best) | (self.worst < before.worst) | (self.overruns < before.overruns)

    def may_be_first(self, before: Latency) -> bool:
        """Whether this may be another test's first row, if it goes back."""
        return self.low == self.best and self.high == self.worst


class Preempt(NamedTuple):
    """An RTD line of ``preempt``; times in ns. All but `avg` are extremes since the test began. Or many."""

    line: int
    low: int
    avg: int
    high: int
    fast: int
    slow: int

    def is_ordered(self) -> bool:
        """Whether the extremes contain each other; jitter is not negative."""
        return (self.low <= self.high) & (self.fast >= 0) & (self.slow >= 0)

    def goes_back(self, before: Preempt) -> bool:
        """Whether a running extreme is less than in the row before."""
        extremes = (self.low > before.low) | (self.high < before.high)
        return extremes | (self.fast < before.fast) | (self.slow < before.slow)

    def may_be_first(self, before: Preempt) -> bool:
        """Whether this may be another test's first row, if it goes back."""
        return self.low >= before.low and self.high <= before.high


ROWS: dict[str, type[Latency] | type[Preempt]] = {"latency": Latency, "preempt": Preempt}
"""What a row of each table is."""

WIDTHS = {"latency": 11, "preempt": 12}
"""How wide the columns of each table are."""


def numbers(tidied: str, table: str) -> list[int]:
    """Return the numbers of a row without blanks around its cells; none if they are not as many as the table has.

    Examples
    --------
    >>> numbers("RTD|-71|-71|68|697876|697876|19711", "latency"), numbers("RTD|-71|-71|68", "latency")
    ([-71, -71, 68, 697876, 697876, 19711], [])
    """
    cells = tidied.split("|")[1:]
    known = len(cells) == len(ROWS[table]._fields) - 1 and all(map(_INTEGER.fullmatch, cells))
    return list(map(int, cells)) if known else []


def is_aligned(text: str, table: str) -> bool:
    """Whether each cell is at least as wide as its head, or all have lost their blanks alike.

    Examples
    --------
    >>> row = "RTD|        -71|     697876|      19711"
    >>> is_aligned(row, "latency"), is_aligned("RTD| -71| 697876| 19711", "latency"), is_aligned(row, "preempt")
    (True, True, False)
    """
    cells = text.rstrip().split("|")[1:]
    narrow = [cell for cell in cells if len(cell) < WIDTHS[table]]
    return not narrow or all(len(cell) - len(cell.lstrip()) <= 1 for cell in cells)
