"""What is looked for before patterns are tried never hides a log from the pattern that would claim it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rtlat.detection import detect
from rtlat.formats import FORMATS
from rtlat.protocol import Format
from rtlat.source import Source

MARKS = [(known, mark) for known in FORMATS for mark in known.marks]


@pytest.mark.parametrize(("known", "mark"), MARKS, ids=lambda part: getattr(part, "name", None))
def test_what_a_mark_matches_holds_a_word(known: Format, mark: object) -> None:
    @given(st.from_regex(mark))  # type: ignore[arg-type]
    @settings(max_examples=40, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    def holds(text: str) -> None:
        assert any(word in text for word in known.words)
        assert text.strip("0123456789 \t")

    holds()


def test_every_line_of_every_log_that_a_mark_matches_holds_a_word(logs: Path) -> None:
    seen = set()
    for path in sorted(path for path in logs.rglob("*") if path.is_file()):
        try:
            lines = Source(path, path.name).head()
        except Exception:  # some are no logs, on purpose
            continue
        for known, mark in MARKS:
            for line in lines:
                if mark.match(line.text):
                    seen.add(known.name)
                    assert any(word in line.text for word in known.words), (known.name, path, line)
    assert len(seen) > 20


def test_rows_before_the_line_that_decides_do_not_count_against_it() -> None:
    rows = "".join(f"{bucket:06d} 000000\n" for bucket in range(2000))
    known, line = detect(Source(None, "log", f"{rows}# Min Latencies: 00018\n".encode()))
    assert (known.name, line.number) == ("cyclictest_text", 2001)


def test_an_indented_table_is_taken_as_far_in_as_its_own_lines_are() -> None:
    log = b"measured today:\n\n    # Histogram\n    000000 000001\n    # Total: 000000001\n"
    source = Source(None, "log", log)
    known, line = detect(source)
    assert (known.name, line.text, source.margin) == ("cyclictest_text", "# Histogram", 4)
