"""The special cases that the standard states, for functions, operators and in-place operators.

``workshop/samples/special_cases.py`` has the lists of the standard's pages. Each statement is
tried with float32 and float64 (complex64 and complex128), alone and among others, in 0-d arrays, in
arrays of one element and of 37 (a vectorised body and a scalar tail), contiguous and strided;
functions of two arrays also as operators with arrays and Python scalars on both sides.
"""

from __future__ import annotations

import itertools
import math
import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ascend_array_api as xp
from workshop.samples.special_cases import (
    COMPLEX_TO_REAL,
    COMPLEX_UNARY,
    REAL_BINARY,
    REAL_UNARY,
)
from workshop.samples.strategies import (
    COMPLEX,
    COMPONENT,
    FLOATING,
    INTEGER,
    REAL_FLOATING,
    check_form,
    elements,
    examples,
    same,
    to_numpy,
)

# "the following special cases apply to real and imaginary components independently"
_ROUND = [statement.split(" -> ") for statement in REAL_UNARY["round"]]
COMPLEX_UNARY["round"] = [
    f"{a}, {b} -> {x}, {y}"
    for (a, x), (b, y) in itertools.product(_ROUND, repeat=2)
    if x != "x1" != y
]

#: f(conj(z)) must equal conj(f(z)); f(-z) must equal -f(z), or f(z).
CONJUGATE = frozenset(
    ("acos", "acosh", "asinh", "atanh", "cosh", "exp", "expm1", "log", "log1p", "sinh", "sqrt")
    + ("tanh",)
)
ODD = frozenset(("asinh", "atanh", "sinh", "tanh"))
EVEN = frozenset(("cosh",))
#: "as if implemented as -1j * sinh(x*1j)", and cos as cosh(x*1j)
ROTATED = {"asin": "asinh", "atan": "atanh", "sin": "sinh", "tan": "tanh", "cos": "cosh"}
#: "as if implemented using the standard change of base formula"
SCALED = {"log2": math.log(2), "log10": math.log(10)}

# ---------------------------------------------------------------------------------------------
# Reading the tables


def numbers(dtype: str) -> dict[str, float]:
    info = np.finfo(dtype)
    return {
        "subnormal": float(info.smallest_subnormal),
        "normal": float(info.smallest_normal),
        "max": float(info.max),
        "above one": float(np.nextafter(np.asarray(1, dtype), np.asarray(2, dtype))),
        "below one": float(np.nextafter(np.asarray(1, dtype), np.asarray(0, dtype))),
    }


def candidates(dtype: str) -> list[float]:
    """The numbers from which conditions choose."""
    n = numbers(dtype)
    sizes = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 6.0, 99999.0, 2.0**24, *n.values(), math.inf]
    return [sign * size for size in sizes for sign in (1.0, -1.0)] + NANS


NANS = [math.copysign(math.nan, 1.0), math.copysign(math.nan, -1.0)]


def is_odd(v: float) -> bool:
    return math.isfinite(v) and v == int(v) and int(v) % 2 == 1


WORDS: dict[str, Callable[[float], bool]] = {
    "any": lambda v: True,
    "nan": math.isnan,
    "nan+": lambda v: math.isnan(v) and math.copysign(1, v) > 0,
    "nan-": lambda v: math.isnan(v) and math.copysign(1, v) < 0,
    "not nan": lambda v: not math.isnan(v),
    "not 1": lambda v: v != 1,
    "finite": math.isfinite,
    "finite+": lambda v: math.isfinite(v) and math.copysign(1, v) > 0,
    "finite-": lambda v: math.isfinite(v) and math.copysign(1, v) < 0,
    "nonzero": lambda v: math.isfinite(v) and v != 0,
    "positive": lambda v: math.isfinite(v) and v > 0,
    "negative": lambda v: math.isfinite(v) and v < 0,
    "integer": lambda v: math.isfinite(v) and v != 0 and v == int(v),
    "fraction": lambda v: math.isfinite(v) and v != int(v),
    "odd>0": lambda v: v > 0 and is_odd(v),
    "odd<0": lambda v: v < 0 and is_odd(v),
    "not odd>0": lambda v: v > 0 and not is_odd(v),
    "not odd<0": lambda v: v < 0 and not is_odd(v),
    "|x|>1": lambda v: abs(v) > 1,
    "|x|<1": lambda v: abs(v) < 1,
    "|x|=1": lambda v: abs(v) == 1,
    ">0": lambda v: v > 0,
    "<0": lambda v: v < 0,
    ">1": lambda v: v > 1,
    "<1": lambda v: v < 1,
    "<-1": lambda v: v < -1,
}


