"""Events of a trace a block at a time: a line of each shape is read as a line (`event`), the others by numpy.

::

              <idle>-0       [000] d.h1.    15.541057: #1     context    irq timer_latency     94171 ns
           osnoise/0-279     [000] d.h11   213.214215: irq_noise: local_timer:236 start 213.214127679 duration 38571 ns

Private to ``tracer_lines``, and imports no other format.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rtlat.digits import Array
from rtlat.formats._tracer_event import NAMES, Shape, shape
from rtlat.shapes import Shapes, Stretch

FEWEST = 24
"""Lines in a row below which arrays cost more than they save."""

CONTEXTS = ("irq", "thread", "user")
_TOLD = (*CONTEXTS, "noise", "hwlat", "nmi_noise", "irq_noise", "softirq_noise", "thread_noise", "")
"""What events tell, by its number in `Events.what`; that of a context is the number that the dialects print."""

_LONGEST_RUNTIME = 10**11
"""Of a period of osnoise, for its share of CPU to be computed in 64 bits. [us]"""


class Events:
    """Events that follow each other in the log, as arrays.

    Examples
    --------
    >>> from rtlat.source import Block
    >>> line = b"  <idle>-0       [003] d.h1.    15.5410%02d: #%-5d context    irq timer_latency %9d ns\\n"
    >>> block = Block(1, b"# tracer: timerlat\\n" + b"".join(line % (n, n, 94 + n) for n in range(30)))
    >>> header, found = reader().stretches(block)
    >>> events = Events(found)
    >>> header.text, events.line[:2].tolist(), events.cpu[:2].tolist(), events.stamp[:2].tolist()
    ('# tracer: timerlat', [2, 3], [3, 3], [15541000000, 15541001000])
    >>> events.numbers["seq"][:2].tolist(), events.numbers["latency"][:2].tolist(), CONTEXTS[events.what[0]]
    ([0, 1], [94, 95], 'irq')
    """

    def __init__(self, found: Stretch[Shape]) -> None:
        self.found = found
        self.line = found.line
        self.numbers = _named(found)
        self.cpu = self.numbers["cpu"]
        tick = found.each([shape.tick for shape in found.kinds])
        self.stamp = np.where(tick > 0, self.numbers["stamp"] * tick, -1)
        what = found.each([_TOLD.index(shape.what) for shape in found.kinds])
        self.what = np.where(self.numbers["what"] >= 0, self.numbers["what"], what)

    def kinds(self) -> Iterator[tuple[Shape, Array]]:
        """Yield the events of each kind: the first one's shape, and where they stand; as the first of each stand."""
        names = [shape.kind for shape in self.found.kinds]
        kind = self.found.each([names.index(name) for name in names])
        numbers, firsts = np.unique(kind, return_index=True)
        for number, first in sorted(zip(numbers.tolist(), firsts.tolist(), strict=True), key=lambda pair: pair[1]):
            yield self.found.kinds[self.found.which[first]], np.flatnonzero(kind == number)

    def series(self, places: Array) -> Iterator[tuple[int, str, Array]]:
        """Yield CPU, what is told and places of some events, in the order of the first of each."""
        key = self.cpu[places] * len(_TOLD) + self.what[places]
        order = np.argsort(key, kind="stable")
        edges = np.flatnonzero(np.diff(key[order])) + 1
        for here in sorted(np.split(places[order], edges), key=lambda here: int(here[0])) if len(places) else ():
            yield int(self.cpu[here[0]]), _TOLD[self.what[here[0]]], here


def reader() -> Shapes[Shape]:
    """Return what takes blocks apart."""
    return Shapes(shape, _sound, FEWEST, b"] ")


def _named(found: Stretch[Shape]) -> dict[str, Array]:
    """The numbers of events by their names."""
    return dict(zip(NAMES, found.numbers, strict=True))


def _sound(found: Stretch[Shape]) -> Array:
    """Which lines hold numbers that an event may have: a context, and the share of CPU that goes with the noise."""
    numbers = _named(found)
    sound = numbers["what"] < len(CONTEXTS)
    if len(told := np.flatnonzero(numbers["percent"] >= 0)):
        runtime, noise, percent, parts = (numbers[name][told] for name in ("runtime", "noise", "percent", "parts"))
        share = (runtime - noise) * 10_000_000 // np.maximum(runtime, 1)
        sound[told] &= (noise <= runtime) & (runtime > 0) & (share == percent * 100_000 + parts)
        sound[told] &= runtime < _LONGEST_RUNTIME
    return sound
