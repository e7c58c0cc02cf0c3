"""A notebook run by papermill, and every way in which that can fail as one line."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rtlat import errors
from rtlat.errors import KernelLostError, ReportError, printable


def executed(
    notebook: Path,
    node: Any,
    values: Mapping[str, Any],
    draft: Path,
    tell: Callable[[str], None],
    timeout: float | None,
    environment: Mapping[str, str],
) -> Any:
    """Return a notebook with what its cells printed and showed.

    Parameters
    ----------
    notebook : Path
        Where it lies: its kernel starts in that folder.
    node : nbformat.NotebookNode
        Its content.
    values : mapping
        Parameters by name, as papermill can write them.
    draft : Path
        Where papermill keeps it while it runs; it stays there if a cell fails.
    tell : callable
        Called with what it is doing.
    timeout : float, optional
        The longest one cell may take. [s]
    environment : mapping
        Variables that its kernel sees besides those of this process.

    Raises
    ------
    ReportError
        If a cell fails or takes too long.
    KernelLostError
        If the kernel does not start, or dies: another may fare better, as kernels race for ports.
    """
    import papermill
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient.exceptions import CellTimeoutError, DeadKernelError
    from papermill.exceptions import PapermillException, PapermillExecutionError

    cells = len(node.cells) + bool(values)  # papermill adds one for the parameters
    tell("starting")
    try:
        # A user's own PLOTLY_RENDERER would lose the figures; debugpy warns of frozen modules on stderr.
        with _environment(PLOTLY_RENDERER="plotly_mimetype", PYDEVD_DISABLE_FILE_VALIDATION="1", **environment):
            return papermill.execute_notebook(
                node,
                str(draft).replace("{", "{{").replace("}", "}}"),  # papermill formats paths
                parameters=dict(values),
                kernel_name="python3",
                progress_bar=False,
                cwd=str(notebook.parent),
                start_timeout=120,
                execution_timeout=timeout,
                on_cell_start=lambda cell, cell_index: tell(f"cell {cell_index + 1} of {cells}"),
                extra_arguments=["--log-level=CRITICAL"],  # ipykernel tells stderr of TCP and of its own end
            )
    except PapermillExecutionError as error:
        own = hasattr(errors, error.ename)
        what = error.evalue if own else f"cell {error.cell_index + 1}: {error.ename}: {error.evalue}"
    except CellTimeoutError:
        what = f"a cell took longer than {timeout or 0:g} s"
    except DeadKernelError:
        raise KernelLostError(f"{notebook.name}: its kernel died; most often the memory was not enough") from None
    except NoSuchKernel as error:
        what = f"no Jupyter kernel {error.name!r}; install ipykernel where rtlat is installed"
    except RuntimeError as error:  # jupyter_client's way to say that a kernel did not answer
        raise KernelLostError(printable(f"{notebook.name}: its kernel did not start: {error}")) from None
    except (PapermillException, ValueError, OSError) as error:
        what = f"{type(error).__name__}: {error}"
    raise ReportError(printable(f"{notebook.name}: {what}"))


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
