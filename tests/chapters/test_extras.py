"""The functions beside the standard that consumers look for, against NumPy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from parametrize import listing
from refusals import refused

import ascend_array_api as xp
from ascend_array_api._torch import torch
from workshop.samples.strategies import to_numpy

INTEGERS = [f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)]
REAL_FLOATING = ["float16", "float32", "float64"]
DECOMPOSED = ["float32", "float64", "complex64", "complex128"]
NUMERIC = [*INTEGERS, *REAL_FLOATING, "complex64", "complex128"]


def sample(name: str, *shape: int, seed: int = 0) -> Any:
    """Random elements: integers of all sizes, numbers that are finite."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(name)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    parts = rng.standard_normal((2, *shape))
    return (parts[0] + 1j * parts[1] if dtype.kind == "c" else parts[0]).astype(dtype)


def same(actual: xp.Array, expected: Any, *, rtol: float = 0, atol: float = 0) -> None:
    got, expected = to_numpy(actual), np.asarray(expected)
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=atol)


def eps(name: str) -> float:
    return float(np.finfo(name).eps)


# --- bincount -------------------------------------------------------------------------------------


@pytest.mark.npu
@pytest.mark.parametrize("minlength", [0, 3, 40])
@pytest.mark.parametrize("size", [0, 1, 200])
@pytest.mark.parametrize("name", INTEGERS)
def test_bincount(name: str, size: int, minlength: int) -> None:
    x = np.random.default_rng(size).integers(0, 30, size).astype(name)
    expected = np.bincount(x.astype("int64"), minlength=minlength)
    same(xp.bincount(xp.asarray(x), minlength=minlength), expected)


@pytest.mark.npu
@pytest.mark.parametrize("name", [*INTEGERS, *REAL_FLOATING])
def test_bincount_with_weights(name: str) -> None:
    x = np.random.default_rng(1).integers(0, 30, 200)
    weights = sample(name, 200)
    result = xp.bincount(xp.asarray(x), weights=xp.asarray(weights), minlength=35)
    if name in INTEGERS:  # exact, as sums are
        expected = np.zeros(35, "int64" if name.startswith("i") else "uint64")
        np.add.at(expected, x, weights.astype(expected.dtype))
        same(result, expected)
    else:
        # In any order: so many roundings, each of a part of the sum of sizes.
        expected = np.bincount(x, weights, 35).astype(name)
        size = np.bincount(x).max() * np.bincount(x, np.abs(weights), 35).max()
        same(result, expected, rtol=eps(name), atol=eps(name) * size)
        by_position = xp.bincount(xp.asarray(x), xp.asarray(weights), 35)
        same(by_position, to_numpy(result), rtol=eps(name), atol=eps(name) * size)


def test_bincount_of_no_elements_with_weights() -> None:
    nothing = xp.zeros(0, dtype=xp.int64)
    same(xp.bincount(nothing, xp.zeros(0), 2), np.zeros(2, "float32"))


def test_bincount_counts_beyond_the_integers_of_float32() -> None:
    weights = xp.concat([xp.full(1, 2.0**24), xp.ones(4)])
    same(xp.bincount(xp.zeros(5, dtype=xp.int64), weights), np.float32([2**24 + 4]))


def test_bincount_keeps_bfloat16() -> None:
    weights = xp.asarray([1.0, 2.0, 4.0], dtype=xp.bfloat16)
    result = xp.bincount(xp.asarray([1, 0, 1]), weights)
    assert result.dtype is xp.bfloat16
    same(xp.astype(result, xp.float32), np.float32([2, 5]))


# --- convolve -------------------------------------------------------------------------------------

MODES = ["full", "same", "valid"]
SIZES = [(1, 1), (1, 5), (5, 1), (4, 3), (3, 4), (4, 4), (7, 2), (30, 21)]


