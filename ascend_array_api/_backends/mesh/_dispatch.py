"""How a function runs on divided tensors: ``computed`` decides.

An operation comes to it with the rule of its row.  A function of torch that chapters, compositions
and derivatives call directly comes to it from ``Sharded``, with the rules for torch's functions.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..._devices.device import Spec
from ..._devices.device import spec as spec_for
from ..._options import settings
from ..._routes._evidence import Evidence
from ..._routes._kernels import Kernel
from ..._routes._operations import OPS, Op
from ..._routes._rows import Route, Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ..._torch.private import derives_for, is_view, with_marks, written_by
from ..._torch.tracing import untraced
from ._reach import gathered_view, written
from ._sharded import (
    Aligned,
    Sharded,
    among,
    below,
    followed,
    mapped,
    refuse_transformed,
    relaid,
    seen,
)

SEEN: Final = "torch 2.13.0, gloo"
EVIDENCE: Final = Evidence(SEEN, "absent")


def computed(
    name: str,
    dtype: torch.dtype,
    one: Callable[..., Any],
    rules: Iterable[Callable[..., Any]],
    reason: str,
    operands: Sequence[Any],
    parameters: dict[str, Any],
    tensors: Sequence[Tensor],
) -> Any:
    """Decide how a function runs on operands of which some are divided, and run it.

    The first rule decides that does not return NotImplemented.  If there is none, the operands are
    gathered, and every process computes the whole.

    Parameters
    ----------
    name, dtype : str, dtype
        The marks of the exchanges within.
    one : callable
        The function for tensors of one device.
    rules : iterable of callable
        They take ``one``, all operands and parameters.
    reason : str
        The report of a gather says it.
    operands, parameters
        The arguments.
    tensors : sequence of Tensor
        The tensors among them.
    """
    like = next(t for t in tensors if type(t) is Sharded)
    transport = like.mesh.transport
    outer, transport.doing = transport.doing, (name, dtype, tuple([t.shape for t in tensors]))
    try:
        for rule in rules:
            made = rule(one, *operands, **parameters)
            if made is not NotImplemented:
                return made
        given, options = _gathered(name, reason, operands, parameters)
        return relaid(one(*given, **options), like)
    finally:
        transport.doing = outer  # steps may nest


def _gathered(
    name: str, reason: str, operands: Sequence[Any], parameters: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    def given(value: Any) -> Any:
        return mapped(lambda t: seen(t, name, reason), value)

    return [given(v) for v in operands], {k: given(v) for k, v in parameters.items()}


# --- operations -----------------------------------------------------------------------------------


def on_one(op: Op, spec: Spec) -> Kernel:
    """Return the kernel of an operation for the devices of a mesh."""
    return op.on(spec_for(spec.dtype, spec.device.local))


@dataclass(frozen=True)
class ByRule:
    """Compute by a rule for divided operands."""

    function: Callable[..., Any]
    """Takes the kernel for one device, all operands and parameters."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel that follows the rule if an operand is divided."""
        one = on_one(op, spec)
        row = op.row(spec.dtype, spec.device.backend)
        reason = "" if row is None else row.reason

        @functools.wraps(op.native, assigned=("__name__",), updated=())
        def by_rule(*operands: Any, **parameters: Any) -> Any:
            tensors = among((*operands, *parameters.values()))
            # While torch records derivatives, it must see each step: it dispatches the steps of the
            # kernel for one device to the divided tensors, which follow the rules of ``_steps``.
            if not any(type(t) is Sharded for t in tensors) or followed(*tensors):
                refuse_transformed(op.name, *tensors)
                return one(*operands, **parameters)
            return computed(
                op.name, spec.dtype, one, [self.function], reason, operands, parameters, tensors
            )

        return by_rule


def by_rules(*given: tuple[str, Callable[..., Any] | Route, str]) -> list[Row]:
    """Return rows, given the names of operations, the rule for divided operands, and why."""
    return [
        Row(name, OPS[name].dtypes, ByRule(rule) if callable(rule) else rule, why, EVIDENCE)
        for names, rule, why in given
        for name in names.split()
    ]


