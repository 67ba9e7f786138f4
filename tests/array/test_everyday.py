"""What people who know NumPy write every day: it works, or the error says what to write."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import ascend_array_api as xp
from ascend_array_api._calls import interchange
from ascend_array_api._torch import torch
from conformance.samples import FUNCTIONS


class Frame:
    """What DataFrames and Series of pandas have of the protocols."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray([[1.5, 2.0], [3.0, 4.0]], dtype=dtype)

    def __iter__(self) -> Any:
        return iter(["a", "b"])  # the names of columns

    to_numpy = __array__


NAMES = {
    "x": xp.asarray([2.5, 1.25, 0.5]),
    "n": xp.asarray([3, 1, 2]),
    "m": xp.asarray([[1.0, 2.0], [3.0, 4.0]]),
    "b": xp.asarray([True, False]),
    "df": Frame(),
    "csr": sparse.eye(3, format="csr"),
    "np": np,
    "xp": xp,
}

STRICT = """
round(x[0])                    | Write round(float(x)). xp.options(relaxed=True) allows it.
round(x[0], 2)                 | Write round(float(x), 2). xp.options(relaxed=True) allows it.
round(x)                       | round() is for one number, and the array has shape (3,)
bytes(x)                       | Write numpy.from_dlpack(x, device="cpu").tobytes(). xp.options
3.0 in m                       | Write bool(xp.any(x == value)). xp.options(relaxed=True) allows it.
[0] * n[0]                     | Write y * int(n), or xp.asarray(y) * n.
n[0] * (1, 2)                  | Write y * int(n), or xp.asarray(y) * n.
xp.asarray(df)                 | Write xp.asarray(x.to_numpy()). xp.options(relaxed=True) allows it.
xp.asarray(csr)                | Write xp.asarray(x.toarray()).
xp.asarray(Ellipsis)           | got an object of type ellipsis.
xp.log(100)                    | Write math.log(100) for numbers, or convert them with asarray()
xp.atan2(1.0, 2)               | Write math.atan2(1.0, 2) for numbers
xp.exp(1j)                     | Write cmath.exp(1j) for numbers
xp.abs(-3)                     | Write abs(-3) for numbers
xp.remainder(-5, 3)            | Convert one of them with asarray() first.
xp.sum(3)                      | Convert it with asarray() first.
xp.add.reduce(x)               | Write xp.sum(x, axis=0). xp.options(relaxed=True) allows it.
xp.add.at(x, n, 1.0)           | Write x[int(i), ...] += value for each position, one
xp.add.at(m, (n, n), 1.0)      | Write x[int(i), int(j)] += value for each position, one
xp.maximum.at(x, n, 1.0)       | Write x[int(i), ...] = xp.maximum(x[int(i), ...], value) for
xp.zeros(3, dtype=int)         | complex128. Write xp.int64. xp.options(relaxed=True) allows it.
xp.astype(x, bool)             | complex128. Write xp.bool. xp.options(relaxed=True) allows it.
xp.zeros(3, dtype="U3")        | float64, complex64, complex128.
xp.isdtype(np.float32, "bool") | give them numpy.from_dlpack(x, device="cpu"). In other code xp.opt
x.get()                        | Write numpy.from_dlpack(x, device="cpu").
xp.asnumpy(x)                  | Write numpy.from_dlpack(x, device="cpu").
f"{x:.2f}"                     | write numpy.set_printoptions(precision=2).
"""
"""Expressions that strict mode refuses, and what it says."""

RELAXED = """
round(x[0])              | 2
round(x[0], 1)           | xp.asarray(2.5)
round(n[0])              | 3
bytes(x)                 | np.asarray([2.5, 1.25, 0.5], dtype=np.float32).tobytes()
3.0 in m                 | True
xp.asarray(df)           | xp.asarray([[1.5, 2.0], [3.0, 4.0]])
xp.array(df)[0, 0]       | xp.asarray(1.5)
"""
"""Expressions of relaxed mode, and what they equal."""


def rows(text: str) -> list[list[str]]:
    return [[part.strip() for part in line.split("|")] for line in text.strip().splitlines()]


@pytest.mark.parametrize(("code", "said"), rows(STRICT))
def test_strict_mode_says_what_is_hoped_for(code: str, said: str) -> None:
    with pytest.raises((TypeError, AttributeError)) as caught:
        eval(code, dict(NAMES))
    assert said in str(caught.value)


