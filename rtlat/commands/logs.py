"""What every command that reads logs takes, and how it reads them."""

from __future__ import annotations

import argparse

from rtlat.errors import CardError, UsageError, complain

TYPE_CHECKING = False  # to import typing here would be a good part of the time that `rtlat --help` takes
if TYPE_CHECKING:
    from typing import Any

    from rtlat.assembly import Reading
    from rtlat.protocol import Recording


def arguments(parser: argparse.ArgumentParser, count: str = "+") -> None:
    """Add the logs, and what may be said of all of them."""
    parser.add_argument(
        "logs",
        nargs=count,
        metavar="LOG",
        help="a file, a folder, a pattern, a report, a stored folder, store:QUERY, or -",
    )
    parser.add_argument("--format", metavar="NAME", help="do not ask the content which format it is")
    parser.add_argument(
        "--jobs", metavar="N", type=int, help="processes that parse many logs (default: all processors)"
    )
    card(parser)


def cluster(parser: argparse.ArgumentParser) -> None:
    """Add who parses the logs where they are very many."""
    parser.add_argument(
        "--dask", metavar="ADDRESS", help="let the workers of a dask cluster parse them: tcp://SCHEDULER:8786"
    )


def card(parser: argparse.ArgumentParser) -> None:
    """Add what says of logs what they do not say themselves."""
    parser.add_argument("--card", metavar="FILE", help="a run card instead of the runs.toml beside the logs")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a card key for all runs")


def pairs(words: list[str], option: str) -> dict[str, str]:
    """Return ``KEY=VALUE`` words as a dict.

    Raises
    ------
    UsageError
        A word has no ``=``.

    Examples
    --------
    >>> pairs(["load=hackbench"], "--set")
    {'load': 'hackbench'}
    """
    for word in words:
        if "=" not in word:
            raise UsageError(f"{option} {word}: found no '=', expected {option} KEY=VALUE")
    return dict(word.split("=", 1) for word in words)


def facts(options: argparse.Namespace) -> dict[str, Any]:
    """Return the words of ``--set``, checked.

    Raises
    ------
    UsageError
        A key is not one of a card, or its value does not fit.
    """
    from rtlat import cards

    given = pairs(options.set, "--set")
    try:
        cards.parse_set(given)
    except CardError as error:
        raise UsageError(f"--set: {error}") from None
    return given


def recording(options: argparse.Namespace) -> tuple[Recording, list[Reading], int]:
    """Read what was asked for, and say on stderr what cannot be read; the status is 1 if a named log is of that."""
    from rtlat import workers
    from rtlat.reading import read_all

    address = getattr(options, "dask", None)
    with workers.cluster(address) if address else workers.pool(options.jobs) as executor:
        read, readings = read_all(
            options.logs, format=options.format, card=options.card, executor=executor, **facts(options)
        )
    status = 0
    for reading in readings:
        if reading.error:
            complain(reading.error if reading.named else f"skipped {reading.error}")
            status = 1 if reading.named else status
    return read, readings, status
