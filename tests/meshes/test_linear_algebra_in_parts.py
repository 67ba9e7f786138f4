"""Linear algebra of divided arrays beside NumPy: what is computed in parts, and how it is divided.

Where a result is divided as it is said here, without a gather, each device computed its part alone.
"""

from __future__ import annotations

import numpy as np
import pytest

import ascend_array_api as xp
import ascend_array_api.distributed as xd


@pytest.fixture(params=[1, 3])
def mesh(request):
    return xd.init("cpu", simulate=request.param)


def host(x):
    return np.asarray(xd.gather(x))


def drawn(*shape):
    return np.random.default_rng(shape).normal(size=shape)


def given(values, axis, mesh):
    if axis is None:
        return xd.replicate(values, device=mesh)
    return xd.shard(values, axis, device=mesh)


def agrees(got, expected, axis):
    assert got.shape == expected.shape
    assert xd.layout(got).axis == axis
    np.testing.assert_allclose(host(got), expected, rtol=1e-11, atol=1e-11)


# --- products -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shapes", "divided", "axis"),
    [
        (((2, 4, 3, 5), (4, 5, 2)), (0, None), 0),
        (((2, 4, 3, 5), (4, 5, 2)), (1, None), 1),
        (((2, 4, 3, 5), (4, 5, 2)), (None, 0), 1),
        (((2, 4, 3, 5), (4, 5, 2)), (1, 0), 1),
        (((2, 4, 3, 5), (2, 4, 5, 2)), (0, 1), 0),
        (((2, 4, 3, 5), (2, 4, 5, 2)), (1, 3), 1),
        (((1, 4, 3, 5), (2, 1, 5, 2)), (None, 0), 0),
        (((4, 3, 5), (5,)), (0, None), 0),
        # A stack of one, which cannot be divided
        (((1, 4, 5), (2, 5, 3)), (0, None), 1),
        (((2, 4, 5), (1, 5, 3)), (None, 0), 2),
        (((1, 2, 4, 5), (2, 1, 5, 3)), (0, 1), 2),
        # The axis that is summed over
        (((4, 5), (5, 3)), (1, None), None),
        (((4, 5), (5, 3)), (None, 0), None),
        (((2, 4, 5), (2, 5, 3)), (2, 1), None),
        (((4, 5), (5, 3)), (0, 0), 0),
        (((4, 5), (5, 3)), (1, 1), 1),
        (((5,), (5, 3)), (0, None), None),
        (((5,), (5, 3)), (None, 1), 0),
        (((4, 5), (5,)), (1, None), None),
        (((4, 5), (5,)), (0, 0), 0),
        # Rows and columns, as many as there are matrices
        (((4, 4, 4), (4, 4, 4)), (1, None), 1),
        (((4, 4, 4), (4, 4, 4)), (None, 2), 2),
        (((4, 4, 4), (4, 4, 4)), (1, 2), 1),
        (((4, 4, 4), (4, 4, 4)), (1, 1), 1),
        (((4, 4, 4), (4, 4, 4)), (2, 2), 2),
        # No numbers to sum over
        (((4, 0), (0, 3)), (0, 0), 0),
        (((4, 0), (0, 3)), (1, 1), 1),
        (((4, 0), (0, 3)), (1, 0), None),
        (((4, 0), (0, 3)), (0, None), 0),
    ],
)
def test_products_of_matrices_need_no_gather(mesh, shapes, divided, axis):
    operands = [drawn(*shape) for shape in shapes]
    with xp.options(gather="error"):
        got = xp.matmul(*(given(v, a, mesh) for v, a in zip(operands, divided)))
    agrees(got, np.matmul(*operands), axis)


