"""From paths to one Recording: which logs there are, what each holds, and the card that fills its gaps."""

from __future__ import annotations

import glob
import warnings
from collections.abc import Sequence
from concurrent.futures import Executor
from pathlib import Path, PurePosixPath

from rtlat import cards
from rtlat.assembly import Reading, assemble, concat
from rtlat.carried_data import without_reports
from rtlat.detection import format_named
from rtlat.errors import CardError, LogError, RtlatWarning
from rtlat.protocol import Recording
from rtlat.source import KEEP_SAMPLES, Source, standard_input
from rtlat.store import hand_over
from rtlat.storing.query import is_asked
from rtlat.storing.recall import is_kept, recall, told_apart
from rtlat.urls import files, is_url, shown
from rtlat.weighing import weigh
from rtlat.workers import fill_all

Paths = str | Path | Sequence[str | Path]

_NO_LOGS = ("README", "LICENSE", "CHANGELOG", "SOURCES", "MANIFEST")


def read(
    paths: Paths,
    *,
    format: str | None = None,
    card: str | Path | None = None,
    keep: int = KEEP_SAMPLES,
    executor: Executor | None = None,
    **set: str,
) -> Recording:
    """Read logs into the one schema.

    Parameters
    ----------
    paths : path or sequence of paths
        Files, reports, folders (read with all that is below them but reports), patterns, ``store:QUERY`` for runs of a
        store, or ``-`` for what is piped in.
    format : str, optional
        A format's name, where the content does not decide.
    card : path, optional
        A run card to use instead of the ``runs.toml`` beside each log.
    keep : int
        Samples of one log that are kept as rows; with more, equal values are counted together. [1]
    executor : concurrent.futures.Executor, optional
        What parses the logs where they are many or large: a pool of processes, or a cluster
        (``dask.distributed.Client(...).get_executor()``), whose workers see them under the same paths.
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
    recording, readings = read_all(paths, format=format, card=card, keep=keep, executor=executor, **set)
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
    paths: Paths,
    *,
    format: str | None = None,
    card: str | Path | None = None,
    keep: int = KEEP_SAMPLES,
    executor: Executor | None = None,
    **set: str,
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
    weigh([reading.source for reading in readings if not reading.error], keep)
    fill_all(readings, format_named(format) if format else None, chosen, executor)
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
        if is_url(path):
            listed.append(path)
            continue
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
    if is_url(path):
        return _logs_by_url(str(path), keep)
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


def _logs_by_url(url: str, keep: int) -> list[Reading]:
    """The logs that a URL names: itself, or all files below it or of its pattern. No card is looked for beside them."""
    try:
        found, several = files(url)
    except LogError as error:
        return [Reading(Source(None, shown(url), b""), "", error=error)]
    placed = [file for file in found if not several or not _is_no_log(Path(PurePosixPath(file.path).name))]
    if not placed:
        raise LogError(shown(url), "a place without logs", "at least one log", "check the URL")
    return [
        Reading(
            Source(None, shown(file.url), keep=keep, opener=file.open),
            PurePosixPath(file.path).parent.name,
            named=not several,
        )
        for file in placed
    ]


def _is_no_log(relative: Path) -> bool:
    """Hidden files, cards, claims and the papers that lie beside logs are not even tried."""
    return (
        any(part.startswith(".") for part in relative.parts)
        or relative.name in (cards.CARD_NAME, cards.CLAIMS_NAME)
        or relative.name.upper().startswith(_NO_LOGS)
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
