"""Home-made tables by declaration: against the logs they were made from, and every way a declaration can be wrong."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT

from rtlat import cards
from rtlat.errors import CardError, LogError
from rtlat.protocol import Recording
from rtlat.reading import read, read_all
from rtlat.views import evidence

DATA = ROOT / "tests" / "data"
LATENCY = 'latency = "a"\nunit = "us"\n'


def declared(folder: Path, text: str | bytes, table: str, name: str = "t.csv") -> Recording:
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    (folder / "runs.toml").write_text(f'[defaults]\nload = "idle"\n\n[runs."{name}".table]\n{table}')
    return read(folder / name)


def rows(recording: Recording, *columns: str) -> list[tuple[object, ...]]:
    return list(recording.records[list(columns)].itertuples(index=False, name=None))


def reasons(recording: Recording, which: str = "rejected_lines") -> dict[str, list[int]]:
    found: dict[str, list[int]] = json.loads(recording.runs.loc[0, which])
    return found


# against the logs that tables were made from


def test_a_table_of_samples_says_what_its_log_says() -> None:
    text = (DATA / "cyclictest" / "v_t2_q_l200.txt").read_text()
    printed = re.findall(r"^ *(\d): *(\d+): *(-?\d+) *$", text, re.MULTILINE)[:120]
    recording = read(DATA / "tables" / "wakeups.csv")
    expected = [(f"cpu {thread}", int(cycle), int(us) * 1000.0) for thread, cycle, us in printed]
    assert Counter(rows(recording, "series", "seq", "low")) == Counter(expected)
    assert (recording.records["low"] == recording.records["high"]).all()
    assert set(recording.records["quantity"]) == {"thread"}
    lines = (DATA / "tables" / "wakeups.csv").read_text().split("\n")
    for line, low in rows(recording, "line", "low"):
        assert float(lines[int(str(line)) - 1].split(";")[2].replace(",", ".")) * 1e6 == pytest.approx(low)


def test_a_table_of_bins_says_what_its_log_says() -> None:
    text = (ROOT / "data/emulated-kernels/repeats/preempt_rt-1-idle.hist").read_text()
    printed = re.findall(r"^(\d{6}) (\d+)\t(\d+)", text, re.MULTILINE)
    over = re.search(r"# Histogram Overflows: (\d+) (\d+)", text)
    assert over
    recording = read(DATA / "tables" / "overflow.txt")
    for cpu in (0, 1):
        bins = recording.records[recording.records["series"] == f"cpu{cpu}"]
        for low, high, n in rows(Recording(bins, recording.runs, recording.series), "low", "high", "n"):
            if high == math.inf:
                assert (low, n) == (1e6, int(over[cpu + 1]))
            else:
                inside = [int(row[cpu + 1]) for row in printed if low <= int(row[0]) * 1000 < high]  # type: ignore[operator]
                assert n == sum(inside)
    assert recording.runs.loc[0, "bin_edges"] == "given"


def test_a_published_histogram_as_csv(logs: Path, tmp_path: Path) -> None:
    text = (logs / "public/cyclictest/lemariva_rtkernel_model_b.csv").read_text()
    cells = [[int(cell) for cell in line.split(",")] for line in text.split("\n")[1:] if line.strip()]
    table = 'bin = "time"\ncount = ["core1", "core2", "core3", "core4"]\nunit = "us"\n'
    recording = declared(tmp_path, text, table)
    for place in (1, 2, 3, 4):
        expected = [(row[0] * 1e3, row[0] * 1e3 + 1e3, row[place]) for row in cells if row[place]]
        bins = recording.records[recording.records["series"] == f"core{place}"]
        assert list(bins[["low", "high", "n"]].itertuples(index=False, name=None)) == expected
    assert recording.runs.loc[0, "bin_edges"] == "inferred"
    assert "inferred" in recording.runs.loc[0, "warnings"]


def test_jitterdebuggers_samples_by_number(logs: Path, tmp_path: Path) -> None:
    text = (logs / "recorded/other-tools/jitterdebugger-nsec-samples/samples.csv").read_text()
    printed = [line.split(";") for line in text.split()]
    table = 'latency = 3\ntime = 2\nseries = 1\nseparator = ";"\nunit = "ns"\n'
    recording = declared(tmp_path, text, table)
    start = Fraction(printed[0][1])
    expected = [(cpu, float(value), float(Fraction(time) - start)) for cpu, time, value in printed]
    assert Counter(rows(recording, "series", "low", "time")) == Counter(expected)


# what may be declared


@pytest.mark.parametrize(
    ("text", "table", "expected"),
    [
        ("a\n4.35\n-1\n", LATENCY, [("all", 4350.0), ("all", -1000.0)]),
        ("a,b\n1,2\n3,\n", 'latency = ["a", "b"]\nunit = "ms"\n', [("a", 1e6), ("a", 3e6), ("b", 2e6)]),
        ("1 2\n3\t4\n", 'latency = [1, 2]\nseparator = "whitespace"\nunit = "ns"\n', None),
        ("5\n6\n", 'latency = 1\nseries = ["cpu3"]\nunit = "us"\n', [("cpu3", 5000.0), ("cpu3", 6000.0)]),
        ('x,a\n"one, two",7\n"say ""hi""",8\n', LATENCY, [("all", 7000.0), ("all", 8000.0)]),
        ("made by x\n# a b\n1 2\n", LATENCY + 'separator = "whitespace"\nhead = 2\n', [("all", 1000.0)]),
        ("a\tb\n1\t2\n", LATENCY + 'separator = "tab"\n', [("all", 1000.0)]),
        ("% note\n1\n% 2\n3\n", 'latency = 1\nunit = "us"\ncomment = "%"\n', [("all", 1000.0), ("all", 3000.0)]),
        ("1.2345678e-05\n+.5\n", 'latency = 1\nunit = "s"\n', [("all", 12345.678), ("all", 5e8)]),
        ("3000.000000001\n", 'latency = 1\nunit = "s"\n', [("all", 3000000000001.0)]),
        ("a\r\n1\r\n", LATENCY, [("all", 1000.0)]),
        ("a,z\n1,2\n3,4", LATENCY, [("all", 1000.0), ("all", 3000.0)]),  # the last line's own cell is whole
    ],
)
def test_layouts(tmp_path: Path, text: str, table: str, expected: list[tuple[str, float]] | None) -> None:
    recording = declared(tmp_path, text, table)
    found = rows(recording, "series", "low")
    if expected is None:
        expected = [("column 1", 1.0), ("column 1", 3.0), ("column 2", 2.0), ("column 2", 4.0)]
    assert found == expected
    assert recording.runs.loc[0, "ended"] == "unknown"
    assert recording.runs.loc[0, "unit_basis"] == "card"


