"""Relaxed mode beside NumPy for all data types, at their ends, and what it warns of."""

from __future__ import annotations

import itertools
import operator
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from numpys import expressions, of_numpy, of_ours, outcome, quiet, relaxed, same
from parametrize import listing, one_of_each

import ascend_array_api as xp
from ascend_array_api._reports import numpys
from ascend_array_api._torch import dtypes as dt
from ascend_array_api._torch import torch
from workshop.samples.strategies import to_numpy

if TYPE_CHECKING:
    from collections.abc import Callable

# --- data types -----------------------------------------------------------------------------------

NAMES = sorted(dt.NAMES[d] for d in dt.STANDARD)
INTEGERS = sorted(dt.NAMES[d] for d in dt.INTEGER)
SIGNED = sorted(dt.NAMES[d] for d in dt.SIGNED)
PAIRS = list(itertools.product(NAMES, NAMES))


@listing("a, b", PAIRS)
def test_data_types_promote_and_are_cast_in_place_as_in_numpy(a: str, b: str) -> None:
    x, y = np.asarray([1, 0, 1], dtype=a), np.asarray([1, 1, 0], dtype=b)
    with relaxed():
        ours = xp.asarray(x.copy())
        same(xp.asarray(x) + xp.asarray(y), x + y)
        same(xp.result_type(getattr(xp, a), getattr(xp, b)), np.result_type(a, b))
        expected = outcome(operator.iadd, x.copy(), y)
        got = outcome(operator.iadd, ours, xp.asarray(y))
        if isinstance(expected, TypeError):
            assert isinstance(got, TypeError)
            same(ours, x)
        else:
            assert got is ours
            same(ours, expected)


@listing("name", [n for n in NAMES if n != "float16"])
def test_bfloat16_promotes_as_numpys_float16(name: str) -> None:
    promoted = np.result_type("float16", name).name
    expected = "bfloat16" if promoted == "float16" else promoted
    with relaxed():
        for pair in ((xp.bfloat16, getattr(xp, name)), (getattr(xp, name), xp.bfloat16)):
            assert xp.result_type(*pair) == getattr(xp, expected)


@listing(
    "name, value",
    itertools.product(("bool", "int64", "float64", "complex128"), (True, 3, 0.5, 1.5j)),
)
def test_python_scalars_of_any_kind(name: str, value: complex) -> None:
    x = np.asarray([1, 0], dtype=name)
    with relaxed():
        same(xp.asarray(x) * value, x * value)
        same(value * xp.asarray(x), value * x)


CREATED = """
    np.bartlett(5) np.blackman(5) np.hamming(5) np.hanning(5) np.kaiser(5,2.0) np.identity(2)
    np.tri(2) np.mgrid[0:1:5j] np.ogrid[0:1:5j,0:2:3j][1] np.geomspace(1,8,4) np.identity(2,float)
    np.identity(2,np.float16) np.identity(2,'float64') np.identity(2,dtype=numpy.float64)
    np.tri(2,3,1,numpy.int8) np.geomspace(1,8,4,True,np.float64) np.indices((2,)) np.mgrid[0:3]
    np.indices((2,3),np.int32,True)[1] np.indices((2,3),sparse=True,dtype=np.uint8)[1]
"""


@listing("expression, default", itertools.product(expressions(CREATED), ("float32", "float64")))
def test_what_is_created_of_numbers_is_of_the_default_data_type(
    expression: str, default: str
) -> None:
    expected = of_numpy(expression)
    with relaxed(default=default):
        got = of_ours(expression)
    named = "64" in expression or expected.dtype != np.float64
    assert dt.NAMES[got.dtype] == (expected.dtype.name if named else default)
    np.testing.assert_allclose(to_numpy(got), expected, rtol=1e-6)


