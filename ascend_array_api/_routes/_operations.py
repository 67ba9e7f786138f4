"""Operations: how a kernel is found for a data type and device, and kept.

A kernel is a function of tensors that is correct for one operation, data type and device.  The
engine finds each kernel once, by rows and facts, and keeps it.  It never runs an operation to find
out whether it fails, because an accelerator may report the error much later.

This module knows of no chapter and of no device type: it asks the backend of a device.
"""

from __future__ import annotations

import functools
import importlib
import os
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, final

from .._devices import backends
from .._devices.device import spec_at, spec_named, spec_of
from .._options import relaxed, settings
from .._torch import dtypes as _dtypes
from .._torch import torch
from .._torch.tracing import called, constant, give_name, traced_as
from . import _faults, _kernels
from ._kernels import (
    NO_INTEGERS,
    Kernel,
    Kernels,
    divided_as_in_numpy,
    exact_integers,
    kernels_of,
    refusing,
    takes_scalars,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from .._devices.backend import Backend
    from .._devices.device import Device, Spec
    from .._devices.facts import Facts
    from ._rows import Row

Returns: TypeAlias = Literal["same", "bool", "real", "complex", "other"]
"""The data type of an operation's result: the data type of the operands, boolean, that of their
real part, the complex one whose parts have it, or one that the kernel itself decides."""

OPS: Final = _kernels.OPS


def cast(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return the tensor in another data type, or the tensor itself if it has that type already."""
    if tensor.dtype is dtype:
        return tensor
    return CAST(tensor, dtype)


def cast_as_chosen(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Cast for a function that users call: by the fast kernel if the options ask for it."""
    if tensor.dtype is dtype:
        return tensor
    return call_with_scalars(CAST, spec_of(tensor), "astype", tensor, dtype)


def call_with_scalars(
    op: Op, spec: Spec, function: str, x: torch.Tensor, *scalars: object
) -> torch.Tensor:
    """Run the kernel of an operation for users on a tensor and on what is none."""
    try:
        result: torch.Tensor = op.for_users(spec)(x, *scalars)
    except RuntimeError as error:
        _faults.check_fault(error, function, spec.device, (x,))
        raise
    return result


@final
@dataclass(eq=False, repr=False, slots=True)
class Op:
    """An operation on tensors: its name, torch's own function, and its kernels found so far.

    ``kernels`` has the kernels found so far, by data type and device.  A missing record sends a
    call to the slow path, which finds it.  There is none of a data type that is not declared.
    ``mixed`` has those for two operands of different specs, each with the spec to which it casts.

    Parameters
    ----------
    name : str
        The name by which rows refer to it.
    function : callable
        Torch's own function, or a thin wrapper of ours with the signature that chapters call; kept
        as ``native``.
    dtypes : frozenset of dtype
        The data types of operands for which the operation is defined.
    returns : {"same", "bool", "real", "complex", "other"}
        The data type of the result.
    scalars : bool
        Whether the native function takes a Python scalar as the second operand.  The backend of a
        device says whether the result is as exact as with a 0-dimensional tensor.
    inplace : callable, optional
        Torch's function that overwrites its first operand.
    forms : dict, optional
        The operations that take its place for certain Python scalars as the second operand: the
        power of 2 is the square.
    divides : bool
        Whether it has no result for integers if the second operand is 0.
    judge : callable, optional
        Makes the kernel of an asynchronous device that judges positions or divisors for users: from
        the kernel that does not, the name, and the spec.
    mixes : bool
        Whether it accepts integers as floating-point numbers and promotes mixed kinds as NumPy
        does, in strict mode too.  SciPy's functions, which the standard does not have, do so.
    reduces : bool
        Whether it takes ``dim`` and ``keepdim``, and makes one number of each row of a matrix.
    raises : bool
        Whether its kernels raise errors of values, which a late device reports later.
    moves : bool
        Whether it moves elements and computes none, so that autocast finds no data type to change
        in its kernels, which may be Python functions.
    """

    name: str
    function: InitVar[Callable[..., Any]]
    dtypes: frozenset[torch.dtype]
    _: KW_ONLY
    returns: Returns = "same"
    scalars: bool = False
    inplace: Kernel | None = None
    forms: Mapping[float, Op] = field(default_factory=dict)
    mixes: bool = False
    reduces: bool = False
    raises: bool = False
    moves: bool = False
    divides: bool = False
    judge: Callable[[Kernel, str, Spec], Kernel] | None = None
    native: Kernel = field(init=False)
    kernels: dict[Spec, Kernels] = field(default_factory=dict, init=False)
    mixed: dict[tuple[Spec, Spec], tuple[Kernel, Spec]] = field(default_factory=dict, init=False)
    _rows: dict[torch.dtype, list[Row]] = field(default_factory=dict, init=False)

    def __post_init__(self, function: Callable[..., Any]) -> None:
        self.native = function
        if self.name in OPS:
            raise ValueError(f"there are two operations named {self.name!r}")
        OPS[self.name] = self

    def __call__(self, x: torch.Tensor, *others: Any, **parameters: Any) -> torch.Tensor:
        """Compute by the kernel for the data type and device of the first operand."""
        return self.on(spec_of(x))(x, *others, **parameters)  # or several

    def row(self, dtype: torch.dtype, backend: Backend) -> Row | None:
        """Return the row that decides for a data type on devices of a backend, if there is one.

        The backend's rows come before the rows for every device.  Its overriding modules come
        first, one after the other.
        """
        key = self.name, dtype
        groups = [
            _rows_of(modules).get(key) for modules in (*zip(backend.overriding), backend.rows)
        ]
        # A mesh leaves the rows for every device to the devices that hold its parts.
        groups.append([_usual(backend.usual)] if backend.usual else self._rows.get(dtype))
        # Within one group at most one row may certainly hold; between groups the first one wins.
        for rows in groups:
            row = chosen(rows, self.name, dtype, backend.facts) if rows else None
            if row is not None:
                return row
        return None

    def compiled_row(self, spec: Spec) -> Row | None:
        """Return the row for compiled code alone, if there is one."""
        backend = spec.device.backend
        rows = _rows_of(backend.compiled).get((self.name, spec.dtype))
        return chosen(rows or (), self.name, spec.dtype, backend.facts)

    def common_row(self, dtype: torch.dtype, facts: Facts) -> Row | None:
        """Return the row for every device that holds for these facts, if there is one."""
        rows = self._rows.get(dtype)
        return chosen(rows, self.name, dtype, facts) if rows else None

    def takes_scalars(self, spec: Spec) -> bool:
        """Say whether the native function takes Python scalars, and exactly, on a device."""
        return self.scalars and spec.device.backend.takes_scalars(self.name, spec.dtype)

    def kernels_for(self, spec: Spec) -> Kernels:
        """Return the kernels for a data type and device, found now if they are not known yet."""
        try:
            return self.kernels[spec]
        except KeyError:
            found = kernels_of(self, spec)
            # With a record of another data type the fast paths would take what functions refuse.
            return self.kernels.setdefault(spec, found) if spec.dtype in self.dtypes else found

    def mix(self, first: Spec, second: Spec, common: Spec) -> None:
        """Find the kernel for two operands of different specs, which are cast to a common one."""
        kernel, dtype = self.kernels_for(common).users, common.dtype
        cast1, cast2 = (
            cast if spec.dtype is dtype else CAST.kernels_for(spec).exact
            for spec in (first, second)
        )
        mixed = lambda x1, x2: kernel(cast1(x1, dtype), cast2(x2, dtype))  # noqa: E731
        # Real numbers beside complex ones of the same precision torch casts as we do.
        alike = common.device.plain and {first.real, second.real} == {common.real}
        self.mixed[first, second] = kernel if alike and self.is_plain(common) else mixed, common

    def is_plain(self, spec: Spec) -> bool:
        """Say whether a shortcut may call torch's own function."""
        return (self.kernels.get(spec) or self.kernels_for(spec)).plain is not None

    def _traced_on(self, spec: Spec) -> Kernel:
        kernel: Kernel = called(_name("bare", self.name, spec.dtype, spec.device._name))
        return kernel

    @traced_as(_traced_on)
    def on(self, spec: Spec) -> Kernel:
        """Return the exact kernel for a spec, for compositions and other operations."""
        return (self.kernels.get(spec) or self.kernels_for(spec)).exact

    def _traced_for_users(self, spec: Spec) -> Kernel:
        name = _name("fast", self.name, spec.dtype, spec.device._name)
        if not name or settings.current().npu_math != "fast":
            name = _name("users", self.name, spec.dtype, spec.device._name)
        kernel: Kernel = called(name)
        if self.divides and spec.dtype in _dtypes.INTEGER and relaxed.on():
            return functools.partial(divided_as_in_numpy, kernel, spec)
        return kernel

    @traced_as(_traced_for_users)
    def for_users(self, spec: Spec) -> Kernel:
        """Return the kernel for a function that users call, which explains faults itself."""
        return (self.kernels.get(spec) or self.kernels_for(spec)).users

    def result(self, spec: Spec) -> Spec:
        """Return the spec of the result; the one of the operands if the kernel itself decides."""
        if self.returns == "bool":
            return spec.bool
        if self.returns == "complex":
            return spec.of(_dtypes.COMPLEX_OF[spec.dtype])
        return spec.real if self.returns == "real" else spec

    def clear(self) -> None:
        """Forget all kernels, so that the next calls decide anew."""
        self.kernels.clear()
        self.mixed.clear()

    def forget(self, device: Device) -> None:
        """Refuse all further work on a device, which has failed or belongs to another process."""
        # The fast paths then raise without asking at every call whether the device still works.
        for spec in [s for s in self.kernels if s.device is device]:
            self.kernels[spec] = refusing(self.name, spec)
        self.mixed.clear()

    def _traced_is_native(self, spec: Spec) -> bool:
        return _is_native(self.name, spec.dtype, spec.device._name)

    @traced_as(_traced_is_native)
    def is_native(self, spec: Spec) -> bool:
        """Say whether torch's own function is the kernel."""
        return self.kernels_for(spec).bare is self.native

    def add_row(self, row: Row) -> None:
        """Add a row that applies to every device type whose facts fulfil its condition."""
        for dtype in row.dtypes:
            self._rows.setdefault(dtype, []).append(row)

    def __repr__(self) -> str:
        return f"Op({self.name!r})"


# --- for the compiler -----------------------------------------------------------------------------

# These functions decide without adding to a table: a trace guards on the tables that it has read,
# and would be made anew when one grows.


@constant
def _name(kind: str, op: str, dtype: torch.dtype, device: str) -> str:
    """Return the name of a kernel: the bare one of a record, the fast or the users'; "" for none.

    Compiled divisions judge no divisor.
    """
    if kind == "users" and (OPS[op].judge is None or OPS[op].divides):
        kind = "bare"
    kernel = getattr(_decided(op, spec_named(dtype, device)), kind)
    return "" if kernel is None else give_name(kernel, kind, op, dtype, device)


@constant
def name_of_kernel(op: str, dtype: torch.dtype, device: torch.device) -> str:
    """Return the name in traces of an operation's kernel for tensors of a data type on a device.

    The name is empty if the operation does not take the data type, or if an option decides.  A
    period before the name stands for a method of tensors, which the compiler does not guard.
    """
    spec = spec_at(dtype, device)
    if dtype not in OPS[op].dtypes or _name("fast", op, dtype, spec.device._name):
        return ""
    kernel = _decided(op, spec).bare
    name = getattr(kernel, "__name__", "")
    if kernel is getattr(torch, name, None) and hasattr(torch.Tensor, name):
        return f".{name}"
    return _name("bare", op, dtype, spec.device._name)


@functools.cache
def _decided(op: str, spec: Spec) -> Kernels:
    return kernels_of(OPS[op], spec, compiled=True)


@constant
def divides_integers(op: str, dtype: torch.dtype) -> bool:
    """Say whether an operation divides integers; relaxed mode gives 0 for a divisor of 0."""
    return OPS[op].divides and dtype in _dtypes.INTEGER


@constant
def _is_native(op: str, dtype: torch.dtype, device: str) -> bool:
    return _decided(op, spec_named(dtype, device)).bare is OPS[op].native


@constant
def takes_floats(op_name: str, dtype: torch.dtype, device: torch.device) -> bool:
    """Say whether torch takes any Python float beside tensors of a data type on a device."""
    return dtype in _dtypes.FLOATING and _takes_any(op_name, spec_at(dtype, device))


@constant
def bound_of_integers(op_name: str, dtype: torch.dtype, device: torch.device, end: int) -> int:
    """Return the least Python integer that torch combines exactly, or for 1 as ``end`` the last."""
    spec = spec_at(dtype, device)
    return (exact_integers(spec) if _takes_any(op_name, spec) else NO_INTEGERS)[end]


def _takes_any(op_name: str, spec: Spec) -> bool:
    narrow = spec.dtype in spec.device.backend.narrow_scalars
    return not narrow and takes_scalars(OPS[op_name], spec)


def is_native_at(op: str, dtype: torch.dtype, device: torch.device) -> bool:
    """Say whether torch's own function is the kernel for tensors of a data type on a device."""
    return _is_native(op, dtype, spec_at(dtype, device).device._name)


def _forget(device: Device) -> None:
    for op in OPS.values():
        op.forget(device)


_faults.when_gone(_forget)


def _leave_behind() -> None:
    for device in {spec.device for op in OPS.values() for spec in op.kernels}:
        if device.backend.asynchronous:
            _faults.leave_behind(device)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_behind)


# --- rows -----------------------------------------------------------------------------------------


ROWS: Final[list[Row]] = []
"""The rows for every device, in the order in which they were registered."""


def register(rows: Iterable[Row]) -> None:
    """Add rows for every device to the operations that they name."""
    for row in rows:
        ROWS.append(row)
        for name in row.ops.split():
            OPS[name].add_row(row)


def rows_of(device_type: str) -> list[Row]:
    """Return all rows of a device type's backend."""
    return rows_in(backends.find(device_type).rows)


def rows_in(modules: Iterable[str]) -> list[Row]:
    """Return the rows of modules."""
    return [row for name in modules for row in importlib.import_module(name).ROWS]


@functools.cache
def _rows_of(modules: tuple[str, ...]) -> dict[tuple[str, torch.dtype], list[Row]]:
    found: dict[tuple[str, torch.dtype], list[Row]] = {}
    for row in rows_in(modules):
        for name in row.ops.split():
            for dtype in row.dtypes:
                found.setdefault((name, dtype), []).append(row)
    return found


@functools.cache
def _usual(module: str) -> Row:
    row: Row = importlib.import_module(module).USUAL
    return row


def chosen(rows: Sequence[Row], name: str, dtype: torch.dtype, facts: Facts) -> Row | None:
    """Return the row whose condition holds, or None; raise if several certainly hold."""
    certain, possible = [], None
    for row in rows:
        holds = row.where.decide(facts)
        if holds:
            certain.append(row)
        # A fact may be unknown here.  Then a row that depends on it applies: a needless row costs
        # time, a missing one costs correct results.  A row that certainly holds goes before it.
        elif holds is None and possible is None:
            possible = row
    if len(certain) > 1:
        raise ValueError(f"{len(certain)} rows for {name} of {dtype} hold: {certain}")
    return certain[0] if certain else possible


def _cast(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return tensor.to(dtype=dtype)  # as a positional argument torch first tries it as a device


CAST: Final = Op("cast", _cast, _dtypes.ANY, returns="other")
