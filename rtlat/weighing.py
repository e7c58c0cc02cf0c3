"""What it takes to keep every sample as a row, told before it is done."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

from rtlat.errors import LogError, RtlatWarning, UsageError
from rtlat.source import KEEP_SAMPLES, Source

ROW_BYTES = 360
"""What a sample takes while records are built, all columns and their parts; afterwards it is 90. [bytes]"""

WORTH_SAYING = 1 << 30
"""Below it nothing is said. [bytes]"""

_LOOKED_AT = 32 << 20


def weigh(sources: Sequence[Source], keep: int) -> None:
    """Say how much memory the samples of logs will take as rows, if that is much.

    Parameters
    ----------
    sources : sequence of Source
        The logs.
    keep : int
        Samples of each that are kept as rows.

    Raises
    ------
    UsageError
        If it is more than there is.
    """
    if keep <= KEEP_SAMPLES:
        return
    needed = sum(min(keep, _lines(source)) for source in sources) * ROW_BYTES
    if needed < WORTH_SAYING:
        return
    free = _free()
    million = needed / ROW_BYTES / 1e6
    text = f"keep={keep}: {million:.1f} million samples as rows take about {needed / 2**30:.1f} GiB"
    if free is not None and needed > free:
        raise UsageError(f"{text}, {free / 2**30:.1f} GiB are free; keep fewer")
    warnings.warn(text, RtlatWarning, stacklevel=3)


def _lines(source: Source) -> int:
    """About how many lines a log has, by those at its beginning."""
    size = source.stored.size
    if size is None:
        return 0
    try:
        start = next(source.chunks(_LOOKED_AT), b"")
    except LogError:
        return 0
    if len(start) < _LOOKED_AT:
        return start.count(b"\n")
    return start.count(b"\n") * size // source.stored.reached


def _free() -> int | None:
    """Memory that is free, or would be made so, in bytes."""
    try:
        said = Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:
        return None
    return next((int(line.split()[1]) << 10 for line in said.splitlines() if line.startswith("MemAvailable:")), None)
