"""Programs on the emulated CANN, each for a process of its own: ``python emulated.py NAME``.

Those of the runtime call its C interface by itself.
"""

import contextlib
import ctypes
import functools
import os
import re
import sys
import time
from ctypes import c_int64 as L  # as C writes them
from ctypes import c_void_p as P
from pathlib import Path

import pytest

from conformance import cann_emulator


def refused(call, *words, error=RuntimeError):
    with pytest.raises(error) as caught:
        call()
    assert all(word in str(caught.value) for word in words), caught.value


@contextlib.contextmanager
def captured(graph=None, mode="thread_local"):
    """Capture what is called in a block."""
    import torch

    graph = graph or torch.npu.NPUGraph()
    torch.npu.synchronize()
    with torch.npu.stream(torch.npu.Stream()):
        graph.capture_begin(capture_error_mode=mode)
        try:
            yield graph
        finally:
            graph.capture_end()


# ---- the runtime by itself, through its C interface ----

TO_DEVICE, TO_HOST = 1, 2
numbers = (ctypes.c_float * 4)()
host = ctypes.addressof(numbers)


def start():
    global emulator, acl  # noqa: PLW0603  # one to a process
    emulator = cann_emulator.install(devices=2, memory=64 << 20)
    acl = ctypes.CDLL("libascendcl.so", mode=ctypes.RTLD_GLOBAL)
    acl.aclCreateTensor.restype = acl.aclCreateScalar.restype = P
    acl.aclGetRecentErrMsg.restype = acl.aclrtGetSocName.restype = ctypes.c_char_p
    assert acl.aclrtSetDevice(0) == 0


def alloc(size):
    address = P()
    code = acl.aclrtMalloc(ctypes.byref(address), ctypes.c_size_t(size), 0)
    return code, address.value


def two():
    """The addresses of four numbers each; those on the host become four squares."""
    numbers[:] = [1, 4, 9, 16]
    return alloc(16)[1], alloc(16)[1]


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


def install_comes_first():
    assert cann_emulator.install(memory=64 << 20) is emulator
    refused(lambda: cann_emulator.install(devices=5), "runs already", error=ValueError)


def fresh_memory_holds_garbage():
    a, b = two()
    assert copy(host, a, 16, TO_HOST) == 0
    assert bytes(numbers) == b"\xcb" * 16


def computes_and_counts():
    a, b = two()
    before = emulator.counts()
    assert copy(a, host, 16, TO_DEVICE) == 0
    assert launch("aclnnSqrt", tensor(a, 4), tensor(b, 4)) == 0
    assert copy(host, b, 16, TO_HOST) == 0
    assert list(numbers) == [1, 2, 3, 4]
    counts = emulator.counts().since(before)
    assert counts.kernels == {("aclnnSqrt", 0, "AICore"): 1}
    assert (counts.to_device, counts.to_host) == ((1, 16), (1, 16))
    assert emulator.failures == []


def checks_dtypes_shapes_and_ranks():
    a, b = two()
    UINT16, before = 7, emulator.counts()
    assert launch("aclnnSqrt", tensor(a, 4, UINT16), tensor(b, 4)) == 161002
    assert b"dtype uint16 of argument 0" in acl.aclGetRecentErrMsg()
    assert launch("aclnnSqrt", tensor(a, 3), tensor(b, 4)) == 161002
    assert b"does not broadcast" in acl.aclGetRecentErrMsg()
    nine = (L * 9)(*[1] * 9)
    ndim = ctypes.c_uint64(9)
    deep = acl.aclCreateTensor(nine, ndim, 0, nine, L(0), 2, nine, ndim, P(a))
    assert launch("aclnnSqrt", deep, deep) == 161002
    assert b"9 dimensions" in acl.aclGetRecentErrMsg()
    assert not emulator.counts().since(before).kernels


def keeps_host_and_device_apart():
    a, b = two()
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


