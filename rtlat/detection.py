"""Which format a log is in: decided by its content, never by its name."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from rtlat.errors import AmbiguousFormatError, UnknownFormatError, UnsupportedFormatError, nearest
from rtlat.formats import FORMATS
from rtlat.formats.unsupported import recognise
from rtlat.protocol import Format
from rtlat.source import HEAD_BYTES, Line, Source

# `cyclictest -q --json=-` and early jitterdebuggers print T: lines around JSON: one run told twice, JSON tells more.
# On the console of a LAVA job the results stand behind the output of the tool they were made from.
_TOLD_TWICE: dict[tuple[str, ...], str] = {
    ("cyclictest_text", "lava_results"): "cyclictest_text",
    ("cyclictest_text", "rt_tests_json"): "rt_tests_json",
    ("jitterdebugger_results", "jitterdebugger_status"): "jitterdebugger_results",
}

MOST_MARGINS = 8
"""Indentations that are tried before a log is nobody's."""


def detect(source: Source) -> tuple[Format, Line]:
    """Return the format that claims a log by its content, with the line that decided (of number 0 if it is no text).

    Raises
    ------
    UnsupportedFormatError
        If the log is known to be of a family that rtlat does not read.
    UnknownFormatError, AmbiguousFormatError
        If no format claims it, or more than one does.
    """
    claims = _claimants(source)
    if len(claims) > 1:
        raise _ambiguous(source, claims)
    return claims[0]


def parts(source: Source) -> list[tuple[Format, Line, Source]]:
    """Return what a log holds: one format, or several whose lines stand one after the other.

    Returns
    -------
    list of (Format, Line, Source)
        Each format with the line that decided, and the lines that may be its own: those between the lines of two
        formats are given to both.

    Raises
    ------
    UnsupportedFormatError, UnknownFormatError
        As for `detect`.
    AmbiguousFormatError
        If lines of two formats stand between each other.

    Examples
    --------
    >>> log = b"T: 0 (9) P:80 I:1000 C: 200 Min: 17 Act: 24 Avg: 49 Max: 1074\\nDone.\\nMax Latency: 48us\\n"
    >>> for known, line, part in parts(Source(None, "demo", log)):
    ...     print(known.name, line.number, [line.number for line in part.lines()])
    cyclictest_text 1 [1, 2]
    hwlatdetect 3 [2, 3]
    """
    claims = _claimants(source)
    if len(claims) == 1:
        return [(*claims[0], source)]
    owners = [
        (line.number, known.name)
        for line in source.head()
        for known, _ in claims
        if any(mark.match(line.text) for mark in known.marks)
    ]
    spans = [[number for number, _ in span] for _, span in groupby(owners, lambda owner: owner[1])]
    if len(spans) > len(claims) or any(span[-1] >= after[0] for span, after in pairwise(spans)):
        raise _ambiguous(source, claims)
    claims.sort(key=lambda claim: claim[1].number)
    firsts = [1, *(span[-1] + 1 for span in spans[:-1])]
    lasts = [*(span[0] - 1 for span in spans[1:]), sys.maxsize]
    return [(*claim, source.part(*ends)) for claim, *ends in zip(claims, firsts, lasts, strict=True)]


def _claimants(source: Source) -> list[tuple[Format, Line]]:
    """The formats that claim a log, at least one."""
    start = next(source.chunks(HEAD_BYTES), b"")
    for candidate in FORMATS:
        if candidate.claims and candidate.claims(start):
            return [(candidate, Line(0, "its first bytes"))]
    claims = _claims(source, FORMATS)
    fuller = _TOLD_TWICE.get(tuple(claimant.name for claimant, _ in claims))
    claims = [claim for claim in claims if fuller in (None, claim[0].name)]
    if claims:
        return claims
    lines = source.head()
    if other := recognise(lines):
        name, line = other
        raise UnsupportedFormatError(
            source.name, f"{name} output", "a log that rtlat reads", "see rtlat formats", line.number
        )
    first = next((line for line in lines if line.text.strip()), lines[0])
    raise UnknownFormatError(
        source.name,
        f"{first.text.strip()[:60]!r}",
        f"a log of {', '.join(candidate.name for candidate in FORMATS)}",
        "rtlat formats tells of each; --format declared_table how to declare a table",
        first.number,
    )


