"""Short ways for the plainest calls: each gives what the long way gives, errors included.

Two things may differ, and neither is seen in values: the strides of axes of size 1, and of arrays
without elements, in what is made like another array.
"""

from __future__ import annotations

import inspect
import itertools
import traceback
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from short_ways import Call, combinations, compare, mapped, of, outcome, short_ways, taken

import ascend_array_api as xp
from ascend_array_api._calls.plainest import plainest
from ascend_array_api._chapters import creation, data_type, manipulation, sorting
from ascend_array_api._routes import elementwise, movement
from ascend_array_api._routes._kernels import Kernels
from ascend_array_api._routes._operations import OPS
from ascend_array_api._routes._rows import Native
from ascend_array_api.fft import _transforms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import ModuleType

CHAPTERS = (creation, data_type, manipulation, _transforms)
SHORT = short_ways(*CHAPTERS)


DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
"""Where torch's errors are no faults, as on NPUs they may be: there most calls go the long way."""


@pytest.fixture(autouse=True)
def on_the_device() -> Iterator[None]:
    with xp.options(device=DEVICE):
        yield


def numbers(dtype: torch.dtype, *shape: int) -> xp.Array:
    """Small integers of both signs, in any data type."""
    rng = np.random.default_rng(len(shape))
    return xp.astype(xp.asarray(rng.integers(-3, 4, shape), device=DEVICE), dtype)


DTYPES = (xp.bool, xp.int64, xp.uint16, xp.float16, xp.float32, xp.float64, xp.complex64)
SHAPES = ((), (0,), (1,), (3,), (2, 3), (2, 0), (1, 1), (3, 2, 1))
PLAIN = [numbers(d, *shape) for d in DTYPES for shape in SHAPES]
FOREIGN = [None, 1.0, np.zeros(2), [1.0]]
ARRAYS = [
    *PLAIN,
    numbers(xp.float32, 2, 3).mT,
    numbers(xp.complex64, 4, 6)[::2, ::2],
    xp.broadcast_to(numbers(xp.float32, 3), (2, 3)),
    xp.asarray(torch.nn.Parameter(torch.ones(2, 3)), device=DEVICE),
    *FOREIGN,
]
SOME = [numbers(xp.float32, *shape) for shape in SHAPES] + [numbers(xp.complex64, 2, 3), None]
INTEGERS = (0, 1, 2, -1, -2, -3, 5, True, 1.0, None, "0", np.int64(1), 2**70)
TUPLES = ((), (0,), (1, 0), (0, 1), (2, 0, 1), (0, 0), (0, True), (-1, 0), (np.int64(1), 0), [1, 0])
POINTS = (*TUPLES, (4, 3), (3, 4, 2), (3, 1), (4, -1), (5,), (5.0,), (2, 2**62), (2**70, 3), None)
SIZES = (0, 1, 3, True, -1, 2.0, (), (2,), (2, 3), (2, True), (1, -1), [2, 3], 2**62, 2**70, "2")
TARGETS = [
    *({"dtype": d} for d in (*DTYPES, None, "float32", torch.complex32, float)),
    *({"device": d} for d in ("cpu", torch.device("cpu"), SOME[0].device, "nowhere", 3, ["cpu"])),
    {"dtype": xp.int64, "device": "cpu"},
    {"dtype": "nothing", "device": "nowhere"},
]
VALUES = (
    *(0, 1, -1, 2.5, -0.0, True, 1j, float("nan"), float("inf"), np.float64(2), "1", None),
    *(2**16, 65504, 65520.0, 2**24 + 1, 2**53 + 1, -(2**63), 2**63, 2**70, 2**2000, 3.5e38, 1e300),
    *(numbers(xp.float32), numbers(xp.int64), numbers(xp.float32, 2), np.float32(2.5)),
)
NORMS = ("backward", "ortho", "forward", "none", None, 1)


def created(function: str, *given: Iterable[Any]) -> list[Call]:
    return [
        Call(function, values, named)
        for values in combinations(*given)
        for named in (*TARGETS, {}, {"wrong": 1})
    ]


