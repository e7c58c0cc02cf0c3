"""JSON read token by token says what the json module says, and keeps the lines that it forgets."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rtlat import jsontext
from rtlat.errors import LogError
from rtlat.source import Line

VALUES = st.integers() | st.floats(allow_nan=False) | st.text() | st.booleans() | st.none()
OBJECTS = st.recursive(
    st.dictionaries(st.text(), VALUES),
    lambda inner: st.dictionaries(st.text(), VALUES | inner | st.lists(VALUES | inner, max_size=4)),
    max_leaves=12,
)


def no_table(path: jsontext.Path) -> bool:
    return False


def numbered(text: str) -> list[Line]:
    return [Line(number, line) for number, line in enumerate(text.split("\n"), 1)]


def flat(value: dict[str, Any] | list[Any], path: tuple[str, ...] = ()) -> dict[tuple[str, ...], str]:
    found = {}
    pairs = value.items() if isinstance(value, dict) else ((str(place), one) for place, one in enumerate(value))
    for key, member in pairs:
        if isinstance(member, dict | list):
            found |= {(*path, key): json.dumps(member)[0]} | flat(member, (*path, key))
        else:
            found[(*path, key)] = member if isinstance(member, str) else json.dumps(member)
    return found


@given(OBJECTS, st.sampled_from([None, 0, 1, 4]))
def test_it_is_the_same_object(value: dict[str, Any], indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    (found,) = jsontext.objects("log", numbered(text), no_table)
    assert isinstance(found, jsontext.Object)
    assert found.whole
    assert {path: member.text for path, member in found.members.items()} == flat(value)


@given(st.dictionaries(st.integers(0, 10**6), st.integers(0, 2**63 - 1), min_size=1))
def test_a_table_rises_and_keeps_its_lines(counts: dict[int, int]) -> None:
    text = json.dumps({"t": {str(key): count for key, count in counts.items()}}, indent=1)
    (found,) = jsontext.objects("log", numbered(text), lambda path: path == ("t",))
    assert isinstance(found, jsontext.Object)
    keys, numbers, lines = found.table("t")
    assert dict(zip(keys.tolist(), numbers.tolist(), strict=True)) == counts
    assert keys.tolist() == sorted(counts)
    for key, line in zip(keys.tolist(), lines.tolist(), strict=True):
        assert f'"{key}": {counts[key]}' in text.split("\n")[line - 1]


@given(st.lists(st.integers(0, 2**63 - 1), min_size=1))
def test_an_array_of_counts_is_a_table(counts: list[int]) -> None:
    text = json.dumps({"t": [7, counts]}, indent=1)
    (found,) = jsontext.objects("log", numbered(text), lambda path: path == ("t", "1"))
    assert isinstance(found, jsontext.Object)
    keys, numbers, lines = found.table("t", "1")
    assert (keys.tolist(), numbers.tolist()) == ([*range(len(counts))], counts)
    assert [int(text.split("\n")[line - 1].strip(" ,")) for line in lines.tolist()] == counts


@pytest.mark.parametrize("member", ["{}", "[1]", '"x"', "-1", "2.5"])
def test_what_is_no_count_damages_a_table(member: str) -> None:
    lines = numbered(f'{{"t": {{"4": 7,\n"5": {member}}}}}')
    (found,) = jsontext.objects("log", lines, lambda path: path == ("t",))
    assert isinstance(found, jsontext.Object)
    with pytest.raises(LogError, match=r"^log:2: found .* expected counts, as in '\"12\": 171'$"):
        found.table("t")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1,}', "log:1: found '}', expected a key of JSON"),
        ('{"a" 1}', "log:1: found '1}', expected : of JSON"),
        ('{"a": }', "log:1: found '}', expected a value of JSON"),
        ('{\n"a": [1,]}', "log:2: found ']}', expected a value of JSON"),
        ('{\n"a": [1 2]}', "log:2: found '2]}', expected , or ] of JSON"),
        ('{"a": [1}', "log:1: found '}', expected , or ] of JSON"),
        ('{"a": [1: 2]}', "log:1: found ': 2]}', expected , or ] of JSON"),
        ('{"a": ]}', "log:1: found ']}', expected a value of JSON"),
        ('{a: 1}', "log:1: found 'a: 1}', expected a key or } of JSON"),
        ('{"a": 1,\n"a": 2}', "log:2: found 'a' twice (first in line 1), expected it once"),
        ('{"a": {"b": 1}, "a": 3}', "log:1: found 'a' twice (first in line 1), expected it once"),
        ('{"a": "b}', "log:1: found '\"b}', expected a value of JSON"),
    ],
)  # fmt: skip
def test_what_is_no_json_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(LogError) as error:
        list(jsontext.objects("log", numbered(text), no_table))
    assert str(error.value) == message


def test_a_cut_object_holds_what_stood_before_the_cut() -> None:
    lines = [Line(1, '{"a": {"b": 1}, "c": {"d": 2,'), Line(2, '"e', whole=False)]
    (found,) = jsontext.objects("log", lines, no_table)
    assert isinstance(found, jsontext.Object)
    assert not found.whole
    assert found.closed == [("a",)]
    assert found.text("c", "d") == "2"


def test_text_between_objects_is_given_in_its_place() -> None:
    found = list(jsontext.objects("log", numbered('one\n{"a": 1} two\n{}\n\nthree'), no_table))
    assert [item.text if isinstance(item, jsontext.Member) else "{}" for item in found] == [
        "one", "{}", " two", "{}", "three",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "number"), [("7", 7), ("-7", -7), ("18446744073709551386", -230), ("9223372036854775807", 2**63 - 1)]
)
def test_a_whole_number_above_63_bits_was_negative(text: str, number: int) -> None:
    (found,) = jsontext.objects("log", [Line(1, f'{{"max": {text}}}')], no_table)
    assert isinstance(found, jsontext.Object)
    assert found.whole_number("max") == number


def table_of(text: str) -> jsontext.Object:
    (found,) = jsontext.objects("log", numbered(text), lambda path: path == ("t",))
    assert isinstance(found, jsontext.Object)
    return found


def test_keys_of_a_table_may_have_decimals_if_all_have() -> None:
    found = table_of('{"t": {"1.000": 4, "0.500": 7}}')
    keys, counts, _ = found.table("t", decimals=3)
    assert (keys.tolist(), counts.tolist()) == ([500, 1000], [7, 4])
    with pytest.raises(LogError, match="^log:1: found counts by numbers with 3 decimals, expected whole numbers"):
        found.table("t")
    for keys_ in ('"1.000": 4, "2": 7', '"1": 4, "2.0": 7', '"1.": 4', '".5": 4', '"-1.5": 4'):
        with pytest.raises(LogError, match="^log:1: found "):
            table_of(f'{{"t": {{{keys_}}}}}').table("t", decimals=1)
