"""Histograms of BPF tools against their own rows."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest
from conftest import ROOT, SHARED

from rtlat.errors import LogError
from rtlat.formats.bpf_histogram import parse
from rtlat.protocol import Run
from rtlat.source import Source

DATA = ROOT / "tests/data/bpf"
RECORDED = SHARED / "logs/recorded/other-tools"
US = 1000.0

Bins = list[tuple[float, float, int]]


def runs(text: str) -> list[Run]:
    return list(parse(Source(None, "log", text.encode())))


def bins(run: Run) -> Bins:
    """Low and high end [us, or as printed] and count."""
    rows = run.rows.arrays()
    unit = US if run.facts["printed_unit"] == "us" else 1.0
    return [
        (low / unit, high / unit, n)
        for low, high, n in zip(*(rows[name].tolist() for name in ("low", "high", "n")), strict=True)
    ]


def printed(text: str) -> Bins:
    """The rows of bpftrace's text, K and M written out."""
    text = re.sub(r"(\d+)([KM])\b", lambda m: str(int(m[1]) * (1024 if m[2] == "K" else 1024**2)), text)
    found = re.findall(r"^\[(\d+)(?:, (\d+|\.\.\.)\)|\]) +(\d+) \|", text, re.MULTILINE)
    return [(float(low), math.inf if high == "..." else float(high or int(low) + 1), int(n)) for low, high, n in found]


@pytest.mark.parametrize("path", [DATA / "runq.txt", *RECORDED.glob("host-bpf*.txt")], ids=lambda path: path.name)
def test_text(path: Path) -> None:
    text = path.read_text()
    linear, powers = runs(text)
    assert bins(linear) + bins(powers) == printed(text)
    assert len(bins(linear)) == 21
    assert linear.facts["overflow_policy"] == "counted apart"
    for run, name in ((linear, "@lus"), (powers, "@usecs")):
        assert run.facts["variant"] == name
        assert run.facts["unit_basis"] == "assumed"
        assert run.facts["ended"] == "complete"
        assert set(run.rows.arrays()["quantity"]) == {"unknown"}


@pytest.mark.parametrize("path", [DATA / "runq.json", *RECORDED.glob("host-bpf*.json")], ids=lambda path: path.name)
def test_json(path: Path) -> None:
    text = path.read_text()
    found = [json.loads(line) for line in text.splitlines() if line.startswith('{"type": "hist"')]
    wanted = [
        [(entry["min"], entry.get("max", math.inf) + 1, entry["count"]) for entry in ranges]
        for line in found
        for ranges in line["data"].values()
    ]
    assert [bins(run) for run in runs(text)] == wanted
    assert all(run.facts["ended"] == "complete" for run in runs(text))


def test_bcc() -> None:
    (run,) = runs((DATA / "bcc-made.txt").read_text())
    rows = run.rows.arrays()
    assert bins(run) == [(0, 2, 351), (2, 4, 96), (4, 8, 437), (16, 32, 12), (0, 2, 2), (4, 8, 1)]
    assert rows["series"].tolist() == ["pid 0"] * 4 + ["pid 12929"] * 2
    assert (run.tool, run.facts["unit_basis"], run.facts["ended"]) == ("bcc", "printed", "complete")


TABLE = "@{}:\n[0]  3 |@@@ |\n[1]  0 |    |\n[2, 4)  2 |@@  |\n[4, 8)  1 |@   |\n\n"


@pytest.mark.parametrize(
    ("name", "unit"),
    [("usecs", "us"), ("wait_ns", "ns"), ("lat_ms", "ms"), ("status", "unknown"), ("bus", "unknown"), ("", "unknown")],
)
def test_the_unit_is_that_of_the_name(name: str, unit: str) -> None:
    (run,) = runs(TABLE.format(name))
    scale = {"us": 1e3, "ns": 1.0, "ms": 1e6, "unknown": 1.0}[unit]
    rows = run.rows.arrays()
    assert rows["high"].tolist() == [scale * high for high in (1, 4, 8)]
    assert set(rows["unit"]) == {"unknown" if unit == "unknown" else "ns"}
    assert run.facts["printed_unit"] == unit
    assert any("no unit is known" in warning for warning in run.warnings) == (unit == "unknown")


def test_keys_are_series_and_maps_are_runs() -> None:
    first, second, again = runs(
        TABLE.format("usecs[0]") + TABLE.format("usecs[1, bash]") + TABLE.format("ns") + TABLE.format("usecs[0]")
    )
    assert list(first.series) == ["0", "1, bash"]
    assert [run.facts["variant"] for run in (first, second, again)] == ["@usecs", "@ns", "@usecs"]
    assert any("printed more than once" in warning for warning in again.warnings)
    assert not any("printed more than once" in warning for warning in second.warnings)


def test_open_ends() -> None:
    (run,) = runs("@us:\n(..., 0)  3 |@@@ |\n[0, 10)  0 |    |\n[10, ...)  2 |@@  |\n\n")
    assert bins(run) == [(-math.inf, 0, 3), (10, math.inf, 2)]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[1]  0 |    |\n", "", "a row is missing before line 3"),
        ("[2, 4)", "[2, 3)", "a row is missing before line 5"),
        ("[4, 8)", "[3, 8)", "1 rows could not be read (the first in line 5)"),
        ("[4, 8)", "[8, 4)", "1 rows could not be read"),
        ("[2, 4)  2", "[2, 4)  x", "1 rows could not be read (the first in line 4)"),
        ("  2 |", "  99999999999999999999 |", "1 rows could not be read (the first in line 4)"),
        ("  1 |@   |\n\n", "  1 |@   |\n", "the log ends in the table"),
        ("  1 |@   |\n\n", "  1 |@   |", "1 rows could not be read"),
    ],
)
def test_a_table_with_a_row_missing_is_marked(old: str, new: str, said: str) -> None:
    text = TABLE.format("us")
    assert text.count(old) == 1
    (run,) = runs(text.replace(old, new))
    assert run.facts["ended"] == "cut"
    assert run.series["all"]["ended"] == "cut"
    assert any(said in warning for warning in run.warnings)
    assert {n for _, _, n in bins(run)} <= {3, 2, 1}


@pytest.mark.parametrize("damage", ['"count": 1.5', '"count": -1', '"count": true', '"count": "9"', '"count": 1'])
def test_damaged_json_is_left_out_and_said(damage: str) -> None:
    text = (DATA / "runq.json").read_text().replace('"count": 11440', damage)
    found = runs(text if damage[-1] != "1" or "-" in damage else text.replace("}]}}", "}]}", 1))
    assert [run.facts["variant"] for run in found] == ["@usecs"]
    assert any("a histogram that could not be read is missing" in warning for warning in found[0].warnings)


def test_hostile_json_is_an_error() -> None:
    deep = '{"type": "hist", "data": ' + '{"a": ' * 100_000
    for text in (deep, '{"type": "hist", "data": []}', '{"type": "hist", "data": {"@": [1]}}', '{"type": "hist"}'):
        with pytest.raises(LogError, match="no readable row"):
            runs(text + "\n")
