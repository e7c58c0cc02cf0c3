"""From paths to one Recording: which logs there are, what each holds, and the card that fills its gaps."""

from __future__ import annotations

import glob
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rtlat import cards
from rtlat.assembly import Reading, assemble, concat
from rtlat.carried_data import without_reports
from rtlat.detection import format_named, parts, settle_margin
from rtlat.errors import CardError, LogError, RtlatError, RtlatWarning, printable
from rtlat.protocol import Format, Recording, Run
from rtlat.source import KEEP_SAMPLES, Line, Source, standard_input
from rtlat.store import hand_over
from rtlat.storing.query import is_asked
from rtlat.storing.recall import is_kept, recall, told_apart

Paths = str | Path | Sequence[str | Path]

NEAR = 3
"""Dots so many lines before the first number of a run stand in the run."""

_NO_LOGS = ("README", "LICENSE", "CHANGELOG", "SOURCES", "MANIFEST")


def read(
    paths: Paths, *, format: str | None = None, card: str | Path | None = None, keep: int = KEEP_SAMPLES, **set: str
) -> Recording:
    """Read logs into the one schema.

    Parameters
    ----------
    paths : path or sequence of paths
        Files, folders (read with all that is below them), patterns, ``store:QUERY`` for runs of a store, or ``-`` for
        what is piped in.
    format : str, optional
        A format's name, where the content does not decide.
    card : path, optional
        A run card to use instead of the ``runs.toml`` beside each log.
    keep : int
        Samples of one log that are kept as rows; with more, equal values are counted together. [1]
    **set
        Card keys for all runs, such as ``load="idle"`` or ``period="250us"``.

    Returns
    -------
    Recording
        The frames records, runs and series.

    Raises
    ------
    LogError
        If a named file cannot be read, or nothing can. Files of a folder that are no logs are left out
        with a `RtlatWarning`; `read_all` returns them with their reasons.
    CardError
        If a card or a ``set`` word has an unknown key, a bad value, or a pattern that matches nothing.

    Examples
    --------
    >>> recording = read("data/seeds/rtirq-results.txt")
    >>> int(recording.records["n"].sum())
    60000
    """
    recording, readings = read_all(paths, format=format, card=card, keep=keep, **set)
    failed = [reading for reading in readings if reading.error]
    for reading in failed:
        if reading.named and reading.error:
            raise reading.error
    if failed:
        names = ", ".join(reading.source.name for reading in failed[:3])
        more = f" and {len(failed) - 3} more" if len(failed) > 3 else ""
        warnings.warn(f"not read: {names}{more}; rtlat.read_all says why", RtlatWarning, stacklevel=2)
    return recording


def read_all(
    paths: Paths, *, format: str | None = None, card: str | Path | None = None, keep: int = KEEP_SAMPLES, **set: str
) -> tuple[Recording, list[Reading]]:
    """Read logs as `read` does, and say of each what became of it; one bad log never stops the rest.

    Returns
    -------
    Recording
        All that could be read.
    list of Reading
        One per log: its source, the format with the line that decided, its runs, or its error.

    Raises
    ------
    LogError
        If nothing at all could be read.
    CardError
        As for `read`.
    """
    facts = cards.parse_set(set)
    stored: list[Recording] = []
    readings: list[Reading] = []
    for path in _listed(paths):
        if is_kept(path):
            _recall(path, stored, readings)
        else:
            readings += _logs(path, keep)
    if (facts or card) and not readings:
        raise CardError("--card and --set say something of logs; what was named was read before")
    chosen = _cards(readings, card)
    for reading, its_card in zip(readings, chosen, strict=True):
        fill(reading, format_named(format) if format else None, its_card)
    _require_one(readings, stored, paths)
    _require_matches(readings, chosen, card is not None)
    fresh = [assemble(readings, chosen, facts)] if any(reading.runs for reading in readings) else []
    recording = concat(told_apart(fresh + stored)) if stored else fresh[0]
    hand_over(recording)
    return recording, readings


