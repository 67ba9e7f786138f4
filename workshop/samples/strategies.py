"""What the oracle tests share: dtypes, drawn arrays of every layout, and comparisons.

The oracles are NumPy, ``mpmath`` and the text of the standard. Nothing here knows torch: an
array goes in through ``xp.asarray(numpy_array)``, onto the default device, and comes back through
``np.asarray(array)`` on the CPU.

The number of examples of every property test is multiplied by the environment variable
``AAA_TEST_EXAMPLES`` (a number, 1 by default).
"""

from __future__ import annotations

import functools
import itertools
import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings

import ascend_array_api as xp
from conformance import cann_emulator

from ..drawing import fitting, st

Draw = Callable[[st.SearchStrategy[Any]], Any]

BOOL = ("bool",)
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGER = SIGNED + UNSIGNED
REAL_FLOATING = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
FLOATING = REAL_FLOATING + COMPLEX
REAL = INTEGER + REAL_FLOATING
NUMERIC = INTEGER + FLOATING
ALL = BOOL + NUMERIC
KINDS = (BOOL, INTEGER, FLOATING)

DTYPES = {name: getattr(xp, name) for name in ALL}

# The component type of a complex dtype, and a real dtype for itself.
COMPONENT = {"complex64": "float32", "complex128": "float64"} | {n: n for n in REAL_FLOATING}
# The complex dtype of the same precision, and a complex dtype for itself.
COMPLEX_OF = {"float32": "complex64", "float64": "complex128"} | {n: n for n in COMPLEX}
# What a reference is computed in so that its own error does not count: at least 11 more bits
# (float64 has none where ``longdouble`` is ``float64``; ``REFERENCE_SLACK`` allows for that).
WIDER = {
    "float32": "float64",
    "float64": "longdouble",
    "complex64": "complex128",
    "complex128": "clongdouble",
}
REFERENCE_SLACK = 0.0 if np.finfo(np.longdouble).eps < np.finfo(np.float64).eps else 4.0

# The promotion tables of the standard, typed from its text
# (https://data-apis.org/array-api/2023.12/API_specification/type_promotion.html).
# i1 is int8, u1 is uint8, f4 is float32, c8 is complex64 and so on.
_CODES = {
    "b1": "bool",
    "i1": "int8",
    "i2": "int16",
    "i4": "int32",
    "i8": "int64",
    "u1": "uint8",
    "u2": "uint16",
    "u4": "uint32",
    "u8": "uint64",
    "f4": "float32",
    "f8": "float64",
    "c8": "complex64",
    "c16": "complex128",
}
_PROMOTION_TABLES = """
     | b1
b1   | b1

     | i1 i2 i4 i8
i1   | i1 i2 i4 i8
i2   | i2 i2 i4 i8
i4   | i4 i4 i4 i8
i8   | i8 i8 i8 i8

     | u1 u2 u4 u8
u1   | u1 u2 u4 u8
u2   | u2 u2 u4 u8
u4   | u4 u4 u4 u8
u8   | u8 u8 u8 u8

     | u1 u2 u4
i1   | i2 i4 i8
i2   | i2 i4 i8
i4   | i4 i4 i8
i8   | i8 i8 i8

     | f4  f8  c8  c16
f4   | f4  f8  c8  c16
f8   | f8  f8  c16 c16
c8   | c8  c16 c8  c16
c16  | c16 c16 c16 c16
"""


def _read_tables(text: str) -> dict[tuple[str, str], str]:
    table: dict[tuple[str, str], str] = {}
    columns: list[str] = []
    for line in filter(str.strip, text.splitlines()):
        row, cells = (part.split() for part in line.split("|"))
        if not row:
            columns = cells
            continue
        for column, cell in zip(columns, cells, strict=True):
            pair = (_CODES[row[0]], _CODES[column])
            table[pair] = table[pair[::-1]] = _CODES[cell]
    return table


#: (dtype name, dtype name) -> dtype name; a pair that is absent does not promote.
PROMOTION = _read_tables(_PROMOTION_TABLES)


