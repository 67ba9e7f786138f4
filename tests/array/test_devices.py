"""Devices: their names, creation on them, and that arrays on different ones never mix.

Where there is one device only, torch's "meta" device, which holds no data, stands for a second one:
what is refused must be refused before anything is computed.
"""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import pytest

import ascend_array_api as xp
from ascend_array_api._arrays.array import wrap
from ascend_array_api._torch import torch

pytestmark = pytest.mark.npu

INFO = xp.__array_namespace_info__()
ACCELERATORS = [d for d in INFO.devices() if d != "cpu"]

# --- the device object ----------------------------------------------------------------------------


@pytest.mark.parametrize("device", INFO.devices(), ids=str)
def test_device_objects(device: xp.Device) -> None:
    assert repr(device) == f"Device({str(device)!r})"
    assert device == str(device)
    assert str(device) == device
    assert hash(device) == hash(str(device))
    assert device != "nothing"
    assert device != 3
    assert device in INFO.devices()
    for same in (copy.copy(device), copy.deepcopy(device), pickle.loads(pickle.dumps(device))):
        assert same is device
    assert device.type in {"cpu", "npu", "cuda"}
    assert (device.index is None) == (device.type == "cpu")
    for name in (device, str(device), device.torch_device):
        assert xp.zeros(1, device=name).device is device


def test_the_default_device() -> None:
    default = INFO.default_device()
    assert default in INFO.devices()
    assert xp.zeros(1).device is default
    if not any(d.type == "npu" for d in ACCELERATORS):
        with xp.options(device="cpu"):
            assert xp.asarray([1]).device == "cpu"


@pytest.mark.parametrize("name", ["tpu", "cpu:1", "cuda:99", "cuda:x", "", "npu:-1", "meta"])
def test_devices_that_do_not_exist(name: str) -> None:
    for make in (xp.zeros, xp.asarray, xp.arange):
        with pytest.raises(ValueError, match=f"there is no device '{name}'. Usable here: 'cpu'"):
            make(1, device=name)
    with pytest.raises(ValueError, match="to_device: there is no device"):
        xp.zeros(1).to_device(name)
    with pytest.raises(ValueError, match="options: there is no device"), xp.options(device=name):
        pass


def test_options_are_local_and_nest() -> None:
    other = INFO.devices()[-1]
    before = INFO.default_device()
    seen: list[Any] = []
    with xp.options(device=other):
        assert xp.zeros(1).device is other
        with xp.options(device="cpu"):
            assert xp.zeros(1).device == "cpu"
        assert INFO.default_device() is other
        thread = threading.Thread(target=lambda: seen.append(INFO.default_device()))
        thread.start()
        thread.join()
    assert seen == [before]
    assert INFO.default_device() is before
    with pytest.raises(KeyError), xp.options(device=other):
        raise KeyError
    assert INFO.default_device() is before


# --- creation -------------------------------------------------------------------------------------

CREATION = {
    "arange": lambda d: xp.arange(3, device=d),
    "asarray": lambda d: xp.asarray([1, 2], device=d),
    "asarray_scalar": lambda d: xp.asarray(1.0, device=d),
    "asarray_array": lambda d: xp.asarray(xp.zeros(2, device="cpu"), device=d),
    "empty": lambda d: xp.empty(2, device=d),
    "empty_like": lambda d: xp.empty_like(xp.zeros(2, device="cpu"), device=d),
    "eye": lambda d: xp.eye(2, device=d),
    "from_dlpack": lambda d: xp.from_dlpack(xp.zeros(2, device="cpu"), device=d),
    "full": lambda d: xp.full(2, 1, device=d),
    "full_array": lambda d: xp.full(2, xp.asarray(1, device="cpu"), device=d),
    "full_like": lambda d: xp.full_like(xp.zeros(2, device="cpu"), 1, device=d),
    "linspace": lambda d: xp.linspace(0, 1, 3, device=d),
    "ones": lambda d: xp.ones(2, device=d),
    "ones_like": lambda d: xp.ones_like(xp.zeros(2, device="cpu"), device=d),
    "zeros": lambda d: xp.zeros(2, device=d),
    "zeros_like": lambda d: xp.zeros_like(xp.zeros(2, device="cpu"), device=d),
    "astype": lambda d: xp.astype(xp.zeros(2, device="cpu"), xp.int8, device=d),
    "to_device": lambda d: xp.zeros(2, device="cpu").to_device(d),
    "fftfreq": lambda d: xp.fft.fftfreq(4, device=d),
    "rfftfreq": lambda d: xp.fft.rfftfreq(4, device=d),
}


