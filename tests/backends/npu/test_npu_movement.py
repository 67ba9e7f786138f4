"""Moving, indexing and creating arrays on NPUs: every data type, right and on the device.

The oracle is NumPy, bit by bit.  Where no shape depends on values, nothing may be copied to the
host.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any

import numpy as np
import pytest
from npu import EMULATOR, QUIET_TORCH_NPU, needs_emulator, script

import ascend_array_api as xp
from ascend_array_api._torch import torch

# torch_npu says so once in a process, when it first makes certain tensors by itself.
pytestmark = QUIET_TORCH_NPU

STANDARD = [n for n in xp.__array_namespace_info__().dtypes() if n != "bfloat16"]
NAMES = [*dict.fromkeys([*STANDARD, "float16"])]
FLOATING = ["float32", "float64", "complex64", "complex128"]

Move = Callable[[Any, Any], Any]


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


def on_host(x: xp.Array) -> Any:
    return np.asarray(x.to_device("cpu"))


def bits(a: Any) -> bytes:
    return np.ascontiguousarray(a).tobytes()


def assert_same(x: xp.Array, expected: Any) -> None:
    assert x.device == "npu:0"
    actual, expected = on_host(x), np.asarray(expected)
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    assert bits(actual) == bits(expected), f"{expected.dtype}: {actual} is not {expected}"


@contextmanager
def no_copies_to_the_host() -> Iterator[None]:
    if EMULATOR is None:
        yield
        return
    with EMULATOR.counting() as counts:
        yield
        torch.npu.synchronize()
    assert counts.to_host == (0, 0)
    assert not counts.fallbacks


def a(*values: Any) -> Any:
    return np.asarray(values)


MASK = np.arange(20).reshape(4, 5) % 3 != 1
ROWS = a(2, 0, -1, 3, 2)
COLUMNS = a(0, 4, 2, -5, 1)
COUNTS = a(1, 0, 2, 3)
ALONG = a(2, 0, -1, 3).reshape(4, 1)

# Each takes a namespace, ours or NumPy's, and its array.
MOVES: dict[str, Move] = {
    "roll flat": lambda n, x: n.roll(x, 7),
    "roll axes": lambda n, x: n.roll(x, (1, -2, 3), axis=(0, 1, 0)),
    "flip": lambda n, x: n.flip(x),
    "flip axis": lambda n, x: n.flip(x, axis=-1),
    "concat": lambda n, x: n.concat([x, x[1:, :]]),
    "concat flat": lambda n, x: n.concat([x.T, x], axis=None),
    "stack": lambda n, x: n.stack([x, x], axis=1),
    "repeat": lambda n, x: n.repeat(x, 3, axis=1),
    "repeat flat": lambda n, x: n.repeat(x.T, 2),
    "repeat none": lambda n, x: n.repeat(x, 0),
    "tile": lambda n, x: n.tile(x, (2, 1, 3)),
    "tile many": lambda n, x: n.tile(x, (2, 3, 2, 2, 2, 1)),
    "reshape transposed": lambda n, x: n.reshape(x.T, (2, 10)),
    "copy strided": lambda n, x: n.asarray(x[1:, ::2].T, copy=True),
    "broadcast": lambda n, x: n.asarray(n.broadcast_to(x, (3, 4, 5)), copy=True),
    "permute": lambda n, x: n.permute_dims(n.expand_dims(x, axis=(0, 2)), (3, 1, 0, 2)),
    "unstack": lambda n, x: x[:, 2] if n is np else n.unstack(x, axis=-1)[2],
    "take": lambda n, x: n.take(x, n.asarray(COLUMNS), axis=1),
    "take along": lambda n, x: n.take_along_axis(x, n.asarray(ALONG), axis=1),
    "take along, broadcast": lambda n, x: n.take_along_axis(x[:1, :], n.asarray(ALONG), axis=1),
    "array": lambda n, x: x[n.asarray(ROWS), ...],
    "arrays": lambda n, x: x[n.asarray(ROWS), n.asarray(COLUMNS)],
    "outer": lambda n, x: x[n.asarray(ROWS[:, None]), n.asarray(COLUMNS)],
    "array and slice": lambda n, x: x[::-2, n.asarray(COLUMNS)],
    "array and integer": lambda n, x: x[-1, n.asarray(COLUMNS)],
    "array and None": lambda n, x: x[n.asarray(ROWS), None, n.asarray(COLUMNS)],
    "0-d arrays": lambda n, x: x[n.asarray(2), n.asarray(-1)],
    "empty array": lambda n, x: x[n.asarray(np.zeros((0, 2), dtype=np.int64)), ...],
    "of none": lambda n, x: x[:, :0][n.asarray(ROWS), ...],
    "slices": lambda n, x: x[3:0:-1, ::-2],
    "0-d": lambda n, x: x[1, 2],
    "tril": lambda n, x: n.tril(x, k=1),
    "triu": lambda n, x: n.triu(x, k=-1),
    "tril of many": lambda n, x: n.tril(n.stack([x, n.flip(x)])),
    "meshgrid": lambda n, x: n.stack(list(n.meshgrid(x[0, :], x[1, :]))),
    "full": lambda n, x: n.full((2, 3), x[1, 1]),
}
WAITING: dict[str, Move] = {
    "mask": lambda n, x: x[n.asarray(MASK)],
    "mask of rows": lambda n, x: x[n.asarray(MASK[:, 0])],
    "mask and integer": lambda n, x: x[n.asarray(MASK[:, 0]), 1],
    "mask and slice": lambda n, x: x[::-1, n.asarray(MASK[0, :])],
    "mask of nothing": lambda n, x: x[n.asarray(MASK & False)],
    "mask 0-d": lambda n, x: x[n.asarray(True)],
    "repeat array": lambda n, x: n.repeat(x, n.asarray(COUNTS), axis=0),
    "repeat array of one": lambda n, x: n.repeat(x, n.asarray([2]), axis=1),
}


def strided(x: Any) -> Any:
    """The same elements in a part of a larger array, with gaps."""
    large = np.zeros((8, 15), dtype=x.dtype)
    large[1::2, 2::3] = x
    return large


@pytest.mark.parametrize("move", MOVES)
def test_moves(move: str) -> None:
    moved = MOVES[move]
    for name in NAMES:
        values = sample(name, (4, 5))
        x, gaps = xp.asarray(values), xp.asarray(strided(values))[1::2, 2::3]
        with no_copies_to_the_host():
            results = [moved(xp, x), moved(xp, gaps)]
        for result in results:
            assert_same(result, moved(np, values))
        assert_same(x, values)


@pytest.mark.parametrize("move", WAITING)
def test_moves_that_wait(move: str) -> None:
    moved = WAITING[move]
    for name in NAMES:
        values = sample(name, (4, 5))
        for x in (xp.asarray(values), xp.asarray(strided(values))[1::2, 2::3]):
            assert_same(moved(xp, x), moved(np, values))


KEYS: dict[str, tuple[Any, tuple[int, ...], bool]] = {
    # key, shape of the value, whether the host may wait
    "mask, scalar": (MASK, (), False),
    "mask of rows, scalar": (MASK[:, 0], (), False),
    "mask, values": (MASK, (13,), True),
    "mask of rows, values": ((MASK[:, 0], slice(None)), (5,), True),
    "array": ((a(2, 0, -1), ...), (3, 5), False),
    "array, one": ((a(2, 0, -1), ...), (), False),
    "arrays": ((a(2, 0, -1), a(1, 1, 0)), (3,), False),
    "array and slice": ((slice(None, None, -2), a(3, -5)), (2, 2), False),
    "array and integer": ((1, a(3, -5)), (2,), False),
    "0-d arrays": ((np.asarray(1), np.asarray(-2)), (), False),
    "empty array": ((np.zeros(0, dtype=np.int64), ...), (0, 5), False),
    "empty arrays": ((np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64)), (), False),
    "slices": ((slice(3, 0, -1), slice(None, None, 2)), (3, 3), False),
    "integer": ((2, -1), (), False),
    "all": (..., (5,), False),
}


def arrays(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(map(arrays, key))
    return xp.asarray(key) if isinstance(key, np.ndarray) else key


@pytest.mark.parametrize("case", KEYS)
def test_assignments(case: str) -> None:
    key, shape, waits = KEYS[case]
    for name in NAMES:
        values, new = sample(name, (4, 5)), sample(name, shape, seed=1)
        expected = values.copy()
        expected[key] = new
        for of_all in (lambda x: x, strided):
            whole = xp.asarray(of_all(values), copy=True)
            part = whole if whole.shape == values.shape else whole[1::2, 2::3]
            index, value = arrays(key), xp.asarray(new)
            with nullcontext() if waits else no_copies_to_the_host():
                part[index] = value
            assert_same(part, expected)
            assert_same(whole, of_all(expected))  # and nothing beside it


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


@needs_emulator
@pytest.mark.parametrize("name", ["bool", "int64", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize(
    "move", ["roll axes", "flip", "concat", "repeat", "array", "reshape transposed"]
)
def test_moves_run_on_the_vector_units(move: str, name: str) -> None:
    assert EMULATOR is not None
    x = xp.asarray(sample(name, (4, 5)))
    with EMULATOR.counting() as counts:
        MOVES[move](xp, x)
        torch.npu.synchronize()
    assert {unit for _, _, unit in counts.kernels} == {"AICore"}


# --- autograd -------------------------------------------------------------------------------------

# Not repeat() by an array: the emulator lacks the kernel of torch's derivative.
FOLLOWED = [m for m in MOVES if m not in {"repeat none", "empty array", "of none", "full"}]


def gradient(function: Callable[[Any], Any], values: Any, device: str) -> tuple[Any, Any]:
    """The result, and the product of the derivative with a fixed vector."""
    x = torch.from_numpy(values).to(device).requires_grad_()
    with xp.options(device=device):
        result = xp.to_torch(function(xp.asarray(x)))
    weights = np.arange(1, result.numel() + 1).reshape(result.shape).astype(values.dtype)
    result.backward(torch.from_numpy(weights).to(device))
    return result.detach().cpu().numpy(), x.grad.cpu().numpy()


def assert_same_gradients(function: Callable[[Any], Any]) -> None:
    for name in FLOATING:
        values = np.arange(1, 21).reshape(4, 5).astype(name)
        expected, actual = (gradient(function, values, d) for d in ("cpu", "npu:0"))
        np.testing.assert_array_equal(actual[0], expected[0], name)
        np.testing.assert_array_equal(actual[1], expected[1], name)


@pytest.mark.parametrize("move", [*FOLLOWED, "mask", "mask of rows"])
def test_autograd_follows(move: str) -> None:
    assert_same_gradients(partial((MOVES | WAITING)[move], xp))


@pytest.mark.parametrize("case", KEYS)
def test_autograd_follows_assignments(case: str) -> None:
    key, shape, _ = KEYS[case]

    def assigned(x: xp.Array) -> xp.Array:
        y = xp.asarray(x, copy=True)
        size = math.prod(shape)
        y[arrays(key)] = xp.reshape(xp.concat([x, x], axis=None)[:size], shape) * 2.0
        return y

    assert_same_gradients(assigned)


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
        with no_copies_to_the_host():
            filled = [(v, xp.full(shape, v, dtype=dtype)) for v in (0.5, 65504.0, -0.0, math.inf)]
            filled += [(0, xp.zeros(shape, dtype=dtype)), (1, xp.ones(shape, dtype=dtype))]
        for value, x in filled:
            assert_same(x, np.full(shape, value, dtype="float16"))
    for k in (-5, -1, 0, 2, 7):
        assert_same(xp.eye(4, 6, k=k, dtype=dtype), np.eye(4, 6, k=k, dtype="float16"))


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_arange_of_floats(name: str) -> None:
    for start, stop, step in ((0, 3000, 1), (0.0, 1.0, 0.1), (0.5, -3, -0.7), (-1.5, 2.5, 0.3)):
        x = on_host(xp.arange(start, stop, step, dtype=getattr(xp, name)))
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


# --- casts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", NAMES)
def test_casts(source: str) -> None:
    """Numbers that both data types hold."""
    for target in NAMES:
        check_cast(source, target)


def check_cast(source: str, target: str) -> None:
    numbers = np.arange(0, 100)
    if np.dtype(source).kind in "ifc" and np.dtype(target).kind in "ifc":
        numbers = numbers - 50
    values = numbers.astype(source)
    x = xp.asarray(values)
    if np.dtype(source).kind == "c" and np.dtype(target).kind not in "cb":
        with pytest.raises(TypeError):
            xp.astype(x, getattr(xp, target))
        return
    with no_copies_to_the_host():
        result = xp.astype(x, getattr(xp, target))
    assert_same(result, values.astype(target))


# --- errors ---------------------------------------------------------------------------------------


def test_negative_counts_are_refused() -> None:
    x = xp.arange(4)
    with no_copies_to_the_host(), pytest.raises(ValueError, match="negative"):
        xp.repeat(x, -1)
    with pytest.raises(ValueError, match="negative"):
        xp.repeat(x, xp.asarray([1, -1, 1, 1]))
    assert_same(x, np.arange(4))


def test_positions_from_the_host_are_checked() -> None:
    x = xp.zeros((2, 3))
    with no_copies_to_the_host():
        with pytest.raises(IndexError, match="out of bounds"):
            x[2, 0]
        with pytest.raises(IndexError, match="does not fit"):
            x[xp.ones(3, dtype=xp.bool)]
        with pytest.raises(ValueError, match="broadcast"):
            x[0, :] = xp.zeros(2)


@needs_emulator
@pytest.mark.parametrize("mode", ["0", "1", "2"])
def test_every_mode_of_the_task_queue(mode: str) -> None:
    """What is refused would be raised late, and break the process, in mode 2."""
    script(
        "x = xp.reshape(xp.arange(20, dtype=xp.float64), (4, 5))\n"
        "for dtype in xp.__array_namespace_info__().dtypes().values():\n"
        "    y = xp.astype(x, dtype)\n"
        "    i = xp.asarray([2, 0, -1])\n"
        "    z = xp.roll(xp.flip(xp.tril(y)), 3)[i, ...]\n"
        "    z[:, i] = xp.repeat(y, 2)[:3]\n"
        "    xp.concat([xp.tile(z, (2, 1)), xp.eye(5, dtype=dtype)])\n"
        "    torch.npu.synchronize()\n",
        TASK_QUEUE_ENABLE=mode,
    )
