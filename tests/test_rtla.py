"""rtla: every log there is against its own rows, made logs against their samples, wraps, repaints, cuts, damage."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st
from rtla_tool import Histogram, top

from rtlat.distribution import distributions
from rtlat.errors import LogError
from rtlat.formats.rtla import parse
from rtlat.protocol import Run
from rtlat.reading import read as read_paths
from rtlat.source import Source

DATA = ROOT / "tests/data/rtla"
GUEST = "recorded/other-tools/guest-6.12.117-rt"
EMULATED = "recorded/emulated-kernels/preempt_rt"
INF = math.inf
QUANTITY = {"IRQ": "irq", "Thr": "thread", "Usr": "user", "CPU": "noise"}

# path below the log collection: seconds, CPUs, width of a bin, lowest end of what lies beyond [us], how it ended
HISTOGRAMS = {
    f"{GUEST}/rtla61-osnoise-hist.txt": (6, 2, 1, 249, "complete"),
    f"{GUEST}/rtla61-timerlat-hist.txt": (8, 2, 1, 256, "complete"),
    f"{GUEST}/rtla612-osnoise-hist-b100-E20.txt": (6, 2, 100, 2000, "complete"),
    f"{GUEST}/rtla612-osnoise-hist.txt": (8, 2, 1, 241, "complete"),
    f"{GUEST}/rtla612-timerlat-hist-ns-b10000-E50.txt": (6, 2, 10, 500, "complete"),
    f"{GUEST}/rtla612-timerlat-hist-noirq-nosummary.txt": (5, 1, 1, 256, "complete"),
    f"{GUEST}/rtla612-timerlat-hist-u.txt": (7, 2, 1, 256, "complete"),
    f"{GUEST}/rtla612-timerlat-hist.txt": (11, 2, 1, 256, "complete"),
    # one label, 60: bins may be 60 us wide, and what lies beyond is above 60
    f"{GUEST}/rtla612-timerlat-hist-auto.txt": (2, 1, 60, 61, "stopped at threshold"),
    f"{EMULATED}/rtla-osnoise-idle.txt": (8, 2, 1, 256, "complete"),
    f"{EMULATED}/rtla-timerlat-idle.txt": (15, 2, 1, 256, "complete"),
    f"{EMULATED}/rtla-timerlat-load.txt": (15, 2, 1, 256, "complete"),
}
TOPS = {
    f"{GUEST}/rtla61-timerlat-top-q.txt": 6,
    f"{GUEST}/rtla612-timerlat-top-q.txt": 6,
    f"{GUEST}/rtla612-timerlat-top-u-q.txt": 6,
}
# by hand: CPU -> Max Single [us]
NOISE_TOPS = {
    f"{GUEST}/rtla61-osnoise-top-q.txt": (5, {0: 47288, 1: 47160}),
    f"{GUEST}/rtla612-osnoise-top-q.txt": (6, {0: 18663, 1: 29336}),
}

Statement = tuple[Any, ...]


def read(text: str | bytes) -> list[Run]:
    return list(parse(Source(None, "made.txt", text if isinstance(text, bytes) else text.encode())))


def one(text: str | bytes) -> Run:
    (run,) = read(text)
    return run


def rows(run: Run, series: str = "", quantity: str = "", kind: str = "") -> list[Statement]:
    """Low, high, n and avg of the rows asked for."""
    arrays = run.rows.arrays()
    names = ("series", "quantity", "kind", "low", "high", "n", "avg")
    return [
        row[3:]
        for row in zip(*(arrays[name].tolist() for name in names), strict=True)
        if all(not asked or asked == found for asked, found in zip((series, quantity, kind), row, strict=False))
    ]


def series_of(run: Run) -> set[tuple[str, str]]:
    arrays = run.rows.arrays()
    return set(zip(arrays["series"].tolist(), arrays["quantity"].tolist(), strict=True))


def table(text: str) -> tuple[list[tuple[str, str]], dict[int, list[int]], dict[str, list[str]], int]:
    """A log's columns, rows, what stands below the rows, and its unit [ns], by the simplest means."""
    heads = [(f"cpu{int(cpu)}", QUANTITY[name]) for name, cpu in re.findall(r"(IRQ|Thr|Usr|CPU)-(\d+)", text)]
    body = {int(label): [int(n) for n in cells.split()] for label, cells in re.findall(r"(?m)^(\d+) ([\d ]+)$", text)}
    below = text.split("ALL:")[0]
    footer = {word: cells.split() for word, cells in re.findall(r"(?m)^(over|count|min|avg|max):(.*)$", below)}
    return heads, body, footer, 1 if "nanoseconds" in text else 1000


