"""Pairs of sender and receiver: every log there is against its last lines, and what damage leaves."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from conftest import ROOT, SHARED

import rtlat
from rtlat.errors import LogError
from rtlat.formats.rt_tests_pairs import FORMAT
from rtlat.protocol import Run
from rtlat.source import Source

SMALL = ROOT / "tests" / "data" / "rt-tests"
TOOLS = ("pmqtest", "ptsematest", "svsematest", "sigwaittest")
LOGS = [
    path
    for folder in (SMALL, SHARED / "logs" / "recorded" / "rt-tests")
    for tool in TOOLS
    for path in sorted(folder.glob(f"tool_{tool}*"))
    if path.suffix != ".json" and path.name != "tool_sigwaittest_json.stdout"  # it refused an option
]
BLOCK = """\
#0: ID101, P80, CPU0, I1000; #1: ID102, P80, CPU1, Cycles 300
#2: ID103, P79, CPU2, I1500; #3: ID104, P79, CPU3, Cycles 200
#1 -> #0, Min   11, Cur   44, Avg   23, Max   85
#3 -> #2, Min    6, Cur   27, Avg   25, Max  120
"""


def parse(log: str | bytes) -> list[Run]:
    return list(FORMAT.parse(Source(None, "log", log.encode() if isinstance(log, str) else log)))


def figures(run: Run) -> list[tuple[object, ...]]:
    arrays = run.rows.arrays()
    return list(zip(*(arrays[name].tolist() for name in ("series", "low", "high", "n")), strict=True))


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_log_against_its_last_lines(path: Path) -> None:
    text = path.read_text("utf-8")
    # of each number the last line holds: a dict keeps the last
    sent = {int(number) // 2: int(cycles) for number, cycles in re.findall(r"#(\d+): ID.*Cycles (\d+) *$", text, re.M)}
    last = {
        int(number) // 2: tuple(map(int, rest))
        for number, *rest in re.findall(r"-> #(\d+), Min +(\d+), Cur +\d+, Avg +(\d+), Max +(\d+)", text)
    }
    (run,) = parse(text)
    assert list(run.series) == [f"t{pair}" for pair in last]
    if "timed out" in text:
        assert figures(run) == [("t0", -math.inf, math.inf, sent[0])]
        return
    assert figures(run) == [(f"t{pair}", low * 1e3, high * 1e3, sent[pair]) for pair, (low, _, high) in last.items()]
    for found, (low, average, _) in zip(run.rows.arrays()["avg"].tolist(), last.values(), strict=True):
        assert found == max(low, average - 0.5) * 1000  # printed as int(mean + 0.5)
    assert run.rejected.total == 0
    assert run.tool == ("pmqtest" if "TO " in text else "ptsematest, svsematest or sigwaittest")


def test_the_logs_are_there() -> None:
    assert len({path.name for path in LOGS}) >= (17 if (SHARED / "logs").is_dir() else 3)


def test_cpu_priority_and_period_are_the_receivers() -> None:
    (run,) = parse(BLOCK)
    assert run.series["t1"] == {"cpu": 2, "priority": 79, "n": 200, "policy": "fifo", "period": 1_500_000.0}
    assert "period" not in parse(BLOCK.replace("I1500", "I0"))[0].series["t1"]  # of 2 s only what is below a second
    assert "policy" not in parse(BLOCK.replace("P79", "P0"))[0].series["t1"]


@pytest.mark.parametrize(
    ("before", "tool", "quantity"),
    [
        ("$ sudo ./ptsematest -p80 -t2\n", "ptsematest", "mutex"),
        ("root@board:~# svsematest -S -l300\n", "svsematest", "semaphore"),
        ("sigwaittest -t 2\n", "sigwaittest", "signal"),
        ("/usr/bin/sigwaittest\n", "sigwaittest", "signal"),
        ("We like ptsematest and its friends.\n", "ptsematest, svsematest or sigwaittest", "unknown"),
        ("$ svsematest -S\n$ ptsematest -S\n", "ptsematest, svsematest or sigwaittest", "unknown"),
        ("", "ptsematest, svsematest or sigwaittest", "unknown"),
    ],
)
def test_only_a_command_line_tells_the_tool(before: str, tool: str, quantity: str) -> None:
    (run,) = parse(before + BLOCK)
    assert (run.tool, set(run.rows.arrays()["quantity"])) == (tool, {quantity})
    assert bool(run.warnings) == (quantity == "unknown")


def test_a_card_may_say_what_was_measured(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(BLOCK)
    recording = rtlat.read(tmp_path / "a.log", quantity="mutex")
    assert set(recording.records["quantity"]) == {"mutex"}


def test_the_last_block_holds_and_another_thread_id_is_another_run() -> None:
    later = BLOCK.replace("Cycles 300", "Cycles 900").replace("Max   85", "Max   99")
    (run,) = parse(BLOCK + "\x1b[4A" + later + "\x1b[4A\x1b[4B")
    assert figures(run)[0] == ("t0", 11_000.0, 99_000.0, 900)
    runs = parse(BLOCK + BLOCK.replace("ID101", "ID201"))
    assert [len(figures(run)) for run in runs] == [2, 2]
    assert len(parse(later + BLOCK)) == 2  # it counts from the start again


def test_old_versions_print_blanks_behind_and_mails_quote() -> None:
    (run,) = parse("".join(f"> {line}   \n" for line in BLOCK.splitlines()))
    assert run.quoted
    assert figures(run) == figures(parse(BLOCK)[0])


def test_before_the_first_latency_there_is_none() -> None:
    fresh = BLOCK.replace("Min   11, Cur   44, Avg   23, Max   85", "Min   -1, Cur    0, Avg    0, Max    0")
    (run,) = parse(fresh)
    assert [series for series, *_ in figures(run)] == ["t1"]
    assert "line 3: t0 has no latency yet" in run.warnings
    with pytest.raises(LogError, match="^log: found no pair with a latency"):
        parse("\n".join(fresh.split("\n")[0:3:2]) + "\n")


@pytest.mark.parametrize(
    ("before", "after", "left"),
    [
        ("Max  120", "Max  12", ["t0"]),  # narrower than it is printed
        ("Max   85", "Max    8", ["t1"]),  # below Cur
        ("Min   11", "Min   x1", ["t1"]),
        ("#1 -> #0", "#1 -> #2", ["t1"]),
        ("#0: ID101", "#0: 101", ["t1"]),
        ("Cycles 200", "Cycles", ["t0"]),
    ],
)
def test_a_damaged_line_is_counted_and_gives_no_number(before: str, after: str, left: list[str]) -> None:
    (run,) = parse(BLOCK.replace(before, after))
    assert [series for series, *_ in figures(run)] == left
    assert run.rejected.total >= 1


def test_squeezed_blanks_are_no_damage() -> None:
    assert figures(parse(re.sub(" +", " ", BLOCK))[0]) == figures(parse(BLOCK)[0])


def test_a_cut_block_is_flagged_and_the_one_before_it_holds() -> None:
    text = (SMALL / "tool_svsematest_p80_D3.txt").read_text("utf-8")
    for end in range(len(text)):
        blocks = re.findall(r"Cycles (\d+)\n.*Min +(\d+),.*Max +(\d+)\n", text[:end])
        if not blocks:
            with pytest.raises(LogError):
                parse(text[:end])
            continue
        (run,) = parse(text[:end])
        sent, low, high = map(int, blocks[-1])
        assert figures(run) == [("t0", low * 1e3, high * 1e3, sent)]
        after = text[:end].split("\n", text[:end].count("\n"))[-1]
        begun = len(re.findall(r"Cycles \d+\n", text[:end])) > len(blocks)
        if begun or ": ID" in after:
            assert run.facts["ended"] == "cut"
