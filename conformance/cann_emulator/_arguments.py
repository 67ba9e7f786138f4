"""From the arguments of a kernel to torch CPU tensors on the shadow of device memory, and back."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import torch

from . import _native, _table
from .kernels import SIZED_BY_DATA

if TYPE_CHECKING:
    from collections.abc import Callable

    Reader = Callable[[_native.Job], list[Any] | None]
    Writer = Callable[[_native.Job, Any], None]

DTYPES: dict[int, torch.dtype] = {
    number: getattr(torch, name) for number, name in _table.DTYPES.values()
}
VALUES = ctypes.sizeof(_native.Handle)
INT64 = [ctypes.c_int64 * n for n in range(64)]


def _dtype(slot: _native.Slot) -> torch.dtype:
    return DTYPES[ctypes.c_int32(slot.i).value]


def _scalar(slot: _native.Slot) -> Any:
    if not slot.p:
        return None
    dtype = DTYPES[_native.Handle.from_address(slot.p).dtype]
    memory = (ctypes.c_char * 16).from_address(slot.p + VALUES)
    return torch.frombuffer(bytearray(memory.raw), dtype=dtype, count=1).item()


def _integers(slot: _native.Slot) -> list[int] | None:
    if not slot.p:
        return None
    n = _native.Handle.from_address(slot.p).n
    return list((ctypes.c_int64 * n).from_address(slot.p + VALUES))


class Arguments:
    """Reads and writes the arguments of jobs; belongs to the device thread."""

    def __init__(self, library: ctypes.CDLL, devices: int, window: int) -> None:
        self._library = library
        self._windows = [library.emulator_window(i, 0) for i in range(devices)]
        self._storages = [
            torch.frombuffer(
                (ctypes.c_char * window).from_address(library.emulator_window(i, 1)),
                dtype=torch.uint8,
            ).untyped_storage()
            for i in range(devices)
        ]

    def _tensor(self, address: int | None, device: int) -> torch.Tensor | None:
        if not address:
            return None
        handle = _native.Handle.from_address(address)
        n, dtype = handle.n, DTYPES[handle.dtype]
        values = INT64[2 * n].from_address(address + VALUES)
        shape = values[:n]
        if 0 in shape:
            return torch.empty(shape, dtype=dtype, device="cpu")
        offset = (handle.data - self._windows[device]) // dtype.itemsize + handle.offset
        empty = torch.empty(0, dtype=dtype, device="cpu")
        return empty.set_(self._storages[device], offset, shape, values[n:])

    @staticmethod
    def _is_empty(address: int | None) -> bool:
        if not address:
            return True
        n = _native.Handle.from_address(address).n
        return 0 in INT64[n].from_address(address + VALUES)[:]

    def _list(self, address: int, device: int) -> list[torch.Tensor | None]:
        n = _native.Handle.from_address(address).n
        items = (ctypes.c_int64 * n).from_address(address + VALUES)
        return [self._tensor(item, device) for item in items]

    def reader(self, kernel: _table.Kernel) -> tuple[Reader, Writer]:
        """Return the two functions that read a job's inputs and write its outputs.

        The first returns None where there is nothing to compute: all outputs are empty.
        """
        outputs = [i for i, a in enumerate(kernel.arguments) if a.type == "O"]
        outputs = outputs or [i for i, a in enumerate(kernel.arguments) if a.type == "U"]
        kinds = [(i, a.type) for i, a in enumerate(kernel.arguments) if a.type != "O"]
        sized = kernel.name in SIZED_BY_DATA
        # Kernels that make values from nothing are told what to make.
        creates = not any(a.type in "TLNU" for a in kernel.arguments)

        def read(job: _native.Job) -> list[Any] | None:
            slots, device = job.slots, job.device
            if outputs and all(self._is_empty(slots[i].p) for i in outputs):
                return None
            values: list[Any] = []
            for i, kind in kinds:
                slot = slots[i]
                if kind in "TU":
                    values.append(self._tensor(slot.p, device))
                elif kind in "LN":
                    values.append(self._list(slot.p, device))
                elif kind == "S":
                    values.append(_scalar(slot))
                elif kind == "A":
                    values.append(_integers(slot))
                elif kind == "t":
                    values.append(_dtype(slot))
                elif kind in "fd":
                    values.append(slot.d)
                else:
                    values.append(slot.i)
            if creates:
                values.append(self._tensor(slots[outputs[0]].p, device))
            return values

        def write(job: _native.Job, results: Any) -> None:
            if not isinstance(results, tuple):
                results = (results,)
            for i, result in zip(outputs, results, strict=False):
                address = job.slots[i].p
                if address and result is not None:
                    self._write(address, job.device, result, sized=sized)

        return read, write

    def _write(self, address: int, device: int, result: torch.Tensor, *, sized: bool) -> None:
        out = self._tensor(address, device)
        assert out is not None
        if sized and result.shape != out.shape:
            if result.numel() > out.numel():
                raise ValueError(f"{tuple(result.shape)} does not fit into {tuple(out.shape)}")
            shape = INT64[result.ndim](*result.shape)
            self._library.emulator_set_shape(address, ctypes.addressof(shape), result.ndim)
            out = out.as_strided(result.shape, result.contiguous().stride())
        if result.is_complex() and not out.is_complex():
            result = result.real
        if result.untyped_storage().data_ptr() == out.untyped_storage().data_ptr():
            result = result.clone()  # the two may overlap
        if out.numel():
            out.copy_(result)
