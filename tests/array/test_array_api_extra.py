"""Every public function of array-api-extra on arrays of the namespace, against NumPy.

``python -m conformance consumers array-api-extra`` runs its own tests.  These are for every run,
and notice a function that a later release adds.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from processes import python

import ascend_array_api as xp

if importlib.util.find_spec("array_api_extra") is None:
    pytest.skip("needs array-api-extra: pip install -e .[test]", allow_module_level=True)

import array_api_extra as xpx

Case = Callable[[Any], Any]
"""A call, given a namespace (and so NumPy's own as well), that returns arrays."""


def at_set(np_: Any) -> Any:
    x = np_.asarray([1.0, 2.0, 3.0])
    changed = xpx.at(x)[1:].set(5.0, copy=True)
    return x, changed


def at_operations(np_: Any) -> Any:
    x = np_.asarray([1.0, 2.0, 4.0])
    mask = np_.asarray([True, False, True])
    return [
        getattr(xpx.at(x, mask), operation)(2.0, copy=True)
        for operation in ("add", "subtract", "multiply", "divide", "power", "min", "max")
    ]


def at_in_place(np_: Any) -> Any:
    x = np_.asarray([[1.0, 2.0], [3.0, 4.0]])
    xpx.at(x)[0, :].add(10.0, copy=False)
    return x


def applied_where(np_: Any) -> Any:
    x = np_.asarray([1.0, 4.0, 0.0, -1.0])
    return [
        xpx.apply_where(x > 0, x, np_.sqrt, fill_value=-1.0),
        xpx.apply_where(x > 0, (x, x), np_.add, lambda a, b: a - b + 3.0),
    ]


def lazily(np_: Any) -> Any:
    return xpx.lazy_apply(lambda x: x * 2, np_.asarray([1.0, 2.0]), xp=np_)


def on_numpy(np_: Any) -> Any:
    return xpx.lazy_apply(np.cumsum, np_.asarray([1.0, 2.0]), as_numpy=True, xp=np_)


def two_dimensional_search(np_: Any) -> Any:
    x1 = np_.asarray([[1.0, 2.0, 3.0], [0.0, 5.0, 9.0]])
    x2 = np_.asarray([[2.0, 0.0], [5.0, 6.0]])
    return [xpx.searchsorted(x1, x2, side=side, xp=np_) for side in ("left", "right")]


CASES: dict[str, list[Case]] = {
    "angle": [
        lambda np_: xpx.angle(np_.asarray([1.0, -1.0, 1j, -1 - 1j])),
        lambda np_: xpx.angle(np_.asarray([1.0, -1.0])),
        lambda np_: xpx.angle(np_.asarray([1j]), deg=True),
    ],
    "apply_where": [applied_where],
    "argpartition": [
        lambda np_: np_.sort(xpx.argpartition(np_.asarray([3.0, 1.0, 2.0, 0.0]), 1)[:2]),
    ],
    "at": [at_set, at_operations, at_in_place],
    "atleast_nd": [
        lambda np_: xpx.atleast_nd(np_.asarray(1.0), ndim=2, xp=np_),
        lambda np_: xpx.atleast_nd(np_.ones((2, 3)), ndim=1),
    ],
    "cov": [
        lambda np_: xpx.cov(np_.asarray([[0.0, 2.0, 5.0], [2.0, 1.0, 0.0]])),
        lambda np_: xpx.cov(np_.asarray([1.0, 2.0, 4.0])),
        lambda np_: xpx.cov(np_.asarray([[1.0, 2j, 4.0], [1j, 0.0, 1.0]])),
    ],
    "create_diagonal": [
        lambda np_: xpx.create_diagonal(np_.asarray([2, 4, 8])),
        lambda np_: xpx.create_diagonal(np_.asarray([[2.0, 4.0]]), offset=-1),
    ],
    "deg2rad": [lambda np_: xpx.deg2rad(np_.asarray([0.0, 90.0, -180.0]))],
    "diag_indices": [lambda np_: list(xpx.diag_indices(3, ndim=2, xp=np_))],
    "isclose": [
        lambda np_: xpx.isclose(np_.asarray([1.0, np.nan, 2.0]), np_.asarray([1.0, np.nan, 2.1])),
        lambda np_: xpx.isclose(np_.asarray([np.nan, 1e8]), 1e8, equal_nan=True),
        lambda np_: xpx.isclose(np_.asarray([1, 5]), np_.asarray([1, 6])),
        lambda np_: xpx.isclose(np_.asarray([1 + 1j]), np_.asarray([1 + 1j])),
    ],
    "kron": [
        lambda np_: xpx.kron(np_.asarray([1, 10, 100]), np_.asarray([5, 6, 7])),
        lambda np_: xpx.kron(np_.eye(2), np_.ones((2, 2))),
    ],
    "lazy_apply": [lazily, on_numpy],
    "nan_to_num": [
        lambda np_: xpx.nan_to_num(np_.asarray([1.0, np.nan]), fill_value=5.0),
        lambda np_: xpx.nan_to_num(np_.asarray([complex(np.nan, 2.0)])),
        lambda np_: xpx.nan_to_num(np_.asarray([-np.inf, 2.0]))[1:],
    ],
    "nanmax": [lambda np_: xpx.nanmax(np_.asarray([[1.0, np.nan], [3.0, 2.0]]), axis=0)],
    "nanmean": [lambda np_: xpx.nanmean(np_.asarray([[1.0, np.nan], [3.0, 2.0]]), axis=0)],
    "nanmin": [lambda np_: xpx.nanmin(np_.asarray([[1.0, np.nan], [3.0, 2.0]]), axis=1)],
    "nansum": [lambda np_: xpx.nansum(np_.asarray([[1.0, np.nan], [3.0, 2.0]]), axis=0)],
    "nunique": [
        lambda np_: xpx.nunique(np_.asarray([[1, 1], [0, 2]])),
        lambda np_: xpx.nunique(np_.asarray([])),
    ],
    "one_hot": [
        lambda np_: xpx.one_hot(np_.asarray([1, 0, 2]), 3, dtype=np_.int64, xp=np_),
        lambda np_: xpx.one_hot(np_.asarray([[1], [0]]), 2, axis=0, dtype=np_.float64, xp=np_),
    ],
    "pad": [
        lambda np_: xpx.pad(np_.asarray([1, 2, 3]), 2),
        lambda np_: xpx.pad(np_.ones((2, 3)), ((1, 0), (0, 2)), constant_values=7.0),
    ],
    "partition": [
        lambda np_: np_.sort(xpx.partition(np_.asarray([3.0, 1.0, 2.0, 0.0]), 1)[:2]),
        lambda np_: xpx.partition(np_.asarray([[3, 1, 2], [9, 8, 7]]), 1, axis=1)[:, 1],
    ],
    "rad2deg": [lambda np_: xpx.rad2deg(np_.asarray([0.0, np.pi]))],
    "searchsorted": [two_dimensional_search],
    "setdiff1d": [
        lambda np_: xpx.setdiff1d(np_.asarray([1, 2, 3, 2, 4, 1]), np_.asarray([3, 4, 5, 6])),
    ],
    "sinc": [lambda np_: xpx.sinc(np_.asarray([0.0, 0.5, 1.0, -1.5]))],
    "tril_indices": [lambda np_: list(xpx.tril_indices(3, offset=-1, xp=np_))],
    "triu_indices": [lambda np_: list(xpx.triu_indices(3, offset=1, xp=np_))],
    "union1d": [lambda np_: xpx.union1d(np_.asarray([-1, 1, 0]), np_.asarray([2, -2, 1]))],
    "unravel_index": [lambda np_: list(xpx.unravel_index(np_.asarray([5, 2]), (2, 3)))],
}
DEPRECATED: dict[str, list[Case]] = {  # they are in the standard
    "expand_dims": [lambda np_: xpx.expand_dims(np_.ones((2,)), axis=(0, 2))],
    "isin": [lambda np_: xpx.isin(np_.asarray([1, 2, 3]), np_.asarray([3, 1]))],
}
#: What returns no arrays has tests of its own, below.
OTHERS = {"__version__", "broadcast_shapes", "default_dtype", "testing"}


def arrays(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from arrays(part)
    else:
        yield value


def compare(case: Case) -> None:
    with xp.options(default_float="float64"):
        results = list(arrays(case(xp)))
    expected = list(arrays(case(np)))
    assert len(results) == len(expected)
    for ours, numpys in zip(results, expected):
        assert type(ours) is xp.Array
        on_host = np.asarray(ours.to_device("cpu"))
        assert (on_host.dtype, on_host.shape) == (np.asarray(numpys).dtype, np.shape(numpys))
        np.testing.assert_allclose(on_host, numpys, rtol=1e-14, atol=1e-14)


def named(cases: dict[str, list[Case]]) -> list[Any]:
    return [
        pytest.param(case, id=f"{name} {i}")
        for name, group in cases.items()
        for i, case in enumerate(group)
    ]


@pytest.mark.parametrize("relaxed", [False, True], ids=["strict", "relaxed"])
@pytest.mark.parametrize("case", named(CASES))
def test_functions(case: Case, relaxed: bool, device: xp.Device) -> None:
    if case is on_numpy and device != "cpu":
        pytest.skip("asks for the host")
    with xp.options(relaxed=relaxed):
        compare(case)


@pytest.mark.filterwarnings("ignore:.*is deprecated:DeprecationWarning")
@pytest.mark.parametrize("relaxed", [False, True], ids=["strict", "relaxed"])
@pytest.mark.parametrize("case", named(DEPRECATED))
def test_functions_that_are_in_the_standard_now(case: Case, relaxed: bool) -> None:
    with xp.options(relaxed=relaxed):
        compare(case)


def test_every_function_is_covered() -> None:
    assert set(CASES) | set(DEPRECATED) | OTHERS == set(xpx.__all__)


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
