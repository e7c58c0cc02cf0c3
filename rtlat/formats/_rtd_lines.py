"""Each line that Xenomai's ``latency`` and EVL's ``latmus`` print, from text to numbers.

Times become whole nanoseconds: the tools hold them so, and print them as microseconds with three decimals
(Xenomai 2.0: as they are). A line that lacks a digit of them is no line.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from rtlat import schema
from rtlat.formats._rtd_folded import Bin, Row
from rtlat.source import Line

LATMUS_MODES = {
    "irq": ("irq", "irq"),
    "sirq": ("irq", "sirq"),
    "kernel": ("thread", "kernel"),
    "user": ("thread", "user"),
    "oob-gpio": ("round_trip", "user"),
    "inband-gpio": ("round_trip", "user"),
}
"""What a context of EVL's ``latmus`` measures, and where its code runs; those named gpio wait for another machine."""

MODES = {
    "periodic user-mode task": ("thread", "user"),
    "in-kernel periodic task": ("thread", "kernel"),
    "in-kernel timer handler": ("irq", "irq"),
    **LATMUS_MODES,
}
"""What a test mode measures, and where its code runs."""

TEN_MS = 10_000_000
"""Where every minimum starts, and with a minus every maximum: a line prints it if no sample went beyond. [ns]"""


class Window(NamedTuple):
    """An RTD line; times in ns, totals as they run, -1 where there is no such column."""

    line: int
    low: int
    avg: int
    high: int
    overruns: int
    switches: int
    best: int
    worst: int


class Summary(NamedTuple):
    """The RTS line, or the comment of a ``-g`` file; times in ns, durations in s, -1 if not printed."""

    line: int
    low: int
    avg: int
    high: int
    overruns: int
    switches: int
    actual: int = -1
    asked: int = -1


class Stats(NamedTuple):
    """An HSS line: samples, and their average and standard deviation in bins."""

    line: int
    n: int
    mean: float
    std: float


class Setting(NamedTuple):
    """What stands in brackets after a clock; -1 where it is not printed. Only ``latmus`` names a CPU."""

    mode: str
    period: int
    priority: int
    cpu: int


class Tidy(NamedTuple):
    """A line with its cells stripped, whether ^C stood before it, and whether Markdown drew it."""

    text: str
    stopped: bool
    markdown: bool


_US, _NS = r"(-?\d{1,9}[.,]\d{3})", r"(-?\d{1,12})"
_TOTAL, _COUNT = r"(-?\d{1,11})", r"(\d{1,19})"
_WINDOW = {
    unit: re.compile(rf"RTD\|{time}\|{time}\|{time}\|{_TOTAL}\|(?:(\d{{1,11}})\|)?{time}\|{time}")
    for unit, time in (("us", _US), ("ns", _NS))
}
_SUMMARY = {
    unit: re.compile(rf"RTS\|{time}\|{time}\|{time}\|{_TOTAL}\|(?:(\d{{1,11}})\|)?([-\d:]{{8,15}})/([-\d:]{{8,15}})")
    for unit, time in (("us", _US), ("ns", _NS))
}
WINDOW_IN_US = _WINDOW["us"]
"""An RTD line that `tidy` has returned, in the unit of all versions but 2.0."""

_CLOCK = re.compile(r"(?:RTT\||# )([-\d:]{8,15}) *(?:\((.{1,100})\))?")
_SECONDS = re.compile(r"(\d{2,6}):(\d\d):(\d\d)")
_SETTING = re.compile(r"([^,()]{1,40}), (\d{1,9}) us period(?:, priority (\d{1,4}))?(?:, CPU(\d{1,4})(?:-noisol)?)?")
_BIN = re.compile(rf"HSD\|(min|avg|max)\|(\d{{1,9}}) *- *(\d{{1,9}})\|{_COUNT}")
_STATS = re.compile(rf"HSS\|(min|avg|max)\|{_COUNT}\|(-?\d{{1,12}}\.\d{{3}})\|(\d{{1,12}}\.\d{{3}})")
_DRAWN_TOTALS = re.compile(rf"# *{_US}\|{_US}\|{_US}\|{_TOTAL}\|(\d{{1,11}})")
_DRAWN_ROW = re.compile(r"(\d{1,12}(?:\.\d{1,12})?(?:e\+\d\d)?) (-?\d{1,19})")


LONGEST = 5_000
"""Of a longer line only the start is looked at."""


def tidy(line: Line) -> Tidy:
    """Return a line without what surrounds its cells.

    Examples
    --------
    >>> tidy(Line(1, "  RTD|  4.458|  49.833  ", stopped=True))
    Tidy(text='RTD|4.458|49.833', stopped=True, markdown=False)
    >>> tidy(Line(1, "| **RTD** | 1.485   | 2.709   |"))
    Tidy(text='RTD|1.485|2.709', stopped=False, markdown=True)
    """
    text = line.text[:LONGEST].strip()
    markdown = text.startswith("|")
    if "|" in text:
        cells = [cell.strip() for cell in text.removeprefix("|").replace("**", "").split("|")]
        while cells and not cells[-1]:
            cells.pop()
        text = "|".join(cells)
    return Tidy(text, line.stopped, markdown)


