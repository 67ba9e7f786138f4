"""The functions beside the standard on NPUs: right, and computed on the device.

Tests of tests/chapters/test_extras.py run on NPUs too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from npu import QUIET_TORCH_NPU, needs_emulator, needs_two_devices, on_device  # isort: skip
from test_npu_special import ON_THE_HOST  # isort: skip

import ascend_array_api as xp
from ascend_array_api._torch import torch
from tests.chapters.test_extras import sample
from tests.parametrize import long_ones_nightly, others_nightly
from workshop.samples import FUNCTIONS, Seeded, converted

if TYPE_CHECKING:
    from collections.abc import Iterator

# torch_npu says so once in a process, when it first makes certain tensors by itself.
pytestmark = QUIET_TORCH_NPU

HOSTED = {("roots", "float32"), ("roots", "float64"), ("linalg.lstsq", "float64")}
HOSTED |= {(f"special.{name}", dtype) for name, dtype in ON_THE_HOST}
BESIDE = [n for n, f in FUNCTIONS.items() if f.calls and not f.chapter and n != "to_torch"]


@pytest.fixture(autouse=True)
def _host() -> Iterator[None]:
    with xp.options(host_fallback="error"):
        yield


@pytest.mark.one_each
@needs_emulator
@pytest.mark.parametrize("name", others_nightly(long_ones_nightly(BESIDE), 25))
def test_nothing_goes_to_the_host(name: str) -> None:
    """Of what is a part of the standard the page of support says where it is computed."""
    for i, call in enumerate(FUNCTIONS[name].calls):
        for dtype in FUNCTIONS[name].dtypes:
            draw = Seeded(dtype, f"{name} {i}")
            if call.moves or not call.when(draw) or (name, dtype) in HOSTED:
                continue
            inputs = [converted(xp, x, xp.asarray) for x in call.inputs(draw)]
            with on_device(call.waits):
                call.bound(xp)(*inputs)


@needs_two_devices
def test_bincount_refuses_weights_on_another_device() -> None:
    with pytest.raises(ValueError, match="npu:1"):
        xp.bincount(xp.asarray([1]), xp.ones(1, device="npu:1"))


@pytest.mark.parametrize("name", ["float64", "complex128"])
def test_what_goes_to_the_host_says_so(name: str) -> None:
    with pytest.raises(xp.HostFallbackError, match="lstsq"):
        xp.linalg.lstsq(xp.asarray(sample(name, 3, 2)), xp.asarray(sample(name, 3)))
    with pytest.raises(xp.HostFallbackError, match="eigvals"):
        xp.roots(xp.asarray(sample(name, 4)))


@pytest.mark.parametrize("coefficients", [[0.0, 0.0], [5.0], [2.0, 0.0, 0.0]])
def test_without_eigenvalues_there_is_no_need_of_the_host(coefficients: list[float]) -> None:
    roots = np.asarray(xp.roots(xp.asarray(coefficients)).to_device("cpu"))
    np.testing.assert_array_equal(roots, np.roots(coefficients))


@needs_emulator
def test_large_convolutions_take_few_kernels() -> None:
    x = xp.ones(2000)
    with on_device() as counts:
        xp.convolve(x, x)
        torch.npu.synchronize()
    launched = sum(counts.kernels.values())
    assert launched < 20, counts.kernels


RELAXED = {
    "average": "xp.average(x, weights=x + 2)",
    "nanargmax": "xp.nanargmax(x)",
    "nanargmin": "xp.nanargmin(m, 0)",
    "nanpercentile": "xp.nanpercentile(m, [30, 50], 1)",
    "nanquantile": "xp.nanquantile(m, q, 0)",
    "percentile": "xp.percentile(x, 30)",
    "place": "xp.place(x + 0, x > 0, q)",
    "put": "xp.put(x + 0, n, q)",
    "quantile": "xp.quantile(x, q)",
    "ravel_multi_index": "xp.ravel_multi_index((n, n), (3, 4))",
    "unravel_index": "xp.unravel_index(n, (2, 3))",
}
WRONG = {
    "average": (ZeroDivisionError, "xp.average(x, weights=x * 0)"),
    "nanargmax": (ValueError, "xp.nanargmax(x * xp.nan)"),
    "nanquantile": (ValueError, "xp.nanquantile(m, q + 1, 0)"),
    "place": (ValueError, "xp.place(x + 0, x > 0, [])"),
    "put": (IndexError, "xp.put(x + 0, n + 7, 1.0)"),
    "quantile": (ValueError, "xp.quantile(x, q + 1)"),
    "ravel_multi_index": (ValueError, "xp.ravel_multi_index((n + 9, n), (3, 4))"),
    "unravel_index": (ValueError, "xp.unravel_index(n + 9, (2, 3))"),
}


@needs_emulator
def test_relaxed_functions_do_not_wait_for_their_checks() -> None:
    """They answer as on the CPU, without a copy to the host, and say late what is wrong."""
    values = {"x": [0.5, 1.5, 2.5, -1.0], "m": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]}
    values |= {"q": [0.25, 0.5], "n": [1, 0, 2]}
    with xp.options(relaxed=True):
        given, there = (
            {"xp": xp, **{name: xp.asarray(v, device=device) for name, v in values.items()}}
            for device in ("cpu", "npu")
        )
        for name, call in RELAXED.items():
            eval(call, there)
            with on_device():
                got = eval(call, there)
            if got is not None:
                both = (x if isinstance(x, tuple) else (x,) for x in (got, eval(call, given)))
                for a, b in zip(*both):
                    assert bool(xp.all(xp.abs(a.to_device("cpu") - b) <= 1e-6)), name
        for name, (error, call) in WRONG.items():
            with on_device():
                eval(call, there)
            with pytest.raises(error, match="found out late"):
                xp.synchronize()
            with pytest.raises(error, match=rf"^{name}"):
                eval(call, given)
