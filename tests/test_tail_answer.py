"""The first sentences of a report on large latencies."""

from __future__ import annotations

import re

from recordings import TRUNCATED, histogram, recording
from tails import examine, exponential, made, rtirq

from rtlat.rows import Rows
from rtlat.tails.tail_answer import answer

STANDING = "Measurement is a lower bound"


def plain(html: str) -> str:
    """Return the text of HTML."""
    return re.sub(r"<[^>]*>", " ", html)


def test_the_worst_stands_with_n_and_duration_and_what_a_measurement_is() -> None:
    text = plain(answer(rtirq()))
    assert "worst observed  5.2-5.3 us" in text
    assert "n 60,000, duration 1 min" in text
    assert "Its tail cannot be extrapolated." in text
    assert text.count(STANDING) == 1
    assert "worst case" not in text.lower()
    assert "estimated level" not in text.partition(STANDING)[0]


def test_the_planner_speaks_of_the_run_with_most_evidence() -> None:
    found = examine(made({"short": {5: 1000}, "long": {5: 7_200_000}, "reaching": {5: 10_000_000, 60: 1}}))
    text = plain(answer(found, "50us"))
    assert "50 us was reached in 1 of 3 runs that tell." in text
    (sentence,) = re.findall(r"(\w+): to show fewer than one exceedance of 50 us per day [^;]*;([^<]*)", text)
    assert sentence[0] == "long"
    assert "you have 2 h without one" in sentence[1]
    assert "50 us" not in plain(answer(found))


def test_estimated_levels_are_named_with_model_interval_and_run() -> None:
    text = plain(answer(examine(made({"a": exponential(), "b": {5: 100}}))))
    assert "1 of 2 tails can be extrapolated." in text
    assert re.search(
        r"One cycle in 1,000,000 exceeds the estimated level \d+ us \(95 % interval \d+ to \d+ us\) +\(a\)", text
    )


def test_quantities_stand_apart() -> None:
    rows, other = Rows(), Rows()
    histogram(rows, {5: 100})
    histogram(other, {700: 10}, quantity="irq")
    text = answer(examine(recording((rows, {"run": "a", **TRUNCATED}), (other, {"run": "b", **TRUNCATED}))))
    first, second = text.split("<li><b>")[1:]
    assert (first.startswith("thread [us]"), "5-6 us" in first, "700" in first) == (True, True, False)
    assert (second.startswith("irq [us]"), "700-701 us" in second) == (True, True)


def test_names_are_escaped() -> None:
    script = "<img src=x>"
    text = answer(examine(made({script: exponential()}, load=script, approach=script)), "50us")
    assert "<img" not in text
