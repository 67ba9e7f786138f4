"""Devices, memory, faults, DLPack and leaks on NPUs."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import pytest
from npu import EMULATOR, QUIET_TORCH_NPU, needs_emulator, needs_two_devices, script
from parametrize import LONG, everything, others_nightly

import ascend_array_api as xp
from ascend_array_api._doctor import diagnosis
from ascend_array_api._routes import elementwise
from ascend_array_api._routes._operations import CAST, OPS
from ascend_array_api._torch import torch
from workshop.samples import FUNCTIONS, Seeded, converted
from workshop.samples.strategies import to_numpy

INFO = xp.__array_namespace_info__()
DEVICES = [str(d) for d in INFO.devices() if d != "cpu"]
DTYPES = {**INFO.dtypes(), "float16": xp.float16, "bfloat16": xp.bfloat16}


# --- devices --------------------------------------------------------------------------------------


def test_the_default_device_and_the_listing() -> None:
    assert INFO.default_device() == "npu:0"
    assert xp.zeros(3).device == "npu:0"
    names = [str(d) for d in INFO.devices()]
    assert names == ["cpu", *(f"npu:{i}" for i in range(torch.npu.device_count()))]


@needs_two_devices
def test_a_name_without_a_number_is_the_current_device() -> None:
    assert xp.zeros(1, device="npu").device == "npu:0"
    with torch.npu.device(1):
        assert xp.zeros(1, device="npu").device == "npu:1"
        assert xp.zeros(1, device=torch.device("npu")).device == "npu:1"
        assert xp.zeros(1).device == "npu:0", "the default does not move with it"
    assert xp.zeros(1, device="npu").device == "npu:0"
    with pytest.raises(ValueError, match="'npu:7'. Usable here: 'cpu', 'npu:0', 'npu:1'"):
        xp.zeros(1, device="npu:7")


@needs_two_devices
@pytest.mark.parametrize("name", list(DTYPES))
def test_between_all_devices(name: str) -> None:
    """Every data type goes everywhere and comes back the same; nothing else is copied."""
    numbers = np.asarray([0, 1, 2, 3, 77, 100]).reshape(2, 3)
    x = xp.astype(xp.asarray(numbers, device="cpu"), DTYPES[name])
    for path in (["npu:0"], ["npu:1"], ["npu:0", "npu:1"], ["npu:1", "npu:0"]):
        y = x
        for device in path:
            y = y.to_device(device)
            assert y.device == device
            assert y.dtype is x.dtype
            assert y.to_device(device) is y
        for view, expected in ((y, x), (y.T, x.T), (y[1, 1:], x[1, 1:])):
            assert xp.all(expected.to_device(y.device).to_device("cpu") == expected)
            elsewhere = view.to_device("npu:0" if y.device == "npu:1" else "npu:1")
            assert xp.all(elsewhere.to_device("cpu") == expected)
            back = view.to_device("cpu")
            assert back.dtype is x.dtype
            assert xp.all(back == expected)
    for device in ("npu:0", "npu:1"):
        z = x.to_device(device)
        for duplicate in (xp.asarray(z, copy=True), copy.copy(z), copy.deepcopy(z)):
            assert duplicate.device == device
            assert xp.all(duplicate.to_device("cpu") == x)
            assert xp.to_torch(duplicate).data_ptr() != xp.to_torch(z).data_ptr()


OFTEN = set(
    "add sin hypot where clip sum argmax cumulative_sum sort unique_all nonzero take concat roll "
    "repeat astype ones_like full_like matmul tensordot linalg.vector_norm fft.rfft diff tril isin "
    "linalg.inv fft.fft sign __getitem__ __setitem__ __pow__ __radd__ __floordiv__ __mod__".split()
)


def called_on(device: str) -> Iterator[tuple[str, Any]]:
    """Call functions on a device, all in `make nightly`; give the results as they are there."""
    for name, function in FUNCTIONS.items():
        if name.startswith("empty") or not (name.removeprefix("Array.") in OFTEN or everything()):
            continue
        calls = [c for c in function.calls if not c.moves and "float32" in function.dtypes]
        for call in calls[:1] if name.rpartition(".")[2] not in LONG else ():
            inputs = call.inputs(Seeded("float32", name))
            given = [converted(xp, x, lambda x: xp.asarray(x, device=device)) for x in inputs]
            try:
                made = call.bound(xp)(*given)
            except ValueError:  # the call itself makes arrays
                with xp.options(device=device):
                    made = call.bound(xp)(*given)
            for result in made if isinstance(made, tuple) else (made,):
                if any(isinstance(x, xp.Array) for x in given) and isinstance(result, xp.Array):
                    yield name, result


@QUIET_TORCH_NPU
@needs_two_devices
def test_results_are_on_the_device_of_the_inputs() -> None:
    """They are those of the current device, and that stays what it is."""
    with xp.options(host_fallback="allow"):
        pairs = zip(called_on("npu:1"), called_on("npu:0"), strict=True)
        found = [(name, y.device, to_numpy(y), to_numpy(x)) for (name, y), (_, x) in pairs]
    wrong = [name for name, device, _, _ in found if device != "npu:1"]
    wrong += [n for n, _, y, x in found if not np.array_equal(y, x, equal_nan=y.dtype.kind in "fc")]
    assert not wrong
    assert len(found) > 20
    assert torch.npu.current_device() == 0


@needs_two_devices
def test_in_place_on_the_device_that_is_not_current() -> None:
    x = xp.asarray([1.0, 2.0, 3.0], device="npu:1")
    tensor = xp.to_torch(x)
    x += 1
    x *= xp.asarray(2.0, device="npu:1")
    x **= 2
    x[0] = 5
    x[x > 50] = 0.5
    x[xp.asarray([1], device="npu:1")] = x[0]
    assert xp.to_torch(x) is tensor
    assert to_numpy(x).tolist() == [5.0, 5.0, 0.5]
    assert torch.npu.current_device() == 0


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "bool", "uint64", "complex64"])
def test_pickles_are_made_without_warnings(dtype: str, capfd: pytest.CaptureFixture[str]) -> None:
    for device in DEVICES:
        x = xp.astype(xp.asarray([[1, 0], [0, 3]], device=device), getattr(xp, dtype))[:, 1]
        y = pickle.loads(pickle.dumps(x))
        assert y.device is x.device
        assert y.dtype is x.dtype
        assert bool(xp.all(x == y))
    assert "arning" not in capfd.readouterr().err


def test_the_doctor_knows_the_npus() -> None:
    report = diagnosis.diagnose()
    assert report["default_device"] == "npu:0"
    assert report["torch_npu"]["imported"]
    assert report["problems"] == []
    npus = [d for d in report["devices"] if d["type"] == "npu"]
    assert [d["name"] for d in npus] == [f"npu:{i}" for i in range(torch.npu.device_count())]
    for device in npus:
        assert "Ascend" in device["model"]
        assert device["memory"] > 2**30
        assert f"{device['name']:16}{device['model']}" in diagnosis.render(report)


# --- memory ---------------------------------------------------------------------------------------

BIG = 6_000_000
"""The elements of a float32 array that no free block of torch_npu's cache holds."""


