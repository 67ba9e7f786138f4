"""Which of CANN's kernels is compared with which of the emulator's, on what, and how closely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from conformance.cann_emulator import kernels as ideal
from conformance.cann_emulator.chip import OPERATORS
from conformance.cann_emulator.chip import tasks as chip
from conformance.cann_emulator.kernels import documented_errors

from . import dsl, inputs, sources

if TYPE_CHECKING:
    from collections.abc import Callable

Array = np.ndarray[Any, Any]
TASKS = {**ideal.TASKS, **chip.TASKS}
FLOATS = ("float32", "float16", "bfloat16")
REDUCING = ("halves", "rows", "thirds")
CODES = {
    "float32": 0,
    "float16": 1,
    "int8": 2,
    "int32": 3,
    "uint8": 4,
    "int16": 6,
    "int64": 9,
    "bool": 12,
    "bfloat16": 27,
}


@dataclass(frozen=True)
class Comparison:
    """A kernel of CANN and what the emulator has for it.

    Attributes
    ----------
    file
        The kernel, a module of impl/dynamic.
    kernel
        The emulator's kernel, aclnnXxx, or the operator of `chip.OPERATORS`.
    form
        What it takes: "one", "two", "three" arrays, a "condition" and two, an array and a "mask",
        "rows", "thirds" or "halves" to reduce.
    dtypes
        For which dtypes.
    limit
        By how many units in the last place the two may differ: 0 where no exp, ln or sqrt is
        involved, whose last bit depends on the library that computes them.
    attributes, arguments
        What follows the arrays for the source, and for the emulator's kernel.
    out
        The dtype of the output, where it is not that of the input.
    """

    file: str
    kernel: str
    form: str = "one"
    dtypes: tuple[str, ...] = FLOATS
    limit: int = 0
    attributes: tuple[Any, ...] = ()
    arguments: tuple[Any, ...] = ()
    out: str | None = None


def _operator(name: str) -> Callable[..., torch.Tensor]:
    def task(*tensors: torch.Tensor) -> torch.Tensor:
        dtype = tensors[0].dtype
        wide = [t.to(torch.float32) if dtype == torch.bfloat16 else t for t in tensors]
        return torch.from_numpy(OPERATORS[name](*(t.numpy() for t in wide))).to(dtype)

    return task


def _of_operators() -> list[Comparison]:
    """Return comparisons for what has an algorithm as the chip."""
    several = {
        "SigmoidGrad",
        "TanhGrad",
        "Atan2",
        "FloorDiv",
        "FloorMod",
        "LogAddExp",
        "LogAddExp2",
        "Mod",
        "Pow",
        "RealDiv",
        "TruncateDiv",
        "TruncateMod",
        "Xlogy",
    }
    named = {
        "FloorDiv": "aclnnFloorDivide",
        "FloorMod": "aclnnRemainderTensorTensor",
        "Mod": "aclnnFmodTensor",
        "Pow": "aclnnPowTensorTensor",
        "Xlogy": "aclnnXLogYTensor",
    }
    attributes = {
        "Log2": (2.0, 1.0, 0.0),
        "Log10": (10.0, 1.0, 0.0),
        "LogAddExp2": (2.0, 1.0, 0.0),
        "SoftplusV2": (1.0, 20.0),
    }
    result = []
    for name, operator in OPERATORS.items():
        if name in ("Addcmul", "Axpy"):  # these take scalars
            continue
        kernel = named.get(name, f"aclnn{name}")
        result.append(
            Comparison(
                operator.file,
                kernel if kernel in TASKS and name != "SoftplusV2" else name,
                "three" if name == "Lerp" else "two" if name in several else "one",
                operator.dtypes,
                limit=int(operator.rounds),
                attributes=attributes.get(name, ()),
            )
        )
    return result


def _simple() -> list[Comparison]:
    """Return comparisons for kernels that are ideal."""
    floats, both = FLOATS, (*FLOATS, "int32")
    return [
        Comparison("abs", "aclnnAbs", dtypes=(*FLOATS, "int32", "int64")),
        Comparison("neg", "aclnnNeg", dtypes=(*FLOATS, "int32", "int8", "int64")),
        Comparison("square", "aclnnPowTensorScalar", dtypes=both, arguments=(2,)),
        Comparison("reciprocal", "aclnnReciprocal"),
        Comparison("inv", "aclnnReciprocal", dtypes=("float32", "bfloat16")),
        Comparison("add", "aclnnAdd", "two", (*both, "int64"), arguments=(1,)),
        Comparison("sub", "aclnnSub", "two", (*both, "int64"), arguments=(1,)),
        Comparison("mul", "aclnnMul", "two", (*both, "int64")),
        Comparison("div", "aclnnDiv", "two", floats),
        # Which zero is the larger is open: a difference of 1 is between +0 and -0.
        Comparison("maximum", "aclnnMaximum", "two", both, limit=1),
        Comparison("minimum", "aclnnMinimum", "two", both, limit=1),
        Comparison(
            "relu", "aclnnClampMin", dtypes=("float32", "float16"), limit=1, arguments=(0.0,)
        ),
        Comparison("clip_by_value_v2", "aclnnClampTensor", "three", both, limit=1),
        *(
            Comparison(file, f"aclnn{name}Tensor", "two", (*both, "int64"), out="bool")
            for file, name in (
                *(("equal", "Eq"), ("not_equal", "Ne"), ("less", "Lt"), ("less_equal", "Le")),
                *(("greater", "Gt"), ("greater_equal", "Ge")),
            )
        ),
        Comparison("addcmul", "aclnnAddcmul", "three", ("float32",), arguments=(1.0,)),
        Comparison("addcdiv", "aclnnAddcdiv", "three", ("float32",), arguments=(1.0,)),
        Comparison("axpy", "aclnnAdd", "two", ("float32",), attributes=(2.0,), arguments=(2.0,)),
        Comparison("axpy_v2", "aclnnAdd", "two", ("float32",), arguments=(2.0,)),
        Comparison(
            "muls", "aclnnMuls", dtypes=("float32", "bfloat16"), attributes=(3.0,), arguments=(3.0,)
        ),
        Comparison(
            "adds",
            "aclnnAdds",
            dtypes=("float32", "bfloat16"),
            attributes=(1.0,),
            arguments=(1.0, 1),
        ),
        Comparison(
            "fills",
            "aclnnInplaceFillScalar",
            dtypes=("float32",),
            attributes=(3.0,),
            arguments=(3.0,),
        ),
        Comparison("zeros_like", "aclnnInplaceZero", dtypes=("float32", "int32")),
        Comparison("ones_like", "aclnnInplaceOne", dtypes=("float32", "int32")),
        Comparison("select", "aclnnSWhere", "condition", both),
        Comparison("select_v2", "aclnnSWhere", "condition", both),
        Comparison("masked_fill", "aclnnInplaceMaskedFillTensor", "mask", both),
        Comparison(
            "nan_to_num",
            "aclnnNanToNum",
            dtypes=floats,
            attributes=(0.0, 1.0, 2.0),
            arguments=(0.0, 1.0, 2.0),
        ),
        Comparison("logical_and", "aclnnLogicalAnd", "two", ("bool",)),
        Comparison("logical_or", "aclnnLogicalOr", "two", ("bool",)),
        Comparison("logical_not", "aclnnLogicalNot", "one", ("bool",)),
        Comparison("bitwise_and", "aclnnBitwiseAndTensor", "two", ("int16", "int32")),
        Comparison("bitwise_or", "aclnnBitwiseOrTensor", "two", ("int16", "int32")),
        Comparison("bitwise_xor", "aclnnBitwiseXorTensor", "two", ("int16", "int32")),
        Comparison("invert", "aclnnBitwiseNot", "one", ("int16",)),
        *(
            Comparison(
                "is_close",
                "aclnnIsClose",
                "two",
                (*FLOATS, "int32"),
                attributes=(*tolerances, bool(nan)),
                arguments=(*tolerances, nan),
                out="bool",
            )
            for tolerances, nan in (((1e-5, 1e-8), 0), ((0.25, 1.0), 1))
        ),
        Comparison("reduce_sum", "aclnnReduceSum", "rows", both),
        Comparison("reduce_mean", "aclnnMean", "thirds"),
        Comparison(
            "reduce_std_v2_update",
            "aclnnVarCorrection",
            "halves",
            attributes=([1], False, True, False, 1),
        ),
        Comparison("reduce_prod", "aclnnProdDim", "rows", ("float32", "float16")),
        Comparison("reduce_max", "aclnnAmax", "rows", both),
        Comparison("reduce_min", "aclnnAmin", "rows", both),
        Comparison("reduce_all", "aclnnAll", "rows", ("bool",)),
        Comparison("reduce_any", "aclnnAny", "rows", ("bool",)),
        Comparison("reduce_nansum", "aclnnReduceNansum", "rows", ("float32",)),
        # The emulator's kernel is what the host composes: it subtracts the largest element first.
        Comparison("reduce_log_sum_exp", "aclnnLogSumExp", "rows", ("float32",), limit=8),
        *(
            Comparison(
                "cast",
                "aclnnCast",
                "one",
                (source,),
                attributes=(code,),
                arguments=(getattr(torch, dtype),),
                out=dtype,
            )
            for source in CODES
            for dtype, code in CODES.items()
            if source != dtype
        ),
    ]


COMPARISONS = (*_of_operators(), *_simple())


def _arrays(comparison: Comparison, dtype: str, n: int) -> list[tuple[Array, str]]:
    form = comparison.form
    if form == "one":
        arrays = [inputs.one(dtype, n)]
    elif form == "rows":
        arrays = [inputs.matrix(dtype, n)]
    elif form == "thirds":
        arrays = [inputs.thirds(dtype, n)]
    elif form == "halves":
        arrays = [inputs.thirds(dtype, n)[:, :2]]
    else:
        arrays = list(inputs.two(dtype, n))
    if form == "three":
        third = np.random.default_rng(2).permutation(arrays[0])
        arrays.append(third)
    pairs = [(a, dtype) for a in arrays]
    flags = np.random.default_rng(3).integers(0, 2, arrays[0].shape).astype(bool)
    if form == "condition":
        pairs = [(flags, "bool"), *pairs]
    if form == "mask":
        pairs = [pairs[0], (flags, "bool"), (arrays[1][:1], dtype)]
    return pairs


def _tensor(array: Array, dtype: str) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(array)).to(getattr(torch, dtype))


def _emulated(comparison: Comparison, arrays: list[tuple[Array, str]], out: str) -> Array:
    tensors = [_tensor(*pair) for pair in arrays]
    if comparison.form == "mask":
        tensors[2] = tensors[2].reshape(())
    arguments = comparison.arguments
    kernel = comparison.kernel
    if comparison.form in REDUCING:
        dtype = getattr(torch, out)
        if kernel == "aclnnProdDim":
            arguments = (1, 0, dtype)
        elif kernel == "aclnnVarCorrection":
            arguments = ([1], 1, 0)
        elif kernel in ("aclnnReduceSum", "aclnnMean", "aclnnReduceNansum"):
            arguments = ([1], 0, dtype)
        else:
            arguments = ([1], 0)
    task = TASKS.get(kernel)
    if task is None and kernel == "SoftplusV2":
        result = TASKS["aclnnSoftplus"](*tensors, 1.0, 20.0)
    elif task is None:
        result = _operator(kernel)(*tensors)
    else:
        result = task(*tensors, *arguments)
    result = result.to(getattr(torch, out))
    wide = result.to(torch.float32) if out == "bfloat16" else result
    return np.asarray(wide.contiguous().numpy())


def _order(x: Array, dtype: str) -> Array:
    """Number the floats in their order, -0 just below +0."""
    if dtype == "bfloat16":
        x = (x.view(np.int32) >> 16).astype(np.int16)
    bits = x.view(np.int16 if x.dtype.itemsize == 2 else np.int32).astype(np.int64)
    size = bits & (0x7FFF if x.dtype.itemsize == 2 else 0x7FFFFFFF)
    return np.where(bits < 0, -size - 1, size)


def difference(a: Array, b: Array, dtype: str) -> Array:
    """Return how many numbers lie between, element by element; -1 where one is NaN alone."""
    if dtype not in dsl.FLOATS:
        return (a != b).astype(np.int64)
    distance = np.abs(
        _order(np.ascontiguousarray(a), dtype) - _order(np.ascontiguousarray(b), dtype)
    )
    lone = np.isnan(a) != np.isnan(b)
    return np.where(np.isnan(a) & np.isnan(b), 0, np.where(lone, -1, distance))


@dataclass(frozen=True)
class Result:
    """What a comparison found: how many cases, how many differ, by how much, and an example."""

    comparison: Comparison
    dtype: str
    cases: int = 0
    differing: int = 0
    greatest: float = 0
    example: str = ""
    refused: str = ""

    @property
    def good(self) -> bool:
        """Whether the difference is within the limit."""
        return self.greatest <= self.comparison.limit


def compare(comparison: Comparison, dtype: str, n: int) -> Result:
    """Run both on the same numbers."""
    arrays = _arrays(comparison, dtype, n)
    out = comparison.out or dtype
    given = arrays
    if comparison.file in ("addcmul", "addcdiv"):
        given = [*arrays, (np.ones(1, arrays[0][0].dtype), dtype)]
    if comparison.file == "axpy_v2":
        given = [*arrays, (np.full(1, 2, arrays[0][0].dtype), dtype)]
    if comparison.form == "halves":  # the source takes the mean, expanded
        mean = TASKS["aclnnMean"](_tensor(*arrays[0]), [1], 1, getattr(torch, dtype))
        mean = mean.to(torch.float32 if dtype == "bfloat16" else mean.dtype).numpy()
        given = [*arrays, (np.broadcast_to(mean, arrays[0][0].shape).copy(), dtype)]
    axes = (1,) if comparison.form in ("rows", "thirds") else None
    try:
        wanted, got_dtype = sources.run(comparison.file, given, out, comparison.attributes, axes)
    except (sources.RefusedError, dsl.UnsupportedError) as error:
        return Result(comparison, dtype, refused=str(error))
    if out == "bool" and got_dtype == "int8":
        wanted = wanted.astype(bool)
    # The documents announce narrower ranges of conversions than the sources have.
    announced, documented_errors.enabled = documented_errors.enabled, False
    try:
        with np.errstate(all="ignore"):
            got = _emulated(comparison, arrays, out)
    finally:
        documented_errors.enabled = announced
    found = difference(got, wanted, out)
    wrong = np.flatnonzero(found.ravel())
    if not wrong.size:
        return Result(comparison, dtype, found.size)
    flat = found.ravel()
    place = int(wrong[np.argmax(np.where(flat[wrong] < 0, np.inf, flat[wrong]))])
    at = [str(a.ravel()[place]) for a, _ in arrays if a.size > place]
    example = f"({', '.join(at)}): {got.ravel()[place]}, source {wanted.ravel()[place]}"
    greatest = float("inf") if flat[place] < 0 else float(flat[place])
    return Result(comparison, dtype, found.size, wrong.size, greatest, example)
