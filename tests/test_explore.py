"""Logs looked at by hand: what is chosen, what the views say of it, in JupyterLab and as a web page."""

from __future__ import annotations

import base64
import itertools
import math
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from nbformat import v4
from served import in_jupyterlab, in_voila

from rtlat.cli import main
from rtlat.display.look import COLOURS
from rtlat.errors import ReportError, UsageError
from rtlat.exploring import answers, asked, choice, outliers, panel, views
from rtlat.exploring.choice import Choice
from rtlat.exploring.curves import curves, looked
from rtlat.exploring.folder import Folder, folders, opened
from rtlat.exploring.pools import Pools
from rtlat.intervals import counted
from rtlat.reporting.question import Question, question

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOK = ROOT / "notebooks" / "explore.ipynb"
REPEATS = ROOT / "data" / "emulated-kernels" / "repeats"
NAMES = ("preempt_rt-1-idle", "preempt_rt-1-load", "stock-1-idle", "stock-1-load")
CARD = """
[defaults]
period = "1ms"
duration = "15s"
[runs."preempt_rt-*.hist"]
approach = "PREEMPT_RT"
[runs."stock-*.hist"]
approach = "stock"
[runs."*-idle.hist"]
load = "idle"
[runs."*-load.hist"]
load = "<i>busy</i>"
"""


