"""Statistics against how others compute them, and against limits.

rteval keeps a Python dict of counts for each processor and one for the system, which it fills a bucket at a time, and
goes through its sorted keys for mean, deviation, median and mode. It is written anew here from that description.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.logs import histogram_text
from bench.scoreboard import Effort, Job, Row, alternately, milliseconds

RTEVAL = Job(
    """
for _ in range({repeat}):
    everyone = Samples()
    threads = []
    with open({path!r}) as log:
        for line in log:
            if line.startswith("#"):
                continue
            bucket, *counts = line.split()
            threads = threads or [Samples() for _ in counts]
            for thread, count in zip(threads, counts):
                thread.add(int(bucket), int(count))
                everyone.add(int(bucket), int(count))
    figures = [thread.reduced() for thread in [*threads, everyone]]
answer = [round(figures[-1]["mean"], 6), round(figures[-1]["deviation"], 3), figures[-1]["median"]]
""",
    """
import math
class Samples:
    def __init__(self):
        self.counts, self.n, self.least, self.most = {}, 0, 10**9, 0
    def add(self, bucket, count):
        self.counts[bucket] = self.counts.get(bucket, 0) + count
        if count:
            self.n += count
            self.least, self.most = min(self.least, bucket), max(self.most, bucket)
    def reduced(self):
        total, keys = 0, sorted(self.counts)
        for key in keys:
            total += key * self.counts[key]
        mean = total / self.n
        middle, seen, median, mode, apart, squares = (self.n + 1) // 2, 0, None, keys[0], 0, 0
        for key in keys:
            seen += self.counts[key]
            if median is None and seen >= middle:
                median = key
            if self.counts[key] > self.counts[mode]:
                mode = key
            apart += self.counts[key] * abs(key - mean)
            squares += self.counts[key] * (key - mean) ** 2
        return {"mean": mean, "median": median, "mode": mode, "mad": apart / self.n,
                "deviation": math.sqrt(squares / self.n), "range": self.most - self.least}
""",
)
OURS = Job(
    """
for _ in range({repeat}):
    (run,) = parse(Source(Path({path!r}), "log"))
    numbers, words = joined(run.rows.chunks())
    bins = np.isfinite(numbers["high"]) & (words["kind"].codes == words["kind"].names.index("bin"))
    series = words["series"].codes[bins]
    order = np.flatnonzero(bins)[np.argsort(series, kind="stable")]
    ends = np.cumsum(np.bincount(series)).tolist()
    low, n = numbers["low"][order] / 1e3, numbers["n"][order]
    each = [counted(low[start:end], n=n[start:end]) for start, end in pairwise([0, *ends])]
    figures = [[stats.mean(d), stats.std(d), stats.mad(d), stats.percentiles(d, PERCENTS)]
               for d in [*each, pool(each)]]
answer = [round(figures[-1][0].low, 6), round(figures[-1][1].low, 3), figures[-1][3][0].low]
""",
    """
from itertools import pairwise
from pathlib import Path
import numpy as np
from rtlat.columns import joined
from rtlat.formats.cyclictest_text import parse
from rtlat.intervals import counted
from rtlat.pooling import pool
from rtlat.source import Source
from rtlat.statistics import stats
PERCENTS = stats.default_percentiles(None)
""",
)
LIMIT = Job("for _ in range({repeat}):\n    np.cumsum(counts, axis=1)\nanswer = None", "{setup}")
PERCENTILES = Job(
    """
for _ in range({repeat}):
    found = [stats.percentiles(d, PERCENTS) for d in each()]
answer = None
""",
    "{setup}",
)
ARRAYS = """
from dataclasses import replace
import numpy as np
from rtlat.intervals import counted
from rtlat.statistics import stats
PERCENTS = (*stats.default_percentiles(None), "75")
random = np.random.default_rng(5)
counts = random.poisson(100 * np.exp(-np.arange({bins}) / 800), ({threads}, {bins})).astype(np.int64)
low = np.arange({bins}, dtype=float)
ds = [counted(low, low + 1, row) for row in counts]
fresh = [list(map(replace, ds)) for _ in range({repeat})]  # with nothing added up yet
def each():
    made = fresh.pop()
    while made:
        yield made.pop()
"""
INTERVALS = {
    "ours": Job(
        """
for _ in range({repeat}):
    interval = percentile_interval(d, "99.9")
answer = None
""",
        "{setup}\nfrom rtlat.statistics.rank_intervals import percentile_interval\nd = next(each())\n"
        "percentile_interval(d, '99.9')",
    ),
    "bootstrap": Job(
        """
drawn = np.cumsum(random.multinomial(n.sum(), n / n.sum(), 1000), axis=1)
levels = np.quantile([row.searchsorted(np.ceil(0.999 * n.sum())) for row in drawn], [0.025, 0.975])
answer = None
""",
        "{setup}\nn = counts[0]",
    ),
}


def rows(effort: Effort) -> Iterator[Row]:
    """Yield a row for each comparison."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.hist")
        path.write_bytes(histogram_text(1000, 64))
        made = {}
        for name, job in {"rtlat": OURS, "rteval": RTEVAL}.items():
            once = job.work.format(path=str(path), repeat=1)  # all is loaded, and has been called, before it is timed
            made[name] = Job(job.work.format(path=str(path), repeat=20), f"{job.setup}\n{once}")
        found = alternately(made, effort.rounds)
    ours, theirs = (found[name].seconds / 20 for name in ("rtlat", "rteval"))
    what = "1000 bins x 64 threads parsed, mean, deviations, 6 percentiles of each and of all / rteval's way"
    yield Row("stats-rteval", what, ours / theirs, 0.10, f"{milliseconds(ours)} / {milliseconds(theirs)}")

    setup = ARRAYS.format(bins=10_000, threads=256, repeat=5)
    jobs = {"rtlat": PERCENTILES, "cumsum": LIMIT}
    made = {name: Job(job.work.format(repeat=5), job.setup.format(setup=setup)) for name, job in jobs.items()}
    found = alternately(made, effort.rounds)
    ours, theirs = (found[name].seconds / 5 for name in ("rtlat", "cumsum"))
    what = "7 percentiles of 256 threads of 10,000 bins, arrays in hand / a cumulative sum"
    yield Row("percentiles", what, ours / theirs, 3.0, f"{milliseconds(ours)} / {milliseconds(theirs)}")

    setup = ARRAYS.format(bins=4000, threads=1, repeat=1)
    made = {name: Job(job.work.format(repeat=100), job.setup.format(setup=setup)) for name, job in INTERVALS.items()}
    found = alternately(made, effort.rounds)
    ours, theirs = found["ours"].seconds / 100, found["bootstrap"].seconds
    what = "an interval of p99.9 from ranks, 4000 bins / a bootstrap of 1000 draws"
    yield Row("intervals", what, ours / theirs, 0.01, f"{milliseconds(ours)} / {milliseconds(theirs)}")
