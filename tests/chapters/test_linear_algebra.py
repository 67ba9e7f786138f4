"""Linear algebra: exact integers, strictness, the empty, the singular and the infinite.

``test_against_numpy`` compares every function with NumPy on drawn arrays; here stand the cases
that a drawn array does not reach, and the rules that are the namespace's own.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from parametrize import listing
from processes import python
from refusals import refused

import ascend_array_api as xp
from ascend_array_api._backends.cuda import linear_algebra as on_gpus
from ascend_array_api._routes import linear_algebra as routes
from workshop.samples.strategies import to_numpy

SIGNED = ("int8", "int16", "int32", "int64")
INTEGER = (*SIGNED, "uint8", "uint16", "uint32", "uint64")
DECOMPOSED = ("float32", "float64", "complex64", "complex128")
REAL = {"complex64": "float32", "complex128": "float64"}
COMPLEX = {"float32": "complex64", "float64": "complex128"}
linalg = xp.linalg


def draw(shape: tuple[int, ...], dtype: str, seed: int = 0) -> np.ndarray:
    """Numbers from the whole range of an integer data type, or from a normal distribution."""
    rng = np.random.default_rng(seed)
    if dtype in INTEGER:
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    values = rng.standard_normal(shape)
    if dtype in REAL:
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def extremes(shape: tuple[int, ...], dtype: str) -> list[np.ndarray]:
    limits = np.iinfo(dtype)
    return [np.full(shape, limits.min, dtype), np.full(shape, limits.max, dtype)]


def check(actual: Any, expected: np.ndarray) -> None:
    """Check for equality of data type, shape and every element."""
    actual = to_numpy(actual)
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    np.testing.assert_array_equal(actual, expected)


def epsilon(dtype: str) -> float:
    return float(np.finfo(dtype).eps)


def adjoint(x: np.ndarray) -> np.ndarray:
    return np.conj(np.swapaxes(x, -1, -2))


def positive_definite(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    x = draw(shape, dtype)
    return x @ adjoint(x) + np.eye(shape[-1], dtype=dtype)


# --- products of integers -------------------------------------------------------------------------

PRODUCT_SHAPES: list[Any] = [
    *(((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((3,), (5, 3, 2)), ((2, 0), (0, 3))),
    *(((5, 1, 2, 3), (4, 3, 2)), ((0,), (0,)), ((0, 3), (3, 2)), ((2, 700), (700, 3))),
]


@pytest.mark.parametrize("shapes", PRODUCT_SHAPES, ids=str)
@pytest.mark.parametrize("dtype", INTEGER)
def test_matmul_of_integers_wraps_around(dtype: str, shapes: tuple[Any, Any]) -> None:
    x1, x2 = draw(shapes[0], dtype, 1), draw(shapes[1], dtype, 2)
    expected = np.asarray(np.matmul(x1, x2))
    check(xp.matmul(xp.asarray(x1), xp.asarray(x2)), expected)
    check(xp.asarray(x1) @ xp.asarray(x2), expected)


@pytest.mark.parametrize("shapes", PRODUCT_SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [*SIGNED, "uint8"])
@pytest.mark.parametrize(
    ("width", "carrier"),
    [(16, torch.float64), (24, torch.float64), (5, torch.float64), (8, torch.float32)],
)
def test_products_by_limbs_are_exact(
    width: int, carrier: torch.dtype, dtype: str, shapes: tuple[Any, Any]
) -> None:
    cases = [(draw(shapes[0], dtype, 1), draw(shapes[1], dtype, 2))]
    cases += [(a, b) for a in extremes(shapes[0], dtype) for b in extremes(shapes[1], dtype)]
    for x1, x2 in cases:
        product = routes.matmul_by_limbs(
            torch.from_numpy(x1), torch.from_numpy(x2), width=width, carrier=carrier
        )
        check(product.numpy(), np.asarray(np.matmul(x1, x2)))


@pytest.mark.parametrize("dtype", sorted(xp.__array_namespace_info__().dtypes(kind="numeric")))
def test_exchanged_vectors_change_the_sign_of_cross_products(dtype: str) -> None:
    """A vector by itself is 0, by the definition; torch rounds one product and not the other."""
    for count in (1, 7, 2000):
        for axis in (-1, -2):
            shape = (count, 3) if axis == -1 else (3, count)
            x, y = (xp.asarray(draw(shape, dtype, seed)) for seed in (1, 2))
            case = f"{count} vectors along axis {axis}"
            assert not xp.any(linalg.cross(x, x, axis=axis)), case
            turned = 0 * y - linalg.cross(y, x, axis=axis)
            assert xp.all(linalg.cross(x, y, axis=axis) == turned), case
            if dtype in {"float32", "float64"}:
                exact = np.cross(
                    *(np.asarray(to_numpy(v), dtype="longdouble") for v in (x, y)), axis=axis
                )
                got = np.asarray(to_numpy(linalg.cross(x, y, axis=axis)), dtype="longdouble")
                bound = 2 * np.finfo(dtype).eps * float(xp.max(xp.abs(x)) * xp.max(xp.abs(y)))
                assert np.abs(got - exact).max() <= bound, case


@pytest.mark.npu
@pytest.mark.parametrize("dtype", INTEGER)
def test_the_other_products_of_integers_wrap_around(dtype: str) -> None:
    a, b = draw((4, 3), dtype, 1), draw((4, 3), dtype, 2)
    x1, x2 = xp.asarray(a), xp.asarray(b)
    check(xp.vecdot(x1, x2), np.sum(a * b, axis=-1, dtype=dtype))
    check(xp.tensordot(x1, x2), np.tensordot(a, b))
    check(xp.tensordot(x1, x2, axes=((0,), (0,))), a.T @ b)
    check(linalg.outer(x1[:, 0], x2[0, :]), np.multiply.outer(a[:, 0], b[0]))
    columns = [a[:, i - 2] * b[:, i - 1] - a[:, i - 1] * b[:, i - 2] for i in range(3)]
    check(linalg.cross(x1, x2), np.stack(columns, axis=-1))
    most = np.full((3, 3), np.iinfo(dtype).max, dtype)
    wide = "int64" if dtype in SIGNED else "uint64"
    check(linalg.trace(xp.asarray(most)), np.asarray(np.trace(most.astype(wide))))
    power = a[:3] @ a[:3] @ a[:3] @ a[:3] @ a[:3]
    with pytest.raises(TypeError, match=rf"^matrix_power: data type {dtype} .*relaxed=True"):
        linalg.matrix_power(x1[:3, :], 5)
    with xp.options(relaxed=True):
        check(linalg.matrix_power(x1[:3, :], 5), power)
        check(linalg.matrix_power(x1[:3, :], 0), np.eye(3, dtype=dtype))


@pytest.mark.npu
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_products(dtype: str) -> None:
    # Whole numbers so small that the products are exact in either data type.
    a = np.arange(-4, 5, dtype="float32").reshape(3, 3)
    x = xp.astype(xp.asarray(a), getattr(xp, dtype))

    def exactly(actual: Any, expected: np.ndarray) -> None:
        assert actual.dtype is x.dtype
        check(xp.astype(actual, xp.float32), np.asarray(expected, "float32"))

    exactly(x @ x, a @ a)
    exactly(xp.tensordot(x, x), np.tensordot(a, a))
    exactly(xp.vecdot(x, x), np.sum(a * a, axis=-1))
    exactly(linalg.outer(x[0, :], x[1, :]), np.multiply.outer(a[0], a[1]))
    exactly(linalg.matrix_power(x, 2), a @ a)


# --- what is refused ------------------------------------------------------------------------------


REFUSED = r"""
[ValueError]
3 elements, the columns of the second 2 | xp.matmul(m, m)
cannot be multiplied | xp.matmul(v, xp.ones(4))
^@: .* cannot be multiplied | m @ m
multiply\(\) | xp.matmul(one, v)
could not be broadcast | xp.matmul(t, xp.ones((4, 2, 2))); xp.vecdot(m, xp.ones((5, 3)))
could not be broadcast | linalg.cross(m, xp.ones((5, 3))); linalg.solve(t, xp.ones((4, 2, 1)))
could not be broadcast | linalg.matrix_rank(m, rtol=xp.ones(2))
from 0 to 2 | xp.tensordot(m, m, axes=3); xp.tensordot(m, m, axes=-1)
agree in size | xp.tensordot(m, m, axes=1)
pair up | xp.tensordot(m, m, axes=((0,), (0, 1)))
twice | xp.tensordot(m, m, axes=((0, 0), (0, 1)))
same number | xp.vecdot(m, xp.ones(1))
both must have 3 | linalg.cross(m, xp.ones(1))
1 dimension | linalg.outer(m, v)
square | linalg.matrix_power(m, 2); linalg.solve(m, v)
2 elements, not 3 | linalg.solve(s, v)
2 elements, not 5 | linalg.solve(t, xp.ones((5, 2)))
0 dimensions | linalg.solve(s, one)
'complete' | linalg.qr(m, mode="raw")
'nuc' | linalg.matrix_norm(m, ord=3); linalg.matrix_norm(m, ord=True)
at least 2 dimensions | xp.matrix_transpose(v); linalg.diagonal(v); linalg.matrix_norm(v)
at least 2 dimensions | linalg.cholesky(v); linalg.det(v); linalg.eig(v); linalg.eigh(v)
at least 2 dimensions | linalg.eigvals(v); linalg.eigvalsh(v); linalg.inv(v); linalg.matrix_rank(v)
at least 2 dimensions | linalg.pinv(v); linalg.qr(v); linalg.slogdet(v); linalg.svd(v)
at least 2 dimensions | linalg.svdvals(v)
expected square matrices | linalg.cholesky(m); linalg.det(m); linalg.eig(m); linalg.eigh(m)
expected square matrices | linalg.eigvals(m); linalg.eigvalsh(m); linalg.inv(m); linalg.slogdet(m)
the least of nothing | linalg.matrix_norm(xp.zeros((0, 3)), ord=-2)
the least of nothing | linalg.matrix_norm(xp.zeros((0, 3)), ord=-inf)
the least of nothing | linalg.matrix_norm(xp.zeros((3, 0)), ord=-1)
the least of nothing | linalg.matrix_norm(xp.zeros((3, 0)), ord=-2)
the least of nothing | linalg.matrix_norm(xp.zeros((0, 0)), ord=-1)
the least of nothing | linalg.matrix_norm(xp.zeros((0, 0)), ord=-2)
the least of nothing | linalg.matrix_norm(xp.zeros((0, 0)), ord=-inf)
the least of nothing | linalg.vector_norm(xp.zeros((2, 0)), axis=1, ord=-inf)
[TypeError]
Python float 2.0 | xp.matmul(s, 2.0)
numpy.ndarray | xp.matmul(s, np.ones((2, 2)))
float32 and int64 | xp.matmul(s, k)
^@: data type bool | xp.ones((2, 2), dtype=xp.bool) @ xp.ones((2, 2), dtype=xp.bool)
^@: expected an Array | s @ 2.0
pair of sequences | xp.tensordot(m, m, axes=True)
; got \(1, 1\)\. | xp.tensordot(m, m, axes=(1, 1))
; got the Python str '1'\. | xp.tensordot(m, m, axes="1")
integer | xp.vecdot(m, v, axis=-1.0); linalg.diagonal(m, offset=1.0); linalg.matrix_power(s, 2.0)
real\(\) | linalg.trace(z[:, None] * z, dtype=xp.float32)
int64 | linalg.matrix_power(k, -1); linalg.pinv(m, rtol=xp.asarray(1))
complex | linalg.matrix_rank(m, rtol=1j)
ord | linalg.vector_norm(v, ord="fro")
[IndexError]
out of bounds | xp.tensordot(m, m, axes=((0,), (2,)))
from the back | xp.vecdot(m, v, axis=0); xp.vecdot(m, v, axis=-2); linalg.cross(m, v, axis=1)
no axes | xp.vecdot(one, v)
"""
test_what_is_refused = pytest.mark.npu(refused(REFUSED))


# --- empty matrices and stacks --------------------------------------------------------------------


@pytest.mark.npu(host="allow")
@pytest.mark.parametrize("dtype", DECOMPOSED)
@pytest.mark.parametrize("batch", [(), (2,), (0,), (0, 2)])
def test_matrices_without_rows(dtype: str, batch: tuple[int, ...]) -> None:
    x = xp.zeros((*batch, 0, 0), dtype=getattr(xp, dtype))
    check(linalg.det(x), np.ones(batch, dtype))
    check(linalg.slogdet(x).sign, np.ones(batch, dtype))
    check(linalg.slogdet(x).logabsdet, np.zeros(batch, REAL.get(dtype, dtype)))
    check(linalg.matrix_rank(x), np.zeros(batch, "int64"))
    for name in ("inv", "cholesky", "pinv"):
        check(getattr(linalg, name)(x), np.zeros((*batch, 0, 0), dtype))
    check(linalg.matrix_power(x, 3), np.zeros((*batch, 0, 0), dtype))
    check(linalg.matrix_power(x, -3), np.zeros((*batch, 0, 0), dtype))
    check(linalg.eigh(x).eigenvectors, np.zeros((*batch, 0, 0), dtype))
    check(linalg.eigvalsh(x), np.zeros((*batch, 0), REAL.get(dtype, dtype)))
    check(linalg.eigvals(x), np.zeros((*batch, 0), COMPLEX.get(dtype, dtype)))
    check(linalg.eig(x).eigenvectors, np.zeros((*batch, 0, 0), COMPLEX.get(dtype, dtype)))
    check(linalg.solve(x, xp.zeros((0, 3), dtype=x.dtype)), np.zeros((*batch, 0, 3), dtype))
    check(linalg.solve(x, xp.zeros(0, dtype=x.dtype)), np.zeros((*batch, 0), dtype))


@pytest.mark.npu(host="allow")
@pytest.mark.parametrize("dtype", DECOMPOSED)
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (2, 0, 3), (2, 3, 0), (0, 2, 3), (0, 3, 2)])
def test_rectangles_without_elements(shape: tuple[int, ...], dtype: str) -> None:
    *batch, m, n = shape
    k = min(m, n)
    x = xp.zeros(shape, dtype=getattr(xp, dtype))
    left, values, right = linalg.svd(x)
    assert left.shape == (*batch, m, m)
    assert values.shape == (*batch, k)
    assert right.shape == (*batch, n, n)
    if 0 not in batch:
        for side in (to_numpy(left), to_numpy(right)):
            eye = np.eye(side.shape[-1], dtype=dtype)
            check(adjoint(side) @ side, np.broadcast_to(eye, side.shape))
    reduced = linalg.svd(x, full_matrices=False)
    assert [a.shape[-2:] for a in (reduced.U, reduced.Vh)] == [(m, k), (k, n)]
    assert [a.shape for a in linalg.qr(x)] == [(*batch, m, k), (*batch, k, n)]
    assert [a.shape for a in linalg.qr(x, mode="complete")] == [(*batch, m, m), (*batch, m, n)]
    assert linalg.pinv(x).shape == (*batch, n, m)
    check(linalg.matrix_rank(x), np.zeros(batch, "int64"))


@pytest.mark.npu(host="allow")
@pytest.mark.parametrize("dtype", DECOMPOSED)
@pytest.mark.parametrize("order", ["fro", "nuc", 1, 2, math.inf])
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0), (2, 0, 3), (0, 2, 3)])
def test_norms_of_empty_matrices_are_zero(shape: tuple[int, ...], order: Any, dtype: str) -> None:
    x, real = xp.zeros(shape, dtype=getattr(xp, dtype)), REAL.get(dtype, dtype)
    check(linalg.matrix_norm(x, ord=order), np.zeros(shape[:-2], real))
    kept = linalg.matrix_norm(x, ord=order, keepdims=True)
    check(kept, np.zeros((*shape[:-2], 1, 1), real))


@pytest.mark.npu
@pytest.mark.parametrize(
    ("order", "expected"),
    [(0, 0), (0.5, 0), (1, 0), (2, 0), (math.inf, 0), (-0.5, math.inf), (-1, math.inf)],
)
def test_norms_of_vectors_without_elements(order: float, expected: float) -> None:
    x = xp.zeros((2, 0), dtype=xp.float64)
    check(linalg.vector_norm(x, axis=1, ord=order), np.full(2, float(expected)))
    check(linalg.vector_norm(x, ord=order, keepdims=True), np.full((1, 1), float(expected)))
    check(linalg.vector_norm(x, axis=0, ord=order), np.zeros(0))
    for shape, least in (((0, 3), -1), ((3, 0), -math.inf)):  # the others are refused
        check(linalg.matrix_norm(xp.zeros(shape), ord=least), np.zeros((), "float32"))


# --- matrices without a result --------------------------------------------------------------------


test_a_singular_matrix_raises_an_error_that_is_numpys_and_torchs = pytest.mark.skipif(
    xp.zeros(1).device != "cpu", reason="accelerators do not wait for the check"
)(
    refused(
        r"""
