"""The command line: words in, a library call, text out; errors as one line on stderr."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from rtlat import __version__
from rtlat.errors import RtlatError, UsageError, complain, printable

TYPE_CHECKING = False  # to import typing here would be a good part of the time that `rtlat --help` takes
if TYPE_CHECKING:
    from typing import Any

# Each command is a module of `rtlat.commands`, loaded when it is asked for: `rtlat --help` lists them all.
COMMANDS = {
    "formats": "list the formats, what each gives, versions known",
    "read": "parse logs; say what was kept, ignored and rejected",
    "card": "print a run card to fill in: what the logs do not say",
    "summary": "a row of statistics per series",
    "compare": "compare runs with a reference: verdict, effects, conclusion",
    "check": "check claims against runs: supported, refuted or undecided",
    "plan": "say how long to test to show that a limit is rarely reached",
    "store": "keep runs in one SQLite file, and find them again",
    "report": "run notebooks and write their reports",
    "lab": "open the notebooks in JupyterLab",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0 fine, 1 failed, 2 usage.

    Examples
    --------
    >>> main(["formats", "--names"])  # doctest: +ELLIPSIS
    bpf_histogram
    ...
    0
    """
    words = sys.argv[1:] if arguments is None else arguments
    options = _parser(words).parse_args(words)
    try:
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except UsageError as error:
        complain(error)
        return 2
    except RtlatError as error:
        complain(error)
        return int(options.failed)
    except BrokenPipeError:  # `rtlat summary ... | head` is no failure of ours
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if "RTLAT_TRACEBACK" in os.environ:
            raise
        complain(f"a defect of rtlat ({type(error).__name__}: {printable(str(error))[:200]}); please report it")
        return int(options.failed)


def _help(prog: str) -> argparse.HelpFormatter:
    """Help of a fixed width: to ask the terminal costs an import for every option."""
    return argparse.HelpFormatter(prog, width=100)


class _Parser(argparse.ArgumentParser):
    """Takes options between the words of a command, too: ``rtlat summary a.log --json b.log``."""

    _mixed = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse; argparse itself calls this, from within as well, and mixes neither with commands nor with ``--``."""
        if self._mixed or self._subparsers or "--" in (args or ()):
            return super().parse_known_args(args, namespace)
        self._mixed = True
        return self.parse_known_intermixed_args(args, namespace)


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """All commands, and the options of the one that is asked for."""
    parser = _Parser(
        prog="rtlat",
        description="Real-time latency logs: read, understood, compared and defended.",
        formatter_class=_help,
    )
    parser.add_argument("--version", action="version", version=f"rtlat {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, text in COMMANDS.items():
        added = commands.add_parser(
            name, help=text, description=text[0].upper() + text[1:] + ".", formatter_class=_help
        )
        if words and words[0] == name:
            command = importlib.import_module(f"rtlat.commands.{name}")
            command.arguments(added)
            added.set_defaults(run=command.run, failed=getattr(command, "FAILED", 1))
    return parser
