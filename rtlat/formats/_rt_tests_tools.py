"""What the tools of rt-tests measure, and what their texts have in common.

Private to the formats ``rt_tests_*``.

Source: rt-tests ``src``, and recorded output of 2.4 to 2.10.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

QUANTITY = {
    "cyclicdeadline": "thread",
    "cyclictest": "thread",
    "oslat": "noise",
    "pmqtest": "message",
    "ptsematest": "mutex",
    "rt-migrate-test": "migration",
    "signaltest": "signal_ring",
    "sigwaittest": "signal",
    "svsematest": "semaphore",
}
"""What each tool measures, as in `rtlat.schema.QUANTITIES`. ptsematest works with mutexes, whatever its name says."""

MICROSECONDS: dict[str, Any] = {
    "context": "user",
    "evidence": "log",
    "printed_unit": "us",
    "unit_basis": "documented",
    "resolution": 1000.0,
    "rounding": "truncated",
    "ended": "unknown",
}
"""Facts of a run whose numbers are whole microseconds."""

RING_PAUSE = (
    "includes thread 0's pause of 10 ms after every 16 rounds, so it is no latency and enters no statistic; "
    "thread 0 times the ring without it"
)
"""Why the figures of signaltest's other threads are kept as parts only."""

MIN_FORGOTTEN = "min is not kept: after a latency of 0 the tool takes the next one for the least"
"""Why a positive minimum of cyclicdeadline is no minimum, unless its histogram shows that nothing was 0."""

MIGRATION_NOTE = (
    "unless told otherwise there is one task more than CPUs: that of lowest priority waits for the others by design"
)
"""What a reader of rt-migrate-test's figures must know."""


def version(printed: str) -> str:
    """Return the version a tool means: it prints a number with %1.2f, 2.4 as 2.40, and 2.10 just as 2.1.

    Examples
    --------
    >>> version("2.40"), version("2.10"), version("1.11")
    ('2.4', '2.1 or 2.10', '1.11')
    """
    if re.fullmatch(r"\d\.\d0", printed):
        return f"2.1 or {printed}" if printed == "2.10" else printed[:-1]
    return printed


def is_narrow(fields: Iterable[str], width: int | Iterable[int]) -> bool:
    """Whether a line lost digits: a field is narrower than it is printed, though blanks were not squeezed out.

    Parameters
    ----------
    fields : iterable of str
        Numbers with all blanks before them.
    width : int or iterable of int
        The least width of all fields, or of each.

    Examples
    --------
    >>> is_narrow(["   46", " 1171", "  609", " 117"], 5), is_narrow([" 46", " 1171", " 609", " 117"], 5)
    (True, False)
    """
    texts = list(fields)
    widths = [width] * len(texts) if isinstance(width, int) else list(width)
    padded = any(text.startswith("  ") for text in texts)
    return padded and any(len(text) < least for text, least in zip(texts, widths, strict=True))


def rounds(figures: Iterable[tuple[int, int]]) -> int:
    """Return how many observations lie behind totals and truncated averages, -1 if several numbers fit.

    Examples
    --------
    >>> rounds([(180554, 18055), (629, 62), (520, 52)])
    10
    >>> rounds([(52, 5)]), rounds([(629, 62), (520, 50)]), rounds([(7, 0)])
    (-1, -1, -1)
    """
    least, most = 1, 2**63
    for total, average in figures:
        least = max(least, total // (average + 1) + 1)
        most = min(most, total // average) if average else most
    return least if least == most else -1
