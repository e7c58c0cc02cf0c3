"""rtla as its source prints: histograms and tables of top from samples, so that tests know what was measured.

Written after Linux ``tools/tracing/rtla/src`` (timerlat_hist.c, timerlat_top.c, osnoise_hist.c), 6.12; counters
are as wide as there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

Samples = Mapping[int, Sequence[Sequence[int]]]
"""By CPU: the latencies of each context [ns]."""

NAMES = ("IRQ", "Thr", "Usr")


def as_int(number: int) -> int:
    """What is left of a number in a C int."""
    return (number + 2**31) % 2**32 - 2**31


@dataclass
class Histogram:
    """Options of ``rtla timerlat hist``; with `noise` of ``rtla osnoise hist``."""

    samples: Samples
    bucket: int = 1
    entries: int = 256
    nanoseconds: bool = False
    noise: bool = False
    header: bool = True
    index: bool = True
    summary: bool = True
    zeros: bool = False
    everyone: bool = True
    narrow_count: bool = False
    times: int = 1
    after: Sequence[str] = field(default_factory=list)

    @property
    def columns(self) -> list[tuple[int, str, list[int]]]:
        """CPU, name and values as counted; CPUs without an observation have none."""
        names = ("CPU",) if self.noise else NAMES
        found = []
        for cpu, contexts in self.samples.items():
            if any(contexts):
                for name, values in zip(names, contexts, strict=False):
                    printed = [value // (1 if self.nanoseconds else 1000) for value in values]
                    if self.noise:  # the kernel's table tells lower ends of bins only
                        printed = [value // self.bucket * self.bucket for value in printed]
                    found.append((cpu, name, printed))
        return found

    def text(self) -> str:
        """Return what it prints."""
        tool = "osnoise" if self.noise else "timerlat"
        unit = "nanoseconds (ns)" if self.nanoseconds else "microseconds (us)"
        lines = []
        columns = self.columns
        if self.header:
            lines += [f"# RTLA {tool} histogram", f"# Time unit is {unit}", "# Duration:   1 02:03:04"]
            heads = "".join(f"   {name}-{cpu:03d}" for cpu, name, _ in columns)
            lines.append(("Index" if self.index else "") + heads)
        bins = [Counter(min(value // self.bucket, self.entries) for value in values) for _, _, values in columns]
        for row in range(self.entries):
            counts = [as_int(counter[row] * self.times) for counter in bins]
            if any(counts) or self.zeros:
                label = f"{row * self.bucket:<6d}" if self.index else ""
                lines.append(label + "".join(f"{count:9d} " for count in counts))
        lines.append(self._line("over:", [as_int(counter[self.entries] * self.times) for counter in bins]))
        if self.summary:
            lines += self._summary([values for _, _, values in columns])
            if self.everyone and not self.noise:
                groups = {name: [v for _, other, values in columns if other == name for v in values] for name in NAMES}
                groups = {name: groups[name] for name in NAMES if any(name == other for _, other, _ in columns)}
                heads = "       ".join(groups)
                lines.append(("ALL:  " if self.index else "") + "      " + heads)
                lines += self._summary(list(groups.values()))
        return "\n".join([*lines, *self.after, ""])

    def _line(self, word: str, cells: Sequence[object]) -> str:
        return (f"{word:<6}" if self.index else "") + "".join(f"{cell:>9} " for cell in cells)

    def _summary(self, columns: list[list[int]]) -> list[str]:
        """count, min, avg and max."""
        counts = [len(values) * self.times for values in columns]

        def row(word: str, of: Callable[[list[int]], object]) -> str:
            return self._line(word, [of(values) if values else "-" for values in columns])

        def average(values: list[int]) -> object:
            return f"{sum(values) / len(values):.2f}" if self.noise else sum(values) // len(values)

        counts = [as_int(count) if self.narrow_count else count for count in counts]
        return [self._line("count:", counts), row("min:", min), row("avg:", average), row("max:", max)]


def top(samples: Samples, *, quiet: bool = True, seconds: int = 6, everyone: bool = True) -> str:
    """Return a table of ``rtla timerlat top`` [us]; if not `quiet`, behind what clears the terminal."""
    width = max(len(contexts) for contexts in samples.values())
    head = ("" if quiet else "\x1bc") + " " * 37 + "Timer Latency" + " " * 46 + " " * 41 * (width > 2)
    clock = f"{0:3d} 00:00:{seconds:02d}   |          IRQ Timer Latency (us)        |         Thread Timer Latency (us)"
    clock += "      |    Ret user Timer Latency (us)" * (width > 2)
    names = "CPU COUNT      |" + " |".join(["      cur       min       avg       max"] * width)
    lines = [head, clock, names]
    for cpu, contexts in samples.items():
        if any(contexts):
            printed = [[value // 1000 for value in values] for values in contexts]
            lines.append(f"{cpu:3d} #{len(contexts[0]):<9d} |" + " |".join(_context(values) for values in printed))
    if everyone:
        together = [[v // 1000 for contexts in samples.values() for v in contexts[place]] for place in range(width)]
        count, places = len(together[0]), 0
        while count > 999_999:
            count, places = count // 10, places + 1
        lines.append("-" * 15 + "|" + "-" * 40 + "|" + "-" * 39 + ("-|" + "-" * 39) * (width > 2))
        lines.append(f"ALL #{count:<6d} e{places} |" + " |".join(" " * 10 + _context(v)[10:] for v in together))
    return "\n".join([*lines, ""])


def _context(values: list[int]) -> str:
    """cur, min, avg and max."""
    if not values:
        return " ".join(["        -"] * 4)
    cells = (values[-1], min(values), sum(values) // len(values), max(values))
    return " ".join(f"{cell:9d}" for cell in cells)
