"""Records of a run as Parquet: any reader of Parquet reads them, and a hostile one fills no memory."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import rtlat
from rtlat.errors import LogError
from rtlat.storing import blobs

ROOT = Path(__file__).resolve().parent.parent
LOG = ROOT / "data" / "emulated-kernels" / "repeats" / "stock-1-idle.hist"


@pytest.fixture(scope="module")
def table() -> pa.Table:
    """The records of one log."""
    return blobs.as_arrow(rtlat.read(LOG).records)


def file_of(table: pa.Table, **how: Any) -> bytes:
    """Return a table as another program would write it."""
    out = io.BytesIO()
    parquet.write_table(table, out, **how)
    return out.getvalue()


def test_any_reader_of_parquet_reads_a_blob(table: pa.Table) -> None:
    blob = blobs.packed(table)
    read = parquet.read_table(io.BytesIO(blob))
    printed = [line.split() for line in LOG.read_text().splitlines() if line[:1].isdigit()]
    bins = read.filter(pa.compute.equal(read["kind"], "bin")).to_pylist()
    total = sum(row["n"] for row in bins if row["high"] != float("inf"))
    assert total == sum(int(count) for _, *counts in printed for count in counts)
    assert len(blob) < 12_000
    words = blobs.unpacked(blob, "here")
    assert words.cast(read.schema).drop(["avg", "std", "q", "time"]).equals(read.drop(["avg", "std", "q", "time"]))


def test_no_rows_are_no_damage(table: pa.Table) -> None:
    assert blobs.unpacked(blobs.packed(table.slice(0, 0)), "here").num_rows == 0


@pytest.mark.parametrize("name", ["low", "n", "kind", "line"])
def test_other_columns_and_types_are_refused(table: pa.Table, name: str) -> None:
    place = table.column_names.index(name)
    with pytest.raises(LogError, match="here: found records with the columns"):
        blobs.unpacked(file_of(table.remove_column(place)), "here")
    for values in (pa.array([b"x"] * len(table)), pa.nulls(len(table), pa.int32()), pa.array([[1]] * len(table))):
        other = table.set_column(place, name, values)
        with pytest.raises((ValueError, pa.ArrowException)):
            blobs.records_of([blobs.unpacked(file_of(other), "here")], ["a"])


def test_what_would_fill_the_memory_is_refused_before_it_does(table: pa.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    long = pa.concat_tables([table] * 50)
    blob = blobs.packed(long)
    monkeypatch.setattr(blobs, "MOST_ROWS", long.num_rows - 1)
    with pytest.raises(LogError, match="at most"):
        blobs.packed(long)
    with pytest.raises(LogError, match=rf"here: found {long.num_rows} records in \d+ bytes, expected at most"):
        blobs.unpacked(blob, "here")
    monkeypatch.undo()
    text = table.set_column(0, "series", pa.array(["x" * 100_000] * len(table)))
    bomb = file_of(text, compression="zstd", use_dictionary=False)
    assert len(bomb) < 100_000 < 100_000_000 < text.nbytes
    monkeypatch.setattr(blobs, "MOST_BYTES", 100_000_000)
    with pytest.raises(LogError, match="at most"):
        blobs.unpacked(bomb, "here")


def test_a_page_that_was_changed_is_told(table: pa.Table) -> None:
    blob = bytearray(blobs.packed(table))
    about = json.loads(json.dumps(parquet.read_metadata(io.BytesIO(bytes(blob))).row_group(0).column(4).to_dict()))
    blob[about["data_page_offset"] + about["total_compressed_size"] - 9] ^= 1
    with pytest.raises(LogError, match="here: found damaged records"):
        blobs.unpacked(bytes(blob), "here")


def test_a_column_is_no_view_of_the_blob(table: pa.Table) -> None:
    """Memory of a blob cannot be written: whoever scales a column in place would fail."""
    records = blobs.records_of([blobs.unpacked(blobs.packed(table), "here")], ["a"])
    records.loc[:, "low"] *= 2
    assert records["low"].array.to_numpy().flags.writeable
