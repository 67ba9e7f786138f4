"""The operators of the array object: promotion, Python scalars, reflected and in-place forms.

The functions behind the operators are compared with NumPy in
tests/samples/test_against_numpy.py; here, the same oracles judge each operator in all of its forms.
"""

from __future__ import annotations

import ctypes
import itertools
import math
import operator
import os
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from refusals import refused
from steps import entered

import ascend_array_api as xp
from ascend_array_api._routes._operations import OPS
from workshop.samples.elementwise import BINARY
from workshop.samples.linalg import matmul_check
from workshop.samples.strategies import (
    ALL,
    BOOL,
    COMPLEX,
    COMPLEX_OF,
    DTYPES,
    FLOATING,
    INTEGER,
    NUMERIC,
    PROMOTION,
    REAL_FLOATING,
    broadcastable,
    elements,
    examples,
    moderate,
    operands,
    partners,
    same,
    scalar_of,
    shapes,
    to_numpy,
)

HALVES = ("bfloat16", "float16")
EVERY = {**DTYPES, **{name: getattr(xp, name) for name in HALVES}}

#: float16 and bfloat16 are not in the standard. A pair promotes to the narrowest dtype that holds
#: both exactly, and never with another kind.
HALF_PROMOTION = {
    ("float16", "bfloat16"): "float32",
    **{(half, half): half for half in HALVES},
    **{(half, w): w for half in HALVES for w in ("float32", "float64", "complex64", "complex128")},
}
EVERY_PROMOTION = {
    **PROMOTION,
    **HALF_PROMOTION,
    **{pair[::-1]: result for pair, result in HALF_PROMOTION.items()},
}


@dataclass(frozen=True)
class Op:
    """A binary operator: its symbol, the stem of its methods and the function that it is."""

    symbol: str
    stem: str
    function: str
    call: Callable[[Any, Any], Any]
    in_place: Callable[[Any, Any], Any] | None = None

    @property
    def dtypes(self) -> tuple[str, ...]:
        """The dtypes for which the operator is defined, halves among the real floating ones."""
        allowed = BINARY[self.function].dtypes
        return allowed + (HALVES if "float32" in allowed else ())

    @property
    def usual(self) -> str:
        """One of the dtypes."""
        return next(d for d in ("float32", "int32", "bool") if d in self.dtypes)

    @property
    def compares(self) -> bool:
        return self.in_place is None

    def forward(self, x1: Any, x2: Any) -> Any:
        return self.call(x1, x2)

    def reflected(self, x1: Any, x2: Any) -> Any:
        """``x1 <op> x2`` by the reflected method of ``x2``; comparisons have none."""
        if self.compares:
            return self.call(x1, x2)
        return getattr(x2, f"__r{self.stem}__")(x1)

    def by_name(self, x1: Any, x2: Any) -> Any:
        return getattr(xp, self.function)(x1, x2)


OPERATORS = {
    stem: Op(*(*row, getattr(operator, f"__{stem}__"), getattr(operator, f"__i{stem}__", None)))
    for row in (
        *(("+", "add", "add"), ("-", "sub", "subtract"), ("*", "mul", "multiply")),
        *(
            ("/", "truediv", "divide"),
            ("//", "floordiv", "floor_divide"),
            ("%", "mod", "remainder"),
        ),
        *(("**", "pow", "pow"), ("&", "and", "bitwise_and"), ("|", "or", "bitwise_or")),
        *(("^", "xor", "bitwise_xor"), ("<<", "lshift", "bitwise_left_shift")),
        *((">>", "rshift", "bitwise_right_shift"), ("<", "lt", "less"), ("<=", "le", "less_equal")),
        *((">", "gt", "greater"), (">=", "ge", "greater_equal")),
        *(("==", "eq", "equal"), ("!=", "ne", "not_equal")),
    )
    for stem in [row[1]]
}
ARITHMETIC = [stem for stem, op in OPERATORS.items() if not op.compares]

every_operator = pytest.mark.parametrize("op", OPERATORS.values(), ids=OPERATORS)
every_arithmetic = pytest.mark.parametrize(
    "op", [OPERATORS[stem] for stem in ARITHMETIC], ids=ARITHMETIC
)


def by_dtype(stems: Iterable[str]) -> Any:
    """Make an item of each operator and data type."""
    ops = [OPERATORS[stem] for stem in stems]
    pairs = [pytest.param(o, d, id=f"{o.stem}-{d}") for o in ops for d in BINARY[o.function].dtypes]
    return pytest.mark.parametrize(("op", "dtype"), pairs)