@pytest.mark.parametrize(
    ("shapes", "divided", "axis", "along"),
    [
        (((5, 3), (5, 3)), (1, None), 0, -1),
        (((5, 3), (5, 3)), (1, 1), 0, -1),
        (((5, 3), (5, 3)), (0, 1), 0, -1),
        (((3, 5), (3, 5)), (0, 0), 1, -2),
        (((2, 5, 3), (5, 3)), (None, 1), 1, -1),
        (((2, 5, 3), (5, 3)), (2, None), 1, -1),
        (((2, 3, 5), (3, 1)), (1, None), 2, -2),
    ],
)
def test_cross_products_along_the_divided_axis_need_no_gather(mesh, shapes, divided, axis, along):
    operands = [drawn(*shape) for shape in shapes]
    with xp.options(gather="error"):
        got = xp.linalg.cross(*(given(v, a, mesh) for v, a in zip(operands, divided)), axis=along)
    agrees(got, np.cross(*operands, axis=along), axis)


def test_the_cross_product_of_two_divided_vectors(mesh):
    x, y = drawn(3), drawn(2, 3)[0]
    with xp.options(gather="allow", device=mesh):
        got = xp.linalg.cross(xp.asarray(x), xp.asarray(y))
    np.testing.assert_allclose(host(got), np.cross(x, y), rtol=1e-12)


def drawn_complex(*shape):
    return drawn(*shape) + 1j * drawn(*shape)[::-1]


@pytest.mark.parametrize(
    ("shapes", "divided", "axis", "along"),
    [
        (((2, 7, 3), (7, 3)), (0, None), 0, -2),
        (((2, 7, 3), (7, 3)), (1, None), None, -2),
        (((2, 7, 3), (7, 3)), (2, None), 1, -2),
        (((2, 7, 3), (7, 3)), (1, 0), None, -2),
        (((2, 7, 3), (7, 3)), (2, 0), 1, -2),
        (((2, 7, 3), (7, 3)), (2, None), None, -1),
        (((2, 7, 3), (7, 3)), (None, 0), 1, -1),
        (((4, 2, 1), (4, 1, 5)), (1, None), 0, -3),
        (((4, 2, 1), (4, 1, 5)), (None, 2), 1, -3),
        (((2,), (2,)), (0, None), None, -1),
        (((0, 3), (0, 3)), (0, 0), None, -2),
        (((7, 5), (7, 5)), (0, 0), None, -2),
    ],
)
def test_scalar_products_need_no_gather(mesh, shapes, divided, axis, along):
    x, y = (drawn_complex(*shape) for shape in shapes)
    with xp.options(gather="error"):
        got = xp.vecdot(given(x, divided[0], mesh), given(y, divided[1], mesh), axis=along)
    agrees(got, (x.conj() * y).sum(along), axis)