def gathered(*_: Any, **__: Any) -> Any:
    """Leave the operands to be gathered."""
    return NotImplemented


USUAL: Final = Row("", dt.ANY, ByRule(gathered), "there is no rule for it part by part", EVIDENCE)
"""The row of every operation that no other row names."""


# --- torch's functions ----------------------------------------------------------------------------

RULES: Final[dict[str, Callable[..., Any]]] = {}
"""Rules by the names of torch's functions; ``_views`` and ``_steps`` fill it."""

_NO_STRIDES: Final = (
    "a derivative through a write to a view of an array that is divided is not known. Write to the "
    "array itself, as in x[key] = value, or join parts by concat()."
)
_NO_RULE: Final = "torch's function has no rule for parts"
_IS_WHOLE: Final = "torch's view has no rule for parts"


@untraced
def _dispatched(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Compute one step that torch has dispatched; it has already recorded the derivative."""
    tensors = among((*args, *kwargs.values()))
    like = next(t for t in tensors if type(t) is Sharded)
    name, mesh, me = _name(func), like.mesh, threading.get_ident()
    thread, options = mesh.caller
    # Torch computes derivatives on accelerators in a thread of its own, without the options of the
    # thread that waits for them.
    theirs = me != thread and derives_for(thread)
    if not theirs:
        mesh.caller = me, settings.current()
    if followed(*tensors):
        # Torch would compute the derivative of a write to a view by strides in one memory.
        for is_written, t in zip(written_by(func), args):
            if is_written and type(t) is Sharded and is_view(t):
                raise NotImplementedError(f"{name}: {_NO_STRIDES}")
    own = (RULES[name],) if name in RULES else ()
    with settings.entered(options) if theirs else contextlib.nullcontext(), below(), with_marks():
        return computed(name, like.dtype, func, (*own, *_LAST), _NO_RULE, args, kwargs, tensors)


Sharded.dispatched = staticmethod(_dispatched)


def _name(func: Any) -> str:
    return str(func).split(".")[1]


def _decomposed(func: Any, *args: Any, **kwargs: Any) -> Any:
    """Compute by other functions: below autograd torch no longer does so by itself."""
    return func.decompose(*args, **kwargs)


def _mutated(func: Any, *args: Any, **kwargs: Any) -> Any:
    """Compute a function that overwrites operands, and write the results to all their parts."""
    name, write = _name(func), written_by(func)
    if name in _STRIDED:
        raise NotImplementedError(f"{name}: {_NO_STRIDES}")
    if not any(write):
        return NotImplemented
    target = args[0]
    pointwise = torch.Tag.pointwise in func.tags or name in _WRITES
    if pointwise and type(target) is Sharded:
        aligned = Aligned(name, args, kwargs, target)
        if aligned.shape == tuple(target.shape):
            aligned.run(func)
            written(target)
            return target
    own, options = _gathered(name, _NO_RULE, args, kwargs)
    made = func(*own, **options)
    for is_written, before, after in zip(write, args, own):
        if is_written and type(before) is Sharded:
            before.overwrite(after)
            written(before)
    return target if made is own[0] else made


def _pointwise(func: Any, *args: Any, **kwargs: Any) -> Any:
    if torch.Tag.pointwise not in func.tags:
        return NotImplemented
    return Aligned(_name(func), args, kwargs).result(func)


def _viewed(func: Any, *args: Any, **kwargs: Any) -> Any:
    """Gather the tensor, report it to the user, and return torch's view of that."""
    if not func.is_view or type(args[0]) is not Sharded:
        return NotImplemented
    return func(gathered_view(args[0], _name(func), _IS_WHOLE), *args[1:], **kwargs)


_LAST: Final = (_decomposed, _mutated, _pointwise, _viewed)
"""The rules for functions without one of their own, from the best to the last resort."""

_STRIDED: Final = frozenset({"as_strided", "new_empty_strided"})
"""The functions that torch calls for derivatives of writes to views, by strides in one memory."""

_WRITES: Final = frozenset({"copy_", "fill_", "zero_", "masked_fill_"})
