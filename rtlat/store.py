"""Records, runs and series to and from disk: a folder of three Parquet files, a report's page, or one CSV table."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from rtlat import carried_data, parquet
from rtlat.errors import LogError
from rtlat.protocol import Recording

HANDED_OVER = "RTLAT_RECORDINGS"
"""The variable in which a report names to its kernel the folder for what the notebook reads."""


def is_stored(path: str | Path) -> bool:
    """Whether `path` is a folder that `save` wrote, or a report."""
    return all(file.is_file() for file in _files(Path(path)).values()) or carried_data.is_report(path)


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
    for file, frame in zip(_files(path).values(), recording, strict=True):
        packed = parquet.packed(frame, "zstd")
        write(file, lambda name, packed=packed: Path(name).write_bytes(packed))  # type: ignore[misc]


def load(path: Path) -> Recording:
    """Read a folder that `save` wrote, or what a report carries, and check it against the schema.

    Raises
    ------
    LogError
        If a file is damaged, or a report carries nothing.
    SchemaError
        If it holds what the schema forbids.
    """
    if path.is_file():
        found = carried_data.load(path)
        return load(found) if isinstance(found, Path) else found
    files = _files(path).items()
    return parquet.recording({name: parquet.unpacked(str(file), file, parquet.TABLES[name]) for name, file in files})


def hand_over(recording: Recording) -> None:
    """Store what was read where a report looks for it, if it is a report's notebook that reads."""
    if place := os.environ.get(HANDED_OVER):
        save(recording, Path(place) / f"{len(os.listdir(place)):03}")


def _files(folder: Path) -> dict[str, Path]:
    """The files of a folder by the tables in them."""
    return {name: folder / f"{name}.parquet" for name in parquet.TABLES}


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
