"""What every module of tests on NPUs imports first: it sees to it that there are NPUs.

On a machine without CANN that is the emulated one, with two devices, installed once a process;
where CANN is set up (its ``set_env.sh`` was sourced) it is the real one, and ``EMULATOR`` is None.
Where neither can be had the module that imports this one is skipped, with the reason.

    from npu import EMULATOR, needs_emulator, needs_two_devices, script

    import ascend_array_api as xp  # the default device is npu:0
    from ascend_array_api._torch import torch

The order matters, because ascend_array_api imports torch_npu.  So a process in which
ascend_array_api was imported without NPUs (the whole suite in one process: other modules come
first) skips these modules.  They have what NPUs alone have.  Tests of other folders that hold on
NPUs too are marked ``npu`` where they stand; `make npu-unit` runs both in one process, which has
NPUs from its start.  So one command runs any test on NPUs, here and elsewhere:

    python -m pytest --device npu FILE -k NAME

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
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from npus import ENVIRONMENT, problem
from processes import environment as kept_environment
from processes import python

from conformance import cann_emulator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[3]

if reason := problem():
    pytest.skip(reason, allow_module_level=True)

EMULATOR = cann_emulator.installed()
"""The emulator; None on real NPUs."""

import ascend_array_api as xp  # noqa: E402  # after the emulator
from ascend_array_api._torch import torch  # noqa: E402

if not (hasattr(torch, "npu") and torch.npu.is_available()):
    pytest.skip("torch_npu finds no NPU", allow_module_level=True)

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


def on_host(result: Any) -> Any:
    """Return results as NumPy's arrays; they must be on the NPU."""
    if isinstance(result, tuple):
        return tuple(map(on_host, result))
    assert result._tensor.device.type == "npu"
    assert result._tensor.dtype is result.dtype
    return result._tensor.detach().cpu().numpy()


def computed(function: Callable[..., Any], *operands: Any, **parameters: Any) -> Any:
    """Call a function with NumPy's arrays on the NPU, and see that it stays there."""
    arrays = [xp.asarray(x) for x in operands]
    with on_device():
        result = function(*arrays, **parameters)
    return on_host(result)


def wrapped(numbers: Any, name: str) -> np.ndarray[Any, Any]:
    """Return Python's integers modulo the range of a data type."""
    bits, low = np.iinfo(name).bits, int(np.iinfo(name).min)
    flat = [(int(v) - low) % 2**bits + low for v in np.ravel(np.asarray(numbers, object))]
    return np.asarray(flat, name).reshape(np.shape(numbers))


_HEAD = """
from conformance import cann_emulator
emulator = cann_emulator.install({})
import ascend_array_api as xp
import torch
"""


def script(
    text: str,
    *,
    fails: bool = False,
    timeout: float = 180,
    installed: str = "devices=2",
    **environment: str,
) -> str:
    """Run a script on emulated NPUs, in a process of its own; return what it printed.

    It has ``emulator``, ``xp`` and ``torch``.  The emulator is ``installed`` with these arguments.
    Other keywords are variables of the environment, such as ``TASK_QUEUE_ENABLE="2"``.
    """
    kept = kept_environment("TASK_QUEUE", "PYTEST", "TORCH", "ASCEND", PYTHONPATH=str(ROOT))
    done = python(
        *("-W", "error", "-c", _HEAD.format(installed) + text),
        code=None,
        env=kept | ENVIRONMENT | environment,
        timeout=timeout,
    )
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done.stdout


def workshop(*arguments: str, **how: Any) -> str:
    """Run a command of the workshop, which passes, in such a process; return what it printed."""
    return script(f"from workshop.cli import main\nraise SystemExit(main({[*arguments]!r}))", **how)


def called(module: str, *calls: str, timeout: float = 600, **how: str) -> str:
    """Call functions of a module beside this one in such a process; return what they printed."""
    path = os.pathsep.join([str(ROOT), str(Path(__file__).parent)])
    text = f"import {module}\n" + "".join(f"{module}.{call}\n" for call in calls)
    return script(text, timeout=timeout, PYTHONPATH=path, **how)
