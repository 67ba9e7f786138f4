"""What is computed along other axes than the divided one: each part by itself."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ... import _dtypes as dt
from ..._private_torch import memory_of
from ..._routes import fourier, indexing, linear_algebra, movement, searching  # noqa: F401
from ..._routes._engine import OPS, Row
from ..._routes._evidence import Evidence
from ..._torch import torch
from ._moves import numbers_of, together
from ._reach import is_shown, viewed
from ._sharded import Sharded, mapped, shape_of, turned
from ._views import across, reshaped, reshaped_axis, without_blank
from .gathering import SEEN, ByRule, on_one, ruled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from torch import Tensor

    from ..._devices import Spec
    from ..._routes._engine import Kernel, Op


@dataclass(frozen=True)
class Apart:
    """Compute each part by itself where the axes that an operation mixes are others.

    Where the divided one is among them, another is divided first, and then that one again.
    """

    axes: Callable[..., Iterable[int]]
    """Given what the operation is given, the axes of the first operand that it mixes."""
    fails: bool = False
    """Whether it can fail by values: then that of one part is that of all."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel for one device, of each part."""
        return ruled(op, spec, self.rule)

    def rule(self, one: Kernel, divided: list[Sharded], *operands: Any, **parameters: Any) -> Any:
        """Return what comes of the parts; NotImplemented where there is nothing to divide along."""
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
        return NotImplemented if made is None else _joined(x, made)


def free_axis(x: Tensor, mixed: Iterable[int]) -> int | None:
    """Return an axis that is not mixed, and can be divided: the longest."""
    free = [d for d in range(x.dim()) if d not in mixed and x.shape[d] > 1]
    return max(free, key=lambda d: x.shape[d], default=None)


def _several(operands: tuple[Any, ...]) -> bool:
    """Say whether there are further tensors that are more than a number."""
    return any(isinstance(v, torch.Tensor) and v.dim() for v in operands[1:])


def attempted(x: Sharded, of_part: Callable[[int], Any]) -> list[Any] | None:
    """Return what comes of every part; None, in every process, where one fails."""

    def attempt(i: int) -> Any:
        try:
            return of_part(i)
        except (RuntimeError, IndexError):
            return None

    made = [attempt(i) for i in range(len(x.parts))]
    failed = [p.new_full((1,), m is None, dtype=dt.bool) for m, p in zip(made, x.parts)]
    transport = x.mesh.transport
    every = transport.exchange(failed, [(1,)] * transport.size)
    return None if bool(together(every).any()) else made  # of the whole it fails for all


def _joined(x: Sharded, made: list[Any]) -> Any:
    """Return results of the parts, which lack none but last axes."""
    first = made[0]
    if isinstance(first, (tuple, list)):
        return tuple(_joined(x, list(several)) for several in zip(*made))
    shape = (*first.shape[: x.axis], x.shape[x.axis], *first.shape[x.axis + 1 :])
    return Sharded(made, x.axis, x.mesh, shape)


# --- rules of their own ---------------------------------------------------------------------------


def _reshape(one: Kernel, _: list[Sharded], x: Sharded, shape: tuple[int, ...]) -> Any:
    if -1 in shape and 0 in shape:
        return NotImplemented  # one device says what is wrong
    shape = without_blank(shape, x.numel())
    if math.prod(shape) != x.numel():
        return NotImplemented  # and here too
    axis = reshaped_axis(x, shape)
    if axis is None:
        # Of parts of one row, strides say less: all follow the first rank.
        shown = numbers_of(x.mesh, [[int(is_shown(x, shape))]] * len(x.mesh.transport.ranks))[0][0]
        return viewed(x, across(shape)) if shown else reshaped(x, shape)
    size, ranks = x.mesh.transport.size, x.mesh.transport.ranks
    parts = [one(p, shape_of(shape, axis, size, r)) for p, r in zip(x.parts, ranks)]
    if not is_shown(x, shape):  # a part of one row may be, or what is no view here
        parts = [q.clone() if memory_of(p) == memory_of(q) else q for p, q in zip(x.parts, parts)]
    return Sharded(parts, axis, x.mesh, shape)


class AlongAll:
    """Transform along the divided axis by itself, and along the others in each part."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel for one device, of parts."""
        # In a transform of real numbers that of the last axis comes first, or last when undone.
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
                made: Sharded = _joined(t, [kernel(p, **rest) for p in t.parts])
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
