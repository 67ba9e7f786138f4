"""Modules of Triton kernels, imported at the first call: importing Triton takes long."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from types import ModuleType


def kernels_of(module: str) -> Callable[[], ModuleType]:
    """Return a function that returns one of the modules beside this one."""
    return functools.cache(lambda: importlib.import_module(f".{module}", __package__))
