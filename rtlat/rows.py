"""The records of one run while it is being read: column arrays, and samples folded into counts when there are many."""

from __future__ import annotations

import math
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
        self._pending: dict[str, list[Any]] = {}
        self._chunks: list[tuple[int, dict[str, Any]]] = []

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

    def __len__(self) -> int:
        """Return the number of statements so far."""
        return len(self._pending.get("low", ())) + sum(length for length, _ in self._chunks)

    def _flush(self) -> None:
        """Turn the rows added one at a time into a chunk, to keep the order."""
        if self._pending:
            self._chunks.append((len(self._pending["low"]), self._pending))
            self._pending = {}

    def arrays(self) -> dict[str, Array]:
        """Return all columns of records but ``run``, as arrays of one length (words as object arrays)."""
        self._flush()
        columns: dict[str, Array] = {}
        for names, dtype in ((_FLOATS, np.float64), (_INTEGERS, np.int64), (_WORDS, object)):
            for name, default in names.items():
                parts = [np.full(0, default, dtype)]
                for length, chunk in self._chunks:
                    value = chunk.get(name, default)
                    part = np.empty(length, dtype)
                    part[:] = value
                    parts.append(part)
                columns[name] = np.concatenate(parts)
        return columns
