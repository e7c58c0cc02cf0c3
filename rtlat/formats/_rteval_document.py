"""An XML text as a stream of elements with their lines; nothing of it is expanded or loaded.

Private to ``rteval_xml``. Lines are what ``xml.etree`` forgets, so this stands on expat itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from rtlat.errors import LogError
from rtlat.source import Source

DEEPEST = 64
"""No report nests its elements deeper."""

LONGEST_TEXT = 10_000
"""Text of an element beyond this is left out."""


@dataclass(slots=True)
class Element:
    """The end of an element: its path of names, its attributes, its own text, and the line where it began."""

    path: tuple[str, ...]
    attributes: dict[str, str]
    line: int
    text: str = ""


@dataclass(slots=True)
class _Handler:
    """Elements that have ended since they were last taken."""

    where: str
    parser: expat.XMLParserType
    open: list[Element] = field(default_factory=list)
    ended: list[Element] = field(default_factory=list)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        line = self.parser.CurrentLineNumber
        if len(self.open) == DEEPEST:
            raise LogError(self.where, f"elements nested deeper than {DEEPEST}", "a report of rteval", line=line)
        path = (*self.open[-1].path, name) if self.open else (name,)
        self.open.append(Element(path, attributes, line))

    def end(self, name: str) -> None:
        """An element ends."""
        self.ended.append(self.open.pop())

    def text(self, data: str) -> None:
        """Some text of the innermost element."""
        if self.open and len(self.open[-1].text) < LONGEST_TEXT:
            self.open[-1].text += data

    def doctype(self, *_: object) -> None:
        """A document type declaration."""
        line = self.parser.CurrentLineNumber
        raise LogError(self.where, "a document type declaration", "XML without one", "rteval writes none", line)


def elements(source: Source) -> Iterator[Element]:
    """Yield the elements of a log in the order they end; the last one is the whole document.

    Raises
    ------
    LogError
        If it is no XML, or declares a document type. A text that only ends too early ends the stream.

    Examples
    --------
    >>> [(e.path, e.attributes, e.text, e.line) for e in elements(Source(None, "a.xml", b"<r>\\n<b i='1'>x</b>"))]
    [(('r', 'b'), {'i': '1'}, 'x', 2)]
    >>> list(elements(Source(None, "a.xml", b"<!DOCTYPE r [<!ENTITY a 'b'>]><r>&a;</r>")))
    Traceback (most recent call last):
    ...
    rtlat.errors.LogError: a.xml:1: found a document type declaration, expected XML without one; rteval writes none
    """
    parser = expat.ParserCreate("utf-8")  # the bytes are UTF-8 by now, whatever the declaration says
    handler = _Handler(source.name, parser)
    parser.StartElementHandler = handler.start
    parser.EndElementHandler = handler.end
    parser.CharacterDataHandler = handler.text
    parser.StartDoctypeDeclHandler = handler.doctype
    parser.EntityDeclHandler = handler.doctype
    for block in source.blocks():
        try:
            parser.Parse(block.data, False)
        except expat.ExpatError as error:
            if handler.ended and not handler.open:
                break  # what stands after the document
            found = f"no XML: {expat.ErrorString(error.code)}"
            raise LogError(source.name, found, "the report of rteval", line=error.lineno) from None
        yield from handler.ended
        handler.ended.clear()
    yield from handler.ended
