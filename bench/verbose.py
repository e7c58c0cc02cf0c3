"""What a long ``cyclictest -v`` log costs: CPU against pandas in chunks, and how memory grows with the log.

Run as ``python -m bench.verbose``, or ``python -m bench.verbose --most 5e7`` for a larger log. A log of eight
threads is made with a fixed seed; rtlat and pandas read it in turn, each in a fresh process. Both end with the
same counts by thread and value, so both do the same work. CPU time is compared, not wall time: a busy machine
changes the figures, but hardly their ratio.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

ROUNDS = 5
GOAL = 0.5
GROWTH_GOAL = 32
THREADS, BURST = 8, 50

RTLAT = """
from pathlib import Path
from rtlat.formats.cyclictest_text import parse
from rtlat.source import Source
(run,) = parse(Source(Path({path!r}), "log", keep=0))
rows = run.rows.arrays()
answer = [int(rows["n"].sum()), float((rows["low"] * rows["n"]).sum() / run.facts["resolution"])]
"""
PANDAS = """
import numpy as np
import pandas as pd
counts = np.zeros({threads} << 16, np.int64)
chunks = pd.read_csv({path!r}, sep=":", header=None, skiprows={header}, chunksize=500_000, names=["t", "c", "v"])
for chunk in chunks:
    key = (chunk["t"].to_numpy() << 16) + chunk["v"].to_numpy()
    found = np.bincount(key)
    counts[: len(found)] += found
values = np.arange(len(counts)) & 0xFFFF
answer = [int(counts.sum()), float((values * counts).sum())]
"""
MEASURE = """
import json, resource
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss // 1024, answer]))
"""


def header() -> str:
    """What cyclictest 2.4 prints before the first sample."""
    intervals = "".join(f"Thread {thread} Interval: {1500 + 500 * thread}\n" for thread in range(THREADS))
    return f"Max CPUs = {THREADS}\nOnline CPUs = {THREADS}\n# /dev/cpu_dma_latency set to 0us\n{intervals}"


def write_log(path: Path, lines: int) -> None:
    """Write a log of bursts of each thread in turn, its latencies spread like those of a busy machine."""
    import numpy as np

    random = np.random.default_rng(1998)
    with path.open("wb") as log:
        log.write(header().encode())
        block = THREADS * BURST * 500
        for first in range(0, lines, block):
            place = np.arange(first, min(first + block, lines))
            thread = place // BURST % THREADS
            cycle = place // (BURST * THREADS) * BURST + place % BURST
            value = 15 + random.lognormal(2.2, 0.9, len(place)).astype(np.int64) % 60_000
            text = np.full((len(place), 27), ord(" "), np.uint8)
            for column, numbers in enumerate((thread, cycle, value)):
                for digit in range(8):
                    shown = (numbers >= 10**digit) | (digit == 0)
                    text[shown, 9 * column + 7 - digit] = numbers[shown] // 10**digit % 10 + ord("0")
            text[:, [8, 17]], text[:, 26] = ord(":"), ord("\n")
            log.write(text.tobytes())


def measured(code: str, path: Path) -> tuple[float, int, list[float]]:
    """CPU time [s], peak memory [MB] and answer of a fresh process."""
    code = code.format(path=str(path), threads=THREADS, header=header().count("\n")) + MEASURE
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    seconds, peak, answer = json.loads(done.stdout)
    return seconds, peak, answer


def main() -> int:
    """Print both ratios; exit status 1 if one misses its goal."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--most", type=float, default=1e7, help="lines of the longer log")
    most = int(options.parse_args().most)
    with tempfile.TemporaryDirectory() as folder:
        short, long = Path(folder, "short.log"), Path(folder, "long.log")
        write_log(short, 10**6)
        write_log(long, most)
        ours, theirs = zip(*((measured(RTLAT, long), measured(PANDAS, long)) for _ in range(ROUNDS)), strict=True)
        small = [measured(RTLAT, short)[1] for _ in range(ROUNDS)]
    assert ours[0][2] == theirs[0][2], f"rtlat counts {ours[0][2]}, pandas {theirs[0][2]}"
    seconds, peer = median(run[0] for run in ours), median(run[0] for run in theirs)
    peak, before = median(run[1] for run in ours), median(small)
    print(
        f"verbose: {most:.0e} lines, rtlat {seconds:.2f} s, pandas in chunks {peer:.2f} s CPU, medians of {ROUNDS}: "
        f"{seconds / peer:.2f} x (goal {GOAL} x); peak memory {before:.0f} MB at 1e6 lines, {peak:.0f} MB at "
        f"{most:.0e} (goal {GROWTH_GOAL} MB more at most), pandas {median(run[1] for run in theirs):.0f} MB"
    )
    return int(seconds > GOAL * peer or peak > before + GROWTH_GOAL)


if __name__ == "__main__":
    sys.exit(main())
