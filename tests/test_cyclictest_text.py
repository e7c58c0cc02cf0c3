"""cyclictest's text against its own footers and status lines, read here by the simplest means."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, SHARED

from rtlat.errors import LogError
from rtlat.formats.cyclictest_text import FORMAT, parse
from rtlat.protocol import Run
from rtlat.source import Source

OWN = ROOT / "tests" / "data" / "cyclictest"
PATTERNS = (
    (OWN, "*"),
    (SHARED, "logs/recorded/rt-tests/*"),
    (SHARED, "logs/recorded/emulated-kernels/*/*.hist"),
    (SHARED, "logs/recorded/emulated-kernels/*/*.samples"),
    (SHARED, "logs/public/cyclictest/*"),
)
NOT_OURS = ("tool_", "MA", "SOURCES", "osadl_", "status_nobody", "status_smi", "h100_q_sigkill")
LOGS = [
    path
    for base, pattern in PATTERNS
    for path in sorted(base.glob(pattern))
    if not path.name.startswith(NOT_OURS) and path.suffix != ".json"
]
EMPTY = ("old_v0.28_h6", "old_v0.33_h6", "old_v0.39_h6")  # all lay beyond the table and were dropped
REFUSED = (*EMPTY, "histfile_q.stdout", "no_samples_int.txt", "o5_l500.txt", "typed_lkml", "version_help.txt")

FOOTER = re.compile(r"\s*# (Total|Min|Avg|Max|Histogram)(?: Latenc\w+| Overflows)?: ([\d ]+)$")
ROW = re.compile(r"\s*\d{5,6}[ ,]+\d{6}")
STATUS = re.compile(r"T: *(\d+) \( *(\d+)\) .*C: *(\d+) Min: *(-?\d+) .*Avg: *(-?\d+) Max: *(-?\d+)$")
SAMPLE = re.compile(r" *(\d+): *(\d+): *(-?\d+)$")


def shown(path: Path) -> list[str]:
    """Lines as a terminal would show them one after another."""
    data = path.read_bytes()
    text = data.decode("utf-16") if data.startswith(b"\xff\xfe") else data.decode("utf-8", "replace")
    whole = text[: text.rfind("\n") + 1]
    lines = re.split(r"\n|(?:\x1b\[\d+[AB])+", whole.replace("\r", ""))
    return [re.sub(r"^\w{3} \d\d \d\d:\d\d:\d\d \S+ cyclictest\[\d+\]: ", "", line) for line in lines]


def tables(lines: list[str]) -> list[dict[str, list[int]]]:
    """Each histogram's footer, with the sums of its rows."""
    found: list[dict[str, list[int]]] = []
    for line in lines:
        footer = FOOTER.match(line)
        if line.strip() == "# Histogram" or (ROW.match(line) and not found):
            found.append({})
        if footer and found:
            found[-1][footer[1]] = [int(number) for number in footer[2].split()]
        elif ROW.match(line):
            cells = [int(cell) for cell in re.split(r"[\s,]+", line.strip(" \t,"))][1:]
            old = found[-1].get("rows", [0] * len(cells))
            found[-1]["rows"] = [one + other for one, other in zip(old, cells, strict=True)]
    return found


def read(path: Path) -> list[Run]:
    return list(parse(Source(path, path.name)))


def text(log: str) -> list[Run]:
    return list(parse(Source(None, "log", log.encode())))


def table(run: Run, kind: str, of: str = "all") -> dict[str, dict[str, np.ndarray]]:
    """Rows of one kind by series, in the unit that was printed."""
    arrays = run.rows.arrays()
    step = run.facts["resolution"]
    chosen = (arrays["kind"] == kind) & (arrays["of"] == of)
    found = {}
    for series in dict.fromkeys(arrays["series"][chosen]):
        rows = {name: column[chosen & (arrays["series"] == series)] for name, column in arrays.items()}
        found[series] = rows | {name: rows[name] / step for name in ("low", "high", "avg")}
    return found


def known(wanted: str, unwanted: str = "no log holds this") -> list[object]:
    """The logs that hold something and not another, as parameters."""
    texts = [(path, "\n".join(shown(path))) for path in LOGS if not path.name.startswith(REFUSED)]
    return [pytest.param(path, id=path.name) for path, text in texts if wanted in text and unwanted not in text]


