"""A pytest plugin: drone-models' tests get the chosen namespace in place of array-api-strict.

Their modules import it by name, as ``xp``.
"""

from __future__ import annotations

import sys

import pytest

from . import chosen

_NAMESPACE = chosen.namespace()

sys.modules["array_api_strict"] = _NAMESPACE


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of modules that import no namespace."""
    modules = {item: getattr(item, "module", None) for item in items}
    others = [item for item in items if getattr(modules[item], "xp", None) is not _NAMESPACE]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if item not in others]
