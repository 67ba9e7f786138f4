"""The manipulation functions: what shares memory, what is refused, and the edges.

The values of the results are compared with NumPy's in tests/samples/test_against_numpy.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
import torch

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

VIEWS = {
    "broadcast_to": lambda x: xp.broadcast_to(x, (4, 2, 3)),
    "broadcast_arrays": lambda x: xp.broadcast_arrays(x, xp.zeros((4, 1, 1)))[0],
    "expand_dims": lambda x: xp.expand_dims(x, axis=(0, 2)),
    "expand_dims of no axes": lambda x: xp.expand_dims(x, axis=()),
    "moveaxis": lambda x: xp.moveaxis(x, 0, 1),
    "permute_dims": lambda x: xp.permute_dims(x, (1, 0)),
    "reshape": lambda x: xp.reshape(x, (3, 2)),
    "reshape, no copy": lambda x: xp.reshape(x, (3, 2), copy=False),
    "reshape to its own shape": lambda x: xp.reshape(x, (2, 3)),
    "squeeze of no axes": lambda x: xp.squeeze(x, ()),
    "unstack": lambda x: xp.unstack(x, axis=1)[0],
}
COPIES = {
    "concat of one": lambda x: xp.concat([x]),
    "concat of one, flattened": lambda x: xp.concat([x], axis=None),
    "flip": xp.flip,
    "flip of no axes": lambda x: xp.flip(x, axis=()),
    "repeat once": lambda x: xp.repeat(x, 1, axis=0),
    "repeat once, flattened": lambda x: xp.repeat(x, 1),
    "repeat once, by an array": lambda x: xp.repeat(x, xp.asarray([1]), axis=0),
    "reshape with a copy": lambda x: xp.reshape(x, (2, 3), copy=True),
    "reshape of a transpose": lambda x: xp.reshape(x.T, (6,)),
    "roll by nothing": lambda x: xp.roll(x, 0),
    "roll by nothing along an axis": lambda x: xp.roll(x, 0, axis=0),
    "roll along no axes": lambda x: xp.roll(x, 1, axis=()),
    "roll by whole turns": lambda x: xp.roll(x, 6),
    "stack of one": lambda x: xp.stack([x]),
    "tile once": lambda x: xp.tile(x, (1,)),
    "tile by nothing": lambda x: xp.tile(x, ()),
}


@dtypes
@pytest.mark.parametrize("name", VIEWS)
def test_views_share_memory(name, dtype):
    x = grid(dtype)
    view = VIEWS[name](x)
    assert view.dtype is x.dtype
    assert shares_memory(x, view)
    x[0, 0] = True if dtype is xp.bool else 7
    assert values(view[(0,) * view.ndim]) == values(x[0, 0])


@dtypes
@pytest.mark.parametrize("name", COPIES)
def test_copies_do_not_share_memory(name, dtype):
    x = grid(dtype)
    copy = COPIES[name](x)
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


def test_a_copy_by_reshape_is_contiguous():
    copy = xp.reshape(grid().T, (3, 2), copy=True)
    assert xp.to_torch(copy).stride() == (2, 1)


# --- shapes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "new", "expected"),
    [
        ((), (), ()),
        ((), (-1,), (1,)),
        ((1, 1), (), ()),
        ((0, 3), (3, 0), (3, 0)),
        ((0, 3), (-1, 3), (0, 3)),
        ((0,), (5, -1), (5, 0)),
        ((2, 3), (-1,), (6,)),
        ((2, 3), (3, -1, 1), (3, 2, 1)),
    ],
)
@pytest.mark.parametrize("copy", [None, True, False])
def test_reshape(shape, new, expected, copy):
    assert xp.reshape(xp.zeros(shape), new, copy=copy).shape == expected


@pytest.mark.parametrize(
    ("shape", "new", "text"),
    [
        ((6,), (4,), r"has 6 elements and cannot have shape \(4,\)"),
        ((6,), (4, -1), r"has 6 elements and cannot have shape \(4, -1\)"),
        ((6,), (0, -1), r"has 6 elements and cannot have shape \(0, -1\)\."),
        ((0,), (0, -1), r"-1 could be any size"),
        ((6,), (-1, -1), r"except for one that may be -1"),
        ((6,), (-2, -3), r"must not be negative"),
        ((), (0,), r"has 1 elements"),
    ],
)
def test_reshape_to_an_impossible_shape(shape, new, text):
    for copy in (None, True, False):
        with pytest.raises(ValueError, match=text):
            xp.reshape(xp.zeros(shape), new, copy=copy)


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


def test_copy_is_a_boolean_or_none():
    with pytest.raises(TypeError, match="reshape: copy must be True or False, got the Python int"):
        xp.reshape(xp.zeros(1), (1,), copy=1)


@pytest.mark.parametrize(
    "shapes", [[(2,), (3,)], [(0,), (2,)], [(2, 1), (3, 1)], [(1,), (2,), (3,)]]
)
def test_what_does_not_broadcast(shapes):
    with pytest.raises(ValueError, match="broadcast_shapes: shape mismatch: shapes .* could not"):
        xp.broadcast_shapes(*shapes)
    with pytest.raises(ValueError, match="broadcast_arrays: shape mismatch: shapes .* could not"):
        xp.broadcast_arrays(*map(xp.zeros, shapes))


def test_broadcast_shapes_knows_sizes_only():
    with pytest.raises(TypeError, match="must be an integer, got None"):
        xp.broadcast_shapes((None,))
    with pytest.raises(ValueError, match="negative"):
        xp.broadcast_shapes((-1,))
    with pytest.raises(TypeError, match="must be a tuple of integers"):
        xp.broadcast_shapes(3)


@pytest.mark.parametrize(
    ("shape", "to"), [((2,), (3,)), ((2,), (1,)), ((1, 2), (2,)), ((2,), ()), ((0,), (2,))]
)
def test_broadcast_to_a_shape_that_does_not_hold(shape, to):
    with pytest.raises(ValueError, match=r"broadcast_to: .* could not be broadcast to shape"):
        xp.broadcast_to(xp.zeros(shape), to)


def test_broadcast_to_takes_no_negative_sizes():
    # To torch -1 is a size to keep.
    with pytest.raises(ValueError, match="negative"):
        xp.broadcast_to(xp.zeros(2), (-1,))


def test_broadcast_arrays_returns_a_list_of_arrays_with_their_own_dtypes():
    result = xp.broadcast_arrays(xp.zeros(3), xp.ones((2, 1), dtype=xp.uint64))
    assert type(result) is list
    assert [x.dtype for x in result] == [xp.float32, xp.uint64]
    assert xp.broadcast_arrays() == []
    assert type(xp.v2025_12.broadcast_arrays(xp.zeros(3))) is tuple


# --- axes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_axes_to_move_are_those_of_the_array(shape):
    x, ndim = xp.zeros(shape), len(shape)
    for axis in (ndim, -ndim - 1):
        for error in (IndexError, ValueError):
            with pytest.raises(error, match=f"moveaxis: axis {axis} is out of bounds"):
                xp.moveaxis(x, axis, 0)
    for axis in (0.0, True, "0", {0}, None):
        with pytest.raises(TypeError, match=r"moveaxis: .* must be an integer"):
            xp.moveaxis(xp.zeros((1, 1)), axis, 0)
    for axis in range(-ndim, ndim):
        xp.moveaxis(x, axis, 0)


def test_axes_stand_once():
    x = xp.zeros((1, 1, 1))
    for call in (
        lambda: xp.moveaxis(x, (0, -3), (1, 2)),
        lambda: xp.moveaxis(x, (0, 1), (2, -1)),
        lambda: xp.permute_dims(x, (0, 1, -3)),
    ):
        with pytest.raises(ValueError, match="twice"):
            call()


def test_roll_moves_twice_along_an_axis_given_twice():
    x = xp.arange(5)
    assert values(xp.roll(x, (1, 2), axis=(0, 0))) == values(xp.roll(x, 3))


@pytest.mark.parametrize(
    ("shift", "axis"), [((1,), None), ((1, 2), 0), ((1,), (0, 1)), ((), 0), ((1, 2), (0,))]
)
def test_roll_wants_as_many_axes_as_shifts(shift, axis):
    with pytest.raises(ValueError, match=r"roll: .* axis must be a tuple of as many"):
        xp.roll(xp.zeros((2, 3)), shift, axis=axis)


@pytest.mark.parametrize("shift", [1.0, True, [1], None, (1.0,)])
def test_roll_shifts_by_integers(shift):
    with pytest.raises(TypeError, match=r"roll: .*shift must be an integer"):
        xp.roll(xp.zeros(2), shift, axis=(0,) if isinstance(shift, tuple) else 0)


def test_roll_by_more_than_an_int64_holds():
    x = xp.arange(7)
    assert values(xp.roll(x, 10**30 + 2)) == values(xp.roll(x, (10**30 + 2) % 7))
    assert values(xp.roll(x, -(10**30))) == values(xp.roll(x, -(10**30) % 7))


def test_moveaxis_wants_a_place_for_each_axis():
    with pytest.raises(ValueError, match="moveaxis: got 2 axes in source and 1 in destination"):
        xp.moveaxis(xp.zeros((2, 3)), (0, 1), 0)


def test_permute_dims_wants_every_axis():
    for axes in ((0,), ()):
        with pytest.raises(ValueError, match=r"permute_dims: axes .* each must stand there once"):
            xp.permute_dims(xp.zeros((2, 3)), axes)


@pytest.mark.parametrize("size", [0, 2])
def test_squeeze_removes_axes_of_size_1_only(size):
    with pytest.raises(ValueError, match=rf"squeeze: axis 1 .* has size {size}"):
        xp.squeeze(xp.zeros((1, size)), (0, 1))


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


@JOINS
def test_joins_take_arrays_only(join):
    x = xp.asarray([1, 2])
    for foreign in (1, [1, 2], np.asarray([1, 2]), torch.asarray([1, 2]), None):
        with pytest.raises(TypeError, match=f"{join.__name__}: expected Array, got"):
            join([x, foreign])
    with pytest.raises(ValueError, match=f"{join.__name__}: expected at least one Array"):
        join([])


@JOINS
def test_joins_promote_by_the_standard_and_not_by_torch(join):
    u8, i8 = xp.asarray([200], dtype=xp.uint8), xp.asarray([-1], dtype=xp.int8)
    assert join([u8, i8]).dtype is xp.int16
    assert join([u8, i8, xp.asarray([2**31], dtype=xp.uint32)]).dtype is xp.int64
    # To torch an array of 0 dimensions has less of a say than others.
    f32, f64 = xp.asarray(1.0), xp.asarray(1.0, dtype=xp.float64)
    assert xp.stack([f32, f64]).dtype is xp.float64
    for other in (xp.float32, xp.bool, xp.uint64):
        with pytest.raises(TypeError, match=f"{join.__name__}: data types int8 and"):
            join([i8, xp.ones(1, dtype=other)])


def test_concat_wants_shapes_that_fit():
    for shapes in ([(2, 3), (2, 4)], [(2, 3), (3,)], [(0,), (2, 3)], [(2, 3), (2, 3, 1)]):
        with pytest.raises(ValueError, match="concat: arrays of shapes .* do not fit"):
            xp.concat([xp.zeros(shape) for shape in shapes])
    with pytest.raises(IndexError, match="concat: axis 0 is out of bounds"):
        xp.concat([xp.asarray(1), xp.asarray(2)])
    assert values(xp.concat([xp.asarray(1), xp.asarray([[2, 3]])], axis=None)) == [1, 2, 3]


def test_stack_wants_one_shape():
    with pytest.raises(ValueError, match=r"stack: the arrays must be of one shape, got \(2,\) and"):
        xp.stack([xp.zeros(2), xp.zeros((1, 2))])


# --- repeating ------------------------------------------------------------------------------------


@pytest.mark.parametrize("repeats", [1.0, True, "2", [1, 2], None])
def test_repeat_wants_an_integer_or_an_array(repeats):
    with pytest.raises(TypeError, match="repeat: repeats must be an integer"):
        xp.repeat(xp.zeros(2), repeats)


@pytest.mark.parametrize("dtype", [xp.bool, xp.float32])
def test_repeat_wants_integers(dtype):
    with pytest.raises(TypeError, match="repeat: data type .* is not allowed"):
        xp.repeat(xp.zeros(2), xp.ones(2, dtype=dtype))


@pytest.mark.parametrize("shape", [(), (3,), (2, 1), (0,)])
def test_repeat_wants_a_number_for_each_element(shape):
    with pytest.raises(ValueError, match="could not be broadcast to the 2 elements"):
        xp.repeat(xp.zeros(2), xp.ones(shape, dtype=xp.int64))


def test_repeat_wants_no_negative_numbers():
    x = xp.zeros(2)
    for repeats in (-1, xp.asarray([1, -1]), xp.asarray([-1], dtype=xp.int8)):
        with pytest.raises(ValueError, match="repeat: repeats must not be negative"):
            xp.repeat(x, repeats)
    with pytest.raises(ValueError, match="nor greater than int64 holds"):
        xp.repeat(x, xp.asarray([2**64 - 1], dtype=xp.uint64))


@pytest.mark.parametrize("dtype", [xp.int8, xp.uint8, xp.uint16, xp.uint32, xp.uint64])
def test_repeat_by_arrays_of_each_integer_dtype(dtype):
    repeats = xp.asarray([2, 0, 1], dtype=dtype)
    assert values(xp.repeat(xp.asarray([5, 6, 7]), repeats)) == [5, 5, 7]


def test_tile_wants_no_negative_numbers():
    with pytest.raises(ValueError, match="tile: repetitions must not have negative elements"):
        xp.tile(xp.zeros(2), (-1,))


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
