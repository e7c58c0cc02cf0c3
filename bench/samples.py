"""Long logs, made with a fixed seed: ``cyclictest -v``, Xenomai's and RTAI's ``latency``, timerlat and osnoise traces.

``python -m bench.samples LINES`` writes a ``-v`` log to stdout, as fast as any reader takes it::

    python -m bench.samples 7.4e8 | rtlat summary -          # 20 GB, of which nothing is kept
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

THREADS, BURST = 8, 50
_BLOCK = THREADS * BURST * 500
_DIFFERENT = 16  # blocks of latencies; a longer log has them again, under other cycle numbers

HEADER = (
    f"Max CPUs = {THREADS}\nOnline CPUs = {THREADS}\n# /dev/cpu_dma_latency set to 0us\n"
    + "".join(f"Thread {thread} Interval: {1500 + 500 * thread}\n" for thread in range(THREADS))
).encode()
"""What cyclictest 2.4 prints before the first sample."""

NOISE = (
    b"# a remark\n",
    b"[  123.456789] usb 1-1: new high-speed USB device number 7\n",
    b"T: 0 ( 2526) P:95 I:1500 C:      9 Min:      9 Act:   24 Avg:   23 Max:     336\n",
    b"\n",
    b"       0:      12:   x  16\n",
    b"\x1b[0m",
    b"garbage: 12: 13\n",
)
"""What stands between sample lines of a log from a serial console, one in a thousand lines."""


def verbose(lines: int) -> Iterator[bytes]:
    """Yield a ``-v`` log of bursts of each thread in turn, its latencies spread like those of a busy machine."""
    random = np.random.default_rng(1998)
    place = np.arange(_BLOCK)
    burst = place // (BURST * THREADS) * BURST + place % BURST
    bank: list[np.ndarray] = []
    yield HEADER
    for number, first in enumerate(range(0, lines, _BLOCK)):
        if len(bank) < _DIFFERENT:
            text = np.full((_BLOCK, 27), ord(" "), np.uint8)
            _write(text, 0, place // BURST % THREADS)
            _write(text, 18, 15 + random.lognormal(2.2, 0.9, _BLOCK).astype(np.int64) % 60_000)
            text[:, [8, 17]], text[:, 26] = ord(":"), ord("\n")
            bank.append(text)
        text = bank[number % _DIFFERENT]
        _write(text, 9, burst + first // THREADS)
        yield text[: min(_BLOCK, lines - first)].tobytes()


def _write(text: np.ndarray, column: int, numbers: np.ndarray) -> None:
    """Write numbers, eight characters wide, into each line."""
    distinct, which = np.unique(numbers, return_inverse=True)
    shown = np.char.rjust(distinct.astype("S8"), 8)
    text[:, column : column + 8] = shown.view(np.uint8).reshape(-1, 8)[which]


def write_verbose(path: Path, lines: int) -> Path:
    """Write a ``-v`` log."""
    with path.open("wb") as log:
        log.writelines(verbose(lines))
    return path


def write_noisy(path: Path, clean: Path) -> int:
    """Write a log again with a stray line before each thousandth, and its last line cut; return how many strays."""
    strays = 0
    with clean.open("rb") as lines, path.open("wb") as log:
        for number, line in enumerate(lines):
            if number % 1000 == 999:
                log.write(NOISE[strays % len(NOISE)])
                strays += 1
            log.write(line)
        log.seek(-3, 2)
        log.truncate()
    return strays


def write_xenomai(path: Path, lines: int = 604_800) -> Path:
    """Write what ``latency`` prints in so many seconds, by default a week."""
    random = np.random.default_rng(2003)
    low = random.integers(-800, 1200, lines)
    avg = low + random.integers(500, 3000, lines)
    high = avg + random.lognormal(9, 0.7, lines).astype(np.int64)
    best, worst = np.minimum.accumulate(low), np.maximum.accumulate(high)
    mode = "periodic user-mode task"
    with path.open("w", encoding="ascii") as log:
        log.write(f"== Sampling period: 1000 us\n== Test mode: {mode}\n== All results in microseconds\nwarming up...\n")
        for place, row in enumerate(np.column_stack((low, avg, high, best, worst)) / 1000):
            if place % 21 == 0:
                clock = f"{(place + 1) // 3600:02d}:{(place + 1) // 60 % 60:02d}:{(place + 1) % 60:02d}"
                log.write(f"RTT|  {clock}  ({mode}, 1000 us period, priority 99)\n")
                log.write("RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst\n")
            least, middle, most, first, last = (f"{time:11.3f}" for time in row)
            log.write(f"RTD|{least}|{middle}|{most}|       0|     0|{first}|{last}\n")
    return path


def write_rtai(path: Path, lines: int = 604_800) -> Path:
    """Write what the display of RTAI's ``latency`` prints in so many seconds, by default a week."""
    random = np.random.default_rng(1999)
    low = -random.lognormal(6, 0.5, lines).astype(np.int64)
    high = random.lognormal(7, 0.7, lines).astype(np.int64)
    columns = (low, np.minimum.accumulate(low), random.integers(-50, 50, lines), high, np.maximum.accumulate(high))
    with path.open("w", encoding="ascii") as log:
        log.write("# period = 1000000 (ns) \n# avrgtime = 1 (s)\n# timer_mode is oneshot\n\n")
        log.write("RTAI Testsuite - KERNEL latency (all data in nanoseconds)\n")
        for place, row in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
            if place % 21 == 0:
                log.write("RTH|    lat min|    ovl min|    lat avg|    lat max|    ovl max|   overruns\n")
            log.write("RTD|" + "".join(f"{cell:11d}|" for cell in row) + "          0\n")
    return path


