"""Memory: whether tensors share it, and whether elements of one tensor do.

Knows nothing of arrays and device types: it asks tensors for addresses, shapes and strides.
"""

from __future__ import annotations

from typing import Final

from .._routes._derivatives import batched, divided_types, tracked
from .._torch import Tensor, torch
from .._torch.private import differentiating, in_transform, is_wrapped
from .._torch.tracing import traced_as


def is_repeated(x: Tensor) -> bool:
    """Say whether several elements of a tensor share memory, as they do after broadcasting."""
    strides = x.stride()
    if 0 not in strides or not x.numel():
        return False
    return any(n > 1 and s == 0 for n, s in zip(x.shape, strides))


def check_writable(function: str, target: Tensor) -> None:
    """Check that no two elements of a tensor share memory."""
    if is_repeated(target):
        raise ValueError(
            f"{function}: the array was broadcast, so that several of its elements are one in "
            "memory, and cannot be written to. Copy it with asarray(x, copy=True) first."
        )


def kept(target: Tensor, *others: Tensor) -> Tensor:
    """Return an operand that is about to be overwritten; a copy if derivatives may need it."""
    return target.clone() if tracked(target, *others) else target


def _traced_may_overlap(target: Tensor, other: Tensor) -> bool:  # noqa: ARG001
    return True  # a traced tensor has no address; the compiler removes copies without a use


_Tensor: Final = torch.Tensor


def has_no_address(x: Tensor) -> bool:
    """Say whether a tensor may have no memory of its own: a traced one, or a stand-in."""
    kind = type(x)
    return kind is not _Tensor and kind is not torch.nn.Parameter and kind not in divided_types


def meet(x: Tensor, y: Tensor) -> bool:
    """Say whether the memory of one tensor reaches into that of another, whoever owns it.

    It compares addresses and not storages, because torch makes a new storage for each import of
    the same memory.  It may say yes for two tensors whose elements interleave.
    """
    distance = y.data_ptr() - x.data_ptr()
    if distance < 0:
        x, distance = y, -distance
    if not distance:  # even without elements: torch still refuses one tensor as two operands
        return True
    if x.is_contiguous():  # this includes tensors without elements
        return distance < x.nbytes
    if distance >= x.untyped_storage().nbytes():  # most are far apart; this takes less time
        return False
    steps = sum((n - 1) * step for n, step in zip(x.shape, x.stride()))
    return distance < (steps + 1) * x.itemsize


@traced_as(_traced_may_overlap)
def share_memory(x: Tensor, y: Tensor) -> bool:
    """Say whether two tensors share, or may share, memory."""
    return batched(x, y) or has_no_address(x) or has_no_address(y) or meet(x, y)


@traced_as(_traced_may_overlap)
def overlap(target: Tensor, other: Tensor) -> bool:
    """Say whether writing to one tensor could change elements of the other before they are read.

    An elementwise operation may write to the very tensor that it reads, element by element.  Its
    forward derivative may not: torch computes that of ``x *= x`` from the elements that were
    written.
    """
    if in_transform() and (is_wrapped(target) or is_wrapped(other)):
        return True
    plain = type(target) is _Tensor and type(other) is _Tensor  # saves two calls
    if not plain and (has_no_address(target) or has_no_address(other)):
        return True
    return meet(target, other) and (differentiating() or not same_place(target, other))


def same_place(target: Tensor, other: Tensor) -> bool:
    """Say whether two tensors have the same elements of the same memory."""
    return (
        target.data_ptr() == other.data_ptr()
        and target.dtype is other.dtype
        and target.shape == other.shape
        and target.stride() == other.stride()
        and target.is_conj() == other.is_conj()
        and target.is_neg() == other.is_neg()
    )
