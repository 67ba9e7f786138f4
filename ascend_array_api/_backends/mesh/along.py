"""Operations along other axes than the divided one, which each part computes by itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from ..._devices.device import Spec
from ..._routes import fourier, indexing, linear_algebra, movement, searching  # noqa: F401
from ..._routes._evidence import Evidence
from ..._routes._kernels import Kernel
from ..._routes._operations import OPS, Op
from ..._routes._rows import Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ..._torch.private import memory_of
from ._moves import numbers_of, together
from ._reach import is_shown, viewed
from ._sharded import Sharded, as_divided, mapped, shape_of, turned
from ._views import across, reshaped, reshaped_axis, without_blank
from .gathering import SEEN, ByRule, on_one, ruled


@dataclass(frozen=True)
class Apart:
    """Compute each part by itself if the operation does not mix elements along the divided axis.

    If it does, divide another axis first, and divide the result along the original one again.
    """

    axes: Callable[..., Iterable[int]]
    """A function of the operation's arguments: the axes of the first operand that it mixes."""
    fails: bool = False
    """Whether it can raise because of values: then a failure of one part must raise in all."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel for one device, called with each part."""
        return ruled(op, spec, self.rule)

    def rule(self, one: Kernel, divided: list[Sharded], *operands: Any, **parameters: Any) -> Any:
        """Return the results of the parts; NotImplemented if no other axis can be divided."""
        x = operands[0]
        if type(x) is not Sharded:
            return NotImplemented
        mixed = {axis % x.dim() for axis in self.axes(*operands, **parameters)}
        if len(divided) == 1 and _several(operands):
            return NotImplemented
        axis = x.axis if x.axis not in mixed else free_axis(x, mixed)
        if axis is None or any(t.shape[: axis + 1] != x.shape[: axis + 1] for t in divided):
            return NotImplemented

        def turn(t: Any) -> Any:
            return turned(t, axis) if type(t) is Sharded else t

        made = self._made(one, *mapped(turn, list(operands)), **parameters)
        return mapped(lambda t: turned(t, x.axis) if t.dim() == x.dim() else t, made)

    def _made(self, one: Kernel, *operands: Any, **parameters: Any) -> Any:
        x: Sharded = operands[0]

        def of_part(i: int) -> Any:
            own = mapped(lambda t: t.parts[i] if type(t) is Sharded else t, list(operands))
            return one(*own, **parameters)

        made = attempted(x, of_part) if self.fails else list(map(of_part, range(len(x.parts))))
        return NotImplemented if made is None else as_divided(x, made)


def free_axis(x: Tensor, mixed: Iterable[int]) -> int | None:
    """Return the longest axis that the operation does not mix; None if there is none."""
    free = [d for d in range(x.dim()) if d not in mixed and x.shape[d] > 1]
    return max(free, key=lambda d: x.shape[d], default=None)


def _several(operands: tuple[Any, ...]) -> bool:
    """Say whether there are further operands with more than one element."""
    return any(isinstance(v, torch.Tensor) and v.dim() for v in operands[1:])


def attempted(x: Sharded, of_part: Callable[[int], Any]) -> list[Any] | None:
    """Return the results of every part; None, in every process, if one part raises."""

    def attempt(i: int) -> Any:
        try:
            return of_part(i)
        except (RuntimeError, IndexError):
            return None

    made = [attempt(i) for i in range(len(x.parts))]
    failed = [p.new_full((1,), m is None, dtype=dt.bool) for m, p in zip(made, x.parts)]
    transport = x.mesh.transport
    every = transport.exchange(failed, [(1,)] * transport.size)
    # The caller then gathers the operands, and every process raises the same error.
    return None if bool(together(every).any()) else made


# --- rules of their own ---------------------------------------------------------------------------


