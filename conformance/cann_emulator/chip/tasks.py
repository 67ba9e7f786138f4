"""The kernels as the chip computes them: tasks as those of `kernels`, made of `OPERATORS`.

Which operator a kernel launches, and in which dtype, is decided by CANN's host code; where that is
more than a promotion, the source is named here. A dtype that no source shows is left to the ideal
task, and so are the kernels of AICPU (float64, complex and most integers) but those of `aicpu`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from ..kernels import TASKS as IDEAL
from ..kernels import documented_errors
from ..kernels._dtypes import as_tensor
from ..kernels._errors import KernelError
from ..kernels.linear_algebra import AS_FLOAT16, COARSER
from . import OPERATORS, Operator, aicpu, arithmetic, running, trigonometric
from . import cast as casts

if TYPE_CHECKING:
    from collections.abc import Callable

    Task = Callable[..., Any]

HALVES = (torch.float16, torch.bfloat16)
NAMES = {getattr(torch, name): name for name in (*casts.DTYPES, "bool")}


def _array(x: torch.Tensor) -> np.ndarray[Any, Any]:
    wide = x.to(torch.float32) if x.dtype == torch.bfloat16 else x
    return wide.contiguous().numpy()


def _apply(operator: Operator, dtype: torch.dtype, *values: Any) -> torch.Tensor:
    """Cast tensors and scalars to a dtype, and compute."""
    tensors = [as_tensor(x).to(dtype) for x in values]
    arrays = np.broadcast_arrays(*(_array(x) for x in tensors))
    result = operator(*(a.reshape(-1) for a in arrays)).reshape(arrays[0].shape)
    return torch.from_numpy(result).to(dtype)


def _common(*values: Any) -> torch.dtype:
    """Promote as CANN does: a tensor's dtype above that of a scalar of the same kind."""
    dtype = torch.result_type(values[0], values[1])
    for value in values[2:]:
        dtype = torch.promote_types(dtype, torch.result_type(values[0], value))
    return dtype


def _has(operator: Operator, dtype: torch.dtype) -> bool:
    return NAMES.get(dtype) in operator.dtypes


def _unary(name: str, ideal: Task) -> Task:
    """Compute by an operator of floats; integers come as float32."""
    operator = OPERATORS[name]

    def task(x: torch.Tensor) -> Any:
        dtype = x.dtype if x.is_floating_point() or x.is_complex() else torch.float32
        return _apply(operator, dtype, x) if _has(operator, dtype) else ideal(x)

    return task


def _rounded(name: str, ideal: Task) -> Task:
    """Compute by an operator of floats; integers are what they are."""
    operator = OPERATORS[name]

    def task(x: torch.Tensor) -> Any:
        return _apply(operator, x.dtype, x) if _has(operator, x.dtype) else ideal(x)

    return task


def _several(name: str, ideal: Task) -> Task:
    """Compute by an operator of two or three, in their common dtype."""
    operator = OPERATORS[name]

    def task(*values: Any) -> Any:
        dtype = _common(*values)
        return _apply(operator, dtype, *values) if _has(operator, dtype) else ideal(*values)

    return task


def _float_pair(name: str, ideal: Task) -> Task:
    """Compute by an operator of floats of two; integers come as float32."""
    operator = OPERATORS[name]

    def task(a: Any, b: Any) -> Any:
        dtype = _common(a, b)
        if not dtype.is_floating_point and not dtype.is_complex:
            dtype = torch.float32
        return _apply(operator, dtype, a, b) if _has(operator, dtype) else ideal(a, b)

    return task


def _on_aicpu(compute: Task, dtypes: tuple[torch.dtype, ...], task: Task) -> Task:
    """Compute the dtypes of AICPU by its kernel, and others as before."""

    def either(x: torch.Tensor, *others: Any) -> Any:
        return compute(x, *others) if x.dtype in dtypes else task(x, *others)

    return either


TRUNCATE, FLOOR = 1, 2


