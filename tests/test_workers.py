"""Logs parsed by workers give what they give one after the other, whatever happens to a worker."""

from __future__ import annotations

import os
import pickle
import shutil
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from rtlat import workers
from rtlat.cli import main
from rtlat.errors import LogError, RtlatWarning, UnknownFormatError, UsageError
from rtlat.protocol import Recording
from rtlat.reading import read_all
from tests.conftest import ROOT


class Doomed(Executor):
    """Every task after the first is lost with its worker."""

    def __init__(self) -> None:
        self.tasks = 0

    def submit(self, task: Callable[..., Any], /, *arguments: Any, **options: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.tasks += 1
        if self.tasks == 1:
            future.set_result(task(*pickle.loads(pickle.dumps(arguments)), **options))
        else:
            future.set_exception(BrokenProcessPool("a child process terminated abruptly"))
        return future


@pytest.fixture
def farm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of fourteen logs in several formats, of which one is none, with a card that declares another."""
    monkeypatch.setattr(workers, "CHUNK_LOGS", 3)
    folder = tmp_path / "farm"
    folder.mkdir()
    repeats = sorted((ROOT / "data" / "emulated-kernels" / "repeats").glob("*.hist"))[:9]
    seeds = [ROOT / "data" / "seeds" / name for name in ("lil.txt", "rtirq-results.txt", "task-maxima.txt")]
    for path in [*repeats, *seeds]:
        shutil.copy(path, folder)
    (folder / "broken.log").write_text("nothing that any tool prints\n")
    (folder / "table.csv").write_text("wakeup\n7\n9\n")
    (folder / "runs.toml").write_text('[runs."table.csv".table]\nlatency = "wakeup"\nunit = "us"\n')
    return folder


def assert_same(one: Recording, other: Recording) -> None:
    for mine, theirs in zip(one, other, strict=True):
        pd.testing.assert_frame_equal(mine, theirs)


def test_processes_give_what_one_process_gives(farm: Path) -> None:
    alone, readings = read_all(farm)
    with ProcessPoolExecutor(2) as executor:
        together, found = read_all(farm, executor=executor)
    assert_same(alone, together)
    for before, after in zip(readings, found, strict=True):
        assert str(before.error) == str(after.error)
        assert type(before.error) is type(after.error)
        assert [(known.name, line) for known, line in before.claims] == [
            (known.name, line) for known, line in after.claims
        ]
    assert [reading.source.name for reading in found if reading.error] == ["farm/broken.log"]
    assert {"farm/table.csv"} < {reading.source.name for reading in found if reading.runs}


def test_a_chunk_whose_worker_was_lost_is_parsed_here(farm: Path) -> None:
    with pytest.warns(RtlatWarning, match="workers were lost .BrokenProcessPool.*; the 10 logs they had"):
        recording, _ = read_all(farm, executor=Doomed())
    assert_same(recording, read_all(farm)[0])


def test_few_logs_are_not_worth_a_worker(farm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "CHUNK_LOGS", 4)
    doomed = Doomed()
    with pytest.warns(RtlatWarning, match="the 9 logs they had"):
        read_all(farm, executor=doomed)
    assert doomed.tasks == 4
    monkeypatch.setattr(workers, "CHUNK_LOGS", 5)
    read_all(farm, executor=doomed)
    assert doomed.tasks == 4


def test_a_chunk_is_full_by_size_too(farm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "CHUNK_LOGS", 1000)
    monkeypatch.setattr(workers, "CHUNK_BYTES", 1)
    with ThreadPoolExecutor(1) as executor:
        assert_same(read_all(farm, executor=executor)[0], read_all(farm)[0])


def test_errors_keep_what_they_say_on_their_way() -> None:
    error = pickle.loads(pickle.dumps(UnknownFormatError("a.txt", "'x'", "a log", line=7)))
    assert (type(error), str(error)) == (UnknownFormatError, "a.txt:7: found 'x', expected a log")
    assert isinstance(error, LogError)


def test_jobs_are_a_number_of_processes(farm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with workers.pool(1) as executor:
        assert executor is None
    with workers.pool() as executor:
        assert (executor is None) == (len(os.sched_getaffinity(0)) == 1)
    with pytest.raises(UsageError, match="0 processes"), workers.pool(0):
        pass
    assert main(["summary", "--jobs", "-1", str(farm)]) == 2
    assert "-1 processes" in capsys.readouterr().err
