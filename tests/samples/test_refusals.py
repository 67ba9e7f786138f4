"""What every function refuses, and in which words: a loop over the samples.

Operands that are no arrays, data types that a function does not have, axes that are not there.
"""

from __future__ import annotations

import functools
import inspect
import operator
import re
from typing import Any

import numpy as np
import pytest
from parametrize import listing

import ascend_array_api as xp
from ascend_array_api._torch import torch
from workshop.cells import table
from workshop.samples import FUNCTIONS, Seeded, converted
from workshop.samples.strategies import (
    ALL,
    BOOL,
    COMPLEX,
    FLOATING,
    INTEGER,
    NUMERIC,
    REAL,
    REAL_FLOATING,
)

NAMES = [
    name
    for name in table.names()
    if not name.is_metadata and not name.key.startswith(("Array.", "random."))
]


def each_of(names: list[table.Name]) -> Any:
    return listing("name", names)


def first_call(name: table.Name) -> tuple[Any, str, tuple[Any, ...]]:
    """Return the first call of a function, with inputs of a data type."""
    call = FUNCTIONS[name.key].calls[0]
    wanted = (d for d in ("float32", *name.dtypes) if d in name.dtypes)
    dtype = next(d for d in wanted if call.when(Seeded(d, "")))
    return call, dtype, call.inputs(Seeded(dtype, ""))


# A function of no array takes Python's numbers; from_dlpack takes whatever exports itself.
WITH_ARRAYS = [name for name in NAMES if isinstance(first_call(name)[2][0], np.ndarray)]


@each_of([name for name in WITH_ARRAYS if name.key != "from_dlpack"])
def test_foreign_operands_are_refused(name: table.Name) -> None:
    call, _, inputs = first_call(name)
    rest = [converted(xp, value, xp.asarray) for value in inputs[1:]]
    alone = (
        r"expected Array, got (None|.*asarray\(\))"
        if sum(isinstance(x, np.ndarray) for x in inputs) == 1
        else ""
    )
    for foreign in (
        [[1.0, 2.0]],
        np.ones((2, 3)),
        torch.ones((2, 3)),
        None,
        *([1.0] if alone else []),
    ):
        with pytest.raises(TypeError, match=rf"^(\w+\.)?{name.key.rpartition('.')[2]}: .*{alone}"):
            call.bound(xp)(foreign, *rest)


KINDS = {
    BOOL: "boolean",
    BOOL + INTEGER: "integer or boolean",
    INTEGER: "integer",
    NUMERIC: "numeric",
    REAL: "real-valued",
    FLOATING: "floating-point",
    REAL_FLOATING: "real floating-point",
    COMPLEX: "complex floating-point",
}
WITH_HALVES = {KINDS[kind] for kind in (NUMERIC, REAL, FLOATING, REAL_FLOATING)}
LARGER = {"sort": BOOL, "argsort": BOOL}
"""What is allowed beyond the standard."""


def taken(name: table.Name) -> tuple[str, ...]:
    return LARGER.get(name.key, ()) + FUNCTIONS[name.key].dtypes


@each_of([name for name in WITH_ARRAYS if taken(name) != ALL])
def test_other_data_types_are_refused(name: table.Name) -> None:
    call, first, inputs = first_call(name)
    dtypes = taken(name)

    def of(dtype: str) -> Any:
        """Make the call with the numbers of that data type."""
        target = getattr(xp, dtype)
        numbers = [
            xp.astype(xp.asarray(np.abs(x).astype("float64")), target)
            if isinstance(x, np.ndarray) and x.dtype == first
            else converted(xp, x, xp.asarray)
            for x in inputs
        ]
        return call.bound(xp)(*numbers)

    def refused(dtype: str) -> str:
        """Check that a data type is refused, and return what is said to be allowed."""
        short = name.key.rpartition(".")[2]
        said = rf"^(\w+\.)?{short}: data type {dtype} is not allowed; allowed are (.*) data types"
        for _ in range(2):  # the second call must not find a kernel from the first
            with pytest.raises(TypeError, match=said) as caught:
                of(dtype)
        found = re.match(said, str(caught.value))
        assert found
        return found[2]

    (allowed,) = {refused(dtype) for dtype in ALL if dtype not in dtypes}
    listed = allowed.split(", ")
    assert allowed == KINDS.get(dtypes) or set(dtypes) <= set(listed)
    for half in ("float16", "bfloat16"):
        if allowed in WITH_HALVES or half in listed:
            of(half)
        else:
            refused(half)


# --- axes -----------------------------------------------------------------------------------------

