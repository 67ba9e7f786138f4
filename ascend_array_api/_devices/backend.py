"""The class of backends: one object has everything that is special to one device type."""

from __future__ import annotations

import enum
import functools
import itertools
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from .._torch import torch
from .._torch.dtypes import HALF
from .facts import Facts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence, Set
    from contextlib import AbstractContextManager

    from .facts import Fact


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
    """A fault of a device, as read from the text of an error."""

    code: int | None
    """The vendor's error code."""
    kernel: str | None
    """The kernel that failed."""
    advice: str
    """The remedy for the user: one or more sentences without the last full stop."""
    said_by: str
    """The software that reported it."""


_probes: Final = itertools.count(170_859_375)


SINGLE: Final = frozenset(
    [
        *("arange", "conj", "copy", "copy_to", "diagonal_matrix", "eye", "full", "imag"),
        *("index_select", "linspace", "real", "roll", "roll_several", "zeros"),
        *("fft", "fftn", "hfft", "ifft", "ifftn", "ihfft", "irfft", "irfftn", "rfft", "rfftn"),
    ]
)
"""The operations whose native Python functions call what autocast leaves alone."""

_RAISED: Final = frozenset(
    [
        *("acos", "asin", "atan2", "cosh", "erfinv", "exp", "expm1", "inverse", "log", "log10"),
        *("log1p", "log2", "pow", "reciprocal", "sinh", "square", "sum", "tan"),
    ]
)
"""The functions of torch that ``torch.autocast`` computes in float32 for half precision."""


def copy_each(targets: Sequence[torch.Tensor], sources: Sequence[torch.Tensor]) -> None:
    """Copy to tensors from others."""
    for target, source in zip(targets, sources):
        target.copy_(source)


def modules_of(package: str, topics: str) -> tuple[str, ...]:
    """Return the names of modules of a package, for ``Backend.rows``."""
    return tuple(f"{package}.{topic}" for topic in topics.split())


