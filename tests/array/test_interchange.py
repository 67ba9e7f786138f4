"""Arrays from and to Python, NumPy, torch, buffers and DLPack."""

from __future__ import annotations

import array
import copy
import copyreg
import math
import pickle
import weakref
from fractions import Fraction
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from parametrize import listing
from refusals import refused

import ascend_array_api as xp
from ascend_array_api._calls import interchange
from ascend_array_api._devices import device as _devices
from ascend_array_api._torch import torch

NAMES = list(xp.__array_namespace_info__().dtypes())
on_cpu = pytest.mark.skipif(
    xp.__array_namespace_info__().default_device() != "cpu", reason="memory of the host is meant"
)


def shares(x: xp.Array, tensor: torch.Tensor) -> bool:
    return xp.to_torch(x).data_ptr() == tensor.data_ptr()


# --- Python objects -------------------------------------------------------------------------------


@listing(
    "obj, dtype, shape",
    [
        *((True, xp.bool, ()), (1, xp.int64, ()), (1.0, xp.float32, ()), (1j, xp.complex64, ())),
        *(([], xp.float32, (0,)), ([[], []], xp.float32, (2, 0)), ([True, False], xp.bool, (2,))),
        *(([True, 2], xp.int64, (2,)), ([1, 2.0], xp.float32, (2,)), (range(3), xp.int64, (3,))),
        *(([1, 2j], xp.complex64, (2,)), (((1, 2), (3, 4)), xp.int64, (2, 2))),
        (range(0), xp.int64, (0,)),
    ],
)
def test_python_objects(obj: object, dtype: object, shape: object) -> None:
    x = xp.asarray(obj)
    assert x.dtype is dtype
    assert x.shape == shape
    np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), np.array(obj))


@listing("name", [name for name in NAMES if "int" in name])
def test_integers_at_the_ends_of_their_ranges(name: str) -> None:
    dtype, info = getattr(xp, name), np.iinfo(name)
    for make in (lambda v: xp.asarray(v, dtype=dtype), lambda v: xp.asarray([v], dtype=dtype)[0],
                 lambda v: xp.full((1,), v, dtype=dtype)[0]):  # fmt: skip
        assert [int(make(int(v))) for v in (info.min, info.max)] == [info.min, info.max]
        for value in (int(info.min) - 1, int(info.max) + 1):
            with pytest.raises(OverflowError):
                make(value)


def test_too_large_a_float_becomes_infinite() -> None:
    assert float(xp.asarray(1e300)) == float("inf")
    assert float(xp.asarray([-1e300])[0]) == float("-inf")
    assert float(xp.full((), 1e300)) == float("inf")


class Pair(NamedTuple):
    a: xp.Array
    b: xp.Array


def test_sequences_of_arrays() -> None:
    x = xp.asarray([xp.asarray(1.0), 2.0, xp.asarray(3.0)])
    assert x.dtype is xp.float32
    np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), [1, 2, 3])
    y = xp.asarray([[x, x], [x, x]])
    assert y.shape == (2, 2, 3)
    assert xp.asarray(Pair(xp.asarray(1, dtype=xp.int8), xp.asarray(2))).dtype is xp.int64
    with pytest.raises(TypeError, match="do not promote"):
        xp.asarray([xp.asarray(1.0), xp.asarray(1)])
    with pytest.raises(TypeError, match="float 2.5 cannot be combined with an array of int64"):
        xp.asarray([xp.asarray(1), 2.5])
    parameter = torch.nn.Parameter(torch.tensor(2.0, device=x.device.torch_device))
    for made, dtype, values in (
        (xp.asarray([2j, xp.asarray(1.0)]), xp.complex64, [2j, 1]),
        (xp.asarray([xp.asarray(1, dtype=xp.int8), 2]), xp.int8, [1, 2]),
        (xp.asarray([1.5, parameter]), xp.float32, [1.5, 2]),
    ):
        assert made.dtype is dtype
        np.testing.assert_array_equal(xp.to_torch(made).detach().cpu().numpy(), values)
    leaf = torch.tensor(2.0, dtype=torch.float32, requires_grad=True, device="cpu")
    xp.to_torch(xp.asarray([xp.asarray(leaf), xp.asarray(1.0, device="cpu")])).sum().backward()
    assert leaf.grad == 1


