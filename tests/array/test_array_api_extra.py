"""Every public function of array-api-extra on arrays of the namespace, against NumPy.

``python -m conformance consumers array-api-extra`` runs its own tests.  These are for every run,
and notice a function that a later release adds.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from parametrize import listing
from processes import python

import ascend_array_api as xp

if importlib.util.find_spec("array_api_extra") is None:
    pytest.skip("needs array-api-extra: pip install -e .[test]", allow_module_level=True)

import array_api_extra as xpx


def at_operations(x: Any) -> Any:
    names = ("add", "subtract", "multiply", "divide", "power", "min", "max")
    return [getattr(xpx.at(x, x > 0), name)(2.0, copy=True) for name in names]


CASES = """
    xpx.angle(a([1.0,-1.0,1j,-1-1j])) xpx.angle(a([1.0,-1.0])) xpx.angle(a([1j]),deg=True)
    xpx.apply_where(x>0,x,np_.sqrt,fill_value=-1.0)
    xpx.apply_where(x>0,(x,x),np_.add,subtract_and_3)
    np_.sort(xpx.argpartition(x,1)[:2]) xpx.atleast_nd(a(1.0),ndim=2,xp=np_)
    xpx.at(x)[1:].set(5.0,copy=True) at_operations(x) xpx.atleast_nd(np_.ones((2,3)),ndim=1)
    xpx.at(a([[1.0,2.0],[3.0,4.0]]))[0,:].add(10.0,copy=False)
    xpx.cov(a([[0.0,2.0,5.0],[2.0,1.0,0.0]])) xpx.cov(x) xpx.cov(a([[1.0,2j,4.0],[1j,0.0,1.0]]))
    xpx.create_diagonal(i) xpx.create_diagonal(a([[2.0,4.0]]),offset=-1)
    xpx.deg2rad(a([0.0,90.0,-180.0])) list(xpx.diag_indices(3,ndim=2,xp=np_))
    xpx.isclose(a([1.0,nan,2.0]),a([1.0,nan,2.1])) xpx.isclose(a([nan,1e8]),1e8,equal_nan=True)
    xpx.isclose(a([1,5]),a([1,6])) xpx.isclose(a([1+1j]),a([1+1j])) xpx.kron(i,a([5,6,7]))
    xpx.kron(np_.eye(2),np_.ones((2,2))) xpx.lazy_apply(twice,x,xp=np_)
    xpx.lazy_apply(np.cumsum,x,as_numpy=True,xp=np_) xpx.nan_to_num(a([1.0,nan]),fill_value=5.0)
    xpx.nan_to_num(a([complex(nan,2.0)])) xpx.nan_to_num(a([-np.inf,2.0]))[1:]
    xpx.nanmax(n,axis=0) xpx.nanmean(n,axis=0) xpx.nanmin(n,axis=1) xpx.nansum(n,axis=0)
    xpx.nunique(a([[1,1],[0,2]])) xpx.nunique(a([]))
    xpx.one_hot(a([1,0,2]),3,dtype=np_.int64,xp=np_)
    xpx.one_hot(a([[1],[0]]),2,axis=0,dtype=np_.float64,xp=np_) xpx.pad(i,2)
    xpx.pad(np_.ones((2,3)),((1,0),(0,2)),constant_values=7.0) np_.sort(xpx.partition(x,1)[:2])
    xpx.partition(a([[3,1,2],[9,8,7]]),1,axis=1)[:,1] xpx.rad2deg(a([0.0,np.pi]))
    xpx.searchsorted(rows,wanted,side="left",xp=np_)
    xpx.searchsorted(rows,wanted,side="right",xp=np_) xpx.sinc(x)
    xpx.setdiff1d(a([1,2,3,2,4,1]),a([3,4,5,6])) xpx.union1d(a([-1,1,0]),a([2,-2,1]))
    list(xpx.tril_indices(3,offset=-1,xp=np_)) list(xpx.triu_indices(3,offset=1,xp=np_))
    list(xpx.unravel_index(a([5,2]),(2,3)))
    xpx.expand_dims(np_.ones((2,)),axis=(0,2)) xpx.isin(a([1,2,3]),a([3,1]))
