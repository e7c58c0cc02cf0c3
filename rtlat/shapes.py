"""Lines that differ only in their digits: one of them is read exactly, all others as that one says.

A log of a million lines has a few hundred shapes, the lines with every digit made a 0. Whoever can read a line by
patterns that take any digit for any other need not read a second one of its shape: what stands where is known, and the
numbers of all of them are read by numpy at once. Lines are compared with those of their shape byte by byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Generic, TypeVar

import numpy as np

from rtlat.digits import LAST_BYTES, Array, Text, decimal
from rtlat.source import Block, Line, block_lines, clean

LONGEST = 256
"""Of lines that are read by their shape: others are few. [bytes]"""

MOST_SHAPES = 4096
"""How many are remembered; a log that has more of them soon has new ones."""

_ANY_DIGIT = bytes.maketrans(b"123456789", b"000000000")
_WEIGHTS = np.random.default_rng(0x5EED).integers(1, 2**63, LONGEST // 8 + 1, np.uint64) | np.uint64(1)
_FIRST_BYTES = ~LAST_BYTES[::-1]
_DIGITS = 15
"""Of a number that is read by shape, at most, before its point and after it together: so it fits into 64 bits."""

Kind = TypeVar("Kind")
Span = tuple[int, int]
Reading = tuple[Kind, Sequence[Span]]


@dataclass(frozen=True, slots=True)
class Stretch(Generic[Kind]):
    """Lines that follow each other and were read by their shape.

    Attributes
    ----------
    first : int
        The number of the first line.
    kinds : list
        What the lines of each shape are.
    which : int64 array
        The shape of each line, by its place in `kinds`.
    numbers : int64 array of (numbers, lines)
        What stands in the spans: all digits as one number, whatever point is between them; -1 where a shape has no
        such span.
    text : Text
        Where the lines stand, the first of them at `place`.
    place : int
    """

    first: int
    kinds: list[Kind]
    which: Array
    numbers: Array
    text: Text
    place: int

    def __len__(self) -> int:
        """Return how many lines there are."""
        return len(self.which)

    @property
    def line(self) -> Array:
        """Their numbers."""
        return np.arange(self.first, self.first + len(self.which))

    def each(self, constants: Sequence[int]) -> Array:
        """Return for each line what its shape has, as one number."""
        return np.array(constants, np.int64)[self.which]

    def part(self, start: int, stop: int | None = None) -> Stretch[Kind]:
        """Return some of them."""
        which, numbers = self.which[start:stop], self.numbers[:, start:stop]
        return Stretch(self.first + start, self.kinds, which, numbers, self.text, self.place + start)

    def lines(self) -> Iterator[Line]:
        """Yield them as lines."""
        return _lines(self.text, self.place, self.place + len(self.which), self.first - self.place, 0)


class Shapes(Generic[Kind]):
    """Takes blocks apart; it remembers the shapes of their lines.

    Parameters
    ----------
    read : callable
        Called with a line, returns what all lines of its shape are, and where their numbers stand: digits, with a minus
        before them and a point or comma between them perhaps, (0, 0) where a line has none. None if it is no line to
        read so, or if the value of a digit may decide.
    sound : callable
        Called with lines, returns for each of them whether its numbers may stand together.
    fewest : int
        Lines in a row below which arrays cost more than they save.
    mark : bytes
        What stands in each such line, with its line end before it perhaps: blocks without are read line by line.

    Examples
    --------
    >>> import re
    >>> from rtlat.source import Block
    >>> def read(text):
    ...     row = re.fullmatch(r"(cpu\\d): +(-?\\d+\\.\\d+) us", text)
    ...     return ("sample", [row.span(2)]) if row else None
    >>> shapes = Shapes(read, lambda found: found.numbers[0] < 9000, fewest=2, mark=b" us")
    >>> block = Block(7, b"cpu0:  4.1 us\\n" b"cpu1: -5.1 us\\n" b"cpu1:  6 us\\n" b"cpu1:  6.3 us\\n")
    >>> samples, odd, alone = shapes.stretches(block)
    >>> samples.line.tolist(), samples.numbers.tolist(), odd.text, alone.text
    ([7, 8], [[41, -51]], 'cpu1:  6 us', 'cpu1:  6.3 us')
    """

    def __init__(
        self,
        read: Callable[[str], Reading[Kind] | None],
        sound: Callable[[Stretch[Kind]], Array],
        fewest: int,
        mark: bytes,
    ) -> None:
        self._read, self._sound, self._fewest, self._mark = read, sound, fewest, mark
        self._known: dict[bytes, tuple[Kind, Array] | None] = {}

    def stretches(self, block: Block) -> Iterator[Stretch[Kind] | Line]:
        """Yield what a block holds, in order: lines read by shape that follow each other, and others one by one."""
        found = None
        if block.whole and not block.margin and block.data.count(self._mark) >= self._fewest - 1:
            text = Text(block.data)
            found = self._found(text, block.first)
        if found is None:
            yield from block_lines(block)
            return
        places, all_of_them = found
        good = np.zeros(len(text.ends), np.bool_)
        good[places] = True
        edges = np.flatnonzero(np.diff(good, prepend=not good[0], append=not good[-1])).tolist()
        before = np.concatenate(([0], np.cumsum(good)))
        odd = 0  # where the lines begin that are read one by one
        for start, stop in pairwise(edges):
            if good[start] and stop - start >= self._fewest:
                yield from _lines(text, odd, start, block.first, block.margin)
                part = all_of_them.part(int(before[start]), int(before[stop]))
                yield replace(part, first=block.first + start, place=start)
                odd = stop
        yield from _lines(text, odd, len(good), block.first, block.margin)

    def _found(self, text: Text, first: int) -> tuple[Array, Stretch[Kind]] | None:
        """Which lines are read by their shape, and these as if they followed each other; None if they are too few."""
        length = text.ends - text.starts
        places = np.flatnonzero((length > 0) & (length <= LONGEST))
        if len(places) < self._fewest:
            return None
        start = text.starts[places]
        one, which = _grouped(text.data.translate(_ANY_DIGIT), start, length[places])
        known = [self._known_shape(text.data[start[row] : text.ends[places[row]]]) for row in one.tolist()]
        kept = np.flatnonzero(np.append([shape is not None for shape in known], False)[which])
        read = [shape for shape in known if shape is not None]
        if len(kept) < self._fewest:
            return None
        which = np.cumsum([shape is not None for shape in known])[which[kept]] - 1
        numbers = _numbers(text, start[kept], which, np.array([spans for _, spans in read], np.int64))
        found = Stretch(first, [kind for kind, _ in read], which, numbers, text, 0)
        sound = np.flatnonzero(self._sound(found))
        return places[kept[sound]], replace(found, which=which[sound], numbers=numbers[:, sound])

    def _known_shape(self, line: bytes) -> tuple[Kind, Array] | None:
        """What the lines of a shape are, and where their numbers stand, by one of them."""
        shape = line.translate(_ANY_DIGIT)
        if shape not in self._known:
            if len(self._known) >= MOST_SHAPES:
                self._known.clear()
            self._known[shape] = self._read_one(line)
        return self._known[shape]

    def _read_one(self, raw: bytes) -> tuple[Kind, Array] | None:
        """The same by reading it, if it is one that says what it says without being cleaned."""
        lines = list(clean(raw, 1))
        plain = raw.isascii() and len(lines) == 1 and lines[0] == Line(1, raw.decode("ascii"))
        reading = self._read(lines[0].text) if plain else None
        if not reading:
            return None
        kind, spans = reading
        places = [_digits(lines[0].text, *span) for span in spans]
        return None if any(place is None for place in places) else (kind, np.array(places, np.int64))


def _lines(text: Text, start: int, stop: int, first: int, margin: int) -> Iterator[Line]:
    """Some lines of a text one by one; `first` is the number of its first line."""
    if start < stop:
        data = text.data[text.starts[start] : text.ends[stop - 1] + 1]
        yield from block_lines(Block(first + start, data, True, margin))


def _grouped(data: bytes, start: Array, length: Array) -> tuple[Array, Array]:
    """One line of each shape, and of each line the shape; one more than there are if two shapes look the same."""
    words = np.ndarray((len(data) - 7,), "S8", data, 0, (1,))
    shortest, longest = int(length.min()), int(length.max())
    key = length.astype(np.uint64)
    seen = []
    for place in range(0, longest, 8):
        word = words[np.minimum(start + place, len(words) - 1)].view("<u8")
        if place + 8 > shortest:
            word &= _FIRST_BYTES[np.clip(length - place, 0, 8)]
        seen.append(word)
        key ^= word
        key *= _WEIGHTS[place // 8]
        key ^= key >> np.uint64(29)
    order = np.argsort(key)  # as np.unique does, which imports numpy.ma
    new = np.append(True, np.diff(key[order]) != 0)
    one, which = order[new], np.empty(len(order), np.int64)
    which[order] = np.cumsum(new) - 1
    same = length == length[one][which]
    for word in seen:
        same &= word == word[one][which]
    return one, np.where(same, which, len(one))


def _digits(text: str, start: int, end: int) -> tuple[int, int, int, int, int, int] | None:
    """Where digits end and how many they are, before a point and after it; by what the former count; the sign.

    None if it is no such number, or too long.
    """
    digits = text[start:end].removeprefix("-")
    whole, point, part = digits.replace(",", ".").partition(".")
    sign = 1 if digits == text[start:end] else -1
    if not digits:
        return 0, 0, 0, 0, 0, 0
    good = whole.isdecimal() and (part.isdecimal() or not point) and len(whole + part) <= _DIGITS
    return (end - len(point + part), len(whole), end, len(part), 10 ** len(part), sign) if good else None


def _numbers(text: Text, start: Array, which: Array, places: Array) -> Array:
    """The numbers of lines, by where they stand in those of each shape."""
    numbers = np.full((places.shape[1], len(start)), -1, np.int64)
    for column, (ends, widths, part_ends, part_widths, scales, signs) in enumerate(places.transpose(1, 2, 0)):
        if not widths.any():
            continue
        value = _read(text, start, which, ends, widths)
        if part_widths.any():
            value *= scales[which]
            value += _read(text, start, which, part_ends, part_widths)
        if (signs < 0).any():
            value *= signs[which]
        numbers[column] = value if widths.all() else np.where((widths > 0)[which], value, -1)
    return numbers


def _read(text: Text, start: Array, which: Array, ends: Array, widths: Array) -> Array:
    """The digits that stand at one place in the lines of each shape."""
    end = start + ends[which]
    value = decimal(text.words(end - 8) & LAST_BYTES[np.minimum(widths, 8)][which])
    if (widths > 8).any():
        value += decimal(text.words(end - 16) & LAST_BYTES[np.maximum(widths - 8, 0)][which]) * 10**8
    return value
