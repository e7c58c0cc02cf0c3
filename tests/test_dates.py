"""Printed dates as ISO 8601: against the standard library's own readers of these forms."""

from __future__ import annotations

import email.utils
import random
import time
from datetime import UTC, datetime, timedelta, timezone

import pytest

from rtlat.storing.dates import moment

_CHANCE = random.Random(5)
MOMENTS = [datetime(2003, 1, 1) + timedelta(seconds=_CHANCE.randrange(10**9)) for _ in range(200)]


def plain(when: datetime) -> str:
    """Return a moment as it is expected."""
    return when.isoformat(timespec="seconds")


@pytest.mark.parametrize("minutes", [0, 60, -420, 330])
def test_mail_dates_and_iso_dates_with_an_offset_are_utc(minutes: int) -> None:
    zone = timezone(timedelta(minutes=minutes))
    for when in MOMENTS:
        there = when.replace(tzinfo=UTC).astimezone(zone)
        assert moment(email.utils.format_datetime(there)) == plain(when)
        assert moment(there.isoformat()) == plain(when)
        assert moment(f"{there:%Y-%m-%d %H:%M:%S} ({there:%z} UTC)") == plain(when)


def test_dates_of_ctime_and_date_are_taken_as_printed() -> None:
    for when in MOMENTS:
        assert moment(time.asctime(when.timetuple())) == plain(when)
        assert moment(f"{when:%a %b %d %H:%M:%S} CET {when:%Y}") == plain(when)
        assert moment(f"{when:%a %b} {when.day:2d} {when:%H:%M:%S %Y}") == plain(when)


def test_a_day_without_a_time_sorts_before_its_hours() -> None:
    assert moment("2019-06-18") == "2019-06-18" < moment("2019-06-18 00:00")


@pytest.mark.parametrize(
    "text", ["", "yesterday", "31 Jun 2026", "2026-13-01", "12.11.2026", "9999999", "Mon Foo 01 2026"]
)
def test_what_is_no_date_is_none(text: str) -> None:
    assert moment(text) == ""