def ones(dtype: str, shape: tuple[int, ...] = (3,)) -> Any:
    return xp.ones(shape, dtype=EVERY[dtype])


def fails(error: type[Exception], function: Callable[..., Any], *args: Any) -> None:
    with pytest.raises(error):
        function(*args)


# ---------------------------------------------------------------------------------------------
# Promotion


def test_promotion_table_is_whole() -> None:
    # One row of the standard's tables for each dtype: 1 + 8 * 8 - 8 (uint64 with signed) + 16.
    assert len(PROMOTION) == 1 + (8 * 8 - 8) + 4 * 4
    assert all(PROMOTION[b, a] == result for (a, b), result in PROMOTION.items())
    for (a, b), c in itertools.product(PROMOTION, ALL):  # associative
        left = PROMOTION.get((PROMOTION[a, b], c))
        right = PROMOTION.get((a, PROMOTION[b, c])) if (b, c) in PROMOTION else None
        assert left == right or {a, b, c} & {"uint64"}


#: A 0-d array promotes like any other: only dtypes matter.
SHAPES = [((), ()), ((), (3,)), ((3,), ()), ((3,), (3,)), ((2, 3), (3,)), ((0,), ())]


@every_operator
@pytest.mark.parametrize("dtype", EVERY)
def test_promotion(op: Op, dtype: str) -> None:
    for other, (shape1, shape2) in itertools.product(EVERY, SHAPES):
        x1, x2 = ones(dtype, shape1), ones(other, shape2)
        result = EVERY_PROMOTION.get((dtype, other))
        for form in (op.forward, op.reflected, op.by_name):
            if result not in op.dtypes:
                fails(TypeError, form, x1, x2)
                continue
            actual = form(x1, x2)
            assert actual.dtype == EVERY["bool" if op.compares else result], (other, shape1)
            assert actual.shape == np.broadcast_shapes(shape1, shape2)


@every_arithmetic
@pytest.mark.parametrize("dtype", EVERY)
def test_in_place_keeps_the_dtype(op: Op, dtype: str) -> None:
    for other, shape in itertools.product(EVERY, [(), (3,)]):
        x1, x2 = ones(dtype), ones(other, shape)
        before = x1
        if EVERY_PROMOTION.get((dtype, other)) == dtype and dtype in op.dtypes:
            x1 = op.in_place(x1, x2)
            assert x1 is before
            assert x1.dtype == EVERY[dtype]
            assert x1.shape == (3,)
        else:
            fails(TypeError, op.in_place, x1, x2)
            assert bool(xp.all(before == ones(dtype)))


@pytest.mark.parametrize("dtype", HALVES)
def test_halves_compute_in_their_own_precision(dtype: str) -> None:
    # 1 + eps/2 is halfway: it rounds to even. With float32 the sum is exact.
    eps = {"float16": 2.0**-10, "bfloat16": 2.0**-7}[dtype]
    one = ones(dtype)
    half = xp.asarray([eps / 2, eps / 2, eps / 2], dtype=EVERY[dtype])
    assert bool(xp.all(one + half == one))
    wider = one + xp.astype(half, xp.float32)
    assert wider.dtype == xp.float32
    assert bool(xp.all(wider == 1 + eps / 2))


# ---------------------------------------------------------------------------------------------
# Values in every form


def drawn_pair(data: st.DataObject, op: Op, dtype: str) -> tuple[Any, Any, str]:
    """Two operands of one dtype, or of two that promote to it."""
    function = BINARY[op.function]
    shape1, shape2 = data.draw(broadcastable(2, max_dims=3))
    narrower = [n for n in partners(dtype, function.dtypes) if PROMOTION[dtype, n] == dtype]
    other = data.draw(st.sampled_from([dtype, *narrower]))
    x1 = data.draw(operands(dtype, shape1, function.first(dtype)))
    x2 = data.draw(operands(other, shape2, function.second(other)))
    return x1, x2, other


@by_dtype(OPERATORS)
@examples(8)
@given(data=st.data())
@np.errstate(all="ignore")
def test_arrays(op: Op, dtype: str, data: st.DataObject) -> None:
    x1, x2, _ = drawn_pair(data, op, dtype)
    function = BINARY[op.function]
    v1, v2 = x1.value, x2.value.astype(dtype)
    assume(function.defined(v1, v2))
    for form in (op.forward, op.reflected):
        function.check(v1, v2, dtype)(form(x1.array, x2.array))
        x1.check_unchanged()
        x2.check_unchanged()


