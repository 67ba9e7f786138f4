"""New arrays on a mesh: each process makes its part."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Final

from ..._devices.device import Spec
from ..._routes import creation, fourier  # noqa: F401  # they make the operations
from ..._routes._kernels import Kernel
from ..._routes._operations import Op
from ._dispatch import by_rules, on_one
from ._mesh import Mesh


@dataclass(frozen=True)
class New:
    """Make a new array, which is divided along its first axis."""

    alike: bool
    """Whether all elements are equal: then each process makes its part alone."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel for one device, whose result is divided."""
        one = on_one(op, spec)
        mesh: Mesh = spec.device.backend  # type: ignore[assignment]

        @functools.wraps(op.native, assigned=("__name__",), updated=())
        def new(*operands: Any) -> Any:
            if not self.alike:
                return mesh.place(one(*operands))
            shape, *rest = operands
            return mesh.by_rows(op.name, shape, lambda _, own: one(own, *rest), (), ())

        return new


_WHY: Final = "a new array is divided along its first axis"

ROWS: Final = by_rules(
    ("arange eye linspace frequencies", New(alike=False), _WHY),
    ("full zeros", New(alike=True), f"{_WHY}, and all of its parts are alike"),
)