@pytest.mark.parametrize("path", known("# Histogram Overflows: "))
def test_histograms_say_what_their_footer_says(path: Path) -> None:
    expected = [footer for footer in tables(shown(path)) if footer]
    runs = [run for run in read(path) if run.facts["variant"] == "histogram"]
    assert len(runs) == len(expected)
    for run, footer in zip(runs, expected, strict=True):
        summaries, bins = table(run, "summary"), table(run, "bin")
        threads = len(footer.get("Min", footer["Max"]))
        for thread in range(threads):
            series, over = f"t{thread}", footer["Histogram"][thread]
            n = footer.get("Total", footer.get("rows", [0] * threads))[thread] + over
            if not n:
                assert series not in summaries
                continue
            summary = summaries[series]
            assert summary["n"].tolist() == [n]
            assert run.series[series]["n"] == n
            if footer["Max"][thread] < 2**63:
                assert summary["high"].tolist() == [footer["Max"][thread]]
                assert summary["low"].tolist() == [footer["Min"][thread] if "Min" in footer else -np.inf]
                assert summary["avg"].tolist() == footer["Avg"][thread : thread + 1] if "Avg" in footer else [np.nan]
            else:
                assert summary["low"].tolist() == [-np.inf]
                assert summary["high"].tolist() == [np.inf]
                assert np.isnan(summary["avg"]).all()
            beyond = np.isinf(bins[series]["high"]) if series in bins else np.zeros(0, bool)
            assert (bins[series]["n"][beyond].sum() if series in bins else 0) == over
            inside = footer.get("rows", [0] * (threads + 1))[thread]
            assert (bins[series]["n"][~beyond].sum() if series in bins else 0) == inside
            assert (run.facts["ended"] == "cut") == (inside + over != n)


def latest(lines: list[str]) -> list[tuple[str, int, int, int, int]]:
    """The last status line of each thread with a sample: series, n, min, avg, max; in order of its first."""
    found = {}
    for line in lines:
        if match := STATUS.match(line):
            thread, tid, *numbers = (int(number) for number in match.groups())
            found[thread, tid] = (f"t{thread}", *numbers)
    return [status for status in found.values() if status[1]]


@pytest.mark.parametrize("path", known("T: 0 (", "# Histogram"))  # whose footer is newer
def test_status_lines_say_what_the_last_of_each_thread_says(path: Path) -> None:
    found = []
    for run in read(path):
        for series, rows in table(run, "summary").items():
            n, low, avg, high = (rows[name][0] for name in ("n", "low", "avg", "high"))
            found.append((series, n, low, avg, high))
    for mine, theirs in zip(sorted(found), sorted(latest(shown(path))), strict=True):
        if theirs[3] > 10**15:  # a negative latency
            assert mine == (*theirs[:2], -np.inf, mine[3], np.inf)
            assert np.isnan(mine[3])
        else:
            assert mine == theirs


@pytest.mark.parametrize("path", known("       0:       "))
def test_samples_are_the_lines(path: Path) -> None:
    (run,) = read(path)
    by_thread = defaultdict(list)
    for line in shown(path):
        if match := SAMPLE.match(line):
            by_thread[f"t{match[1]}"].append((int(match[2]), int(match[3])))
    found = table(run, "sample", "max" if "_o5_" in path.name else "all")
    assert found.keys() == by_thread.keys()
    old = (run.facts["version"] or "9").split()[0] < "0.84" and "later" not in run.facts["version"]
    for series, lines in by_thread.items():
        if old:
            assert lines[0] == (0, 0)
            lines = [(cycle - 1, value) for cycle, value in lines[1:]]
        assert found[series]["low"].tolist() == [value for _, value in lines]
        repeated = [False] + [one[0] == other[0] for one, other in pairwise(lines)]
        assert found[series]["seq"].tolist() == [
            -1 if twice else cycle for (cycle, _), twice in zip(lines, repeated, strict=True)
        ]


@pytest.mark.parametrize("path", [pytest.param(path, id=path.name) for path in LOGS])
def test_every_log_is_claimed_and_read_or_refused(path: Path) -> None:
    assert any(mark.match(line.text) for line in Source(path, path.name).head() for mark in FORMAT.marks)
    if path.name.startswith(REFUSED):
        with pytest.raises(LogError, match=r"found .*, expected status lines, samples or a histogram"):
            read(path)
    else:
        assert all(len(run.rows) for run in read(path))
        printed = [warning for run in read(path) for warning in run.warnings if " says " in warning]
        assert bool(printed) == path.name.startswith(("bad_option", "N_h20000", "json_N_h."))  # rows were cut out