@by_dtype(OPERATORS)
@examples(8)
@given(data=st.data())
@np.errstate(all="ignore")
def test_scalars(op: Op, dtype: str, data: st.DataObject) -> None:
    # A scalar stands for a 0-d array of the array's dtype, on either side.
    function = BINARY[op.function]
    shape = data.draw(shapes(max_dims=3))
    x = data.draw(operands(dtype, shape, function.first(dtype)))
    scalar = scalar_of(data.draw, dtype, function.second(dtype))
    value = np.asarray(scalar, dtype)
    if function.defined(x.value, value):
        function.check(x.value, value, dtype)(op.forward(x.array, scalar))
    x = data.draw(operands(dtype, shape, function.second(dtype)))
    scalar = scalar_of(data.draw, dtype, function.first(dtype))
    value = np.asarray(scalar, dtype)
    if function.defined(value, x.value):
        for form in (op.forward, op.reflected):
            if not (op.compares and form == op.reflected):
                function.check(value, x.value, dtype)(form(scalar, x.array))
    x.check_unchanged()


@pytest.mark.npu
@by_dtype(ARITHMETIC)
@examples(8)
@given(data=st.data())
@np.errstate(all="ignore")
def test_in_place(op: Op, dtype: str, data: st.DataObject) -> None:
    function = BINARY[op.function]
    shape1, shape2 = data.draw(broadcastable(2, max_dims=3))
    shape1 = np.broadcast_shapes(shape1, shape2)
    # A broadcast array cannot be written to; a reversed one is a copy.
    x1 = data.draw(operands(dtype, shape1, function.first(dtype), layouts=("contiguous", "view")))
    if data.draw(st.booleans()):
        narrower = [n for n in partners(dtype, function.dtypes) if PROMOTION[dtype, n] == dtype]
        other = data.draw(st.sampled_from([dtype, *narrower]))
        operand = data.draw(operands(other, shape2, function.second(other)))
        x2, v2 = operand.array, operand.value.astype(dtype)
    else:
        operand = None
        x2 = scalar_of(data.draw, dtype, function.second(dtype))
        v2 = np.asarray(x2, dtype)
    assume(function.defined(x1.value, v2))
    target = x1.array
    result = op.in_place(target, x2)
    assert result is target
    function.check(x1.value, v2, dtype)(target)
    if operand is not None:
        operand.check_unchanged()
    if x1.layout == "view":
        # What lies between the elements of a view stays: write the old values back and compare.
        target[...] = xp.asarray(np.array(x1.value))
        assert to_numpy(x1.storage).tobytes() == x1.before.tobytes()


# ---------------------------------------------------------------------------------------------
# Python scalars


def scalar_result(dtype: str, scalar: Any) -> str | None:
    """The dtype in which an array and a scalar meet, by the standard; None where they do not.

    "a Python bool for a bool array data type; an int within the bounds for integer array data
    types; an int or float for real-valued floating-point ones; an int, float or complex for
    complex ones", and from 2024.12 a complex for real-valued floating-point ones, which gives
    the complex dtype of the same precision.
    """
    if type(scalar) is bool:
        return dtype if dtype == "bool" else None
    if type(scalar) is int:
        return dtype if dtype != "bool" else None
    if type(scalar) is float:
        return dtype if dtype in FLOATING + HALVES else None
    return COMPLEX_OF.get(dtype, "complex64" if dtype in HALVES else None)


@every_operator
@pytest.mark.parametrize("dtype", EVERY)
def test_kinds_of_scalars(op: Op, dtype: str) -> None:
    for scalar, shape in itertools.product((True, False, 1, 2.0, 1 + 1j), ((), (3,))):
        x = ones(dtype, shape)
        result = scalar_result(dtype, scalar)
        for form in (op.forward, op.by_name):
            for args in ((x, scalar), (scalar, x)):
                if result in op.dtypes:
                    actual = form(*args)
                    assert actual.dtype == EVERY["bool" if op.compares else result], scalar
                    assert actual.shape == shape
                else:
                    fails(TypeError, form, *args)


