"""Operations along other axes than the divided one, which each part computes by itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, Final

from ..._routes import fourier, indexing, linear_algebra, movement, searching  # noqa: F401
from ..._routes._kernels import Kernel
from ..._routes._operations import OPS
from ..._torch import Tensor
from ..._torch import dtypes as dt
from ..._torch.private import memory_of
from ._dispatch import by_rules
from ._moves import numbers_of
from ._reach import is_shown, viewed
from ._sharded import Sharded, among, as_divided, found, mapped, parts_of, turned
from ._views import across, reshaped, reshaped_axis, without_blank


def apart(axes: Callable[..., Iterable[int]], *, fails: bool = False) -> Callable[..., Any]:
    """Return the rule to compute each part by itself if no elements mix along the divided axis.

    If they do, divide another axis first, and divide the result along the original one again.

    Parameters
    ----------
    axes : callable
        A function of the operation's arguments: the axes of the first operand that it mixes.
    fails : bool
        Whether it can raise because of values: then a failure of one part must raise in all.
    """

    def rule(one: Kernel, *operands: Any, **parameters: Any) -> Any:
        x = found(operands)[0]
        mixed = {axis % x.dim() for axis in axes(*operands, **parameters)}
        axis = x.axis if x.axis not in mixed else free_axis(x, mixed)
        several = [t for t in among(operands) if t.dim()]
        if axis is None or any(t.shape[: axis + 1] != x.shape[: axis + 1] for t in several):
            return NotImplemented
        there = mapped(lambda t: turned(t, axis) if type(t) is Sharded else t, operands)

        def of_part(i: int) -> Any:
            own = mapped(lambda t: parts_of(t, axis, x.mesh)[i] if t.dim() else t, there)
            return one(*own, **parameters)

        made = attempted(x, of_part) if fails else list(map(of_part, range(len(x.parts))))
        if made is None:
            return NotImplemented
        made = as_divided(found(there)[0], made)
        return mapped(lambda t: turned(t, x.axis) if t.dim() == x.dim() else t, made)

    return rule


def free_axis(x: Tensor, mixed: Iterable[int]) -> int | None:
    """Return the longest axis that the operation does not mix; None if there is none."""
    free = [d for d in range(x.dim()) if d not in mixed and x.shape[d] > 1]
    return max(free, key=lambda d: x.shape[d], default=None)


def attempted(x: Sharded, of_part: Callable[[int], Any]) -> list[Any] | None:
    """Return the results of every part; None, in every process, if one part raises."""

    def attempt(i: int) -> Any:
        try:
            return of_part(i)
        except (RuntimeError, IndexError):
            return None

    made = [attempt(i) for i in range(len(x.parts))]
    failed = [p.new_full((1,), m is None, dtype=dt.bool) for m, p in zip(made, x.parts)]
    # The caller then gathers the operands, and every process raises the same error.
    return None if bool(x.mesh.transport.stacked(failed).any()) else made


# --- rules of their own ---------------------------------------------------------------------------


def _reshape(one: Kernel, x: Sharded, shape: tuple[int, ...]) -> Any:
    blank = -1 in shape and 0 in shape
    shape = without_blank(shape, x.numel())
    if blank or math.prod(shape) != x.numel():
        return NotImplemented  # the kernel for one device raises
    axis = reshaped_axis(x, shape)
    if axis is None:
        # Strides of a part with one row are ambiguous, so all ranks follow the first one.
        shown = numbers_of(x.mesh, [[int(is_shown(x, shape))]] * len(x.mesh.ranks))[0][0]
        return viewed(x, across(shape)) if shown else reshaped(x, shape)
    copies = not is_shown(x, shape)

    def own(p: Tensor, shape: tuple[int, ...]) -> Tensor:
        q: Tensor = one(p, shape)
        # Parts may be views even if one device would copy, say if a part has one row.
        return q.clone() if copies and memory_of(p) == memory_of(q) else q

    return x.of_shape(axis, shape, own)


def _along_all(name: str) -> Callable[..., Any]:
    """Return the rule to transform along the other axes in each part, and apart along its own."""
    # A transform of real numbers begins with the last axis; its inverse ends with it.
    real, undone = "r" in name, name.startswith("i")
    plain = "ifft" if undone else "fft"
    line, lines, last = OPS[plain], OPS[f"{plain}n"], OPS[name.removesuffix("n")]
    separate = apart(lambda _, axes, **__: axes)

    def rule(one: Kernel, x: Sharded, *, points: list[int], axes: list[int], norm: str) -> Any:
        if x.axis not in axes or free_axis(x, axes) is not None:
            return separate(one, x, points=points, axes=axes, norm=norm)
        sizes = dict(zip(axes, points))
        others = [d for d in axes if d != x.axis]
        if not others or free_axis(x, {x.axis}) is None:
            return NotImplemented

        def each(kernel: Kernel, t: Any) -> Sharded:
            rest = {"points": [sizes[d] for d in others], "axes": others, "norm": norm}
            made: Sharded = as_divided(t, [kernel(p, **rest) for p in t.parts])
            return made

        alone = {"points": sizes[x.axis], "axes": x.axis, "norm": norm}
        if not real or axes[-1] != x.axis:
            return each(one, line(x, **alone)) if undone else line(each(one, x), **alone)
        return last(each(lines, x), **alone) if undone else each(lines, last(x, **alone))

    return rule


# --- rows -----------------------------------------------------------------------------------------


def _matrices(*_: Any, **__: Any) -> tuple[int, int]:
    return -2, -1


STACKS: Final = apart(_matrices)
FAILING_STACKS: Final = apart(_matrices, fails=True)
_FOURIER: Final = apart(lambda _, axes, **__: (axes,))
_WHOLE: Final = "of one matrix, each number of the result hangs on all"
_ROUND: Final = "there is no other axis to divide along meanwhile"

ROWS: Final = by_rules(
    ("fft ifft rfft irfft hfft ihfft", _FOURIER, _ROUND),
    *((name, _along_all(name), _ROUND) for name in ("fftn", "ifftn", "rfftn", "irfftn")),
    ("det slogdet", STACKS, _WHOLE),
    ("cholesky eig eigh eigvals eigvalsh inv", FAILING_STACKS, _WHOLE),
    ("reshape", _reshape, "elements go from part to part where parts do not stay what they are"),
)
