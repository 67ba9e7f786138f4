"""The kernels of late devices: they judge positions, divisors and matrices, and mark their results.

On a late device the host does not wait for values.  So these kernels are safe with any values, and
leave a number on the device that tells later whether the values were right: see ``late_errors``.
Functions that users call ask for these kernels; compositions need none of them.
"""

from __future__ import annotations

import functools
import math
import operator
from typing import TYPE_CHECKING, Any, Final

from .._devices.device import Spec, spec_of
from .._options import relaxed, settings
from .._reports import late_errors
from .._reports.late_errors import NONE, Doubt, doubt_of
from .._torch import Tensor, torch
from .._torch import dtypes as dt
from ._derivatives import judged
from ._faults import check_fault
from ._kernels import Kernel, divided_as_in_numpy
from ._operations import OPS, Op, cast
from .indexing import bounded, index, index_put, take_along_axis

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._arrays.array import Array

# --- positions ------------------------------------------------------------------------------------


def beyond(function: str, size: int) -> str:
    """Return the text of the error of a function for a position that is out of bounds."""
    allowed = f"; allowed are {-size} to {size - 1}" if size else ""
    return f"{function}: a position is out of bounds for an axis of size {size}{allowed}."


INDEX: Final = functools.partial(beyond, "index")
TAKE: Final = functools.partial(beyond, "take")
_ALONG: Final = functools.partial(beyond, "take_along_axis")


def doubted(positions: Tensor, size: int, doubt: Doubt | None) -> None:
    """Hand a doubt the extremes of positions, by which it tells later whether all are in bounds."""
    if doubt is not None and positions.numel() and judged(positions):
        found: Any = extremes.on(spec_of(positions))(positions)
        doubt.found(found, lambda low, high: low < -size or high >= size)


def tell(wrong: Tensor, doubt: Doubt | None = None) -> None:
    """Tell a doubt whether a call was wrong, by a tensor of 0 dimensions."""
    if doubt is not None and judged(wrong):
        doubt.found((wrong,), bool)


def _noted_bounds(positions: Tensor, size: int, doubt: Doubt) -> Tensor:
    doubted(positions, size, doubt)
    return bounded.on(spec_of(positions))(positions, size)


def inside(positions: Tensor, size: int, doubt: Doubt | None) -> Tensor:
    """Return positions clamped to the bounds, and hand the original ones to a doubt."""
    positions = cast(positions, dt.int64)
    spec = spec_of(positions)
    if doubt is None:
        allowed: Tensor = bounded.on(spec)(positions, size)
    else:
        allowed = noted_bounds.on(spec)(positions, size, doubt=doubt)
    return allowed


def looked_up(find: Kernel, x: Tensor, positions: Tensor, dim: int, doubt: Doubt | None) -> Tensor:
    """Look up clamped positions along a dimension by the given kernel of ``index``."""
    allowed = inside(positions, x.shape[dim], doubt)
    # Torch would wait for the value of a 0-dimensional index, and treat it as an integer.
    single = allowed.dim() == 0
    found: Tensor = find(x, [allowed.reshape(1) if single else allowed], (dim,))
    return found.squeeze(dim) if single else found


def _look_up(x: Tensor, positions: Tensor, dim: int, doubt: Doubt | None) -> Tensor:
    return looked_up(index.on(spec_of(x)), x, positions, dim, doubt)


def _look_up_points(x: Tensor, positions: list[Tensor], doubt: list[Doubt | None]) -> Tensor:
    """Return the elements at points, given by one tensor of positions and one doubt per axis."""
    allowed: dict[tuple[int, int], Tensor] = {}
    for each, size, own in zip(positions, x.shape, doubt):
        if (id(each), size) not in allowed:
            inner = cast(each, dt.int64) if own is NONE else inside(each, size, own)
            allowed[id(each), size] = inner
    indices = [allowed[id(each), size] for each, size in zip(positions, x.shape)]
    return index.on(spec_of(x))(x, indices, tuple(range(len(indices))))


def _look_up_along(x: Tensor, positions: Tensor, dim: int, doubt: Doubt | None) -> Tensor:
    """Return the elements at positions along a dimension, as ``take_along_axis`` does."""
    allowed = inside(positions, x.shape[dim], doubt)
    return take_along_axis.on(spec_of(x))(x, allowed, dim=dim)


def _put_inside(
    x: Tensor,
    indices: list[Tensor],
    value: Tensor,
    dims: tuple[int, ...],
    doubt: Doubt | None = None,
) -> None:
    """Write if all positions are in bounds, else change nothing; report to a doubt.

    A clamped position would compete with the proper write to the same element, and either may be
    the last.  So if any position is wrong, the kernel writes back the present elements.
    """
    spec = spec_of(x)
    allowed = [bounded.on(spec.of(dt.int64))(i, x.shape[d]) for i, d in zip(indices, dims)]
    outside = functools.reduce(torch.logical_or, (torch.ne(i, a) for i, a in zip(indices, allowed)))
    if not outside.numel():
        return
    wrong = torch.any(outside)
    tell(wrong, doubt)
    values = OPS["where"].on(spec)(wrong, index.on(spec)(x, allowed, dims=dims), value)
    index_put.on(spec)(x, allowed, values, dims=dims)