@pytest.mark.parametrize("name", HISTOGRAMS)
def test_each_histogram_states_what_its_rows_print(logs: Path, name: str) -> None:
    text = (logs / name).read_text()
    seconds, cpus, width, beyond, ended = HISTOGRAMS[name]
    heads, body, footer, unit = table(text)
    run = one(text)
    assert (run.facts["duration"], len(run.series), run.facts["ended"]) == (seconds, cpus, ended)
    assert run.facts["resolution"] == (width * 1000 if "osnoise" in name else unit)
    assert (run.facts["bin_edges"], run.rejected.total) == ("inferred", 0)
    assert any("bucket size" in warning for warning in run.warnings)
    assert series_of(run) == {
        head for place, head in enumerate(heads) if footer.get("count", ["1"] * len(heads))[place] != "0"
    }
    for place, head in enumerate(heads):
        bins = {low: (high, n) for low, high, n, _ in rows(run, *head, "bin")}
        over = int(footer["over"][place])
        if over:
            assert bins.pop(beyond * 1000.0) == (INF, over)
        assert {low: n for low, (_, n) in bins.items()} == {
            label * unit: counts[place] for label, counts in body.items() if counts[place]
        }
        assert all(high - low == width * 1000 for low, (high, _) in bins.items())
        if "count" not in footer or footer["count"][place] == "0":
            assert not rows(run, *head, "summary")
            continue
        assert over + sum(n for _, n in bins.values()) == int(footer["count"][place])
        low, average, high = (footer[word][place] for word in ("min", "avg", "max"))
        ((found_low, found_high, n, found),) = rows(run, *head, "summary")
        assert (found_low, found_high, n) == (int(low) * unit, int(high) * unit, int(footer["count"][place]))
        assert math.isnan(found) if head[1] == "noise" else found == int(average) * unit


@pytest.mark.parametrize("name", TOPS)
def test_each_table_of_timerlat_top(logs: Path, name: str) -> None:
    text = (logs / name).read_text()
    run = one(text)
    expected = set()
    for cpu, count, cells in re.findall(r"(?m)^ +(\d+) #(\d+) +\|(.*)$", text):
        for quantity, part in zip(("irq", "thread", "user"), cells.split("|"), strict=False):
            _, low, average, high = (int(cell) * 1000.0 for cell in part.split())
            expected.add((f"cpu{cpu}", quantity, low, high, int(count) if quantity == "irq" else -1, average))
    assert expected
    assert {(*head, *row) for head in series_of(run) for row in rows(run, *head, "summary")} == expected
    assert len(rows(run)) == len(expected)
    assert (run.facts["duration"], run.facts["ended"], run.warnings) == (TOPS[name], "complete", [])
    assert run.tool == "rtla timerlat"


@pytest.mark.parametrize("name", NOISE_TOPS)
def test_each_table_of_osnoise_top(logs: Path, name: str) -> None:
    seconds, largest = NOISE_TOPS[name]
    run = one((logs / name).read_bytes())
    assert (run.tool, run.facts["duration"], run.facts["ended"]) == ("rtla osnoise", seconds, "complete")
    for cpu, noise in largest.items():
        ((low, high, n, average),) = rows(run, f"cpu{cpu}", "noise")
        assert (low, high, n, math.isnan(average)) == (-INF, noise * 1000.0, -1, True)
    assert any("Max Single" in warning for warning in run.warnings)


