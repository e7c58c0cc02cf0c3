"""What only EVL's ``latmus`` prints: how it starts and stops, and the file of its ``-g``.

::

    # libevl version: evl.0.44 -- #a3ceb80 (2023-05-21)
    # context: user
    # max latency: 31.204
    # sample count: 60000
    26 51234
    199+ 3

A row is a number of whole microseconds and how many absolute values begin with it; a plus says that the last one
holds all beyond, too. The first libevl adds one to each row, later ones to each but the last (``histogram[n] + 1``);
today's adds none and prints zeros (benchmarks/latmus.c, then benchmarks/latmus/stats.c). The sum of the rows against
the sample count shows which it is; the versions without a sample count are those that add one.

The driver takes whole periods off a late sample before it enters anything, and counts them as overruns
(drivers/evl/latmus.c, ``add_measurement_sample``); the box that times GPIO answers does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rtlat import schema
from rtlat.formats._rtd_folded import DEFAULT_WIDTH, Bin, Decoded, Row
from rtlat.formats._rtd_gathered import LATMUS, LatencyTest
from rtlat.formats._rtd_lines import MODES, Summary, seconds

_STARTED = re.compile(
    r"(?:warming up|running quietly for \d{1,9} seconds) on CPU(\d{1,4})\b.{0,40}|connecting to latmon .*"
)
_TOO_LATE = re.compile(r"latency threshold is exceeded \((\d{1,12}) >= (-?\d{1,9}\.\d{3})\), aborting\.")
_WEIRD = "results look weird, aborting."
_UNRELIABLE = re.compile(
    r"(?:\*\*\* )?WARNING: unexpected switches to in-band mode detected,.*|# DEGRADED MODE DETECTED.*"
)
_ABORTED = "*** OOPS: aborting upon spurious switch to in-band mode."

_US, _NUMBER, _TIME = r"(-?\d{1,9}\.\d{3})", r"(\d{1,19})", r"([\d:]{8,15})"
_COMMENTS = {
    key: re.compile(rf"# (?:(?:timer|gpio) )?{pattern}")
    for key, pattern in {
        "started": r"[tT]est started on: (.{1,60})",
        "kernel": r"Linux version (.{1,2000})",
        "version": r"libevl version: (.{1,100})",
        "period": rf"sampling period: {_NUMBER} microseconds",
        "gravity": r"clock gravity: (.{1,100})",
        "mode": rf"context: ({'|'.join(MODES)})",
        "priority": r"thread priority: (\d{1,4})",
        "cpu": r"thread affinity: CPU(\d{1,4})(?:-noisol)?",
        "duration": rf"duration \(hhmmss\): {_TIME}",
        "peak": rf"peak \(hhmmss\): {_TIME}",
        "overruns": rf"OVERRUNS: {_NUMBER}",
        "switches": rf"IN-BAND SWITCHES: {_NUMBER}",
        "low": rf"min latency: {_US}",
        "avg": rf"avg latency: {_US}",
        "high": rf"max latency: {_US}",
        "samples": rf"sample count: {_NUMBER}",
    }.items()
}
_RELEASE = re.compile(r"(\S{1,100})(?:.{0,1800}?(#\d.{0,100}))?")
_ROW = re.compile(r"(\d{1,6}\+?) (-?\d{1,19})")


def take_message(test: LatencyTest, text: str, line: int) -> bool:
    """Whether a line tells how ``latmus`` starts or stops; then it is entered into the test."""
    if started := _STARTED.fullmatch(text):
        test.tool, test.begun = LATMUS, True
        test.cpu = int(started[1] or test.cpu)
    elif late := _TOO_LATE.fullmatch(text):
        test.threshold = float(late[1])
        test.exceeded = (line, round(float(late[2]) * 1000))
    elif text == _WEIRD:
        test.weird = line
    elif _UNRELIABLE.fullmatch(text):
        test.unreliable = True
    elif text == _ABORTED:
        test.stopped = True
    else:
        return False
    return True


def starts(text: str) -> bool:
    """Whether a line tells that a run of ``latmus`` begins."""
    return bool(_STARTED.fullmatch(text))


def comment(text: str) -> tuple[str, str] | None:
    """Return what a comment of the ``-g`` file is about and its value; None if it is none that only ``latmus`` prints.

    Examples
    --------
    >>> comment("# max latency: 31.204"), comment("# timer sample count: 60000"), comment("# 00:00:04 (user)")
    (('high', '31.204'), ('samples', '60000'), None)
    """
    for key, pattern in _COMMENTS.items():
        if found := pattern.fullmatch(text):
            return key, found[1].strip()
    return None


def row(text: str, line: int) -> Row | None:
    """Return a row of the ``-g`` file; its count may be negative where a 32-bit counter has wrapped."""
    found = _ROW.fullmatch(text)
    return Row(found[1], int(found[2]), line) if found and abs(int(found[2])) <= schema.LARGEST_COUNT else None


def joined(tests: Sequence[LatencyTest]) -> Iterator[LatencyTest]:
    """Yield tests; the ``-g`` rows that newer libevl prints after the RTS line of their own run become a part of it."""
    last: LatencyTest | None = None
    for test in tests:
        if test.comments:
            take_comments(test)
        known = last.summary if last and last.tool == LATMUS and not last.drawing else None
        if last and known and test.comments and not test.windows and test.summary and known[1:5] == test.summary[1:5]:
            last.drawing, last.drawn, last.comments, last.samples = True, test.drawn, test.comments, test.samples
            last.about = test.about | last.about
            last.ignored.merge(test.ignored)
            last.rejected.merge(test.rejected)
            continue
        if last:
            yield last
        last = test
    if last:
        yield last


def take_comments(test: LatencyTest) -> None:
    """Enter what the comments of the ``-g`` file say into the test they stand in."""
    told = test.comments
    if release := _RELEASE.match(told.get("kernel", "")):
        test.about["kernel"] = " ".join(part for part in release.groups() if part)
    test.about |= {key: told[key] for key in ("started", "version", "cmdline") if key in told}
    if "gravity" in told:
        test.about["note"] = f"clock gravity {told['gravity']} ns"
    if "period" in told:
        test.periods.add(int(told["period"]) * 1000)
    test.mode = test.mode or told.get("mode", "")
    test.priority = int(told.get("priority", test.priority))
    test.cpu = int(told.get("cpu", test.cpu))
    test.samples = int(told.get("samples", -1))
    if not test.summary and {"low", "avg", "high"} <= told.keys():
        low, avg, high = (int(told[key].replace(".", "")) for key in ("low", "avg", "high"))
        if low <= avg <= high:
            totals = int(told.get("overruns", 0)), int(told.get("switches", 0))
            test.summary = Summary(test.commented, low, avg, high, *totals, seconds(told.get("duration", "")))


def decode(test: LatencyTest) -> Decoded:
    """Return the histogram behind the rows of a ``-g`` file, with what was added to each count taken off again.

    Examples
    --------
    >>> rows = [Row("26", 3, 7), Row("27", 1, 8), Row("28", 5, 9), Row("29+", 2, 10)]
    >>> decode(LatencyTest(drawn=rows, samples=8)).bins
    {26: Bin(n=2, line=7), 28: Bin(n=4, line=9), 29: Bin(n=2, line=10)}
    >>> decode(LatencyTest(drawn=rows, samples=11)).bins[27]
    Bin(n=1, line=8)
    >>> decode(LatencyTest(drawn=rows, samples=10)).doubt
    'its rows count 11 samples, the sample count is 10: they do not tell whether one was added to each'
    """
    rows, samples = test.drawn, test.samples
    total = sum(row.printed for row in rows)
    doubt = ""
    if any(row.printed == 0 for row in rows):
        added = 0
    elif samples < 0:
        added = len(rows) - 1 if "peak" in test.comments else len(rows)
        test.warnings.append("no sample count is printed: one is taken off the counts, as that libevl added it")
    else:
        added = total - samples
        if added not in (0, len(rows) - 1, len(rows)):
            doubt = f"its rows count {total} samples, the sample count is {samples}"
            doubt += ": they do not tell whether one was added to each"
    bins, strays = _undone(rows, added)
    numbers = [_number(row) for row in rows]
    outliers = bool(rows) and rows[-1].middle.endswith("+")
    gapless = numbers == list(range(numbers[0], numbers[0] + len(rows))) if rows else False
    if samples >= 0:
        complete = samples == sum(counted.n for counted in bins.values())
    else:  # trailing empty rows are not printed, so the last one is that of the largest value
        ends = (test.summary.low, test.summary.high) if test.summary else ()
        complete = outliers or (bool(ends and rows) and numbers[-1] == max(map(abs, ends)) // DEFAULT_WIDTH)
    return Decoded(DEFAULT_WIDTH, bins, strays, complete and gapless and not strays, outliers, doubt)


def _undone(rows: Sequence[Row], added: int) -> tuple[dict[int, Bin], list[Row]]:
    """The bins that are not empty, one taken off from each of the first `added` rows; and the rows that are no bins."""
    bins: dict[int, Bin] = {}
    strays: list[Row] = []
    for place, row in enumerate(rows):
        n = row.printed - (place < added)
        if n < 0 or _number(row) <= next(reversed(bins), -1) or (row.middle.endswith("+") and row is not rows[-1]):
            strays.append(row)
        elif n > 0:
            bins[_number(row)] = Bin(n, row.line)
    return bins, strays


def _number(row: Row) -> int:
    """The number of a row's bin."""
    return int(row.middle.rstrip("+"))
