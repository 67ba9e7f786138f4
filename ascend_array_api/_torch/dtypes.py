"""Data types: their names, kinds, limits, and how they promote.

Imports no other module of the package, and knows nothing of devices.

The data types are torch's own objects, so that ``xp.float32 is torch.float32``.

https://data-apis.org/array-api/2023.12/API_specification/data_types.html
https://data-apis.org/array-api/2023.12/API_specification/type_promotion.html
"""

from __future__ import annotations

from typing import Final, TypeAlias

import torch

__all__ = [
    "bool",
    "complex64",
    "complex128",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]

DType: TypeAlias = torch.dtype

AnyDType: TypeAlias = torch.dtype | None
"""The data type of a result; None for the default one."""

bool: Final = torch.bool
int8: Final = torch.int8
int16: Final = torch.int16
int32: Final = torch.int32
int64: Final = torch.int64
uint8: Final = torch.uint8
uint16: Final = torch.uint16
uint32: Final = torch.uint32
uint64: Final = torch.uint64
float16: Final = torch.float16
bfloat16: Final = torch.bfloat16
float32: Final = torch.float32
float64: Final = torch.float64
complex64: Final = torch.complex64
complex128: Final = torch.complex128

BOOLEAN: Final = frozenset({bool})
SIGNED: Final = frozenset({int8, int16, int32, int64})
UNSIGNED: Final = frozenset({uint8, uint16, uint32, uint64})
WIDE_UNSIGNED: Final = frozenset({uint16, uint32, uint64})
INTEGER: Final = SIGNED | UNSIGNED
HALF: Final = frozenset({float16, bfloat16})
REAL_FLOATING: Final = frozenset({float16, bfloat16, float32, float64})
COMPLEX: Final = frozenset({complex64, complex128})
FLOATING: Final = REAL_FLOATING | COMPLEX
REAL: Final = INTEGER | REAL_FLOATING
NUMERIC: Final = INTEGER | FLOATING
INTEGER_OR_BOOLEAN: Final = INTEGER | BOOLEAN
ANY: Final = NUMERIC | BOOLEAN

STANDARD: Final = ANY - HALF
"""The thirteen data types of the standard.  ``float16`` and ``bfloat16`` are not among them."""

KIND_NAMES: Final = {
    BOOLEAN: "boolean",
    SIGNED: "signed integer",
    UNSIGNED: "unsigned integer",
    INTEGER: "integer",
    REAL_FLOATING: "real floating-point",
    COMPLEX: "complex floating-point",
    FLOATING: "floating-point",
    REAL: "real-valued",
    NUMERIC: "numeric",
    INTEGER_OR_BOOLEAN: "integer or boolean",
    ANY: "any",
}

KINDS: Final = {
    "bool": BOOLEAN,
    "signed integer": SIGNED,
    "unsigned integer": UNSIGNED,
    "integral": INTEGER,
    "real floating": REAL_FLOATING,
    "complex floating": COMPLEX,
    "numeric": NUMERIC,
}
"""The kinds that ``isdtype`` and ``__array_namespace_info__().dtypes`` know by name."""

NAMES: Final[dict[DType, str]] = {
    dtype: str(dtype).removeprefix("torch.")
    for dtype in (
        bool,
        *(int8, int16, int32, int64),
        *(uint8, uint16, uint32, uint64),
        *(float16, bfloat16, float32, float64),
        *(complex64, complex128),
    )
}

BY_NAME: Final = {name: dtype for dtype, name in NAMES.items()}

REAL_OF: Final = {complex64: float32, complex128: float64}
COMPLEX_OF: Final = {
    float16: complex64,
    bfloat16: complex64,
    float32: complex64,
    float64: complex128,
}
SIGNED_OF: Final = {uint8: int8, uint16: int16, uint32: int32, uint64: int64}
"""The signed data type with as many bits, as which unsigned integers are viewed without a copy."""

LIMITS: Final = {
    **{dtype: (torch.iinfo(dtype).min, torch.iinfo(dtype).max) for dtype in SIGNED},
    **{dtype: (0, 2 ** (8 * dtype.itemsize) - 1) for dtype in UNSIGNED},
}
"""The least and the greatest value of each integer data type."""


def _promoted(first: DType, second: DType) -> DType | None:
    """Return the data type to which two arrays promote; None for different kinds.

    The standard leaves different kinds undefined, and strict mode refuses them.  float16 and
    bfloat16 are not in the standard; torch promotes them to the data type that holds both operands
    exactly (float16 with bfloat16: float32).
    """
    pair = {first, second}
    if pair <= FLOATING:
        return torch.promote_types(first, second)
    if not pair <= INTEGER:
        return first if first is second else None
    lows, highs = zip(LIMITS[first], LIMITS[second])
    hold = [d for d, (low, high) in LIMITS.items() if low <= min(lows) and high >= max(highs)]
    return min(hold, key=lambda d: d.itemsize, default=None)


PROMOTION: Final = {
    (first, second): dtype
    for first in ANY
    for second in ANY
    if (dtype := _promoted(first, second)) is not None
}
"""The data type to which each pair of data types promotes; pairs that do not promote are absent."""


def kind_name(dtypes: frozenset[DType]) -> str:
    """Return the name of a set of data types, or a list of their names."""
    return KIND_NAMES.get(dtypes) or ", ".join(NAMES[d] for d in NAMES if d in dtypes)