def limits_memory():
    a, b = two()
    freed = emulator.memory_of(0).frees
    code, _ = alloc(65 << 20)
    assert code == 207001, code
    code, most = alloc(60 << 20)
    assert code == 0
    assert alloc(8 << 20)[0] == 207001
    assert acl.aclrtFree(P(most)) == 0
    assert acl.aclrtFree(P(most)) == 107000, "freed twice"
    code, some = alloc(8 << 20)
    assert code == 0
    emulator.limit_memory(1 << 20)
    assert alloc(4096)[0] == 207001
    emulator.limit_memory()
    emulator.fail_allocation(nth=2)
    assert [alloc(4096)[0] for _ in range(3)] == [0, 207001, 0]
    memory = emulator.memory_of(0)
    assert memory.frees == freed + 1
    assert memory.used < memory.peak
    assert acl.aclrtFree(P(some)) == 0


def faults():
    a, b = two()
    assert copy(a, host, 16, TO_DEVICE) == 0

    def sqrt():
        return launch("aclnnSqrt", tensor(a, 4), tensor(b, 4))

    emulator.fail_kernel("aclnnSqrt", nth=2)
    assert [sqrt(), sqrt(), sqrt()] == [0, 161002, 0]
    emulator.fail_kernel("aclnnSqrt", at="launch", code=507014)
    assert [sqrt(), sqrt()] == [507014, 0]
    emulator.fail_kernel("aclnnSqrt", at="synchronize")
    assert sqrt() == 0
    assert acl.aclrtSynchronizeDevice() == 507015
    with emulator.lost_device(0):
        assert sqrt() == 507899
        assert alloc(16)[0] == 507899
        assert acl.aclrtSynchronizeDevice() == 507899
        acl.aclrtSetDevice(1)
        assert alloc(16)[0] == 0, "the other device is still there"
        acl.aclrtSetDevice(0)
    assert sqrt() == 0
    assert acl.aclrtSynchronizeDevice() == 0


def functions_of_the_runtime_fail_on_demand():
    a, b = two()
    names = emulator.functions()
    assert len(names) == len(set(names)) > 90
    assert {"aclInit", "aclrtSetDevice"} < {*names}
    for name in names:
        emulator.fail_function(name, 507033, f"{name} was told to")
        assert getattr(acl, name)() == (None if name == "aclrtGetSocName" else 507033), name
        assert acl.aclGetRecentErrMsg().decode() == f"{name} was told to"
        emulator.fail_nothing()
    assert acl.aclrtSetDevice(0) == 0
    assert acl.aclrtGetSocName() == b"Ascend910B2"
    assert acl.aclrtSetDevice(9) == 107001
    assert b"device 9" in acl.aclGetRecentErrMsg()
    refused(lambda: emulator.fail_function("aclnnAdd", 1), "aclnnAdd", error=ValueError)


def whatever_a_kernel_raises_the_device_goes_on():
    a, b = two()
    number, task = emulator._number["aclnnSqrt"], emulator._tasks[emulator._number["aclnnSqrt"]]
    for error in (SystemExit("\ud800"), KeyboardInterrupt(), ValueError("\ud800")):

        def fails(*operands, error=error):
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


def what_is_not_emulated_answers_no_success():
    a, b = two()

    def lacks(code, function, *arguments):
        assert acl[function](*arguments) == code, function
        assert b"not emulated" in acl.aclGetRecentErrMsg(), function

    for function in ("aclmdlInitDump", "aclrtGetFunctionAddr", "aclrtMapMem"):
        lacks(207000, function)
    found, stub, zero = P(), ctypes.c_int(), ctypes.c_int64()
    assert acl.aclrtBinaryLoadFromData(P(host), L(16), None, ctypes.byref(found)) == 0
    lacks(207000, "aclrtBinaryGetFunction", found, b"add_kernel", ctypes.byref(found))
    lacks(207000, "rtFunctionRegister", found, ctypes.byref(stub), b"add_kernel", b"add_kernel", 0)
    lacks(207000, "aclGetDeviceCapability", 0, 99, ctypes.byref(zero))
    # Neither a kernel of another compiler nor one of DVM's whose operations nobody noted.
    launch_stub = ctypes.byref(stub), 1, P(host), 16, None, None
    lacks(561000, "rtKernelLaunch", *launch_stub)
    assert acl.aclrtSynchronizeDevice() == 561000
    assert acl.aclrtSynchronizeDevice() == 0
    assert acl.rtFunctionRegister(found, ctypes.byref(stub), b"dvm_mix_aiv", b"dvm_mix_aiv", 0) == 0
    lacks(561000, "rtKernelLaunch", *launch_stub)
    launch_function = "aclrtLaunchKernelWithHostArgs"
    given = 1, None, None, P(host), L(16), None, L(0)
    lacks(561000, launch_function, P(host), *given)
    assert acl.aclrtBinaryGetFunction(found, b"dvm_aix_aiv", ctypes.byref(found)) == 0
    lacks(561000, launch_function, found, *given)
    assert acl.aclrtSynchronizeDevice() == 561000
    assert acl.aclrtSynchronizeDevice() == 0


