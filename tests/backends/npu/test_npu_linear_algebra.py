"""Decompositions and linear systems on NPUs, against LAPACK on the CPU and against ``mpmath``.

Errors are judged in a wider precision than that of the data type.  ``FACTOR`` says how much larger
than LAPACK's they may be for the same matrix; an error of one epsilon is free.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from typing import TYPE_CHECKING, Any

from npu import EMULATOR, QUIET_TORCH_NPU, computed  # isort: skip
import mpmath
import numpy as np
import pytest
from parametrize import listing, others_nightly

import ascend_array_api as xp
import ascend_array_api.distributed as xd
from ascend_array_api._torch import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# torch_npu says so once, for aclnnSlogdet
pytestmark = QUIET_TORCH_NPU

linalg = xp.linalg
DTYPES = ("float32", "float64", "complex64", "complex128")
SINGLE = ("float32", "complex64")
WIDE = {"float32": "float64", "float64": "longdouble", "complex64": "complex128"} | {
    "complex128": "clongdouble"
}
REAL = {"float32": "float32", "float64": "float64", "complex64": "float32", "complex128": "float64"}
WIDE64 = {d: "complex128" if d.startswith("c") else "float64" for d in DTYPES}
FACTOR = 10

Matrix = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def _host() -> Iterator[None]:
    with xp.options(host_fallback="error"):
        yield


def several(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


def lapack(function: Callable[..., Any], *operands: Matrix, **parameters: Any) -> Any:
    """Return what torch computes on the CPU, by LAPACK in the same precision."""
    result = function(*(torch.from_numpy(np.asarray(x)) for x in operands), **parameters)
    return tuple(r.numpy() for r in result) if isinstance(result, tuple) else result.numpy()


def epsilon(dtype: str) -> float:
    return float(np.finfo(dtype).eps)


def adjoint(x: Matrix) -> Matrix:
    return np.conj(np.swapaxes(x, -1, -2))


def size(x: Matrix) -> float:
    """The Frobenius norm of all matrices of a stack together."""
    largest = np.max(np.abs(x), initial=0)
    if not np.isfinite(largest):
        return math.inf
    return float(np.sqrt(np.sum(np.abs(x / largest) ** 2)) * largest) if largest else 0.0


def skewness(q: Matrix) -> float:
    """How far columns are from being orthonormal, relatively to the size of the identity."""
    return size(adjoint(q) @ q - np.eye(q.shape[-1])) / math.sqrt(q.shape[-1])


def draw(shape: tuple[int, ...], dtype: str, seed: int = 0) -> Matrix:
    rng = np.random.default_rng([seed, *shape])
    values = rng.standard_normal(shape)
    if dtype.startswith("complex"):
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def orthogonal(size: int, dtype: str, seed: int = 0) -> Matrix:
    return np.linalg.qr(draw((size, size), WIDE64[dtype], seed))[0]


MATRICES: dict[str, Callable[[str], Matrix]] = {
    "random": lambda dtype: draw((50, 50), dtype),
    "ill-conditioned": lambda dtype: (
        orthogonal(50, dtype) * np.logspace(0, -4, 50) @ orthogonal(50, dtype, 1)
    ),
    "Hilbert": lambda dtype: 1 / (np.arange(6)[:, None] + np.arange(6) + 1),
    "orthogonal": lambda dtype: orthogonal(50, dtype),
    "triangular": lambda dtype: np.triu(draw((50, 50), dtype)) / 50 + 2 * np.eye(50),
    "stack": lambda dtype: draw((3, 2, 5, 5), dtype),
    "1x1": lambda dtype: draw((1, 1), dtype),
    "large": lambda dtype: draw((5, 5), dtype) * 1e30,
    "small": lambda dtype: draw((5, 5), dtype) * 1e-30,
    "powers of 2": lambda dtype: np.diag(2.0 ** np.arange(-20, 20)),
    "graded": lambda dtype: draw((8, 8), dtype) * 10.0 ** -np.arange(8),
}
CASES = tuple(MATRICES)
UNCLEAR = {"ill-conditioned", "Hilbert", "small", "powers of 2", "graded"}
"""Whose rank is a matter of rounding."""


def matrix(case: str, dtype: str) -> Matrix:
    """Return the matrices of a case."""
    return MATRICES[case](dtype).astype(dtype)


each = pytest.mark.parametrize("case", CASES)
of_each = pytest.mark.parametrize("dtype", DTYPES)
of_single = pytest.mark.parametrize("dtype", SINGLE)


def scaled(x: Matrix) -> tuple[Matrix, Matrix]:
    """Return matrices of the wide data type, divided by their largest element, and that."""
    largest = np.abs(x).max()
    wide = np.dtype(WIDE[x.dtype.name])
    return x.astype(wide) / largest.astype(wide), largest.astype(wide)


def near(error: float, lapacks: float, dtype: str) -> None:
    assert error <= FACTOR * max(lapacks, epsilon(dtype)), (error, lapacks)


# ---- errors ----


def hermitian(x: Matrix, definite: bool = False) -> Matrix:
    wide, largest = scaled(x)
    wide = wide @ adjoint(wide) if definite else (wide + adjoint(wide)) / 2
    return (wide * largest).astype(x.dtype)


def half(x: Matrix) -> int:
    return max(1, x.shape[-1] // 2)


FORMS: dict[str, Callable[[Matrix], Matrix]] = {
    "square": lambda x: x,
    "tall": lambda x: x[..., : half(x)],
    "wide": lambda x: x[..., : half(x), :],
    "hermitian": hermitian,
    "definite": lambda x: hermitian(x, True),
}
RECTANGLES = ("square", "tall", "wide")


def of_inverse(x: Matrix, y: Matrix) -> list[float]:
    wide, largest = scaled(x)
    y = y.astype(wide.dtype) * largest
    return [size(wide @ y - np.eye(x.shape[-1])) / (size(wide) * size(y))]


def right_of(x: Matrix) -> Matrix:
    return draw((*x.shape[:-1], 3), x.dtype.name, 1)


def of_solution(x: Matrix, y: Matrix) -> list[float]:
    wide, largest = scaled(x)
    y, right = y.astype(wide.dtype) * largest, right_of(x)
    return [size(wide @ y - right) / (size(wide) * size(y) + size(right))]


def of_qr(x: Matrix, q: Matrix, r: Matrix) -> list[float]:
    assert not np.tril(r, -1).any()
    wide, largest = scaled(x)
    q, r = q.astype(wide.dtype), r.astype(wide.dtype) / largest
    return [size(q @ r - wide) / size(wide), skewness(q)]


def of_eigh(x: Matrix, values: Matrix, vectors: Matrix) -> list[float]:
    assert (np.diff(values) >= 0).all()
    wide, largest = scaled(x)
    u, v = vectors.astype(float), values.astype(float) / largest
    return [size(wide @ u - u * v[..., None, :]) / size(wide), skewness(u)]


def of_eigvalsh(x: Matrix, values: Matrix) -> list[float]:
    assert (np.diff(values) >= 0).all()
    wide, largest = scaled(x)
    exact = np.linalg.eigvalsh(wide) * largest
    return [np.abs(values - exact).max() / np.abs(exact).max()]


def of_svd(x: Matrix, u: Matrix, s: Matrix, vh: Matrix) -> list[float]:
    wide, largest = scaled(x)
    product = u[..., : s.shape[-1]].astype(float) * (s.astype(float) / largest)[..., None, :] @ vh
    return [size(product - wide) / size(wide), *(skewness(q.astype(float)) for q in (u, vh.mT))]


def of_pinv(x: Matrix, y: Matrix) -> list[float]:
    wide, largest = scaled(x)
    exact = np.linalg.pinv(wide)
    return [size(y.astype(wide.dtype) * largest - exact) / size(exact)]


JUDGED: list[tuple[Any, ...]] = [
    # function, its errors, data types, forms of the matrices, parameters, matrices
    ("inv", of_inverse, DTYPES, ("square",), {}, CASES),
    ("solve", of_solution, DTYPES, ("square",), {}, CASES),
    ("qr", of_qr, DTYPES, RECTANGLES, {"mode": "reduced"}, CASES),
    ("qr", of_qr, DTYPES, RECTANGLES, {"mode": "complete"}, CASES),
    ("eigh", of_eigh, SINGLE[:1], ("hermitian", "definite"), {}, CASES),
    ("eigvalsh", of_eigvalsh, SINGLE, ("hermitian", "definite"), {}, CASES),
    ("svd", of_svd, SINGLE[:1], ("tall",), {"full_matrices": False}, CASES),
    ("svd", of_svd, SINGLE[:1], ("tall",), {"full_matrices": True}, CASES),
    ("pinv", of_pinv, SINGLE, RECTANGLES, {}, tuple(set(CASES) - UNCLEAR)),
]


@pytest.mark.parametrize(
    ("name", "errors", "parameters", "dtype", "form", "case"),
    [
        pytest.param(name, errors, parameters, *rest, id=f"{name} {parameters} {' '.join(rest)}")
        for name, errors, dtypes, forms, parameters, cases in JUDGED
        for rest in itertools.product(dtypes, forms, sorted(cases))
    ],
)
def test_errors_are_like_lapacks(
    name: str, errors: Any, parameters: dict[str, Any], dtype: str, form: str, case: str
) -> None:
    x = FORMS[form](matrix(case, dtype))
    operands = (x, right_of(x)) if name == "solve" else (x,)
    ours = several(computed(getattr(linalg, name), *operands, **parameters))
    if name == "pinv":
        parameters = {"rtol": max(x.shape[-2:]) * epsilon(dtype)}
    theirs = several(lapack(getattr(torch.linalg, name), *operands, **parameters))
    for a, b in zip(ours, theirs, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
    for error, other in zip(errors(x, *ours), errors(x, *theirs), strict=True):
        near(error, other, dtype)


# ---- systems ----


@of_each
def test_solve_keeps_columns_apart(dtype: str) -> None:
    """Right-hand sides of different sizes, or not finite, do not spoil one another."""
    x = np.linalg.qr(draw((4, 4), WIDE64[dtype]))[0].astype(dtype)
    right = draw((4, 5), dtype, 1)
    right[:, 1] *= 1e30
    right[:, 2] *= 1e-30
    right[1, 3], right[2, 4] = math.nan, math.inf
    result = computed(linalg.solve, x, right)
    expected = np.linalg.solve(x.astype(WIDE64[dtype]), right[:, :3].astype(WIDE64[dtype]))
    for i in range(3):
        error = np.abs(result[:, i] - expected[:, i]).max() / np.abs(expected[:, i]).max()
        assert error < 20 * epsilon(dtype)
    assert not np.isfinite(result[:, 3:]).any()


@of_each
@pytest.mark.parametrize("exponents", [(30, 30), (-30, -30), (36, 36), (-36, -36), (30, 0)])
def test_solve_neither_overflows_nor_vanishes_on_the_way(
    dtype: str, exponents: tuple[int, int]
) -> None:
    x1, x2 = draw((4, 4), WIDE64[dtype]), draw((4, 2), WIDE64[dtype], 1)
    expected = np.linalg.solve(x1, x2) * 10.0 ** (exponents[1] - exponents[0])
    left, right = (x1 * 10.0 ** exponents[0]).astype(dtype), (x2 * 10.0 ** exponents[1])
    result = computed(linalg.solve, left, right.astype(dtype))
    assert np.abs(result - expected).max() < 1000 * epsilon(dtype) * np.abs(expected).max()


# ---- determinants ----


def exact_determinants(x: Matrix) -> list[Any]:
    with mpmath.workdps(60):
        return [mpmath.det(mpmath.matrix(m.tolist())) for m in x.reshape(-1, *x.shape[-2:])]


@pytest.mark.parametrize(
    "case", others_nightly([c for c in CASES if c not in {"large", "small"}], 4)
)
@of_each
def test_det_and_slogdet_are_near(dtype: str, case: str) -> None:
    x = matrix(case, dtype)
    if x.shape[-1] > 20 and case != "powers of 2":  # within the range of float32
        x = x[..., :20, :20] if case == "random" else x
    exact = exact_determinants(x)

    def relative(values: Matrix) -> float:
        numbers = [mpmath.mpmathify(v.item()) for v in values.ravel()]
        return float(max(abs(a - b) / abs(b) for a, b in zip(numbers, exact)))

    result = computed(linalg.det, x)
    assert result.dtype == x.dtype
    # An error in the matrix changes its determinant by its product with the inverse, relatively:
    # by no more than the product of their norms.  Columns may be scaled without an error.
    wide = x.astype(WIDE64[dtype])
    wide = wide / np.linalg.norm(wide, axis=-2, keepdims=True)
    condition = max(size(m) * size(np.linalg.inv(m)) for m in wide.reshape(-1, *x.shape[-2:]))
    bound = FACTOR * max(x.shape[-1], condition) * epsilon(dtype)
    if min(abs(d) for d in exact) > 1e-30:
        assert relative(result) <= bound
    sign, logarithm = computed(linalg.slogdet, x)
    assert sign.dtype == x.dtype
    assert logarithm.dtype == REAL[dtype]
    logs = np.asarray([float(mpmath.log(abs(d))) for d in exact]).reshape(logarithm.shape)
    signs = np.asarray([complex(d / abs(d)) for d in exact]).reshape(sign.shape)
    # The logarithm of 1 + bound, and the rounding of its sum.
    rounded = x.shape[-1] * FACTOR * epsilon(dtype) * abs(logs).max()
    assert np.abs(logarithm - logs).max() <= bound / max(1 - bound, 0.1) + rounded
    assert np.abs(sign - signs).max() <= bound


def permuted(diagonal: Any, dtype: str) -> Matrix:
    x = np.diag(np.asarray(diagonal)).astype(dtype)
    return x[[1, 0, *range(2, len(x))]]  # of determinant -1


DIAGONALS = [([1e30, 1e30, 1e-30, 1e-30, 2], -2), ([1e-30, 1e-30, 1e30, 1e30, 2], -2)]
DIAGONALS += [([1e30] * 100 + [1e-30] * 100, -1), ([1.9] * 150 + [1 / 1.9] * 150, -1)]
DIAGONALS += [([1e30] * 12, -math.inf), ([1e-30] * 12, 0)]
DIAGONALS += [([3e38, 1.0], -3e38), ([1e-38, 1.0], -1e-38)]


@of_each
@listing("diagonal, expected", DIAGONALS)
def test_only_the_determinant_overflows(dtype: str, diagonal: list[float], expected: float) -> None:
    if dtype in {"float64", "complex128"}:  # the like in its range
        diagonal = [d**8 if abs(math.log10(d)) > 20 else d for d in diagonal]
        if expected and math.isfinite(expected) and abs(math.log10(-expected)) > 20:
            expected = -((-expected) ** 8)
    result = computed(linalg.det, permuted(diagonal, dtype))
    np.testing.assert_allclose(
        np.real(result), expected, rtol=len(diagonal) * 40 * epsilon(dtype), atol=0
    )


# ---- what has no result ----


@contextlib.contextmanager
def rounded_otherwise(seed: int) -> Iterator[None]:
    """Let kernels round as another processor might.

    What goes into a decomposition, and what comes out, moves by a unit of the last place or not at
    all: a backward stable algorithm has the exact results of such operands.  Zeros stay.
    """
    rng = np.random.default_rng(seed)
    called = set()

    def moved(x: Any) -> Any:
        if not isinstance(x, torch.Tensor) or not (x.is_floating_point() or x.is_complex()):
            return x
        places = torch.from_numpy(rng.integers(-1, 2, tuple(x.shape)))
        return x * (1 + places * torch.finfo(x.dtype).eps).to(x.dtype)

    def disturbed(name: str) -> Callable[..., Any]:
        function = getattr(torch.linalg, name)

        def kernel(*operands: Any, **parameters: Any) -> Any:
            if operands[0].device.type != "cpu":  # the namespace's call, not the kernel's
                return function(*operands, **parameters)
            called.add(name)
            results = function(*map(moved, operands), **parameters)
            return tuple(map(moved, results)) if isinstance(results, tuple) else moved(results)

        return kernel

    names = ("qr", "slogdet", "solve_triangular")
    with pytest.MonkeyPatch.context() as patch:
        for name in names:
            patch.setattr(torch.linalg, name, disturbed(name))
        yield
    assert called == set(names)


def of_system(x: Matrix, right: Matrix, rounding: int | None) -> Any:
    """Return the inverse, the solution, the determinant and its logarithm."""
    with contextlib.nullcontext() if rounding is None else rounded_otherwise(rounding):
        functions = linalg.inv, linalg.det, linalg.slogdet
        inverse, det, logarithm = (computed(function, x) for function in functions)
        return inverse, computed(linalg.solve, x, right), det, logarithm


ROUNDINGS = (None, *range(4)) if EMULATOR else (None,)
SINGULAR = {
    "zero": np.zeros((3, 3)),
    "a column of zeros": np.asarray([[1.0, 0, 2], [3, 0, 4], [5, 0, 7]]),
    "a row of zeros": np.asarray([[1.0, 3, 2], [0, 0, 0], [5, 2, 7]]),
    "a large one with a column of zeros": draw((40, 40), "float64") * (np.arange(40) != 17),
    "a large one with a row of zeros": draw((40, 40), "float64") * (np.arange(40) != 17)[:, None],
}
"""Matrices whose factors have an exact zero on their diagonal, however they are rounded."""
NEARLY_SINGULAR = {
    "equal rows": np.asarray([[1.0, 2, 3], [1, 2, 3], [4, 5, 7]]),
    "equal columns": np.asarray([[1.0, 3, 1], [2, 5, 2], [3, 4, 3]]),
    "ones": np.ones((3, 3)),
    "of integers": np.asarray([[1.0, 2, 3], [4, 5, 6], [7, 8, 9]]),
    "of rank 2": np.outer(np.arange(1.0, 6), np.arange(2.0, 7))
    + np.outer(np.ones(5), np.arange(5)),
}
"""Singular matrices of which rounding decides whether they are found to be singular."""


@of_each
@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("case", SINGULAR)
def test_matrices_found_singular_have_no_inverse(
    dtype: str, case: str, rounding: int | None
) -> None:
    n = len(SINGULAR[case])
    regular = (draw((n, n), dtype) / n + np.eye(n)).astype(dtype)
    x = np.stack([regular, SINGULAR[case].astype(dtype), regular])
    right = draw((3, n, 2), dtype, 1)
    inverse, solution, det, (sign, logarithm) = of_system(x, right, rounding)
    assert np.isnan(inverse[1]).all()
    assert np.isnan(solution[1]).all()
    for i in (0, 2):
        near(size(regular @ inverse[i] - np.eye(n)), 100 * epsilon(dtype), dtype)
        near(size(regular @ solution[i] - right[i]), 100 * epsilon(dtype), dtype)
    assert det[1] == 0
    np.testing.assert_allclose(det[::2], [np.linalg.det(regular)] * 2, rtol=100 * epsilon(dtype))
    assert (sign[1], logarithm[1]) == (0, -math.inf)
    assert np.isfinite(logarithm[::2]).all()
    assert computed(xp.add, x, x).shape == x.shape  # the device computes still


@of_each
@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("case", NEARLY_SINGULAR)
def test_singular_matrices_have_no_inverse_or_a_huge_one(
    dtype: str, case: str, rounding: int | None
) -> None:
    x = NEARLY_SINGULAR[case].astype(dtype)
    n = len(x)
    right = draw((n, 2), dtype, 1)
    inverse, solution, det, (sign, logarithm) = of_system(x, right, rounding)
    # Each column y of a result solves (x + error) y = b exactly, and the error is of this size.
    # With w the null vector on the left, w x = 0, so |w b| = |w error y| <= |error| |y|.
    error = 8 * max(n, 4) * epsilon(dtype) * size(x)
    values = NEARLY_SINGULAR[case]
    left, singular, _ = np.linalg.svd(values)
    assert singular[-1] < 1e-14 * singular[0]
    for result, b in ((inverse, np.eye(n)), (solution, right)):
        if not np.isnan(result).all():
            least = np.abs(left[:, -1] @ b) / error
            assert not (np.linalg.norm(result.astype(WIDE64[dtype]), axis=0) < least).any()
    # The determinant is the product of the singular values, of which the least is the error's.
    largest = error * (singular[0] + error) ** (n - 1)
    assert abs(det) <= largest
    assert (sign == 0) == (logarithm == -math.inf)
    assert logarithm <= math.log(largest)


def solved(x: xp.Array) -> xp.Array:
    return linalg.solve(x, xp.ones((x.shape[-1], 1), dtype=x.dtype))


@of_each
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_nan(dtype: str, value: float) -> None:
    x = draw((3, 4, 4), dtype)
    x[0] = x[2] = x[0] @ adjoint(x[0]) + 4 * np.eye(4)
    expected = x[0].astype(WIDE64[dtype])
    x[1, 2, 1] = x[1, 1, 2] = value
    functions: dict[str, Callable[..., Any]] = {
        name: getattr(linalg, name) for name in ("inv", "det", "slogdet", "cholesky")
    }
    functions["solve"] = solved
    functions["qr"] = lambda x: tuple(result[..., 1:, 1:] for result in linalg.qr(x))
    if dtype == "float32":
        functions |= {n: getattr(linalg, n) for n in ("svd", "eigh")}
    if dtype in SINGLE:
        functions |= {n: getattr(linalg, n) for n in ("svdvals", "eigvalsh", "pinv")}
    for name, function in functions.items():
        for result in several(computed(function, x)):
            # What comes before it is as it would be for Q, as of LAPACK, and 0 below R's diagonal.
            bad = result[1] if name != "qr" else np.triu(result[1])[np.triu_indices(3)]
            assert np.isnan(bad).all(), name
            np.testing.assert_array_equal(result[0], result[2])
            assert np.isfinite(result[0]).all(), name
    inverse = computed(linalg.inv, x)[0]
    assert size(expected @ inverse - np.eye(4)) < 100 * epsilon(dtype)
    if dtype in SINGLE:
        np.testing.assert_array_equal(computed(linalg.matrix_rank, x), [4, 0, 4])


@of_each
@pytest.mark.parametrize("upper", [False, True])
def test_what_is_not_positive_definite_has_no_factor(dtype: str, upper: bool) -> None:
    good = draw((4, 4), dtype)
    good = good @ adjoint(good) + np.eye(4, dtype=dtype)
    bad = [np.diag([1.0, 2, 0, 3]), np.diag([1.0, -2, 3, 4]), -np.eye(4), np.zeros((4, 4))]
    bad.append(np.ones((4, 4)) + np.diag([0, -0.5, 0, 0]))
    x = np.stack([good, *(b.astype(dtype) for b in bad), good])
    result = computed(linalg.cholesky, x, upper=upper)
    assert np.isnan(result[1:-1]).all()
    assert np.isfinite(result[[0, -1]]).all()


# ---- Cholesky ----


@each
@of_each
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky_is_near(dtype: str, case: str, upper: bool) -> None:
    wide, _ = scaled(matrix(case, dtype))
    product = wide @ adjoint(wide) + 1e-5 * np.eye(wide.shape[-1])
    x = product.astype(dtype)
    diagonal = np.einsum("...ii->...i", x)
    diagonal[...] = diagonal.real
    other = x.copy()  # only one triangle is read
    triangle = np.tri(x.shape[-1], k=-1, dtype=bool)
    other[np.broadcast_to(triangle if upper else triangle.T, x.shape)] = math.nan

    def error(factor: Matrix) -> float:
        lower = (adjoint(factor) if upper else factor).astype(wide.dtype)
        assert not np.triu(lower, 1).any()
        return size(lower @ adjoint(lower) - x) / size(x)

    result = computed(linalg.cholesky, x, upper=upper)
    assert result.dtype == x.dtype
    near(error(result), error(lapack(torch.linalg.cholesky, x, upper=upper)), dtype)
    if dtype != "float32":  # there the kernel decides
        np.testing.assert_array_equal(computed(linalg.cholesky, other, upper=upper), result)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_cholesky_takes_the_diagonal_for_real(dtype: str, upper: bool) -> None:
    x = np.asarray([[4 + 3j, 100], [2j, 5 + 1j]], dtype)
    factor = np.asarray([[2, 0], [1j, 2]], dtype)
    if upper:
        x, factor = adjoint(x), adjoint(factor)
    np.testing.assert_array_equal(computed(linalg.cholesky, x, upper=upper), factor)


def gradients(x: Matrix, function: Callable[[xp.Array], xp.Array]) -> list[torch.Tensor]:
    """The gradients of a sum of results on the CPU and on the NPU."""
    found = []
    for device in ("cpu", "npu:0"):
        leaf = torch.tensor(x, device=device, requires_grad=True)
        total = xp.sum(function(xp.asarray(leaf)))
        xp.to_torch(xp.real(total) + xp.imag(total) if leaf.is_complex() else total).backward()
        assert leaf.grad is not None
        found.append(leaf.grad.cpu())
    return found


@of_each
@pytest.mark.parametrize("upper", [False, True])
def test_both_triangles_share_the_gradient_of_cholesky(dtype: str, upper: bool) -> None:
    x = draw((3, 3), dtype)
    x = (x @ adjoint(x) + 3 * np.eye(3)).astype(dtype)
    found = gradients(x, lambda x: linalg.cholesky(x, upper=upper))
    torch.testing.assert_close(*(g + g.mH for g in found))  # what torch adds beside is no matter


@listing("order", [0.5, 1, 2, 3, -1, -2])
def test_the_gradients_of_norms_at_0(order: float) -> None:
    x = np.asarray([0.0, 1, 2], np.float32)
    torch.testing.assert_close(*gradients(x, lambda x: linalg.vector_norm(x, ord=order)))


def test_a_norm_of_an_order_that_is_none() -> None:
    assert np.isnan(computed(lambda x: linalg.vector_norm(x, ord=math.nan), np.ones(2, "float32")))


@pytest.mark.parametrize("name", ["cholesky", "eigh", "eigvalsh", "inv", "det", "qr", "svdvals"])
def test_results_of_no_matrices_take_part_in_derivatives(name: str) -> None:
    leaf = torch.zeros((0, 2, 2), device="npu:0", requires_grad=True)
    results = getattr(linalg, name)(xp.asarray(leaf))
    last = results[-1] if isinstance(results, tuple) else results
    assert xp.to_torch(last).requires_grad


# ---- singular values and eigenvalues ----


SYMMETRIC = [np.eye(4), -np.eye(4), np.diag([2.0, -2, 2, -2]), np.asarray([[0.0, 1], [1, 0]])]
SYMMETRIC += [np.diag([0.0, 0, 0, 1]), np.full((1, 1), -5.0), np.ones((1, 2, 1, 1, 1, 1, 2, 2))]
SYMMETRIC += [np.zeros(shape) for shape in ((3, 3), (2, 3, 3), (0, 0), (2, 0, 0), (0, 2, 2))]


@listing("x", SYMMETRIC)
def test_eigh_of_special_matrices(x: Matrix) -> None:
    x = x.astype(np.float32)
    values, vectors = computed(linalg.eigh, x)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(x), atol=1e-6)
    identity = np.broadcast_to(np.eye(x.shape[-1]), x.shape)
    np.testing.assert_allclose(adjoint(vectors) @ vectors, identity, atol=1e-6)
    np.testing.assert_allclose(x @ vectors, vectors * values[..., None, :], atol=1e-6)
    np.testing.assert_allclose(computed(linalg.eigvalsh, x), values, atol=1e-6)


@of_single
def test_eigenvalues_are_of_the_lower_triangle(dtype: str) -> None:
    x = draw((4, 4), dtype)
    expected = lapack(torch.linalg.eigvalsh, x)  # reads the lower triangle
    np.testing.assert_allclose(computed(linalg.eigvalsh, x), expected, atol=1e-5)
    if dtype == "float32":
        np.testing.assert_allclose(computed(linalg.eigh, x)[0], expected, atol=1e-5)


@each
@of_single
@pytest.mark.parametrize("form", RECTANGLES)
def test_svdvals_and_norms_are_near(case: str, dtype: str, form: str) -> None:
    x = FORMS[form](matrix(case, dtype))
    wide, largest = scaled(x)
    exact = np.linalg.svd(wide, compute_uv=False) * largest
    values = computed(linalg.svdvals, x)
    assert (values.shape, values.dtype) == (exact.shape, np.float32)
    norm = exact.max()
    theirs = np.abs(lapack(torch.linalg.svdvals, x) - exact).max() / norm
    # LAPACK's own errors for values without vectors grow with the root of the size.
    allowed = max(theirs, math.sqrt(min(x.shape[-2:])) * epsilon(dtype))
    near(np.abs(values - exact).max() / norm, allowed, dtype)
    for order, expected in ((2, exact[..., 0]), (-2, exact[..., -1]), ("nuc", exact.sum(-1))):
        result = computed(linalg.matrix_norm, x, ord=order)
        assert np.abs(result - expected).max() <= 50 * FACTOR * epsilon(dtype) * norm
        kept = computed(linalg.matrix_norm, x, ord=order, keepdims=True)
        np.testing.assert_array_equal(kept[..., 0, 0], result)


@of_single
def test_ranks(dtype: str) -> None:
    low = draw((6, 2), dtype) @ draw((2, 5), dtype, 1)
    x = np.stack([low, draw((6, 5), dtype), np.zeros((6, 5), dtype)])
    np.testing.assert_array_equal(computed(linalg.matrix_rank, x), [2, 5, 0])
    result = computed(linalg.matrix_rank, np.diag([1, 0.5, 0.1, 0]).astype(dtype), rtol=0.2)
    assert (result, result.dtype) == (2, np.int64)
    stack = np.broadcast_to(np.diag([1, 0.5, 0.1]).astype(dtype), (2, 3, 3))
    tolerances = xp.asarray([0.05, 0.2], dtype=xp.float32)
    np.testing.assert_array_equal(computed(linalg.matrix_rank, stack, rtol=tolerances), [3, 2])
    result = computed(linalg.pinv, low)
    wide = low.astype(WIDE64[dtype])
    assert size(wide @ result @ wide - wide) < 1000 * epsilon(dtype)


# ---- shapes ----


@of_each
def test_stacks_of_many_axes(dtype: str) -> None:
    shape = (2, 1, 1, 2, 1, 1, 3, 3)
    flat = draw((4, 3, 3), dtype)
    flat = flat @ adjoint(flat) + np.eye(3, dtype=dtype)
    names = ["inv", "det", "cholesky", "slogdet", "qr", "solve"]
    names += ["eigvalsh", "svdvals", "pinv"] if dtype in SINGLE else []
    names += ["svd", "eigh"] if dtype == "float32" else []
    for name in names:
        function = solved if name == "solve" else getattr(linalg, name)
        results, plain = (several(computed(function, x)) for x in (flat.reshape(shape), flat))
        for result, other in zip(results, plain, strict=True):
            assert result.shape == (*shape[:-2], *other.shape[1:]), name
            np.testing.assert_array_equal(result.reshape(other.shape), other)


# ---- the host ----

HOSTED = dict.fromkeys(("eig", "eigvals"), DTYPES) | dict.fromkeys(("svd", "eigh"), DTYPES[1:])
HOSTED |= dict.fromkeys(("svdvals", "eigvalsh", "matrix_rank", "pinv"), ("float64", "complex128"))


@listing("name, dtype", [(n, d) for n, ds in HOSTED.items() for d in ds])
def test_what_goes_to_the_host_says_so(name: str, dtype: str) -> None:
    """What comes of it is compared in test_npu_against_numpy.py."""
    x = draw((2, 4, 4), dtype)
    reason = "(no kernel|calls aclnnSvd for float32 alone)"
    with pytest.raises(xp.HostFallbackError, match=f"{name} of {dtype} .*{reason}"):
        getattr(linalg, name)(xp.asarray(x + adjoint(x)))


# ---- gradients ----


@pytest.mark.parametrize("dtype", SINGLE)
@pytest.mark.parametrize("name", ["inv", "det", "cholesky", "svdvals", "svd", "pinv"])
def test_gradients_of_stacks_of_many_axes(name: str, dtype: str) -> None:
    """CANN multiplies matrices of 6 dimensions at most."""
    values = draw((4, 3, 3), dtype, 5)

    def gradient(shape: tuple[int, ...]) -> Matrix:
        leaf = torch.from_numpy(values.copy()).to("npu:0").requires_grad_(True)
        x = xp.asarray(leaf)
        if name == "cholesky":
            x = x @ xp.linalg.matrix_transpose(xp.conj(x) if "complex" in dtype else x)
            x = x + xp.asarray(np.eye(3, dtype=dtype), device=x.device)
        x = xp.reshape(x, shape)
        with xp.options(host_fallback="allow"):
            result = getattr(linalg, name)(x)
        flat = xp.reshape(result.S if name == "svd" else result, (4, -1))
        xp.sum(xp.abs(flat) ** 2)._tensor.backward()
        found: Matrix = leaf.grad.cpu().numpy()
        return found

    expected = gradient((4, 3, 3))
    assert size(expected) > 0.01
    np.testing.assert_allclose(gradient((2, 1, 1, 2, 1, 1, 3, 3)), expected, 1e-4, 1e-4)


def test_complete_bases_have_no_gradient() -> None:
    leaf = torch.ones((3, 2), device="npu:0").requires_grad_(True)
    q, _ = linalg.qr(xp.asarray(leaf), mode="complete")
    with pytest.raises(RuntimeError, match="no gradient"):
        xp.sum(q)._tensor.backward()


@pytest.mark.parametrize("simulate", [2, 3])
def test_the_power_of_0_on_a_mesh_is_on_its_devices(simulate: int) -> None:
    local = xp.ones(1).device
    x = xp.asarray(np.diag([2.0, 3.0]), dtype=xp.float32, device=xd.init(local, simulate=simulate))
    identity = xp.linalg.matrix_power(x, 0)
    for part in xd.parts(identity):
        assert xp.to_torch(part).device == local.torch_device
    assert np.asarray((identity + x).to_device("cpu")).tolist() == [[3, 0], [0, 4]]


def test_tall_complex_matrices_on_a_mesh_are_taken_apart_by_rows() -> None:
    mesh = xd.init(xp.ones(1).device, simulate=3)
    x = xp.asarray([[1 + 1j], [0j], [2j]], dtype=xp.complex128, device=mesh)
    with xp.options(host_fallback="allow"):
        assert int(xp.linalg.matrix_rank(x)) == 1
        values = np.asarray(xp.linalg.svdvals(x).to_device("cpu"))
    np.testing.assert_allclose(values, [6**0.5], rtol=1e-6)
