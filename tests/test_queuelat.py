"""queuelat: its log against its own figures, and tables printed as its source does from counts that are known."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from conftest import ROOT, SHARED
from hypothesis import given
from hypothesis import strategies as st

from rtlat.errors import LogError
from rtlat.formats.queuelat import FORMAT
from rtlat.protocol import Run
from rtlat.source import Source

SMALL = ROOT / "tests" / "data" / "rt-tests" / "tool_queuelat.txt"
LOGS = [SMALL, *sorted((SHARED / "logs" / "recorded" / "rt-tests").glob("tool_queuelat.txt"))]
TEXT = SMALL.read_text("utf-8")


def parse(log: str | bytes) -> list[Run]:
    return list(FORMAT.parse(Source(None, "log", log.encode() if isinstance(log, str) else log)))


def bins(run: Run) -> list[tuple[float, float, int]]:
    arrays = run.rows.arrays()
    return list(zip(*(arrays[name].tolist() for name in ("low", "high", "n")), strict=True))


def table(counts: list[int], fill: str = "") -> str:
    """Print counts of 700 ranges and of what is longer as print_all_buckets does."""
    text, dots = "", False
    for place, count in enumerate(counts):
        if place < 700 and count == counts[place + 1]:
            dots = True
            continue
        text += "...\n" if dots else ""
        end = f"{place * 100 + 99}] = {count}{fill}" if place < 700 else f"END] = {count}"
        text, dots = f"{text}[{place * 100} - {end}\n", False
    if fill or not any(counts):
        return text
    places = [place for place, count in enumerate(counts) if count]
    average = sum((place * 100 + 99) * count for place, count in enumerate(counts)) // sum(counts)
    for name, place in (("Min", places[0]), ("Max", places[-1])):
        text += f"{name} loop processing time: [{place * 100} - {place * 100 + 99}] = {counts[place]}\n"
    return f"{text}Avg loop processing time: {average}\n"


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.parent.name)
def test_the_log_against_its_own_figures(path: Path) -> None:
    text = path.read_text("utf-8")
    (run,) = parse(text)
    found = bins(run)
    least = re.search(r"Min loop processing time: \[(\d+) - \d+\] = (\d+)", text)
    most = re.search(r"Max loop processing time: \[(\d+) - \d+\] = (\d+)", text)
    average = re.search(r"Avg loop processing time: (\d+)", text)
    assert least
    assert most
    assert average
    assert (found[0][0], found[0][2]) == (float(least[1]), int(least[2]))
    assert (found[-1][0], found[-1][2]) == (float(most[1]), int(most[2]))
    total = sum(n for _, _, n in found)
    assert int(sum((low + 99) * n for low, _, n in found)) // total == int(average[1])
    assert run.series == {"all": {"n": total}}
    assert run.facts["ended"] == "unknown"  # nothing says whether -t or somebody stopped it
    assert run.warnings == ["no line default_n= before the table: these may be passes of the calibration"]


COUNTS = st.dictionaries(st.integers(0, 700), st.integers(1, 3) | st.integers(1, 10**9), max_size=20)


@given(COUNTS, st.lists(st.integers(0, 699), max_size=3))
def test_what_dots_stand_for_has_the_count_of_the_row_after_them(counts: dict[int, int], plateaus: list[int]) -> None:
    every = [counts.get(place, 0) for place in range(701)]
    for place in plateaus:  # ranges next to each other with one count are left out, too
        every[place : place + 5] = [7] * len(every[place : place + 5])
    if not any(every):
        with pytest.raises(LogError):
            parse("default_n=1 nr_packets_drain_per_block=1\n" + table(every))
        return
    (run,) = parse("default_n=1 nr_packets_drain_per_block=1\n" + table(every))
    edges = [(place * 100.0, place * 100.0 + 100 if place < 700 else math.inf) for place in range(701)]
    assert bins(run) == [(*edges[place], n) for place, n in enumerate(every) if n]
    assert (run.warnings, run.rejected.total) == ([], 0)


def test_without_an_average_dots_that_hold_passes_are_not_stated() -> None:
    every = [0] * 701
    every[40:45] = [7] * 5
    text = "default_n=1 nr_packets_drain_per_block=1\n" + table(every)
    (run,) = parse(text[: text.index("Avg")])
    assert bins(run) == [(4400.0, 4500.0, 7)]
    assert run.facts["ended"] == "cut"


def test_the_calibration_is_not_the_run() -> None:
    calibration, measured = [0] * 701, [0] * 701
    calibration[99], measured[40] = 50_000, 12
    text = "tsc_freq_ghz = 2.445000, cycles_to_ns = 0.408998\nmax_queue_len = 489\n"
    text += table(calibration, "  packetfillrates=[29 - 29]") + "default_n=81000 nr_packets_drain_per_block=268\n"
    (run,) = parse(text + table(measured) + "\n ---------------- \n")
    assert bins(run) == [(4000.0, 4100.0, 12)]
    assert run.facts["note"].endswith("2.445000 GHz")
    exceeded = "queue length exceeded:  queue_size=500 max_queue_len=489\n"
    (run,) = parse(text + exceeded + table(measured))
    assert run.facts["ended"] == "stopped at threshold"
    assert len(parse((text + table(measured)) * 2)) == 2
    with pytest.raises(LogError, match="^log: found no table of queuelat"):
        parse(text)


@pytest.mark.parametrize(
    ("before", "after", "warning"),
    [
        ("[0 - 99] = 48897\n...\n", "[0 - 99] = 48897\n", "the table is damaged (line 4)"),
        ("[47000 - 47099] = 0\n", "", "470 rows that were left out are not stated"),
        ("[47000 - 47099] = 0\n", "[47000 - 47199] = 0\n", "the table is damaged (line 5)"),
        ("[47100 - 47199] = 1\n", "[47100 - 47199] = 1x\n", "the table is damaged (line 6)"),
        ("[47100 - 47199] = 1\n", "[47100 - 47199] = 99999999999999999999\n", "the table is damaged (line 6)"),
        ("[70000 - END] = 0\n", "", "the table ends before its last row"),
        ("[0 - 99] = 48897\n...", "[0 - 99] = 4889\n...", "line 13: Avg is 99 ns, the rows say 108"),
        (
            "Max loop processing time: [47100",
            "Max loop processing time: [47000",
            "line 12: Max is 47000 ns, the rows say 47100",
        ),
    ],
)
def test_a_damaged_table_is_told_and_incomplete(before: str, after: str, warning: str) -> None:
    assert before in TEXT
    (run,) = parse(TEXT.replace(before, after, 1))
    assert any(said.startswith(warning) for said in run.warnings), run.warnings
    assert run.facts["ended"] == "cut"
    assert all(n in (48897, 4889, 1) for _, _, n in bins(run))
