"""Late errors: what the CPU raises at once, accelerators raise where a spoiled array is read.

The CPU's errors are the oracle for what is raised, and one rule for who gets it: an error belongs
to the arrays that the call spoiled.  Loops name the case that fails in their messages.

They need a default device that is one: --device npu, or cuda:0.
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
import re
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from parametrize import listing
from processes import in_threads
from refusals import rows
from steps import entered

import ascend_array_api as xp
from ascend_array_api._methods import indexing
from ascend_array_api._options import settings
from ascend_array_api._reports import late_errors
from ascend_array_api._routes import judging
from ascend_array_api._torch import torch

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [
    pytest.mark.npu,
    pytest.mark.skipif(
        not xp.__array_namespace_info__().default_device().backend.asynchronous,
        reason="the default device is no accelerator",
    ),
]


def there(values: Any, dtype: Any = None) -> xp.Array:
    return xp.asarray(np.asarray(values, dtype))


def assigned(key: Any, value: Any, values: Any = (1, 2, 3)) -> xp.Array:
    x = there(values)
    x[key] = value
    return x


def placed(x: xp.Array) -> xp.Array:
    xp.place(x, x > 0, [])
    return x


def relaxed(call: Callable[[], Any]) -> Any:
    with xp.options(relaxed=True):
        return call()


def generator() -> xp.random.Generator:
    return xp.random.default_rng(1)


MATRIX = ((1.0, 2.0), (0.0, 0.0))


def correlated(method: Any, above: float, below: float) -> xp.Array:
    cov = there([[1.0, above], [below, 1.0]])
    return generator().multivariate_normal(there([0.0, 0.0]), cov, method=method)


BAD = [
    (error, said, code)
    for (error,), said, code in rows(r"""