@listing("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_arrays_are_cast_by_numpys_rules(casting: Any) -> None:
    for source, target in itertools.product(
        ("bool", "int8", "uint8", "int64", "float32"), repeat=2
    ):
        x, wanted = xp.asarray([0, 1], dtype=getattr(xp, source)), getattr(xp, target)
        with relaxed():
            if np.can_cast(source, target, casting):
                assert x.astype(wanted, casting=casting).dtype is wanted
                continue
            with pytest.raises(TypeError, match=f"astype: {source} is not cast to {target} by"):
                x.astype(wanted, casting=casting)


def test_what_numpy_does_not_have_casts_as_the_standard_says() -> None:
    with relaxed():
        assert xp.can_cast(xp.bfloat16, xp.float32)
        assert not xp.can_cast(xp.float32, xp.bfloat16)


@listing(
    "name, kind, default",
    list(
        itertools.product(
            [n for n in NAMES if n != "bool"],
            [int, float, complex, "float", "complex"],
            ["float32", "float64"],
        )
    ),
)
def test_views_by_a_python_type_have_the_width_of_numpys(
    name: str, kind: Any, default: str
) -> None:
    x = np.arange(16).astype(name)
    word = {"float": float, "complex": complex}.get(kind, kind)
    wide = name in {"int64", "uint64", "float64", "complex128"}
    with relaxed(default=default):
        if default == "float64" or wide or (word is int and np.dtype(name).kind in "iu"):
            same(xp.asarray(x).view(kind), x.view(kind))
        elif word is not int and name in {"float32", "complex64"}:  # as the default is
            same(xp.asarray(x).view(kind), x.view("float32" if word is float else "complex64"))
        else:
            with pytest.raises(TypeError, match="does not say how wide"):
                xp.asarray(x).view(kind)


def test_views_of_no_elements_and_of_bytes() -> None:
    with relaxed():
        assert xp.zeros((2, 0), dtype=complex).view(float).shape == (2, 0)
        assert xp.ones(2, dtype=xp.int8).view(bool).dtype is xp.bool


BINARY = (
    "add subtract multiply divide floor_divide remainder pow maximum minimum hypot atan2 logaddexp "
    "copysign logical_and logical_or logical_xor bitwise_and bitwise_left_shift equal less fmod "
    "matmul heaviside"
)
UNARY = (
    "abs negative positive sign sqrt exp sin floor ceil trunc round square reciprocal isnan "
    "signbit logical_not bitwise_invert conj real imag sum prod mean std var max argmax any "
    "cumulative_sum diff sort argsort unique median count_nonzero rint fabs nansum"
)
SYMBOLS = "add sub mul truediv floordiv mod pow and_ xor lshift lt eq matmul".split()
OF_EACH = ["bool", "int8", "int64", "uint64", "float32", "float64", "complex64"]
ORDERED = "< less maximum minimum max argmax sort argsort median std var lt".split()


def reason(name: str, given: list[str], got: Any, expected: Any) -> str | None:
    """Say why a result is not NumPy's; None where it is.

    Complex numbers have no order, and no variance.  What NumPy refuses is answered.  Reciprocals
    of integers are no integers; rounded integers stay integers.  Booleans in arithmetic are int64,
    and small integers become the default data type, not float16.
    """
    if isinstance(got, Exception):
        if isinstance(expected, Exception):
            return None
        assert name in ORDERED, (name, given, got)
        assert "complex64" in given, (name, given, got)
        return "order"
    if isinstance(expected, Exception):
        return "answered"
    array = np.asarray(expected)
    dtype = dt.NAMES[got.dtype]
    if name in {"reciprocal", "rint", "round"} and dtype != array.dtype.name:
        return "integers"
    if name in {"matmul", "diff"} and set(given) == {"bool"}:
        return "Booleans"
    close = to_numpy(got).astype(complex), array.astype(complex)
    units = [np.finfo(d).eps for d in (dtype, array.dtype.name) if np.dtype(d).kind in "fc"]
    np.testing.assert_allclose(*close, rtol=8 * max(units, default=0))
    if dtype == array.dtype.name:
        return None
    if array.dtype == np.float16:
        assert dtype == "float64"
        return "small"
    assert set(given) <= {"bool", "bool_scalar", "int_scalar"}, (name, given, dtype, array.dtype)
    return "Booleans"


def test_all_data_types_with_one_another() -> None:
    values = {d: np.asarray([1, 2, 3, 0 if d == "bool" else 5]).astype(d) for d in OF_EACH}
    theirs: dict[str, Any] = {**values, "bool_scalar": True, "int_scalar": 2, "float_scalar": 2.5}
    ours = {d: xp.asarray(v) if d in values else v for d, v in theirs.items()}
    said = set()

    def compare(name: str, function: Any, of_numpy: Any, *operands: str) -> None:
        got = outcome(function, *(ours[o] for o in operands))
        expected = outcome(of_numpy, *(theirs[o] for o in operands))
        said.add(reason(name, [*operands], got, expected))

    with relaxed():
        for a, b in itertools.product(values, theirs):
            for name in (n for n in BINARY.split() if n != "matmul" or b in values):
                compare(name, getattr(xp, name), getattr(np, name), a, b)
            for name in (n for n in SYMBOLS if n != "matmul" or b in values):
                symbol = getattr(operator, name)
                compare(name, symbol, symbol, a, b)
                compare(name, symbol, symbol, b, a)
        for a, name in itertools.product(values, UNARY.split()):
            compare(name, getattr(xp, name), getattr(np, name), a)
    assert said == {None, "order", "answered", "integers", "Booleans", "small"}


@listing("name", ["positive", "negative", "abs", "bitwise_invert"])
def test_operators_of_one_operand_are_their_functions(name: str) -> None:
    """NumPy refuses ``+b`` and ``-b``; here they are int64, as other arithmetic of Booleans is."""
    symbol = {"positive": "pos", "negative": "neg", "bitwise_invert": "invert"}.get(name, name)
    for dtype in ("bool", "int8", "float32", "complex64")[: 2 if symbol == "invert" else 4]:
        x = xp.asarray([1, 0, 1], dtype=getattr(xp, dtype))
        with relaxed():
            got, expected = getattr(operator, symbol)(x), getattr(xp, name)(x)
        assert got.dtype == expected.dtype
        assert bool(xp.all(got == expected))


# --- the ends of data types -----------------------------------------------------------------------

STAMP = 1_700_000_000_000_000_000
"""Nanoseconds since 1970: six of them are beyond int64."""


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
NO_COMPLEX = {"median", "max", "min", "argmax", "argmin", "ptp", "std", "var", "sort", "clip"}
NO_COMPLEX |= {"nanmax", "nanmin", "nanstd", "nanvar", "ceil", "floor", "trunc", "fix", "sinc"}
NO_COMPLEX |= {"maximum"}


def widened(name: str, expected: Any) -> Any:
    """Return what NumPy computes, in the default data type where that is small for integers."""
    array = np.asarray(expected)
    small = name in {"bool", "int8", "int16", "uint8", "uint16"} and array.dtype.kind == "f"
    return array.astype("float64") if small else array


@listing("name, values", one_of_each(itertools.product(NAMES, (ends, large)), lambda v: v[0]))
def test_functions_of_one_array(name: str, values: Callable[[str], Any]) -> None:
    names = {
        "a": values(name).reshape(2, 3),
        "m": np.asarray([[True, False, True], [True, True, False]]),
        "w": np.asarray([0.5, 0.25, 2.0]),
        "i": np.asarray([[2, 1, 3], [5, 4, 1]]),
    }
    with relaxed():
        ours = {key: xp.asarray(value) for key, value in names.items()}
    for expression in REDUCTIONS:
        expected = outcome(lambda code: of_numpy(code, **names), expression)
        word = expression.replace("np.", "").replace("a.", "").split("(")[0]
        complexes = name.startswith("complex") and word in NO_COMPLEX
        if isinstance(expected, Exception) or complexes:
            continue
        try:
            with relaxed(), np.errstate(all="ignore"):
                same(of_ours(expression, **ours), widened(name, expected))
        except AssertionError as error:
            raise AssertionError(f"{expression} of {names['a'].tolist()}: {error}") from error


@listing("name, number", itertools.product(INTEGERS, (2, -1, 300, 2.5, True)))
def test_numbers_beside_integers_where_no_function_is_universal(name: str, number: Any) -> None:
    """NumPy takes the number for an array of int64, and nothing wraps."""
    x = ends(name)
    for code in (
        "np.dot(a,s) np.inner(s,a) np.outer(a,s) np.kron(a,s) np.isclose(a,s) np.vdot(a[1],s) "
        "np.polyval(a,s) np.polyval([1,2],s) np.float_power(a,s) np.heaviside(a,s) "
        "np.digitize(s,a[:1]) np.fmax(a,3) np.fmin(3,a) np.fmod(a,3)"
    ).split():
        with relaxed():
            got = of_ours(code, a=xp.asarray(x), s=number)
            same(got, widened(name, of_numpy(code, a=x, s=number)))


def test_moments_of_halves_do_not_overflow() -> None:
    """As NumPy's do: its mean and var add in float32, its nanmean and nanvar do not."""
    x = np.asarray([60000.0, 60000.0, np.nan], dtype=np.float16)
    for function in ("nanmean", "nanvar", "nanstd"):
        expected = getattr(np, function)(x.astype(np.float32)).astype(np.float16)
        with relaxed():
            same(getattr(xp, function)(xp.asarray(x)), expected)


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
                    with relaxed():
                        position = q if isinstance(q, float) else xp.asarray(q)
                        got = np.asarray(getattr(xp, kind)(xp.asarray(x), position))
                    expected = getattr(np, kind)(x, q)
                    assert got.dtype == expected.dtype, (kind, name, q)
                    bound = 1e-3 if expected.dtype != "float64" else 1e-12
                    np.testing.assert_allclose(got, expected, bound, 50 * bound, err_msg=name)
    with relaxed():
        halves = xp.asarray([0.0] * 300 + [0.5] + [1.0] * 300, dtype=xp.bfloat16)
        assert [float(xp.quantile(halves, q)) for q in (0.498, 0.5, 0.502)] == [0.0, 0.5, 1.0]


@listing("a, b", itertools.product(INTEGERS, INTEGERS))
def test_remainders_at_the_ends(a: str, b: str) -> None:
    x, y = ends(a), ends(b)
    y = np.concatenate([y[y != 0], np.asarray([3, 7], dtype=b)])
    if np.result_type(a, b).kind != "f":  # of int64 with uint64 another case
        with relaxed():
            same(xp.fmod(xp.asarray(x)[:, None], xp.asarray(y)), np.fmod(x[:, None], y))


@listing("name", ["int8", "uint8", "float16", "float32", "float64"])
def test_remainders_of_all_small_integers_and_of_floats(name: str) -> None:
    if "int" in name:
        x: Any = np.arange(np.iinfo(name).min, np.iinfo(name).max + 1).astype(name)
        y = x[x != 0]
    else:
        x = np.asarray([-0.0, 0.0, -4, 4, 5.5, -5.5, 1e-6, -1e-6, np.inf, np.nan, 6e4], dtype=name)
        y = np.asarray([1, -1, 2, 0.3, np.inf, -np.inf, np.nan, 0.0, 1e-5], dtype=name)
    with quiet():
        expected = np.fmod(x[:, None], y)
    with relaxed():
        got = np.asarray(xp.fmod(xp.asarray(x)[:, None], xp.asarray(y)))
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)
    zeros = expected == 0
    assert np.array_equal(np.signbit(got)[zeros], np.signbit(expected)[zeros])


