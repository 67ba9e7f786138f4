"""What array-api-compat, by which most code finds a namespace, says of the namespace."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest

import ascend_array_api as xp
from ascend_array_api._torch import torch

if importlib.util.find_spec("array_api_compat") is None:
    pytest.skip("needs array-api-compat: pip install -e .[test]", allow_module_level=True)

import array_api_compat as compat

LIBRARIES = ("numpy", "cupy", "torch", "dask", "jax", "pydata_sparse", "ndonnx", "dpnp", "mparray")
ARRAYS = [f"is_{library}_array" for library in LIBRARIES]
NAMESPACES = [f"is_{library}_namespace" for library in (*LIBRARIES, "array_api_strict")]
#: What has tests of its own, below; ``get_namespace`` is another name of one.
OTHERS = {
    *("array_namespace", "device", "is_array_api_obj", "is_lazy_array", "is_writeable_array"),
    *("size", "to_device", "get_namespace"),
}


def present(names: list[str]) -> list[str]:
    """The functions that this release of array-api-compat has: the newest libraries come late."""
    return [name for name in names if hasattr(compat, name)]


def test_every_function_is_covered() -> None:
    public = {n for n in dir(compat) if not n.startswith("_") and callable(getattr(compat, n))}
    assert public - set(ARRAYS) - set(NAMESPACES) == OTHERS


@pytest.mark.parametrize("name", present(ARRAYS))
def test_arrays_are_those_of_no_other_library(name: str) -> None:
    for x in (xp.asarray([1, 2]), xp.asarray(1.0), xp.zeros(0)):
        assert getattr(compat, name)(x) is False


@pytest.mark.parametrize("name", present(NAMESPACES))
def test_the_namespace_is_no_other_library(name: str) -> None:
    namespaces = [xp.zeros(1).__array_namespace__(api_version=v) for v in VERSIONS[1:]]
    for namespace in (xp, *namespaces):
        assert not getattr(compat, name)(namespace)


VERSIONS = (None, "2023.12", "2024.12", "2025.12")


@pytest.mark.parametrize("use_compat", [None, False])
@pytest.mark.parametrize("version", VERSIONS)
def test_array_namespace(version: str | None, use_compat: bool | None) -> None:
    x = xp.asarray([1.0])
    found = compat.array_namespace(x, 1.0, None, x, api_version=version, use_compat=use_compat)
    assert found is x.__array_namespace__(api_version=version)
    assert (found is xp) == (version is None)
    assert found.__array_api_version__ == (version or "2023.12")
    assert compat.array_namespace is compat.get_namespace


def test_array_namespace_refuses() -> None:
    x = xp.asarray([1.0])
    with pytest.raises(ValueError, match="does not have an array-api-compat wrapper"):
        compat.array_namespace(x, use_compat=True)
    with pytest.raises(ValueError, match="2020"):
        compat.array_namespace(x, api_version="2020.01")
    for other in (np.ones(1), torch.ones(1)):
        with pytest.raises(TypeError, match="Multiple namespaces"):
            compat.array_namespace(x, other)


def test_is_array_api_obj() -> None:
    assert compat.is_array_api_obj(xp.asarray(1))
    assert not compat.is_array_api_obj(xp)


def test_device_and_to_device(device: xp.Device) -> None:
    x = xp.asarray([1.0, 2.0])
    assert compat.device(x) is x.device
    assert compat.device(x) == device
    there = compat.to_device(x, "cpu")
    assert type(there) is xp.Array
    assert compat.device(there) == "cpu"
    assert compat.device(compat.to_device(x, x.device)) == device


@pytest.mark.parametrize("shape", [(), (0,), (2, 3)])
def test_size(shape: tuple[int, ...]) -> None:
    x = xp.zeros(shape)
    assert compat.size(x) == x.size == int(np.prod(shape))


def test_arrays_are_writeable() -> None:
    x = xp.asarray([1, 2])
    assert compat.is_writeable_array(x)
    # It asks the type alone, of all but NumPy's arrays: broadcast ones raise all the same.
    one = xp.broadcast_to(x[:1], (3,))
    assert compat.is_writeable_array(one)
    with pytest.raises(ValueError, match="broadcast"):
        one[0] = 1


@pytest.mark.parametrize("relaxed", [False, True], ids=["strict", "relaxed"])
@pytest.mark.parametrize("value", [1, [], [1.0, float("nan")], [[True], [False]], [0j]])
def test_arrays_are_not_lazy(value: Any, relaxed: bool) -> None:
    """It finds out by the value of one element, for which it waits."""
    with xp.options(relaxed=relaxed):
        assert compat.is_lazy_array(xp.asarray(value)) is False
