"""The command line: words in, a library call, text out; errors as one line on stderr."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from rtlat import __version__, compare_command, plan_command
from rtlat.errors import CardError, LogError, RtlatError, SelectionError, UsageError, nearest, printable

TYPE_CHECKING = False  # to import typing and pathlib here would be a quarter of the time `rtlat --help` takes
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from rtlat.assembly import Reading
    from rtlat.protocol import Recording


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0 fine, 1 failed, 2 usage.

    Examples
    --------
    >>> main(["formats", "--names"])  # doctest: +ELLIPSIS
    bpf_histogram
    ...
    0
    """
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except UsageError as error:
        _complain(error)
        return 2
    except RtlatError as error:
        _complain(error)
        return 1
    except BrokenPipeError:  # `rtlat summary ... | head` is no failure of ours
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if "RTLAT_TRACEBACK" in os.environ:
            raise
        _complain(f"a defect of rtlat ({type(error).__name__}: {printable(str(error))[:200]}); please report it")
        return 1


def _complain(message: object) -> None:
    """Print one line on stderr."""
    print(f"rtlat: {printable(str(message))}", file=sys.stderr)


def _help(prog: str) -> argparse.HelpFormatter:
    """Help of a fixed width: to ask the terminal costs an import for every option."""
    return argparse.HelpFormatter(prog, width=100)


def _parser() -> argparse.ArgumentParser:
    """All commands with their options."""
    parser = argparse.ArgumentParser(
        prog="rtlat",
        description="Real-time latency logs: read, understood, compared and defended.",
        formatter_class=_help,
    )
    parser.add_argument("--version", action="version", version=f"rtlat {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(name: str, run: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(
            name, help=text, description=text[0].upper() + text[1:] + ".", formatter_class=_help
        )
        added.set_defaults(run=run)
        return added

    formats = command("formats", _formats, "list the formats, what each gives, versions known")
    formats.add_argument("--md", action="store_true", help="as the table in README.md")
    formats.add_argument("--names", action="store_true", help="names only")
    _takes_logs(read := command("read", _read, "parse logs; say what was kept, ignored and rejected"))
    read.add_argument(
        "-o",
        metavar="DIR|F.csv|F.rtdataset.json",
        type=_path,
        help="write records, runs and series (.parquet), one CSV, or the histograms of one run as an RT Dataset",
    )
    read.add_argument("--json", action="store_true", help="say it as JSON")
    _takes_logs(command("card", _card, "print a run card to fill in: what the logs do not say"))
    _takes_logs(summary := command("summary", _summary, "a row of statistics per series"))
    summary.add_argument("--percentiles", metavar="LIST", help="such as 50,99,99.9 (default: those that n supports)")
    shape = summary.add_mutually_exclusive_group()
    for name in ("json", "csv", "md"):
        shape.add_argument(f"--{name}", action="store_const", const=name, dest="shape", help=f"print {name.upper()}")
    _takes_logs(compare := command("compare", _compare, "compare runs with a reference: verdict, effects, conclusion"))
    compare_command.arguments(compare)
    _takes_logs(plan := command("plan", _plan, "say how long to test to show that a limit is rarely reached"))
    plan_command.arguments(plan)
    report = command("report", _report, "run notebooks and write their reports")
    report.add_argument("notebooks", nargs="*", metavar="NOTEBOOK", help="names or files (default: all)")
    report.add_argument("--data", nargs="+", metavar="PATH", help="logs, folders or patterns (default: data/)")
    report.add_argument("--each", metavar="PATTERN", help="one report per folder that matches, such as 'lab/*/'")
    report.add_argument("--card", metavar="FILE", help="a run card instead of the runs.toml beside the logs")
    report.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a card key for all runs")
    report.add_argument("-p", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the notebook")
    report.add_argument("-o", metavar="DIR", type=_path, default="reports", help="where to write (default: reports)")
    command("lab", _lab, "open the notebooks in JupyterLab")
    return parser


def _takes_logs(parser: argparse.ArgumentParser) -> None:
    """Arguments of every command that reads logs."""
    parser.add_argument("logs", nargs="+", metavar="LOG", help="a file, a folder, a pattern, a stored folder, or -")
    parser.add_argument("--format", metavar="NAME", help="do not ask the content which format it is")
    parser.add_argument("--card", metavar="FILE", help="a run card instead of the runs.toml beside the logs")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a card key for all runs")


def _path(word: str) -> Path:
    """One word as a path."""
    from pathlib import Path

    return Path(word)


def _pairs(words: list[str], option: str) -> dict[str, str]:
    """``KEY=VALUE`` words as a dict."""
    pairs = dict(word.split("=", 1) for word in words if "=" in word)
    for word in words:
        if "=" not in word:
            raise UsageError(f"{option} {word}: found no '=', expected {option} KEY=VALUE")
    return pairs


def _facts(options: argparse.Namespace) -> dict[str, Any]:
    """The words of ``--set``, checked."""
    from rtlat import cards

    given = _pairs(options.set, "--set")
    try:
        cards.parse_set(given)
    except CardError as error:
        raise UsageError(f"--set: {error}") from None
    return given


def _recording(options: argparse.Namespace) -> tuple[Recording, list[Reading], int]:
    """Read what was asked for; the status is 1 if a named log could not be read."""
    from rtlat.reading import read_all

    recording, readings = read_all(options.logs, format=options.format, card=options.card, **_facts(options))
    status = 0
    for reading in readings:
        if reading.error:
            _complain(reading.error if reading.named else f"skipped {reading.error}")
            status = 1 if reading.named else status
    return recording, readings, status


def _formats(options: argparse.Namespace) -> int:
    """``rtlat formats``."""
    from rtlat.formats import FORMATS

    if options.names:
        print(*(known.name for known in FORMATS), sep="\n")
    elif options.md:
        print(formats_table())
    else:
        for known in FORMATS:
            print(known.name)
            for what, text in (("reads", known.title), ("gives", known.gives), ("versions", known.versions)):
                print(f"  {what:9} {text}")
    return 0


def formats_table() -> str:
    """Return the formats as a Markdown table, as it stands in README.md.

    Examples
    --------
    >>> formats_table().splitlines()[0]
    '| format | reads | gives | versions |'
    """
    from rtlat.formats import FORMATS

    rows = [("format", "reads", "gives", "versions"), ("---",) * 4]
    rows += [(f"`{known.name}`", known.title, known.gives, known.versions) for known in FORMATS]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows)


