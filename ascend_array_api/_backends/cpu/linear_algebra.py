"""Linear algebra on the CPU."""

from __future__ import annotations

import cmath
import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..._devices.device import Spec
from ..._devices.facts import mkl
from ..._routes import linear_algebra
from ..._routes._derivatives import readable
from ..._routes._evidence import Evidence
from ..._routes._kernels import Kernel
from ..._routes._operations import Op
from ..._routes._rows import Compose, Row
from ..._routes.linear_algebra import determinant, qr_scaled, scaled_product
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt


@dataclass(frozen=True)
class _WhereFinite:
    """A decomposition that copies neither matrices nor results if all elements are finite.

    One sum tells; if it overflows although all elements are finite, they are tested one by one.
    """

    def kernel(self, op: Op, spec: Spec) -> Kernel:  # noqa: ARG002
        """Return the decomposition."""
        bare: Kernel = op.native.__wrapped__  # type: ignore[attr-defined]

        def uncopied_if_finite(x: Tensor, *operands: Any, **parameters: Any) -> Any:
            if readable(x) and cmath.isfinite(torch.sum(x.detach()).item()):
                return bare(x, *operands, **parameters)
            return op.native(x, *operands, **parameters)

        return uncopied_if_finite


_LARGE: Final = 96
"""The number of rows from which matrices of a stack are factored one after the other."""


def _stacked(parts: Sequence[Tensor], stack: Sequence[int]) -> Tensor:
    return torch.stack(tuple(parts)).reshape(*stack, *parts[0].shape)


def _one_by_one(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that factors large matrices of a stack one after the other.

    Torch would factor them in several threads at a time.  MKL's functions for matrices of more than
    about 150 rows fail with that once a program has called ``torch.set_num_threads``: results are
    far off without an error, or the process hangs.
    https://github.com/pytorch/pytorch/issues/142815
    """

    @functools.wraps(function, assigned=("__name__",))
    def one_by_one(x: Tensor, *others: Tensor) -> Any:
        if x.dim() < 3 or x.shape[-1] < _LARGE:
            return function(x, *others)
        # Compiled code may run with more threads later, and does not see their number.
        if not torch.compiler.is_compiling() and torch.get_num_threads() == 1:
            return function(x, *others)
        every = (x, *others)
        shapes = [t.shape[:-2] for t in every]
        stack = torch.broadcast_shapes(*shapes)  # type: ignore[no-untyped-call]
        if math.prod(stack) < 2:
            return function(x, *others)
        rows = [t.expand(*stack, *t.shape[-2:]).flatten(0, -3) for t in every]
        made = [function(*each) for each in zip(*rows)]
        if isinstance(made[0], tuple):
            return tuple(_stacked(parts, stack) for parts in zip(*made))
        return _stacked(made, stack)

    return one_by_one


def _product(pivots: Tensor) -> Tensor:
    """Multiply along the last axis; separate exponents only if products may be extreme."""
    if readable(pivots) and pivots.numel():
        least, greatest = (v.item() for v in torch.aminmax(torch.abs(pivots.detach())))
        most = torch.finfo(pivots.dtype).max ** (0.9 / pivots.shape[-1])
        if 1 / most <= least and greatest <= most:
            return pivots.contiguous().prod(-1)  # in the order in which that does it
    return scaled_product(pivots)


ROWS: Final = (
    Row(
        "det",
        linear_algebra.DECOMPOSED,
        Compose(_one_by_one(determinant(_product))),
        "most products of pivots need no care for their exponents; stacks of large matrices are "
        "factored wrongly in several threads",
        Evidence("torch 2.13, CPU", "fatal", ("aten::linalg_lu_factor_ex",)),
    ),
    *(
        Row(
            op.name,
            linear_algebra.DECOMPOSED,
            Compose(_one_by_one(op.native)),
            "stacks of large matrices are factored wrongly in several threads",
            Evidence("torch 2.13, CPU", "fatal", (f"aten::{kernel}",)),
        )
        for op, kernel in (
            (linear_algebra.inv, "linalg_inv_ex"),
            (linear_algebra.slogdet, "_linalg_slogdet"),
            (linear_algebra.solve, "_linalg_solve_ex"),
        )
    ),
    Row(
        "eig eigh eigvals eigvalsh matrix_rank pinv svd svdvals",
        linear_algebra.DECOMPOSED,
        _WhereFinite(),
        "matrices and results are copied to keep what is not finite from it",
        Evidence("torch 2.13, CPU", "time"),
    ),
    Row(
        "qr",
        {dt.complex64},
        Compose(qr_scaled),
        "MKL gives NaN for matrices of low rank whose elements are small",
        Evidence("torch 2.13, CPU"),
        mkl,
    ),
)
