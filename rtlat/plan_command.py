"""``rtlat plan``: its options, and what it prints for them."""

from __future__ import annotations

import argparse

TYPE_CHECKING = False  # as in rtlat.cli
if TYPE_CHECKING:
    from rtlat.protocol import Recording

_OPTIONS = {
    "--limit": {"required": True, "metavar": "TIME", "help": "an observation exceeds it from there on, such as 50us"},
    "--per": {"default": "day", "metavar": "UNIT", "help": "second, minute, hour, day (default), week or year"},
    "--confidence": {"default": "95", "metavar": "PERCENT", "help": "one-sided (default: 95)"},
    "--json": {"action": "store_true", "help": "print JSON"},
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that only this command has."""
    for name, option in _OPTIONS.items():
        parser.add_argument(name, **option)  # type: ignore[arg-type]


def planned(recording: Recording, options: argparse.Namespace) -> str:
    """Return what the command prints."""
    import json

    from rtlat.plans import plans, plans_json, plans_text

    found = plans(recording, options.limit, options.per, options.confidence)
    if not options.json:
        return plans_text(found)
    document = plans_json(found, options.limit, options.per, options.confidence)
    return json.dumps(document, indent=1, allow_nan=False)
