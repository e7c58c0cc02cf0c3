"""How cost grows: the exponents of time, and of memory beyond the start, fitted to inputs that double.

Against lines, threads, bins and files time should grow in proportion, so an exponent of 1.05 is the goal; below 1
something that does not grow is part of it. Memory should not grow with the lines of a log at all.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from bench import samples
from bench.logs import histogram_text, write_farm
from bench.scoreboard import Effort, Job, Row, alternately

GOAL = 1.05
READ = Job(
    "for _ in range({repeat}):\n    recording, _ = read_all({path!r}, keep=0)\nanswer = None",
    "import pandas\nfrom rtlat.reading import read_all\nread_all({warm!r})",
)
READ_MANY = Job(READ.work, "import numpy\nnumpy.ones(1 << 28)\n" + READ.setup)
"""With 2 GB touched before: memory that a virtual machine gets for the first time takes it several times as long."""

SUMMARY = Job(
    "table = summary(recording, ['50', '99.9'])\nanswer = None",
    "from rtlat.reading import read_all\nfrom rtlat.summaries import summary\nrecording, _ = read_all({path!r})\n"
    "warm, _ = read_all({warm!r})\nsummary(warm)",
)


def lines(folder: Path, size: int) -> Path:
    """A -v log."""
    return samples.write_verbose(folder / f"lines-{size}.log", size)


def threads(folder: Path, size: int) -> Path:
    """A histogram of 1000 bins and so many threads."""
    return _histogram(folder / f"threads-{size}.hist", 1000, size)


def bins(folder: Path, size: int) -> Path:
    """A histogram of 8 threads and so many bins."""
    return _histogram(folder / f"bins-{size}.hist", size, 8)


def files(folder: Path, size: int) -> Path:
    """A folder of so many small histograms."""
    place = folder / f"files-{size}"
    place.mkdir()
    write_farm(place, size)
    return place


def _histogram(path: Path, size: int, width: int) -> Path:
    path.write_bytes(histogram_text(size, width))
    return path


SCALES: dict[str, tuple[Callable[[Path, int], Path], float, Job]] = {
    "lines": (lines, 1e6, READ),
    "threads": (threads, 64, READ),
    "bins": (bins, 2e4, READ),
    "files": (files, 500, READ_MANY),
    "files-summary": (files, 100, SUMMARY),
}


def rows(effort: Effort) -> Iterator[Row]:
    """Yield an exponent of time for each, and one of memory for the lines of a log."""
    for name, (make, least, job) in SCALES.items():
        sizes = [effort.many(least, 8) << doubled for doubled in range(4)]
        with tempfile.TemporaryDirectory() as folder:
            warm = _histogram(Path(folder, "warm.hist"), 400, 4)
            paths = [make(Path(folder), size) for size in sizes]
            jobs = {
                str(size): Job(
                    job.work.format(path=str(path), repeat=1), job.setup.format(path=str(path), warm=str(warm))
                )
                for size, path in zip(sizes, paths, strict=True)
            }
            found = alternately(jobs, min(effort.rounds, 3))
        seconds = [found[str(size)].seconds for size in sizes]
        detail = ", ".join(f"{size}: {taken:.3g} s" for size, taken in zip(sizes, seconds, strict=True))
        yield Row(f"growth-{name}", f"exponent of time against {name.partition('-')[0]}", _exponent(sizes, seconds),
                  GOAL, detail)  # fmt: skip
        if name == "lines":
            peaks = [found[str(size)].peak for size in sizes]
            yield Row("growth-memory", "exponent of peak memory against the lines of a log", _exponent(sizes, peaks),
                      0.1, ", ".join(f"{peak:.0f} MB" for peak in peaks))  # fmt: skip


def _exponent(sizes: list[int], costs: list[float]) -> float:
    """The slope of a straight line through logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])
