"""What users of NumPy and torch write: it works, or the error says what to write.

Nothing passes in silence with another meaning, and nothing is left to an error of Python's own, but
for what is named here or stands in a table of docs/strict-and-relaxed.md.  Oracles are NumPy, what
the pages say, and that all that an error tells to write is there; test_edits.py computes it.
"""

from __future__ import annotations

import copy
import fractions
import functools
import importlib
import inspect
import io
import itertools
import json
import logging
import math
import numbers
import operator
import pickle
import random
import re
import statistics
import traceback
import warnings
from pathlib import Path
from typing import Any
from unittest import mock

import array_api_strict
import joblib
import numpy as np
import pytest
import refusals
import scipy.special
from matplotlib.figure import Figure
from parametrize import everything, listing
from scipy import sparse

import ascend_array_api
import ascend_array_api as xp
from ascend_array_api._errors import foreign_names
from ascend_array_api._errors.exceptions import MisuseError
from ascend_array_api._torch import torch
from workshop.samples import FUNCTIONS
from workshop.samples.strategies import to_numpy

PACKAGE = Path(ascend_array_api.__file__).parent
DOCS = Path(__file__).parents[2] / "docs"
ERRORS = (TypeError, ValueError, IndexError, AttributeError, ArithmeticError)

# --- errors in strict mode ------------------------------------------------------------------------

