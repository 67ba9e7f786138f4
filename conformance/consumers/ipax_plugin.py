"""A pytest plugin: ipax's tests that iterate over libraries get the chosen namespace alone.

They ask a table for the module of each name that an environment variable lists. ipax tries Cholesky
factors, and goes on otherwise where there are none, so it needs errors of values in the very call:
where devices tell of them late, the namespace has an option to wait.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from . import chosen

if TYPE_CHECKING:
    from collections.abc import Generator

_NAMESPACE = chosen.namespace()
_NAME = _NAMESPACE.__spec__.name if _NAMESPACE.__spec__ else _NAMESPACE.__name__

import_module("ipax.testing.backends")._NAMESPACE_MODULES[_NAME] = _NAME
os.environ["IPAX_BACKENDS"] = _NAME


def pytest_configure(config: pytest.Config) -> None:
    """Let tests import the benchmarks beside them, rather than those of a checkout of ours."""
    benchmarks = ModuleType("benchmarks")
    benchmarks.__path__ = [str(Path(path).parent / "benchmarks") for path in config.args]
    sys.modules["benchmarks"] = benchmarks


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    """Run a test as one would run ipax on accelerators."""
    options = getattr(_NAMESPACE, "options", None)
    if options is None:
        return (yield)
    with options(checks="wait"):
        return (yield)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that get no namespace."""
    others = [item for item in items if "backend_name" not in getattr(item, "fixturenames", ())]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if item not in others]
