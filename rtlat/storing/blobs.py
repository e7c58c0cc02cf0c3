"""The records of one run as a small compressed Parquet file, and back: bounded, and believed in nothing.

The key of the run is left out; it stands beside the blob. Pages carry checksums. `rtlat.parquet` keeps whole frames;
here many runs are joined before one frame is made of them, which is what makes thousands of small blobs bearable.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rtlat import frames, schema
from rtlat.errors import LogError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

MOST_ROWS = 10_000_000
"""Records of one run: ten times the samples that reading keeps."""

MOST_BYTES = 1 << 30
"""Of one run's records, unpacked."""

_COLUMNS = tuple(column for column in schema.RECORDS if column.name != "run")
_NAMES = tuple(column.name for column in _COLUMNS)
_WORDS = [column.name for column in _COLUMNS if column.dtype == "category"]


def as_arrow(records: pd.DataFrame) -> pa.Table:
    """Return records without their run as one table, from which `packed` takes slices."""
    import pyarrow as pa

    arrays = []
    for column in _COLUMNS:
        values: Any = records[column.name].array
        if column.dtype == "float64":  # here NaN is no null
            values = np.asarray(values)
        array = pa.array(values)
        arrays.append(array.cast(pa.string()) if column.dtype == "category" else array)
    return pa.Table.from_arrays(arrays, names=list(_NAMES))


def packed(rows: pa.Table) -> bytes:
    """Return the rows of one run as a Parquet file.

    Raises
    ------
    LogError
        If there are more than the store takes.
    """
    import pyarrow as pa
    from pyarrow import parquet

    if rows.num_rows > MOST_ROWS or rows.nbytes > MOST_BYTES:
        raise LogError("the store", f"{rows.num_rows} records of one run", f"at most {MOST_ROWS}", "keep fewer samples")
    out = pa.BufferOutputStream()
    parquet.write_table(
        rows,
        out,
        compression="zstd",
        use_dictionary=_WORDS,
        write_statistics=False,  # nobody searches within one run
        store_schema=False,
        write_page_checksum=True,
    )
    return bytes(out.getvalue())


def unpacked(blob: bytes, where: str) -> pa.Table:
    """Return the rows of one run, none of them checked yet.

    Parameters
    ----------
    blob : bytes
        As `packed` gives it.
    where : str
        What a message calls it.

    Raises
    ------
    LogError
        If it is damaged, has other columns, or would fill the memory.
    """
    import pyarrow as pa
    from pyarrow import parquet

    try:
        about = parquet.read_metadata(pa.BufferReader(blob))
        size = sum(about.row_group(place).total_byte_size for place in range(about.num_row_groups))
        if not 0 <= about.num_rows <= MOST_ROWS or not 0 <= size <= MOST_BYTES:
            raise LogError(where, f"{about.num_rows} records in {size} bytes", f"at most {MOST_ROWS} in {MOST_BYTES}")
        if tuple(about.schema.names) != _NAMES:
            raise LogError(where, f"records with the columns {', '.join(about.schema.names)[:80]}", "rtlat's own")
        options: Any = {"metadata": about, "read_dictionary": _WORDS, "page_checksum_verification": True}
        return parquet.ParquetFile(pa.BufferReader(blob), **options).read(use_threads=False)
    except (pa.ArrowException, OSError, ValueError, TypeError, MemoryError) as error:
        if isinstance(error, LogError):
            raise
        raise LogError(where, f"damaged records ({str(error)[:80]})") from None


def records_of(tables: Sequence[pa.Table], runs: Sequence[str]) -> pd.DataFrame:
    """Return the records of several runs as one frame.

    Parameters
    ----------
    tables : sequence of pyarrow.Table
        As `unpacked` gives them, one for each run.
    runs : sequence of str
        The keys of the runs.

    Raises
    ------
    ValueError, pyarrow.ArrowException
        If a column is not of its type.
    """
    import pandas as pd
    import pyarrow as pa

    joined = pa.concat_tables(tables).unify_dictionaries().combine_chunks()
    code = np.repeat(np.arange(len(runs)), [table.num_rows for table in tables])
    built: dict[str, Any] = {"run": pd.Categorical.from_codes(code, categories=pd.Index(list(runs), dtype="str"))}
    for column in _COLUMNS:
        values = joined[column.name].combine_chunks()
        built[column.name] = _values(values, column.dtype)
    return frames.frame(schema.RECORDS, built)


def _values(values: Any, dtype: str) -> Any:
    """One column as `rtlat.frames.frame` takes it."""
    import pandas as pd
    import pyarrow as pa

    if dtype == "category":
        if getattr(values.type, "value_type", None) != pa.string() or values.null_count:
            raise ValueError("a column of words holds something else")
        words: Any = values.dictionary.to_pylist()
        code = values.indices.to_numpy(zero_copy_only=False)
        return pd.Categorical.from_codes(code, categories=pd.Index(words, dtype="str"))
    kind = pa.float64() if dtype == "float64" else pa.int64()
    if values.type != kind or (dtype != "Int64" and values.null_count):
        raise ValueError(f"a column of {kind} holds something else")
    filled = values.fill_null(-1) if dtype == "Int64" else values
    return filled.to_numpy(zero_copy_only=False, writable=True)
