"""``rtlat card``: a run card to fill in."""

from __future__ import annotations

import argparse

from rtlat.commands import logs


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    logs.arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Print what the logs do not say, as a card."""
    from rtlat.views import blank_card

    recording, readings, status = logs.recording(options)
    print(blank_card(recording, readings))
    return status