WITH_AXES = {
    name.key: (name, key)
    for name in NAMES
    for key in ("axis", "axes")
    if key in inspect.signature(operator.attrgetter(name.key)(xp)).parameters
    if name.key not in {"permute_dims", "tensordot", "linalg.tensordot"}  # have all, or pairs
}
ADDING = {"expand_dims", "stack"}
HIGHER = {"cumulative_prod", "cumulative_sum"}
"""Which ask for an array of one dimension at least, whatever the axis."""
SEVERAL = {"fft.fftn", "fft.ifftn", "fft.rfftn", "fft.irfftn"}
NO_NONE = {
    *("argsort", "diff", "expand_dims", "fft.fft", "fft.hfft", "fft.ifft", "fft.ihfft"),
    *("fft.irfft", "fft.rfft", "linalg.cross", "linalg.vecdot", "sort", "squeeze", "stack"),
    *("take_along_axis", "unstack", "vecdot"),
}
TUPLES = {
    *("all", "any", "count_nonzero", "expand_dims", "fft.fftshift", "fft.ifftshift", "flip"),
    *("linalg.vector_norm", "max", "mean", "min", "prod", "squeeze", "std", "sum", "var"),
    *SEVERAL,
}


@pytest.mark.parametrize("key", WITH_AXES)
def test_axes_that_are_refused(key: str) -> None:
    name, word = WITH_AXES[key]
    call, _, inputs = first_call(name)
    function = operator.attrgetter(key)(xp)
    place = list(inspect.signature(function).parameters).index(word)
    arrays = [converted(xp, x, xp.asarray) for x in inputs]
    ndim = max(x.ndim for x in arrays if isinstance(x, xp.Array))

    def refused(axis: Any, text: str, *errors: type[Exception], of: Any = arrays) -> None:
        def given(*args: Any, **kwargs: Any) -> Any:
            if len(args) > place:
                return function(*args[:place], axis, *args[place + 1 :], **kwargs)
            return function(*args, **{**kwargs, word: axis})

        for error in errors:
            with pytest.raises(error, match=rf"{key.rpartition('.')[2]}: .*{text}"):
                call.body(given, xp, *of)

    several = key in SEVERAL
    for wrong in (1.0, True, "0", {0}, np.float64(0)):
        refused(
            wrong,
            "must be an? (integer|tuple|.* of integers)" if several else "must be an integer",
            TypeError,
        )
    if key in NO_NONE:
        refused(None, "must be an integer", TypeError)
    # Both are asked for: an IndexError by the standard, a ValueError by NumPy's users.
    size = ndim + (key in ADDING)
    size += key == "expand_dims"
    for axis in (size, -size - 1):
        out = (axis, 0) if several else axis
        refused(out, rf"axis {axis} is (out of bounds|not allowed)", IndexError, ValueError)
    if key in TUPLES:
        refused((0, 0), "twice", ValueError)
        refused((0, 9), "axis 9 is out of bounds", IndexError, ValueError)
        refused((0, 1.0), "must be an integer", TypeError)
    if len(arrays) == 1 and isinstance(arrays[0], xp.Array) and key not in ADDING | HIGHER:
        zero = [xp.reshape(arrays[0], (-1,))[0]]
        for axis in (0, -1):
            out = (axis,) if several else axis
            refused(out, f"axis {axis} is out of bounds", IndexError, ValueError, of=zero)


# --- flags ----------------------------------------------------------------------------------------

FLAGS = [
    pytest.param(name, flag, id=f"{name.key} {flag}")
    for name in NAMES
    for flag, parameter in inspect.signature(operator.attrgetter(name.key)(xp)).parameters.items()
    if type(parameter.default) is bool
]


@pytest.mark.parametrize(("name", "flag"), FLAGS)
def test_flags_are_true_or_false(name: table.Name, flag: str) -> None:
    call, _, inputs = first_call(name)
    function = operator.attrgetter(name.key)(xp)
    arrays = [converted(xp, x, xp.asarray) for x in inputs]
    for wrong in (1, None, "yes"):
        with pytest.raises(
            TypeError, match=rf"{name.key.rpartition('.')[2]}: {flag} must be True or False"
        ):
            call.body(
                lambda *args, _w=wrong, **kw: function(*args, **{**kw, flag: _w}), xp, *arrays
            )


class AnyClass:
    """One of the values that another library's keyword may have."""


@each_of(NAMES)
def test_no_keyword_of_other_libraries_is_taken(name: table.Name) -> None:
    call, _, inputs = first_call(name)
    function = operator.attrgetter(name.key)(xp)
    given = inspect.signature(function).parameters
    operands = [converted(xp, value, xp.asarray) for value in inputs]
    call.body(function, xp, *operands)  # finds the kernel, which the next calls could come by
    for keyword in {"out", "where", "dtype", "casting", "order", "subok"}.difference(given):
        for value in (AnyClass, xp.Array, type, object.__new__, None, True):
            with pytest.raises(TypeError, match=keyword):
                call.body(functools.partial(function, **{keyword: value}), xp, *operands)
