"""The schema refuses what would count an observation twice or lose its source."""

from __future__ import annotations

from typing import Any

import pytest

from rtlat import frames
from rtlat.errors import SchemaError
from rtlat.frames import frame, validate
from rtlat.schema import RECORDS, RUNS, SERIES, count, duration_ns, to_ns

BIN = {
    "run": ["a", "a"],
    "series": ["t0", "t0"],
    "quantity": ["thread", "thread"],
    "kind": ["bin", "bin"],
    "of": ["all", "all"],
    "low": [0.0, 1000.0],
    "high": [1000.0, float("inf")],
    "n": [5, 1],
    "unit": ["ns", "ns"],
    "line": [3, 9],
}
RUN = {"run": ["a"], "source": ["lab/a.txt"], "ended": ["complete"], "evidence": ["log"], "rounding": ["truncated"]}


def check(change: dict[str, Any] | None = None, run: dict[str, Any] | None = None) -> None:
    records = frame(RECORDS, BIN | (change or {}))
    validate(records, frame(RUNS, RUN | (run or {})), frame(SERIES, {"run": ["a"], "series": ["t0"]}))


def test_a_histogram_with_overflow_is_valid() -> None:
    check()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"low": [0.0, 900.0]}, "lab/a.txt:9: column low, row 1: .* would count twice"),
        ({"low": [2000.0, 1000.0]}, "lab/a.txt:3: column low, row 0: .* lies above high"),
        ({"high": [0.0, 9000.0]}, "lab/a.txt:3: column high, row 0: .* in a bin"),
        ({"low": [float("nan"), 1000.0]}, "lab/a.txt:3: column low, row 0: nan is NaN"),
        ({"kind": ["sample", "bin"]}, "column high, row 0: .* differs from low in a sample"),
        ({"kind": ["quantile", "bin"]}, "column n, row 0"),
        ({"kind": ["bucket", "bin"]}, "records: row 0: kind 'bucket' is none of sample, bin"),
        ({"unit": ["us", "us"]}, "unit 'us' is none of ns, cycles, unknown"),
        ({"run": ["a", "b"]}, "column run, row 1: 'b' is no key of runs"),
        ({"line": [-1, 9]}, "column line, row 0: -1 is negative"),
        ({"q": [0.5, float("nan")]}, "column q, row 0: 0.5 belongs to quantile rows"),
    ],
)
def test_each_breach_names_column_row_and_line(change: dict[str, Any], message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        check(change)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("warnings", "none"),
        ("warnings", '{"a": 1}'),
        ("warnings", "[1]"),
        ("warnings", "[" * 100_000),
        ("ignored_lines", "[]"),
        ("rejected_lines", '{"prose": [1]}'),
        ("rejected_lines", '{"prose": [1, "<b>"]}'),
    ],
)
def test_what_runs_tell_in_json_has_its_shape(name: str, text: str) -> None:
    with pytest.raises(SchemaError, match=rf"column {name}, row 0: .* is not the JSON") as caught:
        check(run={name: [text]})
    assert len(str(caught.value)) < 200
    check(run={"warnings": ['["line 3: odd"]'], "ignored_lines": ['{"prose": [2, 3]}'], "rejected_lines": [""]})


def test_bins_of_other_populations_may_overlap() -> None:
    check({"of": ["min", "max"], "low": [0.0, 500.0]})


def test_a_missing_column_and_a_wrong_dtype_are_named() -> None:
    records, runs, series = frame(RECORDS, BIN), frame(RUNS, RUN), frame(SERIES, {"run": ["a"], "series": ["t0"]})
    with pytest.raises(SchemaError, match="records: columns are"):
        validate(records.drop(columns="low"), runs, series)
    with pytest.raises(SchemaError, match="records: column low has dtype int64, expected float64"):
        validate(records.astype({"low": "int64"}), runs, series)


def test_one_key_one_run() -> None:
    with pytest.raises(SchemaError, match="the key 'a' stands twice"):
        check(run={name: values * 2 for name, values in RUN.items()})


def test_minus_one_is_missing_in_integer_columns() -> None:
    records = frame(RECORDS, BIN | {"n": [-1, 0], "seq": [None, 7]})
    assert records["n"].isna().tolist() == [True, False]
    assert records["seq"].isna().tolist() == [True, False]
    assert records["missed"].isna().all()


@pytest.mark.parametrize("text", ["1e400", "nan", "inf", "", "1,5", "0x10", "1e-99", "--1"])
def test_what_is_no_latency_is_no_number(text: str) -> None:
    with pytest.raises(ValueError, match="number"):
        to_ns(text, "us")


def test_decimals_are_scaled_exactly() -> None:
    assert [to_ns(f"{value}.{tenth}", "us") for value in range(10) for tenth in range(10)] == [
        float(100 * number) for number in range(100)
    ]


@pytest.mark.parametrize("text", ["-1", "1.0", "９", "", "9223372036854775808", "9" * 5000])
def test_what_no_counter_holds_is_no_count(text: str) -> None:
    with pytest.raises(ValueError, match="count"):
        count(text)
    assert count("9223372036854775807") == 2**63 - 1


@pytest.mark.parametrize("text", ["250", "us", "5 parsec", "1h30"])
def test_a_duration_needs_its_unit(text: str) -> None:
    with pytest.raises(ValueError, match=r"unit|number"):
        duration_ns(text)


@pytest.mark.parametrize("at_once", [1, 4, 1 << 18])
@pytest.mark.parametrize("order", [[0, 0, 1, 1, 2, 2], [0, 1, 2, 0, 1, 2]])
def test_a_breach_is_found_wherever_its_run_stands(
    monkeypatch: pytest.MonkeyPatch, at_once: int, order: list[int]
) -> None:
    monkeypatch.setattr(frames, "_ROWS_AT_ONCE", at_once)
    columns: dict[str, Any] = {name: values[:1] * 6 for name, values in BIN.items()}
    columns["run"] = [f"r{number}" for number in order]
    second = [order[:place].count(number) for place, number in enumerate(order)]
    columns["low"] = [1000.0 * place for place in second]
    columns["high"] = [1000.0 * (place + 1) for place in second]
    columns["line"] = list(range(3, 9))
    runs = {name: values * 3 for name, values in RUN.items()} | {"run": ["r0", "r1", "r2"]}
    series = frame(SERIES, {"run": ["r0", "r1", "r2"], "series": ["t0"] * 3})
    validate(frame(RECORDS, columns), frame(RUNS, runs), series)
    for row in (row for row in range(6) if second[row]):
        bent = columns | {"low": [low - 1 if place == row else low for place, low in enumerate(columns["low"])]}
        with pytest.raises(SchemaError, match=f"lab/a.txt:{row + 3}: column low, row {row}: .* would count twice"):
            validate(frame(RECORDS, bent), frame(RUNS, runs), series)
