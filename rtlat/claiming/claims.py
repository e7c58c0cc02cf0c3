"""A claims file: what somebody says of a system, or of a table, in TOML; every error names the line.

::

    [defaults]
    confidence = 95

    [[claim]]
    claim = "p99.9 <= 100us"
    runs = { kernel = "*PREEMPT_RT*" }    # or file patterns: "lab/*.hist", ["a.hist", "b.hist"]
    load = "stress-ng*"                   # a condition: runs under another load decide nothing
    reason = "the control loop has 150 us of slack"
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rtlat.cards import CLAIMS_NAME
from rtlat.claiming.assertions import MISSED, NO_WORSE, WORST, Assertion, Rate, parse, rate
from rtlat.errors import CardError, ClaimError, UsageError, nearest
from rtlat.schema import QUANTITIES, RUNS, duration_ns
from rtlat.statistics.ranks import risk

PROCESS, TABLE = "process", "table"
"""What a claim is about: what a system does, decided by evidence; or what a log prints, decided by reading."""

FILE = "file"
"""The pseudo-column that patterns without a column select by: a run's key, or its log's path or name."""

Selector = tuple[tuple[str, tuple[str, ...]], ...]
"""Columns of runs with patterns, one of which must match; all columns must."""

DAILY = Rate(1, "day")
"""The rate that "never" is taken for, unless a claim says otherwise."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim.

    Attributes
    ----------
    where : str
        File and line of its first key, for messages.
    text : str
        As it was written.
    name : str
        What it goes by: the text, unless it was given one.
    assertion : Assertion
        What it asserts.
    runs, reference : Selector
        Which runs it is about, and what they are held against; all if empty.
    quantity, series : str
        Which of their records: a quantity, needed where there are several; ``pooled``, ``each``, or a series.
    load : str
        A pattern: only runs under such a load decide.
    period : float
        Only runs of this period decide; NaN for any. [ns]
    about : str
        `PROCESS` or `TABLE`.
    confidence : str
        Of every bound that decides, one-sided. [%]
    rate : Rate
        What ``max <=`` and ``missed ==`` mean where nothing was observed: fewer than these.
    reason : str
        Why it is claimed, or asked for.
    lines : dict
        The line of each key.
    """

    where: str
    text: str
    name: str
    assertion: Assertion
    runs: Selector = ()
    reference: Selector = ()
    quantity: str = ""
    series: str = "pooled"
    load: str = ""
    period: float = float("nan")
    about: str = PROCESS
    confidence: str = "95"
    rate: Rate = DAILY
    reason: str = ""
    lines: tuple[tuple[str, int], ...] = ()

    def error(self, key: str, message: str) -> ClaimError:
        """Return an error about one of its keys, with file and line."""
        path = self.where.rpartition(":")[0]
        return ClaimError(f"{path}:{dict(self.lines).get(key) or self.where.rpartition(':')[2]}: {message}")


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims of one file, in its order."""

    path: Path
    claims: tuple[Claim, ...]


def load(path: str | Path) -> Claims:
    """Read a claims file.

    Raises
    ------
    ClaimError
        If it cannot be read, has an unknown key (the nearest is named), a claim that is none, or none at all.
    """
    path = Path(path)
    text, document = _document(path)
    lines = text.splitlines()
    given = _list(path, document.get("claim"))
    defaults = _Section(str(path), lines, _heads(lines, r"\[\s*defaults\s*\]"), 0, document.get("defaults", {}))
    common = defaults.values(_DEFAULTS)
    heads = _heads(lines, r"\[\[\s*claim\s*\]\]")
    made: dict[str, Claim] = {}
    for place, table in enumerate(given):
        claim = _Section(str(path), lines, heads, place, table).claim(common)
        if (other := made.setdefault(claim.name, claim)) is not claim:
            found = f"found a second claim {claim.name!r} (the first: {other.where})"
            raise claim.error("name", f'{found}, expected a name of its own; write name = "..."')
    return Claims(path, tuple(made.values()))


