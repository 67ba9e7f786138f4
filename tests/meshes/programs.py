"""Programs whose gradients on a mesh must be those of one device, simulated or between processes.

Each is given what makes an array of constants, and its parameters.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import torch

import ascend_array_api as xp
import ascend_array_api.distributed as xd

_RNG: Final = np.random.default_rng(0)
A: Final = _RNG.normal(size=(23, 3))
B: Final = _RNG.normal(size=(23, 4))
Y: Final = A @ np.arange(3.0) + _RNG.normal(size=23)
STACK: Final = np.stack([m @ m.T + 3 * np.eye(3) for m in _RNG.normal(size=(5, 3, 3))])

PROGRAMS: Final[dict[str, tuple[Callable[..., Any], tuple[tuple[int, ...], ...], str]]] = {}
"""Programs, the shapes of their parameters, and what they may gather."""


def program(*shapes: tuple[int, ...], gather: str = "error") -> Callable[..., Any]:
    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[function.__name__] = function, shapes, gather
        return function

    return add


@program((3,))
def ridge(made, w):
    return xp.mean((made(A) @ w - made(Y)) ** 2) + 0.1 * xp.sum(w**2)


@program((3,), ())
def logistic(made, w, b):
    z = made(A) @ w + b
    labels = made((Y > 0).astype(float))
    return xp.mean(xp.logaddexp(xp.zeros_like(z), z) - labels * z)


@program((3, 2))
def reconstruction(made, w):
    x = made(A)
    x = x - xp.mean(x, axis=0)
    return xp.sum((x - (x @ w) @ w.T) ** 2) / 23


@program((3, 5), (5,), (5, 1), (1,))
def network(made, w1, b1, w2, b2):
    hidden = xp.tanh(made(A) @ w1 + b1)
    return xp.mean(((hidden @ w2 + b2)[:, 0] - made(Y)) ** 2)


@program((3,))
def likelihood(made, w):
    x = made(A) * xp.exp(w)
    factor = xp.linalg.cholesky(x.T @ x + made(np.eye(3), whole=True))
    return xp.sum(xp.log(xp.linalg.diagonal(factor)))


@program((3,), (), gather="allow")
def likelihood_of_all(made, w, s):
    x = made(A) * xp.exp(w)
    k = x @ x.T + xp.exp(s) * made(np.eye(23))
    log = xp.sum(xp.log(xp.linalg.diagonal(xp.linalg.cholesky(k))))
    return log + xp.sum(xp.linalg.solve(k, made(Y)) * made(Y))


@program((3,))
def sums(made, w):
    x = made(A) * w
    of_axes = xp.sum(xp.sum(x, axis=0) ** 2) + xp.sum(xp.sum(x, axis=1) ** 3) + xp.sum(x) ** 2
    means = xp.mean(x, axis=0, keepdims=True) ** 2
    rows = xp.mean(x, axis=1, keepdims=True)
    return of_axes + xp.sum(means) + xp.sum(rows * made(A)) + xp.mean(x) ** 2


@program((3,))
def slices(made, w):
    x = made(A) * w
    some = xp.sum(x[2:17, :] ** 2) + xp.sum(x[::3, 1:] ** 3) + xp.sum(x[5, :] ** 2)
    return some + x[7, 1] * x[-1, 2] + xp.sum(x[::-1, 0] * made(Y))


@program((3,))
def masks(made, w):
    x = made(A) * w
    rows = xp.sum(x[made(Y) > 0, ...] ** 2)
    return rows + xp.sum(xp.where(x > 0, x, 0.1 * x) ** 2) + xp.sum(x[x > 0.1] ** 3)


@program((3,))
def joins(made, w):
    x = made(A) * w
    rows = xp.concat([x, made(B)[:, :3] * 2, x**2])
    columns = xp.concat([x, made(B)], axis=1)
    return xp.sum(rows**2) + xp.sum(xp.tanh(columns)) + xp.sum(xp.stack([x, x * x]) ** 3)


@program((3,))
def standardised(made, w):
    x = made(A) * w
    z = (x - xp.mean(x, axis=0)) / xp.std(x, axis=0, correction=1.0)
    return xp.sum(z**3) + xp.sum(xp.var(x, axis=1)) + xp.linalg.vector_norm(x)


@program((3,))
def moves(made, w):
    x = made(A) * w
    moved = xp.roll(x, 2, axis=0) * made(A) + xp.flip(x, axis=0) * made(A) ** 2
    shaped = xp.sum(xp.reshape(x, (3, 23)) @ made(Y)) + xp.sum(xp.permute_dims(x, (1, 0)) @ made(B))
    repeated = xp.sum(xp.tile(x, (2, 1)) ** 2) + xp.sum(xp.cumulative_sum(x, axis=0) ** 2)
    return xp.sum(moved) + shaped + repeated


@program((3,))
def positions(made, w):
    x, rows = made(A) * w, made(np.asarray([3, 3, 7, 22, 0, 1, 2, 9]))
    columns = made(np.asarray([2, 0, 0]), whole=True)
    of_rows = xp.sum(xp.take(x, rows, axis=0) ** 2) + xp.sum(x[rows, ...] ** 3)
    return of_rows + xp.sum(xp.take(x, columns, axis=1) ** 2)


@program((3,))
def extremes(made, w):
    x = made(A) * w
    return xp.sum(xp.max(x, axis=0)) + xp.min(x) + xp.sum(xp.max(x, axis=1) ** 2)


@program((23,), gather="allow")  # the derivative of a sort gathers
def sorts(made, w):
    return xp.sum(xp.sort(w) * w)


@program((3, 3))
def stacks(made, w):
    s = made(STACK) + w @ w.T
    return xp.sum(xp.linalg.inv(s)) * xp.sum(xp.linalg.slogdet(s)[1] ** 2)


@program((23, 3), (23, 3))
def large_parameters(made, u, v):
    v = v if str(v.device) == "cpu" else xd.replicate(v)
    assert str(v.device) == "cpu" or (xd.layout(u).axis, xd.layout(v).axis) == (0, None)
    return xp.sum((u.T @ made(B)) ** 2) + xp.sum(xp.linalg.vecdot(u, v) ** 2 * xp.sum(v * made(A)))


@program((3,), gather="allow")
def writes(made, w):
    x = made(A) * 1.0
    x *= w
    x[:, 0] = w[1] * made(Y)
    x[2:5, :] = w
    x[7, 1] = w[0] * 2
    x += w
    return xp.sum(x**2)


@program((3,))
def layouts(made, w):
    x = made(A) * w
    if str(x.device) == "cpu":
        return xp.sum(x**2) + xp.sum(x**3) + xp.sum(x**4) + xp.sum(x**5)
    several = [p**4 for p in xd.parts(x)]
    uneven = xd.from_parts(several if len(several) > 1 else several[0], device=x.device)
    whole = xp.sum(xd.gather(x**5))
    rest = xp.sum(xd.shard(x, 1) ** 2) + xp.sum(xd.replicate(x) ** 3) + xp.sum(uneven)
    return rest + xp.asarray(whole, device=x.device)


def on(device: Any, values: Any, *, whole: bool = False) -> Any:
    """Return an array on a device, with the whole of it in every process if that is asked for."""
    if whole and device != "cpu":
        return xd.replicate(values, device=device)
    return xp.asarray(values, device=device)


def computed(name: str, device: Any) -> list[list[torch.Tensor]]:
    """Return the value of a program, its gradients, and the gradients of their squares' sum."""
    function, shapes, gather = PROGRAMS[name]
    rng, made = np.random.default_rng(7), functools.partial(on, device)
    leaves = [torch.tensor(rng.normal(size=s), requires_grad=True) for s in shapes]

    with xp.options(gather=gather):
        parameters = [made(leaf, whole=len(leaf.shape) and leaf.shape[0] < 23) for leaf in leaves]
        value = xp.to_torch(function(made, *parameters))
        first = torch.autograd.grad(value, leaves, create_graph=True)
        total = sum((g * g).sum() for g in first)
        second = torch.autograd.grad(total, leaves)
    return [[t.detach() for t in several] for several in ([value], first, second)]


def differences(device: Any, *names: str) -> list[str]:
    """Return the programs whose results on a device are not those of the CPU, of all or some."""
    wrong = []
    for name in names or PROGRAMS:
        for label, own, expected in zip(
            ("value", "gradient", "second"), computed(name, device), computed(name, "cpu")
        ):
            alike = all(
                type(a) is torch.Tensor
                and a.shape == b.shape
                and torch.allclose(a.cpu(), b, rtol=1e-9, atol=1e-12)
                for a, b in zip(own, expected)
            )
            if not alike:
                wrong.append(f"{name}, {label}: {own}, expected {expected}")
    return wrong
