"""Average switch times of RTAI's ``switches``: a line for each kind of switch, on a terminal or in the kernel's log.

::

    FOR 10 TASKS: TIME 876 (ms), SUSP/RES SWITCHES 20000, SWITCH TIME 43814 (ns)

The switch time is the whole time divided by the switches, truncated; the time is printed in whole milliseconds
(testsuite/kern/switches/switches-module.c).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from rtlat import schema
from rtlat.protocol import Run, Tally

_SWITCHES = re.compile(
    r"FOR (\d{1,6}) TASKS: TIME (\d{1,9}) \(ms\), (SUSP/RES|SEM SIG/WAIT|RPC/RCV-RET) SWITCHES (\d{1,19}), "
    r"SWITCH TIME( \(INCLUDING FULL FP SUPPORT\))? (\d{1,12}) \(ns\)"
)
_LAST = "RPC/RCV-RET"
_SLACK = 1
"""How far the truncated average may lie from what the printed time allows [ns]."""


class Switches(NamedTuple):
    """One kind of switch: tasks, their whole time [ms], its name, how many, with FPU or not, average time [ns]."""

    line: int
    tasks: int
    time: int
    kind: str
    n: int
    fpu: bool
    avg: int


@dataclass(slots=True)
class SwitchTest:
    """One run of ``switches``."""

    quote: int
    section: str = ""
    rows: list[Switches] = field(default_factory=list)
    ignored: Tally = field(default_factory=Tally)
    rejected: Tally = field(default_factory=Tally)

    def goes_on_with(self, row: Switches, section: str, quote: int) -> bool:
        """Whether another kind of switch belongs to this run."""
        last = self.rows[-1]
        same = (last.tasks, last.fpu, self.section, self.quote) == (row.tasks, row.fpu, section, quote)
        return same and row.kind not in {known.kind for known in self.rows}


def switches(text: str, line: int) -> Switches | None:
    """Return what a line says of one kind of switch; None if it is damaged.

    Examples
    --------
    >>> switches("FOR 10 TASKS: TIME 876 (ms), SUSP/RES SWITCHES 20000, SWITCH TIME 43814 (ns)", 8)
    Switches(line=8, tasks=10, time=876, kind='SUSP/RES', n=20000, fpu=False, avg=43814)
    """
    found = _SWITCHES.fullmatch(text)
    if not found or int(found[4]) > schema.LARGEST_COUNT or not int(found[4]):
        return None
    return Switches(line, int(found[1]), int(found[2]), found[3], int(found[4]), bool(found[5]), int(found[6]))


def run_of(test: SwitchTest) -> Run:
    """Return the run that the lines state: averages only, no switch is timed by itself.

    Examples
    --------
    >>> test = SwitchTest(0, rows=[Switches(8, 10, 876, "SUSP/RES", 20000, False, 43814)])
    >>> rows = run_of(test).rows.arrays()
    >>> rows["series"].tolist(), rows["n"].tolist(), rows["avg"].tolist(), rows["high"].tolist()
    (['SUSP/RES'], [20000], [43814.0], [inf])
    """
    run = Run("rtai switches", ignored=test.ignored, rejected=test.rejected, quoted=test.quote > 0)
    for row in test.rows:
        run.rows.add(row.kind, "switch", "summary", -math.inf, math.inf, n=row.n, avg=float(row.avg), line=row.line)
        run.series[row.kind] = {"n": row.n}
    first = test.rows[0]
    run.facts = {
        "approach": "RTAI",
        "variant": f"{first.tasks} tasks" + (", with full FP support" if first.fpu else ""),
        "printed_unit": "ns",
        "unit_basis": "printed",
        "resolution": 1.0,
        "rounding": "exact",
        "ended": "complete" if test.rows[-1].kind == _LAST else "unknown",
    }
    if test.section or first.fpu:  # only the kernel's test counts the FPU in
        run.facts["context"] = "user" if test.section.startswith("user") else "kernel"
    run.warnings += _contradictions(test)
    return run


def _contradictions(test: SwitchTest) -> Iterator[str]:
    """Yield a sentence for each line whose time is not that of its switches."""
    for row in test.rows:
        least, most = row.time * 1e6 / row.n - 1 - _SLACK, (row.time + 1) * 1e6 / row.n + _SLACK
        if not least <= row.avg <= most:
            yield (
                f"line {row.line}: {row.n} switches of {row.avg} ns are {row.n * row.avg / 1e6:.1f} ms, "
                f"the line says {row.time} ms"
            )
