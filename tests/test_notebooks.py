"""Every notebook there is: how it is written, and that its report is made, drawn and right."""

from __future__ import annotations

import ast
import csv
import json
import re
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest
from browser import opened
from pandas.testing import assert_frame_equal

import rtlat
from rtlat.cli import main
from rtlat.errors import ReportError
from rtlat.reporting.parameters import parameters_of
from rtlat.reporting.question import is_interactive
from rtlat.reporting.report import report
from rtlat.reporting.shown_tables import names

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted(ROOT.glob("notebooks/*.ipynb"))
FOLDERS = sorted({path.parent for path in ROOT.glob("data/*/**/*") if path.is_file()})
MOST_LINES = 45
MOST_NODES = 5_000

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
REPORTS = [path for path in NOTEBOOKS if not is_interactive(path)]
each_report = pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.stem)


def code_of(node: Any) -> list[str]:
    """Return the sources of the code cells."""
    return [cell.source for cell in node.cells if cell.cell_type == "code"]


def test_there_are_notebooks() -> None:
    assert "compare" in [path.stem for path in NOTEBOOKS]


@each_notebook
def test_a_notebook_is_thin_and_stripped(path: Path) -> None:
    node = nbformat.read(path, 4)
    nbformat.validate(node)
    assert node.metadata.kernelspec.name == "python3"
    assert all(cell.outputs == [] and cell.execution_count is None for cell in node.cells if cell.cell_type == "code")
    lines = [line for source in code_of(node) for line in source.splitlines() if line.strip()]
    assert len(lines) <= MOST_LINES
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
    for source in code_of(node):
        assert not any(isinstance(part, defined) for part in ast.walk(ast.parse(source))), "logic goes to rtlat"


@each_notebook
def test_each_parameter_is_annotated_and_explained(path: Path) -> None:
    node = nbformat.read(path, 4)
    (cell,) = [cell for cell in node.cells if "parameters" in cell.metadata.get("tags", [])]
    known = parameters_of(node)
    assert len(known) == len(cell.source.splitlines()), "one parameter per line"
    for parameter in known.values():
        assert f"{parameter.name}: {parameter.annotation}" in cell.source
        assert parameter.help
        assert parameter.default is not None or "None" in parameter.annotation


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few runs of the example data, with their card."""
    folder = tmp_path_factory.mktemp("logs") / "small"
    source = ROOT / "data" / "emulated-kernels"
    for name in ("preempt_rt-1-idle", "preempt_rt-1-load", "stock-1-idle", "stock-1-load"):
        (folder / "repeats").mkdir(parents=True, exist_ok=True)
        shutil.copy(source / "repeats" / f"{name}.hist", folder / "repeats")
    card = (source / "runs.toml").read_text("utf-8")
    named = re.search(r'\n\[runs\."preempt_rt/cyclictest', card)
    kept = card[: named.start()] if named else card
    lines = [part for part in re.split(r"\n(?=\[)", kept) if not re.match(r'\[runs\."(\*/|\*\.)', part)]
    (folder / "runs.toml").write_text("\n".join(lines), "utf-8")
    return folder


@pytest.fixture(scope="session")
def compared(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The comparison of these runs."""
    (page,) = report(ROOT / "notebooks" / "compare.ipynb", small, out=tmp_path_factory.mktemp("reports"))
    return page


def tables_of(page: Path) -> list[list[list[str]]]:
    """Return the tables of an executed notebook: rows of cells, as text without footnote marks."""
    node = nbformat.read(page.with_suffix(".ipynb"), 4)
    shown = [output.data["text/html"] for cell in node.cells for output in cell.get("outputs", []) if "data" in output
             and "text/html" in output.data]  # fmt: skip
    plain = re.sub(r"<sup>.*?</sup>|<style>.*?</style>", "", "".join(shown), flags=re.S)
    return [
        [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S) for row in re.findall(r"<tr[^>]*>(.*?)</tr>", table, re.S)]
        for table in re.findall(r"<table[^>]*>(.*?)</table>", plain, re.S)
    ]


def footer(log: Path, what: str) -> list[int]:
    """Return the numbers of a histogram's footer line."""
    found = re.search(rf"^# {what}: (.*)$", log.read_text(), re.M)
    assert found
    return [int(number) for number in found[1].split()]


