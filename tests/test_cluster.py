"""A real dask cluster, its workers processes, gives what one process gives, with a worker killed in the middle too."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from distributed import Client, LocalCluster

from rtlat import workers
from rtlat.cli import main
from rtlat.reading import read_all
from tests.conftest import ROOT

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as running:
        yield running


@pytest.fixture
def farm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sixty logs, one of them damaged beyond reading, in tasks of three."""
    monkeypatch.setattr(workers, "CHUNK_LOGS", 3)
    repeats = sorted((ROOT / "data" / "emulated-kernels" / "repeats").glob("*.hist"))
    for number in range(60):
        shutil.copy(repeats[number % len(repeats)], tmp_path / f"run{number:02}.hist")
    (tmp_path / "run07.hist").write_bytes(b"\0" * 500)
    return tmp_path


class Killing(Executor):
    """An executor that kills a worker's process when half of the tasks are on their way."""

    def __init__(self, client: Client) -> None:
        self.executor = client.get_executor()
        self.victim = next(iter(client.run(os.getpid).values()))
        self.tasks = 0

    def submit(self, task: Callable[..., Any], /, *arguments: Any, **options: Any) -> Future[Any]:
        self.tasks += 1
        if self.tasks == 10:
            os.kill(self.victim, signal.SIGKILL)
        return self.executor.submit(task, *arguments, **options)  # type: ignore[no-any-return]


def test_a_worker_killed_in_the_middle_changes_no_number(cluster: LocalCluster, farm: Path) -> None:
    alone, _ = read_all(farm)
    with Client(cluster, set_as_default=False) as client:
        killing = Killing(client)
        together, readings = read_all(farm, executor=killing)
    assert killing.tasks == 20
    for mine, theirs in zip(alone, together, strict=True):
        pd.testing.assert_frame_equal(mine, theirs)
    assert [reading.source.name[-10:] for reading in readings if reading.error] == ["run07.hist"]


def test_the_command_line_asks_a_scheduler(
    cluster: LocalCluster, farm: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["summary", "--csv", str(farm)]) == 0
    alone = capsys.readouterr().out
    assert main(["summary", "--csv", "--dask", cluster.scheduler_address, str(farm)]) == 0
    assert capsys.readouterr().out == alone


def test_no_scheduler_is_a_mistake_of_the_command(
    farm: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "PATIENCE", 0.2)
    assert main(["summary", "--dask", "tcp://127.0.0.1:1", str(farm)]) == 2
    assert "--dask tcp://127.0.0.1:1: no scheduler answers" in capsys.readouterr().err
