"""Bits that are read as another data type, under torch's transformations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import ascend_array_api as xp
from ascend_array_api._routes._bits import _viewed, bits_as

VIEWS = pytest.mark.parametrize("view", [bits_as, _viewed])
"""The function of this torch, and that of a torch whose vmap has no rule for views."""

DTYPES = (torch.int32, torch.float64, torch.uint8, torch.int64, torch.float16)


@VIEWS
@pytest.mark.parametrize("dtype", DTYPES)
def test_views_are_numpys(view: Any, dtype: torch.dtype) -> None:
    x = torch.arange(24.0).reshape(2, 3, 4)
    expected = x.numpy().view(str(dtype).removeprefix("torch."))
    for got in (
        view(x, dtype),
        torch.vmap(lambda t: view(t, dtype))(x),
        torch.vmap(torch.vmap(lambda t: view(t, dtype)))(x),
        torch.vmap(lambda t: view(t, dtype), 1, 1)(x),
    ):
        np.testing.assert_array_equal(got.numpy(), expected)


@VIEWS
@pytest.mark.filterwarnings(
    "ignore:.torch.jit.script. is deprecated:DeprecationWarning"
)  # torch's own
def test_there_is_no_derivative_through_bits(view: Any) -> None:
    def loss(t: torch.Tensor) -> torch.Tensor:
        return (t * view(view(t, torch.int32), torch.float32)).sum()

    x = torch.arange(6.0).reshape(2, 3)
    assert torch.equal(torch.func.grad(loss)(x), x)
    assert torch.equal(torch.vmap(torch.func.grad(loss))(x), x)
    assert torch.equal(torch.func.hessian(loss)(x[0]), torch.zeros(3, 3))
    value, slope = torch.func.jvp(loss, (x,), (torch.ones_like(x),))
    assert (value.item(), slope.item()) == (55.0, 15.0)
    tracked = x.clone().requires_grad_()
    loss(tracked).backward()
    assert torch.equal(tracked.grad, x)
    compiled = torch.compile(loss, backend="eager", fullgraph=True)
    assert compiled(x).item() == 55.0


WORDS = [0, 1, 3, 2**31 + 5, 2**32 - 1]
LONG = [0, 1, 3, 2**63 + 5, 2**64 - 1]


@pytest.mark.parametrize(
    "expression",
    [
        "np.sort(x)",
        "np.sign(x)",
        "np.bitwise_right_shift(x, y)",
        "x // y",
        "x % y",
        "x**y",
        "np.minimum(x, y)",
        "x < y",
        "np.bitwise_xor(x, y)",
    ],
)
@pytest.mark.parametrize("dtype", ["uint32", "uint64"])
def test_unsigned_integers_under_vmap(expression: str, dtype: str) -> None:
    x = np.asarray(LONG if dtype == "uint64" else WORDS, dtype)
    x = np.stack([x, x[::-1]])
    y = np.asarray([[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]], dtype)
    expected = eval(expression, {"np": np, "x": x, "y": y})

    def ours(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        names = {"np": xp, "x": xp.asarray(a), "y": xp.asarray(b)}
        return xp.to_torch(eval(expression, names))

    got = torch.vmap(ours)(torch.from_numpy(x), torch.from_numpy(y))
    np.testing.assert_array_equal(got.numpy(), expected)


def test_float64_rounds_to_halves_under_vmap() -> None:
    x = np.asarray([[1 + 2**-11 + 2**-30, 1.0], [-(1 + 2**-11 + 2**-30), 7e4]])
    got = torch.vmap(lambda t: xp.to_torch(xp.astype(xp.asarray(t), xp.float16)))(torch.tensor(x))
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(got.numpy(), x.astype(np.float16))
