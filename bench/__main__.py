"""``python -m bench``: the scoreboard, all of it or the topics that are named.

python -m bench [TOPIC...] [--quick] [--json FILE] [--svg FILE] [--md FILE]
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from dataclasses import asdict
from pathlib import Path

from bench import rendering
from bench.scoreboard import Effort, Row

TOPICS = (
    "parsing",
    "peers",
    "histograms",
    "farm",
    "statistics",
    "tails",
    "store",
    "startup",
    "growth",
    "reports",
    "redraw",
)


def main() -> int:
    """Print each row as it is measured; exit status 1 if a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="rtlat's ratios against peers and limits")
    parser.add_argument("topics", nargs="*", metavar="TOPIC", choices=[*TOPICS, []], help=", ".join(TOPICS))
    parser.add_argument("--quick", action="store_true", help="small inputs, one round: to see that it runs")
    for name in ("json", "svg", "md"):
        parser.add_argument(f"--{name}", metavar="FILE", type=Path, help=f"write {name.upper()}, too")
    options = parser.parse_args()
    effort = Effort(1, 0.01) if options.quick else Effort()
    rows: list[Row] = []
    for topic in options.topics or TOPICS:
        for row in importlib.import_module(f"bench.{topic}").rows(effort):
            print(rendering.line(row), flush=True)
            rows.append(row)
    if options.json:
        options.json.write_text(json.dumps([asdict(row) | {"verdict": row.verdict} for row in rows], indent=1) + "\n")
    if options.svg:
        options.svg.write_text(rendering.picture(rows))
    if options.md:
        options.md.write_text(rendering.table(rows))
    return int(any(row.verdict == "missed" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
