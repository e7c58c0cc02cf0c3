"""What makertaikernel.sh writes around RTAI's tests: load, kernel, processor, and a summary of its own.

::

    RTH| general                 | kern latencies                           | kern switches      |
    RTH| description   | progress|  ovlmax|  avgmax|     std|     n| maxover|  susp|   sem|   rpc|
    RTD| idle          | hsmck   |    3680|     218|     182|  1980|       0|   144|   150|   187|

Its summary leaves out the first ten lines of a test, and its ``ovlmax`` is the largest difference of lat max and
lat min in a line, no latency: it is compared with the lines, and not read.
"""

from __future__ import annotations

import re

from rtlat.formats._rtd_columns import MAKERTAI, columns
from rtlat.protocol import Run, Tally
from rtlat.source import Line

_OWN = re.compile(r"Settings of makertaikernel\.sh|Test summary \(in nanoseconds\):")
_TEST = re.compile(r"((?:kern|kthreads|user)/(?:latency|switches|preempt)) test:")
_SECTION = re.compile(r"([A-Z][^:(]{0,80}?|dmesg)(?: \([^)]{0,80}\))?: *(.{0,200})")
_ENTRIES = {
    ("CPU", "model name"): "cpu",
    ("Versions", "rtai"): "version",
    ("Environment", "tests run on cpu"): "core",
    ("Environment", "cpu frequency"): "frequency",
    ("Hardware", "product"): "product",
    ("Hardware", "vendor"): "vendor",
}
_VALUES = {"Date": "started", "Running kernel": "kernel", "Load": "average"}
_LONGEST = 2_000
_MOST = 200
"""Parameters of a kernel, and loads, that are kept."""


class Makertai:
    """What a log of makertaikernel.sh says of all its tests.

    `certain` is whether it is such a log at all, `test` the test that begins with the last line, if one does,
    `kernel_log` whether the kernel's messages have begun, which come last.
    """

    def __init__(self) -> None:
        self.certain = False
        self.told: dict[str, str] = {}
        self.load: list[str] = []
        self.cmdline: list[str] = []
        self.section = ""
        self.test = ""
        self.kernel_log = False
        self.groups = ""
        self.names = ""
        self.results: dict[tuple[str, str], str] = {}
        self.line = 0
        self.ignored = Tally()

    def take(self, line: Line) -> bool:
        """Whether a line is one of the script's; then what it says is kept."""
        text, self.test = line.text[:_LONGEST], ""
        table = text.strip()
        if self.kernel_log:
            return False
        if table.startswith("RTH|") and columns(table)[0] in MAKERTAI:
            self.certain = True
            self.groups, self.names = (table, "") if columns(table)[0] == MAKERTAI[0] else (self.groups, table)
        elif table.startswith("RTD|") and self.names:
            self.results, self.line, self.names = _results(self.groups, self.names, table), line.number, ""
        elif _OWN.match(text):
            self.certain, self.section = True, ""
        elif test := _TEST.fullmatch(text):
            self.certain, self.test, self.section = True, test[1], ""
        elif not self.certain:
            return False
        elif section := _SECTION.fullmatch(text):
            self.section, self.kernel_log = section[1], section[1] == "dmesg"
            if section[1] in _VALUES:
                self.told.setdefault(_VALUES[section[1]], section[2])
        elif not (self.section and text[:1] == " " and self._take_entry(text)):
            return False
        self.ignored.add("line of makertaikernel.sh", line.number)
        return True

    def _take_entry(self, text: str) -> bool:
        """Whether a line that stands indented in a section is used."""
        name, colon, value = (part.strip() for part in text.partition(":"))
        key = _ENTRIES.get((self.section, name))
        if self.section == "Kernel parameter" and len(self.cmdline) < _MOST:
            self.cmdline.append(text.strip())
        elif self.section == "Load" and colon and len(self.load) < _MOST:
            self.load.append(f"{name}: {value}")
        elif key and value:
            self.told.setdefault(key, value)
        else:
            return False
        return True

    def describe(self, run: Run, section: str) -> None:
        """Add what is true of all tests to a run, and what the summary says against its lines."""
        told = {name: value for name, value in self.told.items() if value and value != "n.a."}
        run.facts |= {name: told[name] for name in ("started", "kernel", "cpu") if name in told}
        if "version" in told:
            run.facts["version"] = told["version"].split()[0]
        if self.cmdline:
            run.facts["cmdline"] = " ".join(self.cmdline)
        if "average" in told:
            run.facts["load"] = "; ".join(self.load or ["idle"]) + f"; load average {told['average']}"
        if machine := " ".join(told[name] for name in ("vendor", "product") if name in told):
            run.facts["machine"] = machine
        if frequency := re.fullmatch(r"(\d{1,3}(?:\.\d{1,4})?) GHz", told.get("frequency", "")):
            run.facts["cpu_mhz"] = round(float(frequency[1]) * 1000, 3)
        if told.get("core", "").isdigit() and "all" in run.series:
            run.series["all"]["cpu"] = int(told["core"])
        group = section.replace("/latency", " latencies")
        printed = {name: self.results.get((group, name), "") for name in ("ovlmax", "maxover", "n")}
        if all(value.isdigit() for value in printed.values()):
            run.warnings += self._against(run, printed)

    def _against(self, run: Run, printed: dict[str, str]) -> list[str]:
        """What the summary of a latency test says against its lines."""
        rows = run.rows.arrays()
        summary, lines = rows["kind"] == "summary", int((rows["kind"] == "window").sum())
        if not summary.any():
            return []
        high, overruns = rows["high"][summary].max(), int(rows["missed"][summary].max())
        if (int(printed["n"]), int(printed["maxover"])) == (lines, overruns):
            return []
        return [
            f"line {self.line}: the test summary says n {printed['n']}, ovlmax {printed['ovlmax']} ns, maxover "
            f"{printed['maxover']}; the log has {lines} lines, a maximum of {high:.0f} ns and {overruns} overruns: "
            "the summary leaves out the first lines, and its ovlmax is no latency but a difference within a line"
        ]


def _results(groups: str, names: str, row: str) -> dict[tuple[str, str], str]:
    """The cells of the summary by group and name; a group stands above the columns it spans.

    Examples
    --------
    >>> _results("RTH| kern latencies | kern switches|", "RTH|  ovlmax|      n|   susp|  sem|", "RTD| 3| 19| 144| 150|")
    {('kern latencies', 'ovlmax'): '3', ('kern latencies', 'n'): '19', ('kern switches', 'susp'): '144', \
('kern switches', 'sem'): '150'}
    """
    cells = [cell.strip() for cell in row.split("|")[1:]]
    found, place = {}, names.find("|") + 1
    for name, cell in zip(names.split("|")[1:], cells, strict=False):
        group = groups[: place + 1].count("|")
        found[groups.split("|")[group].strip() if group < groups.count("|") + 1 else "", name.strip()] = cell
        place += len(name) + 1
    return {key: value for key, value in found.items() if key[1]}
