"""A pytest plugin: xarray's tests of wrapped arrays wrap those of the chosen namespace.

``test_array_api.py`` imports array-api-strict by name, and ``test_duck_array_wrapping.py`` lists
the libraries that xarray knows, with what is expected to fail for each.  Both get the chosen
namespace in place of these before their tests are collected, and nothing of that list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ..exemptions import Exemption, expect
from . import chosen

if TYPE_CHECKING:
    from types import ModuleType

_DATA_TYPES = (
    "It asks of the array's data type what NumPy's have: a kind, or that NumPy takes it. "
    "The standard's data types are any objects that compare, and nothing more. Arrays of "
    "array-api-strict fail the same tests."
)
EXEMPTIONS = (
    Exemption(
        r"test_duck_array_wrapping\.py::TestDataArrayMethods::test_("
        r"((argmax|argmin|max|mean|min|var)\[True-|idx(max|min)\[)|groupby|resample|weighted)",
        AttributeError,
        "has no attribute 'kind'",
        _DATA_TYPES,
        relaxed_mode=True,
    ),
    Exemption(
        r"test_duck_array_wrapping\.py::(TestDataArrayMethods::test_where|Test\w+::test_("
        r"coarsen_(construct|reduce)|cumulative_(construct|iter)|pad|rolling_(construct|iter)|shift"
        r"|broadcast|corr|cov|merge|differentiate|integrate|cross))\[",
        (TypeError, ValueError),
        "must be one of an extension array dtype or numpy dtype|Cannot interpret|to a NumPy dtype",
        _DATA_TYPES,
        relaxed_mode=True,
    ),
    Exemption(
        r"test_duck_array_wrapping\.py::TestDataArrayMethods::test_(cumulative|rolling)_reduce\[",
        AttributeError,
        "'lib'",
        "It asks for numpy.lib.stride_tricks, which is about where elements lie in memory.",
        relaxed_mode=True,
    ),
)


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Change a module of tests once it is imported, before pytest looks into it."""
    if isinstance(collector, pytest.Module):
        change = _CHANGES.get(collector.path.name)
        if change is not None:
            change(collector.obj)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that cannot pass."""
    expect(items, EXEMPTIONS, chosen.device(), relaxed=chosen.relaxed())


def _wraps_one(module: ModuleType) -> None:
    """Let the tests of ``test_array_api.py`` wrap arrays of the chosen namespace."""
    module.xp = chosen.namespace()  # type: ignore[attr-defined]
    module.Array = type(module.xp.asarray(0))  # type: ignore[attr-defined]


def _wraps_listed(module: ModuleType) -> None:
    """Let those of ``test_duck_array_wrapping.py`` wrap arrays of the chosen namespace alone."""
    xp = chosen.namespace()

    def set_up(test: Any, request: Any, namespace: str) -> None:  # noqa: ARG001
        test.namespace, test.xp = namespace, xp
        test.Array, test.constructor = type(xp.asarray(0)), xp.asarray

    module._BaseTest.setup_for_test = set_up
    for value in vars(module).values():
        if isinstance(value, type) and value.__name__.startswith("Test"):
            value.pytestmark = [pytest.mark.parametrize("namespace", [xp.__name__])]  # type: ignore[attr-defined]


_CHANGES = {
    "test_array_api.py": _wraps_one,
    "test_duck_array_wrapping.py": _wraps_listed,
}
