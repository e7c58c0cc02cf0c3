"""Traces read a block at a time, against the same log read line by line."""

from __future__ import annotations

import numpy as np
import pytest
from damaging import DAMAGE, damaged, line_by_line, told
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rtlat.formats import _tracer_block
from rtlat.formats.tracer_lines import parse
from rtlat.source import Block, Line

TASKS = ("<idle>-0      ", "timerlat/3-811", "kworker/0:1-9", "a b [007] 1.5: #1-77", "x#5-12")
FLAGS = ("d.h1.", "....1", "dNh4..2", "-------12")
CONTEXTS = ("irq", "thread", "user-ret")


class Activations:
    """Activations of some CPUs, one after the other."""

    def __init__(self, random: np.random.Generator, cpus: int) -> None:
        self.seq = random.integers(0, 200_000, cpus) if random.random() < 0.5 else np.zeros(cpus, np.int64)
        self.place = int(random.integers(3))  # a trace may begin with any context
        self.random = random

    def next(self, cpu: int) -> tuple[int, int, int]:
        """Number, context and latency."""
        self.place += 1
        context = self.place % int(self.random.integers(2, 4))
        self.seq[cpu] += int(context == 0) + int(self.random.random() < 0.01)
        return int(self.seq[cpu]), context, wide(self.random)


def wide(random: np.random.Generator) -> int:
    """A number of any width."""
    return int(10 ** random.uniform(0, 8 if random.random() < 0.99 else 11))


def timerlat(random: np.random.Generator, activations: Activations, cpu: int, dialect: int) -> str:
    seq, context, latency = activations.next(cpu)
    return (
        f"#{seq:<5d} context {CONTEXTS[context]:>6} timer_latency {latency:9d} ns",
        f"timerlat:             seq:{seq}\tcontext:{context}\ttimer_latency:{latency}",
        f"osnoise:timerlat_sample: timer_latency={latency} seqnum={seq} context={context}",
    )[dialect]


def osnoise(random: np.random.Generator, _: Activations, cpu: int, dialect: int) -> str:
    runtime = 1_000_000 + int(random.integers(0, 3_000))
    noise = int(random.integers(0, runtime + 1) if random.random() < 0.9 else 0)
    longest = int(random.integers(0, noise + 1))
    share = (runtime - noise) * 10_000_000 // runtime - int(random.random() < 0.01)
    hw, nmi, irq, softirq, thread = counts = random.integers(0, 9_000, 5).tolist()
    return (
        f"{runtime} {noise:10d} {share // 100_000:3d}.{share % 100_000:05d} {longest:7d}"
        + "".join(f" {count:6d}" for count in counts),
        f"osnoise:              noise:{noise}\tmax_sample:{longest}\thw:{hw}\tnmi:{nmi}\tirq:{irq}\tsoftirq:{softirq}"
        f"\tthread:{thread}",
        f"osnoise:osnoise_sample: runtime={runtime} noise={noise} max_sample={longest} hw_count={hw} nmi_count={nmi} "
        f"irq_count={irq} softirq_count={softirq} thread_count={thread}",
    )[dialect]


def noise(random: np.random.Generator, _: Activations, cpu: int, dialect: int) -> str:
    start = f"start {int(random.integers(0, 9_999))}.{int(random.integers(0, 10**9)):09d}"
    event = (
        f"irq_noise: local_timer:236 {start} duration {wide(random)} ns",
        f"softirq_noise:    TIMER:1 {start} duration {wide(random)} ns",
        f"thread_noise: kworker/{cpu}:1:{int(random.integers(2, 5_000))} {start} duration {wide(random)} ns",
        f"nmi_noise: {start} duration {wide(random)} ns",
        f"sample_threshold: {start} duration {wide(random)} ns interference {int(random.integers(0, 12))}",
    )[int(random.integers(5))]
    return ("osnoise:" if dialect == 2 else "") + event


def hwlat(random: np.random.Generator, activations: Activations, cpu: int, dialect: int) -> str:
    activations.place += 1
    inner, outer, gaps = random.integers(0, 30_000, 3).tolist()
    counted = f" count:{gaps}" if random.random() < 0.9 else ""
    stamp = f"ts:1796058438.{int(random.integers(0, 10**9)):09d}"
    if dialect == 1:
        return f"hwlat:                cnt:{activations.place}\t{stamp}\tinner:{inner}\touter:{outer}{counted}"
    return f"#{activations.place:<5d} inner/outer(us): {inner:4d}/{outer:<5d} {stamp}{counted}"


def other(random: np.random.Generator, _: Activations, cpu: int, dialect: int) -> str:
    pid = int(random.integers(0, 3_000))
    return f"sched_switch: prev_comm=swapper/{cpu} prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid={pid}"


KINDS = (timerlat, osnoise, noise, hwlat, other)


