"""A notebook's parameters: their names, types and meaning, and a check of values before anything runs.

papermill runs happily on a misspelt name and leaves a string where a number was meant, so rtlat asks first.
The cell is parsed as the Python it is: papermill's own inspection is a pattern that overlooks ``x: int | None``
and any line with two ``=``.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rtlat.errors import ReportError, nearest

_WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One line of a notebook's cell tagged ``parameters``.

    Attributes
    ----------
    name, annotation, help : str
        Name, type as written (that of the default if there is none) and the comment behind it.
    default : object
        Its value if it is a literal, else None.
    """

    name: str
    annotation: str
    default: Any
    help: str


def parameters_of(notebook: Any) -> dict[str, Parameter]:
    """Return the parameters of a notebook by name.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        Not executed.

    Raises
    ------
    ReportError
        If the cell is no Python.
    """
    cells = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    return inspect(cells[0].source) if cells else {}


def inspect(source: str) -> dict[str, Parameter]:
    """Return the parameters that `source` assigns.

    Raises
    ------
    ReportError
        If `source` is no Python.

    Examples
    --------
    >>> inspect("quantity: str = ''  # irq, thread ...; empty: all")["quantity"].help
    'irq, thread ...; empty: all'
    >>> inspect("limit: float | None = None")["limit"].annotation
    'float | None'
    """
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise ReportError(f"the cell tagged 'parameters' is no Python: line {error.lineno}: {error.msg}") from None
    found = {}
    lines = source.splitlines()
    for node in tree.body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
        if not isinstance(target, ast.Name):
            continue
        try:
            default = ast.literal_eval(node.value)
        except ValueError:
            default = None
        annotation = ast.unparse(node.annotation) if isinstance(node, ast.AnnAssign) else type(default).__name__
        comment = lines[(node.end_lineno or 1) - 1].encode()[node.end_col_offset or 0 :].decode()
        found[target.id] = Parameter(target.id, annotation.strip("'\""), default, comment.strip().lstrip("# "))
    return found


def checked(given: Mapping[str, Any], known: Mapping[str, Parameter], notebook: str) -> dict[str, Any]:
    """Return `given` with every value in its parameter's type.

    Strings, as a command line gives them, are read by the annotation; a list is written with commas.

    Parameters
    ----------
    given : mapping
        Values by name.
    known : mapping
        The notebook's parameters.
    notebook : str
        Its name, for the message.

    Raises
    ------
    ReportError
        At an unknown name, naming the nearest, or at a value that does not fit.

    Examples
    --------
    >>> known = inspect("percentiles: list[float] = [50, 99]\\npooled: bool = True\\ncpu: int | None = None")
    >>> checked({"percentiles": "50,99.9", "pooled": "no", "cpu": "3"}, known, "compare.ipynb")
    {'percentiles': [50.0, 99.9], 'pooled': False, 'cpu': 3}
    >>> checked({"percentile": "50"}, known, "compare.ipynb")
    Traceback (most recent call last):
    ...
    rtlat.errors.ReportError: compare.ipynb has no parameter 'percentile'; did you mean 'percentiles'?
    """
    values = {}
    for name, value in given.items():
        if name not in known:
            hint = nearest(name, known) if known else "; it has none"
            raise ReportError(f"{notebook} has no parameter {name!r}{hint}")
        try:
            values[name] = _converted(value, known[name].annotation)
        except (ValueError, TypeError, SyntaxError):
            wanted = known[name].annotation
            raise ReportError(f"{notebook}: parameter {name}: found {value!r}, expected {wanted}") from None
    return values


def _converted(value: Any, annotation: str) -> Any:
    """The value in the first of the annotation's types that takes it; ValueError if none does."""
    kinds = [kind.strip() for kind in annotation.split("|")] if "[" not in annotation else [annotation]
    for kind in kinds:
        try:
            return _READ.get(kind.partition("[")[0], _literal)(value, kind.partition("[")[2].rstrip("]"))
        except (ValueError, TypeError, SyntaxError):
            continue
    raise ValueError(value)


def _text(value: Any, _: str) -> str:
    if isinstance(value, str) or hasattr(value, "__fspath__"):
        return str(value)
    raise ValueError(value)


def _boolean(value: Any, _: str) -> bool:
    if isinstance(value, str) and value.lower() in _WORDS:
        return _WORDS[value.lower()]
    if isinstance(value, bool):
        return value
    raise ValueError(value)


def _integer(value: Any, _: str) -> int:
    if isinstance(value, bool | float):
        raise ValueError(value)
    return int(value)


def _number(value: Any, _: str) -> float:
    if isinstance(value, bool) or math.isnan(float(value)):
        raise ValueError(value)
    return float(value)


def _nothing(value: Any, _: str) -> None:
    if value not in (None, "None", "none", ""):
        raise ValueError(value)


def _list(value: Any, item: str) -> list[Any]:
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    if not isinstance(value, list | tuple):
        raise ValueError(value)
    return [_converted(part, item) if item else part for part in value]


def _literal(value: Any, _: str) -> Any:
    """Any other type: a Python literal if it comes as text, and nothing JSON cannot hold."""
    import json

    value = ast.literal_eval(value) if isinstance(value, str) else value
    json.dumps(value)
    return value


_READ: dict[str, Callable[[Any, str], Any]] = {
    "str": _text,
    "bool": _boolean,
    "int": _integer,
    "float": _number,
    "None": _nothing,
    "NoneType": _nothing,
    "list": _list,
}
