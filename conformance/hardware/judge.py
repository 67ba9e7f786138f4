"""What a device answered, beside the ideal answer and that of the emulated chip."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

AS_EMULATED, BETTER, OTHER, WORSE = "as the emulator says", "better", "other", "worse"
NOT_ASKED: Final = "not asked"
VERDICTS: Final = (NOT_ASKED, AS_EMULATED, BETTER, OTHER, WORSE)
"""From what says least to what has to be looked at first."""

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

_PRECISION: Final = {
    "float16": (11, -13),
    "bfloat16": (8, -125),
    "float32": (24, -125),
    "float64": (53, -1021),
}
"""The bits of a significand, and the exponent of the least normal number as frexp() gives it."""
_PARTS: Final = {"complex64": "float32", "complex128": "float64"}
_EXACT: Final = ("float64", "complex128")
"""Ideal answers are computed in these: of them the last bit is not known."""
_LARGEST: Final = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": 2.0**128}

RATIO: Final = 1.5
"""By so much errors may differ by the last bit of exp, ln or sqrt that an algorithm rests on."""


def worst(verdicts: Iterable[str]) -> str:
    """Return the one that counts of several."""
    return max(verdicts, key=VERDICTS.index, default=NOT_ASKED)


def same(a: Array, b: Array) -> Array:
    """Say of each element whether it is the same: one NaN is as another, +0 is not as -0."""
    if a.dtype.kind not in "fc":
        return np.asarray(a == b)
    if a.dtype.kind == "c":
        return np.asarray(same(a.real, b.real) & same(a.imag, b.imag))
    return np.asarray((np.isnan(a) & np.isnan(b)) | ((a == b) & (np.signbit(a) == np.signbit(b))))


def rounded(exact: Array, dtype: str) -> Array:
    """Round float64 (complex128) to a data type, and return that as it was."""
    if dtype in _EXACT:
        return exact
    if dtype in _PARTS:
        return _complex(rounded(exact.real, _PARTS[dtype]), rounded(exact.imag, _PARTS[dtype]))
    if dtype == "float32":
        with np.errstate(over="ignore"):
            return np.asarray(exact.astype(np.float32), dtype=np.float64)
    unit = ulp(exact, dtype)
    with np.errstate(invalid="ignore"):
        result = np.where(np.isfinite(exact), np.rint(exact / unit) * unit, exact)
    over = np.abs(result) > _LARGEST[dtype]
    return np.where(over, np.copysign(np.inf, exact), np.copysign(result, exact))


def _complex(real: Array, imag: Array) -> Array:
    """Put parts together; 1j * inf would make a NaN of the other."""
    result = np.empty(real.shape, dtype=np.complex128)
    result.real, result.imag = real, imag
    return result


def ulp(exact: Array, dtype: str) -> Array:
    """Return the units in the last place of numbers; of complex ones, those of their size."""
    dtype = _PARTS.get(dtype, dtype)
    exact = np.abs(exact)
    bits, least = _PRECISION[dtype]
    finite = np.where(np.isfinite(exact), exact, 1.0)
    _, exponent = np.frexp(finite)
    exponent = np.where(finite == 0, least, exponent)
    return np.asarray(np.ldexp(1.0, np.maximum(exponent, least) - bits))


def distance(got: Array, exact: Array, dtype: str, unit: Array | None = None) -> Array:
    """Return how many units in the last place results are from exact ones.

    Infinity where one is NaN, infinite or (zeros) of another sign, and the other is not.
    """
    if dtype in _PARTS:
        part, unit = _PARTS[dtype], ulp(exact, dtype)
        parts = ((got.real, exact.real), (got.imag, exact.imag))
        return np.maximum(*(distance(a, b, part, unit) for a, b in parts))
    if dtype not in _PRECISION:
        return np.where(got == exact, 0.0, np.inf)
    wanted = rounded(exact, dtype)
    with np.errstate(invalid="ignore", over="ignore"):
        size = np.abs(got - exact) / (ulp(exact, dtype) if unit is None else unit)
    plain = np.isfinite(got) & np.isfinite(wanted) & ~((wanted == 0) & (got == 0))
    return np.where(plain, size, np.where(same(got, wanted), 0.0, np.inf))


def point(got: float, chip: float, ideal: float, dtype: str, *, rounds: bool) -> str:
    """Judge one answer.

    Parameters
    ----------
    got, chip, ideal
        What the device answers, the emulated chip, and the exact answer.
    dtype
        The data type of the answer.
    rounds
        Whether the emulated chip is not known to the last bit, because it uses exp, ln or sqrt.
    """
    values = [np.asarray([v]) for v in (got, chip, ideal)]
    rounds = rounds or dtype in _EXACT
    if same(values[0], values[1])[0]:
        return AS_EMULATED
    far = float(distance(values[0], values[2], dtype)[0])
    gap = float(distance(values[1], values[2], dtype)[0])
    apart = float(distance(values[0], values[1], dtype)[0])
    if far < gap and (far <= 1 or far <= gap / 4):
        return BETTER
    if rounds and (apart <= 1 or apart <= gap / 4):
        return AS_EMULATED
    return WORSE if far > gap or gap == far == np.inf else OTHER


@dataclass(frozen=True)
class Errors:
    """How far many results are from exact ones."""

    largest: float
    """In units in the last place; infinite ones do not count."""
    at: int
    """Where."""
    special: int
    """How many are NaN, infinite or zeros of another sign, and should not be, or the reverse."""
    wrong: int
    """How many are not the exact result, correctly rounded."""


def errors(got: Array, exact: Array, dtype: str) -> Errors:
    """Return how far results are from exact ones."""
    size = distance(got, exact, dtype)
    finite = np.where(np.isfinite(size), size, 0.0)
    at = int(np.argmax(finite)) if size.size else 0
    wanted = rounded(exact, dtype) if dtype in _PRECISION else exact
    return Errors(
        largest=float(finite[at]) if size.size else 0.0,
        at=at,
        special=int(np.sum(~np.isfinite(size))) if dtype in _PRECISION else 0,
        wrong=int(np.sum(~same(got, wanted))),
    )


def sweep(
    got: Array, chip: Array, exact: Array, dtype: str, *, rounds: bool, counted: bool
) -> tuple[str, Errors, Errors]:
    """Judge many answers; `counted` where what is wrong is counted, instead of measured in ulp."""
    ours, theirs = errors(got, exact, dtype), errors(chip, exact, dtype)
    rounds = rounds or dtype in _EXACT
    if same(got, chip).all() or (rounds and (distance(got, chip, dtype) <= 1).all()):
        return AS_EMULATED, ours, theirs
    if counted:
        pair = (float(ours.wrong), float(theirs.wrong))
    elif ours.special != theirs.special:
        pair = (float(ours.special), float(theirs.special))
    else:
        pair = (ours.largest, theirs.largest)
        if rounds and max(pair) <= RATIO * min(pair):
            return AS_EMULATED, ours, theirs
    verdict = OTHER if pair[0] == pair[1] else BETTER if pair[0] < pair[1] else WORSE
    return verdict, ours, theirs


def whole(got: Array, exact: Array, dtype: str) -> dict[str, Any]:
    """Return how far an array is from the exact one, against its largest element."""
    if dtype not in _PRECISION and dtype not in _PARTS:
        return {WRONG: int(np.sum(got != exact))}
    finite = np.isfinite(exact)
    odd = np.where(finite, ~np.isfinite(got), ~same(got, exact.astype(got.dtype)))
    sound = finite & np.isfinite(got)
    largest = np.max(np.abs(exact[sound]), initial=0.0)
    error = float(np.max(np.abs(got[sound] - exact[sound]), initial=0.0))
    bits = math.log2(largest / error) if error and largest else _PRECISION[_part(dtype)][0]
    return {
        SPECIAL: int(np.sum(odd)),
        ERROR: float(f"{error / float(ulp(np.asarray(largest), dtype)):.4g}"),
        BITS: round(min(float(bits), _PRECISION[_part(dtype)][0]), 1),
    }


def _part(dtype: str) -> str:
    return _PARTS.get(dtype, dtype)


def properties(got: dict[str, Any], expected: dict[str, Any]) -> str:
    """Judge what was seen of an algorithm against what the emulator does.

    Whether it repeats itself counts, and its error; another choice is other, not worse.  What is
    in `TOLD` is told, and is nothing to be judged.
    """
    found = [AS_EMULATED]
    for name, value in expected.items():
        seen = got.get(name)
        if name in TOLD or seen == value:
            continue
        if isinstance(value, bool):
            found.append((WORSE if value else BETTER) if name == REPEATS else OTHER)
        elif seen is None or seen > value + _allowed(name, value):
            found.append(WORSE)
        elif value > seen + _allowed(name, seen):
            found.append(BETTER)
    return worst(found)


def _allowed(name: str, error: float) -> float:
    """Return by how much an error may be larger: another order of sums is as good."""
    return 8 + 3 * error if name == ERROR else 0


REPEATS: Final = "repeats itself"
ORDER: Final = "hangs on the order"
FIXED: Final = "adds in one order"
TREE: Final = "the order"
ERROR: Final = "error in ulp"
BITS: Final = "bits kept"
SPECIAL: Final = "special"
WRONG: Final = "wrong"
TOLD: Final = (ORDER, TREE, BITS)


def shown(values: Iterable[Any], dtype: str) -> list[str]:
    """Write numbers of a data type as short as they are unambiguous; JSON has no NaN."""
    if dtype == "float32":
        return [str(np.float32(v)) for v in values]
    if dtype == "float16":
        return [str(np.float16(v)) for v in values]
    if dtype.startswith(("bfloat", "float", "complex")):
        return [str(v) for v in values]
    return [str(int(v)) for v in values]
