"""Notebooks run on data, and what comes of it: an executed notebook, one offline HTML page, an index.

Everything is written under a temporary name and renamed, every way a notebook can fail is one line, and
what failed stays as ``NAME.failed.ipynb``. What is asked stands in `rtlat.question`, how a page is built in
`rtlat.page`.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from rtlat import errors
from rtlat.errors import ReportError, printable
from rtlat.reporting.page import PLOTLY, index, page
from rtlat.reporting.question import Paths, Question, question

_ERASE = "\r\x1b[K"


def report(
    notebooks: Paths,
    data: Paths | None = None,
    parameters: Mapping[str, Any] | None = None,
    out: str | Path = "reports",
    *,
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
    progress : file, optional
        Where to say how far it is: cell counts on a terminal, elsewhere one line per report.
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
    folder = Path(out).resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ReportError(f"{out}: no folder to write reports to ({error.strerror})") from None
    made: list[Path] = []
    failed: list[ReportError] = []
    for asked in questions:
        try:
            made.append(_answer(asked, folder, _Progress(progress, asked.notebook.stem), timeout))
        except ReportError as error:
            failed.append(error)
    if made:
        _write(folder / "index.html", index(folder))
    if failed:
        raise failed[0] if len(failed) == 1 else ReportError("; ".join(map(str, failed)))
    return made


class _Progress:
    """Lines for whoever waits: on a terminal one line that is repainted, elsewhere only the result."""

    def __init__(self, stream: TextIO | None, name: str) -> None:
        self.stream, self.name, self.start = stream, name, time.monotonic()
        self.live = stream is not None and stream.isatty()

    def step(self, text: str) -> None:
        """Say what it is doing; nothing to say erases the line."""
        if self.live:
            print(f"{_ERASE}{self.name}: {text}" if text else _ERASE, end="", file=self.stream, flush=True)

    def done(self, text: str) -> None:
        """Say what came of it."""
        if self.stream:
            print(f"{text}, {time.monotonic() - self.start:.0f} s", file=self.stream, flush=True)


def _answer(asked: Question, folder: Path, progress: _Progress, timeout: float | None) -> Path:
    """Run one notebook and write its report."""
    import nbformat

    draft = folder / f".{asked.name}.{os.getpid()}.ipynb"
    failed = folder / f"{asked.name}.failed.ipynb"
    path = folder / f"{asked.name}.html"
    try:
        node = _executed(asked, draft, progress, timeout)
        progress.step("writing")
        _scrub(node, asked, folder)
        text = page(node, asked.about)
        _write(path.with_suffix(".ipynb"), nbformat.writes(node))  # type: ignore[no-untyped-call]
        _write(path, text)
        failed.unlink(missing_ok=True)
    except ReportError as error:
        if not draft.exists():
            raise
        os.replace(draft, failed)
        raise ReportError(f"{error} (see {os.path.relpath(failed)})") from None
    finally:
        draft.unlink(missing_ok=True)
        progress.step("")
    figures = text.count('<div class="figure"')
    progress.done(f"{os.path.relpath(path)}: {figures} figure{'s' * (figures != 1)}, {len(text.encode()) / 1e6:.1f} MB")
    return path


def _executed(asked: Question, draft: Path, progress: _Progress, timeout: float | None) -> Any:
    """The notebook run by papermill; whatever can go wrong becomes a ReportError."""
    import papermill
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient.exceptions import CellTimeoutError, DeadKernelError
    from papermill.exceptions import PapermillException, PapermillExecutionError

    cells = len(asked.node.cells) + bool(asked.values)  # papermill adds one for the parameters
    progress.step("starting")
    try:
        # A user's own PLOTLY_RENDERER would lose the figures; debugpy warns of frozen modules on stderr.
        with _environment(PLOTLY_RENDERER="plotly_mimetype", PYDEVD_DISABLE_FILE_VALIDATION="1"):
            return papermill.execute_notebook(
                asked.node,
                str(draft).replace("{", "{{").replace("}", "}}"),  # papermill formats paths
                parameters=asked.values,
                kernel_name="python3",
                progress_bar=False,
                cwd=str(asked.notebook.parent),
                start_timeout=120,
                execution_timeout=timeout,
                on_cell_start=lambda cell, cell_index: progress.step(f"cell {cell_index + 1} of {cells}"),
                extra_arguments=["--log-level=CRITICAL"],  # ipykernel tells stderr of TCP and of its own end
            )
    except PapermillExecutionError as error:
        own = hasattr(errors, error.ename)
        what = error.evalue if own else f"cell {error.cell_index + 1}: {error.ename}: {error.evalue}"
    except CellTimeoutError:
        what = f"a cell took longer than {timeout or 0:g} s"
    except DeadKernelError:
        what = "its kernel died; most often the memory was not enough"
    except NoSuchKernel as error:
        what = f"no Jupyter kernel {error.name!r}; install ipykernel where rtlat is installed"
    except (PapermillException, ValueError, OSError, RuntimeError) as error:
        what = f"{type(error).__name__}: {error}"
    raise ReportError(f"{asked.notebook.name}: {printable(_without(what, asked.shown))}")


@contextlib.contextmanager
def _environment(**variables: str) -> Iterator[None]:
    """Environment variables that the kernel inherits."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _scrub(node: Any, asked: Question, folder: Path) -> None:
    """Take this machine's paths and times out of an executed notebook.

    The injected parameters name data below the working directory relative to the report, so that the
    notebook runs again where it stands; elsewhere a relative path would tell where it lies.
    """
    here = os.getcwd()
    outputs = {**asked.shown, here: ".", str(Path.home()): "~"}
    sources = {path: os.path.relpath(path, folder) for path in asked.shown if path.startswith(here + os.sep)}
    node.metadata.pop("papermill", None)
    node.metadata["rtlat"] = {"parameters": asked.about.parameters, "versions": asked.about.versions}
    for cell in node.cells:
        cell.metadata.pop("papermill", None)
        cell.source = _without(cell.source, outputs | sources)
        for output in cell.get("outputs", []):
            if PLOTLY not in output.get("data", {}):
                output.update(_without(dict(output), outputs))


def _without(value: Any, names: Mapping[str, str]) -> Any:
    """The same value with the paths of `names` replaced in every string."""
    if isinstance(value, str):
        for path in sorted(names, key=len, reverse=True):
            if path.count(os.sep) > 1:  # a home like / or /root would hit ordinary text
                value = value.replace(path, names[path])
        return value
    if isinstance(value, dict):
        return {key: _without(item, names) for key, item in value.items()}
    return [_without(item, names) for item in value] if isinstance(value, list) else value


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_text(text, encoding="utf-8")
        os.replace(draft, path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise ReportError(f"{path.name}: cannot be written ({error.strerror})") from None
