"""Derivatives of what is computed on a mesh: right, or refused, and never lost."""

from __future__ import annotations

import functools

import numpy as np
import programs
import pytest
import ranks
import torch
from derivatives import SLOPES, fractional, tensors
from parametrize import nightly, others_nightly

import ascend_array_api as xp
import ascend_array_api.distributed as xd
from ascend_array_api._backends.mesh._sharded import Sharded
from ascend_array_api._routes import linear_algebra as linalg


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_gradients_are_those_of_one_device(name, mesh):
    assert programs.differences(mesh, name) == []


@pytest.mark.parametrize("number", [2, nightly(3), nightly(4)])
def test_they_are_so_between_processes(number, workers):
    assert workers.run(number, ranks.gradients) == [[]] * number


def test_programs_of_the_cookbook_run_on_a_mesh():
    ranks.cookbook_on(xd.init("cpu", simulate=3))


@pytest.mark.nightly
def test_programs_of_the_cookbook_run_between_processes(workers):
    workers.run(2, ranks.cookbook)


@pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")  # torch's own use
def test_forward_mode_finds_the_same(mesh):
    from torch.autograd import forward_ad

    name = "slices"
    function, (shape,), _ = programs.PROGRAMS[name]
    values, tangent = np.random.default_rng(7).normal(size=shape), torch.ones(shape).double()
    with forward_ad.dual_level(), xp.options(gather="allow"):
        w = forward_ad.make_dual(torch.tensor(values), tangent)
        value = function(functools.partial(programs.on, mesh), programs.on(mesh, w, whole=True))
        slope = forward_ad.unpack_dual(value._tensor).tangent
    gradient = programs.computed(name, "cpu")[1][0]
    torch.testing.assert_close(slope, gradient.sum(), rtol=1e-9, atol=0.0)


def test_a_write_to_a_view_that_is_followed_is_refused(mesh):
    w = torch.ones(3, dtype=torch.float64, requires_grad=True)
    x = xp.asarray(programs.A, device=mesh) * xd.replicate(w, device=mesh)
    column = x[:, 0]
    with pytest.raises(NotImplementedError, match="a write to a view of an array that is divided"):
        column *= 2.0


def squares(mesh):
    return lambda w: xp.to_torch(xp.sum(xp.asarray(w, device=mesh) ** 2))


TRANSFORMED = {
    "grad": lambda f, w: torch.func.grad(f)(w),
    "vjp": lambda f, w: torch.func.vjp(f, w),
    "jacrev": lambda f, w: torch.func.jacrev(f)(w),
    "jvp": lambda f, w: torch.func.jvp(f, (w,), (w,)),
    "jacfwd": lambda f, w: torch.func.jacfwd(f)(w),
    "hessian": lambda f, w: torch.func.hessian(f)(w),
    "vmap": lambda f, w: torch.func.vmap(f)(w.expand(2, 6)),
}


@pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")  # torch's own use
@pytest.mark.parametrize("name", TRANSFORMED)
def test_what_torch_func_cannot_transform_names_what_to_write(name, mesh):
    x = xp.asarray(np.arange(24.0).reshape(4, 6), device=mesh)

    def loss(w):
        z = x - xp.mean(x, axis=0)  # what is not differentiated may be computed
        return xp.to_torch(xp.mean((z @ xp.asarray(w, device=mesh)) ** 2))

    with pytest.raises(NotImplementedError, match=r"torch\.autograd\.grad.*one more axis"):
        TRANSFORMED[name](loss, torch.ones(6, dtype=torch.float64))


@pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")  # torch's own use
@pytest.mark.parametrize("name", ["jvp", "jacfwd", "hessian"])
def test_forward_transformations_are_refused_where_a_parameter_is_divided(name, mesh):
    with pytest.raises(NotImplementedError, match=r"forward_ad.*one more axis"):
        TRANSFORMED[name](squares(mesh), torch.ones(6, dtype=torch.float64))


@pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")  # torch's own use
def test_torch_func_takes_forward_derivatives_of_what_is_not_divided(mesh):
    one, two = torch.ones(1), torch.full((1,), 2.0)
    assert [t.item() for t in torch.func.jvp(squares(mesh), (one,), (two,))] == [1.0, 4.0]


