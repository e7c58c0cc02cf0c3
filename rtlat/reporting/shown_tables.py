"""The tables that a notebook shows, each named after the heading above it, as CSV and JSON beside its report."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rtlat.display import plain
from rtlat.display.markup import TABLES

ENDING = ".tables"
"""Ends the name of the folder beside a report's page."""

_HEADING = re.compile(r"^#{1,6} (.+)$", re.M)
_LONGEST = 60


def name(notebook: Any) -> int:
    """Give every table of an executed notebook a file name of its own, and return how many there are.

    The name stands in the metadata of the output that shows the table; one that has no name of its own goes by the
    heading above it.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        With its outputs; their metadata is changed.
    """
    heading, taken = "table", set[str]()
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            heading = next(iter(reversed(_HEADING.findall(cell.source))), heading)
        for output in cell.get("outputs", []):
            names = []
            for table in output.get("data", {}).get(TABLES, []):
                names.append(_free(_slug(table["name"] or heading), taken))
                table["heading"] = heading
            if names:
                output.metadata["rtlat"] = {"tables": names}
    return len(taken)


def names(output: Any) -> list[str]:
    """Return the names of the tables that an output shows, as `name` gave them."""
    return list(output.get("metadata", {}).get("rtlat", {}).get("tables", []))


def write(notebook: Any, folder: Path) -> None:
    """Write the tables of a notebook to a folder, each as ``NAME.csv`` and ``NAME.json``."""
    folder.mkdir()
    for file, table in _named(notebook):
        told = {"schema": 1, "heading": table["heading"], "rows": _rows(table)}
        text = json.dumps(told, indent=1, ensure_ascii=False, allow_nan=False)
        (folder / f"{file}.json").write_text(f"{text}\n", encoding="utf-8")
        (folder / f"{file}.csv").write_text(plain.csv_of(table["columns"], table["rows"]), encoding="utf-8")


def _named(notebook: Any) -> Iterator[tuple[str, Any]]:
    """Every table with its file name."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            yield from zip(names(output), output.get("data", {}).get(TABLES, []), strict=True)


def _rows(table: Any) -> list[dict[str, Any]]:
    """A table's rows, each by column."""
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


def _slug(text: str) -> str:
    """Words as a file name."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower())[:_LONGEST].strip("-") or "table"


def _free(wanted: str, taken: set[str]) -> str:
    """A name that no other table has."""
    free, count = wanted, 1
    while free in taken:
        count += 1
        free = f"{wanted}-{count}"
    taken.add(free)
    return free