def _listed(paths: Paths) -> list[str | Path]:
    """One path or many, as a list; patterns the shell left alone are expanded."""
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    listed: list[str | Path] = []
    for path in given:
        is_pattern = glob.has_magic(str(path)) and not is_asked(path)
        matches = sorted(glob.glob(str(path), recursive=True)) if is_pattern else []
        listed.extend(matches if matches and not Path(path).exists() else [path])
    return listed


def _recall(path: str | Path, stored: list[Recording], readings: list[Reading]) -> None:
    """Add what rtlat has kept under a name, or why it is not to be had."""
    try:
        stored.append(recall(path))
    except LogError as error:
        readings.append(Reading(Source(None, str(path), b""), "", error=error))


def _logs(path: str | Path, keep: int) -> list[Reading]:
    """The logs a path names: itself, or all files below it."""
    if str(path) == "-":
        return [Reading(standard_input(keep), "")]
    path = Path(path)
    if not path.is_dir():
        name = path.name if path.is_absolute() else path.as_posix()
        source = Source(path, name, keep=keep)
        reading = Reading(source, path.parent.name)
        if not path.exists():
            reading.error = LogError(str(path), "nothing", "a log", "check the path")
        return [reading]
    root = path.resolve()
    files = sorted(file for file in path.rglob("*") if file.is_file() and not _is_no_log(file.relative_to(path)))
    files = without_reports(files)
    if not files:
        raise LogError(str(path), "a folder without logs", "at least one log", "check the path")
    return [
        Reading(
            Source(file, (root.name / file.relative_to(path)).as_posix(), keep=keep),
            file.resolve().parent.name,
            named=False,
        )
        for file in files
    ]


def _is_no_log(relative: Path) -> bool:
    """Hidden files, cards, claims and the papers that lie beside logs are not even tried."""
    return (
        any(part.startswith(".") for part in relative.parts)
        or relative.name in (cards.CARD_NAME, cards.CLAIMS_NAME)
        or relative.name.upper().startswith(_NO_LOGS)
    )


def fill(reading: Reading, format: Format | None, card: cards.Card | None) -> None:
    """Parse one log; what its readers held before an error stays, with a warning."""
    if reading.error:
        return
    try:
        with reading.source.held():
            _fill(reading, format, card)
    except LogError as error:
        reading.error = error


def _fill(reading: Reading, format: Format | None, card: cards.Card | None) -> None:
    """All that is read of one log."""
    try:
        for known, line, part in _parts(reading, format, card):
            reading.claims.append((known, line))
            _parse(reading, known, part)
    except LogError as error:
        reading.error = error
    if not reading.runs:
        return
    if reading.error:
        reading.runs[-1].warnings.append(f"the rest of the log was not read: {reading.error}")
        reading.error = None
    if not any(known.elides for known, _ in reading.claims):
        _note_elisions(reading)
    reading.runs = _without_quoted_repetitions(reading.runs)
    reading.source.sha256  # noqa: B018 (counted while the log is at hand)


def _parse(reading: Reading, known: Format, part: Source) -> None:
    """Add the runs that a format finds, or why it finds none."""
    before = len(reading.runs)
    try:
        for run in known.parse(part):
            run.format = known.name
            reading.runs.append(run)
        if len(reading.runs) == before:
            raise LogError(part.name, "no run", f"what {known.name} gives")
    except LogError as error:
        reading.error = reading.error or error
    except RtlatError as error:
        reading.error = reading.error or LogError(part.name, str(error))
    except Exception as error:  # a reader's defect must not cost the other logs, nor show a traceback
        found = f"something the {known.name} reader does not expect"
        reason = f"{type(error).__name__}: {printable(str(error))[:80]}"
        reading.error = LogError(part.name, f"{found} ({reason})", remedy="please report it with the log")


