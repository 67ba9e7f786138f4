"""Programs of calls that torch_npu fuses: test_npu_lazy.py calls them, in several environments.

The emulator is there before this module is imported.
"""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import torch

import ascend_array_api as xp
from benchmarks.programs import PROGRAMS, arguments
from conformance import cann_emulator

emulator: Any = cann_emulator.installed()
warnings.simplefilter("ignore")  # of torch_npu


def launches() -> None:
    number = {}
    for name, (function, shapes) in PROGRAMS.items():
        given = arguments(shapes, "npu")
        function(*given)  # makes constants that are kept
        torch.npu.synchronize()
        with emulator.counting() as counts:
            results = function(*given)
            torch.npu.synchronize()
        number[name] = counts.kernels.total()
        with xp.options(device="cpu"):
            expected = function(*(x.to_device("cpu") for x in given))
        pairs = zip(*(r if isinstance(r, tuple) else (r,) for r in (results, expected)))
        for found, right in pairs:
            found, right = (np.asarray(xp.to_torch(r).cpu()) for r in (found, right))
            np.testing.assert_allclose(found, right, rtol=5e-6, atol=5e-6, err_msg=name)
    print(json.dumps(number))


def python_numbers_and_casts_do_not_divide_a_chain() -> None:
    special = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-45, 2.0**24 + 2, 3e38, -3.5]
    x = np.array([*special, *np.random.default_rng(0).normal(size=500)], dtype=np.float32)
    numbers = (0.0, -0.0, 0, 1, -3, 0.1, 2.5, 1e-30, 16777217)
    chains = {
        "x - n": lambda x, n: x - n,
        "n - x": lambda x, n: n - x,
        "n / x": lambda x, n: n / x,
        "x / n": lambda x, n: x / n,
        "chain": lambda x, n: (1 - (x - n)) / 3.0 - n / (2.5 - x),
    }
    with np.errstate(all="ignore"):
        for name, f in chains.items():
            for n in numbers:
                given = xp.asarray(x)
                f(given, n)
                torch.npu.synchronize()
                with emulator.counting() as counts:
                    result = f(given, n)
                    torch.npu.synchronize()
                assert counts.by_kernel() == {"dvm": 1}, (name, n, counts.by_kernel())
                found, expected = xp.to_torch(result).cpu().numpy(), f(x, n)
                assert expected.dtype == np.float32
                same = (found == expected) & (np.signbit(found) == np.signbit(expected))
                same |= np.isnan(found) & np.isnan(expected)
                assert np.all(same), (name, n, x[~same], found[~same], expected[~same])

    i = np.array([0, 1, -1, 7, 2**24 + 1, 2**31 - 1, -(2**31)], dtype=np.int32)
    for value, dtype in ((x > 0, "float32"), (x > 0, "int32"), (i, "float32"), (x[-500:], "int32")):
        result = xp.astype(xp.asarray(value), getattr(xp, dtype))
        assert np.array_equal(xp.to_torch(result).cpu().numpy(), value.astype(dtype)), dtype
    x = xp.asarray(x)
    torch.npu.synchronize()
    with emulator.counting() as counts:
        kept = [
            2 * xp.astype(x > 0, xp.float32) - xp.astype(xp.astype(x * 3, xp.int32), xp.float32)
        ]
        torch.npu.synchronize()
    assert counts.by_kernel() == {"dvm": 1}, counts.by_kernel()
    del kept  # until here: what nobody keeps is not computed


def results_are_as_exact_as_those_of_other_calls() -> None:
    """torch_npu fuses coarse powers and hyperbolic tangents, which we keep out."""
    x = np.array([1e-8, -1e-5, 1e-3, 0.01, -0.0, 3, 9, 20, np.inf, -np.inf, np.nan], np.float32)
    for dtype in (xp.float32, xp.float16, xp.bfloat16):
        given = xp.astype(xp.asarray(x), dtype)
        found = xp.to_torch(xp.tanh(given)).cpu().float().numpy()
        expected = torch.tanh(xp.to_torch(given).cpu().double()).numpy()
        np.testing.assert_allclose(found, expected, rtol=6e-7 if dtype is xp.float32 else 1e-2)
        assert np.array_equal(np.signbit(found), np.signbit(expected))

    a = np.array([-0.0, -np.inf, -np.inf, -2, -2, 0, np.inf, 1, np.nan, 3, 1e-20, -0.0], np.float32)
    b = np.array([1, 0.1, 3, 3, 2.5, -1, -2, np.nan, 0, 3, 2, -3], np.float32)
    with np.errstate(all="ignore"):
        for dtype in ("float32", "float16"):
            left, right = a.astype(dtype), b.astype(dtype)
            found = xp.to_torch(xp.asarray(left) ** xp.asarray(right)).cpu().numpy()
            expected = left**right
            np.testing.assert_allclose(found, expected, rtol=1e-6 if dtype == "float32" else 1e-3)
            usual = ~np.isnan(expected)
            assert np.array_equal(np.signbit(found)[usual], np.signbit(expected)[usual]), dtype
    w = torch.tensor([0.5, 2.0], device="npu", requires_grad=True)
    xp.to_torch(xp.sum(xp.tanh(xp.asarray(w)) * xp.asarray(w) ** 3.5)).backward()
    v = w.detach().cpu().double().requires_grad_()
    (torch.tanh(v) * v**3.5).sum().backward()
    torch.testing.assert_close(w.grad.cpu().double(), v.grad, rtol=2e-6, atol=0)


def long_functions_do_not_end_the_process() -> None:
    """torch_npu fails at chains of some hundred calls: ours end theirs in time."""

    def chain(x):
        for _ in range(15):
            x = x * 1.0 + 0.0
        return x

    rng = np.random.default_rng(0)
    a, b, c = rng.uniform(0.05, 0.95, (3, 200)).astype(np.float32)
    few = {"expn": (np.floor(9 * a), 3 * b), "betainc": (9 * a, 9 * b, c), "spence": (4 * a,)}
    few |= dict.fromkeys(("gammainc", "gammaincc", "beta", "betaln"), (9 * a, 12 * b))
    few |= dict.fromkeys(("erf", "erfc", "erfinv", "ndtr", "gamma", "gammaln", "psi"), (3 * a,))
    few |= dict.fromkeys(("exp1", "expi", "i0", "i1", "i0e", "i1e"), (9 * a,))
    known = {name: given for name, given in few.items() if hasattr(xp.special, name)}
    assert len(known) > 12, known
    for name, given in known.items():
        f = getattr(xp.special, name)
        given = [x.astype(np.float32) for x in given]
        found = chain(f(*(chain(xp.asarray(x)) for x in given)))
        with xp.options(device="cpu"):
            expected = f(*map(xp.asarray, given))
        found, expected = (xp.to_torch(r).cpu().numpy() for r in (found, expected))
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6, err_msg=name)
