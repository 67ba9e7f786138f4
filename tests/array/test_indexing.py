"""Indexing: what is a view, what is refused, and the edges.

Which elements a key selects is compared with NumPy in tests/samples/test_against_numpy.py.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import pytest
from refusals import refused
from torch.utils._python_dispatch import TorchDispatchMode

import ascend_array_api as xp
from ascend_array_api._arrays.array import wrap
from ascend_array_api._methods import indexing
from ascend_array_api._torch import torch
from workshop.samples.strategies import to_numpy


def test_a_mask_with_an_axis_of_size_zero_selects_nothing() -> None:
    x = xp.ones((3, 2))
    assert x[xp.zeros((0, 2), dtype=xp.bool)].shape == (0,)
    assert x[xp.zeros((0,), dtype=xp.bool)].shape == (0, 2)


def test_a_mask_stands_alone_in_a_key() -> None:
    """Or beside ``...``, which changes nothing."""
    values = np.arange(6).reshape(2, 3)
    x, row, column = xp.asarray(values), xp.asarray([True, False]), xp.asarray([True, False, True])
    for key in ((row, 0), (row, slice(None)), (row, None), (row, xp.asarray(0)), (0, column)):
        with pytest.raises(IndexError, match=r"a mask beside other items.*relaxed=True"):
            x[key]
        with pytest.raises(IndexError, match="a mask beside other items"):
            x[key] = 1
    assert np.array_equal(to_numpy(x), values)
    mask = np.asarray([True, False])
    assert np.array_equal(to_numpy(x[row, ...]), values[mask, ...])
    assert np.array_equal(to_numpy(x[..., column]), values[:, [0, 2]])
    with xp.options(relaxed=True):
        assert np.array_equal(to_numpy(x[row, 0]), values[mask, 0])
        assert np.array_equal(to_numpy(x[row, :]), values[mask, :])


@pytest.mark.parametrize("value", [True, "one", "many"])
def test_writing_to_an_array_by_a_mask_that_is_part_of_it(value: object) -> None:
    bits = [True, False, True, False, True]
    for target, mask in ((slice(0, 3), slice(1, 4)), (slice(1, 4), slice(0, 3)), (slice(3),) * 2):
        ours, theirs = xp.asarray(bits), np.asarray(bits)
        for x in (ours, theirs):
            part = x[4] if value == "one" else x[mask][x[mask]] if value == "many" else value
            x[target][x[mask] if x is ours else x[mask].copy()] = part  # NumPy reads as it writes
        assert np.array_equal(to_numpy(ours), theirs), (target, mask)


def test_writing_to_an_array_a_value_that_is_part_of_it_by_a_mask() -> None:
    x = xp.asarray([4, 5, 6])
    x[xp.asarray([True, False, True])] = x[1]
    assert np.array_equal(to_numpy(x), [5, 5, 5])
    one = xp.asarray(False)
    one[None][xp.asarray([True])] = one
    assert not one


@pytest.mark.parametrize("count", [5, 3000])
def test_writing_to_an_array_at_positions_that_it_holds(count: int) -> None:
    order = np.random.default_rng(7).permutation(count)
    ours, theirs = xp.asarray(order), order.copy()
    for x, values in ((ours, xp.arange(count)), (theirs, np.arange(count))):
        x[x] = values
        x[: count // 2][x[count // 2 :] % (count // 2)] = 1
    assert np.array_equal(to_numpy(ours), theirs)


def test_what_is_a_view_and_what_is_a_copy() -> None:
    x = xp.zeros((4, 3))
    for key in [0, slice(1, 3), slice(None, None, 2), Ellipsis, None]:
        view = x[key, ...] if key is not Ellipsis else x[...]
        view[...] = 1
        assert xp.any(x == 1), key
        x[...] = 0
    for key in [slice(None, None, -1), xp.asarray([0]), xp.asarray([True] * 4), xp.asarray(0)]:
        copy = x[key, ...]
        copy[...] = 1
        assert not xp.any(x == 1), key


@pytest.mark.parametrize("step", [5, 6, 2**31, 2**39, 2**40, 2**61, 2**62, 2**63 - 1, 2**63, 2**90])
def test_steps_beyond_all_elements(step: int) -> None:
    """Also such that, times a stride, no integer of 64 bits can be."""
    values = np.arange(3 * 4 * 5).reshape(3, 4, 5)
    for view in ((slice(None),), (slice(None, None, 2), slice(1, None, 2)), (slice(0), 1)):
        x, theirs = xp.asarray(values.copy()), values.copy()
        x, theirs = x[(*view, ...)], theirs[view]
        for start in (None, 0, 1, -1, 2, 9):
            for sign in (1, -1):
                part = slice(start, None, sign * step)
                for key in ((part, ...), (None, part, ...), (..., part), (..., part, None)):
                    assert np.array_equal(to_numpy(x[key]), theirs[key])
                x[part, ...], theirs[part] = -7, -7
                assert np.array_equal(to_numpy(x), theirs)


@pytest.mark.parametrize(
    "key",
    [
        *(np.s_[1, :, :, [0, 3, 1]], np.s_[[1, 0], :, ::-1, 2], np.s_[1, :, [[0, 3], [1, 2]], ...]),
        *(np.s_[:, 2, :, [[0, 4], [3, 2]]], np.s_[[[1], [0]], 1:, 0, [0, 3, 2]]),
        *(np.s_[:, [0, 2], [[1], [3]], ...], np.s_[0, ..., [4, 0, 2]]),
        np.s_[:, :, [0, 3, 1], ..., [4, 2, 0]],
        np.s_[:, :, [[0, 3], [1, 2]], ..., [[4, 0], [2, 1]]],
    ],
)
def test_axes_of_positions_that_are_apart_come_first(key: Any) -> None:
    values = np.arange(120).reshape(2, 3, 4, 5)
    ours = tuple(xp.asarray(i) if isinstance(i, list) else i for i in key)
    x, shape = xp.asarray(values, copy=True), values[key].shape
    np.testing.assert_array_equal(to_numpy(x[ours]), values[key])
    for part in (-np.arange(values[key].size).reshape(shape), -np.arange(1, shape[-1] + 1)):
        expected = values.copy()
        expected[key] = part
        x = xp.asarray(values, copy=True)
        x[ours] = xp.asarray(part)
        np.testing.assert_array_equal(to_numpy(x), expected)


def test_overlapping_assignment_is_as_in_numpy() -> None:
    b = np.arange(12).reshape(3, 4)
    y = xp.asarray(b, copy=True)
    y[xp.asarray([1, 0, 2]), :] = y
    np.testing.assert_array_equal(to_numpy(y), b[[1, 0, 2]])


@pytest.mark.skipif(xp.zeros(1).device != "cpu", reason="accelerators do not check")
def test_positions_out_of_bounds_are_refused_on_the_cpu() -> None:
    x = xp.zeros((3, 3))
    for position in (3, -4):
        key = xp.asarray([0, position])
        for use in (
            lambda key=key: x[key, ...],
            lambda key=key: x.__setitem__((key, ...), 1.0),
            lambda key=key: xp.take(x, key, axis=0),
            # where the result has no element either
            lambda key=key: xp.take(x[:, :0], key, axis=0),
            lambda key=key: x[:, :0][key, ...],
        ):
            with pytest.raises(IndexError, match="out of bounds"):
                use()
    assert not xp.any(x != 0)


def test_arrays_as_values() -> None:
    x = xp.zeros(2, dtype=xp.float32)
    x[:] = xp.asarray([1, 2], dtype=xp.float64)
    assert x.dtype is xp.float32
    np.testing.assert_array_equal(to_numpy(x), [1, 2])


REFUSED = r"""
[IndexError]
Add '...' | s[0]; s[0] = 1.0; m[1]; m[1] = 1.0
3 axes are indexed | s[0, 0, 0]; s[0, 0, 0] = 1.0
stands 2 times | s[..., ...]; s[..., ...] = 1.0
out of bounds | s[4, 0]; s[4, 0] = 1.0; s[-4, 0]; s[-4, 0] = 1.0
Python float 0.0 is not allowed | s[0.0, 0]; s[0.0, 0] = 1.0
not allowed | s[True, 0]; s[True, 0] = 1.0
Python str | s["a", 0]; s["a", 0] = 1.0
asarray | s[[0, 1], 0]; s[[0, 1], 0] = 1.0
numpy.ndarray | s[np.array([0, 1]), 0]; s[np.array([0, 1]), 0] = 1.0
float32 is not allowed | s[x[:1], ...]; s[x[:1], ...] = 1.0
does not fit | m.T[b, ...]
could not be broadcast | s[n - 1, xp.asarray([0, 1, 2])]
axis 2 | xp.take(m, n, axis=2)
[TypeError]
slice indices | s[0.5:, 0]; s[0.5:, 0] = 1.0
setitem | n[0] = 1.0; n[0] = 0.5; n[0] = True; x[0] = 1j; x[0] = True; b[0] = 1; x[0] = "1"
setitem | x[0] = None; x[0] = [1.0]; x[0] = np.ones(2); i8[b] = 0.5; i8[...] = 1.0; i8[b] = True
do not promote | x[:] = n
complex | x[:] = z
integer | xp.take(m, x, axis=0)
[OverflowError]
setitem | i8[0] = 128; i8[b] = -1000; i8[...] = 2**64; i8[b] = 2**64
setitem | u64[0] = -1; u64[...] = -1000; u64[b] = 2**64
[ValueError]
could not be broadcast | x[:] = v; xp.take_along_axis(m, n[:1])
different devices | x[:] = meta; s[meta, ...]; s[meta, ...] = 1.0
axis is required | xp.take(m, n)
one-dimensional | xp.take(m, k, axis=0)
^.*was broadcast | xp.broadcast_to(v, (2, 3))[0, :] = 1.0; xp.broadcast_to(v, (2, 3)).__iadd__(1.0)
"""
test_what_is_refused = refused(
    REFUSED,
    meta=lambda: wrap(torch.zeros(2, dtype=torch.int64, device="meta")),
    u64=lambda: xp.zeros(2, dtype=xp.uint64),
)


def test_take_along_axis_promotes_nothing_and_counts_from_the_end() -> None:
    a, along = np.arange(12, dtype=np.uint64).reshape(3, 4), np.array([[-1, 0], [1, 2], [3, -4]])
    got = xp.take_along_axis(xp.asarray(a), xp.asarray(along))
    np.testing.assert_array_equal(to_numpy(got), np.take_along_axis(a, along, -1))
    with pytest.raises(IndexError, match=r"take_along_axis: .* allowed are -4 to 3"):
        xp.take_along_axis(xp.asarray(a, device="cpu"), xp.asarray([[2**40]] * 3, device="cpu"))


def written(x: xp.Array, key: Any, value: xp.Array) -> tuple[object, ...]:
    """What writing to a copy gives: its elements, or the error."""
    x = xp.asarray(x, copy=True) if x.dtype is not xp.bool else x ^ False
    version = x._tensor._version
    try:
        x[key] = value
    except Exception as error:  # noqa: BLE001  # it is compared
        return type(error), str(error), to_numpy(x).tolist()
    assert x._tensor._version > version or not x.size
    return x.shape, x.dtype, to_numpy(x).tolist()


def test_the_short_way_to_write_to_views(monkeypatch: pytest.MonkeyPatch) -> None:
    with xp.options(device="cuda" if torch.cuda.is_available() else "cpu"):
        compare_ways_to_write(monkeypatch)


def compare_ways_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = (None, 0, 1, -1, 5, True, np.int64(1))
    items: list[Any] = [*(slice(a, b) for a in ends for b in ends[::2]), *(0, -1, 2, -4, 2**70)]
    items += [slice(None, None, 2), slice(None, None, -1), None, ..., True, np.int64(1), 1.0]
    pairs = [(a, b) for a in items for b in items[:: len(items) // 9]]
    keys = [(), *((a,) for a in items), *pairs, *((b, a) for a, b in pairs), (0, 0, slice(None))]
    shapes = ((), (1,), (3,), (2, 3), (3, 1), (1, 1), (1, 1, 3), (0,), (0, 3), (2, 1, 3))
    cases = [
        (xp.zeros(shape, dtype=dtype), key, xp.ones(other, dtype=dtype) * 2)
        for shape, dtype in zip(
            ((2, 3), (3,), (), (0, 3)), (xp.int64, xp.float32, xp.int32, xp.int8)
        )
        for key in keys
        for other in shapes
    ]
    for i, (x, key, value) in enumerate(cases[::23]):
        value = value if i % 2 else xp.astype(value, xp.int8 if i % 4 else x.dtype)
        x[...] = 1  # the kernel is found
        found = written(x, key, value)
        with monkeypatch.context() as patch:
            patch.setattr(indexing, "_fast_setitem", lambda *_: None)
            assert found == written(x, key, value), (x.shape, key, value.shape)
    x = xp.zeros((2, 3))
    assert indexing._fast_setitem(x, (slice(None), 0), xp.ones(2))
    assert indexing._fast_setitem(x, (1, slice(1, None)), xp.ones(1))
    assert to_numpy(x).tolist() == [[1, 0, 0], [1, 1, 1]]
    wide = xp.broadcast_to(xp.zeros(3), (2, 3))
    for target, key, value in (
        *((x, (slice(None), 0), x[:, 1]), (wide, (0, 0), xp.zeros(()))),
        *((x, (0, slice(None)), xp.ones((1, 3))), (x, (0, 0), xp.ones((), dtype=xp.float64))),
    ):
        assert indexing._fast_setitem(target, key, value) is None


def test_operators_in_place_on_a_part_write_once() -> None:
    """NumPy's results; Python then assigns the part to its own place, which copies nothing."""

    class Copies(TorchDispatchMode):
        number = 0

        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), named: Any = None):
            self.number += "copy_" in str(function)
            return function(*args, **(named or {}))

    keys: Any = np.s_[1:, :], np.s_[:, 1], np.s_[...], np.s_[1, :2], (0, 1), np.s_[:3:2, :]
    for key in keys:
        numbers = np.arange(12.0, dtype=np.float32).reshape(3, 4)
        x = xp.asarray(numbers.copy(), device="cpu")
        with Copies() as copies:
            x[key] += 2.0
        assert copies.number == 0, key
        numbers[key] += 2.0
        assert (to_numpy(x) == numbers).all(), key
    z = xp.asarray([1 + 2j, 3 - 1j], device="cpu")
    z[...] = xp.asarray(torch.conj(xp.to_torch(z)))  # the same memory, read otherwise
    assert (to_numpy(z) == [1 - 2j, 3 + 1j]).all()
    z[0:2,] = wrap(torch.conj(xp.to_torch(z))[0:2])
    assert (to_numpy(z) == [1 + 2j, 3 - 1j]).all()
    parts = xp.asarray(xp.to_torch(z).imag)
    parts[:2,] = wrap(torch.conj(xp.to_torch(z)).imag)  # marked as negative
    assert (to_numpy(z) == [1 - 2j, 3 + 1j]).all()
    leaf = torch.ones(3, requires_grad=True)
    x = xp.asarray(leaf * 2)
    x[1:] = xp.asarray(xp.to_torch(x)[1:].detach())  # which ends the derivatives
    x[:2] *= 5.0
    xp.to_torch(x).sum().backward()
    assert leaf.grad is not None
    assert leaf.grad.tolist() == [10.0, 0.0, 0.0]


