"""What the kernels for GPUs compute under Triton's interpreter, each in a process of its own.

The kernels are imported within: Triton reads TRITON_INTERPRET when they are defined.
"""

from __future__ import annotations

import itertools

import numpy as np
import torch


class Doubt:
    def __init__(self):
        self.record = torch.zeros(8, dtype=torch.int32)
        self.right = False  # as of a call that nobody waits for

    @property
    def flag(self):
        return self.record, 3

    def place(self, x):
        return self.flag

    def written(self):
        assert not self.record[[0, 1, 2, 4, 5, 6, 7]].any()


def positions():
    """Look up and write at positions, within arrays and beyond, beside NumPy's take and put."""
    from ascend_array_api._backends.cuda import _positions

    numbers = np.random.default_rng(1)
    dtypes = ["bool", "int8", "uint16", "float32", "complex64", "int64", "complex128"]

    def draw(shape, dtype):
        return torch.from_numpy(numbers.integers(0, 100, shape).astype(dtype))

    for dtype, (shape, dim) in itertools.product(
        dtypes, [((5,), 0), ((4, 3), 0), ((4, 3), 1), ((2, 3, 4), 1)]
    ):
        x, size = draw(shape, dtype), shape[dim]
        for kind, count, beyond in itertools.product(
            [torch.int64, torch.int8], [(7,), (2, 3), (), (0,)], [0, 3]
        ):
            i = torch.from_numpy(np.asarray(numbers.integers(-size - beyond, size + beyond, count)))
            inside = np.clip(np.where(i < 0, i + size, i), 0, size - 1)
            wrong = bool(((i < -size) | (i >= size)).any())
            for doubt in (Doubt(), None):
                found = _positions.look_up(x, i.to(kind), dim, doubt and doubt.flag)
                assert np.array_equal(found, np.take(x.numpy(), inside, dim)), (dtype, shape, i)
                assert doubt is None or bool(doubt.record[3]) == wrong
        places = torch.tensor([*numbers.permutation(size), size, -size - 1])
        values = draw((*shape[:dim], len(places), *shape[dim + 1 :]), dtype)
        wanted, doubt, version = x.numpy().copy(), Doubt(), x._version
        np.moveaxis(wanted, dim, 0)[places[:-2].numpy()] = np.moveaxis(values.numpy(), dim, 0)[:-2]
        _positions.put(x, places, values, dim, doubt.flag)
        assert np.array_equal(x, wanted), (dtype, shape)
        assert doubt.record[3] == 1, (dtype, shape)
        assert x._version > version
        if dtype != "complex128":
            shown = (*shape[:dim], 6, *shape[dim + 1 :])
            i = torch.from_numpy(numbers.integers(-size, size + 1, shown))
            inside = np.minimum(np.where(i < 0, i + size, i), size - 1)
            doubt = Doubt()
            found = _positions.look_up_along(x, i, dim, doubt.flag)
            assert np.array_equal(found, np.take_along_axis(x.numpy(), inside, dim)), (dtype, shape)
            assert bool(doubt.record[3]) == bool((i == size).any())

    for dtype, shape in itertools.product(["bool", "float32", "int64"], [(7,), (2, 3), (0,)]):
        x = draw((4, 3), dtype)
        for beyond in ((0, 0), (2, 0), (0, 2), (2, 2)):
            points = [numbers.integers(-n - b, n + b, shape) for n, b in zip(x.shape, beyond)]
            inside = [np.clip(np.where(i < 0, i + n, i), 0, n - 1) for i, n in zip(points, x.shape)]
            wrong = [bool(((i < -n) | (i >= n)).any()) for i, n in zip(points, x.shape)]
            given = [torch.from_numpy(i).to(k) for i, k in zip(points, (torch.int64, torch.int8))]
            for doubts in ([Doubt(), Doubt()], [None, Doubt()], [Doubt(), None]):
                flags = [doubt and doubt.flag for doubt in doubts]
                found = _positions.look_up_points(x, given, flags)
                assert np.array_equal(found, x.numpy()[tuple(inside)]), (dtype, points)
                told = [d is None or bool(d.record[3]) == w for d, w in zip(doubts, wrong)]
                assert all(told), (points, doubts)


