"""Captured functions: what ``captured`` returns, does and refuses.

They need a default device that is an accelerator, such as --device npu; the first tests run on the
CPU too.
"""

from __future__ import annotations

import copy
import functools
import gc
import pickle
import re
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest
from parametrize import nightly, others_nightly
from processes import in_threads
from refusals import refused

import ascend_array_api as xp
from ascend_array_api._torch import torch
from workshop import captures
from workshop.samples import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Callable

DEVICE = xp.__array_namespace_info__().default_device()
pytestmark = pytest.mark.npu
everywhere = pytest.mark.usefixtures("any_device")


@pytest.fixture
def any_device() -> None:
    """Let a test run on the CPU too."""


@pytest.fixture(autouse=True)
def _accelerated(request: pytest.FixtureRequest) -> None:
    if DEVICE.backend.graph is None and "any_device" not in request.fixturenames:
        pytest.skip("the default device is no accelerator")


def same(result: Any, expected: Any) -> bool:
    return captures._bits(result) == captures._bits(expected)


def numbers(first: float = 0, *shape: int, dtype: Any = xp.float32) -> xp.Array:
    shape = shape or (3, 4)
    return xp.reshape(xp.arange(int(np.prod(shape)), dtype=dtype) + first, shape)


def agrees(function: Callable[..., Any], *calls: tuple[Any, ...], **options: Any) -> Any:
    """Call a function and its captured one with the same arguments; return the captured one."""
    captured = xp.captured(function, **options)
    for arguments in calls:
        assert same(captured(*arguments), function(*arguments))
    return captured


# --- on every device ------------------------------------------------------------------------------


@everywhere
def test_it_calls_the_function() -> None:
    def function(x: xp.Array, *, rate: float = 2.0) -> xp.Array:
        """Scale."""
        return x * rate

    captured = xp.captured(function)
    assert captured.__name__ == "function"
    assert captured.__doc__ == "Scale."
    assert captured.__wrapped__ is function
    for rate in (2.0, 3.0, 3.0, 3.0):
        assert same(captured(numbers(), rate=rate), function(numbers(), rate=rate))


@everywhere
def test_it_decorates_functions_and_methods() -> None:
    class Model:
        scale = 3.0

        @xp.captured(most=2)
        def scaled(self, x: xp.Array) -> xp.Array:
            return x * self.scale

    model = Model()
    for first in range(3):
        assert same(model.scaled(numbers(first)), numbers(first) * 3.0)
    assert isinstance(Model.scaled, xp.Captured)


test_bad_arguments = everywhere(
    refused(r"""
[TypeError]
expected a function, got the Python int 3 | xp.captured(3)
[ValueError]
must be 'raise' or 'call', not 'skip' | xp.captured(abs, otherwise="skip")
must be a positive integer, not 0 | xp.captured(abs, most=0)
must be a positive integer, not 1.5 | xp.captured(abs, most=1.5)
""")
)


@everywhere
def test_the_functions_own_errors_are_its_own() -> None:
    captured = xp.captured(lambda x: xp.reshape(x, (5,)))
    for _ in range(3):
        with pytest.raises(ValueError, match="reshape"):
            captured(numbers())


@everywhere
def test_arrays_of_the_cpu_are_never_captured() -> None:
    calls = []
    captured = xp.captured(lambda x: calls.append(1) or x + float(xp.sum(x)))
    for _ in range(4):
        captured(xp.ones(3, device="cpu"))
    assert len(calls) == 4
    assert captured.graphs == captured.memory == 0
    scaled = xp.captured(lambda x, by: x * float(by[0]))
    assert float(scaled(xp.ones((), device="cpu"), np.asarray([3.0]))) == 3  # which has no hash
    with xp.options(device="cpu"):
        assert xp.captured(xp.ones)(3).device.type == "cpu"  # a call without arrays


@everywhere
def test_within_transformations_and_compiled_code_it_is_the_function() -> None:
    captured = xp.captured(lambda x: x * 2)
    x = torch.arange(6.0, device=DEVICE.torch_device).reshape(2, 3)
    mapped = torch.vmap(lambda t: xp.to_torch(captured(xp.asarray(t))))
    for _ in range(3):
        assert torch.equal(mapped(x), x * 2)
    whole = {"fullgraph": True, "backend": "eager"}
    compiled = torch.compile(lambda t: xp.to_torch(captured(xp.asarray(t))), **whole)
    for _ in range(3):
        assert torch.equal(compiled(x), x * 2)


@xp.captured(most=3)
def named(x: xp.Array) -> xp.Array:
    return x * 3


def plain(x: xp.Array) -> xp.Array:
    return x * 3


