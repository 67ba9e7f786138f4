"""What is computed along other axes than the divided one: each part by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ... import _dtypes as dt
from ..._routes import fourier, indexing, linear_algebra, movement, searching  # noqa: F401
from ..._routes._engine import OPS, Row
from ..._routes._evidence import Evidence
from ..._torch import torch
from ._sharded import Sharded, mapped, reshaped_axis, seen, shape_of, share
from .gathering import SEEN, ruled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from torch import Tensor

    from ..._devices import Spec
    from ..._routes._engine import Kernel, Op


@dataclass(frozen=True)
class Apart:
    """Compute each part by itself where the axes that an operation mixes are others."""

    axes: Callable[..., Iterable[int]]
    """Given what the operation is given, the axes of the first operand that it mixes."""
    fails: bool = False
    """Whether it can fail by values: then that of one part is that of all."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel for one device, of each part."""

        def rule(one: Kernel, divided: list[Sharded], *operands: Any, **parameters: Any) -> Any:
            x = operands[0]
            if type(x) is not Sharded:
                return NotImplemented
            mixed = {axis % x.dim() for axis in self.axes(*operands, **parameters)}
            alike = all(
                t.axis == x.axis and t.shape[: x.axis + 1] == x.shape[: x.axis + 1] for t in divided
            )
            if x.axis in mixed or not alike or (len(divided) == 1 and _several(operands)):
                return NotImplemented

            def of_part(i: int) -> Any:
                own = mapped(lambda t: t.parts[i] if type(t) is Sharded else t, list(operands))
                return one(*own, **parameters)

            if not self.fails:
                made = [of_part(i) for i in range(len(x.parts))]
            else:
                tried = _tried(x, of_part)
                if tried is None:
                    return NotImplemented  # of the whole it fails in every process
                made = tried
            return _joined(x, made, mixed)

        return ruled(op, spec, rule)


def _several(operands: tuple[Any, ...]) -> bool:
    """Say whether there are further tensors that are more than a number."""
    return any(isinstance(v, torch.Tensor) and v.dim() for v in operands[1:])


def _tried(x: Sharded, of_part: Callable[[int], Any]) -> list[Any] | None:
    """Return what comes of every part; None, in every process, where one fails."""

    def attempt(i: int) -> Any:
        try:
            return of_part(i)
        except RuntimeError:
            return None

    made = [attempt(i) for i in range(len(x.parts))]
    failed = [p.new_full((1,), m is None, dtype=dt.bool) for m, p in zip(made, x.parts)]
    transport = x.mesh.transport
    every = transport.exchange(failed, [(1,)] * transport.size)
    return None if bool(torch.cat(every).any()) else made


def _joined(x: Sharded, made: list[Any], mixed: set[int]) -> Any:
    first = made[0]
    if isinstance(first, (tuple, list)):
        return tuple(_joined(x, list(several), mixed) for several in zip(*made))
    gone = x.dim() - first.dim()
    axis = x.axis - (sum(d < x.axis for d in mixed) if gone == len(mixed) else 0)
    shape = (*first.shape[:axis], x.shape[x.axis], *first.shape[axis + 1 :])
    return Sharded(made, axis, x.mesh, shape)


# --- rules of their own ---------------------------------------------------------------------------


@dataclass(frozen=True)
class ByRule:
    """Compute by a rule for this operation, which is given what the operation is given."""

    rule: Callable[..., Any]

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel that follows the rule."""
        return ruled(op, spec, self.rule)


def _reshape(one: Kernel, _: list[Sharded], x: Sharded, shape: tuple[int, ...]) -> Any:
    axis = reshaped_axis(x, shape)
    if axis is None:
        return NotImplemented
    size, ranks = x.mesh.transport.size, x.mesh.transport.ranks
    parts = [one(p, shape_of(shape, axis, size, r)) for p, r in zip(x.parts, ranks)]
    return Sharded(parts, axis, x.mesh, shape)


def _concat(one: Kernel, divided: list[Sharded], tensors: list[Tensor], axis: int = 0) -> Any:
    x = divided[0]
    if axis == x.axis or any(t.axis != x.axis for t in divided):
        return NotImplemented
    shape = list(x.shape)
    shape[axis] = sum(t.shape[axis] for t in tensors)
    parts = [
        one(
            [t.parts[i] if type(t) is Sharded else share(t, x.axis, x.mesh, r) for t in tensors],
            axis,
        )
        for i, r in enumerate(x.mesh.transport.ranks)
    ]
    return Sharded(parts, x.axis, x.mesh, shape)


_LOOKED_UP: Final = "what is looked up in is divided, and each part needs all of it"


def _searchsorted(one: Kernel, _: list[Sharded], x1: Tensor, x2: Tensor, **parameters: Any) -> Any:
    """Look up each part of the second operand."""
    x1 = seen(x1, "searchsorted", _LOOKED_UP)
    if type(x2) is not Sharded:
        return one(x1, x2, **parameters)
    return x2.with_parts([one(x1, p, **parameters) for p in x2.parts])


def _isin(one: Kernel, _: list[Sharded], x1: Tensor, x2: Tensor, **parameters: Any) -> Any:
    """Look up each part of the first operand."""
    x2 = seen(x2, "isin", _LOOKED_UP)
    if type(x1) is not Sharded:
        return one(x1, x2, **parameters)
    return x1.with_parts([one(p, x2, **parameters) for p in x1.parts])


# --- rows -----------------------------------------------------------------------------------------


def _matrices(*_: Any, **__: Any) -> tuple[int, int]:
    return -2, -1


def _listed(axes: Any) -> tuple[int, ...]:
    return (axes,) if isinstance(axes, int) else tuple(axes)


def _all(x: Tensor) -> tuple[int, ...]:
    return tuple(range(x.dim()))


_APART: Final[dict[str, Apart]] = {
    "argsort sort": Apart(lambda _, axis, **__: (axis,)),
    "argmax argmin": Apart(lambda x, dim=None, *_, **__: _all(x) if dim is None else (dim,)),
    "cumulative_sum cumulative_prod": Apart(lambda _, axis, **__: (axis,)),
    "flip": Apart(lambda _, dims: dims),
    "roll": Apart(lambda x, _, dims=(): _listed(dims) or _all(x)),
    "repeat": Apart(lambda _, __, axis: (axis,)),
    "index_select": Apart(lambda _, __, axis: (axis,)),
    "take_along_axis": Apart(lambda _, __, dim: (dim,)),
    "fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft": Apart(
        lambda _, axes, **__: _listed(axes)
    ),
    "tril triu matrix_power det slogdet matrix_norm": Apart(_matrices),
    "vector_norm": Apart(lambda _, __, axes, **___: axes),
    "vecdot cross": Apart(lambda _, __, axis: (axis,)),
    "cholesky eig eigh eigvals eigvalsh inv qr solve svd svdvals": Apart(_matrices, fails=True),
}

_WHY: Final = "it mixes the axis that is divided, or its operands are divided otherwise"
_EVIDENCE: Final = Evidence(SEEN, "absent")

ROWS: Final = [
    *(
        Row(name, OPS[name].dtypes, route, _WHY, _EVIDENCE)
        for names, route in _APART.items()
        for name in names.split()
    ),
    *(
        Row(name, OPS[name].dtypes, ByRule(rule), _WHY, _EVIDENCE)
        for name, rule in (
            ("concat", _concat),
            ("isin", _isin),
            ("reshape", _reshape),
            ("searchsorted", _searchsorted),
        )
    ),
]