SAYS = """
relaxed=True | -b; x[1:]; v == a; [1, 2] == v; v == t; v[a > 1]; float(v[:1]); xp.sqrt(t); v == {}
relaxed=True | xp.linalg.matrix_power(n2, 2); xp.where(b, v, n); x[b2, 0]; v.__iadd__(d)
xp.sum(x) | x.sum(); x.sum(axis=0); x.sum(0); x.sum(dim=0)
xp.astype(x | x.to(xp.float64)
float(x) | s.item()
x.to_device | x.cpu(); x.cuda(); x.npu(); x.to("cpu")
xp.to_torch(x) | x.requires_grad; x.grad; x.backward(); x.data_ptr(); x.is_cuda; x.element_size()
xp.to_torch(x) | x.scatter_(0, n, 1.0); x.type_as(v)
xp.permute_dims(x | x.swapaxes(0, 1)
xp.round(x) | round(x); round(x, 2)
xp.linalg.trace(x) | m.trace()
numpy.from_dlpack(x | x.setflags(write=False); x.getfield(np.int8)
order in memory | x.contiguous(); x.flags; xp.ones(3, order="C"); xp.zeros(3, order="F")
order in memory | xp.asarray([1], order="C"); xp.reshape(x, (6,), order="F")
xp.asarray(obj) | xp.from_numpy(a); xp.ndarray([1]); xp.Tensor([1])
xp.concat([x, y | xp.row_stack([v, v])
xp.matmul(x, y) of vectors | xp.inner(v, v)
xp.special.expit(x) | xp.special.sigmoid(x)
xp.linalg.solve(x, y) | xp.solve(m, v)
xp.fft.fftn(x | xp.fft2(x)
.standard_normal(shape) | xp.random.randn(3); xp.randn(3)
.random(shape) | xp.random.rand(3); xp.rand(3)
.integers(low | xp.random.randint(0, 3); xp.randint(0, 3, (2,))
default_rng(seed).normal | xp.random.normal(0, 1)
default_rng(seed).random | xp.random.random(3)
default_rng(seed).choice | xp.random.choice(v)
default_rng(seed).shuffle | xp.random.shuffle(v)
default_rng(seed) | xp.random.seed(0); xp.manual_seed(0); xp.random.RandomState(0)
.permutation(n) | xp.randperm(3)
xp.float32 | xp.float
isinstance(x, xp.Array) | xp.is_tensor(x)
xp.options( | xp.set_default_dtype(xp.float64); xp.set_default_device("cpu")
numpy.set_printoptions | xp.set_printoptions(precision=2); f"{x:.2f}"
gradients are torch's | xp.no_grad()
numpy.load | xp.load("x.npy"); xp.loadtxt("x.txt")
numpy.save | xp.save("x.npy", x)
nothing like | xp.nn; xp.ma; xp.linalg.lu(m)
'axis=0' by name | xp.sum(x, 0); xp.mean(x, 0); xp.max(x, 0); xp.any(b, 0); xp.argmax(x, 0)
'axis=0' by name | xp.flip(x, 0); xp.sort(x, 0); xp.std(x, 0); xp.cumulative_sum(v, 0)
'axis=0' by name | xp.stack([v, v], 0); xp.concat([x, x], 0); xp.unstack(x, 0); xp.take(v, n, 0)
'dim' is 'axis' | xp.sum(x, dim=0); xp.mean(x, dim=0); xp.concat([x, x], dim=0)
'dim' is 'axis' | xp.stack([v, v], dim=0); xp.argmax(x, dim=1); xp.linalg.vector_norm(x, dim=0)
'dim' is 'axis' | xp.sort(x, dim=0)
'keepdim' is 'keepdims' | xp.sum(x, axis=0, keepdim=True); xp.max(x, axis=0, keepdim=True)
'ddof' is 'correction' | xp.std(x, ddof=1); xp.var(x, ddof=1)
correction=1 or 0 | xp.std(x, unbiased=False)
'shape' is one tuple | xp.zeros(2, 3); xp.ones(2, 3); xp.empty(2, 3); xp.reshape(x, 3, 2)
'shape' is one tuple | xp.broadcast_to(v, 2, 3)
'axes' is one tuple | xp.permute_dims(x, 1, 0)
'axes=1' by name | xp.tensordot(x, x.T, 1)
one list or tuple | xp.stack(v, v); xp.concat(x, x)
y[...] = result | xp.add(x, x, out=x); xp.exp(x, out=x); xp.clip(x, 0, 1, out=x); xp.add(x, x, x)
y[...] = result | xp.matmul(x, x.T, out=x); xp.special.erf(x, out=x); xp.exp(x, x)
y[...] = result | xp.add(x, 2, out=x); xp.add(v, 2.0, None); xp.sum(x, out=v)
y[...] = result | xp.mean(x, axis=0, out=v); xp.stack([v, v], out=x)
there is no 'alpha' | xp.add(x, x, alpha=2)
no 'rounding_mode' | xp.divide(x, x, rounding_mode="floor")
'x1' goes by position | xp.add(x1=x, x2=x)
where() first | xp.add(x, x, where=x > 0); xp.add(x, 2.0, where=x > 0); xp.exp(x, where=x > 0)
where() first | xp.multiply(n, 2, where=b); xp.sum(x, where=x > 0)
where() first | xp.max(x, where=x > 0, initial=0)
astype() converts first | xp.add(x, x, dtype=xp.float64); xp.exp(x, dtype=float)
astype() converts first | xp.add(n, 1, dtype=np.float32); xp.exp(x, dtype="f8")
astype() casts | xp.add(x, x, casting="no"); xp.add(n, 1, casting="no"); xp.exp(x, casting="no")
astype() casts | xp.add(x, x, casting=v); xp.concat([v, v], casting=v)
no part of the standard | xp.add(x, 1, order="C"); xp.exp(x, order="C")
no subclasses | xp.add(x, x, subok=True); xp.add(x, 1, subok=False); xp.exp(x, subok=True)
'x2' is missing | xp.add(x); xp.add(x, out=x); xp.linalg.solve(m); xp.tensordot(x)
'x2' is missing | xp.searchsorted(v)
'x1' and 'x2' are missing | xp.add()
'x' is missing | xp.exp()
it takes 2 positional | xp.add(x, x, 3)
'a_min' is 'min' here | xp.clip(x, a_min=0)
round(x * 10**n) / 10**n | xp.round(x, 2); xp.round(x, decimals=2)
no 'like' | xp.zeros(3, like=a)
no 'subok' | xp.ones_like(x, subok=True)
asarray(tensor) | xp.zeros(3, requires_grad=True); xp.asarray([1.0], requires_grad=True)
'n=2' by name | xp.fft.fft(z, 2); xp.fft.rfft(v, 2); xp.diff(v, 2)
'k=1' by name | xp.tril(m, 1)
'endpoint=False' by name | xp.linspace(0, 1, 5, False)
'dtype' by name | xp.zeros(3, int); xp.ones((2, 3), float)
'diagonal' is 'k' | xp.triu(m, diagonal=1)
stable=True or False | xp.sort(v, kind="stable"); xp.argsort(v, kind="mergesort")
unique_counts() returns | xp.unique_values(n, return_counts=True)
nonzero(condition) | xp.where(x > 2)
asarray() first | v[t > 1]; v + [1, 2, 3]; [1, 2, 3] + v; v * [1, 2, 3]; s * [1]; v < [1, 2, 3]
asarray() first | v @ [1, 2, 3]; v - (1, 2, 3); v + t; n & [1]
numbers | v + "a"; v == "a"; "a" + v; v < "a"
no bool, int, float | xp.asarray([None])
cannot be combined | n & 1.0
None | v + None; None + v; v < None; xp.asarray(None)
x is None | v == None; v != None; None == v
divmod: write | divmod(x, 2); divmod(2, x)
any() or all() | bool(x == x); not x; x and x; 1 if v else 0; v in [v + 1]; float(x); int(x)
not allowed | x["a", 0]; x[0.5, 0]; x[1.0, ...]; xp.bitwise_and(x, x); x ^ x; b @ b; xp.sum(b)
allowed are -3 to 2 | v[5]; x[0, -4]
out of bounds | x[5, 0]; xp.sum(x, axis=5); xp.asarray(300, dtype=xp.int8); n8 + 300; n8 * 2**70
out of bounds | xp.asarray(2**70)
axes are indexed | v[0, 0]; x[0, 0, 0]
broadcast | v + xp.ones(2); x + xp.ones((3, 2)); xp.broadcast_to(v, (2, 2))
python -m ascend_array | xp.zeros(2, device="gpu"); x.to_device("tpu")
to_device | xp.add(x, elsewhere); v == elsewhere
list of it first | xp.asarray({1, 2}); xp.asarray(i for i in v)
Use asarray() | xp.Array([1, 2]); xp.Array(shape=(2, 3))
T: expected | v.T; s.T
shape mismatch: shapes (3,), (2,) could not be | v + xp.ones(2); xp.add(v, xp.ones(2))
shape mismatch: shapes (3,), (2,) could not be | xp.broadcast_arrays(v, xp.ones(2))
0 dimensions | len(s); iter(s); list(s)
inhomogeneous | xp.asarray([[1, 2], [3]])
the class numpy.float32 | xp.isdtype(np.float32, "integral"); xp.isdtype(x.dtype, np.float32)
the class numpy.float32 | xp.finfo(np.float32); xp.result_type(x, np.float32)
the class numpy.float32 | xp.can_cast(np.float32, xp.float64)
the class numpy.float32 | xp.__array_namespace_info__().dtypes(kind=np.float32)
float(text) | xp.asarray("2.5")
dtype must be one | xp.astype(x, "nothing"); xp.zeros(2, dtype=t)
zeros with where() | n // 0; n % 0; n // xp.asarray([0, 1, 2])
'axis' is missing | xp.squeeze(x); xp.expand_dims(x)
'num' is missing | xp.linspace(0, 1)
'shape' is missing | xp.zeros(); xp.reshape(x); xp.broadcast_to(v)
'indices' is missing | xp.take(x); xp.take_along_axis(x)
'dtype' is missing | xp.astype(x)
'device' is missing | x.to_device()
'arrays' is missing | xp.concat(); xp.stack()
'low' is missing | xp.random.default_rng(0).integers()
'd' is missing | xp.special.multigammaln(v)
it takes 3 arguments | xp.where(b, v); xp.where()
goes by position | xp.sum(x=x); xp.linalg.inv(x=m); xp.fft.fft(x=z); xp.concat(arrays=[v])
'input' is 'x' here | xp.sum(input=x); xp.linalg.det(input=m)
'arr' is 'x' here | xp.take_along_axis(arr=x)
there is no 'a'. | xp.sum(a=x)
there is no 'out' | xp.where(b, v, v, out=v)
'input' is 'x1' here | xp.where(b, input=v, other=v)
broadcast without a grid | xp.meshgrid(v, v, sparse=True)
there is no 'nonsense' | xp.linalg.det(m, nonsense=1); xp.broadcast_arrays(v, nonsense=1)
there is no 'nonsense' | xp.options(nonsense=1); xp.random.default_rng(nonsense=1)
there is no 'nonsense' | xp.random.default_rng(0).normal(nonsense=1); xp.bincount(n, nonsense=1)
there is no 'shape' | xp.random.default_rng(0).random(shape=3)
'dtype=4' by name | xp.random.default_rng(0).normal(0, 1, 3, 4)
'device=True' by name | xp.options(True)
1 positional argument | xp.linalg.svdvals(x, False); x.to_device("cpu", True)
there is no 'non_blocking' | x.to_device("cpu", non_blocking=True)
y = xp.reshape(x, shape) | x.__setattr__("shape", (3, 2)); x.__setattr__("size", 3)
y = xp.astype(x, dtype) | x.__setattr__("dtype", xp.float64)
y = x.to_device(device) | x.__setattr__("device", "cpu")
axis | xp.sort(x, axis=None); xp.argsort(x, axis=None); xp.squeeze(x[:1, ...], axis=None)
axis | xp.take(x, n - 1, axis=None); xp.take_along_axis(x, n - 1, axis=None)
axis | xp.linalg.cross(m, m, axis=0)
a negative power | n ** -1; xp.pow(n, -2); n.__ipow__(-1)
"""
"""What the errors of expressions say.  Those of names that the namespace lacks are
few here: all are below, and test_edits.py computes what is to be written; so are those of
the calls that tests/numpys.py has, whose errors name the option."""

