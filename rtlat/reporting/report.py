"""Notebooks run on data, and what comes of it: an executed notebook, one offline HTML page, an index.

Reports are made beside each other, one for each processor. Everything is written under a temporary name and
renamed, every way a notebook can fail is one line, and what failed stays as ``NAME.failed.ipynb``.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from rtlat.errors import ReportError
from rtlat.parsed_once import PARSED
from rtlat.reporting.execution import executed
from rtlat.reporting.files import put, write
from rtlat.reporting.index import index
from rtlat.reporting.pdf import write_pdf
from rtlat.reporting.processes import Progress, results
from rtlat.reporting.question import Paths, Question, apart, question
from rtlat.reporting.scrubbing import scrub, without
from rtlat.store import HANDED_OVER


def report(
    notebooks: Paths,
    data: Paths | None = None,
    parameters: Mapping[str, Any] | None = None,
    out: str | Path = "reports",
    *,
    pdf: bool = False,
    progress: TextIO | None = None,
    timeout: float | None = None,
) -> list[Path]:
    """Run notebooks and write their reports.

    Parameters
    ----------
    notebooks : path or sequence of paths
        Notebooks with a cell tagged ``parameters``. All are checked before the first one runs.
    data : path or sequence of paths, optional
        Logs, folders or patterns for their parameter ``data``; each notebook's own default if left out.
    parameters : mapping, optional
        Values by name. Strings are read by the parameter's annotation, a list is written with commas.
    out : path
        Folder to write to; made if it does not exist.
    pdf : bool
        Whether to print each as well; takes the extra ``pdf`` and Chromium.
    progress : file, optional
        Where to say how far it is: one line for each report, and a bar on a terminal.
    timeout : float, optional
        The longest one cell may take; no limit if left out. [s]

    Returns
    -------
    list of Path
        The HTML pages, in the order of `notebooks`; the executed notebook stands beside each.

    Raises
    ------
    ReportError
        If a notebook, parameter or path is wrong, and, after the others were made, if a notebook failed.
    """
    listed = [notebooks] if isinstance(notebooks, str | Path) else list(notebooks)
    questions = [question(notebook, data, parameters or {}) for notebook in listed]
    found = reports(questions, out, pdf=pdf, progress=progress, timeout=timeout)
    failed = [error for error in found if isinstance(error, ReportError)]
    failed += [ReportError(made.problem) for made in found if isinstance(made, Made) and made.problem]
    if failed:
        raise failed[0] if len(failed) == 1 else ReportError("; ".join(map(str, failed)))
    return [made.path for made in found if isinstance(made, Made)]


class Made(NamedTuple):
    """A report that was made.

    Attributes
    ----------
    path : Path
        The HTML page; what belongs to it stands beside it.
    figures, size : int
        How many figures it has, and of how many bytes it is.
    problem : str
        Why there is no PDF of it though one was asked for.
    """

    path: Path
    figures: int
    size: int
    problem: str = ""

    def __str__(self) -> str:
        several = "s" * (self.figures != 1)
        return f"{os.path.relpath(self.path)}: {self.figures} figure{several}, {self.size / 1e6:.1f} MB"


def reports(
    questions: Iterable[Question],
    out: str | Path = "reports",
    *,
    pdf: bool = False,
    progress: TextIO | None = None,
    timeout: float | None = None,
) -> list[Made | ReportError]:
    """Return what came of each question, in their order; a failure costs no other report.

    Parameters
    ----------
    questions : iterable of Question
        Several of the same name are told apart by where their data lie; the same question is answered once.
    out : path
        Folder to write to; made if it does not exist.
    pdf : bool
        Whether to print each as well.
    progress : file, optional
        Where to say how far it is.
    timeout : float, optional
        The longest one cell may take; no limit if left out. [s]

    Raises
    ------
    ReportError
        If there is no folder to write to.
    """
    asked = apart(questions)
    folder = Path(out).resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        drafts = tempfile.TemporaryDirectory(prefix=".drafts-", dir=folder)
    except OSError as error:
        raise ReportError(f"{out}: no folder to write reports to ({error.strerror})") from None
    with drafts:
        tasks = {label: _Task(one, folder, Path(drafts.name), pdf, timeout) for label, one in asked.items()}
        found = results(_answer, tasks, Progress(progress, len(tasks)))
        if any(isinstance(made, Made) for made in found.values()):
            listed = index(folder)
            put(folder / "index.html", lambda path: path.write_text(listed, encoding="utf-8"), Path(drafts.name))
    return [_of_its_data(label, asked[label], made) for label, made in found.items()]


def _of_its_data(label: str, asked: Question, made: Made | ReportError) -> Made | ReportError:
    """The same; an error among those of other data names its own."""
    if isinstance(made, Made) or label == asked.notebook.stem:
        return made
    return ReportError(f"{label}: {str(made).removeprefix(f'{asked.notebook.name}: ')}")


class _Task(NamedTuple):
    """A question, and where and how its report is made; what is not yet whole lies in `drafts`."""

    asked: Question
    folder: Path
    drafts: Path
    pdf: bool
    timeout: float | None


def _answer(task: _Task, tell: Callable[[str], None]) -> Made:
    """Run one notebook and write its report."""
    asked, folder, drafts, pdf, timeout = task
    draft, read = drafts / f"{asked.name}.running.ipynb", drafts / f"{asked.name}.read"
    failed = folder / f"{asked.name}.failed.ipynb"
    path = folder / f"{asked.name}.html"
    shutil.rmtree(read, ignore_errors=True)  # of a kernel that was lost
    read.mkdir()
    try:
        environment = {HANDED_OVER: str(read), PARSED: str(drafts)}
        node = executed(asked.notebook, asked.node, asked.values, draft, tell, timeout, environment)
        tell("writing")
        scrub(node, asked.about, asked.shown, folder)
        text = write(node, replace(asked.about, name=asked.name), read, folder, drafts)
    except ReportError as error:
        kept = ""
        if draft.exists():
            os.replace(draft, failed)
            kept = f" (see {os.path.relpath(failed)})"
        raise type(error)(f"{without(str(error), asked.shown)}{kept}") from None
    problem = ""
    if pdf:
        tell("printing")
        problem = _printed(text, path.with_suffix(".pdf"), drafts)
    return Made(path, text.count('<div class="figure"'), len(text.encode()), problem)


def _printed(text: str, path: Path, drafts: Path) -> str:
    """Print a page; return why there is no PDF, if there is none."""
    draft = drafts / path.name
    try:
        write_pdf(text, draft)
        os.replace(draft, path)
    except ReportError as error:
        path.unlink(missing_ok=True)  # an earlier one is no print of this page
        return str(error)
    return ""