def partners(name: str, allowed: Sequence[str] = ALL) -> list[str]:
    """Dtypes among ``allowed`` that promote with ``name`` to one of ``allowed``."""
    return [other for other in allowed if PROMOTION.get((name, other)) in allowed]


def kind(name: str) -> tuple[str, ...]:
    return next(kind for kind in KINDS if name in kind)


def examples(count: int) -> settings:
    """Settings for a property test that runs ``count`` examples by default."""
    return settings(
        max_examples=max(1, round(count * float(os.environ.get("AAA_TEST_EXAMPLES", "1")))),
        deadline=None,
        database=None,
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
            HealthCheck.filter_too_much,
            HealthCheck.large_base_example,
        ],
    )


def to_numpy(array: Any) -> np.ndarray:
    """The values of an array on any device."""
    return np.asarray(array.to_device("cpu"))


# ---------------------------------------------------------------------------------------------
# Values


def integer_edges(name: str) -> list[int]:
    """Ends of the range of a dtype, and the ends of narrower ranges that lie inside it."""
    info = np.iinfo(name)
    edges = {int(info.min), int(info.min) + 1, int(info.max) - 1, int(info.max), 0, 1}
    for bits in (7, 8, 15, 16, 31, 32, 53, 63):
        edges |= {2**bits - 1, 2**bits, 2**bits + 1, -(2**bits), -(2**bits) - 1}
    return sorted((v for v in edges if info.min <= v <= info.max), key=lambda v: (abs(v), v))


def float_edges(name: str) -> list[float]:
    info = np.finfo(name)
    sizes = [
        0.0,
        1.0,
        0.5,
        1.5,
        2.0,
        2.5,
        float(info.eps),
        float(info.smallest_subnormal),
        float(info.smallest_normal),
        float(info.max),
        float(np.nextafter(np.asarray(1, name), np.asarray(2, name))),
        math.inf,
    ]
    return [sign * size for size in sizes for sign in (1.0, -1.0)] + [math.nan]


@functools.lru_cache(None)
def elements(
    name: str,
    *,
    low: float | None = None,
    high: float | None = None,
    nan: bool = True,
    inf: bool = True,
    subnormal: bool = True,
) -> st.SearchStrategy[Any]:
    """Python values that an array of dtype ``name`` can hold, ends of the range mixed in.

    Values between bounds are finite.
    """
    nan = nan and low is None and high is None
    inf = inf and low is None and high is None
    some = _elements(name, low, high, nan=nan, inf=inf, subnormal=subnormal)

    def fit(values: np.ndarray) -> bool:
        if name == "bool":
            return True
        x = _components(values)
        good = np.ones(x.shape, bool)
        if x.dtype.kind == "f":
            good &= (nan | ~np.isnan(x)) & (inf | ~np.isinf(x))
            good &= subnormal | (x == 0) | ~(np.abs(x) < np.finfo(x.dtype).smallest_normal)
        if low is not None:
            good &= ~(x < low)
        if high is not None:
            good &= ~(x > high)
        return bool(good.all())

    return fitting(some, fit)


def _elements(
    name: str, low: float | None, high: float | None, *, nan: bool, inf: bool, subnormal: bool
) -> st.SearchStrategy[Any]:
    if name == "bool":
        return st.booleans()
    if name in INTEGER:
        info = np.iinfo(name)
        lowest = int(info.min) if low is None else max(int(info.min), math.ceil(low))
        highest = int(info.max) if high is None else min(int(info.max), math.floor(high))
        edges = [v for v in integer_edges(name) if lowest <= v <= highest]
        return st.one_of(
            st.integers(max(lowest, -4), max(lowest, min(highest, 4))),
            st.integers(lowest, highest),
            *([st.sampled_from(edges)] if edges else []),
        )
    if name in COMPLEX:
        part = elements(COMPONENT[name], low=low, high=high, nan=nan, inf=inf, subnormal=subnormal)
        return st.builds(complex, part, part)

    smallest = float(np.finfo(name).smallest_normal)

    def fits(value: float) -> bool:
        return (
            (nan if math.isnan(value) else inf or not math.isinf(value))
            and (low is None or not value < low)
            and (high is None or not value > high)
            and (subnormal or value == 0 or not abs(value) < smallest)
        )

    bounds = {
        "min_value": None if low is None else float(np.asarray(low, name)),
        "max_value": None if high is None else float(np.asarray(high, name)),
    }
    edges = [value for value in float_edges(name) if fits(value)]
    return st.one_of(
        *([st.sampled_from(edges)] if edges else []),
        st.floats(
            **bounds,
            allow_nan=nan,
            allow_infinity=inf,
            allow_subnormal=subnormal,
            width=8 * np.dtype(name).itemsize,
        ),
        # Ordinary sizes, which floats() seldom draws; exact in float32.
        st.integers(-(2**20), 2**20).map(lambda i: i * 2.0**-16).filter(fits),
    )