PYTHONS = "hash(x); {x: 1}; {x}"
"""What is left to Python.  What has no hash must say so to Python by ``__hash__ = None``."""


SAID = [(code, said) for _, said, code in refusals.rows(SAYS)]


def names() -> dict[str, Any]:
    """The variables of the expressions."""
    given = {
        "x": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
        "v": [1.0, 2.0, 3.0],
        "m": [[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]],
        "n": [1, 2, 3],
        "n2": [[1, 2], [3, 4]],
        "b": [True, False, True],
        "b2": [True, False],
        "z": [1 + 2j, 3 - 1j, 2j],
        "s": 2.5,
    }
    with xp.options(device="cpu"):
        made: dict[str, Any] = {name: xp.asarray(value) for name, value in given.items()}
        made |= {"d": xp.ones(3, dtype=xp.float64), "n8": xp.asarray([1], dtype=xp.int8)}
    made["elsewhere"] = xp.asarray(torch.ones(3, device="meta"))
    tensor = torch.tensor([1.0, 2.0, 3.0], device="cpu")
    return made | {"xp": xp, "np": np, "a": np.asarray([1.0, 2.0, 3.0]), "t": tensor}


def outcome(code: str, given: dict[str, Any], relaxed: bool | str = False) -> Any:
    """Return what an expression gives, or the error that it raises."""
    chosen = xp.options(relaxed=relaxed, default_float="float64", device="cpu")
    with chosen, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return eval(code, given)
        except Exception as error:  # noqa: BLE001  # it is looked at
            return error


@listing("expression, said", SAID)
def test_it_says_what_to_write_and_names_the_option_if_it_helps(expression: str, said: str) -> None:
    error = outcome(expression, names())
    assert isinstance(error, ERRORS)
    assert said in str(error)
    last = Path(traceback.extract_tb(error.__traceback__)[-1].filename)
    assert last.is_relative_to(PACKAGE), f"Python's own error, in {last}"
    if "relaxed=True" not in str(error):
        assert isinstance(outcome(expression, names(), relaxed=True), Exception)


@listing("expression", PYTHONS.split("; "))
def test_what_is_left_to_python(expression: str) -> None:
    with pytest.raises(TypeError, match="unhashable type"):
        eval(expression, names())


def test_it_says_so_where_the_compiler_is_loaded_too() -> None:
    import torch._dynamo  # noqa: F401  (other tests load it too, later or sooner)

    with pytest.raises(TypeError, match="there is no 'nonsense'"):
        xp.random.default_rng(nonsense=1)  # type: ignore[call-arg]


# --- arguments that are missing, unknown or too many ----------------------------------------------

SPACES = {"": xp, "linalg.": xp.linalg, "fft.": xp.fft, "special.": xp.special}
CALLED = {
    prefix + name: function
    for prefix, module in SPACES.items()
    for name in module.__all__
    if inspect.isfunction(function := getattr(module, name)) and not name.startswith("_")
}
FAST = {n for n, f in CALLED.items() if "subok" in f.__code__.co_varnames} | set(
    "can_cast finfo iinfo isdtype result_type to_torch where".split()
)
"""The functions of a microsecond, whose calls the question for unknown names would make slower."""
RIGHT = {"shape": (2, 2), "start": 0, "stop": 1, "num": 3, "n": 2, "n_rows": 2, "fill_value": 1}
RIGHT |= {"from_": xp.int8, "dtype": xp.int8, "source": 0}
KEYWORDS = ("dtype", "out", "where", "casting", "order", "axis", "keepdims", "device", "like")


class F(float):
    """What is no data type, but can be called for a number."""


