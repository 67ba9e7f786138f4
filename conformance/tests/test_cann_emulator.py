"""The emulated CANN: its table, its runtime, and torch_npu on it.

This file is run twice. Tests marked `through_torch_npu` run in a process of their own, in which
pytest loads conformance.cann_emulator.plugin before anything imports torch: one such process for
each mode of torch_npu's task queue, started by `test_through_torch_npu`. Tests that break
torch_npu's task queue for good (errors in its worker thread) get a process each, see `script`.
"""

import os
import sys
from pathlib import Path

import pytest
from processes import python, ranks
from queues import TASK_QUEUES

from conformance import cann_emulator, pair
from conformance.cann_emulator import _emulator, _native, _table

ROOT = Path(__file__).parents[2]
EMULATOR = cann_emulator.installed()
LINUX = sys.platform == "linux"

pytestmark = pytest.mark.skipif(not LINUX, reason="CANN, and so its emulation, is for Linux")
through_torch_npu = pytest.mark.skipif(
    EMULATOR is None, reason="runs in the processes of test_through_torch_npu"
)
outside = pytest.mark.skipif(
    EMULATOR is not None, reason="runs in the process that starts the others"
)
needs_torch_npu = pytest.mark.skipif(
    pair.problem() is not None,
    reason=f"needs torch_npu: {pair.problem()}",
)


def environment(mode="0", **more):
    """An environment without what others have set for torch_npu and Python."""
    kept = {
        k: v for k, v in os.environ.items() if not k.startswith(("TASK_QUEUE", "PYTEST", "TORCH"))
    }
    return kept | {"TASK_QUEUE_ENABLE": mode, "PYTHONPATH": str(ROOT)} | more


REFUSED = """
def refused(call, *words, error=RuntimeError):
    try:
        call()
    except error as caught:
        assert all(word in str(caught) for word in words), caught
    else:
        raise SystemExit("no error")
"""


def script(text, *, mode="0", fails=False, **more):
    """Run a script that has `emulator`, `torch` and `torch_npu`; return what it printed."""
    head = "from conformance import cann_emulator\nemulator = cann_emulator.install(devices=2)\n"
    head += "import torch, torch_npu\n" + REFUSED
    done = python("-c", head + text, code=None, env=environment(mode, **more), timeout=120)
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done.stdout, done.stderr


# ---- the table, against documents of CANN that were read by hand ----

TABLE = {kernel.name: kernel for kernel in _table.kernels()}


def accepts(kernel, argument=0):
    return TABLE[kernel].arguments[argument].dtypes


# (kernel, a dtype it refuses, a dtype it takes); Atlas A2, the documents of ops-math and ops-nn
DOCUMENTED = [
    ("aclnnMatmul", "float64", "float32"),
    ("aclnnMatmul", "int32", "bfloat16"),
    ("aclnnMatmul", "complex64", "float16"),
    ("aclnnSort", "float64", "int64"),
    ("aclnnTanh", "float64", "float32"),
    ("aclnnTrunc", "float64", "bfloat16"),
    ("aclnnExpm1", "complex64", "float32"),
    ("aclnnLinalgCholesky", "float64", "float32"),
    ("aclnnRemainderTensorTensor", "int8", "int32"),
    ("aclnnNeg", "uint8", "int8"),
    ("aclnnCat", "complex128", "complex64"),
    ("aclnnIndex", "complex64", "float64"),
    ("aclnnLinalgVectorNorm", "float64", "float32"),
    ("aclnnBitwiseXorTensor", "float32", "bool"),
    ("aclnnAdd", "uint16", "complex128"),
]


@outside
@pytest.mark.parametrize(("kernel", "refused", "taken"), DOCUMENTED)
def test_table_against_documents(kernel, refused, taken):
    assert refused not in accepts(kernel)
    assert taken in accepts(kernel)


@outside
@pytest.mark.parametrize("kernel", ["aclnnMatmul", "aclnnBatchMatMul", "aclnnMm", "aclnnAddmm"])
def test_products_of_bfloat16_are_bfloat16(kernel):
    (out,) = [argument for argument in TABLE[kernel].arguments if argument.type == "O"]
    assert "bfloat16" in out.dtypes


@outside
def test_table_is_complete(monkeypatch):
    monkeypatch.setenv("TORCH_DEVICE_BACKEND_AUTOLOAD", "0")
    pytest.importorskip("torch")
    from conformance.cann_emulator.kernels import TASKS

    assert set(TASKS) == set(TABLE), "every kernel computes something, and is in the table"
    assert len(TABLE) > 290
    for kernel in TABLE.values():
        assert kernel.source.startswith(("ops-math/", "ops-nn/", "sip/", "doc:ops-")), kernel
        assert len(kernel.arguments) <= 16
        for argument in kernel.arguments:
            assert argument.type in _table.TYPES
            assert bool(argument.dtypes) == (argument.type in "TOULN"), (kernel.name, argument)


# (kernel, a data type it takes from a release on, that release, the one before)
LATER = [
    ("aclnnLinspace", "int64", "9.0", "8.5"),
    ("aclnnMv", "bfloat16", "9.0", "8.5"),
    ("aclnnInplaceFillScalar", "uint64", "9.1", "9.0"),
    ("aclnnLinalgCholesky", "float16", "9.1", "9.0"),
    ("aclnnRoll", "int16", "9.1", "9.0.1"),
    ("aclnnSigmoid", "int8", "9.2", "9.1"),
]


@outside
@pytest.mark.parametrize(("kernel", "dtype", "since", "before"), LATER)
def test_releases_take_more(kernel, dtype, since, before):
    for cann, takes in ((since, True), (before, False)):
        (line,) = (line for line in _table.kernels(cann=cann) if line.name == kernel)
        (out,) = (argument for argument in line.arguments if argument.type in "OU")
        assert (dtype in out.dtypes) == takes


@outside
def test_kernels_of_releases():
    names = {
        cann: [k.name for k in _table.kernels(cann=cann)] for cann in ("8.5", "9.0", "9.1", "9.2")
    }
    for found in names.values():
        assert len(found) == len(set(found)), "one line is of a release"
    later = {"AngleV2", "Cdist", "LeftShift", "LeftShifts", "LogSpace"}
    assert {*names["9.0"]} - {*names["8.5"]} == {f"aclnn{name}" for name in later}
    assert names["9.0"] == names["9.1"] == names["9.2"]
    assert _table.kernels() == _table.kernels(cann="9.1.0-beta.1")
    with pytest.raises(ValueError, match=r"CANN 8\.1 are not known; they are from 8\.5 on"):
        _table.kernels(cann="8.1")
    with pytest.raises(ValueError, match="no release of CANN: 'newest'"):
        _table.kernels(cann="newest")


@outside
def test_an_older_release_is_emulated():
    text = """
import ctypes
from conformance import cann_emulator
emulator = cann_emulator.install(devices=1)
assert emulator.cann == "8.5.0"
library = ctypes.CDLL("libopapi.so")
said = ctypes.create_string_buffer(64)
library.aclsysGetVersionStr(b"runtime", said)
assert said.value == b"8.5.0"
assert hasattr(library, "aclnnAdd") and not hasattr(library, "aclnnCdist")
"""
    python("-c", text, env=environment(CANN_EMULATOR_CANN="8.5"))


@outside
def test_not_emulated_kernels_are_not_in_the_table():
    names = (_table.HERE / "not_emulated.txt").read_text().split()
    assert names == sorted(set(names))
    assert not set(names) & set(TABLE)


