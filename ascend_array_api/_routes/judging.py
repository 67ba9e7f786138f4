"""The kernels of late devices: they judge positions, divisors and matrices, and mark their results.

On a late device the host does not wait for values.  So these kernels are safe with any values, and
leave a number on the device that tells later whether the values were right: see ``late_errors``.
Functions that users call ask for these kernels; compositions need none of them.
"""

from __future__ import annotations

import functools
import math
import operator
from typing import Any, Final

from .._devices.device import Spec, spec_of
from .._errors.exceptions import out_of_bounds
from .._options import relaxed, settings
from .._reports import late_errors
from .._reports.late_errors import NONE, Doubt, doubt_of
from .._torch import Tensor, torch
from .._torch import dtypes as dt
from ._derivatives import judged
from ._faults import check_fault
from ._kernels import Kernel, divided_as_in_numpy
from ._operations import OPS, Op, cast

late_errors.when_a_device_fails(check_fault)

# --- positions ------------------------------------------------------------------------------------


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


def _found(
    find: Kernel, x: Tensor, positions: list[Tensor], dims: tuple[int, ...], told: list[Any]
) -> Tensor:
    """Look up clamped positions by a kernel of ``index``, and hand those given to doubts."""
    kept: dict[tuple[int, int], Tensor] = {}
    for at, dim, doubt in zip(positions, dims, told):
        if (key := (id(at), x.shape[dim])) not in kept:
            kept[key] = cast(at, dt.int64) if doubt is NONE else inside(at, key[1], doubt)
    return find(x, [kept[id(at), x.shape[d]] for at, d in zip(positions, dims)], dims)


def _look_up(x: Tensor, positions: Tensor, dim: int, doubt: Doubt | None) -> Tensor:
    return _found(OPS["index"].on(spec_of(x)), x, [positions], (dim,), [doubt])


def _look_up_points(x: Tensor, positions: list[Tensor], doubt: list[Doubt | None]) -> Tensor:
    """Return the elements at points, given by one tensor of positions and one doubt per axis."""
    return _found(OPS["index"].on(spec_of(x)), x, positions, tuple(range(x.dim())), doubt)


def _look_up_along(x: Tensor, positions: Tensor, dim: int, doubt: Doubt | None) -> Tensor:
    """Return the elements at positions along a dimension, as ``take_along_axis`` does."""
    allowed = inside(positions, x.shape[dim], doubt)
    return OPS["take_along_axis"].on(spec_of(x))(x, allowed, dim=dim)


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
    values = OPS["where"].on(spec)(wrong, OPS["index"].on(spec)(x, allowed, dims=dims), value)
    OPS["index_put"].on(spec)(x, allowed, values, dims=dims)


def _bounded(positions: Tensor, size: int) -> Tensor:
    return torch.clamp(positions, -size, size - 1)


bounded: Final = Op("bounded", _bounded, frozenset({dt.int64}))
extremes: Final = Op("extremes", torch.aminmax, frozenset({dt.int64}), returns="other")
look_up: Final = Op("look_up", _look_up, dt.ANY, moves=True)
look_up_along: Final = Op("look_up_along", _look_up_along, dt.ANY, moves=True)
look_up_points: Final = Op("look_up_points", _look_up_points, dt.ANY, moves=True)
noted_bounds: Final = Op("noted_bounds", _noted_bounds, frozenset({dt.int64}))
put_inside: Final = Op("put_inside", _put_inside, dt.ANY, returns="other", moves=True)


