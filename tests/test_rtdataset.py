"""Histograms written as an RT Dataset: read back by the json module, by rtlat, and by what OSADL's plot asks for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import ROOT

import rtlat
from rtlat import rtdataset
from rtlat.__main__ import main
from rtlat.errors import LogError, SelectionError
from rtlat.protocol import Recording

JSON = ROOT / "tests/data/json/deb2.10-1_h20.json"


def read(tmp_path: Path, text: str, name: str = "log.txt", **facts: str) -> Recording:
    log = tmp_path / name
    log.write_text(text, "utf-8")
    return rtlat.read(log, **facts)


def bins(recording: Recording) -> list[list[tuple[float, int]]]:
    """Return low end and count of the finite bins, by series."""
    rows = recording.records[(recording.records["kind"] == "bin") & (recording.records["high"] < float("inf"))]
    return [
        list(zip(part["low"].tolist(), part["n"].tolist(), strict=True))
        for _, part in rows.groupby("series", sort=False)
    ]


def test_what_cyclictest_wrote_is_what_stands_there() -> None:
    told = json.loads(JSON.read_text("utf-8"))
    dataset, left_out = rtdataset.describe(rtlat.read(JSON))
    classes, *cores = dataset["latency"]["cores"]
    assert classes == [*range(20)]  # -h20
    for core, thread in zip(cores, told["thread"].values(), strict=True):
        assert {str(c): n for c, n in zip(classes, core, strict=True) if n} == thread["histogram"]
    assert dataset["latency"]["maxima"] == [thread["max"] for thread in told["thread"].values()]
    assert dataset["condition"]["cyclictest"] == told["cmdline:"]
    assert (dataset["condition"]["cycles"], dataset["condition"]["interval"]) == (300, 1000)
    beyond = 600 - sum(map(sum, cores))
    assert left_out == [
        f"{beyond} observations beyond 19 us but for the maximum of each core",
        "averages",
        "names of the series",
    ]


def test_the_command_line_writes_it_and_reads_it_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "new" / "run.rtdataset.json"
    assert main(["read", str(JSON), "--set", "load=idle", "--set", "machine=board", "-o", str(out)]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith(f"wrote {out}; left out: ")
    original, again = rtlat.read(JSON), rtlat.read(out)
    assert again.runs["format"].tolist() == ["rt_dataset"]
    assert bins(again) == bins(original)
    for column in ("command", "kernel", "period", "tool"):
        assert again.runs[column].tolist() == original.runs[column].tolist()
    assert again.runs[["load", "machine"]].to_numpy().tolist() == [["idle", "board"]]
    highest = [rtlat.summary(recording).set_index("series")["max"] for recording in (original, again)]
    assert [highest[1][f"cpu{index}"].low for index in (0, 1)] == [highest[0][f"t{index}"].low for index in (0, 1)]
    assert [path.name for path in out.parent.iterdir()] == [out.name]


def test_the_published_one_survives_being_read_and_written(logs: Path) -> None:
    told = json.loads((logs / "public/cyclictest/osadl_r0s8.json").read_text("utf-8"))
    dataset, left_out = rtdataset.describe(rtlat.read(logs / "public/cyclictest/osadl_r0s8.json"))
    assert dataset["latency"]["maxima"] == told["latency"]["maxima"]
    for written, original in zip(dataset["latency"]["cores"], told["latency"]["cores"], strict=True):
        assert written == original[:399]  # the last class is empty
        assert sum(original[399:]) in (0, 399)
    for part in ("condition", "format"):
        assert dataset[part] == told[part]
    assert dataset["processor"] == {**told["processor"], "family": ""}
    assert dataset["kernel"] == {**told["kernel"], "config": []}
    assert left_out == ["the approach", "warnings"]


def test_it_holds_all_that_osadls_plot_asks_for(tmp_path: Path) -> None:
    log = "0;809.496981008;30\n0;810.496981008;31\n1;810.596981008;0\n"
    dataset, left_out = rtdataset.describe(read(tmp_path, log, "samples.csv"))
    assert left_out == ["order and times", "names of the series"]
    assert dataset["latency"]["cores"][1][30:] == [1, 1]
    for part, key in [("system", "hostname"), ("processor", "vendor"), ("processor", "type"), ("processor", "family")]:
        assert dataset[part][key] == ""
    assert (dataset["kernel"]["version"], dataset["timestamps"]["origin"]) == ("", "")
    assert dataset["condition"] == {"load": "", "cycles": 2, "cyclictest": "jitterdebugger"}


def test_samples_finer_than_a_class_are_told(tmp_path: Path) -> None:
    log = "0;809.496981008;30999\n0;810.496981008;31000\n"
    dataset, left_out = rtdataset.describe(read(tmp_path, log, "samples.csv", printed_unit="ns"))
    assert dataset["latency"]["cores"][1][30:] == [1, 1]
    assert dataset["latency"]["maxima"] == [31]
    assert "fractions of a microsecond" in left_out


def test_what_is_slower_than_the_last_class_keeps_its_maximum(tmp_path: Path) -> None:
    log = "0;809.496981008;30\n0;810.496981008;2000000\n0;811.496981008;3000000\n"
    dataset, left_out = rtdataset.describe(read(tmp_path, log, "samples.csv"))
    assert len(dataset["latency"]["cores"][0]) == 10_000
    assert (sum(dataset["latency"]["cores"][1]), dataset["latency"]["maxima"]) == (1, [3_000_000])
    assert left_out[0] == "2 observations beyond 9999 us but for the maximum of each core"


def test_times_are_written_as_iso_writes_them() -> None:
    dataset, _ = rtdataset.describe(rtlat.read(JSON, started="Mon, 30 Nov 2026 23:59:50 +0100"))
    assert rtdataset.describe(rtlat.read(JSON))[0]["timestamps"]["origin"][:2] in ("20", "")
    assert dataset["timestamps"]["origin"].startswith("2026-11-30T")


STATUS = "T: 0 (15116) A: 0 C:      9978 Min:        13 Avg:   36.61 Max:      4457 \n"
HISTOGRAM = '"histogram": {"13": 5, "20": 5}, "count": 10, "min": 13, "max": 20, "avg": 16.50}}}'


@pytest.mark.parametrize(
    ("log", "facts", "reason"),
    [
        (STATUS, {}, "t0 has no histogram: its log only has a summary"),
        (STATUS, {"quantity": "irq"}, "t0 is irq: an RT Dataset holds thread latency, as cyclictest measures it"),
        (
            '{"cpu": {"0": {' + HISTOGRAM.replace("5}", "4}"),
            {},
            "the histogram of t0 is not whole: an RT Dataset cannot say so",
        ),
        (
            '{"cpu": {"0": {' + HISTOGRAM.replace("20, ", "18446744073709551386, ").replace("5}", "4}"),
            {},
            "t0 may hold negative latencies, for which an RT Dataset has no class",
        ),
    ],
)
def test_what_it_cannot_hold_is_refused(tmp_path: Path, log: str, facts: dict[str, str], reason: str) -> None:
    with pytest.raises(SelectionError) as error:
        rtdataset.describe(read(tmp_path, log, **facts))
    assert str(error.value).startswith(reason)


def test_observations_that_were_dropped_need_their_maximum(tmp_path: Path) -> None:
    dataset, _ = rtdataset.describe(rtlat.read(JSON))
    dataset["latency"]["maxima"] = []
    with pytest.raises(SelectionError, match="^what cpu0 lost beyond its last bin has no maximum to tell of it$"):
        rtdataset.describe(read(tmp_path, json.dumps(dataset, indent=4)))


def test_wide_bins_are_refused(tmp_path: Path) -> None:
    log = '{"cpu": {"0": {' + HISTOGRAM
    recording = read(tmp_path, log, printed_unit="ms")
    with pytest.raises(SelectionError, match="t0 has bins wider than the microsecond of an RT Dataset's classes"):
        rtdataset.describe(recording)


def test_two_runs_are_refused() -> None:
    both = rtlat.read([JSON, JSON.with_name("deb2.10-1_N_h8.json")])
    with pytest.raises(SelectionError, match="an RT Dataset holds one run, not 2: read one log"):
        rtdataset.describe(both)


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LogError, match="found a place that cannot be written"):
        rtdataset.save(rtlat.read(JSON), tmp_path / "file" / "a.rtdataset.json")