def test_the_comparison_says_what_the_logs_say(small: Path, compared: Path) -> None:
    head, *rows = tables_of(compared)[0]
    table = {row[head.index("run")]: dict(zip(head, row, strict=True)) for row in rows if len(row) == len(head)}
    logs = sorted((small / "repeats").glob("*.hist"))
    assert set(table) == {log.stem for log in logs}
    for log in logs:
        row = table[log.stem]
        overflows = sum(footer(log, "Histogram Overflows"))
        assert int(row["n"].replace(",", "")) == sum(footer(log, "Total")) + overflows
        worst = max(footer(log, "Max Latencies"))
        assert row["worst observed"] == f"{worst}-{worst + 1}"
        assert row["approach"] == ("PREEMPT_RT" if "preempt" in log.stem else "stock")
        assert ("idle" in row["load"]) == ("idle" in log.stem)
        assert row["duration"] == "15 s"


def test_the_comparison_is_drawn_offline(compared: Path) -> None:
    seen = opened(compared)
    percentiles, histogram, exceedance = (figure["types"] for figure in seen["figures"])
    assert set(percentiles) == set(histogram) == set(exceedance) == {"scatter"}
    assert len(histogram) >= 16, "eight threads and eight overflows"
    assert [figure["clipped"] for figure in seen["figures"]] == [[], [], []]
    assert all(figure["marks"] > 50 for figure in seen["figures"])
    assert seen["errors"] == seen["requests"] == []
    assert compared.stat().st_size < 3_000_000


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"quantity": "thraed"}, "no quantity 'thraed' here; did you mean 'thread'"),
        ({"percentiles": "50,high"}, "'high' is no percentile"),
        ({"card": "no-such.toml"}, "no-such.toml: no such file"),
    ],
)
def test_a_wrong_choice_is_one_line(small: Path, tmp_path: Path, parameters: dict[str, str], reason: str) -> None:
    with pytest.raises(ReportError, match=reason) as caught:
        report(ROOT / "notebooks" / "compare.ipynb", small, parameters, tmp_path)
    assert "\n" not in str(caught.value)
    assert "Error:" not in str(caught.value)


def test_a_folder_without_logs_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ReportError, match=r"compare.ipynb: empty: found a folder without logs"):
        report(ROOT / "notebooks" / "compare.ipynb", tmp_path / "empty", out=tmp_path / "out")


def test_one_run_and_another_card(small: Path, tmp_path: Path) -> None:
    """A single log has nothing to compare with, and still makes a report; the card is one given by hand."""
    card = tmp_path / "my-card.toml"
    card.write_text('[defaults]\napproach = "EVL"\nload = "<idle>"\n')
    log = small / "repeats" / "stock-1-idle.hist"
    asked = {"card": str(card), "series": "each", "percentiles": "50"}
    (page,) = report(ROOT / "notebooks" / "compare.ipynb", log, asked, tmp_path / "out")
    head, *rows = tables_of(page)[0]
    table = [dict(zip(head, row, strict=True)) for row in rows if len(row) == len(head)]
    assert {row["run"] for row in table} == {"stock-1-idle t0", "stock-1-idle t1"}
    assert {row["approach"] for row in table} == {"EVL"}
    assert {row["load"] for row in table} == {"&lt;idle&gt;"}
    text = page.read_text("utf-8")
    assert "my-card.toml" in text
    assert str(tmp_path) not in text


@each_report
def test_an_answer_comes_first_and_warnings_last(path: Path) -> None:
    cells = nbformat.read(path, 4).cells
    title, _, first, *_ = cells
    assert re.fullmatch(r"# .+", title.source), "nothing stands between the title and the answer"
    assert first.source.endswith("answers.about(runs)"), "what was compared"
    sections = [place for place, cell in enumerate(cells) if cell.source.startswith("## ")]
    opening = [cell.cell_type for cell in cells[3 : sections[0]]]
    assert "code" in opening, "the verdict, and the table"
    assert cells[sections[-1]].source.startswith("## Notes and warnings")
    assert "tables.warnings(recording" in cells[-1].source


