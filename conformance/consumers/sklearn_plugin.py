"""A pytest plugin: scikit-learn's tests that iterate over namespaces get the chosen one.

scikit-learn generates the namespaces, devices and data types by functions of
``sklearn.utils._array_api``, which its test modules import by name: they are replaced before any of
those is imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sklearn.utils._array_api as generators

from ..exemptions import Exemption, expect
from . import chosen

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

NAMESPACE = chosen.namespace()
# The tests import the namespace by this name.
NAME = NAMESPACE.__spec__.name if NAMESPACE.__spec__ else NAMESPACE.__name__

EXEMPTIONS = (
    Exemption(
        r"tests/test_common\.py::test_estimators\["
        r"((GridSearchCV|RandomizedSearchCV)\(.*estimator=(LogisticRegression|Ridge)\(\).*"
        r"|LogisticRegression\(max_iter=5\)|RidgeClassifierCV\(\))-check_array_api_mixed_inputs"
        r"\(other_ns_and_device=NamespaceAndDevice\(xp='array_api_strict', device='device1'\)",
        RuntimeError,
        "Unsupported device in DLTensor",
        "array_api_strict hands an array on an NPU to NumPy, which does not know such devices and "
        "raises a bare RuntimeError. scikit-learn goes by way of NumPy where it is told so by one "
        "of the standard's errors, which array_api_strict would have to raise.",
        frozenset({"npu"}),
    ),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that cannot pass."""
    expect(items, EXEMPTIONS, chosen.device(), relaxed=chosen.relaxed())


def yield_namespaces(include_numpy_namespaces: bool = True) -> Iterator[str]:  # noqa: ARG001, FBT002
    """Yield the chosen namespace."""
    yield NAME


def yield_namespace_device_dtype_combinations(
    include_numpy_namespaces: bool = True,  # noqa: ARG001, FBT002
) -> Iterator[tuple[str, str | None, str]]:
    """Yield the chosen namespace with its device and each data type."""
    for dtype in chosen.dtypes():
        yield NAME, _device(), dtype


def yield_mixed_namespace_input_permutations() -> Iterator[tuple[Any, Any, str]]:
    """Yield the chosen namespace with others that are installed, both ways."""
    make = generators.NamespaceAndDevice
    own = make(NAME, _device())
    # Everything goes to ours; ours goes to those that scikit-learn itself converts to.
    for other in (make("numpy", None), make("torch", "cpu")):
        yield own, other, f"{NAME} to {other.xp} {other.device}"
    for other in (make("numpy", None), make("array_api_strict", "device1"), make("torch", "cpu")):
        yield other, own, f"{other.xp} {other.device} to {NAME}"


def _device() -> str | None:
    # array_api_strict takes no device strings.
    return None if NAME == "array_api_strict" else chosen.device()


for _function in (
    yield_namespaces,
    yield_namespace_device_dtype_combinations,
    yield_mixed_namespace_input_permutations,
):
    if hasattr(generators, _function.__name__):
        setattr(generators, _function.__name__, _function)
    elif _function is not yield_mixed_namespace_input_permutations:  # which 1.9 brought
        raise ImportError(f"this scikit-learn has no {_function.__name__} to replace")
