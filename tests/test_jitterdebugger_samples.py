"""jitterdebugger's samples, raw and as CSV: against struct, against each other, and cut at every byte."""

from __future__ import annotations

import gzip
import json
import struct
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, SHARED

import rtlat
from rtlat.detection import detect
from rtlat.errors import LogError
from rtlat.formats.jitterdebugger_samples import FORMAT, claims
from rtlat.protocol import Run
from rtlat.reading import read_all
from rtlat.source import Source
from rtlat.views import evidence

SMALL = ROOT / "tests/data/jitterdebugger"
RAW = sorted([*SMALL.rglob("samples.raw"), *SHARED.glob("logs/recorded/**/samples.raw")])
RECORD = struct.Struct("<Iqqq")


def parse(log: bytes, keep: int = 1_000_000) -> Run:
    (run,) = FORMAT.parse(Source(None, "log", log, keep))
    return run


def told(run: Run) -> list[tuple[str, float, int]]:
    """Return the samples of a run in the order of the file: series, value, record."""
    arrays = run.rows.arrays()
    return sorted(zip(arrays["series"], arrays["low"], arrays["line"], strict=True), key=lambda row: row[2])


def packed(*records: tuple[int, int, int, int], order: str = "<") -> bytes:
    return b"".join(struct.pack(f"{order}Iqqq", *record) for record in records)


@pytest.mark.parametrize("path", RAW, ids=lambda path: f"{path.parent.parent.name}/{path.parent.name}")
def test_every_recorded_one(path: Path) -> None:
    records = [*RECORD.iter_unpack(path.read_bytes())]
    results = json.loads(path.with_name("results.json").read_text("utf-8"))
    step = results["sysinfo"]["resolution_in_ns"]
    recording = rtlat.read(path, printed_unit={1: "ns", 1000: "us"}[step])
    rows = recording.records.sort_values("line")
    assert rows["series"].tolist() == [f"t{thread}" for thread, *_ in records]
    assert rows["low"].tolist() == rows["high"].tolist() == [value * step for *_, value in records]
    assert rows["line"].tolist() == [*range(1, len(records) + 1)]
    woken = [seconds + nanoseconds / 1e9 for _, seconds, nanoseconds, _ in records]
    np.testing.assert_allclose(rows["time"], np.array(woken) - min(woken), atol=1e-6)
    assert recording.runs["duration"][0] == pytest.approx(max(woken) - min(woken), abs=1e-6)
    assert set(rows["unit"]) == {"ns"}
    assert recording.runs["resolution"][0] == step
    for name, thread in results["cpu"].items():  # the histogram of the same run, which has the last samples too
        mine = (rows.loc[rows["series"] == f"t{name}", "low"] / step).astype(int).astype(str)
        assert set(mine) <= set(thread["histogram"])
        assert len(mine) < thread["count"] < len(mine) + 3


def test_a_line_of_the_csv_is_a_record() -> None:
    raw, csv = (parse((SMALL / "nsec" / f"samples.{kind}").read_bytes()) for kind in ("raw", "csv"))
    assert told(raw) == told(csv)
    assert len(told(raw)) == 6
    assert raw.rows.arrays()["time"].tolist() == csv.rows.arrays()["time"].tolist()
    assert [run.facts["variant"] for run in (raw, csv)] == ["samples.raw", "samples.csv"]


def test_what_is_below_1000_is_no_nanoseconds() -> None:
    run = parse(packed((0, 5, 0, 2000), (0, 6, 0, 999)))
    assert (run.facts["printed_unit"], run.facts["unit_basis"]) == ("us", "assumed")
    assert set(run.rows.arrays()["unit"]) == {"ns"}
    assert run.warnings == []


def test_what_may_be_nanoseconds_has_no_unit() -> None:
    run = parse((SMALL / "nsec/samples.csv").read_bytes())
    assert (run.facts["printed_unit"], set(run.rows.arrays()["unit"])) == ("unknown", {"unknown"})
    assert told(run)[0] == ("t0", 30144.0, 1)
    assert run.warnings[0].startswith("no latency is below 26532: nanoseconds, as with -N, or slow microseconds?")


@pytest.mark.parametrize(("unit", "factor"), [("ns", 1), ("us", 1000)])
def test_a_card_says_the_unit(unit: str, factor: int) -> None:
    records = rtlat.read(SMALL / "nsec/samples.raw", printed_unit=unit).records
    assert records["low"].min() == 26532.0 * factor
    assert set(records["unit"]) == {"ns"}


def test_a_machine_of_the_other_byte_order() -> None:
    records = [(0, 809, 496981008, 30144), (3, 809, 604122949, 27)]
    assert (
        told(parse(packed(*records, order=">")))
        == told(parse(packed(*records)))
        == [
            ("t0", 30144000.0, 1),
            ("t3", 27000.0, 2),
        ]
    )