def test_other_tools_are_not_claimed(logs: Path) -> None:
    for path in (logs / "recorded" / "rt-tests").glob("tool_*"):
        if path.stat().st_size and "cyclicdeadline" not in path.name:  # prints the same notation
            head = Source(path, path.name).head()
            assert not any(mark.match(line.text) for line in head for mark in FORMAT.marks), path.name


# what the layout tells


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("old_v0.28_h30_q.txt", "0.28 to 0.44"),
        ("old_v0.46_h30_q.txt", "0.46 to 0.55"),
        ("old_v0.56_h30_q.txt", "0.56 to 0.72"),
        ("old_v0.74_H20_q.txt", "0.74 to 0.84"),
        ("old_v0.83_v.txt", "0.80 to 0.83"),
        ("old_v1.0_live.txt", "0.80 or later"),
        ("deb2.10-1_v.txt", "1.11 or later"),
        ("H5_q_overflow_many.txt", "0.85 to 2.7"),
    ],
)
def test_the_layout_bounds_the_version(name: str, version: str) -> None:
    (run,) = read(OWN / name)
    assert run.facts["version"] == version


def test_a_version_that_two_lines_leave_alone_is_told_once() -> None:
    rows = "# Histogram\n000003 000002\n"  # up to 2.7 a Total is printed, from 2.7 on a blank where nothing is listed
    foot = "# Total: 000000002\n# Min Latencies: 00003\n# Avg Latencies: 00003\n# Max Latencies: 00003\n"
    (run,) = text(f"{rows}{foot}# Histogram Overflows: 00000\n# Histogram Overflow at cycle number:\n# Thread 0: \n")
    assert run.facts["version"] == "2.7"


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.name)
        for path in LOGS
        if re.match(r"old_v|deb", path.name) and not path.name.startswith(EMPTY)
    ],
)
def test_the_bounds_hold_the_version_that_wrote_the_log(path: Path) -> None:
    major, minor = map(int, re.match(r"(?:old_v|deb)(\d+)\.(\d+)", path.name).groups())
    words = read(path)[0].facts["version"].split()
    if words:
        bounds = [tuple(map(int, word.split("."))) for word in words if word[0].isdigit()]
        assert words[-1] == "earlier" or bounds[0] <= (major, minor)
        assert words[-1] == "later" or (major, minor) <= bounds[-1]


@pytest.mark.parametrize(
    ("name", "policy", "edges"),
    [
        ("old_v0.28_h30_q.txt", "dropped", {}),
        ("old_v0.46_h6_q_overflow.txt", "clamped into last bin", {"t0": [5, 1500], "t1": [5, 1500]}),
        ("old_v0.56_h30_q.txt", "counted apart", {"t0": [30, 261], "t1": [30, 1054]}),
        ("deb2.10-1_H8_q.txt", "counted apart", {"t0": [8, 1994], "t1": [8, 1974]}),  # no row is printed at all
    ],
)
def test_beyond_the_table(name: str, policy: str, edges: dict[str, list[int]]) -> None:
    (run,) = read(OWN / name)
    assert run.facts["overflow_policy"] == policy
    open_bins = {
        series: [rows["low"][at], rows["n"][at]]
        for series, rows in table(run, "bin").items()
        if (at := int(np.argmax(np.isinf(rows["high"])))) or np.isinf(rows["high"][0])
    }
    assert open_bins == edges
    assert bool(run.warnings) == (policy == "dropped")


def test_a_clamped_table_that_clamped_nothing_still_ends_open() -> None:
    rows = "".join(f"{bucket:06} {bucket * 3:06}\t\n" for bucket in range(4))
    (run,) = text(f"# Histogram\n{rows}# Total: 000000018\n# Max Latency: 3 / 4\n")
    bins = table(run, "bin")["t0"]
    assert bins["high"].tolist() == [2, 3, np.inf]
    assert bins["n"].tolist() == [3, 6, 9]


@pytest.mark.parametrize(
    ("name", "units"),
    [("q_N_smp.txt", ["ns"]), ("q_D3_smp.txt", ["us"]), ("concatenated_us_ns.txt", ["us", "ns"])],
)
def test_padding_tells_the_unit(name: str, units: list[str]) -> None:
    runs = read(OWN / name)
    assert [run.facts["printed_unit"] for run in runs] == units
    assert {run.facts["unit_basis"] for run in runs} == {"inferred"}
    expected = latest(shown(OWN / name))
    highs = [high for run in runs for high in run.rows.arrays()["high"].tolist()]
    steps = [1 if unit == "ns" else 1000 for unit in units for _ in range(2)]
    assert highs == [status[4] * step for status, step in zip(expected, steps, strict=True)]