@pytest.mark.parametrize("axes", [0, 1, 2, ((1,), (0,)), ((2, 1), (1, 0)), ((0, -1), (2, -2))])
@pytest.mark.parametrize("divided", [(0, 0), (2, 1), (1, None), (None, 2)])
def test_tensor_products(mesh, divided, axes):
    x, y = drawn_complex(4, 5, 5), drawn_complex(5, 5, 4)
    with xp.options(gather="allow"):
        got = xp.tensordot(given(x, divided[0], mesh), given(y, divided[1], mesh), axes=axes)
    wanted = np.tensordot(x, y, axes=axes)
    assert got.shape == wanted.shape
    np.testing.assert_allclose(host(got), wanted, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize(("shape", "axis"), [((4, 4), 0), ((4, 4), 1), ((5, 3, 3), 0)])
def test_powers_of_matrices_need_no_gather(mesh, shape, axis, n):
    x = drawn(*shape)
    with xp.options(gather="error"):
        got = xp.linalg.matrix_power(given(x, axis, mesh), n)
    np.testing.assert_allclose(host(got), np.linalg.matrix_power(x, n), rtol=1e-11, atol=1e-11)


# --- norms ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("ord", [1, -1, np.inf, -np.inf, 2, -2, "fro", "nuc"])
@pytest.mark.parametrize(
    ("shape", "axis"),
    [*(((1, 5), 1), ((5, 1), 0), ((2, 3, 1), 1), ((4, 3, 2), 0), ((2, 7, 2), 1)),
     *(((7, 5), 0), ((7, 5), 1))],
)  # fmt: skip
def test_norms_of_matrices(mesh, shape, axis, ord, keepdims):
    """Singular values of rows and of columns alone need a gather, where neither are few."""
    x = drawn(*shape)
    with xp.options(gather="allow" if shape == (7, 5) else "error"):
        got = xp.linalg.matrix_norm(given(x, axis, mesh), ord=ord, keepdims=keepdims)
    wanted = np.linalg.norm(x, ord, axis=(-2, -1), keepdims=keepdims)
    agrees(got, wanted, 0 if axis < len(shape) - 2 else None)


def norm(x, ord, dims, keepdims):
    size = np.abs(x)
    if ord == 0:
        return (size > 0).sum(dims, keepdims=keepdims) * 1.0
    if np.isinf(ord):
        return (size.max if ord > 0 else size.min)(dims, keepdims=keepdims)
    with np.errstate(divide="ignore"):
        return (size**ord).sum(dims, keepdims=keepdims) ** (1 / ord)


@pytest.mark.parametrize("ord", [0, 1, 2, 3, -1, np.inf, -np.inf])
@pytest.mark.parametrize("over", [None, 0, 1, -1, (2, 0), (-2, -1)])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_norms_of_vectors_need_no_gather(mesh, axis, over, ord):
    values = drawn(4, 2, 5)
    values[1, 0, 2] = 0.0
    x = given(values, axis, mesh)
    dims = tuple(d % 3 for d in (range(3) if over is None else np.atleast_1d(over)))
    for keepdims in (False, True):
        with xp.options(gather="error"):
            got = xp.linalg.vector_norm(x, ord=ord, axis=over, keepdims=keepdims)
        left = None if axis in dims else axis - sum(d < axis for d in dims) * (not keepdims)
        agrees(got, norm(values, ord, dims, keepdims), left)


# --- systems and decompositions -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shapes", "divided", "axis"),
    [
        (((4, 3, 3), (4, 3, 2)), (0, 0), 0),
        (((4, 3, 3), (4, 3, 2)), (0, None), 0),
        (((4, 3, 3), (4, 3, 2)), (None, 0), 0),
        (((3, 3), (4, 3, 2)), (None, 0), 0),
        (((4, 3, 3), (3, 2)), (0, None), 0),
        (((2, 4, 3, 3), (4, 3, 2)), (0, None), 0),
        (((2, 4, 3, 3), (4, 3, 2)), (1, 0), 1),
        (((4, 3, 3), (3,)), (0, None), 0),
        (((3, 3), (3, 5)), (None, 1), 1),
    ],
)
def test_systems_are_solved_in_parts(mesh, shapes, divided, axis):
    x, sides = (drawn(*shape) for shape in shapes)
    x += 4 * np.eye(3)
    with xp.options(gather="error"):
        got = xp.linalg.solve(given(x, divided[0], mesh), given(sides, divided[1], mesh))
    agrees(got, np.linalg.inv(x) @ sides, axis)


