"""Statements that came in chunks, joined into one array for each column.

A chunk has a length and, by column, an array (of words: `Words` or a list) or one value for all its rows; what it
does not have is missing. So the chunks of ten thousand runs become columns in one go, without an array for each
chunk and column.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, pairwise, starmap
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Chunk = tuple[int, dict[str, Any]]

FLOATS = {"low": math.nan, "high": math.nan, "avg": math.nan, "std": math.nan, "q": math.nan, "time": math.nan}
INTEGERS = {"n": -1, "missed": -1, "seq": -1, "line": 0}
WORDS = {"series": "", "quantity": "", "kind": "", "of": "all", "unit": "ns"}
"""What stands where a chunk has no such column."""


class Words(NamedTuple):
    """A column of words: for each row the place of its word among `names`."""

    codes: Array
    names: list[str]

    def spelled(self) -> Array:
        """Return the words themselves, as an object array."""
        spelled: Array = np.array([*self.names, ""], object)[self.codes]
        return spelled


def joined(chunks: Sequence[Chunk]) -> tuple[dict[str, Array], dict[str, Words]]:
    """Return the columns of numbers and those of words; one that no chunk has is one value, repeated and read-only.

    Examples
    --------
    >>> chunks = [(2, {"series": "t1", "low": np.array([5.0, 7.0])}), (1, {"series": ["t0"], "low": 3})]
    >>> numbers, words = joined(chunks)
    >>> numbers["low"].tolist(), numbers["n"].tolist(), words["series"].spelled().tolist()
    ([5.0, 7.0, 3.0], [-1, -1, -1], ['t1', 't1', 't0'])
    """
    ends = list(accumulate((length for length, _ in chunks), initial=0))
    total, places = ends[-1], list(starmap(slice, pairwise(ends)))
    there = Counter(name for _, chunk in chunks for name in chunk)
    numbers = {}
    for defaults, dtype in ((FLOATS, np.float64), (INTEGERS, np.int64)):
        for name, default in defaults.items():
            missing = np.array(default, dtype)
            if not there[name]:
                numbers[name] = _repeated(missing, total)
                continue
            numbers[name] = np.empty(total, dtype) if there[name] == len(chunks) else np.full(total, missing)
            _place(numbers[name], places, [chunk.get(name) for _, chunk in chunks])
    words = {}
    for name, word in WORDS.items():
        words[name] = _words([chunk.get(name, word) for _, chunk in chunks] if there[name] else [word], places, total)
    return numbers, words


def _place(column: Array, places: Sequence[slice], values: Sequence[Any]) -> None:
    """Put values where they belong; what is None stays as it is."""
    for place, value in zip(places, values, strict=True):
        if value is not None:
            column[place] = value


def _repeated(value: Array, total: int) -> Array:
    """One value so many times, read-only; `numpy.broadcast_to` takes ten times as long."""
    return np.ndarray((total,), value.dtype, value.tobytes(), 0, (0,))


def _words(values: Sequence[str | Words | list[str]], places: Sequence[slice], total: int) -> Words:
    """One column of words."""
    known: dict[str, int] = {}
    codes = [_codes(words, known) for words in values]
    names = sorted(known)
    dtype = np.int8 if len(names) < 128 else np.int32
    if len(names) == 1:
        return Words(_repeated(np.zeros(1, dtype), total), names)
    column = np.empty(total, dtype)
    _place(column, places, codes)
    if names == list(known):
        return Words(column, names)
    place = {name: number for number, name in enumerate(names)}
    return Words(np.array([place[name] for name in known], dtype)[column], names)


def _codes(words: str | Words | Sequence[str], known: dict[str, int]) -> Array | list[int] | int:
    """The places of some words among the known ones, to which they are added."""
    if isinstance(words, str):
        return known.setdefault(words, len(known))
    names = words.names if isinstance(words, Words) else words
    places = [known.setdefault(name, len(known)) for name in names]
    if not isinstance(words, Words):
        return places
    return words.codes if places == list(range(len(names))) else np.array(places, np.int32)[words.codes]
