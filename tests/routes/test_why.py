"""``python -m ascend_array_api why``: which row decides, and why."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest
import torch
from parametrize import one_of_each

import ascend_array_api
from ascend_array_api._devices import backends
from ascend_array_api._doctor import why
from ascend_array_api._routes._operations import OPS, ROWS, rows_in, rows_of
from ascend_array_api._routes._rows import Row
from ascend_array_api._torch import dtypes as dt

ROOT = Path(ascend_array_api.__file__).parents[1]
TYPES = (*backends._OWN, "mesh")
MAKERS = (
    "Row|_rows?|by_rules|on_parts|computed_wide|composed|refined|widened|_power|_signed|_by_small"
    "|_division"
)
"""The functions that make rows."""


def test_the_row_is_named_by_the_line_that_makes_it() -> None:
    for row in (*ROWS, *(row for device_type in TYPES for row in rows_of(device_type))):
        file, _, line = row.place.rpartition(":")
        written = Path(file).read_text().splitlines()[int(line) - 1]
        assert Path(file).is_relative_to(ROOT / "ascend_array_api")
        made = re.search(rf"\b({MAKERS})\(", written)
        assert made, f"{row.place} makes no row: {written}"


def kind(dtype: torch.dtype) -> tuple[bool, bool]:
    """Return what one data type of is drawn."""
    return dtype.is_floating_point, dtype.is_complex


@pytest.mark.parametrize("device_type", TYPES)
def test_every_question_has_an_answer(device_type: str) -> None:
    backend = backends.find(device_type)
    overriding = rows_in(backend.overriding)
    rows: dict[str, list[Row]] = {}
    for row in (*overriding, *rows_of(device_type), *ROWS):
        rows.setdefault(str(Path(row.place).relative_to(ROOT)), []).append(row)
    for op in OPS.values():
        for dtype in one_of_each(sorted(op.dtypes, key=str), kind, op.name):
            said = why.explain(op.name, dt.NAMES[dtype], device_type)
            row = op.row(dtype, backend)
            assert said.startswith(f"{op.name} of {dt.NAMES[dtype]} on {device_type}: ")
            if row is None:
                assert "No row is for it." in said
                named = re.findall(
                    r"ascend_array_api/\S+\.py(?=, for all|$)", " ".join(said.split())
                )
                assert all((ROOT / name).is_file() for name in named), named
            else:
                assert str(Path(row.place).relative_to(ROOT)) in said
                assert row.reason.split()[0] in said
            others = said.partition("Rows for it that do not decide here")[2]
            for place in re.findall(r"^  row +(\S+)$", others, re.MULTILINE):
                assert any(op.name in r.ops.split() and dtype in r.dtypes for r in rows[place])


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("remainder float32 npu", "remainder of float32 on npu: Compose, _remainder at "),
        ("remainder float32 npu", "the kernel rounds twice, and overflows for huge quotients"),
        ("linalg.eigh float32 npu", "aten::_linalg_eigh"),
        ("sort uint16 cpu", "Ordered()"),
        ("add float32 cpu", "torch's own function, torch.add"),
        ("linalg.inv float32 cpu", "Compose, torch.linalg.inv"),
        ("linalg.inv int8 npu", "the operation does not take int8"),
        (
            "erf float32 npu",
            "derivative _erf_partials at ascend_array_api/_backends/npu/_special_single",
        ),
        ("cbrt float32 cpu", "derivative _cbrt_partials at ascend_array_api/_routes/special.py:"),
        (
            "sinc float32 npu",
            "would stand in ascend_array_api/_backends/npu/special.py, for all in",
        ),
        ("sinc float32 npu", "ascend_array_api/_routes/special.py"),
        ("add float32 npu", "would stand in ascend_array_api/_backends/npu/elementwise.py"),
    ],
)
def test_some_questions(question: str, said: str) -> None:
    answer = why.explain(*question.split())
    assert said in " ".join(answer.split())


def test_what_would_apply_else_is_named() -> None:
    said = why.explain("remainder", "float32", "npu")
    assert "_backends/npu/division.py" in said.partition("Rows for it that do not decide")[0]
    assert "_routes/elementwise.py" in said.partition("Rows for it that do not decide")[2]
    assert 'npu_math="fast"' in said


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("remaider float32", "there is no operation 'remaider'; do you mean remainder"),
        ("nope float32", "there is no operation 'nope'; do you mean "),
        (
            "unique_all float32",
            "unique_all() is no single operation. Ask for one that it may call: ",
        ),
        ("add float33", "there is no data type 'float33'; do you mean float32"),
        ("add float32 nup", "there is no device type 'nup'; do you mean npu"),
    ],
)
def test_a_question_that_makes_no_sense_is_answered_with_one_that_does(
    question: str, said: str
) -> None:
    with pytest.raises(ValueError, match="there is no|no single") as caught:
        why.explain(*question.split())
    assert said in str(caught.value)


def test_the_command_prints_the_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the CPU this is asked where there is no torch_npu."""
    monkeypatch.setattr(sys, "argv", ["", "why", "remainder", "float32", "npu"])
    with pytest.raises(SystemExit, match="^0$"):
        runpy.run_module("ascend_array_api")
    told = capsys.readouterr().out
    assert told.startswith("remainder of float32 on npu: Compose, _remainder at ")
