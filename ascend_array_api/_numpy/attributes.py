"""Attributes of arrays: ``dir()``, and errors that say what to write instead of others.

Computes nothing; comes after all modules that attach attributes.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from typing_extensions import Never

from .._arrays.array import Array, implements
from .._errors.foreign_names import ARRAY, NotHere
from .._options import relaxed
from .._torch import torch
from . import methods

_OTHERS: Final = {
    name for name in (*dir(torch.Tensor), *dir(np.ndarray)) if not name.startswith("_")
}
for _name in (_OTHERS | ARRAY.keys()) - vars(Array).keys():
    setattr(Array, _name, NotHere(_name))


def _read_only(name: str, instead: str) -> property:
    """Return a property of arrays that says what to write instead of setting it."""

    def refuse(self: Array, value: object) -> Never:  # noqa: ARG001
        raise AttributeError(f"{name}: it cannot be set. Write {instead} instead.", name=name)

    own: property = vars(Array)[name]
    return own.setter(refuse)


for _name, _instead in {
    "T": "x[...] = value.T",
    "device": "y = x.to_device(device)",
    "dtype": "y = xp.astype(x, dtype)",
    "mT": "x[...] = value.mT",
    "ndim": "y = xp.reshape(x, shape)",
    "shape": "y = xp.reshape(x, shape)",
    "size": "y = xp.reshape(x, shape)",
}.items():
    setattr(Array, _name, _read_only(_name, _instead))

_STRICT: Final = frozenset(
    name
    for name, value in vars(Array).items()
    if not isinstance(value, (NotHere, methods.RelaxedAttribute))
    and (name.startswith("__") or not name.startswith("_"))
)
_RELAXED: Final = frozenset(
    name for name, v in vars(Array).items() if isinstance(v, methods.RelaxedAttribute)
)


@implements("__dir__")
def attributes(self: Array) -> list[str]:  # noqa: ARG001
    """Return the names of the attributes that an array has in the current mode."""
    return sorted({*_STRICT, *object.__dir__(object()), *(_RELAXED if relaxed.on() else ())})
