"""What a page carries is what was read, and a hostile page costs one clear line."""

from __future__ import annotations

import base64
import io
import json
import lzma
import random
import re
import shutil
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from conftest import ROOT
from nbformat.v4 import new_notebook
from pandas.testing import assert_frame_equal
from pyarrow import parquet as pq

import rtlat
from rtlat import carried_data, frames, parquet, store
from rtlat.__main__ import main
from rtlat.errors import LogError
from rtlat.protocol import Recording
from rtlat.reporting.page import About, page

DATA = ROOT / "data"
FOLDERS = sorted({DATA, *(path.parent for path in DATA.rglob("*") if path.is_file() and path.parent != DATA)})
STOCK = DATA / "emulated-kernels" / "repeats" / "stock-1-idle.hist"
ELEMENT = re.compile(r'<script type="application/x-xz" id="rtlat-(\w+)">([^<]*)</script>')


def same(one: Recording, other: Recording) -> None:
    """Fail unless two recordings are equal in every value, dtype, category and row."""
    for mine, theirs in zip(one, other, strict=True):
        assert_frame_equal(mine, theirs, check_exact=True)


def carrying(recording: Recording, path: Path) -> Path:
    """Write a report's page that carries a recording."""
    path.write_text(page(new_notebook(), About("n.ipynb", "T", "now"), carried_data.elements(recording)), "utf-8")
    return path


def altered(path: Path, table: str, change: Callable[[bytes], bytes]) -> Path:
    """Let `change` work on the xz data of a table of a page."""
    text = path.read_text("utf-8")
    found = next(found for found in ELEMENT.finditer(text) if found[1] == table)
    packed = base64.b64encode(change(base64.b64decode(found[2]))).decode()
    path.write_text(text[: found.start(2)] + packed + text[found.end(2) :], "utf-8")
    return path


def with_table(path: Path, table: str, arrow: pa.Table, **options: Any) -> Path:
    """Put another Parquet file into a page."""
    file = io.BytesIO()
    pq.write_table(arrow, file, **{"compression": "none", "store_schema": False, **options})
    return altered(path, table, lambda _: lzma.compress(file.getvalue()))


def arrow_of(frame: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)


@pytest.fixture(scope="module")
def stock() -> Recording:
    return rtlat.read(STOCK)


@pytest.fixture
def report(stock: Recording, tmp_path: Path) -> Path:
    return carrying(stock, tmp_path / "report.html")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_example_comes_back(folder: Path, tmp_path: Path) -> None:
    recording = rtlat.read(folder)
    again = carrying(recording, tmp_path / "report.html")
    same(rtlat.read(again), recording)
    same(store.load(again), recording)
    assert again.stat().st_size < 1_000_000, "plotly takes 1.9 of 3 MB"


def test_recorded_and_public_logs_come_back(logs: Path, tmp_path: Path) -> None:
    """All formats together: what only some of them state has to come back as well."""
    recording, _ = rtlat.read_all([logs / "recorded" / "rt-tests", *sorted((logs / "public").iterdir())])
    assert len(recording.runs) > 200
    assert recording.runs["format"].nunique() > 8
    same(rtlat.read(carrying(recording, tmp_path / "report.html")), recording)


def test_anyone_can_unpack_it_by_hand(report: Path) -> None:
    """The sum of the histogram is that of the log's own footer."""
    found = dict(ELEMENT.findall(report.read_text("utf-8")))
    records, runs = (
        pq.read_table(io.BytesIO(lzma.decompress(base64.b64decode(found[name])))).to_pylist()
        for name in ("records", "runs")
    )
    footer = dict(
        line[2:].split(": ")
        for line in STOCK.read_text().splitlines()
        if re.match("# (Total|Histogram Overflows): ", line)
    )
    stated = [int(word) for what in ("Total", "Histogram Overflows") for word in footer[what].split()]
    assert sum(row["n"] for row in records if (row["kind"], row["of"]) == ("bin", "all")) == sum(stated)
    assert [row["tool"] for row in runs] == ["cyclictest"]


