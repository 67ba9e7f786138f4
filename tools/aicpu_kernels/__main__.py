"""Compare the emulator with CANN's AICPU kernels: ``python -m tools.aicpu_kernels --help``."""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import mpmath
import numpy as np
import torch

from conformance.cann_emulator import _modes

from . import kernels

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Array = np.ndarray[Any, Any]

SEED: Final = 1
FLOATS: Final = ("float64",)
COMPLEX: Final = ("complex64", "complex128")
ALL: Final = FLOATS + COMPLEX
_FLAGS: Final = "-ffp-contract=off -DEIGEN_DONT_VECTORIZE"
mpmath.mp.prec = 1300  # of 1 + the least subnormal number


@dataclass(frozen=True)
class Comparison:
    """A source, and the kernel of the emulator that computes the same.

    Attributes
    ----------
    source
        The folder of ``math`` with the source.
    kernel
        The kernel of the table, without ``aclnn``.
    dtypes
        Those of the operands that go to the source.
    exact
        The function by mpmath; None where results are no sums, roots or the like.
    operands
        How many arrays it takes.
    after
        What the emulator's task takes after these.
    attributes
        The attributes of the source.
    known
        Why results differ that are no better in the emulator.
    """

    source: str
    kernel: str
    dtypes: tuple[str, ...]
    exact: Callable[..., Any] | None = None
    operands: int = 1
    after: tuple[Any, ...] = ()
    attributes: dict[str, float] = field(default_factory=dict)
    known: str = ""


def _base(base: float) -> dict[str, float]:
    return {"base": base, "scale": 1, "shift": 0}


_MINUS: Final = "torch subtracts complex numbers from 0"
_QUOTIENT: Final = "torch makes NaN of infinities, and loses digits where products overflow"
_BEYOND: Final = "C leaves open what numbers beyond the integers give"
_LIMIT: Final = 8
"""By how many units in the last place results may differ."""

COMPARISONS: Final = (
    Comparison("acos", "Acos", FLOATS, mpmath.acos),
    # These four may be taken from TensorFlow: the host code launches them with its flag.
    Comparison("acosh", "Acosh", ALL, mpmath.acosh),
    Comparison("asinh", "Asinh", ALL, mpmath.asinh),
    Comparison("atanh", "Atanh", ALL, mpmath.atanh),
    Comparison("sinh", "Sinh", ALL, mpmath.sinh),
    Comparison("asin", "Asin", FLOATS, mpmath.asin),
    Comparison("atan", "Atan", FLOATS, mpmath.atan),
    Comparison("ceil", "Ceil", FLOATS, mpmath.ceil),
    Comparison("cosh", "Cosh", ALL, mpmath.cosh),
    Comparison("equal", "EqTensor", (*ALL, "int16"), operands=2),
    Comparison("exp", "Exp", ("complex64",), mpmath.exp),
    Comparison("greater", "GtTensor", (*FLOATS, "int16"), operands=2),
    Comparison("greater_equal", "GeTensor", (*FLOATS, "int16"), operands=2),
    Comparison("less", "LtTensor", (*FLOATS, "int16"), operands=2),
    Comparison("not_equal", "NeTensor", (*FLOATS, "int16"), operands=2),
    Comparison("log", "Log", ALL, mpmath.log, attributes=_base(-1)),
    Comparison("log", "Log2", ALL, lambda x: mpmath.log(x) / mpmath.log(2), attributes=_base(2)),
    Comparison("log", "Log10", ALL, lambda x: mpmath.log(x) / mpmath.log(10), attributes=_base(10)),
    Comparison("neg", "Neg", ALL, lambda x: -x, known=_MINUS),
    Comparison("pow", "PowTensorTensor", (*ALL, "int16", "int64"), mpmath.power, 2),
    Comparison("real_div", "Div", ALL, lambda x, y: x / y, 2, known=_QUOTIENT),
    Comparison("right_shift", "RightShift", ("int8", "int64", "uint64"), operands=2),
    Comparison("round", "Round", FLOATS, mpmath.nint),
    Comparison("sqrt", "Sqrt", ALL, mpmath.sqrt),
    Comparison("square", "PowTensorScalar", ALL, lambda x: x * x, after=(2,)),
    Comparison("tan", "Tan", ALL, mpmath.tan),
    *(
        Comparison("cast", "Cast", (dtype,), after=(getattr(torch, to),), known=_BEYOND)
        for dtype, to in itertools.permutations(("float64", "int64", "float32", "int16", "bool"), 2)
        if "float64" in (dtype, to)
    ),
)