@pytest.mark.parametrize(("code", "expected"), rows(RELAXED))
def test_relaxed_mode_answers(code: str, expected: str) -> None:
    with xp.options(relaxed=True):
        got, wanted = eval(code, dict(NAMES)), eval(expected, dict(NAMES))
        assert type(got) is type(wanted)
        assert bool(xp.all(got == wanted)) if isinstance(got, xp.Array) else got == wanted


def test_relaxed_mode_leaves_two_readings_of_a_product_to_the_user() -> None:
    with xp.options(relaxed=True):
        with pytest.raises(TypeError, match=r"^\*: .* may mean to repeat it"):
            [0] * NAMES["n"][0]
        with pytest.raises(TypeError, match=r"Write xp.asarray\(x.toarray\(\)\)\.$"):
            xp.asarray(NAMES["csr"])
        assert np.asarray([1, 2, 3] * NAMES["n"]).tolist() == [3, 2, 6]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "bool", "complex64", "bfloat16"])
def test_the_text_of_one_number_is_numpys(dtype: str) -> None:
    x = xp.astype(xp.asarray(0.5), getattr(xp, dtype))
    expected = np.asarray(0.5).astype("float32" if dtype == "bfloat16" else dtype)[()]
    assert str(x) == str(expected)
    assert f"loss={x!s}" == f"loss={expected!s}"
    assert repr(x).startswith("Array(")
    assert str(xp.asarray([0.5])) == repr(xp.asarray([0.5]))


# --- the methods of universal functions -----------------------------------------------------------

PAIRS = ("add", "subtract", "multiply", "maximum", "minimum", "hypot", "logical_xor")


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("dtype", ["float64", "int64"])
def test_methods_of_universal_functions_are_numpys(name: str, dtype: str) -> None:
    if name == "hypot" and dtype == "int64":
        return
    a = np.asarray([[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 0, 8]], dtype=dtype)
    theirs, x = getattr(np, name), xp.asarray(a)
    with xp.options(relaxed=True, default_float="float64"):
        ours = getattr(xp, name)
        for axis in (0, 1, -1):
            np.testing.assert_allclose(np.asarray(ours.reduce(x, axis)), theirs.reduce(a, axis))
            expected = theirs.accumulate(a, axis)
            np.testing.assert_allclose(np.asarray(ours.accumulate(x, axis=axis)), expected)
        np.testing.assert_allclose(np.asarray(ours.outer(x, x[0])), theirs.outer(a, a[0]))
        if name == "logical_xor":
            return
        for key, value in (([0, 2, 0, 0], a[[0, 1, 2, 0]]), (([0, 1, 0], [2, 2, 2]), 7)):
            changed, own = a.copy(), xp.asarray(a.copy())
            theirs.at(changed, key, value)
            ours.at(own, key, value)
            np.testing.assert_allclose(np.asarray(own), changed)


def test_every_function_of_two_operands_has_them() -> None:
    for name in ("add", "atan2", "pow", "less", "bitwise_and", "copysign", "maximum"):
        assert name in FUNCTIONS
        for method in ("reduce", "accumulate", "outer", "at"):
            with pytest.raises(TypeError, match=rf"^{name}\.{method}: .* Write .*relaxed=True"):
                getattr(getattr(xp, name), method)(xp.ones(2), 0, 1)
    assert not hasattr(xp.exp, "reduce")


# --- pickles --------------------------------------------------------------------------------------


def test_states_of_pickles_are_checked() -> None:
    x = xp.asarray([1.0, 2.0], dtype=xp.bfloat16)
    halves = interchange._plainer(x._tensor).numpy()
    for state in ((halves, xp.bfloat16, "cpu"), (halves, xp.bfloat16)):
        y = object.__new__(xp.Array)
        y.__setstate__(state)
        assert y.dtype is xp.bfloat16
        assert bool(xp.all(y == x))
    for state in ((halves, xp.bfloat16, 3), (halves, xp.bfloat16, "cpu", 1), (halves,)):
        with pytest.raises(pickle.UnpicklingError, match="unpickle: "):
            object.__new__(xp.Array).__setstate__(state)
    with pytest.raises(pickle.UnpicklingError):
        object.__new__(xp.Array).__setstate__((torch.ones(1), "float32"))
