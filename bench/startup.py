"""How much longer than a bare interpreter ``rtlat --help`` takes to start.

Both are started in turn, and CPU time is compared rather than wall
time: a busy machine then changes the figures, but hardly their ratio.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from bench.scoreboard import ENVIRONMENT, Effort, Row, milliseconds

ROUNDS = 11
GOAL = 2.5

BARE = [sys.executable, "-c", "pass"]
HELP = [str(Path(sys.executable).with_name("rtlat")), "--help"]


def cpu_seconds(command: list[str]) -> float:
    """CPU time, user and system, of one run of `command` [s]."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def rows(effort: Effort) -> Iterator[Row]:
    """Yield the ratio of the medians."""
    rounds = max(ROUNDS, effort.rounds)
    for command in (BARE, HELP):
        cpu_seconds(command)  # compiles what is not compiled yet
    bare, helped = zip(*((cpu_seconds(BARE), cpu_seconds(HELP)) for _ in range(rounds)), strict=True)
    ours, theirs = median(helped), median(bare)
    detail = f"{milliseconds(ours)} / {milliseconds(theirs)}"
    yield Row("startup", "rtlat --help / a bare interpreter", ours / theirs, GOAL, detail)
