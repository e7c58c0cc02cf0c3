"""HdrHistogram's interval logs: the published one against HdrHistogram's own tests of it, made ones, damaged ones."""

from __future__ import annotations

import base64
import builtins
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT

import rtlat
from rtlat.errors import LogError, UnsupportedFormatError
from rtlat.formats.hdr_log import FORMAT
from rtlat.protocol import Run
from rtlat.source import Source

hdrh = pytest.importorskip("hdrh.histogram")
SECOND = bytes.fromhex("1c849314")


def parse(log: str) -> Run:
    (run,) = FORMAT.parse(Source(None, "log", log.encode()))
    return run


def bins(run: Run, series: str = "all") -> list[tuple[float, float, int]]:
    arrays = run.rows.arrays()
    mine = arrays["series"] == series
    return list(zip(*(arrays[name][mine].tolist() for name in ("low", "high", "n")), strict=True))


def interval(samples: Any, start: int = 0, tag: str = "", highest: int = 10**9, digits: int = 3) -> str:
    histogram = hdrh.HdrHistogram(1, highest, digits)
    for sample in np.asarray(samples).tolist():
        assert histogram.record_value(sample)
    shown = f"{max(samples) / 1000:.3f}" if len(samples) else "0.000"
    return f"{f'Tag={tag},' if tag else ''}{start}.000,1.000,{shown},{histogram.encode().decode()}\n"


def payload(body: bytes, cookie: bytes = SECOND) -> str:
    packed = zlib.compress(body)
    return base64.b64encode(cookie + struct.pack(">I", len(packed)) + packed).decode()


HEAD = """#[Histogram log format version 1.3]
"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
"""


def test_the_published_one(logs: Path) -> None:
    recording = rtlat.read(logs / "public/other-tools/hdr-jHiccup-2.0.7S.logV2.hlog")
    run = recording.runs.iloc[0]
    assert (run["tool"], run["version"], run["unit_basis"]) == ("jHiccup", "2.0.7-SNAPSHOT", "documented")
    assert run["started"] == "Wed Sep 09 08:24:39 PDT 2015"
    assert run["duration"] == pytest.approx(61.131 + 1.000 - 0.127)  # its last and its first line
    # HistogramLogReaderWriterTest.java: 62 intervals, 48761 observations, p99.9 1745879039, maximum 1796210687 ns
    assert int(recording.records["n"].sum()) == 48761
    result = rtlat.summary(recording, ["99.9"]).iloc[0]
    for name, value in (("p99.9", 1_745_879.039), ("max", 1_796_210.687)):
        assert result[name].low <= value < result[name].high
        assert result[name].high - result[name].low < 0.01 * value  # two significant digits
    assert "n is more than it measured" in run["warnings"]


def test_the_log_of_recorded_samples() -> None:
    raw = (ROOT / "tests/data/jitterdebugger/affinity/samples.raw").read_bytes()
    samples = np.unique([value for *_, value in struct.iter_unpack("<Iqqq", raw)], return_counts=True)
    run = parse((ROOT / "tests/data/hdr/intervals.hlog").read_text("utf-8"))
    assert [(low, n) for low, _, n in bins(run)] == list(zip(*(column.tolist() for column in samples), strict=True))
    assert run.facts["duration"] == pytest.approx(0.99)


def test_the_first_encoding_is_refused_by_name(logs: Path) -> None:
    with pytest.raises(UnsupportedFormatError) as error:
        rtlat.read(logs / "public/other-tools/hdr-jHiccup-2.0.1.logV0.hlog")
    assert str(error.value).endswith(
        ".hlog:5: found histograms whose encoding is version 0, expected version 2 of integers; "
        "write them again with HdrHistogram 2.1.5 or later"
    )


def test_every_bucket_holds_the_samples_that_lie_in_it() -> None:
    samples = np.random.default_rng(4).lognormal(9, 2, 9000).astype(np.int64)
    log = HEAD + "".join(interval(part, number) for number, part in enumerate(np.split(samples, 9)))
    run = parse(log)
    for low, high, n in bins(run):
        assert n == ((samples >= low) & (samples < high)).sum()
        assert high - low <= max(1, low / 1000)
    assert sum(n for *_, n in bins(run)) == 9000
    assert run.facts["duration"] == 9.0
    assert run.warnings == ["no unit is stated; printed_unit in a run card says which"]


def test_intervals_of_histograms_that_grew_are_added() -> None:
    run = parse(interval([5, 7], highest=10**9) + interval([7, 10**6], highest=10**4 * 10**6) + interval([5]))
    assert [(low, n) for low, _, n in bins(run)][:2] == [(5.0, 2), (7.0, 2)]
    low, high, n = bins(run)[2]
    assert (low <= 10**6 < high, n) == (True, 1)


def test_a_tag_is_a_series() -> None:
    run = parse(HEAD + interval([5], 0, "A") + interval([6, 6], 0, "B") + interval([5], 1, "A") + interval([9], 1))
    assert {name: bins(run, name) for name in ("A", "B", "all")} == {
        "A": [(5.0, 6.0, 2)],
        "B": [(6.0, 7.0, 2)],
        "all": [(9.0, 10.0, 1)],
    }


