"""The kernels written for GPUs, as Triton's interpreter or a compiler runs them on the host."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import interpreted
import numpy as np
import pytest
import torch
from processes import calling, python

from ascend_array_api._backends.cuda import _noted, indexing
from ascend_array_api._devices.device import spec_of
from ascend_array_api._reports.late_errors import NONE
from ascend_array_api._routes import judging
from ascend_array_api._routes._rows import Flagged

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="needs triton")
@pytest.mark.parametrize(
    "kernels", ["positions", "bisection", "parts", "products", "columns", "runs", "singular"]
)
def test_triton(kernels: str) -> None:
    computed = calling(getattr(interpreted, kernels))
    python(*computed, env={**os.environ, "TRITON_INTERPRET": "1"})


def on_the_second() -> None:
    import ascend_array_api as xp

    x = np.asarray([[3.0, 1.0], [4.0, 2.0]])
    q, r = xp.linalg.qr(xp.asarray(x, device="cuda:1"))
    assert np.abs(np.asarray((q @ r).to_device("cpu")) - x).max() < 1e-14


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
def test_the_first_call_may_be_on_another_gpu_than_the_current_one() -> None:
    python(*calling(on_the_second))


LOOP = """
extern "C" void run_TYPE(const TYPE *a, const TYPE *b, TYPE *out, long count, long long mark) {
    for (long i = 0; i < count; i++) { out[i] = xp_entry<TYPE>(a[i], b[i], mark); }
}
"""


needs_compiler = pytest.mark.skipif(shutil.which("c++") is None, reason="needs a compiler of C++")


def compiled(folder: Path, text: str) -> ctypes.CDLL:
    """Compile C++, of which `run` returns a number."""
    source, library = folder / "text.cpp", folder / "text.so"
    source.write_text(f"#include <cstdint>\n{text}")
    subprocess.run(["c++", "-shared", "-fPIC", "-fwrapv", "-o", library, source], check=True)
    return ctypes.CDLL(str(library))


@pytest.mark.nightly
@needs_compiler
@pytest.mark.parametrize("function", ["floor_divide", "remainder"])
@pytest.mark.parametrize("signed", [True, False])
def test_divisions(function: str, *, signed: bool, tmp_path: Path) -> None:
    names = [f"int{bits}" if signed else f"uint{bits}" for bits in (8, 16, 32, 64)]
    # Wide unsigned integers are seen as signed ones of the same size.
    types = [f"{name}_t" if name == "uint8" else f"{name.lstrip('u')}_t" for name in names]
    loops = "".join(LOOP.replace("TYPE", each) for each in types)
    loaded = compiled(tmp_path, f"{_noted._CODE[function, signed]}\n{loops}")
    for name, each in zip(names, types):
        least, most = np.iinfo(name).min, np.iinfo(name).max
        ends = [least, least + 1, most - 1, most]
        values = np.asarray([0, 1, 2, 3, 7, -7 if least else 9, *ends], name)
        a, b = np.repeat(values, len(values)), np.tile(values, len(values))

        def run(a: Any, b: Any, record: Any, entry: str = f"run_{each}") -> Any:
            out = np.empty_like(a)
            addresses = [ctypes.c_void_p(x.ctypes.data) for x in (a, b, out)]
            mark = ctypes.c_longlong(record.ctypes.data + 8)
            loaded[entry](*addresses, ctypes.c_long(a.size), mark)
            return out

        record = np.zeros(4, np.int32)
        with np.errstate(all="ignore"):
            wanted = getattr(np, function)(a, b)
        found = run(a, b, record)
        assert np.array_equal(found[b != 0], wanted[b != 0])
        assert record.tolist() == [0, 0, 1, 0]
        record[2] = 0
        run(a[b != 0], b[b != 0], record)
        assert not record.any()


@pytest.mark.nightly
@needs_compiler
def test_bounds(tmp_path: Path) -> None:
    entry = 'extern "C" long long run(long long place, long long size, long long mark)'
    called = f"{entry} {{ return xp_entry<long long>(place, size, mark); }}"
    run = compiled(tmp_path, f"{_noted._BOUNDS}\n{called}").run
    run.restype = ctypes.c_longlong
    for size in (1, 7):
        for place in (*range(-size - 2, size + 2), 2**62, -(2**63)):
            record = np.zeros(3, np.int32)
            found = run(*map(ctypes.c_longlong, (place, size, record.ctypes.data + 4)))
            assert found == min(max(place, -size), size - 1)
            assert record.tolist() == [0, int(not -size <= place < size), 0]


@pytest.mark.nightly
@needs_compiler
@pytest.mark.parametrize("axes", [1, 2, 3, 8])
def test_places(axes: int, tmp_path: Path) -> None:
    names = [f"a{i}" for i in range(3 * axes)]
    given = ", ".join(f"long long {name}" for name in names)
    called = f"{{ return xp_entry<long long>({', '.join(names)}); }}"
    text = f'{_noted.text_of_places(axes)}\nextern "C" long long run({given}) {called}'
    run = compiled(tmp_path, text).run
    run.restype = ctypes.c_longlong
    rng = np.random.default_rng(5)
    record = np.zeros(axes, np.int32)
    for _ in range(300):
        sizes = rng.integers(1, 7, axes)
        point = rng.integers(-sizes - 1, sizes + 1)
        record[:] = 0
        judged = rng.random(axes) < 0.7
        marks = np.where(judged, record.ctypes.data + 4 * np.arange(axes), 0)
        numbers = [*point, *(n for pair in zip(sizes, marks) for n in pair)]
        found = run(*(ctypes.c_longlong(int(n)) for n in numbers))
        inside = np.clip(np.where(point < 0, point + sizes, point), 0, sizes - 1)
        assert found == np.ravel_multi_index(inside, sizes)
        outside = (point < -sizes) | (point >= sizes)
        assert record.tolist() == (outside & judged).tolist()


def test_points_of_any_array(monkeypatch: pytest.MonkeyPatch) -> None:
    def made(_: Any, text: str, **given: int) -> Any:
        axes = len(given) // 2
        assert text == _noted.text_of_places(axes)

        def kernel(*positions: torch.Tensor, **numbers: int) -> torch.Tensor:
            assert list(numbers) == list(given)  # they are told by their order
            assert all(p.dtype is torch.int64 for p in positions)
            sizes = [numbers[f"n{axis}"] for axis in range(axes)]
            wrapped = [np.where(p < 0, p + n, p) for p, n in zip(positions, sizes)]
            return torch.from_numpy(np.asarray(np.ravel_multi_index(wrapped, sizes)))

        return kernel

    route = Flagged(indexing._look_up_points, indexing._takes_points)
    find = route.kernel(judging.look_up_points, spec_of(torch.zeros(())))
    monkeypatch.setattr(_noted, "jit_kernel", made)
    _noted._places.cache_clear()
    rng = np.random.default_rng(6)
    try:
        for dtype in ("bool", "int16", "uint32", "float32", "complex64"):
            whole = torch.from_numpy(rng.integers(0, 100, (3, 4, 5)).astype(dtype))
            for x in (whole, whole.mT, whole[0].T):
                for shape in ((6,), (2, 3), (0,)):
                    at = [rng.integers(-n, n, shape) for n in x.shape]
                    given = [torch.from_numpy(each) for each in at]
                    given[0] = given[0].to(torch.int8)
                    found = find(x, given, doubt=[NONE, *[None] * (x.dim() - 1)])
                    assert found.dtype is x.dtype
                    assert np.array_equal(found.numpy(), x.numpy()[tuple(at)])
    finally:
        _noted._places.cache_clear()


def test_positions_of_vectors() -> None:
    rng = np.random.default_rng(3)
    for dtype in ("bool", "uint8", "int64", "float16", "float32", "complex64"):
        whole = torch.from_numpy(rng.integers(0, 100, 22).astype(dtype))
        for x in (whole, whole[1::3]):
            for shape in ((7,), (2, 3), (), (0,)):
                at = torch.from_numpy(np.asarray(rng.integers(-len(x), len(x), shape)))
                found = indexing._index(x, [at], (0,))
                assert found.dtype is x.dtype
                assert np.array_equal(found.numpy(), x.numpy()[at.numpy()])
    x, at = torch.arange(6.0).reshape(2, 3), torch.tensor([1, -3])
    assert torch.equal(indexing._index(x, [at], (1,)), x[:, at])
    row = torch.arange(3.0, requires_grad=True)
    indexing._index(row, [torch.tensor([2, 2, 0])], (0,)).sum().backward()
    assert row.grad is not None
    assert row.grad.tolist() == [1, 0, 2]
    mapped = torch.vmap(lambda row: indexing._index(row, [at], (0,)))(x)
    assert torch.equal(mapped, x[:, at])
