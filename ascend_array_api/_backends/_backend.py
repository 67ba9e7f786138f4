"""What a backend is: all that the package has to know of one device type, in one object."""

from __future__ import annotations

import enum
import itertools
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from .._torch import torch
from ._facts import Facts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from ._facts import Fact


class DLDeviceType(enum.IntEnum):
    """The device types of DLPack."""

    kDLCPU = 1  # noqa: N815
    kDLCUDA = 2  # noqa: N815
    kDLCUDAHost = 3  # noqa: N815
    kDLOpenCL = 4  # noqa: N815
    kDLVulkan = 7  # noqa: N815
    kDLMetal = 8  # noqa: N815
    kDLVPI = 9  # noqa: N815
    kDLROCM = 10  # noqa: N815
    kDLROCMHost = 11  # noqa: N815
    kDLExtDev = 12  # noqa: N815
    kDLCUDAManaged = 13  # noqa: N815
    kDLOneAPI = 14  # noqa: N815
    kDLWebGPU = 15  # noqa: N815
    kDLHexagon = 16  # noqa: N815
    kDLMAIA = 17  # noqa: N815


class Fault(NamedTuple):
    """What is known of a fault of a device."""

    code: int | None
    """The vendor's error code."""
    kernel: str | None
    """The kernel that failed."""
    advice: str
    """What to do about it, as one or more sentences without the last stop."""
    said_by: str
    """Who reported it."""


_probes: Final = itertools.count(170_859_375)


def is_half(dtype: torch.dtype) -> bool:
    """Say whether a data type is a floating-point one of half precision."""
    return dtype.is_floating_point and dtype.itemsize == 2


_RAISED: Final = frozenset(
    [
        "acos",
        "asin",
        "atan2",
        "cosh",
        "erfinv",
        "exp",
        "expm1",
        "inverse",
        "log",
        "log10",
        "log1p",
        "log2",
        "pow",
        "reciprocal",
        "sinh",
        "square",
        "sum",
        "tan",
    ]
)
"""The functions of torch's that ``torch.autocast`` has compute in float32 for half precision."""