COMPARISONS = "lt le gt ge eq ne".split()
BEYOND = [300, -1, -129, 2**31, 2**63, -(2**63) - 1, 2**64, 2**70, -(2**70)]


@listing("name", ["bool", *INTEGERS, "float32", "float64"])
def test_comparisons_with_integers_at_and_beyond_the_ends_of_a_data_type(name: str) -> None:
    x = ends(name)
    ours = xp.asarray(x)
    beyond = [v for v in BEYOND if name != "bool" or abs(v) < 2**63]  # NumPy raises there
    beyond += [int(np.iinfo(name).min), int(np.iinfo(name).max)] if name in INTEGERS else []
    pairs: list[Any] = [(getattr(operator, symbol),) * 2 for symbol in COMPARISONS]
    pairs += [(getattr(xp, n), getattr(np, n)) for n in ("equal", "less", "greater_equal")]
    with relaxed():
        for (function, theirs), value in itertools.product(pairs, beyond):
            same(function(ours, value), theirs(x, value))
            same(function(value, ours), theirs(value, x))


@listing("name", SIGNED)
def test_signed_integers_compare_exactly_with_unsigned_ones(name: str) -> None:
    x = ends(name)[:, None]
    y = np.asarray([0, 1, 127, 2**63 - 1, 2**63, 2**64 - 1, 64], dtype=np.uint64)
    with relaxed():
        for function in (getattr(operator, symbol) for symbol in COMPARISONS):
            same(function(xp.asarray(x), xp.asarray(y)), function(x, y))
            same(function(xp.asarray(y), xp.asarray(x)), function(y, x))
            same(function(xp.asarray(x), y), function(x, y))


