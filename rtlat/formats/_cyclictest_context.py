"""What the lines around cyclictest's numbers say: version, unit, command, kernel, processor.

The text holds no version. But each release changed a line, so the lines that are there bound it. The tags
that were searched are v0.18 to v2.1; 2.4, 2.6 and 2.10 are recorded. NuttX's copy prints the table of 0.74.

Private to ``cyclictest_text``.

Source: the format strings of rt-tests ``src/cyclictest/cyclictest.c`` by tag.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from rtlat.cyclictest import Asked, asked
from rtlat.errors import printable

Version = tuple[int, int]

HELD, LEFT = "held in C0 by the tool", "left to the system"

# kind: (pattern, first version that prints it, last version that does)
_LINES: dict[str, tuple[str, Version | None, Version | None]] = {
    "latency": (r"# /dev/cpu_dma_latency set to (?P<held>\d{1,10})us", (0, 80), None),
    "no_latency": (r"WARN: not setting cpu_dma_latency", (0, 80), None),
    "max_cpus": (r"Max CPUs = \d", (0, 87), None),
    "online": (r"Online CPUs = \d", (1, 11), None),
    "interval": (r"Thread (?P<thread>\d{1,4}) Interval: (?P<interval>\d{1,12}) *$", None, None),
    "using": (r"Thread (?P<pinned>\d{1,4}) using cpu (?P<cpu>\d{1,4})\b", (0, 87), None),
    "policies": (r"policy: (?P<policies>\w+/\w+): loadavg:", (0, 67), None),
    "policy": (r"policy: (?P<policy>\w+): loadavg:", (0, 47), None),
    "load": (r"\d+\.\d\d \d+\.\d\d \d+\.\d\d \d+/\d+ \d+ *$", None, (0, 46)),
    "kernel_26": (r"WARNING: Most functions require kernel 2\.6", None, (0, 73)),
    "warning": (r"WARNING: Running on unknown kernel version", (0, 74), (0, 84)),
    "warn": (r"WARN: Running on unknown kernel version", (0, 84), (1, 3)),
    "clamping": (r"ERROR: Histogram limit got exceeded", (0, 46), (0, 55)),
    "snapshot": (r"# cyclictest current status:", (0, 86), None),
    "dashes": (r"#-{20,} *$", None, None),
    "histogram": (r"# Histogram *$", (0, 28), None),
    "total": (r"# Total: ", (0, 28), (2, 7)),
    "old_max": (r"# Max Latency: ", (0, 28), (0, 55)),
    "sic_max": (r"# Max Latencys: ", (0, 56), (0, 72)),
    "max": (r"# Max Latencies: ", (0, 73), None),
    "min": (r"# Min Latencies: ", (0, 74), None),
    "cycles": (r"# Histogram Overflow at cycle number:", (0, 85), None),
    "smis": (r"# SMIs: ", (1, 3), None),
    "none_listed": (r"# Thread \d+: +$", (2, 7), None),
    "ids": (r"# Thread Ids:(?P<ids>(?: \d{1,10})+) *$", (0, 56), None),
    "break_thread": (r"# Break thread: (?P<tid>\d{1,10}) *$", (0, 56), None),
    "break_value": (r"# Break value: (?P<value>\d{1,18}) *$", (0, 75), None),
    "spike": (r"T: *(?P<index>\d{1,4}) Spike: *(?P<spike>\d{1,18}): TS: *\d{1,18} *$", (0, 96), None),
    "spikes": (r"spikes = (?P<spikes>\d{1,18}) *$", (0, 96), None),
    "printed": (r"(?:.*/)?cyclictest V (?P<version>\d+\.\d+)", None, None),
    "kernel": (r"# Kernel: +(?P<kernel>\S.{0,300})", None, None),
    "processor": (r"# model name *: +(?P<processor>\S.{0,300})", None, None),
    "json_command": (r' *"cmdline:?": "(?P<json>\S*cyclictest(?: .{0,1000})?)"', None, None),
    "command": (r".{0,300}?\b(?P<command>cyclictest +-[^\"]{0,1000})", None, None),
}
_KNOWN = re.compile("|".join(f"(?P<_{kind}>{pattern})" for kind, (pattern, _, _) in _LINES.items()), re.ASCII)
_SAYS = {f"_{kind}": list(re.compile(pattern).groupindex) for kind, (pattern, _, _) in _LINES.items()}


def recognise(text: str) -> tuple[str, dict[str, str]]:
    """Return what kind of line this is, and what it says; "" for a line that is not known.

    Parameters
    ----------
    text : str
        A line without blanks before it; those at its end matter.

    Examples
    --------
    >>> recognise("Thread 0 Interval: 1500")
    ('interval', {'thread': '0', 'interval': '1500'})
    >>> recognise("$ sudo ./cyclictest -m -Sp95 -i200")
    ('command', {'command': 'cyclictest -m -Sp95 -i200'})
    >>> recognise("successful run completed in 6.06s")
    ('', {})
    """
    match = _KNOWN.match(text)
    if not match:
        return "", {}
    kind = match.lastgroup or ""  # the outermost: it is closed last
    return kind[1:], {name: match[name] for name in _SAYS[kind] if match[name] is not None}


@dataclass(slots=True)
class Context:
    """What is known of a run from the lines around its numbers.

    Examples
    --------
    >>> context = Context()
    >>> for line in "Max CPUs = 2", "# Total: 000000108", "$ cyclictest -Nqh20":
    ...     context.note(*recognise(line))
    >>> context.version, context.asked.limit, context.asked.nanoseconds
    ('0.87 to 2.7', 20, True)
    """

    kinds: set[str] = field(default_factory=set)
    intervals: dict[int, int] = field(default_factory=dict)
    cpus: dict[int, int] = field(default_factory=dict)
    command: str = ""
    policy: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    _since: Version = (0, 0)
    _until: Version = (99, 0)

    def note(self, kind: str, said: dict[str, str]) -> None:
        """Take a line by its kind."""
        self.kinds.add(kind)
        if kind in _LINES:
            self.bound(*_LINES[kind][1:])
        if kind == "interval":
            self.intervals[int(said["thread"])] = int(said["interval"])
        elif kind == "using":
            self.cpus[int(said["pinned"])] = int(said["cpu"])
        elif kind in ("policy", "policies"):
            self.policy = said[kind]
        elif kind in ("command", "json_command"):
            self.command = printable(said.get("command") or said["json"]).rstrip()
        elif kind == "printed":
            self.facts["version"] = said["version"]
        elif kind == "latency":
            held = int(said["held"])
            self.facts["power_states"] = f"exit latency held to {held} us by the tool" if held else HELD
        elif kind == "no_latency":  # --laptop, --default-system
            self.facts["power_states"] = LEFT
        elif kind == "processor":
            self.facts["cpu"] = printable(said["processor"]).strip()
        elif kind == "kernel":
            self.facts["kernel"] = printable(said["kernel"]).strip()
            # `# Kernel:  4.1.3-1-rt3 #2 SMP PREEMPT RT Sun Jul 26 21:32:12 CEST 2015 armv7l`
            if re.search(r"\bPREEMPT[ _]RT\b", said["kernel"]):
                self.facts["approach"] = "PREEMPT_RT"

    @property
    def asked(self) -> Asked:
        """What the command line asks for."""
        return asked(self.command)

    def bound(self, since: Version | None, until: Version | None) -> None:
        """Narrow the version."""
        self._since = max(self._since, since or self._since)
        self._until = min(self._until, until or self._until)

    @property
    def version(self) -> str:
        """The versions that print such lines; empty if none does, or any."""
        least, most = (f"{major}.{minor:02}" if major == 0 else f"{major}.{minor}" for major, minor in self._bounds)
        if self._since > self._until or self._bounds == ((0, 0), (99, 0)):
            return ""
        if self._until == (99, 0):
            return f"{least} or later"
        if self._since == (0, 0):
            return f"{most} or earlier"
        return least if least == most else f"{least} to {most}"

    @property
    def _bounds(self) -> tuple[Version, Version]:
        return self._since, self._until
