"""The files of a report: nothing of an earlier answer, nothing of this machine, and what is too large beside it."""

from __future__ import annotations

import base64
import csv
import getpass
import html
import json
import lzma
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest
from conftest import ROOT
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from pandas.testing import assert_frame_equal

import rtlat
from rtlat import store
from rtlat.display import markup
from rtlat.errors import ReportError
from rtlat.protocol import Recording
from rtlat.reporting import files, shown_tables
from rtlat.reporting.index import index, verdict
from rtlat.reporting.page import About
from rtlat.reporting.report import report
from rtlat.reporting.scrubbing import scrub

REPEATS = ROOT / "data" / "emulated-kernels" / "repeats"


def shown(*parts: Any) -> Any:
    """Return a notebook with headings (strings that begin with #) and outputs, as if it had run."""
    cells = []
    for part in parts:
        if isinstance(part, str) and part.startswith("#"):
            cells.append(new_markdown_cell(part))
            continue
        data = {"text/html": str(part), **getattr(part, "_repr_mimebundle_", dict)()}
        cells.append(new_code_cell("", outputs=[new_output("display_data", data)]))
    return new_notebook(cells=cells)


def frame(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame(columns)


class Desk:
    """A folder for reports, and one for what is not yet whole."""

    def __init__(self, root: Path) -> None:
        self.folder, self.drafts = root / "reports", root / "drafts"
        self.folder.mkdir()

    def write(self, notebook: Any, *read: Recording, name: str = "r") -> str:
        """Write the files of a report whose notebook read some recordings."""
        shutil.rmtree(self.drafts, ignore_errors=True)
        (self.drafts / "read").mkdir(parents=True)
        for place, recording in enumerate(read):
            store.save(recording, self.drafts / "read" / f"{place:03}")
        about = About("n.ipynb", "T", "now", name=name)
        return files.write(notebook, about, self.drafts / "read", self.folder, self.drafts)

    def names(self) -> set[str]:
        return {path.name for path in self.folder.iterdir()}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture(scope="module")
def stock() -> Recording:
    return rtlat.read(REPEATS / "stock-1-idle.hist")


def test_a_page_carries_what_was_read_in_several_steps(desk: Desk, stock: Recording) -> None:
    other = rtlat.read(REPEATS / "stock-2-idle.hist")
    text = desk.write(shown("# T"), stock, other)
    assert "of 2 runs, is carried by this page: rtlat read r.html gives it back." in text
    for mine, theirs in zip(rtlat.read(desk.folder / "r.html"), rtlat.concat([stock, other]), strict=True):
        assert_frame_equal(mine, theirs)
    assert desk.names() == {"r.html", "r.ipynb"}


def test_a_notebook_that_reads_nothing_carries_nothing(desk: Desk) -> None:
    assert "What was read" not in desk.write(shown("# T"))
    with pytest.raises(rtlat.RtlatError, match="a report without data"):
        rtlat.read(desk.folder / "r.html")


def test_more_than_a_hundred_runs_lie_beside_the_page(desk: Desk, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for number in range(101):
        text = (
            f"# Total: 000000010\n# Min Latencies: 00005\n# Avg Latencies: 00005\n# Max Latencies: {number + 100:05d}\n"
        )
        counts = "".join(f"{us:06d} {10 if us == 5 else 0:06d}\n" for us in range(20))
        (logs / f"run-{number:03}.hist").write_text(f"# Histogram\n{counts}{text}# Histogram Overflows: 00001\n")
    recording = rtlat.read(logs)
    assert len(recording.runs) == 101
    text = desk.write(shown("# T"), recording)
    assert "is too much for one page and lies beside it, in r.data: rtlat read r.html finds it there." in text
    assert 'id="rtlat-records"' not in text
    assert desk.names() == {"r.html", "r.ipynb", "r.data"}
    for mine, theirs in zip(rtlat.read(desk.folder / "r.html"), recording, strict=True):
        assert_frame_equal(mine, theirs)
    desk.write(shown("# T"), rtlat.read([*logs.glob("run-0*.hist")]))
    assert desk.names() == {"r.html", "r.ipynb"}, "what lay beside the earlier answer is no part of this one"


def test_what_would_make_a_page_too_large_lies_beside_it(
    desk: Desk, stock: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = len(desk.write(shown("# T")))
    monkeypatch.setattr(files, "LARGEST_PAGE", bare + 2_000)
    assert "lies beside it" in desk.write(shown("# T"), stock)
    assert desk.names() == {"r.html", "r.ipynb", "r.data"}


def test_the_same_question_leaves_nothing_of_its_earlier_answer(desk: Desk) -> None:
    two = shown("# T", "## Some", markup.shown(frame(a=["x"])), "## Others", markup.shown(frame(b=["y"])))
    desk.write(two)
    (desk.folder / "r.pdf").write_text("of the earlier one")
    (desk.folder / "r.failed.ipynb").write_text("of the earlier one")
    (desk.folder / "another.pdf").write_text("of another question")
    assert {path.name for path in (desk.folder / "r.tables").iterdir()} == {
        "some.csv", "some.json", "others.csv", "others.json",
    }  # fmt: skip
    desk.write(shown("# T", "## Some", markup.shown(frame(a=["x"]))))
    assert desk.names() == {"r.html", "r.ipynb", "r.tables", "another.pdf"}
    assert {path.name for path in (desk.folder / "r.tables").iterdir()} == {"some.csv", "some.json"}
    desk.write(shown("# T"))
    assert desk.names() == {"r.html", "r.ipynb", "another.pdf"}


def test_what_cannot_be_written_is_one_line(desk: Desk) -> None:
    desk.folder.rmdir()
    with pytest.raises(ReportError, match=r"^r.ipynb: cannot be written \(No such file or directory\)$"):
        desk.write(shown("# T"))


def test_tables_are_named_by_their_headings(desk: Desk) -> None:
    two = markup.joined([markup.shown(frame(a=["x"])), "<p>between</p>", markup.shown(frame(b=["y"]))])
    own = markup.Html("<table></table>", [("Effects", frame(c=["z"]))])
    long = f"## {'Very long ' * 20}"
    notebook = shown(
        "# A title, & more", two, "## Über/../etc\ntext", two, own, long, two, markup.shown(frame(a=[]), "-")
    )
    assert shown_tables.name(notebook) == 7
    named = [
        name for cell in notebook.cells for output in cell.get("outputs", []) for name in shown_tables.names(output)
    ]
    assert named[:5] == ["a-title-more", "a-title-more-2", "ber-etc", "ber-etc-2", "effects"]
    assert len(named[5]) <= 60
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in named)


def test_a_table_as_files_has_plain_numbers(desk: Desk) -> None:
    from rtlat.statistics.results import Bounds, refused

    results = [Bounds(400.0, float("inf"), "overflow", worst=1475.0), refused("n is unknown"), Bounds(0.5, 1.0, "ok")]
    names, counts = ["a", 'b, "quoted"', "<c>"], pd.array([60_000, None, 2**53 + 1], dtype="Int64")
    table = frame(run=names, n=counts, share=[0.25, float("nan"), float("inf")], p99=results)
    desk.write(shown("## Percentiles", markup.shown(table)))
    with (desk.folder / "r.tables" / "percentiles.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [list(row.values()) for row in rows] == [
        ["a", "60000", "0.25", "400", "", "overflow"],
        ['b, "quoted"', "", "", "", "", "refused"],
        ["<c>", "9007199254740993", "", "0.5", "1", "ok"],
    ]
    assert list(rows[0]) == ["run", "n", "share", "p99_low", "p99_high", "p99_status"]
    told = json.loads((desk.folder / "r.tables" / "percentiles.json").read_text(), parse_constant=pytest.fail)
    assert told["heading"] == "Percentiles"
    assert told["rows"][1] == {
        "run": 'b, "quoted"', "n": None, "share": None,
        "p99": {"low": None, "high": None, "status": "refused", "reason": "n is unknown"},
    }  # fmt: skip
    assert told["rows"][2]["n"] == 2**53 + 1


def test_a_verdict_is_what_a_report_says_first() -> None:
    said = "<ul><li><b>thread [us]</b>: lowest <b>3</b> (<b>a</b> &amp; b).<br>Worst: 7.</li><li>two</li></ul>"
    folded = "<details><summary>more</summary><ul><li>folded</li></ul></details>"
    table = markup.shown(frame(a=["x"]))
    assert verdict(shown("# T", "<p>2 runs.</p>", said + folded, table, "<p>later</p>")) == [
        "2 runs.", "thread [us]: lowest 3 (a & b). Worst: 7.", "two",
    ]  # fmt: skip
    assert verdict(shown("# T", table, "<p>later</p>")) == []
    assert verdict(shown("".join(f"<p>{number}</p>" for number in range(9)))) == ["0", "1", "2", "3"]
    (cut,) = verdict(shown(f"<p>One sentence. {'word ' * 200}</p>"))
    assert cut == "One sentence. ..."


def test_an_index_lives_with_whatever_lies_in_its_folder(desk: Desk) -> None:
    desk.write(shown("# T", "<p>It is <b>so</b>: &lt;script&gt;.</p>"), name="new")
    many = {"title": "Many logs", "made": "1999", "data": [f"logs/{number:05}.log" for number in range(9_000)]}
    meta = {
        "many": many,
        "bare": {"title": "An older one", "made": "2020", "data": ["x"], "parameters": {"limit": 5.0}, "inputs": 2},
        "odd": {"title": ["<b>"], "made": 3, "data": "x", "parameters": ["y"], "inputs": "z", "verdict": {"a": 1}},
        "none": [1],
        "deep": "[" * 100_000,
    }
    for name, about in meta.items():
        text = about if isinstance(about, str) else json.dumps(about)
        (desk.folder / f"{name}.html").write_text(f'<meta name="rtlat" content="{html.escape(text)}">')
    (desk.folder / "folder.html").mkdir()
    (desk.folder / "bytes.html").write_bytes(bytes(range(256)))
    (desk.folder / "index.html").write_text(index(desk.folder), "utf-8")
    text = index(desk.folder)
    assert re.findall(r'<a href="([^"]+)">', text) == ["new.html", "odd.html", "bare.html", "many.html"]
    assert "<li>It is so: &lt;script&gt;.</li>" in text
    assert "x (2 files) · limit = 5 · 2020" in text
    assert "logs/00000.log, logs/00001.log, logs/00002.log and 8997 more · 1999" in text
    assert "<b>" not in text


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of logs in a folder of another name, as users make it."""
    root = tmp_path_factory.mktemp("secret-place")
    lab = root / "inner-secret" / "lab"
    lab.mkdir(parents=True)
    (root / "here").mkdir()
    for name in ("stock-1-idle", "stock-1-load", "preempt_rt-1-idle"):
        shutil.copy(REPEATS / f"{name}.hist", lab)
    before = Path.cwd()
    os.chdir(root / "here")
    try:
        (page,) = report(ROOT / "notebooks" / "deadline.ipynb", lab, {"limit": "100us"}, "out")
    finally:
        os.chdir(before)
    return page


def test_what_lies_beside_a_report_says_what_the_page_says(made: Path) -> None:
    folder = made.with_suffix(".tables")
    links = re.findall(r'<a href="([^"#]+)">', made.read_text("utf-8"))
    assert sorted(links) == sorted(f"{folder.name}/{path.name}" for path in folder.iterdir())
    table = json.loads((folder / "deadlines.json").read_text("utf-8"))["rows"]
    for row in table:
        footer = dict(
            re.findall(r"^# (Max Latencies): (.*)$", (REPEATS / f"{row['run'].split()[0]}.hist").read_text(), re.M)
        )
        worst = [int(word) for word in footer["Max Latencies"].split()]
        assert -row["margin"]["low"] - 1 + 100 in worst or 100 - row["margin"]["high"] in worst
    assert made.stem in (made.parent / "index.html").read_text("utf-8")
    assert "<li>3 runs of " in (made.parent / "index.html").read_text("utf-8")


def test_nothing_beside_a_report_tells_where_it_was_made(made: Path) -> None:
    """Not in the page, the notebook, the tables, nor in what is packed into the page."""
    packed = re.findall(r'id="rtlat-\w+">([^<]+)<', made.read_text("utf-8"))
    assert len(packed) == 3
    texts = {f"carried {n}": lzma.decompress(base64.b64decode(data)) for n, data in enumerate(packed)}
    listed = [path for path in made.parent.rglob("*") if path.is_file()]
    assert {path.suffix for path in listed} == {".html", ".ipynb", ".csv", ".json"}
    texts |= {path.name: path.read_bytes() for path in listed}
    traces = {"secret-place", "inner-secret", os.uname().nodename, str(Path.home()), sys.prefix, "pytest-of-"}
    traces |= {getpass.getuser()} - {"root"}
    for name, text in texts.items():
        text = re.sub(rb'<script id="plotly".*?</script>', b"", text, flags=re.S)
        for trace in traces:
            assert len(trace) < 3 or trace.encode() not in text, f"{trace} in {name}"


def test_what_python_says_of_places_is_scrubbed(tmp_path: Path) -> None:
    told = f"{sys.prefix}/lib/x.py:1: {ROOT}/rtlat/reading.py /scratch/ipykernel_77/1234.py:3: UserWarning"
    outputs = [new_output("stream", name="stderr", text=told), new_output("error", traceback=[told])]
    notebook = new_notebook(cells=[new_code_cell("", outputs=outputs)])
    scrub(notebook, About("n.ipynb", "T", "now"), {str(tmp_path / "a.log"): "a.log"}, tmp_path)
    text = nbformat.writes(notebook)
    assert "cell:3: UserWarning" in text
    assert not any(trace in text for trace in (sys.prefix, str(ROOT), "ipykernel"))


def test_a_report_is_made_of_a_report(made: Path, tmp_path: Path) -> None:
    """Whoever has only the page asks another question of it."""
    (again,) = report(ROOT / "notebooks" / "deadline.ipynb", made, {"limit": "200us"}, tmp_path)
    for mine, theirs in zip(rtlat.read(again), rtlat.read(made), strict=True):
        assert_frame_equal(mine, theirs)
    node = nbformat.read(again.with_suffix(".ipynb"), 4)
    assert any(
        "within 200 us" in output.data.get("text/html", "")
        for cell in node.cells
        for output in cell.get("outputs", [])
        if "data" in output
    )
