"""What the kernels compute: for each, a function of its inputs, in order, that returns its outputs.

The functions get torch CPU tensors that view device memory and must not write to them; the results
are cast and copied to the outputs afterwards. A kernel ``aclnnInplaceXxx`` computes what
``aclnnXxx`` does. Kernels that make values from nothing get their output as the last argument, for
its shape and dtype.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _table
from . import creation, elementwise, fft, indexing, linear_algebra, movement, random, reduction

if TYPE_CHECKING:
    from collections.abc import Callable

# Kernels that write the head of their outputs and report its shape.
SIZED_BY_DATA = frozenset(
    {
        "aclnnMaskedSelect",
        "aclnnNonzero",
        "aclnnNonzeroV2",
        "aclnnUnique2",
        "aclnnUniqueConsecutive",
        "aclnnUniqueDim",
    }
)


def _tasks() -> dict[str, Callable[..., Any]]:
    tasks: dict[str, Callable[..., Any]] = dict(fft.TASKS)
    for module in (creation, elementwise, indexing, linear_algebra, movement, random, reduction):
        tasks |= {f"aclnn{name}": task for name, task in module.TASKS.items()}
    for kernel in _table.kernels():
        plain = kernel.name.replace("Inplace", "")
        if kernel.name not in tasks and plain in tasks:
            tasks[kernel.name] = tasks[plain]
    return tasks


TASKS = _tasks()
