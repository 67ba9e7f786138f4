"""Devices: their names, creation on them, and that arrays on different ones never mix.

Where there is one device only, torch's "meta" device, which holds no data, stands for a second one:
what is refused must be refused before anything is computed.
"""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from parametrize import listing

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
    assert device == device.torch_device
    assert device.torch_device == device != torch.device("meta")
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
    with xp.options(device=INFO.devices()[-1]):
        assert xp.zeros(1).device is INFO.default_device() is INFO.devices()[-1]
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


# --- creation -------------------------------------------------------------------------------------

CREATION = """
    xp.arange(3,device=d) xp.asarray([1,2],device=d) xp.asarray(1.0,device=d)
    xp.asarray(host,device=d) xp.empty(2,device=d) xp.empty_like(host,device=d) xp.eye(2,device=d)
    xp.from_dlpack(host,device=d) xp.full(2,1,device=d) xp.full(2,xp.sum(host),device=d)
    xp.full_like(host,1,device=d) xp.linspace(0,1,3,device=d) xp.ones(2,device=d)
    xp.ones_like(host,device=d) xp.zeros(2,device=d) xp.zeros_like(host,device=d)
    xp.astype(host,xp.int8,device=d) host.to_device(d) xp.fft.fftfreq(4,device=d)
    xp.fft.rfftfreq(4,device=d)
"""


@pytest.mark.parametrize("device", INFO.devices(), ids=str)
@listing("code", CREATION.split())
def test_creation_on_a_named_device(code: str, device: xp.Device) -> None:
    names = {"xp": xp, "host": xp.zeros(2, device="cpu")}
    with xp.options(device=INFO.devices()[0]):
        for spelled in (device, str(device), device.torch_device):
            x = eval(code, {**names, "d": spelled})
            assert x.device is device
            assert xp.to_torch(x).device == device.torch_device
    with pytest.raises(ValueError, match="there is no device 'nowhere'"):
        eval(code, {**names, "d": "nowhere"})


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


FLOATING = """
    xp.add(a,b) xp.atan2(a,b) xp.copysign(a,b) xp.divide(a,b) xp.equal(a,b) xp.floor_divide(a,b)
    xp.greater(a,b) xp.greater_equal(a,b) xp.hypot(a,b) xp.less(a,b) xp.less_equal(a,b)
    xp.logaddexp(a,b) xp.maximum(a,b) xp.minimum(a,b) xp.multiply(a,b) xp.nextafter(a,b)
    xp.not_equal(a,b) xp.pow(a,b) xp.remainder(a,b) xp.subtract(a,b) a+b a-b a*b a/b a//b a%b a**b
    a<b a==b a!=b a.__radd__(b) a.__iadd__(b) a.__imul__(b) xp.clip(a,b,None) xp.clip(a,None,b)
    xp.where(a>0,a,b) xp.isin(a,b) a.__setitem__(...,b)
"""
INTEGER = """
    xp.bitwise_and(a,b) xp.bitwise_left_shift(a,b) xp.bitwise_or(a,b) xp.bitwise_right_shift(a,b)
    xp.bitwise_xor(a,b) a&b a<<b
"""
BOOLEAN = """
    xp.logical_and(a,b) xp.logical_or(a,b) xp.logical_xor(a,b) a.__ior__(b) xp.where(a,b,b)
"""
PAIRS = [
    (code, dtype)
    for codes, dtype in ((FLOATING, xp.float32), (INTEGER, xp.int32), (BOOLEAN, xp.bool))
    for code in codes.split()
]
VECTORS = """
    xp.concat([a,b]) xp.stack([a,b]) xp.meshgrid(a,b) xp.broadcast_arrays(a,b)
    xp.searchsorted(a,b) xp.take(a,xp.astype(b,xp.int64)) a[xp.astype(b,xp.int64)] a[b>0]
    xp.take_along_axis(a,xp.astype(b,xp.int64)) a.__setitem__(b>0,1.0) xp.diff(a,append=b)
    xp.repeat(a,xp.astype(b,xp.int64)) xp.vecdot(a,b) xp.matmul(a,b) a@b xp.linalg.outer(a,b)
    xp.tensordot(a,b,axes=1) xp.linalg.cross(a,b) xp.asarray([a,b])
    xp.linalg.solve(xp.eye(3,device=a.device)+a,b)
"""


@listing("code, dtype", PAIRS)
def test_pairs_on_two_devices_are_refused(code: str, dtype: torch.dtype) -> None:
    for shape1, shape2 in (((3,), (3,)), ((3,), ()), ((), ())):
        a, b = here(*shape1, dtype=dtype), elsewhere(*shape2, dtype=dtype)
        for x, y in ((a, b), (b, a)):
            both = rf"(?=.*{x.device})(?=.*{y.device})"
            with pytest.raises(ValueError, match=rf"on different devices \({both}.* to_device"):
                eval(code, {"xp": xp, "a": x, "b": y})
        assert not xp.any(xp.astype(a, xp.bool))


@listing("code", VECTORS.split())
def test_vectors_on_two_devices_are_refused(code: str) -> None:
    with pytest.raises(ValueError, match="on different devices .* to_device"):
        eval(code, {"xp": xp, "a": here(3), "b": elsewhere(3)})
