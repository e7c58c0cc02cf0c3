"""Tables as plain numbers and words: CSV and JSON of what readers are shown."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rtlat.statistics.results import plain

if TYPE_CHECKING:
    import pandas as pd

ENDS = ("low", "high", "status")
"""What stands of a result in CSV, each in a column of its own."""


def table(frame: pd.DataFrame) -> dict[str, Any]:
    """Return a frame as ``{"columns": [...], "rows": [[...]]}`` of values for JSON; results keep both ends.

    Examples
    --------
    >>> import pandas as pd
    >>> from rtlat.statistics.results import Bounds
    >>> table(pd.DataFrame({"run": ["a"], "p99": [Bounds(400.0, float("inf"), "overflow")]}))["rows"]
    [['a', {'low': 400, 'high': None, 'status': 'overflow'}]]
    """
    columns = [frame[name].tolist() for name in frame.columns]
    rows = [[plain(value) for value in row] for row in zip(*columns, strict=True)]
    return {"columns": [str(name) for name in frame.columns], "rows": rows}


def csv_of(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a plain table as CSV: a result in the columns ``_low``, ``_high`` and ``_status``, nothing for unknown.

    Examples
    --------
    >>> csv_of(["run", "p99"], [["a", {"low": 400, "high": None, "status": "overflow"}]])
    'run,p99_low,p99_high,p99_status\\na,400,,overflow\\n'
    """
    wide = [any(isinstance(row[place], Mapping) for row in rows) for place in range(len(columns))]
    heads = [[f"{name}_{end}" for end in ENDS] if ends else [name] for name, ends in zip(columns, wide, strict=True)]
    lines = [heads, *([_cells(*cell) for cell in zip(row, wide, strict=True)] for row in rows)]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([value for cell in line for value in cell] for line in lines)
    return out.getvalue()


def _cells(value: Any, ends: bool) -> list[Any]:
    """A value's cells: three in a column of results, else one; a list is written with semicolons."""
    if isinstance(value, list):
        value = "; ".join(map(str, value))
    if not ends:
        return [value]
    return [value.get(end) for end in ENDS] if isinstance(value, Mapping) else [value, value, None]