def window(text: str, line: int) -> tuple[Window, str] | None:
    """Return an RTD line's numbers and the unit they are printed in; None if it is none of ``latency``.

    Examples
    --------
    >>> window("RTD|-0.542|4.182|9.375|0|-0.542|9.375", 8)
    (Window(line=8, low=-542, avg=4182, high=9375, overruns=0, switches=-1, best=-542, worst=9375), 'us')
    >>> window("RTD|-0.542|4.182|9.375|0|-0.542|9.37", 8) is None
    True
    """
    for unit, pattern in _WINDOW.items():
        if row := pattern.fullmatch(text):
            low, avg, high, best, worst = (_ns(row[cell]) for cell in (1, 2, 3, 6, 7))
            if low <= avg <= high:
                return Window(line, low, avg, high, int(row[4]), int(row[5] or -1), best, worst), unit
    return None


def summary(text: str, line: int) -> tuple[Summary, str] | None:
    """Return an RTS line's numbers and the unit they are printed in; None if it is none of ``latency``."""
    for unit, pattern in _SUMMARY.items():
        if row := pattern.fullmatch(text):
            low, avg, high = (_ns(row[cell]) for cell in (1, 2, 3))
            actual, asked = seconds(row[6]), seconds(row[7])
            return Summary(line, low, avg, high, int(row[4]), int(row[5] or -1), actual, asked), unit
    return None


def clock(text: str) -> tuple[int, str] | None:
    """Return the seconds that RTT, or the first comment of ``-g``, shows, and what stands in brackets after them."""
    row = _CLOCK.fullmatch(text)
    return (seconds(row[1]), row[2] or "") if row and seconds(row[1]) >= 0 else None


@lru_cache(maxsize=64)
def setting(text: str) -> Setting | None:
    """Return what stands in brackets after a clock; None if it is something else.

    Examples
    --------
    >>> setting("user, 1000 us period, priority 98, CPU1")
    Setting(mode='user', period=1000000, priority=98, cpu=1)
    """
    words = _SETTING.fullmatch(text)
    return Setting(words[1], int(words[2]) * 1000, int(words[3] or -1), int(words[4] or -1)) if words else None


def clock_setting(text: str) -> Setting | None:
    """Return what stands in brackets after the clock of an RTT line; None if nothing does, or something else."""
    found = clock(text)
    return setting(found[1]) if found else None


def histogram_bin(text: str, line: int) -> tuple[str, int, Bin] | None:
    """Return an HSD line's histogram, bin number and count; None if it is damaged."""
    row = _BIN.fullmatch(text)
    n = _count(row[4]) if row else 0
    return (row[1], int(row[2]), Bin(n, line)) if row and n > 0 and int(row[3]) == int(row[2]) + 1 else None


def stats(text: str, line: int) -> tuple[str, Stats] | None:
    """Return an HSS line's histogram and numbers; None if it is damaged, or about nothing (average nan)."""
    row = _STATS.fullmatch(text)
    n = _count(row[2]) if row else 0
    return (row[1], Stats(line, n, float(row[3]), float(row[4]))) if row and n > 0 else None


def drawn_totals(text: str, line: int, actual: int) -> Summary | None:
    """Return the totals in the comments of ``-g``, with the duration that an earlier comment gave."""
    row = _DRAWN_TOTALS.fullmatch(text)
    if not row:
        return None
    return Summary(line, _ns(row[1]), _ns(row[2]), _ns(row[3]), int(row[4]), int(row[5]), actual)


def drawn_row(text: str, line: int) -> Row | None:
    """Return a row of ``-g``; its count may be negative where a 32-bit counter has wrapped."""
    row = _DRAWN_ROW.fullmatch(text)
    return Row(row[1], int(row[2]), line) if row and abs(int(row[2])) <= schema.LARGEST_COUNT else None


def seconds(text: str) -> int:
    """Return hh:mm:ss in seconds; -1 if it is none (`00:00:-01` of a test stopped in its warm-up)."""
    time = _SECONDS.fullmatch(text)
    return int(time[1]) * 3600 + int(time[2]) * 60 + int(time[3]) if time else -1


def us(time: float) -> str:
    """Return a time [ns] as ``latency`` prints it.

    Examples
    --------
    >>> us(-542)
    '-0.542 us'
    """
    return f"{time / 1000:.3f} us"


def _ns(text: str) -> int:
    """A time in ns: three decimals of us, or none of ns (`4,458` where the locale has a comma)."""
    return int(text.replace(".", "").replace(",", ""))


def _count(text: str) -> int:
    """A count; -1 if it is none that a tool can print."""
    try:
        return schema.count(text)
    except ValueError:
        return -1