[IndexError]
take: a position | xp.take(there([1, 2, 3]), there([0, 3]))
-3 to 2 | xp.take(there([1, 2, 3]), there([-4]))
size 1 | xp.take(there([1]), there([2**62, -(2**63)]))
index: a position | there([1, 2, 3])[there([5])]; assigned(there([3]), 1)
axis of size 2 | there([[1, 2], [3, 4]])[there([0, 1]), there([2, 0])]
size 2 | xp.take(there(np.zeros((2, 0))), there([2]), axis=0)
size 2 | assigned((there([3]), ...), 1, np.zeros((2, 0)))
take_along_axis: a position | xp.take_along_axis(there([1, 2]), there([0, 2]))
sorter has a position | xp.searchsorted(there([1, 2, 3]), there([2, 3]), sorter=there([0, 1, 7]))
[ZeroDivisionError]
floor_divide:  | there([1, 2]) // there([1, 0])
remainder:  | there([1, 2], "int8") % there([0, 3], "int8")
[LinAlgError]
inv:  | xp.linalg.inv(there(MATRIX, "float32"))
solve: a matrix is singular | xp.linalg.solve(there(MATRIX, "float64"), there([1.0, 2.0]))
cholesky:  | xp.linalg.cholesky(there([[np.nan]]))
cholesky:  | xp.linalg.cholesky(there([[1.0, 2.0], [2.0, 1.0]]))
cholesky: a matrix is not positive definite | correlated("cholesky", 2.0, 2.0)
[ValueError]
exponential: scale must not be negative | generator().exponential(there([1.0, -1.0]))
choice: p must sum to one | generator().choice(3, 2, p=there([0.5, 0.2, 0.2]))
binomial: p must be from 0 to 1 | generator().binomial(there([500.0]), there([np.nan]))
mean must be finite | generator().multivariate_normal(there([0.0, np.inf]), there(np.eye(2)))
cov must be finite | correlated("svd", np.nan, np.nan); correlated("eigh", np.nan, np.nan)
cov must be finite | correlated("cholesky", np.nan, np.nan)
cov must be symmetric | correlated("svd", 0.5, 0.0); correlated("eigh", 0.5, 0.0)
cov must be symmetric | correlated("cholesky", 0.5, 0.0)
cov must not have negative eigenvalues | correlated("svd", 2.0, 2.0); correlated("eigh", 2.0, 2.0)
p is too small for n | generator().negative_binomial(there([5.0, 5.0]), there([0.5, 1e-30]))
q must be from 0 to 1 | relaxed(lambda: xp.quantile(there([1.0, 2.0]), there([0.5, 1.5])))
place: there are no values | relaxed(lambda: placed(there([1.0, 2.0])))
integers: high must be above low | generator().integers(there([1, 5]), there([2, 4]))
""")
]
"""What is wrong, after the class and the words of the error.  Of NaN no position in a table is made
that is none."""


def called(code: str) -> Any:
    """Call what is wrong as if it stood in this file, in the line of its number."""
    line = [c for *_, c in BAD].index(code)
    return eval(compile("\n" * line + code, __file__, "eval"), globals())


def told(call: Callable[[], Any], error: type[Exception] = IndexError, text: str = "") -> bool:
    """Say whether a call raises a late error of a type, with a text."""
    try:
        call()
    except error as raised:
        return "It was called at " in str(raised) and re.search(text, str(raised)) is not None
    return False


def read(x: xp.Array) -> Any:
    return x.to_device("cpu")


def noted() -> int:
    """Return the number of calls that were noted and are not judged yet."""
    return sum(map(len, late_errors.pending.values()))


def test_a_late_error_is_that_of_the_cpu_with_its_place() -> None:
    for number, (error, text, code) in enumerate(BAD):
        other = there([7, 8])
        result = called(code)
        assert float(xp.sum(other)) == 15, (code, "a wait for another array raises nothing")
        for _ in range(2):
            with pytest.raises(error, match=text) as caught:
                read(result)
            place = re.search(rf"called at {re.escape(__file__)}:(\d+),", str(caught.value))
            assert place, code
            assert int(place[1]) == number + 1 or "ed(" in code, code
        xp.synchronize()  # a reader has met it
        assert np.asarray(read(other)).tolist() == [7, 8], code


def test_an_error_at_the_call() -> None:
    with xp.options(checks="wait"):
        for error, text, code in BAD:
            with pytest.raises(error, match=text):
                called(code)
            assert not late_errors.pending, code


def test_no_error() -> None:
    with xp.options(checks="off"):
        for *_, code in BAD:
            str(called(code))
            assert not late_errors.pending, code
    positions, zero, wide = there([0, 3]), there([1, 0]), there([1, 2, 3, 4])
    assert told(lambda: read(xp.take(wide[:2], positions)))
    assert told(lambda: read(there([3, 4]) // zero), ZeroDivisionError)
    with xp.options(checks="off"):
        for made in (xp.take(wide, positions), wide[positions], xp.take(wide[:2], positions)):
            read(made)  # what was wrong of another call tells nothing
        read(there([3, 4]) // zero)
        wide[positions] = 7
    assert [int(n) for n in wide] == [7, 2, 3, 7]


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


def test_writes_that_raise_at_the_call_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def put(x: Any, at: Any, values: Any, _: Any, doubt: Any = None) -> None:
        """Write what is in bounds, then report: one kernel does so on GPUs."""
        for i, value in zip(at[0].tolist(), values.expand(at[0].shape).tolist(), strict=True):
            if -len(x) <= i < len(x):
                x[i] = value
        if doubt is not None:
            judging.doubted(at[0], x.shape[0], doubt)

    for patched in (False, True):
        if patched:
            monkeypatch.setattr(judging, "put_inside", SimpleNamespace(on=lambda _: put))
        x = there([0, 0, 0])
        for at, value in (([3, 1, 3], 5), ([0, -4, 1], there([7, 8, 9])), ([5], there([1]))):
            with xp.options(checks="wait"), pytest.raises(IndexError, match="index: a position"):
                x[there(at)] = value
            assert np.asarray(read(x)).tolist() == [0, 0, 0], (patched, at)
        with xp.options(checks="wait"):
            x[there([2, -3])] = there([7, 8])
        assert np.asarray(read(x)).tolist() == [8, 0, 7], patched


def test_a_write_that_was_dropped_spoils_the_array() -> None:
    for write in (
        lambda x: x.__setitem__(there([0, 7]), 9.0),
        lambda x: x.__setitem__(there([0, 7]), there([9.0, 9.0])),
        lambda x: x[:2].__setitem__(there([0, 2]), 9.0),
        lambda x: xp.reshape(x, (3, 1)).__setitem__((there([0, 7]), there([0, 0])), 9.0),
    ):
        x = there([1.0, 2.0, 3.0])
        view = x[1:]
        write(x)
        for each in (x, view, x[:1]):
            assert told(lambda each=each: read(each), text="index: a position")
        xp.synchronize()
    x[there([7])] = 1.0
    assert told(lambda: read(x + 1))
    positions, x, y = there([0, 7]), there([1.0, 2.0]), there([1.0, 2.0])
    x[positions] = 1.0
    y[positions] = 1.0  # the second use of positions in doubt is in doubt too
    assert told(lambda: read(y))
    assert told(lambda: read(x))


def test_what_was_interrupted_is_told_later(monkeypatch: pytest.MonkeyPatch) -> None:
    x = there([1, 1])
    fetched = late_errors._fetched

    for more in (False, True):

        def interrupted(*_: Any, more: bool = more) -> Any:
            monkeypatch.setattr(late_errors, "_fetched", fetched)
            if more:
                xp.take(there([1.0]), x)
            raise KeyboardInterrupt

        xp.take(x, x * 2)
        noted_in_a_record(wrong=True)
        monkeypatch.setattr(late_errors, "_fetched", interrupted)
        with pytest.raises(KeyboardInterrupt):
            xp.synchronize()
        with pytest.raises(IndexError, match=r"take: .* axis of size 2;") as caught:
            xp.synchronize()
        assert f"So did {1 + more} more after it" in str(caught.value)
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
    (own,) = late_errors.pending.values()
    own.places = late_errors._MOST  # as if all were given away, in other threads
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

    pairs = [*zip(("wait", "off"), devices * 2)]
    in_threads(lambda i: work(*pairs[i]), 2)
    assert seen == {
        "wait": devices[0],
        "off": (devices * 2)[1],
        "wait returned": False,
        "off returned": True,
    }
    xp.synchronize()


def test_a_block_with_late_errors_ends_without_one() -> None:
    x = there([1, 2])
    with xp.options(checks="late"):
        y = xp.take(x, x)
    assert told(lambda: read(y))


def test_the_first_of_several_errors_is_told() -> None:
    x = there([1, 2])
    xp.take(x, x - 1)
    both = x // (x - 1) + xp.take(x, x)
    for _ in range(2):
        assert told(lambda: read(both), ZeroDivisionError, r"floor_divide: ")
    xp.synchronize()  # the reader was told of the number of others
    kept = [x // (x - 1), xp.take(x, x)]
    with pytest.raises(ZeroDivisionError, match=r"floor_divide.*So did 1 more after it\."):
        xp.synchronize()
    xp.synchronize()
    assert told(lambda: read(kept[1]))


def test_positions_are_looked_at_once() -> None:
    for use in (
        lambda x, n: xp.take(x, n, axis=0),
        lambda x, n: x[n, ...],
        lambda x, n: x[n, n],
        lambda x, n: x.__setitem__((n, ...), 1),
        lambda x, n: xp.take_along_axis(x[0, ...], n, axis=0),
    ):
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
        x, given = there([[1, 2], [3, 4]]), there([1, 1])
        xp.to_torch(given)
        for _ in range(2):
            use(x, given)
            assert noted()
            xp.synchronize()


def test_a_view_tells_of_all_elements_only_if_it_has_them() -> None:
    """As many elements may be some of them twice: the others may be out of bounds."""
    positions = there([0, 1, 99, 98])
    xp.take_along_axis(there([[1, 2]]), xp.broadcast_to(positions[:2], (2, 2)), axis=1)
    xp.synchronize()
    found = there([1, 2])[positions]
    with pytest.raises(IndexError, match="out of bounds"):
        found.to_device("cpu")


def test_memory_that_others_share_is_told_apart() -> None:
    given, own = there([1, 1, 1]), there([1, 1])
    assert not late_errors._is_out(given._tensor)
    tensor = xp.to_torch(given)
    gc.collect()
    assert late_errors._is_out(tensor[1:])
    assert late_errors._is_out(given[:1]._tensor)
    assert not late_errors._is_out(own._tensor)


def test_a_divisor_is_looked_at_once() -> None:
    x, right, wrong = there([1, 2]), there([1, 1]), there([1, 0])
    x // right
    x % right
    assert noted() == 1
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


def test_much_may_be_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late_errors, "_MOST", 8)
    x = there([0, 1])
    for _ in range(18):
        xp.take(x, x + 0)
    assert noted() == 2
    # The last call before the host waits is a bad one: only readers of its result are told.
    made = [xp.take(x, x + int(k == 5)) for k in range(6)]
    assert not noted()
    assert read(made[0]).shape == (2,)
    assert told(lambda: read(made[-1] + 1))
    xp.synchronize()
    for _ in range(20):  # what nobody met is kept up to a number
        xp.take(x, x + 1)
    with pytest.raises(IndexError, match="So did 7 more"):
        xp.synchronize()


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
@listing("dtype", ["int8", "uint16", "float32", "float64", "complex64", "bool"])
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
    found = x[beyond, beyond]
    assert noted() == 1
    assert told(lambda: read(found), text="a position is out of bounds")
    wide = there([[1, 2, 3], [4, 5, 6]])
    found = wide[beyond, beyond]  # of the second axis they are in bounds
    assert told(lambda: read(found), text="for an axis of size 2")
    assert float(wide[0, 0]) == 1


@listing("dtype", ["int8", "float32", "complex64", "complex128", "uint16"])
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
    assert noted() == 1
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


@pytest.mark.parametrize("checks", ["late", "wait", "off"])
@pytest.mark.parametrize("name", ["floordiv", "mod", "ifloordiv", "imod"])
@listing("dtype", ["int8", "int64", "uint16", "uint64"])
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
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")  # once for each line
            for _ in range(3):
                divide(there(x), there(y))
            xp.synchronize()
        assert len(caught) == warned
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


KNOWN = "xp.argsort(x) xp.argmax(x,keepdims=True) xp.nonzero(x)[0] xp.arange(-3,3,2)".split()


def test_positions_that_are_known_are_not_judged() -> None:
    for name in KNOWN:
        x = there([3, 1, 2])
        positions = eval(name, {"x": x, "xp": xp})

        def uses(x: xp.Array = x, positions: xp.Array = positions) -> list[int]:
            counts = []
            for use in (
                lambda: xp.take(x, positions),
                lambda: x[positions],
                lambda: xp.take_along_axis(x, positions),
                lambda: x.__setitem__(positions, x[positions]),
            ):
                use()
                counts.append(noted())
                xp.synchronize()
            return counts

        assert uses() == [0, 0, 0, 0], name
        # Not of a smaller axis, nor of positions that were written to, or may have been.
        xp.take(x[:1], positions)
        assert noted(), name
        with contextlib.suppress(IndexError):
            xp.synchronize()
        if "nonzero" in name:
            xp.to_torch(positions)
        else:
            positions += 0
        assert uses()[0] > 0, name


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


USED = """
    x.__setitem__(k,wrong)or(x) x.__setitem__(xp.argsort(wrong),k)or(x) x[xp.argsort(wrong)]
    wrong[k] xp.take(x,xp.argsort(wrong)) xp.take(wrong,k) xp.stack([wrong,wrong,wrong])[k,k]
    xp.stack([x,x,x])[k,xp.argsort(wrong)] xp.take_along_axis(x,xp.argsort(wrong))