def an_event_is_over_once_all_is_done():
    """However fast the device is: on one processor it runs before the call that records returns."""
    a, b = two()
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


def runtime():
    """Last of all, host code touches memory of the device."""
    start()
    for function in (
        install_comes_first,
        fresh_memory_holds_garbage,
        computes_and_counts,
        checks_dtypes_shapes_and_ranks,
        keeps_host_and_device_apart,
        limits_memory,
        faults,
        functions_of_the_runtime_fail_on_demand,
        whatever_a_kernel_raises_the_device_goes_on,
        what_is_not_emulated_answers_no_success,
        an_event_is_over_once_all_is_done,
    ):
        function()
    print("all of it", flush=True)
    ctypes.string_at(two()[0], 4)


# ---- two ranks: each wait for the other ends, and says which rank is missing in what ----

FLOAT, SUM = 4, 0


def u(number):
    return ctypes.c_uint64(number)


def wait_for(name):
    while not (place / name).exists():
        time.sleep(0.01)


def root(name):
    """What rank 0 tells the other."""
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
    """Call it; return what the error said, if there was one, and after how many seconds."""
    began = time.monotonic()
    assert CALLS[name](comm) == 0, acl.aclGetRecentErrMsg()
    code = acl.aclrtSynchronizeDevice()
    assert code in (0, 507048), code
    said = acl.aclGetRecentErrMsg().decode() if code else ""
    return said, time.monotonic() - began


def a_rank_is_late():
    for name, call in CALLS.items():
        comm = join(name)
        if rank == 0:
            said, took = waited(name, comm)
            kind = "Send and Recv" if name in ("Send", "Recv") else name
            assert f"the wait of {kind} on rank 0 of 2" in said, said
            assert "rank 1 did not come within HCCL_EXEC_TIMEOUT, 1 s" in said, said
            assert 0.9 < took < 20, took
            assert call(comm) == 9
            assert b"has failed before" in acl.aclGetRecentErrMsg()
    (place / str(rank)).touch()
    wait_for(str(1 - rank))  # or it would be gone


def a_rank_does_not_come():
    def declined(*arguments):
        comm, began = P(), time.monotonic()
        code = acl.HcclCommInitRootInfo(*arguments, ctypes.byref(comm))
        assert time.monotonic() - began < 20
        return code, acl.aclGetRecentErrMsg().decode()

    if rank == 0:
        os.environ["HCCL_CONNECT_TIMEOUT"] = "1"
        code, said = declined(2, root("alone"), 0)
        assert code == 9, said
        assert "waited for rank 1 in vain (HCCL_CONNECT_TIMEOUT)" in said, said
        code, said = declined(2, b"/cann_emulator_hccl_none".ljust(4108, b"\0"), 0)
        assert code == 4, said
        assert "finds no communicator /cann_emulator_hccl_none" in said, said
        code, said = declined(17, bytes(4108), 0)
        assert code == 1, said
        assert "takes 1 to 16 ranks" in said, said
        assert declined(2, bytes(4108), 2)[0] == 1
    name = root("twice")
    os.environ["HCCL_CONNECT_TIMEOUT"] = "2"
    code, said = declined(2, name, 0)  # both say that they are the first
    assert code in (1, 9), said
    assert ("another process is rank 0" if code == 1 else "waited for rank 1 in vain") in said, said
    (place / f"code {code}").touch()
    wait_for("code 1")
    wait_for("code 9")


def leaves(comm):
    acl.HcclCommDestroy(comm)


def gives_up(comm):  # who comes when the others have given up waits no time of its own
    assert "did not come" in waited("AllReduce", comm)[0]


