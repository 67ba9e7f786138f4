"""Every function of the namespace on NPUs against NumPy, on drawn arguments.

The comparisons of tests/samples/test_against_numpy.py run here again, on the NPU and on fewer
examples.  Nothing goes to the host but what has to.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from npu import QUIET_TORCH_NPU, on_device  # isort: skip  # before the namespace

import pytest

import ascend_array_api as xp
from tests.parametrize import one_of_each
from tests.samples.test_against_numpy import COMPARED, comparison
from workshop.samples import FUNCTIONS

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


def watched(name: str) -> Any:
    """Count copies to the host: what waits or moves data by its nature makes any, all else none."""
    waits = any(call.waits or call.moves for call in FUNCTIONS[name].calls)
    return on_device(math.inf if waits or name.removeprefix("linalg.") in DECOMPOSED else 0)


def kind(dtype: str) -> str:
    """Return what one of is drawn: AICore has kernels for float32, and some for others."""
    return dtype if dtype == "float32" else "other"


for _name, _dtypes in COMPARED.items():
    _some = one_of_each(_dtypes, kind, _name)
    globals()[f"test_{_name.replace('.', '_')}"] = comparison(_name, _some, 3, watched)
