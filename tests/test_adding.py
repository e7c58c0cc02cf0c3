"""A store of runs: what goes in comes out, each log once, whatever is killed and whoever writes at the same time."""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from recordings import histogram, one, recording
from store_writers import LOGS, RUNS

import rtlat
from rtlat.errors import LogError
from rtlat.rows import Rows
from rtlat.storing.adding import Added, add
from rtlat.storing.recall import recall

ROOT = Path(__file__).resolve().parent.parent
WRITERS = Path(__file__).with_name("store_writers.py")
CAMPAIGNS = sorted(path for path in (ROOT / "data").iterdir() if path.is_dir())


def rows(path: Path, statement: str) -> list[Any]:
    """Return what plain SQL gives."""
    connection = sqlite3.connect(path)
    try:
        return connection.execute(statement).fetchall()
    finally:
        connection.close()


def run(sha256: str, name: str = "a", first: int = 5, **facts: Any) -> rtlat.Recording:
    """Return a run of some bins."""
    bins = Rows()
    histogram(bins, {first: 10, first + 1: 3, first + 40: 1})
    return one(bins, run=name, sha256=sha256, **facts)


def assert_equal(found: rtlat.Recording, expected: rtlat.Recording) -> None:
    """Compare frames value by value; the order of categories says nothing."""
    for mine, theirs in zip(found, expected, strict=True):
        assert list(mine.dtypes.astype(str)) == list(theirs.dtypes.astype(str))
        words = [name for name in theirs.columns if str(theirs[name].dtype) == "category"]
        text, wanted = (frame.astype(dict.fromkeys(words, "str")).reset_index(drop=True) for frame in (mine, theirs))
        pd.testing.assert_frame_equal(text, wanted, check_exact=True)


@pytest.mark.filterwarnings("ignore::rtlat.errors.RtlatWarning")
@pytest.mark.parametrize("folder", CAMPAIGNS, ids=lambda path: path.name)
def test_what_goes_in_comes_out(folder: Path, tmp_path: Path) -> None:
    read = rtlat.read(folder)
    add(read, tmp_path / "s.sqlite")
    found = recall(f"store:{tmp_path / 's.sqlite'}")
    assert_equal(found, read)
    assert_equal(rtlat.read(f"store:{tmp_path / 's.sqlite'}"), read)


@pytest.mark.filterwarnings("ignore::rtlat.errors.RtlatWarning")
def test_what_goes_in_comes_out_of_collected_logs(logs: Path, tmp_path: Path) -> None:
    read = rtlat.read(logs / "derived")
    add(read, tmp_path / "s.sqlite")
    order = {name: place for place, name in enumerate(read.runs["run"])}
    copies = read.runs["source"] != read.runs.groupby("sha256")["source"].transform("first")
    kept = read.runs[~copies]["run"]
    found = recall(f"store:{tmp_path / 's.sqlite'}")
    assert sorted(found.runs["run"], key=order.__getitem__) == list(kept)
    total = read.records[read.records["run"].isin(kept).to_numpy()]["n"].sum()
    assert found.records["n"].sum() == total


def test_plain_sql_sees_runs_series_and_figures(tmp_path: Path) -> None:
    folder = ROOT / "data" / "emulated-kernels" / "repeats"
    add(rtlat.read(folder), tmp_path / "s.sqlite")
    for log in sorted(folder.glob("*.hist"))[:4]:
        footers = [line.split() for line in log.read_text().splitlines() if line.startswith("# M")]
        least, most = ([int(number) for number in words if number.isdigit()] for words in footers)
        found = rows(
            tmp_path / "s.sqlite",
            f"SELECT min_low, max_low, series FROM figures WHERE run = '{log.stem}' AND NOT pooled ORDER BY rowid",
        )
        assert found == [(low, high, f"t{place}") for place, (low, high) in enumerate(zip(least, most, strict=True))]
    ((duration, kernel),) = rows(
        tmp_path / "s.sqlite", "SELECT duration, kernel FROM runs WHERE run = 'stock-1-idle' AND \"group\" != ''"
    )
    assert duration == 15
    assert kernel.startswith("6.1.0-57-amd64")


