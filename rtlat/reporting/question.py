"""What a report answers: a notebook, its parameters and its data, all checked before a kernel starts.

A report is named after its question: the notebook, the data, and eight hex digits of the parameters, the
hashes of the inputs and the version of rtlat. The same question has the same name and overwrites its answer.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from rtlat import cards
from rtlat.carried_data import without_reports
from rtlat.errors import ReportError, nearest, printable
from rtlat.reporting.page import About
from rtlat.reporting.parameters import checked, parameters_of
from rtlat.storing.query import asked as asked_of_store
from rtlat.storing.query import is_asked

Paths = str | Path | Sequence[str | Path]

_LARGEST = 64 << 20
"""A notebook of more bytes is none: logs are named with --data."""


@dataclass(frozen=True, slots=True)
class Question:
    """A notebook and all its answer depends on.

    Attributes
    ----------
    notebook : Path
        Absolute.
    node : nbformat.NotebookNode
        Its content.
    values : dict
        Parameters for papermill, ``data`` as absolute paths.
    shown : dict
        Absolute path -> the name a report may show for it.
    about : About
        What the report tells about itself.
    name : str
        File name of the report, without suffix.
    """

    notebook: Path
    node: Any
    values: dict[str, Any]
    shown: dict[str, str]
    about: About
    name: str


def question(notebook: str | Path, data: Paths | None, given: Mapping[str, Any]) -> Question:
    """Check a notebook, the values given for its parameters, and its data.

    Parameters
    ----------
    notebook : path
        With a cell tagged ``parameters``.
    data : path or sequence of paths, optional
        Logs, folders or patterns; the notebook's own default, relative to its folder, if left out.
    given : mapping
        Values by name; strings are read by the parameter's annotation.

    Raises
    ------
    ReportError
        At what is wrong, before anything has run.
    """
    if "://" in str(notebook):
        raise ReportError(f"{notebook}: notebooks are read from files, not from addresses")
    notebook = Path(notebook)
    node = _notebook(notebook)
    if _waits(node):
        raise ReportError(f"{notebook.name} waits for choices by hand: open it in JupyterLab (rtlat lab)")
    try:
        known = parameters_of(node)
    except ReportError as error:
        raise ReportError(f"{notebook}: {error}") from None
    values = checked(given, known, notebook.name)
    effective = {name: parameter.default for name, parameter in known.items()} | values
    if data is not None and "data" not in known:
        raise ReportError(f"{notebook.name} takes no data: it has no parameter 'data'")
    shown: dict[str, str] = {}
    if "data" in known:
        base = Path.cwd() if data is not None or "data" in given else notebook.resolve().parent
        paths = _absolute(effective["data"] if data is None else data, base)
        shown = dict(zip(paths, _shown(paths), strict=True))
        values |= checked({"data": paths if "list" in known["data"].annotation else _one(paths)}, known, notebook.name)
        effective["data"] = list(shown.values())
    names = list(shown.values())
    shown |= {_file(path): _file(name) for path, name in shown.items() if is_asked(path)}
    for option in ("card", "claims", "against"):
        if chosen := effective.get(option):
            paths = _absolute(chosen, Path.cwd())
            several = isinstance(chosen, list)
            shown |= dict(zip(paths, _shown(paths), strict=True))
            effective[option] = _shown(paths) if several else _shown(paths)[0]
            values[option] = paths if several else paths[0]
    about = About(
        notebook=notebook.name,
        title=" · ".join([_heading(node) or notebook.stem, *([", ".join(_brief(names, 2))] if names else [])]),
        made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC"),
        data=names,
        parameters=effective,
        help={name: parameter.help for name, parameter in known.items()},
        inputs=_inputs(shown),
        versions=_versions(),
        asked=sorted(given),
    )
    name = "-".join(filter(None, [notebook.stem, _slug(names), _digest(about)]))
    return Question(notebook.resolve(), node, values, shown, about, name)


def apart(questions: Iterable[Question]) -> dict[str, Question]:
    """Return questions by a short label, each with a file name of its own; one that is asked twice stands once.

    Folders that hold the same under the same name would otherwise share a report: a number tells them apart.
    """
    asked = {(one.notebook, *one.shown, one.name): one for one in questions}.values()
    several = len({tuple(one.about.data) for one in asked}) > 1
    labelled: dict[str, Question] = {}
    names = set[str]()
    for one in asked:
        name, count = one.name, 1
        while name in names:
            name, count = f"{one.name}-{count + 1}", count + 1
        names.add(name)
        label = f"{one.notebook.stem} of {', '.join(_brief(one.about.data, 2))}" if several else one.notebook.stem
        labelled[name if label in labelled else label] = replace(one, name=name)
    return labelled


def takes(notebook: str | Path, name: str) -> bool:
    """Return whether a notebook has a parameter of this name."""
    return name in parameters_of(_notebook(Path(notebook)))


def is_interactive(notebook: str | Path) -> bool:
    """Return whether a notebook waits for choices by hand: its metadata hold ``"rtlat": {"interactive": true}``."""
    return _waits(_notebook(Path(notebook)))


def is_of_documents(notebook: str | Path) -> bool:
    """Return whether a notebook is about its own data and no other: ``"rtlat": {"documents": true}``."""
    return bool(_notebook(Path(notebook)).metadata.get("rtlat", {}).get("documents"))


def _waits(node: Any) -> bool:
    return bool(node.metadata.get("rtlat", {}).get("interactive"))


def _notebook(path: Path) -> Any:
    """The notebook, or why it is none."""
    import nbformat

    try:
        with open(path, "rb") as file:
            start = file.read(64)
        if not start.lstrip().startswith(b"{") or path.stat().st_size > _LARGEST:
            raise ReportError(f"{path} is no notebook; logs are named with --data")
        return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    except FileNotFoundError:
        others = [other.name for other in path.parent.glob("*.ipynb")]
        raise ReportError(f"no notebook {path}{nearest(path.name, others) if others else ''}") from None
    except ReportError:
        raise
    except Exception as error:  # nbformat fails in many ways on what is no notebook
        raise ReportError(f"{path} is no notebook ({printable(str(error))[:80]})") from None


def _heading(node: Any) -> str:
    """The notebook's own title: its first Markdown heading."""
    texts = [cell.source for cell in node.cells if cell.cell_type == "markdown"]
    found = re.search(r"^# (.+)$", "\n".join(texts), re.M)
    return found[1].strip() if found else ""


