"""Products of float32 where a device rounds the operands first, put together from parts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch

from ascend_array_api._backends.cuda.linear_algebra import _matmul_floating
from ascend_array_api._backends.npu.products import in_halves
from ascend_array_api._routes.linear_algebra import matmul_in_parts

EPS = 2.0**-23
SHAPES = (
    ((3,), (3,)),
    ((5, 7), (7,)),
    ((7,), (7, 4)),
    ((40, 300), (300, 30)),
    ((3, 2, 5, 6), (2, 6, 3)),
    ((0, 3), (3, 2)),
    ((2, 0), (0, 3)),
)
ENDS = (-120, -40, 0, 40, 100)
"""Powers of 2 by which operands are scaled."""


def tf32(x: torch.Tensor) -> torch.Tensor:
    """Keep 11 binary digits of each number, as the units of a GPU do."""
    parts = np.ascontiguousarray(x.detach().resolve_conj().numpy()).view(np.uint32)
    kept = (parts & np.uint32(0xFFFFE000)).view(np.complex64 if x.is_complex() else np.float32)
    return x + (torch.from_numpy(kept) - x).detach() if bool(x.isfinite().all()) else x


def by_tf32(x1: torch.Tensor, x2: torch.Tensor) -> torch.Tensor:
    return torch.matmul(tf32(x1), tf32(x2))


class Halves(torch.overrides.TorchFunctionMode):
    """Products of matrices take their operands as float16, as the first NPUs' units do."""

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        if function is torch.matmul:
            args = tuple(x.to(torch.float16).to(torch.float32) for x in args)
        return function(*args, **(kwargs or {}))


def in_float16(x1: torch.Tensor, x2: torch.Tensor) -> torch.Tensor:
    with Halves():
        return in_halves(x1, x2)


def by_parts(x1: torch.Tensor, x2: torch.Tensor) -> torch.Tensor:
    return matmul_in_parts(x1, x2, by_tf32)


PRODUCTS = {"tf32": by_parts, "float16": in_float16}


def drawn(shape: tuple[int, ...], *, complex_too: bool = False) -> np.ndarray[Any, Any]:
    """Numbers of very different sizes."""
    rng = np.random.default_rng(shape)
    made = rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 3, shape)
    return made + 1j * rng.standard_normal(shape) if complex_too else made


