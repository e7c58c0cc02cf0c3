"""What a line of a log says, once everything is gone that loggers, terminals, mails and web pages put around it.

Each tolerance is one rule of this list. What no rule explains stays, for the formats to reject.

==============  ====================================================================
escape codes    colours and titles: ``ESC[32m``, ``ESC]0;...BEL``
repaints        a screen drawn over another: cursor codes, carriage returns
web pages       ``&gt; &#124; &nbsp;``, ``<pre>`` and its kin; ``<br>`` ends a line
blanks          no-break spaces are blanks
quoting         ``> ``, ``>>``, ``> > `` and ``| `` before a line
indentation     as many blanks as the line shows by which the log was recognised
time stamps     dmesg, syslog, journalctl, terminals and CI servers
key echo        ``^C`` before a line
fences          a line of three backquotes says nothing
elisions        a line of dots says that lines were left out (`elisions`)
==============  ====================================================================
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

# `ESC[4Apolicy: fifo: ...`: the cursor goes up and the next screen starts in the middle of a line; rtla top clears
# the terminal before each table: `ESCc     Timer Latency`.
_CURSOR = re.compile(r"\x1b\[\d*(?:;\d*)?[A-HJKf]|\x1bc|\r")
_ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")

_ENTITIES = {
    "&nbsp;": " ",
    "&gt;": ">",
    "&lt;": "<",
    "&quot;": '"',
    "&apos;": "'",
    "&amp;": "&",
}
_NUMBERED = {9, 32, 34, 38, 39, 60, 62, 124, 160}
_ENTITY = re.compile(r"&(?:nbsp|gt|lt|quot|apos|amp|#\d{1,3}|#[xX][0-9a-fA-F]{1,2});")
_TAG = re.compile(r"</?(?:pre|code|tt|samp|kbd|p|div|span|font)(?: [^<>]{0,300})?/?>", re.IGNORECASE)
_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)
_MARKED = re.compile(r"&[a-zA-Z#]|</?(?:pre|code|tt|samp|kbd|p|div|span|font|br)\b", re.IGNORECASE)
_BLANKS = {ord(blank): " " for blank in "\u00a0\u2007\u2009\u202f"} | {ord(none): None for none in "\u200b\u2060\ufeff"}

# `| ` is how some mail programs quote; a row of a Markdown table ends as it begins, and `|     49.833` is the
# rest of a table's line that was broken in two.
_REST = r".*\|\s*$|\s*[-\d.,]*\s*\||\s*-?\d+[.,]\d{3}\s*$|\s*\d\d:\d\d"
_QUOTE = re.compile(rf"(?:> ?|\| (?!{_REST})){{1,20}}")

_MONTH, _CLOCK = r"[A-Z][a-z]{2} {1,2}\d{1,2}", r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_DATE, _ZONE = r"\d{4}-\d\d-\d\d", r"(?:Z|[+-]\d\d:?\d\d)"
_WHO = r"\S{1,100} (?:kernel|[\w./-]{1,100}\[\d{1,9}\]): ?"
_STAMPS = re.compile(
    rf"(?:(?:<\d{{1,3}}>)?{_MONTH} {_CLOCK} \S{{1,100}} [\w./-]{{1,100}}(?:\[\d{{1,9}}\])?: ?"  # syslog, journalctl
    rf"|{_DATE}[T ]{_CLOCK}{_ZONE}? {_WHO}"  # journalctl -o short-iso
    rf"|{_DATE}T{_CLOCK}{_ZONE} "  # docker, CI servers, dmesg --time-format iso
    rf"|(?:<\d{{1,3}}>)?\[ *\d{{1,7}}\.\d{{3,9}}\] ?(?:{_WHO})?"  # dmesg, journalctl -o short-monotonic
    rf"|\[[A-Z][a-z]{{2}} {_MONTH} {_CLOCK} \d{{4}}\] ?"  # dmesg -T
    rf"|\[(?:{_DATE}[T ])?{_CLOCK}{_ZONE}?\] ?"  # picocom, tio, Jenkins
    r"|<\d>){1,4}"
)
_KEYS = re.compile(r"[ \t]{0,99}(?:\^[CZ\\])+")
_ELISION = re.compile(
    rb"\n[>| \t]*+(?:\.{3,}+|\xe2\x80\xa6|\[(?:\.\.\.|\xe2\x80\xa6|snip)\]|\(\.\.\.\)|<snip>)[ \t]*+(?=\n|\Z)"
)
_ELIDED = ((b".", b"..."), (b"\xe2", b"\xe2\x80\xa6"), (b"]", b"snip"), (b">", b"snip"))
_FENCE = re.compile(r"(?:```|~~~)[\w-]{0,20}$")


@dataclass(slots=True)  # not frozen: that would triple the cost of making one
class Line:
    """One line as the formats see it.

    Attributes
    ----------
    number : int
        Line number in the file, from 1. A repainted line gives several of the same number.
    text : str
        What the line says, after every rule of this module.
    quote : int
        How many quoting marks stood before it.
    whole : bool
        False for a last line without a line end: it may be cut and is not data.
    stopped : bool
        Whether ``^C`` stood before it.
    """

    number: int
    text: str
    quote: int = 0
    whole: bool = True
    stopped: bool = field(default=False, repr=False)


def clean(raw: bytes, number: int, whole: bool = True, margin: int = 0) -> Iterator[Line]:
    """Yield what one line of the file shows: one Line, or one for each time it was repainted.

    Parameters
    ----------
    raw : bytes
        The line without its end, in UTF-8.
    number : int
        Its number in the file.
    whole : bool
        Whether it has an end.
    margin : int
        How many blanks may be taken away before it.

    Examples
    --------
    >>> [line.text for line in clean(b"\\x1b[4Apolicy: fifo\\x1b[0m", 1)]
    ['policy: fifo']
    >>> next(clean(b"> > <4>[    1.234567] latency cycles: mean 542", 9))
    Line(number=9, text='latency cycles: mean 542', quote=2, whole=True)
    """
    text = raw.decode("utf-8", "replace")
    pieces = [text]
    if "\x1b" in text or "\r" in text:
        pieces = [_ESCAPE.sub("", piece) for piece in _CURSOR.split(text) if piece.strip()] or [""]
    if ("<" in text or "&" in text) and _MARKED.search(text):
        pieces = [_unmarked(part) for piece in pieces for part in _BREAK.split(piece)]
    for piece in pieces:
        yield _bare(piece if piece.isascii() else piece.translate(_BLANKS), number, whole, margin)


def _unmarked(text: str) -> str:
    """A line of a web page as it is shown."""
    return _ENTITY.sub(_character, _TAG.sub("", text))


def _character(entity: re.Match[str]) -> str:
    """The character an entity stands for, if logs hold it."""
    if entity[0] in _ENTITIES:
        return _ENTITIES[entity[0]]
    digits = entity[0].lower().strip("&#;")
    code = int(digits[1:], 16) if digits.startswith("x") else int(digits)
    return chr(code).replace("\u00a0", " ") if code in _NUMBERED else entity[0]


def _bare(text: str, number: int, whole: bool, margin: int) -> Line:
    """A line without what stands before it."""
    quote, stopped = 0, False
    if text[:1] in (">", "|") and (marks := _QUOTE.match(text)):
        quote = marks[0].count(">") + marks[0].count("|")
        text = text[marks.end() :]
    if margin and text[:1] in (" ", "\t"):
        text = text[min(margin, len(text) - len(text.lstrip())) :]
    if text[:1] in ("<", "[") or text[:1].isupper() or text[:1].isdigit():
        text = text[stamps.end() :] if (stamps := _STAMPS.match(text)) else text
    if "^" in text[:100] and (keys := _KEYS.match(text)):
        stopped, text = True, text[keys.end() :]
    elif text[:3] in ("```", "~~~") and _FENCE.match(text):
        text = ""
    return Line(number, text, quote, whole, stopped)


def elisions(data: bytes, first: int) -> Iterator[int]:
    """Yield the numbers of lines that say that others were left out, if `data` begins with line `first`.

    Examples
    --------
    >>> list(elisions(b"000012 000171\\n...\\n000025 000001\\n> [...]\\n", 7))
    [8, 10]
    """
    if not any(byte in data and mark in data for byte, mark in _ELIDED):  # one byte is found much faster than three
        return
    end, data = 1, b"\n" + data  # a line begins after a line end: to look for these is ten times as fast
    for found in _ELISION.finditer(data):
        first, end = first + data.count(b"\n", end, found.start() + 1), found.start() + 1
        yield first
