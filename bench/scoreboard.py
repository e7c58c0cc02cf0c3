"""What the topics of the scoreboard share: jobs measured in fresh processes, and rows with their goals.

A row is a ratio: what rtlat takes over what a peer takes, or over a limit that nobody can beat. Jobs run alternately,
each in a fresh process pinned to one processor, and medians of CPU time are compared: a busy machine changes the
figures, but hardly their ratio. Jobs of one row must give the same answer, so that they do the same work.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple

ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")} | {"POLARS_MAX_THREADS": "1"}
# Modules are compiled once, as on anybody's machine.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | ONE_THREAD

_SCRIPT = """
import json, os, resource
os.sched_setaffinity(0, {{max(os.sched_getaffinity(0))}})
def used():
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in both)
{setup}
before = used()
{work}
seconds = used() - before
with open("/proc/self/status") as status:  # ru_maxrss is at least what the process had that started this one
    peak = int(next(line for line in status if line.startswith("VmHWM")).split()[1]) / 1024
print(json.dumps([seconds, peak, answer]))
"""


class Job(NamedTuple):
    """Something to be measured: code that prepares, and code that does it and sets `answer`."""

    work: str
    setup: str = ""


class Measured(NamedTuple):
    """Medians of a job: CPU time [s] and peak memory of the process [MB]."""

    seconds: float
    peak: float
    answer: Any


@dataclass(frozen=True)
class Row:
    """One line of the scoreboard.

    Attributes
    ----------
    name, what : str
        What it is called, and what is compared with what.
    ratio : float
        Lower is better.
    goal : float or None
        What it should be at most; None for rows that only inform.
    detail : str
        The figures behind it, of the machine that it ran on.
    """

    name: str
    what: str
    ratio: float
    goal: float | None = None
    detail: str = ""

    @property
    def verdict(self) -> str:
        """Whether the goal is met."""
        return "" if self.goal is None else "met" if self.ratio <= self.goal else "missed"


@dataclass(frozen=True)
class Effort:
    """How much is measured: `rounds` of each job, inputs `scale` times as large as they should be."""

    rounds: int = 5
    scale: float = 1.0

    def many(self, full: float, least: int = 1) -> int:
        """Return how many lines, files or samples to take instead of `full`."""
        return max(least, round(full * self.scale))


Topic = Callable[[Effort], Iterator[Row]]


def once(job: Job) -> Measured:
    """Run a job in a fresh process."""
    script = _SCRIPT.format(setup=job.setup.strip(), work=job.work.strip())
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=ENVIRONMENT, check=False)
    if done.returncode:
        raise RuntimeError(f"{job.work}\n{done.stderr}")
    return Measured(*json.loads(done.stdout.splitlines()[-1]))


def alternately(jobs: Mapping[str, Job], rounds: int) -> dict[str, Measured]:
    """Run jobs in turn and return their medians; those that have an answer must agree in it."""
    runs = {name: [once(job)] for name, job in jobs.items()}
    for _ in range(rounds - 1):
        for name, job in jobs.items():
            runs[name].append(once(job))
    answers = {name: several[0].answer for name, several in runs.items() if several[0].answer is not None}
    if any(answer != next(iter(answers.values())) for answer in answers.values()):
        raise AssertionError(f"they do not do the same: {answers}")
    return {
        name: Measured(median(run.seconds for run in several), median(run.peak for run in several), several[0].answer)
        for name, several in runs.items()
    }


def milliseconds(seconds: float) -> str:
    """A time as people read it."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"