def positions(exact: Kernel, name: str, spec: Spec) -> Kernel:
    """Let a look-up by integer arrays judge them, and keep them in bounds."""
    text = functools.partial(out_of_bounds, name)
    alone = spec.device.local is spec.device  # a mesh has rules for each step

    def judge_positions(x: Tensor, indices: list[Tensor], dims: tuple[int, ...]) -> Any:
        if len(indices) == 1 and alone:  # as in most calls; one kernel does all
            (at,), (dim,) = indices, dims
            doubt = doubt_of(at, x.shape[dim], text)
            if doubt is NONE:
                found = exact(x, indices, dims)
            else:
                found = look_up.on(spec)(x, at, dim, doubt=doubt and doubt.new)
            return late_errors.mark(found, doubt, at, x)
        doubts: dict[tuple[int, int], Doubt | None] = {}
        told: list[Doubt | None] = []
        for at, dim in zip(indices, dims):
            if (key := (id(at), x.shape[dim])) in doubts:  # in x[i, i] one report of i is enough
                told.append(NONE if doubts[key] is NONE else None)
            else:
                doubts[key] = doubt = doubt_of(at, key[1], text)
                told.append(doubt if doubt is NONE else doubt and doubt.new)
        if all(doubt is NONE for doubt in told):
            found = exact(x, indices, dims)
        elif alone and len(dims) == x.dim() and len({at.shape for at in indices}) == 1:
            found = look_up_points.on(spec)(x, indices, doubt=told)
        else:
            found = _found(exact, x, indices, dims, told)
        return late_errors.mark(found, [*doubts.values()], indices, x)

    return judge_positions


def positions_along(exact: Kernel, name: str, spec: Spec) -> Kernel:
    """Let a look-up by positions that differ from place to place judge them."""
    text = functools.partial(out_of_bounds, name)
    alone = spec.device.local is spec.device

    def judge_positions(x: Tensor, indices: Tensor, dim: int) -> Any:
        doubt = doubt_of(indices, x.shape[dim], text)
        if doubt is NONE:
            found = exact(x, indices, dim)
        elif alone:
            found = look_up_along.on(spec)(x, indices, dim, doubt=doubt and doubt.new)
        else:
            found = exact(x, inside(indices, x.shape[dim], doubt and doubt.new), dim)
        return late_errors.mark(found, doubt, indices, x)

    return judge_positions


def written(exact: Kernel, _: str, spec: Spec) -> Kernel:
    """Let a write judge its positions, and write nothing if one is out of bounds."""
    text = functools.partial(out_of_bounds, "index")

    def judge_positions(
        x: Tensor, indices: list[Tensor], value: Tensor, dims: tuple[int, ...]
    ) -> Any:
        # A kernel that judges while it writes has written the others when the host learns of a bad
        # one.  So if the error is due at the call, another kernel judges first.
        first = len(indices) > 1 or settings.in_force().checks == "wait"
        doubts: dict[tuple[int, int], Doubt | None] = {}
        told, right = None, True
        for at, dim in zip(indices, dims):
            if (key := (id(at), x.shape[dim])) not in doubts:
                doubts[key] = doubt = doubt_of(at, key[1], text)
                told = doubt and doubt.new
                if first:
                    doubted(at, key[1], told)
                right = right and doubt is not None and bool(doubt.right)
        if right:
            exact(x, indices, value, dims)
        elif first:
            put_inside.on(spec)(x, indices, value, dims)
        else:
            put_inside.on(spec)(x, indices, value, dims, doubt=told)
        late_errors.mark_written(x, [*doubts.values()], value, indices)

    return judge_positions


# --- divisors -------------------------------------------------------------------------------------


def divisors(exact: Kernel, name: str, spec: Spec) -> Kernel:
    """Let a division of integers note divisors of 0, without a wait.

    The quotient is marked with the call, which may turn out wrong.
    """

    def judge_divisors(x1: torch.Tensor, x2: torch.Tensor) -> Any:
        if not (judged(x1, x2) and x1.numel()):  # without dividends nothing is divided
            divide = functools.partial(divided_as_in_numpy, exact, spec) if relaxed.on() else exact
            return late_errors.mark(divide(x1, x2), x1, x2)
        if relaxed.on():
            return late_errors.mark(as_numpy(x1, x2), x1, x2)
        doubt = late_errors.doubt_of_divisor(name, x2)
        # No new doubt: checks are off, or an earlier call checks this divisor.  Its outcome may
        # still be open, and then the quotient depends on it too.
        if doubt is None or doubt.new is None:
            result = exact(x1, x2)
        else:
            divide = noted_division.on(spec)
            result = divide(x1, x2, function=name, exact=exact, doubt=doubt)
        return late_errors.mark(result, doubt, x1, x2)

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
