"""Rows, and the routes that they assign to operations.

A row says for which operations, data types and facts torch's own function is not good enough, why,
and which route to take.  Names no device type: a row of a backend applies to its device type.
"""

from __future__ import annotations

import functools
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from .._devices.device import host_spec
from .._devices.facts import everywhere
from .._reports import host_work
from .._reports.late_errors import flagged
from .._torch import dtypes as _dtypes
from .._torch import torch
from ._bits import bits_as
from ._operations import cast

if TYPE_CHECKING:
    from collections.abc import Callable, Set

    from .._devices.device import Spec
    from .._devices.facts import Where
    from ._evidence import Evidence
    from ._kernels import Kernel
    from ._operations import Op


class Route(Protocol):
    """A way to compute an operation where torch's own function is not good enough."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel of an operation for a data type and device."""


@dataclass(frozen=True)
class Native:
    """Torch's own function, after all: a row for one device type overrides one for every device."""

    scalars: bool = False
    """Whether the native function is also correct with a Python scalar as the second operand."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:  # noqa: ARG002
        """Return the native function."""
        return op.native


@dataclass(frozen=True)
class Compose:
    """A composition of other operations."""

    function: Callable[..., Any]
    with_number: Kernel | None = None
    """The same with a Python number as the second operand; KeyError for one that it refuses."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:  # noqa: ARG002
        """Return the composition."""
        return self.function


@dataclass(frozen=True)
class Via:
    """Compute in another data type, and cast the result back.

    ``dtype`` is one that holds all values of the operands, so that nothing is lost on the way.
    """

    dtype: torch.dtype

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the operation's kernel for the other data type, between two casts."""
        return _between(op, spec, self.dtype, cast, cast)


@dataclass(frozen=True)
class ViewAs:
    """Compute on the same bits, read as another data type of the same size.

    This serves operations that do not depend on the meaning of the bits: moving data, comparing
    for equality, and arithmetic modulo a power of two.
    """

    dtype: torch.dtype

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the operation's kernel for the other data type, between two views."""
        return _between(op, spec, self.dtype, bits_as, bits_as)


@dataclass(frozen=True)
class AsSigned:
    """Compute on the same bits, read as signed integers of that size, as ``ViewAs`` does."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the operation's kernel for signed integers, between two views."""
        return _between(op, spec, _dtypes.SIGNED_OF[spec.dtype], bits_as, bits_as)


@dataclass(frozen=True)
class Ordered:
    """Compute on signed integers that are ordered as the unsigned ones are.

    Flipping the sign bit maps the unsigned integers onto the signed ones in the same order, so
    this serves comparisons, extrema, sorting and searching.
    """

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the operation's kernel for the signed integers, between two flips."""
        return _between(op, spec, _dtypes.SIGNED_OF[spec.dtype], _flip_in, _flip_out)


@dataclass(frozen=True)
class Flagged:
    """A kernel that judges its operands itself: see ``flagged``."""

    function: Callable[..., Any]
    takes: Callable[..., bool]

    def kernel(self, op: Op, spec: Spec) -> Kernel:  # noqa: ARG002
        """Return the kernel; the composition for every device computes what it does not take."""
        return functools.wraps(op.native)(self.otherwise(op.native))

    def otherwise(self, kernel: Callable[..., Any]) -> Kernel:
        """Return the kernel, with another one for what it does not take."""
        return flagged(self.function, self.takes, kernel)


@dataclass(frozen=True)
class Host:
    """Compute on the host, where the user can see it: the last resort.

    The kernel copies the operands to the host and the results back, so it cannot serve an operation
    that writes to its operands.  The report to the user gives the reason of the row.
    """

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the operation's kernel for the CPU, between copies."""
        row = op.row(spec.dtype, spec.device.backend)
        reason = "" if row is None else row.reason
        device, contiguous = spec.device.torch_device, spec.device.backend.contiguous

        host = host_spec(spec)
        on_host = host.device.torch_device

        @functools.wraps(op.native, assigned=("__name__",), updated=())
        def kernel(*operands: Any, **parameters: Any) -> Any:
            size = 0

            def move(value: Any, where: torch.device) -> Any:
                nonlocal size
                if isinstance(value, torch.Tensor):
                    size += value.nbytes
                    there = value.contiguous() if contiguous and where == device else value
                    return there.to(where)
                if isinstance(value, tuple):
                    return tuple(move(v, where) for v in value)
                if isinstance(value, list):
                    return [move(v, where) for v in value]
                # Operations that create arrays take the device as an argument.
                return where if value == device else value

            # The user may have forbidden work on the host: ask before anything is copied.
            host_work.check(op.name, spec, reason)
            inputs = [move(operand, on_host) for operand in operands]
            options = {name: move(value, on_host) for name, value in parameters.items()}
            result = move(op.on(host)(*inputs, **options), device)
            host_work.record(op.name, spec, reason, size)
            return result

        return kernel


def _flip_in(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return torch.bitwise_xor(bits_as(tensor, dtype), _dtypes.LIMITS[dtype][0])


def _flip_out(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return bits_as(torch.bitwise_xor(tensor, _dtypes.LIMITS[tensor.dtype][0]), dtype)


def _between(
    op: Op,
    spec: Spec,
    dtype: torch.dtype,
    enter: Callable[[torch.Tensor, torch.dtype], torch.Tensor],
    leave: Callable[[torch.Tensor, torch.dtype], torch.Tensor],
) -> Kernel:
    """Return the kernel for ``dtype``, between conversions of the operands and of the result.

    It converts only operands of the spec's data type: masks and positions pass as they are.
    """
    inner = op.on(spec.of(dtype))
    outer = spec.dtype
    returns_data = op.returns == "same"

    def convert(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return enter(value, dtype) if value.dtype is outer else value
        return [convert(v) for v in value] if isinstance(value, list) else value

    @functools.wraps(op.native, assigned=("__name__",), updated=())
    def kernel(*operands: Any, **parameters: Any) -> Any:
        result = inner(*map(convert, operands), **parameters)
        return leave(result, outer) if returns_data else result

    return kernel


@dataclass(frozen=True, eq=False)
class Row:
    """A decision: these operations, for these data types, take this route if a condition holds.

    A row of a backend applies to its device type, a row of ``_routes`` to all device types.
    """

    ops: str
    """The names of the operations, separated by blanks."""
    dtypes: Set[torch.dtype]
    route: Route
    reason: str
    """Why torch's own function is not good enough."""
    evidence: Evidence
    """The kernels at fault, and the versions in which we saw the fault."""
    where: Where = everywhere
    """A condition on the facts of the device type and the machine."""
    fast: Route | None = None
    """The route to take if ``npu_math="fast"``: for kernels that are inexact, and no worse."""
    place: str = field(default_factory=lambda: _place(), init=False)  # noqa: PLW0108  # stands below
    """The file and line of the row, which ``python -m ascend_array_api why`` shows."""


def _place() -> str:
    """Return the file and line that makes a row, outside functions."""
    frame = sys._getframe(3)  # above this function, the field's lambda and the row's __init__
    while not frame.f_code.co_name.startswith("<") and frame.f_back is not None:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