def test_cycles_stay_cycles_until_the_clock_is_known(tmp_path: Path) -> None:
    recording = declared(tmp_path, "a\n332\n", 'latency = "a"\nunit = "cycles"\n')
    assert rows(recording, "low", "unit") == [(332.0, "cycles")]
    assert rows(read(tmp_path / "t.csv", cpu_mhz="166"), "low", "unit") == [(2000.0, "ns")]


def test_bins_of_a_series_column_and_a_given_width(tmp_path: Path) -> None:
    table = 'bin = "us"\ncount = "n"\nseries = "cpu"\nwidth = 0.5\nunit = "us"\n'
    recording = declared(tmp_path, "cpu,us,n\nc0,1,3\nc0,7.5,1.0\nc1,1,0\nc1,2,4\n", table)
    expected = [("c0", 1000.0, 1500.0, 3), ("c0", 7500.0, 8000.0, 1), ("c1", 2000.0, 2500.0, 4)]
    assert rows(recording, "series", "low", "high", "n") == expected


def test_many_samples_are_counted_by_value(tmp_path: Path) -> None:
    values = np.random.default_rng(1).integers(0, 50, 5000) / 10
    (tmp_path / "t.csv").write_text("a\n" + "".join(f"{value}\n" for value in values))
    (tmp_path / "runs.toml").write_text('[runs."t.csv".table]\nlatency = "a"\nunit = "us"\n')
    recording = read(tmp_path / "t.csv", keep=1000)
    counted = Counter((values * 1000).round().tolist())
    bins = recording.records[recording.records["kind"] == "bin"]
    assert dict(zip(bins["low"], bins["n"], strict=True)) == counted
    assert recording.runs.loc[0, "bin_edges"] == "samples"


# what is wrong in a table


