"""The backend of einops, which finds it among the subclasses of its own class.

Each of its methods calls functions as the standard has them, so both modes serve it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from einops._backends import AbstractBackend

from .. import (
    Array,
    all,
    any,
    arange,
    asarray,
    broadcast_to,
    concat,
    expand_dims,
    isdtype,
    max,
    mean,
    min,
    permute_dims,
    prod,
    reshape,
    stack,
    sum,
    tile,
)
from .._numpy.functions import einsum

_REDUCTIONS: Final[dict[str, Callable[..., Array]]] = {
    function.__name__: function for function in (all, any, max, mean, min, prod, sum)
}


class Backend(AbstractBackend):  # type: ignore[misc]
    """The functions that einops asks of a library."""

    framework_name = __name__.partition(".")[0]

    def is_appropriate_type(self, tensor: object) -> bool:
        """Say whether this is an array."""
        return isinstance(tensor, Array)

    def from_numpy(self, x: Any) -> Array:
        """Return an array on the default device."""
        return asarray(x)

    def to_numpy(self, x: Array) -> Any:
        """Return a NumPy array."""
        return np.asarray(x.to_device("cpu"))

    def arange(self, start: int, stop: int) -> Array:
        """Return the integers of a range."""
        return arange(start, stop)

    def reshape(self, x: Array, shape: Any) -> Array:
        """Return an array in another shape."""
        return reshape(x, tuple(shape))

    def transpose(self, x: Array, axes: Any) -> Array:
        """Return an array with its axes in another order."""
        return permute_dims(x, tuple(axes))

    def reduce(self, x: Array, operation: str, axes: Any) -> Array:
        """Return an array reduced along axes by the function of a name."""
        return _REDUCTIONS[operation](x, axis=tuple(axes))

    def stack_on_zeroth_dimension(self, tensors: list[Array]) -> Array:
        """Return a stack of arrays."""
        return stack(tensors)

    def add_axis(self, x: Array, new_position: int) -> Array:
        """Return an array with one more axis."""
        return expand_dims(x, axis=new_position)

    def add_axes(self, x: Array, n_axes: int, pos2len: dict[int, int]) -> Array:
        """Return an array with more axes, along which its elements repeat, as a view."""
        for position in pos2len:
            x = expand_dims(x, axis=position)
        return broadcast_to(x, tuple(pos2len.get(i, x.shape[i]) for i in range(n_axes)))

    def tile(self, x: Array, repeats: Any) -> Array:
        """Return an array several times along each axis."""
        return tile(x, tuple(repeats))

    def concat(self, tensors: list[Array], axis: int) -> Array:
        """Return arrays one after another."""
        return concat(tensors, axis=axis)

    def is_float_type(self, x: Array) -> bool:
        """Say whether ``mean`` takes the elements."""
        return isdtype(x.dtype, "real floating")

    def einsum(self, pattern: str, *x: Array) -> Any:
        """Return the sum of products that a text names."""
        return einsum(pattern, *x)