def test_integers_beyond_a_data_type() -> None:
    """Floats are computed of them; integers are not, nor compared in strict mode."""
    x = np.asarray([1, 2], dtype=np.int32)
    ours = xp.asarray(x)
    with relaxed():
        for value in (2**40, -(2**70)):
            same(ours / value, x / value)
            same(value / ours, value / x)
    for number, value in ((ours, 2**40), (ours, -(2**70)), (xp.asarray([True]), 2**63)):
        with relaxed(), pytest.raises(OverflowError, match="out of bounds"):
            _ = number + value
    for value in (300, -1):
        with relaxed():
            _ = xp.asarray([1], dtype=xp.uint8) < value
        with pytest.raises(OverflowError, match="out of bounds"):
            _ = xp.asarray([1], dtype=xp.uint8) < value
    for function in (lambda: xp.ones(2) + 10**400, lambda: xp.linalg.pinv(xp.eye(2), rtol=10**400)):
        with pytest.raises(OverflowError, match="1329 bits is out of bounds for float32"):
            function()


WRITTEN: list[Any] = [
    *[True, 1, -1, 300, 2**40, 2**63, 0.5, -0.5, 127.9, 300.7, 1e30, float("nan"), float("inf")],
    *[float("-inf"), np.float32(0.25), [1, 2, 3], (300, 1, 2), [0.5, 1.5, 2.5], [300.7, 0, 0]],
    *[[float("nan"), 1.0, 2.0], [2**63, 1, 2]],
]
WRITES = {
    code: compile(code, "<write>", "exec")
    for code in (
        *("x[...] = s", "x[0] = s[0] if isinstance(s, (list, tuple)) else s", "x[x == x] = s"),
        *("x[[0, 1, 2]] = s", "x[::-1] = s", "np.put(x, [2, 0, 1], s)", "np.place(x, x == x, s)"),
        *("np.putmask(x, x == x, s)", "x.put([0], s)", "x = np.insert(x, 1, s)"),
        *("np.put_along_axis(x, np.asarray([0, 1, 2]), s, 0)", "np.copyto(x, s)"),
    )
}


