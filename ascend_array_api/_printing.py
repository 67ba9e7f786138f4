"""How arrays print: their values as NumPy prints them, the data type and the device.

Of a large array only the corners are shown, and only they are brought to the host.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from . import _dtypes as dt
from ._array import implements
from ._devices import parse
from ._interchange import move
from ._routes._derivatives import batched
from ._torch import torch

if TYPE_CHECKING:
    from ._array import Array

_THRESHOLD: Final = 1000
_EDGE: Final = 3


@implements("__repr__")
def array_repr(x: Array) -> str:
    """Return a text with the array's values, data type and device."""
    if x._spec is None:  # in a tree of something else than arrays
        return f"Array({x._tensor!r})"
    tensor = x._tensor.detach()
    if batched(tensor):  # what it stands for only torch can show
        return f"Array({x._tensor})"
    shorten = tensor.numel() > _THRESHOLD
    if shorten:
        # One element more than both edges in each long axis, so that NumPy leaves one out.
        for axis, n in enumerate(tensor.shape):
            if n > 2 * _EDGE + 1:
                first = tensor.narrow(axis, 0, _EDGE + 1)
                last = tensor.narrow(axis, n - _EDGE, _EDGE)
                tensor = _concatenate(first, last, axis)
    tensor = move(tensor, parse("cpu"), "repr")
    values = (tensor.to(dt.float32) if x.dtype is dt.bfloat16 else tensor).numpy()
    prefix = "Array("
    if values.size == 0:
        text = "[]" if x.shape == (0,) else f"[], shape={x.shape}"
    else:
        text = np.array2string(
            values,
            separator=", ",
            prefix=prefix,
            threshold=0 if shorten else _THRESHOLD,
            edgeitems=_EDGE,
            max_line_width=88,
            precision=8,
            suppress_small=False,
            floatmode="maxprec",
            sign="-",
        )
    grad = ", requires_grad=True" if x._tensor.requires_grad else ""
    return f"{prefix}{text}, dtype={dt.NAMES[x.dtype]}, device='{x.device}'{grad})"


def _concatenate(first: torch.Tensor, last: torch.Tensor, axis: int) -> torch.Tensor:
    return torch.cat([move(t, parse("cpu"), "repr") for t in (first, last)], axis)
