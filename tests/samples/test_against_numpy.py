"""Every function of the namespace against NumPy, on drawn dtypes, shapes, strides and values.

Each function of ``workshop/samples`` has the dtypes that the standard (of 2023.12, or a later
version that knows more of them) gives it to and a *case*, which draws the arguments and says what
the result has to be. What is compared, and how:

- Integers, booleans, data movement and IEEE operations that round once: exactly, with the sign
  of each zero. Integer arithmetic wraps around as NumPy's does.
- Elementwise functions that approximate: in ulps of a reference in wider precision.
- Sums of products (reductions, matmul, FFT, linear algebra): within the textbook bound for any
  order of evaluation, which each case states.

dtype and shape are always compared; no call may change its inputs. Left out is what the standard
leaves undefined: integer division by zero, shifts by the width or more, casts of floats that the
integer dtype cannot hold, the order of NaNs in sorting, infinities and NaN in complex arithmetic
(tests/samples/test_special_cases.py covers what the standard does say about those).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from parametrize import one_of_each

import ascend_array_api as xp
from workshop.samples._cases import index_dtype, movable
from workshop.samples.comparison import MOVED, compare, compared
from workshop.samples.strategies import (
    ALL,
    BOOL,
    COMPLEX,
    COMPLEX_OF,
    COMPONENT,
    DTYPES,
    FLOATING,
    INTEGER,
    NUMERIC,
    PROMOTION,
    REAL_FLOATING,
    SIGNED,
    UNSIGNED,
    Draw,
    Operand,
    arrays_of,
    elements,
    examples,
    nested,
    operands,
    pooled,
    same,
    shapes,
)

COMPARED = compared()


def comparison(
    name: str,
    dtypes: Iterable[str],
    count: int = 5,
    watched: Callable[[str], Any] = nullcontext,
) -> Any:
    """The test of one function, on some examples of each data type, called in a context.

    Each has a test of its own, because Hypothesis keeps something of every parameter that a test
    was run with, and does not bear a thousand of them.
    """

    @pytest.mark.parametrize("dtype", dtypes)
    @examples(count)
    @given(data=st.data())
    def test(dtype: str, data: st.DataObject) -> None:
        compare(name, dtype, data.draw, watched)

    return test


def kind(dtype: str) -> str:
    """Return what one data type of is drawn."""
    return dtype if dtype == "float32" else np.dtype(dtype).kind


for _name, _dtypes in COMPARED.items():
    _dtypes = one_of_each(_dtypes, kind, _name)
    globals()[f"test_{_name.replace('.', '_')}"] = comparison(_name, _dtypes)


# ---------------------------------------------------------------------------------------------
# Indexing


@st.composite
def keys(draw: Draw, shape: tuple[int, ...]) -> Any:
    """Keys of integers, slices, None, ... and integer and boolean arrays, that index every axis."""
    key: list[Any] = []
    axis, ellipsis, added = 0, False, 0
    while axis < len(shape) or (added < 3 and draw(st.integers(0, 9)) == 9):
        side = shape[axis] if axis < len(shape) else None
        kinds = ["none"] * (added < 3) + ["ellipsis"] * (not ellipsis)
        if side is not None:
            kinds += ["slice", "slice", "mask"] + (["integer", "array", "array"] if side else [])
        kind = draw(st.sampled_from(kinds))
        ndim = 0
        if kind == "none":
            key.append(None)
            added += 1
        elif kind == "ellipsis":
            key.append(...)
            ellipsis, ndim = True, draw(st.integers(0, len(shape) - axis))
        elif kind == "slice":
            key.append(draw(st.slices(side)))
            ndim = 1
        elif kind == "mask":
            # One of no axes adds an axis, as None does: on NPUs there may be eight on the way.
            ndim = draw(st.integers(int(added == 3), min(2, len(shape) - axis)))
            added += not ndim
            key.append(draw(operands("bool", shape[axis : axis + ndim])))
        else:
            ndim, position = 1, st.integers(-side, side - 1)
            index_shape = draw(st.sampled_from([(), (1,), (2,), (2, 1), (3, 2), (0,)]))
            key.append(
                draw(position)
                if kind == "integer"
                else draw(operands(index_dtype(draw), index_shape, position))
            )
        axis += ndim
    return key[0] if len(key) == 1 and draw(st.booleans()) else tuple(key)


def chosen_for(key: Any) -> AbstractContextManager[Any]:
    """Return relaxed mode for a mask beside other items, which the standard leaves undefined."""
    items = [item for item in key if item is not ...] if isinstance(key, tuple) else [key]
    masks = any(isinstance(item, Operand) and item.value.dtype == bool for item in items)
    return xp.options(relaxed=True) if masks and len(items) > 1 else nullcontext()


def numpy_key(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(map(numpy_key, key))
    return key.value if isinstance(key, Operand) else key


@pytest.mark.npu
@pytest.mark.parametrize("dtype", one_of_each(MOVED, kind, "getitem"))
@examples(25)
@given(data=st.data())
def test_getitem(dtype: str, data: st.DataObject) -> None:
    x = movable(data.draw, dtype)
    key = data.draw(keys(x.value.shape), label="key")
    try:
        expected = np.asarray(x.value[numpy_key(key)])
    except IndexError:  # arrays that do not broadcast
        with chosen_for(key), pytest.raises(IndexError):
            x.array[arrays_of(key)]
        return
    with chosen_for(key):
        got = x.array[arrays_of(key)]
    same(got, expected)
    for operand in nested((x, key)):
        operand.check_unchanged()


@pytest.mark.npu
@pytest.mark.parametrize("dtype", one_of_each(MOVED, kind, "setitem"))
@examples(25)
@given(data=st.data())
def test_setitem(dtype: str, data: st.DataObject) -> None:
    # The array is a view: what lies between its elements must stay.
    shape = data.draw(shapes(max_dims=3), label="shape")
    steps = [data.draw(st.integers(1, 2)) for _ in shape]
    every = (..., *(slice(None, None, step) for step in steps))
    memory = tuple(side * step for side, step in zip(shape, steps, strict=True))
    expected = pooled(data.draw, dtype, memory, elements(dtype))
    storage = xp.asarray(expected.copy())
    key = data.draw(keys(shape), label="key")
    positions = np.arange(expected.size).reshape(memory)[every]
    try:
        chosen = positions[numpy_key(key)]
    except IndexError:
        with chosen_for(key), pytest.raises(IndexError):
            storage[every][arrays_of(key)] = data.draw(elements(dtype))
        return
    value: Any = data.draw(elements(dtype), label="value")
    raw = np.asarray(value, dtype)
    # The standard leaves open which value an element gets that is named twice.
    if len(np.unique(chosen)) == np.size(chosen) and data.draw(st.booleans()):
        kept = np.shape(chosen)[data.draw(st.integers(0, np.ndim(chosen))) :]
        sides = tuple(1 if data.draw(st.booleans()) else side for side in kept)
        value = data.draw(operands(dtype, sides))
        raw = value.value
    with chosen_for(key):
        storage[every][arrays_of(key)] = arrays_of(value)
    expected[every][numpy_key(key)] = raw
    same(storage, expected)
    for operand in nested((key, value)):
        operand.check_unchanged()


# ---------------------------------------------------------------------------------------------
# Functions of dtypes and shapes


@pytest.mark.parametrize("source", ALL)
@pytest.mark.parametrize("target", ALL)
def test_can_cast(source: str, target: str) -> None:
    expected = PROMOTION.get((source, target)) == target
    assert xp.can_cast(DTYPES[source], DTYPES[target]) is expected
    assert xp.can_cast(xp.zeros((2,), dtype=DTYPES[source]), DTYPES[target]) is expected


@examples(300)
@given(data=st.data())
def test_result_type(data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(ALL), min_size=1, max_size=4))
    scalar, takes = data.draw(
        st.sampled_from(((None, ALL), (True, BOOL), (1, NUMERIC), (1.5, FLOATING), (1j, FLOATING)))
    )
    expected: str | None = names[0]
    for name in names[1:]:
        expected = PROMOTION.get((expected, name)) if expected else None
    if scalar == 1j:
        expected = COMPLEX_OF.get(expected or "")
    elif expected not in takes:
        expected = None
    args: list[Any] = [
        DTYPES[name]
        if data.draw(st.booleans())
        else xp.ones(data.draw(shapes()), dtype=DTYPES[name])
        for name in names
    ]
    if scalar is not None:
        args.insert(data.draw(st.integers(0, len(args))), scalar)
    if expected is None:
        with pytest.raises(TypeError):
            xp.result_type(*args)
    else:
        assert xp.result_type(*args) == DTYPES[expected]


def test_result_type_of_scalars_is_the_error_that_numpy_raises_for_nothing() -> None:
    with pytest.raises(ValueError, match="at least one array"):
        np.result_type()
    for scalars in ((), (1, 2.0, True)):
        with pytest.raises(ValueError, match="at least one Array or data type"):
            xp.result_type(*scalars)


KIND_NAMES = {
    "bool": BOOL,
    "signed integer": SIGNED,
    "unsigned integer": UNSIGNED,
    "integral": INTEGER,
    "real floating": REAL_FLOATING,
    "complex floating": COMPLEX,
    "numeric": NUMERIC,
}


@pytest.mark.parametrize("dtype", ALL)
def test_isdtype(dtype: str) -> None:
    for kind, members in KIND_NAMES.items():
        assert xp.isdtype(DTYPES[dtype], kind) is (dtype in members)
    for other in ALL:
        assert xp.isdtype(DTYPES[dtype], DTYPES[other]) is (dtype == other)
        for kind, members in KIND_NAMES.items():
            either = dtype == other or dtype in members
            assert xp.isdtype(DTYPES[dtype], (kind, DTYPES[other])) is either
    assert xp.isdtype(DTYPES[dtype], ()) is False


@pytest.mark.parametrize("dtype", FLOATING)
def test_finfo(dtype: str) -> None:
    expected = np.finfo(COMPONENT[dtype])
    for argument in (DTYPES[dtype], xp.ones((2,), dtype=DTYPES[dtype])):
        info = xp.finfo(argument)
        assert info.dtype == DTYPES[COMPONENT[dtype]]
        assert type(info.bits) is int
        assert info.bits == expected.bits
        for name in ("eps", "max", "min", "smallest_normal"):
            assert type(getattr(info, name)) is float
            assert getattr(info, name) == float(getattr(expected, name))


@pytest.mark.parametrize("dtype", INTEGER)
def test_iinfo(dtype: str) -> None:
    expected = np.iinfo(dtype)
    for argument in (DTYPES[dtype], xp.ones((2,), dtype=DTYPES[dtype])):
        info = xp.iinfo(argument)
        assert info.dtype == DTYPES[dtype]
        for name in ("bits", "max", "min"):
            assert type(getattr(info, name)) is int
            assert getattr(info, name) == int(getattr(expected, name))


@pytest.mark.parametrize(
    ("function", "wrong"), [("finfo", BOOL + INTEGER), ("iinfo", BOOL + FLOATING)]
)
def test_info_of_other_kinds(function: str, wrong: tuple[str, ...]) -> None:
    for dtype in wrong:
        with pytest.raises((TypeError, ValueError)):
            getattr(xp, function)(DTYPES[dtype])


@examples(200)
@given(data=st.data())
def test_broadcast_shapes(data: st.DataObject) -> None:
    drawn = data.draw(
        st.lists(st.tuples(*[st.integers(0, 3)] * 2) | shapes(long=False), max_size=4)
    )
    try:
        expected = np.broadcast_shapes(*drawn)
    except ValueError:
        with pytest.raises(ValueError, match="broadcast"):
            xp.broadcast_shapes(*drawn)
        return
    result = xp.broadcast_shapes(*drawn)
    assert type(result) is tuple
    assert result == expected


def test_constants() -> None:
    assert xp.newaxis is None
    for name in ("e", "inf", "pi"):
        assert type(getattr(xp, name)) is float
        assert getattr(xp, name) == getattr(math, name)
    assert type(xp.nan) is float
    assert math.isnan(xp.nan)
