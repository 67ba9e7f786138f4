"""The backend of one mesh: its ranks, and the device of this process's parts."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, Final

from ..._devices import backends
from ..._devices.device import Device
from ..._options import settings
from ..._torch import Tensor, torch
from ..._torch.tracing import untraced
from . import MeshBackend, _steps  # noqa: F401  # it enters its rules
from ._moves import numbers_of
from ._reach import gathered_view, is_view, written
from ._sharded import Sharded, extents, followed, laid, parts_of, resized, seen, step, whole
from ._transport import Transport, fresh_key
from ._views import reshaped_axis

_NEEDS_ALL: Final = "it reads or writes elements of any part"
_ALL: Final = "each part needs all of a parameter"


class Mesh(MeshBackend):
    """A mesh of one dimension.

    Parameters
    ----------
    transport : Transport
        The ranks.
    local : Device
        The device of the parts of this process.
    least : int, optional
        The least number of elements of a new array that is divided along its first axis; by
        default the number of ranks.
    """

    def __init__(self, transport: Transport, local: Device, least: int | None = None) -> None:
        super().__init__("mesh")
        self.transport = transport
        self.size, self.ranks = transport.size, transport.ranks
        self.local = local
        self.asynchronous = local.backend.asynchronous
        self.least = transport.size if least is None else least
        self.numbers = itertools.count()
        """The numbers of memory with copies, which all processes make in the same order."""
        self.key = fresh_key()
        """A device that no tensor is on, by which the package finds the mesh."""
        self.own = frozenset({None, local.torch_device})
        """How the device of a divided tensor may be given to a function of torch."""
        self.caller = 0, settings.current()
        """The thread in which torch last asked for a step of divided tensors, and its options."""
        simulated = ", simulated" if len(transport.ranks) > 1 else ""
        self.name = f"mesh({local.type}, {transport.size}{simulated})"

    @property
    def rows(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names of the modules with rows, which all meshes share."""
        return backends.find(self.type).rows

    def extents(self, n: int) -> list[tuple[int, int]]:
        """Return where the parts of an axis begin for this process's ranks, and their lengths."""
        every = extents(n, self.size)
        return [every[r] for r in self.ranks]

    def shapes(self, shape: Sequence[int], axis: int) -> list[tuple[int, ...]]:
        """Return the shapes of the parts of this process's ranks."""
        return [resized(shape, axis, n) for _, n in self.extents(shape[axis])]

    def devices(self) -> list[torch.device]:
        """Return the key of the mesh."""
        return [self.key]

    def describe(self, index: int | None) -> tuple[str, int | None]:  # noqa: ARG002
        """Return the model of one device."""
        return self.local.backend.describe(self.local.index)

    def gives_scalars(self, dtype: torch.dtype) -> bool:
        """Say whether ``Tensor.item`` works on its devices for a data type."""
        return self.local.backend.gives_scalars(dtype)

    def place(self, tensor: Tensor) -> Tensor:
        """Divide a tensor that every process has if it is large, as in a new array."""
        if type(tensor) is Sharded:
            return tensor
        if tensor.dim() and tensor.shape[0] >= self.least:
            return laid(self, tensor, 0)
        if not followed(tensor):
            return tensor
        return step(torch.clone, whole, tensor)  # its derivative is whole as it is

    def by_rows(
        self,
        function: str,
        shape: tuple[int, ...],
        make: Callable[..., Tensor],
        values: Sequence[Any],
        core: Sequence[int],
    ) -> Tensor:
        """Return the tensor of a new array whose parts ``make`` computes."""
        n = shape[0] if shape else 1
        if not shape or n < self.least:
            own = [seen(value, function, _ALL) for value in values]
            return self.place(make(range(n), shape, *own))
        shared: list[Sequence[Any]] = []
        for value, inner in zip(values, [*core, *[0] * len(values)]):
            like = isinstance(value, torch.Tensor) and value.dim() == len(shape) + inner
            if like and value.shape[0] == n:
                shared.append(parts_of(value, 0, self))
            else:
                shared.append([seen(value, function, _ALL)] * len(self.ranks))
        made = [
            make(range(start, start + length), (length, *shape[1:]), *own)
            for (start, length), *own in zip(self.extents(n), *shared)
        ]
        return Sharded(made, 0, self, (n, *made[0].shape[1:]))

    def common(self, entropy: int) -> int:
        """Return the bits of the first rank."""
        words = [entropy >> shift & 0xFFFFFFFF for shift in range(0, 128, 32)]
        first = numbers_of(self, [words] * len(self.ranks))[0]
        return sum(word << 32 * place for place, word in enumerate(first))

    def divided_axis(self, tensor: Tensor) -> int | None:
        """Return the axis along which a tensor is divided."""
        return tensor.axis if type(tensor) is Sharded else None

    def keeps_parts(self, tensor: Tensor, shape: tuple[int, ...]) -> bool:
        """Say whether each element stays in its part if the tensor is reshaped to a shape."""
        return type(tensor) is not Sharded or reshaped_axis(tensor, shape) is not None

    @untraced
    def collect(
        self, tensor: Tensor, operation: str | None = None, *, view: bool = False
    ) -> Tensor:
        """Return the whole of a tensor in every process; a view can be written to."""
        if type(tensor) is not Sharded:
            return tensor
        if view and operation is not None:
            return gathered_view(tensor, operation, _NEEDS_ALL)
        return whole(tensor) if operation is None else seen(tensor, operation, _NEEDS_ALL)

    def shown(self, tensor: Tensor) -> tuple[Tensor, str]:
        """Return the part of this process and say which it is: others may not print at all."""
        if type(tensor) is not Sharded:
            return tensor, ""
        n, (start, length) = tensor.shape[tensor.axis], tensor.extents[0]
        return tensor.parts[0], f"[{start}:{start + length}] of {n} along axis {tensor.axis}"

    @untraced
    def is_view(self, tensor: Tensor, value: Tensor, axis: int, positions: range) -> bool:
        """Say whether a value is a known view of a tensor, kept equal: positions along an axis."""
        if type(tensor) is not Sharded or followed(tensor, value):
            return False
        return is_view(tensor, value, axis, positions)

    @untraced
    def wrote(self, tensor: Tensor) -> None:
        """Repeat a write on the tensors that would share memory with this one on one device."""
        written(tensor)

    @untraced
    def write(self, tensor: Tensor, value: Tensor) -> None:
        """Write the elements of a whole tensor to the parts."""
        if type(tensor) is Sharded and followed(tensor, value):
            tensor.copy_(laid(self, value, tensor.axis))
        elif type(tensor) is Sharded:
            tensor.overwrite(value)