def test_the_same_key_selects_other_elements_of_another_array() -> None:
    """A view remembers its key, to be assigned to its own place without a copy, and there alone."""
    key: Any = np.s_[1:, :]
    numbers = np.arange(12.0).reshape(6, 2)
    x = xp.asarray(numbers.copy(), dtype=xp.float64, device="cpu")
    first, second = x[:3, :], x[3:, :]
    second[key] = first[key]
    numbers[4:] = numbers[1:3]
    assert (to_numpy(x) == numbers).all()
    part = x[key]
    part[key] = x[key][:4, :]
    numbers[2:] = numbers[1:5].copy()
    assert (to_numpy(x) == numbers).all()
    seen = weakref.ref(part)
    rest = part[key]
    del part
    assert seen() is None  # a view keeps the memory, and not the array it was taken of
    assert (to_numpy(rest) == numbers[2:]).all()


def test_what_is_written_to_views_has_derivatives() -> None:
    leaf = torch.tensor([1.0, 2.0], requires_grad=True)
    x = xp.zeros((2, 3))
    x[:, 1] = xp.asarray(leaf, device=x.device) * 3
    xp.to_torch(xp.sum(x * x)).backward()
    assert leaf.grad is not None
    assert leaf.grad.tolist() == [18.0, 36.0]

    def wide(y: xp.Array) -> xp.Array:
        z = xp.zeros((2, 3)) + y[0]
        z[:, 0] = y
        return z

    rows = torch.vmap(wide)(xp.asarray([[1.0, 2.0], [3.0, 4.0]]))
    assert to_numpy(rows).tolist() == [[[1, 1, 1], [2, 1, 1]], [[3, 3, 3], [4, 3, 3]]]


