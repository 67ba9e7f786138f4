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
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, final

from .._devices import backends
from .._devices.backend import SINGLE
from .._devices.device import spec_at, spec_named, spec_of
from .._options import relaxed, settings
from .._reports import late_errors
from .._torch import dtypes as _dtypes
from .._torch import torch
from .._torch.tracing import called, constant, give_name, traced_as, untraced
from . import _faults
from ._derivatives import judged
from ._dimensions import in_matrices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from .._devices.device import Device, Spec
    from .._devices.facts import Facts
    from ._rows import Row

Kernel: TypeAlias = "Callable[..., Any]"
"""A function of tensors, with the signature that the operation's native function has."""

Returns: TypeAlias = Literal["same", "bool", "real", "complex", "other"]
"""The data type of an operation's result: the data type of the operands, boolean, that of their
real part, the complex one whose parts have it, or one that the kernel itself decides."""

OPS: Final[dict[str, Op]] = {}
"""All operations by name."""


def cast(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return the tensor in another data type, or the tensor itself if it has that type already."""
    if tensor.dtype is dtype:
        return tensor
    converted: torch.Tensor = CAST(tensor, dtype)
    # A bare tensor has no spec, so nothing says whether it is in doubt.  While any call is in
    # doubt, copy the marks; at other times this costs two tests of empty dictionaries.
    if late_errors.pending or late_errors.mistakes:
        late_errors.mark(converted, tensor)
    return converted


def cast_as_chosen(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Cast for a function that users call: by the fast kernel if the options ask for it."""
    if tensor.dtype is dtype:
        return tensor
    converted: torch.Tensor = CAST.entry(spec_of(tensor))(tensor, dtype)
    if late_errors.pending or late_errors.mistakes:
        late_errors.mark(converted, tensor)
    return converted


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
        backend, key = backends.find(device_type), (self.name, dtype)
        # Within one group at most one row may certainly hold; between groups the first one wins.
        for modules in (*((module,) for module in backend.overriding), backend.rows):
            rows = _rows_of(modules).get(key)
            row = chosen(rows, self.name, dtype, backend.facts) if rows else None
            if row is not None:
                return row
        # A mesh leaves the rows for every device to the devices that hold its parts.
        if backend.usual is not None:
            return chosen([_usual(backend.usual)], self.name, dtype, backend.facts)
        return self.common_row(dtype, device_type)

    def _compiled_row(self, spec: Spec) -> Row | None:
        """Return the row for compiled code alone, if there is one."""
        backend = spec.device.backend
        rows = _rows_of(backend.compiled).get((self.name, spec.dtype))
        return chosen(rows or (), self.name, spec.dtype, backend.facts)

    def common_row(self, dtype: torch.dtype, device_type: str) -> Row | None:
        """Return the row for every device that holds on a device type, if there is one."""
        facts = backends.find(device_type).facts
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
                return self._guarded.setdefault(spec, late_errors.following(self.on(spec.sure)))
            kernel = self._guarded.setdefault(
                spec, _faults.guarded(self.name, spec.device, self.find(spec))
            )
            self._note_plain(spec, kernel)
            return kernel

    def _traced_entry(self, spec: Spec) -> Kernel:
        name = _fast_name(self.name, spec.dtype, spec.device._name)
        if name and settings.current().npu_math == "fast":
            fast: Kernel = called(name)
            return fast
        if self.divides and spec.dtype in _dtypes.INTEGER and relaxed.on():
            return functools.partial(divided_as_in_numpy, self.find(spec), spec)
        return self.find(spec)

    @traced_as(_traced_entry)
    def entry(self, spec: Spec) -> Kernel:
        """Return the kernel for a function that users call; options may choose the fast one."""
        try:
            return self._entries[spec]
        except KeyError:
            if spec.sure is not spec:
                self.find(spec)  # fills ``table``, so that the fast path serves the next call
                return self._entries.setdefault(spec, late_errors.following(self.entry(spec.sure)))
            # Another thread may offer a fast kernel between the look-up and the store.  Then the
            # stored one would stay exact for ever, so look again after the store.
            while True:
                exact = self.find(spec)
                chosen = self.table.get(spec, exact)
                kernel = self._entries.setdefault(
                    spec, _faults.guarded(self.name, spec.device, chosen)
                )
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
            if _faults.is_gone(spec.device):
                return _refusal(self, spec.device)
            # Wrap the entry of the table, not the exact kernel: for arrays in doubt, too, options
            # choose the fast kernel, and divisions note divisors.
            if spec.sure is not spec:
                self.find(spec.sure)
                return self.table.setdefault(spec, late_errors.following(self.table[spec.sure]))
            kernel = self._decide(spec)
            if self.divides and spec.device.backend.late and spec.dtype in _dtypes.INTEGER:
                kernel = _Divided(self.name, spec, kernel)
            kernel = self.table.setdefault(spec, kernel)
            if settings.fast_offered():
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

    def _decide(self, spec: Spec, *, compiled: bool = False) -> Kernel:
        row = self._compiled_row(spec) if compiled else None
        row = row or self.row(spec.dtype, spec.device.type)
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
        python = isinstance(kernel, FunctionType) and self.name not in SINGLE
        bare = kernel is self.native and not python
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
        takes = row is not None and getattr(row.fast, "scalars", False)  # Native alone has it
        return kernel.with_scalar if takes else None

    def fast_as_asked(self, spec: Spec) -> Kernel | None:
        """Return the fast kernel for Python scalars if the options ask for it now, else None."""
        kernel = self.fast_with_scalars(spec)
        asked = kernel is not None and settings.current().npu_math == "fast"
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
    return OPS[op]._decide(spec, compiled=True)


@constant
def divides_integers(op: str, dtype: torch.dtype) -> bool:
    """Say whether an operation divides integers; relaxed mode gives 0 for a divisor of 0."""
    return OPS[op].divides and dtype in _dtypes.INTEGER


@constant
def _is_native(op: str, dtype: torch.dtype, device: str) -> bool:
    return _decided(op, spec_named(dtype, device)) is OPS[op].native


def is_native_at(op: str, dtype: torch.dtype, device: torch.device) -> bool:
    """Say whether torch's own function is the kernel for tensors of a data type on a device."""
    return _is_native(op, dtype, spec_at(dtype, device).device._name)


def _refusal(op: Op, device: Device) -> Kernel:
    def refuse(*_: Any, **__: Any) -> Any:
        raise _faults.no_device(op.name, device)

    return refuse


def _forget(device: Device) -> None:
    for op in OPS.values():
        op.forget(device)


_faults.when_gone(_forget)


def _leave_behind() -> None:
    for device in {s.device for op in OPS.values() for s in op.table if s.device.backend.late}:
        _faults.leave_behind(device)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_behind)


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
        if settings.current().npu_math == "fast":
            return self.fast(*operands, **parameters)
        return self.exact(*operands, **parameters)

    def with_scalar(self, x: torch.Tensor, other: float) -> Any:
        """Compute by the fast kernel; with the option "exact" raise KeyError, like an empty table.

        The caller then takes its slow path.
        """
        if settings.current().npu_math == "fast":
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
        if not (judged(x1, x2) and x1.numel()):  # without dividends nothing is divided
            if relaxed.on():
                return divided_as_in_numpy(self.exact, self.spec, x1, x2)
            return self.exact(x1, x2)
        if relaxed.on():
            return self._as_numpy(x1, x2)
        doubt = late_errors.doubt_of_divisor(self.name, x2)
        # No new doubt: checks are off, or an earlier call checks this divisor.  Its outcome may
        # still be open, and then the quotient depends on it too.
        if doubt is None:
            result = self.exact(x1, x2)
            doubt = late_errors.doubt_behind(x2)
        else:
            divide = OPS["noted_division"].on(self.spec)
            result = divide(x1, x2, function=self.name, exact=self.exact, doubt=doubt)
        return late_errors.mark(result, doubt)

    def _as_numpy(self, x1: torch.Tensor, x2: torch.Tensor) -> Any:
        """Divide; a quotient by 0 is 0, and a warning comes when the host waits for the device."""
        if late_errors.is_known_nonzero(x2):
            return self.exact(x1, x2)
        divide = functools.partial(divided_as_in_numpy, self.exact, self.spec)
        doubt = late_errors.doubt_of_quotient(self.name)
        if doubt is None:
            return divide(x1, x2)
        noted = OPS["noted_division"].on(self.spec)
        return noted(x1, x2, function=self.name, exact=divide, doubt=doubt)


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
    result: torch.Tensor = choose(is_zero, zero, quotient)
    return result


def _offer_fast() -> None:
    for op in OPS.values():
        for spec in list(op.table):
            op.offer_fast(spec)


settings.when_fast(_offer_fast)


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
