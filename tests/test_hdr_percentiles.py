"""HdrHistogram's percentile tables: the published one, those that the package prints of samples, and damaged ones."""

from __future__ import annotations

import contextlib
import io
import math
import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT

import rtlat
from rtlat.errors import LogError
from rtlat.formats.hdr_percentiles import FORMAT
from rtlat.protocol import Run
from rtlat.source import Source


def parse(log: str | bytes) -> list[Run]:
    return list(FORMAT.parse(Source(None, "log", log.encode() if isinstance(log, str) else log)))


def rows(run: Run, of: str = "all") -> list[dict[str, Any]]:
    arrays = run.rows.arrays()
    every = [dict(zip(arrays, row, strict=True)) for row in zip(*(a.tolist() for a in arrays.values()), strict=True)]
    return [row for row in every if row["of"] == of]


def printed(text: str) -> list[tuple[float, int, int]]:
    """Return value, cumulative count and line of each row, by the simplest means."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        words = line.replace(",", " ").split()
        if len(words) in (3, 4) and words[0][0].isdigit():
            found.append((float(words[0]), int(words[2]), number))
    return found


@pytest.fixture(scope="module")
def published(logs: Path) -> Path:
    return logs / "public/other-tools/hdr-percentiles-12Krps.txt"


def test_the_published_one(published: Path) -> None:
    text = published.read_text("utf-8")
    table = printed(text)
    (run,) = parse(text)
    counted = 0
    for row in rows(run):
        value, count, line = next(told for told in table if told[1] > counted)
        assert row["n"] == count - counted
        assert row["high"] == pytest.approx(value + 0.001)  # the value is the bucket's last, in thousandths
        assert row["line"] == line
        counted = count
    assert counted == 3477000  # Total count
    assert all(before["high"] == row["low"] for before, row in zip(rows(run), rows(run)[1:], strict=False))
    (greatest,) = rows(run, "max")
    assert (greatest["low"], greatest["high"], greatest["n"]) == (64.736, 64.768, 1)  # Max 64.736, last value 64.767
    assert run.facts["bin_edges"] == "given"
    assert run.warnings == ["no unit is printed; printed_unit in a run card says which"]


def test_the_table_of_recorded_samples() -> None:
    log = ROOT / "tests/data/hdr/percentiles.txt"
    raw = (ROOT / "tests/data/jitterdebugger/affinity/samples.raw").read_bytes()
    samples = np.array([value for *_, value in struct.iter_unpack("<Iqqq", raw)])  # us, which it counted as ns
    (run,) = parse(log.read_bytes())
    for low, high, n in bins(run):
        assert n == ((samples >= low) & (samples < high)).sum()
    assert sum(n for *_, n in bins(run)) == len(samples) == 97
    assert run.warnings == ["no unit is printed; printed_unit in a run card says which"]


def test_the_unit_is_what_a_card_says(published: Path) -> None:
    unknown, known = rtlat.read(published), rtlat.read(published, printed_unit="ms")
    assert set(unknown.records["unit"]) == {"unknown"}
    assert set(known.records["unit"]) == {"ns"}
    result = rtlat.summary(known, ["99.9"]).iloc[0]
    assert (result["p99.9"].low, result["p99.9"].high) == pytest.approx((17232.0, 17696.0))  # 3473618 up to 17.695
    assert (result["max"].low, result["max"].high) == pytest.approx((64736.0, 64768.0))


def test_its_own_percentiles_are_not_taken(published: Path) -> None:
    assert set(rtlat.read(published).records["kind"]) == {"bin"}


@pytest.fixture
def samples() -> Any:
    return np.random.default_rng(3).lognormal(9, 1.5, 5000).astype(np.int64)


def table_of(samples: Any, scale: float, digits: int = 3, lowest: int = 1, csv: bool = False) -> str:
    """Return the table that the package prints of samples."""
    histogram = pytest.importorskip("hdrh.histogram").HdrHistogram(lowest, 10**10, digits)
    for sample in samples.tolist():
        assert histogram.record_value(sample)
    out = io.BytesIO()
    histogram.output_percentile_distribution(out, scale, use_csv=csv)
    return out.getvalue().decode()


@pytest.mark.parametrize("csv", [False, True])
@pytest.mark.parametrize("lowest", [1, 20])
@pytest.mark.parametrize(("scale", "digits"), [(1, 3), (1000, 3), (100, 2), (10, 1), (1, 4)])
def test_every_bin_holds_the_samples_that_lie_in_it(
    samples: Any, scale: int, digits: int, lowest: int, csv: bool
) -> None:
    (run,) = parse(table_of(samples, scale, digits, lowest, csv))
    assert (run.facts["ended"], run.facts["bin_edges"]) == ("complete", "given")
    assert run.warnings == ["no unit is printed; printed_unit in a run card says which"]
    values = samples / scale
    for row in rows(run):
        assert row["n"] == ((values >= row["low"] - 1e-9) & (values < row["high"] - 1e-9)).sum()
    assert sum(row["n"] for row in rows(run)) == len(samples)
    (greatest,) = rows(run, "max")
    assert greatest["low"] <= values.max() < greatest["high"]
    assert greatest["high"] - greatest["low"] <= 2 * values.max() / 10**digits + lowest
    assert rows(run)[0]["low"] <= values.min() < rows(run)[0]["high"]


def test_rounded_values_say_so(samples: Any) -> None:
    (run,) = parse(table_of(samples, 1_000_000))
    assert run.facts["bin_edges"] == "assumed"
    assert run.warnings[0].startswith("the values in print are rounded: each edge of a bin is good to one in its last")
    assert rows(run, "max") == []
    assert rows(run)[0]["low"] == 0
    values = samples / 1e6
    for row in rows(run):
        surely = ((values > row["low"] + 0.001) & (values < row["high"] - 0.001)).sum()
        maybe = ((values > row["low"] - 0.001) & (values < row["high"] + 0.001)).sum()
        assert surely <= row["n"] <= maybe


TABLE = """       Value   Percentile   TotalCount 1/(1-Percentile)

       0.189     0.000000            1         1.00
       2.845     0.500000          600         2.00
       8.551     0.750000          800         4.00
      16.015     0.900000          900        10.00
      20.015     0.950000          950        20.00
      64.767     1.000000         1000          inf