def test_a_squeezed_line_leaves_the_unit_open_and_a_command_tells_it() -> None:
    line = "T: 0 (2) P:80 I:1000 C:7 Min:16387 Act: 1234 Avg:20000 Max:249704\n"
    (run,) = text(line)
    assert (run.facts["printed_unit"], run.facts["unit_basis"]) == ("us", "assumed")
    assert "with -N these would be nanoseconds" in run.warnings[0]
    (run,) = text("# ./cyclictest -mSNp80 -q\n" + line)
    assert (run.facts["printed_unit"], run.facts["unit_basis"]) == ("ns", "documented")
    assert run.rows.arrays()["high"].tolist() == [249704.0]


def test_wide_fields_have_no_blanks() -> None:
    (run,) = text("T:129 (148604) P:80 I:10000 C:    197 Min:     17 Act:12345678 Avg:123456 Max:123456789\n")
    rows = table(run, "summary")["t129"]
    assert [rows[name][0] for name in ("n", "low", "avg", "high")] == [197, 17, 123456, 123456789]


def test_an_smi_column_changes_nothing() -> None:
    line = "T: 0 (2) P:80 I:1000 C:      7 Min:     17 Act:   24 Avg:   49 Max:    1074"
    (run,) = text(f"{line} SMI:       3\n")
    assert run.rows.arrays()["high"].tolist() == [1074000.0]
    (run,) = text("Thread 0 Interval: 1500\n       0:       0:      41       3\n       0:       1:      42       3\n")
    assert table(run, "sample")["t0"]["low"].tolist() == [41, 42]


# sequences


def test_a_reduced_log_holds_the_largest_of_each_group() -> None:
    (run,) = read(OWN / "v_o5_l500.txt")
    assert run.facts["variant"] == "largest of each 5 samples (-o)"
    assert set(run.rows.arrays()["of"]) == {"max"}
    assert len(run.rows) == 500 // 5


def test_a_lost_line_is_no_reduction() -> None:
    lines = [f"       0:{cycle:8}:{20 + cycle % 7:8}\n" for cycle in range(50) if cycle not in (20, 21, 40)]
    (run,) = text("Thread 0 Interval: 1500\n" + "".join(lines))
    assert set(run.rows.arrays()["of"]) == {"all"}
    assert run.warnings == ["3 cycles are missing among the samples"]


def test_a_log_without_its_head_is_no_reduction() -> None:
    (run,) = text("".join(f"       0:{cycle:8}:{20:8}\n" for cycle in range(900, 950)))
    assert set(run.rows.arrays()["of"]) == {"all"}
    assert run.warnings == []


def test_latencies_of_zero_and_less_repeat_a_cycle_number() -> None:
    (run,) = read(OWN / "negative_forced_v.txt")
    assert run.warnings == ["5 samples repeat a cycle number: a latency of 0 or less prints so, as 0"]
    assert run.rows.arrays()["n"].sum() == 100


def test_a_falling_cycle_number_begins_another_run() -> None:
    lines = [f"       {thread}:{cycle:8}:{20 + thread:8}\n" for cycle in range(9) for thread in (0, 1)]
    one, other = text("".join(lines + lines))
    assert one.rows.arrays()["low"].tolist() == other.rows.arrays()["low"].tolist()
    assert other.rows.arrays()["line"].min() == 19


def test_a_repeated_header_begins_another_run() -> None:
    log = (OWN / "deb2.10-1_v.txt").read_text()
    one, other = text(log + log)
    assert len(one.rows) == len(other.rows) == 101
    assert other.rows.arrays()["line"].min() == log.count("\n") + 6


def test_wide_cycles_negatives_and_huge_values_are_exact() -> None:
    cycles = [99_999_998, 99_999_999, 100_000_000, 100_000_001, 12_345_678_901]
    values = [17, -3, 123_456_789, 9_876_543_210, 18]
    lines = [f"       0:{cycle:8}:{value:8}\n" for cycle, value in zip(cycles, values, strict=True)]
    (run,) = text("".join(lines))
    rows = table(run, "sample")["t0"]
    assert rows["seq"].tolist() == cycles
    assert rows["low"].tolist() == values


