"""Logs as nobody wrote them: small logs of ours cut, spliced, repeated and garbled at random.

Whatever comes out: no traceback, no hang, no memory out of proportion, and every record is a statement that the
garbled text makes. A number of the record stands in its line, and every extreme stands somewhere in the log.
"""

from __future__ import annotations

import math
import re
import signal
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import pytest
from conftest import ROOT
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from test_contract import READABLE, plain

from rtlat.assembly import Reading
from rtlat.filling import fill
from rtlat.protocol import Run
from rtlat.source import Source

LOGS = sorted(
    (path.relative_to(ROOT).as_posix(), data)
    for path in READABLE
    if len(data := plain(path.read_bytes())) < 6_000 and b"\0" not in data
)
TOO_LONG = 60  # for a log of a few kB; only a hang takes as long [s]
TOO_MUCH = 64 << 20
UNPRINTED = ("hdr_log", "hdr_percentiles")  # encoded numbers; edges that lie between two printed values
# a line begins so many that make one statement, or that were one before they were broken
OBJECTS = {"declared_facts": 20, "ros2_performance_test": 40, "rtd_table": 3, "tracer_lines": 3, "lava_results": 3}
MORE = {"oslat": 1, "rtd_table": 1}  # the tool prints a microsecond more, as text and JSON; a file of -g an observation

NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?(?:[eE][-+]?\d{1,2})?")
SCALES = [Decimal(10) ** power for power in (0, 3, 6, 9)]


def read(data: bytes) -> Reading:
    reading = Reading(Source(None, "log", data), "")
    fill(reading, None, None)
    return reading


# how a log is garbled: each takes the log, another one, and random numbers

Numbers = list[int]


def lines_of(data: bytes) -> list[bytes]:
    return data.split(b"\n")


def stretch(count: int, numbers: Numbers) -> tuple[int, int]:
    """A stretch of at most 8 of so many things."""
    begin = numbers[0] % max(count, 1)
    return begin, min(count, begin + 1 + numbers[1] % 8)


def cut(data: bytes, _: bytes, numbers: Numbers) -> bytes:
    return data[: numbers[0] % (len(data) + 1)]


def drop_bytes(data: bytes, _: bytes, numbers: Numbers) -> bytes:
    begin, end = stretch(len(data), numbers)
    return data[:begin] + data[end:]


def drop_lines(data: bytes, _: bytes, numbers: Numbers) -> bytes:
    lines = lines_of(data)
    begin, end = stretch(len(lines), numbers)
    return b"\n".join(lines[:begin] + lines[end:])


def repeat_lines(data: bytes, _: bytes, numbers: Numbers) -> bytes:
    lines = lines_of(data)
    begin, end = stretch(len(lines), numbers)
    return b"\n".join(lines[:end] + lines[begin:])


def splice(data: bytes, other: bytes, numbers: Numbers) -> bytes:
    lines, foreign = lines_of(data), lines_of(other)
    place, begin = numbers[0] % len(lines), numbers[1] % len(foreign)
    return b"\n".join(lines[:place] + foreign[begin : begin + numbers[2] % 40] + lines[place:])


def transpose_digits(data: bytes, _: bytes, numbers: Numbers) -> bytes:
    pairs = [found.start() for found in re.finditer(rb"\d(?=\d)", data)]
    place = pairs[numbers[0] % len(pairs)] if pairs else 0
    return data[:place] + data[place : place + 2][::-1] + data[place + 2 :]


def change_digit(data: bytes, _: bytes, numbers: Numbers) -> bytes:
    digits = [found.start() for found in re.finditer(rb"\d", data)]
    place = digits[numbers[0] % len(digits)] if digits else 0
    return data[:place] + b"%d" % (numbers[1] % 10) + data[place + 1 :]


def many_digits(data: bytes, _: bytes, numbers: Numbers) -> bytes:
    digits = [found.start() for found in re.finditer(rb"\d", data)]
    place = digits[numbers[0] % len(digits)] if digits else 0
    return data[:place] + b"9" * (numbers[1] % 40) + data[place:]


def drop_column(data: bytes, _: bytes, numbers: Numbers) -> bytes:
    lines = lines_of(data)
    begin, end = stretch(len(lines), numbers)
    for place in range(begin, end):
        cells = list(re.finditer(rb"[^\s|,;]+[\s|,;]*", lines[place]))
        if cells:
            cell = cells[numbers[2] % len(cells)]
            lines[place] = lines[place][: cell.start()] + lines[place][cell.end() :]
    return b"\n".join(lines)


def insert_nul(data: bytes, _: bytes, numbers: Numbers) -> bytes:
    place = numbers[0] % (len(data) + 1)
    return data[:place] + b"\0" * (1 + numbers[1] % 300) + data[place:]


def insert_anything(data: bytes, _: bytes, numbers: Numbers) -> bytes:
    pieces = (
        b"\n",
        b"\r",
        b" ",
        b"-",
        b".",
        b",",
        b"|",
        b":",
        b"#",
        b"{",
        b"}",
        b'"',
        b"\x1b[2A",
        b"...",
        b"nan",
        b"\xff",
        b">",
    )
    place = numbers[0] % (len(data) + 1)
    return data[:place] + pieces[numbers[1] % len(pieces)] + data[place:]


def join_lines(data: bytes, _: bytes, numbers: Numbers) -> bytes:
    lines = lines_of(data)
    place = numbers[0] % len(lines)
    return b"\n".join([*lines[:place], b"".join(lines[place : place + 2]), *lines[place + 2 :]])


def exchange_lines(data: bytes, _: bytes, numbers: Numbers) -> bytes:
    lines = lines_of(data)
    one, other = numbers[0] % len(lines), numbers[1] % len(lines)
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


