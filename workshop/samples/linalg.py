"""Linear algebra, in the namespace and in ``linalg``."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..drawing import assume, st
from ._cases import *
from ._table import *
from .draws import *
from .strategies import *

chapter("linear_algebra_functions")


@covers("matmul linalg.matmul", NUMERIC)
def matmul(draw: Draw, name: str, dtype: str) -> Trial:
    side = st.one_of(st.integers(0, 4), st.sampled_from(LONG_SIDES[:2]))
    m, k, n = draw(side), draw(side), draw(side)
    batch1, batch2 = draw(broadcastable(2, max_dims=2))
    shape1 = (k,) if draw(st.integers(0, 3)) == 0 else (*batch1, m, k)
    shape2 = (k,) if draw(st.integers(0, 3)) == 0 else (*batch2, k, n)
    assume(math.prod(shape1) <= 1200 and math.prod(shape2) <= 1200)
    args, (x1, x2), result = promoted_operands(draw, dtype, (shape1, shape2), NUMERIC)
    return Trial(tuple(args), matmul_check(x1, x2, result, np.matmul, k))


@covers("tensordot linalg.tensordot", NUMERIC)
def tensordot(draw: Draw, name: str, dtype: str) -> Trial:
    shape1 = draw(shapes(max_dims=3, long=False))
    shape2 = draw(shapes(max_dims=3, long=False))
    kwargs: dict[str, Any] = {}
    if draw(st.booleans()):
        count = draw(st.integers(0, min(len(shape1), len(shape2))))
        if count != 2 or draw(st.booleans()):
            kwargs["axes"] = count
        shape2 = shape1[len(shape1) - count :] + shape2[count:]
    else:
        first = unique_axes(draw, len(shape1))[: len(shape2)]
        places = draw(st.permutations(range(len(shape2))))[: len(first)]
        sides = list(shape2)
        for place, i in zip(places, first, strict=True):
            sides[place] = shape1[i]
        shape2 = tuple(sides)
        second = tuple(i - len(shape2) if draw(st.booleans()) else i for i in places)
        form = draw(st.sampled_from((tuple, list)))
        kwargs["axes"] = (form(first), form(second))
    args, (x1, x2), result = promoted_operands(draw, dtype, (shape1, shape2), NUMERIC)
    product = partial(np.tensordot, axes=kwargs.get("axes", 2))
    terms = math.prod(shape1)  # at least as many as are contracted
    return Trial(tuple(args), matmul_check(x1, x2, result, product, terms), kwargs)


@covers("vecdot linalg.vecdot", NUMERIC)
def vecdot(draw: Draw, name: str, dtype: str) -> Trial:
    batch1, batch2 = draw(broadcastable(2, max_dims=3))
    k = draw(st.one_of(st.integers(0, 4), st.sampled_from(LONG_SIDES)))
    back = draw(st.integers(1, 1 + min(len(batch1), len(batch2))))
    kwargs = {} if back == 1 and draw(st.booleans()) else {"axis": -back}
    shape1, shape2 = (
        (*batch[: len(batch) + 1 - back], k, *batch[len(batch) + 1 - back :])
        for batch in (batch1, batch2)
    )
    assume(math.prod(shape1) <= 1200 and math.prod(shape2) <= 1200)
    args, (x1, x2), result = promoted_operands(draw, dtype, (shape1, shape2), NUMERIC)

    def product(x1: np.ndarray, x2: np.ndarray) -> np.ndarray:
        return np.asarray(np.sum(np.conj(x1) * x2, axis=-back, dtype=x1.dtype))

    return Trial(tuple(args), matmul_check(x1, x2, result, product, k), kwargs)


@covers("linalg.outer", NUMERIC)
def outer(draw: Draw, name: str, dtype: str) -> Trial:
    sides = st.one_of(st.integers(0, 4), st.sampled_from(LONG_SIDES))
    shape1, shape2 = (draw(sides),), (draw(sides),)
    args, (x1, x2), result = promoted_operands(draw, dtype, (shape1, shape2), NUMERIC)
    return Trial(tuple(args), matmul_check(x1, x2, result, np.multiply.outer, 1))


@covers("linalg.cross", NUMERIC)
def cross(draw: Draw, name: str, dtype: str) -> Trial:
    batch1, batch2 = draw(broadcastable(2, max_dims=3))
    back = draw(st.integers(1, 1 + min(len(batch1), len(batch2))))
    kwargs = {} if back == 1 and draw(st.booleans()) else {"axis": -back}
    shapes = tuple(
        (*batch[: len(batch) + 1 - back], 3, *batch[len(batch) + 1 - back :])
        for batch in (batch1, batch2)
    )
    args, (x1, x2), result = promoted_operands(draw, dtype, shapes, NUMERIC)

    def product(x1: np.ndarray, x2: np.ndarray, sign: int = -1) -> np.ndarray:
        a, b = (np.moveaxis(x, -back, 0) for x in (x1, x2))
        cycle = [(1, 2), (2, 0), (0, 1)]
        # sign wraps for unsigned dtypes as subtraction does
        rows = [a[i] * b[j] + np.asarray(sign).astype(x1.dtype) * (a[j] * b[i]) for i, j in cycle]
        return np.moveaxis(np.stack(rows), 0, -back)

    if result in INTEGER:
        return Trial(tuple(args), exactly(product(x1, x2)), kwargs)
    exact = product(wide(x1), wide(x2))
    size = product(np.abs(wide(x1)), np.abs(wide(x2)), 1)
    tolerance = COMPLEX_ULPS * eps(result) * size  # two products and a difference
    return Trial(tuple(args), lambda actual: within(actual, exact, result, tolerance), kwargs)


covers("linalg.diagonal", ALL)(
    by_numpy(
        reference=partial(np.diagonal, axis1=-2, axis2=-1),
        shape={"min_dims": 2},
        offset=whole(-5, 5),
    )
)


@covers("linalg.trace", NUMERIC)
def trace(draw: Draw, name: str, dtype: str) -> Trial:
    x = draw(operands(dtype, draw(shapes(min_dims=2)), matrix_values(dtype)))
    kwargs = {"offset": draw(st.integers(-5, 5))} if draw(st.booleans()) else {}
    asked, result = result_dtype(draw, dtype)
    entries = np.diagonal(x.value.astype(result), **kwargs, axis1=-2, axis2=-1)
    if result in INTEGER:
        return Trial((x,), exactly(np.sum(entries, axis=-1, dtype=result)), kwargs | asked)
    exact = np.asarray(np.sum(wide(entries), axis=-1))
    tolerance = entries.shape[-1] * eps(result) * np.sum(np.abs(entries), axis=-1)
    return Trial((x,), lambda actual: within(actual, exact, result, tolerance), kwargs | asked)


def square_shape(draw: Draw, *, min_side: int = 0) -> tuple[int, ...]:
    batch = draw(shapes(max_dims=2, long=False))
    side = draw(st.integers(min_side, 5))
    return (*batch, side, side)


def small(dtype: str) -> st.SearchStrategy[Any]:
    """Entries of at most 1 in size on a coarse grid."""
    part = st.integers(-16, 16).map(lambda i: i / 16)
    return st.builds(complex, part, part) if dtype in COMPLEX else part


def matrix(draw: Draw, dtype: str, shape: tuple[int, ...], dominance: float = 0.0) -> Operand:
    """Matrices; with ``dominance`` the diagonal outweighs each row that many times."""
    values = pooled(draw, dtype, shape, small(dtype))
    side = min(shape[-2:])
    values[..., range(side), range(side)] += dominance * max(shape[-1], 1)
    return fixed(draw, values)


def adjoint(x: np.ndarray) -> np.ndarray:
    return np.conj(np.swapaxes(x, -1, -2))


def matrix_norms(x: np.ndarray) -> np.ndarray:
    """Frobenius norms that broadcast against the matrices."""
    return np.sqrt(np.sum(np.abs(x) ** 2, axis=(-2, -1), keepdims=True))


def double(value: np.ndarray) -> np.ndarray:
    """The widest precision that NumPy's linear algebra computes in."""
    return value.astype("complex128" if value.dtype.kind == "c" else "float64")


