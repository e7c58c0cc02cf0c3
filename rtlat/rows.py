"""The records of one run while it is being read: column arrays, and samples folded into counts when there are many."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_FLOATS = {"low": math.nan, "high": math.nan, "avg": math.nan, "std": math.nan, "q": math.nan, "time": math.nan}
_INTEGERS = {"n": -1, "missed": -1, "seq": -1, "line": 0}
_WORDS = {"series": "", "quantity": "", "kind": "", "of": "all", "unit": "ns"}


class Rows:
    """Statements of one run, appended one at a time (`add`) or as arrays (`extend`, `samples`).

    Missing numbers are NaN in float columns and -1 in n, missed and seq: none of them can be negative.

    Parameters
    ----------
    keep : int
        Samples kept as rows. Once there are more, all samples of the run are counted by equal value and
        become bins ``[v, v + step)``: nothing but their order is lost, and memory stays flat.

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
        self._pending: dict[str, list[Any]] = {}
        self._chunks: list[tuple[int, dict[str, Any]]] = []
        self._samples: list[tuple[str, str, str, dict[str, Array]]] = []
        self._sampled = 0
        self._counts: dict[tuple[str, str, str], _Counts] = {}

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
        row = locals()
        del row["self"]
        if not self._pending:
            self._pending = {name: [] for name in row}
        for name, value in row.items():
            self._pending[name].append(value)

    def extend(self, series: str, quantity: str, kind: str, low: Array, high: Array, **columns: Any) -> None:
        """Append many statements of one series at once; `columns` are arrays like `low`, or one value for all."""
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
        >>> arrays["low"].tolist(), arrays["n"].tolist(), arrays["line"].tolist()
        ([-2000.0, 7000.0, 1000000000000000.0], [1, 2, 1], [2, 1, 4])
        """
        self._sampled += len(values)
        columns = {"value": values, "line": line, "seq": seq} | ({} if time is None else {"time": time})
        self._samples.append((series, quantity, of, columns))
        if self.folded:
            for name, what, which, part in self._samples:
                self._counts.setdefault((name, what, which), _Counts()).add(part["value"], part["line"])
            self._samples.clear()

    @property
    def folded(self) -> bool:
        """Whether there are more than `keep` samples, so that equal ones are counted together."""
        return self._sampled > self.keep

    def __len__(self) -> int:
        """Return the number of statements so far; while folded, of samples."""
        return len(self._pending.get("low", ())) + sum(length for length, _ in self._chunks) + self._sampled

    def _flush(self) -> None:
        """Turn the rows added one at a time into a chunk, to keep the order."""
        if self._pending:
            self._chunks.append((len(self._pending["low"]), self._pending))
            self._pending = {}

    def arrays(self) -> dict[str, Array]:
        """Return all columns of records but ``run``, as arrays of one length (words as object arrays)."""
        self._flush()
        chunks = [*self._chunks, *self._sample_chunks()]
        columns: dict[str, Array] = {}
        for names, dtype in ((_FLOATS, np.float64), (_INTEGERS, np.int64), (_WORDS, object)):
            for name, default in names.items():
                parts = [np.full(0, default, dtype)]
                for length, chunk in chunks:
                    value = chunk.get(name, default)
                    part = np.empty(length, dtype)
                    part[:] = value
                    parts.append(part)
                columns[name] = np.concatenate(parts)
        return columns

    def _sample_chunks(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The samples as columns: one row each, or one for each value."""
        for series, quantity, of, columns in self._samples:
            values = self._scaled(columns["value"])
            points = {**columns, "low": values, "high": values, "n": 1}
            yield len(values), self._columns(series, quantity, of, "sample", points)
        for (series, quantity, of), counts in self._counts.items():
            values, n, line = counts.merged()
            low = self._scaled(values)
            high = np.maximum(low + self.step, np.nextafter(low, math.inf))  # beyond 2^53 adding a step does nothing
            bins = {"low": low, "high": high, "n": n, "line": line}
            yield len(values), self._columns(series, quantity, of, "bin", bins)

    def _scaled(self, values: Array) -> Array:
        """Integers in the unit; dividing by 1000 gives the nearest number where multiplying by 0.001 does not."""
        return values * self.step if self.step >= 1 else values / round(1 / self.step)

    def _columns(self, series: str, quantity: str, of: str, kind: str, columns: dict[str, Any]) -> dict[str, Any]:
        """A chunk of samples with its words."""
        words = {"series": series, "quantity": quantity, "kind": kind, "of": of or self.samples_of, "unit": self.unit}
        return {**words, **columns}


class _Counts:
    """Samples of one series counted by value: sorted distinct values, how often, and the first line of each.

    New samples are first counted among themselves and wait until there are many, so the cost is that of
    counting, and memory is that of the distinct values.
    """

    def __init__(self) -> None:
        self._parts: list[tuple[Array, Array, Array]] = []
        self._waiting = 0

    def add(self, values: Array, lines: Array) -> None:
        """Count `values`, which stand in `lines`."""
        # a table of counts may be as long as a few times the values it counts, else sorting is cheaper
        small = (values >= 0) & (values < max(1024, 4 * len(values)))
        if not small.all():
            self._wait(*_counted(values[~small], np.ones(int((~small).sum()), np.int64), lines[~small]))
            values, lines = values[small], lines[small]
        if len(values):
            table = np.bincount(values)
            first = np.zeros(len(table), np.int64)
            first[values[::-1]] = lines[::-1]  # of equal indices the last assignment stays
            present = np.flatnonzero(table)
            self._wait(present, table[present], first[present])

    def _wait(self, *part: Array) -> None:
        """Keep counts until they are many; then count them together."""
        self._parts.append((part[0], part[1], part[2]))
        self._waiting += len(part[0])
        if self._waiting > 2 * len(self._parts[0][0]) + (1 << 14):
            self.merged()

    def merged(self) -> tuple[Array, Array, Array]:
        """Return values, counts and first lines, values rising."""
        together = [np.concatenate(columns) for columns in zip(*self._parts, strict=True)]
        self._parts = [_counted(*together)]
        self._waiting = len(self._parts[0][0])
        return self._parts[0]


def _counted(values: Array, counts: Array, lines: Array) -> tuple[Array, Array, Array]:
    """Equal values added up, each with its first line."""
    order = np.argsort(values, kind="stable")
    values, counts, lines = values[order], counts[order], lines[order]
    starts = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
    return values[starts], np.add.reduceat(counts, starts), np.minimum.reduceat(lines, starts)
