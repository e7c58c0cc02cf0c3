"""RTD lines read a block at a time, against the same log read line by line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rtlat.errors import RtlatError
from rtlat.formats import _rtd_block, rtd_table
from rtlat.source import Block, Line, Source

HEAD = "== Sampling period: {} us\n== Test mode: {}\n== All results in microseconds\nwarming up...\n"
MODES = ("periodic user-mode task", "in-kernel periodic task", "in-kernel timer handler")
COLUMNS = {
    True: "RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst\n",
    False: "RTH|----lat min|----lat avg|----lat max|-overrun|---lat best|--lat worst\n",
}


def told(data: bytes) -> list[dict[str, Any]] | str:
    """All that the runs of a log state."""
    try:
        runs = list(rtd_table.parse(Source(None, "log", data)))
    except RtlatError as error:
        return str(error)
    return [
        {
            "rows": {name: [repr(cell) for cell in column] for name, column in run.rows.arrays().items()},
            **{name: getattr(run, name) for name in ("tool", "facts", "series", "warnings", "quoted")},
            "rejected": run.rejected.reasons,
            "ignored": run.ignored.reasons,
        }
        for run in runs
    ]


def line_by_line(data: bytes) -> list[dict[str, Any]] | str:
    """The same, without any array."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_rtd_block, "FEWEST", 10**9)
        return told(data)


def log(random: np.random.Generator, windows: int) -> list[bytes]:
    """A run as ``latency`` prints it: with or without msw, negative, wide, with overruns."""
    msw, every = bool(random.random() < 0.7), int(random.choice([4, 21]))
    period, mode = int(random.choice([100, 1000])), MODES[int(random.integers(3))]
    made = [HEAD.format(period, mode)] if random.random() < 0.8 else []
    best, worst, overruns = 10**7, -(10**7), 0
    wide = 10 ** int(random.choice([4, 6, 10]))
    for place in range(windows):
        if place % every == 0:
            clock = f"{place // 3600:02d}:{place // 60 % 60:02d}:{place % 60:02d}"
            made += [f"RTT|  {clock}  ({mode}, {period} us period, priority 99)\n", COLUMNS[msw]]
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


def damaged(random: np.random.Generator, lines: list[bytes], what: str) -> bytes:
    """A log with one kind of damage."""
    places = sorted(random.integers(0, len(lines), len(lines) // 30 + 1).tolist(), reverse=True)
    if what == "odd lines":
        for place in places:
            lines.insert(place, ODD[int(random.integers(len(ODD)))])
    elif what == "lines lost":
        for place in places:
            del lines[place]
    elif what == "broken lines":
        for place in places:
            lines[place] = lines[place][:40] + b"\n" + lines[place][40:]
    elif what == "restarted":
        lines = lines + log(random, 60)
    elif what == "quoted":
        first, last = len(lines) // 3, len(lines) // 2
        lines = [*lines[:first], *(b"> " + line for line in lines[first:last]), *lines[last:]]
    elif what == "stamped":
        lines = [b"[   12.%06d] " % place + line for place, line in enumerate(lines)]
    data = b"".join(lines)
    if what == "CRLF":
        return data.replace(b"\n", b"\r\n")
    if what == "cut":
        return data[: int(random.integers(1, len(data)))]
    if what == "bytes":
        text = bytearray(data)
        for place in random.integers(0, len(text), 20).tolist():
            text[place] = int(random.choice(list(b"0 9-.,|^\x1b\r\0<R\n")))
        return bytes(text)
    return data


DAMAGE = ("none", "odd lines", "lines lost", "broken lines", "restarted", "quoted", "stamped", "CRLF", "cut", "bytes")


@settings(max_examples=80)
@given(st.integers(0, 2**32), st.sampled_from(DAMAGE), st.integers(5, 300))
@example(1, "bytes", 14_000)
@example(2, "odd lines", 3_000)
def test_blocks_say_what_lines_say(seed: int, what: str, windows: int) -> None:
    random = np.random.default_rng(seed)
    make = log_of_rtai if random.random() < 0.3 else log
    data = damaged(random, make(random, windows), what)
    assert told(data) == line_by_line(data)


def test_plain_lines_are_read_as_arrays() -> None:
    """Else all of this would compare lines with lines."""
    random = np.random.default_rng(4)
    for made in (log(random, 5_000), log_of_rtai(random, 5_000)):
        items = list(_rtd_block.stretches(Block(1, b"".join(made))))
        assert sum(len(item.rows) for item in items if not isinstance(item, Line)) > 4_400


@pytest.mark.parametrize("odd", ODD)
def test_every_odd_line_is_left_to_the_exact_reader(odd: bytes) -> None:
    plain = b"RTD|     -0.458|      7.504|     49.833|       0|     0|     -4.458|     49.833\n"
    items = list(_rtd_block.stretches(Block(1, 5 * plain + odd + 5 * plain)))
    arrays = [item.rows for item in items if not isinstance(item, Line) and not item.of_rtai]
    assert [len(rows) for rows in arrays] == [5, 5]
    assert arrays[0][0].tolist() == [1, -458, 7504, 49833, 0, 0, -4458, 49833]
