"""Devices: their names, which ones there are, the default; and specs, a data type with a device.

Names no device type but that of the host: backends say what is special to each.

https://data-apis.org/array-api/2023.12/design_topics/device_support.html
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final, TypeAlias, final

from .._errors import exceptions
from .._torch import dtypes, torch, why_not
from .._torch.tracing import called, constant, give_name, traced_as
from . import backends
from .backends import Backend


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

    __slots__ = ("_name", "_specs", "backend", "gone", "local", "plain", "torch_device")

    def __init__(
        self,
        torch_device: torch.device,
        backend: Backend,
        /,
        name: str | None = None,
        local: Device | None = None,
    ) -> None:
        self.torch_device = torch_device
        self.backend = backend
        """The properties of its device type."""
        self._name = name or str(torch_device)
        self._specs: dict[torch.dtype, Spec] = {}
        self.local = local or self
        """The device that computes: itself, or for a mesh the device of this process."""
        self.gone = False
        """Whether this process can no longer compute on it."""
        self.plain = self.local is self and not backend.faults
        """Whether it is a single device on which an error of torch cannot mean a failed device."""

    @property
    def type(self) -> str:
        """The device type: ``"cpu"``, ``"npu"`` or ``"cuda"``; ``"mesh"`` for several of them."""
        return self.backend.type

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
        if isinstance(other, torch.device):
            return self.torch_device == other
        return self is other if isinstance(other, Device) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._name)

    def __reduce__(self) -> tuple[Callable[[str], Device], tuple[str]]:
        return parse, (self._name,)


DeviceLike: TypeAlias = Device | str | torch.device

AnyDevice: TypeAlias = DeviceLike | None
"""The device of a result; None for the default one."""

_devices: dict[torch.device, Device] = {}
_parsed: dict[DeviceLike, Device] = {}
_of_current: dict[DeviceLike, Backend] = {}
"""The backends of names without a number that stand for the current device of a type."""


@constant
def _device_name(torch_device: torch.device) -> str:
    return give_name(_device(torch_device), "device", torch_device)


places: Final[dict[type, Callable[[Any], torch.device]]] = {}
"""Functions that return the key of a tensor's mesh, by the type of the tensor."""


def _place(tensor: torch.Tensor) -> torch.device:
    """Return the device of a tensor of a subclass as torch names it, or the key of its mesh."""
    key = places.get(type(tensor))
    return tensor.device if key is None else key(tensor)


def _traced_device_of(tensor: torch.Tensor) -> Device:
    device: Device = called(_device_name(tensor.device))
    return device


@traced_as(_traced_device_of)
def device_of(tensor: torch.Tensor) -> Device:
    """Return the device of a tensor."""
    return _device(tensor.device if type(tensor) is torch.Tensor else _place(tensor))


def _device(torch_device: torch.device) -> Device:
    try:
        return _devices[torch_device]
    except KeyError:
        backend = backends.find(torch_device.type)
        if not backend.numbered:  # torch also knows a "cpu:0"
            torch_device = torch.device(torch_device.type)
        # Devices are compared by identity.  If two threads come here at once, both get the first.
        return _devices.setdefault(torch_device, Device(torch_device, backend))


def add_mesh(backend: Backend, key: torch.device, name: str, local: Device) -> Device:
    """Return the device for a new mesh; ``key`` is a torch device that no plain tensor is on."""
    made = Device(local.torch_device, backend, name=name, local=local)
    _devices[key] = made
    _parsed[name] = made
    return made


def devices(device_type: str | None = None) -> list[Device]:
    """Return the usable devices of all types, or of one; accelerators with their numbers."""
    return [_device(d) for backend in backends.usable(device_type) for d in backend.devices()]


@constant
def _parsed_name(device: str, function: str) -> str:
    return give_name(parse(device, function), "parsed", device)


@constant
def _problem(device: str, function: str) -> str:
    """Return the text of the error if no device has the name, else nothing."""
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
        f"got {exceptions.describe(device)}."
    )


parsed: Final[Callable[[str | torch.device], Device | None]] = _parsed.get
"""Return the device of a name or a ``torch.device`` that was parsed before, else None."""


@traced_as(_traced_parse)
def parse(device: DeviceLike, function: str = "device") -> Device:
    """Return the device that a name, a ``torch.device`` or a ``Device`` stands for.

    A name without a number, such as ``"cuda"``, stands for the current device of that type.
    """
    if isinstance(device, Device):
        return device
    if not isinstance(device, (str, torch.device)):
        raise _no_device(device, function)
    if (known := _parsed.get(device)) is not None:
        return known
    if device in _of_current:
        return _device(_of_current[device].current())
    device_type, _, number = str(device).partition(":")
    usable = devices()
    of_type = [d for d in usable if d.type == device_type]
    if of_type:
        backend = of_type[0].backend
        if not number and backend.numbered and len(of_type) > 1:
            _of_current[device] = backend  # not the device: the current one can change
            return _device(backend.current())
        if not number or (not backend.numbered and number == "0"):
            return _parsed.setdefault(device, of_type[0])
        for candidate in of_type:
            if number and str(candidate.index) == number:
                return _parsed.setdefault(device, candidate)
    raise ValueError(
        f"{function}: there is no device {str(device)!r}. "
        f"Usable here: {', '.join(map(repr, map(str, usable)))}.{why_not(device_type)} "
        "'python -m ascend_array_api' says what there is and what is missing."
    )


