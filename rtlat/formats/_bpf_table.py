"""A printed histogram of ranges: its rows one after the other, what is missing between them, and its run.

Private to ``bpf_histogram``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from rtlat import schema
from rtlat.protocol import Run, Tally

# `@usecs`, `@run_ns`, `@lus`, but not `@status`
_UNIT_OF_NAME = re.compile(r"@(?:.*_)?l?(ns|us|ms|nsecs?|usecs?|msecs?)$")


@dataclass(slots=True)
class Table:
    """One histogram.

    Attributes
    ----------
    tool, name, key : str
        The tool; the map that was printed; its key, empty if it has none.
    unit : str
        ns, us or ms; empty if no unit is known.
    line : int
        Where it begins.
    rows : list of (low, high, count, line)
        As printed: low belongs, high does not. [unit]
    closed : bool
        Whether something stands after its last row: only then nothing is missing there.
    """

    tool: str
    name: str
    key: str
    unit: str
    line: int
    quoted: bool = False
    rows: list[tuple[float, float, int, int]] = field(default_factory=list)
    closed: bool = False
    lost: int = 0
    total: int = 0
    rejected: Tally = field(default_factory=Tally)

    def add(self, low: float, high: float, count: int, line: int) -> None:
        """Append a row; the tools print all rows between the first and the last that is not empty."""
        before = self.rows[-1][1] if self.rows else low
        if not before <= low < high or self.total + count > schema.LARGEST_COUNT:
            self.rejected.add("a range that does not follow the one before", line)
            return
        self.total += count
        if before < low:
            self.lost = self.lost or line
        self.rows.append((low, high, count, line))

    @property
    def whole(self) -> bool:
        """Whether no row is missing."""
        return self.closed and not self.lost and not self.rejected.total


def unit_of_name(name: str) -> str:
    """Return the unit that a map's name ends in: ns, us or ms, else nothing.

    Examples
    --------
    >>> unit_of_name("@usecs"), unit_of_name("@lus"), unit_of_name("@wait_ns"), unit_of_name("@status")
    ('us', 'us', 'ns', '')
    """
    found = _UNIT_OF_NAME.match(name)
    return found[1][0] + "s" if found else ""


def runs(tables: list[Table]) -> Iterator[Run]:
    """Yield a run for each map that was printed, and for each time it was: its keys are the series."""
    groups: list[list[Table]] = []
    for table in tables:
        same = groups[-1] if groups else []
        before = same[-1] if same else table
        alike = (table.tool, table.name, table.unit, table.quoted) == (
            before.tool,
            before.name,
            before.unit,
            before.quoted,
        )
        if same and alike and all(table.key != other.key for other in same):
            same.append(table)
        else:
            groups.append([table])
    names = [(group[0].tool, group[0].name) for group in groups]
    for group, name in zip(groups, names, strict=True):
        run = _run(group)
        if names.count(name) > 1:
            run.warnings.append("it is printed more than once: whether the counts went on or began anew is not said")
        if len(run.rows):
            yield run


def _run(group: list[Table]) -> Run:
    """The run of one map."""
    first = group[0]
    run = Run(first.tool, quoted=first.quoted)
    run.facts = {
        "variant": first.name,
        "printed_unit": first.unit or "unknown",
        "unit_basis": ("assumed" if first.tool == "bpftrace" else "printed") if first.unit else "",
        "bin_edges": "given",
        "ended": "complete" if all(table.whole for table in group) else "cut",
        "evidence": "log",
    }
    if not first.unit:
        del run.facts["unit_basis"]
        run.warnings.append("no unit is known; printed_unit in a run card says which")
    elif first.tool == "bpftrace":
        run.warnings.append(f"the unit {first.unit} is taken from the name {first.name}")
    run.warnings.append("what was measured is not said; quantity in a run card says it")
    for table in group:
        _add(run, table)
    return run


def _add(run: Run, table: Table) -> None:
    """Add the rows of one histogram, and what is missing in it."""
    series, unit = table.key or "all", table.unit or "unknown"
    for low, high, count, line in table.rows:
        if count:
            ends = [end if math.isinf(end) else schema.to_ns(str(int(end)), unit) for end in (low, high)]
            run.rows.add(series, "unknown", "bin", *ends, n=count, unit="ns" if table.unit else "unknown", line=line)
            if math.isinf(high):
                run.facts["overflow_policy"] = "counted apart"
    run.rejected.merge(table.rejected)
    where = f"line {table.line}: {series}"
    if table.rejected.total:
        line = min(line for _, line in table.rejected.reasons.values())
        run.warnings.append(f"{where}: {table.rejected.total} rows could not be read (the first in line {line})")
    if table.lost:
        run.warnings.append(f"{where}: a row is missing before line {table.lost}")
    if not table.closed:
        run.warnings.append(f"{where}: the log ends in the table, whose last rows may be missing")
    run.series[series] = {"ended": "" if table.whole else "cut"}