@pytest.mark.parametrize("position", [15, -16])
@pytest.mark.parametrize("shape", [(3, 3), (0, 3), (3, 0)])
@pytest.mark.parametrize("form", [int, lambda p: xp.asarray(p), lambda p: xp.asarray([p])])
@pytest.mark.parametrize("writes", [False, True])
def test_a_position_out_of_bounds_raises_beside_none(
    position: int, shape: tuple[int, ...], form: Any, writes: bool
) -> None:
    nothing = xp.asarray([], dtype=xp.int64)
    x = xp.zeros(shape)
    for key in ((form(position), nothing), (nothing, form(position))):
        with xp.options(checks="wait"), pytest.raises(IndexError, match="^index: "):
            x.__setitem__(key, 1.0) if writes else x.__getitem__(key)


# --- numbers at the ends of data types ------------------------------------------------------------


MASK = np.asarray([True, False, True])
LARGEST = float(np.finfo(np.float32).max)
NUMBERS = [
    *(1, 127, 2**53 + 1, 0.1, 1e39, -1e39, LARGEST, LARGEST * (1 + 1e-8), 2.0**128, 1e-46, -0.0)
]


@pytest.mark.parametrize("name", ["float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("value", [*NUMBERS, np.inf, -np.inf, np.nan])
def test_numbers_that_are_written_round_as_numpys(name: str, value: float) -> None:
    """Also where torch would raise: what is beyond float32 is infinite."""
    expected = np.zeros(3, dtype=name)
    with np.errstate(over="ignore"):
        expected[MASK] = np.asarray(value, dtype=np.float64)
    for key in (xp.asarray(MASK), slice(None, None, 2)):
        x = xp.zeros(3, dtype=getattr(xp, name))
        x[key] = value
        np.testing.assert_array_equal(to_numpy(x), expected)
        assert np.array_equal(np.signbit(to_numpy(x).real), np.signbit(expected.real))


def test_bounds_beyond_a_data_type_clip_nothing() -> None:
    for name in ("float16", "float32", "float64"):
        x = np.asarray([-1.0, 0.0, 2.0, np.inf, -np.inf], dtype=name)
        for low, high in ((-1e39, 1e39), (0.5, 1e39), (-1e39, 0.5), (-np.inf, np.inf), (0, 1e300)):
            with np.errstate(over="ignore"):
                expected = np.clip(x, np.asarray(low).astype(name), np.asarray(high).astype(name))
            np.testing.assert_array_equal(to_numpy(xp.clip(xp.asarray(x), low, high)), expected)


# --- positions that are there several times -------------------------------------------------------


def _keys_with_repeats(rng: np.random.Generator) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    shape = tuple(rng.integers(1, 5, rng.integers(1, 5)))
    count = rng.integers(1, len(shape) + 1)
    dims = rng.choice(len(shape), count, replace=False)
    together = tuple(rng.integers(1, 5, rng.integers(1, 3)))
    key: list[Any] = [slice(None)] * len(shape)
    for dim in dims:
        size = tuple(n if rng.random() < 0.7 else 1 for n in together)
        key[dim] = rng.integers(-shape[dim], shape[dim], size)
    return shape, tuple(key)


@pytest.mark.parametrize("dtype", [xp.float32, xp.bfloat16, xp.complex128, xp.uint32, xp.bool])
def test_the_last_value_for_a_position_stays(dtype: xp.DType) -> None:
    """As in NumPy, on the CPU, where values are written in order."""
    rng = np.random.default_rng(3)
    for _ in range(100):
        shape, key = _keys_with_repeats(rng)
        theirs = np.zeros(shape, "int64")
        given = theirs[key].shape
        values = rng.integers(0, 200, tuple(n if rng.random() < 0.8 else 1 for n in given))
        if dtype is xp.bool:
            values %= 2
        theirs[key] = values
        ours = xp.zeros(shape, dtype=dtype, device="cpu")
        own = (xp.asarray(i, device="cpu") if isinstance(i, np.ndarray) else i for i in key)
        ours[tuple(own)] = xp.astype(xp.asarray(values, device="cpu"), dtype)
        if dtype is xp.complex128:
            ours = xp.real(ours)
        assert np.array_equal(to_numpy(xp.astype(ours, xp.int64)), theirs)


@pytest.mark.parametrize("shape", [(33, 1000), (33_000,), (200_000,)])
def test_it_stays_with_several_threads(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(4)
    positions, values = rng.integers(0, 2000, shape), rng.normal(size=shape)
    theirs = np.zeros(2000)
    theirs[positions] = values
    before = torch.get_num_threads()
    try:
        for threads in (2, 8):
            torch.set_num_threads(threads)
            for _ in range(5):
                ours = xp.zeros(2000, dtype=xp.float64, device="cpu")
                ours[xp.asarray(positions, device="cpu")] = xp.asarray(values, device="cpu")
                assert np.array_equal(to_numpy(ours), theirs)
    finally:
        torch.set_num_threads(before)


def test_only_the_value_that_stays_has_a_derivative() -> None:
    rng = np.random.default_rng(5)
    for _ in range(100):
        shape, key = _keys_with_repeats(rng)
        given = np.zeros(shape)[key].shape
        values = rng.normal(size=tuple(n if rng.random() < 0.8 else 1 for n in given))
        weights = rng.normal(size=shape)
        before = torch.zeros(shape, dtype=torch.float64, requires_grad=True)
        leaf = torch.tensor(values, requires_grad=True)
        ours = xp.asarray(before) * 1.0
        own = tuple(xp.asarray(i, device="cpu") if isinstance(i, np.ndarray) else i for i in key)
        ours[own] = xp.asarray(leaf)
        (xp.to_torch(ours) * torch.tensor(weights)).sum().backward()
        source = np.full(shape, -1)  # which value stays where
        source[key] = np.arange(values.size).reshape(values.shape)
        expected = np.zeros(values.size)
        np.add.at(expected, source[source >= 0], weights[source >= 0])
        assert leaf.grad is not None
        assert before.grad is not None
        np.testing.assert_allclose(leaf.grad.numpy().ravel(), expected)
        np.testing.assert_array_equal(before.grad.numpy(), np.where(source < 0, weights, 0))

        def written(x: xp.Array, y: xp.Array, own: Any = own, weights: Any = weights) -> Any:
            ours = x * 1.0
            ours[own] = y
            return xp.to_torch(xp.sum(ours * xp.asarray(weights, device="cpu")))

        operands = xp.asarray(np.zeros(shape), device="cpu"), xp.asarray(values, device="cpu")
        by_x, by_y = torch.func.grad(written, (0, 1))(*operands)
        np.testing.assert_array_equal(to_numpy(by_x), before.grad.numpy())
        np.testing.assert_allclose(to_numpy(by_y).ravel(), expected)


def test_a_derivative_sees_that_positions_were_written_to() -> None:
    x, leaf = xp.ones(3, device="cpu"), torch.ones(3, requires_grad=True)
    product = xp.to_torch(xp.asarray(leaf) * x)
    x[xp.asarray([[0], [2]], device="cpu")] = xp.asarray([[5.0], [6.0]], device="cpu")
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize(
    "key",
    [
        *(..., (..., 1), (1, ...), (slice(None), ..., 0), (0, ..., slice(1)), (0, 1, ...)),
        *((slice(None), 1, slice(None)), (None, ..., slice(None), 2), (0, None, ..., 0)),
    ],
)
def test_keys_that_select_all_along_an_axis(key: Any, axis: int) -> None:
    """As NumPy tells: then each position along the axis is among what is selected."""
    positions = np.indices((2, 3, 4))[axis]
    distinct = set(np.ravel(positions[key]).tolist())
    assert indexing._is_all_along(key, axis, 3) == (len(distinct) == (2, 3, 4)[axis])
