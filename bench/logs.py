"""Logs of any size, made with a fixed seed: histograms as ``cyclictest -h -q`` prints them, alone or by thousands."""

from __future__ import annotations

from pathlib import Path

import numpy as np

DISTINCT = 100
"""Different contents among many histograms; the others are copies under another name."""


def histogram_text(bins: int, threads: int, seed: int = 1998) -> bytes:
    """Return what cyclictest 2.6 prints for a run of 20,000 cycles of each thread per 400 bins."""
    random = np.random.default_rng(seed)
    samples = 10 + random.lognormal(np.log(bins / 40), 0.8, (threads, 50 * bins)).astype(np.int64)
    inside = [np.bincount(row[row < bins], minlength=bins) for row in samples]
    overflows = [np.flatnonzero(row >= bins) for row in samples]
    rows = "\n".join(
        f"{bucket:06d} " + "\t".join(f"{count:06d}" for count in counts)
        for bucket, counts in enumerate(np.transpose(inside).tolist())
    )
    footer = {
        "Total": (f"{inside[thread].sum():09d}" for thread in range(threads)),
        "Min Latencies": (f"{row.min():05d}" for row in samples),
        "Avg Latencies": (f"{row.sum() // len(row):05d}" for row in samples),
        "Max Latencies": (f"{row.max():05d}" for row in samples),
        "Histogram Overflows": (f"{len(over):05d}" for over in overflows),
    }
    lines = [f"# {name}: {' '.join(numbers)}" for name, numbers in footer.items()]
    lists = [
        f"# Thread {thread}: {''.join(f'{cycle:05d} ' for cycle in over[:bins])}" + overflowing(len(over), bins)
        for thread, over in enumerate(overflows)
    ]
    head = f"# /dev/cpu_dma_latency set to 0us\n# Histogram\n{rows}\n"
    return (head + "\n".join([*lines, "# Histogram Overflow at cycle number:", *lists]) + "\n").encode()


def overflowing(cycles: int, bins: int) -> str:
    """What ends a list of overflows: how many more there were than rows."""
    return f"# {cycles - bins:05d} others" if cycles > bins else ""


def write_farm(folder: Path, files: int) -> list[Path]:
    """Write small histograms of 400 bins, of 4 and of 16 threads in turn; return their paths."""
    texts = [histogram_text(400, 4 if seed % 2 else 16, seed) for seed in range(min(DISTINCT, files))]
    paths = [folder / f"run{number:05d}.hist" for number in range(files)]
    for number, path in enumerate(paths):
        path.write_bytes(texts[number % len(texts)])
    return paths
