"""Derivatives of compositions whose step-by-step derivatives would be wrong, and their questions.

Torch differentiates a composition step by step.  A step that corrects a value, such as
``where(x2 == 2, x1 * x1, pow(x1, x2))``, loses the derivative by ``x2``.  A step that handles an
exceptional case multiplies 0 by the infinite derivative of the branch not taken, which is NaN.  So
such a composition comes with its partial derivatives: functions of the operands, which can
themselves be differentiated.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final, TypeVar

from .._devices.device import spec_of
from .._torch import Tensor, torch
from .._torch.private import (
    differentiating,
    forward_twice,
    in_transform,
    is_wrapped,
    levels,
    where_differentiated,
)
from .._torch.tracing import constant, traced_as

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._kernels import Kernel


F = TypeVar("F", bound="Callable[..., Any]")


def tracked(*tensors: Tensor) -> bool:
    """Say whether torch may ask for derivatives of results that are computed from tensors."""
    for tensor in tensors:
        if tensor.requires_grad and torch.is_grad_enabled():
            return True
    # Within ``torch.func`` a tensor of an outer level does not say that it is differentiated.
    return differentiating()


def _traced_batched(*_: Tensor) -> bool:
    return in_transform()  # traced code cannot ask whether a tensor is wrapped


@traced_as(_traced_batched)
def batched(*tensors: Tensor) -> bool:
    """Say whether a transformation of ``torch.func`` wraps one of the tensors."""
    for tensor in tensors:  # noqa: SIM110  (a generator takes as long again)
        if is_wrapped(tensor):
            return True
    return False


def _traced_readable(*_: Tensor) -> bool:
    return False


@traced_as(_traced_readable)
def readable(*tensors: Tensor) -> bool:
    """Say whether a composition may read values: never of traced or transformed tensors."""
    for tensor in tensors:  # noqa: SIM110  (a generator takes as long again)
        if type(tensor) is not torch.Tensor or is_wrapped(tensor):
            return False
    return True


@traced_as(_traced_readable)
def at_hand(*tensors: Tensor) -> bool:
    """Say whether the host can read values without waiting for a device."""
    return readable(*tensors) and not spec_of(tensors[0]).device.backend.asynchronous


@traced_as(_traced_readable)
def plain(*tensors: Tensor) -> bool:
    """Say whether a kernel outside torch may take the tensors: readable, and not tracked.

    NumPy's functions and our own CUDA kernels are such kernels; torch cannot differentiate them.
    """
    if differentiating():
        return False
    for tensor in tensors:
        if type(tensor) is not torch.Tensor or is_wrapped(tensor):
            return False
        if tensor.requires_grad and torch.is_grad_enabled():
            return False
    return True


def _traced_step_by_step() -> bool:
    return in_transform() and _levels() > 1


@constant
def _levels() -> int:
    return levels()


@traced_as(_traced_step_by_step)
def step_by_step() -> bool:
    """Say whether an ``autograd.Function`` would lose derivatives, so that torch must find them.

    Through such a function, forward derivatives of forward derivatives are silently 0.  So are
    second derivatives in compiled code, where ``torch.vmap`` does not take the function either.
    """
    return forward_twice()


divided_types: Final[set[type]] = set()
"""The types of tensors that are divided over several devices; the mesh adds its own."""


@traced_as(_traced_readable)
def judged(*tensors: Tensor) -> bool:
    """Say whether an error in values can be noted now, to be raised later.

    Traced and transformed tensors have no values to check.  Divided tensors do: all processes of a
    mesh check them together.
    """
    for tensor in tensors:
        plain = type(tensor) is torch.Tensor and not is_wrapped(tensor)
        if not plain and type(tensor) not in divided_types:
            return False
    return True


_linear: Final[set[object]] = set()


def linear(partials: F) -> F:
    """Mark the partial derivatives of a function that is linear between its jumps."""
    _linear.add(partials)
    return partials


def differentiated(
    kernel: Kernel,
    partials: Callable[..., tuple[Tensor, ...]],
    *,
    native: Kernel | None = None,
) -> Kernel:
    """Return an elementwise kernel that torch differentiates by the given partial derivatives.

    Parameters
    ----------
    kernel : callable
        A function of one tensor, or of two of one data type, which are broadcast.
    partials : callable
        The function of these tensors that returns the derivative by each of them.  For complex
        numbers these are the complex derivatives, so the kernel must be holomorphic.
    native : callable, optional
        Torch's own function, for a kernel that takes numbers to pieces: step by step torch would
        find no derivative of it, or a wrong one.
    """
    operands = partials.__code__.co_argcount
    has_slopes = partials in _linear

    # By name, because torch.compile takes no ``*tensors`` of several within ``torch.vmap``.
    def of_one(x: Tensor) -> Any:
        return kernel(x)

    def of_two(x1: Tensor, x2: Tensor) -> Any:
        return kernel(x1, x2)

    class Backward(torch.autograd.Function):
        generate_vmap_rule = True
        forward = staticmethod(of_one if operands == 1 else of_two)

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Tensor, ...], output: Any) -> None:  # noqa: ARG004
            if torch.compiler.is_compiling():
                # Compiled code does not check the versions of saved tensors: if the user wrote to
                # them since, the derivative would be silently wrong.
                inputs = tuple(t.clone() for t in inputs)
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx: Any, cotangent: Tensor) -> Any:
            saved = ctx.saved_tensors
            if torch.compiler.is_compiling():
                # The partials may call a function with derivatives of its own, and the compiler
                # takes no ``autograd.Function`` within another.
                with torch.no_grad():
                    factors = partials(*saved)
            else:
                factors = partials(*saved)
            if cotangent.is_complex():  # torch's gradient is the conjugate of the derivative
                factors = tuple(torch.conj(factor) for factor in factors)
            return tuple(
                cotangent * factor if needed else None
                for factor, needed in zip(factors, ctx.needs_input_grad)
            )

    # A class of its own, because torch.compile refuses a function that has a ``jvp``.
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
        # ``backward`` does not sum over axes that broadcasting added.  The compiler does not see
        # that the operand of ``torch.func.grad`` itself is differentiated, but sees it of a view.
        if len(tensors) > 1 or torch.compiler.is_compiling():
            tensors = torch.broadcast_tensors(*tensors)  # type: ignore[no-untyped-call]
        if torch.compiler.is_compiling():
            return Backward.apply(*tensors)  # type: ignore[no-untyped-call]
        return BackwardAndForward.apply(*tensors)  # type: ignore[no-untyped-call]

    def asked(*tensors: Tensor) -> Any:
        if not tracked(*tensors) or (torch.compiler.is_compiling() and not torch.is_grad_enabled()):
            return kernel(*tensors)
        if step_by_step():
            return _by_slopes(*tensors) if has_slopes else _by_native(*tensors)
        return derive(*tensors)

    def _by_native(*tensors: Tensor) -> Any:
        if native is None:
            return kernel(*tensors)
        # Add a difference that is 0 and has torch's derivatives, at every level.
        still = tuple(t.detach() for t in tensors)
        change = native(*tensors) - native(*still)
        return kernel(*still) + torch.where(torch.isfinite(change), change, 0)

    def _by_slopes(*tensors: Tensor) -> Any:
        # Add slope * (x - at), which is 0 and has the derivative ``slope``.  Torch differentiates
        # this sum at every level.  Where a slope or an operand is not finite, 0 * inf would be NaN.
        still = tuple(t.detach() for t in tensors)
        result = kernel(*still)
        for x, at, slope in zip(tensors, still, partials(*still)):
            known = torch.isfinite(slope) & torch.isfinite(at)
            result = result + torch.where(known, x - at, 0) * torch.where(known, slope, 0)
        return result

    made = where_differentiated(kernel, asked, operands)
    made.partials = partials  # type: ignore[attr-defined]  # for those who ask what computes them
    return made
