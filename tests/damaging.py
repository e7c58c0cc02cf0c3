"""Logs damaged in every way, and what is read from them: by shape and, as it must say the same, line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from rtlat.errors import RtlatError
from rtlat.protocol import Run
from rtlat.shapes import Shapes
from rtlat.source import Source

Parse = Callable[[Source], Iterator[Run]]

DAMAGE = (
    "none",
    "odd lines",
    "lines lost",
    "lines twice",
    "broken lines",
    "restarted",
    "quoted",
    "stamped",
    "indented",
    "digits",
    "bytes",
    "CRLF",
    "cut",
)


def told(parse: Parse, data: bytes, keep: int = 10**6) -> list[dict[str, Any]] | str:
    """All that the runs of a log state, their rows in the order of the lines."""
    try:
        runs = list(parse(Source(None, "log", data, keep=keep)))
    except RtlatError as error:
        return str(error)
    found = []
    for run in runs:
        arrays = run.rows.arrays()
        order = np.lexsort((arrays["low"], arrays["quantity"], arrays["series"], arrays["kind"], arrays["line"]))
        rows = {name: list(map(repr, column[order])) for name, column in arrays.items()}
        said = {name: getattr(run, name) for name in ("tool", "facts", "series", "warnings", "quoted")}
        said["order"] = list(run.series)
        found.append({"rows": rows, **said, "rejected": run.rejected.reasons, "ignored": run.ignored.reasons})
    return found


def line_by_line(parse: Parse, data: bytes, keep: int = 10**6) -> list[dict[str, Any]] | str:
    """The same, without any array."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Shapes, "_found", lambda *_: None)
        return told(parse, data, keep)


def damaged(random: np.random.Generator, lines: list[bytes], what: str, odd: tuple[bytes, ...]) -> bytes:
    """A log with one kind of damage."""
    places = sorted(random.integers(0, len(lines), len(lines) // 35 + 1).tolist(), reverse=True)
    first, last = len(lines) // 3, len(lines) // 2
    if what == "odd lines":
        for place in places:
            lines.insert(place, odd[int(random.integers(len(odd)))])
    elif what == "lines lost":
        for place in places:
            del lines[place]
    elif what == "lines twice":
        for place in places:
            lines.insert(place, lines[place])
    elif what == "broken lines":
        for place in places:
            lines[place] = lines[place][:40] + b"\n" + lines[place][40:]
    elif what == "restarted":
        lines = lines + lines[: len(lines) // 2]
    elif what == "quoted":
        lines = [*lines[:first], *(b"> " + line for line in lines[first:last]), *lines[last:]]
    elif what == "stamped":
        lines = [b"[   12.%06d] " % place + line for place, line in enumerate(lines)]
    elif what == "indented":
        lines = [b"    " + line for line in lines]
    data = b"".join(lines)
    if what == "CRLF":
        return data.replace(b"\n", b"\r\n")
    if what == "cut":
        return data[: int(random.integers(1, len(data)))]
    text = bytearray(data)
    if what == "digits":
        digits = np.flatnonzero(np.isin(np.frombuffer(data, np.uint8), list(b"0123456789")))
        for place in random.choice(digits, len(lines) // 10 + 1).tolist():
            text[place] = int(random.choice(list(b"0123456789")))
    elif what == "bytes":
        for place in random.integers(0, len(text), 25).tolist():
            text[place] = int(random.choice(list(b"0 9#:.,[]|-^\x1b\r\0&<aR\n")))
    return bytes(text)
