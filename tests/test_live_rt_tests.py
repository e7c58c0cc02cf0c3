"""The tools of rt-tests as they are installed, run for a second: their text and their JSON tell the same run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from rtlat.detection import detect
from rtlat.protocol import Run
from rtlat.source import Source

COMMANDS = {
    "cyclictest": "-q -D1 -t1 -p80 -h200",
    "cyclicdeadline": "-q -D1 -i10000",
    "signaltest": "-q -D1 -p80 -t2",
    "pmqtest": "-q -D1 -p80",
    "ptsematest": "-q -D1 -p80",
    "svsematest": "-q -D1 -p80",
    "sigwaittest": "-q -D1 -p80",
    "oslat": "-D1 -c0 -b8",
    "rt-migrate-test": "-q -l3",
}


def installed(tool: str) -> str:
    """Where a tool is; without it the test is skipped, but in CI, which installs it, it fails."""
    path = shutil.which(tool, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if path:
        return path
    if os.environ.get("CI"):
        pytest.fail(f"{tool} is not installed: .ci/run installs the Debian package rt-tests")
    pytest.skip(f"{tool} is not installed (Debian package rt-tests)")


def run(tool: str, options: str, folder: Path) -> str:
    """What a tool prints; if it refuses to run here, its own words are the reason to skip."""
    path = installed(tool)
    done = subprocess.run(
        [path, *options.split()],
        cwd=folder,
        env={**os.environ, "_": path},  # svsematest makes its key from it
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    refused = re.search(
        r"(?i)^.*(?:\bnot permitted|not available|FATAL:|must be root|unable to|could not|denied).*$", done.stdout, re.M
    )
    if done.returncode and refused:
        pytest.skip(f"{tool}: {refused[0]}")
    assert done.returncode == 0, done.stdout
    return done.stdout


def summaries(run: Run) -> dict[str, tuple[float, float, int]]:
    """Minimum, maximum and n of each series."""
    arrays = run.rows.arrays()
    names = ("series", "low", "high", "n", "kind")
    rows = zip(*(arrays[name].tolist() for name in names), strict=True)
    return {series: (low, high, n) for series, low, high, n, kind in rows if kind == "summary"}


@pytest.mark.parametrize("tool", COMMANDS)
def test_text_and_json_tell_the_same_run(tool: str, tmp_path: Path) -> None:
    text = run(tool, f"{COMMANDS[tool]} --json=run.json", tmp_path)
    (tmp_path / "run.txt").write_text(text)
    runs = []
    for name in ("run.txt", "run.json"):
        source = Source(tmp_path / name, name)
        (found,) = detect(source)[0].parse(source)
        runs.append(found)
    from_text, from_json = map(summaries, runs)
    report = json.loads((tmp_path / "run.json").read_text())
    assert len(from_text) == len(from_json) == report["num_threads"]
    assert runs[1].tool == tool
    assert runs[0].tool == tool or tool in runs[0].tool  # three tools print the same text
    for series, (low, high, n) in from_json.items():
        # one of both is written first: a sample or two may lie between
        assert abs(from_text[series][2] - n) <= 2
        assert from_text[series][0] >= low or tool == "cyclictest"
        assert from_text[series][1] <= high or tool == "cyclictest"
        assert n > 0
    assert all(found.rejected.total == 0 for found in runs)


def test_hwlatdetect(tmp_path: Path) -> None:
    text = run("hwlatdetect", "--duration=1s --threshold=1", tmp_path)
    source = Source(None, "run.txt", text.encode())
    (found,) = detect(source)[0].parse(source)
    gaps = [max(map(int, pair)) for pair in re.findall(r"^ts: .*inner:(\d+), outer:(\d+)", text, re.MULTILINE)]
    of = found.rows.arrays()["of"].tolist()
    assert of.count("over") >= max(1, len(gaps))
    assert found.facts["threshold"] == 1000.0


def test_queuelat(tmp_path: Path) -> None:
    text = run("queuelat", "-m20000 -c100 -p1 -f2400 -t1", tmp_path)
    if "[" not in text:
        pytest.skip(f"queuelat: {text.strip()[-200:]}")
    source = Source(None, "run.txt", text.encode())
    (found,) = detect(source)[0].parse(source)
    (count,) = re.findall(r"^Min loop processing time: \[\d+ - \d+\] = (\d+)", text, re.MULTILINE)
    assert found.rows.arrays()["n"][0] == int(count)
    assert found.facts["ended"] != "cut"
