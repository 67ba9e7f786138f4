"""Derivatives of compositions, where those that torch finds by itself would be wrong.

Torch differentiates a composition step by step.  A step that sets a value right, such as
``where(x2 == 2, x1 * x1, pow(x1, x2))``, loses the derivative by ``x2``; one that takes an
exceptional case apart multiplies 0 by an infinite derivative of what it does not take.  So such a
composition comes with its partial derivatives, which are functions of the operands that are
differentiable in turn.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from torch.autograd import forward_ad

from .._torch import torch
from .._tracing import traced_as

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from ._engine import Kernel


def tracked(*tensors: Tensor) -> bool:
    """Say whether derivatives may be asked of what is computed from tensors.

    Within a transformation of ``torch.func`` a tensor does not always know.
    """
    return (
        (any(t.requires_grad for t in tensors) and torch.is_grad_enabled())
        or torch._C._are_functorch_transforms_active()
        or forward_ad._current_level >= 0
    )


def _traced_batched(*_: Tensor) -> bool:
    return torch._C._are_functorch_transforms_active()  # the compiler cannot ask a tensor


@traced_as(_traced_batched)
def batched(*tensors: Tensor) -> bool:
    """Say whether a tensor stands for others in a transformation of ``torch.func``."""
    return any(torch._C._functorch.is_functorch_wrapped_tensor(t) for t in tensors)


def differentiated(kernel: Kernel, partials: Callable[..., tuple[Tensor, ...]]) -> Kernel:
    """Return an elementwise kernel with its partial derivatives, in place of those torch finds.

    Parameters
    ----------
    kernel : callable
        A function of one tensor, or of two of one data type, which are broadcast.
    partials : callable
        The function of these tensors that returns the derivative by each of them.  For complex
        numbers these are the complex derivatives, so the kernel must be holomorphic.
    """
    operands = partials.__code__.co_argcount
    transformed = torch._C._are_functorch_transforms_active

    class Backward(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(*tensors: Tensor) -> Any:
            return kernel(*tensors)

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Tensor, ...], output: Any) -> None:  # noqa: ARG004
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx: Any, cotangent: Tensor) -> Any:
            saved = ctx.saved_tensors
            if torch.compiler.is_compiling():  # it takes no function of this kind within another
                saved = tuple(t.detach() for t in saved)
            factors = partials(*saved)
            if cotangent.is_complex():
                factors = tuple(torch.conj(factor) for factor in factors)
            return tuple(
                cotangent * factor if needed else None
                for factor, needed in zip(factors, ctx.needs_input_grad)
            )

    class BackwardAndForward(Backward):
        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Tensor, ...], output: Any) -> None:
            Backward.setup_context(ctx, inputs, output)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def jvp(ctx: Any, *tangents: Tensor | None) -> Any:
            factors = partials(*ctx.saved_tensors)
            parts = [f * t for f, t in zip(factors, tangents) if t is not None]
            return functools.reduce(torch.add, parts)

    def derive(*tensors: Tensor) -> Any:
        if len(tensors) > 1:
            tensors = torch.broadcast_tensors(*tensors)  # type: ignore[no-untyped-call]
        if torch.compiler.is_compiling():  # torch.compile takes no function with a jvp
            return Backward.apply(*tensors)  # type: ignore[no-untyped-call]
        return BackwardAndForward.apply(*tensors)  # type: ignore[no-untyped-call]

    # Two functions, and no call of tracked(), because the question is to cost next to nothing.

    @functools.wraps(kernel, assigned=("__name__",), updated=())
    def unary(x: Tensor) -> Any:
        if x.requires_grad or transformed() or forward_ad._current_level >= 0:
            return derive(x) if tracked(x) else kernel(x)
        return kernel(x)

    @functools.wraps(kernel, assigned=("__name__",), updated=())
    def binary(x1: Tensor, x2: Tensor) -> Any:
        if x1.requires_grad or x2.requires_grad or transformed() or forward_ad._current_level >= 0:
            return derive(x1, x2) if tracked(x1, x2) else kernel(x1, x2)
        return kernel(x1, x2)

    return binary if operands == 2 else unary
