"""Recordings built by hand: runs of rows, with the facts that a reader would have found."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from rtlat import frames, schema
from rtlat.protocol import Recording
from rtlat.rows import Rows

US = 1000.0
TRUNCATED = {"resolution": US, "rounding": "truncated"}
SAME_FACTS = {
    "machine": "one board",
    "load": "idle",
    "context": "user",
    "period": 1e6,
    "tool": "cyclictest",
    "power_states": "held in C0 by the tool",
    **TRUNCATED,
}
"""All that two runs need to have in common to be compared."""


def recording(*runs: tuple[Rows, dict[str, Any]], series: list[dict[str, Any]] | None = None) -> Recording:
    """Return a validated recording of runs r0, r1, ..."""
    tables = [rows.arrays() for rows, _ in runs]
    names = [str(facts.get("run", f"r{place}")) for place, (_, facts) in enumerate(runs)]
    records = {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}
    records["run"] = np.repeat(np.asarray(names, object), [len(table["low"]) for table in tables])
    default = {"source": "made.txt", "tool": "made", "evidence": "log", "ended": "complete", "warnings": "[]"}
    facts = [
        {**default, "rounding": "exact", **facts, "run": name} for name, (_, facts) in zip(names, runs, strict=True)
    ]
    made = Recording(
        frames.frame(schema.RECORDS, records),
        frames.frame(schema.RUNS, {c.name: [fact.get(c.name) for fact in facts] for c in schema.RUNS}),
        frames.frame(schema.SERIES, {c.name: [row.get(c.name) for row in series or []] for c in schema.SERIES}),
    )
    frames.validate(*made)
    return made


def histogram(
    rows: Rows, counts: dict[int, int], series: str = "t0", quantity: str = "thread", step: float = US
) -> None:
    """Add bins [k, k + 1) of `step`, with the count of each."""
    for edge, n in counts.items():
        rows.add(series, quantity, "bin", edge * step, (edge + 1) * step, n=n)


def one(rows: Rows, series: list[dict[str, Any]] | None = None, **facts: Any) -> Recording:
    """Return the recording of one run."""
    return recording((rows, facts), series=series)


def rtirq_table(seeds: Path) -> dict[int, int]:
    """Return the table of the rtirq article as printed: tenths of a microsecond -> count."""
    text = next(seeds.glob("000_*.txt")).read_text("utf-8")
    found = re.findall(r"^(\d+)\.(\d)0 (\d+) \(\d+\.\d{6}\)$", text, re.MULTILINE)
    return {int(whole) * 10 + int(tenth): int(n) for whole, tenth, n in found}
