"""Special functions on NPUs: as exact as they are said to be, and computed on the device.

The oracles are mpmath and SciPy.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
import scipy.special
from npu import EMULATOR, QUIET_ORACLE, QUIET_TORCH_NPU, ROOT, needs_emulator

import ascend_array_api as xp
from ascend_array_api import special
from ascend_array_api._devices import backends
from ascend_array_api._routes._operations import OPS
from ascend_array_api._routes._rows import Host
from ascend_array_api._torch import torch
from tests.parametrize import LONG, long_ones_nightly, nightly, others_nightly
from workshop.samples.special import REFERENCES, bound, error, references

pytestmark = [QUIET_TORCH_NPU, *QUIET_ORACLE]

NAMES = sorted(REFERENCES)
COUNT = {
    name: len(rows[0]) if isinstance(rows[0], tuple) else 1
    for name, (_, rows) in REFERENCES.items()
}
"""How many operands each function has."""
ON_THE_HOST = {
    (n, "float64")
    for n in (
        *("chdtr", "chdtrc", "gammainc", "gammaincc"),
        *("gdtr", "gdtrc", "pdtr", "pdtrc"),
        *("chdtri", "gammaincinv", "gammainccinv", "pdtri"),
    )
}
ON_THE_DEVICE = [
    (name, dtype)
    for name in NAMES
    for dtype in ("float32", "float64")
    if (name, dtype) not in ON_THE_HOST
]


def on_npu(values: Any, dtype: str) -> xp.Array:
    return xp.asarray(values, dtype=getattr(xp, dtype), device="npu:0")


def of(name: str, *operands: np.ndarray) -> np.ndarray:
    given = [on_npu(x, x.dtype.name) for x in operands]
    result = getattr(special, name)(*given)
    assert result.device == given[0].device
    return np.asarray(result.to_device("cpu"))


def on_host(name: str, dtype: str) -> bool:
    row = OPS[name].row(getattr(torch, dtype), backends.find("npu"))
    return row is not None and isinstance(row.route, Host)


@pytest.mark.one_each
@pytest.mark.parametrize(
    ("name", "dtype"),
    others_nightly(
        [nightly(n, d) if d == "float64" or n in LONG else (n, d) for n, d in ON_THE_DEVICE],
        len(ON_THE_DEVICE) // 2,
    ),
)
def test_near_mpmath(name: str, dtype: str) -> None:
    operands, _ = references(name, dtype)
    assert error(name, of(name, *operands), dtype) <= bound(name, dtype, "npu")


def test_only_these_go_to_the_host() -> None:
    found = {(n, d) for n in NAMES for d in ("float32", "float64") if on_host(n, d)}
    names = ("gammainc", "gammaincc", "gammainccinv", "gammaincinv")
    assert found == {(name, "float64") for name in names}


@pytest.mark.parametrize(("name", "dtype"), sorted(ON_THE_HOST))
def test_on_the_host_if_allowed(name: str, dtype: str) -> None:
    operands, _ = references(name, dtype)
    with pytest.raises(xp.HostFallbackError), xp.options(host_fallback="error"):
        of(name, *operands)
    with xp.options(host_fallback="allow"):
        assert error(name, of(name, *operands), dtype) <= 8


@pytest.mark.one_each
@needs_emulator
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", others_nightly(long_ones_nightly(NAMES), 24))
def test_half_precision(name: str, dtype: str) -> None:
    operands = [on_npu([0.5, 2.0, 0.25], dtype)] * COUNT[name]
    with EMULATOR.counting() as counts:
        result = getattr(special, name)(*operands)
    assert counts.to_host == (0, 0)
    assert not counts.fallbacks
    here = getattr(special, name)(*(x.to_device("cpu") for x in operands))
    got, expected = (np.asarray(xp.astype(x.to_device("cpu"), xp.float64)) for x in (result, here))
    unit = 2.0**-10 if dtype == "float16" else 2.0**-7
    np.testing.assert_allclose(got, expected, rtol=unit, atol=1e-6)


MOST = {"gamma": 202, "j0": 81, "zeta": 1030, "stdtr": 1426, "expi": 150, "expn": 381, "binom": 446}
MOST |= {"sindg": 83, "ellipk": 59, "spence": 49}
"""How many kernels functions take at most that are on no page; a power, as of zeta, takes 71."""


@needs_emulator
def test_numbers_of_kernels() -> None:
    def kernels(name: str) -> int:
        operands = [on_npu([2.5, 3.0], "float32")] * COUNT[name]
        getattr(special, name)(*operands)
        with EMULATOR.counting() as counts:
            getattr(special, name)(*operands)
        return sum(counts.kernels.values())

    assert {name: n for name, most in MOST.items() if (n := kernels(name)) > most} == {}
    text = (ROOT / "docs" / "consumers.md").read_text(encoding="utf-8")
    sentence = text.partition("with float32 launches")[2].partition(". ")[0]
    said = re.findall(r"`(\w+)` ([0-9,]*[0-9])", sentence)
    assert len(said) >= 6
    found = {name: f"{kernels(name):,}" for name, _ in said}
    assert found == dict(said)


@pytest.mark.parametrize("name", "erfcx gamma gammaln k0 k1 ndtri psi xlogy".split())
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_special_cases_are_scipys(name: str, dtype: str) -> None:
    values = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.0, -2.0, 0.5, -0.5, -20.5, 100.0]
    first = np.asarray(values, dtype)
    operands = tuple(v.ravel() for v in np.meshgrid(*[first] * COUNT[name]))
    expected = getattr(scipy.special, name)(*operands).astype(dtype)
    rtol, atol = (1e-5, 1e-6) if dtype == "float32" else (1e-12, 1e-15)
    np.testing.assert_allclose(of(name, *operands), expected, rtol=rtol, atol=atol)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_bessel_functions_of_infinities(dtype: str) -> None:
    values = np.asarray([math.inf, -math.inf, math.nan], dtype)
    np.testing.assert_array_equal(of("i0", values), np.abs(values))
    np.testing.assert_array_equal(of("i1", values), values)


@pytest.mark.parametrize("name", ["hyp1f1", "lpmv", "yn"])
def test_scipy_is_told_what_there_is_not(name: str) -> None:
    def as_scipys_dispatch(_f: Any, *args: Any) -> Any:
        args = tuple([np.asarray(arg) for arg in args])
        return _f(*args)

    x = on_npu([0.5, 2.0], "float32")
    assert not hasattr(special, name)
    with pytest.raises(AttributeError, match="Write "):
        getattr(special, name)
    with pytest.raises(TypeError, match=f"special has no function {name}: write .*special"):
        as_scipys_dispatch(getattr(scipy.special, name), 1, x)
    with pytest.raises(TypeError) as caught:
        as_scipys_dispatch(scipy.special.erf, x)
    assert "special" not in str(caught.value)
