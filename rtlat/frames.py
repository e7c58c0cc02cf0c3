"""The schema's frames: built in one go from arrays, and validated."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rtlat.errors import SchemaError
from rtlat.schema import RECORDS, RUNS, SERIES, Column

if TYPE_CHECKING:
    import pandas as pd

_ROWS_AT_ONCE = 1 << 18
"""About so many are checked together."""


def frame(columns: tuple[Column, ...], data: dict[str, Any]) -> pd.DataFrame:
    """Build a frame with exactly `columns`, in their order and dtypes, from arrays by name.

    Missing columns become all-missing; ``Int64`` columns may come as int64 arrays in which -1 stands for
    missing (no count, cycle number or running total is negative). The arrays become the frame's own.

    Examples
    --------
    >>> frame(SERIES, {"run": ["a"], "series": ["t0"], "n": [-1]})["n"].isna().tolist()
    [True]
    """
    import pandas as pd

    length = max((len(values) for values in data.values()), default=0)
    built: dict[str, Any] = {}
    for column in columns:
        values = data.get(column.name)
        if isinstance(values, np.ndarray) and not values.flags.writeable:  # one value, repeated
            values = values.copy()
        if values is None:
            empty = {"str": "", "category": "", "float64": np.nan, "int64": 0}.get(column.dtype, pd.NA)
            values = [empty] * length
        if column.dtype == "Int64":
            array = _integers(values)
            built[column.name] = pd.arrays.IntegerArray(array, array < 0)
        elif column.dtype == "category":
            built[column.name] = values if isinstance(values, pd.Categorical) else pd.Categorical(values)
        else:
            if column.dtype == "str":
                values = ["" if value is None else str(value) for value in values]
            built[column.name] = pd.Series(values, dtype=column.dtype, copy=False).array
    return pd.DataFrame(built, columns=[column.name for column in columns], copy=False)


def rows_of(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame as dicts by column: as its own ``to_dict`` does, many times faster for many columns.

    Examples
    --------
    >>> rows_of(frame(SERIES, {"run": ["a"], "series": ["t0"], "n": [3]}))[0]["n"]
    3
    """
    import pandas as pd

    columns = {}
    for name in table.columns:
        values = table[name].array
        masked = isinstance(values, pd.arrays.IntegerArray | pd.arrays.BooleanArray)
        columns[str(name)] = (values.to_numpy(object, na_value=None) if masked else table[name]).tolist()
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _integers(values: Any) -> Any:
    """Int64 values as an int64 array in which -1 stands for missing."""
    import pandas as pd

    if isinstance(values, np.ndarray):
        return values.astype(np.int64, copy=False)
    return np.asarray([-1 if value is None or value is pd.NA else value for value in values], np.int64)


def validate(records: pd.DataFrame, runs: pd.DataFrame, series: pd.DataFrame) -> None:
    """Check all of the schema that can be checked, and raise at the first breach.

    Checked: columns and dtypes, choices, keys, ``low <= high``, samples that are points, bins that are
    not empty and do not overlap within one (run, series, quantity, of) except over, ``n`` and ``q`` only where they
    belong, no negative counts or lines, and what is told in JSON.

    Raises
    ------
    SchemaError
        Naming column, row and file:line.
    """
    for name, table, columns in (("records", records, RECORDS), ("runs", runs, RUNS), ("series", series, SERIES)):
        _check_columns(name, table, columns)
    if runs["run"].duplicated().any():
        raise SchemaError(f"runs: the key {runs.loc[runs['run'].duplicated(), 'run'].iloc[0]!r} stands twice")
    for name, table in (("records", records), ("series", series)):
        strangers = ~_isin(table["run"], runs["run"])
        _refuse(records if name == "records" else table, runs, strangers, "run", "is no key of runs")
    for rows in _some_runs(records):
        _check_rows(rows, runs)
    _check_told(runs)


def _check_columns(name: str, table: pd.DataFrame, columns: tuple[Column, ...]) -> None:
    """Names, order, dtypes and choices of one frame."""
    names = [column.name for column in columns]
    if list(table.columns) != names:
        raise SchemaError(f"{name}: columns are {list(table.columns)}, expected {names}")
    for column in columns:
        dtype = str(table[column.name].dtype)
        if dtype != column.dtype:
            raise SchemaError(f"{name}: column {column.name} has dtype {dtype}, expected {column.dtype}")
        if column.choices:
            wrong = ~_isin(table[column.name], [*column.choices, ""])
            if wrong.any():
                row = int(wrong.to_numpy().argmax())
                value = table[column.name].iloc[row]
                raise SchemaError(f"{name}: row {row}: {column.name} {value!r} is none of {', '.join(column.choices)}")


