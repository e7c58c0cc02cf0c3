"""Many logs parsed in one process: small ones together where a format can, the others one by one."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from rtlat.assembly import Reading
from rtlat.cards import Card
from rtlat.errors import LogError
from rtlat.formats import FORMATS
from rtlat.parsed_once import fill_once
from rtlat.protocol import Format
from rtlat.source import Line

_LINE = re.compile(rb"(.*)\n")

TOGETHER, SMALL = 500, 64 << 10
"""So many logs may be read together, none of which holds more bytes."""


def fill_many(readings: Sequence[Reading], format: Format | None, chosen: Sequence[Card | None]) -> None:
    """Parse logs as `rtlat.filling.fill` does: those together that a format reads together, the others one by one.

    Parameters
    ----------
    readings : sequence of Reading
        The logs, which get their runs or their error.
    format : Format or None
        What all of them are in, if the user said so.
    chosen : sequence of Card or None
        The card of each log.
    """
    logs = list(zip(readings, chosen, strict=True))
    for start in range(0, len(logs), TOGETHER):
        several = logs[start : start + TOGETHER]
        for known in FORMATS if len(several) > 1 else ():
            if known.together and format in (None, known):
                _fill_together(known, several, named=format is not None)
        for reading, card in several:
            if not reading.runs:
                fill_once(reading, format, card)


def _fill_together(known: Format, logs: Sequence[tuple[Reading, Card | None]], named: bool) -> None:
    """Parse those logs that a format reads together."""
    assert known.together
    small = [(reading, text) for reading, card in logs if (text := _small(reading, card))]
    runs = known.together([text for _, text in small])
    for (reading, text), run in zip(small, runs, strict=True):
        if run:
            run.format = known.name
            reading.claims, reading.runs = [(known, None if named else _deciding(known, text))], [run]
            reading.sha256 = hashlib.sha256(text).hexdigest()
            reading.source.stored.advance(len(text))


def _deciding(known: Format, text: bytes) -> Line:
    """The line by which a log is known to be of a format that has read it."""
    lines = enumerate((line[1].decode("utf-8", "replace") for line in _LINE.finditer(text)), 1)
    return next(Line(number, line) for number, line in lines if any(mark.match(line) for mark in known.marks))


def _small(reading: Reading, card: Card | None) -> bytes | None:
    """All of a small log, if nobody declared how to read it."""
    source = reading.source
    if reading.error or reading.runs or (card and source.path and card.table(source.path)):
        return None
    try:
        return source.stored.whole(SMALL)
    except LogError:
        return None  # whoever parses it will say so
