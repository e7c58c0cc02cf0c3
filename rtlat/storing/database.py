"""The SQLite file: its tables, how it is opened, and what is wrong with it in one line.

Anyone may ask it with the ``sqlite3`` command. ``runs`` has the columns of `rtlat.schema.RUNS`, when a run was added
and ``began``, its start as ISO 8601; ``series`` those of `rtlat.schema.SERIES`; ``figures`` a few results of each
series in its unit, NULL where an end is open; ``records`` the statements of each run as a Parquet file. All are
joined by ``run``. Numbers that are unknown are NULL, words empty.

SQLite's own rollback journal keeps a transaction whole through ``kill -9``, and unlike a write-ahead log it leaves one
file once nobody writes and works on a network's disk; writers wait for each other.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from rtlat import schema
from rtlat.errors import LogError

APPLICATION = 0x72746C61
"""Stands in the header of the file: ``rtla`` in ASCII."""

VERSION = 1
"""Of the tables. New columns of runs and series do not count: they are added to an older store."""

PATIENCE = 60.0
"""How long to wait for another writer. [s]"""

PERCENTILES = ("50", "99", "99.9")
"""Percentiles that ``figures`` has."""

RESULTS = ("min", "max", *(f"p{percent.replace('.', '_')}" for percent in PERCENTILES))

_TYPES = {"str": "TEXT NOT NULL DEFAULT ''", "float64": "REAL", "Int64": "INTEGER", "boolean": "INTEGER"}
_COLUMNS = {
    "runs": [(column.name, _TYPES[column.dtype]) for column in schema.RUNS],
    "series": [(column.name, _TYPES[column.dtype]) for column in schema.SERIES],
    "figures": [
        *((name, _TYPES["str"]) for name in ("run", "series", "quantity", "unit")),
        *((name, _TYPES["Int64"]) for name in ("pooled", "n", "missed", "overflow")),
        *((f"{name}_{end}", "REAL") for name in RESULTS for end in ("low", "high")),
        *((f"{name}_status", _TYPES["str"]) for name in RESULTS),
    ],
    "records": [("run", "TEXT PRIMARY KEY"), ("parquet", "BLOB NOT NULL")],
}
_FIRST = {"runs": "id INTEGER PRIMARY KEY, added TEXT NOT NULL, began TEXT NOT NULL, "}
_INDEXES = (
    "CREATE UNIQUE INDEX runs_by_run ON runs (run)",
    "CREATE INDEX runs_by_log ON runs (sha256)",
    "CREATE INDEX series_by_run ON series (run)",
    "CREATE INDEX figures_by_run ON figures (run)",
)

_EXPECTED = "a store of rtlat"


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a store and see it as it stands at one moment.

    Raises
    ------
    LogError
        If there is none, or it is damaged or another program's; also for what goes wrong within the block.
    """
    if not path.exists():
        raise LogError(str(path), "nothing", _EXPECTED, "rtlat store add LOG... makes one")
    # what was killed while it wrote is undone by whoever opens the file next, which takes the right to write
    with _told(path), closing(_connected(path, "rw")) as connection:
        connection.execute("BEGIN")
        _check(connection, path)
        yield connection


@contextmanager
def writing(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a store for writing, and make it if there is none. Changes are made within `transaction`.

    Raises
    ------
    LogError
        As for `reading`, or if it cannot be written.
    """
    with _told(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(_connected(path, "rwc")) as connection:
            with transaction(connection):
                if not _number(connection, "PRAGMA application_id") and not _tables(connection):
                    _make(connection)
                _check(connection, path)
                _widen(connection)
            yield connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Do all that is within or nothing, alone among writers."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def insert(connection: sqlite3.Connection, table: str, rows: list[dict[str, Any]]) -> None:
    """Add rows to a table, by the names of its columns."""
    if rows:
        names = list(rows[0])
        listed, marks = ", ".join(f'"{name}"' for name in names), ", ".join("?" * len(names))
        values = [[row[name] for name in names] for row in rows]
        connection.executemany(f"INSERT INTO {table} ({listed}) VALUES ({marks})", values)


def remove(connection: sqlite3.Connection, runs: list[str]) -> None:
    """Take runs out of all tables."""
    for table in _COLUMNS:
        connection.executemany(f"DELETE FROM {table} WHERE run = ?", [(run,) for run in runs])


def columns(connection: sqlite3.Connection, table: str) -> set[str]:
    """Return the names of a table's columns."""
    return {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    """A connection that begins and ends transactions only when told to, and runs no code of the file's."""
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", PATIENCE, isolation_level=None, uri=True)
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _make(connection: sqlite3.Connection) -> None:
    """Make the tables."""
    for table, named in _COLUMNS.items():
        body = ", ".join(f'"{name}" {kind}' for name, kind in named)
        connection.execute(f"CREATE TABLE {table} ({_FIRST.get(table, '')}{body})")
    for index in _INDEXES:
        connection.execute(index)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _check(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse what is no store, one of another version, and one that would run code of its own."""
    if _number(connection, "PRAGMA application_id") != APPLICATION:
        what = "a SQLite file of another program" if _tables(connection) else "an empty file"
        raise LogError(str(path), what, _EXPECTED)
    version = _number(connection, "PRAGMA user_version")
    if version != VERSION:
        raise LogError(str(path), f"a store of version {version}", f"version {VERSION}", "use the rtlat that wrote it")
    tables = _tables(connection)
    missing = [name for name in _COLUMNS if tables.get(name) != "table"]
    if missing:
        raise LogError(str(path), f"a damaged store without the table {missing[0]}", _EXPECTED)
    if "trigger" in tables.values():
        raise LogError(str(path), "a store with triggers", _EXPECTED, "drop them: they would change what is added")


def _tables(connection: sqlite3.Connection) -> dict[str, str]:
    """What the file holds: its tables, views and triggers; a table that a module makes is none."""
    rows = connection.execute("SELECT name, type, sql FROM sqlite_master WHERE type != 'index'")
    return {name: "virtual" if str(sql).upper().startswith("CREATE VIRTUAL") else kind for name, kind, sql in rows}


def _widen(connection: sqlite3.Connection) -> None:
    """Add the columns that runs and series got since the store was made."""
    for table in ("runs", "series"):
        known = columns(connection, table)
        for name, kind in _COLUMNS[table]:
            if name not in known:
                connection.execute(f'ALTER TABLE {table} ADD COLUMN "{name}" {kind}')


def _number(connection: sqlite3.Connection, statement: str) -> int:
    """The one number that a statement gives."""
    return int(connection.execute(statement).fetchone()[0])


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """What SQLite says is wrong, as one line."""
    try:
        yield
    except (sqlite3.Error, OSError, UnicodeError) as error:
        name = getattr(error, "sqlite_errorname", "")
        reason = str(error)[:80]
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            found = LogError(str(path), f"another writer at work for {PATIENCE:.0f} s", remedy="try again")
        elif name == "SQLITE_NOTADB":
            found = LogError(str(path), "no SQLite file", _EXPECTED)
        elif isinstance(error, OSError) or name.startswith(
            ("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_FULL", "SQLITE_IOERR", "SQLITE_PERM")
        ):
            found = LogError(str(path), f"a place that cannot be opened or written ({reason})", _EXPECTED)
        else:
            found = LogError(str(path), f"a damaged store ({reason})", remedy="take its last copy")
        raise found from None
