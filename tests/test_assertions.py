"""What a claim may say, and how it is refused."""

from __future__ import annotations

import pytest

from rtlat.claiming.assertions import EXCEED, FORMS, MISSED, NO_WORSE, PERCENTILE, WORST, Rate, parse
from rtlat.errors import UsageError


@pytest.mark.parametrize(
    ("text", "kind", "figure", "limit", "strict"),
    [
        ("p99.9 <= 3.1us", PERCENTILE, "99.9", 3100.0, False),
        ("P50<1 ms", PERCENTILE, "50", 1e6, True),
        ("p99.999 ≤ 12 µs", PERCENTILE, "99.999", 12_000.0, False),
        ("max <= 5us", WORST, "", 5000.0, False),
        ("max < 2100cycles", WORST, "", 2100.0, True),
        ("exceed(50us) < 1/day", EXCEED, "", 50_000.0, True),
        ("no worse than reference on p99.9 within 10 %", NO_WORSE, "99.9", None, False),
        ("No worse  than reference on exceed( 50us ) within 2.5%", NO_WORSE, "limit", 50_000.0, False),
        ("missed == 0", MISSED, "", None, False),
    ],
)
def test_a_claim_is_what_it_says(text: str, kind: str, figure: str, limit: float | None, strict: bool) -> None:
    found = parse(text)
    assert (found.kind, found.figure, found.strict) == (kind, figure, strict)
    assert (found.limit.value if found.limit else None) == limit


def test_every_form_that_is_shown_can_be_written() -> None:
    assert [parse(form).kind for form in FORMS] == [PERCENTILE, WORST, EXCEED, MISSED, NO_WORSE]


def test_a_tolerance_is_in_percent() -> None:
    assert parse("no worse than reference on p99.9 within 10 %").tolerance == 10
    assert parse("no worse than reference on exceed(50us) within 2.5%").tolerance == 2.5


def test_a_rate_is_per_time() -> None:
    assert parse("exceed(1ms) < 3 / hour").rate == Rate(3, "hour")
    assert Rate(3, "hour").hertz == pytest.approx(3 / 3600)
    assert str(Rate(0.5, "week")) == "0.5/week"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("mx <= 5us", "did you mean 'max'"),
        ("p99.9 =< 3.1us", "expected a claim like 'p99.9 <= 3.1us'"),
        ("p99.9 <= 5", "found the latency '5', expected a number with its unit"),
        ("max <= 5 parsecs", "expected a number with its unit like 50us"),
        ("max <= 1.2.3us", "found the latency '1.2.3us'"),
        ("p100 <= 5us", "for the greatest write max"),
        ("p0 <= 5us", "expected a percentile between 0 and 100"),
        ("p999 <= 5us", "no percentile"),
        ("exceed(5us) < 0/day", "expected more than 0 in a time, like 1/day"),
        ("exceed(5us) < 1/dya", "did you mean 'day'"),
        ("exceed(5us) <= 1/day", "expected a claim like 'exceed(50us) < 1/day'"),
        ("missed <= 3", "expected a claim like 'missed == 0'"),
        ("no worse than refernce on p99 within 5 %", "no worse than reference on p99.9 within 10 %"),
        ("no worse than reference on p99 within 1.2.3 %", "expected a number of percent"),
        ("it is fast", "expected a claim such as 'p99.9 <= 3.1us', 'max <= 5us', "),
    ],
)
def test_what_is_no_claim_is_told(text: str, told: str) -> None:
    with pytest.raises(UsageError, match="found|no percentile") as error:
        parse(text)
    assert told in str(error.value)
    assert "\n" not in str(error.value)