extremes: Final = Op("extremes", torch.aminmax, frozenset({dt.int64}), returns="other")
look_up: Final = Op("look_up", _look_up, dt.ANY)
look_up_along: Final = Op("look_up_along", _look_up_along, dt.ANY)
look_up_points: Final = Op("look_up_points", _look_up_points, dt.ANY)
noted_bounds: Final = Op("noted_bounds", _noted_bounds, frozenset({dt.int64}))
put_inside: Final = Op("put_inside", _put_inside, dt.ANY, returns="other")


def taken(text: Callable[[int], str], spec: Spec, x: Tensor, positions: Array, dim: int) -> Tensor:
    """Return the elements at positions along a dimension, clamped and judged in one kernel.

    Positions that are known to be in bounds, or whose kernel raises, need no kernel of ours.
    ``text`` makes that of the error from the size of the dimension.
    """
    at, size = positions._tensor, x.shape[dim]
    doubt = doubt_of(positions, size, text) if spec.late else NONE
    try:
        if doubt is NONE and at.dim():
            found: Tensor = index.on(spec)(x, [cast(at, dt.int64)], (dim,))
        elif spec.device.local is spec.device:
            found = look_up.on(spec)(x, at, dim, doubt=doubt and doubt.new)
        else:  # the mesh has rules for each step
            found = looked_up(index.on(spec), x, at, dim, doubt and doubt.new)
    except IndexError as error:
        raise IndexError(text(size)) from error
    except RuntimeError as error:
        check_fault(error, "index", spec.device)
        raise
    return late_errors.mark(found, doubt, positions)


def taken_at_points(spec: Spec, x: Tensor, points: tuple[Array, ...]) -> Tensor:
    """Return the elements at points, given one array of positions per axis."""
    doubts: list[Doubt | None] = []
    told: list[Doubt | None] = []
    before, axis = None, -1
    for item, size in zip(points, x.shape):
        if item is before and size == axis:  # in x[i, i], one report about i is enough
            told.append(NONE if doubts[-1] is NONE else None)
            continue
        before, axis = item, size
        doubt = doubt_of(item, size, INDEX)
        doubts.append(doubt)
        told.append(NONE if doubt is NONE else doubt and doubt.new)
    try:
        if all(doubt is NONE for doubt in doubts):
            indices = [cast(item._tensor, dt.int64) for item in points]
            found: Tensor = index.on(spec)(x, indices, tuple(range(len(indices))))
        else:
            found = look_up_points.on(spec)(x, [item._tensor for item in points], doubt=told)
    except RuntimeError as error:
        check_fault(error, "index", spec.device)
        raise
    return late_errors.mark(found, doubts, points)


def taken_along(spec: Spec, x: Tensor, positions: Array, dim: int) -> Tensor:
    """Return the elements at positions that differ from place to place."""
    at = positions._tensor
    doubt = doubt_of(positions, x.shape[dim], _ALONG)
    if doubt is NONE:
        return take_along_axis.on(spec)(x, cast(at, dt.int64), dim)
    if spec.device.local is spec.device:
        found = look_up_along.on(spec)(x, at, dim, doubt=doubt and doubt.new)
    else:
        allowed = inside(at, x.shape[dim], doubt and doubt.new)
        found = take_along_axis.on(spec)(x, allowed, dim=dim)
    return late_errors.mark(found, doubt)


class Positions:
    """The arrays of positions in a key, on a device whose kernels raise by themselves."""

    __slots__ = ()

    def of(self, item: Array, size: int) -> Tensor:  # noqa: ARG002
        """Return positions for an axis of a size, in a form that is safe for a kernel."""
        return cast(item._tensor, dt.int64)

    def judge_later(self, item: Array, size: int) -> None:
        """Let the kernel that writes to the only positions of a key judge them, too."""

    def put(self, spec: Spec) -> Kernel:
        """Return the kernel that writes to the positions."""
        return index_put.on(spec)

    def marked(self, x: Array, *sources: Any) -> Array:  # noqa: ARG002
        """Return an array that depends on the positions, and on the arrays among the sources."""
        return x


RAISING: Final = Positions()


def positions_in_key(spec: Spec, *, writes: bool) -> Positions:
    """Return what is to be done with the arrays of positions in a key."""
    return _LatePositions(writes) if spec.late else RAISING


