"""Elementwise functions on a mesh: each part by itself."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from ..._devices.device import Spec
from ..._routes import (
    elementwise,
    indexing,  # noqa: F401  # it makes an operation
)
from ..._routes._evidence import Evidence
from ..._routes._kernels import Kernel
from ..._routes._operations import Op
from ..._routes._rows import Native, Row
from ..._torch import dtypes as dt
from ..._torch import torch
from ._dispatch import SEEN, ByRule, by_rules, on_one
from ._moves import as_bits
from ._sharded import Aligned, Sharded, followed, found


@dataclass(frozen=True)
class OnParts:
    """Compute on the parts of operands that broadcast together."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel for one device, called with each part."""
        if op.divides and spec.dtype in dt.INTEGER:
            return ByRule(_agreed).kernel(op, spec)

        def rule(one: Kernel, *operands: Any, **parameters: Any) -> Any:
            return Aligned(op.name, operands, parameters).result(one)

        one, general = on_one(op, spec), ByRule(rule).kernel(op, spec)

        @functools.wraps(op.native, assigned=("__name__",), updated=())
        def part_by_part(*operands: Any, **parameters: Any) -> Any:
            x = operands[0]
            if type(x) is Sharded and not parameters:  # the usual call needs no alignment
                if len(operands) == 1:
                    if not followed(x):
                        return x.with_parts([one(p) for p in x.parts])
                elif len(operands) == 2:
                    y = operands[1]
                    if type(y) is Sharded:
                        if y.axis == x.axis and y.shape == x.shape and not followed(x, y):
                            return x.with_parts([one(p, q) for p, q in zip(x.parts, y.parts)])
                    elif type(y) is torch.Tensor and not y.dim() and not followed(x, y):
                        return x.with_parts([one(p, y) for p in x.parts])
            return general(*operands, **parameters)

        return part_by_part


def _agreed(one: Kernel, x1: Any, x2: Any) -> Any:
    """Divide integers; every process raises if a divisor in any part is 0."""
    mesh = found((x1, x2))[0].mesh
    if not mesh.asynchronous and x1.numel():  # else the divisor is noted, without a wait
        if type(x2) is Sharded:
            zeros = mesh.transport.stacked([(as_bits(p) == 0).any() for p in x2.parts])
        else:  # every process has the divisor; without this only those with the zero would raise
            zeros = as_bits(x2) == 0
        if bool(zeros.any()):
            raise RuntimeError("ZeroDivisionError")  # the text of torch's kernels for the CPU
    return Aligned("division", (x1, x2), {}).result(one)


def _overwritten(name: str) -> Callable[..., Any]:
    """Return the rule to overwrite each part of the first operand; the others may be gathered."""

    def rule(one: Kernel, target: Any, *operands: Any, **parameters: Any) -> Any:
        if type(target) is not Sharded:
            return NotImplemented
        Aligned(name, (target, *operands), parameters, target).run(one)
        return target

    return rule


def on_parts(*names: str) -> list[Row]:
    """Return rows for operations that compute each element from those at its own place."""
    why = "each element hangs on those at its own place alone"
    return by_rules(*((name, OnParts(), why) for name in names))


def names_in(*modules: ModuleType) -> set[str]:
    """Return the names of the operations that modules declare."""
    return {v.name for module in modules for v in vars(module).values() if type(v) is Op}


_WRITTEN: Final = "what is written to must be the parts, and not a copy of the whole"

ROWS: Final = [
    *on_parts(*sorted(names_in(elementwise) | {"bounded", "cast", "clone", "copy"})),
    *by_rules(("noted_bounds noted_division", Native(), "each of its steps has a rule for parts")),
    *(
        Row(name, dt.ANY, ByRule(_overwritten(name)), _WRITTEN, Evidence(SEEN, "wrong"))
        for name in ("copy_to", "mask_fill")
    ),
]
