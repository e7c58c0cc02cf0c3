"""``rtlat summary``: a row of statistics for each series."""

from __future__ import annotations

import argparse

from rtlat.commands import logs


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    logs.arguments(parser)
    logs.cluster(parser)
    parser.add_argument("--percentiles", metavar="LIST", help="such as 50,99,99.9 (default: those that n supports)")
    shape = parser.add_mutually_exclusive_group()
    for name in ("json", "csv", "md"):
        shape.add_argument(f"--{name}", action="store_const", const=name, dest="shape", help=f"print {name.upper()}")


def run(options: argparse.Namespace) -> int:
    """Print the statistics."""
    import json

    from rtlat.summaries import summary, summary_json
    from rtlat.views import summary_text

    percentiles = options.percentiles.split(",") if options.percentiles else None
    recording, _, status = logs.recording(options)
    if options.shape == "json":
        print(json.dumps(summary_json(recording, percentiles), indent=1, allow_nan=False))
    else:
        print(summary_text(summary(recording, percentiles), options.shape or "text"))
    return status
