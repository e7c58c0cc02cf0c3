"""LAVA's results in their three notations."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from conftest import ROOT

from rtlat.detection import detect
from rtlat.errors import LogError
from rtlat.formats.lava_results import parse
from rtlat.protocol import Run
from rtlat.source import Source

DATA = ROOT / "tests/data/lava"


def runs(text: str) -> list[Run]:
    return list(parse(Source(None, "log", text.encode())))


def one(text: str) -> Run:
    (run,) = runs(text)
    return run


def stated(run: Run) -> list[tuple[str, str, float | None, float | None, float | None, int]]:
    """Series, quantity, min, avg, max [us] and n; what is unknown as None."""
    rows = run.rows.arrays()

    def known(name: str) -> list[float | None]:
        return [value / 1000 if math.isfinite(value) else None for value in rows[name].tolist()]

    names = rows["series"].tolist(), rows["quantity"].tolist()
    return [*zip(*names, known("low"), known("avg"), known("high"), rows["n"].tolist(), strict=True)]


def test_the_public_mail(logs: Path) -> None:
    text = (logs / "public/other-tools/cip-lava-797162-cyclictest-hackbench.txt").read_text()
    printed = dict(re.findall(r"t0-(\w+)-latency: Test passed\nMeasurement: ([\d.]+) us", text))
    run = one(text)
    assert stated(run) == [("t0", "thread", *(float(printed[name]) for name in ("min", "avg", "max")), -1)]
    assert run.tool == "cyclictest"
    assert run.facts["variant"] == "1_cyclictest"
    assert run.facts["machine"] == "r8a7743-iwg20d-q7"
    assert "4.4.302-cip71-rt41" in run.facts["note"]  # wrapped inside that number
    assert run.warnings == []


def test_result_lines() -> None:
    run = one((DATA / "result-made.txt").read_text())
    assert stated(run) == [("t0", "thread", 5, 9.25, 66, -1), ("t1", "thread", 6, 8, 724, -1)]


def test_signals_of_a_console() -> None:
    run = one((DATA / "console-made.txt").read_text())
    assert stated(run) == [("t0", "thread", 5, 9.25, 66, -1), ("t0", "irq", None, None, 31, -1)]
    assert run.warnings == ["line 5: failed a limit that is not reported: t0-max-latency"]


def test_a_mail_with_a_failed_case_and_wrapped_numbers() -> None:
    run = one((DATA / "mail-made.txt").read_text())
    assert stated(run) == [("t0", "thread", 15, 23.54, 724, -1)]
    assert run.warnings == ["line 23: failed a limit that is not reported: t0-max-latency"]
    assert run.facts["note"].endswith("imx8mp-evk_cyclictest")
    assert "somebody" not in str(run.facts)


def test_signals_as_a_mailer_encodes_them() -> None:
    text = (
        "    2022-03-13T11:46:50.853800  <8><LAVA_SIGNAL_TESTCASE TEST_CASE_ID=3Dt0-=\n"
        "max-latency RESULT=3Dpass UNITS=3Dus MEASUREMENT=3D33.0>   =\n\n\n"
    )
    assert detect(Source(None, "log", text.replace("t0-=\n", "t0-").encode()))[0].name == "lava_results"
    assert stated(one(text)) == [("t0", "unknown", None, None, 33, -1)]


def test_an_equals_sign_at_the_end_of_a_line_hides_nothing() -> None:
    run = one("A=\nt0-max-latency pass 33 us\nB=\nt0-min-latency pass 3 us\n=\n")
    assert stated(run) == [("t0", "unknown", 3, None, 33, -1)]


def test_a_number_is_not_taken_for_an_escape() -> None:
    line = "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=t0-max-latency RESULT=pass UNITS=us MEASUREMENT=33.0>\n"
    assert stated(one(line))[0][4] == 33


@pytest.mark.parametrize(
    ("suite", "quantity"),
    [("2_pmqtest", "message"), ("0_signaltest", "signal_ring"), ("rtla-timerlat", "thread"), ("x", "unknown")],
)
def test_the_suite_tells_what_was_measured(suite: str, quantity: str) -> None:
    run = one(f"Test Suite {suite}: http://x\nTest Case t1-0-max-latency: Test passed\nMeasurement: 9.0 us\n")
    assert stated(run) == [("t1-0", quantity, None, None, 9, -1)]
    assert any("no tool is named" in warning for warning in run.warnings) == (quantity == "unknown")


def test_a_result_that_comes_again_begins_another_run() -> None:
    first, second = runs("t0-max-latency pass 33 us\nt1-max-latency pass 3 us\nt0-max-latency pass 34 us\n")
    assert [len(run.rows) for run in (first, second)] == [2, 1]


def test_a_suite_is_a_run() -> None:
    case = "Test Suite {}: http://x\nTest Case t0-max-latency: Test passed\nMeasurement: 9.0 us\n"
    assert [run.tool for run in runs(case.format("cyclictest") + case.format("pmqtest"))] == ["cyclictest", "pmqtest"]


@pytest.mark.parametrize("number", ["269999981", "147000000.5"])
def test_what_is_not_plausible_is_said(number: str) -> None:
    mail = (DATA / "mail-made.txt").read_text().replace("724.0000000000", number)
    run = one(mail)
    assert any("is not plausible" in warning for warning in run.warnings)
    assert stated(run)[0][4] == float(number)


@pytest.mark.parametrize(
    "line", ["t0-max-latency pass 3x us", "t0-max-latency pass 33 lightyears", "t0-max-latency pass us"]
)
def test_a_damaged_result_is_none(line: str) -> None:
    run = one(f"t1-max-latency pass 5 us\n{line}\n")
    assert [row[0] for row in stated(run)] == ["t1"]
    assert run.rejected.reasons == {"damaged result": [1, 2]}
    with pytest.raises(LogError, match="no latency"):
        one(f"{line}\n")


def test_results_that_contradict_each_other_are_not_kept() -> None:
    run = one("t0-min-latency pass 9 us\nt0-max-latency pass 3 us\nt1-max-latency pass 5 us\n")
    assert [row[0] for row in stated(run)] == ["t1"]
    assert any("min 9 us, max 3 us, which contradict each other" in warning for warning in run.warnings)


def test_a_console_with_the_tool_s_own_output_is_the_tool_s() -> None:
    text = (
        "T: 0 (12935) P:95 I:1000 C:   1000 Min:     25 Act:   25 Avg:   25 Max:      25\nt0-max-latency pass 25 us\n"
    )
    assert detect(Source(None, "log", text.encode()))[0].name == "cyclictest_text"