def test_damaged_sample_lines_are_counted_not_read() -> None:
    good = "".join(f"       0:{cycle:8}:{20:8}\n" for cycle in range(9))
    for bad in (
        "       0:       9:      32       0:      10:      33\n",  # two records on a line
        "       0:       9:      3       0:      10:      33\n",  # the first of them cut
        "       0:       9:      3\n",  # cut
        "       0:       9:   3  1\n",
        "       0:       9:\0\0\0\0\0\0\0\0\n",
    ):
        (run,) = text(good + bad)
        assert run.rows.arrays()["n"].sum() == 9
        assert run.rejected.total == 1
        assert [line for _, line in run.rejected.reasons.values()] == [10]


def test_a_padded_last_line_is_whole_without_its_end() -> None:
    good = "".join(f"       0:{cycle:8}:{20:8}\n" for cycle in range(9))
    assert text(good[:-1])[0].rows.arrays()["n"].sum() == 9
    (run,) = text(good[:-2])
    assert run.rows.arrays()["n"].sum() == 8
    assert run.facts["ended"] == "cut"
    assert run.rejected.reasons == {"cut last line": [1, 9]}


def random_log(random: np.random.Generator) -> bytes:
    """Sample lines of changing widths among lines that are none."""
    kinds = random.choice(8, 300, p=[0.8, 0.05, 0.03, 0.03, 0.03, 0.02, 0.02, 0.02])
    cycle, lines = 0, []
    for kind in kinds.tolist():
        cycle += int(random.integers(1, 10 ** int(random.integers(1, 8))))
        thread, value = int(random.integers(0, 12)), int(random.integers(0, 99_999))
        line = f"{thread:8}:{cycle:8}:{value:8}"
        if kind == 1:
            line = f"{thread:8}:{cycle:8}:{-value:8}"
        elif kind == 2:
            line = line[: int(random.integers(0, len(line)))]
        elif kind == 3:
            place = int(random.integers(0, len(line)))
            line = line[:place] + random.choice(list("x: -\0\t9")) + line[place + 1 :]
        elif kind == 4:
            line = "[  12.345678] usb 1-1: new device\r"
        elif kind == 5:
            line += "\r"
        elif kind == 6:
            line = f"{thread:8}:{cycle:8}:{value * 10**7:8}"
        elif kind == 7:
            line = ""
        lines.append(line)
    return ("\n".join(lines) + "\n").encode()


@pytest.mark.parametrize("seed", range(40))
def test_blocks_read_as_a_line_at_a_time(seed: int) -> None:
    """The same lines one by one, by a regular expression that knows the widths only."""
    data = random_log(np.random.default_rng(seed))
    expected = []
    exact = re.compile(r"( {0,7}\d{1,8}):( {0,7}\d{1,18}):( {0,7}-?\d{1,19})$")
    for number, line in enumerate(data.decode().split("\n"), 1):
        match = exact.match(line.removesuffix("\r"))
        if match and all(len(field) == 8 or (len(field) > 8 and field[0] != " ") for field in match.groups()):
            expected.append((number, *map(int, match.groups())))
    found = []
    for run in parse(Source(None, "log", data)):
        rows = run.rows.arrays()
        found += zip(rows["line"].tolist(), rows["series"], (rows["low"] / 1000).tolist(), strict=True)
    late = {(line, f"t{thread}") for line, thread, cycle, value in expected if cycle == value == 0}
    assert sorted(found) == sorted(
        (line, f"t{thread}", float(value)) for line, thread, _, value in expected if (line, f"t{thread}") not in late
    )


@pytest.mark.parametrize("name", ["deb2.10-1_v.txt", "old_v0.83_v.txt", "v_o5_l500.txt", "negative_forced_v.txt"])
def test_folded_samples_are_the_same_samples(name: str) -> None:
    (run,) = read(OWN / name)
    (folded,) = parse(Source(OWN / name, name, keep=10))
    assert folded.facts["bin_edges"] == "samples"
    for of in ("all", "max"):
        for series, rows in table(run, "sample", of).items():
            values, counts = np.unique(rows["low"], return_counts=True)
            bins = table(folded, "bin", of)[series]
            assert bins["low"].tolist() == values.tolist()
            assert bins["n"].tolist() == counts.tolist()
    assert folded.warnings == run.warnings


