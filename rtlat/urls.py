"""Logs by URL, in whatever fsspec opens: object stores, archives, other machines."""

from __future__ import annotations

import glob
import re
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from rtlat.errors import LogError

_URL = re.compile(r"[a-z][a-z0-9+.-]{1,30}://", re.IGNORECASE)


def is_url(path: str | Path) -> bool:
    """Whether a path is a URL. `Path` would make ``s3:/logs`` of one, so it has to come as text.

    Examples
    --------
    >>> is_url("s3://lab/run.log"), is_url("zip://run.log::runs.zip"), is_url("lab/run.log"), is_url("store:load=idle")
    (True, True, False, False)
    """
    return isinstance(path, str) and bool(_URL.match(path))


def shown(url: str) -> str:
    """Return a URL as messages and records name it: without a password.

    Examples
    --------
    >>> shown("ftp://me:secret@lab.example/run.log")
    'ftp://lab.example/run.log'
    """
    return re.sub(r"//[^/@]*@", "//", url)


class Placed(NamedTuple):
    """A file in one of fsspec's file systems, which stays open as long as this is held: an archive is opened once."""

    url: str
    system: Any
    path: str

    def open(self) -> BinaryIO:
        """Return the file's bytes from their start.

        Raises
        ------
        LogError
            If it cannot be opened.
        """
        try:
            return cast(BinaryIO, self.system.open(self.path, "rb"))
        except Exception as error:  # each of fsspec's file systems has its own
            raise _unreachable(self.url, error) from None


def files(url: str) -> tuple[list[Placed], bool]:
    """Return the files that a URL means, and whether it is a folder or a pattern and not one file.

    Raises
    ------
    LogError
        If nothing is installed that opens it, or the place cannot be reached.
    """
    try:
        system, path = _system(url)
        if glob.has_magic(path):
            found = system.glob(path)
        elif system.isdir(path):
            found = system.find(path)
        else:
            return [Placed(url, system, path)], False
    except Exception as error:  # each of fsspec's file systems has its own
        raise _unreachable(url, error) from None
    _, mark, rest = url.partition("::")
    return [Placed(f"{system.unstrip_protocol(name)}{mark}{rest}", system, name) for name in sorted(found)], True


def _system(url: str) -> tuple[Any, str]:
    """The file system of a URL, and the path in it."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise LogError(shown(url), "a URL", remedy="install rtlat[fsspec], or copy the log here first") from None
    system, path = url_to_fs(url)
    return system, str(path)


def _unreachable(url: str, error: Exception) -> LogError:
    """Why a URL cannot be read."""
    if isinstance(error, LogError):
        return error
    reason = f"{type(error).__name__}: {shown(str(error))[:120]}"
    return LogError(shown(url), f"nothing that can be opened ({reason})", "a log", "check the URL")