[LinAlgError ValueError]
a matrix is | linalg.inv(singular); linalg.solve(singular, x); linalg.matrix_power(singular, -2)
a matrix is | linalg.cholesky(-xp.eye(2))
""",
        singular=lambda: xp.stack([xp.eye(2), xp.zeros((2, 2))]),
    )
)
assert issubclass(linalg.LinAlgError, np.linalg.LinAlgError)
assert issubclass(linalg.LinAlgError, torch.linalg.LinAlgError)


@pytest.mark.parametrize("dtype", DECOMPOSED)
def test_without_waiting_what_has_no_result_is_nan(dtype: str) -> None:
    x = np.stack(
        [positive_definite((3, 3), dtype), np.zeros((3, 3), dtype), np.eye(3, dtype=dtype)]
    )
    t, b = torch.from_numpy(x), torch.from_numpy(draw((3, 3, 2), dtype, 1))
    good = [0, 2]
    for unchecked, checked, rest in [
        (on_gpus.inv_unchecked, torch.linalg.inv, ()),
        (on_gpus.solve_unchecked, torch.linalg.solve, (b,)),
    ]:
        result = unchecked(t, *rest)
        assert torch.isnan(result[1]).all()
        torch.testing.assert_close(result[good], checked(t[good], *(r[good] for r in rest)))
    for upper in (False, True):
        factor = on_gpus.cholesky_unchecked(t, upper=upper)
        assert torch.isnan(factor[1]).all()
        torch.testing.assert_close(factor[good], torch.linalg.cholesky(t[good], upper=upper))


@pytest.mark.parametrize("shape", [(32, 32), (40, 40), (2, 33, 33), (512, 512)])
def test_symmetric_matrices_of_float32_are_decomposed_in_float64_on_gpus(
    shape: tuple[int, ...],
) -> None:
    x = positive_definite(shape, "float32")
    exact = np.linalg.eigvalsh(x.astype(np.float64))
    values, vectors = (part.numpy() for part in on_gpus.eigh(torch.from_numpy(x)))
    for found in (values, on_gpus.eigvalsh(torch.from_numpy(x)).numpy()):
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, exact, rtol=2.0**-23)
    assert vectors.dtype == np.float32
    wide = vectors.astype(np.float64)
    np.testing.assert_allclose(x @ wide, wide * exact[..., None, :], atol=2.0**-22 * exact.max())


@pytest.mark.parametrize("shape", [(31, 31), (2, 32, 32), (0, 0), (520, 520)])
def test_others_of_float32_are_left_to_torch_on_gpus(shape: tuple[int, ...]) -> None:
    x = torch.from_numpy(positive_definite(shape, "float32"))
    for mine, torchs in zip(
        (*on_gpus.eigh(x), on_gpus.eigvalsh(x)), (*torch.linalg.eigh(x), torch.linalg.eigvalsh(x))
    ):
        assert torch.equal(mine, torchs)


def of_namespace(x: np.ndarray, mode: str) -> tuple[np.ndarray, ...]:
    return tuple(map(to_numpy, linalg.qr(xp.asarray(x), mode=mode)))


def of_gpus(x: np.ndarray, mode: str) -> tuple[np.ndarray, ...]:
    return tuple(part.numpy() for part in on_gpus.qr(torch.from_numpy(x), mode))


@pytest.mark.parametrize("decompose", [of_namespace, of_gpus])
@pytest.mark.parametrize("mode", ["reduced", "complete"])
@pytest.mark.parametrize("dtype", DECOMPOSED)
def test_qr_of_any_rank_and_size(
    dtype: str, mode: str, decompose: Callable[..., tuple[np.ndarray, ...]]
) -> None:
    exponent = np.finfo(dtype).maxexp * 3 // 4
    regular = draw((4, 3), dtype)
    for base in (np.ones((4, 3), dtype), regular, np.zeros((4, 3), dtype)):
        turned = base * np.asarray(1j if dtype in REAL else -1, dtype)
        x = np.stack([base, turned * 2.0**exponent, turned * 2.0**-exponent]).astype(dtype)
        x = np.stack([x, x[::-1]])
        q, r = decompose(x, mode)
        np.testing.assert_allclose(
            np.swapaxes(q.conj(), -1, -2) @ q,
            np.broadcast_to(np.eye(q.shape[-1]), (2, 3, q.shape[-1], q.shape[-1])),
            atol=32 * np.finfo(dtype).eps,
        )
        largest = np.abs(x).max((-2, -1), keepdims=True)
        off = np.abs(q @ (r / np.where(largest, largest, 1)) - x / np.where(largest, largest, 1))
        assert off.max() <= 32 * np.finfo(dtype).eps


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("dtype", DECOMPOSED)
def test_qr_on_gpus_is_given_finite_numbers_alone(
    dtype: str, value: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    def decompose(x: torch.Tensor, mode: str) -> Any:
        assert torch.isfinite(x).all()  # else cuSOLVER may not return
        return decomposed(x, mode)

    decomposed = torch.linalg.qr
    monkeypatch.setattr(torch.linalg, "qr", decompose)
    x = draw((3, 4, 2), dtype)
    x[1, 2, 0] = value
    q, r = of_gpus(x, "reduced")
    assert np.isnan(q[1]).all()
    assert np.isnan(np.diagonal(r[1])).all()
    assert r[1, 1, 0] == 0
    np.testing.assert_allclose(q[::2] @ r[::2], x[::2], atol=32 * np.finfo(dtype).eps)


ITERATIVE = ("eig", "eigh", "eigvals", "eigvalsh", "pinv", "svd", "svdvals")


@pytest.mark.parametrize("dtype", DECOMPOSED)
@pytest.mark.parametrize("count", [1, 2, 3, 33, 130])
def test_nan_in_a_matrix_is_nan_in_what_its_factors_give(dtype: str, count: int) -> None:
    """The pivots of cuSOLVER passed over NaN: finite numbers came out."""
    matrices = draw((3, count, count), dtype) / np.sqrt(count, dtype=REAL.get(dtype, dtype))
    right = xp.asarray(draw((3, count), dtype))[..., None]
    for place in {(0, 0), (count - 1, 0), (0, count - 1), (count // 2, count // 3)}:
        spoiled = matrices.copy()
        spoiled[(1, *place)] = math.nan
        for x, at in ((xp.asarray(spoiled), 1), (xp.asarray(spoiled[1]), ...)):
            b = right[1, ...] if at is ... else right
            for result in (linalg.inv(x), linalg.solve(x, b), linalg.det(x), *linalg.slogdet(x)):
                assert np.isnan(to_numpy(result)[at]).any()
                assert at is ... or np.isfinite(np.delete(to_numpy(result), at, 0)).all()


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("dtype", DECOMPOSED)
@pytest.mark.parametrize("name", ITERATIVE)
def test_nan_and_infinities_stay_in_their_matrix(name: str, dtype: str, value: float) -> None:
    good = positive_definite((2, 4, 4), dtype)
    x = np.stack([good[0], good[1], good[1]])
    x[1, 2, 1] = x[1, 1, 2] = value
    results = getattr(linalg, name)(xp.asarray(x))
    alone = getattr(linalg, name)(xp.asarray(good))
    if not isinstance(results, tuple):
        results, alone = (results,), (alone,)
    for result, expected in zip(results, alone, strict=True):
        assert np.isnan(to_numpy(result)[1]).all()
        np.testing.assert_allclose(to_numpy(result)[[0, 2]], to_numpy(expected))
    check(linalg.matrix_rank(xp.asarray(x)), np.asarray([4, 0, 4]))
    for order in (2, -2, "nuc"):
        norms = to_numpy(linalg.matrix_norm(xp.asarray(x), ord=order))
        assert np.isnan(norms).tolist() == [False, True, False]


# --- solve ----------------------------------------------------------------------------------------


@pytest.mark.npu(host="allow")
@pytest.mark.parametrize("dtype", DECOMPOSED)
@pytest.mark.parametrize(
    ("shape1", "shape2", "shape"),
    [
        *(((2, 2), (2,), (2,)), ((3, 2, 2), (2,), (3, 2)), ((2, 2, 2), (2,), (2, 2))),
        *(((2, 2), (2, 2, 2), (2, 2, 2)), ((2, 2, 2), (2, 2), (2, 2, 2))),
        *(((3, 2, 2), (2, 3), (3, 2, 3)), ((3, 2, 2), (3, 2, 1), (3, 2, 1))),
        *(((1, 3, 2, 2), (4, 1, 2, 5), (4, 3, 2, 5)), ((2, 2), (4, 2, 1), (4, 2, 1))),
        *(((3, 2, 2), (2, 0), (3, 2, 0)), ((0, 2, 2), (1, 2, 3), (0, 2, 3))),
        ((0, 2, 2), (2,), (0, 2)),
    ],
)
def test_only_an_array_of_one_dimension_is_a_vector(
    dtype: str, shape1: tuple[int, ...], shape2: tuple[int, ...], shape: tuple[int, ...]
) -> None:
    a, b = positive_definite(shape1, dtype), draw(shape2, dtype, 1)
    solution = to_numpy(linalg.solve(xp.asarray(a), xp.asarray(b)))
    assert solution.dtype == dtype
    assert solution.shape == shape
    again = (a @ solution[..., None])[..., 0] if b.ndim == 1 else a @ solution
    size = np.abs(a).max(initial=1) * np.abs(solution).max(initial=1)
    np.testing.assert_allclose(again, np.broadcast_to(b, shape), atol=16 * epsilon(dtype) * size)


@pytest.mark.parametrize(
    "shape", [(20, 20), (300, 300), (40, 300), (300, 40), (9, 8, 8), (2, 40, 40)]
)
@pytest.mark.parametrize("dtype", DECOMPOSED)
def test_singular_values_and_vectors_have_the_digits_of_their_data_type(
    dtype: str, shape: tuple[int, ...]
) -> None:
    """By torch's default on GPUs a thousand times as much is lost."""
    x = draw(shape, dtype)
    exact = np.linalg.svd(x.astype("complex128" if dtype in REAL else "float64"))[1]
    u, s, vh = map(to_numpy, linalg.svd(xp.asarray(x), full_matrices=False))
    for values in (s, to_numpy(linalg.svdvals(xp.asarray(x)))):
        assert np.abs(values - exact).max() <= 100 * epsilon(dtype) * exact.max()
    for vectors in (u, vh.conj().swapaxes(-1, -2)):
        products = vectors.conj().swapaxes(-1, -2) @ vectors
        assert np.abs(products - np.eye(products.shape[-1])).max() <= 100 * epsilon(dtype)
    assert np.abs(u * s[..., None, :] @ vh - x).max() <= 100 * epsilon(dtype) * exact.max()


