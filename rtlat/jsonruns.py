"""A run for each JSON object of a log: what all tools that print one object a run have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from rtlat import jsontext
from rtlat.errors import LogError
from rtlat.protocol import Run, Tally
from rtlat.source import Line


def runs(
    where: str,
    lines: Iterable[Line],
    is_table: Callable[[jsontext.Path], bool],
    run_of: Callable[[jsontext.Object], Run],
    expected: str,
) -> Iterator[Run]:
    """Yield a run for each JSON object; the text around an object is ignored, and counted.

    Parameters
    ----------
    where : str
        The log's name.
    lines : iterable of Line
        Its lines.
    is_table : callable
        Whether the object or array at a path holds many numbers (see `rtlat.jsontext.objects`).
    run_of : callable
        Makes a run of an object.
    expected : str
        What the log should hold, for the message.

    Raises
    ------
    LogError
        If there is no object, or what `run_of` raises.

    Examples
    --------
    >>> lines = [Line(1, "some text"), Line(2, '{"tool": "demo"}')]
    >>> (run,) = runs("demo.json", lines, lambda path: False, lambda found: Run(found.text("tool")), "a demo")
    >>> run.tool, run.ignored.reasons
    ('demo', {'text around the JSON': [1, 1]})
    """
    run: Run | None = None
    around = Tally()
    for found in jsontext.objects(where, lines, is_table):
        if isinstance(found, jsontext.Member):
            around.add("text around the JSON", found.line.number)
        elif run and not found.whole:
            run.warnings.append("the log ends inside another JSON object, which is not read")
        else:
            if run:
                yield run
                around = Tally()
            run = run_of(found)
            run.ignored = around
    if not run:
        raise LogError(where, "no JSON object", expected)
    yield run
