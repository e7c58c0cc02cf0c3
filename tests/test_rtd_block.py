"""RTD lines read a block at a time, against the same log read line by line."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from damaging import DAMAGE, damaged, line_by_line, told
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rtlat.formats import _rtd_block
from rtlat.formats._rtd_block import Shape
from rtlat.formats._rtd_tables import Tables
from rtlat.formats.rtd_table import parse
from rtlat.shapes import Stretch
from rtlat.source import Block, Line, Source

HEAD = "== Sampling period: {} us\n== Test mode: {}\n== All results in microseconds\nwarming up...\n"
MODES = ("periodic user-mode task", "in-kernel periodic task", "in-kernel timer handler", "user", "oob-gpio")
"""The last two are those of latmus, which names the processor, too."""

COLUMNS = {
    True: "RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst\n",
    False: "RTH|----lat min|----lat avg|----lat max|-overrun|---lat best|--lat worst\n",
}


def log(random: np.random.Generator, windows: int) -> list[bytes]:
    """A run as ``latency`` prints it: with or without msw, negative, wide, with overruns."""
    msw, every = bool(random.random() < 0.7), int(random.choice([4, 21]))
    period, mode = int(random.choice([100, 1000])), MODES[int(random.integers(5))]
    more = f", CPU{random.integers(4)}-noisol" if mode in MODES[3:] else ""
    made = [HEAD.format(period, mode)] if random.random() < 0.8 else []
    best, worst, overruns = 10**7, -(10**7), 0
    wide = 10 ** int(random.choice([4, 6, 10]))
    for place in range(windows):
        if place % every == 0:
            clock = f"{place // 3600:02d}:{place // 60 % 60:02d}:{place % 60:02d}"
            made += [f"RTT|  {clock}  ({mode}, {period} us period, priority 99{more})\n", COLUMNS[msw]]
        low = int(random.integers(-3_000, 3_000))
        avg = low + int(random.integers(0, 5_000))
        high = avg + int(random.integers(0, wide))
        best, worst, overruns = min(best, low), max(worst, high), overruns + int(random.random() < 0.02)
        times = [f"{time / 1000:11.3f}" for time in (low, avg, high, best, worst)]
        totals = [f"{overruns:8d}", *([f"{0:6d}"] if msw else [])]
        made.append("|".join(["RTD", *times[:3], *totals, *times[3:]]) + "\n")
    if windows and random.random() < 0.5:
        totals = [f"{overruns:8d}", *([f"{0:6d}"] if msw else [])]
        ends = "|".join([*(f"{time / 1000:11.3f}" for time in (best, max(best, 0), worst)), *totals])
        made.append(f"---|-----------|\nRTS|{ends}|    00:00:{windows % 60:02d}/00:00:{windows % 60:02d}\n")
    return [line.encode() for line in made]


def log_of_rtai(random: np.random.Generator, rows: int) -> list[bytes]:
    """A run as RTAI's display prints it, some numbers wide."""
    made = ["# period = 100000 (ns) \n", "RTAI Testsuite - KERNEL latency (all data in nanoseconds)\n"]
    best, worst, overruns = 10**9, -(10**9), 0
    for place in range(rows):
        if place % 21 == 0:
            made.append("RTH|    lat min|    ovl min|    lat avg|    lat max|    ovl max|   overruns\n")
        low = -int(10 ** random.uniform(0, 4))
        high = int(10 ** random.uniform(0, 9 if random.random() < 0.02 else 6))
        best, worst, overruns = min(best, low), max(worst, high), overruns + int(random.random() < 0.02)
        cells = (low, best, int(random.integers(-50, 50)), high, worst, overruns)
        made.append("|".join(["RTD", *(f"{cell:11d}" for cell in cells)]) + "\n")
    return [line.encode() for line in made]