@listing("name", CALLED)
def test_no_argument_is_left_out_and_none_is_unknown_or_one_too_many(name: str) -> None:
    function, called = CALLED[name], CALLED[name].__name__  # digamma is psi
    form = inspect.signature(function).parameters
    required = [p for p in form.values() if p.default is p.empty and p.kind is not p.VAR_POSITIONAL]
    given = [RIGHT.get(p.name, xp.ones((2, 2), device="cpu")) for p in required]
    for n in range(len(required)):
        absent = "|".join(p.name for p in required[n:])
        said = "it takes 3" if called == "where" else rf"{called}: .*'({absent})'.* missing"
        with pytest.raises(MisuseError, match=said):
            function(*given[:n])
    if name not in FAST:
        with pytest.raises(MisuseError, match=f"{called}: there is no 'nonsense'.* Its form is"):
            function(*given, nonsense=1)
    if "misplaced" in function.__code__.co_varnames:
        with pytest.raises(TypeError, match=r"\. Its form is "):
            function(*[1] * 30)
    if name in FUNCTIONS:
        count = sum(p.kind is p.POSITIONAL_ONLY for p in form.values())
        dtypes = xp.float32, xp.int64, xp.bool
        for dtype, word in (
            itertools.product(dtypes, KEYWORDS)
            if everything()
            else zip(itertools.cycle(dtypes), KEYWORDS)
        ):
            if word not in form:
                with pytest.raises(TypeError, match=f"there is no|argument '{word}'"):
                    function(*[xp.ones((2, 2), dtype=dtype)] * count, **{word: F})


def test_all_functions_are_among_them() -> None:
    assert len(CALLED.keys() & FUNCTIONS.keys()) > 230
    assert {"add", "abs", "special.erf", "linalg.det", "fft.fft"} <= CALLED.keys()


# --- everyday expressions, in both modes ----------------------------------------------------------

