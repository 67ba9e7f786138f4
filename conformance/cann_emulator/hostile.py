"""Kernels at the edge of what is documented, by families.

A family takes the tasks as they are and returns those that it changes. Where it draws at random,
the bits of the values decide, so that runs repeat, and an element is moved alike wherever it lies
(`transcendental`, `division`) or a whole input gives the same order (the others).
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from .chip.tasks import convert
from .kernels import TASKS as IDEAL

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Task = Callable[..., Any]
    Tasks = dict[str, Task]

ULP = {torch.float32: 2, torch.float16: 1, torch.bfloat16: 1}
"""By how many units in the last place `transcendental` moves results at most."""

BITS = {torch.float32: torch.int32, torch.float16: torch.int16, torch.bfloat16: torch.int16}
HALVES = (torch.float16, torch.bfloat16)


def _draws(x: torch.Tensor, name: str, limit: int) -> torch.Tensor:
    """Draw from -limit...limit for every element, by its bits and the kernel's name."""
    bits = x.contiguous().view(BITS[x.dtype]).numpy().astype(np.int64).astype(np.uint64)
    mixed = bits + np.uint64(zlib.crc32(name.encode()))
    with np.errstate(over="ignore"):  # splitmix64
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed = mixed ^ (mixed >> np.uint64(31))
    draws = np.asarray(mixed % np.uint64(2 * limit + 1), dtype=np.int64)
    return torch.from_numpy(draws) - limit


def _wide(value: Any) -> Any:
    if isinstance(value, torch.Tensor) and not value.is_complex():
        return value.to(torch.float64)
    return value


def _moved(name: str, result: torch.Tensor, exact: torch.Tensor, limit: int) -> torch.Tensor:
    """Move results by some units in the last place; exact ones, zeros and infinities stay."""
    dtype = result.dtype
    steps = _draws(result, name, limit).to(BITS[dtype])
    # The bits of a float of either sign count its size; infinity is not reached, nor zero.
    size = result.abs().contiguous().view(BITS[dtype])
    largest = torch.tensor(torch.finfo(dtype).max, dtype=dtype).view(BITS[dtype])
    moved = torch.minimum(torch.clamp(size + steps, min=1), largest)
    moved = torch.copysign(moved.view(dtype), result)
    stays = ~torch.isfinite(result) | (result == 0) | (result.to(torch.float64) == exact)
    return torch.where(stays, result, moved)


def _within_one(result: torch.Tensor) -> torch.Tensor:
    return torch.clamp(result, -1, 1)


# The sources clamp or divide so that these never leave -1...1.
BOUNDED = ("Cos", "Sigmoid", "Sin", "Tanh")
TRANSCENDENTAL = (
    *("Acos", "Acosh", "Asin", "Asinh", "Atan", "Atan2", "Atanh", "Cos", "Cosh", "Erf", "Erfc"),
    *("Erfinv", "Exp", "Exp2", "Expm1", "Log", "Log10", "Log1p", "Log2", "LogAddExp"),
    *("LogAddExp2", "LogSumExp", "PowScalarTensor", "PowTensorScalar", "PowTensorTensor"),
    *("Rsqrt", "Sigmoid", "Sin", "Sinc", "Sinh", "Softplus", "Tan", "Tanh"),
    *("XLogYScalarOther", "XLogYScalarSelf", "XLogYTensor"),
)
DIVIDING = ("Div", "DivMod", "DivMods", "Divs", "Reciprocal", "Sqrt")


def _kernels(tasks: Tasks, *names: str) -> dict[str, str]:
    """Return the kernels of these names, in place or not, with their name."""
    wanted = {f"aclnn{name}": name for name in names}
    return {
        kernel: wanted[plain]
        for kernel in tasks
        if (plain := kernel.replace("Inplace", "")) in wanted or (plain := kernel) in wanted
    }