""".split()


def test_what_known_positions_select_or_write_is_in_doubt_with_its_operands() -> None:
    x, k = there([1, 2, 3]), xp.argsort(there([2, 0, 1]))
    for use, known in itertools.product(USED, (False, True)):
        wrong = xp.take(x, there([0, 9, 1]))
        if known:
            assert told(lambda: xp.synchronize(x.device))
        given = {"x": xp.asarray(x, copy=True), "k": k, "wrong": wrong, "xp": xp}
        made = eval(use, given) + 1
        for _ in range(2):
            assert told(lambda made=made: read(made), text="take: a position"), (use, known)


@listing("dtype", ["float32", "complex128", "uint16"])
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
    text = r"^\w+: a position is out of bounds for an axis of size 0\.$"
    with pytest.raises(IndexError, match=text):
        there(np.zeros(0))[there([0])] = there([1.0])
    for call in (lambda x, i: xp.take(x, i), lambda x, i: x[i], xp.take_along_axis):
        with pytest.raises(IndexError, match=text):
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
    "name", [pytest.param(n, marks=[pytest.mark.nightly] * (n == "compile")) for n in TRANSFORMED]
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
    """Return what a function gives in a thread of its own, or raise what it raises."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result(60)


def test_readers_are_told_in_any_thread_and_nobody_else_is() -> None:
    own, made = there([7.0]), bad() * 2 + 1
    for work in (lambda: float(own[0]), lambda: in_a_thread(lambda: float(own[0]))):
        assert work() == 7
    handed_on = in_a_thread(lambda: bad() * 2)
    for spoiled in (made, handed_on):
        for _ in range(2):
            assert told(lambda x=spoiled: float(x[0]))
            assert told(lambda x=spoiled: in_a_thread(lambda: float(x[0])))
    assert in_a_thread(xp.synchronize) is None
    assert float(own[0]) == 7