EVERYDAY = r"""
= | f"{x[0]:.3f}"; f"{n[0]:03d}"; f"{c[0]:.1f}"; f"{b[0]}"; "%.2f" % x[0]; "%d" % n[0]
= | "{:.1e}".format(x[0]); str(x[0]); text_of_log("loss %.2f", x[0]); min(n); max(x[0], 2)
= | sorted(x); abs(-x); math.sqrt(x[0]); math.floor(x[0]); math.isnan(x[0]); int(x[0]); float(n[0])
= | complex(x[0]); range(n[0]); [10, 20, 30, 40][n[0]]; "abcd"[: n[0]]; 3.0 in x; not b[0]; all(b)
= | any(x > 2); [float(a) * int(k) for a, k in zip(x, n)]; [i for i, row in enumerate(m)]
= | [float(row[0]) for row in m]; [float(v) for v in reversed(x)]; (lambda p, q, r: float(q))(*x)
= | list(map(float, x)); x is None; (x, 1) == (x, 1); np.asarray(x); np.array(m)
= | np.concatenate([x, x]); x * np.float64(2); np.float64(2) * x; np.pi * x
= | np.testing.assert_allclose(x, x); np.allclose(x, x); axes().plot(x)[0].get_xydata()
= | axes().plot(x, n, "o-")[0].get_xydata(); axes().imshow(m).get_array().data; axes().hist(x)[0]
= | axes().scatter(x, n, c=x, s=n).get_offsets().data; len(axes().errorbar(x, n, yerr=x))
= | len(axes().fill_between(n, x, 2 * x).get_paths()); axes().axvline(x[0]).get_xdata()
= | axes().contourf(m).levels; [bar.get_height() for bar in axes().bar(n, x)]
= | axes().plot([1], [1], marker=xp.concat([m, m]))[0].get_xydata(); axes().set_xlim(x[1], x[0])
= | xp.asarray([x[0], 1.0]); sparse.csr_matrix(m).nnz; csr @ x; x @ csr
= | sparse.csr_array((x, (n - 1, n - 1))).nnz; pickle.loads(pickle.dumps(x)); copy.deepcopy(x)
= | copy.copy(x); joblib.hash(x) == joblib.hash(copy.copy(x))
= | joblib.Parallel(n_jobs=1)(joblib.delayed(float)(v) for v in x)
= | saved(lambda f: np.save(f, x), np.load); functools.reduce(xp.add, [x, x, x]); sum([x, x])
= | m.T @ m; x[n - 1]; x[:100]; x[-1]; n // 2; 2 ** n; 1 / x; (x > 1) & (x < 3); xp.arange(3)
= | xp.where(x > 2, x, 0.0); xp.random.default_rng(0).normal(size=3).shape
= | xp.linalg.lstsq(m, m[:, 0], rcond=None)[0]; np.ndim(x[0]); np.shape(m); hasattr(x, "__len__")
= | callable(x); x.dtype.itemsize; x.dtype == xp.float64; torch.as_tensor(x); torch.tensor(x)
= | torch.zeros(n[0], n[1]); random.Random(0).choice(x); random.Random(0).shuffle(x)
= | list(itertools.product(x, x)); list(itertools.accumulate(x)); isinstance(dir(x), list)
~ | f"{x}"; str([x[0], x[1]]); {x[0]: 1}; d[n[0]]; json.dumps(x[0]); torch.load(file)
~ | xp.float64(2); isinstance(x, np.ndarray); isinstance(x[0], float)
~ | isinstance(x[0], numbers.Number); np.isscalar(x[0]); x.dtype.name; x.dtype.kind == "f"
~ | str(x.dtype); x.dtype == "float64"; x.dtype == np.float64; memoryview(x).nbytes
~ | torch.from_numpy(x); TensorDataset(x); Fraction(x[0]); statistics.mean(x)
write numpy.set_printoptions(precision=2) | f"{x:.2f}"
Write round(float(x), 2) | = | round(x[0], 2)
Write round(float(x)) | = | round(x[0]); round(n[0])
write (x // y, x % y), of finite | = | divmod(n, 2)
Write y * int(n), or xp.asarray(y) * n | [0] * n[0]; n[0] * (1, 2)
Write bool(xp.any(x == value)) | = | 3.0 in m
reduce the array with any() or all() first | bool(x); (x, 1) == (x + 0, 1)
Write xp.any(x) | = | bool(x.any())
Write numpy.from_dlpack(x, device="cpu").tolist() | = | set(n.tolist()); json.dumps(x.tolist())
'x is None' asks whether | = | x == None
Ask isinstance(x, str) first | = | x == "a"
Convert it with asarray() first | = | x == [3.0, 1.0, 2.25]; np.ones(3) * x; x * np.ones(3)
Convert it with asarray() first | = | xp.sum(3)
Write xp.asarray(x.to_numpy()) | = | xp.asarray(df)
Write xp.asarray(obj) | = | xp.array(df)
Write xp.asarray(x.toarray()) | xp.asarray(csr)
Write numpy.save(file, numpy.from_dlpack(x, device="cpu")) | xp.save("x.npy", x)
Leave T out | = | x.T @ x
Convert sequences with asarray() first | = | x[[0, 2]]; x[np.array([0, 2])]
Convert a number with int() first | x[1.0]
Add '...' to the key | = | m[0]; m[0][1]; m[:, None]
allowed are -3 to 2 | x[7]
Convert it with astype() first | = | n / 2; b + b; xp.sum(b); xp.sqrt(n); xp.mean(n)
Convert the array to another dtype with astype() first | = | n * 0.5
Convert one of them with astype() first | = | n + x
Convert them to floating-point numbers with astype() first | n ** -1
Convert it with astype() first | ~ | -b
Write xp.sum(x) | = | m.sum(axis=1)
Write xp.astype(x, dtype) | = | m.astype(int)
Write xp.clip(x | = | x.clip(0, 2)
Write float(x) | = | x.item(0)
'dtype' by name | = | xp.zeros(3, int)
Write xp.int64 | = | xp.zeros(3, dtype=int)
'shape' is one tuple | A shape of several axes is one tuple | xp.zeros(2, 3)
nonzero(condition) finds the positions | = | xp.where(x > 2)
Write xp.random.default_rng(seed).random(shape) | xp.random.rand(3)
Write xp.random.default_rng(seed) | xp.random.seed(0)
.standard_normal(shape) | xp.random.randn(3)
Write i = xp.clip(xp.searchsorted(bins, x) | = | xp.interp(1.5, x[:2] - 2, x[:2])
Write xp.matmul(x, y) | = | xp.einsum("i,i->", x, x)
Write xp.linalg.pinv(x[:, None] ** | = | xp.polyfit(n, x, 1)
Write xp.concat([xp.zeros(n | = | xp.pad(x, 1)
leave it out | = | xp.errstate(all="ignore").__class__.__name__
Write numpy.set_printoptions(precision=3) | xp.set_printoptions(precision=3)
Write math.exp(1.0) | = | xp.exp(1.0)
Write xp.sum(x, axis=0) | = | xp.add.reduce(x)
Write y = xp.reshape(x, shape) | setattr(x, "shape", (3, 1))
Write numpy.from_dlpack(x, device="cpu").tobytes() | = | bytes(x)
Write xp.to_torch(x) for its tensor | torch.sin(x); torch.stack([x, x])
int(x) or float(x) is its number | t[n[1]]
Write y * int(n) | random.Random(0).sample(range(9), n[0])
round() is for one number, and the array has shape (3,) | round(x)
got an object of type ellipsis | xp.asarray(Ellipsis)
Write math.log(100) for numbers | = | xp.log(100)
Write math.atan2(1.0, 2) for numbers | = | xp.atan2(1.0, 2)
Write cmath.exp(1j) for numbers | = | xp.exp(1j)
Write abs(-3) for numbers | = | xp.abs(-3)
Convert one of them with asarray() first | = | xp.remainder(-5, 3)
Write x[...] = xp.add(x, xp.sum( | = | xp.add.at(x, n - 1, 1.0)
x[...] = xp.reshape(xp.add(y, xp.sum( | = | xp.add.at(m, (n % 2, n % 2), 1.0)
Write x[...] = xp.maximum(x, xp.max( | = | xp.maximum.at(x, n - 1, 1.0)
Write xp.bool | = | xp.astype(x, bool)
dtype must be one of the namespace's data types | xp.zeros(3, dtype="U3")
give them numpy.from_dlpack(x, device="cpu") | = | xp.isdtype(np.dtype("f4"), "bool")
d must be an int or a float | = | xp.fft.fftfreq(3, d=x[0] - x[1])
Write xp.max(x) | = | xp.repeat(x, n.max()); xp.tensordot(m, m, axes=n.max() - 1)
Write xp.max(x) | = | xp.random.default_rng(0).permutation(n.max()).shape
Write xp.concat([x[:n], y, x[n:]]) | = | xp.insert(x, xp.argmin(x), 9.0)
Write s = xp.sort( | = | xp.histogram(x, bins=n.max())[0]
(x[:n, ...], x[n:, ...]) | = | xp.split(xp.arange(6), n.max())
Write xp.min(x) | = | xp.std(x, ddof=n.min())
an axis must be an integer | = | xp.sum(m, axis=xp.argmax(n))
endpoint must be True or False | = | xp.linspace(0, 1, 3, endpoint=np.True_)
shape must be a tuple of integers | = | xp.ones(n)
repetitions must be a tuple of integers | = | xp.tile(x, n[:2])
dtype must be one of the namespace's data types | = | xp.arange(0, len(x) / 2, dtype=int)
size must be a tuple of integers | = | xp.random.default_rng(0).normal(size=n).shape
Write numpy.from_dlpack(x, device="cpu") | x.get(); xp.asnumpy(x)
"""
"""Expressions, after what is expected in strict and in relaxed mode, once where that is the same:
``=`` where NumPy gives the same, the words of an error that says what to write, or ``~`` where the
table of the page says it.  What tests/numpys.py has is not here once more."""


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
OTHERS: dict[str, Any] = {m.__name__: m for m in (*MODULES, random, statistics, torch)}
OTHERS |= {"sparse": sparse, "saved": saved, "text_of_log": text_of_log, "np": np, "d": {3: "a"}}
OTHERS |= {"Fraction": fractions.Fraction, "TensorDataset": torch.utils.data.TensorDataset}
OTHERS |= {"axes": lambda: Figure().subplots(), "df": Frame(), "csr": sparse.eye(3, format="csr")}
OTHERS |= {"t": torch.tensor([1.0, 2.0, 4.0], device="cpu")}


