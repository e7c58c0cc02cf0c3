"""JSON as latency tools write it, alone or between other lines: objects whose members keep their line.

The json module forgets where a number stood, reads nothing of a text whose last brace is missing, and nests
as deep as the text says. Logs need the opposite. An array is an object whose keys are 0, 1, 2 ..., so that a
list of counts is a table too. Words that are no JSON are taken as they stand (``-nan`` is such a word).
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from rtlat import schema
from rtlat.columns import Array
from rtlat.errors import LogError, printable
from rtlat.source import Line

DEEPEST = 16
"""No tool nests its objects and arrays deeper."""

MOST_MEMBERS = 100_000
"""No tool writes more members outside its tables."""

Path = tuple[str, ...]

_TOKEN = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|([][{}:,])|([-+.\w]+))')
_OBJECT = re.compile(r"\s*\{")
_ENDS = {"{": "}", "[": "]"}


class Member(NamedTuple):
    """A value (``text`` as printed, without quotes), an object's or array's start or end, or text between objects."""

    kind: Literal["value", "open", "close", "text"]
    path: Path
    text: str
    line: Line


@dataclass(slots=True)
class Table:
    """Counts by number, such as a histogram, or an array of counts; `damage` is the first that is none.

    Keys are whole, or all have as many digits behind a point (`decimals`), which is left out: "0.500" is 500.
    """

    key: array[int] = field(default_factory=lambda: array("q"))
    count: array[int] = field(default_factory=lambda: array("q"))
    line: array[int] = field(default_factory=lambda: array("q"))
    damage: tuple[str, int] = ("", 0)
    decimals: int = 0

    def take(self, key: str, text: str, line: int) -> None:
        """Keep a count."""
        whole, _, digits = key.partition(".")
        try:
            pair = schema.count(whole + digits if whole and digits else key), schema.count(text)
            if self.key and len(digits) != self.decimals:
                raise ValueError(f"{key!r} is no count among others with {self.decimals} decimals")
        except ValueError as error:
            self.damage = self.damage if self.damage[1] else (str(error), line)
            return
        self.decimals = len(digits)
        for column, number in zip((self.key, self.count, self.line), (*pair, line), strict=True):
            column.append(number)


@dataclass(slots=True)
class Object:
    """An outermost object of a text.

    Attributes
    ----------
    where : str
        The log's name, for messages.
    members : dict of path to Member
        Values, and the starts of the objects and arrays inside it.
    tables : dict of path to Table
        The objects and arrays inside it that are tables.
    closed : list of path
        The objects and arrays inside it that are complete, in their order.
    whole, quoted : bool
        Whether it is complete itself; whether all of its lines stood behind ``>``.
    """

    where: str
    members: dict[Path, Member] = field(default_factory=dict)
    tables: dict[Path, Table] = field(default_factory=dict)
    closed: list[Path] = field(default_factory=list)
    whole: bool = False
    quoted: bool = True

    def table(self, *path: str, decimals: int = 0) -> tuple[Array, Array, Array]:
        """Return the keys of a table, rising, with their counts and lines; empty if it is absent.

        Raises
        ------
        LogError
            If a member is no pair of numbers, its key has not as many digits behind the point as `decimals`, or
            a key stands twice.
        """
        table = self.tables.get(path, Table())
        if table.damage[1]:
            raise LogError(self.where, table.damage[0], "counts, as in '\"12\": 171'", line=table.damage[1])
        if table.key and table.decimals != decimals:
            found = f"counts by numbers with {table.decimals} decimals"
            raise LogError(self.where, found, "whole numbers" if not decimals else f"{decimals}", line=table.line[0])
        keys, counts, lines = (np.array(column, np.int64) for column in (table.key, table.count, table.line))
        order = np.argsort(keys, kind="stable")
        keys, counts, lines = keys[order], counts[order], lines[order]
        for at in np.flatnonzero(keys[1:] == keys[:-1])[:1]:
            found = f"{keys[at]} twice (first in line {lines[at]})"
            raise LogError(self.where, found, "it once", line=int(lines[at + 1]))
        return keys, counts, lines

    def whole_number(self, *path: str) -> int:
        """Return a member that is a whole number of at most 64 bits; above 2^63 - 1 it was negative when counted.

        Raises
        ------
        LogError
            If it is absent, or no such number.
        """
        text = self.text(*path)
        if not re.fullmatch(r"-?\d{1,20}", text, re.ASCII) or not -(2**63) <= int(text) < 2**64:
            found = f"{path[-1]} {text[:40]}" if text else f"no {path[-1]}"
            raise LogError(self.where, found, "a whole number", line=self.line(*path))
        return int(text) - 2**64 if int(text) >= 2**63 else int(text)

    def text(self, *path: str) -> str:
        """Return a member's text in printable characters; empty if it is absent."""
        return printable(self.members[path].text) if path in self.members else ""

    def line(self, *path: str) -> int:
        """Return a member's line, else that of the innermost object it should stand in, else 0."""
        while path and path not in self.members:
            path = path[:-1]
        return self.members[path].line.number if path else 0

    def _take(self, member: Member, is_table: Callable[[Path], bool]) -> None:
        """Keep a member; the same twice would leave open which one holds."""
        path, line = member.path, member.line.number
        self.quoted = self.quoted and member.line.quote > 0
        if member.kind == "close":
            self.closed.append(path)
        elif is_table(path[:-1]):
            self.tables.setdefault(path[:-1], Table()).take(path[-1], member.text, line)
        elif path in self.members:
            first = self.members[path].line.number
            raise LogError(self.where, f"{path[-1][:40]!r} twice (first in line {first})", "it once", line=line)
        elif len(self.members) == MOST_MEMBERS:
            raise LogError(self.where, f"more than {MOST_MEMBERS} members", "the JSON of a latency tool", line=line)
        else:
            self.members[path] = member


