"""Printing of arrays: values as NumPy prints them, the data type and the device.

Names no accelerator.  NumPy's print options apply.  Of a large array only the corners are shown,
and only they are copied to the host.
"""

from __future__ import annotations

import html
from typing import Any, Final

import numpy as np

from .._arrays.array import Array, awaited, implements, wrap
from .._arrays.memory import has_no_address
from .._calls.interchange import move
from .._devices.device import parse
from .._routes._derivatives import batched
from .._torch import dtypes as dt
from .._torch import torch

_PREFIX: Final = "Array("
_WIDTHS: Final = {75: 88}
"""Our width of lines, by NumPy's: its default is replaced, and any other is kept."""


@implements("__repr__")
def array_repr(x: Array) -> str:
    """Return a text with the array's values, data type and device."""
    if x._spec is None:  # a node of torch's trees that holds something else than a tensor
        return f"Array({x._tensor!r})"
    if _stands_for_others(x._tensor):
        return f"Array({x._tensor})"
    x, part = _shown(x)
    options = np.get_printoptions()
    width = _WIDTHS.get(options["linewidth"], options["linewidth"])
    shorten = _is_long(x, options)
    text = "[]" if x.size == 0 else _values(x, options, shorten, _PREFIX, width)
    shape = f"shape={x.shape}, " if shorten or (x.size == 0 and x.shape != (0,)) else ""
    grad = ", requires_grad=True" if x._tensor.requires_grad else ""
    rest = f"{shape}dtype={dt.NAMES[x.dtype]}, device='{x.device}'{part}{grad})"
    last = len(text) - text.rfind("\n") - 1 + (0 if "\n" in text else len(_PREFIX))
    space = " " if last + len(rest) + 2 <= width else "\n" + " " * len(_PREFIX)
    return f"{_PREFIX}{text},{space}{rest}"


@implements("__str__")
def array_str(x: Array) -> str:
    """Return the text of one number as NumPy's, and of other arrays as ``repr`` gives it."""
    if x._spec is None or x.ndim or _stands_for_others(x._tensor):
        return repr(x)
    return str(_on_host(awaited(x._tensor, x._spec.device).detach(), x.dtype)[()])


@implements("_repr_html_")
def array_html(x: Array) -> str:
    """Return the array's values, data type and device as HTML, for notebooks."""
    if x._spec is None or _stands_for_others(x._tensor):
        return f"<pre>{html.escape(repr(x))}</pre>"
    x, part = _shown(x)
    options = np.get_printoptions()
    text = "[]" if x.size == 0 else _values(x, options, _is_long(x, options), "", 88)
    said = f"Array of shape {x.shape}, {dt.NAMES[x.dtype]}, on {x.device}{part}"
    return f"<div><small>{said}</small><pre>{html.escape(text)}</pre></div>"


def _stands_for_others(tensor: torch.Tensor) -> bool:
    """Say whether a tensor has no values of its own, so that only torch can print it."""
    return batched(tensor) or tensor.is_meta or has_no_address(tensor)


def _shown(x: Array) -> tuple[Array, str]:
    """Return the part of an array that this process can show, and a text that names the part."""
    # A part is a new tensor, without marks.
    tensor, part = x._spec.device.backend.shown(awaited(x._tensor, x._spec.device))
    return (wrap(tensor, x._spec), f", part='{part}'") if part else (x, "")


def _is_long(x: Array, options: Any) -> bool:
    shorten: bool = x.size > options["threshold"]
    return shorten


def _values(x: Array, options: Any, shorten: bool, prefix: str, width: int) -> str:
    tensor = x._tensor.detach()
    edge: int = options["edgeitems"]
    if shorten:
        # One element more than both edges in each long axis, so that NumPy leaves one out.
        for axis, n in enumerate(tensor.shape):
            if n > 2 * edge + 1:
                first = tensor.narrow(axis, 0, edge + 1)
                last = tensor.narrow(axis, n - edge, edge)
                tensor = _concatenate(first, last, axis)
    return np.array2string(
        _on_host(tensor, x.dtype),
        separator=", ",
        prefix=prefix,
        threshold=0 if shorten else options["threshold"],
        max_line_width=width,
    )


def _on_host(tensor: torch.Tensor, dtype: dt.DType) -> np.ndarray[Any, Any]:
    tensor = move(tensor, parse("cpu"), "repr")
    values: np.ndarray[Any, Any] = (tensor.float() if dtype is dt.bfloat16 else tensor).numpy()
    return values


def _concatenate(first: torch.Tensor, last: torch.Tensor, axis: int) -> torch.Tensor:
    return torch.cat([move(t, parse("cpu"), "repr") for t in (first, last)], axis)
