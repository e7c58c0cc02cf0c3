"""Home-made tables: CSV, TSV or blanks, read by what a run card declares and never claimed by content.

::

    [runs."servo*.csv".table]
    latency = "wakeup"            # a column by its head or by its number from 1; or a list: a series each
    unit = "us"

    [runs."histogram.csv".table]
    bin = "time"                  # lower ends; or ["from", "to"]
    count = ["core1", "core2"]    # a series each
    width = 1
    unit = "us"

Every key stands in `Layout`. The first row decides whether the declaration fits; later rows that do not are
rejected and counted. Numbers are kept to a thousandth of a nanosecond (or cycle).
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from functools import partial

import numpy as np

from rtlat import schema
from rtlat.columns import Array
from rtlat.errors import LogError
from rtlat.formats._declared_layout import Layout, checked, layout
from rtlat.formats._declared_rows import Cells, MisfitError
from rtlat.protocol import Format, Run
from rtlat.rows import Rows
from rtlat.source import Source

__all__ = ["FORMAT", "checked", "declared", "layout", "undeclared"]

MOST_SERIES = 4096
"""More names than this in the column of the series: it is another column."""

STEPS = 1000
"""Whole numbers stand for thousandths of a nanosecond, or of a cycle."""

_TOGETHER = 1 << 16
_DIGITS = {"ns": 3, "us": 6, "ms": 9, "s": 12, "cycles": 3}  # from the unit to steps
_EXACT = 2.0**51  # below it, float(text) * 10**k rounds to the whole number that the text means
_COUNT = re.compile(r"\d{1,18}(?:\.0{1,9})?")  # pandas writes 171.0 where another cell of the column is empty
_SEQ = re.compile(r"\d{1,18}")
_INFINITE = re.compile(r"([-+]?)inf(?:inity)?", re.IGNORECASE)


class _Table:
    """A table on its way to the rows of its run."""

    def __init__(self, layout: Layout, source: Source) -> None:
        self.layout, self.source = layout, source
        self.run = Run(layout.tool, Rows(source.keep))
        self.cells = Cells(layout, source, self.run.ignored)
        self.names = _names(layout)
        self.start: Decimal | None = None
        self.samples: dict[str, list[tuple[int, int, int, float]]] = {}
        self.waiting = 0
        self.bins: dict[str, tuple[array[float], array[float], array[int], array[int]]] = {}

    def read(self) -> Run:
        """Read the rows from first to last."""
        add = self.add_bins if self.layout.bin else self.add_samples
        taken = False
        for cells in self.cells.rows():
            try:
                self.cells.check(cells)
                add(cells)
                taken = True
            except MisfitError as misfit:
                if not taken and self.cells.whole:
                    raise self.cells.error(misfit.found, misfit.expected) from None
                self.run.rejected.add(misfit.reason, self.cells.number)
        if not taken:
            raise LogError(self.source.name, "no row of data", "a table as its run card declares it")
        self.finish()
        return self.run

    def finish(self) -> None:
        """What the table is as a whole."""
        layout, run = self.layout, self.run
        cut = bool(layout.bin and run.rejected.total) or "cut last line" in run.rejected.reasons
        run.facts = {"printed_unit": layout.unit, "unit_basis": "card", "ended": "cut" if cut else "unknown"}
        run.rows.step, run.rows.unit = 1 / STEPS, "cycles" if layout.unit == "cycles" else "ns"
        self.flush()
        if layout.bin:
            self.close_bins()
        elif run.rows.folded:
            run.facts["bin_edges"] = "samples"
        if run.rejected.total:
            run.warnings.append(f"{run.rejected.total} rows were not read: what they told is missing from every number")

    def steps(self, text: str) -> int:
        """A number of the declared unit in steps."""
        digits = _DIGITS[self.layout.unit]
        near = float(text) * 10.0**digits
        whole = round(near) if abs(near) < _EXACT else int(Decimal(text).scaleb(digits))
        if abs(whole) > schema.LARGEST_COUNT:
            raise MisfitError("number out of range", repr(text[:40]), "a number that a latency can have")
        return whole

    def series(self, cells: list[str], name: str) -> str:
        """The row's own series, else that of the column."""
        column = self.layout.series
        if isinstance(column, tuple):
            return name
        name = self.cells.text(cells, column)
        known = self.bins or self.samples
        if not name:
            raise MisfitError("row without a series", f"an empty cell in column {column!r}", "a name")
        if name not in known and len(known) >= MOST_SERIES:
            raise self.cells.error(f"more than {MOST_SERIES} names in column {column!r}", "the series' names")
        return name

    def add_samples(self, cells: list[str]) -> None:
        """An observation of each series; of several columns some may be empty."""
        layout, line = self.layout, self.cells.number
        seq = int(self.cells.cell(cells, layout.seq, _SEQ)) if layout.seq != "" else -1
        time = self.time(self.cells.cell(cells, layout.time)) if layout.time != "" else np.nan
        found = [
            (self.series(cells, name), self.steps(self.cells.cell(cells, column)))
            for name, column in zip(self.names, layout.latency, strict=True)
            if len(layout.latency) == 1 or self.cells.text(cells, column)
        ]
        if not found:
            self.run.ignored.add("row without a number", line)
        for name, value in found:
            self.samples.setdefault(name, []).append((value, line, seq, time))
        self.waiting += len(found)
        if self.waiting >= _TOGETHER:
            self.flush()

    def time(self, text: str) -> float:
        """Seconds since the first row."""
        time = Decimal(text)
        self.start = time if self.start is None else self.start
        try:
            return schema.to_ns(str(time - self.start), self.layout.time_unit) / 1e9
        except ValueError:
            raise MisfitError("number out of range", repr(text[:40]), "a time") from None

    def flush(self) -> None:
        """Hand the samples on."""
        for name, samples in self.samples.items():
            if samples:
                value, line, seq, time = zip(*samples, strict=True)
                values, lines, seqs = (np.array(numbers, np.int64) for numbers in (value, line, seq))
                times = np.array(time) if self.layout.time != "" else None
                self.run.rows.samples(name, self.layout.quantity, values, lines, seqs, times)
                samples.clear()
        self.waiting = 0

    def add_bins(self, cells: list[str]) -> None:
        """A count of each series."""
        ends = [self.end(cells, place) for place in range(len(self.layout.bin))]
        if len(ends) > 1 and not ends[0] < ends[1]:
            raise MisfitError("bin without width", f"a bin from {ends[0]:g} to {ends[1]:g}", "a lower and an upper end")
        counted = [
            (self.series(cells, name), int(self.cells.cell(cells, column, _COUNT).partition(".")[0]))
            for name, column in zip(self.names, self.layout.count, strict=True)
        ]
        for name, n in counted:
            low, high, counts, lines = self.bins.setdefault(name, (array("d"), array("d"), array("q"), array("q")))
            low.append(ends[0])
            high.append(ends[-1])
            counts.append(n)
            lines.append(self.cells.number)

    def end(self, cells: list[str], place: int) -> float:
        """One end of a bin [ns, or cycles]; of two declared ends either may be infinite."""
        column = self.layout.bin[place]
        if len(self.layout.bin) > 1 and (infinite := _INFINITE.fullmatch(self.cells.text(cells, column))):
            return float(f"{infinite[1]}inf")
        return self.steps(self.cells.cell(cells, column)) / STEPS

    def close_bins(self) -> None:
        """The bins of every series, once their width is known."""
        tables = {name: [np.array(column) for column in columns] for name, columns in self.bins.items()}
        width = self.width(np.concatenate([columns[0] for columns in tables.values()]))
        for name, columns in tables.items():
            order = np.argsort(columns[0], kind="stable")
            low, high, n, line = (column[order] for column in columns)
            if width:
                high = (np.rint(low * STEPS) + width) / STEPS
            if len(again := np.flatnonzero(low[1:] < high[:-1])):
                first, second = sorted(line[again[0] : again[0] + 2].tolist())
                raise LogError(
                    self.source.name, f"a bin that overlaps that of line {first}", "each bin once", line=second
                )
            full = n > 0
            words = {"n": n[full], "line": line[full], "unit": self.run.rows.unit}
            self.run.rows.extend(name, self.layout.quantity, "bin", low[full], high[full], **words)
        if not len(self.run.rows):
            raise LogError(self.source.name, "no count above 0", "at least one observation")

    def width(self, lows: Array) -> int:
        """The width of every bin in steps, 0 if both ends are given; the rows tell it only at equal distances."""
        self.run.facts["bin_edges"] = "given"
        if len(self.layout.bin) > 1 or self.layout.width:
            return self.steps(self.layout.width) if self.layout.width else 0
        distances = np.unique(np.diff(np.unique(np.rint(lows * STEPS).astype(np.int64))))
        if len(distances) != 1:
            found = "bins at unequal distances" if len(distances) else "a single bin"
            remedy = 'add width = NUMBER, or bin = ["from", "to"], to the table in its run card'
            raise LogError(self.source.name, found, "a width", remedy)
        self.run.facts["bin_edges"] = "inferred"
        self.run.warnings.append(f"bin width {distances[0] / STEPS:g} {self.run.rows.unit} inferred from the rows")
        return int(distances[0])


