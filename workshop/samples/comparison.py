"""One call of a function on drawn arguments, and what is checked of it."""

from __future__ import annotations

import operator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import note

import ascend_array_api as xp

from ._table import FUNCTIONS
from .strategies import ALL, Draw, arrays_of, nested

if TYPE_CHECKING:
    from collections.abc import Callable

#: What moves elements as they are does so with float16 too, which the standard does not have.
MOVED = (*ALL, "float16")
MOVING = {
    *("broadcast_to", "expand_dims", "flip", "linalg.matrix_transpose", "matrix_transpose"),
    *("moveaxis", "permute_dims", "repeat", "reshape", "roll", "squeeze", "take"),
    *("take_along_axis", "tile", "tril", "triu", "unstack"),
}

#: What may be a view of its operand; every other result has memory of its own.
VIEWS = {
    *("asarray", "astype", "broadcast_arrays", "broadcast_to", "expand_dims", "from_dlpack"),
    *("linalg.diagonal", "linalg.matrix_transpose", "matrix_transpose", "moveaxis"),
    *("permute_dims", "real", "imag", "reshape", "squeeze", "unstack"),
}


def compared() -> dict[str, tuple[str, ...]]:
    """Return the functions that are compared on drawn arguments, and on which data types."""
    return {
        name: MOVED if name in MOVING else function.dtypes
        for name, function in FUNCTIONS.items()
        if function.compared
    }


def compare(
    name: str, dtype: str, draw: Draw, watched: Callable[[str], Any] = nullcontext
) -> tuple[Any, ...]:
    """Call a function, in a context, on arguments that are drawn; return the arrays it gave.

    Its values, data types and shapes are checked, that it left its operands as they were, and
    that its results share no memory with them.
    """
    with np.errstate(all="ignore"):  # references overflow and meet NaN like what they check
        trial = FUNCTIONS[name].compared(draw, name, dtype)
        note(f"{name}(*{trial.args}, **{trial.kwargs})")
        args, kwargs = arrays_of(trial.args), arrays_of(trial.kwargs)
        with watched(name):
            result = operator.attrgetter(name)(xp)(*args, **kwargs)
        trial.check(result)
    operands = list(nested((trial.args, trial.kwargs)))
    for operand in operands:
        operand.check_unchanged()
    results = tuple(arrays_in(result))
    check_memory(results, [] if name in VIEWS else [operand.array for operand in operands])
    return results


def arrays_in(result: Any) -> Any:
    if isinstance(result, (tuple, list)):
        for part in result:
            yield from arrays_in(part)
    elif isinstance(result, xp.Array):
        yield result


def check_memory(results: tuple[Any, ...], operands: list[Any]) -> None:
    """Check that arrays share no memory with others, and defer no conjugation or change of sign."""
    for result in results:
        tensor = result._tensor
        assert not tensor.is_conj()
        assert not tensor.is_neg()
        address = tensor.untyped_storage().data_ptr()
        for other in operands:
            assert not address or address != other._tensor.untyped_storage().data_ptr()