@pytest.mark.parametrize("name", CREATION)
@pytest.mark.parametrize("device", INFO.devices(), ids=str)
def test_creation_on_a_named_device(name: str, device: xp.Device) -> None:
    with xp.options(device=INFO.devices()[0]):
        for spelled in (device, str(device), device.torch_device):
            x = CREATION[name](spelled)
            assert x.device is device
            assert xp.to_torch(x).device == device.torch_device
    with pytest.raises(ValueError, match="there is no device 'nowhere'"):
        CREATION[name]("nowhere")


@pytest.mark.parametrize("device", INFO.devices(), ids=str)
def test_astype_on_a_named_device_converts(device: xp.Device) -> None:
    for x in (xp.asarray([0.0, 1.5, -2.5]), xp.asarray([0.0, 1.5, -2.5], device="cpu")):
        for dtype, values in ((xp.int8, [0, 1, -2]), (xp.float32, [0.0, 1.5, -2.5])):
            y = xp.astype(x, dtype, device=device)
            assert (y.dtype, y.device) == (dtype, device)
            assert xp.to_torch(y).dtype is dtype
            assert xp.to_torch(y).tolist() == values


def test_to_device() -> None:
    x = xp.zeros(2)
    assert x.to_device(x.device) is x
    assert x.to_device(str(x.device)) is x
    with pytest.raises(TypeError, match="to_device: device must be"):
        x.to_device(1)
    if x.device == "cpu":
        with pytest.raises(ValueError, match=r"no streams, so stream must be None, not 1\."):
            x.to_device("cpu", stream=1)


@pytest.mark.skipif(not ACCELERATORS, reason="there is the CPU only")
@pytest.mark.parametrize("name", list(INFO.dtypes()))
def test_to_an_accelerator_and_back(name: str) -> None:
    x = xp.astype(xp.asarray([0, 1, 2], device="cpu"), getattr(xp, name))
    y = x.to_device(ACCELERATORS[0])
    assert y.device is ACCELERATORS[0]
    assert (y + y if name != "bool" else y).device is y.device
    assert xp.all(y.to_device("cpu") == x)
    with pytest.raises(TypeError, match=r'to_device\("cpu"\)'):
        y.__array__()


# --- arrays on two devices ------------------------------------------------------------------------


def elsewhere(*shape: int, dtype: Any = xp.float32) -> xp.Array:
    """An array on a device that is not the one of ``here``."""
    if ACCELERATORS:
        return xp.zeros(shape, dtype=dtype, device=ACCELERATORS[-1])
    return wrap(torch.zeros(shape, dtype=dtype, device="meta"))


def here(*shape: int, dtype: Any = xp.float32) -> xp.Array:
    """An array on the other accelerator, or on the CPU where there is one at most."""
    return xp.zeros(shape, dtype=dtype, device=INFO.devices()[-2:][0] if ACCELERATORS else "cpu")


