"""A report without this machine: paths, times and the user's home taken out of an executed notebook."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rtlat.reporting.page import PLOTLY, About

_CELL = re.compile(r"[^\s\"']*ipykernel_\d+/\d+\.py")
"""The file that a kernel makes of a cell, as warnings name it."""


def scrub(notebook: Any, about: About, shown: Mapping[str, str], folder: Path) -> None:
    """Take this machine's paths and times out of an executed notebook.

    The injected parameters name data below the working directory relative to the report, so that the
    notebook runs again where it stands; elsewhere a relative path would tell where it lies.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        With its outputs; it is changed.
    about : About
        What goes into its metadata instead.
    shown : mapping
        Absolute path -> the name a report may show for it.
    folder : Path
        Where the report goes.
    """
    here = os.getcwd()
    places = {sys.prefix: "python", str(Path(__file__).parents[2]): "rtlat"}
    outputs = {**places, str(Path.home()): "~", here: ".", **shown}
    sources = {path: os.path.relpath(path, folder) for path in shown if path.startswith(here + os.sep)}
    notebook.metadata.pop("papermill", None)
    notebook.metadata["rtlat"] = {"parameters": about.parameters, "versions": about.versions}
    for cell in notebook.cells:
        cell.metadata.pop("papermill", None)
        cell.source = without(cell.source, outputs | sources)
        for output in cell.get("outputs", []):
            if PLOTLY not in output.get("data", {}):
                output.update(without(dict(output), outputs))


def without(value: Any, names: Mapping[str, str]) -> Any:
    """Return the same value with the paths of `names` replaced in every string.

    Examples
    --------
    >>> without(["/lab/box/a.log: empty", "/scratch/ipykernel_7/42.py:1: a warning"], {"/lab/box": "box"})
    ['box/a.log: empty', 'cell:1: a warning']
    """
    if isinstance(value, str):
        for path in sorted(names, key=len, reverse=True):
            if path.count(os.sep) > 1:  # a home like / or /root would hit ordinary text
                value = value.replace(path, names[path])
        return _CELL.sub("cell", value)
    if isinstance(value, dict):
        return {key: without(item, names) for key, item in value.items()}
    return [without(item, names) for item in value] if isinstance(value, list) else value
