"""Logs by URL are read as those in files, from fsspec's own file systems."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pandas as pd
import pytest

from rtlat import workers
from rtlat.cli import main
from rtlat.errors import LogError
from rtlat.reading import read, read_all
from tests.conftest import ROOT

REPEATS = ROOT / "data" / "emulated-kernels" / "repeats"
LOG = REPEATS / "preempt_rt-1-idle.hist"


@pytest.fixture
def memory() -> Iterator[fsspec.AbstractFileSystem]:
    """fsspec's file system in memory, with three logs, what is none, and a card."""
    system = fsspec.filesystem("memory")
    for number in (1, 2, 3):
        system.pipe(f"/lab/repeats/run{number}.hist", (REPEATS / f"preempt_rt-{number}-idle.hist").read_bytes())
    system.pipe("/lab/repeats/odd.log", b"nothing that any tool prints\n")
    system.pipe("/lab/repeats/runs.toml", b'[defaults]\nload = "idle"\n')
    yield system
    system.rm("/lab", recursive=True)


def test_a_file_by_url_says_what_it_says_as_a_file(memory: fsspec.AbstractFileSystem) -> None:
    by_url, by_path = read("memory://lab/repeats/run1.hist"), read(LOG, card=None)
    assert by_url.runs["run"].tolist() == ["run1"]
    assert by_url.runs["source"].tolist() == ["memory://lab/repeats/run1.hist"]
    assert by_url.runs["group"].tolist() == ["repeats"]
    assert by_url.runs["sha256"].tolist() == by_path.runs["sha256"].tolist()
    for name in ("low", "high", "n", "line"):
        pd.testing.assert_series_equal(by_url.records[name], by_path.records[name])


def test_a_folder_and_a_pattern_by_url(memory: fsspec.AbstractFileSystem) -> None:
    recording, readings = read_all("memory://lab")
    assert recording.runs["run"].tolist() == ["run1", "run2", "run3"]
    assert [reading.source.name for reading in readings if reading.error] == ["memory:///lab/repeats/odd.log"]
    assert read("memory://lab/repeats/run[12].hist").runs["run"].tolist() == ["run1", "run2"]


def test_an_archive_by_url(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "runs.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(REPEATS.glob("stock-*-idle.hist")):
            archive.write(path, f"stock/{path.name}")
    within = read(f"zip://stock::file://{tmp_path}/runs.zip")
    assert within.runs["source"][0] == f"zip://stock/stock-1-idle.hist::file://{tmp_path}/runs.zip"
    assert within.runs["sha256"].tolist() == read(sorted(REPEATS.glob("stock-*-idle.hist"))).runs["sha256"].tolist()


def test_workers_open_urls_themselves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "CHUNK_LOGS", 2)
    folder = tmp_path / "logs"
    shutil.copytree(REPEATS, folder, ignore=shutil.ignore_patterns("*.toml"))
    archive = shutil.make_archive(str(tmp_path / "runs"), "zip", folder)
    for url in (f"file://{folder}/*.hist", f"zip://::file://{archive}"):
        with workers.pool(2) as executor:
            together = read(url, executor=executor)
        pd.testing.assert_frame_equal(together.records, read(url).records)


def test_what_cannot_be_opened_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(LogError, match="memory://lab/none.hist: found nothing that can be opened .FileNotFoundError"):
        read("memory://lab/none.hist")
    with pytest.raises(LogError, match="Protocol not known: gopher"):
        read("gopher://lab/none.hist")
    assert main(["summary", "ftp://me:secret@localhost:1/none.hist", str(LOG)]) == 1
    told = capsys.readouterr()
    assert "ftp://localhost:1/none.hist: found nothing that can be opened" in told.err
    assert "secret" not in told.err
    assert "preempt_rt-1-idle" in told.out


def test_an_empty_place_is_told() -> None:
    fsspec.filesystem("memory").makedirs("/bare", exist_ok=True)
    with pytest.raises(LogError, match="memory://bare: found a place without logs"):
        read("memory://bare")
