"""Which format a log is in: decided by its content, never by its name."""

from __future__ import annotations

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


def detect(source: Source) -> tuple[Format, Line]:
    """Return the format that claims a log by its content, with the line that decided (of number 0 if it is no text).

    Raises
    ------
    UnsupportedFormatError
        If the log is known to be of a family that rtlat does not read.
    UnknownFormatError, AmbiguousFormatError
        If no format claims it, or more than one does.
    """
    start = next(source.chunks(HEAD_BYTES), b"")
    for candidate in FORMATS:
        if candidate.claims and candidate.claims(start):
            return candidate, Line(0, "its first bytes")
    lines = source.head()
    claims = []
    for candidate in FORMATS:
        for line in lines:
            if any(mark.match(line.text) for mark in candidate.marks):
                claims.append((candidate, line))
                break
    fuller = _TOLD_TWICE.get(tuple(claimant.name for claimant, _ in claims))
    claims = [claim for claim in claims if fuller in (None, claim[0].name)]
    if len(claims) == 1:
        return claims[0]
    if claims:
        places = " and ".join(
            f"{claimant.name} (line {line.number}: {line.text.strip()[:40]!r})" for claimant, line in claims
        )
        raise AmbiguousFormatError(source.name, f"two kinds of log: {places}", remedy="name one with --format")
    other = recognise(lines)
    if other:
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