def copied(folder: Path) -> Path:
    """Put four runs with a card into a folder."""
    folder.mkdir(parents=True)
    for name in NAMES:
        shutil.copy(REPEATS / f"{name}.hist", folder)
    (folder / "runs.toml").write_text(CARD)
    return folder


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Four runs of two threads."""
    return opened(str(copied(tmp_path_factory.mktemp("four") / "logs")))


def chosen(folder: Folder, **other: Any) -> Choice:
    """All runs by approach, but for what is said."""
    every = tuple(map(str, folder.recording.runs["run"]))
    return Choice(every, "approach", "thread", "us", "pooled", ("50", "99"), 500.0)._replace(**other)


def bins(name: str, thread: int | None = None) -> Counter[float]:
    """Count the observations of a log by the us of their bin, as its lines have them; inf beyond the last bin."""
    text = (REPEATS / f"{name}.hist").read_text()
    rows = [line.split() for line in text.splitlines() if re.match(r"\d", line)]
    (over,) = re.findall(r"# Histogram Overflows: (.*)", text)
    found: Counter[float] = Counter()
    for edge, numbers in [*((float(row[0]), row[1:]) for row in rows), (math.inf, over.split())]:
        found[edge] += sum(int(n) for place, n in enumerate(numbers) if thread in (None, place))
    return +found


def reaching(limit: float, *names: str, thread: int | None = None) -> tuple[int, int]:
    """Count by hand what reaches a limit, and all there is."""
    several = [bins(name, thread) for name in names]
    found = sum(n for one in several for edge, n in one.items() if edge >= limit)
    return found, sum(one.total() for one in several)


def by_run(table: Any) -> dict[str, dict[str, Any]]:
    return {row["run"]: row for row in table.to_dict("records")}


def test_any_series_are_pooled_as_if_their_observations_were_counted_anew() -> None:
    chance = np.random.default_rng(5)
    values = [chance.integers(0, 12, size) for size in (1, 30, 200, 7)]
    pools = Pools([counted(one, one + 1) for one in values])
    for several in itertools.chain.from_iterable(itertools.combinations(range(4), size) for size in (1, 2, 3, 4)):
        pooled = pools.pool(several)
        expected = Counter(np.concatenate([values[place] for place in several]).tolist())
        assert dict(zip(pooled.intervals.low, pooled.intervals.n, strict=True)) == expected
        assert pooled.total == expected.total()
        assert pooled.maximum == (max(expected), max(expected) + 1)


@pytest.mark.parametrize("limit", [77.0, 500.0, 999.0])
def test_a_group_is_its_runs_together(four: Folder, limit: float) -> None:
    table = by_run(answers.rows(four, chosen(four, limit=limit)))
    for group, names in (("PREEMPT_RT", NAMES[:2]), ("stock", NAMES[2:])):
        found, n = reaching(limit, *names)
        assert table[group]["n"] == n
        assert (table[group][f"reach {limit:g} us"].low, table[group][f"reach {limit:g} us"].high) == (found, found)
        rank = math.ceil(n / 2)
        steps = itertools.accumulate(sorted(sum(map(bins, names), Counter()).items()), lambda a, b: (b[0], a[1] + b[1]))
        assert table[group]["p50"].low == next(edge for edge, up_to in steps if up_to >= rank)
        assert table[group]["duration"] == "30 s"
    worst = [re.findall(r"# Max Latencies: (\d+) (\d+)", (REPEATS / f"{name}.hist").read_text()) for name in NAMES[2:]]
    assert table["stock"]["worst observed"].low == max(int(value) for pair in worst for value in pair[0])


def test_each_series_and_one_series(four: Folder) -> None:
    each = by_run(answers.rows(four, chosen(four, series="each", by="run")))
    one = by_run(answers.rows(four, chosen(four, series="t1", by="run")))
    assert len(each) == 8
    assert len(one) == 4
    for name in NAMES:
        found, n = reaching(500, name, thread=1)
        assert each[f"{name} t1"]["n"] == one[name]["n"] == n
        assert each[f"{name} t1"]["reach 500 us"].low == one[name]["reach 500 us"].low == found


def test_runs_that_differ_are_not_pooled_in_silence(four: Folder) -> None:
    assert "differ in load" in answers.said(four, chosen(four))
    assert "differ in" not in answers.said(four, chosen(four, by="run"))
    idle = chosen(four, runs=(NAMES[0], NAMES[2]))
    assert "differ in" not in answers.said(four, idle)
    assert "differ in approach" in answers.said(four, idle._replace(by="load"))


def test_what_n_supports_where_nothing_reached_the_limit(four: Folder) -> None:
    """Of n cycles without an exceedance the exact bound is 1 - 0.05^(1/n)."""
    _, n = reaching(0, *NAMES[2:])
    share = -math.expm1(math.log(0.05) / n)
    said = answers.said(four, chosen(four, runs=NAMES[2:], limit=200_000.0))
    assert f"none of {n:,} cycles" in said
    assert f"fewer than 1 in {math.floor(1 / share):,} cycles" in said
    row = by_run(answers.rows(four, chosen(four, limit=200_000.0)))["stock"]
    assert row["how often, 95 %"] == f"< {share * 3_600_000:.0f} an hour"


def test_without_a_period_it_is_told_by_cycles(tmp_path: Path) -> None:
    shutil.copy(REPEATS / "stock-1-load.hist", tmp_path)
    folder = opened(str(tmp_path))
    found, n = reaching(500, "stock-1-load")
    (row,) = answers.rows(folder, chosen(folder, by="run")).to_dict("records")
    rarest, oftenest = (float(number) for number in re.findall(r"1 in ([\d.]+)", row["how often, 95 %"])[::-1])
    assert oftenest < n / found < rarest


def test_runs_without_the_quantity_or_the_series_are_in_no_group() -> None:
    """data/ also holds runs of other quantities, and Xenomai's windows have no t0: neither adds to a duration."""
    folder = opened(str(ROOT / "data"))
    one = chosen(
        folder, series="t0", runs=("preempt_rt-1-idle", "preempt_rt-2-idle", "preempt_rt-idle-xenomai-latency")
    )
    both = one._replace(
        runs=(*one.runs, *map(str, folder.recording.runs["run"][folder.recording.runs["tool"] == "lil"]))
    )
    assert len(both.runs) > len(one.runs)
    for several in (one, both):
        (row,) = answers.rows(folder, several).to_dict("records")
        assert row["duration"] == "30 s"
        assert row["n"] == sum(reaching(0, name, thread=0)[1] for name in ("preempt_rt-1-idle", "preempt_rt-2-idle"))
        assert views.by_series(folder, several).data


def test_a_group_keeps_its_colour(four: Folder) -> None:
    """By approach as everywhere; by another column each value has one of its own."""
    for by, several in (("approach", 2), ("source", 4)):
        found = curves(four, chosen(four, by=by))
        figure = views.histogram(four, chosen(four, by=by))
        assert len({trace.line.color for trace in figure.data if trace.mode == "lines" and trace.showlegend}) == several
        assert len(looked(found.runs, by)) == several
    stock = [trace for trace in views.histogram(four, chosen(four)).data if trace.name and "stock" in trace.name]
    assert {trace.line.color for trace in stock} == {COLOURS["stock"]}