def chosen(condition: str, dtype: str, x1: float = math.nan) -> list[float]:
    """The numbers for which a condition holds."""
    if condition in WORDS:
        return [v for v in candidates(dtype) if WORDS[condition](v)]
    if condition.startswith("±"):
        return [float(condition[1:]), -float(condition[1:])]
    if condition in ("x1", "-x1"):
        return [x1 if condition == "x1" else -x1]
    return [float(condition)]


@dataclass(frozen=True)
class Want:
    """What an element has to be: a value, and how it is compared with it.

    ``exact`` minds the sign of zero, ``about`` allows a relative error of 4 eps, ``either`` and
    ``about either`` mind no sign; ``sign`` compares the sign bit alone and refuses NaN; ``bits``
    compares the sign bit of NaN too.
    """

    value: float
    mode: str = "exact"


_PI = re.compile(r"([+-]?)(\d?)pi(?:/(\d))?")


def read_result(text: str, names: dict[str, float]) -> Want:
    """Read a result; ``names`` are the arguments by the names that results use."""
    if match := _PI.fullmatch(text.removeprefix("~")):
        sign, times, over = match.groups()
        value = float(f"{sign}1") * int(times or 1) * math.pi / int(over or 1)
        return Want(value, "about either" if text.startswith("~") else "about")
    if text.startswith("~"):
        return Want(float(text[1:]), "either")
    if text in ("true", "false"):
        return Want(float(text == "true"))
    if text in ("nan+", "nan-"):
        return Want(NANS[text == "nan-"], "bits")
    if text in ("sign+", "sign-"):
        return Want(1.0 if text == "sign+" else -1.0, "sign")
    if text.endswith(("*cos", "*sin")):
        size, function = text.split("*")
        return Want(math.copysign(float(size), getattr(math, function)(names["b"])))
    sign = -1.0 if text.startswith("-") else 1.0
    bare = text.lstrip("+-")
    if bare.strip("|") in names:
        value = names[bare.strip("|")]
        return Want(sign * abs(value) if bare.startswith("|") else sign * value)
    return Want(float(text))


Row = tuple[tuple[float, ...], tuple[Want, ...]]  # arguments (or parts of one), parts of a result