def test_a_card_says_the_unit(tmp_path: Path) -> None:
    path = tmp_path / "log.hlog"
    path.write_text(HEAD + interval([5]), "utf-8")
    assert rtlat.read(path).records[["low", "unit"]].to_numpy().tolist() == [[5.0, "unknown"]]
    assert rtlat.read(path, printed_unit="ns").records[["low", "unit"]].to_numpy().tolist() == [[5.0, "ns"]]
    assert rtlat.read(path, printed_unit="us").records[["low", "unit"]].to_numpy().tolist() == [[5000.0, "ns"]]


def test_without_the_package_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    found = builtins.__import__

    def absent(name: str, *arguments: Any, **options: Any) -> Any:
        if name.startswith("hdrh"):
            raise ModuleNotFoundError(name)
        return found(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(LogError) as error:
        parse(HEAD + interval([5]))
    assert str(error.value) == (
        "log: found an interval log of HdrHistogram, expected the package hdrhistogram to read it; "
        "install rtlat with its extra hdr, as in pip install '.[hdr]'"
    )


def test_a_maximum_that_contradicts_its_histogram() -> None:
    lines = [interval([5000], 0), interval([6000], 1).replace("6.000", "7.000"), interval([8000], 2)]
    assert parse("".join(lines)).warnings[0] == "line 2: Interval_Max is 7.000, the histogram ends at 6003"


GOOD = interval([5, 7, 7])
BODY = zlib.decompress(base64.b64decode(GOOD.split(",")[3])[8:])


def changed(at: int, new: bytes) -> bytes:
    return BODY[:at] + new + BODY[at + len(new) :]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (payload(changed(8, b"\0\0\0\1")), "a header that fits no histogram of integers"),  # shifted
        (payload(changed(32, struct.pack(">d", 2.5))), "a header that fits no histogram of integers"),
        (payload(BODY[:-1]), "a header that fits no histogram of integers"),
        (payload(BODY[:39]), "39 bytes"),
        (payload(changed(12, b"\0\0\0\x09")), "Invalid significant_figures"),
        (payload(changed(16, b"\0" * 8)), "math domain error"),
        (payload(changed(12, b"\0\0\0\2")), "other buckets than those before"),
        (payload(BODY + bytes(64 << 20)), "4194304 bytes"),  # 64 KiB that would be 64 MiB
        (base64.b64encode(SECOND + b"\0\0\0\4abcd").decode(), "Error -3 while decompressing data"),
        (GOOD.split(",")[3].strip()[:-8], "Decoded length=36 buffer length=31"),
    ],
)
def test_an_interval_that_cannot_be_decoded_is_rejected_alone(code: str, reason: str) -> None:
    run = parse(GOOD + f"1.000,1.000,0.007,{code}\n" + GOOD)
    assert bins(run) == [(5.0, 6.0, 2), (7.0, 8.0, 4)]
    assert run.rejected.reasons == {"an interval that cannot be decoded": [1, 2]}
    assert run.warnings[0].startswith(f"line 2: an interval that cannot be decoded: {reason}")
    assert run.warnings[-1] == "1 intervals are missing (the first is line 2)"


@pytest.mark.parametrize("text", ["Tag=A;0.1,1.0,2.0,HISTFAAAA", "0.1,1.0,HISTFAAAAEV42pNpmSzM", "0,1,HISTFAAAA=====A"])
def test_a_damaged_line_is_rejected(text: str) -> None:
    run = parse(GOOD + text + "\n")
    assert run.rejected.reasons == {"a damaged interval": [1, 2]}


def test_cut_at_every_character() -> None:
    log = HEAD + GOOD + interval([9, 9, 9], 1)
    whole = bins(parse(log))
    first = len(HEAD + GOOD) - 1
    for length in range(1, len(log)):
        if length < first:
            with pytest.raises(LogError, match="^log: found no interval with an observation"):
                parse(log[:length])
            continue
        run = parse(log[:length])
        assert bins(run) == (whole if length == len(log) - 1 else [(5.0, 6.0, 1), (7.0, 8.0, 2)])
        torn = "HIST" in log[first + 1 : length] and length < len(log) - 1
        assert bool(run.rejected.total) == torn


def test_nothing_but_a_head_is_no_log() -> None:
    for text in (HEAD, HEAD + interval([])):
        with pytest.raises(LogError, match="^log: found no interval with an observation, expected an interval log of"):
            parse(text)


def test_damaged_payloads_never_end_a_run_badly() -> None:
    random = np.random.default_rng(5)
    for _ in range(300):
        body = bytearray(BODY)
        for at in random.integers(0, len(body), 3):
            body[at] = int(random.integers(256))
        run = parse(GOOD + f"1.000,1.000,0.007,{payload(bytes(body))}\n")
        assert run.rejected.total or sum(n for *_, n in bins(run)) >= 3
