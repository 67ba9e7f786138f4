"""Devices: their names, which ones there are, and which one is the default.

https://data-apis.org/array-api/2023.12/design_topics/device_support.html
"""

from __future__ import annotations

import enum
import itertools
import re
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, final

from . import _dtypes, _options
from ._torch import torch, why_not
from ._tracing import called, constant, give_name, traced_as

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

DEVICE_TYPES: Final = ("cpu", "npu", "cuda")
"""The device types that the namespace supports, as torch names them."""


@final
class Device:
    """A device on which arrays live, such as ``cpu``, ``npu:0`` or ``cuda:1``.

    There is one object for each device.  It prints as its name, it equals its name, and wherever a
    ``device`` is asked for, the name or a ``torch.device`` serves as well.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.zeros(3, device="cpu")
    >>> x.device
    Device('cpu')
    >>> x.device == "cpu"
    True
    """

    __slots__ = ("_name", "torch_device")

    def __init__(self, torch_device: torch.device, /) -> None:
        self.torch_device = torch_device
        self._name = str(torch_device)

    @property
    def type(self) -> str:
        """The device type: ``"cpu"``, ``"npu"`` or ``"cuda"``."""
        return self.torch_device.type

    @property
    def index(self) -> int | None:
        """The number of the device among those of its type; None for the CPU."""
        return self.torch_device.index

    def __repr__(self) -> str:
        return f"Device({self._name!r})"

    def __str__(self) -> str:
        return self._name

    def __eq__(self, other: object, /) -> bool:
        if isinstance(other, str):
            return self._name == other
        return self is other if isinstance(other, Device) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._name)

    def __reduce__(self) -> tuple[Callable[[str], Device], tuple[str]]:
        return parse, (self._name,)


DeviceLike: TypeAlias = Device | str | torch.device

_devices: dict[torch.device, Device] = {}
_parsed: dict[DeviceLike, Device] = {}


@constant
def _device_name(torch_device: torch.device) -> str:
    return give_name(_device(torch_device), "device", torch_device)


def _traced_device_of(tensor: torch.Tensor) -> Device:
    device: Device = called(_device_name(tensor.device))
    return device


@traced_as(_traced_device_of)
def device_of(tensor: torch.Tensor) -> Device:
    """Return the device of a tensor."""
    torch_device = tensor.device
    try:
        return _devices[torch_device]
    except KeyError:
        return _device(torch_device)


def _device(torch_device: torch.device) -> Device:
    try:
        return _devices[torch_device]
    except KeyError:
        if torch_device.type == "cpu":  # torch also knows a "cpu:0"
            torch_device = torch.device("cpu")
        return _devices.setdefault(torch_device, Device(torch_device))


def _accelerator(device_type: str) -> int:
    """Return how many devices of this type are usable."""
    module = getattr(torch, device_type, None)
    if module is None or not module.is_available():
        return 0
    return int(module.device_count())


def devices() -> list[Device]:
    """Return all usable devices, the accelerators with their numbers."""
    found = [torch.device("cpu")]
    for device_type in DEVICE_TYPES[1:]:
        found += [torch.device(device_type, i) for i in range(_accelerator(device_type))]
    return [_devices.setdefault(d, Device(d)) for d in found]


@constant
def _parsed_name(device: str, function: str) -> str:
    return give_name(parse(device, function), "parsed", device)


@constant
def _problem(device: str, function: str) -> str:
    """Return the text of the error where a name stands for nothing."""
    try:
        parse(device, function)
    except ValueError as error:
        return str(error)
    return ""


def _traced_parse(device: DeviceLike, function: str = "device") -> Device:
    if isinstance(device, Device):
        return device
    if not isinstance(device, (str, torch.device)):
        raise _no_device(device, function)
    if _problem(str(device), function):
        raise ValueError(_problem(str(device), function))
    found: Device = called(_parsed_name(str(device), function))
    return found


def _no_device(device: object, function: str) -> TypeError:
    return TypeError(
        f"{function}: device must be a Device, its name or a torch.device, "
        f"not {type(device).__name__}."
    )


@traced_as(_traced_parse)
def parse(device: DeviceLike, function: str = "device") -> Device:
    """Return the device that a name, a ``torch.device`` or a ``Device`` stands for.

    A name without a number, such as ``"cuda"``, stands for the current device of that type.
    """
    if isinstance(device, Device):
        return device
    known = _parsed.get(device) if isinstance(device, (str, torch.device)) else None
    if known is not None:
        return known
    if not isinstance(device, (str, torch.device)):
        raise _no_device(device, function)
    device_type, _, number = str(device).partition(":")
    usable = devices()
    if device_type == "cpu" and number in {"", "0"}:
        return _parsed.setdefault(device, usable[0])
    index: int | None = int(number) if number.isdecimal() else None
    if index is None and not number and device_type in DEVICE_TYPES and _accelerator(device_type):
        # Not remembered: the current device can change.
        index = getattr(torch, device_type).current_device()
        return next(d for d in usable if d.type == device_type and d.index == index)
    for candidate in usable:
        if candidate.type == device_type and candidate.index == index:
            return _parsed.setdefault(device, candidate)
    raise ValueError(
        f"{function}: there is no device {str(device)!r}. "
        f"Usable here: {', '.join(map(repr, map(str, usable)))}.{why_not(device_type)}"
    )


