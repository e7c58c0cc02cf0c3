"""Long logs from text to counts: against a newline count, pandas, noise, compression, and how memory grows.

Our side parses, checks every digit, counts by thread and value, keeps block maxima and the greatest samples, and hashes
the file; pandas counts by thread and value and keeps block maxima. Both must find the same.
"""

from __future__ import annotations

import gzip
import lzma
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench import samples
from bench.scoreboard import Effort, Job, Row, alternately, milliseconds, once

SETUP = """
import sys
import numpy as np
from pathlib import Path
from rtlat.formats.{module} import parse
from rtlat.source import Source
{more}
"""
OURS = """
(run,) = parse(Source(Path({path!r}), "log", keep=0))
rows = run.rows.arrays()
bins = rows["kind"] == "bin"
n, low = rows["n"][bins], rows["low"][bins] / run.facts["resolution"]
answer = [int(n.sum()), float((low * n).sum()), float(low.max())]
"""
OURS_NOISY = OURS + "answer += [run.rejected.total]"
NUMPY_FLOOR = """
lines = 0
with open({path!r}, "rb") as log:
    while block := log.read(1 << 20):
        lines += int(np.count_nonzero(np.frombuffer(block, np.uint8) == 10))
"""
FLOOR = NUMPY_FLOOR.replace("int(np.count_nonzero(np.frombuffer(block, np.uint8) == 10))", 'block.count(b"\\n")')
PANDAS = """
counts = np.zeros({threads} << 16, np.int64)
maxima = np.zeros(({threads}, 1 << 20), np.int64)
chunks = pd.read_csv({path!r}, sep=":", header=None, skiprows={header}, chunksize=500_000, names=["t", "c", "v"])
for chunk in chunks:
    thread, cycle, value = (chunk[name].to_numpy() for name in "tcv")
    found = np.bincount((thread << 16) + value)
    counts[: len(found)] += found
    block = (thread << 20) + (cycle >> 10)
    starts = np.flatnonzero(np.diff(block, prepend=-1))
    np.maximum.at(maxima.reshape(-1), block[starts], np.maximum.reduceat(value, starts))
values = np.arange(len(counts)) & 0xFFFF
answer = [int(counts.sum()), float((values * counts).sum()), float(values[counts > 0].max())]
"""
FILTERED = """
import io
with open({path!r}, "rb") as log:
    table = pd.read_csv(io.BytesIO(b"".join(line for line in log if line.startswith(b"RTD|"))), sep="|", header=None)
answer = [len(table), round(float(table[{column}].max()) * {unit})]
"""
WINDOWS = """
(run,) = parse(Source(Path({path!r}), "log"))
rows = run.rows.arrays()
high = rows["high"][rows["kind"] == "window"]
answer = [len(high), round(float(high.max()))]
"""
SPLIT = """
values, cpu = [], []
with open({path!r}) as log:
    for line in log:
        words = line.split()
        if {told}:
            values.append(int(words[{place}]))
            cpu.append(words[1])
answer = [len(values), sum(values)]
"""
EVENTS = """
(run,) = parse(Source(Path({path!r}), "log"))
rows = run.rows.arrays()
low = rows["low"][rows["kind"] == "sample"] / run.facts["resolution"]
answer = [len(low), int(low.sum())]
"""
CYCLICTEST = SETUP.format(module="cyclictest_text", more="")
WITH_PANDAS = "import numpy as np\nimport pandas as pd"
WITHOUT_ISAL = 'sys.modules["isal.igzip"] = None'