class Scaled:
    def __init__(self, by: float) -> None:
        self.by = by
        self.captured = xp.captured(self.scaled, otherwise="call")

    def scaled(self, x: xp.Array) -> xp.Array:
        return x * self.by


@everywhere
def test_it_is_pickled_and_copied() -> None:
    """As functions are: by name, or by the name of what it calls; graphs stay behind."""
    other = xp.captured(plain, most=2)
    model = Scaled(3.0)
    for captured in (named, other, model.captured):
        for _ in range(2):
            captured(numbers())
        for copied in (pickle.loads(pickle.dumps(captured)), copy.copy(captured)):
            assert same(copied(numbers()), numbers() * 3)
            assert repr(copied) == repr(captured) or captured is model.captured
    assert pickle.loads(pickle.dumps(named)) is copy.deepcopy(named) is named
    again = pickle.loads(pickle.dumps(other))
    assert (again.__wrapped__, again._most, again.graphs) == (plain, 2, 0)
    twin = copy.deepcopy(model)
    twin.by = 5.0
    assert twin.captured._otherwise == "call"
    for function, by in ((twin.captured, 5), (model.captured, 3)):
        assert same(function(numbers()), numbers() * by)
    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickle.dumps(xp.captured(lambda x: x))


# --- on accelerators ------------------------------------------------------------------------------


def test_the_function_itself_runs_twice() -> None:
    calls = []
    captured = xp.captured(lambda x: (calls.append(1), xp.exp(x))[1])
    for first in range(5):
        assert same(captured(numbers(first)), xp.exp(numbers(first)))
    assert len(calls) == 2
    assert captured.graphs == 1
    assert captured.memory >= numbers()._tensor.nbytes
    captured.clear()
    assert captured.graphs == captured.memory == 0
    captured(numbers())
    assert len(calls) == 3


class Pair(NamedTuple):
    left: Any
    right: Any


def test_arguments_and_results_in_containers() -> None:
    def function(pair: Pair, more: dict[str, Any], *rest: list[xp.Array]) -> Any:
        return Pair(pair.left + more["a"], [x * 2 for x in rest[0]]), {"n": 3, "none": None}, ()

    arguments = [
        (Pair(numbers(i), 1.5), {"a": numbers(i + 1), "b": "text"}, [numbers(i + 2)])
        for i in range(4)
    ]
    agrees(function, *arguments)
    captured = xp.captured(function)
    for given in arguments:
        result = captured(*given)
    assert type(result[0]) is Pair
    assert result[1] == {"n": 3, "none": None}


def test_what_decides_the_graph() -> None:
    captured = xp.captured(lambda x, n: x * n)
    variants: list[Any] = [
        *((numbers(), n) for n in (2.0, 3.0, -0.0, 0.0, 2)),
        *((x, 2.0) for x in (numbers(0, 4, 3), numbers().T, numbers(0, 3, 8)[:, ::2])),
        *((x, 2.0) for x in (numbers(dtype=xp.float16), numbers(0, 4, 4)[1:, ...])),
        (xp.broadcast_to(numbers(0, 4), (3, 4)), 2.0),
    ]
    for time in range(3):
        for x, n in variants:
            assert same(captured(x + time, n), (x + time) * n)
            assert same(captured(x, n), x * n)
    assert captured.graphs > 8


def test_options_decide_too() -> None:
    captured = xp.captured(lambda x: xp.full((2,), 1.5) + x[:2])
    x = numbers(0, 4)
    for _ in range(3):
        assert captured(x).dtype is xp.float32
        with xp.options(default_float="float64", relaxed=True):
            assert captured(x).dtype is xp.float64
    assert captured.graphs == 2


SCALE = 2.0
OFFSET: Any = None


def test_variables_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    here = 1.0

    def scaled(x: xp.Array) -> xp.Array:
        return x * SCALE

    def function(x: xp.Array) -> xp.Array:
        return scaled(x) + here + (0.0 if OFFSET is None else OFFSET)

    captured = xp.captured(function)

    def check() -> None:
        for first in range(3):
            assert same(captured(numbers(first)), function(numbers(first)))

    check()
    here = 2.0
    check()
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    check()
    offset = numbers(7)
    monkeypatch.setitem(globals(), "OFFSET", offset)
    check()
    offset[...] = 3.0  # the elements are read anew
    check()
    monkeypatch.setitem(globals(), "OFFSET", numbers(9))
    del offset
    gc.collect()
    check()


