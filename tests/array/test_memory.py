"""Writing where operands overlap, whoever owns the memory: as NumPy does on copies of them.

NumPy's own answers are no oracle without the copies: ``a[::2] = a[:6]`` reads what it has written,
and so do assignments by masks.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

import ascend_array_api as xp
from workshop.samples.strategies import to_numpy

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE: Final = 12
SHIFTED: Final = [
    (slice(1, None), slice(None, -1)),
    (slice(None, -1), slice(1, None)),
    (slice(None, 6), slice(None, None, 2)),
    (slice(None, None, 2), slice(None, 6)),
    (slice(None), slice(None)),
    (slice(0, 1), slice(0, 1)),
    (slice(None), slice(None, None, -1)),
    (slice(3, 9), slice(5, 6)),  # broadcast, and itself written to
]
INPLACE: Final = {
    **dict.fromkeys(("iadd", "isub", "imul", "itruediv"), ("float64", "complex64")),
    **dict.fromkeys(("iadd", "isub", "imul", "ifloordiv", "imod", "ipow"), ("int64", "uint8")),
    **dict.fromkeys(("iand", "ior", "ixor"), ("int32", "bool")),
    **dict.fromkeys(("ilshift", "irshift"), ("int16",)),
}


def shared(buffer: np.ndarray[Any, Any], way: str) -> xp.Array:
    """Return an array in the memory of NumPy's, each a storage of its own to torch.

    On another device than the CPU it is an array in memory of its own.
    """
    if way == "NumPy":
        return xp.asarray(buffer)
    if way == "DLPack":
        return xp.from_dlpack(buffer, copy=False)
    made: Any = xp.asarray(memoryview(buffer))
    return made


@pytest.fixture(
    params=[
        *(pytest.param(way, marks=pytest.mark.cpu) for way in ("NumPy", "DLPack", "a buffer")),
        "itself",
    ]
)
def alias(request: pytest.FixtureRequest) -> Callable[[xp.Array, np.ndarray[Any, Any]], xp.Array]:
    """Return another array of the same memory, once more imported or the same one."""
    way: str = request.param
    return lambda x, buffer: x if way == "itself" else shared(buffer, way)


def numbers(dtype: str) -> np.ndarray[Any, Any]:
    if dtype == "bool":
        return np.arange(SIZE) % 3 == 0
    return (np.arange(SIZE) % 7 + 1).astype(dtype)


@pytest.mark.parametrize(("to", "of"), SHIFTED, ids=str)
@pytest.mark.parametrize("name", INPLACE)
def test_in_place_operators(name: str, to: slice, of: slice, alias: Any) -> None:
    for dtype in INPLACE[name]:
        ours, theirs = numbers(dtype), numbers(dtype)
        x = shared(ours, "NumPy")
        y = alias(x, ours)
        other = y if of == slice(None, None, -1) else y[of]
        if of == slice(None, None, -1):  # a copy with us, so a view of NumPy's has to be one here
            other = xp.asarray(to_numpy(y)[::-1].copy())
        with np.errstate(all="ignore"):
            part = x[to]
            getattr(operator, name)(part, other)
            getattr(operator, name)(theirs[to], theirs[of].copy())
        np.testing.assert_array_equal(to_numpy(x), theirs)


@pytest.mark.parametrize(("to", "of"), SHIFTED, ids=str)
def test_assignment(to: slice, of: slice, alias: Any) -> None:
    for dtype in ("float32", "int64", "bool", "complex128"):
        ours, theirs = numbers(dtype), numbers(dtype)
        x = shared(ours, "NumPy")
        x[to] = alias(x, ours)[of]
        theirs[to] = theirs[of].copy()
        np.testing.assert_array_equal(to_numpy(x), theirs)
    square, other = np.arange(16.0).reshape(4, 4), np.arange(16.0).reshape(4, 4)
    x = shared(square, "NumPy")
    x[...] = alias(x, square).T
    other[...] = other.T.copy()
    np.testing.assert_array_equal(to_numpy(x), other)
    x[1:, 1:] = alias(x, square)[:-1, :-1]
    other[1:, 1:] = other[:-1, :-1].copy()
    np.testing.assert_array_equal(to_numpy(x), other)
    x[1:, :] = alias(x, square)[0, :]
    other[1:, :] = other[0, :].copy()
    np.testing.assert_array_equal(to_numpy(x), other)


def permuted() -> np.ndarray[Any, Any]:
    return np.asarray([3, 0, 4, 1, 2])


KEYED: Final = """
x[y] = y
x[y] = 7
x[y[:2]] = y[1:3]
x[x] = y[::-1]
x[y > 1] = y[:3]
x[y > 1] = y[0, ...]
x[1:] += y[:-1]
xp.reshape(x[:4], (2, 2))[y[1:2], y[3:4]] = xp.reshape(y[4:], (1,))
"""


@pytest.mark.parametrize("code", KEYED.strip().splitlines())
def test_keys_and_values_of_the_target(code: str, alias: Any) -> None:
    ours, theirs = permuted(), permuted()
    x = shared(ours, "NumPy")
    exec(code, {"x": x, "y": alias(x, ours), "xp": xp})
    exec(code, {"x": theirs, "y": theirs.copy(), "xp": np})
    np.testing.assert_array_equal(to_numpy(x), theirs)


@pytest.mark.cpu
@pytest.mark.parametrize("dtype", ["int64", "float64", "complex64"])
def test_keys_of_another_data_type_in_the_same_memory(dtype: str) -> None:
    ours, theirs = permuted(), permuted()
    for buffer, array in ((ours, xp.asarray), (theirs, np.asarray)):
        target = array(buffer.view(dtype))
        key = array(buffer if buffer is ours else buffer.copy())
        target[key] = array(np.asarray([1, 2, 3, 4, 5]).view(dtype))
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.cpu
@pytest.mark.parametrize("value", [0, 200, "array", "scalar array"])
def test_masks_of_another_data_type_in_the_same_memory(value: Any) -> None:
    ours, theirs = (np.asarray([1, 0, 1, 1, 0, 1], np.uint8) for _ in range(2))
    for buffer, array in ((ours, xp.asarray), (theirs, np.asarray)):
        target, mask = array(buffer)[1:], array(buffer.view("bool"))[:-1]
        if buffer is theirs:
            mask = mask.copy()
        written = {"array": [9, 8, 7], "scalar array": 9}.get(value)
        target[mask] = value if written is None else array(np.asarray(written, np.uint8))
    np.testing.assert_array_equal(ours, theirs)


OUT: Final = """
    xp.add(x[1:],y[1:],out=y[:-1]) xp.multiply(x[:-1],y[1:],out=x[1:]) xp.negative(x[::2],out=y[:6])
    xp.cumsum(x[1:],out=y[:-1]) xp.sum(xp.reshape(x,(3,4)),axis=0,out=y[4:8])
    xp.take(x,xp.asarray([3,1,2]),out=y[1:4]) xp.add(x[1:],1.0,out=y[:-1],where=y[1:]>2.0)
    xp.clip(x[:-1],2.0,5.0,out=y[1:]) xp.copyto(x[1:],y[:-1]) xp.put(x,xp.asarray([1,2,3]),y[:3])
    xp.place(x,y>2.0,y[:4]) xp.putmask(x,y>2.0,y+0.0) x[1:].sort()
    xp.fill_diagonal(xp.reshape(x[:9],(3,3)),y[:3])