@contextmanager
def no_memory(device: int = 0) -> Iterator[None]:
    """Let a device have no more memory than it uses."""
    gc.collect()  # what earlier tests left would be given back in the midst
    torch.npu.synchronize()
    torch.npu.empty_cache()
    EMULATOR.limit_memory(1, device)
    # A block in which something lives still, of whatever test, is not given back.
    rests = []
    for size in (BIG * 4, BIG, 1 << 20):
        with suppress(torch.OutOfMemoryError):
            while True:
                rests.append(torch.empty(size, dtype=torch.uint8, device=f"npu:{device}"))
    try:
        yield
    finally:
        EMULATOR.limit_memory(None, device)


# The operation that the error names, what it does with a big array, what the error says of it.
SHAPE = rf"float32 of shape \({BIG},\)"
FULL: dict[str, tuple[str, Any, str]] = {
    "add": ("add", lambda x: xp.add(x, x), SHAPE),
    "scalar": (r"\+|add", lambda x: x + 1.5, SHAPE),
    "reflected": (r"\-|subtract", lambda x: 1.5 - x, SHAPE),
    "sin": ("sin", xp.sin, SHAPE),
    "compare": ("<|less", lambda x: x < x, SHAPE),
    "where": ("where", lambda x: xp.where(x[:1] > 0, x, x), SHAPE),
    "zeros": ("zeros", lambda x: xp.zeros(BIG), rf"float32, \({BIG},\)|\({BIG},\), float32"),
    "empty": ("empty", lambda x: xp.empty(BIG), rf"float32, \({BIG},\)"),
    "full": ("full", lambda x: xp.full(BIG, 1.5), rf"\({BIG},\)"),
    "arange": ("arange", lambda x: xp.arange(BIG), str(BIG)),
    "eye": ("eye", lambda x: xp.eye(4000), "4000"),
    "asarray": ("asarray", lambda x: xp.asarray(np.zeros(BIG)), f"float64 of shape .{BIG},."),
    "copy": ("clone", lambda x: xp.asarray(x, copy=True), SHAPE),
    "to_device": ("to_device", lambda x: xp.zeros(BIG, device="cpu").to_device("npu:0"), SHAPE),
    "cumulative_sum": ("cumulative_sum", xp.cumulative_sum, SHAPE),
    "sum": ("sum", lambda x: xp.sum(xp.reshape(x, (-1, 1)), axis=1), "float32"),
    "sort": ("sort|argsort", xp.sort, "float32"),
    "concat": ("concat", lambda x: xp.concat([x, x]), rf"{SHAPE}, {SHAPE}"),
    "roll": ("roll", lambda x: xp.roll(x, 3), SHAPE),
    "tile": ("tile", lambda x: xp.tile(x, (3,)), SHAPE),
    "matmul": (
        "matmul",
        lambda x: xp.matmul(xp.reshape(x, (-1, 1)), xp.reshape(x, (1, -1))[:, :8]),
        "float32 of shape",
    ),
    "@": ("@|matmul", lambda x: xp.reshape(x, (-1, 1)) @ xp.reshape(x, (1, -1))[:, :8], "float32"),
    "step": ("flip", lambda x: x[::-1], SHAPE),
    "mask": ("", lambda x: x[x[:1].to_device("cpu").to_device("npu:0") == x], "float32"),
    "nonzero": ("nonzero", xp.nonzero, "float32"),
}