def test_readers_of_views_are_told_also_where_a_kernel_returns_a_view() -> None:
    zeros, innocent = there(np.zeros((3, 3))), there(np.ones((3, 3)))
    for make in (
        xp.linalg.inv,
        lambda x: xp.linalg.inv(x).mT,
        lambda x: xp.linalg.inv(xp.linalg.inv(x)),
        lambda x: xp.linalg.cholesky(x - 1),
    ):
        for read_some in (
            lambda y: float(y[0, 0]),
            lambda y: read(y[1:, 0]),
            lambda y: read(y.T[0, ...]),
            lambda y: [float(row[0]) for row in y],
            lambda y: float(xp.unstack(y)[0][0]),
        ):
            with pytest.raises(xp.linalg.LinAlgError):
                read_some(make(zeros))
    xp.broadcast_arrays(xp.linalg.inv(zeros), innocent)
    assert float(innocent[0, 0]) == 1


def test_synchronize_raises_what_nobody_met_once() -> None:
    kept = [bad()]
    bad()  # nobody can read it any more
    in_a_thread(bad)
    assert told(xp.synchronize, text="So did 2 more after it")
    xp.synchronize()
    assert told(lambda: read(kept[0])), "as often as it is asked for"
    kept.append(bad())
    assert told(lambda: read(kept[1]))
    xp.synchronize()
    # An array that two calls spoiled: its reader gets the first, and has met both.
    kept.append(there([1.0, 2.0]))
    kept[2][there([5])] = 1.0
    kept[2][there([6])] = 1.0
    assert told(lambda: read(kept[2]), text="So did 1 more after it")
    xp.synchronize()
    kept.clear()
    gc.collect()
    assert not late_errors.mistakes


