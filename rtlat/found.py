"""What was found in a log, as it travels from one process to another."""

from __future__ import annotations

from typing import NamedTuple

from rtlat.assembly import Reading
from rtlat.detection import format_named
from rtlat.errors import LogError
from rtlat.protocol import Run
from rtlat.source import Line


class Found(NamedTuple):
    """Formats by their names, each with the line that decided; the rest as in `rtlat.assembly.Reading`."""

    claims: list[tuple[str, Line | None]]
    runs: list[Run]
    error: LogError | None
    sha256: str
    margin: int


def found_in(reading: Reading) -> Found:
    """Return what was found in a log that has been parsed."""
    claims = [(known.name, line) for known, line in reading.claims]
    return Found(claims, reading.runs, reading.error, reading.sha256, reading.source.margin)


def settle(reading: Reading, found: Found) -> None:
    """Note what another process found."""
    reading.claims = [(format_named(name), line) for name, line in found.claims]
    reading.runs, reading.error, reading.sha256 = found.runs, found.error, found.sha256
    reading.source.margin = found.margin