def _moving(tasks: Tasks, names: Sequence[str], limits: dict[torch.dtype, int]) -> Tasks:
    def moving(kernel: str, name: str) -> Task:
        task, ideal = tasks[kernel], IDEAL[kernel]

        def changed(*arguments: Any) -> Any:
            result = task(*arguments)
            rounds = name.startswith("DivMod") and arguments[2]
            powers_of_integers = not any(
                a.is_floating_point() if isinstance(a, torch.Tensor) else isinstance(a, float)
                for a in arguments
            ) and name.startswith("Pow")
            if result.dtype not in limits or rounds or powers_of_integers:
                return result
            exact = ideal(*map(_wide, arguments)).to(torch.float64).expand(result.shape)
            moved = _moved(name, result, exact, limits[result.dtype])
            return _within_one(moved) if name in BOUNDED else moved

        return changed

    return {kernel: moving(kernel, name) for kernel, name in _kernels(tasks, *names).items()}


def transcendental(tasks: Tasks) -> Tasks:
    """Move what is not exact by up to `ULP` units in the last place."""
    return _moving(tasks, TRANSCENDENTAL, ULP)


def division(tasks: Tasks) -> Tasks:
    """Move quotients and roots that are not exact by one unit; divide by scalars by 1 / s.

    The latter is what aclnn_div.cpp does on Ascend 950 (CanUseMuls).
    """

    def by_reciprocal(x: torch.Tensor, scalar: Any) -> Any:
        if x.dtype not in BITS or not isinstance(scalar, (int, float)) or scalar == 0:
            return IDEAL["aclnnDivs"](x, scalar)
        return (x.to(torch.float32) * torch.tensor(1.0 / scalar, dtype=torch.float32)).to(x.dtype)

    divs = dict.fromkeys(_kernels(tasks, "Divs"), by_reciprocal)
    return _moving({**tasks, **divs}, DIVIDING, dict.fromkeys(BITS, 1))


def _generator(*tensors: torch.Tensor) -> torch.Generator:
    seed = 0
    for x in tensors:
        # One element is contiguous with any stride, but is viewed with that of 1 alone.
        data = x.reshape(-1).clone(memory_format=torch.contiguous_format)
        bits = data.view(torch.uint8) if data.numel() else data.to(torch.uint8)
        seed = zlib.crc32(bits.numpy().tobytes(), seed)
    return torch.Generator(device="cpu").manual_seed(seed)


def _floats(*values: Any) -> bool:
    return all(
        isinstance(x, torch.Tensor) and (x.is_floating_point() or x.is_complex()) for x in values
    )


def _all_axes(x: torch.Tensor, axes: Any) -> tuple[int, ...]:
    return tuple(axes) if axes else tuple(range(x.ndim))


def _shuffled(x: torch.Tensor, axes: Sequence[int]) -> torch.Tensor:
    generator = _generator(x)
    for axis in axes:
        x = x.index_select(axis, torch.randperm(x.shape[axis], generator=generator))
    return x


# Where the axes of a reduction are among its arguments; None: all are reduced.
REDUCTIONS: dict[str, int | None] = {
    **dict.fromkeys(("LogSumExp", "Mean", "ReduceNansum", "ReduceSum", "Std"), 1),
    **dict.fromkeys(("ProdDim", "VarCorrection", "VarMean"), 1),
    "LinalgVectorNorm": 2,
    "Prod": None,
}
PRODUCTS = {
    **dict.fromkeys(("BatchMatMul", "Dot", "Matmul", "Mm", "Mv"), 0),
    **dict.fromkeys(("Addmm", "Baddbmm"), 1),
}


def order(tasks: Tasks) -> Tasks:
    """Sum, multiply and contract in random order."""

    def reducing(task: Task, place: int | None) -> Task:
        def changed(x: torch.Tensor, *others: Any) -> Any:
            if not _floats(x) or not x.ndim:
                return task(x, *others)
            axes = None if place is None else others[place - 1]
            axes = [axes] if isinstance(axes, int) else _all_axes(x, axes)
            return task(_shuffled(x, axes), *others)

        return changed

    def contracting(task: Task, place: int) -> Task:
        def changed(*arguments: Any) -> Any:
            values = list(arguments)
            a, b = values[place : place + 2]
            along = b.ndim - 2 if b.ndim > 1 else 0
            chosen = torch.randperm(a.shape[-1], generator=_generator(a, b))
            values[place] = a.index_select(a.ndim - 1, chosen)
            values[place + 1] = b.index_select(along, chosen)
            return task(*values)

        return changed

    return {
        **{
            kernel: reducing(tasks[kernel], REDUCTIONS[name])
            for kernel, name in _kernels(tasks, *REDUCTIONS).items()
        },
        **{
            kernel: contracting(tasks[kernel], PRODUCTS[name])
            for kernel, name in _kernels(tasks, *PRODUCTS).items()
        },
    }


