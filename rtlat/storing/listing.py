"""What a store holds, as tables in the terminal: runs with what is known of them, or the figures of their series."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rtlat.display.look import duration, shortened
from rtlat.errors import LogError, printable
from rtlat.statistics.results import Bounds
from rtlat.storing import database
from rtlat.storing.query import query
from rtlat.views import aligned

_WIDEST = 34
"""Characters of a cell."""

_RUNS = ("run", "began", "machine", "approach", "kernel", "load", "tool", "duration", "ended")
_FIGURES = ("run", "series", "quantity", "n", "unit", *database.RESULTS)
_HEADS = {"began": "started"} | {name: name.replace("_", ".") for name in database.RESULTS}


def runs_text(path: Path, text: str = "") -> str:
    """Return a line for each run that a query means, in the order in which they were added.

    Raises
    ------
    LogError
        If the store cannot be read.
    UsageError
        If the query is none.
    """
    rows, total = _selected(path, text, f"SELECT {', '.join(_RUNS)} FROM runs WHERE {{}} ORDER BY id")
    cells = _cells(
        path, rows, lambda row: [*(row | {"duration": row["duration"] and duration(row["duration"])}).values()]
    )
    return _table(_RUNS, cells, f"{len(rows)} of {total} runs")


def figures_text(path: Path, text: str = "") -> str:
    """Return a line for each series, and for all series together, of the runs that a query means.

    Raises
    ------
    LogError, UsageError
        As for `runs_text`.
    """
    ends = [f"{name}_{end}" for name in database.RESULTS for end in ("low", "high")]
    names = [*_FIGURES[:5], "pooled", *ends, *(f"{name}_status" for name in database.RESULTS)]
    listed = ", ".join(f"figures.{name}" for name in names)
    joined = "FROM runs JOIN figures ON figures.run = runs.run"
    rows, total = _selected(path, text, f"SELECT {listed} {joined} WHERE {{}} ORDER BY runs.id, figures.rowid")
    cells = _cells(path, rows, _figures)
    return _table(_FIGURES, cells, f"{len({row['run'] for row in rows})} of {total} runs")


def _selected(path: Path, text: str, statement: str) -> tuple[list[dict[str, Any]], int]:
    """The rows of a statement with the condition of a query in it, and how many runs there are."""
    wanted = query(text)
    with database.reading(path) as connection:
        cursor = connection.execute(statement.format(wanted.condition), wanted.values)
        names = [column[0] for column in cursor.description]
        rows = [dict(zip(names, row, strict=True)) for row in cursor]
        return rows, connection.execute("SELECT count(*) FROM runs").fetchone()[0]


def _cells(path: Path, rows: list[dict[str, Any]], cells: Callable[[dict[str, Any]], list[Any]]) -> list[list[Any]]:
    """The cells of each row; a number that is none is damage."""
    try:
        return [cells(row) for row in rows]
    except (TypeError, ValueError) as error:
        raise LogError(str(path), f"a damaged store ({str(error)[:80]})", remedy="take its last copy") from None


def _figures(row: dict[str, Any]) -> list[Any]:
    """The cells of one series."""
    row["series"] = f"{row['series']} (pooled)" if row["pooled"] else row["series"]
    return [*(row[name] for name in _FIGURES[:5]), *(_result(row, name) for name in database.RESULTS)]


def _result(row: dict[str, Any], name: str) -> str:
    """A result as people read it."""
    status, low, high = (row[f"{name}_{part}"] for part in ("status", "low", "high"))
    if status == "overflow":  # the greatest value has a column of its own
        high = None
    return Bounds(-math.inf if low is None else low, math.inf if high is None else high, status).text()


def _table(names: tuple[str, ...], rows: list[list[Any]], count: str) -> str:
    """Rows below their heads, and how many there are of how many."""
    shown = [[shortened(printable("?" if cell in (None, "") else str(cell)), _WIDEST) for cell in row] for row in rows]
    heads = [_HEADS.get(name, name) for name in names]
    return "\n".join([*(aligned(heads, shown, 3 if "n" in names else len(names)) if rows else []), count])
