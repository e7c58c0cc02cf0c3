"""Checked claims as a JUnit report, which CI servers show as tests: a claim is one, and undecided is skipped.

There is no standard. This is what the schema of Apache Ant's reports asks for (windyroad/JUnit-Schema), which is the
strictest that is in use: one outcome for each test, and properties and both outputs in each suite.
"""

from __future__ import annotations

from datetime import UTC, datetime
from xml.etree import ElementTree

from rtlat.claiming.check_views import asserted
from rtlat.claiming.checking import Checked
from rtlat.claiming.findings import REFUTED, SUPPORTED, UNDECIDED, Decision
from rtlat.errors import printable


def junit(checked: Checked, failing: bool = False, now: datetime | None = None) -> str:
    """Return checked claims as JUnit XML.

    Parameters
    ----------
    checked : Checked
        What was found.
    failing : bool
        Whether an undecided claim is a failure.
    now : datetime, optional
        When it was checked.
    """
    failed = (REFUTED, UNDECIDED) if failing else (REFUTED,)
    failures = sum(decision.outcome in failed for decision in checked.decisions)
    skipped = sum(decision.outcome == UNDECIDED for decision in checked.decisions) * (not failing)
    name = printable(checked.path.name)
    suite = {
        "id": "0",
        "package": "rtlat",
        "name": name,
        "timestamp": (now or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%S"),
        "hostname": "localhost",
        "tests": str(len(checked.decisions)),
        "failures": str(failures),
        "errors": "0",
        "skipped": str(skipped),
        "time": "0",
    }
    root = ElementTree.Element("testsuites")
    element = ElementTree.SubElement(root, "testsuite", suite)
    ElementTree.SubElement(element, "properties")
    for decision in checked.decisions:
        _case(element, decision, decision.outcome in failed, name)
    ElementTree.SubElement(element, "system-out").text = "\n".join(map(_line, checked.decisions))
    ElementTree.SubElement(element, "system-err")
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _case(suite: ElementTree.Element, decision: Decision, failed: bool, name: str) -> None:
    """One claim as a test."""
    given = {"name": printable(decision.claim.name), "classname": name, "time": "0"}
    case = ElementTree.SubElement(suite, "testcase", given)
    if failed:
        told = {"message": printable(decision.why), "type": decision.outcome}
        ElementTree.SubElement(case, "failure", told).text = _line(decision)
    elif decision.outcome != SUPPORTED:
        ElementTree.SubElement(case, "skipped", {"message": _line(decision)})


def _line(decision: Decision) -> str:
    """A claim, its outcome and the reason in one line."""
    takes = f"; takes {decision.needs.text}" if decision.needs.text else ""
    return printable(f"{decision.outcome}: {asserted(decision.claim)}: {decision.why}{takes}")