WAYS: list[Callable[[bytes, bytes, Numbers], bytes]] = [
    cut,
    drop_bytes,
    drop_lines,
    repeat_lines,
    splice,
    transpose_digits,
    change_digit,
    many_digits,
    drop_column,
    insert_nul,
    insert_anything,
    join_lines,
    exchange_lines,
]
STEP = st.tuples(st.sampled_from(WAYS), st.lists(st.integers(0, 1 << 20), min_size=3, max_size=3))
GARBLED = st.tuples(st.sampled_from(LOGS), st.sampled_from(LOGS), st.lists(STEP, min_size=1, max_size=4))


# what must hold of it


def key(number: Decimal) -> str:
    """A number to 12 digits."""
    return f"{number:.11e}" if number else "0"


def numbers_of(text: str) -> set[str]:
    """Every number that stands in a text, whichever way its point is written, with its digits alone."""
    found = [number.replace(",", ".") for number in NUMBER.findall(text)] + re.findall(r"\d+", text)
    return {key(abs(Decimal(number))) for number in found}


def stands(value: float, printed: set[str], more: int = 0) -> bool:
    """Whether a number is printed, in some unit, with its sign or without, or less than 2^64 by its amount."""
    exact = [Decimal(repr(value)) / scale for scale in SCALES]
    near = [*exact, *(number + 2**64 for number in exact)]
    near += [number + more * digit for number in exact for digit in (1, Decimal("0.001"))] if more else []
    return any(key(abs(number)) in printed for number in near)


def made_of(run: Run, texts: dict[int, str]) -> None:
    """Check that the text makes the statements of a run."""
    everywhere = numbers_of("\n".join(texts.values())) | numbers_of(
        "".join(texts.values())
    )  # whole where it was broken
    more = MORE.get(run.tool, MORE.get(run.format, 0))
    arrays = run.rows.arrays()
    for cells in zip(*(column.tolist() for column in arrays.values()), strict=True):
        row = dict(zip(arrays, cells, strict=True))
        lines = range(row["line"], row["line"] + OBJECTS.get(run.format, 1))
        stood = [texts.get(line, "") for line in lines]
        here = numbers_of("\n".join(stood)) | numbers_of("".join(stood))
        told = [row[name] for name in ("low", "high", "avg", "std") if math.isfinite(row[name])]
        told += [float(row[name]) for name in ("n", "missed") if row[name] > 0]
        # what a total leaves, what a footer counts, and the bins up to the least of absolute values, which are one
        rest = row["kind"] == "bin" and (
            math.isinf(row["high"] - row["low"]) or (row["low"] < 0 and "folded" in run.facts)
        )
        unknown = math.isinf(row["low"]) and math.isinf(row["high"])
        assert rest or unknown or any(stands(value, here, more) for value in told), (row, texts[row["line"]])
        if row["kind"] == "bin" and not rest:
            assert stands(row["n"], here, more), (row, texts[row["line"]])
        if row["kind"] in ("sample", "window", "summary"):
            ends = [row[name] for name in ("low", "high") if math.isfinite(row[name])]
            assert all(stands(value, everywhere, more) for value in ends), row


@contextmanager
def no_hang() -> Iterator[None]:
    """Fail instead of waiting for ever."""

    def late(*_: Any) -> None:
        raise TimeoutError(f"not read after {TOO_LONG} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(TOO_LONG)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def check(garbled: tuple[tuple[str, bytes], tuple[str, bytes], list[Any]]) -> None:
    """Garble a log and read it."""
    (_, data), (_, other), steps = garbled
    for way, numbers in steps:
        data = way(data, other, numbers)
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    with no_hang():
        reading = read(data)
    assert tracemalloc.get_traced_memory()[1] - before < TOO_MUCH, "memory out of proportion"
    if reading.error:
        assert "please report" not in str(reading.error), reading.error
        assert "\n" not in str(reading.error)
        return
    told = [warning for run in reading.runs for warning in run.warnings]
    assert not any("please report" in warning for warning in told), told
    texts: dict[int, str] = {}
    for line in reading.source.lines():
        texts[line.number] = f"{texts[line.number]} {line.text}" if line.number in texts else line.text
    for run in reading.runs:
        if run.format not in UNPRINTED:
            made_of(run, texts)


@pytest.fixture(autouse=True, scope="module")
def traced() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


QUIET = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]}


@settings(max_examples=300, derandomize=True, **QUIET)
@given(GARBLED)
def test_a_garbled_log_states_only_what_stands_in_it(garbled: Any) -> None:
    check(garbled)


@pytest.mark.parametrize(
    ("name", "printed", "garbled"),
    [
        ("tests/data/json/tool_signaltest.json", b"16:57:55 +0000", b"16:57:55 +99999999999999990000"),  # no time zone
        ("tests/data/bpf/runq.json", b'"max": 3,', b'"max": 399999999999999999999999999999999999,'),  # no 64-bit number
        ("tests/data/bpf/runq.txt", b"[2K, 4K)", b"[2K, 4999999999999999999E)"),
    ],
)
def test_what_was_found_by_garbling(name: str, printed: bytes, garbled: bytes) -> None:
    data = (ROOT / name).read_bytes()
    assert printed in data
    check(((name, data.replace(printed, garbled, 1)), (name, b""), []))


@pytest.mark.slow
@settings(max_examples=10_000, phases=(Phase.generate, Phase.shrink), database=None, **QUIET)
@given(GARBLED)
def test_ten_thousand_garbled_logs(garbled: Any) -> None:
    check(garbled)


@pytest.mark.parametrize(("name", "data"), LOGS)
def test_whole_logs_state_what_stands_in_them(name: str, data: bytes) -> None:
    check(((name, data), (name, data), []))
