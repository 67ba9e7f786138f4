"""Whether the host waits for a GPU in a call that need not wait for it.

Two witnesses are asked. torch raises in its debug mode for synchronisation where torch itself
waits or copies, and says where. It knows nothing of NVIDIA's libraries, so the call is made
once more with a kernel in the queue that only passes time: whoever waits returns after its end.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Final

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

SLEEP: Final = 60_000_000
"""Clock cycles, some 30 ms: far longer than a call, once it has been made before."""

IN_LIBRARIES: Final = {
    **dict.fromkeys(("linalg.eig", "linalg.eigvals"), "cuSOLVER's geev waits"),
    **dict.fromkeys(("linalg.eigh", "linalg.eigvalsh"), "cuSOLVER's syevd and syevj wait"),
    **dict.fromkeys(("linalg.svd", "linalg.svdvals"), "cuSOLVER's gesvd, gesvdj and gesvda wait"),
    "linalg.pinv": "it is made of singular values",
    "linalg.matrix_rank": "it is made of singular values",
    "linalg.matrix_norm": "the orders 2, -2 and nuc are made of singular values",
}
"""The functions in which NVIDIA's library waits, which nobody above it can help: ``libraries.py``
proves it.  torch waits there besides, to look for errors, and has no form that does not."""


def waits(make: Callable[[], Callable[[], object]]) -> str:
    """Return how a call waits; nothing if it does not.

    Parameters
    ----------
    make : callable
        Returns the call, with new inputs on the GPU: it may write into them.
    """
    make()()  # what is set up once, such as a library's handle, may wait
    refused = _refused(make())
    return refused or ("in a library" if slept(make()) else "")


def _refused(call: Callable[[], object]) -> str:
    """Return what torch's debug mode says of a call."""
    torch.cuda.synchronize()
    before = torch.cuda.get_sync_debug_mode()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Synchronization debug mode is a prototype")
        torch.cuda.set_sync_debug_mode("error")
    try:
        call()
    except RuntimeError as error:
        if "synchronizing CUDA operation" not in _all(error):
            raise
        return "in torch"
    finally:
        torch.cuda.set_sync_debug_mode(before)
    return ""


def slept(call: Callable[[], object]) -> bool:
    """Say whether a call returns only after the kernels before it."""
    torch.cuda.synchronize()
    torch.cuda._sleep(SLEEP)  # type: ignore[no-untyped-call]
    end = torch.cuda.Event()  # type: ignore[no-untyped-call]
    end.record()
    call()
    ended: bool = end.query()  # type: ignore[no-untyped-call]
    torch.cuda.synchronize()
    return ended


def _all(error: BaseException | None) -> str:
    """Return the messages of an error and of those that it came from."""
    texts = []
    while error is not None:
        texts.append(str(error))
        error = error.__cause__ or error.__context__
    return "\n".join(texts)
