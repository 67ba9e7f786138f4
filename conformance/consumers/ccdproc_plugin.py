"""A pytest plugin: ccdproc's tests of arrays get those of the chosen namespace.

Their ``conftest.py`` chooses one of the libraries that it knows, for modules of tests to import.
"""

from __future__ import annotations

from typing import Any

import pytest

from ..exemptions import Exemption, expect
from . import chosen

EXEMPTIONS = (
    Exemption(
        r"test_combiner\.py::test_comb(ine_overwrite_output|iner_(result_dtype|with_scaling))",
        ValueError,
        "to a NumPy dtype",
        "astropy hands the arrays that it multiplies to numpy.result_type. Those of "
        "array-api-strict fail the same tests.",
        relaxed_mode=True,
    ),
    Exemption(
        r"::test_cosmicray_gain_correct_uncertainty_namespace\[(InverseV|V)ariance.*-True\]",
        AssertionError,
        r"numpy.* is xp",
        "astropy hands variances to numpy.abs, whose results are NumPy's arrays. ccdproc expects "
        "the failure of jax, by name. Arrays with __array_wrap__ pass, as torch's do.",
        relaxed_mode=True,
    ),
    Exemption(
        r"test_ccdproc\.py::test_block_reduce$",
        AssertionError,
        "assert 2 == 1",
        "It counts warnings, and astropy computes this one on the host, of which we warn.",
        relaxed_mode=True,
        devices=frozenset({"npu"}),
    ),
)

_NAMESPACE = chosen.namespace()


@pytest.hookimpl(tryfirst=True)
def pytest_plugin_registered(plugin: Any) -> None:
    """Change the conftest.py before modules of tests import from it."""
    if hasattr(plugin, "testing_array_library"):
        plugin.testing_array_library = _NAMESPACE
        plugin._ACTIVE_BACKEND = _NAMESPACE.__name__  # not that of one it has marks for


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of modules that import no namespace, and mark those that cannot pass."""
    modules = {item: getattr(item, "module", None) for item in items}
    others = [item for item in items if getattr(modules[item], "xp", None) is not _NAMESPACE]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if item not in others]
    expect(items, EXEMPTIONS, chosen.device(), relaxed=chosen.relaxed())
