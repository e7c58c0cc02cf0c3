"""When a run started, as ISO 8601, from the dates that tools and people print."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_TIME = r"(?:[T ,]+(?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.\d+)?)?)?"
_ZONE = r"\s*\(?(?P<zone>[+-]\d\d:?\d\d)?"

_FORMS = (
    # 2026-11-30, 2026-11-30T16:56:26+01:00, 2022-12-02 08:31:39 (+0000 UTC)
    re.compile(rf"(?P<year>\d{{4}})-(?P<month>\d\d)-(?P<day>\d\d)(?!\d){_TIME}{_ZONE}"),
    # Mon, 30 Nov 2026 16:56:26 +0000 (RFC 5322)
    re.compile(rf"(?:\w{{3}},? )?(?P<day>\d\d?) (?P<month>[A-Za-z]{{3}})\w* (?P<year>\d{{4}})(?!\d){_TIME}{_ZONE}"),
    # Wed Sep 09 08:24:39 PDT 2015 (date and ctime; a zone's name is no offset)
    re.compile(
        rf"(?:\w{{3}} )?(?P<month>[A-Za-z]{{3}}) +(?P<day>\d\d?){_TIME}{_ZONE}(?: [A-Z]{{2,5}})? (?P<year>\d{{4}})"
    ),
)

PREFIX = re.compile(r"\d{4}(-\d\d(-\d\d(T\d\d(:\d\d(:\d\d)?)?)?)?)?")
"""A moment, or the year, month, day, hour or minute that it lies in."""


def moment(text: str) -> str:
    """Return a printed date as ISO 8601 that sorts by time; empty if it is none.

    With a printed offset it is UTC, else it is taken as printed: the name of a zone means different offsets to
    different people.

    Parameters
    ----------
    text : str
        As in the column ``started`` of runs.

    Examples
    --------
    >>> moment("Mon, 30 Nov 2026 16:56:26 +0100"), moment("2022-12-02 08:31:39 (+0000 UTC)"), moment("2019-06-18")
    ('2026-11-30T15:56:26', '2022-12-02T08:31:39', '2019-06-18')
    >>> moment("Wed Sep 09 08:24:39 PDT 2015"), moment("last Tuesday")
    ('2015-09-09T08:24:39', '')
    """
    for form in _FORMS:
        if found := form.match(text.strip()):
            try:
                return _iso(found)
            except (ValueError, OverflowError):  # the 31st of June
                return ""
    return ""


def _iso(found: re.Match[str]) -> str:
    """The moment a pattern found."""
    month = found["month"]
    number = int(month) if month.isdigit() else _MONTHS.index(month.lower()) + 1
    year, day = int(found["year"]), int(found["day"])
    if found["hour"] is None:
        return f"{datetime(year, number, day):%Y-%m-%d}"
    when = datetime(year, number, day, int(found["hour"]), int(found["minute"]), int(found["second"] or 0))
    if zone := found["zone"]:
        minutes = int(zone[1:3]) * 60 + int(zone[-2:])
        offset = timezone(timedelta(minutes=-minutes if zone[0] == "-" else minutes))
        when = when.replace(tzinfo=offset).astimezone(UTC).replace(tzinfo=None)
    return when.isoformat(timespec="seconds")
