"""``rtlat formats``: the formats that are read."""

from __future__ import annotations

import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("--md", action="store_true", help="as the table in README.md")
    parser.add_argument("--names", action="store_true", help="names only")


def run(options: argparse.Namespace) -> int:
    """Print the formats."""
    from rtlat.formats import FORMATS

    if options.names:
        print(*(known.name for known in FORMATS), sep="\n")
    elif options.md:
        print(formats_table())
    else:
        for known in FORMATS:
            print(known.name)
            for what, text in (("reads", known.title), ("gives", known.gives), ("versions", known.versions)):
                print(f"  {what:9} {text}")
    return 0


def formats_table() -> str:
    """Return the formats as a Markdown table, as it stands in README.md.

    Examples
    --------
    >>> formats_table().splitlines()[0]
    '| format | reads | gives | versions |'
    """
    from rtlat.formats import FORMATS

    rows = [("format", "reads", "gives", "versions"), ("---",) * 4]
    rows += [(f"`{known.name}`", known.title, known.gives, known.versions) for known in FORMATS]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows)
