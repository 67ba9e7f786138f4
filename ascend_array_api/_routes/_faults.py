"""Faults of devices: found in errors of kernels, and told in words that help.

Knows no operation: those that kept kernels for a device ask to be told when it fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from .._devices import backends
from .._devices.backends import Fault
from .._devices.device import Device
from .._errors.exceptions import DeviceError, RanksError, check_memory
from .._reports import capturing, host_work
from .._torch import dtypes as _dtypes
from .._torch import torch

left_behind: Final[set[Device]] = set()
"""The accelerators that the parent process had used when it forked this one."""

_told: Final[list[Callable[[Device], None]]] = []


def when_gone(action: Callable[[Device], None]) -> None:
    """Register what to do when a device has failed: to forget what was kept for it."""
    _told.append(action)


def _give_up(device: Device) -> None:
    device.gone = True
    for action in _told:
        action(device)


def leave_behind(device: Device) -> None:
    """Refuse a device that was used before a fork: a call would wait for ever."""
    left_behind.add(device)
    _give_up(device)


def check_fault(
    error: Exception, function: str, device: Device, operands: Sequence[Any] = ()
) -> None:
    """Raise the error that explains torch's if the device failed or has no memory; else return.

    Every caller that catches a RuntimeError of a kernel calls this first.  It must not try the
    kernel again before, because torch_npu reports a fault only once.
    """
    # These say it all.  Other processes of a mesh do not begin their collectives again.
    told = (DeviceError, RanksError, host_work.HostFallbackError, capturing.CaptureError)
    if isinstance(error, told):
        raise error
    check_memory(error, function, device, _operands(operands))
    if capturing.here.capture is not None:  # it worked outside of the capture
        capturing.refuse(f"{function} fails there: {str(error).partition(chr(10))[0]}")
    backend = device.backend
    if backend.faults and (known := backend.fault(error)) is not None:
        # Some faults end one kernel, others the device: only a small computation tells.
        if not backend.computes(device.torch_device):
            _give_up(device)
        raise _device_error(known, error, function, device, operands) from error


def check_move(
    error: Exception, function: str, source: Device, target: Device, operands: Sequence[Any]
) -> None:
    """Explain an error of a copy from one device to another, as ``check_fault`` does.

    A lack of memory is one of the target.
    """
    places = [place for place in (target, source) if place.type != backends.HOST]
    if not isinstance(error, torch.OutOfMemoryError):
        # The text does not say which of the two failed: ask first about one that does not compute.
        places.sort(key=lambda p: p.backend.faults and p.backend.computes(p.torch_device))
    for place in places:
        check_fault(error, function, place, operands)


def check_device(function: str, device: Device) -> None:
    """Raise if a device can no longer compute, before anything is copied to it."""
    if device.gone:
        raise no_device(function, device)


def check_process(function: str, device: Device) -> None:
    """Raise if the parent process used a device before it forked this one: no read would return."""
    if device in left_behind:
        raise no_device(function, device)


# --- words ----------------------------------------------------------------------------------------


def _tensors_in(operands: Any) -> Iterator[torch.Tensor]:
    """Yield the tensors among operands, and in the lists and tuples among them."""
    if isinstance(operands, torch.Tensor):
        yield operands
    elif isinstance(operands, (list, tuple)):
        for operand in operands:
            yield from _tensors_in(operand)


_SHOWN: Final = 4


def _operands(operands: Sequence[Any]) -> str:
    """Describe the operands of an operation: tensors, or the data type and shape of a new one."""
    names = [
        f"{_dtypes.NAMES.get(t.dtype, t.dtype)} of shape {tuple(t.shape)}"
        for t in _tensors_in(operands)
    ] or [
        _dtypes.NAMES[operand] if isinstance(operand, torch.dtype) else str(operand)
        for operand in operands
        if isinstance(operand, (int, float, complex, tuple, torch.dtype))
    ]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f" for {', '.join(names[:_SHOWN])}{more}" if names else ""


def _device_error(
    known: Fault, error: Exception, function: str, device: Device, operands: Sequence[Any]
) -> DeviceError:
    """Return the error for a fault of a device."""
    what = ", ".join(
        ([f"code {known.code}"] if known.code else []) + ([known.kernel] if known.kernel else [])
    )
    said = str(error).split("\n")[0]
    return DeviceError(
        f"{function}: a fault of {device}{f' ({what})' if what else ''} was found"
        f"{_operands(operands)}. {known.advice}. {known.said_by}: {said}",
        function,
        str(device),
        known.code,
    )


def no_device(function: str, device: Device) -> DeviceError:
    """Return the error for work on a device that this process can no longer use."""
    if device in left_behind:
        return DeviceError(
            f"{function}: this process was forked from one that had used {device}, and cannot use "
            "it. Start it anew: multiprocessing.get_context('spawn'), or "
            "set_start_method('spawn').",
            function,
            str(device),
        )
    return DeviceError(
        f"{function}: since its fault {device} computes nothing in this process: "
        f"{device.backend.drops_work}. Arrays from before the fault are intact: save them with "
        "to_device('cpu'), then start the process anew.",
        function,
        str(device),
    )