def test_results_are_the_callers_own() -> None:
    captured = xp.captured(lambda x: (x + 1, (x * 2)[1:, ...]))
    results = [captured(numbers(first)) for first in range(5)]
    for first, (one, two) in enumerate(results):
        assert same(one, numbers(first) + 1)
        assert same(two, (numbers(first) * 2)[1:, ...])
    results[3][0][...] = 0
    assert same(captured(numbers(4))[0], numbers(4) + 1)


def test_results_share_memory_as_those_of_the_function() -> None:
    def function(x: xp.Array, y: xp.Array) -> Any:
        z = x + y
        return x, x[1:, ...], z, z.T

    captured = xp.captured(function)
    for first in range(4):
        x, y = numbers(first), numbers(1)
        whole, rows, total, turned = captured(x, y)
        whole[0, 0] = 50
        assert float(x[0, 0]) == 50
        rows[0, 0] = 60
        assert float(x[1, 0]) == 60
        total[0, 1] = 70
        assert float(turned[1, 0]) == 70


def test_writes_reach_the_callers_arrays() -> None:
    def function(x: xp.Array, y: xp.Array) -> xp.Array:
        x[0, ...] = 7.0
        x += y
        return xp.sum(x)

    captured = xp.captured(function)
    for first in range(4):
        one, other = numbers(first), numbers(first)
        assert same(captured(one, numbers(2)), function(other, numbers(2)))
        assert same(one, other)
        part = numbers(first, 6, 8)[::2, ::2]
        expected = xp.asarray(part, copy=True)
        assert same(captured(part, numbers(2)), function(expected, numbers(2)))
        assert same(part, expected)


def test_results_that_share_memory_as_other_numbers() -> None:
    def function(x: xp.Array) -> Any:
        z = xp.astype(x, xp.complex64) * 1j + 1
        return z, xp.conj(z), xp.real(z), xp.imag(z)[:2, 1:], xp.conj(z)[1, ...]

    agrees(function, *((numbers(i),) for i in range(4)))


def test_arguments_and_results_marked_as_conjugates_and_negatives() -> None:
    def function(z: xp.Array, x: xp.Array) -> Any:
        return z * 2, x + 1, xp.conj(z + 1)

    calls = []
    for i in range(4):
        z = xp.to_torch(xp.astype(numbers(i), xp.complex64) * 1j + 2)
        calls.append((xp.asarray(torch.conj(z)), xp.asarray(torch.conj(z).imag)))
    agrees(function, *calls)
    agrees(lambda z: xp.conj(z * 2), *((z,) for z, _ in calls))


def test_arguments_by_name_are_no_dictionary() -> None:
    def function(*values: Any, **named: Any) -> xp.Array:
        return values[0]["x"] if values else named["x"] + 1

    captured = xp.captured(function)
    for _ in range(3):
        assert same(captured({"x": numbers()}), numbers())
        assert same(captured(x=numbers()), numbers() + 1)


def test_variables_from_outside_that_come_and_go() -> None:
    def function(x: xp.Array) -> xp.Array:
        return x + (late if has else 0)

    has = False
    captured = xp.captured(function)
    for _ in range(3):
        assert same(captured(numbers()), numbers())
    late, has = 2, True
    for _ in range(3):
        assert same(captured(numbers()), numbers() + 2)


@pytest.mark.nightly
def test_graphs_that_go_while_another_function_is_captured() -> None:
    def function(x: xp.Array) -> xp.Array:
        dropped.clear()
        gc.collect()
        return x * 2

    dropped = [xp.captured(lambda x, i=i: x + i) for i in range(3)]
    for other in dropped:
        for _ in range(2):
            other(numbers())
        other.itself = other  # so that Python finds it by its collector alone
    agrees(function, *((numbers(i),) for i in range(3)))


def test_writes_to_memory_that_is_also_read_are_refused() -> None:
    def function(x: xp.Array, y: xp.Array) -> xp.Array:
        x += 1
        return x + y

    captured = xp.captured(function)
    for _ in range(2):
        captured(numbers(), numbers())
    x = numbers()
    with pytest.raises(xp.CaptureError, match="shares memory with another"):
        captured(x, x)
    assert same(x, numbers())
    lenient = xp.captured(function, otherwise="call")
    for _ in range(2):
        lenient(numbers(), numbers())
    assert same(lenient(x, x), (numbers() + 1) * 2)


def doubled(x: xp.Array) -> xp.Array:
    return x * float(xp.sum(x))


RNG = xp.random.default_rng(3)
STATE = RNG.bit_generator.state
RNG_OF_CPU = xp.random.default_rng(3, device="cpu")
NATIVE = xp.random.Generator(xp.random.Native(3))