@pytest.mark.parametrize("dtype", DECOMPOSED)
def test_determinants_of_which_products_of_some_pivots_are_extreme(dtype: str) -> None:
    wide = "complex128" if dtype in REAL else "float64"
    turned = np.linalg.qr(draw((500, 500), dtype).astype(wide))[0]
    turned = np.stack([turned, -turned, turned[::-1]]).astype(dtype)
    expected = np.linalg.det(turned.astype(wide))
    # NumPy's own result has such an error too, where it computes in no wider type.
    bound = 1e3 * epsilon(dtype) * (2 if dtype == wide else 1)
    np.testing.assert_allclose(to_numpy(linalg.det(xp.asarray(turned))), expected, rtol=bound)
    large = math.sqrt(np.finfo(dtype).max) * 2
    diagonal = np.asarray([large, large, 1 / large, 1 / large])
    for order in ([0, 1, 2, 3], [2, 3, 0, 1], [0, 2, 1, 3]):
        result = to_numpy(linalg.det(xp.asarray(np.diag(diagonal[order]).astype(dtype))))
        np.testing.assert_allclose(result, 1, rtol=8 * epsilon(dtype))
    tiny = np.finfo(dtype).smallest_subnormal
    check(linalg.det(xp.asarray(np.diag([1, 1, tiny]).astype(dtype))), np.asarray(tiny, dtype))
    check(linalg.det(xp.asarray(np.diag([0, 1, tiny]).astype(dtype))), np.zeros((), dtype))


