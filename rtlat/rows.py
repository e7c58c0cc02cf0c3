"""The records of one run while it is being read: column arrays, and samples folded together when there are many."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from rtlat.columns import Array, Chunk, Words, joined
from rtlat.folding import Fold, Samples

_FOLDED_AT_ONCE = 1 << 17
"""Samples that wait until they are folded: the more, the less each costs."""

_NO_TIMES = np.full(_FOLDED_AT_ONCE, math.nan)

_ADDED = (
    "series",
    "quantity",
    "kind",
    "low",
    "high",
    "n",
    "of",
    "avg",
    "std",
    "q",
    "missed",
    "seq",
    "time",
    "unit",
    "line",
)


class Rows:
    """Statements of one run, appended one at a time (`add`) or as arrays (`extend`, `samples`).

    Missing numbers are NaN in float columns and -1 in n, missed and seq: none of them can be negative.

    Parameters
    ----------
    keep : int
        Samples kept as rows. Once there are more, all samples of the run are counted by equal value and
        become bins ``[v, v + step)``. Of their order there stay windows, each of 2**k cycles and at most 2000 a
        series, and the 100 greatest of each series as samples over a limit: memory stays flat (`rtlat.folding`).

    Attributes
    ----------
    step : float
        What one count of the integers given to `samples` is [unit]; below 1, a unit fraction such as 1 / 1000.
        It, `unit` and `samples_of` may be set until `arrays` is called: a log may tell its unit only at its end.
    unit : str
        The unit of samples: ns or cycles.
    samples_of : str
        Which observations the samples are: all, or min or max of each group.

    Examples
    --------
    >>> rows = Rows()
    >>> rows.add("all", "irq", "summary", 542, 2100, n=2_000_000, avg=542, unit="cycles", line=19)
    >>> arrays = rows.arrays()
    >>> arrays["high"].tolist(), arrays["n"].tolist(), arrays["seq"].tolist(), arrays["kind"].tolist()
    ([2100.0], [2000000], [-1], ['summary'])
    """

    def __init__(self, keep: int = 1_000_000) -> None:
        self.keep = keep
        self.step = 1.0
        self.unit = "ns"
        self.samples_of = "all"
        self._pending: list[tuple[Any, ...]] = []
        self._chunks: list[Chunk] = []
        self._samples: list[tuple[tuple[str, str, str], Samples]] = []
        self._sampled = 0
        self._waiting = 0
        self._folds: dict[tuple[str, str, str], Fold] = {}

    def add(
        self,
        series: str,
        quantity: str,
        kind: str,
        low: float,
        high: float,
        *,
        n: int = -1,
        of: str = "all",
        avg: float = math.nan,
        std: float = math.nan,
        q: float = math.nan,
        missed: int = -1,
        seq: int = -1,
        time: float = math.nan,
        unit: str = "ns",
        line: int = 0,
    ) -> None:
        """Append one statement; see `rtlat.schema.RECORDS` for the meaning of each column."""
        self._pending.append(
            (series, quantity, kind, low, high, n, of, avg, std, q, missed, seq, time, unit, line),
        )

    def extend(
        self,
        series: str | Words | list[str],
        quantity: str,
        kind: str,
        low: Array | list[float],
        high: Array | list[float],
        **columns: Any,
    ) -> None:
        """Append many statements at once; `columns` are as long as `low`, or one value for all."""
        self._flush()
        chunk = {"series": series, "quantity": quantity, "kind": kind, "low": low, "high": high, **columns}
        self._chunks.append((len(low), chunk))

    def samples(
        self,
        series: str,
        quantity: str,
        values: Array,
        line: Array,
        seq: Array,
        time: Array | None = None,
        of: str = "",
    ) -> None:
        """Append samples of one series: integers, each `step` wide, their line and cycle numbers.

        Parameters
        ----------
        series, quantity : str
            As in records.
        values : int64 array
            As printed, negative or huge as they may be.
        line, seq : int64 arrays
            Line and cycle number of each value; -1 where there is no cycle number.
        time : float64 array, optional
            When each stood, from the run's start. [s]
        of : str
            Which observations these are; `samples_of` if not given.

        Examples
        --------
        >>> rows = Rows(keep=3)
        >>> for line, value in enumerate([7, -2, 7, 10**12], 1):
        ...     rows.samples("t0", "thread", np.array([value]), np.array([line]), np.array([line - 1]))
        >>> rows.folded
        True
        >>> rows.step = 1000.0
        >>> arrays = rows.arrays()
        >>> bins = arrays["kind"] == "bin"
        >>> arrays["low"][bins].tolist(), arrays["n"][bins].tolist(), arrays["line"][bins].tolist()
        ([-2000.0, 7000.0, 1000000000000000.0], [1, 2, 1], [2, 1, 4])
        >>> arrays["kind"].tolist()
        ['bin', 'bin', 'bin', 'window', 'sample', 'sample', 'sample', 'sample']
        """
        if not len(values):
            return
        self._sampled += len(values)
        self._waiting += len(values)
        if time is None:
            time = _NO_TIMES[: len(values)] if len(values) <= len(_NO_TIMES) else np.full(len(values), math.nan)
        self._samples.append(((series, quantity, of), Samples(values, line, seq, time)))
        if self.folded and self._waiting >= _FOLDED_AT_ONCE:
            self._fold()

    def _fold(self) -> None:
        """Join the samples that wait with those of their series."""
        waiting: dict[tuple[str, str, str], list[Samples]] = {}
        for key, samples in self._samples:
            waiting.setdefault(key, []).append(samples)
        for key, several in waiting.items():
            together = Samples(*(np.concatenate(columns) for columns in zip(*several, strict=True)))
            self._folds.setdefault(key, Fold()).add(together)
        self._samples.clear()
        self._waiting = 0

    @property
    def folded(self) -> bool:
        """Whether there are more than `keep` samples, so that equal ones are counted together."""
        return self._sampled > self.keep

    def __len__(self) -> int:
        """Return the number of statements so far; while folded, of samples."""
        return len(self._pending) + sum(length for length, _ in self._chunks) + self._sampled

    def _flush(self) -> None:
        """Turn the rows added one at a time into a chunk, to keep the order."""
        if self._pending:
            columns = map(list, zip(*self._pending, strict=True))
            self._chunks.append((len(self._pending), dict(zip(_ADDED, columns, strict=True))))
            self._pending = []

    def arrays(self) -> dict[str, Array]:
        """Return all columns of records but ``run``, as arrays of one length (words as object arrays).

        A column in which no statement says anything is read-only.
        """
        numbers, words = joined(self.chunks())
        return numbers | {name: column.spelled() for name, column in words.items()}

    def chunks(self) -> list[Chunk]:
        """Return the statements as they came, for `rtlat.columns.joined`."""
        self._flush()
        if self.folded:
            self._fold()
        return [*self._chunks, *(self._folded_chunks() if self.folded else self._sample_chunks())]

    def _sample_chunks(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The samples as columns, a row each."""
        for (series, quantity, of), samples in self._samples:
            yield self._points(series, quantity, of or self.samples_of, samples)

    def _folded_chunks(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """What is left of the samples of each series: rows for values, for blocks, and for the greatest."""
        for (series, quantity, which), fold in self._folds.items():
            of = which or self.samples_of
            values, n, line = fold.counts()
            low = self._scaled(values)
            high = np.maximum(low + self.step, np.nextafter(low, math.inf))  # beyond 2^53 adding a step does nothing
            bins = {"low": low, "high": high, "n": n, "line": line}
            yield len(n), self._columns(series, quantity, of, "bin", bins)
            if of == "over":
                continue
            blocks = fold.blocks()
            low, high, avg = (self._scaled(ends) for ends in (blocks.low, blocks.high, blocks.total / blocks.n))
            windows = {"low": low, "high": high, "n": blocks.n, "avg": avg, "missed": -1}
            windows |= {"line": blocks.line, "seq": blocks.seq, "time": blocks.time}
            yield len(blocks.n), self._columns(series, quantity, of, "window", windows)
            yield self._points(series, quantity, "over", fold.greatest)

    def _points(self, series: str, quantity: str, of: str, samples: Samples) -> tuple[int, dict[str, Any]]:
        """Samples as columns."""
        values = self._scaled(samples.value)
        points = {"low": values, "high": values, "n": 1, **samples._asdict()}
        return len(values), self._columns(series, quantity, of, "sample", points)

    def _scaled(self, values: Array) -> Array:
        """Integers in the unit; dividing by 1000 gives the nearest number where multiplying by 0.001 does not."""
        return values * self.step if self.step >= 1 else values / round(1 / self.step)

    def _columns(self, series: str, quantity: str, of: str, kind: str, columns: dict[str, Any]) -> dict[str, Any]:
        """A chunk of samples with its words."""
        words = {"series": series, "quantity": quantity, "kind": kind, "of": of, "unit": self.unit}
        return {**words, **columns}
