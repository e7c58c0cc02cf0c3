"""Xenomai's ``latency`` in a few lines: what testsuite/latency/latency.c prints of samples that a test knows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

MODE = "periodic user-mode task"
RULE = "---|-----------|-----------|-----------|--------|------|-------------------------"
HEAD = "RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst"


@dataclass
class Tool:
    """A run: samples [ns] of each whole line, overruns of each, samples of the line that was not finished."""

    lines: Sequence[Sequence[int]]
    rest: Sequence[int] = ()
    overruns: Sequence[int] = ()
    period: int = 1000
    bins: int = 300
    bucket: int = 1000
    every: int = 21

    @property
    def seconds(self) -> list[float]:
        """How long each line lasts."""
        skipped = list(self.overruns) or [0] * len(self.lines)
        return [(10**6 // self.period + more) * self.period / 1e6 for more in skipped]

    def head(self) -> list[str]:
        return [
            f"== Sampling period: {self.period} us",
            f"== Test mode: {MODE}",
            "== All results in microseconds",
            "warming up...",
        ]

    def windows(self) -> list[str]:
        """RTT, RTH and RTD lines."""
        text, best, worst, total = [], 10**7, -(10**7), 0
        for place, samples in enumerate(self.lines):
            best, worst = min(best, *samples), max(worst, *samples)
            total += self.overruns[place] if self.overruns else 0
            if place % self.every == 0:
                now = int(sum(self.seconds[: place + 1]))
                clock = f"{now // 3600:02d}:{now // 60 % 60:02d}:{now % 60:02d}"
                text += [f"RTT|  {clock}  ({MODE}, {self.period} us period, priority 99)", HEAD]
            low, avg, high = min(samples), int(sum(samples) / len(samples)), max(samples)
            text.append(
                f"RTD|{low / 1000:11.3f}|{avg / 1000:11.3f}|{high / 1000:11.3f}|{total:8d}|{0:6d}|"
                f"{best / 1000:11.3f}|{worst / 1000:11.3f}"
            )
        return text

    def counts(self, kind: str) -> dict[int, int]:
        """One of the three histograms: absolute values, the last bin for all beyond."""
        values = {
            "min": [min(samples) for samples in self.lines],
            "avg": [sample for samples in [*self.lines, self.rest] for sample in samples],
            "max": [max(samples) for samples in self.lines],
        }[kind]
        return dict(sorted(Counter(min(abs(value) // self.bucket, self.bins - 1) for value in values).items()))

    def histogram(self) -> list[str]:
        """HSD and HSS lines."""
        text = []
        for kind in ("min", "avg", "max"):
            text.append("---|--param|----range-|--samples")
            text += [f"HSD|    {kind}| {k:3d} -{k + 1:3d} | {n:8d}" for k, n in self.counts(kind).items()]
        text.append("HSH|--param|--samples-|--average--|---stddev--")
        for kind in ("min", "avg", "max"):
            counts = self.counts(kind)
            n = sum(counts.values())
            mean = sum(k * c for k, c in counts.items()) / n
            sd = math.sqrt(sum(c * (k - mean) ** 2 for k, c in counts.items()) / (n - 1)) if n > 1 else 0
            text.append(f"HSS|    {kind}| {n:9d}| {mean:10.3f}| {sd:10.3f}")
        return text

    def summary(self) -> list[str]:
        """The rule and RTS."""
        averages = [int(sum(samples) / len(samples)) for samples in self.lines]
        every = [sample for samples in self.lines for sample in samples]
        actual = int(sum(self.seconds) + len(self.rest) * self.period / 1e6)
        clock = f"{actual // 3600:02d}:{actual // 60 % 60:02d}:{actual % 60:02d}"
        low, avg, high = min(every) / 1000, int(sum(averages) / len(averages)) / 1000, max(every) / 1000
        totals = f"{sum(self.overruns):8d}|{0:6d}"
        return [RULE, f"RTS|{low:11.3f}|{avg:11.3f}|{high:11.3f}|{totals}|    {clock}/{clock}"]

    def drawn(self) -> list[str]:
        """The file of -g."""
        counts = self.counts("avg")
        start, stop = min(counts), max(counts)
        low, avg, high = self.summary()[1].split("|")[1:4]
        return [
            f"# 00:00:{int(sum(self.seconds)):02d} ({MODE}, {self.period} us period, priority 99)",
            "# ----lat min|----lat avg|----lat max|-overrun|---msw|",
            f"# {low}|{avg}|{high}|{sum(self.overruns):8d}|{0:6d}|",
            f"{start * self.bucket / 1000.0:g} 1",
            *(f"{(n + 0.5) * self.bucket / 1000.0:g} {counts.get(n, 0) + 1}" for n in range(start, stop + 1)),
            f"{(stop + 1) * self.bucket / 1000.0:g} 1",
        ]

    def log(self, histogram: bool = False) -> list[str]:
        """All of a run's lines."""
        return [*self.head(), *self.windows(), *(self.histogram() if histogram else []), *self.summary()]
