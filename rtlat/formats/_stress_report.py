"""One report of stress-ng's cyclic stressor: its lines, whether they are all there, and whether they agree.

Private to ``stress_ng_cyclic``.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from decimal import Decimal

from rtlat.protocol import Run, Tally
from rtlat.source import Line

_NUMBER = r"(-?\d{1,19})"
_MEAN = re.compile(rf" *mean: (-?\d{{1,19}}\.\d\d) ns, mode: {_NUMBER} ns$")
_EXTREMES = re.compile(rf" *min: {_NUMBER} ns, max: {_NUMBER} ns, std\.dev\. (\d{{1,19}}\.\d\d)$")
_PERCENTILE = re.compile(rf" *(\d{{1,2}}\.\d\d)%: +{_NUMBER} ns$")
_WIDTH = re.compile(r" *latency distribution \((\d{1,9}) ns intervals\):$")
_BUCKETS = re.compile(r" *\(for the first (\d{1,3}) buckets of (\d{1,18})\)$")
_ROW = re.compile(r" *(\d{1,18}) +(\d{1,18})$")
_ZEROS = re.compile(r" *\.\. +\.\.(?: \(all zeros hereafter\))?$")
_HEADING = re.compile(r" *latency (?:percentiles:|\(ns\) +frequency)$")
_NOTE = re.compile(r" *Note: --cyclic-samples needed to be (\d{1,18}) to capture all the data for this run$")
_PERCENTILES = ("25.00", "50.00", "75.00", "90.00", "95.40", "99.00", "99.50", "99.90", "99.99")
_DEFAULT_SAMPLES = 10_000
_LAST_ROWS = 3  # printed after a stretch of zeros


@dataclass(slots=True)
class Report:
    """What one instance printed, as it comes in.

    Attributes
    ----------
    line : int
        Where it begins.
    policy, delay : str
        Scheduling policy; what is slept before each measurement [ns].
    n : int
        Samples captured.
    measured : tuple of int and float
        Of all instances together: cycles, and seconds they took; zeros if not printed.
    """

    line: int
    policy: str
    delay: str
    n: int
    quoted: bool = False
    measured: tuple[int, float] = (0, 0.0)
    rejected: Tally = field(default_factory=Tally)
    mean: float = math.nan
    extremes: tuple[int, int, float, int] | None = None
    percentiles: list[tuple[str, int, int]] = field(default_factory=list)
    width: tuple[int, int] | None = None
    buckets: tuple[int, int] | None = None
    rows: list[tuple[int, int, int]] = field(default_factory=list)
    zeros_after: int = -1
    needed: int = 0

    def take(self, text: str, line: Line) -> None:
        """Read one more line."""
        if not line.whole:
            self.rejected.add("cut last line", line.number)
        elif (row := _ROW.match(text)) and self.buckets:
            self.rows.append((int(row[1]), int(row[2]), line.number))
        elif (found := _PERCENTILE.match(text)) and not self.width:
            self.percentiles.append((found[1], int(found[2]), line.number))
        elif (found := _MEAN.match(text)) and math.isnan(self.mean):
            self.mean = float(found[1])
        elif (found := _EXTREMES.match(text)) and not self.extremes and int(found[1]) <= int(found[2]):
            self.extremes = int(found[1]), int(found[2]), float(found[3]), line.number
        elif (found := _WIDTH.match(text)) and not self.width and int(found[1]):
            self.width = int(found[1]), line.number
        elif (found := _BUCKETS.match(text)) and not self.buckets:
            self.buckets = int(found[1]), int(found[2])
        elif _ZEROS.match(text) and self.buckets:
            self.zeros_after = len(self.rows) if self.zeros_after < 0 else self.zeros_after
        elif found := _NOTE.match(text):
            self.needed = int(found[1])
        elif not _HEADING.match(text):
            self.rejected.add("not a line of the report", line.number)

    def add_to(self, run: Run, quantity: str, instances: int) -> None:
        """Add the rows, facts and warnings of this report to its run."""
        whole = self._is_whole()
        run.rejected = self.rejected
        run.facts = {
            "variant": f"delay {self.delay} ns",
            "context": "user",
            "printed_unit": "ns",
            "unit_basis": "printed",
            "resolution": 1.0,
            "rounding": "exact",
            "evidence": "log",
        }
        sound = self._add_bins(run, quantity, whole)
        if self.extremes:
            low, high, std, _ = self.extremes
            mean = self.mean if low <= self.mean <= high else math.nan
            run.rows.add("t0", quantity, "summary", low, high, n=self.n, avg=mean, std=std, line=self.line)
        for text, value, number in self.percentiles:
            run.rows.add("t0", quantity, "quantile", value, value, q=float(Decimal(text) / 100), line=number)
        run.facts["ended"] = "complete" if whole and sound else "cut"
        if not whole:
            run.warnings.append(f"line {self.line}: the report is not complete")
        self._warn(run, instances)
        if self._captured(instances) and self.measured[1] > 0:
            run.facts |= {"duration": self.measured[1], "duration_basis": "printed"}

    def _is_whole(self) -> bool:
        """Whether every line that a report has is there."""
        printed = tuple(text for text, _, _ in self.percentiles)
        if self.rejected.total or math.isnan(self.mean) or not self.extremes or printed != _PERCENTILES:
            return False
        return not self.width or self._table_is_whole()

    def _table_is_whole(self) -> bool:
        """Whether the histogram has each bucket once; after a stretch of zeros only the last three are printed."""
        if not self.width or not self.buckets:
            return False
        width, shown = self.width[0], self.buckets[0]
        first = len(self.rows) if self.zeros_after < 0 else self.zeros_after
        wanted = [*range(first), *range(max(first, shown - _LAST_ROWS), shown)] if first < shown else [*range(shown)]
        return [label for label, _, _ in self.rows] == [width * bucket for bucket in wanted] and (
            self.zeros_after >= 0 or first == shown
        )

    def _add_bins(self, run: Run, quantity: str, whole: bool) -> bool:
        """Add the histogram; return whether its counts add up to the samples captured."""
        if not self.width:
            return True
        (width, number), (shown, buckets) = self.width, self.buckets or (0, 0)
        low, high = self.extremes[:2] if self.extremes else (-math.inf, math.inf)
        run.facts |= {"bin_edges": "given", "overflow_policy": "counted apart"}
        end = -math.inf
        for label, count, line in self.rows:
            if label % width or label < end:
                self.rejected.add("label that is no multiple of the interval, or out of order", line)
                continue
            end = label + width
            if count:  # dividing by the width rounds towards zero
                edge = -width if label == 0 and low < 0 else label
                run.rows.add("t0", quantity, "bin", edge, end, n=count, line=line)
        if not whole:
            return False
        beyond = self.n - sum(count for _, count, _ in self.rows)
        above = shown < buckets
        if beyond > 0 and (above or low < 0):  # negative samples may have dropped out, too
            start = -math.inf if low < 0 else float(shown * width)
            run.rows.add("t0", quantity, "bin", start, math.inf, n=beyond, line=number)
        found = [label for label, count, _ in self.rows if count]
        if beyond < 0 or (beyond and not above and low >= 0):
            run.warnings.append(
                f"line {number}: the histogram holds {self.n - beyond} of {self.n} samples, and none is beyond it"
            )
            return False
        if found and low >= 0 and (low // width * width != found[0] or high // width + 1 != buckets):
            run.warnings.append(
                f"line {number}: the histogram begins at {found[0]} and has {buckets} buckets of {width} ns, "
                f"min is {low} and max {high}"
            )
        return True

    def _captured(self, instances: int) -> bool:
        """Whether the samples are known to be all of the run."""
        if self.measured[0] and instances == 1:
            return self.measured[0] <= self.n
        return not self.needed and self.n != _DEFAULT_SAMPLES

    def _warn(self, run: Run, instances: int) -> None:
        """Say what these numbers leave out, and what is odd about them."""
        cycles = self.needed or (self.measured[0] if instances == 1 else 0)
        if cycles > self.n:
            run.facts["nominal_n"] = cycles
            run.warnings.append(
                f"only the first {self.n} of {cycles} cycles were captured: nothing here is about the later ones"
            )
        elif not self._captured(instances):
            run.warnings.append(f"{self.n} samples are the most that are captured by default: there may have been more")
        if instances > 1:
            run.warnings.append(f"{instances} instances ran, and only the first prints its latencies")
        for text, _, number in self.percentiles:
            if self.n and int(text.replace(".", "")) * self.n // 10_000 == self.n - 1:
                run.warnings.append(f"line {number}: of {self.n} samples the {text} % is the maximum")
                break
        values = [value for _, value, _ in self.percentiles]
        low, high = self.extremes[:2] if self.extremes else (-math.inf, math.inf)
        if values != sorted(values) or (values and not low <= values[0] <= values[-1] <= high):
            run.warnings.append(
                f"line {self.percentiles[0][2]}: the percentiles do not rise from min {low} to max {high}"
            )
        if self.extremes and not math.isnan(self.mean) and not low <= self.mean <= high:
            run.warnings.append(f"line {self.extremes[3]}: mean {self.mean} lies outside min {low} and max {high}")