def test_the_limit_stands_in_every_figure(four: Folder) -> None:
    for limit in (77.0, 500.0):
        marked = chosen(four, limit=limit)
        for view in (views.histogram, views.exceedance, views.by_series):
            upright = [shape.x0 for shape in view(four, marked).layout.shapes if shape.x0 == shape.x1]
            assert upright == [limit]
    lines = [shape.y0 for shape in views.exceedance(four, marked).layout.shapes if shape.y0 == shape.y1]
    assert lines == pytest.approx([0.5, 0.01])


def test_samples_are_drawn_over_time_with_the_limit_across() -> None:
    folder = opened(str(ROOT / "data" / "emulated-kernels" / "preempt_rt" / "cyclictest-load.samples.gz"))
    one = chosen(folder, by="run", limit=300.0)
    figure = views.over_time(folder, one)
    assert [shape.y0 for shape in figure.layout.shapes] == [300.0]
    greatest = max(float(np.nanmax(trace.y)) for trace in figure.data if trace.type == "scatter")
    found, _ = outliers.rows(folder, one)
    assert f"{greatest:g}" == found["latency"].iloc[0]


def test_many_curves_are_shades_and_orange_where_they_reach_the_limit(tmp_path: Path) -> None:
    """Forty runs of windows, of which run 7 alone reaches 90 us, in its third window."""
    lines = "RTD|{0:11.3f}|{0:11.3f}|{1:11.3f}|       0|     0|      1.000|{1:11.3f}"
    head = "== Sampling period: 100 us\n== Test mode: periodic user-mode task\n== All results in microseconds\n"
    head += "RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst\n"
    for run in range(40):
        rows = [lines.format(1.0, 95.0 if (run, second) == (7, 2) else 20.0) for second in range(10)]
        (tmp_path / f"run{run:02d}.txt").write_text(head + "\n".join(rows) + "\n")
    folder = opened(str(tmp_path))
    (quantity, unit), *_ = folder.by_quantity
    many = chosen(folder, by="run", quantity=quantity, unit=unit, limit=90.0)
    shades, reached = views.over_time(folder, many).data
    assert shades.type == reached.type == "heatmap"
    rows, columns = np.nonzero(np.isfinite(reached.z))
    assert set(rows) == {7}
    assert shades.x[columns.min()] == pytest.approx(2, abs=0.1)
    assert [trace.type for trace in views.exceedance(folder, many).data] == ["heatmap"]
    assert not np.isfinite(views.over_time(folder, many._replace(limit=96.0)).data[1].z).any()


def test_an_outlier_stands_in_the_line_that_is_named(four: Folder) -> None:
    found, total = outliers.rows(four, chosen(four))
    assert len(found) == outliers.MOST < total
    for row in found.to_dict("records"):
        name, line = row["where"].rsplit(":", 1)
        text = (REPEATS / Path(name).name).read_text().splitlines()[int(line) - 1]
        assert row["latency"].lstrip(">= ") in [number.lstrip("0") for number in re.findall(r"\d+", text)] or (
            "Overflow" in text or text.startswith("# Thread")
        )
    assert found["latency"].iloc[0] == "113893"
    assert outliers.rows(four, chosen(four, runs=NAMES[:1]))[0]["latency"].iloc[0] == "9491"
    assert "No statement reaches 200,000 us" in outliers.outliers(four, chosen(four, limit=200_000.0))


def test_folders_are_offered_and_what_cannot_be_read_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = copied(tmp_path / "logs")
    (logs / "bad.hist").write_bytes(b"\x1f\x8b\x08 no gzip")
    (tmp_path / "empty").mkdir()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "x").write_text("x")
    assert folders([str(tmp_path)]) == [str(tmp_path), str(logs)]
    first, second = opened(str(logs)).said()
    assert first == "4 runs in 5 logs, 1 of them not read:"
    assert second.startswith("logs/bad.hist: found ")
    for path, reason in ((tmp_path / "empty", "a folder without logs"), (logs / "bad.hist", "bad.hist: found")):
        panel.explore([str(path)])
        said = capsys.readouterr().out
        assert "Nothing to look at:" in said
        assert reason in said
    panel.explore([str(ROOT / "data" / "seeds" / "facts.toml")])
    assert "Traceback" not in capsys.readouterr().out


