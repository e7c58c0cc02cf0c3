"""Histograms read together are those that each gives by itself, and what does not agree is left to be read so."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from conftest import SHARED
from hypothesis import given, settings
from hypothesis import strategies as st

from rtlat.assembly import Reading
from rtlat.cards import load
from rtlat.filling import fill
from rtlat.formats import cyclictest_text
from rtlat.formats.cyclictest_text import FORMAT, parse
from rtlat.protocol import Run
from rtlat.source import Source
from rtlat.together import SMALL, fill_many

REPEATS = SHARED / "logs" / "recorded" / "emulated-kernels" / "repeats"


def printed(samples: list[list[int]], rows: int, head: str = "", total: bool = True, blank: str = "") -> str:
    """What cyclictest's print_hist prints for the samples of each thread."""
    counts = [[thread.count(bucket) for thread in samples] for bucket in range(rows)]
    table = [f"{bucket:06d} " + "\t".join(f"{n:06d}" for n in row) for bucket, row in enumerate(counts)]
    over = [[cycle for cycle, value in enumerate(thread) if value >= rows] for thread in samples]
    footer = {
        "Total": [f"{sum(value < rows for value in thread):09d}" for thread in samples],
        "Min Latencies": [f"{min(thread):05d}" for thread in samples],
        "Avg Latencies": [f"{sum(thread) // len(thread):05d}" for thread in samples],
        "Max Latencies": [f"{max(thread):05d}" for thread in samples],
        "Histogram Overflows": [f"{len(cycles):05d}" for cycles in over],
    }
    lines = [f"# {name}: {' '.join(numbers)}" for name, numbers in footer.items() if total or name != "Total"]
    lines.append("# Histogram Overflow at cycle number:")
    for thread, cycles in enumerate(over):
        listed = "".join(f" {cycle:05d}" for cycle in cycles[:rows])
        others = f" # {len(cycles) - rows:05d} others" if len(cycles) > rows else ""
        lines.append(f"# Thread {thread}:{listed or blank}{others}")
    return "\n".join([*head.splitlines(), "# Histogram", *table, *lines]) + "\n"


def alone(text: bytes) -> Run:
    (run,) = parse(Source(None, "log", text))
    return run


def said(run: Run) -> tuple[object, ...]:
    """All of a run that can be compared."""
    rows = {name: column.astype(str).tolist() for name, column in run.rows.arrays().items()}
    return run.tool, rows, run.facts, run.series, run.ignored.reasons, run.rejected.reasons, run.warnings, run.quoted


@st.composite
def farms(draw: st.DrawFn) -> list[bytes]:
    """Logs of the same command."""
    rows, threads = draw(st.integers(2, 30)), draw(st.integers(1, 4))
    head = draw(st.sampled_from(["", "# /dev/cpu_dma_latency set to 0us", "Max CPUs = 4\nOnline CPUs = 4"]))
    total, blank = draw(st.booleans()), draw(st.sampled_from(["", " "]))
    value = st.integers(0, rows + draw(st.integers(0, 9)))
    samples = st.lists(st.lists(value, min_size=1, max_size=80), min_size=threads, max_size=threads)
    return [
        printed(each, rows, head, total, blank).encode() for each in draw(st.lists(samples, min_size=3, max_size=7))
    ]


@settings(max_examples=60)
@given(farms(), st.randoms(use_true_random=False))
def test_what_is_read_together_is_what_each_log_says_alone(texts: list[bytes], chance: random.Random) -> None:
    together = FORMAT.together
    assert together
    for text, run in zip(texts, together(texts), strict=True):
        assert run is None or said(run) == said(alone(text))
    bent = [_bent(text, chance) for text in texts[1:]]
    for text, run in zip(bent, together([texts[0], *texts, *bent])[len(texts) + 1 :], strict=True):
        assert run is None or said(run) == said(alone(text))