@pytest.mark.nightly
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_stacks_of_large_matrices_in_several_threads(dtype: str, threads: int) -> None:
    """In several threads torch's own factors of such stacks are wrong."""
    turned = np.stack([np.linalg.qr(draw((200, 200), "float64", seed))[0] for seed in (0, 1)])
    code = f"""
import numpy as np, torch, ascend_array_api as xp
torch.set_num_threads({threads})
values = np.load({{path!r}}).astype({dtype!r})
x, one = xp.asarray(values, device="cpu"), np.eye(200)
most = 1e3 * np.finfo({dtype!r}).eps
assert np.allclose(np.asarray(xp.linalg.inv(x) @ x), one, atol=most)
assert np.allclose(np.asarray(x @ xp.linalg.solve(x, x)), values, atol=most)
assert np.allclose(np.asarray(x @ xp.linalg.solve(x, x[0, :, :3])), values[0, :, :3], atol=most)
assert np.allclose(np.asarray(xp.linalg.det(x)), np.linalg.det(values), atol=most)
assert np.allclose(np.asarray(xp.linalg.slogdet(x).logabsdet), 0, atol=most)
turned = np.linalg.inv(values).swapaxes(-1, -2).conj()

def size(x):
    return xp.to_torch(xp.linalg.slogdet(xp.asarray(x)).logabsdet).sum()

given = torch.tensor(values)
assert np.allclose(torch.func.grad(size)(given).numpy(), turned, atol=most)
leaf = torch.nn.Parameter(given)
size(leaf).backward()
assert np.allclose(leaf.grad.numpy(), turned, atol=most)
compiled = torch.compile(xp.linalg.inv, backend="eager", fullgraph=True)
assert np.allclose(np.asarray(compiled(x) @ x), one, atol=most)
"""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/turned.npy"
        np.save(path, turned)
        python("-c", code.replace("{path!r}", repr(path)), timeout=100)


