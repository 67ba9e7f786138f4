"""The command that makes lines wrong and runs their tests."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from tools import mutants

SOURCE = '''
LIMIT = 3  # is no line of a function


def chosen(x: int, limit: int = 7) -> int:
    """Not this -1."""
    if x < limit and not x == 2:
        return take(x, 1.5) + 4
    if x > 9:
        raise ValueError(f"{x + 1}")
    return max(-x, limit)
'''


def test_each_part_of_a_line_that_decides_is_made_wrong() -> None:
    made = mutants.mutants("a.py", SOURCE, set(range(1, 20)))
    found = {(m.line, m.after.strip(), m.kind) for m in made}
    assert found == {
        (7, "if (not (x < limit and (not x == 2))):", "condition"),
        (7, "if (x < limit or not x == 2):", "and, or"),
        (7, "if (x <= limit) and not x == 2:", "comparison"),
        (7, "if x < limit and (x == 2):", "sign"),
        (7, "if x < limit and not (x != 2):", "comparison"),
        (7, "if x < limit and not x == 3:", "constant"),
        (8, "return (take(x, 1.5) - 4)", "operator"),
        (8, "return take(1.5, x) + 4", "order of arguments"),
        (8, "return take(x, 1.5150000000000001) + 4", "constant"),
        (8, "return take(x, 1.5) + 5", "constant"),
        (9, "if (not (x > 9)):", "condition"),
        (9, "if (x >= 9):", "comparison"),
        (9, "if x > 10:", "constant"),
        (11, "return max((x), limit)", "sign"),
    }


def test_lines_that_no_test_executes_are_left_alone() -> None:
    assert {m.line for m in mutants.mutants("a.py", SOURCE, {2, 9})} == {9}


def test_only_the_tests_of_a_line_are_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = tmp_path / "chosen.txt"
    chosen.write_text("t.py::a\nt.py::c[1]")
    items = [SimpleNamespace(nodeid=f"t.py::{name}") for name in ("a", "b", "c[1]", "c[2]")]
    mutants.pytest_collection_modifyitems(every := items.copy())
    assert every == items
    monkeypatch.setenv("MUTANT_TESTS", str(chosen))
    mutants.pytest_collection_modifyitems(every)
    assert {item.nodeid for item in every} == {"t.py::a", "t.py::c[1]"}
