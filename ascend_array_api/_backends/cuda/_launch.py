"""Fast launches of Triton kernels, which take the host about as long as torch's own launches.

At each launch, Triton inspects each argument to find the compiled variant of a kernel, and calls
Python hooks of its profiler before and after.  That takes 20 microseconds; a launch of a known
variant saves more than half.  So this module caches variants by a key of its own, and calls the
launcher below Triton's public interface, in versions of Triton that it knows.

Only modules for the rows of CUDA import this one, so that Triton is not needed elsewhere.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Final, final

import triton
from triton.runtime import driver

from ..._reports.capturing import here
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt

BLOCK: Final = 1024
_KNOWN: Final = (3, 3) <= tuple(map(int, triton.__version__.split(".")[:2])) < (3, 8)
"""Whether we know the launcher of this version; for others we call Triton's own launch."""
_DIRECT: Final = triton.__version__.startswith("3.6.")
"""Whether we also know the C function in which a launch ends."""
_BITS: Final = {1: dt.int8, 2: dt.int16, 4: dt.int32, 8: dt.int64}
_ALIGNED: Final = 16
"""Triton reads several numbers at once from addresses that are multiples of so many bytes."""


@functools.cache
def _alone() -> bool:
    """Say whether there is only one GPU, which then is always the current one."""
    return torch.cuda.device_count() == 1


@final
class Kernel:
    """A Triton kernel whose programs each compute a block of elements.

    Parameters
    ----------
    function : callable
        The kernel.  Its parameters are, in this order: tensors, without annotation; integers, with
        the annotation ``tl.int64``; constants, with ``tl.constexpr``.  The last constant is the
        number of elements in a block.
    bits : bool
        Whether the kernel reads tensors of real and complex numbers as integers of the same size.
    warps : int
        The number of warps, groups of 32 threads, of a program.
    """

    __slots__ = ("_bits", "_forms", "_variants", "_warps")

    def __init__(
        self, function: Callable[..., None], *, bits: bool = False, warps: int = 4
    ) -> None:
        parameters = inspect.signature(function).parameters.values()
        tensors = [p.name for p in parameters if p.annotation is inspect.Parameter.empty]
        integers = [p.name for p in parameters if "int64" in str(p.annotation)]
        # Triton compiles a variant for each integer that is 1 or a multiple of 16, and for each
        # alignment of each tensor.  Neither integers nor single alignments are part of our key, so
        # they must not matter: either all tensors are aligned, or no variant may rely on it.
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
        """Compute a number of elements on the device of the tensors, in the current stream.

        Parameters
        ----------
        count : int
            At least 1.
        tensors : tuple of Tensor
            They must be contiguous.
        """
        if here.capture is not None:  # Triton's launches are no functions of torch
            here.capture.sees(tensors)
        addresses: list[int] = []
        kinds: list[Any] = [constants]
        together = 0
        # One loop that makes no tuple and calls no function of ours: it runs at every launch.
        for tensor in tensors:
            address = tensor.data_ptr()
            together |= address  # its low bits are 0 only if those of all addresses are
            addresses.append(address)
            kinds.append(tensor.dtype)
        unaligned = together % _ALIGNED != 0
        kinds.append(unaligned)
        # A compiled variant is loaded on one device, so the device is part of the key.
        alone = _alone()
        if not alone:
            kinds.append(tensors[0].device)
        key = tuple(kinds)
        blocks = (count + BLOCK - 1) // BLOCK
        variant = self._variants.get(key)
        # A direct launch goes to the current device.  If the tensors are on another one, take the
        # long way, which switches.
        if variant is not None and (
            alone or torch.cuda.current_device() == tensors[0].device.index
        ):
            variant(blocks, addresses, integers, constants)
            return
        device = tensors[0].device
        shown = [_as_bits(t) for t in tensors] if self._bits else tensors
        # Triton's interpreter runs on the CPU, where -1 stands for no switch.
        with torch.cuda.device(device if device.type == "cuda" else -1):
            form = self._forms[unaligned]
            compiled = form[blocks, 1, 1](
                *shown, *integers, *constants, BLOCK, num_warps=self._warps
            )
        if compiled is not None:  # Triton's interpreter compiles nothing
            self._variants[key] = _launched(compiled, device)


def _launched(compiled: Any, device: torch.device) -> Callable[..., None]:
    """Return a function that launches a variant, given addresses in place of tensors.

    Triton checks whether a tensor is on the device, which takes time; it does not check addresses.
    """
    if not _KNOWN:
        return lambda blocks, addresses, integers, constants: compiled[blocks, 1, 1](
            *addresses, *integers, *constants, BLOCK
        )
    # Look the attributes up once: some are properties that load the variant.
    run, function, metadata = compiled.run, compiled.function, compiled.packed_metadata
    stream_of, index = driver.active.get_current_stream, device.index
    first: tuple[Any, ...] = ()
    if _DIRECT and not run.global_scratch_size + run.profile_scratch_size:
        # The Python launcher only adds scratch memory to the arguments, of which this variant
        # needs none, so call the C function below it.
        first = run.launch_cooperative_grid, run.launch_pdl, None, None
        run = run.launch

    def launch(
        blocks: int, addresses: list[int], integers: tuple[int, ...], constants: tuple[Any, ...]
    ) -> None:
        # The three None stand for metadata and hooks of Triton's profiler, which we skip.
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
