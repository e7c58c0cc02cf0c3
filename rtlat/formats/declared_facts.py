"""Figures that exist only as prose, declared in a small TOML file with the place where each stands.

::

    [[fact]]
    run = "rtirq low priority"
    document = "The Linux real time interrupt patch (2004)"
    line = 116
    evidence = "prose"
    quantity = "irq"
    statistic = "quantile"
    q = 0.999
    value = 486.1
    unit = "us"

The facts of one ``run`` become one run: minimum, maximum and mean of a series and quantity make one summary
row, each quantile a row of its own. What describes the run (approach, load, duration ...; the keys of a run
card) need stand in only one of its facts. A declared count is nominal (``nominal_n``) and never used as n.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from rtlat import schema
from rtlat.errors import LogError, nearest
from rtlat.protocol import Format, Run
from rtlat.source import Source

_CHOICES: dict[str, tuple[str, ...]] = {
    "evidence": ("printed table", "prose", "claim"),
    "quantity": tuple(schema.QUANTITIES),
    "statistic": ("min", "max", "mean", "quantile"),
    "unit": ("ns", "us", "ms", "s", "cycles"),
}
_REQUIRED = ("run", "document", "line", "evidence", "quantity", "statistic", "value", "unit")
_OF_RUN = ("tool", *(key for key in schema.CARD_KEYS if key not in ("evidence", "printed_unit", "rounding")))
_KEYS = (*_REQUIRED, "series", "q", *_OF_RUN)
_HEADER = re.compile(r"\s*\[\[\s*fact\s*\]\]\s*(?:#.*)?$")
_KEY = re.compile(r"\s*([\w-]+)\s*=")


@dataclass(frozen=True, slots=True)
class _Fact:
    """One checked table of the file: its values by key, and the lines they stand in."""

    name: str
    first: int
    lines: dict[str, int]
    keys: dict[str, Any]

    def error(self, key: str, found: str, expected: str, remedy: str = "") -> LogError:
        """What is wrong with a key, with the line it stands in."""
        return LogError(self.name, found, expected, remedy, line=self.lines.get(key, self.first))

    def value(self) -> float:
        """The figure [ns, or cycles]."""
        return schema.to_ns(str(self.keys["value"]), self.keys["unit"])

    def what(self) -> tuple[str, str]:
        """Series and quantity."""
        return self.keys.get("series", "all"), self.keys["quantity"]


def parse(source: Source) -> Iterator[Run]:
    """Yield a run for each name that ``run`` has in the file.

    Raises
    ------
    LogError
        At the first key that is unknown, missing, or has a value that does not fit, with its line.

    Examples
    --------
    >>> toml = b'''[[fact]]
    ... run = "a"
    ... document = "mail"
    ... line = 66
    ... evidence = "prose"
    ... quantity = "irq"
    ... statistic = "max"
    ... value = 35
    ... unit = "us"
    ... '''
    >>> (run,) = parse(Source(None, "facts.toml", toml))
    >>> run.rows.arrays()["high"].tolist(), run.facts["note"]
    ([35000.0], 'mail, line 66')
    """
    runs: dict[str, list[_Fact]] = {}
    for fact in _facts(source):
        _check(fact)
        runs.setdefault(fact.keys["run"], []).append(fact)
    for facts in runs.values():
        yield _run(facts)


def _facts(source: Source) -> list[_Fact]:
    """The file's tables with the lines of their keys."""
    text = source.text()
    lines = text.split("\n")
    if lines[-1].strip():  # `value = 486.1` may have lost digits
        raise LogError(source.name, "a last line without line end", "a whole file", "complete it", len(lines))
    try:
        document = tomllib.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        place = re.search(r"at line (\d+)", str(error))
        raise LogError(source.name, f"no TOML ({error})", line=int(place[1]) if place else 0) from None
    tables = document.get("fact")
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables) or len(document) > 1:
        stranger = next((key for key in document if key != "fact"), "fact")
        raise LogError(source.name, f"{stranger!r} outside a fact", "only tables that begin with [[fact]]")
    firsts = [number for number, line in enumerate(lines, 1) if _HEADER.match(line)]
    firsts += [0] * (len(tables) - len(firsts))
    facts = []
    for table, first, end in zip(tables, firsts, [*firsts[1:], len(lines)], strict=False):
        numbered = enumerate(lines[first : max(end - 1, first)], first + 1)
        places = {key[1]: number for number, line in numbered if (key := _KEY.match(line))}
        facts.append(_Fact(source.name, first, places, table))
    return facts


def _check(fact: _Fact) -> None:
    """Refuse what cannot be a fact; times of the run become numbers."""
    keys = fact.keys
    for key in keys:
        if key not in _KEYS:
            raise fact.error(key, f"the key {key!r}", "a key of a fact", nearest(key, _KEYS).removeprefix("; "))
    for key in _REQUIRED:
        if key not in keys:
            raise fact.error("", f"a fact without {key!r}", ", ".join(_REQUIRED))
    for key, choices in _CHOICES.items():
        if keys[key] not in choices:
            raise fact.error(key, f"{key} = {_shown(keys[key])}", " or ".join(choices))
    if ("q" in keys) != (keys["statistic"] == "quantile"):
        raise fact.error(
            "q", f"q with statistic = {keys['statistic']!r}" if "q" in keys else "no q", "q for a quantile"
        )
    if "q" in keys and not (_is_number(keys["q"]) and 0 < keys["q"] < 1):
        raise fact.error("q", f"q = {_shown(keys['q'])}", "a fraction between 0 and 1, such as 0.999")
    if not isinstance(keys["line"], int) or isinstance(keys["line"], bool) or keys["line"] < 1:
        raise fact.error("line", f"line = {_shown(keys['line'])}", "a line number of the document")
    try:
        if not _is_number(keys["value"]):
            raise ValueError
        fact.value()
    except ValueError:
        raise fact.error("value", f"value = {_shown(keys['value'])}", "a number") from None
    for key in keys.keys() & {"run", "document", "series", *_OF_RUN}:
        keys[key] = _described(fact, key)