@each_report
def test_a_notebook_makes_its_report_of_its_own_data(path: Path, tmp_path: Path) -> None:
    (page,) = report(path, out=tmp_path)
    text = page.read_text("utf-8")
    assert page.stat().st_size < 3_000_000
    seen = opened(page)
    said = re.findall(r"<li>(.*?)</li>", (tmp_path / "index.html").read_text("utf-8"))
    assert len(said) >= 2 or path.stem == "seeds", "the index repeats what was found, not only of what"
    asked = [
        json.loads(spec)["data"] for spec in re.findall(r'role="img"[^>]*><script[^>]*>(.*?)</script>', text, re.S)
    ]
    assert [figure["types"] for figure in seen["figures"]] == [
        [trace.get("type", "scatter") for trace in traces] for traces in asked
    ], "plotly.js draws a type that it lacks as scatter, without a word"
    assert all(figure["marks"] > 10 or figure["types"] == [] for figure in seen["figures"])
    assert all(figure["nodes"] <= MOST_NODES for figure in seen["figures"])
    assert all(figure["clipped"] == [] for figure in seen["figures"])
    assert seen["errors"] == seen["requests"] == []
    assert "Traceback" not in text
    assert text.index("<h1") < text.index("<nav>") < text.index("<h2")
    assert text.index('id="Notes-and-warnings"') < text.index("<footer>") < text.index("sha256")
    assert seen["narrow"] == 400, "the page scrolls sideways on a small screen"
    known = parameters_of(nbformat.read(path, 4))
    data = known["data"].default
    carries(page, path, [path.parent / place for place in (data if isinstance(data, list) else [data])])
    tables_lie_beside(page)


def carries(page: Path, notebook: Path, data: list[Path]) -> None:
    """Fail unless a page gives back what its notebook read."""
    known = parameters_of(nbformat.read(notebook, 4))
    keep = {"keep": known["keep"].default} if "keep" in known else {}
    for mine, theirs in zip(rtlat.read(page), rtlat.read(data, **keep), strict=True):
        assert_frame_equal(mine, theirs, check_exact=True)


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_report_of_every_example_gives_it_back(folder: Path, tmp_path: Path) -> None:
    asked = [path for path in REPORTS if path.stem not in ("check", "seeds")]  # which ask of data of their own
    for path, page in zip(asked, report(asked, folder, out=tmp_path), strict=True):
        carries(page, path, [folder])
        tables_lie_beside(page)


def tables_lie_beside(page: Path) -> None:
    """Fail unless each table of a page lies beside it as CSV and JSON, and each link leads to one."""
    node = nbformat.read(page.with_suffix(".ipynb"), 4)
    outputs = [output for cell in node.cells for output in cell.get("outputs", []) if "data" in output]
    assert all(names(output) for output in outputs if "<table" in output.data.get("text/html", ""))
    links = re.findall(r'<a href="([^"#]+)">', page.read_text("utf-8"))
    folder = page.with_suffix(".tables")
    assert sorted(links) == sorted(f"{folder.name}/{file.name}" for file in folder.iterdir())
    assert len(links) == 2 * sum(len(names(output)) for output in outputs) > 0
    for file in folder.glob("*.json"):
        told = json.loads(file.read_text("utf-8"), parse_constant=pytest.fail)
        with file.with_suffix(".csv").open(encoding="utf-8", newline="") as table:
            rows = list(csv.reader(table))
        assert len(rows) == len(told["rows"]) + 1
        assert {len(row) for row in rows} == {len(rows[0])}


def test_a_hostile_log_writes_nothing_into_the_page(small: Path, tmp_path: Path) -> None:
    """Names of files and words of cards reach tables, figures, hover texts and sentences."""
    script = "<img src=x onerror=document.title='owned'>"
    folder = tmp_path / "logs"
    folder.mkdir()
    source = (small / "repeats" / "stock-1-idle.hist").read_text()
    (folder / "<b onclick=x>.hist").write_text(source)
    (folder / "b.hist").write_text(source)
    (folder / "runs.toml").write_text(f'[defaults]\nload = "{script}"\nnote = "{script}"\napproach = "{script}"\n')
    (page,) = report(ROOT / "notebooks" / "compare.ipynb", folder, out=tmp_path / "out")
    text = re.sub(r"<script.*?</script>", "", page.read_text("utf-8"), flags=re.S)
    assert "<img" not in text
    assert "<b onclick" not in text
    seen = opened(page)
    assert seen["title"] != "owned"
    assert seen["errors"] == seen["requests"] == []
    assert len(seen["figures"]) == 3


def test_a_notebook_about_documents_is_left_out_where_other_data_are_named(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(
        "rtlat.reporting.report.reports",
        lambda questions, *_, **__: asked.extend(question.notebook.stem for question in questions) or [],
    )
    assert main(["report", "--data", str(small), "-o", str(tmp_path)]) == 0
    assert "compare" in asked
    assert "seeds" not in asked
    assert "explore" not in asked