def test_the_gradients_of_such_determinants() -> None:
    turned = np.linalg.qr(draw((400, 400), "float64"))[0].astype("float32")
    leaf = torch.tensor(turned, device=xp.ones(1).device.torch_device, requires_grad=True)
    xp.to_torch(linalg.det(xp.asarray(leaf))).backward()
    assert leaf.grad is not None
    exact = np.linalg.det(turned.astype("float64")) * np.linalg.inv(turned.astype("float64")).T
    np.testing.assert_allclose(leaf.grad.cpu(), exact, atol=1e-5)


@pytest.mark.parametrize("dtype", DECOMPOSED)
def test_the_gradient_of_the_determinant_of_a_singular_matrix_is_the_adjugate(dtype: str) -> None:
    """On the CPU, where a determinant that is 0 may be looked for."""
    matrices = [[[1, 2], [2, 4]], [[0, 0], [0, 0]], [[1, 2], [3, 4]]]
    adjugates = [[[4, -2], [-2, 1]], [[0, 0], [0, 0]], [[4, -3], [-2, 1]]]  # transposed
    x = torch.tensor(matrices, dtype=getattr(torch, dtype), requires_grad=True)
    values = linalg.det(xp.asarray(x))
    xp.to_torch(xp.sum(xp.real(values) if dtype in REAL else values)).backward()
    np.testing.assert_allclose(x.grad, adjugates, atol=40 * epsilon(dtype))
    stacked = x.detach()[:, None].repeat(1, 5, 1, 1).requires_grad_()
    values = linalg.det(xp.asarray(stacked))
    xp.to_torch(xp.sum(xp.real(values) if dtype in REAL else values)).backward()
    assert stacked.grad is not None
    np.testing.assert_allclose(stacked.grad[:, 3], adjugates, atol=40 * epsilon(dtype))
    one = torch.zeros(1, 1, requires_grad=True)
    xp.to_torch(linalg.det(xp.asarray(one))).backward()
    assert one.grad is not None
    assert one.grad.item() == 1


