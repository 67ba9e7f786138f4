"""Every function of the namespace on NPUs against NumPy, on drawn arguments.

The comparisons of tests/samples/test_against_numpy.py run here again, on the NPU and on fewer
examples.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from npu import QUIET_TORCH_NPU  # isort: skip  # before the namespace

import pytest
from samples.test_against_numpy import (  # noqa: F401
    COMPARED,
    comparison,
    test_getitem,
    test_setitem,
)

import ascend_array_api as xp

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = QUIET_TORCH_NPU

DECOMPOSED = {"eig", "eigh", "eigvals", "eigvalsh", "svd", "svdvals"}
DECOMPOSED |= {"matrix_norm", "matrix_rank", "pinv"}


@pytest.fixture(autouse=True)
def _host(request: pytest.FixtureRequest) -> Iterator[None]:
    """Allow the host for what is made of decompositions; test_npu_linear_algebra.py has of which.

    All else is an error there, because a warning is one.
    """
    name = request.node.originalname.removeprefix("test_linalg_")
    with xp.options(host_fallback="allow" if name in DECOMPOSED else "error"):
        yield


for _name in COMPARED:
    globals()[f"test_{_name.replace('.', '_')}"] = comparison(_name, 5)