def _ambiguous(source: Source, claims: list[tuple[Format, Line]]) -> AmbiguousFormatError:
    """Two kinds of lines where one was expected."""
    places = " and ".join(f"{known.name} (line {line.number}: {line.text.strip()[:40]!r})" for known, line in claims)
    return AmbiguousFormatError(source.name, f"two kinds of log: {places}", remedy="name one with --format")


def settle_margin(source: Source, chosen: Format) -> None:
    """Take away what a log is indented by, where its format was named by the user."""
    if chosen.marks and not (chosen.claims and chosen.claims(next(source.chunks(HEAD_BYTES), b""))):
        _claims(source, (chosen,))


def _claims(source: Source, formats: Sequence[Format]) -> list[tuple[Format, Line]]:
    """The formats that claim a log, each with the line that decided; sets the log's margin."""
    lines = source.head(telling=True)
    for margin in _margins(source, lines):
        source.margin = margin
        if claims := _claimed_by(source.head(telling=True) if margin else lines, formats):
            line = claims[0][1]
            own = 0 if margin or not _indent(line) else _margin_around(source.head(), line)
            source.margin = own or margin
            closer = _claimed_by(source.head(telling=True), formats) if own else claims
            if [claimant for claimant, _ in closer] == [claimant for claimant, _ in claims]:
                return closer
            source.margin = margin
            return claims
    source.margin = 0
    return []


def _claimed_by(lines: list[Line], formats: Sequence[Format]) -> list[tuple[Format, Line]]:
    """The formats that claim a log by these lines of it."""
    text = "\n".join(line.text for line in lines)
    likely = (candidate for candidate in formats if any(word in text for word in candidate.words))
    found = ((candidate, _marked(candidate, lines)) for candidate in likely)
    return [(candidate, line) for candidate, line in found if line]


def _marked(candidate: Format, lines: list[Line]) -> Line | None:
    """The first line that a mark of a format matches."""
    for line in lines:
        text = line.text
        if any(word in text for word in candidate.words) and any(mark.match(text) for mark in candidate.marks):
            return line
    return None


def _indent(line: Line) -> int:
    """The blanks before a line."""
    return len(line.text) - len(line.text.lstrip())


def _stretches(lines: list[Line]) -> list[list[Line]]:
    """Lines that stand together and are all indented; blank lines do not part them."""
    written = [line for line in lines if line.text.strip()]
    return [list(stretch) for indented, stretch in groupby(written, lambda line: _indent(line) > 0) if indented]


def _margins(source: Source, telling: list[Line]) -> Iterator[int]:
    """By how much a log may be indented: what all its lines share; nothing; what the lines of a stretch share."""
    if not all(map(_indent, telling)):
        yield 0  # most logs are not indented, and it takes few of their lines to see it
    lines = source.head()
    shared = min((_indent(line) for line in lines if line.text.strip()), default=0)
    margins = sorted({min(map(_indent, stretch)) for stretch in _stretches(lines)})
    yield from dict.fromkeys([shared, 0, *margins[:MOST_MARGINS]])


def _margin_around(lines: list[Line], decided: Line) -> int:
    """What the lines around the one that decided are indented by."""
    return next((min(map(_indent, stretch)) for stretch in _stretches(lines) if decided in stretch), 0)


def format_named(name: str) -> Format:
    """Return the format a user named.

    Raises
    ------
    UnknownFormatError
        Naming the nearest known one.

    Examples
    --------
    >>> format_named("rtd_table").name
    'rtd_table'
    """
    for candidate in FORMATS:
        if candidate.name == name:
            return candidate
    raise UnknownFormatError("--format", repr(name), "a known format" + nearest(name, [f.name for f in FORMATS]))
