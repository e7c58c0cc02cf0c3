"""Which runs of a store are meant: ``kernel=6.12 load~stress started>=2026-11``, as a condition in SQL.

A query is made of terms COLUMN OPERATOR VALUE with blanks between; all of them have to hold, and none means every
run. A value with blanks is quoted: ``load="stress-ng --cpu 2"``. Columns are those of runs (`rtlat.schema.RUNS`) and
``added``.

========== ==================================================================================================
``=``      is the value, or begins with it where a word ends: ``kernel=6.12`` is 6.12.8-rt and not 6.120
``!=``     is not
``~``      holds the pattern somewhere, in which ``*`` and ``?`` stand for any characters
``> >=``   of dates and numbers; a date may be cut short: ``started>=2026-11`` takes all of November, and
``< <=``   so does ``started<=2026-11``
========== ==================================================================================================

Case is ignored. A value that is empty means unknown: ``load=``. Times may have a unit: ``duration>=1h``.
No word of a query ever becomes SQL: columns are looked up, values are bound.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from rtlat import schema
from rtlat.errors import UsageError, nearest
from rtlat.storing.dates import PREFIX

STORE = "store:"
"""What a word begins with that asks a store."""

DEFAULT = "rtlat.sqlite"
"""The store of a folder, where no file is named."""

_TERM = re.compile(r"(?P<column>[^=~<>!]*)(?P<operator>>=|<=|!=|=|~|>|<)(?P<value>.*)", re.DOTALL)
_COLUMNS = {column.name: column.dtype for column in schema.RUNS} | {"added": "str"}
_DATES = {"started": "began", "added": "added"}
"""Columns of dates -> where they stand as ISO 8601."""

_SECONDS = ("duration", "window")
_NS = ("period", "resolution", "threshold")
_WORDS = {"yes": 1, "true": 1, "1": 1, "no": 0, "false": 0, "0": 0}


@dataclass(frozen=True, slots=True)
class Query:
    """A condition on the table of runs.

    Attributes
    ----------
    condition : str
        SQL with a ``?`` for each of `values`.
    values : tuple
        What is bound.
    """

    condition: str
    values: tuple[str | float, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A word ``store:[FILE?]QUERY``, taken apart.

    Attributes
    ----------
    path : Path
        The store.
    text : str
        The query as written.
    """

    path: Path
    text: str

    def of(self, path: str) -> str:
        """Return the word that asks the same of another store.

        Examples
        --------
        >>> asked("store:load=idle").of("lab/rtlat.sqlite")
        'store:lab/rtlat.sqlite?load=idle'
        """
        return f"{STORE}{path}?{self.text}" if self.text else f"{STORE}{path}"


def is_asked(word: object) -> bool:
    """Whether a word asks a store."""
    return str(word).startswith(STORE)


def asked(word: str) -> Asked:
    """Return the store and the query that a word means.

    Examples
    --------
    >>> asked("store:kernel=6.12 load=idle")
    Asked(path=PosixPath('rtlat.sqlite'), text='kernel=6.12 load=idle')
    >>> asked("store:lab/2026.sqlite?load=idle").path, asked("store:lab/2026.sqlite").text
    (PosixPath('lab/2026.sqlite'), '')
    """
    rest = word.removeprefix(STORE)
    file, mark, text = rest.partition("?")
    if _TERM.match(file) or not file:
        return Asked(Path(DEFAULT), rest if file else text)
    return Asked(Path(file), text if mark else "")


def query(text: str) -> Query:
    """Return what a query means, as SQL.

    Parameters
    ----------
    text : str
        Terms with blanks between them.

    Raises
    ------
    UsageError
        If a term is none, its column is unknown (the nearest is named), or its value does not fit.

    Examples
    --------
    >>> query("duration>=1h tool=cyclictest").values
    (3600.0, 'cyclictest', 'cyclictest')
    >>> query("aproach=rtirq")
    Traceback (most recent call last):
    ...
    rtlat.errors.UsageError: query: runs have no column 'aproach'; did you mean 'approach'?
    """
    try:
        terms = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"query: {text!r}: {error}") from None
    parts = [_term(term) for term in terms]
    condition = " AND ".join(part.condition for part in parts)
    return Query(condition or "1", tuple(value for part in parts for value in part.values))


def _term(term: str) -> Query:
    """One term."""
    found = _TERM.fullmatch(term)
    if not found or not found["column"]:
        raise UsageError(f"query: found {term!r}, expected COLUMN=VALUE; quote a value that has blanks")
    column, operator, value = found["column"], found["operator"], found["value"]
    if column not in _COLUMNS:
        raise UsageError(f"query: runs have no column {column!r}{nearest(column, _COLUMNS)}")
    name = f'runs."{column}"'
    if column in _DATES and operator != "~" and value:
        return _date(f"runs.{_DATES[column]}", operator, value, term)
    if _COLUMNS[column] == "str":
        return _text(name, operator, value, term)
    return _number(name, operator, value, column, term)


def _text(name: str, operator: str, value: str, term: str) -> Query:
    """A term about words."""
    if operator == "~":
        pattern = value.lower().replace("[", "[[]")
        return Query(f"lower({name}) GLOB ?", (f"*{pattern}*",))
    if operator not in ("=", "!="):
        raise UsageError(f"query: {term!r}: only dates and numbers have an order; use = != or ~")
    condition, values = f"{name} = ? COLLATE NOCASE", [value]
    if value:  # the word ends there
        begins = f"substr({name}, 1, {len(value)}) = ? COLLATE NOCASE"
        condition = f"({condition} OR {begins} AND substr({name}, {len(value) + 1}, 1) GLOB '[^0-9A-Za-z]')"
        values *= 2
    return Query(condition if operator == "=" else f"NOT {condition}", tuple(values))


def _date(name: str, operator: str, value: str, term: str) -> Query:
    """A term about dates: as much of both is compared as the query says; what has no date is never meant."""
    value = value.strip().replace(" ", "T")
    if not PREFIX.fullmatch(value):
        raise UsageError(f"query: {term!r}: found no date, expected one like 2026-11 or 2026-11-30T16:56")
    return Query(f"({name} != '' AND substr({name}, 1, {len(value)}) {operator} ?)", (value,))


def _number(name: str, operator: str, value: str, column: str, term: str) -> Query:
    """A term about numbers, times with their unit, and yes or no."""
    if operator == "~":
        raise UsageError(f"query: {term!r}: {column} is a number; use = != > >= < or <=")
    if not value:
        return Query(f"{name} IS {'NOT ' * (operator == '!=')}NULL", ())
    try:
        number = _WORDS[value.lower()] if _COLUMNS[column] == "boolean" else _value(column, value)
    except (KeyError, ValueError) as error:
        reason = f": {error}" if isinstance(error, ValueError) else ": expected yes or no"
        raise UsageError(f"query: {term!r}{reason}") from None
    return Query(f"{name} {'IS NOT' if operator == '!=' else operator} ?", (number,))


def _value(column: str, value: str) -> float:
    """A number in the unit of its column."""
    if column not in _SECONDS + _NS or value.replace(".", "", 1).isdigit():
        return float(schema.to_ns(value, "unknown"))
    return schema.duration_ns(value) / (1e9 if column in _SECONDS else 1)
