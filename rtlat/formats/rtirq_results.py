"""The "results" file of the rtirq patch's example (2004), alone or as an article prints it.

::

    interval: 1000 loops: 60000
    Interrupt statistics
    0.40 1333 (2.221667)
    0.50 6159 (12.486667)

A row is a latency [us], the number of interrupts with it, and the accumulated percentage. ``interval`` is a
rate [Hz], ``loops`` the number of interrupts asked for. The program's source is lost: nothing says whether a
label is the lower edge of its bin or a rounded value; bins are assumed to be [label, label + 0.1 us).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np

from rtlat import schema
from rtlat.errors import LogError
from rtlat.protocol import Format, Run, Tally
from rtlat.source import Line, Source

_HEADER = re.compile(r"\s*Interrupt statistics\s*$")
# `(one occurence out of the 60000 measured latencies during one minute).interval: 1000 loops: 60000`
_ASKED = re.compile(r"interval:\s{0,9}(\d{1,18})\s{1,9}loops:\s{0,9}(\d{1,18})\s*$")
_ROW = re.compile(r"\s*(\d{1,9}[.,]\d{1,9})\s+(\d+)\s+\((\d{1,3}[.,]\d{1,12})\)\s*$")
_ROW_LIKE = re.compile(r"\s*\d+[.,]\d\S*(?:\s+\S+){0,2}\s*$")
_WORDS_OF_PROSE = 8
_TENTH = Decimal("0.1")


@dataclass(frozen=True, slots=True)
class _Row:
    """One row of the table, its numbers as printed."""

    line: int
    label: Decimal
    count: int
    percent: Decimal


@dataclass(slots=True)
class _Table:
    """One table on its way to a run; `after` are the lines since its last row."""

    line: int
    quote: int
    interval: int
    loops: int
    rows: list[_Row] = field(default_factory=list)
    rejected: Tally = field(default_factory=Tally)
    after: Tally = field(default_factory=Tally)


def parse(source: Source) -> Iterator[Run]:
    """Yield a run for each "Interrupt statistics" table.

    Raises
    ------
    LogError
        If no table has a readable row.

    Examples
    --------
    >>> table = b"interval: 1000 loops: 3\\nInterrupt statistics\\n0.40 1 (33.333333)\\n0.50 2 (100.000000)\\n"
    >>> (run,) = parse(Source(None, "results", table))
    >>> run.rows.arrays()["low"].tolist(), run.facts["period"], run.facts["ended"]
    ([400.0, 500.0], 1000000.0, 'complete')
    """
    ignored = Tally()
    tables: list[_Table] = []
    interval = loops = 0
    prose = False
    for line in source.lines():
        table = tables[-1] if tables and tables[-1].quote == line.quote else None
        if asked := _ASKED.search(line.text[-80:]):
            interval, loops = int(asked[1]), int(asked[2])
            prose = prose or _is_prose(line.text)
        elif _HEADER.match(line.text):
            tables.append(_Table(line.number, line.quote, interval, loops))
            interval = loops = 0
        elif table and _ROW_LIKE.match(line.text):
            _take_row(table, line)
        elif line.text.strip():
            (table.after if table else ignored).add("text around the table", line.number)
            prose = prose or _is_prose(line.text)
    kept = [table for table in tables if table.rows]
    if not kept:
        raise LogError(source.name, "no readable row", "'Interrupt statistics' and rows like '0.40 1333 (2.221667)'")
    for table in tables:  # one run answers for the lines that belong to none
        ignored.merge(table.after)
        if not table.rows:
            kept[0].rejected.merge(table.rejected)
    for table in kept:
        run = _run(source.name, table)
        run.facts["evidence"] = "printed table" if prose else "log"
        run.ignored, ignored = ignored, Tally()
        yield run


def _take_row(table: _Table, line: Line) -> None:
    """Keep or reject one row; what stood between it and the row before should have been rows too."""
    for number, first in table.after.reasons.values():
        table.rejected.add("not a row", first, number)
    table.after = Tally()
    cells = _ROW.match(line.text)
    if not cells:
        table.rejected.add("damaged row" if line.whole else "cut last line", line.number)
        return
    label, percent = (Decimal(cells[cell].replace(",", ".")) for cell in (1, 3))
    try:
        table.rows.append(_Row(line.number, label, schema.count(cells[2]), percent))
    except ValueError:
        table.rejected.add("count beyond 2^63 - 1", line.number)


def _is_prose(text: str) -> bool:
    """Whether a line is a sentence: the table then stands in somebody's text."""
    return sum(word.strip('.,;:()"').isalpha() for word in text[:1000].split()) >= _WORDS_OF_PROSE


