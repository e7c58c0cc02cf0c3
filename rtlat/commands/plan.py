"""``rtlat plan``: how long to test."""

from __future__ import annotations

import argparse

from rtlat.commands import logs

_OPTIONS = {
    "--limit": {"required": True, "metavar": "TIME", "help": "an observation exceeds it from there on, such as 50us"},
    "--per": {"default": "day", "metavar": "UNIT", "help": "second, minute, hour, day (default), week or year"},
    "--confidence": {"default": "95", "metavar": "PERCENT", "help": "one-sided (default: 95)"},
    "--json": {"action": "store_true", "help": "print JSON"},
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    logs.arguments(parser)
    for name, option in _OPTIONS.items():
        parser.add_argument(name, **option)  # type: ignore[arg-type]


def run(options: argparse.Namespace) -> int:
    """Print how long to test, both ways round."""
    import json

    from rtlat.tails.plans import plans, plans_json, plans_text

    recording, _, status = logs.recording(options)
    found = plans(recording, options.limit, options.per, options.confidence)
    if options.json:
        document = plans_json(found, options.limit, options.per, options.confidence)
        print(json.dumps(document, indent=1, allow_nan=False))
    else:
        print(plans_text(found))
    return status
