"""Programs of functions that are made of many kernels, of which CANN refuses some.

test_npu_queues.py calls them in every mode of torch_npu's task queue, where what is refused is told
at different times, and on other chips.  The emulator is there before this module is imported.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import torch

import ascend_array_api as xp
from conformance import cann_emulator

emulator: Any = cann_emulator.installed()
warnings.filterwarnings("ignore", message="Cannot create tensor with internal format")
torch.npu.set_compile_mode(jit_compile=False)  # the first 910 needs kernels compiled before


def decompositions() -> None:
    """What has no result is NaN, and the device computes on; nobody waits for the late errors."""
    for dtype in (xp.float32, xp.float64, xp.complex64, xp.complex128):
        x = xp.asarray([[1, 2], [2, 4]], dtype=dtype)
        with emulator.counting() as counts:
            results = [xp.linalg.inv(x), xp.linalg.solve(x, x), xp.linalg.cholesky(-x)]
            results.append(xp.linalg.inv(x * float("nan")))
            results.append(xp.linalg.qr(x * float("inf")).Q)
            zero = xp.linalg.det(x)
            torch.npu.synchronize()
        assert counts.to_host == (0, 0)
        assert not counts.fallbacks
        assert xp.to_torch(zero).item() == 0
        for result in results:
            assert bool(torch.isnan(result._tensor.cpu()).all()), dtype
        eye = xp.linalg.inv(xp.eye(2, dtype=dtype))
        assert abs(xp.to_torch(eye[0, 0]).item() - 1) < 1e-6


def products() -> None:
    for dtype in (xp.int8, xp.uint64, xp.float32, xp.float64, xp.complex64, xp.complex128):
        n = 140 if xp.isdtype(dtype, "integral") else 20
        x = xp.reshape(xp.astype(xp.arange(n * n), dtype), (n, n))
        y = xp.tensordot(x, x @ x.mT, axes=1)
        assert y.dtype is dtype
        if n == 20:
            assert bool(xp.all(xp.linalg.vector_norm(y, axis=0) > 0))
            assert float(xp.linalg.matrix_norm(y, ord=1)) > 0
    for wrong in (xp.float32, xp.int32, xp.complex64):
        try:
            xp.ones((2, 3), dtype=wrong) @ xp.ones((2, 3), dtype=wrong)
        except ValueError:
            continue
        raise AssertionError(wrong)


def moves() -> None:
    """What is refused would be raised late, and break the process, in mode 2."""
    x = xp.reshape(xp.arange(20, dtype=xp.float64), (4, 5))
    for dtype in xp.__array_namespace_info__().dtypes().values():
        y = xp.astype(x, dtype)
        i = xp.asarray([2, 0, -1])
        z = xp.roll(xp.flip(xp.tril(y)), 3)[i, ...]
        z[:, i] = xp.repeat(y, 2)[:3]
        xp.concat([xp.tile(z, (2, 1)), xp.eye(5, dtype=dtype)])
        torch.npu.synchronize()


def transforms() -> None:
    """They are NumPy's of double precision."""
    random = np.random.default_rng(0)
    for n in (1, 7, 60, 199, 211):
        for real, complex_ in (("f4", "c8"), ("f8", "c16")):
            z = random.standard_normal((2, n)) + 1j * random.standard_normal((2, n))
            z, half = z.astype(complex_), z[:, : n // 2 + 1].astype(complex_)
            given = dict.fromkeys(("fft", "ifft", "fftn"), z) | {"irfft": half, "hfft": half}
            given |= dict.fromkeys(("rfft", "ihfft", "rfftn"), z.real)
            for name, values in given.items():
                values = np.ascontiguousarray(values)
                wide = values.astype("c16" if values.dtype.kind == "c" else "f8")
                how = {} if name.endswith("n") else {"n": n}
                result = getattr(xp.fft, name)(xp.asarray(values), **how).to_device("cpu")
                expected = getattr(np.fft, name)(wide, **how)
                off = np.linalg.norm(np.asarray(result) - expected) / np.linalg.norm(expected)
                assert off <= (1.5 + np.log2(n) / 2) * np.finfo(real).eps, (name, n, off)
    assert not emulator.failures