def _divide_in_mode(a: torch.Tensor, b: Any, mode: int) -> Any:
    """ops-math/math/div/op_api/aclnn_div.cpp: by FloorDiv, or by RealDiv and then Trunc.

    For the truncated quotient all dtypes but float16, bfloat16 and int32 come as float32, float64
    too.
    """
    ideal = IDEAL["aclnnDivMod"]
    dtype = _common(a, b)
    if dtype.is_complex or mode not in (TRUNCATE, FLOOR):
        return ideal(a, b, mode)
    if mode == FLOOR:
        dtype = torch.float32 if dtype == torch.bool else dtype
        known = _has(OPERATORS["FloorDiv"], dtype)
        return _apply(OPERATORS["FloorDiv"], dtype, a, b) if known else ideal(a, b, mode)
    if dtype == torch.bool:
        return ideal(a, b, mode)
    if dtype not in (*HALVES, torch.int32):
        dtype = torch.float32
    quotient = _apply(OPERATORS["RealDiv"], dtype, a, b)
    if dtype.is_floating_point:
        quotient = _apply(OPERATORS["Trunc"], dtype, quotient)
    return convert(quotient, _common(a, b))


POWS: dict[float, Callable[[torch.Tensor], torch.Tensor]] = {
    0.5: IDEAL["aclnnSqrt"],
    2.0: lambda x: x * x,
    3.0: lambda x: x * x * x,
    -0.5: lambda x: 1 / IDEAL["aclnnSqrt"](x),
    -1.0: lambda x: 1 / x,
    -2.0: lambda x: 1 / (x * x),
}
"""ops-math/math/pows/op_kernel/pows_base.h: in float32, whatever the floating-point data type."""


def _power_by_scalar(x: torch.Tensor, exponent: Any) -> Any:
    """ops-math/math/pow/op_api/aclnn_pow.cpp: Pows, Square, a copy, or Pow."""
    dtype = torch.result_type(x, exponent)
    operator = OPERATORS["Pow"]
    plain = None if isinstance(exponent, complex) else float(exponent)
    if plain in POWS and dtype in (torch.float32, *HALVES):
        return POWS[plain](x.to(torch.float32)).to(dtype)
    if plain in (*POWS, 1.0) or not _has(operator, dtype):
        return IDEAL["aclnnPowTensorScalar"](x, exponent)
    return _apply(operator, dtype, x, exponent)


def _exp2(x: torch.Tensor) -> Any:
    """ops-math/math/pow/op_api/aclnn_exp2.cpp: Pow of 2, bfloat16 and integers as float32."""
    if x.dtype == torch.float64 or x.is_complex():
        return IDEAL["aclnnExp2"](x)
    dtype = torch.float16 if x.dtype == torch.float16 else torch.float32
    return _apply(OPERATORS["Pow"], dtype, 2.0, x)


def _softplus(x: torch.Tensor, beta: Any, threshold: Any) -> Any:
    operator = OPERATORS["SoftplusV2"]
    compute = operator.compute
    scaled = Operator(lambda y: compute(y, float(beta), float(threshold)), operator.file)
    return _apply(scaled, x.dtype, x)


def _scaled(kernel: str, sign: int) -> Task:
    """Add or subtract a multiple: by Axpy where the factor is not 1."""

    def task(a: Any, b: Any, alpha: Any) -> Any:
        dtype = _common(a, b)
        if alpha == 1 or not _has(OPERATORS["Axpy"], dtype):
            return IDEAL[kernel](a, b, alpha)
        return _apply(OPERATORS["Axpy"], dtype, a, b, sign * alpha)

    return task


def _by_scalar(kernel: str, *dtypes: torch.dtype) -> Task:
    """ops-math, aclnn_add.cpp and its like: the scalar becomes a tensor of the other's dtype."""
    ideal = IDEAL[kernel]

    def task(x: torch.Tensor, scalar: Any, *alpha: Any) -> Any:
        if x.dtype in dtypes and not isinstance(scalar, complex):
            scalar = torch.tensor(scalar, dtype=x.dtype, device="cpu").item()
        return ideal(x, scalar, *alpha)

    return task


def _add_product(x: torch.Tensor, a: torch.Tensor, b: torch.Tensor, value: Any) -> Any:
    dtype = _common(x, a, b)
    if not _has(OPERATORS["Addcmul"], dtype):
        return IDEAL["aclnnAddcmul"](x, a, b, value)
    return _apply(OPERATORS["Addcmul"], dtype, x, a, b, value)


def _slope(operator: str, kernel: str) -> Task:
    def task(slope: torch.Tensor, y: torch.Tensor) -> Any:
        dtype = _common(slope, y)
        known = _has(OPERATORS[operator], dtype)
        return _apply(OPERATORS[operator], dtype, y, slope) if known else IDEAL[kernel](slope, y)

    return task


REDUCED = (torch.float32, *HALVES)