def test_products_with_exponents_apart() -> None:
    rng = np.random.default_rng(0)
    for dtype in DECOMPOSED:
        for count in (1, 2, 63, 64, 65, 129, 4097):
            values = np.exp2(rng.integers(-100, 100, (3, count)))
            values[:, count // 2 : 2 * (count // 2)] = 1 / values[:, : count // 2]
            signs = rng.choice([1, -1, 1j] if dtype in REAL else [1, -1], (3, count))
            x = torch.tensor((values * signs).astype(dtype))
            exact = np.prod(signs, -1) * (values[:, -1] if count % 2 else 1)
            np.testing.assert_array_equal(routes.scaled_product(x), exact.astype(dtype))


@pytest.mark.parametrize("dtype", DECOMPOSED)
def test_slogdet_of_nan_has_no_sign(dtype: str) -> None:
    for matrix in ([[math.nan, 1], [1, 1]], [[1, 1], [1, math.nan]]):
        sign, logarithm = linalg.slogdet(xp.asarray(np.asarray(matrix, dtype)))
        assert np.isnan(to_numpy(sign))
        assert np.isnan(to_numpy(logarithm))


# --- rows and columns of very different sizes -----------------------------------------------------

WIDER = {"float32": "float64", "float64": "longdouble", "complex64": "complex128"} | {
    "complex128": "clongdouble"
}


def graded(dtype: str, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[str]]:
    """Return matrices, the factors of their rows and columns, the same in float64, and names."""
    rng = np.random.default_rng(n)
    most = 17 if dtype in {"float32", "complex64"} else 140  # inverses and solutions are in range
    zeros = draw((n, n), dtype, 1) * (rng.random((n, n)) < 0.5) + 2 * np.eye(n)[rng.permutation(n)]
    places = np.arange(n)
    forms = {
        "full": draw((n, n), dtype, 2) + np.eye(n),
        "half zeros": zeros,
        "triangle": np.triu(draw((n, n), dtype, 3), 1)[::-1] / n + np.eye(n)[::-1],
        "band": draw((n, n), dtype, 4) * (abs(places - places[:, None]) == 1) / 4 + np.eye(n),
        "of all sizes": draw((n, n), dtype, 5) * 10.0 ** rng.uniform(-3, 3, (n, n)),
    }
    drawn = [(0, 0), (3, 0), (most, 0), (0, 3), (0, most), (3, 3), (most / 2, most / 2)]
    powers = np.stack([rng.uniform(-1, 1, (2, n)) * np.reshape(e, (2, 1)) for e in drawn])
    factors = 10.0**powers
    stack = np.stack([form * f[0, :, None] * f[1] for form in forms.values() for f in factors])
    names = [f"{form}, rows by 1e{a:g}, columns by 1e{b:g}" for form in forms for a, b in drawn]
    return stack.astype(dtype), np.concatenate([factors] * len(forms)), stack, names


def judge(errors: np.ndarray, bound: float, names: list[str], what: str) -> None:
    worst = np.asarray(errors, "float64").reshape(len(names), -1).max(-1)
    wrong = [f"{name}: {w:.2g}" for name, w in zip(names, worst) if not w <= bound]
    assert not wrong, (what, bound, wrong)


def errors_of_elements(x: np.ndarray) -> np.ndarray:
    """Return the sizes beside which elimination with pivots makes small errors in each element.

    They are ``|L||U|`` (N. J. Higham, Accuracy and Stability of Numerical Algorithms, theorem 9.4),
    and may be larger than the elements where rows differ in size.  We refine solutions on NPUs, so
    that their errors are small beside the elements themselves.
    """
    if xp.to_torch(xp.ones(1)).device.type == "npu":
        return np.abs(x).astype("longdouble")
    p, low, up = (t.numpy() for t in torch.linalg.lu(torch.from_numpy(x)))
    return p.real.astype("longdouble") @ (np.abs(low).astype("longdouble") @ np.abs(up))


@pytest.mark.npu(host="allow")
@pytest.mark.parametrize("dtype", DECOMPOSED)
def test_systems_of_rows_and_columns_of_all_sizes(dtype: str) -> None:
    """LAPACK's measure: the residual of each equation, beside the sizes of its own terms."""
    for n in (1, 2, 5, 40):
        x, factors, _, names = graded(dtype, n)
        wide, sizes, unit = x.astype(WIDER[dtype]), errors_of_elements(x), n * epsilon(dtype)
        truth = draw((len(x), n, 2), dtype, 6) / factors[:, 1, :, None]
        right = (wide @ truth.astype(wide.dtype)).astype(dtype)
        a = xp.asarray(x)
        solution = to_numpy(linalg.solve(a, xp.asarray(right))).astype(wide.dtype)
        terms = sizes @ np.abs(solution) + np.abs(right)
        residual = np.abs(wide @ solution - right)
        judge(residual / np.where(terms == 0, 1, terms) / unit, 8, names, "solve")
        inverse = to_numpy(linalg.inv(a))
        check(linalg.matrix_power(a, -1), inverse)
        # As if the rows had not been multiplied, so that noise in place of a 0 is seen to be small.
        residual = np.abs(wide @ inverse.astype(wide.dtype) - np.eye(n))
        terms = sizes @ np.abs(inverse) + np.eye(n)
        own, others = factors[:, 0, :, None], factors[:, 0, None]
        residual, terms = (part / own * others for part in (residual, terms))
        least = 1e3 * epsilon(dtype) * terms.max((-1, -2), keepdims=True)
        judge(residual / np.maximum(terms, least) / unit, 8, names, "inv")


@pytest.mark.npu(host="allow")
@pytest.mark.parametrize("dtype", DECOMPOSED)
def test_determinants_of_rows_and_columns_of_all_sizes(dtype: str) -> None:
    """By mpmath; an error in an element counts by its cofactor."""
    mpmath = pytest.importorskip("mpmath")
    for n in (1, 2, 5):
        x, factors, bare, names = graded(dtype, n)
        products = factors[:, 0, :, None] * factors[:, 1, None]
        inverses = np.abs(np.linalg.inv(bare / products)).swapaxes(-1, -2)
        either = (errors_of_elements(x), errors_of_elements(x.swapaxes(-1, -2)).swapaxes(-1, -2))
        sizes = np.maximum(*either) / products
        bounds = n * epsilon(dtype) * (sizes * inverses).sum((-1, -2))
        twos = np.rint(np.log2(factors)).astype(int)
        a = xp.asarray(x)
        det, (sign, logarithm) = to_numpy(linalg.det(a)), map(to_numpy, linalg.slogdet(a))
        errors = []
        for i, bound in enumerate(np.maximum(bounds, epsilon(dtype)).tolist()):
            with mpmath.workdps(40):
                even = [  # mpmath takes graded matrices for singular
                    [
                        mpmath.mpmathify(x[i, j, k].item()) * mpmath.mpf(2) ** -int(row + column)
                        for k, column in enumerate(twos[i, 1])
                    ]
                    for j, row in enumerate(twos[i, 0])
                ]
                exact = mpmath.det(mpmath.matrix(even)) * mpmath.mpf(2) ** int(twos[i].sum())
                size = abs(exact)
                known = np.finfo(dtype).tiny * 8 < size < np.finfo(dtype).max / 8
                value = mpmath.mpmathify(det[i].item()) if known else exact
                direction = abs(mpmath.mpmathify(sign[i].item()) - exact / size)
                length = float(mpmath.log(size))
            rounding = n * epsilon(dtype) * abs(length)
            errors.append(float(max(abs(value - exact) / size, direction)) / bound)
            errors.append(abs(logarithm[i].item() - length) / (bound + rounding))
        judge(np.asarray(errors), 8, names, "det and slogdet")


@pytest.mark.npu(host="allow")
@pytest.mark.parametrize("dtype", DECOMPOSED)
def test_factors_of_rows_and_columns_of_all_sizes(dtype: str) -> None:
    """Cholesky's are exact beside the diagonal, those of QR beside the norm of a column."""
    for n in (1, 2, 5, 40):
        x, factors, _, names = graded(dtype, n)
        wide, unit = WIDER[dtype], n * epsilon(dtype)
        q, r = (to_numpy(part).astype(wide) for part in linalg.qr(xp.asarray(x)))
        norms = np.sqrt((np.abs(x.astype(wide)) ** 2).sum(-2))
        judge(np.abs(q @ r - x).max(-2) / norms / unit, 8, names, "qr")
        base = draw((n, n), dtype, 7)
        root = np.sqrt(factors[:, 0])
        x = ((base @ adjoint(base) + np.eye(n)) * root[..., None] * root[:, None]).astype(dtype)
        x = np.tril(x) + adjoint(np.tril(x, -1))
        factor = to_numpy(linalg.cholesky(xp.asarray(x))).astype(wide)
        diagonal = np.sqrt(np.einsum("...ii->...i", x).real.astype("longdouble"))
        error = np.abs(factor @ adjoint(factor) - x) / diagonal[..., None] / diagonal[:, None]
        judge(error / unit, 8, names, "cholesky")


@pytest.mark.parametrize("dtype", DECOMPOSED)
def test_qr_hands_on_columns_of_one_size(dtype: str) -> None:
    """The libraries of GPUs square elements: those of float32 vanish from 1e-23 on."""
    sizes = np.asarray([1, 1e-30, 0, 1e30, 1e-37])
    x = torch.from_numpy((draw((3, 6, 5), dtype) * sizes).astype(dtype))
    seen = []

    def decompose(given: torch.Tensor, mode: str) -> Any:
        parts = torch.view_as_real(given) if given.is_complex() else given[..., None]
        seen.append(parts.abs().amax((-3, -1)))
        return torch.linalg.qr(given, mode)

    q, r = routes.qr_scaled(x, "reduced", decompose)
    (largest,) = seen
    assert ((largest >= 0.5) & (largest < 1) | (torch.tensor(sizes) == 0)).all(), largest
    off = np.abs(q.numpy().astype(WIDER[dtype]) @ r.numpy() - x.numpy()).max(-2)
    assert (off <= 20 * epsilon(dtype) * np.abs(x.numpy()).max(-2)).all(), off


# --- ranks and tolerances -------------------------------------------------------------------------


def test_a_tolerance_for_all_matrices_and_one_for_each() -> None:
    x = xp.asarray([np.diag([1.0, 1e-2, 1e-4]), np.diag([10.0, 1e-2, 0.0])])
    check(linalg.matrix_rank(x), np.asarray([3, 2]))
    check(linalg.matrix_rank(x, rtol=5e-3), np.asarray([2, 1]))
    for dtype in (xp.float32, xp.float64):
        check(linalg.matrix_rank(x, rtol=xp.asarray([5e-3, 5e-4], dtype=dtype)), np.asarray([2, 2]))
    check(linalg.matrix_rank(x, rtol=xp.asarray([1e-5])), np.asarray([3, 2]))
    inverses = to_numpy(linalg.pinv(x, rtol=xp.asarray([5e-3, 5e-4])))
    expected = np.stack([np.diag([1, 1e2, 0]), np.diag([0.1, 1e2, 0])])
    np.testing.assert_allclose(inverses, expected, rtol=1e-5)
    # A singular value that equals the tolerance is negligible.
    check(linalg.matrix_rank(xp.asarray([[4.0, 0.0], [0.0, 1.0]]), rtol=0.25), np.asarray(1))


# --- norms ----------------------------------------------------------------------------------------


def test_order_zero_counts_without_rounding() -> None:
    count = 2**24 + 1
    x = xp.ones(count, dtype=xp.bool)
    ones = xp.astype(x, xp.float32)
    assert float(linalg.vector_norm(ones, ord=0)) == float(np.float32(count))
    # Only the imaginary part is not zero.
    check(linalg.vector_norm(xp.asarray([1j, 0j, 2]), ord=0), np.asarray(2, "float32"))


@pytest.mark.npu(host="allow")
@pytest.mark.parametrize("dtype", DECOMPOSED)
def test_the_derivatives_of_matrix_norms_at_0(dtype: str) -> None:
    device = xp.to_torch(xp.ones(1)).device
    for order in ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf):
        leaf = torch.zeros((3, 2), dtype=getattr(torch, dtype), device=device, requires_grad=True)
        xp.to_torch(linalg.matrix_norm(xp.asarray(leaf), ord=order)).backward()
        assert leaf.grad is not None
        assert not leaf.grad.cpu().numpy().any(), order


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
@listing("order", [0.5, 1, 1.5, 2, 3, -1])
def test_norms_of_long_vectors_and_their_derivatives(order: float, dtype: str) -> None:
    """By their definitions in float64: sizes of sums, and what moving one element changes."""
    draw = np.random.default_rng(11)
    x = draw.uniform(0.5, 2, 20_000) * np.exp(1j * draw.uniform(-3, 3, 20_000))
    x = (x if dtype == "complex64" else x.real + np.sign(x.real)).astype(dtype)
    sizes = np.abs(x.astype("complex128"))
    expected = np.sum(sizes**order) ** (1 / order)
    leaf = torch.from_numpy(x).requires_grad_()
    norm = xp.to_torch(linalg.vector_norm(xp.asarray(leaf), ord=order))
    norm.backward()
    assert norm.detach().item() == pytest.approx(expected, rel=1e-5)
    assert float(linalg.vector_norm(xp.asarray(x), ord=order)) == pytest.approx(expected, rel=1e-5)
    slopes = (sizes / expected) ** (order - 1) * x / sizes
    np.testing.assert_allclose(leaf.grad.numpy(), slopes, rtol=1e-4)


