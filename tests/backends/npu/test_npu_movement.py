"""Moving, indexing and creating arrays on NPUs where drawn arguments do not come.

The oracle is NumPy, bit by bit.  Where no shape depends on values, nothing may be copied to the
host.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from npu import QUIET_TORCH_NPU, on_device

import ascend_array_api as xp
from ascend_array_api._torch import torch
from workshop.samples.strategies import to_numpy

# torch_npu says so once in a process, when it first makes certain tensors by itself.
pytestmark = QUIET_TORCH_NPU

STANDARD = [n for n in xp.__array_namespace_info__().dtypes() if n != "bfloat16"]
NAMES = [*dict.fromkeys([*STANDARD, "float16"])]
FLOATING = ["float32", "float64", "complex64", "complex128"]


def sample(name: str, shape: tuple[int, ...], seed: int = 0) -> Any:
    """Elements with all bits in use: extremes, NaN, infinities and both zeros among them."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(name)
    if dtype.kind == "b":
        return rng.random(shape) > 0.5
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, size=shape, dtype=dtype, endpoint=True)
    special = [np.nan, np.inf, -np.inf, -0.0, 0.0, 1.5]
    parts = [
        np.where(rng.random(shape) < 0.2, rng.choice(special, shape), rng.standard_normal(shape))
        for _ in range(2)
    ]
    if dtype.kind == "f":
        return parts[0].astype(dtype)
    pairs: Any = np.stack(parts, axis=-1).astype("f4" if name == "complex64" else "f8")
    return pairs.view(dtype)[..., 0]


def bits(a: Any) -> bytes:
    return np.ascontiguousarray(a).tobytes()


def assert_same(x: xp.Array, expected: Any) -> None:
    assert x.device == "npu:0"
    actual, expected = to_numpy(x), np.asarray(expected)
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    assert bits(actual) == bits(expected), f"{expected.dtype}: {actual} is not {expected}"


def a(*values: Any) -> Any:
    return np.asarray(values)


def arrays(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(map(arrays, key))
    return xp.asarray(key) if isinstance(key, np.ndarray) else key


@pytest.mark.parametrize("name", ["int16", "float32", "float64", "complex64", "complex128"])
def test_assignments_of_overlapping_parts(name: str) -> None:
    values = sample(name, (6, 5))
    for key, other in (
        ((slice(1, None), slice(None)), (slice(None, -1), slice(None))),
        ((slice(None, None, -1), slice(None)), (slice(None), slice(None))),
        ((a(0, 2, 4), slice(None)), (slice(3), slice(None))),
    ):
        x, expected = xp.asarray(values, copy=True), values.copy()
        x[arrays(key)] = x[arrays(other)]
        expected[key] = values[other]
        assert_same(x, expected)


@pytest.mark.parametrize("name", FLOATING)
def test_python_scalars_are_assigned_exactly(name: str) -> None:
    x = xp.zeros((3,), dtype=getattr(xp, name))
    x[1] = 0.1
    x[xp.asarray([2])] = 2**53
    expected = np.zeros(3, dtype=name)
    expected[1:] = 0.1, 2**53
    assert_same(x, expected)


@pytest.mark.parametrize("name", NAMES)
def test_eight_dimensions(name: str) -> None:
    """CANN takes no more; complex128 has one more, of pairs, where that is not too many."""
    values = sample(name, (2, 1, 3, 1, 2, 1, 2, 3))
    x = xp.asarray(values)
    assert_same(xp.roll(x, (1, 2), axis=(0, 7)), np.roll(values, (1, 2), (0, 7)))
    assert_same(xp.flip(x, axis=(0, 7)), np.flip(values, (0, 7)))
    assert_same(xp.repeat(x, 2, axis=4), np.repeat(values, 2, axis=4))
    assert_same(xp.concat([x, x], axis=2), np.concatenate([values, values], axis=2))
    assert_same(xp.stack([x[0, ...]] * 2, axis=3), np.stack([values[0]] * 2, axis=3))
    for actual, expected in zip(
        xp.meshgrid(xp.reshape(x, (-1,))[:3], x[0, 0, 0, 0, 0, 0, :, 0]),
        np.meshgrid(values.reshape(-1)[:3], values[0, 0, 0, 0, 0, 0, :, 0]),
        strict=True,
    ):
        assert_same(actual, expected)
    assert_same(xp.take(x, xp.asarray([2, -2]), axis=2), values.take([2, -2], axis=2))
    positions = np.ones((1, 1, 1, 1, 1, 1, 1, 2), dtype=np.int64)
    assert_same(
        xp.take_along_axis(x, xp.asarray(positions), axis=7),
        np.take_along_axis(values, np.broadcast_to(positions, (2, 1, 3, 1, 2, 1, 2, 2)), 7),
    )
    assert_same(xp.tile(x, (2,)), np.tile(values, (2,)))
    assert_same(xp.tril(x), np.tril(values))
    assert_same(xp.reshape(xp.moveaxis(x, 0, -1), (-1,)), np.moveaxis(values, 0, -1).reshape(-1))
    assert_same(x[..., ::-1], values[..., ::-1])
    assert_same(x[0, ..., xp.asarray([0, 2])], values[0, ..., [0, 2]])
    copy, expected = xp.asarray(x, copy=True), values.copy()
    copy[1, ..., xp.asarray([0, 2])] = x[0, ..., 0][None, ...]
    expected[1, ..., [0, 2]] = values[0, ..., 0]
    copy[:, :, 0, ...] = x[:, :, 1, ...]
    expected[:, :, 0] = values[:, :, 1]
    assert_same(copy, expected)


def test_positions_beyond_what_float32_holds() -> None:
    """CANN adds Python scalars beyond 2**24 inexactly."""
    size = 2**24 + 5
    x = xp.astype(xp.arange(size) % 251, xp.uint8)
    positions = np.asarray([-1, -2, 2**24 + 1, 0, -size])
    expected = (positions % size % 251).astype("uint8")
    assert_same(x[xp.asarray(positions)], expected)
    assert_same(xp.take(x, xp.asarray(positions)), expected)
    assert_same(xp.take_along_axis(x, xp.asarray(positions)), expected)
    assert_same(xp.arange(size, dtype=xp.int32)[-2:], np.asarray([2**24 + 3, 2**24 + 4], "int32"))


# --- autograd -------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch's own, in its first use
@pytest.mark.parametrize("name", FLOATING)
def test_forward_mode_follows(name: str) -> None:
    from torch.autograd import forward_ad

    values = np.arange(20).reshape(4, 5).astype(name)
    x = torch.from_numpy(values).to("npu:0")
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, torch.from_numpy(2 * values).to("npu:0"))
        result = xp.to_torch(xp.flip(xp.asarray(dual)))
        tangent = forward_ad.unpack_dual(result).tangent
        assert tangent is not None
        np.testing.assert_array_equal(tangent.cpu().numpy(), 2 * np.flip(values))


