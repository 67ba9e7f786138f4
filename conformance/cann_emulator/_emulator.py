"""The emulator: the device thread that runs kernels, and what a user can ask and set."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import re
import sys
import threading
import traceback
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .. import pair
from . import _modes, _native, _table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

ACLNN_ERR_INNER = 561000
DEVICE_LOST = 507899  # ACL_ERROR_RT_DRV_INTERNAL_ERROR
AICORE_EXCEPTION = 507015
PARAM_INVALID = 161002

CANN_VARIABLE = "CANN_EMULATOR_CANN"
AUTOLOAD = "TORCH_DEVICE_BACKEND_AUTOLOAD"

# When an injected fault of a kernel shows: at the check of its arguments, at its launch, or at the
# next synchronisation after it.
MOMENTS = {"call": 0, "launch": 1, "synchronize": 2}


_NO_KERNEL, _ANY_KERNEL = -1, -2  # as operators.c has them


@dataclass
class Counts:
    """What happened on the devices.

    Attributes
    ----------
    kernels
        Launches, by kernel, device index and unit (``"AICore"`` or ``"AICPU"``).
    to_device, to_host
        Copies between host and device: ``(number, bytes)``.
    on_device
        Copies between two places in device memory.
    fallbacks
        Operators that torch_npu computed on the CPU, copying there and back, by name.
    graphs
        Captured graphs that were executed: one launch each.
    in_graphs
        The kernels that ran in them, as in `kernels`.
    """

    kernels: Counter[tuple[str, int, str]] = field(default_factory=Counter)
    to_device: tuple[int, int] = (0, 0)
    to_host: tuple[int, int] = (0, 0)
    on_device: tuple[int, int] = (0, 0)
    fallbacks: Counter[str] = field(default_factory=Counter)
    graphs: int = 0
    in_graphs: Counter[tuple[str, int, str]] = field(default_factory=Counter)

    def by_kernel(self) -> Counter[str]:
        """Return the launches by kernel alone."""
        total: Counter[str] = Counter()
        for (kernel, _, _), number in self.kernels.items():
            total[kernel] += number
        return total

    def since(self, before: Counts) -> Counts:
        """Return what was added since `before`."""

        def less(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
            return a[0] - b[0], a[1] - b[1]

        return Counts(
            kernels=self.kernels - before.kernels,
            to_device=less(self.to_device, before.to_device),
            to_host=less(self.to_host, before.to_host),
            on_device=less(self.on_device, before.on_device),
            fallbacks=self.fallbacks - before.fallbacks,
            graphs=self.graphs - before.graphs,
            in_graphs=self.in_graphs - before.in_graphs,
        )


@dataclass(frozen=True)
class Memory:
    """The memory of one device: bytes and calls."""

    used: int
    peak: int
    allocations: int
    frees: int


class Emulator:
    """The running emulator; `install` makes it.

    Attributes
    ----------
    devices : int
    memory : int
        Bytes of one device.
    failures : list of str
        Tracebacks of emulated kernels that raised: defects of the emulator, or arguments that it
        should have refused. Empty after a good run.
    """

    def __init__(
        self,
        devices: int,
        memory: int,
        soc: str,
        cann: str,
        *,
        fft_library: bool,
        mode: _modes.Mode,
    ) -> None:
        self.devices, self.memory, self.soc, self.cann = devices, memory, soc, cann
        self.fft_library = fft_library
        self.failures: list[str] = []
        self._kernels = (*_table.kernels(cann=cann), _table.FUSED)
        self._number = {kernel.name: i for i, kernel in enumerate(self._kernels)}
        self._mode = mode
        self._like = _table.family(soc), cann
        self._tasks: list[Callable[..., Any]] = []
        self._library = _native.load(_table.family(soc), cann, fft_library=fft_library)
        missing = self._library.emulator_start(devices, memory, soc.encode(), cann.encode())
        if missing:
            raise MemoryError(
                f"no {missing} bytes of addresses for an emulated device of {memory} bytes; "
                "give install() less memory"
            )
        # Registered before torch_npu registers its own, this runs after that.
        atexit.register(self._stop)
        self._thread = threading.Thread(target=self._run, name="emulated NPU", daemon=True)

    # -- the device thread --

    def start(self) -> None:
        """Start the device thread; `install` does."""
        # torch would import torch_npu by itself: that is left to the caller.
        before = os.environ.get(AUTOLOAD)
        os.environ[AUTOLOAD] = "0"
        try:
            from . import _arguments  # noqa: F401
            from ._dvm import Guard

            self._dvm = Guard(self._library)
            self._choose(self._mode)
        finally:
            if before is None:
                del os.environ[AUTOLOAD]
            else:
                os.environ[AUTOLOAD] = before
        self._thread.start()

    def _stop(self) -> None:
        """End the device thread while Python can still end it in an orderly way."""
        self._library.emulator_stop()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        import torch

        from ._arguments import Arguments
        from .kernels._errors import KernelError

        torch.set_grad_enabled(False)  # for this thread
        arguments = Arguments(self._library, self.devices, 2 * self.memory)
        prepared = [arguments.reader(kernel) for kernel in self._kernels[:-1]]
        done, code, text = None, 0, b""
        while True:
            address = self._library.emulator_next(done, code, text)
            if not address:
                return
            done, code, text = address, 0, b""
            job = _native.Job.from_address(address)
            try:
                read, write = prepared[job.kernel]
                task = self._tasks[job.kernel]
                inputs = read(job)
                if inputs is not None:
                    write(job, task(*inputs))
            except KernelError as error:
                name = self._kernels[job.kernel].name
                code, text = error.code, f"{name}: {error}".encode(errors="replace")
            except BaseException:  # noqa: BLE001  (all wait for ever where the thread ends)
                name = self._kernels[job.kernel].name
                self.failures.append(f"{name}\n{traceback.format_exc()}")
                code, text = ACLNN_ERR_INNER, self.failures[-1].encode(errors="replace")[-480:]

    # -- how kernels compute --

    def _choose(self, mode: _modes.Mode) -> None:
        from . import faults

        family, _ = self._like
        tasks, limits = _modes.tasks(mode, family), faults.positions(family)
        if mode.chip:
            tasks = faults.changed(tasks, *self._like)
            limits = faults.limits(*self._like)
        # Programs of DVM, which come last, are run by dvm.c.
        self._mode, self._tasks = mode, [tasks[kernel.name] for kernel in self._kernels[:-1]]
        self._library.emulator_set_as_chip(mode.chip)
        for i, kernel in enumerate(self._kernels):
            self._library.emulator_limit_kernel(i, limits.get(kernel.name, 0))

    @property
    def mode(self) -> str:
        """How kernels compute: ``"ideal"``, ``"chip"`` or ``"hostile:FAMILY"``."""
        return str(self._mode)

    def set_mode(self, mode: str) -> None:
        """Let kernels compute in another mode from now on; what was submitted before is done."""
        chosen = _modes.parse(mode)
        self.wait()
        self._choose(chosen)

    @contextlib.contextmanager
    def computing(self, mode: str) -> Iterator[None]:
        """Let kernels compute in another mode in a block."""
        before = self.mode
        self.set_mode(mode)
        try:
            yield
        finally:
            self.set_mode(before)

    @contextlib.contextmanager
    def failing_like(self, soc: str, cann: str) -> Iterator[None]:
        """Let kernels have the faults of another chip and release of CANN in a block.

        Data types, kernels and what the runtime answers stay those of the emulated ones.
        """
        before = self._like
        self._as_of(_table.family(soc), cann)
        try:
            yield
        finally:
            self._as_of(*before)

    def _as_of(self, family: str, cann: str) -> None:
        self.wait()
        self._like = family, cann
        self._choose(self._mode)

    # -- what happened --

    def counts(self) -> Counts:
        """Return all counts since the start, once the devices are idle."""
        self.wait()
        counts = Counts()
        for device in range(self.devices):
            for i, kernel in enumerate(self._kernels):
                for unit, name in enumerate(("AICore", "AICPU")):
                    for in_graph, found in enumerate((counts.kernels, counts.in_graphs)):
                        number = self._library.emulator_count(in_graph, i, device, unit)
                        if number:
                            found[kernel.name, device, name] = number
            counts.graphs += self._library.emulator_executions(device)
            traffic = self._traffic(device)
            for name in ("to_device", "to_host", "on_device"):
                number, size = getattr(counts, name)
                more = getattr(traffic, name), getattr(traffic, f"{name}_bytes")
                setattr(counts, name, (number + more[0], size + more[1]))
        count = ctypes.c_uint64()
        while name := self._library.emulator_fallback(
            len(counts.fallbacks), ctypes.addressof(count)
        ):
            counts.fallbacks[name.decode()] = count.value
        return counts

    @contextlib.contextmanager
    def counting(self) -> Iterator[Counts]:
        """Count what happens in a block; the counts are filled in at its end."""
        before, counts = self.counts(), Counts()
        try:
            yield counts
        finally:
            vars(counts).update(vars(self.counts().since(before)))

    def memory_of(self, device: int = 0) -> Memory:
        """Return what the device's memory holds: torch_npu's cache counts as used."""
        traffic = self._traffic(device)
        return Memory(traffic.used, traffic.peak, traffic.allocations, traffic.frees)

    def older_operators(self) -> list[str]:
        """Return the operators asked for on the older (GE) path.

        torch_npu takes it where a kernel is missing in libopapi.so; the emulator has none there.
        """
        names: list[str] = []
        while name := self._library.emulator_asked(len(names)):
            names.append(name.decode())
        return names

    def _traffic(self, device: int) -> _native.Traffic:
        traffic = _native.Traffic()
        self._library.emulator_read_traffic(device, ctypes.addressof(traffic))
        return traffic

    # -- faults --

    def fail_allocation(self, nth: int = 1, count: int = 1, device: int = 0) -> None:
        """Let `count` allocations of the runtime fail, beginning with the `nth` from now on.

        torch_npu asks the runtime only when its cache has no room, and asks again after it has
        emptied its cache. A count of 0 takes the order back.
        """
        if nth < 1:
            raise ValueError(f"nth counts from 1, not from {nth}")
        self._library.emulator_fail_allocation(device, nth - 1, count)

    def limit_memory(self, size: int | None = None, device: int = 0) -> None:
        """Let the device have `size` bytes from now on; None: as many as at the start."""
        if size is not None and size > self.memory:
            raise ValueError(f"an emulated device has at most the {self.memory} bytes of install()")
        self._library.emulator_limit(device, self.memory if size is None else size)

    def fail_kernel(
        self, kernel: str, at: str = "call", code: int | None = None, nth: int = 1
    ) -> None:
        """Let the `nth` use of `kernel` from now on fail.

        Parameters
        ----------
        kernel
            Its name, such as ``"aclnnAdd"``; ``"*"`` is any.
        at
            ``"call"`` (the check of the arguments answers `code`), ``"launch"`` (the launch does),
            or ``"synchronize"`` (the kernel does nothing, and the next synchronisation answers).
        code
            By default 161002 for the check and 507015 (AICore exception) for the others.
        nth
            1 is the next one.
        """
        if at not in MOMENTS:
            raise ValueError(f"at must be one of {', '.join(MOMENTS)}, not {at!r}")
        if kernel not in self._number and kernel != "*":
            raise ValueError(f"{kernel} is not a kernel of the emulator")
        code = code or (PARAM_INVALID if at == "call" else AICORE_EXCEPTION)
        number = self._number.get(kernel, _ANY_KERNEL)
        self._library.emulator_fail_kernel(number, MOMENTS[at], code, nth)

    def fail_copy(self, nth: int = 1) -> None:
        """Let the `nth` copy to, from or within device memory from now on fail."""
        self._library.emulator_fail_copy(nth)

    @staticmethod
    def functions() -> list[str]:
        """Return the names of the runtime's functions that `fail_function` knows."""
        return _native.functions()

    def fail_function(self, function: str, code: int, said: str = "") -> None:
        """Let a function of the runtime answer `code` from now on, until `fail_nothing`.

        Parameters
        ----------
        function
            Its name, such as ``"aclSetCompileopt"``: one of `functions`.
        code
            The error.
        said
            The text that CANN gives with it, which torch_npu appends to its own.
        """
        if function not in self.functions():
            raise ValueError(f"{function} is not a function of the emulator that can fail")
        said = said or f"emulated fault: {function} fails"
        if self._library.emulator_fail_function(function.encode(), code, said.encode()):
            raise ValueError("too many functions are to fail")

    def fail_nothing(self) -> None:
        """Take back all orders to fail that were not carried out yet."""
        self._library.emulator_fail_function(None, 0, b"")
        self._library.emulator_fail_kernel(_NO_KERNEL, 0, 0, 0)
        self._library.emulator_fail_copy(0)
        for device in range(self.devices):
            self._library.emulator_fail_allocation(device, 0, 0)

    @contextlib.contextmanager
    def lost_device(self, device: int = 0, code: int = DEVICE_LOST) -> Iterator[None]:
        """Let every call for `device` answer `code` in a block, as if it were gone."""
        self.wait()
        self._library.emulator_set_lost(device, code)
        try:
            yield
        finally:
            self._library.emulator_set_lost(device, 0)

    def wait(self) -> None:
        """Wait until the devices have done all that was submitted; errors stay where they are."""
        npu = getattr(sys.modules.get("torch"), "npu", None)
        if npu is not None and npu.is_initialized():
            # A device whose memory was never asked for has no work, and torch_npu no stream for it.
            for device in filter(lambda i: self.memory_of(i).allocations, range(self.devices)):
                # torch_npu asks only once its task queue has launched all; `npu_stream` is given
                # out before, in mode 2 of the queue.
                npu.current_stream(device).query()
        self._library.emulator_wait()