def default_device() -> Device:
    """Return the device on which arrays are created unless one is named.

    The device chosen by the option ``device``; else the NPU where one is usable; else the CPU.
    """
    chosen = _options.current().device
    if chosen is not None:
        return parse(chosen, "the default device")
    return _own_default()


@constant
def _own_default_name() -> str:
    return give_name(_own_default(), "own_default")


def _traced_own_default() -> Device:
    device: Device = called(_own_default_name())
    return device


@traced_as(_traced_own_default)
def _own_default() -> Device:
    global _default  # noqa: PLW0603  # found once: looking for accelerators takes time
    if _default is None:
        _default = parse("npu:0") if _accelerator("npu") else parse("cpu")
    return _default


_default: Device | None = None


def resolve(device: DeviceLike | None, function: str) -> Device:
    """Return the device that a creation function was asked for, else the default one."""
    return default_device() if device is None else parse(device, function)


@final
class Spec:
    """What an array holds, and where: a data type and a device.

    There is one object for each pair, so that "same data type, same device" is one comparison by
    identity, and so that the kernel for an array is found by one look-up.
    """

    __slots__ = ("__weakref__", "_siblings", "bool", "device", "dtype", "real")

    def __init__(self, dtype: torch.dtype, device: Device) -> None:
        self.dtype = dtype
        self.device = device
        self._siblings: dict[torch.dtype, Spec] = {}
        self.bool = self if dtype is _dtypes.bool else self.of(_dtypes.bool)
        """The same device with the boolean data type."""
        real = _dtypes.REAL_OF.get(dtype)
        self.real = self if real is None else self.of(real)
        """The same device with the data type of the real and the imaginary part."""

    def _traced_of(self, dtype: torch.dtype) -> Spec:
        return spec(dtype, self.device)

    @traced_as(_traced_of)
    def of(self, dtype: torch.dtype) -> Spec:
        """Return the spec of another data type on the same device."""
        try:
            return self._siblings[dtype]
        except KeyError:
            return self._siblings.setdefault(dtype, spec(dtype, self.device))

    def __repr__(self) -> str:
        return f"Spec({_dtypes.NAMES[self.dtype]}, {self.device})"


_specs: dict[tuple[torch.dtype, Device], Spec] = {}
_tensor_specs: dict[tuple[torch.dtype, torch.device], Spec] = {}


def spec_named(dtype: torch.dtype, device: str) -> Spec:
    """Return the spec of a data type and the device that torch knows by a name."""
    return spec(dtype, _device(torch.device(device)))


@constant
def _spec_name(dtype: torch.dtype, device: str) -> str:
    return give_name(spec_named(dtype, device), "spec", dtype, device)


def _traced_spec(dtype: torch.dtype, device: Device) -> Spec:
    found: Spec = called(_spec_name(dtype, device._name))
    return found


@traced_as(_traced_spec)
def spec(dtype: torch.dtype, device: Device) -> Spec:
    """Return the one object that stands for this data type on this device."""
    try:
        return _specs[dtype, device]
    except KeyError:
        return _specs.setdefault((dtype, device), Spec(dtype, device))


def _traced_spec_of(tensor: torch.Tensor) -> Spec:
    return spec(tensor.dtype, device_of(tensor))


@traced_as(_traced_spec_of)
def spec_of(tensor: torch.Tensor) -> Spec:
    """Return the spec of a tensor."""
    try:
        return _tensor_specs[tensor.dtype, tensor.device]
    except KeyError:
        key = tensor.dtype, tensor.device
        return _tensor_specs.setdefault(key, spec(tensor.dtype, device_of(tensor)))


def host_spec(of: Spec) -> Spec:
    """Return the spec of the same data type on the CPU."""
    return spec(of.dtype, parse("cpu"))


CONTIGUOUS: Final = frozenset({"npu"})
"""The device types to which only contiguous tensors are sent.

torch_npu warns of the strides of a transposed tensor that comes from the host, and copies one that
comes from another NPU by an operator of its older path (ViewCopy), which is compiled first.
"""


# --- faults ---------------------------------------------------------------------------------------

FAULTY: Final = frozenset({"npu"})
"""The device types whose faults are told from other errors by their texts, and may come late."""

