"""A file that is no store, is damaged or is another program's gives one line, and an older store goes on."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from test_adding import assert_equal, run

from rtlat.cli import main
from rtlat.errors import LogError, RtlatError
from rtlat.storing import database
from rtlat.storing.adding import add
from rtlat.storing.recall import recall


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store of some runs."""
    for number in range(1, 6):
        add(run(f"{number}" * 64, f"r{number}", number), tmp_path / "lab.sqlite")
    return tmp_path / "lab.sqlite"


def sql(path: Path, *statements: str) -> None:
    """Change a file as somebody with plain SQL would."""
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def edited(*statements: str) -> Callable[[Path], None]:
    """Return what changes a file so."""
    return lambda path: sql(path, *statements)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda path: path.unlink(), r"found nothing, expected a store of rtlat; rtlat store add"),
        (lambda path: path.write_bytes(b""), r"found an empty file, expected a store of rtlat"),
        (lambda path: path.write_text("# a log\n" * 99), r"found no SQLite file, expected a store of rtlat"),
        (edited("PRAGMA application_id = 0"), r"found a SQLite file of another program"),
        (edited("PRAGMA user_version = 9"), r"found a store of version 9, expected version 1"),
        (edited("DROP TABLE records"), r"found a damaged store without the table records"),
        (edited("DROP TABLE series", "CREATE VIEW series AS SELECT 1"), r"damaged store without the table series"),
        (edited("CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM runs; END"), r"found a store with triggers"),
        (edited("DELETE FROM records"), r"found a damaged store \(a run has no records\)"),
        (edited("UPDATE records SET parquet = 'no blob'"), r"r1: found damaged records"),
        (edited("UPDATE records SET parquet = zeroblob(99)"), r"r1: found damaged records"),
        (edited("UPDATE runs SET duration = 'long'"), r"found a damaged store \(.*long"),
        (edited("UPDATE runs SET nominal_n = 1.5e300"), r"found a damaged store"),
        (edited("UPDATE runs SET warnings = 'none'"), r"column warnings, row 0: 'none' is not the JSON"),
        (edited("UPDATE runs SET ended = 'never'"), r"ended 'never' is none of"),
        (edited("UPDATE runs SET tool = CAST(x'ff' AS TEXT)"), r"found a damaged store \(Could not decode"),
        (edited("UPDATE series SET run = 'r1'", "UPDATE runs SET run = run || 'x'"), r"found a damaged store"),
    ],
)
def test_what_cannot_be_read_is_one_line(store: Path, damage: Callable[[Path], None], message: str) -> None:
    damage(store)
    with pytest.raises(RtlatError, match=message) as caught:
        recall(f"store:{store}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("made", ["another program's", "a text"])
def test_nothing_is_added_to_another_file(tmp_path: Path, made: str) -> None:
    path = tmp_path / "other.sqlite"
    sql(path, "CREATE TABLE runs (mine)") if made == "another program's" else path.write_text("# a log\n" * 99)
    before = path.read_bytes()
    with pytest.raises(LogError, match=r"found (a SQLite file of another program|no SQLite file)"):
        add(run("1" * 64), path)
    assert path.read_bytes() == before


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    for path in (tmp_path, tmp_path / "a" / "b.sqlite"):
        with pytest.raises(LogError, match="found a place that cannot be opened or written"):
            add(run("1" * 64), path)


def test_a_store_of_before_a_column_was_added_goes_on(store: Path) -> None:
    expected = recall(f"store:{store}")
    sql(store, "ALTER TABLE runs DROP COLUMN power_states", "ALTER TABLE series DROP COLUMN policy")
    assert_equal(recall(f"store:{store}"), expected)
    add(run("7" * 64, "r7", power_states="C0"), store)
    assert list(recall(f"store:{store}").runs["power_states"]) == [""] * 5 + ["C0"]


def test_who_waits_too_long_for_another_writer_is_told(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "PATIENCE", 0.05)
    other = sqlite3.connect(store, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LogError, match="found another writer at work"):
        add(run("8" * 64), store)
    assert len(recall(f"store:{store}").runs) == 5, "readers do not wait"
    other.execute("ROLLBACK")
    other.close()


def test_what_fails_halfway_leaves_nothing(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    insert = database.insert

    def failing(connection: sqlite3.Connection, table: str, rows: list[dict[str, object]]) -> None:
        if table == "figures":
            raise KeyboardInterrupt
        insert(connection, table, rows)

    before = store.read_bytes()
    monkeypatch.setattr(database, "insert", failing)
    with pytest.raises(KeyboardInterrupt):
        add(run("9" * 64), store)
    assert store.read_bytes() == before


def test_damage_anywhere_is_told_or_harmless(store: Path, tmp_path: Path) -> None:
    """Bytes of the file are changed at random; a process of its own would show a crash of a library."""
    code = f"""
import random, sys
from pathlib import Path
from rtlat.errors import RtlatError
from rtlat.storing.recall import recall
chance, whole, told = random.Random(3), Path({str(store)!r}).read_bytes(), 0
path = Path({str(tmp_path / "damaged.sqlite")!r})
for _ in range(150):
    damaged = bytearray(whole)
    for _ in range(chance.choice([1, 4, 64])):
        damaged[chance.randrange(len(whole))] = chance.randrange(256)
    path.write_bytes(damaged[: chance.choice([len(whole), len(whole), chance.randrange(len(whole))])])
    try:
        recall(f"store:{{path}}")
    except RtlatError as error:
        told += 1
        assert len(str(error).splitlines()) == 1
print(told)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) > 50


def test_a_writer_that_was_killed_is_undone_by_a_reader(store: Path) -> None:
    """Its journal is still there: whoever opens the file next rolls it back, reading or not."""
    code = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 1")  # written to the disk before it is committed
connection.execute("BEGIN IMMEDIATE")
connection.executemany("INSERT INTO records VALUES (?, zeroblob(20000))", [(f"x{k}",) for k in range(8)])
connection.execute("DELETE FROM runs")
os.kill(os.getpid(), 9)
"""
    assert subprocess.run([sys.executable, "-c", code, store], check=False).returncode == -9
    assert Path(f"{store}-journal").exists()
    assert list(recall(f"store:{store}").runs["run"]) == [f"r{number}" for number in range(1, 6)]
    assert not Path(f"{store}-journal").exists()


def test_the_command_line_says_it_in_one_line(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store.write_bytes(random.Random(1).randbytes(5000))
    for words in (["store", "list", "--store", str(store)], ["summary", f"store:{store}"]):
        assert main(words) == 1
        assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("statement", ["UPDATE runs SET duration = 'long'", "UPDATE figures SET max_low = x'ff'"])
def test_a_list_of_what_is_damaged_is_one_line(store: Path, statement: str, capsys: pytest.CaptureFixture[str]) -> None:
    sql(store, statement)
    assert main(["store", "query" if "figures" in statement else "list", "--store", str(store)]) == 1
    assert "found a damaged store" in capsys.readouterr().err