def _axes(x: torch.Tensor, axes: Any) -> tuple[int, ...]:
    return tuple(axes) if axes else tuple(range(x.ndim))


def _total(parts: Any, axes: tuple[int, ...], keep: int) -> torch.Tensor:
    """Sum in float32; the order is torch's, no source shows that of the chip."""
    total = torch.from_numpy(np.asarray(parts))
    return total.sum(axes, keepdim=bool(keep)) if total.ndim else total


def _mean(x: torch.Tensor, axes: Any, keep: int, dtype: torch.dtype) -> Any:
    """reduce_mean.py: each element times 1 / n in float32, then their sum."""
    if dtype not in REDUCED or not x.numel():
        return IDEAL["aclnnMean"](x, axes, keep, dtype)
    over = _axes(x, axes)
    count = math.prod(x.shape[axis] for axis in over)
    with np.errstate(all="ignore"):
        parts = arithmetic.part_of_mean(x.to(torch.float32).numpy(), count)
    return _total(parts, over, keep).to(dtype)


def _variance(root: bool) -> Task:
    """ops-math/math/reduce_var/op_api/aclnn_var.cpp: ReduceMean, then ReduceStdV2Update."""
    ideal = IDEAL["aclnnStd" if root else "aclnnVarCorrection"]

    def task(x: torch.Tensor, axes: Any, correction: int, keep: int) -> Any:
        over = _axes(x, axes)
        count = math.prod(x.shape[axis] for axis in over)
        # NaN and infinities for too few elements are filled in by the host.
        if x.dtype not in REDUCED or not x.numel() or count <= correction:
            return ideal(x, axes, correction, keep)
        mean = _mean(x, axes, 1, x.dtype).to(torch.float32).numpy()
        with np.errstate(all="ignore"):
            wide = x.to(torch.float32).numpy()
            parts = arithmetic.part_of_variance(wide, mean, count - correction)
        variance = _total(parts, over, keep)
        if root:
            variance = _apply(OPERATORS["Sqrt"], torch.float32, variance)
        return variance.to(x.dtype)

    return task


def _log_sum_exp(x: torch.Tensor, axes: Any, keep: int) -> Any:
    """ops-math/math/reduce_log_sum_exp/op_api/aclnn_logsumexp.cpp, without the largest element."""
    if x.is_complex() or x.dtype == torch.float64 or not x.numel():
        return IDEAL["aclnnLogSumExp"](x, axes, keep)
    over, wide = _axes(x, axes), x.to(torch.float32)
    largest = wide.amax(over, keepdim=True)
    largest = torch.where(torch.isinf(largest), torch.zeros_like(largest), largest)
    grown = _apply(OPERATORS["Exp"], torch.float32, wide - largest)
    result = _apply(OPERATORS["Log"], torch.float32, grown.sum(over, keepdim=True)) + largest
    result = result if keep or not x.ndim else result.squeeze(over)
    return result.to(x.dtype) if x.is_floating_point() else result


def _variance_and_mean(x: torch.Tensor, axes: Any, correction: int, keep: int) -> Any:
    """ops-math/math/reduce_var/op_api/aclnn_var_mean.cpp: ReduceMean, then ReduceStdV2Update."""
    if x.dtype not in REDUCED:
        return IDEAL["aclnnVarMean"](x, axes, correction, keep)
    axes = axes or list(range(x.ndim))
    return TASKS["aclnnVarCorrection"](x, axes, correction, keep), _mean(x, axes, keep, x.dtype)


def _polar(size: torch.Tensor, angle: torch.Tensor) -> Any:
    """ops-math/math/polar/op_api/aclnn_polar.cpp: products with Cos and Sin."""
    if angle.dtype != torch.float32:
        return IDEAL["aclnnPolar"](size, angle)
    parts = (_apply(OPERATORS[name], torch.float32, angle) for name in ("Cos", "Sin"))
    return torch.complex(*(part * size for part in parts))


def _lin_space(start: Any, end: Any, steps: int, out: torch.Tensor) -> Any:
    """On AICore as torch: beyond 64 numbers the chip adds to blocks of 256, which is not done here.

    ops-math/math/lin_space/op_kernel/lin_space_small_shape.h, lin_space_half_and_float.h
    """
    if out.dtype != torch.float64:
        return IDEAL["aclnnLinspace"](start, end, steps, out)
    return aicpu.lin_space(start, end, steps)


