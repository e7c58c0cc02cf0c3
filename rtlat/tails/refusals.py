"""Why a tail is not extrapolated, and what would help: a refusal is a value, so that what follows goes on."""

from __future__ import annotations

from dataclasses import dataclass

from rtlat.errors import nearest
from rtlat.intervals import Distribution

REMEDIES = {
    "summary only": "record a histogram (cyclictest -h) or samples (-v): a summary has no tail",
    "windows only": "use the maxima of the windows (block maxima), or record a histogram or samples",
    "incomplete": "repeat the run and let the tool end by itself, so that nothing of its tail is missing",
    "not counted": "give a log whose rows count single observations",
    "n unknown": "give a log that says how many observations it counts",
    "unit unknown": "give the unit or the clock rate, in a run card or with --set cpu_mhz=",
    "too few": "run longer, or pool the runs of one configuration",
    "discrete": "measure in finer steps (cyclictest in ns, a finer histogram)",
    "overflow": "repeat with a histogram that reaches beyond the tail (cyclictest -h with a larger number)",
    "misfit": "read the observed percentiles with their intervals; look at the mean excess for where the tail changes",
    "second mode": "find what causes the second mode (a device, SMI, another load), and measure it by itself",
    "bursts": "use the maxima of blocks longer than a burst",
    "drift": "find what changed during the run (warming up, load), and fit the part that is stationary",
    "uncertain": "run longer: the shape of the tail is not known well enough to extrapolate",
    "within the data": "read the percentile: the data reach that far by themselves",
    "beyond the data": "run longer, or ask for a level at most 10 times (as an interval 100 times) beyond the data",
}
"""The kinds of refusals, each with what would help."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that the data cannot support.

    Attributes
    ----------
    kind : str
        One of `REMEDIES`.
    reason : str
        What was found, with its numbers.

    Examples
    --------
    >>> print(Refusal("too few", "12 observations exceed the threshold, 50 are needed").text())
    refused: 12 observations exceed the threshold, 50 are needed; run longer, or pool the runs of one configuration
    """

    kind: str
    reason: str

    def __post_init__(self) -> None:
        if self.kind not in REMEDIES:
            raise ValueError(f"no kind of refusal {self.kind!r}{nearest(self.kind, REMEDIES)}")

    @property
    def remedy(self) -> str:
        """What would help."""
        return REMEDIES[self.kind]

    def text(self) -> str:
        """Return reason and remedy in one line."""
        return f"refused: {self.reason}; {self.remedy}"


def uncounted(d: Distribution) -> Refusal | None:
    """Return why the observations of a distribution cannot be counted, None if they can.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> uncounted(counted([])).reason, uncounted(counted([1]))
    ('no observation', None)
    """
    if d.refusal:
        return Refusal("not counted", d.refusal)
    return Refusal("n unknown", "the number of observations is unknown") if d.total is None else None
