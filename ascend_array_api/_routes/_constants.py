"""Numbers that compositions need: as tensors that stay on the device, and as coefficients; loops.

Torch fills a tensor for a Python scalar that a kernel does not take.  On an accelerator that is one
more launch for each, so plain tensors get one that is kept.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final

from .._devices.device import spec_of
from .._torch import Tensor, torch
from .._torch.tracing import traced_as
from ._derivatives import readable


@functools.cache
def _kept(value: float, dtype: torch.dtype, device: torch.device) -> Tensor:
    with torch.inference_mode(mode=False):  # the cached tensor may serve derivatives later
        return torch.tensor(value, dtype=dtype, device=device)


def constant(value: float, x: Tensor) -> Tensor:
    """Return a number other than -0 as a tensor like another one, for kernels without scalars."""
    if readable(x):
        return _kept(value, x.dtype, x.device)
    return torch.full((), value, dtype=x.dtype, device=x.device)


def where(condition: Tensor, x: Tensor | float, y: Tensor | float) -> Tensor:
    """Select elements, one side of which may be a Python scalar other than -0."""
    if type(y) is float:
        if readable(x):  # type: ignore[arg-type]
            y = _kept(y, x.dtype, x.device)  # type: ignore[union-attr]
    elif type(x) is float and readable(y):  # type: ignore[arg-type]
        x = _kept(x, y.dtype, y.device)  # type: ignore[union-attr]
    return torch.where(condition, x, y)


def _addcdiv_in_steps(x: Tensor, a: Tensor, b: Tensor, *, value: float = 1) -> Tensor:
    return x + a / b if value == 1 else x + value * (a / b)


def _addcmul_in_steps(x: Tensor, a: Tensor, b: Tensor, *, value: float = 1) -> Tensor:
    return x + a * b if value == 1 else x + value * (a * b)


@traced_as(_addcdiv_in_steps)
def addcdiv(x: Tensor, a: Tensor, b: Tensor, *, value: float = 1) -> Tensor:
    """Return ``x + value * a / b`` in one kernel, or in steps if torch or a compiler fuses them."""
    return (_addcdiv_in_steps if fuses(x) else torch.addcdiv)(x, a, b, value=value)


@traced_as(_addcmul_in_steps)
def addcmul(x: Tensor, a: Tensor, b: Tensor, *, value: float = 1) -> Tensor:
    """Return ``x + value * a * b`` in one kernel, or in steps if torch or a compiler fuses them."""
    return (_addcmul_in_steps if fuses(x) else torch.addcmul)(x, a, b, value=value)


def fuses(x: Tensor) -> bool:
    """Say whether torch fuses calls on a tensor: sums, products and quotients, and few others."""
    return readable(x) and spec_of(x).device.backend.fuses(x.dtype)


def cut(x: Tensor) -> Tensor:
    """End a chain of calls that torch has collected to fuse them, and so launch it.

    torch_npu 2.13 ends the process if a chain is too long: 65 calls may be too many.  It knows a
    tensor that it has yet to compute as an object, so it computes that one when it meets a view.
    """
    return x.view(x.shape) if fuses(x) else x


_FEW: Final = 6
"""So many steps of a polynomial leave room for others in one chain."""


def polynomial(x: Tensor, coefficients: tuple[float, ...]) -> Tensor:
    """Return c0 + c1 x + c2 x**2 + ..., by Horner's scheme."""
    *lower, before, last = coefficients
    if fuses(x):
        x = cut(x) if len(lower) > _FEW else x
        result = x * last + before
        for coefficient in reversed(lower):
            result = result * x + coefficient
        return result
    if readable(x):
        dtype, device = x.dtype, x.device
        start = _kept(before, dtype, device)
        result = torch.addcmul(start, x, _kept(last, dtype, device))
        for coefficient in reversed(lower):
            result = torch.addcmul(_kept(coefficient, dtype, device), result, x)
        return result
    # Subtract: torch_npu hands a Python scalar that is added to float64 to the kernel as float32.
    result = x * last - -before
    for coefficient in reversed(lower):
        result = result * x - -coefficient
    return result


def repeated(
    like: Tensor,
    step: Callable[..., tuple[Any, ...]],
    state: tuple[Tensor | float, ...],
    *tables: Sequence[float],
) -> tuple[Tensor, ...]:
    """Repeat a step of a composition, once for each row of tables of Python scalars.

    Code that is generated from the composition has a loop here.  For that the step must not hand on
    a tensor in another way than as its result.

    Parameters
    ----------
    like : Tensor
        Any tensor of the composition.
    step : callable
        A function of a row and the state; it returns the next state, a tuple of real numbers.
    state : tuple
        The first state.
    *tables : sequence of numbers
        The columns of the rows, all of one length.
    """
    if not isinstance(like, torch.Tensor):  # a symbol
        return like.repeated(step, state, tables)
    for row in zip(*tables):
        state = step(*row, *state)
    return state  # type: ignore[return-value]