BINARY = (
    "add atan2 copysign divide equal floor_divide greater greater_equal hypot less less_equal "
    "logaddexp maximum minimum multiply nextafter not_equal pow remainder subtract"
).split()
INTEGER = "bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor".split()
LOGICAL = "logical_and logical_or logical_xor".split()
PAIRS: dict[str, Any] = {
    **{n: (getattr(xp, n), xp.float32) for n in BINARY},
    **{n: (getattr(xp, n), xp.int32) for n in INTEGER},
    **{n: (getattr(xp, n), xp.bool) for n in LOGICAL},
    "+": (lambda a, b: a + b, xp.float32),
    "-": (lambda a, b: a - b, xp.float32),
    "*": (lambda a, b: a * b, xp.float32),
    "/": (lambda a, b: a / b, xp.float32),
    "//": (lambda a, b: a // b, xp.float32),
    "%": (lambda a, b: a % b, xp.float32),
    "**": (lambda a, b: a**b, xp.float32),
    "<": (lambda a, b: a < b, xp.float32),
    "==": (lambda a, b: a == b, xp.float32),
    "!=": (lambda a, b: a != b, xp.float32),
    "&": (lambda a, b: a & b, xp.int8),
    "<<": (lambda a, b: a << b, xp.int8),
    "radd": (lambda a, b: a.__radd__(b), xp.float32),
    "iadd": (lambda a, b: a.__iadd__(b), xp.float32),
    "imul": (lambda a, b: a.__imul__(b), xp.float32),
    "ior": (lambda a, b: a.__ior__(b), xp.bool),
    "clip_min": (lambda a, b: xp.clip(a, b, None), xp.float32),
    "clip_max": (lambda a, b: xp.clip(a, None, b), xp.float32),
    "where": (lambda a, b: xp.where(a > 0, a, b), xp.float32),
    "where_condition": (lambda a, b: xp.where(a, b, b), xp.bool),
    "isin": (xp.isin, xp.float32),
    "setitem": (lambda a, b: a.__setitem__(..., b), xp.float32),
}
VECTORS: dict[str, Any] = {
    "concat": lambda a, b: xp.concat([a, b]),
    "stack": lambda a, b: xp.stack([a, b]),
    "meshgrid": xp.meshgrid,
    "broadcast_arrays": xp.broadcast_arrays,
    "searchsorted": xp.searchsorted,
    "take": lambda a, b: xp.take(a, xp.astype(b, xp.int64)),
    "take_along_axis": lambda a, b: xp.take_along_axis(a, xp.astype(b, xp.int64)),
    "getitem": lambda a, b: a[xp.astype(b, xp.int64)],
    "getitem_mask": lambda a, b: a[b > 0],
    "setitem_mask": lambda a, b: a.__setitem__(b > 0, 1.0),
    "repeat": lambda a, b: xp.repeat(a, xp.astype(b, xp.int64)),
    "diff_append": lambda a, b: xp.diff(a, append=b),
    "vecdot": xp.vecdot,
    "matmul": xp.matmul,
    "@": lambda a, b: a @ b,
    "tensordot": lambda a, b: xp.tensordot(a, b, axes=1),
    "outer": xp.linalg.outer,
    "cross": xp.linalg.cross,
    "solve": lambda a, b: xp.linalg.solve(xp.eye(3, device=a.device) + a, b),
    "asarray": lambda a, b: xp.asarray([a, b]),
}


@pytest.mark.parametrize("name", PAIRS)
def test_pairs_on_two_devices_are_refused(name: str) -> None:
    function, dtype = PAIRS[name]
    for shape1, shape2 in (((3,), (3,)), ((3,), ()), ((), ())):
        a, b = here(*shape1, dtype=dtype), elsewhere(*shape2, dtype=dtype)
        for x, y in ((a, b), (b, a)):
            both = rf"(?=.*{x.device})(?=.*{y.device})"
            with pytest.raises(ValueError, match=rf"on different devices \({both}.* to_device"):
                function(x, y)
        assert not xp.any(xp.astype(a, xp.bool))


@pytest.mark.parametrize("name", VECTORS)
def test_vectors_on_two_devices_are_refused(name: str) -> None:
    a, b = here(3), elsewhere(3)
    with pytest.raises(ValueError, match="on different devices .* to_device"):
        VECTORS[name](a, b)
