"""cyclictest logs cut after every line and inside every last number: never other numbers without a word about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT

from rtlat.errors import LogError
from rtlat.formats.cyclictest_text import parse
from rtlat.protocol import Run
from rtlat.source import Source

LOGS = sorted((ROOT / "tests" / "data" / "cyclictest").iterdir())
STATUS = re.compile(r"T: *(\d+) \( *\d+\) .*C: *(\d+) Min: *(-?\d+) .*Max: *(-?\d+)$", re.MULTILINE)
NO_HISTOGRAM = "old_v0.28_h6"  # holds no sample even when whole

Statement = tuple[object, ...]


def read(data: bytes) -> list[Run]:
    return list(parse(Source(None, "log", data)))


def statements(run: Run) -> set[Statement]:
    """Rows without what only a later line can tell: how far beyond its table a sample lies."""
    arrays = run.rows.arrays()
    names = ("series", "kind", "of", "low", "high", "n", "avg", "seq", "line")
    arrays["avg"] = arrays["avg"].astype(object)
    arrays["avg"][[average != average for average in arrays["avg"]]] = None  # NaN is not equal to itself
    rows = set(zip(*(arrays[name].tolist() for name in names), strict=True))
    return {(*row[:3], None, *row[4:]) if row[1] == "bin" and row[4] == float("inf") else row for row in rows}


def told(run: Run, whole: Run | None) -> bool:
    """Whether the run says that something is missing or wrong."""
    said = set(run.warnings) - set(whole.warnings if whole else ())
    return bool(run.facts["ended"] == "cut" or run.rejected.total or said)


def printed(data: bytes) -> set[Statement]:
    """Status lines that stand in a piece of a log whole: series, kind, low, high and n, in either unit."""
    lines = STATUS.findall(data.decode("utf-8", "replace"))
    return {
        (f"t{thread}", "summary", float(low) * step, float(high) * step, int(n))
        for thread, n, low, high in lines
        for step in (1, 1000)
    }


def cuts(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Every beginning of a log, and some that lost the end of their last number but not the line's end."""
    at = 0
    for number, line in enumerate(data.splitlines(keepends=True), 1):
        at += len(line)
        yield f"after line {number}", data[:at]
        yield f"before the end of line {number}", data[:at].rstrip(b"\r\n")
        if match := re.search(rb"\d(\d)\s*$", line):
            inside = data[: at - len(line) + match.start(1)]
            yield f"inside the last number of line {number}", inside
            if b"# Break value" not in line:  # printed without padding: nothing shows that it lost a digit
                yield f"inside the last number of line {number}, with a line end", inside + b"\n"


@pytest.mark.parametrize("path", [pytest.param(path, id=path.name) for path in LOGS if NO_HISTOGRAM not in path.name])
def test_a_cut_log_is_refused_marked_or_a_true_beginning(path: Path) -> None:
    data = path.read_bytes()
    whole = read(data)
    refused = 0
    for where, piece in cuts(data):
        try:
            runs = read(piece)
        except LogError:
            refused += 1
            continue
        assert len(runs) <= len(whole), where
        for place, run in enumerate(runs):
            other = statements(run) - statements(whole[place])
            other = {row for row in other if (*row[:2], *row[3:6]) not in printed(piece)}
            assert not other or told(run, whole[place]), f"{where}: {sorted(map(str, other))[:3]}"
    assert refused  # nothing is nothing


@pytest.mark.parametrize(
    "name", ["deb2.10-1_h60_q.txt", "old_v0.74_H20_q.txt", "H5_q_overflow_many.txt", "old_v0.56_h30_q.txt"]
)
def test_a_histogram_is_complete_only_once_its_overflows_are_known(name: str) -> None:
    data = (ROOT / "tests" / "data" / "cyclictest" / name).read_bytes()
    known = data.index(b"# Histogram Overflows:")
    known = data.index(b"\n", known) + 1
    for where, piece in cuts(data):
        try:
            (run,) = read(piece)
        except LogError:
            continue
        if len(piece) < known - 2:
            assert run.facts["ended"] == "cut", where
        elif len(piece) >= known:
            assert run.facts["ended"] == "complete", where


def test_status_lines_say_less_but_nothing_wrong() -> None:
    """Of every beginning of a live log the last whole line of each thread holds."""
    data = (ROOT / "tests" / "data" / "cyclictest" / "old_v1.0_live.txt").read_bytes()
    for where, piece in cuts(data):
        if where.endswith("with a line end"):  # such a line is refused, and the one before it holds
            continue
        try:
            (run,) = read(piece)
        except LogError:
            continue
        last = {}
        for thread, n, low, high in STATUS.findall(piece[: piece.rfind(b"\n") + 1].decode()):
            if int(n):
                last[f"t{thread}"] = (int(n), int(low) * 1000.0, int(high) * 1000.0)
        arrays = run.rows.arrays()
        found = dict(zip(arrays["series"], zip(arrays["n"], arrays["low"], arrays["high"], strict=True), strict=True))
        for series, statement in found.items():
            assert statement[0] >= last.get(series, (0,))[0], where
            assert (series, "summary", statement[1], statement[2], statement[0]) in printed(piece + b"\n"), where


@pytest.mark.parametrize(
    "junk", [b"\xff\xfe", b"\0" * 99, b"\x1b[2J", b"# Histogram\n", b"# Total: 1\n", b"T: 0\n", b"00000 1\n"]
)
@pytest.mark.parametrize("name", ["deb2.10-1_h60_q.txt", "q_D3_smp.txt", "deb2.10-1_v.txt"])
def test_junk_before_and_behind_changes_no_number(name: str, junk: bytes) -> None:
    data = (ROOT / "tests" / "data" / "cyclictest" / name).read_bytes()
    numbers = {row[:-1] for row in statements(read(data)[0])}
    for piece in (junk.rstrip(b"\n") + b"\n" + data if b"\xff" not in junk else data, data + junk):
        assert {row[:-1] for run in read(piece) for row in statements(run)} == numbers