# --- creation -------------------------------------------------------------------------------------


def test_creation_in_half_precision() -> None:
    dtype = xp.float16
    for shape in ((), (3,), (0, 2), (2, 3, 4)):
        with on_device():
            filled = [(v, xp.full(shape, v, dtype=dtype)) for v in (0.5, 65504.0, -0.0, math.inf)]
            filled += [(0, xp.zeros(shape, dtype=dtype)), (1, xp.ones(shape, dtype=dtype))]
        for value, x in filled:
            assert_same(x, np.full(shape, value, dtype="float16"))
    for k in (-5, -1, 0, 2, 7):
        assert_same(xp.eye(4, 6, k=k, dtype=dtype), np.eye(4, 6, k=k, dtype="float16"))


@pytest.mark.parametrize(
    ("start", "stop", "num"),
    [(4, 4, 3), (2**62 + 1, 5, 2), (5, 2**62 + 1, 2), (-(2**62) - 1, 7, 1), (2**53 + 1, 2**54, 4)],
)
def test_integers_of_an_interval_are_exact(start: int, stop: int, num: int) -> None:
    x = to_numpy(xp.linspace(start, stop, num, dtype=xp.int64))
    expected = [start + (stop - start) * n // max(num - 1, 1) for n in range(num)]
    assert x.tolist() == expected


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_arange_of_floats(name: str) -> None:
    for start, stop, step in ((0, 3000, 1), (0.0, 1.0, 0.1), (0.5, -3, -0.7), (-1.5, 2.5, 0.3)):
        x = to_numpy(xp.arange(start, stop, step, dtype=getattr(xp, name)))
        count = math.ceil((stop - start) / step)
        expected = np.asarray([start + i * step for i in range(count)])
        spacing = np.spacing(np.max(np.abs(expected)).astype(name)).astype(float)
        assert x.dtype == name
        np.testing.assert_allclose(x.astype(float), expected, rtol=0, atol=2 * spacing)


@pytest.mark.parametrize("name", NAMES)
def test_asarray(name: str) -> None:
    values = sample(name, (3, 4))
    dtype = getattr(xp, name)
    assert_same(xp.asarray(values), values)
    assert_same(xp.asarray(values[::-1, ::2]), values[::-1, ::2])
    assert_same(xp.asarray(values.tolist(), dtype=dtype), values)
    assert_same(xp.asarray(torch.from_numpy(values), device="npu:0"), values)
    x = xp.asarray(values)
    assert xp.asarray(x, copy=False) is x
    copy = xp.asarray(x, copy=True)
    copy[...] = xp.zeros((), dtype=dtype)
    assert_same(x, values)
    nested = xp.asarray([[x[0, 0], x[0, 1]], [x[1, 0], x[1, 1]]])
    assert_same(nested, values[:2, :2])


# --- errors ---------------------------------------------------------------------------------------


def test_negative_counts_are_refused() -> None:
    x = xp.arange(4)
    with on_device(), pytest.raises(ValueError, match="negative"):
        xp.repeat(x, -1)
    with pytest.raises(ValueError, match="negative"):
        xp.repeat(x, xp.asarray([1, -1, 1, 1]))
    assert_same(x, np.arange(4))


def test_positions_from_the_host_are_checked() -> None:
    x = xp.zeros((2, 3))
    with on_device():
        with pytest.raises(IndexError, match="out of bounds"):
            x[2, 0]
        with pytest.raises(IndexError, match="does not fit"):
            x[xp.ones(3, dtype=xp.bool)]
        with pytest.raises(ValueError, match="broadcast"):
            x[0, :] = xp.zeros(2)


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (2,)])
@pytest.mark.parametrize("name", ["int64", "uint64", "int32", "uint32", "int16", "uint16"])
def test_a_narrowed_integer_is_a_copy(name: str, shape: tuple[int, ...]) -> None:
    x = xp.full(shape, 5, dtype=getattr(xp, name), device="npu:0")
    for narrow in ("int32", "uint32", "int16", "uint16", "int8", "uint8"):
        dtype = getattr(xp, narrow)
        for y in (xp.asarray(x, dtype=dtype, copy=True), xp.astype(x, dtype)):
            y += 1
            assert bool(xp.all(x == 5)), narrow
