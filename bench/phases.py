"""Where the time of a report goes: CPU seconds of each phase, for every notebook on its default data.

Run as ``python -m bench.phases [LOG]``; with a log, the notebooks that take one are run on it instead. The table in
`bench/profile.md` was made so.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from rtlat.commands.notebooks import notebooks_folder
from rtlat.reporting.execution import executed
from rtlat.reporting.files import write
from rtlat.reporting.question import is_interactive, question, takes
from rtlat.reporting.scrubbing import scrub
from rtlat.store import HANDED_OVER


def used() -> tuple[float, float]:
    """CPU time of this process, and of kernels that have ended [s]."""
    own, kernels = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime, kernels.ru_utime + kernels.ru_stime


def phases(notebook: Path, data: str | None, folder: Path) -> list[float]:
    """Return what a kernel that does nothing costs, imports and reading, the other cells, and the pages."""
    asked = question(notebook, data, {})
    read, drafts = folder / "read", folder / "drafts"
    read.mkdir()
    drafts.mkdir()
    environment = {HANDED_OVER: str(read)}
    full = asked.node
    empty = type(full)(full | {"cells": [cell for cell in full.cells if cell.cell_type == "markdown"]})
    shorter = type(full)(full | {"cells": full.cells[: _read_at(full) + 1]})
    costs = []
    for node in (empty, shorter, full):
        values = asked.values if node is not empty else {}
        before = used()
        done = executed(notebook, node, values, drafts / "run.ipynb", lambda _: None, None, environment)
        costs.append(sum(used()) - sum(before))
    start = time.process_time()
    scrub(done, asked.about, asked.shown, folder)
    write(done, replace(asked.about, name=asked.name), read, folder, drafts)
    writing = time.process_time() - start
    start, reading, all_cells = costs
    return [start, reading - start, all_cells - reading, writing]


def _read_at(node: object) -> int:
    """Which cell reads the logs."""
    cells = enumerate(node.cells)  # type: ignore[attr-defined]
    return next(place for place, cell in cells if cell.cell_type == "code" and "rtlat.read" in cell.source)


def main() -> int:
    """Print a table."""
    data = sys.argv[1] if len(sys.argv) > 1 else None
    import papermill

    print(f"papermill {papermill.__version__} and all it needs: {used()[0]:.1f} s once, before the first kernel\n")
    print("| notebook | an idle kernel | imports and reading | tables and figures | pages |\n|---|---|---|---|---|")
    for path in sorted(notebooks_folder().glob("*.ipynb")):
        if is_interactive(path) or (data and (path.stem == "seeds" or not takes(path, "data"))):
            continue
        with tempfile.TemporaryDirectory() as folder:
            costs = phases(path, os.path.abspath(data) if data else None, Path(folder))
        print(f"| {path.stem} | {' | '.join(f'{cost:.1f}' for cost in costs)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
