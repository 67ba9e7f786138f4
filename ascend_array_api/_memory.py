"""What may be written to: memory that tensors share, and elements that are one in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._private_torch import is_wrapped
from ._routes._derivatives import batched, tracked
from ._tracing import traced_as

if TYPE_CHECKING:
    from torch import Tensor


def check_writable(function: str, target: Tensor) -> None:
    """Check that no two elements of a tensor share memory, as they do after broadcasting."""
    strides = target.stride()
    if 0 not in strides or not target.numel():
        return
    if any(n > 1 and s == 0 for n, s in zip(target.shape, strides)):
        raise ValueError(
            f"{function}: the array was broadcast, so that several of its elements are one in "
            "memory, and cannot be written to. Copy it with asarray(x, copy=True) first."
        )


def kept(target: Tensor, *others: Tensor) -> Tensor:
    """Return an operand that is about to be overwritten: a copy, where derivatives may need it."""
    return target.clone() if tracked(target, *others) else target


def _traced_may_overlap(target: Tensor, other: Tensor) -> bool:  # noqa: ARG001
    return True  # the compiler takes out a copy that is not needed


@traced_as(_traced_may_overlap)
def share_memory(x: Tensor, y: Tensor) -> bool:
    """Say whether two tensors are, or may be, parts of one piece of memory."""
    return batched(x, y) or bool(x.untyped_storage()._cdata == y.untyped_storage()._cdata)


@traced_as(_traced_may_overlap)
def overlap(target: Tensor, other: Tensor) -> bool:
    """Say whether writing to one tensor could change elements of the other that are yet unread.

    The same elements in the same order are no hindrance to an elementwise operation.
    """
    if is_wrapped(target) or is_wrapped(other):
        return True
    if target.untyped_storage()._cdata != other.untyped_storage()._cdata:
        return False
    return not (
        target.storage_offset() == other.storage_offset()
        and target.shape == other.shape
        and target.stride() == other.stride()
    )
