"""Damage that any log can have, tried on every small log of ours: what is left is true, flagged, or refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import ROOT
from test_contract import READABLE, plain

from rtlat.detection import detect
from rtlat.errors import LogError
from rtlat.protocol import Run
from rtlat.source import Source

SMALL = [path for path in READABLE if len(data := plain(path.read_bytes())) < 12_000 and b"\0" not in data]
SAME = ("series", "quantity", "kind", "of", "unit", "n", "q", "seq", "line")


def runs_of(data: bytes) -> list[Run] | None:
    """What a log gives; None where it is refused."""
    source = Source(None, "log", data)
    try:
        return list(detect(source)[0].parse(source))
    except LogError as error:
        if "\n" in str(error):
            raise
        return None


def stated(runs: list[Run]) -> dict[tuple[object, ...], list[tuple[float, float]]]:
    """The statements of single observations, samples, bins and windows: what and where -> its ends."""
    found: dict[tuple[object, ...], list[tuple[float, float]]] = {}
    for run in runs:
        arrays = run.rows.arrays()
        for row in zip(*(arrays[name].tolist() for name in ("low", "high", *SAME)), strict=True):
            if "summary" not in row:  # a summary of less is another summary
                found.setdefault(tuple(map(str, row[2:])), []).append((row[0], row[1]))
    return found


def untrue(left: Run, truth: dict[tuple[object, ...], list[tuple[float, float]]]) -> list[tuple[object, ...]]:
    """Statements of what is left that the whole log does not make, not even closer."""
    return [
        (*key, low, high)
        for key, ends in stated([left]).items()
        for low, high in ends
        if not any(low <= least and most <= high for least, most in truth.get(key, []))
    ]


def flagged(run: Run, before: set[str]) -> bool:
    """Whether a run says of itself that something is missing."""
    return run.facts.get("ended") != "complete" or run.rejected.total > 0 or bool(set(run.warnings) - before)


def cuts(data: bytes) -> list[bytes]:
    """The log cut after every line, and inside the last number of every line."""
    pieces = []
    for end in re.finditer(rb"\n", data):
        pieces.append(data[: end.end()])
        line = data[: end.start()]
        if number := re.search(rb"\d(?=\d[^\d\n]*$)", line):
            pieces.append(data[: number.end()])
    return pieces[:-2] if data.endswith(b"\n") else pieces


@pytest.mark.parametrize("path", SMALL, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_log_cut_anywhere_states_nothing_else(path: Path) -> None:
    data = plain(path.read_bytes())
    whole = runs_of(data)
    assert whole is not None
    truth = stated(whole)
    warnings = {warning for run in whole for warning in run.warnings}
    for cut in cuts(data):
        left = runs_of(cut)
        for run in left or []:
            if not flagged(run, warnings):
                assert untrue(run, truth) == [], f"cut after {len(cut)} bytes"


@pytest.mark.parametrize("path", SMALL, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_line_lost_twice_or_garbled_never_ends_in_a_traceback(path: Path) -> None:
    lines = plain(path.read_bytes()).splitlines(keepends=True)
    for place in range(0, len(lines), max(1, len(lines) // 40)):
        before, line, after = lines[:place], lines[place], lines[place + 1 :]
        for replaced in ([], [line, line], [line[: len(line) // 2] + b"\n"], [re.sub(rb"\d", b"x", line)], [b"\0" * 9]):
            runs_of(b"".join([*before, *replaced, *after]))