def _reshape(one: Kernel, _: list[Sharded], x: Sharded, shape: tuple[int, ...]) -> Any:
    if -1 in shape and 0 in shape:
        return NotImplemented  # the kernel for one device raises
    shape = without_blank(shape, x.numel())
    if math.prod(shape) != x.numel():
        return NotImplemented  # here too
    axis = reshaped_axis(x, shape)
    if axis is None:
        # Strides of a part with one row are ambiguous, so all ranks follow the first one.
        shown = numbers_of(x.mesh, [[int(is_shown(x, shape))]] * len(x.mesh.transport.ranks))[0][0]
        return viewed(x, across(shape)) if shown else reshaped(x, shape)
    size, ranks = x.mesh.transport.size, x.mesh.transport.ranks
    parts = [one(p, shape_of(shape, axis, size, r)) for p, r in zip(x.parts, ranks)]
    # Parts may be views even if one device would copy, say if a part has one row.
    if not is_shown(x, shape):
        parts = [q.clone() if memory_of(p) == memory_of(q) else q for p, q in zip(x.parts, parts)]
    return Sharded(parts, axis, x.mesh, shape)


class AlongAll:
    """Transform along the other axes in each part, and separately along the divided axis."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel for one device, called with parts."""
        # A transform of real numbers begins with the last axis; its inverse ends with it.
        real, undone = "r" in op.name, op.name.startswith("i")
        of_complex = spec.of(dt.COMPLEX_OF.get(spec.dtype, spec.dtype))
        plain = "ifft" if undone else "fft"
        line, lines = OPS[plain].on(of_complex), on_one(OPS[f"{plain}n"], of_complex)
        last = OPS[op.name.removesuffix("n")].on(spec)
        apart = Apart(lambda _, axes, **__: axes)

        def rule(
            one: Kernel,
            divided: list[Sharded],
            x: Sharded,
            *,
            points: list[int],
            axes: list[int],
            norm: str,
        ) -> Any:
            if x.axis not in axes or free_axis(x, axes) is not None:
                return apart.rule(one, divided, x, points=points, axes=axes, norm=norm)
            sizes = dict(zip(axes, points))
            others = [d for d in axes if d != x.axis]
            if not others or free_axis(x, {x.axis}) is None:
                return NotImplemented

            def each(kernel: Kernel, t: Sharded) -> Sharded:
                rest = {"points": [sizes[d] for d in others], "axes": others, "norm": norm}
                made: Sharded = as_divided(t, [kernel(p, **rest) for p in t.parts])
                return made

            alone = {"points": sizes[x.axis], "axes": x.axis, "norm": norm}
            if not real or axes[-1] != x.axis:
                return each(one, line(x, **alone)) if undone else line(each(one, x), **alone)
            return last(each(lines, x), **alone) if undone else each(lines, last(x, **alone))

        return ruled(op, spec, rule)


# --- rows -----------------------------------------------------------------------------------------


def _matrices(*_: Any, **__: Any) -> tuple[int, int]:
    return -2, -1


STACKS: Final = Apart(_matrices)
_FOURIER: Final = Apart(lambda _, axes, **__: (axes,))
_WHOLE: Final = "of one matrix, each number of the result hangs on all"
_ROUND: Final = "there is no other axis to divide along meanwhile"
_EVIDENCE: Final = Evidence(SEEN, "absent")

ROWS: Final = [
    *(
        Row(name, OPS[name].dtypes, route, why, _EVIDENCE)
        for names, route, why in (
            ("fft ifft rfft irfft hfft ihfft", _FOURIER, _ROUND),
            ("fftn ifftn rfftn irfftn", AlongAll(), _ROUND),
            ("det slogdet", STACKS, _WHOLE),
            ("cholesky eig eigh eigvals eigvalsh inv", Apart(_matrices, fails=True), _WHOLE),
        )
        for name in names.split()
    ),
    Row(
        "reshape",
        dt.ANY,
        ByRule(_reshape),
        "elements go from part to part where parts do not stay what they are",
        _EVIDENCE,
    ),
]