def bisection():
    """Search sorted numbers, and find members of them, beside NumPy."""
    from ascend_array_api._backends.cuda import _bisection

    numbers = np.random.default_rng(2)
    odd = [-np.inf, -0.0, 0.0, 1e-40, np.inf, np.nan, -np.nan]
    for dtype, count in itertools.product(["float32", "float64", "int8", "int64"], [*range(9), 33]):
        ordered = np.sort(numbers.integers(-6, 7, count).astype(dtype))
        x = numbers.integers(-8, 9, (7, 31)).astype(dtype)
        if dtype.startswith("float"):
            ends = numbers.choice(odd, count)
            ordered = np.sort(np.where(numbers.random(count) < 0.3, ends, ordered))
            x = np.where(numbers.random(x.shape) < 0.3, numbers.choice(odd, x.shape), x).astype(
                dtype
            )
            ordered = ordered.astype(dtype)
        for given in (torch.from_numpy(x), torch.from_numpy(x).T, torch.from_numpy(x[:0])):
            for invert in (False, True):
                found = _bisection.members(given, torch.from_numpy(ordered), invert=invert)
                wanted = np.isin(given, ordered, invert=invert)
                assert found.dtype is torch.bool, (dtype, count)
                assert np.array_equal(found, wanted), (dtype, count)
                found = _bisection.search(given, torch.from_numpy(ordered), right=invert)
                wanted = np.searchsorted(ordered, given.numpy(), "right" if invert else "left")
                assert found.dtype is torch.int64, (dtype, count)
                assert np.array_equal(found, wanted), (dtype, count)
        if not dtype.startswith("float"):  # of what is not sorted, too, it says what torch says
            mixed = torch.from_numpy(ordered[::-1].copy())
            for right in (False, True):
                found = _bisection.search(torch.from_numpy(x), mixed, right=right)
                assert torch.equal(
                    found, torch.searchsorted(mixed, torch.from_numpy(x), right=right)
                )


def parts():
    """Judge and measure complex numbers by their parts, beside NumPy of longer data types."""
    from ascend_array_api._backends.cuda import _parts

    odd = [0.0, -0.0, 1.5, -1e-40, 3e38, -3e38, np.inf, -np.inf, np.nan, -np.nan]
    for dtype in ("complex64", "complex128"):
        x = np.empty(len(odd) ** 2, dtype)
        pairs = np.array(list(itertools.product(odd, repeat=2)))
        x.real, x.imag = pairs.T
        for given in (x, x.reshape(10, 10), x[3], x[:0], np.array(x.real)):
            tensor = torch.from_numpy(np.asarray(given))
            for infinite, wanted in ((True, np.isinf), (False, np.isfinite)):
                found = _parts.judge(tensor, infinite=infinite)
                assert found.dtype is torch.bool, dtype
                assert np.array_equal(found, wanted(given)), dtype
    numbers = np.random.default_rng(3)
    for dtype, real, most in (("complex64", "float32", 130), ("complex128", "float64", 1030)):
        parts = np.ldexp(numbers.normal(size=(2, 2000)), numbers.integers(-most, most, (2, 2000)))
        parts[:, 1000:] = numbers.normal(size=(2, 1000)) * np.exp2(
            numbers.integers(-most, most, 1000)
        )
        with np.errstate(over="ignore"):
            x = np.concatenate([parts[0] + 1j * parts[1], pairs[:, 0] + 1j * pairs[:, 1]]).astype(
                dtype
            )
        x.real[-len(pairs) :], x.imag[-len(pairs) :] = pairs.T
        found = _parts.size(torch.from_numpy(x)).numpy()
        wanted = np.hypot(x.real.astype("longdouble"), x.imag.astype("longdouble"))
        assert found.dtype == real
        with np.errstate(over="ignore"):
            rounded = wanted.astype(real)
        usual = np.isfinite(rounded)
        assert usual.sum() > 1500
        assert np.array_equal(found[~usual], rounded[~usual], equal_nan=True)
        error = abs(found - wanted)[usual] / np.spacing(rounded[usual])
        assert error.max() <= 1, (dtype, error.max())


def products():
    """Multiply matrices of integers, which wrap around, beside NumPy."""
    from ascend_array_api._backends.cuda import _products

    numbers = np.random.default_rng(4)
    shapes = [
        ((3, 5), (5, 2)), ((17, 33), (33, 18)), ((4,), (4, 3)), ((3, 4), (4,)), ((6,), (6,)),
        ((2, 1, 3, 20), (4, 20, 5)), ((2, 3, 4), (4,)),
        ((3, 0), (0, 2)), ((0, 3), (3, 2)), ((0, 2, 3), (3, 2)),
    ]  # fmt: skip
    for dtype, (s1, s2) in itertools.product(["int8", "uint8", "int16", "int32", "int64"], shapes):
        ends = np.iinfo(dtype)
        x1, x2 = (numbers.integers(ends.min, ends.max, s, dtype, endpoint=True) for s in (s1, s2))
        for a, b in ((x1, x2), (np.asfortranarray(x1), np.full_like(x2, ends.min))):
            wanted = np.matmul(a, b)
            found = _products.product(torch.from_numpy(a), torch.from_numpy(b))
            assert found.numpy().dtype == dtype, (dtype, s1, s2)
            assert np.array_equal(found, wanted), (dtype, s1, s2)


