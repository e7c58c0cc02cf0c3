"""Sample lines of ``cyclictest -v``, a block at a time: eight digits are read as one 64-bit number.

::

           0:      17:      41      %8d:%8lu:%8ld   thread, cycle, latency

A line is 26 characters long until the cycle needs nine digits (27.8 h at 1 kHz). Every line of that shape is
read by numpy; any other is handed on cleaned, for the caller to read exactly: negative or nine-digit
latencies, lines with prefixes or control characters, and all that is no sample.

Private to ``cyclictest_text``, and imports no other format.

Source: rt-tests ``src/cyclictest/cyclictest.c`` (print_stat).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rtlat.digits import Array, decimal, every, faults
from rtlat.source import Block, Line, block_lines, clean

_DIGIT = every(0x10)
_LINE = re.compile(r"( *\d{1,8}):( *\d{1,18}):( *-?\d{1,19})( +\d{1,19})?\s*$", re.ASCII)
_SHORTEST, _LONGEST = 26, 30
_LARGEST = 2**62
_LAST_THREAD = 9_999


class Samples(NamedTuple):
    """Sample lines that follow each other: int64 arrays of one length."""

    line: Array
    thread: Array
    cycle: Array
    value: Array

    def part(self, which: slice | Array) -> Samples:
        """Some of the lines."""
        return Samples(*(column[which] for column in self))


def stretches(block: Block) -> Iterator[Samples | Line]:
    """Yield what a block holds, in order: samples that follow each other together, other lines one by one.

    Examples
    --------
    >>> data = b"Thread 0 Interval: 1500\\n       0:       0:      41\\n       0:       1:    1975\\n"
    >>> line, samples = stretches(Block(1, data))
    >>> line.text, samples.line.tolist(), samples.cycle.tolist(), samples.value.tolist()
    ('Thread 0 Interval: 1500', [2, 3], [0, 1], [41, 1975])
    """
    if not block.whole or b":" not in block.data:
        yield from block_lines(block)
        return
    length = block.data.find(b"\n")
    if _SHORTEST <= length <= _LONGEST and len(block.data) % (length + 1) == 0:
        samples = _even(block, length)
        if samples:
            yield samples
            return
    yield from _uneven(block)


def together(
    items: Iterable[Samples | Line], passed_over: Callable[[Line], bool]
) -> Iterator[tuple[Samples, list[Line]] | Line]:
    """Yield samples together although lines stand between them, with these; other lines one by one.

    Parameters
    ----------
    items : iterable of Samples or Line
        As `stretches` gives them: a log from a serial console has a stray line among every few samples.
    passed_over : callable
        Whether a line is only counted, whatever samples stand around it.

    Examples
    --------
    >>> rows = [sample(Line(n, f"       0:{n:8}:      20")) for n in (1, 3)]
    >>> ((samples, lines),) = together([rows[0], Line(2, "usb 1-1: new device"), rows[1]], lambda line: True)
    >>> samples.line.tolist(), [line.number for line in lines]
    ([1, 3], [2])
    """
    several: list[Samples] = []
    between: list[Line] = []
    for item in items:
        if isinstance(item, Samples):
            several.append(item)
        elif item.quote == 0 and item.whole and (one := sample(item)):
            several.append(one)
        elif several and passed_over(item):
            between.append(item)
        else:
            if several:
                yield _joined(several), between
                several, between = [], []
            yield item
    if several:
        yield _joined(several), between


def _joined(several: list[Samples]) -> Samples:
    """Samples one after the other."""
    return several[0] if len(several) == 1 else Samples(*map(np.concatenate, zip(*several, strict=True)))


def sample(line: Line) -> Samples | None:
    """Return a line's sample, whatever its widths; None if it is none, or may be cut.

    With ``--smi`` a fourth number follows without a colon. A number shorter than its field is padded, so an
    unpadded number of fewer than eight characters has lost some.

    Examples
    --------
    >>> sample(Line(7, "       0:     736:     -16")).value.tolist()
    [-16]
    >>> sample(Line(7, "       0:     736:      1"))
    """
    match = _LINE.match(line.text)
    if not match:
        return None
    padded = [len(number) == 8 or (len(number) > 8 and number[0] != " ") for number in match.groups()[:3]]
    certain = line.whole or (match[3][0] == " " and not match[4])
    numbers = [int(number) for number in match.groups()[:3]]
    if not all(padded) or not certain or numbers[0] > _LAST_THREAD or abs(numbers[2]) > _LARGEST:
        return None
    return Samples(*(np.array([number], np.int64) for number in (line.number, *numbers)))


def _even(block: Block, length: int) -> Samples | None:
    """A block of sample lines of one length; None if a single one differs."""
    data, width = block.data, length + 1
    n = len(data) // width
    if not (np.frombuffer(data, np.uint8)[length::width] == 10).all():
        return None

    def words(at: int) -> Array:
        return np.ascontiguousarray(np.ndarray((n,), "S8", data, at, (width,))).view("<u8")

    def characters(at: int) -> Array:
        return np.ndarray((n,), np.uint8, data, at, (width,))

    bad, thread, cycle, value = _numbers(words, characters, length)
    return None if bad.any() else Samples(np.arange(block.first, block.first + n), thread, cycle, value)


def _uneven(block: Block) -> Iterator[Samples | Line]:
    """Any block: the sample lines among the others, found by where their colons stand."""
    data = block.data
    text = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(text == 10)
    starts = np.concatenate(([0], ends[:-1] + 1))
    lengths = ends - starts
    likely = np.flatnonzero((lengths >= _SHORTEST) & (lengths <= _LONGEST))
    likely = likely[(text[starts[likely] + 8] == 58) & (text[ends[likely] - 9] == 58)]
    if not len(likely):
        yield from block_lines(block)
        return
    every_word = np.ndarray((len(data) - 7,), "S8", data, 0, (1,))
    good = np.zeros(len(ends), np.bool_)
    parts: list[Samples] = []
    for length in np.flatnonzero(np.bincount(lengths[likely])).tolist():
        where = likely[lengths[likely] == length]
        begin = starts[where]
        bad, *numbers = _numbers(
            lambda at, begin=begin: every_word[begin + at].view("<u8"),  # type: ignore[misc]
            lambda at, begin=begin: text[begin + at],  # type: ignore[misc]
            length,
        )
        sound = bad == 0
        good[where] = sound
        parts.append(Samples(where + block.first, *numbers).part(sound))
    samples = _joined(parts)
    if len(parts) > 1:
        samples = samples.part(np.argsort(samples.line, kind="stable"))
    before = np.concatenate(([0], np.cumsum(good)))
    edges = np.flatnonzero(np.diff(good, prepend=not good[0], append=not good[-1])).tolist()
    for start, stop in pairwise(edges):
        if good[start]:
            yield samples.part(slice(before[start], before[stop]))
        else:
            for row in range(start, stop):
                yield from clean(data[starts[row] : ends[row]], block.first + row)


def _numbers(
    words: Callable[[int], Array], characters: Callable[[int], Array], length: int
) -> tuple[Array, Array, Array, Array]:
    """Thread, cycle and value of lines of one length, after a column that is not 0 where a line is no sample."""
    extra = length - _SHORTEST
    cycles, values = words(9 + extra), words(18 + extra)
    bad = faults(cycles) | faults(values)
    bad |= (characters(8) != 58).astype(np.uint64) | (characters(17 + extra) != 58).astype(np.uint64)
    cycle, value = decimal(cycles), decimal(values)
    for place in range(extra):  # the digits of a cycle before its last eight
        digit = characters(8 + extra - place).astype(np.int64) - 48
        bad |= ((digit < 0) | (digit > 9)).astype(np.uint64) | ((cycles & _DIGIT) ^ _DIGIT)
        cycle += digit * 10 ** (8 + place)
    # a thread's lines come in bursts: each change is read once
    threads = words(0)
    heads = np.flatnonzero(np.concatenate(([True], threads[1:] != threads[:-1])))
    runs = np.diff(heads, append=len(threads))
    first = threads[heads]
    thread = decimal(first)
    bad |= np.repeat(faults(first) | (thread > _LAST_THREAD).astype(np.uint64), runs)
    return bad, np.repeat(thread, runs), cycle, value