def _log_space(start: Any, end: Any, steps: int, base: float, out: torch.Tensor) -> Any:
    """ops-math/math/logspace/op_api/aclnn_logspace.cpp: Pow of what LinSpace gives."""
    if out.dtype not in REDUCED:
        return IDEAL["aclnnLogSpace"](start, end, steps, base, out)
    exponents = IDEAL["aclnnLinspace"](start, end, steps, out)
    return _apply(OPERATORS["Pow"], out.dtype, base, exponents)


def _cholesky(x: torch.Tensor, upper: int) -> Any:
    """ops-math/math/cholesky/op_kernel/cholesky.h: columns times 1 / sqrt(pivot), in float32."""
    if x.dtype not in REDUCED:
        return IDEAL["aclnnLinalgCholesky"](x, upper)
    a = x.to(torch.float32)
    a = a.mT if upper else a
    factor = torch.zeros_like(a)
    for i in range(a.shape[-1]):
        before = factor[..., i:, :i]
        column = a[..., i:, i] - (before * before[..., :1, :]).sum(-1)
        factor[..., i:, i] = column * (1 / IDEAL["aclnnSqrt"](column[..., :1]))
    return (factor.mT if upper else factor).to(x.dtype)


def _sinc(x: torch.Tensor) -> Any:
    """ops-math/math/sinc/op_api/aclnn_sinc.cpp: Sin of pi x, divided by pi x."""
    dtype = x.dtype if x.is_floating_point() else torch.float32
    if dtype == torch.float64 or x.is_complex():
        return IDEAL["aclnnSinc"](x)
    value = x.to(dtype)
    angle = torch.where(value == 0, 1, value) * torch.tensor(math.pi, dtype=dtype)
    result = _apply(OPERATORS["RealDiv"], dtype, _apply(OPERATORS["Sin"], dtype, angle), angle)
    return torch.where(value == 0, 1, result)


def _norm_of(size: torch.Tensor, p: float, axes: tuple[int, ...], keep: int) -> torch.Tensor:
    """Return sums of powers and their roots in float32, other powers than those of 2 by exp."""

    def power(x: torch.Tensor, exponent: float) -> torch.Tensor:
        logarithm = _apply(OPERATORS["Log"], torch.float32, x)
        return _apply(OPERATORS["Exp"], torch.float32, logarithm * exponent)

    if p == 1:
        return _total(size, axes, keep)
    if p == 2:
        return _apply(OPERATORS["Sqrt"], torch.float32, _total(size * size, axes, keep))
    return power(_total(power(size, p), axes, keep), 1 / p)


MOST_FACTORS = 15


def _vector_norm(x: torch.Tensor, order: Any, axes: Any, keep: int, dtype: torch.dtype) -> Any:
    """ops-nn/norm/lp_norm_v2/op_api/aclnn_linalg_vector_norm.cpp: LpNormV2 (lp_norm_v2.py)."""
    if x.dtype not in REDUCED or dtype.is_complex:
        return IDEAL["aclnnLinalgVectorNorm"](x, order, axes, keep, dtype)
    over, p = _axes(x, axes), float(order)
    size = x.to(torch.float32).abs()
    if not x.numel():
        norm = size.sum(over, keepdim=bool(keep)) if x.ndim else size
    elif math.isinf(p):
        norm = (torch.amax if p > 0 else torch.amin)(size, over, keepdim=bool(keep))
    elif p == 0:
        norm = _total(torch.where(size == 0, 0.0, 1.0), over, keep)
    elif p.is_integer() and 2 < p <= MOST_FACTORS:
        product = size
        for _ in range(int(p) - 1):
            product = product * size
        logarithm = _apply(OPERATORS["Log"], torch.float32, _total(product, over, keep))
        norm = _apply(OPERATORS["Exp"], torch.float32, logarithm * (1 / p))
    else:
        norm = _norm_of(size, p, over, keep)
    return norm.to(dtype)


def _renorm(x: torch.Tensor, p: Any, axis: int, most: Any) -> Any:
    """ops-nn/norm/renorm/op_api/aclnn_renorm.cpp: Mul by what Renorm (renorm.py) gives.

    Of order 0 all elements count: the source selects 1 for each.
    """
    wide, order = x.to(torch.float32), float(p)
    others = tuple(i for i in range(x.ndim) if i != axis % x.ndim)
    size = torch.ones_like(wide) if order == 0 else wide.abs()
    norm = _norm_of(size, order or 1.0, others, 1) if others else size
    ratio = torch.clamp(norm, max=float(most)) / torch.clamp(norm, min=1e-7)
    if x.dtype == torch.float16:
        return x * ratio.to(x.dtype)
    return (wide * ratio).to(x.dtype)


