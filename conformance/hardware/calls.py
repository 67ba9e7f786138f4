"""A call of torch for each kernel of the emulator's table.

The calls are made with tensors of one data type: `x`, `y`, `z` have four elements, `x3`, `y3`
three, `m`, `n` are 2 by 2, `p` is 2 by 2 by 2, `zero` has no axes; `s` is a Python number of the
kind of the data type. `i` are int64 places, `counts` int64 numbers, `mask` is bool.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Mapping

_PLAIN: Mapping[str, str] = {
    **{
        f"aclnn{name}": f"torch.{name.lower()}(x)"
        for name in (
            *("Abs", "Acos", "Acosh", "All", "Any", "Asin", "Asinh", "Atan", "Atanh", "Ceil"),
            *("Cos", "Cosh", "Erf", "Erfc", "Erfinv", "Exp", "Exp2", "Expm1", "Floor", "Frac"),
            *("IsFinite", "IsNegInf", "IsPosInf", "Log", "Log10", "Log1p", "Log2", "Max", "Min"),
            *("Neg", "Nonzero", "Prod", "Reciprocal", "Round", "Rsqrt", "Sigmoid", "Sign"),
            *("Signbit", "Sin", "Sinc", "Sinh", "Sqrt", "Tan", "Tanh", "Trunc"),
        )
    },
    **{
        f"aclnn{name}": f"torch.{name.lower()}(x, y)"
        for name in (
            *("Add", "Atan2", "Div", "Dot", "Equal", "Gcd", "IsClose", "LogAddExp", "LogAddExp2"),
            *("Maximum", "Minimum", "Mul", "Sub"),
        )
    },
    **{
        f"aclnn{name}": f"torch.{function}(x, y)"
        for name, function in (
            ("BitwiseAndTensor", "bitwise_and"),
            ("BitwiseOrTensor", "bitwise_or"),
            ("BitwiseXorTensor", "bitwise_xor"),
            ("Complex", "complex"),
            ("EqTensor", "eq"),
            ("FloorDivide", "floor_divide"),
            ("FmodTensor", "fmod"),
            ("GeTensor", "ge"),
            ("GtTensor", "gt"),
            ("LeTensor", "le"),
            ("LeftShift", "bitwise_left_shift"),
            ("LogicalAnd", "logical_and"),
            ("LogicalOr", "logical_or"),
            ("LogicalXor", "logical_xor"),
            ("LtTensor", "lt"),
            ("NeTensor", "ne"),
            ("Polar", "polar"),
            ("PowTensorTensor", "pow"),
            ("RemainderTensorTensor", "remainder"),
            ("RightShift", "bitwise_right_shift"),
            ("Rsub", "rsub"),
            ("SearchSorted", "searchsorted"),
            ("XLogYTensor", "xlogy"),
        )
    },
    **{
        f"aclnn{name}": f"torch.{function}(x, s)"
        for name, function in (
            ("Adds", "add"),
            ("BitwiseAndScalar", "bitwise_and"),
            ("BitwiseOrScalar", "bitwise_or"),
            ("BitwiseXorScalar", "bitwise_xor"),
            ("ClampMax", "clamp_max"),
            ("ClampMin", "clamp_min"),
            ("Divs", "div"),
            ("EqScalar", "eq"),
            ("FloorDivides", "floor_divide"),
            ("FmodScalar", "fmod"),
            ("GeScalar", "ge"),
            ("GtScalar", "gt"),
            ("LeScalar", "le"),
            ("LeftShifts", "bitwise_left_shift"),
            ("LtScalar", "lt"),
            ("Muls", "mul"),
            ("NeScalar", "ne"),
            ("PowTensorScalar", "pow"),
            ("RemainderTensorScalar", "remainder"),
            ("Rsubs", "rsub"),
            ("SearchSorteds", "searchsorted"),
            ("Subs", "sub"),
            ("XLogYScalarOther", "xlogy"),
        )
    },
    "aclnnAddcdiv": "torch.addcdiv(x, y, z)",
    "aclnnAddcmul": "torch.addcmul(x, y, z)",
    "aclnnAddmm": "torch.addmm(m, n, m)",
    "aclnnAddr": "torch.addr(m, m[0], n[0])",
    "aclnnAmax": "torch.amax(x, 0)",
    "aclnnAmin": "torch.amin(x, 0)",
    "aclnnAminmax": "torch.aminmax(x)",
    "aclnnAngleV2": "torch.angle(x)",
    "aclnnArange": "torch.arange(0, 4, dtype=x.dtype, device=x.device)",
    "aclnnArgMax": "torch.argmax(x, 0)",
    "aclnnArgMin": "torch.argmin(x, 0)",
    "aclnnBaddbmm": "torch.baddbmm(p, p, p)",
    "aclnnBatchMatMul": "torch.bmm(p, p)",
    "aclnnBitwiseNot": "torch.bitwise_not(x)",
    "aclnnCast": "torch.ops.npu._npu_dtype_cast(x, other)",
    "aclnnCat": "torch.cat([x, y])",
    "aclnnCdist": "torch.cdist(m, n)",
    "aclnnClamp": "torch.clamp(x, s, s)",
    "aclnnClampTensor": "torch.clamp(x, y, z)",
    "aclnnConstantPadNd": "torch.nn.functional.pad(x, (1, 1))",
    "aclnnCummax": "torch.cummax(x, 0)",
    "aclnnCummin": "torch.cummin(x, 0)",
    "aclnnCumprod": "torch.cumprod(x, 0, dtype=x.dtype)",
    "aclnnCumsum": "torch.cumsum(x, 0, dtype=x.dtype)",
    "aclnnDivMod": "torch.div(x, y, rounding_mode='floor')",
    "aclnnDivMods": "torch.div(x, s, rounding_mode='floor')",
    "aclnnEye": "torch.eye(2, dtype=x.dtype, device=x.device)",
    "aclnnFlip": "torch.flip(x, (0,))",
    "aclnnGather": "torch.gather(x, 0, i)",
    "aclnnHistc": "torch.histc(x, 4, 0, 4)",
    "aclnnIndex": "x[i]",
    "aclnnIndexAdd": "torch.index_add(x, 0, i, y)",
    "aclnnIndexCopy": "torch.index_copy(x, 0, i, y)",
    "aclnnIndexFill": "torch.index_fill(x, 0, i, s)",
    "aclnnIndexPutImpl": "x.index_put_((i,), y)",
    "aclnnIndexSelect": "torch.index_select(x, 0, i)",
    "aclnnInverse": "torch.inverse(m)",
    "aclnnKthvalue": "torch.kthvalue(x, 1)",
    "aclnnLerp": "torch.lerp(x, y, z)",
    "aclnnLerps": "torch.lerp(x, y, s)",
    "aclnnLinalgCholesky": "torch.linalg.cholesky(m)",
    "aclnnLinalgCross": "torch.linalg.cross(x3, y3)",
    "aclnnLinalgQr": "torch.linalg.qr(m)",
    "aclnnLinalgVectorNorm": "torch.linalg.vector_norm(x)",
    "aclnnLinspace": "torch.linspace(0, 3, 4, dtype=x.dtype, device=x.device)",
    "aclnnLogSpace": "torch.logspace(0, 3, 4, dtype=x.dtype, device=x.device)",
    "aclnnLogSumExp": "torch.logsumexp(x, 0)",
    "aclnnLogicalNot": "torch.logical_not(x)",
    "aclnnMaskedSelect": "torch.masked_select(x, mask)",
    "aclnnMatmul": "torch.matmul(p, m)",
    "aclnnMaxDim": "torch.max(x, 0)",
    "aclnnMean": "torch.mean(x, 0)",
    "aclnnMedianDim": "torch.median(x, 0)",
    "aclnnMinDim": "torch.min(x, 0)",
    "aclnnMm": "torch.mm(m, n)",
    "aclnnMultinomial": "torch.multinomial(x, 2)",
    "aclnnMv": "torch.mv(m, n[0])",
    "aclnnNanToNum": "torch.nan_to_num(x)",
    "aclnnPowScalarTensor": "torch.pow(3, x)",
    "aclnnProdDim": "torch.prod(x, 0, dtype=x.dtype)",
    "aclnnRandperm": "torch.randperm(4, dtype=x.dtype, device=x.device)",
    "aclnnReduceNansum": "torch.nansum(x, dtype=x.dtype)",
    "aclnnReduceSum": "torch.sum(x, 0, dtype=x.dtype)",
    "aclnnReflectionPad1d": "torch.nn.functional.pad(m, (1, 1), mode='reflect')",
    "aclnnRemainderScalarTensor": "torch.remainder(3, x)",
    "aclnnRenorm": "torch.renorm(m, 2, 0, 1.0)",
    "aclnnRepeat": "x.repeat(2)",
    "aclnnRepeatInterleave": "torch.repeat_interleave(x, counts)",
    "aclnnRepeatInterleaveInt": "torch.repeat_interleave(x, 2)",
    "aclnnRepeatInterleaveIntWithDim": "torch.repeat_interleave(x, 2, dim=0)",
    "aclnnRepeatInterleaveTensor": "torch.repeat_interleave(x)",
    "aclnnRepeatInterleaveWithDim": "torch.repeat_interleave(x, counts, dim=0)",
    "aclnnRoll": "torch.roll(x, 1, 0)",
    "aclnnRoundDecimals": "torch.round(x, decimals=1)",
    "aclnnSWhere": "torch.where(mask, x, y)",
    "aclnnScatter": "torch.scatter(x, 0, i, y)",
    "aclnnScatterAdd": "torch.scatter_add(x, 0, i, y)",
    "aclnnScatterValue": "torch.scatter(x, 0, i, s)",
    "aclnnSigmoidBackward": "torch.ops.aten.sigmoid_backward(x, y)",
    "aclnnSlogdet": "torch.slogdet(m)",
    "aclnnSoftplus": "torch.nn.functional.softplus(x)",
    "aclnnSort": "torch.sort(x)",
    "aclnnStack": "torch.stack([x, y])",
    "aclnnStd": "torch.std(x, 0)",
    "aclnnSvd": "torch.linalg.svd(m)",
    "aclnnTake": "torch.take(x, i)",
    "aclnnTanhBackward": "torch.ops.aten.tanh_backward(x, y)",
    "aclnnTopk": "torch.topk(x, 2)",
    "aclnnTrace": "torch.trace(m)",
    "aclnnTriangularSolve": "torch.triangular_solve(m, n)",
    "aclnnTril": "torch.tril(m)",
    "aclnnTriu": "torch.triu(m)",
    "aclnnUnique2": "torch.unique(x, return_inverse=True)",
    "aclnnUniqueConsecutive": "torch.unique_consecutive(x)",
    "aclnnUniqueDim": "torch.unique(m, dim=0)",
    "aclnnVarCorrection": "torch.var(x, 0)",
    "aclnnVarMean": "torch.var_mean(x, 0)",
    "aclnnXLogYScalarSelf": "torch.xlogy(s, x)",
    "emulator_fft_C2C": "torch.fft.fft(x)",
    "emulator_fft_C2R": "torch.fft.irfft(x)",
    "emulator_fft_R2C": "torch.fft.rfft(x)",
}

_IN_PLACE: Mapping[str, str] = {
    **{
        f"aclnnInplace{name}": f"x.{name.lower()}_()"
        for name in (
            *("Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Ceil", "Cos", "Cosh", "Erf"),
            *("Erfc", "Erfinv", "Exp", "Exp2", "Expm1", "Floor", "Frac", "Log", "Log10", "Log1p"),
            *("Log2", "Reciprocal", "Rsqrt", "Sigmoid", "Sin", "Sinc", "Sinh", "Sqrt", "Tan"),
            *("Tanh", "Normal", "Random", "Uniform"),
        )
    },
    **{
        f"aclnnInplace{name}": f"x.{method}_({operand})"
        for name, method, operand in (
            ("Add", "add", "y"),
            ("Adds", "add", "s"),
            ("Addcdiv", "addcdiv", "y, z"),
            ("Addcmul", "addcmul", "y, z"),
            ("Atan2", "atan2", "y"),
            ("Bernoulli", "bernoulli", "0.5"),
            ("BernoulliTensor", "bernoulli", "halves"),
            ("BitwiseAndScalar", "bitwise_and", "s"),
            ("BitwiseAndTensor", "bitwise_and", "y"),
            ("BitwiseXorScalar", "bitwise_xor", "s"),
            ("BitwiseXorTensor", "bitwise_xor", "y"),
            ("ClampMax", "clamp_max", "s"),
            ("ClampMaxTensor", "clamp_max", "y"),
            ("ClampMinTensor", "clamp_min", "y"),
            ("Div", "div", "y"),
            ("DivMod", "div", "y, rounding_mode='floor'"),
            ("DivMods", "div", "s, rounding_mode='floor'"),
            ("Divs", "div", "s"),
            ("EqScalar", "eq", "s"),
            ("EqTensor", "eq", "y"),
            ("FillScalar", "fill", "s"),
            ("FillTensor", "fill", "zero"),
            ("FloorDivide", "floor_divide", "y"),
            ("FloorDivides", "floor_divide", "s"),
            ("FmodScalar", "fmod", "s"),
            ("FmodTensor", "fmod", "y"),
            ("GeScalar", "ge", "s"),
            ("GeTensor", "ge", "y"),
            ("GtScalar", "gt", "s"),
            ("GtTensor", "gt", "y"),
            ("IndexCopy", "index_copy", "0, i, y"),
            ("IndexFill", "index_fill", "0, i, s"),
            ("LeScalar", "le", "s"),
            ("LeTensor", "le", "y"),
            ("Lerp", "lerp", "y, z"),
            ("Lerps", "lerp", "y, s"),
            ("LogicalAnd", "logical_and", "y"),
            ("LogicalNot", "logical_not", ""),
            ("LogicalOr", "logical_or", "y"),
            ("LtScalar", "lt", "s"),
            ("LtTensor", "lt", "y"),
            ("MaskedFillScalar", "masked_fill", "mask, s"),
            ("MaskedFillTensor", "masked_fill", "mask, zero"),
            ("MaskedScatter", "masked_scatter", "mask, y"),
            ("Mul", "mul", "y"),
            ("Muls", "mul", "s"),
            ("NanToNum", "nan_to_num", ""),
            ("NeScalar", "ne", "s"),
            ("NeTensor", "ne", "y"),
            ("PowTensorScalar", "pow", "s"),
            ("PowTensorTensor", "pow", "y"),
            ("Put", "put", "i, y"),
            ("RemainderTensorScalar", "remainder", "s"),
            ("RemainderTensorTensor", "remainder", "y"),
            ("RoundDecimals", "round", "decimals=1"),
            ("Scatter", "scatter", "0, i, y"),
            ("ScatterValue", "scatter", "0, i, s"),
            ("Sub", "sub", "y"),
            ("Subs", "sub", "s"),
            ("XLogYScalarOther", "xlogy", "s"),
            ("Zero", "zero", ""),
        )
    },
    "aclnnInplaceAddmm": "m.addmm_(n, n)",
    "aclnnInplaceAddr": "m.addr_(n[0], n[1])",
    "aclnnInplaceCopy": "torch.empty_like(m).copy_(m.T)",
    "aclnnInplaceOne": "torch.ones(4, dtype=x.dtype, device=x.device)",
    "aclnnInplaceRenorm": "m.renorm_(2, 0, 1.0)",
    "aclnnInplaceTril": "m.tril_()",
    "aclnnInplaceTriu": "m.triu_()",
}

CALLS: Mapping[str, str] = {**_PLAIN, **_IN_PLACE}
"""By kernel, an expression."""

UNREACHED: Mapping[str, str] = {
    "aclnnAminmaxDim": "torch_npu calls aclnnAminmax",
    "aclnnClampMaxTensor": "torch_npu calls aclnnClampTensor",
    "aclnnClampMinTensor": "torch_npu calls aclnnClampTensor",
    "aclnnInplaceXLogYTensor": "torch_npu calls aclnnXLogYTensor",
    "aclnnNonzeroV2": "torch_npu calls aclnnNonzero",
}
"""Kernels that no call of torch was found to reach, and why."""


def operands(dtype: torch.dtype, device: str) -> dict[str, Any]:
    """Return what the calls are made with: made on the CPU, so that no kernel makes them."""

    def tensor(values: Any, dtype: torch.dtype = dtype) -> torch.Tensor:
        return torch.tensor(values, dtype=torch.float32).to(dtype).to(device)

    number = complex(2, 1) if dtype.is_complex else 2.0 if dtype.is_floating_point else 2
    return {
        "torch": torch,
        "x": tensor([1, 2, 3, 4]),
        "y": tensor([1, 1, 2, 2]),
        "z": tensor([1, 1, 1, 1]),
        "x3": tensor([1, 2, 3]),
        "y3": tensor([3, 1, 2]),
        "m": tensor([[2, 1], [1, 3]]),
        "n": tensor([[1, 2], [2, 1]]),
        "p": tensor([[[2, 1], [1, 3]], [[1, 1], [0, 1]]]),
        "zero": tensor(0),
        "halves": tensor([0.5, 0.5, 0.5, 0.5], torch.float32),
        "i": tensor([0, 2, 1, 3], torch.int64),
        "counts": tensor([1, 2, 0, 1], torch.int64),
        "mask": tensor([1, 0, 1, 0], torch.bool),
        "s": True if dtype == torch.bool else number,
        "other": torch.int32 if dtype == torch.float32 else torch.float32,
    }


def call(kernel: str, dtype: torch.dtype, device: str) -> Any:
    """Make the call of a kernel."""
    return eval(CALLS[kernel], operands(dtype, device))