def everyday(ns: Any = xp) -> dict[str, Any]:
    """Return what expressions name, with arrays of a namespace on the CPU."""
    made: dict[str, Any] = {"x": [3.0, 1.5, 2.25], "n": [3, 1, 2], "m": [[1.0, 2.0], [3.0, 4.0]]}
    made |= {"c": [1 + 2j], "b": [True, False]}
    made = {name: np.asarray(value) for name, value in made.items()}
    if ns is xp:
        made = {name: xp.asarray(value, device="cpu") for name, value in made.items()}
    file = io.BytesIO()
    torch.save(made["x"], file)
    file.seek(0)
    return {**OTHERS, **made, "xp": ns, "file": file}


def both_modes() -> list[tuple[str, str, str]]:
    """Return the expressions, with what is expected in strict and in relaxed mode."""
    lines = [line.split(" | ") for line in EVERYDAY.strip().splitlines()]
    return [(code, cells[0], cells[-2]) for cells in lines for code in cells[-1].split("; ")]


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


@listing("code, strictly, freely", both_modes())
def test_it_works_in_both_modes_or_says_what_to_write(
    code: str, strictly: str, freely: str
) -> None:
    for relaxed, expected in ((False, strictly), (True, freely)):
        got = outcome(code, everyday(), relaxed)
        if expected in {"=", "~"}:
            assert same(got, outcome(code, everyday(np))) == (expected == "="), (relaxed, got)
        else:
            assert isinstance(got, ERRORS), (relaxed, got)
            assert expected in str(got)


def cells_of(page: str, heading: str) -> list[list[str]]:
    """Return the cells below the heading of a table on a page."""
    _, _, rest = (DOCS / page).read_text(encoding="utf-8").partition(f"\n{heading}\n|---")
    lines = itertools.takewhile(lambda line: line.startswith("|"), rest.splitlines()[1:])
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def code_of(cell: str) -> str:
    found = re.match("`+ ?(.*?) ?`+", cell)
    return found[1] if found else ""


LEFT = cells_of("strict-and-relaxed.md", "| code | gives | write |")


def test_the_page_has_what_neither_works_nor_says_so() -> None:
    codes = [code for code, *_ in both_modes()]
    assert len({*codes}) == len(codes)
    left = {code for code, *cells in both_modes() if "~" in cells}
    assert {code_of(code) for code, *_ in LEFT} == left


@listing("row, relaxed", list(itertools.product(LEFT, (False, True))))
def test_the_page_says_what_to_write(row: list[str], relaxed: bool) -> None:
    original, gives, write = map(code_of, row)
    if relaxed or original != "-b":
        got = outcome(original, everyday(), relaxed)
        error, _, words = gives.partition(": ")
        if isinstance(got, Exception):
            assert type(got).__name__ == error
            assert words in str(got)
        else:
            assert repr(got) == gives
    if not write:
        assert "](" in row[2]
        return
    instead, numpys = outcome(write, everyday(), relaxed), outcome(original, everyday(np))
    assert not isinstance(instead, Exception), instead
    if not isinstance(numpys, (Exception, str)):
        assert bool(np.all(np.asarray(instead) == np.asarray(numpys)))


def test_relaxed_mode_leaves_two_readings_of_a_product_to_the_user() -> None:
    with xp.options(relaxed=True):
        with pytest.raises(TypeError, match=r"^\*: .* may mean to repeat it"):
            [0] * everyday()["n"][0]
        with pytest.raises(TypeError, match=r"Write xp.asarray\(x.toarray\(\)\)\.$"):
            xp.asarray(OTHERS["csr"])
        assert np.asarray([1, 2, 3] * everyday()["n"]).tolist() == [3, 2, 6]


@listing("dtype", ["float32", "float64", "int8", "bool", "complex64", "bfloat16"])
def test_the_text_of_one_number_is_numpys(dtype: str) -> None:
    x = xp.astype(xp.asarray(0.5), getattr(xp, dtype))
    expected = np.asarray(0.5).astype("float32" if dtype == "bfloat16" else dtype)[()]
    assert str(x) == str(expected)
    assert f"loss={x!s}" == f"loss={expected!s}"
    assert repr(x).startswith("Array(")
    assert str(xp.asarray([0.5])) == repr(xp.asarray([0.5]))


def test_every_function_of_two_operands_has_the_methods_of_universal_ones() -> None:
    for name in ("add", "atan2", "pow", "less", "bitwise_and", "copysign", "maximum"):
        assert name in FUNCTIONS
        for method in ("reduce", "accumulate", "outer", "at"):
            with pytest.raises(TypeError, match=rf"^{name}\.{method}: .* Write .*relaxed=True"):
                getattr(getattr(xp, name), method)(xp.ones(2), 0, 1)
    assert not hasattr(xp.exp, "reduce")


# --- what would pass without a word: comparisons by identity --------------------------------------

NO_ARRAYS: list[tuple[Any, str]] = [
    *((other, "xp.options(relaxed=True) allows it.") for other in (object(), {}, float)),
    *(([1, 2, 3], ""), ([1.1, 2.0, 3.0], ""), ((1, 5, 3), ""), ([[1, 2, 3], [3, 2, 1]], "")),
    *(([1, None, 3], ""), (["1", "2", "3"], ""), ("a", "isinstance(x, str)")),
    *((b"a", "isinstance(x, str)"), (None, "x is None")),
]


