"""The routes by a rule for divided operands, and the last resort: gather the operands."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from ..._devices.device import Spec
from ..._devices.device import spec as spec_for
from ..._routes._evidence import Evidence
from ..._routes._kernels import Kernel
from ..._routes._operations import Op
from ..._routes._rows import Row
from ..._torch import dtypes as dt
from ._sharded import Sharded, among, followed, mapped, refuse_transformed, relaid, seen, shapes

SEEN: Final = "torch 2.13.0, gloo"


def on_one(op: Op, spec: Spec) -> Kernel:
    """Return the kernel of an operation for the devices of a mesh."""
    return op.on(spec_for(spec.dtype, spec.device.local))


def ruled(op: Op, spec: Spec, rule: Callable[..., Any]) -> Kernel:
    """Return the kernel that follows a rule if an operand is divided.

    The rule takes the kernel for one device, the divided operands, all operands and parameters.  It
    returns NotImplemented if it cannot tell; the kernel then gathers the operands.
    """
    one = on_one(op, spec)
    row = op.row(spec.dtype, spec.device.type)
    reason = "" if row is None else row.reason

    @functools.wraps(op.native, assigned=("__name__",), updated=())
    def by_rule_or_gathered(*operands: Any, **parameters: Any) -> Any:
        tensors = among((*operands, *parameters.values()))
        divided = [t for t in tensors if type(t) is Sharded]
        # While torch records derivatives, it must see each step: it dispatches the steps of the
        # kernel for one device to the divided tensors, which follow the rules of ``_steps``.
        if not divided or followed(*tensors):
            refuse_transformed(op.name, *tensors)
            return one(*operands, **parameters)
        transport = divided[0].mesh.transport
        outer, transport.doing = transport.doing, (op.name, spec.dtype, shapes(tensors))
        try:
            made = rule(one, divided, *operands, **parameters)
            if made is not NotImplemented:
                return made

            def gathered(value: Any) -> Any:
                return mapped(lambda t: seen(t, op.name, reason), value)

            given = {k: gathered(v) for k, v in parameters.items()}
            return relaid(one(*map(gathered, operands), **given), divided[0])
        finally:
            transport.doing = outer

    return by_rule_or_gathered


@dataclass(frozen=True)
class ByRule:
    """Compute by a rule for this operation."""

    rule: Callable[..., Any]

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel that follows the rule."""
        return ruled(op, spec, self.rule)


def _no_rule(*_: Any, **__: Any) -> Any:
    return NotImplemented


@dataclass(frozen=True)
class Gathered:
    """Gather the operands, and report that to the user."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel for one device, called with whole operands."""
        return ruled(op, spec, _no_rule)


USUAL: Final = Row(
    "", dt.ANY, Gathered(), "there is no rule for it part by part", Evidence(SEEN, "absent")
)
"""The row of every operation that no other row names."""
