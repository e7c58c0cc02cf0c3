from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import re
from base64 import b64decode
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from browser import opened
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import rtlat
from rtlat.errors import ReportError
from rtlat.reporting.index import index
from rtlat.reporting.page import PLOTLY, About, page
from rtlat.reporting.report import report

PARAMETERS = "data: list[str] = ['../logs']  # where they lie\nlimit: float = 50.0  # [us]"
FIGURES = """\
import plotly.graph_objects as go
display(go.Figure(go.Scatter(x=[1, 2, 3], y=[1, 10, 100], line_shape="hv"), {"title": {"text": "</script><b>A"}}))
display(go.Figure([go.Bar(x=["a", "b"], y=[1, 2]), go.Heatmap(z=[[1, 2], [3, 4]])], {"height": 300}))"""
SHOWN = """\
import json, os, sys
import pandas as pd
print("at", os.getcwd(), data, limit * 2)
display(pd.DataFrame({"name": ["<script>alert(1)</script>"]}))"""


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def write(path: Path, *code: str, parameters: str = PARAMETERS) -> Path:
    """Write a notebook of code cells, with a title and three sections."""
    cells = [new_markdown_cell("# A title & more"), new_code_cell(parameters, metadata={"tags": ["parameters"]})]
    for number, source in enumerate(code, 1):
        cells += [new_markdown_cell(f"## Part {number}"), new_code_cell(source)]
    kernel = {"name": "another-kernel", "display_name": "Another", "language": "python"}
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": kernel}), path)
    return path


def executed(*outputs: Any) -> Any:
    """Return a notebook with outputs, as if it had run."""
    return new_notebook(cells=[new_code_cell("hidden = 'code'", outputs=list(outputs))])