def test_arrays_on_another_device_are_spoiled() -> None:
    devices = [d for d in xp.__array_namespace_info__().devices() if d != "cpu"]
    if len(devices) < 2:
        pytest.skip("there is one accelerator")
    for known in (False, True):
        made = xp.take(there([1.0]), there([3])).to_device(devices[1]) + 1
        if known:
            assert told(xp.synchronize)
        assert told(lambda made=made: read(made))


def test_who_waits_while_another_thread_finds_out_waits_for_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fetched, begun, go_on = late_errors._fetched, threading.Event(), threading.Event()

    def slowly(*arguments: Any) -> Any:
        begun.set()
        go_on.wait(0.2)
        return fetched(*arguments)

    monkeypatch.setattr(late_errors, "_fetched", slowly)
    x = there([7.0])
    made = bad()
    other = threading.Thread(target=lambda: float(x[0]))
    other.start()
    assert begun.wait(60)
    assert told(lambda: float(made[0]))
    other.join(60)


@pytest.mark.nightly
def test_jobs_that_handle_their_errors_leave_nothing_behind() -> None:
    """Tasks and jobs of a pool meet 1,000 errors; waits do as much after these as before."""
    y = there([2.0])

    def job(k: int) -> bool:
        if k % 2:
            return float(y[0] * k) == 2 * k  # an innocent job of the same worker
        x, i = there([1.0, 2.0]), there([k % 3, 5])
        made = (lambda: xp.take(x, i), lambda: x[i] + 1, lambda: x // x[i])[k % 3]()
        return told(lambda: read(made))

    async def task(k: int) -> bool:
        await asyncio.sleep(0)
        return job(k)

    async def tasks(numbers: range) -> list[bool]:
        return await asyncio.gather(*map(task, numbers))

    def kept() -> list[int]:
        gc.collect()
        own = [v for v in vars(late_errors).values() if isinstance(v, (list, dict))]
        kinds = late_errors.Doubt, late_errors._Open
        return [*map(len, own), sum(type(o) in kinds for o in gc.get_objects())]

    spoiled = there([1.0, 2.0])
    assert asyncio.run(tasks(range(8))) == [True] * 8
    float(y[0])
    before = kept(), len(entered(lambda: float(y[0])))
    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(job, range(1000)))
    assert all(asyncio.run(tasks(range(1000))))
    float(y[0])
    assert (kept(), len(entered(lambda: float(y[0])))) == before
    xp.synchronize()
    # Of an array that is spoiled again and again one mark is kept, once its reader was told.
    for _ in range(20):
        spoiled[there([9])] = 1.0
        assert told(lambda: read(spoiled))
    gc.collect()
    assert len(spoiled._tensor._doubts) == len(late_errors.mistakes) == 1
    xp.synchronize()


