"""NumPy's functions in relaxed mode beside NumPy, at what decides between two ways of each.

Each expression is computed with NumPy for ``np`` and with the namespace, of the same elements.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from parametrize import listing

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
    "box": RNG.standard_normal((2, 3, 4)),
    "z": np.asarray([1 + 0j, 1j, 2 - 1j, -3]),
    "ends": np.asarray([np.nan, np.inf, -np.inf, -2.0]),
    "z_ends": np.asarray([complex(1, np.inf), complex(-np.inf, 2), complex(np.nan, -np.inf), -0.0]),
    "keys": np.asarray([[2, 0, 1, 1, 0], [1, 0, 1, 0, 1], [1, 0, 1, 1, 1]]),
    "whole": np.asarray([[0, 2, 4, -1, -4], [5, -7, -9, 12, 9]]),
    "zeros": np.zeros((2, 2)),
    "wave": np.asarray([0.0, 3.0, 6.5, 9.0, 9.5, 20.0, 3.0]),
}

EXPRESSIONS = """
    np.gradient(pair) np.gradient(pair,2.0) np.gradient(v) np.gradient(v,edge_order=1)
    np.gradient(m,axis=0) np.gradient(m,axis=1) np.gradient(m)[0] np.gradient(m)[1]
    np.gradient(v,np.asarray([0.,1.,3.,4.]))
    np.gradient(np.reshape(np.arange(24.)**2,(4,3,2)),np.asarray([0.,1.,3.,4.]),axis=0)
    np.gradient(np.reshape(np.arange(24.)**2,(2,4,3)),np.asarray([0.,1.,3.,4.]),axis=1)
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
    np.rollaxis(box,2) np.rollaxis(box,0,-1) np.rollaxis(box,-1,-2) np.rollaxis(box,2,1)
    np.rollaxis(box,1,1) np.rollaxis(box,2,-1)
    np.rollaxis(box,0,3) np.rollaxis(box,1,-3) np.atleast_3d(box) np.dstack((box,box+1))
    np.atleast_2d(m) np.atleast_1d(v)
    np.nan_to_num(ends) np.nan_to_num(ends,True,7.,8.,-9.) np.nan_to_num(ends,neginf=-5.)
    np.nan_to_num(ends,posinf=np.inf,neginf=-np.inf) np.nan_to_num(ends.astype(np.float32))
    np.nan_to_num(z_ends) np.nan_to_num(z_ends,True,7.,8.,-9.)
    np.nan_to_num(z_ends,posinf=np.inf,neginf=-np.inf) np.nan_to_num(z_ends,nan=np.nan)
    np.isclose(v,v*1.9,0.5,0.) np.isclose(v*1.9,v,0.5,0.) np.isclose(v,v*2.,0.5,0.)
    np.isclose(ends,-2.,1e300)
    np.isclose(-2.,ends,1.) np.isclose(ends,ends) np.isclose(n1,n1[::-1],equal_nan=True)
    np.isreal(z) np.isreal(v) np.iscomplex(z) np.iscomplex(v) np.vdot(z,z*z) np.vdot(c,c@c)
    np.unwrap(np.asarray([0.,40.840704496667314,0.])) np.unwrap(whole,period=4)
    np.unwrap(whole,period=5) np.unwrap(whole,6,period=6) np.unwrap(whole,axis=0,period=3)
    np.unwrap(whole,period=4.) np.unwrap(whole.astype(np.int8),period=5)
    np.unwrap(whole.astype(np.float32),period=4)
    np.average(m,returned=True)[1] np.average(m,1,returned=True)[1] np.average(m,-1,v)
    np.average(m,0,keepdims=True,returned=True)[1] np.average(m,0,v[:3],True)[1]
    np.average(box,(0,1),box[:,:,0]+5) np.average(box,(2,0),(box[:,0,:]+5).T)
    np.average(box,(-1,1),(box[0]+5).T,keepdims=True) np.average(box,weights=box+5)
    np.average(box,2,v,True)[1]
    np.quantile(n1,0.) np.quantile(n1,[0.,0.5,1.]) np.quantile(np.stack([n1,v[:3]]),0.25,1)
    np.quantile(box,[0.2,0.9],(0,2)) np.quantile(box,0.4,-2,keepdims=True)
    np.corrcoef(c) np.cov(c) np.corrcoef(square,rowvar=False) np.cov(m[:2],rowvar=False)
    np.cov(m,m[:,0],False) np.cov(v,v*v,rowvar=False)
    np.digitize(v,[3.,3.,1.]) np.digitize(v,[3.,1.,1.],True) np.digitize(v,[2.5,2.5])
    np.digitize(v,[2.5,2.5],True) np.digitize(v,np.asarray([2.5,3.,3.,9.]))
    np.interp(keys[0],[0.,1.,2.],[5.,7.,-9.]) np.interp(keys[0]*1.,[0.,1.,2.],[5.,7.,-9.],-1.,1.)
    np.interp(v,[-1.,2.,2.5,3.],v,20.,30.) np.interp(v,one,one*2) np.interp(v,one,one*2,-1.,9.)
    np.interp(ends,pair,pair*2) np.interp(v,pair,pair*2,right=0.) np.interp(v,pair,pair*2,0.)
    np.interp([0.,.5,1.,1.5,2.],[0,1,2],[1,2,np.nan]) np.interp([.5,0.,1.],[0,1],[-np.inf,0])
    np.interp([0.,.5,1.,2.],[0,1,2],[np.inf,np.inf,1.]) np.interp(.5,[0,1],[np.inf,-np.inf])
    np.interp([0.,.5,1.,2.],[0,1,np.inf],[1,2,3.]) np.interp(ends,[-np.inf,0,np.inf],[2,3,4.])
    np.setxor1d([np.nan],[np.nan]) np.setxor1d([np.nan,1,2],[2,np.nan,3])
    np.logspace(0,2,3,base=[2.,10.]) np.logspace(0,1,2,base=[[2.,10.]]) np.delete(v,(0,2))
    np.arange(0,2.5,dtype=int) np.arange(.5,4,1.5,dtype=int) np.arange(3,0,-.75,dtype=int)
    np.arange(0,3,.5,dtype=int) np.vecdot(m,m,axis=0) np.linalg.vecdot(m,m,axis=0)
    np.polyfit(v,m.T,1,w=keys[0][:4]+1.) np.polyfit(v,v*v,1,w=keys[0][:4]+1.)
    np.lexsort((v,keys[2][:4])) np.lexsort((v,)) np.lexsort(keys) np.lexsort(keys[::-1])
    np.lexsort((keys,keys[::-1]),0) np.lexsort((keys,keys[::-1]))
    np.apply_along_axis(np.outer,0,m,pair) np.apply_along_axis(np.outer,1,box,pair)
    np.apply_along_axis(np.outer,-1,box,pair) np.apply_along_axis(np.diag,0,box)
    np.cross(box,box[::-1],axis=1) np.cross(box,np.moveaxis(box,1,0)*2.,1,0,0)
    np.cross(box,box*box,1,-2,1) np.cross(cube,cube[::-1]) np.cross(cube,cube[::-1],0,1,2)
    np.einsum('ij->i',m[:,:0]) np.einsum('ij,jk',m[:,:0],m[:0]) np.einsum('i,i',v[:0],one)
    np.einsum('i,i',one,v[:0]) np.einsum('i,i->i',v,one) np.einsum('i,i',one,v)
    np.einsum('ij,jk->ik',m[:,:1],m)
    np.linalg.norm(m,keepdims=True) np.linalg.norm(box,keepdims=True) np.linalg.norm(v,3,None,True)
    np.linalg.norm(box,1,(2,0)) np.linalg.norm(box,1,(0,2),True) np.linalg.norm(box,np.inf,(-1,0))
    np.linalg.norm(box,-2,(1,-1),True) np.linalg.norm(box,3,1) np.linalg.norm(box,axis=(1,))
    np.linalg.norm(box,0,-1,True) np.linalg.norm(m,-1) np.linalg.norm(m,'fro',(1,0))
    np.linalg.cond(m) np.linalg.cond(m,2) np.linalg.cond(m,-2) np.linalg.cond(cube,-2)
    np.linalg.cond(cube,'fro') np.linalg.cond(cube,-1) np.linalg.cond(c,np.inf)
    np.linalg.cond(zeros) np.linalg.cond(zeros,-2) np.linalg.cond(zeros,1)
    np.linalg.cond(np.stack([zeros+1.,square[:2,:2]]),1) np.linalg.cond(zeros+1.,'fro')
    np.linalg.cond(np.stack([zeros+np.inf,zeros*np.nan]),1) np.diag_indices_from(cube)
    np.intersect1d(i,[1.,5.,7.]) np.intersect1d([3,1],[1,2,3],True) np.intersect1d(5,i)
    np.delete(v,1) np.delete(v,-1) np.delete(m,1,0) np.delete(m,[0,2],1) np.delete(m,0)