REFUSED = r"""
[ValueError]
inhomogeneous | xp.asarray([[1], [1, 2]])
no device 'tpu' | xp.asarray(1, device="tpu")
copy is False | xp.asarray(1, copy=False); xp.asarray([1], copy=False)
copy is False | xp.asarray((1.0,), copy=False)
copy is False | xp.asarray(n, dtype=xp.float64, copy=False)
[OverflowError]
uint64 | xp.asarray([2**63])
: | xp.asarray(2**63); xp.asarray([2**64])
[TypeError]
no bool, int, float or complex | xp.asarray(["a"]); xp.asarray([None])
Python str 'a' | xp.asarray("a")
got None | xp.asarray(None)
object | xp.asarray(object())
dict | xp.asarray({1: 2})
expected an array | xp.asarray({1, 2})
dtype | xp.asarray(1, dtype="float32"); xp.asarray(1, dtype=float); xp.asarray(1, dtype=np.float32)
dtype | xp.asarray(1, dtype=torch.complex32); xp.asarray(1, dtype=1)
device must be | xp.asarray(1, device=3)
copy must be | xp.asarray(1, copy=1)
: | xp.asarray(1j, dtype=xp.float32); xp.asarray([1j], dtype=xp.float32)
: | xp.asarray(np.array([1j]), dtype=xp.float32); xp.asarray(z, dtype=xp.float32)
expected a data type | xp.can_cast(torch.float8_e5m2, xp.float32); xp.finfo(torch.float8_e5m2)
expected a data type | xp.can_cast(xp.float32, torch.float8_e5m2)
expected a data type | xp.result_type(xp.float32, torch.float8_e5m2)
NumPy's data type | xp.asarray(np.array(["a"])); xp.asarray(np.array([None]))
NumPy's data type | xp.asarray(np.array(["2020"], "M8")); xp.asarray(np.zeros(1, "g"))
"""
test_what_is_refused = refused(REFUSED)


# --- arrays and tensors ---------------------------------------------------------------------------


def test_an_array_is_taken_as_it_is() -> None:
    x = xp.asarray([1, 2])
    assert xp.asarray(x) is x
    assert xp.asarray(x, copy=False) is x
    assert xp.asarray(x, dtype=x.dtype, device=x.device, copy=False) is x
    assert not shares(xp.asarray(x, copy=True), xp.to_torch(x))
    assert xp.asarray(x, dtype=xp.float64).dtype is xp.float64
    with pytest.raises(ValueError, match="to become one of float64, but copy is False"):
        xp.asarray(x, dtype=xp.float64, copy=False)


@listing("name", [*NAMES, "float16", "bfloat16"])
def test_torch_tensors_share_memory(name: str) -> None:
    tensor = torch.ones(3, device="cpu").to(getattr(torch, name))
    x = xp.asarray(tensor)
    assert x.dtype is tensor.dtype
    assert x.device == "cpu"
    assert xp.to_torch(x) is tensor
    assert not shares(xp.asarray(tensor, copy=True), tensor)


def test_torch_tensors_that_no_array_can_hold() -> None:
    for tensor in (
        torch.zeros(2, dtype=torch.float8_e5m2, device="cpu"),
        torch.eye(2, dtype=torch.float32, device="cpu").to_sparse(),
    ):
        with pytest.raises(TypeError, match="asarray: a tensor of"):
            xp.asarray(tensor)
    conjugated = torch.tensor([1j], dtype=torch.complex64, device="cpu").conj()
    with pytest.raises(ValueError, match="copy is False"):
        xp.asarray(conjugated, copy=False)
    x = xp.asarray(conjugated)
    assert not xp.to_torch(x).is_conj()
    assert complex(x[0]) == -1j


def test_autograd_is_kept() -> None:
    leaf = torch.ones(3, dtype=torch.float64, device="cpu", requires_grad=True)
    x = xp.asarray(leaf)
    xp.to_torch(xp.sum(xp.exp(x) * x)).backward()
    np.testing.assert_allclose(leaf.grad.numpy(), 2 * np.e)
    y = xp.asarray(leaf, copy=True, dtype=xp.float32)
    assert xp.to_torch(y).grad_fn is not None
    for refuse in (lambda: np.asarray(x), x.__dlpack__):
        with pytest.raises((TypeError, BufferError), match="autograd"):
            refuse()


