"""Where the notebooks are."""

from __future__ import annotations

from pathlib import Path

from rtlat.errors import UsageError, nearest


def notebooks_folder() -> Path:
    """Return the folder of notebooks beside the package.

    Raises
    ------
    UsageError
        rtlat does not run from its checkout.
    """
    folder = Path(__file__).resolve().parents[2] / "notebooks"
    if not folder.is_dir():
        raise UsageError("no notebooks beside the package: run rtlat from its checkout, as ./run rtlat")
    return folder


def notebook(name: str) -> Path:
    """Return a notebook by its path, or by its name in the folder of notebooks.

    Raises
    ------
    UsageError
        It is neither.

    Examples
    --------
    >>> notebook("compare").name
    'compare.ipynb'
    """
    path = Path(name)
    if path.exists() or path.suffix == ".ipynb":
        return path
    known = {notebook.stem: notebook for notebook in notebooks_folder().glob("*.ipynb")}
    if name not in known:
        raise UsageError(f"no notebook {name!r}{nearest(name, known)}")
    return known[name]