def test_a_log_is_added_once_whatever_it_is_called(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    assert add(run("1" * 64), path) == Added(["a"], [], [], {})
    assert add(run("1" * 64), path) == Added([], [], ["a"], {})
    assert add(run("1" * 64, "renamed"), path) == Added([], [], ["renamed"], {})
    assert rows(path, "SELECT run FROM runs") == [("a",)]


def test_the_same_bytes_in_two_places_are_one_log(tmp_path: Path) -> None:
    source = ROOT / "data" / "emulated-kernels" / "repeats" / "stock-1-idle.hist"
    (tmp_path / "logs" / "again").mkdir(parents=True)
    for place in ("a.hist", "b.hist", "again/a.hist"):
        shutil.copy(source, tmp_path / "logs" / place)
    with gzip.open(tmp_path / "logs" / "c.hist.gz", "wb") as packed:  # another file, for whom bytes decide
        packed.write(source.read_bytes())
    done = add(rtlat.read(tmp_path / "logs"), tmp_path / "s.sqlite")
    assert (len(done.added), len(done.known)) == (2, 2)
    assert rows(tmp_path / "s.sqlite", "SELECT count(*), count(DISTINCT sha256) FROM runs") == [(2, 2)]


def test_logs_of_one_name_are_told_apart_by_their_hash(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    for night, first in (("1", 5), ("2", 50), ("3", 500)):
        add(run(night * 64, "cyclictest", first), path)
    names = ["cyclictest", "cyclictest@22222222", "cyclictest@33333333"]
    assert rows(path, "SELECT run FROM runs ORDER BY id") == [(name,) for name in names]
    found = recall(f"store:{path}")
    least = found.records.groupby("run", observed=True)["low"].min()
    assert [least[name] for name in names] == [5_000, 50_000, 500_000]
    assert add(run("2" * 64, "cyclictest", 50), path).known == ["cyclictest@22222222"]
    assert add(found, path).known == names, "also when it comes from a store"


def test_of_a_log_that_is_known_in_part_the_rest_is_added(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    whole = recording(*((run("4" * 64, f"m#{k}", k * 10).records.pipe(bins), about(k)) for k in (1, 2, 3)))
    part = whole._replace(runs=whole.runs[1:2], records=whole.records[(whole.records["run"] == "m#2").to_numpy()])
    assert add(part, path).added == ["m#2"]
    done = add(whole, path)
    assert (done.added, done.known) == (["m#1", "m#3"], ["m#2"])
    assert rows(path, "SELECT count(*) FROM records") == [(3,)]


def bins(records: pd.DataFrame) -> Rows:
    """Return the bins of a run anew."""
    made = Rows()
    histogram(made, {int(low / 1000): int(n) for low, n in zip(records["low"], records["n"], strict=True)})
    return made


def about(number: int) -> dict[str, Any]:
    """Return what a run of one log says of itself."""
    return {"run": f"m#{number}", "sha256": "4" * 64, "source": "m.txt"}


def test_other_facts_are_told_and_replace_only_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    add(run("1" * 64), path)
    add(run("2" * 64, "b"), path)
    told = add(run("1" * 64, load="idle", machine="board"), path)
    assert told == Added([], [], ["a"], {"a": ["machine", "load"]})
    before = rows(path, "SELECT id, added, load FROM runs WHERE run = 'a'")
    done = add(run("1" * 64, "named", load="idle", machine="board"), path, replace=True)
    assert done == Added([], ["named"], [], {})
    ((number, added, load),) = before
    assert load == ""
    assert rows(path, "SELECT run, id, added, load FROM runs WHERE run != 'b'") == [("named", number, added, "idle")]
    assert rows(path, "SELECT run FROM runs ORDER BY id") == [("named",), ("b",)]
    for table in ("records", "series", "figures"):
        assert rows(path, f"SELECT DISTINCT run FROM {table} WHERE run NOT IN ('named', 'b')") == []
    assert rows(path, "SELECT count(*) FROM records") == [(2,)]


def test_a_run_without_its_log_s_hash_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="found no sha256 of the log of 'a', expected one"):
        add(run(""), tmp_path / "s.sqlite")
    assert not (tmp_path / "s.sqlite").exists()


def test_a_claim_an_empty_run_and_odd_words_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    odd = "quote ' \" ; -- \x00 \N{SNOWMAN} \u202e"
    silent = recording((Rows(), {"run": "nothing", "sha256": "5" * 64, "note": odd, "started": odd}))
    add(silent, path)
    assert_equal(recall(f"store:{path}"), silent)


def test_the_date_that_a_log_prints_is_kept_and_can_be_sorted(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    add(run("1" * 64, started="Mon, 30 Nov 2026 16:56:26 +0100"), path)
    assert rows(path, "SELECT began, started FROM runs") == [("2026-11-30T15:56:26", "Mon, 30 Nov 2026 16:56:26 +0100")]


def worked(*words: str) -> dict[str, int]:
    """Run the writers and return their report."""
    done = subprocess.run([sys.executable, WRITERS, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return dict(json.loads(done.stdout))


def test_writers_killed_at_random_points_lose_nothing_and_leave_nothing_half_written(tmp_path: Path) -> None:
    counts = worked("killed", str(tmp_path / "s.sqlite"), "20")
    assert counts["killed at work"] > 10
    assert counts["undone"], "mostly they are killed within a transaction"
    assert counts["logs"], "and some are committed before"


def test_two_writers_at_once_add_each_log_once_while_a_reader_sees_only_whole_ones(tmp_path: Path) -> None:
    counts = worked("together", str(tmp_path / "s.sqlite"))
    assert counts["runs"] == (LOGS + 5) * RUNS == counts["first"] + counts["second"]
    assert counts["looks"]
