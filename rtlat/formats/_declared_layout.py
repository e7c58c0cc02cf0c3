"""What a run card says of a table: which column is what, and in which unit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rtlat import schema
from rtlat.errors import CardError, nearest

Column = str | int
"""A column by its head, or by its number from 1."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A checked declaration.

    Attributes
    ----------
    unit : str
        Unit of the latencies or the bins: ns, us, ms, s or cycles.
    latency : tuple of Column
        Columns with one observation in each row.
    bin : tuple of Column
        Column of the bins' lower ends, or of lower and upper ends; with `count`.
    count : tuple of Column
        Columns of the bins' counts.
    width : str
        Width of every bin; empty if the rows tell it. [unit]
    quantity : str
        What was measured.
    series : Column or tuple of str
        The column that names the series; or names for the columns of `latency` or `count`, where their heads
        are none; empty if the heads are.
    separator, decimal, comment : str
        Between cells (``whitespace`` for any blanks); in numbers; how a line begins that is no data.
    head : int
        Lines before the data, the last of which names the columns; -1: one if a column is named, else none.
    time, time_unit : Column and str
        The column that tells when an observation stood, and its unit.
    seq : Column
        The column with the cycle's number.
    tool : str
        What measured.
    """

    unit: str
    latency: tuple[Column, ...] = ()
    bin: tuple[Column, ...] = ()
    count: tuple[Column, ...] = ()
    width: str = ""
    quantity: str = "unknown"
    series: Column | tuple[str, ...] = ()
    separator: str = ","
    decimal: str = "."
    comment: str = "#"
    head: int = -1
    time: Column = ""
    time_unit: str = "s"
    seq: Column = ""
    tool: str = "unknown"

    @property
    def observed(self) -> tuple[Column, ...]:
        """The columns that hold latencies or counts, a series each unless a column names the series."""
        return self.latency or self.count

    @property
    def columns(self) -> tuple[Column, ...]:
        """Every column that is meant."""
        series = () if isinstance(self.series, tuple) else (self.series,)
        return tuple(dict.fromkeys(c for c in (*self.observed, *self.bin, *series, self.time, self.seq) if c != ""))

    @property
    def names_series(self) -> bool:
        """Whether a column names the series."""
        return not isinstance(self.series, tuple)


def _is_column(given: object) -> bool:
    """A name, or a number from 1; TOML's true is none."""
    return (isinstance(given, str) and given.strip() != "") or (type(given) is int and given > 0)


def _column(given: object) -> Any:
    """One column."""
    if not _is_column(given):
        raise ValueError("a column: its head, or its number from 1")
    return given


def _columns(given: object) -> Any:
    """One column or several."""
    columns = given if isinstance(given, list) else [given]
    if not columns or not all(map(_is_column, columns)) or len(set(columns)) < len(columns):
        raise ValueError('columns, such as "latency", 2 or ["cpu0", "cpu1"]')
    return tuple(columns)


def _ends(given: object) -> Any:
    """The column of the lower ends, or those of both ends."""
    if len(ends := _columns(given)) > 2:
        raise ValueError('the column of lower ends, or those of both ends, such as ["from", "to"]')
    return ends


def _series(given: object) -> Any:
    """The column of names, or names."""
    if isinstance(given, list) and given and all(isinstance(name, str) and name.strip() for name in given):
        return tuple(given)
    if isinstance(given, list) or not _is_column(given):
        raise ValueError('the column that names the series, or a list of names, such as ["cpu0", "cpu1"]')
    return given


def _width(given: object) -> Any:
    """A positive number."""
    text = "" if isinstance(given, bool | list | dict) else str(given)
    if schema.to_ns(text or "no number", "unknown") <= 0:
        raise ValueError("a positive number")
    return text


def _head(given: object) -> Any:
    """A number of lines."""
    if type(given) is not int or not 0 <= given <= 1000:
        raise ValueError("a number of lines")
    return given


def _text(given: object) -> Any:
    """A text in one line."""
    if not isinstance(given, str) or not given.isprintable():
        raise ValueError("a text in one line")
    return given


def _separator(given: object) -> Any:
    """One character, or any blanks."""
    words = {"tab": "\t", "space": " "}
    if not isinstance(given, str) or (given != "whitespace" and len(words.get(given, given)) != 1) or given in '"\n\r':
        raise ValueError('one character such as ",", ";" or "tab", or "whitespace"')
    return words.get(given, given)


def _one_of(*choices: str) -> Callable[[object], Any]:
    """A check against a list."""

    def check(given: object) -> Any:
        if given not in choices:
            raise ValueError(f"one of {', '.join(choices)}")
        return given

    return check


_TIMES = ("ns", "us", "ms", "s")
_KEYS: dict[str, Callable[[object], Any]] = {
    "latency": _columns,
    "bin": _ends,
    "count": _columns,
    "width": _width,
    "unit": _one_of(*_TIMES, "cycles"),
    "quantity": _one_of(*schema.QUANTITIES),
    "series": _series,
    "separator": _separator,
    "decimal": _one_of(".", ","),
    "comment": _text,
    "head": _head,
    "time": _column,
    "time_unit": _one_of(*_TIMES),
    "seq": _column,
    "tool": _text,
}


def checked(key: str, given: object) -> Any:
    """Return the value of one key of a declaration.

    Raises
    ------
    CardError
        If the key is unknown, naming the nearest, or its value does not fit.

    Examples
    --------
    >>> checked("latency", ["cpu0", "cpu1"]), checked("separator", "tab")
    (('cpu0', 'cpu1'), '\\t')
    """
    if key not in _KEYS:
        raise CardError(f"unknown key {key!r} of a table{nearest(key, _KEYS)}")
    try:
        return _KEYS[key](given)
    except ValueError as error:
        raise CardError(f"{key} = {given!r}: expected {error}") from None


def layout(keys: dict[str, Any]) -> Layout:
    """Return the declaration that checked keys make together.

    Raises
    ------
    CardError
        If a key is missing, or two do not go together.

    Examples
    --------
    >>> layout({"latency": ("wakeup",), "unit": "us"}).columns
    ('wakeup',)
    >>> layout({"latency": (1,), "bin": (2,), "unit": "us"})
    Traceback (most recent call last):
    ...
    rtlat.errors.CardError: a table with latency, bin: expected either latency, or bin and count
    """
    shape = [key for key in ("latency", "bin", "count") if key in keys]
    if shape not in (["latency"], ["bin", "count"]):
        raise CardError(f"a table with {', '.join(shape) or 'no latency'}: expected either latency, or bin and count")
    if "unit" not in keys:
        raise CardError('a table without a unit: expected unit = "ns", "us", "ms", "s" or "cycles"')
    made = Layout(**keys)
    series = made.series
    if made.names_series and len(made.observed) > 1:
        raise CardError(f"series = {series!r}: expected one name for each of the {len(made.observed)} columns")
    if isinstance(series, tuple) and series and len(set(series)) != len(made.observed):
        raise CardError(f"series = {list(series)}: expected {len(made.observed)} different names, one for each column")
    if made.bin and (made.time != "" or made.seq != ""):
        raise CardError(f"{'time' if made.time != '' else 'seq'} with bin: expected it with latency")
    if "width" in keys and len(made.bin) != 1:
        raise CardError("width: expected it with bin = the column of lower ends")
    if made.separator == made.decimal:
        raise CardError(f"separator and decimal are both {made.decimal!r}")
    named = any(isinstance(column, str) for column in made.columns)
    if named and made.head == 0:
        raise CardError("head = 0 and columns by name: expected columns by number where no line names them")
    return made
