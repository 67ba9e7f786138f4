"""Python numbers as second operands: where torch combines them exactly, without a tensor.

Names no device type: backends say how exact their kernels are.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from .._torch import Tensor, torch
from .._torch import dtypes as dt

if TYPE_CHECKING:
    from .._devices.device import Spec
    from ._kernels import Kernel
    from ._operations import Op

_EXACT_SCALARS: Final = {
    **{d: dt.LIMITS[d] for d in dt.SIGNED | {dt.uint8}},
    **dict.fromkeys(dt.FLOATING - dt.HALF, (-(2**53), 2**53)),
}
"""For each data type, the least and greatest Python integer that torch combines with it exactly."""


def takes_scalars(op: Op, spec: Spec) -> bool:
    """Say whether torch combines arrays of a data type with Python scalars exactly."""
    return (
        spec.dtype in op.dtypes
        and spec.dtype in _EXACT_SCALARS
        and op.takes_scalars(spec)
        and op.is_native(spec)
    )


def exact_scalar(spec: Spec, value: object) -> bool:
    """Say whether torch converts a Python number to a data type as we do, rounding included."""
    dtype = spec.dtype
    if isinstance(value, int) and not isinstance(value, bool) and dtype in _EXACT_SCALARS:
        low, high = exact_integers(spec)
        return bool(low <= value <= high) and _survives(spec, value)
    if not isinstance(value, float) or dtype not in _WITH_FLOATS:
        return False
    # torch raises for a float that overflows float32; we round it to infinity.
    return not (dtype in _SINGLE and _FLOAT32_MAX < abs(value) < math.inf) and _survives(
        spec, value
    )


def _survives(spec: Spec, value: float) -> bool:
    """Say whether a scalar keeps its value, also if the device passes it through float32."""
    return spec.dtype not in spec.device.backend.narrow_scalars or in_single(value)


def in_single(value: float) -> bool:
    """Say whether float32 holds a number without rounding it; in compiled code, if it is short.

    The compiler simplifies what is computed of a number that changes from call to call, as if
    nothing were rounded, so there only multiples of 1/8 are found.
    """
    if torch.compiler.is_compiling():
        return abs(value) < 2**20 and 8 * value == math.floor(8 * value)
    split = value * (2.0**29 + 1)  # Veltkamp's splitting: the first 24 bits equal the value
    return value == split - (split - value) and (not value or 2.0**-126 <= abs(value) < 2.0**128)


_WITH_FLOATS: Final = dt.FLOATING - dt.HALF
_SINGLE: Final = frozenset({dt.float32, dt.complex64})
_FLOAT32_MAX: Final[float] = torch.finfo(dt.float32).max


def takes_scalar(op: Op, spec: Spec, value: float) -> bool:
    """Say whether torch combines arrays of a data type with this Python scalar exactly."""
    if not takes_scalars(op, spec) or isinstance(value, bool):
        return False
    if isinstance(value, float):
        return spec.dtype in dt.FLOATING and _survives(spec, value)
    low, high = exact_integers(spec)
    return low <= value <= high and _survives(spec, value)


def exact_integers(spec: Spec) -> tuple[int, int]:
    """Return the least and greatest Python integer that a device combines exactly."""
    low, high = _EXACT_SCALARS[spec.dtype]
    most = spec.device.backend.largest_scalar
    if most is None or spec.dtype in dt.FLOATING:
        return low, high
    return max(low, -most), min(high, most)


NO_INTEGERS: Final = (0, -1)
"""Bounds between which no integer lies."""


def with_numbers(
    op: Op, spec: Spec, own: Kernel | None, users: Kernel, *, native: bool
) -> tuple[Kernel | None, tuple[int, int]]:
    """Return the kernel for a Python number as second operand, and the integers that it takes.

    It is None if there is none.  The kernel raises KeyError for a number that it does not take, as
    if it were missing.  ``own`` is the one of the row; ``users`` is the kernel for arrays, and
    ``native`` says that it is torch's own function.
    """
    if spec.dtype not in op.dtypes or spec.dtype not in _EXACT_SCALARS:
        return None, NO_INTEGERS
    backend = spec.device.backend
    if native and op.takes_scalars(spec):
        own = backend.with_scalar(op.name, spec.dtype) or op.native
        if spec.dtype in backend.narrow_scalars:
            own = _by_survivor(own, spec)
    # Elsewhere no forms: the options may choose between kernels of a form.
    elif backend.exact_scalars:
        if op.divides and spec.dtype in dt.INTEGER:
            own = _by_nonzero(own or op.native) if own or native else None
        elif op.forms:
            own = _by_form(op, spec, own)
        else:
            own = own or _by_tensor(users, spec)
    return own, exact_integers(spec)


def _by_form(op: Op, spec: Spec, own: Kernel | None) -> Kernel:
    forms = op.forms

    def compute_form(x: Tensor, value: float) -> Tensor:
        form = forms.get(value)
        if form is not None:
            if spec.dtype not in form.dtypes:
                raise KeyError(value)
            made: Tensor = form.kernels_for(spec).users(x)
        elif own is not None:
            made = own(x, value)
        else:
            raise KeyError(value)
        return made

    return compute_form


def _by_tensor(kernel: Kernel, spec: Spec) -> Kernel:
    overflows = spec.dtype in _SINGLE
    device = spec.device.torch_device

    def compute_by_tensor(x: Tensor, value: float) -> Tensor:
        if overflows and _FLOAT32_MAX < abs(value) < math.inf:
            raise KeyError(value)  # the slow path rounds it to infinity
        return kernel(x, torch.full((), value, dtype=spec.dtype, device=device))

    return compute_by_tensor


def _by_nonzero(kernel: Kernel) -> Kernel:
    def divide(x: Tensor, value: int) -> Tensor:
        if value == 0:
            raise KeyError(value)  # the slow path raises our error
        return kernel(x, value)

    return divide


def _by_survivor(kernel: Kernel, spec: Spec) -> Kernel:
    def compute(x: Tensor, value: float) -> Tensor:
        if not _survives(spec, value):
            raise KeyError(value)  # the slow path makes a tensor of it
        return kernel(x, value)

    return compute