@every_arithmetic
@pytest.mark.parametrize("dtype", EVERY)
def test_kinds_of_scalars_in_place(op: Op, dtype: str) -> None:
    for scalar in (True, False, 1, 2.0, 1 + 1j):
        x = ones(dtype)
        if scalar_result(dtype, scalar) == dtype and dtype in op.dtypes:
            assert op.in_place(x, scalar) is x
            assert x.dtype == EVERY[dtype]
        else:
            fails(TypeError, op.in_place, x, scalar)
            assert bool(xp.all(x == ones(dtype)))


@every_operator
@pytest.mark.parametrize("dtype", INTEGER)
def test_integers_at_the_ends_of_the_range(op: Op, dtype: str) -> None:
    info = np.iinfo(dtype)
    low, high = int(info.min), int(info.max)
    x = ones(dtype)
    if dtype not in op.dtypes:
        fails(TypeError, op.forward, x, 1)
        return
    # On the left, where every integer is defined; on the right, tests draw what is.
    for inside in (low, high):
        value = np.full(3, inside, dtype)
        BINARY[op.function].check(value, np.ones(3, dtype), dtype)(op.forward(inside, x))
        if op.compares:
            same = xp.asarray(value)
            for made in (op.by_name(inside, same), op.by_name(same, inside)):
                BINARY[op.function].check(value, value, dtype)(made)
    for outside in (low - 1, high + 1, 2**63 if high < 2**63 else 2**64, -(2**64), 10**30):
        fails(OverflowError, op.forward, x, outside)
        fails(OverflowError, op.forward, outside, x)
        fails(OverflowError, op.by_name, x, outside)
        if not op.compares:
            fails(OverflowError, op.reflected, outside, x)
            fails(OverflowError, op.in_place, x, outside)
            assert bool(xp.all(x == 1))


REFUSED = r"""
[OverflowError]
^[+]: the Python integer 300 .* to int16 with astype | i8 + 300
^-: the Python integer 300 .* to int16 with astype | 300 - i8
^[*]: .* Convert the array to int64 with astype | i8 * -(2**40)
^[|]: .* Convert the array to float64 with astype | i8.__or__(2**70)
Pass dtype=int16\.$ | xp.asarray(-200, dtype=xp.int8)
Pass dtype=uint8\.$ | xp.asarray(200, dtype=xp.int8)
Pass dtype=int8\.$ | xp.asarray(-1, dtype=xp.uint8)
Pass dtype=float64\.$ | xp.asarray(2**70, dtype=xp.int8)
[TypeError]
^-: an array does not combine with None\.$ | None - x
^/: an array does not combine with None\.$ | x / None
^==: an array does not combine with None.*is None | x == None
^\+: an array does not combine with the text 'a' | "a" + x
^\*\*: an array does not combine with the text 'a' | x ** "a"
^\*: expected an Array or a Python scalar, got .* list | [1.0] * x
^@: expected an Array, got .* list | x @ [1.0]
^@=?: | s @ True; s @ 1; s @ 1.0; s @ 1j; True @ s; 1 @ s; 1.0 @ s; 1j @ s; s @= 1; s @= 1.0
[ValueError]
^@=?: | x @ v; m @ m; one @ v; v @ one; one @ one; xp.ones((2, 3, 3)) @ xp.ones((3, 3, 3))
^@=?: | m @= xp.ones((3, 2)); v @= v; xp.ones((3, 3)).__imatmul__(v); v @= xp.ones((3, 3, 3))
^@=?: | xp.ones((3, 3)).__imatmul__(xp.ones((2, 3, 3)))
"""
test_what_is_refused = refused(REFUSED)


@pytest.mark.parametrize("dtype", FLOATING)
def test_scalars_round_to_the_dtype_before_the_operation(dtype: str) -> None:
    # "Convert the scalar to zero-dimensional array with the same data type": 0.1 is not the
    # same number in float32 and float64, and 2**24 + 1 is none of float32.
    x = xp.asarray([0.1, 0.1], dtype=DTYPES[dtype])
    assert bool(xp.all(x == 0.1))
    assert bool(xp.all(x - 0.1 == 0))
    large = 2**24 if dtype in ("float32", "complex64") else 2**53
    x = xp.asarray([large, large], dtype=DTYPES[dtype])
    assert bool(xp.all(x == large + 1))
    assert bool(xp.all((large + 1) - x == 0))


