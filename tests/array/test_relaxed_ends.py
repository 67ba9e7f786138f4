"""Relaxed mode beside NumPy at the ends of every data type: values and data types.

Each expression is computed with NumPy for ``np`` and with the namespace, of the same elements.
"""

from __future__ import annotations

import itertools
import operator
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from parametrize import listing

import ascend_array_api as xp
from ascend_array_api._torch import dtypes as dt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NAMES = sorted(dt.NAMES[d] for d in dt.STANDARD)
INTEGERS = sorted(dt.NAMES[d] for d in dt.INTEGER)
SIGNED = sorted(dt.NAMES[d] for d in dt.SIGNED)
STAMP = 1_700_000_000_000_000_000
"""Nanoseconds since 1970: six of them are beyond int64."""


@pytest.fixture(autouse=True)
def relaxed() -> Iterator[None]:
    with xp.options(relaxed=True, default_float="float64", device="cpu"):
        yield


def ends(name: str) -> np.ndarray[Any, Any]:
    """Return six elements, the least and the greatest of a data type among them."""
    dtype = np.dtype(name)
    if dtype.kind == "b":
        return np.asarray([False, True, True, False, True, True])
    if dtype.kind in "iu":
        i = np.iinfo(dtype)
        return np.asarray([i.min, i.max, i.max - 1, 1, i.max // 2 + 1, 0], dtype=dtype)
    if dtype.kind == "f":
        return np.asarray([np.nan, -0.0, np.inf, -1.5, 2.5, -np.inf], dtype=dtype)
    return np.asarray([1 + 2j, -0.0, 3.0, -1.5 + 1j, 2.5 - 3j, 1j], dtype=dtype)


def large(name: str) -> np.ndarray[Any, Any]:
    """Return six elements, all large, whose sum is beyond the data type."""
    dtype = np.dtype(name)
    if dtype.kind == "b":
        return np.ones(6, dtype=bool)
    if name in {"int64", "uint64"}:
        return np.asarray([STAMP + i for i in range(6)], dtype=dtype)
    most = np.iinfo(dtype).max if dtype.kind in "iu" else 4e4
    return np.asarray([most - i for i in (5, 3, 1, 0, 2, 4)]).astype(dtype)


def of_numpy(expression: str, **given: Any) -> Any:
    """Compute an expression with NumPy, or return what it raises."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        # NumPy 2.5 computes it all the same.
        warnings.filterwarnings("ignore", "numpy.fix is deprecated", DeprecationWarning)
        try:
            return eval(expression, {"np": np, **given})
        except (ArithmeticError, IndexError, TypeError, ValueError) as error:
            return error


def of_ours(expression: str, **given: Any) -> Any:
    ours = {k: xp.asarray(v) if isinstance(v, np.ndarray) else v for k, v in given.items()}
    return eval(expression, {"np": xp, **ours})


def same(got: Any, expected: Any) -> None:
    """Check values and data type; what NumPy makes float16 or float32 of integers is float64."""
    expected = np.asarray(expected)
    assert got.shape == expected.shape
    values = np.asarray(got)
    if expected.dtype.kind in "biu":
        assert values.dtype == expected.dtype
        np.testing.assert_array_equal(values, expected)
    else:
        rtol = {"float16": 2e-3, "float32": 1e-5, "complex64": 1e-5}.get(expected.dtype.name, 1e-11)
        assert values.dtype == expected.dtype
        np.testing.assert_allclose(values, expected, rtol=rtol, atol=rtol)


# --- reductions -----------------------------------------------------------------------------------

REDUCTIONS = """
    np.sum(a) np.sum(a,0) np.prod(a,-1) np.mean(a) np.mean(a,1,keepdims=True) np.std(a) np.var(a,0)
    np.max(a) np.max(a,1) np.min(a,0) np.min(a,(0,1)) np.max(a,()) np.any(a) np.all(a,0)
    np.argmax(a,1) np.argmin(a) np.median(a) np.ptp(a) np.nansum(a) np.nanprod(a,0) np.nanmean(a)
    np.nanmean(a,0) np.nanmean(a,(0,1),keepdims=True) np.nanmean(a,where=m) np.nanstd(a)
    np.nanstd(a,-1) np.nanstd(a,ddof=1) np.nanvar(a) np.nanvar(a,0,keepdims=True)
    np.nanvar(a,where=m) np.nanvar(a,ddof=9) np.nanvar(a,ddof=6) np.nanstd(a,1,ddof=3)
    np.nanmax(a) np.nanmax(a,0) np.nanmin(a,1)
    np.nanmin(a,(0,1),keepdims=True) np.nanmax(a,initial=1) np.nanmax(a*np.nan)
    np.nanmin(a*np.nan,1,keepdims=True) np.nanmin(a,axis=0,initial=1,where=m)
    np.count_nonzero(a,0) np.average(a) np.average(a,weights=w) np.average(a,weights=i)
    np.average(a,0,weights=i[:,0]) np.average(a,1,weights=w,returned=True)[0]
    np.average(a,1,weights=i,returned=True)[1] np.mean(a,where=m) np.std(a,1,where=m)
    np.var(a,where=m,ddof=1) np.var(a,ddof=9,where=m) np.sum(a,initial=2) np.sum(a,initial=2.5)
    np.sum(a,0,where=m) np.prod(a,where=m,initial=1) np.max(a,initial=1) np.min(a,0,initial=0)
    np.max(a,(0,1),keepdims=True,initial=1) np.max(a,keepdims=True,initial=1,where=m)
    np.max(a,initial=1,where=m) np.min(a,1,initial=1,where=m) np.max(a[:0],initial=1)
    np.min(a[:,:0],1,initial=1) np.max(a[:0],(0,1),initial=1) a.max() a.min(0) a.mean() a.var()
    np.cumsum(a) np.cumsum(a,1) np.nancumsum(a) np.cumprod(a,0) np.trapezoid(a)
    np.clip(a,0,1) np.clip(a,a,a) np.clip(a,-300,300) np.clip(a,None,2**70) np.clip(a,-(2**70),None)
    np.clip(a,None,None) np.abs(a) abs(a) np.ceil(a) np.floor(a) np.trunc(a) np.fix(a) np.sort(a)
    np.sort(a,None) np.diff(a) np.diff(a,axis=0) np.diff(a,2) np.diff(a,0) np.diff(a,9)
    np.diff(a,prepend=a) np.diff(a,append=1) np.diff(a[:0],axis=0) np.diff(a[:,:0])
    np.ediff1d(a[:0]) np.unwrap(a[:0],axis=0) np.polyval([1,2],a) np.sinc(a) np.positive(a+0)
    np.insert(a,2,1) np.insert(a,-1,1) np.insert(a,6,1) np.logical_or(a,a) np.maximum(a,a)
""".split()
SMALL = {"bool", "int8", "int16", "uint8", "uint16"}
REFUSED_OF = {
    "complex": {"median", "max", "min", "argmax", "argmin", "ptp", "std", "var", "sort", "clip"}
    | {"nanmax", "nanmin", "nanstd", "nanvar", "ceil", "floor", "trunc", "fix", "sinc", "maximum"},
}


def widened(name: str, expected: Any) -> Any:
    """Return what NumPy computes, in the default data type where that is small for integers."""
    array = np.asarray(expected)
    return array.astype("float64") if name in SMALL and array.dtype.kind == "f" else array


@pytest.mark.parametrize("values", [ends, large])
@pytest.mark.parametrize("name", NAMES)
def test_functions_of_one_array(name: str, values: Callable[[str], Any]) -> None:
    given = {
        "a": values(name).reshape(2, 3),
        "m": np.asarray([[True, False, True], [True, True, False]]),
        "w": np.asarray([0.5, 0.25, 2.0]),
        "i": np.asarray([[2, 1, 3], [5, 4, 1]]),
    }
    for expression in REDUCTIONS:
        expected = of_numpy(expression, **given)
        if isinstance(expected, Exception):
            continue
        word = expression.replace("np.", "").replace("a.", "").split("(")[0]
        if name.startswith("complex") and word in REFUSED_OF["complex"]:
            continue
        with np.errstate(all="ignore"):
            got = of_ours(expression, **given)
        try:
            same(got, widened(name, expected))
        except AssertionError as error:
            raise AssertionError(f"{expression} of {given['a'].tolist()}") from error


def test_moments_of_halves_do_not_overflow() -> None:
    """As NumPy's do: its mean and var add in float32, its nanmean and nanvar do not."""
    x = np.asarray([60000.0, 60000.0, np.nan], dtype=np.float16)
    for function in ("nanmean", "nanvar", "nanstd"):
        expected = getattr(np, function)(x.astype(np.float32)).astype(np.float16)
        same(getattr(xp, function)(xp.asarray(x)), expected)


def test_weights_that_sum_to_nothing_are_refused() -> None:
    for weights in ([1, -1], [0.0, 0.0]):
        with pytest.raises(ZeroDivisionError, match="average: weights sum to 0"):
            xp.average([1.0, 2.0], weights=weights)


@pytest.mark.parametrize("function", ["mean", "std", "var", "nanmean", "nanvar"])
@pytest.mark.parametrize("given", [int, np.int8, bool])
def test_moments_are_no_integers(function: str, given: Any) -> None:
    with pytest.raises(TypeError, match="dtype must be one of floating-point numbers"):
        getattr(xp, function)([100, 101], dtype=given)


def test_the_covariance_of_one_observation() -> None:
    for given in ([[1.0], [2.0]], [1.0], [[1.0, 4.0], [2.0, 0.0]]):
        for ddof in (None, 0, 1, 2, 5):
            same(xp.cov(given, ddof=ddof), of_numpy("np.cov(x, ddof=d)", x=given, d=ddof))
    same(xp.cov([[1.0, 4.0, 2.0]], rowvar=False, ddof=0), np.zeros((3, 3)))


# --- remainders -----------------------------------------------------------------------------------


def test_remainders_of_all_small_integers() -> None:
    for name in ("int8", "uint8"):
        i = np.iinfo(name)
        x = np.arange(i.min, i.max + 1).astype(name)
        y = x[x != 0]
        same(xp.fmod(xp.asarray(x)[:, None], xp.asarray(y)), np.fmod(x[:, None], y))


@pytest.mark.parametrize(("a", "b"), list(itertools.product(INTEGERS, INTEGERS)))
def test_remainders_at_the_ends(a: str, b: str) -> None:
    x, y = ends(a), ends(b)
    y = np.concatenate([y[y != 0], np.asarray([3, 7], dtype=b)])
    if np.result_type(a, b).kind != "f":  # of int64 with uint64 another case
        same(xp.fmod(xp.asarray(x)[:, None], xp.asarray(y)), np.fmod(x[:, None], y))


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_remainders_of_floats(name: str) -> None:
    x = np.asarray([-0.0, 0.0, -4, 4, 5.5, -5.5, 1e-6, -1e-6, np.inf, np.nan, 6e4], dtype=name)
    y = np.asarray([1, -1, 2, 0.3, np.inf, -np.inf, np.nan, 0.0, 1e-5], dtype=name)
    expected = of_numpy("np.fmod(x[:, None], y)", x=x, y=y)
    got = xp.fmod(xp.asarray(x)[:, None], xp.asarray(y))
    np.testing.assert_array_equal(np.asarray(got), expected)
    zeros = expected == 0
    assert np.array_equal(np.signbit(np.asarray(got))[zeros], np.signbit(expected)[zeros])


# --- Booleans -------------------------------------------------------------------------------------

OF_TRUTH = """
    np.max(a) np.min(a) np.max(a,0) np.min(a,1,None,True) np.amax(a) np.nanmax(a) np.nanmin(a,0)
    np.abs(a) abs(a) np.absolute(a) np.ceil(a) np.floor(a) np.trunc(a) np.fix(a) np.clip(a,a,None)
    np.clip(a,None,b) np.clip(a,True,False) np.clip(a,False,True) np.clip(a,b[0],a) np.clip(a,0,1)
    np.clip(a,False,1) np.clip(a,[True,False,False],None) a.max() a.min(1)
    a.clip(False) np.sort(a) np.unique(a) np.diff(a) np.diff(a,axis=0) np.diff(a,2) np.diff(a,3,1)
    np.diff(a,prepend=b) np.diff(a,append=2) np.cumsum(a,1) np.sum(a) np.prod(a) np.argmax(a)
    np.maximum(a,b) np.minimum(a,b) np.fmax(a,b) a@b.T np.matmul(a,b.T) np.dot(a,b.T) np.inner(a,b)
    np.vdot(a,b) np.vecdot(a,b) np.tensordot(a,b) np.tensordot(a,b,0) np.outer(a,b) np.kron(a,b)
    np.convolve(a[0],b[1]) np.correlate(a[0],b[0],'full') np.einsum('ij,ij',a,b)
    np.einsum('ij->i',a) np.einsum('ij,kj->ik',a,b) np.einsum('ii',a[:,:2]) a@a.T.astype(int)
    np.matmul(a,i) np.dot(i.T,b.T) a[0]@[True,False,True] np.add(a,b) np.multiply(a,b)
    np.where(np.max(a,0),1,2) ~np.max(a) ~np.min(a,0) ~np.diff(a) a[:,np.max(a,0)]
    a[0][np.diff(a[0],append=False)] np.max(a,initial=False) np.max(a,1,where=b,initial=False)
""".split()


@listing("expression", OF_TRUTH)
def test_booleans(expression: str) -> None:
    a = np.asarray([[True, False, True], [False, False, True]])
    b = np.asarray([[True, True, False], [True, False, False]])
    given = {"a": a, "b": b, "i": np.asarray([[1, 2], [3, 4], [5, 6]])}
    same(of_ours(expression, **given), of_numpy(expression, **given))


def test_booleans_stay_refused_in_strict_mode() -> None:
    x = xp.asarray([True, False])
    for function in (xp.max, xp.min, xp.abs, xp.ceil, xp.floor, xp.trunc, xp.clip, abs, xp.diff):
        function(x)
        with xp.options(relaxed=False), pytest.raises(TypeError, match="bool is not allowed"):
            function(x)
    with xp.options(relaxed=False), pytest.raises(TypeError, match="bool is not allowed"):
        x @ x


# --- comparisons ----------------------------------------------------------------------------------

COMPARISONS = "lt le gt ge eq ne".split()
BEYOND = [300, -1, -129, 2**31, 2**63, -(2**63) - 1, 2**64, 2**70, -(2**70)]


@pytest.mark.parametrize("name", ["bool", *INTEGERS, "float32", "float64"])
def test_comparisons_with_integers_at_and_beyond_the_ends_of_a_data_type(name: str) -> None:
    x = ends(name)
    beyond = [v for v in BEYOND if name != "bool" or abs(v) < 2**63]  # NumPy raises there
    beyond += [int(np.iinfo(name).min), int(np.iinfo(name).max)] if name in INTEGERS else []
    for symbol, value in itertools.product(COMPARISONS, beyond):
        function = getattr(operator, symbol)
        same(function(xp.asarray(x), value), function(x, value))
        same(function(value, xp.asarray(x)), function(value, x))
    for function, value in itertools.product(("equal", "less", "greater_equal"), beyond):
        same(getattr(xp, function)(xp.asarray(x), value), getattr(np, function)(x, value))
        same(getattr(xp, function)(value, xp.asarray(x)), getattr(np, function)(value, x))


@pytest.mark.parametrize("name", SIGNED)
def test_signed_integers_compare_exactly_with_unsigned_ones(name: str) -> None:
    x = ends(name)[:, None]
    y = np.asarray([0, 1, 127, 2**63 - 1, 2**63, 2**64 - 1, 64], dtype=np.uint64)
    for symbol in COMPARISONS:
        function = getattr(operator, symbol)
        same(function(xp.asarray(x), xp.asarray(y)), function(x, y))
        same(function(xp.asarray(y), xp.asarray(x)), function(y, x))
        same(function(xp.asarray(x), y), function(x, y))
    with pytest.raises(ValueError, match="broadcast"):
        _ = xp.asarray(x[:2, 0]) == xp.asarray(y[:3])


def test_comparisons_beyond_a_data_type_stay_refused_in_strict_mode() -> None:
    x = xp.asarray([1, 2], dtype=xp.uint8)
    for value in (300, -1):
        _ = x < value
        with xp.options(relaxed=False), pytest.raises(OverflowError, match="out of bounds"):
            _ = x < value


def test_integers_beyond_a_data_type_where_floats_are_computed() -> None:
    x = np.asarray([1, 2], dtype=np.int32)
    ours = xp.asarray(x)
    for value in (2**40, -(2**70)):
        same(ours / value, x / value)
        same(value / ours, value / x)
        with pytest.raises(OverflowError, match="out of bounds"):
            _ = ours + value
    for value in (2**63, -(2**70)):
        with pytest.raises(OverflowError, match="out of bounds"):
            _ = xp.asarray([True]) + value


# --- what is written ------------------------------------------------------------------------------

VALUES: list[Any] = [
    *[True, 1, -1, 300, 2**40, 2**63, 0.5, -0.5, 127.9, 300.7, 1e30, float("nan"), float("inf")],
    *[float("-inf"), np.float32(0.25), [1, 2, 3], (300, 1, 2), [0.5, 1.5, 2.5], [300.7, 0, 0]],
    *[[float("nan"), 1.0, 2.0], [2**63, 1, 2]],
]
WRITES = [
    *["x[...] = s", "x[0] = s[0] if isinstance(s, (list, tuple)) else s", "x[x == x] = s"],
    *["x[[0, 1, 2]] = s", "x[::-1] = s", "np.put(x, [2, 0, 1], s)", "np.place(x, x == x, s)"],
    *[
        "np.putmask(x, x == x, s)",
        "x.put([0], s)",
        "np.put_along_axis(x, np.asarray([0, 1, 2]), s, 0)",
    ],
    "x = np.insert(x, 1, s)",
]


def written(statement: str, module: Any, x: Any, value: Any) -> Any:
    scope = {"np": module, "x": x, "s": value}
    try:
        exec(statement, scope)
    except (OverflowError, TypeError, ValueError) as error:
        return error
    return scope["x"]


@pytest.mark.parametrize("statement", WRITES)
@pytest.mark.parametrize("name", ["bool", *INTEGERS, "float32"])
def test_what_does_not_fit_is_not_written(name: str, statement: str) -> None:
    x = np.asarray([1, 0, 1], dtype=name)
    for value in VALUES:
        with np.errstate(all="ignore"):
            expected = written(statement, np, x.copy(), value)
        if name == "bool" and str(2**63) in str(value):
            continue  # beyond all data types that both promote to
        target = xp.asarray(x.copy())
        got = written(statement, xp, target, value)
        if isinstance(expected, Exception):
            assert isinstance(got, type(expected)), (value, got)
            np.testing.assert_array_equal(np.asarray(target), x)
        else:
            assert not isinstance(got, Exception), (value, got)
            same(got, expected)


def test_a_scalar_is_copied_within_its_kind() -> None:
    for name, value in itertools.product(("bool", "uint8", "float32"), (True, 2, 0.5, 1j)):
        x = np.zeros(2, dtype=name)
        expected = written("np.copyto(x, s)", np, x.copy(), value)
        got = written("np.copyto(x, s)", xp, xp.asarray(x), value)
        assert isinstance(got, TypeError) == isinstance(expected, TypeError)
        if not isinstance(expected, TypeError):
            same(got, expected)


KEYS = [..., slice(None), 0, (slice(None), 1), [0, 1], ([0, 1], [1, 2]), np.asarray([True, False])]


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_values_may_have_more_axes_of_one(key: Any) -> None:
    x = np.zeros((2, 3))
    shape = np.empty((2, 3))[key].shape
    for more in ((), (1,), (1, 1)):
        for given in {shape, shape[1:], (1,) * len(shape)}:
            value = np.arange(1.0, np.prod(given) + 1).reshape((*more, *given))
            expected, got = x.copy(), xp.asarray(x.copy())
            expected[key] = value
            got[key] = xp.asarray(value)
            same(got, expected)
    with pytest.raises(ValueError, match="could not be broadcast"):
        xp.zeros((2, 3))[key] = xp.ones((2, 1, *shape))
    value = xp.ones((1, 1, 2, 3))
    with xp.options(relaxed=False), pytest.raises(ValueError, match=r"relaxed=True\) allows it"):
        xp.zeros((2, 3))[...] = value


# --- views ----------------------------------------------------------------------------------------

WIDE = ["int64", "uint64", "float64", "complex128"]


@pytest.mark.parametrize("default", ["float32", "float64"])
@pytest.mark.parametrize("kind", [int, float, complex, "float", "complex"])
@pytest.mark.parametrize("name", [n for n in NAMES if n != "bool"])
def test_views_by_a_python_type_have_the_width_of_numpys(
    name: str, kind: Any, default: Any
) -> None:
    x = np.arange(16).astype(name)
    word = {"float": float, "complex": complex}.get(kind, kind)
    with xp.options(default_float=default):
        if default == "float64" or name in WIDE or (word is int and np.dtype(name).kind in "iu"):
            same(xp.asarray(x).view(kind), x.view(kind))
        elif word is not int and name in {"float32", "complex64"}:  # as the default is
            same(xp.asarray(x).view(kind), x.view("float32" if word is float else "complex64"))
        else:
            with pytest.raises(TypeError, match="does not say how wide"):
                xp.asarray(x).view(kind)


def test_views_write_through_or_raise() -> None:
    z = xp.zeros(4, dtype=complex)
    z[1:3].view(float)[1] = 2.0
    assert complex(z[1]) == 2j
    z.view(float).view(complex)[3] = 1.0
    assert complex(z[3]) == 1.0
    assert xp.zeros((2, 0), dtype=complex).view(float).shape == (2, 0)
    assert xp.ones(2, dtype=xp.int8).view(bool).dtype is xp.bool
    refused: list[tuple[Any, Any]] = [
        (z[::2], float),
        (xp.ones(3), complex),
        (xp.ones((4, 2)).T, complex),
        (z[0], float),
        (xp.ones(()), xp.int8),
        (xp.ones(3, dtype=xp.int8), int),
    ]
    for x, dtype in refused:
        with pytest.raises(ValueError, match="view: .* is not read as"):
            x.view(dtype)


# --- arguments that make no sense -----------------------------------------------------------------

SENSELESS = """
    np.fabs(z) np.deg2rad(z) np.degrees(z) np.isposinf(z) np.isneginf(z) np.unravel_index([6],(2,3))
    np.unravel_index([-1],(2,3)) np.unravel_index(x,(2,0)) np.ravel_multi_index(([0,2],[2,0]),(2,3))
    np.ravel_multi_index(([0,-1],[2,0]),(2,3)) np.ravel_multi_index((1,3),(2,3)) np.ix_(x) np.ix_(1)
    np.resize(x,(-1,)) np.resize(x,(-2,-3)) np.vsplit(x[0],1) np.rot90(x,1,(0,0))
    np.rot90(x,1,(0,-2)) np.diag_indices_from(x) np.diag_indices_from(x[0])
    np.tril_indices_from(x[0]) np.triu_indices_from(x[None])
    np.quantile(x,-.1) np.quantile(x,[.5,1.5]) np.percentile(x,[50,101]) np.percentile(x,-1)
    np.histogram(x,0) np.histogram(x,-1) np.histogram(x,3,(2,0)) np.histogram(x,[2,1])
    np.histogram(x,[0,2,1]) np.histogram(x*np.nan) np.histogram(x/0)
    np.histogram(x,3,(0,np.inf)) np.digitize(x,[2,1,3]) np.digitize(x,[1,3,2])
    np.digitize(x,[3,1,2]) np.ediff1d(i,to_begin=1.5) np.ediff1d(i,[1j]) np.ediff1d(u,[1],[2])
    np.cov(x[None]) np.cov(x,x[None]) np.corrcoef(x[None][[0,0,0]])
    np.select([x],[x],7) np.select([],[]) np.select([x>1,x],[x,x])
    np.partition(x,3) np.partition(x,-3,0) np.argpartition(x,[0,77]) np.partition(x,6,None)
    np.fill_diagonal(x[0],9) np.fill_diagonal(np.ones((2,2,3)),9) np.place(x,x>2,[])
    np.place(x[0],[True,False],[1]) np.nanquantile(x,[np.nan]) np.quantile(x,x)
""".split()


@pytest.mark.parametrize("expression", SENSELESS)
def test_what_numpy_refuses_is_refused(expression: str) -> None:
    given = {
        "x": np.asarray([[3.0, 1.0, 2.0], [5.0, 4.0, 1.0]]),
        "z": np.asarray([1.0, 1j]),
        "i": np.asarray([3, 1, 2]),
        "u": np.asarray([3, 1, 2], dtype=np.uint8),
    }
    expected = of_numpy(expression, **given)
    assert isinstance(expected, (TypeError, ValueError))
    # An axis that stands twice and an empty list are refused by other classes than NumPy's.
    with pytest.raises((TypeError, ValueError)), np.errstate(all="ignore"):
        of_ours(expression, **given)


def test_quantiles_are_numpys_however_long_the_array() -> None:
    """Their positions do not depend on the data type; that of NumPy's result is NumPy's."""
    draw = np.random.default_rng(3)
    for name, n in itertools.product(("float16", "float32", "int16"), (1, 7, 4098, 70000)):
        a = np.round(draw.standard_normal(n) * 50).astype(name)
        halves = np.asarray([0.0] * (n // 2) + [0.5] + [1.0] * (n // 2)).astype(name)
        for kind, most in (("quantile", 1), ("nanquantile", 1), ("nanpercentile", 100)):
            shares = draw.random((2, 2)) * most
            # NumPy's positions of a float32 q are of float32.
            for q in (0.5 * most, shares, *([shares.astype("float32")] if n < 10 else [])):
                for x in (a, halves):
                    given = q if isinstance(q, float) else xp.asarray(q)
                    with xp.options(relaxed=True, default_float="float64", device="cpu"):
                        got = np.asarray(getattr(xp, kind)(xp.asarray(x), given))
                    expected = getattr(np, kind)(x, q)
                    assert got.dtype == expected.dtype, (kind, name, q)
                    bound = 1e-3 if expected.dtype != "float64" else 1e-12
                    np.testing.assert_allclose(got, expected, bound, 50 * bound, err_msg=name)
    with xp.options(relaxed=True, device="cpu"):
        halves = xp.asarray([0.0] * 300 + [0.5] + [1.0] * 300, dtype=xp.bfloat16)
        assert [float(xp.quantile(halves, q)) for q in (0.498, 0.5, 0.502)] == [0.0, 0.5, 1.0]


OF_NOTHING = """
    np.quantile(i,1) np.quantile(i,[0,1]) np.percentile(i,[0,100])
    np.take(x,[]) np.take(x,[],0) np.take(x[:0],[],mode='wrap') np.ix_([],[1])[0]
    np.ix_([True],[])[1] np.delete(x,[])
    np.unravel_index([5,0],(2,3))[0] np.ravel_multi_index(([0,1],[2,0]),(2,3)) np.rot90(x,1,(1,0))
    np.unravel_index(5,6)[0] np.resize(x,0) np.resize(x,()) np.ediff1d(x,[1],2) np.isposinf(i)
    np.histogram(x[:0],2)[1] np.histogram(x,1,(2,2))[1] np.histogram(x,[1.,1.,9.])[0]
    np.digitize(x,[1,1,3]) np.digitize(x,[3,1,1]) np.digitize(x,[]) np.quantile(x,[0,1])
    np.diag_indices_from(x[:,:2])[1] np.vsplit(x,2)[1]
""".split()


@pytest.mark.parametrize("expression", OF_NOTHING)
def test_positions_at_the_ends(expression: str) -> None:
    given = {"x": np.asarray([[3.0, 1.0, 2.0], [5.0, 4.0, 1.0]]), "i": np.asarray([3, 1])}
    same(of_ours(expression, **given), of_numpy(expression, **given))


@pytest.mark.parametrize("number", [2, -1, 300, 2.5, True])
@pytest.mark.parametrize("name", INTEGERS)
def test_numbers_beside_integers_where_no_function_is_universal(name: str, number: Any) -> None:
    """NumPy takes the number for an array of int64, and nothing wraps."""
    expressions = (
        *("np.dot(a, s)", "np.inner(s, a)", "np.outer(a, s)", "np.kron(a, s)", "np.isclose(a, s)"),
        *("np.vdot(a[1], s)", "np.polyval(a, s)", "np.polyval([1, 2], s)", "np.float_power(a, s)"),
        *("np.heaviside(a, s)", "np.digitize(s, a[:1])"),
        *("np.fmax(a, 3)", "np.fmin(3, a)", "np.fmod(a, 3)"),
    )
    for expression in expressions:
        given = {"a": ends(name), "s": number}
        same(of_ours(expression, **given), widened(name, of_numpy(expression, **given)))


def test_what_is_in_an_array() -> None:
    x = np.asarray([[1.0, np.nan], [3.0, 4.0]])
    for given, value in itertools.product(
        (x, x[0], x[:1, :1], np.asarray(4), x[:0]), (1, 4.0, np.nan, 2, True)
    ):
        assert (value in xp.asarray(given)) is (value in given)
    with xp.options(relaxed=False):
        assert 3.0 in xp.asarray(x[1])
        assert 9.0 not in xp.asarray(x[1])
        with pytest.raises(TypeError, match=r"in: only an array of 1 dimension.*relaxed=True\)"):
            _ = 1.0 in xp.asarray(x)


def test_positions_beyond_an_axis_are_refused() -> None:
    for position in (4, -4):
        with pytest.raises(IndexError, match=f"insert: position {position} is out of bounds"):
            xp.insert([1, 2, 3], position, 0)
    with pytest.raises(ValueError, match="n must be from 0"):
        xp.diff([1, 2], n=-1)
    with pytest.raises((ValueError, IndexError), match="diff"):
        xp.diff(xp.asarray(1.0))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ij->k", "'k' of the result is one of no array"),
        ("ij->ii", "names an index twice"),
        ("i1", "'1' in 'i1' is no letter"),
        ("i\u03b1", "is no letter"),
        ("ijk", "does not name the axes"),
        ("ij,ij", "is for 2 arrays"),
        ("..ij", "does not name the axes"),
        ("i->i->i", "einsum: "),
        ("ij-i", "einsum: "),
        ("ii", "has sizes"),
    ],
)
def test_texts_of_einsum(text: str, words: str) -> None:
    x = np.ones((2, 3))
    assert isinstance(of_numpy("np.einsum(t, x)", t=text, x=x), (ValueError, TypeError))
    with pytest.raises(ValueError, match=words):
        xp.einsum(text, xp.asarray(x))


@pytest.mark.parametrize("text", ["iii", "iii->i", "iij->j", "iji->ij", "ijj,jji->", "iii,iii->i"])
def test_an_index_may_stand_several_times(text: str) -> None:
    x = np.arange(27).reshape(3, 3, 3)
    given = [x] * (text.count(",") + 1)
    same(xp.einsum(text, *map(xp.asarray, given)), np.einsum(text, *given))


def test_grids_of_matrices() -> None:
    x = np.arange(4.0).reshape(2, 2)
    for got, expected in zip(xp.meshgrid(xp.asarray(x), [1, 2]), np.meshgrid(x, [1, 2])):
        same(got, expected)


def test_a_view_of_one_axis() -> None:
    x, n = xp.reshape(xp.arange(12.0), (3, 4)), np.arange(12.0).reshape(3, 4)
    x.flat[::5] = n.flat[::5] = 7.0  # as scikit-learn writes to a diagonal
    np.testing.assert_array_equal(np.asarray(x), n)
    assert [float(v) for v in x.flat] == list(n.flat)
    assert float(x.flat[5]) == n.flat[5]
    x.flat = 2.0
    assert bool(xp.all(x == 2.0))
    with pytest.raises(ValueError, match=r"flat: .* Write xp\.reshape\(x, \(-1,\)\) to read"):
        x.T.flat
    with (
        xp.options(relaxed=False),
        pytest.raises(AttributeError, match=r"'flat'\. Write xp\.reshape\(x, \(-1,\)\)\. xp\.opt"),
    ):
        x.flat


@pytest.mark.parametrize("name", ["empty", "ones", "zeros"])
def test_a_shape_without_parentheses(name: str) -> None:
    with pytest.raises(TypeError, match=r"is one tuple, as in zeros\(\("):
        getattr(xp, name)(2, 3)
