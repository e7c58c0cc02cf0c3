from __future__ import annotations

import math
import re

import pandas as pd

from rtlat.display import answers
from rtlat.statistics.results import Bounds, refused


def text(html: str) -> str:
    """Return what a reader sees."""
    return re.sub(r"<[^>]*>", "", html)


def runs_of(**columns: list[object]) -> pd.DataFrame:
    """Return runs; what is not given is not stated."""
    size = len(next(iter(columns.values())))
    rest = {"run": [f"r{place}" for place in range(size)], "group": [""] * size, "approach": [""] * size}
    rest |= {"load": ["idle"] * size, "tool": ["cyclictest"] * size, "duration": [60.0] * size}
    return pd.DataFrame(rest | columns)


def test_what_was_compared_stands_in_one_paragraph() -> None:
    runs = runs_of(approach=["EVL", "<b>", "EVL"], load=["idle", "", "idle"], duration=[60.0, 3600.0, math.nan])
    assert text(answers.about(runs)) == (
        "3 runs of EVL (2), &lt;b&gt; (1); load: idle (2), unknown (1); measured by cyclictest; each 1 min to 1 h "
        "(1 do not tell)."
    )
    assert text(answers.about(runs_of(approach=["EVL"]))) == (
        "1 run of EVL; load: idle; measured by cyclictest; 1 min."
    )
    many = runs_of(approach=[f"a{place}" for place in range(9)], duration=[math.nan] * 9)
    assert "a0 (1), a1 (1), a2 (1) and 6 more" in text(answers.about(many))
    assert "of unknown duration" in text(answers.about(many))


def row(run: str, iqr: Bounds, spread: Bounds, quantity: str = "thread") -> dict[str, object]:
    """Return a row of a summary."""
    return {"run": run, "name": run, "quantity": quantity, "unit": "us", "iqr": iqr, "range": spread}


def test_the_steadiest_run_is_named_by_each_figure() -> None:
    narrow, wide, none = Bounds(1, 2, "ok"), Bounds(8, 9, "ok"), refused("no samples")
    names = ("iqr", "range")
    apart = pd.DataFrame([row("<a>", narrow, wide), row("b", wide, narrow), row("c", none, Bounds(0, math.inf, "ok"))])
    assert text(answers.jitter(apart, names)) == (
        "thread [us]: the steadiest of 3 is by iqr &lt;a&gt; (1-2 us), by range b (1-2 us). The figures do not agree."
    )
    alike = pd.DataFrame([row("a", narrow, narrow), row("b", wide, wide)])
    assert "All figures name the same run." in text(answers.jitter(alike, names))
    assert "No run here tells" in answers.jitter(pd.DataFrame([row("a", none, none)]), names)


def test_quantities_beyond_the_first_are_folded_away() -> None:
    narrow = Bounds(1, 2, "ok")
    rows = [row("a", narrow, narrow, quantity) for quantity in ("irq", "thread", "user", "noise")]
    told = answers.jitter(pd.DataFrame(rows), ("iqr",))
    assert told.index("thread") < told.index("<details><summary>2 more quantities") < told.index("user")
