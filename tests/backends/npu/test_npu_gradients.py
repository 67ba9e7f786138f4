"""Gradients on NPUs: those of the CPU, for every function that has one.

Tests of tests/samples/test_gradients.py run on NPUs too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from npu import QUIET_TORCH_NPU  # isort: skip  # before the namespace

from derivatives import SLOPES, reached, tensors
from parametrize import one_of_each

import ascend_array_api as xp
from ascend_array_api._torch import torch
from tests.parametrize import others_nightly

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workshop.samples import Slope

pytestmark = QUIET_TORCH_NPU
NAMES, SAMPLES = zip(*one_of_each(SLOPES, lambda pair: pair[0].partition(":")[0]))


def weighted(
    case: Slope, device: str, dtype: torch.dtype, *, second: bool = False
) -> Sequence[torch.Tensor | None]:
    """Return the gradients of a fixed weighted sum of the results, or those of their squares."""
    operands = [
        x.to(dtype.to_complex() if x.is_complex() else dtype).to(device).requires_grad_()
        for x in tensors(case)
    ]
    with xp.options(device=device, host_fallback="allow"):
        results: Any = reached(case)(*operands)
    results = results if isinstance(results, tuple) else (results,)
    cotangents = []
    for i, x in enumerate(results):
        assert x.device.type == torch.device(device).type
        weights = torch.cos(torch.arange(x.numel(), dtype=torch.float64) + i).reshape(x.shape)
        cotangents.append(weights.to(x.dtype).to(device))
    grads = torch.autograd.grad(
        results, operands, cotangents, allow_unused=True, create_graph=second
    )
    if second:
        parts = [torch.view_as_real(g) if g.is_complex() else g for g in grads]
        total = torch.stack([(p * p).sum() for p in parts]).sum()
        grads = torch.autograd.grad(total, operands, allow_unused=True)
    return [None if g is None else g.cpu() for g in grads]


@pytest.mark.one_each
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("case", others_nightly(SAMPLES, 100), ids=NAMES)
def test_gradients_are_those_of_the_cpu(case: Slope, dtype: torch.dtype) -> None:
    expected = weighted(case, "cpu", dtype)
    actual = weighted(case, "npu:0", dtype)
    tolerance = 512 * torch.finfo(dtype).eps  # of other orders of the same additions
    for a, e in zip(actual, expected, strict=True):
        assert (a is None) == (e is None)
        if a is not None:
            torch.testing.assert_close(a, e, rtol=tolerance, atol=tolerance)


TWICE = tuple(f"linalg.{name}" for name in ("inv:", "solve:", "det:", "slogdet:", "cholesky:")) + (
    "linalg.qr: float64 complete",
    "linalg.qr: complex128 complete",
)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith(TWICE)])
def test_second_gradients_are_those_of_the_cpu(name: str, dtype: torch.dtype) -> None:
    case = dict(SLOPES)[name]
    expected = weighted(case, "cpu", dtype, second=True)
    for a, e in zip(weighted(case, "npu:0", dtype, second=True), expected, strict=True):
        error = torch.linalg.vector_norm(a - e) / torch.linalg.vector_norm(e)
        assert error < 1e5 * torch.finfo(dtype).eps


@pytest.mark.parametrize("dtype", [xp.float32, xp.float64], ids=str)
@pytest.mark.parametrize(
    "select", [lambda x: xp.sort(x), lambda x: xp.take_along_axis(x, xp.asarray([2, -2, 0]))]
)
def test_second_derivatives_of_torch_func(select: Any, dtype: torch.dtype) -> None:
    def value(x: Any) -> Any:
        return xp.to_torch(xp.sum(xp.square(select(x)) * xp.asarray([1.0, 2.0, 3.0], dtype=dtype)))

    def slope(x: Any) -> Any:
        return xp.to_torch(xp.sum(torch.func.grad(value)(x)))

    x = xp.asarray([3.0, 1.0, 2.0], dtype=dtype)
    order = torch.tensor([3.0, 1.0, 2.0] if select(x)[0] == 1.0 else [3.0, 2.0, 1.0])
    curvature = xp.to_torch(torch.func.grad(slope)(x))
    assert curvature.cpu().tolist() == (2.0 * order).tolist()


def test_second_derivatives_of_eigenvalues_by_torch_func() -> None:
    def value(t: Any, device: str) -> Any:
        x, y = (xp.asarray(m, dtype=xp.float32, device=device) for m in PENCIL)
        values = xp.linalg.eigvalsh(x + xp.asarray(t, device=device) * y)
        return xp.to_torch(xp.sum(values**3))

    def curvature(device: str) -> float:
        slope = torch.func.grad(value)
        t = torch.tensor(0.3, device=device)
        return float(torch.func.grad(slope)(t, device))

    assert curvature("npu:0") == pytest.approx(curvature("cpu"), rel=1e-4)


def test_second_derivatives_of_complex_singular_values_are_refused() -> None:
    def value(t: Any) -> Any:
        x, y = (xp.asarray(m, dtype=xp.complex64) for m in PENCIL)
        return xp.to_torch(xp.sum(xp.linalg.svdvals(x + xp.astype(t, xp.complex64) * y) ** 3))

    t = torch.tensor(0.3, device="npu:0")
    slope = torch.func.grad(lambda t: value(xp.asarray(t)))
    several = torch.func.vmap(slope)(t.reshape(1))
    with pytest.raises(NotImplementedError, match="no second derivative on NPUs"):
        torch.func.grad(slope)(t)
    x = t.requires_grad_()
    (first,) = torch.autograd.grad(value(xp.asarray(x)), x, create_graph=True)
    torch.testing.assert_close(first.detach(), several[0])
    with pytest.raises(RuntimeError):
        torch.autograd.grad(first, x)


PENCIL = (
    [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 4.0]],
    [[0.0, 1.0, 0.5], [1.0, 0.0, 0.3], [0.5, 0.3, 0.2]],
)


@pytest.mark.one_each
@pytest.mark.parametrize("case", others_nightly(SAMPLES, 80), ids=NAMES)
def test_vmap_equals_a_loop(case: Slope) -> None:
    if not case.batched:
        pytest.skip("how long the result is depends on the example")
    function = reached(case)
    batches = [torch.stack([x, x * 1.0625]) for x in tensors(case)]
    batches = [x.to(torch.complex64 if x.is_complex() else torch.float32) for x in batches]
    batches = [x.to("npu:0") for x in batches]
    with xp.options(host_fallback="allow"):
        together = torch.func.vmap(function)(*batches)
        apart = [function(*(x[i] for x in batches)) for i in range(2)]
    parts = zip(together, zip(*apart)) if isinstance(together, tuple) else [(together, apart)]
    for part, single in parts:
        torch.testing.assert_close(
            part.cpu(), torch.stack(tuple(single)).cpu(), rtol=2e-5, atol=2e-5
        )


@pytest.mark.nightly
@pytest.mark.parametrize(
    "function", [xp.copysign, xp.pow, xp.atan2, xp.hypot], ids=lambda f: f.__name__
)
def test_nested_derivatives_in_compiled_code(function: Any) -> None:
    """They are those of uncompiled code, of kernels that take numbers to pieces too."""
    x = xp.reshape(xp.linspace(0.1, 0.9, 12), (3, 4))
    y = xp.flip(xp.reshape(xp.linspace(0.4, 2.9, 12), (3, 4)))

    def loss(x: Any, y: Any) -> Any:
        return xp.to_torch(xp.sum(xp.square(function(x, y) * x)))

    def of_each(x: Any, y: Any) -> Any:
        return torch.func.vmap(torch.func.grad(loss))(x, y)

    def second(x: Any, y: Any) -> Any:
        total = torch.func.grad(lambda x: xp.to_torch(xp.sum(torch.func.grad(loss)(x, y))))
        return total(x)

    for derived in (of_each, second):
        torch._dynamo.reset()
        found = torch.compile(derived, backend="aot_eager", fullgraph=True)(x, y)
        torch.testing.assert_close(
            xp.to_torch(found), xp.to_torch(derived(x, y)), rtol=2e-5, atol=1e-6
        )