def test_folded_samples_give_way_to_a_histogram_of_the_same_observations() -> None:
    samples = "".join(f"       0:{cycle:8}:{cycle % 3:8}\n" for cycle in range(30))
    footer = "# Total: 000000030\n# Min Latencies: 00000\n# Avg Latencies: 00001\n# Max Latencies: 00002\n"
    rows = "000000 000010\n000001 000010\n000002 000010\n"
    log = f"Max CPUs = 2\n{samples}# Histogram\n{rows}{footer}# Histogram Overflows: 00000\n"
    (run,) = parse(Source(None, "log", log.encode(), keep=10))
    assert table(run, "bin")["t0"]["n"].tolist() == [10, 10, 10]
    assert run.warnings == ["30 samples are not kept one by one: the histogram counts them too"]
    (run,) = parse(Source(None, "log", log[: log.index("000002 ")].encode(), keep=10))
    assert table(run, "bin")["t0"]["n"].tolist() == [10, 10, 10]
    assert run.facts["bin_edges"] == "samples"
    assert "the histogram is not kept: the samples are the same observations" in run.warnings


# status lines that do not agree, and several runs


def test_status_lines_are_checked_against_the_samples() -> None:
    samples = "Max CPUs = 2\n" + "".join(f"       0:{cycle:8}:{20 + cycle:8}\n" for cycle in range(9))
    line = "T: 0 (2) P:80 I:1000 C:{:7} Min:{:7} Act:   24 Avg:   24 Max:{:8}\n"
    assert text(samples + line.format(12, 18, 31))[0].warnings == []
    assert text(samples + line.format(8, 21, 27))[0].warnings == [
        "t0: line 11 says Min 21, its samples say 20",
        "t0: line 11 says Max 27, its samples say 28",
        "t0: line 11 says C 8, its samples say 9",
    ]


def test_runs_of_one_log_stay_apart() -> None:
    runs = read(OWN / "concatenated_mixed_columns.txt")
    assert [len(run.series) for run in runs] == [2, 1, 2, 1]
    assert [run.facts["ended"] for run in runs] == ["complete"] * 4


def test_a_snapshot_belongs_to_its_run() -> None:
    (run,) = read(OWN / "sigusr1.txt")
    assert [row["n"][0] for row in table(run, "summary").values()] == [3958, 2658]
    assert run.facts["ended"] == "complete"


def test_old_runs_without_a_header_are_told_apart_by_their_threads() -> None:
    log = (OWN / "q_D3_smp.txt").read_text().split("\n", 1)[1]
    again = log.replace("14625", "15001").replace("14626", "15002")
    assert [run.rows.arrays()["n"].tolist() for run in text(log + again)] == [[2984, 1995]] * 2
    assert len(text(log + log)) == 1


def test_a_run_without_a_sample_leaves_what_was_counted_to_the_next() -> None:
    silent = "prose\nT: 0 (2) P:80 I:1000 C:      0 Min:1000000 Act:    0 Avg:    0 Max:       0\n"
    (run,) = text(silent + (OWN / "q_D3_smp.txt").read_text())
    assert run.ignored.reasons == {"not of cyclictest": [1, 1]}
    with pytest.raises(LogError, match=r"found threads without a sample \(C: 0\)"):
        text(silent)


# breaks, spikes, and what stands around


def test_a_break_is_a_sample_over_the_limit() -> None:
    (run,) = read(OWN / "break_b20_h_tracefs.txt")
    assert run.facts["ended"] == "stopped at threshold"
    assert table(run, "sample", "over")["t1"]["low"].tolist() == [49]
    (run,) = text("$ sudo cyclictest -m -b30 -v\n" + (OWN / "break_b20_v.txt").read_text())
    assert table(run, "sample", "over")["t1"]["low"].tolist() == [43]
    assert run.facts["threshold"] == 30_000.0
    assert run.facts["command"] == "cyclictest -m -b30 -v"


def test_spikes_are_samples_over_the_limit() -> None:
    (run,) = read(OWN / "spike20_h.txt")
    expected = re.findall(r"T: (\d) Spike: *(\d+)", (OWN / "spike20_h.txt").read_text())
    found = table(run, "sample", "over")
    for thread in "01":
        assert found[f"t{thread}"]["low"].tolist() == [int(value) for other, value in expected if other == thread]
    assert "8 spikes are listed of 4494" in run.warnings


def test_listed_overflows_keep_their_cycle_numbers() -> None:
    (run,) = read(OWN / "H5_q_overflow_many.txt")
    over = table(run, "bin", "over")["t1"]
    assert over["seq"].tolist() == [0, 1, 2, 3, 4]
    assert over["low"].tolist() == [5] * 5
    assert np.isinf(over["high"]).all()


