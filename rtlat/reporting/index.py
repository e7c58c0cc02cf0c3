"""The index of a folder of reports: newest first, each with its inputs and what it found."""

from __future__ import annotations

import html
import itertools
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rtlat.carried_data import MARK
from rtlat.display.tables import listed
from rtlat.reporting.page import PLOTLY, empty_page, told

_META = re.compile(f'{re.escape(MARK)}([^"]+)">')
_STATEMENT = re.compile(r"<(li|p)\b[^>]*>(.*?)</\1>", re.S)

_HEAD = 1 << 20
"""Characters within which a report says what it is about; it may name many logs."""

_MOST = 4
"""Statements of a report that the index repeats."""

_LONGEST = 300
"""Characters of a statement."""


def verdict(notebook: Any) -> list[str]:
    """Return what an executed notebook says before its first table or figure, as plain statements.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        With its outputs.
    """
    shown = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    said = itertools.takewhile(lambda data: PLOTLY not in data, shown)
    text, _, _ = "".join(data.get("text/html", "") for data in said).partition("<table")
    text = re.sub(r"<details>.*?</details>", "", text, flags=re.S)
    return [_plain(statement) for _, statement in _STATEMENT.findall(text)][:_MOST]


def index(folder: Path) -> str:
    """Return the HTML index of the reports in `folder`, newest first; what is no report is left out.

    Examples
    --------
    >>> "No report yet" in index(Path("no-such-folder"))
    True
    """
    found = [(about, path) for path in sorted(folder.glob("*.html")) if (about := _about(path))]
    found.sort(key=lambda item: str(item[0].get("made")), reverse=True)
    entries = "".join(_entry(about, path) for about, path in found)
    return empty_page("Reports", f"<h1>Reports</h1>{entries or '<p>No report yet.</p>'}")


def _entry(about: dict[str, Any], path: Path) -> str:
    """One report: its title, what it found, and of what it was made."""
    said = "".join(f"<li>{html.escape(text)}</li>" for text in _texts(about.get("verdict")))
    data, files = listed(_texts(about.get("data"))), about.get("inputs", 0)
    many = f" ({files} {'file' if files == 1 else 'files'})" if isinstance(files, int) and files else ""
    small = [f"{data}{many}" if data else "", _asked(about), str(about.get("made", ""))]
    return (
        f'<section class="report"><h2><a href="{quote(path.name)}">{html.escape(str(about["title"]))}</a></h2>'
        + (f"<ul>{said}</ul>" if said else "")
        + f'<p class="small">{" · ".join(map(html.escape, filter(None, small)))}</p></section>'
    )


def _asked(about: dict[str, Any]) -> str:
    """The parameters that were asked for, in one line; of a report that does not tell these, all that it has."""
    parameters = about.get("parameters")
    if not isinstance(parameters, dict):
        return ""
    names = about["asked"] if "asked" in about else list(parameters)
    values = {name: parameters.get(name) for name in _texts(names) if name != "data"}
    return "; ".join(f"{name} = {told(of)}" for name, of in values.items() if of not in ("", None, []))


def _texts(found: Any) -> list[str]:
    """A list of strings, whatever a page has there."""
    return [str(text) for text in found] if isinstance(found, list) else []


def _plain(text: str) -> str:
    """HTML as plain text, cut after a sentence if it is long."""
    words = " ".join(html.unescape(re.sub(r"<[^>]*>", "", re.sub(r"<br\b", " <", text))).split())
    if len(words) <= _LONGEST:
        return words
    return words[:_LONGEST].rpartition(". ")[0] + ". ..." if ". " in words[:_LONGEST] else f"{words[:_LONGEST]}..."


def _about(path: Path) -> dict[str, Any] | None:
    """What the head of a report says about it; None if the file is no report of ours."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            found = _META.search(file.read(_HEAD))
        about = json.loads(html.unescape(found[1])) if found else None
    except (OSError, ValueError, RecursionError):
        return None
    return about if isinstance(about, dict) and about.get("title") else None