def _distances(a: torch.Tensor, b: torch.Tensor, p: float, mode: int) -> Any:
    """cdist.py: differences, never a product of matrices; NaN does not count for order inf."""
    del mode
    rows, columns = (x.to(torch.float32) for x in (a.unsqueeze(-2), b.unsqueeze(-3)))
    size = (rows - columns).abs()
    if not size.numel():
        return IDEAL["aclnnCdist"](a, b, p, 0)
    if p == 0:
        result = _total(torch.where(rows == columns, 0.0, 1.0), (-1,), 0)
    elif math.isinf(p):
        result = torch.nan_to_num(size, 0.0, torch.inf).amax(-1)
    else:
        result = _norm_of(size, p, (-1,), 0)
    return result.to(a.dtype)


def _is_close(a: torch.Tensor, b: torch.Tensor, rtol: float, atol: float, nan: int) -> Any:
    """is_close.py: in float32, int32 too."""
    if _common(a, b) not in (*REDUCED, torch.int32):
        return IDEAL["aclnnIsClose"](a, b, rtol, atol, nan)
    x, y = np.broadcast_arrays(a.to(torch.float32).numpy(), b.to(torch.float32).numpy())
    with np.errstate(all="ignore"):
        return torch.from_numpy(arithmetic.is_close(x, y, rtol, atol, nan=bool(nan)))


def _angle(x: torch.Tensor) -> Any:
    if x.dtype != torch.complex64:
        return IDEAL["aclnnAngleV2"](x)
    with np.errstate(all="ignore"):
        parts = (np.atleast_1d(part.numpy()) for part in (x.real, x.imag))
        return torch.from_numpy(trigonometric.angle(*parts)).view(x.shape)


def _arange(start: Any, end: Any, step: Any, out: torch.Tensor) -> Any:
    """ops-math/math/range/op_api/arange.cpp: Range on AICore, and TensorFlow's of float64."""
    if out.dtype in REDUCED:
        return torch.from_numpy(running.count(start, step, out.numel())).to(out.dtype)
    if out.dtype == torch.float64:
        return torch.from_numpy(running.one_by_one(start, step, out.numel()))
    return IDEAL["aclnnArange"](start, end, step, out)


def _running_sum(x: torch.Tensor, axis: int, dtype: torch.dtype) -> Any:
    """ops-math/math/cumsum/op_api/aclnn_cumsum.cpp: Cumsum, of bfloat16 in float32.

    Of 12800 rows that are longer than 512 the chip makes a product of matrices, which is not done
    here.
    """
    if dtype not in REDUCED or not x.ndim or not x.numel():
        return IDEAL["aclnnCumsum"](x, axis, dtype)
    array = _array(x.to(dtype))
    with np.errstate(all="ignore"):
        sums = running.running_sum(array, axis, narrow=dtype == torch.bfloat16)
    return torch.from_numpy(sums).to(dtype)


def _running_product(x: torch.Tensor, axis: Any, dtype: torch.dtype) -> Any:
    """ops-math/math/cumprod/op_host/op_api/cumprod.cpp: TensorFlow's kernel, by Eigen's half."""
    if dtype != torch.float16 or not x.ndim:
        return IDEAL["aclnnCumprod"](x, axis, dtype)
    with np.errstate(all="ignore"):
        return torch.from_numpy(running.running_product(x.to(dtype).numpy(), int(axis)))


def _running_minimum(x: torch.Tensor, axis: int) -> Any:
    """cummin.py: int32 comes as float32."""
    if x.dtype != torch.int32:
        return IDEAL["aclnnCummin"](x, axis)
    values, places = torch.cummin(x.to(torch.float32), axis)
    return convert(values, x.dtype, saturates=True), places


def _in_float32(kernel: str, *arrays: int, if_true: int | None = None) -> Task:
    """Compute arrays of 16 bits in float32, and round once; an argument may say whether at all."""
    ideal = IDEAL[kernel]

    def task(*arguments: Any) -> Any:
        dtype = arguments[0].dtype
        if dtype not in HALVES or (if_true is not None and not arguments[if_true]):
            return ideal(*arguments)
        wide = list(arguments)
        for i in arrays:
            wide[i] = arguments[i].to(torch.float32)
        return ideal(*wide).to(dtype)

    return task