# --- NumPy ----------------------------------------------------------------------------------------


@on_cpu
@listing("name", [*NAMES, "float16"])
def test_numpy_arrays_share_memory(name: str) -> None:
    values = np.zeros((2, 3), dtype=name)
    for a in (values, values.T, values[:, ::2], values[1]):
        x = xp.asarray(a)
        assert x.dtype is getattr(xp, name)
        assert x.shape == a.shape
        x[...] = True if name == "bool" else 1
        assert (a == 1).all()
        assert np.shares_memory(np.asarray(x), a)
        assert np.shares_memory(np.asarray(xp.asarray(a, copy=False)), a)
        assert not np.shares_memory(np.asarray(xp.asarray(a, copy=True)), a)
        a[...] = 0


def test_numpy_arrays_that_need_a_copy() -> None:
    readonly = np.arange(3)
    readonly.flags.writeable = False
    for a in (np.arange(3)[::-1], np.arange(3).astype(">i8"), readonly, np.float64(1)):
        with pytest.raises(ValueError, match="copy is False"):
            xp.asarray(a, copy=False)
        for c in (None, True):
            np.testing.assert_array_equal(np.asarray(xp.asarray(a, copy=c).to_device("cpu")), a)
    packed = np.zeros(3, dtype=[("a", "i1"), ("b", "f8")])
    packed["b"] = [1, 2, 3]
    np.testing.assert_array_equal(np.asarray(xp.asarray(packed["b"]).to_device("cpu")), [1, 2, 3])


@on_cpu
def test_dunder_array() -> None:
    x = xp.asarray([1.0, 2.0])
    assert np.shares_memory(np.asarray(x), np.asarray(x))
    assert not np.shares_memory(np.array(x), np.asarray(x))
    assert np.asarray(x, dtype="int8").dtype == np.int8
    with pytest.raises(ValueError, match="copy is False"):
        np.asarray(x, dtype="int8", copy=False)
    with pytest.raises(TypeError, match="bfloat16"):
        np.asarray(xp.zeros(1, dtype=xp.bfloat16))


# --- buffers --------------------------------------------------------------------------------------


@on_cpu
def test_buffers_share_memory() -> None:
    numbers = array.array("d", [1, 2, 3])
    x = xp.asarray(numbers)
    assert x.dtype is xp.float64
    x[0] = 7
    assert numbers[0] == 7
    data = bytearray(b"\x01\x02")
    y = xp.asarray(data, copy=False)
    assert y.dtype is xp.uint8
    y[1] = 9
    assert data[1] == 9
    z = xp.asarray(memoryview(b"\x03"))  # read-only: copied
    assert int(z[0]) == 3
    with pytest.raises(ValueError, match="copy is False"):
        xp.asarray(b"\x03", copy=False)


# --- DLPack ---------------------------------------------------------------------------------------


@listing("make", [xp.from_dlpack, xp.asarray])
def test_dlpack_import_shares_memory(make: object) -> None:
    tensor = torch.arange(3, dtype=torch.float32, device="cpu")
    x = make(Exported(tensor.numpy()))
    assert shares(x, tensor)
    assert shares(make(Exported(tensor.numpy()), copy=False), tensor)
    for foreign in (Exported(tensor.numpy()), Exported(tensor.numpy(), old=True)):
        assert not shares(make(foreign, copy=True), tensor)


@on_cpu
@listing("name", NAMES)
def test_dlpack_export_shares_memory(name: str) -> None:
    x = xp.ones((2, 3), dtype=getattr(xp, name))
    a = np.from_dlpack(x)
    assert a.dtype == np.dtype(name)
    assert np.shares_memory(a, np.asarray(x))
    assert not np.shares_memory(np.from_dlpack(x, copy=True), np.asarray(x))
    assert xp.asarray(np.dtype(name).type(1)).dtype is x.dtype
    assert torch.from_dlpack(x).data_ptr() == xp.to_torch(x).data_ptr()
    assert shares(xp.from_dlpack(x), xp.to_torch(x))
    assert tuple(x.__dlpack_device__()) == (1, 0)
    for version in (None, (0, 8), (1, 0), (2, 0)):
        assert type(x.__dlpack__(max_version=version)).__name__ == "PyCapsule"