# Matrices here are at most 5 by 5. A backward stable algorithm errs by a modest multiple of
# n eps times the norm (times the condition number where a system is solved); 32 covers n = 5,
# the constants of LAPACK's bounds, and NumPy's own error in float64.
STABLE = 32.0


@covers("linalg.inv", FLOATING)
def inv(draw: Draw, name: str, dtype: str) -> Trial:
    # Twice diagonally dominant: the condition number is below 3 in the maximum norm.
    x = matrix(draw, dtype, square_shape(draw), dominance=3.0)
    exact = np.linalg.inv(double(x.value))
    tolerance = STABLE * eps(dtype) * matrix_norms(exact)
    return Trial((x,), lambda actual: within(actual, exact, dtype, tolerance))


@covers("linalg.solve", FLOATING)
def solve(draw: Draw, name: str, dtype: str) -> Trial:
    other = draw(st.sampled_from(FLOATING))
    result = PROMOTION[dtype, other]
    side = draw(st.integers(0, 5))
    batch1, batch2 = draw(broadcastable(2, max_dims=2))
    x1 = matrix(draw, dtype, (*batch1, side, side), dominance=3.0)
    vector = draw(st.booleans())
    shape2 = (side,) if vector else (*batch2, side, draw(st.integers(0, 4)))
    x2 = draw(operands(other, shape2, small(other)))
    ordinates = double(x2.value)[..., None] if vector else double(x2.value)
    exact = np.matmul(np.linalg.inv(double(x1.value)), ordinates)
    if vector:
        exact = exact[..., 0]
    tolerance = STABLE * eps(result) * max(1.0, float(np.max(np.abs(exact), initial=0)))
    return Trial((x1, x2), lambda actual: within(actual, exact, result, tolerance))