def calls_another(comm):
    assert "another" in waited("Broadcast", comm)[0]


def ends(comm):
    os._exit(0)


def a_rank_is_gone(how, why):
    os.environ["HCCL_EXEC_TIMEOUT"] = ["60", "1"][rank]
    name = how.__name__
    comm = join(name)
    if rank == 1:
        how(comm)
        (place / f"{name} done").touch()
        wait_for(f"{name} told")
        return
    if how is gives_up:
        wait_for(f"{name} done")
    said, took = waited("AllReduce", comm)
    assert "the wait of AllReduce on rank 0 of 2" in said, said
    assert why in said, said
    assert took < 20, took
    (place / f"{name} told").touch()


def in_ranks():
    global rank, place, a, b  # one to a process
    os.environ |= {"HCCL_EXEC_TIMEOUT": "1", "HCCL_CONNECT_TIMEOUT": "60"}
    rank, place = int(os.environ["RANK"]), Path(sys.argv[2])
    start()
    acl.aclrtSetDevice(rank)
    a, b = two()
    a_rank_is_late()
    a_rank_does_not_come()
    os.environ["HCCL_CONNECT_TIMEOUT"] = "60"
    a_rank_is_gone(leaves, "rank 1 is gone")
    a_rank_is_gone(gives_up, "rank 1 is gone")
    a_rank_is_gone(calls_another, "rank 1 calls another collective")
    a_rank_is_gone(ends, "rank 1 is gone")


# ---- how kernels compute, and what the host's code refuses ----


def modes():
    emulator = cann_emulator.install(devices=1)
    import torch
    import torch_npu  # noqa: F401

    def quotient():
        one, tenth = (torch.tensor([x], device="npu") for x in (1.0, 0.1))
        return emulator.mode, torch.floor_divide(one, tenth).cpu().item()

    assert quotient() == ("chip", 10)
    with emulator.computing("ideal"):
        assert quotient() == ("ideal", 9)
    emulator.set_mode("hostile:all")
    assert quotient() == ("hostile:all", 10)
    assert torch.ceil(torch.tensor([0.1], device="npu") * -3).cpu().item() == 0
    emulator.set_mode("ideal")
    arguments(emulator)


def arguments(emulator):
    import torch

    def declines(call):
        try:
            call()
        except RuntimeError as error:
            if not re.search("16100|561002", str(error)):
                raise
            return True
        return False

    def npu(shape, dtype):
        return torch.ones(shape, dtype=dtype).npu()

    whole, real, flag = npu(3, torch.int64), npu(3, torch.float32), npu(3, torch.bool)
    assert declines(lambda: torch.ops.aten.add_(whole, real))
    assert declines(lambda: torch.ops.aten.mul_(flag, whole))
    assert not declines(lambda: torch.ops.aten.add_(real, whole))
    assert not declines(lambda: torch.add(whole, real))
    assert not declines(lambda: torch.ge(flag, 0))

    def product(rank):
        x = npu((1,) * rank, torch.float32)
        return declines(lambda: torch.matmul(x.expand((2,) * (rank - 2) + (1, 1)), x))

    assert not product(8)
    with emulator.computing("hostile:sort"):
        assert (product(6), product(7)) == (False, True)
    for dtype in (torch.int32, torch.int64):
        found = torch.repeat_interleave(npu(3, dtype) * 2)
        assert (found.dtype, found.cpu().tolist()) == (dtype, [0, 0, 1, 1, 2, 2])
    five = npu((1,) * 5, torch.float32)
    times = (1, 2, 2, 2, 2)
    assert not declines(lambda: five.repeat(times))
    with emulator.computing("chip"):
        assert declines(lambda: five.repeat(times))
        assert not declines(lambda: five.repeat((2, 2, 2, 2, 1)))
    torch.npu.synchronize()
    assert not emulator.failures, emulator.failures


# ---- torch_npu, where the environment or the order of calls decides ----