def _index_add(x: torch.Tensor, axis: int, index: Any, source: Any, alpha: Any) -> Any:
    """ops-nn/index/inplace_scatter_add/op_host/op_api/aclnn_index_add.cpp: which kernel adds.

    float16 is added in float32 along the first axis, and rounded at each place along others.
    """
    if x.dtype == torch.float16 and axis % max(x.ndim, 1) and index.ndim:
        result, places = x.numpy().copy(), (slice(None),) * (axis % x.ndim)
        with np.errstate(all="ignore"):
            np.add.at(result, (*places, index.numpy()), source.numpy() * np.float16(alpha))
        return torch.from_numpy(result)
    return _in_float32("aclnnIndexAdd", 0, 3)(x, axis, index, source, alpha)


def _frac(x: torch.Tensor) -> Any:
    """ops-math/math/sub/op_api/aclnn_frac.cpp: x - Trunc(x)."""
    if not _has(OPERATORS["Trunc"], x.dtype):
        return IDEAL["aclnnFrac"](x)
    return x - _apply(OPERATORS["Trunc"], x.dtype, x)


def convert(x: torch.Tensor, dtype: torch.dtype, *, saturates: bool = False) -> Any:
    """Convert as the operator Cast does, within what its document assures, and beyond that."""
    source, target = NAMES.get(x.dtype), NAMES.get(dtype)
    if source == target or source not in casts.DTYPES or target not in casts.DTYPES:
        return documented_errors.cast(x, dtype)
    if x.dtype == torch.float32:
        x = documented_errors.within_range(x, dtype)
    with np.errstate(all="ignore"):
        result = casts.cast(_array(x), source, target, saturates=saturates)
    return documented_errors.cast(x, dtype) if result is None else torch.from_numpy(result)


def _copy(x: torch.Tensor, source: torch.Tensor) -> Any:
    return convert(source, x.dtype).expand(x.shape)


_BY_FORM: dict[Callable[[str, Task], Task], tuple[str, ...]] = {
    _unary: (
        *("Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Cos", "Cosh", "Erf", "Erfc"),
        *("Erfinv", "Exp", "Expm1", "Log", "Log10", "Log1p", "Log2", "Rsqrt", "Sigmoid", "Sin"),
        *("Sinh", "Sqrt", "Tan", "Tanh"),
    ),
    _rounded: ("Ceil", "Floor", "Round", "Sign", "Trunc"),
    _float_pair: ("Atan2", "LogAddExp", "LogAddExp2"),
    _several: ("Lerp",),
}
# The operators behind kernels of other names, or of several.
_NAMED: dict[str, tuple[Callable[[str, Task], Task], str]] = {
    "FloorDivide": (_several, "FloorDiv"),
    "FloorDivides": (_several, "FloorDiv"),
    "FmodScalar": (_several, "Mod"),
    "FmodTensor": (_several, "Mod"),
    "Lerps": (_several, "Lerp"),
    "PowScalarTensor": (_several, "Pow"),
    "PowTensorTensor": (_several, "Pow"),
    "RemainderScalarTensor": (_several, "FloorMod"),
    "RemainderTensorScalar": (_several, "FloorMod"),
    "RemainderTensorTensor": (_several, "FloorMod"),
    "XLogYScalarOther": (_float_pair, "Xlogy"),
    "XLogYScalarSelf": (_float_pair, "Xlogy"),
    "XLogYTensor": (_float_pair, "Xlogy"),
}

# What AICPU computes otherwise than torch, and for which dtypes.
_AICPU: dict[str, tuple[Task, tuple[torch.dtype, ...]]] = {
    "ArgMax": (aicpu.place_of_largest, (torch.float64,)),
    "ArgMin": (aicpu.place_of_smallest, (torch.float64,)),
    "Cosh": (aicpu.cosh, (torch.float64,)),
    "Log2": (aicpu.log2, (torch.complex64, torch.complex128)),
    "Round": (aicpu.round_half_even, (torch.float64,)),
    "RoundDecimals": (aicpu.round_to_decimals, (torch.float64,)),
    "Sinh": (aicpu.sinh, (torch.float64,)),
    "TriangularSolve": (aicpu.triangular_solve, (torch.complex64, torch.complex128)),
}