@covers("linalg.det", FLOATING)
def det(draw: Draw, name: str, dtype: str) -> Trial:
    x = matrix(draw, dtype, square_shape(draw), dominance=draw(st.sampled_from((0.0, 1.0))))
    exact = np.asarray(np.linalg.det(double(x.value)))
    # Elimination: the determinant of a matrix within n eps |x| of x.
    size = matrix_norms(x.value)[..., 0, 0] ** x.value.shape[-1]
    tolerance = STABLE * eps(dtype) * size
    return Trial((x,), lambda actual: within(actual, exact, dtype, tolerance))


@covers("linalg.slogdet", FLOATING)
def slogdet(draw: Draw, name: str, dtype: str) -> Trial:
    singular = draw(st.integers(0, 4)) == 0
    shape = square_shape(draw, min_side=int(singular))
    x = fixed(draw, np.zeros(shape, dtype)) if singular else matrix(draw, dtype, shape, 3.0)
    sign, logarithm = np.linalg.slogdet(double(x.value))

    def check(actual: Any) -> None:
        assert actual._fields == ("sign", "logabsdet")
        within(actual.sign, np.asarray(sign), dtype, STABLE * eps(dtype))
        tolerance = STABLE * eps(dtype) * (1 + np.abs(logarithm))
        if singular:
            same(actual.logabsdet, np.full(shape[:-2], -np.inf, COMPONENT[dtype]))
        else:
            within(actual.logabsdet, np.asarray(logarithm), COMPONENT[dtype], tolerance)

    return Trial((x,), check)


@covers("linalg.cholesky", FLOATING)
def cholesky(draw: Draw, name: str, dtype: str) -> Trial:
    shape = square_shape(draw)
    factor = pooled(draw, dtype, shape, small(dtype))
    values = factor @ adjoint(factor) + np.asarray(max(shape[-1], 1), dtype) * np.eye(
        shape[-1], dtype=dtype
    )
    x = fixed(draw, values)
    upper = draw(st.sampled_from((None, False, True)))
    lower = np.linalg.cholesky(double(x.value))
    exact = adjoint(lower) if upper else lower
    tolerance = STABLE * eps(dtype) * matrix_norms(exact)
    kwargs = {} if upper is None else {"upper": upper}

    def check(actual: Any) -> None:
        within(actual, exact, dtype, tolerance)
        other_half = np.tril(to_numpy(actual), -1) if upper else np.triu(to_numpy(actual), 1)
        assert (other_half == 0).all()

    return Trial((x,), check, kwargs)


def hermitian(draw: Draw, dtype: str) -> Operand:
    factor = pooled(draw, dtype, square_shape(draw), small(dtype))
    return fixed(draw, factor + adjoint(factor))