@outside
@pytest.mark.parametrize(
    "name", ["no-such-compiler", "cc; touch taken", "-ocommand", "$(touch taken)"]
)
def test_no_compiler(name, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CC", name)
    with pytest.raises(cann_emulator.CompilerError, match="there is no ") as caught:
        _native.build()
    assert name in str(caught.value)
    assert not list(tmp_path.rglob("taken"))


@outside
@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("CANN_EMULATOR_SOC", 'Ascend910B2"; int x = 0; //'),
        ("CANN_EMULATOR_SOC", "Ascend910B2" * 40),
        ("CANN_EMULATOR_CANN", '9.1.0"; #include "/etc/passwd'),
        ("CANN_EMULATOR_CANN", "9" * 400),
        ("CANN_EMULATOR_MODE", "hostile:../../x"),
        ("CANN_EMULATOR_MODE", "\x1b[2J"),
    ],
)
def test_variables_name_what_there_is_and_nothing_else(variable, value, monkeypatch):
    monkeypatch.setattr(_emulator, "_installed", [])
    monkeypatch.setattr(_emulator, "Emulator", lambda *given, **_: pytest.fail(f"runs: {given}"))
    monkeypatch.setattr(_emulator.pair, "refusal", lambda: None)
    monkeypatch.delitem(sys.modules, "torch_npu", raising=False)
    monkeypatch.setenv(variable, value)
    with pytest.raises(ValueError, match=r"^[ -~]+$"):  # nothing that a terminal obeys
        cann_emulator.install()


