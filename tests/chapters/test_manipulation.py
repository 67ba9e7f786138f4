"""The manipulation functions: what shares memory, what is refused, and the edges.

The values of the results are compared with NumPy's in tests/samples/test_against_numpy.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from refusals import refused

import ascend_array_api as xp

ALL = [
    getattr(xp, name)
    for name in (
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
    )
]
dtypes = pytest.mark.parametrize("dtype", ALL, ids=lambda d: str(d).removeprefix("torch."))


def values(x: xp.Array) -> list:
    return xp.to_torch(x).tolist()


def grid(dtype=xp.float32, shape=(2, 3)) -> xp.Array:
    size = int(np.prod(shape))
    return xp.reshape(xp.astype(xp.arange(size), dtype), shape)


def shares_memory(x: xp.Array, y: xp.Array) -> bool:
    return (
        xp.to_torch(x).untyped_storage().data_ptr() == xp.to_torch(y).untyped_storage().data_ptr()
    )


# --- views and copies -----------------------------------------------------------------------------

VIEWS = """
    xp.broadcast_to(x,(4,2,3)) xp.broadcast_arrays(x,xp.zeros((4,1,1)))[0] xp.moveaxis(x,0,1)
    xp.expand_dims(x,axis=(0,2)) xp.expand_dims(x,axis=()) xp.permute_dims(x,(1,0))
    xp.reshape(x,(3,2)) xp.reshape(x,(3,2),copy=False) xp.reshape(x,(2,3)) xp.squeeze(x,())
    xp.unstack(x,axis=1)[0]
"""
COPIES = """
    xp.concat([x]) xp.concat([x],axis=None) xp.flip(x) xp.flip(x,axis=()) xp.repeat(x,1,axis=0)
    xp.repeat(x,1) xp.repeat(x,xp.asarray([1]),axis=0) xp.reshape(x,(2,3),copy=True)
    xp.reshape(x.T,(6,)) xp.roll(x,0) xp.roll(x,0,axis=0) xp.roll(x,1,axis=()) xp.roll(x,6)
    xp.stack([x]) xp.tile(x,(1,)) xp.tile(x,())