PAIRS = [
    *itertools.product(SOME, repeat=2),
    (numbers(xp.float32, 2), numbers(xp.int64, 2)),
    (numbers(xp.uint16, 2), numbers(xp.uint16, 2)),
    (numbers(xp.float32, 2), numbers(xp.float64, 2)),
    [numbers(xp.float32, 2)] * 3,
    (),
    (1.0, 2.0),
    numbers(xp.float32, 2, 3),
    None,
]
CALLS = {
    "creation": [
        *created("zeros", SIZES),
        *created("ones", SIZES),
        *created("empty", (0, 2, (2, 3), -1, (1, True))),
        *created("full", (3, (), (2, 3), [2], (1, True), -1), VALUES),
        *created("arange", (0, 1, 5, -3, 2.5, True, 2**62, 2**70)),
        *created("arange", (0, 2, -2), (5, 0, 70_000, 1.5), (1, 2, 0, True)),
        *created("arange", (2**31 - 2,), (2**31 + 1, 0)),
        *created("eye", INTEGERS),
        *created("eye", (0, 3, -1), (2, None, True)),
        *of("eye", (2, 3), (None, 3), k=(0, 1, -5, False, 0.0, None)),
        *created("zeros_like", ARRAYS[::3]),
        *of("zeros_like", ARRAYS),
        *of("ones_like", ARRAYS),
        *of("empty_like", ARRAYS),
        *of("tril", ARRAYS, k=(0, 1, -1, True, None)),
        *of("triu", ARRAYS, k=(0, 1, -1, True, None)),
        Call("zeros", (), {}),
        Call("arange", (1, 2, 3, 4), {}),
    ],
    "data types": [
        *of("astype", ARRAYS, (*DTYPES, "float32", None, torch.complex32), copy=(True, False)),
        *of("astype", SOME, (xp.int64,), copy=(None, 1), device=(None, "cpu", "nowhere")),
    ],
    "movement": [
        *of("broadcast_arrays", ARRAYS, ARRAYS[::2]),
        *of("broadcast_arrays", SOME, SOME, (SOME[1], SOME[3], SOME[-1])),
        *of("broadcast_arrays", ARRAYS),
        Call("broadcast_arrays", (), {}),
        *of("broadcast_to", ARRAYS, SIZES),
        *of("broadcast_to", SOME, ((1, 3), (2, 3), (4, 2, 3), (3, 2, 1), (3, -1), (2, 3, True))),
        *of("concat", PAIRS, axis=INTEGERS),
        *of("stack", PAIRS, axis=INTEGERS),
        *of("expand_dims", ARRAYS, axis=(*INTEGERS, *TUPLES)),
        *of("moveaxis", ARRAYS, INTEGERS, INTEGERS),
        *of("permute_dims", ARRAYS, (*TUPLES, 0, None, 2**70, (2**70, 0))),
        *of("repeat", ARRAYS, (*INTEGERS, numbers(xp.int64, 1) ** 2), axis=(None, 0, -1, 3, True)),
        *of("reshape", ARRAYS, (*TUPLES, (-1,), (6,), (3, 2), (-1, 2), 6, None), copy=(None, True)),
        *of("roll", ARRAYS, (*INTEGERS, (1,), (1, 1)), axis=(*INTEGERS, (0, 1))),
        *of("squeeze", ARRAYS, axis=(*INTEGERS, *TUPLES)),
        *of("tile", ARRAYS, (*TUPLES, (2, 1), (1, 2, 1), (2, -1), 2, None)),
        *of("moveaxis", SOME, ((0, 1),), ((1, 0), 0)),
    ],
    "fft": [
        *of("fft.fft", ARRAYS, axis=INTEGERS),
        *of("fft.rfft", ARRAYS, axis=INTEGERS),
        *(
            call
            for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
            for call in of(f"fft.{name}", ARRAYS, n=(None, 3, 0), axis=(-1, 0), norm=NORMS)
        ),
        *(
            call
            for name in ("fftn", "ifftn", "rfftn", "irfftn")
            for call in of(f"fft.{name}", ARRAYS, axes=(None, (0,), ()), norm=NORMS)
        ),
        *of("fft.irfftn", [numbers(xp.complex64, 4, 3), *SOME], s=POINTS, axes=TUPLES[1:4]),
        *of("fft.irfftn", [numbers(xp.complex64, 2, 4, 3)], s=POINTS, axes=TUPLES, norm=NORMS),
        *created("fft.fftfreq", (1, 4, 5.0, 0), (1.0, 2, 0.0, True)),
        *created("fft.rfftfreq", (1, 4, True), (1.0, 0.3)),
    ],
}


