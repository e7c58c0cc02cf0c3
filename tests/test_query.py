"""What a query means: against plain Python over the same rows, and never as SQL of its own."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rtlat.errors import UsageError
from rtlat.storing.query import Asked, asked, is_asked, query

ROWS: list[dict[str, Any]] = [
    {"run": "a", "kernel": "6.12.8-rt", "load": "hackbench -g 20", "duration": 60.0, "period": 1e6, "folded": 0},
    {"run": "b", "kernel": "6.120", "load": "idle", "duration": 3600.0, "period": 250e3, "folded": 1},
    {"run": "c", "kernel": "6.1", "load": "", "duration": None, "period": None, "folded": None},
    {"run": "D", "kernel": "6.12", "load": "Stress-NG --cpu 2", "duration": 3601.5, "period": 1e6, "folded": 0},
    {"run": "e'; DROP TABLE runs; --", "kernel": "[6]*", "load": "100 % busy_loop", "duration": 1.0, "period": 1e3},
]
BEGAN = ["2026-10-31T23:59:59", "2026-11-01", "", "2026-11-30T16:56:26", "2027-01-01T00:00:00"]


@pytest.fixture(scope="module")
def table() -> sqlite3.Connection:
    """The rows in a table of their own."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE runs (run, kernel, load, duration REAL, period REAL, folded, began, added)")
    for row, began in zip(ROWS, BEGAN, strict=True):
        values = [row.get(name) for name in ("run", "kernel", "load", "duration", "period", "folded")]
        connection.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, '2026-12-01T00:00:00')", [*values, began])
    return connection


def meant(table: sqlite3.Connection, text: str) -> str:
    """Return the first letters of the runs that a query means."""
    found = query(text)
    rows = table.execute(f"SELECT run FROM runs WHERE {found.condition} ORDER BY rowid", found.values)
    return "".join(row[0][0] for row in rows)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "abcDe"),
        ("kernel=6.12", "aD"),
        ("kernel!=6.12", "bce"),
        ("kernel=6.12 load=hackbench", "a"),
        ("KERNEL=6.12".lower(), "aD"),
        ("run=d", "D"),
        ("load=", "c"),
        ("load!=", "abDe"),
        ("load=stress-ng", "D"),
        ('load="stress-ng --cpu 2"', "D"),
        ("load~cpu", "D"),
        ("load~'g*2'", "aD"),
        ("load~100?%", "e"),
        ("kernel~[6]", "e"),
        ("kernel~6.12", "abD"),
        ("duration>=1h", "bD"),
        ("duration>3600", "D"),
        ("duration<=60s", "ae"),
        ("duration=60", "a"),
        ("duration!=60", "bcDe"),
        ("duration=", "c"),
        ("period=1ms", "aD"),
        ("period=1000000", "aD"),
        ("period<1ms", "be"),
        ("folded=no", "aD"),
        ("folded=yes", "b"),
        ("started>=2026-11", "bDe"),
        ("started<=2026-11", "abD"),
        ("started=2026-11", "bD"),
        ("started<2026-11", "a"),
        ("started>2026", "e"),
        ("'started>=2026-11-30 16:56'", "De"),
        ("added=2026-12-01", "abcDe"),
        ("added>2026-12-01", ""),
        ("run~drop", "e"),
    ],
)
def test_which_runs_are_meant(table: sqlite3.Connection, text: str, expected: str) -> None:
    assert meant(table, text) == expected


def same(value: str) -> Callable[[str], bool]:
    """Return whether a text is a value, or begins with it where a word ends; by a regular expression."""
    return lambda text: bool(re.match(rf"{re.escape(value)}(?![0-9A-Za-z])", text, re.IGNORECASE | re.ASCII))


@pytest.mark.parametrize(
    "value", ["6.12", "6", "6.1", "idle", "hack", "hackbench", "100", "[6]", "%", "_", "6.12.8-rt"]
)
@pytest.mark.parametrize("column", ["kernel", "load"])
def test_equality_ends_with_a_word(table: sqlite3.Connection, column: str, value: str) -> None:
    expected = "".join(str(row["run"])[0] for row in ROWS if same(value)(row[column]))
    assert meant(table, f"{column}={value}") == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("aproach=rtirq", "runs have no column 'aproach'; did you mean 'approach'"),
        ("1=1", "runs have no column '1'"),
        ("idle", "found 'idle', expected COLUMN=VALUE"),
        ("load=stress-ng --cpu 2", "found '--cpu', expected COLUMN=VALUE; quote a value"),
        ("load>5", "only dates and numbers have an order"),
        ("duration~6", "duration is a number"),
        ("duration=long", "no known unit"),
        ("cpu_mhz=fast", "'fast' is no number"),
        ("started>=November", "found no date"),
        ("folded=maybe", "expected yes or no"),
        ("load='idle", "No closing quotation"),
    ],
)
def test_what_is_no_query_is_one_line(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)) as caught:
        query(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", ["x' OR 1=1 --", 'x" OR "1"="1', "x); DROP TABLE runs", "?", "x\x00y"])
@pytest.mark.parametrize("operator", ["=", "!=", "~"])
def test_no_word_becomes_sql(value: str, operator: str) -> None:
    quoted = "'" + value.replace("'", "'\"'\"'") + "'"
    found = query(f"load{operator}{quoted}")
    assert value not in found.condition.replace("?", "") or value == "?"
    assert found.condition.count("?") == len(found.values)
    assert any(value.lower() in str(bound).lower() for bound in found.values)


@pytest.mark.parametrize(
    ("word", "path", "text"),
    [
        ("store:", "rtlat.sqlite", ""),
        ("store:load=idle", "rtlat.sqlite", "load=idle"),
        ("store:run~a?b", "rtlat.sqlite", "run~a?b"),
        ("store:?load=idle", "rtlat.sqlite", "load=idle"),
        ("store:lab.sqlite", "lab.sqlite", ""),
        ("store:/a b/lab.sqlite?run~a?b load=idle", "/a b/lab.sqlite", "run~a?b load=idle"),
    ],
)
def test_a_word_names_a_file_and_a_query(word: str, path: str, text: str) -> None:
    assert is_asked(word)
    assert asked(word) == Asked(Path(path), text)


def test_other_words_ask_no_store() -> None:
    assert not any(map(is_asked, ["log.txt", "stored/", "-", Path("a/store:b")]))
