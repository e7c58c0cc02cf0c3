"""The files of a report: its page, the executed notebook, and what lies beside them; nothing of an earlier answer."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from rtlat import carried_data, store
from rtlat.assembly import concat
from rtlat.errors import ReportError, RtlatError
from rtlat.protocol import Recording
from rtlat.reporting import shown_tables
from rtlat.reporting.index import verdict
from rtlat.reporting.page import LARGEST_PAGE, About, page
from rtlat.storing.recall import told_apart

MOST_RUNS = 100
"""Runs that a page carries; more lie beside it."""


def write(notebook: Any, about: About, read: Path, folder: Path, drafts: Path) -> str:
    """Write the files of a report, and return its page.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        With its outputs; its tables are given names.
    about : About
        What the page tells about itself; all files are called by its name.
    read : Path
        The folder to which the notebook handed over what it read.
    folder, drafts : Path
        Where the files go, and where they are until they are whole, on the same disk.

    Raises
    ------
    ReportError
        If the page would be too large, or a file cannot be written.
    """
    import nbformat

    about = replace(about, verdict=verdict(notebook), tables=shown_tables.name(notebook))
    recording = _recording(read)
    text, carried = _page(notebook, about, recording)
    text_of_notebook = nbformat.writes(notebook)  # type: ignore[no-untyped-call]
    beside: dict[str, Callable[[Path], object] | None] = {
        shown_tables.ENDING: (lambda path: shown_tables.write(notebook, path)) if about.tables else None,
        carried_data.BESIDE: (lambda path: store.save(recording, path)) if recording and not carried else None,
        ".pdf": None,
        ".failed.ipynb": None,
        ".ipynb": lambda path: path.write_text(text_of_notebook, encoding="utf-8"),
        ".html": lambda path: path.write_text(text, encoding="utf-8"),
    }
    for ending, writer in beside.items():
        put(folder / f"{about.name}{ending}", writer, drafts)
    return text


def put(path: Path, writer: Callable[[Path], object] | None, drafts: Path) -> None:
    """Replace a file or a folder by what `writer` writes, whole or not at all; without a writer remove it.

    Raises
    ------
    ReportError
        If it cannot be written.
    """
    draft = drafts / path.name
    try:
        if writer:
            writer(draft)
        if path.is_dir():
            shutil.rmtree(path)
        elif not writer:
            path.unlink(missing_ok=True)
        if writer:
            os.replace(draft, path)
    except OSError as error:
        raise ReportError(f"{path.name}: cannot be written ({error.strerror})") from None
    except RtlatError as error:
        raise ReportError(f"{path.name}: {error}") from None


def _recording(read: Path) -> Recording | None:
    """What a notebook handed over, in the order in which it read; None if it read nothing."""
    parts = [store.load(path) for path in sorted(read.iterdir())]
    return concat(told_apart(parts)) if len(parts) > 1 else parts[0] if parts else None


def _page(notebook: Any, about: About, recording: Recording | None) -> tuple[str, bool]:
    """A report's page, and whether it carries what was read."""
    if recording is None:
        return page(notebook, about), False
    records, runs = len(recording.records), len(recording.runs)
    amount = f"What was read, {records:,} record{'s' * (records != 1)} of {runs:,} run{'s' * (runs != 1)},"
    beside = (
        f"{amount} is too much for one page and lies beside it, in {about.name}{carried_data.BESIDE}:"
        f" rtlat read {about.name}.html finds it there."
    )
    largest = LARGEST_PAGE * max(1, runs / MOST_RUNS)  # of more runs a page may be larger: it has a row for each
    text = page(notebook, replace(about, holds=beside), largest=largest)
    data = carried_data.elements(recording) if runs <= MOST_RUNS else ""
    if not data or len(text.encode()) + len(data) > LARGEST_PAGE:
        return text, False
    here = f"{amount} is carried by this page: rtlat read {about.name}.html gives it back."
    return page(notebook, replace(about, holds=here), data), True