def _described(fact: _Fact, key: str) -> Any:
    """What a fact says of its run, as the type of its column in runs."""
    given = fact.keys[key]
    dtype = schema.CARD_KEYS[key].dtype if key in schema.CARD_KEYS else "str"
    try:
        if key in ("duration", "period", "resolution"):
            number = schema.duration_ns(given) / (1e9 if key == "duration" else 1)
        elif dtype == "float64":
            number = float(given) if _is_number(given) else math.nan
        elif dtype == "Int64":
            return schema.count(str(given))
        elif isinstance(given, str) and given.strip() and given.isprintable():
            return given
        else:
            raise ValueError
        if not 0 < number < math.inf:
            raise ValueError
        return number
    except (AttributeError, ValueError):
        expected = {"float64": "a positive number", "Int64": "a count"}.get(dtype, "a text in one line")
        expected = "a time such as '1ms' or '24h'" if key in ("duration", "period", "resolution") else expected
        raise fact.error(key, f"{key} = {_shown(given)}", expected) from None


def _is_number(given: object) -> bool:
    """Whether a TOML value is a finite number; its booleans are none."""
    return isinstance(given, int | Decimal) and not isinstance(given, bool) and math.isfinite(given)


def _shown(given: object) -> str:
    """A value as an error shows it."""
    return str(given) if isinstance(given, int | Decimal) else repr(given)[:60]


def _run(facts: list[_Fact]) -> Run:
    """The run that facts of one name make."""
    described: dict[str, Any] = {}
    for fact in facts:
        for key in ("evidence", *_OF_RUN):
            if key in fact.keys and described.setdefault(key, fact.keys[key]) != fact.keys[key]:
                found = f"{key} = {_shown(fact.keys[key])}"
                raise fact.error(key, found, f"{_shown(described[key])} as before", "give other runs other names")
    run = Run(described.pop("tool", "unknown"))
    run.facts = {"variant": facts[0].keys["run"], "rounding": "unknown", "unit_basis": "printed", **described}
    if "duration" in described:
        run.facts["duration_basis"] = "printed"
    units = {fact.keys["unit"] for fact in facts}
    if len(units) == 1:
        run.facts["printed_unit"] = units.pop()
    places = dict.fromkeys(f"{fact.keys['document']}, line {fact.keys['line']}" for fact in facts)
    run.facts["note"] = "; ".join([*([described["note"]] if "note" in described else []), *places])
    _add_rows(run, facts)
    if described["evidence"] == "claim":
        run.warnings.append("a claim, without data: shown as such, part of no statistic")
    else:
        run.warnings.append("figures quoted from a text: how many observations they cover is not stated")
    return run


def _add_rows(run: Run, facts: list[_Fact]) -> None:
    """One summary row per series and quantity, and one row per quantile."""
    summaries: dict[tuple[str, str], dict[str, _Fact]] = {}
    quantiles: dict[tuple[str, str, Decimal], _Fact] = {}
    for fact in facts:
        statistic, q = fact.keys["statistic"], fact.keys.get("q")
        if q is None:
            known = summaries.setdefault(fact.what(), {}).setdefault(statistic, fact)
        else:
            known = quantiles.setdefault((*fact.what(), q), fact)
        if known is not fact:
            raise fact.error("statistic", f"a second {statistic} of the run", f"the one in line {known.first}")
    for what, stated in summaries.items():
        last = list(stated.values())[-1]
        if len({_unit(fact) for fact in stated.values()}) > 1:
            raise last.error("unit", "cycles beside a time", "one unit for min, mean and max")
        low, avg, high = (
            stated[name].value() if name in stated else missing
            for name, missing in (("min", -math.inf), ("mean", math.nan), ("max", math.inf))
        )
        if low > high or avg < low or avg > high:
            raise last.error("value", f"min {low:g}, mean {avg:g}, max {high:g}", "min <= mean <= max")
        first = min(fact.first for fact in stated.values())
        run.rows.add(*what, "summary", low, high, avg=avg, unit=_unit(last), line=first)
    for (series, quantity, q), fact in quantiles.items():
        level = fact.value()
        run.rows.add(series, quantity, "quantile", level, level, q=float(q), unit=_unit(fact), line=fact.first)


def _unit(fact: _Fact) -> str:
    """The unit its figure has in records."""
    return "cycles" if fact.keys["unit"] == "cycles" else "ns"


FORMAT = Format(
    name="declared_facts",
    title="figures that exist only as prose, declared in TOML: [[fact]]",
    gives="min, mean, max and printed quantiles, with document and line",
    versions="rtlat's own",
    words=("fact",),
    marks=(_HEADER,),
    parse=parse,
)
