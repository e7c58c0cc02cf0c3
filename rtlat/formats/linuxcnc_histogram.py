"""The lines of LinuxCNC's ``latency-histogram --nox``: extremes and standard deviation of each thread, every second.

::

    12 secs servo min: -10.205 us max: 32.325 us sdev: 1.312 us

The latency of LinuxCNC is how much the time between two runs of a thread differs from its period: a late run is
followed by one that seems early, so values are signed, and none of them is a wake-up latency. Minimum and maximum
are of the time since the start or the last reset: the last line of a thread says all that those before it said. The
standard deviation is kept only while no value is beyond 46 us: its component squares nanoseconds in 32 bits.

The layout of the line is known from its description only.

Sources: LinuxCNC ``scripts/latency-histogram``, ``src/hal/components/latencybins.comp``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from rtlat import schema
from rtlat.errors import LogError
from rtlat.protocol import Format, Run, Tally
from rtlat.source import Line, Source

_NUMBER = r"(-?\d{1,9}(?:\.\d{1,6})?)"
_UNIT = r"(?: ?[uUµ][sS])?,?"
_LINE = re.compile(
    rf"\s*(\d{{1,9}}) secs? +(base|servo)(?: thread)?,?:? +min: *{_NUMBER}{_UNIT} +max: *{_NUMBER}{_UNIT}"
    rf" +sdev: *{_NUMBER}{_UNIT}\s*$"
)
_LINE_LIKE = re.compile(r"\s*\d+ secs? +(?:base|servo)\b")
_SQUARED_IN_32_BITS = 46_340.0  # [ns]


@dataclass(frozen=True, slots=True)
class _Shown:
    """What one line shows of a thread."""

    seconds: int
    low: float
    high: float
    std: float
    line: int


@dataclass(slots=True)
class _Stretch:
    """The lines from a start or a reset on: the last of each thread."""

    quoted: bool
    threads: dict[str, _Shown] = field(default_factory=dict)


def parse(source: Source) -> Iterator[Run]:
    """Yield a run for each stretch without a reset.

    Raises
    ------
    LogError
        If there is no readable line.

    Examples
    --------
    >>> line = "{} secs servo min: -4.1 us max: {} us sdev: 0.9 us"
    >>> log = f"{line.format(1, 5.0)}\\n{line.format(2, 9.7)}\\n".encode()
    >>> (run,) = parse(Source(None, "demo", log))
    >>> rows = run.rows.arrays()
    >>> rows["low"].tolist(), rows["high"].tolist(), rows["quantity"].tolist(), run.facts["duration"]
    ([-4100.0], [9700.0], ['period_jitter'], 2.0)
    """
    ignored, rejected = Tally(), Tally()
    stretches: list[_Stretch] = []
    for line in source.lines():
        found = _LINE.match(line.text) if line.whole else None
        shown = _shown(found, line) if found else None
        if not found or not shown:
            if _LINE_LIKE.match(line.text):
                rejected.add("damaged line" if line.whole else "cut last line", line.number)
            elif line.text.strip():
                ignored.add("text around the lines", line.number)
            continue
        last = stretches[-1].threads.get(found[2]) if stretches else None
        if not stretches or stretches[-1].quoted != (line.quote > 0) or (last and _restarted(last, shown)):
            stretches.append(_Stretch(line.quote > 0))
        elif last:
            ignored.add("lines whose extremes a later one repeats", last.line)
        stretches[-1].threads[found[2]] = shown
    if not stretches:
        raise LogError(
            source.name, "no readable line", "lines like '12 secs servo min: -10.2 us max: 32.3 us sdev: 1.3 us'"
        )
    for stretch in stretches:
        run = _run(stretch, rejected)
        run.ignored, ignored = ignored, Tally()
        run.rejected, rejected = rejected, Tally()
        yield run


def _shown(found: re.Match[str], line: Line) -> _Shown | None:
    """The numbers of a line; None if they contradict each other."""
    low, high, std = (schema.to_ns(found[group], "us") for group in (3, 4, 5))
    if low > high or not 0 <= std <= high - low:
        return None
    return _Shown(int(found[1]), low, high, std, line.number)


def _restarted(last: _Shown, shown: _Shown) -> bool:
    """Whether extremes or the clock went back."""
    return shown.seconds < last.seconds or shown.low > last.low or shown.high < last.high


def _run(stretch: _Stretch, rejected: Tally) -> Run:
    """The run of one stretch."""
    run = Run("latency-histogram", quoted=stretch.quoted)
    run.facts = {
        "variant": "LinuxCNC --nox",
        "printed_unit": "us",
        "unit_basis": "documented",
        "resolution": 1.0,
        "rounding": "unknown",
        "duration": float(max(shown.seconds for shown in stretch.threads.values())),
        "duration_basis": "printed",
        "ended": "unknown",
        "evidence": "log",
    }
    for thread, shown in stretch.threads.items():
        std = shown.std
        if max(-shown.low, shown.high) > _SQUARED_IN_32_BITS:
            std = math.nan
            run.warnings.append(
                f"line {shown.line}: {thread}: the standard deviation may have overflown, it is not kept"
            )
        run.rows.add(thread, "period_jitter", "summary", shown.low, shown.high, std=std, line=shown.line)
    if rejected.total:
        first = min(line for _, line in rejected.reasons.values())
        run.warnings.append(f"{rejected.total} lines could not be read (the first in line {first})")
    return run


FORMAT = Format(
    name="linuxcnc_histogram",
    title="LinuxCNC: latency-histogram --nox",
    gives="a summary of period jitter for each thread",
    versions="untested on real logs",
    words=("sdev:",),
    marks=(_LINE,),
    parse=parse,
)
