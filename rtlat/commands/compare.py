"""``rtlat compare``: runs against a reference."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from rtlat.commands import logs
from rtlat.errors import UsageError

TYPE_CHECKING = False  # to import typing here would be a good part of the time that `rtlat --help` takes
if TYPE_CHECKING:
    from rtlat.assembly import Reading
    from rtlat.protocol import Recording

FAILED = 4
"""Exit status where nothing was compared: 1 means worse, and no error may say so."""

_OPTIONS = {
    "--apart": {"action": "store_true", "help": "each file named is an arm of its own, not a repeat of one arm"},
    "--quantity": {"default": "", "metavar": "NAME", "help": "only this one, such as thread"},
    "--series": {"default": "pooled", "metavar": "NAME", "help": "pooled (default), each, or one by its name"},
    "--percentiles": {"metavar": "LIST", "help": "to be shown (default: 50,99,99.9)"},
    "--limit": {"metavar": "TIME", "help": "compare how often it is reached, such as 50us"},
    "--figure": {"default": "", "metavar": "NAME", "help": "what decides: limit, or a percentile (default: 99.9)"},
    "--tolerance": {"type": float, "default": 5.0, "metavar": "PERCENT", "help": "shift that matters (default: 5)"},
    "--json": {"action": "store_true", "help": "print JSON"},
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    logs.arguments(parser)
    parser.add_argument("--against", nargs="+", required=True, metavar="LOG", help="the reference: one arm")
    for name, option in _OPTIONS.items():
        parser.add_argument(name, **option)  # type: ignore[arg-type]
    parser.epilog = "exit status: 0 no worse, 1 worse, 2 usage, 3 undecided or not comparable, 4 unreadable"


def run(options: argparse.Namespace) -> int:
    """Print the comparison; 0 no worse, 1 worse, 3 undecided or not comparable, 4 unreadable."""
    candidates, options.logs = options.logs, [*options.logs, *options.against]
    if named_twice := set(candidates) & set(options.against):
        raise UsageError(f"{sorted(named_twice)[0]}: found on both sides of --against, expected on one")
    recording, readings, status = logs.recording(options)
    shown, outcome = _compared(recording, readings, candidates, options)
    print(shown)
    return FAILED if status else outcome


def _compared(
    recording: Recording, readings: Sequence[Reading], candidates: Sequence[str], options: argparse.Namespace
) -> tuple[str, int]:
    """The comparison as text, and the exit status."""
    import json

    from rtlat.comparing.comparison import compare
    from rtlat.comparing.comparison_views import EXIT, json_of, overall, text
    from rtlat.comparing.named_arms import named_arms

    arms, reference = named_arms(recording, readings, candidates, options.against, options.apart)
    found = compare(
        recording,
        reference,
        arms=arms,
        quantity=options.quantity,
        series=options.series,
        percentiles=options.percentiles.split(",") if options.percentiles else None,
        limit=options.limit,
        figure=options.figure,
        tolerance=options.tolerance,
    )
    shown = json.dumps(json_of(found), indent=1, allow_nan=False) if options.json else text(found)
    return shown, EXIT[overall(found)]
