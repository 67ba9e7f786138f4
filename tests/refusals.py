"""Tables of what is refused: expressions after the words of their error, below its classes.

    [ValueError]
    cannot be multiplied | xp.matmul(v, xp.ones(4)); m @ m

The error of a function begins with its name, or as the words after ``^`` say.  An array that an
expression names stays as it is.
"""

from __future__ import annotations

import builtins
import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from parametrize import listing

import ascend_array_api as xp
from ascend_array_api._torch import torch
from workshop.samples.strategies import to_numpy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SHAPES: dict[str, Any] = {"v": 3, "m": (2, 3), "s": (2, 2), "t": (5, 2, 2), "one": ()}
NUMBERS: dict[str, tuple[Any, str]] = {"x": ([1.0, 2.0], "float32"), "b": ([True, False], "bool")}
NUMBERS |= {"n": ([1, 2], "int64"), "i8": ([1, 2], "int8"), "z": ([1, 2], "complex64")}
NUMBERS |= {"k": ([[1, 1], [1, 1]], "int64")}
ARRAYS = {name: np.ones(shape, "float32") for name, shape in SHAPES.items()}
ARRAYS |= {name: np.asarray(*number) for name, number in NUMBERS.items()}
"""What expressions name."""
OTHERS = {"xp": xp, "np": np, "torch": torch, "linalg": xp.linalg, "fft": xp.fft}
OTHERS |= {"special": xp.special, "inf": math.inf, "nan": math.nan}


def rows(table: str) -> Iterator[tuple[list[type[Exception]], str, str]]:
    """Yield the expressions of a table, each with the classes and the words of its error."""
    errors: list[type[Exception]] = []
    for line in filter(None, table.splitlines()):
        if line.startswith("["):
            own = line.strip("[]").split()
            errors = [getattr(builtins, name, xp.linalg.LinAlgError) for name in own]
        else:
            said, _, codes = line.rpartition(" | ")
            yield from ((errors, said, code) for code in codes.split("; "))


def refused(table: str, **more: Any) -> Callable[..., None]:
    """Return the test of a table; what is named beside `ARRAYS` is made by functions."""

    @listing("errors, said, code", rows(table))
    def test(errors: list[type[Exception]], said: str, code: str) -> None:
        words = set(re.findall(r"\w+", code))
        given = {name: xp.asarray(ARRAYS[name].copy()) for name in words & ARRAYS.keys()}
        made = {name: more[name]() for name in words & more.keys()}
        with pytest.raises(errors[0], match=said) as caught:
            exec(code, {**OTHERS, **given, **made})
        assert all(isinstance(caught.value, error) for error in errors)
        call = re.match(r"(?:\w+\.)*([a-z]\w*)\(", code)
        if call is not None and not said.startswith("^"):
            assert re.match(rf"(\w+\.)?{call[1]}: ", str(caught.value)), str(caught.value)
        for name, x in given.items():
            np.testing.assert_array_equal(to_numpy(x), ARRAYS[name], f"{name} has changed")

    return test