def test_threads_keep_their_own_interval_priority_policy_and_processor() -> None:
    (run,) = text(
        "Thread 0 using cpu 3.\npolicy: rr: loadavg: 0.1 0.2 0.3 1/2 3\n\n"
        "T: 0 (2) P:80 I:1000 C:    7 Min:     17 Act:   24 Avg:   49 Max:    1074\n"
        "T: 1 (3) P:79 I:1500 C:    5 Min:     17 Act:   24 Avg:   49 Max:    1074\n"
    )
    assert run.series["t0"] == {"priority": 80, "n": 7, "period": 1e6, "policy": "rr", "cpu": 3}
    assert run.series["t1"] == {"priority": 79, "n": 5, "period": 1.5e6, "policy": "rr"}
    assert "period" not in run.facts


def test_a_verbose_header_tells_intervals_one_distance_too_long() -> None:
    (run,) = read(OWN / "deb2.10-1_v.txt")  # -t2, so 1000 and 1500 us
    assert [series["period"] for series in run.series.values()] == [1e6, 1.5e6]
    one = "Thread 0 Interval: 1500\n       0:       0:      41\n"
    assert "period" not in text(one)[0].series["t0"]  # the distance is not printed


def test_comments_before_a_run_tell_kernel_and_processor() -> None:
    log = (
        "# model name : ARMv7 Processor rev 2 (v7l)\n# Kernel:  4.1.3-1-rt3 #2 SMP PREEMPT RT Sun Jul 26\n"
        "# /dev/cpu_dma_latency set to 0us\nT: 0 (2) P:80 I:1000 C:    7 Min:     17 Act:   24 Avg:   49 Max:    1074\n"
    )
    first, second = text(log + log.replace("PREEMPT RT", "PREEMPT").replace("(2)", "(9)"))
    assert first.facts["cpu"] == "ARMv7 Processor rev 2 (v7l)"
    assert first.facts["kernel"] == "4.1.3-1-rt3 #2 SMP PREEMPT RT Sun Jul 26"
    assert first.facts["approach"] == "PREEMPT_RT"
    assert "approach" not in second.facts


def test_words_between_the_lines_of_a_run_do_not_part_it() -> None:
    lines = (OWN / "old_v1.0_live.txt").read_text().splitlines(keepends=True)
    (run,) = text("".join([*lines[:10], "# Kernel: 6.1\n", "$ cyclictest -p80\n", *lines[10:]]))
    assert [row["n"][0] for row in table(run, "summary").values()] == [150, 101]
    assert "command" not in run.facts


def test_quoted_runs_say_so() -> None:
    line = "T: 0 (2) P:80 I:1000 C:    7 Min:     17 Act:   24 Avg:   49 Max:    1074\n"
    quoted, plain = text(f"> {line}> # Histogram\n" + line.replace("(2)", "(3)"))
    assert (quoted.quoted, plain.quoted) == (True, False)


# damage in a table


ROWS = "000011 000005\t000004\n000012 000171\t000025\n000013 000002\t000001\n"
FOOT = (
    "# Total: 000000178 000000030\n# Min Latencies: 00011 00011\n# Avg Latencies: 00011 00011\n"
    "# Max Latencies: 00013 00013\n# Histogram Overflows: 00000 00000\n"
)


@pytest.mark.parametrize(
    ("bad", "good", "reason"),
    [
        ("000012 0001x1\t000025", "000012 000171\t000025", "damaged row"),
        ("000012 00171\t000025", "000012 000171\t000025", "damaged row"),
        ("000012 000171\t9223372036854775808", "000012 000171\t000025", "damaged row"),
        ("000012 000171\t99999999999999999999999", "000012 000171\t000025", "damaged row"),
        ("000012 00017²\t000025", "000012 000171\t000025", "damaged row"),
        ("000012 000171", "000012 000171\t000025", "row of 1 counts among rows of 2"),
        ("000012 000171\t000025\t000001", "000012 000171\t000025", "row of 3 counts among rows of 2"),
        ("usb 1-1: new device", "000012 000171\t000025", "line inside the histogram that is no row"),
    ],
)
def test_a_damaged_row_shifts_nothing_and_makes_the_table_partial(bad: str, good: str, reason: str) -> None:
    (run,) = text(f"# Histogram\n{ROWS.replace(good, bad)}{FOOT}")
    assert run.rejected.reasons == {reason: [1, 3]}
    assert run.facts["ended"] == "cut"
    assert [rows["n"].tolist() for rows in table(run, "bin").values()] == [[5, 2], [4, 1]]
    assert [rows["n"].tolist() for rows in table(run, "summary").values()] == [[178], [30]]
    assert "t0: the rows add up to 7 samples, # Total (line 5) says 178" in run.warnings


