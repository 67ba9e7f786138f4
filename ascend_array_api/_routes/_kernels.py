"""The desk: all kernels of an operation for one data type and device, found together.

``kernels_of`` is the place where a kernel gets what it needs beside its row.  It lists every
wrapper in order; each is named for what it adds.  Nothing else comes between an operation and
torch, whether the second operand is an array or a Python number.
"""

from __future__ import annotations

import functools
import math
from dataclasses import KW_ONLY, dataclass, replace
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

from .._devices.backend import SINGLE
from .._options import settings
from .._reports import late_errors
from .._torch import dtypes as _dtypes
from .._torch import torch
from .._torch.tracing import untraced
from . import _faults
from ._bits import in_single
from ._dimensions import in_matrices, in_order

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._devices.device import Device, Spec
    from ._operations import Op

Kernel: TypeAlias = "Callable[..., torch.Tensor]"
"""A function of tensors, with the signature that the operation's native function has.

A few return several tensors, or nothing: who calls these says so.
"""

OPS: Final[dict[str, Op]] = {}
"""All operations by name."""

_SHARING: Final = frozenset(
    {"copy_to", "imag", "index_put", "mask_fill", "put_inside", "real", "reshape"}
)
"""Operations that write to an operand, or return a view of it."""

NO_INTEGERS: Final = (0, -1)
"""Bounds between which no integer lies."""


@final
@dataclass(frozen=True, slots=True)
class Kernels:
    """The kernels of an operation for one data type and device, by who calls them.

    A record does not change: another one replaces it in ``Op.kernels`` if its device fails.
    """

    bare: Kernel
    """The exact kernel, whose errors are those of torch."""
    exact: Kernel
    """The exact kernel, which explains faults of its device: for compositions and for other
    operations."""
    users: Kernel
    """The kernel of the functions that users call: options may choose it, and it judges divisors.
    These functions explain faults themselves."""
    _: KW_ONLY
    fast: Kernel | None = None
    """The kernel that the option ``npu_math="fast"`` chooses."""
    with_float: Kernel | None = None
    """The kernel that takes a Python float as the second operand.  It raises KeyError for one that
    it does not take after all."""
    with_integer: Kernel | None = None
    """The kernel that takes a Python integer so."""
    low: int = 0
    """The least integer that is given to it."""
    high: int = -1
    """The greatest one."""
    judged: bool = False
    """Whether ``users`` judges its operands, and marks its results itself."""
    plain: Spec | None = None
    """The spec of the result if the kernel of all callers is torch's own function, and its errors
    are no faults of a device.  Then a shortcut may call that function."""

    def wrapped(self, wrap: Callable[[Kernel], Kernel]) -> Kernels:
        """Return the kernels with one more wrapper around each."""
        return replace(
            self,
            bare=wrap(self.bare),
            exact=wrap(self.exact),
            users=self.users if self.judged else wrap(self.users),
            fast=None,
            with_float=self.with_float and wrap(self.with_float),
            with_integer=self.with_integer and wrap(self.with_integer),
            plain=None,
        )

    def takes(self, value: float) -> Kernel | None:
        """Return the kernel for a Python float or integer, or None if there is none."""
        if type(value) is float:
            return self.with_float
        return self.with_integer if self.low <= value <= self.high else None


def kernels_of(op: Op, spec: Spec, *, compiled: bool = False) -> Kernels:
    """Find the kernels of an operation for a data type and device, each with its wrappers.

    Parameters
    ----------
    op : Op
        The operation.
    spec : Spec
        The data type and device.
    compiled : bool
        Whether the kernels are for compiled code, for which some rows are.
    """
    device, backend = spec.device, spec.device.backend
    if device.gone:
        return refusing(op.name, spec)
    if spec.sure is not spec:
        return op.kernels_for(spec.sure).wrapped(late_errors.following)

    # The kernel itself: torch's own function, or the route of a row.
    usual = op.row(spec.dtype, backend)
    row = (op.compiled_row(spec) or usual) if compiled else usual
    kernel = op.native if row is None else row.route.kernel(op, spec)
    if device.local is not device:
        kernel = untraced(kernel)  # a mesh: the compiler cannot trace its parts
    if op.reduces and backend.most_dimensions is not None:
        kernel = in_matrices(kernel, backend.most_dimensions)
    kernel = keeps_dtypes(keeps_order(kernel, op, spec), op, spec)
    route = None if usual is None else usual.fast
    fast = None
    if route is not None:
        fast = keeps_dtypes(keeps_order(route.kernel(op, spec), op, spec), op, spec)

    # For compositions and other operations.
    exact = explains_faults(kernel, op.name, device) if backend.faults else kernel

    # For users' functions.  A composition that divides must not blame its user for a divisor of 0,
    # and must stay exact whatever the options say.
    users = kernel if fast is None else follows_option(kernel, fast)
    divides = op.divides and spec.dtype in _dtypes.INTEGER
    judged = op.judge is not None and spec.late and divides is op.divides
    if op.judge is not None and judged:
        users = op.judge(users, op.name, spec)
    if op.name == "cast" and spec.late and not compiled:
        # It is called with bare tensors, and no spec says that these may be wrong.
        exact, users = late_errors.following(exact), late_errors.following(users)

    own = None if row is None else getattr(row.route, "with_number", None)  # Compose has it
    own = None if own is None else keeps_order(own, op, spec)
    with_number, integers = with_numbers(op, spec, own, users, native=kernel is op.native)
    if fast is not None and getattr(route, "scalars", False) and integers != NO_INTEGERS:
        of_number = takes_only(fast, bool) if divides else fast
        with_number = follows_option(with_number or _takes_none, of_number)

    low, high = NO_INTEGERS if with_number is None else integers
    plain = kernel is exact is users is op.native and spec.dtype in op.dtypes
    return Kernels(
        kernel,
        exact,
        users,
        fast=fast,
        with_float=with_number if spec.dtype in _dtypes.FLOATING else None,
        with_integer=with_number,
        low=low,
        high=high,
        judged=judged,
        plain=op.result(spec) if plain else None,
    )


