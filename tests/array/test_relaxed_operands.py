"""Every function refuses what is no array; in relaxed mode it takes NumPy's arrays, and lists."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ascend_array_api as xp
from conformance.cells import table
from conformance.samples import FUNCTIONS, DType, Seeded
from conformance.samples.strategies import to_numpy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DTYPES = ("bool", "int64", "uint16", "float32", "float64", "complex128")
FROM_LISTS = {"bool", "int64", "float64", "complex128"}
"""What lists of Python scalars become."""
NO_LISTS = {
    "from_dlpack": "it is of the protocol alone",
    "linalg.cross": "the sample reads an attribute of its operand",
    "reshape": "the sample reads an attribute of its operand",
}
NAMES = [
    name
    for name in table.names()
    if not name.is_metadata and not name.key.startswith(("Array.", "random."))
]


def each(value: Any, convert: Callable[[np.ndarray[Any, Any]], Any]) -> Any:
    """Convert the arrays among inputs."""
    if isinstance(value, np.ndarray):
        return convert(value.copy())
    if isinstance(value, DType):
        return getattr(xp, value.name)
    if isinstance(value, (list, tuple)):
        return type(value)(each(v, convert) for v in value)
    return value


def results(value: Any) -> Iterator[np.ndarray[Any, Any]]:
    if isinstance(value, (tuple, list)):
        for part in value:
            yield from results(part)
    else:
        yield np.asarray(value)


@pytest.mark.one_each
@pytest.mark.parametrize("name", NAMES, ids=lambda n: n.key)
def test_foreign_operands_are_taken(name: table.Name) -> None:
    seen = 0
    with xp.options(relaxed=True, default_float="float64", device="cpu"):
        for i, call in enumerate(FUNCTIONS[name.key].calls):
            for dtype in (d for d in DTYPES if d in name.dtypes):
                draw = Seeded(dtype, f"{name.key} {i}")
                if not call.when(draw):
                    continue
                with warnings.catch_warnings():
                    # NumPy's, of infinities in products.
                    warnings.simplefilter("ignore", RuntimeWarning)
                    inputs = call.inputs(draw)
                forms: list[Callable[[Any], Any]] = [lambda a: a]
                if dtype in FROM_LISTS and name.key not in NO_LISTS:
                    forms.append(np.ndarray.tolist)
                expected = list(results(call.bound(xp)(*each(inputs, xp.asarray))))
                for form in forms:
                    given = list(results(call.bound(xp)(*each(inputs, form))))
                    assert len(given) == len(expected)
                    for a, b in zip(given, expected):
                        assert a.dtype == b.dtype
                        np.testing.assert_array_equal(to_numpy(a), to_numpy(b))
                    seen += 1
    assert seen


def test_powers_of_foreign_arrays_take_the_exact_form() -> None:
    """IEEE 754's products and quotients; a power by logarithms is an ulp off in places."""
    x = np.random.default_rng(3).uniform(0.1, 3, 2000).astype(np.float32)
    forms = {2: x * x, -1: 1 / x}
    with xp.options(relaxed=True):
        for exponent, expected in forms.items():
            for base in (x, xp.asarray(x)):
                for power in (exponent, np.float16(exponent)):
                    got = np.asarray(xp.pow(base, power))
                    assert got.dtype == np.float32
                    wrong = np.flatnonzero(got != expected)
                    assert not wrong.size, (type(base), power, len(wrong))


def test_ends_of_ranges_are_numpys_scalars() -> None:
    ends = np.float32(0.5), np.float32(2)
    with pytest.raises(TypeError, match=re.escape("xp.options(relaxed=True) allows it.")):
        xp.linspace(*ends, 4)
    with xp.options(relaxed=True, default_float="float64"):
        assert xp.linspace(*ends, 4).dtype == xp.float32
        np.testing.assert_array_equal(to_numpy(xp.linspace(*ends, 4)), np.linspace(0.5, 2, 4))
        np.testing.assert_array_equal(to_numpy(xp.arange(*ends)), [0.5, 1.5])


@pytest.mark.parametrize(
    "ends",
    [
        (np.float32(0), np.float64(1)),
        (np.float64(0), np.float32(1)),
        (np.float16(0), 3),
        (0.5, np.float32(2)),
        (np.float32(0), np.int64(3)),
        (np.int8(-2), np.float16(3)),
        (np.float32(0), 1j),
        (np.complex64(1j), 2.0),
    ],
    ids=lambda ends: "-".join(type(x).__name__ for x in ends),
)
@pytest.mark.parametrize("default", ["float32", "float64"])
def test_ends_of_an_interval_have_numpys_data_type(ends: Any, default: str) -> None:
    expected = np.linspace(*ends, 3)
    with xp.options(relaxed=True, default_float=default):
        got = to_numpy(xp.linspace(*ends, 3))
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)
