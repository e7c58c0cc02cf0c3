"""One histogram of cyclictest as it comes in (``-h``, ``-H``, ``--histfile``), and what its footer makes of it.

::

    # Histogram
    000012 000171<TAB>000025          bucket, then a count for each thread
    # Total: 000001953 000001927      of the table; up to 2.6
    # Min Latencies: 00018 00010      of all samples, beyond the table too; from 0.74
    # Avg Latencies: 00038 00026      truncated; from 0.74
    # Max Latencies: 04450 00138      from 0.73; "Latencys" from 0.56; up to 0.55 "# Max Latency: 29 / 30"
    # Histogram Overflows: 00015 00016
    # Histogram Overflow at cycle number:
    # Thread 0: 00125 00621 # 00013 others

With ``-H`` and more than one thread, rows, Total, Max and Overflows end in one more column, of all threads.
What lies beyond the table is counted apart from 0.56; 0.46 to 0.55 put it into the last row, before it was
dropped. The list of cycle numbers is as long as the table, so one that is full tells the table's limit. From
0.72 on a negative latency counts as beyond the table, and Max, once negative, prints as 2^64 - x.

Private to ``cyclictest_text``.

Source: rt-tests ``src/cyclictest/cyclictest.c`` (print_hist), tags v0.28 to v2.1, and recorded output of 2.4,
2.6 and 2.10.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from rtlat.formats._cyclictest_rows import Rows
from rtlat.formats._cyclictest_statements import FIRST_MIN, Beyond, Column, columns, state, state_bins
from rtlat.protocol import Run
from rtlat.source import Line

Array = npt.NDArray[Any]

FOOTER = re.compile(
    r"\s*# (?:(?P<name>Total|Min Latencies|Avg Latencies|Max Latenc(?:ies|ys)|Histogram Overflows|SMIs):(?P<numbers>.*)"
    r"|(?P<heading>Histogram Overflow at cycle number:)|Max Latency: (?P<highest>\d{1,9}) / (?P<limit>\d{1,9})"
    r"|Thread (?P<thread>\d{1,4}):(?P<cycles>[ \d]*)(?:# (?P<others>\d{1,18}) others)?)$",
    re.ASCII,
)
"""A line of the footer, without blanks at its end."""

_NUMBER = re.compile(r"[0-9]{1,20}")
_WIDTHS = {"Total": 9, "Min": 5, "Avg": 5, "Max": 5, "Histogram": 5}


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
    listing : bool
        Whether the heading of the lists of overflows was seen.
    maxima : dict
        Once finished: series -> the footer's maximum [ns], infinite if it is not known.
    """

    run: Run
    line: int
    headed: bool = False
    narrow: bool = False
    last: int = -1
    parts: list[Rows] = field(default_factory=list)
    listing: bool = False
    maxima: dict[str, float] = field(default_factory=dict)
    _damaged: int = 0
    _widths: dict[int, list[int]] = field(default_factory=dict)
    _footer: dict[str, tuple[list[int], int]] = field(default_factory=dict)
    _lists: dict[int, tuple[list[int], int, int]] = field(default_factory=dict)
    _limit: tuple[int, int, int] | None = None

    def add(self, rows: Rows) -> None:
        """Take rows of one width, with buckets that rise."""
        self.last = int(rows.bucket[-1])
        self._widths.setdefault(rows.counts.shape[1], [0, int(rows.line[0])])[0] += len(rows.line)
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
        return self.headed or self.closed or self.length >= 5

    @property
    def closed(self) -> bool:
        """Whether its footer has begun."""
        return bool(self._footer or self._limit or self.listing)

    def close(self, match: re.Match[str], line: Line) -> None:
        """Take a line of the footer."""
        if match["name"]:
            self._close_columns(match["name"].split()[0], match["numbers"].split(), line)
        elif match["thread"] and line.whole:
            listed = match["cycles"].split()
            if all(5 <= len(cycle) <= 18 for cycle in listed):
                found = ([int(cycle) for cycle in listed], int(match["others"] or -1), line.number)
                self._lists.setdefault(int(match["thread"]), found)
            else:
                self.run.rejected.add("damaged list of overflows", line.number)
        elif match["limit"] and line.whole and not self._footer.keys() - {"Total"}:
            self._limit = (int(match["highest"]), int(match["limit"]), line.number)
        elif match["heading"]:
            self.listing = True
        else:
            self.run.rejected.add("damaged footer line" if line.whole else "cut last line", line.number)

    def _close_columns(self, name: str, numbers: list[str], line: Line) -> None:
        """Take a footer line with a number for each thread."""
        width = _WIDTHS.get(name, 1)
        sound = numbers and all(_NUMBER.fullmatch(number) and len(number) >= width for number in numbers)
        if not line.whole:  # `00015` is whole: a longer number would have no 0 before it
            others = len(self._footer.get("Max", ((), 0))[0])
            sound = sound and len(numbers) == others and numbers[-1][0] == "0" and len(numbers[-1]) == width
        if sound and name not in self._footer and (name == "Total" or not self._limit):
            self._footer[name] = ([int(number) for number in numbers], line.number)
        else:
            self.run.rejected.add("damaged footer line" if line.whole else "cut last line", line.number)

    @property
    def least(self) -> int | None:
        """The least latency of any thread, as the footer prints it; None if it does not."""
        some = [number for number in self._footer.get("Min", ([], 0))[0] if number != FIRST_MIN]
        return min(some, default=None)

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
        lines, buckets, counts = self._joined(width)
        threads = self._threads(width, counts)
        if width == threads + 1:  # with -H each row can be checked
            right = counts[:, -1] == counts[:, :-1].sum(axis=1)
            for line in lines[~right].tolist():
                self.reject("row whose counts do not add up to its last", line)
            lines, buckets, counts = lines[right], buckets[right], counts[right]
        if not width:  # a footer alone
            counts = np.zeros((0, threads), np.int64)
        self._refuse_odd_footers(width, threads)
        threads_of = columns(buckets, counts[:, :threads], self._footer)
        edge = max(self.last + 1, limit, 1, *(len(full) for full, others, _ in self._lists.values() if others >= 0))
        beyond = Beyond(edge, self._policy(), self._lists)
        whole = self._is_whole(threads_of)
        clamped = beyond.policy == "clamped into last bin" and whole
        state_bins(self.run, (lines, buckets, counts[:, :threads]), step, edge - 1 if clamped else -1)
        for column in threads_of:
            most = state(self.run, column, beyond, step, whole)
            if most is not None:
                self.maxima[column.series] = most
        self.run.facts.update(overflow_policy=beyond.policy, bin_edges="given")
        return "complete" if whole else "cut"

    def _width(self) -> int:
        """Counts in a row: what most rows have; the others are damaged."""
        width = max(self._widths, key=lambda width: self._widths[width][0], default=0)
        for other, (_, line) in self._widths.items():
            if other != width:
                self.reject(f"row of {other} counts among rows of {width}", line)
        return width

    def _joined(self, width: int) -> tuple[Array, Array, Array]:
        """Line, bucket and counts of the rows so wide that hold samples."""
        parts = [rows for rows in self.parts if rows.counts.shape[1] == width]
        if not parts:
            return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, width), np.int64)
        kept = [rows.where(np.flatnonzero(rows.counts.any(axis=1))) for rows in parts]
        line, bucket, counts = (np.concatenate(columns) for columns in zip(*(rows[:3] for rows in kept), strict=True))
        return line, bucket, counts

    def _threads(self, width: int, counts: Array) -> int:
        """How many threads: with -H the last count is of all of them, unless there is one thread only."""
        for name in ("Min", "Avg"):  # these have no column of all threads
            threads = len(self._footer.get(name, ((), 0))[0])
            if threads and (width in (0, threads) or (width == threads + 1 and threads > 1)):
                return threads
        if not width:
            return len(self._footer.get("Max", ((), 0))[0])
        summed = int((counts[:, -1] == counts[:, :-1].sum(axis=1)).sum())
        return width - 1 if width > 2 and 2 * summed > len(counts) else width

    def _refuse_odd_footers(self, width: int, threads: int) -> None:
        """A footer line has a number for each thread; with -H some have one more."""
        for name, (numbers, line) in list(self._footer.items()):
            least, most = width or threads, width or threads + 1
            if name in ("Min", "Avg", "SMIs"):
                least = most = threads
            if not least <= len(numbers) <= most:
                self.run.rejected.add(f"footer line of {len(numbers)} numbers for {threads} threads", line)
                del self._footer[name]

    def _policy(self) -> str:
        """What the version does with values beyond the table, as its footer shows."""
        if not self._limit:
            return "counted apart"
        return "dropped" if self.narrow else "clamped into last bin"

    def _is_whole(self, columns: list[Column]) -> bool:
        """Whether nothing is missing from the table; warnings say what is."""
        warn = self.run.warnings.append
        whole, confirmed = True, "Total" in self._footer
        for column in columns:
            total, line = column.printed.get("Total", (column.n, 0))
            if total != column.n:
                warn(f"{column.series}: the rows add up to {column.n} samples, # Total (line {line}) says {total}")
                whole = confirmed = False
        if self._limit:
            highest, limit, line = self._limit
            found = max(0, *(column.highest for column in columns))
            if (found, self.last + 1) != (highest, limit):
                warn(
                    f"line {line} tells of {limit} rows, the highest with samples {highest}; "
                    f"found {self.last + 1} and {found}"
                )
                whole = False
        elif "Histogram" not in self._footer:
            warn("the histogram's footer is missing: samples beyond the table and the maximum are unknown")
            whole = False
        if (
            whole
            and {"Min", "Avg"} & self._footer.keys()
            and (lost := [name for name in ("Min", "Avg", "Max") if name not in self._footer])
        ):
            warn(f"the histogram's footer lacks its line of {' and '.join(lost)}")
        if self._damaged:
            what = "but the rows add up to # Total" if confirmed else "so samples may be missing"
            warn(f"the histogram is damaged (line {self._damaged}), {what}")
            whole = whole and confirmed
        return whole
