"""Lines that differ only in their digits: read by one of them, and never taken for another."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rtlat import shapes
from rtlat.shapes import MOST_SHAPES, Shapes, Stretch
from rtlat.source import Block, Line

ROW = re.compile(r"(\w+)\[(\d+)\]: +(-?\d+(?:[.,]\d+)?) us(?: in (\d+))?")


def read(text: str) -> tuple[str, list[tuple[int, int]]] | None:
    row = ROW.fullmatch(text)
    return (row[1], [row.span(2), row.span(3), row.span(4) if row[4] else (0, 0)]) if row and row[1].isalpha() else None


def reader(fewest: int = 1) -> Shapes[str]:
    return Shapes(read, lambda found: np.ones(len(found), np.bool_), fewest, b" us")


def numbers(data: bytes, of: Shapes[str] | None = None) -> Iterator[tuple[int, str, list[int]] | Line]:
    """What a block says, line by line."""
    for item in (of or reader()).stretches(Block(1, data)):
        if isinstance(item, Stretch):
            kinds = [item.kinds[place] for place in item.which.tolist()]
            yield from zip(item.line.tolist(), kinds, item.numbers.T.tolist(), strict=True)
        else:
            yield item


def expected(data: bytes) -> Iterator[tuple[int, str, list[int]] | Line]:
    """The same by Python's own numbers."""
    for number, line in enumerate(data.decode().split("\n")[:-1], 1):
        row = ROW.fullmatch(line)
        if row and row[1].isalpha() and all(len(re.sub(r"\D", "", cell or "")) < 16 for cell in row.groups()):
            value = int(row[3].replace(".", "").replace(",", ""))
            yield number, row[1], [int(row[2]), value, int(row[4] or -1)]
        else:
            yield Line(number, line)


CELLS = st.from_regex(r"-?[0-9]{1,17}([.,][0-9]{1,9})?", fullmatch=True)
LINES = st.builds(
    lambda name, cpu, gap, cell, more: f"{name}[{cpu}]:{gap}{cell} us{more}",
    st.sampled_from(["t", "task", "t1", "ta"]),
    st.integers(0, 10**16),
    st.sampled_from([" ", "  ", "          "]),
    CELLS,
    st.sampled_from(["", " in 7", " in 123456789012", " in", "!"]),
)


@given(st.lists(LINES, max_size=60))
def test_numbers_are_those_that_python_reads(lines: list[str]) -> None:
    data = "".join(line + "\n" for line in lines).encode()
    assert list(numbers(data)) == list(expected(data))


def test_shapes_that_share_a_key_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shapes, "_WEIGHTS", np.zeros_like(shapes._WEIGHTS))  # now they all do
    data = b"".join(b"%s[%d]: 4.1 us\n" % (name, cpu) for name in (b"a", b"b", b"ab") for cpu in range(20))
    found = list(numbers(data))
    texts = [f"{row.text}" if isinstance(row, Line) else f"{row[1]}[{row[2][0]}]: 4.1 us" for row in found]
    assert texts == data.decode().splitlines()
    assert sum(not isinstance(row, Line) for row in found) >= 10


def test_what_is_cleaned_is_no_line_of_a_shape() -> None:
    for odd in (b"> t[1]: 4 us", b"^Ct[1]: 4 us", b"\x1b[0mt[1]: 4 us", b"[   1.234] t[1]: 4 us", b"t[1]:&nbsp;4 us"):
        (line,) = numbers(odd + b"\n")
        assert isinstance(line, Line)
        assert line.text == "t[1]: 4 us"


def test_blocks_that_end_within_a_line_or_are_indented_are_read_as_lines() -> None:
    for block in (Block(1, b"t[1]: 4 us\nt[1]: 4", False), Block(1, b"  t[1]: 4 us\n", True, 2)):
        assert all(isinstance(item, Line) for item in reader().stretches(block))


def test_few_lines_in_a_row_are_read_as_lines() -> None:
    data = b"t[1]: 4 us\n" * 3 + b"odd\n" + b"t[1]: 4 us\n" * 2
    found = list(numbers(data, reader(fewest=3)))
    assert [isinstance(row, Line) for row in found] == [False] * 3 + [True] * 3
    assert [row.number for row in found if isinstance(row, Line)] == [4, 5, 6]


def test_a_value_that_is_not_sound_is_read_as_a_line() -> None:
    even = Shapes(read, lambda found: found.numbers[0] % 2 == 0, 1, b" us")
    found = list(numbers(b"".join(b"t[%d]: 4 us\n" % cpu for cpu in range(10)), even))
    assert [isinstance(row, Line) for row in found] == [False, True] * 5


def test_the_rest_of_a_broken_line_of_a_mail_is_no_line() -> None:
    found = list(numbers(b"t[1]: 4 us\n\x1c\nodd\n"))
    assert [row.number for row in found if isinstance(row, Line)] == [3]


def test_shapes_that_are_very_many_are_forgotten() -> None:
    many = reader()
    for first in range(0, 3 * MOST_SHAPES, MOST_SHAPES):
        names = ["".join(chr(97 + place // 26**power % 26) for power in range(3)) for place in range(MOST_SHAPES)]
        data = "".join(f"{'x' * (first // MOST_SHAPES)}{name}[1]: 4 us\n" for name in names).encode()
        assert list(numbers(data, many)) == list(expected(data))
        assert len(many._known) <= MOST_SHAPES
