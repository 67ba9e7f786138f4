"""NumPy's functions in relaxed mode beside NumPy, at what decides between two ways of each.

Each expression is computed with NumPy for ``np`` and with the namespace, of the same elements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ascend_array_api as xp

if TYPE_CHECKING:
    from collections.abc import Iterator

RNG = np.random.default_rng(11)
GIVEN: dict[str, Any] = {
    "v": np.asarray([3.0, -1.0, 2.5, 7.0]),
    "pair": np.asarray([3.0, 5.0]),
    "one": np.asarray([2.5]),
    "m": RNG.standard_normal((3, 4)),
    "square": RNG.standard_normal((3, 3)),
    "cube": RNG.standard_normal((3, 3, 3)),
    "four": RNG.standard_normal((2, 3, 3, 2)),
    "c": RNG.standard_normal((3, 3)) + 1j * RNG.standard_normal((3, 3)),
    "i": np.asarray([[5, 1, 5], [2, 9, 1]]),
    "n": np.asarray([np.nan, 1.0, np.nan, 1.0, np.nan]),
    "n1": np.asarray([2.0, np.nan, 1.0]),
    "wave": np.asarray([0.0, 3.0, 6.5, 9.0, 9.5, 20.0, 3.0]),
}

EXPRESSIONS = """
    np.gradient(pair) np.gradient(pair,2.0) np.gradient(v) np.gradient(v,edge_order=1)
    np.gradient(m,axis=0) np.gradient(m,axis=1) np.gradient(m)[0] np.gradient(m)[1]
    np.gradient(v,np.asarray([0.,1.,3.,4.]))
    np.diff(m,prepend=0.) np.diff(m,append=1.) np.diff(m,prepend=m) np.diff(m,axis=0,prepend=1.)
    np.diff(m,2,append=m[:,:1]) np.diff(i,prepend=0)
    np.einsum('ii',square) np.einsum('iij',cube) np.einsum('iij->ij',cube) np.einsum('iji',cube)
    np.einsum('jii->ij',cube) np.einsum('ijjk->ik',four) np.einsum('ijji->j',four)
    np.einsum('ijjk->kij',four) np.einsum('ijji->ij',four) np.einsum('ijkl,ijkl->jk',four,four)
    np.einsum('ij,jk',square,square) np.einsum('ij,kj->ik',square,m[:,:3]) np.einsum('ij->ji',m)
    np.einsum('...i,...i',cube,cube) np.einsum('i...->...',cube) np.einsum('i,j->ij',v,pair)
    np.linalg.eigvalsh(square) np.linalg.eigvalsh(square,UPLO='U') np.linalg.eigvalsh(c,UPLO='U')
    np.linalg.eigvalsh(square,UPLO='L') np.linalg.eigvalsh(square,'u')
    np.linalg.eigh(square,UPLO='U')[0] np.linalg.eigh(square)[0] np.linalg.eigh(c,UPLO='U')[0]
    np.linalg.svd(m,compute_uv=False) np.linalg.svd(m)[1] np.linalg.svd(m,full_matrices=False)[1]
    np.unwrap(one) np.unwrap(wave) np.unwrap(wave,1.0) np.unwrap(wave,period=4.0)
    np.unwrap(m*9,axis=0) np.unwrap(m*9) np.unwrap(i*3.0,axis=-1)
    np.insert(m,1,9.) np.insert(m,1,9.,axis=0) np.insert(m,1,9.,axis=1) np.insert(m,2,m[0],axis=0)
    np.insert(m,2,m[:,0],axis=1) np.insert(m,2,m[:,:1],axis=1) np.insert(m,-1,m[:2],axis=0)
    np.insert(v,4,9.) np.insert(v,-4,9.) np.insert(v,0,pair) np.insert(cube,1,square,axis=1)
    np.insert(cube,1,square,axis=0) np.insert(m,0,m[:1],axis=0)
    np.insert(m,2,m[:2,:1],axis=1) np.insert(cube,1,9.,axis=2)
    np.insert(cube,3,square[:,:1],axis=1) np.insert(cube,0,cube[:2],axis=2)
    np.unique(n) np.unique(n,equal_nan=False) np.unique(n,return_counts=True)[1]
    np.unique(n,return_index=True)[1] np.unique(n,return_inverse=True)[1] np.unique(n1)
    np.unique(n1,return_counts=True)[1] np.unique(n1,return_inverse=True)[1]
    np.unique(i,return_counts=True)[1] np.unique(n[:0])
    np.tensordot(square,square.T@square,((1,),(1,))) np.tensordot(square,cube[0],((0,),(0,)))
    np.tensordot(square,cube[0],((1,),(0,))) np.tensordot(square,cube[0],((0,),(1,)))
    np.tensordot(square,cube,((1,),(0,))) np.tensordot(cube,square,((2,),(0,)))
    np.tensordot(cube,square,((1,),(0,))) np.tensordot(cube,square,((1,2),(1,0)))
    np.tensordot(square,square,2) np.tensordot(square,v[:3],1) np.tensordot(v,pair,0)
    np.digitize(v,pair) np.digitize(v,pair,True) np.digitize(v,pair[::-1]) np.digitize(v,one)
    np.digitize(v,np.flip(pair),True)
    np.histogram(v,3)[0] np.histogram(v,[-1.,3.,7.])[0] np.histogram(v,2,(0.,7.))[0]
    np.histogram(v,[0.,2.5,3.])[0] np.histogram(v,3,density=True)[0]
    np.histogram(v,3,weights=np.asarray([1.,2.,3.,4.]))[0] np.histogram(v,2,(0.,5.))[1]
    np.trapezoid(m) np.trapezoid(m,axis=0) np.trapezoid(m,dx=2.)
    np.trapezoid(m,np.asarray([0.,1.,3.,7.]))
    np.trapezoid(m,np.asarray([0.,1.,3.]),axis=0) np.trapezoid(m,m) np.ediff1d(v)
    np.ediff1d(v,to_begin=9.) np.ediff1d(v,[8.],[7.,6.])
    np.delete(v,1) np.delete(v,-1) np.delete(m,1,0) np.delete(m,[0,2],1) np.delete(m,0)