@pytest.mark.parametrize(
    ("text", "table", "message"),
    [
        ("a\nx\n", LATENCY, r"t.csv:2: found 'x' in column 'a', expected a number, as its run card declares it; .+"),
        ("b\n1\n", LATENCY, r"t.csv:1: found no columns 'a' among 'b', expected one"),
        ("latency_us\n1\n", 'latency = "latncy_us"\nunit = "us"\n', "did you mean 'latency_us'"),
        ("a,a\n1,2\n", LATENCY, "found 2 columns 'a'"),
        ("1,2\n", 'latency = 3\nunit = "us"\n', "t.csv:1: found a row of 2 cells, expected a column 3"),
        ("a,b\n1,2,3\n", LATENCY, "t.csv:2: found a row of 3 cells, expected 2 cells"),
        ("a\n1_0\n", LATENCY, "'1_0'"),
        ("a\nnan\n", LATENCY, "'nan'"),
        ("a\n1,5\n", LATENCY, "a row of 2 cells"),
        ("a\n1.5\n", LATENCY + 'separator = ";"\ndecimal = ","\n', "'1.5'"),
        ('a\n"1\n2\n', LATENCY, "cells that cannot be read"),
        ("a\n99999999999\n", 'latency = "a"\nunit = "s"\n', "'99999999999', expected a number that a latency can have"),
        ("a\n", LATENCY, "no row of data"),
        ("", LATENCY, "no row of data"),
        ("t,n\n1,2\n2,2\n5,1\n", 'bin = "t"\ncount = "n"\nunit = "us"\n', "bins at unequal distances.+width = NUMBER"),
        ("t,n\n1,2\n", 'bin = "t"\ncount = "n"\nunit = "us"\n', "a single bin"),
        ("t,n\n1,2\n2,2\n1,1\n", 'bin = "t"\ncount = "n"\nunit = "us"\nwidth = 1\n', "t.csv:4: found a bin that over"),
        ("t,n\n1,2\n2,2\n", 'bin = "t"\ncount = "n"\nunit = "us"\nwidth = 2\n', "t.csv:3: found a bin that overlaps"),
        ("t,n\n1,0\n2,0\n", 'bin = "t"\ncount = "n"\nunit = "us"\n', "no count above 0"),
        ("t,n\n1,-2\n2,0\n", 'bin = "t"\ncount = "n"\nunit = "us"\n', "t.csv:2: found '-2' in column 'n'"),
        ("f,t,n\n3,3,1\n", 'bin = ["f", "t"]\ncount = "n"\nunit = "us"\n', "a bin from 3000 to 3000"),
    ],
)
def test_a_declaration_that_does_not_fit(tmp_path: Path, text: str, table: str, message: str) -> None:
    with pytest.raises(LogError, match=message) as caught:
        declared(tmp_path, text, table)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("x,2", "cell that is no number"),
        (",2", "empty cell"),
        ("1", "row of another length"),
        ("1,2,3", "row of another length"),
        ("9e99,2", "number out of range"),
        ("1,", "row without a series"),
    ],
)
def test_a_later_row_that_does_not_fit_is_counted(tmp_path: Path, bad: str, reason: str) -> None:
    recording = declared(tmp_path, f"a,b\n7,c\n{bad}\n8,c\n", LATENCY + 'series = "b"\n')
    assert rows(recording, "low", "line") == [(7000.0, 2), (8000.0, 4)]
    assert reasons(recording) == {reason: [1, 3]}
    assert "1 rows were not read" in recording.runs.loc[0, "warnings"]


def test_a_table_of_bins_that_lost_a_row_is_partial(tmp_path: Path) -> None:
    recording = declared(tmp_path, "t,n\n1,2\n2,x\n3,4\n", 'bin = "t"\ncount = "n"\nwidth = 1\nunit = "us"\n')
    assert recording.runs.loc[0, "ended"] == "cut"


def test_a_cut_last_line_is_no_data(tmp_path: Path) -> None:
    recording = declared(tmp_path, "z,a\n1,23\n2,4", LATENCY)
    assert rows(recording, "low") == [(23000.0,)]
    assert reasons(recording) == {"cut last line": [1, 3]}
    assert recording.runs.loc[0, "ended"] == "cut"


