"""NumPy's functions on the memory of tensors, where they are faster than torch's or right.

They take no part in derivatives, traces and transformations: what calls them leaves those to torch.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ..._routes._derivatives import readable, tracked
from ..._torch import torch
from ..._tracing import traced_as
from ._threads import in_threads

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from ..._devices import Spec
    from ..._routes._engine import Kernel, Op

FEW: Final = 1 << 10
"""Up to so many elements a call of torch is as fast as the way to NumPy's."""

PIECE: Final = 1 << 16
"""So many elements at least take longer than to hand them to another thread."""

LONG: Final = 1 << 19
"""So many of 4 bytes do where there are few processors: some milliseconds after torch has computed,
its threads still keep them busy, in a loop in which they wait for more."""

CHEAP: Final = 1 << 19
"""So many do where there is next to nothing to compute of each."""

CACHED: Final = 1 << 13
"""So many elements stay in the nearest cache from one step to the next."""


def _traced_many(x: Tensor) -> bool:  # noqa: ARG001
    return False  # there are no values yet, and a question for the size would be a guard


@traced_as(_traced_many)
def many(x: Tensor) -> bool:
    """Say whether NumPy may see the values, and whether there are so many that it pays."""
    # Of a tensor that torch.export traces the size may not be asked.
    return type(x) is torch.Tensor and x.numel() > FEW and readable(x)


def few_threads() -> bool:
    """Say whether torch has so few threads that NumPy, of which one has the lock, keeps up."""
    return torch.get_num_threads() <= _SEVERAL


_SEVERAL: Final = 4


@traced_as(_traced_many)
def many_and_plain(x: Tensor) -> bool:
    """Say so where nobody asks for derivatives of the result either."""
    return type(x) is torch.Tensor and x.numel() > FEW and readable(x) and not tracked(x)


def alike(x: Tensor, *others: Tensor) -> bool:
    """Say whether NumPy may see many values of several tensors, each in the place of the other."""
    return many_and_plain(x) and all(many_and_plain(t) and t.shape == x.shape for t in others)


def applied(
    function: Callable[..., Any],
    *tensors: Tensor,
    dtype: Any = None,
    grain: int = 0,
    portion: int = 0,
    threads: int = 0,
) -> Tensor:
    """Return what a ufunc makes of tensors of one shape, in pieces over as many threads as torch.

    It does not warn.

    Parameters
    ----------
    function : callable
        A ufunc, or a function that writes to ``out`` as one does.
    *tensors : Tensor
        The operands.
    dtype : NumPy's dtype, optional
        That of the result, by default that of the first operand.
    grain : int
        How many elements are worth a thread; by default as many as of a function that takes long.
    portion : int
        How many are handed to the function at a time; all of a piece by default.
    threads : int
        How many threads there are at most, where that is known.
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
        with np.errstate(all="ignore"):  # which holds for a thread
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
    """Return what a ufunc makes of a tensor that takes it so long that more threads pay."""
    if few_threads():
        return applied(function, x)
    return applied(function, x, grain=2 * PIECE, threads=_MANY)


_MANY: Final = 8
"""More Python threads wait for each other longer than they compute."""

GRAIN: Final = 1 << 15
"""So many elements torch gives to each of its threads at least."""


@dataclass(frozen=True)
class InPortions:
    """The composition for every device, of so many elements at a time that its steps stay small.

    What it holds in memory beside the result is then the same for any number of elements.
    """

    function: Callable[..., Tensor] | None = None
    """Another composition, for many elements that may be looked at: of dense tensors of a shape."""
    grain: int = GRAIN
    """How many elements of a portion there are for each thread."""
    grain_of_many: int = 0
    """How many there are for each of many threads, by default as many."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the composition in portions, where derivatives and traces need not see it."""
        row = op.common_row(spec.dtype, spec.device.type)
        whole = op.native if row is None else row.route.kernel(op, spec)
        own = self.function or whole

        @functools.wraps(whole, assigned=("__name__",), updated=())
        def kernel(*tensors: Tensor) -> Tensor:
            if alike(*tensors) and all(map(_is_flat, tensors)):
                grain = self.grain if few_threads() else self.grain_of_many or self.grain
                return in_portions(own, grain * torch.get_num_threads(), *tensors)
            result: Tensor = whole(*tensors)
            return result

        return kernel


def in_portions(function: Callable[..., Tensor], portion: int, *tensors: Tensor) -> Tensor:
    """Return what a function makes of dense tensors of one shape, of so many elements at a time."""
    x = tensors[0]
    if x.numel() <= portion:
        return function(*tensors)
    out = torch.empty_like(x)
    parts = [torch.split(t.view(-1), portion) for t in (out, *tensors)]
    for target, *operands in zip(*parts):
        target.copy_(function(*operands))
    return out


def _is_flat(x: Tensor) -> bool:
    return x.is_contiguous()


def in_pieces(
    function: Callable[..., None], *arrays: Any, grain: int = PIECE, threads: int = 0
) -> None:
    """Call a function with pieces of arrays along their first axis, in several threads at once.

    It has to write to one of them, and to spend its time where NumPy lets other threads run.
    """

    def compute(start: int, stop: int) -> None:
        function(*(a[start:stop] for a in arrays))

    in_threads(compute, len(arrays[0]), arrays[0].size // grain, threads)
