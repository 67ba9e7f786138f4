"""The guarded import of torch and, where it is installed, of torch_npu.

With torch_npu installed but without CANN, ``import torch`` itself raises, because torch loads
every installed backend.  So torch is imported with that loading switched off, and torch_npu
after it, and what torch_npu said stays in ``NPU_ERROR`` for whoever asks why there is no NPU.
No other module imports torch_npu.
"""

from __future__ import annotations

import importlib.util
import os
import sys

_AUTOLOAD = "TORCH_DEVICE_BACKEND_AUTOLOAD"

NPU_ERROR: BaseException | None = None
"""Why torch_npu, although it is installed, could not be imported."""

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

if importlib.util.find_spec("torch_npu") is not None:
    try:
        import torch_npu  # noqa: F401
    except (ImportError, RuntimeError, OSError) as error:
        NPU_ERROR = error

__all__ = ["NPU_ERROR", "torch"]
