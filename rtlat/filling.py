"""One log parsed: by which formats, into which runs, and why not if it cannot be."""

from __future__ import annotations

import sys

import numpy as np

from rtlat import cards
from rtlat.assembly import Reading
from rtlat.detection import parts, settle_margin
from rtlat.errors import LogError, RtlatError, printable
from rtlat.protocol import Format, Run
from rtlat.source import Line, Source

NEAR = 3
"""Dots so many lines before the first number of a run stand in the run."""


def fill(reading: Reading, format: Format | None, card: cards.Card | None) -> None:
    """Parse one log; what its readers held before an error stays, with a warning."""
    if reading.error:
        return
    try:
        with reading.source.held():
            _fill(reading, format, card)
    except LogError as error:
        reading.error = error


def _fill(reading: Reading, format: Format | None, card: cards.Card | None) -> None:
    """All that is read of one log."""
    try:
        for known, line, part in _parts(reading, format, card):
            reading.claims.append((known, line))
            _parse(reading, known, part)
    except LogError as error:
        reading.error = error
    if not reading.runs:
        return
    if reading.error:
        reading.runs[-1].warnings.append(f"the rest of the log was not read: {reading.error}")
        reading.error = None
    if not any(known.elides for known, _ in reading.claims):
        _note_elisions(reading)
    reading.runs = _without_quoted_repetitions(reading.runs)
    reading.sha256 = reading.source.sha256


def _parse(reading: Reading, known: Format, part: Source) -> None:
    """Add the runs that a format finds, or why it finds none."""
    before = len(reading.runs)
    try:
        for run in known.parse(part):
            run.format = known.name
            reading.runs.append(run)
        if len(reading.runs) == before:
            raise LogError(part.name, "no run", f"what {known.name} gives")
    except LogError as error:
        reading.error = reading.error or error
    except RtlatError as error:
        reading.error = reading.error or LogError(part.name, str(error))
    except Exception as error:  # a reader's defect must not cost the other logs, nor show a traceback
        found = f"something the {known.name} reader does not expect"
        reason = f"{type(error).__name__}: {printable(str(error))[:80]}"
        reading.error = LogError(part.name, f"{found} ({reason})", remedy="please report it with the log")


def _parts(
    reading: Reading, format: Format | None, card: cards.Card | None
) -> list[tuple[Format, Line | None, Source]]:
    """The formats of a log, each with the lines that may be its own: as declared, as asked for, else by content."""
    source = reading.source
    table = card.table(source.path) if card and source.path else None
    if card and table and (format is None or format.name == table[0].name):
        return [(table[0], Line(0, f"the table declared in {card.path}, line {table[1]}"), source)]
    if format:
        settle_margin(source, format)
        return [(format, None, source)]
    return list(parts(source))


def _note_elisions(reading: Reading) -> None:
    """Say where lines were left out by whoever quoted a log; a run without an end of its own counts as cut there."""
    left_out = reading.source.elisions()
    firsts = [int(run.rows.arrays()["line"].min(initial=sys.maxsize)) for run in reading.runs] if left_out else []
    for place, (run, first) in enumerate(zip(reading.runs, firsts, strict=False)):
        begin, end = 0 if place == 0 else first, min((n for n in firsts if n > first), default=sys.maxsize)
        found = [number for number in left_out if begin <= number < end]
        if found:
            more = f", and in {len(found) - 1} more" if len(found) > 1 else ""
            run.warnings.append(f"line {found[0]}: dots stand where lines were left out{more}")
        within = any(number >= first - NEAR for number in found)  # a mail may have left out what stood long before
        if within and run.facts.get("ended", "unknown") == "unknown":
            run.facts["ended"] = "cut"


def _without_quoted_repetitions(runs: list[Run]) -> list[Run]:
    """Drop runs that only quote another run of the same mail (`>latency cycles: mean 542, ...`)."""
    kept: list[Run] = []
    for run in sorted(runs, key=lambda run: run.quoted):
        same = [other for other in kept if run.quoted and _equal(other, run)]
        if same:
            line = int(run.rows.arrays()["line"].min())
            same[0].ignored.add("quoted repetition of this run", line, len(run.rows))
        else:
            kept.append(run)
    return [run for run in runs if any(run is other for other in kept)]


def _equal(one: Run, other: Run) -> bool:
    """Whether two runs state the same, wherever they stand."""
    mine, theirs = one.rows.arrays(), other.rows.arrays()
    return one.tool == other.tool and all(
        np.array_equal(mine[name], theirs[name], equal_nan=mine[name].dtype == np.float64)
        for name in mine
        if name != "line"
    )