_FAULT: Final = re.compile(
    r"\bERR\d\d100\b"  # torch_npu's own code: a module, then 100 for a failed call of CANN
    r"|\berror code(?: is |: ?)\d{6}\b"  # the code of ACL or aclnn
    r"|\bE[A-Z]\d{4}\b"  # the code of CANN's log
    r"|The process exits for this inner error"  # the task queue has ended
)
"""How torch_npu marks that a call of CANN failed.

torch_npu 2.13 raises RuntimeError for all of its errors, so that there is nothing but the text; and
with TORCH_NPU_COMPACT_ERROR_OUTPUT=1 that is CANN's own alone.
"""
_CODE: Final = re.compile(r"\berror code(?: is |: ?)(\d{6})\b")
_KERNEL: Final = re.compile(r"\b(aclnn[A-Z]\w*)")

_LOGS: Final = "Look at npu-smi info and at CANN's logs (~/ascend/log)"
_ADVICE: Final = {
    161: "CANN's kernel refuses these operands, which a route should have prevented: report it, "
    "and meanwhile move them with to_device('cpu')",
    361: f"{_LOGS}",
    561: "The kernel could not be prepared: check that CANN's kernels are those for this SoC and "
    "that torch_npu supports this version of CANN",
    107: "CANN was called in a wrong order or for a device that is not there: check "
    "ASCEND_RT_VISIBLE_DEVICES and streams of your own",
    207: "CANN ran short of a resource on the device: free arrays, or use a smaller part of them",
    507: f"The device or its driver failed. {_LOGS}",
}
"""What to do, by the first three digits of the codes of ACL and aclnn."""


class Fault(NamedTuple):
    """What is known of a fault of a device."""

    code: int | None
    """CANN's error code."""
    kernel: str | None
    """The kernel that failed."""
    advice: str
    """What to do about it."""


def fault(error: Exception) -> Fault | None:
    """Return what an error says of a fault of a device; None for an error of any other kind."""
    text = str(error)
    if not _FAULT.search(text):
        return None
    code, kernel = _CODE.search(text), _KERNEL.search(text)
    number = int(code[1]) if code else None
    return Fault(number, kernel[1] if kernel else None, _ADVICE.get((number or 0) // 1000, _LOGS))


_probes: Final = itertools.count(170_859_375)


def computes(device: Device) -> bool:
    """Say whether a device computes still, after a fault.

    Once a launch has failed in torch_npu's task queue (TASK_QUEUE_ENABLE 1, the default, and 2),
    torch_npu drops all further work for the device without a word, and results are what the memory
    happened to hold.
    """
    number = next(_probes)
    try:
        made = torch.full((), number, dtype=torch.int32, device=device.torch_device)
        return bool(made.item() == number)
    except torch.OutOfMemoryError:
        return True
    except RuntimeError:
        return False


# --- DLPack and streams ---------------------------------------------------------------------------


class DLDeviceType(enum.IntEnum):
    """The device types of DLPack that the namespace exports and imports."""

    kDLCPU = 1  # noqa: N815
    kDLCUDA = 2  # noqa: N815
    kDLCUDAHost = 3  # noqa: N815
    kDLExtDev = 12  # noqa: N815


_DLPACK_TYPES: Final = {
    "cpu": DLDeviceType.kDLCPU,
    "cuda": DLDeviceType.kDLCUDA,
    "npu": DLDeviceType.kDLExtDev,
}


def dlpack_device(device: Device) -> tuple[DLDeviceType, int]:
    """Return how DLPack names a device."""
    return _DLPACK_TYPES[device.type], device.index or 0


def dlpack_arguments(dl_device: tuple[int, int]) -> dict[str, Any]:
    """Return what a producer on this device is to be told of the consumer's stream."""
    if dl_device[0] != DLDeviceType.kDLCUDA:
        return {}
    pointer = torch.cuda.current_stream(dl_device[1]).cuda_stream
    return {"stream": pointer or 1}  # 1 is the legacy default stream


def stream_context(device: Device, stream: Any) -> AbstractContextManager[Any]:
    """Return the context in which work on a device is ordered after that of a stream."""
    if stream is None:
        return nullcontext()
    if device.type == "cpu":
        raise ValueError(
            f"to_device: the CPU has no streams, so stream must be None, not {stream}."
        )
    module = getattr(torch, device.type)
    if isinstance(stream, int):
        stream = module.ExternalStream(stream, device=device.torch_device)
    context: AbstractContextManager[Any] = module.stream(stream)
    return context


def describe(device: Device) -> dict[str, Any]:
    """Return a device's name, type, model and memory in bytes (None where that is not known)."""
    model, memory = "the host", None
    if device.type != "cpu":
        module = getattr(torch, device.type)
        properties = module.get_device_properties(device.index)
        model, memory = str(module.get_device_name(device.index)), int(properties.total_memory)
    return {"name": str(device), "type": device.type, "model": model, "memory": memory}