def write_timerlat(path: Path, lines: int = 10**6, cpus: int = 4) -> Path:
    """Write a trace of timerlat: the interrupt and the thread of each CPU in turn."""
    random = np.random.default_rng(2021)
    with path.open("w", encoding="ascii") as log:
        log.write("# tracer: timerlat\n#\n")
        for number in range(lines // (2 * cpus)):
            for cpu in range(cpus):
                irq = int(random.lognormal(7, 0.6))
                thread = irq + int(random.lognormal(8, 0.6))
                at = f"{15.5 + number / 1000:12.6f}: #{number + 1:<5d} context"
                log.write(f"          <idle>-0       [{cpu:03d}] d.h1. {at}    irq timer_latency {irq:9d} ns\n")
                log.write(
                    f"      timerlat/{cpu}-80{cpu}     [{cpu:03d}] ....1 {at} thread timer_latency {thread:9d} ns\n"
                )
    return path


def write_osnoise(path: Path, lines: int = 10**6, cpus: int = 4) -> Path:
    """Write a trace of osnoise: a line for each second of each CPU."""
    random = np.random.default_rng(2021)
    noise = np.minimum(random.lognormal(7, 0.8, lines).astype(np.int64), 10**6)
    counts = random.integers(0, 2_000, (lines, 5))
    with path.open("w", encoding="ascii") as log:
        log.write(
            "# tracer: osnoise\n#\n#  TASK-PID      CPU# ||||   TIMESTAMP    IN US       IN US  AVAILABLE  IN US\n"
        )
        for number, (used, counted) in enumerate(zip(noise.tolist(), counts.tolist(), strict=True)):
            cpu, share = number % cpus, (10**6 - used) * 10
            at = f"       osnoise/{cpu}-80{cpu}     [{cpu:03d}] ..... {81.6 + number / cpus:12.6f}"
            log.write(f"{at}: 1000000 {used:10d} {share // 10**5:3d}.{share % 10**5:05d} {used // 3:7d}")
            log.write("".join(f" {count:6d}" for count in counted) + "\n")
    return path


def main() -> None:
    """Write a log to stdout."""
    for piece in verbose(int(float(sys.argv[1]))):
        sys.stdout.buffer.write(piece)


if __name__ == "__main__":
    main()
