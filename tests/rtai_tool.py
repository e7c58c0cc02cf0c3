"""RTAI's testsuite in a few lines: what its display programs print of samples that a test knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LATENCY = ("lat min", "ovl min", "lat avg", "lat max", "ovl max", "overruns")
PREEMPT = ("lat min", "lat avg", "lat max", "jit fast", "jit slow")
KERNEL = "RTAI Testsuite - KERNEL latency (all data in nanoseconds)"


def row(tag: str, cells: Sequence[object], width: int) -> str:
    """A line of a table."""
    return f"{tag}|" + "|".join(f"{cell:>{width}}" for cell in cells)


def divided(total: int, n: int) -> int:
    """An average as C divides integers: towards zero, of a sum of 32 bits."""
    total = (total + 2**31) % 2**32 - 2**31
    return abs(total) // n * (1 if total >= 0 else -1)


@dataclass
class Latency:
    """A run of ``latency``: the samples of each line [ns], None for an overrun; overruns before the first line."""

    lines: Sequence[Sequence[int | None]]
    before: int = 0
    period: int = 1_000_000
    mode: str = "oneshot"
    every: int = 21

    def head(self) -> list[str]:
        return [
            "## RTAI latency calibration tool ##",
            f"# period = {self.period} (ns) ",
            f"# avrgtime = {len(self.lines[0]) * self.period // 10**9} (s)",
            "# do not use the FPU",
            "# start the timer",
            f"# timer_mode is {self.mode}",
            "",
            KERNEL,
        ]

    def rows(self) -> list[str]:
        """RTH and RTD lines."""
        text, best, worst, overruns = [], 10**9, -(10**9), self.before
        for place, line in enumerate(self.lines):
            stored = [0 if sample is None else sample for sample in line]
            best, worst = min(best, *stored), max(worst, *stored)
            overruns += sum(sample is None for sample in line)
            if place % self.every == 0:
                text.append(row("RTH", LATENCY, 11))
            cells = min(stored), best, divided(sum(stored), len(stored)), max(stored), worst, overruns
            text.append(row("RTD", cells, 11))
        return text

    def log(self) -> list[str]:
        """All that a terminal shows when ^C stops it."""
        rows = self.rows()
        return [
            "/modules> kern/latency/display",
            "",
            *self.head(),
            *rows,
            f"^C{rows[-1]}",
            "/modules> rmmod latency_rt",
        ]


@dataclass
class Preempt:
    """A run of ``preempt``: blocks of samples [ns], and the running jitter of the fast and slow task after each."""

    blocks: Sequence[Sequence[int]]
    jitter: Sequence[tuple[int, int]]
    name: str = "UP"

    def log(self) -> list[str]:
        text = [f"RTAI Testsuite - {self.name} preempt (all data in nanoseconds)"]
        best, worst = 10**9, -(10**9)
        for place, block in enumerate(self.blocks):
            best, worst = min(best, *block), max(worst, *block)
            if place % 21 == 0:
                text.append(row("RTH", PREEMPT, 12))
            text.append(row("RTD", (best, divided(sum(block), len(block)), worst, *self.jitter[place]), 12))
        return text


def switches(tasks: int = 10, n: int = 40_000, total: int = 5_812_345, fpu: bool = True) -> list[str]:
    """What ``switches`` prints: each kind takes a millisecond longer than the one before. [ns]."""
    words = " (INCLUDING FULL FP SUPPORT)" if fpu else ""
    return [
        f"FOR {tasks} TASKS: TIME {time // 10**6} (ms), {kind} SWITCHES {n}, SWITCH TIME{words} {time // n} (ns)"
        for kind, time in zip(
            ("SUSP/RES", "SEM SIG/WAIT", "RPC/RCV-RET"), (total, total + 10**6, total + 2 * 10**6), strict=True
        )
    ]
