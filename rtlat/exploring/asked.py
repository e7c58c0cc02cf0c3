"""The same selection asked of a report: which notebooks answer it, and what came of it."""

from __future__ import annotations

import base64
import html
import os
from pathlib import Path

from rtlat.display.markup import Html
from rtlat.errors import RtlatError
from rtlat.exploring.choice import Choice, limit_text
from rtlat.exploring.folder import Folder
from rtlat.reporting.question import is_interactive, takes
from rtlat.reporting.report import report


def notebooks(folder: Path) -> list[Path]:
    """Return the notebooks of a folder that answer for any logs: they take data and a quantity.

    Examples
    --------
    >>> [path.stem for path in notebooks(Path("notebooks"))][:2]
    ['compare', 'deadline']
    """
    found = [path for path in sorted(folder.glob("*.ipynb")) if not is_interactive(path)]
    return [path for path in found if takes(path, "data") and takes(path, "quantity")]


def parameters(notebook: Path, folder: Folder, choice: Choice) -> dict[str, object]:
    """Return the parameters with which a notebook is about a choice: those that it has."""
    wanted: dict[str, object] = {
        "card": folder.card,
        "facts": list(folder.facts),
        "quantity": choice.quantity,
        "series": choice.series,
        "percentiles": list(choice.percentiles),
        "limit": limit_text(choice),
    }
    return {name: value for name, value in wanted.items() if value and takes(notebook, name)}


def asked(notebook: Path, folder: Folder, choice: Choice, reports: Path) -> Html:
    """Make the report of a choice, and return a link to it, or in one line why there is none."""
    data, note = folder.logs_of(choice.runs)
    try:
        (page,) = report(notebook, data, parameters(notebook, folder, choice), reports)
        return Html(f"<p>{link(page)} {html.escape(note)}</p>")
    except RtlatError as error:
        return Html(f"<p><b>No report:</b> {html.escape(str(error))}</p>")


def link(page: Path) -> str:
    """Return a link that holds the page itself: it works wherever the notebook is shown, and needs no server."""
    held = base64.b64encode(page.read_bytes()).decode()
    name = html.escape(page.name)
    place = html.escape(os.path.relpath(page))
    look = "color:#0969da;text-decoration:underline"
    return f'<a style="{look}" download="{name}" href="data:text/html;base64,{held}">{name}</a>, also in {place}'