""".split()


@pytest.fixture(autouse=True)
def relaxed() -> Iterator[None]:
    with xp.options(relaxed=True, default_float="float64", device="cpu"):
        yield


@listing("expression", EXPRESSIONS)
def test_expressions(expression: str) -> None:
    expected = np.asarray(eval(expression, {"np": np, **GIVEN}))
    ours = {name: xp.asarray(value) for name, value in GIVEN.items()}
    got = np.asarray(eval(expression, {"np": xp, **ours}))
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
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


@pytest.mark.parametrize(
    ("expression", "dtype"),
    [
        *[
            (f"xp.{function}(5)", None)
            for function in ("bartlett", "blackman", "hamming", "hanning")
        ],
        *[("xp.kaiser(5, 2.0)", None), ("xp.identity(2)", None), ("xp.tri(2)", None)],
        *[("xp.mgrid[0:1:5j]", None), ("xp.ogrid[0:1:5j, 0:2:3j][1]", None)],
        *[("xp.geomspace(1, 8, 4)", None), ("xp.identity(2, float)", None)],
        *[("xp.identity(2, xp.float16)", "float16"), ("xp.identity(2, 'float64')", "float64")],
        *[("xp.identity(2, dtype=np.float64)", "float64"), ("xp.tri(2, 3, 1, np.int8)", "int8")],
        *[("xp.geomspace(1, 8, 4, True, xp.float64)", "float64"), ("xp.indices((2,))", "int64")],
        *[("xp.indices((2, 3), xp.int32, True)[1]", "int32"), ("xp.mgrid[0:3]", "int64")],
        *[("xp.indices((2, 3), sparse=True, dtype=xp.uint8)[1]", "uint8")],
    ],
)
@pytest.mark.parametrize("default", ["float32", "float64"])
def test_what_is_created_of_numbers_is_of_the_default_data_type(
    default: Any, expression: str, dtype: str | None
) -> None:
    with xp.options(default_float=default):
        got = eval(expression, {"np": np, "xp": xp})
    expected = eval(re.sub(r"(?<!\w)xp\.", "np.", expression), {"np": np})
    assert got.dtype is getattr(xp, dtype or default)
    np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-6)


@pytest.mark.parametrize("start", [4, -4])
def test_an_axis_is_rolled_to_no_place_out_of_bounds(start: int) -> None:
    with pytest.raises(IndexError):
        np.rollaxis(GIVEN["box"], 0, start)
    with pytest.raises(IndexError, match=f"rollaxis: start must be from -3 to 3 .* got {start}"):
        xp.rollaxis(xp.asarray(GIVEN["box"]), 0, start)


def test_weights_are_of_the_axes_that_are_averaged() -> None:
    x = GIVEN["box"]
    for axis, sizes, kind in [
        (None, (4,), TypeError),
        (0, (3,), ValueError),
        ((0, 1), (3, 2), ValueError),
        (1, (3, 1), ValueError),
    ]:
        with pytest.raises(kind):
            np.average(x, axis, np.ones(sizes))
        with pytest.raises(kind, match="average: weights have shape"):
            xp.average(xp.asarray(x), axis, xp.ones(sizes))


@pytest.mark.parametrize("p", [None, 1])
def test_an_empty_matrix_has_no_condition_number(p: Any) -> None:
    for module in (np, xp):
        assert module.linalg.cond(module.ones((0, 2, 2)), p).shape == (0,)
        for shape in ((2, 0, 0), (0, 0)):
            with pytest.raises(module.linalg.LinAlgError, match="empty"):
                module.linalg.cond(module.ones(shape), p)


@pytest.mark.parametrize("position", [0, 5, -1, -6, (1, -1), 6, -7])
@pytest.mark.parametrize("shape", [(2, 3), (6,), (1, 1), ()])
def test_items(shape: tuple[int, ...], position: Any) -> None:
    x = np.arange(np.prod(shape) + 0.0).reshape(shape)
    try:
        expected = x.item(position)
    except (IndexError, ValueError) as error:
        with pytest.raises(type(error) if isinstance(position, int) else IndexError):
            xp.asarray(x).item(position)
    else:
        assert xp.asarray(x).item(position) == expected


CASTING = ["no", "equiv", "safe", "same_kind", "unsafe"]


@pytest.mark.parametrize("casting", CASTING)
def test_arrays_are_cast_by_numpys_rules(casting: Any) -> None:
    for source, target in itertools.product(
        ("bool", "int8", "uint8", "int64", "float32"), repeat=2
    ):
        x = xp.asarray([0, 1], dtype=getattr(xp, source))
        if np.can_cast(source, target, casting):
            assert x.astype(getattr(xp, target), casting=casting).dtype is getattr(xp, target)
        else:
            with pytest.raises(TypeError, match=f"astype: {source} is not cast to {target} by"):
                x.astype(getattr(xp, target), casting=casting)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda v: xp.quantile(v, 0.5, method="lower"), "quantile: NumPy's method='lower'"),
        (lambda v: xp.cov(v, fweights=[1, 2, 1, 1]), "cov: NumPy's fweights=[1, 2, 1, 1]"),
        (lambda v: xp.cov(v, aweights=[1.0]), "cov: NumPy's aweights=[1.0]"),
        (lambda v: xp.gradient(v, edge_order=2), "gradient: NumPy's edge_order=2"),
        (lambda v: xp.polyfit(v, v, 1, full=True), "polyfit: NumPy's full=True"),
        (lambda v: xp.polyfit(v, v, 1, cov="unscaled"), "polyfit: NumPy's cov='unscaled'"),
        (lambda v: xp.copyto(v, v, "unsafe"), "copyto: NumPy's casting='unsafe'"),
        (lambda v: xp.histogram(v, "auto"), "histogram: bins='auto'"),
        (lambda v: xp.fill_diagonal(v, 1.0, wrap=True), "fill_diagonal: NumPy's wrap=True"),
        (lambda v: xp.unravel_index(1, (2, 2), "F"), "unravel_index: NumPy's order='F'"),
        (
            lambda v: xp.ravel_multi_index((1, 1), (2, 2), "clip"),
            "ravel_multi_index: NumPy's mode='clip'",
        ),
        (
            lambda v: xp.intersect1d(v, v, return_indices=True),
            "intersect1d: NumPy's return_indices=True",
        ),
        (lambda v: xp.pad(v, 1, stat_length=2), "pad: NumPy's stat_length=2"),
        (lambda v: xp.einsum("i", v, dtype=float), "einsum: NumPy's dtype=<class 'float'>"),
    ],
)
def test_what_would_change_the_result_is_not_ignored(call: Any, text: str) -> None:
    v = xp.asarray(GIVEN["v"])
    with pytest.raises(TypeError, match=re.escape(f"{text} is not taken")):
        call(v)
    np.testing.assert_array_equal(np.asarray(v), GIVEN["v"])


def test_what_equals_its_default_is_taken() -> None:
    v = xp.asarray([1.0, 2.0, 4.0])
    assert float(xp.quantile(v, 0.5, method="".join(["lin", "ear"]))) == 2.0
    assert xp.gradient(v, edge_order=np.int64(1)).tolist() == [1.0, 1.5, 2.0]
