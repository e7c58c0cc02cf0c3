"""How much longer than a bare interpreter ``rtlat --help`` takes to start.

Run as ``python -m bench.startup``. Both are started in turn, and CPU time is compared rather than wall
time: a busy machine then changes the figures, but hardly their ratio.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path
from statistics import median

ROUNDS = 11
GOAL = 2.5

BARE = [sys.executable, "-c", "pass"]
HELP = [str(Path(sys.executable).with_name("rtlat")), "--help"]
# Modules are compiled once, as on anybody's machine.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def cpu_seconds(command: list[str]) -> float:
    """CPU time, user and system, of one run of `command` [s]."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Print the ratio of the medians; exit status 1 if it misses the goal."""
    for command in (BARE, HELP):
        cpu_seconds(command)  # compiles what is not compiled yet
    bare, helped = zip(*((cpu_seconds(BARE), cpu_seconds(HELP)) for _ in range(ROUNDS)), strict=True)
    ratio = median(helped) / median(bare)
    print(
        f"startup: rtlat --help {median(helped) * 1e3:.1f} ms, bare interpreter {median(bare) * 1e3:.1f} ms CPU, "
        f"medians of {ROUNDS}: {ratio:.2f} x (goal {GOAL} x)"
    )
    return int(ratio > GOAL)


if __name__ == "__main__":
    sys.exit(main())
