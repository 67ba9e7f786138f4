"""The guarded import of torch and, where it is installed, of torch_npu.

With torch_npu installed but without CANN, ``import torch`` itself raises, because torch loads
every installed backend.  So torch is imported with that loading switched off, and torch_npu
after it, and what torch_npu said stays in ``NPU_ERROR`` for whoever asks why there is no NPU.
A torch_npu that would end the process is not imported at all, and ``NPU_ERROR`` says so.
No other module imports torch_npu.
"""

from __future__ import annotations

import importlib.metadata
import os
import sys
from typing import Final

from . import _pair

_AUTOLOAD: Final = "TORCH_DEVICE_BACKEND_AUTOLOAD"

if "torch" in sys.modules:
    import torch
else:
    _before = os.environ.get(_AUTOLOAD)
    os.environ[_AUTOLOAD] = "0"
    try:
        import torch
    finally:
        if _before is None:
            del os.environ[_AUTOLOAD]
        else:
            os.environ[_AUTOLOAD] = _before


def version_of(package: str) -> str | None:
    """Return the version of a package that is installed; None where there is none."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


NPU_VERSION: Final = version_of("torch-npu")
"""The version of torch_npu that is installed; None where there is none."""


def _import_npu() -> Exception | None:
    """Import torch_npu; return what keeps it from being imported."""
    if NPU_VERSION is None:
        return None
    refusal = _pair.refusal(torch.__version__, torch.version.cuda, NPU_VERSION)
    if isinstance(refusal, _pair.CudaBuildError) and "torch_npu" in sys.modules:
        refusal = None  # somebody made the two go together: the process lives
    if refusal is not None:
        return refusal
    try:
        import torch_npu  # noqa: F401
    except (ImportError, RuntimeError, OSError) as error:
        return error
    return None


NPU_ERROR: Final = _import_npu()
"""Why torch_npu, although it is installed, could not be imported."""


def why_not(device_type: str) -> str:
    """Return the sentence on why there are no devices of this type; empty if nothing is known."""
    if device_type != "npu" or NPU_ERROR is None:
        return ""
    if isinstance(NPU_ERROR, _pair.PairError):
        return f" {NPU_ERROR}."
    return " torch_npu could not be imported: python -m ascend_array_api says why."


__all__ = ["NPU_ERROR", "NPU_VERSION", "torch", "version_of", "why_not"]
