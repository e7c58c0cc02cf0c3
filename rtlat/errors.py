"""Every exception rtlat raises on purpose.

A message says where, what was found, what was expected and what to do, in one line: the command line
prints it as it stands. What is odd about a log but does not stop it from being read is not raised: it
stands in ``runs.warnings``.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


class RtlatError(Exception):
    """Anything rtlat refuses to do, with the reason and the remedy."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel from a worker by the message alone."""
        return _remade, (type(self), str(self))


def _remade(kind: type[RtlatError], message: str) -> RtlatError:
    """An error with a message that is made already."""
    error = kind.__new__(kind)
    error.args = (message,)
    return error


class LogError(RtlatError, ValueError):
    """A log that cannot be read: where, what was found, what was expected, what to do.

    Parameters
    ----------
    where : str
        The log's name as the user gave it.
    found, expected, remedy : str
        The three parts of the message; empty parts are left out.
    line : int
        Line number in the log, 0 if the whole log is meant.

    Examples
    --------
    >>> print(LogError("a.txt", "an empty file", "a latency log", "check how it was copied"))
    a.txt: found an empty file, expected a latency log; check how it was copied
    >>> print(LogError("a.txt", "'00x'", "a count", line=7))
    a.txt:7: found '00x', expected a count
    """

    def __init__(self, where: str, found: str, expected: str = "", remedy: str = "", line: int = 0) -> None:
        place = f"{where}:{line}" if line else where
        message = f"{place}: found {found}"
        if expected:
            message += f", expected {expected}"
        if remedy:
            message += f"; {remedy}"
        super().__init__(printable(message))


class UnknownFormatError(LogError):
    """No format claims the log."""


class AmbiguousFormatError(LogError):
    """Two or more formats claim the log."""


class UnsupportedFormatError(LogError):
    """The log is recognised, by name, as one that rtlat does not read as latency."""


class CardError(RtlatError, ValueError):
    """A run card that cannot be used: an unknown key, a bad value, a pattern that matches nothing."""


class ClaimError(RtlatError, ValueError):
    """A claims file that cannot be used: a claim that is none, a selection without runs, a unit that does not fit."""


class SchemaError(RtlatError, ValueError):
    """A frame that breaks the schema: column, row and file:line."""


class SelectionError(RtlatError, ValueError):
    """A selection that is empty or mixes what must not be mixed; names the choices."""


class ReportError(RtlatError, RuntimeError):
    """A report that could not be made: a wrong parameter or a failed notebook."""


class KernelLostError(ReportError):
    """A report that could not be made because its kernel did not start, or died."""


class UsageError(RtlatError, ValueError):
    """A command line or a call that cannot be understood."""


class RtlatWarning(UserWarning):
    """Something was left out that was asked for: files of a folder that are no logs."""


def printable(text: str) -> str:
    """Return `text` on one line, with control characters shown instead of sent to the terminal.

    Examples
    --------
    >>> printable("a\\x1b[2Jb\\nc")
    'a\\\\x1b[2Jb\\\\nc'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def complain(message: object) -> None:
    """Print one line on stderr.

    Examples
    --------
    >>> complain("run.log: found nothing")
    """
    print(f"rtlat: {printable(str(message))}", file=sys.stderr)


def nearest(word: str, known: Iterable[str]) -> str:
    """Return ``; did you mean 'x'?`` for the nearest known word, else the list of known words.

    Examples
    --------
    >>> nearest("aproach", ["approach", "load"])
    "; did you mean 'approach'?"
    >>> nearest("zzz", ["b", "a"])
    '; known: a, b'
    """
    import difflib

    known = sorted(known)
    close = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean '{close[0]}'?" if close else f"; known: {', '.join(known)}"
