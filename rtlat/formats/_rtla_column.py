"""One column of rtla's histograms: what it states, checked against itself.

A CPU's column of bins, what lies beyond them, and count, min, avg and max of the same observations, which must
add up. The bins are C ints in every version: past 2^31 observations they print as negative. So was ``count``
at first, and it still is in osnoise.

Private to ``rtla``.

Source: Linux ``tools/tracing/rtla/src`` (timerlat_hist.c, osnoise_hist.c), 6.1 to 6.19.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rtlat import schema
from rtlat.protocol import Run

_WRAP = 2**32
_INT = 2**31


class Edges(NamedTuple):
    """Where bins end, in the printed unit.

    Attributes
    ----------
    width : int
        Of a bin, at most; 0 if nothing tells.
    last : int
        Label of the highest row in print, 0 if there is none.
    beyond : int
        Where what lies beyond the bins begins, or somewhere above.
    sure : bool
        Whether `width` is the bucket size, not just a multiple of it.
    """

    width: int
    last: int
    beyond: int
    sure: bool


@dataclass(slots=True)
class Column:
    """One context of one CPU as printed; None for what is not there.

    Attributes
    ----------
    series, quantity : str
        As in records.
    cpu : int
        -1 if the log does not tell.
    labels, counts, lines : list of int
        Of the rows that are not zero.
    over, n, low, high : int or None
        As printed after ``over:``, ``count:``, ``min:`` and ``max:``.
    average : str
        As printed after ``avg:``, empty if it is not.
    line, over_line : int
        Where ``count:`` and ``over:`` stand.
    wrapped : bool
        Whether counters passed 2^31 and nothing tells how often.
    """

    series: str
    quantity: str
    cpu: int
    labels: list[int]
    counts: list[int]
    lines: list[int]
    over: int | None = None
    n: int | None = None
    low: int | None = None
    high: int | None = None
    average: str = ""
    line: int = 0
    over_line: int = 0
    wrapped: bool = False

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"{self.series} {self.quantity}"

    @property
    def total(self) -> int:
        """Observations in all rows."""
        return sum(self.counts) + (self.over or 0)

    def unwrap(self) -> tuple[bool, str]:
        """Undo what passed 2^31, if only one way fits; return whether bins and count agree, and what is odd.

        Examples
        --------
        >>> column = Column("cpu0", "irq", 0, [0, 1], [-2_000_000_000, 5], [5, 6], over=0, n=2_294_967_301)
        >>> column.unwrap()[0], column.counts
        (True, [2294967296, 5])
        """
        wrapped = [place for place, count in enumerate(self.counts) if count < 0]
        odd = len(wrapped) + ((self.over or 0) < 0)
        if not self.counts and self.over is None:
            return True, ""
        if self.n is None:
            self.wrapped = odd > 0
            return not odd, f"{self.name}: counters passed 2^31, and no count: tells how often" if odd else ""
        missing = self.n - self.total
        if missing % _WRAP:
            where = f"line {self.line}: {self.name}"
            return False, f"{where}: the rows add up to {self.total} observations, count: says {self.n}"
        if not odd and not missing and self.n >= 0:
            return True, ""
        if odd and self.n >= 0 and missing == odd * _WRAP:
            for place in wrapped:
                self.counts[place] += _WRAP
            if self.over is not None and self.over < 0:
                self.over += _WRAP
            return True, f"{self.name}: {odd} counters passed 2^31 and printed negative; count: tells what they were"
        if not odd and missing < 0 and self.n < _INT:
            printed, self.n = self.n, self.total
            return True, f"{self.name}: count: passed 2^31 and printed {printed}; the rows add up to {self.n}"
        self.wrapped, printed = True, self.n
        self.n = printed if printed >= _INT else None
        return False, f"{self.name}: counters passed 2^31, and count: {printed} does not tell how often each did"

    def contradictions(self, low: int, high: int, edges: Edges, floors: bool) -> Iterator[str]:
        """Yield what min, max and avg say that the bins cannot hold, with both numbers; such an avg is not kept.

        Parameters
        ----------
        low, high : int
            What min and max say.
        edges : Edges
            Where bins end.
        floors : bool
            Whether min, avg and max are of the lower ends of bins, as in osnoise.
        """
        where = f"line {self.line}: {self.name}"
        over, within = self.over or 0, (edges.width or math.inf) - 1
        first, last = (self.labels[0], self.labels[-1]) if self.labels else (edges.beyond, edges.beyond)
        if low < first or (self.labels and low > first + within):
            yield f"{where}: min is {low}, the lowest row {first}"
        if over and high < edges.beyond:
            yield f"{where}: max is {high}, but {over} observations lie at {edges.beyond} or above"
        elif not over and not last <= high <= last + within:
            yield f"{where}: max is {high}, the highest row {last}"
        elif self.average and self.n and edges.width:
            inside = sum(label * count for label, count in zip(self.labels, self.counts, strict=True))
            least = (inside + (edges.beyond * (over - 1) + high if over else 0)) / self.n
            most = (inside + (self.n - over) * (0 if floors else within) + high * over) / self.n
            if not math.floor(least) <= float(self.average) <= most + 0.01:
                yield f"{where}: avg is {self.average}, the rows allow {least:.2f} to {most:.2f}: it is not used"
                self.average = ""

    def state(self, run: Run, edges: Edges, scale: int, floors: bool) -> bool:
        """Add what the column states to its run; return whether its counts agree.

        Parameters
        ----------
        run : Run
            Gets rows and warnings.
        edges : Edges
            Where bins end.
        scale : int
            The printed unit [ns].
        floors : bool
            Whether min, avg and max are of the lower ends of bins.
        """
        sound, odd = self.unwrap()
        if odd:
            run.warnings.append(odd)
        if not self.wrapped:
            self._state_bins(run, edges, scale)
        elif self.counts:
            run.rejected.add("rows of a counter that passed 2^31", self.lines[0], len(self.counts))
        low, high = self.low, self.high
        if low is None or high is None or (floors and not edges.width):
            return sound
        where = f"line {self.line}: {self.name}"
        if low > high:
            run.warnings.append(f"{where}: min {low} is above max {high}: neither is used")
            return sound
        if self.average and not low <= float(self.average) <= high:
            run.warnings.append(f"{where}: avg is {self.average}, not within min {low} and max {high}: it is not used")
            self.average = ""
        if sound and self.over is not None:
            run.warnings.extend(self.contradictions(low, high, edges, floors))
        # sums are 64 bits wide, but are divided by count as an int
        usable = self.average and not floors and 0 < (self.n or 0) < _INT
        average = schema.to_ns(self.average, "us" if scale == 1000 else "ns") if usable else math.nan
        n = self.n if self.n is not None and self.n > 0 else -1
        ends = float(low * scale), float(high * scale)
        run.rows.add(self.series, self.quantity, "summary", *ends, n=n, avg=average, line=self.line)
        return sound

    def _state_bins(self, run: Run, edges: Edges, scale: int) -> None:
        """Add the bins; where their width is not sure, the highest is told together with what lies beyond."""
        over, beyond, line = self.over or 0, edges.beyond, self.over_line
        inside = len(self.labels)
        if over and not edges.sure and self.labels and self.labels[-1] == edges.last:
            inside -= 1
            over, beyond, line = over + self.counts[-1], edges.last, self.lines[-1]
        low = np.array(self.labels[:inside], np.float64)
        high = low + (edges.width or math.inf)
        n, lines = (np.array(column[:inside], np.int64) for column in (self.counts, self.lines))
        run.rows.extend(self.series, self.quantity, "bin", low * scale, high * scale, n=n, line=lines)
        if over:
            run.rows.add(self.series, self.quantity, "bin", float(beyond * scale), math.inf, n=over, line=line)