def without():
    """No library of Fourier transforms, and nothing goes to the CPU by itself."""
    emulator = cann_emulator.install(fft_library=False)
    import torch
    import torch_npu  # noqa: F401

    x = torch.randn(32, dtype=torch.complex64)
    found = torch.fft.fft(x.to("npu:0")).cpu()
    torch.testing.assert_close(found, torch.fft.fft(x), rtol=2e-6, atol=2e-6)
    kernels = emulator.counts().by_kernel()
    assert kernels["aclnnMatmul"], kernels
    assert not any("fft" in name for name in kernels), kernels
    # What neither torch_npu nor CANN computes fails where it may not go to the CPU.
    x = torch.eye(3, device="npu:0")
    for function in (torch.linalg.inv, torch.linalg.eigh, torch.linalg.solve_ex, torch.nextafter):
        operands = (x, x) if function in (torch.linalg.solve_ex, torch.nextafter) else (x,)
        refused(functools.partial(function, *operands), "TORCH_NPU_FALLBACK_CPU_DISABLE")
    assert not emulator.counts().fallbacks


def load_dvm():
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch_npu._inductor import dvm
    return dvm


def run_programs_of_dvm(emulator, dvm):
    import torch

    x = torch.arange(-12.0, 12.0, device="npu").reshape(2, 3, 4)

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
    assert counts.kernels == {("dvm", 0, "AICore"): 3}, counts
    assert counts.to_device[0] == 1, counts
    y, z = x[:, :1].contiguous(), x[:, :, 2:].contiguous()
    with emulator.counting() as counts:
        # torch_npu writes the code of a dynamic program anew before its queue has launched it.
        totals = [total(x, y, 0.1)]
        torch.npu.synchronize()
        totals.append(total(z, z, 2))
    # Before it sums by several units, DVM clears the result.
    assert counts.kernels == {("dvm", 0, "AICore"): 4}, counts
    assert counts.to_device[0] == 0, counts
    expected = torch.where(cpu > 1, torch.sqrt(cpu.abs()) * 2 + cpu, cpu).half()
    assert torch.equal(rooted.cpu(), expected)
    assert torch.equal(whole.cpu(), cpu.int())
    torch.testing.assert_close(soft.cpu(), torch.softmax(cpu.reshape(6, 4).T, 1))
    torch.testing.assert_close(lengthy.cpu(), 2 * cpu)
    torch.testing.assert_close(totals[0].cpu(), (0.1 - cpu - cpu[:, :1]).sum((0, 1), keepdim=True))
    torch.testing.assert_close(totals[1].cpu(), (2 - 2 * cpu[:, :, 2:]).sum((0, 1), keepdim=True))
    assert not emulator.failures


def programs_of_dvm():
    emulator = cann_emulator.install()
    import torch
    import torch_npu  # noqa: F401

    torch.arange(3.0, device="npu")  # DVM is initialised after the device
    run_programs_of_dvm(emulator, load_dvm())
    assert emulator.cann == f"{os.environ[cann_emulator._emulator.CANN_VARIABLE]}.0"
    library, said = ctypes.CDLL("libopapi.so"), ctypes.create_string_buffer(64)
    library.aclsysGetVersionStr(b"runtime", said)
    assert said.value.decode() == emulator.cann
    assert hasattr(library, "aclnnAdd")
    assert hasattr(library, "aclnnCdist") == (emulator.cann >= "9")


def dvm_first():
    """Use DVM before there is a device."""
    cann_emulator.install()
    import torch
    import torch_npu  # noqa: F401
    from torch_npu._inductor import dvm

    @dvm.kernel(ktype="vector")
    def exp(k):
        k.store(k.exp(k.load([3], dvm.float32)))

    refused(lambda: exp(torch.ones(3, device="npu")), "initialised before the device")


def capture():
    import torch

    torch.npu.set_compile_mode(jit_compile=False)
    x = torch.arange(6.0, device="npu")
    with captured() as graph:
        x + 1
    graph.replay()


def chip_that_captures():
    cann_emulator.install()
    import torch_npu  # noqa: F401

    capture()


def chip_that_captures_nothing():
    cann_emulator.install()
    import torch_npu  # noqa: F401

    # torch_npu takes "not supported" for a warning, and finds the stream in no capture then.
    refused(capture, "CAPTURE_STATUS_ACTIVE")


if __name__ == "__main__":
    globals()[sys.argv[1]]()