def _names(layout: Layout) -> list[str]:
    """The series of the columns: as declared, else their heads or numbers, else ``all`` for a single one."""
    if isinstance(layout.series, tuple) and layout.series:
        return list(layout.series)
    shown = [column if isinstance(column, str) else f"column {column}" for column in layout.observed]
    return shown if len(shown) > 1 else ["all"]


def _parse(layout: Layout, source: Source) -> Iterator[Run]:
    """Yield the table's run."""
    yield _Table(layout, source).read()


def declared(layout: Layout) -> Format:
    """Return the format of tables that are laid out as a run card says.

    Examples
    --------
    >>> source = Source(None, "demo.csv", b"cycle;cpu;wakeup\\n0;a;4,35\\n1;b;-2\\n")
    >>> table = Layout("us", ("wakeup",), series="cpu", separator=";", decimal=",", seq="cycle")
    >>> (run,) = declared(table).parse(source)
    >>> rows = run.rows.arrays()
    >>> rows["series"].tolist(), rows["low"].tolist(), rows["seq"].tolist(), rows["line"].tolist()
    (['a', 'b'], [4350.0, -2000.0], [0, 1], [2, 3])
    """
    return replace(FORMAT, parse=partial(_parse, layout))


def undeclared(source: Source) -> Iterator[Run]:
    """Refuse a table that no run card declares, showing what to write.

    Raises
    ------
    LogError
        Always.
    """
    name = source.path.name if source.path else source.name
    lines = f'runs."{name}".table = {{latency = 1, unit = "us"}}'
    first = next((line for line in source.lines() if line.text.strip()), None)
    raise LogError(
        source.name,
        f"{first.text.strip()[:60]!r} and no declared table" if first else "an empty file",
        "a run card that says which column is the latency (or bin and count) and its unit",
        f"write into runs.toml beside it: {lines}",
        first.number if first else 0,
    )
    yield  # pragma: no cover


FORMAT = Format(
    name="declared_table",
    title="any table (CSV, TSV, blanks) whose columns a run card declares",
    gives="samples or bins of the declared quantity, by series",
    versions="rtlat's own",
    marks=(),
    parse=undeclared,
)
