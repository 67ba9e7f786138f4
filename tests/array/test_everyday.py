"""What people who know NumPy write every day: it works, or the error says what to write.

``EVERYDAY`` is the closed list.  What neither works nor raises such an error stands in a table of
docs/strict-and-relaxed.md, which says what to write and is held to these expressions here.
"""

from __future__ import annotations

import copy
import fractions
import functools
import io
import itertools
import json
import logging
import math
import numbers
import pickle
import random
import re
import statistics
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from matplotlib.figure import Figure
from parametrize import listing
from scipy import sparse

import ascend_array_api as xp
from ascend_array_api._calls import interchange
from ascend_array_api._torch import torch
from conformance.samples import FUNCTIONS
from conformance.samples.strategies import to_numpy

PAGE = Path(__file__).parents[2] / "docs" / "strict-and-relaxed.md"


class Frame:
    """What DataFrames and Series of pandas have of the protocols."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray([[1.5, 2.0], [3.0, 4.0]], dtype=dtype)

    def __iter__(self) -> Any:
        return iter(["a", "b"])  # the names of columns

    to_numpy = __array__


def saved(save: Any, load: Any) -> Any:
    file = io.BytesIO()
    save(file)
    file.seek(0)
    return load(file)


def text_of_log(form: str, *values: Any) -> str:
    return logging.LogRecord("", logging.INFO, "", 0, form, values, None).getMessage()


MODULES = (copy, functools, itertools, json, joblib, logging, math, numbers, pickle)
NAMES: dict[str, Any] = {
    **{module.__name__: module for module in (*MODULES, random, sparse, statistics, torch)},
    "sparse": sparse,
    "saved": saved,
    "text_of_log": text_of_log,
    "Fraction": fractions.Fraction,
    "TensorDataset": torch.utils.data.TensorDataset,
    "axes": lambda: Figure().subplots(),
    "df": Frame(),
    "csr": sparse.eye(3, format="csr"),
    "d": {3: "a"},
    "np": np,
    "t": torch.tensor([1.0, 2.0, 4.0], device="cpu"),
}


def names(ns: Any = xp) -> dict[str, Any]:
    """Return what expressions name, with arrays of a namespace on the CPU."""
    values = {
        "x": [3.0, 1.5, 2.25],
        "n": [3, 1, 2],
        "m": [[1.0, 2.0], [3.0, 4.0]],
        "c": [1 + 2j],
        "b": [True, False],
    }
    made = {name: np.asarray(value) for name, value in values.items()}
    if ns is xp:
        made = {name: xp.asarray(value, device="cpu") for name, value in made.items()}
    file = io.BytesIO()
    torch.save(made["x"], file)
    file.seek(0)
    return {**NAMES, **made, "xp": ns, "file": file}


EVERYDAY = r"""
f"{x[0]:.3f}"                         | =
f"{n[0]:03d}"                         | =
f"{c[0]:.1f}"                         | =
f"{b[0]}"                             | =
f"{x}"                                | ~
f"{x:.2f}"                            | write numpy.set_printoptions(precision=2)
"%.2f" % x[0]                         | =
"%d" % n[0]                           | =
"{:.1e}".format(x[0])                 | =
str(x[0])                             | =
str([x[0], x[1]])                     | ~
text_of_log("loss %.2f", x[0])        | =
sum(x)                                | =
max(x)                                | =
min(n)                                | =
max(x[0], 2)                          | =
sorted(x)                             | =
round(x[0], 2)                        | Write round(float(x), 2) | =
round(x[0])                           | Write round(float(x)) | =
round(n[0])                           | Write round(float(x)) | =
abs(-x)                               | =
divmod(n, 2)                          | write (x // y, x % y), of finite | =
pow(x, 2)                             | =
math.sqrt(x[0])                       | =
math.floor(x[0])                      | =
math.isnan(x[0])                      | =
int(x[0])                             | =
float(n[0])                           | =
complex(x[0])                         | =
range(n[0])                           | =
[10, 20, 30, 40][n[0]]                | =
"abcd"[: n[0]]                        | =
[0] * n[0]                            | Write y * int(n), or xp.asarray(y) * n
n[0] * (1, 2)                         | Write y * int(n), or xp.asarray(y) * n
3.0 in x                              | =
3.0 in m                              | Write bool(xp.any(x == value)) | =
bool(x)                               | reduce the array with any() or all() first
bool(x.any())                         | Write xp.any(x) | =
not b[0]                              | =
all(b)                                | =
any(x > 2)                            | =
[float(a) * int(k) for a, k in zip(x, n)] | =
[i for i, row in enumerate(m)]        | =
[float(row[0]) for row in m]          | =
[float(v) for v in reversed(x)]       | =
(lambda p, q, r: float(q))(*x)        | =
len(m)                                | =
list(map(float, x))                   | =
{x[0]: 1}                             | ~
d[n[0]]                               | ~
set(n.tolist())                       | Write numpy.from_dlpack(x, device="cpu").tolist() | =
x == None                             | 'x is None' asks whether | =
x is None                             | =
x == "a"                              | Ask isinstance(x, str) first | =
x == [3.0, 1.0, 2.25]                 | Convert it with asarray() first | =
(x, 1) == (x, 1)                      | =
(x, 1) == (x + 0, 1)                  | reduce the array with any() or all() first
np.asarray(x)                         | =
np.array(m)                           | =
np.sin(x)                             | =
np.concatenate([x, x])                | =
np.ones(3) * x                        | Convert it with asarray() first | =
x * np.ones(3)                        | Convert it with asarray() first | =
x * np.float64(2)                     | =
np.float64(2) * x                     | =
np.pi * x                             | =
np.testing.assert_allclose(x, x)      | =
np.allclose(x, x)                     | =
np.mean(x)                            | =
axes().plot(x)[0].get_xydata()        | =
axes().plot(x, n, "o-")[0].get_xydata() | =
axes().imshow(m).get_array().data     | =
axes().hist(x)[0]                     | =
axes().scatter(x, n, c=x, s=n).get_offsets().data | =
len(axes().errorbar(x, n, yerr=x))    | =
len(axes().fill_between(n, x, 2 * x).get_paths()) | =
axes().axvline(x[0]).get_xdata()      | =
axes().contourf(m).levels             | =
[bar.get_height() for bar in axes().bar(n, x)] | =
axes().plot([1], [1], marker=xp.concat([m, m]))[0].get_xydata() | =
axes().set_xlim(x[1], x[0])           | =
xp.asarray(df)                        | Write xp.asarray(x.to_numpy()) | =
xp.array(df)                          | Write xp.asarray(obj) | =
xp.asarray([x, x])                    | =
xp.asarray([x[0], 1.0])               | =
sparse.csr_matrix(m).nnz              | =
csr @ x                               | =
x @ csr                               | =
sparse.csr_array((x, (n - 1, n - 1))).nnz | =
xp.asarray(csr)                       | Write xp.asarray(x.toarray())
json.dumps(x.tolist())                | Write numpy.from_dlpack(x, device="cpu").tolist() | =
json.dumps(x[0])                      | ~
pickle.loads(pickle.dumps(x))         | =
copy.deepcopy(x)                      | =
copy.copy(x)                          | =
x.copy()                              | Write xp.asarray(x, copy=True) | =
joblib.hash(x) == joblib.hash(copy.copy(x)) | =
joblib.Parallel(n_jobs=1)(joblib.delayed(float)(v) for v in x) | =
saved(lambda f: np.save(f, x), np.load) | =
xp.save("x.npy", x)                   | Write numpy.save(file, numpy.from_dlpack(x, device="cpu"))
torch.load(file)                      | ~
functools.reduce(xp.add, [x, x, x])   | =
sum([x, x])                           | =
x.T @ x                               | Leave T out | =
x @ x                                 | =
m.T @ m                               | =
x[[0, 2]]                             | Convert sequences with asarray() first | =
x[np.array([0, 2])]                   | Convert sequences with asarray() first | =
x[n - 1]                              | =
x[x > 2]                              | =
x[1.0]                                | Convert a number with int() first
m[0]                                  | Add '...' to the key | =
m[0][1]                               | Add '...' to the key | =
m[:, 0]                               | =
m[:, None]                            | Add '...' to the key | =
x[::-1]                               | =
x[:100]                               | =
x[-1]                                 | =
x[7]                                  | allowed are -3 to 2
m[0, :]                               | =
n / 2                                 | Convert it with astype() first | =
n // 2                                | =
n * 0.5                               | Convert the array to another dtype with astype() first | =
n + x                                 | Convert one of them with astype() first | =
2 ** n                                | =
n ** -1                               | Convert them to floating-point numbers with astype() first
1 / x                                 | =
(x > 1) & (x < 3)                     | =
~b                                    | =
-b                                    | Convert it with astype() first | ~
b + b                                 | Convert it with astype() first | =
xp.sum(b)                             | Convert it with astype() first | =
xp.sqrt(n)                            | Convert it with astype() first | =
xp.mean(n)                            | Convert it with astype() first | =
xp.sum(m, axis=0)                     | =
xp.sum(m, 0)                          | 'axis=0' by name | =
m.sum(axis=1)                         | Write xp.sum(x) | =
m.mean()                              | Write xp.mean(x) | =
x.argmax()                            | Write xp.argmax(x) | =
m.reshape(-1)                         | Write xp.reshape(x, shape) | =
m.astype(int)                         | Write xp.astype(x, dtype) | =
m.flatten()                           | Write xp.reshape(x, (-1,)) | =
x.clip(0, 2)                          | Write xp.clip(x | =
x.item(0)                             | Write float(x) | =
xp.array([1, 2])                      | Write xp.asarray(obj) | =
xp.arange(3)                          | =
xp.zeros(3)                           | =
xp.zeros(3, int)                      | 'dtype' by name | =
xp.zeros(3, dtype=int)                | Write xp.int64 | =
xp.zeros(2, 3)                        | 'shape' is one tuple | A shape of several axes is one tuple
xp.zeros((2, 3))                      | =
xp.linspace(0, 1, 5)                  | =
xp.where(x > 2, x, 0.0)               | =
xp.where(x > 2)                       | nonzero(condition) finds the positions | =
xp.concatenate([x, x])                | Write xp.concat([x, y], axis=0) | =
xp.vstack([x, x])                     | Write xp.stack([x, y]) of vectors, xp.concat( | =
xp.random.rand(3)                     | Write xp.random.default_rng(seed).random(shape)
xp.random.seed(0)                     | Write xp.random.default_rng(seed)
xp.random.randn(3)                    | .standard_normal(shape)
xp.random.default_rng(0).normal(size=3).shape | =
xp.allclose(x, x)                     | Write xp.all((x == y) | (xp.isfinite(y) & | =
xp.isclose(x, x)                      | Write (x == y) | (xp.isfinite(y) & | =
xp.interp(1.5, x[:2] - 2, x[:2])      | Write i = xp.clip(xp.searchsorted(bins, x) | =
xp.gradient(x)                        | Write xp.concat([x[1:2] - x[:1] | =
xp.trapezoid(x)                       | Write xp.sum(x[..., 1:] + x[..., :-1] | =
xp.einsum("i,i->", x, x)              | Write xp.matmul(x, y) | =
xp.polyfit(n, x, 1)                   | Write xp.linalg.pinv(x[:, None] ** | =
xp.nan_to_num(x)                      | Write xp.clip(xp.where(xp.isnan(x) | =
xp.nanmean(x)                         | Write xp.sum(xp.where(xp.isnan(x), 0.0, x) | =
xp.pad(x, 1)                          | Write xp.concat([xp.zeros(n | =
xp.cov(m)                             | Write d = x - xp.mean(x | =
xp.quantile(x, 0.5)                   | Write s = xp.sort(xp.reshape(x, (-1,))) | =
xp.median(x)                          | =
xp.linalg.norm(x)                     | xp.linalg.vector_norm(x) | =
xp.linalg.solve(m, m)                 | =
xp.linalg.lstsq(m, m[:, 0], rcond=None)[0] | =
xp.errstate(all="ignore").__class__.__name__ | leave it out | =
xp.set_printoptions(precision=3)      | Write numpy.set_printoptions(precision=3)
xp.exp(1.0)                           | Write math.exp(1.0) | =
xp.add.reduce(x)                      | Write xp.sum(x, axis=0) | =
xp.float64(2)                         | ~
isinstance(x, np.ndarray)             | ~
isinstance(x[0], float)               | ~
isinstance(x[0], numbers.Number)      | ~
np.isscalar(x[0])                     | ~
np.ndim(x[0])                         | =
np.shape(m)                           | =
hasattr(x, "__len__")                 | =
callable(x)                           | =
x.shape                               | =
x.size                                | =
x.ndim                                | =
x.dtype.name                          | ~
x.dtype.kind == "f"                   | ~
x.dtype.itemsize                      | =
str(x.dtype)                          | ~
x.dtype == "float64"                  | ~
x.dtype == np.float64                 | ~
x.dtype == xp.float64                 | =
x.nbytes                              | Write math.prod(x.shape) * | =
setattr(x, "shape", (3, 1))           | Write y = xp.reshape(x, shape)
memoryview(x).nbytes                  | ~
bytes(x)                              | Write numpy.from_dlpack(x, device="cpu").tobytes() | =
x.tobytes()                           | Write numpy.from_dlpack(x, device="cpu").tobytes() | =
torch.as_tensor(x)                    | =
torch.tensor(x)                       | =
torch.from_numpy(x)                   | ~
torch.zeros(n[0], n[1])                | =
torch.sin(x)                          | Write xp.to_torch(x) for its tensor
torch.stack([x, x])                   | Write xp.to_torch(x) for its tensor
t[n[1]]                               | int(x) or float(x) is its number
TensorDataset(x)                      | ~
random.Random(0).choice(x)            | =
random.Random(0).sample(range(9), n[0]) | Write y * int(n)
random.Random(0).shuffle(x)           | =
list(itertools.product(x, x))         | =
list(itertools.accumulate(x))         | =
Fraction(x[0])                        | ~
statistics.mean(x)                    | ~
isinstance(dir(x), list)              | =
round(x)                              | round() is for one number, and the array has shape (3,)
xp.asarray(Ellipsis)                  | got an object of type ellipsis
xp.log(100)                           | Write math.log(100) for numbers | =
xp.atan2(1.0, 2)                      | Write math.atan2(1.0, 2) for numbers | =
xp.exp(1j)                            | Write cmath.exp(1j) for numbers | =
xp.abs(-3)                            | Write abs(-3) for numbers | =
xp.remainder(-5, 3)                   | Convert one of them with asarray() first | =
xp.sum(3)                             | Convert it with asarray() first | =
xp.add.at(x, n - 1, 1.0)              | Write x[...] = xp.add(x, xp.sum( | =
xp.add.at(m, (n % 2, n % 2), 1.0)     | x[...] = xp.reshape(xp.add(y, xp.sum( | =
xp.maximum.at(x, n - 1, 1.0)          | Write x[...] = xp.maximum(x, xp.max( | =
xp.astype(x, bool)                    | Write xp.bool | =
xp.zeros(3, dtype="U3")               | dtype must be one of the namespace's data types
xp.isdtype(np.dtype("f4"), "bool")    | give them numpy.from_dlpack(x, device="cpu") | =
xp.fft.fftfreq(3, d=x[0] - x[1])       | d must be an int or a float | =
xp.repeat(x, n.max())                 | Write xp.max(x) | =
xp.insert(x, xp.argmin(x), 9.0)       | Write xp.concat([x[:n], y, x[n:]]) | =
xp.histogram(x, bins=n.max())[0]      | Write s = xp.sort( | =
xp.split(xp.arange(6), n.max())       | (x[:n, ...], x[n:, ...]) | =
xp.std(x, ddof=n.min())               | Write xp.min(x) | =
xp.sum(m, axis=xp.argmax(n))          | an axis must be an integer | =
xp.tensordot(m, m, axes=n.max() - 1)  | Write xp.max(x) | =
xp.linspace(0, 1, 3, endpoint=np.True_) | endpoint must be True or False | =
xp.ones(n)                            | shape must be a tuple of integers | =
xp.tile(x, n[:2])                     | repetitions must be a tuple of integers | =
xp.arange(0, len(x) / 2, dtype=int)   | dtype must be one of the namespace's data types | =
xp.random.default_rng(0).permutation(n.max()).shape | Write xp.max(x) | =
xp.random.default_rng(0).normal(size=n).shape | size must be a tuple of integers | =
x.get()                               | Write numpy.from_dlpack(x, device="cpu")
xp.asnumpy(x)                         | Write numpy.from_dlpack(x, device="cpu")
"""
"""Expressions; for strict and for relaxed mode ``=`` where NumPy gives the same, the words of an
error that says what to write, or ``~`` where the table of the page says it.  The second mode is
left out where it is as the first."""


def rows() -> list[tuple[str, str, str]]:
    """Return the expressions, with what is expected in strict and in relaxed mode."""
    found = []
    for line in EVERYDAY.strip().splitlines():
        code, *cells = (part.strip() for part in line.split(" | "))
        found.append((code, cells[0], cells[-1]))
    return found


def outcome(code: str, given: dict[str, Any], mode: str = "") -> Any:
    """Return what an expression gives, or the error that it raises."""
    with (
        xp.options(relaxed=mode == "relaxed", default_float="float64", device="cpu"),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        try:
            return eval(code, given)
        except Exception as error:  # noqa: BLE001  # it is looked at
            return error


def same(got: Any, expected: Any) -> bool:
    if isinstance(got, Exception) or isinstance(expected, Exception):
        return False
    if isinstance(expected, (np.ndarray, np.generic)) or isinstance(got, np.ndarray):
        a, b = np.asarray(got), np.asarray(expected)
        return a.dtype == b.dtype and a.shape == b.shape and np.allclose(a, b, 1e-12, 1e-12)
    if isinstance(expected, (list, tuple)):
        return len(got) == len(expected) and all(map(same, got, expected))
    if isinstance(expected, torch.Tensor):
        return torch.equal(got, expected)
    return type(got) is type(expected) and bool(got == expected)


MODES = pytest.mark.parametrize("mode", ["strict", "relaxed"])


@MODES
@listing("row", rows())
def test_it_works_or_says_what_to_write(row: tuple[str, str, str], mode: str) -> None:
    code, strictly, freely = row
    expected = freely if mode == "relaxed" else strictly
    got = outcome(code, names(), mode)
    if expected in {"=", "~"}:
        assert same(got, outcome(code, names(np))) == (expected == "="), got
    else:
        assert isinstance(got, (TypeError, ValueError, IndexError, AttributeError)), got
        assert expected in str(got)


# --- the page -------------------------------------------------------------------------------------


def table(heading: str) -> list[list[str]]:
    """Return the cells below the heading of a table on the page."""
    _, _, rest = PAGE.read_text(encoding="utf-8").partition(f"\n{heading}\n|---")
    lines = itertools.takewhile(lambda line: line.startswith("|"), rest.splitlines()[1:])
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def code_of(cell: str) -> str:
    found = re.match("`+ ?(.*?) ?`+", cell)
    return found[1] if found else ""


LEFT = table("| code | gives | write |")


def test_the_page_counts_them() -> None:
    assert len({code for code, *_ in rows()}) == len(rows())
    kinds = ["=", "error", "~"]
    modes = [
        Counter(cell if cell in kinds else "error" for cell in cells)
        for cells in list(zip(*rows()))[1:]
    ]
    counts = [[int(n) for n in row[1:]] for row in table(COUNTED.format(len(rows())))]
    assert counts == [[mode[kind] for mode in modes] for kind in kinds]


COUNTED = "| of {} expressions | strict mode | relaxed mode |"


def test_the_page_has_what_neither_works_nor_says_so() -> None:
    assert [code_of(code) for code, *_ in LEFT] == [code for code, *c in rows() if "~" in c]


@MODES
@pytest.mark.parametrize("row", LEFT, ids=lambda row: code_of(row[0]))
def test_the_page_says_what_to_write(row: list[str], mode: str) -> None:
    code, gives, write = row
    original = code_of(code)
    if (mode, original) != ("strict", "-b"):
        got = outcome(original, names(), mode)
        error, _, words = code_of(gives).partition(": ")
        if isinstance(got, Exception):
            assert type(got).__name__ == error
            assert words in str(got)
        else:
            assert repr(got) == code_of(gives)
    if not code_of(write):
        assert "](" in write
        return
    instead = outcome(code_of(write), names(), mode)
    numpys = outcome(original, names(np))
    assert not isinstance(instead, Exception), instead
    if not isinstance(numpys, (Exception, str)):
        assert bool(np.all(np.asarray(instead) == np.asarray(numpys)))


def test_relaxed_mode_leaves_two_readings_of_a_product_to_the_user() -> None:
    with xp.options(relaxed=True):
        with pytest.raises(TypeError, match=r"^\*: .* may mean to repeat it"):
            [0] * names()["n"][0]
        with pytest.raises(TypeError, match=r"Write xp.asarray\(x.toarray\(\)\)\.$"):
            xp.asarray(NAMES["csr"])
        assert np.asarray([1, 2, 3] * names()["n"]).tolist() == [3, 2, 6]


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
            np.testing.assert_allclose(to_numpy(ours.reduce(x, axis)), theirs.reduce(a, axis))
            expected = theirs.accumulate(a, axis)
            np.testing.assert_allclose(to_numpy(ours.accumulate(x, axis=axis)), expected)
        np.testing.assert_allclose(to_numpy(ours.outer(x, x[0])), theirs.outer(a, a[0]))
        if name == "logical_xor":
            return
        for key, value in (([0, 2, 0, 0], a[[0, 1, 2, 0]]), (([0, 1, 0], [2, 2, 2]), 7)):
            changed, own = a.copy(), xp.asarray(a.copy())
            theirs.at(changed, key, value)
            ours.at(own, key, value)
            np.testing.assert_allclose(to_numpy(own), changed)


def test_every_function_of_two_operands_has_them() -> None:
    for name in ("add", "atan2", "pow", "less", "bitwise_and", "copysign", "maximum"):
        assert name in FUNCTIONS
        for method in ("reduce", "accumulate", "outer", "at"):
            with pytest.raises(TypeError, match=rf"^{name}\.{method}: .* Write .*relaxed=True"):
                getattr(getattr(xp, name), method)(xp.ones(2), 0, 1)
    assert not hasattr(xp.exp, "reduce")


# --- pickles --------------------------------------------------------------------------------------


def test_states_of_pickles_are_checked() -> None:
    x = xp.asarray([1.0, 2.0], dtype=xp.bfloat16, device="cpu")
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