#[Mean    =        6.000, StdDeviation   =        1.777]
#[Max     =       64.736, Total count    =         1000]
#[Buckets =           27, SubBuckets     =         2048]
"""
BINS = [
    (0.188, 0.19, 1),
    (0.19, 2.846, 599),
    (2.846, 8.552, 200),
    (8.552, 16.016, 100),
    (16.016, 20.016, 50),
    (20.016, 64.768, 50),
]


def bins(run: Run) -> list[tuple[float, float, int]]:
    return [(row["low"], row["high"], row["n"]) for row in rows(run)]


def test_the_small_table() -> None:
    (run,) = parse(TABLE)
    assert bins(run) == BINS
    assert run.warnings == ["no unit is printed; printed_unit in a run card says which"]


@pytest.mark.parametrize(
    "text",
    [
        TABLE.replace("          inf", ""),  # Java's last row
        TABLE.replace("inf", "Infinity"),
        re.sub(r"0(?= +\d+ +\d+\.\d\d\n)", "0000000", TABLE),  # twelve digits
        re.sub(r" +", ",", TABLE.split("#")[0]).replace("\n,", "\n").replace(",Value", '"Value"') + "#" + "x",
        TABLE.replace("[Mean", "[Mean ").split("#[Mean")[0],  # no footer
        "Detailed Percentile spectrum:\n" + TABLE + "----------\n",  # wrk2
        TABLE.replace("\n", "\r\n"),
    ],
)
def test_its_other_shapes(text: str) -> None:
    (run,) = parse(text)
    assert bins(run) == BINS
    assert run.facts["ended"] == "complete"


def test_values_that_are_printed_alike_are_one_edge() -> None:
    text = TABLE.replace("2.845     0.500000          600         2.00", "0.189     0.500000          600         2.00")
    (run,) = parse(text)
    assert bins(run) == [(0.188, 0.19, 600), (0.19, 8.552, 200), *BINS[3:]]


def test_two_tables_are_two_runs() -> None:
    assert [bins(run) for run in parse(TABLE + "\n" + TABLE)] == [BINS, BINS]


@pytest.mark.parametrize(
    ("before", "after", "warning"),
    [
        ("       64.736,", "       64.730,", "line 10: the maximum is 64.730, the last row 64.767"),
        ("       64.736,", "       64.769,", "line 10: the maximum is 64.769, the last row 64.767"),
        # 0.188 + 599 * 0.19 + 200 * 2.846 + 100 * 8.552 + 50 * 16.016 + 50 * 20.016, and likewise with the high ends
        ("        6.000,", "        1.200,", "line 9: the mean is 1.200, the rows allow 3.340 to 9.256"),
        ("=         1000]", "=         1001]", "line 10: total count is 1001, the table ends at 1000 observations"),
        ("          900    ", "          890    ", "line 6: 890 of 1000 observations do not reach 0.900000"),
    ],
)
def test_a_contradiction_is_told_with_both_numbers(before: str, after: str, warning: str) -> None:
    assert before in TABLE
    (run,) = parse(TABLE.replace(before, after))
    assert run.warnings[0] == warning


@pytest.mark.parametrize("maximum", ["64.736", "64.750", "64.767", "64.768"])  # the bucket's ends, or what lies in it
def test_the_maximum_may_be_printed_in_three_ways(maximum: str) -> None:
    (run,) = parse(TABLE.replace("64.736", maximum))
    assert len(run.warnings) == 1
    assert (rows(run, "max")[0]["low"], rows(run, "max")[0]["high"]) == (64.736, 64.768)


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("2.845     0.500000", "2.845     0.400000", "a row whose percentiles contradict each other"),
        ("600         2.00", "600         3.00", "a row whose percentiles contradict each other"),
        ("0.900000          900", "0.9oooo0          900", "no row of a percentile table"),
        ("0.900000          900", "0.900000          90x", "no row of a percentile table"),
        ("          800         4.00", "          500         4.00", "a row that is less than the one before"),
        ("     16.015     0.9", "      4.015     0.9", "a row that is less than the one before"),
        ("          900        10", " 9999999999999999999  10", "a number too large to be one"),
    ],
)
def test_a_damaged_row_joins_two_bins(before: str, after: str, reason: str) -> None:
    (run,) = parse(TABLE.replace(before, after))
    assert list(run.rejected.reasons) == [reason]
    assert sum(n for *_, n in bins(run)) == 1000
    assert len(bins(run)) == 5
    assert {low for low, *_ in bins(run)} < {low for low, *_ in BINS}
    assert "1 lines of the table could not be read" in run.warnings[0]


def test_a_value_that_closes_no_bucket_makes_the_edges_doubtful() -> None:
    (run,) = parse(TABLE.replace("16.015", "16.016"))
    assert run.facts["bin_edges"] == "assumed"
    assert "rounded" in run.warnings[0]


@pytest.mark.parametrize("newline", [True, False])
def test_cut_after_every_line_and_inside_the_last_number(newline: bool) -> None:
    lines = TABLE.splitlines()
    for length in range(1, len(lines)):
        text = "\n".join(lines[:length]) + ("\n" if newline else "")
        if not newline:
            text = text[:-1]
        complete = sum(bool(re.match(r" +\d", line)) for line in lines[: length if newline else length - 1])
        if not complete:
            with pytest.raises(LogError, match="^log: found no observation, expected a percentile table"):
                parse(text)
            continue
        (run,) = parse(text)
        found = bins(run)
        assert [n for *_, n in found] == [n for *_, n in BINS[:complete]]
        close = 0 if run.facts["bin_edges"] == "given" else 0.000501  # a few rows do not prove where buckets end
        assert [high for _, high, _ in found] == pytest.approx([high for _, high, _ in BINS[:complete]], abs=close)
        assert run.facts["ended"] == ("complete" if complete == 6 else "cut")


def test_an_empty_histogram_is_no_observation() -> None:
    text = (
        TABLE.split("\n")[0] + "\n\n#[Mean    =  0.000, StdDeviation   =  0.000]\n#[Max = 0.000, Total count    = 0]\n"
    )
    with pytest.raises(LogError, match="^log: found no observation, expected a percentile table of HdrHistogram$"):
        parse(text)


def test_hostile_rows_are_only_rejected() -> None:
    for row in ("1 1.000001 5 inf", "9" * 18 + " 0.5 5 2.0", "1.5 0.00 5 0.0", "0 0.00 0 1.00", "1 1.00 1 0.00"):
        with contextlib.suppress(LogError):
            for run in parse(TABLE.split("\n")[0] + f"\n{row}\n"):
                assert all(math.isfinite(end) for low, high, _ in bins(run) for end in (low, high))
