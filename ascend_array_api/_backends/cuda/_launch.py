"""Launches of Triton's kernels for as much of the host's time as torch's own kernels take.

Triton looks at each argument of each launch to find the variant of a kernel that was compiled for
such, and asks Python functions of its profiler before and after: 20 microseconds, of which more
than half are saved by whoever knows the variant.

Only modules that the rows for CUDA import import this one.
"""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, Final, final

import triton
from triton.runtime import driver

from ... import _dtypes as dt
from ..._torch import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

BLOCK: Final = 1024
_KNOWN: Final = (3, 3) <= tuple(map(int, triton.__version__.split(".")[:2])) < (3, 8)
"""Whether this is a version whose launch is known to be as below; else Triton's own is called."""
_DIRECT: Final = triton.__version__.startswith("3.6.")
"""Whether what a launch ends in is known, too."""
_BITS: Final = {1: dt.int8, 2: dt.int16, 4: dt.int32, 8: dt.int64}
_ALIGNED: Final = 16
"""The bytes at multiples of which Triton reads several numbers at once."""


@functools.cache
def _alone() -> bool:
    """Say whether there is one GPU, which then is the current one."""
    return torch.cuda.device_count() == 1


@final
class Kernel:
    """A Triton kernel that computes a block of elements in each of its programs.

    Parameters
    ----------
    function : callable
        The kernel.  Its parameters are, in this order: tensors, without annotation; integers, with
        the annotation ``tl.int64``; constants, with ``tl.constexpr``, of which the last is the
        number of elements in a block.
    bits : bool
        Whether tensors of real and complex numbers are read as integers of the same size.
    warps : int
        By how many groups of 32 threads a program is run.
    """

    __slots__ = ("_bits", "_forms", "_variants", "_warps")

    def __init__(
        self, function: Callable[..., None], *, bits: bool = False, warps: int = 4
    ) -> None:
        parameters = inspect.signature(function).parameters.values()
        tensors = [p.name for p in parameters if p.annotation is inspect.Parameter.empty]
        integers = [p.name for p in parameters if "int64" in str(p.annotation)]
        aligned = triton.jit(function, do_not_specialize=integers)
        other = triton.jit(
            function, do_not_specialize=integers, do_not_specialize_on_alignment=tensors
        )
        self._forms = (aligned, other)
        self._bits, self._warps = bits, warps
        self._variants: dict[tuple[Any, ...], Any] = {}

    def __call__(
        self,
        count: int,
        tensors: tuple[Tensor, ...],
        integers: tuple[int, ...] = (),
        constants: tuple[Any, ...] = (),
    ) -> None:
        """Compute so many elements, on the device of the tensors, in the current stream.

        Parameters
        ----------
        count : int
            At least 1.
        tensors : tuple of Tensor
            Contiguous ones.
        """
        addresses: list[int] = []
        kinds: list[Any] = [constants]
        together = 0
        for tensor in tensors:  # in one loop, without a tuple or a function for each
            address = tensor.data_ptr()
            together |= address
            addresses.append(address)
            kinds.append(tensor.dtype)
        unaligned = together % _ALIGNED != 0
        kinds.append(unaligned)
        alone = _alone()
        if not alone:
            kinds.append(tensors[0].device)
        key = tuple(kinds)
        blocks = (count + BLOCK - 1) // BLOCK
        variant = self._variants.get(key)
        if variant is not None and (
            alone or torch.cuda.current_device() == tensors[0].device.index
        ):
            variant(blocks, addresses, integers, constants)
            return
        device = tensors[0].device
        shown = [_as_bits(t) for t in tensors] if self._bits else tensors
        with torch.cuda.device(device if device.type == "cuda" else -1):
            form = self._forms[unaligned]
            compiled = form[blocks, 1, 1](
                *shown, *integers, *constants, BLOCK, num_warps=self._warps
            )
        if compiled is not None:  # Triton's interpreter compiles nothing
            self._variants[key] = _launched(compiled, device)


def _launched(compiled: Any, device: torch.device) -> Callable[..., None]:
    """Return a function that launches a variant with arguments: addresses in place of tensors.

    Of an address, unlike of a tensor, Triton does not ask whether it is one of the device.
    """
    if not _KNOWN:
        return lambda blocks, addresses, integers, constants: compiled[blocks, 1, 1](
            *addresses, *integers, *constants, BLOCK
        )
    run, function, metadata = compiled.run, compiled.function, compiled.packed_metadata
    stream_of, index = driver.active.get_current_stream, device.index
    first: tuple[Any, ...] = ()
    if _DIRECT and not run.global_scratch_size + run.profile_scratch_size:
        # Before this it would ask for memory beside the operands.
        first = run.launch_cooperative_grid, run.launch_pdl, None, None
        run = run.launch

    def launch(
        blocks: int, addresses: list[int], integers: tuple[int, ...], constants: tuple[Any, ...]
    ) -> None:
        run(
            blocks,
            1,
            1,
            stream_of(index),
            function,
            *first,
            metadata,
            None,
            None,
            None,
            *addresses,
            *integers,
            *constants,
            BLOCK,
        )

    return launch


def _as_bits(x: Tensor) -> Tensor:
    if x.dtype in dt.INTEGER:
        return x
    return (torch.view_as_real(x) if x.dtype is dt.complex128 else x).view(
        _BITS[min(x.itemsize, 8)]
    )
