"""What the CPU raises at once is raised on accelerators where the host waits: option ``checks``.

This runs where the default device is one, and on NPUs by tests/backends/npu/test_npu_late.py.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import gc
import inspect
import io
import itertools
import operator
import pickle
import threading
import time
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ascend_array_api as xp
from ascend_array_api._methods import indexing
from ascend_array_api._options import settings
from ascend_array_api._reports import late_errors
from ascend_array_api._torch import torch

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(
    not xp.__array_namespace_info__().default_device().backend.late,
    reason="the default device is no accelerator",
)


def there(values: Any, dtype: Any = None) -> xp.Array:
    return xp.asarray(np.asarray(values, dtype))


def assigned(key: Any, value: Any, values: Any = (1, 2, 3)) -> xp.Array:
    x = there(values)
    x[key] = value
    return x


def generator() -> xp.random.Generator:
    return xp.random.default_rng(1)


MATRIX = ((1.0, 2.0), (0.0, 0.0))

BAD: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "take": (
        lambda: xp.take(there([1, 2, 3]), there([0, 3])),
        IndexError,
        "take: a position",
    ),
    "take below": (lambda: xp.take(there([1, 2, 3]), there([-4])), IndexError, "-3 to 2"),
    "take far": (
        lambda: xp.take(there([1]), there([2**62, -(2**63)])),
        IndexError,
        "size 1",
    ),
    "getitem": (lambda: there([1, 2, 3])[there([5])], IndexError, "index: a position"),
    "getitem of two": (
        lambda: there([[1, 2], [3, 4]])[there([0, 1]), there([2, 0])],
        IndexError,
        "axis of size 2",
    ),
    "setitem": (lambda: assigned(there([3]), 1), IndexError, "index: a position"),
    "take of nothing": (
        lambda: xp.take(there(np.zeros((2, 0))), there([2]), axis=0),
        IndexError,
        "size 2",
    ),
    "setitem of nothing": (
        lambda: assigned((there([3]), ...), 1, np.zeros((2, 0))),
        IndexError,
        "size 2",
    ),
    "take_along_axis": (
        lambda: xp.take_along_axis(there([1, 2]), there([0, 2])),
        IndexError,
        "take_along_axis: a position",
    ),
    "//": (lambda: there([1, 2]) // there([1, 0]), ZeroDivisionError, "floor_divide: "),
    "%": (lambda: there([1, 2], "int8") % there([0, 3], "int8"), ZeroDivisionError, "remainder: "),
    "inv": (lambda: xp.linalg.inv(there(MATRIX, "float32")), xp.linalg.LinAlgError, "inv: "),
    "solve": (
        lambda: xp.linalg.solve(there(MATRIX, "float64"), there([1.0, 2.0])),
        xp.linalg.LinAlgError,
        "solve: a matrix is singular",
    ),
    "cholesky of NaN": (
        lambda: xp.linalg.cholesky(there([[np.nan]])),
        xp.linalg.LinAlgError,
        "cholesky: ",
    ),
    "cholesky": (
        lambda: xp.linalg.cholesky(there([[1.0, 2.0], [2.0, 1.0]])),
        xp.linalg.LinAlgError,
        "cholesky: ",
    ),
    "scales": (
        lambda: generator().exponential(there([1.0, -1.0])),
        ValueError,
        "exponential: scale must not be negative",
    ),
    "probabilities": (
        lambda: generator().choice(3, 2, p=there([0.5, 0.2, 0.2])),
        ValueError,
        "choice: p must sum to one",
    ),
    # Of NaN no position in a table is made that is none.
    "chances": (
        lambda: generator().binomial(there([500.0]), there([np.nan])),
        ValueError,
        "binomial: p must be from 0 to 1",
    ),
    "mean": (
        lambda: generator().multivariate_normal(there([0.0, np.inf]), there(np.eye(2))),
        ValueError,
        "multivariate_normal: mean must be finite",
    ),
    **{
        f"cov {text}, {method}": (
            lambda cov=cov, method=method: generator().multivariate_normal(
                there([0.0, 0.0]), there(cov), method=method
            ),
            ValueError,
            f"multivariate_normal: cov must be {text}",
        )
        for text, cov in (
            ("finite", [[1.0, np.nan], [np.nan, 1.0]]),
            ("symmetric", [[1.0, 0.5], [0.0, 1.0]]),
        )
        for method in ("svd", "eigh", "cholesky")
    },
    **{
        f"cov of {method}": (
            lambda method=method: generator().multivariate_normal(
                there([0.0, 0.0]), there([[1.0, 2.0], [2.0, 1.0]]), method=method
            ),
            *told,
        )
        for method, *told in (
            ("svd", ValueError, "multivariate_normal: cov must not have negative eigenvalues"),
            ("eigh", ValueError, "multivariate_normal: cov must not have negative eigenvalues"),
            ("cholesky", xp.linalg.LinAlgError, "cholesky: a matrix is not positive definite"),
        )
    },
    "sorter": (
        lambda: xp.searchsorted(there([1, 2, 3]), there([2, 3]), sorter=there([0, 1, 7])),
        IndexError,
        "searchsorted: sorter has a position that is out of bounds for 3 elements",
    ),
    "means": (
        lambda: generator().negative_binomial(there([5.0, 5.0]), there([0.5, 1e-30])),
        ValueError,
        "negative_binomial: p is too small for n",
    ),
    "bounds": (
        lambda: generator().integers(there([1, 5]), there([2, 4])),
        ValueError,
        "integers: high must be above low",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_late_error_is_that_of_the_cpu_with_its_place(name: str) -> None:
    call, error, text = BAD[name]
    other = there([7, 8])
    result = call()
    line = inspect.getsourcelines(call)[1]
    with pytest.raises(error, match=text) as caught:
        float(xp.sum(other))
    assert f"{__file__}:" in str(caught.value)
    place = int(str(caught.value).partition(f"{__file__}:")[2].partition(",")[0])
    assert line <= place <= line + 5 or "assigned" in inspect.getsource(call)
    # It is told once; and all arrays of the process are what they were.
    assert float(xp.sum(other)) == 15
    assert isinstance(result, xp.Array)
    assert np.asarray(other.to_device("cpu")).tolist() == [7, 8]


@pytest.mark.parametrize("name", BAD)
def test_an_error_at_the_call(name: str) -> None:
    call, error, text = BAD[name]
    with xp.options(checks="wait"), pytest.raises(error, match=text):
        call()
    assert not late_errors.pending


@pytest.mark.parametrize("name", BAD)
def test_no_error(name: str) -> None:
    with xp.options(checks="off"):
        call, _, _ = BAD[name]
        str(call())
    assert not late_errors.pending


def test_nothing_is_wrong_where_nothing_is_computed() -> None:
    """As in NumPy, and on the CPU: an empty result has no divisor and no position."""
    for checks in ("late", "wait"):
        with xp.options(checks=checks):
            for dtype in ("int8", "int32", "uint64"):
                none, zero = there(np.zeros((2, 0, 2)), dtype), there(0, dtype)
                quotients = [xp.floor_divide(none, zero), xp.remainder(none, zero), none // zero]
                none //= zero
                none %= zero
                for made in (*quotients, none, none % there(np.zeros((2, 1, 2)), dtype)):
                    assert made.shape == (2, 0, 2), (checks, dtype)
            for shape, at in (((0, 0), (1, 1)), ((0, 2), (0, 3)), ((0, 2), (1, 1))):
                x, places = np.zeros(shape), np.full(at, 5)
                made = xp.take_along_axis(there(x), there(places), axis=-1)
                assert made.shape == np.take_along_axis(x, places, axis=-1).shape
            xp.synchronize()
    assert not late_errors.pending


@pytest.mark.parametrize(
    "wait",
    [
        lambda x: bool(x[0]),
        lambda x: int(x[0]),
        lambda x: complex(x[0]),
        lambda x: [0, 1][x[0]],
        repr,
        lambda x: x.to_device("cpu"),
        lambda x: xp.asarray(x, device="cpu"),
        lambda x: np.from_dlpack(xp.from_dlpack(x, device="cpu")),
        xp.nonzero,
        lambda x: x[x == 1],
        xp.unique_values,
        lambda x: xp.repeat(x, x),
        lambda _: xp.synchronize(),
        lambda x: xp.synchronize(x.device),
    ],
)
def test_whatever_waits_tells(wait: Callable[[xp.Array], Any]) -> None:
    x = there([1, 1])
    xp.take(x, x * 2)
    with pytest.raises(IndexError, match="take: "):
        wait(x)
    wait(x)


@pytest.mark.parametrize("more", [False, True])
def test_what_was_interrupted_is_told_later(more: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    x = there([1, 1])
    fetched = late_errors._fetched

    def interrupted(*_: Any) -> Any:
        monkeypatch.setattr(late_errors, "_fetched", fetched)
        if more:
            xp.take(there([1.0]), x)
        raise KeyboardInterrupt

    xp.take(x, x * 2)
    monkeypatch.setattr(late_errors, "_fetched", interrupted)
    with pytest.raises(KeyboardInterrupt):
        xp.synchronize()
    with pytest.raises(IndexError, match="take: .* axis of size 2;") as caught:
        xp.synchronize()
    assert ("So did 1 more after it" in str(caught.value)) == more
    xp.synchronize()


def noted_in_a_record(*, wrong: bool, between: Callable[[], Any] = bool) -> late_errors.Doubt:
    """Do what a kernel does that judges; the functions stand for those above a launch."""
    doubt = late_errors.Doubt(IndexError, "{}: by a kernel.".format, "take")

    def launch() -> None:
        record, place = doubt.place((there([1]) + 1)._tensor)
        record[place] = int(wrong)
        between()
        doubt.written()

    def function() -> None:
        launch()

    function()
    return doubt


def test_a_call_that_was_right_keeps_no_others() -> None:
    call = noted_in_a_record(wrong=False)
    assert call.right is None
    assert call._noteds is not None
    xp.synchronize()
    assert call.right
    assert call._noteds is None


@pytest.mark.parametrize("other", [bool, lambda: xp.synchronize()])
def test_a_kernel_writes_to_a_record(other: Callable[[], Any]) -> None:
    noted_in_a_record(wrong=False)
    noted_in_a_record(wrong=True, between=other)  # another thread may wait just then
    noted_in_a_record(wrong=False)
    noted_in_a_record(wrong=True)
    line = inspect.currentframe().f_lineno - 3  # type: ignore[union-attr]
    with pytest.raises(IndexError, match=rf"by a kernel\. It was called at .*:{line}, "):
        xp.synchronize()
    for _ in range(2):  # the record is used again, and nothing is left in it
        noted_in_a_record(wrong=False)
        xp.synchronize()
    with xp.options(checks="wait"):
        noted_in_a_record(wrong=False)
        with pytest.raises(IndexError, match=r"by a kernel\.$"):
            noted_in_a_record(wrong=True)
    assert not late_errors.pending


def test_a_record_has_a_place_for_each_call() -> None:
    noted_in_a_record(wrong=False)
    (noted,) = late_errors.pending.values()
    noted.places = itertools.count(late_errors._MOST)  # as if all were given away, in other threads
    noted_in_a_record(wrong=True)
    with pytest.raises(IndexError, match="by a kernel"):
        xp.synchronize()


def test_threads_have_options_and_devices_of_their_own() -> None:
    x, devices = there([1, 1]), [d for d in xp.__array_namespace_info__().devices() if d != "cpu"]
    seen: dict[str, Any] = {}
    turns = threading.Barrier(2, timeout=60)

    def work(checks: Any, device: Any) -> None:
        with contextlib.suppress(IndexError), xp.options(checks=checks, device=device):
            turns.wait()
            for _ in range(20):
                seen[checks] = xp.ones(2).device
                turns.wait()
            seen[f"{checks} returned"] = False
            xp.take(x, x * 2)
            seen[f"{checks} returned"] = True

    threads = [
        threading.Thread(target=work, args=pair) for pair in zip(("wait", "off"), devices * 2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert seen == {
        "wait": devices[0],
        "off": (devices * 2)[1],
        "wait returned": False,
        "off returned": True,
    }
    xp.synchronize()


def test_the_end_of_a_block_tells() -> None:
    x = there([1, 2])
    with pytest.raises(IndexError, match="take: "), xp.options(checks="late"):
        xp.take(x, x)
    with pytest.raises(KeyError), xp.options(checks="late"):
        xp.take(x, x)
        raise KeyError
    with pytest.raises(IndexError):
        float(x[0])


def test_the_first_of_several_errors_is_told() -> None:
    x = there([1, 2])
    xp.take(x, x - 1)
    x // (x - 1)
    xp.take(x, x)
    with pytest.raises(ZeroDivisionError, match=r"floor_divide.*So did 1 more after it\."):
        float(x[0])


@pytest.mark.parametrize(
    "use",
    [
        lambda x, n: xp.take(x, n, axis=0),
        lambda x, n: x[n, ...],
        lambda x, n: x[n, n],
        lambda x, n: x.__setitem__((n, ...), 1),
        lambda x, n: xp.take_along_axis(x[0, ...], n, axis=0),
    ],
)
def test_positions_are_looked_at_once(use: Callable[..., Any]) -> None:
    def noted() -> int:
        return sum(map(len, late_errors.pending.values()))

    x, positions = there([[1, 2], [3, 4]]), there([1, 1])
    use(x, positions)
    some = noted()
    assert some > 0
    use(x, positions)
    assert noted() == some
    xp.synchronize()
    use(x, positions)
    assert not noted()
    # Once they are written to, and once others have their memory, they are looked at anew.
    positions += 1
    use(x, positions)
    assert noted()
    with pytest.raises(IndexError):
        xp.synchronize()
    given = there([1, 1])
    xp.to_torch(given)
    for _ in range(2):
        use(x, given)
        assert noted()
        xp.synchronize()


def test_memory_that_others_gave_back_is_known_again() -> None:
    given = there([1, 1])
    tensor = xp.to_torch(given)
    address = tensor.data_ptr()
    del given
    assert late_errors._is_out(tensor)
    del tensor
    gone = late_errors._gone_out[address]
    assert gone.expired()
    # The allocator may give it to a new array.
    new = there([1, 1])
    own = new._tensor.data_ptr()
    late_errors._gone_out[own] = gone
    assert not late_errors._is_out(new._tensor)
    assert own not in late_errors._gone_out


def test_a_divisor_is_looked_at_once() -> None:
    x, right, wrong = there([1, 2]), there([1, 1]), there([1, 0])
    x // right
    x % right
    assert sum(map(len, late_errors.pending.values())) == 1
    xp.synchronize()
    x // right
    assert not late_errors.pending
    right -= 1
    for divisor in (right, wrong, wrong):
        x // divisor
        with pytest.raises(ZeroDivisionError):
            xp.synchronize()
    x // wrong
    with xp.options(checks="wait"), pytest.raises(ZeroDivisionError):
        x // wrong
    with pytest.raises(ZeroDivisionError):
        xp.synchronize()


def test_wrong_positions_are_told_of_each_time() -> None:
    x, wrong = there([1, 2]), there([0, 2])
    for _ in range(2):
        xp.take(x, wrong)
        with pytest.raises(IndexError):
            xp.synchronize()
    xp.take(x, wrong)
    with xp.options(checks="wait"), pytest.raises(IndexError):
        xp.take(x, wrong)
    with pytest.raises(IndexError):
        xp.synchronize()
    # They are right for another size, and then are no more for this one.
    xp.take(there([1, 2, 3]), wrong)
    xp.synchronize()
    xp.take(x, wrong)
    with pytest.raises(IndexError):
        xp.synchronize()


def test_much_may_be_noted() -> None:
    x = there([0, 1])
    for _ in range(late_errors._MOST + 10):
        xp.take(x, x + 0)
    assert sum(map(len, late_errors.pending.values())) == 10


@pytest.mark.parametrize("dtype", ["int8", "uint16", "float32", "float64", "complex64", "bool"])
@pytest.mark.parametrize(
    ("shape", "rows", "columns"),
    [
        ((5,), [7, 1, -9, -1], None),
        ((5,), [5], None),
        ((4, 3), [3, 9, -4], None),
        ((4, 3), [-5, 4], None),
        ((4, 3), [1, 2, 4, -2], [3, -3, 0, 1]),
        ((4, 3), slice(1, None, 2), [2, 5, -4]),
        ((4, 2, 3), [3, 4], [1, 1]),
        ((4, 2, 3), [[0], [9]], [[1, 0, 2]]),
    ],
)
def test_writes_out_of_bounds_are_dropped(
    dtype: str, shape: tuple[int, ...], rows: Any, columns: Any
) -> None:
    host = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    key = (rows,) if columns is None else (rows, columns)
    arrays = np.broadcast_arrays(*(np.asarray(k) for k in key if not isinstance(k, slice)))
    # The same write to an array that is larger on both sides, for positions count from its ends.
    padded = np.pad(host, [(20, 20)] * len(shape))
    moved = iter(
        np.where(i < 0, i + n, i) + 20
        for i, n in zip(
            arrays,
            [n for n, k in zip(shape, key, strict=False) if not isinstance(k, slice)],
            strict=True,
        )
    )
    inner = tuple(slice(20, 20 + n) for n in shape)
    big = tuple(next(moved) if not isinstance(k, slice) else k for k in key)
    view = padded[tuple(s if isinstance(k, slice) else slice(None) for k, s in zip(key, inner))]
    view = view[(*[slice(None)] * len(key), *inner[len(key) :])]
    value = (np.arange(view[big].size).reshape(view[big].shape) + 50).astype(dtype)
    view[big] = value
    x = there(host)
    with xp.options(checks="off"):
        x[(*(k if isinstance(k, slice) else there(k) for k in key), ...)] = there(value)
        found = np.asarray(x.to_device("cpu"))
    # One kernel on GPUs can tell them apart; what takes several writes all or nothing.
    one_by_one = str(x.device).startswith("cuda") and np.array_equal(found, padded[inner])
    assert one_by_one or np.array_equal(found, host)


def test_an_array_that_stands_twice_in_a_key_is_looked_at_once() -> None:
    x, i = there([[1, 2], [3, 4]]), there([1, -2])
    assert np.asarray(x[i, i].to_device("cpu")).tolist() == [4, 1]
    x[i, i] = there([8, 9])
    assert np.asarray(x.to_device("cpu")).tolist() == [[9, 2], [3, 8]]
    beyond = there([0, 2])
    x[beyond, beyond]
    assert sum(map(len, late_errors.pending.values())) == 1
    with pytest.raises(IndexError, match="a position is out of bounds"):
        float(x[0, 0])
    wide = there([[1, 2, 3], [4, 5, 6]])
    wide[beyond, beyond]  # of the second axis they are in bounds
    with pytest.raises(IndexError, match="for an axis of size 2"):
        float(wide[0, 0])


@pytest.mark.parametrize("dtype", ["int8", "float32", "complex64", "complex128", "uint16"])
def test_points_are_judged_axis_by_axis(dtype: str) -> None:
    host = np.arange(12).reshape(3, 4).astype(dtype)
    x, known = there(host), xp.argsort(there([2, 0, 1]))  # 1, 2, 0
    rows, columns = there([0, -3, 2]), there([3, 1, -4], "int8")
    for array, like in ((x, host), (x.T, host.T), (xp.expand_dims(x, axis=0)[0, ...], host)):
        first, second = (rows, columns) if like.shape == (3, 4) else (columns, rows)
        points = np.asarray([0, -3, 2]), np.asarray([3, 1, -4])
        wanted = like[points if like.shape == (3, 4) else points[::-1]]
        assert np.asarray(array[first, second].to_device("cpu")).tolist() == wanted.tolist()
    assert not late_errors.pending  # those are known now
    found = x[known, there([0, 3, 1])]
    assert sum(map(len, late_errors.pending.values())) == 1
    assert np.asarray(found.to_device("cpu")).tolist() == host[[1, 2, 0], [0, 3, 1]].tolist()
    found = x[known, known]
    assert not late_errors.pending
    assert np.asarray(found.to_device("cpu")).tolist() == host[[1, 2, 0], [1, 2, 0]].tolist()
    for first, second, size in (([0, 3], [0, 3], 3), ([0, 2], [0, 4], 4), ([9, 9], [9, 9], 3)):
        x[there(first), there(second)]
        with pytest.raises(IndexError, match=f"index: .* axis of size {size};"):
            xp.synchronize()
    with xp.options(checks="off"):
        found = x[there([9, -9]), there([-9, 9])]  # the ends stand for what is beyond them
        assert np.asarray(found.to_device("cpu")).tolist() == [host[2, 0], host[0, 3]]
    with xp.options(checks="wait"), pytest.raises(IndexError, match="axis of size 4;"):
        x[there([0]), there([4])]


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint16", "uint64"])
@pytest.mark.parametrize("checks", ["late", "wait", "off"])
@pytest.mark.parametrize("name", ["floordiv", "mod", "ifloordiv", "imod"])
def test_relaxed_mode_divides_by_zero_as_numpy(name: str, checks: Any, dtype: str) -> None:
    divide, warned = getattr(operator, name), checks != "off"
    x, y = np.asarray([7, 5, 3], dtype), np.asarray([2, 0, 1], dtype)
    with np.errstate(all="ignore"):
        expected = {"floordiv": x // y, "mod": x % y}[name.removeprefix("i")].tolist()
    said = "floor_divide" if "floordiv" in name else "remainder"
    divide(there(x), there(np.ones_like(y)))  # the first call for a data type may wait
    with xp.options(relaxed=True, checks=checks):
        a, b = there(x), there(y)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            quotient = divide(a, b)
            line = inspect.currentframe().f_lineno - 1  # type: ignore[union-attr]
            at_once = len(caught)
            assert quotient.tolist() == expected
            xp.synchronize()
        told = [w for w in caught if issubclass(w.category, RuntimeWarning)]
        assert [str(w.message) for w in told] == [f"divide by zero encountered in {said}"] * warned
        assert [(w.filename, w.lineno) for w in told] == [(__file__, line)] * warned
        assert at_once == (checks == "wait")
        with warnings.catch_warnings(), np.errstate(divide="ignore"):
            warnings.simplefilter("error")
            assert divide(there(x), b).tolist() == expected
        # A filter that makes errors of warnings leaves nothing behind.
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            if warned:
                with pytest.raises(RuntimeWarning, match="divide by zero"):
                    divide(there(x), b).tolist()
            assert divide(there(x), there(np.ones_like(y))).tolist() in ([7, 5, 3], [0, 0, 0])
            # A function that torch transforms has the same result, and nothing to tell.
            assert torch.func.vmap(divide)(there(x), there(y)).tolist() == expected


@pytest.mark.parametrize("checks", ["late", "wait", "off"])
def test_scalar_divisors_are_judged_by_the_host(checks: Any) -> None:
    x = there([4, -7])
    with xp.options(checks=checks):
        for divide in (operator.floordiv, operator.mod, operator.ifloordiv, xp.remainder):
            with pytest.raises(ZeroDivisionError, match="an integer was divided by zero"):
                divide(x, 0)
        assert not late_errors.pending
        results = [x // 2, x % -3, xp.floor_divide(x, 5)]
        assert not late_errors.pending
    assert [np.asarray(r.to_device("cpu")).tolist() for r in results] == [
        [2, -4],
        [-2, -1],
        [0, -2],
    ]
    assert (there(np.zeros(0, "int64")) // 0).shape == (0,)


KNOWN: dict[str, Callable[[xp.Array], xp.Array]] = {
    "argsort": xp.argsort,
    "argmax": lambda x: xp.argmax(x, keepdims=True),
    "nonzero": lambda x: xp.nonzero(x)[0],
    "arange": lambda x: xp.arange(-3, 3, 2),
}


@pytest.mark.parametrize("name", KNOWN)
def test_positions_that_are_known_are_not_judged(name: str) -> None:
    x = there([3, 1, 2])
    positions = KNOWN[name](x)

    def uses() -> list[int]:
        counts = []
        for use in (
            lambda: xp.take(x, positions),
            lambda: x[positions],
            lambda: xp.take_along_axis(x, positions),
            lambda: x.__setitem__(positions, x[positions]),
        ):
            use()
            counts.append(sum(map(len, late_errors.pending.values())))
            bool(x[0] == 0)
        return counts

    assert uses() == [0, 0, 0, 0]
    # Not of a smaller axis, nor of positions that were written to, or may have been.
    xp.take(x[:1], positions)
    assert late_errors.pending
    with contextlib.suppress(IndexError):
        bool(x[0] == 0)
    if name == "nonzero":
        xp.to_torch(positions)
    else:
        positions += 0
    assert uses()[0] > 0


def test_short_ways_for_known_positions_leave_all_else_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x, y, k = there([1, 2, 3, 4]), there([5, 6, 7]), xp.argsort(there([2, 0, 1]))  # 1, 2, 0
    square = xp.reshape(there(range(16)), (4, 4))
    assert indexing._put_at(x, k, y)
    assert [int(n) for n in x] == [7, 5, 6, 4]
    for target, key, value in (
        *((x, k, x[1:]), (k, k, y), (xp.broadcast_to(x[:1], (3,)), k, y), (square, k, y)),
        *((x, k, y[:1]), (x, k, xp.astype(y, xp.int32)), (x, xp.astype(k, xp.int32), y)),
    ):
        assert indexing._put_at(target, key, value) is None
    x[k] = x[1:]
    assert [int(n) for n in x] == [4, 5, 6, 4]
    with monkeypatch.context() as patch:
        patch.setattr(settings, "lists", True)  # the porting report lists writes to positions
        assert indexing._put_at(x, k, y) is None


def test_writes_to_known_positions_have_derivatives() -> None:
    k = xp.argsort(there([2, 0, 1]))

    def squares(value: xp.Array) -> xp.Array:
        x = value * 0
        x[k] = value
        return xp.sum(x * x * xp.arange(3, dtype=value.dtype))

    given = there([3.0, 4.0, 5.0], np.float32)
    expected = [6.0, 16.0, 0.0]  # k is [1, 2, 0]
    derived = torch.func.grad(lambda value: xp.to_torch(squares(value)))(given)
    assert [float(n) for n in derived] == expected
    leaf = xp.to_torch(given).requires_grad_()
    xp.to_torch(squares(xp.asarray(leaf, device=given.device))).backward()
    assert leaf.grad is not None
    assert leaf.grad.tolist() == expected
    twice = torch.vmap(squares)(xp.stack([given, given]))
    assert [float(n) for n in twice] == [41.0, 41.0]


USED: dict[str, Callable[[xp.Array, xp.Array, xp.Array], xp.Array]] = {
    "written": lambda x, k, wrong: x.__setitem__(k, wrong) or x,
    "written at": lambda x, k, wrong: x.__setitem__(xp.argsort(wrong), k) or x,
    "read at": lambda x, _, wrong: x[xp.argsort(wrong)],
    "read": lambda _, k, wrong: wrong[k],
    "taken at": lambda x, _, wrong: xp.take(x, xp.argsort(wrong)),
    "taken": lambda _, k, wrong: xp.take(wrong, k),
    "points": lambda _, k, wrong: xp.stack([wrong, wrong, wrong])[k, k],
    "at points": lambda x, k, wrong: xp.stack([x, x, x])[k, xp.argsort(wrong)],
}


@pytest.mark.parametrize("use", USED)
def test_what_known_positions_select_or_write_is_in_doubt_with_its_operands(use: str) -> None:
    x, k = there([1, 2, 3]), xp.argsort(there([2, 0, 1]))
    for told in (False, True):  # of a call that is not judged yet, and of one that was wrong
        wrong = xp.take(x, there([0, 9, 1]))
        if told:
            with pytest.raises(IndexError, match="take: a position"):
                xp.synchronize(x.device)
        made = USED[use](xp.asarray(x, copy=True), k, wrong) + 1
        for _ in range(2):
            with pytest.raises(IndexError, match="take: a position"):
                made.to_device("cpu")


@pytest.mark.parametrize("dtype", ["float32", "complex128", "uint16"])
def test_known_positions_select_from_any_layout(dtype: str) -> None:
    host = np.arange(12).reshape(3, 4).astype(dtype)
    x = there(host)
    order = xp.asarray([2, 0, 1])
    for several, axis in ((xp.argsort(order), 0), (xp.argsort(order), 1)):
        positions = xp.expand_dims(several, axis=1 - axis)
        where = np.asarray(positions.to_device("cpu"))
        for array, like in ((x, host), (x.T, host.T), (x[:, ::2], host[:, ::2])):
            if like.shape[axis] < 3:
                continue
            found = xp.take_along_axis(array, xp.argsort(positions, axis=axis), axis=axis)
            wanted = np.take_along_axis(like, np.argsort(where, axis=axis), axis=axis)
            assert np.asarray(found.to_device("cpu")).tolist() == wanted.tolist()


def test_nothing_is_in_bounds_of_nothing() -> None:
    for call in (lambda x, i: xp.take(x, i), lambda x, i: x[i], xp.take_along_axis):
        with pytest.raises(IndexError, match="axis of size 0"):
            call(there(np.zeros(0)), there([0]))
        assert call(there(np.zeros(0)), there(np.zeros(0, "int64"))).shape == (0,)


def _taken(x: xp.Array, i: xp.Array) -> xp.Array:
    return xp.take(x, i)


def _summed(x: xp.Array, i: xp.Array) -> Any:
    return xp.to_torch(xp.sum(xp.take(x, i)))


TRANSFORMED: dict[str, Callable[[xp.Array, xp.Array], xp.Array]] = {
    "vmap of take": lambda x, i: torch.func.vmap(_taken, (None, 0))(x, i[None, :])[0, :],
    "vmap of an index": lambda x, i: torch.func.vmap(lambda j: x[j])(i[None, :])[0, :],
    "vmap of //": lambda x, i: (
        xp.astype(torch.func.vmap(lambda j: j // (j * 0))(i) * 0, x.dtype) + x[:2]
    ),
    "vmap of argsort": lambda x, i: (
        torch.func.vmap(lambda j: x[xp.argsort(j)])(i[None, :])[0, :] + xp.asarray([0.0, 1.0])
    ),
    "grad": lambda x, i: torch.func.grad(_summed)(x, i)[1:] + 1,
    "compile": lambda x, i: torch.compile(_taken, backend="eager")(x, i),
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[pytest.mark.nightly] * (n == "compile")) for n in TRANSFORMED],
)
def test_transformed_functions_stay_in_bounds_and_note_nothing(name: str) -> None:
    x = there([1, 2, 3], "float32")
    xp.to_torch(there([1]))  # from now on it matters whose memory a position has
    made = TRANSFORMED[name](x, there([-9, 7]))
    assert not late_errors.pending
    # The ends stand for what is beyond them; the derivative is to these.
    expected = [1, 2] if name in {"vmap of //", "grad"} else [1, 3]
    assert np.asarray(made.to_device("cpu")).tolist() == expected


# --- who is told ----------------------------------------------------------------------------------


def bad() -> xp.Array:
    return xp.take(there([1.0, 2.0, 3.0]), there([1, 2, 99]))


def in_a_thread(work: Callable[[], Any]) -> Any:
    """Return what a function gives in a thread of its own, or what it raises."""
    given: list[Any] = []

    def run() -> None:
        try:
            given.append(work())
        except Exception as error:  # noqa: BLE001  (it is looked at)
            given.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(60)
    return given[0]


def told(call: Callable[[], Any], error: type[Exception] = IndexError) -> bool:
    try:
        call()
    except error as raised:
        return "It was called at " in str(raised)
    return False


def test_no_stranger_is_told() -> None:
    own, made = there([7.0]), bad()
    assert in_a_thread(lambda: float(own[0])) == 7
    assert in_a_thread(lambda: float(xp.sum(there([1.0, 2.0])))) == 3
    assert in_a_thread(xp.synchronize) is None
    assert told(lambda: float(own[0]))
    assert float(own[0]) == 7
    assert isinstance(in_a_thread(lambda: str(made)), IndexError)


def test_each_thread_is_told_of_its_own() -> None:
    turns = threading.Barrier(2, timeout=60)

    def work(call: Callable[[], Any], error: type[Exception]) -> Any:
        call()
        turns.wait()
        with pytest.raises(error) as caught:
            xp.synchronize()
        return str(caught.value)

    texts: list[Any] = []
    thread = threading.Thread(
        target=lambda: texts.append(work(lambda: there([1]) // there([0]), ZeroDivisionError))
    )
    thread.start()
    assert "more after it" not in work(bad, IndexError)
    thread.join(60)
    assert "more after it" not in texts[0]


def test_who_waits_while_another_thread_finds_out_waits_for_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fetched, begun = late_errors._fetched, threading.Event()

    def slowly(*arguments: Any) -> Any:
        begun.set()
        time.sleep(0.2)
        return fetched(*arguments)

    monkeypatch.setattr(late_errors, "_fetched", slowly)
    x = there([7.0])
    made = bad()
    other = threading.Thread(target=lambda: float(x[0]))
    other.start()
    assert begun.wait(60)
    assert told(lambda: float(made[0]))
    other.join(60)


def test_tasks_are_told_of_their_own() -> None:
    async def wrong() -> bool:
        bad()
        await asyncio.sleep(0.02)
        return told(lambda: float(there([1.0])[0]))

    async def right() -> float:
        await asyncio.sleep(0.01)
        return float(there([5.0])[0])

    async def both() -> list[Any]:
        return await asyncio.gather(wrong(), right())

    assert asyncio.run(both()) == [True, 5.0]


@pytest.mark.parametrize("waits", [True, False])
def test_who_is_handed_a_spoiled_array_is_told(waits: bool) -> None:
    def work() -> xp.Array:
        made = bad() * 2 + 1
        if waits:
            assert told(xp.synchronize)
        return made

    made = in_a_thread(work)
    assert told(lambda: float(made[0]))
    assert told(lambda: float(made[0])), "as often as it is asked for"
    assert float(there([3.0])[0]) == 3


def test_nobodys_errors_are_told_to_who_asks_for_all() -> None:
    assert isinstance(in_a_thread(bad), xp.Array)
    assert float(there([3.0])[0]) == 3
    assert told(xp.synchronize)
    xp.synchronize()


MADE_OF: dict[str, Callable[[xp.Array], Any]] = {
    "itself": lambda x: x,
    "a view": lambda x: x[1:],
    "a sum": lambda x: xp.sum(x),
    "an operator": lambda x: 1 - x,
    "with another": lambda x: there([[1.0, 2.0, 3.0]], "float32") @ x,
    "other first": lambda x: xp.concat([there([1.0], "float32"), x]),
    "chosen": lambda x: xp.where(x > 0, 1.0, there([2.0], "float32")),
    "promoted": lambda x: there([1.0, 2.0, 3.0], "float64") * x,
    "summed longer": lambda x: xp.sum(x, axis=0, dtype=xp.float64),
    "joined promoted": lambda x: xp.concat([there([1.0], "float64"), x]),
    "positions": lambda x: there([5, 6, 7])[xp.astype(x, xp.int64) * 0],
    "converted": lambda x: xp.astype(x, xp.int32),
    "copied": lambda x: xp.asarray(x, copy=True),
    "written": lambda x: written_to(x),
    "in place": lambda x: operator.iadd(there([0.0, 0.0, 0.0], "float32"), x),
    "a method": lambda x: x.mT if x.ndim > 1 else xp.expand_dims(x, axis=0).mT,
}


def written_to(x: xp.Array) -> xp.Array:
    target = there([[0.0] * 3] * 2, "float32")
    target[0, :] = x
    return target[0, ...]


OUT: dict[str, Callable[[xp.Array], Any]] = {
    "repr": repr,
    "to_device": lambda x: x.to_device("cpu"),
    "asarray": lambda x: xp.asarray(x, device="cpu"),
    "to_torch": xp.to_torch,
    "dlpack": lambda x: x.__dlpack__(),
    "pickle": pickle.dumps,
    "torch.save": lambda x: torch.save(x, io.BytesIO()),
    "nonzero": lambda x: xp.nonzero(xp.reshape(x, (-1,))),
    "a number": lambda x: float(xp.sum(xp.astype(x, xp.float32))),
}


@pytest.mark.parametrize("way", OUT)
@pytest.mark.parametrize("name", MADE_OF)
@pytest.mark.parametrize("known", [False, True])
def test_what_is_wrong_gets_nowhere(known: bool, name: str, way: str) -> None:
    x = xp.astype(bad(), xp.float32)
    made = None if known else MADE_OF[name](x)
    assert told(xp.synchronize)
    made = MADE_OF[name](x) if made is None else made
    for _ in range(2):
        assert told(lambda: OUT[way](made))
    assert in_a_thread(lambda: told(lambda: OUT[way](made)))


def test_nothing_is_kept_of_spoiled_arrays_that_are_gone() -> None:
    made = [bad()]
    assert told(xp.synchronize)
    assert late_errors.mistakes
    made.clear()
    gc.collect()
    assert not late_errors.mistakes


def test_arrays_beside_a_spoiled_one_are_right() -> None:
    x, wrong = there([1.0, 2.0]), there([5])
    right, spoiled = xp.take(x, there([1])), xp.take(x, wrong)
    both = right + spoiled
    assert told(lambda: float(right[0]))
    assert float(right[0]) == 2
    assert told(lambda: float(both[0]))
    assert told(lambda: float(spoiled[0]))


def test_a_second_use_of_positions_in_doubt_is_in_doubt() -> None:
    x, wrong, zero = there([1, 2]), there([0, 2]), there([0, 1])
    made = [xp.take(x, wrong), x[wrong], xp.take(x, wrong), x // zero, x % zero, x // zero]
    with pytest.raises(IndexError):
        xp.synchronize()
    for each in made[:3]:
        assert told(lambda each=each: str(each))
    for each in made[3:]:
        assert told(lambda each=each: str(each), ZeroDivisionError)


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")  # torch_npu's own
def test_tensors_that_others_were_given_are_saved_and_copied() -> None:
    x = xp.take(there([1.0, 2.0]), there([1]))
    tensor = xp.to_torch(x)
    file = io.BytesIO()
    torch.save(tensor, file)
    again = torch.load(io.BytesIO(file.getvalue()), weights_only=True, map_location="cpu")
    assert again.tolist() == copy.deepcopy(tensor).cpu().tolist() == [2]
    xp.synchronize()
