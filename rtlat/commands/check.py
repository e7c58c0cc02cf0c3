"""``rtlat check``: claims against runs."""

from __future__ import annotations

import argparse
from pathlib import Path

from rtlat.commands import logs

TYPE_CHECKING = False  # to import typing here would be a good part of the time that `rtlat --help` takes
if TYPE_CHECKING:
    from rtlat.claiming.checking import Checked
    from rtlat.protocol import Recording

FAILED = 4
"""Exit status where nothing could be decided: not 1, which says that a claim is refuted."""

_OPTIONS = {
    "--against": {"nargs": "+", "default": [], "metavar": "LOG", "help": "the reference of 'no worse than reference'"},
    "--undecided": {"choices": ("fail", "pass"), "help": "exit with 1 or 0 where a claim is undecided (default: 3)"},
    "--junit": {"type": Path, "metavar": "FILE", "help": "write a JUnit report"},
    "--json": {"type": Path, "metavar": "FILE", "help": "write JSON"},
    "--md": {"type": Path, "metavar": "FILE", "help": "write Markdown, for a comment on a pull request"},
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("claims", metavar="CLAIMS", type=Path, help="a claims file (TOML)")
    logs.arguments(parser)
    for name, option in _OPTIONS.items():
        parser.add_argument(name, **option)  # type: ignore[arg-type]
    parser.epilog = "exit status: 0 supported, 1 refuted, 3 undecided, 4 unreadable"


def run(options: argparse.Namespace) -> int:
    """Print what the claims are worth; 0 supported, 1 refuted, 3 undecided, 4 unreadable."""
    from rtlat.claiming.check_views import text
    from rtlat.claiming.checking import check
    from rtlat.claiming.claims import load
    from rtlat.claiming.findings import REFUTED, SUPPORTED, UNDECIDED

    claims = load(options.claims)
    recording, status = _read(options, options.logs)
    reference, behind = _read(options, options.against) if options.against else (None, 0)
    checked = check(claims, recording, reference)
    print(text(checked))
    _write(options, checked)
    if status or behind:
        return FAILED
    undecided = {"fail": 1, "pass": 0}.get(options.undecided, 3)
    return {SUPPORTED: 0, REFUTED: 1, UNDECIDED: undecided}[checked.outcome]


def _read(options: argparse.Namespace, words: list[str]) -> tuple[Recording, int]:
    """The runs that words name; the status is not 0 if a named log cannot be read."""
    recording, _, status = logs.recording(argparse.Namespace(**(vars(options) | {"logs": words})))
    return recording, status


def _write(options: argparse.Namespace, checked: Checked) -> None:
    """The files that were asked for, whole or not at all."""
    import json
    from functools import partial

    from rtlat.claiming.check_views import json_of, markdown
    from rtlat.claiming.junit import junit
    from rtlat.store import write

    made = {"junit": junit(checked, options.undecided == "fail"), "md": markdown(checked)}
    made["json"] = json.dumps(json_of(checked), indent=1, allow_nan=False) + "\n"
    for name, text in made.items():
        if path := getattr(options, name):
            write(path, partial(_whole, text))


def _whole(text: str, name: str) -> None:
    """Write a text to a file."""
    Path(name).write_text(text, "utf-8")
