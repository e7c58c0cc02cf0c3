"""One histogram of cyclictest as it comes in (``-h``, ``-H``, ``--histfile``), and what its footer makes of it.

::

    # Histogram
    000012 000171<TAB>000025          bucket, then a count for each thread
    # Total: 000001953 000001927      see `_cyclictest_footer`

With ``-H`` and more than one thread, rows, Total, Max and Overflows end in one more column, of all threads.
What lies beyond the table is counted apart from 0.56; 0.46 to 0.55 put it into the last row, before it was
dropped. The list of cycle numbers is as long as the table, so one that is full tells the table's limit. From
0.72 on a negative latency counts as beyond the table, and Max, once negative, prints as 2^64 - x.

Private to ``cyclictest_text``.

Source: rt-tests ``src/cyclictest/cyclictest.c`` (print_hist), tags v0.28 to v2.1, and recorded output of 2.4,
2.6 and 2.10.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rtlat.formats._cyclictest_footer import Footer
from rtlat.formats._cyclictest_rows import Rows
from rtlat.formats._cyclictest_statements import FIRST_MIN, Beyond, Cells, Column, columns, state, state_bins
from rtlat.protocol import Run


@dataclass(slots=True)
class Table:
    """A table and its footer, as they come in.

    Attributes
    ----------
    run : Run
        The run it belongs to, which gets rejected lines and warnings at once and the statements at the end.
    line : int
        Where it begins.
    headed : bool
        Whether the line ``# Histogram`` was seen.
    narrow : bool
        Whether buckets are printed in five digits, as up to 0.44, which drops what lies beyond the table.
    last : int
        The last row's bucket, -1 before the first.
    parts : list of Rows
        The rows as they came.
    footer : Footer
        What came after them.
    maxima : dict
        Once finished: series -> the footer's maximum [ns], infinite if it is not known.
    """

    run: Run
    line: int
    headed: bool = False
    narrow: bool = False
    last: int = -1
    parts: list[Rows] = field(default_factory=list)
    footer: Footer = field(init=False)
    maxima: dict[str, float] = field(default_factory=dict)
    _damaged: int = 0
    _widths: dict[int, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.footer = Footer(self.run.rejected)

    def add(self, rows: Rows) -> None:
        """Take rows of one width, with buckets that rise."""
        self.last = int(rows.bucket[-1])
        self._widths.setdefault(rows.width, [0, int(rows.line[0])])[0] += len(rows.line)
        self.parts.append(rows)

    def reject(self, reason: str, line: int) -> None:
        """Count a line that should be a row."""
        self.run.rejected.add(reason, line)
        self._damaged = self._damaged or line

    @property
    def length(self) -> int:
        """Rows, empty ones too."""
        return sum(count for count, _ in self._widths.values())

    @property
    def is_one(self) -> bool:
        """Whether this is a histogram, not a few numbers that look like rows."""
        return self.headed or self.footer.has_begun or self.length >= 5

    @property
    def least(self) -> int | None:
        """The least latency of any thread, as the footer prints it; None if it does not."""
        return min((number for number in self.footer.numbers("Min") if number != FIRST_MIN), default=None)

    def finish(self, step: float, limit: int) -> str:
        """Add what the table states to its run; return how it ended.

        Parameters
        ----------
        step : float
            Width of a bucket [ns].
        limit : int
            Rows asked for on the command line, 0 if that is not known.
        """
        width = self._width()
        cells = self._joined(width)
        threads = self._threads(width, cells)
        if width == threads + 1:  # with -H each row can be checked
            cells = self._checked(cells, threads)
        self.footer.refuse_odd(width, threads)
        threads_of = columns(cells, threads, self.footer)
        full = (len(cycles) for cycles, others, _ in self.footer.lists.values() if others >= 0)
        edge = max(self.last + 1, limit, 1, *full)
        beyond = Beyond(edge, self._policy())
        whole = self._is_whole(threads_of)
        clamped = beyond.policy == "clamped into last bin" and whole
        state_bins(self.run, cells, threads, step, edge - 1 if clamped else -1)
        self.maxima = state(self.run, threads_of, self.footer, beyond, step, whole)
        self.run.facts.update(overflow_policy=beyond.policy, bin_edges="given")
        return "complete" if whole else "cut"

    def _width(self) -> int:
        """Counts in a row: what most rows have; the others are damaged."""
        width = max(self._widths, key=lambda width: self._widths[width][0], default=0)
        for other, (_, line) in self._widths.items():
            if other != width:
                self.reject(f"row of {other} counts among rows of {width}", line)
        return width

    def _joined(self, width: int) -> Cells:
        """What the rows so wide count, thread by thread."""
        parts = [rows for rows in self.parts if rows.width == width]
        if not parts:
            return Cells(*(np.zeros(0, np.int64) for _ in Cells._fields))
        cells = [Cells(rows.line[rows.row], rows.bucket[rows.row], rows.thread, rows.n) for rows in parts]
        if len(cells) == 1:
            return cells[0]
        together = Cells(*map(np.concatenate, zip(*cells, strict=True)))
        return together.where(np.argsort(together.thread, kind="stable"))

    def _threads(self, width: int, cells: Cells) -> int:
        """How many threads: with -H the last count is of all of them, unless there is one thread only."""
        for name in ("Min", "Avg"):  # these have no column of all threads
            threads = len(self.footer.numbers(name))
            if threads and (width in (0, threads) or (width == threads + 1 and threads > 1)):
                return threads
        if not width:
            return len(self.footer.numbers("Max"))
        if width <= 2:
            return width
        right = cells.adds_up(width - 1)
        return width - 1 if 2 * int(right.sum()) > len(right) else width

    def _checked(self, cells: Cells, threads: int) -> Cells:
        """The cells of the threads, without rows that do not add up to their last count."""
        lines, right = np.unique(cells.line), cells.adds_up(threads)
        for line in lines[~right].tolist():
            self.reject("row whose counts do not add up to its last", line)
        return cells.where(right[np.searchsorted(lines, cells.line)] & (cells.thread < threads))

    def _policy(self) -> str:
        """What the version does with values beyond the table, as its footer shows."""
        if not self.footer.limit:
            return "counted apart"
        return "dropped" if self.narrow else "clamped into last bin"

    def _is_whole(self, columns: list[Column]) -> bool:
        """Whether nothing is missing from the table; warnings say what is."""
        warn = self.run.warnings.append
        footer = self.footer
        whole, confirmed = True, "Total" in footer.columns
        for column in columns:
            if confirmed and column.total != column.n:
                line = footer.line("Total")
                warn(
                    f"{column.series}: the rows add up to {column.n} samples, # Total (line {line}) says {column.total}"
                )
                whole = False
        confirmed = confirmed and whole
        if footer.limit:
            highest, limit, line = footer.limit
            found = max(0, *(column.highest for column in columns))
            if (found, self.last + 1) != (highest, limit):
                warn(
                    f"line {line} tells of {limit} rows, the highest with samples {highest}; "
                    f"found {self.last + 1} and {found}"
                )
                whole = False
        elif "Histogram" not in footer.columns:
            warn("the histogram's footer is missing: samples beyond the table and the maximum are unknown")
            whole = False
        if whole and (lost := list(footer.lacking())):
            warn(f"the histogram's footer lacks its line of {' and '.join(lost)}")
        if self._damaged:
            what = "but the rows add up to # Total" if confirmed else "so samples may be missing"
            warn(f"the histogram is damaged (line {self._damaged}), {what}")
            whole = whole and confirmed
        return whole