@pytest.mark.parametrize("dtype", [*REAL_FLOATING, *HALVES])
def test_scalars_past_the_range_of_a_float(dtype: str) -> None:
    x = xp.asarray([1.0], dtype=EVERY[dtype])
    if dtype != "float64":  # rounds to infinity, as a number does that overflows
        assert float((x + 1e300)[0]) == math.inf
        assert bool((x < 1e39)[0])
        assert float((x * -(2**200))[0]) == -math.inf
    fails(OverflowError, operator.add, x, 10**400)


# ---------------------------------------------------------------------------------------------
# Wide unsigned integers

UINT64_VALUES = [0, 1, 2, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 2, 2**64 - 1]


@pytest.mark.parametrize("stem", ["lt", "le", "gt", "ge", "eq", "ne"])
@pytest.mark.parametrize("other", ["uint8", "uint16", "uint32", "uint64"])
def test_uint64_comparisons(stem: str, other: str) -> None:
    op = OPERATORS[stem]
    values = [v for v in UINT64_VALUES if v <= np.iinfo(other).max]
    rows = xp.asarray(UINT64_VALUES, dtype=xp.uint64)
    columns = xp.asarray(values, dtype=DTYPES[other])
    expected = np.asarray([[op.call(a, b) for b in values] for a in UINT64_VALUES])
    same(op.call(rows[:, None], columns[None, :]), expected)
    same(
        op.call(columns[:, None], rows[None, :]),
        op.call(
            np.asarray(values, object)[:, None], np.asarray(UINT64_VALUES, object)[None, :]
        ).astype(bool),
    )
    for scalar in UINT64_VALUES:
        same(op.call(rows, scalar), np.asarray([op.call(a, scalar) for a in UINT64_VALUES]))
        same(op.call(scalar, rows), np.asarray([op.call(scalar, a) for a in UINT64_VALUES]))


