"""``rtlat store``: runs kept in one SQLite file, and what it holds."""

from __future__ import annotations

import argparse
from pathlib import Path

from rtlat.commands import logs

TYPE_CHECKING = False  # to import typing here would be a good part of the time that `rtlat --help` takes
if TYPE_CHECKING:
    from rtlat.storing.adding import Added

_QUERY = "such as kernel=6.12 load~stress started>=2026-11 (none: all runs)"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add what can be done with a store."""
    actions = parser.add_subparsers(title="what to do", dest="action", metavar="ACTION", required=True)
    texts = {
        "add": "add the runs of logs, each log once",
        "list": "runs, with what is known of them",
        "query": "the figures of each series of some runs",
        "export": "write records, runs and series as Parquet, or the records as one CSV",
    }
    added = {
        name: actions.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        for name, text in texts.items()
    }
    logs.arguments(added["add"])
    logs.cluster(added["add"])
    added["add"].add_argument("--replace", action="store_true", help="put these in the place of known runs of the logs")
    added["export"].add_argument("to", metavar="DIR|F.csv", type=Path, help="where to write")
    for name, action in added.items():
        if name != "add":
            action.add_argument("query", nargs="*", default=[], metavar="QUERY", help=_QUERY)
        action.add_argument("--store", metavar="FILE", type=Path, help="the store (default: rtlat.sqlite)")


def run(options: argparse.Namespace) -> int:
    """Do it, and say what became of it."""
    from rtlat.storing.query import DEFAULT

    path = options.store or Path(DEFAULT)
    if options.action == "add":
        return _add(options, path)
    text = " ".join(options.query)
    if options.action == "export":
        from rtlat import store
        from rtlat.storing.recall import runs_of

        recording = runs_of(path, text)
        store.save(recording, options.to)
        print(f"wrote {options.to}: {len(recording.runs)} runs")
        return 0
    from rtlat.storing.listing import figures_text, runs_text

    print((runs_text if options.action == "list" else figures_text)(path, text))
    return 0


def _add(options: argparse.Namespace, path: Path) -> int:
    """Add logs; what cannot be read is told, as everywhere."""
    from rtlat.storing.adding import add

    recording, _, status = logs.recording(options)
    print(_told(add(recording, path, replace=options.replace), path))
    return status


def _told(done: Added, path: Path) -> str:
    """What was added, and what was not."""
    parts = [f"{len(done.added)} runs added"]
    parts += [f"{len(done.replaced)} replaced"] if done.replaced else []
    parts += [f"{len(done.known)} already there"] if done.known else []
    lines = [f"{path}: {', '.join(parts)}"]
    if done.differing:
        facts = sorted({fact for several in done.differing.values() for fact in several})
        first = next(iter(done.differing))
        lines.append(f"{len(done.differing)} of them are stored with another {', '.join(facts)} (first: {first}):")
        lines.append("--replace stores them as they are given now")
    return "\n".join(lines)