class Backend:
    """A device type: what it needs, how it fails, what is known of it, and where its rows are.

    One that torch knows and that is nothing special needs no more than a type.  Others derive a
    class, and one object of it stands for the device type.  It is found under its device type: in
    this package, or as an entry point of the group ``ascend_array_api.backends``, whose name is the
    device type.

    Parameters
    ----------
    type : str
        The device type, as torch names it.
    """

    dlpack: ClassVar[DLDeviceType | None] = None
    """What DLPack calls it; None where it has no name for it."""

    numbered: ClassVar[bool] = True
    """Whether there can be several devices of this type, which have numbers."""

    contiguous: ClassVar[bool] = False
    """Whether only contiguous tensors are sent to such a device."""

    most_dimensions: ClassVar[int | None] = None
    """The number of dimensions that its kernels take; None where there is no such number."""

    faults: ClassVar[bool] = False
    """Whether its faults are told from other errors by their texts, and may come late."""

    late: bool = False
    """Whether the host would have to wait for it to see what is wrong with values."""

    drops_work: ClassVar[str] = "all further work would fail"
    """What it does with work after a fault after which it computes nothing."""

    exact_scalars: ClassVar[bool] = False
    """Whether its kernels take a Python scalar as exactly as a tensor of 0 dimensions."""

    rounds_scalars: ClassVar[frozenset[str]] = frozenset()
    """The operations of which that is not so, by name."""

    largest_scalar: ClassVar[int | None] = None
    """The largest Python integer that its kernels take exactly beside integers; None for all."""

    narrow_scalars: ClassVar[frozenset[torch.dtype]] = frozenset()
    """The data types beside which a Python scalar may pass through float32."""

    collectives: ClassVar[str] = "gloo"
    """What torch.distributed calls the library by which such devices talk to each other."""

    copies_views: ClassVar[bool] = False
    """Whether what is a view on one device may be a copy, which a write is to reach."""

    told_late: ClassVar[bool] = False
    """Whether that library tells a process long after the bound on time that another is gone."""

    rows: ClassVar[tuple[str, ...]] = ()
    """The names of modules that have its rows, as ``ROWS``.

    They are imported when the first kernel for such a device is looked up.
    """

    overriding: ClassVar[tuple[str, ...]] = ()
    """The names of modules that have rows which come before all others, module by module."""

    usual: ClassVar[str | None] = None
    """The name of the module whose ``USUAL`` is the row for all that these rows do not name.

    Those for every device are then left to the devices that it is made of: see ``Device.local``.
    """

    def __init__(self, type: str) -> None:  # as torch's devices have it
        self.type: Final = type
        self.facts: Final = Facts(type, self.find_facts())

    def __repr__(self) -> str:
        return f"<backend for {self.type!r}>"

    # --- devices ----------------------------------------------------------------------------------

    @property
    def module(self) -> Any:
        """Torch's module for the device type."""
        return getattr(torch, self.type)

    def devices(self) -> list[torch.device]:
        """Return the devices that can be used."""
        if not self.module.is_available():
            return []
        return [torch.device(self.type, i) for i in range(self.module.device_count())]

    def current(self) -> torch.device:
        """Return the device that a name without a number stands for."""
        return torch.device(self.type, self.module.current_device())

    def describe(self, index: int | None) -> tuple[str, int | None]:
        """Return the model of a device, and its memory in bytes, None where that is not known."""
        properties = self.module.get_device_properties(index)
        return str(self.module.get_device_name(index)), int(properties.total_memory)

    def find_facts(self) -> Mapping[str, Callable[[], Fact]]:
        """Return how each fact of this device type is found, by its name."""
        return {}

    # --- kernels ----------------------------------------------------------------------------------

    def takes_scalars(self, operation: str, dtype: torch.dtype) -> bool:  # noqa: ARG002
        """Say whether Python scalars are as exact as tensors in an operation, for a data type."""
        return self.exact_scalars and operation not in self.rounds_scalars

    def gives_scalars(self, dtype: torch.dtype) -> bool:  # noqa: ARG002
        """Say whether ``Tensor.item`` is there for a data type."""
        return True

    def autocasts(self, operation: str, dtype: torch.dtype, *, bare: bool) -> bool:
        """Say whether a kernel may call what ``torch.autocast`` computes in other data types.

        The kernel of an operation for a data type is bare if it is torch's function and no more.
        """
        return not bare or operation == "matmul" or (is_half(dtype) and operation in _RAISED)

    # --- parts ------------------------------------------------------------------------------------

    def place(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return what an array holds, given the whole of it: parts, where there are several."""
        return tensor

    def by_rows(
        self,
        function: str,  # noqa: ARG002
        shape: tuple[int, ...],
        make: Callable[..., torch.Tensor],
        values: Sequence[Any],
        core: Sequence[int],  # noqa: ARG002
    ) -> torch.Tensor:
        """Return what a new array of a shape holds: each part as a function makes it.

        It is given a range of rows, the shape of these, and what they need of the values: scalars
        and tensors that broadcast to the shape, but for their last axes: so many as ``core`` says.
        """
        return make(range(shape[0] if shape else 1), shape, *values)

    def common(self, entropy: int) -> int:
        """Return 128 bits that all processes have, given those of this one."""
        return entropy

    def divided_axis(self, tensor: torch.Tensor) -> int | None:  # noqa: ARG002
        """Return the axis along which what an array holds is parts; None where it is not."""
        return None

    def keeps_parts(self, tensor: torch.Tensor, shape: tuple[int, ...]) -> bool:  # noqa: ARG002
        """Say whether no element goes from part to part for an array to be seen in a shape."""
        return True

    def collect(
        self,
        tensor: torch.Tensor,
        operation: str | None = None,  # noqa: ARG002
        *,
        view: bool = False,  # noqa: ARG002
    ) -> torch.Tensor:
        """Return the whole of what an array holds; of the operation for it the user is told."""
        return tensor

    def is_view(
        self,
        tensor: torch.Tensor,  # noqa: ARG002
        value: torch.Tensor,  # noqa: ARG002
        axis: int,  # noqa: ARG002
        positions: range,  # noqa: ARG002
    ) -> bool:
        """Say whether a value is known to be the view of positions along an axis."""
        return False

    def wrote(self, tensor: torch.Tensor) -> None:
        """Let what was written to a tensor reach what would share memory with it on one device."""

    def shown(self, tensor: torch.Tensor) -> tuple[torch.Tensor, str]:
        """Return what can be shown of what an array holds, and what it is, asking no others."""
        return tensor, ""

    def write(self, tensor: torch.Tensor, value: torch.Tensor) -> None:
        """Write the whole of what an array is to hold to its parts."""
        tensor.copy_(value)

    # --- streams ----------------------------------------------------------------------------------

    def stream(self, stream: Any, device: torch.device) -> AbstractContextManager[Any]:
        """Return the context in which work on a device is ordered after that of a stream."""
        if isinstance(stream, int) and not isinstance(stream, bool):
            stream = self.module.ExternalStream(stream, device=device)
        elif not isinstance(stream, self.module.Stream):
            raise TypeError(
                f"to_device: stream must be a torch.{self.type}.Stream, the number of one, or "
                f"None, got {stream!r}."
            )
        context: AbstractContextManager[Any] = self.module.stream(stream)
        return context

    def used_here(self, tensor: torch.Tensor) -> None:
        """Keep a tensor's memory from other use until the current stream has done with it."""
        if tensor.device.type == self.type:
            tensor.record_stream(self.module.current_stream(tensor.device))

    def dlpack_stream(self, index: int) -> int | None:  # noqa: ARG002
        """Return the number of the current stream, for who exports to it; None to tell nothing."""
        return None

    # --- faults -----------------------------------------------------------------------------------

    def fault(self, error: Exception) -> Fault | None:  # noqa: ARG002
        """Return what an error says of a fault; None for an error of any other kind."""
        return None

    def computes(self, device: torch.device) -> bool:
        """Say whether a device computes still, after a fault."""
        number = next(_probes)
        try:
            made = torch.full((), number, dtype=torch.int32, device=device)
            return bool(made.item() == number)
        except torch.OutOfMemoryError:
            return True
        except RuntimeError:
            return False


class Host(Backend):
    """The device on which Python itself runs: there is one, which has no number and no streams."""

    numbered = False

    def devices(self) -> list[torch.device]:
        """Return the one device."""
        return [torch.device(self.type)]

    def current(self) -> torch.device:
        """Return the one device."""
        return torch.device(self.type)

    def describe(self, index: int | None) -> tuple[str, int | None]:  # noqa: ARG002
        """Return what stands for the model."""
        return "the host", None

    def used_here(self, tensor: torch.Tensor) -> None:
        """Leave it: there are no streams."""

    def stream(self, stream: Any, device: torch.device) -> AbstractContextManager[Any]:  # noqa: ARG002
        """Refuse streams."""
        raise ValueError(
            f"to_device: the CPU has no streams, so stream must be None, not {stream}."
        )