@pytest.mark.npu
@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("name", NUMERIC)
def test_convolve(name: str, sizes: tuple[int, int]) -> None:
    a, v = (sample(name, n, seed=n) for n in sizes)
    if np.dtype(name).kind in "iu":  # modulo a power of two, which NumPy's float products are not
        exact = np.convolve(a.astype(object), v.astype(object)) % 2 ** (8 * a.itemsize)
        unsigned = exact.astype(f"u{name.removeprefix('u')}")
        same(xp.convolve(xp.asarray(a), xp.asarray(v)), unsigned.view(name))
    for mode in MODES:
        wide = "complex128" if "c" in name else "float64"
        expected = np.convolve(a.astype(wide), v.astype(wide), mode)
        result = xp.convolve(xp.asarray(a), xp.asarray(v), mode)
        if np.dtype(name).kind in "iu":
            full = to_numpy(xp.convolve(xp.asarray(a), xp.asarray(v)))
            start = {"full": 0, "same": (min(sizes) - 1) // 2, "valid": min(sizes) - 1}[mode]
            same(result, full[start : start + len(expected)])
        else:
            bound = np.convolve(np.abs(a).astype(float), np.abs(v).astype(float), mode)
            assert result.dtype is getattr(xp, name)
            assert result.shape == expected.shape
            away = np.abs(to_numpy(result).astype(wide) - expected)
            assert (away <= (min(sizes) + 2) * eps(name) * bound).all()


@pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")
def test_convolve_keeps_infinities_and_nan_where_they_belong() -> None:
    a = np.asarray([1.0, np.inf, 2.0, 0.5, np.nan, 3.0, 1.0, -1.0], dtype="float32")
    v = np.asarray([2.0, 1.0, 0.25], dtype="float32")
    for mode in MODES:
        same(xp.convolve(xp.asarray(a), xp.asarray(v), mode), np.convolve(a, v, mode))
        same(xp.convolve(xp.asarray(v), xp.asarray(a), mode), np.convolve(v, a, mode))


def test_convolve_in_several_pieces() -> None:
    from ascend_array_api._routes import extras

    a, v = sample("int64", 50), sample("int64", 23, seed=1)
    whole = xp.convolve(xp.asarray(a), xp.asarray(v))
    tensors = torch.asarray(a), torch.asarray(v)
    for piece in (1, 200, 10**6):
        result = extras.convolve_in_pieces(*tensors, piece=piece)
        assert result.tolist() == to_numpy(whole).tolist()
    a, v = sample("float64", 3000), sample("float64", 2000, seed=1)
    same(xp.convolve(xp.asarray(a), xp.asarray(v)), np.convolve(a, v), rtol=1e-11, atol=1e-11)


def test_convolve_promotes_and_takes_numbers() -> None:
    result = xp.convolve(xp.asarray([1, 2], dtype=xp.int8), xp.asarray([100, 3], dtype=xp.uint8))
    same(result, np.int16([100, 203, 6]))
    same(xp.convolve(xp.asarray(2.0), xp.asarray([1.0, 2.0])), np.float32([2, 4]))


# --- median ---------------------------------------------------------------------------------------

SHAPES = [(), (0,), (1,), (6,), (7,), (3, 4), (0, 3), (3, 0), (2, 3, 4), (2, 1, 5)]


@pytest.mark.npu
@pytest.mark.filterwarnings("ignore:Mean of empty slice:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")
@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", REAL_FLOATING)
def test_median(name: str, shape: tuple[int, ...], special: bool) -> None:
    x = np.asarray(sample(name, *shape))
    if special:
        rng = np.random.default_rng(1)
        values = rng.choice([np.nan, np.inf, -np.inf, 0.0], shape)
        x = np.where(rng.random(shape) < 0.4, values, x).astype(name)
    some = [axes for n in (2, 3) for axes in itertools.combinations(range(len(shape)), n)]
    none: list[Any] = [()] if x.size else []  # NumPy fails for an empty array
    for axis in (None, *none, *range(-len(shape), len(shape)), *some):
        for keepdims in (False, True):
            # NumPy takes the mean of float16 in float32, and so does the namespace.
            expected = np.asarray(np.median(x, axis=axis, keepdims=keepdims), dtype=name)
            same(xp.median(xp.asarray(x), axis=axis, keepdims=keepdims), expected)
    same(xp.median(xp.asarray(x)), np.median(x).astype(name))


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1))
def test_median_lies_between_the_middle_ones(values: list[float]) -> None:
    ordered = np.sort(np.float32(values)).astype(float)
    n = len(values)
    expected = np.float32((ordered[(n - 1) // 2] + ordered[n // 2]) / 2)  # exact in float64
    same(xp.median(xp.asarray(values, dtype=xp.float32)), expected)


@pytest.mark.npu
def test_median_does_not_overflow() -> None:
    same(xp.median(xp.asarray([3e38, 3e38])), np.float32(3e38))
    same(xp.median(xp.asarray([-1.7e308, -1.5e308], dtype=xp.float64)), np.float64(-1.6e308))
    same(xp.median(xp.asarray([60000.0, 60000.0], dtype=xp.float16)), np.float16(60000))


def test_median_of_bfloat16() -> None:
    x = xp.asarray([1.0, 4.0, 2.0, 8.0], dtype=xp.bfloat16)
    assert xp.median(x).dtype is xp.bfloat16
    assert float(xp.median(x)) == 3.0


# --- roots ----------------------------------------------------------------------------------------

POLYNOMIALS: list[list[float]] = [
    *([], [0.0], [0, 0, 0], [5.0], [0, 0, 5.0], [5.0, 0, 0], [1.0, 2], [0, 1.0, -3, 2, 0, 0]),
    *([1, 0, 0, 1.0], [2.0, -3, 1, 7, -1], [1, 0, 1.0]),
]


@pytest.mark.npu(host="allow")
@pytest.mark.parametrize("coefficients", POLYNOMIALS, ids=str)
@pytest.mark.parametrize("name", DECOMPOSED)
def test_roots(name: str, coefficients: list[float]) -> None:
    x = np.asarray(coefficients, dtype=name)
    if "complex" in name:
        x = x * np.exp(1j * np.arange(len(x))).astype(name)
    kind = "complex64" if name in {"float32", "complex64"} else "complex128"
    result, expected = to_numpy(xp.roots(xp.asarray(x))), np.roots(x.astype("complex128"))
    assert (result.dtype, result.shape) == (np.dtype(kind), expected.shape)
    for root in expected:  # each has one that is near, which is then gone
        nearest = int(np.argmin(np.abs(result - root)))
        assert abs(result[nearest] - root) <= 20 * eps(name) * max(1, abs(root))
        result = np.delete(result, nearest)


def test_roots_of_what_is_not_finite_are_nan() -> None:
    for bad in (xp.nan, xp.inf):
        assert np.isnan(to_numpy(xp.roots(xp.asarray([1.0, bad, 2.0])))).all()


# --- lstsq ----------------------------------------------------------------------------------------

SYSTEMS = [(6, 3), (3, 6), (4, 4), (1, 1), (1, 3), (3, 1), (40, 12)]
EMPTY = [(0, 3), (3, 0), (0, 0)]


def check_lstsq(a: Any, b: Any, rcond: float | None = None, *, factor: float = 1) -> None:
    """Compare with NumPy in double precision, within a bound for a backward stable method."""
    result = xp.linalg.lstsq(xp.asarray(a), xp.asarray(b), rcond=rcond)
    wide = "complex128" if a.dtype.kind == "c" else "float64"
    if rcond is None:
        rcond = max(a.shape) * eps(a.dtype.name)
    x, residuals, rank, s = np.linalg.lstsq(a.astype(wide), b.astype(wide), rcond)
    assert to_numpy(result.rank).dtype == np.int64
    assert to_numpy(result.rank).shape == ()
    assert int(result.rank) == rank
    assert result.x.dtype is getattr(xp, a.dtype.name)
    real = getattr(xp, np.zeros(0, a.dtype).real.dtype.name)
    assert (result.residuals.dtype, result.s.dtype) == (real, real)
    if xp.to_torch(result.x).device.type == "npu":  # by Jacobi's method
        factor *= 10
    unit = 10 * max(a.shape) * eps(a.dtype.name) * factor
    if len(s):
        kept = s[:rank][-1] if rank else 1.0
        condition = s[0] / kept if rank else 1.0
        size = np.linalg.norm(x) + np.linalg.norm(b) / kept
        np.testing.assert_allclose(to_numpy(result.s), s, rtol=0, atol=unit * s[0])
        np.testing.assert_allclose(to_numpy(result.x), x, rtol=0, atol=unit * condition * size)
    assert to_numpy(result.x).shape == x.shape
    left = b.astype(wide) - a.astype(wide) @ x
    squares = np.sum(np.abs(left) ** 2, axis=0, keepdims=b.ndim == 1)
    expected = squares if a.shape[0] > a.shape[1] else squares[:0]
    if rank == a.shape[1]:
        assert residuals.shape == expected.shape
    atol = unit * float(np.sum(np.abs(b) ** 2)) * factor
    np.testing.assert_allclose(to_numpy(result.residuals), expected, rtol=unit, atol=atol)


@pytest.mark.npu(host="allow")
@pytest.mark.parametrize("shape", SYSTEMS, ids=str)
@pytest.mark.parametrize("name", DECOMPOSED)
def test_lstsq(name: str, shape: tuple[int, int]) -> None:
    a = sample(name, *shape)
    for b in (sample(name, shape[0], seed=1), sample(name, shape[0], 3, seed=2)):
        check_lstsq(a, b)
    check_lstsq(a, sample(name, shape[0], 0))


@pytest.mark.npu(host="allow")
@pytest.mark.parametrize("name", DECOMPOSED)
def test_lstsq_of_deficient_matrices(name: str) -> None:
    a = sample(name, 8, 3) @ sample(name, 3, 5, seed=1)  # of rank 3
    for matrix in (a, a.T.copy(), np.zeros_like(a), np.ones_like(a)):
        for b in (sample(name, len(matrix), seed=2), sample(name, len(matrix), 2, seed=3)):
            check_lstsq(matrix, b)


@pytest.mark.parametrize("rcond", [None, -1.0, 0, 1e-6, 0.2, 2.0])
def test_lstsq_rcond(rcond: float | None) -> None:
    a = np.diag([1.0, 0.5, 0.1, 1e-7, 0.0])
    check_lstsq(a, np.arange(1.0, 6.0), rcond)


@pytest.mark.npu(host="allow")
@pytest.mark.parametrize("shape", EMPTY, ids=str)
@pytest.mark.parametrize("name", DECOMPOSED)
def test_lstsq_of_empty_matrices(name: str, shape: tuple[int, int]) -> None:
    for columns in ((), (2,), (0,)):
        a, b = np.ones(shape, name), np.ones((shape[0], *columns), name)
        result = xp.linalg.lstsq(xp.asarray(a), xp.asarray(b))
        for ours, numpys in zip(result, np.linalg.lstsq(a, b, None), strict=True):
            expected = np.asarray(numpys)
            assert to_numpy(ours).shape == expected.shape
            np.testing.assert_array_equal(to_numpy(ours), expected)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_lstsq_of_large_and_small_elements(scale: float) -> None:
    a, b = sample("float32", 6, 3), sample("float32", 6, seed=1)
    x = to_numpy(xp.linalg.lstsq(xp.asarray(a * np.float32(scale)), xp.asarray(b)).x)
    expected = np.linalg.lstsq(a.astype(float), b.astype(float), None)[0]
    np.testing.assert_allclose(x * np.float64(scale), expected, rtol=1e-5)


@pytest.mark.npu(host="allow")
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_lstsq_of_what_is_not_finite(bad: float) -> None:
    a, b = np.ones((3, 2), "float32"), np.ones((3, 2), "float32")
    a[1, 1] = bad
    result = xp.linalg.lstsq(xp.asarray(a), xp.asarray(b))
    assert np.isnan(to_numpy(result.x)).all()
    assert np.isnan(to_numpy(result.s)).all()
    assert int(result.rank) == 0
    good = sample("float32", 3, 2)
    b[1, 1] = bad
    x = to_numpy(xp.linalg.lstsq(xp.asarray(good), xp.asarray(b)).x)
    assert not np.isfinite(x[:, 1]).any()
    np.testing.assert_allclose(x[:, 0], np.linalg.lstsq(good, b[:, 0], None)[0], rtol=2e-6)


def test_lstsq_promotes() -> None:
    result = xp.linalg.lstsq(xp.eye(2, dtype=xp.float64), xp.asarray([1j, 2.0]))
    assert [part.dtype for part in result] == [xp.complex128, xp.float64, xp.int64, xp.float64]


# --- all ------------------------------------------------------------------------------------------


def test_derivatives_of_lstsq_for_equal_singular_values() -> None:
    operands = torch.eye(4, 2, dtype=torch.float64), torch.asarray(sample("float64", 4))

    def solution(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return xp.to_torch(xp.linalg.lstsq(xp.asarray(a), xp.asarray(b)).x)

    for check in (torch.autograd.gradcheck, torch.autograd.gradgradcheck):
        assert check(solution, tuple(x.requires_grad_() for x in operands))


def test_lstsq_is_as_exact_where_it_is_differentiated() -> None:
    """Of an ill-conditioned matrix, where the product with the pseudo-inverse is less so."""
    a = torch.tensor([[1.0, t, t**2, t**3, t**4] for t in torch.linspace(1, 1.2, 9).tolist()])
    a = a.to(torch.float64)
    b = a.sum(-1).requires_grad_()
    plain = xp.linalg.lstsq(xp.asarray(a), xp.asarray(b.detach())).x
    followed = xp.linalg.lstsq(xp.asarray(a), xp.asarray(b)).x
    np.testing.assert_allclose(xp.to_torch(followed).detach(), to_numpy(plain), rtol=1e-14)


FUNCTIONS = {
    "convolve": lambda x: xp.convolve(x, x[:3], "same"),
    "median": lambda x: xp.median(xp.reshape(x, (2, 4)), axis=1),
    "lstsq": lambda x: xp.linalg.lstsq(xp.reshape(x, (4, 2)), x[:4])[0],
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_do_not_depend_on_the_layout(name: str) -> None:
    x = sample("float32", 16)
    apart, together = xp.asarray(x)[::2], xp.asarray(x[::2].copy())
    same(FUNCTIONS[name](apart), to_numpy(FUNCTIONS[name](together)), rtol=1e-5)


@pytest.mark.parametrize("grad", [False, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_they_compile_as_one_graph(name: str, grad: bool) -> None:
    """What has a shape that depends on data, which bincount and roots have, does not."""

    def function(tensor: Any) -> Any:
        return xp.to_torch(FUNCTIONS[name](xp.asarray(tensor)))

    torch._dynamo.reset()
    tensor = torch.asarray(sample("float32", 8)).requires_grad_(grad)
    compiled = torch.compile(function, fullgraph=True, backend="aot_eager")(tensor)
    torch.testing.assert_close(compiled, function(tensor))


@listing("name, k", list(itertools.product(["bool", *NUMERIC], [-2, 0, 1])))
def test_diag(name: str, k: int) -> None:
    for x in (np.asarray([1, 0, 1], dtype=name), np.eye(3, 4, k, dtype=name)):
        got = xp.diag(xp.asarray(x), k)
        np.testing.assert_array_equal(to_numpy(got), np.diag(x, k), strict=True)


def test_logspace() -> None:
    with xp.options(default_float="float64"):
        for arguments in ((-3, 2, 7), (0, 4, 4, False, 2.0)):
            start, stop, num, *more = arguments
            named: Any = dict(zip(("endpoint", "base"), more))
            got = to_numpy(xp.logspace(start, stop, num, **named))
            expected = np.logspace(start, stop, num, **named)
            np.testing.assert_allclose(got, expected, rtol=1e-6, strict=True)


def test_relaxed_mode_takes_booleans_and_integers() -> None:
    """What NumPy gives as well is in tests/numpys.py."""
    truth, ones = xp.asarray([True, False, True]), xp.asarray([1, 1])
    with xp.options(relaxed=True, default_float="float64"):
        same(xp.bincount(truth), np.bincount([1, 0, 1]))
        same(xp.bincount(ones, xp.asarray([True, True])), np.asarray([0, 2]))
        same(xp.median(truth[:2]), np.float64(0.5))
        same(xp.roots(xp.asarray([2, 4])), np.complex128([-2]))
        with pytest.raises(TypeError, match="float32"):
            xp.bincount(xp.asarray([0.5], dtype=xp.float32))


REFUSED = r"""
[ValueError]
from 0 to | xp.bincount(-n); xp.bincount(xp.asarray([2**63], dtype=xp.uint64))
vector | xp.bincount(k); xp.bincount(xp.asarray(1)); xp.roots(one); xp.roots(s)
minlength must not be negative | xp.bincount(n, minlength=-1)
a weight for each | xp.bincount(n, v)
two vectors | xp.convolve(x, x[:0]); xp.convolve(x, s); xp.convolve(x[:0], x); xp.convolve(s, x)
mode must be | xp.convolve(x, x, mode="circular")
twice | xp.median(m, axis=(0, -2))
as many elements as it has rows | linalg.lstsq(m.T, x); linalg.lstsq(v, v); linalg.lstsq(m, one)
as many elements as it has rows | linalg.lstsq(t, v)
[IndexError]
axis | xp.median(m, axis=2); xp.median(m, axis=-3); xp.median(m, axis=(0, 5))
[TypeError]
minlength | xp.bincount(n, minlength=1.5)
complex64 | xp.bincount(n, z)
relaxed | xp.convolve(x, n)
rcond | linalg.lstsq(s, x, rcond="0"); linalg.lstsq(s, x, rcond=True); linalg.lstsq(s, x, rcond=1j)
"""
test_what_is_refused = pytest.mark.npu(refused(REFUSED))
