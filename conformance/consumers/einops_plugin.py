"""A pytest plugin: einops's tests get the chosen namespace, and no other library.

einops knows libraries by its backends, which most of its tests go through one after the other, and
calls any other namespace by ``einops.array_api``, whose tests import NumPy for one.  The only
backend here calls the namespace by functions of the standard alone, and those tests import it.
"""

from __future__ import annotations

import os
import sys
from types import FunctionType, ModuleType
from typing import Any

import einops.array_api
import einops.tests
import numpy as np
import pytest
from einops import _backends

from ..exemptions import ACCELERATORS, Exemption, expect
from . import chosen

EXEMPTIONS = (
    Exemption(
        r"test_packing\.py::test_pack_unpack_against_numpy$",
        AssertionError,
        "NoneType.*EinopsError",
        "For the backends that it knows einops indexes fewer axes than there are, which the "
        "standard leaves undefined. For other namespaces it adds an ellipsis. array-api-strict "
        "fails it too.",
        strict_mode=True,
    ),
    Exemption(
        r"test_ops\.py::test_reduce_array_api$",
        TypeError,
        "where NumPy cannot reach it",
        "It hands the array to numpy.asarray, and so to the host.",
        strict_mode=True,
        devices=ACCELERATORS,
    ),
)

NAMESPACE = chosen.namespace()
ARRAY = type(NAMESPACE.asarray(0))
_IMPORTED = "conformance_consumers_namespace"  # without a dot, as the name in its place


def _from_numpy(x: Any) -> Any:
    device = None if chosen.device() == "cpu" else chosen.device()
    return NAMESPACE.asarray(np.asarray(x), device=device)


def _to_numpy(x: Any) -> Any:
    return np.asarray(x if chosen.device() == "cpu" else x.to_device("cpu"))


class NamespaceBackend(_backends.AbstractBackend):  # type: ignore[misc]
    """Any namespace of the standard, as a backend of einops."""

    framework_name = NAMESPACE.__name__

    def is_appropriate_type(self, tensor: object) -> bool:
        """Say whether this is an array of the namespace."""
        return isinstance(tensor, ARRAY)

    def from_numpy(self, x: Any) -> Any:
        """Return an array on the device that is asked for."""
        return _from_numpy(x)

    def to_numpy(self, x: Any) -> Any:
        """Return a NumPy array."""
        return _to_numpy(x)

    def arange(self, start: int, stop: int) -> Any:
        """Return the integers of a range."""
        return _from_numpy(np.arange(start, stop))

    def reshape(self, x: Any, shape: Any) -> Any:
        """Return an array in another shape."""
        return NAMESPACE.reshape(x, tuple(shape))

    def transpose(self, x: Any, axes: Any) -> Any:
        """Return an array with its axes in another order."""
        return NAMESPACE.permute_dims(x, tuple(axes))

    def reduce(self, x: Any, operation: str, axes: Any) -> Any:
        """Return an array reduced along axes by the function of a name."""
        return getattr(NAMESPACE, operation)(x, axis=tuple(axes))

    def stack_on_zeroth_dimension(self, tensors: list[Any]) -> Any:
        """Return a stack of arrays."""
        return NAMESPACE.stack(tensors)

    def add_axis(self, x: Any, new_position: int) -> Any:
        """Return an array with one more axis."""
        return NAMESPACE.expand_dims(x, axis=new_position)

    def tile(self, x: Any, repeats: Any) -> Any:
        """Return an array several times along each axis."""
        return NAMESPACE.tile(x, tuple(repeats))

    def concat(self, tensors: list[Any], axis: int) -> Any:
        """Return arrays one after another."""
        return NAMESPACE.concat(tensors, axis=axis)

    def is_float_type(self, x: Any) -> bool:
        """Say whether the elements are of a real data type."""
        return bool(NAMESPACE.isdtype(x.dtype, "real floating"))


def _backends_to_test(*, symbolic: bool = False, layers: bool = False) -> list[Any]:
    return [] if symbolic or layers else [NamespaceBackend()]


def _namespace_for_import() -> ModuleType:
    """Return what a test imports for NumPy: how it makes arrays, and the version it asks for."""
    module = ModuleType(_IMPORTED)
    module.from_dlpack = _from_numpy  # type: ignore[attr-defined]
    module.__version__ = np.__version__  # type: ignore[attr-defined]
    return module


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Let the tests of ``einops.array_api`` import the namespace where they import NumPy."""
    if not isinstance(collector, pytest.Module):
        return
    for name, test in vars(collector.obj).items():
        if name.startswith("test") and name.endswith("_array_api"):
            _import_ours(test)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that cannot pass."""
    expect(items, EXEMPTIONS, chosen.device(), relaxed=chosen.relaxed())


def _import_ours(test: FunctionType) -> None:
    code = test.__code__
    if "numpy" not in code.co_names:
        raise ImportError(f"{test.__name__} does not import NumPy any more")
    names = tuple(_IMPORTED if name == "numpy" else name for name in code.co_names)
    test.__code__ = code.replace(co_names=names)


os.environ[einops.tests.ENVVAR_NAME] = NamespaceBackend.framework_name
einops.tests.collect_test_backends = _backends_to_test
einops.array_api.asnumpy = _to_numpy
sys.modules[_IMPORTED] = _namespace_for_import()