test_dlpack_that_is_refused = on_cpu(
    refused(r"""
[ValueError]
no streams | v.__dlpack__(stream=1)
[BufferError]
cannot export | v.__dlpack__(dl_device=(2, 0))
[TypeError]
copy must be | v.__dlpack__(copy=1)
^add: | x + np.ones(2); np.ones(2) + x
^multiply: | np.float32(1) * x; x * np.int64(1)
: | xp.add(x, np.ones(2))
^add: | np.add(x, np.ones(2))
""")
)


def test_dlpack_import_that_is_refused() -> None:
    with pytest.raises(AttributeError, match="no __dlpack__"):
        xp.from_dlpack([1])
    readonly = np.arange(3)
    readonly.flags.writeable = False
    with pytest.raises(ValueError, match="copy is False"):
        xp.from_dlpack(readonly, copy=False)
    x = xp.from_dlpack(readonly)
    x[0] = 5
    assert readonly[0] == 0
    assert x.device == "cpu"


# --- copies and pickles ---------------------------------------------------------------------------


def test_a_pickled_view_takes_its_elements_along_alone() -> None:
    x = xp.zeros(100_000)
    assert len(pickle.dumps(x[:2])) < 2_000


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@listing("name", [*NAMES, "bfloat16"])
def test_pickles_of_every_protocol_and_copies(name: str, protocol: int) -> None:
    for x in (
        xp.ones((2, 3), dtype=getattr(xp, name))[::2, 1:],
        xp.ones((), dtype=getattr(xp, name)),
    ):
        for y in (pickle.loads(pickle.dumps(x, protocol)), copy.copy(x), copy.deepcopy(x)):
            assert (y.dtype, y.device, y.shape) == (x.dtype, x.device, x.shape)
            assert xp.all(y == x)
            y[...] = False if name == "bool" else 0
            assert not xp.any(x == y)


def test_states_of_pickles_are_checked() -> None:
    x = xp.asarray([1.0, 2.0], dtype=xp.bfloat16, device="cpu")
    halves = interchange._plainer(x._tensor).numpy()
    for state in ((halves, xp.bfloat16, "cpu"), (halves, xp.bfloat16)):
        y = object.__new__(xp.Array)
        y.__setstate__(state)
        assert y.dtype is xp.bfloat16
        assert bool(xp.all(y == x))
    for state in ((halves, xp.bfloat16, 3), (halves, xp.bfloat16, "cpu", 1), (halves,)):
        with pytest.raises(pickle.UnpicklingError, match="unpickle: "):
            object.__new__(xp.Array).__setstate__(state)
    with pytest.raises(pickle.UnpicklingError):
        object.__new__(xp.Array).__setstate__((torch.ones(1), "float32"))


