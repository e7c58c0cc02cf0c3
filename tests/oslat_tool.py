"""oslat as its source counts and prints, from passes that are known: three versions, each with its own rounding.

Written after rt-tests ``src/oslat/oslat.c`` (insert_bucket, bucket_to_lat, write_summary), which was run as 2.4,
2.6 and 2.10.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Oslat:
    """Options of oslat: buckets, their width (-W) and the bias that -B would measure [ns], and the version."""

    version: str = "2.40"
    buckets: int = 8
    width: int = 1000
    bias: bool = False

    @property
    def unit(self) -> int:
        """What latencies are counted in [ns]."""
        return 1 if self.width % 1000 else 1000

    def counted(self, ns: float) -> tuple[int, int]:
        """What a pass is printed as, and what its bucket is found by [units]."""
        floor = int(ns // self.unit)
        ceil = -int(-ns // self.unit)
        if self.version == "2.40":
            return floor + 1, floor
        return (ceil, ceil) if self.version == "2.60" else (floor, floor)

    def write(self, cores: Sequence[Sequence[float]]) -> str:
        """Return what it prints of the passes of each core [ns]."""
        width = self.width // self.unit
        bias = min(self.counted(min(passes))[0] for passes in cores) if self.bias else 0
        tables, extremes = [], []
        for passes in cores:
            printed = [self.counted(ns)[0] for ns in passes]
            extremes.append((min(printed), max(printed)))
            table: Counter[int] = Counter()
            for ns in passes:
                index = self.counted(ns)[1]
                if bias and self.version == "2.40":
                    index = max(0, index - bias)
                elif bias:
                    index = (index - bias) % 2**32 or 1  # unsigned
                table[min(index // width, self.buckets - 1)] += 1
            tables.append(table)
        digits = 3 if self.unit == 1 else 0
        per_us = 1000 // self.unit

        def field(label: str, cells: Sequence[object], end: str = "") -> str:
            return f"{label:>12}:\t" + "".join(f" {cell}" for cell in cells) + end + "\n"

        def us(value: int) -> str:
            return f"{value / per_us:.{digits}f}"

        text = f"oslat V {self.version}\nTotal runtime: \t\t3 seconds\n"
        text += f"Global bias set to {us(bias)} (us)\n" if self.bias else ""
        text += field("Core", range(len(cores))) + field("Counter Freq", [2445] * len(cores), " (Mhz)")
        for bucket in range(self.buckets):
            end = " (including overflows)" if bucket == self.buckets - 1 else ""
            label = f"{(bias + (bucket + 1) * width) / per_us:03.{digits}f} (us)"
            text += field(label, [table[bucket] for table in tables], end)
        text += field("Minimum", [us(low) for low, _ in extremes], " (us)")
        text += field("Average", ["1.000"] * len(cores), " (us)")
        text += field("Maximum", [us(high) for _, high in extremes], " (us)")
        text += field("Max-Min", [us(high - low) for low, high in extremes], " (us)")
        return text + field("Duration", ["3.000"] * len(cores), " (sec)") + "\n"
