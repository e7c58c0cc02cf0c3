"""A large log parsed by one notebook of a report, for all of them.

`rtlat report` names a folder of its own to the kernels that it starts. Whoever is first to parse a log leaves there
what it found; the others wait for it, and take it. A log that has changed meanwhile is another.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
from collections.abc import Iterator
from pathlib import Path

from rtlat.assembly import Reading
from rtlat.cards import Card
from rtlat.filling import fill
from rtlat.found import found_in, settle
from rtlat.protocol import Format

PARSED = "RTLAT_PARSED"
"""The variable in which a report names the folder to its kernels."""

LARGE = 32 << 20
"""A smaller log is parsed in the time that it takes to leave and to take what is in it [bytes]."""


def fill_once(reading: Reading, format: Format | None, card: Card | None) -> None:
    """Parse a log as `rtlat.filling.fill` does, or take what another notebook of the same report found in it."""
    place = _place(reading, format, card)
    if place is None:
        fill(reading, format, card)
        return
    with _locked(place.with_suffix(".lock")):
        if place.exists():
            settle(reading, pickle.loads(place.read_bytes()))
            reading.source.stored.advance(reading.source.stored.size or 0)
            return
        fill(reading, format, card)
        with contextlib.suppress(OSError):  # no room: then the others parse it, too
            draft = place.with_suffix(".draft")
            draft.write_bytes(pickle.dumps(found_in(reading)))
            draft.replace(place)


def _place(reading: Reading, format: Format | None, card: Card | None) -> Path | None:
    """Where what is in a log is left; None where nobody asks for it."""
    folder, path = os.environ.get(PARSED), reading.source.path
    if not folder or not path or not path.is_file() or (card and card.table(path)):
        return None
    told = path.stat()
    if told.st_size < LARGE:
        return None
    asked = (str(path.resolve()), told.st_size, told.st_mtime_ns, format.name if format else "", reading.source.keep)
    return Path(folder) / hashlib.sha256(repr(asked).encode("utf-8", "surrogateescape")).hexdigest()


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """One process at a time; the system unlocks for one that dies."""
    try:
        import fcntl
    except ImportError:  # not on Windows, where two may parse the same log
        yield
        return
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
