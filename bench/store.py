"""What a store of 10,000 runs costs: adding a run, asking for some, and reading what was asked for.

Runs are histograms of four threads, as cyclictest -h prints them.
CPU time counts, for disk and processors belong to others too; a query is measured as anyone types it, with the start of
Python. The same runs as a folder of Parquet files, one for each run, are the rival.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd

from bench.scoreboard import Effort, Row
from rtlat import Recording, frames, schema, store
from rtlat.storing.adding import add
from rtlat.storing.recall import recall

RUNS, AT_ONCE, THREADS, BINS = 10_000, 1_000, 4, 120
QUERY = "kernel=6.2 load=hackbench"
GOALS = {"add": 5.0, "query": 1.0}
"""Milliseconds of CPU for a run added, and seconds for a query."""


def runs(first: int, count: int) -> Recording:
    """Runs numbered from `first` on, each with a histogram of every thread."""
    random = np.random.default_rng(first)
    size = THREADS * BINS
    names = [f"run-{number:05}" for number in range(first, first + count)]
    low = np.tile(np.arange(BINS) * 1e3 + 5e3, THREADS * count)
    records = {
        "run": pd.Categorical.from_codes(np.repeat(np.arange(count), size), categories=pd.Index(names, dtype="str")),
        "series": np.tile(np.repeat([f"t{number}" for number in range(THREADS)], BINS), count).astype(object),
        "low": low,
        "high": low + 1e3,
        "n": np.tile(np.geomspace(1e6, 1, BINS), THREADS * count).astype(np.int64) + random.poisson(3, size * count),
    }
    words = {"quantity": "thread", "kind": "bin", "of": "all", "unit": "ns"}
    records |= {name: np.full(size * count, word, object) for name, word in words.items()}
    records |= {name: np.full(size * count, np.nan) for name in ("avg", "std", "q", "time")}
    records |= {name: np.full(size * count, -1) for name in ("missed", "seq")}
    facts = [
        {
            "run": name,
            "source": f"{name}.hist",
            "sha256": f"{number:064x}",
            "tool": "cyclictest",
            "kernel": f"6.{1 + number // 500}.{number % 500}-rt",
            "load": ("idle", "hackbench", "stress-ng --cpu 2")[number % 3],
            "machine": f"board {number % 7}",
            "started": f"{np.datetime64('2020-01-01') + number // 4}",
            "duration": 3600.0,
            "resolution": 1e3,
            "rounding": "truncated",
            "ended": "complete",
            "evidence": "log",
            **dict.fromkeys(("ignored_lines", "rejected_lines"), "{}"),
            "warnings": "[]",
        }
        for number, name in enumerate(names, first)
    ]
    series = [{"run": name, "series": f"t{thread}", "cpu": thread} for name in names for thread in range(THREADS)]
    return Recording(
        frames.frame(schema.RECORDS, records | {"line": np.zeros(size * count, np.int64)}),
        frames.frame(schema.RUNS, {c.name: [fact.get(c.name) for fact in facts] for c in schema.RUNS}),
        frames.frame(schema.SERIES, {c.name: [row.get(c.name) for row in series] for c in schema.SERIES}),
    )


def timed(command: list[str]) -> tuple[str, float, float]:
    """Return what a command prints, and the CPU time and the time that it takes [s]."""
    before, clock = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return told, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.perf_counter() - clock


def rows(effort: Effort) -> Iterator[Row]:
    """Yield what a run added, a query and the reading of what it found cost."""
    count = effort.many(RUNS, AT_ONCE)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lab.sqlite"
        spent = 0.0
        for first in range(0, count, AT_ONCE):
            made = runs(first, AT_ONCE)
            start = time.process_time()
            add(made, path)
            spent += time.process_time() - start
        added = spent / count * 1e3
        what = f"CPU time to add one of {count} runs / {GOALS['add']} ms"
        detail = f"{added:.2f} ms, {path.stat().st_size / count / 1e3:.1f} kB a run"
        yield Row("store-add", what, added / GOALS["add"], 1.0, detail)
        command = [sys.executable, "-m", "rtlat", "store", "query", QUERY, "--store", str(path)]
        asked = [timed(command) for _ in range(effort.rounds)]
        query = median(seconds for _, seconds, _ in asked)
        what = f"a query as it is typed, start of Python included / {GOALS['query']} s of CPU"
        yield Row("store-query", what, query / GOALS["query"], 1.0, f"{query:.3f} s")
        start = time.process_time()
        read = recall(f"store:{path}?{QUERY}")
        mine = time.process_time() - start
        for number, run in enumerate(read.runs["run"]):
            part = Recording(*(table[(table["run"] == run).to_numpy()] for table in read))
            store.save(part, Path(folder) / "each" / f"{number:05}")
        start = time.process_time()
        for place in sorted((Path(folder) / "each").iterdir()):
            store.load(place)
        rival = time.process_time() - start
        what = f"{len(read.runs)} runs read from the store / from a folder of Parquet files for each"
        yield Row("store-rival", what, mine / rival, None, f"{mine:.2f} s / {rival:.2f} s")