def refusing(name: str, spec: Spec) -> Kernels:
    """Return the kernels for a device that has failed or belongs to another process.

    They take no number that the data type does not, which is another error.
    """

    def refuse(*_: Any, **__: Any) -> Any:
        raise _faults.no_device(name, spec.device)

    with_float = refuse if spec.dtype in _dtypes.FLOATING else None
    low, high = _dtypes.LIMITS.get(spec.dtype, NO_INTEGERS)
    return Kernels(
        *(refuse, refuse, refuse), with_float=with_float, with_integer=refuse, low=low, high=high
    )


# --- wrappers -------------------------------------------------------------------------------------


def keeps_order(kernel: Kernel, op: Op, spec: Spec) -> Kernel:
    """Give a kernel operands whose axes are in order, where others would be computed wrongly."""
    if spec.device.backend.keeps_strides or op.name in _SHARING:
        return kernel
    return in_order(kernel)


def keeps_dtypes(kernel: Kernel, op: Op, spec: Spec) -> Kernel:
    """Let a kernel compute in the data types that it is given, within ``torch.autocast`` too.

    Autocasting would make torch's products compute in, and return, another data type.
    """
    # A Python function may call anything of torch's; of a builtin the name tells all.
    python = isinstance(kernel, (FunctionType, functools.partial)) and op.name not in SINGLE
    bare = op.moves or (kernel is op.native and not python)
    if not spec.device.backend.autocasts(op.name, spec.dtype, bare=bare):
        return kernel
    device_type = spec.device.local.type
    if not torch.amp.is_autocast_available(device_type):
        return kernel

    @functools.wraps(kernel, assigned=("__name__",))
    def keep_dtypes(*operands: Any, **parameters: Any) -> Any:
        if not torch.is_autocast_enabled(device_type):
            return kernel(*operands, **parameters)
        with torch.autocast(device_type, enabled=False):
            return kernel(*operands, **parameters)

    return keep_dtypes


def explains_faults(kernel: Kernel, name: str, device: Device) -> Kernel:
    """Let a kernel explain the faults of its device."""

    @functools.wraps(kernel, assigned=("__name__",), updated=())
    def explain_faults(*operands: Any, **parameters: Any) -> Any:
        try:
            return kernel(*operands, **parameters)
        except RuntimeError as error:
            _faults.check_fault(error, name, device, operands)
            raise

    return explain_faults


def follows_option(exact: Kernel, fast: Kernel) -> Kernel:
    """Let the option ``npu_math`` choose between two kernels at each call."""

    @functools.wraps(exact, assigned=("__name__",), updated=())
    def follow_option(*operands: Any, **parameters: Any) -> Any:
        chosen = fast if settings.current().npu_math == "fast" else exact
        return chosen(*operands, **parameters)

    return follow_option


def divided_as_in_numpy(
    exact: Kernel, spec: Spec, x1: torch.Tensor, x2: torch.Tensor, **parameters: Any
) -> torch.Tensor:
    """Divide integers by a kernel that takes no divisor of 0: such quotients are 0, as in NumPy."""
    choose = OPS["where"].on(spec)
    zero, one = (
        torch.full((), v, dtype=spec.dtype, device=spec.device.torch_device) for v in (0, 1)
    )
    is_zero = OPS["equal"].on(spec)(x2, zero)
    quotient: torch.Tensor = exact(x1, choose(is_zero, one, x2), **parameters)
    return choose(is_zero, zero, quotient)


# --- Python numbers -------------------------------------------------------------------------------

