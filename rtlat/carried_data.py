"""The recording that a report carries: three tables in its HTML page, each xz-compressed Parquet in base64.

What reads them believes nothing of a page: how much is unpacked is bounded, and it has to be what the schema says.
By hand: the text of the element whose ``id`` is ``rtlat-records`` through ``base64 -d | xz -d`` is a Parquet file.
"""

from __future__ import annotations

import base64
import io
import lzma
from collections.abc import Iterable, Iterator
from pathlib import Path

from rtlat import parquet
from rtlat.errors import LogError, SchemaError
from rtlat.protocol import Recording

MARK = '<meta name="rtlat" content="'
"""What the head of a report and of an index holds; what a report says of itself follows."""

BESIDE = ".data"
"""Ends the name of the folder that lies beside a report whose recording is too large for a page."""

MOST_ROWS = 1_000_000
"""Rows of one table that a page may carry."""

_HEAD = 64 << 10
_LARGEST_PAGE = 32 << 20
_MOST_BYTES = 128 << 20
_MOST_MEMORY = 64 << 20
_ELEMENT = '<script type="application/x-xz" id="rtlat-{name}">{packed}</script>\n'
_PAGES = (".html", ".htm")


def elements(recording: Recording) -> str:
    """Return the elements of a page that carry a recording; empty if it has more rows than a page may carry."""
    if max(map(len, recording)) > MOST_ROWS:
        return ""
    tables = zip(parquet.TABLES, recording, strict=True)
    return "".join(_ELEMENT.format(name=name, packed=_packed(parquet.packed(frame, "none"))) for name, frame in tables)


def is_report(path: str | Path) -> bool:
    """Return whether a file is a page that rtlat wrote: a report, or an index of reports."""
    path = Path(path)
    if path.suffix.lower() not in _PAGES or not path.is_file():
        return False
    with path.open("rb") as file:
        return MARK.encode() in file.read(_HEAD)


def load(path: Path) -> Recording | Path:
    """Return the recording that a report carries, or the folder beside it where it lies.

    Raises
    ------
    LogError
        If the report carries none, is damaged, or holds what the schema forbids.
    """
    with path.open("rb") as file:
        text = file.read(_LARGEST_PAGE + 1)
    if len(text) > _LARGEST_PAGE:
        raise LogError(str(path), "a page of more than 32 MB", "a report of rtlat")
    if not text.rstrip().endswith(b"</html>"):
        raise LogError(str(path), "a report that is cut short", "one that ends in </html>", "get it again")
    found = {name: _found(text, name) for name in parquet.TABLES}
    if not any(found.values()):
        if (folder := path.with_suffix(BESIDE)).is_dir():
            return folder
        expected = f"data in the page, or beside it in {folder.name}"
        raise LogError(str(path), "a report without data", expected, "ask whoever made it for the logs")
    tables = {}
    for name, columns in parquet.TABLES.items():
        where = f"{path} ({name})"
        tables[name] = parquet.unpacked(where, io.BytesIO(_unpacked(where, found[name])), columns, MOST_ROWS)
    try:
        return parquet.recording(tables)
    except SchemaError as error:
        raise LogError(str(path), f"what the schema forbids ({error})", "what rtlat wrote") from None


def without_reports(files: Iterable[Path]) -> list[Path]:
    """Return the files of a folder without notebooks, reports and what lies beside these: they tell its logs again."""
    listed = [path for path in files if path.suffix != ".ipynb"]
    reports = {path.with_suffix("") for path in listed if is_report(path)}
    return [path for path in listed if not reports.intersection(_belongs_to(path))] if reports else listed


def _belongs_to(path: Path) -> Iterator[Path]:
    """The reports to which a file would belong, by its name and those of the folders above it."""
    for part in (path, *path.parents):
        while part.suffix:
            part = part.with_suffix("")
            yield part


def _packed(data: bytes) -> str:
    """Bytes as xz in base64."""
    return base64.b64encode(lzma.compress(data)).decode()


def _found(text: bytes, name: str) -> bytes:
    """What stands in an element of a page; the last one counts, as what a notebook shows stands before it."""
    start = _ELEMENT.partition("{packed}")[0].format(name=name).encode()
    _, found, rest = text.rpartition(start)
    return rest.partition(b"<")[0] if found else b""


def _unpacked(where: str, packed: bytes) -> bytes:
    """The file that an element carries, if it is not too large."""
    unpacker = lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=_MOST_MEMORY)
    try:
        data = unpacker.decompress(base64.b64decode(packed, validate=True), max_length=_MOST_BYTES)
    except (ValueError, lzma.LZMAError, EOFError) as error:
        raise LogError(where, f"damaged data ({str(error)[:60]})", "what rtlat wrote", "get it again") from None
    if not unpacker.eof:
        large = len(data) >= _MOST_BYTES
        found = f"more than {_MOST_BYTES >> 20} MB of data" if large else "data cut short"
        raise LogError(where, found, "what rtlat wrote", "get it again")
    return data