@constant
def _preferred_name() -> str:
    return give_name(preferred(), "preferred")


def _traced_preferred() -> Device:
    device: Device = called(_preferred_name())
    return device


@traced_as(_traced_preferred)
def preferred() -> Device:
    """Return the NPU if one is usable, else the CPU."""
    global _default  # noqa: PLW0603  # found once: looking for accelerators takes time
    if _default is None:
        _default = _device(backends.preferred())
    return _default


_default: Device | None = None


@final
class Spec:
    """A data type and a device, as one object.

    There is one object for each pair.  So one comparison by identity tells whether two arrays have
    the same data type and device, and one look-up finds the kernel for an array.

    On an accelerator each pair has a second spec.  It marks arrays that may be wrong, because a
    position or divisor that they depend on is not judged yet (see ``late_errors``).  Its kernels
    pass the marks on, so no other array pays for that.
    """

    __slots__ = (
        *("__weakref__", "_siblings", "bool", "device", "doubted", "dtype", "late", "real"),
        "sure",
    )

    def __init__(self, dtype: torch.dtype, device: Device, sure: Spec | None = None) -> None:
        self.dtype = dtype
        self.device = device
        self._siblings: dict[torch.dtype, Spec] = {}
        self.sure = sure or self
        """The spec of the pair for arrays that cannot be wrong."""
        self.bool = self if dtype is dtypes.bool else self.of(dtypes.bool)
        """The spec of the boolean data type on the same device."""
        real = dtypes.REAL_OF.get(dtype)
        self.real = self if real is None else self.of(real)
        """The spec of the real and the imaginary part on the same device."""
        self.late = device.backend.asynchronous
        """Whether arrays may turn out wrong: on accelerators and meshes of them."""
        self.doubted: Spec = Spec(dtype, device, self) if self.late and sure is None else self
        """The spec of the pair for arrays that may be wrong; itself if there are none."""

    def _traced_of(self, dtype: torch.dtype) -> Spec:
        return spec(dtype, self.device)

    @traced_as(_traced_of)
    def of(self, dtype: torch.dtype) -> Spec:
        """Return the spec of another data type on the same device."""
        try:
            return self._siblings[dtype]
        except KeyError:
            sibling = spec(dtype, self.device)
            return self._siblings.setdefault(
                dtype, sibling if self.sure is self else sibling.doubted
            )

    def __repr__(self) -> str:
        return f"Spec({dtypes.NAMES[self.dtype]}, {self.device})"


_tensor_specs: dict[tuple[torch.dtype, torch.device], Spec] = {}


def spec_named(dtype: torch.dtype, device: str) -> Spec:
    """Return the spec of a data type on the device of a name, which is torch's or a mesh's."""
    return spec(dtype, _parsed.get(device) or _device(torch.device(device)))


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
        return device._specs[dtype]
    except KeyError:
        return device._specs.setdefault(dtype, Spec(dtype, device))


def spec_at(dtype: torch.dtype, device: torch.device) -> Spec:
    """Return the spec of a data type on a ``torch.device``, as tensors name it."""
    return spec(dtype, _device(device))


@constant
def name_of_spec(dtype: torch.dtype, device: torch.device) -> str:
    """Return the name in ``OBJECTS`` of the spec of tensors of a data type and device."""
    return _spec_name(dtype, _device(device)._name)


def _traced_spec_of(tensor: torch.Tensor) -> Spec:
    found: Spec = called(name_of_spec(tensor.dtype, tensor.device))
    return found


@traced_as(_traced_spec_of)
def spec_of(tensor: torch.Tensor) -> Spec:
    """Return the spec of a tensor."""
    key = tensor.dtype, tensor.device if type(tensor) is torch.Tensor else _place(tensor)
    try:
        return _tensor_specs[key]
    except KeyError:
        return _tensor_specs.setdefault(key, spec(tensor.dtype, device_of(tensor)))


def host_spec(of: Spec) -> Spec:
    """Return the spec of the same data type on the CPU."""
    return spec(of.dtype, parse("cpu"))


# --- DLPack and streams ---------------------------------------------------------------------------


def dlpack_arguments(dl_device: tuple[int, int]) -> dict[str, Any]:
    """Return the arguments that tell a producer on a DLPack device our stream."""
    for backend in backends.usable():
        if backend.dlpack == dl_device[0]:
            stream = backend.dlpack_stream(dl_device[1])
            return {} if stream is None else {"stream": stream}
    return {}


def stream_context(device: Device, stream: Any) -> AbstractContextManager[Any]:
    """Return the context in which a device does new work after the work of a stream."""
    if stream is None:
        return nullcontext()
    return device.backend.stream(stream, device.torch_device)


def describe(device: Device) -> dict[str, Any]:
    """Return a device's name, type, model and memory in bytes (None if it is unknown)."""
    model, memory = device.backend.describe(device.index)
    return {"name": str(device), "type": device.type, "model": model, "memory": memory}
