"""New arrays on a mesh: each process makes its part."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Final

from ..._devices.device import Spec
from ..._routes import creation, fourier  # noqa: F401  # they make the operations
from ..._routes._evidence import Evidence
from ..._routes._kernels import Kernel
from ..._routes._operations import OPS, Op
from ..._routes._rows import Row
from ..._torch import dtypes as dt
from ._mesh import Mesh
from ._sharded import Sharded, shape_of
from .gathering import SEEN, on_one


@dataclass(frozen=True)
class Placed:
    """Create the whole in every process, and keep the process's part."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel for one device, whose result is divided."""
        one, mesh = on_one(op, spec), spec.device.backend

        @functools.wraps(op.native, assigned=("__name__",), updated=())
        def placed(*operands: Any) -> Any:
            return mesh.place(one(*operands))

        return placed


@dataclass(frozen=True)
class Filled:
    """Create each part by itself, because all elements are equal."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel for one device, given the shapes of parts."""
        one = on_one(op, spec)
        mesh: Mesh = spec.device.backend  # type: ignore[assignment]

        @functools.wraps(op.native, assigned=("__name__",), updated=())
        def in_parts(shape: tuple[int, ...], *operands: Any) -> Any:
            if not shape or shape[0] < mesh.least:
                return one(shape, *operands)
            size = mesh.transport.size
            parts = [one(shape_of(shape, 0, size, r), *operands) for r in mesh.transport.ranks]
            return Sharded(parts, 0, mesh, shape)

        return in_parts


_EVIDENCE: Final = Evidence(SEEN, "absent")

ROWS: Final = [
    *(
        Row(
            name,
            OPS[name].dtypes,
            Placed(),
            "a new array is divided along its first axis",
            _EVIDENCE,
        )
        for name in ("arange", "eye", "linspace", "frequencies")
    ),
    Row(
        "full zeros",
        dt.ANY,
        Filled(),
        "a new array is divided along its first axis, and all of its parts are alike",
        _EVIDENCE,
    ),
]