@functools.lru_cache(None)
def moderate(name: str, high: float = 20.0) -> st.SearchStrategy[Any]:
    """Finite values of ordinary size: no overflow in between, no special cases."""
    if name in COMPLEX:
        part = moderate(COMPONENT[name], high)
        return st.builds(complex, part, part)
    if name in FLOATING:
        return elements(name, low=-high, high=high, nan=False, inf=False).filter(
            lambda value: value == 0 or abs(value) >= 1e-3
        )
    return elements(name, low=-high, high=high)


def scalar_of(draw: Draw, dtype: str, values: st.SearchStrategy[Any]) -> Any:
    """A Python scalar that may stand beside an array of ``dtype``; ints for floats at times."""
    value = draw(values)
    if dtype in FLOATING and draw(st.integers(0, 3)) == 0:
        return draw(st.integers(-8, 8))
    return value


# ---------------------------------------------------------------------------------------------
# Shapes and axes

# Longer than the vectors of any CPU and no multiple of them, so that both the vectorised body of
# a loop and its scalar tail run.
LONG_SIDES = (17, 37, 67)
MAX_SIZE = 600


@st.composite
def shapes(
    draw: Draw, *, min_dims: int = 0, max_dims: int = 4, min_side: int = 0, long: bool = True
) -> tuple[int, ...]:
    """Shapes of up to ``max_dims`` axes: short ones, at times a long one, at times an empty one."""
    ndim = draw(st.integers(min_dims, max_dims))
    sides = [draw(st.integers(1, 4)) for _ in range(ndim)]
    if ndim and long and draw(st.integers(0, 3)) == 0:
        sides[draw(st.integers(0, ndim - 1))] = draw(st.sampled_from(LONG_SIDES))
    if ndim and min_side == 0 and draw(st.integers(0, 7)) == 0:
        sides[draw(st.integers(0, ndim - 1))] = 0
    while math.prod(sides) > MAX_SIZE:
        sides[sides.index(min(side for side in sides if side > 1))] = 1
    return tuple(max(side, min_side) for side in sides)


@st.composite
def broadcastable(
    draw: Draw, count: int, *, max_dims: int = 4, min_side: int = 0
) -> tuple[tuple[int, ...], ...]:
    """``count`` shapes that broadcast with one another."""
    full = draw(shapes(max_dims=max_dims, min_side=min_side))

    def part() -> tuple[int, ...]:
        if draw(st.booleans()):
            return full
        start = draw(st.integers(0, len(full)))
        return tuple(1 if draw(st.integers(0, 2)) == 0 else side for side in full[start:])

    return tuple(part() for _ in range(count))


def axis(draw: Draw, ndim: int, *, none: bool = False) -> int | None:
    """An axis, negative or not, at times None."""
    if none and (ndim == 0 or draw(st.integers(0, 3)) == 0):
        return None
    return int(draw(st.integers(-ndim, ndim - 1)))


def axes(draw: Draw, ndim: int) -> int | tuple[int, ...] | None:
    """An axis, a tuple of distinct axes (the empty one too), or None."""
    if draw(st.booleans()):
        return axis(draw, ndim, none=True)
    return unique_axes(draw, ndim)


def unique_axes(draw: Draw, ndim: int, *, min_size: int = 0) -> tuple[int, ...]:
    chosen = draw(st.permutations(range(ndim)))[: draw(st.integers(min_size, ndim))]
    return tuple(i - ndim if draw(st.booleans()) else i for i in chosen)


