"""Operations, routes, and the rows that assign one to the other.

A kernel is a function of tensors that is right for one operation, data type and device.  It is
found once for each and kept; nothing is ever tried out to see whether it fails, because on an
accelerator errors may come late.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from dataclasses import dataclass, field
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias, final

from .. import _backends, _dtypes, _host, _late, _options
from .._backends._facts import everywhere
from .._devices import host_spec, spec_at, spec_named, spec_of
from .._errors import DeviceError, device_error, forked, gone, out_of_memory
from .._torch import torch
from .._tracing import called, constant, give_name, traced_as, untraced
from ._derivatives import judged
from ._dimensions import in_matrices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence, Set

    from .._backends._facts import Facts, Where
    from .._devices import Device, Spec
    from ._evidence import Evidence

Kernel: TypeAlias = "Callable[..., Any]"
"""A function of tensors, with the signature that the operation's native function has."""

Returns: TypeAlias = Literal["same", "bool", "real", "complex", "other"]
"""The data type of an operation's result: the operands' own, boolean, that of the real part, that
of complex numbers with such parts, or one that the kernel itself decides."""

OPS: Final[dict[str, Op]] = {}
"""All operations by name."""


class Route(Protocol):
    """A way to compute an operation where torch's own function will not do."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel of an operation for a data type and device."""


@dataclass(frozen=True)
class Native:
    """Torch's own function, after all: a row for one device type overrides one for every device."""

    scalars: bool = False
    """Whether it serves with Python scalars as the second operand too."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:  # noqa: ARG002
        """Return the native function."""
        return op.native


@dataclass(frozen=True)
class Compose:
    """A composition of other operations."""

    function: Kernel

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

    For what does not depend on the meaning of the bits: moving data, comparing for equality, and
    arithmetic modulo a power of two.
    """

    dtype: torch.dtype

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the operation's kernel for the other data type, between two views."""
        return _between(op, spec, self.dtype, _view, _view)


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
class Host:
    """Compute on the host, where the user can see it: the last resort.

    The operands are copied to the host and the results back; the reason is that of the row.  So it
    cannot serve an operation that writes to its operands.
    """

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the operation's kernel for the CPU, between copies."""
        row = op.row(spec.dtype, spec.device.type)
        reason = "" if row is None else row.reason
        device = spec.device.torch_device

        host = host_spec(spec)
        there = host.device.torch_device

        @functools.wraps(op.native, assigned=("__name__",), updated=())
        def kernel(*operands: Any, **parameters: Any) -> Any:
            size = 0

            def move(value: Any, where: torch.device) -> Any:
                nonlocal size
                if isinstance(value, torch.Tensor):
                    size += value.nbytes
                    return value.to(where)
                if isinstance(value, tuple):
                    return tuple(move(v, where) for v in value)
                if isinstance(value, list):
                    return [move(v, where) for v in value]
                return where if value == device else value  # for operations that create arrays

            _host.check(op.name, spec, reason)
            inputs = [move(operand, there) for operand in operands]
            options = {name: move(value, there) for name, value in parameters.items()}
            result = move(op.on(host)(*inputs, **options), device)
            _host.record(op.name, spec, reason, size)
            return result

        return kernel