@pytest.mark.parametrize("stem", ARITHMETIC)
def test_uint64_arithmetic(stem: str) -> None:
    op = OPERATORS[stem]
    if "uint64" not in op.dtypes:
        return
    second = UINT64_VALUES
    if stem in ("floordiv", "mod"):
        second = second[1:]
    if stem in ("lshift", "rshift"):
        second = [0, 1, 31, 32, 33, 63]
    if stem == "pow":
        second = [0, 1, 2, 3, 63, 64, 65]
    expected = [
        [(pow(a, b, 2**64) if stem == "pow" else op.call(a, b) % 2**64) for b in second]
        for a in UINT64_VALUES
    ]
    x1 = xp.asarray(UINT64_VALUES, dtype=xp.uint64)[:, None]
    x2 = xp.asarray(second, dtype=xp.uint64)[None, :]
    same(op.call(x1, x2), np.asarray(expected, dtype="uint64"))


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
@pytest.mark.parametrize("length", [1, 37])
def test_lowest_integer_by_minus_one(dtype: str, length: int) -> None:
    # The quotient is one past the range and wraps around; a trap of the processor is no answer.
    low = int(np.iinfo(dtype).min)
    x = xp.full((length,), low, dtype=DTYPES[dtype])
    minus_one = xp.full((length,), -1, dtype=DTYPES[dtype])
    same(x // minus_one, np.full(length, low, dtype))
    same(x % minus_one, np.zeros(length, dtype))
    same(x // -1, np.full(length, low, dtype))
    same(x % -1, np.zeros(length, dtype))


# ---------------------------------------------------------------------------------------------
# In place: failures and aliasing


FOREIGN = {"str": "1", "None": None, "list": [1, 1, 1], "tuple": (1,), "object": object()}


@every_arithmetic
def test_failing_in_place_leaves_the_array(op: Op) -> None:
    dtype = op.usual
    other_kind = "int32" if dtype == "float32" else "float32"

    failures: list[tuple[Any, type[Exception]]] = [
        (ones(other_kind), TypeError),
        (ones(dtype, (2, 3)), ValueError),  # the array would grow
        (ones(dtype, (1, 3)), ValueError),  # a new axis
        (ones(dtype, (2,)), ValueError),
        (ones(dtype, (0,)), ValueError),
        *((foreign, TypeError) for foreign in FOREIGN.values()),
    ]
    for other, error in failures:
        x = ones(dtype)
        fails(error, op.in_place, x, other)
        same(x, np.ones(3, dtype))
    x = ones(dtype, (1, 1))
    with pytest.raises(ValueError, match="broadcast"):
        op.in_place(x, ones(dtype, (1, 3)))
    same(x, np.ones((1, 1), dtype))


@every_arithmetic
def test_broadcast_arrays_are_not_written_to(op: Op) -> None:
    # Elements that share memory would be changed several times over.
    dtype = op.usual
    row = ones(dtype)
    x = xp.broadcast_to(row, (2, 3))
    with pytest.raises(ValueError, match="broadcast"):
        op.in_place(x, ones(dtype))
    same(row, np.ones(3, dtype))


#: How an array meets itself: target and operand as keys of, or views of, one array of (6, 6).
ALIASES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "itself": (lambda a: a, lambda a: a),
    "next row": (lambda a: a[1:, :], lambda a: a[:-1, :]),
    "row before": (lambda a: a[:-1, :], lambda a: a[1:, :]),
    "next column": (lambda a: a[:, 1:], lambda a: a[:, :-1]),
    "column before": (lambda a: a[:, :-1], lambda a: a[:, 1:]),
    "transpose": (lambda a: a, lambda a: a.T),
    "first row": (lambda a: a, lambda a: a[0, :]),
    "last column": (lambda a: a, lambda a: a[:, -1:]),
    "even and odd": (lambda a: a[::2, :], lambda a: a[1::2, :]),
    "even and first": (lambda a: a[:, ::2], lambda a: a[:, :3]),
    "reversed": (lambda a: a, lambda a: a[::-1, ::-1]),
    "one element": (lambda a: a, lambda a: a[2, 3]),
    "corner": (lambda a: a[2:, 2:], lambda a: a[:-2, :-2]),
}


@pytest.mark.parametrize("alias", ALIASES)
@every_arithmetic
@np.errstate(all="ignore")
def test_aliasing(op: Op, alias: str) -> None:
    function = BINARY[op.function]
    target, operand = ALIASES[alias]
    values = np.arange(36).reshape(6, 6) % (5 if op.stem in ("pow", "lshift", "rshift") else 37) + 1
    for dtype in function.dtypes:
        before = values.astype(dtype)
        array = xp.asarray(before.copy())
        view = target(array)
        assert op.in_place(view, operand(array)) is view
        # What the operands were before is what counts, as if the operand had been copied.
        function.check(target(before), operand(before), dtype)(view)
        outside = np.ones((6, 6), bool)
        target(outside)[...] = False
        assert (to_numpy(array)[outside] == before[outside]).all()


# ---------------------------------------------------------------------------------------------
# Matrix multiplication


@pytest.mark.npu
@pytest.mark.parametrize("dtype", EVERY)
def test_matmul_promotion(dtype: str) -> None:
    for other in EVERY:
        result = EVERY_PROMOTION.get((dtype, other))
        x1, x2 = ones(dtype, (3, 3)), ones(other, (3, 3))
        if result in NUMERIC + HALVES:
            assert (x1 @ x2).dtype == EVERY[result]
            assert x2.__rmatmul__(x1).dtype == EVERY[result]
            assert bool(xp.all(x1 @ x2 == 3))
        else:
            fails(TypeError, operator.matmul, x1, x2)
            fails(TypeError, x2.__rmatmul__, x1)
        if result == dtype and dtype in NUMERIC + HALVES:
            target = x1
            x1 @= x2
            assert x1 is target
            assert bool(xp.all(x1 == 3))
        else:
            fails(TypeError, operator.imatmul, x1, x2)
            assert bool(xp.all(x1 == ones(dtype, (3, 3))))


@pytest.mark.npu
@pytest.mark.parametrize("dtype", NUMERIC)
@examples(10)
@given(data=st.data())
def test_matmul(dtype: str, data: st.DataObject) -> None:
    m, k, n = (data.draw(st.integers(0, 5)) for _ in range(3))
    shape1 = data.draw(st.sampled_from([(m, k), (k,), (2, m, k)]))
    shape2 = data.draw(st.sampled_from([(k, n), (k,), (2, k, n), (1, k, n)]))
    values = moderate(dtype) if dtype in FLOATING else elements(dtype)
    x1 = data.draw(operands(dtype, shape1, values))
    x2 = data.draw(operands(dtype, shape2, values))
    check = matmul_check(x1.value, x2.value, dtype, np.matmul, k)
    check(x1.array @ x2.array)
    check(x2.array.__rmatmul__(x1.array))
    x1.check_unchanged()
    x2.check_unchanged()


@pytest.mark.parametrize("dtype", ["int32", "uint64", "float64", "complex64"])
def test_matmul_in_place_of_itself(dtype: str) -> None:
    values = np.arange(9).reshape(3, 3).astype(dtype)
    for operand in (lambda a: a, lambda a: a.T):
        x = xp.asarray(values.copy())
        target = x
        x @= operand(x)
        assert x is target
        same(x, values @ operand(values))


# ---------------------------------------------------------------------------------------------
# Unary operators, and operands that are no arrays

UNARY = {
    "neg": (operator.neg, np.negative, NUMERIC),
    "pos": (operator.pos, np.positive, NUMERIC),
    "invert": (operator.invert, np.invert, BOOL + INTEGER),
    "abs": (abs, np.abs, tuple(d for d in NUMERIC if d not in COMPLEX)),
}


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("dtype", ALL)
@examples(8)
@given(data=st.data())
@np.errstate(all="ignore")
def test_unary(name: str, dtype: str, data: st.DataObject) -> None:
    apply, reference, dtypes = UNARY[name]
    x = data.draw(operands(dtype, data.draw(shapes(max_dims=3))))
    if dtype in dtypes:
        same(apply(x.array), np.asarray(reference(x.value)))
        x.check_unchanged()
    elif not (name == "abs" and dtype in COMPLEX):  # approximate: see test_against_numpy.py
        fails(TypeError, apply, x.array)


@every_operator
@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_operands(op: Op, name: str) -> None:
    """They are refused in the namespace's words, and not by Python's silent answers."""
    other = FOREIGN[name]
    x = ones(op.usual)
    with pytest.raises(TypeError, match=rf"^{re.escape(op.symbol)}=?: "):
        op.forward(x, other)
    if not op.compares:
        with pytest.raises(TypeError, match=rf"^{re.escape(op.symbol)}=: "):
            op.in_place(x, other)
    if (op.stem, name) != ("mod", "str"):  # which formats the string
        fails(TypeError, op.forward, other, x)


def test_numpys_scalars_on_either_side() -> None:
    """NumPy's float64 and complex128 are Python's numbers by inheritance, left or right."""
    names = "eq ne lt le gt ge add sub mul truediv floordiv mod pow".split()
    for name in names:
        function = getattr(operator, name)
        for number in (np.float64(2), np.complex128(2 + 1j))[: 2 if name in {"eq", "add"} else 1]:
            for values in ([1.0, 2.0, 3.0], [[2.0]]):
                x = xp.asarray(values, dtype=xp.complex128 if number.imag else xp.float64)
                y = to_numpy(x)
                same = np.testing.assert_array_equal
                same(to_numpy(function(number, x)), function(number, y), f"{number!r} {name} x")
                same(to_numpy(function(x, number)), function(y, number), f"x {name} {number!r}")
        for other in (np.int64(2), np.float32(2), np.asarray([2.0])):  # refused on either side
            for pair in ((other, xp.ones(2)), (xp.ones(2), other)):
                with pytest.raises(TypeError):
                    function(*pair)


@every_arithmetic
def test_operators_defer_to_a_class_that_knows_arrays(op: Op) -> None:
    knows = type(
        "Knows",
        (),
        {f"__{side}{op.stem}__": lambda self, other: (self, other) for side in ("", "r")},
    )()
    x = ones(op.usual)
    assert op.forward(x, knows) == (knows, x)
    assert op.forward(knows, x) == (knows, x)
    assert op.in_place(x, knows)[0] is knows


@pytest.mark.parametrize("two", [2, 2.0])
@pytest.mark.parametrize("name", ["int8", "uint16", "uint64", "float32", "float64"])
def test_the_power_of_2_is_the_square(name: str, two: float) -> None:
    """Powers by logarithms are rounded twice: 2 % of them would be off by one in the last place."""
    rng = np.random.default_rng(0)
    if "int" in name:
        x = rng.integers(0, 100, 10_000).astype(name)
    else:
        ends = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e30, 1e-30]
        x = np.concatenate([rng.normal(size=10_000) * 30, ends]).astype(name)
    with np.errstate(all="ignore"):
        expected = x * x
    y = xp.asarray(x, copy=True)
    if "int" in name and isinstance(two, float):
        fails(TypeError, operator.pow, y, two)
        with xp.options(relaxed=True):
            same(y**two, x.astype("float32") ** 2)
        return
    same(y**two, expected)
    same(xp.pow(y, two), expected)
    wide = xp.broadcast_to(y[:1], (2,))
    fails(ValueError, operator.ipow, wide, two)
    alias = y[::2]
    y **= two
    same(y, expected)
    same(alias, expected[::2])


