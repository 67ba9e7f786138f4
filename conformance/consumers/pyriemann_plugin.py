"""A pytest plugin: pyriemann's tests of its geometry get arrays of the chosen namespace alone.

Their ``conftest.py`` makes NumPy's arrays and torch's tensors, and turns both into NumPy's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ..exemptions import Exemption, expect
from . import chosen

EXEMPTIONS = (
    Exemption(
        r"::test_pairwise_distance\[.*-(euclid|harmonic|logchol|logeuclid)-",
        TypeError,
        r"cdist: torch's functions take tensors",
        "It takes every array that is not NumPy's for a tensor, and calls torch.cdist.",
        relaxed_mode=True,
    ),
    Exemption(
        r"::test_(block_covariances_est|covariances(_complex|_ep)?)\[.*-mcd\b",
        TypeError,
        r"as_numpy expects a numpy\.ndarray or torch\.Tensor",
        "It converts arrays of NumPy and torch alone, for an estimator of scikit-learn's. Those of "
        "array-api-strict fail the same tests.",
        relaxed_mode=True,
    ),
    Exemption(
        r"::test_autograd_smoke\[",
        AttributeError,
        "no attribute 'clone'",
        "It asks for a tensor.",
    ),
)

_NAMESPACE = chosen.namespace()
_NAME = _NAMESPACE.__spec__.name if _NAMESPACE.__spec__ else _NAMESPACE.__name__


def _to_backend(x: Any, _: str) -> Any:
    dtype = _NAMESPACE.complex128 if np.iscomplexobj(x) else _NAMESPACE.float64
    return None if x is None else _NAMESPACE.asarray(np.ascontiguousarray(x), dtype=dtype)


@pytest.hookimpl(tryfirst=True)
def pytest_plugin_registered(plugin: Any) -> None:
    """Change the conftest.py before its fixtures are read, and modules of tests import from it."""
    if hasattr(plugin, "get_mats_params"):
        plugin.to_backend = _to_backend
        plugin.as_numpy = lambda x: np.from_dlpack(x, device="cpu")
        plugin.backend = pytest.fixture(params=[_NAME])(lambda request: request.param)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that get no namespace, and mark those that cannot pass."""
    others = [item for item in items if _NAME not in item.nodeid]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if item not in others]
    expect(items, EXEMPTIONS, chosen.device(), relaxed=chosen.relaxed())
