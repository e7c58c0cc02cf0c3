"""Lines that a mail program or a narrow terminal has broken in two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rtlat.source import Line

MOST_PIECES = 3
"""A table line is at most 80 characters long."""


class Unwrapper:
    """Hands lines on, and a line that makes no sense together with those after it.

    Parameters
    ----------
    take : callable
        Whether a line makes sense; then it is done with. Called also with whether it was joined from several.
    begins : callable
        Whether a line surely begins anew, so that it cannot go on with the one before.
    reject : callable
        Called with a line that makes no sense, alone or with what follows.

    Examples
    --------
    >>> taken, rejected = [], []
    >>> def take(line, joined):
    ...     whole = line.text.endswith(";")
    ...     taken.extend([line.text] if whole else [])
    ...     return whole
    >>> lines = Unwrapper(take, lambda line: line.text.startswith("RTD"), rejected.append)
    >>> for number, text in enumerate(["RTD 4.4", "58;", "RTD 4.", "RTD 5;"], 1):
    ...     lines.read(Line(number, text))
    >>> taken, [line.number for line in rejected]
    (['RTD 4.458;', 'RTD 5;'], [3])
    """

    def __init__(
        self, take: Callable[[Line, bool], bool], begins: Callable[[Line], bool], reject: Callable[[Line], None]
    ) -> None:
        self.take, self.begins, self.reject = take, begins, reject
        self.held: list[Line] = []

    def read(self, line: Line) -> None:
        """Hand a line on, or hold it."""
        if self.held and (self.begins(line) or line.quote != self.held[0].quote or len(self.held) == MOST_PIECES):
            self.give_up()
        if self.held:
            self.held.append(line)
            text = "".join(piece.text for piece in self.held)
            if self.take(replace(self.held[0], text=text, whole=line.whole), True):
                self.held = []
        elif not self.take(line, False):
            self.held = [line]

    def give_up(self) -> None:
        """Reject what is held; what stood after it are lines of their own."""
        while self.held:
            first, *rest = self.held
            self.held = []
            self.reject(first)
            while rest and self.take(rest[0], False):
                rest = rest[1:]
            self.held = rest