"""


@dtypes
@pytest.mark.parametrize("code", VIEWS.split())
def test_views_share_memory(code, dtype):
    x = grid(dtype)
    view = eval(code)
    assert view.dtype is x.dtype
    assert shares_memory(x, view)
    x[0, 0] = True if dtype is xp.bool else 7
    assert values(view[(0,) * view.ndim]) == values(x[0, 0])


@dtypes
@pytest.mark.parametrize("code", COPIES.split())
def test_copies_do_not_share_memory(code, dtype):
    x = grid(dtype)
    copy = eval(code)
    assert copy.dtype is x.dtype
    assert not shares_memory(x, copy)
    before = values(copy)
    x[...] = xp.ones_like(x) if dtype is not xp.bool else xp.zeros_like(x)
    assert values(copy) == before


@dtypes
def test_reshape_of_a_transpose_copies_only_if_allowed(dtype):
    x = grid(dtype).T
    with pytest.raises(ValueError, match=r"reshape: .* without a copy. Pass copy=None"):
        xp.reshape(x, (6,), copy=False)
    assert values(xp.reshape(x, (6,))) == [v for row in values(x) for v in row]
    # An axis of size 1 more never needs a copy.
    assert shares_memory(x, xp.reshape(x, (3, 1, 2), copy=False))


# --- what is refused ------------------------------------------------------------------------------

JOINED = r"""
[ValueError]
expected at least one Array | xp.NAME([])
[TypeError]
expected Array, got | xp.NAME([x, 1]); xp.NAME([x, [1, 2]]); xp.NAME([x, np.asarray([1, 2])])
expected Array, got | xp.NAME([x, torch.ones(2)]); xp.NAME([x, None])
data types int8 and | xp.NAME([i8, x]); xp.NAME([i8, b]); xp.NAME([i8, xp.ones(2, dtype=xp.uint64)])
"""
REFUSED = r"""
[ValueError]
has 6 elements and cannot have shape \(4,\) | xp.reshape(m, (4,)); xp.reshape(m, (4,), copy=True)
has 6 elements and cannot have shape \(4, -1\) | xp.reshape(m, (4, -1), copy=False)
has 6 elements and cannot have shape \(0, -1\)\. | xp.reshape(m, (0, -1)); xp.reshape(m.T, (0, -1))
-1 could be any size | xp.reshape(xp.zeros(0), (0, -1)); xp.reshape(xp.zeros(0), (0, -1), copy=True)
except for one that may be -1 | xp.reshape(m, (-1, -1)); xp.reshape(m, (-1, -1), copy=True)
must not be negative | xp.reshape(m, (-2, -3)); xp.reshape(m, (-2, -3), copy=False)
has 1 elements | xp.reshape(one, (0,)); xp.reshape(one, (0,), copy=True)
shape mismatch: shapes .* could not | xp.broadcast_shapes((2,), (3,))
shape mismatch: shapes .* could not | xp.broadcast_shapes((0,), (2,))
shape mismatch: shapes .* could not | xp.broadcast_shapes((2, 1), (3, 1))
shape mismatch: shapes .* could not | xp.broadcast_shapes((1,), (2,), (3,))
shape mismatch: shapes .* could not | xp.broadcast_arrays(x, v); xp.broadcast_arrays(x, xp.zeros(0))
negative | xp.broadcast_shapes((-1,)); xp.broadcast_to(x, (-1,))
could not be broadcast to shape | xp.broadcast_to(x, (3,)); xp.broadcast_to(x, (1,))
could not be broadcast to shape | xp.broadcast_to(xp.zeros((1, 2)), (2,)); xp.broadcast_to(x, ())
could not be broadcast to shape | xp.broadcast_to(xp.zeros(0), (2,))
twice | xp.moveaxis(t, (0, -3), (1, 2)); xp.moveaxis(t, (0, 1), (2, -1))
twice | xp.permute_dims(t, (0, 1, -3))
got 2 axes in source and 1 in destination | xp.moveaxis(m, (0, 1), 0)
axes .* each must stand there once | xp.permute_dims(m, (0,)); xp.permute_dims(m, ())
axis must be a tuple of as many | xp.roll(m, (1,), axis=None); xp.roll(m, (1, 2), axis=0)
axis must be a tuple of as many | xp.roll(m, (1,), axis=(0, 1)); xp.roll(m, (), axis=0)
axis must be a tuple of as many | xp.roll(m, (1, 2), axis=(0,))
axis 1 .* has size 0 | xp.squeeze(xp.zeros((1, 0)), (0, 1))
axis 1 .* has size 2 | xp.squeeze(xp.zeros((1, 2)), (0, 1))
arrays of shapes .* do not fit | xp.concat([m, s]); xp.concat([m, v]); xp.concat([xp.zeros(0), m])
arrays of shapes .* do not fit | xp.concat([m, xp.zeros((2, 3, 1))])
the arrays must be of one shape, got \(2,\) and | xp.stack([x, xp.zeros((1, 2))])
could not be broadcast to the 2 elements | xp.repeat(x, xp.asarray(1)); xp.repeat(x, n[:0])
could not be broadcast to the 2 elements | xp.repeat(x, n[:, None])
could not be broadcast to the 2 elements | xp.repeat(x, xp.asarray([1, 1, 1]))
repeats must not be negative | xp.repeat(x, -1); xp.repeat(x, -n); xp.repeat(x, -i8[:1])
nor greater than int64 holds | xp.repeat(x, xp.asarray([2**64 - 1], dtype=xp.uint64))
repetitions must not have negative elements | xp.tile(x, (-1,))
[IndexError ValueError]
axis 0 is out of bounds | xp.moveaxis(one, 0, 0); xp.concat([one, one])
axis -1 is out of bounds | xp.moveaxis(one, -1, 0)
axis 2 is out of bounds | xp.moveaxis(m, 2, 0)
axis -3 is out of bounds | xp.moveaxis(m, -3, 0)
[TypeError]
copy must be True or False, got the Python int | xp.reshape(x, (2,), copy=1)
must be an integer, got None | xp.broadcast_shapes((None,))
must be a tuple of integers | xp.broadcast_shapes(3)
must be an integer | xp.moveaxis(m, 0.0, 0); xp.moveaxis(m, True, 0); xp.moveaxis(m, "0", 0)
must be an integer | xp.moveaxis(m, {0}, 0); xp.moveaxis(m, None, 0)
shift must be an integer | xp.roll(x, 1.0, axis=0); xp.roll(x, True, axis=0)
shift must be an integer | xp.roll(x, [1], axis=0)
shift must be an integer | xp.roll(x, None, axis=0); xp.roll(x, (1.0,), axis=(0,))
repeats must be an integer | xp.repeat(x, 1.0); xp.repeat(x, True); xp.repeat(x, "2")
repeats must be an integer | xp.repeat(x, [1, 2]); xp.repeat(x, None)
data type .* is not allowed | xp.repeat(x, x); xp.repeat(x, b)
"""
test_what_is_refused = refused(
    REFUSED + "".join(JOINED.replace("NAME", n) for n in ("concat", "stack"))
)


# --- shapes ---------------------------------------------------------------------------------------


def test_reshape_of_nothing_and_without_a_copy():
    for shape, new, expected in (
        *(((), (-1,), (1,)), ((1, 1), (), ()), ((0, 3), (3, 0), (3, 0)), ((0, 3), (-1, 3), (0, 3))),
        *(((0,), (5, -1), (5, 0)), ((2, 3), (3, -1, 1), (3, 2, 1))),
    ):
        for copy in (None, True, False):
            assert xp.reshape(xp.zeros(shape), new, copy=copy).shape == expected
    assert xp.to_torch(xp.reshape(grid().T, (3, 2), copy=True)).stride() == (2, 1)


def test_shapes_are_tuples_of_integers():
    x = xp.zeros((1,))
    for function in (xp.reshape, xp.broadcast_to, xp.tile, xp.permute_dims):
        name = function.__name__
        for wrong in (1, None, xp.asarray([1])):
            with pytest.raises(TypeError, match=f"{name}: .* must be a tuple of integers"):
                function(x, wrong)
        for wrong in ((1.0,), (True,), ("1",), (None,)):
            with pytest.raises(TypeError, match=f"{name}: .* must be an integer"):
                function(x, wrong)
        # Integers are what has __index__: also NumPy's, and integer arrays of 0 dimensions.
        permuting = function is xp.permute_dims
        for one in (np.int64(not permuting), xp.asarray(int(not permuting))):
            assert function(x, [one]).shape == (1,)  # SciPy passes lists
            assert function(x, (one,)).shape == (1,)


# --- axes -----------------------------------------------------------------------------------------


def test_roll_moves_twice_along_an_axis_given_twice():
    x = xp.arange(5)
    assert values(xp.roll(x, (1, 2), axis=(0, 0))) == values(xp.roll(x, 3))


def test_roll_by_more_than_an_int64_holds():
    x = xp.arange(7)
    assert values(xp.roll(x, 10**30 + 2)) == values(xp.roll(x, (10**30 + 2) % 7))
    assert values(xp.roll(x, -(10**30))) == values(xp.roll(x, -(10**30) % 7))


# --- joining --------------------------------------------------------------------------------------

JOINS = pytest.mark.parametrize("join", [xp.concat, xp.stack])


class Pair(NamedTuple):
    x: xp.Array
    y: xp.Array


@JOINS
def test_joins_take_tuples_and_lists(join):
    x, y = xp.asarray([1, 2]), xp.asarray([3, 4])
    expected = values(join([x, y]))
    assert values(join((x, y))) == expected
    assert values(join(Pair(x, y))) == expected
    for wrong in (x, iter([x, y]), {0: x}, None):
        with pytest.raises(TypeError, match=f"{join.__name__}: expected a tuple or list of Arrays"):
            join(wrong)


# --- repeating ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [xp.int8, xp.uint8, xp.uint16, xp.uint32, xp.uint64])
def test_repeat_by_arrays_of_each_integer_dtype(dtype):
    repeats = xp.asarray([2, 0, 1], dtype=dtype)
    assert values(xp.repeat(xp.asarray([5, 6, 7]), repeats)) == [5, 5, 7]


@pytest.mark.parametrize("ndim", [64, 65, 70])
def test_axes_of_arrays_of_more_dimensions_than_kernels_take(ndim: int) -> None:
    """By the standard's rules for axes; NumPy stops at 64, torch's kernels for one axis do not."""
    x = xp.reshape(xp.arange(2, device="cpu"), (*(1,) * (ndim - 1), 2))
    assert xp.moveaxis(x, (0, -1), (1, 0)).shape == (2, *(1,) * (ndim - 1))
    assert [y.shape for y in xp.unstack(x, axis=-1)] == [x.shape[:-1]] * 2
    back = xp.asarray([1, 0], device="cpu")
    for axis in (-1, ndim - 1):
        made = xp.cumulative_sum(x, axis=axis), xp.take(x, back, axis=axis)
        found = [*made, xp.sort(x, axis=axis), xp.diff(x, axis=axis)]
        values = [[int(v) for v in xp.reshape(y, (-1,))] for y in found]
        assert values == [[0, 1], [1, 0], [0, 1], [1]]
    assert xp.permute_dims(x, tuple(range(ndim))[::-1]).shape == (2, *(1,) * (ndim - 1))
    assert xp.squeeze(x, axis=1 - ndim).shape == (*(1,) * (ndim - 2), 2)
    assert xp.expand_dims(x, axis=-1).shape == (*x.shape, 1)
    with pytest.raises(IndexError, match=f"axis {ndim} is out of bounds"):
        xp.squeeze(x, axis=ndim)


def test_concat_of_other_shapes_flattened():
    assert values(xp.concat([xp.asarray(1), xp.asarray([[2, 3]])], axis=None)) == [1, 2, 3]
