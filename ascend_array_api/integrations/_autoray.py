"""The names that autoray does not find by itself: it looks for NumPy's names in the package.

Where the standard has a function by another name, that name is registered, not the function: so
autoray gets what the package has there, which in relaxed mode takes NumPy's calls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from autoray import register_function

from .. import Array, asarray, astype, permute_dims
from .._devices.device import DeviceLike
from .._numpy.names import RENAMED
from .._torch import dtypes as dt
from ..linalg import svd
from ..random import Generator, default_rng

_NAME: Final = __name__.partition(".")[0]

_CREATION: Final = ("empty", "eye", "full", "identity", "ones", "zeros")
"""What autoray makes in the data type of the array that ``like`` names; here on its device too."""


class _Shared:
    """The generator behind ``random.uniform`` and ``random.normal``, which NumPy has as a state."""

    def __init__(self) -> None:
        self.generator: Generator | None = None

    def seed(self, seed: Any = None) -> None:
        self.generator = default_rng(seed)

    def draw(self, method: str, *given: Any, dtype: Any) -> Array:
        if self.generator is None:
            self.seed()
        result = asarray(getattr(self.generator, method)(*given))
        return result if dtype is None else astype(result, _dtype(dtype), copy=False)


_shared: Final = _Shared()


def _dtype(dtype: Any) -> Any:
    """Return a data type that may be given by its name, as autoray does."""
    return dt.BY_NAME[dtype] if isinstance(dtype, str) else dtype


def _uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None, dtype: Any = None) -> Array:
    return _shared.draw("uniform", low, high, size, dtype=dtype)


def _normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None) -> Array:
    return _shared.draw("normal", loc, scale, size, dtype=dtype)


def _array(
    obj: Any, dtype: Any = None, *, copy: bool = True, device: DeviceLike | None = None
) -> Array:
    return asarray(obj, dtype=_dtype(dtype), device=device, copy=copy)


def _from_numpy(x: Any, dtype: Any = None, device: DeviceLike | None = None) -> Array:
    return asarray(x, dtype=_dtype(dtype), device=device)


def _to_numpy(x: Array) -> Any:
    return np.asarray(x.to_device("cpu"))


def _to_device(x: Array, device: DeviceLike | None) -> Array:
    return x if device is None else x.to_device(device)


def _astype(x: Array, dtype: Any, **named: Any) -> Array:
    return astype(x, _dtype(dtype), **named)


def _transpose(x: Array, axes: Any = None) -> Array:
    return permute_dims(x, tuple(reversed(range(x.ndim))) if axes is None else tuple(axes))


def _complex(re: Array, im: Array) -> Array:
    return re + 1j * im


def _svd(x: Array, *, full_matrices: bool = False) -> Any:
    return svd(x, full_matrices=full_matrices)


_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "array": _array,
    "astype": _astype,
    "complex": _complex,
    "from_numpy": _from_numpy,
    "linalg.svd": _svd,
    "random.normal": _normal,
    "random.seed": _shared.seed,
    "random.uniform": _uniform,
    "to_device": _to_device,
    "to_numpy": _to_numpy,
    "transpose": _transpose,
}

for _numpys, _ours in {**RENAMED, "identity": "eye"}.items():
    register_function(_NAME, _numpys, alias=_ours)
for _name, _function in _FUNCTIONS.items():
    register_function(_NAME, _name, _function)
for _name in _CREATION:
    register_function(_NAME, _name, inject_dtype=True, inject_device=True)
register_function(_NAME, "array", inject_dtype=False, inject_device=True)
register_function(_NAME, "random.default_rng", inject_dtype=False, inject_device=True)
