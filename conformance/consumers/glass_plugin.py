"""A pytest plugin: glass's tests that iterate over libraries get the chosen namespace alone.

The fixture that gives a library is in a module of fixtures, which lists those that it knows.
"""

from __future__ import annotations

from typing import Any

import pytest

from ..exemptions import Exemption, expect
from . import chosen

EXEMPTIONS = (
    Exemption(
        r"::test_((discretized_cls|pixwin|from_convergence)\[|alm2map_\w+\[[\w.]+-True-)",
        OSError,
        "pixel_window_functions",
        "healpy downloads the windows of pixels, which fails without a network.",
        always=False,
    ),
    Exemption(
        r"test_algorithm\.py::test_nnls\[",
        ValueError,
        "a matrix is singular",
        "Its matrix, arange(25) in rows of 5, has rank 2 (numpy.linalg.matrix_rank), so that the "
        "equations of any three columns are singular. It stops before these only where a residual "
        "rounds to 0 or below, which depends on the order of the additions.",
        devices=frozenset({"npu"}),
    ),
)

_NAMESPACE = chosen.namespace()
_NAME = _NAMESPACE.__spec__.name if _NAMESPACE.__spec__ else _NAMESPACE.__name__

chosen.compare_on_the_host()


@pytest.hookimpl(tryfirst=True)
def pytest_plugin_registered(plugin: Any) -> None:
    """Change the module of fixtures before pytest reads it."""
    if hasattr(plugin, "xp_available_backends"):
        plugin.xp = pytest.fixture(params=[_NAMESPACE], ids=[_NAME], scope="session")(
            lambda request: request.param
        )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that get no namespace, and mark those that cannot pass."""
    others = [item for item in items if _NAME not in item.nodeid]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if item not in others]
    expect(items, EXEMPTIONS, chosen.device(), relaxed=chosen.relaxed())
