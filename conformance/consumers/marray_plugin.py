"""A pytest plugin: marray's tests of masked arrays get the chosen namespace alone.

Their module lists the namespaces that it knows, and sets torch's default data type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

from ..exemptions import Exemption, expect
from . import chosen

if TYPE_CHECKING:
    from collections.abc import Generator

EXEMPTIONS = (
    Exemption(
        r"::test_r?arithmetic_binary\[.*-complex\d+-x.*(//|%|floordiv|mod)"
        r"|::test_comparison_binary\[.*-complex\d+-x( [<>]|\.__[gl][et]__)"
        r"|::test_statistical_array\[.*-complex\d+-(arg)?(max|min)-"
        r"|::test_elementwise_unary\[.*-complex\d+-(ceil|floor|signbit|trunc)\]"
        r"|::test_elementwise_binary\[.*-complex\d+-"
        r"(atan2|copysign|floor_divide|(greater|less)(_equal)?|hypot|logaddexp|maximum|minimum"
        r"|nextafter|remainder)\]"
        r"|::test_(clip|take_along_axis)\[.*-complex\d+\]"
        r"|::test_creation\[.*-bool-(arange|linspace)-",
        (TypeError, AssertionError),
        r"data type (bool|complex64|complex128) is not allowed",
        "The standard defines none of these for this data type. marray expects that a namespace "
        "refuses them, and knows the refusals of the libraries in its list by their words.",
    ),
    Exemption(
        r"::test_elementwise_binary\[.*-bool-(floor_divide|pow|remainder)\]"
        r"|::test_rarithmetic_binary\[array-.*-bool-x (//|%|\*\*) y-"
        r"|::test_bitwise_binary\[.*-bool-bitwise_\w+_shift-"
        r"|::test_rbitwise_binary\[.*-bool-<lambda>[34]\]",
        AssertionError,
        "dtypes int64, int8 mismatch",
        "The standard defines no arithmetic of Booleans. Relaxed mode computes all of it in int64, "
        "NumPy some in int64, some in int8, and refuses the rest.",
        relaxed_mode=True,
    ),
    Exemption(
        r"::test_elementwise_binary\[.*-(bool|u?int(8|16))-"
        r"(atan2|copysign|hypot|logaddexp|nextafter)\]",
        AssertionError,
        r"dtypes float64, float(16|32) mismatch",
        "The standard defines none of these for integers. Relaxed mode computes them in the "
        "default data type, NumPy in float16 and float32. marray expects of torch, by name, that "
        "atan2 and copysign fail.",
        relaxed_mode=True,
    ),
    Exemption(
        r"::test_inplace\[.*-int\d+-(True|False)-ipow\]",
        AssertionError,
        "Integers to negative integer powers",
        "The standard leaves these powers undefined. Relaxed mode truncates them, as torch does, "
        "and NumPy refuses them. Exponents are drawn, so not every run has a negative one.",
        relaxed_mode=True,
        always=False,
    ),
)

_NAMESPACE = chosen.namespace()


def _as_numpy(x: Any) -> Any:
    return np.asarray(x.to_device("cpu") if hasattr(x, "to_device") else x)


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Put the namespace in place of those that the module lists, before tests are made of it."""
    metafunc.module.xps[:] = [_NAMESPACE]
    metafunc.module.as_numpy = _as_numpy


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Undo what the module sets, and mark the tests that cannot pass."""
    torch.set_default_dtype(torch.float32)
    expect(items, EXEMPTIONS, chosen.device(), relaxed=chosen.relaxed())


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call() -> Generator[None, object, object]:
    """Say the cause of an error: the tests raise the seed in place of what they met."""
    try:
        return (yield)
    except AssertionError as error:
        if error.__cause__ is None:
            raise
        raise AssertionError(f"{error}: {error.__cause__}") from error.__cause__
