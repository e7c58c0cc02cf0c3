"""Run cards: what a log does not say, in a `runs.toml` beside the logs, a ``--card`` file or ``--set`` words.

A card has a table of defaults, then tables for the logs whose path a pattern matches; later tables win::

    [defaults]
    machine = "BeagleBone Black"

    [runs."*_busy.log"]          # `log.txt#2` means the second run of that file
    load = "stress-ng --cpu 1"
    period = "250us"

    [runs."servo.csv".table]         # what no format claims: see `rtlat.formats.declared_table`
    latency = "wakeup"
    unit = "us"
"""

from __future__ import annotations

import fnmatch
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rtlat import schema
from rtlat.errors import CardError, nearest
from rtlat.formats import declared_table
from rtlat.protocol import Format

CARD_NAME = "runs.toml"
CLAIMS_NAME = "claims.toml"
"""What may lie beside logs and is none itself: their card, and what is claimed of them."""

EXTRA_KEYS = ("name", "quantity")
"""Keys of a card that are no columns of runs: the run's key, and what was measured."""

TABLE = "table"
"""Key of a card that says how to read a log that no format claims."""

LABELS = frozenset(
    {"name", "quantity", "group", "approach", "context", "machine", "load", "note", "licence", "evidence"}
)
"""Keys on which the card knows better than the log; on all others the log's own statement stands."""

_IN_SECONDS = frozenset({"duration"})
_IN_NS = frozenset({"period", "resolution"})


@dataclass(frozen=True, slots=True)
class Card:
    """A run card: defaults, then entries by pattern, in their order.

    Attributes
    ----------
    path : Path
        The card's file; patterns are matched against paths relative to its folder.
    defaults : dict
        Facts of every log.
    entries : tuple of (pattern, dict)
        Facts of the logs a pattern matches.
    tables : tuple of (pattern, line, Format)
        How the tables among them are laid out, with the line of the card that begins to say so.
    """

    path: Path
    defaults: dict[str, Any]
    entries: tuple[tuple[str, dict[str, Any]], ...]
    tables: tuple[tuple[str, int, Format], ...] = ()

    def facts(self, log: Path, run: int = 1) -> dict[str, Any]:
        """Return what the card says of the `run`-th run of `log`."""
        facts = dict(self.defaults)
        for pattern, entry in self.entries:
            file_pattern, number = _split(pattern)
            if number in (None, run) and self.matches(file_pattern, log):
                facts.update(entry)
        return facts

    def table(self, log: Path) -> tuple[Format, int] | None:
        """Return how the card declares `log` as a table, and the line where, if it does."""
        found = [(table, line) for pattern, line, table in self.tables if self.matches(pattern, log)]
        return found[-1] if found else None

    def matches(self, pattern: str, log: Path) -> bool:
        """Whether `pattern` means `log`: by the path below the card's folder, or by its name alone."""
        try:
            relative = log.resolve().relative_to(self.path.resolve().parent).as_posix()
        except ValueError:
            relative = log.name
        return fnmatch.fnmatchcase(relative, pattern) or fnmatch.fnmatchcase(log.name, pattern)

    def require_matches(self, logs: dict[Path, int]) -> None:
        """Check that every pattern matches one of `logs` (path -> number of its runs, 0 if not known).

        Raises
        ------
        CardError
            Naming the pattern that matches nothing.
        """
        for pattern, _ in self.entries:
            file_pattern, number = _split(pattern)
            found = [runs for log, runs in logs.items() if self.matches(file_pattern, log)]
            if not found:
                names = sorted(log.name for log in logs)
                raise CardError(
                    f"{self.path}: the pattern {pattern!r} matches no log{nearest(file_pattern, names[:20])}"
                )
            if number and all(0 < runs < number for runs in found):
                raise CardError(f"{self.path}: {pattern!r} asks for run {number} of a log that has {max(found)}")


def beside(log: Path) -> Path | None:
    """Return the card for a log: in its folder, else one folder up."""
    for folder in (log.parent, log.parent.parent if log.parent.parts else Path("..")):
        card = folder / CARD_NAME
        if card.is_file():
            return card
    return None


def load(path: Path) -> Card:
    """Read a card and check its keys and values.

    Raises
    ------
    CardError
        If it is no TOML, has an unknown key (the nearest known one is named), or a value of the wrong type.
    """
    try:
        text = path.read_text("utf-8")
        document = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CardError(f"{path}: no run card: {error}") from None
    unknown = set(document) - {"defaults", "runs"}
    if unknown:
        key = sorted(unknown)[0]
        raise CardError(f"{path}: unknown table {key!r}{nearest(key, ['defaults', 'runs'])}")
    given = {"defaults": document.get("defaults", {}), **_table(path, document.get("runs", {}))}
    sections = [_Section(path, text, name, table) for name, table in given.items()]
    entries = [(section.name, section.facts()) for section in sections]
    tables = [section.table() for section in sections if TABLE in section.given]
    return Card(path, entries[0][1], tuple(entries[1:]), tuple(tables))


