"""Operations, routes, and the rows that assign one to the other.

A kernel is a function of tensors that is correct for one operation, data type and device.  The
engine finds each kernel once, by rows and facts, and keeps it.  It never runs an operation to find
out whether it fails, because an accelerator may report the error much later.

This module knows of no chapter and of no device type: it asks the backend of a device.
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
"""The data type of an operation's result: the data type of the operands, boolean, that of their
real part, the complex one whose parts have it, or one that the kernel itself decides."""

OPS: Final[dict[str, Op]] = {}
"""All operations by name."""


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

    This serves operations that do not depend on the meaning of the bits: moving data, comparing
    for equality, and arithmetic modulo a power of two.
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

    The kernel copies the operands to the host and the results back, so it cannot serve an operation
    that writes to its operands.  The report to the user gives the reason of the row.
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
                # Operations that create arrays take the device as an argument.
                return where if value == device else value

            # The user may have forbidden work on the host: ask before anything is copied.
            _host.check(op.name, spec, reason)
            inputs = [move(operand, there) for operand in operands]
            options = {name: move(value, there) for name, value in parameters.items()}
            result = move(op.on(host)(*inputs, **options), device)
            _host.record(op.name, spec, reason, size)
            return result

        return kernel


def cast(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return the tensor in another data type, or the tensor itself if it has that type already."""
    if tensor.dtype is dtype:
        return tensor
    converted: torch.Tensor = CAST(tensor, dtype)
    # A bare tensor has no spec, so nothing says whether it is in doubt.  While any call is in
    # doubt, copy the marks; at other times this costs two tests of empty dictionaries.
    if _late.pending or _late.mistakes:
        _late.follow((tensor,), converted)
    return converted


