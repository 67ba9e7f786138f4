"""Sorts, searches and masks of divided arrays beside NumPy, and what devices send each other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

import ascend_array_api as xp
import ascend_array_api.distributed as xd
from ascend_array_api._backends.mesh import ordering


@pytest.fixture(params=[1, 3])
def mesh(request):
    return xd.init("cpu", simulate=request.param)


def host(x):
    return np.asarray(xd.gather(x))


def drawn(shape, dtype):
    """Return few distinct values, the extremes among them."""
    places = np.random.default_rng(shape).integers(0, 5, size=shape)
    if dtype == "bool":
        return places > 2
    if dtype.startswith("float"):
        return np.asarray([-np.inf, -1.5, 0, 2.5, np.nan], dtype)[places]
    info = np.iinfo(dtype)
    return np.asarray([info.min, info.max, 3, 1, info.max // 2 + 1], dtype)[places]


def test_what_is_sorted_or_searched_stays_divided_as_it_was(mesh):
    values = drawn((2, 4, 7), "uint16")
    for divided, axis in itertools.product(range(3), range(-1, 3)):
        x = xd.shard(values, divided, device=mesh)
        for made in (xp.sort(x, axis=axis), xp.argsort(x, axis=axis, descending=True)):
            assert xd.layout(made).axis == divided
        if axis % 3 != divided:
            for made in (xp.argmax(x, axis=axis), xp.argmin(x, axis=axis)):
                assert xd.layout(made).axis == divided - (axis % 3 < divided)


@pytest.mark.parametrize("descending", [False, True])
def test_little_moves_where_a_vector_is_in_order(descending):
    mesh = xd.init("cpu", simulate=3)
    values = np.arange(300.0)[:: -1 if descending else 1]
    x, transport = xd.shard(values, device=mesh), mesh.backend.transport
    before = transport.swapped
    ordered = xp.sort(x, descending=descending)
    assert transport.swapped - before < 50
    np.testing.assert_array_equal(host(ordered), values)


@pytest.mark.parametrize(
    ("shape", "divided", "count", "axis"),
    [
        ((4, 5, 3), 1, 1, 1),
        ((4, 5, 3), 2, 1, 2),
        ((4, 5, 3), 2, 2, 1),
        ((4, 5, 3), 0, 1, 0),
        ((4, 5, 3), 1, 2, 0),
        ((4, 5, 3), 1, 3, 0),
        ((1, 5, 3), 0, 2, 0),
    ],
)
def test_masks_that_every_process_has(mesh, shape, divided, count, axis):
    values = np.arange(np.prod(shape)).reshape(shape)
    mask = np.random.default_rng(2).integers(0, 3, size=shape[:count]) > 0
    x = xd.shard(values, divided, device=mesh)
    chosen = xd.replicate(mask, device=mesh)
    with xp.options(gather="error"):
        for got in (x[chosen], x[(chosen, ...)]):
            assert xd.layout(got).axis == axis
            np.testing.assert_array_equal(host(got), values[mask], strict=True)


@pytest.mark.parametrize("shape", [(7,), (7, 3), (1, 7)])
def test_divided_masks(mesh, shape):
    values, mask = np.arange(np.prod(shape) * 2).reshape(*shape, 2), drawn(shape, "bool")
    for axis in range(len(shape)):
        x = xd.shard(values, axis, device=mesh)
        chosen = xd.shard(mask, axis, device=mesh)
        with xp.options(gather="allow", relaxed=True):
            for got in (x[chosen], x[(chosen, ...)], x[(chosen, slice(None))]):
                np.testing.assert_array_equal(host(got), values[mask], strict=True)


FEW = np.asarray([2, 0, 3, 3, 1, 0, 2])


def test_kernels_may_name_the_axis_as_they_like(mesh):
    def argmax(x, axis):  # as a kernel for GPUs does; that of torch says dim
        return torch.argmax(x, axis)

    values = np.resize(FEW, (5, 3))
    x = xd.shard(values, 0, device=mesh)._tensor
    for axis in (None, 0, 1):
        got = ordering._extreme(argmax, x, axis)
        got = got if type(got) is torch.Tensor else torch.cat(got.parts)
        np.testing.assert_array_equal(got, values.argmax(axis))


def laid_out(several, axes, mesh):
    """Arrays on a mesh, each divided along an axis, or replicated for None."""
    return [
        xd.replicate(v, device=mesh) if axis is None else xd.shard(v, axis, device=mesh)
        for v, axis in zip(several, axes)
    ]


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("divided", [(0, None), (0, 0), (0, 1), (None, 0), (None, 1)])
@pytest.mark.parametrize("n", [1, 2, 4, 13])
def test_places_are_found_in_any_part(mesh, n, divided, side):
    values = np.sort(np.arange(n) * 3 % 7) * 1.0
    sought = np.arange(-2.0, 16).reshape(6, 3) / 2
    own = laid_out((values, sought), divided, mesh)
    with xp.options(gather="error"):
        got = xp.searchsorted(*own, side=side)
    assert xd.layout(got).axis == divided[1]
    np.testing.assert_array_equal(host(got), np.searchsorted(values, sought, side=side))


@pytest.mark.parametrize("invert", [False, True])
@pytest.mark.parametrize("divided", [(0, None), (1, None), (None, 0), (0, 0), (1, 0), (1, 1)])
def test_values_are_looked_for_whatever_is_divided(mesh, divided, invert):
    for dtype in ("float16", "bfloat16", "float32", "float64", "complex64", "uint32", "int64"):
        x, among = np.arange(30).reshape(5, 6) / 2, np.asarray([[3, 14.5], [0, 3], [9, 40], [7, 8]])
        if "int" in dtype:
            x, among = x // 1, among // 1
        typed = [xp.asarray(v, dtype=getattr(xp, dtype), copy=True) for v in (x, among)]
        own = laid_out(typed, divided, mesh)
        with xp.options(gather="error"):
            got = xp.isin(*own, invert=invert)
        assert xd.layout(got).axis == divided[0]
        np.testing.assert_array_equal(host(got), np.isin(x, among, invert=invert), dtype)


def test_little_moves_where_few_elements_are_not_zero():
    mesh = xd.init("cpu", simulate=3)
    values = np.zeros((1, 3000))
    values[0, [7, 1800, 2999]] = 1
    x, transport = xd.shard(values, 1, device=mesh), mesh.backend.transport
    before = transport.swapped
    got = xp.nonzero(x)
    assert transport.swapped - before < 100
    np.testing.assert_array_equal([host(t) for t in got], np.nonzero(values))
