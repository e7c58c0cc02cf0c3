"""What a cyclictest command line asks for: the limits of the run and of its histogram, which no output states.

Source: rt-tests ``src/cyclictest/cyclictest.c`` (process_options), ``src/lib/rt-utils.c`` (parse_time_string).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

LARGEST_LIMIT = 1_000_000
"""HIST_MAX: a larger -h is silently cut to it."""

_LONG = {
    "breaktrace": "b",
    "distance": "d",
    "duration": "D",
    "histofall": "h",
    "histogram": "h",
    "interval": "i",
    "loops": "l",
    "nsecs": "N",
    "oscope": "o",
}
_WITH_VALUE = "bcdDFhHilop"
_WITH_OPTIONAL_VALUE = "aAt"
_UNITS = {"m": 60, "h": 3_600, "d": 86_400}


@dataclass(frozen=True, slots=True)
class Asked:
    """Numbers of a command line; 0 where nothing was asked for.

    Attributes
    ----------
    limit : int
        Values from here on are beyond the histogram [us, or ns with -N].
    interval, distance : int
        Period of the first thread, and how much longer that of each further one is [us].
    duration : int
        Asked length of the run [s].
    loops : int
        Cycles after which a thread stops.
    threshold : int
        Latency above which the run stops [us, or ns with -N].
    group : int
        Samples of which ``-v`` prints the largest only (``-o``).
    nanoseconds : bool
        Whether latencies are printed in ns (``-N``).
    """

    limit: int = 0
    interval: int = 1000
    distance: int = 500
    duration: int = 0
    loops: int = 0
    threshold: int = 0
    group: int = 0
    nanoseconds: bool = False

    def period(self, thread: int) -> float:
        """Return the period of a thread, from 0 [ns]; a histogram makes all of them equal.

        Examples
        --------
        >>> asked("cyclictest -t2 -i200").period(1), asked("cyclictest -t2 -i200 -h400").period(1)
        (700000.0, 200000.0)
        """
        return 1000.0 * (self.interval + (0 if self.limit else self.distance) * thread)

    def ended(self, cycles: int, highest: float, seconds: float) -> str:
        """Return how a run ended that got to write its results: by its own limits, or by a signal before.

        Parameters
        ----------
        cycles : int
            The most cycles of any thread: the first that has all of its loops stops the others.
        highest : float
            The highest latency of all threads [us, or ns with -N].
        seconds : float
            How long the run took, 0 if unknown. Both ends cut to seconds: a complete run never falls short. [s]

        Returns
        -------
        str
            One of `rtlat.schema.ENDED`.

        Examples
        --------
        >>> asked("cyclictest -D10 -b100").ended(9000, 99, 9), asked("cyclictest -D10 -b100").ended(9000, 101, 9)
        ('interrupted', 'stopped at threshold')
        """
        if self.threshold and highest > self.threshold:
            return "stopped at threshold"
        if (self.loops and cycles >= self.loops) or (self.duration and seconds >= self.duration):
            return "complete"
        return "unknown" if self.duration and not seconds else "interrupted"


@lru_cache
def asked(command: str) -> Asked:
    """Return what a command line asks for; of an option given twice the last holds, as in getopt_long.

    Examples
    --------
    >>> asked("cyclictest -m -Sp95 -i200 --histofall=400 -D 2h --json=a -qNd0")
    Asked(limit=400, interval=200, distance=0, duration=7200, loops=0, threshold=0, group=0, nanoseconds=True)
    """
    found: dict[str, int] = {}
    words = iter(command.split()[1:])
    for word in words:
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            keys = {key for long, key in _LONG.items() if name and long.startswith(name)}
            if len(keys) == 1:  # any beginning that fits one option only is as good as its name
                key = keys.pop()
                found[key] = 1 if key == "N" else _number(key, value if equals else next(words, ""))
        elif word.startswith("-"):
            for at, letter in enumerate(word[1:], 2):
                if letter == "N":
                    found["N"] = 1
                if letter in _WITH_VALUE:
                    key = letter.replace("H", "h")
                    found[key] = _number(key, word[at:] or next(words, ""))
                if letter in _WITH_VALUE + _WITH_OPTIONAL_VALUE:
                    break
    return Asked(
        limit=min(found.get("h", 0), LARGEST_LIMIT),
        interval=found.get("i", 1000),
        distance=found.get("d", 500),
        duration=found.get("D", 0),
        loops=found.get("l", 0),
        threshold=found.get("b", 0),
        group=found.get("o", 0),
        nanoseconds="N" in found,
    )


def _number(key: str, value: str) -> int:
    """A value as atoi reads it; a duration may end in m, h or d."""
    number = re.match(r"(\d{1,9})([mhd]?)", value.lower(), re.ASCII)
    if not number:
        return 0
    return int(number[1]) * (_UNITS.get(number[2], 1) if key == "D" else 1)
