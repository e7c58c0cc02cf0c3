"""A log's bytes as they are stored: a file, bytes in hand, or a pipe, which can be read only once.

Whoever reads them to their end has hashed them: a log of 20 GB is not read again for its SHA-256.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from rtlat.errors import LogError

__all__ = ["HELD", "Stored"]

HELD = 64 << 20
"""A pipe that gives no more is held in memory and read as often as asked."""

_KEPT = 1 << 20  # of a longer one, for whoever asks again how it began
_PIECE = 1 << 20


class Stored:
    """The bytes of one log.

    Parameters
    ----------
    path : Path or None
        The file, which may be a named pipe.
    name : str
        What messages call it.
    data : bytes, optional
        The bytes where there is no file.
    pipe : binary stream, optional
        What they come through where there is no file.
    opener : callable, optional
        What opens them where the file is not of this machine.

    Attributes
    ----------
    watch : callable or None
        Called with how many bytes more have been read; never twice for the same ones.

    Examples
    --------
    >>> stored = Stored(None, "-", pipe=io.BytesIO(b"T: 0"))
    >>> stored.open().read(), stored.open().read(), stored.sha256[:8]
    (b'T: 0', b'T: 0', '2e2774e8')
    """

    def __init__(
        self,
        path: Path | None,
        name: str,
        data: bytes | None = None,
        pipe: BinaryIO | None = None,
        opener: Callable[[], BinaryIO] | None = None,
    ) -> None:
        self.path = path
        self.name = name
        self.opener = opener
        self.watch: Callable[[int], None] | None = None
        self.reached = 0
        self.digest = ""
        self._data = data
        self._pipe = pipe
        self._once: _Reader | None = None

    def open(self) -> io.BufferedReader:
        """Return the bytes from their start.

        Raises
        ------
        LogError
            If the file cannot be opened. Reading on raises it where a long pipe has been read before.
        """
        if self._data is None and self.opener:
            return io.BufferedReader(_Reader(self, self.opener()))
        if self._data is None and self._pipe is None:
            assert self.path is not None
            try:
                file: Any = self.path.open("rb", buffering=0)
            except OSError as error:
                raise LogError(self.name, f"a file that cannot be opened ({error.strerror})") from None
            if self.path.is_file():
                return io.BufferedReader(_Reader(self, file))
            self._pipe = file
        if self._data is None:
            self._hold()
        return io.BufferedReader(_Reader(self, io.BytesIO(self._data or b"")))

    def whole(self, most: int) -> bytes | None:
        """Return all bytes if they are in hand or in a file of less than `most`: without streams that costs half.

        Raises
        ------
        LogError
            If the file cannot be read.
        """
        if self._pipe is not None or self.opener is not None or self._data is not None:
            return self._data if self._pipe is None else None
        assert self.path is not None
        try:
            told = os.stat(self.path)
            if not stat.S_ISREG(told.st_mode) or told.st_size >= most:
                return None
            with open(self.path, "rb", buffering=0) as file:
                data = file.readall()
        except OSError as error:
            raise LogError(self.name, f"a file that cannot be opened ({error.strerror})") from None
        return data

    @contextmanager
    def held(self, most: int) -> Iterator[None]:
        """Keep the bytes of a small file while it is read several times: to open a file costs more than to read it."""
        if self._data is not None or self._pipe is not None:
            yield
            return
        self._data = self.whole(most)
        if self.opener is not None:
            with self.open() as stream:
                start = stream.read(most)
            self._data = start if len(start) < most else None
        try:
            yield
        finally:
            self._data = None

    def advance(self, place: int) -> None:
        """Note that all bytes up to a place have been read, and tell of those that had not been before."""
        if (more := place - self.reached) > 0:
            self.reached = place
            if self.watch:
                self.watch(more)

    def _hold(self) -> None:
        """Take the start of a pipe; if that is all, it is a pipe no more."""
        assert self._pipe is not None
        pieces: list[bytes] = []
        missing = HELD
        while missing and (piece := self._pipe.read(min(missing, _PIECE))):
            pieces.append(piece)
            missing -= len(piece)
        self._data = b"".join(pieces)
        if missing:
            self.end()
            self._pipe = None

    def end(self) -> None:
        """Close a named pipe of which all has been read."""
        if self.path and self._pipe:
            self._pipe.close()

    def rest(self, reader: _Reader) -> BinaryIO | None:
        """Return what comes after the bytes in hand, to the one who reads it first."""
        if self._pipe and self._once is None:
            self._once, self._data = reader, (self._data or b"")[:_KEPT]
        elif self._pipe and self._once is not reader:
            found = f"more than {HELD >> 20} MiB through a pipe, which is to be read twice"
            raise LogError(self.name, found, "a file", "write it to one first")
        return self._pipe

    @property
    def sha256(self) -> str:
        """Of the bytes, compressed or not."""
        if not self.digest:
            try:
                with self._once or self.open() as stream:
                    while stream.read(_PIECE):
                        pass
            except OSError as error:
                raise LogError(self.name, f"a file that cannot be read ({error.strerror or error})") from None
        return self.digest

    @property
    def size(self) -> int | None:
        """How many bytes there are; None if nobody knows."""
        try:
            if self.path and self.path.is_file():
                return self.path.stat().st_size
        except OSError:
            return None
        return None if self._pipe or self._data is None else len(self._data)


class _Reader(io.RawIOBase):
    """The bytes from their start to their end, hashed on the way."""

    def __init__(self, stored: Stored, stream: Any) -> None:
        self.stored, self.stream = stored, stream
        self.place = 0
        self.hash = None if stored.digest else hashlib.sha256()

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer."""
        n = int(self.stream.readinto(buffer))
        if n == 0 and (rest := self.stored.rest(self)):
            self.stream = rest
            n = int(rest.readinto(buffer))  # type: ignore[attr-defined]
        if self.hash and n:
            self.hash.update(memoryview(buffer)[:n])
        elif self.hash and not n:
            self.stored.digest, self.hash = self.hash.hexdigest(), None
            self.stored.end()
        self.place += n
        self.stored.advance(self.place)
        return n

    def close(self) -> None:
        """Close the file; a pipe stays open for who wants to know of the rest."""
        if self.stored._once is not self:
            self.stream.close()
            super().close()
