"""The footer of a cyclictest histogram as it comes in: a line at a time, or whole, which costs a tenth.

::

    # Total: 000001953 000001927      of the table; up to 2.6
    # Min Latencies: 00018 00010      of all samples, beyond the table too; from 0.74
    # Avg Latencies: 00038 00026      truncated; from 0.74
    # Max Latencies: 04450 00138      from 0.73; "Latencys" from 0.56; up to 0.55 "# Max Latency: 29 / 30"
    # Histogram Overflows: 00015 00016
    # Histogram Overflow at cycle number:
    # Thread 0: 00125 00621 # 00013 others

Private to ``cyclictest_text``.

Source: rt-tests ``src/cyclictest/cyclictest.c`` (print_hist), tags v0.28 to v2.1, and recorded output of 2.4,
2.6 and 2.10.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from rtlat.protocol import Tally
from rtlat.source import Line

FOOTER = re.compile(
    r"\s*# (?:(?P<name>Total|Min Latencies|Avg Latencies|Max Latenc(?:ies|ys)|Histogram Overflows|SMIs):(?P<numbers>.*)"
    r"|(?P<heading>Histogram Overflow at cycle number:)|Max Latency: (?P<highest>\d{1,9}) / (?P<limit>\d{1,9})"
    r"|Thread (?P<thread>\d{1,4}):(?P<cycles>[ \d]*)(?:# (?P<others>\d{1,18}) others)?)$",
    re.ASCII,
)
"""A line of the footer, without blanks at its end."""

_WHOLE = re.compile(
    r"(?:# Total:(?P<Total>(?: \d{9,20})+) *\n)?"
    r"(?:# Min Latencies:(?P<Min>(?: \d{5,20})+) *\n# Avg Latencies:(?P<Avg>(?: \d{5,20})+) *\n)?"
    r"# Max Latencies:(?P<Max>(?: \d{5,20})+) *\n# Histogram Overflows:(?P<Histogram>(?: \d{5,20})+) *\n"
    r"# Histogram Overflow at cycle number:\n"
    r"(?P<lists>(?:# Thread \d{1,4}:(?: \d{5,18})* *(?:# \d{1,18} others)?\n)+)",
    re.ASCII,
)
_LIST = re.compile(r"# Thread (\d+):([ \d]*)(?:# (\d+) others)?\n", re.ASCII)
_KINDS = {"Total": "total", "Min": "min", "Max": "max", "Histogram": "cycles"}  # as `_cyclictest_context` calls them
_WIDTHS = {"Total": 9, "Min": 5, "Avg": 5, "Max": 5, "Histogram": 5}
_SOUND = {width: re.compile(rf"\s*[0-9]{{{width},20}}(?:\s+[0-9]{{{width},20}})*\s*") for width in (1, 5, 9)}


@dataclass(slots=True)
class Footer:
    """What stands after the rows.

    Attributes
    ----------
    rejected : Tally
        Gets the lines that should be the footer's and are not.
    columns : dict
        First word of a line -> its numbers, one for each thread, and its line number.
    lists : dict
        Thread -> cycle numbers of its overflows, how many more there were (-1: not said), line number.
    limit : tuple or None
        The highest row with samples, how many rows there are, line number; as versions up to 0.55 say.
    listing : bool
        Whether the heading of the lists was seen.

    Examples
    --------
    >>> footer = Footer(Tally())
    >>> text = "# Max Latencies: 04450\\n# Histogram Overflows: 00001\\n# Histogram Overflow at cycle number:\\n"
    >>> footer.take_whole(text + "# Thread 0: 00125\\n# Histogram", 9)
    (4, ['max', 'cycles'])
    >>> footer.columns, footer.lists
    ({'Max': ([4450], 9), 'Histogram': ([1], 10)}, {0: ([125], -1, 12)})
    """

    rejected: Tally
    columns: dict[str, tuple[list[int], int]] = field(default_factory=dict)
    lists: dict[int, tuple[list[int], int, int]] = field(default_factory=dict)
    limit: tuple[int, int, int] | None = None
    listing: bool = False

    @property
    def has_begun(self) -> bool:
        """Whether a line of it was seen."""
        return bool(self.columns or self.limit or self.listing)

    def numbers(self, name: str) -> list[int]:
        """Return the numbers of a line, by its first word; none if there is no such line."""
        return self.columns.get(name, ([], 0))[0]

    def line(self, name: str) -> int:
        """Return where a line stands, by its first word; 0 if there is no such line."""
        return self.columns.get(name, ([], 0))[1]

    def take(self, match: re.Match[str], line: Line) -> None:
        """Take a line, as `FOOTER` matched it."""
        if match["name"]:
            self._take_columns(match["name"].split()[0], match["numbers"], line.number, line.whole)
        elif match["thread"] and line.whole:
            self._take_list(match["thread"], match["cycles"], match["others"], line.number)
        elif match["limit"] and line.whole and not self.columns.keys() - {"Total"}:
            self.limit = (int(match["highest"]), int(match["limit"]), line.number)
        elif match["heading"]:
            self.listing = True
        else:
            self.rejected.add("damaged footer line" if line.whole else "cut last line", line.number)

    def take_whole(self, text: str, first: int) -> tuple[int, list[str]]:
        """Take all lines of a footer at once, if `text`, from line `first` on, begins with a whole one.

        Returns
        -------
        int, list of str
            How many lines were taken, 0 if they have to be taken one by one; their kinds, as far as these tell
            the version.
        """
        whole = None if self.has_begun else _WHOLE.match(text)
        if not whole:
            return 0, []
        kinds = []
        line = first
        for name in ("Total", "Min", "Avg", "Max", "Histogram"):
            if (numbers := whole[name]) is not None:
                self.columns[name] = ([int(number) for number in numbers.split()], line)
                kinds += [_KINDS[name]] if name in _KINDS else []
                line += 1
        self.listing = True
        for thread, cycles, others in _LIST.findall(whole["lists"]):
            line += 1
            self.lists.setdefault(int(thread), ([int(cycle) for cycle in cycles.split()], int(others or -1), line))
            if cycles.isspace() and not others and "none_listed" not in kinds:
                kinds.append("none_listed")
        return line + 1 - first, kinds

    def _take_columns(self, name: str, text: str, line: int, whole: bool) -> None:
        """Take a line with a number for each thread."""
        width = _WIDTHS.get(name, 1)
        sound = _SOUND[width].fullmatch(text)
        numbers = text.split()
        if not whole:  # `00015` is whole: a longer number would have no 0 before it
            others = len(self.numbers("Max"))
            sound = sound if len(numbers) == others and numbers[-1][0] == "0" and len(numbers[-1]) == width else None
        if sound and name not in self.columns and (name == "Total" or not self.limit):
            self.columns[name] = ([int(number) for number in numbers], line)
        else:
            self.rejected.add("damaged footer line" if whole else "cut last line", line)

    def _take_list(self, thread: str, cycles: str, others: str | None, line: int) -> None:
        """Take the cycle numbers at which a thread's latency lay beyond the table."""
        listed = cycles.split()
        if all(5 <= len(cycle) <= 18 for cycle in listed):
            self.lists.setdefault(int(thread), ([int(cycle) for cycle in listed], int(others or -1), line))
        else:
            self.rejected.add("damaged list of overflows", line)

    def refuse_odd(self, width: int, threads: int) -> None:
        """Reject lines that have no number for each thread; with ``-H`` some have one more.

        Parameters
        ----------
        width : int
            Counts in a row of the table, 0 if it has none.
        threads : int
            How many threads these are.
        """
        for name, (numbers, line) in list(self.columns.items()):
            least, most = width or threads, width or threads + 1
            if name in ("Min", "Avg", "SMIs"):
                least = most = threads
            if not least <= len(numbers) <= most:
                self.rejected.add(f"footer line of {len(numbers)} numbers for {threads} threads", line)
                del self.columns[name]

    def lacking(self) -> Iterator[str]:
        """Yield the words of lines that are missing though another of their kind is there."""
        if {"Min", "Avg"} & self.columns.keys():
            yield from (name for name in ("Min", "Avg", "Max") if name not in self.columns)
