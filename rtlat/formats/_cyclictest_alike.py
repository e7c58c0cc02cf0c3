"""Histograms of many logs that differ in nothing but their numbers, read together.

A laboratory's ten thousand logs were printed by the same few commands: they are the same up to the table, the
digits of their rows stand in the same columns, and they end with the footer. The first of such logs is read as
any log is, and what it says besides its numbers holds for all. The numbers of the others become one array. A log
whose rows and footer do not agree in every point is left to be read by itself: nothing is judged here.

Private to ``cyclictest_text``.
"""

from __future__ import annotations

import gc
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from rtlat.columns import Array, Words, joined
from rtlat.formats._cyclictest_context import recognise
from rtlat.formats._cyclictest_rows import AS_ZERO, HEADING, even
from rtlat.formats._cyclictest_statements import FIRST_MIN, HUGE_AVERAGE, Cells, Counted, counted
from rtlat.protocol import Run
from rtlat.rows import Rows

_MANY = 3
"""Of fewer logs that are alike each is read by itself."""

_AT_ONCE = 768 << 10
"""Bytes of rows that become one array: much more does not stay in the processor's cache."""

_NUMBERS = r"((?: \d{5,18})+) *\n"  # none of them is of a run with a negative latency
_FOOT = re.compile(
    r"(?:# Total:((?: \d{9,18})+) *\n)?"
    rf"# Min Latencies:{_NUMBERS}# Avg Latencies:{_NUMBERS}# Max Latencies:{_NUMBERS}"
    rf"# Histogram Overflows:{_NUMBERS}# Histogram Overflow at cycle number:\n"
    r"((?:# Thread \d{1,4}:(?: \d{5,18})* *(?:# \d{1,18} others)?\n)+)\n?",
    re.ASCII,
)
# what the tool prints before a table; other lines may be another tool's, or say that some were left out
_OWN = {"latency", "no_latency", "max_cpus", "online", "interval", "using", "policies", "policy", "load"}
_OWN |= {"kernel_26", "warning", "warn"}
_LIST = re.compile(r"# Thread (\d+):([ \d]*)(?:# (\d+) others)?\n", re.ASCII)


class _Text(NamedTuple):
    """A log cut into what it shares with those that are alike, and its numbers."""

    head: bytes
    layout: tuple[bytes, int, bool, bool]
    rows: memoryview
    footer: tuple[str, ...]
    lists: str


class _Listed(NamedTuple):
    """Cycle numbers at which a thread's latency lay beyond the table, and how many more there were."""

    thread: int
    cycles: list[str]
    others: str


class _Printed(NamedTuple):
    """What the footers of several logs say: arrays of a row for each log and a column for each thread."""

    total: Array
    min: Array
    avg: Array
    max: Array
    over: Array


@contextmanager
def _no_housekeeping() -> Iterator[None]:
    """Look for no garbage meanwhile, and give back no memory: all that is made is kept, and both take half the time."""
    np.empty(1 << 24, np.uint8)  # as much as it has seen freed at once the C library then holds ready
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@_no_housekeeping()
def read_alike(texts: Sequence[bytes], read: Callable[[bytes], list[Run]]) -> list[Run | None]:
    """Return the runs of logs as `read` would; None for each that has to be read by itself.

    Parameters
    ----------
    texts : sequence of bytes
        The logs.
    read : callable
        Returns the runs of one log.
    """
    cut = [_cut(text) for text in texts]
    alike: dict[object, list[int]] = {}
    for place, text in enumerate(cut):
        if text:
            alike.setdefault((text.head, text.layout), []).append(place)
    found: list[Run | None] = [None] * len(texts)
    for places in alike.values():
        several = [text for place in places if (text := cut[place])]
        first = read(texts[places[0]]) if len(places) >= _MANY else []
        if len(first) == 1 and not (first[0].warnings or first[0].rejected.total or first[0].quoted):
            for place, run in zip(places, _as_the_first(first[0], several), strict=False):
                found[place] = run
    return found


