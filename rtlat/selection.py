"""What a question is about: rows of one quantity in one unit, none of which counts an observation twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rtlat.distribution import answer
from rtlat.errors import SelectionError, nearest
from rtlat.intervals import Distribution
from rtlat.protocol import Recording
from rtlat.statements import Group, groups

if TYPE_CHECKING:
    import pandas as pd

Names = str | Sequence[str] | None

KEYS = ["run", "series", "quantity"]


def select(
    records: pd.DataFrame,
    run: Names = None,
    series: Names = None,
    quantity: Names = None,
    *,
    kind: Names = None,
    of: Names = "all",
) -> pd.DataFrame:
    """Return the records of a selection within which `n` may be added.

    Parameters
    ----------
    records : DataFrame
        As in `rtlat.schema.RECORDS`.
    run, series, quantity, kind, of : str or sequence of str, optional
        What to keep; everything where not given, but of rows only those about all observations.

    Raises
    ------
    SelectionError
        If nothing is left, a name is unknown, or what is left mixes quantities, units, rows about different
        observations, or kinds of rows that tell the same observations twice. The message names the choices.
    """
    chosen = _filtered(records, run=run, series=series, quantity=quantity, kind=kind, of=of)
    for name in ("quantity", "unit", "of"):
        refuse_mixture(name, [str(value) for value in chosen[name].unique()])
    kinds = chosen[[*KEYS, "kind"]].drop_duplicates()
    if kinds.duplicated(KEYS).any():
        refuse_mixture("kind", [str(value) for value in kinds["kind"].unique()])
    return chosen


def _filtered(records: pd.DataFrame, **wanted: Names) -> pd.DataFrame:
    """The rows with the wanted names."""
    for column, names in wanted.items():
        if records.empty:
            break
        if names is None:
            continue
        names = [names] if isinstance(names, str) else [str(name) for name in names]
        known = [str(value) for value in records[column].unique()]
        for name in names:
            if name not in known:
                raise SelectionError(f"no {column} {name!r} in the selection{nearest(name, known)}")
        records = records[records[column].isin(names).to_numpy()]
    if records.empty:
        raise SelectionError("the selection holds no rows")
    return records


def refuse_mixture(what: str, values: Sequence[str]) -> None:
    """Raise if the values differ, naming them.

    Raises
    ------
    SelectionError
        Such as ``the selection mixes quantity irq, thread: choose one with quantity=``.
    """
    values = sorted(set(values))
    if len(values) > 1:
        how = "split it" if what == "unit" else f"choose one with {what}="
        raise SelectionError(f"the selection mixes {what} {', '.join(values)}: {how}")


def answers(recording: Recording, run: Names, series: Names, quantity: Names) -> list[tuple[Group, Distribution]]:
    """Return the series of a selection of one quantity and one unit, each with its distribution.

    Raises
    ------
    SelectionError
        If nothing is left, a name is unknown, or quantities or units are mixed.
    """
    records = _filtered(recording.records, run=run, series=series, quantity=quantity)
    found = [(group, answer(group)) for group in groups(recording._replace(records=records))]
    refuse_mixture("quantity", [d.quantity for _, d in found])
    refuse_mixture("unit", [shown_unit(d) for _, d in found])
    return found


def shown_unit(d: Distribution) -> str:
    """Return the unit in which a distribution is shown: us for ns; cycles and unknown as they are."""
    return "us" if d.unit == "ns" else d.unit


def divisor(d: Distribution) -> float:
    """Return what the shown unit is in stored ones; to divide by it keeps 400 ns at 0.4 us."""
    return 1000.0 if d.unit == "ns" else 1.0