def _bent(text: bytes, chance: random.Random) -> bytes:
    """A log in which a character is another one, is missing or stands twice."""
    place = chance.randrange(len(text))
    other = chance.choice([b"0", b"1", b"7", b" ", b"\t", b"\n", b"#", b"\r"])
    return text[:place] + chance.choice([other, b"", text[place : place + 1] * 2]) + text[place + 1 :]


def farm(number: int, threads: int = 3, rows: int = 60, over: bool = True) -> list[bytes]:
    made = np.random.default_rng(7)
    most = rows + 20 if over else rows
    return [printed(made.integers(3, most, (threads, 400)).tolist(), rows).encode() for _ in range(number)]


def test_whole_logs_are_all_read_together_and_count_what_their_footers_say() -> None:
    texts = farm(40) + farm(20, threads=1, over=False)
    runs = cyclictest_text.together(texts)
    for text, run in zip(texts, runs, strict=True):
        assert run
        rows, lines = run.rows.arrays(), text.decode().splitlines()
        footer = {line[2:].split(":")[0]: line.split(":")[1].split() for line in lines if ": " in line}
        for thread, series in enumerate(run.series):
            mine = rows["series"] == series
            bins = mine & (rows["kind"] == "bin") & (rows["of"] == "all")
            inside = bins & np.isfinite(rows["high"])
            assert rows["n"][inside].sum() == int(footer["Total"][thread])
            assert rows["n"][bins & ~inside].sum() == int(footer["Histogram Overflows"][thread])
            (summary,) = np.flatnonzero(mine & (rows["kind"] == "summary"))
            ends = [rows[name][summary] / 1000 for name in ("low", "avg", "high")]
            assert ends == [int(footer[f"{name} Latencies"][thread]) for name in ("Min", "Avg", "Max")]
            buckets = [int(lines[line - 1].split()[0]) for line in rows["line"][inside]]
            assert [bucket * 1000 for bucket in buckets] == rows["low"][inside].tolist()


@pytest.mark.parametrize(
    ("of", "to"),
    [
        ("# Total: 0", "# Total: 1"),  # the rows do not add up to it
        ("# Min Latencies: 00003", "# Min Latencies: 00002"),
        ("# Max Latencies: 0", "# Max Latencies: 9"),  # more than its average allows
        ("# Avg Latencies: 0", "# Avg Latencies: 1"),
        ("# Histogram Overflows: 0", "# Histogram Overflows: 1"),
        ("# Thread 1:", "# Thread 2:"),
        ("# Thread 0: ", "# Thread 0: 00000 "),
        ("000003 0", "000002 0"),  # a bucket that does not rise
        ("000003 0", "000003 1"),
        ("# Histogram Overflow at", "# Break value: 12\n# Histogram Overflow at"),
    ],
)
def test_a_log_that_contradicts_itself_is_read_by_itself(of: str, to: str) -> None:
    texts = farm(6)
    texts[4] = texts[4].replace(of.encode(), to.encode(), 1)
    runs = cyclictest_text.together(texts)
    assert [run is None for run in runs] == [False] * 4 + [True, False]


def test_numbers_that_may_be_nanoseconds_or_are_no_latency_are_read_with_a_word() -> None:
    late = [printed([[1500, 1600], [1700, 1500]], 2000).encode()] * 4
    assert cyclictest_text.together(late) == [None] * 4
    assert "with -N these would be nanoseconds" in alone(late[0]).warnings[0]
    negative = [text.replace(b"# Max Latencies: 0", b"# Max Latencies: 18446744073709551600 0", 1) for text in farm(4)]
    assert cyclictest_text.together(negative) == [None] * 4


def filled(paths: list[Path], named: bool, one_by_one: bool) -> list[Reading]:
    readings = [Reading(Source(path, path.name), "") for path in paths]
    known = FORMAT if named else None
    if one_by_one:
        for reading in readings:
            fill(reading, known, None)
    else:
        fill_many(readings, known, [None] * len(readings))
    return readings


