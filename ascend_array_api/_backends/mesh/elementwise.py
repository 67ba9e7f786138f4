"""Elementwise functions on a mesh: each part by itself."""

from __future__ import annotations

import functools
from collections.abc import Iterable
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
from ..._routes._operations import OPS, Op
from ..._routes._rows import Native, Row
from ..._torch import dtypes as dt
from ..._torch import torch
from ._moves import as_bits
from ._sharded import Aligned, Sharded, followed
from .gathering import SEEN, on_one, ruled


@dataclass(frozen=True)
class OnParts:
    """Compute on the parts of operands that broadcast together."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel for one device, called with each part."""
        if op.divides and spec.dtype in dt.INTEGER:
            return ruled(op, spec, _agreed)

        def rule(one: Kernel, _: list[Sharded], *operands: Any, **parameters: Any) -> Any:
            return Aligned(op.name, operands, parameters).result(one)

        one, general = on_one(op, spec), ruled(op, spec, rule)

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


def _agreed(one: Kernel, divided: list[Sharded], x1: Any, x2: Any) -> Any:
    """Divide integers; every process raises if a divisor in any part is 0."""
    mesh = divided[0].mesh
    zeros: Any = []
    if mesh.late or not x1.numel():
        pass  # the users' table of the mesh has noted the divisor, or nothing is divided
    elif type(x2) is Sharded:
        own = [(as_bits(p) == 0).any().reshape(1) for p in x2.parts]
        zeros = mesh.transport.exchange(own, [(1,)] * mesh.transport.size)
    else:  # every process has the divisor; without this only those with the zero would raise
        zeros = [(as_bits(x2) == 0).any()]
    if any(bool(z) for z in zeros):
        raise RuntimeError("ZeroDivisionError")  # the text of torch's kernels for the CPU
    return Aligned("division", (x1, x2), {}).result(one)


@dataclass(frozen=True)
class Written:
    """Overwrite each part of the first operand; gather the others if it is not divided."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel for one device, called with each part."""

        def rule(one: Kernel, _: list[Sharded], *operands: Any, **parameters: Any) -> Any:
            target = operands[0]
            if type(target) is not Sharded:
                return NotImplemented
            Aligned(op.name, operands, parameters, target).run(one)
            return target

        return ruled(op, spec, rule)


def on_parts(names: Iterable[str]) -> list[Row]:
    """Return rows for operations that compute each element from those at its own place."""
    why = "each element hangs on those at its own place alone"
    return [Row(name, OPS[name].dtypes, OnParts(), why, Evidence(SEEN, "absent")) for name in names]


def names_in(*modules: ModuleType) -> set[str]:
    """Return the names of the operations that modules declare."""
    return {v.name for module in modules for v in vars(module).values() if type(v) is Op}


ROWS: Final = [
    *on_parts(sorted(names_in(elementwise) | {"bounded", "cast", "clone", "copy"})),
    Row(
        "noted_division",
        OPS["noted_division"].dtypes,
        Native(),
        "what it asks of the divisors and how it divides is known of parts",
        Evidence(SEEN, "absent"),
    ),
    Row(
        "copy_to mask_fill",
        dt.ANY,
        Written(),
        "what is written to must be the parts, and not a copy of the whole",
        Evidence(SEEN, "wrong"),
    ),
]
