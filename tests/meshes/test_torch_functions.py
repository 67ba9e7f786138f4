"""Torch's own functions of divided tensors, which its derivatives call: as of the whole."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import ascend_array_api as xp
import ascend_array_api.distributed as xd
from ascend_array_api._backends.mesh._sharded import whole

VALUES = torch.tensor(np.random.default_rng(3).normal(size=(4, 3, 2, 5)))
PLANES = [(a, b) for a in range(4) for b in range(-4, 4) if a != b % 4]


def on_diagonal(t, offset, dim1, dim2):
    """Return a tensor after a write to one of its diagonals."""
    made = t + 0
    diagonal = torch.diagonal(made, offset, dim1, dim2)
    diagonal += torch.arange(diagonal.numel()).reshape(diagonal.shape)
    return made


def of_matrices(t):
    square = t[..., :2, :2]
    several = *torch.linalg.slogdet(square), *torch.linalg.inv_ex(square)
    return [*several, torch.linalg.det(square), torch.linalg.svdvals(t)]


def of_integers(t):
    n = (9 * t).to(torch.int8)
    return [torch.sum(n), torch.prod(n % 3, 1), torch.cumsum(n, 1), torch.sum(n, dtype=torch.half)]


FUNCTIONS = {
    "sums": lambda t: [torch.sum(t), torch.sum(t, (0, -1)), torch.mean(t, -2, keepdim=True)],
    "products": lambda t: [torch.prod(t, 1), torch.cumprod(t, -3), torch.cumsum(t, -1)],
    "integers": of_integers,
    "spread": lambda t: [
        torch.var(t),
        torch.std(t),
        torch.var(t, 1),
        torch.std(t, 0, keepdim=True),
    ],
    "extremes": lambda t: [
        torch.amax(t, (1, 3)),
        torch.amin(t, -1),
        torch.amax(t, 0, keepdim=True),
    ],
    "norms": lambda t: [
        torch.linalg.vector_norm(t, order, dim, keepdim=keepdim)
        for order, dim, keepdim in ((2, None, False), (1, -1, True), (3, (0, 2), False))
    ],
    "stack": lambda t: [torch.stack([t, 2 * t], d) for d in (-1, -2, 0, 2)],
    "cat": lambda t: [torch.cat([t, 2 * t, t], d) for d in (-1, -4, 2)],
    "triangles": lambda t: [torch.tril(t), torch.triu(t), torch.tril(t, -1), torch.triu(t, 1)],
    "matrices": of_matrices,
    "diag_embed": lambda t: [
        torch.diag_embed(t[0, :, 0]),
        *(torch.diag_embed(t, *rest) for rest in ((), (1,), (-2, 0), (0, 1, 3), (1, -1, 0))),
    ],
    "diagonal": lambda t: [torch.diagonal(t, k, *dims) for k in (0, 1, -1, 7) for dims in PLANES],
    "writes to diagonals": lambda t: [on_diagonal(t, k, *dims) for k in (0, 1) for dims in PLANES],
    "data types": lambda t: [
        *(t.view(dtype) for dtype in (torch.int64, torch.int32, torch.uint8)),
        t[..., :4].contiguous().view(torch.complex128),
    ],
    "pairs": lambda t: [
        torch.view_as_complex(t[..., :2].contiguous()),
        torch.view_as_real(torch.complex(t, 2 * t)),
    ],
    "select": lambda t: [t.select(d, i) for d in (-1, -2, 0, 1) for i in (-1, 1)],
    "unbind": lambda t: [row for d in (-1, 0, 1) for row in t.unbind(d)],
    "squeeze": lambda t: [t[:, 1:2].squeeze(1), t[..., :1, :1].squeeze(), t[:1].squeeze((0, 2))],
}


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_gives_what_it_gives_of_the_whole(name, size):
    expected = FUNCTIONS[name](VALUES)
    for axis in range(VALUES.dim()):
        x = xd.shard(VALUES.numpy(), axis, device=xd.init("cpu", simulate=size))
        with xp.options(gather="allow"):
            made = [whole(t) for t in FUNCTIONS[name](x._tensor)]
        torch.testing.assert_close(made, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("size", [1, 3])
def test_what_is_written_in_place_is_what_comes_back(size):
    t = xd.shard(VALUES.numpy(), 1, device=xd.init("cpu", simulate=size))._tensor
    with xp.options(gather="allow"):
        assert t.tril_() is t
    torch.testing.assert_close(whole(t), VALUES.tril())