@pytest.mark.parametrize(
    "start",
    [
        b"",
        b"\0" * 27,
        b"T: 0 (15116) A: 0 C:      9978 Min:        13 Avg:   36.61 Max:      4457 \n",
        b"\x7fELF\x02\x01\x01" + b"\0" * 60,
        b"\0" * 4096,
        packed((0, 5, 1_000_000_000, 7)),
        packed((0, -5, 0, 7)),
        packed((0, 5, 0, 1 << 40)),
        packed((1 << 16, 5, 0, 7)),
        np.random.default_rng(1).bytes(4096),
    ],
)
def test_what_is_no_samples_raw_is_not_claimed(start: bytes) -> None:
    assert not claims(start)


def test_no_other_log_is_claimed() -> None:
    others = [path for path in SHARED.glob("logs/**/*") if path.is_file() and path.suffix != ".raw"]
    assert [path for path in others if claims(path.read_bytes()[: 1 << 16])] == []


def test_the_evidence_of_what_has_no_lines() -> None:
    told = evidence(*read_all(SMALL / "affinity/samples.raw")).splitlines()
    assert told[1] == "  format    jitterdebugger_samples, by its first bytes"


def test_raw_samples_may_be_compressed(tmp_path: Path) -> None:
    path = tmp_path / "samples.raw.gz"
    path.write_bytes(gzip.compress((SMALL / "affinity/samples.raw").read_bytes()))
    assert detect(Source(path, "x"))[0].name == "jitterdebugger_samples"
    assert len(rtlat.read(path).records) == 97  # 2716 bytes / 28


@pytest.mark.parametrize("name", ["nsec/samples.raw", "nsec/samples.csv"])
def test_cut_at_every_byte(name: str) -> None:
    data = (SMALL / name).read_bytes()
    whole = told(parse(data))
    size = 28 if name.endswith("raw") else 0
    for length in range(1, len(data)):
        complete = length // size if size else data[:length].count(b"\n")
        torn = length % size if size else not data[:length].endswith(b"\n")
        if not complete:
            with pytest.raises(LogError, match="^log: found no sample, expected samples.raw or samples.csv"):
                parse(data[:length])
            continue
        run = parse(data[:length])
        assert told(run) == whole[:complete]
        assert run.facts["ended"] == ("cut" if torn else "unknown")
        assert run.rejected.reasons == ({"cut last sample": [1, complete + 1]} if torn else {})


def test_a_damaged_record_is_rejected_alone() -> None:
    good = [(0, 5, number, number) for number in range(4000)]
    damaged = [*good[:3000], (0, 5, -1, 3), *good[3001:]]
    run = parse(packed(*damaged))
    assert run.rejected.reasons == {"no sample": [1, 3001]}
    assert [line for _, _, line in told(run)] == [*range(1, 3001), *range(3002, 4001)]


def test_a_damaged_line_is_rejected_alone() -> None:
    lines = (SMALL / "nsec/samples.csv").read_text("ascii").splitlines()
    whole = told(parse("\n".join(lines).encode() + b"\n"))
    for at in range(len(lines)):
        for damage in ("1;809.60412294;27596", "1;809,604122949;27596", "1;809.604122949;27.5", "x" + lines[at], "1;8"):
            run = parse("\n".join([*lines[:at], damage, *lines[at + 1 :], ""]).encode())
            assert told(run) == [*whole[:at], *whole[at + 1 :]]
            assert run.rejected.reasons == {"no sample": [1, at + 1]}
            assert run.warnings[-1] == f"1 records are no samples (the first is {at + 1})"


def test_prompts_and_quoting_around_the_csv() -> None:
    text = (SMALL / "nsec/samples.csv").read_text("ascii")
    quoted = "".join(f"> {line}\r\n" for line in text.splitlines())
    assert [row[:2] for row in told(parse(quoted.encode()))] == [row[:2] for row in told(parse(text.encode()))]


@pytest.mark.parametrize("order", ["raw", "csv"])
def test_many_samples_are_counted_by_value(order: str) -> None:
    values = np.random.default_rng(2).geometric(0.1, 100_000)
    if order == "raw":
        log = packed(*((number % 4, number + 1, 0, int(value)) for number, value in enumerate(values)))
    else:
        log = b"".join(b"%d;%d.000000000;%d\n" % (n % 4, n, value) for n, value in enumerate(values))
    run = parse(log, keep=1000)
    arrays = run.rows.arrays()
    assert run.facts["bin_edges"] == "samples"
    for thread in range(4):
        mine = (arrays["series"] == f"t{thread}") & (arrays["kind"] == "bin")
        found = dict(zip((arrays["low"][mine] / 1000).astype(int).tolist(), arrays["n"][mine].tolist(), strict=True))
        expected = np.unique(values[thread::4], return_counts=True)
        assert found == dict(zip(*(column.tolist() for column in expected), strict=True))
