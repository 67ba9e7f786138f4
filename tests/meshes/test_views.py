"""Writes to what is a view on one device: they reach the array, however it is divided."""

from __future__ import annotations

import os

import numpy as np
import pytest
import ranks
import torch
import views
from parametrize import nightly
from processes import python

import ascend_array_api as xp
import ascend_array_api.distributed as xd
from ascend_array_api._backends.mesh import _reach
from ascend_array_api._torch.private import Weak, memory_of


@pytest.mark.parametrize("size", [3, nightly(2), nightly(4)])
def test_writes_reach_what_they_reach_in_numpy(size):
    assert views.differences(xd.init("cpu", simulate=size)) == []


@pytest.mark.parametrize("number", [2, nightly(3)])
def test_they_do_so_between_processes(number, workers):
    assert workers.run(number, ranks.writes) == [[]] * number


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "bfloat16", "complex128"])
def test_overlaps_of_what_is_gone_are_of_any_data_type(dtype, mesh):
    def written(device):
        y = xp.asarray([[0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1]], device=device)
        y = xp.astype(y, getattr(xp, dtype))
        # Slices, not shapes, keep what they are of.
        v, w = xp.reshape(y[0:4, :], (3, 4)), xp.reshape(y[2:5, :], (9,))
        del y
        v[...] = xp.astype(xp.zeros((), dtype=xp.int8, device=device), v.dtype)
        w[1] = xp.astype(xp.ones((), dtype=xp.int8, device=device), v.dtype)
        return [xp.to_torch(a.to_device("cpu")) for a in (v, w)]

    for own, expected in zip(written(mesh), written("cpu")):
        assert torch.equal(own, expected)


OVERLAP_ADD = """
import numpy as np, scipy.signal
import ascend_array_api as xp, ascend_array_api.distributed as xd
mesh = xd.init("cpu", simulate=3)
y, b = np.random.default_rng(0).normal(size=(101, 2)), np.ones((7, 1))
with xp.options(device=mesh, gather="allow"):
    made = scipy.signal.oaconvolve(xp.asarray(y), xp.asarray(b), axes=0)
expected = scipy.signal.fftconvolve(y, b, axes=0)
np.testing.assert_allclose(xd.gather(made), expected, atol=1e-12)
"""


@pytest.mark.nightly
def test_scipy_adds_into_slices():
    pytest.importorskip("scipy")
    python("-c", OVERLAP_ADD, env={**os.environ, "SCIPY_ARRAY_API": "1"})


def test_what_is_written_to_is_not_kept(mesh):
    x = xp.ones((100, 3), device=mesh)
    v, r = x[1:50, :], xp.reshape(x, (3, 100))
    memory = [Weak(y._tensor.parts[0]) for y in (x, v, r)]
    x += 1
    v += 1
    r += 1
    del x, v
    assert [m.storage() is None for m in memory] == [True, True, False]
    del r
    assert memory[2].storage() is None


def test_what_is_gone_is_forgotten(mesh):
    x = xp.ones((100, 3), device=mesh)
    for i in range(500):
        x[i % 90 : i % 90 + 2, :] * 2
    assert len(_reach._memories[memory_of(x._tensor.parts[0])].children) < 200
    calls = mesh.backend.transport.calls
    x += 1
    x += 1
    assert mesh.backend.transport.calls == calls
    assert list(_reach._memories[memory_of(x._tensor.parts[0])].tree()) == [
        _reach._memories[memory_of(x._tensor.parts[0])]
    ]


def test_reading_costs_no_exchange_more(mesh):
    x = xp.ones((100, 3), device=mesh)
    before = mesh.backend.transport.calls
    v = x[3:50, :]
    assert mesh.backend.transport.calls == before + 1
    v[0:0, :] = 1.0


def test_a_sum_into_a_slice_is_written_once(mesh):
    x, y = xp.ones((100, 3), device=mesh), xp.ones((47, 3), device=mesh)
    before = mesh.backend.transport.calls
    v = x[3:50, :]
    v += y
    once = mesh.backend.transport.calls - before
    del v
    x += 0  # it finds that there is no copy any more
    before = mesh.backend.transport.calls
    x[3:50, :] += y
    assert mesh.backend.transport.calls - before == once
    np.testing.assert_array_equal(xd.gather(x)[3:50, 0], np.full(47, 3.0))


def test_what_no_view_shows_is_a_copy_in_each_part(mesh):
    """Of columns, one device has no such view; a part of one row does."""
    size = len(mesh.backend.transport.ranks)
    x = xp.ones((size, 2 * size), device=mesh)
    for columns in (x[:, :size], x[:, :size][:, None, :], x[:, size:]):
        copied = xp.reshape(columns, (-1,))
        copied += 1
    np.testing.assert_array_equal(xd.gather(x), np.ones((size, 2 * size)))


def test_no_axes_to_flip_is_a_copy(mesh):
    x = xp.ones((7, 3), device=mesh)
    copied = xp.flip(x, axis=())
    copied += 1
    np.testing.assert_array_equal(xd.gather(x), np.ones((7, 3)))
    np.testing.assert_array_equal(xd.gather(copied), np.full((7, 3), 2.0))


def test_a_view_that_gathers_is_reported_by_name(mesh):
    x = xd.shard(np.ones((1, 3)), 0, device=mesh)
    with xp.options(gather="allow"):
        xp.broadcast_to(x, (4, 3))
    assert [(entry.operation, entry.bytes) for entry in xd.gather_report()] == [("expand", 24)]


def test_what_was_broadcast_cannot_be_written_to(mesh):
    x = xd.shard(np.ones((1, 3)), 0, device=mesh)
    with xp.options(gather="allow"):
        shown = xp.broadcast_to(x, (4, 3))
    with pytest.raises(ValueError, match="was broadcast"):
        shown += 1