def cast(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return the tensor in another data type: itself where it has that type already."""
    if tensor.dtype is dtype:
        return tensor
    converted: torch.Tensor = CAST(tensor, dtype)
    if _late.pending or _late.mistakes:  # it has a tensor alone, and no spec that says so
        _late.follow((tensor,), converted)
    return converted


def cast_as_chosen(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Do so for a function that users call, by the kernel that the options say."""
    if tensor.dtype is dtype:
        return tensor
    converted: torch.Tensor = CAST.entry(spec_of(tensor))(tensor, dtype)
    if _late.pending or _late.mistakes:
        _late.follow((tensor,), converted)
    return converted


def _view(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return tensor.view(dtype)


def _flip_in(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    signed = tensor.view(dtype)
    return torch.bitwise_xor(signed, _dtypes.LIMITS[dtype][0])


def _flip_out(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    flipped = torch.bitwise_xor(tensor, _dtypes.LIMITS[tensor.dtype][0])
    return flipped.view(dtype)


def _between(
    op: Op,
    spec: Spec,
    dtype: torch.dtype,
    enter: Callable[[torch.Tensor, torch.dtype], torch.Tensor],
    leave: Callable[[torch.Tensor, torch.dtype], torch.Tensor],
) -> Kernel:
    """Return the kernel for ``dtype`` with every operand of the spec's data type converted."""
    inner = op.find(spec.of(dtype))
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


@final
class Op:
    """An operation on tensors: its name, torch's own function for it, and what else is known.

    Parameters
    ----------
    name : str
        The name by which rows refer to it.
    native : callable
        Torch's own function, or a thin function of ours around it that gives it the signature
        with which the chapter calls it.
    dtypes : frozenset of dtype
        The data types of operands for which the operation is defined.
    returns : {"same", "bool", "real", "complex", "other"}
        The data type of the result.
    scalars : bool
        Whether the native function takes a Python scalar as the second operand; on which devices it
        is as exact with it as with a 0-dimensional tensor, their backends say.
    inplace : callable, optional
        Torch's function that overwrites its first operand.
    forms : dict, optional
        What the operation is with certain Python scalars as its second operand: the power of 2 is
        the square.
    divides : bool
        Whether it has no result for integers if the second operand is 0.
    mixes : bool
        Whether integers are taken for floating-point numbers, and operands of several kinds promote
        as in NumPy, in strict mode too: for functions that SciPy has so, and the standard has not.
    reduces : bool
        Whether it takes ``dim`` and ``keepdim``, and makes one number of each row of a matrix.
    """

    __slots__ = (
        "_entries",
        "_guarded",
        "_rows",
        "divides",
        "dtypes",
        "float_kernels",
        "forms",
        "inplace",
        "integer_kernels",
        "mixes",
        "name",
        "native",
        "plain",
        "reduces",
        "returns",
        "scalars",
        "table",
    )

    def __init__(
        self,
        name: str,
        native: Kernel,
        dtypes: frozenset[torch.dtype],
        *,
        returns: Returns = "same",
        scalars: bool = False,
        inplace: Kernel | None = None,
        forms: Mapping[float, Op] | None = None,
        mixes: bool = False,
        reduces: bool = False,
        divides: bool = False,
    ) -> None:
        self.name = name
        self.native = native
        self.dtypes = dtypes
        self.returns = returns
        self.scalars = scalars
        self.inplace = inplace
        self.forms = forms or {}
        self.mixes = mixes
        self.reduces = reduces
        self.divides = divides
        self.table: dict[Spec, Kernel] = {}
        """The kernels found so far, as functions of users take them: see ``_Either``."""
        self.float_kernels: dict[Spec, Kernel] = {}
        """Of these the ones that take a Python float as the second operand."""
        self.integer_kernels: dict[Spec, tuple[Kernel, int, int]] = {}
        """Those that take a Python integer, and the least and the greatest that they take."""
        self.plain: dict[Spec, Spec] = {}
        """Where torch's own function was found to be the kernel, with no faults to tell of: what
        its results hold."""
        self._guarded: dict[Spec, Kernel] = {}
        self._entries: dict[Spec, Kernel] = {}
        self._rows: dict[torch.dtype, list[Row]] = {}
        if name in OPS:
            raise ValueError(f"there are two operations named {name!r}")
        OPS[name] = self

    def __call__(self, x: torch.Tensor, *others: Any, **parameters: Any) -> torch.Tensor:
        """Compute by the kernel for the data type and device of the first operand."""
        result: torch.Tensor = self.on(spec_of(x))(x, *others, **parameters)  # or several
        return result

    def row(self, dtype: torch.dtype, device_type: str) -> Row | None:
        """Return the row that decides for a data type on a device type, if there is one.

        Those of the device type's backend come before those for every device, and of these its
        overriding ones before the others.
        """
        backend, key = _backends.find(device_type), (self.name, dtype)
        groups = (*((module,) for module in backend.overriding), backend.rows)
        for rows in (_rows_of(modules).get(key) for modules in groups):
            row = chosen(rows or (), self.name, dtype, backend.facts)
            if row is not None:
                return row
        if backend.usual is not None:
            return chosen([_usual(backend.usual)], self.name, dtype, backend.facts)
        return self.common_row(dtype, device_type)

    def common_row(self, dtype: torch.dtype, device_type: str) -> Row | None:
        """Return the row for every device that holds on a device type, if there is one."""
        facts = _backends.find(device_type).facts
        return chosen(self._rows.get(dtype) or (), self.name, dtype, facts)

    def takes_scalars(self, spec: Spec) -> bool:
        """Say whether the native function takes Python scalars, and exactly, on a device."""
        return self.scalars and spec.device.backend.takes_scalars(self.name, spec.dtype)

    def _traced_find(self, spec: Spec) -> Kernel:
        kernel: Kernel = called(_kernel_name(self.name, spec.dtype, spec.device._name))
        return kernel

    @traced_as(_traced_find)
    def on(self, spec: Spec) -> Kernel:
        """Return the kernel for a data type and device; it raises faults in our own words."""
        try:
            return self._guarded[spec]
        except KeyError:
            if spec.sure is not spec:
                return self._guarded.setdefault(spec, _late.following(self.on(spec.sure)))
            kernel = self._guarded.setdefault(spec, _guarded(self, spec, self.find(spec)))
            self._note_plain(spec, kernel)
            return kernel

    def _traced_entry(self, spec: Spec) -> Kernel:
        name = _fast_name(self.name, spec.dtype, spec.device._name)
        if name and _options.current().npu_math == "fast":
            fast: Kernel = called(name)
            return fast
        return self.find(spec)

    @traced_as(_traced_entry)
    def entry(self, spec: Spec) -> Kernel:
        """Return the kernel for a function that users call, which may ask for a fast one."""
        try:
            return self._entries[spec]
        except KeyError:
            if spec.sure is not spec:
                self.find(spec)
                return self._entries.setdefault(spec, _late.following(self.entry(spec.sure)))
            while True:
                exact = self.find(spec)
                chosen = self.table.get(spec, exact)
                kernel = self._entries.setdefault(spec, _guarded(self, spec, chosen))
                if self.table.get(spec, chosen) is chosen:
                    self._note_plain(spec, kernel)
                    return kernel
                self._entries.pop(spec, None)  # another thread has just offered a fast one

    @traced_as(_traced_find)
    def find(self, spec: Spec) -> Kernel:
        """Return the bare kernel, for a caller that sees to faults itself, see ``check_fault``."""
        try:
            kernel = self.table[spec]
        except KeyError:
            if spec.device in _gone:
                return _refusal(self, spec.device)
            if spec.sure is not spec:
                self.find(spec.sure)
                return self.table.setdefault(spec, _late.following(self.table[spec.sure]))
            kernel = self._decide(spec)
            if self.divides and spec.device.backend.late and spec.dtype in _dtypes.INTEGER:
                kernel = _Divided(self.name, spec, kernel)
            kernel = self.table.setdefault(spec, kernel)
            if _options.fast_offered():
                self.offer_fast(spec)
        while isinstance(kernel, (_Divided, _Either)):
            kernel = kernel.exact
        return kernel

    def _note_plain(self, spec: Spec, kernel: Kernel) -> None:
        if kernel is self.native is self.table.get(spec) and spec.dtype in self.dtypes:
            self.plain[spec] = self.result(spec)

    def result(self, spec: Spec) -> Spec:
        """Return what the result holds, where it is not the kernel that decides that."""
        if self.returns == "bool":
            return spec.bool
        if self.returns == "complex":
            return spec.of(_dtypes.COMPLEX_OF[spec.dtype])
        return spec.real if self.returns == "real" else spec

    def _decide(self, spec: Spec) -> Kernel:
        row = self.row(spec.dtype, spec.device.type)
        kernel = self.native if row is None else row.route.kernel(self, spec)
        if spec.device.local is not spec.device:
            kernel = untraced(kernel)  # the compiler does not look into parts
        most = spec.device.backend.most_dimensions
        if self.reduces and most is not None:
            kernel = in_matrices(kernel, most)
        return self._in_own_dtypes(kernel, spec)

    def _decide_fast(self, spec: Spec) -> Kernel | None:
        row = self.row(spec.dtype, spec.device.type)
        if row is None or row.fast is None:
            return None
        return self._in_own_dtypes(row.fast.kernel(self, spec), spec)

    def _in_own_dtypes(self, kernel: Kernel, spec: Spec) -> Kernel:
        bare = kernel is self.native and not isinstance(kernel, FunctionType)
        device_type = spec.device.local.type
        if not (
            spec.device.backend.autocasts(self.name, spec.dtype, bare=bare)
            and torch.amp.is_autocast_available(device_type)
        ):
            return kernel
        return _in_own_dtypes(kernel, device_type)

    def offer_fast(self, spec: Spec) -> None:
        """Have the option decide, from now on, where there is a fast kernel."""
        if spec.sure is not spec:  # it is made anew, of what its own one is then
            self.table.pop(spec, None)
            self._entries.pop(spec, None)
            return
        exact, fast = self.table[spec], self._decide_fast(spec)
        if fast is not None and type(exact) is not _Either:
            self.table[spec] = _Either(exact, fast)
            self._entries.pop(spec, None)
            self.plain.pop(spec, None)

    def fast_with_scalars(self, spec: Spec) -> Kernel | None:
        """Return the fast kernel for Python scalars as second operands; None if there is none."""
        kernel = self.table.get(spec)
        if type(kernel) is not _Either:
            return None
        row = self.row(spec.dtype, spec.device.type)
        takes = row is not None and isinstance(row.fast, Native) and row.fast.scalars
        return kernel.with_scalar if takes else None

    def fast_as_asked(self, spec: Spec) -> Kernel | None:
        """Return that kernel if the options ask for it now."""
        kernel = self.fast_with_scalars(spec)
        asked = kernel is not None and _options.current().npu_math == "fast"
        return kernel if asked else None

    def clear(self) -> None:
        """Remember no kernel."""
        for table in (self.table, self._guarded, self._entries):
            table.clear()
        self.plain.clear()
        self.float_kernels.clear()
        self.integer_kernels.clear()

    def forget(self, device: Device) -> None:
        """Compute nothing on a device any more."""
        refusal = _refusal(self, device)
        for table in (self.table, self._guarded, self._entries, self.float_kernels):
            for spec in [s for s in table if s.device is device]:
                table[spec] = refusal
        for spec in [s for s in self.plain if s.device is device]:
            del self.plain[spec]
        for spec in [s for s in self.integer_kernels if s.device is device]:
            self.integer_kernels[spec] = (refusal, *self.integer_kernels[spec][1:])

    def _traced_is_native(self, spec: Spec) -> bool:
        return _is_native(self.name, spec.dtype, spec.device._name)

    @traced_as(_traced_is_native)
    def is_native(self, spec: Spec) -> bool:
        """Say whether torch's own function is the kernel."""
        return self.find(spec) is self.native

    def add_row(self, row: Row) -> None:
        """Take note of a row for every device of which its condition holds."""
        for dtype in row.dtypes:
            self._rows.setdefault(dtype, []).append(row)

    def __repr__(self) -> str:
        return f"Op({self.name!r})"


# --- torch.autocast -------------------------------------------------------------------------------


def _in_own_dtypes(kernel: Kernel, device_type: str) -> Kernel:
    """Return a kernel that computes in the data types it is given, within ``torch.autocast`` too.

    That would have torch's products compute, and return, another data type.
    """

    @functools.wraps(kernel, assigned=("__name__",))
    def exact(*operands: Any, **parameters: Any) -> Any:
        if not torch.is_autocast_enabled(device_type):
            return kernel(*operands, **parameters)
        with torch.autocast(device_type, enabled=False):
            return kernel(*operands, **parameters)

    return exact


# --- for the compiler -----------------------------------------------------------------------------

# Nothing is added to a table, whose contents a trace of the fast paths may rely on.


@constant
def _kernel_name(op: str, dtype: torch.dtype, device: str) -> str:
    """Return the name of a kernel of an operation."""
    return give_name(_decided(op, spec_named(dtype, device)), "kernel", op, dtype, device)


@constant
def name_of_kernel(op: str, dtype: torch.dtype, device: torch.device) -> str:
    """Return the name in traces of an operation's kernel for tensors of a data type on a device.

    It is empty where the operation is not for the data type, or an option decides.  What tensors
    have a method for is named with a period before it: a method the compiler takes for granted.
    """
    spec = spec_at(dtype, device)
    if dtype not in OPS[op].dtypes or _fast_name(op, dtype, spec.device._name):
        return ""
    kernel = _decided(op, spec)
    name = getattr(kernel, "__name__", "")
    if kernel is getattr(torch, name, None) and hasattr(torch.Tensor, name):
        return f".{name}"
    return _kernel_name(op, dtype, spec.device._name)


@constant
def _fast_name(op: str, dtype: torch.dtype, device: str) -> str:
    """Return the name of the fast kernel of an operation; of none where there is none."""
    fast = OPS[op]._decide_fast(spec_named(dtype, device))
    return "" if fast is None else give_name(fast, "fast", op, dtype, device)


@functools.cache
def _decided(op: str, spec: Spec) -> Kernel:
    return OPS[op]._decide(spec)


@constant
def _is_native(op: str, dtype: torch.dtype, device: str) -> bool:
    return _decided(op, spec_named(dtype, device)) is OPS[op].native


def is_native_at(op: str, dtype: torch.dtype, device: torch.device) -> bool:
    """Say whether torch's own function is the kernel for tensors of a data type on a device."""
    return _is_native(op, dtype, spec_at(dtype, device).device._name)


# --- faults of devices ----------------------------------------------------------------------------

_gone: Final[set[Device]] = set()
"""Devices that compute nothing any more in this process."""


def check_fault(
    error: Exception, function: str, device: Device, operands: Sequence[Any] = ()
) -> None:
    """Raise what an error of torch's stands for if a device failed or has no memory; else return.

    Whoever catches a RuntimeError of a kernel asks this first.  Above all, nothing is tried again
    after a fault, which torch_npu tells only once.
    """
    if isinstance(error, (DeviceError, _host.HostFallbackError)):
        raise error
    if isinstance(error, torch.OutOfMemoryError):
        raise out_of_memory(error, function, device, operands) from error
    backend = device.backend
    if backend.faults and (known := backend.fault(error)) is not None:
        if not backend.computes(device.torch_device):
            _gone.add(device)
            for op in OPS.values():
                op.forget(device)
        raise device_error(known, error, function, device, operands) from error


_late.when_a_device_fails(check_fault)


def check_move(
    error: Exception, function: str, source: Device, target: Device, operands: Sequence[Any]
) -> None:
    """Do so for an error on the way from one device to another: memory is short on the target."""
    places = [place for place in (target, source) if place.type != _backends.HOST]
    if not isinstance(error, torch.OutOfMemoryError):
        # First one that has failed.
        places.sort(key=lambda p: p.backend.faults and p.backend.computes(p.torch_device))
    for place in places:
        check_fault(error, function, place, operands)


def check_device(function: str, device: Device) -> None:
    """Refuse to put anything on a device that computes nothing any more."""
    if device in _gone:
        raise _no_device(function, device)


def check_process(function: str, device: Device) -> None:
    """Refuse to read from a device that another process has, from which this one was forked."""
    if device in left_behind:
        raise forked(function, device)


left_behind: Final[set[Device]] = set()
"""Devices that were used by the process from which this one was forked."""


def _leave_behind() -> None:
    """Compute nothing on accelerators that were used before a fork: one would wait for ever."""
    used = {spec.device for op in OPS.values() for spec in op.table if spec.device.backend.late}
    for device in used:
        left_behind.add(device)
        _gone.add(device)
        for op in OPS.values():
            op.forget(device)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_behind)


def _no_device(function: str, device: Device) -> DeviceError:
    return (forked if device in left_behind else gone)(function, device)


def is_gone(device: Device) -> bool:
    """Say whether a device computes nothing any more in this process."""
    return device in _gone


def _guarded(op: Op, spec: Spec, kernel: Kernel) -> Kernel:
    if not spec.device.backend.faults:
        return kernel

    @functools.wraps(kernel, assigned=("__name__",), updated=())
    def guarded(*operands: Any, **parameters: Any) -> Any:
        try:
            return kernel(*operands, **parameters)
        except RuntimeError as error:
            check_fault(error, op.name, spec.device, operands)
            raise

    return guarded


def _refusal(op: Op, device: Device) -> Kernel:
    def refuse(*_: Any, **__: Any) -> Any:
        raise _no_device(op.name, device)

    return refuse


# --- fast kernels ---------------------------------------------------------------------------------


@final
class _Either:
    """The exact and the fast kernel of an operation, of which the option ``npu_math`` chooses one.

    It stands in the tables of users' functions alone: what they are composed of is exact.  And in
    none of them before the option is first set to ``"fast"``, so that nobody else pays for it.
    """

    __slots__ = ("exact", "fast")

    def __init__(self, exact: Kernel, fast: Kernel) -> None:
        self.exact = exact
        self.fast = fast

    def __call__(self, *operands: Any, **parameters: Any) -> Any:
        """Compute as the option says."""
        if _options.current().npu_math == "fast":
            return self.fast(*operands, **parameters)
        return self.exact(*operands, **parameters)

    def with_scalar(self, x: torch.Tensor, other: float) -> Any:
        """Compute if the kernel is to be the fast one; KeyError if not, as of a table without."""
        if _options.current().npu_math == "fast":
            return self.fast(x, other)
        raise KeyError


@final
class _Divided:
    """A division of integers on an accelerator that notes divisors of 0, in users' tables alone."""

    __slots__ = ("exact", "name", "spec")

    def __init__(self, name: str, spec: Spec, exact: Kernel) -> None:
        self.name = name
        self.spec = spec
        self.exact = exact

    def __call__(self, x1: torch.Tensor, x2: torch.Tensor) -> Any:
        """Divide; the quotient remembers what puts it in doubt."""
        if not judged(x1, x2):
            return self.exact(x1, x2)
        doubt = _late.doubt_of_divisor(self.name, x2)
        if doubt is None:
            result = self.exact(x1, x2)
            doubt = _late.doubt_behind_divisor(x2)
        else:
            divide = OPS["noted_division"].on(self.spec)
            result = divide(x1, x2, function=self.name, exact=self.exact, doubt=doubt)
        if doubt is not None:
            _late.spoil_tensor(result, doubt)
        return result


def _offer_fast() -> None:
    for op in OPS.values():
        for spec in list(op.table):
            op.offer_fast(spec)


_options.when_fast(_offer_fast)


# --- rows -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Row:
    """A decision: these operations, for these data types, take this route where a condition holds.

    A row of a backend is for its device type, one of ``_routes`` for every one.
    """

    ops: str
    """The names of the operations, separated by blanks."""
    dtypes: Set[torch.dtype]
    route: Route
    reason: str
    """What torch does that is not enough."""
    evidence: Evidence
    """What that rests on: kernels, and the versions with which it was seen."""
    where: Where = everywhere
    """A condition on the facts of the device type and the machine."""
    fast: Route | None = None
    """The route to take instead if ``npu_math="fast"``: where kernels are coarse, and no worse."""
    place: str = field(default_factory=lambda: _place(), init=False)  # noqa: PLW0108  # stands below
    """The file and line in which it is written."""


def _place() -> str:
    """Return the place that makes a row: above this function, the field's and the row's own."""
    frame = sys._getframe(3)
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


ROWS: Final[list[Row]] = []
"""The rows for every device, in the order in which they were registered."""


def register(rows: Iterable[Row]) -> None:
    """Hand rows for every device to the operations that they name."""
    for row in rows:
        ROWS.append(row)
        for name in row.ops.split():
            OPS[name].add_row(row)


def rows_of(device_type: str) -> list[Row]:
    """Return all rows of a device type's own."""
    return rows_in(_backends.find(device_type).rows)


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
    """Return the row that holds, for certain if possible; several that do are an error."""
    decided = [(row, row.where.decide(facts)) for row in rows]
    certain = [row for row, holds in decided if holds]
    if len(certain) > 1:
        raise ValueError(f"{len(certain)} rows for {name} of {dtype} hold: {certain}")
    return next(iter(certain or (row for row, holds in decided if holds is None)), None)


def _cast(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return tensor.to(dtype=dtype)  # by its place torch takes it for a device first


CAST: Final = Op("cast", _cast, _dtypes.ANY, returns="other")