def normalized(axis: int | tuple[int, ...] | None, ndim: int) -> tuple[int, ...]:
    """The axes that an axis argument names, none of them negative."""
    if axis is None:
        return tuple(range(ndim))
    return tuple(i % ndim for i in (axis if isinstance(axis, tuple) else (axis,)))


# ---------------------------------------------------------------------------------------------
# Arrays


@dataclass(frozen=True)
class Operand:
    """An array to hand to a function, with its values and the memory that it is a view of."""

    array: Any
    value: np.ndarray
    layout: str
    storage: Any = field(repr=False)
    before: np.ndarray = field(repr=False)

    def check_unchanged(self) -> None:
        """Check that the memory is as it was."""
        after = to_numpy(self.storage)
        assert after.tobytes() == self.before.tobytes(), "the call changed its input"


def pooled(draw: Draw, name: str, shape: tuple[int, ...], values: st.SearchStrategy[Any]) -> Any:
    """A NumPy array whose elements come from a few drawn ones: shrinks well, repeats values."""
    pool = np.asarray(draw(st.lists(values, min_size=1, max_size=12)), dtype=name)
    if math.prod(shape) <= 1 or len(pool) == 1:
        return np.full(shape, pool[0])
    order = np.random.default_rng(draw(st.integers(0, 2**16)))
    return pool[order.integers(0, len(pool), size=shape)]


LAYOUTS = ("contiguous", "view", "expanded", "reversed")


@st.composite
def operands(
    draw: Draw,
    name: str,
    shape: tuple[int, ...],
    values: st.SearchStrategy[Any] | None = None,
    *,
    layouts: Sequence[str] = LAYOUTS,
) -> Operand:
    """An array of dtype ``name`` and ``shape``, in one of ``layouts``.

    contiguous
        The array owns all of its memory.
    view
        Axes permuted, each taken with an offset and a step from larger memory.
    expanded
        Some axes broadcast from size one (stride zero).
    reversed
        Some axes taken with a negative step.
    """
    values = elements(name) if values is None else values
    ndim = len(shape)
    layout = draw(st.sampled_from(layouts)) if shape else "contiguous"
    if layout == "expanded":
        kept = tuple(1 if side and draw(st.booleans()) else side for side in shape)
        storage = pooled(draw, name, kept, values)
        value = np.broadcast_to(storage, shape)
        base = xp.asarray(storage)
        array = xp.broadcast_to(base, shape)
    elif layout == "reversed":
        storage = pooled(draw, name, shape, values)
        key = tuple(slice(None, None, -1 if draw(st.booleans()) else 1) for _ in shape)
        base = xp.asarray(storage)
        value, array = storage[key], base[key]
    elif layout == "view":
        order = tuple(draw(st.permutations(range(ndim))))
        steps = [draw(st.integers(1, 3)) for _ in shape]
        starts = [draw(st.integers(0, 1)) for _ in shape]
        memory = tuple(
            starts[k] + max(0, (shape[i] - 1) * steps[k] + 1) for k, i in enumerate(order)
        )
        storage = pooled(draw, name, memory, values)
        key = tuple(slice(start, None, step) for start, step in zip(starts, steps, strict=True))
        back = tuple(np.argsort(order).tolist())
        value = storage[key].transpose(back)
        base = xp.asarray(storage)
        array = xp.permute_dims(base[key], back)
    else:
        storage = pooled(draw, name, shape, values)
        array = base = xp.asarray(storage)
        value = storage
    assert value.shape == shape
    value = np.array(value, order="C")
    value.flags.writeable = False
    return Operand(array, value, layout, base, storage.copy())


def nested(value: Any) -> Iterator[Operand]:
    """The operands inside of a tree of tuples, lists and dicts."""
    if isinstance(value, Operand):
        yield value
    elif isinstance(value, (tuple, list)):
        yield from itertools.chain.from_iterable(map(nested, value))
    elif isinstance(value, dict):
        yield from nested(list(value.values()))


def arrays_of(value: Any) -> Any:
    """The same tree with each operand replaced by its array."""
    if isinstance(value, Operand):
        return value.array
    if isinstance(value, (tuple, list)):
        return type(value)(map(arrays_of, value))
    if isinstance(value, dict):
        return {key: arrays_of(item) for key, item in value.items()}
    return value


