"""The command ``python -m workshop compare``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from processes import python

import ascend_array_api as xp
from conformance.errors import SetupError
from workshop.compare import Part, _compare, _names, shares
from workshop.samples.comparison import compared

if TYPE_CHECKING:
    from pathlib import Path


def test_calls_are_shared_out_among_all_functions_and_dtypes() -> None:
    cells = [(name, dtype) for name, dtypes in compared().items() for dtype in dtypes]
    parts = shares(cells, 3_000_000, 1)
    assert {(p.name, p.dtype) for p in parts} == set(cells)
    assert 3_000_000 <= sum(p.wanted for p in parts) < 3_000_000 + len(cells)
    assert len({p.seed for p in parts}) == len(parts)
    assert parts == shares(cells, 3_000_000, 1) != shares(cells, 3_000_000, 2)


def test_a_wrong_answer_is_a_difference_with_its_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    part = Part("add", "int32", 7, 50)
    monkeypatch.setenv("AAA_TEST_EXAMPLES", "1")  # so many of them
    done = _compare(part)
    assert (done.calls, done.problem) == (50, "")
    assert done.elements > 50
    right = xp.add

    def wrong(x1: Any, x2: Any, /) -> Any:
        total = right(x1, x2)
        return xp.where(total == 0, 1, total)

    monkeypatch.setattr(xp, "add", wrong)
    assert "add(*(" in _compare(part).problem


def test_the_command_says_what_it_compared(tmp_path: Path) -> None:
    arguments = ("-m", "workshop", "compare", "-k", "flip", "--cases", "40", "--jobs", "1")
    done = python(*arguments, "--seed", "3", "--json", str(tmp_path / "parts.json"))
    calls = sum(part["calls"] for part in json.loads((tmp_path / "parts.json").read_text()))
    assert f"{calls} calls of 1 functions, 14 cells" in done.stdout
    assert ": 0 with a difference" in done.stdout
    with pytest.raises(SetupError, match="nothing is compared of flap"):
        _names(["flap"])