"""


@pytest.mark.parametrize("code", OUT.split())
def test_relaxed_functions_that_write(code: str, alias: Any) -> None:
    ours, theirs = numbers("float64"), numbers("float64")
    with xp.options(relaxed=True):
        x = shared(ours, "NumPy")
        eval(code, {"xp": xp, "x": x, "y": alias(x, ours)})
    eval(code, {"xp": np, "x": theirs, "y": theirs if "out=" in code else theirs.copy()})
    np.testing.assert_array_equal(to_numpy(x), theirs)


def test_what_lies_apart_in_one_storage_is_not_copied() -> None:
    x = xp.arange(4.0)
    assert not xp._arrays.memory.overlap(x[:2]._tensor, x[2:]._tensor)
    assert not xp._arrays.memory.overlap(x._tensor, x._tensor)
    assert xp._arrays.memory.overlap(x[:3]._tensor, x[2:]._tensor)
    m = xp.reshape(x, (2, 2))
    assert xp._arrays.memory.overlap(m._tensor, m.T._tensor)


@pytest.mark.parametrize("n", [0, 1, 2, 3])
@pytest.mark.parametrize("step", [-1, -2, -5])
def test_a_negative_step_copies_whatever_the_size(n: int, step: int) -> None:
    for key in (slice(None, None, step), slice(n, None, step), slice(-1, -2, step)):
        for shape, full in (((n,), (key,)), ((2, n), (..., key)), ((n, 2), (key, slice(None)))):
            x = xp.ones(shape)
            y = x[full] if len(full) > 1 else x[key]
            y += 1.0
            assert bool(xp.all(x == 1.0))
            expected = np.ones(shape)
            x[full], expected[full] = 3.0, 3.0
            np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), expected)


def test_an_array_without_elements_is_written_to_itself() -> None:
    for shape in ((0,), (0, 2), (2, 0)):
        x = xp.zeros(shape)
        none = xp.zeros(0, dtype=xp.int64)
        x[none, ...] = x[none, ...]
        x[none, ...] = x[:0, ...]
        x[...] = x
        x += x
        assert x.shape == shape
    x = xp.zeros(0)
    x[xp.zeros(0, dtype=xp.int64)] = x


def test_a_row_of_a_broadcast_array_is_written_to_and_several_are_not() -> None:
    x = xp.zeros(3)
    rows = xp.broadcast_to(x, (2, 3))
    row = rows[:1, ...]  # a stride of 0, along an axis of one element
    row[0, 1] = 5.0
    row += 1
    assert [float(x[i]) for i in range(3)] == [1.0, 6.0, 1.0]
    with pytest.raises(ValueError, match="was broadcast"):
        rows += 1
