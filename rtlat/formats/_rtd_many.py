"""Many lines of a table at once: kept as they would be one by one, or not at all.

Private to ``rtd_table``, and imports no other format.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rtlat.formats._rtd_block import Table
from rtlat.formats._rtd_gathered import Clock
from rtlat.formats._rtd_lines import Setting
from rtlat.formats._rtd_log import Log, describe
from rtlat.formats._rtd_suite_rows import ROWS
from rtlat.formats._rtd_testsuite import LINES, Suite
from rtlat.source import Line


def take_windows(log: Log, found: Table, setting: Setting | None) -> bool:
    """Whether windows in us go on with a test of ``latency``, or begin one without a head; then they are kept.

    `setting` is what the first clock among them says besides the time.
    """
    line, seconds, before, same = found.clocks
    if len(found.heads):
        last = log.last.clocks[-1].seconds if log.last.clocks else -1
        goes_on = not (log.closed or log.last.quote or log.is_over() or np.any(np.diff(seconds, prepend=last) <= 0))
        if not goes_on or not same.all() or (setting and setting.mode != log.last.mode):
            return False
        log.last.ignored.add("table head", int(found.heads[0]), len(found.heads))
    test = log.test(Line(int(found.rows[0, 0]), ""), new=log.is_over())
    windows, rtd_lines = len(test.windows), test.rtd_lines
    test.clocks += [
        Clock(number, second, windows + place, rtd_lines + place)
        for number, second, place in zip(line.tolist(), seconds.tolist(), before.tolist(), strict=True)
    ]
    if setting:
        describe(test, setting)
    test.windows.extend(found.rows)
    test.unit, test.variant, log.block = "us", found.name, ""
    return True


def take_rows(suite: Suite, found: Table) -> bool:
    """Whether lines of RTAI's testsuite go on with its table; then they are kept."""
    test = suite.table
    if test is None or test.table != found.name or test.quote or found.clocks.size:
        return False
    kind: Any = ROWS[found.name]
    together = np.vstack((test.rows[-1], found.rows)) if test.rows else found.rows
    before, after = (kind._make(part.T) for part in (together[:-1], together[1:]))
    since_head = np.diff(found.columns, prepend=-test.since_head)
    if np.any(after.goes_back(before)) or np.any(since_head < LINES):
        return False
    if len(found.heads):
        test.ignored.add("table head", int(found.heads[0]), len(found.heads))
        test.first, test.since_head = len(test.rows) + int(found.columns[-1]), -int(found.columns[-1])
    test.rows.extend(found.rows)
    test.since_head += len(found.rows)
    return True