@outside
def test_libraries_of_others_are_not_loaded(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("CC", "false")
    ours = tmp_path / "cann_emulator"
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    ours.symlink_to(theirs)
    with pytest.raises(cann_emulator.CompilerError, match="not a folder of this user"):
        _native.build()
    ours.unlink()
    ours.mkdir()
    ours.chmod(0o777)
    with pytest.raises(cann_emulator.CompilerError, match="failed"):
        _native.build()
    assert ours.stat().st_mode & 0o777 == 0o755
    with monkeypatch.context() as build:
        build.setattr(_native, "_cc", lambda folder, name, *_: (folder / f"{name}.so").touch())
        made = _native.build()
        (made / "theirs.so").touch()
        assert (_native.build() / "theirs.so").exists()
        made.chmod(0o775)  # so that others could put it there
        assert _native.build() == made
        assert not (made / "theirs.so").exists()
        assert made.stat().st_mode & 0o022 == 0
    with monkeypatch.context() as other:
        user = os.getuid()
        other.setattr(os, "getuid", lambda: user + 1)
        with pytest.raises(cann_emulator.CompilerError, match="not a folder of this user"):
            _native.build()


@outside
def test_compiler_that_fails(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("CC", "false")
    with pytest.raises(cann_emulator.CompilerError, match="failed"):
        _native.build()
    assert not list((tmp_path / "cann_emulator").iterdir()), "nothing half built is left"


@outside
@pytest.mark.parametrize("devices", [0, 9])
def test_number_of_devices(devices):
    with pytest.raises(ValueError, match="1 to 8"):
        cann_emulator.install(devices=devices)


# ---- the runtime by itself, through its C interface ----

RUNTIME = """
import ctypes
from conformance import cann_emulator
emulator = cann_emulator.install(devices=2, memory=64 << 20)
acl = ctypes.CDLL("libascendcl.so", mode=ctypes.RTLD_GLOBAL)
P, L = ctypes.c_void_p, ctypes.c_int64
acl.aclCreateTensor.restype = acl.aclCreateScalar.restype = P
acl.aclGetRecentErrMsg.restype = ctypes.c_char_p
TO_DEVICE, TO_HOST = 1, 2

def alloc(size):
    address = P()
    code = acl.aclrtMalloc(ctypes.byref(address), ctypes.c_size_t(size), 0)
    return code, address.value

def copy(to, source, size, kind):
    return acl.aclrtMemcpy(P(to), ctypes.c_size_t(size), P(source), ctypes.c_size_t(size), kind)

def tensor(address, n, dtype=0):
    shape, one = (L * 1)(n), (L * 1)(1)
    ndim = ctypes.c_uint64(1)
    return acl.aclCreateTensor(shape, ndim, dtype, one, L(0), 2, shape, ndim, P(address))

def launch(name, *handles, stream=None):
    size, executor = ctypes.c_uint64(), P()
    check = getattr(acl, name + "GetWorkspaceSize")
    code = check(*map(P, handles), ctypes.byref(size), ctypes.byref(executor))
    return code or getattr(acl, name)(None, ctypes.c_uint64(0), executor, P(stream))

assert acl.aclrtSetDevice(0) == 0
numbers = (ctypes.c_float * 4)(1, 4, 9, 16)
host = ctypes.addressof(numbers)
_, a = alloc(16)
_, b = alloc(16)
"""


def runtime(text, *, fails=False, **more):
    done = python("-c", RUNTIME + text, code=None, env=environment(**more), timeout=120)
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done


@outside
def test_runtime_computes_and_counts():
    runtime("""
assert copy(a, host, 16, TO_DEVICE) == 0
assert launch("aclnnSqrt", tensor(a, 4), tensor(b, 4)) == 0
assert copy(host, b, 16, TO_HOST) == 0
assert list(numbers) == [1, 2, 3, 4]
counts = emulator.counts()
assert counts.kernels == {("aclnnSqrt", 0, "AICore"): 1}
assert (counts.to_device, counts.to_host) == ((1, 16), (1, 16))
assert emulator.failures == []
""")


@outside
def test_runtime_checks_dtypes_shapes_and_ranks():
    runtime("""
UINT16 = 7
assert launch("aclnnSqrt", tensor(a, 4, UINT16), tensor(b, 4)) == 161002
assert b"dtype uint16 of argument 0" in acl.aclGetRecentErrMsg()
assert launch("aclnnSqrt", tensor(a, 3), tensor(b, 4)) == 161002
assert b"does not broadcast" in acl.aclGetRecentErrMsg()
nine = (L * 9)(*[1] * 9)
ndim = ctypes.c_uint64(9)
deep = acl.aclCreateTensor(nine, ndim, 0, nine, L(0), 2, nine, ndim, P(a))
assert launch("aclnnSqrt", deep, deep) == 161002
assert b"9 dimensions" in acl.aclGetRecentErrMsg()
assert emulator.counts().kernels == {}
""")


@outside
def test_runtime_keeps_host_and_device_apart():
    runtime("""
assert copy(host, a, 16, TO_DEVICE) == 107000, "the two ends are the wrong way round"
assert copy(a, host, 1 << 20, TO_DEVICE) == 107000, "beyond the allocation"
assert launch("aclnnSqrt", tensor(host, 4), tensor(b, 4)) == 0
assert acl.aclrtSynchronizeDevice() == 507015
assert b"host memory" in acl.aclGetRecentErrMsg()
assert acl.aclrtSynchronizeDevice() == 0, "an error is told once"
assert launch("aclnnSqrt", tensor(a, 1 << 20), tensor(b, 1 << 20)) == 0
assert acl.aclrtSynchronizeDevice() == 507015
assert b"outside of any allocation" in acl.aclGetRecentErrMsg()
acl.aclrtSetDevice(1)
_, other = alloc(16)
acl.aclrtSetDevice(0)
assert launch("aclnnSqrt", tensor(other, 4), tensor(b, 4)) == 0
assert acl.aclrtSynchronizeDevice() == 507015
assert b"another device" in acl.aclGetRecentErrMsg()
""")


@outside
def test_host_code_that_touches_device_memory_ends():
    done = runtime("ctypes.string_at(a, 4)", fails=True)
    assert done.returncode < 0
    assert "host code touched memory of device 0" in done.stderr


@outside
def test_runtime_limits_memory():
    runtime("""
code, _ = alloc(65 << 20)
assert code == 207001, code
code, most = alloc(60 << 20)
assert code == 0
assert alloc(8 << 20)[0] == 207001
assert acl.aclrtFree(P(most)) == 0
assert acl.aclrtFree(P(most)) == 107000, "freed twice"
assert alloc(8 << 20)[0] == 0
emulator.limit_memory(1 << 20)
assert alloc(4096)[0] == 207001
emulator.limit_memory()
emulator.fail_allocation(nth=2)
assert [alloc(4096)[0] for _ in range(3)] == [0, 207001, 0]
memory = emulator.memory_of(0)
assert memory.frees == 1 and memory.used < memory.peak
""")


@outside
def test_fresh_memory_holds_garbage():
    runtime("""
assert copy(host, a, 16, TO_HOST) == 0
assert bytes(numbers) == b"\\xcb" * 16
""")


@outside
def test_runtime_faults():
    runtime("""
assert copy(a, host, 16, TO_DEVICE) == 0
sqrt = lambda: launch("aclnnSqrt", tensor(a, 4), tensor(b, 4))
emulator.fail_kernel("aclnnSqrt", nth=2)
assert [sqrt(), sqrt(), sqrt()] == [0, 161002, 0]
emulator.fail_kernel("aclnnSqrt", at="launch", code=507014)
assert [sqrt(), sqrt()] == [507014, 0]
emulator.fail_kernel("aclnnSqrt", at="synchronize")
assert sqrt() == 0 and acl.aclrtSynchronizeDevice() == 507015
with emulator.lost_device(0):
    assert sqrt() == 507899 and alloc(16)[0] == 507899 and acl.aclrtSynchronizeDevice() == 507899
    acl.aclrtSetDevice(1)
    assert alloc(16)[0] == 0, "the other device is still there"
    acl.aclrtSetDevice(0)
assert sqrt() == 0 and acl.aclrtSynchronizeDevice() == 0
""")


@outside
def test_functions_of_the_runtime_fail_on_demand():
    runtime("""
acl.aclGetRecentErrMsg.restype = acl.aclrtGetSocName.restype = ctypes.c_char_p
names = emulator.functions()
assert len(names) == len(set(names)) > 90 and {"aclInit", "aclrtSetDevice"} < {*names}
for name in names:
    emulator.fail_function(name, 507033, f"{name} was told to")
    assert getattr(acl, name)() == (None if name == "aclrtGetSocName" else 507033), name
    assert acl.aclGetRecentErrMsg().decode() == f"{name} was told to"
    emulator.fail_nothing()
assert acl.aclrtSetDevice(0) == 0 and acl.aclrtGetSocName() == b"Ascend910B2"
assert acl.aclrtSetDevice(9) == 107001 and b"device 9" in acl.aclGetRecentErrMsg()
try:
    emulator.fail_function("aclnnAdd", 1)
except ValueError as error:
    assert "aclnnAdd" in str(error)
else:
    raise SystemExit("no error")
""")


@outside
def test_what_is_not_emulated_answers_no_success():
    runtime("""
acl.aclGetRecentErrMsg.restype = ctypes.c_char_p

def refused(code, function, *arguments):
    assert acl[function](*arguments) == code, function
    assert b"not emulated" in acl.aclGetRecentErrMsg(), function

for function in ("aclmdlInitDump", "aclrtGetFunctionAddr", "aclrtMapMem"):
    refused(207000, function)
found, stub, zero = P(), ctypes.c_int(), ctypes.c_int64()
assert acl.aclrtBinaryLoadFromData(P(host), L(16), None, ctypes.byref(found)) == 0
refused(207000, "aclrtBinaryGetFunction", found, b"add_kernel", ctypes.byref(found))
refused(207000, "rtFunctionRegister", found, ctypes.byref(stub), b"add_kernel", b"add_kernel", 0)
refused(207000, "aclGetDeviceCapability", 0, 99, ctypes.byref(zero))
# Neither a kernel of another compiler nor one of DVM's whose operations nobody noted.
launch_stub = ctypes.byref(stub), 1, P(host), 16, None, None
refused(561000, "rtKernelLaunch", *launch_stub)
assert acl.aclrtSynchronizeDevice() == 561000 and acl.aclrtSynchronizeDevice() == 0
assert acl.rtFunctionRegister(found, ctypes.byref(stub), b"dvm_mix_aiv", b"dvm_mix_aiv", 0) == 0
refused(561000, "rtKernelLaunch", *launch_stub)
launch_function = "aclrtLaunchKernelWithHostArgs"
given = 1, None, None, P(host), L(16), None, L(0)
refused(561000, launch_function, P(host), *given)
assert acl.aclrtBinaryGetFunction(found, b"dvm_aix_aiv", ctypes.byref(found)) == 0
refused(561000, launch_function, found, *given)
assert acl.aclrtSynchronizeDevice() == 561000 and acl.aclrtSynchronizeDevice() == 0
""")


@outside
def test_whatever_a_kernel_raises_the_device_goes_on():
    runtime("""
number, task = emulator._number["aclnnSqrt"], emulator._tasks[emulator._number["aclnnSqrt"]]
for error in (SystemExit("\\ud800"), KeyboardInterrupt(), ValueError("\\ud800")):
    def fails(*operands):
        raise error
    emulator._tasks[number] = fails
    assert launch("aclnnSqrt", tensor(a, 4), tensor(b, 4)) == 0
    assert acl.aclrtSynchronizeDevice() == 561000
    assert type(error).__name__ in emulator.failures[-1]
emulator._tasks[number] = task
assert copy(a, host, 16, TO_DEVICE) == 0
assert launch("aclnnSqrt", tensor(a, 4), tensor(b, 4)) == 0
assert copy(host, b, 16, TO_HOST) == 0
assert list(numbers) == [1, 2, 3, 4]
""")


@outside
def test_an_event_is_over_once_all_is_done():
    """However fast the device is: on one processor it runs before the call that records returns."""
    runtime(
        """
import os
for thread in os.listdir("/proc/self/task"):
    os.sched_setaffinity(int(thread), {min(os.sched_getaffinity(0))})
event, status = P(), ctypes.c_int()
assert acl.aclrtCreateEvent(ctypes.byref(event)) == 0
for turn in range(5000):
    assert acl.aclrtRecordEvent(event, None) == 0
    emulator.wait()
    assert acl.aclrtQueryEventStatus(event, ctypes.byref(status)) == 0
    assert status.value == 1, turn
assert acl.aclrtSynchronizeEvent(event) == 0
""",
        MALLOC_PERTURB_="165",  # what was freed is no longer what it was
    )


# ---- several processes: each wait for another ends, and says which rank is missing in what ----

RANKS = """
import os, time
from pathlib import Path
os.environ |= {"HCCL_EXEC_TIMEOUT": "1", "HCCL_CONNECT_TIMEOUT": "60"}
rank, place = int(os.environ["RANK"]), Path(__file__).parent
acl.aclrtSetDevice(rank)
_, a = alloc(16)
_, b = alloc(16)
FLOAT, SUM = 4, 0

def u(number):
    return ctypes.c_uint64(number)

def wait_for(name):
    while not (place / name).exists():
        time.sleep(0.01)

def root(name):
    "What rank 0 tells the other."
    file, made = place / name, ctypes.create_string_buffer(4108)
    if rank == 0:
        assert acl.HcclGetRootInfo(made) == 0
        file.with_suffix(".new").write_bytes(made.raw)
        file.with_suffix(".new").rename(file)
    wait_for(name)
    return file.read_bytes()

def join(name):
    comm = P()
    code = acl.HcclCommInitRootInfo(2, root(name), rank, ctypes.byref(comm))
    assert code == 0, acl.aclGetRecentErrMsg()
    return comm

CALLS = {
    "AllReduce": lambda c: acl.HcclAllReduce(P(a), P(b), u(4), FLOAT, SUM, c, None),
    "AllGather": lambda c: acl.HcclAllGather(P(a), P(b), u(2), FLOAT, c, None),
    "ReduceScatter": lambda c: acl.HcclReduceScatter(P(a), P(b), u(2), FLOAT, SUM, c, None),
    "Broadcast": lambda c: acl.HcclBroadcast(P(a), u(4), FLOAT, 0, c, None),
    "AlltoAll": lambda c: acl.HcclAlltoAll(P(a), u(2), FLOAT, P(b), u(2), FLOAT, c, None),
    "Send": lambda c: acl.HcclSend(P(a), u(4), FLOAT, 1 - rank, c, None),
    "Recv": lambda c: acl.HcclRecv(P(b), u(4), FLOAT, 1 - rank, c, None),
}

def waited(name, comm):
    "Call it; return whether there was an error, what it said, and after how many seconds."
    began = time.monotonic()
    assert CALLS[name](comm) == 0, acl.aclGetRecentErrMsg()
    code = acl.aclrtSynchronizeDevice()
    assert code in (0, 507048), code
    said = acl.aclGetRecentErrMsg().decode() if code else ""
    return said, time.monotonic() - began
"""


def between_two(text, tmp_path):
    script = tmp_path / "program.py"
    script.write_text(RUNTIME + RANKS + text)
    for code, said in ranks(script, 2, seconds=100):
        assert code == 0, said


@outside
def test_what_waits_for_a_rank_that_is_late_ends_and_says_so(tmp_path):
    between_two(
        """
for name in CALLS:
    comm = join(name)
    if rank == 0:
        said, took = waited(name, comm)
        kind = "Send and Recv" if name in ("Send", "Recv") else name
        assert f"the wait of {kind} on rank 0 of 2" in said, said
        assert "rank 1 did not come within HCCL_EXEC_TIMEOUT, 1 s" in said, said
        assert 0.9 < took < 20, took
        assert CALLS[name](comm) == 9 and b"has failed before" in acl.aclGetRecentErrMsg()
(place / str(rank)).touch()
wait_for(str(1 - rank))  # or it would be gone
""",
        tmp_path,
    )


@outside
@pytest.mark.parametrize(
    ("others", "why"),
    [
        ("acl.HcclCommDestroy(comm)", "rank 1 is gone"),
        ("os._exit(0)", "rank 1 is gone"),
        # Who comes when the others have given up waits no time of its own.
        ("assert 'did not come' in waited('AllReduce', comm)[0]", "rank 1 is gone"),
        ("assert 'another' in waited('Broadcast', comm)[0]", "rank 1 calls another collective"),
    ],
    ids=["leaves", "ends", "gave up", "calls another"],
)
def test_what_waits_for_a_rank_that_is_gone_ends_at_once(others, why, tmp_path):
    between_two(
        f"""
os.environ["HCCL_EXEC_TIMEOUT"] = ["60", "1"][rank]
comm = join("board")
if rank == 1:
    {others}
    (place / "done").touch()
    wait_for("told")
    os._exit(0)
if {"not come" in others}:
    wait_for("done")
said, took = waited("AllReduce", comm)
assert "the wait of AllReduce on rank 0 of 2" in said, said
assert {why!r} in said, said
assert took < 20, took
(place / "told").touch()
""",
        tmp_path,
    )


@outside
def test_a_communicator_without_one_of_its_ranks_is_refused(tmp_path):
    between_two(
        """
def refused(*arguments):
    comm, began = P(), time.monotonic()
    code = acl.HcclCommInitRootInfo(*arguments, ctypes.byref(comm))
    assert time.monotonic() - began < 20
    return code, acl.aclGetRecentErrMsg().decode()

if rank == 0:
    os.environ["HCCL_CONNECT_TIMEOUT"] = "1"
    code, said = refused(2, root("alone"), 0)
    assert code == 9 and "waited for rank 1 in vain (HCCL_CONNECT_TIMEOUT)" in said, said
    code, said = refused(2, b"/cann_emulator_hccl_none".ljust(4108, b"\\0"), 0)
    assert code == 4 and "finds no communicator /cann_emulator_hccl_none" in said, said
    code, said = refused(17, bytes(4108), 0)
    assert code == 1 and "takes 1 to 16 ranks" in said, said
    assert refused(2, bytes(4108), 2)[0] == 1
name = root("twice")
os.environ["HCCL_CONNECT_TIMEOUT"] = "2"
code, said = refused(2, name, 0)  # both say that they are the first
assert code in (1, 9), said
assert ("another process is rank 0" if code == 1 else "waited for rank 1 in vain") in said, said
(place / str(code)).touch()
wait_for("1")
wait_for("9")
""",
        tmp_path,
    )


# ---- torch_npu ----


@outside
@needs_torch_npu
@pytest.mark.parametrize("mode", ["0", "1", "2"])
def test_through_torch_npu(mode):
    """Run the tests below on the emulator, in one mode of the task queue."""
    plugin = "conformance.cann_emulator.plugin"
    done = python(
        *("-m", "pytest", "-q", "-p", plugin, "-p", "no:cacheprovider", __file__),
        cwd=ROOT,
        env=environment(mode),
    )
    assert "emulated CANN" in done.stdout


if EMULATOR:
    import torch
    import torch_npu  # noqa: F401

    ALL = [getattr(torch, name) for _, name in _table.DTYPES.values() if name != "complex32"]

    def sample(dtype, seed):
        generator = torch.Generator().manual_seed(seed)
        if dtype == torch.bool:
            return torch.rand((3, 4), generator=generator) > 0.5
        if dtype.is_floating_point or dtype.is_complex:
            real, imag = torch.randn((2, 3, 4), generator=generator, dtype=torch.float64)
            return (torch.complex(real, imag) if dtype.is_complex else real).to(dtype)
        x = torch.randint(1, 8, (3, 4), generator=generator)
        if torch.iinfo(dtype).min < 0:
            x[0, seed] = -3
        return x.to(dtype)

    def index(x, *values):
        return torch.tensor(values, device=x.device)

    def written(x, key, value):
        x = x.clone()
        x[key] = value
        return x

    def square(x):
        """A well-conditioned square matrix; made on the CPU, which has all dtypes."""
        a = x.cpu()[:, :3]
        return (a @ a.mH + 3 * torch.eye(3, dtype=a.dtype)).to(x.device)

    def qr(x):
        q, r = (t.cpu() for t in torch.linalg.qr(x))
        return q @ r, q.mH @ q

    def svd(x):
        u, s, vh = (t.cpu() for t in torch.linalg.svd(x, full_matrices=False))
        return (u * s) @ vh, s

    UNARY = """abs acos acosh asin asinh atan atanh bitwise_not ceil cos cosh exp expm1 floor
        isfinite isinf isnan log log1p log2 log10 logical_not neg positive reciprocal
        round sign signbit sin
        sinh sqrt square tan tanh trunc real imag erf erfc exp2 frac rsqrt sigmoid sgn isposinf
        isneginf sum prod mean amax amin all any std var max min count_nonzero nansum aminmax tril
        triu trace nonzero unique argmax argmin"""
    BINARY = """add sub mul div floor_divide remainder fmod pow atan2 maximum minimum eq ne lt le
        gt ge logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor
        bitwise_left_shift logaddexp isclose xlogy gcd"""
    SCALAR = """add sub mul div floor_divide remainder fmod pow eq ne lt le gt ge bitwise_and
        bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift rsub"""
    AXIS = """sum prod mean amax amin argmax argmin all any std var cumsum cumprod max min sort
        argsort cummax cummin logsumexp diff"""
    COLUMNS = ([0, 1], [1, 2], [3, 0])

    def case(name, call):
        """Call torch's function of that name as `call` does."""
        function = getattr(torch, name)
        return lambda x, y: call(function, x, y)

    CASES = {
        **{name: case(name, lambda f, x, y: f(x)) for name in UNARY.split()},
        **{f"{name} 2": case(name, lambda f, x, y: f(x, y)) for name in BINARY.split()},
        **{f"{name} scalar": case(name, lambda f, x, y: f(x, 2)) for name in SCALAR.split()},
        **{f"{name} axis": case(name, lambda f, x, y: f(x, dim=1)) for name in AXIS.split()},
        # Counts below 0, of which the kernels make 0, are nothing to torch.
        "bitwise_right_shift 2": lambda x, y: torch.bitwise_right_shift(
            x, (y.cpu() & 3).to(x.device)
        ),
        "in place": lambda x, y: x.clone().add_(y).mul_(y).sub_(1),
        "in place division": lambda x, y: x.clone().div_(y),
        "broadcast": lambda x, y: x[:, None] + y[:1],
        "strided": lambda x, y: x[:, ::2] * y.T.contiguous().T[:, ::2],
        "empty": lambda x, y: (x[:0] + y[:0]).sum(0),
        "where": lambda x, y: torch.where(x != y, x, y),
        "cat": lambda x, y: torch.cat([x, y], 1),
        "stack": lambda x, y: torch.stack([x, y], 1),
        "flip": lambda x, y: torch.flip(x, (0, 1)),
        "roll": lambda x, y: torch.roll(x, (1, -1), (0, 1)),
        "tile": lambda x, y: torch.tile(x, (2, 2)),
        "repeat": lambda x, y: torch.repeat_interleave(x, 2, 1),
        "repeat tensor": lambda x, y: torch.repeat_interleave(x, index(x, 1, 2, 0), 0),
        "transposed": lambda x, y: x.T.contiguous(),
        "index": lambda x, y: x[[0, 2]],
        "index 2": lambda x, y: x[[0, 2], [1, 3]],
        "index axis": lambda x, y: x[:, [0, 3]],
        "index empty": lambda x, y: x[torch.zeros(0, dtype=torch.int64, device=x.device)],
        "mask": lambda x, y: x[x != y],
        "set": lambda x, y: written(x, ([0, 2],), y[:2]),
        "set slice": lambda x, y: written(x, (slice(1, None), slice(None, None, 2)), 1),
        "set mask": lambda x, y: written(x, x != y, 1),
        "unique consecutive": lambda x, y: torch.unique_consecutive(x.flatten()),
        "set empty": lambda x, y: written(x, torch.zeros(0, dtype=torch.int64, device=x.device), 1),
        "put twice": lambda x, y: x.index_put((index(x, 0, 0),), y[:2], accumulate=True),
        "gather": lambda x, y: torch.gather(x, 1, index(x, *COLUMNS)),
        "scatter": lambda x, y: x.scatter(1, index(x, *COLUMNS), y),
        "scatter add": lambda x, y: x.scatter_add(1, index(x, *COLUMNS), y),
        "index select": lambda x, y: torch.index_select(x, 1, index(x, 0, 3)),
        "index add": lambda x, y: x.index_add(0, index(x, 0, 2), y[:2]),
        "index copy": lambda x, y: x.index_copy(0, index(x, 0, 2), y[:2]),
        "take": lambda x, y: torch.take(x, index(x, 0, 11, 5)),
        "masked fill": lambda x, y: x.masked_fill(x != y, 1),
        "unique all": lambda x, y: torch.unique(x, return_inverse=True, return_counts=True),
        "unique rows": lambda x, y: torch.unique(x, dim=0),
        "search": lambda x, y: torch.searchsorted(torch.sort(x[0]).values, y),
        "clamp": lambda x, y: torch.clamp(x, 1, 3),
        "sort descending": lambda x, y: torch.sort(x, dim=0, descending=True, stable=True),
        "topk": lambda x, y: torch.topk(x, 2),
        "full": lambda x, y: torch.full((2, 3), 3, dtype=x.dtype, device=x.device),
        "ones": lambda x, y: torch.ones(3, dtype=x.dtype, device=x.device),
        "arange": lambda x, y: torch.arange(1, 7, 2, dtype=x.dtype, device=x.device),
        "linspace": lambda x, y: torch.linspace(0, 5, 6, dtype=x.dtype, device=x.device),
        "eye": lambda x, y: torch.eye(3, 4, dtype=x.dtype, device=x.device),
        "to float32": lambda x, y: x.to(torch.float32),
        "to int64": lambda x, y: x.to(torch.int64),
        "to complex64": lambda x, y: x.to(torch.complex64),
        "to bool": lambda x, y: x.to(torch.bool),
        "matmul": lambda x, y: x @ y.mT,
        "matmul 3-d": lambda x, y: x.reshape(3, 2, 2) @ y.reshape(3, 2, 2),
        "matmul 1-d": lambda x, y: x[0] @ y[0],
        "tensordot": lambda x, y: torch.tensordot(x, y, dims=([1], [1])),
        "addmm": lambda x, y: torch.addmm(x[:, :3], x, y.mT),
        "outer": lambda x, y: torch.outer(x[0], y[0]),
        "cross": lambda x, y: torch.linalg.cross(x[:, :3], y[:, :3]),
        "inverse": lambda x, y: torch.inverse(square(x)),
        "cholesky": lambda x, y: torch.linalg.cholesky(square(x)),
        "qr": lambda x, y: qr(x),
        "svd": lambda x, y: svd(x),
        "triangular": lambda x, y: torch.triangular_solve(y[:, :2], square(x), upper=False)[0],
        "norm": lambda x, y: torch.linalg.vector_norm(x, dim=1),
        "complex": lambda x, y: torch.complex(x, y),
        "fftn": lambda x, y: torch.fft.fftn(x),
        "rfftn": lambda x, y: torch.fft.rfftn(x),
        "irfftn": lambda x, y: torch.fft.irfftn(x),
        "tanh backward": lambda x, y: torch.ops.aten.tanh_backward(x, y),
        "sigmoid backward": lambda x, y: torch.ops.aten.sigmoid_backward(x, y),
    }

    NEVER_REFUSED = {
        *("sin", "sum", "prod", "argmax", "nonzero", "unique all", "add 2", "pow scalar", "le 2"),
        *("sort axis", "cumsum axis", "in place", "broadcast", "strided", "where", "cat", "mask"),
        *("index", "set", "set mask", "gather", "topk", "arange", "matmul", "qr", "svd", "empty"),
    }

    # What torch_npu refuses by itself, in words of its own.
    REFUSALS = (
        "is not supported on Atlas A2",
        "Input data type should not be float64",
        "svd_npu only supported Float",
    )


def as_list(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def comparable(t):
    return t.to(torch.int64) if t.dtype in (torch.uint16, torch.uint32, torch.uint64) else t


# In mode 2 a refusal would end the task queue: there, some cases that no kernel refuses.
ASYNCHRONOUS = os.environ.get("TASK_QUEUE_ENABLE") == "2"


@through_torch_npu
@pytest.mark.parametrize("case", (NEVER_REFUSED if ASYNCHRONOUS else CASES) if EMULATOR else [])
@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental:UserWarning")
@pytest.mark.filterwarnings("ignore:Casting complex values to real:UserWarning")
@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized:UserWarning")
@pytest.mark.filterwarnings("ignore:Cannot create tensor with internal format:UserWarning")
def test_results(case):
    """What torch_npu computes on the emulator is what torch computes on the CPU, for all dtypes."""
    compared = 0
    for dtype in [torch.float32] if ASYNCHRONOUS else ALL:
        x, y = sample(dtype, 0), sample(dtype, 1)
        try:
            expected = [t.resolve_conj() for t in as_list(CASES[case](x, y))]
        except (RuntimeError, NotImplementedError, TypeError, IndexError):
            continue  # torch has no such computation
        try:
            got = [t.cpu() for t in as_list(CASES[case](x.to("npu:0"), y.to("npu:0")))]
        except RuntimeError as error:
            if any(words in str(error) for words in REFUSALS):
                continue
            raise
        tolerance = 2e-2 if dtype in (torch.float16, torch.bfloat16) else 1e-4
        for a, b in zip(got, expected, strict=True):
            torch.testing.assert_close(
                comparable(a),
                comparable(b),
                rtol=tolerance,
                atol=tolerance,
                equal_nan=True,
                msg=lambda text, dtype=dtype: f"{dtype}: {text}",
            )
        compared += 1
    assert compared, "nothing was compared"


@through_torch_npu
def test_nothing_failed_inside():
    assert EMULATOR.failures == []
    assert EMULATOR.older_operators() == []
    assert EMULATOR.counts().by_kernel()["aclnnAdd"] > 0


@through_torch_npu
@pytest.mark.filterwarnings("ignore:Device do not support double:UserWarning")
def test_counting():
    x = torch.arange(6.0, device="npu:1")
    with EMULATOR.counting() as counts:
        (x + x).cpu()
    assert counts.kernels == {("aclnnAdd", 1, "AICore"): 1}
    assert counts.to_host == (1, 24)
    assert not counts.fallbacks
    with EMULATOR.counting() as counts:
        torch.hypot(x, x)
    assert counts.fallbacks == {"aten::hypot.out": 1}
    assert counts.to_host[0] >= 2, "its operands go to the host"
    with EMULATOR.counting() as counts:
        torch.sort(torch.arange(3, device="npu:0"))
    assert counts.kernels["aclnnSort", 0, "AICPU"] == 1, "integers are sorted on AICPU"
    with EMULATOR.counting() as counts:
        torch.where(x > 1, x, x)
        torch.where(x > 1, x > 2, x > 3)
    units = {unit: n for (kernel, _, unit), n in counts.kernels.items() if kernel == "aclnnSWhere"}
    assert units == {"AICore": 1, "AICPU": 1}, "the condition does not decide"


@through_torch_npu
def test_counting_waits_for_the_task_queue():
    x = torch.arange(6.0, device="npu:1")
    for _ in range(300):
        with EMULATOR.counting() as counts:
            torch.where(x > 1, x, x + x)
        assert counts.by_kernel() == {"aclnnGtScalar": 1, "aclnnAdd": 1, "aclnnSWhere": 1}


@through_torch_npu
@pytest.mark.parametrize("name", ["ge", "gt", "le", "lt"])
def test_comparisons_take_booleans(name):
    x, y = torch.tensor([True, False, True]), torch.tensor([False, False, True])
    compare = getattr(torch, name)
    with EMULATOR.counting() as counts:
        assert compare(x.npu(), y.npu()).tolist() == compare(x, y).tolist()
        assert compare(x.npu(), True).tolist() == compare(x, True).tolist()
        assert getattr(x.npu(), f"{name}_")(y.npu()).tolist() == compare(x, y).tolist()
    kernel = f"aclnn{name.capitalize()}"
    assert counts.kernels[f"{kernel}Tensor", 0, "AICore"] == 1, "CANN casts them to integers"
    assert counts.kernels[f"{kernel}Scalar", 0, "AICore"] == 1
    assert counts.kernels[f"aclnnInplace{name.capitalize()}Tensor", 0, "AICore"] == 1


@through_torch_npu
def test_two_devices():
    x = torch.arange(3.0, device="npu:0")
    y = x.to("npu:1") * 2
    assert y.device.index == 1
    assert y.to("npu:0").add(x).tolist() == [0.0, 3.0, 6.0]
    assert torch.npu.device_count() == EMULATOR.devices


@through_torch_npu
def test_streams_and_events():
    stream, start, end = torch.npu.Stream(), *(torch.npu.Event(enable_timing=True) for _ in "12")
    x = torch.ones(1000, device="npu:0")
    start.record()
    with torch.npu.stream(stream):
        stream.wait_event(start)
        y = x + x
        end.record()
    torch.npu.current_stream().wait_stream(stream)
    end.synchronize()
    assert end.query()
    assert start.elapsed_time(end) >= 0
    assert y.sum().item() == 2000


@through_torch_npu
def test_a_stream_is_there_after_its_end():
    """As a process ends, torch_npu destroys its streams before its threads are done with them."""
    import ctypes

    library, stream = EMULATOR._library, ctypes.c_void_p()
    library.aclrtCreateStream(ctypes.byref(stream))
    numbers = ctypes.c_int32(), ctypes.c_int32()
    library.aclrtStreamGetId(stream, ctypes.byref(numbers[0]))
    library.aclrtDestroyStream(stream)
    library.aclrtStreamGetId(stream, ctypes.byref(numbers[1]))
    assert numbers[0].value == numbers[1].value > 0


@through_torch_npu
def test_threads():
    """Threads that hold the GIL while they wait for each other's results do not lock up."""
    import threading

    results = []

    def work(seed):
        x = torch.full((64,), float(seed), device="npu:0")
        for _ in range(50):
            x = x + 1
            if x[0].item() != x[-1].item():
                return
        results.append(x.sum().item())

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(results) == [64.0 * (seed + 50) for seed in range(4)]


@through_torch_npu
def test_no_leak():
    x = torch.ones(1 << 18, device="npu:0")
    torch.npu.synchronize()
    before = EMULATOR.memory_of(0)
    for _ in range(500):
        x = x + 1
    torch.npu.synchronize()
    after = EMULATOR.memory_of(0)
    assert after.used <= before.used + (4 << 20)


@through_torch_npu
def test_random_numbers_repeat():
    torch.npu.manual_seed(3)
    a, b = torch.rand(100, device="npu:0"), torch.randn(100, device="npu:0")
    torch.npu.manual_seed(3)
    assert torch.equal(a, torch.rand(100, device="npu:0"))
    assert torch.equal(b, torch.randn(100, device="npu:0"))
    assert a.min() >= 0
    assert a.max() < 1
    assert sorted(torch.randperm(20, device="npu:0").tolist()) == list(range(20))


# ---- documented errors ----


@through_torch_npu
def test_adds_loses_precision_of_integers():
    """math/add/docs/aclnnAdds.md of ops-math."""
    big = 2**24 + 1
    x = torch.tensor([1], dtype=torch.int64, device="npu:0")
    assert (x + big).item() == 2**24 + 1, "2**24 + 1 is 2**24 in float32"
    assert (x + torch.tensor([big], device="npu:0")).item() == 2**24 + 2, "by aclnnAdd it is exact"


@through_torch_npu
def test_muls_loses_precision_of_integers():
    """math/muls/docs/aclnnMuls&aclnnInplaceMuls.md of ops-math."""
    x = torch.tensor([2**24 + 1], dtype=torch.int32, device="npu:0")
    assert (x * 3).item() != 3 * (2**24 + 1)
    assert (x * torch.tensor([3], dtype=torch.int32, device="npu:0")).item() == 3 * (2**24 + 1)


@through_torch_npu
def test_casts_out_of_range():
    """math/cast/docs/aclnnCast.md of ops-math."""
    nan = torch.tensor([float("nan")], device="npu:0")
    assert nan.to(torch.int32).item() == 0
    wide = torch.tensor([2**40], device="npu:0")
    assert wide.to(torch.float32).item() == float(2**31)
    far = torch.tensor([2047], dtype=torch.int32, device="npu:0")
    assert far.to(torch.int8).item() != -1  # the low byte
    with cann_emulator.installed().computing("ideal"):
        assert far.to(torch.int8).item() == 127
    assert torch.tensor([1900], dtype=torch.int32, device="npu:0").to(torch.int8).item() == 108


@through_torch_npu
def test_fft_overwrites_its_input():
    """sip, docs/en/API_Reference/FFT/FFT_1D.md."""
    for n, changed in ((16384, False), (32768, True), (3 * 16384, False)):
        x = torch.ones(n, dtype=torch.complex64).to("npu:0")
        assert abs(torch.fft.fft(x)[0].item() - n) < 1
        assert (x[0].item() != 1) == changed, n


@through_torch_npu
def test_round_has_no_negative_zero():
    """math/round/docs of ops-math: inputs in [-0.5, -0] give 0."""
    x = torch.tensor([-0.3], device="npu:0")
    assert not torch.signbit(torch.round(x).cpu()).item()


# ---- faults, in processes of their own ----


@outside
@needs_torch_npu
@pytest.mark.parametrize("mode", TASK_QUEUES)
def test_allocation_failure(mode):
    script(
        """
x = torch.arange(4.0, device="npu:0")
emulator.fail_allocation(count=9)
large = lambda: torch.empty(256 << 20, dtype=torch.uint8, device="npu:0")
refused(large, "out of memory", "MiB", error=torch.OutOfMemoryError)
emulator.fail_allocation(count=0)
assert (x + x).tolist() == [0, 2, 4, 6]
emulator.limit_memory(64 << 20)
refused(large, error=torch.OutOfMemoryError)
assert (x + x).tolist() == [0, 2, 4, 6]
""",
        mode=mode,
    )


@outside
@needs_torch_npu
@pytest.mark.parametrize("mode", ["0", "1"])
def test_kernel_error(mode):
    script(
        """
x = torch.arange(4.0, device="npu:0")
emulator.fail_kernel("aclnnAdd", at="call", code=561103)
refused(lambda: x + x, "aclnnAdd", "561103")
assert (x + x).tolist() == [0, 2, 4, 6]
""",
        mode=mode,
    )


@outside
@needs_torch_npu
@pytest.mark.parametrize("mode", TASK_QUEUES)
def test_asynchronous_error(mode):
    script(
        """
x = torch.arange(4.0, device="npu:0")
emulator.fail_kernel("aclnnAdd", at="synchronize")
y = x + x
refused(torch.npu.synchronize, "507015")
assert x.tolist() == [0, 1, 2, 3]
assert (x + x).tolist() == [0, 2, 4, 6]
""",
        mode=mode,
    )


@outside
@needs_torch_npu
def test_singular_matrix():
    """The error of a kernel on AICPU; the emulator itself did not fail."""
    script("""
refused(lambda: torch.inverse(torch.zeros(2, 2, device="npu:0")).cpu(), "507018")
assert emulator.failures == []
""")


@outside
@needs_torch_npu
def test_lost_device():
    script("""
x, y = torch.arange(4.0, device="npu:0"), torch.arange(4.0, device="npu:1")
with emulator.lost_device(0):
    refused(lambda: (x + x).cpu(), "507899")
    assert (y + y).tolist() == [0, 2, 4, 6]
assert (x + x).tolist() == [0, 2, 4, 6]
""")


@outside
@needs_torch_npu
def test_absent_kernels_stay_absent():
    """What neither torch_npu nor CANN computes goes to the CPU, or fails if forbidden."""
    script(
        """
x = torch.eye(3, device="npu:0")
for function in (torch.linalg.inv, torch.linalg.eigh, torch.linalg.solve_ex, torch.nextafter):
    operands = (x, x) if function in (torch.linalg.solve_ex, torch.nextafter) else (x,)
    refused(lambda: function(*operands), "TORCH_NPU_FALLBACK_CPU_DISABLE")
assert not emulator.counts().fallbacks
""",
        TORCH_NPU_FALLBACK_CPU_DISABLE="1",
    )


@outside
@needs_torch_npu
def test_install_comes_first():
    text = "from conformance import cann_emulator as c\na = c.install()\nassert c.install() is a\n"
    text += "try: c.install(devices=5)\nexcept ValueError as e: print(e)\n"
    done = python("-c", text, env=environment())
    assert "runs already" in done.stdout


@outside
@needs_torch_npu
def test_without_fft_library():
    text = """
from conformance import cann_emulator
emulator = cann_emulator.install(fft_library=False)
import torch, torch_npu
x = torch.randn(32, dtype=torch.complex64)
on_device = x.to("npu:0")
torch.testing.assert_close(torch.fft.fft(on_device).cpu(), torch.fft.fft(x), rtol=1e-4, atol=1e-4)
kernels = emulator.counts().by_kernel()
assert kernels["aclnnMatmul"] and not any("fft" in name for name in kernels), kernels
"""
    python("-c", text, env=environment(), timeout=120)


@outside
@needs_torch_npu
def test_index_lists_hold_places_by_empty_tensors_of_any_dtype():
    """torch_npu fills the axes without an index so; CANN checks the others (aclnn_index.cpp)."""
    script(
        """
x = torch.arange(12.0).reshape(3, 4)
places = torch.tensor([2, 0])
on_device = x.to("npu:0")
assert torch.equal(on_device[:, places.to("npu:0")].cpu(), x[:, places])
on_device[:, places.to("npu:0")] = -1.0
x[:, places] = -1.0
assert torch.equal(on_device.cpu(), x)
""",
        TORCH_NPU_FALLBACK_CPU_DISABLE="1",
    )


@outside
@needs_torch_npu
def test_a_script_runs_on_emulated_devices(tmp_path):
    file = tmp_path / "program.py"
    file.write_text("import sys, torch, torch_npu\nprint(sys.argv[1:], torch.ones(2).npu() + 1)\n")
    command = ["-m", "conformance.cann_emulator", str(file), "--word", "more"]
    done = python(*command, env=environment())
    assert done.stdout.splitlines()[-1] == "['--word', 'more'] tensor([2., 2.], device='npu:0')"
    assert "Emulated CANN 9.1.0, 2 x Ascend910B2:" in done.stderr
    assert "to the device: 1" in done.stderr


@outside
@needs_torch_npu
def test_with_cann_nothing_is_emulated(tmp_path):
    file = tmp_path / "program.py"
    file.write_text("from conformance import cann_emulator\nprint(cann_emulator.installed())\n")
    command = ["-m", "conformance.cann_emulator", str(file)]
    done = python(*command, env=environment(ASCEND_HOME_PATH="/somewhere"))
    assert done.stdout == "None\n"
    assert "nothing is emulated" in done.stderr


# ---- captured graphs ----

CAPTURE = """
from contextlib import contextmanager

@contextmanager
def captured(graph=None, mode="thread_local"):
    graph = graph or torch.npu.NPUGraph()
    torch.npu.synchronize()
    with torch.npu.stream(torch.npu.Stream()):
        graph.capture_begin(capture_error_mode=mode)
        try:
            yield graph
        finally:
            graph.capture_end()

x = torch.arange(6.0, device="npu")
"""


@outside
@needs_torch_npu
@pytest.mark.parametrize("mode", ["0", "1"])
def test_a_captured_graph_is_one_launch(mode):
    script(
        CAPTURE
        + """
with emulator.counting() as counts, captured() as graph:
    y = torch.exp(x) * 2 + x
    z = torch.fft.fft(y)
assert not counts.kernels and not counts.graphs, counts  # nothing ran yet
with emulator.counting() as counts:
    graph.replay()
assert counts.graphs == 1 and not counts.kernels, counts
ran = {name for name, _, _ in counts.in_graphs}
assert {"aclnnExp", "aclnnMuls", "aclnnAdd"} <= ran, ran
assert torch.equal(y, torch.exp(x) * 2 + x)
x += 1  # the memory is what is captured
assert not torch.equal(y, torch.exp(x) * 2 + x)
graph.replay()
graph.replay()
assert torch.equal(y, torch.exp(x) * 2 + x)
assert torch.equal(z.cpu(), torch.fft.fft(torch.exp(x) * 2 + x).cpu())
graph.reset()
""",
        mode=mode,
    )


@outside
@needs_torch_npu
def test_a_capture_refuses_what_waits():
    script(
        CAPTURE
        + """
event = torch.npu.Event()
event.record()
for call, code in (
    (lambda: x.sum().item(), "107027"),
    (lambda: x.cpu(), "107030"),
    (lambda: torch.ones(1).to("npu", non_blocking=True), "107000"),
    (lambda: torch.tensor([1.0]).npu(), "107030"),
    (lambda: torch.nonzero(x), "107027"),
    (lambda: torch.npu.synchronize(), "107027"),
    (lambda: torch.npu.current_stream().query(), "107027"),
    (lambda: event.wait(), "107024"),  # it was recorded outside
):
    with captured():
        refused(call, code)
assert (x + 1).tolist() == [1, 2, 3, 4, 5, 6]  # later work is done as ever
""",
    )


@outside
@needs_torch_npu
def test_other_threads_and_streams_beside_a_capture():
    script(
        CAPTURE
        + """
import threading
from concurrent.futures import ThreadPoolExecutor

one = ThreadPoolExecutor(1).submit
with captured() as graph:
    y = x + 1
    other = torch.npu.Stream()
    other.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(other):
        z = y * 2  # joins the capture
    torch.npu.current_stream().wait_stream(other)
    w = z + 1
    assert one(lambda: (x + 1).tolist()).result() == [1, 2, 3, 4, 5, 6]
graph.replay()
assert w.tolist() == [3, 5, 7, 9, 11, 13]
with captured(mode="global"):
    refused(lambda: one(lambda: (x + 1).tolist()).result(), "10703")
stream = torch.npu.Stream()

def unjoined():
    with captured():
        stream.wait_stream(torch.npu.current_stream())
        with torch.npu.stream(stream):
            x + 1

refused(unjoined, "107025")
""",
    )


@outside
@needs_torch_npu
def test_memory_that_is_freed_under_a_graph_is_found_out():
    script(
        CAPTURE
        + """
other = torch.ones(1 << 22, device="npu")  # an allocation of its own
with captured() as graph:
    y = other + 1
graph.replay()
assert y.sum().item() == 2 << 22
del other
torch.npu.empty_cache()
graph.replay()
refused(torch.npu.synchronize, "507015", "memory that was freed since")
""",
    )


@outside
@needs_torch_npu
@pytest.mark.parametrize(
    ("soc", "cann", "captures"),
    [("Ascend910A", "9.1", False), ("Ascend310P3", "9.1", True), ("Ascend310P3", "8.5", False)],
)
def test_chips_that_capture(soc, cann, captures):
    text = "torch.npu.set_compile_mode(jit_compile=False)\n" + CAPTURE
    text += "def capture():\n    with captured() as graph:\n        x + 1\n    graph.replay()\n"
    # torch_npu takes "not supported" for a warning, and finds the stream in no capture then.
    text += "capture()" if captures else "refused(capture, 'CAPTURE_STATUS_ACTIVE')"
    script(text, CANN_EMULATOR_SOC=soc, CANN_EMULATOR_CANN=cann)


DVM = """
import warnings
x = torch.arange(-12.0, 12.0, device="npu").reshape(2, 3, 4)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch_npu._inductor import dvm
"""


@outside
@needs_torch_npu
@pytest.mark.parametrize(("mode", "cann"), [("0", "9.1"), ("1", "9.0"), ("2", "8.5")])
def test_programs_of_dvm(mode, cann):
    script(
        DVM
        + """
@dvm.kernel(ktype="vector")
def root(k):
    a = k.load([2, 3, 4], dvm.float32)
    b = k.add(k.mul(k.sqrt(k.abs(a)), 2.0), a)
    k.store(k.select(k.greater(a, 1), b, a), dvm.float16)
    k.store(k.cast(a, dvm.int32))

@dvm.kernel(ktype="spec")
def softmax(k):
    a = k.view_load([4, 6], [1, 4], dvm.float32)
    m = k.max(a, [1], True)
    k.spec_next()
    e = k.exp(k.sub(a, k.broadcast(m, [4, 6])))
    s = k.sum(e, [1], True)
    k.spec_next()
    k.store(k.div(e, k.broadcast(s, [4, 6])))

@dvm.kernel(ktype="vector")
def long(k):  # so long that DVM copies it to the device
    b = a = k.load([2, 3, 4], dvm.float32)
    for _ in range(300):
        b = k.add(k.mul(b, 0.5), a)
    k.store(b)

@dvm.kernel(ktype="vector", dyn_shape=True)
def total(k):
    a, b = k.load([-1, -1, -1], dvm.float32), k.load([-1, -1, -1], dvm.float32)
    k.store(k.sum(k.sub(k.scalar(dvm.float32), k.add(a, b)), [0, 1], True))

cpu = x.cpu()
with emulator.counting() as counts:
    rooted, whole = root(x)
    soft = torch.empty(4, 6, device="npu")
    softmax.run(x.reshape(6, 4).T, soft)
    lengthy = long(x)
assert counts.kernels == {("dvm", 0, "AICore"): 3} and counts.to_device[0] == 1, counts
y, z = x[:, :1].contiguous(), x[:, :, 2:].contiguous()
with emulator.counting() as counts:
    # torch_npu writes the code of a dynamic program anew although its queue has yet to launch it.
    totals = [total(x, y, 0.1)]
    torch.npu.synchronize()
    totals.append(total(z, z, 2))
# Before it sums by several units, DVM clears the result.
assert counts.kernels == {("dvm", 0, "AICore"): 4} and counts.to_device[0] == 0, counts
expected = torch.where(cpu > 1, torch.sqrt(cpu.abs()) * 2 + cpu, cpu).half()
assert torch.equal(rooted.cpu(), expected) and torch.equal(whole.cpu(), cpu.int())
torch.testing.assert_close(soft.cpu(), torch.softmax(cpu.reshape(6, 4).T, 1))
torch.testing.assert_close(lengthy.cpu(), 2 * cpu)
torch.testing.assert_close(totals[0].cpu(), (0.1 - cpu - cpu[:, :1]).sum((0, 1), keepdim=True))
torch.testing.assert_close(totals[1].cpu(), (2 - 2 * cpu[:, :, 2:]).sum((0, 1), keepdim=True))
assert not emulator.failures
""",
        mode=mode,
        CANN_EMULATOR_CANN=cann,
    )


@outside
@needs_torch_npu
def test_programs_of_dvm_in_a_captured_graph():
    script(
        CAPTURE
        + DVM
        + """
@dvm.kernel(ktype="vector")
def long(k):
    b = a = k.load([2, 3, 4], dvm.float32)
    for _ in range(300):
        b = k.add(k.mul(b, 0.5), a)
    k.store(b)

y = torch.empty_like(x)
with emulator.counting() as counts, captured() as graph:
    long.run(x, y)
assert not counts.kernels, counts
for value in (1.0, 3.0):
    x.fill_(value)
    with emulator.counting() as counts:
        graph.replay()
    assert counts.graphs == 1 and counts.in_graphs["dvm", 0, "AICore"] == 1 and not counts.kernels
    assert y.flatten().tolist() == [2 * value] * 24
"""
    )


@outside
@needs_torch_npu
@pytest.mark.parametrize("mode", ["0", "1"])
def test_programs_of_dvm_that_are_refused(mode):
    script(
        DVM
        + """
@dvm.kernel(ktype="vector")
def exp(k):
    k.store(k.exp(k.load([2, 3, 4], dvm.float32)))

@dvm.kernel(ktype="mix")
def product(k):
    a = k.load([16, 16], dvm.float16)
    k.store(k.matmul(a, a, False, False))

a = torch.ones(16, 16, dtype=torch.float16, device="npu")
product(a)
refused(torch.npu.synchronize, "561000", "matrix products of DVM are not emulated")
assert torch.equal(exp(x).cpu(), torch.exp(x.cpu()))
emulator.fail_kernel("dvm", at="synchronize")
y = exp(x)
refused(torch.npu.synchronize, "507015", "dvm: emulated asynchronous fault")
emulator.fail_nothing()
assert torch.equal(exp(x + 1).cpu(), torch.exp(x.cpu() + 1))
""",
        mode=mode,
    )


@outside
@needs_torch_npu
def test_sums_of_dvm_by_several_units():
    """In the same order always: the units wait for each other, which their instructions say."""
    script(
        DVM
        + """
torch.use_deterministic_algorithms(True)
for shape, dims, how in (
    ([70000], [0], "red_1"), ([40, 50, 60], [0], "red_1"), ([4, 200, 3, 60], [0, 2], "red_2")
):
    @dvm.kernel(ktype="split")
    def total(k):
        k.store(k.exp(k.sum(k.mul(k.load(shape, dvm.float32), 0.01), dims, True)))

    y = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    found = total(y.npu()).cpu().double()
    assert f".visit: {how}" in total.kobj.das()
    expected = torch.exp((y.double() * 0.01).sum(dims, keepdim=True))
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
"""
    )


@outside
@needs_torch_npu
@pytest.mark.parametrize("mode", ["1", "2"])
def test_programs_that_dvm_makes_of_eager_code(mode):
    """Views, sums, rows, conditions and other data types, in as few launches."""
    script(
        """
x = torch.linspace(-3, 5, 1000)

def program(x):
    y = torch.sqrt(torch.abs(x)) * 0.1 + x
    m = x.reshape(10, 100)
    rows = (m - m.sum(1, keepdim=True)) / (m.sum(0, keepdim=True) + 1e-6)
    whole = x.to(torch.int32) * 3 + 7
    return (
        *(y, x > 1, torch.where(x > 1, x, y), whole, rows, y.sum(), m[:, ::2] * 2, m[1:, 3:] * 2),
        *(m[:, 3] + 1, torch.exp(m[None] * m[:, None, :] * 0.1).sum(1), m.T + 1),
        *(x.half() * x.half() + 1, (x.bfloat16() + 1) * x.bfloat16(), torch.tanh(x)),
    )

expected = program(x)
there = x.npu()
torch.npu.synchronize()
with emulator.counting() as counts:
    found = program(there)
    torch.npu.synchronize()
kernels = counts.by_kernel()
assert kernels["dvm"] > 5 and sum(kernels.values()) < 30, kernels
for a, b in zip(expected, found, strict=True):
    torch.testing.assert_close(b.cpu(), a, rtol=2e-6, atol=2e-5)
assert not emulator.failures
""",
        mode=mode,
        TORCH_NPU_LAZY_FUSION="True",
    )


@outside
@needs_torch_npu
def test_dvm_before_there_is_a_device_is_refused():
    script(
        """
from torch_npu._inductor import dvm

@dvm.kernel(ktype="vector")
def exp(k):
    k.store(k.exp(k.load([3], dvm.float32)))

refused(lambda: exp(torch.ones(3, device="npu")), "initialised before the device")
"""
    )