@needs_emulator
@pytest.mark.parametrize("case", others_nightly(FULL, 4))
def test_out_of_memory(case: str) -> None:
    name, function, what = FULL[case]
    x = xp.ones(BIG, device="npu:0")
    small = xp.asarray([1.0, 2.0], device="npu:0")
    for attempt in range(2):  # the second time by the fast path
        with no_memory(), pytest.raises(
            MemoryError, match=rf"(?s)^({name or '.*'}): out of memory on npu:0.*{what}.*"
            r"NPU out of memory. Tried to allocate [\d.]+ [MG]iB"
        ):  # fmt: skip
            function(x)
        assert to_numpy(small + small).tolist() == [2.0, 4.0]
        assert float(x[BIG // 2]) == 1
        if case in {"matmul", "@", "mask", "nonzero", "sort"}:
            break
        if attempt == 0 and case not in {"tile", "eye"}:
            function(x)  # all is well again


@needs_emulator
def test_out_of_memory_names_the_function_at_its_first_call_and_later() -> None:
    x = xp.ones(BIG, device="npu:0")
    for op, function, name in (
        (CAST, lambda: xp.astype(x, xp.int32), "astype"),
        (elementwise.multiply, lambda: xp.linalg.outer(x, x[:4]), "outer"),
    ):
        op.clear()  # as no call has asked for its kernel
        for _ in range(2):
            with no_memory(), pytest.raises(MemoryError, match=rf"^{name}: out of memory on npu:0"):
                function()
            assert float(x[BIG // 2]) == 1
            function()  # all is well again


IN_PLACE: dict[str, Any] = {
    "+=": lambda x, y: x.__iadd__(y),
    "/=": lambda x, y: x.__itruediv__(y),
    "//=": lambda x, y: x.__ifloordiv__(y),
    "%=": lambda x, y: x.__imod__(y),
    "**=": lambda x, y: x.__ipow__(y),
    "+= itself reversed": lambda x, y: x.__iadd__(x[::-1]),
    "[...]": lambda x, y: x.__setitem__(..., x[::-1]),
    "[::-1]": lambda x, y: x.__setitem__(slice(None, None, -1), y),
    "[mask]": lambda x, y: x.__setitem__(y > 0, 7.0),
    "[mask] array": lambda x, y: x.__setitem__(y > 0, y),
}


@needs_emulator
@pytest.mark.parametrize("case", others_nightly(IN_PLACE, 3))
def test_in_place_without_memory_changes_all_or_nothing(case: str) -> None:
    numbers = np.arange(1.0, BIG + 1, dtype=np.float32)
    x, y = xp.asarray(numbers), xp.full(BIG, 2.0)
    before = xp.to_torch(x)
    with no_memory():
        try:
            IN_PLACE[case](x, y)
        except MemoryError:
            assert np.array_equal(to_numpy(x), numbers)
        else:
            assert not np.array_equal(to_numpy(x), numbers)
    assert xp.to_torch(x) is before


@needs_emulator
@needs_two_devices
def test_memory_of_one_device_is_not_that_of_another() -> None:
    x = xp.ones(BIG, device="npu:1")
    with no_memory(1):
        with pytest.raises(MemoryError, match="add: out of memory on npu:1 for float32"):
            xp.add(x, x)
        with pytest.raises(MemoryError, match="to_device: out of memory on npu:1"):
            xp.zeros(BIG, device="npu:0").to_device("npu:1")
        assert float(xp.sum(xp.ones(BIG, device="npu:0"))) == BIG


# --- DLPack ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", list(INFO.dtypes()))
def test_from_dlpack_of_our_arrays(device: str, name: str) -> None:
    x = xp.astype(xp.asarray([0, 1, 2, 3], device="cpu"), DTYPES[name]).to_device(device)
    address = xp.to_torch(x).data_ptr()
    for copied in (None, False):
        y = xp.from_dlpack(x, copy=copied)
        assert xp.to_torch(y).data_ptr() == address
    y = xp.from_dlpack(x, copy=True)
    assert xp.to_torch(y).data_ptr() != address
    assert y.device == device
    for z in (xp.from_dlpack(x, device="cpu"), xp.from_dlpack(x, device="cpu", copy=True)):
        assert z.device == "cpu"
        assert z.dtype is x.dtype
        assert xp.all(z == x.to_device("cpu"))
    with pytest.raises(ValueError, match="copy is False"):
        xp.from_dlpack(x, device="cpu", copy=False)
    # A device of ours as the target of an array on the CPU.
    assert xp.from_dlpack(x.to_device("cpu"), device=device).device == device
    assert xp.from_dlpack(np.arange(3), device=device).device == device


class Foreign:
    """An array of another library, which has the protocol and nothing else."""

    def __init__(self, x: xp.Array, keywords: bool = True) -> None:
        self.x, self.keywords = x, keywords
        self.asked: list[dict[str, Any]] = []

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, index = self.x.__dlpack_device__()
        return int(kind), index

    def __dlpack__(self, **keywords: Any) -> Any:
        self.asked.append(keywords)
        if not self.keywords and set(keywords) - {"stream"}:
            raise TypeError("unexpected keyword")
        return self.x.__dlpack__(**keywords)


@pytest.mark.parametrize("device", DEVICES)
def test_from_dlpack_of_other_libraries(device: str) -> None:
    x = xp.asarray([1.0, 2.0, 3.0], device=device)
    for keywords in (True, False):
        for take in (xp.from_dlpack, xp.asarray):
            y = take(Foreign(x, keywords))
            assert y.device == device
            # Before version 1.0 a producer could not say that its memory may be written to.
            assert (xp.to_torch(y).data_ptr() == xp.to_torch(x).data_ptr()) == keywords
            y = take(Foreign(x, keywords), copy=True)
            assert xp.to_torch(y).data_ptr() != xp.to_torch(x).data_ptr()
            assert to_numpy(y).tolist() == [1, 2, 3]
            y = take(Foreign(x, keywords), device="cpu")
            assert y.device == "cpu"
            assert to_numpy(y).tolist() == [1, 2, 3]
            with pytest.raises(ValueError, match="copy is False"):
                take(Foreign(x, keywords), device="cpu", copy=False)
    foreign = Foreign(x)
    xp.from_dlpack(foreign, device="cpu")
    assert foreign.asked == [{"max_version": (1, 0), "dl_device": (1, 0)}], "the producer copies"


@pytest.mark.parametrize("device", DEVICES)
def test_tensors_of_torch_npu(device: str) -> None:
    """Although torch_npu gives tensors a __dlpack_device__ that raises for its own devices."""
    t = torch.arange(4.0, device=device)
    for take in (xp.from_dlpack, xp.asarray):
        x = take(t)
        assert x.device == device
        assert xp.to_torch(x).data_ptr() == t.data_ptr()
        x += 1
        assert xp.to_torch(take(t, copy=True)).data_ptr() != t.data_ptr()
        on_host = take(t, device="cpu")
        assert on_host.device == "cpu"
        with pytest.raises(ValueError, match="copy is False"):
            take(t, device="cpu", copy=False)
    assert t.tolist() == [2, 3, 4, 5]


@pytest.mark.parametrize("device", DEVICES)
def test_to_dlpack(device: str) -> None:
    x = xp.asarray([[1.0, 2.0], [3.0, 4.0]], device=device)
    index = int(device[-1])
    for keywords in ({}, {"dl_device": (12, index)}, {"copy": False}, {"max_version": (1, 0)}):
        t = torch._C._from_dlpack(x.__dlpack__(**keywords))
        assert t.device == torch.device(device)
        assert t.data_ptr() == xp.to_torch(x).data_ptr()
    t = torch._C._from_dlpack(x.__dlpack__(copy=True))
    assert t.data_ptr() != xp.to_torch(x).data_ptr()
    t = torch._C._from_dlpack(x.T.__dlpack__(dl_device=(1, 0)))
    assert t.device.type == "cpu"
    assert t.tolist() == [[1, 3], [2, 4]]
    assert "dltensor_versioned" in repr(x.__dlpack__(max_version=(1, 0)))
    assert "dltensor_versioned" not in repr(x.__dlpack__())
    with pytest.raises(BufferError, match="copy is False"):
        x.__dlpack__(dl_device=(1, 0), copy=False)
    for other in ((12, 1 - index), (2, 0), (1, 1)):
        with pytest.raises(BufferError, match=r"allowed are \(12, \d\) and the CPU, \(1, 0\)"):
            x.__dlpack__(dl_device=other)
    with pytest.raises(BufferError, match="autograd"):
        xp.asarray(torch.ones(2, device=device, requires_grad=True)).__dlpack__()


@pytest.mark.parametrize("device", DEVICES)
def test_numpy_cannot_reach_an_npu(device: str) -> None:
    x = xp.asarray([1.0, 2.0], device=device)
    for take in (np.asarray, np.array, np.from_dlpack):
        # The capsule is right, so that it is up to NumPy to refuse the device: it raises this.
        with pytest.raises(RuntimeError if take is np.from_dlpack else TypeError):
            take(x)
        assert take(x.to_device("cpu")).tolist() == [1, 2]
    assert np.from_dlpack(x, device="cpu").tolist() == [1, 2], "NumPy asks for a copy on the CPU"
    with pytest.raises(TypeError, match=r'to_device\("cpu"\)'):
        np.asarray(x)


# --- leaks ----------------------------------------------------------------------------------------


def work(device: str, rounds: int) -> float:
    """Expressions of all kinds, some of which fail halfway; return a number to check."""
    x = xp.asarray([[1.0, 2.0], [3.0, 4.0]], device=device)
    i = xp.asarray([1, 0], device=device)
    kept = 0.0
    for round_ in range(rounds):
        y = xp.sin(x) * 2 + x @ x - xp.sum(x, axis=0)
        y[i, :] = xp.flip(y)
        y += xp.where(y > 1, y, float(round_ % 7))
        xp.sort(xp.unique_values(xp.concat([y, y]))[::-1])
        for wrong in (
            lambda y: (y + y) + xp.ones(3, device=device),
            lambda y: xp.sum(y * y, axis=5),
            lambda y: (y * 2) @ xp.ones(3, device=device),
            lambda y: (y - 1)[xp.asarray([1.5], device=device)],
            lambda y: xp.add(y / 2, "nothing"),
        ):
            try:
                wrong(y)
            except (ValueError, TypeError, IndexError):
                continue
            raise AssertionError("no error")
        kept = float(x[1, 1])
    return kept


ROUNDS = 1000


def live(device: int) -> tuple[int, int]:
    gc.collect()
    torch.npu.synchronize(device)
    torch.npu.empty_cache()
    return torch.npu.memory_allocated(device), EMULATOR.memory_of(device).used


def tables() -> int:
    """How many kernels and specs are remembered."""
    from ascend_array_api._devices import device as _devices

    specs = sum(len(d._specs) for d in _devices._devices.values())
    return specs + sum(len(op.kernels) for op in OPS.values())


@pytest.mark.nightly
@needs_emulator
def test_expressions_and_errors_leave_nothing() -> None:
    device = DEVICES[-1]
    index = int(device[-1])
    assert work(device, 5) == 4.0  # kernels are found, caches are filled
    before, known = live(index), tables()
    tracemalloc.start(5)
    try:
        work(device, 5)
        gc.collect()
        python, objects = tracemalloc.get_traced_memory()[0], len(gc.get_objects())
        work(device, ROUNDS)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - python
        more = len(gc.get_objects()) - objects
    finally:
        tracemalloc.stop()
    assert live(index) == before
    assert tables() == known
    # Of the 5,000 errors and 40,000 arrays nothing is kept; strings come and go.
    assert more < 60
    assert grown < 200_000


@pytest.mark.nightly
@needs_emulator
def test_threads_leave_nothing() -> None:
    work(DEVICES[0], 2)
    work(DEVICES[-1], 2)
    before = [live(int(d[-1])) for d in DEVICES]
    done: list[float] = []
    threads = [
        threading.Thread(target=lambda d=d: done.append(work(d, 300))) for d in (*DEVICES, *DEVICES)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=300)
    assert done == [4.0] * len(threads)
    del threads
    assert [live(int(d[-1])) for d in DEVICES] == before


@pytest.mark.nightly
@needs_emulator
def test_failed_allocations_leave_nothing() -> None:
    x = xp.ones(BIG, device="npu:0")
    before = live(0)
    with no_memory():
        for _ in range(200):
            for function in (lambda: x + x, lambda: xp.sum(x * 2 + 1), lambda: x @ (x + 1.0)):
                with pytest.raises(MemoryError):
                    function()
    assert live(0) == before
    for nth in range(1, 9):  # in the midst of an expression
        torch.npu.empty_cache()
        EMULATOR.fail_allocation(nth, count=3)
        try:
            xp.cumulative_sum(xp.sqrt(x * x + x) - x)
        except MemoryError:
            pass
        finally:
            EMULATOR.fail_allocation(count=0)
        assert live(0) == before
        assert to_numpy(x).min() == to_numpy(x).max() == 1


@pytest.mark.nightly
@needs_emulator
def test_a_forked_process_is_told_to_be_spawned() -> None:
    """It would wait for ever for what the device's threads of the other process were to do."""
    program = """
import os

x, y = xp.asarray([1.0, 2.0]), xp.asarray([3.0], device="cpu")
i, u = xp.asarray([1, 2]), xp.asarray([1, 2], dtype=xp.uint8)
x + 1, x + x, -x, i + 1, u + 1
read, write = os.pipe()
if os.fork() == 0:
    for call in (
        lambda: x + x, lambda: x + 1, lambda: x + 1, lambda: xp.sin(x), lambda: float(x[0]),
        lambda: x.to_device("cpu"), lambda: repr(x), lambda: xp.zeros(2), lambda: bool(x[1]),
        lambda: y.to_device("npu:0"), lambda: xp.asarray([1.0]), lambda: x.__setitem__(0, 1.0),
    ):
        try:
            call()
        except xp.DeviceError as error:
            assert "forked" in str(error) and "spawn" in str(error)
            os.write(write, b"told ")
    for call in (lambda: i + 1.5, lambda: i + True, lambda: u + 300, lambda: xp.add(u, -1)):
        try:
            call()
        except (TypeError, OverflowError):  # as on any device
            os.write(write, b"refused ")
    os.write(write, str(float((y + y)[0])).encode())
    os._exit(0)
os.close(write)
said = os.fdopen(read).read()
assert said == "told " * 12 + "refused " * 4 + "6.0", said
assert float(x[0]) == 1
"""
    script(program)