ODD = (
    b"RTD|      4.458|      7.504|     49.833|       0|     0|      4.458|     49.833\r\r\n",
    b"RTD|      4.458|     - .504|     49.833|       0|     0|      4.458|     49.833\n",
    b"RTD|     --.458|      7.504|     49.833|       0|     0|      4.458|     49.833\n",
    b"RTD|    -1-.458|      7.504|     49.833|       0|     0|      4.458|     49.833\n",
    b"RTD|      9.458|      7.504|     49.833|       0|     0|      4.458|     49.833\n",
    b"RTD|      4,458|      7,504|     49,833|       0|     0|      4,458|     49,833\n",
    b"RTD|      4.458|      7.504|     49.833|      -1|     0|      4.458|     49.833\n",
    b"RTD|      4.458|      7.504|     49.833| 0\n",
    b"RTH|----lat min|----ovl min|----lat avg|----lat max|----ovl max|-overruns\n",
    b"RTH|---------cpu|ctx switches|-------total\n",
    b"RTD|       -71|        -71|        -50|     2000|       2000|          0\n",
    b"^C\n",
    b"^CRTD|      4.458|      7.504|     49.833|       0|     0|      4.458|     49.833\n",
    b"> RTD|      4.458|      7.504|     49.833|       0|     0|      4.458|     49.833\n",
    b"     7.504|     49.833|\n",
    b"| RTD | 4.458 | 7.504 | 49.833 | 0 | 0 | 4.458 | 49.833 |\n",
    b"HSD|    avg|  14 - 15 |        1\n",
    b"some prose\n",
    b"\n",
)


def log_of_preempt(random: np.random.Generator, rows: int) -> list[bytes]:
    """A run as the display of ``preempt`` prints it."""
    made = ["RTAI Testsuite - UP preempt (all data in nanoseconds)\n"]
    low, high, fast, slow = 10**9, -(10**9), 0, 0
    for place in range(rows):
        if place % 21 == 0:
            made.append("RTH|     lat min|     lat avg|     lat max|    jit fast|    jit slow\n")
        low, high = min(low, -int(10 ** random.uniform(0, 4))), max(high, int(10 ** random.uniform(0, 6)))
        fast, slow = (max(jitter, int(10 ** random.uniform(0, 7))) for jitter in (fast, slow))
        cells = (low, int(random.integers(-50, 50)), high, fast, slow)
        made.append("|".join(["RTD", *(f"{cell:12d}" for cell in cells)]) + "\n")
    return [line.encode() for line in made]


def log_of_some(random: np.random.Generator, rows: int) -> list[bytes]:
    """A log of any of these tools, or of two of them."""
    tools = random.choice(3, int(random.choice([1, 1, 1, 2])), p=(0.5, 0.3, 0.2))
    return [line for tool in tools.tolist() for line in (log, log_of_rtai, log_of_preempt)[tool](random, rows)]


@settings(max_examples=80)
@given(st.integers(0, 2**32), st.sampled_from(DAMAGE), st.integers(5, 300))
@example(1, "bytes", 14_000)
@example(2, "odd lines", 3_000)
def test_blocks_say_what_lines_say(seed: int, what: str, windows: int) -> None:
    random = np.random.default_rng(seed)
    data = damaged(random, log_of_some(random, windows), what, ODD)
    assert told(parse, data) == line_by_line(parse, data)


def test_a_bin_within_a_table_of_rtai_begins_a_test_that_its_next_head_ends() -> None:
    lines = log_of_rtai(np.random.default_rng(4), 60)
    lines[12:12] = [b"HSD|    avg|  14 - 15 |        1\n"]
    lines[20:20] = [b"some prose\n"]
    data = b"".join(lines)
    runs = line_by_line(parse, data)
    assert told(parse, data) == runs
    assert [run["ignored"].get("text around the tables") for run in runs if isinstance(run, dict)] == [None, [1, 21]]


def test_plain_lines_are_read_as_arrays() -> None:
    """Else all of this would compare lines with lines."""
    random = np.random.default_rng(4)
    for make in (log, log_of_rtai, log_of_preempt):
        items = list(_rtd_block.reader().stretches(Block(1, b"".join(make(random, 5_000)))))
        assert sum(len(item) for item in items if not isinstance(item, Line)) > 4_400


@pytest.mark.parametrize("make", [log, log_of_rtai, log_of_preempt])
def test_a_block_of_tables_is_taken_at_once(make: Callable[[np.random.Generator, int], list[bytes]]) -> None:
    """Not table by table, which takes three times as long."""
    lines = make(np.random.default_rng(1), 2_100)
    taken: list[int] = []

    def take_many(self: Tables, found: Stretch[Shape]) -> bool:
        if whole(self, found):
            taken.append(len(found))
            return True
        return False

    whole = Tables.take_many
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Tables, "take_many", take_many)
        list(parse(Source(None, "log", b"".join([*lines[:200], b"odd\n", *lines[200:]]))))
    assert max(taken) > 1_900