def test_vector_norm_in_half_precision() -> None:
    for dtype in (xp.float16, xp.bfloat16):
        norm = linalg.vector_norm(xp.asarray([3.0, -4.0], dtype=dtype))
        assert norm.dtype is dtype
        assert float(norm) == 5


def test_the_extension_holds_the_functions_of_the_main_namespace() -> None:
    for name in ("matmul", "matrix_transpose", "tensordot", "vecdot"):
        assert getattr(linalg, name) is getattr(xp, name)


@pytest.mark.npu
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_rounding_hides_no_row_or_column_of_0(dtype: str) -> None:
    """Their determinant is 0 by definition, and there is no inverse, whatever sizes are beside."""
    random = np.random.default_rng(0)
    for n, power in ((1, 0), (2, 6), (3, 15), (7, 15), (20, 6)):
        for axis in (0, 1):
            sizes = 10.0 ** random.uniform(-power, power, (n, 1))
            values = (random.normal(size=(n, n)) * sizes * (1 + 0.5j)).astype("complex128")
            values = values if "complex" in dtype else values.real
            np.moveaxis(values, axis, 0)[n // 2] = 0
            x = xp.asarray(values.astype(dtype))
            assert complex(xp.linalg.det(x)) == 0, (n, power, axis)
            sign, logarithm = xp.linalg.slogdet(x)
            assert (complex(sign), float(logarithm)) == (0, -math.inf), (n, power, axis)
            for function in (xp.linalg.inv, lambda x: xp.linalg.solve(x, x)):
                with pytest.raises(xp.linalg.LinAlgError):
                    complex(function(x)[0, 0])
