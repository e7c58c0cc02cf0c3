"""EVL's ``latmus`` in a few lines: what benchmarks/latmus.c prints of samples that a test knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

RULE = "---|-----------|-----------|-----------|--------|------|-------------------------"
HEAD = "RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst"


@dataclass
class Latmus:
    """A run: true latencies [ns] of each whole line, and of the line that was not finished.

    `added` is to how many rows of ``-g`` this libevl adds one: none, all but the last, or all.
    """

    lines: Sequence[Sequence[int]]
    rest: Sequence[int] = ()
    context: str = "user"
    period: int = 1000
    cells: int = 200
    added: str = "none"
    every: int = 21

    def kept(self, latency: int) -> int:
        """What enters the statistics: the driver takes whole periods off, the box that times GPIO answers does not."""
        if self.context.endswith("gpio") or latency <= 0:
            return latency
        return (latency - 1) % (1000 * self.period) + 1

    def skipped(self, latencies: Sequence[int]) -> int:
        """Overruns: a whole period each."""
        return sum((latency - 1) // (1000 * self.period) for latency in latencies if latency > 0)

    @property
    def all(self) -> list[int]:
        """Every sample as it is kept."""
        return [self.kept(latency) for line in [*self.lines, self.rest] for latency in line]

    def windows(self) -> list[str]:
        """RTT, RTH and RTD lines."""
        text, total, so_far = [], 0, list[int]()
        priority = "" if "irq" in self.context else " priority 98,"
        for place, line in enumerate(self.lines):
            kept = [self.kept(latency) for latency in line]
            so_far += kept
            total += self.skipped(line)
            if place % self.every == 0:
                clock = f"00:{(place + 1) // 60:02d}:{(place + 1) % 60:02d}"
                text += [f"RTT|  {clock}  ({self.context}, {self.period} us period,{priority} CPU1)", HEAD]
            low, avg, high = min(kept), int(sum(kept) / len(kept)), max(kept)
            text.append(
                f"RTD|{low / 1000:11.3f}|{avg / 1000:11.3f}|{high / 1000:11.3f}|{total:8d}|{0:6d}|"
                f"{min(so_far) / 1000:11.3f}|{max(so_far) / 1000:11.3f}"
            )
        return text

    @property
    def totals(self) -> tuple[str, str, str, int]:
        """Minimum, average and maximum as printed, and all overruns."""
        low, avg, high = min(self.all), int(sum(self.all) / len(self.all)), max(self.all)
        overruns = sum(self.skipped(line) for line in [*self.lines, self.rest])
        return f"{low / 1000:.3f}", f"{avg / 1000:.3f}", f"{high / 1000:.3f}", overruns

    def summary(self, actual: str = "", asked: str = "") -> list[str]:
        """The rule and RTS."""
        low, avg, high, overruns = self.totals
        actual = actual or f"00:00:{len(self.lines):02d}"
        return [RULE, f"RTS|{low:>11}|{avg:>11}|{high:>11}|{overruns:8d}|{0:6d}|    {actual}/{asked or actual}"]

    def drawn(self, prefix: str = "") -> list[str]:
        """The file of -g; the first libevl print neither a peak nor a sample count."""
        low, avg, high, overruns = self.totals
        cells = Counter(min(abs(value) // 1000, self.cells - 1) for value in self.all)
        first, last = min(cells), max(cells)
        added = {"none": 0, "all but last": last - first, "all": last - first + 1}[self.added]
        plus = "+" if max(self.all) // 1000 >= self.cells and self.added != "all" else ""
        rows = [(number, cells[number] + (number - first < added)) for number in range(first, last + 1)]
        return [
            "# test started on: Tue May 23 10:11:12 2023",
            "# Linux version 6.1.24-evl (make@host) (gcc 12.2, GNU ld 2.40) #7 SMP PREEMPT IRQPIPE Mon May 22 2023",
            "# console=ttyS0 isolcpus=1",
            "# libevl version: evl.0.44 -- #a3ceb80 (2023-05-21 18:12:10 +0200)",
            f"# sampling period: {self.period} microseconds",
            "# clock gravity: 0i 1500k 2500u",
            "# clocksource: tsc",
            f"# context: {self.context}",
            "# thread priority: 98",
            "# thread affinity: CPU1-noisol",
            f"# duration (hhmmss): 00:00:{len(self.lines):02d}",
            *([f"# {prefix}peak (hhmmss): 00:00:01"] if self.added != "all" else []),
            *([f"# {prefix}OVERRUNS: {overruns}"] if overruns else []),
            f"# {prefix}min latency: {low}",
            f"# {prefix}avg latency: {avg}",
            f"# {prefix}max latency: {high}",
            *([f"# {prefix}sample count: {len(self.all)}"] if self.added == "none" else []),
            *(f"{number} {count}" for number, count in rows[:-1]),
            f"{rows[-1][0]}{plus} {rows[-1][1]}",
        ]

    def log(self) -> list[str]:
        """All that a terminal shows."""
        return ["warming up on CPU1...", *self.windows(), *self.summary()]
