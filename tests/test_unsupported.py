"""Logs of tools that are not read: each named rightly, none of the formats that are read named at all."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

import pytest
from conftest import SHARED

from rtlat.errors import LogError
from rtlat.formats.unsupported import UNSUPPORTED, recognise
from rtlat.source import Line, Source

USAGE = "rt-tests usage or header"

# written by hand from what recorded the files; the first pattern that fits a path holds
EXPECTED = {
    # cyclictest beside a load on the same console: a format claims it before anybody asks
    "recorded/rt-tests/load_*.txt": "stress-ng without --cyclic",
    # rt-tests
    "recorded/rt-tests/tool_*.json": None,
    "recorded/rt-tests/tool_deadline_test.txt": None,  # empty
    "recorded/rt-tests/tool_hackbench*": "hackbench",
    "recorded/rt-tests/tool_pi_stress*": "pi_stress",
    "recorded/rt-tests/tool_pip_stress*": "pip_stress",
    "recorded/rt-tests/tool_ssdd*": "ssdd",
    "recorded/rt-tests/tool_hwlatdetect*": "hwlatdetect (failed)",
    "recorded/rt-tests/tool_oslat*.json": None,
    "recorded/rt-tests/tool_oslat*": USAGE,  # claimed before anybody asks: its header is all it shows here
    "recorded/rt-tests/tool_queuelat_usage.txt": USAGE,
    "recorded/rt-tests/tool_sigwaittest_json.stdout": USAGE,
    "recorded/rt-tests/tool_usage.txt": USAGE,
    "recorded/rt-tests/*": None,
    # the kernel's tracers
    "*/trace-cmd-report-*": "trace-cmd report",  # of timerlat: a format claims it before anybody asks
    # other tools
    "*/*stress-ng*": "stress-ng without --cyclic",
    "*/host-rt-app.console.txt": "rt-app console",
    "*/cip-lava-*": "LAVA without latencies",  # the format that reads it claims it before
    "*/host-bpftrace*": "bpftrace without a histogram",  # likewise
    # dual kernels: what has an RTD table belongs to the format of that table
    "*/xenomai-rtai-evl/03_*": "Xenomai switchtest",
    "*/xenomai-rtai-evl/18_*": "EVL hectic",
}
FILES = sorted(path for path in (SHARED / "logs").rglob("*") if path.is_file())


def expected(path: Path) -> str | None:
    name = path.relative_to(SHARED / "logs").as_posix()
    return next((tool for pattern, tool in EXPECTED.items() if fnmatch(name, pattern)), None)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SHARED / "logs").as_posix())
def test_each_log(path: Path) -> None:
    try:
        found = recognise(Source(path, path.name).head())
    except LogError:  # empty or binary
        found = None
    assert (found[0] if found else None) == expected(path)
    if found:
        assert found[1].text.strip()


def test_the_seeds_are_none_of_them(seeds: Path) -> None:
    documents = sorted(seeds.glob("*.txt"))
    assert len(documents) == 5
    assert [recognise(Source(path, path.name).head()) for path in documents] == [None] * 5


def test_every_pattern_of_the_table_fits_a_log() -> None:
    if not FILES:
        pytest.skip("no log collection: set RTLAT_LOGS")
    names = [path.relative_to(SHARED / "logs").as_posix() for path in FILES]
    assert [pattern for pattern in EXPECTED if not any(fnmatch(name, pattern) for name in names)] == []


# lines of tools and modes that no collected log holds, from the tools' sources and manuals
UNCOLLECTED = {
    "a trace of functions": ("# tracer: function_graph", "kernel tracer"),
    "deadline_test": ("missed deadlines  = 0", "deadline_test"),
    "pi_stress": ("Starting PI Stress Test", "pi_stress"),
    "switchbench": ("RTH|     lat min|     lat avg|     lat max|        lost", "Xenomai switchbench"),
    "rteval": ("|  rteval (v3.8)", "rteval text report"),
    "LAVA signal": ("<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=job RESULT=pass>", "LAVA without latencies"),
    "bpftrace": ("Attaching 1 probe...", "bpftrace without a histogram"),
}


@pytest.mark.parametrize(("text", "tool"), UNCOLLECTED.values(), ids=UNCOLLECTED)
def test_lines_that_no_collected_log_holds(text: str, tool: str) -> None:
    found = recognise([Line(1, "prompt$ sudo run"), Line(2, text)])
    assert found == (tool, Line(2, text))


@pytest.mark.parametrize(
    "text",
    [
        "T: 0 (12935) P:95 I:1000 C:      1 Min:     25 Act:   25 Avg:   25 Max:      25",
        "T: 0 ( 8137) P:80 I:200 C:  73055 Min:      7 Act:   13 Avg:   15 Max:     151",
        "# Histogram",
        "000012 000171\t000025",
        "       0:       1:       9",
        "RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst",
        "RTT|  00:00:01  (periodic user-mode task, 1000 us period, priority 99)",
        "warming up...",
        "Interrupt statistics",
        "0.40 1333 (2.221667)",
        "latency cycles: mean 542, max 2100, min 542",
        "[T0 Prio: 60] 2123",
        "# tracer: timerlat",
        "irqsoff latency trace v1.1.5 on 2.6.26",
        "          timerlat/0-278     [000] d....   146.029: #24    context    irq timer_latency    268464 ns",
    ],
)
def test_lines_of_what_is_read_are_nobody_elses(text: str) -> None:
    assert recognise([Line(1, text)]) is None


def test_hostile_lines_are_nobodys() -> None:
    texts = ("[000] " * 20_000, " " * 120_000, "#0: ID1, P1, " * 9_000)  # quadratic in these would be minutes
    assert recognise([Line(number, text) for number, text in enumerate(texts, 1)]) is None


def test_each_name_stands_once() -> None:
    assert len({tool.name for tool in UNSUPPORTED}) == len(UNSUPPORTED)
