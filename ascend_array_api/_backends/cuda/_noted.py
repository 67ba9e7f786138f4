"""Functions of integers on GPUs that report wrong operands, as one kernel each.

They are written for torch's generator of elementwise kernels, as in ``_fused``.  A kernel takes the
address of an integer, and writes 1 there if a divisor is 0 or a position is out of bounds.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ..._torch.private import jit_kernel

Flag: TypeAlias = tuple[Tensor, int]
"""Where a kernel writes 1 for wrong operands: a tensor of integers, and the place in it."""

# The least integer divided by -1 is itself; the processor's division need not know.
_SIGNED: Final = """template <typename T> T xp_entry(T a, T b, long long mark) {
if (b == T(0)) { *(int*)mark = 1; return T(0); }
if (b == T(-1)) { return OPPOSITE; }
T quotient = a / b, rest = a - quotient * b;
bool apart = rest != T(0) && (rest < T(0)) != (b < T(0));
return RESULT;
}"""
_UNSIGNED: Final = """template <typename T> T xp_entry(T a, T b, long long mark) {
if (b == T(0)) { *(int*)mark = 1; return T(0); }
unsigned long long all = ~0ull >> (64 - 8 * sizeof(T));
unsigned long long x = (unsigned long long)a & all, y = (unsigned long long)b & all;
return T(x OPERATOR y);
}"""
_BOUNDS: Final = """template <typename T> T xp_entry(T place, long long size, long long mark) {
if (place >= -size && place < size) { return place; }
*(int*)mark = 1;
return place < 0 ? -size : size - 1;
}"""
_AXIS: Final = """
if (pN < -nN || pN >= nN) { if (mN) { *(int*)mN = 1; } pN = pN < 0 ? 0 : nN - 1; }
place = place * nN + (pN < 0 ? pN + nN : pN);"""
MOST_AXES: Final = 8
"""The number of tensors that torch's generator takes."""
_CODE: Final = {
    ("floor_divide", True): _SIGNED.replace("OPPOSITE", "T(0) - a").replace(
        "RESULT", "apart ? quotient - T(1) : quotient"
    ),
    ("remainder", True): _SIGNED.replace("OPPOSITE", "T(0)").replace(
        "RESULT", "apart ? rest + b : rest"
    ),
    ("floor_divide", False): _UNSIGNED.replace("OPERATOR", "/"),
    ("remainder", False): _UNSIGNED.replace("OPERATOR", "%"),
}


@functools.cache
def _bounds() -> Callable[..., Tensor]:
    return jit_kernel(torch.cuda.jiterator, _BOUNDS, size=0, mark=0)


def text_of_places(axes: int) -> str:
    """Return the kernel of ``places`` for a number of axes."""
    given = [f"T p{axis}" for axis in range(axes)]
    given += [f"long long {name}{axis}" for axis in range(axes) for name in "nm"]
    steps = "".join(_AXIS.replace("N", str(axis)) for axis in range(axes))
    head = f"template <typename T> T xp_entry({', '.join(given)})"
    return f"{head} {{\nlong long place = 0;{steps}\nreturn T(place);\n}}"


@functools.cache
def _places(axes: int) -> Callable[..., Tensor]:
    numbers = {f"{name}{axis}": 0 for axis in range(axes) for name in "nm"}
    return jit_kernel(torch.cuda.jiterator, text_of_places(axes), **numbers)


@functools.cache
def _division(function: str, signed: bool) -> Callable[..., Tensor]:
    return jit_kernel(torch.cuda.jiterator, _CODE[function, signed], mark=0)


def _address(flag: Flag | None) -> int:
    return 0 if flag is None else flag[0].data_ptr() + flag[1] * flag[0].itemsize


def bounds(positions: Tensor, size: int, flag: Flag) -> Tensor:
    """Clamp positions of int64 to the bounds, and report those out of bounds."""
    return _bounds()(positions, size=size, mark=_address(flag))


def places(
    positions: Sequence[Tensor], shape: Sequence[int], flags: Sequence[Flag | None]
) -> Tensor:
    """Return the places of points in an array, counted row by row.

    Points are given by positions of int64 for each axis.  The kernel clamps them to the bounds, and
    reports those out of bounds to the flag of their axis.
    """
    numbers: dict[str, int] = {}
    for axis, (size, flag) in enumerate(zip(shape, flags)):
        numbers[f"n{axis}"] = size
        numbers[f"m{axis}"] = _address(flag)
    return _places(len(positions))(*positions, **numbers)


def divide(x1: Tensor, x2: Tensor, flag: Flag, *, function: str, exact: object) -> Tensor:  # noqa: ARG001
    """Return the floor of the quotient, or the remainder, of integers of one data type."""
    mark = _address(flag)
    dtype = x1.dtype
    kernel = _division(function, dtype.is_signed)
    if dtype in dt.SIGNED_OF and dtype is not dt.uint8:  # the generator does not have these
        signed = dt.SIGNED_OF[dtype]
        return kernel(x1.view(signed), x2.view(signed), mark=mark).view(dtype)
    return kernel(x1, x2, mark=mark)
