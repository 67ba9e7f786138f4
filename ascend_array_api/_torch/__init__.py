"""The guarded import of torch and, if it is installed, of torch_npu.

No other module imports torch_npu.  This one knows nothing of arrays and devices.

If torch_npu is installed but CANN is not, ``import torch`` itself raises, because torch loads every
installed backend.  So this module imports torch with that loading switched off, and torch_npu
afterwards.  ``NPU_ERROR`` keeps the error of torch_npu, to explain why there is no NPU.  A
torch_npu that would end the process is not imported at all; ``NPU_ERROR`` then says so.
"""

from __future__ import annotations

import importlib.metadata
import os
import sys
from typing import Final, TypeAlias

from . import pairs

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

Tensor: TypeAlias = torch.Tensor


def version_of(package: str) -> str | None:
    """Return the version of an installed package, or None if it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


NPU_VERSION: Final = version_of("torch-npu")
"""The version of the installed torch_npu, or None."""


def _import_npu() -> Exception | None:
    """Import torch_npu; return the error that prevents it, or None."""
    if NPU_VERSION is None:
        return None
    refusal = pairs.refusal(torch.__version__, torch.version.cuda, NPU_VERSION)
    if isinstance(refusal, pairs.CudaBuildError) and "torch_npu" in sys.modules:
        refusal = None  # it is imported already, and the process is alive: the two work together
    if refusal is not None:
        return refusal
    try:
        import torch_npu  # noqa: F401
    except Exception as error:  # noqa: BLE001  (whatever it is: the doctor explains it)
        return error
    return None


NPU_ERROR: Final = _import_npu()
"""The error with which the installed torch_npu could not be imported, or None."""


def why_not(device_type: str) -> str:
    """Return a sentence that says why there are no devices of a type; empty if nothing is known."""
    if device_type != "npu" or NPU_ERROR is None:
        return ""
    if isinstance(NPU_ERROR, pairs.PairError):
        return f" {NPU_ERROR}."
    return " torch_npu could not be imported: python -m ascend_array_api says why."


__all__ = ["NPU_ERROR", "NPU_VERSION", "Tensor", "torch", "version_of", "why_not"]
