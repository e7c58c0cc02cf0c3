"""Samples of ``cyclictest -v`` read a block at a time, against lines read one by one, and against a plain pattern."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rtlat.errors import LogError
from rtlat.formats import cyclictest_text
from rtlat.formats._cyclictest_samples import Samples, stretches
from rtlat.source import Block, Source, block_lines

HEADER = b"Max CPUs = 4\nOnline CPUs = 4\n# /dev/cpu_dma_latency set to 0us\nThread 0 Interval: 1500\n"
ODD = (
    b"# a remark\n",
    b"[  123.456789] usb 1-1: new high-speed USB device number 7\n",
    b"T: 0 ( 2526) P:95 I:1500 C: 999999 Min:      9 Act:   24 Avg:   23 Max:     336\n",
    b"\n",
    b"\x1b[0m",
    b"\0\0\0\0\n",
    b"       0:      12:   x  16\n",
    b"       0:      1 :      16\n",
    b"      : :      12:      16\n",
    b"       0:     12:      16\n",
    b"   10000:      12:      16\n",
    b"       0:       1:      16       0:       2:      16\n",
    b"     \xff 0:      12:      16\n",
    b"...\n",
)

_SAMPLE = re.compile(rb"(?:\x1b\[0m)?( {0,7}\d{1,8}):( {0,7}\d{1,18}):( {0,7}-?\d{1,19})( +\d{1,19})?[ \r]*\n")
_LIKE = re.compile(rb"(?:\x1b\[0m)?[ \d]{8}:[ \d]{8,18}:")


def log(random: np.random.Generator, lines: int, threads: int = 4) -> list[bytes]:
    """Bursts of each thread in turn, some numbers wide, some latencies negative or huge."""
    first = int(random.choice([0, 99_999_900, 10**9 - 50]))
    cycle = [first] * threads
    made: list[bytes] = []
    while len(made) < lines:
        thread = int(random.integers(threads))
        for _ in range(int(random.integers(1, 60))):
            value = int(random.lognormal(3, 1)) * (1 if random.random() < 0.99 else int(random.choice([-1, 10**7])))
            made.append(b"%8d:%8d:%8d\n" % (thread, cycle[thread], value))
            cycle[thread] += 1 + int(random.random() < 0.01)
    return made


def damaged(random: np.random.Generator, lines: list[bytes], what: str) -> bytes:
    """A log with one kind of damage."""
    if what in ("noisy", "noisy CRLF"):
        for place in sorted(random.integers(0, len(lines), len(lines) // 50 + 1).tolist(), reverse=True):
            lines.insert(place, ODD[int(random.integers(len(ODD)))])
    elif what == "restarted":
        lines = [*lines, HEADER, *log(random, 100)] if random.random() < 0.5 else [*lines, *lines[: len(lines) // 2]]
    elif what == "prefixed":
        lines = [b"[   12.%06d] " % place + line for place, line in enumerate(lines)]
    elif what == "quoted":
        lines = [b"> " + line for line in lines]
    data = HEADER + b"".join(lines)
    if what in ("CRLF", "noisy CRLF"):
        return data.replace(b"\n", b"\r\n")
    if what == "cut":
        return data[: int(random.integers(len(HEADER) + 60, len(data)))]
    if what == "bytes":
        text = bytearray(data)
        for place in random.integers(len(HEADER), len(text), 30).tolist():
            text[place] = int(random.choice(list(b"0 9:-\x1b\r\0x\n")))
        return bytes(text)
    return data


DAMAGE = ("none", "noisy", "noisy CRLF", "restarted", "prefixed", "quoted", "CRLF", "cut", "bytes")


def told(data: bytes, keep: int) -> list[dict[str, Any]] | str:
    """All that the runs of a log state."""
    try:
        runs = list(cyclictest_text.parse(Source(None, "log", data, keep)))
    except LogError as error:
        return str(error)
    found = []
    for run in runs:
        arrays = run.rows.arrays()
        order = np.lexsort((arrays["line"], arrays["low"], arrays["kind"], arrays["of"], arrays["series"]))
        rows = {name: [repr(cell) for cell in column[order]] for name, column in arrays.items()}
        words = {name: getattr(run, name) for name in ("tool", "facts", "series", "warnings", "quoted")}
        found.append({"rows": rows, **words, "rejected": run.rejected.reasons, "ignored": run.ignored.reasons})
    return found


@settings(max_examples=80)
@given(st.integers(0, 2**32), st.sampled_from(DAMAGE), st.integers(10, 500), st.sampled_from([0, 150, 10**6]))
@example(1, "noisy", 50_000, 10**6)
@example(2, "bytes", 45_000, 1_000)
def test_blocks_say_what_lines_say(seed: int, what: str, lines: int, keep: int) -> None:
    random = np.random.default_rng(seed)
    data = damaged(random, log(random, lines), what)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cyclictest_text, "stretches", block_lines)
        patch.setattr(cyclictest_text, "together", lambda items, _: items)
        expected = told(data, keep)
    assert told(data, keep) == expected


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.sampled_from(["none", "noisy", "noisy CRLF", "CRLF", "cut"]), st.integers(10, 500))
def test_every_line_is_kept_or_rejected_as_a_pattern_does(seed: int, what: str, lines: int) -> None:
    random = np.random.default_rng(seed)
    data = damaged(random, log(random, lines), what)
    kept: list[tuple[int, int]] = []
    rejected = 0
    for number, line in enumerate(data.splitlines(keepends=True), 1):
        match = _SAMPLE.fullmatch(line)
        sound = match and all(len(cell) == 8 or (len(cell) > 8 and cell[:1] != b" ") for cell in match.groups()[:3])
        if match and sound and int(match[1]) < 10_000:
            kept.append((number, int(match[3])))
        elif line.endswith(b"\n"):
            rejected += bool(_LIKE.match(line))
    runs = list(cyclictest_text.parse(Source(None, "log", data)))
    found: list[tuple[int, int]] = []
    for run in runs:
        rows = run.rows.arrays()
        samples = rows["kind"] == "sample"
        found += zip(rows["line"][samples].tolist(), (rows["low"][samples] / 1000).astype(int).tolist(), strict=True)
    cut = sum(run.rejected.reasons.get("cut last line", [0])[0] for run in runs)
    last = data.count(b"\n") + 1  # without its end it may be whole all the same, where a blank pads its value
    assert [row for row in sorted(found) if row[0] != last] == kept
    assert sum(run.rejected.total for run in runs) - cut == rejected


def test_plain_lines_are_read_as_arrays() -> None:
    """Else all of this would compare lines with lines."""
    data = b"".join(log(np.random.default_rng(3), 30_000))
    assert sum(len(item.line) for item in stretches(Block(1, data)) if isinstance(item, Samples)) > 29_000


def test_a_quoted_run_says_so_and_an_unquoted_one_before_another_does_not() -> None:
    lines = log(np.random.default_rng(5), 200)
    (quoted,) = cyclictest_text.parse(Source(None, "log", b"".join(b"> " + line for line in lines)))
    twice = list(cyclictest_text.parse(Source(None, "log", 2 * b"".join(lines))))
    assert quoted.quoted
    assert [run.quoted for run in twice] == [False, False]
