"""A pytest plugin: array-api-extra's tests get the chosen namespace, and no other.

They run through the fixture ``library`` of ``tests/main/conftest.py``, whose parameters are the
backends that array-api-extra knows. The one here is none of them: what its tests skip or expect to
fail for one they know, or accept of it, does not hold for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ..exemptions import ACCELERATORS, Exemption, expect
from . import chosen

if TYPE_CHECKING:
    from types import ModuleType


_ON_DEVICES = (
    "It hands arrays to NumPy, and so to the host. For the namespaces with devices that "
    "array-api-extra knows it is skipped by name (device->host copy)."
)

# For each test the first one counts.
EXEMPTIONS = (
    Exemption(
        r"test_lazy\.py::test_lazy_apply_.*-True\]$",
        TypeError,
        "where NumPy cannot reach it",
        _ON_DEVICES,
        strict_mode=True,
        devices=ACCELERATORS,
    ),
    Exemption(
        r"test_testing\.py::(test_lazy_xp_function_cython_ufuncs"
        r"|TestLazyXpFunctionClasses::test_lazy_xp_function_classes)\[.*",
        TypeError,
        "where NumPy cannot reach it",
        _ON_DEVICES,
        strict_mode=True,
        devices=ACCELERATORS,
    ),
    Exemption(
        r"test_testing\.py::test_lazy_xp_function_cython_ufuncs\[.*",
        AssertionError,
        "Namespaces of actual and desired arrays do not match",
        "It hands an array to a function of NumPy's, which converts it. The test says so itself, "
        "and asks for this very error, of array-api-strict and JAX, by name.",
    ),
    Exemption(
        r"test_set\.py::TestNUnique::test_delegates\[.*",
        AssertionError,
        "array-agnostic fallback should not be used",
        "It asks that array-api-extra hand the work to the namespace, which it does for those that "
        "it knows. The others that it knows are excluded by name; this one cannot be. "
        "array-api-strict fails it too under a name that array-api-extra does not know.",
    ),
    Exemption(
        r"test_at\.py::test_incompatible_dtype\[.*-(set|min|max)-(True|False)-(True|None)\]$",
        TypeError,
        "promote|cannot be combined",
        "It asks that an array of integers take a real number, which the standard leaves "
        "undefined. Of array-api-strict the test expects the error, by name.",
        strict_mode=True,
    ),
)

FIXTURES = ("library", "xp")


class ThirdParty:
    """A backend that array-api-extra does not know, with the attributes that its tests use."""

    def __init__(self) -> None:
        namespace = chosen.namespace()
        # Under this name the namespace can be imported.
        self.modname = namespace.__spec__.name if namespace.__spec__ else namespace.__name__
        self.name = self.value = self.modname

    def like(self, *others: Any) -> bool:  # noqa: ARG002
        """Say whether this is one of the backends that are known."""
        return False

    def __str__(self) -> str:
        return self.modname


@pytest.hookimpl(tryfirst=True)
def pytest_plugin_registered(plugin: Any) -> None:
    """Change the conftest.py before pytest looks for fixtures in it."""
    if str(getattr(plugin, "__name__", "")).endswith("tests.main.conftest"):
        put_into(plugin)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that get no namespace, and mark those that cannot pass."""
    others = [item for item in items if not set(FIXTURES) & set(getattr(item, "fixturenames", ()))]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if item not in others]
    expect(items, EXEMPTIONS, chosen.device(), relaxed=chosen.relaxed())


def put_into(conftest: ModuleType) -> None:
    """Make the chosen namespace the only one."""
    backend = ThirdParty()
    known = pytest.param(backend, id=backend.modname)
    chosen.compare_on_the_host()
    conftest.library = pytest.fixture(params=[known])(conftest.library.__wrapped__)  # type: ignore[attr-defined]