def test_torch_func_takes_gradients_of_what_is_not_divided(mesh):
    assert torch.func.grad(squares(mesh))(torch.ones(1)).tolist() == [2.0]


def test_no_graph_is_lost_in_parts(mesh):
    parts = [torch.ones(2, requires_grad=True) * 2] * len(mesh.backend.transport.ranks)
    with pytest.raises(AssertionError, match="lost to derivatives"):
        Sharded(parts, 0, mesh.backend, (2 * len(parts),))


# --- what is differentiated in the samples --------------------------------------------------------


def twice(case, device):
    """Return the gradients of a sample, and those of a sum of them with weights."""
    leaves = tensors(case, grad=True)
    with xp.options(device=device, gather="allow"):
        results = fractional(case.function(*(xp.asarray(t, device=device) for t in leaves)))
        first = torch.autograd.grad(
            weighted(t for t in results if t.requires_grad),
            leaves,
            create_graph=True,
            materialize_grads=True,
        )
        second = [torch.zeros_like(t) for t in leaves]
        if any(g.requires_grad for g in first):
            total = weighted(g for g in first if g.requires_grad)
            second = torch.autograd.grad(total, leaves, materialize_grads=True)
    return [*(g.detach() for g in first), *second]


def weighted(several):
    total = torch.zeros((), dtype=torch.float64)
    for t in several:
        weights = torch.linspace(1, 2, t.numel(), dtype=torch.float64).reshape(t.shape)
        total = total + (weights * t.real).sum() + (t.imag.sum() / 3 if t.is_complex() else 0)
    return total


# Torch writes to a diagonal in its derivative for square matrices.
REFUSED = {"linalg.qr: float64 complete", "linalg.qr: complex128 complete"}


@pytest.mark.one_each
@pytest.mark.parametrize("number", [2, 3])
@pytest.mark.parametrize(
    "name",
    others_nightly({n.partition(":")[0]: 0 for n, _ in SLOPES if "to_torch" not in n}, 50),
)
def test_derivatives_of_samples_are_those_of_one_device(name, number):
    mesh = xd.init("cpu", simulate=number)
    for label, case in SLOPES:
        if label.partition(":")[0] != name:
            continue
        if label in REFUSED:
            with pytest.raises(NotImplementedError, match="a write to a view"):
                twice(case, mesh)
            continue
        for own, expected in zip(twice(case, mesh), twice(case, "cpu"), strict=True):
            torch.testing.assert_close(
                own, expected, rtol=1e-7, atol=1e-9, equal_nan=True, msg=label
            )


@pytest.mark.parametrize("mode", ["complete", "reduced"])
def test_gradients_of_triangular_factors_of_square_matrices(mode, mesh):
    """Torch's derivative writes to a diagonal that lies across parts."""
    values = torch.tensor(np.random.default_rng(1).normal(size=(4, 4)))

    def gradient(device):
        leaf = values.clone().requires_grad_()
        with xp.options(gather="allow"):
            r = xp.linalg.qr(xp.asarray(leaf, device=device), mode=mode)[1].to_device("cpu")
            return torch.autograd.grad(weighted([r._tensor]), leaf)[0]

    torch.testing.assert_close(gradient(mesh), gradient("cpu"))


@pytest.mark.parametrize("kernel", [linalg.det, linalg.det.native], ids=["here", "elsewhere"])
@pytest.mark.parametrize("shape", [(2, 2), (2, 3, 3), (5, 3, 3)])
def test_second_derivatives_of_determinants(kernel, shape, mesh):
    values = torch.tensor(np.random.default_rng(1).normal(size=shape))
    values = torch.eye(2).double() / 6 if shape == (2, 2) else values

    def derivatives(device):
        leaf = values.clone().requires_grad_()
        with xp.options(gather="allow"):
            x = xp.asarray(leaf, device=device)
            x = xp.sin(x) + 3 * xp.eye(shape[-1], dtype=x.dtype, device=device)
            det = kernel if kernel is linalg.det.native else kernel.on(x._spec)
            y = xp.to_torch(xp.sum(xp.asarray(det(x._tensor), device=device)))
            first = torch.autograd.grad(y, leaf, create_graph=True)[0]
            return first.detach(), torch.autograd.grad(weighted([first]), leaf)[0]

    torch.testing.assert_close(derivatives(mesh), derivatives("cpu"))


