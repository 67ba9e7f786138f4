"""NumPy's functions on the memory of tensors, where they are faster than torch's, or correct.

NumPy cannot take part in derivatives, traces and transformations, so callers leave these to torch.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ..._devices.device import Spec
from ..._routes._derivatives import plain, readable, tracked
from ..._routes._kernels import Kernel
from ..._routes._operations import Op
from ..._torch import Tensor, torch
from ..._torch.tracing import traced_as
from ._threads import in_threads

FEW: Final = 1 << 10
"""Up to this number of elements, torch is as fast as the detour to NumPy."""

PIECE: Final = 1 << 16
"""The least number of elements whose computation takes longer than waking another thread."""

LONG: Final = 1 << 19
"""The same number on machines with few processors, for elements of 4 bytes: for some milliseconds
after a computation, torch's threads keep the processors busy, waiting in a loop for more."""

CHEAP: Final = 1 << 19
"""The same number for functions that compute next to nothing."""

CACHED: Final = 1 << 13
"""This number of elements stays in the L1 cache from one step to the next."""


def _traced_many(x: Tensor) -> bool:  # noqa: ARG001
    return False  # there are no values yet, and asking for the size would make a guard


@traced_as(_traced_many)
def many(x: Tensor) -> bool:
    """Say whether NumPy may read the values, and whether there are enough to make it pay."""
    # The type first: torch.export traces tensors whose size must not be asked for.
    return type(x) is torch.Tensor and x.numel() > FEW and readable(x)


def few_threads() -> bool:
    """Say whether torch has so few threads that NumPy, whose threads share the GIL, keeps up."""
    return torch.get_num_threads() <= _SEVERAL


_SEVERAL: Final = 4


@traced_as(_traced_many)
def many_and_plain(x: Tensor) -> bool:
    """Say whether NumPy may compute a result of many values: nothing needs its derivatives."""
    return type(x) is torch.Tensor and x.numel() > FEW and readable(x) and not tracked(x)


def alike(x: Tensor, *others: Tensor) -> bool:
    """Say whether NumPy may read many values of several tensors with the same layout."""
    return many_and_plain(x) and all(many_and_plain(t) and t.shape == x.shape for t in others)


def applied(
    function: Callable[..., Any],
    *tensors: Tensor,
    dtype: Any = None,
    grain: int = 0,
    portion: int = 0,
    threads: int = 0,
) -> Tensor:
    """Apply a ufunc to tensors of one shape, in pieces, by as many threads as torch has.

    NumPy's warnings are off.

    Parameters
    ----------
    function : callable
        A ufunc, or a function that writes to ``out`` as one does.
    *tensors : Tensor
        The operands.
    dtype : NumPy's dtype, optional
        The data type of the result; by default that of the first operand.
    grain : int
        The number of elements that is worth a thread; the default suits slow functions.
    portion : int
        The number of elements for each call of the function; by default a whole piece.
    threads : int
        The greatest number of threads, if it is known.
    """
    values = [x.detach().numpy() for x in tensors]
    out = np.empty_like(values[0], dtype=dtype)
    if not grain:
        short = not portion and values[0].itemsize < 8 and few_threads()
        grain = LONG if short else PIECE
    if not portion and (out.size < 2 * grain or torch.get_num_threads() < 2):
        with np.errstate(all="ignore"):
            function(*values, out=out)
        return torch.from_numpy(out)

    def compute(result: Any, *operands: Any) -> None:
        size = portion or len(result) or 1
        with np.errstate(all="ignore"):  # it holds for one thread, so each piece needs it
            for start in range(0, len(result), size):
                part = slice(start, start + size)
                function(*(a[part] for a in operands), out=result[part])

    if all(a.flags.c_contiguous for a in (out, *values)):
        flat = (a.reshape(-1) for a in (out, *values))
        in_pieces(compute, *flat, grain=grain, threads=threads)
    else:
        compute(out, *values)
    return torch.from_numpy(out)


def applied_at_length(function: Callable[..., Any], x: Tensor) -> Tensor:
    """Apply a slow ufunc, for which more threads pay."""
    if few_threads():
        return applied(function, x)
    return applied(function, x, grain=2 * PIECE, threads=_MANY)


def by_numpy(
    function: Callable[..., Any],
    otherwise: Kernel,
    dtype: Any = None,
    grain: int = 0,
    *,
    slow: bool = False,
) -> Kernel:
    """Return a kernel that takes NumPy's function for many values, and another one otherwise.

    Beside many threads of torch's only a slow function pays.
    """

    def numpys_for_many(x: Tensor) -> Tensor:
        if not (many_and_plain(x) and (slow or few_threads())):
            return otherwise(x)
        if slow:
            return applied_at_length(function, x)
        return applied(function, x, dtype=dtype, grain=grain)

    return numpys_for_many


_MANY: Final = 8
"""With more Python threads than this, they wait for each other longer than they compute."""

GRAIN: Final = 1 << 15
"""The least number of elements that torch gives to each of its threads."""


@dataclass(frozen=True)
class InPortions:
    """The composition for every device, applied to so few elements at a time that steps stay small.

    So its temporaries take the same memory for any number of elements.
    """

    function: Callable[..., Tensor] | None = None
    """Another composition, for dense tensors of one shape with many values that may be read."""
    grain: int = GRAIN
    """The number of elements in a portion for each thread."""
    grain_of_many: int = 0
    """The same number if there are many threads; by default it does not differ."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the composition in portions; derivatives and traces get the plain composition."""
        row = op.common_row(spec.dtype, spec.device.backend.facts)
        whole = op.native if row is None else row.route.kernel(op, spec)
        own = self.function or whole

        @functools.wraps(whole, assigned=("__name__",), updated=())
        def portioned(*tensors: Tensor) -> Tensor:
            # The composition takes single numbers beside arrays; another function may not.
            arrays = tensors if self.function else [t for t in tensors if t.dim()]
            if arrays and alike(*arrays) and all(map(_is_flat, tensors)) and plain(*tensors):
                grain = self.grain if few_threads() else self.grain_of_many or self.grain
                return in_portions(own, grain * torch.get_num_threads(), *tensors)
            return whole(*tensors)

        return portioned


def in_portions(function: Callable[..., Tensor], portion: int, *tensors: Tensor) -> Tensor:
    """Apply a function to dense tensors, a number of elements at a time.

    They are of one shape, or single numbers.
    """
    x = max(tensors, key=torch.Tensor.dim)
    if x.numel() <= portion:
        return function(*tensors)
    out = torch.empty_like(x)
    pieces = [
        torch.split(t.view(-1), portion) if t.dim() else itertools.repeat(t)
        for t in (out, *tensors)
    ]
    for target, *operands in zip(*pieces):
        target.copy_(function(*operands))
    return out


def _is_flat(x: Tensor) -> bool:
    return x.is_contiguous()


def in_pieces(
    function: Callable[..., None], *arrays: Any, grain: int = PIECE, threads: int = 0
) -> None:
    """Call a function with pieces of arrays along their first axis, in several threads at once.

    It must write to one of them, and spend its time where NumPy releases the GIL.
    """

    def compute(start: int, stop: int) -> None:
        function(*(a[start:stop] for a in arrays))

    in_threads(compute, len(arrays[0]), arrays[0].size // grain, threads)