# -- forms with something missing, read by hand


def test_without_labels_only_what_is_below_the_rows_is_read() -> None:
    run = one((DATA / "rtla612-timerlat-hist-noindex-withzeros.txt").read_bytes())
    assert series_of(run) == {(f"cpu{cpu}", quantity) for cpu in (0, 1) for quantity in ("irq", "thread", "user")}
    assert rows(run, "cpu0", "irq") == [(14_000, 29_571_000, 3384, 290_000)]
    assert rows(run, "cpu1", "user") == [(71_000, 29_579_000, 3393, 367_000)]
    assert run.rejected.reasons == {"row without a label": [20, 5]}
    assert "no labels (--no-index)" in run.warnings[0]


def test_without_labels_and_summary_nothing_tells_which_row_is_which() -> None:
    samples = {0: ([1000, 2000], [3000, 4000])}
    with pytest.raises(LogError, match="rows without labels that do not add up"):
        read(Histogram(samples, index=False, zeros=True, summary=False).text())


def test_no_noise_is_a_run_without_a_series() -> None:
    for text in (
        (DATA / "rtla612-osnoise-hist-T500ms-empty.txt").read_text(),
        "# RTLA osnoise histogram\n# Time unit is microseconds (us)\n# Duration:   0 00:00:05\n"
        "Index\nover: \ncount:\nmin:  \navg:  \nmax:  \n",  # before 6.11
    ):
        run = one(text)
        assert (len(run.rows), run.series, run.facts["ended"], run.facts["duration"]) == (0, {}, "complete", 5)
        assert run.warnings == ["no noise above the tracer's threshold: there is nothing to count"]


def test_zeros_below_columns_of_cpus_are_no_measurement() -> None:
    # 6.12 prints them where all noise lies beyond the histogram; a CPU without noise has no column
    text = (DATA / "rtla612-osnoise-hist-T500ms-empty.txt").read_text()
    with pytest.raises(LogError, match="columns of CPUs, but no observation"):
        read(text.replace("Index", "Index   CPU-000   CPU-001"))


def test_a_table_of_top_without_a_row_is_refused() -> None:
    with pytest.raises(LogError, match="a table without a readable row"):
        read((DATA / "rtla612-osnoise-top-auto.txt").read_bytes())


def test_an_excerpt_of_a_mail_keeps_its_summary(logs: Path) -> None:
    run = one((logs / "public/other-tools/lkml-rtla-osnoise-hist-avg0-bug.txt").read_bytes())
    assert rows(run, "column1", "noise")[0][:3] == (1000, 2_955_000, 5629)
    assert rows(run, "column2", "noise")[0][:3] == (1000, 56_000, 1364)
    assert (run.facts["duration"], run.facts["ended"]) == (60, "cut")
    assert run.rejected.reasons == {"rows left out": [1, 4]}
    # the bug it reports: an average of 0 where nothing was below 1
    assert sum("avg is 0, not within" in warning for warning in run.warnings) == 2


def test_without_a_header_nobody_knows_cpu_and_unit() -> None:
    samples = {0: ([1500, 2500, 9000], [4000, 5000, 9000]), 3: ([7000], [9000])}
    run = one(Histogram(samples, header=False).text())
    # the lines after ALL: name the contexts
    assert list(run.series) == ["column1", "column2", "column3", "column4"]
    assert series_of(run) == {
        (f"column{place}", quantity) for place, quantity in enumerate(("irq", "thread", "irq", "thread"), 1)
    }
    assert (run.facts["unit_basis"], run.facts["printed_unit"]) == ("assumed", "us")
    assert any("the unit is not in the log" in warning for warning in run.warnings)
    older = one(Histogram(samples, header=False, everyone=False).text())
    assert series_of(older) == {(f"column{place}", "unknown") for place in range(1, 5)}


