"""Records, runs and series to and from disk: a folder of three Parquet files, or one CSV table."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rtlat import frames, schema
from rtlat.errors import LogError
from rtlat.protocol import Recording

if TYPE_CHECKING:
    import pandas as pd

_FILES = ("records.parquet", "runs.parquet", "series.parquet")


def is_stored(path: str | Path) -> bool:
    """Whether `path` is a folder that `save` wrote."""
    return all((Path(path) / name).is_file() for name in _FILES)


def save(recording: Recording, path: Path) -> None:
    """Write a recording: to one CSV table of its records if `path` ends in .csv, else to a folder.

    Each file is written under a temporary name and renamed, so that no half-written one is ever seen.

    Raises
    ------
    LogError
        If the place cannot be written.
    """
    if path.suffix == ".csv":
        write(path, lambda name: recording.records.to_csv(name, index=False))
        return
    for name, table in zip(_FILES, recording, strict=True):
        write(path / name, table.to_parquet)


def load(path: Path) -> Recording:
    """Read a folder that `save` wrote, and check it against the schema.

    Raises
    ------
    LogError
        If a file is damaged.
    SchemaError
        If it holds what the schema forbids.
    """
    import pandas as pd

    tables = []
    for name, columns in zip(_FILES, (schema.RECORDS, schema.RUNS, schema.SERIES), strict=True):
        try:
            table = pd.read_parquet(path / name)
        except (OSError, ValueError) as error:  # pyarrow's errors derive from both
            raise LogError(str(path / name), f"no table rtlat stored ({str(error)[:80]})") from None
        tables.append(_restored(table, columns))
    recording = Recording(*tables)
    frames.validate(*recording)
    return recording


def _restored(table: pd.DataFrame, columns: tuple[schema.Column, ...]) -> pd.DataFrame:
    """Parquet gives strings and categories of strings back in another string dtype."""
    import pandas as pd

    for column in columns:
        if column.name in table and column.dtype == "category":
            table[column.name] = pd.Categorical(table[column.name].astype("str"))
        elif column.name in table:
            table[column.name] = table[column.name].astype(column.dtype)  # type: ignore[call-overload]
    return table


def write(path: Path, writer: Callable[[str], object]) -> None:
    """Let `writer` write a file under a temporary name beside `path`, then rename it.

    Raises
    ------
    LogError
        If the place cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        os.close(handle)
        try:
            writer(name)
            os.chmod(name, 0o644)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise LogError(str(path), f"a place that cannot be written ({error.strerror or error})") from None