@pytest.mark.parametrize("divided", [(0, None), (1, 1), (None, 0), (0, 0)])
@pytest.mark.parametrize("shape", [(3, 5), (3, 3), (3,)])
def test_systems_of_one_divided_matrix(mesh, divided, shape):
    x, sides = drawn(3, 3) + 4 * np.eye(3), drawn(*shape)
    axes = [None if a is None else min(a, v.ndim - 1) for a, v in zip(divided, (x, sides))]
    with xp.options(gather="allow"):
        got = xp.linalg.solve(given(x, axes[0], mesh), given(sides, axes[1], mesh))
    np.testing.assert_allclose(host(got), np.linalg.inv(x) @ sides, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("divided", [(0, 0), (0, None), (None, 0), (None, 2)])
def test_a_singular_matrix_in_any_part_raises(mesh, divided):
    x, sides = np.stack([np.eye(3)] * 4), drawn(4, 3, 2)
    x[3, 1, 1] = 0
    with xp.options(gather="allow"), pytest.raises(ValueError, match="singular"):
        xp.linalg.solve(given(x, divided[0], mesh), given(sides, divided[1], mesh))


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("shape", [(2, 14, 3), (2, 3, 14), (2, 4, 4), (4, 3)])
def test_full_matrices_are_full(mesh, shape, axis):
    x = drawn(*shape)
    m, n = shape[-2:]
    with xp.options(gather="allow"):
        u, s, vh = (host(t) for t in xp.linalg.svd(given(x, min(axis, x.ndim - 1), mesh)))
    assert u.shape == (*shape[:-2], m, m)
    assert vh.shape == (*shape[:-2], n, n)
    np.testing.assert_allclose(s, np.linalg.svd(x, compute_uv=False), atol=1e-13)
    k = min(m, n)
    np.testing.assert_allclose((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], x, atol=1e-13)
    np.testing.assert_allclose(u.mT @ u, np.broadcast_to(np.eye(m), u.shape), atol=1e-13)
    np.testing.assert_allclose(vh @ vh.mT, np.broadcast_to(np.eye(n), vh.shape), atol=1e-13)


def of_rank(rank, *shape):
    return drawn(*shape[:-1], rank) @ drawn(*shape[:-2], rank, shape[-1])


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", [(14, 3), (2, 14, 3), (9, 3), (24, 1)])
def test_tall_and_wide_matrices_are_decomposed_in_parts(mesh, shape, axis, dtype):
    x = (drawn_complex if dtype == "complex128" else drawn)(*shape).astype(dtype)
    rows, columns = x.ndim - 2, x.ndim - 1
    tall = given(x, rows + axis, mesh)
    with xp.options(gather="error"):
        q, r = xp.linalg.qr(tall)
        u, s, vh = xp.linalg.svd(tall, full_matrices=False)
        wide = xp.linalg.svd(given(x.mT.copy(), rows + axis, mesh), full_matrices=False)
        values = xp.linalg.svdvals(tall)
        inverse = xp.linalg.pinv(tall)
        assert (host(xp.linalg.matrix_rank(tall)) == shape[-1]).all()
    layouts = [xd.layout(t).axis for t in (q, r, u, s, vh, *wide)]
    assert layouts == [rows, None, rows, None, None, None, None, columns]
    near = {"rtol": 0, "atol": 50 * np.finfo(dtype).eps * np.abs(x).max() * x.size**0.5}
    one = np.broadcast_to(np.eye(shape[-1]), r.shape)
    for got, expected in (
        (host(q) @ host(r), x),
        (host(u) * host(s)[..., None, :] @ host(vh), x),
        (host(wide[0]) * host(wide[1])[..., None, :] @ host(wide[2]), x.mT),
        (host(values), np.linalg.svd(x, compute_uv=False)),
        (x @ host(inverse) @ x, x),
        *((t.conj().mT @ t, one) for t in map(host, (q, u))),
        (host(vh) @ host(vh).conj().mT, one),
        (np.tril(host(r), -1), np.zeros(r.shape)),
    ):
        np.testing.assert_allclose(got, expected, **near)


@pytest.mark.parametrize("shape", [(14, 3), (2, 14, 3), (3, 3)])
def test_complete_decompositions_are_complete(mesh, shape):
    x = drawn(*shape)
    with xp.options(gather="allow"):
        q, r = (host(t) for t in xp.linalg.qr(given(x, len(shape) - 2, mesh), mode="complete"))
    assert (q.shape, r.shape) == ((*shape[:-1], shape[-2]), shape)
    np.testing.assert_allclose(q @ r, x, atol=1e-13)
    np.testing.assert_allclose(q.mT @ q, np.broadcast_to(np.eye(shape[-2]), q.shape), atol=1e-13)


@pytest.mark.parametrize("rtol", [None, 0.3, np.asarray([0.3, 1e-9])])
@pytest.mark.parametrize("turn", [False, True])
def test_ranks_and_inverses_of_tall_matrices_that_lack_ranks(mesh, turn, rtol):
    x = np.stack([of_rank(2, 14, 4), of_rank(3, 14, 4)])
    x = x.mT.copy() if turn else x
    s = np.linalg.svd(x, compute_uv=False)
    limit = np.broadcast_to(14 * np.finfo("f8").eps if rtol is None else rtol, 2)
    tolerance = xp.asarray(rtol, device=mesh) if isinstance(rtol, np.ndarray) else rtol
    with xp.options(gather="allow"):
        rank = xp.linalg.matrix_rank(given(x, 1, mesh), rtol=tolerance)
        inverse = xp.linalg.pinv(given(x, 1, mesh), rtol=tolerance)
    np.testing.assert_array_equal(host(rank), (s > (limit * s[:, 0])[:, None]).sum(-1))
    wanted = np.linalg.pinv(x, rcond=limit)
    np.testing.assert_allclose(host(inverse), wanted, rtol=1e-9, atol=1e-11)


def test_zeros_have_no_rank_and_a_zero_inverse(mesh):
    with xp.options(gather="error"):
        x = xp.zeros((14, 3), device=mesh)
        assert int(xp.linalg.matrix_rank(x)) == 0
        assert not host(xp.linalg.pinv(x)).any()


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", [(14, 4), (4, 14)])
def test_least_squares_of_a_matrix_that_lacks_ranks(mesh, shape, axis):
    x, sides = of_rank(2, *shape), drawn(shape[0], 3)
    with xp.options(gather="error"):
        got = xp.linalg.lstsq(given(x, axis, mesh), given(sides, 0, mesh))
    wanted = np.linalg.lstsq(x, sides, rcond=None)
    np.testing.assert_allclose(host(got[0]), wanted[0], rtol=1e-9, atol=1e-11)
    assert int(got[2]) == wanted[2] == 2
    np.testing.assert_allclose(host(got[3]), wanted[3], rtol=1e-9, atol=1e-11)


def test_stacks_of_tall_matrices_stay_divided_as_stacks(mesh):
    x = given(drawn(4, 14, 3), 0, mesh)
    with xp.options(gather="error"):
        several = [
            *xp.linalg.qr(x),
            *xp.linalg.svd(x, full_matrices=False),
            xp.linalg.svdvals(x),
        ]
    assert {xd.layout(t).axis for t in several} == {0}


def test_least_squares_of_a_matrix_that_every_process_has(mesh):
    x, sides = drawn(14, 3), drawn(14, 2)
    with xp.options(gather="allow"):
        got = xp.linalg.lstsq(given(x, None, mesh), given(sides, 0, mesh))
    np.testing.assert_allclose(host(got[0]), np.linalg.lstsq(x, sides)[0], atol=1e-13)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("rtol", [None, 0.3, np.asarray([0.3, 1e-9, 0.3, 0.1, 1e-9])])
def test_small_matrices_of_a_stack_are_inverted_where_they_are(mesh, rtol, axis):
    x = of_rank(2, 5, 4, 3)
    tolerance = rtol if rtol is None or isinstance(rtol, float) else given(rtol, None, mesh)
    with xp.options(gather="error"):
        inverse = xp.linalg.pinv(given(x, axis, mesh), rtol=tolerance)
        ranks = xp.linalg.matrix_rank(given(x, axis, mesh), rtol=tolerance)
    limit = 1e-12 if rtol is None else rtol
    np.testing.assert_allclose(host(inverse), np.linalg.pinv(x, rcond=limit), atol=1e-9)
    np.testing.assert_array_equal(host(ranks), np.linalg.matrix_rank(x, rtol=limit))
