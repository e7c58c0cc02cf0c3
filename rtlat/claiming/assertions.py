"""What a claim asserts, in words that people and machines read alike: ``p99.9 <= 3.1us``, ``missed == 0``.

Every assertion is about the latencies of each run by itself, but for the last, which sets runs against a reference.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rtlat.comparing.contrast import LIMIT
from rtlat.errors import UsageError, nearest
from rtlat.schema import duration_ns
from rtlat.statistics.ranks import fraction
from rtlat.statistics.results import number
from rtlat.tails.plan import UNITS_OF_TIME

PERCENTILE, WORST, EXCEED, MISSED, NO_WORSE = "percentile", "max", "exceed", "missed", "no worse"

FORMS = (
    "p99.9 <= 3.1us",
    "max <= 5us",
    "exceed(50us) < 1/day",
    "missed == 0",
    "no worse than reference on p99.9 within 10 %",
)
"""One example of each."""

CYCLES = "cycles"
"""The unit of a latency while no clock rate is known."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Exceedances in a time, such as one a day.

    Attributes
    ----------
    count : float
        How many.
    per : str
        A key of `rtlat.tails.plan.UNITS_OF_TIME`.
    """

    count: float
    per: str

    def __str__(self) -> str:
        return f"{number(self.count)}/{self.per}"

    @property
    def hertz(self) -> float:
        """The same per second."""
        return self.count / UNITS_OF_TIME[self.per]


@dataclass(frozen=True, slots=True)
class Latency:
    """A latency with its unit, as it was written.

    Attributes
    ----------
    value : float
        [ns, or cycles]
    unit : str
        ``ns`` or ``cycles``, as in records.
    text : str
        With a blank before the unit.
    """

    value: float
    unit: str
    text: str


@dataclass(frozen=True, slots=True)
class Assertion:
    """What a claim asserts.

    Attributes
    ----------
    kind : str
        `PERCENTILE`, `WORST`, `EXCEED`, `MISSED` or `NO_WORSE`.
    figure : str
        The percentile; of `NO_WORSE` the primary figure: a percentile, or `rtlat.comparing.contrast.LIMIT`.
    limit : Latency or None
        What must not be exceeded.
    strict : bool
        Whether it must not even be reached.
    rate : Rate or None
        Of `EXCEED`: fewer than these.
    tolerance : float
        Of `NO_WORSE`: the shift that matters, of the reference's figure. [%]
    """

    kind: str
    figure: str = ""
    limit: Latency | None = None
    strict: bool = False
    rate: Rate | None = None
    tolerance: float = 0.0


_LATENCY = r"(?P<limit>[\d.]+\s*[^\W\d]*)"
_EXCEED = rf"exceed\s*\(\s*{_LATENCY}\s*\)"
_PRIMARY = rf"(?:p(?P<figure>[\d.]+)|{_EXCEED})"
_BELOW = r"\s*(?P<sign><=|<|≤)\s*"
_GRAMMAR = {
    PERCENTILE: rf"p(?P<figure>[\d.]+){_BELOW}{_LATENCY}",
    WORST: rf"max{_BELOW}{_LATENCY}",
    EXCEED: rf"{_EXCEED}\s*<\s*(?P<rate>[\d.]+\s*/\s*\w+)",
    MISSED: r"missed\s*={1,2}\s*0",
    NO_WORSE: rf"no\s+worse\s+than\s+reference\s+on\s+{_PRIMARY}\s+within\s+(?P<share>[\d.]+)\s*%",
}


def parse(text: str) -> Assertion:
    """Return what a claim asserts.

    Raises
    ------
    UsageError
        If it is none of the known forms, or a number or unit in it is none.

    Examples
    --------
    >>> parse("p99.9 <= 3.1us").limit
    Latency(value=3100.0, unit='ns', text='3.1 us')
    >>> parse("exceed(50us) < 1/day").rate, parse("no worse than reference on p99.9 within 10 %").tolerance
    (Rate(count=1.0, per='day'), 10.0)
    """
    for kind, form in _GRAMMAR.items():
        if found := re.fullmatch(form, text.strip(), re.IGNORECASE):
            given = found.groupdict()
            figure = given.get("figure") or (LIMIT if kind == NO_WORSE else "")
            if figure not in ("", LIMIT):
                _percentile(figure)
            return Assertion(
                kind,
                figure,
                latency(given["limit"]) if given.get("limit") else None,
                kind == EXCEED or given.get("sign") == "<",
                rate(given["rate"]) if given.get("rate") else None,
                _share(given["share"]) if given.get("share") else 0.0,
            )
    raise UsageError(f"found {text[:80]!r}, expected a claim{_like(text)}")


def _like(text: str) -> str:
    """The form that a claim was probably meant to have, else all of them."""
    first = re.match(r"[^\W\d]+", text.strip())
    word = first[0].lower() if first else ""
    starts = {"p": FORMS[0], "max": FORMS[1], "exceed": FORMS[2], "missed": FORMS[3], "no": FORMS[4]}
    if word in starts:
        return f" like {starts[word]!r}"
    hint = nearest(word, starts) if word else ""
    return f" such as {', '.join(map(repr, FORMS))}{hint if 'mean' in hint else ''}"


def latency(text: str) -> Latency:
    """Return a latency that is written with its unit.

    Raises
    ------
    UsageError
        If the unit is missing or unknown, or the number is none.

    Examples
    --------
    >>> latency("2100 cycles").unit, latency("5us").text
    ('cycles', '5 us')
    """
    value, unit = (part.strip() for part in re.fullmatch(r"([\d.]*)\s*(.*)", text.strip()).groups())  # type: ignore[union-attr]
    try:
        stored = float(value) if unit == CYCLES else duration_ns(f"{value}{unit}")
    except ValueError:
        found = f"found the latency {text.strip()!r}"
        raise UsageError(f"{found}, expected a number with its unit like 50us, 1ms or 2100cycles") from None
    return Latency(stored, CYCLES if unit == CYCLES else "ns", f"{value} {unit}")


def rate(text: str) -> Rate:
    """Return a rate such as ``1/day``.

    Raises
    ------
    UsageError
        If it is none, or zero: that nothing ever happens, no test can show.
    """
    count, slash, per = (part.strip() for part in text.partition("/"))
    try:
        value = float(count) if re.fullmatch(r"[\d.]+", count) else 0.0
    except ValueError:
        value = 0.0
    if not slash or value <= 0:
        raise UsageError(f"found the rate {text.strip()!r}, expected more than 0 in a time, like 1/day")
    if per not in UNITS_OF_TIME:
        raise UsageError(f"found the rate {text.strip()!r}, expected it in a time{nearest(per, UNITS_OF_TIME)}")
    return Rate(value, per)


def _percentile(figure: str) -> None:
    """Refuse what is no percentile, and the two that no number of cycles supports."""
    if not 0 < fraction(figure) < 1:
        raise UsageError(f"found p{figure}, expected a percentile between 0 and 100; for the greatest write max")


def _share(text: str) -> float:
    """A tolerance."""
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"found the tolerance {text!r}, expected a number of percent") from None