@listing("compare, other", list(itertools.product((operator.eq, operator.ne), NO_ARRAYS)))
def test_comparisons_with_what_is_no_array_are_numpys_or_refused(compare: Any, other: Any) -> None:
    other, hint = other
    symbol = {"eq": "==", "ne": "!="}[compare.__name__]
    hint = re.escape(hint or "xp.options(relaxed=True) allows it.")
    for a, b in ((xp.asarray([1, 2, 3]), other), (other, xp.asarray([1, 2, 3]))):
        with pytest.raises(TypeError, match=f"^{symbol}: .*{hint}"):
            compare(a, b)
    for dtype in ("int64", "float32", "bool", "complex64", "bfloat16"):
        x = xp.astype(xp.asarray([1.0, 2.0, 3.0]), getattr(xp, dtype))
        numbers = np.asarray([1.0, 2.0, 3.0]).astype("float32" if dtype == "bfloat16" else dtype)
        expected = compare(numbers, other)
        with xp.options(relaxed=True):
            for got in (compare(x, other), compare(other, x)):
                assert isinstance(got, xp.Array)
                assert got.dtype is xp.bool
                np.testing.assert_array_equal(to_numpy(got), expected, strict=True)


def test_tensors_are_compared_in_relaxed_mode_alone() -> None:
    x, tensor = xp.asarray([1, 2], device="cpu"), torch.tensor([1, 3], device="cpu")
    for a, b in ((x, tensor), (tensor, x)):
        with pytest.raises(TypeError, match=r"==: .*torch.Tensor.*asarray\(\) first.*relaxed=True"):
            a == b
    with xp.options(relaxed=True):
        assert np.asarray(x == tensor).tolist() == [True, False]
        assert np.asarray(tensor != x).tolist() == [False, True]


def test_what_knows_of_arrays_answers_a_comparison_itself() -> None:
    class Knows:
        def __eq__(self, other: object) -> Any:
            return "equal"

        def __ne__(self, other: object) -> Any:
            return "not equal"

        __hash__ = None  # type: ignore[assignment]

    x = xp.asarray([1, 2, 3])
    for mode in (False, True):
        with xp.options(relaxed=mode):
            assert (x == Knows()) == (Knows() == x) == "equal"
            assert (x != Knows()) == (Knows() != x) == "not equal"
            assert x == mock.ANY
            assert xp.asarray(3.0, device="cpu") == pytest.approx(3.0)


def test_no_sequence_is_repeated_by_an_array() -> None:
    """Which Python does with any object that can be an index."""
    for other in ([1, 2], (1, 2), "ab", b"ab", bytearray(b"ab"), range(2)):
        for a, b in ((xp.asarray(2), other), (other, xp.asarray(2))):
            with pytest.raises(TypeError, match=r"^\*: "):
                a * b  # type: ignore[operator]


# --- names of NumPy and torch that are elsewhere --------------------------------------------------

PARTS = ("", "linalg", "fft", "random", "special")
ELSEWHERE = [
    (part, name, text) for part in PARTS for name, text in foreign_names.names(part).items()
]
VERSIONS = ("v2023_12", "v2024_12", "v2025_12")
NAMESPACES = [*(p for p in PARTS if p), *VERSIONS, *(f"{v}.linalg" for v in VERSIONS)]


def module_of(part: str) -> Any:
    return getattr(xp, part) if part else xp


def check_targets(text: str) -> None:
    """Check that all that a text tells to write is there."""
    for path in re.findall(r"\bxp\.([\w.]*\w)", text):
        target: Any = xp
        for name in path.split("."):
            target = getattr(target, name)
    for name in re.findall(r"xp\.random\.default_rng\(seed\)\.(\w+)", text):
        assert hasattr(xp.random.default_rng(0), name)
    for name in re.findall(r"\b[xyd]\.(\w+)", text):
        assert hasattr(xp.zeros((1, 1)), name), name
    for name in re.findall(r"to_torch\(x\)\.(\w+)", text):
        assert hasattr(torch.Tensor, name), name
    for name in re.findall(r"numpy\.from_dlpack\(x[^)]*\)\.(\w+)", text):
        assert hasattr(np.ndarray, name), name
    for name in re.findall(r"(?<!\.)\bnumpy\.(\w+)", text):
        assert hasattr(np, name), name


@listing("part, name, text", ELSEWHERE)
def test_a_name_of_the_tables_is_elsewhere(part: str, name: str, text: str) -> None:
    module = module_of(part)
    assert name not in module.__all__
    assert not hasattr(module, name)
    with pytest.raises(AttributeError, match=re.escape(text)) as caught:
        getattr(module, name)
    assert caught.value.name == name
    assert str(caught.value).startswith(f"module {module.__name__!r} has no attribute {name!r}. ")
    check_targets(text)


ATTRIBUTES = sorted(
    {n for n in (*dir(np.ndarray), *dir(torch.Tensor)) if not n.startswith("_")}
    - set(dir(xp.ones((2, 2))))
)
OF_ATTRIBUTES = {
    "tanh": "xp.tanh(x)",
    "tanh_": "x[...] = xp.tanh(x)",
    "isclose": "xp.abs(x - y) <= atol",
    "det": "xp.linalg.det(x)",
    "is_cuda": "xp.to_torch(x).is_cuda",
    "scatter_": "xp.to_torch(x).scatter_(...)",
    "setflags": 'numpy.from_dlpack(x, device="cpu").setflags(...)',
    "short": "xp.astype(x, xp.int16)",
}


@listing("name", ATTRIBUTES)
def test_every_attribute_of_numpys_and_torchs_arrays_is_elsewhere(name: str) -> None:
    text, x = foreign_names.of_attribute(name), xp.ones((2, 2))
    assert text
    assert OF_ATTRIBUTES.get(name, "") in text
    assert not hasattr(x, name)
    assert name not in dir(x)
    with pytest.raises(AttributeError, match=re.escape(text)) as caught:
        getattr(x, name)
    assert caught.value.name == name
    assert caught.value.obj is x
    check_targets(text)