@covers("linalg.eigvalsh linalg.eigh", FLOATING)
def eigh(draw: Draw, name: str, dtype: str) -> Trial:
    x = hermitian(draw, dtype)
    real = COMPONENT[dtype]
    exact = np.linalg.eigvalsh(double(x.value))
    norms = matrix_norms(x.value)

    def check_values(actual: Any) -> np.ndarray:
        values = check_form(actual, real, exact.shape)
        error = np.abs(np.sort(values, axis=-1) - exact)
        assert (error <= STABLE * eps(dtype) * norms[..., 0]).all(), (values, exact)
        return values

    def check(actual: Any) -> None:
        assert actual._fields == ("eigenvalues", "eigenvectors")
        values = check_values(actual.eigenvalues)
        vectors = double(check_form(actual.eigenvectors, dtype, x.value.shape))
        check_orthonormal(vectors, dtype)
        residual = double(x.value) @ vectors - vectors * values[..., None, :]
        assert (np.abs(residual) <= STABLE * eps(dtype) * norms).all(), residual

    return Trial((x,), check if name == "linalg.eigh" else lambda a: check_values(a) is None)


def check_orthonormal(columns: np.ndarray, dtype: str) -> None:
    gram = adjoint(columns) @ columns
    error = np.abs(gram - np.eye(columns.shape[-1]))
    assert (error <= STABLE * eps(dtype)).all(), gram


@covers("linalg.eigvals linalg.eig", FLOATING)
def eig(draw: Draw, name: str, dtype: str) -> Trial:
    shape = square_shape(draw)
    values = pooled(draw, dtype, shape, small(dtype)) / 8
    # Diagonal entries 2 apart, rows of at most sqrt(2)/2 beside them: simple eigenvalues, one in
    # each Gershgorin disc, so that their real parts order them.
    values[..., range(shape[-1]), range(shape[-1])] += 2 * np.arange(shape[-1])
    x = fixed(draw, values.astype(dtype))
    result = COMPLEX_OF[dtype]
    exact = np.sort_complex(np.linalg.eigvals(double(x.value)).astype("complex128"))
    norms = 1 + matrix_norms(x.value)

    def check_values(actual: Any) -> np.ndarray:
        values = check_form(actual, result, exact.shape)
        error = np.abs(np.sort_complex(values) - exact)
        assert (error <= 4 * STABLE * eps(dtype) * norms[..., 0]).all(), (values, exact)
        return values

    def check(actual: Any) -> None:
        assert actual._fields == ("eigenvalues", "eigenvectors")
        values = check_values(actual.eigenvalues)
        vectors = double(check_form(actual.eigenvectors, result, shape))
        lengths = np.sqrt(np.sum(np.abs(vectors) ** 2, axis=-2))
        assert (np.abs(lengths - 1) <= STABLE * eps(dtype)).all(), lengths
        residual = double(x.value) @ vectors - vectors * values[..., None, :]
        assert (np.abs(residual) <= STABLE * eps(dtype) * norms).all(), residual

    return Trial((x,), check if name == "linalg.eig" else lambda a: check_values(a) is None)


def rectangle(draw: Draw, *, min_side: int = 0) -> tuple[int, ...]:
    sides = st.integers(min_side, 5)
    return (*draw(shapes(max_dims=2, long=False)), draw(sides), draw(sides))


@covers("linalg.svdvals linalg.svd", FLOATING)
def svd(draw: Draw, name: str, dtype: str) -> Trial:
    x = matrix(draw, dtype, rectangle(draw))
    *batch, m, n = x.value.shape
    k = min(m, n)
    exact = np.linalg.svd(double(x.value), compute_uv=False)
    norms = matrix_norms(x.value)
    full = draw(st.sampled_from((None, True, False))) if name == "linalg.svd" else None

    def check_values(actual: Any) -> np.ndarray:
        values = check_form(actual, COMPONENT[dtype], (*batch, k))
        assert (np.diff(values, axis=-1) <= 0).all(), "singular values must descend"
        assert (np.abs(values - exact) <= STABLE * eps(dtype) * norms[..., 0]).all()
        return values

    def check(actual: Any) -> None:
        assert actual._fields == ("U", "S", "Vh")
        rows, columns = (k, k) if full is False else (m, n)
        left = double(check_form(actual.U, dtype, (*batch, m, rows)))
        values = check_values(actual.S)
        right = double(check_form(actual.Vh, dtype, (*batch, columns, n)))
        check_orthonormal(left, dtype)
        check_orthonormal(adjoint(right), dtype)
        again = (left[..., :k] * values[..., None, :]) @ right[..., :k, :]
        assert (np.abs(again - double(x.value)) <= STABLE * eps(dtype) * norms).all()

    kwargs = {} if full is None else {"full_matrices": full}
    return Trial((x,), check if name == "linalg.svd" else lambda a: check_values(a) is None, kwargs)


