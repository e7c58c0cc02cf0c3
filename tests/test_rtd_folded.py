"""Histograms of absolute values: widths, the bin that holds all beyond, and the files of latency's -g."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from latency_tool import Tool

from rtlat.errors import LogError
from rtlat.formats._rtd_folded import Bin, Row, decode, edges, possible_widths
from rtlat.formats.rtd_table import parse
from rtlat.protocol import Run
from rtlat.source import Source

DATA = ROOT / "tests/data/xenomai"
WIDTHS = st.integers(1, 200).map(lambda hundreds: 100 * hundreds) | st.integers(1, 20_000)
SAMPLES = st.lists(st.integers(-20_000, 400_000), min_size=1, max_size=200)


def one(text: str | bytes | list[str]) -> Run:
    """Parse a log of one run."""
    if isinstance(text, list):
        text = "\n".join(text) + "\n"
    (run,) = parse(Source(None, "made.log", text if isinstance(text, bytes) else text.encode()))
    return run


def table(run: Run, kind: str, of: str = "all") -> dict[str, Any]:
    """The columns of one kind of row."""
    columns = run.rows.arrays()
    chosen = (columns["kind"] == kind) & (columns["of"] == of)
    return {name: column[chosen] for name, column in columns.items()}


@given(SAMPLES, st.integers(1, 50), st.integers(200, 9_000))
def test_each_sample_lies_within_the_bounds_of_its_rank(samples: list[int], size: int, width: int) -> None:
    counts: dict[int, Bin] = {}
    for sample in samples:  # as add_histogram does
        number = min(abs(sample) // width, size - 1)
        counts[number] = Bin(counts.get(number, Bin(0, 1)).n + 1, 1)
    low, high, n, _ = edges(counts, width, clamped=size - 1, lowest=min(samples))
    assert n.sum() == len(samples)
    assert (low[1:] >= high[:-1]).all()
    ordered = np.array(sorted(samples))
    lowest, highest = np.repeat(low, n), np.repeat(high, n)
    assert (lowest <= ordered).all()
    assert (ordered <= highest).all()


@given(
    st.lists(st.integers(0, 300_000), min_size=1, max_size=60),
    st.sampled_from([500, 1000, 1500, 2000, 2500, 5000, 9500, 10_000, 100_000]),
    st.integers(2, 300),
)
def test_the_true_width_is_always_among_the_possible_ones(values: list[int], width: int, size: int) -> None:
    numbers = [min(value // width, size - 1) for value in values]
    assert width in possible_widths([(n, n, v) for n, v in zip(numbers, values, strict=True)], top=max(numbers))


@given(st.dictionaries(st.integers(0, 299), st.integers(1, 2**31), min_size=1), WIDTHS)
def test_what_g_writes_is_decoded(counts: dict[int, int], width: int) -> None:
    first, last = min(counts), max(counts)
    texts = [f"{first * width / 1000.0:g}"]
    texts += [f"{(number + 0.5) * width / 1000.0:g}" for number in range(first, last + 1)]
    texts += [f"{(last + 1) * width / 1000.0:g}"]
    printed = [1, *(counts.get(number, 0) + 1 for number in range(first, last + 1)), 1]
    rows = [Row(text, count, line) for line, (text, count) in enumerate(zip(texts, printed, strict=True), 1)]
    found = decode(rows)
    if width % 100 == 0:
        assert (found.width, found.whole, found.strays) == (width, True, [])
    if found.width:  # six digits cannot tell every odd width
        assert found.width == width
        assert {number: counted.n for number, counted in found.bins.items()} == counts


def test_the_file_and_the_table_of_one_run_say_the_same() -> None:
    drawn = one((DATA / "gB.gnuplot").read_bytes())
    log = one((DATA / "l33_H10_B5000.txt").read_bytes())
    for column in ("low", "high", "n"):
        assert table(drawn, "bin")[column].tolist() == table(log, "bin")[column].tolist()
    assert table(drawn, "bin")["n"].tolist() == [5, 662, 1708, 666, 194, 128, 104, 331]
    assert table(drawn, "bin")["low"].tolist() == [10_000, 15_000, 20_000, 25_000, 30_000, 35_000, 40_000, 45_000]
    assert table(drawn, "bin")["high"][-1] == math.inf
    assert (drawn.facts["bin_edges"], log.facts["bin_edges"]) == ("given", "inferred")
    assert any("5000 ns wide" in warning for warning in log.warnings)
    summary = table(drawn, "summary")
    assert (summary["low"][0], summary["avg"][0], summary["high"][0]) == (13_547, 77_684, 53_116_288)
    assert summary["n"].tolist() == [-1]  # of the lines, which the file does not count
    assert (drawn.facts["ended"], drawn.facts["duration"], drawn.facts["period"]) == ("unknown", 4, 1e6)


def test_g_within_a_log_gives_its_bins(logs: Path) -> None:
    run = one((DATA / "l30_g_stdout.txt").read_bytes())
    assert table(run, "bin")["n"].sum() == 2793  # HSS|    avg|      2793|     23.788|     16.967
    mean = (table(run, "bin")["n"] * table(run, "bin")["low"]).sum() / 2793 / 1000
    assert mean == pytest.approx(23.788, abs=5e-4)
    assert len(table(run, "window")["n"]) == 2
    whole = one((logs / "recorded/xenomai-mercury/g33.gnuplot").read_bytes())
    log = one((DATA / "l33_full.txt").read_bytes())
    assert table(whole, "bin")["n"].tolist() == table(log, "bin")["n"].tolist()


def test_what_xeno_config_says_of_the_machine_is_kept() -> None:
    lines = (DATA / "gB.gnuplot").read_text().splitlines()
    about = [
        "# Xenomai version: Xenomai/cobalt v3.1",
        "# Linux board 4.4.200-xeno #3 SMP Mon Apr 13 10:00:00 CST 2020 x86_64 GNU/Linux",
        "# Kernel parameters: BOOT_IMAGE=/boot/vmlinuz isolcpus=1",
        "# Cobalt core 3.1 detected",
    ]
    facts = one([*lines[:3], *about, *lines[3:]]).facts
    assert facts["version"] == "Xenomai/cobalt v3.1"
    assert facts["kernel"] == "4.4.200-xeno #3 SMP Mon Apr 13 10:00:00 CST 2020 x86_64 GNU/Linux"
    assert facts["cmdline"] == "BOOT_IMAGE=/boot/vmlinuz isolcpus=1"


@pytest.mark.parametrize("place", range(3, 13))
def test_a_row_that_is_missing_or_damaged_makes_the_file_incomplete(place: int) -> None:
    lines = (DATA / "gB.gnuplot").read_text().splitlines()
    expected = table(one(lines), "bin")
    for changed in (lines[:place] + lines[place + 1 :], [*lines[:place], lines[place] + "x", *lines[place + 1 :]]):
        run = one(changed)
        assert run.facts["ended"] == "cut"
        rows = table(run, "bin")
        known = dict(zip(expected["low"], expected["n"], strict=True))
        assert all(known[low] == n for low, n in zip(rows["low"], rows["n"], strict=True))


def test_a_counter_that_has_wrapped_leaves_the_histogram_out() -> None:
    lines = [  # ten days at 10 kHz are 7.6e9 samples
        "# 211:04:55 (periodic user-mode task, 100 us period, priority 99)",
        "# ----lat min|----lat avg|----lat max|-overrun|---msw|",
        "#       0.343|      1.078|     23.110|       0|     0|",
        *("0 1", "0.5 1599357037", "1.5 1621130106", "2.5 56618753", "3.5 26871728", "4 1"),
    ]
    run = one(lines)
    assert len(table(run, "bin")["n"]) == 0
    assert table(run, "summary")["high"].tolist() == [23_110]
    assert any("a 32-bit counter has wrapped" in warning for warning in run.warnings)
    negative = one([*lines[:5], "1.5 -1621130106", *lines[6:]])
    assert negative.facts["ended"] == "cut"
    assert negative.rejected.total == 1


def test_the_command_line_gives_width_and_size() -> None:
    tool = Tool([[1_000, 11_900], [1_900, 5_600]] * 500, bins=40, bucket=500)
    run = one(["root@board:~# latency -h -H 24 -B 500 -T 1000", *Tool(tool.lines, bins=24, bucket=500).log(True)])
    assert run.facts["bin_edges"] == "given"
    assert table(run, "bin")["low"].tolist() == [1_000, 1_500, 5_500, 11_500]
    assert table(run, "bin")["high"].tolist() == [1_500, 2_000, 6_000, math.inf]
    inferred = one(tool.log(True))
    assert inferred.facts["bin_edges"] == "inferred"
    assert table(inferred, "bin")["high"].tolist() == [1_500, 2_000, 6_000, 12_000]


def test_a_width_that_nothing_explains_refuses_the_bins() -> None:
    log = Tool([[1_050, 90_000], [3_290, 90_000], [10_950, 90_000]], bucket=1_100).log(True)
    run = one(log)
    assert len(table(run, "bin")["n"]) == 0
    assert "folded" not in run.facts
    assert any("the histogram is left out" in warning for warning in run.warnings)
    only_bins = one([line for line in log if not line.startswith(("RTD", "RTS"))])
    assert only_bins.facts["bin_edges"] == "assumed"
    assert only_bins.facts["ended"] == "cut"


def test_a_file_without_a_head_is_not_claimed() -> None:
    with pytest.raises(LogError):
        one("10 1\n12.5 6\n17.5 663\n20 1\n")