def _isin(values: pd.Series[Any], known: Any) -> pd.Series[bool]:
    """Where a column's word is one of the known; of categories each is looked up once."""
    import pandas as pd

    if isinstance(values.dtype, pd.CategoricalDtype):
        among = [*pd.Index(values.cat.categories.astype("str")).isin(known), False]
        return pd.Series(np.asarray(among)[values.cat.codes.to_numpy()], index=values.index)
    return values.astype("str").isin(known)


def _some_runs(records: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """The rows of some runs at a time, where those of each follow each other: what is made of them stays small."""
    codes = records["run"].cat.codes.to_numpy()
    begins = np.flatnonzero(codes[1:] != codes[:-1]) + 1
    if (codes[1:] < codes[:-1]).any():
        begins = begins[:0]
    steps = np.flatnonzero(np.diff(begins // _ROWS_AT_ONCE, prepend=0))
    for start, stop in pairwise([0, *begins[steps].tolist(), len(records)]):
        yield records.iloc[start:stop]


def _check_rows(records: pd.DataFrame, runs: pd.DataFrame) -> None:
    """The rules between the columns of records."""
    low, high, kind = records["low"], records["high"], records["kind"]
    _refuse(records, runs, low.isna() | high.isna(), "low", "is NaN: an unknown end is -inf or inf")
    _refuse(records, runs, low > high, "low", "lies above high")
    _refuse(records, runs, (kind == "sample") & (low != high), "high", "differs from low in a sample")
    _refuse(records, runs, (kind == "bin") & (low >= high), "high", "does not lie above low in a bin")
    quantile = kind == "quantile"
    _refuse(records, runs, quantile & records["n"].notna(), "n", "is given for a quantile, which states no n")
    _refuse(records, runs, quantile != records["q"].notna(), "q", "belongs to quantile rows, and only there")
    _refuse(records, runs, quantile & ~records["q"].between(0, 1), "q", "is no fraction")
    _refuse(records, runs, records["line"] < 0, "line", "is negative")
    placed = (kind == "bin") & ~((low == -math.inf) & (high == math.inf))  # else it says nothing of where
    # of samples over a limit often only that limit is known: their bins are alike
    placed &= records["of"] != "over"
    bins = np.flatnonzero(placed.to_numpy())
    group = np.zeros(len(bins), np.int64)
    for name in ("run", "series", "quantity", "of"):
        if (words := len(records[name].cat.categories)) > 1:
            group *= words
            group += records[name].cat.codes.to_numpy()[bins]
    first, last = low.to_numpy()[bins], high.to_numpy()[bins]
    next_group = group[1:] != group[:-1]
    if not ((group[1:] >= group[:-1]) & ((first[1:] >= first[:-1]) | next_group)).all():  # most histograms are in order
        order = np.lexsort((first, group))
        bins, group, first, last = bins[order], group[order], first[order], last[order]
        next_group = group[1:] != group[:-1]
    inside = ~next_group & (first[1:] < last[:-1])
    overlap = np.zeros(len(records), np.bool_)
    overlap[bins[1:][inside]] = True
    _refuse(records, runs, overlap, "low", "lies inside the bin before: an observation would count twice")


def _check_told(runs: pd.DataFrame) -> None:
    """The columns of runs that hold JSON; no text says that there is nothing to tell."""
    for name in ("warnings", "ignored_lines", "rejected_lines"):
        for text in runs[name].unique():
            if text and not _is_told(text, name):
                _refuse(runs, runs, runs[name] == text, name, "is not the JSON that the schema tells of")


def _is_told(text: str, name: str) -> bool:
    """Whether a text is a list of sentences, or counts and first lines by reason."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if name == "warnings":
        return isinstance(told, list) and all(isinstance(sentence, str) for sentence in told)
    return isinstance(told, dict) and all(
        isinstance(place, list) and [type(number) for number in place] == [int, int] for place in told.values()
    )


def _refuse(
    table: pd.DataFrame, runs: pd.DataFrame, wrong: pd.Series[bool] | npt.NDArray[np.bool_], column: str, why: str
) -> None:
    """Raise for the first row where `wrong`, naming column, row and file:line."""
    if not wrong.any():
        return
    row = table[np.asarray(wrong, np.bool_)].iloc[0]
    source = dict(zip(runs["run"], runs["source"], strict=True)).get(str(row["run"]), "?")
    line = f":{row['line']}" if "line" in table.columns else ""
    shown = repr(row[column][:80]) if isinstance(row[column], str) else row[column]
    raise SchemaError(f"{source}{line}: column {column}, row {row.name}: {shown} {why}")
