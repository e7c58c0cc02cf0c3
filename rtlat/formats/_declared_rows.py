"""The rows of a declared table: lines as they stand, cut into cells, the declared columns found in them."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator

from rtlat.errors import LogError, nearest
from rtlat.formats._declared_layout import Column, Layout
from rtlat.protocol import Tally
from rtlat.source import Source


class MisfitError(ValueError):
    """A row that the declaration does not fit: the reason it is counted by, what was found, what was expected."""

    def __init__(self, reason: str, found: str, expected: str) -> None:
        super().__init__(reason, found, expected)
        self.reason, self.found, self.expected = reason, found, expected


class Cells:
    """A table's rows, one after the other.

    Parameters
    ----------
    layout : Layout
        What the run card says.
    source : Source
        The log. No prefix, quoting or markup is taken from its lines.
    ignored : Tally
        Counts the lines that are no rows.

    Attributes
    ----------
    number, whole : int and bool
        Line number of the row being read, and whether that line has an end.
    width : int
        Cells in a row, by its head or by the first row.

    Examples
    --------
    >>> cells = Cells(Layout("us", ("b",)), Source(None, "demo", b'"a","b"\\n1,2.5\\n'), Tally())
    >>> [cells.cell(row, "b") for row in cells.rows()]
    ['2.5']
    """

    def __init__(self, layout: Layout, source: Source, ignored: Tally) -> None:
        self.layout, self.source, self.ignored = layout, source, ignored
        self.number, self.whole, self.width = 0, True, 0
        self.named = any(isinstance(column, str) for column in layout.columns)
        self.head = layout.head if layout.head >= 0 else int(self.named)
        self.places: dict[Column, int] = {}
        self.lines = self._lines()
        point = re.escape(layout.decimal)
        digits = rf"(?:\d{{1,30}}(?:{point}\d{{0,30}})?|{point}\d{{1,30}})"
        self.decimal = re.compile(rf"[-+]?{digits}(?:[eE][-+]?\d{{1,2}})?")

    def rows(self) -> Iterator[list[str]]:
        """Yield the rows of data, each with as many cells as it happens to have.

        Raises
        ------
        LogError
            If a declared column does not exist, or quotes are not closed.
        """
        self._head()
        for cells in self._split(self.lines):
            if not self.width:
                self.width = len(cells)
                self._place([])
            yield cells

    def check(self, cells: list[str]) -> None:
        """Refuse a row that may have lost something.

        Raises
        ------
        MisfitError
            If it has more or fewer cells than the table, or a declared cell is the last of a line without end.
        """
        if len(cells) != self.width:
            raise MisfitError("row of another length", f"a row of {len(cells)} cells", f"{self.width} cells")
        if not self.whole and max(self.places.values()) == self.width - 1:
            raise MisfitError("cut last line", "a last line without line end", "a whole row")

    def text(self, cells: list[str], column: Column) -> str:
        """Return one cell."""
        return cells[self.places[column]].strip()

    def cell(self, cells: list[str], column: Column, pattern: re.Pattern[str] | None = None) -> str:
        """Return one cell that is a number, with a point for its decimal comma.

        Raises
        ------
        MisfitError
            If it is none.
        """
        text = cells[self.places[column]].strip()
        if not (pattern or self.decimal).fullmatch(text):
            reason = "cell that is no number" if text else "empty cell"
            raise MisfitError(reason, f"{text[:40]!r} in column {column!r}", "a number")
        return text.replace(self.layout.decimal, ".")

    def error(self, found: str, expected: str) -> LogError:
        """Return what does not fit, with the line being read."""
        remedy = "change the table in its run card, or the file"
        return LogError(self.source.name, found, f"{expected}, as its run card declares it", remedy, self.number or 1)

    def _lines(self) -> Iterator[str]:
        """All lines of the head; then those that are neither blank nor comments."""
        head, comment = self.head, self.layout.comment
        for block in self.source.blocks():
            texts = block.data.decode("utf-8", "replace").split("\n")
            if block.whole:
                texts.pop()
            last = block.first + len(texts) - 1
            for number, text in enumerate(texts, block.first):
                self.number, self.whole = number, block.whole or number < last
                if number <= head:
                    yield text
                elif not text.strip():
                    self.ignored.add("blank line", number)
                elif comment and text.startswith(comment):
                    self.ignored.add("comment", number)
                else:
                    yield text

    def _head(self) -> None:
        """The lines before the data; the last names the columns."""
        text = ""
        for _ in range(self.head):
            text = next(self.lines, "")
            self.ignored.add("head of the table", self.number or 1)
        if self.named and self.number:
            # `# time latency` is how numpy.savetxt writes a head
            cells = [cell.strip() for cell in next(self._split([text.removeprefix(self.layout.comment).strip()]), [])]
            self.width = len(cells)
            self._place(cells)

    def _place(self, heads: list[str]) -> None:
        """Find every declared column, by its number or its head."""
        for column in self.layout.columns:
            if isinstance(column, str) and heads.count(column) != 1:
                found = f"{heads.count(column) or 'no'} columns {column!r} among {', '.join(heads)[:80]!r}"
                hint = nearest(column, heads)
                raise self.error(found, "one" + (hint if "did you mean" in hint else ""))
            place = heads.index(column) if isinstance(column, str) else column - 1
            if place >= self.width:
                raise self.error(f"a row of {self.width} cells", f"a column {column}")
            self.places[column] = place

    def _split(self, lines: Iterable[str]) -> Iterator[list[str]]:
        """Lines as cells, quoted or not."""
        if self.layout.separator == "whitespace":
            yield from (text.split() for text in lines)
            return
        try:
            yield from csv.reader(lines, delimiter=self.layout.separator, skipinitialspace=True, strict=True)
        except csv.Error as error:  # a quote that is never closed
            raise self.error(f"cells that cannot be read ({error})", 'cells such as "a", with "" for a quote') from None
