from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from rtlat.errors import ReportError
from rtlat.reporting.parameters import checked, inspect, parameters_of

SOURCE = """\
# what the notebook asks
data: list[str] = ["../data"]  # files, folders or patterns
limit: float = 50.0  # in us, p = 0.05
cpu: int | None = None  # None: all
pooled: bool = True
quantity: "str" = ""
percentiles: list[float] = [
    50,
    99.9,
]  # which
plain = 3
computed: int = len("abc")
"""


def test_parameters_are_seen_as_python_sees_them() -> None:
    found = inspect(SOURCE)
    assert [(name, parameter.annotation, parameter.default) for name, parameter in found.items()] == [
        ("data", "list[str]", ["../data"]),
        ("limit", "float", 50.0),
        ("cpu", "int | None", None),
        ("pooled", "bool", True),
        ("quantity", "str", ""),
        ("percentiles", "list[float]", [50, 99.9]),
        ("plain", "int", 3),
        ("computed", "int", None),
    ]
    assert found["limit"].help == "in us, p = 0.05"
    assert found["percentiles"].help == "which"
    assert found["pooled"].help == ""


def test_only_the_tagged_cell_counts() -> None:
    cells = [new_code_cell("other: int = 1"), new_code_cell("limit: int = 2", metadata={"tags": ["parameters"]})]
    assert list(parameters_of(new_notebook(cells=cells))) == ["limit"]
    assert parameters_of(new_notebook(cells=cells[:1])) == {}


def test_a_cell_that_is_no_python_is_refused() -> None:
    with pytest.raises(ReportError, match="no Python: line 2"):
        inspect("a = 1\n%matplotlib inline")


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("limit", "5", 5.0),
        ("limit", "1e-3", 0.001),
        ("limit", 5, 5.0),
        ("cpu", "3", 3),
        ("cpu", "None", None),
        ("cpu", None, None),
        ("pooled", "false", False),
        ("pooled", "True", True),
        ("pooled", False, False),
        ("quantity", "3.10", "3.10"),
        ("quantity", Path("a b"), "a b"),
        ("percentiles", "50, 99.999", [50.0, 99.999]),
        ("percentiles", (50, 99), [50.0, 99.0]),
        ("data", "a,b", ["a", "b"]),
        ("plain", "007", 7),
    ],
)
def test_values_take_the_type_of_their_annotation(name: str, given: object, value: object) -> None:
    result = checked({name: given}, inspect(SOURCE), "x.ipynb")[name]
    assert result == value
    assert type(result) is type(value)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("limit", "50us"),
        ("limit", "nan"),
        ("limit", True),
        ("limit", [5]),
        ("cpu", "3.5"),
        ("cpu", 3.0),
        ("pooled", "maybe"),
        ("pooled", 1),
        ("quantity", 3),
        ("percentiles", "50,p99"),
        ("percentiles", 50),
        ("plain", "three"),
    ],
)
def test_values_of_another_type_are_refused(name: str, given: object) -> None:
    with pytest.raises(ReportError, match=rf"x.ipynb: parameter {name}: found .*, expected "):
        checked({name: given}, inspect(SOURCE), "x.ipynb")


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(ReportError, match="x.ipynb has no parameter 'qantity'; did you mean 'quantity'"):
        checked({"qantity": "irq"}, inspect(SOURCE), "x.ipynb")
    with pytest.raises(ReportError, match="it has none"):
        checked({"limit": 1}, {}, "x.ipynb")


def test_values_survive_papermill(tmp_path: Path) -> None:
    """papermill writes them as Python source: reading that source gives them back."""
    from papermill.parameterize import parameterize_notebook

    cell = new_code_cell(SOURCE, metadata={"tags": ["parameters"]})
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    node = new_notebook(cells=[cell], metadata={"kernelspec": kernel})
    node.metadata["papermill"] = {}
    values = checked({"quantity": 'ä "\\ {x}', "percentiles": "50,99.9", "cpu": "3"}, inspect(SOURCE), "x.ipynb")
    injected = parameterize_notebook(nbformat.from_dict(node), values).cells[1].source
    assert {name: parameter.default for name, parameter in inspect(injected).items()} == values