def largest(x: np.ndarray[Any, Any], axis: int) -> np.ndarray[Any, Any]:
    """The sizes of elements as if all along an axis were as large as the largest."""
    x = np.abs(x)
    if not x.size:
        return x
    axis = axis if x.ndim > 1 else 0
    return np.broadcast_to(x.max(axis, keepdims=True), x.shape)


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("way", PRODUCTS)
def test_products_are_as_exact_as_those_of_float32(way: str, shapes: Any, end: int) -> None:
    a = np.ldexp(drawn(shapes[0]), end).astype(np.float32)
    b = np.ldexp(drawn(shapes[1]), -end // 2).astype(np.float32)
    got = PRODUCTS[way](torch.from_numpy(a), torch.from_numpy(b)).numpy()
    exact = a.astype(np.float64) @ b.astype(np.float64)
    sizes = np.abs(a).astype(np.float64) @ np.abs(b)
    unseen = largest(a, -1).astype(np.float64) @ largest(b, -2).astype(np.float64)
    bound = (6 * a.shape[-1] + 8) * EPS * sizes + 2.0**-30 * unseen
    # Digits below 2**-136 are none of the 11 that the units take.
    bound += 2.0**-135 * (np.abs(a) @ np.ones_like(b) + np.ones_like(a) @ np.abs(b))
    assert got.dtype == np.float32
    assert got.shape == exact.shape
    assert (np.abs(got - exact) <= bound).all()


def test_the_oracle_is_coarse() -> None:
    """Or the tests above would hold whatever the products were made of."""
    a, b = (torch.from_numpy(drawn(s).astype(np.float32)) for s in ((40, 300), (300, 30)))
    exact = a.double() @ b.double()
    with Halves():
        halves = torch.matmul(a, b)
    for coarse in (by_tf32(a, b), halves):
        assert (coarse - exact).abs().max() > 1e-4 * exact.abs().max()


def test_complex_products_in_parts() -> None:
    a, b = (drawn(s, complex_too=True).astype(np.complex64) for s in ((9, 50), (50, 8)))
    got = by_parts(torch.from_numpy(a), torch.from_numpy(b).conj()).numpy()
    exact = a.astype(np.complex128) @ b.conj().astype(np.complex128)
    assert (np.abs(got - exact) <= 600 * EPS * (np.abs(a) @ np.abs(b))).all()


@pytest.mark.parametrize("way", PRODUCTS)
def test_what_is_not_finite_stays_where_it_belongs(way: str) -> None:
    a = np.full((4, 5), 1e5, np.float32)
    b = np.full((5, 3), -2e5, np.float32)
    a[1, 2], a[2, 0], a[3, 1] = math.inf, math.nan, -math.inf
    b[1, 1], b[3, 2] = 0.0, math.inf
    got = PRODUCTS[way](torch.from_numpy(a), torch.from_numpy(b)).numpy()
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(got, a @ b, rtol=1e-6)


@pytest.mark.parametrize("way", PRODUCTS)
def test_products_overflow_only_where_the_result_does(way: str) -> None:
    a = torch.tensor([[3e38, 1e30], [2e-30, 0.0]])
    b = torch.tensor([[2.0, 1e-35, 1.0], [1.0, 3e-35, 2e-9]])
    got = PRODUCTS[way](a, b)
    torch.testing.assert_close(got, a @ b, rtol=1e-6, atol=1e-38)


@pytest.mark.parametrize("way", PRODUCTS)
def test_derivatives_are_those_of_the_products(way: str) -> None:
    a, b = (torch.from_numpy(drawn(s).astype(np.float32)) for s in ((6, 9), (9, 4)))
    a.requires_grad_()
    b.requires_grad_()
    value = PRODUCTS[way](a, b)
    assert (value - a.double() @ b.double()).abs().max() < 1e-5 * value.abs().max()
    weights = torch.from_numpy(drawn(tuple(value.shape)).astype(np.float32))
    got = torch.autograd.grad((value * weights).sum(), (a, b))
    expected = torch.autograd.grad(((a @ b) * weights).sum(), (a, b))
    for ours, theirs in zip(got, expected, strict=True):
        assert (ours - theirs).abs().max() <= 2e-2 * theirs.abs().max()


@pytest.mark.parametrize("dtype", [torch.float32, torch.complex64])
@pytest.mark.parametrize("function", [matmul_in_parts, in_halves])
@pytest.mark.filterwarnings(
    "ignore:.torch.jit.script. is deprecated:DeprecationWarning"
)  # torch's own
def test_products_of_views_transformed_and_compiled(function: Any, dtype: torch.dtype) -> None:
    if function is in_halves and dtype.is_complex:
        dtype = torch.float32  # complex products are made of real ones there
    draw = torch.Generator().manual_seed(0)
    a = torch.randn(4, 3, 5, dtype=dtype, generator=draw)
    b = torch.randn(4, 5, 2, dtype=dtype, generator=draw)
    value, slope = torch.func.jvp(function, (a, b), (a, b))
    made = (
        torch.vmap(function)(a, b),
        function(a.mT.contiguous().mT, torch.stack((b, b), -1)[..., 0]),
        function(a.conj(), b.conj()).conj(),
        torch.compile(function, backend="eager", fullgraph=True)(a, b),
        value,
        slope / 2,
    )
    for result in made:
        torch.testing.assert_close(result, a @ b)
    broad = function(a[:1].expand(4, 3, 5), b)
    torch.testing.assert_close(broad, a[:1] @ b)


def test_the_question_of_tf32_compiles() -> None:
    x = torch.ones(2, 2)
    compiled = torch.compile(_matmul_floating, backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(x, x), x @ x)