def cast_as_chosen(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Cast for a function that users call: by the fast kernel if the options ask for it."""
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
    """Return the kernel for ``dtype``, between conversions of the operands and of the result.

    It converts only operands of the spec's data type: masks and positions pass as they are.
    """
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
    """An operation on tensors: its name, torch's own function, and its kernels found so far.

    Several tables hold kernels by spec, because callers need different wrappers:

    ``table``
        For the fast paths of users' functions, which report faults themselves.
    ``_entries``
        The same kernels, which report faults: for the slow paths of users' functions.
    ``_guarded``
        Exact kernels, which report faults: for compositions and for other operations.
    ``plain``, ``float_kernels``, ``integer_kernels``
        For shortcuts: the specs whose kernel is torch's function, and kernels of Python scalars.

    A spec that is missing in a table sends the call to the slow path, which fills the tables.

    Parameters
    ----------
    name : str
        The name by which rows refer to it.
    native : callable
        Torch's own function, or a thin wrapper of ours with the signature that chapters call.
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
    mixes : bool
        Whether it accepts integers as floating-point numbers and promotes mixed kinds as NumPy
        does, in strict mode too.  SciPy's functions, which the standard does not have, do so.
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
        """The kernels of users' functions, which may be an ``_Either`` or a ``_Divided``."""
        self.float_kernels: dict[Spec, Kernel] = {}
        """The kernels that take a Python float as the second operand."""
        self.integer_kernels: dict[Spec, tuple[Kernel, int, int]] = {}
        """The kernels that take a Python integer, with the least and the greatest they take."""
        self.plain: dict[Spec, Spec] = {}
        """The spec of the result, for specs whose kernel is torch's own function without wrappers:
        a shortcut may call ``native`` directly."""
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

        The backend's rows come before the rows for every device.  Its overriding modules come
        first, one after the other.
        """
        backend, key = _backends.find(device_type), (self.name, dtype)
        # Within one group at most one row may certainly hold; between groups the first one wins.
        groups = (*((module,) for module in backend.overriding), backend.rows)
        for rows in (_rows_of(modules).get(key) for modules in groups):
            row = chosen(rows or (), self.name, dtype, backend.facts)
            if row is not None:
                return row
        # A mesh leaves the rows for every device to the devices that hold its parts.
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
        """Return the exact kernel for a spec; it explains faults of the device.

        Compositions and other operations call it.
        """
        try:
            return self._guarded[spec]
        except KeyError:
            # A doubted spec has the kernel of its sure one, wrapped to pass the marks on.
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
        """Return the kernel for a function that users call; options may choose the fast one."""
        try:
            return self._entries[spec]
        except KeyError:
            if spec.sure is not spec:
                self.find(spec)  # fills ``table``, so that the fast path serves the next call
                return self._entries.setdefault(spec, _late.following(self.entry(spec.sure)))
            # Another thread may offer a fast kernel between the look-up and the store.  Then the
            # stored one would stay exact for ever, so look again after the store.
            while True:
                exact = self.find(spec)
                chosen = self.table.get(spec, exact)
                kernel = self._entries.setdefault(spec, _guarded(self, spec, chosen))
                if self.table.get(spec, chosen) is chosen:
                    self._note_plain(spec, kernel)
                    return kernel
                self._entries.pop(spec, None)

    @traced_as(_traced_find)
    def find(self, spec: Spec) -> Kernel:
        """Return the exact kernel, for a caller that passes its errors to ``check_fault`` itself.

        It fills ``table``, from which the fast paths take their kernels.
        """
        try:
            kernel = self.table[spec]
        except KeyError:
            if spec.device in _gone:
                return _refusal(self, spec.device)
            # Wrap the entry of the table, not the exact kernel: for arrays in doubt, too, options
            # choose the fast kernel, and divisions note divisors.
            if spec.sure is not spec:
                self.find(spec.sure)
                return self.table.setdefault(spec, _late.following(self.table[spec.sure]))
            kernel = self._decide(spec)
            if self.divides and spec.device.backend.late and spec.dtype in _dtypes.INTEGER:
                kernel = _Divided(self.name, spec, kernel)
            kernel = self.table.setdefault(spec, kernel)
            if _options.fast_offered():
                self.offer_fast(spec)
        # The wrappers are for users' functions.  A composition that divides must not blame its
        # user for a divisor of 0, and must stay exact whatever the options say.
        while isinstance(kernel, (_Divided, _Either)):
            kernel = kernel.exact
        return kernel

    def _note_plain(self, spec: Spec, kernel: Kernel) -> None:
        # ``kernel`` may be guarded and the table's may be a choice: no wrapper must be bypassed.
        if kernel is self.native is self.table.get(spec) and spec.dtype in self.dtypes:
            self.plain[spec] = self.result(spec)

    def result(self, spec: Spec) -> Spec:
        """Return the spec of the result; the one of the operands if the kernel itself decides."""
        if self.returns == "bool":
            return spec.bool
        if self.returns == "complex":
            return spec.of(_dtypes.COMPLEX_OF[spec.dtype])
        return spec.real if self.returns == "real" else spec

    def _decide(self, spec: Spec) -> Kernel:
        row = self.row(spec.dtype, spec.device.type)
        kernel = self.native if row is None else row.route.kernel(self, spec)
        if spec.device.local is not spec.device:  # a mesh: the compiler cannot trace its parts
            kernel = untraced(kernel)
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
        # A Python function may call anything of torch's; of a builtin the name tells all.
        bare = kernel is self.native and not isinstance(kernel, FunctionType)
        device_type = spec.device.local.type
        if not (
            spec.device.backend.autocasts(self.name, spec.dtype, bare=bare)
            and torch.amp.is_autocast_available(device_type)
        ):
            return kernel
        return _in_own_dtypes(kernel, device_type)

    def offer_fast(self, spec: Spec) -> None:
        """Let the option choose between two kernels from now on, if the spec has a fast one."""
        if spec.sure is not spec:  # the next look-up wraps the new entry of the sure spec
            self.table.pop(spec, None)
            self._entries.pop(spec, None)
            return
        exact, fast = self.table[spec], self._decide_fast(spec)
        if fast is not None and type(exact) is not _Either:
            self.table[spec] = _Either(exact, fast)
            # After the table: ``entry`` reads the table again when it has stored its kernel.
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
        """Return the fast kernel for Python scalars if the options ask for it now, else None."""
        kernel = self.fast_with_scalars(spec)
        asked = kernel is not None and _options.current().npu_math == "fast"
        return kernel if asked else None

    def clear(self) -> None:
        """Forget all kernels, so that the next calls decide anew."""
        for table in (self.table, self._guarded, self._entries):
            table.clear()
        self.plain.clear()
        self.float_kernels.clear()
        self.integer_kernels.clear()

    def forget(self, device: Device) -> None:
        """Refuse all further work on a device, which has failed or belongs to another process."""
        refusal = _refusal(self, device)
        # Replace the entries: the fast paths then raise without asking at every call whether the
        # device still works.  ``plain`` has no kernel to replace, so its entries go.
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
        """Add a row that applies to every device type whose facts fulfil its condition."""
        for dtype in row.dtypes:
            self._rows.setdefault(dtype, []).append(row)

    def __repr__(self) -> str:
        return f"Op({self.name!r})"


# --- torch.autocast -------------------------------------------------------------------------------


def _in_own_dtypes(kernel: Kernel, device_type: str) -> Kernel:
    """Return a kernel that computes in the data types it is given, within ``torch.autocast`` too.

    Without it, autocasting would make torch's products compute in, and return, another data type.
    """

    @functools.wraps(kernel, assigned=("__name__",))
    def exact(*operands: Any, **parameters: Any) -> Any:
        if not torch.is_autocast_enabled(device_type):
            return kernel(*operands, **parameters)
        with torch.autocast(device_type, enabled=False):
            return kernel(*operands, **parameters)

    return exact


# --- for the compiler -----------------------------------------------------------------------------

# These functions decide without adding to a table: a trace guards on the tables that it has read,
# and would be made anew when one grows.


@constant
def _kernel_name(op: str, dtype: torch.dtype, device: str) -> str:
    """Return the name of a kernel of an operation."""
    return give_name(_decided(op, spec_named(dtype, device)), "kernel", op, dtype, device)


@constant
def name_of_kernel(op: str, dtype: torch.dtype, device: torch.device) -> str:
    """Return the name in traces of an operation's kernel for tensors of a data type on a device.

    The name is empty if the operation does not take the data type, or if an option decides.  A
    period before the name stands for a method of tensors, which the compiler does not guard.
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
    """Return the name of the fast kernel of an operation; an empty one if there is none."""
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
"""The devices on which this process can no longer compute."""


def check_fault(
    error: Exception, function: str, device: Device, operands: Sequence[Any] = ()
) -> None:
    """Raise the error that explains torch's if the device failed or has no memory; else return.

    Every caller that catches a RuntimeError of a kernel calls this first.  It must not try the
    kernel again before, because torch_npu reports a fault only once.
    """
    if isinstance(error, (DeviceError, _host.HostFallbackError)):
        raise error
    if isinstance(error, torch.OutOfMemoryError):
        raise out_of_memory(error, function, device, operands) from error
    backend = device.backend
    if backend.faults and (known := backend.fault(error)) is not None:
        # Some faults end one kernel, others the device: only a small computation tells.
        if not backend.computes(device.torch_device):
            _gone.add(device)
            for op in OPS.values():
                op.forget(device)
        raise device_error(known, error, function, device, operands) from error


_late.when_a_device_fails(check_fault)


def check_move(
    error: Exception, function: str, source: Device, target: Device, operands: Sequence[Any]
) -> None:
    """Explain an error of a copy from one device to another, as ``check_fault`` does.

    A lack of memory is one of the target.
    """
    places = [place for place in (target, source) if place.type != _backends.HOST]
    if not isinstance(error, torch.OutOfMemoryError):
        # The text does not say which of the two failed: ask first about one that does not compute.
        places.sort(key=lambda p: p.backend.faults and p.backend.computes(p.torch_device))
    for place in places:
        check_fault(error, function, place, operands)


def check_device(function: str, device: Device) -> None:
    """Raise if a device can no longer compute, before anything is copied to it."""
    if device in _gone:
        raise _no_device(function, device)


def check_process(function: str, device: Device) -> None:
    """Raise if the parent process used a device before it forked this one: no read would return."""
    if device in left_behind:
        raise forked(function, device)


left_behind: Final[set[Device]] = set()
"""The accelerators that the parent process had used when it forked this one."""


def _leave_behind() -> None:
    """Refuse accelerators that were used before a fork: a call would wait for ever."""
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
    """Say whether this process can no longer compute on a device."""
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
    """The exact and the fast kernel of an operation; the option ``npu_math`` chooses at each call.

    Only the tables of users' functions hold it, because compositions rely on exact operations.
    They hold it from the first time that the option is ``"fast"``: other programs do not pay.
    """

    __slots__ = ("exact", "fast")

    def __init__(self, exact: Kernel, fast: Kernel) -> None:
        self.exact = exact
        self.fast = fast

    def __call__(self, *operands: Any, **parameters: Any) -> Any:
        """Compute by the kernel that the option chooses."""
        if _options.current().npu_math == "fast":
            return self.fast(*operands, **parameters)
        return self.exact(*operands, **parameters)

    def with_scalar(self, x: torch.Tensor, other: float) -> Any:
        """Compute by the fast kernel; KeyError if the option is exact, as of a missing entry.

        The caller then takes its slow path.
        """
        if _options.current().npu_math == "fast":
            return self.fast(x, other)
        raise KeyError


@final
class _Divided:
    """A division of integers that notes divisors of 0 on an accelerator, without waiting for it.

    Only ``table`` holds it: a composition vouches for its own divisors.
    """

    __slots__ = ("exact", "name", "spec")

    def __init__(self, name: str, spec: Spec, exact: Kernel) -> None:
        self.name = name
        self.spec = spec
        self.exact = exact

    def __call__(self, x1: torch.Tensor, x2: torch.Tensor) -> Any:
        """Divide; mark the quotient with the call that may turn out wrong."""
        if not judged(x1, x2):
            return self.exact(x1, x2)
        doubt = _late.doubt_of_divisor(self.name, x2)
        # No new doubt: checks are off, or an earlier call checks this divisor.  Its outcome may
        # still be open, and then the quotient depends on it too.
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
    """Return the file and line of the call that makes a row."""
    frame = sys._getframe(3)  # above this function, the field's lambda and the row's __init__
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


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
    """Return the row whose condition holds, or None; raise if several certainly hold."""
    decided = [(row, row.where.decide(facts)) for row in rows]
    # A fact may be unknown here.  Then a row that depends on it applies: a needless row costs time,
    # a missing one costs correct results.  A row that certainly holds goes before it.
    certain = [row for row, holds in decided if holds]
    if len(certain) > 1:
        raise ValueError(f"{len(certain)} rows for {name} of {dtype} hold: {certain}")
    return next(iter(certain or (row for row, holds in decided if holds is None)), None)


def _cast(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return tensor.to(dtype=dtype)  # as a positional argument torch first tries it as a device


CAST: Final = Op("cast", _cast, _dtypes.ANY, returns="other")
