"""What a command line of rtla asks for, where a log holds it: a prompt before the table.

::

    [root@alien ~]# timerlat hist -d 10m -c 0-4 -P d:100us:1ms -p 1000 --no-aa

rtla prints neither period, bucket size nor limit by itself. Private to ``rtla``.

Source: Linux ``tools/tracing/rtla/src`` (timerlat_hist.c, timerlat_top.c, osnoise_hist.c, osnoise_top.c), 6.1 to 6.19.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_COMMAND = re.compile(r".{0,200}?\b((timerlat|osnoise|hwnoise)(?: (?:hist|top))?(?: +[^\s]{1,200}){1,64})\s*$")


@dataclass(frozen=True, slots=True)
class Command:
    """A command line, and numbers of it; 0 where nothing was asked for.

    Attributes
    ----------
    text : str
        From ``rtla`` on.
    period, threshold : int
        Of the activations; above which the run stops [us].
    bucket, entries : int
        Width of a bin [us, or ns with -n]; how many there are.
    nanoseconds : bool
        Whether latencies are printed in ns.
    """

    text: str = ""
    period: int = 0
    threshold: int = 0
    bucket: int = 0
    entries: int = 0
    nanoseconds: bool = False


def command(text: str) -> Command | None:
    """Return the command line that a line ends with; None if it ends with none.

    Examples
    --------
    >>> asked = command("$ sudo rtla timerlat hist -d10s -p 200 --bucket-size=5 -T 50")
    >>> asked.text, asked.period, asked.bucket, asked.threshold
    ('rtla timerlat hist -d10s -p 200 --bucket-size=5 -T 50', 200, 5, 50)
    >>> command("The rtla timerlat hist displays a histogram of each tracer event")
    """
    match = _COMMAND.match(text)
    if not match:
        return None
    words = match[1].split()
    options = words[2 if words[1] in ("hist", "top") else 1 :]
    if not options or any(
        not option.startswith("-") and not (before or "").startswith("-")
        for before, option in zip([None, *options], options, strict=False)
    ):
        return None
    timerlat = match[2] == "timerlat"
    limits = (("a", "auto"), ("T", "thread"), ("i", "irq")) if timerlat else (("a", "auto"), ("s", "stop"))
    given = " ".join(options)
    return Command(
        text="rtla " + match[1],
        period=_number(given, "p", "period") if timerlat else 0,
        threshold=next(filter(None, (_number(given, *limit) for limit in limits)), 0),
        bucket=_number(given, "b", "bucket-size"),
        entries=_number(given, "E", "entries"),
        nanoseconds=bool({"-n", "--nano"} & set(options)),
    )


def _number(options: str, short: str, long: str) -> int:
    """The number given with an option, 0 if it is not given."""
    found = re.search(rf"(?:^| )(?:-{short} ?|--{long}[ =])(\d{{1,9}})(?= |$)", options)
    return int(found[1]) if found else 0
