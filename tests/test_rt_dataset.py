"""OSADL's RT Dataset: the published file against the json module, and what damage leaves of a small one."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

import rtlat
from rtlat.errors import LogError
from rtlat.formats.rt_dataset import FORMAT
from rtlat.protocol import Run
from rtlat.source import Source


def parse(log: str | bytes) -> list[Run]:
    return list(FORMAT.parse(Source(None, "log", log.encode() if isinstance(log, str) else log)))


def rows(run: Run, series: str, kind: str) -> list[dict[str, Any]]:
    arrays = run.rows.arrays()
    every = [dict(zip(arrays, row, strict=True)) for row in zip(*(a.tolist() for a in arrays.values()), strict=True)]
    return [row for row in every if row["series"] == series and row["kind"] == kind]


@pytest.fixture(scope="module")
def published(logs: Path) -> Path:
    return logs / "public/cyclictest/osadl_r0s8.json"


def test_the_published_one(published: Path) -> None:
    text = published.read_text("utf-8")
    lines, told = text.split("\n"), json.loads(text)
    classes, *cores = told["latency"]["cores"]
    (run,) = parse(text)
    assert list(run.series) == [f"cpu{index}" for index in range(16)]  # 17 arrays
    for index, (counts, maximum) in enumerate(zip(cores, told["latency"]["maxima"], strict=True)):
        found = rows(run, f"cpu{index}", "bin")
        assert {row["low"] / 1000: row["n"] for row in found} == {
            c: n for c, n in zip(classes, counts, strict=True) if n
        }
        assert all(row["high"] == row["low"] + 1000 for row in found)
        assert all(lines[row["line"] - 1].strip(" ,") == str(row["n"]) for row in found)
        (summary,) = rows(run, f"cpu{index}", "summary")
        assert summary["high"] == maximum * 1000
        assert summary["n"] == (-1 if maximum > 399 else sum(counts))
        assert lines[summary["line"] - 1].strip(" ,") == str(maximum)


def test_what_the_published_one_says_of_its_machine(published: Path) -> None:
    run = rtlat.read(published).runs.iloc[0]
    assert (run["tool"], run["approach"], run["approach_basis"]) == ("cyclictest", "PREEMPT_RT", "log")
    assert (run["machine"], run["cpu"]) == ("rack0slot8.osadl.org", "Intel Core i9-9900K")
    assert (run["kernel"], run["load"], run["ended"]) == ("5.15.49-rt47", "idle", "complete")
    assert run["command"] == "cyclictest -l100000000 -m -Up99 -i200 -h400 -q"
    assert run["cmdline"].startswith("BOOT_IMAGE=/vmlinuz-5.15.49-rt47 ")
    assert (run["period"], run["nominal_n"], run["duration"]) == (200_000.0, 100_000_000, 20_000.0)
    assert run["note"] == "data of 2023-06-23T12:43:23+02:00"


def test_a_core_whose_maximum_is_in_a_class_is_whole(published: Path) -> None:
    table = rtlat.summary(rtlat.read(published), ["50", "99.9999"]).set_index("series")
    assert table.loc["cpu6", "n"] == 100_000_000
    assert (table.loc["cpu6", "max"].low, table.loc["cpu6", "max"].status) == (289.0, "ok")
    assert table.loc["cpu6", "p99.9999"].status == "ok"
    assert table.loc["cpu15", "n"] == 99_999_499  # what survived
    assert (table.loc["cpu15", "max"].low, table.loc["cpu15", "p99.9999"].status) == (426.0, "partial")


DATASET: dict[str, Any] = {
    "format": {"name": "RT Dataset", "version": "1.0"},
    "timestamps": {"origin": "2026-11-30T10:00:00+01:00", "dataset": "2026-11-30T10:00:01+01:00"},
    "system": {"hostname": "board"},
    "processor": {"family": "arm", "vendor": "NXP", "type": "i.MX 93", "clock": "1700"},
    "kernel": {"version": "6.1.0", "patches": ["a.patch"], "config": ["CONFIG_HZ=250"], "cmdline": "quiet"},
    "condition": {"load": "stress CPU", "cycles": 100, "interval": 250, "cyclictest": "cyclictest -Sp98 -h4 -l100"},
    "latency": {
        "granularity": "microseconds",
        "maxima": [2, 24, 3],
        "cores": [[0, 1, 2, 3], [0, 60, 40, 0], [0, 90, 0, 9], [0, 5, 0, 90]],
    },
}


def changed(**changes: dict[str, Any] | None) -> str:
    parts = {key: value for key, value in {**DATASET, **changes}.items() if value is not None}
    return json.dumps(parts, indent=4)


def latency(**changes: Any) -> dict[str, dict[str, Any]]:
    return {"latency": {key: value for key, value in {**DATASET["latency"], **changes}.items() if value is not None}}


def condition(**changes: Any) -> dict[str, dict[str, Any]]:
    return {"condition": {**DATASET["condition"], **changes}}


def test_overflow_makes_n_unknown_and_an_early_end_does_not() -> None:
    (run,) = parse(changed())
    assert [rows(run, f"cpu{index}", "summary")[0]["n"] for index in range(3)] == [100, -1, 95]
    assert [run.series[f"cpu{index}"].get("n") for index in range(3)] == [100, None, 95]
    assert run.facts["overflow_policy"] == "dropped"
    assert len(run.warnings) == 1
    assert run.facts["cpu_mhz"] == 1700.0
    assert "approach" not in run.facts


@pytest.mark.parametrize(
    ("changes", "fact", "value"),
    [
        ({"kernel": {"version": "5.15", "config": ["CONFIG_PREEMPT_RT=y"]}}, "approach", "PREEMPT_RT"),
        ({"kernel": {"version": "4.9", "config": ["CONFIG_PREEMPT_RT_FULL=y"]}}, "approach", "PREEMPT_RT"),
        ({"kernel": {"version": "5.15", "config": ["# CONFIG_PREEMPT_RT is not set"]}}, "approach", None),
        ({"kernel": {"version": "6.1 #1 SMP PREEMPT_RT Debian"}}, "approach", "PREEMPT_RT"),
        ({"kernel": None}, "kernel", None),
        ({"processor": {"vendor": "Intel", "type": "Core", "clock": "fast"}}, "cpu_mhz", None),
        (condition(cyclictest=""), "ended", "unknown"),
        (condition(cyclictest="cyclictest -l101"), "ended", "interrupted"),
        (condition(cyclictest="cyclictest -l100 -b20"), "ended", "stopped at threshold"),
        ({"format": None, "format-test": {"name": "RT Cyclictest", "version": "1.0"}}, "variant", "RT Cyclictest 1.0"),
        (latency(granularity="nanoseconds"), "resolution", 1.0),
    ],
)
def test_facts(changes: dict[str, Any], fact: str, value: Any) -> None:
    (run,) = parse(changed(**changes))
    assert run.facts.get(fact) == value


@pytest.mark.parametrize(
    ("affinity", "names"),
    [
        ("-a2,4-5", ["cpu2", "cpu4", "cpu5"]),
        ("-a 1,0,7", ["cpu1", "cpu0", "cpu7"]),
        ("--affinity=3-5", ["cpu3", "cpu4", "cpu5"]),
        ("-a", ["cpu0", "cpu1", "cpu2"]),
        ("-a 2,3", ["cpu0", "cpu1", "cpu2"]),
        ("-a 2-3-4", ["cpu0", "cpu1", "cpu2"]),
        ("-a 0x7", ["cpu0", "cpu1", "cpu2"]),
    ],
)
def test_the_affinity_names_the_cores_where_it_lists_as_many(affinity: str, names: list[str]) -> None:
    (run,) = parse(changed(**condition(cyclictest=f"cyclictest -m {affinity} -t3")))
    assert list(run.series) == names


def test_without_maxima_a_core_is_whole_if_it_has_all_cycles() -> None:
    (run,) = parse(changed(**latency(maxima=[])))
    assert rows(run, "cpu0", "summary")[0]["high"] == math.inf
    assert rows(run, "cpu0", "summary")[0]["n"] == 100
    assert rows(run, "cpu1", "summary") == rows(run, "cpu2", "summary") == []
    assert [warning.split(": ")[1] for warning in run.warnings] == ["cpu1", "cpu2"]


def placed(text: str, message: str) -> tuple[str, str]:
    """Return the line of `text` that a message names, and the message without the place."""
    place = re.match(r"(?:log:|line )(\d+): ", message)
    assert place
    return text.split("\n")[int(place[1]) - 1].strip(" ,"), message[place.end() :]


@pytest.mark.parametrize(
    ("changes", "at", "message"),
    [
        (condition(cycles="many"), '"cycles": "many"', "found cycles many, expected a whole number"),
        (latency(granularity="micro"), '"granularity": "micro"', "found granularity 'micro', expected one of nanosec"),
        (latency(granularity=None), '"latency": {', "found no granularity, expected one of nanoseconds, micro"),
        (
            latency(cores=[[0, 6, 4], [0, 9, 9]]),
            "[",
            "found a first row that does not rise, expected the classes, such",
        ),
        (latency(cores=[]), '"cores": []', "found no complete first row of cores, expected the classes, such as"),
        (latency(cores=[[0, 1]], maxima=[]), '"cores": [', "found no observation of any core, expected counts"),
        (latency(maxima=[1, 2]), '"maxima": [', "found 2 maxima of 3 cores, expected one of each"),
        (latency(maxima=[1, 2, -3]), "-3", "found '-3' is no count, expected counts"),
        (latency(maxima=[1, 2, [3]]), "[", "found '[' is no count, expected counts"),
        (latency(cores=[[0, 1], [1, 2, 3]], maxima=[]), "[", "found 3 counts in 2 classes, expected as many as cl"),
        (latency(cores=[[0, 1], [1]], maxima=[]), "[", "found 1 counts in 2 classes, expected as many as classes"),
        (latency(cores=[[0, 1], [1, 2.5]], maxima=[]), "2.5", "found '2.5' is no count, expected counts"),
        (latency(cores=[[0, 1], [2**62, 2**62]], maxima=[]), "[", "found more than 2^63 - 1 observations, expected"),
        (latency(cores=[[0, 2**60], [1, 2]], maxima=[]), "[", "found class 1152921504606846976, expected a latency"),
    ],
)
def test_damage_is_one_line_that_says_where(changes: dict[str, Any], at: str, message: str) -> None:
    text = changed(**changes)
    with pytest.raises(LogError) as error:
        parse(text)
    line, told = placed(text, str(error.value))
    assert line == at
    assert told.startswith(message)


@pytest.mark.parametrize(
    ("changes", "at", "warning"),
    [
        (latency(maxima=[3, 24, 3]), "3", "cpu0: the maximum is 3, the highest class with a count 2"),
        (latency(maxima=[1, 24, 3]), "1", "cpu0: the maximum is 1, the highest class with a count 2"),
        (condition(cycles=99), "2", "cpu0: the classes hold 100 observations, cycles is 99"),
    ],
)
def test_a_contradiction_is_told_with_both_numbers(changes: dict[str, Any], at: str, warning: str) -> None:
    text = changed(**changes)
    (run,) = parse(text)
    assert placed(text, run.warnings[0]) == (at, warning)


def test_a_cut_dataset_gives_the_cores_that_are_complete() -> None:
    text = changed(latency=dict(sorted(DATASET["latency"].items(), key=lambda item: item[0] == "cores")))
    (whole,) = parse(text)
    bins = {name: [str(row) for row in rows(whole, name, "bin")] for name in whole.series}
    closes = [index for index in range(len(text)) if text.startswith("\n            ]", index)]
    for length in range(1, text.rindex("}")):
        complete = sum(close + 14 <= length for close in closes) - 1
        if complete < 1:
            with pytest.raises(LogError, match=r"^log(:\d+)?: found "):
                parse(text[:length])
            continue
        (run,) = parse(text[:length])
        assert run.facts["ended"] == "cut"
        assert list(run.series) == list(bins)[:complete]
        assert all([str(row) for row in rows(run, name, "bin")] == bins[name] for name in run.series)
        assert all(rows(run, name, "summary") == [] for name in run.series)