def test_a_command_says_of_a_report_what_it_says_of_the_logs(
    report: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    for place in (report, STOCK):
        assert main(["summary", str(place), "--json"]) == 0
        said.append(json.loads(capsys.readouterr().out))
    assert said[0] == said[1]
    assert main(["read", str(report)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[:2] == ["stock-1-idle.hist", "  format    cyclictest_text, read before"]
    assert main(["summary", str(report), "--set", "load=idle"]) == 1
    assert "--set say something of logs" in capsys.readouterr().err


def test_reports_and_logs_together_are_the_logs(tmp_path: Path) -> None:
    folder = STOCK.parent
    names = [folder / f"{kind}-{number}-idle.hist" for kind in ("stock", "preempt_rt") for number in (1, 2, 3)]
    first = carrying(rtlat.read(names[:2]), tmp_path / "first.html")
    second = carrying(rtlat.read(names[2:4]), tmp_path / "second.html")
    same(rtlat.read([*names[4:], first, second]), rtlat.read([*names[4:], *names[:4]]))
    same(rtlat.read([first, *names[:2]]), rtlat.read(names[:2]))
    same(rtlat.read(str(tmp_path / "*.html")), rtlat.read(names[:4]))


def test_runs_of_one_name_from_two_reports_are_told_apart(report: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / STOCK.name
    other.parent.mkdir()
    other.write_text(STOCK.read_text() + "# one more line\n")
    recording = rtlat.read([report, carrying(rtlat.read(other), tmp_path / "other.html")])
    assert recording.runs["run"].iloc[0] == "stock-1-idle"
    assert len(set(recording.runs["run"])) == 2
    assert recording.records["run"].value_counts().nunique() == 1


def test_reports_are_arms_of_a_comparison(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for kind in ("stock", "preempt_rt"):
        carrying(rtlat.read([*STOCK.parent.glob(f"{kind}-?-idle.hist")]), tmp_path / f"{kind}.html")
    asked = [str(tmp_path / "preempt_rt.html"), "--against", str(tmp_path / "stock.html"), "--json"]
    main(["compare", *asked])
    (outcome,) = json.loads(capsys.readouterr().out)["outcomes"]
    assert (outcome["arm"], outcome["against"]) == ("preempt_rt.html", "stock.html")


def test_a_folder_is_its_logs_not_the_reports_in_it(report: Path, stock: Recording, tmp_path: Path) -> None:
    for name in (
        "report.tables/a.csv",
        "report.data/runs.parquet",
        "report.ipynb",
        "report.failed.ipynb",
        "report.pdf",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("no log")
    shutil.copy(STOCK, tmp_path / "a.hist")
    recording, readings = rtlat.read_all(tmp_path)
    assert [reading.source.name for reading in readings] == [f"{tmp_path.name}/a.hist"]
    assert len(recording.records) == len(stock.records)


@pytest.mark.parametrize("suffix", [".html", ".htm", ".HTML"])
def test_a_mail_saved_as_a_page_is_a_log(suffix: str, tmp_path: Path, stock: Recording) -> None:
    mail = tmp_path / f"mail{suffix}"
    told = "they write &lt;meta name=&quot;rtlat&quot; content=&quot;&quot;&gt; into pages"
    mail.write_text(f"<!doctype html><html><body><p>{told}</p><pre>\n{STOCK.read_text()}</pre></body></html>")
    assert rtlat.read(mail).records["n"].sum() == stock.records["n"].sum()


def test_a_report_without_data_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = tmp_path / "old.html"
    old.write_text(page(new_notebook(), About("n.ipynb", "T", "now")), "utf-8")
    with pytest.raises(
        LogError, match="old.html: found a report without data, expected data in the page, or beside it"
    ):
        rtlat.read(old)
    assert main(["summary", str(old), str(STOCK)]) == 1
    streams = capsys.readouterr()
    assert "stock-1-idle" in streams.out, "one bad report costs no log"
    assert len(streams.err.splitlines()) == 1


def test_a_report_whose_data_lie_beside_it(tmp_path: Path, stock: Recording) -> None:
    old = tmp_path / "old.html"
    old.write_text(page(new_notebook(), About("n.ipynb", "T", "now")), "utf-8")
    store.save(stock, tmp_path / "old.data")
    same(rtlat.read(old), stock)
    (tmp_path / "old.data" / "runs.parquet").write_bytes(b"PAR1")
    with pytest.raises(LogError, match=r"runs.parquet: found no table rtlat stored"):
        rtlat.read(old)


@pytest.mark.parametrize("part", [0.2, 0.6, 0.9, 0.999])
def test_a_report_that_is_cut_short_says_so(part: float, report: Path) -> None:
    whole = report.read_bytes()
    report.write_bytes(whole[: int(len(whole) * part)])
    with pytest.raises(LogError, match="cut short"):
        rtlat.read(report)


def test_damage_is_never_read_as_data(report: Path, stock: Recording) -> None:
    """xz checks itself: what is read after damage is what was there, or one clear line."""
    whole, place = report.read_text("utf-8"), random.Random(1)
    letters = "ABCDEFabcdef0123456789+/=<\n"
    spans = [found.span(2) for found in ELEMENT.finditer(whole)]
    said = []
    for _ in range(120):
        at = place.randrange(*place.choice(spans))
        report.write_text(whole[:at] + place.choice(letters) + whole[at + 1 :], "utf-8")
        try:
            same(rtlat.read(report), stock)
        except LogError as error:
            said.append(str(error))
    assert len(said) > 100
    assert not any("\n" in line for line in said)


def test_what_unpacks_to_too_much_is_not_unpacked(report: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carried_data, "_MOST_BYTES", 1 << 20)
    altered(report, "records", lambda _: lzma.compress(bytes(8 << 20)))
    with pytest.raises(LogError, match=r"\(records\): found more than 1 MB of data"):
        rtlat.read(report)


def test_what_asks_for_much_memory_gets_none(report: Path) -> None:
    """The head of an xz block names the size of its dictionary: here 4 GiB."""

    def large(packed: bytes) -> bytes:
        size = (packed[12] + 1) * 4
        head = bytearray(packed[12 : 12 + size - 4])
        assert head[2:4] == b"\x21\x01", "one filter, LZMA2"
        head[4] = 40
        return packed[:12] + head + struct.pack("<I", zlib.crc32(head)) + packed[12 + size :]

    altered(report, "records", large)
    with pytest.raises(LogError, match=r"damaged data \(Memory usage limit"):
        rtlat.read(report)


def test_few_bytes_that_are_many_rows_are_refused(report: Path, stock: Recording) -> None:
    many = carried_data.MOST_ROWS + 1
    columns = {field.name: pa.nulls(many, field.type) for field in arrow_of(stock.records).schema}
    with_table(report, "records", pa.table(columns))
    with pytest.raises(LogError, match=r"found 1,000,001 rows, expected at most 1,000,000"):
        rtlat.read(report)


def test_one_text_in_many_rows_is_refused(report: Path, stock: Recording) -> None:
    runs = pd.concat([stock.runs] * 2_000, ignore_index=True).assign(note="x" * 50_000)
    with_table(report, "runs", arrow_of(runs), use_dictionary=["note"])
    with pytest.raises(
        LogError, match=r"found 100,000,000 bytes of text in column 'note', expected at most 64,000,000"
    ):
        rtlat.read(report)


def test_a_table_packed_twice_is_refused(report: Path, stock: Recording) -> None:
    many = pd.concat([stock.records] * 20, ignore_index=True)
    with_table(report, "records", arrow_of(many), compression="zstd", use_dictionary=False)
    with pytest.raises(LogError, match="found a table packed twice"):
        rtlat.read(report)


def test_a_damaged_table_never_ends_the_process() -> None:
    """pyarrow aborts on some files when it is asked for more than their rows; here in a process of its own."""
    done = subprocess.run([sys.executable, "-c", _DAMAGE, str(STOCK)], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-300:]
    assert int(done.stdout) > 200, "most damage is found out"


_DAMAGE = """
import io, random, sys, rtlat
from rtlat import parquet
from rtlat.errors import RtlatError
place, tables = random.Random(1), dict(zip(parquet.TABLES, rtlat.read(sys.argv[1])))
whole = {name: parquet.packed(frame, "none") for name, frame in tables.items()}
refused = 0
for _ in range(400):
    name = place.choice(list(whole))
    data = bytearray(whole[name])
    for _ in range(place.choice([1, 2, 5])):
        data[-place.randrange(1, min(3000, len(data)))] = place.randrange(256)
    try:
        frame = parquet.unpacked(name, io.BytesIO(data), parquet.TABLES[name], 10_000)
        parquet.recording({**tables, name: frame})
    except RtlatError:
        refused += 1
print(refused)
"""


def without(name: str) -> Callable[[pa.Table], pa.Table]:
    return lambda table: table.drop_columns([name])


def instead(name: str, values: Callable[[int], pa.Array]) -> Callable[[pa.Table], pa.Table]:
    return lambda table: table.set_column(table.column_names.index(name), name, values(len(table)))


@pytest.mark.parametrize(
    ("table", "change", "reason"),
    [
        ("records", without("low"), "found no column 'low', expected column 'low' of double"),
        ("runs", without("note"), "found no column 'note', expected column 'note' of string"),
        ("records", lambda t: t.append_column("x", t["n"]), "found column 'x' of int64, expected no column 'x'"),
        ("records", instead("n", lambda n: pa.array(["1"] * n)), "found column 'n' of string, expected .* of int64"),
        ("records", instead("low", lambda n: pa.array([[1.0]] * n)), "found column 'low' of list"),
        ("records", instead("line", lambda n: pa.nulls(n, pa.int64())), "found a gap in column 'line'"),
        ("records", instead("series", lambda n: pa.nulls(n, pa.string())), "found a gap in column 'series'"),
        ("records", instead("kind", lambda n: pa.array(["<b>"] * n)), "schema forbids .*kind '<b>' is none of"),
        ("records", instead("run", lambda n: pa.array(["other"] * n)), "schema forbids .*is no key of runs"),
        ("records", instead("low", lambda n: pa.array([1e9] * n)), "schema forbids .*lies above high|does not lie"),
        ("records", instead("run", lambda n: pa.array([b"\xff"] * n, pa.binary())), "found column 'run' of binary"),
        ("runs", lambda t: pa.concat_tables([t, t]), "schema forbids .*stands twice"),
        ("series", instead("run", lambda n: pa.array(["other"] * n)), "schema forbids .*is no key of runs"),
    ],
)
def test_what_the_schema_forbids_is_refused(
    table: str, change: Callable[[pa.Table], pa.Table], reason: str, report: Path, stock: Recording
) -> None:
    with_table(report, table, change(arrow_of(getattr(stock, table))))
    with pytest.raises(LogError, match=reason) as caught:
        rtlat.read(report)
    assert "\n" not in str(caught.value)


def test_no_parquet_and_no_xz_are_refused(report: Path) -> None:
    whole = report.read_text("utf-8")
    for change in (lambda _: lzma.compress(b"PAR1 no table PAR1"), lambda _: b"", lambda packed: packed[:-20]):
        report.write_text(whole, "utf-8")
        altered(report, "runs", change)
        with pytest.raises(LogError, match=r"report.html \(runs\): found"):
            rtlat.read(report)


def test_what_a_notebook_shows_is_not_what_a_page_carries(stock: Recording, tmp_path: Path) -> None:
    """An element that a notebook's own HTML holds stands before the page's own, which counts."""
    fake = '<script type="application/x-xz" id="rtlat-records">AAAA</script>'
    path = carrying(stock, tmp_path / "report.html")
    path.write_text(path.read_text("utf-8").replace("<main>", f"<main>{fake}"), "utf-8")
    same(rtlat.read(path), stock)


def test_a_parquet_file_tells_nothing_of_who_wrote_it(stock: Recording) -> None:
    for frame in stock:
        metadata = pq.ParquetFile(io.BytesIO(parquet.packed(frame, "zstd"))).metadata
        assert not metadata.metadata
        assert re.fullmatch(r"parquet-cpp-arrow version [\d.]+", metadata.created_by)


def test_every_value_of_the_schema_survives(tmp_path: Path) -> None:
    """Missing ones, infinite ones, the largest count, and text of any kind."""
    text = "'\"<&\x00\x1b\ud7ff \U0001f600"
    runs = frames.frame(
        rtlat.schema.RUNS, {"run": ["b", "a", text], "folded": [None, True, False], "ended": ["cut"] * 3}
    )
    records = {
        "run": [text, "b", "b"], "series": ["t1", "t0", ""], "quantity": ["thread"] * 3, "of": ["all"] * 3,
        "kind": ["sample", "bin", "summary"], "low": [-0.1, 5e-324, float("-inf")], "high": [-0.1, 1e300, float("inf")],
        "n": [2**63 - 1, 0, None], "unit": ["ns"] * 3, "line": [2**62, 0, 1],
    }  # fmt: skip
    series = frames.frame(rtlat.schema.SERIES, {"run": ["a"], "series": ["t"], "ended": [""]})
    recording = parquet.recording(
        {"records": frames.frame(rtlat.schema.RECORDS, records), "runs": runs, "series": series}
    )
    same(rtlat.read(carrying(recording, tmp_path / "r.html")), recording)
    store.save(recording, tmp_path / "stored")
    same(rtlat.read(tmp_path / "stored"), recording)