def _absolute(chosen: Any, base: Path) -> list[str]:
    """Data as absolute paths, as a kernel that runs elsewhere needs them; patterns stay patterns."""
    paths = [str(chosen)] if isinstance(chosen, str | Path) else [str(path) for path in chosen or []]
    if not paths:
        raise ReportError("no data; name logs, folders or patterns")
    for path in map(_file, paths):
        if "://" in path or path == "-":
            raise ReportError(f"{path}: a report is made from files; save it as one first")
        if not _is_utf8(path):
            raise ReportError(f"{printable(path)}: found a name that is no UTF-8, expected one; rename it")
        if not (base / path).exists() and not glob.glob(str(base / path), recursive=True):
            raise ReportError(f"{path}: no such file or folder")
    return list(dict.fromkeys(_at(path, os.path.normpath(base / _file(path))) for path in paths))


def _file(path: str) -> str:
    """The file of a path that asks a store, any other path as it is."""
    return str(asked_of_store(path).path) if is_asked(path) else path


def _at(path: str, file: str) -> str:
    """The same path with its file elsewhere."""
    return asked_of_store(path).of(file) if is_asked(path) else file


def _is_utf8(path: str) -> bool:
    """Whether a path can stand in a notebook."""
    return path.encode(errors="replace").decode() == path


def _one(paths: list[str]) -> str:
    """The only path, for a notebook whose data is one."""
    if len(paths) > 1:
        raise ReportError(f"the notebook takes one path as data, found {len(paths)}")
    return paths[0]


def _shown(paths: list[str]) -> list[str]:
    """Paths as a report may show them: from here if they lie below, else from where they meet."""
    here = str(Path.cwd())
    files = [_file(path) for path in paths]
    meet = os.path.commonpath([os.path.dirname(file) for file in files])
    names = [os.path.relpath(file, here if file.startswith(here + os.sep) else meet) for file in files]
    return [printable(_at(path, name)) for path, name in zip(paths, names, strict=True)]


def _inputs(shown: Mapping[str, str]) -> list[tuple[str, int, str]]:
    """Name, size and sha256 of every file the answer may depend on: logs, and the cards beside them."""
    found: dict[Path, str] = {}
    for path, name in shown.items():
        for match in [path] if os.path.exists(path) else sorted(glob.glob(path, recursive=True)):
            root, label = Path(match), name if match == path else os.path.basename(match)
            within = sorted(file for file in root.rglob("*") if file.is_file())
            for file in [root] if root.is_file() else without_reports(within):
                inner = file.relative_to(root)
                if not any(part.startswith(".") for part in inner.parts):
                    found[file] = printable(os.path.join(label, inner) if inner.parts else label)
            if root.is_file() and (card := cards.beside(root)):
                found.setdefault(card, card.name)
    hashed = []
    for file, label in found.items():
        try:
            told = file.stat()
            hashed.append((label, told.st_size, _sha256(file, told.st_size, told.st_mtime_ns)))
        except OSError as error:
            raise ReportError(f"{label}: found a file that cannot be read ({error.strerror})") from None
    return hashed


@lru_cache(100_000)
def _sha256(file: Path, size: int, changed: int) -> str:
    """The hash of a file that is so large and was changed then: seven notebooks ask for that of 20 GB."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _brief(names: list[str], most: int) -> list[str]:
    """Names if there are at most so many, else the first and how many more."""
    return names if len(names) <= most else [names[0], f"{len(names) - 1} more"]


def _slug(names: list[str]) -> str:
    """Data names as part of a file name."""
    words = [re.sub(r"[^a-z0-9]+", "-", os.path.basename(name).lower()).strip("-") for name in _brief(names, 3)]
    return "-".join(filter(None, words))[:60].strip("-")


def _digest(about: About) -> str:
    """Eight hex digits of all the answer depends on; where the data lies is not part of it."""
    parameters = {name: value for name, value in about.parameters.items() if name != "data"}
    inputs = sorted(sha256 for _, _, sha256 in about.inputs)
    text = json.dumps([parameters, inputs, about.versions["rtlat"]], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _versions() -> dict[str, str]:
    """What a result depends on besides its inputs."""
    import platform
    from importlib.metadata import version

    from rtlat import __version__

    return {
        "rtlat": __version__,
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "pandas", "plotly")},
    }