def rows(
    table: list[str], dtype: str, names: tuple[str, ...], *, most: int | None = None
) -> list[Row]:
    """Each statement of a table with each combination of numbers to which it applies.

    With ``most``, no more than so many of a statement, chosen evenly.
    """
    found: list[Row] = []
    for line in table:
        conditions, results = (side.split(", ") for side in line.split(" -> "))
        stated: list[Row] = []
        for first in chosen(conditions[0], dtype):
            rest = [chosen(condition, dtype, first) for condition in conditions[1:]]
            for values in itertools.product([first], *rest):
                named = dict(zip(names, values, strict=True))
                stated.append((values, tuple(read_result(text, named) for text in results)))
        assert stated, line
        found += stated[:: 1 if most is None else -(-len(stated) // most)]
    return found


def how_many(arrangement: str) -> int | None:
    """How many cases of a statement to try where each is a call of its own."""
    return 10 if arrangement in ALONE else None


# ---------------------------------------------------------------------------------------------
# Running them

#: How the numbers are laid out: each case in an array of its own, or all in one.
ALONE = {"0-d": (), "one": (1,), "long": (37,)}
TOGETHER = ("contiguous", "strided", "transposed")
ARRANGEMENTS = (*ALONE, *TOGETHER)


def arranged(arrangement: str, columns: list[np.ndarray]) -> Iterator[tuple[list[Any], np.ndarray]]:
    """Yield arrays of the columns' numbers, and for each element the case that it belongs to."""
    count = len(columns[0])
    if arrangement in ALONE:
        shape = ALONE[arrangement]
        for i in range(count):
            yield [xp.asarray(np.full(shape, column[i])) for column in columns], np.full(shape, i)
        return
    which = np.resize(np.arange(count), (7, -(-max(count, 37) // 7)))
    if arrangement == "contiguous":
        yield [xp.asarray(column[which]) for column in columns], which
    elif arrangement == "strided":
        yield [xp.asarray(np.repeat(column[which], 2, axis=1))[:, ::2] for column in columns], which
    else:
        yield [xp.asarray(column[which]).T for column in columns], which.T


def compare(values: np.ndarray, wants: list[Want], which: np.ndarray) -> np.ndarray:
    """Say which elements are as they have to be."""
    dtype = values.dtype
    with np.errstate(over="ignore"):
        want = np.asarray([w.value for w in wants]).astype(dtype)[which]
    mode = np.asarray([w.mode for w in wants])[which]
    if dtype.kind == "b":
        return np.asarray(values == want)
    signs = np.signbit(values) == np.signbit(want)
    nans = np.isnan(values) & np.isnan(want)
    close = np.abs(np.abs(values) - np.abs(want)) <= 4 * np.finfo(dtype).eps * np.abs(want)
    good = {
        "exact": nans | ((values == want) & signs),
        "either": np.abs(values) == np.abs(want),
        "about": close & signs,
        "about either": close,
        "sign": signs & ~np.isnan(values),
        "bits": nans & signs,
    }
    return np.select([mode == name for name in good], list(good.values()), default=False)


def check_rows(
    cases: list[Row],
    columns: list[np.ndarray],
    arrangement: str,
    result: str,
    apply: Callable[..., Any],
) -> None:
    """Apply a function to arrays of the columns and compare each part of the results."""
    results, indices = [], []
    with np.errstate(all="ignore"):
        for arrays, which in arranged(arrangement, columns):
            results.append(check_form(apply(*arrays), result, which.shape).reshape(-1))
            indices.append(which.reshape(-1))
        values, case = np.concatenate(results), np.concatenate(indices)
        parts = [values.real, values.imag] if result in COMPLEX else [values]
        good = np.ones(values.shape, bool)
        for i, part in enumerate(parts):
            good &= compare(part, [wants[i] for _, wants in cases], case)
    wrong = []
    for k in np.flatnonzero(~good).tolist():
        arguments, wants = cases[case[k]]
        wrong.append(f"{arguments} -> {values[k]!r}, must be {wants}")
    assert not wrong, f"{len(wrong)} wrong:\n" + "\n".join(sorted(set(wrong))[:20])


def as_column(cases: list[Row], dtype: str, index: int | None = None) -> np.ndarray:
    """The arguments with a number, or the complex numbers of all parts, as one array."""
    if index is not None:
        return np.asarray([arguments[index] for arguments, _ in cases]).astype(dtype)
    column = np.empty(len(cases), dtype)
    column.real, column.imag = zip(*(arguments for arguments, _ in cases), strict=True)
    return column


# ---------------------------------------------------------------------------------------------
# Functions of one real array

PREDICATES = ("isfinite", "isinf", "isnan", "signbit", "equal", "not_equal")
UNARY_OPERATORS = {"abs": abs, "negative": operator.neg}


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize("name", REAL_UNARY)
def test_real_unary(name: str, dtype: str, arrangement: str) -> None:
    cases = rows(REAL_UNARY[name], dtype, ("x1",))
    columns = [as_column(cases, dtype, 0)]
    result = "bool" if name in PREDICATES else dtype
    check_rows(cases, columns, arrangement, result, getattr(xp, name))
    if name in UNARY_OPERATORS:
        check_rows(cases, columns, arrangement, result, UNARY_OPERATORS[name])


# ---------------------------------------------------------------------------------------------
# Functions of one complex array


def conjugated(case: Row) -> Row:
    (a, b), (x, y) = case
    return (a, -b), (x, negated(y))


def negated(want: Want) -> Want:
    return Want(-want.value, want.mode)


def complex_rows(name: str, dtype: str, most: int | None = None) -> list[Row]:
    """The statements for a complex function, with all that follows from its symmetries."""
    real = COMPONENT[dtype]
    if name in SCALED:
        return [
            (arguments, tuple(Want(w.value / SCALED[name], w.mode) for w in wants))
            for arguments, wants in complex_rows("log", dtype, most)
        ]
    if name == "cos":  # cosh(jz) with jz = a + bj, so z = b - aj
        return [((b, -a), wants) for (a, b), wants in complex_rows("cosh", dtype, most)]
    if name in ROTATED:  # -j f(jz) with jz = a + bj: z = b - aj, and -j (x + yj) = y - xj
        source = complex_rows(ROTATED[name], dtype, most)
        return [((b, -a), (y, negated(x))) for (a, b), (x, y) in source]
    cases = rows(COMPLEX_UNARY[name], real, ("a", "b"), most=most)
    if name in CONJUGATE:
        cases += [conjugated(case) for case in cases]
    if name in ODD:
        cases += [((-a, -b), (negated(x), negated(y))) for (a, b), (x, y) in cases]
    if name in EVEN:
        cases += [((-a, -b), wants) for (a, b), wants in cases]
    return cases


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", [*COMPLEX_UNARY, *ROTATED, *SCALED])
def test_complex_unary(name: str, dtype: str, arrangement: str) -> None:
    cases = complex_rows(name, dtype, how_many(arrangement))
    columns = [as_column(cases, dtype)]
    check_rows(cases, columns, arrangement, dtype, getattr(xp, name))


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", COMPLEX_TO_REAL)
def test_complex_to_real(name: str, dtype: str, arrangement: str) -> None:
    cases = rows(COMPLEX_TO_REAL[name], COMPONENT[dtype], ("a", "b"), most=how_many(arrangement))
    columns = [as_column(cases, dtype)]
    result = "bool" if name in PREDICATES else COMPONENT[dtype]
    check_rows(cases, columns, arrangement, result, getattr(xp, name))


def test_symmetries_do_not_contradict_the_tables() -> None:
    # Two statements about one number must agree, or no library could follow both.
    for name in (*COMPLEX_UNARY, *ROTATED):
        told: dict[str, tuple[Want, ...]] = {}
        for arguments, wants in complex_rows(name, "complex128"):
            key = repr(tuple(map(unsigned_nan, arguments)))
            known = told.setdefault(key, wants)
            for one, other in zip(known, wants, strict=True):
                signless = {one.mode, other.mode} & {"either", "about either"}
                first, second = (abs(w.value) if signless else w.value for w in (one, other))
                assert repr(unsigned_nan(first)) == repr(unsigned_nan(second)), (name, arguments)


def unsigned_nan(value: float) -> float:
    """The number; NaN without its sign."""
    return math.nan if math.isnan(value) else value


# ---------------------------------------------------------------------------------------------
# Functions of two real arrays, and operators

OPERATORS: dict[str, tuple[Any, Any, str]] = {
    "add": (operator.add, operator.iadd, "__radd__"),
    "divide": (operator.truediv, operator.itruediv, "__rtruediv__"),
    "equal": (operator.eq, None, "__eq__"),
    "floor_divide": (operator.floordiv, operator.ifloordiv, "__rfloordiv__"),
    "multiply": (operator.mul, operator.imul, "__rmul__"),
    "not_equal": (operator.ne, None, "__ne__"),
    "pow": (operator.pow, operator.ipow, "__rpow__"),
    "remainder": (operator.mod, operator.imod, "__rmod__"),
    "subtract": (operator.sub, operator.isub, "__rsub__"),
}


def scalar(x: Any) -> float:
    """The number of which an array is full."""
    return float(x[(0,) * x.ndim])


def copied(x: Any) -> Any:
    """A copy with the strides of the original."""
    storage = xp.asarray(np.repeat(to_numpy(x)[..., None], 2, axis=-1))
    return storage[..., 0]


FORMS: dict[str, Callable[[str], Callable[[Any, Any], Any]]] = {
    "function": lambda name: getattr(xp, name),
    "function, scalar first": lambda name: lambda x1, x2: getattr(xp, name)(scalar(x1), x2),
    "function, scalar second": lambda name: lambda x1, x2: getattr(xp, name)(x1, scalar(x2)),
    "operator": lambda name: OPERATORS[name][0],
    "reflected": lambda name: lambda x1, x2: getattr(x2, OPERATORS[name][2])(x1),
    "scalar first": lambda name: lambda x1, x2: OPERATORS[name][0](scalar(x1), x2),
    "scalar second": lambda name: lambda x1, x2: OPERATORS[name][0](x1, scalar(x2)),
    "in place": lambda name: lambda x1, x2: OPERATORS[name][1](xp.asarray(to_numpy(x1).copy()), x2),
    "in place, strided": lambda name: lambda x1, x2: OPERATORS[name][1](copied(x1), x2),
    "in place, scalar": lambda name: (
        lambda x1, x2: OPERATORS[name][1](xp.asarray(to_numpy(x1).copy()), scalar(x2))
    ),
}


def has_form(name: str, form: str, arrangement: str) -> bool:
    if "scalar" in form and arrangement not in ALONE:
        return False  # one scalar for all
    if form.startswith("function"):
        # A Python NaN has no sign that must survive.
        return "scalar" not in form or name != "copysign"
    return name in OPERATORS and not (form.startswith("in place") and not OPERATORS[name][1])


@pytest.mark.parametrize(
    ("name", "form", "arrangement"),
    [
        pytest.param(name, form, arrangement, id=f"{name}-{form}-{arrangement}")
        for name, form, arrangement in itertools.product(REAL_BINARY, FORMS, ARRANGEMENTS)
        if has_form(name, form, arrangement)
    ],
)
@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_real_binary(name: str, form: str, dtype: str, arrangement: str) -> None:
    cases = rows(REAL_BINARY[name], dtype, ("x1", "x2"), most=how_many(arrangement))
    columns = [as_column(cases, dtype, 0), as_column(cases, dtype, 1)]
    result = "bool" if name in PREDICATES else dtype
    check_rows(cases, columns, arrangement, result, FORMS[form](name))


@examples(50)
@given(data=st.data())
def test_remainder_is_pythons(data: st.DataObject) -> None:
    # "In the remaining cases, the result must match that of the Python % operator."
    finite = elements("float64", nan=False, inf=False)
    x1 = data.draw(st.lists(finite, min_size=1, max_size=40))
    x2 = data.draw(st.lists(finite.filter(bool), min_size=len(x1), max_size=len(x1)))
    expected = np.asarray([a % b for a, b in zip(x1, x2, strict=True)])
    left, right = (xp.asarray(x, dtype=xp.float64) for x in (x1, x2))
    same(xp.remainder(left, right), expected)
    same(left % right, expected)


# ---------------------------------------------------------------------------------------------
# Functions of two complex arrays


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", ["add", "subtract"])
def test_complex_sums_are_sums_of_components(name: str, dtype: str, arrangement: str) -> None:
    # "real-valued floating-point special cases must independently apply to the real and
    # imaginary component operations"
    real = COMPONENT[dtype]
    cases = rows(REAL_BINARY[name], real, ("x1", "x2"), most=how_many(arrangement))
    shifted = cases[7:] + cases[:7]  # another case for the other component
    parts = [as_column(source, real, i) for i in (0, 1) for source in (cases, shifted)]
    columns = []
    for re_part, im_part in (parts[:2], parts[2:]):
        column = np.empty(len(cases), dtype)
        column.real, column.imag = re_part, im_part
        columns.append(column)
    both: list[Row] = [
        ((*one[0], *other[0]), (*one[1], *other[1]))
        for one, other in zip(cases, shifted, strict=True)
    ]
    for form in ("function", "operator", "reflected", "in place"):
        check_rows(both, columns, arrangement, dtype, FORMS[form](name))


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("length", [1, 37])
def test_complex_products_of_nan(dtype: str, length: int) -> None:
    # "If a, b, c, and d are all NaN, the result is NaN + NaN j"; all else is left open.
    nan = xp.asarray(np.full(length, complex(math.nan, math.nan), dtype))
    for result in (nan * nan, nan / nan, xp.square(nan), xp.reciprocal(nan)):
        values = check_form(result, dtype, (length,))
        assert np.isnan(values.real).all()
        assert np.isnan(values.imag).all()


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("length", [1, 37])
def test_complex_equality(dtype: str, length: int) -> None:
    real = COMPONENT[dtype]
    numbers = [complex(a, b) for a in candidates(real)[::3] for b in candidates(real)[::3]]
    for shift in range(0, len(numbers), 5):
        x1 = np.asarray(numbers, dtype)
        x2 = np.roll(x1, shift)
        with np.errstate(all="ignore"):
            expected = (x1.real == x2.real) & (x1.imag == x2.imag)
        for start in range(0, len(numbers), length):
            part = slice(start, start + length)
            left, right = xp.asarray(x1[part].copy()), xp.asarray(x2[part].copy())
            same(left == right, expected[part])
            same(left != right, ~expected[part])


# ---------------------------------------------------------------------------------------------
# Statistics, searching and utilities


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize("function", ["max", "min", "mean", "var", "std", "sum", "prod"])
@pytest.mark.parametrize("length", [1, 3, 37, 200])
def test_nan_propagates_from_every_place(function: str, dtype: str, length: int) -> None:
    for place in range(0, length, max(1, length // 20)):
        values = np.ones(length, dtype)
        values[place] = math.nan
        assert math.isnan(float(getattr(xp, function)(xp.asarray(values))))
        columns = xp.asarray(np.repeat(values[:, None], 3, axis=1))
        assert np.isnan(to_numpy(getattr(xp, function)(columns, axis=0))).all()


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize("function", ["cumulative_sum", "cumulative_prod"])
def test_cumulative_functions_apply_one_by_one(function: str, dtype: str) -> None:
    for values in ([1, math.inf, -math.inf, 1], [1, math.nan, 0, 2], [math.inf, 0, 1, 1]):
        apply = xp.add if function == "cumulative_sum" else xp.multiply
        x = xp.asarray(np.asarray(values, dtype))
        expected = [x[0]]
        for i in range(1, 4):
            expected.append(apply(expected[-1], x[i]))
        same(getattr(xp, function)(x), to_numpy(xp.stack(expected)))


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("length", [2, 37])
def test_diff_subtracts(dtype: str, length: int) -> None:
    # "out[i] = x[i+1] - x[i]", for zeros and infinities too.
    parts = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan]
    numbers = [complex(a, b) for a in parts for b in parts] if dtype in COMPLEX else parts
    for first, second in itertools.product(numbers, repeat=2):
        values = np.resize(np.asarray([first, second], dtype), length)
        with np.errstate(invalid="ignore"):
            same(xp.diff(xp.asarray(values.copy())), values[1:] - values[:-1])


@pytest.mark.parametrize("dtype", FLOATING)
def test_what_is_true(dtype: str) -> None:
    # "Positive infinity, negative infinity, and NaN must evaluate to True"; so must a complex
    # number with one component that is not zero.
    least = float(np.finfo(COMPONENT[dtype]).smallest_subnormal)
    truths = [1.0, math.inf, -math.inf, math.nan, least]
    if dtype in COMPLEX:
        truths += [complex(0, t) for t in truths]
    for truth in truths:
        x = xp.asarray(np.asarray([truth], dtype))
        assert bool(xp.all(x))
        assert bool(xp.any(x))
        assert int(xp.count_nonzero(x)) == 1
        assert xp.nonzero(x)[0].shape == (1,)
        same(xp.astype(x, xp.bool), np.asarray([True]))
    zeros = xp.asarray(np.asarray([0.0, -0.0], dtype))
    assert not bool(xp.any(zeros))
    assert int(xp.count_nonzero(zeros)) == 0
    same(xp.astype(zeros, xp.bool), np.asarray([False, False]))


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_nextafter_steps(dtype: str) -> None:
    info = np.finfo(dtype)
    steps = [
        (0.0, 1.0, float(info.smallest_subnormal)),
        (0.0, -1.0, -float(info.smallest_subnormal)),
        (float(info.smallest_subnormal), 0.0, 0.0),
        (-float(info.smallest_subnormal), 0.0, -0.0),
        (float(info.max), math.inf, math.inf),
        (math.inf, 0.0, float(info.max)),
        (-math.inf, -math.inf, -math.inf),
        (1.0, 2.0, 1.0 + float(info.eps)),
        (1.0, 1.0, 1.0),
    ]
    for length in (1, 37):
        for x1, x2, expected in steps:
            left, right = (xp.asarray(np.full(length, x, dtype)) for x in (x1, x2))
            same(xp.nextafter(left, right), np.full(length, expected, dtype))


@pytest.mark.parametrize("dtype", INTEGER)
@pytest.mark.parametrize("name", ["ceil", "floor", "round", "trunc", "positive"])
def test_integers_are_integer_valued(name: str, dtype: str) -> None:
    info = np.iinfo(dtype)
    values = np.asarray([info.min, 0, 1, info.max], dtype)
    same(getattr(xp, name)(xp.asarray(values.copy())), values)


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@examples(50)
@given(data=st.data())
def test_hypot_symmetries(dtype: str, data: st.DataObject) -> None:
    pairs = data.draw(st.lists(st.tuples(elements(dtype), elements(dtype)), min_size=1))
    x1, x2 = (xp.asarray(np.asarray(column, dtype)) for column in zip(*pairs, strict=True))
    expected = to_numpy(xp.hypot(x1, x2))
    for other in (xp.hypot(x2, x1), xp.hypot(x1, -x2), xp.hypot(-x1, x2), xp.hypot(-x1, -x2)):
        same(other, expected)
