"""Activations of timerlat in the tracer's own text, a block at a time.

::

              <idle>-0       [000] d.h1.    15.541057: #1     context    irq timer_latency     94171 ns
    |              task, CPU, flags     |  time stamp |  #%-5d context %6s timer_latency %9d ns

What stands before the time stamp is the same in very many lines, so one of each is read as a line (`event`). The
rest is read by numpy, from both sides: any line that is not exactly so is handed on cleaned, for the caller to read.

Source: Linux ``kernel/trace/trace_output.c`` (trace_print_lat_context) and ``print_timerlat_entry``.

Private to ``tracer_lines``, and imports no other format.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rtlat.digits import Array, Text
from rtlat.formats._tracer_event import TEXT, event
from rtlat.source import Block, Line, block_lines, clean

CONTEXTS = ("irq", "thread", "user")
"""What an activation's context may be, by its number in `Activated`."""

FEWEST = 24
"""Lines in a row below which arrays cost more than they save."""

_LAYOUTS = ((b" context    irq ", 0), (b" context thread ", 1), (b" context user-ret ", 2))
_LONGEST_PREFIX, _MOST_PREFIXES = 64, 4096
_WEIGHTS = np.random.default_rng(0x5EED).integers(1, 2**63, _LONGEST_PREFIX // 8 + 1, np.uint64) | np.uint64(1)


class Activated(NamedTuple):
    """Activations that follow each other in the log: arrays of one length, and the block's bytes to read them again."""

    line: Array
    quote: Array
    cpu: Array
    context: Array
    stamp: Array
    seq: Array
    latency: Array
    start: Array
    end: Array
    data: bytes

    def part(self, start: int, stop: int | None = None) -> Activated:
        """Return some of them."""
        return self._replace(**{name: getattr(self, name)[start:stop] for name in self._fields if name != "data"})

    def lines(self, most: int) -> Iterator[Line]:
        """Yield the first of them as lines."""
        for number, start, end in zip(self.line[:most], self.start[:most], self.end[:most], strict=True):
            yield from clean(self.data[start:end], int(number))


class Reader:
    """Takes blocks apart; it remembers what stood before time stamps.

    Examples
    --------
    >>> line = b"  <idle>-0       [003] d.h1.    15.5410%02d: #%-5d context    irq timer_latency %9d ns\\n"
    >>> block = Block(1, b"# tracer: timerlat\\n" + b"".join(line % (n, n, 94 + n) for n in range(30)))
    >>> header, found = Reader().stretches(block)
    >>> header.text, found.line[:2].tolist(), found.cpu[:2].tolist(), found.stamp[:2].tolist()
    ('# tracer: timerlat', [2, 3], [3, 3], [15541000000, 15541001000])
    >>> found.seq[:2].tolist(), found.latency[:2].tolist(), CONTEXTS[found.context[0]]
    ([0, 1], [94, 95], 'irq')
    """

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[int, int]] = {}

    def stretches(self, block: Block) -> Iterator[Activated | Line]:
        """Yield what a block holds, in order: activations that follow each other together, other lines one by one."""
        found = self._read(block) if block.whole and b"timer_latency" in block.data else None
        if found is None:
            yield from block_lines(block)
            return
        good, activated, starts, ends, data = found
        edges = np.flatnonzero(np.diff(good, prepend=not good[0], append=not good[-1])).tolist()
        before = np.concatenate(([0], np.cumsum(good)))
        for start, stop in pairwise(edges):
            if good[start] and stop - start >= FEWEST:
                yield activated.part(int(before[start]), int(before[stop]))
            else:
                for row in range(start, stop):
                    yield from clean(data[starts[row] : ends[row]], block.first + row, margin=block.margin)

    def _read(self, block: Block) -> tuple[Array, Activated, Array, Array, bytes] | None:
        """Which lines are activations, these as arrays, and where all lines begin and end; None if none is."""
        text = Text(block.data)
        lines, context, end = _payloads(text)
        if len(lines) < FEWEST or block.margin:
            return None
        start, line_end = text.starts[lines], text.ends[lines]
        begin, seq, good = _sequence_numbers(text, start, end)
        latency, sound = _latencies(text, line_end)
        stamp, prefix_end, stamped = _stamps(text, start, begin)
        kept = np.flatnonzero(good & sound & stamped)
        if not len(kept):
            return None
        cpu, quote = self._prefixes(text, start[kept], prefix_end[kept], line_end[kept])
        kept, cpu, quote = kept[cpu >= 0], cpu[cpu >= 0], quote[cpu >= 0]
        every = np.zeros(len(text.ends), np.bool_)
        every[lines[kept]] = True
        context, stamp, seq, latency, start, line_end = (
            column[kept] for column in (context, stamp, seq, latency, start, line_end)
        )
        line = block.first + lines[kept]
        activated = Activated(line, quote, cpu, context, stamp, seq, latency, start, line_end, text.data)
        return every, activated, text.starts, text.ends, text.data

    def _prefixes(self, text: Text, start: Array, end: Array, line_end: Array) -> tuple[Array, Array]:
        """CPU and depth of quoting of lines, by what stands before their time stamp; CPU -1 where it is not plain."""
        key = (end - start).astype(np.uint64)
        for place in range(0, int((end - start).max()), 8):
            width = np.clip(end - start - place, 0, 8)
            key = (key ^ (text.words(start + place) & _FIRST_BYTES[width])) * _WEIGHTS[place // 8]
            key ^= key >> np.uint64(29)
        _, first, which = np.unique(key, return_index=True, return_inverse=True)
        known = [
            self._known_prefix(text.data[start[row] : end[row]], text.data[start[row] : line_end[row]])
            for row in first.tolist()
        ]
        same = np.ones(len(start), np.bool_)  # two prefixes may share a key
        for place in range(0, int((end - start).max()), 8):
            width = np.clip(end - start - place, 0, 8)
            words = text.words(start + place) & _FIRST_BYTES[width]
            same &= words == words[first][which]
        cpu, quote = (np.array(column, np.int64)[which] for column in zip(*known, strict=True))
        return np.where(same, cpu, -1), quote

    def _known_prefix(self, prefix: bytes, line: bytes) -> tuple[int, int]:
        """CPU and depth of quoting by one line of many; CPU -1 if it is no plain activation."""
        if (known := self._known.get(prefix)) is None:
            cleaned = list(clean(line, 1))
            found = event(cleaned[0].text) if len(cleaned) == 1 and not cleaned[0].stopped else None
            plain = found is not None and (found.kind, found.dialect) == ("timerlat", TEXT)
            known = (found.cpu, cleaned[0].quote) if found and plain else (-1, 0)
            if len(self._known) >= _MOST_PREFIXES:
                self._known.clear()
            self._known[prefix] = known
        return known


def _payloads(text: Text) -> tuple[Array, Array, Array]:
    """Lines that end as an activation does, their contexts, and where the field of their number ends."""
    long = np.flatnonzero(text.ends - text.starts >= 64)
    ends = text.ends[long]
    long = long[(text.words(ends - 8) & _NS_MASK == _NS) & (text.words(ends - 20) == _word(b"latency "))]
    ends = text.ends[long]
    long = long[text.words(ends - 28) >> np.uint64(8) == _word(b" timer_\0")]
    found = []
    for layout, context in _LAYOUTS:
        ends = text.ends[long]
        begin = ends - 26 - len(layout)
        same = (text.words(begin) == _word(layout[:8])) & (text.words(ends - 26 - 8) == _word(layout[-8:]))
        same &= text.words(ends - 26 - 16) == _word(layout[-16:-8])
        found.append((long[same], np.full(int(same.sum()), context), begin[same]))
    lines, contexts, begins = (np.concatenate(columns) for columns in zip(*found, strict=True))
    order = np.argsort(lines)
    return lines[order], contexts[order], begins[order]


def _sequence_numbers(text: Text, start: Array, end: Array) -> tuple[Array, Array, Array]:
    """Where the last `#` before each place stands, the number after it, and whether that fills its field as `%-5d`."""
    hashes = np.append(0, np.flatnonzero(text.bytes == ord("#")))
    begin = hashes[np.searchsorted(hashes, end) - 1]
    width = end - begin - 1
    digits = text.digits_from(begin + 1)
    short = width == 5
    good = (begin > start + 16) & (width >= 5) & (digits > 0) & (digits <= width)
    for column in range(1, 5):
        good &= ~short | (column < digits) | (text.bytes[begin + 1 + column] == ord(" "))
    seq, wrong = text.numbers(begin + 1, np.where(short, begin + 1 + digits, end))
    return begin, seq, good & ~wrong


def _latencies(text: Text, line_end: Array) -> tuple[Array, Array]:
    """The nine characters before ` ns` [ns], and whether they are blanks and then digits."""
    latency, wrong = text.padded(line_end - 3)
    first = text.bytes[line_end - 12].astype(np.int64) - ord("0")
    whole = (first >= 0) & (first <= 9) & (text.digits_from(line_end - 11) == 8)
    good = ~wrong & (whole | (first == ord(" ") - ord("0")))
    return latency + np.where(whole, first, 0) * 10**8, good


def _stamps(text: Text, start: Array, begin: Array) -> tuple[Array, Array, Array]:
    """The time stamps before `: #` [ns], where they begin, and whether they have six decimals and stand apart."""
    colon = begin - 2
    good = (text.bytes[colon] == ord(":")) & (text.bytes[colon + 1] == ord(" ")) & (text.bytes[colon - 7] == ord("."))
    digits = text.digits_before(colon - 7)
    first = colon - 7 - digits
    seconds, wrong = text.numbers(first, colon - 7)
    micros, wrong_too = text.numbers(colon - 6, colon)
    good &= ~wrong & ~wrong_too & (digits < 8) & (text.bytes[first - 1] == ord(" "))
    good &= (first > start) & (first - start <= _LONGEST_PREFIX)
    return seconds * 10**9 + micros * 1000, first, good


def _word(text: bytes) -> np.uint64:
    """Eight characters as `Text.words` gives them."""
    return np.uint64(int.from_bytes(text, "little"))


_NS, _NS_MASK = _word(b"\0\0\0\0\0 ns"), _word(b"\0\0\0\0\0\xff\xff\xff")
_FIRST_BYTES = np.array([2 ** (8 * width) - 1 for width in range(9)], np.uint64)
