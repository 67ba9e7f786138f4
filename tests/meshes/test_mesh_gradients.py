"""Derivatives of what is computed on a mesh: right, or refused, and never lost."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import programs
import pytest
import torch
from processes import ranks

import ascend_array_api as xp
import ascend_array_api.distributed as xd
from ascend_array_api._backends.mesh._sharded import Sharded


@pytest.fixture(params=[2, 3, 4])
def mesh(request):
    return xd.init("cpu", simulate=request.param)


@pytest.fixture(autouse=True)
def clear():
    yield
    xd.gather_report(clear=True)


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_gradients_are_those_of_one_device(name, mesh):
    for own, expected in zip(programs.computed(name, mesh), programs.computed(name, "cpu")):
        for a, b in zip(own, expected):
            assert type(a) is torch.Tensor
            torch.testing.assert_close(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("number", [2, 3])
def test_they_are_so_between_processes(number):
    for code, said in ranks(Path(programs.__file__), number, seconds=200):
        assert code == 0, said
        assert f"wrong [] of {len(programs.PROGRAMS)}" in said


def test_the_gradient_of_ridge_is_the_one_of_the_formula(mesh):
    w = torch.ones(3, dtype=torch.float64, requires_grad=True)
    x, y = (xp.asarray(v, device=mesh) for v in (programs.A, programs.Y))
    parameters = xd.replicate(w, device=mesh)
    residuals = xp.matmul(x, parameters) - y
    xp.to_torch(xp.mean(residuals**2) + 0.1 * xp.sum(parameters**2)).backward()
    a, ones = programs.A, np.ones(3)
    expected = 2 * a.T @ (a @ ones - programs.Y) / len(a) + 0.2 * ones
    np.testing.assert_allclose(w.grad, expected, rtol=1e-12)


@pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")  # torch's own use
def test_forward_mode_finds_the_same(mesh):
    from torch.autograd import forward_ad

    name = "slices"
    function, (shape,), _ = programs.PROGRAMS[name]
    values, tangent = np.random.default_rng(7).normal(size=shape), torch.ones(shape).double()
    with forward_ad.dual_level(), xp.options(gather="allow"):
        w = forward_ad.make_dual(torch.tensor(values), tangent)
        value = function(functools.partial(programs.on, mesh), programs.on(mesh, w, whole=True))
        slope = forward_ad.unpack_dual(xp.to_torch(value)).tangent
    gradient = programs.computed(name, "cpu")[1][0]
    torch.testing.assert_close(slope, gradient.sum(), rtol=1e-9, atol=0.0)


def test_a_write_to_a_view_that_is_followed_is_refused(mesh):
    w = torch.ones(3, dtype=torch.float64, requires_grad=True)
    x = xp.asarray(programs.A, device=mesh) * xd.replicate(w, device=mesh)
    column = x[:, 0]
    column *= 2.0
    with pytest.raises(NotImplementedError, match="a write to a view of an array that is divided"):
        xp.to_torch(xp.sum(x**2)).backward()


def test_no_graph_is_lost_in_parts(mesh):
    parts = [torch.ones(2, requires_grad=True) * 2] * len(mesh.backend.transport.ranks)
    with pytest.raises(AssertionError, match="lost to derivatives"):
        Sharded(parts, 0, mesh.backend, (2 * len(parts),))
