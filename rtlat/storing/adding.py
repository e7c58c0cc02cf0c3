"""Runs into a store: each log once, whole or not at all."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rtlat import schema
from rtlat.errors import LogError
from rtlat.frames import rows_of
from rtlat.protocol import Recording
from rtlat.selection import divisor, shown_unit
from rtlat.statistics import stats
from rtlat.storing import blobs, database
from rtlat.storing.dates import moment
from rtlat.storing.recall import marked
from rtlat.summaries import each

if TYPE_CHECKING:
    import pandas as pd

    from rtlat.intervals import Array

BATCH = 100
"""Runs of one transaction, more or less: each transaction waits for the disk."""

_FACTS = [column.name for column in schema.RUNS if column.card]


class Added(NamedTuple):
    """What became of runs, by their keys in the store.

    Attributes
    ----------
    added, replaced, known : list of str
        The new ones, those read anew, and those that were there and were left as they are.
    differing : dict of list
        Of the known ones that came with other facts, which facts.
    """

    added: list[str]
    replaced: list[str]
    known: list[str]
    differing: dict[str, list[str]]


def add(recording: Recording, path: Path, *, replace: bool = False) -> Added:
    """Add the runs of a recording, those of a log in one transaction; a log that is known is not added again.

    A log is known by its sha256, whatever its name. Where another log has a run of the same name already, the key gets
    the beginning of its log's hash behind it.

    Parameters
    ----------
    recording : Recording
        What was read.
    path : Path
        The store; made if it is not there.
    replace : bool
        Put what was read now in the place of what is known of the same logs.

    Raises
    ------
    LogError
        If the store cannot be written, or a run does not say from which log it is. What was committed before stays.
    """
    nameless = recording.runs["run"][recording.runs["sha256"] == ""]
    if len(nameless):
        raise LogError(str(path), f"no sha256 of the log of {nameless.iloc[0]!r}", "one: it tells logs apart")
    done = Added([], [], [], {})
    with database.writing(path) as connection:
        for batch in _batches(_once(recording, done)):
            with database.transaction(connection):
                places = _settled(connection, batch.runs, replace, done)
                _write(connection, _of(batch, np.asarray(list(places), int)), list(places.values()), done)
    return done


def _once(recording: Recording, done: Added) -> Recording:
    """The runs of each log, once for logs that lie in several places."""
    runs = recording.runs.reset_index(drop=True)
    copies = (runs["source"] != runs.groupby("sha256")["source"].transform("first")).to_numpy()
    done.known.extend(runs["run"][copies])
    return _of(recording._replace(runs=runs), np.flatnonzero(~copies)) if copies.any() else recording


def _settled(
    connection: sqlite3.Connection, runs: pd.DataFrame, replace: bool, done: Added
) -> dict[int, tuple[int, str] | None]:
    """Which of the runs are to be written, and in whose place: the number and the date of adding of a replaced one."""
    taken: dict[int, tuple[int, str] | None] = {}
    rows = _plain(runs)
    logs: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        logs.setdefault(row["sha256"], []).append(place)
    for sha256, places in logs.items():
        before = _stored(connection, sha256)
        if replace and before:
            database.remove(connection, [row["run"] for row in before.values()])
            freed = [(row["id"], row["added"]) for row in before.values()]
            taken |= dict(zip(places, [*freed, *[None] * len(places)], strict=False))
            continue
        renamed = bool(before) and not {rows[place]["run"] for place in places} & set(before)
        for place in places:
            row = rows[place]
            if row["run"] in before:
                done.known.append(before[row["run"]]["run"])
                differing = [name for name in _FACTS if row[name] != before[row["run"]].get(name, row[name])]
                if differing:
                    done.differing[done.known[-1]] = differing
            elif renamed:
                done.known.append(row["run"])
            else:
                taken[place] = None
    return taken


def _stored(connection: sqlite3.Connection, sha256: str) -> dict[str, dict[str, Any]]:
    """What is known of a log: the rows of its runs, by the keys that the log itself gives them."""
    cursor = connection.execute("SELECT * FROM runs WHERE sha256 = ?", (sha256,))
    names = [column[0] for column in cursor.description]
    rows = [dict(zip(names, row, strict=True)) for row in cursor]
    return {row["run"].removesuffix(marked("", sha256)): row for row in rows}


def _write(
    connection: sqlite3.Connection, recording: Recording, places: list[tuple[int, str] | None], done: Added
) -> None:
    """Write runs into all tables."""
    now = datetime.now(UTC).isoformat(timespec="seconds").removesuffix("+00:00")
    key: dict[str, str] = {}
    for row, place in zip(_plain(recording.runs), places, strict=True):
        names = row["run"], marked(row["run"], row["sha256"]), f"{row['run']}@{row['sha256']}"
        taken = "SELECT 1 FROM runs WHERE run = ?"
        key[row["run"]] = next(name for name in names if not connection.execute(taken, (name,)).fetchone())
        (done.replaced if place else done.added).append(key[row["run"]])
        number, when = place or (None, now)
        row |= {"run": key[row["run"]], "id": number, "added": when, "began": moment(row["started"])}
        database.insert(connection, "runs", [row])
    for table, rows in (("series", _plain(recording.series)), ("figures", _figures(recording))):
        database.insert(connection, table, [row | {"run": key[row["run"]]} for row in rows])
    database.insert(
        connection, "records", [{"run": key[run], "parquet": blob} for run, blob in _packed(recording).items()]
    )


def _figures(recording: Recording) -> list[dict[str, Any]]:
    """A few results of each series and of each run's series together."""
    rows = []
    for run, d, pooled in each(recording):
        row: dict[str, Any] = {"run": run, "series": d.series, "quantity": d.quantity, "unit": shown_unit(d)}
        row |= {"pooled": int(pooled), "n": d.total, "missed": d.missed, "overflow": d.overflow}
        results = [stats.minimum(d), stats.maximum(d), *stats.percentiles(d, database.PERCENTILES)]
        for name, result in zip(database.RESULTS, results, strict=True):
            ends = result.over(divisor(d))
            row |= {f"{name}_low": _finite(ends.low), f"{name}_high": _finite(ends.high), f"{name}_status": ends.status}
        rows.append(row)
    return rows