def test_the_tables_are_in_order_and_of_names_that_there_are() -> None:
    assert set(foreign_names.ARRAY) <= {*ATTRIBUTES, "asnumpy", "get", "npu", "ptp"}
    for names in (*(foreign_names.names(p) for p in PARTS[1:]), foreign_names.ARRAY):
        assert sorted(names) == list(names)
    assert sorted(foreign_names.names(""), key=str.lower) == list(foreign_names.names(""))
    older = {"alltrue", "as_tensor", "in1d", "ptp", "trapz", "row_stack", "bmat", "fromstring"}
    older |= {"asnumpy", "to_numpy"}  # of CuPy and of others
    for part, name, _ in ELSEWHERE:
        libraries = [getattr(lib, part, None) if part else lib for lib in (np, torch, scipy)]
        assert any(hasattr(lib, name) for lib in libraries) or name in older, (part, name)


def refusals() -> dict[tuple[str, str], str]:
    """Return what is said of each name of NumPy that a part of the namespace has not."""
    said = {}
    for part in PARTS[:4]:
        for name in dir(getattr(np, part) if part else np):
            if not name.startswith("_") and not hasattr(module_of(part), name):
                with pytest.raises(AttributeError) as caught:
                    getattr(module_of(part), name)
                said[part, name] = str(caught.value)
    return said


def test_every_name_of_numpy_is_answered_and_says_whether_relaxed_mode_has_it() -> None:
    strictly = refusals()
    for (part, name), text in strictly.items():
        if name in getattr(np, part, np).__all__:
            assert re.search(r"Write |The |Arrays |A key ", text), (part, name, text)
            check_targets(text.partition("Write ")[2])
        assert "asarray(x)." not in text, "it sends arrays of a device to NumPy unmoved"
    with xp.options(relaxed=True):
        freely = refusals()
        had = {(p, n) for p, n in strictly if hasattr(module_of(p), n)}
    assert {k: text for k, text in strictly.items() if k not in had} == freely
    assert all(re.search("Write |The |Arrays |A key ", text) for text in freely.values())
    assert len(had) > 200
    allowed = {k for k, t in strictly.items() if "xp.options(relaxed=True) allows it." in t}
    assert allowed == had
    texts = [foreign_names.of_attribute(n) for n in ATTRIBUTES]
    assert [text for text in texts if "asarray(x)." in text] == []


def test_a_name_of_nobody_is_pythons_own_error() -> None:
    with pytest.raises(
        AttributeError, match="^module 'ascend_array_api' has no attribute 'nobody'$"
    ):
        xp.nobody
    with pytest.raises(AttributeError, match="no attribute 'nobody'"):
        xp.ones(1).nobody
    with pytest.raises(ImportError, match="nobody"):
        exec("from ascend_array_api import nobody")


@listing("path", ["", *(f".{n}" for n in NAMESPACES)])
def test_modules_list_their_public_names_alone(path: str) -> None:
    module = importlib.import_module(f"ascend_array_api{path}")
    listed = {n for n in dir(module) if not n.startswith("__")}
    beside = {"": {*VERSIONS}, ".linalg": {"LinAlgError"}}.get(path, set())
    assert listed == {n for n in module.__all__ if not n.startswith("__")} | beside
    for n in dir(module):
        assert hasattr(module, n)


def test_arrays_list_what_they_have_in_the_mode_that_is_on() -> None:
    x = xp.ones((2, 2))
    strict = {n for n in dir(x) if not n.startswith("_")}
    assert strict == {"T", "device", "dtype", "mT", "ndim", "shape", "size", "to_device"}
    with xp.options(relaxed=True):
        relaxed = set(dir(x))
        assert {"sum", "reshape", "astype"} < relaxed
        assert all(hasattr(x, n) for n in relaxed - {"__abstractmethods__", "imag"})
        assert not hasattr(x, "detach")
    assert {n for n in dir(x) if not n.startswith("_")} == strict
    assert set(dir(type(x).__mro__[-1]())) <= set(dir(x))


# --- the page of what strict mode takes although the standard leaves it undefined -----------------

TAKES = (DOCS / "strict-takes.md").read_text(encoding="utf-8")
CELLS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in TAKES.splitlines()
    if line.startswith("| `")
]
PORTABLE = [(row[0].strip("`"), row[2].strip("`")) for row in CELLS if len(row) == 3]
TAKEN = [code for row in CELLS for code in re.findall(r"`([^`]+)`", row[0])]


def of_the_page(code: str, ns: Any) -> Any:
    values = np.arange(6.0).reshape(2, 3) + 1
    with xp.options(device="cpu"):
        given = {"xp": ns, "np": np, "x": ns.asarray(values), "v": ns.asarray(values[0])}
        result = eval(code, given)
    return result if isinstance(result, str) else np.asarray(result)


def test_the_tables_are_read() -> None:
    assert len(PORTABLE) > 6
    assert len(TAKEN) > 15
    assert "x.dtype == np.float32" in TAKES


@listing("code", TAKEN)
def test_what_strict_mode_takes_is_taken_as_in_numpy(code: str) -> None:
    got, expected = of_the_page(code, xp), of_the_page(code, np)
    if isinstance(got, str):
        assert got == expected
        return
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=1e-6)


@listing("code, portable", PORTABLE)
def test_the_portable_form_is_the_same(code: str, portable: str) -> None:
    here = of_the_page(code, xp)
    for ns in (xp, array_api_strict):
        np.testing.assert_array_equal(of_the_page(portable, ns), here)
    with pytest.raises((IndexError, TypeError, ValueError, RuntimeError, AttributeError)):
        of_the_page(code, array_api_strict)


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
