"""A pytest plugin: autoray's tests that iterate over libraries get the chosen namespace alone.

The lists of libraries are in ``conftest.py``.  What it expects to fail for one that it knows does
not hold for the namespace, which registers its arrays as its users do.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from ..exemptions import Exemption, expect
from ..plan import PACKAGE
from . import chosen

EXEMPTIONS = (
    Exemption(
        r"test_linalg\.py::test_scipy_linalg_solve_triangular\[|::test_scipy_expm_dispatching\[",
        ImportError,
        r"couldn't find function 'scipy\.linalg\.",
        "It asks for functions of SciPy's that the namespace lacks. autoray expects the failure of "
        "the libraries that lack them, by name: CuPy, dask, MLX and paddle.",
    ),
)

_NAMESPACE = chosen.namespace()
_NAME = _NAMESPACE.__spec__.name if _NAMESPACE.__spec__ else _NAMESPACE.__name__

if _NAME == PACKAGE:
    import_module(f"{PACKAGE}.integrations").register("autoray")


@pytest.hookimpl(tryfirst=True)
def pytest_plugin_registered(plugin: Any) -> None:
    """Change the conftest.py before the modules of tests ask it for their parameters."""
    if hasattr(plugin, "_ALL_BACKENDS"):
        plugin._ALL_BACKENDS[:] = [_NAME]
        plugin._AVAILABLE_BACKENDS.clear()
        plugin._AVAILABLE_BACKENDS.add(_NAME)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that get no namespace, and mark those that cannot pass."""
    others = [item for item in items if _NAME not in item.nodeid]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if item not in others]
    expect(items, EXEMPTIONS, chosen.device(), relaxed=chosen.relaxed())
