"""What the numbers of a trace's lines tell of each other: timerlat's activations, hwlat's windows.

Private to ``tracer_lines``, and imports no other format.
"""

from __future__ import annotations

import numpy as np

from rtlat.digits import Array
from rtlat.formats._tracer_block import CONTEXTS, Events
from rtlat.formats._tracer_event import Event


class Activations:
    """The activations of a timerlat trace: each context of each CPU counts on its own, from #1.

    Examples
    --------
    >>> activations = Activations()
    >>> for line, (what, seq, latency) in enumerate([("irq", 7, 900), ("thread", 7, 800), ("irq", 9, 700)], 1):
    ...     activations.take(Event("timerlat", what, "", 0, -1, {"seq": seq, "latency": latency}), line)
    >>> activations.warnings()
    ['1 lines of activations are absent between the first and the last of their CPU', \
'line 2: the thread of #7 on cpu0 woke 800 ns after the timer, its interrupt came after 900 ns (1 such lines)']
    """

    def __init__(self) -> None:
        self.last: dict[tuple[int, str], tuple[int, int]] = {}  # (CPU, context) -> number, latency
        self.largest: dict[str, tuple[int, int, int]] = {}  # context -> latency, number, CPU
        self.absent = 0
        self.contradictions = 0
        self.contradiction = ""

    def again(self, event: Event) -> bool:
        """Whether the event is the last one of its kind, told a second time.

        ``trace-cmd record -p timerlat -e osnoise`` records the tracer's line and, since Linux 6.15, the tracepoint.
        """
        return self.last.get((event.cpu, event.what)) == (event.numbers["seq"], event.numbers["latency"])

    def anew(self, event: Event) -> bool:
        """Whether the numbers begin again: the tracer was started anew, or 32 bits were used up."""
        last = self.last.get((event.cpu, event.what))
        return last is not None and event.numbers["seq"] <= last[0]

    def take(self, event: Event, line: int) -> None:
        """Compare an activation with the one before, and a thread's latency with that of its own interrupt."""
        seq, latency, cpu = event.numbers["seq"], event.numbers["latency"], event.cpu
        before = self.last.get((cpu, event.what))
        self.absent += seq - before[0] - 1 if before else 0
        self.last[cpu, event.what] = seq, latency
        irq = self.last.get((cpu, "irq"))
        if event.what == "thread" and irq and irq[0] == seq and latency < irq[1]:
            self.contradictions += 1
            self._contradict(line, seq, cpu, latency, irq[1])
        if latency > self.largest.get(event.what, (-1,))[0]:
            self.largest[event.what] = latency, seq, cpu

    def until(self, events: Events, places: Array) -> int:
        """Return where among events the first activation stands whose number does not rise; how many if none does."""
        first, seq = len(events.line), events.numbers["seq"]
        for cpu, context, here in events.series(places):
            last = self.last.get((cpu, context), (-1, 0))[0]
            first = min([first, *here[np.diff(seq[here], prepend=last) <= 0][:1].tolist()])
        return first

    def take_many(self, events: Events, places: Array) -> None:
        """Do as `take` with activations whose numbers rise."""
        self._compare(events, places)
        latency = events.numbers["latency"]
        for cpu, context, here in events.series(places):
            seq = events.numbers["seq"][here]
            before = self.last.get((cpu, context))
            self.absent += int(seq[-1]) - (before[0] if before else int(seq[0]) - 1) - len(seq)
            self.last[cpu, context] = int(seq[-1]), int(latency[here[-1]])
        contexts, firsts = np.unique(events.what[places], return_index=True)
        for number in contexts[np.argsort(firsts)].tolist():
            mine = places[events.what[places] == number]
            top = mine[np.argmax(latency[mine])]
            if latency[top] > self.largest.get(CONTEXTS[number], (-1,))[0]:
                found = latency[top], events.numbers["seq"][top], events.cpu[top]
                self.largest[CONTEXTS[number]] = int(found[0]), int(found[1]), int(found[2])

    def _compare(self, events: Events, places: Array) -> None:
        """Compare the threads' latencies with those of the interrupts before them."""
        order = places[np.argsort(events.cpu[places], kind="stable")]
        cpu, context = events.cpu[order], events.what[order]
        seq, latency = events.numbers["seq"][order], events.numbers["latency"][order]
        starts = np.flatnonzero(np.diff(cpu, prepend=cpu[0] - 1))
        lengths = np.diff(starts, append=len(cpu))
        irq = np.maximum.accumulate(np.where(context == 0, np.arange(len(order)), -1))
        known = irq >= np.repeat(starts, lengths)  # else it stood in an earlier block
        earlier = [self.last.get((int(cpu[start]), "irq"), (-1, -1)) for start in starts.tolist()]
        carried = np.repeat(np.array(earlier, np.int64), lengths, axis=0)
        irq_seq = np.where(known, seq[irq], carried[:, 0])
        irq_latency = np.where(known, latency[irq], carried[:, 1])
        wrong = np.flatnonzero((context == 1) & (irq_seq == seq) & (latency < irq_latency))
        self.contradictions += len(wrong)
        if len(wrong) and not self.contradiction:
            row = int(wrong[np.argmin(order[wrong])])
            numbers = (events.line[order[row]], seq[row], cpu[row], latency[row], irq_latency[row])
            self._contradict(*(int(number) for number in numbers))

    def _contradict(self, line: int, seq: int, cpu: int, latency: int, irq: int) -> None:
        """Keep the sentence on the first thread that woke before its interrupt."""
        self.contradiction = self.contradiction or (
            f"line {line}: the thread of #{seq} on cpu{cpu} woke {latency} ns after the timer, "
            f"its interrupt came after {irq} ns"
        )

    def warnings(self) -> list[str]:
        """Return what a reader of the numbers must know."""
        found = []
        if self.absent:
            found.append(f"{self.absent} lines of activations are absent between the first and the last of their CPU")
        if self.contradiction:
            found.append(f"{self.contradiction} ({self.contradictions} such lines)")
        for context, (latency, seq, cpu) in self.largest.items():
            if seq == 1:
                found.append(
                    f"the largest {context} latency is that of #1, the tracer's start ({latency} ns on cpu{cpu})"
                )
        return found