@pytest.mark.npu
@pytest.mark.parametrize("name", INTEGER)
def test_whole_powers_of_integers_are_numpys_in_the_first_call_and_later(name: str) -> None:
    values = np.asarray([1, 2, 3, 5], dtype=name)
    x = xp.asarray(values)
    for power in (-2, -1, 0, 1, 2, 3):
        for op in OPS.values():
            op.clear()
        for _ in range(2):
            if power < 0:  # undefined: 1 / x is no integer
                with pytest.raises((ValueError, OverflowError)):
                    x**power
            else:
                made = x**power
                assert made.dtype is x.dtype
                np.testing.assert_array_equal(to_numpy(made), values**power)


@pytest.mark.parametrize("name", ["int16", "int64", "uint8", "float32", "float64"])
def test_numbers_before_an_array_are_arrays_of_them(name: str) -> None:
    """Also when the kernel for them is remembered, and for numbers that it does not take."""
    dtype = np.dtype(name)
    values: list[float] = [0, 1, 2, 3, 100]
    numbers: list[float] = [0, 1, 3, 100]
    functions = [operator.sub]
    if dtype.kind == "f":
        functions.append(operator.truediv)
        tiny = float(np.finfo(dtype).smallest_subnormal)
        values += [-0.0, -7.3, 1e-30, 3e30, math.inf, -math.inf, math.nan, tiny]
        numbers += [1.0, -1.0, 0.1, -0.0, 2**24 + 1, math.inf, -math.inf, math.nan]
    else:
        least, most = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
        values += [least, most]
        numbers += [least, most]
    x = np.asarray(values, dtype=dtype)
    for function, number, _ in itertools.product(functions, numbers, "12"):
        with np.errstate(all="ignore"):
            expected = function(np.asarray(number, dtype=dtype), x)
        same(function(number, xp.asarray(x)), expected)
    for function, _ in itertools.product(functions, "12"):
        fails(OverflowError, function, 10**400, xp.asarray(x))
        fails(TypeError, function, True, xp.asarray(x))
        fails(TypeError, function, None, xp.asarray(x))
        if dtype.kind != "f":
            fails(TypeError, function, 1.0, xp.asarray(x))
            fails(OverflowError, function, int(np.iinfo(dtype).max) + 1, xp.asarray(x))