LANES = 8


def _in_lanes(x: torch.Tensor, axes: Sequence[int], keep: bool) -> torch.Tensor:
    """Sum in float32 one after the other, in eight lanes: n / 8 roundings in a row."""
    wide = x.to(torch.float32)
    kept = [i for i in range(x.ndim) if i not in {axis % x.ndim for axis in axes}]
    rows = wide.permute(*kept, *(axis % x.ndim for axis in axes)).reshape(
        [*(x.shape[i] for i in kept), -1]
    )
    rows = torch.nn.functional.pad(rows, (0, -rows.shape[-1] % LANES))
    steps = rows.reshape([*rows.shape[:-1], -1, LANES]).numpy()
    if steps.shape[-2] == 0:
        total = np.zeros(steps.shape[:-2], dtype=np.float32)
    else:
        total = np.add.accumulate(steps, axis=-2, dtype=np.float32)[..., -1, :]
        total = np.add.accumulate(total, axis=-1, dtype=np.float32)[..., -1]
    result = torch.from_numpy(np.array(total))
    return (
        result.reshape([n if i in kept else 1 for i, n in enumerate(x.shape)]) if keep else result
    )


def sums(tasks: Tasks) -> Tasks:
    """Add in float32 with as many roundings in a row as a plain loop over eight lanes has."""

    def reducing(task: Task, mean: bool) -> Task:
        def changed(x: torch.Tensor, axes: Any, keep: int, dtype: torch.dtype) -> Any:
            if x.dtype not in BITS or dtype not in BITS or not x.ndim:
                return task(x, axes, keep, dtype)
            over = _all_axes(x, axes)
            total = _in_lanes(x, over, bool(keep))
            return (total / (x.numel() // max(total.numel(), 1)) if mean else total).to(dtype)

        return changed

    def accumulating(task: Task) -> Task:
        def changed(x: torch.Tensor, axis: int, dtype: torch.dtype) -> Any:
            if x.dtype not in BITS or dtype not in BITS or not x.ndim:
                return task(x, axis, dtype)
            wide = x.to(torch.float32).numpy()
            result = np.add.accumulate(wide, axis=int(axis), dtype=np.float32)
            return torch.from_numpy(result).to(dtype)

        return changed

    return {
        "aclnnReduceSum": reducing(tasks["aclnnReduceSum"], mean=False),
        "aclnnMean": reducing(tasks["aclnnMean"], mean=True),
        "aclnnCumsum": accumulating(tasks["aclnnCumsum"]),
    }


def accumulation(tasks: Tasks) -> Tasks:
    """Write and add by index in random order: the last of several, and the order of sums."""
    add, scatter_add = tasks["aclnnIndexAdd"], tasks["aclnnScatterAdd"]
    put = tasks["aclnnIndexPutImpl"]

    def index_add(x: torch.Tensor, axis: int, index: Any, source: Any, alpha: Any) -> Any:
        if not source.ndim or not index.ndim:
            return add(x, axis, index, source, alpha)
        chosen = torch.randperm(index.numel(), generator=_generator(index, source))
        return add(x, axis, index[chosen], source.index_select(axis, chosen), alpha)

    def scattered(x: torch.Tensor, axis: int, index: torch.Tensor, source: torch.Tensor) -> Any:
        if not index.ndim:
            return scatter_add(x, axis, index, source)
        cut = source[tuple(slice(n) for n in index.shape)]
        chosen = torch.randperm(index.shape[axis], generator=_generator(index, cut))
        return scatter_add(
            x, axis, index.index_select(axis, chosen), cut.index_select(axis, chosen)
        )

    def index_put(x: torch.Tensor, index: Any, source: torch.Tensor, *others: Any) -> Any:
        present = [i for i in index if i is not None]
        leading = len(present) > 0 and all(i is not None for i in index[: len(present)])
        if not leading or any(i.ndim != 1 or i.dtype == torch.bool for i in present):
            return put(x, index, source, *others)
        n = max(i.numel() for i in present)
        if any(i.numel() != n for i in present) or not n:
            return put(x, index, source, *others)
        chosen = torch.randperm(n, generator=_generator(*present, source))
        whole = source.expand([n, *x.shape[len(present) :]])
        moved = [None if i is None else i[chosen] for i in index]
        return put(x, moved, whole[chosen], *others)

    return {
        "aclnnIndexAdd": index_add,
        "aclnnScatterAdd": scattered,
        "aclnnIndexPutImpl": index_put,
    }


def sort(tasks: Tasks) -> Tasks:
    """Shuffle equals where no stable order is asked for."""
    plain, largest = tasks["aclnnSort"], tasks["aclnnTopk"]

    def shuffled(x: torch.Tensor, axis: int) -> tuple[torch.Tensor, torch.Tensor]:
        chosen = torch.randperm(x.shape[axis], generator=_generator(x))
        return x.index_select(axis, chosen), chosen

    def sorted_(x: torch.Tensor, stable: int, axis: int, descending: int) -> Any:
        if stable or not x.ndim:
            return plain(x, stable, axis, descending)
        moved, chosen = shuffled(x, axis)
        values, index = plain(moved, 1, axis, descending)
        return values, chosen[index]

    def topk(x: torch.Tensor, k: int, axis: int, *others: int) -> Any:
        if not x.ndim:
            return largest(x, k, axis, *others)
        moved, chosen = shuffled(x, axis)
        values, index = largest(moved, k, axis, *others)
        return values, chosen[index]

    return {"aclnnSort": sorted_, "aclnnTopk": topk}


def _flushed(x: Any) -> Any:
    if isinstance(x, torch.Tensor) and x.dtype in (torch.float32, torch.bfloat16):
        small = x.abs() < torch.finfo(torch.float32).tiny
        return torch.where(small, torch.copysign(torch.zeros_like(x), x), x)
    if isinstance(x, torch.Tensor) and x.dtype == torch.complex64:
        return torch.view_as_complex(_flushed(torch.view_as_real(x.resolve_conj()).contiguous()))
    if isinstance(x, (list, tuple)):
        return type(x)(_flushed(item) for item in x)
    return x


def flush(tasks: Tasks) -> Tasks:
    """Take subnormal float32 and bfloat16 for zeros, and give zeros for them.

    As Ascend 950 does by default (the guide of changes from 2201 to 3510 in asc-devkit). Kernels
    that move or create elements leave bits alone, as do those that combine bits.
    """
    from .kernels import elementwise, linear_algebra, reduction

    untouched = ("Bitwise", "SWhere", "Signbit", "InplaceCopy", "InplaceFill", "Shift", "Complex")
    computing = {
        f"aclnn{name}"
        for module in (elementwise, linear_algebra, reduction)
        for name in module.TASKS
        if not any(part in name for part in untouched)
    } | {"aclnnIndexAdd", "aclnnScatterAdd", "aclnnAddcdiv"}

    def flushing(task: Task) -> Task:
        return lambda *arguments: _flushed(task(*map(_flushed, arguments)))

    return {
        kernel: flushing(task)
        for kernel, task in tasks.items()
        if kernel in computing or kernel.replace("Inplace", "") in computing
    }


def casts(tasks: Tasks) -> Tasks:
    """Let conversions to narrower integers saturate where that is open."""
    del tasks
    return {
        "aclnnCast": lambda x, dtype: convert(x, dtype, saturates=True),
        "aclnnInplaceCopy": lambda x, source: convert(source, x.dtype, saturates=True).expand(
            x.shape
        ),
    }


FAMILIES: dict[str, Callable[[Tasks], Tasks]] = {
    "accumulation": accumulation,
    "casts": casts,
    "division": division,
    "flush": flush,
    "order": order,
    "sort": sort,
    "sums": sums,
    "transcendental": transcendental,
}
