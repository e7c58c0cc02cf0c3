"""From a file's bytes to UTF-8: compression by its magic number, byte order marks, UTF-16, quoted-printable."""

from __future__ import annotations

import binascii
import codecs
import gzip
import importlib
import io
import lzma
import re
import zlib
from collections.abc import Callable
from typing import Any, BinaryIO, cast

from rtlat.errors import LogError

DAMAGE: tuple[type[Exception], ...] = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile)
"""What reading a damaged compressed stream may raise."""

GONE = b"\x1c"
"""A line whose text stands before it, with the text of the line it went on with."""

SNIFFED = 1024
"""So many bytes tell how a text is encoded."""

_UNREADABLE: tuple[type[Exception], ...] = (*DAMAGE, OSError)
_GZIP, _XZ, _ZSTD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
_MARKS = ((codecs.BOM_UTF8, ""), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
# `...renesas_shmobile-rt_defconfig_4.4.30=`: a mail program breaks a line before 76 characters, and writes = as =3D
_BROKEN = re.compile(rb"^[^\n]{60,75}=\r?$", re.MULTILINE)
_OTHER = re.compile(rb"=(?![0-9A-F]{2}|[ \t]*\r?(?:\n|\Z))")
_SIP = 256  # at most 64 blocks of zstd, and 8 MiB of text


def decoded(stored: io.BufferedReader, name: str) -> BinaryIO:
    """Return a file's text as UTF-8 without byte order mark, whatever it is stored as.

    Parameters
    ----------
    stored : io.BufferedReader
        The file, at its start. It stays open.
    name : str
        What messages call it.

    Raises
    ------
    LogError
        If it is a zstd file and nothing is installed to read it.

    Examples
    --------
    >>> decoded(io.BufferedReader(io.BytesIO(gzip.compress("T: 0".encode("utf-16")))), "demo").read()
    b'T: 0'
    """
    magic = stored.peek(6)[:6]
    stream: Any = stored
    if magic.startswith(_GZIP):
        stream = _gunzip(stored)
    elif magic.startswith(_XZ):
        stream = lzma.LZMAFile(stored)  # noqa: SIM115 (neither it nor GzipFile closes the file it reads)
    elif magic.startswith(_ZSTD):
        stream = _Zstd(stored, _zstd_decoder(name))
    buffered = io.BufferedReader(stream)
    try:
        start = buffered.peek(SNIFFED)[:SNIFFED]
    except _UNREADABLE:
        return cast(BinaryIO, buffered)  # the first read says it again, where it becomes a LogError
    mark, encoding = next(((mark, name) for mark, name in _MARKS if start.startswith(mark)), (b"", _unmarked(start)))
    buffered.read(len(mark))
    if not encoding:
        return cast(BinaryIO, buffered)
    return cast(BinaryIO, codecs.EncodedFile(cast(io.BytesIO, buffered), "utf-8", encoding, "replace"))


def is_plain(start: bytes) -> bool:
    """Whether a file that begins so is text in UTF-8 as it stands.

    Parameters
    ----------
    start : bytes
        Its first `SNIFFED` bytes.

    Examples
    --------
    >>> is_plain(b"T: 0"), is_plain(gzip.compress(b"T: 0")), is_plain("T: 0".encode("utf-16"))
    (True, False, False)
    """
    packed = start.startswith((_GZIP, _XZ, _ZSTD))
    return not packed and not start.startswith(tuple(mark for mark, _ in _MARKS)) and not _unmarked(start)


def _unmarked(start: bytes) -> str:
    """UTF-16 without a mark: every second byte of a text is NUL."""
    if b"\0" not in start:
        return ""
    start = start[: len(start) // 2 * 2]
    for text, nul, encoding in ((start[::2], start[1::2], "utf-16-le"), (start[1::2], start[::2], "utf-16-be")):
        if len(start) >= 32 and nul.count(0) > 0.9 * len(nul) and 0 not in text:
            return encoding
    return ""


def is_quoted_printable(start: bytes) -> bool:
    """Whether a text, by its first bytes, is a mail's body in quoted-printable: every = in it is one of those.

    Examples
    --------
    >>> is_quoted_printable(b"x" * 75 + b"=\\ny =3D 7\\n"), is_quoted_printable(b"x" * 75 + b"=\\nHZ=y\\n")
    (True, False)
    """
    return b"=" in start and bool(_BROKEN.search(start)) and not _OTHER.search(start)


def unquoted(data: bytes) -> bytes:
    """Return lines in quoted-printable as they were; of a broken line, `GONE` stands in the place of its rest.

    Examples
    --------
    >>> unquoted(b"T: 0 C: 20=\\n00=20\\nN =3D 7\\n")
    b'T: 0 C: 2000 \\n\\x1c\\nN = 7\\n'
    """
    lines: list[bytes] = []
    missing = 0
    for line in data.split(b"\n"):
        text = line.rstrip(b" \t\r")
        if missing:
            lines[-1] += text.removesuffix(b"=")
        else:
            lines.append(text.removesuffix(b"="))
        if text.endswith(b"="):
            missing += 1
        else:
            lines[-1] = binascii.a2b_qp(lines[-1])
            lines += [GONE] * missing
            missing = 0
    return b"\n".join([*lines, *[GONE] * (missing - 1)])


def _gunzip(stored: BinaryIO) -> Any:
    """A gzip file as a stream: of the package isal, which takes a third of the time, else of the standard library."""
    try:
        igzip = importlib.import_module("isal.igzip")
    except ImportError:
        return gzip.GzipFile(fileobj=stored, mode="rb")
    return _Isal(igzip.IGzipFile(fileobj=stored, mode="rb"))


class _Isal(io.RawIOBase):
    """A gzip file read by isal, whose own errors would not be known as damage."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer."""
        try:
            return int(self.stream.readinto(buffer))
        except LogError:
            raise
        except _UNREADABLE:
            raise
        except Exception as error:
            raise EOFError(str(error)) from None


def _zstd_decoder(name: str) -> Callable[[], Any]:
    """What makes a decoder of one zstd frame: of Python 3.14's library, else of the package zstandard."""
    try:
        return cast(Callable[[], Any], importlib.import_module("compression.zstd").ZstdDecompressor)
    except ImportError:
        pass
    try:
        import zstandard

        return lambda: zstandard.ZstdDecompressor().decompressobj()
    except ImportError:
        remedy = "install rtlat[zstd], or decompress it with zstd -d first"
        raise LogError(name, "a zstd file", "plain text, gzip or xz", remedy) from None


class _Zstd(io.RawIOBase):
    """A zstd file as a stream: neither library's own says that a file is cut."""

    def __init__(self, stored: BinaryIO, decoder: Callable[[], Any]) -> None:
        self.stored, self.decoder = stored, decoder
        self.frame = decoder()
        self.text = b""

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer."""
        while not self.text and (sip := self.stored.read(_SIP)):
            self.take(sip)
        if not self.text and not self.frame.eof:
            raise EOFError("it ends within a zstd frame")
        piece, self.text = self.text[: len(buffer)], self.text[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)

    def take(self, data: bytes) -> None:
        """Decompress; where one frame ends another may begin."""
        try:
            while data:
                self.frame = self.decoder() if self.frame.eof else self.frame
                self.text += self.frame.decompress(data)
                data = self.frame.unused_data if self.frame.eof else b""
        except Exception as error:  # each library has its own
            raise EOFError(str(error)) from None