def numbers(dtype: str, cases: int) -> Array:
    """Return numbers over the whole range of a data type."""
    rng = np.random.default_rng(SEED)
    if np.dtype(dtype).kind in "iu":
        limits, width = np.iinfo(dtype), 8 * np.dtype(dtype).itemsize
        near = [x for x in range(-5, 80) if x >= limits.min]
        bits = rng.integers(0, 256, cases * width // 8, dtype=np.uint8).view(dtype)
        return np.concatenate([np.asarray([limits.min, limits.max, *near], dtype), bits])
    if dtype == "bool":
        return np.asarray([False, True])
    limits = np.finfo(dtype)
    positive = [0, limits.smallest_subnormal, limits.tiny, 0.3, 0.5, 1, 1.5, 2, 2.5, 3, 10, 100]
    positive += [limits.max, np.inf]
    special = np.asarray([*positive, *(-x for x in positive), np.nan], limits.dtype)
    if np.dtype(dtype).kind == "c":
        grid = np.stack(np.meshgrid(special, special), -1).reshape(-1, 2)
        size = 10.0 ** np.concatenate([rng.uniform(-4, 4, cases), rng.uniform(-30, 30, cases)])
        angle = rng.uniform(-np.pi, np.pi, 2 * cases)
        circle = np.stack([np.cos(angle), np.sin(angle)], -1)
        drawn = np.concatenate([circle * size[:, None], circle, rng.normal(size=(cases, 2))])
        return np.concatenate([grid, drawn.astype(special.dtype)]).view(dtype)[:, 0]
    halves = np.arange(-20, 21) / 2
    drawn = [
        *(halves, np.nextafter(halves, -np.inf), np.nextafter(halves, np.inf)),
        *(rng.uniform(-1, 1, cases), rng.uniform(-1e6, 1e6, cases)),
        10.0 ** rng.uniform(limits.minexp * 0.3, limits.maxexp * 0.3, cases),
        1 + rng.uniform(-1e-2, 1e-2, cases),
    ]
    return np.concatenate([special, *(x.astype(dtype) for x in drawn)])


def operands(comparison: Comparison, dtype: str, cases: int) -> list[Array]:
    """Return the operands: numbers, or those of small arrays paired and of large ones drawn."""
    x = numbers(dtype, cases)
    if comparison.operands == 1:
        return [x]
    few, rng = x[: 29 if np.dtype(dtype).kind != "c" else 841], np.random.default_rng(SEED + 1)
    few = few if len(few) < 100 else few[:: len(few) // 80]
    pairs = np.stack(np.meshgrid(few, few), -1).reshape(-1, 2)
    y = rng.permutation(x)
    return [np.concatenate([pairs[:, 0], x]), np.concatenate([pairs[:, 1], y])]


def ulps(got: Array, exact: Callable[..., Any], values: Sequence[Array]) -> tuple[float, int]:
    """Return the greatest error in units of the last place of the exact size, and where it is.

    On branch cuts, and as near as mpmath does not tell from them, only `alike` compares.
    """
    limits, worst, where = np.finfo(got.dtype), 0.0, 0
    for i, result in enumerate(got):
        if not np.isfinite(result) or not all(np.isfinite(x[i]) for x in values):
            continue
        if any(
            min(abs(x[i].real), abs(x[i].imag)) < 1e-30 * abs(x[i])
            for x in values
            if x.dtype.kind == "c"
        ):
            continue
        try:
            true = exact(*(mpmath.mpmathify(x[i].item()) for x in values))
        except (ZeroDivisionError, ValueError, OverflowError):
            continue
        size = abs(true)
        if not mpmath.isfinite(true) or size > limits.max or (not size and not result):
            continue
        power = int(mpmath.floor(mpmath.log(size, 2))) if size else limits.minexp
        unit = mpmath.ldexp(1, max(power, limits.minexp) - limits.nmant)
        error = float(abs(mpmath.mpmathify(result.item()) - true) / unit)
        if error > worst:
            worst, where = error, i
    return worst, where


def alike(a: Array, b: Array) -> Array:
    """Say where results agree: zeros, infinities, NaN and their signs; others nearly."""
    if a.dtype.kind not in "fc":
        return np.asarray(a == b)
    parts = [x.view(x.real.dtype).reshape(*x.shape, -1) for x in (a, b)]
    kinds = []
    for x in parts:
        odd = (x == 0) | np.isinf(x)
        kinds.append(np.stack([x == 0, np.isinf(x), np.isnan(x), odd & np.signbit(x)], -1))
    limits, finite = np.finfo(a.dtype), np.isfinite(a) & np.isfinite(b)
    apart = np.abs(np.where(finite, a, 0) - np.where(finite, b, 0))
    near = apart <= _LIMIT * np.maximum(np.abs(b) * limits.eps, limits.smallest_subnormal)
    # A zero of a complex number may be the rounding error of its other part.
    same = kinds[0] == kinds[1] if a.dtype.kind == "f" else kinds[0][..., 1:] == kinds[1][..., 1:]
    return np.asarray(same.all((-1, -2)) & (near | ~finite))


def run(
    comparison: Comparison, dtype: str, kernel: kernels.Kernel, tasks: dict[str, Any], cases: int
) -> bool:
    """Compare for a data type, print how it went, and say whether it is as expected."""
    values = operands(comparison, dtype, cases)
    with np.errstate(all="ignore"):
        answer = tasks[f"aclnn{comparison.kernel}"](
            *(torch.from_numpy(x) for x in values), *comparison.after
        ).numpy()
        got = kernel(values, np.empty(answer.shape, answer.dtype), **comparison.attributes)
        differ = np.flatnonzero(~alike(got, answer))
    line = f"{comparison.source:14}{comparison.kernel:16}{dtype:11}{len(values[0]):7}"
    line += f"{len(differ):7}  "
    if comparison.exact is not None and got.dtype.kind in "fc":
        (error, i), (mine, _) = (ulps(x, comparison.exact, values) for x in (got, answer))
        given = ", ".join(str(x[i]) for x in values)
        line += f"off by {error:.3g} ulp at {given}; the emulator by {mine:.3g}"
    for i in differ[:3]:
        given = ", ".join(str(x[i]) for x in values)
        line += f"\n{'':8}{given}: {got[i]}, the emulator {answer[i]}"
    if differ.size and comparison.known:
        line += f"\n{'':8}{comparison.known}"
    print(line, flush=True)
    return not differ.size or bool(comparison.known)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the comparisons that the command line asks for; 1 if one differs without a reason."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.aicpu_kernels",
        description="Compile the AICPU kernels of CANN and compare the emulator with them.",
    )
    parser.add_argument("--sources", type=Path, required=True, help="a clone of ops-math")
    parser.add_argument("--release", default="v9.1.0", help="a tag (%(default)s)")
    parser.add_argument("--eigen", type=Path, required=True, help="the folder of Eigen's headers")
    parser.add_argument("--cases", type=int, default=1000, help="numbers of a kind (%(default)s)")
    parser.add_argument("--flags", default=_FLAGS, help="of g++ (default: %(default)s)")
    parser.add_argument("names", nargs="*", help="folders of math (default: all)")
    options = parser.parse_args(argv)
    tasks = _modes.tasks(_modes.parse("chip"))
    with tempfile.TemporaryDirectory() as folder:
        built = cache(
            partial(
                kernels.build,
                repository=options.sources,
                release=options.release,
                eigen=options.eigen,
                folder=Path(folder),
                flags=options.flags.split(),
            )
        )
        print(f"{'source':14}{'kernel':16}{'dtype':11}{'points':>7}{'differ':>7}")
        good = [
            run(comparison, dtype, built(comparison.source), tasks, options.cases)
            for comparison in COMPARISONS
            if not options.names or comparison.source in options.names
            for dtype in comparison.dtypes
        ]
    print(f"{len(good)} comparisons, {len(good) - sum(good)} differ without a known reason")
    return int(not all(good))


if __name__ == "__main__":
    sys.exit(main())
