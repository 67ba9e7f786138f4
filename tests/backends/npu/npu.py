"""What every module of tests on NPUs imports first: it sees to it that there are NPUs.

On a machine without CANN that is the emulated one, with two devices, installed once a process;
where CANN is set up (its ``set_env.sh`` was sourced) it is the real one, and ``EMULATOR`` is None.
Where neither can be had the module that imports this one is skipped, with the reason.

    from npu import EMULATOR, needs_emulator, needs_two_devices, script

    import ascend_array_api as xp  # the default device is npu:0
    from ascend_array_api._torch import torch

The order matters, because ascend_array_api imports torch_npu.  So a process in which
ascend_array_api was imported without NPUs (the whole suite in one process: other modules come
first) skips these modules; tests/backends/test_npus.py then runs them in a process of their own:

    python -m pytest tests/backends/npu

``EMULATOR`` counts (``with EMULATOR.counting() as counts``) and injects faults.  In a process with
faults all that follows may be wrong: a test with a fault runs in its own, by ``script``.

torch_npu raises where it has no kernel (TORCH_NPU_FALLBACK_CPU_DISABLE=1), and the namespace
refuses to go to the host unless a test asks it to (ASCEND_ARRAY_API_HOST_FALLBACK is left alone:
``filterwarnings = error`` makes each HostFallbackWarning an error).
"""

from __future__ import annotations

import contextlib
import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from processes import python

from conformance import cann_emulator, pair
from conformance.devices import has_cann

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.cann_emulator import Emulator

ROOT = Path(__file__).parents[3]
ENVIRONMENT = {
    "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",  # the emulator comes before torch_npu
    "TORCH_NPU_FALLBACK_CPU_DISABLE": "1",
}


def _skip(reason: str) -> None:
    pytest.skip(reason, allow_module_level=True)


def _install() -> Emulator | None:
    """Return the emulator; None where there are real NPUs; else skip the module."""
    if problem := pair.problem():
        _skip(problem)
    running = cann_emulator.installed()
    if running is not None:
        return running
    loaded = sys.modules.get("ascend_array_api")
    if loaded is not None and not hasattr(sys.modules["torch"], "npu"):
        _skip("runs in a process of its own: python -m pytest tests/backends/npu")
    os.environ.update(ENVIRONMENT)
    if has_cann():
        return None
    if sys.platform != "linux":
        _skip("CANN, and so its emulation, is for Linux")
    try:
        return cann_emulator.install(devices=2)
    except cann_emulator.CompilerError as error:
        return _skip(str(error))


EMULATOR = _install()
"""The emulator; None on real NPUs."""

from ascend_array_api._torch import torch  # noqa: E402  # after the emulator

if not (hasattr(torch, "npu") and torch.npu.is_available()):
    _skip("torch_npu finds no NPU")

QUIET_TORCH_NPU = pytest.mark.filterwarnings(
    "ignore:Cannot create tensor with internal format:UserWarning"
)
"""torch_npu warns once a process of a memory layout that the namespace never asks for."""

QUIET_ORACLE = (
    pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning"),
)
"""NumPy, the oracle, warns of infinities and NaNs, which are what these tests look for."""

needs_emulator = pytest.mark.skipif(EMULATOR is None, reason="counts, or injects faults")
needs_two_devices = pytest.mark.skipif(torch.npu.device_count() < 2, reason="needs two NPUs")


@contextlib.contextmanager
def on_device(copies: float = 0, size: float = math.inf) -> Iterator[Any]:
    """See that nothing goes to the host but so many copies of so many bytes in all."""
    if EMULATOR is None:
        yield
        return
    with EMULATOR.counting() as counts:
        yield counts
        torch.npu.synchronize()
    assert not counts.fallbacks
    assert counts.to_host[0] <= copies
    assert counts.to_host[1] <= size


def wrapped(numbers: Any, name: str) -> np.ndarray[Any, Any]:
    """Return Python's integers modulo the range of a data type."""
    bits, low = np.iinfo(name).bits, int(np.iinfo(name).min)
    flat = [(int(v) - low) % 2**bits + low for v in np.ravel(np.asarray(numbers, object))]
    return np.asarray(flat, name).reshape(np.shape(numbers))


_HEAD = """
from conformance import cann_emulator
emulator = cann_emulator.install(devices=2)
import ascend_array_api as xp
import torch
"""


def script(text: str, *, fails: bool = False, timeout: float = 180, **environment: str) -> str:
    """Run a script on two emulated NPUs, in a process of its own; return what it printed.

    It has ``emulator``, ``xp`` and ``torch``.  Keywords are variables of its environment, such as
    ``TASK_QUEUE_ENABLE="2"``.
    """
    kept = {
        k: v
        for k, v in os.environ.items()
        if not k.startswith(("TASK_QUEUE", "PYTEST", "TORCH", "ASCEND"))
    }
    done = python(
        *("-W", "error", "-c", _HEAD + text),
        code=None,
        env=kept | ENVIRONMENT | {"PYTHONPATH": str(ROOT)} | environment,
        timeout=timeout,
    )
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done.stdout
