"""A frame of the schema as a Parquet file, and back.

A file holds the schema's columns and nothing else: no index, no word about the machine or the library that made it.
It is read by pyarrow against the schema: what a column is has to be right before anything of it is unpacked.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rtlat import frames, schema
from rtlat.errors import LogError
from rtlat.protocol import Recording

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

TABLES = {"records": schema.RECORDS, "runs": schema.RUNS, "series": schema.SERIES}
"""The columns of each table of a recording."""

_KINDS = {
    "category": "string",
    "str": "string",
    "Int64": "int64",
    "int64": "int64",
    "boolean": "bool",
    "float64": "double",
}
"""What a column of the schema is in a file."""

_TEXT = 64
"""Bytes of text in a column for each row that is allowed; what tells of a run can be long, but then runs are few."""

_OTHER_VERSION = "it may be of another version of rtlat"


def packed(frame: pd.DataFrame, compression: str) -> bytes:
    """Return a frame of the schema as a Parquet file; `compression` is that of its pages, such as ``zstd``."""
    import pyarrow
    from pyarrow.parquet import write_table

    arrow = pyarrow.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    words = [str(name) for name, dtype in frame.dtypes.items() if str(dtype) in ("category", "str")]
    file = io.BytesIO()  # numbers stand plain in it, where any compression finds more in them than in a dictionary
    write_table(arrow, file, compression=compression, use_dictionary=words, write_statistics=False, store_schema=False)
    return file.getvalue()


def unpacked(
    where: str, file: Path | io.BytesIO, columns: tuple[schema.Column, ...], most: int | None = None
) -> pd.DataFrame:
    """Return a Parquet file as a frame with the columns and dtypes of the schema, its rows still to be validated.

    Parameters
    ----------
    where : str
        What a message calls the file.
    file : path or BytesIO
        The file.
    columns : tuple of Column
        What it has to hold. Categories come sorted.
    most : int, optional
        How many rows it may unpack to, and 64 times as many bytes of text in a column. Then it must not be compressed
        by itself; one that lies about that takes the memory of a page of Parquet at most, 2 GB.

    Raises
    ------
    LogError
        If the file is damaged or holds something else.
    """
    import pandas as pd
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    words = [column.name for column in columns if _KINDS[column.dtype] == "string"]
    try:
        with ParquetFile(file) as stored:
            _check(where, stored, columns, most, file.getbuffer().nbytes if isinstance(file, io.BytesIO) else 0)
        with ParquetFile(file, read_dictionary=words) as stored:
            arrow = stored.read(use_threads=most is None).unify_dictionaries()
        data = {c.name: _column(where, arrow[c.name].combine_chunks(), c, most) for c in columns}
        return pd.DataFrame(data)
    except LogError:
        raise
    except (ArrowException, OSError, ValueError, IndexError, OverflowError) as error:
        raise LogError(where, f"no table rtlat stored ({' '.join(str(error).split())[:80]})") from None


def recording(tables: Mapping[str, pd.DataFrame]) -> Recording:
    """Return the three tables as a recording, validated; the runs of its records are in the order of its runs.

    Raises
    ------
    SchemaError
        If they hold what the schema forbids.
    """
    records = tables["records"]
    records["run"] = records["run"].cat.set_categories(tables["runs"]["run"].unique())
    frames.validate(records, tables["runs"], tables["series"])
    return Recording(records, tables["runs"], tables["series"])


def _check(where: str, stored: Any, columns: tuple[schema.Column, ...], most: int | None, size: int) -> None:
    """Raise if a file's own head says that it is not what was expected."""
    from pyarrow.types import is_dictionary

    types = {field.name: field.type for field in stored.schema_arrow}
    found = {name: str(kind.value_type if is_dictionary(kind) else kind) for name, kind in types.items()}
    found = {name: kind.removeprefix("large_") for name, kind in found.items()}
    wanted = {column.name: _KINDS[column.dtype] for column in columns}
    for name in {**wanted, **found}:
        if found.get(name) != wanted.get(name):
            told = [f"column {name!r} of {of[name]}" if name in of else f"no column {name!r}" for of in (found, wanted)]
            raise LogError(where, told[0], told[1], _OTHER_VERSION)
    if most is None:
        return
    if stored.metadata.num_rows > most:
        raise LogError(where, f"{stored.metadata.num_rows:,} rows", f"at most {most:,}")
    # Asking for the codec of a column instead makes pyarrow end the process where a file is damaged.
    groups = range(stored.num_row_groups)
    if sum(stored.metadata.row_group(number).total_byte_size for number in groups) > size:
        raise LogError(where, "a table packed twice", "one packed once")


def _column(where: str, values: Any, column: schema.Column, most: int | None) -> Any:
    """An Arrow array as a pandas array of the schema's dtype."""
    import pandas as pd
    import pyarrow.compute as pc

    if column.dtype == "Int64":
        return pd.Int64Dtype().__from_arrow__(values)  # type: ignore[attr-defined]
    if column.dtype == "boolean":
        return pd.BooleanDtype().__from_arrow__(values)  # type: ignore[attr-defined]
    if column.dtype != "float64" and values.null_count:
        raise LogError(where, f"a gap in column {column.name!r}", "none")
    if _KINDS[column.dtype] != "string":
        return values.to_numpy(zero_copy_only=False)
    words, places = values.dictionary, values.indices
    if most is not None:
        lengths = pc.binary_length(words)
        size = max(pc.sum(each).as_py() or 0 for each in (lengths, pc.take(lengths, places)))
        if size > _TEXT * most:
            raise LogError(where, f"{size:,} bytes of text in column {column.name!r}", f"at most {_TEXT * most:,}")
    names = pd.Index(words.to_pylist(), dtype="str")
    if column.dtype == "category":
        return pd.Categorical.from_codes(places.to_numpy(), categories=names).reorder_categories(sorted(names))
    return names.take(places.to_numpy())
