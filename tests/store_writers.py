"""Writers of a store in processes of their own, which are killed or meet each other; run as a script, it prints JSON.

``store_writers.py killed FILE ROUNDS`` forks a writer that adds log after log, kills it with SIGKILL at a random time,
and looks at the file with plain SQL, round after round. ``store_writers.py together FILE`` lets two writers add logs of
which they have some in common, and looks at the file all the while.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import sys
import time
from pathlib import Path

from recordings import histogram, recording

from rtlat import Recording
from rtlat.rows import Rows
from rtlat.storing import adding

LOGS, RUNS, SERIES = 24, 3, 2
"""How many logs there are, how many runs each has, and how many series each of these."""


def log(number: int) -> Recording:
    """The runs of one log: bins that tell which log it is, and how many of each run."""
    runs = []
    for place in range(RUNS):
        rows = Rows()
        for series in range(SERIES):
            histogram(rows, {number + edge: 1 + place for edge in range(50)}, f"t{series}")
        runs.append((rows, {"run": f"log{number}#{place + 1}", "sha256": f"{number:064x}", "source": f"{number}.txt"}))
    series = [{"run": name, "series": f"t{k}"} for _, facts in runs for name in [facts["run"]] for k in range(SERIES)]
    return recording(*runs, series=series)


def seen(path: Path) -> set[str]:
    """Return the runs in the file, as plain SQL sees them; raise if a log or a run is not whole."""
    connection = sqlite3.connect(path, 60)
    try:
        connection.execute("BEGIN")
        runs = [row[0] for row in connection.execute("SELECT run FROM runs")]
        per_log = {row[0] for row in connection.execute("SELECT count(*) FROM runs GROUP BY sha256")}
        assert per_log <= {RUNS}, f"a log has {per_log} runs"
        for table, each in (("records", 1), ("series", SERIES), ("figures", SERIES + 1)):
            rows = dict(connection.execute(f"SELECT run, count(*) FROM {table} GROUP BY run").fetchall())
            assert rows == dict.fromkeys(runs, each), f"{table} differ from runs"
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    finally:
        connection.close()
    assert len(runs) == len(set(runs))
    return set(runs)


def writer(path: Path, logs: list[Recording], pipe: int) -> int:
    """Fork a process that adds logs one after the other and tells the pipe of each run that `add` says is in."""
    child = os.fork()
    if child:
        return child
    try:
        os.write(pipe, b"ready\n")
        for one in logs:
            done = adding.add(one, path)
            os.write(pipe, "".join(f"{run}\n" for run in done.added).encode())
    finally:
        os._exit(0)


def killed(path: Path, rounds: int) -> dict[str, int]:
    """Kill writers at random points of an add; what a writer said is in must be there, in all later rounds too."""
    chance, logs = random.Random(9), [log(number) for number in range(LOGS)]
    adding.add(logs[0], path.with_suffix(".first"))  # whatever is imported late is imported now
    committed: set[str] = set()
    counts = {"rounds": rounds, "killed at work": 0, "undone": 0, "fresh files": 0, "logs": 0}
    lasts = 0.1
    for _ in range(rounds):
        if len(committed) > (LOGS - 8) * RUNS:  # begin again, so that also the making of a store is interrupted
            path.unlink()
            committed.clear()
        counts["fresh files"] += not path.exists()
        reading, writing = os.pipe()
        child = writer(path, [one for one in logs if not set(one.runs["run"]) & committed], writing)
        os.close(writing)
        with os.fdopen(reading) as told:
            said, start = {told.readline().strip()}, time.monotonic()
            adds = chance.randrange(4)
            said |= {told.readline().strip() for _ in range(adds * RUNS)}
            lasts = (time.monotonic() - start) / adds if adds else lasts
            time.sleep(chance.uniform(0, lasts))  # into the next one
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            said |= set(told.read().split())
        committed |= said - {"ready"}
        counts["killed at work"] += os.WIFSIGNALED(status)
        counts["logs"] += (len(said) - 1) // RUNS
        counts["undone"] += Path(f"{path}-journal").exists()
        there = seen(path) if path.exists() and path.stat().st_size else set()
        assert committed <= there, f"lost: {sorted(committed - there)}"
        committed = there
    return counts


def together(path: Path) -> dict[str, int]:
    """Let two writers add at once; every log must be in once, added by one of them."""
    halves = [list(range(0, LOGS, 2)), list(range(1, LOGS, 2))]
    both = list(range(LOGS, LOGS + 5))
    pipes = [os.pipe() for _ in halves]
    for half, (_, writing) in zip(halves, pipes, strict=True):
        writer(path, [log(number) for number in sorted([*half, *both], key=lambda number: number % 7)], writing)
        os.close(writing)
    looks, running = 0, 2
    while running:
        running -= os.waitpid(-1, os.WNOHANG)[0] > 0
        time.sleep(0.01)
        if path.exists() and path.stat().st_size:
            seen(path)
            looks += 1
    told = [set(os.fdopen(reading).read().split()) - {"ready"} for reading, _ in pipes]
    assert not told[0] & told[1], "added twice"
    assert told[0] | told[1] == seen(path), "lost"
    return {"looks": looks, "first": len(told[0]), "second": len(told[1]), "runs": len(seen(path))}


if __name__ == "__main__":
    what, where, *more = sys.argv[1:]
    print(json.dumps(killed(Path(where), int(*more)) if what == "killed" else together(Path(where))))
