"""Programs of processes that end, or end what they share: ``python endings.py NAME`` in each."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import time
from datetime import timedelta
from pathlib import Path

import torch.distributed as dist

import ascend_array_api as xp
import ascend_array_api.distributed as xd


def told(call):
    """Print what a call raises, and end."""
    try:
        call()
    except RuntimeError as error:
        print(f"told {type(error).__name__}: {error}", flush=True)
        os._exit(0)


def larger_swap():
    """Swap more than the other process expects, for which gloo ends that one."""
    mesh = xd.init("cpu", timeout=600)
    y = xp.ones((600, 600), device=mesh)
    told(lambda: xp.roll(y, 1) if xd.rank(mesh) else xp.flip(y))


def larger_gather():
    """Gather more than the other process expects."""
    mesh = xd.init("cpu", timeout=600)
    told(lambda: xd.gather(xp.ones((6, 600 if xd.rank(mesh) else 6000), device=mesh)))


def failing(fails):
    """Let one process fail; the other is told, and ends."""
    mesh = xd.init("cpu", timeout=60)
    x = xp.arange(8, device=mesh)
    if xd.rank(mesh) == 1:
        fails()
    try:
        print(float(xp.sum(x)))
    except RuntimeError as error:
        print("told:", type(error).__name__, flush=True)
        os._exit(3)


def raises():
    """Let one process raise."""

    def fails():
        raise ValueError("this one alone")

    failing(fails)


def dies():
    """Let one process end."""
    failing(lambda: os._exit(1))


def begins_again():
    """End the default group and begin another one: of both processes, of this one, of both."""
    said = []
    for alone in (False, False, True, False):
        own = {"store": dist.HashStore(), "rank": 0, "world_size": 1} if alone else {}
        dist.init_process_group("gloo", timeout=timedelta(seconds=600), **own)
        mesh = xd.init("cpu")
        x = xp.arange(6, device=mesh)
        said.append((xd.layout(x).sizes, int(xp.sum(x)), [int(part[0]) for part in xd.parts(x)]))
        dist.destroy_process_group()
    print("said", said)


def threads():
    """Yield the names of the threads of this process."""
    for path in Path("/proc/self/task").glob("*/comm"):
        with contextlib.suppress(OSError):  # it has just ended
            yield path.read_text()


def left():
    """Print whether threads of gloo are left: Linux lists them for a moment after their end."""
    end = time.monotonic() + 20
    while (found := any("gloo" in name for name in threads())) and time.monotonic() < end:
        time.sleep(0.01)
    print("left", found)


def leaves_dtensors():
    """Import what might keep a group, and say at the end whether threads of it are left."""
    atexit.register(left)  # it runs after what init registers
    mesh = xd.init("cpu", timeout=600)
    from torch.utils._python_dispatch import TorchDispatchMode

    class Plain(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    with Plain():
        xp.to_torch(xp.ones(2)) + 1
    x = xp.ones((6, 2), device=mesh)
    xp.matmul(x.T, x)
    xd.to_dtensor(x).sum().full_tensor()
    print("sum", float(xp.sum(x)))


if __name__ == "__main__":
    globals()[sys.argv[1]]()