def _run(name: str, table: _Table) -> Run:
    """The run a table states, checked against its own percentages and loops."""
    rows = _rising(table.rows)
    width = _width([row.label for row in rows])
    kept = [row for row in rows if row.label % width == 0]
    for row in set(table.rows) - set(rows):
        table.rejected.add("label out of order", row.line)
    for row in set(rows) - set(kept):
        table.rejected.add("label off the bins", row.line)
    total = sum(row.count for row in kept)
    if total > schema.LARGEST_COUNT:
        raise LogError(name, f"{total} interrupts in one table", "at most 2^63 - 1", line=table.line)
    run = Run("rtirq example", rejected=table.rejected, quoted=table.quote > 0)
    contradictions = _contradictions(kept, table.loops or total)
    run.facts = _facts(table, kept, total, width)
    run.warnings = _warnings(table, contradictions, total, width, run.facts["ended"])
    some = [row for row in kept if row.count]
    low, high = (
        np.array([schema.to_ns(str(label), "us") for label in labels])
        for labels in ([row.label for row in some], [row.label + width for row in some])
    )
    lines = np.array([row.line for row in some], np.int64)
    run.rows.extend("all", "irq", "bin", low, high, n=np.array([row.count for row in some], np.int64), line=lines)
    return run


def _rising(rows: list[_Row]) -> list[_Row]:
    """The longest run of rows whose labels rise: one damaged label must not cost the rows after it."""
    once: dict[tuple[Decimal, int, Decimal], _Row] = {}
    for row in rows:
        once.setdefault((row.label, row.count, row.percent), row)
    labels = Counter(label for label, _, _ in once)
    rows = [row for row in once.values() if labels[row.label] == 1]
    ends: list[Decimal] = []
    lengths = []
    for row in rows:
        place = bisect_left(ends, row.label)
        ends[place : place + 1] = [row.label]
        lengths.append(place + 1)
    kept: list[_Row] = []
    for row, length in zip(reversed(rows), reversed(lengths), strict=True):
        if length == len(ends) - len(kept) and (not kept or row.label < kept[-1].label):
            kept.append(row)
    return kept[::-1]


def _width(labels: list[Decimal]) -> Decimal:
    """The bins' width [us]: the smallest step if all labels are multiples of it, else 0.1."""
    stray = sum(label % _TENTH != 0 for label in labels)
    if 0 < stray <= max(1, len(labels) // 10):
        return _TENTH  # a few damaged labels must not make the bins narrower than they are
    step = min((after - before for before, after in pairwise(labels)), default=_TENTH)
    return step if all(label % step == 0 for label in labels) else _TENTH


def _contradictions(rows: list[_Row], base: int) -> list[tuple[_Row, float]]:
    """Rows whose accumulated percentage is not that of their counts, with what it would have to be."""
    wrong = []
    accumulated = 0
    for row in rows:
        accumulated += row.count
        last_place = Decimal(1).scaleb(int(row.percent.as_tuple().exponent))
        if abs(row.percent * base - 100 * accumulated) > last_place * base:
            wrong.append((row, 100 * accumulated / base))
    return wrong


def _facts(table: _Table, rows: list[_Row], total: int, width: Decimal) -> dict[str, Any]:
    """The columns of runs that the table states."""
    reached = bool(rows) and rows[-1].percent == 100 and not _contradictions(rows, total)
    if total == table.loops or (reached and not table.loops):
        ended = "complete"
    else:  # Ctrl-C ends a run early, and its percentages then reach 100 with fewer interrupts than asked for
        ended = "interrupted" if reached and total < table.loops else "cut"
    facts: dict[str, Any] = {
        "approach": "rtirq",
        "context": "irq",
        "printed_unit": "us",
        "unit_basis": "documented",
        "resolution": schema.to_ns(str(width), "us"),
        "rounding": "unknown",
        "bin_edges": "assumed",
        "ended": ended,
    }
    if table.loops:
        facts["nominal_n"] = table.loops
    if table.interval:
        facts["period"] = 1e9 / table.interval
        if table.loops:
            facts["duration"] = (total if ended == "interrupted" else table.loops) / table.interval
            facts["duration_basis"] = "derived"
    return facts


def _warnings(
    table: _Table, contradictions: list[tuple[_Row, float]], total: int, width: Decimal, ended: str
) -> list[str]:
    """What a reader of the numbers must know."""
    warnings = [
        f"line {table.line}: nothing states whether a label is the lower edge of its bin or a rounded value; "
        f"read as [label, label + {width.normalize():f} us)"
    ]
    if width != _TENTH:
        warnings.append(f"the bins are taken to be {width.normalize():f} us wide, the smallest step between labels")
    if contradictions:
        row, expected = contradictions[0]
        more = f", and {len(contradictions) - 1} rows more" if len(contradictions) > 1 else ""
        warnings.append(
            f"line {row.line}: the printed percentage is {row.percent}, that of the counts {expected:.6f}{more}"
        )
    if table.rejected.total:
        first = min(line for _, line in table.rejected.reasons.values())
        warnings.append(f"{table.rejected.total} rows could not be read (the first in line {first})")
    if table.loops and total != table.loops:
        warnings.append(f"the rows hold {total} interrupts, loops says {table.loops}")
    if ended == "cut":
        warnings.append("the table is not complete: its percentiles are those of a part")
    return warnings


FORMAT = Format(
    name="rtirq_results",
    title="rtirq example: Interrupt statistics, alone or in an article",
    gives="bins of irq latency",
    versions="rtirq for Linux 2.4.23 (2004)",
    words=("Interrupt statistics",),
    marks=(_HEADER,),
    parse=parse,
)