""".split()
#: What returns no arrays has tests of its own, below.
OTHERS = {"__version__", "broadcast_shapes", "default_dtype", "testing"}


def arrays(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from arrays(part)
    else:
        yield value


def of(np_: Any, code: str) -> list[Any]:
    """Return the arrays that a call gives, with the arrays of a namespace."""
    a = np_.asarray
    given = {"xpx": xpx, "np_": np_, "np": np, "a": a, "nan": np.nan, "x": a([1.0, 4.0, 0.0, -1.0])}
    given |= {"n": a([[1.0, np.nan], [3.0, 2.0]]), "i": a([1, 10, 100]), "twice": lambda x: x * 2}
    given |= {"at_operations": at_operations, "subtract_and_3": lambda a, b: a - b + 3.0}
    given |= {"rows": a([[1.0, 2.0, 3.0], [0.0, 5.0, 9.0]]), "wanted": a([[2.0, 0.0], [5.0, 6.0]])}
    return list(arrays(eval(code, given)))


def compare(code: str) -> None:
    expected = of(np, code)
    with xp.options(default_float="float64"):
        results = of(xp, code)
    assert len(results) == len(expected)
    for ours, numpys in zip(results, expected):
        assert type(ours) is xp.Array
        on_host = np.asarray(ours.to_device("cpu"))
        assert (on_host.dtype, on_host.shape) == (np.asarray(numpys).dtype, np.shape(numpys))
        np.testing.assert_allclose(on_host, numpys, rtol=1e-14, atol=1e-14)


@pytest.mark.filterwarnings("ignore:.*is deprecated:DeprecationWarning")
@pytest.mark.parametrize("relaxed", [False, True], ids=["strict", "relaxed"])
@listing("code", CASES)
def test_functions(code: str, relaxed: bool, device: xp.Device) -> None:
    if device == "cpu" or "as_numpy" not in code:  # which asks for the host
        with xp.options(relaxed=relaxed):
            compare(code)


def test_every_function_is_covered() -> None:
    assert set(re.findall(r"xpx\.(\w+)", " ".join(CASES))) | OTHERS == set(xpx.__all__)


@pytest.mark.filterwarnings("ignore:.*is deprecated:DeprecationWarning")
def test_broadcast_shapes() -> None:
    assert xpx.broadcast_shapes((2, 1), (3,), xp=xp) == (2, 3)


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_default_dtype(name: str) -> None:
    with xp.options(default_float=name):
        assert xpx.default_dtype(xp) is getattr(xp, name)
        assert (
            xpx.default_dtype(xp, "complex floating")
            is xp.__array_namespace_info__().default_dtypes()["complex floating"]
        )
    assert xpx.default_dtype(xp, "integral") is xp.int64


def test_comparisons_for_tests(device: xp.Device) -> None:
    if device != "cpu":
        pytest.skip("array-api-extra fetches arrays from devices of libraries that it knows alone")
    x = xp.asarray([1.0, 2.0])
    xpx.testing.assert_equal(x, xp.asarray([1.0, 2.0]))
    xpx.testing.assert_close(x, x + 1e-6, rtol=1e-4)
    xpx.testing.assert_less(x, x + 1)
    with pytest.raises(AssertionError):
        xpx.testing.assert_equal(x, x + 1)
    with pytest.raises(AssertionError, match="dtypes do not match"):
        xpx.testing.assert_equal(x, xp.asarray([1, 2]))


@pytest.mark.parametrize("operation", ["add", "subtract", "multiply", "divide", "power"])
@pytest.mark.parametrize("relaxed", [False, True], ids=["strict", "relaxed"])
def test_at_says_that_the_data_type_does_not_fit(operation: str, relaxed: bool) -> None:
    """array-api-extra asks that one of these words stand in the error."""
    x = xp.asarray([2, 4])
    with xp.options(relaxed=relaxed), pytest.raises(TypeError, match="cast|promote|dtype"):
        getattr(xpx.at(x)[:], operation)(1.1)
    np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), [2, 4])


@pytest.mark.nightly
@pytest.mark.parametrize("arguments", [[], ["--strict"]], ids=["relaxed", "strict"])
def test_its_own_tests(arguments: list[str], tmp_path: Path, device: xp.Device) -> None:
    if device != "cpu":
        pytest.skip("on the CPU, in processes of its own")
    command = ["conformance", "consumers", "array-api-extra", "--jobs", "1", *arguments]
    python("-m", *command, "--report", str(tmp_path), cwd=Path(__file__).parents[2])
    (path,) = tmp_path.glob("consumers-array_api_extra-*.json")
    counts = json.loads(path.read_text())["counts"]
    assert counts["passed"] > 1100
    assert counts["xfailed"] < 20