_EXACT_INTEGERS: Final = {
    **{d: _dtypes.LIMITS[d] for d in _dtypes.SIGNED | {_dtypes.uint8}},
    **dict.fromkeys(_dtypes.FLOATING - _dtypes.HALF, (-(2**53), 2**53)),
}
"""For each data type, the least and greatest Python integer that torch combines with it exactly."""

_SINGLE: Final = frozenset({_dtypes.float32, _dtypes.complex64})
_FLOAT32_MAX: Final[float] = torch.finfo(_dtypes.float32).max


def exact_integers(spec: Spec) -> tuple[int, int]:
    """Return the least and greatest Python integer that a device combines exactly."""
    low, high = _EXACT_INTEGERS[spec.dtype]
    most = spec.device.backend.largest_scalar
    if most is None or spec.dtype in _dtypes.FLOATING:
        return low, high
    return max(low, -most), min(high, most)


def exact_scalar(spec: Spec, value: object) -> bool:
    """Say whether torch converts a Python number to a data type as we do, rounding included."""
    dtype = spec.dtype
    if dtype not in _EXACT_INTEGERS or isinstance(value, bool):
        return False
    if isinstance(value, int):
        low, high = exact_integers(spec)
        exact = low <= value <= high
    elif isinstance(value, float) and dtype in _dtypes.FLOATING:
        # torch raises for a float that overflows float32; we round it to infinity.
        exact = dtype not in _SINGLE or not _FLOAT32_MAX < abs(value) < math.inf
    else:
        return False
    return exact and (dtype not in spec.device.backend.narrow_scalars or in_single(value))


def takes_scalars(op: Op, spec: Spec) -> bool:
    """Say whether torch combines arrays of a data type with Python scalars exactly."""
    return (
        spec.dtype in op.dtypes
        and spec.dtype in _EXACT_INTEGERS
        and op.takes_scalars(spec)
        and op.is_native(spec)
    )


def takes_scalar(op: Op, spec: Spec, value: object) -> bool:
    """Say whether torch combines arrays of a data type with this Python scalar exactly."""
    return takes_scalars(op, spec) and exact_scalar(spec, value)


def with_numbers(
    op: Op, spec: Spec, own: Kernel | None, users: Kernel, *, native: bool
) -> tuple[Kernel | None, tuple[int, int]]:
    """Return the kernel for a Python number as second operand, and the integers that it takes.

    It is None if there is none.  The kernel raises KeyError for a number that it does not take, as
    if it were missing.  ``own`` is the one of the row; ``users`` is the kernel for arrays, and
    ``native`` says that it is torch's own function.
    """
    if spec.dtype not in op.dtypes or spec.dtype not in _EXACT_INTEGERS:
        return None, NO_INTEGERS
    backend = spec.device.backend
    if native and op.takes_scalars(spec):
        own = backend.with_scalar(op.name, spec.dtype) or op.native
        if spec.dtype in backend.narrow_scalars:
            own = takes_only(own, in_single)
    # Elsewhere no forms: the options may choose between kernels of a form.
    elif backend.exact_scalars:
        if op.divides and spec.dtype in _dtypes.INTEGER:
            own = takes_only(own or op.native, bool) if own or native else None
        elif op.forms:
            own = by_form(op, spec, own or _takes_none)
        else:
            own = own or by_tensor(users, spec)
    return own, exact_integers(spec)


def _takes_none(_: torch.Tensor, value: float) -> Any:
    raise KeyError(value)


def takes_only(kernel: Kernel, fits: Callable[[float], bool]) -> Kernel:
    """Let a kernel take only numbers that fit: a tensor is made of any other, on the slow path."""

    def take(x: torch.Tensor, value: float) -> torch.Tensor:
        return kernel(x, value) if fits(value) else _takes_none(x, value)

    return take


def by_form(op: Op, spec: Spec, otherwise: Kernel) -> Kernel:
    """Return the kernel that computes by another operation for some numbers: a square for 2."""
    forms = op.forms

    def compute_form(x: torch.Tensor, value: float) -> torch.Tensor:
        form = forms.get(value)
        if form is None:
            return otherwise(x, value)
        if spec.dtype not in form.dtypes:
            raise KeyError(value)
        return form.kernels_for(spec).users(x)

    return compute_form


def by_tensor(kernel: Kernel, spec: Spec) -> Kernel:
    """Return the kernel for arrays, which makes a tensor of the number."""
    overflows = spec.dtype in _SINGLE
    device = spec.device.torch_device

    def compute_by_tensor(x: torch.Tensor, value: float) -> torch.Tensor:
        if overflows and _FLOAT32_MAX < abs(value) < math.inf:
            raise KeyError(value)  # the slow path rounds it to infinity
        return kernel(x, torch.full((), value, dtype=spec.dtype, device=device))

    return compute_by_tensor