def test_equal_arrays_have_equal_pickles() -> None:
    joblib = pytest.importorskip("joblib")
    x, y = xp.asarray([1.0, 2.0]), xp.asarray([9.0, 1.0, 9.0, 2.0])[1::2]
    for protocol in range(3, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.dumps(x, protocol) == pickle.dumps(xp.asarray([1.0, 2.0]), protocol)
    assert pickle.DEFAULT_PROTOCOL > 3
    assert joblib.hash(x) == joblib.hash(y)
    assert joblib.hash({"x": [x]}) == joblib.hash({"x": [y]})
    others = x + 1, xp.astype(x, xp.float64), xp.asarray([1, 2]), x[None, :]
    assert len({joblib.hash(z) for z in (x, *others)}) == 5


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs Linux")
def test_joblib_maps_files(tmp_path: Path) -> None:
    joblib = pytest.importorskip("joblib")
    x = xp.reshape(xp.arange(10_000, device="cpu"), (100, 100))
    path = tmp_path / "x.joblib"
    for given in (x, {"x": x}):
        joblib.dump(given, path)
        for mode in (None, "r", "c"):
            read = joblib.load(path, mmap_mode=mode)
            assert _is_mapped(read["x"] if isinstance(given, dict) else read) is (mode == "c")
            y = read["x"] if isinstance(given, dict) else read
            assert y.dtype is x.dtype
            assert xp.all(y == x)
            y[0, 0] = 7  # the file stays as it is
    assert joblib.load(path)["x"][0, 0] == 0
    read = joblib.load(path, mmap_mode="r+")["x"]
    assert _is_mapped(read)
    read[0, 0] = 7
    assert joblib.load(path)["x"][0, 0] == 7


def _is_mapped(x: xp.Array) -> bool:
    """Say whether the memory of an array is that of a mapped file, by Linux's own list."""
    address = xp.to_torch(x).data_ptr()
    for line in Path("/proc/self/maps").read_text().splitlines():
        low, _, high = line.split()[0].partition("-")
        if int(low, 16) <= address < int(high, 16):
            return line.endswith("x.joblib")
    return False


def test_numpys_functions_of_arrays_on_the_cpu() -> None:
    """Which of NumPy's functions give an array, and which a NumPy array: docs/interchange.md."""
    x, n = xp.asarray([1.0, 2.0], device="cpu"), xp.asarray([4], device="cpu")
    for relaxed in (False, True):
        with xp.options(relaxed=relaxed):
            assert type(np.sin(x)) is np.ndarray
            assert type(np.add(x, x)) is type(np.maximum(x, 1.0)) is xp.Array
            assert (type(np.sum(x)) is xp.Array) is relaxed
            for call in (lambda: np.fmax(x, x), lambda: np.gcd(n, n)):
                if relaxed:
                    assert type(call()) is np.ndarray
                else:
                    with pytest.raises(TypeError, match="the namespace has no such function"):
                        call()


@listing(
    "state",
    [
        *((torch.zeros(3), t) for t in (torch.int8, torch.complex128, torch.float8_e5m2)),
        *((torch.zeros(3).to_sparse(), torch.float32), (torch.zeros(4), (2, 2))),
        *((torch.nn.Parameter(torch.zeros(3)), torch.float32), ([1.0], torch.float32)),
        *((torch.zeros(3),), {"_tensor": 1}),
    ],
)
@pytest.mark.filterwarnings(
    "ignore:Sparse invariant checks are implicitly disabled:UserWarning"
)  # torch's own, up to torch 2.11
def test_forged_pickles_are_refused(
    state: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forged(*_: Any) -> Any:
        return copyreg.__newobj__, (xp.Array,), state  # type: ignore[attr-defined]

    monkeypatch.setattr(xp.Array, "__reduce_ex__", forged)
    path = tmp_path / "x.pt"
    torch.save(xp.ones(1), path)
    with torch.serialization.safe_globals([xp.Array]):
        for weights_only in (True, False):
            with pytest.raises(pickle.UnpicklingError, match="an Array is made of a tensor"):
                torch.load(path, weights_only=weights_only)
    with pytest.raises(pickle.UnpicklingError, match="an Array is made of a tensor"):
        pickle.loads(pickle.dumps(xp.ones(1)))


def test_torch_saves_and_loads(tmp_path: Path) -> None:
    path = tmp_path / "x.pt"
    arrays = {name: xp.ones(3, dtype=getattr(xp, name))[1:] for name in (*NAMES, "bfloat16")}
    torch.save({"arrays": arrays, "more": [1, "a"]}, path)
    with pytest.raises(pickle.UnpicklingError, match=r"ascend_array_api\.Array"):
        torch.load(path)
    with torch.serialization.safe_globals([xp.Array]):
        read = torch.load(path)
    moved = torch.load(path, weights_only=False, map_location="meta")["arrays"]
    for name, x in arrays.items():
        y = read["arrays"][name]
        assert y.dtype is x.dtype
        assert xp.all(y == x)
        assert moved[name].device == "meta"
        assert moved[name].dtype is x.dtype


def test_what_takes_part_in_autograd_pickles_as_tensors_do() -> None:
    x = xp.asarray(torch.ones(2, requires_grad=True, device="cpu"))
    assert xp.to_torch(pickle.loads(pickle.dumps(x))).requires_grad


def test_batches_of_a_loader() -> None:
    data = [(xp.asarray([i, i + 1]), {"x": xp.asarray(float(i))}, i) for i in range(4)]
    loader = torch.utils.data.DataLoader(data, batch_size=2)  # type: ignore[arg-type]
    first, second = loader
    assert first[0].shape == (2, 2)
    assert xp.all(second[0] == xp.asarray([[2, 3], [3, 4]]))
    assert xp.all(second[1]["x"] == xp.asarray([2.0, 3.0]))
    assert isinstance(first[0], xp.Array)
    assert isinstance(first[2], torch.Tensor)


@pytest.mark.cpu  # CUDA opens such memory in another process alone
def test_another_process_sees_the_memory() -> None:
    x = xp.zeros(3)
    sent = bytes(ForkingPickler.dumps(x))
    y = pickle.loads(sent)
    y[0] = 5
    assert x[0] == 5


def test_weakref() -> None:
    x = xp.zeros(1)
    r = weakref.ref(x)
    assert r() is x
    del x
    assert r() is None


# --- torch's own functions ------------------------------------------------------------------------

OF_TENSORS = """
    torch.sin(x) torch.stack([x,x]) torch.where(t>0,x,t) torch.nn.functional.relu(x) t.add_(x)
    torch.distributions.Normal(x,1.0) torch.allclose(t,x) t.__setitem__(0,x[0])
    t.index_fill(0,n,1.0)
"""


@pytest.mark.parametrize("code", OF_TENSORS.split())
@listing("relaxed", [False, True])
def test_torchs_functions_say_how_they_take_arrays(code: str, *, relaxed: bool) -> None:
    x, n, t = xp.asarray([1.0, 2.0]), xp.asarray([0, 1]), torch.ones(2, device="cpu")
    names = {"torch": torch, "x": x, "n": n, "t": t}
    said = r"^torch\..*: torch's functions take tensors, .* Write xp.to_torch\(x\)"
    with xp.options(relaxed=relaxed), pytest.raises(TypeError, match=said):
        eval(code, names)
    assert t.tolist() == [1.0, 1.0]


def test_torchs_functions_take_integers_of_arrays_for_sizes() -> None:
    n, t = xp.asarray(2, device="cpu"), torch.arange(4, device="cpu")
    assert torch.zeros(n, device="cpu").shape == (2,)
    assert torch.zeros(n, 3, device="cpu").shape == (2, 3)
    assert torch.zeros((3, n), device="cpu").shape == (3, 2)
    assert t.new_zeros(n, n).shape == (2, 2)
    assert t.reshape(n, n).tolist() == [[0, 1], [2, 3]]
    assert t[:n].tolist() == [0, 1]
    assert not torch.is_tensor(n)


# --- memory that others own -----------------------------------------------------------------------


def read_only(values: np.ndarray) -> np.ndarray:
    values.flags.writeable = False
    return values


class Exported:
    """An array of another library's that NumPy exports; before version 1.0 of DLPack if ``old``."""

    def __init__(self, values: np.ndarray, *, old: bool = False) -> None:
        self.values = values
        self.old = old

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.values.__dlpack_device__()

    def __dlpack__(self, *, stream: object = None, **newer: object) -> object:
        if self.old and newer:
            raise TypeError("unexpected keyword argument")
        return self.values.__dlpack__(stream=stream, **newer)


@on_cpu
@pytest.mark.parametrize("make", [xp.from_dlpack, xp.asarray])
@listing(
    "foreign",
    [
        lambda: read_only(np.arange(3.0)),
        lambda: Exported(read_only(np.arange(3.0))),
        lambda: Exported(np.arange(3.0), old=True),  # it could not say so
        lambda: np.arange(3.0)[::-1],
        lambda: Exported(np.arange(3.0)[::-1]),
        lambda: Exported(np.arange(3.0)[::-1], old=True),
        lambda: Exported(np.arange(6.0).reshape(2, 3)[:, ::-1]),
    ],
)
def test_what_cannot_be_shared_is_copied(make: Any, foreign: Any) -> None:
    foreign = foreign()
    values = getattr(foreign, "values", foreign)
    before = values.copy()
    x = make(foreign)
    np.testing.assert_array_equal(np.asarray(x), before)
    x[...] = 99.0
    np.testing.assert_array_equal(values, before)
    np.testing.assert_array_equal(np.asarray(make(foreign, copy=True)), before)
    reason = ""
    if isinstance(foreign, Exported):
        turned = any(s < 0 for s in values.strides)
        reason = "it has negative strides" if turned else "does not call it writable"
    # The standard asks for ValueError, DLPack for BufferError.
    for error in (ValueError, BufferError):
        with pytest.raises(error, match=f"{reason}.* copy is False"):
            make(foreign, copy=False)


@on_cpu
def test_negative_strides_of_another_namespace_end_no_process() -> None:
    strict = pytest.importorskip("array_api_strict")
    foreign = strict.asarray(np.arange(5.0))[::-1]
    for make in (xp.from_dlpack, xp.asarray):
        np.testing.assert_array_equal(np.asarray(make(foreign)), np.arange(5.0)[::-1])


class Elsewhere(Exported):
    """An array that says to be on an accelerator, and notes what it is asked for."""

    def __init__(self, device: tuple[int, int], *, old: bool = False) -> None:
        super().__init__(np.arange(3.0), old=old)
        self.device = device
        self.asked: dict[str, object] = {}

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, *, stream: object = None, **newer: object) -> object:
        if self.old and newer:
            raise TypeError("unexpected keyword argument")
        self.asked = newer if stream is None else {"stream": stream, **newer}
        return self.values.__dlpack__()


@on_cpu
@pytest.mark.parametrize("make", [xp.from_dlpack, xp.asarray])
@listing("old", [False, True])
def test_an_accelerator_is_told_of_the_stream_that_waits_for_it(
    make: Any, old: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    streams = {(2, 0): 40, (2, 1): 41, (8, 1): None, (1, 0): None}
    backends = [
        SimpleNamespace(dlpack=type_, dlpack_stream=lambda n, t=type_: streams[t, n])
        for type_ in (1, 2, 8)
    ]
    monkeypatch.setattr(_devices.backends, "usable", lambda: backends)
    for device, stream in streams.items():
        foreign = Elsewhere(device, old=old)
        np.testing.assert_array_equal(np.asarray(make(foreign)), foreign.values)
        assert foreign.asked.get("stream") == stream
        assert "dl_device" not in foreign.asked


@on_cpu
def test_an_accelerators_array_is_asked_for_on_the_cpu() -> None:
    for old in (False, True):
        foreign = Elsewhere((8, 0), old=old)
        np.testing.assert_array_equal(
            np.asarray(xp.from_dlpack(foreign, device="cpu")), foreign.values
        )
        assert foreign.asked.get("dl_device") == (None if old else (1, 0))
        with pytest.raises(ValueError, match=r"\(8, 0\) needs a copy to be on the CPU"):
            xp.from_dlpack(foreign, device="cpu", copy=False)
    here = Elsewhere((1, 0))
    assert xp.from_dlpack(here, device="cpu").device == "cpu"
    assert "dl_device" not in here.asked


def test_negative_strides_elsewhere_are_refused() -> None:
    foreign = Elsewhere((8, 0))
    foreign.values = foreign.values[::-1]
    for make in (xp.from_dlpack, xp.asarray):
        with pytest.raises(BufferError, match="negative strides"):
            make(foreign)


@on_cpu
@listing("make", [xp.asarray, xp.from_dlpack])
def test_axes_of_one_element_have_no_direction(make: Any) -> None:
    values = np.zeros((1, 3, 1))[::-1, :, ::-1]
    x = make(values, copy=False)
    x[...] = 2.0
    np.testing.assert_array_equal(values, 2.0)
    assert make(np.zeros((0, 3))[:, ::-1], copy=False).shape == (0, 3)
    for turned in (np.arange(3)[None, ::-1], np.arange(6).reshape(3, 2, 1)[::-1, :, ::-1]):
        np.testing.assert_array_equal(np.asarray(make(turned)), turned)
        with pytest.raises(ValueError, match="copy is False"):
            make(turned, copy=False)


@on_cpu
@listing("make", [xp.asarray, xp.from_dlpack])
def test_elements_that_are_one_in_memory_are_shared(make: Any) -> None:
    one = np.zeros(1)
    for x in (
        make(np.lib.stride_tricks.as_strided(one, (3,), (0,)), copy=False),
        make(Exported(np.lib.stride_tricks.as_strided(one, (2, 3), (0, 0))), copy=False),
    ):
        one[0] += 2.0
        np.testing.assert_array_equal(np.asarray(x), np.full(x.shape, one[0]))


@on_cpu
def test_what_was_broadcast_is_read_only_for_others() -> None:
    x = xp.broadcast_to(xp.ones(1), (3,))
    assert not np.asarray(x).flags.writeable
    assert not np.asarray(x, copy=False).flags.writeable
    assert np.array(x).flags.writeable
    assert np.asarray(xp.ones(3)).flags.writeable
    if xp._calls.interchange._VERSIONED:
        assert not np.from_dlpack(x).flags.writeable
        assert np.from_dlpack(xp.ones(3)).flags.writeable
    with pytest.raises(ValueError, match="copy is False"):
        xp.asarray(np.asarray(x), copy=False)


@pytest.mark.parametrize(
    "obj",
    [
        np.ma.masked_array([1.0, 2.0], [False, True]),
        np.ma.masked_array([1.0, 2.0]),
        np.ma.masked,
        [1.0, np.ma.masked],
        [[1.0, 2.0], np.ma.masked_array([1.0, 2.0], [False, True])],
    ],
    ids=str,
)
@listing("relaxed", [False, True])
def test_no_mask_is_lost(obj: object, relaxed: bool) -> None:
    with xp.options(relaxed=relaxed), pytest.raises(TypeError, match=r"x\.filled\(0\)"):
        xp.asarray(obj)


@listing("code", "bBhHiIlLqQfd")
def test_buffers_of_every_type(code: str) -> None:
    values = array.array(code, [1, 2])
    x = xp.asarray(values)
    assert xp.__array_namespace_info__().dtypes()[np.asarray(values).dtype.name] is x.dtype
    np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), values)


