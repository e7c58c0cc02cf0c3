"""An executed notebook as one offline HTML page.

plotly.js stands in the page once, gzipped, and the browser inflates it: 1.9 MB instead of 4.8. nbconvert by
itself drops every plotly 7 figure without a word (jupyter/nbconvert#2235), so figures are counted on the way
in and on the way out.
"""

from __future__ import annotations

import base64
import functools
import gzip
import html
import json
import re
import string
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rtlat.errors import ReportError
from rtlat.reporting.shown_tables import ENDING, names

LARGEST_PAGE = 3_000_000
"""Bytes a page may have: what a mail server takes and a browser opens at once."""

PLOTLY = "application/vnd.plotly.v1+json"
_WIDGET = "application/vnd.jupyter.widget-view+json"
_PLACE = (
    '<div class="wide"><div class="figure" role="img" aria-label="{label}" style="height:{height}px">{spec}</div></div>'
)
_HEADING = re.compile(r'<h2 id="([^"]+)">(.*?)<a class="anchor-link"', re.S)


@dataclass(frozen=True, slots=True)
class About:
    """What a report must tell to be reproducible; shown at its end, and kept in its head for the index.

    Attributes
    ----------
    notebook, title : str
        File name of the notebook, and the page's title.
    made : str
        When, in UTC.
    data : list of str
        What was asked for, as shown: never an absolute path.
    parameters : dict
        Every parameter of the notebook and its value.
    help : dict
        The comment behind each parameter.
    inputs : list of tuple
        Name, size [bytes] and sha256 of every file under `data`.
    versions : dict
        Of rtlat and what it computed with.
    name : str
        File name of the page, without suffix: what lies beside it begins so.
    asked : list of str
        The parameters that were given, the others being the notebook's own.
    verdict : list of str
        What the report says first.
    tables : int
        How many tables lie beside it.
    holds : str
        What it tells of its data: that the page carries them, or that they lie beside it; empty if it has none.
    """

    notebook: str
    title: str
    made: str
    data: list[str] = field(default_factory=list)
    parameters: dict[str, Any] = field(default_factory=dict)
    help: dict[str, str] = field(default_factory=dict)
    inputs: list[tuple[str, int, str]] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    name: str = ""
    asked: list[str] = field(default_factory=list)
    verdict: list[str] = field(default_factory=list)
    tables: int = 0
    holds: str = ""


def page(notebook: Any, about: About, data: str = "", largest: float = LARGEST_PAGE) -> str:
    """Return an executed notebook as one HTML page that needs no network: code hidden, every figure inside.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        With its outputs; it is not changed.
    about : About
        Shown at the end.
    data : str
        Elements that carry what the notebook read, as `rtlat.carried_data.elements` gives them.
    largest : float
        [bytes] of the page.

    Raises
    ------
    ReportError
        If a cell shows a widget, a figure would be lost, or the page would exceed `largest`.
    """
    figures = [_spec(output) for cell in notebook.cells for output in cell.get("outputs", []) if _shows(output, PLOTLY)]
    body = _body(notebook, about.name)
    placed = body.count('<div class="figure"')
    if placed != len(figures):
        raise ReportError(f"{about.notebook}: {len(figures)} figures in the notebook, {placed} in the page")
    text = _template("page.html").substitute(
        title=html.escape(about.title),
        version=html.escape(about.versions.get("rtlat", "")),
        meta=html.escape(json.dumps({**asdict(about), "inputs": len(about.inputs), "help": {}})),
        body=_with_contents(body),
        about=_about(about),
        figures=_drawing() if figures else "",
        data=data,
    )
    if (size := len(text.encode())) > largest:
        found = f"a page of {size / 1e6:.1f} MB, expected at most {largest / 1e6:.0f} MB"
        raise ReportError(f"{about.notebook}: {found}{_why_large(figures)}")
    return text


def empty_page(title: str, body: str) -> str:
    """Return a page without figures and without anything about how it was made."""
    blank = dict.fromkeys(("version", "meta", "about", "figures", "data"), "")
    return _template("page.html").substitute(blank, title=html.escape(title), body=body)


def _shows(output: Any, mime: str) -> bool:
    """Whether an output has a MIME type."""
    return mime in output.get("data", {})


def _spec(output: Any) -> dict[str, Any]:
    """The figure of an output, without plotly.py's own configuration."""
    return {name: output["data"][PLOTLY][name] for name in ("data", "layout")}


def _label(spec: dict[str, Any]) -> str:
    """What a figure shows, as plain text: its title, or that of its first panel."""
    title = spec["layout"].get("title", {})
    texts = [title.get("text") if isinstance(title, dict) else title]
    texts += [annotation.get("text") for annotation in spec["layout"].get("annotations", [])]
    return " ".join(re.sub(r"<[^>]*>", " ", next(filter(None, texts), "figure")).split())


def _why_large(figures: list[dict[str, Any]]) -> str:
    """What to do about a page that is too large."""
    if not figures:
        return "; show less"
    sizes = {_label(figure): len(json.dumps(figure)) for figure in figures}
    label = max(sizes, key=lambda name: sizes[name])
    return f"; plot counts, not samples (largest figure: {label}, {sizes[label] / 1e6:.1f} MB)"