def written(code: Any, module: Any, x: Any, value: Any) -> Any:
    scope = {"np": module, "x": x, "s": value}
    return outcome(lambda: exec(code, scope)) or scope["x"]


@listing(
    "statement, name",
    one_of_each(itertools.product(WRITES, ["bool", *INTEGERS, "float32"]), lambda v: v[1])
    + one_of_each(itertools.product(WRITES, ["bool", "uint8", "int32"]), lambda v: v[0]),
)
def test_what_does_not_fit_is_not_written(statement: str, name: str) -> None:
    x, code = np.asarray([1, 0, 1], dtype=name), WRITES[statement]
    numbers = statement.startswith("np.copyto")  # a scalar is copied within its kind
    for value in (True, 2, 0.5, 1j) if numbers else WRITTEN:
        expected = written(code, np, x.copy(), value)
        if name == "bool" and str(2**63) in str(value):
            continue  # beyond all data types that both promote to
        with relaxed():
            target = xp.asarray(x.copy())
            got = written(code, xp, target, value)
        if isinstance(expected, Exception):
            assert isinstance(got, type(expected)), (value, got)
            np.testing.assert_array_equal(np.asarray(target), x)
        else:
            assert not isinstance(got, Exception), (value, got)
            with relaxed():
                same(got, expected)