def columns():
    """Find extremes and truths down columns, beside NumPy."""
    from ascend_array_api._backends.cuda import _columns
    from ascend_array_api._backends.cuda.reductions import _truth
    from ascend_array_api._backends.cuda.searching import _place

    numbers = np.random.default_rng(5)
    _columns._PROGRAMS = 16  # the interpreter takes one after the other
    rows = _columns.ROWS_OF_PLACES = _columns.ROWS_OF_TRUTHS = range(64, 4097)
    _columns._COLUMNS = range(2, 1000)
    odd = [0.0, -0.0, 1.0, -1.0, 1e-7, -1e-7, np.inf, -np.inf, np.nan, -np.nan]
    shapes = [
        ((64, 2), (0,)), ((2, 129, 3), (1,)), ((3, 9, 11, 4), (1, 2)), ((9, 65, 40), (1,)),
        ((2561, 9), (0,)), ((5 * 513, 1, 2), (0, 1)), ((66, 100), (0,)),
    ]  # fmt: skip

    def chosen(values, shape):
        some = numbers.permutation(values)[: numbers.integers(1, len(values) + 1)]
        return numbers.choice(some, shape)

    def as_numpy(x):
        return (x.float() if x.dtype is torch.bfloat16 else x).numpy()

    for shape, axes in shapes:
        for kind in "float16 bfloat16 float32 float64 int8 uint8 int32 int64".split():
            dtype = getattr(torch, kind)
            ends = odd
            if not dtype.is_floating_point:
                ends = np.asarray([np.iinfo(kind).min, 0, 1, np.iinfo(kind).max], kind)
            given = torch.from_numpy(chosen(ends, shape)).to(dtype)
            sizes = _columns.columns_of(given, axes, rows)
            for least, wanted in ((False, np.argmax), (True, np.argmin)) if len(axes) == 1 else ():
                found = _columns.place(given, axes[0], sizes, least=least)
                assert found.dtype is torch.int64
                assert np.array_equal(found, wanted(as_numpy(given), axis=axes[0])), (shape, kind)
        for kind in "bool int8 int16 float16 bfloat16 float32 int64 complex64".split():
            true = [1, -1] if "int" in kind else [1.0, -1.0, np.nan, 1e-7]
            for share in (0.0, 0.01, 0.99, 1.0):
                x = np.where(numbers.random(shape) < share, chosen(true, shape), -0.0)
                given = torch.from_numpy(x)
                if kind == "complex64":  # true by the one part or the other
                    given = torch.complex(*[given, 0 * given][:: numbers.choice([1, -1])])
                given = given.to(getattr(torch, kind))
                sizes = _columns.columns_of(given, axes, rows)
                for every, wanted in ((False, np.any), (True, np.all)):
                    found = _columns.truth(given, axes, sizes, every=every)
                    assert found.dtype is torch.bool
                    assert np.array_equal(found, wanted(as_numpy(given), axis=axes)), (shape, kind)
    x = torch.ones(3, 64, 64, 2)
    for given, axes in (
        (x, (2, 1)), (x, (0, 2)), (x, (3,)), (x, (0, 1, 2, 3)), (x.mT, (1,)), (x[..., :1], (1,)),
        (x[:0], (1,)), (x[:, :0], (1,)), (x[:, :, :0], (1,)), (x[:, :63, :1].contiguous(), (1,)),
        (x.to(torch.complex64).conj(), (1,)),
    ):  # fmt: skip
        assert _columns.columns_of(given, axes, rows) is None
    _columns._BYTES = 4 * x.numel() - 1
    assert _columns.columns_of(x, (1,), rows) is None
    _columns._BYTES += 1
    x[:, 5, :, 0] = x[2, :, 9, 1] = 0
    for axes in (None, (1,), (1, 2), (0, 2), (3,), (0,)):
        for keepdims in (False, True) if axes else ():
            found = _truth(torch.all, every=True)(x, axes, keepdims)
            assert np.array_equal(found, np.all(x.numpy(), axis=axes, keepdims=keepdims)), axes
        assert axes or not _truth(torch.all, every=True)(x)
        if axes is None or len(axes) == 1:
            axis = axes and axes[0]
            found = _place(torch.argmin, least=True)(x, axis)
            assert np.array_equal(found, np.argmin(x, axis)), axis