""".split()


@pytest.fixture(autouse=True)
def relaxed() -> Iterator[None]:
    with xp.options(relaxed=True, default_float="float64", device="cpu"):
        yield


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions(expression: str) -> None:
    expected = np.asarray(eval(expression, {"np": np, **GIVEN}))
    ours = {name: xp.asarray(value) for name, value in GIVEN.items()}
    got = np.asarray(eval(expression, {"np": xp, **ours}))
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("places", [[0], [-6], [5], [-6, 5, 2], [[1, 2], [3, -1]]])
def test_put_takes_all_positions(places: list[int]) -> None:
    x, expected = xp.zeros((2, 3)), np.zeros((2, 3))
    xp.put(x, places, [1.0, 2.0])
    np.put(expected, places, [1.0, 2.0])
    np.testing.assert_array_equal(np.asarray(x), expected)


@pytest.mark.parametrize("place", [6, -7])
def test_put_refuses_positions_out_of_bounds(place: int) -> None:
    x = xp.zeros((2, 3))
    with pytest.raises(IndexError, match="put: a position is out of bounds"):
        xp.put(x, [0, place], 1.0)
    assert not bool(xp.any(x))


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ((True,), "bool"),
        ((True, False), "bool"),
        ((1,), "int64"),
        ((True, 1), "int64"),
        ((1, 2.0), "float64"),
        ((2.0, True), "float64"),
        ((1j,), "complex128"),
        ((True, 1j), "complex128"),
    ],
)
def test_the_data_type_of_scalars_alone(given: tuple[complex, ...], name: str) -> None:
    assert xp.result_type(*given) is getattr(xp, name)
    assert np.result_type(*given) == np.dtype(name)


def test_a_gradient_needs_two_elements() -> None:
    with pytest.raises(ValueError, match="at least 2 elements"):
        xp.gradient([1.0])


@pytest.mark.parametrize("rcond", [-1, 0, 1e-30, 1e-3, 0.5, 0.999, 1, 7.0])
def test_least_squares_by_their_rcond(rcond: float) -> None:
    a = np.diag([1.0, 0.6, 1e-2, 1e-17])
    expected = np.linalg.lstsq(a, np.ones(4), rcond=rcond)
    got = xp.linalg.lstsq(xp.asarray(a), xp.ones(4), rcond=rcond)
    assert int(got[2]) == expected[2]
    np.testing.assert_allclose(np.asarray(got[0]), expected[0], rtol=1e-12)