# --- float16 and bfloat16 -------------------------------------------------------------------------


def as_bfloat16(value: float) -> float:
    """Round to the nearest number of eight binary digits, ties to even, in exact arithmetic."""
    if not value or not math.isfinite(value):
        return value
    step = Fraction(2) ** max(math.frexp(value)[1] - 8, -133)
    rounded = abs(float(round(Fraction(value) / step) * step))
    return math.copysign(rounded if rounded < 2.0**128 else math.inf, value)


def as_float16(value: float) -> float:
    with np.errstate(all="ignore"):
        return float(np.float16(value))


def numbers_near_ties(digits: int, exponents: tuple[int, int]) -> list[float]:
    rng = np.random.default_rng(7)
    ties = rng.integers(2 ** (digits - 1), 2**digits, 600) + 0.5
    ties *= 1 + rng.choice([0, 2.0**-52, -(2.0**-52), 2.0**-30, -(2.0**-30)], 600)
    values = np.ldexp(ties * rng.choice([-1, 1], 600), rng.integers(*exponents, 600)).tolist()
    inf = float("inf")
    return [*values, 0.9562988439083696, 65519.99999999, 65520.0, 3.39e38, 3.397e38, 1e300, 5e-324,
            0.0, -0.0, inf, -inf]  # fmt: skip


