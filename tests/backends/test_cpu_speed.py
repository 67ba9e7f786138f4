"""What is computed on the CPU in fewer passes is what torch's own kernels, or exact ones, give.

With as many elements as the ways by NumPy begin at, in pieces over several threads, with what is
exceptional in every place and without, and where derivatives or transformations are asked for.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from timeit import Timer
from typing import Any

import mpmath
import numpy as np
import pytest
import torch
from parametrize import nightly, others_nightly

import ascend_array_api as xp
from ascend_array_api._backends.cpu import _numpy, indexing
from ascend_array_api._devices.device import spec_named
from ascend_array_api._routes._kernels import Kernels
from ascend_array_api._routes._operations import OPS
from benchmarks.measure import peak_memory
from workshop.samples.special import REFERENCES

N = 3 * _numpy.PIECE + 5
RNG = np.random.default_rng(7)
NAN, INF = np.nan, np.inf
ODD: dict[str, tuple[float, ...]] = {
    "plain": (),
    "zeros": (0.0, -0.0, 0.0, -0.0),
    "infinite": (INF, -INF),
    "nan": (NAN, NAN),
    "all": (NAN, INF, -INF, 0.0, -0.0, 1e-40, -1e-40, 3e38, -3e38),
}


pytestmark = pytest.mark.cpu


# With more threads than several, many elements take the way of few, which all other tests take.
@pytest.fixture(
    autouse=True, params=[3, pytest.param(_numpy._SEVERAL + 1, marks=pytest.mark.nightly)]
)
def threads(request: Any) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield
    torch.set_num_threads(before)


def floats(dtype: str, odd: str, size: int = N, scale: float = 3.0) -> np.ndarray[Any, Any]:
    x = (RNG.standard_normal(size) * scale).astype(dtype)
    x[x == 0] = 1
    for value in ODD[odd]:
        x[RNG.integers(0, size, 3)] = value
    return x


def same_signs(got: Any, want: np.ndarray[Any, Any]) -> None:
    numbers = ~np.isnan(want)
    np.testing.assert_array_equal(np.signbit(got)[numbers], np.signbit(want)[numbers])


def alike(got: Any, want: np.ndarray[Any, Any]) -> None:
    values = np.asarray(got)
    assert values.dtype == want.dtype
    np.testing.assert_array_equal(values, want)
    if want.dtype.kind == "f":
        same_signs(values, want)


def near(got: Any, want: np.ndarray[Any, Any], dtype: Any, ulps: float) -> None:
    """See that numbers are within so many units of wider ones, and others the same."""
    values = np.asarray(got)
    with np.errstate(all="ignore"):
        rounded = want.astype(dtype)
        known = np.isfinite(rounded)
        errors = np.abs(values - want)[known] / np.spacing(np.abs(rounded[known]))
    assert np.max(errors, initial=0) <= ulps
    np.testing.assert_array_equal(values[~known], rounded[~known])


def quotient(a: Any, b: Any) -> Any:
    """Floor division by the standard: of infinite operands the floor of the quotient."""
    with np.errstate(all="ignore"):
        infinite = np.isinf(a) | np.isinf(b)
        return np.where(infinite, np.floor(a / b), np.floor_divide(a, b))


def powered(a: Any) -> Any:
    with np.errstate(all="ignore"):
        return np.where(a == -INF, a.dtype.type(INF), np.sqrt(a) + 0)


UNARY: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "sign": (xp.sign, np.sign),
    "isfinite": (xp.isfinite, lambda x: ~(np.isnan(x) | (np.abs(x) == INF))),
    "isinf": (xp.isinf, lambda x: np.abs(x) == INF),
    "isnan": (xp.isnan, lambda x: x != x),
    "signbit": (xp.signbit, np.signbit),
    "trunc": (xp.trunc, lambda x: np.copysign(np.floor(np.abs(x)), x)),
    "x ** 3": (lambda x: x**3, lambda x: x * x * x),
    "x // 1.5": (lambda x: x // 1.5, lambda x: quotient(x, x.dtype.type(1.5))),
    "x // inf": (lambda x: x // INF, lambda x: quotient(x, x.dtype.type(INF))),
    "clip": (lambda x: xp.clip(x, -1, 2.5), lambda x: np.minimum(np.maximum(x, -1), 2.5)),
    "clip below": (lambda x: xp.clip(x, None, 1), lambda x: np.minimum(x, 1)),
    "clip above": (lambda x: xp.clip(x, 1e300), lambda x: np.maximum(x, x.dtype.type(1e300))),
    "clip nan": (lambda x: xp.clip(x, NAN, 1), lambda x: np.full_like(x, NAN)),
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", UNARY)
def test_of_one_array(name: str, dtype: str, odd: str) -> None:
    ours, exact = UNARY[name]
    with np.errstate(all="ignore"):
        for size in (N, 2000, 7):
            x = floats(dtype, odd, size)
            alike(ours(xp.asarray(x)), exact(x))
            alike(ours(xp.asarray(x)[::-2]), exact(x[::-2]))


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_power_of_one_half(dtype: str, odd: str) -> None:
    """Of powers the standard asks for special cases, and not for correct rounding."""
    for size in (N, 2000, 7):
        for sign in (1, -1):
            x = floats(dtype, odd, size)
            x[1:] = sign * np.abs(x[1:])
            followed = xp.asarray(torch.tensor(x).requires_grad_()) ** 0.5
            for a, got in (
                (x, xp.asarray(x) ** 0.5),
                (x[::-2], xp.asarray(x)[::-2] ** 0.5),
                (x, followed._tensor.detach()),
            ):
                exact, values = powered(a), np.asarray(got)
                usual = np.isfinite(exact) & (exact != 0)
                np.testing.assert_array_max_ulp(values[usual], exact[usual], 1)
                alike(values[~usual], exact[~usual])
            whole = np.asarray(xp.asarray(x)[::-2] ** 0.5)
            alike(xp.asarray(x[::-2].copy()) ** 0.5, whole)


@pytest.mark.parametrize("odd", ["plain", "all"])
@pytest.mark.parametrize(
    "name", ["asinh", "acosh", "atan", "sinh", "cosh", "sqrt", "tan", "tanh", "log2", "log10"]
)
def test_transcendental_functions_are_as_near_as_torch(name: str, odd: str) -> None:
    exact = getattr(np, {"asinh": "arcsinh", "acosh": "arccosh", "atan": "arctan"}.get(name, name))
    function = getattr(xp, name)
    for dtype in ("float32", "float64"):
        for scale in (0.01, 1.0, 30.0, 88.0 if dtype == "float32" else 709.0):
            x = floats(dtype, odd, N, scale)
            with np.errstate(all="ignore"):
                want = exact(x.astype(np.longdouble))
            near(function(xp.asarray(x)), want, dtype, 0.501 if name == "sqrt" else 4)


def nearest_root(x: float) -> float:
    """The root of a float64, rounded to the nearest by integers alone."""
    numerator, denominator = x.as_integer_ratio()
    scale = 120 + denominator.bit_length() // 2 * 2
    root = math.isqrt((numerator << 2 * scale) // denominator)  # the middle of two is no root
    return root / (1 << scale)  # Python rounds the quotient of integers to the nearest


def near_the_middle() -> list[float]:
    """Numbers whose roots are nearly in the middle of two float64: squares of Z / 2, less c."""
    found = []
    for shift in (52, 53):
        for c in range(-400, 402, 2):
            bits, roots = 3, {1, 3, 5, 7}
            while bits < shift + 2:
                bits += 1
                lifted = {z + k for z in roots for k in (0, 1 << bits - 2, 1 << bits - 1)}
                roots = {z % (1 << bits) for z in lifted if (z * z - 1 - 4 * c) % (1 << bits) == 0}
            for z in roots:
                for first in (z, z + (1 << shift + 2)):
                    x = (first * first - 1) // 4 - c
                    if 2**52 <= x >> shift < 2**53 and 2**53 <= first < 2**54:
                        found.append(math.ldexp(x >> shift, shift - 104))
    return found


def hard_roots() -> np.ndarray[Any, Any]:
    """Those, what is next to powers of two, and squares."""
    numbers = near_the_middle()
    assert len(numbers) > 100
    numbers += [2.0**k for k in range(-499, 500)]
    numbers += [(1 + k * 2.0**-26) ** 2 for k in range(-50, 50)]
    numbers += [v * 4.0**k for v in numbers[:200] for k in (-249, -3, 3, 248)]
    numbers += [math.nextafter(v, end) for v in numbers for end in (0, math.inf)]
    return np.asarray(numbers)


@pytest.mark.parametrize("several", [0, 1 << 20])
def test_square_roots_in_portions(several: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many threads take them, rounded to the nearest, by a longer data type; and as few do."""
    monkeypatch.setattr(_numpy, "_SEVERAL", several)
    for dtype, size in (("float32", 2**20 + 5), ("float64", N)):
        x = floats(dtype, "all", size)
        # From float64 to float32 no root is rounded to the middle of two.
        roots = [math.sqrt(v) if v >= 0 else NAN for v in x.tolist()]
        want = np.asarray(roots).astype(dtype)
        alike(xp.sqrt(xp.asarray(x)), want)
        alike(xp.sqrt(xp.asarray(x)[::-2]), want[::-2])
        turned = xp.permute_dims(xp.reshape(xp.asarray(x[:-5]), (-1, 4)), (1, 0))
        alike(xp.sqrt(turned), want[:-5].reshape(-1, 4).T)


