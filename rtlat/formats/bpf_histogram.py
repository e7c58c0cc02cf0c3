"""Histograms that BPF tools print: bpftrace's ``hist()`` and ``lhist()``, as text or JSON, and bcc's tables.

::

    @usecs:
    [1]                26910 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
    [512, 1K)            464 |                                                    |
    [200, ...)          1959 |@@@                                                 |

    {"type": "hist", "data": {"@usecs": [{"min": 2, "max": 3, "count": 3512}, ..., {"min": 200, "count": 1503}]}}

         usecs               : count     distribution
             0 -> 1          : 233      |***********                             |

K is 1024; in JSON and in bcc's tables the upper end of a range belongs to it. Ranges as wide as powers of two say
little of percentiles. bpftrace prints no unit: it is taken from the end of the map's name, else it is unknown.
Two maps may well count the same events, so each is a run of its own; the keys of a map are series.

Sources: bpftrace ``src/output/text.cpp``, ``src/output/json.cpp``; bcc ``tools/runqlat_example.txt``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from rtlat import schema
from rtlat.errors import LogError
from rtlat.formats._bpf_table import Table, runs, unit_of_name
from rtlat.protocol import Format, Run, Tally
from rtlat.source import Line, Source

_MAP = re.compile(r"(@\w{0,128})(?:\[(.{1,400})\])?: *$")
_END = r"-?\d{1,19}[KMGTPE]?"
_RANGE = re.compile(rf"(?:\[({_END})(?:, ({_END}|\.\.\.)\)|\])|\((\.\.\.), ({_END})\)) +(\d{{1,20}}) \|@* *\|\s*$")
_RANGE_LIKE = re.compile(r"[\[(](?:-?\d|\.\.\.).{0,80}\|")
_JSON = re.compile(r'\{"type": ?"l?hist"')
_LARGEST = 1 << 64
_BCC = re.compile(r" *([num])?secs +: count +distribution\s*$")
_BCC_ROW = re.compile(r" *(\d{1,19}) -> (\d{1,19}) *: (\d{1,20}) +\|\** *\|\s*$")
_BCC_ROW_LIKE = re.compile(r" *\d+ ->")
_BCC_KEY = re.compile(r"(\w{1,64}) = (.{1,200}?)\s*$")
_SUFFIX = {letter: 1024**power for power, letter in enumerate("KMGTPE", 1)}


def parse(source: Source) -> Iterator[Run]:
    """Yield a run for each histogram, but only one for a map that has keys.

    Raises
    ------
    LogError
        If there is no readable row.

    Examples
    --------
    >>> (run,) = parse(Source(None, "demo", b"@usecs:\\n[1]    26910 |@@|\\n[2, 4)  3759 |@ |\\n\\n"))
    >>> rows = run.rows.arrays()
    >>> rows["low"].tolist(), rows["high"].tolist(), rows["n"].tolist(), run.facts["ended"]
    ([1000.0, 2000.0], [2000.0, 4000.0], [26910, 3759], 'complete')
    """
    ignored, rejected = Tally(), Tally()
    tables: list[Table] = []
    table: Table | None = None
    key = ""
    for line in source.lines():
        text = line.text
        row = _row(text) if table and line.whole else None
        if table and row:
            table.add(*row, line.number)
        elif table and (_RANGE_LIKE.match(text) or _BCC_ROW_LIKE.match(text)):
            table.rejected.add("damaged row" if line.whole else "cut last line", line.number)
        else:
            if table:
                table.closed, table = True, None
            if _JSON.match(text):
                try:
                    tables += _from_json(line)
                except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                    rejected.add("damaged JSON", line.number)
            elif found := _MAP.match(text):
                table = Table("bpftrace", found[1], found[2] or "", unit_of_name(found[1]), line.number)
            elif found := _BCC.match(text):
                table = Table("bcc", "", key, f"{found[1] or ''}s", line.number)
            elif text.strip():
                ignored.add("text around the tables", line.number)
            if table:
                table.quoted = line.quote > 0
                tables.append(table)
            if text.strip():
                key = " ".join(named.groups()) if (named := _BCC_KEY.match(text)) else ""
    kept = list(runs([table for table in tables if table.rows or table.rejected.total]))
    if not kept:
        raise LogError(source.name, "no readable row", "rows like '[2, 4) 3759 |@@@@|'")
    kept[0].ignored = ignored
    kept[0].rejected.merge(rejected)
    if rejected.total:
        first = min(line for _, line in rejected.reasons.values())
        kept[0].warnings.append(f"line {first}: a histogram that could not be read is missing")
    yield from kept


def _row(text: str) -> tuple[float, float, int] | None:
    """Low and high end and count of a row; None if it is none."""
    try:
        if found := _BCC_ROW.match(text):
            return int(found[1]), int(found[2]) + 1, schema.count(found[3])
        if not (found := _RANGE.match(text)):
            return None
        low = -math.inf if found[3] else _end(found[1])
        high = _end(found[4]) if found[3] else low + 1 if not found[2] else _end(found[2])
        return low, high, schema.count(found[5])
    except ValueError:
        return None


def _end(text: str) -> float:
    """An end of a range, as printed."""
    if text == "...":
        return math.inf
    number = text.rstrip("KMGTPE")
    end = int(number) * _SUFFIX.get(text[len(number) :], 1)
    if abs(end) > _LARGEST:
        raise ValueError("no 64-bit number")
    return float(end)


def _from_json(line: Line) -> list[Table]:
    """The histograms of one line of JSON; a map with keys has an object in its place."""
    tables = []
    for name, keyed in json.loads(line.text)["data"].items():
        for key, ranges in keyed.items() if isinstance(keyed, dict) else [("", keyed)]:
            table = Table("bpftrace", name, key, unit_of_name(name), line.number, line.quote > 0, closed=True)
            for entry in ranges:
                table.add(*_range(entry), line.number)
            tables.append(table)
    return tables


def _range(entry: Any) -> tuple[float, float, int]:
    """One range of JSON: ends that are absent are open."""
    low, high, count = (entry.get(key) for key in ("min", "max", "count"))
    if not all(type(number) is int and abs(number) <= _LARGEST for number in (low, high, count) if number is not None):
        raise ValueError("no 64-bit numbers")
    if count is None or not 0 <= count <= schema.LARGEST_COUNT:
        raise ValueError("no count")
    return -math.inf if low is None else low, math.inf if high is None else high + 1, count


FORMAT = Format(
    name="bpf_histogram",
    title="bpftrace hist() and lhist(), text or JSON; bcc tables",
    gives="bins, mostly as wide as powers of two, of whatever was counted",
    versions="bpftrace 0.17; bcc untested on real logs",
    words=("|", '{"type": ', '{"type":"', "distribution"),
    marks=(_RANGE, _JSON, _BCC),
    parse=parse,
)
