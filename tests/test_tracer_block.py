"""Activations read a block at a time, against the same log read line by line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rtlat.errors import LogError
from rtlat.formats import _tracer_block, tracer_lines
from rtlat.source import Block, Line, Source

TASKS = ("<idle>-0      ", "timerlat/3-811", "kworker/0:1-9", "a b [007] 1.5: #1-77", "x#5-12")
FLAGS = ("d.h1.", "....1", "dNh4..2", "-------12")


def told(data: bytes, keep: int = 10**6) -> list[dict[str, Any]] | str:
    """All that the runs of a log state, their rows in the order of the lines."""
    try:
        runs = list(tracer_lines.parse(Source(None, "log", data, keep=keep)))
    except LogError as error:
        return str(error)
    found = []
    for run in runs:
        arrays = run.rows.arrays()
        order = np.lexsort((arrays["low"], arrays["quantity"], arrays["series"], arrays["kind"], arrays["line"]))
        rows = [{name: repr(column[place]) for name, column in arrays.items()} for place in order]
        found.append(
            {"rows": rows, "facts": run.facts, "series": run.series, "warnings": run.warnings, "quoted": run.quoted}
            | {"rejected": run.rejected.reasons, "ignored": run.ignored.reasons, "tool": run.tool}
        )
    return found


def line_by_line(data: bytes, keep: int = 10**6) -> list[dict[str, Any]] | str:
    """The same, without any array."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_tracer_block, "FEWEST", 10**9)
        return told(data, keep)


def trace(random: np.random.Generator, lines: int, cpus: int = 3) -> list[bytes]:
    """Activations of some CPUs as the tracer prints them, most of them plain."""
    seq = random.integers(0, 200_000, cpus) if random.random() < 0.5 else np.zeros(cpus, np.int64)
    time = random.integers(0, 3) * 10**8 + random.integers(0, 10**7)
    before = int(random.integers(3))  # a trace may begin with any context
    made = []
    for place in range(lines):
        cpu, context = (
            int(random.integers(cpus)),
            ("irq", "thread", "user-ret")[(place + before) % int(random.integers(2, 4))],
        )
        time += int(random.integers(1, 2_000))
        seq[cpu] += context == "irq"
        seq[cpu] += random.random() < 0.01
        latency = int(10 ** random.uniform(0, 8 if random.random() < 0.99 else 11))
        head = f"{TASKS[int(random.integers(3))]:>16} [{cpu:03d}] {FLAGS[int(random.integers(2))]}"
        stamp = f"{time // 10**6:5d}.{time % 10**6:06d}"
        made.append(
            f"{head} {stamp:>12}: #{seq[cpu]:<5d} context {context:>6} timer_latency {latency:9d} ns\n".encode()
        )
    return made


ODD = (
    b"# tracer: timerlat\n",
    b"#                              | / _---=> preempt-lazy-depth\n",
    b"\n",
    b"   <idle>-0       [001] d.h1.    15.541057: irq_noise: local_timer:236 start 15.214127679 duration 38571 ns\n",
    b"   <idle>-0       [001] d.h1.    15.541057: #7     context    irq timer_latency       -41 ns\n",
    b"   <idle>-0       [001] d.h1.    15.541057: #7     context    irq timer_latency\n",
    b"    94171 ns\n",
    b"   a-0 [001] d..   15.541: #7     context    irq timer_latency     94171 ns\n",
    b"   a-0 [001] 15.541057123: #17   context    irq timer_latency     94171 ns\n",
    b"   a b [007] 1.5: #1-77 [001] d.h1.    15.541057: #9     context    irq timer_latency     94171 ns\n",
    b"   <idle>-0 [002] d.h1.    15.541057: #99999999999999999999 context    irq timer_latency     94171 ns\n",
    b"   x#5-12 [002] d.h1.    15.541057: #900000 context thread timer_latency         7 ns\n",
    b"   <idle>-0  [002] d.h1. 12345678.541057: #900001 context thread timer_latency         7 ns\n",
    b"CPU:2 [LOST 7 EVENTS]\n",
    b" => stack\n",
    b"\xff\xfe\x00\n",
)


def damaged(random: np.random.Generator, lines: list[bytes], what: str) -> bytes:
    """A trace with one kind of damage."""
    if what == "odd lines":
        for place in sorted(random.integers(0, len(lines), len(lines) // 40 + 1).tolist(), reverse=True):
            lines.insert(place, ODD[int(random.integers(len(ODD)))])
    elif what == "told twice":
        for place in sorted(random.integers(0, len(lines), 9).tolist(), reverse=True):
            lines.insert(place, lines[place])
    elif what == "restarted":
        lines = lines + lines[: len(lines) // 2]
    elif what == "quoted":
        lines = [
            b"> " + line if len(lines) // 3 < place < len(lines) // 2 else line for place, line in enumerate(lines)
        ]
    elif what == "stamped":
        lines = [b"[   12.%06d] " % place + line for place, line in enumerate(lines)]
    elif what == "indented":
        lines = [b"    " + line for line in lines]
    data = b"".join(lines)
    if what == "CRLF":
        return data.replace(b"\n", b"\r\n")
    if what == "cut":
        return data[: int(random.integers(1, len(data)))]
    if what == "bytes":
        text = bytearray(data)
        for place in random.integers(0, len(text), 25).tolist():
            text[place] = int(random.choice(list(b"0 9#:.[]-\x1b\r\0&<a\n")))
        return bytes(text)
    return data


DAMAGE = ("none", "odd lines", "told twice", "restarted", "quoted", "stamped", "indented", "CRLF", "cut", "bytes")


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.sampled_from(DAMAGE), st.integers(30, 400))
@example(1, "bytes", 3_000)
@example(2, "odd lines", 12_000)
@example(3, "restarted", 9_000)
def test_blocks_say_what_lines_say(seed: int, what: str, lines: int) -> None:
    random = np.random.default_rng(seed)
    data = damaged(random, trace(random, lines), what)
    assert told(data) == line_by_line(data)


@pytest.mark.parametrize("keep", [10, 4_000])
def test_blocks_say_what_lines_say_when_there_are_many(keep: int) -> None:
    random = np.random.default_rng(6)
    data = damaged(random, trace(random, 6_000), "odd lines")
    assert told(data, keep) == line_by_line(data, keep)


def test_plain_lines_are_read_as_arrays() -> None:
    """Else all of this would compare lines with lines."""
    data = b"".join(trace(np.random.default_rng(4), 5_000))
    items = list(_tracer_block.Reader().stretches(Block(1, data)))
    assert sum(isinstance(item, Line) for item in items) < 1_000
    assert sum(len(item.line) for item in items if not isinstance(item, Line)) > 4_000


def test_prefixes_that_are_very_many_are_forgotten() -> None:
    reader = _tracer_block.Reader()
    line = b"  task%d-%d  [000] d.h1.  15.541057: #%-5d context    irq timer_latency     94171 ns\n"
    for first in range(0, 30_000, 10_000):
        data = b"".join(line % (n, n, n) for n in range(first, first + 10_000))
        (found,) = reader.stretches(Block(1, data))
        assert isinstance(found, _tracer_block.Activated)
        assert found.seq.tolist() == list(range(first, first + 10_000))
        assert len(reader._known) <= _tracer_block._MOST_PREFIXES
