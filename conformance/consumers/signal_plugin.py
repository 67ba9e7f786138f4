"""A pytest plugin: array-api-signal's tests that iterate over libraries get the chosen namespace.

Each of their modules has a fixture that gives the name, the namespace and the device of a library.
"""

from __future__ import annotations

from typing import Any

import pytest

from ..exemptions import Exemption, expect
from . import chosen

EXEMPTIONS = (
    Exemption(
        r"::test_mode_reflect\[|::test_multi_channel_axis\[",
        NotImplementedError,
        "only supports mode='constant' on generic backends",
        "array-api-signal reflects at the edges for NumPy and torch alone, by name. Under an "
        "unknown name array-api-strict fails these tests too.",
    ),
    Exemption(
        r"::test_(i0e|ndtr)_matches_scipy\[",
        NotImplementedError,
        "is not implemented for the .* backend",
        "array-api-signal has these functions for NumPy and torch alone, by name: its table of "
        "libraries says so. Under an unknown name array-api-strict fails these tests too.",
    ),
)

FIXTURES = ("backend", "backend_data")

_NAMESPACE = chosen.namespace()
_NAME = _NAMESPACE.__name__


def _library(request: pytest.FixtureRequest) -> Any:
    return request.param


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Change the fixture of a module before pytest reads it."""
    module = collector.obj if isinstance(collector, pytest.Module) else None
    for name in FIXTURES:
        if hasattr(module, name):
            library = (_NAME, _NAMESPACE, chosen.device())
            setattr(module, name, pytest.fixture(params=[library], ids=[_NAME])(_library))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that get no namespace, and mark those that cannot pass."""
    others = [item for item in items if not set(FIXTURES) & set(getattr(item, "fixturenames", ()))]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if item not in others]
    expect(items, EXEMPTIONS, chosen.device(), relaxed=chosen.relaxed())