def test_a_panel_follows_what_is_chosen(four: Folder, tmp_path: Path) -> None:
    made = panel.Panel(four, tmp_path)
    assert made.chosen.runs == tuple(sorted(NAMES))
    assert list(made.series.options) == ["pooled", "each", "t0", "t1"]
    drawn = made._round.value
    made.percentiles.value = "99.9, 50"
    assert made.chosen.percentiles == ("50", "99.9")
    made.percentiles.value = "fast"
    assert "fast" in made.trouble.value
    with pytest.raises(UsageError):
        _ = made.chosen
    made.percentiles.value = "50"
    made.runs.value = ()
    assert made.trouble.value == ""
    assert made._round.value == drawn + 3
    assert answers.NOTHING in answers.said(four, made.chosen)


def test_another_quantity_has_another_unit_and_other_limits() -> None:
    """patch-ikd and rtirq: microseconds and cycles in one folder."""
    folder = opened(str(ROOT / "data" / "seeds"))
    assert len(folder.by_quantity) > 1
    made = panel.Panel(folder, Path())
    for quantity, unit in folder.by_quantity:
        made.quantity.value = (quantity, unit)
        least, most, start = choice.limits(folder, quantity, unit)
        assert made.limit.description == f"limit [{unit}]"
        assert (made.limit.min, made.limit.max) == pytest.approx((math.log10(least), math.log10(most)))
        assert made.limit.value == pytest.approx(start)
        assert made.chosen.quantity == quantity
        for view in (views.histogram, views.exceedance, views.over_time, views.by_series, answers.table, answers.said):
            assert view(folder, made.chosen)


def test_percentiles_and_limits_as_they_are_typed() -> None:
    assert choice.percentiles_in(" 99.9;50 , 50") == ("50", "99.9")
    for text in ("", "101", "p50"):
        with pytest.raises(UsageError):
            choice.percentiles_in(text)


def test_a_selection_becomes_a_report(four: Folder, tmp_path: Path) -> None:
    few = chosen(four, runs=NAMES[:1], limit=500.0)
    compare, deadline = (ROOT / "notebooks" / f"{name}.ipynb" for name in ("compare", "deadline"))
    assert asked.parameters(compare, four, few) == {
        "quantity": "thread",
        "series": "pooled",
        "percentiles": ["50", "99"],
        "limit": "500us",
    }
    assert asked.parameters(deadline, four, few) == {"quantity": "thread", "limit": "500us"}
    assert four.logs_of(few.runs) == ([str(Path(four.path) / "preempt_rt-1-idle.hist")], "")
    assert four.logs_of(NAMES) == ([four.path], "")
    told = asked.asked(small_notebook(tmp_path, "str"), four, few, tmp_path / "reports")
    assert "No report" not in told, told
    (page,) = (tmp_path / "reports").glob("small-*.html")
    (held,) = re.findall(r'href="data:text/html;base64,([^"]+)"', told)
    assert base64.b64decode(held) == page.read_bytes()
    assert "preempt_rt-1-idle.hist&#x27;] 500us" in page.read_text("utf-8")
    wrong = asked.asked(small_notebook(tmp_path, "float"), four, few, tmp_path / "reports")
    assert wrong == "<p><b>No report:</b> small.ipynb: parameter limit: found &#x27;500us&#x27;, expected float</p>"


def small_notebook(folder: Path, limit: str) -> Path:
    """Write a notebook that prints its parameters."""
    code = f"data: list[str] = []  # logs\nquantity: str = ''  # what\nlimit: {limit} = 0  # how long"
    cells = [v4.new_code_cell(code, metadata={"tags": ["parameters"]}), v4.new_code_cell("print(data, limit)")]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), folder / "small.ipynb")
    return folder / "small.ipynb"