def parse_set(words: dict[str, str]) -> dict[str, Any]:
    """Turn ``--set`` words, or keyword arguments, into facts.

    Raises
    ------
    CardError
        If a key is unknown or a value does not fit.

    Examples
    --------
    >>> parse_set({"period": "250us", "cpu_mhz": "166"})
    {'period': 250000.0, 'cpu_mhz': 166.0}
    """
    return {key: value(key, word) for key, word in words.items()}


def value(key: str, given: object) -> Any:
    """Return the value of a card key in the unit of its column.

    Raises
    ------
    CardError
        If the key is unknown, or the value has the wrong type, unit or choice.

    Examples
    --------
    >>> value("duration", "10h"), value("period", "1ms"), value("nominal_n", 3600000)
    (36000.0, 1000000.0, 3600000)
    """
    if key not in schema.CARD_KEYS and key not in EXTRA_KEYS:
        raise CardError(f"unknown key {key!r}{nearest(key, [*schema.CARD_KEYS, *EXTRA_KEYS])}")
    choices = schema.QUANTITIES if key == "quantity" else schema.CARD_KEYS[key].choices if key != "name" else ()
    dtype = "str" if key in EXTRA_KEYS else schema.CARD_KEYS[key].dtype
    try:
        converted = _converted(key, given, dtype)
    except (TypeError, ValueError) as error:
        raise CardError(f"{key} = {given!r}: {error}") from None
    if choices and converted not in choices:
        raise CardError(f"{key} = {given!r} is none of {', '.join(choices)}")
    return converted


def _converted(key: str, given: object, dtype: str) -> Any:
    """One value as its column's type; times may carry their unit, and ns columns must."""
    if isinstance(given, bool | list | dict):
        raise TypeError("expected a text or a number")
    if key in _IN_NS:
        return _positive(schema.duration_ns(str(given)))
    if key in _IN_SECONDS and isinstance(given, str) and not given.strip().replace(".", "", 1).isdigit():
        return _positive(schema.duration_ns(given) / 1e9)
    if dtype == "float64":
        return _positive(float(str(given)))
    if dtype == "Int64":
        return schema.count(str(given))
    return str(given)


def _positive(number: float) -> float:
    """Refuse zero, negatives, NaN and infinity."""
    if not 0 < number < float("inf"):
        raise ValueError("expected a positive number")
    return number


def _split(pattern: str) -> tuple[str, int | None]:
    """``log.txt#2`` is the second run of log.txt."""
    file_pattern, mark, number = pattern.rpartition("#")
    return (file_pattern, int(number)) if mark and number.isdigit() else (pattern, None)


def _table(path: Path, runs: object) -> dict[str, Any]:
    """The entries, if they are tables."""
    if not isinstance(runs, dict):
        raise CardError(f'{path}: runs is no table of patterns: write [runs."*.log"]')
    return runs


@dataclass(frozen=True, slots=True)
class _Section:
    """One table of a card: its values converted; errors name the line they are about."""

    path: Path
    text: str
    name: str
    given: Any

    def facts(self) -> dict[str, Any]:
        """What it says of its logs."""
        if not isinstance(self.given, dict):
            raise CardError(f'{self.path}: {self.name!r} is no table: write [runs."{self.name}"]')
        return {key: self._checked(value, key, given) for key, given in self.given.items() if key != TABLE}

    def table(self) -> tuple[str, int, Format]:
        """How its logs are to be read."""
        given, line = self.given[TABLE], self._line(TABLE)
        if not isinstance(given, dict) or "#" in self.name or self.name == "defaults":
            pattern = "*.csv" if self.name == "defaults" else self.name.partition("#")[0]
            expected = f'[runs."{pattern}".{TABLE}] with latency = COLUMN and unit = "us"'
            raise CardError(f"{self.path}:{line}: {TABLE} = {given!r}: expected {expected}")
        keys = {key: self._checked(declared_table.checked, key, value) for key, value in given.items()}
        return self.name, line, declared_table.declared(self._checked(declared_table.layout, TABLE, keys))

    def _checked(self, check: Callable[..., Any], key: str, given: object) -> Any:
        """What a check makes of one key."""
        try:
            return check(given) if key == TABLE else check(key, given)
        except CardError as error:
            raise CardError(f"{self.path}:{self._line(key)}: {error}") from None

    def _line(self, key: str) -> int:
        """The line that gives a key, looked for from the section's own head on."""
        lines = self.text.splitlines()
        heads = [number for number, line in enumerate(lines) if self.name in line and line.lstrip()[:1] in ("[", '"')]
        for first in (heads[0] if heads else 0, 0):
            for number, line in enumerate(lines[first:], first + 1):
                if line.lstrip().startswith(key) or (key == TABLE and self.name in line and TABLE in line):
                    return number
        return 1
