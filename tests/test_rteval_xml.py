"""rteval's summary.xml: its buckets, what it calculates from them wrongly, and XML that means harm.

No report of a real run was at hand: the one here was written after rteval's source.
"""

from __future__ import annotations

import math
import tracemalloc
from typing import Any
from xml.etree import ElementTree

import pytest
from conftest import ROOT

import rtlat
from rtlat.errors import LogError
from rtlat.formats.rteval_xml import parse
from rtlat.protocol import Run
from rtlat.source import Source

PATH = ROOT / "tests/data/rteval/summary-made.xml"
MADE = PATH.read_text()


def one(text: str) -> Run:
    (run,) = parse(Source(None, "summary.xml", text.encode()))
    return run


def bins(run: Run) -> dict[str, list[tuple[float, int]]]:
    """Series -> bucket [us] and count."""
    rows = run.rows.arrays()
    found: dict[str, list[tuple[float, int]]] = {}
    for row in zip(*(rows[name].tolist() for name in ("series", "low", "high", "n", "kind")), strict=True):
        if row[4] == "bin":
            assert row[2] == row[1] + 1000
            found.setdefault(row[0], []).append((row[1] / 1000, row[3]))
    return found


def test_buckets_against_the_document() -> None:
    wanted = {
        f"cpu{core.attrib['id']}": [(float(b.attrib["index"]), int(b.attrib["value"])) for b in core.iter("bucket")]
        for core in ElementTree.fromstring(MADE).iter("core")
    }
    run = one(MADE)
    assert bins(run) == wanted  # the system's histogram is the sum of these
    lines = MADE.splitlines()
    rows = run.rows.arrays()
    for line, low in zip(rows["line"].tolist(), rows["low"].tolist(), strict=True):
        assert f'index="{low / 1000:.0f}"' in lines[line - 1]


def test_what_the_report_tells() -> None:
    facts = one(MADE).facts
    assert facts["kernel"] == "6.6.36-rt35"
    assert facts["approach"] == "PREEMPT_RT"
    assert facts["cmdline"] == "root=/dev/sda1 isolcpus=1"
    assert facts["load"] == "rteval: hackbench, kcompile"
    assert (facts["duration"], facts["period"], facts["started"]) == (62.0, 100_000.0, "2024-08-18 11:22:33")
    assert (facts["version"], facts["ended"]) == ("rteval 3.8", "complete")
    assert "box" not in str(facts)
    assert one(MADE).series["cpu1"] == {"n": 4, "cpu": 1, "priority": 95, "period": 100_000.0}


def test_its_median_is_not_trusted() -> None:
    """{1, 10, 20}: rteval averages 1 and 10."""
    assert one(MADE).warnings == ["line 51: cpu0: median is 5.5, the buckets give 10"]
    recording = rtlat.read(str(PATH))
    (series, *_) = rtlat.summary_json(recording, ["50"])["runs"][0]["series"]
    assert series["percentiles"]["50"] | {"rank": 2} == series["percentiles"]["50"]
    assert (series["percentiles"]["50"]["low"], series["percentiles"]["50"]["high"]) == (10, 11)


def report(buckets: dict[int, int], version: str = "3.8", **statistics: Any) -> str:
    """A report of one core."""
    inside = "".join(f"<{name}>{value}</{name}>" for name, value in statistics.items())
    rows = "".join(f'<bucket index="{index}" value="{n}"/>' for index, n in buckets.items())
    return (
        f'<rteval version="{version}"><Measurements><cyclictest command_line="cyclictest -i100 -h 2000"><core id="0">'
        f"<statistics>{inside}</statistics><histogram>{rows}</histogram></core></cyclictest></Measurements></rteval>"
    )


@pytest.mark.parametrize(
    ("buckets", "median", "right"),
    [
        ({1: 1, 10: 1}, 5.5, True),
        ({1: 1, 10: 1}, 1, True),
        ({1: 1, 10: 1}, 10, True),
        ({1: 1, 10: 1}, 3, False),
        ({1: 2, 5: 2, 9: 1}, 5, True),
        ({1: 2, 5: 2, 9: 1}, 3, False),
    ],
)
def test_medians(buckets: dict[int, int], median: float, right: bool) -> None:
    assert (one(report(buckets, median=median)).warnings == []) is right


@pytest.mark.parametrize(
    ("statistic", "value", "said"),
    [
        ("samples", 4, "samples is 4, the buckets give 3"),
        ("mean", 9.5, "mean is 9.5, the buckets give 10.3333"),
        ("minimum", 0, "minimum is 0, the buckets give 1"),
    ],
)
def test_other_statistics_are_compared(statistic: str, value: float, said: str) -> None:
    run = one(report({1: 1, 10: 1, 20: 1}).replace("<statistics>", f"<statistics><{statistic}>{value}</{statistic}>"))
    assert [said in warning for warning in run.warnings] == [True]
    assert run.facts["ended"] == ("cut" if statistic == "samples" else "complete")