def test_gradients_of_singular_matrices_in_stacks(mesh):
    leaf = torch.ones((4, 2, 2), dtype=torch.float64, requires_grad=True)
    with xp.options(gather="allow"):
        xp.to_torch(xp.sum(xp.linalg.det(xp.asarray(leaf, device=mesh)))).backward()
    assert leaf.grad is not None
    np.testing.assert_allclose(leaf.grad, [[[1, -1], [-1, 1]]] * 4, atol=1e-14)


@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (2, 2, 3)])
def test_pseudoinverses_of_complex_matrices_that_are_followed(shape, mesh):
    rng = np.random.default_rng(2)
    values = rng.normal(size=shape) + 1j * rng.normal(size=shape)
    leaf = torch.tensor(values, requires_grad=True)
    with xp.options(gather="allow"):
        made = xp.to_torch(xp.linalg.pinv(xp.asarray(leaf, device=mesh)).to_device("cpu"))
    np.testing.assert_allclose(made.detach(), np.linalg.pinv(values), atol=1e-12)


@pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")  # torch's own use
@pytest.mark.parametrize(
    "function",
    [
        lambda x: xp.linalg.outer(x, x * x).mT,
        lambda x: xp.stack([xp.linalg.outer(x, x * x)] * 2),
        lambda x: xp.reshape((x[:, None] * x[None, :]).mT, (-1,)),
    ],
    ids=["transposed", "stacked", "reshaped"],
)
def test_tangents_of_views_of_what_is_divided_otherwise(function, mesh):
    from torch.autograd import forward_ad

    values, direction = torch.linspace(0.5, 2, 5).double(), torch.linspace(1, 2, 5).double()

    def tangent(device):
        with forward_ad.dual_level(), xp.options(gather="allow"):
            x = xp.asarray(forward_ad.make_dual(values, direction), device=device)
            return forward_ad.unpack_dual(xp.to_torch(function(x).to_device("cpu"))).tangent

    torch.testing.assert_close(tangent(mesh), tangent("cpu"))


WRITES = {
    "row": lambda x, v: (0, 2 * x[0, ...]),
    "another row of it": lambda x, v: (0, v[1, ...]),
    "the same row": lambda x, v: (0, v[0, ...]),
    "a row that was copied": lambda x, v: (0, xp.asarray(v[2, ...], copy=True)),
    "a column": lambda x, v: ((slice(None), 0), x[:, 1]),
}


@pytest.mark.filterwarnings("ignore")  # the compiler's, of what it leaves alone
@pytest.mark.parametrize("write", others_nightly(WRITES, 1))
def test_compiled_writes_lose_no_gradient(write):
    mesh = xd.init("cpu", simulate=3)

    def program(x):
        v = xp.asarray(x, copy=True)
        place, value = WRITES[write](x, v)
        v[(*place,) if isinstance(place, tuple) else (place, ...)] = value
        return xp.sum(xp.sin(v))

    def gradient(function, device):
        x = torch.arange(9.0, dtype=torch.float64).reshape(3, 3).requires_grad_()
        xp.to_torch(function(xp.asarray(x, device=device))).backward()
        return x.grad

    torch._dynamo.reset()
    compiled = torch.compile(program, backend="eager")
    expected = gradient(program, "cpu")
    with xp.options(gather="allow"):
        for _ in range(2):
            torch.testing.assert_close(gradient(compiled, mesh), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")  # the compiler's, of what it leaves alone
def test_compiled_writes_between_views_take_other_sizes():
    def program(x):
        v = xp.asarray(x * x, copy=True)
        v[1:, ...] -= v[:-1, ...]
        return v

    mesh = xd.init("cpu", simulate=3)
    torch._dynamo.reset()
    compiled = torch.compile(program, backend="eager")
    for n in (4, 6, 5, 1):
        x = np.arange(2.0 * n).reshape(n, 2)
        expected = x * x
        expected[1:] -= expected[:-1].copy()
        made = compiled(xp.asarray(x, device=mesh)).to_device("cpu")
        assert np.array_equal(np.asarray(made), expected)