def test_a_stray_line_is_harmless_where_the_total_confirms_the_rows() -> None:
    (run,) = text(f"# Histogram\nusb 1-1: new device\n{ROWS}{FOOT}")
    assert run.facts["ended"] == "complete"
    assert run.warnings == ["the histogram is damaged (line 2), but the rows add up to # Total"]
    (run,) = text(f"# Histogram\nusb 1-1: new device\n{ROWS}{FOOT}".replace("# Total: 000000178 000000030\n", ""))
    assert run.facts["ended"] == "cut"
    assert run.warnings == ["the histogram is damaged (line 2), so samples may be missing"]


def test_rows_with_a_sum_are_checked_by_it() -> None:
    rows = "000011 000005\t000004\t000009\n000012 000171\t000026\t000196\n000013 000002\t000001\t000003\n"
    (run,) = text(f"# Histogram\n{rows}")  # -H, and no footer that would tell
    assert run.rejected.reasons == {"row whose counts do not add up to its last": [1, 3]}
    assert [rows["n"].tolist() for rows in table(run, "bin").values()] == [[5, 2], [4, 1]]


def test_a_footer_that_does_not_fit_its_rows_is_told_with_both_numbers() -> None:
    (run,) = text(f"# Histogram\n{ROWS}{FOOT}".replace("# Min Latencies: 00011 00011", "# Min Latencies: 00012 00011"))
    assert "t0: Min of the rows is 11, line 6 says 12" in run.warnings
    (run,) = text(f"# Histogram\n{ROWS}{FOOT}".replace("# Max Latencies: 00013 00013", "# Max Latencies: 00013 00017"))
    assert run.warnings == ["t1: Max of the rows is 13, line 8 says 17"]
    (run,) = text(f"# Histogram\n{ROWS}{FOOT}".replace("# Avg Latencies: 00011", "# Avg Latencies: 00013"))
    assert run.warnings == ["t0: Avg of the rows is at least 11, line 7 says 13"]


def test_numbers_that_contradict_each_other_are_not_kept() -> None:
    log = f"# Histogram\n{ROWS}{FOOT}".replace("# Min Latencies: 00011 00011", "# Min Latencies: 00011 00330")
    (run,) = text(log)
    assert "t1: line 8: the minimum lies above the maximum" in run.warnings
    assert [rows["high"].tolist() for rows in table(run, "summary").values()] == [[13], [np.inf]]
    (run,) = text("T: 0 (2) P:80 I:1000 C:      7 Min:     17 Act:   24 Avg:    4 Max:    1074\n")
    assert run.warnings == ["t0: line 1: the average does not lie between minimum and maximum"]
    assert np.isnan(table(run, "summary")["t0"]["avg"]).all()


def test_the_footers_of_two_versions_are_not_mixed() -> None:
    (run,) = text(f"# Histogram\n{ROWS}{FOOT}# Max Latency: 13 / 14\n")
    assert run.rejected.reasons == {"damaged footer line": [1, 10]}
    assert run.facts["overflow_policy"] == "counted apart"


def test_a_bucket_that_does_not_rise_begins_another_table() -> None:
    one, other = text(f"# Histogram\n{ROWS}{FOOT}{ROWS}{FOOT}")
    assert one.rows.arrays()["n"].tolist() == other.rows.arrays()["n"].tolist()
    first, second = text(f"# Histogram\n{ROWS}{ROWS}{FOOT}")
    assert (first.facts["ended"], second.facts["ended"]) == ("cut", "complete")


def test_numbers_that_only_look_like_rows_are_no_histogram() -> None:
    (run,) = text("20261130 171200\n12345 1234567\n" + (OWN / "q_D3_smp.txt").read_text())
    assert run.facts["variant"] == "status lines"
    assert sum(count for count, _ in run.ignored.reasons.values()) == 2


def test_a_table_that_begins_anew_without_a_heading_is_no_quotation() -> None:
    rows = "".join(f"{bucket:06d} {bucket + 1:06d}\t{7:06d}\n" for bucket in range(6))
    runs = text(f"# Histogram\n{rows}{rows}")
    assert [(len(run.rows), run.quoted) for run in runs] == [(12, False)] * 2
