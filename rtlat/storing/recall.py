"""From what is asked of a store to a Recording."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rtlat import frames, schema
from rtlat.errors import LogError
from rtlat.protocol import Recording
from rtlat.store import is_stored, load
from rtlat.storing import blobs, database
from rtlat.storing.query import asked, is_asked, query

if TYPE_CHECKING:
    import sqlite3

    import pandas as pd


MOST_BYTES = 4 << 30
"""Of the records of all runs that are asked for at once, unpacked: about forty million."""


def is_kept(word: str | Path) -> bool:
    """Whether a word names what rtlat itself has kept: a folder that `rtlat.store.save` wrote, or runs of a store."""
    return is_asked(word) or is_stored(word)


def recall(word: str | Path) -> Recording:
    """Return what such a word names, in the order in which it was added.

    Parameters
    ----------
    word : str or Path
        A folder, or ``store:[FILE?]QUERY`` as `rtlat.storing.query` tells.

    Raises
    ------
    LogError
        If there is no store, it is damaged, or no run of it is meant.
    SchemaError
        If it holds what the schema forbids.
    UsageError
        If the query is none.
    """
    if not is_asked(word):
        return load(Path(word))
    wanted = asked(str(word))
    return runs_of(wanted.path, wanted.text)


def runs_of(path: Path, text: str = "") -> Recording:
    """Return the runs of a store that a query means.

    Raises
    ------
    LogError, SchemaError, UsageError
        As for `recall`.
    """
    wanted = query(text)
    with database.reading(path) as connection:
        tables = {name: _rows(connection, name, wanted.condition, wanted.values) for name in _WANTED}
        total = connection.execute("SELECT count(*) FROM runs").fetchone()[0]
    if not tables["runs"]:
        found = f"no run for {text!r} among {total}" if text else "no runs"
        raise LogError(str(path), found, "at least one", "rtlat store list shows what is there")
    try:
        recording = _recording(tables, str(path))
    except LogError:
        raise
    except (ValueError, TypeError, OverflowError, ArithmeticError) as error:  # pyarrow's errors derive from these
        raise LogError(str(path), f"a damaged store ({str(error)[:80]})", remedy="take its last copy") from None
    frames.validate(*recording)
    return recording


_WANTED = {
    "runs": [column.name for column in schema.RUNS],
    "series": [column.name for column in schema.SERIES],
    "records": ["run", "parquet"],
}


def _rows(connection: sqlite3.Connection, table: str, condition: str, values: tuple[Any, ...]) -> list[dict[str, Any]]:
    """The rows of a table that belong to the runs that are meant; a column that an older store lacks is left out."""
    known = database.columns(connection, table)
    names = [name for name in _WANTED[table] if name in known]
    listed = ", ".join(f'{table}."{name}"' for name in names)
    joined = "" if table == "runs" else f"JOIN {table} ON {table}.run = runs.run"
    found = connection.execute(
        f"SELECT {listed} FROM runs {joined} WHERE {condition} ORDER BY runs.id, {table}.rowid", values
    )
    return [dict(zip(names, row, strict=True)) for row in found]


def _recording(tables: dict[str, list[dict[str, Any]]], where: str) -> Recording:
    """The three frames."""
    keys = [row["run"] for row in tables["runs"]]
    parts, size = {}, 0
    for row in tables["records"]:
        parts[row["run"]] = blobs.unpacked(row["parquet"], f"{where}: {row['run']}")
        size += parts[row["run"]].nbytes
        if size > MOST_BYTES:
            raise LogError(where, f"more than {MOST_BYTES >> 30} GiB of records", remedy="ask for fewer runs")
    if set(parts) != set(keys):
        raise ValueError("a run has no records")
    return Recording(
        blobs.records_of([parts[key] for key in keys], keys),
        _frame(schema.RUNS, tables["runs"]),
        _frame(schema.SERIES, tables["series"]),
    )


def _frame(columns: tuple[schema.Column, ...], rows: list[dict[str, Any]]) -> pd.DataFrame:
    """A frame from the rows of a table."""
    import pandas as pd

    data: dict[str, Any] = {}
    for column in columns if rows else ():
        if column.name in rows[0]:
            values = [row[column.name] for row in rows]
            if column.dtype == "boolean":
                values = [pd.NA if value is None else bool(value) for value in values]
            data[column.name] = values
    return frames.frame(columns, data)


def told_apart(recordings: Sequence[Recording]) -> list[Recording]:
    """Return recordings such that no key stands for two logs: the later log's hash stands behind its key.

    A lab's logs of every night are called the same.
    """
    logs: dict[str, str] = {}
    named = []
    for recording in recordings:
        new = {}
        for run, sha256 in zip(recording.runs["run"], recording.runs["sha256"], strict=True):
            new[run] = run if logs.get(run, sha256) == sha256 else marked(run, sha256)
            logs.setdefault(new[run], sha256)
        named.append(_renamed(recording, new) if any(run != key for run, key in new.items()) else recording)
    return named


def known_as(recording: Recording, kept: Recording) -> list[str]:
    """Return the keys under which the runs of `kept` stand in a recording that was joined from it and others."""
    logs = dict(zip(recording.runs["run"], recording.runs["sha256"], strict=True))
    pairs = zip(kept.runs["run"], kept.runs["sha256"], strict=True)
    return [run if logs.get(run) == sha256 else marked(run, sha256) for run, sha256 in pairs]


def marked(run: str, sha256: str) -> str:
    """Return the key of a run whose own name another log has."""
    return f"{run}@{sha256[:8]}"


def _renamed(recording: Recording, new: dict[str, str]) -> Recording:
    """The same runs with other keys."""
    return Recording(
        recording.records.assign(run=recording.records["run"].cat.rename_categories(new)),
        recording.runs.assign(run=recording.runs["run"].map(new).astype("str")),
        recording.series.assign(run=recording.series["run"].map(new).astype("str")),
    )