@listing(
    "key", ["...", "slice(None)", "0", "slice(None),1", "[0,1]", "[0,1],[1,2]", "[True,False]"]
)
def test_values_may_have_more_axes_of_one(key: str) -> None:
    x, at = np.zeros((2, 3)), eval(key)
    shape = x[at].shape
    for more in ((), (1,), (1, 1)):
        for sizes in {shape, shape[1:], (1,) * len(shape)}:
            value = np.arange(1.0, np.prod(sizes) + 1).reshape((*more, *sizes))
            expected = x.copy()
            expected[at] = value
            with relaxed():
                got = xp.asarray(x.copy())
                got[at] = xp.asarray(value)
                same(got, expected)
    with relaxed(), pytest.raises(ValueError, match="could not be broadcast"):
        xp.zeros((2, 3))[at] = xp.ones((2, 1, *shape))


def test_values_of_more_axes_are_refused_in_strict_mode() -> None:
    with pytest.raises(ValueError, match=r"relaxed=True\) allows it"):
        xp.zeros((2, 3))[...] = xp.ones((1, 1, 2, 3))


def test_what_is_in_an_array() -> None:
    x = np.asarray([[1.0, np.nan], [3.0, 4.0]])
    for one in (x, x[0], x[:1, :1], np.asarray(4), x[:0]):
        for value in (1, 4.0, np.nan, 2, True):
            with relaxed():
                assert (value in xp.asarray(one)) is (value in one)
    assert 3.0 in xp.asarray(x[1])
    assert 9.0 not in xp.asarray(x[1])
    with pytest.raises(TypeError, match=r"in: only an array of 1 dimension.*relaxed=True\)"):
        _ = 1.0 in xp.asarray(x)


@listing("shape", [(2, 3), (6,), (1, 1), ()])
def test_items(shape: tuple[int, ...]) -> None:
    x = np.arange(np.prod(shape) + 0.0).reshape(shape)
    for position in (0, 5, -1, -6, (1, -1), 6, -7):
        expected = outcome(x.item, position)
        with relaxed():
            got = outcome(xp.asarray(x).item, position)
        if isinstance(expected, Exception):
            kind = type(expected) if isinstance(position, int) else IndexError
            assert isinstance(got, kind), (position, got)
        else:
            assert got == expected


