"""Modules of Triton kernels, imported at the first call: importing Triton takes long."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..._routes._kernels import Kernel


def kernels_of(module: str) -> Callable[[], ModuleType]:
    """Return a function that returns one of the modules beside this one."""
    return functools.cache(lambda: importlib.import_module(f".{module}", __package__))


def late(module: str, name: str) -> Kernel:
    """Return a function of one of the modules beside this one, which the first call imports."""
    kernels = kernels_of(module)

    def imports_first(*operands: Any, **parameters: Any) -> Any:
        return getattr(kernels(), name)(*operands, **parameters)

    return imports_first
