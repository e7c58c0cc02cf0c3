"""Many logs parsed by workers: processes of this machine, or a cluster's.

Any `concurrent.futures.Executor` will do. Its tasks are chunks of logs, since one alone is not worth the way; what a
worker found comes back as arrays. A chunk whose worker was lost is parsed here.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any

from rtlat.assembly import Reading
from rtlat.cards import Card
from rtlat.detection import format_named
from rtlat.errors import RtlatWarning, UsageError
from rtlat.found import Found, found_in, settle
from rtlat.progress import Progress
from rtlat.protocol import Format
from rtlat.source import Source
from rtlat.together import fill_many

CHUNK_LOGS, CHUNK_BYTES, LEAST_CHUNKS = 250, 100 << 20, 4
"""A task is at least so many logs, or so much of them; with fewer tasks, starting workers costs more than it saves."""

PATIENCE = 10
"""How long a scheduler may take to answer [s]."""


def fill_all(
    readings: Sequence[Reading], format: Format | None, chosen: Sequence[Card | None], executor: Executor | None
) -> None:
    """Parse all logs, with an executor's workers where it pays.

    Parameters
    ----------
    readings : sequence of Reading
        The logs, which get their runs or their error.
    format : Format or None
        What all of them are in, if the user said so.
    chosen : sequence of Card or None
        The card of each log.
    executor : Executor or None
        None to parse them one after the other.
    """
    here = [(reading, card) for reading, card in zip(readings, chosen, strict=True) if not _travels(reading, card)]
    chunks = _chunks([reading for reading, card in zip(readings, chosen, strict=True) if _travels(reading, card)])
    if executor is None or len(chunks) < LEAST_CHUNKS:
        here, chunks = list(zip(readings, chosen, strict=True)), []
    name = format.name if format else None
    tasks = [[_as_sent(reading.source) for reading in chunk] for chunk in chunks]
    futures = [executor.submit(parsed, task, name) for task in tasks] if executor else []
    lost: list[Reading] = []
    reason = ""
    with Progress(lambda: _bytes_of(readings)) as progress:
        _fill_here([reading for reading, _ in here], format, [card for _, card in here], progress)
        for chunk, future in zip(chunks, futures, strict=True):
            try:
                founds = future.result()
            except Exception as error:  # each kind of executor has its own for a worker that was lost
                reason = reason or f"{type(error).__name__}: {str(error)[:80]}"
                lost += chunk
                continue
            for reading, found in zip(chunk, founds, strict=True):
                settle(reading, found)
            progress.advance(_bytes_of(chunk) or 0)
    if lost:
        text = f"workers were lost ({reason}); the {len(lost)} logs they had are parsed here"
        warnings.warn(text, RtlatWarning, stacklevel=3)
    fill_many(lost, format, [None] * len(lost))


def _fill_here(
    readings: Sequence[Reading], format: Format | None, chosen: Sequence[Card | None], progress: Progress
) -> None:
    """Parse logs in this process, and count their bytes."""
    for reading in readings:
        reading.source.stored.watch = progress.advance
    fill_many(readings, format, chosen)
    for reading in readings:
        reading.source.stored.watch = None


def _bytes_of(readings: Sequence[Reading]) -> int | None:
    """How much logs hold; None if one comes through a pipe."""
    sizes = [reading.source.stored.size for reading in readings]
    return None if None in sizes else sum(size for size in sizes if size)


def _travels(reading: Reading, card: Card | None) -> bool:
    """Whether a worker can parse the log: it lies where others find it, and no card says how to read it."""
    path = reading.source.path
    lies = reading.source.stored.opener is not None or (path is not None and path.is_file())
    return lies and reading.error is None and not (card and path and card.table(path))


def _as_sent(source: Source) -> Source:
    """A log that has not been read yet, for a process in another folder."""
    path = source.path.absolute() if source.path else None
    return Source(path, source.name, keep=source.keep, opener=source.stored.opener)


def _chunks(readings: Sequence[Reading]) -> list[list[Reading]]:
    """The logs in tasks that are worth the way."""
    chunks: list[list[Reading]] = []
    logs = size = 0
    for reading in readings:
        if not chunks or logs >= CHUNK_LOGS or size >= CHUNK_BYTES:
            chunks.append([])
            logs = size = 0
        chunks[-1].append(reading)
        logs += 1
        size += reading.source.stored.size or 0
    return chunks


def parsed(logs: Sequence[Source], format: str | None) -> list[Found]:
    """Return what is found in logs: a worker's task."""
    readings = [Reading(source, "") for source in logs]
    fill_many(readings, format_named(format) if format else None, [None] * len(readings))
    return [found_in(reading) for reading in readings]


@contextmanager
def pool(jobs: int | None = None) -> Iterator[Executor | None]:
    """Yield so many processes of this machine, by default one for each processor; None for one.

    Raises
    ------
    UsageError
        If there are to be none.
    """
    import multiprocessing

    if jobs is not None and jobs < 1:
        raise UsageError(f"{jobs} processes cannot read logs: 1 is the least")
    jobs = jobs or len(os.sched_getaffinity(0))
    if jobs == 1:
        yield None
        return
    context = multiprocessing.get_context("forkserver")  # a process with threads, as numpy has, is not forked safely
    context.set_forkserver_preload(["rtlat.workers"])
    with ProcessPoolExecutor(jobs, mp_context=context) as executor:
        yield executor


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """Yield the workers of a dask cluster, by its scheduler's address such as ``tcp://lab7:8786``.

    Raises
    ------
    UsageError
        If distributed is not installed, or no scheduler answers.
    """
    try:
        from distributed import Client
    except ImportError:
        raise UsageError("--dask: install rtlat[dask] first") from None
    try:
        client: Any = Client(address, timeout=PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise UsageError(f"--dask {address}: no scheduler answers ({str(error)[:100]})") from None
    with client:
        yield client.get_executor()
