"""A histogram of ``rtla timerlat hist`` or ``rtla osnoise hist`` as it comes in.

::

    # RTLA timerlat histogram                    with --no-header these four lines are missing
    # Time unit is microseconds (us)
    # Duration:   0 00:00:11
    Index   IRQ-000   Thr-000   Usr-000   IRQ-002 ...    two or three columns a CPU; osnoise: CPU-000
    52            1         0         0         4 ...    from its label to the next; none where all are 0
    over:      1144      1331      1498      1230 ...    at or beyond bucket size times entries, both not printed
    count:     7989      7989      7989      7977 ...    this and the rest not with --no-summary; no blank at 10 digits
    min:          1        27        41         1 ...    "-" where count is 0
    avg:        355       402       429       359 ...    truncated
    max:      19217     19710     19799     19735 ...
    ALL:        IRQ       Thr       Usr                  and once more of all CPUs: checked, not stated

A CPU without an observation has no columns. With --no-index labels and words are missing.

Private to ``rtla``.

Source: Linux ``tools/tracing/rtla/src`` (timerlat_hist.c, osnoise_hist.c), 6.1 to 6.19.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from rtlat.formats._rtla_command import Command
from rtlat.protocol import Run
from rtlat.source import Line

TITLE = re.compile(r"\s*# RTLA (timerlat|osnoise) histogram\s*$")
UNIT = re.compile(r"\s*# Time unit is (?:(micro)|nano)seconds\b")
DURATION = re.compile(r"\s*# Duration: +(\d{1,6}) (\d\d):(\d\d):(\d\d)\s*$", re.ASCII)
HEADER = re.compile(r"\s*Index((?:\s+(?:IRQ|Thr|Usr|CPU)-\d{3,6})*)\s*$|((?:\s+(?:IRQ|Thr|Usr|CPU)-\d{3,6})+)\s*$")
FOOTER = re.compile(r"\s*(over|count|min|avg|max):\s*((?:(?:-?\d{1,18}(?:\.\d\d)?|-)(?:\s+|$))*)$", re.ASCII)
ROW = re.compile(r"\s*\d{1,18}(?:\s+-?\d{1,18})+\s*$", re.ASCII)
"""A row with its label."""

_BARE = re.compile(r"\s*(?:-?\d{1,18}(?:\.\d\d)?|-)(?:\s+(?:-?\d{1,18}(?:\.\d\d)?|-))*\s*$", re.ASCII)
_FOOTER_LIKE = re.compile(r"\s*(?:over|count|min|avg|max):")
_EVERYONE = re.compile(r"\s*(?:ALL:)?((?:\s+(?:IRQ|Thr|Usr|CPU))+)\s*$")
_ELISION = re.compile(r"\s*(?:\[?\.\.\.\]?|\u2026)\s*$")

QUANTITIES = {"IRQ": "irq", "Thr": "thread", "Usr": "user", "CPU": "noise"}
"""What a column holds, by its name."""

Cells = tuple[list[str], int]
"""The cells of a line, and its number."""


class Row(NamedTuple):
    """One row: where it stands, its label, and a count for each column."""

    line: int
    label: int
    counts: list[int]


@dataclass(slots=True)
class Histogram:
    """One table.

    Attributes
    ----------
    line, quote : int
        Where it begins, and how many ``>`` stand before it.
    run : Run
        Gets rejected lines and warnings at once, the statements once the table is whole.
    asked : Command
        The command line before it.
    tool, unit : str
        timerlat or osnoise; us or ns; empty if no title tells.
    columns : list of (int, str) or None
        CPU and quantity of each column; None without a header.
    rows : list of Row
        Those that are not zero.
    last : int
        Label of the highest row, empty or not; -1 before the first.
    empty : list of int
        Labels of rows of zeros; if there is one, all rows are printed.
    bare : list of Cells or None
        Rows of a table without labels; None if it has them.
    contexts : list of str
        Quantities of the columns after ``ALL:``.
    footer, everyone : dict of Cells
        What stands after ``over:`` ... ``max:``, before and after ``ALL:``.
    damaged, stopped : int
        The first line that should be part of the table and is not; that says that a limit was hit. 0 if none.
    reason : str
        What the tool says hit it.
    """

    line: int
    quote: int
    run: Run
    asked: Command
    tool: str = ""
    unit: str = ""
    columns: list[tuple[int, str]] | None = None
    rows: list[Row] = field(default_factory=list)
    last: int = -1
    empty: list[int] = field(default_factory=list)
    bare: list[Cells] | None = None
    contexts: list[str] = field(default_factory=list)
    footer: dict[str, Cells] = field(default_factory=dict)
    everyone: dict[str, Cells] = field(default_factory=dict)
    damaged: int = 0
    stopped: int = 0
    reason: str = ""
    _length: int = 0

    @property
    def waits(self) -> bool:
        """Whether neither its header nor anything below was seen."""
        return self.columns is None and self.last < 0 and not self.footer

    @property
    def closed(self) -> bool:
        """Whether its last row was seen."""
        return "over" in self.footer or bool(self.contexts)

    @property
    def headed(self) -> bool:
        """Whether title or header tell what it is."""
        return bool(self.tool) or self.columns is not None

    @property
    def width(self) -> int:
        """Columns; 0 if neither header nor row tell."""
        if self.columns is not None:
            return len(self.columns)
        if self.rows:
            return len(self.rows[0].counts)
        return len(next(iter(self.footer.values()), ([], 0))[0])

    def take(self, line: Line) -> bool:
        """Take a line if it is one of the table's; return whether it was."""
        text = line.text
        if self.stopped:  # what follows analyses the last observation
            return False
        if self.waits and TITLE.match(text):
            return True
        if self.waits and (unit := UNIT.match(text)):
            self.unit = "us" if unit[1] else "ns"
        elif self.waits and (printed := DURATION.match(text)):
            self.run.facts |= {"duration": seconds(printed), "duration_basis": "printed"}
        elif self.waits and (header := HEADER.match(text)):
            self._take_header(header, line)
        elif self.bare is not None and not self.contexts and (names := _EVERYONE.match(text)):
            self.bare.append((["ALL"], line.number))
            self._take_contexts(names[1].split(), line)
        elif self.bare is not None and _BARE.match(text):
            self._take_bare(text.split(), line)
        elif self.closed and not self.contexts and (names := _EVERYONE.match(text)):
            self._take_contexts(names[1].split(), line)
        elif self.bare is None and _FOOTER_LIKE.match(text):
            self._take_footer(line)
        elif self.bare is None and not self.closed and ROW.match(text):
            self._take_row(line)
        else:
            return self._refuse(line)
        return True

    def _refuse(self, line: Line) -> bool:
        """Reject a line amid the table; return whether it was there."""
        if self.closed or not (self.last >= 0 or self.bare or _ELISION.match(line.text)):
            return False
        if line.text.strip():
            self._reject("rows left out" if _ELISION.match(line.text) else "not a row", line)
        return True

    def _reject(self, reason: str, line: Line) -> None:
        """Count a line that should be part of the table."""
        self.run.rejected.add(reason if line.whole else "cut last line", line.number)
        self.damaged = self.damaged or line.number

    def _take_header(self, header: re.Match[str], line: Line) -> None:
        """Take the row that names the columns."""
        if not line.whole:
            self._reject("cut last line", line)
            return
        names = [name.partition("-") for name in (header[1] or header[2] or "").split()]
        self.columns = [(int(cpu), QUANTITIES[kind]) for kind, _, cpu in names]
        if not self.tool and names:
            self.tool = "osnoise" if names[0][0] == "CPU" else "timerlat"
        self._length = length(line.text)
        if header[2]:
            self.bare = []
            self._length -= 1

    def _take_contexts(self, names: list[str], line: Line) -> None:
        """Take the header of the columns of all CPUs."""
        self.contexts = [QUANTITIES[name] for name in names]
        self._length = length(line.text)

    def _take_row(self, line: Line) -> None:
        """Take a row; of one of zeros only the label is kept."""
        cells = line.text.split()
        label, counts = int(cells[0]), [int(cell) for cell in cells[1:]]
        if not is_whole(line, self._length):
            self._reject("row that lost its end", line)
        elif len(counts) != (self.width or len(counts)):
            self._reject(f"row of {len(counts)} counts among rows of {self.width}", line)
        elif label <= self.last:
            self._reject("label out of order", line)
        else:
            self.last = label
            if any(counts):
                self.rows.append(Row(line.number, label, counts))
            else:
                self.empty.append(label)

    def _take_bare(self, cells: list[str], line: Line) -> None:
        """Take a row of a table without labels."""
        assert self.bare is not None
        if is_whole(line, self._length) and len(cells) == (len(self.contexts) or self.width):
            self.bare.append((cells, line.number))
        else:
            self._reject("damaged row", line)

    def _take_footer(self, line: Line) -> None:
        """Take a line below the table; after ALL: it is of all CPUs."""
        match = FOOTER.match(line.text)
        cells = match[2].split() if match else []
        footer = self.everyone if self.contexts else self.footer
        width = len(self.contexts) or self.width or len(cells)
        empty = not self.rows and cells in ([], ["0"])  # 6.12 prints `over: 0` whatever the columns
        if match and match[1] not in footer and is_whole(line, self._length) and (len(cells) == width or empty):
            footer[match[1]] = cells, line.number
        else:
            self._reject("damaged footer line", line)


def length(header: str) -> int:
    """Return how long the lines below a header are at least: all end in the same column. 0 if blanks were squeezed."""
    return len(header.rstrip()) if "   " in header.strip() else 0


def is_whole(line: Line, least: int) -> bool:
    """Return whether the last cell of a line is complete: it ends where the header does, and with a blank.

    Examples
    --------
    >>> is_whole(Line(9, "max:      19217 ", whole=False), 15), is_whole(Line(9, "max:      1921", whole=True), 15)
    (True, False)
    """
    return (line.whole or line.text.endswith(" ")) and len(line.text.rstrip()) >= least


def seconds(printed: re.Match[str]) -> float:
    """Return a duration, printed as days and a time of day [s]."""
    days, hours, minutes, rest = (int(number) for number in printed.groups()[:4])
    return float(((days * 24 + hours) * 60 + minutes) * 60 + rest)