def _document(path: Path) -> tuple[str, dict[str, Any]]:
    """A claims file as text, and what it holds."""
    try:
        text = path.read_text("utf-8-sig")
        document = tomllib.loads(text)
    except FileNotFoundError:
        raise ClaimError(f"{path}: found nothing, expected a claims file; check the path") from None
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        raise ClaimError(f"{path}{f':{line[1]}' if line else ''}: no TOML: {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ClaimError(f"{path}: no claims file: {error}") from None
    for key in sorted(set(document) - {"defaults", "claim"}):
        raise ClaimError(f"{path}: found the table {key!r}, expected [defaults] and [[claim]]")
    return text, document


def beside(claims: str, data: str | Sequence[str]) -> Claims:
    """Return the claims of a file; where none is named, of the ``claims.toml`` beside the data, or no claims.

    Parameters
    ----------
    claims : str
        The file; may be empty.
    data : str or sequence of str
        Logs and folders of logs.

    Raises
    ------
    ClaimError
        As for `load`.
    """
    if claims:
        return load(claims)
    places = [Path(data)] if isinstance(data, str) else [Path(path) for path in data]
    files = [(place if place.is_dir() else place.parent) / CLAIMS_NAME for place in places]
    return next((load(file) for file in files if file.is_file()), Claims(Path(CLAIMS_NAME), ()))


def _list(path: Path, given: object) -> list[Any]:
    """The claims, if there are any."""
    if not isinstance(given, list) or not given:
        raise ClaimError(f'{path}: found no claim, expected at least one; write [[claim]] and claim = "max <= 50us"')
    return given


def _heads(lines: list[str], head: str) -> list[int]:
    """Numbers of the lines that begin a table."""
    return [number for number, line in enumerate(lines, 1) if re.match(rf"\s*{head}", line)]


def _text(given: object) -> str:
    """Words."""
    if not isinstance(given, str) or not given.strip():
        raise UsageError(f"found {given!r}, expected words in quotes")
    return given.strip()


def _selector(given: object) -> Selector:
    """Patterns of files, or columns of runs with their patterns."""
    if isinstance(given, dict):
        known = [column.name for column in RUNS]
        for column in given:
            if column not in known:
                raise UsageError(f"found the column {column!r}, expected one of runs{nearest(column, known)}")
        return tuple((column, _patterns(patterns)) for column, patterns in given.items())
    return ((FILE, _patterns(given)),)


def _patterns(given: object) -> tuple[str, ...]:
    """One pattern or several."""
    listed = given if isinstance(given, list) else [given]
    if not listed or not all(type(one) in (str, int, float) and one != "" for one in listed):
        raise UsageError(f'found {given!r}, expected a pattern such as "*.hist", a list of them, or {{ column = ... }}')
    return tuple(map(str, listed))


def _quantity(given: object) -> str:
    """What was measured."""
    if (quantity := _text(given)) not in QUANTITIES:
        raise UsageError(f"found the quantity {quantity!r}{nearest(quantity, QUANTITIES)}")
    return quantity


def _about(given: object) -> str:
    """What a claim is about."""
    if given not in (PROCESS, TABLE):
        raise UsageError(f"found {given!r}, expected {PROCESS!r} (what the system does) or {TABLE!r} (what is printed)")
    return str(given)


def _confidence(given: object) -> str:
    """A confidence above that of a coin."""
    text = str(given).strip().removesuffix("%").strip()
    if risk(text) >= 0.5:
        raise UsageError(f"found the confidence {text} %, expected more than 50 and less than 100")
    return text


def _period(given: object) -> float:
    """A period with its unit."""
    try:
        period = duration_ns(str(given))
    except ValueError as error:
        raise UsageError(f"found the period {given!r}: {error}") from None
    if not period > 0:
        raise UsageError(f"found the period {given!r}, expected more than 0")
    return period


_DEFAULTS: dict[str, Callable[[Any], Any]] = {
    "runs": _selector,
    "reference": _selector,
    "quantity": _quantity,
    "series": _text,
    "load": _text,
    "period": _period,
    "about": _about,
    "confidence": _confidence,
    "rate": lambda given: rate(str(given)),
    "reason": _text,
}
_KEYS = {"claim": parse, "name": _text} | _DEFAULTS


@dataclass(frozen=True, slots=True)
class _Section:
    """One table of a claims file; errors name the line they are about."""

    path: str
    lines: list[str]
    heads: list[int]
    place: int
    given: Any

    def values(self, keys: dict[str, Callable[[Any], Any]]) -> dict[str, Any]:
        """What each key says, checked."""
        if not isinstance(self.given, dict):
            raise ClaimError(f"{self.path}: found {self.given!r}, expected a table; write [[claim]]")
        found = {}
        for key, given in self.given.items():
            where = f"{self.path}:{self.line(key)}"
            if key not in keys:
                raise ClaimError(f"{where}: unknown key {key!r}{nearest(key, keys)}")
            try:
                found[key] = keys[key](given if key != "claim" else _text(given))
            except (UsageError, CardError) as error:
                raise ClaimError(f"{where}: {key}: {error}") from None
        return found

    def claim(self, common: dict[str, Any]) -> Claim:
        """The claim that stands here."""
        found = self.values(_KEYS)
        start = self.line("claim")
        if "claim" not in found:
            raise ClaimError(f'{self.path}:{start}: found no claim in [[claim]], expected claim = "max <= 50us"')
        asserted: Assertion = found.pop("claim")
        if "rate" in found and asserted.kind not in (WORST, MISSED):
            raise ClaimError(f"{self.path}:{self.line('rate')}: found a rate, which only max and missed take")
        if "reference" in found and asserted.kind != NO_WORSE:
            raise ClaimError(f"{self.path}:{self.line('reference')}: found a reference, which only 'no worse' takes")
        values = common | found
        if values.get("about") == TABLE and asserted.kind == NO_WORSE:
            raise ClaimError(f"{self.path}:{self.line('about')}: no table tells that one system is no worse")
        text = self.given["claim"].strip()
        lines = tuple((key, self.line(key)) for key in self.given)
        return Claim(f"{self.path}:{start}", text, values.pop("name", text), asserted, lines=lines, **values)

    def line(self, key: str) -> int:
        """The line that gives a key: the first within the table that begins with it, else the table's own."""
        first = self.heads[self.place] if self.place < len(self.heads) else 1
        end = next((number for number, line in enumerate(self.lines, 1) if number > first and line[:1] == "["), 10**9)
        for number in range(first + 1, min(end, len(self.lines) + 1)):
            if re.match(rf"\s*{key}\b", self.lines[number - 1]):
                return number
        return first