# ---------------------------------------------------------------------------------------------
# Comparisons


def check_form(actual: Any, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Check class, dtype and shape; give the values."""
    assert isinstance(actual, xp.Array), f"got {type(actual)}"
    assert actual.dtype == getattr(xp, name), f"dtype {actual.dtype}, expected {name}"
    assert actual.shape == shape, f"shape {actual.shape}, expected {shape}"
    assert type(actual.shape) is tuple
    values = to_numpy(actual)
    assert values.dtype == np.dtype(name)
    assert values.shape == shape
    return values


def _components(values: np.ndarray) -> np.ndarray:
    """Complex values as pairs of real ones, all others as they are."""
    values = np.ascontiguousarray(values)
    if values.dtype.kind != "c":
        return values
    return np.stack((values.real, values.imag), -1)


def _report(
    wrong: np.ndarray, actual: np.ndarray, expected: np.ndarray, detail: np.ndarray | None = None
) -> str:
    first = np.argwhere(wrong)[:5]
    lines = [f"{int(wrong.sum())} of {wrong.size} elements differ"]
    for index in map(tuple, first):
        more = "" if detail is None else f" ({detail[index]!r})"
        lines.append(f"  {index}: got {actual[index]!r}, expected {expected[index]!r}{more}")
    return "\n".join(lines)


def same(actual: Any, expected: np.ndarray, *, signed_zeros: bool = True) -> None:
    """Check that all elements are equal: NaN as NaN, and each zero with its sign."""
    expected = np.asarray(expected)
    values = check_form(actual, expected.dtype.name, expected.shape)
    got, want = _components(values), _components(expected)
    with np.errstate(all="ignore"):
        good = got == want
        if want.dtype.kind == "f":
            if signed_zeros:
                good &= np.signbit(got) == np.signbit(want)
            good |= np.isnan(got) & np.isnan(want)
    assert good.all(), _report(~good, got, want)


def ulp(values: np.ndarray, name: str) -> np.ndarray:
    """Distance between neighbouring numbers of real dtype ``name`` at ``values``."""
    info = np.finfo(name)
    _, exponent = np.frexp(np.abs(values))
    exponent = np.clip(exponent - 1, info.minexp, info.maxexp)
    return np.ldexp(np.asarray(1, np.longdouble), exponent - info.nmant)


def _unbounded(values: np.ndarray, name: str) -> np.ndarray:
    """Values with all that overflows ``name`` put at the first number past its range."""
    limit = np.ldexp(np.asarray(1, np.longdouble), int(np.finfo(name).maxexp))
    return np.clip(values.astype(np.longdouble), -limit, limit)


def ulp_error(values: np.ndarray, exact: np.ndarray, name: str) -> np.ndarray:
    """Distance of each value from the exact one in ulps of the exact one.

    A complex number counts as a whole (its distance in ulps of its magnitude): relative accuracy
    of each component is no property of any common complex algorithm. An infinity counts as the
    first number past the range; NaN and NaN have distance zero.
    """
    component = COMPONENT[name]
    with np.errstate(all="ignore"):
        if name not in COMPLEX:
            got, want = _unbounded(values, component), _unbounded(exact, component)
            error = np.abs(got - want) / ulp(want, component)
            nans = np.isnan(got) | np.isnan(want)
            return np.where(nans, np.where(np.isnan(got) & np.isnan(want), 0, np.inf), error)
        got = values.astype(np.clongdouble)
        want = exact.astype(np.clongdouble)
        limit = float(np.finfo(component).max)
        finite = (np.abs(want.real) <= limit) & (np.abs(want.imag) <= limit)
        error = np.abs(got - want) / ulp(np.abs(want), component)
        parts = [
            ulp_error(getattr(values, part), getattr(exact, part), component)
            for part in ("real", "imag")
        ]
        error = np.where(finite, error, np.maximum(*parts))
        return np.where(np.isnan(error), np.inf, error)


def within_ulps(actual: Any, exact: np.ndarray, name: str, ulps: float | np.ndarray) -> None:
    """Check values against a reference in wider precision; the result has dtype ``name``."""
    values = check_form(actual, name, exact.shape)
    error = ulp_error(values, exact, name)
    wrong = error > np.asarray(ulps) + REFERENCE_SLACK
    assert not wrong.any(), _report(wrong, values, exact, error)


def within_bound(
    actual: Any, exact: np.ndarray, dtype: str, name: str, far: np.ndarray | None = None
) -> None:
    """Check values by the bound of a function on the device that has computed them.

    ``far`` has where NPUs are held to none.
    """
    ulps = real_ulps(name, dtype, actual.device)
    if far is not None and kind_of(actual.device) == "npu":
        within_ulps(actual, exact, dtype, np.where(far, np.inf, ulps))
    else:
        within_ulps(actual, exact, dtype, ulps)


def within(actual: Any, exact: np.ndarray, name: str, tolerance: float | np.ndarray) -> None:
    """Check values against a reference with an absolute tolerance, element by element."""
    values = check_form(actual, name, exact.shape)
    wide = np.clongdouble if name in COMPLEX else np.longdouble
    with np.errstate(all="ignore"):
        error = np.abs(values.astype(wide) - exact.astype(wide))
        good = error <= tolerance
        rounded = exact.astype(name)
        good |= values == rounded  # infinities
        good |= np.isnan(values) & np.isnan(rounded)
    assert good.all(), _report(~good, values, exact, error)


def wide(value: np.ndarray, name: str | None = None) -> np.ndarray:
    """The values in the precision in which references are computed."""
    return value.astype(WIDER[name or value.dtype.name])


def eps(name: str) -> float:
    return float(np.finfo(name).eps)


def exactly(expected: Any, **options: Any) -> Callable[[Any], None]:
    return lambda actual: same(actual, expected, **options)


# Bounds in ulps for functions that approximate. Real: libm, SLEEF and MKL promise 1.0 ulp, and
# up to 3 for hyperbolic functions and their inverses (what glibc documents); 2 leaves room for
# one more rounding where a function is composed. Complex, in ulps of the magnitude: a handful of
# real operations, each of 1 ulp.
COMPLEX_ULPS = 8.0


def ulps_by_name(bounds: dict[int, str]) -> dict[str, int]:
    """Return the bound of each function, of the functions of each bound."""
    return {name: ulps for ulps, names in bounds.items() for name in names.split()}


NPU_ULPS = ulps_by_name(
    {
        1: "exp log",
        2: "acos log10 log2",
        3: "asin exp2 expm1 hypot log1p logaddexp tanh",
        4: "acosh asinh atan atan2 atanh cosh sinh",
        6: "erf pow sin",
        7: "cos erfc",
        8: "erfinv tan",
    }
)
"""The same on NPUs as Atlas A2 computes, for float32: docs/accuracy.md has how.

One more where the emulated kernels are the processor's (the mode ``ideal``), which are off by as
much.
"""

CUDA_ULPS = ulps_by_name({3: "atan2 hypot", 4: "acosh pow tan"})
"""What NVIDIA promises for float32, where it is more: CUDA C++ Programming Guide, 'Mathematical
Functions'."""

PERIODIC = ("cos", "sin", "tan")
NPU_FARTHEST = 1e7
"""How far sines, cosines and tangents of float32 are right on NPUs."""


def kind_of(device: Any) -> str:
    """Return the type of the device that computes: of a mesh, of each of its devices."""
    return device if isinstance(device, str) else device.local.type


def real_ulps(name: str, dtype: str = "float64", device: Any = "cpu") -> float:
    """The greatest error of a function of real numbers, in ulps of the exact result."""
    if dtype == "float32" and name in NPU_ULPS and kind_of(device) == "npu":
        running = cann_emulator.installed()
        return NPU_ULPS[name] + float(running is not None and running.mode == "ideal")
    if dtype == "float32" and name in CUDA_ULPS and kind_of(device) == "cuda":
        return CUDA_ULPS[name]
    if name in ("reciprocal", "sqrt"):
        return 0.5  # correctly rounded
    return 3.0 if name in ("acosh", "asinh", "atanh", "cosh", "sinh", "tanh") else 2.0