def _body(notebook: Any, name: str) -> str:
    """The cells' text and outputs as HTML, without code."""
    parts = []
    for number, cell in enumerate(notebook.cells, 1):
        if cell.cell_type == "markdown":
            parts.append(f'<section class="text">{_markdown(cell.source)}</section>')
        for output in cell.get("outputs", []):
            parts += [_output(output, number), _links(output, name)]
    return "\n".join(parts)


def _output(output: Any, cell: int) -> str:
    """One output as HTML: the richest of its forms that needs no network and no kernel."""
    if output.output_type == "stream":
        return f'<pre class="{output.name}">{_plain(output.text)}</pre>'
    if output.output_type == "error":
        return f'<pre class="stderr">{_plain(chr(10).join(output.traceback))}</pre>'
    data = output.data
    if PLOTLY in data:
        spec = _spec(output)
        return _PLACE.format(
            label=html.escape(_label(spec)),
            height=int(spec["layout"].get("height") or 450),
            spec=f'<script type="application/json">{_script_safe(json.dumps(spec))}</script>',
        )
    if _WIDGET in data:
        raise ReportError(f"cell {cell} shows a widget, which no report can hold; show a figure or a table")
    if "text/html" in data:
        return f'<div class="wide">{data["text/html"]}</div>'
    if "text/markdown" in data:
        return f'<div class="wide">{_markdown(data["text/markdown"])}</div>'
    for mime in ("image/png", "image/jpeg", "image/svg+xml"):
        if mime in data:
            image = data[mime] if mime != "image/svg+xml" else base64.b64encode(data[mime].encode()).decode()
            return f'<img alt="" src="data:{mime};base64,{html.escape(image.strip())}">'
    return f"<pre>{_plain(data['text/plain'])}</pre>" if "text/plain" in data else ""


def _links(output: Any, name: str) -> str:
    """Where the tables of an output lie beside the page."""
    links = [
        f'<a href="{quote(name)}{ENDING}/{table}.{kind}">{table}.{kind}</a>'
        for table in names(output)
        for kind in ("csv", "json")
    ]
    return f'<p class="small files">{" ".join(links)}</p>' if links else ""


def _plain(text: str) -> str:
    """Terminal text as HTML: escaped, without colour codes."""
    from nbconvert.filters import strip_ansi

    return html.escape(strip_ansi(text))  # type: ignore[no-untyped-call]


def _markdown(text: str) -> str:
    """Markdown as HTML."""
    from nbconvert.filters import markdown2html_mistune

    return str(markdown2html_mistune(text))


def _script_safe(text: str) -> str:
    """JSON that cannot end the script element around it, nor open a comment in it."""
    return text.replace("<", "\\u003c")


def _with_contents(body: str) -> str:
    """The body with links to its sections below its title, if it has more than two."""
    sections = _HEADING.findall(body)
    links = [f'<a href="#{anchor}">{re.sub("<[^>]*>", "", text)}</a>' for anchor, text in sections]
    title, end, rest = body.partition("</h1>")
    return f"{title}{end}<nav>{' '.join(links)}</nav>{rest}" if end and len(links) > 2 else body


def _about(about: About) -> str:
    """Parameters, versions and input hashes."""
    versions = ", ".join(f"{name} {version}" for name, version in about.versions.items())
    parts = [
        "<h2>About this report</h2>",
        f"<p>Made from {html.escape(about.notebook)} on {html.escape(about.made)} with {html.escape(versions)}.</p>",
    ]
    if about.holds:
        parts.append(f"<p>{html.escape(about.holds)}</p>")
    if about.tables:
        lie = f"The {about.tables} tables lie" if about.tables > 1 else "The table lies"
        parts.append(f"<p>{lie} beside this page as CSV and JSON, in {html.escape(about.name)}{ENDING}.</p>")
    if about.parameters:
        rows = [
            [html.escape(name), f"<code>{html.escape(told(value))}</code>", html.escape(about.help.get(name, ""))]
            for name, value in about.parameters.items()
        ]
        parts.append(_table(("parameter", "value", "meaning"), rows))
    if about.inputs:
        files = "1 input file" if len(about.inputs) == 1 else f"{len(about.inputs)} input files"
        rows = [
            [html.escape(name), f"{size:,}", f'<code class="hash">{sha256}</code>']
            for name, size, sha256 in about.inputs
        ]
        table = _table(("file", "bytes", "sha256"), rows)
        opened = " open" if len(rows) <= 12 else ""
        parts.append(f"<details{opened}><summary>{files}</summary>{table}</details>")
    return "\n".join(parts)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of text; cells are HTML already."""
    head = "".join(f"<th>{name}</th>" for name in heads)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="wide"><table class="text"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def told(value: Any) -> str:
    """Return a parameter's value as a reader writes it."""
    if isinstance(value, list):
        return ", ".join(map(told, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


@functools.cache
def _template(name: str) -> string.Template:
    """A template that lies beside this module."""
    return string.Template(Path(__file__).with_name(name).read_text(encoding="utf-8"))


@functools.cache
def _drawing() -> str:
    """The script elements that hold plotly.js, gzipped, and draw the figures with it."""
    from plotly.offline import get_plotlyjs

    packed = base64.b64encode(gzip.compress(get_plotlyjs().encode(), 9, mtime=0)).decode()
    script = Path(__file__).with_name("page.js").read_text(encoding="utf-8")
    return f'<script id="plotly" type="text/plain">{packed}</script>\n<script>\n{script}</script>'
