from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from rtlat.display import markup
from rtlat.display.look import Look
from rtlat.display.panels import stacked
from rtlat.errors import ReportError
from rtlat.reporting.page import PLOTLY, About, page
from rtlat.reporting.pdf import HEIGHT, cuts, on_paper, write_pdf

NAMES = ["PREEMPT-RT with a long load", "Xenomai", "a stock kernel", "another approach", "EVL under stress", "RTAI"]


def figure(heights: list[int], rows: int = 0) -> Any:
    """Return a figure of panels, each with curves of every approach, or a list of rows."""
    made, panels = stacked([(f"panel {place}", "us", height) for place, height in enumerate(heights)])
    for panel in panels:
        for place, name in enumerate(NAMES):
            run = Look(name, name, name, name, f"#00{place}0ff", "solid", "")
            panel.line([1, 10], [1, place + 2], run)
        panel.latency(1, 10)
        panel.counts(1, 10, "count")
        if rows:
            panel.rows([f"row {place}" for place in range(rows)])
    return made


def paged(*figures: Any, text: str = "<p>words</p>") -> str:
    """Return a report's page with these figures."""
    outputs = [new_output("display_data", {PLOTLY: {**made.to_plotly_json(), "config": {}}}) for made in figures]
    outputs = [new_output("display_data", {"text/html": text}), *outputs]
    notebook = new_notebook(cells=[new_code_cell("", outputs=outputs)])
    inputs = [(f"{place}.log", 1, "0" * 64) for place in range(20)]
    return page(notebook, About("n.ipynb", "T", "now", inputs=inputs))


def printed(path: Path, how: str) -> str:
    """Return the text of a PDF."""
    return subprocess.run([needed("pdftotext"), how, path, "-"], capture_output=True, text=True, check=True).stdout


def needed(tool: str) -> str:
    """Return where a tool is; skip without it, but under CI."""
    found = shutil.which(tool)
    if found is None:
        (pytest.fail if "CI" in os.environ else pytest.skip)(f"no {tool}")
    return found or ""


@pytest.mark.parametrize("heights", [[340], [340] * 5, [120, 700, 120], [60] * 30])
def test_a_figure_is_parted_between_panels(heights: list[int]) -> None:
    made = figure(heights)
    found = cuts(made.to_plotly_json()["layout"])
    assert (found[0], found[-1]) == (0, made.layout.height)
    parts = [end - start for start, end in itertools.pairwise(found)]
    assert max(parts) <= HEIGHT
    low, high = float(made.layout.margin.t), []
    for height in heights[:-1]:
        low += 40 + height + 46
        high.append(low)
    if max(heights) + 86 < HEIGHT / 2:
        assert all(any(abs(cut - top) < 1 for top in high) for cut in found[1:-1])


def test_a_long_list_is_parted_between_rows() -> None:
    made = figure([1800], rows=100)
    found = cuts(made.to_plotly_json()["layout"])
    top = made.layout.margin.t + 40
    low, high = made.layout.yaxis.range  # the first row is on top
    for cut in found[1:-1]:
        at = high + (low - high) * (cut - top) / 1800
        assert at % 1 == pytest.approx(0.5), "halfway between two rows"
    assert len(found) == 5


def test_paper_has_no_scripts_and_nothing_folded() -> None:
    text = paged(figure([340]))
    assert "<script" in text
    assert "<details>" in text
    still = on_paper(text, [b"<svg/>"])
    assert "<script" not in still
    assert "<details>" not in still
    assert still.count("data:image/svg+xml;base64,PHN2Zy8+") == 1


def test_a_pdf_holds_whole_legends_on_a4(tmp_path: Path) -> None:
    needed("chromium")
    wide = pd.DataFrame([{f"column {place}": f"{place} with some words" for place in range(14)}])
    write_pdf(paged(figure([340, 340]), figure([340]), text=markup.shown(wide)), tmp_path / "n.pdf")
    raw = (tmp_path / "n.pdf").read_bytes()
    pages = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", raw)
    assert len(pages) >= 3
    assert {(round(float(width) / 72 * 25.4), round(float(height) / 72 * 25.4)) for width, height in pages} == {
        (297, 210)
    }
    words = printed(tmp_path / "n.pdf", "-layout")
    boxes = re.findall(r'xMin="([\d.-]+)" .*? xMax="([\d.-]+)"', printed(tmp_path / "n.pdf", "-bbox"))
    assert all(float(left) >= 0 and float(right) <= 842 for left, right in boxes), "nothing is cut at the margin"
    for name in NAMES:
        assert words.count(name) == 2, "in the legend of each figure"
    assert "column 13" in words
    assert words.count("13 with") == 1
    assert "19.log" in words, "provenance is unfolded"


def test_without_kaleido_or_chromium_the_page_is_made_and_one_line_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = paged(figure([340]))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ReportError, match="no PDF without Chromium: apt install chromium"):
        write_pdf(text, tmp_path / "n.pdf")
    monkeypatch.setitem(sys.modules, "kaleido", None)
    with pytest.raises(ReportError, match=r"no PDF without kaleido: .*rtlat\[pdf\]"):
        write_pdf(text, tmp_path / "n.pdf")
    assert list(tmp_path.iterdir()) == []


def test_a_browser_that_fails_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = tmp_path / "chromium"
    browser.write_text("#!/bin/sh\necho 'cannot open display' >&2\nexit 1\n")
    browser.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(ReportError, match="no PDF: Chromium did not print it .cannot open display") as caught:
        write_pdf(paged(), tmp_path / "n.pdf")
    assert "\n" not in str(caught.value)