def test_a_gradient_leaves_the_error_with_the_array() -> None:
    leaf = xp.to_torch(there([1.0, 2.0], np.float32)).requires_grad_()
    made = xp.take(xp.asarray(leaf, device=str(leaf.device)), there([0, 7]))
    xp.to_torch(xp.sum(made)).backward()
    assert leaf.grad is not None
    assert told(lambda: read(made))


MADE_OF = """
    x x[1:] xp.sum(x) 1-x there([[1.0,2.0,3.0]],"float32")@x xp.astype(x,xp.int32)
    xp.concat([there([1.0],"float32"),x]) xp.where(x>0,1.0,there([2.0],"float32"))
    there([1.0,2.0,3.0],"float64")*x xp.sum(x,axis=0,dtype=xp.float64) xp.asarray(x,copy=True)
    xp.concat([there([1.0],"float64"),x]) there([5,6,7])[xp.astype(x,xp.int64)*0] written_to(x)
    operator.iadd(there([0.0,0.0,0.0],"float32"),x) xp.expand_dims(x,axis=0).mT
"""


def written_to(x: xp.Array) -> xp.Array:
    target = there([[0.0] * 3] * 2, "float32")
    target[0, :] = x
    return target[0, ...]


OUT = """
    repr(x) x.to_device("cpu") xp.asarray(x,device="cpu") xp.to_torch(x) x.__dlpack__()
    pickle.dumps(x) torch.save(x,io.BytesIO()) xp.nonzero(xp.reshape(x,(-1,)))
    float(xp.sum(xp.astype(x,xp.float32)))
"""


@pytest.mark.parametrize("code", MADE_OF.split())
def test_what_is_wrong_gets_nowhere(code: str) -> None:
    def of(x: xp.Array, code: str = code) -> Any:
        return eval(code, {**globals(), "pickle": pickle, "x": x})

    for known, out in itertools.product((False, True), OUT.split()):
        x = xp.astype(bad(), xp.float32)
        made = None if known else of(x)
        assert told(xp.synchronize)
        made = of(x) if made is None else made
        for _ in range(2):
            assert told(lambda made=made, out=out: of(made, out)), (known, out)
    assert in_a_thread(lambda: told(lambda: repr(made)))


WAITS = """
    bool(x[0]) int(x[0]) complex(x[0]) [0,1][x[0]] repr(x) x._repr_html_() xp.nonzero(x) x[x==1]
    np.from_dlpack(xp.from_dlpack(x,device="cpu")) xp.unique_values(x) xp.repeat(x,x)
    there([1,1])[x==1] xp.bincount(x)
"""


@listing("code", WAITS.split())
def test_whatever_waits_for_a_spoiled_array_tells(code: str) -> None:
    for places, wrong in (([2, 2], True), ([0, 1], False)):
        x = xp.take(there([1, 1]), there(places))
        assert told(lambda x=x: eval(code, {**globals(), "x": x})) is wrong


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


def test_copies_of_divisors_are_judged_anew_and_divisors_are_saved() -> None:
    x = there([1, 2])
    for value in (3, 4):
        x[0] = value
    there([6, 6]) // x
    xp.synchronize()  # there was no 0
    tensor = xp.to_torch(x)
    file = io.BytesIO()
    torch.save(tensor, file)
    again = torch.load(io.BytesIO(file.getvalue()), weights_only=True, map_location="cpu")
    assert again.tolist() == pickle.loads(pickle.dumps(x, 2))._tensor.tolist() == [4, 2]
    copied = xp.asarray(copy.deepcopy(tensor))
    while copied._tensor._version < tensor._version:
        copied[0] = 0
    assert copied._tensor._version == tensor._version
    there([6, 6]) // copied
    with pytest.raises(ZeroDivisionError, match="floor_divide"):
        xp.synchronize()