def runs():
    """Find distinct values by the runs of sorted ones, beside NumPy."""
    from ascend_array_api._backends.cuda import searching

    searching._MANY = 2
    numbers = np.random.default_rng(6)
    odd = [0.0, -0.0, 1e-40, -1e-7, 2.5, np.inf, -np.inf, np.nan, -np.nan]
    for kind, count, size in itertools.product(
        ["float16", "bfloat16", "float32", "float64", "int8", "uint8", "int64"],
        [1, 2, 9],
        [0, 1, 2, 3, 40, 1024, 1025, 3000],
    ):
        dtype = getattr(torch, kind)
        ends = odd
        if not dtype.is_floating_point:
            ends = np.asarray([*range(6), np.iinfo(kind).min, np.iinfo(kind).max, 7], kind)
        x = torch.from_numpy(numbers.choice(numbers.permutation(ends)[:count], size)).to(dtype)
        first, inverse, counts = searching._unique(x)
        assert {t.dtype for t in (first, inverse, counts)} == {torch.int64}
        x = (x.float() if dtype is torch.bfloat16 else x).numpy()
        first, inverse, counts = (t.numpy() for t in (first, inverse, counts))
        wanted = np.unique(x, True, True, True, equal_nan=False)
        assert np.array_equal(x[first], wanted[0], equal_nan=True), (kind, size)
        assert np.array_equal(counts, wanted[3]), (kind, size)
        number = x[first][inverse] == x[first][inverse]
        assert np.array_equal(inverse[number], wanted[2][number]), (kind, size)
        assert np.array_equal(first[inverse[number]], wanted[1][wanted[2][number]]), (kind, size)
        for place in np.flatnonzero(~number):  # each NaN is distinct
            assert first[inverse[place]] == place
        assert len(set(inverse[~number].tolist())) == (~number).sum()


def singular():
    """Note singular matrices, and not those that are NaN, as the checks of torch do."""
    from ascend_array_api._backends.cuda import linear_algebra as la

    numbers = np.random.default_rng(7)
    inv, solve = (
        la._noting(unchecked, solver)
        for unchecked, solver in (
            (la.inv_unchecked, torch.linalg.inv_ex),
            (la.solve_unchecked, torch.linalg.solve_ex),
        )
    )
    kinds = ("float32", "float64", "complex64", "complex128")
    for kind, size in itertools.product(kinds, (1, 3, 40)):
        dtype = getattr(torch, kind)
        good = torch.eye(size, dtype=dtype) * 2 + torch.from_numpy(numbers.random((size, size)))
        good = good.to(dtype)
        zero, odd, endless = torch.zeros_like(good), good.clone(), good.clone()
        zero_and_odd = zero.clone()
        for x, end in ((odd, np.nan), (zero_and_odd, np.nan), (endless, -np.inf)):
            x[-1, -1] = end * 1j if dtype.is_complex else end
        for matrices, wrong in (
            *(((good,), False), ((zero,), True), ((zero_and_odd,), False), ((endless,), False)),
            *(((good, zero), True), ((good, odd, good), False), ((odd, zero), True)),
            *(((good, zero_and_odd), False), ((zero_and_odd, good, zero), True)),
        ):
            stack = torch.stack(matrices)
            if len(matrices) == 1:
                stack = stack[0]
            other = torch.ones(*stack.shape[:-1], 2, dtype=dtype)
            for function, operands in (
                (inv, (stack,)), (inv, (stack.mT.contiguous().mT,)), (inv, (stack.conj(),)),
                (inv, (torch.stack([stack, stack], -1)[..., 0],)), (solve, (stack, other)),
                (solve, (stack, torch.stack([other, other]))),
            ):  # fmt: skip
                doubt = Doubt()
                result = function.noted(*operands, doubt=doubt)
                assert bool(doubt.record[3]) is wrong, (kind, size)
                expected = function(*operands)
                torch.testing.assert_close(
                    torch.isnan(result), torch.isnan(expected), equal_nan=True, rtol=0, atol=0
                )
                known = ~torch.isnan(expected)
                assert bool((result[known] == expected[known]).all())
        for empty in (good[None][:0], good[:0, :0], torch.stack([good, good])[:, :0, :0]):
            doubt = Doubt()
            assert inv.noted(empty, doubt=doubt).shape == empty.shape
            assert not doubt.record.any()
        assert inv.noted(good.requires_grad_(), doubt=Doubt()) is None  # others are to follow it