class Backend:
    """A device type: what it needs, how it fails, its facts, and where its rows are.

    A device type of torch's without special needs is a plain ``Backend``.  For others, derive a
    class and make one object of it.  The package finds the object by its device type: among its
    own, or as an entry point of the group ``ascend_array_api.backends`` whose name is the type.

    Parameters
    ----------
    type : str
        The device type, as torch names it.
    """

    dlpack: ClassVar[DLDeviceType | None] = None
    """Its device type in DLPack; None if DLPack has none."""

    numbered: ClassVar[bool] = True
    """Whether there can be several devices of this type, each with a number."""

    contiguous: ClassVar[bool] = False
    """Whether tensors must be contiguous before they are sent to such a device."""

    most_dimensions: ClassVar[int | None] = None
    """The greatest number of dimensions that its kernels take; None if there is no limit."""

    faults: ClassVar[bool] = False
    """Whether errors may be faults of the device, which ``fault`` recognises by their texts."""

    asynchronous: bool = False
    """Whether calls return before their kernels have run: the host waits to look at a value."""

    samplers: ClassVar[bool] = False
    """Whether torch itself draws Poisson and binomial numbers here, without approximations."""

    most_uploaded: ClassVar[int] = 0
    """The most random numbers of a draw that the host makes, and one copy moves to the device."""

    drops_work: ClassVar[str] = "all further work would fail"
    """The fate of further work once a fault has stopped the device; part of an error message."""

    exact_scalars: ClassVar[bool] = False
    """Whether its kernels take a Python scalar as exactly as a tensor of 0 dimensions."""

    rounds_scalars: ClassVar[frozenset[str]] = frozenset()
    """The names of operations that round Python scalars although ``exact_scalars`` is set."""

    largest_scalar: ClassVar[int | None] = None
    """The largest Python integer that its integer kernels take exactly; None if all are exact."""

    narrow_scalars: ClassVar[frozenset[torch.dtype]] = frozenset()
    """The data types for which a kernel may round a Python scalar to float32."""

    collectives: ClassVar[str] = "gloo"
    """The backend of ``torch.distributed`` for communication between such devices."""

    adds: ClassVar[frozenset[torch.dtype]] = frozenset()
    """The data types that this library adds up between such devices as kernels do: exactly, or in
    their own precision at least, and with the same bits for every process."""

    keeps_strides: bool = True
    """Whether kernels may make results with the strides of transposed operands."""

    copies_views: ClassVar[bool] = False
    """Whether a view may be a copy here, so that every write must also reach the original."""

    told_late: ClassVar[bool] = False
    """Whether that library reports a lost process long after the time limit."""

    rows: tuple[str, ...] = ()
    """The names of the modules with its rows, in ``ROWS``.

    The engine imports them when it first looks up a kernel for such a device.
    """

    overriding: ClassVar[tuple[str, ...]] = ()
    """The names of modules whose rows come before all others, module by module."""

    compiled: ClassVar[tuple[str, ...]] = ()
    """The names of modules whose rows come before all others where ``torch.compile`` traces."""

    usual: ClassVar[str | None] = None
    """The name of the module whose ``USUAL`` is the row for operations without another row.

    Rows for every device then apply only to the devices behind this one: see ``Device.local``.
    """

    def __init__(self, type: str) -> None:  # the attribute's name in torch.device
        self.type: Final = type
        self.facts: Final = Facts(type, self.find_facts())

    def __repr__(self) -> str:
        return f"<backend for {self.type!r}>"

    # --- devices ----------------------------------------------------------------------------------

    @functools.cached_property
    def module(self) -> Any:
        """Torch's module for the device type."""
        return getattr(torch, self.type)

    def devices(self) -> list[torch.device]:
        """Return the devices that can be used."""
        if not self.module.is_available():
            return []
        return [torch.device(self.type, i) for i in range(self.module.device_count())]

    def current(self) -> torch.device:
        """Return the current device, which a name without a number means."""
        return torch.device(self.type, self.module.current_device())

    def describe(self, index: int | None) -> tuple[str, int | None]:
        """Return the model of a device and its memory in bytes, or None if that is unknown."""
        properties = self.module.get_device_properties(index)
        return str(self.module.get_device_name(index)), int(properties.total_memory)

    def find_facts(self) -> Mapping[str, Callable[[], Fact]]:
        """Return functions that find the facts of this device type, by name."""
        return {}

    # --- kernels ----------------------------------------------------------------------------------

    def takes_scalars(self, operation: str, dtype: torch.dtype) -> bool:
        """Say whether an operation computes as exactly with Python scalars as with tensors."""
        return self.exact_scalars and operation not in self.rounds_scalars

    def with_scalar(self, operation: str, dtype: torch.dtype) -> Callable[..., torch.Tensor] | None:
        """Return a function of a tensor and a Python scalar to call in place of torch's own.

        It computes the same. ``operation`` may also be ``"rsubtract"``, where the scalar comes
        first; None stands for torch's function.
        """
        return None

    def fuses(self, dtype: torch.dtype) -> bool:
        """Say whether torch collects calls on tensors of a data type, and makes one kernel of them.

        It then takes sums, products and quotients, but not functions that compute two of these.
        """
        return False

    def gives_scalars(self, dtype: torch.dtype) -> bool:
        """Say whether ``Tensor.item`` works for a data type."""
        return True

    def autocasts(self, operation: str, dtype: torch.dtype, *, bare: bool) -> bool:
        """Say whether ``torch.autocast`` could change the data type within a kernel.

        A bare kernel is a builtin function of torch, or native to one of ``SINGLE``, or it only
        moves elements; any other may call several functions.
        """
        return not bare or operation == "matmul" or (operation in _RAISED and dtype in HALF)

    # --- parts ------------------------------------------------------------------------------------

    def place(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the tensor that a new array holds, given all elements; a mesh divides it."""
        return tensor

    def by_rows(
        self,
        function: str,
        shape: tuple[int, ...],
        make: Callable[..., torch.Tensor],
        values: Sequence[Any],
        core: Sequence[int],
    ) -> torch.Tensor:
        """Return the tensor of a new array whose parts ``make`` computes.

        ``make`` takes a range of rows, the shape of the part, and the values for these rows.
        Values are scalars, or tensors that broadcast to the shape without their last axes, of
        which ``core`` gives the number for each value.
        """
        return make(range(shape[0] if shape else 1), shape, *values)

    def common(self, entropy: int) -> int:
        """Return 128 bits that are the same in all processes, given this process's own bits."""
        return entropy

    def divided_axis(self, tensor: torch.Tensor) -> int | None:
        """Return the axis along which a tensor is divided; None if it is not divided."""
        return None

    def keeps_parts(self, tensor: torch.Tensor, shape: tuple[int, ...]) -> bool:
        """Say whether each element stays in its part if the tensor is reshaped to a shape."""
        return True

    def collect(
        self, tensor: torch.Tensor, operation: str | None = None, *, view: bool = False
    ) -> torch.Tensor:
        """Return all elements of a tensor; report the gather if an operation is given."""
        return tensor

    def is_view(
        self, tensor: torch.Tensor, value: torch.Tensor, axis: int, positions: range
    ) -> bool:
        """Say whether a value is a known view of a tensor: positions along an axis."""
        return False

    def wrote(self, tensor: torch.Tensor) -> None:
        """Copy a write to the tensors that would share memory with this one on a single device."""

    def shown(self, tensor: torch.Tensor) -> tuple[torch.Tensor, str]:
        """Return the elements to print without asking other processes, and say which they are."""
        return tensor, ""

    def write(self, tensor: torch.Tensor, value: torch.Tensor) -> None:
        """Write all elements to a tensor, each to its part."""
        tensor.copy_(value)

    # --- streams ----------------------------------------------------------------------------------

    def stream(self, stream: Any, device: torch.device) -> AbstractContextManager[Any]:
        """Return the context in which work on a device is ordered after work of a stream."""
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
        """Keep a tensor's memory from reuse until the current stream is done with it."""
        if tensor.device.type == self.type:
            tensor.record_stream(self.module.current_stream(tensor.device))

    def dlpack_stream(self, index: int) -> int | None:
        """Return the current stream's number for ``__dlpack__``, or None to pass no stream."""
        return None

    # --- graphs -----------------------------------------------------------------------------------

    graph: ClassVar[str | None] = None
    """The class of torch's module whose objects record what a device is asked to do, and replay it;
    None if there is none."""

    def no_graphs(self) -> str:
        """Return why nothing can be recorded here although there is such a class; else nothing."""
        return ""

    def copier(self, dtypes: Set[torch.dtype]) -> Callable[[list[Any], list[Any]], None]:
        """Return a function that copies each tensor of one list into the tensor of another."""
        return copy_each

    # --- faults -----------------------------------------------------------------------------------

    def fault(self, error: Exception) -> Fault | None:
        """Return the fault that an error reports, or None for any other error."""
        return None

    def computes(self, device: torch.device) -> bool:
        """Say whether a device still computes, after a fault."""
        # A number that was never there before, so that stale memory cannot look like an answer.
        number = next(_probes)
        try:
            made = torch.full((), number, dtype=torch.int32, device=device)
            return bool(made.item() == number)
        except torch.OutOfMemoryError:  # no room for the probe, but the device answers
            return True
        except RuntimeError:
            return False


class Host(Backend):
    """The device on which Python itself runs: a single one, without number and streams."""

    numbered = False

    def devices(self) -> list[torch.device]:
        """Return the one device."""
        return [torch.device(self.type)]

    def current(self) -> torch.device:
        """Return the one device."""
        return torch.device(self.type)

    def describe(self, index: int | None) -> tuple[str, int | None]:
        """Return a description in place of a model."""
        return "the host", None

    def used_here(self, tensor: torch.Tensor) -> None:
        """Do nothing: there are no streams."""

    def stream(self, stream: Any, device: torch.device) -> AbstractContextManager[Any]:
        """Raise: there are no streams."""
        raise ValueError(
            f"to_device: the CPU has no streams, so stream must be None, not {stream}."
        )