def objects(where: str, lines: Iterable[Line], is_table: Callable[[Path], bool]) -> Iterator[Object | Member]:
    """Yield the outermost objects, and the text between them; a last object that is cut is not `whole`.

    Parameters
    ----------
    where : str
        The log's name, for messages.
    lines : iterable of Line
        The text.
    is_table : callable
        Whether the object at a path is a table: kept as arrays, not as members.

    Raises
    ------
    LogError
        If an object is no JSON, or has one member twice, with the line.

    Examples
    --------
    >>> lines = [Line(1, "T: 0"), Line(2, '{"bins": {"4": 7, "5": 9}, "avg": -nan}')]
    >>> between, found = objects("a.json", lines, lambda path: path == ("bins",))
    >>> between.text, found.text("avg"), found.line("avg"), list(found.tables[("bins",)].count)
    ('T: 0', '-nan', 2, [7, 9])
    """
    found: Object | None = None
    for member in members(where, lines):
        if member.kind == "text":
            yield member
        elif found is None:
            found = Object(where)
        elif member.path or member.kind != "close":
            found._take(member, is_table)
        else:
            found.whole = True
            yield found
            found = None
    if found:
        yield found


def members(where: str, lines: Iterable[Line]) -> Iterator[Member]:
    """Yield the members of all objects in their order; a text that ends inside an object ends without its close.

    Raises
    ------
    LogError
        If an object is no JSON, with the line and what should stand there.

    Examples
    --------
    >>> [(m.kind, *m.path, m.text) for m in members("a.json", [Line(1, '{"t": {"avg": -nan'), Line(2, "}}")])][2]
    ('value', 't', 'avg', '-nan')
    >>> list(members("a.json", [Line(1, '{"a": 1 "b": 2}')]))
    Traceback (most recent call last):
    ...
    rtlat.errors.LogError: a.json:1: found '"b": 2}', expected , or } of JSON
    >>> [(*m.path, m.text) for m in members("a.json", [Line(1, '{"t": [4, [7]]}')]) if m.kind == "value"]
    [('t', '0', '4'), ('t', '1', '0', '7')]
    """
    path: list[str] = []
    places: list[int] = []  # in an array the place of its next element, in an object -1
    key, expected = "", "a value"
    for line in lines:
        text, at = line.text, 0
        end = len(text.rstrip())
        while at < end:
            if not path and not _OBJECT.match(text, at):
                yield Member("text", (), text[at:end], line)
                break
            token = _TOKEN.match(text, at)
            word, mark, atom = token.groups() if token else (None, "", None)
            if mark in _ENDS and expected.startswith("a value") and len(path) < DEEPEST:
                path.append(key)
                places.append(0 if mark == "[" else -1)
                yield Member("open", tuple(path[1:]), mark, line)
                key, expected = ("0", "a value or ]") if mark == "[" else ("", "a key or }")
            elif mark and mark in _ENDS.values() and expected.endswith(mark):
                yield Member("close", tuple(path[1:]), mark, line)
                path.pop()
                places.pop()
                expected = _after(places)
            elif mark == "," and expected.startswith(", or"):
                if places[-1] < 0:
                    expected = "a key"
                else:
                    places[-1] += 1
                    key, expected = str(places[-1]), "a value"
            elif mark == ":" and expected == ":":
                expected = "a value"
            elif word is not None and expected.startswith("a key"):
                key, expected = unescaped(word), ":"
            elif mark is None and expected.startswith("a value"):
                yield Member("value", (*path[1:], key), str(atom) if word is None else unescaped(word), line)
                expected = _after(places)
            elif not line.whole:
                return  # cut inside the last line
            else:
                raise LogError(where, repr(text[at : at + 40].strip()), f"{expected} of JSON", line=line.number)
            assert token
            at = token.end()


def _after(places: list[int]) -> str:
    """What may stand behind a value."""
    return "a value" if not places else ", or }" if places[-1] < 0 else ", or ]"


def unescaped(word: str) -> str:
    r"""Return the text of a JSON string; the string itself if its escapes are none of JSON.

    Examples
    --------
    >>> unescaped(r'a \"b\"'), unescaped(r"C:\x"), unescaped('a "b"')
    ('a "b"', 'C:\\x', 'a "b"')
    """
    try:
        return str(json.loads(f'"{word}"', strict=False))
    except ValueError:
        return word
