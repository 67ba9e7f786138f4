"""The page of what strict mode takes although the standard leaves it undefined."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import array_api_strict
import numpy as np
import pytest
from parametrize import listing

import ascend_array_api as xp
from conformance.samples import FUNCTIONS

PAGE = Path(__file__).parents[2] / "docs" / "strict-takes.md"
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| `")
]
PORTABLE = [(row[0].strip("`"), row[2].strip("`")) for row in ROWS if len(row) == 3]
TAKEN = [code for row in ROWS for code in re.findall(r"`([^`]+)`", row[0])]


def names(ns: Any) -> dict[str, Any]:
    values = np.arange(6.0).reshape(2, 3) + 1
    return {"xp": ns, "np": np, "x": ns.asarray(values), "v": ns.asarray(values[0])}


def test_the_tables_are_read() -> None:
    assert len(PORTABLE) == 7
    assert len(TAKEN) > 15


@pytest.mark.parametrize("code", TAKEN)
def test_it_is_taken_as_in_numpy(code: str) -> None:
    with xp.options(device="cpu"):
        result = eval(code, names(xp))
    if isinstance(result, str):
        assert result == eval(code, names(np))
        return
    got, expected = np.asarray(result), np.asarray(eval(code, names(np)))
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=1e-6)


@pytest.mark.parametrize(("code", "portable"), PORTABLE)
def test_the_portable_form_is_the_same(code: str, portable: str) -> None:
    with xp.options(device="cpu"):
        here, there = (np.asarray(eval(c, names(xp))) for c in (code, portable))
    np.testing.assert_array_equal(here, there)
    strict = names(array_api_strict)
    np.testing.assert_array_equal(np.asarray(eval(portable, strict)), here)
    with pytest.raises((IndexError, TypeError, ValueError, RuntimeError, AttributeError)):
        eval(code, strict)


def test_data_types_are_torchs() -> None:
    x = xp.ones(1, dtype=xp.float32)
    assert x.dtype == xp.float32
    for other in (np.float32, np.dtype("float32"), "float32"):
        assert not x.dtype == other  # noqa: SIM201
        for take in (
            lambda d: xp.isdtype(x.dtype, d),
            lambda d: xp.isdtype(d, "real floating"),
            lambda d: xp.astype(x, d),
            lambda d: xp.zeros(1, dtype=d),
            lambda d: xp.sum(x, dtype=d),
            lambda d: xp.result_type(x, d),
            lambda d: xp.can_cast(x, d),
            xp.finfo,
        ):
            with pytest.raises((TypeError, ValueError), match="[fF]loat32"):
                take(other)
    assert xp.isdtype(x.dtype, xp.float32)
    assert xp.isdtype(x.dtype, "real floating")
    text = PAGE.read_text(encoding="utf-8")
    assert "x.dtype == np.float32" in text


TAKES_NO_MORE = [
    (f"{space.__name__.rpartition('.')[2]}.{name}", function)
    for space in (xp, xp.linalg, xp.fft, xp.special)
    for name, function in vars(space).items()
    if inspect.isfunction(function) and name[0] != "_" and name != "misuse"
    if "misplaced" in function.__code__.co_varnames
]


@listing("name, function", TAKES_NO_MORE)
def test_too_many_arguments_and_unknown_ones_are_refused(name: str, function: Any) -> None:
    with pytest.raises(TypeError, match=r"\. Its form is "):
        function(*[1] * 30)
    code = function.__code__
    names = code.co_varnames[code.co_posonlyargcount : code.co_argcount + code.co_kwonlyargcount]
    given = [1] * code.co_posonlyargcount
    with pytest.raises(TypeError, match="there is no 'nonsense'"):
        function(*given, **dict.fromkeys(names, 1), nonsense=1)


def _found(name: str) -> Any:
    """Return the public function of a name in the table of samples, if it is one."""
    found: Any = xp
    for part in name.split("."):
        found = None if part == "Array" else getattr(found, part, None)
    return found


PUBLIC = [
    (name, function)
    for name in FUNCTIONS
    if inspect.isfunction(function := _found(name)) and "Generator" not in name
]
KEYWORDS = ("dtype", "out", "where", "casting", "order", "axis", "keepdims", "device", "like")


class F(float):
    """What is no data type, but can be called for a number."""


@listing("name, function", PUBLIC)
def test_keywords_that_it_does_not_have_are_refused_beside_valid_operands(
    name: str, function: Any
) -> None:
    form = inspect.signature(function).parameters
    count = sum(p.kind is p.POSITIONAL_ONLY for p in form.values())
    for dtype in (xp.float32, xp.int64, xp.bool):
        operands = [xp.ones((2, 2), dtype=dtype)] * count
        for keyword in KEYWORDS:
            if keyword not in form:
                with pytest.raises(TypeError, match=f"there is no|argument '{keyword}'"):
                    function(*operands, **{keyword: F})


def test_all_functions_are_among_them() -> None:
    assert len(PUBLIC) > 230
    assert {"add", "abs", "special.erf", "linalg.det", "fft.fft"} <= {name for name, _ in PUBLIC}


@pytest.mark.parametrize("relaxed", [False, True])
def test_positions_beside_an_empty_list_are_still_judged(relaxed: bool) -> None:
    with xp.options(relaxed=relaxed), pytest.raises(IndexError):
        xp.empty((15, 3))[15, []]
    with xp.options(relaxed=relaxed), pytest.raises(IndexError):
        xp.empty(15)[15, []]