def test_without_header_and_summary_an_over_line_must_be_there() -> None:
    text = Histogram({0: ([1500, 2500], [4000, 5000])}, header=False, summary=False).text()
    assert sum(n for _, _, n, _ in rows(one(text))) == 4
    with pytest.raises(LogError, match="no table"):
        read(text.split("over:")[0])


# -- against samples

CONTEXT = st.lists(st.integers(0, 40_000), max_size=12)
SAMPLES = st.dictionaries(st.integers(0, 70), st.tuples(CONTEXT, CONTEXT, CONTEXT), min_size=1, max_size=4).filter(
    lambda samples: any(any(contexts) for contexts in samples.values())
)


@settings(max_examples=150, deadline=None)
@given(SAMPLES, st.sampled_from((1, 2, 5, 100, 3000)), st.integers(10, 40), st.data())
def test_every_row_is_true_of_the_samples(
    samples: dict[int, tuple[list[int], list[int], list[int]]], bucket: int, entries: int, data: st.DataObject
) -> None:
    noise, nano, summary, zeros = (data.draw(st.booleans(), label=name) for name in ("noise", "ns", "summary", "zeros"))
    if noise:
        samples = {cpu: (contexts[0], [], []) for cpu, contexts in samples.items() if contexts[0]}
        nano = False
    log = Histogram(
        {cpu: contexts[: 1 if noise else 3] for cpu, contexts in samples.items()},
        bucket, entries, nano, noise, summary=summary, zeros=zeros,
    )  # fmt: skip
    if not samples:
        return
    run = one(log.text())
    truth = {
        (f"cpu{cpu}", QUANTITY[name]): [value if nano else value // 1000 * 1000 for value in samples[cpu][place]]
        for cpu in samples
        for place, name in enumerate(("CPU",) if noise else ("IRQ", "Thr", "Usr"))
    }
    assert series_of(run) == {head for head, values in truth.items() if values}
    assert run.facts["ended"] == "complete"
    for head, values in truth.items():
        bins = rows(run, *head, "bin")
        assert sum(n for _, _, n, _ in bins) == len(values)
        for low, high, n, _ in bins:
            inside = sum(low <= value < high for value in values)
            if high < INF:
                assert inside == n
            elif n != inside:  # what is surely beyond may begin below where it does
                beyond = bucket * entries * (1 if nano else 1000)
                assert n == sum(value >= beyond for value in values) <= inside
        for low, high, n, _ in rows(run, *head, "summary"):
            step = run.facts["resolution"] if noise else 1
            assert n == len(values)
            assert low <= min(values) < low + step
            assert high <= max(values) < high + step


def test_contexts_and_cpus_stand_where_the_header_says() -> None:
    run = one(Histogram({3: ([1000], [2000], []), 7: ([], [], []), 12: ([5000], [6000], [7000])}).text())
    assert run.series == {"cpu3": {"cpu": 3}, "cpu12": {"cpu": 12}}
    assert series_of(run) == {(cpu, quantity) for cpu in ("cpu3", "cpu12") for quantity in ("irq", "thread")} | {
        ("cpu12", "user")
    }
    assert run.facts["duration"] == 93_784


def test_a_histogram_whose_rows_are_all_printed_tells_its_bins() -> None:
    run = one(Histogram({0: ([25_000], [300_000])}, bucket=10, entries=12, zeros=True).text())
    assert rows(run, "cpu0", "irq", "bin") == [(20_000, 30_000, 1, pytest.approx(math.nan, nan_ok=True))]
    assert rows(run, "cpu0", "thread", "bin")[0][:3] == (120_000, INF, 1)


def test_bins_of_few_labels_may_be_narrower() -> None:
    # 5 us wide in truth, but the labels are 100 and 200
    text = Histogram({0: ([101_000, 201_000, 230_000], [])}, bucket=5, entries=45).text()
    run = one(text)
    assert [row[:3] for row in rows(run, "cpu0", "irq", "bin")] == [(100_000, 200_000, 1), (200_000, INF, 2)]
    assert "at most, there are few labels" in run.warnings[0]


# -- counters that passed 2^31


def test_a_bin_that_wrapped_is_repaired_by_its_count() -> None:
    samples = {0: ([1000, 1500, 1600, 2000], [3000, 4000, 5000, 6000])}
    run = one(Histogram(samples, times=800_000_000).text())
    assert [n for _, _, n, _ in rows(run, "cpu0", "irq", "bin")] == [2_400_000_000, 800_000_000]
    assert [n for _, _, n, _ in rows(run, "cpu0", "thread", "bin")] == [800_000_000] * 4
    ((low, high, n, average),) = rows(run, "cpu0", "irq", "summary")
    assert (low, high, n) == (1000, 2000, 3_200_000_000)
    assert math.isnan(average)  # divided by a count that wrapped, as an int
    assert "cpu0 irq: 1 counters passed 2^31" in run.warnings[1]
    assert run.facts["ended"] == "complete"


def test_a_count_that_wrapped_is_what_the_bins_add_up_to() -> None:
    samples = {0: ([1000, 2000, 3000, 4000],)}
    run = one(Histogram(samples, times=600_000_000, noise=True, narrow_count=True).text())
    assert [n for _, _, n, _ in rows(run, "cpu0", "noise", "summary")] == [2_400_000_000]
    assert any("count: passed 2^31 and printed -1894967296" in warning for warning in run.warnings)


@pytest.mark.parametrize(("times", "narrow"), [(3_000_000_000, True), (5_000_000_000, False)])
def test_counters_that_wrapped_in_more_than_one_way_are_not_counts(times: int, narrow: bool) -> None:
    # 6,000,000,000 in two bins, of which count: keeps 1,705,032,704; or 10,000,000,000, each bin wrapped twice
    run = one(Histogram({0: ([1000, 2000],)}, times=times, noise=True, narrow_count=narrow).text())
    assert not rows(run, "cpu0", "noise", "bin")
    assert run.rejected.total == 2
    assert run.facts["ended"] == "cut"
    assert any("does not tell how often" in warning for warning in run.warnings)
    assert [n for _, _, n, _ in rows(run, "cpu0", "noise", "summary")] == [-1 if narrow else 10_000_000_000]


def test_a_wrapped_bin_without_count_is_not_read() -> None:
    samples = {0: ([1000, 1500, 2000], [4000, 5000, 6000])}
    run = one(Histogram(samples, times=1_500_000_000, summary=False).text())
    assert series_of(run) == {("cpu0", "thread")}
    assert any("no count: tells how often" in warning for warning in run.warnings)


# -- what the tool says of itself, contradicted

PLAIN = Histogram({0: ([1500, 2500, 9000], [4000, 5000, 9000]), 3: ([7000], [9000])}).text()


@pytest.mark.parametrize(
    ("old", "new", "warning"),
    [
        ("count:        3         3", "count:        4         3", "the rows add up to 3 observations, count: says 4"),
        ("min:          1         4", "min:          2         4", "min is 2, the lowest row 1"),
        ("max:          9         9", "max:         19         9", "max is 19, the highest row 9"),
        ("avg:          4         6", "avg:          7         6", "avg is 7, the rows allow 4.00 to 4.00"),
        ("avg:          4         6", "avg:         44         6", "avg is 44, not within min 1 and max 9"),
        ("min:          1         4", "min:         91         4", "min 91 is above max 9"),
        ("count:        4         4", "count:        5         4", "ALL: says irq count 5, the columns 4"),
        ("max:          9         9 \n", "max:          9         8 \n", "ALL: says thread max 8, the columns 9"),
    ],
)
def test_a_contradiction_is_named_with_both_numbers(old: str, new: str, warning: str) -> None:
    assert old in PLAIN
    assert not one(PLAIN).warnings[1:]
    run = one(PLAIN.replace(old, new, 1))
    assert any(warning in said for said in run.warnings)


def test_an_average_that_its_rows_contradict_is_not_kept() -> None:
    run = one(PLAIN.replace("avg:          4         6", "avg:          7         6"))
    assert math.isnan(rows(run, "cpu0", "irq", "summary")[0][3])


def test_a_label_off_the_bins_does_not_make_them_narrower() -> None:
    values = [label * 10_000 for label in range(20)]
    text = Histogram({0: (values, [])}, bucket=10).text()
    run = one(re.sub(r"(?m)^130 ", "131 ", text))
    assert run.rejected.reasons == {"label off the bins": [1, 18]}
    assert {high - low for low, high, _, _ in rows(run, "cpu0", "irq", "bin")} == {10_000}
    assert run.facts["ended"] == "cut"


def test_events_that_the_tool_missed_are_told() -> None:
    run = one(PLAIN + "7 (0.02%) events missed, results might not be accurate\n")
    assert "line 21: 7 (0.02%) events missed, results might not be accurate" in run.warnings


def test_the_kernels_table_of_noises_may_have_been_full() -> None:
    run = one(Histogram({0: ([1_000_000 + 1000 * place for place in range(2100)] + [1000],)}, noise=True).text())
    assert any("there may be 2101 different values" in warning for warning in run.warnings)


# -- command lines, stops, several tables


def test_a_command_line_before_the_table_tells_limit_period_and_bins() -> None:
    # 5 us wide in truth, but the labels are 100 and 200
    text = Histogram({0: ([101_000, 201_000, 230_000], [])}, bucket=5, entries=45).text()
    run = one(
        f"[root@box ~]# rtla timerlat hist -d 10m -p 250 -b 5 -E 45 -T 400\n{text}rtla timerlat hit stop tracing\n"
    )
    assert run.facts["command"] == "rtla timerlat hist -d 10m -p 250 -b 5 -E 45 -T 400"
    assert (run.facts["period"], run.facts["threshold"]) == (250_000, 400_000)
    assert (run.facts["bin_edges"], run.facts["ended"]) == ("given", "stopped at threshold")
    assert [row[:3] for row in rows(run, "cpu0", "irq", "bin")] == [
        (100_000, 105_000, 1),
        (200_000, 205_000, 1),
        (225_000, INF, 1),
    ]


@pytest.mark.parametrize("line", ["rtla timerlat hit stop tracing", "timerlat hit stop tracing"])
def test_a_stopped_run_is_marked_and_its_analysis_is_no_data(line: str) -> None:
    text = (DATA / "rtla612-timerlat-hist-auto.txt").read_text().replace("rtla timerlat hit stop tracing", line)
    run = one(text)
    assert run.facts["ended"] == "stopped at threshold"
    assert "threshold" not in run.facts  # -a 300 is nowhere in the log
    assert "a Thread latency of 15060.25 us" in run.warnings[-1]
    assert len(run.rows) == 4
    assert sum(count for count, _ in run.ignored.reasons.values()) == 30


def test_several_tables_are_several_runs() -> None:
    names = ("rtla612-osnoise-hist-b100-E20", "rtla612-timerlat-hist-ns-b10000-E50", "rtla612-timerlat-top-q")
    logs = [(DATA / f"{name}.txt").read_text() for name in names]
    together = read("$ uname -r\n6.12.117-rt\n".join(["", *logs]))
    assert [run.tool for run in together] == ["rtla osnoise", "rtla timerlat", "rtla timerlat"]
    for run, log in zip(together, logs, strict=True):
        assert repr(rows(run)) == repr(rows(one(log)))


def test_a_quoted_table_is_marked() -> None:
    run = one("I saw this:\n" + "".join(f"> {line}\n" for line in PLAIN.splitlines()))
    assert run.quoted
    assert repr(rows(run)) == repr(rows(one(PLAIN)))


def test_squeezed_and_indented_tables_are_read() -> None:
    squeezed = "".join(" ".join(line.split()) + "\n" for line in PLAIN.splitlines())
    indented = "".join(f"  {line.rstrip()}\n" for line in PLAIN.splitlines())
    assert repr(rows(one(squeezed))) == repr(rows(one(indented))) == repr(rows(one(PLAIN)))


GROWING = [
    {0: ([9000], [20_000], [30_000])},
    {0: ([9000, 5000], [20_000, 21_000], [30_000, 31_000]), 1: ([6000], [16_000], [17_000])},
    {
        0: ([9000, 5000, 8000], [20_000, 21_000, 22_000], [30_000, 31_000, 30_000]),
        1: ([6000] * 2, [16_000] * 2, [17_000, 11_000]),
    },
]


def painted(*states: int) -> list[str]:
    return [top(GROWING[state], quiet=False, seconds=state + 1) for state in states]


def test_of_repaints_the_last_one_counts() -> None:
    run = one("".join([*painted(0, 1, 2), top(GROWING[2], seconds=3)]))
    assert repr(rows(run)) == repr(rows(one(top(GROWING[2]))))
    assert run.facts["duration"] == 3
    assert run.ignored.reasons == {"row painted anew later": [5, 1]}
    assert run.warnings == ["the table was painted 4 times: the last one is read"]


def test_a_cut_repaint_leaves_the_one_before() -> None:
    whole = one("".join(painted(0, 1)))
    last = painted(2)[0].splitlines(keepends=True)
    assert len(last) == 7
    for lines in (1, 2, 3, 4, 6):
        run = one("".join([*painted(0, 1), *last[:lines]]))
        assert repr(rows(run)) == repr(rows(whole))
        assert run.facts["ended"] == "cut"
    # before 6.11 there is nothing below the last CPU
    assert repr(rows(one("".join([*painted(0, 1), *last[:5]])))) == repr(rows(one(last[0] + "".join(last[1:]))))


def test_a_table_that_cannot_be_the_one_before_is_another_run() -> None:
    later = {0: ([7000] * 5, [20_000] * 5, [30_000] * 5)}  # its least is above the least before
    assert len(read(top(GROWING[1]) + top(later, seconds=9))) == 2
    assert len(read(top(GROWING[1], seconds=9) + top(GROWING[2], seconds=2))) == 2


@pytest.mark.parametrize(
    ("old", "new", "rejected"),
    [
        (" 5         7 ", " 5        97 ", "row whose numbers contradict each other"),
        ("1 #1 ", "1 #x ", "damaged row"),
        ("0 #2 ", "1 #2 ", "damaged row"),
    ],
)
def test_a_damaged_row_of_top_is_not_read(old: str, new: str, rejected: str) -> None:
    text = top(GROWING[1])
    assert old in text
    run = one(text.replace(old, new, 1))
    assert rejected in run.rejected.reasons
    assert run.facts["ended"] == "cut"
    assert len({series for series, _ in series_of(run)}) == 1


def test_all_of_top_is_checked() -> None:
    text = top(GROWING[1])
    assert not one(text).warnings
    run = one(text.replace("ALL #3  ", "ALL #4  ").replace("|                  5 ", "|                  4 "))
    assert run.warnings == ["line 7: ALL says COUNT 4, the rows 3", "line 7: ALL says irq 4 to 9, the rows 5 to 9"]
    many = {0: ([5000] * 1_234_567, [6000]), 1: ([5000] * 2, [6000])}
    assert "#123456 e1" in top(many)
    assert not one(top(many)).warnings


def test_a_context_without_a_sample_has_no_row() -> None:
    run = one(top({0: ([5000], [], []), 4: ([6000], [7000], [8000])}))
    assert series_of(run) == {("cpu0", "irq"), ("cpu4", "irq"), ("cpu4", "thread"), ("cpu4", "user")}


def test_hardware_noise_has_fewer_columns() -> None:
    text = (DATA / "rtla612-osnoise-top-q.txt").read_text()
    text = text.replace("Operating System Noise", "Hardware-related Noise")
    text = "\n".join(line[:99] if "#" in line or "CPU Per" in line else line for line in text.splitlines()) + "\n"
    run = one(text)
    assert run.tool == "rtla hwnoise"
    assert [row[1] for row in rows(run)] == [18_663_000, 29_336_000]


# -- cuts and damage


def statements(run: Run) -> set[Statement]:
    arrays = run.rows.arrays()
    names = ("series", "quantity", "kind", "low", "high", "n", "avg", "line")
    return {tuple(map(str, row)) for row in zip(*(arrays[name].tolist() for name in names), strict=True)}


@pytest.mark.parametrize("path", sorted(DATA.glob("rtla*")), ids=lambda path: path.stem)
def test_a_cut_log_is_refused_marked_or_a_true_beginning(path: Path) -> None:
    data = path.read_bytes()
    if "top-auto" in path.name:  # holds no row even when whole
        return
    whole = one(data)
    at = refused = 0
    for line in data.splitlines(keepends=True):
        at += len(line)
        pieces = [data[:at], data[:at].rstrip(b"\n")]
        if match := re.search(rb"\d(\d)\s*$", line):
            inside = data[: at - len(line) + match.start(1)]
            pieces += [inside, inside + b"\n"]
        for piece in pieces:
            try:
                run = one(piece)
            except LogError:
                refused += 1
                continue
            told = run.facts["ended"] == "cut" or run.rejected.total or set(run.warnings) - set(whole.warnings)
            assert told or statements(run) <= statements(whole), piece[-60:]
    assert refused >= 9  # title and header


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(DATA.glob("rtla*hist*"))), st.data())
def test_a_damaged_histogram_never_states_a_row_that_is_not_there(path: Path, data: st.DataObject) -> None:
    lines = path.read_text().splitlines(keepends=True)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(lines) - 1))
        match data.draw(st.sampled_from(("drop", "twice", "cell", "letter", "cut"))):
            case "drop":
                lines[place] = ""
            case "twice":
                lines[place] *= 2
            case "cell":
                lines[place] = " ".join(lines[place].split()[:-1]) + "\n"
            case "letter":
                lines[place] = lines[place].replace("1", "l", 1)
            case _:
                lines[place] = lines[place][: len(lines[place]) // 2] + "\n"
    text = "".join(lines)
    try:
        runs = read(text)
    except LogError:
        return
    printed = text.split("\n")
    for run in runs:
        if run.facts["unit_basis"] == "assumed":
            assert any("the unit is not in the log" in warning for warning in run.warnings)
            continue
        arrays = run.rows.arrays()
        for kind, low, high, n, line in zip(
            *(arrays[x].tolist() for x in ("kind", "low", "high", "n", "line")), strict=True
        ):
            cells = printed[line - 1].replace(":", " ").split()
            if kind == "bin" and high < INF:
                assert cells[0] == str(int(low / (1 if "nanoseconds" in text else 1000)))
            assert n == -1 or str(n) in cells or (high == INF and cells[0] != "over")


def test_long_and_hostile_lines_cost_nothing() -> None:
    hostile = [
        "Index " * 20_000,
        "   IRQ-000" * 10_000 + "x",
        "over:" + " 1" * 40_000 + "x",
        " " * 100_000,
        "1 " * 50_000,
    ]
    hostile += ["rtla timerlat hist " + "-p " * 20_000, "0 #1 |" + " 1" * 50_000, "timerlat hist " * 9_000]
    run = one(PLAIN + "\n".join(hostile) + "\n")
    assert repr(rows(run)) == repr(rows(one(PLAIN)))


# -- as users see it


def test_percentiles_of_overflow_say_so_and_contexts_stand_apart() -> None:
    recording = read_paths(DATA / "rtla612-timerlat-hist-ns-b10000-E50.txt")
    found = {(d.series, d.quantity): d for d in distributions(recording)}
    assert len(found) == 6
    irq = found["cpu0", "irq"]
    assert (irq.total, irq.overflow, irq.minimum, irq.maximum) == (4644, 146, (28_250, 28_250), (7_789_981, 7_789_981))
    assert set(recording.runs["format"]) == {"rtla"}