REFUSED: dict[str, tuple[Callable[..., Any], str]] = {
    "float": (lambda x: x + float(xp.sum(x)), "the host waits"),
    "bool": (lambda x: x if xp.any(x > 0) else -x, "the host waits"),
    "nonzero": (lambda x: xp.nonzero(x), "the host waits"),
    "mask": (lambda x: x[x > 1], "the host waits"),
    "repr": (lambda x: (repr(x), x)[1], "the host waits"),
    "to the cpu": (lambda x: xp.sum(x.to_device("cpu")), "copies|waits"),
    "from lists": (lambda x: x[0, ...] + xp.asarray([1.0, 2.0, 3.0, 4.0]), "copies"),
    "native": (lambda x: x + NATIVE.random(4), "Native draws .* Use Philox"),
    "entropy": (lambda x: x + xp.random.default_rng().random(4), "entropy .* Give a seed"),
    "cpu generator": (lambda x: x * RNG_OF_CPU.integers(3).ndim, "draws on cpu"),
    "state": (lambda x: x + RNG.bit_generator.state["state"]["counter"], "state of a generator"),
    "set state": (lambda x: (setattr(RNG.bit_generator, "state", STATE), x)[1], "state of a"),
    "advance": (lambda x: (RNG.bit_generator.advance(1), x)[1], "state of a generator"),
    "jumped": (lambda x: (RNG.bit_generator.jumped(), x)[1], "state of a generator"),
    "spawn": (lambda x: (RNG.spawn(1), x)[1], "state of a generator"),
    "synchronize": (lambda x: (xp.synchronize(), x)[1], "waits"),
    "cpu": (lambda x: xp.ones(3, device="cpu"), "a result is on cpu"),
    "result": (lambda x: np.asarray([1]), "returns an object of type numpy.ndarray"),
    "helper": (doubled, "the host waits"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_captured_is_refused(name: str) -> None:
    function, reason = REFUSED[name]
    captured = xp.captured(function)
    expected = captured(numbers(1))
    for _ in range(2):  # again, and by the same words
        with pytest.raises(xp.CaptureError, match=reason) as raised:
            captured(numbers(1))
        if name not in ("cpu", "result"):
            assert f"{__file__}:" in str(raised.value)
    assert captured.graphs == 0
    assert same(numbers(1) + 1, numbers(2))  # all goes on as before
    lenient = xp.captured(function, otherwise="call")
    for _ in range(4):
        result = lenient(numbers(1))
    if name not in {"native", "entropy", "state"}:
        assert same(result, expected)
    assert lenient.graphs == 0


def test_late_errors_name_the_call_in_the_function() -> None:
    def fine(x: xp.Array, i: xp.Array, n: xp.Array) -> Any:
        return xp.take(x, i) * 2, i // n, x + 1

    captured = xp.captured(fine)
    x, good, ones = numbers(0, 5), xp.asarray([1, 4]), xp.asarray([1, 2])
    for _ in range(3):
        assert same(captured(x, good, ones), fine(x, good, ones))
    taken, quotient, other = captured(x, xp.asarray([1, 5]), ones)
    place = rf"called at {re.escape(__file__)}:{fine.__code__.co_firstlineno + 1}"
    with pytest.raises(IndexError, match=f"take: .*{place}"):
        xp.synchronize()
    assert same(quotient, xp.asarray([1, 2]))  # these do not depend on the bad call
    assert same(other, x + 1)
    with pytest.raises(IndexError, match=place):
        float(taken[0])
    taken, quotient, other = captured(x, good, xp.asarray([0, 2]))
    with pytest.raises(ZeroDivisionError, match=place):
        xp.synchronize()
    assert same(taken, fine(x, good, ones)[0])
    with pytest.raises(ZeroDivisionError, match=place):
        int(quotient[1])
    assert same(captured(x, good, ones), fine(x, good, ones))
    # Then nothing is captured, not even a function without a check.
    for each in (captured, xp.captured(lambda x, *_: x + 1)):
        with pytest.raises(xp.CaptureError, match="checks='wait'"), xp.options(checks="wait"):
            each(x, good, ones)
        assert each.graphs == (each is captured)
    with xp.options(checks="wait"):
        called = xp.captured(lambda x: x + 1, otherwise="call")
        assert [same(called(x), x + 1) for _ in range(3)] == [True] * 3
        assert called.graphs == 0
    with xp.options(checks="off"):
        for _ in range(3):
            captured(x, xp.asarray([1, 5]), ones)
    xp.synchronize()


def test_doubts_of_arguments_go_on_to_what_depends_on_them() -> None:
    captured = xp.captured(lambda x, y: (x * 2, y * 2))
    for _ in range(2):
        captured(numbers(0, 2), numbers(1, 2))
    bad = xp.take(numbers(0, 5), xp.asarray([1, 9]))
    first, second = captured(bad, numbers(1, 2))
    with pytest.raises(IndexError, match="take"):
        xp.synchronize()
    assert float(second[0]) == 2
    with pytest.raises(IndexError, match="take"):
        float(first[0])


def test_positions_that_were_known_to_be_right_are_checked_again() -> None:
    positions = xp.asarray([0, 1])
    x = numbers(0, 3)
    xp.take(x, positions)
    xp.synchronize()  # they are known now
    captured = xp.captured(lambda x: xp.take(x, positions))
    for _ in range(3):
        captured(x)
    positions[1] = 7
    taken = captured(x)
    with pytest.raises(IndexError, match="take"):
        float(taken[0])


def test_positions_that_a_capture_has_seen_are_checked_by_others() -> None:
    positions, x = xp.asarray([0, 7]), numbers(0, 3)
    captured = xp.captured(lambda x: xp.take(x, positions))
    for _ in range(2):
        captured(x)
    with pytest.raises(IndexError, match="take"):
        xp.synchronize()
    taken = xp.take(x, positions)
    with pytest.raises(IndexError, match="take"):
        float(taken[0])


def test_writes_to_arrays_from_outside_are_refused() -> None:
    total = numbers(0, 4)

    def function(x: xp.Array) -> xp.Array:
        nonlocal total
        total += x
        return x * 2

    captured = xp.captured(function)
    captured(numbers(1, 4))
    before = xp.asarray(total, copy=True)
    with pytest.raises(xp.CaptureError, match="writes to an array from outside"):
        captured(numbers(1, 4))
    assert same(total, before)


def test_numbers_of_other_libraries_are_told_apart() -> None:
    captured = xp.captured(lambda x, n: x / float(n))
    x = numbers(1, 2)
    for n in (np.float32(0.0), np.float32(-0.0), np.float64(-0.0), np.float64(0.0)) * 3:
        assert same(captured(x, n), x / float(n))


def test_partial_functions_and_what_they_read() -> None:
    scale = 2.0

    def function(x: xp.Array, n: float) -> xp.Array:
        return x * n * scale

    captured = xp.captured(functools.partial(function, n=3.0))
    for time in range(6):
        scale = 2.0 + time // 3
        assert same(captured(numbers(time)), numbers(time) * 3.0 * scale)


def test_a_graph_may_go_while_another_thread_wants_it() -> None:
    captured = xp.captured(lambda x: xp.exp(x) + 1)
    x = numbers(0, 5)
    expected = xp.exp(x) + 1
    wrong: list[int] = []

    def work() -> None:
        wrong.extend(i for i in range(100) if not same(captured(x), expected))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        captured.clear()
    assert not wrong


def test_within_a_graph_of_torchs_it_is_the_function() -> None:
    captured = xp.captured(lambda x: xp.exp(x))
    x = numbers(0, 5)
    for _ in range(3):
        captured(x)
    module = DEVICE.backend.module
    graph = getattr(module, DEVICE.backend.graph or "")()
    module.synchronize()
    with module.stream(module.Stream(DEVICE.torch_device)):
        graph.capture_begin(capture_error_mode="thread_local")
        result = captured(x)
        graph.capture_end()
    graph.replay()
    assert same(result, xp.exp(x))


def test_gradients() -> None:
    x = torch.arange(3.0, device=DEVICE.torch_device, requires_grad=True)
    captured = xp.captured(lambda x: x * 2)
    with pytest.raises(xp.CaptureError, match="has a gradient"):
        captured(xp.asarray(x))
    with torch.no_grad():
        for _ in range(3):
            assert same(captured(xp.asarray(x)), xp.asarray(x) * 2)

    def slope(x: xp.Array) -> xp.Array:
        t = xp.to_torch(x).detach().requires_grad_()
        (grad,) = torch.autograd.grad(xp.to_torch(xp.sum(xp.exp(xp.asarray(t)))), t)
        return xp.asarray(grad)

    agrees(slope, *((numbers(i, 3),) for i in range(4)))
    outside = torch.ones(3, device=DEVICE.torch_device, requires_grad=True)
    leaks = xp.captured(lambda x: x * xp.asarray(outside))
    leaks(numbers(0, 3))
    with pytest.raises(xp.CaptureError, match="a result has a gradient"):
        leaks(numbers(0, 3))


def test_a_captured_function_within_another() -> None:
    inner = xp.captured(lambda x: xp.exp(x))
    outer = agrees(lambda x: inner(x) + 1, *((numbers(i),) for i in range(4)))
    assert outer.graphs == 1
    assert inner.graphs <= 1


def test_the_graph_that_was_used_least_recently_goes() -> None:
    captured = xp.captured(lambda x: x + 1, most=2)
    for size in (2, 2, 3, 3, 2, 4, 4, 2, 3, 3):
        assert same(captured(numbers(0, size)), numbers(1, size))
        assert captured.graphs <= 2


def test_the_graph_that_was_found_last_may_go() -> None:
    calls = []
    captured = xp.captured(lambda x: (calls.append(1), x + 1)[1], most=1)
    for size in (2, 2, 2, 3, 2, 2, 2):
        assert same(captured(numbers(0, size)), numbers(1, size))
    assert captured.graphs == 1
    assert len(calls) == 5  # two for each capture of size 2, and one of size 3
    captured = xp.captured(lambda x: x + 1, most=2)
    for size in (2, 2, 3, 3, 3, 2, 2, 4):
        captured(numbers(0, size))
    assert captured.graphs == 1  # that of size 2, which was used later


def reserved() -> int:
    return int(DEVICE.backend.module.memory_reserved(DEVICE.torch_device))


def test_clear_gives_memory_back() -> None:
    captured = xp.captured(lambda x, n: xp.exp(x) * n)
    x = numbers(0, 1 << 20)
    captured(x, 0)
    captured.clear()
    DEVICE.backend.module.empty_cache()
    before = reserved()
    for n in range(4):
        for _ in range(2):
            captured(x, n)
    assert reserved() >= before + 4 * (4 << 20)
    captured.clear()
    assert reserved() <= before


@pytest.mark.nightly
def test_without_memory_it_records_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """As an allocator that refuses what graphs ask for until it has given memory back."""
    module = DEVICE.backend.module
    lacking = [True]
    monkeypatch.setattr(module, "empty_cache", lambda: lacking.pop() if once else None)
    calls = []

    def function(x: xp.Array) -> xp.Array:
        calls.append(1)
        if lacking and len(calls) > 1:
            raise MemoryError("none") from torch.OutOfMemoryError("none")
        return x + 1

    once = True
    captured = xp.captured(function)
    for _ in range(3):
        assert same(captured(numbers()), numbers(1))
    assert (captured.graphs, len(calls)) == (1, 3)
    once = False
    for otherwise in ("raise", "call"):
        lacking[:] = []
        calls.clear()
        captured = xp.captured(function, otherwise=otherwise)
        captured(numbers())
        lacking[:] = [True]
        for _ in range(2):
            with pytest.raises(
                MemoryError, match="none" if otherwise == "call" else "captured: no"
            ):
                captured(numbers())
        lacking.clear()  # no reason is kept
        assert same(captured(numbers()), numbers(1))
        assert captured.graphs == 1


class Interrupted(BaseException): ...


def test_an_interrupt_at_any_time_ends_the_recording() -> None:
    """Of all places where Python may call a handler within a recording, a share is interrupted."""

    def function(x: xp.Array) -> xp.Array:
        return xp.exp(x) + 1

    def recording(at: int) -> tuple[int, bool]:
        """Interrupt a recording at the event of this number; return their number, and whether."""
        captured, events = xp.captured(function), 0
        captured(numbers())

        def profile(*_: Any) -> None:
            nonlocal events
            events += 1
            if events == at:
                signal.raise_signal(signal.SIGINT)

        sys.setprofile(profile)
        try:
            captured(numbers())
        except Interrupted:
            return events, True
        finally:
            sys.setprofile(None)
            assert not DEVICE.backend.module.is_current_stream_capturing(), at
            for _ in range(2):
                assert same(captured(numbers(2)), function(numbers(2))), at
        return events, False

    def interrupt(*_: Any) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        every = min(recording(0)[0] for _ in range(2))
        interrupted = [recording(at)[1] for at in range(1, every, max(1, every // 60))]
        assert sum(interrupted) > 30  # others come where Python ignores them, or too late
        assert signal.getsignal(signal.SIGINT) is interrupt
    finally:
        signal.signal(signal.SIGINT, before)


def test_threads_and_streams() -> None:
    captured = xp.captured(lambda x: xp.cumulative_sum(xp.exp(x / 10) + x))
    expected = [xp.cumulative_sum(xp.exp(numbers(i, 50) / 10) + numbers(i, 50)) for i in range(4)]
    wrong: list[int] = []

    def work(i: int) -> None:
        stream = DEVICE.backend.module.Stream(DEVICE.torch_device)
        with DEVICE.backend.module.stream(stream):
            wrong.extend(i for _ in range(30) if not same(captured(numbers(i, 50)), expected[i]))

    DEVICE.backend.module.synchronize()
    in_threads(work, 4)
    assert not wrong
    assert captured.graphs == 1


def test_arrays_of_two_devices_are_refused() -> None:
    captured = xp.captured(lambda x, y: x + 1)
    with pytest.raises(xp.CaptureError, match="arrays are on"):
        captured(numbers(), xp.ones(3, device="cpu"))


def test_memory_within_a_graph_is_used_again() -> None:
    def function(x: xp.Array) -> xp.Array:
        for _ in range(30):
            x = xp.exp(x) * 0.5
        return x

    captured = agrees(function, *((numbers(i, 1 << 20) / 1e6,) for i in range(3)))
    assert captured.memory < 16 * (4 << 20)  # of the 60 results of 4 MiB


# --- random numbers -------------------------------------------------------------------------------


@pytest.fixture
def on_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the device draw few numbers without a capture too, for the same last bits."""
    monkeypatch.setattr(type(DEVICE.backend), "most_uploaded", 0)


def generator(key: int = 5, counter: int = 2**128 - 4) -> xp.random.Generator:
    """Return a generator; by default the first draws carry through all words of its counter."""
    return xp.random.Generator(xp.random.Philox(key=key, counter=counter))


def state(rng: xp.random.Generator) -> Any:
    return rng.bit_generator.state["state"]


def shuffled(rng: xp.random.Generator, x: xp.Array) -> xp.Array:
    rng.shuffle(x)
    return x


DRAWS: dict[str, Callable[[xp.random.Generator, xp.Array], Any]] = {
    "random": lambda rng, x: x + rng.random((3, 4), dtype=xp.float32),
    "random of float64": lambda rng, x: (x, rng.random(5, dtype=xp.float64)),
    "twice": lambda rng, x: (rng.random(9), xp.exp(x) + x, rng.random(9)),
    "normal": lambda rng, x: x + rng.normal(1.0, 2.0, (3, 4), dtype=xp.float32),
    "normal of float64": lambda rng, x: (rng.normal(x, 2.0), rng.normal(size=3, dtype=xp.float64)),
    "exponential": lambda rng, x: rng.exponential(x + 1),
    "integers": lambda rng, x: rng.integers(-3, 100, (3, 5)),
    "integers of a wide range": lambda rng, x: rng.integers(-(2**62), 2**62 + 9, 5),
    "integers of arrays": lambda rng, x: rng.integers(xp.astype(x, xp.int64), 20),
    "small integers": lambda rng, x: rng.integers(0, 2, 7, dtype=xp.int8),
    "permutation": lambda rng, x: (rng.permutation(9), rng.permutation(x, axis=1)),
    "permuted": lambda rng, x: rng.permuted(x, axis=1),
    "shuffle": shuffled,
    "choice": lambda rng, x: (rng.choice(x, 7), rng.choice(50, 7, replace=False)),
    "nothing": lambda rng, x: (rng.random((0, 3)), rng.random(2)),
    "gamma": lambda rng, x: (rng.random(3), rng.gamma(x + 0.5), rng.random(3)),
    "poisson": lambda rng, x: (rng.random(9), rng.poisson(x * 3)),
}


@pytest.mark.usefixtures("on_device")
@pytest.mark.parametrize("name", [*others_nightly([*DRAWS][:-2], 2), *map(nightly, [*DRAWS][-2:])])
def test_draws_go_on_in_the_stream(name: str) -> None:
    function = DRAWS[name]
    captured = xp.captured(function)
    rng, other = generator(), generator()
    for time in range(6):
        one, two = numbers(time), numbers(time)
        assert same(captured(rng, one), function(other, two))
        assert same(one, two)
        assert state(rng) == state(other)
        if time == 2:  # other code draws too
            assert same(rng.random(5), other.random(5))
        if time == 3:
            for each in (rng, other):
                each.bit_generator.advance(2**64 - 3)
    assert captured.graphs == 1


@pytest.mark.nightly
@pytest.mark.usefixtures("on_device")
def test_another_state() -> None:
    captured = xp.captured(DRAWS["random"])
    rng = generator()
    for key, counter in ((5, 0), (5, 0), (5, 0), (2**64 - 1, 2**96 - 1), (5, 7), (0, 0)):
        other = generator(key, counter)
        rng.bit_generator.state = other.bit_generator.state
        for _ in range(2):
            assert same(captured(rng, numbers()), DRAWS["random"](other, numbers()))
            assert state(rng) == state(other)
    assert captured.graphs == 1


@pytest.mark.nightly
@pytest.mark.usefixtures("on_device")
def test_several_generators_and_several_functions() -> None:
    def mixed(one: xp.random.Generator, two: xp.random.Generator) -> Any:
        return one.random(5), two.integers(9, size=3), one.normal(size=9), two.random(2)

    captured = xp.captured(mixed)
    also = xp.captured(lambda rng: rng.random(5))
    pairs = [(generator(key), generator(key)) for key in (1, 2)]
    (one, same_one), (two, same_two) = pairs
    for _ in range(4):
        assert same(captured(one, two), mixed(same_one, same_two))
        assert same(also(one), same_one.random(5))
        assert same(captured(two, one), mixed(same_two, same_one))
        assert same(captured(one, one), mixed(same_one, same_one))
        assert [state(rng) for rng, _ in pairs] == [state(rng) for _, rng in pairs]
    assert captured.graphs == 3


@pytest.mark.usefixtures("on_device")
def test_generators_from_outside_and_of_the_functions_own() -> None:
    class Model:
        rng = generator(1)

    model, outside = Model(), generator(2)

    def function(x: xp.Array) -> Any:
        own = xp.random.default_rng(8)
        far = xp.random.Generator(own.bit_generator.jumped())
        (child,) = own.spawn(1)
        drawn = own.random(6), far.random(6), child.random(6), own.random(6)
        assert state(own)["counter"] == 4
        return x + model.rng.random(4), outside.normal(size=3), drawn

    captured = xp.captured(function)
    results = [captured(numbers(i)) for i in range(4)]
    model.rng, outside = generator(1), generator(2)
    for i, result in enumerate(results):
        assert same(result, function(numbers(i)))


def test_spawned_generators() -> None:
    children, others = (xp.random.default_rng(3).spawn(2) for _ in range(2))
    captured = xp.captured(lambda rng: rng.random(6))
    for _ in range(4):
        for child, other in zip(children, others, strict=True):
            assert same(captured(child), other.random(6))
            assert state(child) == state(other)


def test_a_generator_draws_once_where_a_capture_fails() -> None:
    def function(rng: xp.random.Generator) -> xp.Array:
        drawn = rng.random(6)
        return drawn + float(drawn[0])

    rng, other = generator(), generator()
    lenient, strict = xp.captured(function, otherwise="call"), xp.captured(function)
    for _ in range(4):
        assert same(lenient(rng), function(other))
        assert state(rng) == state(other)
    strict(rng), function(other)
    with pytest.raises(xp.CaptureError, match="the host waits"):
        strict(rng)
    assert state(rng) == state(other)  # it has drawn nothing

    bad = []

    def wrong(rng: xp.random.Generator) -> xp.Array:
        drawn = rng.random(9)
        if bad:
            raise ValueError("bad")
        return drawn

    captured = xp.captured(wrong)
    assert same(captured(rng), wrong(other))
    bad.append(1)
    for _ in range(3):
        for function, each in ((captured, rng), (wrong, other)):
            with pytest.raises(ValueError, match="bad"):
                function(each)
        assert state(rng) == state(other)


@pytest.mark.nightly
def test_threads_draw_different_numbers() -> None:
    captured = xp.captured(lambda rng: rng.random(4, dtype=xp.float64))
    rng, other = generator(), generator()
    drawn: list[str] = []

    def work(i: int) -> None:
        with DEVICE.backend.module.stream(DEVICE.backend.module.Stream(DEVICE.torch_device)):
            for time in range(15):
                function = captured if (time + i) % 3 else captured.__wrapped__
                drawn.append(repr(captures._bits(function(rng))))

    in_threads(work, 4)
    expected = [repr(captures._bits(captured.__wrapped__(other))) for _ in range(60)]
    assert sorted(drawn) == sorted(expected)
    assert state(rng) == state(other)


@pytest.mark.nightly
def test_a_function_that_draws_from_too_many_generators() -> None:
    every = [generator(key, 0) for key in range(65)]
    captured = xp.captured(lambda *rngs: [rng.random(1) for rng in rngs])
    captured(*every)
    with pytest.raises(xp.CaptureError, match="draws from more than 64 generators"):
        captured(*every)
    for _ in range(3):
        captured(*every[1:])
    assert captured.graphs == 1
    assert [state(rng)["counter"] for rng in every] == [1, *[4] * 64]


COMMON: tuple[Any, ...] = (
    *(nightly("random.normal"), "add", "exp", "sum", "take", "sort", "matmul", "remainder"),
    "Array.__setitem__",
)


@pytest.mark.parametrize("name", others_nightly(COMMON, 4))
def test_functions_replayed_with_other_values(name: str) -> None:
    outcomes = list(captures.measured([FUNCTIONS[name]], str(DEVICE)))
    assert outcomes
    bad = [o for o in outcomes if o.place in (captures.WRONG, captures.FAILS) or not o.expected]
    assert not bad