def test_no_report_waits_for_a_choice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made: list[str] = []

    def make(questions: list[Question], *_: object, **__: object) -> list[object]:
        made.extend(one.notebook.stem for one in questions)
        return []

    monkeypatch.setattr("rtlat.reporting.report.reports", make)
    assert main(["report", "-o", str(tmp_path)]) == 0
    assert "compare" in made
    assert "explore" not in made
    assert "explore" not in [path.stem for path in asked.notebooks(ROOT / "notebooks")]
    with pytest.raises(ReportError, match=r"explore\.ipynb waits for choices by hand"):
        question(NOTEBOOK, None, {})


def test_the_notebook_runs_without_anybody(tmp_path: Path) -> None:
    """As nbconvert runs it: the widgets are there, and nothing failed."""
    from nbclient import NotebookClient

    node = nbformat.read(NOTEBOOK, 4)
    NotebookClient(node, timeout=120, resources={"metadata": {"path": str(NOTEBOOK.parent)}}).execute()
    last = [cell for cell in node.cells if cell.cell_type == "code"][-1]
    assert [output.output_type for output in last.outputs] == ["execute_result"]
    assert "application/vnd.jupyter.widget-view+json" in last.outputs[0].data


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    """The notebook beside logs of its own."""
    copied(tmp_path / "logs")
    made = nbformat.read(NOTEBOOK, 4)
    (cell,) = [cell for cell in made.cells if "parameters" in cell.metadata.get("tags", [])]
    assert '["../data"]' in cell.source
    cell.source = cell.source.replace('["../data"]', '["logs"]')
    nbformat.write(made, tmp_path / "explore.ipynb")
    return tmp_path / "explore.ipynb"


def expected(limit: float, names: tuple[str, ...]) -> dict[str, str]:
    """What the table has to say of some runs, counted by hand."""
    found, n = reaching(limit, *names)
    return {"n": f"{n:,}", f"reach {limit:g} us": str(found)}


def test_jupyterlab_follows_the_choice(notebook: Path) -> None:
    with in_jupyterlab(notebook) as tab:
        tab.until("4 runs in 4 logs.")
        tab.choose("group by", "approach")
        tab.until("of 2 curves")
        tab.limit(500)
        tab.until("500 us: of 2 curves 2 surely reached it.")
        for row in tab.table("Side by side"):
            names = NAMES[:2] if row["run"] == "PREEMPT_RT" else NAMES[2:]
            assert row.items() >= expected(500, names).items()
        assert tab.table("Where it stands in the logs")[0]["where"] == "logs/stock-1-load.hist:1006"
        histogram, exceedance, _, by_series = tab.figures()
        assert [figure["limits"] for figure in (histogram, exceedance, by_series)] == [[500]] * 3
        assert {trace["type"] for trace in histogram["traces"]} == {"scatter"}
        assert len({trace["name"] for trace in exceedance["traces"] if "·" in trace["name"]}) == 2
        assert by_series["traces"][0]["type"] == "heatmap"
        tab.page.locator("select[multiple]").select_option(list(NAMES[2:]))
        tab.limit(77)
        tab.until("77 us: of 1 curve 1 surely reached it.")
        (row,) = tab.table("Side by side")
        assert row.items() >= expected(77, NAMES[2:]).items()
        figures = tab.figures()
        assert [figure["limits"] for figure in (figures[0], figures[1], figures[3])] == [[77]] * 3
        assert len({trace["name"] for trace in figures[1]["traces"] if "·" in trace["name"]}) == 1
        assert all(figure["drawn"] > 5 and figure["height"] > 100 for figure in figures)
        assert tab.errors == []


def test_voila_serves_the_same_page(notebook: Path) -> None:
    """Its icons come from another host, which it has to do without."""
    with in_voila(notebook) as tab:
        tab.until("4 runs in 4 logs.")
        before = tab.table("Side by side")
        assert {row["run"]: row["n"] for row in before} == {name: f"{reaching(0, name)[1]:,}" for name in NAMES}
        tab.limit(500)
        tab.until("500 us: of 4 curves 4 surely reached it.")
        for row in tab.table("Side by side"):
            assert row.items() >= expected(500, (row["run"],)).items()
        assert [figure["limits"] for figure in tab.figures()][:2] == [[500], [500]]
        assert all(figure["drawn"] > 5 and figure["height"] > 100 for figure in tab.figures())
        assert tab.errors == []
        assert tab.page.evaluate("document.documentElement.scrollWidth") == 1400
