"""``rtlat report``: notebooks run on data."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from rtlat.commands import logs
from rtlat.commands.notebooks import notebook, notebooks_folder
from rtlat.errors import ReportError, UsageError, complain

TYPE_CHECKING = False  # to import typing here would be a good part of the time that `rtlat --help` takes
if TYPE_CHECKING:
    from typing import Any


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("notebooks", nargs="*", metavar="NOTEBOOK", help="names or files (default: all)")
    parser.add_argument("--data", nargs="+", metavar="PATH", help="logs, folders or patterns (default: data/)")
    parser.add_argument("--each", metavar="PATTERN", help="one report per folder that matches, such as 'lab/*/'")
    logs.card(parser)
    parser.add_argument("-p", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the notebook")
    parser.add_argument("-o", metavar="DIR", type=Path, default="reports", help="where to write (default: reports)")
    parser.add_argument("--pdf", action="store_true", help="print each as well (needs the extra pdf and Chromium)")


def run(options: argparse.Namespace) -> int:
    """Write one report per notebook, or per notebook and folder of ``--each``."""
    from rtlat.reporting.question import is_interactive, is_of_documents, question, takes
    from rtlat.reporting.report import reports

    parameters: dict[str, Any] = dict(logs.pairs(options.p, "-p"))
    if options.card:
        parameters["card"] = options.card
    if logs.facts(options):
        parameters["facts"] = options.set
    groups = _groups(options)
    listed = [notebook(name) for name in options.notebooks]
    if not listed:
        listed = [asked for asked in sorted(notebooks_folder().glob("*.ipynb")) if not is_interactive(asked)]
        if groups != [None]:
            listed = [asked for asked in listed if not is_of_documents(asked)]
        needed = (["data"] if groups != [None] else []) + list(parameters)
        listed = [asked for asked in listed if all(takes(asked, name) for name in needed)] or listed
    questions, failed = [], []
    for data in groups:
        try:
            questions += [question(asked, data, parameters) for asked in listed]
        except ReportError as error:
            if len(groups) == 1:
                raise
            failed.append(error)
    asked = len(questions) + len(failed)
    found = reports(questions, options.o, pdf=options.pdf, progress=sys.stderr)
    failed += [report for report in found if isinstance(report, ReportError)]
    made = [report for report in found if not isinstance(report, ReportError)]
    for report in made:
        print(report.path)
    if failed:
        complain(f"{len(failed)} of {asked} reports failed:")
    for failure in failed:
        complain(failure)
    problems = list(dict.fromkeys(report.problem for report in made if report.problem))
    for problem in problems:
        complain(problem)
    return int(bool(failed or problems))


def _groups(options: argparse.Namespace) -> list[list[str] | None]:
    """What each report is about: None for the data that the notebooks name."""
    import glob

    if not options.each:
        return [options.data]
    if options.data:
        raise UsageError("--each and --data: found both, expected one of them")
    folders = [folder for folder in sorted(glob.glob(options.each, recursive=True)) if os.path.isdir(folder)]
    if not folders:
        raise UsageError(f"--each {options.each}: matches no folder")
    return [[folder] for folder in folders]