@listing(
    "name, rounded, values",
    [
        ("float16", as_float16, numbers_near_ties(11, (-36, 6))),
        ("bfloat16", as_bfloat16, numbers_near_ties(8, (-145, 121))),
    ],
)
def test_short_numbers_are_rounded_once(name: str, rounded: Any, values: list[float]) -> None:
    dtype = getattr(xp, name)
    expected = np.asarray([rounded(v) for v in values])
    x = xp.asarray(values, dtype=xp.float64)
    for made in (xp.astype(x, dtype), xp.asarray(values, dtype=dtype), xp.asarray(x, dtype=dtype)):
        assert made.dtype is dtype
        found = np.asarray(xp.astype(made, xp.float64).to_device("cpu"))
        np.testing.assert_array_equal(found.view(np.int64), expected.view(np.int64))
    for value, wanted in zip(values[::7], expected[::7]):
        assert float(xp.asarray(value, dtype=dtype)) == wanted
        assert float(xp.full((), value, dtype=dtype)) == wanted


@pytest.mark.parametrize("relaxed", [False, True])
@listing("value", [math.nan, math.inf, 1e300])
def test_no_integer_is_made_of_what_is_none(value: float, relaxed: bool) -> None:
    n = xp.asarray([1])
    with xp.options(relaxed=relaxed):
        with pytest.raises((ValueError, OverflowError), match="^asarray: "):
            xp.asarray(value, dtype=xp.int64)
        with pytest.raises((TypeError, ValueError, OverflowError), match="^full_like: "):
            xp.full_like(n, value)