def trace(random: np.random.Generator, lines: int, cpus: int = 3) -> list[bytes]:
    """Events of some CPUs as a tool prints them: of one kind, or of several at once."""
    dialect = int(random.choice(3, p=(0.6, 0.2, 0.2)))
    number = int(random.choice([1, 1, 2, 5]))
    kinds = [KINDS[place] for place in random.choice(len(KINDS), number, replace=False)]
    activations = Activations(random, cpus)
    time = random.integers(0, 3) * 10**8 + random.integers(0, 10**7)
    decimals = int(random.choice([0, 6, 6, 6, 9]))
    made = [f"# tracer: {kinds[0].__name__}\n".encode()] if random.random() < 0.5 else []
    for _ in range(lines):
        cpu = int(random.integers(cpus))
        time += int(random.integers(1, 2_000))
        event = kinds[int(random.integers(number))](random, activations, cpu, dialect)
        head = f"{TASKS[int(random.integers(3))]:>16} [{cpu:03d}] {FLAGS[int(random.integers(2))]}"
        stamp = f"{time // 10**6:5d}.{time % 10**6:06d}{'000'[: decimals - 6]}" if decimals else f"{time}"
        made.append(f"{head} {stamp:>12}: {event}\n".encode())
    return made


ODD = (
    b"# tracer: timerlat\n",
    b"# tracer: osnoise\n",
    b"#                              | / _---=> preempt-lazy-depth\n",
    b"\n",
    b"   <idle>-0       [001] d.h1.    15.541057: irq_noise: local_timer:236 start 15.214127679 duration 38571 ns\n",
    b"   <idle>-0       [001] d.h1.    15.541057: #7     context    irq timer_latency       -41 ns\n",
    b"   <idle>-0       [001] d.h1.    15.541057: #7     context    irq timer_latency\n",
    b"    94171 ns\n",
    b"   a-0 [001] d..   15.541: #7     context    irq timer_latency     94171 ns\n",
    b"   a-0 [001] 15.541057123: #17   context    irq timer_latency     94171 ns\n",
    b"   a-0 [001] 15.541057: timerlat:    seq:2000\tcontext:3\ttimer_latency:94171\n",
    b"   a b [007] 1.5: #1-77 [001] d.h1.    15.541057: #9     context    irq timer_latency     94171 ns\n",
    b"   <idle>-0 [002] d.h1.    15.541057: #99999999999999999999 context    irq timer_latency     94171 ns\n",
    b"   x#5-12 [002] d.h1.    15.541057: #900000 context thread timer_latency         7 ns\n",
    b"   <idle>-0  [002] d.h1. 12345678.541057: #900001 context thread timer_latency         7 ns\n",
    b"   <idle>-0  [002] d.h1. 999999999999.541057: #900002 context thread timer_latency         7 ns\n",
    b"   <idle>-0  [002] d.h1. 999999999999: #900002 context thread timer_latency         7 ns\n",
    b"   <...>-860  [001] ....    81.638154: 1000000        656  99.93440      74     23      0   1006     16\n",
    b"   <...>-860  [001] ....    81.638154: 1000000        657  99.93440      74     23      0   1006     16      3\n",
    b"   <...>-860  [001] ....    81.638154: 0        0   0.00000      74     23      0   1006     16      3\n",
    b"   <...>-860  [001] ....    81.638154: 99999999999999 0 100.00000   74     23      0   1006     16      3\n",
    b"   <...>-186     [001] db...    24.801029: #1     inner/outer(us): 41/41\n",
    b"   ts:1796058438.866018897 count:595\n",
    b"   <...>-279     [000] d.h11   213.214215: stop tracing hit on cpu 0\n",
    b"CPU:2 [LOST 7 EVENTS]\n",
    b" => stack\n",
    b"\xff\xfe\x00\n",
    b"   t\xc3\xa9-0  [002] d.h1. 12345678.541057: #900001 context thread timer_latency         7 ns\n",
)


@settings(max_examples=120)
@given(st.integers(0, 2**32), st.sampled_from(DAMAGE), st.integers(30, 400))
@example(1, "bytes", 3_000)
@example(2, "odd lines", 12_000)
@example(3, "restarted", 9_000)
@example(4, "digits", 9_000)
def test_blocks_say_what_lines_say(seed: int, what: str, lines: int) -> None:
    random = np.random.default_rng(seed)
    data = damaged(random, trace(random, lines), what, ODD)
    assert told(parse, data) == line_by_line(parse, data)


@pytest.mark.parametrize("keep", [10, 4_000])
@pytest.mark.parametrize("seed", [6, 7, 8])
def test_blocks_say_what_lines_say_when_there_are_many(keep: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    data = damaged(random, trace(random, 6_000), "odd lines", ODD)
    assert told(parse, data, keep) == line_by_line(parse, data, keep)


@pytest.mark.parametrize("seed", range(8))
def test_plain_lines_are_read_as_arrays(seed: int) -> None:
    """Else all of this would compare lines with lines."""
    data = b"".join(trace(np.random.default_rng(seed), 5_000))
    items = list(_tracer_block.reader().stretches(Block(1, data)))
    assert sum(isinstance(item, Line) for item in items) < 1_000
    assert sum(len(item) for item in items if not isinstance(item, Line)) > 4_000