@pytest.mark.parametrize("chapter", CALLS)
@pytest.mark.filterwarnings("ignore:Casting complex values")
def test_the_short_way_gives_what_the_long_way_gives(
    chapter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without() -> None:
        monkeypatch.setattr(creation, "known_target", lambda *_: None)

    compare(CALLS[chapter], SHORT, monkeypatch, without)


def test_each_short_way_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    found = taken(itertools.chain(*CALLS.values()), SHORT, monkeypatch)
    assert found == {name for _, name in SHORT}


@pytest.mark.parametrize("shape", [3, (3,), (2, 3)])
@pytest.mark.parametrize("name", ["empty", "ones", "zeros"])
def test_short_ways_of_shapes(name: str, shape: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = [Call(name, (shape,), {}), Call(name, (shape,), {"dtype": xp.int64})]
    for call in calls:
        getattr(xp, call.function)(*call.given, **call.named)  # the kernel is found
        assert taken([call], SHORT, monkeypatch) == {name}, call
    assert not taken([Call(name, ((2, np.int64(3)),), {})], SHORT, monkeypatch)


@pytest.mark.parametrize("module", CHAPTERS, ids=lambda m: m.__name__)
def test_there_are_short_ways(module: ModuleType) -> None:
    assert any(known["__name__"] == module.__name__ for known, _ in SHORT)


def test_what_is_forgotten_is_not_plain_either() -> None:
    x = numbers(xp.float32, 3)
    xp.roll(x, 1)
    assert movement.roll.is_plain(x._spec)
    movement.roll.forget(x.device)
    try:
        assert not movement.roll.is_plain(x._spec)
        with pytest.raises(xp.DeviceError, match="computes nothing"):
            xp.roll(x, 1)
    finally:
        movement.roll.clear()
    assert not movement.roll.kernels
    xp.roll(x, 1)
    assert movement.roll.is_plain(x._spec)


def test_pairs_of_data_types_are_forgotten_too() -> None:
    x, y = numbers(xp.float32, 3), numbers(xp.float64, 3)
    for _ in range(2):
        assert (x + y).dtype == xp.float64
    elementwise.add.forget(x.device)
    try:
        with pytest.raises(xp.DeviceError, match="computes nothing"):
            x + y
    finally:
        elementwise.add.clear()
    assert (x + y).dtype == xp.float64


def test_other_routes_than_torchs_own_are_not_plain() -> None:
    for call in itertools.chain(*CALLS.values()):
        outcome(call)
    every = [(op, spec) for op in OPS.values() for spec in op.kernels]
    plain = [(op, s) for op, s in every if s.device.type == DEVICE and op.is_plain(s)]
    assert plain
    for op, spec in plain:
        row = op.row(spec.dtype, spec.device.backend)
        assert spec.dtype in op.dtypes
        assert row is None or isinstance(row.route, Native), (op, spec)


@pytest.mark.parametrize("dtype", [xp.int64, xp.uint8])
@pytest.mark.parametrize("given", [(5,), (2, 7), (0,), (3, 3)])
def test_what_is_known_of_positions(
    given: tuple[int, ...], dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Positions that were counted need not be looked at on an accelerator."""
    monkeypatch.setattr(xp.zeros(1, device="cpu").device.backend, "asynchronous", True)
    xp.arange(2, dtype=dtype, device="cpu")
    counted = getattr(xp.arange(*given, dtype=dtype, device="cpu")._tensor, "_known", None)
    by_the_body = inspect.unwrap(xp.arange)
    assert counted == getattr(
        by_the_body(*given, dtype=dtype, device="cpu")._tensor, "_known", None
    )


test_batches_are_computed_as_one_by_one = mapped("""
    xp.zeros_like(x)+x xp.full_like(x,2.0)*x xp.permute_dims(x,(1,0)) xp.moveaxis(x,0,1)+x
    xp.broadcast_to(x,(2,3,3)) xp.broadcast_arrays(x,x[0,:])[1]+xp.broadcast_arrays(x)[0]
    xp.concat((x,x),axis=-1) xp.stack((x,x),axis=2) xp.roll(x,1,axis=1) xp.repeat(x,2,axis=0)
    xp.tile(x,(2,1)) xp.squeeze(xp.expand_dims(x,axis=-3),axis=0) xp.tril(x)
    xp.astype(x,xp.float64) xp.fft.rfft(x,axis=0) xp.fft.ihfft(x) xp.fft.rfftn(x)
    xp.fft.fftshift(x)
""")


def test_a_form_names_parameters_alone() -> None:
    with pytest.raises(TypeError, match=r"'y: array' names 'y', which is no parameter"):
        plainest("y: array", "tensor")(lambda x: x)


def test_tracebacks_show_what_is_done_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(error: Exception, *_: Any) -> None:
        raise SystemError("a fault") from error

    def kernel(*_: Any, **__: Any) -> None:
        raise RuntimeError("of the device")

    x = numbers(xp.float32, 3)
    sort: Any = sorting.sort  # in relaxed mode the namespace has another function around it
    sort(x)
    known: dict[str, Any] = sort.__globals__
    monkeypatch.setitem(known, "kernels", {x._spec: Kernels(kernel, kernel, kernel)})
    monkeypatch.setitem(known, "check_fault", fails)
    with pytest.raises(SystemError) as caught:
        sort(x)
    entry = traceback.extract_tb(caught.value.__traceback__)[1]
    assert entry.name == "sort"
    assert entry.line == "check_fault(error, name, spec.device, (tensor,))"


@pytest.mark.parametrize(
    "call", [lambda: xp.sort(1, foo=2), lambda: xp.fft.fft(), lambda: xp.sum()]
)
def test_what_is_called_is_shown_as_the_standard_has_it(call: Callable[[], Any]) -> None:
    with pytest.raises(TypeError, match=r"Its form is \S+\(x, /, \*, [^)]*\)\.$"):
        call()
