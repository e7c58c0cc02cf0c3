"""The JUnit report: held against a schema, read by a program of somebody else's."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
import xmlschema
from junitparser import Failure, JUnitXml, Skipped

import rtlat
from rtlat.claiming.checking import Checked, check
from rtlat.claiming.junit import junit

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = xmlschema.XMLSchema(ROOT / "tests/data/junit.xsd")


@pytest.fixture(scope="module")
def audit() -> Checked:
    """The seeds: one claim of each outcome."""
    return check(ROOT / "data/seeds/claims.toml", rtlat.read(ROOT / "data/seeds"))


def test_the_report_is_valid_and_says_what_was_found(audit: Checked, tmp_path: Path) -> None:
    path = tmp_path / "junit.xml"
    path.write_text(junit(audit), "utf-8")
    SCHEMA.validate(path)
    (suite,) = JUnitXml.fromfile(str(path))
    assert (suite.name, suite.tests, suite.failures, suite.errors, suite.skipped) == ("claims.toml", 3, 1, 0, 1)
    fine, refuted, undecided = suite
    assert fine.is_passed
    assert [type(result) for result in refuted.result] == [Failure]
    assert refuted.result[0].type == "refuted"
    assert "5.2 us is printed" in refuted.result[0].message
    assert [type(result) for result in undecided.result] == [Skipped]
    assert undecided.result[0].message.startswith("undecided: ")
    assert "59,950 of 60,000" in ElementTree.parse(path).findtext("testsuite/system-out", "")


def test_undecided_may_fail(audit: Checked, tmp_path: Path) -> None:
    path = tmp_path / "junit.xml"
    path.write_text(junit(audit, failing=True), "utf-8")
    SCHEMA.validate(path)
    (suite,) = JUnitXml.fromfile(str(path))
    assert (suite.failures, suite.skipped) == (2, 0)
    assert [result.type for case in suite for result in case.result] == ["refuted", "undecided"]


def test_hostile_words_stay_words(tmp_path: Path) -> None:
    claims = tmp_path / "a&b.toml"
    claims.write_text('[[claim]]\nclaim = "max <= 5us"\nname = "<x>\\u0007&\\uFFFE]]>"\nreason = "\\u0000"\n', "utf-8")
    checked = check(claims, rtlat.read(ROOT / "data/seeds/rtirq-results.txt"))
    text = junit(checked)
    SCHEMA.validate(text)
    assert "\x07" not in text
    (suite,) = JUnitXml.fromstring(text.encode())
    assert next(iter(suite)).name == "<x>\\x07&\\ufffe]]>"


@pytest.mark.parametrize(
    ("valid", "broken"),
    [
        ('timestamp="2', 'timestamp="x2'),
        ('hostname="localhost"', ""),
        ("<properties />", ""),
        ('tests="3"', 'tests="x"'),
    ],
)
def test_the_schema_refuses_what_is_not_valid(audit: Checked, valid: str, broken: str) -> None:
    text = junit(audit)
    assert valid in text
    with pytest.raises(xmlschema.XMLSchemaValidationError):
        SCHEMA.validate(text.replace(valid, broken, 1))
