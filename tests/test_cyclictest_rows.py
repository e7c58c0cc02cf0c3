"""Rows read a block at a time are those that a line at a time gives: on tables that are whole, wide, cut or noisy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rtlat.formats import _cyclictest_rows
from rtlat.formats._cyclictest_rows import ROW_LIKE, Rows, read_row, tables
from rtlat.source import Block, block_lines

COUNT = st.one_of(st.integers(0, 999_999), st.integers(0, 10**18 - 1)).map(lambda count: f"{count:06d}")
ODD = ["", "# Total: 000000001", "# Histogram", "[ 12.345678] usb 1-1: new", "000003 0001", "000003", "x" * 40]
ODD += ["000004 -00001", "000005 000001,000002", "  000006 000001", "0000000007 000001", "000008 " + "9" * 19, "\0\0"]


@st.composite
def texts(draw: st.DrawFn) -> str:
    threads = draw(st.integers(1, 4))
    width = draw(st.sampled_from(["{:06d}", "{:05d}"]))
    end = draw(st.sampled_from(["\n", "\t\n", " \n"]))
    blank = draw(st.sampled_from([" ", "\t"]))
    lines = []
    for bucket in range(draw(st.integers(0, 12))):
        counts = draw(st.lists(COUNT, min_size=threads, max_size=threads))
        lines.append(f"{width.format(bucket)} {blank.join(counts)}{end}")
        if draw(st.integers(0, 5)) == 0:
            lines.append(draw(st.sampled_from(ODD)) + "\n")
    lines.insert(draw(st.integers(0, len(lines))), "# Histogram\n")
    return "".join(lines)[: draw(st.integers(0, 2000))]


def by_lines(block: Block) -> list[tuple[int, list[int]]]:
    """The rows as the line reader gives them."""
    lines = [line for line in block_lines(block) if line.whole and ROW_LIKE.match(line.text)]
    found = [row for line in lines if (row := read_row(line))]
    return [(int(row.line[0]), numbers(row)[0]) for row in found]


def numbers(rows: Rows) -> list[list[int]]:
    """Bucket and counts of each row."""
    found = [[bucket, *[0] * rows.width] for bucket in rows.bucket.tolist()]
    for thread, row, n in zip(rows.thread.tolist(), rows.row.tolist(), rows.n.tolist(), strict=True):
        assert n > 0
        found[row][1 + thread] = n
    return found


@given(texts(), st.sampled_from([2, 50]))
def test_a_block_gives_what_its_lines_give(text: str, long: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_cyclictest_rows, "_LONG", long)
        check(text.encode())


def test_a_long_run_is_read_in_stretches_of_rows_of_one_length() -> None:
    counts = [int(3e9 * 0.9 ** abs(bucket - 40)) for bucket in range(400)]
    lines = [f"{bucket:06d} {n:06d}\t{n // 7:06d}\n" for bucket, n in enumerate(counts)]
    lines[300] = "[ 12.345678] usb 1-1: new\n"
    check(f"# Histogram\n{''.join(lines)}# Total: 1\n".encode())


def check(data: bytes) -> None:
    """What a block gives is what its lines give, in their order."""
    whole = data[: data.rfind(b"\n") + 1]
    rows, texts_between = [], b""
    first = 1
    for piece in tables(Block(1, whole)):
        if isinstance(piece, Rows):
            assert piece.line.tolist() == list(range(first, first + len(piece.line)))
            assert (np.diff(piece.thread * len(piece.line) + piece.row) > 0).all()
            rows += list(zip(piece.line.tolist(), numbers(piece), strict=True))
            first += len(piece.line)
        else:
            assert piece.first == first
            rows += by_lines(piece)
            texts_between += piece.data
            first += piece.data.count(b"\n")
    assert rows == by_lines(Block(1, whole))
    assert first == 1 + whole.count(b"\n")


def test_a_table_that_differs_in_one_row_only_is_read_without_its_lines() -> None:
    rows = [f"{bucket:06d} {bucket:06d}\t{10**bucket:06d}\n" for bucket in range(9)]
    head, table, foot = tables(Block(1, f"# Histogram\n{''.join(rows)}# Total: 1\n".encode()))
    assert isinstance(table, Rows)
    assert numbers(table) == [[bucket, bucket, 10**bucket] for bucket in range(9)]
    assert (head.data, foot.data) == (b"# Histogram\n", b"# Total: 1\n")  # type: ignore[union-attr]