def _parts(
    reading: Reading, format: Format | None, card: cards.Card | None
) -> list[tuple[Format, Line | None, Source]]:
    """The formats of a log, each with the lines that may be its own: as declared, as asked for, else by content."""
    source = reading.source
    table = card.table(source.path) if card and source.path else None
    if card and table and (format is None or format.name == table[0].name):
        return [(table[0], Line(0, f"the table declared in {card.path}, line {table[1]}"), source)]
    if format:
        settle_margin(source, format)
        return [(format, None, source)]
    return list(parts(source))


def _note_elisions(reading: Reading) -> None:
    """Say where lines were left out by whoever quoted a log; a run without an end of its own counts as cut there."""
    left_out = reading.source.elisions()
    firsts = [int(run.rows.arrays()["line"].min(initial=sys.maxsize)) for run in reading.runs] if left_out else []
    for place, (run, first) in enumerate(zip(reading.runs, firsts, strict=False)):
        begin, end = 0 if place == 0 else first, min((n for n in firsts if n > first), default=sys.maxsize)
        found = [number for number in left_out if begin <= number < end]
        if found:
            more = f", and in {len(found) - 1} more" if len(found) > 1 else ""
            run.warnings.append(f"line {found[0]}: dots stand where lines were left out{more}")
        within = any(number >= first - NEAR for number in found)  # a mail may have left out what stood long before
        if within and run.facts.get("ended", "unknown") == "unknown":
            run.facts["ended"] = "cut"


def _without_quoted_repetitions(runs: list[Run]) -> list[Run]:
    """Drop runs that only quote another run of the same mail (`>latency cycles: mean 542, ...`)."""
    kept: list[Run] = []
    for run in sorted(runs, key=lambda run: run.quoted):
        same = [other for other in kept if run.quoted and _equal(other, run)]
        if same:
            line = int(run.rows.arrays()["line"].min())
            same[0].ignored.add("quoted repetition of this run", line, len(run.rows))
        else:
            kept.append(run)
    return [run for run in runs if any(run is other for other in kept)]


def _equal(one: Run, other: Run) -> bool:
    """Whether two runs state the same, wherever they stand."""
    mine, theirs = one.rows.arrays(), other.rows.arrays()
    return one.tool == other.tool and all(
        np.array_equal(mine[name], theirs[name], equal_nan=mine[name].dtype == np.float64)
        for name in mine
        if name != "line"
    )


def _require_one(readings: list[Reading], stored: list[Recording], paths: Paths) -> None:
    """Raise if nothing could be read: the one reason, or how many there are."""
    if stored or any(reading.runs for reading in readings):
        return
    errors = [reading.error for reading in readings if reading.error]
    if len(errors) == 1:
        raise errors[0]
    places = paths if isinstance(paths, str | Path) else ", ".join(map(str, paths))
    raise LogError(str(places), f"{len(errors)} files and no log among them (first: {errors[0]})", "at least one log")


def _cards(readings: list[Reading], given: str | Path | None) -> list[cards.Card | None]:
    """The card of each log: the one given, else the one beside it."""
    if given is not None:
        return [cards.load(Path(given))] * len(readings)
    loaded: dict[Path, cards.Card] = {}
    chosen: list[cards.Card | None] = []
    for reading in readings:
        path = cards.beside(reading.source.path) if reading.source.path and not reading.error else None
        if path and path not in loaded:
            loaded[path] = cards.load(path)
        chosen.append(loaded[path] if path else None)
    return chosen


def _require_matches(readings: list[Reading], chosen: list[cards.Card | None], given: bool) -> None:
    """Every pattern of every card that says something of a log that was read must match a log."""
    used = {id(card): card for reading, card in zip(readings, chosen, strict=True) if card and (given or reading.runs)}
    for card in used.values():
        logs = {} if given else {file: 0 for file in card.path.parent.rglob("*") if file.is_file()}
        paths = {reading.source.path: len(reading.runs) for reading in readings if reading.source.path}
        logs.update({path: runs for path, runs in paths.items() if given or path in logs})
        card.require_matches(logs)