@pytest.mark.parametrize("named", [False, True])
def test_files_filled_together_are_those_filled_one_by_one(tmp_path: Path, named: bool) -> None:
    texts = [*farm(8), b"no log", farm(1)[0][:-40], b"", farm(1, rows=SMALL // 40)[0], *farm(5, threads=2)]
    paths = [tmp_path / f"{number}.hist" for number in range(len(texts) + 1)]
    for path, text in zip(paths, texts, strict=False):
        path.write_bytes(text)
    together, alone = (filled(paths, named, one_by_one) for one_by_one in (False, True))
    for mine, theirs in zip(together, alone, strict=True):
        assert (mine.sha256, str(mine.error), mine.claims) == (theirs.sha256, str(theirs.error), theirs.claims)
        assert [(run.format, said(run)) for run in mine.runs] == [(run.format, said(run)) for run in theirs.runs]
    assert sum(bool(reading.error) for reading in together) == 3


HEADS = (
    "# /dev/cpu_dma_latency set to 0us",
    "WARN: not setting cpu_dma_latency to improve power saving",
    "Max CPUs = 4\nOnline CPUs = 4\nThread 0 Interval: 1500\nThread 1 using cpu 1.",
    "policy: fifo: loadavg: 4.95 2.27 0.87 9/140 12937\n",
    "0.42 0.31 0.26 1/142 2525",
    "policy: other/other: loadavg: 0.94 0.46 0.20 1/236 23310",
    "WARNING: Most functions require kernel 2.6",
)


@pytest.mark.parametrize("head", HEADS)
def test_what_the_tool_prints_before_its_table_says_the_same_of_all(tmp_path: Path, head: str) -> None:
    made = np.random.default_rng(3)
    texts = [printed(made.integers(3, 30, (2, 99)).tolist(), 40, head).encode() for _ in range(4)]
    paths = [tmp_path / f"{number}.hist" for number in range(4)]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text)
    assert None not in cyclictest_text.together(texts)
    for mine, theirs in zip(filled(paths, False, False), filled(paths, False, True), strict=True):
        assert mine.claims == theirs.claims
        assert [said(run) for run in mine.runs] == [said(run) for run in theirs.runs]


@pytest.mark.parametrize(
    "head",
    [
        "...",  # lines were left out
        "T: 0 ( 2526) P:80 I:1000 C:    200 Min:     17 Act:   24 Avg:   49 Max:    1074",
        "Max Latency: 48us",  # hwlatdetect's
        "$ cyclictest -h 500 -q",  # the table may be longer than it is printed
        "       0:       0:      41",
        "> # /dev/cpu_dma_latency set to 0us",
        "[    1.250000] ",  # joined to the heading itself, below
    ],
)
def test_logs_with_other_lines_before_their_tables_are_read_by_themselves(tmp_path: Path, head: str) -> None:
    texts = [printed([[5, 7, number]], 40, head).replace("] \n", "] ").encode() for number in (8, 9, 10, 11)]
    assert cyclictest_text.together(texts) == [None] * 4


def test_recorded_repeats_of_one_command_are_read_together(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = sorted(REPEATS.glob("*.hist"))
    if not paths:
        pytest.skip("no recorded repeats here")
    texts = [path.read_bytes() for path in paths]
    runs = cyclictest_text.together(texts)
    assert sum(run is not None for run in runs) > len(runs) // 2
    for text, run in zip(texts, runs, strict=True):
        assert run is None or said(run) == said(alone(text))


def test_a_declared_table_is_not_read_as_what_it_looks_like(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.hist" for number in range(5)]
    for path, text in zip(paths, farm(5), strict=True):
        path.write_bytes(text)
    (tmp_path / "runs.toml").write_text('[runs."2.hist".table]\nlatency = 1\nunit = "us"\n')
    card = load(tmp_path / "runs.toml")
    readings = [Reading(Source(path, path.name), "") for path in paths]
    fill_many(readings, None, [card] * 5)
    names = [[known.name for known, _ in reading.claims] for reading in readings]
    assert names == [["cyclictest_text"]] * 2 + [["declared_table"]] + [["cyclictest_text"]] * 2