@listing("triangle", ["L", "U"])
def test_eigenvectors_are_of_the_triangle_asked_for(triangle: str) -> None:
    part = np.tril if triangle == "L" else np.triu
    one = part(np.asarray([[2, 1 - 3j, 0.5j], [4 + 1j, -1, 2], [1j, 3 - 2j, 0.5]]))
    whole = one + np.conj(one).T - np.diag(np.diag(one))
    for x in (one, one.real):
        with relaxed():
            values, vectors = map(np.asarray, xp.linalg.eigh(xp.asarray(x), triangle))
        expected = whole if x is one else x + x.T - np.diag(np.diag(x))
        np.testing.assert_allclose((vectors * values) @ np.conj(vectors).T, expected, atol=1e-12)


# --- what it warns of, as NumPy does, or because it is coarser than NumPy -------------------------

DIVISIONS = {"floor_divide": operator.floordiv, "remainder": operator.mod}
DIVIDED = itertools.product(DIVISIONS, INTEGERS)


def pair(dtype: str) -> tuple[Any, Any, Any, Any]:
    x, y = np.asarray([7, 0, 5, 3]).astype(dtype), np.asarray([2, 0, 0, 1]).astype(dtype)
    return x, y, xp.asarray(x), xp.asarray(y)


@listing("name, dtype", DIVIDED)
def test_integers_divided_by_zero_are_numpys(name: str, dtype: str) -> None:
    x, y, ours, other = pair(dtype)
    divide, said = DIVISIONS[name], f"divide by zero encountered in {name}"
    for a, b, c, d in ((x, y, ours, other), (x, 0, ours, 0), (5, y, 5, other)):
        with pytest.warns(RuntimeWarning, match=said):
            expected = divide(a, b)
        for function in (divide, getattr(xp, name)):
            with xp.options(relaxed=True), pytest.warns(RuntimeWarning, match=said) as caught:
                got = to_numpy(function(c, d))
            assert caught[0].filename == __file__
            np.testing.assert_array_equal(got, expected)
            assert got.dtype == expected.dtype


@pytest.mark.nightly
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("name", DIVISIONS)
def test_compiled_code_gives_them_without_warnings(name: str, backend: str) -> None:
    divide, in_place = DIVISIONS[name], getattr(operator, f"i{DIVISIONS[name].__name__}")

    def run(c: Any, d: Any) -> tuple[Any, ...]:
        return divide(c, d), getattr(xp, name)(c, d), divide(c, 0), divide(5, d), in_place(c * 1, d)

    compiled = torch.compile(run, fullgraph=True, backend=backend)
    for dtype in INTEGERS:
        torch._dynamo.reset()
        x, y, ours, other = pair(dtype)
        with np.errstate(all="ignore"):
            quotient = divide(x, y)
            expected = (quotient, quotient, divide(x, 0), divide(5, y), quotient)
        with xp.options(relaxed=True), warnings.catch_warnings():
            warnings.simplefilter("error")
            for got, right in zip(compiled(ours, other), expected, strict=True):
                np.testing.assert_array_equal(to_numpy(got), right)


@listing("name, dtype", DIVIDED)
def test_transformed_functions_give_them_too(name: str, dtype: str) -> None:
    x, y, ours, other = pair(dtype)
    each = torch.func.vmap(DIVISIONS[name])
    with np.errstate(all="ignore"):
        expected = DIVISIONS[name](x, y)
    with xp.options(relaxed=True), np.errstate(divide="ignore"):
        np.testing.assert_array_equal(to_numpy(each(ours, other)), expected)
    if not ours.device.backend.asynchronous:
        with pytest.raises(ZeroDivisionError):
            each(ours, other)


@pytest.mark.cpu
@listing("name", DIVISIONS)
def test_divisions_in_place_too(name: str) -> None:
    x, y, ours, other = pair("int64")
    with np.errstate(all="ignore"):
        expected = DIVISIONS[name](x, y)
    with xp.options(relaxed=True), pytest.warns(RuntimeWarning, match=name):
        getattr(operator, {"floor_divide": "ifloordiv", "remainder": "imod"}[name])(ours, other)
    np.testing.assert_array_equal(np.asarray(ours), expected)