@pytest.mark.parametrize("threads", [0, 1 << 20])
def test_hard_square_roots(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_numpy, "_SEVERAL", threads)
    hard = hard_roots()
    want = np.asarray([nearest_root(v) for v in hard.tolist()])
    alike(xp.sqrt(xp.asarray(np.tile(hard, 40))), np.tile(want, 40))


ROLLED = ["bool", "uint16", "int32", "int64", "uint64", "float32", "float64", "complex128"]


@pytest.mark.parametrize("dtype", ROLLED)
def test_rolls_along_several_axes(dtype: str) -> None:
    x = RNG.integers(-100, 100, (2, 360, 1, 1480)).astype(dtype)
    assert x.nbytes >= indexing._BLOCKS
    a = xp.asarray(x)
    for shift, axis in (
        ((3, -5), (1, 3)),
        ((1, 0), (0, 3)),
        ((360, 1480), (1, 3)),
        ((0, 7), (2, 1)),
        ((1, 100, 1479), (0, 1, 3)),
        ((1, 2, 3, 4), (0, 1, 2, 3)),
        ((5, 6, 7), (3, 1, 3)),
    ):
        want = np.roll(x, shift, axis)
        alike(xp.roll(a, shift, axis=axis), want)
    turned = xp.permute_dims(a, (3, 1, 2, 0))
    for part, axes in ((a[::-1, :, :, 2:], (1, 3)), (turned, (0, 1)), (turned, (3, 0))):
        alike(xp.roll(part, (1, -3), axis=axes), np.roll(np.asarray(part), (1, -3), axes))
    repeated = xp.broadcast_to(a[0, 0, :, :], (1000, 1480))
    alike(xp.roll(repeated, (1, 3), axis=(0, 1)), np.roll(np.asarray(repeated), (1, 3), (0, 1)))
    alike(xp.roll(a[:0, ...], (1, 2), axis=(0, 1)), x[:0])
    if a.dtype in (xp.float32, xp.float64, xp.complex128):
        for axes in (None, (1, 3)):
            alike(xp.fft.fftshift(a, axes=axes), np.fft.fftshift(x, axes))
            alike(xp.fft.ifftshift(a, axes=axes), np.fft.ifftshift(x, axes))


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_integers_by_one_number(dtype: str) -> None:
    limits = np.iinfo(dtype)
    x = RNG.integers(limits.min, limits.max, N, dtype=dtype, endpoint=True)
    x[:2] = limits.min, limits.max
    wide = x.astype(object)
    for divisor in (3, -3, 1, 7, -1, limits.max, limits.min, 2**20):
        if divisor != -1:
            alike(xp.asarray(x) // divisor, (wide // divisor).astype(dtype))
        alike(xp.asarray(x) % divisor, (wide % divisor).astype(dtype))
    for by_zero in (lambda: xp.asarray(x) // 0, lambda: xp.asarray(x) % 0):
        with pytest.raises(ZeroDivisionError):
            by_zero()


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sorting_and_distinct_values(dtype: str, odd: str) -> None:
    """The order is that of Python's stable sort, which knows of no array."""
    x = floats(dtype, odd, 5000)
    if odd == "all":
        x[::7] = RNG.integers(-3, 4, len(x[::7]))

    def key(value: float) -> tuple[bool, float]:
        return (value != value, value if value == value else 0.0)

    for shape, axis in (((5000,), 0), ((50, 100), 1), ((50, 100), 0)):
        given = x.reshape(shape)
        columns = np.moveaxis(given, axis, -1).reshape(-1, given.shape[axis])
        for down in (False, True):
            rows = [sorted(c.tolist(), key=key, reverse=down) for c in columns]
            moved = np.moveaxis(given, axis, -1).shape
            want = np.moveaxis(np.asarray(rows, dtype).reshape(moved), -1, axis)
            alike(xp.sort(xp.asarray(given), axis=axis, descending=down), want)
    distinct: list[float] = []
    for value in sorted(x.tolist(), key=key):
        if not distinct or value != distinct[-1]:
            distinct.append(value)
    alike(xp.unique_values(xp.asarray(x)), np.asarray(distinct, dtype))
    matrix = np.repeat(x, 2).reshape(50, 200)
    for given, a in ((x, xp.asarray(x)), (matrix[:, ::2], xp.asarray(matrix)[:, ::2])):
        found = xp.unique_inverse(a)
        alike(found.values, np.asarray(distinct, dtype))
        inverse = np.asarray(found.inverse_indices)
        assert inverse.dtype == np.int64
        np.testing.assert_array_equal(np.asarray(distinct, dtype)[inverse], given)
        own = inverse[np.isnan(given)].tolist()
        assert len(set(own)) == len(own)  # each NaN has its own
    big = floats(dtype, odd, N // 4 * 4).reshape(4, -1)
    alike(
        xp.sort(xp.asarray(big)),
        OPS["sort"].native(torch.tensor(big), axis=1, descending=False, stable=True).numpy(),
    )


@pytest.mark.parametrize("first", [0.0, -0.0])
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_of_zeros_the_first_is_kept(dtype: str, first: float) -> None:
    x = xp.asarray(floats("float32", "plain", 5000))
    x[::100] = 0.0
    x[200::300] = -0.0
    x[0] = first
    x = xp.astype(x, getattr(xp, dtype))
    for function in ("all", "counts", "inverse", "values"):
        made = getattr(xp, f"unique_{function}")(x)
        values = made if function == "values" else made.values
        signs = xp.signbit(values[values == 0])
        assert signs.shape == (1,)
        assert bool(signs[0]) == (str(first) == "-0.0"), function


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint64"])
def test_sorting_integers(dtype: str) -> None:
    x = RNG.integers(-50, 50, (40, 60)).astype(dtype)
    for axis in (0, 1):
        want = np.flip(np.sort(x, axis=axis), axis)
        alike(xp.sort(xp.asarray(x), axis=axis, descending=True), want)
    for many in (x.reshape(-1), np.tile(x.reshape(-1), 14)):  # by digits, the latter
        for a in (xp.asarray(many), xp.asarray(np.repeat(many, 2))[::2]):
            alike(xp.sort(a), np.asarray(sorted(many.tolist()), dtype))
            down = np.asarray(sorted(many.tolist(), reverse=True), dtype)
            alike(xp.sort(a, descending=True), down)


EXTREMA = [
    ((40, 5000), 0),
    ((9, 50, 300), 1),
    ((60, 2, 400), 0),
    ((9000, 20), 0),
    ((2, 0, 70000), 0),
]
EXTREMA += [((30, 100), 0), ((30, 100), 1), ((3000,), 0)]


@pytest.mark.parametrize(
    "dtype", "float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
)
@pytest.mark.parametrize(("shape", "axis"), EXTREMA)
def test_places_of_extrema(shape: tuple[int, ...], axis: int, dtype: str) -> None:
    x = RNG.integers(-9, 9, shape).astype(dtype)
    if dtype[0] == "f" and x.size:
        for value in (NAN, -0.0, INF, -INF):
            x.reshape(-1)[RNG.integers(0, x.size, 99)] = value
    nan = x != x
    places = np.expand_dims(np.arange(shape[axis]), [i for i in range(x.ndim) if i != axis])
    for function, extremum in ((xp.argmax, np.fmax), (xp.argmin, np.fmin)):
        best = np.where(
            nan.any(axis, keepdims=True), nan, x == extremum.reduce(x, axis, keepdims=True)
        )
        want = np.where(best, places, shape[axis]).min(axis)
        for a in (xp.asarray(x), xp.flip(xp.asarray(np.flip(x, -1).copy()), axis=-1)):
            assert np.array_equal(np.asarray(function(a, axis=axis)), want)
            assert function(a, axis=axis, keepdims=True).shape == np.expand_dims(want, axis).shape
            if x.size:
                all_of = nan if nan.any() else x == extremum.reduce(x, None)
                assert int(function(a)) == np.flatnonzero(all_of)[0]
        turned = xp.permute_dims(
            xp.asarray(np.moveaxis(x, 0, -1).copy()), (x.ndim - 1, *range(x.ndim - 1))
        )
        assert np.array_equal(np.asarray(function(turned, axis=axis)), want)


@pytest.mark.parametrize("dtype", ["bool", "float32", "float64", "int32", "int64"])
def test_any_and_all(dtype: str) -> None:
    for fill in (0, 1):
        for place in (None, 0, 1234, 2999):
            x = np.full((30, 100), fill).astype(dtype)
            if place is not None:
                x.flat[place] = NAN if dtype[0] == "f" and not fill else 1 - fill
            a, rows = xp.asarray(x), [[bool(v) for v in row] for row in x]
            for name, of in (("any", any), ("all", all)):
                function = getattr(xp, name)
                assert bool(function(a)) == of(map(of, rows))
                assert function(a).shape == ()
                assert np.asarray(function(a, axis=1)).tolist() == [of(r) for r in rows]
                assert np.asarray(function(a, axis=0)).tolist() == [of(c) for c in zip(*rows)]
                assert np.asarray(function(a, axis=(0, 1), keepdims=True)).tolist() == [
                    [of(map(of, rows))]
                ]
                many = xp.tile(a, (30, 1))
                assert many.size > _numpy.PIECE
                assert np.asarray(function(many, axis=0)).tolist() == [of(c) for c in zip(*rows)]


@pytest.mark.parametrize("dtype", ["float32", "complex64", "bool", "int8"])
def test_positions_of_one_dimension(dtype: str) -> None:
    x = RNG.integers(0, 2, (6, 40, 3)).astype(dtype)
    k = RNG.integers(0, 40, (60, 50))
    for where in (k, -1 - k, k - 40):
        alike(
            xp.take(xp.asarray(x), xp.asarray(where[0].repeat(50)), axis=1),
            x[:, where[0].repeat(50)],
        )
        alike(xp.asarray(x)[:, xp.asarray(where), :], x[:, where])
        columns, taken = x[:, :, 0].copy(), where[0].repeat(50)
        alike(xp.take(xp.asarray(columns), xp.asarray(taken), axis=1), columns[:, taken])
    for wrong in (40, -41):
        k[7, 7] = wrong
        with pytest.raises(IndexError):
            xp.asarray(x)[:, xp.asarray(k), :]


SLOPES = {
    "sort": lambda x: xp.sort(x, descending=True),
    "unique_values": xp.unique_values,
    "asinh": xp.asinh,
    "sinh": xp.sinh,
    "take": lambda x: xp.take(x, xp.arange(1999, -1, -1, device="cpu")),
    "columns": lambda x: xp.reshape(
        xp.take(xp.reshape(x, (40, 50)), xp.arange(49, -1, -1, device="cpu"), axis=1), (-1,)
    ),
    "power": lambda x: (x * x + 1) ** 0.5,
    "cube": lambda x: x**3,
    "clip": lambda x: xp.clip(x, -1, 1),
    "roll": lambda x: xp.reshape(xp.roll(xp.reshape(x, (40, 50)), (3, -7), axis=(0, 1)), (-1,)),
}


@pytest.mark.parametrize("name", SLOPES)
def test_derivatives_and_transformations_go_on(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside finite differences of the same function, computed by NumPy's way where it has one."""
    monkeypatch.setattr(indexing, "_BLOCKS", 0)
    function = SLOPES[name]
    values = torch.linspace(-2, 2, 2000, dtype=torch.float64)[torch.randperm(2000)]
    weights = torch.linspace(0.5, 1.5, 2000, dtype=torch.float64)

    def of(t: torch.Tensor) -> torch.Tensor:
        return xp.to_torch(function(xp.asarray(t))) @ weights

    leaf = values.clone().requires_grad_()
    (slope,) = torch.autograd.grad(of(leaf), leaf)
    direction = torch.linspace(-1, 1, 2000, dtype=torch.float64)
    step = 1e-7
    measured = (of(values + step * direction) - of(values - step * direction)) / (2 * step)
    assert float(slope @ direction) == pytest.approx(float(measured), rel=1e-5, abs=1e-4)
    assert torch.equal(torch.func.grad(of)(values), slope)
    if name != "unique_values":
        two = torch.stack([values, values.flip(0)])
        got = torch.func.vmap(lambda t: xp.to_torch(function(xp.asarray(t))))(two)
        want = torch.stack([xp.to_torch(function(xp.asarray(t))) for t in two])
        torch.testing.assert_close(got, want)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["sqrt", "cosh", "sinh", "x ** 0.5", "sign", "isfinite"])
def test_special_cases_of_values_that_are_not_to_be_seen(name: str, dtype: str) -> None:
    """In ``torch.vmap``, where none is looked at before the way is taken."""
    function = (lambda x: x**0.5) if name == "x ** 0.5" else getattr(xp, name)
    most = math.log(float(np.finfo(dtype).max)) + 0.5  # the power overflows, but not its half
    x = np.asarray([*ODD["all"], 4.0, 0.25, -4.0, most, -most, 1.5, -1.5], dtype)
    x = np.append(np.tile(x, 5), [-INF, NAN]).astype(dtype)

    def exact(value: float) -> Any:
        if name in ("sqrt", "x ** 0.5"):
            if value < 0 or value != value:
                return INF if value == -INF and name != "sqrt" else NAN
            return math.sqrt(value) if value or name == "sqrt" else 0.0
        if name == "sign":
            return value if value != value else float((value > 0) - (value < 0))
        if name == "isfinite":
            return math.isfinite(value)
        with mpmath.workdps(40):
            found = getattr(mpmath, name)(value)
        limit = float(np.finfo(dtype).max)
        return float(found) if not abs(found) > limit else math.copysign(INF, found)

    got = torch.func.vmap(lambda t: xp.to_torch(function(xp.asarray(t))))(torch.tensor(x))
    want = np.asarray([exact(v) for v in x.tolist()], got.numpy().dtype)
    np.testing.assert_allclose(got.numpy(), want, rtol=4 * np.finfo(dtype).eps)
    if name in ("sqrt", "x ** 0.5"):
        same_signs(got.numpy(), want)


def test_pieces_after_a_fork() -> None:
    """A fork has no threads: the pieces get others."""
    x = xp.asarray(np.ones(N))
    expected = float(xp.sum(xp.sqrt(x)))
    child = os.fork()
    if not child:
        os._exit(0 if float(np.asarray(xp.sqrt(x)).sum()) == expected else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "uint8"])
def test_what_gpus_take_fewer_kernels_for(dtype: str) -> None:
    """The compositions are for every device: these are what the backend of CUDA takes."""
    from ascend_array_api._backends.cuda.indexing import _mask_fill
    from ascend_array_api._routes.searching import isin_by_order

    x = RNG.integers(0, 9, 50).astype(dtype)
    among = np.asarray([3, 3, 5, 100, 0], dtype)
    if dtype[0] == "f":
        x[::5], x[1::9], among[3] = NAN, -0.0, NAN
    for few in (among, among[:0], among.reshape(5, 1), among[2:3], np.asarray([8, 2], dtype)):
        want = [any(v == w for w in few.reshape(-1).tolist()) for v in x.tolist()]
        for invert in (False, True):
            got = isin_by_order(torch.tensor(x).view(5, 10), torch.tensor(few), invert=invert)
            assert got.reshape(-1).tolist() == [w != invert for w in want]
    for value in (torch.tensor(7, dtype=getattr(torch, dtype)), 7):
        filled = torch.tensor(x).view(5, 10)[:, ::2]
        mask = torch.tensor(x).view(5, 10)[:, 0] == 3
        _mask_fill(filled, mask[:, None], value)
        want = x.reshape(5, 10)[:, ::2].copy()
        want[x.reshape(5, 10)[:, 0] == 3] = 7
        np.testing.assert_array_equal(filled.numpy(), want)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_what_is_accepted_quickly_is_accepted(dtype: torch.dtype) -> None:
    """So the stream of gamma numbers is what it is where every number is decided at length."""
    from ascend_array_api._routes.random import surely_gamma
    from ascend_array_api.random import _variates as variates

    x = torch.linspace(-8, 8, 1601, dtype=dtype)
    for d in (2 / 3, 1.0, 3.3, 100.0, 1e6, 1e12):
        scale = torch.tensor(d, dtype=dtype)
        t = x / torch.sqrt(9 * scale)
        t = t[t > -1]
        for below in (0.0, 1e-7, 1e-4, 1e-3, 0.1):
            # Probabilities about those up to which the quick test accepts.
            u = (0.9999 - 1.8 * scale * t**4 - below).clamp(1e-9, 1 - 1e-7)
            f = torch.where(u > 0.5, u - 1, u)
            quick = surely_gamma(f, t, scale)
            assert not (quick & ~variates._is_gamma(f, t, scale)).any()
        assert quick.any()


def test_streams_do_not_hang_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn() -> list[np.ndarray[Any, Any]]:
        rng = xp.random.Generator(xp.random.Philox(5, device="cpu"))
        numbers = []
        for own in (xp.float32, xp.float64):
            numbers += [rng.standard_gamma(a, 20000, dtype=own) for a in (0.3, 1.0, 7.5)]
            numbers += [rng.exponential(2.0, 20000, dtype=own), rng.chisquare(5.0, 99, dtype=own)]
        numbers += [rng.integers(-3, high, 20000) for high in (7, 1000, 2**32 - 4, 2**40)]
        numbers += [rng.poisson(mean, 70000) for mean in (10.0, 50.0, 1e6)]
        numbers += [rng.binomial(n, p, 70000) for n, p in ((40, 0.5), (1000, 0.3), (10**9, 0.9))]
        numbers += [rng.beta(2.0, 3.0, 9000), rng.poisson(xp.linspace(5, 70, 9000))]
        return [np.asarray(x) for x in numbers]

    ways = drawn()
    for op in (
        *("first_accepted", "random_exponential", "random_of_integers", "random_tried"),
        *("random_transformed", "random_large_gamma", "random_surely_gamma"),
    ):
        for dtype in OPS[op].dtypes:
            spec = spec_named(dtype, "cpu")
            native = OPS[op].native
            monkeypatch.setitem(OPS[op].kernels, spec, Kernels(native, native, native))
    for one, other in zip(ways, drawn()):
        np.testing.assert_array_equal(one, other)


def test_what_counts_are_accepted_quickly_would_be_accepted() -> None:
    """Hörmann's quick tests, which hold for the least and the greatest place of each number."""
    from ascend_array_api.random import _variates as variates

    u = torch.linspace(-0.43, 0.43, 20001, dtype=torch.float64)
    distance = 0.5 - torch.abs(u)

    def check(
        surely: Any, exactly: Any, b: Any, a: Any, scale: Any, center: Any, *more: Any
    ) -> None:
        v = torch.full_like(u, 0.92)  # the greatest that is accepted quickly is below that
        k = torch.floor((2 * a / distance + b) * u + center)
        for step in torch.linspace(0, 0.9, 901, dtype=torch.float64):
            height = (v - step) * scale / (a / (distance * distance) + b)
            operands = height, distance, v - step, k, *more
            quick = surely(*operands)
            if quick.any():
                assert not (quick & ~exactly(*operands)).any()
                return
        raise AssertionError("none is accepted quickly")

    for mean in (10.0, 10.3, 14.0, 22.7, 51.0, 1e3, 1e6):
        m = torch.tensor(mean, dtype=torch.float64)
        b = 0.931 + 2.53 * torch.sqrt(m)
        scale = 1.1239 + 1.1328 / (b - 3.4)
        a = 0.02483 * b - 0.059
        check(variates._surely_poisson, variates._is_poisson, b, a, scale, m + 0.43, m, b)
    for trials, chance in ((20, 0.5), (40, 0.3), (100, 0.1), (1000, 0.3), (10**6, 0.01)):
        n, p = (torch.tensor(float(t), dtype=torch.float64) for t in (trials, chance))
        deviation = torch.sqrt(n * p * (1 - p))
        b = 1.15 + 2.53 * deviation
        a, scale = 0.0248 * b + 0.01 * p - 0.0873, (2.83 + 5.1 / b) * deviation
        mode = variates._log_binomial(torch.floor((n + 1) * p), n, p)
        own = variates._surely_binomial, variates._is_binomial
        check(*own, b, a, scale, n * p + 0.5, n, p, b, mode)


# --- of several arrays ----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_of_two_arrays(dtype: str) -> None:
    """Every pair of what is exceptional, among many others and among few."""
    values = [0.0, -0.0, 1, -1, 2, -2, 3, 0.5, 2.5, INF, -INF, NAN, 1e-40, 3e38, 1e20, -7]
    own = np.asarray([v for v in values if dtype[0] == "f" or v in (0, 1, 2, 3, -1, -7)], dtype)
    a, b = (RNG.integers(-9, 9, N).astype(dtype) for _ in range(2))
    a[: len(own) ** 2], b[: len(own) ** 2] = np.repeat(own, len(own)), np.tile(own, len(own))
    x, y = xp.asarray(a), xp.asarray(b)
    few = slice(0, len(own) ** 2)
    for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
        alike(getattr(xp, name)(x, y), getattr(np, name)(a, b))
        alike(getattr(xp, name)(x[::-2], y[::-2]), getattr(np, name)(a[::-2], b[::-2]))
        alike(getattr(xp, name)(x, y[:1]), getattr(np, name)(a, b[:1]))
    if dtype[0] == "f":
        got, want = (np.asarray(xp.pow(*p)) for p in ((x, y), (x[few], y[few])))
        np.testing.assert_allclose(got[few], want, rtol=4 * np.finfo(dtype).eps)
        same_signs(got[few], want)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_sizes_of_complex_numbers(dtype: str) -> None:
    parts = np.asarray([0, -0.0, 1, 3e38, 1e-40, 1e-30, INF, -INF, NAN, 1e300, 1e-310])
    with np.errstate(all="ignore"):
        z = np.empty(N, dtype)
        z.real, z.imag = RNG.standard_normal((2, N)) * 10.0 ** RNG.uniform(-30, 30, (2, N))
        z.real[:121], z.imag[:121] = np.repeat(parts, 11), np.tile(parts, 11)
        want = np.hypot(z.real.astype(np.longdouble), z.imag.astype(np.longdouble))
        near(xp.abs(xp.asarray(z)), want, z.real.dtype, 2)
        for name in ("isnan", "isinf", "isfinite"):
            alike(getattr(xp, name)(xp.asarray(z)), getattr(np, name)(z))
    w = z[200:5000].reshape(60, 80) * dtype_of(z)(1e-28)
    for axis in (None, 0, (0, 1)):
        flat = w if axis is not None else w.reshape(-1)
        norm = np.sqrt(np.sum(np.abs(flat.astype("D")) ** 2, axis=axis))
        got = np.asarray(xp.linalg.vector_norm(xp.asarray(w), axis=axis))
        np.testing.assert_allclose(got, norm, rtol=64 * np.finfo(dtype).eps)


def dtype_of(x: np.ndarray[Any, Any]) -> Any:
    return x.real.dtype.type


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "bool"])
def test_looking_for_values(dtype: str) -> None:
    x = RNG.integers(0, 60, (40, N // 40)).astype(dtype)
    among = np.asarray([3, 3, 7, 59, 100, 0]).astype(dtype)
    if dtype[0] == "f":
        x[::7], x[:, 1::9], among[0] = NAN, -0.0, NAN
    for given, a in ((x, xp.asarray(x)), (x.T, xp.asarray(x).T)):
        for few in (among, among[:1], among[:0]):
            want = np.zeros(given.shape, np.bool_)
            for value in few:
                want |= given == value
            alike(xp.isin(a, xp.asarray(few)), want)
            alike(xp.isin(a, xp.asarray(few), invert=True), ~want)
        if dtype == "bool":
            for got, places in zip(xp.nonzero(a), np.argwhere(given).T, strict=True):
                alike(got, places)
            assert int(xp.count_nonzero(a)) == len(np.argwhere(given))


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_looking_for_integers_at_the_ends(dtype: str) -> None:
    limits = np.iinfo(dtype)
    x = RNG.integers(limits.min, limits.max, N, dtype=dtype, endpoint=True)
    ends = [limits.min, limits.min + 1, limits.min + 9, -1, 0, 7, limits.max - 1, limits.max]
    x[: 9 * len(ends)] = np.repeat(np.asarray(ends, dtype), 9)
    for few in (ends[:3], ends[3:6], ends[6:], [ends[0], ends[-1]], [-9, 7, 2**14 - 10]):
        want = np.logical_or.reduce([x == value for value in few])
        own = xp.asarray(few, dtype=getattr(xp, dtype))
        alike(xp.isin(xp.asarray(x), own), want)
        alike(xp.isin(xp.asarray(x), own, invert=True), ~want)


def test_products_along_the_first_axis() -> None:
    """Modulo 2**64, as of Python's integers."""
    for shape in ((1000, 300), (3, 90000), (40, 50, 60), (5000, 1), (1200,)):
        x = RNG.integers(-(2**63), 2**63, shape) | 1
        x[0] = 3
        wide = np.multiply.reduce(x.astype(object), axis=0)
        want = np.asarray((wide + 2**63) % 2**64 - 2**63, np.int64)
        for given in (xp.asarray(x), xp.asarray(np.repeat(x, 2, -1))[..., ::2]):
            alike(xp.prod(given, axis=0), want)
            alike(xp.prod(given, axis=0, keepdims=True), want[None])


def test_deviations() -> None:
    """Far from zero and near it, where squares overflow, and beside the same in float64."""
    for shape in ((40, 50, 30), (70000,), (1, 70000), (70000, 1), (3, 40000)):
        for far in (0.0, 1e6):
            x = (RNG.standard_normal(shape) + far).astype("float32")
            for axis in (*range(len(shape)), tuple(range(len(shape))), (0, len(shape) - 1)):
                axes = tuple({*axis} if isinstance(axis, tuple) else {axis})
                if far and len(axes) == len(shape):
                    continue  # by torch, which loses digits there
                n = int(np.prod([shape[i] for i in axes]))
                for correction in (0, 1, 0.5):
                    if n > correction:
                        wide = np.var(x.astype("d"), axes) * n / (n - correction)
                        own: dict[str, Any] = {"axis": axes, "correction": correction}
                        got = np.asarray(xp.var(xp.asarray(x), **own))
                        assert got.dtype == np.float32
                        np.testing.assert_allclose(got, wide, rtol=4e-6, atol=1e-30)
                        root = np.asarray(xp.std(xp.asarray(x), **own))
                        np.testing.assert_allclose(root, np.sqrt(wide), rtol=4e-6, atol=1e-30)
    x = np.full((100, 200), 1e30, "float32")
    x[5, 5], x[6, 6], x[7, 7] = INF, NAN, 2e30
    got = np.asarray(xp.var(xp.asarray(x), axis=0))[4:8]
    np.testing.assert_array_equal(got, np.asarray([0, NAN, NAN, INF], "float32"))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_writing_to_positions(dtype: str) -> None:
    x = RNG.integers(0, 9, 5000).astype(dtype)
    p, y = RNG.permutation(5000), RNG.integers(0, 9, 5000).astype(dtype)
    for where in (p, p - 5000, p[:2500], p[p < 2500]):
        for step in (1, 2):
            a, want = xp.asarray(x, copy=True), x.copy()
            where = where[(where < 2500) & (where > -2500)] if step == 2 else where
            a[::step][xp.asarray(where)] = xp.asarray(y[: len(where)])
            want[::step][where] = y[: len(where)]
            alike(a, want)
    a = xp.asarray(x, copy=True)
    a[xp.asarray(p)] = a[:]
    alike(a, x[np.argsort(p)])


def test_transforms_and_frequencies() -> None:
    for n in (2**12, 2**15, 5000, 3):
        x = RNG.standard_normal(n)
        w = x + 1j * RNG.standard_normal(n)
        for norm in ("backward", "ortho", "forward"):
            for name, given in (("rfft", x), ("ihfft", x), ("irfft", w), ("hfft", w)):
                for points in (None, 4096, 777):
                    op = OPS[name].native(torch.tensor(given[::2]), points, 0, norm)
                    got = getattr(xp.fft, name)(xp.asarray(given)[::2], n=points, norm=norm)
                    np.testing.assert_allclose(np.asarray(got), op.numpy(), rtol=1e-9, atol=1e-9)
    for dtype in ("float32", "float64"):
        for n in (7, 8, N, N + 1):
            k = np.arange(n)
            k[(n - 1) // 2 + 1 :] -= n
            got = xp.fft.fftfreq(n, d=0.3, dtype=getattr(xp, dtype))
            alike(got, (k / (n * 0.3)).astype(dtype))


def test_scalar_products_of_rows() -> None:
    for dtype in "fdFD":
        x, y = (RNG.integers(-9, 9, (60, 70, 5)).astype(dtype) for _ in range(2))
        x, y = x * dtype_of(x)(0.5), y + (y * 1j if dtype in "FD" else 0)
        for axis in (-1, -2):
            for a, b in ((x, y), (x, y[:1])):
                want = np.sum(np.conj(a) * b, axis)
                alike(xp.vecdot(xp.asarray(a), xp.asarray(b), axis=axis), want.astype(dtype))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64", "uint64"])
def test_scalar_products_of_integers(dtype: str) -> None:
    """Modulo a power of two, as of Python's integers."""
    limits = np.iinfo(dtype)
    low = int(limits.min)

    def exact(a: Any, b: Any, axis: int) -> np.ndarray[Any, Any]:
        total = np.sum(a.astype(object) * b.astype(object), axis)
        return np.asarray((total - low) % 2**limits.bits + low, dtype)

    x, y = (RNG.integers(low, limits.max, (6, 70, 5), dtype, endpoint=True) for _ in range(2))
    for a, b in ((x, y), (x, y[:1]), (y[0], x), (x[::2, 1:], y[::-2, 1:]), (x.T, y.T)):
        v, w = (xp.asarray(np.repeat(v, 2, 0))[::2, ...] for v in (a, b))
        for axis in (-1, -2):
            alike(xp.vecdot(v, w, axis=axis), exact(a, b, axis))
    flat = x.reshape(-1)
    alike(xp.vecdot(xp.asarray(flat), xp.asarray(flat)), exact(flat, flat, 0))
    assert xp.vecdot(xp.asarray(flat[:0].reshape(0, 5)), xp.asarray(x[0, :1])).shape == (0,)


# --- functions of many steps ----------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_logit_and_incomplete_gamma_functions(dtype: str) -> None:
    from scipy import special

    odd = np.asarray([0, -0.0, 1, 0.5, -1, 2, INF, NAN, 1e-40, 1e-310, 1.5, 0.25])
    for more in (odd[3:4], odd):
        x = np.concatenate([more, RNG.uniform(0, 1, N), 10.0 ** RNG.uniform(-37, 0, N)])
        x = x.astype(dtype)
        wide = x.astype(np.longdouble) + 0
        with np.errstate(all="ignore"):
            m = np.minimum(wide, 1 - wide)
            want = np.copysign(np.log1p((1 - 2 * m) / m), wide - 0.5)
            want[(wide < 0) | (wide > 1)] = NAN
        near(xp.special.logit(xp.asarray(x)), want, dtype, 3)
    a = np.concatenate([np.repeat(odd[odd >= 0], 11)[:100], 10.0 ** RNG.uniform(-3, 5, 9000)])
    b = np.concatenate([np.tile(odd, 9)[:100], a[100:] * RNG.uniform(0.5, 1.5, 9000)])
    a, b = a.astype(dtype), np.abs(b).astype(dtype)
    for name in ("gammainc", "gammaincc"):
        got = np.asarray(getattr(xp.special, name)(xp.asarray(a), xp.asarray(b)))
        small = [
            getattr(xp.special, name)(xp.asarray(a[i : i + 100]), xp.asarray(b[i : i + 100]))
            for i in range(0, 9100, 100)
        ]
        same = np.concatenate([np.asarray(part) for part in small])
        np.testing.assert_allclose(got, same, rtol=1e-10 if dtype == "float64" else 1e-6)
        want = getattr(special, name)(a.astype("d"), b.astype("d"))
        known = np.isfinite(want) & (want > np.finfo(dtype).tiny)
        np.testing.assert_allclose(
            got[known], want[known], rtol=1e-8 if dtype == "float64" else 1e-6
        )


@pytest.mark.parametrize("name", ["expm1", "log1p"])
def test_complex_functions_in_float64(name: str) -> None:
    """In numbers of everyday, beside zeros and beside the cut; and exceptional ones as before."""
    near = 10 ** RNG.uniform(-9, 1.5, N) * np.exp(1j * RNG.uniform(0, 7, N))
    z = np.concatenate([near, near * 1e-4 - 1, near[near.real < 1] ** 3]).astype("F")
    z = z[np.abs(z.real) < 80]
    a, b = z.real.astype(np.longdouble), z.imag.astype(np.longdouble)
    if name == "expm1":
        real, imag = np.expm1(a) - 2 * np.sin(b / 2) ** 2 * np.exp(a), np.exp(a) * np.sin(b)
    else:
        t = a * (2 + a) + b * b
        near_cut = np.log(np.where(t < -0.5, (1 + a) ** 2 + b * b, 1))
        logarithm = np.where(t < -0.5, near_cut, np.log1p(np.maximum(t, -0.5)))
        real, imag = logarithm / 2, np.arctan2(b, 1 + a)
    got = np.asarray(getattr(xp, name)(xp.asarray(z)))
    size = np.hypot(real, imag).astype("float32")
    for part, want in ((got.real, real), (got.imag, imag)):
        assert np.max(np.abs(part - want) / np.spacing(size)) <= 2
    odd = np.asarray([0, -0.0, 1, -1, INF, -INF, NAN, 100.0, -100.0, 3e38])
    for values in (odd, odd[:3]):
        z = np.empty(len(values) ** 2, "F")
        z.real, z.imag = np.repeat(values, len(values)), np.tile(values, len(values))
        many = np.asarray(getattr(xp, name)(xp.asarray(np.tile(z, 3000))))[: len(z)]
        few = np.asarray(getattr(xp, name)(xp.asarray(z)))
        for part, want in ((many.real, few.real), (many.imag, few.imag)):
            np.testing.assert_allclose(part, want, rtol=1e-6)
            same_signs(part, want)


@pytest.mark.parametrize("name", ["i0", "i1"])
def test_bessel_functions_of_many_are_rounded_once(name: str) -> None:
    """By powers as far as the greatest needs, or as few are computed; beside SciPy's of float64."""
    from scipy import special

    for greatest in (1e-20, 0.01, 1.0, 8.0, 31.9, 80.0):
        x = RNG.uniform(-greatest, greatest, N).astype("float32")
        x[:3] = 0.0, -0.0, 0.9 * greatest
        for other in (NAN, INF):  # among which the others are what they are by themselves
            beside = xp.asarray(np.append(x[:5000], np.float32(other)))
            own = getattr(special, name)(x[:5000].astype("float64"))
            among = np.asarray(getattr(xp.special, name)(beside))
            np.testing.assert_allclose(among[:5000], own, rtol=2e-7, atol=1e-45)
            np.testing.assert_array_equal(among[5000], np.float32(other))
        x[3:103] = np.float32(greatest) * 10.0 ** np.linspace(-18, 0, 100)
        want = getattr(special, name)(x.astype("float64"))
        got = np.asarray(getattr(xp.special, name)(xp.asarray(x)))
        near(got, want, "float32", 0.502)
        same_signs(got, want)
        few = np.asarray(getattr(xp.special, name)(xp.asarray(x[:500])))
        np.testing.assert_array_max_ulp(got[:500], few, 2)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_digamma_of_many(dtype: str) -> None:
    """Beside poles, zeros and infinities, and between; beside mpmath."""
    places = [0.25, 0.75, 1.0, 1.5, 3.0, 30.0, -0.25, -0.5, -0.75, -1.5, -2.875, -7.0625, -30.5]
    values = [float(mpmath.digamma(v)) for v in places]
    odd = [0.0, -0.0, -1.0, -2.0, -30.0, INF, -INF, NAN]
    want = np.asarray([*values, -INF, INF, NAN, NAN, NAN, INF, NAN, NAN])
    x = np.asarray([*places, *odd], dtype)
    for times in (1, 3 * _numpy.GRAIN // len(x)):
        got = np.asarray(xp.special.psi(xp.asarray(np.tile(x, times))))
        assert got.dtype == dtype
        rtol = 2e-7 if dtype == "float32" else 1e-14
        np.testing.assert_allclose(got, np.tile(want, times), rtol=rtol)


def test_normal_probabilities_of_many() -> None:
    """Beside SciPy's of float64, as near as those of few."""
    from scipy import special

    x = RNG.uniform(-14.0, 6.0, N).astype("float32")
    x[:7] = 0.0, -0.0, 1e-30, math.inf, -math.inf, NAN, -100.0
    x[7:107] = 10.0 ** np.linspace(-8, 0, 100)
    want = special.ndtr(x.astype("float64"))
    for numbers in (x, x[:500]):
        got = np.asarray(xp.special.ndtr(xp.asarray(numbers)))
        np.testing.assert_allclose(got, want[: len(numbers)], rtol=6e-7, atol=2e-45)


@pytest.mark.parametrize("name", ["logit", "psi", "tan", "pow"])
def test_compositions_in_portions_are_the_whole_ones_in_less_memory(name: str) -> None:
    op, dtype = OPS[name], torch.complex64 if name in ("tan", "pow") else torch.float64
    spec, size = spec_named(dtype, "cpu"), 8 * 3 * _numpy.GRAIN + 3
    x = torch.from_numpy(RNG.uniform(0.1, 0.9, size)).to(dtype)
    operands = (x, x.flip(0)) if name == "pow" else (x,)
    row = op.common_row(dtype, spec.device.backend.facts)
    whole = op.native if row is None else row.route.kernel(op, spec)
    few = 8 * torch.finfo(dtype).eps  # as vectors and what is left over differ
    torch.testing.assert_close(op(*operands), whole(*operands), rtol=few, atol=few)
    peak = peak_memory(Timer(lambda: op(*operands)), "cpu")
    assert peak <= 4 * x.nbytes  # one of them is the result
    assert op(*(t.view(5, -1).T for t in operands)).shape == (size // 5, 5)  # by the whole one


@pytest.mark.nightly
def test_compositions_take_numbers_beside_arrays_in_less_memory() -> None:
    portion = torch.get_num_threads() * _numpy.GRAIN
    x = xp.asarray(RNG.uniform(0.1, 0.9, 8 * portion + 3))
    numbers = xp.full_like(x, 2.0), xp.full_like(x, 3.5)
    expected = xp.special.poch(numbers[0], x), xp.special.betaln(x, numbers[1])
    found = xp.special.poch(2.0, x), xp.special.betaln(x, 3.5)
    for got, want in zip(found, expected):
        np.testing.assert_array_equal(np.asarray(got), np.asarray(want))
    assert peak_memory(Timer(lambda: xp.special.poch(2.0, x)), "cpu") <= 6 * 8 * x.size


@pytest.mark.nightly
def test_special_functions_hold_as_much_as_the_page_says() -> None:
    """Of one portion for one thread, beside the result; `docs/benchmarks.md` has the amounts."""
    beta = "betainc betaincc betaincinv bdtr bdtrc bdtri fdtr fdtrc fdtri "
    beta += "nbdtr nbdtrc nbdtri stdtr stdtrit"
    gamma = "binom poch zetac expi expn chdtri pdtri gammaincinv gammainccinv"
    megabytes = dict.fromkeys(beta.split(), 28) | dict.fromkeys(gamma.split(), 9)
    torch.set_num_threads(1)
    size, held = 4000, {}
    for name, (_, rows) in REFERENCES.items():
        count = len(rows[0]) if isinstance(rows[0], tuple) else 1
        x = [xp.asarray(RNG.uniform(0.1, 0.9, size)) for _ in range(count)]
        function = getattr(xp.special, name)
        held[name] = peak_memory(Timer(lambda f=function, x=x: f(*x)), "cpu") / size - 8
    most = {name: megabytes.get(name, 4) * 1e6 / _numpy.GRAIN for name in held}
    assert not {name: bytes_ for name, bytes_ in held.items() if bytes_ > most[name]}


HELD = [("special.logit", "f"), ("special.ndtr", "f"), ("xp.tan(s", "F"), ("xp.log1p(x", "F")]
HELD += [("xp.pow(x", "F"), ("xp.var(X", "f"), ("xp.isin", "f"), ("fftfreq", "f")]
HELD += [nightly("unique_inverse", "f"), ("svdvals", "d"), ("matrix_rank", "F"), ("eigvalsh", "F")]


@pytest.mark.filterwarnings("ignore")  # of NumPy's own results
@pytest.mark.parametrize(("words", "dtype"), others_nightly(HELD, 4))
def test_two_temporaries_at_most(words: str, dtype: str) -> None:
    from benchmarks import functions

    torch.set_num_threads(2)
    rows = list(functions.measure("cpu", [1_000_000], words, dtype, seconds=0, memory=True))
    held = {row.label: row.temporaries for row in rows}
    assert held
    assert all(h is not None and h <= functions.MOST_TEMPORARIES for h in held.values()), held