def test_a_column_with_a_name_for_each_row_is_not_the_series(tmp_path: Path) -> None:
    text = "a,b\n" + "".join(f"1,{number}\n" for number in range(5000))
    with pytest.raises(LogError, match="more than 4096 names in column 'b'"):
        declared(tmp_path, text, LATENCY + 'series = "b"\n')


# what is wrong in a declaration


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('latncy = "a"\nunit = "us"\n', r"runs.toml:5: unknown key 'latncy' of a table; did you mean 'latency'\?"),
        ('latency = "a"\nunit = "μsec"\n', "runs.toml:6: unit = 'μsec': expected one of ns, us, ms, s, cycles"),
        ('latency = "a"\n', "runs.toml:4: a table without a unit"),
        ('unit = "us"\n', "runs.toml:4: a table with no latency: expected either latency, or bin and count"),
        ('latency = 0\nunit = "us"\n', "runs.toml:5: latency = 0: expected columns"),
        ('latency = true\nunit = "us"\n', "latency = True"),
        ('latency = ["a", "a"]\nunit = "us"\n', "expected columns"),
        (LATENCY + 'quantity = "latency"\n', "runs.toml:7: quantity = 'latency': expected one of irq, thread"),
        (LATENCY + 'separator = ","\ndecimal = ","\n', "separator and decimal are both ','"),
        (LATENCY + "head = 0\n", "head = 0 and columns by name"),
        (LATENCY + "width = 1\n", "width: expected it with bin"),
        ('latency = ["a", "b"]\nseries = "c"\nunit = "us"\n', "expected one name for each of the 2 columns"),
        ('latency = ["a", "b"]\nseries = ["c"]\nunit = "us"\n', "expected 2 different names"),
        ('bin = ["a", "b", "c"]\ncount = "n"\nunit = "us"\n', "runs.toml:5: bin = .+ those of both ends"),
        ('bin = "a"\ncount = "n"\nunit = "us"\nwidth = 0\n', "width = 0: expected a positive number"),
        ('bin = "a"\ncount = "n"\nunit = "us"\ntime = "t"\n', "time with bin"),
        (LATENCY + 'separator = "::"\n', "one character"),
    ],
)
def test_a_bad_declaration_names_its_line(tmp_path: Path, table: str, message: str) -> None:
    with pytest.raises(CardError, match=message) as caught:
        declared(tmp_path, "a\n1\n", table)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "card",
    [
        '[defaults.table]\nlatency = "a"\nunit = "us"\n',
        '[runs."t.csv"]\ntable = 3\n',
        '[runs."t.csv#2".table]\nlatency = "a"\nunit = "us"\n',
    ],
)
def test_a_table_belongs_to_the_logs_of_a_pattern(tmp_path: Path, card: str) -> None:
    (tmp_path / "runs.toml").write_text(card)
    with pytest.raises(CardError, match=r"expected \[runs\.\"[^#]+\"\.table\] with latency = COLUMN"):
        cards.load(tmp_path / "runs.toml")


def test_an_inline_table_and_other_keys_of_the_card_go_together(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("7\n")
    (tmp_path / "runs.toml").write_text('[runs."*.csv"]\nload = "busy"\ntable = {latency = 1, unit = "us"}\n')
    recording, readings = read_all(tmp_path / "t.csv")
    assert recording.runs.loc[0, ["load", "format"]].tolist() == ["busy", "declared_table"]
    assert f"format    declared_table, by the table declared in {tmp_path}/runs.toml, line 3" in evidence(
        recording, readings
    )


# who decides


def test_the_card_decides_before_the_content_and_the_user_before_the_card(tmp_path: Path) -> None:
    log = (DATA / "cyclictest" / "q_D3_smp.txt").read_text()
    with pytest.raises(LogError, match="as its run card declares it"):
        declared(tmp_path, log, 'latency = 1\nunit = "us"\n')
    assert read(tmp_path / "t.csv", format="cyclictest_text").runs.loc[0, "format"] == "cyclictest_text"


def test_without_a_declaration_the_lines_to_write_are_shown_and_they_work(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("12\n13\n")
    with pytest.raises(LogError, match="no declared table") as caught:
        read(tmp_path / "t.csv", format="declared_table")
    assert "\n" not in str(caught.value)
    (tmp_path / "runs.toml").write_text(str(caught.value).split("beside it: ")[1])
    assert rows(read(tmp_path / "t.csv"), "low") == [(12000.0,), (13000.0,)]