def _cut(text: bytes) -> _Text | None:
    """A log that holds one histogram with its whole footer, and nothing after it."""
    begin = text.find(HEADING) + len(HEADING)
    end = text.find(b"#", begin)
    foot = _FOOT.fullmatch(text[end:].decode("latin-1")) if begin >= len(HEADING) and end > begin else None
    if not foot or not _is_own(text[: begin - len(HEADING)]):
        return None
    *footer, lists = foot.groups()
    row = text[begin : text.find(b"\n", begin)].translate(AS_ZERO)
    layout = row, end - begin, footer[0] is None, ": \n" in lists
    return _Text(text[:begin], layout, memoryview(text)[begin:end], tuple(footer), lists)


@lru_cache(1000)
def _is_own(head: bytes) -> bool:
    """Whether all lines before a table are cyclictest's own."""
    return all(recognise(line)[0] in _OWN for line in head.decode("latin-1").split("\n") if line)


def _as_the_first(first: Run, texts: list[_Text]) -> Iterator[Run | None]:
    """The runs of logs that are alike, some at once; none if the first one's would not be as it was read."""
    several = max(1, _AT_ONCE // len(texts[0].rows))
    for start in range(0, len(texts), several):
        runs = _runs(first, texts[start : start + several])
        if start == 0 and not (runs[0] and _is_same(runs[0], first)):
            return
        yield from runs


def _is_same(run: Run, first: Run) -> bool:
    """Whether two runs state the same."""
    (mine, my_words), (theirs, their_words) = (joined(of.rows.chunks()) for of in (run, first))
    equal = [np.array_equal(mine[name], theirs[name], equal_nan=mine[name].dtype == np.float64) for name in mine]
    equal += [my_words[name].names == their_words[name].names for name in my_words]
    equal += [np.array_equal(my_words[name].codes, their_words[name].codes) for name in my_words]
    return run.series == first.series and all(equal)


def _runs(first: Run, texts: list[_Text]) -> list[Run | None]:
    """The runs of logs that are alike; None for each in which something does not agree."""
    rows = even(b"".join(text.rows for text in texts), texts[0].head.count(b"\n") + 1, len(texts))
    printed = _printed(texts, rows.width) if rows else None
    if not rows or not printed:
        return [None] * len(texts)
    buckets = rows.bucket.reshape(len(texts), -1)
    place = rows.thread // rows.width * buckets.shape[1] + rows.row
    cells = Cells(rows.line[rows.row], rows.bucket[place], rows.thread, rows.n)
    of_rows = Counted(*(numbers.reshape(printed.min.shape) for numbers in counted(cells, printed.min.size)))
    lists = [_lists(text.lists, over) for text, over in zip(texts, printed.over.tolist(), strict=True)]
    full = [max((len(cycles) for _, cycles, others in listed or () if others), default=0) for listed in lists]
    edge = np.maximum(buckets[:, -1] + 1, full)
    agree = _agree(of_rows, printed, edge[:, None]) & (buckets[:, 1:] > buckets[:, :-1]).all(axis=1)
    logs = _Logs(first, int(rows.line[-1]) + 1, cells, of_rows.n + printed.over, edge, printed)
    sound = zip(agree.tolist(), lists, strict=True)
    return [
        None if listed is None or not agrees else logs.run(log, listed) for log, (agrees, listed) in enumerate(sound)
    ]


def _printed(texts: list[_Text], threads: int) -> _Printed | None:
    """The numbers of the footers; None if a line of one has not one for each thread."""
    columns = []
    for lines in zip(*(text.footer for text in texts), strict=True):
        if any(line and line.count(" ") != threads for line in lines):
            return None
        numbers = np.fromstring("".join(line or "" for line in lines), np.int64, sep=" ")
        columns.append(numbers.reshape(len(texts), -1))
    return _Printed(*columns)


def _lists(text: str, over: list[int]) -> list[_Listed] | None:
    """The threads that list cycle numbers; None if one lists not as many as it counts."""
    if not any(over) and text in _no_lists(len(over)):
        return []
    found = [_Listed(int(thread), cycles.split(), others) for thread, cycles, others in _LIST.findall(text)]
    n = [(thread, len(cycles) + int(others or 0)) for thread, cycles, others in found]
    return [listed for listed in found if listed.cycles] if n == list(enumerate(over)) else None


@lru_cache(100)
def _no_lists(threads: int) -> tuple[str, str]:
    """What is printed where no thread has anything to list; with a blank from 2.7 on."""
    without, blank = ("".join(f"# Thread {thread}:{end}" for thread in range(threads)) for end in ("\n", " \n"))
    return without, blank


def _agree(rows: Counted, printed: _Printed, edge: Array) -> Array:
    """Whether rows and footer of each log agree, and nothing in them calls for a word."""
    total, least, average, most, over = printed
    if rows.sum.dtype == object or float(most.max()) * float(over.max() + 1) + float(rows.sum.max()) >= 2**62:
        return np.zeros(len(least), np.bool_)
    n = np.maximum(rows.n + over, 1)
    lowest = rows.sum + np.where(over > 0, (over - 1) * edge + most, 0)
    fine = (rows.n > 0) & (least == rows.least) & (least != FIRST_MIN) & (average < HUGE_AVERAGE)
    fine &= np.where(over > 0, most >= edge, most == rows.highest) & (least <= average) & (average <= most)
    fine &= (lowest // n <= average) & (average <= (rows.sum + over * most) // n)
    if total.size:
        fine &= total == rows.n
    return np.asarray(fine.all(axis=1) & (least.min(axis=1) < 1000))  # more may be nanoseconds


class _Logs:
    """Logs whose rows and footers agree, and what the first one says besides its numbers.

    Parameters
    ----------
    first : Run
        As it was read.
    foot : int
        The line number of the footers' first line.
    cells : Cells
        The counts of all logs, one after the other.
    n, edge : int64 arrays
        Observations of each thread of each log; what lies beyond the table is so long [buckets].
    printed : _Printed
        What the footers say.
    """

    def __init__(self, first: Run, foot: int, cells: Cells, n: Array, edge: Array, printed: _Printed) -> None:
        threads, step = n.shape[1], int(first.facts["resolution"])
        self.first, self.n = first, n.tolist()
        self.names = [f"t{thread}" for thread in range(threads)]
        self.max_line = foot + 2 + (printed.total.size > 0)
        # half as wide where they fit: new memory is what takes most of the time
        fits = max(int(n.max()), int(edge.max()) * step) < 2**31
        narrow: type[np.signedinteger[Any]] = np.int32 if fits else np.int64
        self.low = cells.bucket.astype(narrow)
        self.low *= step
        self.high = self.low + step
        self.line, self.count = cells.line.astype(np.int32), cells.n.astype(narrow)
        self.thread = (cells.thread % threads).astype(np.int16)
        self.ends = cells.thread.searchsorted(np.arange(0, n.size + 1, threads)).tolist()
        self.min, self.avg, self.max = (numbers * step for numbers in (printed.min, printed.avg, printed.max))
        self.over, self.edge = printed.over.tolist(), (edge * step).tolist()

    def run(self, log: int, lists: list[_Listed]) -> Run:
        """Return a log's run, its statements in the order of `_cyclictest_statements`."""
        first, names, n = self.first, self.names, self.n[log]
        here = slice(self.ends[log], self.ends[log + 1])
        rows, words = Rows(), Words(self.thread[here], names)
        low, high, count, line = self.low[here], self.high[here], self.count[here], self.line[here]
        rows.extend(words, "thread", "bin", low, high, n=count, line=line)
        if lists:
            seq = [int(cycle) for listed in lists for cycle in listed.cycles]
            threads = [names[listed.thread] for listed in lists for _ in listed.cycles]
            lines = [self.max_line + 3 + listed.thread for listed in lists for _ in listed.cycles]
            ends = self._beyond(log, len(seq))
            rows.extend(threads, "thread", "bin", *ends, n=1, of="over", seq=seq, line=lines)
        if over := {name: n for name, n in zip(names, self.over[log], strict=True) if n}:
            ends = self._beyond(log, len(over))
            rows.extend(list(over), "thread", "bin", *ends, n=list(over.values()), line=self.max_line + 1)
        least, most, average = self.min[log], self.max[log], self.avg[log]
        rows.extend(names, "thread", "summary", least, most, n=n, avg=average, line=self.max_line)
        series = {name: {**first.series[name], "n": n} for name, n in zip(names, n, strict=True)}
        return Run(first.tool, rows, dict(first.facts), series, first.ignored.copy())

    def _beyond(self, log: int, number: int) -> tuple[list[float], list[float]]:
        """The ends of so many observations beyond a log's table."""
        return [self.edge[log]] * number, [math.inf] * number
