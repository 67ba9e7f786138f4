"""Python scalars as second operands: where torch combines them exactly, without a tensor.

Imports no chapter, and names no device type: backends say how exact their kernels are.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from .._devices.device import spec_at
from .._options.settings import current, fast_offered
from .._reports.late_errors import following
from .._routes._faults import is_gone
from .._routes._operations import OPS
from .._torch import dtypes as dt
from .._torch import torch
from .._torch.tracing import constant

if TYPE_CHECKING:
    from torch import Tensor

    from .._devices.device import Spec
    from .._routes._operations import Kernel, Op

_EXACT_SCALARS: Final = {
    **{d: dt.LIMITS[d] for d in dt.SIGNED | {dt.uint8}},
    **dict.fromkeys(dt.FLOATING - dt.HALF, (-(2**53), 2**53)),
}
"""For each data type, the least and greatest Python integer that torch combines with it exactly."""


def _takes_scalars(op: Op, spec: Spec) -> bool:
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
        low, high = _exact_integers(spec)
        return bool(low <= value <= high) and _survives(spec, value)
    if not isinstance(value, float) or dtype not in _WITH_FLOATS:
        return False
    # torch raises for a float that overflows float32; we round it to infinity.
    return not (dtype in _SINGLE and _FLOAT32_MAX < abs(value) < math.inf) and _survives(
        spec, value
    )


def _survives(spec: Spec, value: float) -> bool:
    """Say whether a scalar keeps its value, also if the device passes it through float32."""
    if spec.dtype not in spec.device.backend.narrow_scalars:
        return True
    split = value * (2.0**29 + 1)  # Veltkamp's splitting: the first 24 bits equal the value
    return value == split - (split - value) and (not value or 2.0**-126 <= abs(value) < 2.0**128)


_WITH_FLOATS: Final = dt.FLOATING - dt.HALF
_SINGLE: Final = frozenset({dt.float32, dt.complex64})
_FLOAT32_MAX: Final[float] = torch.finfo(dt.float32).max


def takes_scalar(op: Op, spec: Spec, value: float) -> bool:
    """Say whether torch combines arrays of a data type with this Python scalar exactly."""
    if not _takes_scalars(op, spec) or isinstance(value, bool):
        return False
    if isinstance(value, float):
        return spec.dtype in dt.FLOATING and _survives(spec, value)
    low, high = _exact_integers(spec)
    return low <= value <= high and _survives(spec, value)


def _exact_integers(spec: Spec) -> tuple[int, int]:
    """Return the least and greatest Python integer that a device combines exactly."""
    low, high = _EXACT_SCALARS[spec.dtype]
    most = spec.device.backend.largest_scalar
    if most is None or spec.dtype in dt.FLOATING:
        return low, high
    return max(low, -most), min(high, most)


def learn_scalars(op: Op, spec: Spec, other: object) -> Kernel | None:
    """Remember, for a data type and device, how an operation takes a Python scalar.

    Return the fast kernel if ``npu_math="fast"`` chooses it for this scalar, else None.  The tables
    serve calls under every option: a fast kernel in them raises KeyError unless it is chosen.
    """
    if (
        spec not in op.integer_kernels
        and (own := _with_scalars(op, spec)) is not None
        and not is_gone(spec.device)
    ):
        _remember(op, spec, own, _exact_integers(spec))
    if not fast_offered() or not isinstance(other, (int, float)) or isinstance(other, bool):
        return None
    op.find(spec)
    fast = op.fast_with_scalars(spec)
    if fast is None or spec.dtype not in _EXACT_SCALARS or spec.dtype not in op.dtypes:
        return None
    if spec not in op.integer_kernels:
        _remember(op, spec, fast, _EXACT_SCALARS[spec.dtype])
    low, high = _EXACT_SCALARS[spec.dtype]
    fits = spec.dtype in dt.FLOATING if isinstance(other, float) else low <= other <= high
    return fast if fits and current().npu_math == "fast" else None


def _with_scalars(op: Op, spec: Spec) -> Kernel | None:
    """Return the kernel for a Python scalar as second operand, or None if there is none.

    The kernel raises KeyError for a scalar that it does not take; the fast path then takes the
    slow path.
    """
    if spec.dtype not in op.dtypes or spec.dtype not in _EXACT_SCALARS:
        return None
    if spec.sure is not spec:
        sure = _with_scalars(op, spec.sure)
        return None if sure is None else following(sure)
    if _takes_scalars(op, spec):
        exact = spec.device.backend.with_scalar(op.name, spec.dtype) or op.native
        narrow = spec.dtype in spec.device.backend.narrow_scalars
        return _by_survivor(exact, spec) if narrow else exact
    own: Kernel | None = getattr(op.find(spec), "with_scalar", None)
    if not spec.device.backend.exact_scalars:
        return own  # no forms here: the options may choose between kernels of a form
    if op.divides and spec.dtype in dt.INTEGER:
        return _by_nonzero(own or op.native) if own or op.is_native(spec) else None
    forms = op.forms
    if not forms:
        return own

    def kernel(x: Tensor, value: float) -> Tensor:
        form = forms.get(value)
        if form is not None:
            made: Tensor = form.table[spec](x)
        elif own is not None:
            made = own(x, value)
        else:
            raise KeyError(value)
        return made

    return kernel


def _by_nonzero(kernel: Kernel) -> Kernel:
    def divide(x: Tensor, value: int) -> Tensor:
        if value == 0:
            raise KeyError(value)  # the slow path raises our error
        result: Tensor = kernel(x, value)
        return result

    return divide


def _by_survivor(kernel: Kernel, spec: Spec) -> Kernel:
    def compute(x: Tensor, value: float) -> Tensor:
        if not _survives(spec, value):
            raise KeyError(value)  # the slow path makes a tensor of it
        result: Tensor = kernel(x, value)
        return result

    return compute


def _remember(op: Op, spec: Spec, kernel: Kernel, integers: tuple[int, int]) -> None:
    op.integer_kernels[spec] = (kernel, *integers)
    if spec.dtype in dt.FLOATING:
        op.float_kernels[spec] = kernel


# --- for the compiler -----------------------------------------------------------------------------


@constant
def takes_floats(op_name: str, dtype: torch.dtype, device: torch.device) -> bool:
    """Say whether torch takes any Python float beside tensors of a data type on a device."""
    return dtype in dt.FLOATING and _takes_any(op_name, spec_at(dtype, device))


@constant
def least_integer(op_name: str, dtype: torch.dtype, device: torch.device) -> int:
    """Return the least Python integer that torch combines exactly; 1 if it takes none."""
    spec = spec_at(dtype, device)
    return _exact_integers(spec)[0] if _takes_any(op_name, spec) else 1


@constant
def greatest_integer(op_name: str, dtype: torch.dtype, device: torch.device) -> int:
    """Return the greatest Python integer that torch combines exactly; 0 if it takes none."""
    spec = spec_at(dtype, device)
    return _exact_integers(spec)[1] if _takes_any(op_name, spec) else 0


def _takes_any(op_name: str, spec: Spec) -> bool:
    narrow = spec.dtype in spec.device.backend.narrow_scalars
    return not narrow and _takes_scalars(OPS[op_name], spec)