class _LatePositions(Positions):
    """Positions on a late device.  Each is judged once, even if it stands there twice.

    Reads clamp the positions.  Writes keep them, because ``put_inside`` has to see a bad one: it
    writes nothing then.
    """

    __slots__ = ("_doubts", "_drops", "_judged", "_told", "_writes")

    def __init__(self, writes: bool) -> None:
        self._writes = writes
        self._judged: dict[tuple[int, int], Tensor] = {}
        self._doubts: tuple[Doubt | None, ...] = ()
        self._drops = False
        """Whether a position that is written to may be out of bounds."""
        self._told: Doubt | None = None
        """The doubt that the write has to report to, if nothing has judged the positions."""

    def of(self, item: Array, size: int) -> Tensor:
        positions = cast(item._tensor, dt.int64)
        known = self._judged.get((id(item), size))
        if known is not None:
            return known
        if (doubt := doubt_of(item, size, INDEX)) is not NONE:
            if self._writes:
                self._drops = True
                doubted(positions, size, doubt and doubt.new)
            else:
                positions = inside(positions, size, doubt and doubt.new)
            self._judged[id(item), size] = positions
            self._doubts = (*self._doubts, doubt)
        return positions

    def judge_later(self, item: Array, size: int) -> None:
        doubt = _to_write(item, size)
        self._told = doubt and doubt.new
        self._drops = doubt is not NONE
        self._doubts = (doubt,)

    def put(self, spec: Spec) -> Kernel:
        if not self._drops:
            return index_put.on(spec)
        kernel = put_inside.on(spec)
        return kernel if self._told is None else functools.partial(kernel, doubt=self._told)

    def marked(self, x: Array, *sources: Any) -> Array:
        return late_errors.mark(x, *self._doubts, sources)


def _to_write(positions: Array, size: int) -> Doubt | None:
    """Return the doubt of positions to write to.

    If the options ask for errors at the call, the positions are judged here, before the write: a
    kernel that judges while it writes has written the others when the host learns of a bad one.
    """
    doubt = doubt_of(positions, size, INDEX)
    if doubt is not None and settings.in_force().checks == "wait" and not doubt.right:
        doubted(cast(positions._tensor, dt.int64), size, doubt)
        return NONE if doubt.right else doubt
    return doubt


def put_at(x: Array, positions: Array, value: Array) -> None:
    """Write values to as many positions of a vector, and mark it."""
    spec = x._spec.sure
    doubt = _to_write(positions, x._tensor.shape[0])
    if doubt is not NONE:
        told = doubt and doubt.new
        put_inside.on(spec)(x._tensor, [positions._tensor], value._tensor, (0,), doubt=told)
    elif index_put.is_plain(spec):
        x._tensor[positions._tensor] = value._tensor
    else:
        index_put.on(spec)(x._tensor, [positions._tensor], value._tensor, (0,))
    late_errors.mark(x, doubt, value, positions)


# --- divisors -------------------------------------------------------------------------------------


def divisors(exact: Kernel, name: str, spec: Spec) -> Kernel:
    """Let a division of integers note divisors of 0, without a wait.

    The quotient is marked with the call, which may turn out wrong.
    """

    def judge_divisors(x1: torch.Tensor, x2: torch.Tensor) -> Any:
        if not (judged(x1, x2) and x1.numel()):  # without dividends nothing is divided
            if relaxed.on():
                return divided_as_in_numpy(exact, spec, x1, x2)
            return exact(x1, x2)
        if relaxed.on():
            return as_numpy(x1, x2)
        doubt = late_errors.doubt_of_divisor(name, x2)
        # No new doubt: checks are off, or an earlier call checks this divisor.  Its outcome may
        # still be open, and then the quotient depends on it too.
        if doubt is None or doubt.new is None:
            result = exact(x1, x2)
        else:
            divide = noted_division.on(spec)
            result = divide(x1, x2, function=name, exact=exact, doubt=doubt)
        return late_errors.mark(result, doubt)

    def as_numpy(x1: torch.Tensor, x2: torch.Tensor) -> Any:
        """Divide; a quotient by 0 is 0, and a warning comes when the host waits for the device."""
        if late_errors.is_known_nonzero(x2):
            return exact(x1, x2)
        divide = functools.partial(divided_as_in_numpy, exact, spec)
        doubt = late_errors.doubt_of_quotient(name)
        if doubt is None:
            return divide(x1, x2)
        return noted_division.on(spec)(x1, x2, function=name, exact=divide, doubt=doubt)

    return judge_divisors


def _noted_division(
    x1: Tensor,
    x2: Tensor,
    *,
    function: str,  # noqa: ARG001
    exact: Kernel,
    doubt: Doubt,
) -> Any:
    """Divide integers by the kernel ``exact``, and have ``doubt`` checked for divisors of 0."""
    doubt.found((OPS["all"](x2),), operator.not_)
    return exact(x1, x2)


