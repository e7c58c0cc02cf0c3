"""jitterdebugger as it is installed, run for a second: its console, results and samples tell the same run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import rtlat


@pytest.fixture(scope="module", params=["", "-N"], ids=["us", "ns"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What it wrote, with its console; without the tool the test is skipped, but in CI, which installs it, it fails."""
    path = shutil.which("jitterdebugger")
    if not path:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("jitterdebugger is not installed (Debian package)")
    folder = tmp_path_factory.mktemp("jitterdebugger")
    command = [str(path), "-D", "1s", "-i", "10000", "-s", "-o", "out", *str(request.param).split()]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    if refused := re.search(r"(?im)^.*(?:no permission|not permitted|No such device).*$", done.stderr):
        pytest.skip(f"jitterdebugger: {refused[0]}")
    assert done.returncode == 0, done.stderr
    (folder / "console.txt").write_text(done.stdout, "utf-8")
    return folder


def test_three_tellings_of_one_run(run: Path) -> None:
    unit = "ns" if '"resolution_in_ns": 1\n' in (run / "out/results.json").read_text("utf-8") else "us"
    results, samples, console = (
        rtlat.read(run / name, printed_unit=unit) for name in ("out/results.json", "out/samples.raw", "console.txt")
    )
    told = results.records[results.records["kind"] == "summary"].set_index("series")
    assert set(told["unit"]) == {"ns"}
    printed = console.records.set_index("series")
    assert printed[["low", "high", "n"]].to_dict() == told[["low", "high", "n"]].to_dict()
    for name, row in told.iterrows():
        mine = samples.records[samples.records["series"] == name]["low"]
        assert 0 < len(mine) <= row["n"]  # the last samples are not written
        assert row["low"] <= mine.min() <= mine.max() <= row["high"]
        assert row["low"] <= row["avg"] <= row["high"]
    bins = results.records[results.records["kind"] == "bin"]
    assert int(bins["n"].sum()) == int(told["n"].sum())
