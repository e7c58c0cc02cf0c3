"""Statements that came in chunks, joined into one array for each column.

A chunk has a length and, by column, an array (of words: `Words` or a list) or one value for all its rows; what it
does not have is missing. So the chunks of ten thousand runs become columns in one go, without an array for each
chunk and column.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Chunk = tuple[int, dict[str, Any]]
Part = tuple[slice, Any]

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
    """Return the columns of numbers and those of words.

    Examples
    --------
    >>> chunks = [(2, {"series": "t1", "low": np.array([5.0, 7.0])}), (1, {"series": ["t0"], "low": 3})]
    >>> numbers, words = joined(chunks)
    >>> numbers["low"].tolist(), numbers["n"].tolist(), words["series"].spelled().tolist()
    ([5.0, 7.0, 3.0], [-1, -1, -1], ['t1', 't1', 't0'])
    """
    ends = list(accumulate(length for length, _ in chunks))
    parts: dict[str, list[Part]] = {}
    for end, (length, chunk) in zip(ends, chunks, strict=True):
        for name, value in chunk.items():
            parts.setdefault(name, []).append((slice(end - length, end), value))
    total = ends[-1] if ends else 0
    numbers = {
        name: _numbers(parts.get(name, []), total, default, dtype)
        for defaults, dtype in ((FLOATS, np.float64), (INTEGERS, np.int64))
        for name, default in defaults.items()
    }
    return numbers, {name: _words(parts.get(name, []), total, default) for name, default in WORDS.items()}


def _numbers(parts: Sequence[Part], total: int, default: float, dtype: npt.DTypeLike) -> Array:
    """One column of numbers."""
    column = np.full(total, default, dtype)
    for rows, value in parts:
        column[rows] = value
    return column


def _words(parts: Sequence[Part], total: int, default: str) -> Words:
    """One column of words."""
    known = {} if sum(rows.stop - rows.start for rows, _ in parts) == total else {default: 0}
    codes = np.zeros(total, np.int32)
    for rows, value in parts:
        codes[rows] = known.setdefault(value, len(known)) if isinstance(value, str) else _codes(value, known)
    names = sorted(known)
    if names == list(known):
        return Words(codes, names)
    place = {name: number for number, name in enumerate(names)}
    return Words(np.array([place[name] for name in known], np.int32)[codes], names)


def _codes(words: Words | Sequence[str], known: dict[str, int]) -> Array | list[int]:
    """The places of some words among the known ones, to which they are added."""
    names = words.names if isinstance(words, Words) else words
    places = [known.setdefault(name, len(known)) for name in names]
    if not isinstance(words, Words):
        return places
    return words.codes if places == list(range(len(names))) else np.array(places, np.int32)[words.codes]