def test_a_maximum_beyond_the_buckets_is_seen() -> None:
    run = one(report({1: 1, 10: 1}, maximum=2000))
    assert run.facts["overflow_policy"] == "dropped"
    rows = run.rows.arrays()
    assert (rows["low"][-1], rows["high"][-1], rows["n"][-1]) == (-math.inf, 2_000_000, -1)


def test_old_versions_drop_what_is_beyond() -> None:
    assert one(report({1: 1}, version="2.1")).facts["overflow_policy"] == "dropped"
    assert "overflow_policy" not in one(report({1: 1})).facts


def test_no_histogram_says_why() -> None:
    with pytest.raises(LogError, match="beyond its buckets"):
        one('<rteval version="3.8">\n<cyclictest command_line="x"/></rteval>')
    with pytest.raises(LogError, match="timerlat histogram, which adds interrupt, thread and user"):
        one(
            report({1: 1})
            .replace("cyclictest command_line", "timerlat command_line")
            .replace("</cyclictest>", "</timerlat>")
        )
    with pytest.raises(LogError, match="no histogram"):
        one('<rteval version="3.8"></rteval>')


def test_timerlat_beside_cyclictest_is_not_added() -> None:
    text = report({7: 9})
    timerlat = text[text.index("<cyclictest") : text.index("</Measurements>")].replace("cyclictest", "timerlat", 1)
    timerlat = timerlat.replace("</cyclictest>", "</timerlat>").replace('value="9"', 'value="27"')
    run = one(text.replace("</Measurements>", timerlat + "</Measurements>"))
    assert bins(run) == {"cpu0": [(7, 9)]}
    assert any("adds three latencies and is not read" in warning for warning in run.warnings)


def test_a_run_stopped_by_breaktrace_is_marked() -> None:
    text = MADE.replace(
        "</cyclictest>",
        '<abort_report reason="breaktrace"><breaktrace latency_threshold="30" measured_latency="31"/></abort_report>'
        "</cyclictest>",
    )
    facts = one(text).facts
    assert (facts["ended"], facts["threshold"]) == ("stopped at threshold", 30_000.0)


@pytest.mark.parametrize(
    "bucket", ['index="10" value="4"', 'index="x" value="4"', 'index="50" value="-4"', 'index="99999999" value="4"', ""]
)
def test_a_damaged_bucket_marks_the_run(bucket: str) -> None:
    run = one(MADE.replace('<bucket index="31" value="1"/>', f"<bucket {bucket}/>"))
    assert run.facts["ended"] == "cut"
    assert run.rejected.total == 2
    assert any("2 buckets could not be read" in warning for warning in run.warnings)


def test_a_cut_report_holds_the_cores_that_are_complete() -> None:
    whole = bins(one(MADE))
    for end in range(0, len(MADE) - 1, 7):
        try:
            run = one(MADE[:end])
        except LogError:
            continue
        assert all(whole.get(series, rows) == rows for series, rows in bins(run).items())
        assert run.facts["ended"] == "cut"


BOMB = "<!DOCTYPE r [<!ENTITY a 'aaaaaaaaaa'>" + "".join(
    f"<!ENTITY {chr(98 + i)} '{('&' + chr(97 + i) + ';') * 10}'>" for i in range(9)
)


@pytest.mark.parametrize(
    "head",
    [
        f"{BOMB}]>",
        "<!DOCTYPE rteval SYSTEM 'file:///etc/passwd'>",
        "<!DOCTYPE rteval [<!ENTITY % x SYSTEM 'http://example.org/x'> %x;]>",
    ],
)
def test_a_document_type_is_refused(head: str) -> None:
    with pytest.raises(LogError, match="a document type declaration"):
        one(head + MADE.partition("?>")[2].replace("made by hand", "&j;"))


@pytest.mark.parametrize(
    "text", ["<rteval>" * 1000, "<rteval><a></b></rteval>", "<rteval>&a;</rteval>", "<rteval \x00/>", "<rteval>\n]]>"]
)
def test_what_is_no_xml_is_one_error(text: str) -> None:
    with pytest.raises(LogError):
        one(text)


def test_memory_is_bounded_by_what_is_kept() -> None:
    """20 MB of text in an element cost no more than the log itself."""
    log = MADE.replace("made by hand", ("x" * 1000 + "\n") * 20_000).encode()
    tracemalloc.start()
    (run,) = parse(Source(None, "summary.xml", log))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(run.facts["note"]) < 20_000
    assert peak < 10_000_000
