"""The one thing of DVM, the compiler in torch_npu, that its launches (fused.c) cannot tell.

If DVM is initialised before there is a device, it registers no binary, and its launches do nothing
and answer success, on hardware too.  They do not reach the runtime, so that they are found here.
"""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ctypes
    from collections.abc import Callable

MODULE = "torch_npu._inductor.dvm"
"""The module that uses the classes of `torch_npu._C.dvm`."""


class Guard(MetaPathFinder):
    """Refuses calls of DVM's programs that would do nothing.

    It is in `sys.meta_path`, where it sees the module that uses DVM before that is imported.

    Parameters
    ----------
    library
        The emulated runtime.
    """

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library
        self._attached = False
        sys.meta_path.insert(0, self)

    def find_spec(self, name: str, path: Any, target: Any = None) -> None:  # noqa: ARG002
        """Attach to DVM before its module is imported, and leave that to the other finders."""
        if name == MODULE and not self._attached:
            self._attached = True
            kernel = sys.modules["torch_npu._C"].dvm.TorchKernel
            for method in ("run", "__call__"):
                setattr(kernel, method, self._guarded(getattr(kernel, method)))

    def _guarded(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **keywords: Any) -> Any:
            if not self._library.emulator_dvm_is_ready():
                raise RuntimeError(
                    "DVM was initialised before the device, so that its launches do nothing; call "
                    "torch.npu.set_device first"
                )
            return real(*arguments, **keywords)

        return call