noted_division: Final = Op("noted_division", _noted_division, dt.INTEGER)


# --- values of other functions -------------------------------------------------------------------


def unless(wrong: Tensor, error: type[Exception], text: str, x: Tensor) -> Tensor:
    """Raise an error if a value is true; return a tensor, which depends on that."""
    if not (spec_of(wrong).late and judged(wrong)):
        if bool(wrong):
            raise error(text)
    elif settings.current().checks != "off":
        doubt = Doubt(error, str, text)
        doubt.found((wrong,), bool)
        return late_errors.mark(x.view(x.shape), doubt, x)
    return x


def demand(conditions: list[tuple[Any, str]]) -> tuple[Doubt, ...]:
    """Raise ValueError with the text of the first violated condition.

    For arrays on a late device, the option ``checks`` says when.  If at the call, all conditions
    are fetched together, in one wait.  If later, the checks are returned.
    """
    every = [holds for holds, _ in conditions if isinstance(holds, torch.Tensor) and holds.numel()]
    late = every and spec_of(every[0]).late and judged(*every)
    checks = settings.current().checks if late else "wait"
    flags = [] if checks == "off" else [OPS["all"](holds) for holds in every]
    values = torch.stack(flags).tolist() if flags and checks == "wait" else flags
    found = iter(values or [True] * len(every))
    doubts = []
    for holds, text in conditions:
        if isinstance(holds, torch.Tensor):
            holds = next(found) if holds.numel() else True
        if isinstance(holds, torch.Tensor):
            doubts.append(Doubt(ValueError, str, text))
            doubts[-1].found((holds,), operator.not_)
        elif not holds:
            raise ValueError(text)
    return tuple(doubts)


# --- matrices -------------------------------------------------------------------------------------


def solved(
    error: type[Exception],
    op: Op,
    spec: Spec,
    function: str,
    failure: str,
    *tensors: Tensor,
    **parameters: Any,
) -> Any:
    """Run the kernel of an operation; raise an error, now or later, if a matrix has no result."""
    # Torch reports itself that other algorithms do not converge, at once; on NPUs nothing does.
    told = spec.late and op.raises and spec.dtype in dt.FLOATING
    told = told and settings.current().checks != "off" and judged(*tensors)
    kernel = op.on(spec)
    noted = getattr(op.on(spec.sure), "noted", None) if told else None
    if noted is not None:  # this kernel reports itself, or returns None if it cannot
        doubt = Doubt(error, "{}: {}".format, function, failure)
        result = noted(*tensors, doubt=doubt)
        if result is not None:
            return late_errors.mark(result, doubt, tensors)
    try:
        result = kernel(*tensors, **parameters)
    except torch.linalg.LinAlgError as of_torch:  # type: ignore[attr-defined]
        raise error(f"{function}: {failure}") from of_torch
    late_errors.mark(result, tensors)  # a tolerance may be in doubt, and has no spec to say so
    # The first of several results has the values; if the others are NaN, so is it.
    values = result if isinstance(result, torch.Tensor) else result[0]
    if told and judged(values):
        # A kernel that fails returns NaN.  NaN is no failure if an operand is not finite, except
        # for Cholesky: such a matrix is not positive definite.  Then all elements of the result are
        # NaN, so one tells.
        try:
            seen = (values[..., :1, :1],) if op.name == "cholesky" else (values, *tensors)
            greatest = [_greatest(t) for t in seen]
        except RuntimeError as fault:
            check_fault(fault, function, spec.device, tensors)
            raise
        lost = functools.partial(_lost, _INFINITE[greatest[0].dtype])
        doubt = Doubt(error, "{}: {}".format, function, failure)
        doubt.found(greatest, lost)
        late_errors.mark(values, doubt)
    return result


_INFINITE: Final = {dt.int32: 0xFF << 23, dt.int64: 0x7FF << 52}
"""The bits of infinity, by the integers in which floating-point numbers are viewed."""


def _greatest(x: Tensor) -> Tensor:
    """Return the bits of the greatest absolute value, which is NaN if any element is."""
    parts = x.detach()
    if x.is_complex():  # pairs need one more axis, which a device may not allow
        stack = parts.flatten(0, -3) if parts.dim() > 3 else parts
        parts = torch.view_as_real(stack.resolve_conj())
    norm: Tensor = OPS["vector_norm"](parts, math.inf, tuple(range(parts.dim())), keepdims=False)
    return norm.view(dt.int32 if norm.dtype is dt.float32 else dt.int64)


def _lost(infinite: int, values: int, *operands: int) -> bool:
    """Say, given these bits, whether values have a NaN although all operands are finite."""
    size = (1 << infinite.bit_length()) - 1  # all bits but the sign
    return values & size > infinite and all(n & size < infinite for n in operands)