class Windows:
    """The windows in which hwlat found a gap above its threshold: numbered, each with how many gaps it counted.

    Examples
    --------
    >>> windows = Windows()
    >>> for seq, gaps in ((4, 190), (2, 595)):
    ...     windows.take(Event("hwlat", "", "", 0, -1, {"seq": seq, "count": gaps}))
    >>> windows.warnings()
    ["only gaps above the tracer's threshold are recorded, the largest of each window: 2 of 785", \
'#2 to #4 are 3 windows, the log holds 2']
    """

    def __init__(self) -> None:
        self.seen = self.gaps = 0
        self.least, self.greatest = 2**63, 0

    def take(self, event: Event) -> None:
        """Count a window. Linux before 5.8 prints no number of gaps."""
        seq = event.numbers["seq"]
        self.seen, self.gaps = self.seen + 1, self.gaps + event.numbers.get("count", 1)
        self.least, self.greatest = min(self.least, seq), max(self.greatest, seq)

    def take_many(self, seq: Array, count: Array) -> None:
        """Count some, -1 where no number of gaps is printed."""
        self.seen, self.gaps = self.seen + len(seq), self.gaps + int(np.where(count < 0, 1, count).sum())
        self.least, self.greatest = min(self.least, int(seq.min())), max(self.greatest, int(seq.max()))

    def warnings(self) -> list[str]:
        """Return what a reader of the numbers must know."""
        found = ["only gaps above the tracer's threshold are recorded, the largest of each window"]
        if self.gaps > self.seen:
            found[0] += f": {self.seen} of {self.gaps}"
        windows = self.greatest - self.least + 1
        if windows > self.seen:
            found.append(f"#{self.least} to #{self.greatest} are {windows} windows, the log holds {self.seen}")
        return found