_CANN_VARIABLES = ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME")
"""What CANN's set_env.sh exports."""


def has_cann() -> bool:
    """Say whether the real CANN is set up on this machine, so that nothing need be emulated."""
    return any(os.environ.get(name) for name in _CANN_VARIABLES)


_installed: list[Emulator] = []


def installed() -> Emulator | None:
    """Return the emulator of this process, None if there is none."""
    return _installed[0] if _installed else None


def install(
    devices: int = 2,
    memory: int = 16 << 30,
    soc: str | None = None,
    cann: str | None = None,
    *,
    fft_library: bool | None = None,
    mode: str | None = None,
) -> Emulator:
    """Build and load the emulated CANN; call it before anything imports torch_npu.

    Parameters
    ----------
    devices
        How many devices there are, 1 to 8.
    memory
        Bytes of each. Only what is written to takes memory of the host.
    soc
        What the runtime answers when asked; None means the environment variable CANN_EMULATOR_SOC,
        and ``"Ascend910B2"`` without it. The table of kernels is that of Atlas A2; of the family of
        ``"Ascend310P3"``, without what CANN's sources refuse there.
    cann
        The release of CANN, such as ``"9.0"``: what the runtime answers when asked, and whose
        kernels and data types there are, from 8.5 on. None means the environment variable
        CANN_EMULATOR_CANN, and 9.1.0 without it.
    fft_library
        Whether there is libasdsip, as where nnal/asdsip/set_env.sh was sourced. Without it
        torch_npu computes transforms by matrix products. None means that there is, but for chips
        before Atlas A2, which its document (SiP, FFT_1D) calls not supported.
    mode
        How kernels compute: ``"ideal"`` (IEEE 754), ``"chip"`` (as Atlas A2 where a public source
        says so), ``"hostile:FAMILY"`` (at the edge of what is documented); see README.md. None
        means the environment variable CANN_EMULATOR_MODE, and ``"chip"`` without it. It may be
        changed later.

    Returns
    -------
    Emulator
        The same one on a second call.

    Raises
    ------
    CompilerError
        If there is no C compiler, or it fails.
    ImportError
        If torch_npu would end the process beside the torch that is installed.
    RuntimeError
        If torch_npu was imported before.
    ValueError
        If `devices` is out of range, there is no such mode, the kernels of `cann` are not known, or
        the emulator runs with other values.
    """
    if not 1 <= devices <= 8:
        raise ValueError(f"devices must be 1 to 8, not {devices}")
    soc = soc or os.environ.get("CANN_EMULATOR_SOC") or "Ascend910B2"
    if not re.fullmatch(r"[\w-]{1,63}", soc, re.ASCII):
        raise ValueError(f"no chip has the name {soc!r}; one is Ascend910B2")
    cann = ".".join(map(str, _table.release(cann or os.environ.get(CANN_VARIABLE) or _table.CANN)))
    if fft_library is None:
        fft_library = _table.family(soc) not in _table.BEFORE_A2
    emulator = installed()
    if emulator:
        running = (emulator.devices, emulator.memory, emulator.soc, emulator.cann)
        if (*running, emulator.fft_library) != (devices, memory, soc, cann, fft_library):
            raise ValueError(
                "the emulator runs already, with other values; it is set once a process"
            )
        if mode is not None:
            emulator.set_mode(mode)
        return emulator
    if "torch_npu" in sys.modules:
        raise RuntimeError("install() comes before anything imports torch_npu")
    if refusal := pair.refusal():
        raise refusal
    emulator = Emulator(
        devices, memory, soc, cann, fft_library=fft_library, mode=_modes.chosen(mode)
    )
    _installed.append(emulator)
    emulator.start()
    return emulator
