"""The bits of a tensor, read as another data type, and those of a Python number.

``torch.vmap`` has a rule for such a view from torch 2.13 on (pytorch 180728).  Before, it refuses
one, and with it every composition that looks at bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from .._torch import Tensor, torch
from .._torch.pairs import release
from .._torch.private import is_wrapped
from .._torch.tracing import traced_as


class _View(torch.autograd.Function):
    """A view with a rule for ``torch.vmap``, of a tensor without derivatives."""

    @staticmethod
    def forward(x: Tensor, dtype: torch.dtype) -> Tensor:
        return x.view(dtype)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int, None], x: Tensor, dtype: torch.dtype) -> Any:  # noqa: ARG004
        # The last axis stays the last: that is the one whose length changes with the size.
        return _View.apply(x.movedim(in_dims[0], 0), dtype), 0  # type: ignore[no-untyped-call]


def _traced_view(x: Tensor, dtype: torch.dtype) -> Tensor:
    return x.view(dtype)


@traced_as(_traced_view)
def _viewed(x: Tensor, dtype: torch.dtype) -> Tensor:
    if not is_wrapped(x):
        return x.view(dtype)
    # Torch's own view passes no derivative either.
    read: Tensor = _View.apply(x.detach(), dtype)  # type: ignore[no-untyped-call]
    return read


bits_as: Final[Callable[[Tensor, torch.dtype], Tensor]] = (
    torch.Tensor.view if release(torch.__version__) >= (2, 13) else _viewed
)
"""Return a view of the same memory as another data type."""


def in_single(value: float) -> bool:
    """Say whether float32 holds a number without rounding it; in compiled code, if it is short.

    The compiler simplifies what is computed of a number that changes from call to call, as if
    nothing were rounded, so there only multiples of 1/8 are found.
    """
    if torch.compiler.is_compiling():
        return abs(value) < 2**20 and 8 * value == math.floor(8 * value)
    split = value * (2.0**29 + 1)  # Veltkamp's splitting: the first 24 bits equal the value
    return value == split - (split - value) and (not value or 2.0**-126 <= abs(value) < 2.0**128)
