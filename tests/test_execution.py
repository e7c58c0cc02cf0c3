from __future__ import annotations

from pathlib import Path

import pytest
from nbformat.v4 import new_notebook

from rtlat.errors import KernelLostError, ReportError
from rtlat.reporting.execution import executed


@pytest.mark.parametrize(
    ("kind", "lost"),
    [("NoSuchKernel", False), ("ValueError", False), ("FileNotFoundError", False), ("RuntimeError", True)],
)
def test_a_kernel_that_does_not_start_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, lost: bool
) -> None:
    import papermill
    from jupyter_client.kernelspec import NoSuchKernel

    def fail(*_: object, **__: object) -> None:
        raise {"NoSuchKernel": NoSuchKernel, **__builtins__}[kind]("python3\n")  # type: ignore[dict-item]

    monkeypatch.setattr(papermill, "execute_notebook", fail)
    with pytest.raises(ReportError, match=r"n.ipynb: .*python3") as caught:
        executed(tmp_path / "n.ipynb", new_notebook(), {}, tmp_path / "draft.ipynb", lambda _: None, None, {})
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, KernelLostError) == lost
