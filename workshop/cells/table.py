"""The cells: the functions of the standard, each with the data types that it takes.

They are those of ``workshop/samples`` that belong to a chapter of the standard: its 226 names
of the versions 2023.12, 2024.12 and 2025.12, 13 in-place operators, and 13 random functions that
the standard leaves out and array programs need.  A name that computes nothing ("metadata":
``x.shape``, ``finfo``, ``pi``) counts once for each of the 13 data types.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Final

DTYPES: Final = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64", "complex64", "complex128"),
)
CHAPTERS: Final = {
    "array_object": "Array object",
    "array_object_in_place": "In-place operators",
    "creation_functions": "Creation",
    "data_type_functions": "Data types",
    "elementwise_functions": "Elementwise",
    "indexing_functions": "Indexing",
    "manipulation_functions": "Manipulation",
    "searching_functions": "Searching",
    "set_functions": "Sets",
    "sorting_functions": "Sorting",
    "statistical_functions": "Statistics",
    "utility_functions": "Utilities",
    "linear_algebra_functions": "Linear algebra",
    "linalg": "Extension linalg",
    "fft": "Extension fft",
    "info": "Inspection",
    "constants": "Constants",
    "random": "Random (no standard)",
}

_LACKING: Final = {
    "uint16 uint32 uint64": (
        "Array.__add__ Array.__eq__ Array.__floordiv__ Array.__invert__ Array.__mul__ "
        "Array.__ne__ Array.__pow__ Array.__sub__ Array.__xor__ Array.__iadd__ "
        "Array.__isub__ Array.__imul__ Array.__ifloordiv__ Array.__ipow__ Array.__ixor__ "
        "add bitwise_invert bitwise_xor clip equal floor_divide isnan maximum minimum "
        "multiply not_equal pow square subtract flip argmax argmin searchsorted "
        "count_nonzero isin cumulative_sum max min prod sum diff vecdot linalg.cross "
        "linalg.outer linalg.trace linalg.vecdot random.integers"
    ),
    "complex64 complex128": (
        "linspace tril triu acos asin atan log1p round take_along_axis unique_all "
        "unique_counts unique_inverse unique_values cumulative_prod random.normal"
    ),
    "float32 float64": (
        "copysign hypot nextafter random.poisson random.gamma random.cauchy "
        "random.log_normal random.geometric random.binomial"
    ),
    "float64 complex64 complex128": (
        "expm1 tanh linalg.cholesky linalg.matrix_norm linalg.matrix_rank linalg.pinv "
        "linalg.svd linalg.svdvals linalg.vector_norm"
    ),
    "float32 float64 complex64 complex128": (
        "linalg.det linalg.eigh linalg.eigvalsh linalg.inv linalg.matrix_power "
        "linalg.slogdet linalg.solve linalg.eig linalg.eigvals"
    ),
    "uint32 uint64": (
        "Array.__and__ Array.__le__ Array.__iand__ zeros zeros_like bitwise_and less_equal"
    ),
    "uint16 uint32 uint64 complex64 complex128": (
        "Array.__getitem__ Array.__setitem__ ones isfinite nonzero all any"
    ),
    "float64": "logaddexp trunc std var fft.rfft fft.rfftn fft.ihfft",
    "complex128": "fft.fft fft.ifft fft.fftn fft.ifftn fft.irfft fft.irfftn fft.hfft",
    "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float64 complex64 complex128": (
        "Array.__matmul__ Array.__imatmul__ matmul tensordot linalg.matmul linalg.tensordot"
    ),
    "int8 int16 uint8 uint16 uint32 uint64": ("Array.__mod__ Array.__imod__ arange remainder sign"),
    "uint16 uint32 uint64 complex128": "Array.__abs__ abs concat",
    "int16 uint8 uint16 uint32 uint64": "Array.__neg__ negative",
    "uint16 uint32 uint64 float64 complex64 complex128": "eye repeat",
    "uint16 uint32 uint64 float64": "argsort sort",
    "float64 complex128": "fft.fftshift fft.ifftshift",
    "float32": "Array.__dlpack_device__",
    "int8 int16 int32 int64 uint8 uint16 uint32 uint64": "ceil",
    "uint16 uint64 float64 complex64 complex128": "roll",
    "uint16": "tile",
}
"""For which data types a call of the same function of torch has no kernel in torch_npu 2.13.0, is
refused by CANN's documents for Atlas A2, or has the wrong data type; and of which functions.  Taken
from the documents, kernel lists and sources of both, not by this measurement."""


@dataclass(frozen=True)
class Name:
    """A name of the standard."""

    chapter: str
    key: str
    """The name as one writes it: ``linalg.inv``, ``Array.__add__``."""
    dtypes: tuple[str, ...]
    is_metadata: bool
    lacking: frozenset[str]
    """The data types for which plain torch_npu has no right answer on the device."""


@functools.cache
def names() -> tuple[Name, ...]:
    """Return all names, chapter by chapter."""
    # They import the namespace, which comes after the emulated CANN.
    from ..samples import FUNCTIONS, NAMES

    lacking = {key: dtypes for dtypes, keys in _LACKING.items() for key in keys.split()}
    return tuple(
        Name(
            chapter,
            function.name,
            # Of isin the cells are those of the order that sorting needs.
            tuple(d for d in function.dtypes if function.name != "isin" or d in DTYPES[1:11]),
            function.unmapped == NAMES,
            frozenset(lacking.get(function.name, "").split()),
        )
        for chapter in CHAPTERS
        for function in sorted(FUNCTIONS.values(), key=lambda f: f.name.lower())
        if function.chapter == chapter
    )
