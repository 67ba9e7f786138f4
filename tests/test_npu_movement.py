"""Moving, indexing and creating arrays on NPUs: every data type, right and on the device.

The oracle is NumPy, bit by bit.  Where no shape depends on values, nothing may be copied to the
host.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
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

Move = tuple[Callable[[Any], Any], Callable[[Any], Any]]


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

X = xp.asarray
MOVES: dict[str, Move] = {
    "roll flat": (lambda x: xp.roll(x, 7), lambda x: np.roll(x, 7)),
    "roll axes": (
        lambda x: xp.roll(x, (1, -2, 3), axis=(0, 1, 0)),
        lambda x: np.roll(x, (1, -2, 3), (0, 1, 0)),
    ),
    "flip": (xp.flip, np.flip),
    "flip axis": (lambda x: xp.flip(x, axis=-1), lambda x: np.flip(x, -1)),
    "concat": (lambda x: xp.concat([x, x[1:, :]]), lambda x: np.concatenate([x, x[1:]])),
    "concat flat": (
        lambda x: xp.concat([x.T, x], axis=None),
        lambda x: np.concatenate([x.T, x], axis=None),
    ),
    "stack": (lambda x: xp.stack([x, x], axis=1), lambda x: np.stack([x, x], axis=1)),
    "repeat": (lambda x: xp.repeat(x, 3, axis=1), lambda x: np.repeat(x, 3, axis=1)),
    "repeat flat": (lambda x: xp.repeat(x.T, 2), lambda x: np.repeat(x.T, 2)),
    "repeat none": (lambda x: xp.repeat(x, 0), lambda x: np.repeat(x, 0)),
    "tile": (lambda x: xp.tile(x, (2, 1, 3)), lambda x: np.tile(x, (2, 1, 3))),
    "tile many": (
        lambda x: xp.tile(x, (2, 3, 2, 2, 2, 1)),
        lambda x: np.tile(x, (2, 3, 2, 2, 2, 1)),
    ),
    "reshape transposed": (
        lambda x: xp.reshape(x.T, (2, 10)),
        lambda x: x.T.reshape(2, 10),
    ),
    "copy strided": (
        lambda x: X(x[1:, ::2].T, copy=True),
        lambda x: x[1:, ::2].T.copy(),
    ),
    "broadcast": (
        lambda x: X(xp.broadcast_to(x, (3, 4, 5)), copy=True),
        lambda x: np.broadcast_to(x, (3, 4, 5)),
    ),
    "permute": (
        lambda x: xp.permute_dims(xp.expand_dims(x, axis=(0, 2)), (3, 1, 0, 2)),
        lambda x: np.expand_dims(x, (0, 2)).transpose(3, 1, 0, 2),
    ),
    "unstack": (lambda x: xp.unstack(x, axis=-1)[2], lambda x: x[:, 2]),
    "take": (lambda x: xp.take(x, X(COLUMNS), axis=1), lambda x: x.take(COLUMNS, 1)),
    "take along": (
        lambda x: xp.take_along_axis(x, X(ALONG), axis=1),
        lambda x: np.take_along_axis(x, ALONG, 1),
    ),
    "take along, broadcast": (
        lambda x: xp.take_along_axis(x[:1, :], X(ALONG), axis=1),
        lambda x: np.take_along_axis(np.broadcast_to(x[:1], (4, 5)), ALONG, 1),
    ),
    "array": (lambda x: x[X(ROWS), ...], lambda x: x[ROWS]),
    "arrays": (lambda x: x[X(ROWS), X(COLUMNS)], lambda x: x[ROWS, COLUMNS]),
    "outer": (
        lambda x: x[X(ROWS[:, None]), X(COLUMNS)],
        lambda x: x[ROWS[:, None], COLUMNS],
    ),
    "array and slice": (lambda x: x[::-2, X(COLUMNS)], lambda x: x[::-2][:, COLUMNS]),
    "array and integer": (lambda x: x[-1, X(COLUMNS)], lambda x: x[-1, COLUMNS]),
    "array and None": (
        lambda x: x[X(ROWS), None, X(COLUMNS)],
        lambda x: x[ROWS, None, COLUMNS],
    ),
    "0-d arrays": (lambda x: x[X(2), X(-1)], lambda x: x[2, -1]),
    "empty array": (
        lambda x: x[X(np.zeros((0, 2), dtype=np.int64)), ...],
        lambda x: x[np.zeros((0, 2), dtype=np.int64)],
    ),
    "of none": (lambda x: x[:, :0][X(ROWS), ...], lambda x: x[:, :0][ROWS]),
    "slices": (lambda x: x[3:0:-1, ::-2], lambda x: x[3:0:-1, ::-2]),
    "0-d": (lambda x: x[1, 2], lambda x: x[1, 2]),
    "tril": (lambda x: xp.tril(x, k=1), lambda x: np.tril(x, 1)),
    "triu": (lambda x: xp.triu(x, k=-1), lambda x: np.triu(x, -1)),
    "tril of many": (
        lambda x: xp.tril(xp.stack([x, xp.flip(x)])),
        lambda x: np.tril(np.stack([x, np.flip(x)])),
    ),
    "meshgrid": (
        lambda x: xp.stack(list(xp.meshgrid(x[0, :], x[1, :]))),
        lambda x: np.stack(np.meshgrid(x[0, :], x[1, :])),
    ),
    "full": (lambda x: xp.full((2, 3), x[1, 1]), lambda x: np.full((2, 3), x[1, 1])),
}
WAITING: dict[str, Move] = {
    "mask": (lambda x: x[X(MASK)], lambda x: x[MASK]),
    "mask of rows": (lambda x: x[X(MASK[:, 0])], lambda x: x[MASK[:, 0]]),
    "mask and integer": (lambda x: x[X(MASK[:, 0]), 1], lambda x: x[MASK[:, 0], 1]),
    "mask and slice": (
        lambda x: x[::-1, X(MASK[0, :])],
        lambda x: x[::-1][:, MASK[0, :]],
    ),
    "mask of nothing": (lambda x: x[X(MASK & False)], lambda x: x[MASK & False]),
    "mask 0-d": (lambda x: x[X(np.asarray(True))], lambda x: x[np.asarray(True)]),
    "repeat array": (
        lambda x: xp.repeat(x, X(COUNTS), axis=0),
        lambda x: np.repeat(x, COUNTS, axis=0),
    ),
    "repeat array of one": (
        lambda x: xp.repeat(x, X(a(2)), axis=1),
        lambda x: np.repeat(x, a(2), axis=1),
    ),
}


def strided(x: Any) -> Any:
    """The same elements in a part of a larger array, with gaps."""
    large = np.zeros((8, 15), dtype=x.dtype)
    large[1::2, 2::3] = x
    return large


@pytest.mark.parametrize("move", MOVES)
def test_moves(move: str) -> None:
    of_array, of_numpy = MOVES[move]
    for name in NAMES:
        values = sample(name, (4, 5))
        x, gaps = xp.asarray(values), xp.asarray(strided(values))[1::2, 2::3]
        with no_copies_to_the_host():
            results = [of_array(x), of_array(gaps)]
        for result in results:
            assert_same(result, of_numpy(values))
        assert_same(x, values)


@pytest.mark.parametrize("move", WAITING)
def test_moves_that_wait(move: str) -> None:
    of_array, of_numpy = WAITING[move]
    for name in NAMES:
        values = sample(name, (4, 5))
        for x in (xp.asarray(values), xp.asarray(strided(values))[1::2, 2::3]):
            assert_same(of_array(x), of_numpy(values))


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
        MOVES[move][0](x)
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
    assert_same_gradients((MOVES | WAITING)[move][0])


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

SCALARS: dict[str, list[Any]] = {
    "bool": [True, False],
    **{n: [0.1, -0.0, math.inf, -math.inf, math.nan, 1e-300, math.pi] for n in FLOATING},
}
for _name in ("complex64", "complex128"):
    SCALARS[_name] = [*SCALARS[_name], 1 + 2j, complex(0.1, -0.0), complex(math.nan, 1), -3j]
for _name in NAMES:
    if np.dtype(_name).kind in "iu":
        _limits = np.iinfo(_name)
        SCALARS[_name] = [
            v
            for v in (int(_limits.min), int(_limits.max), 0, 1, 2**24 + 1, 2**31 - 1, 2**53 + 1)
            if v <= _limits.max
        ]


@pytest.mark.parametrize("shape", [(), (3,), (0, 2), (2, 3, 4)])
@pytest.mark.parametrize("name", NAMES)
def test_fill(name: str, shape: tuple[int, ...]) -> None:
    dtype = getattr(xp, name)
    with no_copies_to_the_host():
        filled = [xp.full(shape, v, dtype=dtype) for v in SCALARS.get(name, [0.5, 65504.0])]
        zeros, ones = xp.zeros(shape, dtype=dtype), xp.ones(shape, dtype=dtype)
    for x, value in zip(filled, SCALARS.get(name, [0.5, 65504.0]), strict=True):
        assert_same(x, np.full(shape, value, dtype=name))
    assert_same(zeros, np.zeros(shape, dtype=name))
    assert_same(ones, np.ones(shape, dtype=name))
    zeros[...] = ones  # what was created can be written to
    assert_same(zeros, np.ones(shape, dtype=name))


@pytest.mark.parametrize("name", [n for n in NAMES if np.dtype(n).kind in "iu"])
def test_arange_of_integers(name: str) -> None:
    low, high = np.iinfo(name).min, np.iinfo(name).max
    ranges = [range(10), range(3, 20, 4), range(5, 2), range(10, 0, -3)]
    ranges += [range(high - 5, high, 2), range(low, low + 5, 3), range(high, high - 7, -2)]
    for start, step in ((2**24 - 3, 1), (2**53 - 3, 1), (2**62 + 1, 2**60 + 1)):
        stop = start + 3 * step
        ranges += [range(start, stop, step)] if stop <= high else []
    for r in ranges:
        with no_copies_to_the_host():
            x = xp.arange(r.start, r.stop, r.step, dtype=getattr(xp, name))
        assert_same(x, np.asarray(list(r), dtype=name))


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
def test_eye(name: str) -> None:
    for k in (-5, -1, 0, 2, 7):
        with no_copies_to_the_host():
            x = xp.eye(4, 6, k=k, dtype=getattr(xp, name))
        assert_same(x, np.eye(4, 6, k=k, dtype=name))


@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("name", FLOATING)
def test_linspace(name: str, endpoint: bool) -> None:
    ends: list[tuple[Any, Any]] = [(0, 1), (0.1, 0.7), (-3, 3), (2, 1)]
    if name.startswith("complex"):
        ends.append((0.25 + 1j, 3 - 2.5j))
    for start, stop in ends:
        for count in (0, 1, 2, 13, 100):
            with no_copies_to_the_host():
                x = xp.linspace(start, stop, count, dtype=getattr(xp, name), endpoint=endpoint)
            expected = np.linspace(start, stop, count, dtype=name, endpoint=endpoint)
            assert x.dtype == getattr(xp, name)
            np.testing.assert_allclose(on_host(x), expected, rtol=0, atol=8 * np.finfo(name).eps)
            if count > 1:
                assert on_host(x)[0] == np.asarray(start, dtype=name)
                assert not endpoint or on_host(x)[-1] == np.asarray(stop, dtype=name)


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
