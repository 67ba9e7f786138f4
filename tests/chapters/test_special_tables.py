"""The tables of the special functions are what the tool that made them computes with mpmath."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from parametrize import others_nightly

from ascend_array_api._routes import _tables
from ascend_array_api._routes._expansions import temme

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import special_tables as tool

TEXT = Path(_tables.__file__).read_text(encoding="utf-8")


def test_the_tool_knows_all_tables() -> None:
    assert {name for name in vars(_tables) if name.isupper()} == set(tool.NAMES)


@pytest.mark.parametrize("name", others_nightly(tool.NAMES, 9))
def test_tables_are_computed_to_the_last_bit(name: str) -> None:
    computed = tool.table(name)
    assert computed == getattr(_tables, name)
    assert f"\n{name}: Final = {tool.rendered(computed)}\n" in TEXT


def test_a_wrong_table_is_found_and_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    right: Any = _tables.LGAMMA
    copy = tmp_path / "tables.py"
    copy.write_text(TEXT.replace(repr(right[3]), "0.25"))
    monkeypatch.setattr(_tables, "__file__", str(copy))
    assert tool.main(["LGAMMA", "DIGAMMA"]) == 0
    monkeypatch.setattr(_tables, "LGAMMA", (*right[:3], 0.25, *right[4:]))
    assert tool.main(["LGAMMA", "DIGAMMA"]) == 1
    assert tool.main(["--write", "LGAMMA", "DIGAMMA"]) == 1
    assert capsys.readouterr().out.count("LGAMMA") == 2
    assert copy.read_text() == TEXT


def test_the_coefficients_of_temmes_expansion_are_rounded_once() -> None:
    # N. Temme, 1979: those of eta, and those where x is a, each the float64 nearest to a fraction.
    rows = temme(17, 16, 15, 13, 11, 11, 10, 8, 7, 5, 3, 1)
    assert rows[0][:5] == (-1 / 3, 1 / 12, -2 / 135, 1 / 864, 1 / 2835)
    least = [row[0] for row in rows[:5]]
    assert least == [-1 / 3, -1 / 540, 25 / 6048, 101 / 155520, -3184811 / 3695155200]
    assert (rows[0][-1], rows[-1]) == (-5.830772132550426e-11, (0.001579727660730835,))
    assert temme(9, 9, 9) == tuple(row[:9] for row in rows[:3])
