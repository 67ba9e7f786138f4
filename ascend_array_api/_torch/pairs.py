"""Compatible versions of torch and torch_npu, checked before torch_npu is imported.

Imports neither torch nor any module of the package, so that this file can be loaded alone, before
both.

Beside an incompatible torch, the import of torch_npu crashes, ends the process or misbehaves, and
no ``except`` helps.  So the versions decide, and nothing is tried out.
"""

from __future__ import annotations

import re
from typing import Final

CPU_BUILDS: Final = "https://download.pytorch.org/whl/cpu"
"""The index of torch's builds for the CPU, as torch documents it."""

_ABORTS_BESIDE_CUDA: Final = (2, 10)
"""The first release, up to 2.14 at least, in which torch_npu registers two settings of the
allocator (``pinned_reserve_segment_size_mb``, ``per_process_memory_fraction``) that libc10_cuda
registers too.  For the duplicate c10 ends the process."""


class PairError(ImportError):
    """A torch and a torch_npu that are incompatible.

    Attributes
    ----------
    reason, remedy
        The reason, and the command that solves the problem; the message has both.
    """

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"{reason}: {remedy}")
        self.reason, self.remedy = reason, remedy


class MismatchError(PairError):
    """A torch_npu that was built for another torch."""


class CudaBuildError(PairError):
    """A build of torch for CUDA beside a torch_npu that would end the process."""


def release(version: str) -> tuple[int, ...]:
    """Return the numbers at the beginning of a version: (2, 13, 0) for ``"2.13.0+cu130"``."""
    return tuple(map(int, re.findall(r"\d+", re.match(r"[\d.]*", version)[0])))  # type: ignore[index]  # matches always


_NEWEST: Final = (2, 14)
"""The newest torch_npu; a later torch would have to be replaced by the one that it asks for."""


def install_npu(torch: str) -> str:
    """Return the command that installs the newest torch_npu for a torch.

    The command names a minor release, because torch_npu does not follow every patch release of
    torch.  pip then installs the torch that torch_npu requires; it must find a build for the CPU.
    """
    minor = ".".join(map(str, min(release(torch)[:2], _NEWEST)))
    return f"pip install 'torch-npu=={minor}.*' --extra-index-url {CPU_BUILDS}"


def install_torch(torch_npu: str) -> str:
    """Return the command that installs a torch that is compatible with a torch_npu."""
    if release(torch_npu) < _ABORTS_BESIDE_CUDA:
        return f"pip install torch=={_dotted(torch_npu)}"
    # Without "+cpu", pip would be content with the installed build for CUDA.
    return f"pip install torch=={_dotted(torch_npu)}+cpu --index-url {CPU_BUILDS}"


def refusal(torch: str, cuda: str | None, torch_npu: str) -> PairError | None:
    """Return the error if torch_npu must not be imported beside a torch, else None.

    Parameters
    ----------
    torch, torch_npu
        Their versions.
    cuda
        The version of CUDA that torch is built for: ``torch.version.cuda``.
    """
    if release(torch)[:2] != release(torch_npu)[:2]:
        return MismatchError(
            f"torch_npu {torch_npu} does not match torch {torch}",
            f"{install_npu(torch)}; or, to keep torch_npu, {install_torch(torch_npu)}",
        )
    if cuda is not None and release(torch_npu) >= _ABORTS_BESIDE_CUDA:
        return CudaBuildError(
            f"torch {torch} is a build for CUDA, and torch_npu {torch_npu} would end the process "
            "beside it",
            install_torch(torch),
        )
    return None


def _dotted(version: str) -> str:
    return ".".join(map(str, release(version)[:3]))