def _packed(recording: Recording) -> dict[str, bytes]:
    """The records of each run as a Parquet file."""
    place = recording.records["run"].cat.codes.to_numpy()
    order = np.argsort(place, kind="stable")
    table = blobs.as_arrow(recording.records.iloc[order])
    codes = {run: code for code, run in enumerate(recording.records["run"].cat.categories)}
    packed = {}
    for run in recording.runs["run"]:
        code = codes.get(run, len(codes))  # a run may have nothing to say
        first, last = np.searchsorted(place[order], [code, code + 1])
        packed[run] = blobs.packed(table.slice(first, last - first))
    return packed


def _plain(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of a frame in the types of SQLite; NaN is what is missing, too."""
    return [{name: None if value != value else value for name, value in row.items()} for row in rows_of(table)]


def _finite(number: float) -> float | None:
    """A number, or None for an open end."""
    return number if math.isfinite(number) else None


def _batches(recording: Recording) -> Iterator[Recording]:
    """Recordings of about a hundred runs, those of one log together."""
    runs = recording.runs.reset_index(drop=True)
    log = runs.groupby("sha256", sort=False).ngroup().to_numpy()
    order = np.argsort(log, kind="stable")
    first, last = 0, 0
    while first < len(order):
        last = first + BATCH
        while last < len(order) and log[order[last]] == log[order[last - 1]]:
            last += 1
        yield _of(recording._replace(runs=runs), order[first:last])
        first = last


def _of(recording: Recording, places: Array) -> Recording:
    """The runs at some places of the frame of runs, numbered from 0."""
    runs = recording.runs.iloc[places].reset_index(drop=True)
    rows, series = (table[table["run"].isin(runs["run"]).to_numpy()] for table in (recording.records, recording.series))
    return Recording(rows, runs, series)