@covers("linalg.qr", FLOATING)
def qr(draw: Draw, name: str, dtype: str) -> Trial:
    x = matrix(draw, dtype, rectangle(draw))
    *batch, m, n = x.value.shape
    mode = draw(st.sampled_from((None, "reduced", "complete")))
    k = m if mode == "complete" else min(m, n)

    def check(actual: Any) -> None:
        assert actual._fields == ("Q", "R")
        q = double(check_form(actual.Q, dtype, (*batch, m, k)))
        r = double(check_form(actual.R, dtype, (*batch, k, n)))
        check_orthonormal(q, dtype)
        assert (np.tril(r, -1) == 0).all()
        error = np.abs(q @ r - double(x.value))
        assert (error <= STABLE * eps(dtype) * matrix_norms(x.value)).all()

    return Trial((x,), check, {} if mode is None else {"mode": mode})


def of_low_rank(draw: Draw, dtype: str) -> Operand:
    """Matrices of small whole numbers, of any rank, with a wide gap in the singular values."""
    *batch, m, n = rectangle(draw)
    rank = draw(st.integers(0, max(min(m, n), 1)))
    whole: st.SearchStrategy[Any] = st.integers(-2, 2)
    if dtype in COMPLEX:
        whole = st.builds(complex, whole, whole)
    left = pooled(draw, dtype, (*batch, m, rank), whole)
    right = pooled(draw, dtype, (*batch, rank, n), whole)
    x = fixed(draw, np.asarray(left @ right, dtype=dtype))
    singular = np.linalg.svd(double(x.value), compute_uv=False)
    assume(((singular < 1e-10) | (singular > 0.05)).all())
    return x


def rank_tolerance(draw: Draw, x: Operand) -> dict[str, Any]:
    """``rtol`` as a float, as an array for each matrix, or left out."""
    real = COMPONENT[x.value.dtype.name]
    form = draw(st.sampled_from(("default", "none", "float", "array")))
    if form == "default":
        return {}
    if form == "none":
        return {"rtol": None}
    if form == "float":
        return {"rtol": draw(st.sampled_from((1e-4, 1e-3)))}
    return {"rtol": fixed(draw, np.full(x.value.shape[:-2], 1e-4, dtype=real))}


@covers("linalg.matrix_rank", FLOATING)
def matrix_rank(draw: Draw, name: str, dtype: str) -> Trial:
    x = of_low_rank(draw, dtype)
    singular = np.linalg.svd(double(x.value), compute_uv=False)
    expected = np.asarray(np.sum(singular > 1e-3 * singular.max(-1, initial=0, keepdims=True), -1))
    return Trial((x,), exactly(expected.astype("int64")), rank_tolerance(draw, x))


@covers("linalg.pinv", FLOATING)
def pinv(draw: Draw, name: str, dtype: str) -> Trial:
    x = of_low_rank(draw, dtype)
    kwargs = rank_tolerance(draw, x)
    source = double(x.value)
    exact = (
        np.linalg.pinv(source, rcond=1e-9)
        if source.size
        else np.zeros(np.swapaxes(source, -1, -2).shape, source.dtype)
    )
    # Perturbation of a pseudo-inverse: eps |x| |x^+|^2, both norms Frobenius.
    size = matrix_norms(x.value) * matrix_norms(exact) ** 2 + matrix_norms(exact)
    tolerance = STABLE * eps(dtype) * size
    return Trial((x,), lambda actual: within(actual, exact, dtype, tolerance), kwargs)