@pytest.mark.cpu
def test_numpys_settings_decide_whether_it_warns() -> None:
    _, _, ours, other = pair("int64")
    with xp.options(relaxed=True):
        with warnings.catch_warnings(), xp.errstate(divide="ignore"):
            warnings.simplefilter("error")
            assert to_numpy(ours // other).tolist() == [3, 0, 0, 3]
        with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
            ours // other
    with pytest.raises(ZeroDivisionError):
        ours // other


@listing("dtype", ["float32", "float64", "int64", "int8"])
def test_complex_numbers_lose_their_imaginary_part_with_a_warning(dtype: str) -> None:
    z = np.asarray([1 + 2j, -3.5j, 3.0])
    x, wanted = xp.asarray(z), getattr(xp, dtype)
    ways: list[Any] = [lambda: xp.astype(x, wanted), lambda: x.astype(dtype)]
    ways += [lambda: xp.asarray(x, dtype=wanted), lambda: xp.asarray(z, dtype=wanted)]
    for way in ways:
        discards = pytest.warns(np.exceptions.ComplexWarning, match="discards the imag")
        with xp.options(relaxed=True), discards as caught:
            got = way()
        assert caught[0].filename == __file__
        np.testing.assert_array_equal(to_numpy(got), z.real.astype(dtype))
    with xp.options(relaxed=True), pytest.warns(np.exceptions.ComplexWarning):
        copied = xp.astype(x, xp.float64)
    copied[0] = 9.0
    assert complex(x[0]) == 1 + 2j
    with pytest.raises(TypeError, match=r"real\(\) or imag\(\).*relaxed=True"):
        xp.astype(x, wanted)
    with xp.options(relaxed=True), pytest.raises(TypeError):
        xp.asarray([1j], dtype=xp.float32)


NARROWED: dict[str, Callable[[], xp.Array]] = {
    "int64 is computed in float32": lambda: xp.asarray([1700000000123]) / 1,
    "int32 is computed in float32": lambda: xp.sqrt(xp.asarray([2], dtype=xp.int32)),
    "int64 is computed": lambda: xp.asarray([3]) * 0.5,
    "uint64 is computed": lambda: xp.mean(xp.asarray([3], dtype=xp.uint64)),
    "dtype=float is in float32": lambda: xp.asarray([1.5]).astype(float),
    "dtype=float is": lambda: xp.zeros(3, float),
}


@pytest.mark.filterwarnings("default")
@listing("said", NARROWED)
def test_float32_in_place_of_numpys_float64_is_said_once(said: str) -> None:
    numpys._once.entries(clear=True)
    with xp.options(relaxed=True, default_float="float32"):
        with pytest.warns(RuntimeWarning, match=f"^{said}.*default_float='float64'") as caught:
            assert NARROWED[said]().dtype is xp.float32
        assert caught[0].filename == __file__
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            NARROWED[said]()


def test_what_is_exact_or_as_in_numpy_is_not_said() -> None:
    numpys._once.entries(clear=True)
    with xp.options(relaxed=True, default_float="float32"):
        xp.sqrt(xp.asarray([2], dtype=xp.int16))
        xp.mean(xp.asarray([True]))
        xp.asarray([1.5]).astype(np.float32)
        xp.asarray([1.5]) * 0.5
    with xp.options(relaxed=True, default_float="float64"):
        assert (xp.asarray([1700000000123]) / 1).dtype is xp.float64
        xp.asarray([1.5]).astype(float)


@listing("name, most", [("float32", 200), ("float64", 2000)])
def test_roots_of_cubes_are_right_to_an_ulp(name: str, most: int) -> None:
    """Powers by a third, which is no number of the data type, are off by more."""
    roots = np.arange(-most, most + 1).astype(name)
    with relaxed():
        got = np.asarray(xp.cbrt(xp.asarray(roots**3)))
    assert np.all(np.abs(got - roots) <= np.spacing(np.abs(roots)))