def displayed(**data: Any) -> Any:
    """Return an output with MIME types written with ``_`` for ``/``."""
    return new_output("display_data", {name.replace("_", "/", 1): value for name, value in data.items()})


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One report, made the way users make it, from below a folder of its own."""
    root = tmp_path_factory.mktemp("secret-place")
    (root / "logs" / "deep").mkdir(parents=True)
    (root / "logs" / "deep" / "a.log").write_text("one\n")
    (root / "logs" / ".hidden").write_text("no input\n")
    notebook = write(root / "notebooks" / "try.ipynb", SHOWN, FIGURES, "1 + 1")
    before, terminal = Path.cwd(), Terminal()
    os.chdir(root)
    try:
        (path,) = report(notebook, "logs", {"limit": "21"}, "out", progress=terminal)
    finally:
        os.chdir(before)
    return {"root": root, "notebook": notebook, "html": path, "text": path.read_text("utf-8"), "said": terminal}


def test_a_report_is_a_page_a_notebook_and_an_index(made: dict[str, Any]) -> None:
    folder = made["root"] / "out"
    stem = made["html"].stem
    assert re.fullmatch(r"try-logs-[0-9a-f]{8}", stem)
    assert {path.name for path in folder.iterdir()} == {f"{stem}.html", f"{stem}.ipynb", "index.html"}
    assert made["html"].stat().st_size < 3_000_000


def test_the_kernel_gets_absolute_paths_types_and_the_notebooks_folder(made: dict[str, Any]) -> None:
    """The paths themselves are scrubbed from what it printed, so the shortened ones must be there."""
    assert "at ./notebooks [&#x27;logs&#x27;] 42.0" in made["text"]


def test_nothing_in_a_report_tells_where_it_was_made(made: dict[str, Any]) -> None:
    for suffix in (".html", ".ipynb"):
        text = made["html"].with_suffix(suffix).read_text("utf-8")
        assert "secret-place" not in text
        assert os.uname().nodename not in re.sub(r'<script id="plotly".*?</script>', "", text, flags=re.S)
    again = nbformat.read(made["html"].with_suffix(".ipynb"), 4)
    (injected,) = [cell for cell in again.cells if "injected-parameters" in cell.metadata.get("tags", [])]
    assert "../logs" in injected.source, "the executed notebook runs again where it stands"


def test_a_report_tells_how_it_was_made(made: dict[str, Any]) -> None:
    text = made["text"]
    assert "<title>A title &amp; more · logs</title>" in text
    assert '<html lang="en">' in text
    assert hashlib.sha256(b"one\n").hexdigest() in text
    assert "logs/deep/a.log" in text
    assert ".hidden" not in text
    assert f"rtlat {rtlat.__version__}" in text
    assert "<td>limit</td><td><code>21</code></td><td>[us]</td>" in text
    assert [f'href="#Part-{n}"' in text for n in (1, 2, 3, 4)] == [True, True, True, False]


def test_code_is_hidden_and_text_escaped(made: dict[str, Any]) -> None:
    assert "import pandas" not in made["text"]
    assert "<script>alert" not in made["text"]
    assert "&lt;script&gt;alert" in made["text"]


def test_plotly_stands_in_a_page_once_and_packed(made: dict[str, Any]) -> None:
    from plotly.offline import get_plotlyjs

    (packed,) = re.findall(r'<script id="plotly" type="text/plain">([^<]*)</script>', made["text"])
    assert gzip.decompress(b64decode(packed)).decode() == get_plotlyjs()


@pytest.mark.parametrize("width", [1200, 400])
def test_a_report_draws_offline(made: dict[str, Any], width: int) -> None:
    seen = opened(made["html"], width)
    assert [figure["types"] for figure in seen["figures"]] == [["scatter"], ["bar", "heatmap"]]
    assert all(figure["marks"] > 10 for figure in seen["figures"])
    assert seen["errors"] == []
    assert seen["requests"] == []
    assert seen["width"] == width, "the page scrolls sideways"


def test_progress_repaints_a_terminal_and_leaves_one_line(made: dict[str, Any]) -> None:
    said = made["said"].getvalue()
    assert "0 of 1  try: cell 4 of 9" in said
    lines = re.sub(r"\r\x1b\[K[^\r\n]*(?=\r)", "", said).replace("\r\x1b[K", "").splitlines()
    assert len(lines) == 1
    assert re.fullmatch(rf"out/{made['html'].name}: 2 figures, \d\.\d MB, \d+ s", lines[0])


def test_the_same_question_overwrites_its_answer_and_another_does_not(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    notebook = write(tmp_path / "n.ipynb", "limit")
    log = tmp_path / "a.log"
    log.write_text("one\n")
    stream = io.StringIO()
    first = report([notebook], [log], out=tmp_path / "out", progress=stream)
    assert report(notebook, str(log), {"limit": 50.0}, tmp_path / "out") == first
    (other,) = report(notebook, log, {"limit": 51}, tmp_path / "out")
    log.write_text("two\n")
    (changed,) = report(notebook, log, out=tmp_path / "out")
    assert len({*first, other, changed}) == 3
    assert len(stream.getvalue().splitlines()) == 1
    assert capfd.readouterr() == ("", ""), "a kernel complained"
    listed = re.findall(r'<a href="([^"]+)">', (tmp_path / "out" / "index.html").read_text("utf-8"))
    assert sorted(listed) == sorted(path.name for path in [*first, other, changed])


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("1 / 0", r"n.ipynb: cell 5: ZeroDivisionError: division by zero \(see .*failed.ipynb\)"),
        ("from rtlat.errors import LogError\nraise LogError(data[0], 'a bad day')", r"n.ipynb: a.log: found a bad day"),
        ("import os; os._exit(1)", r"n.ipynb: its kernel died"),
        ("import time; time.sleep(600)", r"n.ipynb: a cell took longer than 3 s"),
        ("import sys; sys.exit(3)", r"n.ipynb: cell 5: SystemExit: 3"),
    ],
)
def test_a_failed_notebook_is_one_line_and_stays(tmp_path: Path, code: str, reason: str) -> None:
    (tmp_path / "a.log").write_text("one\n")
    notebook = write(tmp_path / "n.ipynb", code)
    out = tmp_path / "{out}"
    with pytest.raises(ReportError, match=reason) as caught:
        report(notebook, tmp_path / "a.log", out=out, timeout=3)
    assert "\n" not in str(caught.value)
    (left,) = out.iterdir()
    assert left.name.endswith(".failed.ipynb")
    nbformat.validate(nbformat.read(left, 4))


def test_a_failure_does_not_cost_the_other_reports(tmp_path: Path) -> None:
    bad = write(tmp_path / "bad.ipynb", "1 / 0", parameters="limit: int = 1")
    good = write(tmp_path / "good.ipynb", "1", parameters="limit: int = 1")
    with pytest.raises(ReportError, match=r"bad\.ipynb.*ZeroDivisionError"):
        report([bad, good], out=tmp_path / "out")
    assert [path.name.split("-")[0] for path in sorted((tmp_path / "out").glob("*.html"))] == ["good", "index.html"]


@pytest.mark.parametrize(
    ("data", "parameters", "reason"),
    [
        (["a.log"], {"limt": "3"}, r"n.ipynb has no parameter 'limt'; did you mean 'limit'\?"),
        (["a.log"], {"limit": "3us"}, r"n.ipynb: parameter limit: found '3us', expected float"),
        (["https://example.org/a.log"], {}, r"https://example.org/a.log: a report is made from files"),
        (["-"], {}, r"-: a report is made from files"),
        (["b.log"], {}, r"b.log: no such file or folder"),
        (["*.txt"], {}, r"\*.txt: no such file or folder"),
        ([], {}, r"no data"),
        (None, {}, r"\.\./logs: no such file or folder"),
    ],
)
def test_a_wrong_question_never_starts_a_kernel(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    data: list[str] | None,
    parameters: dict[str, str],
    reason: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.log").write_text("one\n")
    write(tmp_path / "n.ipynb", "1")
    with pytest.raises(ReportError, match=reason):
        report("n.ipynb", data, parameters, "out")
    assert not (tmp_path / "out").exists()


def test_notebooks_that_are_none_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "compare.ipynb", "1", parameters="limit: int = 1")
    (tmp_path / "text.ipynb").write_text("no JSON")
    (tmp_path / "list.ipynb").write_text("[1, 2]")
    (tmp_path / "other.ipynb").write_text('{"file_version": 1}')
    for notebook, reason in (
        ("compar.ipynb", "no notebook compar.ipynb; did you mean 'compare.ipynb'"),
        ("text.ipynb", "text.ipynb is no notebook; logs are named with --data"),
        ("list.ipynb", "list.ipynb is no notebook; logs are named with --data"),
        ("other.ipynb", "other.ipynb is no notebook \\("),
        ("s3://bucket/n.ipynb", "read from files, not from addresses"),
    ):
        with pytest.raises(ReportError, match=reason):
            report(notebook)
    with pytest.raises(ReportError, match="takes no data"):
        report("compare.ipynb", "compare.ipynb")
    (tmp_path / "out").write_text("a file")
    with pytest.raises(ReportError, match="no folder to write reports to"):
        report("compare.ipynb", out="out")


def test_data_elsewhere_is_shown_without_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rtlat.reporting.question import question

    for name in ("alice/lab/a/x.log", "alice/lab/b/x.log", "here/near/y.log"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "alice/lab/a/runs.toml").write_text("")
    monkeypatch.chdir(tmp_path / "here")
    notebook = write(tmp_path / "here/n.ipynb", "1")
    one, two = tmp_path / "alice/lab/a", tmp_path / "alice/lab/b"
    asked = question(notebook, [one, two], {})
    assert asked.about.data == ["a", "b"]
    assert [name for name, _, _ in asked.about.inputs] == ["a/runs.toml", "a/x.log", "b/x.log"]
    assert asked.values["data"] == [str(one), str(two)]
    assert [name for name, _, _ in question(notebook, one / "x.log", {}).about.inputs] == ["x.log", "runs.toml"]
    assert [name for name, _, _ in question(notebook, f"{two}/*.log", {}).about.inputs] == ["x.log"]
    assert question(notebook, "near", {}).about.data == ["near"]


def test_what_a_page_cannot_hold_is_refused() -> None:
    about = About("n.ipynb", "T", "now")
    figure = {"data": [{"type": "scatter", "y": [0] * 2_000_000}], "layout": {"title": {"text": "Big <b>one</b>"}}}
    with pytest.raises(ReportError, match=r"at most 3 MB.*largest figure: Big one, 6.0 MB"):
        page(executed(new_output("display_data", {PLOTLY: figure})), about)
    with pytest.raises(ReportError, match=r"at most 3 MB.*show less"):
        page(executed(new_output("stream", name="stdout", text="x" * 4_000_000)), about)
    widget = {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}, "text/plain": "Slider"}
    with pytest.raises(ReportError, match="cell 1 shows a widget"):
        page(executed(new_output("display_data", widget)), about)
    with pytest.raises(ReportError, match="0 figures in the notebook, 1 in the page"):
        page(executed(displayed(text_html='<div class="figure"></div>')), about)


def test_a_page_holds_every_kind_of_output() -> None:
    outputs = [
        new_output("stream", name="stderr", text="\x1b[31mred <\x1b[0m"),
        displayed(text_markdown="**bold** | x", text_plain="no"),
        displayed(image_png="iVBORw0KGgo=\n", text_plain="no"),
        displayed(**{"image_svg+xml": "<svg onload='x()'/>"}),
        displayed(text_html="<p>html</p>", text_plain="no"),
        displayed(text_plain="plain > text"),
        new_output("error", ename="E", evalue="v", traceback=["\x1b[0;31mE\x1b[0m: <v>"]),
    ]
    text = page(executed(*outputs), About("n.ipynb", "<T>", "now"))
    body = text[text.index("<main>") : text.index("</main>")]
    for part in (
        '<pre class="stderr">red &lt;</pre>',
        "<strong>bold</strong>",
        'src="data:image/png;base64,iVBORw0KGgo="',
        'src="data:image/svg+xml;base64,',
        "<p>html</p>",
        "<pre>plain &gt; text</pre>",
        "E: &lt;v&gt;",
    ):
        assert part in body
    assert "hidden" not in body
    assert "onload" not in body
    assert "<title>&lt;T&gt;</title>" in text
    assert 'id="plotly"' not in text, "a page without figures needs no plotly.js"


def test_the_index_shows_reports_newest_first_and_nothing_else(tmp_path: Path) -> None:
    for name, made, data in (("old", "2026-01-01", ["x"]), ("new", "2026-02-01", ["<y>"])):
        about = About("n.ipynb", name, made, data, {"data": data, "limit": 5.0}, inputs=[("a", 1, "0" * 64)] * 3)
        about = replace(about, asked=["data", "limit"])
        (tmp_path / f"{name}.html").write_text(page(executed(), about), "utf-8")
    (tmp_path / "alien.html").write_text("<html></html>")
    (tmp_path / "broken.html").write_text('<meta name="rtlat" content="{&quot;title&quot;">')
    (tmp_path / "index.html").write_text(index(tmp_path), "utf-8")
    text = index(tmp_path)
    assert re.findall(r'<a href="([^"]+)">', text) == ["new.html", "old.html"]
    assert "&lt;y&gt; (3 files) · limit = 5 · 2026-02-01" in text


def test_what_the_index_reads_is_what_a_page_says() -> None:
    about = About("n.ipynb", 'a "quoted" <title>', "now", ["d"], {"limit": 1})
    found = re.search(r'<meta name="rtlat" content="([^"]*)">', page(executed(), about))
    assert found
    import html

    assert json.loads(html.unescape(found[1]))["title"] == about.title