@covers("linalg.matrix_power", FLOATING)
def matrix_power(draw: Draw, name: str, dtype: str) -> Trial:
    n = draw(st.integers(-4, 6))
    x = matrix(draw, dtype, square_shape(draw), dominance=3.0 if n < 0 else 0.0)
    exact = np.linalg.matrix_power(double(x.value), n)
    base = matrix_norms(x.value if n >= 0 else np.linalg.inv(double(x.value)))
    tolerance = STABLE * max(abs(n), 1) * eps(dtype) * np.maximum(base ** abs(n), 1e-30)
    return Trial((x, n), lambda actual: within(actual, exact, dtype, tolerance))


@covers("linalg.matrix_norm", FLOATING)
def matrix_norm(draw: Draw, name: str, dtype: str) -> Trial:
    order = draw(st.sampled_from((None, "fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf, 1.0)))
    x = matrix(draw, dtype, rectangle(draw, min_side=0 if order in (None, "fro", "nuc") else 1))
    kwargs: dict[str, Any] = {} if order is None else {"ord": order}
    if draw(st.booleans()):
        kwargs["keepdims"] = draw(st.booleans())
    keepdims = kwargs.get("keepdims", False)
    source = double(x.value)
    if order in (None, "fro"):
        exact = np.sqrt(np.sum(np.abs(source) ** 2, axis=(-2, -1), keepdims=keepdims))
    elif order in ("nuc", 2, -2):
        singular = np.linalg.svd(source, compute_uv=False)
        reduce = {"nuc": np.sum, 2: np.max, -2: np.min}[order]
        exact = reduce(singular, axis=-1)
        exact = exact[..., None, None] if keepdims else exact
    else:
        sums = np.sum(np.abs(source), axis=-2 if abs(order) == 1 else -1, keepdims=True)
        exact = (np.max if order > 0 else np.min)(sums, axis=(-2, -1), keepdims=keepdims)
    sizes = matrix_norms(source) if keepdims else matrix_norms(source)[..., 0, 0]
    real = COMPONENT[dtype]
    tolerance = STABLE * eps(dtype) * sizes
    return Trial((x,), lambda actual: within(actual, np.asarray(exact), real, tolerance), kwargs)


@covers("linalg.vector_norm", FLOATING)
def vector_norm(draw: Draw, name: str, dtype: str) -> Trial:
    order = draw(
        st.sampled_from((None, 2, 1, 0, 3, 2.5, 0.5, -1, -2, -0.5, math.inf, -math.inf, 2.0))
    )
    x = draw(operands(dtype, draw(shapes()), moderate(dtype, 100.0)))
    kwargs = reduction_arguments(draw, x.value.ndim)
    count = reduced_count(x.value, kwargs)
    # The norm of no elements is defined where a sum of powers is.
    assume(count > 0 or order in (None, 2, 2.0, 1, 0))
    if order is not None:
        kwargs["ord"] = order
    over = normalized(kwargs.get("axis"), x.value.ndim)
    p = 2 if order is None else order
    size = np.abs(wide(x.value))
    options: Any = {"axis": over, "keepdims": kwargs.get("keepdims", False)}
    if p == 0:
        exact = np.sum(size != 0, **options).astype(size.dtype)
    elif math.isinf(p):
        exact = (np.max if p > 0 else np.min)(size, **options)
    else:
        exact = np.sum(size**p, **options) ** (np.longdouble(1) / p)
    # n - 1 sums, a power before and after; the root divides the error of the sum by |p|.
    ulps = (count + 4) * max(1.0, 1 / abs(p) if p else 1.0) + 4
    real = COMPONENT[dtype]
    return Trial((x,), lambda a: within_ulps(a, np.asarray(exact), real, ulps), kwargs)


def matmul_check(
    x1: np.ndarray, x2: np.ndarray, result: str, product: Callable[..., Any], terms: int
) -> Callable[[Any], None]:
    """Check of sums of ``terms`` products, which ``product`` computes from two arrays."""
    if result in INTEGER:
        return exactly(np.asarray(product(x1, x2)))
    exact = np.asarray(product(wide(x1), wide(x2)))
    size = np.asarray(product(np.abs(wide(x1)), np.abs(wide(x2))))
    # Any order of k products and k - 1 sums: k u |a||b|, for complex numbers (k + 2) sqrt(2).
    return lambda actual: within(actual, exact, result, 2 * (terms + 2) * eps(result) * size)


def _products(f: Any, _xp: Any, x: Any, y: Any, v: Any, w: Any) -> Any:
    return f(x, y), f(x, v), f(w, x), f(w, w)


on(
    "matmul linalg.matmul",
    lambda d: (d.values(2, 4, 6), d.values(6, 5), d.values(6), d.values(4)),
    _products,
)
on(
    "matmul linalg.matmul",
    lambda d: (d.wide(7, 40), d.wide(40, 5)),
    plain,
    "whole range",
    when=integer,
)
on(
    "tensordot linalg.tensordot",
    lambda d: (d.values(3, 4, 5), d.values(4, 5, 2)),
    lambda f, _, x, y: (f(x, y), f(x, y, axes=((1,), (0,))), f(x, y, axes=0)),
)
on(
    "vecdot linalg.vecdot",
    lambda d: (d.values(4, 6), d.values(4, 6)),
    lambda f, _, x, y: (f(x, y), f(x, y, axis=-2)),
)
on("linalg.outer", lambda d: (d.values(6), d.values(5)), plain)
on(
    "linalg.cross",
    lambda d: (d.values(4, 3), d.values(4, 3)),
    lambda f, _, x, y: (f(x, y), f(x.T, y.T, axis=-2)),
)
on(
    "linalg.diagonal",
    lambda d: (d.values(2, 4, 6),),
    lambda f, xp, x: copies(xp, (f(x), f(x, offset=1), f(x, offset=-2))),
)
on("linalg.trace", lambda d: (d.values(2, 4, 6),), lambda f, _, x: (f(x), f(x, offset=1)))

on(
    "linalg.cholesky",
    lambda d: (d.hermitian(5, 2),),
    lambda f, _, x: (f(x), f(x, upper=True)),
    smooth=False,
)
on("linalg.det linalg.inv linalg.slogdet", lambda d: (d.matrix(5, 2),), plain)
on(
    "linalg.matrix_power",
    lambda d: (d.matrix(4, 2),),
    lambda f, _, x: (f(x, 0), f(x, 3)),
    smooth=False,  # the power of 0 is constant
)
on("linalg.matrix_power", lambda d: (d.matrix(4, 2),), lambda f, _, x: f(x, -2), "negative power")
on("linalg.solve", lambda d: (d.matrix(5, 2), d.values(2, 5, 3)), plain)
on("linalg.solve", lambda d: (d.matrix(5), d.values(5)), plain, "vector")
on("linalg.matrix_rank", lambda d: (_deficient(d),), plain)
on("linalg.pinv", lambda d: (d.values(2, 6, 4),), plain)


def _deficient(d: Seeded) -> Any:
    return np.matmul(d.values(2, 6, 2), d.values(2, 2, 4))


def _adjoint(x: Any) -> Any:
    return x.conj().swapaxes(-1, -2)


def _qr(parts: Any) -> Any:
    q, r = parts
    return q @ r, _adjoint(q) @ q, np.tril(r, -1)


def _svd(parts: Any) -> Any:
    u, s, vh = parts
    n = s.shape[-1]
    product = u[..., :n] * s[..., None, :] @ vh[..., :n, :]
    return product, s, _adjoint(u) @ u, vh @ _adjoint(vh)


def _eigh(parts: Any) -> Any:
    values, vectors = parts
    product = vectors * values[..., None, :] @ _adjoint(vectors)
    return product, values, _adjoint(vectors) @ vectors


def _eig(parts: Any) -> Any:
    values, vectors = parts
    product = vectors * values[..., None, :] @ np.linalg.inv(vectors)
    return product, np.linalg.norm(vectors, axis=-2)


def _by_size(values: Any) -> Any:
    """Sort eigenvalues by numbers that rounding does not exchange."""
    keys = np.round(values.real, 3) + 1j * np.round(values.imag, 3)
    return np.take_along_axis(values, np.argsort(keys, axis=-1), -1)


on("linalg.qr", lambda d: (d.values(2, 6, 4),), plain, view=_qr, smooth=False)
on(
    "linalg.qr",
    lambda d: (d.values(2, 6, 4),),
    lambda f, _, x: f(x, mode="complete"),
    "complete",
    view=_qr,
    smooth=False,
)
on("linalg.svd", lambda d: (d.values(2, 6, 4),), plain, view=_svd, smooth=False)
on(
    "linalg.svd",
    lambda d: (d.values(2, 6, 4),),
    lambda f, _, x: f(x, full_matrices=False),
    "reduced",
    view=_svd,
    smooth=False,
)
on("linalg.svdvals", lambda d: (d.values(2, 6, 4),), plain)
on("linalg.eigh", lambda d: (d.hermitian(5, 2),), plain, view=_eigh, smooth=False)
on("linalg.eigvalsh", lambda d: (d.hermitian(5, 2),), plain, smooth=False)
on("linalg.eig", lambda d: (_turning(d),), plain, view=_eig, smooth=False)
on("linalg.eigvals", lambda d: (_turning(d),), plain, view=_by_size, smooth=False)


def _turning(d: Seeded) -> Any:
    """Draw a matrix with complex eigenvalues: NumPy's are real where all of them are."""
    x = d.values(5, 5)
    x[0, 1], x[1, 0] = 5, -5
    return x


for _ord in ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf):
    on(
        "linalg.matrix_norm",
        lambda d: (d.values(2, 4, 6),),
        lambda f, _, x, o=_ord: f(x, ord=o, keepdims=o == 1),
        f"ord={_ord!r}".replace("'", ""),
    )
for _ord in (0, 1, 2, 3, 0.5, math.inf, -math.inf):
    on(
        "linalg.vector_norm",
        lambda d: (d.values(2, 4, 6),),
        lambda f, _, x, o=_ord: (f(x, ord=o), f(x, ord=o, axis=1, keepdims=True)),
        f"ord={_ord}",
        smooth=_ord != 0,
    )

# --- derivatives: of what a decomposition determines, for matrices that stay what they have to be


def _sizes(parts: Any, xp: Any) -> tuple[Any, ...]:
    """Drop the phases of the factors of a matrix, which are not determined."""
    return tuple(map(xp.abs, parts))


def _positive(xp: Any, x: Any) -> Any:
    return x @ xp.conj(xp.matrix_transpose(x)) + xp.eye(3, dtype=x.dtype)


def _hermitian(xp: Any, x: Any) -> Any:
    return x + xp.conj(xp.matrix_transpose(x))


because("linalg.matrix_rank", flat=POSITIONS)
for _form in ("float64", "complex128"):
    _d = Seeded(_form, "derivatives")
    _a, _b, _v = _d.matrix(3), _d.between(-1, 1, 3, 2), _d.values(3)
    _spread = _a + np.diag([0.0, 2.0, 5.0])
    for _upper in (False, True):
        slope(
            "linalg.cholesky",
            f"{_form} upper={_upper}",
            lambda f, xp, x, upper=_upper: f(_positive(xp, x), upper=upper),
            _a,
        )
    slope("linalg.eigvalsh", _form, lambda f, xp, x: f(_hermitian(xp, x)), _a)
    slope("linalg.eigh", _form, lambda f, xp, x: _sizes(f(_hermitian(xp, x)), xp), _a)
    slope("linalg.eigvals", _form, plain, _spread)
    slope(
        "linalg.eig",
        _form,
        lambda f, xp, x: (f(x).eigenvalues, xp.abs(f(x).eigenvectors)),
        _spread,
    )
    slope("linalg.qr", _form, lambda f, xp, x: _sizes(f(x), xp), _b)
    slope("linalg.qr", f"{_form} complete", lambda f, _, x: tuple(f(x, mode="complete")), _a)
    slope("linalg.svd", _form, lambda f, xp, x: _sizes(f(x, full_matrices=False), xp), _b)
    slope(
        "linalg.vecdot vecdot",
        f"{_form} broadcast",
        lambda f, _, x, y: f(x, y, axis=-2),
        _b,
        _b[:, :1],
    )
    slope("linalg.cross", f"{_form} broadcast", lambda f, _, x, y: f(x, y, axis=-2), _b, _b[:, :1])
    for _n in (1, 2, 3, 5):
        slope("linalg.matrix_power", f"{_form} {_n}", lambda f, _, x, n=_n: f(x, n), _a)
    for _ord in (-1, -2):
        slope(
            "linalg.vector_norm", f"{_form} {_ord}", lambda f, _, x, o=_ord: f(x, ord=o, axis=0), _b
        )
    slope("linalg.vector_norm", f"{_form} no axes", lambda f, _, x: f(x, axis=()), _b)
