"""``rtlat read``: what logs hold, and what of it was kept, ignored and rejected."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rtlat.commands import logs


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    logs.arguments(parser)
    parser.add_argument(
        "-o",
        metavar="DIR|F.csv|F.rtdataset.json",
        type=Path,
        help="write records, runs and series (.parquet), one CSV, or the histograms of one run as an RT Dataset",
    )
    parser.add_argument("--json", action="store_true", help="say it as JSON")


def run(options: argparse.Namespace) -> int:
    """Print the account of each log, and write what was read."""
    from rtlat import rtdataset, store
    from rtlat.views import evidence

    recording, readings, status = logs.recording(options)
    print(evidence(recording, readings, options.json))
    if options.o:
        left_out = rtdataset.save(recording, options.o) if rtdataset.is_meant(options.o) else ()
        if not rtdataset.is_meant(options.o):
            store.save(recording, options.o)
        wrote = f"wrote {options.o}{'; left out: ' if left_out else ''}{', '.join(left_out)}"
        print(wrote, file=sys.stderr if options.json else sys.stdout)
    return status
