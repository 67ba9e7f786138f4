"""The guarded import of torch and, where it is installed, of torch_npu.

With torch_npu installed but without CANN, ``import torch`` itself raises, because torch loads
every installed backend.  So torch is imported with that loading switched off, and torch_npu
after it, and what torch_npu said stays in ``NPU_ERROR`` for whoever asks why there is no NPU.
No other module imports torch_npu.
"""

from __future__ import annotations

import importlib.metadata
import os
import sys
from typing import Final

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


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


class MismatchError(ImportError):
    """A torch_npu that was built for another torch."""


NPU_VERSION: Final = _version("torch-npu")
"""The version of torch_npu that is installed; None where there is none."""


def _import_npu() -> Exception | None:
    """Import torch_npu; return what keeps it from being imported."""
    if NPU_VERSION is None:
        return None
    if NPU_VERSION.split(".")[:2] != torch.__version__.split(".")[:2]:
        # Imported all the same, it would crash or misbehave: it is linked against torch.
        return MismatchError(f"torch_npu {NPU_VERSION} does not match torch {torch.__version__}")
    try:
        import torch_npu  # noqa: F401
    except (ImportError, RuntimeError, OSError) as error:
        return error
    return None


NPU_ERROR: Final = _import_npu()
"""Why torch_npu, although it is installed, could not be imported."""

__all__ = ["NPU_ERROR", "NPU_VERSION", "MismatchError", "torch"]