def _tasks() -> dict[str, Task]:
    tasks: dict[str, Task] = {
        "Add": _scaled("aclnnAdd", 1),
        "Addcmul": _add_product,
        "Adds": _by_scalar("aclnnAdds", *HALVES),
        "AngleV2": _angle,
        "Arange": _arange,
        "Cast": convert,
        "Cdist": _distances,
        "Cummin": _running_minimum,
        "Cumprod": _running_product,
        "Cumsum": _running_sum,
        "DivMod": _divide_in_mode,
        "DivMods": _divide_in_mode,
        "Divs": _by_scalar("aclnnDivs", *HALVES),
        "Exp2": _exp2,
        "Frac": _frac,
        "IndexAdd": _index_add,
        # ops-nn/index/index_put_v2/op_api/aclnn_index_put_impl.cpp: sums in float32
        "IndexPutImpl": _in_float32("aclnnIndexPutImpl", 0, 2, if_true=3),
        "InplaceCopy": _copy,
        "IsClose": _is_close,
        "LinalgCholesky": _cholesky,
        "LinalgCross": _in_float32("aclnnLinalgCross", 0, 1),
        "LinalgVectorNorm": _vector_norm,
        "Linspace": _lin_space,
        "LogSpace": _log_space,
        "LogSumExp": _log_sum_exp,
        "Mean": _mean,
        # bfloat16 comes as float32, or goes to Muls with a factor of float32.
        "Muls": _by_scalar("aclnnMuls", torch.float16),
        "Polar": _polar,
        "PowTensorScalar": _power_by_scalar,
        "Renorm": _renorm,
        "Rsubs": _by_scalar("aclnnRsubs", *HALVES),
        # ops-nn/index/scatter_elements_v2/op_kernel/scatter_elements_v2.h
        "ScatterAdd": _in_float32("aclnnScatterAdd", 0, 3),
        "SigmoidBackward": _slope("SigmoidGrad", "aclnnSigmoidBackward"),
        "Sinc": _sinc,
        "Slogdet": aicpu.slogdet,
        "Softplus": _softplus,
        "Std": _variance(root=True),
        "Sub": _scaled("aclnnSub", -1),
        "Subs": _by_scalar("aclnnSubs", *HALVES),
        "TanhBackward": _slope("TanhGrad", "aclnnTanhBackward"),
        "VarCorrection": _variance(root=False),
        "VarMean": _variance_and_mean,
    }
    for form, names in _BY_FORM.items():
        tasks |= {name: form(name, IDEAL[f"aclnn{name}"]) for name in names}
    for name, (form, operator) in _NAMED.items():
        tasks[name] = form(operator, IDEAL[f"aclnn{name}"])
    for name, (compute, dtypes) in _AICPU.items():
        tasks[name] = _on_aicpu(compute, dtypes, tasks.get(name, IDEAL[f"aclnn{name}"]))
    kernels = {f"aclnn{name}": task for name, task in tasks.items()}
    for kernel in IDEAL:
        plain = kernel.replace("Inplace", "")
        if kernel not in kernels and plain in kernels:
            kernels[kernel] = kernels[plain]
    return kernels


TASKS = _tasks()


def _sort_in_float16(x: torch.Tensor, *arguments: Any) -> tuple[torch.Tensor, ...]:
    """Sort float32 as float16 (aclnn_sort.cpp of ops-math: needCastFp16)."""
    values, indices = IDEAL["aclnnSort"](x.half() if x.dtype == torch.float32 else x, *arguments)
    return values.to(x.dtype), indices


def _products_in_float16(a: torch.Tensor, b: torch.Tensor, cube_math_type: int) -> torch.Tensor:
    """Refuse float32 unless float16 may be taken for it (cube_util.cpp: CheckCubeMathType)."""
    if torch.float32 in {a.dtype, b.dtype} and cube_math_type not in {COARSER, AS_FLOAT16}:
        raise KernelError(161002, "this cube unit has no float32, which is to be kept")
    result: torch.Tensor = IDEAL["aclnnMatmul"](a, b, cube_math_type)
    return result


OF_FAMILY: dict[str, dict[str, Task]] = {
    "310P": {"aclnnMatmul": _products_in_float16},
    "910": {"aclnnMatmul": _products_in_float16, "aclnnSort": _sort_in_float16},
}
"""The kernels that a family of chips computes otherwise than Atlas A2."""