@pytest.mark.parametrize(  # the absolute value of the first overflows
    "value",
    [complex(1.5e308, 1.5e308), complex(math.nan, 1e300), complex(1e300, math.nan), -1e39 + 1j],
)
def test_complex_scalars_overflow_by_parts(value: complex) -> None:
    x, expected = xp.asarray([1 + 2j], dtype=xp.complex64), np.asarray([1 + 2j], np.complex64)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(to_numpy(x + value), expected + value)
        np.testing.assert_array_equal(to_numpy(value - x), value - expected)
        full = np.full((1,), value, dtype=np.complex64)
    np.testing.assert_array_equal(to_numpy(xp.full((1,), value, dtype=xp.complex64)), full)
    np.testing.assert_array_equal(to_numpy(xp.full_like(x, value)), full)


def test_errno_of_other_libraries_is_no_error_of_scalars() -> None:
    x = xp.asarray([1 + 2j], dtype=xp.complex64)
    errno = ctypes.pythonapi.__errno_location if sys.platform == "linux" else None
    if errno is None:
        pytest.skip("errno has another name here")
    errno.restype = ctypes.POINTER(ctypes.c_int)
    errno.argtypes = []
    location = errno()
    location[0] = 34  # ERANGE, which Python's abs() of a NaN reads
    try:
        made = complex(math.nan, 0.0) - x
    finally:
        location[0] = 0
    assert bool(xp.isnan(xp.real(made))[0])


@pytest.mark.cpu
def test_in_place_operators_take_no_detour() -> None:
    """The second call runs few functions of the package, says Python's profiler."""
    package = os.path.dirname(xp.__file__)
    x, y = xp.asarray([1.0, 2.0, 3.0]), xp.asarray([4.0, 5.0, 6.0])
    for other in (y, 2.0, 3):
        for symbol in (operator.iadd, operator.imul):
            symbol(x, other)
            seen = [name for file, name in entered(symbol, x, other) if package in file]
            assert 1 <= len(seen) <= 4, seen
