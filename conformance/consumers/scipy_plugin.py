"""A pytest plugin: SciPy's tests that iterate over namespaces get the chosen one, and no other.

SciPy lists its namespaces as the parameters of a fixture in ``scipy/conftest.py``. pytest copies
them when the fixture is declared, so the fixture is declared anew around the same function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conformance.consumers import chosen

if TYPE_CHECKING:
    from types import ModuleType

# Tests that no namespace of this kind can pass, each with the proof.
EXCEPTIONS = {
    "_lib/tests/test__util.py::TestContainsNaN::test_array_api_lazy": (
        "It asks for the TypeError that SciPy raises where a check for NaN meets a namespace "
        "that it knows to be lazy. The eager ones that it knows are excluded by name; an eager "
        "namespace that it does not know is taken for a lazy one by the test, but not by SciPy."
    ),
}


@pytest.hookimpl(tryfirst=True)
def pytest_plugin_registered(plugin: Any) -> None:
    """Change SciPy's conftest.py before pytest looks for fixtures in it."""
    if getattr(plugin, "__name__", None) == "scipy.conftest":
        put_into(plugin)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that cannot pass."""
    for item in items:
        for name, proof in EXCEPTIONS.items():
            if name in item.nodeid:
                refused = pytest.RaisesExc(pytest.fail.Exception, match="DID NOT RAISE.*TypeError")
                item.add_marker(pytest.mark.xfail(raises=refused, reason=proof, strict=True))


def put_into(conftest: ModuleType) -> None:
    """Make the chosen namespace the only one."""
    xp = chosen.namespace()
    known = pytest.param(xp, id=xp.__name__, marks=pytest.mark.array_api_backends)
    conftest.xp_known_backends.add(xp.__name__)
    conftest.xp_available_backends[:] = [known]
    if chosen.device() != "cpu":
        conftest.xp_skip_cpu_only_backends.add(xp.__name__)
    conftest.xp = pytest.fixture(params=[known])(conftest.xp.__wrapped__)  # type: ignore[attr-defined]
    reset_torch()


def reset_torch() -> None:
    """Take back the defaults that SciPy gave torch, so that leaning on them would show."""
    import torch

    torch.set_default_dtype(torch.float32)
    torch.set_default_device(None)