def _read(options: argparse.Namespace) -> int:
    """``rtlat read``."""
    from rtlat import rtdataset, store
    from rtlat.views import evidence

    recording, readings, status = _recording(options)
    print(evidence(recording, readings, options.json))
    if options.o:
        left_out = rtdataset.save(recording, options.o) if rtdataset.is_meant(options.o) else ()
        if not rtdataset.is_meant(options.o):
            store.save(recording, options.o)
        wrote = f"wrote {options.o}{'; left out: ' if left_out else ''}{', '.join(left_out)}"
        print(wrote, file=sys.stderr if options.json else sys.stdout)
    return status


def _card(options: argparse.Namespace) -> int:
    """``rtlat card``."""
    from rtlat.views import blank_card

    recording, readings, status = _recording(options)
    print(blank_card(recording, readings))
    return status


def _summary(options: argparse.Namespace) -> int:
    """``rtlat summary``."""
    import json

    from rtlat.summaries import summary, summary_json
    from rtlat.views import summary_text

    percentiles = options.percentiles.split(",") if options.percentiles else None
    recording, _, status = _recording(options)
    if options.shape == "json":
        print(json.dumps(summary_json(recording, percentiles), indent=1, allow_nan=False))
    else:
        print(summary_text(summary(recording, percentiles), options.shape or "text"))
    return status


def _compare(options: argparse.Namespace) -> int:
    """``rtlat compare``: 0 no worse, 1 worse, 3 undecided or not comparable, 4 unreadable."""
    candidates, options.logs = options.logs, [*options.logs, *options.against]
    if named_twice := set(candidates) & set(options.against):
        raise UsageError(f"{sorted(named_twice)[0]}: found on both sides of --against, expected on one")
    try:
        recording, readings, status = _recording(options)
    except LogError as error:
        _complain(error)
        return 4
    try:
        shown, outcome = compare_command.compared(recording, readings, candidates, options)
    except SelectionError:
        if status:  # what could not be read has been told
            return 4
        raise
    print(shown)
    return 4 if status else outcome


def _plan(options: argparse.Namespace) -> int:
    """``rtlat plan``."""
    recording, _, status = _recording(options)
    print(plan_command.planned(recording, options))
    return status


def _report(options: argparse.Namespace) -> int:
    """``rtlat report``: one report per notebook, or per notebook and folder of ``--each``."""
    import glob

    from rtlat.question import takes
    from rtlat.report import report

    parameters: dict[str, Any] = _pairs(options.p, "-p")
    if options.card:
        parameters["card"] = options.card
    if _facts(options):
        parameters["facts"] = options.set
    if options.each and options.data:
        raise UsageError("--each and --data: found both, expected one of them")
    groups = [options.data]
    if options.each:
        groups = [[folder] for folder in sorted(glob.glob(options.each, recursive=True)) if os.path.isdir(folder)]
        if not groups:
            raise UsageError(f"--each {options.each}: matches no folder")
    listed = [_notebook(name) for name in options.notebooks] or sorted(_notebooks().glob("*.ipynb"))
    if not options.notebooks:
        needed = (["data"] if groups != [None] else []) + list(parameters)
        listed = [notebook for notebook in listed if all(takes(notebook, name) for name in needed)] or listed
    status = 0
    for data in groups:
        try:
            for path in report(listed, data, parameters, options.o, progress=sys.stderr):
                print(path)
        except RtlatError as error:
            if len(groups) == 1:
                raise
            _complain(f"{data[0]}: {error}")
            status = 1
    return status


def _notebooks() -> Path:
    """The folder of notebooks beside the package."""
    folder = _path(__file__).resolve().parent.parent / "notebooks"
    if not folder.is_dir():
        raise UsageError("no notebooks beside the package: run rtlat from its checkout, as ./run rtlat")
    return folder


def _notebook(name: str) -> Path:
    """A notebook by its path, or by its name in the folder of notebooks."""
    path = _path(name)
    if path.exists() or path.suffix == ".ipynb":
        return path
    known = {notebook.stem: notebook for notebook in _notebooks().glob("*.ipynb")}
    if name not in known:
        raise UsageError(f"no notebook {name!r}{nearest(name, known)}")
    return known[name]


def _lab(options: argparse.Namespace) -> int:
    """``rtlat lab``."""
    os.execvp(sys.executable, [sys.executable, "-m", "jupyterlab", f"--notebook-dir={_notebooks().parent}"])
