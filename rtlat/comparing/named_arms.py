"""The arms that a command line names: a folder, a pattern or runs of a store are an arm, with their runs as repeats.

Files named one by one are repeats of one arm where they state the same approach, kernel and kernel command line:
``new-*.hist`` arrives as files, not as a pattern.
"""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rtlat.display.look import stated
from rtlat.errors import SelectionError, UsageError
from rtlat.protocol import Recording
from rtlat.storing.query import is_asked
from rtlat.storing.recall import is_kept, known_as, recall

if TYPE_CHECKING:
    from rtlat.assembly import Reading

_TREATMENT = ("approach", "kernel", "cmdline")


def named_arms(
    recording: Recording, readings: Sequence[Reading], candidates: Sequence[str], against: Sequence[str], apart: bool
) -> tuple[dict[str, str], str]:
    """Return the arm of each run and the name of the reference's, all of which is one arm.

    Parameters
    ----------
    recording : Recording
        What was read of both, the candidates first.
    readings : sequence of Reading
        Its logs.
    candidates, against : sequence of str
        The words of the command line.
    apart : bool
        Whether each file is an arm of its own.

    Raises
    ------
    UsageError
        If a log stands on both sides.
    SelectionError
        If nothing was read on one of them.
    """
    origin = dict(_origins(recording, readings, [*candidates, *against]))
    there = {run for run, words in origin.items() if set(words) & set(against)}
    both = [run for run in there if set(origin[run]) & set(candidates)]
    if both:
        raise UsageError(f"{sorted(both)[0]} is named on both sides of --against")
    here = [run for run in origin if run not in there]
    for side, runs in (("to compare", here), ("to compare with", there)):
        if not runs:
            raise SelectionError(f"nothing {side}: no log on that side of --against could be read")
    reference = _title(list(dict.fromkeys(against)), sorted(there))
    arms = dict.fromkeys(there, reference)
    loose = [run for run in here if not _is_many(origin[run][0])]
    groups: dict[tuple[str, ...], list[str]] = {}
    facts = recording.runs.set_index("run")
    for run in loose:
        key = (run,) if apart else tuple(stated(facts.loc[run, name]) for name in _TREATMENT)
        groups.setdefault(key, []).append(run)
    for runs in groups.values():
        arms |= dict.fromkeys(runs, _free(_title([], runs), reference))
    titles = [_title([word], []) for word in candidates if _is_many(word)]
    for run in here:
        if run not in loose:
            title = _title(origin[run][:1], [])
            arms[run] = _free(title if titles.count(title) == 1 else origin[run][0].rstrip("/"), reference)
    order = {run: place for place, run in enumerate(origin)}
    return {run: arms[run] for run in sorted(arms, key=lambda run: order[run])}, reference


def _origins(
    recording: Recording, readings: Sequence[Reading], words: Sequence[str]
) -> Iterator[tuple[str, list[str]]]:
    """Each run with the words that name it; runs stand in the order of their logs, then come those that were kept."""
    logs = [reading for reading in readings for _ in reading.runs]
    kept = {
        word: {run for at in _places(word) if is_kept(at) for run in known_as(recording, recall(at))} for word in words
    }
    for place, run in enumerate(map(str, recording.runs["run"])):
        path = logs[place].source.path if place < len(logs) else None
        named = [word for word in words if place < len(logs) and _names(word, path)]
        yield run, [word for word in words if word in named or run in kept[word]]


def _names(word: str, path: Path | None) -> bool:
    """Whether a word means a log: itself, a folder above it, or a pattern that matches either."""
    if path is None:
        return word == "-"
    target = path.resolve()
    return any(target == (place := Path(each).resolve()) or place in target.parents for each in _places(word))


def _places(word: str) -> list[str]:
    """What a word stands for: itself, or what matches it if it is a pattern."""
    is_pattern = glob.has_magic(word) and not is_asked(word) and not Path(word).exists()
    return glob.glob(word, recursive=True) if is_pattern else [word]


def _is_many(word: str) -> bool:
    """Whether a word may name several logs."""
    return is_kept(word) or Path(word).is_dir() or (glob.has_magic(word) and not Path(word).exists())


def _title(words: Sequence[str], runs: Sequence[str]) -> str:
    """What an arm is called: its folder or pattern, else what its runs' names have in common."""
    if len(words) == 1 and _is_many(words[0]):
        if is_asked(words[0]):
            return words[0]
        return Path(words[0]).resolve().name if Path(words[0]).is_dir() else Path(words[0]).name
    if len(runs) == 1:
        return runs[0]
    first, last = min(runs), max(runs)  # what these two have in common all have
    alike = next((place for place, letter in enumerate(first) if last[place] != letter), len(first))
    common = first[:alike].rstrip("-_. /")
    return f"{common}*" if len(common) > 1 else f"{len(runs)} runs from {runs[0]}"


def _free(name: str, taken: str) -> str:
    """A name that is not the reference's."""
    return name if name != taken else f"{name} (compared)"
