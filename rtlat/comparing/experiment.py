"""The experiment that makes approaches comparable, as commands: one machine, one load, one quantity, alternating runs.

Where logs cannot be ranked, this is what would have to be measured instead. Approaches take turns, boot by boot, so
that what drifts (temperature, the room, the disk that fills) meets all of them alike.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Sequence

from rtlat.statistics.ranks import supported_percent
from rtlat.statistics.repeats import ENOUGH

_HOUR = 3600

_LONGEST = 30
"""Characters of a folder's name, before its number."""

_CYCLICTEST = "cyclictest -m -S -p 95 -i {us} -h 1000 -D {seconds} -q > {folder}/$i.hist"

_TOOLS = {
    "xenomai": "latency -t 0 -p {us} -P 95 -h -s -T {seconds} > {folder}/$i.log",
    "evl": "latmus -m -p {us} -P 95 -T {seconds} > {folder}/$i.log",
    "rtai": "(cd /usr/realtime/testsuite/user/latency && timeout {seconds} ./run) > {folder}/$i.log",
}
"""How the latency of a user thread is measured where cyclictest would time Linux and not the approach."""

_NO_TOOL = ("rtirq", "lil", "utime", "qnx", "vxworks")
"""Kernels without a high-resolution timer for cyclictest to wait for, or that are no Linux."""

_USUAL = "stress-ng --cpu 0 --io 2 --vm 2 --vm-bytes 64M --quiet"

_OUTSIDE = (
    "# None of these tools runs on {names}. Time an answer from outside then, on all approaches alike:",
    "# a second machine raises a pin, the task under test answers on another, the machine logs each time, one a line",
    "# (quantity round_trip); the run card says which column it is, and in which unit.",
)


def commands(
    approaches: Sequence[str], load: str = "", seconds: int = _HOUR, period_us: int = 1000, runs: int = ENOUGH
) -> list[str]:
    """Return the lines of the experiment: a shell script with comments where a person has to act.

    Parameters
    ----------
    approaches : sequence of str
        What is to be compared; the first is the reference.
    load : str
        The command that makes the load; a usual one if empty. Words that are no command become a comment.
    seconds : int
        Length of a run. [s]
    period_us : int
        Of the activations. [us]
    runs : int
        Of each approach.

    Examples
    --------
    >>> lines = commands(["PREEMPT_RT", "Xenomai"], "hackbench -l 100000", seconds=60)
    >>> lines[-1]
    'rtlat compare lab/xenomai --against lab/preempt_rt'
    >>> [line for line in lines if "cyclictest" in line]
    ['$LOAD & cyclictest -m -S -p 95 -i 1000 -h 1000 -D 60 -q > lab/preempt_rt/$i.hist; kill %1']
    """
    folders: dict[str, str] = {}
    for name in approaches:
        folders.setdefault(name, _folder(name, folders.values()))
    told = supported_percent(seconds * 1_000_000 // period_us)
    lines = [
        "# One machine, one load, one quantity (thread: timer expiry to the woken thread), one period and priority.",
        f"# {runs} runs of {seconds} s each, enough for p{told}. Boot them in turn: i=1 of each, then i=2 ...",
        f"mkdir -p {' '.join(map(shlex.quote, folders.values()))}",
    ]
    if load and not _is_command(load):
        lines.append(f"# load in the logs: {load}; put the command that makes it here")
    lines.append(f"LOAD={shlex.quote(load if _is_command(load) else _USUAL)}")
    lines.append("i=1  # number of this round; let the load run for a minute before you measure")
    old = [name for name in folders if any(word in name.casefold() for word in _NO_TOOL)]
    for name, folder in folders.items():
        measure = (tool_of(name) or _CYCLICTEST).format(us=period_us, seconds=seconds, folder=shlex.quote(folder))
        lines.append(f"# booted: {name}{' (see below)' if name in old else ''}")
        lines += [] if name in old else [f"$LOAD & {measure}; kill %1"]
    lines += [line.format(names=_and(old)) for line in _OUTSIDE] if old else []
    lines.append("rtlat card lab > lab/runs.toml  # then fill in machine, load and power states once for all")
    reference, *others = map(shlex.quote, folders.values())
    lines.append(f"rtlat compare {' '.join(others)} --against {reference}")
    return lines


def tool_of(name: str) -> str:
    """Return how an approach, or one that a tool of that name measured, is measured if not by cyclictest; else nothing.

    Examples
    --------
    >>> tool_of("xenomai klatency")[:12], tool_of("PREEMPT_RT")
    ('latency -t 0', '')
    """
    return next((text for key, text in _TOOLS.items() if key in name.casefold()), "")


def _and(names: Sequence[str]) -> str:
    """Names in a sentence."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _folder(name: str, taken: Collection[str]) -> str:
    """A folder of its own for an approach."""
    plain = re.sub(r"[^a-z0-9_.-]+", "-", name.casefold())[:_LONGEST].strip("-.") or "arm"
    numbers = ("", *(f"-{number}" for number in range(2, len(taken) + 2)))
    return next(path for number in numbers if (path := f"lab/{plain}{number}") not in taken)


def _is_command(load: str) -> bool:
    """Whether a load is written as the command that makes it."""
    return bool(re.match(r"[a-z][\w.-]*( -{1,2}\w| \d|$)", load)) and load != "idle"