def rows(effort: Effort) -> Iterator[Row]:
    """Yield the rows."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log = samples.write_verbose(folder / "clean.log", effort.many(1e7))
        yield from _clean(log, effort)
        yield from _noisy(log, folder, effort)
        yield from _compressed(folder, effort)
        log.unlink()
        yield from _memory(folder, effort)
        yield from _others(folder, effort)


def _clean(log: Path, effort: Effort) -> Iterator[Row]:
    """A log as cyclictest prints it."""
    said = {"path": str(log), "threads": samples.THREADS, "header": samples.HEADER.count(b"\n")}
    found = alternately(
        {
            "rtlat": Job(OURS.format(**said), CYCLICTEST),
            "pandas": Job(PANDAS.format(**said), WITH_PANDAS),
            "count": Job(FLOOR.format(**said), "import numpy as np\nanswer = None"),
            "numpy": Job(NUMPY_FLOOR.format(**said), "import numpy as np\nanswer = None"),
        },
        effort.rounds,
    )
    ours = found["rtlat"].seconds
    for row, who, goal, what in (
        ("parse-floor", "count", 6, "bytes.count of the newlines"),
        ("parse-floor-numpy", "numpy", None, "numpy's count of the newlines, 32 or 64 bytes at a time"),
        ("parse-peer", "pandas", 0.5, "pandas in chunks"),
    ):
        theirs = found[who].seconds
        what = f"a -v log of {_lines(log):.0e} lines / {what}"
        yield Row(row, what, ours / theirs, goal, f"{milliseconds(ours)} / {milliseconds(theirs)}")


def _noisy(log: Path, folder: Path, effort: Effort) -> Iterator[Row]:
    """A stray line in a thousand, against the same without; and what is kept, against a pattern line by line."""
    noisy = folder / "noisy.log"
    samples.write_noisy(noisy, log)
    found = alternately(
        {
            "noisy": Job(OURS_NOISY.format(path=str(noisy)), CYCLICTEST),
            "clean": Job(OURS.format(path=str(log)) + "answer = None", CYCLICTEST),
        },
        effort.rounds,
    )
    if (expected := reference(noisy)) != found["noisy"].answer:
        raise AssertionError(f"rtlat {found['noisy'].answer}, line by line {expected}")
    seconds, clean = found["noisy"].seconds, found["clean"].seconds
    what = "a -v log with a stray line in a thousand, kept and rejected exactly / the same without"
    yield Row("parse-noise", what, seconds / clean, 2.5, f"{milliseconds(seconds)} / {milliseconds(clean)}")


def reference(path: Path) -> list[float]:
    """Samples, their sum, the greatest, and damaged lines: by a pattern, line by line."""
    sample = re.compile(rb"(?:\x1b\[0m)?( {0,7}\d{1,8}):( {0,7}\d{1,8}):( {0,7}-?\d{1,8})\n")
    n, total, greatest, rejected = 0, 0, 0, 0
    with path.open("rb") as lines:
        for line in lines:
            if (match := sample.fullmatch(line)) and all(len(cell) == 8 for cell in match.groups()):
                value = int(match[3])
                n, total, greatest = n + 1, total + value, max(greatest, value)
            else:
                rejected += bool(re.match(rb"[ \d]{8}:[ \d]{8,18}:", line))
    return [n, float(total), float(greatest), rejected]


def _compressed(folder: Path, effort: Effort) -> Iterator[Row]:
    """What it costs that a log is compressed."""
    plain = samples.write_verbose(folder / "plain.log", effort.many(4e6))
    data = plain.read_bytes()
    (folder / "log.gz").write_bytes(gzip.compress(data, 6))
    (folder / "log.xz").write_bytes(lzma.compress(data, preset=1))
    jobs = {
        "plain": Job(OURS.format(path=str(plain)), CYCLICTEST),
        "gz-isal": Job(OURS.format(path=str(folder / "log.gz")), CYCLICTEST + "import isal.igzip"),
        "gz-stdlib": Job(OURS.format(path=str(folder / "log.gz")), CYCLICTEST + WITHOUT_ISAL),
        "xz": Job(OURS.format(path=str(folder / "log.xz")), CYCLICTEST),
    }
    try:
        import zstandard
    except ImportError:
        pass
    else:
        (folder / "log.zst").write_bytes(zstandard.ZstdCompressor(3).compress(data))
        jobs["zst"] = Job(OURS.format(path=str(folder / "log.zst")), CYCLICTEST + "import zstandard")
    found = alternately(jobs, effort.rounds)
    goals = {"gz-isal": 1.3, "gz-stdlib": 1.7}
    seconds = found["plain"].seconds
    for name in list(jobs)[1:]:
        detail = f"{milliseconds(found[name].seconds)} / {milliseconds(seconds)}"
        yield Row(name, f"the same log as {name} / plain", found[name].seconds / seconds, goals.get(name), detail)


def _memory(folder: Path, effort: Effort) -> Iterator[Row]:
    """How much more memory a log takes that is fifty times as long."""
    peaks, sizes = [], []
    for lines in (1e6, 5e7):
        log = samples.write_verbose(folder / "long.log", effort.many(lines))
        sizes.append(log.stat().st_size / 2**20)
        peaks.append(once(Job(OURS.format(path=str(log)), CYCLICTEST)).peak)
        log.unlink()
    detail = f"{peaks[0]:.0f} to {peaks[1]:.0f} MB, the log {sizes[0]:.0f} to {sizes[1]:.0f} MB"
    growth = (peaks[1] - peaks[0]) / (sizes[1] - sizes[0])
    yield Row("parse-memory", "growth of peak memory / of a -v log, 1e6 to 5e7 lines", growth, 0.03, detail)
    yield Row("parse-peak", "peak memory of the whole process / 250 MB", peaks[1] / 250, 1.0, f"{peaks[1]:.0f} MB")


def _others(folder: Path, effort: Effort) -> Iterator[Row]:
    """Lines per second, and activations."""
    week, lines = effort.many(604_800), effort.many(1e6) // 8 * 8
    xenomai = samples.write_xenomai(folder / "xenomai.log", week)
    rtai = samples.write_rtai(folder / "rtai.log", week)
    timerlat = samples.write_timerlat(folder / "timerlat.txt", lines)
    osnoise = samples.write_osnoise(folder / "osnoise.txt", lines)
    jobs = {
        ("rtd-peer", "a week of RTD lines / filtered, then pandas"): _windows(xenomai, column=3, unit=1000),
        ("rtai-peer", "a week of RTAI's RTD lines / filtered, then pandas"): _windows(rtai, column=4, unit=1),
        ("timerlat-peer", "a timerlat trace / str.split of each line"): _events(
            timerlat, told='"timer_latency" in words', place=-2
        ),
        ("osnoise-peer", "an osnoise trace / str.split of each line"): _events(
            osnoise, told="len(words) == 13", place=5
        ),
    }
    for (name, what), sides in jobs.items():
        found = alternately(sides, effort.rounds)
        seconds, peer = found["rtlat"].seconds, found["peer"].seconds
        detail = f"{milliseconds(seconds)} / {milliseconds(peer)}"
        yield Row(name, what, seconds / peer, None, detail)


def _windows(log: Path, column: int, unit: int) -> dict[str, Job]:
    """A table of windows, its maxima in a column of some unit [ns]: read by us, and by a pattern and pandas."""
    ours = Job(WINDOWS.format(path=str(log)), SETUP.format(module="rtd_table", more=""))
    return {"rtlat": ours, "peer": Job(FILTERED.format(path=str(log), column=column, unit=unit), WITH_PANDAS)}


def _events(log: Path, told: str, place: int) -> dict[str, Job]:
    """A trace, read by us, and word by word."""
    ours = Job(EVENTS.format(path=str(log)), SETUP.format(module="tracer_lines", more=""))
    return {"rtlat": ours, "peer": Job(SPLIT.format(path=str(log), told=told, place=place))}


def _lines(log: Path) -> float:
    """About how many lines a log has."""
    return (log.stat().st_size - len(samples.HEADER)) / 27
