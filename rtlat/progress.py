"""How far a long reading has come: a bar on a terminal's stderr, with its rate and the time that is left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

AFTER = 1.0
"""What takes no longer has no bar. [s]"""


class Progress:
    """A bar that counts bytes; nothing is shown, nor the package for it imported, where stderr is no terminal.

    Parameters
    ----------
    total : callable
        Says how many there will be, None if that is not known; asked only where a bar is shown.

    Examples
    --------
    >>> with Progress(lambda: 200) as progress:
    ...     progress.advance(150)
    >>> progress.done
    150
    """

    def __init__(self, total: Callable[[], int | None]) -> None:
        self.total, self.done = total, 0
        self._begun = time.monotonic()
        self._wanted = sys.stderr is not None and sys.stderr.isatty()
        self._bar: Any = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def advance(self, more: int) -> None:
        """Count `more` bytes."""
        self.done += more
        if self._bar is not None:
            self._bar.update(more)
        elif self._wanted and time.monotonic() - self._begun > AFTER:
            from tqdm import tqdm

            shown = {"desc": "reading", "unit": "B", "unit_scale": True, "leave": False, "dynamic_ncols": True}
            self._bar = tqdm(total=self.total(), initial=self.done, file=sys.stderr, **shown)
